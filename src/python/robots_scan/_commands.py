"""The commands as functions. Their options are those of the command line: ``--body-limit`` is ``body_limit``."""

from __future__ import annotations

import csv
import datetime
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, cast

from robots_scan import _native
from robots_scan._errors import StoppedError, UsageError
from robots_scan._progress import Progress
from robots_scan._types import ArrowStream, Dialect
from robots_scan.summaries import (
    HistorySummary,
    JoinSummary,
    MatchSummary,
    ScanSummary,
    VerifyReport,
)

Path = str | os.PathLike[str]
Paths = Path | Iterable[Path]
Size = int | str
"""Bytes, or a text with a unit, such as ``"16MiB"``."""


def scan(
    inputs: Paths,
    output: Path,
    *,
    paths: Path | None = None,
    base: str | None = None,
    crawl: str | None = None,
    subset: str | None = None,
    name: str | None = None,
    relative_to: Path | None = None,
    missing: str | None = None,
    tables: str | Iterable[str] | None = None,
    threads: int | None = None,
    shard: str | None = None,
    sample: int | None = None,
    seed: int | None = None,
    first_input: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    agents: Path | None = None,
    body_limit: Size | None = None,
    max_body_bytes: Size | None = None,
    part_inputs: int | None = None,
    rate: float | str | None = None,
    connections: int | None = None,
    patience: str | None = None,
    ca: Path | None = None,
    no_sign_request: bool = False,
    with_bodies: bool = False,
    with_record_ids: bool = False,
    verify_digests: bool = False,
    progress: bool | None = None,
) -> ScanSummary:
    """Read archives and write a dataset, as ``robots-scan scan`` does. Return the summary.

    ``inputs`` are archives: files, folders, globs and URLs. With ``paths``, a list of archives, they may be empty. An
    option that is ``None`` has the default of the command; ``robots-scan scan --help`` describes all options.
    ``progress`` is shown in terminals and notebooks, unless it is given.

    Damaged places are counted in ``summary["faults"]`` and listed in the table ``faults``. An archive that cannot be read
    is an error, raised at the end.

    Raises :class:`robots_scan.UsageError` for wrong arguments, :class:`robots_scan.StoppedError` if the run stopped, and
    :class:`robots_scan.Error` otherwise.
    """
    arguments = _options(locals(), exclude=("inputs", "output", "progress"))
    arguments += [f"--output={os.fspath(output)}", "--", *_paths(inputs)]
    return _check_inputs(_run("scan", arguments, progress), output)


def records(
    lists: Paths,
    output: Path,
    *,
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    crawl: str | None = None,
    subset: str | None = None,
    missing: str | None = None,
    tables: str | Iterable[str] | None = None,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    agents: Path | None = None,
    body_limit: Size | None = None,
    max_body_bytes: Size | None = None,
    rate: float | str | None = None,
    connections: int | None = None,
    patience: str | None = None,
    ca: Path | None = None,
    no_sign_request: bool = False,
    with_bodies: bool = False,
    with_record_ids: bool = False,
    verify_digests: bool = False,
    progress: bool | None = None,
) -> ScanSummary:
    """Read single records of archives and write a dataset, as ``robots-scan records`` does. Return the summary.

    ``lists`` are tables with the archive, the offset and the length of each record; ``columns`` gives the names of their
    columns, such as ``{"archive": "file"}``. Errors are those of :func:`scan`.
    """
    arguments = _options(locals(), exclude=("lists", "output", "progress"))
    arguments += [f"--output={os.fspath(output)}", "--", *_paths(lists)]
    return _check_inputs(_run("records", arguments, progress), output)


def bodies(
    body_tables: Paths | ArrowStream,
    output: Path,
    *,
    columns: Mapping[str, str] | None = None,
    crawl: str | None = None,
    tables: str | Iterable[str] | None = None,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    agents: Path | None = None,
    body_limit: Size | None = None,
    max_body_bytes: Size | None = None,
    with_bodies: bool = False,
    progress: bool | None = None,
) -> ScanSummary:
    """Read tables with a URL and a body in each row and write a dataset, as ``robots-scan bodies`` does. Return the summary.

    ``body_tables`` are files, or a table of any library that exports Arrow streams, such as a data frame of Polars or a
    relation of DuckDB. Such a table is first written to a temporary file, and has the name ``stream.parquet``.
    ``columns`` gives the names of columns, such as ``{"url": "site", "body": "text"}``. Errors are those of :func:`scan`.
    """
    arguments = _options(locals(), exclude=("body_tables", "output", "progress"))
    arguments += [f"--output={os.fspath(output)}", "--"]
    if not hasattr(body_tables, "__arrow_c_stream__"):
        return _check_inputs(_run("bodies", [*arguments, *_paths(body_tables)], progress), output)
    with tempfile.TemporaryDirectory(prefix="robots-scan-") as folder:
        path = _write_stream(cast(ArrowStream, body_tables), folder)
        return _check_inputs(_run("bodies", [*arguments, path], progress), output)


