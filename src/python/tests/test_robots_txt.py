"""Tests the class RobotsTxt: its values, threads, and hostile bodies."""

from __future__ import annotations

import array
import copy
import mmap
import pickle
import re
import tempfile
import threading
import time
import unittest
import urllib.robotparser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import calls
import corpus

import robots_scan
from robots_scan._types import Dialect

BODY = b"User-agent: GPTBot\nUser-agent: CCBot\nCrawl-delay: 2\nDisallow: /x\n\nUser-agent: *\nAllow: /\nSitemap: https://h/s.xml\n"


class Arguments(unittest.TestCase):
    def test_a_body_is_bytes_text_or_any_buffer(self) -> None:
        expected = robots_scan.parse(BODY)
        forms: list[bytes | bytearray | memoryview | array.array[int] | str] = [
            bytearray(BODY),
            memoryview(BODY),
            memoryview(BODY[::-1])[::-1],
            array.array("b", BODY),
            BODY.decode(),
        ]
        for body in forms:
            self.assertEqual(robots_scan.parse(body), expected, type(body))
        with tempfile.TemporaryFile() as file:
            file.write(BODY)
            file.flush()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                self.assertEqual(robots_scan.parse(mapped), expected)

    def test_a_body_that_is_changed_later_is_another(self) -> None:
        body = bytearray(BODY)
        robots = robots_scan.parse(body)
        body[:] = b"x" * len(body)
        self.assertEqual(robots.body, BODY)

    def test_surrogates_stand_for_bytes_that_are_not_utf_8(self) -> None:
        body = b"User-agent: *\nDisallow: /\xe9\n"
        robots = robots_scan.parse(body.decode("utf-8", "surrogateescape"))
        self.assertEqual(robots.body, body)
        for url in (b"/\xe9", bytearray(b"/\xe9"), "/\udce9", "/%e9"):
            self.assertFalse(robots.access("x", url, "rfc9309"), url)
        self.assertTrue(robots.access("x", "/é", "rfc9309"))
        # The default reading is that of clients, which encode octets; Google's compares them.
        self.assertFalse(robots.can_fetch(b"x", b"/\xe9"))
        self.assertTrue(robots.can_fetch(b"x", b"/\xe9", "google"))
        self.assertEqual(robots.verdict(b"a\xff"), robots.verdict("a\udcff"))
        # Other surrogates stand for nothing.
        with self.assertRaises(UnicodeEncodeError):
            robots_scan.parse("\ud800")
        with self.assertRaises(UnicodeEncodeError):
            robots.can_fetch("x", "/\ud800")

    def test_calls_have_the_answers_of_all_engines(self) -> None:
        self.assertGreaterEqual(len(calls.CALLS), 40)
        for call in calls.CALLS:
            with self.subTest(call=call):
                self.check_call(call, self.ask_columns)
                if call.body is not None:
                    self.check_call(call, self.ask_file)

    @staticmethod
    def ask_file(call: calls.Call) -> bool | None:
        allowed: bool | None = robots_scan.parse(call.body or "", status=call.status).access(call.agent, call.url).allowed
        return allowed

    @staticmethod
    def ask_columns(call: calls.Call) -> bool | None:
        allowed: bool | None = robots_scan.robots_allowed(call.body, call.agent, call.url, None, call.status).to_pylist()[0]
        return allowed

    def check_call(self, call: calls.Call, ask: Callable[[calls.Call], bool | None]) -> None:
        if isinstance(call.answer, str):
            with self.assertRaisesRegex(robots_scan.UsageError, re.escape(call.answer)):
                ask(call)
        else:
            self.assertIs(ask(call), call.answer)

    def test_other_arguments_are_type_errors(self) -> None:
        robots = robots_scan.parse(BODY)
        for wrong in (None, 3, ["a"], object()):
            with self.assertRaisesRegex(TypeError, f"bytes or text are required, not '{type(wrong).__name__}'"):
                robots_scan.parse(wrong)  # type: ignore[arg-type]
            with self.assertRaisesRegex(TypeError, "bytes or text are required"):
                robots.can_fetch(wrong, "/")  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            robots_scan.parse(BODY, body_limt=3)  # type: ignore[call-arg]
        with self.assertRaises(TypeError):
            robots_scan.RobotsTxt()  # type: ignore[call-arg]
        with self.assertRaises(OverflowError):
            robots_scan.parse(BODY, body_limit=-1)

    def test_a_misspelt_dialect_or_table_names_those_that_exist(self) -> None:
        robots = robots_scan.parse(BODY)
        for call in (lambda: robots.access("a", "/", "rfc"), lambda: robots.verdict("a", "rfc")):
            with self.assertRaisesRegex(robots_scan.UsageError, "there is no dialect 'rfc' .*google, rfc9309, koster1996"):
                call()
        with self.assertRaisesRegex(robots_scan.UsageError, "no table 'hosts' .*groups, rules, sitemaps"):
            robots.table("hosts")

    def test_a_user_agent_header_or_a_list_is_an_error(self) -> None:
        robots = robots_scan.parse(BODY)
        asked: list[Callable[[str], object]] = [
            robots.verdict, robots.crawl_delay, robots.request_rate, lambda agent: robots.verdict(agent, "rfc9309"),
            lambda agent: robots.can_fetch(agent, "/"), lambda agent: robots.access(agent, "/", dialect="google"),
            lambda agent: robots.preference(agent, "/"), lambda agent: robots_scan.robots_allowed(BODY, agent, "/"),
            lambda agent: robots_scan.robots_verdict(BODY, agent),
            lambda agent: robots_scan.robots_preference(BODY, agent, "/", "train-ai", "2026-01-01"),
            lambda agent: robots_scan.match("out", agent, ["https://example.com/"], "o"),
        ]  # fmt: skip
        cases = [
            ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "give the name 'GPTBot'"),
            ("MyBot/1.0 (+https://example.com)", "give the name 'MyBot'"),
            ("Mozilla/5.0 (compatible; GPTBot/1.2; CCBot)", "give one of the names 'CCBot', 'GPTBot'"),
            ("Mozilla/5.0 (X11; Linux)", "give the name that the crawler has in robots.txt, such as 'GPTBot'"),
            ("Mozilla/5.0 (KHTML, like Gecko)", "give the name that"),
            ("Sogou web spider/4.0(+http://www.sogou.com/docs)", "give the name 'Sogou web spider'"),
        ]
        for agent, hint in cases:
            for ask in asked:
                with self.subTest(agent=agent), self.assertRaisesRegex(robots_scan.UsageError, f"the name of one crawler .hint: {hint}"):
                    ask(agent)
                if "," in agent:
                    break
        with self.assertRaisesRegex(robots_scan.UsageError, "'GPTBot,CCBot' is a list, not the name of one crawler"):
            robots.can_fetch("GPTBot,CCBot", "/")

    def test_one_name_has_at_most_a_version(self) -> None:
        robots = robots_scan.parse(BODY)
        for agent in ("GPTBot", "gptbot/1.2", "GPTBot/v2", " GPTBot 1.2 ", "GPTBot/1.2-beta.3", "GPTBot/", "GPTBot*"):
            self.assertFalse(robots.can_fetch(agent, "/x"), agent)
        for agent in ("*", "", "Sogou web spider", "archive.org_bot", "008"):
            self.assertTrue(robots.can_fetch(agent, "/x"), agent)

    def test_a_name_of_several_words_is_an_error_if_the_file_names_one_of_them(self) -> None:
        body = b"User-agent: Foo\nDisallow: /\nUser-agent: my other bot\nDisallow: /\n"
        robots = robots_scan.parse(body)
        for agent in ("Foo Bar", "Bar Foo/1.0", "Bar Foobar", "Foobar baz"):
            for ask in (lambda: robots.can_fetch(agent, "/"), lambda: robots_scan.robots_allowed(body, agent, "/")):  # noqa: B023
                with self.assertRaisesRegex(robots_scan.UsageError, "the file names 'foo'"):
                    ask()
        # Another name, a name in the file, and one in the registry.
        self.assertTrue(robots.can_fetch("Foobar", "/"))
        self.assertFalse(robots.can_fetch("My Other Bot", "/"))
        self.assertTrue(robots_scan.parse(b"User-agent: spider\nDisallow: /\n").can_fetch("Sogou web spider", "/"))

    def test_every_name_in_a_file_can_be_asked_about(self) -> None:
        body = b"User-agent: Mozilla/4.0 (compatible; MSIE 4.0; Windows NT)\nUser-agent: GPTBot, CCBot\nUser-agent: a b\nUser-agent: a\nDisallow: /\n"
        robots = robots_scan.parse(body)
        for agent in robots.groups[0].agents:
            self.assertEqual(robots.verdict(agent), "disallow_all", agent)
            self.assertEqual(robots_scan.robots_verdict(body, agent).to_pylist(), ["disallow_all"])

    def test_exchanged_arguments_are_errors(self) -> None:
        robots = robots_scan.parse(BODY)
        calls: dict[str, Callable[[str, str], object]] = {
            "can_fetch": robots.can_fetch,
            "access": robots.access,
            "koster1996": lambda agent, url: robots.access(agent, url, "koster1996"),
            "columns": lambda agent, url: robots_scan.robots_allowed(BODY, agent, url),
        }
        for agent in ("GPTBot", "GPTBot/1.2", "*", "Sogou web spider", "example.com", "archive.org_bot"):
            for url in ("/", "/x", "//h/x", "https://example.com/", "http://localhost", "s3+x.y-1://h/"):
                for name, call in calls.items():
                    with self.subTest(agent=agent, url=url, call=name):
                        call(agent, url)
                        with self.assertRaisesRegex(robots_scan.UsageError, "hint: the name of the crawler comes first, then the URL"):
                            call(url, agent)

    def test_a_url_is_no_name_and_a_name_is_no_url(self) -> None:
        robots = robots_scan.parse(BODY)
        asked: list[Callable[[str], object]] = [
            robots.verdict, robots.crawl_delay, robots.request_rate, lambda agent: robots.verdict(agent, "rfc9309"),
            lambda agent: robots.can_fetch(agent, "/"), lambda agent: robots.access(agent, "/"),
        ]  # fmt: skip
        for ask in asked:
            for url in ("https://example.com/a", "/a"):
                with self.assertRaisesRegex(robots_scan.UsageError, f"'{url}' is a URL, not the name of a crawler"):
                    ask(url)
        for url in ("GPTBot", "example.com/a", "*", "?a", "a b://c", "\0", "://h"):
            for form in (url, url.encode()):
                with self.assertRaisesRegex(robots_scan.UsageError, "is neither an absolute URL nor a path that begins with '/'"):
                    robots.can_fetch("GPTBot", form)

    def test_rows_with_an_odd_url_have_answers(self) -> None:
        for url in ("GPTBot", "example.com/x"):
            self.assertEqual(len(robots_scan.robots_allowed(BODY, "GPTBot", url)), 1)
        for agent in ("/x", "https://example.com/"):
            with self.assertRaisesRegex(robots_scan.UsageError, "is a URL, not the name of a crawler"):
                robots_scan.robots_allowed(BODY, agent, "/x")
        self.assertEqual(robots_scan.robots_allowed(BODY, None, "GPTBot").to_pylist(), [None])

    def test_the_address_of_a_file_is_not_a_body(self) -> None:
        for text in ("https://example.com/robots.txt", "/path/robots.txt", " file:///robots.txt\n", "/", "robots.txt", "data/robots.txt",
                     "./robots", "~/robots.txt", "C:\\robots.txt", "my files/Robots.TXT", "example.com"):  # fmt: skip
            with self.assertRaisesRegex(robots_scan.UsageError, "not the content of a robots.txt file .hint: read the file first; bytes are always content"):
                robots_scan.parse(text)
            self.assertEqual(robots_scan.parse(text.encode()).verdict("a"), "allow_all")
        for text in ("", "Sitemap: https://example.com/s.xml", "/x\nUser-agent: *\nDisallow: /", "Disallow: /", "# https://h/", "Disallow: /a.txt", "Not found.", "<!DOCTYPE html>", "404"):
            robots_scan.parse(text)

    def test_can_fetch_has_dialects(self) -> None:
        robots = robots_scan.parse(b"User-agent: *\nDisallow: /*.pdf$\n")
        self.assertFalse(robots.can_fetch("ExampleBot", "/a.pdf"))
        self.assertFalse(robots.can_fetch("ExampleBot", "/a.pdf", "rfc9309"))
        self.assertTrue(robots.can_fetch("ExampleBot", "/a.pdf", dialect="koster1996"))


