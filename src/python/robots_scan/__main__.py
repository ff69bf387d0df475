"""The command ``robots-scan``."""

import importlib
import shlex
import sys

from robots_scan import _native

DUCKDB = "duckdb>=1.4"
NEEDED = {"report": (DUCKDB, "Jinja2>=3.1", "vl-convert-python>=1.9"), "site": (DUCKDB,), "describe": (DUCKDB,)}
"""The commands in Python and the packages that they need: those of the extra ``report``. This package is on no registry, so the extra
cannot be installed by its name."""


def main() -> int:
    """Run the command line of this process. Returns the exit code."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] in NEEDED:
        return run(arguments[0], arguments[1:])
    return _native.main(["robots-scan", *arguments])


def run(command: str, arguments: list[str]) -> int:
    """Run a command in Python. Returns the exit code."""
    try:
        # Libraries are loaded here, which takes a moment.
        module = importlib.import_module(f"robots_scan.{command}.__main__")
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("robots_scan"):
            raise
        print(f"error: {command} needs the package '{error.name}'", file=sys.stderr)
        print(f"hint: pip install {' '.join(map(shlex.quote, NEEDED[command]))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted; nothing was written", file=sys.stderr)
        return 3
    code: int = module.main(arguments)
    return code


if __name__ == "__main__":
    sys.exit(main())
