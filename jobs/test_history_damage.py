"""Damages histories and their inputs, and runs the commands that read them.

    python jobs/test_history_damage.py target/debug/robots-scan target/debug/xtask [--campaign] [--seed SEED] [--only TEXT]

A small history has rows in each of its tables. In each case, a copy of it is damaged: bytes of a file, the manifest, or rows, which are
written again as valid Parquet files whose sizes and digests the manifest states. The same is done to a dataset that is added to the history.
Then `history`, `verify`, `match`, `views` and DuckDB read it. In every case

- a command ends with a documented exit code, in time, within a limit of memory, not by a signal and without a panic;
- an error is one message that names the damaged input; there is no partial output, and a history that was to be replaced is unchanged;
- `verify` reports the damage, unless the rows are the same as before, or the manifest states the digest of the changed file;
- the rows that `history` and `match` write are those of the sound input, unless the case states that they take over what is there.

Without `--campaign`, a part of the damages is tried; each version selects different ones.
"""

import argparse
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import test_runner
from test_history import BODIES, NAMES, RandomCrawl, scan

# No command may take more address space and time; large cases take more of it than the others.
TIMEOUT_SECONDS = 20
MEMORY_BYTES = 1 << 30
LARGE_MEMORY_BYTES = 2 << 30
MESSAGE_BYTES = 4096
# The parts of the damages of files and rows, and of those of every table, that are tried without --campaign.
PART, PART_OF_TABLES = 0.25, 0.02
CRAWLS, HOSTS = 3, 40
HISTORY_TABLES = (
    "host_captures", "host_periods", "host_contents", "agent_periods", "policies", "policy_groups", "policy_rules",
    "policy_directives", "policy_verdicts", "preference_sets", "shares", "archives", "crawls", "agents")
MATCH_OPTIONS = ("--columns", "time=crawled", "--agent", "GPTBot,Googlebot")
UNKNOWN_KEY = "f" * 32
HUGE = 2**63 - 1


# Datasets.


def run(program, *arguments, codes=(0,)):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode in codes, f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}"
    return done


def files_of(folder, table):
    return sorted((folder / table).rglob("*.parquet"))


def file_of(folder, table):
    """The file of a table; of captures, that of the last crawl."""
    files = files_of(folder, table)
    assert len(files) == 1 or table == "host_captures", (folder, table, files)
    return files[-1]


def rows_of(folder):
    """The Parquet files of a history, by table and number: equal rows are equal bytes."""
    return {(path.parent.name, path.name[-13:]): path.read_bytes() for path in folder.glob("*/*.parquet")}


def manifest_lines(folder):
    return (folder / "_manifest.jsonl").read_text(encoding="utf-8").splitlines()


def write_manifest(folder, lines):
    (folder / "_manifest.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def change_manifest(folder, line, **fields):
    """Changes fields of a line; None removes one."""
    lines = manifest_lines(folder)
    entry = {**json.loads(lines[line]), **fields}
    lines[line] = json.dumps({name: value for name, value in entry.items() if value is not None})
    write_manifest(folder, lines)


def entry_of(folder, table):
    """The number of the line of the file of a table, as in `file_of`."""
    return [number for number, line in enumerate(manifest_lines(folder)) if json.loads(line).get("path", "").startswith(table + "/")][-1]


def restate(program, folder, *tables):
    """States the sizes, the rows and the digests of files that were changed in the manifest of a history."""
    for table in tables:
        state_size(folder, table)
    # Nothing else prints a digest.
    findings = json.loads(run(program, "verify", folder, "--json", codes=(1,)).stdout)["findings"]
    for finding in findings:
        if finding["kind"] == "digest":
            table = finding["path"].split("/")[0]
            change_manifest(folder, entry_of(folder, table), xxh3=finding["what"].split("its XXH3-64 is ")[1][:16])


def restate_dataset(program, folder, table):
    """States the size and the digest of a file that was changed in the manifest of a dataset."""
    path = file_of(folder, table)
    name = path.relative_to(folder).as_posix()

    def state(entry, fields):
        if isinstance(entry, dict):
            entry = {key: state(value, fields) for key, value in entry.items()}
            return {**entry, **fields} if entry.get("path") == name else entry
        return [state(value, fields) for value in entry] if isinstance(entry, list) else entry

    def write(**fields):
        write_manifest(folder, [json.dumps(state(json.loads(line), fields)) for line in manifest_lines(folder)])

    write(bytes=path.stat().st_size, xxh3="0" * 16)
    findings = json.loads(run(program, "verify", folder, "--json", codes=(1,)).stdout)["findings"]
    digest, = (finding["what"] for finding in findings if finding["kind"] == "digest" and finding["path"] == name)
    write(xxh3=digest.split("its XXH3-64 is ")[1][:16])


def state_size(folder, table):
    path = file_of(folder, table)
    try:
        rows = pq.ParquetFile(path).metadata.num_rows
    except (pa.ArrowException, OSError):
        rows = json.loads(manifest_lines(folder)[entry_of(folder, table)])["rows"]
    change_manifest(folder, entry_of(folder, table), bytes=path.stat().st_size, rows=rows, xxh3="0" * 16)


def write_rows(path, rows, **options):
    """Writes a table in place of a file, whose metadata it keeps."""
    metadata = {key: value for key, value in (pq.ParquetFile(path).schema_arrow.metadata or {}).items() if key != b"ARROW:schema"}
    pq.write_table(rows.replace_schema_metadata(metadata), path, compression="zstd", **options)


# Cases.


class Case:
    """A damage, and what is known of its consequences."""

    def __init__(self, name, damage, names=(), accepted="", is_large=False, may_be_sound=False, is_stated=False,
                 is_of_files=False, is_compared=False, restated=""):
        # `damage` gets the folder. An error names the folder, and one of `names` if there are any.
        self.name, self.damage, self.names = name, damage, names
        # Why `history` or `match` take over rows that were changed.
        self.accepted = accepted
        # `may_be_sound`: rows may be the same as before, which is no damage. `is_stated`: the manifest states the digest, so that `verify` need not report it. `is_of_files`: files and the manifest do not fit together.
        # `is_compared`: `history` compares the digest of each file that it reads. `restated`: the table of a dataset whose digest the manifest states once `verify` has run.
        self.restated = restated
        self.is_large, self.may_be_sound, self.is_stated = is_large, may_be_sound, is_stated
        self.is_of_files, self.is_compared = is_of_files, is_compared


def byte_cases(rng, tables):
    """Damages bytes of files. The manifest states those of the sound file, or is changed with the file."""

    def flip(table, part, restated):
        share = rng.random()
        bit = 1 << rng.randrange(8)

        def damage(folder, program):
            path = file_of(folder, table)
            data = bytearray(path.read_bytes())
            footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
            start, end = {"data": (4, footer), "footer": (footer, len(data)), "any": (0, len(data))}[part]
            data[start + int(share * (end - start))] ^= bit
            path.write_bytes(data)
            if restated:
                restate(program, folder, table)

        return Case(f"{table}: a bit of the {part}{', with its digest' if restated else ''}", damage, HISTORY_TABLES,
                    accepted="the digest is that of the file" if restated else "`match` compares no digests",
                    is_stated=restated, may_be_sound=restated, is_compared=not restated)

    def replace(table, what, change):
        def damage(folder, program):
            path = file_of(folder, table)
            change(path)

        return Case(f"{table}: {what}", damage, (table,))

    def truncate(path):
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * 0.7)])

    def become_folder(path):
        path.unlink()
        path.mkdir()

    for table in tables:
        yield flip(table, "data", False)
        yield flip(table, "data", True)
        yield flip(table, "footer", True)
        yield replace(table, "removed", lambda path: path.unlink())
    for table in rng.sample(tables, 4):
        yield flip(table, "any", False)
        yield replace(table, "cut", truncate)
        yield replace(table, "empty", lambda path: path.write_bytes(b""))
        yield replace(table, "longer", lambda path: path.write_bytes(path.read_bytes() + b"PAR1"))
        yield replace(table, "a folder", become_folder)
        yield replace(table, "a link to itself", lambda path: (path.unlink(), path.symlink_to(path.name)))

    def exchange(folder, program):
        one, other = file_of(folder, "policy_groups"), file_of(folder, "policy_rules")
        data = one.read_bytes(), other.read_bytes()
        one.write_bytes(data[1])
        other.write_bytes(data[0])
        restate(program, folder, "policy_groups", "policy_rules")

    yield Case("policy_groups and policy_rules exchanged", exchange, ("policy_groups", "policy_rules"))


