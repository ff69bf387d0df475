"""Tests the Python package beside other libraries, and without them.

usage: environments.py EMPTY [ENVIRONMENT…]

`none` is tested by the interpreter EMPTY, in whose virtual environment only the wheel is installed. The others are tested by the
interpreter of this program, which has all libraries: those that are not among REQUIREMENTS of an environment, nor needed by
these, are made absent (`absent/sitecustomize.py`). The tests of an environment run one after the other. Without names, all
environments are tested; `spark` needs Java.

A test that is skipped has failed, unless it needs real archives, which are not part of the repository, or file names that the
system does not allow.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent

# The modules with the tests of each environment.
ENVIRONMENTS = {
    "none": ["test_wheel", "test_interpreter_lock", "test_robots_txt", "test_commands", "test_fork", "test_agreement", "test_docstrings"],
    "types": ["test_types"],
    "pyarrow": ["test_pyarrow", "test_memory"],
    "polars": ["test_polars", "test_docstrings"],
    "pandas": ["test_pandas"],
    "duckdb": ["test_duckdb", "test_docstrings"],
    "duckdb-pyarrow": ["test_duckdb", "test_docstrings"],
    "spark": ["test_spark"],
}

# The packages of each environment, in the versions of tests/python/requirements.
REQUIREMENTS = {
    "types": ["mypy", "polars"],
    "pyarrow": ["pyarrow"],
    "polars": ["polars"],
    # pandas reads Arrow with pyarrow.
    "pandas": ["pandas", "pyarrow"],
    # DuckDB needs NumPy for functions in Python.
    "duckdb": ["duckdb", "numpy"],
    "duckdb-pyarrow": ["duckdb", "numpy", "pyarrow"],
    "spark": ["pyspark", "duckdb", "pyarrow"],
}

TIMEOUT_SECONDS = 600

ACCEPTED_SKIPS = ("real archives are not available", "the file system takes only UTF-8")

# What `--run` writes before its counts.
COUNTS = "counts: "


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("empty", type=Path)
    parser.add_argument("environments", nargs="*", metavar="ENVIRONMENT", help=f"of {', '.join(ENVIRONMENTS)}")
    args = parser.parse_args()
    for name in args.environments:
        if name not in ENVIRONMENTS:
            parser.error(f"there is no environment '{name}'")
    unused = {file.stem for file in TESTS.glob("test_*.py")}.difference(*ENVIRONMENTS.values())
    if unused:
        parser.error(f"no environment has the tests {', '.join(sorted(unused))}")
    passed = failed = 0
    for name in args.environments or ENVIRONMENTS:
        counts = check(name, args.empty.absolute())
        passed, failed = passed + counts["passed"], failed + counts["failed"]
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


def check(name: str, empty: Path) -> dict[str, Any]:
    """Run the tests of an environment, and print a line about it. Return the numbers of tests that passed and failed."""
    began = time.monotonic()
    if name == "none":
        counts, output = run_tests(name, empty, {})
    else:
        with tempfile.TemporaryDirectory() as folder:
            link_packages(Path(folder), ["robots-scan", *REQUIREMENTS[name]])
            absent = {"PYTHONPATH": str(TESTS / "absent"), "ROBOTS_SCAN_PACKAGES": folder}
            counts, output = run_tests(name, Path(sys.executable), absent)
    for reason in counts["skipped"]:
        print(f"skipped in {name}: {reason}")
    state = "FAILED" if counts["failed"] else "      "
    print(f"{state} {name}: {counts['passed']} passed, {counts['failed']} failed in {time.monotonic() - began:.1f} s", flush=True)
    if counts["failed"]:
        print("    " + output.strip().replace("\n", "\n    "), flush=True)
    return counts


def link_packages(folder: Path, names: list[str]) -> None:
    """Make links in a folder to all files of packages and of those that they need."""
    for package in with_needed(names):
        for file in {Path(path.parts[0]) for path in package.files or () if path.parts[0] != ".."}:
            if not (folder / file).exists():
                (folder / file).symlink_to(Path(str(package.locate_file(file))).resolve())


def with_needed(names: list[str]) -> list[Distribution]:
    """Return packages, and those that they need."""
    from packaging.requirements import Requirement

    found: dict[str, Distribution] = {}
    while names:
        package = distribution(names.pop())
        if package.name not in found:
            found[package.name] = package
            needed = map(Requirement, package.requires or ())
            names += [other.name for other in needed if not other.marker or other.marker.evaluate({"extra": ""})]
    return list(found.values())


def run_tests(name: str, python: Path, variables: dict[str, str]) -> tuple[dict[str, Any], str]:
    """Run the tests in an environment. Return their counts and their output."""
    # Only the installed package is imported.
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "SPARK_", "PYSPARK_"))}
    env |= {"ROBOTS_SCAN_ENVIRONMENT": name, "PYTHONIOENCODING": "utf-8"} | variables
    command = [str(python), str(TESTS / "environments.py"), "--run", *ENVIRONMENTS[name]]
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        # With the processes that the tests have started.
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        output += f"\nthe tests did not end in {TIMEOUT_SECONDS} s"
    lines = [line for line in output.splitlines() if line.startswith(COUNTS)]
    # A process that does not end, or ends by itself, has no counts.
    if process.returncode != 0 or len(lines) != 1:
        return {"passed": 0, "failed": 1, "skipped": []}, f"{output}\nexit code {process.returncode}"
    return json.loads(lines[0].removeprefix(COUNTS)), output


class Result(unittest.TextTestResult):
    """A result that also counts the tests that passed."""

    passed = 0

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.passed += 1


def run(modules: list[str]) -> int:
    """Run the tests of modules in this process, and write their counts."""
    suite = unittest.defaultTestLoader.loadTestsFromNames(modules)
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=Result).run(suite)
    assert isinstance(result, Result)
    skipped = [f"{test}: {reason}" for test, reason in result.skipped]
    problems = [text for text in skipped if not text.endswith(ACCEPTED_SKIPS)]
    problems += [f"{test}: it is expected to fail" for test, _ in result.expectedFailures]
    problems += [f"{test}: it is expected to fail, and passed" for test in result.unexpectedSuccesses]
    if not result.passed:
        problems.append("no test passed")
    for text in problems:
        print(f"FAILED {text}")
    # A test with several parts may fail several times.
    failed = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
    counts = {"passed": result.passed, "failed": len(failed) + len(problems), "skipped": skipped}
    print(COUNTS + json.dumps(counts), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[2:]) if sys.argv[1:2] == ["--run"] else main())
