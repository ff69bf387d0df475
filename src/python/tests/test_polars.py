"""Tests streams, tables and expressions in Polars."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from typing import Any

import calls
import polars as pl
import robots_scan
import robots_scan.polars
import samples
from robots_scan.polars import robots_allowed, robots_body, robots_preference, robots_verdict
from streams import Isolation, StreamTests


class Streams(StreamTests, unittest.TestCase):
    TYPES = {
        "robots_id": "Int64", "url": "String", "fetch_time": "Datetime(time_unit='ms', time_zone=None)",
        "fetch_status": "Int16", "is_revisit": "Boolean", "body_bytes": "Int64", "n_lines": "Int32", "crawl": "String",
    }  # fmt: skip
    ERRORS = pl.exceptions.ComputeError
    # A frame is read to its end.
    READ_ONE_BATCH = "capsule = stream.__arrow_c_stream__()"

    def frame(self, source: Any) -> pl.DataFrame:
        return pl.DataFrame(source)

    def frame_of_parquet(self, path: Path) -> pl.DataFrame:
        return pl.read_parquet(path, hive_partitioning=False)

    def rows(self, frame: pl.DataFrame) -> list[dict[str, Any]]:
        return frame.to_dicts()

    def types(self, frame: pl.DataFrame) -> dict[str, str]:
        return {name: str(kind) for name, kind in frame.schema.items()}


FILE = "User-agent: *\nDisallow: /x"


class Expressions(unittest.TestCase):
    def frame(self) -> pl.DataFrame:
        bodies = [FILE, None, "User-agent: *\nDisallow: /", ""]
        return pl.DataFrame({"site": ["a", "a", "b", "c"], "body": bodies, "url": ["/x", "/x", "/y", "/z"]})

    def check(self, asked: list[samples.Question], kind: Any, dialect: str | None = None) -> None:
        schema = {"body": pl.Binary, "agent": pl.Binary, "url": pl.Binary}
        rows = [[value.encode() if isinstance(value, str) else value for value in question[:3]] for question in asked]
        frame = pl.DataFrame(rows, schema, orient="row").cast(pl.String if kind != pl.Binary else kind).cast(kind)
        found = frame.select(robots_allowed("body", "agent", "url", dialect), robots_verdict("body", "agent", dialect))
        self.assertEqual(found.schema, {"robots_allowed": pl.Boolean, "robots_verdict": pl.String})
        self.assertEqual(found.rows(), [(question.is_allowed, question.verdict) for question in asked])

    def test_columns_of_all_types_have_the_answers_of_single_files(self) -> None:
        self.check(samples.questions(), pl.Binary)
        self.check(samples.questions(is_text=True), pl.String)
        self.check(samples.questions(is_text=True), pl.Categorical)

    def test_dialects_have_the_answers_of_single_files(self) -> None:
        for dialect in ("google", "rfc9309", "koster1996"):
            self.check(samples.questions(dialect=dialect), pl.Binary, dialect)

    def test_preferences_are_those_of_single_files(self) -> None:
        frame = pl.DataFrame(samples.PREFERENCES, ["url", "category", "time", "expected"], orient="row")
        found = frame.select("expected", robots_preference(pl.lit(samples.STATEMENTS), pl.lit("a"), "url", "category", "time"))
        self.assertEqual(found["robots_preference"].to_list(), found["expected"].to_list())

    def test_text_is_a_name_and_a_constant_is_an_expression(self) -> None:
        frame = self.frame().with_columns(agent=pl.lit("GPTBot"))
        answers = [False, None, False, True]
        for agent in ("agent", pl.col("agent"), pl.lit("GPTBot"), b"GPTBot", frame["agent"], pl.lit("GPT") + "Bot"):
            found = frame.select(robots_allowed("body", agent, pl.col("url")))
            self.assertEqual(found["robots_allowed"].to_list(), answers)
        with self.assertRaises(pl.exceptions.ColumnNotFoundError):
            frame.select(robots_allowed("body", "GPTBot", "url"))

    def test_constants_stand_for_all_rows(self) -> None:
        frame, body = self.frame(), pl.lit(FILE)
        answers = frame.select(robots_allowed(body, pl.lit("a"), "url")).to_series()
        self.assertEqual(answers.to_list(), [False, False, True, True])
        self.assertEqual(frame.select(robots_allowed(body, pl.lit("a"), pl.lit("/x"))).to_series().to_list(), [False])
        self.assertEqual(frame.with_columns(robots_verdict(body, b"a"))["robots_verdict"].to_list(), ["partial"] * 4)
        self.assertEqual(frame.select(robots_allowed("body", None, "url")).to_series().to_list(), [None] * 4)
        self.assertEqual(pl.select(robots_verdict(pl.lit(""), pl.lit("a"))).item(), "allow_all")

    def test_frames_of_one_and_no_rows_keep_their_length(self) -> None:
        for length in (0, 1):
            frame, agent = self.frame().head(length), pl.lit("a")
            found = frame.select(robots_allowed("body", agent, "url"), robots_verdict("body", agent))
            self.assertEqual(found.rows(), [(False, "partial")][:length])
            self.assertEqual(found.schema, {"robots_allowed": pl.Boolean, "robots_verdict": pl.String})

    def test_lazy_frames_have_the_same_answers_in_all_engines(self) -> None:
        frame = pl.concat([self.frame()] * 5000, rechunk=False)
        query = frame.lazy().with_columns(robots_allowed("body", pl.lit("a"), "url"), robots_verdict("body", pl.lit("a")))
        self.assertEqual(query.collect_schema()["robots_allowed"], pl.Boolean)
        expected = pl.concat([self.frame()] * 5000).with_columns(
            pl.Series("robots_allowed", [False, None, False, True] * 5000),
            pl.Series("robots_verdict", ["partial", None, "disallow_all", "allow_all"] * 5000),
        )
        for engine in ("in-memory", "streaming"):
            self.assertTrue(query.collect(engine=engine).equals(expected), engine)
            allowed = query.filter("robots_allowed").group_by("site").len().collect(engine=engine)
            self.assertEqual(allowed.rows(), [("c", 5000)])

    def test_groups_and_windows_have_their_own_answers(self) -> None:
        allowed = robots_allowed("body", pl.lit("a"), "url")
        by_site = self.frame().group_by("site", maintain_order=True).agg(allowed)
        self.assertEqual(by_site["robots_allowed"].to_list(), [[False, None], [False], [True]])
        counts = self.frame().lazy().group_by("site", maintain_order=True).agg(allowed.sum()).collect(engine="streaming")
        self.assertEqual(counts["robots_allowed"].to_list(), [0, 0, 1])
        of_first = robots_allowed(pl.col("body").first(), pl.lit("a"), "url")
        first = self.frame().group_by("site", maintain_order=True).agg(of_first)
        self.assertEqual(first["robots_allowed"].to_list(), [[False, False], [False], [True]])
        window = self.frame().select(allowed.sum().over("site"))
        self.assertEqual(window.to_series().to_list(), [0, 0, 0, 1])

    def test_stored_bodies_have_their_bytes(self) -> None:
        frame = pl.DataFrame(samples.stream("robots_files"))
        found = frame.select("body", "is_valid_utf8", robots_body())
        self.assertEqual(found.schema["robots_body"], pl.Binary)
        escaped = 0
        for body, is_valid_utf8, restored in found.rows():
            if body is None or is_valid_utf8 is None:
                self.assertIsNone(restored)
            elif is_valid_utf8:
                self.assertEqual(restored, body.encode())
            else:
                escaped += 1
                with self.assertRaises(UnicodeDecodeError):
                    restored.decode()
        self.assertEqual(escaped, 7)
        verdicts = frame.select(robots_verdict(robots_body("body", pl.col("is_valid_utf8")), pl.lit("GPTBot"))).to_series()
        self.assertEqual(verdicts.null_count(), found["robots_body"].null_count())

    def test_calls_have_the_answers_of_all_engines(self) -> None:
        for call in calls.CALLS:
            with self.subTest(call=call):
                frame = pl.DataFrame([call[:5]] * 2, ["agent", "url", "answer", "status", "body"], orient="row", strict=False)
                body = pl.col("body").cast(pl.String)
                question = robots_allowed(body, "agent", "url", status=pl.col("status").cast(pl.Int16))
                if isinstance(call.answer, str):
                    with self.assertRaisesRegex(pl.exceptions.ComputeError, re.escape(call.answer)):
                        frame.select(question)
                else:
                    self.assertEqual(frame.select(question).to_series().to_list(), [call.answer] * 2)

    def test_wrong_arguments_are_named(self) -> None:
        with self.assertRaisesRegex(robots_scan.UsageError, "there is no dialect 'bing'"):
            robots_allowed("body", pl.lit("a"), "url", "bing")
        with self.assertRaisesRegex(pl.exceptions.ComputeError, "a column of type Int64 cannot be read"):
            self.frame().select(robots_allowed(pl.int_range(pl.len()), pl.lit("a"), "url"))

    def test_results_and_series_are_exchanged(self) -> None:
        frame = self.frame()
        allowed = robots_scan.robots_allowed(frame["body"], "GPTBot", frame["url"])
        self.assertEqual(pl.Series(allowed).to_list(), [False, None, False, True])


class Environment(Isolation):
    def test_no_other_library_is_installed(self) -> None:
        self.check_missing("duckdb", "numpy", "pandas", "pyarrow")
