"""Puts a hostile value into each column of the lists and tables of others that commands read.

    python tests/python/test_hostile_lists.py target/debug/robots-scan [--campaign]

A value is long, or repeated through a dictionary, or there are very many rows of a few bytes; or the footer of a file of Parquet without rows nests many
groups, or states more children than it has. A run must end by itself with a documented exit code,
within a limit of time, memory and bytes on disk. If it ends with an error, that names the file, and for a value that is repeated the row group and
the column. SIGTERM ends each command within a second. `--campaign` tries all kinds in all formats.
"""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True

import pyarrow as pa
import pyarrow.parquet as pq

import test_runner
from source_runs import SAMPLES, check_all, cpu_seconds, faults_of, run, run_tests, run_to

MEMORY_BYTES, DISK_BYTES = 512 << 20, 1 << 30
# The seconds that a command may compute after SIGTERM.
STOP_CPU_SECONDS = 1
LONG_BYTES, REPEATED_BYTES = 16 << 20, 1 << 20
ARCHIVE = "cc-robotstxt.warc.gz"
RECORD = {"warc_filename": ARCHIVE, "warc_record_offset": 0, "warc_record_length": 350, "crawl": "X", "subset": "robotstxt"}
# The columns that each command reads, with a sound value.
COMMANDS = {
    "match": {"url": "https://travel.example/a", "fetch_time": "2026-03-01T00:00:00Z"},
    "bodies": {"url": "https://travel.example/robots.txt", "body": "x", "fetch_time": "2026-03-01T00:00:00Z", "fetch_status": "301",
               "fetch_redirect": "https://other.example/", "headers": "Server: x", "content_digest": "A" * 32, "is_revisit": "false",
               "is_valid_utf8": "true", "crawl": "X"},
    "records": RECORD,
}
CODES = {"match": (0, 2), "bodies": (0, 1, 2), "records": (0, 1, 2)}
FORMATS = ("parquet", "csv.gz", "jsonl.gz")


def hostile(sound, size):
    """A sound value that is longer."""
    return f"{sound}{'a' * size}"


def write_parquet(path, columns, rows):
    """Writes rows of equal values, each of which is stored once."""
    repeated = {name: pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), pa.array([value])) if isinstance(value, str)
                else pa.repeat(value, rows) for name, value in columns.items()}
    pq.write_table(pa.table(repeated), path, compression="zstd", dictionary_pagesize_limit=1 << 30, data_page_size=1 << 30, write_statistics=False,
                   store_schema=False, row_group_size=1 << 30)


def write_text(path, columns, rows):
    if "csv" in path.name:
        line = ",".join(f'"{value}"' for value in columns.values()) + "\n"
        head = ",".join(columns) + "\n"
    else:
        line, head = json.dumps(columns) + "\n", ""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head.encode())
        for _ in range(rows):
            file.write(line.encode())


