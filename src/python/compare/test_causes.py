"""Tests that the causes of different answers are found: a case for each."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import causes
from questions import Answer, Question, peer

# The peer, the rules, a body, a crawler, a path, and the cause. Lines of a body are separated by `|`.
CASES = [
    ("Protego", "default", "\ufeffUser-agent: *|Disallow: /x", "a", "/x", "byte order mark"),
    ("robotparser", "default", "User-agent: *|Disallow /x", "a", "/x", "colon missing"),
    ("robotparser", "default", "User-agent: *|Dissallow: /x", "a", "/x", "other spellings of keys that Google accepts"),
    ("Protego", "default", "User-agent: *|Disallow: /", "AdsBot-Google", "/x", "names: crawler ignores *"),
    ("Protego", "default", "User-agent: Googlebot|Disallow: /", "Applebot", "/x", "names: fallback of the registry"),
    ("Protego", "google", "User-agent: MJ12bot|Disallow: /", "MJ12bot", "/x", "names: Google cuts at digits and others"),
    ("Protego", "default", "User-agent: gazz/1.0|Disallow: /", "gazz", "/x", "names: version or other text"),
    ("robotparser", "default", "User-agent: bot|Disallow: /", "mybot", "/x", "names: part of another name"),
    ("Protego", "default", "User-agent: a|Crawl-delay: 1|User-agent: b|Disallow: /", "a", "/", "Crawl-delay between lines of a group"),
    ("Protego", "default", "User-agent: a|Noindex: 1|User-agent: b|Disallow: /", "a", "/", "other directive between lines of a group"),
    ("robotparser", "default", "User-agent: *||Disallow: /", "a", "/", "blank line ends the group"),
    ("robotparser", "default", "User-agent: a|Disallow: /x|User-agent: a|Disallow: /y", "a", "/y", "groups of one name not merged"),
    ("robotparser", "default", "User-agent: *|Disallow: /|User-agent: a", "a", "/", "group without rules"),
    ("robotparser", "default", "User-agent: *|Disallow:|Disallow: /x", "a", "/x", "empty Disallow or Allow"),
    ("Protego", "default", "User-agent: *|Disallow: /", "a", "/robots.txt", "/robots.txt"),
    ("Protego", "default", "User-agent: *|Disallow: http://h/x", "a", "/http://h/x", "rule that begins with no slash"),
    ("Protego", "default", "User-agent: *|Disallow: /|Allow: /index.htm", "a", "/", "Allow of index.html"),
    ("robotparser", "default", "User-agent: *|Allow: /|Disallow: /x", "a", "/x", "first match instead of longest"),
    ("robotparser", "default", "User-agent: *|Disallow: /*x", "a", "/yx", "wildcards * and $"),
    ("Protego", "default", "User-agent: *|Disallow: /a%2b", "a", "/a%2b", "percent-encoding"),
    ("Protego", "default", "User-agent: *|Disallow: /é", "a", "/é", "non-ASCII in the URL, not encoded"),
    ("robotparser", "default", "User-agent: *|Disallow: /?", "a", "/", "query"),
    ("robotparser", "default", "User-agent: *|Disallow: //", "a", "/", "double slash"),
    ("robotparser", "default", "User-agent: *|Disallow: /|Allow: /$", "a", "/", "wildcards * and $ + first match instead of longest"),
]

DELAYS = [
    ("Protego", "User-agent: a|Crawl-delay: 1|User-agent: b", "b", "Crawl-delay between lines of a group"),
    ("Protego", "User-agent: a|Crawl-delay: 1|Crawl-delay: 2", "a", "more than one delay"),
    ("robotparser", "User-agent: a|Crawl-delay: 1.5", "a", "delay that is no whole number"),
]


class Causes(unittest.TestCase):
    def find(self, name: str, choice: str, text: str, question: Question) -> tuple[str, Answer, Answer]:
        lines = text.split("|")
        # Lines that do not matter, around it.
        body = "\n".join([*lines, "", "User-agent: other", "Disallow: /other", "Sitemap: https://h/s.xml", ""]).encode()
        case = causes.Case(causes.lines_of(body), question, choice)
        answers = case.reference(), peer(name, body)(question)
        smallest = causes.smallest(case, name)
        self.assertLessEqual(len(smallest.lines), len(lines))
        self.assertEqual((smallest.reference(), peer(name, smallest.body)(question)), answers)
        return causes.cause(smallest, name), *answers

    def test_each_cause_is_found(self) -> None:
        for name, choice, text, agent, path, expected in CASES:
            with self.subTest(text=text):
                cause, own, peers = self.find(name, choice, text, Question("access", agent, "http://h" + path))
                self.assertNotEqual(own, peers)
                self.assertEqual(cause, expected)

    def test_each_cause_of_delays_is_found(self) -> None:
        for name, text, agent, expected in DELAYS:
            with self.subTest(text=text):
                cause, own, peers = self.find(name, "default", text, Question("delay", agent))
                self.assertNotEqual(own, peers)
                self.assertEqual(cause, expected)

    def test_a_difference_that_no_repair_removes_is_unexplained(self) -> None:
        case = causes.Case(causes.lines_of(b"User-agent: *\nDisallow: /x\n"), Question("access", "a", "http://h/x"), "default")
        kept = causes.is_equal
        causes.is_equal = lambda case, name: False
        self.addCleanup(setattr, causes, "is_equal", kept)
        self.assertEqual(causes.cause(case, "Protego"), causes.UNEXPLAINED)


if __name__ == "__main__":
    unittest.main()
