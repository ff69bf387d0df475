"""Types of parameters."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

Dialect: TypeAlias = Literal["default", "google", "rfc9309", "koster1996"]
"""A reading of the protocol. ``"default"`` is the same as ``None``."""


class ArrowStream(Protocol):
    """A table of any library that exports Arrow streams."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
