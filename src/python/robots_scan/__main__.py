"""The command ``robots-scan``."""

import importlib
import importlib.metadata
import re
import shlex
import sys

from robots_scan import _native

COMMANDS = ("report", "site", "describe")
"""The commands in Python. The packages that each of them needs are those of the extra of its name."""


def main() -> int:
    """Run the command line of this process. Returns the exit code."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] in COMMANDS:
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
        print(f"hint: pip install {' '.join(map(shlex.quote, needed(command)))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted; nothing was written", file=sys.stderr)
        return 3
    code: int = module.main(arguments)
    return code


def needed(extra: str) -> list[str]:
    """Return the packages of an extra, with their versions."""
    requirements = importlib.metadata.requires("robots-scan") or []
    return [requirement.split(";")[0].strip() for requirement in requirements if re.search(f"extra *== *['\"]{extra}['\"]", requirement)]


if __name__ == "__main__":
    sys.exit(main())
