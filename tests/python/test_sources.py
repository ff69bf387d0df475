"""Runs the tests of records by address and of tables of bodies, several at a time.

    python tests/python/test_sources.py target/debug/robots-scan [--campaign]
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# The longest first.
TESTS = ("test_record_servers.py", "test_bodies.py", "test_body_faults.py", "test_record_faults.py", "test_records.py", "test_hostile_lists.py")
AT_A_TIME = 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--campaign", action="store_true")
    args = parser.parse_args()
    options = ["--campaign"] if args.campaign else []
    began = time.monotonic()

    def run(test):
        command = [sys.executable, Path(__file__).parent / test, args.program, *options]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    failed = 0
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for test, done in zip(TESTS, pool.map(run, TESTS)):
            failed += done.returncode != 0
            print(f"{test}:\n{done.stdout}", flush=True)
    print(f"{len(TESTS) - failed} of {len(TESTS)} passed, {time.monotonic() - began:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
