"""Questions about robots.txt files, and the three programs that answer them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.robotparser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from urllib.parse import urlsplit

from protego import Protego

import robots_scan

CHOICES = ("default", "google")
PEERS = ("Protego", "robotparser")

# Asked about in every file, besides the names in it.
AGENTS = ("Googlebot", "GPTBot", "CCBot", "MJ12bot", "ExampleBot")
MOST_NAMED = 6

PATHS = ("/", "/index.html", "/a/b/c/d/e/page.html?id=1&sort=up", "/~user/(x),y;z=1")
MOST_OF_RULES = 6
MOST_OF_OTHERS = 3

RAISED = "raised an exception"

Answer = bool | float | str | tuple[str, ...] | None


@dataclass(frozen=True)
class Question:
    """What is asked about a body: `access`, `delay` or `sitemaps`."""

    kind: str
    agent: str = ""
    url: str = ""


def decoded(body: bytes) -> str:
    """Decode as Scrapy does for Protego: bytes that are not UTF-8 are left out."""
    return body.decode("utf-8", "ignore")


class Reference:
    """The answers of robots-scan."""

    def __init__(self, body: bytes, choice: str):
        # The peers have no body limit.
        self.robots = robots_scan.parse(body, body_limit=None)
        self.choice = choice

    def answer(self, question: Question) -> Answer:
        if question.kind == "access":
            return self.robots.access(question.agent, question.url, self.choice).allowed
        if question.kind == "delay":
            return self.robots.crawl_delay(question.agent)
        return tuple(self.robots.sitemaps)


class ProtegoPeer:
    def __init__(self, body: bytes):
        self.parser = Protego.parse(decoded(body))

    def answer(self, question: Question) -> Answer:
        if question.kind == "access":
            return self.parser.can_fetch(question.url, question.agent)
        if question.kind == "delay":
            return self.parser.crawl_delay(question.agent)
        return tuple(self.parser.sitemaps)


class RobotparserPeer:
    def __init__(self, body: bytes):
        self.parser = urllib.robotparser.RobotFileParser()
        self.parser.parse(decoded(body).splitlines())

    def answer(self, question: Question) -> Answer:
        if question.kind == "access":
            return self.parser.can_fetch(question.agent, question.url)
        if question.kind == "delay":
            delay = self.parser.crawl_delay(question.agent)
            return None if delay is None else float(delay)
        return tuple(self.parser.site_maps() or ())


def peer(name: str, body: bytes) -> Callable[[Question], Answer]:
    """Parse a body. An exception becomes an answer."""
    try:
        parser = {"Protego": ProtegoPeer, "robotparser": RobotparserPeer}[name](body)
    except Exception:  # noqa: BLE001
        return lambda question: RAISED

    def answer(question: Question) -> Answer:
        try:
            return parser.answer(question)
        except Exception:  # noqa: BLE001
            return RAISED

    return answer


def whole_name(value: str) -> str:
    """Return the name of a crawler in the value of a user-agent line, as docs/verdicts.md defines it."""
    if re.match(r"\*(\s|$)", value):
        return "*"
    words = re.split(r"[/,;(*]", value)[0].split()
    if len(words) > 1 and not words[-1].strip("0123456789."):
        words.pop()
    return " ".join(words).lower()


def product_token(value: str) -> str:
    """Return what Google's parser reads from the value of a user-agent line."""
    if re.match(r"\*(\s|$)", value):
        return "*"
    found = re.match(r"[A-Za-z_-]*", value)
    return found[0].lower() if found else ""


@dataclass(frozen=True)
class Crawler:
    """What the registry knows about a crawler."""

    fallbacks: tuple[str, ...] = ()
    ignores_wildcard: bool = False


@cache
def registry() -> dict[str, Crawler]:
    command = [sys.executable, "-P", "-m", "robots_scan", "agents", "--json"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = map(json.loads, lines)
    return {row["agent"]: Crawler(tuple(row["fallbacks"]), row["ignores_wildcard"]) for row in rows}


def spread(items: list, most: int) -> list:
    """Return at most `most` items, at equal distances."""
    step = max(1, -(-len(items) // most))
    return items[::step]


def paths_of(robots: robots_scan.RobotsTxt, most: int) -> list[str]:
    """Return paths that rules of a file match."""
    paths = {}
    for rule in chain.from_iterable(group.rules for group in robots.groups):
        path = rule.path.replace("*", "x").removesuffix("$").strip()
        if "\ufffd" not in path and "\0" not in path:
            paths[path if path.startswith("/") else "/" + path] = None
    return spread(list(paths), most)


def questions(url: str, body: bytes, other: bytes) -> Iterator[Question]:
    """Return the questions about a body. Paths also come from the rules of another file."""
    robots = robots_scan.parse(body, body_limit=None)
    named = {}
    for group in robots.groups:
        for value in group.agents:
            name = re.split(r"[/,;(*]", value)[0].strip()
            if whole_name(value) not in ("", "*") and "\ufffd" not in name:
                named.setdefault(name.lower(), name)
    agents = {name.lower(): name for name in AGENTS} | {name.lower(): name for name in spread(list(named.values()), MOST_NAMED)}
    own = paths_of(robots, MOST_OF_RULES)
    paths = [*PATHS, *own, *(path + "0" for path in own[::2]), *paths_of(robots_scan.parse(other), MOST_OF_OTHERS)]
    parts = urlsplit(url)
    for agent in agents.values():
        for path in dict.fromkeys(paths):
            yield Question("access", agent, f"{parts.scheme}://{parts.netloc}{path}")
        yield Question("delay", agent)
    yield Question("sitemaps")
