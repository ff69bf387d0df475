"""Reads every table with old and new versions of the readers that people use, and opens the views in DuckDB.

usage: test_readers.py PROGRAM UV FOLDER DATASET [READER…]
       test_readers.py --lock UV    writes tests/python/requirements/readers.txt

FOLDER holds an environment for each reader of READERS that this Python does not have, which UV makes if it is missing, from readers.txt.
All tables of DATASET, of a history of it and of matches over it are read (`read_tables.py`). In each table, the number of rows, the
minimum and the maximum of each text column, and the number of rows with the longest value of it must be those that Python finds among all
values; and partitions must be text.
README.md states the oldest and the newest version of each reader as supported, and a test here compares them.
"""

import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[2]

# Of each reader the oldest version that is supported, one of the spring of 2026 before it or between, and the newest.
READERS = {
    "duckdb": ["1.1.3", "1.3.2", "1.4.5", "1.5.2", "2.0.1"],
    "polars": ["1.20.0", "1.42.1", "2.1.0"],
    "datafusion": ["50.1.0", "55.0.0"],
    "pyarrow": ["15.0.2", "26.0.1"],
    "pyspark": ["3.5.9", "4.3.0"],
}
# What else a version needs.
ALSO = {"pyarrow 15.0.2": ["numpy==1.26.4"], "pyspark 3.5.9": ["setuptools==82.0.1"]}
NAMES = {"duckdb": "DuckDB", "polars": "Polars", "datafusion": "DataFusion", "pyarrow": "PyArrow", "pyspark": "Spark"}
LOCKED = ROOT / "tests" / "python" / "requirements" / "readers.txt"
TEXT_TYPES = re.compile(r"VARCHAR|String|string(_view)?|large_string|Utf8(View)?|dictionary<values=string, .*>")


def lock(uv):
    """Writes the packages of all environments with their hashes, each environment below a line with its reader."""
    command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes", "--no-annotate", "--no-header", "-"]
    parts = ["# Written by `make requirements`.\n"]
    for name, versions in READERS.items():
        for version in versions:
            packages = "\n".join([f"{name}=={version}", *ALSO.get(f"{name} {version}", [])])
            done = subprocess.run(command, input=packages, stdout=subprocess.PIPE, text=True, check=True)
            parts.append(f"# {name} {version}\n{done.stdout}")
    LOCKED.write_text("\n".join(parts), encoding="utf-8")


def locked():
    """Returns the packages of each environment with their hashes, by its reader."""
    parts = LOCKED.read_text(encoding="utf-8").split("\n# ")[1:]
    return {tuple(part.partition("\n")[0].split()): part.partition("\n")[2] for part in parts}


def is_installed(name, version):
    """Returns true if the environment of the tests has this version."""
    try:
        return metadata.version(name) == version
    except metadata.PackageNotFoundError:
        return False


def install(uv, folder, reader, packages):
    """Makes the environment of a reader, unless it is there or that of the tests has the reader. Returns its Python."""
    if is_installed(*reader):
        return sys.executable
    environment = folder / "-".join(reader)
    ready, python = environment / "ready", environment / "bin" / "python"
    if not ready.is_file() or ready.read_text() != packages:
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, environment], check=True)
        # Packages without a wheel are built with the tools of the tests.
        command = [uv, "pip", "install", "--quiet", "--python", python, "--require-hashes", "--build-constraints", LOCKED.with_name("locked.txt")]
        subprocess.run([*command, "-r", "-"], input=packages, text=True, check=True)
        ready.write_text(packages)
    return python


def table_of(path):
    """Describes a table for `read_tables.py`, and returns the answers that are expected."""
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    partitions = [part.partition("=")[0] for part in files[0].relative_to(path).parts if "=" in part] if path.is_dir() else []
    rows, values = 0, {}
    for file in files:
        opened = pyarrow.parquet.ParquetFile(file)
        table = opened.read()
        rows += table.num_rows
        for column in table.schema:
            if pyarrow.types.is_string(column.type):
                values.setdefault(column.name, []).extend(table[column.name].to_pylist())
            assert not pyarrow.types.is_floating(column.type), f"{file}: {column.name} has floating-point numbers"
        for group in range(opened.metadata.num_row_groups):
            for i in range(opened.metadata.num_columns):
                statistics = opened.metadata.row_group(group).column(i).statistics
                exact = statistics and (getattr(statistics, "is_max_value_exact", None) or getattr(statistics, "is_min_value_exact", None))
                assert not exact, f"{file}: the statistics of column {i} claim to be exact"
    asked, expected = {}, {}
    for column, found in values.items():
        found = [value for value in found if value is not None]
        asked[column] = max(found, key=len, default="x")
        expected[column] = [min(found, default=None), max(found, default=None), found.count(asked[column])]
    table = {"path": str(path), "is_folder": path.is_dir(), "partitions": partitions, "columns": asked}
    return table, {"rows": rows, "columns": expected}


