"""Copies a library and appends the footer by which DuckDB recognizes an extension.

    python3 src/duckdb/footer.py target/release/libduckdb.so target/duckdb/robots_scan.duckdb_extension [TARGET]

TARGET is the platform of Rust that the library is built for, such as aarch64-apple-darwin; by default, it is this machine.

The footer has 512 bytes: eight fields of 32 bytes, the last one first, then 256 bytes for a signature, which are zero here.
"""

import platform
import sys
from pathlib import Path

# The version of the C interface, as in api.rs. Extensions of this kind are loaded by this and all later versions of DuckDB.
API_VERSION = "v1.2.0"

SYSTEMS = {"linux": "linux", "darwin": "osx", "windows": "windows"}
MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def footer(version, target):
    """Returns the footer of an extension of this version."""
    machine, system = target.split("-")[0], target.split("-")[2]
    system = f"{SYSTEMS[system]}_{MACHINES[machine]}"
    fields = ["4", system, API_VERSION, version, "C_STRUCT", "", "", ""]
    return b"".join(field.encode().ljust(32, b"\0") for field in reversed(fields)) + bytes(256)


def main(library, extension, target):
    """Writes the extension."""
    manifest = (Path(__file__).resolve().parents[2] / "Cargo.toml").read_text(encoding="utf-8")
    version = manifest.partition("[workspace.package]\nversion = \"")[2].partition("\"")[0]
    extension.parent.mkdir(parents=True, exist_ok=True)
    extension.write_bytes(library.read_bytes() + footer(f"v{version}", target))


if __name__ == "__main__":
    this_machine = f"{platform.machine().lower()}-unknown-{platform.system().lower()}"
    main(Path(sys.argv[1]), Path(sys.argv[2]), *(sys.argv[3:] or [this_machine]))
