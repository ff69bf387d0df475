"""The card: `README.md`, for a reader who finds the dataset by chance."""

import shlex

from .escape import cell, markdown
from .publisher import LICENSES
from .queries import share
from .statements import MEANING, USE, bytes_text, citation, common_crawl, count, day, limitations, made_with, summary, texts

# More crawls are only in TABLES.md.
CRAWLS_MAX = 6
PERIOD = (" A period is a sequence of captures of a host with the same state; a crawl that did not capture the host neither ends nor extends it. "
          "A policy has the lines of a file that crawlers read.")


def card(dataset, publisher, prefix):
    """Returns the card. `prefix` is the path from its folder to the dataset, empty or with a slash at its end."""
    name = markdown(publisher.name)
    parts = [
        f"# {name}",
        markdown(summary(dataset)),
        MEANING,
        publisher.about,
        crawls(dataset),
        contents(dataset),
        "## What it can and cannot say",
        USE,
        "\n".join(f"- **{title}** {text}" for title, text in limitations(dataset)),
        example(dataset, prefix),
        opening(dataset, prefix),
        "## How it was made",
        markdown(" ".join(made_with(dataset))),
        "## Cite",
        markdown(citation(dataset, publisher)) + (f" <{publisher.url}>" if publisher.url else ""),
        "State the crawls, the crawler and the denominator with each figure. [CITATION.cff](CITATION.cff) has the citation for programs.",
        "## Licences",
        licenses(dataset, publisher),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def crawls(dataset):
    shown = dataset.crawls[-CRAWLS_MAX:]
    hidden = len(dataset.crawls) - len(shown)
    return "\n".join([
        "## Crawls", "", "A capture is a stored response to a request for a robots.txt file. A host counts once in each crawl, whatever its captures.", "",
        *crawl_rows(dataset, shown), *(["", f"[TABLES.md](TABLES.md#crawls) also has the {count(hidden, 'earlier crawl')}."] if hidden else [])])


def contents(dataset):
    files = [dataset.folder / file for table in dataset.tables.values() for file in table.files]
    size = sum(file.stat().st_size for file in files)
    return "\n".join([
        "## Tables", "",
        f"{count(len(dataset.tables), 'table')} with {count(dataset.rows_of_tables, 'row')}, in {count(len(files), 'Parquet file')} ({bytes_text(size)}). "
        f"[TABLES.md](TABLES.md) describes every column.{PERIOD if dataset.is_history else ''}", "",
        "| table | rows | content |", "|---|---:|---|",
        *(f"| `{table.name}` | {table.rows:,} | {cell(row_meaning(table.description))} |" for table in dataset.tables.values())])


def crawl_rows(dataset, shown):
    """Returns a table of crawls."""
    has_hosts, has_known = "hosts" in dataset.tables or dataset.is_history, "hosts" in dataset.tables
    names = ["crawl", *(["hosts", "registered domains"] if has_hosts else []), *(["hosts with a known verdict"] if has_known else []), "captures", "archives", "fetched"]
    rows = [["| " + " | ".join(names) + " |", "|---|" + "---:|" * (len(names) - 2) + "---|"]]
    for crawl in shown:
        numbers = [*([crawl.hosts, crawl.domains] if has_hosts else []), *([crawl.known_hosts] if has_known else []), crawl.captures]
        rows.append(["| " + " | ".join([markdown(crawl.name), *(f"{number:,}" for number in numbers), archives(crawl), fetched(crawl)]) + " |"])
    return [line for row in rows for line in row]


def archives(crawl):
    """Says how many archives were read, and of how many they are a sample. A list may have archives of several crawls, so it has no number for one."""
    return f"{crawl.archives_read:,} of {crawl.archives_listed:,}, at random" if crawl.is_sample else f"{crawl.archives_read:,}"


def fetched(crawl):
    if crawl.first is None:
        return "unknown"
    return day(crawl.first) if day(crawl.first) == day(crawl.last) else f"{day(crawl.first)} to {day(crawl.last)}"


def row_meaning(text):
    """Returns the meaning of one row from a description, which begins with it."""
    return text.split(". ")[0].split(": ")[0].rstrip(".")


def example(dataset, prefix):
    """Returns a query that reads the files without any views, or nothing if the tables of hosts are missing."""
    sql = share(dataset, prefix)
    if sql is None:
        return ""
    denominator = "`known_hosts` is the denominator" if dataset.is_history else "`hosts` and `domains` are the denominators"
    return f"## A share, computed\n\nHosts that disallow everything for GPTBot by name, in DuckDB, from the folder of this card; {denominator}. No row means that no host does:\n\n```sql\n{sql}```"


def opening(dataset, prefix):
    where = f" The dataset is in the folder {markdown(prefix.rstrip('/'))}." if prefix else ""
    place = shlex.quote(prefix.rstrip("/") or ".")
    views = shlex.quote(f"{prefix}views.sql")
    parts = " Its subfolders are the datasets that were joined, and `_joined` has the tables of hosts." if dataset.members else ""
    return "\n\n".join([
        "## Open and check",
        f"Any program that reads Parquet opens the tables, and [croissant.json](croissant.json) describes them for programs.{where}{parts} "
        f"With robots-scan, `robots-scan views {place}` writes `views.sql`, and `duckdb -init {views}` then has the research questions as macros: "
        "`FROM questions()`. Do not execute a `views.sql` of somebody else.",
        "`sha256sum -c SHA256SUMS` (on macOS `shasum -a 256 -c SHA256SUMS`) checks the files of the dataset and of this description. "
        f"`robots-scan verify {place}` also checks whether the tables agree, once `views.sql` is written. `robots-scan check {place} --host example.com` leads from a verdict "
        "to its line and its WARC record."])


def licenses(dataset, publisher):
    if publisher.license is None:
        tables = "The publisher has stated no licence for the tables: ask before you use them further."
    elif publisher.license in LICENSES:
        tables = f"The tables, as far as the publisher has rights in them: [{publisher.license}]({publisher.license_url})."
    else:
        tables = f"The tables, as far as the publisher has rights in them: <{publisher.license}>."
    terms = "Common Crawl's terms of use apply to what comes from its archives. " if common_crawl(dataset) else ""
    return f"{tables} {texts(dataset)} {terms}[LICENSES.md](LICENSES.md) has the details."
