"""Tests streams, tables and SQL functions in DuckDB, without and with pyarrow."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import calls
import duckdb
import robots_scan
import robots_scan.duckdb
import samples
from forks import Forks
from streams import Isolation, StreamTests

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None

FILE = "User-agent: *\nDisallow: /x"


class Streams(StreamTests, unittest.TestCase):
    TYPES = {
        "robots_id": "BIGINT", "url": "VARCHAR", "fetch_time": "TIMESTAMP_MS", "fetch_status": "SMALLINT",
        "is_revisit": "BOOLEAN", "body_bytes": "BIGINT", "n_lines": "INTEGER", "crawl": "VARCHAR",
    }  # fmt: skip
    ERRORS = duckdb.Error
    READ_ONE_BATCH = (
        "import duckdb; relation = duckdb.sql('FROM stream'); one = relation.limit(1).fetchall(); "
        "result = duckdb.execute('FROM stream'); row = result.fetchone()"
    )

    def frame(self, source: Any) -> duckdb.DuckDBPyRelation:
        return duckdb.sql("FROM source")

    def frame_of_parquet(self, path: Path) -> duckdb.DuckDBPyRelation:
        # DuckDB reads timestamps of all units in Parquet as TIMESTAMP.
        frame = duckdb.read_parquet(str(path), hive_partitioning=False)
        if "fetch_time" not in frame.columns:
            return frame
        return frame.project("* REPLACE (fetch_time::TIMESTAMP_MS AS fetch_time)")

    def rows(self, frame: duckdb.DuckDBPyRelation) -> list[dict[str, Any]]:
        return [dict(zip(frame.columns, row, strict=True)) for row in frame.fetchall()]

    def types(self, frame: duckdb.DuckDBPyRelation) -> dict[str, str]:
        return dict(zip(frame.columns, map(str, frame.types), strict=True))

    def test_a_registered_stream_is_read_by_each_query(self) -> None:
        connection = duckdb.connect()
        connection.register("files", samples.stream("robots_files"))
        counts = [connection.execute("SELECT count(*), count(DISTINCT url) FROM files").fetchall() for _ in range(2)]
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[0][0][0], 300)

    def test_the_columns_of_a_view_are_computed(self) -> None:
        stream = samples.stream("rules")
        rows = duckdb.sql(robots_scan.select_sql("rules", "stream"))
        self.assertEqual(rows.columns[: len(stream.columns)], stream.columns)
        self.assertIn((True,), rows.project("has_wildcard").fetchall())


class Functions(unittest.TestCase):
    def setUp(self) -> None:
        self.connection = duckdb.connect(config={"threads": 4})
        self.addCleanup(self.connection.close)
        robots_scan.duckdb.register(self.connection)

    def ask(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, parameters).fetchall()

    def fill(self, asked: list[samples.Question], kind: str) -> None:
        """Make the table `asked`, whose columns have a type."""
        self.connection.execute("CREATE OR REPLACE TABLE asked (i INTEGER, body BLOB, agent VARCHAR, url VARCHAR)")
        rows = [(i, *question[:3]) for i, question in enumerate(asked)]
        self.connection.executemany("INSERT INTO asked VALUES (?, ?, ?, ?)", rows)
        if kind == "VARCHAR":
            self.connection.execute("ALTER TABLE asked ALTER body SET DATA TYPE VARCHAR USING decode(body)")
        else:
            self.connection.execute("ALTER TABLE asked ALTER agent SET DATA TYPE BLOB USING encode(agent)")
            self.connection.execute("ALTER TABLE asked ALTER url SET DATA TYPE BLOB USING encode(url)")

    def test_columns_have_the_answers_of_single_files(self) -> None:
        for kind in ("BLOB", "VARCHAR"):
            with self.subTest(kind):
                asked = samples.questions(is_text=kind == "VARCHAR")
                self.fill(asked, kind)
                found = self.ask("SELECT robots_allowed(body, agent, url), robots_verdict(body, agent) FROM asked ORDER BY i")
                self.assertEqual(found, [(question.is_allowed, question.verdict) for question in asked])

    def test_preferences_are_those_of_single_files(self) -> None:
        for url, category, time, expected in samples.PREFERENCES:
            query = "SELECT robots_preference(?, 'a', ?, ?, ?)"
            self.assertEqual(self.ask(query, samples.STATEMENTS, url, category, time), [(expected,)])
        times = "(SELECT unnest([TIMESTAMP '2025-09-10', TIMESTAMP '2026-01-01', NULL]) AS t)"
        query = f"SELECT robots_preference(?, 'a', '/', 'train-genai', t::VARCHAR) FROM {times}"
        self.assertEqual(self.ask(query, samples.STATEMENTS), [("disallowed",), ("unknown",), (None,)])

    def test_results_have_types(self) -> None:
        relation = self.connection.sql("SELECT robots_allowed('', 'a', '/'), robots_verdict('', 'a'), robots_body('', true)")
        self.assertEqual([str(kind) for kind in relation.types], ["BOOLEAN", "VARCHAR", "BLOB"])

    def test_null_gives_null(self) -> None:
        for arguments in ("NULL, 'a', '/'", "'', NULL, '/'", "'', 'a', NULL", "NULL, NULL, NULL", "NULL::BLOB, 'a', '/'"):
            self.assertEqual(self.ask(f"SELECT robots_allowed({arguments})"), [(None,)])
        nulls = "SELECT robots_verdict(x, 'a') FROM (VALUES (NULL::VARCHAR), (''), (NULL)) AS t(x)"
        self.assertEqual(self.ask(nulls), [(None,), ("allow_all",), (None,)])
        self.assertEqual(self.ask("SELECT robots_allowed('', 'a', '/') FROM range(3) WHERE false"), [])

    def test_values_of_other_types_are_text_or_refused(self) -> None:
        self.assertEqual(self.ask("SELECT robots_allowed(?, 'a'::ENUM ('a', 'b'), '/x')", FILE), [(False,)])
        with self.assertRaisesRegex(duckdb.Error, "a column of type .* cannot be read"):
            self.ask("SELECT robots_allowed(1, 'a', '/')")
        with self.assertRaises(duckdb.BinderException):
            self.ask("SELECT robots_body(''::BLOB, true)")
        for call, words in (
            ("robots_allowed('', 'a')", "3 arguments are expected, and perhaps a status, and these are 2"),
            ("robots_verdict('', 'a', '/')", "give a number|is not read as status codes"),
        ):
            with self.assertRaisesRegex(duckdb.Error, words):
                self.ask(f"SELECT {call}")

    def test_calls_have_the_answers_of_all_engines(self) -> None:
        for call in calls.CALLS:
            with self.subTest(call=call):
                parameters = (call.body, call.agent, call.url, call.status)
                query = "SELECT robots_allowed(?, ?, ?, ?::BIGINT)"
                if isinstance(call.answer, str):
                    with self.assertRaisesRegex(duckdb.Error, re.escape(call.answer)):
                        self.ask(query, *parameters)
                else:
                    self.assertEqual(self.ask(query, *parameters), [(call.answer,)])

    def test_prepared_statements_take_parameters(self) -> None:
        for body in (FILE, FILE.encode()):
            self.assertEqual(self.ask("SELECT robots_allowed(?, ?, ?)", body, "GPTBot", "/x"), [(False,)])

    def test_stored_bodies_have_their_bytes(self) -> None:
        files = samples.stream("robots_files")
        self.connection.register("files", files)
        rows = self.ask("SELECT body, is_valid_utf8, robots_body(body, is_valid_utf8) FROM files")
        escaped = 0
        for body, is_valid_utf8, restored in rows:
            if body is None or is_valid_utf8 is None:
                self.assertIsNone(restored)
            elif is_valid_utf8:
                self.assertEqual(restored, body.encode())
            else:
                escaped += 1
                with self.assertRaises(UnicodeDecodeError):
                    restored.decode()
        self.assertEqual(escaped, 7)

    def test_verdicts_are_those_of_the_dataset(self) -> None:
        self.connection.register("files", samples.stream("robots_files"))
        self.connection.register("verdicts", samples.stream("verdicts"))
        self.connection.execute("CREATE TABLE f AS SELECT robots_id, robots_body(body, is_valid_utf8) AS body FROM files")
        compared = self.ask(
            "SELECT robots_verdict(body, v.agent) = v.verdict, count(*) FROM verdicts AS v JOIN f USING (robots_id) "
            "WHERE body IS NOT NULL AND v.agent <> '*' GROUP BY ALL"
        )
        self.assertEqual(len(compared), 1, compared)
        self.assertTrue(compared[0][0])
        self.assertGreater(compared[0][1], 300)

    def test_threads_of_duckdb_have_their_own_answers(self) -> None:
        asked = samples.questions() * 8
        random.Random(1).shuffle(asked)
        self.fill(asked, "BLOB")
        barrier, threads = threading.Barrier(2), set()

        def together(function: Callable[..., Any]) -> Callable[..., Any]:
            """Wait in the first call of a thread until another thread calls."""

            def wrapper(*arguments: Any) -> Any:
                if len(threads) < 2 and threading.get_ident() not in threads:
                    threads.add(threading.get_ident())
                    barrier.wait(30)
                return function(*arguments)

            return wrapper

        kinds = [robots_scan.duckdb._OF_ROWS, robots_scan.duckdb._OF_ROW]
        waiting = [{"robots_allowed": together(functions["robots_allowed"])} for functions in kinds]
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(kinds[0], waiting[0]), mock.patch.dict(kinds[1], waiting[1]):
            path = Path(folder, "asked.parquet")
            self.connection.execute(f"COPY asked TO '{path}' (ROW_GROUP_SIZE 2048)")
            query = f"SELECT i, robots_allowed(body, agent, url), robots_verdict(body, agent) FROM '{path}'"
            other = duckdb.connect(config={"threads": 4})
            self.addCleanup(other.close)
            robots_scan.duckdb.register(other)
            found = sorted(other.execute(query).fetchall())
        self.assertEqual(len(threads), 2)
        self.assertEqual(found, [(i, question.is_allowed, question.verdict) for i, question in enumerate(asked)])

    def test_cursors_in_threads_share_the_functions(self) -> None:
        results: list[Any] = []

        def ask() -> None:
            cursor = self.connection.cursor()
            robots_scan.duckdb.register(cursor)
            sql = "SELECT count(*) FILTER (robots_allowed(?, 'GPTBot', '/' || i)) FROM range(5000) AS t(i)"
            results.append(cursor.execute(sql, ["User-agent: *\nDisallow: /1"]).fetchone())

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(results, [(3889,)] * 4)

    def test_functions_are_registered_once(self) -> None:
        for _ in range(2):
            robots_scan.duckdb.register(self.connection)
            robots_scan.duckdb.register(self.connection.cursor())
        self.assertEqual(self.ask("SELECT robots_allowed('', 'a', '/')"), [(True,)])
        kinds = self.ask(
            "SELECT function_name, has_side_effects FROM duckdb_functions() WHERE function_name[:7] = 'robots_' ORDER BY ALL"
        )
        self.assertEqual(kinds, [("robots_allowed", False), ("robots_body", False), ("robots_preference", False), ("robots_verdict", False)])

    def test_functions_outlive_the_cursor_that_registered_them(self) -> None:
        connection = duckdb.connect()
        cursor = connection.cursor()
        robots_scan.duckdb.register(cursor)
        cursor.close()
        del cursor
        self.assertEqual(connection.execute("SELECT robots_allowed('', 'a', '/')").fetchall(), [(True,)])

    def test_the_connection_of_the_module_is_the_default(self) -> None:
        robots_scan.duckdb.register()
        self.assertEqual(duckdb.sql("SELECT robots_verdict('', 'a')").fetchall(), [("allow_all",)])

    def test_other_functions_of_the_same_connection_remain(self) -> None:
        with self.assertRaises(duckdb.Error):
            self.connection.create_function("robots_allowed", lambda x: x, ["INTEGER"], "INTEGER")

    def test_a_read_only_database_has_the_functions(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "a.duckdb"))
            duckdb.connect(path).close()
            with duckdb.connect(path, read_only=True) as connection:
                robots_scan.duckdb.register(connection)
                self.assertEqual(connection.execute("SELECT robots_allowed('', 'a', '/')").fetchall(), [(True,)])

    def test_an_error_names_numpy_if_it_is_missing(self) -> None:
        script = "import sys; sys.modules['numpy'] = None; import robots_scan.duckdb; robots_scan.duckdb.register()"
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertIn("robots_scan.duckdb needs the package 'numpy' (hint: pip install duckdb numpy)", ran.stderr)


class Forked(Forks):
    def test_functions_answer_in_a_child(self) -> None:
        def answers() -> Any:
            with duckdb.connect() as connection:
                robots_scan.duckdb.register(connection)
                query = "SELECT robots_allowed(body, 'GPTBot', '/x'), robots_verdict(body, 'a') FROM (SELECT ?::VARCHAR AS body)"
                return connection.execute(query, [FILE]).fetchall()

        self.assert_same(answers)


class Environment(Isolation):
    def test_only_one_environment_has_pyarrow(self) -> None:
        self.assertEqual(HAS_PYARROW, os.environ["ROBOTS_SCAN_ENVIRONMENT"] == "duckdb-pyarrow")
        self.check_missing("pandas", "polars")
