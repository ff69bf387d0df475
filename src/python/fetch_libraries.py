"""Fetches the JavaScript libraries of the site with npm, at the versions and checksums that `robots_scan/site/libraries.json` pins.

    python src/python/fetch_libraries.py

The files go into `robots_scan/site/libraries/`, which is not committed and becomes part of the wheel. They are fetched again only if a pin has
changed. A package whose bytes do not have the checksum is refused, from wherever npm is configured to fetch it.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SITE = Path(__file__).resolve().parent / "robots_scan/site"
PINS, LIBRARIES = SITE / "libraries.json", SITE / "libraries"


def main():
    pins = PINS.read_text(encoding="utf-8")
    stamp = LIBRARIES / "libraries.json"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == pins:
        return 0
    if shutil.which("npm") is None:
        return fail("npm is not installed", "install Node.js with npm, then run this again; on Debian and Ubuntu: sudo apt-get install npm")
    with tempfile.TemporaryDirectory(dir=SITE, prefix="libraries-", suffix=".tmp") as folder:
        new = Path(folder, "libraries")
        for library in json.loads(pins):
            error = fetch(library, Path(folder), new / library["name"])
            if error:
                return fail(*error)
        shutil.copyfile(PINS, new / "libraries.json")
        shutil.rmtree(LIBRARIES, ignore_errors=True)
        new.rename(LIBRARIES)
    return 0


def fetch(library, folder, destination):
    """Fetches the files of a library. Returns an error and its hint, or None."""
    package = f"{library['name']}@{library['version']}"
    # Scripts of a package are not run: `npm pack` of a published package only downloads it.
    ran = subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", package], cwd=folder, stdout=subprocess.PIPE, text=True)
    if ran.returncode:
        return f"npm could not fetch {package}", "check the network, and the registry in the configuration of npm"
    archive = folder / ran.stdout.split()[-1]
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode("ascii")
    if f"sha512-{digest}" != library["integrity"]:
        return f"the checksum of {package} is not the one in {PINS.name}", "the package is not used; look at where npm fetches packages from"
    with tarfile.open(archive) as tar:
        for name in library["files"]:
            path = destination / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tar.extractfile(f"package/{name}").read())
    return None


def fail(message, hint):
    print(f"error: {message}\nhint: {hint}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
