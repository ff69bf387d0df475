"""Exceptions."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robots_scan.summaries import ScanSummary

_QUOTED_OPTIONS = re.compile(r"'(-[^']*)'")
_OPTION = re.compile(r"(?<![^\s'(])--([a-z][a-z-]*)(?: <[^>]*>)?")


class Error(Exception):
    """An error of robots-scan: a message, with its kind and place.

    ``kind`` is a name such as ``"read"`` or ``"output_exists"``, ``path`` the file or folder that the error is
    about, if there is one, and ``hint`` advice, if there is any.
    """

    def __init__(self, message: str, kind: str, path: str | os.PathLike[str] | None = None, hint: str | None = None):
        message, hint = _with_keywords(message), hint and _with_keywords(hint)
        super().__init__(message, kind, path, hint)
        self.kind = kind
        self.path = None if path is None else os.fspath(path)
        self.hint = hint

    def __str__(self) -> str:
        message = str(self.args[0])
        return message if self.hint is None else f"{message} (hint: {self.hint})"


def _with_keywords(text: str) -> str:
    """Return a text in which options are named as keywords: ``'--body-limit <SIZE>'`` is ``'body_limit'``, and
    ``'-o x/ --overwrite'`` is ``'output x/ overwrite'``."""

    def keyword(option: re.Match[str]) -> str:
        return option[1].replace("-", "_")

    def keywords(quoted: re.Match[str]) -> str:
        return "'" + _OPTION.sub(keyword, quoted[1]).replace("-o ", "output ") + "'"

    text = text.replace("another -o", "another 'output'")
    text = _QUOTED_OPTIONS.sub(keywords, text)
    return _OPTION.sub(lambda option: f"'{keyword(option)}'", text)


class UsageError(Error, ValueError):
    """An argument is wrong. Nothing was read or written."""


class StoppedError(Error):
    """A command stopped after it had begun. ``scan`` and ``join`` continue when they are called again, ``scan`` with
    ``resume=True``.

    ``summary`` is what was done, if the command could say so.
    """

    summary: ScanSummary | None = None


# Messages and documentation name the classes as users import them.
for _class in (Error, UsageError, StoppedError):
    _class.__module__ = "robots_scan"