def match(
    dataset: Path,
    agent: str | Iterable[str],
    urls: Path | Iterable[str] | ArrowStream,
    output: Path,
    *,
    columns: Mapping[str, str] | None = None,
    any_name: bool = False,
    any_origin: bool = False,
    dialect: Dialect | None = None,
    category: str | None = None,
    at: str | datetime.datetime | datetime.date | None = None,
    crawl: str | Iterable[str] | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    agents: Path | None = None,
    overwrite: bool = False,
    progress: bool | None = None,
) -> MatchSummary:
    """Decide for a list of URLs whether crawlers may fetch them, as ``robots-scan match`` does. Return the summary.

    With a ``category`` such as ``training``, the output also has the preference of the site about that use of each URL.
    ``urls`` is a file: text, CSV, JSON lines, CDXJ or Parquet, or a folder of Parquet files; or URLs, such as a list; or a table
    of any library that exports Arrow streams. A ``str`` is the name of a file. ``columns`` gives the names of columns, such
    as ``{"url": "page", "time": "crawled"}``. ``agent`` is the name of a crawler, or several names; a User-Agent header is an
    error, and so is a crawler that is not in the registry, unless ``any_name``. ``output`` is Parquet, or CSV if its name
    ends in ``.csv``. Over a history, the output says for each URL with a time whether it was allowed then, when it was
    first disallowed after that, and whether it is allowed now. ``robots-scan match --help`` describes all options.
    """
    arguments = _options(locals(), exclude=("dataset", "agent", "urls", "output", "crawl", "progress"))
    arguments += [f"--agent={name}" for name in _agents(agent)]
    arguments += [f"--crawl={name}" for name in _texts(crawl or ())]
    arguments += [f"--output={os.fspath(output)}"]
    if isinstance(urls, (str, os.PathLike)):
        return cast(MatchSummary, _run("match", [*arguments, f"--urls={os.fspath(urls)}", "--", os.fspath(dataset)], progress))
    with tempfile.TemporaryDirectory(prefix="robots-scan-") as folder:
        path = _write_stream(cast(ArrowStream, urls), folder) if hasattr(urls, "__arrow_c_stream__") else _write_urls(urls, folder)
        return cast(MatchSummary, _run("match", [*arguments, f"--urls={path}", "--", os.fspath(dataset)], progress))


def join(
    folder: Path,
    *,
    mixed: bool = False,
    threads: int | None = None,
    memory: Size | None = None,
    progress: bool | None = None,
) -> JoinSummary:
    """Make the datasets in the subfolders of a folder one dataset, as ``robots-scan join`` does. Return the summary."""
    arguments = _options(locals(), exclude=("folder", "progress"))
    return cast(JoinSummary, _run("join", [*arguments, "--", os.fspath(folder)], progress))


def history(
    inputs: Paths,
    output: Path,
    *,
    replace: bool = False,
    forget: Path | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    memory: Size | None = None,
    progress: bool | None = None,
) -> HistorySummary:
    """Make one dataset of many crawls, as ``robots-scan history`` does. Return the summary.

    ``inputs`` are datasets of whole crawls, joined folders and earlier histories.
    """
    arguments = _options(locals(), exclude=("inputs", "output", "progress"))
    arguments += [f"--output={os.fspath(output)}", "--", *_paths(inputs)]
    return cast(HistorySummary, _run("history", arguments, progress))


def verify(dataset: Path, *, threads: int | None = None, progress: bool | None = None) -> VerifyReport:
    """Check whether a dataset is complete and unchanged, as ``robots-scan verify`` does. Return the report.

    ``report["findings"]`` is empty if no problem was found.
    """
    arguments = _options(locals(), exclude=("dataset", "progress"))
    return cast(VerifyReport, _run("verify", [*arguments, "--", os.fspath(dataset)], progress))


