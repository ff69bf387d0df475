"""Tests the commands as functions: results, keywords, errors, messages, Ctrl-C and progress.

The environment variable ROBOTS_SCAN_PROGRAM names the command; without it, the one of the package is run.
"""

from __future__ import annotations

import contextlib
import datetime
import inspect
import io
import json
import logging
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import calls
import corpus

import robots_scan
from robots_scan import _progress, summaries

PROGRAM = os.environ.get("ROBOTS_SCAN_PROGRAM") or str(Path(sys.executable).with_name("robots-scan"))

WARC = corpus.SAMPLES / "warc"
FIRST, LATER = WARC / "cc-robotstxt.warc.gz", WARC / "cc-robotstxt-later.warc.gz"
DAMAGED = WARC / "damaged-often.warc.gz"

# What differs between two runs of a command.
OF_RUN = {"seconds", "output", "dataset", "folder"}

HANG_SECONDS = 120

# Messages that no test expects are not printed.
logging.getLogger("robots_scan").addHandler(logging.NullHandler())


def command_json(*arguments: object) -> dict[str, Any]:
    process = subprocess.run([PROGRAM, *map(str, arguments), "--json", "-q"], capture_output=True, text=True, timeout=HANG_SECONDS)
    assert process.stdout, process.stderr
    return json.loads(process.stdout)


def comparable(summary: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in summary.items() if key not in OF_RUN}


