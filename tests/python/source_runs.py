"""Runs the commands that write datasets from records and bodies, and compares the rows of datasets without their keys."""

import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb

import test_runner
from dataset import opened

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data-samples" / "warc"
REAL = ROOT.parent / "shared" / "data" / "real"
# The real archives that are read without --campaign.
REAL_ARCHIVES = "REAL-GOV*.warc.gz"
TIMEOUT_SECONDS = 120
ADDRESS_SPACE_BYTES = 4 << 30
NOT_COMPARED = {"_manifest.jsonl", "_SUCCESS", "_log.jsonl", "views.sql"}
# The tables whose rows belong to captures, and those whose rows belong to hosts.
CAPTURE_TABLES = ("robots_files", "groups", "rules", "verdicts", "sitemaps", "directives", "anomalies", "file_preferences", "preferences")
HOST_TABLES = ("hosts", "host_verdicts", "host_preferences")
TABLES = CAPTURE_TABLES + HOST_TABLES
ADDRESS = ("warc_filename", "warc_record_offset", "warc_record_in_member")

# Runs a program, and writes its largest resident memory in KiB and the seconds that it computed to a file. The memory of a process begins
# with that of the process that started it, so this is a small one.
MEASURE = """
import os, sys
child = os.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
open(sys.argv[1], "w").write(f"{usage.ru_maxrss} {usage.ru_utime + usage.ru_stime}")
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
"""


class Ran:
    """A command that has ended: its exit code, outputs, seconds and, if it was measured, the most bytes of its memory and its CPU time."""

    def __init__(self, code, stdout, stderr, seconds, memory_bytes=0, cpu_seconds=0.0):
        self.code, self.stdout, self.stderr, self.seconds = code, stdout, stderr, seconds
        self.memory_bytes, self.cpu_seconds = memory_bytes, cpu_seconds


def run(program, *arguments, stdin=None, env=None, is_measured=False, timeout=TIMEOUT_SECONDS):
    """Runs the program. An exit by a signal or a panic fails. Measuring takes another process; without it, address space is limited."""
    command = [str(program), *map(str, arguments)]
    shown = " ".join(command[1:])[:300]
    with tempfile.NamedTemporaryFile() as used:
        measured = [sys.executable, "-I", "-S", "-c", MEASURE, used.name, *command]
        began = time.monotonic()
        process = subprocess.Popen(measured if is_measured else command, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, **(env or {})}, start_new_session=True)
        if hasattr(resource, "prlimit"):
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            # Also the program that a process measures.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise AssertionError(f"{shown}: not ended after {timeout} s") from None
        seconds = time.monotonic() - began
        memory_kib, cpu_seconds = (used.read() or b"0 0").split()
    stdout, stderr, code = stdout.decode(errors="replace"), stderr.decode(errors="replace"), process.returncode
    first_line = stderr[stderr.find("panicked"):][:300] if "panicked" in stderr else stderr[-1000:]
    assert 0 <= code < 100 and "panicked" not in stderr, f"{shown}: exit code {code}: {first_line}"
    return Ran(code, stdout, stderr, seconds, int(memory_kib) * 1024, float(cpu_seconds))


def is_large(path):
    """True if a file may take much memory, which is measured."""
    return path.is_file() and path.stat().st_size > 100_000


def run_to(code, program, *arguments, **options):
    """Runs the program, which must end with this exit code."""
    ran = run(program, *arguments, **options)
    shown = " ".join(map(str, arguments))[:300]
    assert ran.code == code, f"{shown}: exit code {ran.code}, not {code}: {ran.stdout[-500:]}{ran.stderr[-1500:]}"
    return ran


def kill_when(is_reached, command, *, seconds=60):
    """Runs a command, and kills it when a condition is met, unless it has ended."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + seconds
    while process.poll() is None and not is_reached() and time.monotonic() < end:
        time.sleep(0.001)
    process.kill()
    process.wait()


def cpu_seconds(pid):
    """The time that a process and its threads have computed."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def events_of(dataset):
    """The number of events in the log of a run: its begin, and each part that is finished, then the steps at its end."""
    log = Path(dataset) / "_log.jsonl"
    return log.read_text(encoding="utf-8").count("\n") if log.exists() else 0


def check_all(check, cases, threads=4):
    """Checks all cases, several at a time, and fails with the failures of all. Returns the results."""

    def tried(case):
        try:
            return None, check(*case)
        except AssertionError as error:
            return f"{case[0]}: {error}", None

    with ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(tried, cases))
    failed = [error for error, _ in done if error]
    assert not failed, f"{len(failed)} of {len(done)} cases:\n" + "\n".join(failed)
    return [result for _, result in done]


# Rows.


