"""Reads hostile lists of records.

    python tests/python/test_record_faults.py target/debug/robots-scan [--campaign]

In each case a list, or what it lists, is wrong. A run must end with exit code 2 and one message that names the list, and the row if there is
one, or with exit code 1 and faults; and it may never write a capture that the archive does not have at that address. No run may end by
a signal or a panic, print control characters, or take more than a limit of time and memory. `--campaign` reads a million records of one byte.
"""

import gzip
import os
import random
import re
import shutil
import sys
import zlib
from pathlib import Path

sys.dont_write_bytecode = True

import pyarrow as pa
import pyarrow.parquet as pq

from record_lists import CDX_COLUMNS, csv_bytes, gzip_of_zeros, members_of, write_parquet
import test_runner
from source_runs import SAMPLES, captures_of, check_all, faults_of, is_large, query, run, run_tests, run_to

MEMORY_BYTES = 400 << 20
# For names of 16 MiB and 64 times their list.
NAMES_MEMORY_BYTES = 80 << 20
CPU_SECONDS = 30
MESSAGE_BYTES = 4096
# More than the longest row.
LARGE = 256 << 20
# Fewer files are faster.
FEW_TABLES = ("--tables", "robots_files,faults")
# The place of a capture.
NAME, OFFSET, LENGTH = "cc-robotstxt.warc.gz", 689, 571
SEED = 42


class Case:
    """A list, and how a run with it must end."""

    def __init__(self, name, data, codes=(2,), words=(), faults=None, options=(), suffix="csv"):
        # `data` is bytes, or a function that writes a path. An error has all words. `faults` are the codes that faults may have.
        self.name, self.data, self.codes, self.words = name, data, codes, words
        self.faults, self.options, self.suffix = faults, options, suffix


def rows_case(name, *rows, codes=(2,), words=(), columns=CDX_COLUMNS[:3], sound=True, **known):
    """A list with one sound row before others."""
    rows = [(NAME, OFFSET, LENGTH), *rows] if sound else rows
    return Case(name, csv_bytes(rows, columns), codes, words, **known)


def address_cases(size):
    for offset in size, size + 1, 1 << 40, (1 << 63) - 1 - (64 << 20):
        yield rows_case(f"the offset {offset}, beyond the end", (NAME, offset, 100), codes=(1,), faults={"no_record", "truncated", "input_empty"})
    row = "row 1 (counted from 0)"
    for offset in -1, -(1 << 63), (1 << 63) - 1, 1 << 63, 1 << 64, "x", "", "1.5", "1e3", "0x10", "\u0661", "1 2", "NaN":
        yield rows_case(f"the offset {offset!r}", (NAME, offset, 100), words=("list.csv", row))
    for length in -1, 0, 1 << 60, (64 << 20) + 1, 1 << 63, 1 << 64, "x", "", "1.5", "-0":
        yield rows_case(f"the length {length!r}", (NAME, 5000, length), words=("list.csv", row))
    yield rows_case("no length in the row", (NAME, 5000), words=("list.csv", row))
    yield rows_case("an empty row", ("", "", ""), words=("list.csv", row))
    yield rows_case("a row twice", (NAME, OFFSET, LENGTH), words=("list.csv", NAME, f"{OFFSET}"))
    yield rows_case("an offset twice", (NAME, OFFSET, 100), words=("list.csv", NAME, f"{OFFSET}"))
    yield rows_case("records that overlap", (NAME, 1201, 100), words=("list.csv", NAME, f"{OFFSET}"))
    yield rows_case("a record around others", (NAME, 5, 1 << 20), words=("list.csv", NAME))
    yield rows_case("the length of all", (NAME, 5000, 64 << 20), codes=(1,), faults={"garbage", "truncated", "no_record", "not_warc"})
    yield Case("a row twice in two lists", csv_bytes([(NAME, OFFSET, LENGTH)], CDX_COLUMNS[:3]), words=(NAME, f"{OFFSET}"), options=("again",))


