"""Selects the authoritative capture of each host and crawl, follows redirects, fills revisits, and gives verdicts of crawlers."""

import csv
from base64 import b32encode
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1

from .archive import Capture, domain_of, top_level_domain
from .robots_txt import RobotsTxt, decide, whole_name

HOPS = 5

# The digest of no content. A 304 response has none itself, so that this digest does not say which content is unchanged.
NOTHING = b32encode(sha1(b"").digest()).decode()


class Crawler:
    """A crawler of the registry, or any other name."""

    def __init__(self, row):
        self.token = row["token"]
        self.name = whole_name(row["token"].encode())
        self.operator = row["operator"] or None
        self.category = row["category"] or None
        self.categories = {row["category"], row["category2"]} - {""}
        self.fallbacks = [whole_name(name.strip().encode()) for name in row["fallbacks"].replace(";", ",").split(",") if name.strip()]
        self.ignores_wildcard = row["ignores_wildcard"] == "true"


def read_registry(path):
    """The crawlers of the registry by name."""
    with open(path, newline="", encoding="utf-8") as file:
        crawlers = [Crawler(row) for row in csv.DictReader(line for line in file if not line.startswith("#"))]
    return {crawler.name: crawler for crawler in crawlers}


@dataclass
class Answer:
    verdict: str
    basis: str
    line_no: int | None = None


@dataclass
class Host:
    """A host of a crawl: the authoritative capture, and the capture whose rules apply."""

    crawl: str
    key: str
    authoritative: Capture
    source: Capture
    is_revisit: bool

    @property
    def url(self):
        return self.authoritative.url

    @cached_property
    def name(self):
        return self.authoritative.host()

    @cached_property
    def domain(self):
        return domain_of(self.name)

    @cached_property
    def tld(self):
        return top_level_domain(self.name)

    @cached_property
    def is_successful(self):
        return 200 <= self.source.status <= 299 and not self.is_revisit

    @cached_property
    def robots(self):
        """The parsed file, or null if there is none."""
        return RobotsTxt(self.source.body, self.source.truncated) if self.is_successful else None

    @property
    def content_class(self):
        return self.robots and self.robots.content_class

    @property
    def has_rules(self):
        return self.content_class == "rules"

    @property
    def ruleset(self):
        return self.robots.ruleset if self.robots else None

    @cached_property
    def wildcard(self):
        """The answer for crawlers that are not named."""
        if self.robots is None:
            return Answer(verdict_of_status(self.source, self.is_revisit), "http_status")
        if "*" in self.robots.by_name:
            return answer_of("wildcard", *self.robots.by_name["*"])
        if self.robots.by_name:
            return Answer("allow_all", "no_group")
        return Answer("allow_all", self.content_class if self.content_class in ("empty", "html", "binary") else "no_rules")

    @cached_property
    def named(self):
        """The answers for the names in the file."""
        if self.robots is None:
            return {}
        return {name: answer_of("explicit", *group) for name, group in self.robots.by_name.items() if name != "*"}

    def answer(self, name, registry):
        """The answer for a crawler: its own group, that of the first named fallback, otherwise '*'."""
        crawler = registry.get(name)
        for group in [name, *(crawler.fallbacks if crawler else [])]:
            if group in self.named:
                return self.named[group]
        if crawler and crawler.ignores_wildcard and self.wildcard.basis != "http_status":
            return Answer("allow_all", "no_group")
        return self.wildcard


def answer_of(basis, group_line_no, rules):
    """The answer of merged groups: the line is that of a deciding rule, otherwise the first line of the groups."""
    verdict, line_no = decide(rules)
    return Answer(verdict, basis, line_no or group_line_no)


def verdict_of_status(capture, is_revisit):
    """The verdict of a response without rules."""
    status = capture.status
    if is_revisit or 200 <= status <= 399:
        return "unknown"
    return "allow_all" if 400 <= status <= 499 and status != 429 else "disallow_all"


def rank_of_status(status):
    """How decisive a response is; 0 is the most decisive."""
    if 200 <= status <= 299:
        return 0
    if 300 <= status <= 399:
        return 4
    if status in (401, 403):
        return 2
    return 1 if 400 <= status <= 499 and status != 429 else 3


class Crawls:
    """The hosts of all crawls. The crawls are in the order of the times of their first captures."""

    def __init__(self, captures):
        self.captures = defaultdict(list)
        for capture in captures:
            self.captures[capture.crawl].append(capture)
        self.names = sorted(self.captures, key=lambda crawl: (min(capture.time for capture in self.captures[crawl]), crawl))
        self.pages = defaultdict(list)
        for capture in captures:
            self.pages[capture.crawl, capture.url].append(capture)
        self.hosts = {crawl: self.resolve(crawl) for crawl in self.names}

    def resolve(self, crawl):
        by_key = defaultdict(list)
        for capture in self.captures[crawl]:
            if capture.is_robots_path():
                by_key[capture.key()].append(capture)
        return [self.host(crawl, key, by_key[key]) for key in sorted(by_key)]

    def host(self, crawl, key, captures):
        ends = {capture.number: self.end_of(capture) for capture in captures}

        def order(capture):
            rank = self.rank(ends[capture.number])
            has_port = ":" in capture.url.split("://")[1]
            return rank, not capture.url.startswith("https:"), has_port, capture.age(), capture.number

        best = min(captures, key=order)
        end = ends[best.number]
        source = self.content_of(end) or end
        return Host(crawl, key, best, source, source.is_revisit)

    def parsed(self, capture):
        """The robots.txt file in a capture itself, or null if it has none."""
        if capture.is_revisit or not 200 <= capture.status <= 299:
            return None
        return RobotsTxt(capture.body, capture.truncated)

    def rank(self, capture):
        if capture.is_revisit:
            source = self.content_of(capture)
            return rank_of_status(source.status) if source else 4
        return rank_of_status(capture.status)

    def end_of(self, capture):
        """The capture at the end of the redirects, or the first one if they do not end."""
        current, seen = capture, {capture.number}
        for _ in range(HOPS + 1):
            if current.target is None:
                return current
            pages = self.pages[capture.crawl, current.target]
            if not pages:
                return capture
            current = min(pages, key=lambda page: (self.rank(page), page.age(), page.number))
            if current.number in seen:
                return capture
            seen.add(current.number)
        return capture

    def content_of(self, revisit):
        """The capture with the content of a revisit, of the same crawl; null if there is none."""
        if not revisit.is_revisit or revisit.status == 304 and revisit.digest == NOTHING:
            return None
        found = [
            capture for capture in self.captures[revisit.crawl]
            if not capture.is_revisit and capture.digest == revisit.digest and is_equivalent(revisit.status, capture.status)]
        return min(found, default=None, key=lambda capture: (
            capture.url != revisit.url, capture.time > revisit.time, abs(capture.time - revisit.time)))


def is_equivalent(of_revisit, of_content):
    """Whether a revisit with one status has the content of a response with the other: 304 says that the content is unchanged."""
    if of_revisit == 304 or 200 <= of_revisit <= 299:
        return 200 <= of_content <= 299
    return of_revisit == of_content
