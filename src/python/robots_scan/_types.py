"""Types of parameters."""

from __future__ import annotations

from typing import Literal, TypeAlias

Dialect: TypeAlias = Literal["default", "google", "rfc9309", "koster1996"]
"""A reading of the protocol. ``"default"`` is the same as ``None``."""
