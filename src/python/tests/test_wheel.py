"""Tests the wheel alone: imports, files, scans and the command, and the errors for libraries that are missing."""

from __future__ import annotations

import re
import shlex
import tempfile
import threading
import tomllib
import unittest
from datetime import date, datetime, timezone
from pathlib import Path

import robots_scan
import samples
from robots_scan import _engines
from streams import Isolation

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPORT_PACKAGES = " ".join(map(shlex.quote, PROJECT["optional-dependencies"]["report"]))
LIBRARIES = ("duckdb", "numpy", "pandas", "polars", "pyarrow", "pyspark")


class Imports(Isolation):
    def test_no_library_is_installed(self) -> None:
        self.check_missing(*LIBRARIES)

    def test_every_public_name_exists(self) -> None:
        for name in robots_scan.__all__:
            self.assertTrue(hasattr(robots_scan, name), name)

    def test_a_module_names_the_library_that_it_needs(self) -> None:
        needed = {
            "duckdb": ("duckdb", "pip install duckdb numpy"), "polars": ("polars", "pip install polars"),
            "spark": ("pyarrow", "pip install pyspark pyarrow"),
        }  # fmt: skip
        for module, (package, hint) in needed.items():
            with self.subTest(module), self.assertRaises(ModuleNotFoundError) as raised:
                __import__(f"robots_scan.{module}")
            self.assertEqual(str(raised.exception), f"robots_scan.{module} needs the package '{package}' (hint: {hint})")
            self.assertEqual(raised.exception.name, package)

    def test_a_package_that_a_library_needs_is_not_named_as_that_library(self) -> None:
        error = ModuleNotFoundError("No module named 'other'", name="other")
        self.assertIs(_engines.missing_package(error, "polars", "polars"), error)


class Files(unittest.TestCase):
    def test_a_table_is_a_list_of_rows(self) -> None:
        rows = samples.table_of_file().to_pylist()
        found = [(row["group_no"], row["line_no"], row["allow"], row["path_raw"]) for row in rows]
        self.assertEqual(found, [(None, 1, True, "/b"), (1, 3, False, "/é")])
        self.assertEqual(list(rows[0]), samples.table_of_file().columns)

    def test_every_table_of_every_sample_is_a_list_of_rows(self) -> None:
        count = 0
        for body in samples.bodies():
            robots = robots_scan.parse(body)
            for name in ("groups", "rules", "sitemaps", "directives", "preferences", "anomalies", "verdicts"):
                table = robots.table(name)
                self.assertEqual(len(table.to_pylist()), len(table))
                count += len(table)
        self.assertGreater(count, 300)

    def test_stored_bodies_have_their_bytes(self) -> None:
        def stored(body: bytes) -> tuple[str, bool]:
            """Escape a body as the table `robots_files` does."""
            try:
                return body.decode(), True
            except UnicodeDecodeError:
                pass
            text = body.replace(b"\\", b"\\\\").decode("utf-8", "surrogateescape")
            return "".join(f"\\x{ord(c) - 0xDC00:02X}" if "\ud800" <= c <= "\udfff" else c for c in text), False

        bodies = [*samples.bodies(), b"", b"\\", b"\\xE9", b"a\\b\xe9\\", b"\xff\\xff\\\\", b"\xc3\xa9\xc3"]
        for body in bodies:
            self.assertEqual(_engines.stored_body(*stored(body)), body)
        # A backslash that the table cannot have written.
        self.assertEqual(_engines.stored_body("\\x9 \\q \\", False), b"\\x9 \\q \\")
        self.assertIsNone(_engines.stored_body("a", None))
        self.assertIsNone(_engines.stored_body(None, True))