def number(value):
    """A number in the compact protocol of Thrift."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + number(value >> 7)


def element(name, children=0):
    """A group or, without children, a column of a schema: repetition, name and children, or type, repetition and name."""
    text = number(len(name)) + name.encode()
    return b"\x35\0\x18" + text + b"\x15" + number(2 * children) + b"\0" if children else b"\x15\x0c\x25\0\x18" + text + b"\0"


def write_footer(path, elements):
    """Writes a file without rows that has this schema: version, schema, number of rows and no row groups."""
    footer = b"\x15\x02\x19\xfc" + number(len(elements)) + b"".join(elements) + b"\x16\0\x19\x0c\0"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def nested(column, levels):
    """A schema with a column of which groups are nested."""
    return [element("schema", 1), element(column, 1), *[element("a", 1)] * (levels - 2), element("a")]


class Tests:
    # Kinds of values by format: their bytes, if they are longer than a sound one, and the number of rows.
    kinds = {"parquet": {"long": (LONG_BYTES, 2), "repeated": (REPEATED_BYTES, 20_000), "many": (0, 20_000)},
             "csv.gz": {"long": (LONG_BYTES, 2)}, "jsonl.gz": {"long": (LONG_BYTES, 2)}}

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.memory_bytes = self.seconds = self.disk_bytes = 0
        run_to(0, program, SAMPLES / ARCHIVE, "-q", "-o", folder / "dataset")

    def arguments(self, command, path, out):
        if command == "match":
            return "match", self.folder / "dataset", "-a", "GPTBot", "-u", path, "-o", out, "-q"
        base = ("--base", SAMPLES) if command == "records" else ()
        return command, path, *base, "-o", out, "-q"

    def check(self, name, command, column, suffix, size, rows):
        folder = self.folder / name
        folder.mkdir()
        path = folder / f"list.{suffix}"
        columns = {**COMMANDS[command]}
        if size or suffix != "parquet":
            columns[column] = hostile(columns[column], size)
        (write_parquet if suffix == "parquet" else write_text)(path, columns, rows)
        before = path.stat().st_size
        ran = run(self.program, *self.arguments(command, path, folder / "out"), is_measured=True)
        written = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) - before
        assert ran.code in CODES[command], f"exit code {ran.code}: {ran.stderr[-500:]}"
        assert ran.memory_bytes <= MEMORY_BYTES, f"{ran.memory_bytes >> 20} MiB, exit code {ran.code}: {ran.stderr[-300:]}"
        assert written <= DISK_BYTES, f"{written >> 20} MiB are written"
        texts = [ran.stderr, *(f"{name} {detail}" for name, _, _, _, detail, *_ in (faults_of(folder / "out") if ran.code == 1 else ()))]
        if ran.code:
            assert path.name in " ".join(texts), f"the error names no file: {ran.stderr[-300:]}"
        if "values are repeated" in " ".join(texts):
            place = f"row group 0, column `{column}`"
            assert any(place in text for text in texts), f"no {place} in {ran.stderr[-300:]}"
        self.memory_bytes, self.seconds = max(self.memory_bytes, ran.memory_bytes), max(self.seconds, ran.cpu_seconds)
        self.disk_bytes = max(self.disk_bytes, written)
        shutil.rmtree(folder)

    def check_command(self, command):
        cases = [(f"{command}-{column}-{kind}-{suffix}", command, column, suffix, *size)
                 for suffix, kinds in self.kinds.items() for kind, size in kinds.items()
                 for column in (COMMANDS[command] if kind != "many" else list(COMMANDS[command])[:1])]
        cases = test_runner.share(cases, 0.5, isinstance(self, Campaign))
        try:
            check_all(self.check, cases, threads=2)
        finally:
            print(f"  {len(cases)} lists, of at most {self.seconds:.1f} s of computing, {self.memory_bytes >> 20} MiB of memory and {self.disk_bytes >> 20} MiB on disk")

    def test_lists_of_urls(self):
        self.check_command("match")

    def test_tables_of_bodies(self):
        self.check_command("bodies")

    def test_lists_of_records(self):
        self.check_command("records")

    def test_footers(self):
        schemas = {"nested": lambda column: nested(column, 5000), "deep": lambda column: nested(column, 100_000),
                   "children": lambda column: [element("schema", (1 << 31) - 1), element(column)],
                   "long": lambda column: [element("schema", 1), element(column + "a" * (1 << 20))]}
        for command, columns in COMMANDS.items():
            for kind, schema in schemas.items():
                path = self.folder / f"{command}-{kind}.parquet"
                write_footer(path, schema(next(iter(columns))))
                ran = run(self.program, *self.arguments(command, path, self.folder / f"{command}-{kind}"), is_measured=True)
                assert ran.code in (1, 2, 3) and path.name in ran.stderr and "schema" in ran.stderr, f"exit code {ran.code}: {ran.stderr[-300:]}"
                assert ran.memory_bytes <= MEMORY_BYTES, f"{command} {kind}: {ran.memory_bytes >> 20} MiB"

    def test_large_footers(self):
        """Tables with many columns, levels and row groups are read."""
        path, rows = self.folder / "large.parquet", 3
        deep = pa.array([1] * rows)
        for _ in range(8):
            deep = pa.StructArray.from_arrays([deep], ["a"])
        wide = {f"column_{n}": pa.array([n] * rows) for n in range(2000)}
        pq.write_table(pa.table({"url": ["https://travel.example/a"] * rows, "deep": deep, **wide}), path)
        many = self.folder / "many.parquet"
        pq.write_table(pa.table({"url": ["https://travel.example/a"] * 10_000}), many, row_group_size=1)
        for path in (path, many):
            run_to(0, self.program, *self.arguments("match", path, self.folder / f"of-{path.name}"))

    def test_a_signal_ends_each_command_within_a_second(self):
        """The lists have so many rows that no command reads them before the signal. The second is one of computing."""
        for command, columns in COMMANDS.items():
            path = self.folder / f"many-{command}.parquet"
            write_parquet(path, columns, 2_000_000)
            process = subprocess.Popen(list(map(str, (self.program, *self.arguments(command, path, self.folder / f"signal-{command}")))),
                                       stderr=subprocess.DEVNULL)
            while process.poll() is None and (before := cpu_seconds(process.pid)) < 0.2:
                time.sleep(0.01)
            assert process.returncode is None, f"{command} ended by itself"
            process.send_signal(signal.SIGTERM)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = usage.ru_utime + usage.ru_stime - before
            assert seconds < STOP_CPU_SECONDS, f"{command} computed for {seconds:.1f} s after the signal"
            path.unlink()


class Campaign(Tests):
    kinds = {suffix: {"long": (LONG_BYTES, 2), "longer": (100 << 20, 1), "repeated": (REPEATED_BYTES, 20_000 if suffix == "parquet" else 200),
                      "many": (0, 1_000_000)} for suffix in FORMATS}


if __name__ == "__main__":
    run_tests(__doc__, Tests, Campaign)
