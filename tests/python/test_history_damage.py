"""Damages histories and their inputs, and runs the commands that read them.

    python tests/python/test_history_damage.py target/debug/robots-scan target/debug/xtask [--campaign] [--seed SEED] [--only TEXT]

A small history has rows in each of its tables. In each case, a copy of it is damaged: bytes of a file, the manifest, or rows, which are
written again as valid Parquet files whose sizes and digests the manifest states. The same is done to a dataset that is added to the history.
Then `history`, `verify`, `match`, `views` and DuckDB read it. In every case

- a command ends with a documented exit code, in time, within a limit of memory, not by a signal and without a panic;
- an error is one message that names the damaged input; there is no partial output, and a history that was to be replaced is unchanged;
- `verify` and `history` report a file that has not the digest in the manifest;
- rows that cannot be merged (not sorted, twice, of another type, a word outside of its set, or a reference to nothing) are refused. That other
  rows are true is not checked: who states a digest is believed.

Without `--campaign`, a part of the damages is tried; each version selects different ones. Large values are the subject of
test_hostile_values.py.
"""

import argparse
import contextlib
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import test_runner
from test_history import BODIES, NAMES, RandomCrawl, scan

# No command may take more address space and time.
TIMEOUT_SECONDS = 20
MEMORY_BYTES = 1 << 30
MESSAGE_BYTES = 4096
# The parts of the damages of rows and manifests, and of those of every table and column, that are tried without --campaign.
PART, PART_OF_TABLES = 0.3, 0.05
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


def restate(program, folder, *paths):
    """States the sizes, the rows and the digests of files that were changed in the manifest of a dataset or a history."""
    manifest = folder / "_manifest.jsonl"

    def change(path, **fields):
        lines = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            for entry in [line, *(line["files"] if isinstance(line.get("files"), list) else [])]:
                if isinstance(entry, dict) and entry.get("path") == path.relative_to(folder).as_posix():
                    entry.update(fields)
        write_manifest(folder, [json.dumps(line) for line in lines])

    for path in paths:
        change(path, bytes=path.stat().st_size, xxh3="0" * 16)
        with contextlib.suppress(pa.ArrowException, OSError):
            change(path, rows=pq.ParquetFile(path).metadata.num_rows)
    # The digest of the manifest is not stated.
    (folder / "_SUCCESS").write_text("")
    # Nothing else prints a digest.
    for finding in json.loads(run(program, "verify", folder, "--json", codes=(0, 1)).stdout)["findings"]:
        if finding["kind"] == "digest":
            change(folder / finding["path"], xxh3=finding["what"].split("its XXH3-64 is ")[1][:16])


def write_rows(path, rows, **options):
    """Writes a table in place of a file, whose metadata it keeps."""
    metadata = {key: value for key, value in (pq.ParquetFile(path).schema_arrow.metadata or {}).items() if key != b"ARROW:schema"}
    pq.write_table(rows.replace_schema_metadata(metadata), path, compression="zstd", **options)


# Cases.


class Case:
    """A damage of the history, or of the dataset that is added to it."""

    def __init__(self, name, damage, names=(), is_stated=True, is_accepted=False, is_of_files=False, is_dataset=False):
        # `damage` gets the folder. An error names the folder, and one of `names` if there are any. `is_stated`: the manifest states the
        # digests of the changed files. `is_accepted`: changed rows may be taken over. `is_of_files`: files and the manifest do not fit together.
        self.name, self.damage, self.names = ("dataset, " if is_dataset else "") + name, damage, names
        self.is_stated, self.is_accepted, self.is_of_files, self.is_dataset = is_stated, is_accepted, is_of_files, is_dataset


# The tables of a dataset that are read.
DATASET_TABLES = ("robots_files", "groups", "rules", "directives", "verdicts", "hosts", "host_preferences")
TABLES = [*((table, False) for table in HISTORY_TABLES), *((table, True) for table in DATASET_TABLES)]


