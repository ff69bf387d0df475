"""Measures the steps of `make test` and `make test-all`.

    python3 jobs/timed.py LABEL COMMAND…    # executes a step, and notes its seconds in target/times.txt
    python3 jobs/timed.py                   # prints the steps so far, and forgets them
"""

import os
import sys
import time
from pathlib import Path

TIMES = Path("target/times.txt")


def execute(label, command):
    """Returns the exit code of a command, whose wall time and CPU time are noted."""
    began = time.monotonic()
    pid = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(pid, 0)
    TIMES.parent.mkdir(exist_ok=True)
    with TIMES.open("a", encoding="utf-8") as times:
        times.write(f"{label}\t{time.monotonic() - began:.0f}\t{usage.ru_utime + usage.ru_stime:.0f}\n")
    return os.waitstatus_to_exitcode(status)


def print_all():
    """Prints a line for each step."""
    if not TIMES.exists():
        return
    print(f"{'step':<24}{'seconds':>9}{'of CPU':>9}")
    for line in TIMES.read_text(encoding="utf-8").splitlines():
        label, wall, cpu = line.split("\t")
        print(f"{label:<24}{wall:>9}{cpu:>9}")
    TIMES.unlink()


if __name__ == "__main__":
    sys.exit(execute(sys.argv[1], sys.argv[2:]) if sys.argv[1:] else print_all())
