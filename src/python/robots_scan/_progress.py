"""The progress of a command, in terminals and notebooks."""

from __future__ import annotations

import logging
import sys
from types import TracebackType

LOGGER = logging.getLogger("robots_scan")

_LEVELS = {"error": logging.ERROR, "warning": logging.WARNING, "hint": logging.WARNING}

_BAR_COLUMNS = 20

_COLUMNS = 79


class Progress:
    """A line on standard error that is updated in place. Messages of the command are logged, above the line.

    ``is_shown`` is true, false, or ``None``: then the line is shown in terminals and notebooks.
    """

    def __init__(self, is_shown: bool | None):
        self.is_shown = _is_interactive() if is_shown is None else is_shown
        self._text = ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("")

    def update(self, done: float | None, pieces: list[str], messages: list[tuple[str, str]]) -> None:
        """Show progress: the share that is done, texts about it, and new messages with their levels."""
        if messages:
            self._write("")
            for level, text in messages:
                LOGGER.log(_LEVELS[level], "hint: %s" if level == "hint" else "%s", text)
        if pieces:
            self._write(_line(done, pieces))

    def _write(self, text: str) -> None:
        if not self.is_shown or text == self._text:
            return
        # What remains of a longer line is overwritten.
        padding = " " * (len(self._text) - len(text))
        try:
            sys.stderr.write(f"\r{text}{padding}" if text else f"\r{padding}\r")
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):
            # There is no standard error, or it was closed.
            self.is_shown = False
        self._text = text


def _line(done: float | None, pieces: list[str]) -> str:
    texts = [] if done is None else [_bar(done)]
    length = len("".join(texts))
    for piece in pieces:
        length += 2 + len(piece)
        if length > _COLUMNS:
            break
        texts.append(piece)
    return "  ".join(texts)[:_COLUMNS]


def _bar(done: float) -> str:
    filled = round(done * _BAR_COLUMNS)
    full, empty = "█░"
    try:
        (full + empty).encode(getattr(sys.stderr, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        full, empty = "#."
    return full * filled + empty * (_BAR_COLUMNS - filled)


def _is_interactive() -> bool:
    """Return true in a terminal, and in a notebook, whose standard error is no terminal."""
    if "ipykernel" in type(sys.stderr).__module__:
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        # There is no standard error, or it was closed.
        return False
