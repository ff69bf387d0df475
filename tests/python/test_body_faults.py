"""Reads hostile tables of bodies.

    python tests/python/test_body_faults.py target/debug/robots-scan [--campaign]

In each case a table, or what its rows say, is wrong. A run must end with exit code 2 and one message that names the table, or with exit code 1
and a fault for each row that cannot be read; times that cannot be read are anomalies. A row before the wrong one is always
written. No run may end by a signal or a panic, print control characters, or take more than a limit of time and memory. All rows that are
written are read again by the other commands. `--campaign` reads larger tables.
"""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

import pyarrow as pa
import pyarrow.parquet as pq

from body_tables import digest_of
from record_lists import csv_bytes, gzip_of_zeros
import test_runner
from source_runs import ROOT, check_all, check_commands, faults_of, is_large, query, run, run_tests, run_to

MEMORY_BYTES = 500 << 20
CPU_SECONDS = 20
MESSAGE_BYTES = 4096
SEED = 43
# Fewer files are faster.
FEW_TABLES = ("--tables", "robots_files,anomalies,faults")
URL, BODY = "https://sound.example/robots.txt", (ROOT / "data-samples" / "robots" / "path-case.txt").read_text()
# More than the longest row.
HUGE, LARGE = 1 << 30, 256 << 20
TIMES = (0, 1, -1, (1 << 63) - 1, -(1 << 63), 1 << 62, -(1 << 62), 253_402_300_799_999, 253_402_300_800_000, -62_135_596_800_001)

# Writes a Parquet file with a value of many bytes, and does not take memory of the process of the tests.
WRITE_LARGE = """
import sys, pyarrow as pa, pyarrow.parquet as pq
path, size, compression, url, body = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
schema = pa.schema([("url", pa.string()), ("body", pa.large_binary())])
with pq.ParquetWriter(path, schema, compression=compression, use_dictionary=False, write_statistics=False) as writer:
    writer.write_table(pa.table([[url], [body.encode()]], schema=schema))
    writer.write_table(pa.table([["https://large.example/robots.txt"], [bytes(size)]], schema=schema))
    writer.write_table(pa.table([["https://after.example/robots.txt"], [body.encode()]], schema=schema))
"""


class Case:
    """A table, and how a run with it must end."""

    def __init__(self, name, data, codes=(2,), words=(), faults=None, anomaly=None, crawls=None, options=(), suffix="parquet", is_sound=True,
                 captures=None):
        # `data` is bytes, or a function that writes a path. `faults` and `captures` are numbers of rows. With exit code 0, the row that is
        # not sound has the anomaly, and the crawls are these. `is_sound` tells whether the sound row is in the table.
        self.name, self.data, self.codes, self.words, self.faults = name, data, codes, words, faults
        self.anomaly, self.crawls, self.options, self.suffix, self.is_sound, self.captures = anomaly, crawls, options, suffix, is_sound, captures


def parquet(columns, **options):
    return lambda path: pq.write_table(pa.table(columns), path, **options)


def two_rows(**columns):
    """A sound row, and one with other values; of types that are given as arrays, both rows are wrong."""
    sound = {"url": URL, "body": BODY}
    table = {}
    for name in {**sound, **columns}:
        value = columns.get(name, "https://wrong.example/robots.txt" if name == "url" else BODY)
        table[name] = value if isinstance(value, pa.Array) else [sound.get(name), value]
    return parquet(table)