class Statuses(unittest.TestCase):
    EVERYTHING = b"User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/5\nDisallow: /\n"

    def test_each_dialect_has_its_own_table_of_statuses(self) -> None:
        parsed, allowed, disallowed, unknown = "parsed", "allow_all", "disallow_all", "unknown"
        # The status, and its effect for the default rules and Google, RFC 9309 and Koster.
        cases = [
            (200, parsed, parsed, parsed), (206, parsed, parsed, parsed), (301, unknown, unknown, unknown),
            (304, unknown, unknown, unknown), (401, allowed, allowed, disallowed), (403, allowed, allowed, disallowed),
            (404, allowed, allowed, allowed), (410, allowed, allowed, unknown), (429, disallowed, allowed, unknown),
            (500, disallowed, disallowed, unknown), (503, disallowed, disallowed, unknown), (100, disallowed, disallowed, unknown),
            (999, disallowed, disallowed, unknown),
        ]  # fmt: skip
        for status, google, rfc9309, koster1996 in cases:
            effects: list[tuple[Dialect | None, str]] = [
                (None, google), ("default", google), ("google", google), ("rfc9309", rfc9309), ("koster1996", koster1996),
            ]  # fmt: skip
            for body in (self.EVERYTHING, b"User-agent: *\nAllow: /\n"):
                plain, robots = robots_scan.parse(body), robots_scan.parse(body, status=status)
                for dialect, effect in effects:
                    with self.subTest(status=status, dialect=dialect, body=body):
                        access, verdict = robots.access("a", "/x", dialect), robots.verdict("a", dialect)
                        if effect == parsed:
                            self.assertEqual(access, plain.access("a", "/x", dialect))
                            self.assertEqual(verdict, plain.verdict("a", dialect))
                            continue
                        expected = {allowed: True, disallowed: False, unknown: None}[effect]
                        self.assertEqual(access, robots_scan.Access(expected, None, None, "http_status"))
                        self.assertIs(bool(access), expected is True)
                        self.assertEqual(verdict, effect)
                self.assertIs(robots.can_fetch("a", "/x"), bool(robots.access("a", "/x")))

    def test_limits_are_those_of_the_names_directly_above_them(self) -> None:
        body = b"User-agent: a\nCrawl-delay: 1\nVisit-time: 0600-0845\nUser-agent: b\nCrawl-delay: 1\nRequest-rate: 1/5\nUser-agent: c\nUser-agent: d\nCrawl-delay: 1.0\nDisallow: /\n"
        robots = robots_scan.parse(body)
        self.assertEqual([robots.crawl_delay(agent) for agent in "abcd"], [1.0] * 4)
        self.assertEqual([robots.request_rate(agent) for agent in "abcd"], [None, (1, 5), None, None])
        (group,) = robots.groups
        self.assertEqual((group.crawl_delay, group.request_rate, group.visit_time), (1.0, None, None))
        robots = robots_scan.parse(body.replace(b"1.0", b"2"))
        self.assertEqual([robots.crawl_delay(agent) for agent in "abcde"], [1.0, 1.0, 2.0, 2.0, None])
        self.assertIsNone(robots.groups[0].crawl_delay)

    def test_delays_are_those_of_a_body_that_is_used(self) -> None:
        for status in (None, 200):
            robots = robots_scan.parse(self.EVERYTHING, status=status)
            self.assertEqual((robots.crawl_delay("a"), robots.request_rate("a")), (2.0, (1, 5)))
        for status in (301, 404, 503):
            robots = robots_scan.parse(self.EVERYTHING, status=status)
            self.assertEqual((robots.crawl_delay("a"), robots.request_rate("a")), (None, None))
            # The rest describes the body.
            self.assertEqual((robots.status, len(robots.groups), robots.content_class), (status, 1, "rules"))

    def test_a_status_has_three_digits(self) -> None:
        for status in (0, 99, 1000):
            with self.assertRaisesRegex(robots_scan.UsageError, f"no status {status}"):
                robots_scan.parse(b"", status=status)
        for wrong in (-1, 70_000):
            with self.assertRaises(OverflowError):
                robots_scan.parse(b"", status=wrong)
        with self.assertRaises(TypeError):
            robots_scan.parse(b"", status="200")  # type: ignore[arg-type]

    def test_files_with_another_status_are_not_equal(self) -> None:
        robots = robots_scan.parse(BODY, status=503)
        self.assertEqual(robots, robots_scan.parse(BODY, status=503))
        for status in (None, 200, 500):
            self.assertNotEqual(robots, robots_scan.parse(BODY, status=status))
        self.assertTrue(repr(robots).startswith("<RobotsTxt: status 503, "))
        restored = pickle.loads(pickle.dumps(robots))
        self.assertEqual((restored, restored.status, restored.verdict("CCBot")), (robots, 503, "disallow_all"))


