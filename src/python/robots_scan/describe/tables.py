"""`TABLES.md`: every column of every table, and all crawls."""

from .card import crawl_rows
from .escape import cell, markdown
from .keys import key_of
from .statements import count


def tables(dataset, publisher):
    """Returns the text."""
    parts = [
        f"# Tables of {markdown(publisher.name)}",
        "Columns that no file has are computed by the views, which `robots-scan views` writes. "
        + ("Files have no partitions." if dataset.is_history else "Columns in the path are parts of the names of folders, such as `crawl=…`.")
        + " Times are in UTC. Names, such as `agent`, are lower case.",
        "## Crawls", "\n".join(crawl_rows(dataset, dataset.crawls)),
        *(section(table) for table in dataset.tables.values())]
    return "\n\n".join(parts) + "\n"


def section(table):
    key = key_of(table)
    of_key = f" The key is {', '.join(f'`{name}`' for name in key)}." if key else ""
    rows = [f"| `{column.name}` | {column.type} | {place(column)} | {cell(column.description)} |" for column in table.columns]
    return "\n".join([
        f"## {table.name}", "", f"{cell(table.description)}{of_key} {count(table.rows, 'row')}.", "", "| column | type | null | meaning |", "|---|---|---|---|", *rows])


def place(column):
    """Says whether a column may be null, or where it is if it is not in files."""
    if column.is_partition:
        return "in the path"
    return {None: "computed", True: "yes", False: "no"}[column.is_nullable]