def byte_cases(rng):
    """Damages bytes of files. The manifest states those of the sound file, or is changed with the file."""

    def flip(part, is_restated):
        share, bit = rng.random(), 1 << rng.randrange(8)

        def change(path):
            data = bytearray(path.read_bytes())
            footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
            start, end = {"data": (4, footer), "footer": (footer, len(data))}[part]
            data[start + int(share * (end - start))] ^= bit
            path.write_bytes(data)

        return f"a bit of the {part}{', with its digest' if is_restated else ''}", change, is_restated

    for table, is_dataset in TABLES:
        changes = [
            flip("data", False), flip("footer", False), flip("data", True), flip("footer", True),
            ("removed", lambda path: path.unlink(), False), ("cut", lambda path: os.truncate(path, path.stat().st_size * 7 // 10), False),
            ("empty", lambda path: os.truncate(path, 0), False), ("longer", lambda path: path.write_bytes(path.read_bytes() + b"PAR1"), False),
            ("a folder", lambda path: (path.unlink(), path.mkdir()), False),
            ("a link to itself", lambda path: (path.unlink(), path.symlink_to(path.name)), False)]
        for name, change, is_restated in changes:
            def damage(folder, program, table=table, change=change, is_restated=is_restated):
                path = file_of(folder, table)
                change(path)
                if is_restated:
                    restate(program, folder, path)

            # A bit of a file may change a value to which others refer.
            yield Case(f"{table}: {name}", damage, () if name.startswith("a bit") else (table,), is_stated=is_restated, is_accepted=is_restated,
                       is_of_files=True, is_dataset=is_dataset)


def manifest_cases():
    named = ("_manifest.jsonl", "manifest is damaged", "no tables")
    known = dict(is_stated=False, is_of_files=True)

    def line(name, number, names=named, **fields):
        def damage(folder, program):
            change_manifest(folder, entry_of(folder, number) if isinstance(number, str) else number, **fields)

        return Case(f"manifest: {name}", damage, names, **known)

    def text(name, change):
        def damage(folder, program):
            path = folder / "_manifest.jsonl"
            path.write_bytes(change(path.read_bytes()))

        return Case(f"manifest: {name}", damage, named, **known)

    yield text("removed bytes", lambda data: data[:40] + data[50:])
    yield text("cut within a line", lambda data: data[:-30])
    yield text("empty", lambda data: b"")
    yield text("not UTF-8", lambda data: data.replace(b"policy_rules", b"policy_rul\xff\xfe", 1))
    yield text("very deep", lambda data: data + b"[" * 200_000 + b"\n")
    yield text("a long line", lambda data: data + b'{"path":"' + b"a" * 10_000_000 + b'"}\n')
    yield text("a repeated line", lambda data: data + data.splitlines(True)[-1])
    yield line("a later format", 0, (), format=99)
    yield line("other columns", 0, (), schemas="0" * 16)
    yield line("no history", 0, (), kind=None)
    # Histories of another version have one, so that only those that merge them compare it.
    meaning = line("another meaning", 0, ("the first input have 2", "views.sql"), meaning=2)
    meaning.is_stated = True
    yield meaning
    yield line("no crawls", 0, crawls=None)
    yield line("a crawl that has no rows", 0, ("crawls",), crawls=["SERIES-000", "SERIES-001", "Z"])
    yield line("a crawl is missing", 0, ("crawls",), crawls=["SERIES-000"])
    yield line("a crawl twice", 0, crawls=["SERIES-000", "SERIES-000"])
    yield line("a crawl that is a path", 0, crawls=["../../x", "SERIES-001"])
    yield line("a crawl with control characters", 0, crawls=["\x1b[31m'; DROP TABLE hosts; --", "SERIES-001"])
    for path in ("../../x", "/etc/passwd", "policy_rules/../../x.parquet", "hosts/part-00000000-00000.parquet", "policy_rules/x\0"):
        yield line(f"the path {path!r}", "policy_rules", path=path)
    for number in (-1, 2**64 - 1, 1e300, None):
        yield line(f"{number!r} bytes", "policy_rules", ("policy_rules", *named), bytes=number)
        yield line(f"{number!r} rows", "policy_rules", ("policy_rules", *named), rows=number)
    yield line("another digest", "policy_rules", ("policy_rules",), xxh3="0" * 16)
    for table in HISTORY_TABLES:
        def remove(folder, program, table=table):
            lines = manifest_lines(folder)
            del lines[entry_of(folder, table)]
            write_manifest(folder, lines)

        yield Case(f"manifest: no line of {table}", remove, (table,), **known)


def edit(table, name, change, names=None, **known):
    """Changes the rows of a table, which are dictionaries; the manifest states the new file."""

    def damage(folder, program):
        path = file_of(folder, table)
        stored = pq.read_table(path, partitioning=None)
        write_rows(path, pa.Table.from_pylist(change(stored.to_pylist()), schema=stored.schema))
        restate(program, folder, path)

    return Case(f"{table}: {name}", damage, (table,) if names is None else names, **known)


def change_columns(table, name, change, names, **known):
    """Changes a table as Arrow has it."""

    def damage(folder, program):
        path = file_of(folder, table)
        write_rows(path, change(pq.read_table(path, partitioning=None)))
        restate(program, folder, path)

    return Case(f"{table}: {name}", damage, names, **known)


def with_type(column, kind):
    def change(rows):
        values = pa.nulls(rows.num_rows, kind) if pa.types.is_nested(kind) else rows.column(column).cast(kind, safe=False)
        return rows.set_column(rows.schema.get_field_index(column), column, values)

    return change


def with_null(column):
    """The column is nullable, and the second row has a null."""

    def change(rows):
        index, kind = rows.schema.get_field_index(column), rows.schema.field(column).type
        values = rows.column(column).to_pylist()
        values[1] = None
        return rows.set_column(index, pa.field(column, kind), pa.array(values, kind))

    return change


def updated(row, **fields):
    """Changes fields of one row; a function gets the old value."""

    def change(rows):
        number = row(rows) if callable(row) else row
        for field, value in fields.items():
            rows[number][field] = value(rows[number][field]) if callable(value) else value
        return rows

    return change


def first_with(**fields):
    """The number of the first row with these fields. True stands for any value."""
    return lambda rows: next(number for number, row in enumerate(rows) if all(
        row[field] is not None if value is True else row[field] == value for field, value in fields.items()))


def removed(row):
    return lambda rows: [*rows[:row], *(rows[row + 1:] if row >= 0 else [])]


def repeated(row):
    return lambda rows: [*rows[:row + 1], *rows[row:]]


def added(**fields):
    """Repeats the last row with other fields."""
    return lambda rows: [*rows, {**rows[-1], **fields}]


def swapped(rows):
    return [rows[1], rows[0], *rows[2:]]


def cases_of_columns(world):
    """Changes of every table and of every column."""
    referring = ("host_periods", "host_captures", "policies", "policy", "preference_sets", "agent_periods", "crawls", "hosts", "robots_files", "verdicts")
    for table, is_dataset in TABLES:
        known = dict(is_dataset=is_dataset)
        schema = pq.read_schema(file_of(world.dataset if is_dataset else world.history, table))
        first, last = schema.names[0], schema.names[-1]
        # The registry and the places of archives are taken over.
        is_accepted = table in ("agents", "archives")
        yield edit(table, "rows backwards", lambda rows: rows[::-1], (table, *referring), is_accepted=is_accepted, **known)
        yield change_columns(table, "no last column", lambda rows: rows.remove_column(rows.num_columns - 1), (table, last), **known)
        yield change_columns(table, "nulls in a column without nulls", with_null(first), (table, first), **known)
        yield change_columns(table, "a column of another type", with_type(first, pa.list_(pa.int64())), (table, first), **known)
        if not is_dataset:
            yield edit(table, "a row twice", repeated(1), is_accepted=table == "archives")
            yield change_columns(table, "an extra column", lambda rows: rows.append_column("extra", pa.nulls(rows.num_rows, pa.int32())), (table,))
        for field in schema:
            values = (-1, 1000) if pa.types.is_integer(field.type) else ("", "\0\x1b[31m/..") if pa.types.is_string(field.type) else (
                (datetime.datetime(9999, 1, 1),) if pa.types.is_timestamp(field.type) else ())
            for value in (*values, *([None] if field.nullable else [])):
                yield edit(table, f"{field.name} is {value!r}", updated(1, **{field.name: value}), (table, *referring), is_accepted=True, **known)


def row_cases():
    """Rows of a history that cannot be merged, in valid files whose digests the manifest states."""
    captures, periods, contents, crawls = "host_captures", "host_periods", "host_contents", "crawls"
    for column, kind in (("capture_no", pa.int32()), ("crawl", pa.binary()), ("fetch_time", pa.timestamp("us"))):
        yield change_columns(captures, f"another type of {column}", with_type(column, kind), (column,))
    yield edit(periods, "a row is missing", removed(2), (periods, captures))
    yield edit(periods, "the last row is missing", removed(-1), (periods, captures))
    yield edit(periods, "a period without captures", lambda rows: [*rows, {**rows[-1], "period_no": rows[-1]["period_no"] + 1}])
    yield edit(periods, "the number of another host", updated(0, host_no=1), (periods, captures))
    yield edit(periods, "no captures", updated(0, n_captures=0))
    yield edit(periods, "the wrong first crawl", updated(first_with(first_crawl="SERIES-001"), first_crawl="SERIES-000"))
    yield edit(periods, "the wrong last crawl", updated(first_with(last_crawl="SERIES-000"), last_crawl="SERIES-001"))
    yield edit(periods, "an unknown last crawl", updated(0, last_crawl="NOWHERE"))
    yield edit(periods, "a policy that does not exist", updated(first_with(policy_id=True), policy_id=UNKNOWN_KEY), (periods, "policies"))
    yield edit(periods, "a policy in upper case", updated(first_with(policy_id=True), policy_id=str.upper))
    yield edit(periods, "a policy that is no key", updated(first_with(policy_id=True), policy_id="../../x"))
    yield edit(periods, "preferences that do not exist", updated(first_with(preference_set_id=True), preference_set_id=UNKNOWN_KEY),
               (periods, "preference_sets"))
    yield edit(contents, "another period", updated(-1, period_no=2**31 - 1))
    yield edit(contents, "a negative number", updated(0, content_no=-1))
    yield edit(contents, "another host", updated(0, surt_host_name="x"), (contents, captures))
    yield edit("policies", "a policy is missing", removed(0), ("policy_", "policies"))
    yield edit("policies", "another number of rules", updated(0, n_rules=lambda number: number + 1), ("policy_rules", "policies"))
    yield edit("policies", "a key that is none", updated(0, policy_id="x" * 32), ("policy_", "policies"))
    yield edit("policies", "a policy without lines", added(policy_id=UNKNOWN_KEY, n_user_agents=0, n_rules=0, n_directives=0, n_verdicts=0))
    for table in ("policy_groups", "policy_rules", "policy_directives", "policy_verdicts"):
        yield edit(table, "a row is missing", removed(0))
        yield edit(table, "the first row of a policy that does not exist", lambda rows: [{**rows[0], "policy_id": "0" * 32}, *rows])
    yield edit("preference_sets", "a set that is not used", added(preference_set_id=UNKNOWN_KEY))
    for table in ("shares", "archives"):
        yield edit(table, "an unknown crawl", updated(0, crawl="NOWHERE"))
    yield edit("shares", "an unknown verdict", updated(0, verdict="maybe"))
    yield edit(crawls, "a crawl is missing", removed(0))
    yield edit(crawls, "another name", updated(0, crawl="OTHER"))
    yield edit(crawls, "another order of times", updated(0, median_fetch=datetime.datetime(2099, 1, 1)))
    yield edit(crawls, "another place", updated(0, position=7))
    yield edit(crawls, "other hosts", updated(0, hosts=-1), (crawls, captures))
    yield edit(crawls, "other domains", updated(0, domains=HUGE))


def dataset_cases():
    """Rows and manifests of a dataset that cannot be merged."""
    known = dict(is_dataset=True)
    yield edit("robots_files", "a capture twice", repeated(0), **known)
    yield edit("robots_files", "a capture without lines twice", lambda rows: [*rows, rows[first_with(content_class=None)(rows)]],
               ("robots_files", "verdicts"), **known)
    yield edit("robots_files", "a capture is missing", removed(0), ("robots_files", "hosts", "groups", "rules", "verdicts"), **known)
    for table in ("groups", "rules", "directives", "verdicts"):
        yield edit(table, "a row of a capture that does not exist", added(robots_id=HUGE), **known)
    yield edit("hosts", "a host twice", repeated(0), **known)
    yield edit("hosts", "hosts that are not sorted", swapped, **known)
    yield edit("hosts", "a capture that does not exist", updated(0, authoritative_robots_id=HUGE), **known)
    yield edit("hosts", "rules of a capture that does not exist", updated(0, rules_robots_id=-7), **known)
    yield edit("host_preferences", "preferences of a host that does not exist", added(host_id=HUGE), **known)
    for fields in ({"format": 99}, {"meaning": -1}, {"options": None}):
        yield Case(f"manifest: {fields}", lambda folder, program, fields=fields: change_manifest(folder, 0, **fields), is_accepted=True, **known)
    for part in ({"captures": 2**64 - 1}, {"crawl": "../../x"}, {"crawl": "SERIES-000"}, {"inputs": {"start": 0, "end": 2**63}},
                 {"part": 2**32 - 1}, {"tables": []}):
        def damage(folder, program, part=part):
            change_manifest(folder, next(number for number, line in enumerate(manifest_lines(folder)) if "part" in json.loads(line)), **part)

        yield Case(f"manifest: a part with {part}", damage, is_accepted=True, **known)


# Runs.


class Ran:
    """A command that has ended."""

    def __init__(self, command, code, output, error, seconds):
        self.command, self.code, self.output, self.error, self.seconds = command, code, output, error, seconds


def launch(program, *arguments):
    """Runs a command within limits of memory and time. An allocation beyond the limit ends it with a signal."""
    limits = f'ulimit -c 0; ulimit -v {MEMORY_BYTES >> 10}; exec "$0" "$@"'
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
        self.program, self.folder, self.differing = program, folder, 0
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
        for table in HISTORY_TABLES:
            assert pq.ParquetFile(file_of(self.history, table)).metadata.num_rows > 1, table

    def random_archives(self, number):
        """Archives in which statements, revisits and redirects of all kinds meet."""
        rng = random.Random(number + 11)
        names = [*NAMES, *(f"h{number}.example.net" for number in range(12))]
        crawl = RandomCrawl(rng, names, BODIES[:14], (200, 200, 200, 404), True, datetime.datetime(2016, 1, 4) + datetime.timedelta(days=30 * number))
        return crawl.write(self.folder / "random" / str(number), f"random-{number}")

    def check(self, case, number):
        """Runs all commands over a copy that is damaged. Returns what is wrong, and the commands."""
        place = self.folder / f"cases/{number:04}"
        damaged, sound = place / "damaged", self.dataset if case.is_dataset else self.history
        shutil.copytree(sound, damaged)
        views = damaged / "views.sql"
        views.write_text(views.read_text(encoding="utf-8").replace(str(sound), str(damaged)), encoding="utf-8")
        case.damage(damaged, self.program)
        found, ran = [], []

        def call(*arguments):
            done = launch(self.program, *arguments)
            ran.append(done)
            found.extend(f"{arguments[0]}: {problem}" for problem in self.problems(case, done))
            return done

        verify = call("verify", damaged)
        others = (self.history, damaged) if case.is_dataset else (damaged, self.dataset)
        out = place / "out"
        added = call("history", *others, "-q", "-o", out, "--memory", "64MiB")
        differing = []
        if added.code == 0:
            if rows_of(out) != self.rows:
                differing.append("history")
        elif left := sorted(path.name for path in out.rglob("*") if path.is_file() and path.name != "_log.jsonl") if out.exists() else []:
            found.append(f"history: left {left}")
        if not case.is_dataset:
            differing += self.check_match(call, place, damaged, found)
            # The views read no rows when they are written.
            if case.is_of_files and call("views", damaged, "-q").code == 0:
                self.open_views(damaged)
            if number % 10 == 0:
                found.extend(self.check_overwrite(damaged, place))
        if not case.is_stated:
            if verify.code == 0:
                found.append("verify does not report it")
            # `match` compares no digests.
            differing = [command for command in differing if command == "history"]
        if differing and not case.is_accepted:
            found.append(f"{' and '.join(differing)} took over rows that were changed; verify: exit code {verify.code}")
        shutil.rmtree(place)
        self.differing += bool(differing)
        return found, ran

    def check_match(self, call, place, damaged, found):
        """Answers the list over a damaged history. Returns the name of the command if the answers are others."""
        answers = place / "answers.parquet"
        matched = call("match", damaged, "--urls", self.urls, *MATCH_OPTIONS, "-q", "-o", answers, "--memory", "64MiB")
        if matched.code == 0:
            return [] if pq.read_table(answers).equals(self.answers) else ["match"]
        if left := list(place.glob("answers*")):
            found.append(f"match: left {left}")
        return []

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
        done = launch(self.program, "history", damaged, self.dataset, "-q", "-o", target, "--overwrite", "--memory", "64MiB")
        after = {path: path.read_bytes() for path in target.rglob("*") if path.is_file() and path.name != "_log.jsonl"}
        if done.code != 0 and before != after:
            yield f"history --overwrite: exit code {done.code}, and the history was changed"


class Tests:
    def __init__(self, world, seed, is_campaign, only, jobs):
        self.world, self.jobs = world, jobs
        rng = random.Random(seed)
        few, many = [*manifest_cases(), *row_cases(), *dataset_cases()], [*byte_cases(rng), *cases_of_columns(world)]
        names = [case.name for case in (*few, *many)]
        assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
        if not only:
            few, many = test_runner.share(few, PART, is_campaign), test_runner.share(many, PART_OF_TABLES, is_campaign)
        self.cases = [case for case in (*few, *many) if only in case.name]

    def test_damage(self):
        ran = check_cases(self.world.check, self.cases, self.jobs)
        codes = Counter((done.command, done.code) for done in ran)
        print(f"{len(self.cases)} cases, {len(ran)} commands: {sorted(codes.items(), key=str)}; at most {max(done.seconds for done in ran):.1f} s; "
              f"other rows in {self.world.differing} cases")

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
        restate(program, earlier, path)
        run(program, "history", earlier, datasets[-1], "-q", "-o", later)
        assert files_of(later, "host_captures")[CRAWLS - 2].read_bytes() == path.read_bytes()
        # This reads the captures.
        forgotten = folder / "forgotten.txt"
        forgotten.write_text("absent.example\n", encoding="utf-8")
        run(program, "history", earlier, datasets[-1], "-q", "-o", folder / "other", "--forget", forgotten, codes=(2, 3))


def check_cases(check, cases, jobs):
    """Checks all cases, several at a time, and fails with the problems of all. Returns the commands that ran."""

    def tried(number):
        try:
            return check(cases[number], number)
        except Exception as error:  # A case that cannot be made.
            return [f"{type(error).__name__}: {error}"], []

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(tried, range(len(cases))))
    failed = [f"{case.name}: {problem}" for case, (found, _) in zip(cases, results) for problem in found]
    assert not failed, f"{len(failed)} problems\n  " + "\n  ".join(failed)
    return [done for _, ran in results for done in ran]


def main(make_world, make_tests):
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("xtask", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--campaign", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(args.program, args.xtask, Path(folder))
        sys.exit(1 if test_runner.run(make_tests(world, args.seed, args.campaign, args.only, args.jobs)) else 0)


if __name__ == "__main__":
    main(World, Tests)