def name_cases():
    row = "list.csv"
    for name in ("../x.warc.gz", "a/../../x.warc.gz", "%2e%2e/x.warc.gz", "%252e%252e/x", "/etc/passwd", "\\etc\\passwd", "..\\x",
                 "https://other.example/a.warc.gz",
                 "s3://bucket/key.warc.gz", "file:///etc/passwd", "FILE:/etc/passwd", "http://127.0.0.1:1/x", "a/..", ".."):
        yield rows_case(f"the name {name!r}", (name, 5, 5), words=(row,))
    for name in ("", " ", "a\0b", "\0", ".", "./", "folder", "folder/", f"{NAME}/", f"{NAME}/x", "loop.warc.gz", "pipe.warc.gz", "gone.warc.gz",
                 "x\ny", "\x1b[31mred", "x" * 300, "x/" * 3000, "x" * 1_000_000, "-", "nowhere/x.warc.gz", "~/x", "$HOME/x", "*.warc.gz"):
        yield rows_case(f"the name {name[:30]!r} of {len(name)}", (name, 5, 5), words=())
    yield Case("a name that is not UTF-8", b"filename,offset,length\n\xff\xfe.warc.gz,5,5\n", words=(row, "row 0"))
    for name in f"./{NAME}", f".//{NAME}", f"././/./{NAME}":
        yield rows_case(f"a row twice, by the name {name!r}", (name, OFFSET, LENGTH), words=("list.csv", f"'{NAME}'", f"{OFFSET}", "twice"))
        yield rows_case(f"another name of an archive, {name!r}", (name, OFFSET, LENGTH), codes=(0,), sound=False)
    yield rows_case("an archive that is none", ("not-an-archive.txt", 0, 50), codes=(1,), faults={"garbage", "no_record", "unsupported", "not_warc"})
    yield rows_case("an archive of another kind", ("bzip2-refused.warc.bz2", 0, 50), codes=(1,), faults={"unsupported", "garbage", "no_record"})
    yield rows_case("an empty archive", ("nothing.warc.gz", 0, 50), codes=(1,), faults={"no_record", "input_empty", "truncated"})
    for column, value in [(column, value) for column in ("crawl", "subset") for value in (
            "../x", "a/b", ".", "..", "a=b", "x\0y", "x\ny", "\x1b[31m", "a" * 300, "a" * 1_000_000, "%2e%2e", "*", "con", "-x", "ü")]:
        # Some of these are names of folders.
        yield Case(f"the {column} {value[:20]!r} of {len(value)}", csv_bytes([(NAME, OFFSET, LENGTH, value)], (*CDX_COLUMNS[:3], column)),
                   codes=(0, 2))


