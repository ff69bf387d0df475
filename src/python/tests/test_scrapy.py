"""Tests the parser for Scrapy, alone and in crawls of a server on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import unittest
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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
            ("my-bot-news/1.0", True), ("not-my-bot/1.0", True), ("other/1.0 Scrapy/2.19", True), ("*", True), ("", True),
        ]  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for header, expected in headers:
                self.assertIs(parser.allowed(f"{SITE}/a", header), expected, header)
                self.assertIs(parser.allowed(f"{SITE}/a", header.encode()), expected, header)

    def test_the_delay_is_that_of_the_crawler(self) -> None:
        parser = self.parser(b"User-agent: Scrapy\nCrawl-delay: 2.5\nDisallow: /x\nUser-agent: *\nCrawl-delay: 10\n")
        self.assertEqual(parser.crawl_delay(USER_AGENT), 2.5)
        self.assertEqual(parser.crawl_delay(b"Scrapy/2.19 (+https://scrapy.org)"), 2.5)
        self.assertEqual(parser.crawl_delay("other/1.0"), 10)
        self.assertIsNone(self.parser(b"User-agent: a\nCrawl-delay: 1\n").crawl_delay("b"))

    def test_the_user_agent_of_a_browser_is_warned_of_once_per_crawl(self) -> None:
        for _ in range(2):
            crawler = get_crawler()
            with self.assertLogs("robots_scan", "WARNING") as logs:
                for body in (b"", b"User-agent: MyBot\nDisallow: /\n"):
                    parser = RobotParser.from_crawler(crawler, body)
                    self.assertTrue(parser.allowed(f"{SITE}/", "Mozilla/5.0 (compatible; MyBot/1.0)"))
            self.assertEqual(len(logs.output), 1)
            self.assertIn("ROBOTSTXT_USER_AGENT", logs.output[0])


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

    def test_a_browser_is_forbidden_by_the_rules_for_all(self) -> None:
        done, paths, log = self.crawl(USER_AGENT="Mozilla/5.0 (compatible; my-bot/1.0)")
        self.assertEqual(done, {"visited": [], "forbidden": 6})
        self.assertEqual(paths, ["/robots.txt"])
        self.assertEqual(log.count("[robots_scan] WARNING: the user agent begins with 'Mozilla'"), 1, log)


class Environment(Isolation):
    def test_no_other_library_is_installed(self) -> None:
        self.check_missing("duckdb", "numpy", "pandas", "polars", "pyarrow")
