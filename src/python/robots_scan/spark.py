"""Functions for columns and SQL in Spark.

The package must be installed on the executors, too; see "Python Package Management" in the documentation of PySpark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robots_scan import _native
from robots_scan._engines import arguments, missing_package, stored_body
from robots_scan._types import Dialect

try:
    import pyarrow
    import pyspark
except ModuleNotFoundError as error:
    raise missing_package(error, "spark", "pyspark", "pyarrow") from None
try:
    from pyspark.sql.functions import arrow_udf
except ImportError:
    raise ImportError(f"robots_scan.spark needs PySpark 4.1 or later, and this is {pyspark.__version__}") from None
from pyspark.sql.types import BinaryType, BooleanType, StringType

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

__all__ = ["register", "robots_allowed", "robots_body", "robots_preference", "robots_verdict"]


def register(spark: SparkSession) -> None:
    """Add the functions ``robots_allowed``, ``robots_preference``, ``robots_verdict`` and ``robots_body`` to the SQL of a
    session."""
    for function in (_allowed(None), _preference(None), _verdict(None), _body()):
        spark.udf.register(function.__name__, function)


def robots_allowed(
    robots_txt: Column | str,
    agent: Column | str,
    url: Column | str,
    dialect: Dialect | None = None,
    status: Column | str | None = None,
) -> Column:
    """Return a column: whether a crawler may fetch a URL, as :func:`robots_scan.robots_allowed` answers.

    The result is a boolean; null gives null. Parameters are columns of strings or binaries, or names of columns. A
    constant is ``pyspark.sql.functions.lit("GPTBot")``. ``status`` is a column of status codes.

    ``robots_txt`` may be the column ``body`` of a dataset, but a body that is not UTF-8 has escapes there:
    :func:`robots_body` returns its bytes.
    """
    return _allowed(dialect)(robots_txt, agent, url, *_optional(status))


def robots_preference(
    robots_txt: Column | str,
    agent: Column | str,
    url: Column | str,
    category: Column | str,
    fetch_time: Column | str,
    dialect: Dialect | None = None,
    status: Column | str | None = None,
) -> Column:
    """Return a column: the preference of a site about one use of a URL, as :func:`robots_scan.robots_preference` answers.

    The result is a string. The parameters are those of :func:`robots_allowed`; ``category`` is ``lit("training")``, and
    ``fetch_time`` a string, such as ``col("fetch_time").cast("string")``.
    """
    return _preference(dialect)(robots_txt, agent, url, category, fetch_time, *_optional(status))


def robots_verdict(
    robots_txt: Column | str,
    agent: Column | str,
    dialect: Dialect | None = None,
    status: Column | str | None = None,
) -> Column:
    """Return a column: the verdict for a crawler on the whole site, as :func:`robots_scan.robots_verdict` answers.

    The result is a string. The parameters are those of :func:`robots_allowed`.
    """
    return _verdict(dialect)(robots_txt, agent, *_optional(status))


def robots_body(body: Column | str = "body", is_valid_utf8: Column | str = "is_valid_utf8") -> Column:
    """Return a column: the bytes of a robots.txt file in a dataset, from two columns of ``robots_files``.

    It is null for the page of an error or a redirect, because ``is_valid_utf8`` is.
    """
    return _body()(body, is_valid_utf8)


# Functions are made for each use, because a function belongs to the session in which it was first used. An unknown dialect
# is an error on the driver, not in a task. Spark takes the kind of a function from its annotations.


def _allowed(dialect: Dialect | None) -> Any:
    _native.robots_allowed(None, None, None, dialect)

    def robots_allowed(*columns: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(_native.robots_allowed(*arguments(columns, 3, dialect)))

    return arrow_udf(robots_allowed, BooleanType())


def _preference(dialect: Dialect | None) -> Any:
    _native.robots_preference(None, None, None, None, None, dialect)

    def robots_preference(*columns: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(_native.robots_preference(*arguments(columns, 5, dialect)))

    return arrow_udf(robots_preference, StringType())


def _verdict(dialect: Dialect | None) -> Any:
    _native.robots_verdict(None, None, dialect)

    def robots_verdict(*columns: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(_native.robots_verdict(*arguments(columns, 2, dialect)))

    return arrow_udf(robots_verdict, StringType())


def _optional(status: Column | str | None) -> list[Column | str]:
    return [] if status is None else [status]


def _body() -> Any:
    def robots_body(body: pyarrow.Array, is_valid_utf8: pyarrow.Array) -> pyarrow.Array:
        rows = zip(body.to_pylist(), is_valid_utf8.to_pylist(), strict=True)
        return pyarrow.array([stored_body(*row) for row in rows], pyarrow.binary())

    return arrow_udf(robots_body, BinaryType())