class Robotparser(unittest.TestCase):
    """The methods of urllib.robotparser have the same names, parameters and values."""

    def test_each_method_of_robotparser_takes_its_arguments(self) -> None:
        body = "User-agent: a\nCrawl-delay: 3\nRequest-rate: 2/7\nDisallow: /x\nSitemap: https://h/s.xml\nSitemap: https://h/t.xml\n"
        for text in (body, "User-agent: *\nDisallow: /y\n", ""):
            peer = urllib.robotparser.RobotFileParser()
            peer.parse(text.splitlines())
            robots = robots_scan.parse(text)
            self.assertEqual(robots.site_maps(), peer.site_maps())
            for agent in ("a", "b"):
                self.assertEqual(robots.crawl_delay(agent), peer.crawl_delay(agent), text)
                self.assertEqual(robots.request_rate(agent), peer.request_rate(agent), text)
                for url in ("/x", "https://h/x", "https://h/y"):
                    self.assertIs(robots.can_fetch(agent, url), peer.can_fetch(agent, url), (text, agent, url))

    def test_robotparser_has_one_of_two_behaviours(self) -> None:
        """Patch releases since May 2026 follow RFC 9309. See docs/pitfalls.md."""
        cases = (
            ("User-agent: *\nDisallow: /*/print$\n", "/a/print", True),
            ("User-agent: *\nDisallow: /a\nAllow: /a/b\n", "/a/b", False),
            ("User-agent: *\n\nDisallow: /\n", "/", True),
            ("User-agent: a\nDisallow: /1\n\nUser-agent: a\nDisallow: /2\n", "/2", True),
        )
        follows_the_standard = set()
        for text, url, before in cases:
            peer = urllib.robotparser.RobotFileParser()
            peer.parse(text.splitlines())
            follows_the_standard.add(peer.can_fetch("a", url) is not before)
            self.assertIs(robots_scan.parse(text).can_fetch("a", url), not before, text)
        self.assertEqual(len(follows_the_standard), 1, follows_the_standard)

    def test_a_rate_has_a_unit_and_no_hours_of_the_day(self) -> None:
        for value, rate in (("1/10m", (1, 600)), ("1/2h", (1, 7200)), ("3/1s # slow", (3, 1)), ("1/5 0600-0845", None), ("x", None)):
            found = robots_scan.parse(f"User-agent: *\nRequest-rate: {value}\n").request_rate("a")
            self.assertEqual(found, rate, value)
        self.assertEqual(repr(robots_scan.RequestRate(1, 5)), "RequestRate(requests=1, seconds=5)")