class InFolder(unittest.TestCase):
    """Tests with a temporary folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def large_archives(self, count: int, copies: int = 20) -> Path:
        """Make a folder of archives that take a while, which share their bytes."""
        folder = self.folder / "archives"
        folder.mkdir()
        first = folder / "00.warc.gz"
        first.write_bytes(FIRST.read_bytes() * copies)
        for number in range(1, count):
            os.link(first, folder / f"{number:02}.warc.gz")
        return folder


class Results(InFolder):
    def test_calls_have_the_answers_of_all_engines(self) -> None:
        path = self.folder / "robots.txt"
        path.write_text(calls.BODY, encoding="utf-8")
        asked = [call for call in calls.CALLS if call.is_for_command_line and call.body and call.status is None]
        self.assertGreater(len(asked), 10)
        for call in asked:
            with self.subTest(call=call):
                arguments = [PROGRAM, "check", path, f"--agent={call.agent}", f"--url={call.url}", "--json"]
                process = subprocess.run(arguments, capture_output=True, text=True, timeout=HANG_SECONDS)
                if isinstance(call.answer, str):
                    self.assertEqual(process.returncode, 2)
                    self.assertIn(call.answer, process.stderr)
                else:
                    access = json.loads(process.stdout)["agents"][0]["urls"][0]["access"]
                    self.assertEqual(access, "allowed" if call.answer else "disallowed")

    def test_scan_returns_what_the_command_prints(self) -> None:
        for inputs in ([FIRST], [FIRST, LATER], [DAMAGED, WARC / "frames.warc.zst"]):
            with self.subTest(inputs=inputs):
                options = ["--crawl", "X", "--subset", "robotstxt"] if inputs[0] == DAMAGED else []
                expected = command_json("scan", *inputs, "-o", self.folder / "a.parquet", "--overwrite", *options)
                keywords = {"crawl": "X", "subset": "robotstxt"} if options else {}
                actual = robots_scan.scan(inputs, self.folder / "b.parquet", overwrite=True, **keywords)
                self.assertEqual(comparable(actual), comparable(expected))
                self.assertEqual(self.files("a.parquet"), self.files("b.parquet"))

    def files(self, name: str) -> dict[str, bytes]:
        """Return the tables of a dataset, without that of the runs."""
        root = self.folder / name
        paths = [path for path in root.rglob("*.parquet") if "runs" not in path.parts]
        return {str(path.relative_to(root)): path.read_bytes() for path in paths}

    def test_match_join_and_verify_return_what_the_command_prints(self) -> None:
        robots_scan.scan(FIRST, self.folder / "months" / "1")
        robots_scan.scan(LATER, self.folder / "months" / "2")
        shutil.copytree(self.folder / "months", self.folder / "others")
        expected = command_json("join", self.folder / "others")
        actual = robots_scan.join(self.folder / "months")
        self.assertEqual(comparable(actual), comparable(expected))
        dataset = self.folder / "months"
        self.assertEqual(comparable(robots_scan.verify(dataset)), comparable(command_json("verify", dataset)))
        urls = self.folder / "urls.csv"
        urls.write_text("page\nhttps://moved.example/news\nhttps://www.moved.example/\nhttps://none.example/\n")
        options = ["--agent", "GPTBot,CCBot", "--urls", urls, "--columns", "url=page", "--dialect", "google", "--at", "2026-03-01"]
        expected = command_json("match", dataset, *options, "-o", self.folder / "a.csv")
        day = datetime.date(2026, 3, 1)
        actual = robots_scan.match(dataset, ["GPTBot", "CCBot"], urls, self.folder / "b.csv", columns={"url": "page"}, dialect="google", at=day)
        self.assertEqual(comparable(actual), comparable(expected))
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())

    def test_a_history_is_made_and_asked(self) -> None:
        robots_scan.scan(FIRST, self.folder / "1")
        robots_scan.scan(LATER, self.folder / "2")
        inputs = [self.folder / "1", self.folder / "2"]
        expected = command_json("history", *inputs, "-o", self.folder / "a")
        self.assertEqual(comparable(robots_scan.history(inputs, self.folder / "b")), comparable(expected))
        self.assertEqual(self.files("a"), self.files("b"))
        urls = self.folder / "urls.csv"
        urls.write_text("url,seen\nhttps://moved.example/news,2026-03-01\nhttps://none.example/,2026-03-01\n")
        options = ["--agent", "GPTBot", "--urls", urls, "--columns", "time=seen", "--any-origin"]
        expected = command_json("match", self.folder / "a", *options, "-o", self.folder / "a.parquet")
        actual = robots_scan.match(self.folder / "a", "GPTBot", urls, self.folder / "b.parquet", columns={"time": "seen"}, any_origin=True)
        self.assertEqual(comparable(actual), comparable(expected))
        self.assertEqual((self.folder / "a.parquet").read_bytes(), (self.folder / "b.parquet").read_bytes())

    def test_verify_returns_the_problems(self) -> None:
        robots_scan.scan(FIRST, self.folder / "out")
        path = next((self.folder / "out" / "rules").rglob("*.parquet"))
        path.write_bytes(path.read_bytes()[:-100])
        report = robots_scan.verify(self.folder / "out")
        self.assertEqual(comparable(report), comparable(command_json("verify", self.folder / "out")))
        self.assertTrue(report["findings"])
        self.assertEqual(report["exit_code"], 1)

    def test_paths_sizes_and_lists_are_options(self) -> None:
        expected = command_json("scan", FIRST, "-o", self.folder / "a", "--tables", "rules,groups", "--body-limit", "1kB", "-t", "1")
        actual = robots_scan.scan(str(FIRST), str(self.folder / "b"), tables=["rules", "groups"], body_limit="1kB", threads=1)
        self.assertEqual(comparable(actual), comparable(expected))
        self.assertEqual(robots_scan.scan(FIRST, self.folder / "c", tables="rules,groups", body_limit=1000)["rows"], actual["rows"])


class Sources(InFolder):
    def test_records_and_bodies_are_those_of_the_commands(self) -> None:
        with open(self.folder / "list.csv", "w") as file:
            file.write("filename,offset,length\ncc-robotstxt.warc.gz,26998,512\n")
        base = {"base": str(WARC), "crawl": "X", "subset": "robotstxt"}
        options = ["--base", WARC, "--crawl", "X", "--subset", "robotstxt"]
        expected = command_json("records", self.folder / "list.csv", "-o", self.folder / "a", *options)
        actual = robots_scan.records(self.folder / "list.csv", self.folder / "b", **base)
        self.assertEqual(comparable(actual), comparable(expected))
        self.assertEqual(actual["captures"], 1)
        with open(self.folder / "table.jsonl", "w") as file:
            file.write(json.dumps({"site": "https://a.example/robots.txt", "body": "User-agent: *\nDisallow: /a\n"}) + "\n")
        expected = command_json("bodies", self.folder / "table.jsonl", "-o", self.folder / "c", "--columns", "url=site")
        actual = robots_scan.bodies([self.folder / "table.jsonl"], self.folder / "d", columns={"url": "site"})
        self.assertEqual(comparable(actual), comparable(expected))
        self.assertEqual(actual["rows"]["rules"], 1)
        with self.assertRaisesRegex(robots_scan.Error, "no column 'url'"):
            robots_scan.bodies(self.folder / "table.jsonl", self.folder / "e")

    def test_urls_may_be_a_list(self) -> None:
        out, urls = self.folder / "out", ["https://moved.example/news", "https://a.example/,\"x\"", "", "no url", "https://none.example/ü"]
        robots_scan.scan(FIRST, out)
        (self.folder / "urls.csv").write_text('url\nhttps://moved.example/news\n"https://a.example/,""x"""\n""\nno url\nhttps://none.example/ü\n')
        robots_scan.match(out, "GPTBot", self.folder / "urls.csv", self.folder / "a.csv")
        for number, given in enumerate((urls, tuple(urls), iter(urls))):
            summary = robots_scan.match(out, "GPTBot", given, self.folder / f"{number}.csv")
            self.assertEqual(summary["urls"], len(urls))
            self.assertEqual((self.folder / f"{number}.csv").read_bytes(), (self.folder / "a.csv").read_bytes())
        with self.assertRaisesRegex(robots_scan.UsageError, "a URL cannot be of type 'int'"):
            robots_scan.match(out, "GPTBot", [3], self.folder / "b.csv")  # type: ignore[list-item]
        table = robots_scan.parse("User-agent: *\nAllow: https://moved.example/news\n").table("rules")
        summary = robots_scan.match(out, "GPTBot", table, self.folder / "c.csv", columns={"url": "path"})
        self.assertEqual(summary["rows_by_access"], {"allowed": 1, "disallowed": 0, "unknown": 0})

    def test_summaries_have_their_types(self) -> None:
        out = self.folder / "all" / "1"
        scanned = robots_scan.scan([FIRST, DAMAGED], out, crawl="X", subset="robotstxt")
        self.check_type(scanned, summaries.ScanSummary)
        with self.assertRaises(robots_scan.StoppedError) as caught:
            robots_scan.scan(self.unreadable(), self.folder / "none", crawl="X", subset="robotstxt")
        assert caught.exception.summary is not None
        self.assertTrue(caught.exception.summary["errors"])
        self.check_type(caught.exception.summary, summaries.ScanSummary)
        self.check_type(robots_scan.join(out.parent), summaries.JoinSummary)
        self.check_type(robots_scan.history(out, self.folder / "history"), summaries.HistorySummary)
        self.check_type(robots_scan.match(out, "GPTBot", ["https://a.example/"], self.folder / "a.csv"), summaries.MatchSummary)
        for dataset in (out, out.parent, self.folder / "history"):
            self.check_type(robots_scan.verify(dataset), summaries.VerifyReport)
        next((out / "rules").rglob("*.parquet")).write_bytes(b"")
        report = robots_scan.verify(out)
        self.assertTrue(report["findings"])
        self.check_type(report, summaries.VerifyReport)

    def unreadable(self) -> Path:
        """Return an archive that is found, but cannot be read."""
        path = self.folder / "bad.warc.gz"
        path.symlink_to("/proc/self/mem")
        return path

    def check_type(self, value: Any, expected: Any) -> None:
        """Check that a value has exactly the keys of a typed dictionary, and values of their types."""
        if is_typeddict(expected):
            self.assertLessEqual(expected.__required_keys__, value.keys())
            for name, kind in get_type_hints(expected).items():
                if name in value:
                    self.check_type(value[name], kind)
            self.assertLessEqual(value.keys(), expected.__annotations__.keys())
        elif get_origin(expected) is list:
            for item in value:
                self.check_type(item, get_args(expected)[0])
        elif get_origin(expected) is dict:
            for item in value.values():
                self.check_type(item, get_args(expected)[1])
        elif get_origin(expected) is UnionType:
            if value is not None:
                self.check_type(value, get_args(expected)[0])
        else:
            self.assertIs(type(value), expected)