def compare(name, expected, found):
    """Returns what a reader answers differently about a table."""
    if "error" in found:
        return [found["error"]]
    different = [] if found["rows"] == expected["rows"] else [f"{found['rows']} instead of {expected['rows']} rows"]
    different += [f"{key} is {kind}" for key, kind in found["partitions"].items() if not TEXT_TYPES.fullmatch(kind or "")]
    for column, wanted in expected["columns"].items():
        answers = zip(("the minimum", "the maximum", "the number of rows with its longest value"), found["columns"][column], wanted, strict=True)
        different += [f"{what} of {column} is {got!r:.80} instead of {want!r:.80}" for what, got, want in answers if got != want]
    return different


# `views.sql` of a dataset and of a history, in which every question is defined, and a question by the names of its parameters.
OPEN_VIEWS = """
import duckdb, sys
for path, question in zip(sys.argv[1:], ("share_of_hosts_blocking(agent := 'GPTBot')", "trend(agent := 'GPTBot')")):
    connection = duckdb.connect()
    connection.execute(open(path, encoding="utf-8").read())
    assert connection.execute(f"FROM {question}").fetchall(), question
"""


def open_views(python, datasets):
    """Returns the error of DuckDB, if it cannot open the views of a dataset and of a history."""
    done = subprocess.run([python, "-c", OPEN_VIEWS, *(dataset / "views.sql" for dataset in datasets)], capture_output=True, text=True)
    return [f"views.sql: {done.stderr[-300:]}"] if done.returncode else []


def check_readme():
    """Compares the versions that README.md states."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for name, versions in READERS.items():
        oldest, newest = ([version.rsplit(".", 1)[0] for version in versions][i] for i in (0, -1))
        assert f"{NAMES[name]} {oldest} to {newest}" in text, f"README.md does not state {NAMES[name]} {oldest} to {newest}"


def main():
    if sys.argv[1] == "--lock":
        return lock(sys.argv[2])
    program, uv, folder, dataset = sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve(), Path(sys.argv[4])
    wanted = [(name, version) for name, versions in READERS.items() for version in versions if not sys.argv[5:] or name in sys.argv[5:]]
    check_readme()
    packages = locked()
    with ThreadPoolExecutor(2) as pool, tempfile.TemporaryDirectory() as made:
        pythons = list(pool.map(lambda reader: install(uv, folder, reader, packages[reader]), wanted))
        made = Path(made)
        subprocess.run([program, "history", dataset, "-q", "-o", made / "history"], check=True)
        subprocess.run([program, "match", dataset, "--urls", dataset / "robots_files", "--agent", "GPTBot", "-q", "-o", made / "matches.parquet"], check=True)
        paths = [path for root in (dataset, made / "history") for path in sorted(root.iterdir()) if path.is_dir() and not path.name.startswith("_")]
        described = {str(path): table_of(path) for path in [*paths, made / "matches.parquet"]}
        asked = json.dumps({path: table for path, (table, _) in described.items()})

        def read(reader, python):
            command = [python, ROOT / "tests" / "python" / "read_tables.py", reader[0]]
            done = subprocess.run(command, input=asked, capture_output=True, text=True)
            return json.loads(done.stdout) if done.returncode == 0 else {path: {"error": done.stderr[-300:]} for path in described}

        passed = failed = 0
        with ThreadPoolExecutor(2) as readers:
            for (name, version), python, found in zip(wanted, pythons, readers.map(read, wanted, pythons), strict=True):
                different = open_views(python, (dataset, made / "history")) if name == "duckdb" else []
                different += [f"{path}: {what}" for path, (_, expected) in described.items() for what in compare(path, expected, found[path])]
                passed, failed = passed + (not different), failed + bool(different)
                print(f"{'FAILED' if different else '      '} {NAMES[name]} {version}: {len(described)} tables", *different[:5], sep="\n    ")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