def format_cases(folder):
    def parquet(columns, **options):
        return lambda path: pq.write_table(pa.table(columns), path, **options)

    sound = {"filename": [NAME], "offset": [OFFSET], "length": [LENGTH]}
    whole = csv_bytes([(NAME, OFFSET, LENGTH)] * 1, CDX_COLUMNS[:3])
    named = ("list.csv",)
    for name, data in (("nothing", b""), ("a line end", b"\n"), ("blanks", b"  \n \n"), ("a BOM", b"\xef\xbb\xbf"),
                       ("only a header", whole.splitlines(True)[0]),
                       ("null bytes", bytes(5000)), ("random bytes", random.Random(SEED).randbytes(20_000)),
                       ("an archive", (SAMPLES / NAME).read_bytes()), ("a plain archive", (SAMPLES / "plain.warc").read_bytes()),
                       ("another header", b"a,b,c\n1,2,3\n"), ("no offset", b"filename,length\nx,1\n"), ("tabs", whole.replace(b",", b"\t")),
                       ("semicolons", whole.replace(b",", b";")), ("UTF-16", whole.decode().encode("utf-16")),
                       ("names of columns twice", b"filename,filename,Offset,OFFSET,length\n"),
                       ("Parquet without an end", b"PAR1"), ("Parquet with other bytes", b"PAR1" + bytes(1000)), ("Parquet twice", b"PAR1PAR1"),
                       ("gzip without an end", gzip.compress(whole * 1000)[:40]), ("gzip of nothing", gzip.compress(b"")),
                       ("gzip with a wrong checksum", gzip.compress(whole)[:-8] + bytes(8)),
                       ("gzip with other bytes", gzip.compress(whole) + b"x" * 100),
                       ("gzip in gzip", gzip.compress(gzip.compress(whole))), ("zip", b"PK\x03\x04" + bytes(100)),
                       ("zstd", b"\x28\xb5\x2f\xfd" + bytes(100)),
                       ("a list of names", f"{NAME}\n".encode() * 5), ("a page", b"<html><body>Not found</body></html>")):
        yield Case(name, data, words=named)
    line = f'{{"filename": "{NAME}", "offset": {OFFSET}, "length": {LENGTH}}}'
    jsonl = ("list.jsonl",)
    for name, text in (("an array", f"[{line}]"), ("an array of lines", f"[\n  {line},\n  {line}\n]"), ("cut", line[:-1]),
                       ("no value", line.replace(f"{LENGTH}", "")),
                       ("other names", '{"a": 1}'), ("nothing but braces", "{}"), ("null", '{"filename": null, "offset": null, "length": null}'),
                       ("a list as an offset", line.replace(f"{OFFSET}", f"[{OFFSET}]")), ("an object as a name", line.replace(f'"{NAME}"', "{}")),
                       ("true as a length", line.replace(f"{LENGTH}", "true")), ("an infinite offset", line.replace(f"{OFFSET}", "1e999")),
                       ("two objects in a line", f"{line} {line}"), ("a bad second line", f"{line}\nnot json\n"),
                       ("a second line of null", f"{line}\nnull\n"),
                       ("a lone surrogate", line.replace(NAME, "\\ud800"))):
        yield Case(f"JSON: {name}", text.encode(), codes=(1, 2) if name == "true as a length" else (2,), words=jsonl, suffix="jsonl")
    yield Case("JSON: a very deep value that is not read", (line[:-1] + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}").encode(), codes=(0,), suffix="jsonl")
    yield Case("JSON: not UTF-8", line.replace(NAME, "X").encode().replace(b"X", b"\xff"), words=jsonl, suffix="jsonl")
    yield Case("JSON: a name twice", line.replace("{", '{"offset": 5, ').encode(), codes=(0, 1, 2), suffix="jsonl")

    def long_line(path):
        with path.open("wb") as file:
            file.write(line[:-1].encode() + b', "x": "')
            file.seek(LARGE, os.SEEK_CUR)
            file.write(b'"}\n')

    def long_quote(path):
        with path.open("wb") as file:
            file.write(whole + f'"{NAME},5,5\n'.encode())
            file.seek(LARGE, os.SEEK_CUR)
            file.write(b"\n")

    yield Case("JSON: a line of 256 MB", long_line, words=jsonl, suffix="jsonl")
    yield Case("a quote that is never closed", long_quote, words=(*named, "the record at line 3"))
    yield Case("a header of 256 MB", lambda path: (path.write_bytes(b"x"), os.truncate(path, LARGE)), words=named)
    yield Case("gzip of 256 MB", lambda path: path.write_bytes(gzip_of_zeros(LARGE)), words=named)
    yield Case("a folder", lambda path: path.mkdir(), words=named)
    yield Case("no file", lambda path: None, words=named)
    yield Case("a link to itself", lambda path: path.symlink_to(path.name), words=named)
    yield Case("a device", lambda path: path.symlink_to("/dev/zero"), words=named)
    many = ",".join(["filename", "offset", "length", *(f"c{i}" for i in range(50_000))]) + f"\n{NAME},{OFFSET},{LENGTH}{',' * 50_000}\n"
    yield Case("50,000 columns", many.encode(), codes=(0,))
    yield Case("rows of other lengths", whole + b"x\n", words=(*named, "row 1"))

    named = ("list.parquet",)
    for name, changed in {
        "no rows": {name: pa.array([], pa.string() if name == "filename" else pa.int64()) for name in sound},
        "no columns": {}, "other columns": {"x": [1]}, "names as numbers": {"filename": [5]}, "offsets as truth values": {"offset": [True]},
        "offsets as lists": {"offset": [[OFFSET]]}, "offsets as structs": {"offset": [{"a": OFFSET}]},
        "offsets as decimals": {"offset": pa.array([OFFSET], pa.decimal128(9, 0))},
        "offsets as times": {"offset": pa.array([OFFSET], pa.timestamp("ms"))}, "offsets of half a byte": {"offset": [1.5]},
        "infinite offsets": {"offset": [float("inf")]}, "huge offsets": {"offset": pa.array([(1 << 64) - 1], pa.uint64())},
        "null offsets": {"offset": pa.array([None], pa.int64())}, "offsets of no type": {"offset": pa.nulls(1)},
        "null names": {"filename": pa.array([None], pa.string())},
        "null in a dictionary": {"filename": pa.DictionaryArray.from_arrays(pa.array([None], pa.int32()), pa.array(["x"]))},
        "names that are not UTF-8": {"filename": pa.array([b"\xff\xfe"], pa.binary())}, "huge lengths": {"length": [1 << 60]},
        "columns that differ in case": {"filename": None, "FILENAME": [NAME], "Filename": [NAME]},
    }.items():
        columns = {} if name == "no columns" else changed if "x" in changed else {**sound, **changed}
        columns = {key: value for key, value in columns.items() if value is not None}
        yield Case(f"Parquet: {name}", parquet(columns), codes=(1, 2) if "truth" in name else (2,), words=named, suffix="parquet")
    yield Case("Parquet: a number as a crawl", parquet({**sound, "crawl": [2024]}), codes=(0, 2), suffix="parquet")
    many = [(NAME, number, 1) for number in range(3000)]
    for share in 0.1, 0.5, 0.9, 0.999:
        def cut(path, share=share):
            write_parquet(path, many, CDX_COLUMNS[:3])
            os.truncate(path, int(path.stat().st_size * share))

        yield Case(f"Parquet: cut at {share}", cut, words=named, suffix="parquet")
    rng = random.Random(SEED)
    for number in range(8):
        def flip(path, place=rng.random(), bit=1 << rng.randrange(8)):
            write_parquet(path, many, CDX_COLUMNS[:3])
            data = bytearray(path.read_bytes())
            data[4 + int(place * (len(data) - 4))] ^= bit
            path.write_bytes(data)

        # Another name or offset is not always seen.
        yield Case(f"Parquet: bit {number} flipped", flip, codes=(1, 2), suffix="parquet")


class Tests:
    records = 200_000

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.base = folder / "base"
        self.base.mkdir()
        for path in SAMPLES.iterdir():
            shutil.copyfile(path, self.base / path.name)
        (self.base / "folder").mkdir()
        (self.base / "loop.warc.gz").symlink_to("loop.warc.gz")
        os.mkfifo(self.base / "pipe.warc.gz")
        run(program, "scan", *sorted(SAMPLES.glob("*.warc*")), "-q", "-o", folder / "scan", "--subset", "robotstxt")
        columns = "* EXCLUDE (robots_id, crawl, subset, warc_record_length, _place)"
        self.rows = {row[-3:]: row for row in query(folder / "scan", "robots_files",
                                                    f"{columns}, warc_filename, warc_record_offset, warc_record_in_member")}
        self.captures = captures_of(folder / "scan")
        self.seconds = self.memory_bytes = 0

    def check(self, name, case):
        folder = self.folder / f"case-{abs(hash(name))}"
        folder.mkdir()
        path = folder / f"list.{case.suffix}"
        if callable(case.data):
            case.data(path)
        else:
            path.write_bytes(case.data)
        lists = [path, path] if "again" in case.options else [path]
        options = [option for option in case.options if option != "again"]
        ran = run(self.program, "records", *lists, "--base", self.base, "-o", folder / "out", *FEW_TABLES, *options, is_measured=is_large(path))
        self.check_ran(ran, case, folder / "out")
        shutil.rmtree(folder)

    def check_ran(self, ran, case, out):
        """Checks how a run ended."""
        self.seconds, self.memory_bytes = max(self.seconds, ran.cpu_seconds), max(self.memory_bytes, ran.memory_bytes)
        assert ran.code in case.codes, f"exit code {ran.code}, not {case.codes}: {ran.stderr[-600:]}"
        assert ran.memory_bytes < MEMORY_BYTES and ran.cpu_seconds < CPU_SECONDS, f"{ran.memory_bytes >> 20} MiB, {ran.cpu_seconds:.1f} s"
        assert len(ran.stderr) < MESSAGE_BYTES, f"a message of {len(ran.stderr)} bytes: {ran.stderr[:300]}"
        control = [c for c in ran.stderr if ord(c) < 32 and c != "\n"]
        assert not control, f"control characters: {control}"
        if ran.code == 2:
            assert ran.stderr.startswith("error: ") and all(word in ran.stderr for word in case.words), f"{case.words} not in {ran.stderr[:600]}"
            assert not out.exists(), "there is an output"
            return
        faults = {row[3] for row in faults_of(out)}
        assert bool(faults) == (ran.code == 1), faults
        assert case.faults is None or faults <= case.faults, f"faults {faults_of(out)}"
        self.check_captures(out)

    def check_captures(self, out):
        """Each capture has the row of the scan of whole archives."""
        columns = "* EXCLUDE (robots_id, crawl, subset, warc_record_length, _place)"
        for row in query(out, "robots_files", f"{columns}, warc_filename, warc_record_offset, warc_record_in_member"):
            name = row[-3].removeprefix("./")
            expected = self.rows.get((name, *row[-2:]))
            assert expected is not None, f"a capture that no scan has: {row[-3:]} {row[0]}"
            differing = [pair for pair in zip(row, expected) if pair[0] != pair[1] and pair[1] != name]
            assert not differing, f"{row[-3:]}: {differing}"

    def check_cases(self, cases):
        cases = list(cases)
        assert len({case.name for case in cases}) == len(cases)
        cases = test_runner.share(cases, 0.5, isinstance(self, Campaign))
        try:
            check_all(self.check, [(case.name, case) for case in cases])
        finally:
            print(f"  {len(cases)} lists, of at most {self.seconds:.1f} s of computing and {self.memory_bytes >> 20} MiB each")

    def test_addresses(self):
        self.check_cases(address_cases((SAMPLES / NAME).stat().st_size))

    def test_names(self):
        self.check_cases(name_cases())

    def test_an_address_within_an_archive_where_no_record_begins(self):
        for name in NAME, "plain.warc", "frames.warc.zst":
            offset, length = sorted(row[1:3] for row in self.captures if row[0] == name)[1]
            rows = [(name, offset + 1, length), (name, offset - 5, 4)]
            for number, row in enumerate(rows):
                path, out = self.folder / f"inside-{name}-{number}.csv", self.folder / f"inside-{name}-{number}"
                path.write_bytes(csv_bytes([row], CDX_COLUMNS[:3]))
                run_to(1, self.program, "records", path, "--base", self.base, "-q", "-o", out, "--subset", "robotstxt", *FEW_TABLES)
                assert [fault[:4] for fault in faults_of(out)] == [(name, row[1], 0, "no_record")], (name, row, faults_of(out))
                assert not captures_of(out)

    def test_names_that_are_long_together(self):
        # Their list has a thousandth of their bytes.
        path = self.folder / "names.csv.gz"
        with gzip.open(path, "wt") as file:
            file.write(",".join(CDX_COLUMNS[:3]) + "\n" + "".join(f"{'x' * 4000}{number},0,400\n" for number in range(20_000)))
        out = self.folder / "names"
        ran = run(self.program, "records", path, "--base", self.base, "-o", out, is_measured=True)
        assert ran.code == 2 and not out.exists(), (ran.code, ran.stderr[:300])
        assert re.search(r"^error: '[^']*names.csv.gz', row \d+ .* bytes together\nhint: ", ran.stderr), ran.stderr[:300]
        assert ran.memory_bytes < NAMES_MEMORY_BYTES, f"{ran.memory_bytes >> 20} MiB"

    def test_formats(self):
        self.check_cases(format_cases(self.folder))

    def check_addresses(self, addresses_of):
        """Checks lists of one wrong address each. `addresses_of` gives them for the offset and the length of a record."""
        cases = []
        for name in NAME, "plain.warc", "frames.warc.zst", "frames-with-dictionary.warc.zst":
            offset, length = sorted(row[1:3] for row in self.captures if row[0] == name)[1]
            size = (SAMPLES / name).stat().st_size
            for kind, (start, count) in addresses_of(offset, length, self.following(name, offset + length), size).items():
                # Without its last line end, a plain record is whole.
                if (name, kind) == ("plain.warc", "a byte too short"):
                    continue
                cases.append((f"{name}, {kind} ({start}, {count}; the record is {offset}, {length})", name, start, count))
        check_all(self.check_address, cases)
        print(f"  {len(cases)} addresses")

    def test_wrong_offsets_and_short_lengths_are_faults(self):
        self.check_addresses(lambda offset, length, following, size: {
            "a byte too short": (offset, length - 1), "half": (offset, length // 2), "one byte": (offset, 1), "ten bytes": (offset, 10),
            "five bytes too short": (offset, length - 5), "a byte later": (offset + 1, length - 1), "a byte later, as long": (offset + 1, length),
            "a byte later, with the next": (offset + 1, length - 1 + following), "a byte later, to the end": (offset + 1, size - offset - 1),
            "a byte earlier": (offset - 1, length + 1), "in the middle": (offset + length // 2, length), "the first byte": (0, 1),
            "no record": (offset + length // 2, length // 4)})

    def test_lengths_that_are_too_long_are_faults(self):
        self.check_addresses(lambda offset, length, following, size: {
            "a byte too long": (offset, length + 1), "half of the next": (offset, length + following // 2),
            "with the next": (offset, length + following),
            "to the end": (offset, size - offset), "beyond the end": (offset, size - offset + 100), "from the start": (0, offset + length),
            "all": (0, size)})

    def following(self, name, offset):
        """The length of the record, member or frame at an offset."""
        data = (SAMPLES / name).read_bytes()[offset:]
        if name.endswith(".gz"):
            return len(next(members_of(data)))
        magic = b"WARC/1" if name.endswith(".warc") else b"\x28\xb5\x2f\xfd"
        end = data.find(magic, 4)
        return end if end >= 0 else len(data)

    def check_address(self, label, name, start, length):
        out = self.folder / f"address-{abs(hash(label))}"
        path = self.folder / f"address-{abs(hash(label))}.csv"
        path.write_bytes(csv_bytes([(name, start, length)], CDX_COLUMNS[:3]))
        ran = run(self.program, "records", path, "--base", self.base, "-q", "-o", out, "--subset", "robotstxt", *FEW_TABLES)
        captures, faults = captures_of(out, "true"), faults_of(out)
        found = f"exit code {ran.code}, with the captures {[row[1:3] for row in captures]} and the faults {[row[1:4] for row in faults]}"
        assert ran.code == 1 and faults and all(row[0] == name for row in faults), found
        # After damage, the next record in the range may be read, but no others.
        self.check_captures(out)
        assert len(captures) <= 1 and all(start <= row[1] < start + length for row in captures), found

    def test_bases(self):
        path = self.folder / "bases.csv"
        path.write_bytes(csv_bytes([(NAME, OFFSET, LENGTH)], CDX_COLUMNS[:3]))
        bases = ("nowhere", "", str(self.base / NAME), "ftp://host/x", "s3://", "https://", "https://u:secret@127.0.0.1:1/x",
                 "/dev/null", "s3://bucket")
        for base in bases:
            ran = run(self.program, "records", path, "--base", base, "--crawl", "C", "--subset", "warc", "-o", self.folder / "of-base", "--patience",
                      "1s", "--rate", "none",
                      env={"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_EC2_METADATA_DISABLED": "true"}, timeout=40)
            assert ran.code in (2, 3) and "error: " in ran.stderr and "secret" not in ran.stderr, f"{base!r}: {ran.code}: {ran.stderr}"
            shutil.rmtree(self.folder / "of-base", ignore_errors=True)

    def test_many_records_of_one_byte(self):
        archive = self.base / "bytes.warc.gz"
        data = (SAMPLES / NAME).read_bytes()
        archive.write_bytes((data * (self.records // len(data) + 1))[:self.records])
        path = self.folder / "million.parquet"
        write_parquet(path, [("bytes.warc.gz", offset, 1) for offset in range(self.records)], CDX_COLUMNS[:3])
        ran = run(self.program, "records", path, "--base", self.base, "-q", "-o", self.folder / "million", "--crawl", "C",
                  is_measured=True, timeout=600)
        (faults,) = query(self.folder / "million", "faults", "count(*), count(DISTINCT warc_record_offset)")
        print(f"  {ran.cpu_seconds:.1f} s, {ran.memory_bytes >> 20} MiB, {faults[0]} faults")
        assert ran.code == 1 and faults == (self.records, self.records), (ran.code, faults)
        assert ran.memory_bytes < MEMORY_BYTES and ran.cpu_seconds < 60 * self.records / 1e6, f"{ran.cpu_seconds:.1f} s, {ran.memory_bytes >> 20} MiB"

    def test_many_archives_that_do_not_exist(self):
        path = self.folder / "many.csv"
        path.write_bytes(csv_bytes([(f"gone-{i}.warc.gz", 5, 5, "C", "warc") for i in range(20_000)]))
        ran = run(self.program, "records", path, "--base", self.base, "-o", self.folder / "many", is_measured=True)
        assert ran.code == 2 and len(ran.stderr) < MESSAGE_BYTES, f"{ran.code}: {len(ran.stderr)} bytes"
        ran = run(self.program, "records", path, "--base", self.base, "-o", self.folder / "many", "--missing", "skip", is_measured=True)
        assert ran.code == 1 and len(ran.stderr) < MESSAGE_BYTES and ran.memory_bytes < MEMORY_BYTES, f"{ran.code}: {ran.stderr[:500]}"
        assert query(self.folder / "many", "faults", "count(*)") == [(20_000,)]

    def test_a_record_that_decompresses_to_much(self):
        block = b"HTTP/1.1 200 OK\r\n\r\n"
        size = LARGE
        head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://bomb.example/robots.txt\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
                f"WARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http\r\nContent-Length: {len(block) + size}\r\n\r\n")
        packer, piece = zlib.compressobj(1, wbits=31), bytes(1 << 24)
        data = b"".join(map(packer.compress, [head.encode() + block, *[piece] * (size >> 24), b"\r\n\r\n"])) + packer.flush()
        (self.base / "bomb.warc.gz").write_bytes(data)
        path = self.folder / "bomb.csv"
        path.write_bytes(csv_bytes([("bomb.warc.gz", 0, len(data))], CDX_COLUMNS[:3]))
        ran = run(self.program, "records", path, "--base", self.base, "-q", "-o", self.folder / "bomb", is_measured=True)
        print(f"  {ran.cpu_seconds:.1f} s, {ran.memory_bytes >> 20} MiB")
        assert ran.code in (0, 1) and ran.memory_bytes < MEMORY_BYTES and ran.cpu_seconds < CPU_SECONDS, f"{ran.code}, {ran.memory_bytes >> 20} MiB: {ran.stderr}"


class Campaign(Tests):
    records = 1_000_000


if __name__ == "__main__":
    run_tests(__doc__, Tests, Campaign)