class Values(unittest.TestCase):
    def test_equal_files_have_equal_bodies_and_options(self) -> None:
        robots = robots_scan.parse(BODY)
        self.assertEqual(robots, robots_scan.parse(BODY))
        self.assertEqual(hash(robots), hash(robots_scan.parse(BODY)))
        self.assertEqual(len({robots, robots_scan.parse(BODY), robots_scan.parse(BODY + b"\n")}), 2)
        for other in (robots_scan.parse(BODY, body_limit=None), robots_scan.parse(BODY, is_truncated=True), BODY, None):
            self.assertNotEqual(robots, other)
            self.assertTrue(robots != other)
        with self.assertRaises(TypeError):
            robots < robots  # type: ignore[operator]

    def test_a_representation_counts_what_a_file_has(self) -> None:
        self.assertEqual(repr(robots_scan.parse(BODY)), f"<RobotsTxt: {len(BODY)} bytes, 2 groups, 2 rules, 1 sitemap>")
        self.assertEqual(repr(robots_scan.parse(b"")), "<RobotsTxt: 0 bytes, 0 groups, 0 rules, 0 sitemaps>")

    def test_copies_and_pickles_are_equal_and_answer_equally(self) -> None:
        for robots in (robots_scan.parse(BODY), robots_scan.parse(BODY, body_limit=30), robots_scan.parse(BODY, body_limit=None, is_truncated=True)):
            copies = [copy.copy(robots), copy.deepcopy(robots), copy.deepcopy([robots])[0]]
            copies += [pickle.loads(pickle.dumps(robots, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
            for other in copies:
                self.assertEqual(other, robots)
                self.assertEqual((other.body_limit, other.is_truncated), (robots.body_limit, robots.is_truncated))
                self.assertEqual(other.access("CCBot", "/x"), robots.access("CCBot", "/x"))
                self.assertEqual(other.anomalies, robots.anomalies)
        results = [robots.access("CCBot", "/x"), *robots.groups, *robots.groups[0].rules, *robots_scan.parse(b"Disalow: /").anomalies]
        self.assertEqual(pickle.loads(pickle.dumps(results)), results)

    def test_a_file_cannot_be_changed(self) -> None:
        robots = robots_scan.parse(BODY)
        for name in ("body", "sitemaps", "other"):
            with self.assertRaises(AttributeError):
                setattr(robots, name, None)

    def test_lines_after_the_limit_or_cut_off_do_not_count(self) -> None:
        body = b"User-agent: *\nDisallow: /a\nDisallow: /b"
        for robots in (robots_scan.parse(body, body_limit=30), robots_scan.parse(body, is_truncated=True)):
            self.assertFalse(robots.can_fetch("x", "/a"))
            self.assertTrue(robots.can_fetch("x", "/b"))
            self.assertEqual([rule.counts for rule in robots.groups[0].rules], [True, False])
        self.assertFalse(robots_scan.parse(body).can_fetch("x", "/b"))


class Threads(unittest.TestCase):
    def test_threads_share_a_file(self) -> None:
        lines = [f"User-agent: bot{i}\nDisallow: /{i}\n\n" for i in range(600)]
        body = "".join(lines)
        # More crawlers than are kept, so that entries are dropped while others are read.
        names = [f"bot{i}x"[: 4 + len(str(i)) - 1] for i in range(600)]
        expected = robots_scan.parse(body)
        answers = [(expected.access(name, f"/{i}"), expected.verdict(name), expected.crawl_delay(name)) for i, name in enumerate(names)]
        shared = robots_scan.parse(body)

        def ask(turn: int) -> None:
            for i in [*range(turn * 70, 600), *range(turn * 70)]:
                answer = shared.access(names[i], f"/{i}"), shared.verdict(names[i]), shared.crawl_delay(names[i])
                assert answer == answers[i], (names[i], answer)
            assert shared.anomalies == expected.anomalies
            assert shared.table("rules").to_pylist() == expected.table("rules").to_pylist()

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(ask, range(8)))

    def test_other_threads_run_while_a_large_body_is_parsed(self) -> None:
        body = b"User-agent: *\n" + b"".join(b"Disallow: /%d/*a*b*c$\n" % i for i in range(400_000))
        done, counts = threading.Event(), []

        def count() -> None:
            while not done.is_set():
                counts.append(time.monotonic())
                time.sleep(0.0005)

        thread = threading.Thread(target=count)
        thread.start()
        began = time.monotonic()
        robots = robots_scan.parse(body, body_limit=None)
        ended = time.monotonic()
        done.set()
        thread.join()
        self.assertEqual(len(robots.groups[0].rules), 400_000)
        # Without the lock of the interpreter, this is once per 0.5 ms; with it, never.
        between = [moment for moment in counts if began < moment < ended]
        self.assertGreater(len(between), 3)


def anomalies_of_table(robots: robots_scan.RobotsTxt) -> list[tuple[int | None, str]]:
    """Return the anomalies of a file in the table."""
    return [(row["line_no"], row["code"]) for row in robots.table("anomalies").to_pylist()]


class Hostile(unittest.TestCase):
    def questions(self, body: bytes) -> None:
        robots = robots_scan.parse(body)
        self.assertEqual(robots.body, body)
        for dialect in (None, "google", "rfc9309", "koster1996"):
            for agent in ("*", "a", "", "\0", "GPTBot", b"\xff" * 9):
                robots.access(agent, "/" + "a" * 3000, dialect)
                self.assertIn(robots.verdict(agent, dialect), ("allow_all", "partial", "disallow_all", "unknown"))
        for url in ("", "http://", "http://[", "/\0", "/?", "//", "/%", "/%0", "mailto:x", "/" + "a" * 100_000, b"/\xff\xfe"):
            robots.can_fetch("a", url)
        repr(robots)
        for name in ("groups", "rules", "sitemaps", "directives", "preferences", "anomalies", "verdicts"):
            table = robots.table(name)
            self.assertEqual(len(table.to_pylist()), len(table))
        self.assertEqual(anomalies_of_table(robots), [(found.line_no, found.code) for found in robots.anomalies])
        self.assertEqual(pickle.loads(pickle.dumps(robots)), robots)

    def test_any_bytes_are_a_file(self) -> None:
        group = b"User-agent: a\n"
        bodies = [
            b"",
            b"\0" * 100_000,
            bytes(range(256)) * 200,
            b"\xff\xfe" + "User-agent: *\nDisallow: /\n".encode("utf-16-le"),
            b"\r" * 100_000,
            b"\xef\xbb\xbf" * 50_000,
            b"User-agent: " + b"a" * 500_000,
            b"User-agent:\n" * 30_000,
            group * 30_000,
            b"".join(b"User-agent: a%d\n" % i for i in range(20_000)) + b"Disallow: /\n",
            group + b"Disallow: /" + b"*a" * 8_000 + b"$\n",
            group + b"Disallow: /*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b$\n" * 300,
            group + b"".join(b"Allow: /*%d*x%d$\nDisallow: /%d*y*\n" % (i, i, i) for i in range(2_000)),
            b"Sitemap: http://[\n" * 10_000 + b"Content-Signal: " + b"ai-train=no," * 9_000,
            b"Crawl-delay: 1e309\nCrawl-delay: -1\nCrawl-delay: nan\n",
            b"<html>" + b"<a>" * 50_000,
            b"User-agent: *\nDisallow: /%" + b"%G" * 4_000,
            b":" * 200_000,
            b"#" * 200_000,
        ]  # fmt: skip
        for body in bodies:
            with self.subTest(body=body[:40], size=len(body)):
                self.questions(body)

    def test_a_file_beyond_the_limit_is_kept_whole(self) -> None:
        body = b"User-agent: *\nDisallow: /x\n" + b"# " + b"x" * (64 << 20)
        robots = robots_scan.parse(body)
        self.assertEqual(len(robots.body), len(body))
        self.assertEqual(robots.verdict("a"), "partial")

    def test_every_sample_has_tables(self) -> None:
        for place, body in corpus.sample_bodies().items():
            robots = robots_scan.parse(body)
            rules = [rule for group in robots.groups for rule in group.rules]
            with self.subTest(place=place):
                self.assertLessEqual(len(rules), len(robots.table("rules")))
                self.assertEqual(anomalies_of_table(robots), [(found.line_no, found.code) for found in robots.anomalies])


if __name__ == "__main__":
    unittest.main()
