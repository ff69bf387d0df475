"""Compares archives of copied records with the archives from which they were copied.

    python jobs/test_extract.py target/debug/robots-scan [--campaign]

`robots-scan extract` copies the records of a list into one archive, and `robots-scan check --extract` those that decide for a host. A scan
of the copy must give the rows of a scan of the archives, except their places. Archives are those of the samples in which each record has a
member of its own, and real ones, if ../shared/data is there; `--campaign` reads all real archives.
"""

import gzip
import sys

sys.dont_write_bytecode = True

from record_lists import CDX_COLUMNS, write_list
from source_runs import (CAPTURE_TABLES, REAL, REAL_ARCHIVES, SAMPLES, captures_of, compare_rows, faults_of, query, run_tests, run_to,
                         shuffled)

# Columns by which captures are told apart without their places.
CAPTURE = ("url", "fetch_time", "content_digest")
PLACE = ("warc_filename", "warc_record_offset", "warc_record_length", "warc_record_in_member")
ONE_CRAWL = ("--crawl", "X", "--subset", "robotstxt")


class Tests:
    real_archives = REAL_ARCHIVES

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def scan(self, name, archives, code=0):
        run_to(code, self.program, "scan", *archives, "-q", "-o", self.folder / name, *ONE_CRAWL)
        return self.folder / name

    def list(self, name, rows):
        return write_list(self.folder / "lists" / name, rows, CDX_COLUMNS)

    def extract(self, name, rows, *options, base=SAMPLES, code=0):
        out = self.folder / name
        ran = run_to(code, self.program, "extract", self.list(f"{name}.csv", rows), "--base", base, "-o", out, *options)
        return out, ran

    def with_own_members(self, name, archives, code):
        """Returns the archives in which each record has a member of its own."""
        scan = self.scan(name, archives, code)
        shared = {name for name, in query(scan, "robots_files", "warc_filename", "WHERE warc_record_length IS NULL")}
        captured = {name for name, in query(scan, "robots_files", "warc_filename")}
        return [path for path in archives if path.name in captured - shared]

    def check_archives(self, name, archives, base, code):
        """Copies all captures of archives whose records have members of their own. Returns the number of rows that are the same."""
        scan = self.scan(f"{name}-whole", archives, code)
        captures = captures_of(scan)
        copied, ran = self.extract(f"{name}.warc.gz", shuffled(captures), base=base)
        assert f"{len(captures):,} records" in ran.stdout, ran.stdout
        again = self.scan(f"{name}-copy", [copied])
        assert not faults_of(again)
        rows = compare_rows(again, scan, CAPTURE_TABLES, CAPTURE, PLACE)
        # Members are copied byte by byte, in the order of archive and offset.
        copies, data = captures_of(again), copied.read_bytes()
        members = 0
        for (archive, offset, length, *_), (_, own_offset, own_length, *_) in zip(sorted(captures), copies, strict=True):
            if archive.endswith(".gz"):
                members += 1
                with open(base / archive, "rb") as file:
                    file.seek(offset)
                    assert file.read(length) == data[own_offset:own_offset + own_length], (archive, offset)
        assert members > 0
        return len(captures), rows

    def test_copies_of_samples_have_the_rows_of_the_samples(self):
        archives = self.with_own_members("all-samples", sorted(SAMPLES.glob("*.warc*")), 1)
        assert {path.suffix for path in archives} == {".gz", ".zst", ".warc"}, archives
        print("  {} captures, {} rows".format(*self.check_archives("samples", archives, SAMPLES, 1)))

    def test_copies_of_real_archives_have_their_rows(self):
        archives = sorted(REAL.glob(self.real_archives))
        if not archives:
            return print("  skipped: ../shared/data is not there")
        archives = self.with_own_members("all-real", archives, 0)
        print("  {} captures, {} rows".format(*self.check_archives("real", archives, REAL, 0)))

    def test_the_first_record_says_from_where_the_others_come(self):
        captures = captures_of(self.scan("places", [SAMPLES / "cc-robotstxt.warc.gz"]))[:3]
        copied, _ = self.extract("places.warc.gz", captures)
        text = gzip.decompress(copied.read_bytes()).decode(errors="replace")
        first = text[:text.index("WARC/1", 1)]
        assert "WARC-Type: warcinfo" in first
        for archive, offset, *_ in captures:
            assert any(archive in line and str(offset) in line.split() for line in first.splitlines()), (archive, offset, first)

    def test_a_record_that_decides_for_a_host_is_copied(self):
        dataset = self.scan("shown", [SAMPLES / "cc-robotstxt.warc.gz"])
        decides = "coalesce(rules_robots_id, authoritative_robots_id)"
        hosts = query(dataset, "hosts", f"url_host_name, {decides}, rules_robots_id <> authoritative_robots_id", f"WHERE {decides} IS NOT NULL ORDER BY ALL")
        hosts = [row for row in hosts if row[2]][:2] + [row for row in hosts if not row[2]][:3]
        files = {row[0]: row[1:] for row in query(dataset, "robots_files", "robots_id, url, content_digest")}
        assert len(hosts) == 5, hosts
        for number, (host, robots_id, _) in enumerate(hosts):
            copied = self.folder / f"host-{number}.warc.gz"
            run_to(0, self.program, "check", dataset, "--host", host, "--base", SAMPLES, "--extract", copied)
            again = self.scan(f"host-{number}", [copied])
            assert files[robots_id] in query(again, "robots_files", "url, content_digest"), host

    def test_nothing_is_replaced_unless_asked(self):
        captures = captures_of(self.scan("refused", [SAMPLES / "cc-robotstxt.warc.gz"]))
        copied, _ = self.extract("kept.warc.gz", captures)
        before = copied.read_bytes()
        _, ran = self.extract("kept.warc.gz", captures[:1], code=2)
        assert "kept.warc.gz" in ran.stderr and "hint: " in ran.stderr and copied.read_bytes() == before, ran.stderr
        self.extract("kept.warc.gz", captures[:1], "--overwrite")
        assert len(copied.read_bytes()) < len(before)

    def test_a_record_that_cannot_be_read_leaves_no_archive(self):
        captures = captures_of(self.scan("unread", [SAMPLES / "cc-robotstxt.warc.gz"]))
        name, offset, length, *rest = captures[-1]
        for kind, wrong, code in ("beyond", offset + 10 ** 9, 2), ("inside", offset + 3, 2):
            copied, ran = self.extract(f"{kind}.warc.gz", [*captures[:2], (name, wrong, length, *rest)], code=code)
            assert name in ran.stderr and f"has no record at {wrong}" in ran.stderr and "hint: " in ran.stderr, ran.stderr
            left = [path.name for path in self.folder.glob(f"*{kind}.warc.gz*") if path.is_file()]
            assert not copied.exists() and left == [], left
        missing, ran = self.extract("missing.warc.gz", [("no-such.warc.gz", 0, 10, *rest)], code=2)
        assert "no-such.warc.gz" in ran.stderr and not missing.exists(), ran.stderr


class Campaign(Tests):
    real_archives = "*.warc.gz"


if __name__ == "__main__":
    run_tests(__doc__, Tests, Campaign)