def type_cases():
    """Columns of wrong types."""
    texts = [URL, "https://wrong.example/robots.txt"]
    for name, values in {
        "numbers": pa.array([1, 2]), "truth values": pa.array([True, False]), "times": pa.array([5, 6], pa.timestamp("ms")),
        "floats": pa.array([1.5, 2.0]),
        "lists": pa.array([["a"], ["b"]]), "structs": pa.array([{"a": 1}] * 2), "decimals": pa.array([1, 2], pa.decimal128(9, 2)),
        "durations": pa.array([1, 2], pa.duration("ms")), "maps": pa.array([[("a", 1)]] * 2, pa.map_(pa.string(), pa.int64())),
        "halves": pa.array([1, 2], pa.float16()),
        "dictionaries of numbers": pa.array([1, 2]).dictionary_encode(), "days": pa.array([1, 2], pa.date32()),
        "clocks": pa.array([1, 2], pa.time32("s")),
        "fixed": pa.array([b"abcd"] * 2, pa.binary(4)),
    }.items():
        known = {"is_sound": False, "words": ("table.parquet",)}
        for column in "url", "body":
            yield Case(f"{column}s that are {name}", two_rows(**{column: values}), codes=(1, 2), **known)
        for column, key in ("when", "time"), ("code", "status"), ("target", "redirect"), ("fields", "headers"):
            # Times of another type are anomalies, and statuses faults.
            anomaly = "bad_date" if key == "time" and name not in ("times", "days") else None
            yield Case(f"{key} of {name}", parquet({"url": texts, "body": [BODY] * 2, column: values}), codes=(1, 2) if key == "status" else (0, 1, 2),
                       options=("--columns", f"{key}={column}"), anomaly=anomaly, words=("table.parquet",), is_sound=key != "status")
        crawls = {"numbers": {"1", "2"}, "dictionaries of numbers": {"1", "2"}}.get(name, {"none"})
        yield Case(f"crawls of {name}", two_rows(crawl=values), codes=(0, 2), crawls=crawls, words=("table.parquet",))
    for column in "url", "body":
        # A row without a body is a failed fetch.
        yield Case(f"nulls of no type in {column}", two_rows(**{column: pa.nulls(2)}), codes=(0, 1, 2), is_sound=False)
        yield Case(f"nulls in {column}", two_rows(**{column: None}), codes=(int(column == "url"),), faults=int(column == "url"))
    yield Case("nulls everywhere", two_rows(url=None, body=None, fetch_time=None, fetch_status=None, crawl=None, headers=None, fetch_redirect=None,
                                            content_digest=None, is_revisit=None), codes=(1,), faults=1)
    yield Case("a null of a dictionary", two_rows(body=pa.array([BODY, None]).dictionary_encode()), codes=(1,), faults=1)
    yield Case("columns that differ in case", parquet({"URL": [URL], "Url": [URL], "body": [BODY]}), words=("table.parquet",))
    yield Case("no URLs", parquet({"body": [BODY]}), words=("table.parquet", "url"))
    yield Case("no bodies", parquet({"url": [URL]}), words=("table.parquet", "body"))


