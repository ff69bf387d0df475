"""The samples that the tests of all environments read."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import robots_scan

DATA = Path(__file__).resolve().parents[3] / "data-samples"

# Archives without damage. They have dates that are null, bodies that are not UTF-8 and revisits.
NAMES = [
    "cc-robotstxt", "cc-robotstxt-later", "content-encoding", "odd-dates", "odd-headers", "odd-urls", "resource-and-revisit",
    "truncated-payload",
]  # fmt: skip
ARCHIVES = [DATA / "warc" / f"{name}.warc.gz" for name in NAMES]
DAMAGED = DATA / "warc" / "damaged-often.warc.gz"
DAMAGED_FAULTS = 3

# Rows have these values in the columns `crawl` and `subset`.
LABELS = {"crawl": "TEST", "subset": "robotstxt"}

TABLES = ("robots_files", "rules", "verdicts", "anomalies", "groups")

# Columns that are null in files if another column gives their value (docs/tables.md). Streams always have the value.
FILLED = {
    "groups": {"key_raw", "agent_raw"},
    "rules": {"path_raw", "key_raw"},
}


def command(*arguments: Any) -> subprocess.CompletedProcess[str]:
    """Run ``robots-scan`` of this environment."""
    program = Path(sys.executable).with_name("robots-scan")
    words = [str(program), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=120, stdin=subprocess.DEVNULL)


def scan(output: Path) -> None:
    """Write a dataset of :data:`ARCHIVES` with the command."""
    labels = [f"--{name}={value}" for name, value in LABELS.items()]
    ran = command("scan", *ARCHIVES, "--output", output, "--with-bodies", *labels)
    assert ran.returncode == 0, ran.stderr


def stream(table: str) -> robots_scan.TableStream:
    """Open a table of :data:`ARCHIVES`."""
    return robots_scan.read(ARCHIVES, table, with_bodies=True, **LABELS)


def table_of_file() -> robots_scan.Table:
    """Return the rules of a file with two rules, the first of them in no group."""
    return robots_scan.parse("Allow: /b\nUser-agent: *\nDisallow: /é\n").table("rules")


class Question(NamedTuple):
    """A question about a robots.txt file, with the answers."""

    body: bytes | None
    agent: str | None
    url: str | None
    is_allowed: bool | None
    verdict: str | None


# A file whose statement about training has a label that was a part of another one until 18 November 2025, and the
# preferences of a crawler at three times: by the labels of the day.
STATEMENTS = "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no\nDisallow: /x\n"
PREFERENCES = [
    ("/", "train-ai", "2025-09-10 12:00:00", "disallowed"),
    ("/", "train-genai", "2025-09-10", "disallowed"),
    ("/", "train-genai", "2026-01-01T00:00:00Z", "unknown"),
    ("/", "content-usage:search", "2026-01-01", "unknown"),
    ("/", "ai-train", "2020-01-01", "disallowed"),
    ("/x/", "ai-train", "2020-01-01", "not_crawlable"),
]

AGENTS = ("GPTBot", "Googlebot-News", "ExampleBot/1.0", "*")

URLS = ("https://example.com/", "http://example.com/private/a.html?b=1", "/page.pdf", "https://example.com/caf%C3%A9", "")


def bodies() -> list[bytes]:
    """Return the robots.txt files of the samples."""
    files = sorted((DATA / "robots").glob("*.txt"))
    assert len(files) > 50, files
    return [file.read_bytes() for file in files]


def questions(is_text: bool = False, dialect: str | None = None) -> list[Question]:
    """Return questions about all samples of robots.txt, and about nulls. ``is_text`` selects files that are UTF-8."""
    asked = []
    for body in bodies():
        if is_text and not _is_utf8(body):
            continue
        robots = robots_scan.parse(body)
        verdicts = {agent: robots.verdict(agent, dialect) for agent in AGENTS}
        for agent, url in product(AGENTS, URLS):
            is_allowed = bool(robots.access(agent, url, dialect))
            asked.append(Question(body, agent, url, is_allowed, verdicts[agent]))
    asked.append(Question(None, "GPTBot", "/", None, None))
    asked.append(Question(b"", None, "/", None, None))
    asked.append(Question(b"", "GPTBot", None, None, "allow_all"))
    allowed = [question.is_allowed for question in asked]
    assert allowed.count(True) > 100 and allowed.count(False) > 100, allowed
    return asked


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