class Keywords(unittest.TestCase):
    # Flags that are parameters of other names, or that only a command line needs.
    LEFT_OUT = {
        "scan": {"output", "json", "quiet", "help", "dry_run"},
        "records": {"output", "json", "quiet", "help", "dry_run"},
        "bodies": {"output", "json", "quiet", "help", "dry_run"},
        "match": {"output", "urls", "agent", "json", "quiet", "help"},
        "join": {"json", "quiet", "help"},
        "history": {"output", "json", "quiet", "help"},
        "verify": {"json", "quiet", "help"},
    }
    # What is written.
    OF_OUTPUT = {"tables", "resume", "overwrite", "agents", "part_inputs"}

    @staticmethod
    def keywords(function: Callable[..., Any]) -> set[str]:
        parameters = inspect.signature(function).parameters.values()
        return {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}

    def flags(self, command: str) -> set[str]:
        text = subprocess.run([PROGRAM, command, "--help"], check=True, capture_output=True, text=True, timeout=HANG_SECONDS).stdout
        text = text.split("Options:", 1)[1]
        found = re.findall(r"^ +(?:-\w, +)?--([a-z][a-z-]*)", text, re.MULTILINE)
        return {flag.replace("-", "_") for flag in found} - self.LEFT_OUT[command]

    def test_every_flag_is_a_keyword_and_every_keyword_a_flag(self) -> None:
        for command in self.LEFT_OUT:
            with self.subTest(command=command):
                self.assertEqual(self.keywords(getattr(robots_scan, command)) - {"progress"}, self.flags(command))
        self.assertEqual(self.keywords(robots_scan.read), self.flags("scan") - self.OF_OUTPUT)

    def test_defaults_are_left_to_the_command(self) -> None:
        for function in (robots_scan.read, *(getattr(robots_scan, command) for command in self.LEFT_OUT)):
            for parameter in inspect.signature(function).parameters.values():
                if parameter.kind is parameter.KEYWORD_ONLY:
                    self.assertIn(parameter.default, (None, False), parameter)

    def test_a_misspelt_keyword_is_a_type_error(self) -> None:
        calls: list[Callable[[], Any]] = [
            lambda: robots_scan.scan(FIRST, "out", treads=1),  # type: ignore[call-arg]
            lambda: robots_scan.match("out", "a", "u", "o", colunm="x"),  # type: ignore[call-arg]
            lambda: robots_scan.join("out", treads=1),  # type: ignore[call-arg]
            lambda: robots_scan.verify("out", treads=1),  # type: ignore[call-arg]
            lambda: robots_scan.read(FIRST, "rules", overwrite=True),  # type: ignore[call-arg]
            lambda: robots_scan.scan(FIRST, "out", "X"),  # type: ignore[misc]
        ]
        for call in calls:
            with self.assertRaises(TypeError):
                call()


