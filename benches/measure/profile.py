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

# A stage is what the first function takes, without what the others take, which are called by it.
STAGES = [
    ("inflating", "libdeflate_gzip_decompress_ex$", []),
    ("reading records", "warc::reader::Reader::read_record$", ["libdeflate_gzip_decompress_ex$"]),
    ("HTTP, URL, headers", "capture::Capture::read$", []),
    ("parsing robots.txt", "parse::Parser::parse_with$", []),
    ("verdicts, rulesets", "judge::Case::verdicts$|Case>?::ruleset$|judge::Case::changes$|judge::Judge::open$", []),
    (
        "sitemaps, anomalies, memory of bodies",
        "facts::Examiner::examine$",
        ["parse::Parser::parse_with$", "judge::Case::verdicts$|Case>?::ruleset$|judge::Case::changes$|judge::Judge::open$"],
    ),
    ("rows", "tables::Tables::push$", []),
    ("encoding pages", "chunk::ChunkEncoder::write_page$|chunk::ChunkEncoder::close$", ["ZSTD_compress2$"]),
    ("compressing pages", "ZSTD_compress2$", []),
]


def costs(path):
    """What each function costs with all that it calls, from a file of callgrind."""
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
            # A call counts for who is called, once, unless it calls itself.
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
        ran = subprocess.run(command, capture_output=True, text=True)
        # 1: parts of archives could not be read, as it may be in a corpus.
        if ran.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}\nended with {ran.returncode}:\n{ran.stderr[-2000:]}")
        of = costs(out)
    total = of["total"]

    def sum_of(pattern):
        return sum(cost for name, cost in of.items() if re.search(pattern, re.sub(r"'\d+$", "", name)))

    size = sum(pathlib.Path(path).stat().st_size for path in archives)
    inflating = sum_of(STAGES[0][1])
    print(f"{len(archives)} archives, {size / 1e6:.1f} MB; millions of instructions, one thread\n")
    print(f"{'':<40}{'M':>9}{'share %':>9}{'inflating = 1':>15}")
    rest = total
    for name, pattern, without in STAGES:
        cost = sum_of(pattern) - sum(sum_of(other) for other in without)
        if sum_of(pattern) == 0:
            sys.exit(f"no function is called like {pattern}: it was renamed or inlined, and {sys.argv[0]} must follow")
        rest -= cost
        print(f"{name:<40}{cost / 1e6:>9.1f}{100 * cost / total:>9.1f}{cost / inflating:>15.2f}")
    print(f"{'all else':<40}{rest / 1e6:>9.1f}{100 * rest / total:>9.1f}{rest / inflating:>15.2f}")
    print(f"{'the whole job':<40}{total / 1e6:>9.1f}{100:>9.1f}{total / inflating:>15.2f}")


main()
