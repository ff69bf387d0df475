"""Tests the parser for Scrapy, alone and in crawls of a server on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import permutations
from typing import Any

import robots_scan
from protego import Protego
from robots_scan.scrapy import RobotParser
from scrapy.robotstxt import RobotParser as Interface
from scrapy.settings.default_settings import USER_AGENT
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.test import get_crawler
from streams import Isolation

SITE = "https://www.site.local"


class Parser(unittest.TestCase):
    def parser(self, body: bytes, settings: dict[str, Any] | None = None) -> Interface:
        """Make a parser as Scrapy does."""
        implementation = load_object("robots_scan.scrapy.RobotParser")
        return build_from_crawler(implementation, get_crawler(settings_dict=settings or {}), body)

    def test_the_class_has_the_interface(self) -> None:
        self.assertTrue(issubclass(RobotParser, Interface))
        self.assertIsInstance(self.parser(b""), RobotParser)
        self.assertTrue(RobotParser.from_crawler(None, b"").allowed(SITE, "*"))

    def test_rules_apply_to_all_crawlers(self) -> None:
        parser = self.parser(b"User-agent: *\nDisallow: /disallowed\nAllow: /allowed\nCrawl-delay: 10")
        cases = [("/allowed", True), ("/disallowed", False), ("/disallowed/a", False), ("/other", True), ("", True)]
        for url, expected in cases:
            self.assertIs(parser.allowed(SITE + url, "*"), expected)
            self.assertIs(parser.allowed(SITE + url, USER_AGENT), expected)

    def test_patterns_are_matched(self) -> None:
        parser = self.parser(b"User-agent: first\nDisallow: /d*/end$\n\nUser-agent: second\nDisallow: /*a\nAllow: /*allowed\n")
        cases = [
            ("first", "/d/end", False), ("first", "/dx/y/end", False), ("first", "/d/ends", True), ("first", "/end", True),
            ("second", "/bar", False), ("second", "/bar/allowed", True), ("third", "/d/end", True), ("third", "/bar", True),
        ]  # fmt: skip
        for agent, url, expected in cases:
            self.assertIs(parser.allowed(SITE + url, agent), expected, (agent, url))

    def test_the_longest_rule_decides_in_any_order(self) -> None:
        for body in (b"User-agent: *\nDisallow: /a\nAllow: /a/b", b"User-agent: *\nAllow: /a/b\nDisallow: /a"):
            parser = self.parser(body)
            self.assertTrue(parser.allowed(f"{SITE}/a/b/c", "*"))
            self.assertFalse(parser.allowed(f"{SITE}/a/c", "*"))

    def test_bodies_that_are_no_rules_allow_everything(self) -> None:
        for body in (b"", b"GIF89a\xd3\x00\xfe\x00\xa2", b"<!DOCTYPE html><html><body>404</body></html>", b"\xff\xfe\x00"):
            parser = self.parser(body)
            for agent in ("*", "chrome", USER_AGENT):
                self.assertTrue(parser.allowed(f"{SITE}/index.html", agent))

    def test_urls_and_names_are_text_or_bytes(self) -> None:
        parser = self.parser("User-agent: *\nDisallow: /ä/\nUser-agent: ÄBot\nDisallow: /x\n".encode())
        cases = [
            ("*", "/ä/", False), ("*", "/%C3%A4/", False), ("*", "/%c3%a4/", False), ("*", "/%C3%A4", True), ("*", "/x", True),
            ("ÄBot", "/x", False), ("ÄBot", "/ä/", True),
        ]  # fmt: skip
        for agent, path, expected in cases:
            for url in (SITE + path, (SITE + path).encode()):
                self.assertIs(parser.allowed(url, agent), expected, (agent, path))
                self.assertIs(parser.allowed(url, agent.encode()), expected, (agent, path))
        # A header that is not UTF-8.
        self.assertTrue(parser.allowed(f"{SITE}/x", b"\xc4Bot/1.0"))

    def test_the_name_is_that_in_the_header(self) -> None:
        parser = self.parser(b"User-agent: Scrapy\nDisallow: /\nUser-agent: my-bot\nDisallow: /\nUser-agent: *\nAllow: /\n")
        headers = [
            ("Scrapy", False), (USER_AGENT, False), ("Scrapy/2.19 (+https://scrapy.org)", False),
            ("scrapy (like Gecko)", False), ("my-bot (+http://www.domain.local)", False), ("my-bot", False),
            ("my-bot-news/1.0", True), ("not-my-bot/1.0", True), ("*", True), ("", True),
            ("other/1.0 (+https://example.com/my-bot)", False), ("Mozilla/5.0 (compatible; Scrapy/2.19)", False),
            ("Mozilla/5.0 (compatible; GPTBot/1.2; like my-bot)", False), ("Mozilla/5.0 (compatible; GPTBot/1.2)", True),
        ]  # fmt: skip
        for header, expected in headers:
            self.assertIs(parser.allowed(f"{SITE}/a", header), expected, header)
            self.assertIs(parser.allowed(f"{SITE}/a", header.encode()), expected, header)

    def test_the_delay_is_that_of_the_crawler(self) -> None:
        parser = self.parser(b"User-agent: Scrapy\nCrawl-delay: 2.5\nDisallow: /x\nUser-agent: *\nCrawl-delay: 10\n")
        self.assertEqual(parser.crawl_delay(USER_AGENT), 2.5)
        self.assertEqual(parser.crawl_delay(b"Scrapy/2.19 (+https://scrapy.org)"), 2.5)
        self.assertEqual(parser.crawl_delay("other/1.0"), 10)
        self.assertIsNone(self.parser(b"User-agent: a\nCrawl-delay: 1\n").crawl_delay("b"))

    def test_a_user_agent_with_no_name_or_several_is_an_error(self) -> None:
        parser = self.parser(b"User-agent: *\nAllow: /\n")
        for header in (
            "Mozilla/5.0", "Mozilla", "Mozilla/5.0 (compatible; my-bot/1.0)", "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
            "Mozilla/5.0 (compatible; GPTBot/1.2; CCBot/2.0)", "other/1.0 Scrapy/2.19", "GPTBot,CCBot", "GPTBot CCBot/2.0 (+https://a.example)",
            "my-bot/1.0 (compatible; GPTBot/1.2)",
        ):  # fmt: skip
            for call in (lambda: parser.allowed(f"{SITE}/", header), lambda: parser.crawl_delay(header)):  # noqa: B023
                with self.subTest(header=header), self.assertRaisesRegex(robots_scan.UsageError, "set ROBOTSTXT_USER_AGENT to the name"):
                    call()


# The names of crawlers: registered or not, with blanks, and such as begin alike.
NAMES = ("GPTBot", "CCBot", "Googlebot", "Googlebot-News", "my-bot", "acme", "Sogou web spider", "Foo Bar", "archive.org_bot", "Mozilla", "Scrapy")

# User agents with a name: `{0}`, and some with another one.
FORMS = (
    "{0}", " {0} ", "{0}/1.2", "{0}/v1.2-rc", "{0}/", "{0}/dev", "{0} 1.2", "{0}/1.2 (+https://example.com/)", "{0}/1.2 ({0}; a@example.com)", "{0} (+{0})",
    "Mozilla/5.0 (compatible; {0}/1.2; +https://example.com/{0})", "Mozilla/5.0 (compatible;{0}/1.2;+https://example.com/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {0}/1.2) Chrome/120.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 {0}/1.2", "Mozilla/5.0 {0}", "{0};", "\"{0}\"", "+{0}",
    "compatible: {0}", "[{0}]",
    "{0} {1}", "{0},{1}", "{0}, {1}/2", "{0}/1.2 {1}/2.0", "{0}/{1}", "{0}/1.2 (compatible; {1}/2.0)", "Mozilla/5.0 (compatible; {0}/1.2; {1}/2.0)",
    "Mozilla/5.0 (compatible; {0}/1.2; +https://{1}.example/)", "{0}+{1}", "{0}:{1}", "{0}@{1}", "my {0} {1}",
)  # fmt: skip


class Protegos(unittest.TestCase):
    """Compares with Protego, Scrapy's own parser: what it refuses because of the form of a user agent, is refused here, or an error."""

    def answers(self, robots: robots_scan.RobotsTxt, parser: RobotParser, agent: str, url: str) -> dict[str, bool | None]:
        """Return whether each function allows a URL, and ``None`` for an error."""
        body = robots.body
        calls: dict[str, Callable[[], bool]] = {
            "Scrapy": lambda: parser.allowed(url, agent),
            "can_fetch": lambda: robots.can_fetch(agent, url),
            "access": lambda: bool(robots.access(agent, url)),
            "verdict": lambda: robots.verdict(agent) != "disallow_all",
            "preference": lambda: robots.preference(agent, url).preference != "not_crawlable",
            "robots_allowed": lambda: robots_scan.robots_allowed(body, agent, url).to_pylist()[0],
            "robots_verdict": lambda: robots_scan.robots_verdict(body, agent).to_pylist()[0] != "disallow_all",
        }
        answers: dict[str, bool | None] = {}
        for name, call in calls.items():
            try:
                answers[name] = call()
            except robots_scan.UsageError:
                answers[name] = None
        return answers

    def test_no_form_of_a_user_agent_is_allowed_what_protego_refuses(self) -> None:
        pairs = list(permutations(NAMES, 2))
        agents = {form.format(*names) for form in FORMS for names in (pairs[::6] if "{1}" in form else pairs)}
        files = {name: f"User-agent: {name}\nDisallow: /\n" for name in (*NAMES, "Bar", "web spider", "compatible", "example.com", "Chrome", "KHTML", "Gecko")}
        files |= {f"{name} alone": f"{body}\nUser-agent: *\nAllow: /\n" for name, body in files.items()}
        files |= {f"all but {name}": f"User-agent: {name}\nAllow: /\n\nUser-agent: *\nDisallow: /\n" for name in NAMES}
        url, counts = "https://site.example/a", {"refused": 0, "error": 0, "allowed": 0}
        for title, body in files.items():
            protego, robots, parser = Protego.parse(body), robots_scan.parse(body.encode()), RobotParser(body.encode())
            for agent in agents:
                if protego.can_fetch(url, agent):
                    continue
                for function, allowed in self.answers(robots, parser, agent, url).items():
                    word = "error" if allowed is None else "allowed" if allowed else "refused"
                    # The registry has it as one name.
                    if allowed and function != "Scrapy" and agent.split("/")[0].strip(" 12.") == "Sogou web spider":
                        continue
                    self.assertFalse(allowed, (title, agent, function))
                    counts[word] += 1
        self.assertGreater(min(counts["refused"], counts["error"]), 10_000, counts)

    def test_the_setting_decides_instead_of_the_header(self) -> None:
        body = b"User-agent: my-bot\nDisallow: /\nUser-agent: *\nAllow: /\n"
        self.assertFalse(RobotParser(body).allowed(f"{SITE}/", "my-bot"))
        self.assertTrue(RobotParser(body).allowed(f"{SITE}/", "GPTBot"))


