"""Compares streams of tables with the views of a dataset of the same archives.

usage: test_streams.py DATASET ARCHIVE… [--relative-to FOLDER]

DATASET is a scan of the archives in the same order. For each table that comes from single records, `robots_scan.read`
must give the rows of the view, in its columns that are stored; and `robots_scan.select_sql` over the stream all its columns.
"""

import argparse
import logging
import sys

import duckdb

import robots_scan

TABLES = [
    "robots_files", "groups", "rules", "sitemaps", "directives", "preferences", "anomalies", "verdicts", "faults",
]  # fmt: skip


def differences(con: duckdb.DuckDBPyConnection, left: str, right: str) -> int:
    """Return the number of rows that only one of two queries has, with their repetitions."""
    sides = (f"({left}) EXCEPT ALL ({right})", f"({right}) EXCEPT ALL ({left})")
    return sum(con.execute(f"SELECT count(*) FROM ({side})").fetchall()[0][0] for side in sides)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--relative-to")
    args = parser.parse_args()
    # Damaged samples are compared, too.
    logging.getLogger("robots_scan").setLevel(logging.CRITICAL)
    con = duckdb.connect()
    con.execute(open(f"{args.dataset}/views.sql", encoding="utf-8").read())
    passed = failed = 0
    for table in TABLES:
        stream = robots_scan.read(args.archives, table, relative_to=args.relative_to)
        columns = ", ".join(stream.columns)
        con.register("stream", stream)
        # The view has rows in the order of files; a stream has them in the order of archives.
        checks = {
            "stored columns": (f"SELECT {columns} FROM {table}", f"SELECT {columns} FROM stream"),
            "columns of the view": (f"FROM {table}", robots_scan.select_sql(table, "stream")),
        }
        rows = con.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
        for name, (view, of_stream) in checks.items():
            found = differences(con, view, of_stream)
            if found or not rows:
                failed += 1
                print(f"{table}: {name}: {found} of {rows} rows differ", file=sys.stderr)
            else:
                passed += 1
        con.unregister("stream")
        print(f"{table}: {rows} rows")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
