"""What the modules for other libraries share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from robots_scan._errors import UsageError
from robots_scan._types import Dialect

_ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|\\)")


def missing_package(error: ModuleNotFoundError, module: str, *packages: str) -> ModuleNotFoundError:
    """Return the exception for a module that needs a package that is not installed.

    ``packages`` are those to install. Another package that is missing is an error of one of them, which is returned.
    """
    if error.name not in packages:
        return error
    text = f"robots_scan.{module} needs the package '{error.name}' (hint: pip install {' '.join(packages)})"
    return ModuleNotFoundError(text, name=error.name)


def arguments(columns: Sequence[Any], count: int, dialect: Dialect | None = None) -> tuple[Any, ...]:
    """Return the arguments of a function from those of a call in SQL: ``count`` columns, and perhaps one of status codes."""
    if len(columns) not in (count, count + 1):
        raise UsageError(f"{count} arguments are expected, and perhaps a status, and these are {len(columns)}", "usage")
    return (*columns[:count], dialect, *columns[count:])


def stored_body(body: str | None, is_valid_utf8: bool | None) -> bytes | None:
    """Return the bytes of a value of the column ``body``, which depends on the column ``is_valid_utf8`` of its row.

    In a body that is not UTF-8, ``\\`` is written as ``\\\\`` and each invalid byte as ``\\xHH``. A backslash that this
    cannot have written is kept.
    """
    if body is None or is_valid_utf8 is None:
        return None
    text = body.encode()
    return text if is_valid_utf8 else _ESCAPE.sub(_unescaped, text)


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return b"\\" if escape[1] is None else bytes.fromhex(escape[1].decode())
