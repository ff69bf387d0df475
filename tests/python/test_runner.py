"""Runs the tests of an object: its methods whose names begin with `test_`."""

import math
import random
import re
import time
from pathlib import Path

VERSION = re.search(r'^version = "(.*)"', (Path(__file__).resolve().parents[2] / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]


def share(cases, part, is_campaign=False, seed=""):
    """Returns all cases in a campaign, otherwise this fraction of them; each version, and each seed, selects different cases."""
    cases = list(cases)
    count = len(cases) if is_campaign else math.ceil(len(cases) * part)
    return [cases[i] for i in sorted(random.Random(VERSION + seed).sample(range(len(cases)), count))]


def run(tests):
    """Runs the tests, prints their times and their number, and returns the number that failed."""
    passed = failed = 0
    for name in [name for name in dir(tests) if name.startswith("test_")]:
        began = time.monotonic()
        try:
            getattr(tests, name)()
            passed += 1
        except AssertionError as error:
            failed += 1
            print(f"FAILED {name}: {error}")
        print(f"{name}: {time.monotonic() - began:.1f} s")
    print(f"{passed} passed, {failed} failed")
    return failed
