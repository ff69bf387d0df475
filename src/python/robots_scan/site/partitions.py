"""Writes a table as many small Parquet files, so that a lookup reads the end of one file and one or two row groups.

A file has the rows of a range of hosts or crawlers. Its address is a number, so that a server learns the range and not the name. Gzip is
the compression that the pages can read without WebAssembly, which a strict content security policy forbids.
"""

import struct

from ..report.tables import literal

# Rows of a row group: the least that DuckDB writes.
ROW_GROUP_ROWS = 2_048
# A file has this many hosts or more, and there are not many more files than this.
HOSTS_MIN, FILES = 2_048, 512
# A file has this many crawlers.
AGENTS = 32
# The end of a Parquet file: the length of the footer, and the magic number.
FOOTER = struct.Struct("<I4s")


def first_values(source, table, key, unit):
    """Returns the first value of each file, if a file has the rows of `unit` values of a key."""
    return [row["value"] for row in source.rows(f"""SELECT k.value FROM (
        SELECT d.value, row_number() OVER (ORDER BY d.value) AS number FROM (SELECT DISTINCT t.{key} AS value FROM site.{table} t) d) k
        WHERE (k.number - 1) % {unit} = 0 ORDER BY k.value""")]


def write_parts(source, table, key, columns, firsts, step):
    """Writes `data/<table>/<number>.parquet`. Returns the bytes of each file and of its footer."""
    folder = source.output / "data" / table
    folder.mkdir()
    sizes = []
    for number, first in enumerate(firsts):
        step(number)
        until = f"AND t.{key} < {literal(firsts[number + 1])}" if number + 1 < len(firsts) else ""
        path = folder / f"{number:04}.parquet"
        source.rows(f"""COPY (SELECT {columns} FROM site.{table} t WHERE t.{key} >= {literal(first)} {until}) TO {literal(str(path))}
            (FORMAT parquet, COMPRESSION gzip, ROW_GROUP_SIZE {ROW_GROUP_ROWS})""")
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(-FOOTER.size, 2)
            footer, _ = FOOTER.unpack(file.read())
        sizes.append([size, footer + FOOTER.size])
    return sizes
