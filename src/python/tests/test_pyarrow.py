"""Tests streams, tables and columns in pyarrow."""

from __future__ import annotations

import http.server
import threading
import unittest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import robots_scan
import samples
from forks import Forks, in_child
from streams import Isolation, StreamTests


class Streams(StreamTests, unittest.TestCase):
    TYPES = {
        "robots_id": "int64", "url": "string", "fetch_time": "timestamp[ms]", "fetch_status": "int16", "is_revisit": "bool",
        "body_bytes": "int64", "n_lines": "int32", "crawl": "string",
    }  # fmt: skip
    ERRORS = OSError
    READ_ONE_BATCH = "import pyarrow; reader = pyarrow.RecordBatchReader.from_stream(stream); reader.read_next_batch()"

    def frame(self, source: Any) -> pa.Table:
        return pa.table(source)

    def frame_of_parquet(self, path: Path) -> pa.Table:
        # Without the folders, which would be columns again.
        return pq.ParquetFile(path).read()

    def rows(self, frame: pa.Table) -> list[dict[str, Any]]:
        return frame.to_pylist()

    def types(self, frame: pa.Table) -> dict[str, str]:
        return {field.name: str(field.type) for field in frame.schema}

    def test_columns_that_cannot_be_null_say_so(self) -> None:
        schema = pa.table(samples.stream("robots_files")).schema
        self.assertFalse(schema.field("robots_id").nullable)
        self.assertTrue(schema.field("fetch_time").nullable)

    def test_columns_have_their_descriptions(self) -> None:
        schema = pa.schema(samples.stream("robots_files"))
        self.assertIn(b"True if the body is valid UTF-8", schema.field("is_valid_utf8").metadata[b"comment"])

    def test_a_table_is_a_batch(self) -> None:
        batch = pa.record_batch(samples.table_of_file())
        self.assertEqual(batch.num_rows, 2)

    def test_a_stream_that_is_dropped_leaves_no_process_behind(self) -> None:
        for _ in range(5):
            reader = pa.RecordBatchReader.from_stream(samples.stream("rules"))
            self.assertGreater(reader.read_next_batch().num_rows, 0)
            del reader


class Columns(unittest.TestCase):
    # All forms of text and bytes that Arrow has.
    TEXTS = (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()))
    BYTES = (pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int16(), pa.binary()))

    def check(self, kind: pa.DataType, asked: list[samples.Question], dialect: str | None = None) -> None:
        def column(values: list[Any]) -> pa.Array:
            plain = pa.binary() if kind in self.BYTES else pa.string()
            array = pa.array([value.encode() if isinstance(value, str) else value for value in values], pa.binary()).cast(plain)
            return array.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else array.cast(kind)

        body, agent, url = (column([question[i] for question in asked]) for i in range(3))
        allowed = pa.array(robots_scan.robots_allowed(body, agent, url, dialect))
        self.assertEqual(allowed.type, pa.bool_())
        self.assertEqual(allowed.to_pylist(), [question.is_allowed for question in asked])
        verdict = pa.array(robots_scan.robots_verdict(body, agent, dialect))
        self.assertEqual(verdict.type, pa.string())
        self.assertEqual(verdict.to_pylist(), [question.verdict for question in asked])

    def test_text_has_the_answers_of_single_files(self) -> None:
        asked = samples.questions(is_text=True)
        for kind in self.TEXTS:
            with self.subTest(str(kind)):
                self.check(kind, asked)

    def test_bytes_have_the_answers_of_single_files(self) -> None:
        asked = samples.questions()
        for kind in self.BYTES:
            with self.subTest(str(kind)):
                self.check(kind, asked)

    def test_dialects_have_the_answers_of_single_files(self) -> None:
        for dialect in ("google", "rfc9309", "koster1996"):
            with self.subTest(dialect):
                self.check(pa.binary(), samples.questions(dialect=dialect), dialect)

    def test_rows_in_any_order_have_their_own_answers(self) -> None:
        asked = samples.questions()
        # A prime step visits all rows, with another file in each.
        shuffled = [asked[i * 7919 % len(asked)] for i in range(len(asked))]
        self.assertEqual(set(shuffled), set(asked))
        self.check(pa.binary(), shuffled)

    def test_more_files_than_are_kept_have_their_own_answers(self) -> None:
        filler = "#" * 1_000_000 + "\n"
        bodies = [f"User-agent: *\nDisallow: /{number}\n{filler}" for number in range(40)]
        urls = [f"/{number}" for number in range(40)]
        for order in (range(40), [number % 40 for number in range(0, 120, 3)]):
            body, url = pa.array([bodies[i] for i in order], pa.large_string()), pa.array([urls[i] for i in order])
            self.assertEqual(robots_scan.robots_allowed(body, "GPTBot", url).to_pylist(), [False] * 40)
            self.assertEqual(robots_scan.robots_allowed(body, "GPTBot", "/x").to_pylist(), [True] * 40)

    def test_many_crawlers_have_their_own_answers(self) -> None:
        names = [f"bot{letter}{other}" for letter in "abcdefghijklmnopqrst" for other in "abcdefghijklmnopqrst"]
        body = "".join(f"User-agent: {name}\nDisallow: /{name}\n" for name in names)
        for _ in range(2):
            agents, urls = pa.array(names), pa.array([f"/{name}" for name in names])
            self.assertEqual(robots_scan.robots_allowed(body, agents, urls).to_pylist(), [False] * 400)
            self.assertEqual(robots_scan.robots_allowed(body, agents, "/bota").to_pylist(), [True] * 400)

    def test_chunks_and_constants_are_mixed(self) -> None:
        body = pa.chunked_array([["User-agent: *\nDisallow: /x"], [], ["", None]])
        url = pa.chunked_array([["/x", "/x"], ["/x"]])
        answers = [False, True, None]
        self.assertEqual(robots_scan.robots_allowed(body, "GPTBot", url).to_pylist(), answers)
        self.assertEqual(robots_scan.robots_allowed(body, b"GPTBot", "/x").to_pylist(), answers)
        self.assertEqual(robots_scan.robots_allowed("User-agent: *\nDisallow: /x", "GPTBot", url).to_pylist(), [False] * 3)
        self.assertEqual(robots_scan.robots_allowed(body, None, url).to_pylist(), [None] * 3)

    def test_slices_and_nulls_are_read(self) -> None:
        url = pa.array(["/x", "/y", None, "/x/z", "/"])[1:4]
        allowed = robots_scan.robots_allowed("User-agent: *\nDisallow: /x", "GPTBot", url)
        self.assertEqual(allowed.to_pylist(), [True, None, False])
        self.assertEqual(robots_scan.robots_allowed("", "GPTBot", pa.nulls(2)).to_pylist(), [None, None])
        self.assertEqual(robots_scan.robots_allowed("", "GPTBot", pa.array([], pa.string())).to_pylist(), [])

    def test_wrong_columns_are_named(self) -> None:
        with self.assertRaisesRegex(robots_scan.UsageError, "a column of type Int64 cannot be read"):
            robots_scan.robots_allowed(pa.array([1]), "GPTBot", "/")
        with self.assertRaisesRegex(robots_scan.UsageError, "the columns have 2 and 3 rows"):
            robots_scan.robots_allowed(pa.array(["", ""]), "GPTBot", pa.array(["", "", ""]))