def manifest_cases():
    named = ("_manifest.jsonl", "manifest is damaged", "no tables")

    def first(name, names=named, **fields):
        return Case(f"manifest: {name}", lambda folder, program: change_manifest(folder, 0, **fields), names)

    def text(name, change, names=named):
        def damage(folder, program):
            path = folder / "_manifest.jsonl"
            path.write_bytes(change(path.read_bytes()))

        return Case(f"manifest: {name}", damage, names)

    def entry(name, table="policy_rules", names=named, **fields):
        return Case(f"manifest: {name}", lambda folder, program: change_manifest(folder, entry_of(folder, table), **fields), names)

    yield text("removed bytes", lambda data: data[:40] + data[50:])
    yield text("no line end", lambda data: data[:-1])
    yield text("cut within a line", lambda data: data[:-30])
    yield text("empty", lambda data: b"")
    yield text("not UTF-8", lambda data: data.replace(b"policy_rules", b"policy_rul\xff\xfe", 1))
    yield text("null bytes", lambda data: data + b"\0" * 4096)
    yield text("very deep", lambda data: data + b"[" * 200_000 + b"\n")
    yield text("a long line", lambda data: data + b'{"path":"' + b"a" * 10_000_000 + b'"}\n')
    yield text("a repeated line", lambda data: data + data.splitlines(True)[-1])
    yield text("another first line", lambda data: b"{}\n" + data)
    yield first("a later format", format=99, names=())
    yield first("an earlier format", format=7, names=())
    yield first("other columns", schemas="0" * 16, names=())
    yield first("no columns", schemas=None, names=())
    yield first("no format", format=None, names=())
    yield first("format as text", format="9", names=())
    yield first("no history", kind=None, names=())
    yield first("another meaning", meaning=2, names=("the first input have 2", "views.sql"))
    yield first("no crawls", crawls=None)
    yield first("crawls as text", crawls="SERIES-000")
    yield first("a crawl that has no rows", crawls=["SERIES-000", "SERIES-001", "Z"], names=("crawls",))
    yield first("a crawl is missing", crawls=["SERIES-000"], names=("crawls",))
    yield first("crawls in another order", crawls=["SERIES-001", "SERIES-000"], names=("crawls",))
    yield first("a crawl twice", crawls=["SERIES-000", "SERIES-000"])
    yield first("a crawl that is a path", crawls=["../../x", "SERIES-001"])
    yield first("a crawl with a quote", crawls=["SERIES-000'; DROP TABLE hosts; --", "SERIES-001"])
    yield first("a crawl with control characters", crawls=["\x1b[31m", "SERIES-001"])
    yield first("a long crawl", crawls=["a" * 5_000_000, "SERIES-001"])
    name = "policy_rules/part-00000000-00000.parquet"
    for path in ("../../x", "/etc/passwd", "policy_rules/../../x.parquet", "hosts/part-00000000-00000.parquet", f"{name}/", f"{name}\0",
                 name.replace("/", "\\"), f"{name}'"):
        yield entry(f"the path {path!r}", path=path)
    yield entry("a file that does not exist", path="policy_rules/part-00000000-00000.parquet", names=("policy_rules",))
    for number in (-1, 2**64 - 1, 2**64, 1e300, None):
        yield entry(f"{number!r} bytes", bytes=number, names=("policy_rules", *named))
        yield entry(f"{number!r} rows", rows=number, names=("policy_rules", *named))

    def huge(field):
        def damage(folder, program):
            for table in HISTORY_TABLES:
                change_manifest(folder, entry_of(folder, table), **{field: 2**64 - 1})

        return Case(f"manifest: all files have 2^64-1 {field}", damage, named)

    yield huge("bytes")
    yield huge("rows")
    yield entry("another digest", xxh3="0" * 16, names=("policy_rules",))
    yield entry("a digest that is a number", xxh3=5)


def remove_line(table):
    def damage(folder, program):
        lines = manifest_lines(folder)
        del lines[entry_of(folder, table)]
        write_manifest(folder, lines)

    return Case(f"manifest: no line of {table}", damage, (table,))


