"""Copies a library and appends the footer by which DuckDB recognizes an extension.

    python3 src/duckdb/footer.py target/release/libduckdb.so target/duckdb/robots_scan.duckdb_extension

The footer has 512 bytes: eight fields of 32 bytes, the last one first, then 256 bytes for a signature, which are zero here.
"""

import platform
import sys
from pathlib import Path

# The version of the C interface, as in api.rs. Extensions of this kind are loaded by this and all later versions of DuckDB.
API_VERSION = "v1.2.0"

SYSTEMS = {"Linux": "linux", "Darwin": "osx", "Windows": "windows"}
MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def footer(version):
    """Returns the footer of an extension of this version."""
    system = f"{SYSTEMS[platform.system()]}_{MACHINES[platform.machine()]}"
    fields = ["4", system, API_VERSION, version, "C_STRUCT", "", "", ""]
    return b"".join(field.encode().ljust(32, b"\0") for field in reversed(fields)) + bytes(256)


def main(library, extension):
    """Writes the extension."""
    manifest = (Path(__file__).resolve().parents[2] / "Cargo.toml").read_text(encoding="utf-8")
    version = manifest.partition("[workspace.package]\nversion = \"")[2].partition("\"")[0]
    extension.parent.mkdir(parents=True, exist_ok=True)
    extension.write_bytes(library.read_bytes() + footer(f"v{version}"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
