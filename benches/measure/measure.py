"""Measures the whole job and its parts beside lower bounds and other programs, and prints ratios.

All programs run in turn, several times, and the medians of CPU time (user and system, of the whole
process) are printed: on a shared machine wall time varies, and only figures of one run may be
compared. Each corpus is measured and reported separately, in the given order; the name of its folder
selects the goals. `make bench` calls this.

usage: measure.py PROGRAM XTASK SCRATCH CORPUS… [--rounds N]
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

# Goals of docs/developers/performance.md, by corpus.
GOALS = {
    "ordinary-bodies": {
        "whole job / inflating": "at most 2.62",
        "hosts / inflating": "at most 0.35",
    },
    "crawl": {
        "whole job / inflating": "at most 2.2",
        "two tables / inflating": "at most 1.85",
        "hosts / inflating": "at most 0.35",
        "bytes of hosts / bytes read": "at most 0.03",
        "Python with regex / whole job": "at least 3.1",
        "Python with protego / whole job": "at least 5.5",
        "bytes written / bytes read": "at most 0.12",
        "wall, one thread / all threads": "at least 1.85",
    },
    "real-bodies": {
        "whole job / inflating": "at most 2.8",
        "two tables / inflating": "at most 2.1",
        "hosts / inflating": "at most 0.35",
        "bytes written / bytes read": "at most 0.132",
        "wall, one thread / all threads": "at least 1.85",
    },
    "stress": {
        "whole job / inflating": "at most 3.5",
        "parsing, MB of bodies a second": "1,200",
    },
}

# Counts lines of robots.txt files in the output of `gzip -dc`.
GREP = r"^[[:space:]]*(user-agent|allow|disallow|sitemap|crawl-delay)[[:space:]]*:"


class Run:
    """The resources that a command used."""

    def __init__(self, command, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        log = folder / "log"
        start = time.monotonic()
        with log.open("wb") as stream:
            process = subprocess.Popen(command, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - start
        self.printed = log.read_text()
        if process.returncode != 0:
            start = " ".join(map(str, command[:4]))
            sys.exit(f"{start} … ended with {process.returncode}:\n{self.printed[-2000:]}")
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024
        self.written = sum(path.stat().st_size for path in folder.rglob("*.parquet"))


def measure(args, corpus):
    archives = sorted(map(str, corpus.glob("*.warc.gz")))
    if not archives:
        sys.exit(f"there are no archives in '{corpus}'")
    threads = os.cpu_count()
    job = lambda folder, *more: [args.program, *archives, "-o", folder / "out", *more]
    # Resolving hosts comes after the tables of captures, and has a goal of its own.
    captures = lambda folder, *more: job(folder, "--shard=1/1", *more)
    floor = lambda part: lambda folder: [args.floors, part, *archives]
    baseline = pathlib.Path(__file__).with_name("baseline.py")
    python = lambda kind: lambda folder: [sys.executable, baseline, kind, folder, *archives]
    commands = {
        "inflate": floor("inflate"),
        "job, one thread": lambda folder: captures(folder, "--threads", "1"),
        f"job, {threads} threads": lambda folder: captures(folder, "--threads", str(threads)),
        "job with hosts": lambda folder: job(folder, "--threads", "1"),
        "two tables": lambda folder: job(folder, "--threads", "1", "--tables", "robots_files,rules"),
        "read": floor("read"),
        "read, fastwarc": floor("read-fastwarc"),
        "parse": floor("parse"),
        "parse, fast-robots": floor("parse-fast-robots"),
        "gzip, grep": lambda folder: ["sh", "-c", 'pattern=$1; shift; gzip -dc "$@" | grep -aciE "$pattern"', "sh", GREP, *archives],
        "python, regex": python("regex"),
        "python, protego": python("protego"),
        "python, robotparser": python("robotparser"),
    }
    runs = {name: [] for name in commands}
    for round in range(args.rounds):
        for name, command in commands.items():
            print(f"\r\033[K{corpus.name}, round {round + 1} of {args.rounds}: {name}", end="", file=sys.stderr, flush=True)
            # Two rounds are precise enough for the slow programs.
            if name.startswith("python") and round > 1:
                continue
            runs[name].append(Run(command(args.scratch), args.scratch))
    print("\r\033[K", end="", file=sys.stderr)
    shutil.rmtree(args.scratch, ignore_errors=True)
    return archives, runs


def cpu(name, runs):
    """Returns the seconds of CPU; for parts that load their input first, the seconds that they print."""
    stated = [float(run.printed.split()[0]) for run in runs if name.startswith(("inflate", "read", "parse"))]
    return statistics.median(stated or [run.cpu for run in runs])


def report(corpus, archives, runs):
    size = sum(os.path.getsize(path) for path in archives)
    took = {name: cpu(name, of_name) for name, of_name in runs.items()}
    spread = {
        name: (max(run.cpu for run in of_name) - min(run.cpu for run in of_name)) / 2 / statistics.median(run.cpu for run in of_name)
        for name, of_name in runs.items()
    }
    inflate = took["inflate"]
    rounds = max(map(len, runs.values()))
    print(f"{corpus.name}: {len(archives)} archives, {size / 1e6:.1f} MB; medians of {rounds} rounds; CPU of inflating = 1\n")
    print(f"{'':<22}{'CPU s':>9}{'ratio':>9}{'± %':>7}{'wall s':>9}{'MB/s in':>9}{'memory MB':>11}")
    for name, of_name in runs.items():
        wall = statistics.median(run.wall for run in of_name)
        memory = max(run.memory for run in of_name) / 1e6
        print(
            f"{name:<22}{took[name]:>9.3f}{took[name] / inflate:>9.2f}{100 * spread[name]:>7.1f}{wall:>9.2f}"
            f"{size / 1e6 / took[name]:>9.1f}{memory:>11.0f}"
        )
    body_bytes = int(runs["parse"][0].printed.split()[1])
    inflated_bytes = int(runs["inflate"][0].printed.split()[1])
    job = took["job, one thread"]
    many = next(name for name in runs if name.startswith("job") and name.endswith("threads"))
    wall = lambda name: statistics.median(run.wall for run in runs[name])
    ratios = {
        "whole job / inflating": job / inflate,
        "two tables / inflating": took["two tables"] / inflate,
        "hosts / inflating": (took["job with hosts"] - job) / inflate,
        "bytes written / bytes read": runs["job, one thread"][0].written / size,
        "bytes of hosts / bytes read": (runs["job with hosts"][0].written - runs["job, one thread"][0].written) / size,
        "the same, two tables": runs["two tables"][0].written / size,
        "gzip and grep / whole job": took["gzip, grep"] / job,
        "Python with regex / whole job": took["python, regex"] / job,
        "Python with protego / whole job": took["python, protego"] / job,
        "Python with robotparser / whole job": took["python, robotparser"] / job,
        "wall, one thread / all threads": wall("job, one thread") / wall(many),
        "CPU, all threads / one thread": took[many] / job,
        "fastwarc / robots-scan, reading": took["read, fastwarc"] / took["read"],
        "fast-robots / robots-scan, parsing": took["parse, fast-robots"] / took["parse"],
        "parsing, MB of bodies a second": body_bytes / 1e6 / took["parse"],
        "bytes inflated / bytes read": inflated_bytes / size,
        "MB of bodies parsed": body_bytes / 1e6,
    }
    print()
    for name, value in ratios.items():
        goal = GOALS.get(corpus.name, {}).get(name)
        print(f"{name:<36}{value:>9.2f}" + (f"   goal: {goal}" if goal else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("floors", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("corpora", type=pathlib.Path, nargs="+", metavar="corpus")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    for nth, corpus in enumerate(args.corpora):
        if nth > 0:
            print()
        report(corpus, *measure(args, corpus))


main()