class Errors(InFolder):
    def test_wrong_arguments_are_usage_errors_that_name_keywords(self) -> None:
        out = self.folder / "out"
        calls: list[tuple[Callable[[], Any], str]] = [
            (lambda: robots_scan.scan(FIRST, out, sample=3), "'seed'"),
            (lambda: robots_scan.scan(FIRST, out, body_limit="many"), "'body_limit'"),
            (lambda: robots_scan.scan(FIRST, out, threads=0), "'threads'"),
            (lambda: robots_scan.scan(FIRST, out, resume=True, overwrite=True), "'overwrite'"),
            (lambda: robots_scan.scan(FIRST, out, tables="rulez"), "'tables'"),
            (lambda: robots_scan.scan([], out), "INPUT"),
            (lambda: robots_scan.match(out, "", FIRST, out), "'agent'"),
            (lambda: robots_scan.read(FIRST, "rulez"), "'rulez'"),
            (lambda: robots_scan.read(FIRST, "hosts"), "'hosts'"),
            (lambda: robots_scan.scan(FIRST, out, crawl=object()), "'object'"),  # type: ignore[arg-type]
        ]
        for call, name in calls:
            with self.subTest(name=name), self.assertRaises(robots_scan.UsageError) as caught:
                call()
            error = caught.exception
            self.assertIsInstance(error, ValueError)
            self.assertIsInstance(error, robots_scan.Error)
            self.assertEqual(error.kind, "usage")
            self.assertIn(name, str(error))
            self.assertNotIn("--", str(error))
        self.assertFalse(out.exists())

    def test_an_error_has_kind_path_and_hint(self) -> None:
        out = self.folder / "out"
        with self.assertRaises(robots_scan.Error) as caught:
            robots_scan.scan("no-such-file.warc.gz", out)
        error = caught.exception
        self.assertEqual((type(error), error.kind, error.path), (robots_scan.Error, "read", "no-such-file.warc.gz"))
        robots_scan.scan(FIRST, out)
        with self.assertRaises(robots_scan.Error) as caught:
            robots_scan.scan(FIRST, out)
        error = caught.exception
        self.assertEqual((type(error), error.kind, error.path), (robots_scan.Error, "output_exists", str(out)))
        self.assertEqual(error.hint, "'resume' continues it, 'overwrite' replaces it; or choose another 'output'")
        self.assertNotIn("--", str(error))
        with self.assertRaises(robots_scan.Error) as caught:
            robots_scan.verify(self.folder / "none")
        self.assertEqual(caught.exception.path, str(self.folder / "none"))

    def test_an_archive_that_cannot_be_read_is_an_error_after_the_others(self) -> None:
        out, bad = self.folder / "out", self.folder / "bad.warc.gz"
        # An input that is found, but cannot be read.
        bad.mkdir()
        (bad / "x.warc.gz").symlink_to("/proc/self/mem")
        try:
            robots_scan.scan([FIRST, bad / "x.warc.gz"], out)
        except robots_scan.StoppedError as error:
            self.assertEqual(error.kind, "failed_inputs")
            assert error.summary is not None
            self.assertEqual((error.summary["failed_inputs"], error.summary["captures"]), (1, robots_scan.verify(out)["captures"]))
            self.assertIn("resume", str(error))
        except robots_scan.Error as error:
            # Refused at once.
            self.assertFalse(out.exists(), error)
        else:
            self.fail("the archive could be read")

    def test_hints_name_keywords(self) -> None:
        file, dataset = self.folder / "one.parquet", self.folder / "out"
        robots_scan.scan(FIRST, file, tables="rules")
        robots_scan.scan(FIRST, dataset)
        calls: list[tuple[Callable[[], Any], str]] = [
            (lambda: robots_scan.scan(FIRST, dataset), "(hint: 'resume' continues it, 'overwrite' replaces it;"),
            (lambda: robots_scan.scan(FIRST, file), "'tables rules overwrite' replaces it by one table;"),
        ]
        for call, hint in calls:
            with self.subTest(hint=hint), self.assertRaises(robots_scan.Error) as caught:
                call()
            self.assertIn(hint, str(caught.exception))

    def test_errors_are_pickled_with_their_properties(self) -> None:
        import pickle

        with self.assertRaises(robots_scan.Error) as caught:
            robots_scan.scan("no-such-file.warc.gz", self.folder / "out")
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(error), error.kind, error.path), (str(caught.exception), "read", "no-such-file.warc.gz"))

    def test_names_may_be_any_bytes(self) -> None:
        out = self.folder / os.fsdecode(b"out\xe9")
        try:
            out.mkdir()
        except OSError:
            self.skipTest("the file system takes only UTF-8")
        # No query could open a dataset with such a path.
        with self.assertRaisesRegex(robots_scan.Error, "is not UTF-8"):
            robots_scan.scan(FIRST, out)
        with self.assertRaises(robots_scan.Error) as caught:
            robots_scan.verify(out / "none")
        self.assertEqual(os.fsencode(caught.exception.path or ""), os.fsencode(out) + b"/none")
        # The names of archives are values of a column.
        with self.assertRaisesRegex(robots_scan.UsageError, "UTF-8"):
            robots_scan.scan(out / "x.warc.gz", self.folder / "other")


