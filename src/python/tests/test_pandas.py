"""Tests streams, tables and columns in pandas."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

import pandas as pd
import robots_scan
import samples
from streams import Isolation, StreamTests


class Streams(StreamTests, unittest.TestCase):
    TYPES = {
        "robots_id": "int64", "url": "str", "fetch_time": "datetime64[ms]", "fetch_status": "float64", "is_revisit": "bool",
        "n_anomalies": "int32", "crawl": "str",
    }  # fmt: skip
    ERRORS = OSError
    # A frame is read to its end.
    READ_ONE_BATCH = "import pandas; capsule = stream.__arrow_c_stream__()"
    # Integers with nulls are floats.
    HAS_TYPES_OF_VALUES = True

    def frame(self, source: Any) -> pd.DataFrame:
        return pd.DataFrame.from_arrow(source)

    def frame_of_parquet(self, path: Path) -> pd.DataFrame:
        # Folders are not read as columns.
        with open(path, "rb") as file:
            return pd.read_parquet(file)

    def rows(self, frame: pd.DataFrame) -> list[dict[str, Any]]:
        values = frame.astype(object)
        return values.where(frame.notna(), None).to_dict("records")

    def types(self, frame: pd.DataFrame) -> dict[str, str]:
        return {name: str(kind) for name, kind in frame.dtypes.items()}


class Columns(unittest.TestCase):
    def test_series_have_the_answers_of_single_files(self) -> None:
        for is_text, kind in ((True, "str"), (True, "category"), (False, object)):
            asked = samples.questions(is_text=is_text)
            values = [[value.encode() if isinstance(value, str) else value for value in question[:3]] for question in asked]
            if is_text:
                values = [[None if value is None else value.decode() for value in row] for row in values]
            frame = pd.DataFrame(values, columns=["body", "agent", "url"]).astype(kind)
            with self.subTest(str(kind)):
                allowed = robots_scan.robots_allowed(frame["body"], frame["agent"], frame["url"])
                self.assertEqual(allowed.to_pylist(), [question.is_allowed for question in asked])
                verdicts = pd.Series.from_arrow(robots_scan.robots_verdict(frame["body"], frame["agent"]))
                self.assertEqual(str(verdicts.dtype), "str")
                found = verdicts.astype(object).where(verdicts.notna(), None).tolist()
                self.assertEqual(found, [question.verdict for question in asked])

    def test_an_answer_becomes_a_column(self) -> None:
        frame = pd.DataFrame({"body": ["User-agent: *\nDisallow: /x"] * 2, "url": ["/x", "/y"]}, index=[7, 8])
        allowed = pd.Series.from_arrow(robots_scan.robots_allowed(frame["body"], "GPTBot", frame["url"]))
        self.assertEqual(str(allowed.dtype), "bool")
        frame["allowed"] = allowed.set_axis(frame.index)
        self.assertEqual(frame["allowed"].to_dict(), {7: False, 8: True})


class Environment(Isolation):
    def test_no_other_library_is_installed(self) -> None:
        self.check_missing("duckdb", "polars")
