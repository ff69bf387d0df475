"""Checks the types of the package: its stubs against the native module, and its sources by strict rules.

It runs in the environment `types`, which has mypy.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import robots_scan

CONFIGURATION = Path(__file__).with_name("mypy.ini")
PACKAGE = Path(robots_scan.__file__).parent

# Statements with correct types, and statements with wrong ones.
CORRECT = """
import robots_scan, robots_scan.summaries
robots = robots_scan.parse(bytearray(b"User-agent: *"), body_limit=None)
allowed: bool = robots.can_fetch("GPTBot", b"/")
disallowed: bool | None = robots_scan.parse("", status=503).access("GPTBot", "/").allowed
seconds: int | None = (rate := robots.request_rate("GPTBot")) and rate.seconds
line_no: int | None = robots.access("GPTBot", "/", dialect="google").line_no
delay: float | None = robots.groups[0].crawl_delay
captures: int = robots_scan.scan(["a"], "out", threads=2)["captures"]
findings: list[robots_scan.summaries.Finding] = robots_scan.verify("out")["findings"]
matched: dict[str, int] = robots_scan.match("out", ["GPTBot"], ["https://example.com/"], "o")["rows_by_access"]
column: object = robots_scan.robots_allowed(robots_scan.read("a", "robots_files"), "GPTBot", "/").__arrow_c_array__()
"""
WRONG = """
import robots_scan
robots = robots_scan.parse(3)
robots.can_fetch(None, "/")
robots.access("GPTBot", "/").line
robots.access("GPTBot", "/").lines
robots.verdict("GPTBot") == "allowed"
robots_scan.scan("a", "out", treads=2)
robots.body = b""
class Mine(robots_scan.RobotsTxt): ...
robots_scan.robots_allowed(3, "GPTBot", "/")
robots.verdict("GPTBot", dialect="rfc")
robots_scan.match("a", "GPTBot", "b", "c", dialect="rfc")
robots_scan.scan("a", "out")["capture"]
"""
WRONG_LINES = {3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14}


class Types(unittest.TestCase):
    def mypy(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        # Outside of the sources, so that the installed package is found.
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", *map(str, arguments)]
            return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600)

    def assert_clean(self, process: subprocess.CompletedProcess[str]) -> None:
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)

    def test_the_package_is_marked_as_typed(self) -> None:
        self.assertTrue((PACKAGE / "py.typed").is_file())

    def test_the_stubs_are_those_of_the_native_module(self) -> None:
        self.assert_clean(self.mypy("mypy.stubtest", "robots_scan._native", "--mypy-config-file", CONFIGURATION))

    def test_the_sources_are_typed(self) -> None:
        self.assert_clean(self.mypy("mypy", "--config-file", CONFIGURATION, "-p", "robots_scan"))

    def test_types_of_users_are_checked(self) -> None:
        options = ["--config-file", str(CONFIGURATION), "--strict-equality"]
        self.assert_clean(self.mypy("mypy", *options, "-c", CORRECT))
        process = self.mypy("mypy", *options, "-c", WRONG)
        lines = {int(line.split(":")[1]) for line in process.stdout.splitlines() if ": error:" in line}
        self.assertEqual(lines, WRONG_LINES, process.stdout)


if __name__ == "__main__":
    unittest.main()