ROBOTS = b"""\
User-agent: Scrapy
User-agent: my-bot
Disallow: /private/
Allow: /private/open$
Disallow: /*.pdf$

User-agent: *
Disallow: /
"""

SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

origin, settings = sys.argv[1], json.loads(sys.argv[2])
visited = []

class Spider(scrapy.Spider):
    name = "test"

    async def start(self):
        for path in ["/", "/private/", "/private/open", "/private/open/no", "/a.pdf", "/a.pdf?b"]:
            yield scrapy.Request(origin + path)

    def parse(self, response):
        visited.append(response.url.removeprefix(origin))

process = CrawlerProcess({
    "ROBOTSTXT_OBEY": True, "ROBOTSTXT_PARSER": "robots_scan.scrapy.RobotParser", "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING", "DOWNLOAD_DELAY": 0, "RETRY_ENABLED": False,
    # Scrapy 2.19 asks no parser about requests that waited for the file together with another request.
    "CONCURRENT_REQUESTS": 1, **settings})
crawler = process.create_crawler(Spider)
process.crawl(crawler)
process.start()
print(json.dumps({"visited": sorted(visited), "forbidden": crawler.stats.get_value("robotstxt/forbidden", 0)}))
"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.paths.append(self.path)  # type: ignore[attr-defined]
        body = ROBOTS if self.path == "/robots.txt" else b"<html></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        pass


