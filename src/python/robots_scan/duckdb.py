"""Functions for SQL in DuckDB.

>>> import duckdb, robots_scan.duckdb
>>> connection = duckdb.connect()
>>> robots_scan.duckdb.register(connection)
>>> connection.sql("SELECT robots_allowed(E'User-agent: *\\nDisallow: /x', 'GPTBot', 'https://example.com/x') AS a").fetchall()
[(False,)]
"""

from __future__ import annotations

from robots_scan._engines import arguments, missing_package, stored_body
from robots_scan._native import robots_allowed, robots_preference, robots_verdict

try:
    import duckdb
except ModuleNotFoundError as error:
    raise missing_package(error, "duckdb", "duckdb", "numpy") from None

__all__ = ["register"]


def register(connection: duckdb.DuckDBPyConnection | None = None) -> None:
    """Add functions to a connection to DuckDB. They exist until the database is closed, for all its connections.

    ``connection`` is that of ``duckdb.sql`` unless it is given. If the functions exist, nothing happens.

    ``robots_allowed(robots_txt, agent, url)`` is a BOOLEAN: whether a crawler may fetch a URL.

    ``robots_verdict(robots_txt, agent)`` is the verdict on the whole site, as of :meth:`robots_scan.RobotsTxt.verdict`.

    ``robots_preference(robots_txt, agent, url, category, fetch_time)`` is the preference of the site about one use of a URL by a
    crawler, as of :meth:`robots_scan.RobotsTxt.preference`. ``fetch_time`` is text: ``fetch_time::VARCHAR`` of a dataset.

    ``robots_body(body, is_valid_utf8)`` is a BLOB: the bytes of a robots.txt file in a dataset, from two columns of
    ``robots_files``. A body that is not UTF-8 is stored with escapes, so without this function rules with such bytes
    are compared in another form. It is null for the page of an error or a redirect, because ``is_valid_utf8`` is.

    They answer as :func:`robots_scan.robots_allowed` does. Null gives null. Parameters are VARCHAR or BLOB: a body that
    is not UTF-8 is a BLOB only, and DuckDB has no cast from one to the other that keeps all bytes. The first three take a
    status code, of type BIGINT, as one more argument.

    DuckDB needs NumPy for functions in Python. If pyarrow can be imported, it passes thousands of rows at once, which is
    several times as fast, and several threads run at once.
    """
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_package(error, "duckdb", "duckdb", "numpy") from None
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        functions, kind = _OF_ROW, "native"
    else:
        functions, kind = _OF_ROWS, "arrow"
    if connection is None:
        connection = duckdb.default_connection()
    for name, function in functions.items():
        _create(connection, name, function, None, _RETURNED[name], kind)
    _create(connection, "robots_body", stored_body, ["VARCHAR", "BOOLEAN"], "BLOB", "native")


def _create(connection, name, function, parameters, returned, kind):  # type: ignore[no-untyped-def]
    """Create a function, unless it exists: other connections may be using it.

    Without ``parameters``, they are of any number and type. Nulls are passed: a body may be null beside a status.
    """
    try:
        connection.create_function(name, function, parameters, returned, type=kind, null_handling="special")
    except (duckdb.NotImplementedException, duckdb.CatalogException) as error:
        # The first is for a function of the same connection, the second for one of another connection.
        if "already" not in str(error):
            raise


def _of_rows(function, count):  # type: ignore[no-untyped-def]
    # DuckDB takes the types of parameters from annotations. There are none, so that text, bytes and numbers are accepted.
    def answer(*columns):  # type: ignore[no-untyped-def]
        return function(*arguments(columns, count))

    return answer


def _of_row(function, count):  # type: ignore[no-untyped-def]
    def answer(*values):  # type: ignore[no-untyped-def]
        return function(*arguments(values, count)).to_pylist()[0]

    return answer


_RETURNED = {"robots_allowed": "BOOLEAN", "robots_preference": "VARCHAR", "robots_verdict": "VARCHAR"}

# DuckDB does not keep functions alive when the cursor that created them is closed.
_COUNTS = [(robots_allowed, 3), (robots_preference, 5), (robots_verdict, 2)]
_OF_ROWS = {function.__name__: _of_rows(function, count) for function, count in _COUNTS}
_OF_ROW = {function.__name__: _of_row(function, count) for function, count in _COUNTS}
