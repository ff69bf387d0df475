"""The base of tests in forked processes, which have none of the threads of their parent."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import tempfile
import threading
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

HANG_SECONDS = 60


def in_child(function: Callable[[], Any]) -> Any:
    """Return the result of a function in a forked process, or raise its exception."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            result: tuple[bool, Any] = (True, function())
        except BaseException as error:  # noqa: BLE001
            result = (False, f"{type(error).__name__}: {error}")
        try:
            with open(writing, "wb") as pipe:
                pickle.dump(result, pipe)
        finally:
            os._exit(0)
    os.close(writing)
    alarm = threading.Timer(HANG_SECONDS, os.kill, (process, signal.SIGKILL))
    alarm.start()
    with open(reading, "rb") as pipe:
        written = pipe.read()
    os.waitpid(process, 0)
    alarm.cancel()
    if not written:
        raise AssertionError(f"the forked process did not end in {HANG_SECONDS} s")
    succeeded, value = pickle.loads(written)
    if not succeeded:
        raise AssertionError(value)
    return value


class Forks(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="robots-scan-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        # Python warns of every fork of a process with threads.
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", DeprecationWarning)

    def assert_same(self, function: Callable[[], Any]) -> None:
        """Check that a function has the same result in this process and in a child forked after that."""
        expected = function()
        self.assertEqual(in_child(function), expected)