class Forked(Forks):
    def test_a_child_reads_a_stream_after_its_parent(self) -> None:
        stream = robots_scan.read(samples.ARCHIVES[:2], "rules", threads=2)
        self.assert_same(lambda: pa.table(stream).num_rows)
        self.assert_same(lambda: pa.table(robots_scan.read(samples.ARCHIVES[0], "verdicts")).num_rows)

    def test_rows_that_a_parent_has_begun_to_read_are_an_error_in_a_child(self) -> None:
        reader = pa.RecordBatchReader.from_stream(robots_scan.read(samples.ARCHIVES, "rules"))
        first = reader.read_next_batch().num_rows

        def read() -> list[str]:
            texts = []
            for _ in range(2):
                try:
                    reader.read_next_batch()
                except (OSError, StopIteration, ValueError, pa.ArrowException) as error:
                    texts.append(f"{type(error).__name__}: {error}")
            reader.close()
            return texts

        error, end = in_child(read)
        self.assertIn("the stream belongs to the process from which this one was forked", error)
        self.assertTrue(end.startswith("StopIteration"), end)
        rest = sum(batch.num_rows for batch in reader)
        self.assertEqual(first + rest, pa.table(robots_scan.read(samples.ARCHIVES, "rules")).num_rows)

    def test_a_stream_of_urls_is_an_error_in_a_child(self) -> None:
        class Archives(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments, directory=str(samples.DATA / "warc"))

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Archives) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                url = f"http://127.0.0.1:{server.server_address[1]}/{samples.ARCHIVES[0].name}"

                def rows(stream: robots_scan.TableStream) -> int:
                    return pa.table(stream).num_rows

                def opened() -> robots_scan.TableStream:
                    return robots_scan.read(url, "rules", crawl="X", subset="robotstxt", rate="none")

                def dropped() -> str:
                    streams = [opened()]
                    with self.assertRaisesRegex(robots_scan.UsageError, "from which this one was forked .hint: call 'read' in this process"):
                        rows(stream)
                    return "ended"

                stream = opened()
                expected = rows(stream)
                self.assertEqual(in_child(dropped), "ended")
                self.assertEqual(in_child(lambda: rows(opened())), expected)
                self.assertEqual(rows(stream), expected)
            finally:
                server.shutdown()
                thread.join()


class Environment(Isolation):
    def test_no_other_library_is_installed(self) -> None:
        self.check_missing("duckdb", "pandas", "polars")
