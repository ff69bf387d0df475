"""Expressions for Polars.

>>> import polars, robots_scan.polars
>>> table = polars.DataFrame({"body": ["User-agent: *\\nDisallow: /x"], "url": ["https://example.com/x"]})
>>> table.select(robots_scan.polars.robots_allowed("body", polars.lit("GPTBot"), "url")).item()
False
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from robots_scan import _native
from robots_scan._engines import missing_package, stored_body
from robots_scan._errors import Error
from robots_scan._types import Dialect

try:
    import polars as pl
except ModuleNotFoundError as error:
    raise missing_package(error, "polars", "polars") from None

__all__ = ["robots_allowed", "robots_body", "robots_preference", "robots_verdict"]

IntoExpr = pl.Expr | pl.Series | str | bytes | int | None
"""An expression, the name of a column, or a constant. As elsewhere in Polars, text is a name: a constant text is
``polars.lit("GPTBot")``."""


def robots_allowed(
    robots_txt: IntoExpr, agent: IntoExpr, url: IntoExpr, dialect: Dialect | None = None, status: IntoExpr = None
) -> pl.Expr:
    """Return an expression: whether a crawler may fetch a URL, as :func:`robots_scan.robots_allowed` answers.

    The result is a Boolean with the name ``robots_allowed``; null gives null. Parameters are of type String or Binary.
    A text is the name of a column, and ``polars.lit("GPTBot")`` a constant. ``status`` is a column of status codes.

    ``robots_txt`` may be the column ``body`` of a dataset, but a body that is not UTF-8 has escapes there:
    :func:`robots_body` returns its bytes.
    """
    return _function(_native.robots_allowed, [robots_txt, agent, url], dialect, status, pl.Boolean)


def robots_preference(
    robots_txt: IntoExpr,
    agent: IntoExpr,
    url: IntoExpr,
    category: IntoExpr,
    fetch_time: IntoExpr,
    dialect: Dialect | None = None,
    status: IntoExpr = None,
) -> pl.Expr:
    """Return an expression: the preference of a site about one use of a URL, as :func:`robots_scan.robots_preference` answers.

    The result is a String with the name ``robots_preference``. The parameters are those of :func:`robots_allowed`;
    ``category`` is ``polars.lit("training")``, and ``fetch_time`` is text, such as ``polars.col("fetch_time").cast(str)``.
    """
    parameters = [robots_txt, agent, url, category, fetch_time]
    return _function(_native.robots_preference, parameters, dialect, status, pl.String)


def robots_verdict(
    robots_txt: IntoExpr, agent: IntoExpr, dialect: Dialect | None = None, status: IntoExpr = None
) -> pl.Expr:
    """Return an expression: the verdict for a crawler on the whole site, as :func:`robots_scan.robots_verdict` answers.

    The result is a String with the name ``robots_verdict``. The parameters are those of :func:`robots_allowed`.
    """
    return _function(_native.robots_verdict, [robots_txt, agent], dialect, status, pl.String)


def robots_body(body: IntoExpr = "body", is_valid_utf8: pl.Expr | pl.Series | str | bool = "is_valid_utf8") -> pl.Expr:
    """Return an expression: the bytes of a robots.txt file in a dataset, from two columns of ``robots_files``.

    The result is a Binary with the name ``robots_body``. It is null for the page of an error or a redirect, because
    ``is_valid_utf8`` is.
    """
    body, is_valid = _expression(body), _expression(is_valid_utf8)
    # Few bodies have escapes. Python reads only those.
    escaped = pl.when(~is_valid).then(body).map_batches(_unescaped, return_dtype=pl.Binary, is_elementwise=True)
    return pl.when(is_valid).then(body.cast(pl.Binary)).otherwise(escaped).alias("robots_body")


def _function(
    function: Callable[..., _native.Column],
    parameters: list[IntoExpr],
    dialect: Dialect | None,
    status: IntoExpr,
    returned: Any,
) -> pl.Expr:
    # An unknown dialect is an error here, not when the expression is evaluated.
    function(*[None] * len(parameters), dialect)

    def answer(columns: Sequence[pl.Series]) -> pl.Series:
        *values, status = _broadcast(columns)
        try:
            return pl.Series("", function(*values, dialect, status))
        except Error as error:
            # Polars makes exceptions again from their text.
            raise pl.exceptions.ComputeError(str(error)) from None

    expressions = [_expression(parameter) for parameter in [*parameters, status]]
    answers = pl.map_batches(expressions, answer, return_dtype=returned, is_elementwise=True)
    return answers.alias(function.__name__)


def _expression(value: Any) -> pl.Expr:
    if isinstance(value, pl.Expr):
        return value
    return pl.col(value) if isinstance(value, str) else pl.lit(value)


def _broadcast(columns: Sequence[pl.Series]) -> list[Any]:
    """Return the columns, with a constant for those of one row, whose value all rows have."""
    return [column.item() if len(column) == 1 else column for column in columns]


def _unescaped(bodies: pl.Series) -> pl.Series:
    return pl.Series(bodies.name, [stored_body(body, False) for body in bodies], pl.Binary)
