"""The tests of tables and streams that each library passes."""

from __future__ import annotations

import datetime
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import robots_scan
import samples

LOG_SECONDS = 30


class StreamTests:
    """The tests. A subclass for a library is also a ``unittest.TestCase``."""

    TYPES: dict[str, str]
    """The types of some columns of ``robots_files``, as :meth:`types` returns them."""

    ERRORS: type[BaseException] | tuple[type[BaseException], ...]
    """The exceptions of the library for a stream that fails."""

    READ_ONE_BATCH: str
    """Statements that read one batch or row of ``stream`` and keep the rest open."""

    HAS_TYPES_OF_VALUES = False
    """True if the type of a column depends on whether it has nulls."""

    folder: Path
    dataset: Path

    def frame(self, source: Any) -> Any:
        """Return the data frame of a table or stream."""
        raise NotImplementedError

    def frame_of_parquet(self, path: Path) -> Any:
        """Return the data frame of a Parquet file."""
        raise NotImplementedError

    def rows(self, frame: Any) -> list[dict[str, Any]]:
        """Return the rows of a data frame as Python values."""
        raise NotImplementedError

    def types(self, frame: Any) -> dict[str, str]:
        """Return the types of the columns of a data frame."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="robots-scan-python-"))
        cls.dataset = cls.folder / "out.parquet"
        samples.scan(cls.dataset)

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def parquet(self, table: str) -> Any:
        folder = self.dataset / table / "crawl=TEST" / "subset=robotstxt"
        return self.frame_of_parquet(folder / "part-00000.parquet")

    def test_a_data_frame_of_bodies_is_a_source(self: Any) -> None:
        archive = samples.ARCHIVES[0]
        frame = self.frame(robots_scan.read(archive, "robots_files", with_bodies=True, **samples.LABELS))
        expected = robots_scan.scan(archive, self.folder / "of-archive", **samples.LABELS)
        actual = robots_scan.bodies(frame, self.folder / "of-bodies")
        for table in ("robots_files", "groups", "rules", "verdicts", "hosts", "host_verdicts"):
            self.assertEqual(actual["rows"][table], expected["rows"][table], table)
        self.assertEqual(actual["faults"], 0)

    def test_a_stream_has_the_rows_of_the_files(self: Any) -> None:
        for table in samples.TABLES:
            with self.subTest(table):
                of_stream, of_files = self.rows(self.frame(samples.stream(table))), self.rows(self.parquet(table))
                self.assertGreater(len(of_files), 100)
                self.assertEqual(len(of_stream), len(of_files))
                filled = samples.FILLED.get(table, set())
                for row, in_file in zip(of_stream, of_files, strict=True):
                    given = {name: row[name] for name in filled if in_file[name] is None}
                    self.assertEqual(row, in_file | given | samples.LABELS)

    def test_a_stream_has_the_types_of_the_files(self: Any) -> None:
        for table in samples.TABLES:
            with self.subTest(table):
                of_stream, of_files = self.types(self.frame(samples.stream(table))), self.types(self.parquet(table))
                text = of_stream["crawl"]
                expected = of_files | {"crawl": text, "subset": text}
                if self.HAS_TYPES_OF_VALUES:
                    expected |= {name: of_stream[name] for name in samples.FILLED.get(table, ())}
                self.assertEqual(of_stream, expected)

    def test_types_are_those_of_the_library(self: Any) -> None:
        types = self.types(self.frame(samples.stream("robots_files")))
        self.assertEqual({name: types[name] for name in self.TYPES}, self.TYPES)

    def test_values_are_those_of_the_samples(self: Any) -> None:
        rows = self.rows(self.frame(samples.stream("robots_files")))
        times = {row["url"]: row["fetch_time"] for row in rows}
        fraction = datetime.datetime(2026, 1, 5, 12, 0, 0, 123000)
        self.assertEqual(times["https://fraction.date.example/robots.txt"], fraction)
        self.assertIsNone(times["https://words.date.example/robots.txt"])
        latin1 = [row for row in rows if row["is_valid_utf8"] is False]
        self.assertTrue(any("\\xE9" in row["body"] for row in latin1))
        self.assertTrue(any("é" in (row["body"] or "") for row in rows if row["is_valid_utf8"]))
        self.assertEqual({row["robots_id"] >> 32 for row in rows}, set(range(len(samples.ARCHIVES))))

    def test_a_table_of_one_file_becomes_a_frame(self: Any) -> None:
        table = samples.table_of_file()
        for _ in range(2):
            rows = self.rows(self.frame(table))
            found = [(row["group_no"], row["line_no"], row["allow"], row["path"]) for row in rows]
            self.assertEqual(found, [(None, 1, True, "/b"), (1, 3, False, "/%C3%A9")])

    def test_a_stream_is_read_again_each_time(self: Any) -> None:
        stream = samples.stream("verdicts")
        first = self.rows(self.frame(stream))
        self.assertGreater(len(first), 100)
        self.assertEqual(self.rows(self.frame(stream)), first)

    def test_a_stream_without_rows_has_its_columns(self: Any) -> None:
        stream = samples.stream("faults")
        frame = self.frame(stream)
        self.assertEqual(list(self.types(frame)), stream.columns)
        self.assertEqual(self.rows(frame), [])

    def test_damage_is_logged_and_counted(self: Any) -> None:
        stream = robots_scan.read([samples.ARCHIVES[0], samples.DAMAGED], "robots_files")
        self.assertIsNone(stream.faults)
        with self.assertLogs("robots_scan", "WARNING") as logs:
            rows = self.rows(self.frame(stream))
            # Another thread logs the warning, perhaps after the last row was taken.
            deadline = time.monotonic() + LOG_SECONDS
            while not logs.output and time.monotonic() < deadline:
                time.sleep(0.01)
        self.assertGreater(len(rows), 100)
        self.assertEqual(stream.faults, samples.DAMAGED_FAULTS)
        self.assertEqual(len(logs.output), 1)
        self.assertIn(f"{samples.DAMAGED_FAULTS} places could not be read", logs.output[0])

    def test_an_archive_that_cannot_be_read_is_an_error_at_the_end(self: Any) -> None:
        lost = self.folder / "lost.warc.gz"
        shutil.copy(samples.ARCHIVES[1], lost)
        stream = robots_scan.read([samples.ARCHIVES[0], lost], "robots_files")
        lost.unlink()
        with self.assertRaisesRegex(self.ERRORS, "lost.warc.gz"):
            self.rows(self.frame(stream))
        self.assertIsNone(stream.faults)

    def test_a_process_ends_if_a_stream_is_not_read_to_its_end(self: Any) -> None:
        archives = self.folder / "many"
        archives.mkdir(exist_ok=True)
        for number in range(60):
            shutil.copy(samples.ARCHIVES[0], archives / f"{number}.warc.gz")
        script = f"""
import robots_scan, sys
stream = robots_scan.read(sys.argv[1], "rules")
{self.READ_ONE_BATCH}
print("read")
"""
        ran = subprocess.run(
            [sys.executable, "-c", script, archives], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
        )
        self.assertEqual((ran.returncode, ran.stdout), (0, "read\n"), ran.stderr)


class Isolation(unittest.TestCase):
    """A check that an environment has only the libraries that it is named for."""

    def check_missing(self, *packages: str) -> None:
        for package in packages:
            with self.subTest(package), self.assertRaises(ModuleNotFoundError):
                __import__(package)
