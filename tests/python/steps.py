"""Executes steps of the tests, some of them side by side, and prints the seconds of each at the end.

    python3 tests/python/steps.py 2 make -- compile,test queries hosts

Each step is a target of make, executed as `make TARGET`. At most 2 rows of steps run at a time; a row is a word, whose steps, separated by
commas, run one after the other. The first row, which should be the longest, has priority: the others are nicer to it. What its steps
print is shown at once, and that of the others when they end. After a step that fails no other one begins; its lines that tell of failures
are shown again at the end.

If Linux has enough room in memory, temporary files are there: on a disk, a fifth of the time of the tests is spent on creating and deleting
them. TMPDIR is not changed if it is set.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

# The niceness of all rows except the first.
NICENESS = "3"

# The folder of files in memory, and the free bytes that it must have. The tests need less than a third of them.
MEMORY = "/dev/shm"
MEMORY_FREE_MIN = 2 << 30

# Lines that tell of failures, of the tests in Python and in Rust, and of make; how many are shown again, and their longest.
FAILURE = re.compile(rb"FAILED|Error\b|^error|panicked at|\*\*\*")
FAILURE_LINES, FAILURE_BYTES = 20, 500


class Steps:
    """Rows of steps that are left, and the times of those that have ended."""

    def __init__(self, command, rows):
        self.command, self.rows, self.first = command, rows[::-1], rows[0]
        self.printing, self.times, self.failed, self.failures = threading.Lock(), [], [], []

    def execute(self, step, is_first):
        """Executes a step, prints its output, and notes its wall time and CPU time."""
        began = time.monotonic()
        if is_first:
            print(f"== {step}", flush=True)
        with tempfile.TemporaryFile() as log:
            output = {} if is_first else {"stdout": log, "stderr": log}
            command = self.command if is_first else ["nice", "-n", NICENESS, *self.command]
            process = subprocess.Popen([*command, step], stdin=subprocess.DEVNULL, **output)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - began
            with self.printing:
                log.seek(0)
                if not is_first:
                    print(f"== {step}", flush=True)
                for line in log:
                    sys.stdout.buffer.write(line)
                    if process.returncode and FAILURE.search(line):
                        self.failures.append(line[:FAILURE_BYTES].decode("utf-8", "replace").rstrip())
                print(f"== {step}: {'failed' if process.returncode else 'passed'} after {seconds:.0f} s", flush=True)
        self.times.append((step, seconds, usage.ru_utime + usage.ru_stime))
        if process.returncode:
            self.failed.append(step)

    def work(self):
        """Executes rows until none is left."""
        while self.rows:
            row = self.rows.pop()
            for step in row.split(","):
                if not self.failed:
                    self.execute(step, row is self.first)


@contextlib.contextmanager
def temporary_files():
    """Puts the temporary files of all steps into memory, if there is room, and deletes what they leave."""
    with contextlib.ExitStack() as stack:
        if "TMPDIR" not in os.environ and os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free >= MEMORY_FREE_MIN:
            os.environ["TMPDIR"] = stack.enter_context(tempfile.TemporaryDirectory(prefix="robots-scan-", dir=MEMORY))
        yield


def main(jobs, command, rows):
    """Returns the exit code."""
    steps = Steps(command, rows)
    workers = [threading.Thread(target=steps.work, daemon=True) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{'step':<24}{'seconds':>9}{'of CPU':>9}")
    for step, seconds, cpu in steps.times:
        print(f"{step:<24}{seconds:>9.0f}{cpu:>9.0f}")
    for line in steps.failures[-FAILURE_LINES:]:
        print(line)
    for step in steps.failed:
        print(f"error: the step '{step}' failed", file=sys.stderr)
    return 1 if steps.failed else 0


if __name__ == "__main__":
    end = sys.argv.index("--")
    try:
        with temporary_files():
            sys.exit(main(int(sys.argv[1]), sys.argv[2:end], sys.argv[end + 1:]))
    except KeyboardInterrupt:
        sys.exit(130)
