"""Compares the answers of the package with those of the command, and with Google's parser on hand-made cases.

The environment variable ROBOTS_SCAN_PROGRAM names the command; without it, the one of the package is run.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import corpus

import robots_scan

PROGRAM = os.environ.get("ROBOTS_SCAN_PROGRAM") or str(Path(sys.executable).with_name("robots-scan"))

DIALECTS = (None, "google", "rfc9309", "koster1996")

# Crawlers with fallbacks, crawlers that ignore `*`, names with digits and blanks, and one that no file names.
AGENTS = ("*", "Googlebot", "Googlebot-News", "AdsBot-Google", "GPTBot/1.2", "MJ12bot", "Sogou web spider", "no-such-bot")

PATHS = ("/", "/index.html", "/x", "/a/b?c=d", "/%7Ea", "/é", "/robots.txt", "//x", "/x;y#z")

MOST_AGENTS = 24
MOST_PATHS = 24


def agents_of(robots: robots_scan.RobotsTxt) -> list[str]:
    """Return names to ask about: those in a file, and others. The command takes no name with a comma."""
    named = [name for group in robots.groups for name in group.agents]
    names = [name for name in dict.fromkeys([*AGENTS, *named]) if "," not in name and "\0" not in name]
    return [name for name in names if name.strip(" \t").lstrip("/;(").strip() and not _is_version(name)][:MOST_AGENTS]


def _is_version(name: str) -> bool:
    """Return true for values in which the command finds no name."""
    name = name.strip()
    for end in "/,;(":
        name = name.split(end)[0]
    return name != "*" and not name.split("*")[0].strip("0123456789. \t")


def urls_of(robots: robots_scan.RobotsTxt) -> list[str]:
    """Return URLs to ask about: those that rules of a file match, or nearly, and others."""
    paths = list(PATHS)
    for group in robots.groups:
        for rule in group.rules:
            path = rule.path if rule.path.startswith("/") else "/" + rule.path
            paths += [path.replace("*", "a").removesuffix("$"), path + "z", path.rstrip("$")[:-1]]
    texts = ["https://example.com" + path for path in paths if path.startswith("/") and "\0" not in path and "\n" not in path]
    return list(dict.fromkeys(texts))[:MOST_PATHS]


def check(body: bytes, agents: list[str], urls: list[str], dialect: str | None) -> list[dict[str, Any]]:
    """Return what `robots-scan check --json` prints, a dictionary per crawler."""
    arguments = [f"--agent={agent}" for agent in agents] + [f"--url={url}" for url in urls]
    command = [PROGRAM, "check", "-", "--json", "--any-name", f"--dialect={dialect or 'default'}", *arguments]
    process = subprocess.run(command, input=body, capture_output=True, timeout=60)
    assert process.returncode in (0, 1, 3), process.stderr.decode()
    report = json.loads(process.stdout)
    return [{**agent, "anomalies": report["anomalies"]} for agent in report["agents"]]


def answers(robots: robots_scan.RobotsTxt, agents: list[str], urls: list[str], dialect: str | None) -> list[dict[str, Any]]:
    """Return the same by the package."""
    anomalies = [found._asdict() for found in robots.anomalies]
    rows = []
    for agent in agents:
        urls_of_agent = []
        for url in urls:
            access = robots.access(agent, url, dialect)
            word = "allowed" if access.allowed else "disallowed"
            urls_of_agent.append({"url": url, "access": word, "line_no": access.line_no, "line": access.line})
        verdicts = {name: robots.verdict(agent, name) for name in DIALECTS if name}
        verdict = robots.verdict(agent)
        rows.append({"agent": agent.strip(), "verdict": verdict, "verdicts": verdicts, "anomalies": anomalies, "urls": urls_of_agent})
    return rows


def comparable(crawler: dict[str, Any]) -> dict[str, Any]:
    """Return those properties of a crawler that the package has, too."""
    urls = [{key: url[key] for key in ("url", "access", "line_no", "line")} for url in crawler["urls"]]
    return {key: crawler[key] for key in ("agent", "verdict", "verdicts", "anomalies")} | {"urls": urls}


class Agreement(unittest.TestCase):
    maxDiff = 4000

    def test_samples_have_the_answers_of_the_command(self) -> None:
        bodies = corpus.sample_bodies()
        self.assertGreater(len(bodies), 200)
        questions = 0
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            jobs = []
            for number, (place, body) in enumerate(bodies.items()):
                robots = robots_scan.parse(body)
                agents, urls = agents_of(robots), urls_of(robots)
                # The default, and one dialect of each file: a process for each takes most of the time.
                dialects = (None, DIALECTS[1 + number % 3])
                questions += len(agents) * len(urls) * len(dialects)
                for dialect in dialects:
                    job = threads.submit(check, body, agents, urls, dialect)
                    jobs.append((place, robots, agents, urls, dialect, job))
            for place, robots, agents, urls, dialect, job in jobs:
                with self.subTest(place=place, dialect=dialect):
                    expected = [comparable(crawler) for crawler in job.result()]
                    self.assertEqual(expected, answers(robots, agents, urls, dialect))
        self.assertGreater(questions, 25_000)

    def test_can_fetch_is_the_default_access(self) -> None:
        for place, body in corpus.sample_bodies().items():
            robots = robots_scan.parse(body)
            for agent in agents_of(robots):
                for url in urls_of(robots):
                    access = robots.access(agent, url)
                    self.assertEqual(robots.can_fetch(agent, url), access.allowed, (place, agent, url))
                    self.assertEqual(bool(access), access.allowed)

    def test_hand_made_cases_have_the_answers_of_googles_parser(self) -> None:
        corpus.require_real_data("cases of Google's parser")
        cases = [json.loads(line) for line in (corpus.SHARED / "oracle" / "cases.jsonl").read_text().splitlines()]
        files: dict[str, robots_scan.RobotsTxt] = {}
        wrong, refused = [], 0
        for case in cases:
            encoded = case["robots_b64"]
            if encoded not in files:
                # Google's parser has no body limit.
                files[encoded] = robots_scan.parse(base64.b64decode(encoded), body_limit=None)
            url = base64.b64decode(case["url_b64"])
            if not url.startswith(b"/") and not re.match(rb"[A-Za-z][A-Za-z0-9+.-]*:", url) and url:
                with self.assertRaises(robots_scan.UsageError):
                    files[encoded].access(case["agent"], url, dialect="google")
                refused += 1
                continue
            for form in (url, url.decode("utf-8", "surrogateescape")):
                access = files[encoded].access(case["agent"], form, dialect="google")
                if (access.allowed, access.line_no or 0) != (case["allowed"], case["line"]):
                    wrong.append((case["name"], form, access))
        self.assertEqual(wrong, [])
        self.assertEqual((len(cases), refused), (5910, 8))


if __name__ == "__main__":
    unittest.main()