def edit(table, name, change, *others, **known):
    """Changes the rows of a table, which are dictionaries, and those of others; the manifest states the new files."""

    def damage(folder, program):
        for changed, change_rows in ((table, change), *others):
            path = file_of(folder, changed)
            stored = pq.read_table(path)
            rows = change_rows(stored.to_pylist())
            write_rows(path, pa.Table.from_pylist(rows, schema=stored.schema))
        restate(program, folder, table, *(changed for changed, _ in others))

    return Case(f"{table}: {name}", damage, known.pop("names", (table,)), is_stated=True, **known)


def change_columns(table, name, change, **known):
    """Changes a table as Arrow has it."""
    options = known.pop("options", {})

    def damage(folder, program):
        path = file_of(folder, table)
        write_rows(path, change(pq.read_table(path)), **options)
        restate(program, folder, table)

    return Case(f"{table}: {name}", damage, known.pop("names", (table,)), **known)


def with_type(column, kind):
    def change(rows):
        field = rows.schema.get_field_index(column)
        values = pa.nulls(rows.num_rows, kind) if pa.types.is_nested(kind) else rows.column(column).cast(kind, safe=False)
        return rows.set_column(field, column, values)

    return change


def with_null(column, row=1):
    """The column is nullable, and a row has a null."""

    def change(rows):
        values = rows.column(column).to_pylist()
        values[min(row, len(values) - 1)] = None
        index = rows.schema.get_field_index(column)
        return rows.set_column(index, pa.field(column, rows.schema.field(column).type), pa.array(values, rows.schema.field(column).type))

    return change


def updated(row, **fields):
    """Changes fields of one row; a function gets the old value."""

    def change(rows):
        number = row(rows) if callable(row) else row
        for field, value in fields.items():
            assert field in rows[number], field
            rows[number][field] = value(rows[number][field]) if callable(value) else value
        return rows

    return change


def first_with(**fields):
    """The number of the first row with these fields. True stands for any value."""

    def find(rows):
        def fits(row):
            return all(row[field] is not None if value is True else row[field] == value for field, value in fields.items())

        return next(number for number, row in enumerate(rows) if fits(row))

    return find


def removed(row):
    def change(rows):
        del rows[row(rows) if callable(row) else row]
        return rows

    return change


def repeated(row, **fields):
    """Repeats a row with other fields."""

    def change(rows):
        number = row(rows) if callable(row) else row
        return [*rows[: number + 1], {**rows[number], **fields}, *rows[number + 1:]]

    return change


def backwards(rows):
    return rows[::-1]


def swapped(rows):
    rows[0], rows[1] = rows[1], rows[0]
    return rows


def unnamed(rows):
    return []


def change_of_host(rows):
    """The number of a row whose host is not that of the row before."""
    return next(number for number in range(1, len(rows)) if rows[number]["surt_host_name"] != rows[number - 1]["surt_host_name"])


def period_split(rows):
    """Divides a period of two captures into two with the same state."""
    number = first_with(n_captures=2)(rows)
    row = rows[number]
    rows[number] = {**row, "n_captures": 1, "last_crawl": row["first_crawl"]}
    rows.insert(number + 1, {**row, "period_no": row["period_no"] + 1, "first_crawl": row["last_crawl"], "n_captures": 1})
    for later in rows[number + 2:]:
        later["period_no"] += later["host_no"] == row["host_no"]
    return rows


