"""Tests the commands and the parser in forked processes. Streams and functions are tested beside their libraries."""

from __future__ import annotations

import multiprocessing
import threading
import unittest

import corpus
from forks import HANG_SECONDS, Forks, in_child

import robots_scan

FIRST, LATER = (corpus.SAMPLES / "warc" / f"{name}.warc.gz" for name in ("cc-robotstxt", "cc-robotstxt-later"))

BODY = "User-agent: GPTBot\nDisallow: /\n"


class Commands(Forks):
    def scan(self) -> int:
        summary = robots_scan.scan([FIRST, LATER], self.folder / "out", overwrite=True, threads=2)
        return summary["captures"]

    def test_a_child_scans_after_its_parent(self) -> None:
        self.assert_same(self.scan)

    def test_a_child_matches_joins_and_verifies_after_its_parent(self) -> None:
        self.scan()
        (self.folder / "urls.txt").write_text("https://bakery.example.de/\n")
        months = self.folder / "months"
        robots_scan.scan(FIRST, months / "1")
        robots_scan.scan(LATER, months / "2")
        self.assert_same(lambda: robots_scan.verify(self.folder / "out")["findings"])
        self.assert_same(lambda: robots_scan.match(self.folder / "out", "GPTBot", self.folder / "urls.txt", self.folder / "m.csv", overwrite=True)["urls"])
        self.assert_same(lambda: len(robots_scan.join(months)["members"]))

    def test_a_pool_of_children_scans(self) -> None:
        expected = self.scan()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            scans = [pool.apply_async(robots_scan.scan, ([FIRST, LATER], self.folder / str(i))) for i in range(4)]
            self.assertEqual([scan.get(HANG_SECONDS)["captures"] for scan in scans], [expected] * 4)

    def test_a_child_scans_while_its_parent_does(self) -> None:
        archives = self.folder / "archives"
        archives.mkdir()
        for number in range(8):
            (archives / f"{number}.warc.gz").write_bytes(FIRST.read_bytes() * 8)
        scan = threading.Thread(target=robots_scan.scan, args=(archives, self.folder / "parent"), kwargs={"crawl": "X", "subset": "robotstxt"})
        scan.start()
        captures = []
        while scan.is_alive() or not captures:
            captures.append(in_child(self.scan))
        scan.join()
        self.assertEqual(set(captures), {self.scan()})

    def test_a_file_answers_in_a_child(self) -> None:
        robots = robots_scan.parse(BODY * 500)
        self.assert_same(lambda: (robots.verdict("GPTBot"), robots.anomalies, robots_scan.parse(BODY).can_fetch("GPTBot", "/")))
        self.assert_same(lambda: robots_scan.robots_allowed(BODY, "GPTBot", "/").to_pylist())


if __name__ == "__main__":
    unittest.main()
