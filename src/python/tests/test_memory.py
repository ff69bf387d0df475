"""Tests that streams copy nothing that they pass on, and that they need no more memory for more archives.

It runs in the environment `pyarrow`.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import corpus
import pyarrow

import robots_scan

FIRST = corpus.SAMPLES / "warc" / "cc-robotstxt.warc.gz"


class ArrowArray(ctypes.Structure):
    """The array of Arrow's C data interface."""


ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class ArrowArrayStream(ctypes.Structure):
    """The stream of Arrow's C stream interface."""

    _fields_ = (
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ArrowArray))),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


def pointer(capsule: object, name: bytes) -> int:
    function = ctypes.pythonapi.PyCapsule_GetPointer
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(function(capsule, name))


def addresses(array: ArrowArray) -> list[int]:
    """Return the addresses of the buffers of all columns, of those that are not empty."""
    children = [array.children[i].contents for i in range(array.n_children)]
    return [child.buffers[i] for child in children for i in range(child.n_buffers) if child.buffers[i] and child.length]


def addresses_of_batch(batch: Any) -> list[int]:
    return [buffer.address for column in batch.columns for buffer in column.buffers() if buffer is not None and buffer.size and len(column)]


class NoCopy(unittest.TestCase):
    def test_no_copy_of_a_stream(self) -> None:
        for name in ("rules", "robots_files", "verdicts"):
            capsule = robots_scan.read(FIRST, name).__arrow_c_stream__()
            stream = ArrowArrayStream.from_address(pointer(capsule, b"arrow_array_stream"))
            exported = ArrowArray()
            self.assertEqual(stream.get_next(ctypes.addressof(stream), exported), 0)
            self.assertGreater(exported.length, 100)
            seen = addresses(exported)
            schema = pyarrow.schema(robots_scan.read(FIRST, name))
            # This moves the array out of the structure.
            batch = pyarrow.RecordBatch._import_from_c(ctypes.addressof(exported), schema)
            self.assertIsNone(exported.release)
            batch.validate(full=True)
            self.assertTrue(set(addresses_of_batch(batch)) <= set(seen))
            self.assertGreater(len(addresses_of_batch(batch)), batch.num_columns)

    def test_no_copy_of_a_table(self) -> None:
        body = b"User-agent: *\n" + b"".join(b"Disallow: /%d\n" % number for number in range(1000))
        table = robots_scan.parse(body).table("rules")
        _, capsule = table.__arrow_c_array__()
        exported = ArrowArray.from_address(pointer(capsule, b"arrow_array"))
        # Each export shares the same buffers.
        for batch in (pyarrow.record_batch(table), pyarrow.table(table).to_batches()[0]):
            self.assertEqual(batch.num_rows, 1000)
            self.assertTrue(set(addresses_of_batch(batch)) <= set(addresses(exported)))

    def test_no_copy_of_a_column_of_answers(self) -> None:
        urls = pyarrow.array([f"/{number}" for number in range(10_000)])
        answers = robots_scan.robots_allowed(b"User-agent: *\nDisallow: /1", "GPTBot", urls)
        first, second = pyarrow.array(answers), pyarrow.array(answers)
        self.assertEqual(first.buffers()[1].address, second.buffers()[1].address)
        self.assertEqual(first.to_pylist().count(False), 1111)


# Prints the rows and the peak of memory, in kilobytes on Linux and in bytes on macOS.
READ = """
import resource, sys
import pyarrow, robots_scan
stream = robots_scan.read(sys.argv[1], "rules")
rows = sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(stream))
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


class Memory(unittest.TestCase):
    def test_more_archives_need_no_more_memory(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folders = [Path(name) / "few", Path(name) / "many"]
            results = []
            for folder, count in zip(folders, (2, 12)):
                folder.mkdir()
                (folder / "00.warc.gz").write_bytes(FIRST.read_bytes() * 40)
                for number in range(1, count):
                    os.link(folder / "00.warc.gz", folder / f"{number:02}.warc.gz")
                process = subprocess.run([sys.executable, "-c", READ, folder], check=True, capture_output=True, text=True, timeout=300)
                results.append([int(word) for word in process.stdout.split()])
        (few_rows, few_memory), (many_rows, many_memory) = results
        self.assertEqual(many_rows, 6 * few_rows)
        # The rows alone would need several times as much.
        self.assertLess(many_memory, 1.5 * few_memory)

    def test_a_stream_that_is_left_stops_reading(self) -> None:
        reader = pyarrow.RecordBatchReader.from_stream(robots_scan.read(FIRST, "rules"))
        self.assertGreater(reader.read_next_batch().num_rows, 0)
        reader.close()
        del reader


if __name__ == "__main__":
    unittest.main()
