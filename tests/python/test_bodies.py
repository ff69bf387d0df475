"""Compares datasets of tables of bodies with those of the archives that the bodies are from.

    python tests/python/test_bodies.py target/debug/robots-scan [--campaign]

A scan with bodies gives the URL, the time, the status and the bytes of each capture of the samples, and of real archives, if ../shared/data is
there. For these, the bytes are also taken from the archives without robots-scan. Tables of them, in all formats and with other names of
columns, must give the rows that the scan has; only keys and the places of records differ, and without headers what headers say. `--campaign`
reads all real archives, and kills runs after each event.
"""

import json
import random
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import pyarrow as pa
import pyarrow.parquet as pq

from body_tables import COLUMNS, RECORD_ANOMALIES, as_texts, digest_of, is_text, response_of, rows_of, write_parquet, write_text
from dataset import opened
from record_lists import write_list
from source_runs import (REAL, REAL_ARCHIVES, SAMPLES, assert_same_bytes, check_commands, check_resumed, compare_rows, events_of, faults_of,
                         files_of, kill_when, query, run_tests, run_to)

SEED, CRAWLS = 20260201, 6
ABSOLUTE = r"^[A-Za-z0-9+.-]+:[/\\]{2}[^/\\]*[/\\]"
FORMATS = ("t.csv", "t.csv.gz", "t.jsonl", "t.jsonl.gz", "t.parquet")
CRAWL_ARCHIVES = ("cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz")
RULES = ("groups", "rules", "verdicts", "sitemaps", "directives", "preferences", "hosts", "host_verdicts")
PREFERENCES = ("file_preferences", "host_preferences")
# The columns of robots_files that are of records, and those that are of HTTP headers.
OF_RECORDS = ("warc_filename", "warc_record_offset", "warc_record_length", "warc_record_in_member", "warc_ip_address", "content_mime_detected",
              "n_anomalies", "is_doubtful")
OF_HEADERS = ("content_mime_type", "http_server", "http_last_modified", "http_content_usage", "http_tdm_reservation", "waf_hint")
ADDRESS = ("url", "fetch_time")
ONE_TABLE = ("--with-bodies", "--tables", "robots_files")
# Preferences that are stated in headers have no line.
STATED_IN_FILES = "(evidence_line IS NOT NULL OR mechanism = 'content-signal')"
COMMON = " AND ".join(f"code <> '{code}'" for code in RECORD_ANOMALIES)


