"""Reads a stream with the lock of the interpreter held, as some libraries do."""

import ctypes
import subprocess
import sys
import unittest

import samples

TIMEOUT_SECONDS = 120


class ArrowStream(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


class ArrowArray(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")] + [
        (name, ctypes.c_void_p) for name in ("buffers", "children", "dictionary", "release", "private_data")
    ]


def read(capsule: object) -> int:
    """Return the number of rows of a stream. Functions of the type `PYFUNCTYPE` are called with the lock held."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer(capsule, b"arrow_array_stream")
    get_next = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(ArrowStream.from_address(address).get_next)
    rows = 0
    while True:
        array = ArrowArray()
        assert get_next(address, ctypes.addressof(array)) == 0
        if not array.release:
            return rows
        rows += array.length
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(array.release)(ctypes.addressof(array))


class InterpreterLock(unittest.TestCase):
    def test_a_reader_may_hold_the_lock_and_the_warning_is_logged(self) -> None:
        # A process of its own, which can be stopped if it waits forever.
        program = "import robots_scan, sys, test_interpreter_lock\n"
        program += "stream = robots_scan.read(sys.argv[1], 'robots_files')\n"
        program += "print(test_interpreter_lock.read(stream.__arrow_c_stream__()), stream.faults)\n"
        ran = subprocess.run(
            [sys.executable, "-c", program, str(samples.DAMAGED)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
            cwd=samples.__file__.rsplit("/", 1)[0],
        )  # fmt: skip
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows, faults = map(int, ran.stdout.split())
        self.assertGreater(rows, 0)
        self.assertEqual(faults, samples.DAMAGED_FAULTS)
        self.assertIn("could not be read", ran.stderr)
