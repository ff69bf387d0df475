"""Opens datasets in DuckDB."""

from pathlib import Path

import duckdb


def opened(dataset):
    """A connection with the views and macros of a dataset."""
    connection = duckdb.connect()
    connection.execute((Path(dataset) / "views.sql").read_text(encoding="utf-8"))
    return connection


def number_domains(con):
    """Fills the column domain_id of hosts."""
    con.execute("UPDATE hosts SET domain_id = d.first FROM (SELECT crawl, domain, min(host_id) AS first FROM hosts GROUP BY crawl, domain HAVING count(*) > 1) d "
                "WHERE d.crawl = hosts.crawl AND d.domain = hosts.domain")