class Tests:
    headers = ("block", "json")
    # A run is killed after these numbers of events.
    kill_moments, real_archives, odd_archives = (1, CRAWLS // 2, CRAWLS + 1), REAL_ARCHIVES, "REAL-GOV-2020*.warc.gz"

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        every = self.scan("every", sorted(SAMPLES.glob("*.warc*")), code=1)
        # A table cannot say that a payload was truncated, and a row without an absolute URL, or with a bad status, is none.
        captures = query(every, "robots_files", "warc_filename, warc_record_offset, warc_record_length, crawl, subset, robots_id",
                         f"WHERE warc_record_length IS NOT NULL AND content_truncated IS NULL AND regexp_matches(trim(url), '{ABSOLUTE}') "
                         "ORDER BY _place")
        unknown = set(query(every, "anomalies", "crawl, robots_id", "WHERE code = 'bad_status'"))
        whole = [row[:5] for row in captures if (row[3], row[5]) not in unknown]
        listed = write_list(folder / "whole.csv", whole)
        self.samples = folder / "samples"
        # One crawl, since each crawl has files of its own.
        run_to(0, program, "records", listed, "--base", SAMPLES, "-q", "--with-bodies", "-o", self.samples, "--crawl", "SAMPLES")
        self.rows = rows_of(self.samples)
        assert len(self.rows) == len(whole) > 350 and sum(row["is_valid_utf8"] is False for row in self.rows) >= 5
        self.texts = [row for row in self.rows if is_text(row)]

    def scan(self, name, archives, *options, code=0):
        run_to(code, self.program, "scan", *archives, "-q", "-o", self.folder / name, "--with-bodies", "--subset", "robotstxt", *options)
        return self.folder / name

    def bodies(self, name, tables, *options, code=0):
        tables = tables if isinstance(tables, list) else [tables]
        run_to(code, self.program, "bodies", *tables, "-q", "-o", self.folder / name, *options)
        return self.folder / name

    def table(self, name, rows, **options):
        return write_parquet(self.folder / "tables" / name, rows, **options)

    def reference(self):
        """The dataset of all texts of the samples."""
        out = self.folder / "reference"
        return out if out.exists() else self.bodies("reference", self.table("reference/t.parquet", as_texts(self.texts)), "--with-bodies")

    def compare(self, found, expected, headers=False, anomalies=True):
        left_out = (*OF_RECORDS, *(() if headers else OF_HEADERS))
        rows = compare_rows(found, expected, ("robots_files", *RULES), ADDRESS, left_out)
        stated = "true" if headers else STATED_IN_FILES
        rows += compare_rows(found, expected, PREFERENCES, ADDRESS, where=stated, found_where=stated)
        if anomalies:
            # Both sides without the anomalies of records.
            counts = [query(dataset, "anomalies", "code, line_no, detail, changes_verdict", f"WHERE {COMMON} ORDER BY _place")
                      for dataset in (found, expected)]
            assert counts[0] == counts[1], sorted(set(counts[0]) ^ set(counts[1]), key=str)[:5]
        return rows

    # Bodies.

    def test_bodies_of_the_samples_give_the_rows_of_the_archives(self):
        found = self.bodies("of-samples", self.table("samples.parquet", as_texts(self.rows)), "--with-bodies")
        rows = self.compare(found, self.samples, anomalies=False)
        print(f"  {len(self.rows)} bodies: {rows} rows")

    def test_the_bodies_are_those_of_the_archives(self):
        """The rows from which tables are made are compared with bytes that Python reads."""
        compared = 0
        for row in self.rows:
            if row["warc_filename"] not in CRAWL_ARCHIVES or row["is_revisit"]:
                continue
            _, payload = response_of(SAMPLES / row["warc_filename"], row["warc_record_offset"], row["warc_record_length"])
            assert payload == row["body"] and digest_of(payload) == row["content_digest"], row["url"]
            compared += 1
        assert compared > 250, compared

    def with_headers(self, rows, base, kind):
        """The rows with the header fields of their responses, as lines or as a JSON object."""
        with_headers = []
        for row in rows:
            header, _ = response_of(base / row["warc_filename"], row["warc_record_offset"], row["warc_record_length"])
            lines = header.decode("latin-1").split("\r\n")
            if kind == "fields":
                lines = lines[1:]
            if kind == "json":
                fields = {}
                for name, _, value in (line.partition(":") for line in lines[1:]):
                    fields.setdefault(name.strip(), []).append(value.strip())
                text = json.dumps({name: values[0] if len(values) == 1 else values for name, values in fields.items()})
            else:
                text = ("\n" if kind == "lines" else "\r\n").join(lines)
            with_headers.append({**row, "headers": text})
        return with_headers

    def test_header_fields_are_lines_or_json(self):
        names = {name: name for name in (*COLUMNS, "headers")}
        archives = [SAMPLES / name for name in CRAWL_ARCHIVES]
        scan = self.scan("crawls", archives)
        rows = rows_of(scan)
        for kind in self.headers:
            table = self.table(f"headers-{kind}.parquet", self.with_headers(rows, SAMPLES, kind), names=names)
            found = self.bodies(f"headers-{kind}", table, "--with-bodies")
            self.compare(found, scan, headers=True)
        # The target of a redirect is then in the headers.
        names.pop("fetch_redirect")
        table = self.table("no-redirects.parquet", self.with_headers(rows, SAMPLES, "lines"), names=names)
        self.compare(self.bodies("no-redirects", table, "--with-bodies"), scan, headers=True)

    def test_real_bodies_give_the_rows_of_the_archives(self):
        archives = sorted(REAL.glob(self.real_archives))
        if not archives:
            print("skipped: bodies of real archives, which are not available")
            return
        scan = self.scan("real", archives)
        rows = rows_of(scan)
        for row in rows:
            _, payload = response_of(REAL / row["warc_filename"], row["warc_record_offset"], row["warc_record_length"])
            assert payload == row["body"], (row["warc_filename"], row["warc_record_offset"])
        names = {name: name for name in (*COLUMNS, "headers")}
        table = self.table("real.parquet", self.with_headers(rows, REAL, "lines"), names=names, compression="zstd")
        found = self.bodies("of-real", table, "--with-bodies")
        count = self.compare(found, scan, headers=True)
        print(f"  {len(rows)} bodies of {len(archives)} archives: {count} rows")

    # Formats and columns.

    def test_tables_of_all_formats_give_the_same_rows(self):
        for name in FORMATS:
            path = self.folder / "tables" / f"of-{name}" / name
            table = write_parquet(path, as_texts(self.texts)) if name.endswith(".parquet") else write_text(path, self.texts)
            self.assert_same_files(self.bodies(f"formats/{name}-out", table, *ONE_TABLE), self.reference())
        again = self.bodies("again", self.folder / "tables" / "reference" / "t.parquet", "--with-bodies")
        assert_same_bytes(again, self.reference(), ("runs",))

    def assert_same_files(self, found, expected):
        """Compares robots_files with bodies, from which all other tables follow; names of tables may differ."""
        compare_rows(found, expected, ("robots_files",), left_out=("warc_filename",))

    def test_columns_of_all_types_give_the_same_rows(self):
        rows = [row for row in self.texts if not row["has_bad_time"]]
        expected = self.bodies("typed", self.table("typed/t.parquet", rows))
        millis = pa.timestamp("ms")
        types = {
            "large": {"url": pa.large_string(), "body": pa.large_binary(), "fetch_time": pa.timestamp("us"), "fetch_status": pa.int64()},
            "views": {"url": pa.string_view(), "body": pa.binary_view(), "fetch_time": pa.timestamp("ns"), "fetch_status": pa.uint16()},
            "zones": {"url": pa.binary(), "fetch_time": pa.timestamp("ms", "America/New_York"), "fetch_status": pa.int16()},
            "floats": {"fetch_status": pa.float64(), "fetch_time": millis},
        }
        tables = {name: {"types": kinds} for name, kinds in types.items()}
        tables["pages"] = {"row_group_size": 7, "data_page_size": 100, "use_dictionary": False}
        tables["groups"] = {"row_group_size": 100, "compression": "gzip", "version": "1.0"}
        for name, options in tables.items():
            found = self.bodies(f"typed-{name}", self.table(f"{name}/t.parquet", rows, **options))
            assert_same_bytes(found, expected, ("runs",))
        texts = self.folder / "tables" / "dictionaries" / "t.parquet"
        texts.parent.mkdir()
        columns = {name: pa.array([row[name] for row in rows]) for name in COLUMNS}
        columns = {name: column if name in ("fetch_time", "is_revisit") else column.dictionary_encode() for name, column in columns.items()}
        pq.write_table(pa.table(columns), texts)
        assert_same_bytes(self.bodies("typed-dictionaries", texts), expected, ("runs",))

    def test_times_are_iso_texts_or_digits(self):
        rows = [row for row in as_texts(self.texts) if row["fetch_time"] not in (None, "soon") and row["fetch_time"].endswith(".000Z")]
        assert len(rows) > 200
        expected = self.bodies("iso", self.table("iso/t.parquet", rows))
        digits = [{**row, "fetch_time": "".join(c for c in row["fetch_time"] if c.isdigit())[:14]} for row in rows]
        numbers = [{**row, "fetch_time": int(row["fetch_time"])} for row in digits]
        blank = [{**row, "fetch_time": row["fetch_time"].replace("T", " ").removesuffix("Z")} for row in rows]
        for name, changed in ("digits", digits), ("numbers", numbers), ("blank", blank):
            assert_same_bytes(self.bodies(name, self.table(f"{name}/t.parquet", changed)), expected, ("runs",))

    def test_columns_may_have_other_names(self):
        reference = self.reference()
        names = {"url": "Seite", "body": "inhalt", "fetch_time": "wann", "fetch_status": "code", "fetch_redirect": "ziel", "crawl": "monat",
                 "content_digest": "content_digest", "is_revisit": "is_revisit"}
        options = ("--columns", "url=Seite,body=inhalt,time=wann", "--columns", "status=code,redirect=ziel,crawl=monat", "--with-bodies")
        for name in "renamed/t.parquet", "renamed/t.csv", "renamed/t.jsonl":
            path = self.folder / "tables" / name
            table = write_parquet(path, as_texts(self.texts), names) if name.endswith("parquet") else write_text(path, self.texts, names)
            self.assert_same_files(self.bodies(f"of-{name}".replace("/t.", "-"), table, *options, "--tables", "robots_files"), reference)
        for number, (old, new) in enumerate((("fetch_time", "timestamp"), ("fetch_time", "time"), ("fetch_time", "TIMESTAMP"),
                                             ("fetch_status", "status"),
                                             ("url", "URL"))):
            names = {name: new if name == old else name for name in COLUMNS}
            table = self.table(f"other-{number}/t.parquet", as_texts(self.texts), names=names)
            self.assert_same_files(self.bodies(f"other-{number}", table, *ONE_TABLE), reference)
        for key in "url", "body", "time", "status", "redirect", "headers", "crawl":
            table = self.folder / "tables" / "reference" / "t.parquet"
            ran = run_to(2, self.program, "bodies", table, "-o", self.folder / "no-column", "--columns", f"{key}=nowhere")
            assert "nowhere" in ran.stderr and "t.parquet" in ran.stderr, ran.stderr

    def test_rows_of_csv_are_captures_or_faults_that_are_told(self):
        """Unquoted empty bodies are null, whole floats are numbers, and URLs are absolute; nothing is lost without a word."""
        url = "https://{}.example/robots.txt".format
        cases = {
            "null": (f'url,body\n{url("a")},\n{url("b")},""\n{url("c")},x\n', [], "an empty field without quotes is null"),
            "floats": (f'url,body,status\n{url("a")},x,200.0\n{url("b")},,404.0\n{url("c")},x,200.5\n', [2], "200.5"),
            "quote": (f'url,body\n{url("a")},"x\ny"\n{url("b")},"x\n{url("c")},x\n', [1], "the quote that opens at line 4 is not closed"),
            "bare": (f'url,body\na.example,x\na.example/robots.txt,x\nhttps://a.example,x\n{url("b")}?x,x\n', [0, 1, 2], "write it as https://HOST/robots.txt"),
            "paths": (f'url,body,status\nhttps://a.example/,x,\n{url("b")}?x,x,\n{url("c")},,301\n', [], "2 rows with a URL whose path is not /robots.txt"),
        }
        times = ("2024-03-01 12:30:00 UTC", "2024-03-01T12:30:00 +00:00", "20240301123000", "20240301", "", "1709296200", "soon", "1709296200000")
        cases["times"] = ("url,body,time\n" + "".join(f"{url(f'h{i}')},x,{time}\n" for i, time in enumerate(times)), [], "3 rows with a time that cannot be read")
        for name, (text, expected, words) in cases.items():
            path, out = self.folder / "tables" / f"told-{name}.csv", self.folder / f"told-{name}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            ran = run_to(bool(expected), self.program, "bodies", path, "-q", "-o", out)
            assert words in ran.stderr, f"{name}: {words!r} is not in {ran.stderr}"
            assert [row[1] for row in faults_of(out)] == expected, f"{name}: {faults_of(out)}"
            if name == "null":
                assert opened(out).sql("SELECT h.outcome, h.wildcard_verdict FROM hosts h ORDER BY h.surt_host_name").fetchall() == [
                    ("failed", "unknown"), ("successful", "allow_all"), ("successful", "allow_all")]
            if name == "floats":
                assert query(out, "robots_files", "fetch_status", "ORDER BY _place") == [(200,), (404,)]
                assert query(out, "host_verdicts", "count(*)", "WHERE verdict = 'disallow_all'") == [(0,)]
            if name == "times":
                read = query(out, "robots_files", "strftime(fetch_time, '%d %H:%M')", "ORDER BY _place")
                assert [time for time, in read] == ["01 12:30"] * 3 + ["01 00:00"] + [None] * 4, read
                assert query(out, "anomalies", "count(*)", "WHERE code = 'bad_date'") == [(3,)]

    def test_fetches_that_failed_are_captures_of_which_nothing_is_decided(self):
        """Without a status or with 0, a row without a body or with an error is a failed fetch. Any answer of its host is preferred to it."""
        body = "User-agent: GPTBot\nDisallow: /\n"
        rows = [
            {"host": "a.example", "status": 200, "body": body}, {"host": "a.example", "status": 0, "body": None, "error": "timeout"},
            {"domain": "b.example:8080", "status": None, "body": None, "error": "dns"}, {"host": "c.example", "status": "-", "body": body},
            {"host": "d.example", "status": None, "body": "<p>blocked", "error": "reset"}, {"host": "e.example", "status": 302, "body": None},
            {"host": "e.example", "status": 0, "body": None}, {"host": "f.example", "status": 0, "body": body},
            {"host": "g.example", "status": 200, "body": body, "error": "cut"}, {"host": "https://h.example/", "status": 200, "body": body},
            {"host": "", "status": 200, "body": body}]
        path, out = self.folder / "tables" / "failed.jsonl", self.folder / "failed"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        ran = run_to(1, self.program, "bodies", path, "-o", out)
        assert "7 rows with a host, read as https://HOST/robots.txt" in ran.stdout and "4 rows without a response" in ran.stdout, ran.stdout
        assert [row[1] for row in faults_of(out)] == [7, 8, 9, 10], faults_of(out)
        hosts = "SELECT h.url, h.fetch_status, h.outcome, h.wildcard_verdict FROM hosts h ORDER BY h.surt_host_name"
        assert opened(out).sql(hosts).fetchall() == [
            ("https://a.example/robots.txt", 200, "successful", "allow_all"), ("https://b.example:8080/robots.txt", None, "failed", "unknown"),
            ("https://c.example/robots.txt", None, "successful", "allow_all"), ("https://d.example/robots.txt", None, "failed", "unknown"),
            ("https://e.example/robots.txt", 302, "redirect", "unknown")]
        assert query(out, "anomalies", "count(*)", "WHERE code = 'fetch_failed'") == [(4,)]
        assert query(out, "robots_files", "count(*)", "WHERE body_bytes > 0") == [(2,)]
        for name, text, words in (("array.json", "[" + json.dumps(rows[0]) + "]", "jq -c '.[]'"), ("tabs.tsv", "host\tbody\na.example\tx\n", "tab-separated")):
            path = self.folder / "tables" / name
            path.write_text(text)
            ran = run_to(2, self.program, "bodies", path, "-o", self.folder / "refused")
            assert words in ran.stderr and ran.stderr.count("\n") == 2, ran.stderr
        ran = run_to(2, self.program, "bodies", self.folder / "tables", "-o", self.folder / "refused")
        assert "it is a folder" in ran.stderr and "read_text" in ran.stderr, ran.stderr

    def test_a_table_needs_only_urls_and_bodies(self):
        rows = [row for row in self.texts if row["body"] is not None and row["fetch_status"] == 200]
        rows.sort(key=lambda row: (row["warc_filename"], row["warc_record_offset"]))
        found = self.bodies("two-columns", self.table("two.parquet", rows, names={"url": "url", "body": "body"}))
        assert query(found, "robots_files", "DISTINCT crawl, subset") == [("bodies", "robotstxt")]
        listed = write_list(self.folder / "two.csv", [tuple(row[name] for name in (
            "warc_filename", "warc_record_offset", "warc_record_length", "crawl")) + ("robotstxt",) for row in rows])
        records = self.folder / "two-records"
        run_to(0, self.program, "records", listed, "--base", SAMPLES, "-q", "-o", records, "--crawl", "bodies")
        tables = ("groups", "rules", "sitemaps", "directives", "preferences")
        compare_rows(found, records, tables, ("url",))
        # Digests of archives may be of bodies with codings.
        assert {digest for digest, in query(found, "robots_files", "content_digest")} == {digest_of(row["body"]) for row in rows}

    def test_robots_files_with_bodies_is_such_a_table(self):
        for archive in SAMPLES / CRAWL_ARCHIVES[0], *sorted(REAL.glob(self.odd_archives)):
            scan = self.scan(f"own-{archive.name}", [archive])
            (part,) = files_of(scan, "robots_files")
            crawl = query(scan, "robots_files", "crawl")[0][0]
            found = self.bodies(f"own-bodies-{archive.name}", part, "--crawl", crawl, "--with-bodies")
            self.compare(found, scan)

    # Places and crawls.

    def test_a_place_is_the_table_and_the_row(self):
        found = self.reference()
        for name, row, url, length, member in query(found, "robots_files", "warc_filename, warc_record_offset, url, warc_record_length, "
                                                    "warc_record_in_member"):
            assert (name, length, member) == ("table:t.parquet", None, 0), (name, length, member)
            assert self.texts[row]["url"] == url, row
        rows = sorted(row for row, in query(found, "robots_files", "warc_record_offset"))
        assert rows == list(range(len(self.texts)))

    def test_crawls_may_be_interleaved(self):
        rng = random.Random(SEED)
        mixed = [{**row, "crawl": rng.choice(("A", "B", "B", "C"))} for row in as_texts(self.texts)]
        sorted_rows = sorted(mixed, key=lambda row: row["crawl"])
        expected = self.bodies("by-crawl", self.table("by-crawl/t.parquet", sorted_rows), "--with-bodies")
        assert query(expected, "robots_files", "count(DISTINCT crawl)") == [(3,)]
        found = self.bodies("mixed", self.table("mixed/t.parquet", mixed), "--with-bodies")
        self.compare(found, expected)
        groups = self.bodies("mixed-groups", self.table("mixed-groups/t.parquet", mixed, row_group_size=3), "--with-bodies")
        assert_same_bytes(groups, found, ("runs",))
        path = self.folder / "tables" / "mixed" / "t.jsonl"
        lines = ({name: row[name].decode() if isinstance(row[name], bytes) else row[name] for name in COLUMNS} for row in mixed)
        path.write_text("".join(json.dumps(line) + "\n\n" for line in lines))
        self.assert_same_files(self.bodies("mixed-lines", path, *ONE_TABLE), found)
        # Each crawl alone has the same rows as among others, but its revisits have no earlier files.
        for crawl in "ABC":
            only = self.table(f"only-{crawl}/t.parquet", [row for row in mixed if row["crawl"] == crawl])
            found = self.bodies(f"only-{crawl}", only, "--with-bodies")
            compare_rows(found, expected, ("groups", "rules", "verdicts"), ADDRESS, where=f"crawl = '{crawl}'")
        one = self.bodies("one-crawl", self.folder / "tables" / "mixed" / "t.parquet", "--crawl", "ONE", *ONE_TABLE)
        assert [row[0] for row in query(one, "robots_files", "warc_record_offset", "ORDER BY _place")] == list(range(len(mixed)))
        assert query(one, "robots_files", "DISTINCT crawl") == [("ONE",)]

    def test_several_tables_are_read_in_order(self):
        shares = [self.table(f"shares/{i}.parquet", as_texts(self.texts)[start::3]) for i, start in enumerate(range(3))]
        found = self.bodies("shares", shares, "--with-bodies")
        left_out = (*OF_RECORDS, *OF_HEADERS)
        captures = ("robots_files", "groups", "rules", "verdicts")
        compare_rows(found, self.reference(), captures, ADDRESS, left_out, is_ordered=False)
        order = query(found, "robots_files", "crawl, warc_filename, warc_record_offset", "ORDER BY _place")
        assert order == sorted(order)
        for threads in "1", "2":
            assert_same_bytes(self.bodies(f"shares-{threads}", shares, "-t", threads, "--with-bodies"), found)
        ran = run_to(2, self.program, "bodies", shares[0], shares[0], "-o", self.folder / "twice")
        assert "0.parquet" in ran.stderr, ran.stderr

    # Options.

    def test_limits_and_optional_columns_are_those_of_a_scan(self):
        options = ("--body-limit", "100", "--with-bodies")
        limited = self.folder / "limited"
        run_to(0, self.program, "records", self.folder / "whole.csv", "--base", SAMPLES, "-q", "-o", limited, "--crawl", "SAMPLES", *options)
        found = self.bodies("limited-bodies", self.table("limited.parquet", as_texts(self.rows)), *options)
        self.compare(found, limited, anomalies=False)
        cut = self.bodies("cut", self.table("cut.parquet", as_texts(self.rows)), "--max-body-bytes", "100")
        assert query(cut, "robots_files", "max(body_bytes)") == [(100,)]
        single = self.folder / "single.parquet"
        run_to(0, self.program, "bodies", self.folder / "tables" / "cut.parquet", "-q", "-o", single, "--tables", "rules")
        assert pq.read_metadata(single).num_rows == len(query(self.samples, "rules", "line_no"))
        out = self.folder / "dry"
        ran = run_to(0, self.program, "bodies", self.folder / "tables" / "cut.parquet", "-o", out, "--dry-run")
        assert "crawl=" in ran.stdout and not out.exists(), ran.stdout

    # Commands.

    def test_all_commands_read_a_dataset_of_bodies(self):
        for archive in CRAWL_ARCHIVES:
            rows = [row for row in self.rows if row["warc_filename"] == archive]
            crawl = archive.split(".")[0]
            self.bodies(f"months/{crawl}", self.table(f"months/{archive}.parquet", as_texts(rows)), "--crawl", crawl)
        check_commands(self.program, self.folder / "months", self.folder / "tables")

    # Runs that end early.

    def table_of_crawls(self, name, rows):
        """A table of the same rows in several crawls, each of which is a part."""
        return self.table(name, [{**row, "crawl": f"CRAWL-{number}"} for row in as_texts(rows) for number in range(CRAWLS)])

    def test_a_run_that_is_killed_is_resumed(self):
        table = self.table_of_crawls("parts.parquet", self.texts[:100])
        whole, left, differing = self.bodies("unbroken", table), [], []
        for moment in self.kill_moments:
            out = self.folder / f"killed-{moment}"
            command = [self.program, "bodies", table, "-q", "-t", "1", "-o", out]
            kill_when(lambda: events_of(out) > moment, command)
            left.append(events_of(out))
            run_to(0, self.program, "bodies", table, "-q", "-o", out, "--resume")
            differing.append(check_resumed(self.program, out, whole))
        print(f"  events in the logs of runs that were killed: {left}")
        differing = [text for text in differing if text]
        assert not differing, f"{len(differing)} of {len(left)} resumed datasets have the same rows, but other bytes: {differing[0]}"

    def test_a_table_that_changed_is_not_resumed(self):
        table, out = self.table_of_crawls("changed.parquet", self.texts), self.folder / "changed"
        kill_when(lambda: events_of(out) > 1, [self.program, "bodies", table, "-q", "-o", out])
        (out / "_SUCCESS").unlink(missing_ok=True)
        self.table_of_crawls("changed.parquet", self.texts[1:])
        ran = run_to(2, self.program, "bodies", table, "-o", out, "--resume")
        assert "changed.parquet" in ran.stderr, ran.stderr


class Campaign(Tests):
    headers = ("lines", "fields", "block", "json")
    kill_moments, real_archives, odd_archives = range(2 * CRAWLS + 6), "*.warc.gz", "REAL-ODD*.warc.gz"


if __name__ == "__main__":
    run_tests(__doc__, Tests, Campaign)
