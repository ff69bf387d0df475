"""The command ``robots-scan``."""

import shlex
import sys

from robots_scan import _native

NEEDED_BY_REPORT = ("duckdb>=1.4", "Jinja2>=3.1", "vl-convert-python>=1.9")
"""The packages of the extra ``report``. This package is on no registry, so the extra cannot be installed by its name."""


def main() -> int:
    """Run the command line of this process. Returns the exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["report"]:
        return report(arguments[1:])
    if arguments[:1] == ["site"]:
        return site(arguments[1:])
    return _native.main(["robots-scan", *arguments])


def report(arguments: list[str]) -> int:
    """Run ``robots-scan report``. Returns the exit code."""
    try:
        from robots_scan.report.__main__ import main as run
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("robots_scan"):
            raise
        print(f"error: the report needs the package '{error.name}'", file=sys.stderr)
        print(f"hint: pip install {' '.join(map(shlex.quote, NEEDED_BY_REPORT))}", file=sys.stderr)
        return 2
    return run(arguments)


def site(arguments: list[str]) -> int:
    """Run ``robots-scan site``. Returns the exit code."""
    try:
        from robots_scan.site.__main__ import main as run
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("robots_scan"):
            raise
        print(f"error: the site needs the package '{error.name}'", file=sys.stderr)
        print(f"hint: pip install {shlex.quote(NEEDED_BY_REPORT[0])}", file=sys.stderr)
        return 2
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