class Columns(unittest.TestCase):
    def test_constants_give_one_answer(self) -> None:
        for question in samples.questions():
            allowed = robots_scan.robots_allowed(question.body, question.agent, question.url)
            self.assertEqual(allowed.to_pylist(), [question.is_allowed], question)
            verdict = robots_scan.robots_verdict(question.body, question.agent)
            self.assertEqual(verdict.to_pylist(), [question.verdict], question)

    def test_a_file_after_a_large_one_and_a_repeated_one_have_their_own_answers(self) -> None:
        large = b"User-agent: *\n" + b"Disallow: /x\n" * 200_000
        bodies = [b"User-agent: *\nDisallow: /\n", large, b"", large, b"User-agent: *\nDisallow: /\n"]
        for body, expected in zip(bodies, [False, True, True, True, False], strict=True):
            for _ in range(2):
                self.assertEqual(robots_scan.robots_allowed(body, "GPTBot", "/a").to_pylist(), [expected])

    def test_threads_have_their_own_answers(self) -> None:
        wrong = []

        def ask(number: int) -> None:
            body = f"User-agent: *\nDisallow: /{number}/\n"
            for other in range(500):
                expected = other % 8 != number
                if robots_scan.robots_allowed(body, "GPTBot", f"/{other % 8}/").to_pylist() != [expected]:
                    wrong.append((number, other))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_preferences_are_those_of_the_time(self) -> None:
        robots = robots_scan.parse(samples.STATEMENTS)
        for url, category, time, expected in samples.PREFERENCES:
            with self.subTest(category=category, time=time):
                found = robots_scan.robots_preference(samples.STATEMENTS, "a", url, category, time)
                self.assertEqual(found.to_pylist(), [expected])
                self.assertEqual(robots.preference("a", url, category, fetch_time=time).preference, expected)
        for time in (date(2025, 9, 10), datetime(2025, 9, 10), datetime(2025, 9, 10, tzinfo=timezone.utc)):
            self.assertEqual(robots.preference("a", "/", "train-genai", fetch_time=time).preference, "disallowed")
        self.assertEqual(robots.preference("a", "/", "train-genai").preference, "unknown")
        both = robots_scan.parse("User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no, search=yes\n")
        self.assertEqual(both.preference("a", "/").preference, "disallowed")
        self.assertEqual(both.preference("a", "/", "train-ai").preference, "allowed")
        self.assertEqual(both.preference("a", "/", "search").preference, "allowed")
        for missing in range(5):
            values = [None if i == missing else value for i, value in enumerate(("", "a", "/", "train-ai", "2025-01-01"))]
            self.assertEqual(robots_scan.robots_preference(*values).to_pylist(), [None])

    def test_wrong_arguments_are_named(self) -> None:
        cases = [
            (lambda: robots_scan.robots_preference("", "a", "/", "searching", "2025-01-01"), "there is no category 'searching'"),
            (lambda: robots_scan.robots_preference("", "a", "/", "train-ai", "soon"), "'soon' is not a time"),
            (lambda: robots_scan.parse("").preference("a", "/", fetch_time="soon"), "'soon' is not a time"),
            (lambda: robots_scan.robots_allowed(1, "a", "/"), "a column of type 'int' cannot be read"),
            (lambda: robots_scan.robots_allowed("", "a", samples.table_of_file()), "a table cannot be read as a column"),
            (lambda: robots_scan.robots_allowed("", "a", samples.stream("rules")), "a table cannot be read as a column"),
            (lambda: robots_scan.robots_allowed("", "a", "/", "bing"), "there is no dialect 'bing'"),
            (lambda: robots_scan.robots_verdict("", "a", dialect="bing"), "there is no dialect 'bing'"),
        ]
        for call, text in cases:
            with self.assertRaisesRegex(robots_scan.UsageError, text):
                call()

    def test_a_result_is_a_parameter(self) -> None:
        verdicts = robots_scan.robots_verdict(b"User-agent: GPTBot\nDisallow: /\n", "GPTBot")
        self.assertEqual(repr(verdicts), "<Column: 1 value of Utf8>")
        self.assertEqual(len(verdicts), 1)
        # A file with the text 'disallow_all' has no rules.
        self.assertEqual(robots_scan.robots_allowed(verdicts, "GPTBot", "/").to_pylist(), [True])


class Commands(unittest.TestCase):
    def test_scan_and_verify_read_the_samples(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder, "out.parquet")
            with self.assertLogs("robots_scan", "WARNING") as logs:
                summary = robots_scan.scan([*samples.ARCHIVES, samples.DAMAGED], output, with_bodies=True, **samples.LABELS)
            self.assertEqual(len(logs.output), samples.DAMAGED_FAULTS)
            self.assertEqual(summary["faults"], samples.DAMAGED_FAULTS)
            self.assertEqual(summary["failed_inputs"], 0)
            self.assertGreater(summary["captures"], 300)
            self.assertEqual(robots_scan.verify(output)["findings"], [])

    def test_the_command_is_installed(self) -> None:
        self.assertEqual(samples.command("--version").stdout, f"robots-scan {robots_scan.__version__}\n")
        with tempfile.TemporaryDirectory() as folder:
            ran = samples.command("scan", samples.DAMAGED, "-q", "-o", Path(folder, "out.parquet"))
            self.assertEqual(ran.returncode, 1, ran.stderr)

    def test_the_report_names_the_package_that_it_needs(self) -> None:
        ran = samples.command("report", "out.parquet")
        self.assertEqual(ran.returncode, 2)
        self.assertRegex(ran.stderr, f"^error: .*'(duckdb|jinja2|vl_convert)'\nhint: pip install {re.escape(REPORT_PACKAGES)}\n$")

    def test_the_site_and_descriptions_name_the_package_that_they_need(self) -> None:
        needed = next(name for name in PROJECT["optional-dependencies"]["report"] if name.startswith("duckdb"))
        for command in ("site", "-o", "site"), ("describe",):
            ran = samples.command(*command, "out.parquet")
            self.assertEqual(ran.returncode, 2)
            self.assertEqual(ran.stderr, f"error: {command[0]} needs the package 'duckdb'\nhint: pip install {shlex.quote(needed)}\n")


class Streams(unittest.TestCase):
    def test_a_stream_has_columns_and_a_schema(self) -> None:
        stream = samples.stream("robots_files")
        self.assertEqual(stream.columns[-2:], ["crawl", "subset"])
        self.assertIn("arrow_schema", repr(stream.__arrow_c_schema__()))

    def test_a_stream_that_is_never_read_ends(self) -> None:
        stream = samples.stream("robots_files")
        for _ in range(20):
            self.assertIn("arrow_array_stream", repr(stream.__arrow_c_stream__()))