def files_of(dataset, table):
    return [str(path) for path in sorted((Path(dataset) / table).rglob("*.parquet"))]


def columns_of(connection, dataset, table):
    files = files_of(dataset, table)
    cursor = connection.execute("SELECT * FROM read_parquet(?, hive_partitioning = true, hive_types_autocast = false) LIMIT 0", [files])
    return [column[0] for column in cursor.description]


def scanned(dataset, table):
    """The relation of the rows of a table, with their place as `_place`."""
    files = ", ".join("'" + file.replace("'", "''") + "'" for file in files_of(dataset, table))
    source = f"read_parquet([{files}], hive_partitioning = true, hive_types_autocast = false, filename = true, file_row_number = true)"
    columns = "filename, file_row_number"
    return f"(SELECT * EXCLUDE ({columns}), row_number() OVER (ORDER BY {columns}) AS _place FROM {source})"


def select_rows(connection, dataset, table, address, left_out=()):
    """A query for the rows of a table in their order. Keys are replaced by the columns `address` of the capture, or of the host."""
    names = [name for name in columns_of(connection, dataset, table) if not name.endswith("_id") or name in ("ruleset_id", "warc_record_id")]
    names = [name for name in names if name not in left_out]
    captures = scanned(dataset, "robots_files")
    if table == "robots_files":
        return f"SELECT _place, {', '.join(f't.{name}' for name in names)} FROM {scanned(dataset, table)} t"
    if table == "hosts":
        keys = ", ".join(f"a.{name} AS own_{name}, r.{name} AS rules_{name}" for name in address)
        return (f"SELECT t._place, {keys}, {', '.join(f't.{name}' for name in names)} FROM {scanned(dataset, table)} t "
                f"LEFT JOIN {captures} a ON a.crawl = t.crawl AND a.robots_id = t.authoritative_robots_id "
                f"LEFT JOIN {captures} r ON r.crawl = t.crawl AND r.robots_id = t.rules_robots_id")
    if table in HOST_TABLES:
        keys = ", ".join(f"h.{name} AS host_{name}" for name in ("url_host_name", "url_protocol", "url_port"))
        return (f"SELECT t._place, {keys}, {', '.join(f't.{name}' for name in names)} FROM {scanned(dataset, table)} t "
                f"LEFT JOIN {scanned(dataset, 'hosts')} h ON h.crawl = t.crawl AND h.host_id = t.host_id")
    keys = ", ".join(f"f.{name} AS of_{name}" for name in address)
    return (f"SELECT t._place, {keys}, {', '.join(f't.{name}' for name in names)} FROM {scanned(dataset, table)} t "
            f"LEFT JOIN {captures} f ON f.crawl = t.crawl AND f.robots_id = t.robots_id")


def compare_rows(found, expected, tables=TABLES, address=ADDRESS, left_out=(), where="true", found_where="true", is_ordered=True):
    """Compares the rows of two datasets, and returns their number. `where` selects rows of the expected dataset, `found_where` of the other."""
    # Tests run at the same time.
    connection, total = duckdb.connect(config={"threads": 1}), 0
    for table in tables:
        if not files_of(expected, table) and not files_of(found, table):
            continue
        counted = []
        for name, dataset, picked in ("found", found, found_where), ("expected", expected, where):
            rows = select_rows(connection, dataset, table, address, left_out)
            place = "row_number() OVER (ORDER BY _place) AS _place" if is_ordered else "0 AS _place"
            connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * REPLACE ({place}) FROM ({rows}) WHERE {picked}")
            counted.append(connection.execute(f"SELECT count(*), sum(hash(t)) FROM {name} t").fetchone())
        total += counted[1][0]
        if counted[0] != counted[1]:
            raise AssertionError(describe_difference(connection, table, counted))
    return total


def describe_difference(connection, table, counted):
    """The first row that only one of the views `found` and `expected` has."""
    counts = f"{table}: {counted[0][0]} rows, and {counted[1][0]} expected"
    for one, other in ("found", "expected"), ("expected", "found"):
        cursor = connection.execute(f"SELECT * FROM (SELECT * FROM {one} EXCEPT ALL SELECT * FROM {other}) ORDER BY _place LIMIT 1")
        row, names = cursor.fetchone(), [column[0] for column in cursor.description]
        if row is not None:
            return f"{counts}; only {one}: {describe_row(connection, names, row, other)}"[:1500]
    return counts


def describe_row(connection, names, row, other):
    """A row with the columns in which the row at its place of the other dataset differs."""
    twin = connection.execute(f"SELECT * FROM {other} WHERE _place = ?", [row[0]]).fetchone()
    if twin is None or names[0] != "_place":
        return str(dict(zip(names, row)))
    differing = {name: (a, b) for name, a, b in zip(names, row, twin) if a != b}
    return f"{row[:5]}: {differing}"