class Messages(InFolder):
    def test_warnings_are_logged(self) -> None:
        robots_scan.scan(FIRST, self.folder / "out")
        urls = self.folder / "urls.txt"
        urls.write_text("https://moved.example/\nmoved.example\n")
        with self.assertLogs("robots_scan", logging.WARNING) as logs:
            robots_scan.match(self.folder / "out", "GPTBot", urls, self.folder / "m.csv")
        texts = [record.getMessage() for record in logs.records]
        self.assertIn(f"'{urls}': 1 row without an absolute URL; the answer is `unknown` (`bad_url`)", texts)
        self.assertIn("hint: write URLs as https://HOST/PATH", texts)

    def test_an_unknown_crawler_is_an_error_unless_any_name_is_accepted(self) -> None:
        robots_scan.scan(FIRST, self.folder / "out")
        urls = self.folder / "urls.txt"
        urls.write_text("https://moved.example/\n")
        with self.assertRaisesRegex(robots_scan.UsageError, "'GPTBto' is not in the registry of crawlers"):
            robots_scan.match(self.folder / "out", "GPTBto", urls, self.folder / "m.csv")
        robots_scan.match(self.folder / "out", "GPTBto", urls, self.folder / "m.csv", any_name=True)

    def test_faults_of_a_scan_are_logged_and_counted(self) -> None:
        with self.assertNoLogs("robots_scan", logging.ERROR):
            summary = robots_scan.scan(DAMAGED, self.folder / "out", crawl="X", subset="robotstxt")
        self.assertGreater(summary["faults"], 0)
        self.assertEqual(summary["rows"]["faults"], summary["faults"])

    def test_nothing_is_printed_without_a_terminal(self) -> None:
        code = f"import robots_scan; robots_scan.scan({str(FIRST)!r}, {str(self.folder / 'out')!r})"
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=HANG_SECONDS)
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, b"", b""))


