"""Compares datasets of single records with those of whole archives.

    python tests/python/test_records.py target/debug/robots-scan [--campaign]

A scan of archives gives the address of each capture. `robots-scan records` reads lists of these addresses, in any order and format, and
must write the rows of the scan; only keys differ. Archives are those of the samples in which each record has a member of its own, and real
ones, if ../shared/data is there. `--campaign` reads all real archives, kills runs after
each event, and reads one very long list.
"""

import json
import random
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

sys.dont_write_bytecode = True

import pyarrow as pa
import pyarrow.parquet as pq

from record_lists import CDX_COLUMNS, cdxj_bytes, csv_bytes, json_bytes, write_list, write_sparse
from source_runs import (REAL, REAL_ARCHIVES, SAMPLES, assert_same_bytes, captures_of, check_commands, check_resumed, compare_rows, events_of,
                         faults_of, files_of, kill_when, query, run_tests, run_to, shuffled)

CRAWL_ARCHIVES = ("cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz")
FORMATS = ("list.parquet", "list.csv", "list.csv.gz", "list.jsonl", "list.jsonl.gz", "list.cdxj", "list.cdxj.gz")
ONE_TABLE = ("--tables", "robots_files")
FEW_CRAWLS = ("CC-MAIN-2026-01-SAMPLE", "SAMPLES-2026")
CRAWLS = 5
SEED = 20260101