def assert_same_bytes(found, expected, left_out=()):
    """Compares the files of two datasets, except those that have times or paths, and some tables."""

    def files(dataset):
        paths = (path for path in Path(dataset).rglob("*") if path.is_file() and path.name not in NOT_COMPARED)
        paths = (path for path in paths if path.relative_to(dataset).parts[0] not in left_out)
        return {str(path.relative_to(dataset)): path.read_bytes() for path in paths}

    found, expected = files(found), files(expected)
    assert found.keys() == expected.keys(), sorted(found.keys() ^ expected.keys())[:5]
    differing = [name for name in found if found[name] != expected[name]]
    assert not differing, f"{len(differing)} of {len(found)} files differ: {differing[:3]}"


def check_resumed(program, resumed, whole):
    """Checks that the rows and keys of a resumed run are those of an unbroken one. Returns the difference of their bytes, if there is one."""
    compare_rows(resumed, whole, ("robots_files", "rules", "verdicts", "hosts", "host_verdicts"))
    keys = [query(dataset, "robots_files", "crawl, robots_id, url", "ORDER BY _place") for dataset in (resumed, whole)]
    assert keys[0] == keys[1], "other keys"
    run_to(0, program, "verify", resumed, "-q")
    try:
        assert_same_bytes(resumed, whole)
    except AssertionError as error:
        return f"{resumed.name}: {error}"
    return None


def query(dataset, table, columns, suffix=""):
    """The rows of some columns of a table."""
    if not files_of(dataset, table):
        return []
    try:
        return duckdb.connect().execute(f"SELECT {columns} FROM {scanned(dataset, table)} {suffix}").fetchall()
    except duckdb.Error as error:
        raise AssertionError(f"{table}: DuckDB cannot read it: {error}") from error


def faults_of(dataset):
    columns = "warc_filename, warc_record_offset, bytes_skipped, code, detail, crawl, subset"
    return query(dataset, "faults", columns, "ORDER BY _place")


def captures_of(dataset, where="warc_record_length IS NOT NULL"):
    """The addresses, crawls and subsets of captures, as the rows of a list."""
    columns = "warc_filename, warc_record_offset, warc_record_length, crawl, subset"
    return query(dataset, "robots_files", columns, f"WHERE {where} ORDER BY _place")


def shuffled(rows, seed=1):
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    return rows


# Commands.


def check_commands(program, months, base):
    """Runs all commands that read datasets on those in a folder, of which each has one crawl."""
    first, *others = sorted(path for path in months.iterdir() if path.is_dir())
    host, url = query(first, "robots_files", "url_host_name, url", "WHERE is_robots_path AND fetch_status = 200 ORDER BY 1")[0]
    out = months.parent / f"{months.name}-out"
    out.mkdir()
    pages = [url.rsplit("/", 1)[0] for url, in query(first, "robots_files", "url", "WHERE url_host_name IS NOT NULL")]
    (out / "urls.txt").write_text("".join(f"{page}/a/page\n" for page in pages))

    def check_dataset(dataset, name):
        run_to(0, program, "verify", dataset, "-q")
        run_to(0, program, "views", dataset)
        assert host in run_to(0, program, "check", dataset, "--host", host, "--agent", "GPTBot", "--url", url).stdout
        run_to(0, program, "check", dataset, "--host", host, "--base", base)
        run_to(0, program, "match", dataset, "--urls", out / "urls.txt", "--agent", "GPTBot,Googlebot", "-q", "-o", out / f"{name}-matches.parquet")
        with opened(dataset) as connection:
            for question in "share_of_hosts_blocking", "most_blocked_agents", "access_in_three":
                connection.execute(f"FROM {question}()").fetchall()
            return connection.execute("SELECT count(*) FROM robots_files").fetchone()[0]

    captures = check_dataset(first, "one")
    run_to(0, program, "history", first, *others, "-q", "-o", out / "history")
    run_to(0, program, "verify", out / "history", "-q")
    run_to(0, program, "check", out / "history", "--host", host, "--agent", "GPTBot")
    run_to(0, program, "match", out / "history", "--urls", out / "urls.txt", "--agent", "GPTBot", "-q", "-o", out / "history-matches.parquet")
    run_to(0, program, "join", months, "-q")
    assert others and check_dataset(months, "joined") > captures > 0


def run_tests(about, tests, campaign):
    """Runs the tests of a program that its only argument names, or with --campaign the longer ones. `about` describes them."""
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--campaign", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chosen = (campaign if args.campaign else tests)(args.program.resolve(), Path(folder))
        sys.exit(test_runner.run(chosen) > 0)
