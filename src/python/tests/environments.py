"""Tests the Python package in environments with and without other libraries.

usage: environments.py WHEEL FOLDER [ENVIRONMENT…]

For each environment, a virtual environment in FOLDER has the wheel and the packages of its REQUIREMENTS, and
nothing else. It is made again if these requirements or the version of Python change; the wheel is always installed again.
The tests of the environment run in it, one after the other. Without names, all environments are tested; `spark` needs Java.

A test that is skipped has failed, unless it needs real archives, which are not part of the repository, or file names that the
system does not allow.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent

# The modules with the tests of each environment.
ENVIRONMENTS = {
    "none": ["test_wheel", "test_interpreter_lock", "test_robots_txt", "test_commands", "test_fork", "test_agreement", "test_docstrings"],
    "types": ["test_types"],
    "pyarrow": ["test_pyarrow", "test_google", "test_memory"],
    "polars": ["test_polars", "test_docstrings"],
    "pandas": ["test_pandas"],
    "duckdb": ["test_duckdb", "test_docstrings"],
    "duckdb-pyarrow": ["test_duckdb", "test_docstrings"],
    "scrapy": ["test_scrapy", "test_docstrings"],
    "spark": ["test_spark"],
}

# The packages of each environment. The wheel has no dependencies.
REQUIREMENTS = {
    "none": [],
    "types": ["mypy==2.4.1", "polars==2.1.0"],
    "pyarrow": ["pyarrow==26.0.1"],
    "polars": ["polars==2.1.0"],
    # pandas reads Arrow with pyarrow.
    "pandas": ["pandas==3.1.1", "pyarrow==26.0.1"],
    # DuckDB needs NumPy for functions in Python.
    "duckdb": ["duckdb==2.0.0", "numpy==2.4.6"],
    "duckdb-pyarrow": ["duckdb==2.0.0", "numpy==2.4.6", "pyarrow==26.0.1"],
    "scrapy": ["scrapy==2.19.0"],
    "spark": ["pyspark==4.3.0", "duckdb==2.0.0", "pyarrow==26.0.1"],
}

TIMEOUT_SECONDS = 600

ACCEPTED_SKIPS = ("real archives are not available", "the file system takes only UTF-8")

# What `--run` writes before its counts.
COUNTS = "counts: "


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path)
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
        counts = check(name, args.wheel.resolve(), args.folder.resolve() / name)
        passed, failed = passed + counts["passed"], failed + counts["failed"]
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


def check(name: str, wheel: Path, folder: Path) -> dict[str, Any]:
    """Run the tests of an environment, and print a line about it. Return the numbers of tests that passed and failed."""
    began = time.monotonic()
    try:
        install(folder, "".join(f"{package}\n" for package in REQUIREMENTS[name]), wheel)
    except subprocess.CalledProcessError as error:
        print(f"FAILED {name}: the environment could not be made:\n{error.stdout}", flush=True)
        return {"passed": 0, "failed": 1}
    installed = time.monotonic()
    counts, output = run_tests(name, folder / "bin" / "python")
    for reason in counts["skipped"]:
        print(f"skipped in {name}: {reason}")
    seconds = time.monotonic() - installed
    state = "FAILED" if counts["failed"] else "      "
    times = f"installed in {installed - began:.1f} s, tested in {seconds:.1f} s"
    print(f"{state} {name}: {counts['passed']} passed, {counts['failed']} failed; {times}", flush=True)
    if counts["failed"]:
        print("    " + output.strip().replace("\n", "\n    "), flush=True)
    return counts


def install(folder: Path, required: str, wheel: Path) -> None:
    """Make a virtual environment, unless it has these requirements, and install the wheel into it."""
    stamp, python = folder / "requirements.sha256", folder / "bin" / "python"
    wanted = hashlib.sha256(f"{sys.version}\n{folder}\n{required}".encode()).hexdigest()
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    if not stamp.is_file() or stamp.read_text() != wanted:
        execute([sys.executable, "-m", "venv", "--clear", str(folder)])
        file = folder / "requirements.txt"
        file.write_text(required)
        execute([*pip, "-r", str(file)])
        stamp.write_text(wanted)
    execute([*pip, "--no-deps", "--force-reinstall", str(wheel)])


def execute(command: list[str]) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run_tests(name: str, python: Path) -> tuple[dict[str, Any], str]:
    """Run the tests in an environment. Return their counts and their output."""
    # Only the installed package is imported.
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "SPARK_", "PYSPARK_"))}
    env |= {"ROBOTS_SCAN_ENVIRONMENT": name, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
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