def value_tables():
    """Tables of rows whose values cannot be read, by name: the columns of each row, and `fault`, an anomaly, or nothing."""
    statuses = ("0", "99", "1000", "-1", "1099511627776", "x", "200 OK", "two", "2e2", "\u0662\u0660\u0660", "0x1", "200\0", "200.5")
    yield "statuses", [({"fetch_status": status}, "fault") for status in statuses]
    yield "numbers as statuses", [({"fetch_status": status}, "fault") for status in (0, 99, 1000, -1, 1 << 40, (1 << 63) - 1)]
    yield "large numbers as statuses", [({"fetch_status": pa.scalar(status, pa.uint64())}, "fault") for status in (1 << 63, (1 << 64) - 1)]
    yield "floats as statuses", [({"fetch_status": status}, "fault") for status in (200.5, float("inf"), -float("inf"), 1e300)]
    yield "statuses that can be read", [({"fetch_status": status}, None) for status in ("200.0", " 200", "404.00 ", "", "100", "999")]
    times = ("soon", "2024-13-01T00:00:00Z", "2024-02-30", "20240230000000", "20249901000000", "99999999999999", "-1", "1709294400", "0000-00-00",
             "10000-01-01T00:00:00Z", "2024-01-01T25:00:00Z", "\0", "2024-03-01T12:00:00+99:00", "9" * 100_000)
    yield "times", [({"fetch_time": time}, "bad_date") for time in times]
    for unit in "ms", "us", "ns":
        # DuckDB must be able to read those that are written.
        yield f"times in {unit}", [({"fetch_time": pa.scalar(time, pa.timestamp(unit))}, None) for time in TIMES]
    yield "days", [({"fetch_time": pa.scalar(day, pa.date32())}, None) for day in (0, -719_528, (1 << 31) - 1, -(1 << 31))]
    urls = ("https://[::1/robots.txt", "http://a b/robots.txt", "ftp://x/robots.txt", "https://x:99999/robots.txt", "https://u:p@x/robots.txt", "https:\\\\x\\robots.txt", "https://xn--/robots.txt",
            "https://x\0y/robots.txt",
            "https://x\ny/robots.txt", "https://x/\x1b[31m/robots.txt", "https://" + "x" * 1_000_000 + "/robots.txt", "https://x/" + "y" * 1_000_000,
            "https://" + "x." * 5000 + "com/robots.txt",
            "https://日本.example/robots.txt", "https://%00/robots.txt", "http://1.2.3.4.5/robots.txt", "https://./robots.txt",
            "https://x/robots.txt#" + "f" * 70_000)
    yield "URLs", [*(({"url": url}, None) for url in urls), *(({"url": url}, "fault") for url in (
        "", " ", "\n", None, "no url", "http://", "javascript:alert(1)", "/robots.txt", "wrong.example", "wrong.example/robots.txt", "//x/robots.txt",
        "https://wrong.example", "https://wrong.example?x", "x:80/robots.txt", "https:/x/robots.txt", "https://x/" + "y" * (1 << 20)))]
    yield "URLs as bytes", [*(({"url": url}, None) for url in (b"https://\xff\xfe/robots.txt", b"https://x/\xc3\x28")), ({"url": b"\xff"}, "fault")]
    bodies = {"nothing": b"", "null bytes": bytes(1000), "not UTF-8": b"\xff\xfe\xfd", "line ends": b"\n" * 1_000_000, "one line": b"a" * 10_000_000,
              "colons": b":" * 1_000_000,
              "20 MB": BODY.encode() * (20_000_000 // len(BODY)), "gzip": gzip.compress(BODY.encode()),
              "random": random.Random(SEED).randbytes(1_000_000)}
    yield "bodies", [*(({"body": body}, None) for body in bodies.values()), ({"body": None}, "fetch_failed")]
    zeros = gzip_of_zeros(LARGE)
    codings = (("gzip", zeros), ("gzip, gzip", gzip.compress(zeros)), ("gzip", zeros[:1000]), ("gzip", BODY.encode()),
               (", ".join(["gzip"] * 8), b"\x1f\x8b" * 100), ("br", b"\0"),
               ("zstd", b"\x28\xb5\x2f\xfd"), (", ".join(["gzip"] * 1000), zeros))
    yield "codings", [({"body": body, "headers": f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}"}, None) for coding, body in codings]
    fields = ({"Location": "x\r\nX-Other: y"}, {"X\r\nLocation": "y"}, {}, {"Content-Length": 5}, {"Set-Cookie": ["a", "b", ["c"], None]},
              {"A": {"b": "c"}},
              {f"X-{i}": "y" for i in range(10_000)}, {"X": "y" * 1_000_000}, {"Server": "a\0b", "\0": "x"}, {"Server": "日本\x1b[31m"}, {"": "x"},
              {"Transfer-Encoding": "chunked"}, {"Content-Length": "3"})
    lines = ("Server", "Server: " + "x" * 1_000_000, '{"a": ', "[1]", '{"a":' * 100_000, "HTTP/1.1 500 No\nServer: x", "HTTP/banana", "\r\n\r\n\r\n",
             "Server: a\r\n b\r\n\tc",
             "Server: a\r\n\r\nServer: b", "A: b\n\nC: d", "\0\0: \0", "x" * 100_000)
    yield "headers", [({"headers": text}, None) for text in (*map(json.dumps, fields), *lines)]
    yield "headers as bytes", [({"headers": text}, None) for text in (b"Server: \xff\xfe", b'{"Server": "\xff"}')]
    others = {"content_digest": ("x", "sha1:", "a" * 1_000_000, digest_of(b"other"), "sha1:" + digest_of(b"x"), "\0" * 32),
              "is_revisit": ("perhaps", "", "TRUE", "1"),
              "is_valid_utf8": ("perhaps", "false", "0"), "fetch_redirect": ("", "\0", "x y", "https://" + "x" * 1_000_000, "\x1b[31m", "//",
                                                                             "http://[", "\n")}
    for column, values in others.items():
        yield column, [({column: value}, None) for value in values]


def crawl_cases():
    for crawl in "../x", "a/b", ".", "..", "a=b", "x\0y", "x\ny", "\x1b[31m", "a" * 300, "%2e%2e":
        yield Case(f"the crawl {crawl[:20]!r}", two_rows(crawl=crawl), words=("table.parquet",))
    yield Case("a crawl of 1 MB", two_rows(crawl="a" * 1_000_000), words=("table.parquet",))
    yield Case("10,001 crawls", parquet({"url": [URL] * 10_001, "body": [BODY] * 10_001, "crawl": [f"C{i}" for i in range(10_001)]}),
               words=("table.parquet", "10"))


def format_cases(largest):
    """Files that are no table, or not a whole one. `largest` is the size of a large value of Parquet."""
    named = ("table.csv",)
    head = csv_bytes([(URL, BODY)], ("url", "body"))
    for name, data in (("nothing", b""), ("a line end", b"\n"), ("random bytes", random.Random(SEED).randbytes(20_000)), ("null bytes", bytes(5000)),
                       ("another header", b"a,b\n1,2\n"),
                       ("no body", b"url\nx\n"), ("UTF-16", head.decode().encode("utf-16")), ("semicolons", head.replace(b",", b";", 1)),
                       ("gzip of nothing", gzip.compress(b"")),
                       ("a page", b"<html></html>"), ("names of columns twice", b"URL,Url,body\nx,y,z\n")):
        yield Case(f"CSV: {name}", data, words=named, suffix="csv")
    for name, header in ("", b"url,body\n"), (" with a crawl", b"url,body,crawl\n"):
        yield Case(f"CSV: no rows{name}", header, codes=(0, 1, 2), suffix="csv", is_sound=False, captures=0)
    for name, rest, faults in (("rows of other lengths", b"https://x/\nhttps://x/,y,z\n,\n", 1), ("not UTF-8", b"https://x\xff.example/robots.txt,\xff\xfe\n", None),
                               ("null bytes in a row", b"\0,\0\n", None),
                               ("a quote within", b'a"b,"c"d"\n', None), ("carriage returns", b"x,y\rz,w\r\n", None), ("empty lines", b"\n\n\n", 0)):
        yield Case(f"CSV: {name}", head + rest, codes=(0, 1), faults=faults, suffix="csv")
    yield Case("CSV: gzip without an end", gzip.compress(head + b"x" * 100_000)[:-20], codes=(0, 1, 2, 3), suffix="csv", is_sound=False)
    yield Case("CSV: gzip with other bytes", gzip.compress(head) + b"x" * 100, codes=(0, 1, 2, 3), suffix="csv", is_sound=False)
    sound = json.dumps({"url": URL, "body": BODY})
    for name, line, faults in (("cut", '{"url": "x"', 1), ("text", "not json", 1), ("null", "null", 1), ("a number", "5", 1),
                               ("an array", "[1, 2]", 1), ("a body that is a number", '{"url": "https://x/", "body": 5}', 1),
                               ("a body that is true", '{"url": "https://x/", "body": true}', 1),
                               ("a body that is an object", '{"url": "https://x/", "body": {"a": 1}}', 1),
                               ("a body that is a list", '{"url": "https://x/", "body": ["a"]}', 1),
                               ("a URL that is an object", '{"url": {}, "body": "x"}', 1), ("a URL that is a number", '{"url": 5, "body": "x"}', 1),
                               ("no body", '{"url": "https://x/"}', 1), ("a lone surrogate", '{"url": "https://x/", "body": "\\ud800"}', 1),
                               ("nothing", "{}", 1),
                               ("very deep", '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", 1),
                               ("many names", json.dumps({f"n{i}": i for i in range(50_000)}), 1),
                               ("a crawl that is an object", json.dumps({"url": "https://x/", "body": "", "crawl": {}}), None)):
        is_crawl = "crawl" in name
        yield Case(f"JSON: {name}", f"{sound}\n{line}\n{sound.replace('sound', 'after')}".encode(), codes=(0, 1, 2) if is_crawl else (1,),
                   faults=faults, suffix="jsonl", captures=None if is_crawl else 2)
    yield Case("JSON: not UTF-8", f"{sound}\n".encode() + sound.encode().replace(b"sound", b"\xff"), codes=(1,), faults=1, suffix="jsonl")
    yield Case("JSON: an array of rows", f"[{sound},\n{sound}]".encode(), codes=(1, 2), suffix="jsonl", is_sound=False)
    yield Case("JSON: only bad lines", b'{"url": \n' * 1000, codes=(1, 2), suffix="jsonl", is_sound=False)
    crawls = [json.dumps({"url": f"https://{i}.example/robots.txt", "body": BODY, "crawl": "AB"[i % 2]}) for i in range(10)]
    yield Case("JSON: bad lines among crawls", "\n".join(["{", *(line + "\n{" for line in crawls)]).encode(), codes=(1,), faults=11, suffix="jsonl",
               is_sound=False, captures=10)

    def long_line(before, after):
        def write(path):
            with path.open("wb") as file:
                file.write(f"{sound}\n".encode() + before)
                file.seek(HUGE, os.SEEK_CUR)
                file.write(after + sound.replace("sound", "after").encode())

        return write

    yield Case("JSON: a value of 1 GB", long_line(b'{"url": "https://x/", "body": "', b'"}\n'), codes=(1,), faults=1, suffix="jsonl", captures=2)
    yield Case("CSV: a value of 1 GB", lambda path: (path.write_bytes(head + b'https://x/,"'), os.truncate(path, HUGE)), codes=(1,), faults=1,
               suffix="csv", captures=1)
    zeros = gzip_of_zeros(LARGE)
    yield Case("JSON: gzip of 256 MB", lambda path: path.write_bytes(gzip.compress(sound.encode() + b"\n") + zeros), codes=(1,), faults=1,
               suffix="jsonl", captures=1)
    yield Case("CSV: gzip of 256 MB", lambda path: path.write_bytes(gzip.compress(head) + zeros), codes=(1,), faults=1, suffix="csv",
               captures=1)

    def large(size, compression):
        def write(path):
            subprocess.run([sys.executable, "-c", WRITE_LARGE, path, str(size), compression, URL, BODY], check=True)

        return write

    yield Case(f"Parquet: a value of {largest >> 20} MiB", large(largest, "zstd"), codes=(1,), faults=1, captures=2)
    yield Case("Parquet: a value of 180 MB", large(180_000_000, "none"), codes=(0,), captures=3)
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] + [1] * 200), pa.array([BODY, "#" * 5_000_000]))
    yield Case("Parquet: a large value of a dictionary", parquet({"url": [URL, *(f"https://{i}.example/robots.txt" for i in range(200))],
                                                                  "body": repeated}),
               codes=(0, 1))
    for name, columns in ("no rows", {"url": pa.array([], pa.string()), "body": pa.array([], pa.string())}), ("no columns", {}):
        yield Case(f"Parquet: {name}", parquet(columns), codes=(2,) if not columns else (0, 1, 2), is_sound=False)
    yield Case("Parquet: no rows with a crawl", parquet({name: pa.array([], pa.string()) for name in ("url", "body", "crawl")}), codes=(0, 1, 2),
               is_sound=False)


class Tests:
    rows, largest = 100_000, LARGE

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.seconds = self.memory_bytes = 0

    def check(self, name, case):
        folder = self.folder / f"case-{abs(hash(name))}"
        folder.mkdir()
        path, out = folder / f"table.{case.suffix}", folder / "out"
        case.data(path) if callable(case.data) else path.write_bytes(case.data)
        # Tables without rows are also read for hosts.
        few = () if "no rows" in name else FEW_TABLES
        ran = self.run_case(path, out, (*case.options, *few))
        assert ran.code in case.codes, f"exit code {ran.code}, not {case.codes}: {ran.stderr[-600:]}"
        if ran.code >= 2:
            assert ran.stderr.startswith("error: ") and all(word in ran.stderr for word in case.words), f"{case.words} not in {ran.stderr[:600]}"
            assert ran.code == 3 or not out.exists(), "there is an output"
        else:
            self.check_rows(ran.code, case, out)
        shutil.rmtree(folder)

    def run_case(self, path, out, options):
        """Runs a table, and checks what holds for all runs."""
        ran = run(self.program, "bodies", path, "-o", out, *options, is_measured=is_large(path))
        self.seconds, self.memory_bytes = max(self.seconds, ran.cpu_seconds), max(self.memory_bytes, ran.memory_bytes)
        assert ran.memory_bytes < MEMORY_BYTES and ran.cpu_seconds < CPU_SECONDS, f"{ran.cpu_seconds:.1f} s, {ran.memory_bytes >> 20} MiB"
        assert len(ran.stderr) < MESSAGE_BYTES, f"a message of {len(ran.stderr)} bytes: {ran.stderr[:300]}"
        control = [c for c in ran.stderr if ord(c) < 32 and c != "\n"]
        assert not control, f"control characters: {control}"
        return ran

    def check_rows(self, code, case, out):
        faults, captures = faults_of(out), query(out, "robots_files", "url, fetch_time, fetch_status, content_digest, crawl", "ORDER BY _place")
        assert bool(faults) == (code == 1) and {row[3] for row in faults} <= {"bad_row"}, faults
        assert case.faults in (None, len(faults)), f"{len(faults)} faults, not {case.faults}: {faults[:3]}"
        assert case.captures in (None, len(captures)), f"{len(captures)} captures, not {case.captures}, and the faults {faults[:3]}"
        if case.is_sound:
            sound = [row for row in captures if row[0] == URL]
            assert len(sound) == 1 and sound[0][3] == digest_of(BODY.encode()), f"the sound row: {captures}"
        if case.anomaly and code == 0:
            found = query(out, "anomalies", "code", f"WHERE code = '{case.anomaly}'")
            assert found, f"no {case.anomaly}: {captures}"
        if case.crawls:
            assert {row[4] for row in captures} == case.crawls, f"the crawls {[row[4] for row in captures]}"
        if faults:
            run_to(0, self.program, "verify", out, "-q")

    def check_cases(self, cases):
        cases = list(cases)
        names = [case.name for case in cases]
        assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]
        cases = test_runner.share(cases, 0.5, isinstance(self, Campaign))
        try:
            check_all(self.check, [(case.name, case) for case in cases])
        finally:
            print(f"  {len(cases)} tables, of at most {self.seconds:.1f} s of computing and {self.memory_bytes >> 20} MiB each")

    def test_columns_of_wrong_types(self):
        self.check_cases(type_cases())

    def test_crawls_that_are_no_names(self):
        self.check_cases(crawl_cases())

    def test_values_that_cannot_be_read(self):
        tables = list(value_tables())
        try:
            check_all(self.check_values, tables)
        finally:
            print(f"  {sum(len(rows) for _, rows in tables)} rows, of at most {self.seconds:.1f} s of computing and {self.memory_bytes >> 20} MiB for a table")

    def check_values(self, name, rows):
        """Reads a table of a sound row and others, each of which must be a capture with its anomaly, or a fault."""
        folder = self.folder / f"values-{name}"
        folder.mkdir()
        columns = {"url": [URL], "body": [BODY.encode()]}
        for column in {column for values, _ in rows for column in values} - set(columns):
            columns[column] = [None]
        for values, _ in rows:
            for column, stored in columns.items():
                stored.append(values.get(column, {"url": "https://wrong.example/robots.txt", "body": BODY.encode()}.get(column)))
        for column, stored in columns.items():
            if any(isinstance(value, pa.Scalar) for value in stored):
                (kind,) = {value.type for value in stored if isinstance(value, pa.Scalar)}
                # Times beyond those of Python have numbers only.
                numbers = [value if value is None else value.value if hasattr(value, "value") else value.as_py() for value in stored]
                columns[column] = pa.array(numbers, kind)
        path, out = folder / "table.parquet", folder / "out"
        pq.write_table(pa.table(columns), path)
        ran = self.run_case(path, out, FEW_TABLES)
        faults = {offset for offset, in query(out, "faults", "warc_record_offset")}
        assert faults == {row for row, (_, expected) in enumerate(rows, 1) if expected == "fault"}, f"faults of the rows {sorted(faults)}"
        assert ran.code == bool(faults), f"exit code {ran.code}: {ran.stderr[:500]}"
        captures = dict(query(out, "robots_files", "warc_record_offset, content_digest"))
        assert captures.keys() == set(range(len(rows) + 1)) - faults and captures[0] == digest_of(BODY.encode()), captures.keys()
        query(out, "robots_files", "*")
        places = dict(query(out, "robots_files", "robots_id, warc_record_offset"))
        found = {(places[robots_id], code) for robots_id, code in query(out, "anomalies", "robots_id, code")}
        wanted = ((row, values, expected) for row, (values, expected) in enumerate(rows, 1) if expected not in (None, "fault"))
        missed = [values for row, values, expected in wanted if (row, expected) not in found]
        assert not missed, f"{len(missed)} rows without an anomaly: {str(missed)[:300]}"

    def test_files_that_are_no_tables(self):
        self.check_cases(format_cases(self.largest))

    def test_a_pipe_is_refused(self):
        path = self.folder / "pipe.csv"
        os.mkfifo(path)
        ran = run(self.program, "bodies", path, "-o", self.folder / "of-pipe", timeout=60)
        assert ran.code == 2 and "pipe.csv" in ran.stderr, f"{ran.code}: {ran.stderr}"

    def test_all_commands_read_what_is_written_of_hostile_rows(self):
        """Two crawls have all wrong values at once, beside sound ones of the same hosts."""
        months = self.folder / "months"
        for number, crawl in enumerate(("A", "B")):
            rows = {"url": [], "body": [], "fetch_time": [], "fetch_status": [], "fetch_redirect": [], "headers": [], "crawl": []}

            def add(url=URL, body=BODY, time=None, status=None, redirect=None, headers=None):
                for column, value in zip(rows, (url, body, time, status, redirect, headers, crawl)):
                    rows[column].append(value)

            add("https://first.example/robots.txt", time=number * 86_400_000, status="200")
            for host, time in enumerate((*TIMES[:3], *TIMES[:3], *TIMES[-3:])):
                add(f"https://host-{host % len(TIMES)}.example/robots.txt", BODY + "#" * (host % 3), time)
            for host, status in enumerate(("301", "404", "503", "999", "100", "204", "304")):
                add(f"https://status-{host}.example/robots.txt", BODY, number, status, "https://host-1.example/robots.txt")
            for url in ("https://" + "x" * 100_000 + "/robots.txt", "https://x/\x1b[31m/robots.txt", "https://x\0y/robots.txt",
                        "https://日本.example/robots.txt"):
                add(url, BODY, number)
            for host, redirect in enumerate(("", "\0", "//", "http://[", "https://" + "y" * 100_000, "https://loop-5.example/robots.txt")):
                add(f"https://loop-{host}.example/robots.txt", "", number, "302", redirect)
            for host, body in enumerate(("", "\0" * 1000, "\n" * 10_000, "x" * 600_000)):
                add(f"https://body-{host}.example/robots.txt", body, number, "200", None, "Server: \x1b[31m")
            types = {"fetch_time": pa.timestamp("ms")}
            table = self.folder / f"hostile-{crawl}.parquet"
            pq.write_table(pa.table({name: pa.array(values, types.get(name)) for name, values in rows.items()}), table)
            run_to(0, self.program, "bodies", table, "-q", "-o", months / crawl)
        check_commands(self.program, months, self.folder)
        for host in "host-3.example", "status-4.example", "loop-5.example", "body-3.example", "xn--wgv71a.example":
            ran = run(self.program, "check", months, "--host", host, "--agent", "GPTBot")
            assert ran.code == 0 and "\x1b" not in ran.stdout, f"{host}: {ran.code} {ran.stderr}"

    def test_many_rows(self):
        path = self.folder / "many.parquet"
        with pq.ParquetWriter(path, pa.schema([("url", pa.string()), ("body", pa.string())])) as writer:
            for start in range(0, self.rows, 50_000):
                hosts = range(start, start + 50_000)
                writer.write_table(pa.table({"url": [f"https://h{i}.example/robots.txt" for i in hosts], "body": [BODY] * len(hosts)}))
        ran = run(self.program, "bodies", path, "-q", "-o", self.folder / "many", *FEW_TABLES, is_measured=True)
        print(f"  {self.rows} rows: {ran.cpu_seconds:.1f} s, {ran.memory_bytes >> 20} MiB")
        assert ran.code == 0 and ran.memory_bytes < MEMORY_BYTES, f"{ran.code}, {ran.memory_bytes >> 20} MiB"
        assert query(self.folder / "many", "robots_files", "count(*)") == [(self.rows,)]


class Campaign(Tests):
    rows, largest = 3_000_000, HUGE


if __name__ == "__main__":
    run_tests(__doc__, Tests, Campaign)
