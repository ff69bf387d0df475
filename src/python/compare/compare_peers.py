"""Compares the answers and the speed of robots-scan, Protego and urllib.robotparser on real robots.txt files.

Usage: compare_peers.py ARCHIVE… [--every N] [--rounds N]

Every distinct body of a successful response is asked about with agents and URLs of questions.py: access by the default
rules and by the dialect `google`, `Crawl-delay` and sitemaps. causes.py finds the causes of different answers, of at most
three questions per body and peer, at equal distances. Speeds are measured in alternating rounds in this process; only
their ratios may be compared between runs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import causes
import corpus
from questions import CHOICES, PEERS, ProtegoPeer, Question, Reference, RobotparserPeer, peer, questions, spread

MOST_CAUSES = 3
"""The most questions of a body whose causes are found, per peer."""

MOST_EXAMPLES = 3

COLUMNS = 80

# Questions of each kind are compared with these rules.
COMPARISONS = [("access", "default"), ("access", "google"), ("delay", "default"), ("sitemaps", "default")]


class Example(NamedTuple):
    size: int
    capture: str
    question: Question
    body: bytes


@dataclass
class Comparison:
    """The differences of one peer, in answers of one kind."""

    asked: int = 0
    different: int = 0
    allowed_more: int = 0
    bodies: int = 0
    different_bodies: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    bodies_by_cause: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=lambda: defaultdict(list))

    def add(self, other: Comparison) -> None:
        for name in ("asked", "different", "allowed_more", "bodies", "different_bodies"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.causes += other.causes
        self.bodies_by_cause += other.bodies_by_cause
        for cause, examples in other.examples.items():
            # The shortest examples are kept, of different captures.
            self.examples[cause] = sorted(self.examples[cause] + examples, key=lambda example: example[:2])[:MOST_EXAMPLES]


Comparisons = dict[tuple[str, str, str], Comparison]


def compare(job: tuple[corpus.Capture, bytes]) -> Comparisons:
    """Compare the answers for one body."""
    capture, other = job
    references = {choice: Reference(capture.body, choice) for choice in CHOICES}
    asked = list(questions(capture.url, capture.body, other))
    lines = causes.lines_of(capture.body)
    result: Comparisons = {}
    for name in PEERS:
        answer = peer(name, capture.body)
        answers = {question: answer(question) for question in asked}
        for kind, choice in COMPARISONS:
            of_kind = [question for question in asked if question.kind == kind]
            expected = {question: references[choice].answer(question) for question in of_kind}
            different = [question for question in of_kind if answers[question] != expected[question]]
            found = result[name, kind, choice] = Comparison(len(of_kind), len(different), bodies=1, different_bodies=bool(different))
            found.allowed_more = sum(answers[question] is True for question in different)
            for question in spread(different, MOST_CAUSES):
                case = causes.smallest(causes.Case(lines, question, choice), name)
                cause = causes.cause(case, name)
                found.causes[cause] += 1
                place = f"{capture.archive} at {capture.offset}"
                found.examples[cause].append(Example(len(case.body), place, question, case.body))
            found.bodies_by_cause = Counter(dict.fromkeys(found.causes, 1))
            found.examples = {cause: examples[:1] for cause, examples in found.examples.items()}
    return result


def distinct_bodies(archives: list[Path]) -> list[corpus.Capture]:
    """Return the captures of distinct bodies of successful responses."""
    found: dict[bytes, corpus.Capture] = {}
    for archive in archives:
        for capture in corpus.captures(archive):
            if 200 <= capture.status < 300:
                found.setdefault(hashlib.sha1(capture.body).digest(), capture)
    return list(found.values())


def compare_all(captures: list[corpus.Capture]) -> Comparisons:
    total: Comparisons = {(name, *comparison): Comparison() for name in PEERS for comparison in COMPARISONS}
    jobs = [(capture, captures[number - 1].body) for number, capture in enumerate(captures)]
    with ProcessPoolExecutor(os.cpu_count()) as processes:
        for number, result in enumerate(processes.map(compare, jobs, chunksize=16), 1):
            for key, comparison in result.items():
                total[key].add(comparison)
            if number % 100 == 0:
                print(f"\r\033[K{number:,} of {len(jobs):,} bodies", end="", file=sys.stderr, flush=True)
    print("\r\033[K", end="", file=sys.stderr)
    return total


def speeds(captures: list[corpus.Capture], rounds: int) -> Iterator[str]:
    """Measure parses and questions per second, in alternating rounds."""
    files = [(capture.body, list(questions(capture.url, capture.body, b""))) for capture in captures]
    files = [(body, [question for question in asked if question.kind == "access"]) for body, asked in files]
    programs: dict[str, Callable[[bytes], object]] = {
        "robots-scan": lambda body: Reference(body, "default").robots,
        "Protego": lambda body: ProtegoPeer(body).parser,
        "robotparser": lambda body: RobotparserPeer(body).parser,
    }
    count = sum(len(asked) for _, asked in files)
    size = sum(len(body) for body, _ in files)
    parsing, asking = defaultdict(list), defaultdict(list)
    for _ in range(rounds):
        for name, parse in programs.items():
            parse_seconds = ask_seconds = 0.0
            for body, asked in files:
                began = time.perf_counter()
                try:
                    parsed = parse(body)
                except ValueError:
                    continue
                parse_seconds += time.perf_counter() - began
                # The order of the parameters differs.
                pairs = [(question.url, question.agent) if name == "Protego" else (question.agent, question.url) for question in asked]
                can_fetch = parsed.can_fetch  # type: ignore[attr-defined]
                began = time.perf_counter()
                for pair in pairs:
                    try:
                        can_fetch(*pair)
                    except ValueError:
                        pass
                ask_seconds += time.perf_counter() - began
            parsing[name].append(parse_seconds)
            asking[name].append(ask_seconds)
    yield f"{len(files):,} bodies of {size / 1e6:.1f} MB, {count:,} questions; medians of {rounds} rounds"
    yield ""
    yield f"{'':<14}{'parses/s':>10}{'MB/s':>8}{'ratio':>8}{'questions/s':>14}{'ratio':>8}"
    for name in programs:
        ratio = statistics.median(peer / own for peer, own in zip(parsing[name], parsing["robots-scan"]))
        asked_ratio = statistics.median(peer / own for peer, own in zip(asking[name], asking["robots-scan"]))
        seconds, ask_seconds = statistics.median(parsing[name]), statistics.median(asking[name])
        yield (
            f"{name:<14}{len(files) / seconds:>10,.0f}{size / 1e6 / seconds:>8.1f}{ratio:>8.1f}"
            f"{count / ask_seconds:>14,.0f}{asked_ratio:>8.1f}"
        )


TITLES = {
    "access": "whether a crawler may fetch a URL",
    "delay": "Crawl-delay",
    "sitemaps": "sitemaps",
}


def report(total: Comparisons) -> Iterator[str]:
    for kind, choice in COMPARISONS:
        yield ""
        yield f"{TITLES[kind]}{'' if kind != 'access' else f', rules: {choice}'}"
        yield ""
        yield f"{'':<14}{'answers':>11}{'different':>11}{'%':>8}{'of these allowed':>18}{'bodies with any':>17}"
        for name in PEERS:
            found = total[name, kind, choice]
            allowed = f"{found.allowed_more:,}" if kind == "access" else ""
            bodies = f"{found.different_bodies:,} ({100 * found.different_bodies / max(1, found.bodies):.1f} %)"
            share = 100 * found.different / max(1, found.asked)
            yield f"{name:<14}{found.asked:>11,}{found.different:>11,}{share:>8.2f}{allowed:>18}{bodies:>17}"
        names = sorted(
            {cause for name in PEERS for cause in total[name, kind, choice].causes},
            key=lambda cause: (cause == causes.UNEXPLAINED, -sum(total[name, kind, choice].causes[cause] for name in PEERS), cause),
        )
        yield ""
        yield f"{'cause: answers whose cause was found, and bodies':<50}{'Protego':>14}{'robotparser':>16}"
        rest: dict[str, list[int]] = {name: [0, 0] for name in PEERS}
        for cause in names:
            counts = {name: (total[name, kind, choice].causes[cause], total[name, kind, choice].bodies_by_cause[cause]) for name in PEERS}
            if " + " in cause and sum(count for count, _ in counts.values()) < 10:
                for name in PEERS:
                    rest[name] = [count + more for count, more in zip(rest[name], counts[name])]
                continue
            cells = [f"{count:,} / {bodies:,}" if count else "-" for count, bodies in counts.values()]
            yield from row(cause, cells)
        if any(map(any, rest.values())):
            yield from row("other combinations of these", [f"{count:,} / {bodies:,}" if count else "-" for count, bodies in rest.values()])


def row(cause: str, cells: list[str]) -> Iterator[str]:
    *before, last = cause.split(" + ")
    for part in before:
        yield f"{part} +"
    yield f"{last:<50}{cells[0]:>14}{cells[1]:>16}"


def examples(total: Comparisons) -> Iterator[str]:
    """Return up to three examples of each cause: the place of the body, and what is left of it."""
    found: dict[tuple[str, str, str], list[Example]] = defaultdict(list)
    for (name, kind, _), comparison in total.items():
        for cause, of_cause in comparison.examples.items():
            found[kind, cause, name] += of_cause
    for (kind, cause, name), of_cause in sorted(found.items()):
        yield ""
        yield f"{kind}, {name}: {cause}"
        places = {example.capture: example for example in sorted(of_cause, key=lambda example: example[:2])}
        for example in list(places.values())[:MOST_EXAMPLES]:
            yield f"  {example.capture}: {example.question.agent} {causes.split_url(example.question.url)[1]}"[:COLUMNS]
            lines = example.body.decode("utf-8", "backslashreplace").splitlines()
            yield from (f"    {ascii(line)[1:-1]}"[:COLUMNS] for line in lines[:8])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", type=Path, nargs="+", metavar="archive")
    parser.add_argument("--every", type=int, default=1, help="compares each N-th body only")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--examples", type=Path, help="writes examples into this file")
    args = parser.parse_args()
    captures = distinct_bodies(args.archives)[:: args.every]
    programs = f"robots-scan {version('robots-scan')}, Protego {version('protego')}, Python {platform.python_version()}"
    print(f"{programs}: {len(captures):,} distinct bodies")
    total = compare_all(captures)
    for line in report(total):
        print(line.rstrip())
    print("\nspeed: a ratio is how much longer a program takes than robots-scan\n")
    for line in speeds(spread(captures, 1000), args.rounds):
        print(line)
    if args.examples:
        args.examples.write_text("\n".join(examples(total)) + "\n")


if __name__ == "__main__":
    main()
