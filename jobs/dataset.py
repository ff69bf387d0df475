"""Opens datasets in DuckDB."""

from pathlib import Path

import duckdb


def opened(dataset):
    """A connection with the views and macros of a dataset."""
    connection = duckdb.connect()
    connection.execute((Path(dataset) / "views.sql").read_text(encoding="utf-8"))
    return connection