class Interrupt(InFolder):
    # Runs a function, and tells how it ended.
    CHILD = textwrap.dedent("""
        import os, signal, sys
        import robots_scan
        from robots_scan import _progress, summaries
        if len(sys.argv) > 2:
            # The command sends the signal to itself, when it is known to run.
            _progress.Progress.update = lambda self, *rest: os.kill(os.getpid(), signal.SIGINT)
        try:
            # A text would set the exit code after Ctrl-C.
            exec(compile(sys.argv[1], "code", "exec"))
        except KeyboardInterrupt:
            print("interrupted")
    """)

    def child(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", self.CHILD, code, *arguments]
        # A background job of a shell ignores the signal, and its children inherit that.
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))

    def assert_no_partial_files(self, out: Path) -> None:
        """All files with a final name are listed with their size; those of single parts have at least the bytes of their rows."""
        entries = [json.loads(line) for line in (out / "_manifest.jsonl").read_text().splitlines()]
        sizes = {file["path"]: file["bytes"] for entry in entries for file in entry.get("files", ())}
        sizes |= {entry["path"]: entry["bytes"] for entry in entries if "parts" in entry}
        rows = {(entry["part"], table["table"]): table["bytes"] for entry in entries for table in entry.get("tables", ())}
        found = {str(path.relative_to(out)): path for path in out.rglob("part-*.parquet")}
        single = {name: path for name, path in found.items() if name.startswith("_parts/")}
        self.assertEqual({name: path.stat().st_size for name, path in found.items() if name not in single}, sizes)
        for name, path in single.items():
            part = int(path.stem.removeprefix("part-"))
            self.assertGreater(path.stat().st_size, rows[part, name.split("/")[1]])
            self.assertEqual(path.read_bytes()[-4:], b"PAR1")

    def test_ctrl_c_stops_a_scan_which_can_be_resumed(self) -> None:
        archives, out = self.large_archives(6), self.folder / "out"
        code = f"robots_scan.scan({str(archives)!r}, {str(out)!r}, threads=1, part_inputs=1)"
        child = self.child(code)
        began = time.monotonic()
        while not list(out.glob("_parts/rules/*/*/part-*.parquet")) and time.monotonic() - began < HANG_SECONDS:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        printed, _ = child.communicate(timeout=HANG_SECONDS)
        self.assertEqual((child.returncode, printed), (0, "interrupted\n"))
        self.assertFalse((out / "_SUCCESS").exists())
        self.assert_no_partial_files(out)
        summary = robots_scan.scan(archives, out, part_inputs=1, resume=True)
        self.assertGreaterEqual(summary["resumed_parts"], 1)
        self.assertLess(summary["resumed_parts"], 6)
        self.assert_no_partial_files(out)
        report = robots_scan.verify(out)
        self.assertEqual((report["findings"], report["parts"]), ([], 6))
        # The captures of one archive, six times.
        robots_scan.scan(archives / "00.warc.gz", self.folder / "one")
        self.assertEqual(report["captures"], 6 * robots_scan.verify(self.folder / "one")["captures"])

    def test_ctrl_c_stops_match_join_and_verify(self) -> None:
        out = self.folder / "months" / "1"
        robots_scan.scan(self.large_archives(2), out)
        robots_scan.scan(LATER, self.folder / "months" / "2")
        urls = self.folder / "urls.txt"
        urls.write_text("".join(f"https://h{number}.example/{number}\n" for number in range(100_000)))
        matches = self.folder / "matches.parquet"
        for code in (
            f"robots_scan.match({str(out)!r}, 'GPTBot', {str(urls)!r}, {str(matches)!r})",
            f"robots_scan.join({str(self.folder / 'months')!r})",
            f"robots_scan.verify({str(out)!r})",
        ):
            with self.subTest(code=code):
                printed, _ = self.child(code, "itself").communicate(timeout=HANG_SECONDS)
                self.assertEqual(printed, "interrupted\n")
        # Either the signal came before the end, or the file is whole.
        if matches.exists():
            self.assertEqual(robots_scan.verify(matches)["findings"], [])
        robots_scan.join(self.folder / "months")
        self.assertEqual(robots_scan.verify(self.folder / "months")["findings"], [])
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith((".", "matches"))], ["matches.parquet"] * matches.exists())

    def test_an_error_of_a_handler_stops_the_command(self) -> None:
        class Unhappy(_progress.Progress):
            def update(self, *_: object) -> None:
                raise RuntimeError("stop")

        archives, out = self.large_archives(4), self.folder / "out"
        with Unhappy(False) as progress, self.assertRaisesRegex(RuntimeError, "stop"):
            robots_scan._native.call(["scan", f"--output={out}", "--part-inputs=1", str(archives)], progress.update)
        self.assertFalse((out / "_SUCCESS").exists())
        self.assertEqual(robots_scan.scan(archives, out, part_inputs=1, resume=True)["exit_code"], 0)

    def test_a_command_runs_in_any_thread(self) -> None:
        summaries: list[dict[str, Any]] = []
        thread = threading.Thread(target=lambda: summaries.append(robots_scan.scan(FIRST, self.folder / "out")))
        thread.start()
        thread.join(HANG_SECONDS)
        self.assertEqual(summaries[0]["exit_code"], 0)

    def test_other_threads_run_during_a_scan(self) -> None:
        archives = self.large_archives(4)
        done, counts = threading.Event(), 0

        def count() -> None:
            nonlocal counts
            while not done.is_set():
                counts += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        robots_scan.scan(archives, self.folder / "out")
        done.set()
        thread.join()
        # Ten times per second would be those of the progress.
        self.assertGreater(counts, 30)


