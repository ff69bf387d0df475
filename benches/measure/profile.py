"""Counts the instructions of the whole job by its stages, with valgrind's callgrind.

Instruction counts do not depend on the load of the machine: two counts of one program differ by less
than a tenth of a percent, so that a change can be judged on a busy machine. `make profile` calls this.

usage: profile.py PROGRAM ARCHIVE…
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The functions that compute verdicts, fingerprints and leniency impacts.
VERDICTS = r"Evaluation>?::(verdicts|fingerprint|leniency_impacts)$|evaluator::Evaluator::evaluate$"

# The cost of a stage is that of its functions, without the cost of other functions that they call.
STAGES = [
    ("decompression", "libdeflate_gzip_decompress_ex$", []),
    ("reading records", "warc::reader::Reader::read_record$", ["libdeflate_gzip_decompress_ex$"]),
    ("HTTP, URL, headers", "capture::Capture::read$", []),
    ("parsing robots.txt", "parse::Parser::parse_with$", []),
    ("verdicts, fingerprints", VERDICTS, []),
    (
        "sitemaps, anomalies, cache of bodies",
        "analyzer::Analyzer::analyze$",
        ["parse::Parser::parse_with$", VERDICTS],
    ),
    ("rows", r"RecordRows>::push$", []),
    ("encoding pages", "columns::column_writer::ColumnWriter::(write_page|close)$", ["ZSTD_compress2$"]),
    ("compressing pages", "ZSTD_compress2$", []),
]


def costs(path):
    """Returns the cost of each function with all that it calls, from a file of callgrind."""
    of = collections.Counter()
    function, called, is_call = None, None, False
    for line in path.open():
        if line.startswith("fn="):
            function = line[3:].strip()
        elif line.startswith("cfn="):
            called = line[4:].strip()
        elif line.startswith("calls="):
            is_call = True
        elif line[0] in "0123456789+-*":
            cost = int(line.split()[1])
            # A call counts for the called function, once, unless it calls itself.
            if is_call and called != function:
                of[called] += cost
            is_call = False
        elif line.startswith("summary:"):
            of["total"] = int(line.split()[1])
    return of


def main():
    program, archives = sys.argv[1], sys.argv[2:]
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed: apt-get install valgrind")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "callgrind.out")
        command = ["valgrind", "--tool=callgrind", "--compress-strings=no", f"--callgrind-out-file={out}"]
        command += [program, *archives, "-o", str(pathlib.Path(folder, "dataset")), "--threads", "1"]
        # Resolving hosts comes after the tables of captures, and has a goal of its own.
        command.append("--shard=1/1")
        ran = subprocess.run(command, capture_output=True, text=True)
        # 1: parts of archives could not be read, as it may be in a corpus.
        if ran.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}\nended with {ran.returncode}:\n{ran.stderr[-2000:]}")
        of = costs(out)
    total = of["total"]

    def sum_of(pattern):
        return sum(cost for name, cost in of.items() if re.search(pattern, re.sub(r"'\d+$", "", name)))

    size = sum(pathlib.Path(path).stat().st_size for path in archives)
    decompression = sum_of(STAGES[0][1])
    print(f"{len(archives)} archives, {size / 1e6:.1f} MB; millions of instructions, one thread\n")
    print(f"{'':<40}{'M':>9}{'share %':>9}{'decompression = 1':>19}")
    rest = total
    for name, pattern, without in STAGES:
        cost = sum_of(pattern) - sum(sum_of(other) for other in without)
        if sum_of(pattern) == 0:
            sys.exit(f"no function is called like {pattern}: it was renamed or inlined, and {sys.argv[0]} must follow")
        rest -= cost
        print(f"{name:<40}{cost / 1e6:>9.1f}{100 * cost / total:>9.1f}{cost / decompression:>19.2f}")
    print(f"{'everything else':<40}{rest / 1e6:>9.1f}{100 * rest / total:>9.1f}{rest / decompression:>19.2f}")
    print(f"{'the whole job':<40}{total / 1e6:>9.1f}{100:>9.1f}{total / decompression:>19.2f}")


main()