def long_policy(count, path_of_line):
    """A policy with very many equal lines, which take few bytes."""

    def damage(folder, program):
        path = file_of(folder, "policy_rules")
        stored = pq.read_table(path)
        first = pa.Table.from_pylist([{**stored.slice(0, 1).to_pylist()[0], "path": path_of_line}], schema=stored.schema)
        lines = pa.concat_tables([first] * 1000).combine_chunks()
        with pq.ParquetWriter(path, stored.schema, compression="zstd") as writer:
            many = pa.concat_tables([lines] * min(count // 1000, 1000)).combine_chunks()
            for _ in range(count // many.num_rows):
                writer.write_table(many)
            writer.write_table(stored.slice(1))
        stored = pq.read_table(file_of(folder, "policies")).to_pylist()
        schema = pq.read_schema(file_of(folder, "policies"))
        stored[0]["n_rules"] += count - 1
        write_rows(file_of(folder, "policies"), pa.Table.from_pylist(stored, schema=schema))
        restate(program, folder, "policies", "policy_rules")

    return damage


def cases_of_every_table(columns):
    for table in HISTORY_TABLES:
        known = dict(accepted="the registry is taken over") if table == "agents" else {}
        names = (table, "host_periods", "host_captures", "policies", "policy", "preference_sets")
        yield edit(table, "rows backwards", backwards, names=names, **known)
        of_policy = dict(accepted="the order of the rows of a policy is taken over") if table.startswith("policy_") else known
        yield edit(table, "two rows exchanged", swapped, names=names, **of_policy)
        yield edit(table, "a row twice", repeated(1), accepted="the archive has the same name" if table == "archives" else "")
        yield edit(table, "no rows", unnamed, names=(), accepted="shares, archives and the registry are taken over")
        yield change_columns(table, "an extra column", lambda rows: rows.append_column("extra", pa.nulls(rows.num_rows, pa.int32())))
        last = columns[table][-1]
        yield change_columns(table, "no last column", lambda rows: rows.remove_column(rows.num_columns - 1), names=(table, last))
        first = columns[table][0]
        yield change_columns(table, "nulls in a column without nulls", with_null(first), names=(table, first))
        yield change_columns(table, "a column of another type", with_type(first, pa.list_(pa.int64())), names=(table, first))


def row_cases():
    """Hostile rows in valid files, whose digests the manifest states."""
    captures, periods = "host_captures", "host_periods"
    copied = dict(accepted="captures are copied, and match answers by those that are there")
    yield edit(captures, "the last row is missing", removed(-1), names=(captures, periods), **copied)
    yield edit(captures, "the first row is missing", removed(0), **copied)
    yield edit(captures, "a negative number", updated(0, capture_no=-1), **copied)
    yield edit(captures, "a huge number", updated(-1, capture_no=HUGE), **copied)
    yield edit(captures, "the number of another crawl", updated(-1, capture_no=0), **copied)
    yield edit(captures, "numbers from 1", lambda rows: [{**row, "capture_no": row["capture_no"] + 1} for row in rows], **copied)
    yield edit(captures, "a host that does not exist", updated(-1, host_no=HUGE), names=(captures, periods), **copied)
    yield edit(captures, "a negative host", updated(0, host_no=-1), names=(captures, periods), **copied)
    yield edit(captures, "a host twice", updated(1, host_no=0), **copied)
    yield edit(captures, "an unknown crawl", updated(0, crawl="NOWHERE"), **copied)
    yield edit(captures, "another crawl", updated(0, crawl="SERIES-000"), **copied)
    for number in (-1, 2**31 - 1, 1):
        yield edit(captures, f"the period {number}", updated(3, period_no=number), names=(captures, periods), **copied)
        yield edit(captures, f"the content {number}", updated(first_with(content_no=0), content_no=number), names=(captures, "host_contents"), **copied)
    yield edit(captures, "no content", updated(first_with(content_no=0), content_no=None), names=(captures, periods), **copied)
    place = "places are taken over"
    yield edit(captures, "an archive that does not exist", updated(0, archive_no=10**12), accepted=place)
    yield edit(captures, "a negative archive", updated(0, archive_no=-(2**63)), accepted=place)
    yield edit(captures, "a negative offset", updated(0, warc_record_offset=-5), accepted=place)
    yield edit(captures, "a negative index in the member", updated(0, warc_record_in_member=-5), accepted=place)
    time_of = "a time that fits the others is taken over"
    yield edit(captures, "no time", updated(0, fetch_time=None), accepted=time_of, names=(captures, periods))
    yield edit(captures, "a time out of order", updated(0, fetch_time=datetime.datetime(9999, 1, 1)), names=(captures, periods), **copied)
    yield change_columns(captures, "numbers of 32 bits", with_type("capture_no", pa.int32()), names=("capture_no",))
    yield change_columns(captures, "crawls as bytes", with_type("crawl", pa.binary()), names=("crawl",))
    yield change_columns(captures, "times of another unit", with_type("fetch_time", pa.timestamp("us")), names=("fetch_time",))
    long = "a" * (100 << 20)
    yield edit(captures, "a crawl of 100 MB", updated(0, crawl=long), is_large=True, **copied)
    yield edit(periods, "a host of 100 MB", updated(0, surt_host_name=long), is_large=True)
    yield edit("policy_rules", "a path of 100 MB", updated(0, path=long), is_large=True)
    yield edit("agents", "a name of 100 MB", updated(0, agent=long), is_large=True)
    yield edit("crawls", "a crawl of 100 MB", updated(0, crawl=long), is_large=True)

    yield edit(periods, "a row is missing", removed(2), names=(periods, captures))
    yield edit(periods, "the last row is missing", removed(-1), names=(periods, captures))
    yield edit(periods, "a period without captures", lambda rows: [*rows, {**rows[-1], "period_no": rows[-1]["period_no"] + 1}])
    yield edit(periods, "a negative number", updated(0, period_no=-1))
    yield edit(periods, "a negative host", updated(0, host_no=-1), names=(periods, captures), accepted="match answers by the captures of the host")
    yield edit(periods, "the number of another host", updated(0, host_no=1), names=(periods, captures))
    yield edit(periods, "another host", updated(0, surt_host_name=""), accepted="names of hosts are taken over")
    yield edit(periods, "too many captures", updated(0, n_captures=5), accepted="numbers of captures are taken over")
    yield edit(periods, "no captures", updated(0, n_captures=0))
    yield edit(periods, "a negative number of captures", updated(0, n_captures=-1))
    yield edit(periods, "no time", updated(0, first_fetch=None), accepted="times are taken over")
    yield edit(periods, "another time", updated(0, last_fetch=datetime.datetime(9999, 1, 1)), accepted="times are taken over")
    yield edit(periods, "the wrong first crawl", updated(first_with(first_crawl="SERIES-001"), first_crawl="SERIES-000"))
    yield edit(periods, "the wrong last crawl", updated(first_with(last_crawl="SERIES-000"), last_crawl="SERIES-001"))
    yield edit(periods, "an unknown last crawl", updated(0, last_crawl="NOWHERE"))
    yield edit(periods, "the wrong domain", updated(3, domain_id=HUGE), accepted="domains are numbered again")
    yield edit(periods, "a period in two", period_split, accepted="match compares no states of periods")
    with_policy = first_with(policy_id=True)
    yield edit(periods, "a policy that does not exist", updated(with_policy, policy_id=UNKNOWN_KEY), names=(periods, "policies"))
    yield edit(periods, "a policy in upper case", updated(with_policy, policy_id=str.upper))
    yield edit(periods, "a policy that is no key", updated(with_policy, policy_id="../../x"))
    yield edit(periods, "preferences that do not exist", updated(first_with(preference_set_id=True), preference_set_id=UNKNOWN_KEY),
               names=(periods, "preference_sets"))
    yield edit(periods, "other preferences than those of the set", updated(first_with(preferences_id=True), preferences_id=UNKNOWN_KEY),
               accepted="keys are not computed again")
    state = dict(accepted="states are taken over")
    yield edit(periods, "an unknown verdict", updated(with_policy, wildcard_verdict="maybe"), **state)
    yield edit(periods, "a negative number of redirects", updated(0, n_redirects=-1), **state)
    yield edit(periods, "a port beyond all ports", updated(0, url_port=2**31 - 1), **state)
    yield edit(periods, "a status that is none", updated(0, fetch_status=-32768), **state)
    yield edit(periods, "a negative delay", updated(with_policy, wildcard_crawl_delay_ms=-1), **state)
    yield edit(periods, "names that were read", updated(first_with(policy_id=True, has_named_rows=True), has_named_rows=False),
               accepted="states are taken over", names=("agent_periods",))
    yield edit(periods, "another registered domain", updated(0, url_host_registered_domain="x"), **state)

    contents = "host_contents"
    taken = dict(accepted="contents are taken over")
    yield edit(contents, "another period", updated(-1, period_no=2**31 - 1))
    yield edit(contents, "a negative period", updated(0, period_no=-1))
    yield edit(contents, "a negative number", updated(0, content_no=-1))
    yield edit(contents, "another host", updated(0, surt_host_name="x"), names=(contents, captures))
    yield edit(contents, "no digest", updated(0, content_digest=""), **taken)
    yield edit(contents, "a row is missing", removed(0), names=(contents, captures), **taken)

    yield edit("policies", "a policy is missing", removed(0), names=("policy_", "policies"))
    yield edit("policies", "another number of rules", updated(0, n_rules=lambda number: number + 1), names=("policy_rules", "policies"))
    yield edit("policies", "a negative number of verdicts", updated(0, n_verdicts=-1), names=("policy_verdicts",))
    yield edit("policies", "another encoding", updated(0, is_valid_utf8=lambda is_valid: not is_valid), accepted="keys are not computed again")
    yield edit("policies", "a key that is none", updated(0, policy_id="x" * 32))
    yield edit("policies", "a policy without lines", lambda rows: [*rows, {**rows[-1], "policy_id": UNKNOWN_KEY, **dict.fromkeys(
        ("n_user_agents", "n_rules", "n_directives", "n_verdicts"), 0)}])
    for table in ("policy_groups", "policy_rules", "policy_directives", "policy_verdicts"):
        yield edit(table, "a row is missing", removed(0))
        yield edit(table, "rows of a policy that does not exist", lambda rows: [*rows, {**rows[-1], "policy_id": UNKNOWN_KEY}], may_be_sound=True,
                   accepted="rows after those of the last policy are not read")
        yield edit(table, "the first row of a policy that does not exist", lambda rows: [{**rows[0], "policy_id": "0" * 32}, *rows])
    lines = dict(accepted="keys are not computed again", names=("policies", "policy_"))
    yield edit("policy_groups", "another name", updated(first_with(agent="gptbot"), agent="zzbot"), **lines)
    for number in (0, 2**31 - 1, -(2**31)):
        yield edit("policy_groups", f"the line {number}", updated(0, line_no=number), **lines)
        yield edit("policy_rules", f"the line {number}", updated(0, line_no=number), **lines)
        yield edit("policy_rules", f"the group {number}", updated(0, group_no=number), **lines)
        yield edit("policy_rules", f"the record {number}", updated(0, record_no=number), **lines)
    yield edit("policy_rules", "a path with null bytes", updated(0, path="/\0\0*$*$*", path_raw="\0\n\r\0"), **lines)
    yield edit("policy_rules", "a pattern of 100,000 wildcards", updated(0, path="/" + "*a" * 100_000), **lines)
    yield edit("policy_rules", "the rules of a policy in another order", swapped, may_be_sound=True, **lines)
    yield edit("policy_directives", "an unknown directive", updated(0, directive="x"), **lines)
    verdicts = dict(accepted="verdicts are taken over", names=("agent_periods", "policy_verdicts"))
    yield edit("policy_verdicts", "another verdict", updated(0, verdict="allow_all", verdict_google="allow_all"), **verdicts)
    yield edit("policy_verdicts", "an unknown verdict", updated(0, verdict="maybe", basis="none"), **verdicts)
    yield edit("policy_verdicts", "another name", updated(0, agent="a"), **verdicts)
    # The limit is reached after 500,000 of these lines.
    yield Case("policy_rules: 10 million lines of a policy", long_policy(10_000_000, "/" + "a" * 500), ("policy_rules",), is_large=True, is_stated=True)
    yield Case("policy_rules: 300,000 lines of a policy", long_policy(300_000, "/a"), is_large=True, is_stated=True, **lines)

    sets = "preference_sets"
    yield edit(sets, "a row is missing", removed(0), accepted="keys are not computed again", names=(sets, periods))
    yield edit(sets, "another preference", updated(0, preference=lambda value: "y" if value != "y" else "n"), accepted="keys are not computed again")
    yield edit(sets, "a set that is not used", lambda rows: [*rows, {**rows[-1], "preference_set_id": UNKNOWN_KEY}])

    taken = dict(accepted="shares are taken over")
    yield edit("shares", "a row is missing", removed(0), **taken)
    yield edit("shares", "the rows of a crawler are missing", lambda rows: [row for row in rows if row["agent"] != "gptbot"], **taken)
    yield edit("shares", "negative hosts", updated(0, hosts=-5), **taken)
    yield edit("shares", "huge hosts", updated(0, hosts=HUGE, known_hosts=HUGE), **taken)
    yield edit("shares", "more domains than hosts", updated(0, domains=lambda number: number + 1000), **taken)
    yield edit("shares", "an unknown crawl", updated(0, crawl="NOWHERE"))
    yield edit("shares", "an unknown verdict", updated(0, verdict="maybe"))
    yield edit("shares", "an interval", updated(0, low_millionths=100_000, high_millionths=-1), **taken)

    yield edit("archives", "a row is missing", removed(0), accepted=place, names=(captures,))
    yield edit("archives", "an unknown crawl", updated(0, crawl="NOWHERE"))
    yield edit("archives", "a negative number", updated(0, archive_no=-1), accepted=place)
    yield edit("archives", "another name", updated(0, warc_filename="../../x\x1b[31m"), accepted=place)

    crawls = "crawls"
    yield edit(crawls, "a crawl is missing", removed(0))
    yield edit(crawls, "another name", updated(0, crawl="OTHER"))
    yield edit(crawls, "another order of times", updated(0, median_fetch=datetime.datetime(2099, 1, 1)))
    yield edit(crawls, "another place", updated(0, position=7))
    yield edit(crawls, "a negative place", updated(0, position=-1))
    yield edit(crawls, "other hosts", updated(0, hosts=-1), names=(crawls, captures))
    yield edit(crawls, "other domains", updated(0, domains=HUGE))
    about = dict(accepted="what is known of a crawl is taken over")
    yield edit(crawls, "other captures", updated(0, captures=HUGE), **about)
    yield edit(crawls, "other archives", updated(0, archives_read=-1, archives_listed=-1, is_sample=True), **about)
    yield edit(crawls, "other times", updated(0, first_fetch=None, last_fetch=datetime.datetime(1970, 1, 1)), **about)
    yield edit(crawls, "another meaning", updated(0, meaning=-1), **about)
    yield edit("agents", "many rows", lambda rows: rows * 2000, is_large=True)
    yield edit("agents", "fallbacks that are all crawlers", updated(0, fallbacks=lambda _: ",".join(f"bot{number}" for number in range(10_000))),
               accepted="the registry is taken over")


def edit_dataset(table, name, change, **known):
    """Changes the rows of a table of the dataset that is added. `verify` reports the digest, which is then stated for `history`."""

    def damage(folder, program):
        path = file_of(folder, table)
        stored = pq.read_table(path, partitioning=None)
        write_rows(path, pa.Table.from_pylist(change(stored.to_pylist()), schema=stored.schema))

    return Case(f"dataset, {table}: {name}", damage, known.pop("names", (table,)), restated=table, **known)


def change_dataset_columns(table, name, change, **known):
    def damage(folder, program):
        path = file_of(folder, table)
        write_rows(path, change(pq.read_table(path, partitioning=None)))

    return Case(f"dataset, {table}: {name}", damage, known.pop("names", (table,)), restated=table, **known)


# The tables of a dataset that are read, and why hostile values in them may pass.
DATASET_TABLES = ("robots_files", "groups", "rules", "directives", "verdicts", "hosts", "host_preferences")
DATASET_VALUES = dict(accepted="the values of rows are taken over")


def cases_of_every_dataset_table(rng):
    yield from byte_cases_of_dataset(rng, DATASET_TABLES)
    values = DATASET_VALUES
    for table in DATASET_TABLES:
        yield edit_dataset(table, "rows backwards", backwards, names=(table, "host_preferences"))
        yield edit_dataset(table, "no rows", unnamed, **values, names=())
        key = "host_id" if table.startswith("host") else "robots_id"
        yield edit_dataset(table, "a negative key", updated(-1, **{key: -1}), **values, names=(table, "host_preferences"))
        yield edit_dataset(table, "a huge key", updated(-1, **{key: HUGE}),
                           names=(table, "hosts", "robots_files", "host_preferences", "verdicts"), **values)
        yield change_dataset_columns(table, "nulls in a column without nulls", with_null(key, 0), names=(table, key), **values)
        yield change_dataset_columns(table, "a column of another type", with_type(key, pa.int32()), names=(table, key))


def dataset_cases():
    values = DATASET_VALUES
    yield edit_dataset("robots_files", "a capture twice", repeated(0))
    yield edit_dataset("robots_files", "a capture without lines twice", lambda rows: [*rows, rows[first_with(content_class=None)(rows)]],
                       names=("robots_files", "verdicts"))
    yield edit_dataset("robots_files", "a capture is missing", removed(0), names=("robots_files", "hosts", "groups", "rules", "verdicts"))
    yield edit_dataset("robots_files", "a negative offset", updated(0, warc_record_offset=-5), **values)
    yield edit_dataset("robots_files", "times out of order", updated(0, fetch_time=datetime.datetime(9999, 1, 1)), **values)
    for table in ("groups", "rules", "directives", "verdicts"):
        yield edit_dataset(table, "a row of a capture that does not exist", lambda rows: [*rows, {**rows[-1], "robots_id": HUGE}])
    yield edit_dataset("rules", "a rule of an unknown group", updated(0, group_no=9999), **values)
    yield edit_dataset("rules", "values beyond their limits", updated(0, line_no=-(2**31), group_no=-1, record_no=2**31 - 1), **values)
    yield edit_dataset("groups", "values beyond their limits", updated(0, line_no=-(2**31), group_no=-1, agent_no=-1, n_allow=-1), **values)
    yield edit_dataset("verdicts", "an unknown verdict", updated(0, verdict="maybe", basis="none"), **values)
    yield edit_dataset("rules", "a path of 100 MB", updated(0, path="a" * (100 << 20)), is_large=True)
    yield edit_dataset("hosts", "a host of 100 MB", updated(0, surt_host_name="a" * (100 << 20)), is_large=True)
    yield edit_dataset("hosts", "a host twice", repeated(0))
    yield edit_dataset("hosts", "hosts that are not sorted", swapped)
    yield edit_dataset("hosts", "a capture that does not exist", updated(0, authoritative_robots_id=HUGE))
    yield edit_dataset("hosts", "rules of a capture that does not exist", updated(0, rules_robots_id=-7))
    yield edit_dataset("hosts", "values beyond their limits", updated(0, url_port=-1, n_redirects=-1, fetch_status=-1, n_named=-1), **values)
    yield edit_dataset("host_preferences", "preferences of a host that does not exist", lambda rows: [*rows, {**rows[-1], "host_id": HUGE}])
    yield edit_dataset("runs", "negative numbers of inputs", updated(0, inputs=-(2**31), listed_inputs=-1), **values)

    def manifest(name, line, **fields):
        return Case(f"dataset, manifest: {name}", lambda folder, program: change_manifest(folder, line, **fields), may_be_sound=True)

    yield manifest("another format", 0, format=99)
    yield manifest("another meaning", 0, meaning=-1)
    yield manifest("no options", 0, options=None)
    parts = ({"captures": 2**64 - 1}, {"crawl": "../../x"}, {"crawl": "SERIES-000"}, {"inputs": {"start": 0, "end": 2**63}},
             {"part": 2**32 - 1}, {"tables": []})
    for part in parts:
        def damage(folder, program, part=part):
            number = next(number for number, line in enumerate(manifest_lines(folder)) if "part" in json.loads(line))
            change_manifest(folder, number, **part)

        yield Case(f"dataset, manifest: a part with {part}", damage, may_be_sound=True, **values)


def byte_cases_of_dataset(rng, tables):
    for table in tables:
        for part, start, end in (("data", 0.0, 0.5), ("footer", 0.8, 1.0)):
            share, bit = rng.uniform(start, end), 1 << rng.randrange(8)

            def damage(folder, program, table=table, share=share, bit=bit):
                path = file_of(folder, table)
                data = bytearray(path.read_bytes())
                data[int(share * (len(data) - 1))] ^= bit
                path.write_bytes(data)

            yield Case(f"dataset, {table}: a bit of the {part}", damage, is_compared=True)
        yield Case(f"dataset, {table}: cut", lambda folder, program, table=table: os.truncate(file_of(folder, table), 300), (table,))
        yield Case(f"dataset, {table}: removed", lambda folder, program, table=table: file_of(folder, table).unlink(), (table,))


# Runs.


class Ran:
    """A command that has ended."""

    def __init__(self, command, code, output, error, seconds):
        self.command, self.code, self.output, self.error, self.seconds = command, code, output, error, seconds


def launch(program, *arguments, memory):
    """Runs a command within limits of memory and time. An allocation beyond the limit ends it with a signal."""
    limits = f'ulimit -c 0; ulimit -v {memory >> 10}; exec "$0" "$@"'
    began = time.monotonic()
    command = ["sh", "-c", limits, program, *map(str, arguments)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS)
        code, texts = done.returncode, [text.decode("utf-8", "replace") for text in (done.stdout, done.stderr)]
    except subprocess.TimeoutExpired:
        code, texts = "timeout", ["", ""]
    return Ran(arguments[0], code, *texts, time.monotonic() - began)


class World:
    """The sound history, the dataset that is added to it, and what commands write for them."""

    def __init__(self, program, xtask, folder):
        self.program, self.folder = program, folder
        run(xtask, "series", folder / "series", CRAWLS, HOSTS, 1)
        datasets = []
        for number in range(CRAWLS):
            archives = sorted((folder / "series" / f"crawl-{number:03}").glob("*.warc.gz"))
            archives += self.random_archives(number)
            datasets.append(scan(program, archives, folder / f"dataset-{number}", f"SERIES-{number:03}")[0])
        self.history, self.dataset = folder / "history", datasets[-1]
        run(program, "history", *datasets[:-1], "-q", "-o", self.history)
        run(program, "history", self.history, self.dataset, "-q", "-o", folder / "whole")
        self.rows = rows_of(folder / "whole")
        hosts = sorted({row["url_host_name"] for row in pq.read_table(file_of(self.history, "host_periods")).to_pylist()})
        self.urls = folder / "urls.csv"
        lines = [f"https://{host}/x,{time}\n" for host in hosts for time in ("2016-01-20", "2030-01-01")]
        self.urls.write_text("url,crawled\n" + "".join(lines), encoding="utf-8")
        run(program, "match", self.history, "--urls", self.urls, *MATCH_OPTIONS, "-q", "-o", folder / "answers.parquet")
        self.answers = pq.read_table(folder / "answers.parquet")
        self.columns = {}
        for table in HISTORY_TABLES:
            rows = pq.read_table(file_of(self.history, table))
            assert rows.num_rows > 1, f"{table} has {rows.num_rows} rows"
            self.columns[table] = rows.column_names

    def random_archives(self, number):
        """Archives in which statements, revisits and redirects of all kinds meet."""
        rng = random.Random(number + 11)
        names = [*NAMES, *(f"h{number}.example.net" for number in range(12))]
        crawl = RandomCrawl(rng, names, BODIES[:14], (200, 200, 200, 404), True, datetime.datetime(2016, 1, 4) + datetime.timedelta(days=30 * number))
        return crawl.write(self.folder / "random" / str(number), f"random-{number}")

    def check(self, case, number):
        """Runs all commands over a copy that is damaged. Returns what is wrong, and the largest figures."""
        place = self.folder / f"cases/{number:04}"
        is_dataset = case.name.startswith("dataset, ")
        damaged = place / "damaged"
        sound = self.dataset if is_dataset else self.history
        memory = LARGE_MEMORY_BYTES if case.is_large else MEMORY_BYTES
        shutil.copytree(sound, damaged)
        views = damaged / "views.sql"
        views.write_text(views.read_text(encoding="utf-8").replace(str(sound), str(damaged)), encoding="utf-8")
        case.damage(damaged, self.program)
        found, ran = [], []

        def call(*arguments):
            done = launch(self.program, *arguments, memory=memory)
            ran.append(done)
            found.extend(f"{arguments[0]}: {problem}" for problem in self.problems(case, done))
            return done

        verify = call("verify", damaged)
        if case.restated:
            restate_dataset(self.program, damaged, case.restated)
        others = (self.history, damaged) if is_dataset else (damaged, self.dataset)
        out = place / "out"
        added = call("history", *others, "-q", "-o", out, "--memory", "64MiB")
        differing = []
        if added.code == 0:
            if rows_of(out) != self.rows:
                differing.append("history")
                if case.is_compared:
                    found.append("history: it does not compare the digest")
        elif left := sorted(path.name for path in out.rglob("*") if path.is_file() and path.name != "_log.jsonl") if out.exists() else []:
            found.append(f"history: left {left}")
        if not is_dataset:
            differing += self.check_match(call, place, damaged, found)
            # These read no rows.
            if case.is_of_files:
                self.check_views(call, damaged)
            if number % 10 == 0:
                found.extend(self.check_overwrite(damaged, place))
        differ = " and ".join(differing)
        is_sound = case.may_be_sound and not differing
        if differing and not case.accepted:
            found.append(f"{differ} took over rows that were changed; verify: exit code {verify.code}")
        if verify.code == 0 and not case.is_stated and not is_sound:
            found.append(f"verify does not report it; {differ or 'nothing'} differs")
        shutil.rmtree(place)
        return found, ran, bool(differing)

    def check_match(self, call, place, damaged, found):
        """Answers the list over a damaged history. Returns the name of the command if the answers are others."""
        answers = place / "answers.parquet"
        matched = call("match", damaged, "--urls", self.urls, *MATCH_OPTIONS, "-q", "-o", answers, "--memory", "64MiB")
        if matched.code == 0:
            return [] if pq.read_table(answers).equals(self.answers) else ["match"]
        if left := list(place.glob("answers*")):
            found.append(f"match: left {left}")
        return []

    def check_views(self, call, damaged):
        if call("views", damaged, "-q").code == 0:
            self.open_views(damaged)

    def problems(self, case, done):
        """What is wrong with how a command ended."""
        said = f"{done.output[-300:]}{done.error[-600:]}"
        if done.code not in {"verify": (0, 1, 2)}.get(done.command, (0, 2, 3)):
            yield f"exit code {done.code}: {said}"
            return
        error = done.error
        if "the Parquet reader panicked" in error:
            # A debug build of the reader may panic, which is caught and is an error; its message comes before that of the program.
            error = error[error.rindex("error: "):].replace("the Parquet reader panicked", "")
        if "panicked" in error or "panicked" in done.output:
            yield f"it panicked: {said}"
        if done.code == 0:
            return
        text = done.output if done.command == "verify" and done.code == 1 else error
        if done.command == "verify" and done.code == 1:
            if len(text) > 64 << 10:
                yield f"a message of {len(text)} bytes"
        elif not text.startswith("error: ") or len(text) > MESSAGE_BYTES or text.count("\nerror: ") > 0:
            yield f"no clear message: {text[:600]!r}"
        elif "/damaged" not in text and not any(name in text for name in case.names):
            yield f"a message that does not name the input: {text[:600]!r}"
        if case.names and not any(name in text for name in case.names):
            yield f"a message that names none of {case.names}: {text[:600]!r}"

    def open_views(self, damaged):
        """Opens the views in DuckDB, which may refuse damaged files."""
        connection = duckdb.connect(config={"memory_limit": "500MB", "threads": 1})
        try:
            connection.execute((damaged / "views.sql").read_text(encoding="utf-8"))
            connection.execute("SELECT count(*) FROM hosts").fetchall()
            connection.execute("SELECT count(*) FROM host_verdicts").fetchall()
            connection.execute("FROM trend('GPTBot')").fetchall()
        except (duckdb.Error, UnicodeDecodeError):
            pass
        finally:
            connection.close()

    def check_overwrite(self, damaged, place):
        """Replaces a sound history; if that fails, it is unchanged."""
        target = place / "target"
        shutil.copytree(self.history, target)
        before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file() and path.name != "_log.jsonl"}
        done = launch(self.program, "history", damaged, self.dataset, "-q", "-o", target, "--overwrite", "--memory", "64MiB",
                      memory=LARGE_MEMORY_BYTES)
        after = {path: path.read_bytes() for path in target.rglob("*") if path.is_file() and path.name != "_log.jsonl"}
        if done.code != 0 and before != after:
            yield f"history --overwrite: exit code {done.code}, and the history was changed"


class Tests:
    def __init__(self, world, seed, is_campaign, only, jobs):
        self.world, self.jobs = world, jobs
        rng = random.Random(seed)
        of_files = [*manifest_cases(), *(remove_line(table) for table in HISTORY_TABLES)]
        of_tables = list(byte_cases(rng, HISTORY_TABLES))
        for case in (*of_files, *of_tables):
            case.is_of_files = True
        of_tables += [*cases_of_every_table(self.world.columns), *cases_of_every_dataset_table(rng)]
        cases = [*of_files, *of_tables, *row_cases(), *dataset_cases()]
        names = [case.name for case in cases]
        repeated_names = {name for name in names if names.count(name) > 1}
        assert not repeated_names, repeated_names
        if not only:
            cases = test_runner.share([*of_files, *row_cases(), *dataset_cases()], PART, is_campaign) + test_runner.share(of_tables, PART_OF_TABLES, is_campaign)
        self.cases = [case for case in cases if only in case.name]

    def test_damage(self):
        def check(number):
            case = self.cases[number]
            try:
                return self.world.check(case, number)
            except Exception as error:  # A case that cannot be made.
                return [f"{type(error).__name__}: {error}"], [], False

        with ThreadPoolExecutor(self.jobs) as pool:
            results = list(pool.map(check, range(len(self.cases))))
        runs = [done for _, ran, _ in results for done in ran]
        codes = {}
        for done in runs:
            codes.setdefault(done.command, {}).setdefault(done.code, 0)
            codes[done.command][done.code] += 1
        print(f"{len(self.cases)} cases, {len(runs)} commands: {codes}; at most {max(done.seconds for done in runs):.1f} s; "
              f"other rows in {sum(differs for _, _, differs in results)} cases")
        failed = [f"{case.name}: {problem}" for case, (found, _, _) in zip(self.cases, results) for problem in found]
        assert not failed, f"{len(failed)} problems\n  " + "\n  ".join(failed)

    def test_views_follow_the_manifest(self):
        """A run that is stopped before or after its last rename leaves files of two histories: the views read those that the manifest lists."""
        program, place = self.world.program, self.world.folder / "renamed"
        shutil.copytree(self.world.history, place)
        former = {path: path.read_bytes() for path in (*place.glob("*/*.parquet"), place / "_manifest.jsonl")}
        run(program, "history", place, self.world.dataset, "-q", "-o", place, "--overwrite")
        new = (place / "_manifest.jsonl").read_bytes()
        for path, data in former.items():
            path.write_bytes(data)
        for crawls in (CRAWLS - 1, CRAWLS):
            if crawls == CRAWLS:
                (place / "_manifest.jsonl").write_bytes(new)
            listed = [json.loads(line) for line in manifest_lines(place)]
            rows = {table: sum(line["rows"] for line in listed[1:] if line["path"].startswith(f"{table}/")) for table in HISTORY_TABLES}
            assert len(listed[0]["crawls"]) == rows["crawls"] == crawls, listed[0]
            views = duckdb.connect()
            views.execute((place / "views.sql").read_text(encoding="utf-8"))
            # Views are those of all connections.
            other = views.cursor()
            assert rows == {table: other.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in rows}
            assert other.execute("SELECT count(*), count(DISTINCT crawl) FROM hosts").fetchone() == (rows["host_captures"], crawls)
            views.close()

    def test_captures_are_copied(self):
        """If a crawl is later than those of a history, captures of the history are not decoded, and neither is a file without its pages."""
        program, folder = self.world.program, self.world.folder / "copied"
        datasets = [scan(program, sorted((self.world.folder / f"series/crawl-{number:03}").glob("*.warc.gz")), folder / f"dataset-{number}", f"SERIES-{number:03}")[0]
                    for number in range(CRAWLS)]
        earlier, later = folder / "earlier", folder / "later"
        run(program, "history", *datasets[:-1], "-q", "-o", earlier)
        path = file_of(earlier, "host_captures")
        data = path.read_bytes()
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        path.write_bytes(data[:4] + bytes(footer - 4) + data[footer:])
        restate(program, earlier, "host_captures")
        run(program, "history", earlier, datasets[-1], "-q", "-o", later)
        assert files_of(later, "host_captures")[CRAWLS - 2].read_bytes() == path.read_bytes()
        # This reads the captures.
        forgotten = folder / "forgotten.txt"
        forgotten.write_text("absent.example\n", encoding="utf-8")
        run(program, "history", earlier, datasets[-1], "-q", "-o", folder / "other", "--forget", forgotten, codes=(2, 3))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("xtask", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--campaign", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = World(args.program, args.xtask, Path(folder))
        sys.exit(1 if test_runner.run(Tests(world, args.seed, args.campaign, args.only, args.jobs)) else 0)
