"""Measures the whole job and its parts beside lower bounds and other programs, and prints ratios.

All programs are run in turn, several times, and the medians of CPU time (user and system, of the
whole process) are printed: on a shared machine wall time varies, and only figures of one run may be
compared. `make bench` calls this.

usage: measure.py PROGRAM XTASK CORPUS SCRATCH [--rounds N]
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time


class Run:
    """What a command took."""

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
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command[:4]))} … ended with {process.returncode}:\n{log.read_text()[-2000:]}")
        self.said = log.read_text()
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024


def measure(args):
    archives = sorted(map(str, args.corpus.glob("*.warc.gz")))
    threads = os.cpu_count()
    job = lambda folder, *more: [args.program, *archives, "-o", folder / "out", *more]
    floor = lambda what: lambda folder: [args.xtask, "bench-floors", what, *archives]
    python = lambda what: lambda folder: [sys.executable, pathlib.Path(__file__).with_name("baseline.py"), what, folder, *archives]
    commands = {
        "inflate": floor("inflate"),
        "job, one thread": lambda folder: job(folder, "--threads", "1"),
        f"job, {threads} threads": lambda folder: job(folder, "--threads", str(threads)),
        "two tables": lambda folder: job(folder, "--threads", "1", "--tables", "robots_files,rules"),
        "read": floor("read"),
        "read, fastwarc": floor("read-fastwarc"),
        "parse": floor("parse"),
        "parse, fast-robots": floor("parse-fast-robots"),
        "python, regex": python("regex"),
        "python, protego": python("protego"),
    }
    runs = {name: [] for name in commands}
    for round in range(args.rounds):
        for name, command in commands.items():
            print(f"\r\033[Kround {round + 1} of {args.rounds}: {name}", end="", file=sys.stderr, flush=True)
            # The slow ones of others need no more precision than that.
            if name.startswith("python") and round > 1:
                continue
            runs[name].append(Run(command(args.scratch), args.scratch))
    print("\r\033[K", end="", file=sys.stderr)
    shutil.rmtree(args.scratch, ignore_errors=True)
    return archives, runs


def cpu(name, runs):
    """Seconds of CPU; of the parts that load their input first, those that they state."""
    stated = [float(run.said.split()[0]) for run in runs if name.startswith(("inflate", "read", "parse"))]
    return statistics.median(stated or [run.cpu for run in runs])


def report(archives, runs):
    size = sum(os.path.getsize(path) for path in archives)
    took = {name: cpu(name, of_name) for name, of_name in runs.items()}
    spread = {
        name: (max(run.cpu for run in of_name) - min(run.cpu for run in of_name)) / 2 / statistics.median(run.cpu for run in of_name)
        for name, of_name in runs.items()
    }
    inflate = took["inflate"]
    print(f"{len(archives)} archives, {size / 1e6:.1f} MB; medians of {max(map(len, runs.values()))} rounds; CPU of inflating = 1\n")
    print(f"{'':<22}{'CPU s':>9}{'ratio':>9}{'± %':>7}{'wall s':>9}{'MB/s in':>9}{'memory MB':>11}")
    for name, of_name in runs.items():
        wall = statistics.median(run.wall for run in of_name)
        memory = max(run.memory for run in of_name) / 1e6
        print(
            f"{name:<22}{took[name]:>9.3f}{took[name] / inflate:>9.2f}{100 * spread[name]:>7.1f}{wall:>9.2f}"
            f"{size / 1e6 / took[name]:>9.1f}{memory:>11.0f}"
        )
    body_bytes = int(runs["parse"][0].said.split()[1])
    job = took["job, one thread"]
    many = next(name for name in runs if name.startswith("job") and name != "job, one thread")
    wall = lambda name: statistics.median(run.wall for run in runs[name])
    print()
    aims = [
        ("whole job / inflating", job / inflate, "at most 2.0"),
        ("two tables / inflating", took["two tables"] / inflate, "at most 1.5"),
        ("Python with regex / whole job", took["python, regex"] / job, "at least 6"),
        ("Python with protego / whole job", took["python, protego"] / job, "at least 12"),
        ("wall, one thread / all threads", wall("job, one thread") / wall(many), "1.95 of 2"),
        ("CPU, all threads / one thread", took[many] / job, ""),
        ("fastwarc / our reading", took["read, fastwarc"] / took["read"], ""),
        ("fast-robots / our parsing", took["parse, fast-robots"] / took["parse"], ""),
        ("parsing, MB of bodies a second", body_bytes / 1e6 / took["parse"], "1,200"),
    ]
    for name, value, aim in aims:
        print(f"{name:<36}{value:>9.2f}   {'aim: ' + aim if aim else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("xtask", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    report(*measure(args))


main()