class Crawl(unittest.TestCase):
    def crawl(self, **settings: Any) -> tuple[dict[str, Any], list[str], str]:
        """Crawl the server, and return what the spider did, the paths that were requested, and the log."""
        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.paths = []  # type: ignore[attr-defined]
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                origin = f"http://127.0.0.1:{server.server_port}"
                words = [sys.executable, "-W", "error:::robots_scan", "-c", SPIDER, origin, json.dumps(settings)]
                ran = subprocess.run(words, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
            finally:
                server.shutdown()
                thread.join()
            self.assertEqual(ran.returncode, 0, ran.stderr)
            return json.loads(ran.stdout), server.paths, ran.stderr  # type: ignore[attr-defined]

    def check(self, **settings: Any) -> None:
        done, paths, log = self.crawl(**settings)
        allowed = ["/", "/a.pdf?b", "/private/open"]
        self.assertEqual(done, {"visited": allowed, "forbidden": 3})
        self.assertEqual(sorted(paths), [*allowed, "/robots.txt"])
        self.assertNotIn("robots_scan", log)

    def test_a_crawl_obeys_the_rules_for_its_name(self) -> None:
        self.check()

    def test_a_crawl_obeys_the_rules_for_the_name_in_the_settings(self) -> None:
        self.check(USER_AGENT="my-bot (+http://www.domain.local)")
        self.check(USER_AGENT="Mozilla/5.0 (compatible; my-bot/1.0)", ROBOTSTXT_USER_AGENT="my-bot")

    def test_a_registered_name_in_the_user_agent_is_used(self) -> None:
        done, paths, _ = self.crawl(USER_AGENT="Mozilla/5.0 (compatible; Scrapy/1.0)")
        self.assertEqual(done["forbidden"], 3)
        self.assertNotIn("/private/", paths)

    def test_nothing_is_fetched_with_a_user_agent_without_a_name(self) -> None:
        done, paths, log = self.crawl(USER_AGENT="Mozilla/5.0 (compatible; other-bot/1.0)")
        self.assertEqual(done, {"visited": [], "forbidden": 0})
        self.assertEqual(paths, ["/robots.txt"])
        self.assertIn("set ROBOTSTXT_USER_AGENT to the name of the crawler", log)


class Environment(Isolation):
    def test_no_other_library_is_installed(self) -> None:
        self.check_missing("duckdb", "numpy", "pandas", "polars", "pyarrow")