class Tests:
    # A run is killed after these numbers of events.
    kill_moments, real_archives = (0, 1, CRAWLS // 2, CRAWLS + 1), REAL_ARCHIVES

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        scan = self.scan("all", sorted(SAMPLES.glob("*.warc*")), code=1)
        shared = {name for name, in query(scan, "robots_files", "warc_filename", "WHERE warc_record_length IS NULL")}
        names = {name for name, in query(scan, "robots_files", "warc_filename")} - shared
        self.archives = [SAMPLES / name for name in sorted(names)]
        assert len(self.archives) >= 25 and shared, names
        self.samples = self.scan("samples", self.archives, code=1)
        self.captures = captures_of(self.samples)
        # Each crawl has files of its own, so that fewer crawls are faster.
        self.few = [row for row in self.captures if row[3] in FEW_CRAWLS]

    def scan(self, name, archives, *options, code=0):
        run_to(code, self.program, "scan", *archives, "-q", "-o", self.folder / name, *options)
        return self.folder / name

    def records(self, name, lists, *options, base=SAMPLES, code=0, **others):
        lists = lists if isinstance(lists, list) else [lists]
        run_to(code, self.program, "records", *lists, "--base", base, "-q", "-o", self.folder / name, *options, **others)
        return self.folder / name

    def list(self, name, rows, columns=CDX_COLUMNS):
        return write_list(self.folder / "lists" / name, rows, columns)

    # Lists.

    def test_all_captures_of_the_samples_give_the_rows_of_the_scan(self):
        found = self.records("of-samples", self.list("all.parquet", shuffled(self.captures)))
        rows = compare_rows(found, self.samples)
        compressions = {path.suffix for path in self.archives}
        assert compressions == {".gz", ".zst", ".warc"} and not faults_of(found), compressions
        print(f"  {len(self.captures)} captures of {len(self.archives)} archives: {rows} rows")

    def test_the_comparison_finds_a_row_that_is_missing_or_moved(self):
        fewer = self.records("fewer", self.list("fewer.parquet", self.captures[:-1]))
        last = self.captures[-1]
        others = f"warc_filename <> '{last[0]}' OR warc_record_offset <> {last[1]}"
        assert compare_rows(fewer, self.samples, ("robots_files",), where=others) == len(self.captures) - 1
        for found, expected in (fewer, self.samples), (self.samples, fewer):
            try:
                compare_rows(found, expected, ("robots_files",))
            except AssertionError:
                continue
            raise AssertionError("a row that is missing is not found")

    def test_lists_of_all_formats_give_the_same_bytes(self):
        first = self.one_table("first", self.list("first.parquet", self.few))
        for seed, name in enumerate(FORMATS):
            assert_same_bytes(self.one_table(f"of-{name}-out", self.list(name, shuffled(self.few, seed))), first)
        for kind, data in ("csv", csv_bytes(self.few)), ("jsonl", json_bytes(self.few)):
            found = self.folder / f"of-stdin-{kind}"
            command = [self.program, "records", "-", "--base", SAMPLES, "-q", "-o", found, *ONE_TABLE]
            done = subprocess.run(list(map(str, command)), input=data, capture_output=True, timeout=60)
            assert done.returncode == 0, done.stderr
            assert_same_bytes(found, first)
        shares = [self.list(f"share-{i}.{kind}", shuffled(self.few)[i::3]) for i, kind in enumerate(("csv", "jsonl", "parquet"))]
        assert_same_bytes(self.one_table("of-shares", shares), first)
        assert_same_bytes(self.one_table("of-a-slash", self.list("slash.csv", self.few), base=f"{SAMPLES}/"), first)
        threads = [self.records(f"of-{threads}", self.list("t.csv", self.captures), "-t", threads) for threads in ("1", "3")]
        assert_same_bytes(*threads)

    def one_table(self, name, lists, **others):
        """The dataset of robots_files, from which all other tables follow."""
        return self.records(name, lists, *ONE_TABLE, **others)

    def test_header_lines_of_cdxj_are_skipped(self):
        first = self.one_table("no-header", self.list("no-header.cdxj", self.few))
        path = self.folder / "lists" / "header.cdxj"
        path.write_bytes(b'!OpenWayback-CDXJ 1.0\n!meta {"fields": "filename"}\n' + cdxj_bytes(self.few))
        assert_same_bytes(self.one_table("header", path), first)

    def test_columns_of_other_types_and_names_give_the_same_bytes(self):
        names, offsets, lengths, crawls, subsets = (list(column) for column in zip(*self.few))
        first = self.one_table("typed", self.list("typed.parquet", self.few))
        texts = pa.array(names).dictionary_encode()
        tables = {
            "dictionaries": {"warc_filename": texts, "warc_record_offset": pa.array(offsets).dictionary_encode(),
                             "warc_record_length": pa.array(lengths, pa.int32())},
            "unsigned": {"FILENAME": pa.array(names, pa.large_string()), "Offset": pa.array(offsets, pa.uint64()),
                         "length": pa.array(lengths, pa.uint16())},
            "floats": {"filename": pa.array(names, pa.string_view()), "offset": pa.array(offsets, pa.float64()),
                       "length": pa.array(lengths, pa.float32())},
            "texts": {"filename": pa.array([name.encode() for name in names], pa.binary()),
                      "offset": pa.array([f" {offset}" for offset in offsets]), "length": pa.array(list(map(str, lengths)))},
            # Names of the columnar index count before those of the CDX server.
            "both": {"filename": pa.array(["x"] * len(names)), "offset": pa.array([-1] * len(names)), "length": pa.array([0] * len(names)),
                     "warc_filename": texts, "warc_record_offset": pa.array(offsets), "warc_record_length": pa.array(lengths)},
        }
        for kind, columns in tables.items():
            path = self.folder / "lists" / f"{kind}.parquet"
            partition = {"crawl": pa.array(crawls).dictionary_encode(), "subset": pa.array(subsets)}
            pq.write_table(pa.table({**columns, **partition, "url": pa.array([[1]] * len(names))}), path, row_group_size=50)
            assert_same_bytes(self.one_table(kind, path), first)
        data = b"\xef\xbb\xbf" + csv_bytes(self.few).replace(b"\r\n", b"\n").replace(b"filename,offset,length", b'"Filename", OFFSET , length', 1)
        (self.folder / "lists" / "bom.csv").write_bytes(data)
        assert_same_bytes(self.one_table("bom", self.folder / "lists" / "bom.csv"), first)

    def test_a_random_tenth_gives_these_captures(self):
        for seed in range(SEED, SEED + 2):
            picked = random.Random(seed).sample(self.captures, len(self.captures) // 10)
            found = self.records(f"tenth-{seed}", self.list(f"tenth-{seed}.csv", picked))
            addresses = ", ".join(f"('{name}', {offset})" for name, offset, *_ in picked)
            captures = [table for table in ("groups", "rules", "verdicts", "sitemaps", "directives", "anomalies", "file_preferences")]
            compare_rows(found, self.samples, ("robots_files",), where=f"(warc_filename, warc_record_offset) IN ({addresses})")
            compare_rows(found, self.samples, captures, where=f"(of_warc_filename, of_warc_record_offset) IN ({addresses})")
            assert sorted(captures_of(found)) == sorted(picked)

    # Crawls and subsets.

    def test_without_columns_the_crawl_is_that_of_the_archive(self):
        found = self.records("own", self.list("own.csv", [row[:3] for row in shuffled(self.captures)], CDX_COLUMNS[:3]))
        compare_rows(found, self.samples)
        nothing = [(*row[:3], "", None) for row in shuffled(self.captures)]
        compare_rows(self.records("blank", self.list("blank.csv", nothing)), self.samples)

    def crawl_shaped(self):
        """A folder with archives named as those of Common Crawl, of several crawls and subsets, and their names."""
        base, names = self.folder / "crawls", []
        for number, crawl in enumerate(("CC-MAIN-2024-10", "CC-MAIN-2023-50", "CC-MAIN-2024-10")):
            for subset, archive in ("robotstxt", CRAWL_ARCHIVES[0]), ("warc", "per-record-1.1.warc.gz"), ("warc", "plain.warc"):
                names.append(f"crawl-data/{crawl}/segments/{number}.5/{subset}/{number}-{archive}")
                (base / names[-1]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(SAMPLES / archive, base / names[-1])
        return base, sorted(names)

    def test_a_run_has_the_crawls_of_names(self):
        base, names = self.crawl_shaped()
        (self.folder / "paths").write_text("\n".join(names))
        scan = self.scan("named", [], "--paths", self.folder / "paths", "--base", base)
        captures = shuffled(captures_of(scan))
        crawls = {row[3:] for row in captures}
        assert len(crawls) == 4, crawls
        for kind, rows, columns in (("columns", captures, CDX_COLUMNS), ("names", [row[:3] for row in captures], CDX_COLUMNS[:3])):
            found = self.records(f"named-{kind}", self.list(f"named-{kind}.jsonl", rows, columns), base=base)
            compare_rows(found, scan)
        options = ("--crawl", "MY-CRAWL", "--subset", "warc")
        forced = self.scan("forced", [], "--paths", self.folder / "paths", "--base", base, *options)
        addresses = [row[:3] for row in captures_of(forced)]
        compare_rows(self.records("forced-columns", self.list("forced.csv", [(*row, "X", "Y") for row in addresses]), *options, base=base), forced)
        # The options count before the list, and that before names.
        said = [(*row[:3], "MY-CRAWL", "warc") for row in captures if "/robotstxt/" not in row[0]]
        compare_rows(self.records("said", self.list("said.csv", said), base=base), forced, ("robots_files",),
                     where="warc_filename NOT LIKE '%/robotstxt/%'")

    def test_an_archive_may_be_of_several_crawls(self):
        scan = self.scan("one-archive", [SAMPLES / CRAWL_ARCHIVES[0]], "--crawl", "A", "--subset", "robotstxt")
        rows = [(*row[:3], "AB"[number % 2], "robotstxt") for number, row in enumerate(captures_of(scan))]
        found = self.records("two-crawls", self.list("two-crawls.csv", shuffled(rows)))
        assert sorted(captures_of(found)) == sorted(rows)
        for crawl in "AB":
            offsets = ", ".join(str(row[1]) for row in rows if row[3] == crawl)
            for table, name in ("robots_files", "warc_record_offset"), ("rules", "of_warc_record_offset"), ("verdicts", "of_warc_record_offset"):
                # Both sides have the rows of this crawl only.
                part = self.records(f"two-crawls-{crawl}-{table}", self.list(f"{crawl}.csv", [row for row in rows if row[3] == crawl]))
                compare_rows(part, scan, (table,), where=f"{name} IN ({offsets})", left_out=("crawl",))

    def test_records_that_are_no_captures_are_only_counted(self):
        data = (SAMPLES / "plain.warc").read_bytes()
        starts = [i for i in range(len(data)) if data.startswith(b"WARC/1", i)]
        rows = [("plain.warc", start, end - start) for start, end in zip(starts, [*starts[1:], len(data)])]
        scan = self.scan("plain", [SAMPLES / "plain.warc"])
        found = self.records("every-record", self.list("every-record.csv", rows, CDX_COLUMNS[:3]))
        compare_rows(found, scan)
        summary = json.loads(run_to(0, self.program, "records", self.folder / "lists" / "every-record.csv", "--base", SAMPLES, "-o",
                                    self.folder / "counted", "--json").stdout)
        assert summary["records"] == len(starts) > summary["captures"] > 0, summary

    # Options.

    def test_optional_columns_and_single_tables_are_those_of_a_scan(self):
        options = ("--with-bodies", "--with-record-ids", "--verify-digests", "--body-limit", "200")
        scan = self.scan("with-bodies", self.archives, *options, code=1)
        found = self.records("records-with-bodies", self.list("bodies.csv", self.captures), *options)
        compare_rows(found, scan)
        single = self.folder / "single.parquet"
        run_to(0, self.program, "records", self.list("single.csv", self.captures), "--base", SAMPLES, "-q", "-o", single, "--tables", "rules")
        rules = sum(pq.read_metadata(path).num_rows for path in files_of(self.samples, "rules"))
        assert pq.read_metadata(single).num_rows == rules > 0

    def test_record_ids_join_with_binary_ones_as_described(self):
        """Common Crawl's index has the bytes of the UUIDs of record ids."""
        scan = self.scan("with-ids", self.archives, "--with-record-ids", code=1)
        ids = [(key, place) for key, *place in query(scan, "robots_files", "warc_record_id, warc_filename, warc_record_offset", "WHERE warc_record_id LIKE 'urn:uuid:%'")]
        index = self.folder / "index.parquet"
        pq.write_table(pa.table({
            "warc_record_id": pa.array([uuid.UUID(key).bytes for key, _ in ids], pa.binary()), "warc_filename": [name for _, (name, _) in ids],
            "warc_record_offset": pa.array([offset for _, (_, offset) in ids], pa.int32())}), index)
        described = (Path(__file__).resolve().parents[2] / "schemas" / "robots_files.sql").read_text(encoding="utf-8")
        expression = re.search(r"`(unhex[^`]*)`", described)[1].replace("warc_record_id", "files.warc_record_id")
        joined = query(scan, "robots_files", "count(DISTINCT (files.warc_filename, files.warc_record_offset))", f"AS files JOIN '{index}' i ON i.warc_record_id = {expression} "
                       "AND i.warc_filename = files.warc_filename AND i.warc_record_offset = files.warc_record_offset WHERE files.warc_record_id LIKE 'urn:uuid:%'")
        assert joined == [(len({tuple(place) for _, place in ids}),)] and len(ids) > 10, (joined, len(ids))

    def test_a_dry_run_counts_and_writes_nothing(self):
        out = self.folder / "dry"
        listed = self.list("dry.csv", self.captures)
        ran = run_to(0, self.program, "records", listed, "--base", SAMPLES, "-o", out, "--dry-run")
        for crawl in {row[3] for row in self.captures}:
            rows = [row for row in self.captures if row[3] == crawl]
            words = f"crawl={crawl}: {len(rows)} record", f" in {len({row[0] for row in rows})} archive"
            assert all(word in ran.stdout for word in words), (words, ran.stdout)
        assert not out.exists()

    def test_missing_archives_are_refused_or_faults(self):
        rows = [*self.captures, ("gone.warc.gz", 5, 5, "C", "warc"), ("gone.warc.gz", 15, 5, "C", "warc")]
        listed = self.list("gone.csv", shuffled(rows))
        ran = run_to(2, self.program, "records", listed, "--base", SAMPLES, "-o", self.folder / "gone")
        assert "gone.warc.gz" in ran.stderr, ran.stderr
        found = self.records("skipped", listed, "--missing", "skip", code=1)
        compare_rows(found, self.samples)
        assert [(row[0], row[3]) for row in faults_of(found)] == [("gone.warc.gz", "input_missing")], faults_of(found)

    # Commands.

    def test_all_commands_read_a_dataset_of_records(self):
        months = self.folder / "months"
        for archive in CRAWL_ARCHIVES:
            rows = [row for row in self.captures if row[0] == archive]
            self.records(f"months/{rows[0][3]}", self.list(f"{archive}.csv", rows))
        check_commands(self.program, months, SAMPLES)

    # Runs that end early.

    def crawls(self):
        """A folder with an archive for each of some crawls, each of which is a part, and a list of all captures."""
        base, rows = self.folder / "parts", []
        scan = self.folder / "part"
        if not scan.exists():
            self.scan("part", [SAMPLES / CRAWL_ARCHIVES[0]])
        for number in range(CRAWLS):
            archive = base / f"{number}.warc.gz"
            if not archive.exists():
                base.mkdir(exist_ok=True)
                shutil.copyfile(SAMPLES / CRAWL_ARCHIVES[0], archive)
            rows += [(archive.name, *row[1:3], f"CRAWL-{number:02}", "robotstxt") for row in captures_of(scan)]
        return base, self.list("parts.csv", shuffled(rows))

    def test_a_run_that_is_killed_is_resumed(self):
        base, listed = self.crawls()
        whole = self.records("unbroken", listed, base=base)
        left, differing = [], []
        for moment in self.kill_moments:
            out = self.folder / f"killed-{moment}"
            command = [self.program, "records", listed, "--base", base, "-q", "-t", "1", "-o", out]
            kill_when(lambda: events_of(out) > moment, command)
            left.append(events_of(out))
            run_to(0, self.program, "records", listed, "--base", base, "-q", "-o", out, "--resume")
            differing.append(check_resumed(self.program, out, whole))
        print(f"  events in the logs of runs that were killed: {left}")
        differing = [text for text in differing if text]
        assert not differing, f"{len(differing)} of {len(left)} resumed datasets have the same rows, but other bytes: {differing[0]}"

    def test_another_list_is_not_resumed(self):
        base, listed = self.crawls()
        out = self.folder / "other-list"
        kill_when(lambda: events_of(out) > 1, [self.program, "records", listed, "--base", base, "-q", "-o", out])
        (out / "_SUCCESS").unlink(missing_ok=True)
        rows = [(f"{number}.warc.gz", *row[1:3], f"CRAWL-{number:02}", "robotstxt")
                for number in range(CRAWLS) for row in captures_of(self.folder / "part")[:-1]]
        ran = run_to(2, self.program, "records", self.list("other-parts.csv", rows), "--base", base, "-o", out, "--resume")
        assert "error: " in ran.stderr, ran.stderr
        run_to(2, self.program, "records", listed, "--base", base, "-o", out)

    # Real archives.

    def test_all_captures_of_real_archives_give_the_rows_of_the_scan(self):
        archives = sorted(REAL.glob(self.real_archives))
        if not archives:
            print("skipped: records of real archives, which are not available")
            return
        scan = self.scan("real", archives)
        captures = captures_of(scan)
        rows = compare_rows(self.records("of-real", self.list("real.parquet", shuffled(captures)), base=REAL), scan)
        print(f"  {len(captures)} captures of {len(archives)} archives: {rows} rows")


class Campaign(Tests):
    kill_moments, real_archives = range(2 * CRAWLS + 6), "*.warc.gz"

    def test_ten_million_records_are_the_most(self):
        archive, path = self.folder / "large" / "a.warc.gz", self.folder / "lists" / "large.parquet"
        archive.parent.mkdir()
        write_sparse(archive, SAMPLES / CRAWL_ARCHIVES[0], SEED)
        schema = pa.schema([("filename", pa.string()), ("offset", pa.int64()), ("length", pa.int64()), ("crawl", pa.string())])
        path.parent.mkdir(exist_ok=True)
        with pq.ParquetWriter(path, schema) as writer:
            for start in range(0, 10_000_001, 500_000):
                offsets = range(start, min(start + 500_000, 10_000_001))
                writer.write_table(pa.table([["a.warc.gz"] * len(offsets), list(offsets), [1] * len(offsets), ["C"] * len(offsets)], schema=schema))
        ran = run_to(2, self.program, "records", path, "--base", archive.parent, "-o", self.folder / "large-out", is_measured=True)
        assert "10000000" in ran.stderr.replace(",", ""), ran.stderr
        print(f"  refused after {ran.cpu_seconds:.1f} s of computing with {ran.memory_bytes >> 20} MiB")
        assert ran.memory_bytes < 800 << 20, ran.memory_bytes


if __name__ == "__main__":
    run_tests(__doc__, Tests, Campaign)