def read(
    inputs: Paths,
    table: str,
    *,
    paths: Path | None = None,
    base: str | None = None,
    crawl: str | None = None,
    subset: str | None = None,
    name: str | None = None,
    relative_to: Path | None = None,
    missing: str | None = None,
    threads: int | None = None,
    shard: str | None = None,
    sample: int | None = None,
    seed: int | None = None,
    first_input: int | None = None,
    body_limit: Size | None = None,
    max_body_bytes: Size | None = None,
    rate: float | str | None = None,
    connections: int | None = None,
    patience: str | None = None,
    ca: Path | None = None,
    no_sign_request: bool = False,
    with_bodies: bool = False,
    with_record_ids: bool = False,
    verify_digests: bool = False,
) -> _native.TableStream:
    """Open one table of archives as a stream of Arrow, without writing files.

    Any library that reads Arrow streams takes it: ``duckdb.sql("FROM stream")``, ``polars.DataFrame(stream)``,
    ``pandas.DataFrame.from_arrow(stream)``, ``pyarrow.table(stream)``. Each use reads the archives again. The rows have
    the columns of Parquet files, and ``crawl`` and ``subset``; :func:`robots_scan.select_sql` adds those that views compute.

    The tables are those that come from single records: ``robots_files``, ``groups``, ``rules``, ``sitemaps``,
    ``directives``, ``preferences``, ``anomalies``, ``verdicts`` and ``faults``. For ``hosts`` and ``host_verdicts``, scan into
    a dataset. An archive that cannot be read is an error of the stream. If places are damaged, a warning is logged, and
    ``stream.faults`` is their number.
    """
    arguments = _options(locals(), exclude=("inputs", "table"))
    return _native.read(table, [*arguments, "--", *_paths(inputs)])


def _check_inputs(summary: ScanSummary, output: Path) -> ScanSummary:
    """Return the summary of a run. An input that could not be read is an error."""
    if summary["failed_inputs"] > 0:
        failed = summary["failed_inputs"]
        inputs = "1 input" if failed == 1 else f"{failed} inputs"
        error = StoppedError(f"{inputs} could not be read", "failed_inputs", output, "run again with resume=True")
        error.summary = summary
        raise error
    return summary


def _run(command: str, arguments: list[str], is_shown: bool | None) -> Any:
    with Progress(is_shown) as progress:
        return json.loads(_native.call([command, *arguments], progress.update))


def _options(values: dict[str, Any], exclude: tuple[str, ...]) -> list[str]:
    """Return the arguments of options. ``None`` and false are left out, and lists are separated by commas."""
    arguments = []
    for option, value in values.items():
        if option in exclude or value is None or value is False:
            continue
        flag = "--" + option.replace("_", "-")
        if value is True:
            arguments.append(flag)
        else:
            arguments.append(f"{flag}={_text(value)}")
    return arguments


def _text(value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, Mapping):
        return ",".join(f"{key}={name}" for key, name in value.items())
    if isinstance(value, Iterable):
        return ",".join(_text(item) for item in value)
    raise UsageError(f"an option cannot be of type '{type(value).__name__}'", "usage")


def _texts(values: str | Iterable[str]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def _agents(values: str | Iterable[str]) -> list[str]:
    """Return names of crawlers, which the command may separate by commas. A User-Agent header is an error."""
    names = [name for text in _texts(values) for name in text.split(",")]
    for name in names:
        _native.check_agent_name(name)
    return names


def _write_stream(table: ArrowStream, folder: str) -> str:
    """Write a table of another library to a file. Return its path."""
    path = os.path.join(folder, "stream.parquet")
    _native.write_stream(table, path)
    return path


def _write_urls(urls: Iterable[str], folder: str) -> str:
    """Write URLs to a file. Return its path."""
    path = os.path.join(folder, "urls.csv")
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["url"])
        writer.writerows([_url(url)] for url in urls)
    return path


def _url(url: Any) -> str:
    if isinstance(url, str):
        return url
    raise UsageError(f"a URL cannot be of type '{type(url).__name__}'", "usage")


def _paths(values: Paths) -> list[str]:
    if isinstance(values, (str, os.PathLike)):
        return [os.fspath(values)]
    return [os.fspath(value) for value in values]
