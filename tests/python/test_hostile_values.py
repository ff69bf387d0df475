"""Puts hostile values into tables, and runs the commands that read them.

    python tests/python/test_hostile_values.py target/debug/robots-scan target/debug/xtask [--campaign] [--seed SEED] [--only TEXT]

Each column of each table of a dataset and of a history gets one hostile value in turn: a text of megabytes, stored once in a dictionary and repeated
in a thousand rows; the largest number that the column can have; and, with `--campaign`, a long text in one row, and a row that is repeated
millions of times. The manifest states the size and the digest of the file. In every case

- a command takes no more memory than the limit below, and ends with a documented exit code, without a panic;
- an error names the input, and one about the size of values names the file, the row group and the column;
- no file that a command writes is larger than a limit.

Without `--campaign`, each column is read by one command, which depends on the seed. Then each command reads values that
take long, in a file that is large enough for them, and hears SIGTERM before it has computed for another second.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

sys.dont_write_bytecode = True

import pyarrow as pa
import pyarrow.parquet as pq

import test_runner
from source_runs import cpu_seconds
from test_history_damage import World as Histories, check_cases, main, restate, run

# The resident memory and the largest file of a command, and the time after which it is ended.
MEMORY_BYTES = 512 << 20
FILE_BYTES = 1 << 30
TIMEOUT_SECONDS = 120
# What a command may compute after SIGTERM.
STOP_CPU_SECONDS = 1.0
MESSAGE_BYTES = 4096
LONG_TEXT, REPEATED_ROWS = "z" * (4 << 20), 1000
# `check` says with 1 that the URL is disallowed.
CODES = {"verify": (0, 1, 2)}
PLACE = re.compile(r"row group \d+, column `([^`]+)`: ")


class Ended:
    """A command that has ended."""

    def __init__(self, code, output, error, memory, cpu_after_signal):
        self.code, self.output, self.error, self.memory, self.cpu_after_signal = code, output, error, memory, cpu_after_signal


def launch(program, arguments, folder, stop_after=None):
    """Runs a command within limits. Sends SIGTERM after it has computed for `stop_after` seconds."""
    limits = f'ulimit -c 0; ulimit -f {FILE_BYTES // 512}; exec "$0" "$@"'
    with open(folder / "stdout", "w+b") as output, open(folder / "stderr", "w+b") as error:
        process = subprocess.Popen(["sh", "-c", limits, program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=output, stderr=error)
        signalled, deadline = None, time.monotonic() + TIMEOUT_SECONDS
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                process.kill()
            elif stop_after is not None and signalled is None and (used := cpu_seconds(process.pid)) >= stop_after:
                process.send_signal(signal.SIGTERM)
                signalled = used
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (output, error):
            file.seek(0)
            texts.append(file.read(1 << 20).decode("utf-8", "replace"))
    after = None if signalled is None else usage.ru_utime + usage.ru_stime - signalled
    return Ended(process.returncode, *texts, usage.ru_maxrss << 10, after)


# Hostile tables.


def last_file(folder, table):
    return sorted((folder / table).rglob("*.parquet"))[-1]


def write_table(path, rows, padding=0, **options):
    """Writes rows in place of a file, whose metadata it keeps, with incompressible bytes beside them."""
    metadata = {key: value for key, value in (pq.read_schema(path).metadata or {}).items() if key != b"ARROW:schema"}
    if padding:
        metadata[b"padding"] = os.urandom(padding // 2).hex().encode()
    options = {"compression": "zstd", "write_statistics": False, "store_schema": False, "row_group_size": 500_000,
               "dictionary_pagesize_limit": 1 << 30, "data_page_size": 1 << 30, "write_batch_size": 1 << 20, **options}
    pq.write_table(rows.replace_schema_metadata(metadata), path, **options)


def read_rows(path):
    return pq.ParquetFile(path).read()


def with_last_value(rows, column, value, copies):
    """Rows whose last one has another text in a column, and follows itself several times. The text is stored once."""
    index, count = rows.schema.get_field_index(column), rows.num_rows
    field = rows.schema.field(index)
    old = rows.column(index).to_pylist()[:-1]
    texts = sorted({text for text in old if text is not None})
    keys = [None if text is None else texts.index(text) for text in old] + [len(texts)] * (copies + 1)
    texts = pa.DictionaryArray.from_arrays(pa.array(keys, pa.int32()), pa.array([*texts, value], field.type))
    rows = rows.take(pa.array([*range(count)] + [count - 1] * copies))
    return rows.set_column(index, pa.field(column, texts.type, field.nullable), texts)


def with_next_lines(rows, copies):
    """Rows whose last ones have ascending numbers of lines, as the rows of a capture must have."""
    index = rows.schema.get_field_index("line_no")
    if index < 0:
        return rows
    numbers = rows.column(index).to_pylist()
    first = numbers[-copies - 1] or 0
    numbers[-copies - 1:] = range(first, first + copies + 1)
    return rows.set_column(index, rows.schema.field(index), pa.array(numbers, rows.schema.field(index).type))


def largest(field):
    """The largest value of a column; None for texts and booleans."""
    if pa.types.is_integer(field.type):
        return (1 << (field.type.bit_width - 1)) - 1
    if pa.types.is_timestamp(field.type):
        return (1 << 63) - 1
    return float("inf") if pa.types.is_floating(field.type) else None


def put_repeated(path, column):
    rows = read_rows(path)
    write_table(path, with_next_lines(with_last_value(rows, column, LONG_TEXT, REPEATED_ROWS), REPEATED_ROWS))


def put_long(path, column):
    write_table(path, with_last_value(read_rows(path), column, LONG_TEXT * 3, 0))


def put_largest(path, column):
    rows = read_rows(path)
    index = rows.schema.get_field_index(column)
    field = rows.schema.field(index)
    last = pa.array([largest(field)], field.type)
    values = pa.concat_arrays([*rows.column(index).slice(0, rows.num_rows - 1).chunks, last])
    write_table(path, rows.set_column(index, field, values))


def put_many(path, column):
    """Repeats the last row three million times, which takes few bytes. The column is not of interest."""
    rows = read_rows(path)
    last = rows.slice(rows.num_rows - 1).combine_chunks()
    many = last.take(pa.array([0] * 500_000))
    write_table(path, pa.concat_tables([rows, *[many] * 6]))


def put_slow(path, column):
    """Values that take long, in a file that is large enough for them."""
    rows, copies = read_rows(path), 2500
    first = with_last_value(rows, column, "z" * 60_000, copies * 40)
    write_table(path, with_next_lines(first, copies * 40), padding=4 << 20, row_group_size=copies)


# Cases.

PUT = {"repeated": put_repeated, "long": put_long, "largest": put_largest, "many": put_many}


class Case:
    def __init__(self, source, table, column, kind, commands):
        self.source, self.table, self.column, self.kind, self.commands = source, table, column, kind, commands
        self.name = f"{source}: {table}.{column}: {kind}"


class World:
    """A dataset and a history, and the commands that read them."""

    def __init__(self, program, xtask, folder):
        self.program, self.folder = program, folder
        sound = Histories.__new__(Histories)
        sound.folder = folder
        run(xtask, "series", folder / "series", 2, 20, 1)
        datasets = []
        for number in range(2):
            archives = sorted((folder / "series" / f"crawl-{number:03}").glob("*.warc.gz")) + sound.random_archives(number)
            datasets.append(folder / f"dataset-{number}")
            run(program, *archives, "-q", "-o", datasets[-1], "--crawl", f"SERIES-{number:03}", "--with-bodies", codes=(0, 1))
        self.dataset = datasets[1]
        self.history = folder / "history"
        run(program, "history", datasets[0], "-q", "-o", self.history)
        self.other = datasets[0]
        rows = read_rows(last_file(self.dataset, "robots_files")).to_pylist()
        # The last capture with rules: hostile values are in the last rows.
        rules = read_rows(last_file(self.dataset, "rules")).column("robots_id").to_pylist()
        self.host = next(row["url_host_name"] for row in rows if row["robots_id"] == rules[-1])
        self.urls = folder / "urls.csv"
        hosts = {row["url_host_name"] for row in rows if row["url_host_name"]}
        self.urls.write_text("url\n" + "".join(f"https://{host}/x\n" for host in sorted(hosts)), encoding="utf-8")

    def arguments(self, command, hostile, place):
        """The arguments of a command that reads a dataset or a history."""
        out = place / "out"
        return {
            "verify": ("verify", hostile),
            "match": ("match", hostile, "--urls", self.urls, "--agent", "GPTBot,Googlebot", "-q", "-o", out / "answers.parquet", "--memory", "64MiB"),
            "check": ("check", hostile, "--host", self.host, "--agent", "GPTBot"),
            "history": ("history", hostile, "-q", "-o", out / "history", "--memory", "64MiB"),
            "added": ("history", hostile, self.dataset, "-q", "-o", out / "history", "--memory", "64MiB"),
            "join": ("join", hostile.parent, "-q", "--memory", "64MiB"),
        }[command]

    def make(self, source, table, column, put, number):
        """Copies what a case reads, and puts the value into it."""
        place = self.folder / f"cases/{number:04}"
        hostile = place / "joined" / "hostile"
        shutil.copytree(self.dataset if source == "dataset" else self.history, hostile)
        (place / "out").mkdir()
        path = last_file(hostile, table)
        put(path, column)
        restate(self.program, hostile, path)
        return place, hostile, path

    def check(self, case, number):
        """Runs the commands of a case. Returns what is wrong, and how each ended."""
        place, hostile, path = self.make(case.source, case.table, case.column, PUT[case.kind], number)
        found, ran = [], []
        for command in case.commands:
            arguments = self.arguments(command, hostile, place)
            ended = launch(self.program, arguments, place)
            ran.append((command, ended))
            found.extend(f"{command}: {problem}" for problem in self.problems(case, arguments[0], ended, hostile, path))
            shutil.rmtree(place / "out")
            (place / "out").mkdir()
        shutil.rmtree(place)
        return found, ran

    def problems(self, case, command, ended, hostile, path):
        """What is wrong with how a command ended."""
        said = f"{ended.output[-300:]}{ended.error[-600:]}"
        if ended.memory > MEMORY_BYTES:
            yield f"{ended.memory >> 20} MiB: {said}"
        if ended.code not in CODES.get(command, (0, 2, 3)):
            yield f"exit code {ended.code}: {said}"
            return
        if "panicked" in ended.error + ended.output or "Usage:" in ended.error:
            yield f"it panicked: {said}"
        if ended.code == 0:
            return
        text = ended.output if command == "verify" and ended.code == 1 else ended.error
        if len(text) > (64 << 10 if command == "verify" else MESSAGE_BYTES):
            yield f"a message of {len(text)} bytes: {text[:300]!r}"
        if command != "verify" and (not text.startswith("error: ") or text.count("\nerror: ")):
            yield f"no clear message: {text[:600]!r}"
        if "bytes" in text and "values" in text or "a page has" in text:
            place = PLACE.search(text)
            if place is None or place[1] != case.column or path.name not in text:
                yield f"a message without the file, the row group and the column: {text[:600]!r}"


# The commands that read values of each table, beside `verify`, which reads those of all tables.
DATASET_COMMANDS = {
    "robots_files": ("join", "history", "match", "check"),
    "verdicts": ("join", "history"),
    "file_preferences": ("join", "history"),
    "groups": ("history", "match", "check"),
    "rules": ("history", "match", "check"),
    "sitemaps": ("check",),
    "directives": ("history", "match", "check"),
    "preferences": (),
    "anomalies": ("check",),
    "hosts": ("history",),
    "host_preferences": ("history",),
    "host_verdicts": (),
    "runs": ("history",),
    "faults": (),
    "agents": ("history",),
}
HISTORY_COMMANDS = ("added", "match", "check")
# For each command, a text column of which it reads all values.
SLOW = (
    ("dataset", "verify", "verdicts", "agent"), ("dataset", "join", "file_preferences", "category"), ("dataset", "history", "rules", "path"),
    ("dataset", "match", "rules", "path"), ("dataset", "check", "rules", "path"),
    ("history", "added", "shares", "agent"), ("history", "verify", "policy_rules", "path"),
    ("history", "match", "policy_rules", "path"), ("history", "check", "policy_rules", "path"),
)


class Tests:
    def __init__(self, world, seed, is_campaign, only, jobs):
        self.world, self.jobs = world, jobs
        rng = random.Random(seed)
        kinds = ("repeated", "largest", "long", "many") if is_campaign else ("repeated", "largest")
        self.cases = []
        for source, folder in (("dataset", world.dataset), ("history", world.history)):
            for table in sorted(path.name for path in folder.iterdir() if path.is_dir() and last_file(folder, path.name)):
                commands = DATASET_COMMANDS[table] if source == "dataset" else HISTORY_COMMANDS
                schema = pq.read_schema(last_file(folder, table))
                for number, field in enumerate(schema):
                    for kind in kinds:
                        is_text = pa.types.is_string(field.type)
                        if kind in ("repeated", "long") and not is_text or kind == "largest" and largest(field) is None or kind == "many" and number:
                            continue
                        all_commands = ("verify", *commands)
                        case = Case(source, table, field.name, kind, all_commands if is_campaign else rng.sample(all_commands, 1))
                        if only in case.name and read_rows(last_file(folder, table)).num_rows > 0:
                            self.cases.append(case)
        self.cases = test_runner.share(self.cases, 0.2, is_campaign or only)

    def test_every_column(self):
        ran = check_cases(self.world.check, self.cases, self.jobs)
        codes = Counter((command, f"{ended.code}{' refused' if PLACE.search(ended.error + ended.output) else ''}") for command, ended in ran)
        print(f"{len(self.cases)} cases: {sorted(codes.items())}; at most {max((ended.memory for _, ended in ran), default=0) >> 20} MiB")

    def test_sigterm(self):
        failed = []
        for number, (source, command, table, column) in enumerate(SLOW, 9000):
            place, hostile, _ = self.world.make(source, table, column, put_slow, number)
            arguments = self.world.arguments(command, hostile, place)
            ended = launch(self.world.program, arguments, place, stop_after=0.1)
            said = f"{source} {command}: exit code {ended.code} after {ended.cpu_after_signal} s of computing, {ended.memory >> 20} MiB"
            print(said, ended.error[-300:].strip().splitlines()[:1])
            if ended.cpu_after_signal is not None and ended.cpu_after_signal > STOP_CPU_SECONDS or ended.memory > MEMORY_BYTES:
                failed.append(f"{said}: {ended.error[-300:]}")
            shutil.rmtree(place)
        assert not failed, "\n  ".join(failed)


if __name__ == "__main__":
    main(World, Tests)