class Progress(InFolder):
    def run_in_terminal(self, code: str) -> bytes:
        """Run Python code with a terminal as its standard error. Return what is written to it."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([sys.executable, "-c", code], stderr=follower, stdout=subprocess.DEVNULL)
        os.close(follower)
        written = b""
        with contextlib.suppress(OSError):
            while select.select([leader], [], [], HANG_SECONDS)[0]:
                chunk = os.read(leader, 65536)
                if not chunk:
                    break
                written += chunk
        os.close(leader)
        self.assertEqual(process.wait(HANG_SECONDS), 0)
        return written

    def scan_code(self, **keywords: object) -> str:
        archives = self.large_archives(4)
        return f"import robots_scan; robots_scan.scan({str(archives)!r}, {str(self.folder / 'out')!r}, **{keywords!r})"

    def assert_one_line_that_is_removed(self, written: bytes) -> None:
        text = written.decode()
        self.assertNotIn("\n", text)
        lines = text.split("\r")
        self.assertGreater(len([line for line in lines if line.strip()]), 1)
        self.assertTrue(all(len(line) <= 79 for line in lines), lines)
        # The screen after all of it.
        screen = ""
        for line in lines:
            screen = line + screen[len(line) :]
        self.assertEqual(screen.strip(), "")
        self.assertTrue(text.endswith("\r"))

    def test_a_terminal_shows_a_line_that_is_updated_and_removed(self) -> None:
        written = self.run_in_terminal(self.scan_code())
        self.assert_one_line_that_is_removed(written)
        self.assertIn("█".encode(), written)

    def test_a_terminal_shows_nothing_if_it_is_refused(self) -> None:
        self.assertEqual(self.run_in_terminal(self.scan_code(progress=False)), b"")

    def test_a_pipe_shows_progress_only_if_it_is_wanted(self) -> None:
        code = self.scan_code(progress=True)
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=HANG_SECONDS)
        self.assertEqual((process.returncode, process.stdout), (0, b""))
        self.assert_one_line_that_is_removed(process.stderr)

    @contextlib.contextmanager
    def standard_error(self, stream: io.TextIOBase | None) -> Iterator[None]:
        kept, sys.stderr = sys.stderr, stream  # type: ignore[assignment]
        try:
            yield
        finally:
            sys.stderr = kept

    def test_any_standard_error_will_do(self) -> None:
        closed = io.StringIO()
        closed.close()
        for stream in (None, closed):
            with self.standard_error(stream):
                robots_scan.scan(FIRST, self.folder / "out", overwrite=True)
        ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        for stream in (None, closed, ascii_only):
            with self.standard_error(stream), _progress.Progress(True) as progress:
                progress.update(0.5, ["half"], [])
        self.assertEqual(ascii_only.buffer.getvalue().split(b"\r")[1].strip(), b"##########..........  half")

    def test_messages_are_written_above_the_line(self) -> None:
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        logger = logging.getLogger("robots_scan")
        logger.addHandler(handler)
        self.addCleanup(logger.removeHandler, handler)
        logger.propagate = False
        self.addCleanup(setattr, logger, "propagate", True)
        with self.standard_error(stream), _progress.Progress(True) as progress:
            progress.update(0.5, ["long text about progress"], [])
            progress.update(0.5, ["short"], [("warning", "something"), ("hint", "do it")])
        shown = [line.split("\r")[-1].rstrip() for line in stream.getvalue().split("\n")]
        self.assertEqual(shown[:2], ["something", "hint: do it"])
        self.assertEqual(shown[2:], [""])


if __name__ == "__main__":
    unittest.main()
