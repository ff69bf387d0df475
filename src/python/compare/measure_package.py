"""Measures the package: parsing in threads, and memory and speed of streams.

Usage: measure_package.py ARCHIVE… [--rounds N] [--rows MILLIONS,…]

- Threads: real bodies are parsed by one thread and by two, in alternating rounds. Small bodies are measured alone, because the
  lock of the interpreter limits them most. SHA-256, which needs no lock, shows what a second thread is worth on this machine.
- Streams: the archives are read again and again under other names, until the table `rules` has as many rows as wanted, and
  DuckDB aggregates the rows. A process per measurement, so that its peak of memory is that of the measurement.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import corpus

import robots_scan

SMALL = 2_000
"""The most bytes of a small body."""

BLOCK = bytes(1 << 20)

# Prints seconds, rows, batches and the peak of memory in kilobytes.
READ = """
import json, resource, sys, time
import robots_scan
consumer, *archives = sys.argv[1:]
stream = robots_scan.read(archives, "rules", crawl="X", subset="robotstxt")
began, cpu = time.perf_counter(), time.process_time()
if consumer == "duckdb":
    import duckdb
    connection = duckdb.connect()
    connection.sql("SET enable_progress_bar = false")
    rows = connection.sql("SELECT count(*), count(DISTINCT path), sum(length(path)), count(*) FILTER (allow) FROM stream").fetchall()[0][0]
else:
    import pyarrow
    rows = sum(batch.num_rows for batch in pyarrow.RecordBatchReader.from_stream(stream))
seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"rows": rows, "seconds": seconds, "cpu": cpu, "memory": memory}))
"""


def digest_all(bodies: list[bytes]) -> None:
    """Work without the lock of the interpreter, to see what two threads are worth on this machine now."""
    for _ in bodies:
        hashlib.sha256(BLOCK).digest()


def parse_all(bodies: list[bytes]) -> None:
    parse = robots_scan.parse
    for body in bodies:
        parse(body)


def ask_all(bodies: list[bytes]) -> None:
    for body in bodies:
        robots = robots_scan.parse(body)
        for agent in ("Googlebot", "GPTBot", "CCBot"):
            robots.verdict(agent)


def threads(archives: list[Path], rounds: int) -> None:
    bodies = list({capture.body for archive in archives for capture in corpus.captures(archive)})
    # Both threads get bodies of all sizes, in the same order in each run.
    bodies.sort(key=lambda body: hashlib.sha256(body).digest())
    groups = {
        f"bodies over {SMALL:,} bytes": [body for body in bodies if len(body) > SMALL],
        "smaller bodies": [body for body in bodies if len(body) <= SMALL],
        "all bodies": bodies,
    }
    jobs = [("SHA-256, for comparison", digest_all, [b""] * 100, 1)]
    for work, function, factor in (("parse", parse_all, 4), ("parse, 3 verdicts", ask_all, 1)):
        for name, group in groups.items():
            # A measurement takes at least some tenths of a second.
            jobs.append((f"{work}: {name}", function, group, max(1, factor * 60_000_000 // sum(map(len, group)))))
    print("the fastest rounds; 'faster' is their ratio, and the median of all ratios\n")
    print(f"{'threads':<42}{'bodies':>9}{'1: s':>8}{'2: s':>8}{'faster':>13}")
    with ThreadPoolExecutor(2) as pool:
        seconds = defaultdict(list)
        for _ in range(rounds):
            for work, function, group, times in jobs:
                for count in (1, 2):
                    shares = [(group * times)[number::count] for number in range(count)]
                    began = time.perf_counter()
                    list(pool.map(function, shares))
                    seconds[work, count].append(time.perf_counter() - began)
    for work, _, group, times in jobs:
        one, two = seconds[work, 1], seconds[work, 2]
        ratio = statistics.median(a / b for a, b in zip(one, two))
        print(f"{work:<42}{len(group) * times:>9,}{min(one):>8.3f}{min(two):>8.3f}{min(one) / min(two):>7.2f}{ratio:>6.2f}")


def read(consumer: str, archives: list[Path]) -> dict[str, float]:
    command = [sys.executable, "-c", READ, consumer, *map(str, archives)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def streams(archives: list[Path], millions: list[float], rounds: int) -> None:
    rows_of_all = read("pyarrow", archives)["rows"]
    print(f"{'streams of rules':<18}{'archives':>9}{'rows':>13}{'seconds':>9}{'CPU s':>8}{'rows/s':>13}{'peak MB':>9}")
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for wanted in millions:
            copies = -(-int(wanted * 1e6) // int(rows_of_all))
            named = [Path(folder) / f"{copy:03}-{archive.name}" for copy in range(copies) for archive in archives]
            for number, path in enumerate(named):
                if not path.exists():
                    path.symlink_to(archives[number % len(archives)].resolve())
            for consumer in ("pyarrow", "duckdb"):
                runs = [read(consumer, named) for _ in range(rounds)]
                rows, memory = runs[0]["rows"], max(run["memory"] for run in runs)
                seconds = statistics.median(run["seconds"] for run in runs)
                cpu = statistics.median(run["cpu"] for run in runs)
                print(f"{consumer:<18}{len(named):>9,}{rows:>13,}{seconds:>9.2f}{cpu:>8.2f}{rows / seconds:>13,.0f}{memory / 1e3:>9.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", type=Path, nargs="+", metavar="archive")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rows", type=lambda text: [float(part) for part in text.split(",")], default=[2.0, 10.0, 20.0])
    args = parser.parse_args()
    print(f"{os.cpu_count()} cores, {args.rounds} rounds")
    threads(args.archives, args.rounds)
    print()
    streams(args.archives, args.rows, max(1, args.rounds // 5))


if __name__ == "__main__":
    main()
