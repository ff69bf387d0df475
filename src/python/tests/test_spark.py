"""Tests columns and SQL functions in Spark, on this machine, with two tasks at once."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any

import calls
import pyarrow as pa
import robots_scan
import robots_scan.spark
import samples
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from robots_scan.spark import robots_allowed, robots_body, robots_preference, robots_verdict
from streams import Isolation

FILE = "User-agent: *\nDisallow: /x"


class Spark(unittest.TestCase):
    spark: SparkSession

    @classmethod
    def setUpClass(cls) -> None:
        os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
        # JVMs that live for seconds start faster without the optimizing compiler.
        options = {
            "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "768m",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        }  # fmt: skip
        cls.spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.spark.stop()

    def asked(self, asked: list[samples.Question]) -> DataFrame:
        """Return a frame of questions in several partitions."""
        rows = [(i, *question[:3]) for i, question in enumerate(asked)]
        return self.spark.createDataFrame(rows, "i int, body binary, agent string, url string").repartition(3)

    def test_columns_have_the_answers_of_single_files(self) -> None:
        for kind in ("binary", "string"):
            with self.subTest(kind):
                asked = samples.questions(is_text=kind == "string")
                frame = self.asked(asked).withColumns({name: F.col(name).cast(kind) for name in ("body", "agent", "url")})
                found = frame.select("i", robots_allowed("body", "agent", F.col("url")), robots_verdict("body", "agent"))
                self.assertEqual([field.dataType.simpleString() for field in found.schema], ["int", "boolean", "string"])
                expected = [(i, question.is_allowed, question.verdict) for i, question in enumerate(asked)]
                self.assertEqual(sorted(map(tuple, found.collect())), expected)

    def test_dialects_have_the_answers_of_single_files(self) -> None:
        asked = samples.questions(dialect="koster1996")
        answers = robots_allowed("body", "agent", "url", "koster1996"), robots_verdict("body", "agent", dialect="koster1996")
        found = sorted(map(tuple, self.asked(asked).select("i", *answers).collect()))
        self.assertEqual(found, [(i, question.is_allowed, question.verdict) for i, question in enumerate(asked)])

    def test_preferences_are_those_of_single_files(self) -> None:
        frame = self.spark.createDataFrame(samples.PREFERENCES, "url string, category string, time string, expected string")
        answer = robots_preference(F.lit(samples.STATEMENTS), F.lit("a"), "url", "category", "time")
        found = frame.select("expected", answer).collect()
        self.assertEqual([row[0] for row in found], [row[1] for row in found])
        robots_scan.spark.register(self.spark)
        sql = "SELECT robots_preference('Content-Usage: train-ai=n', 'a', '/', 'train-ai', '2026-01-01')"
        self.assertEqual(self.spark.sql(sql).collect()[0][0], "unknown")

    def test_constants_stand_for_all_rows(self) -> None:
        frame = self.spark.createDataFrame([("/x",), ("/y",), (None,)], "url string").coalesce(1)
        agent = F.lit("GPTBot")
        found = frame.select(robots_allowed(F.lit(FILE), agent, "url"), robots_verdict(F.lit(None), agent))
        self.assertEqual(list(map(tuple, found.collect())), [(False, None), (True, None), (None, None)])
        self.assertEqual(frame.where("false").select(robots_verdict(F.lit(FILE), "url")).collect(), [])
        large = frame.where(robots_allowed(F.lit(FILE.encode()), F.lit("GPTBot"), "url"))
        self.spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
        try:
            self.assertEqual(list(map(tuple, large.collect())), [("/y",)])
        finally:
            self.spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")

    def test_sql_has_the_same_functions(self) -> None:
        for _ in range(2):
            robots_scan.spark.register(self.spark)
        asked = samples.questions()
        self.asked(asked).createOrReplaceTempView("asked")
        found = self.spark.sql("SELECT i, robots_allowed(body, agent, url), robots_verdict(body, agent) FROM asked ORDER BY i")
        expected = [(i, question.is_allowed, question.verdict) for i, question in enumerate(asked)]
        self.assertEqual(list(map(tuple, found.collect())), expected)
        allowed = self.spark.sql("SELECT count(*) FROM asked WHERE robots_allowed(body, agent, url)").collect()
        self.assertEqual(allowed[0][0], sum(question.is_allowed is True for question in asked))

    def test_calls_have_the_answers_of_all_engines(self) -> None:
        robots_scan.spark.register(self.spark)
        answered = [call for call in calls.CALLS if not isinstance(call.answer, str)]
        rows = [(i, call.body, call.agent, call.url, call.status) for i, call in enumerate(answered)]
        types = "i int, body string, agent string, url string, status int"
        frame = self.spark.createDataFrame(rows, types)
        frame.createOrReplaceTempView("calls")
        columns = frame.select("i", robots_allowed("body", "agent", "url", status="status"))
        sql = self.spark.sql("SELECT i, robots_allowed(body, agent, url, status) FROM calls")
        expected = [(i, call.answer) for i, call in enumerate(answered)]
        self.assertEqual(sorted(map(tuple, columns.collect())), expected)
        self.assertEqual(sorted(map(tuple, sql.collect())), expected)
        for call in calls.CALLS:
            if isinstance(call.answer, str):
                frame = self.spark.createDataFrame([(0, call.body, call.agent, call.url, call.status)], types)
                with self.subTest(call=call), self.assertRaisesRegex(Exception, re.escape(call.answer)):
                    frame.select(robots_allowed("body", "agent", "url", status="status")).collect()

    def test_stored_bodies_have_their_bytes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            samples.scan(Path(folder, "out.parquet"))
            files = self.spark.read.parquet(f"{folder}/out.parquet/robots_files")
            verdict = robots_verdict(robots_body(), F.lit("GPTBot"))
            rows = files.select("body", "is_valid_utf8", robots_body(), verdict).collect()
            robots_scan.spark.register(self.spark)
            files.createOrReplaceTempView("robots_files")
            in_sql = self.spark.sql("SELECT count(robots_body(body, is_valid_utf8)) FROM robots_files").collect()
        escaped = 0
        for body, is_valid_utf8, restored, verdict in rows:
            if body is None or is_valid_utf8 is None:
                self.assertEqual((restored, verdict), (None, None))
                continue
            self.assertEqual(verdict, robots_scan.parse(bytes(restored)).verdict("GPTBot"))
            if is_valid_utf8:
                self.assertEqual(bytes(restored), body.encode())
            else:
                escaped += 1
                with self.assertRaises(UnicodeDecodeError):
                    restored.decode()
        self.assertEqual(escaped, 7)
        self.assertEqual(in_sql[0][0], sum(restored is not None for _, _, restored, _ in rows))

    def test_functions_are_made_without_warnings(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            robots_allowed("body", "agent", "url"), robots_verdict("body", "agent"), robots_body()

    def test_wrong_arguments_are_named(self) -> None:
        with self.assertRaisesRegex(robots_scan.UsageError, "there is no dialect 'bing'"):
            robots_allowed("body", "agent", "url", "bing")
        with self.assertRaisesRegex(PySparkException, "a column of type Int64 cannot be read"):
            self.spark.range(1).select(robots_verdict("id", F.lit("a"))).collect()

    def test_a_stream_becomes_a_frame(self) -> None:
        table = pa.table(samples.stream("verdicts"))
        frame = self.spark.createDataFrame(table)
        self.assertEqual(frame.columns, table.column_names)
        names = ("robots_id", "agent", "verdict")
        expected = zip(*(table[name].to_pylist() for name in names), strict=True)
        self.assertEqual(sorted(map(tuple, frame.select(*names).collect())), sorted(expected))

    def test_a_function_is_used_in_a_session_after_another(self) -> None:
        column = robots_allowed(F.lit(FILE), F.lit("a"), F.lit("/x"))
        session = self.spark.newSession()
        self.assertEqual(session.range(1).select(column).collect()[0][0], False)


class Environment(Isolation):
    def test_the_version_is_that_of_the_jobs(self) -> None:
        import pyspark

        pinned = Path(__file__).resolve().parents[3] / "tests" / "python" / "requirements" / "locked.txt"
        self.assertEqual(re.search(r"pyspark==(\S*)", pinned.read_text())[1], pyspark.__version__)

    def test_no_other_library_is_installed(self) -> None:
        self.check_missing("polars")
