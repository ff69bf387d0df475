"""Tests the views, the macros and the research questions.

    make .venv-test/ready
    python tests/python/test_queries.py                                   # on hand-made rows
    ROBOTS_SCAN_DATASET=out.parquet python tests/python/test_queries.py   # also on a dataset of data-samples
    python tests/python/test_queries.py --write                           # also writes the list of questions in docs/queries.md

Tested are

(a) the oracle of tests/python/oracle/hosts.sql on a small dataset that is generated here, row by row, with exact answers: all cases of
    revisits, redirects and hosts; and macros.sql over the tables hosts and host_verdicts that the oracle makes of it. (test_hosts.py
    compares the oracle with the tables that the program writes.);
(b) questions on hand-made rows that the samples do not have, also joined with lists, with answers that were counted by hand, and every
    question on empty tables; that questions about many crawlers equal those about one (test_equal_answers.py), also on random rows; and
    that the intervals of samples are those of a textbook;
(c) that every share in these answers is between 0 and 1;
(d) that unknown crawlers, crawls, categories and lists are errors of one line, for every question, also on empty tables;
(e) that the macros agree with the tables of the dataset, and that questions() and docs/queries.md list every question;
(f) that the `duckdb` command opens a dataset with `duckdb -init views.sql` from another working directory.

That the answers of questions are right is also the subject of test_independent.py, by another computation.

The last line is `N passed, N failed`; the exit code is 1 if any failed.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import duckdb

import questions
import test_equal_answers
from dataset import number_domains, opened
from test_runner import share

ROOT = Path(__file__).resolve().parents[2]
JOBS = ROOT / "jobs"
SCHEMAS = ROOT / "schemas"
MACROS = ROOT / "src" / "tables" / "macros.sql"
REASONS = MACROS.with_name("reasons.sql")
# The first macro of views.sql, which depends on the dataset.
MEANING = "CREATE OR REPLACE MACRO meaning_of(crawl) AS 1; COMMENT ON MACRO meaning_of IS 'A meaning';\n"
ORACLE = Path(__file__).with_name("oracle") / "hosts.sql"

OLD, NEW = "CC-MAIN-2024-10", "CC-MAIN-2025-38"
NOTHING = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"  # the digest of an empty body

# The outcome, fetch_class and effect of a status, as the program writes them.
STATUS = {
    200: ("successful", "success", "parse"),
    301: ("redirect", "redirect", "follow"),
    304: ("redirect", "redirect", "defer"),
    401: ("unavailable", "unauthorized", "allow_all"),
    403: ("unavailable", "forbidden", "allow_all"),
    404: ("unavailable", "notfound", "allow_all"),
    410: ("unavailable", "notfound", "allow_all"),
    429: ("unavailable", "defer_visits", "disallow_all"),
    503: ("unreachable", "defer_visits", "disallow_all"),
    None: ("unreachable", "other", "disallow_all"),
}


class Dataset:
    """Collects rows and inserts them into the tables of a connection."""

    def __init__(self):
        self.rows = {}

    def add(self, table, **row):
        self.rows.setdefault(table, []).append(row)

    def capture(self, robots_id, url, status=200, time=1, to=None, crawl=NEW, digest=None, revisit=False, star=None, **more):
        """Adds a capture and its verdict for '*'. `time` is a day, `star` is (verdict, basis)."""
        scheme, rest = url.split("://")
        host, _, path = rest.partition("/")
        outcome, fetch_class, effect = STATUS[status]
        if status == 301 and to is None:
            effect = "defer"
        labels = host.split(".")
        surt = ",".join(reversed(labels[1:] if labels[0] == "www" and len(labels) > 2 else labels))
        content = outcome == "successful" and not revisit
        row = dict(
            crawl=crawl, subset="robotstxt", robots_id=robots_id, url=url, surt_host_name=surt, url_host_name=host,
            url_host_tld=labels[-1], url_host_registered_domain=".".join(labels[-2:]), url_protocol=scheme,
            url_path="/" + path, fetch_time=f"2025-01-{time:02} 00:00:00",
            fetch_status=status, fetch_redirect=to, content_digest=digest, is_revisit=revisit,
            is_robots_path=path == "robots.txt", outcome=outcome, fetch_class=fetch_class, effect_google=effect,
            effect_rfc9309=effect, effect_koster1996=effect, content_class="rules" if content else None,
            ruleset_id=robots_id if content else None, body_bytes=100 if content else None,
            over_500kib=False if content else None, warc_filename="crawl-data/x.warc.gz", warc_record_offset=robots_id,
        )
        row.update(more)
        self.add("robots_files", **row)
        if star is None:
            if effect == "parse" and not revisit:
                star = ("partial", "wildcard")
            elif effect in ("allow_all", "disallow_all") and not revisit:
                star = (effect, "http_status")
            else:
                star = ("unknown", "http_status")
        self.verdict(robots_id, "*", star[0], star[1], crawl=crawl)

    def verdict(self, robots_id, agent, verdict, basis, google=None, crawl=NEW, **more):
        row = dict(
            crawl=crawl, subset="robotstxt", robots_id=robots_id, agent=agent, verdict=verdict,
            verdict_google=google or verdict, verdict_rfc9309=google or verdict, verdict_koster1996=google or verdict, basis=basis, root_allowed=verdict != "disallow_all", n_allow=0,
            n_disallow=0 if verdict == "allow_all" else 1, evidence_line=None if verdict == "unknown" else 2,
        )
        row.update(more)
        self.add("verdicts", **row)

    def agent(self, token, category, category2=None, fallbacks=None, ignores_wildcard=False):
        self.add("agents", agent=token.lower(), token=token, operator="Somebody", category=category, category2=category2,
                 fallbacks=fallbacks, ignores_wildcard=ignores_wildcard, is_control_token=False)

    def load(self, con):
        for table, rows in self.rows.items():
            known = [name for (name,) in con.execute(
                "SELECT column_name FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [table]).fetchall()]
            for row in rows:
                names = [n for n in row if n in known]
                assert {"robots_id", "token"} & set(names), f"{table} has no key column"
                marks = ", ".join("?" for _ in names)
                con.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", [row[n] for n in names])
        con.execute(ORACLE.read_text(encoding="utf-8"))
        # The oracle has no keys of its own for hosts.
        con.execute("CREATE TEMP TABLE numbered AS SELECT row_number() OVER (ORDER BY crawl, surt_host_name) AS host_id, crawl, surt_host_name "
                    "FROM oracle_hosts")
        for table in ("hosts", "host_verdicts"):
            con.execute(f"INSERT INTO {table} BY NAME SELECT t.*, n.host_id FROM oracle_{table} t JOIN numbered n USING (crawl, surt_host_name)")
        con.execute("DROP TABLE numbered")
        con.execute("UPDATE hosts SET domain = coalesce(url_host_registered_domain, surt_host_name), archive_no = authoritative_robots_id >> 32")
        number_domains(con)
        con.execute("INSERT INTO runs BY NAME SELECT DISTINCT crawl, subset, 1 AS inputs, 1 AS listed_inputs FROM robots_files")
        define(con)


def define(con):
    """Defines the macros and the questions."""
    con.execute(MEANING)
    con.execute(MACROS.read_text(encoding="utf-8"))
    con.execute(REASONS.read_text(encoding="utf-8"))
    for question in questions.ALL:
        con.execute(question.definition)
        con.execute(f"COMMENT ON MACRO TABLE {question.name} IS 'A question'")


def make_tables(con):
    """Creates the tables from schemas/, with the partition columns."""
    files = sorted(f for f in SCHEMAS.glob("*.sql") if f.name != "views.spark.sql")
    schema = "\n".join(f.read_text(encoding="utf-8") for f in files)
    # A row of a test has only the columns that the test is about.
    con.execute(schema.replace(" NOT NULL", ""))
    for (table,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        if table != "agents":
            con.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS crawl VARCHAR")
            if table not in ("hosts", "host_verdicts", "host_preferences"):
                con.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS subset VARCHAR")


# ---- the rows ------------------------------------------------------------------------------------------------------------

def revisit_rows(d):
    # Same URL: the latest capture that is not after the revisit. Captures of other URLs do not count, even if closer in time.
    d.capture(101, "https://v1.test/robots.txt", time=1, digest="D1")
    d.capture(102, "https://v1.test/robots.txt", time=3, digest="D1")
    d.capture(103, "https://v1.test/robots.txt", time=9, digest="D1")
    d.capture(104, "https://v1b.test/robots.txt", time=5, digest="D1")
    d.capture(105, "https://v1.test/robots.txt", time=5, digest="D1", revisit=True)
    # Same URL, only later captures: the earliest of them, even though another URL has an earlier capture.
    d.capture(111, "https://v2.test/robots.txt", time=8, digest="D2")
    d.capture(112, "https://v2.test/robots.txt", time=9, digest="D2")
    d.capture(113, "https://v2b.test/robots.txt", time=1, digest="D2")
    d.capture(114, "https://v2.test/robots.txt", time=5, digest="D2", revisit=True)
    # Another URL: the latest capture that is not after the revisit, or the earliest if all are later.
    d.capture(121, "https://v3a.test/robots.txt", time=1, digest="D3")
    d.capture(122, "https://v3b.test/robots.txt", time=4, digest="D3")
    d.capture(123, "https://v3c.test/robots.txt", time=6, digest="D3")
    d.capture(124, "https://v3.test/robots.txt", time=5, digest="D3", revisit=True)
    d.capture(125, "https://v3d.test/robots.txt", time=8, digest="D3d")
    d.capture(126, "https://v3e.test/robots.txt", time=7, digest="D3d")
    d.capture(127, "https://v3f.test/robots.txt", time=5, digest="D3d", revisit=True)
    # Only another crawl has the content. robots_id 130 is in both crawls, because ids are unique only within a crawl.
    d.capture(130, "https://v4.test/robots.txt", time=1, digest="D4", crawl=OLD, star=("disallow_all", "wildcard"))
    d.capture(130, "https://v4x.test/robots.txt", time=1, digest="D4x")
    d.capture(131, "https://v4.test/robots.txt", 304, time=5, digest="D4", revisit=True)
    # The revisit has no headers, so the status is missing.
    d.capture(135, "https://v5.test/robots.txt", time=1, digest="D5")
    d.capture(136, "https://v5.test/robots.txt", None, time=5, digest="D5", revisit=True)
    # Equal bodies with different statuses: a 404 is filled only by a 404, and a 503 by none.
    d.capture(141, "https://v6.test/robots.txt", 200, time=4, digest="D6")
    d.capture(142, "https://v6b.test/robots.txt", 404, time=1, digest="D6")
    d.capture(143, "https://v6.test/robots.txt", 404, time=5, digest="D6", revisit=True)
    d.capture(144, "https://v6c.test/robots.txt", 503, time=1, digest="D6")
    d.capture(145, "https://v6c.test/robots.txt", 503, time=5, digest="D6", revisit=True)
    d.capture(146, "https://v6d.test/robots.txt", 403, time=5, digest="D6", revisit=True)
    # The digest of an empty body does not fill a 304, but it fills a revisit with status 200.
    d.capture(151, "https://v7.test/robots.txt", time=1, digest=NOTHING, star=("allow_all", "no_rules"))
    d.capture(152, "https://v7.test/robots.txt", 304, time=5, digest=NOTHING, revisit=True)
    d.capture(153, "https://v7b.test/robots.txt", 200, time=5, digest=NOTHING, revisit=True)
    # No capture with this content; a revisit does not fill another revisit; no digest.
    d.capture(161, "https://v8.test/robots.txt", time=5, digest="D8", revisit=True)
    d.capture(162, "https://v8b.test/robots.txt", time=6, digest="D8", revisit=True)
    d.capture(163, "https://v9.test/robots.txt", time=6, revisit=True)
    # Captures without a time.
    d.capture(165, "https://v9b.test/robots.txt", digest="D9", fetch_time=None)
    d.capture(166, "https://v9c.test/robots.txt", digest="D9", revisit=True, fetch_time=None)
    # Two captures of the same time: the one with the larger robots_id.
    d.capture(171, "https://v10.test/robots.txt", time=1, digest="D10")
    d.capture(172, "https://v10.test/robots.txt", time=1, digest="D10")
    d.capture(173, "https://v10.test/robots.txt", time=2, digest="D10", revisit=True)


REVISITS = [
    (NEW, 105, 102), (NEW, 114, 111), (NEW, 124, 122), (NEW, 127, 126), (NEW, 136, 135), (NEW, 143, 142), (NEW, 153, 151),
    (NEW, 166, 165), (NEW, 173, 172),
]


def redirect_rows(d):
    def hop(robots_id, a, b, path="robots.txt"):
        d.capture(robots_id, f"http://{a}.test/{path}", 301, to=f"http://{b}")

    # One hop to another path of another host, which is not a robots.txt path.
    d.capture(201, "http://r1.test/robots.txt", 301, to="https://r1t.test/policy.txt")
    d.capture(202, "https://r1t.test/policy.txt", star=("disallow_all", "wildcard"))
    # Five hops are resolved, six are not.
    for i in range(5):
        hop(210 + i, f"r2-{i}", f"r2-{i + 1}.test/robots.txt")
    d.capture(215, "http://r2-5.test/robots.txt")
    hop(219, "r2-start", "r2-0.test/robots.txt")
    # A loop of two redirects, and a redirect to itself.
    hop(221, "r3a", "r3b.test/robots.txt")
    hop(222, "r3b", "r3a.test/robots.txt")
    hop(223, "r3c", "r3c.test/robots.txt")
    # A redirect into a loop.
    hop(224, "r3d", "r3a.test/robots.txt")
    # A redirect to its own URL, which was captured again with content (as after setting a cookie).
    hop(231, "r4", "r4.test/robots.txt")
    d.capture(232, "http://r4.test/robots.txt", time=2)
    # The first target was not captured; the second target was not captured; the target is only in another crawl.
    hop(241, "r5", "nowhere.test/robots.txt")
    hop(242, "r5b", "r5.test/robots.txt")
    hop(243, "r5c", "r5d.test/robots.txt")
    d.capture(244, "http://r5d.test/robots.txt", crawl=OLD)
    d.capture(245, "http://r5e.test/robots.txt", 301, to="http://r5d.test/robots.txt", crawl=OLD)
    # A redirect of another path does not begin a chain.
    hop(246, "r5f", "r1t.test/policy.txt", path="other.txt")
    # The target has several captures: content is preferred to a later 503, and the later of two captures with content is used.
    hop(251, "r6", "r6t.test/x")
    d.capture(252, "http://r6t.test/x", 200, time=1)
    d.capture(253, "http://r6t.test/x", 503, time=9)
    hop(254, "r6b", "r6u.test/x")
    d.capture(255, "http://r6u.test/x", 200, time=1)
    d.capture(256, "http://r6u.test/x", 200, time=2)
    # Targets without content: 404, 403, 503, 304, and a redirect without Location.
    for i, status in enumerate((404, 403, 503, 304, 301)):
        hop(260 + i, f"r7-{status}", f"r7t.test/{status}")
        d.capture(270 + i, f"http://r7t.test/{status}", status)
    # Redirects to a revisit that is filled, and to one that is not filled.
    hop(281, "r8", "r8t.test/x")
    d.capture(282, "http://r8t.test/x", 304, digest="R8", revisit=True)
    d.capture(283, "http://r8t.test/y", digest="R8", star=("disallow_all", "wildcard"))
    hop(284, "r9", "r9t.test/x")
    d.capture(285, "http://r9t.test/x", 200, digest="R9", revisit=True)


# robots_id: hops, target_robots_id, resolved, answer_rank, rules_robots_id
REDIRECTS = {
    201: (1, 202, True, 0, 202),
    210: (5, 215, True, 0, 215), 211: (4, 215, True, 0, 215), 212: (3, 215, True, 0, 215),
    213: (2, 215, True, 0, 215), 214: (1, 215, True, 0, 215), 219: (5, 214, False, 4, 214),
    221: (1, 222, False, 4, 222), 222: (1, 221, False, 4, 221), 223: (0, None, False, None, None),
    224: (2, 222, False, 4, 222),
    231: (1, 232, True, 0, 232),
    241: (0, None, False, None, None), 242: (1, 241, False, 4, 241), 243: (0, None, False, None, None),
    245: (1, 244, True, 0, 244),
    251: (1, 252, True, 0, 252), 254: (1, 256, True, 0, 256),
    260: (1, 270, True, 1, 270), 261: (1, 271, True, 2, 271), 262: (1, 272, True, 3, 272),
    263: (1, 273, True, 4, 273), 264: (1, 274, True, 4, 274),
    281: (1, 282, True, 0, 283), 284: (1, 285, True, 4, 285),
}


def host_rows(d):
    # Content by https is preferred to later content by http, then the latest capture, then the smallest robots_id.
    d.capture(301, "https://h1.test/robots.txt", time=1)
    d.capture(302, "http://h1.test/robots.txt", time=9)
    d.capture(303, "https://h2.test/robots.txt", time=2)
    d.capture(304, "https://h2.test/robots.txt", time=3)
    d.capture(306, "https://h3.test/robots.txt", time=2)
    d.capture(305, "https://h3.test/robots.txt", time=2)
    d.capture(-307, "https://h3b.test/robots.txt", time=2)
    d.capture(-306, "https://h3b.test/robots.txt", time=2)
    # A capture of a better rank is preferred, regardless of scheme and time.
    d.capture(311, "http://h4.test/robots.txt", 200, time=1)
    d.capture(312, "https://h4.test/robots.txt", 404, time=9)
    d.capture(313, "http://h5.test/robots.txt", 410, time=1)
    d.capture(314, "https://h5.test/robots.txt", 403, time=9)
    d.capture(315, "http://h6.test/robots.txt", 401, time=1)
    d.capture(316, "https://h6.test/robots.txt", 503, time=9)
    d.capture(317, "http://h7.test/robots.txt", 429, time=1)
    d.capture(318, "https://h7.test/robots.txt", 301, time=9, to="https://nowhere.test/robots.txt")
    d.capture(319, "http://h8.test/robots.txt", 503, time=1)
    d.capture(320, "https://h8.test/robots.txt", 304, time=9)
    d.capture(321, "http://h9.test/robots.txt", 503, time=1)
    d.capture(322, "https://h9.test/robots.txt", 200, time=9, revisit=True, digest="H9")
    # A resolved redirect has the rank of its target: content is preferred to a 404, also at the end of a redirect.
    d.capture(331, "http://h10.test/robots.txt", 301, to="http://h10t.test/x")
    d.capture(332, "http://h10t.test/x")
    d.capture(333, "https://h10.test/robots.txt", 404, time=9)
    d.capture(334, "https://h11.test/robots.txt", 301, to="http://h11t.test/x", time=9)
    d.capture(335, "http://h11t.test/x", 404)
    d.capture(336, "http://h11.test/robots.txt", time=1)
    # A filled revisit counts as content. Its own row is selected if it is the latest.
    d.capture(341, "https://h12.test/robots.txt", time=1, digest="H12")
    d.capture(342, "https://h12.test/robots.txt", 304, time=5, digest="H12", revisit=True)
    # A host with and without www is the same host.
    d.capture(351, "https://www.h13.test/robots.txt", time=2)
    d.capture(352, "https://h13.test/robots.txt", time=1)
    # The same host in the other crawl has its own row.
    d.capture(361, "https://h1.test/robots.txt", 404, crawl=OLD)


# host in the crawl NEW: robots_id, rules_robots_id
HOSTS = {
    "h1": (301, 301), "h2": (304, 304), "h3": (305, 305), "h3b": (-307, -307), "h4": (311, 311),
    "h5": (313, 313), "h6": (315, 315), "h7": (317, 317), "h8": (319, 319), "h9": (321, 321),
    "h10": (331, 332), "h11": (336, 336), "h12": (342, 341), "h13": (351, 351),
    "v4": (131, 131), "v6": (141, 141), "v8": (161, 161),
    "r1": (201, 202), "r2-0": (210, 215), "r2-start": (219, 219), "r3a": (221, 221),
    "r4": (232, 232), "r5": (241, 241), "r7-404": (260, 270), "r7-503": (262, 272),
    "r8": (281, 283), "r9": (284, 285),
    # Captures of other paths do not add a host.
    "h10t": None, "r1t": None, "r5d": None,
}


def verdict_rows(d):
    d.agent("GPTBot", "ai_training")
    d.agent("CCBot", "archive", category2="ai_training")
    d.agent("Googlebot", "search_engine")
    d.agent("Googlebot-News", "search_engine", fallbacks="googlebot")
    d.agent("Twobot", "ai_search", fallbacks="firstbot, googlebot")
    d.agent("AdsBot-Google", "advertising", ignores_wildcard=True)
    d.agent("AdsBot-Child", "advertising", fallbacks="adsbot-google", ignores_wildcard=True)

    def site(n, **more):
        d.capture(400 + n, f"https://a{n}.test/robots.txt", **more)

    site(1, star=("disallow_all", "wildcard"))                    # names no crawler
    site(2, star=("disallow_all", "wildcard"))                    # allows GPTBot by name
    d.verdict(402, "gptbot", "allow_all", "explicit", crawl_delay_ms=7500, evidence_line=9, n_allow=3)
    site(3, star=("allow_all", "no_group"))                       # disallows only Googlebot
    d.verdict(403, "googlebot", "disallow_all", "explicit")
    site(4)                                                       # names both: each has its own group
    d.verdict(404, "googlebot", "disallow_all", "explicit")
    d.verdict(404, "googlebot-news", "allow_all", "explicit", google="partial")
    site(5, star=("partial", "wildcard"))                         # a row that only a token matches: the basis is not explicit
    d.verdict(405, "gptbot", "partial", "wildcard", google="disallow_all")
    d.verdict(405, "googlebot-news", "partial", "wildcard", google="allow_all")
    d.verdict(405, "googlebot", "disallow_all", "explicit")
    site(6)                                                       # names only the second fallback
    d.verdict(406, "googlebot", "disallow_all", "explicit")
    site(7)                                                       # names both fallbacks: the first is used
    d.verdict(407, "googlebot", "disallow_all", "explicit")
    d.verdict(407, "firstbot", "allow_all", "explicit")
    site(8, star=("disallow_all", "wildcard"))                    # names AdsBot: its group applies
    d.verdict(408, "adsbot-google", "partial", "explicit")
    site(9, status=404)
    site(10, status=503)
    site(11, star=("unknown", "too_complex"))
    site(12, status=304, star=("unknown", None))                  # nothing was fetched: no basis, no ignored group
    site(17)                                                      # above the work limit: no '*' or fallback
    d.verdict(417, "googlebot-news", "unknown", "too_complex")
    d.verdict(417, "googlebot", "disallow_all", "explicit")
    d.capture(413, "https://a13.test/robots.txt", 301, to="https://a13t.test/x")   # the rules of the target apply
    d.capture(414, "https://a13t.test/x", star=("allow_all", "no_group"))
    d.verdict(414, "gptbot", "disallow_all", "explicit")
    d.verdict(413, "gptbot", "allow_all", "explicit")             # ignored, because this is not the capture whose rules apply
    d.capture(415, "https://a15.test/robots.txt", 304, time=5, digest="A15", revisit=True)  # filled
    d.capture(419, "https://a15.test/robots.txt", digest="A15", star=("allow_all", "no_group"))
    d.verdict(419, "gptbot", "disallow_all", "explicit")
    d.capture(416, "https://a15.test/robots.txt", digest="A19", crawl=OLD, star=("allow_all", "no_group"))
    d.verdict(416, "gptbot", "disallow_all", "explicit", crawl=OLD)
    d.verdict(416, "gptbot", "partial", "explicit")               # the same id in the newer crawl is a different file
    d.capture(420, "https://a19.test/robots.txt", 304, digest="A19", revisit=True)  # only the older crawl has its content
    d.capture(418, "https://a18.test/robots.txt", 304, digest="A15", revisit=True)  # filled by the same capture
    d.capture(416, "https://a16.test/robots.txt")


P, D, A, U = "partial", "disallow_all", "allow_all", "unknown"
# requested agent: {host: (verdict, verdict_google, basis)}
VERDICTS = {
    "GPTBot": {
        "a1": (D, D, "wildcard"), "a2": (A, A, "explicit"), "a3": (A, A, "no_group"), "a5": (P, D, "wildcard"),
        "a9": (A, A, "http_status"), "a10": (D, D, "http_status"), "a11": (U, U, "too_complex"), "a12": (U, U, None),
        "a13": (D, D, "explicit"), "a15": (D, D, "explicit"), "a16": (P, P, "explicit"),
        "a18": (D, D, "explicit"), "a19": (U, U, "http_status"),
        "r1": (D, D, "wildcard"), "r8": (D, D, "wildcard"), "v4": (U, U, "http_status"), "h6": (A, A, "http_status"),
    },
    "googlebot-NEWS ": {
        "a1": (D, D, "wildcard"), "a3": (D, A, "explicit"), "a4": (A, P, "explicit"), "a5": (D, A, "explicit"),
        "a6": (D, P, "explicit"), "a9": (A, A, "http_status"), "a17": (U, U, "too_complex"),
    },
    "twobot": {"a6": (D, P, "explicit"), "a7": (A, P, "explicit"), "a3": (D, A, "explicit"), "a1": (D, D, "wildcard")},
    "AdsBot-Google": {
        "a1": (A, D, "no_group"), "a3": (A, A, "no_group"), "a8": (P, P, "explicit"), "a9": (A, A, "http_status"),
        "a10": (D, D, "http_status"), "a11": (A, U, "no_group"), "a12": (U, U, None), "r1": (A, D, "no_group"),
    },
    "adsbot-child": {"a8": (P, D, "explicit"), "a1": (A, D, "no_group"), "a10": (D, D, "http_status")},
    "firstbot": {"a7": (A, A, "explicit"), "a6": (P, P, "wildcard"), "a1": (D, D, "wildcard")},
    "nobody-knows-it": {"a1": (D, D, "wildcard"), "a2": (D, D, "wildcard"), "a4": (P, P, "wildcard")},
    "*": {"a1": (D, D, "wildcard"), "a3": (A, A, "no_group"), "a12": (U, U, None)},
}


def all_rows():
    d = Dataset()
    revisit_rows(d)
    redirect_rows(d)
    host_rows(d)
    verdict_rows(d)
    return d


def small_rows():
    """Three hosts with rules in one crawl, one of them by a redirect, and one with a 404. The counts can be checked by hand."""
    d = Dataset()
    d.agent("GPTBot", "ai_training")
    d.agent("CCBot", "archive", category2="ai_training")
    d.agent("Googlebot", "search_engine")
    d.capture(1, "https://one.test/robots.txt", star=("partial", "wildcard"), template="cloudflare_managed", ruleset_id=7,
              content_truncated="length")
    d.capture(2, "https://two.test/robots.txt", 301, to="https://cdn.test/two.txt")
    d.capture(3, "https://cdn.test/two.txt", star=("allow_all", "no_group"), template="wix", ruleset_id=7, body_bytes=300)
    d.capture(4, "https://three.test/robots.txt", star=("disallow_all", "wildcard"), ruleset_id=8, body_bytes=600_000,
              over_500kib=True, content_truncated="length")
    d.capture(5, "http://three.test/robots.txt", ruleset_id=9)
    d.capture(6, "https://four.test/robots.txt", 404, waf_hint="cloudflare")
    d.verdict(1, "gptbot", "disallow_all", "explicit", evidence_line=5)
    d.verdict(1, "ccbot", "disallow_all", "explicit")
    d.verdict(3, "gptbot", "disallow_all", "explicit")
    d.verdict(3, "ccbot", "allow_all", "explicit")
    d.verdict(4, "googlebot", "allow_all", "explicit")
    d.verdict(5, "ccbot", "disallow_all", "explicit")  # a capture that is authoritative for no host

    def child(table, robots_id, **row):
        d.add(table, crawl=NEW, subset="robotstxt", robots_id=robots_id, **row)

    for robots_id, agent, valid, delay in ((1, "*", False, 1.0), (1, "gptbot", True, None), (3, "gptbot", True, 10.0),
                                           (3, "mj12bot", False, None), (4, "googlebot", True, None), (5, "xbot", True, 99.0)):
        child("groups", robots_id, agent=agent, token_valid=valid, counts=True, crawl_delay_ms=delay and int(delay * 1000))
    seen = set()
    for rule in ((1, "/", False), (1, "/x", False), (3, "/x", False), (3, "/x", False), (3, "/y", True), (4, "", False), (5, "/z", False)):
        robots_id, path, allow = rule
        child("rules", robots_id, group_no=1, path=path, allow=allow, is_empty=path == "", counts=True, is_repeated=rule in seen)
        seen.add(rule)
    child("sitemaps", 1, is_absolute=True, same_registered_domain=True)
    child("sitemaps", 1, is_absolute=False, same_registered_domain=True)
    child("sitemaps", 3, is_absolute=True, same_registered_domain=False)
    child("sitemaps", 3, is_absolute=True, same_registered_domain=True)
    child("directives", 3, directive="host", known=True)
    child("directives", 3, directive="host", known=True)
    child("preferences", 1, mechanism="content-signal", pref_key="ai-train", pref_value="no", allow=False, is_valid=True,
          from_template=True, counts=True)
    child("preferences", 3, mechanism="content-signal", pref_key="ai-train", pref_value="yes", allow=True, is_valid=True,
          from_template=False, counts=True)
    child("anomalies", 1, code="missing_colon", severity="warning", changes_verdict=True)
    child("anomalies", 3, code="missing_colon", severity="warning", changes_verdict=False)
    child("anomalies", 3, code="missing_colon", severity="warning", changes_verdict=None)
    return d


def outside_rows():
    """small_rows(), and files without rules, web pages and binary data with lines like rules, each on three hosts."""
    d = small_rows()
    robots_id = 1000
    for content_class in ("no_rules", "comments_only", "html", "binary"):
        for n in range(3):
            robots_id += 1
            d.capture(robots_id, f"https://{content_class.replace('_', '-')}{n}.test/robots.txt", star=("allow_all", "no_group"),
                      content_class=content_class, template="yoast", over_500kib=True)
            d.verdict(robots_id, "gptbot", "disallow_all", "explicit")
            for agent in ("*", "gptbot"):
                d.add("groups", crawl=NEW, subset="robotstxt", robots_id=robots_id, agent=agent, token_valid=False, counts=True,
                      crawl_delay_ms=500)
            for table, row in (
                ("rules", dict(group_no=1, path="/x", allow=False, is_empty=False, counts=True, is_repeated=False)),
                # A sitemap without a URL, whose host is unknown.
                ("sitemaps", dict(is_absolute=False, same_registered_domain=None)),
                ("directives", dict(directive="host", known=True)),
                ("preferences", dict(mechanism="content-signal", pref_key="ai-train", pref_value="no", allow=False,
                                     is_valid=True, from_template=True, counts=True)),
                ("anomalies", dict(code="missing_colon", severity="warning", changes_verdict=True)),
            ):
                d.add(table, crawl=NEW, subset="robotstxt", robots_id=robots_id, **row)
    return d


# Floating-point columns that are not shares: seconds, counts, and ratios of two counts of which neither includes the other.
NOT_SHARES = {("bias_against_agents", "against_everybody"), ("bias_against_agents", "domains_against_everybody")} | {
    ("crawl_delays", name) for name in ("median", "p90", "p99", "longest", "domains_median", "domains_p90")} | {
    ("policy_sizes", name) for name in ("mean", "median", "p90", "p99", "largest", "domains_mean", "domains_median", "domains_p90")} | {
    ("blocking_by_label", "weight"), ("file_sizes", "domains_median_bytes")}

# The questions that have a row over a crawl without hosts. For the others that is an error.
OVER_NOTHING = {"names_first_seen", "change_rates", "denominators"}

# The answers for small_rows(). Each of the four hosts is a domain of its own. one and two block gptbot by name, three blocks '*', four has
# no file. Two of the three files have rule set 7, with templates that differ.
SMALL_ANSWERS = {
    # Fewer than thirty hosts: the answer says among how many nothing was counted.
    "blocking_by_tld()": ("crawl agent url_host_tld hosts of_hosts of_domains blocked_by_name", [(NEW, "gptbot", None, 0, 4, 4, None)]),
    "blocking_by_software()": ("crawl agent software hosts of_hosts of_domains blocked_by_name", [(NEW, "gptbot", None, 0, 4, 4, None)]),
    "most_blocked_agents()": ("crawl agent named ratio hosts of_hosts share domains_any of_domains", [(NEW, None, 0, None, 0, 4, 0, 0, 4)]),
    "invitations()": ("crawl agent named hosts of_hosts share domains_any of_domains despite_wildcard", [(NEW, None, 0, 0, 4, 0, 0, 4, 0)]),
    "most_addressed_names()": ("crawl agent tracked hosts of_hosts share", [(NEW, None, None, 0, 3, 0)]),
    "agents_blocked_together()": ("crawl agent_a agent_b hosts domains_any share_of_rarer", [(NEW, None, None, 0, 0, None)]),
    # one blocks both, two blocks gptbot and lets ccbot in, and three blocks '*' and names only googlebot.
    "most_blocked_agents(min_hosts := 2)": ("agent named ratio hosts of_hosts", [("gptbot", 2, 1, 2, 4), ("ccbot", 2, 0.5, 1, 4)]),
    "invitations(min_hosts := 1)": ("agent named hosts despite_wildcard", [("ccbot", 2, 1, 0), ("gptbot", 2, 0, 0)]),
    "agents_blocked_together(min_hosts := 1)": ("agent_a agent_b hosts share_of_rarer", [("ccbot", "gptbot", 1, 1)]),
    "agents_blocked_together(min_hosts := 2)": ("agent_a agent_b hosts", [(None, None, 0)]),
    "walled_gardens()": ("surt_host_name hosts others_allowed", [("test,three", 1, False)]),
    "blocking_by_category()": ("category hosts mostly", [("(any ai)", 2, "GPTBot, CCBot"), ("ai_training", 2, "GPTBot, CCBot"), ("archive", 1, "CCBot"),
                                                         ("search_engine", 0, None)]),
    "most_common_rule_sets()": ("ruleset_id template hosts_with_template hosts of_hosts domains_any example", [
        (7, "cloudflare_managed", 1, 2, 3, 2, "https://one.test/robots.txt")]),
    "file_sizes()": ("hosts median_bytes max_bytes empty up_to_100_kib over_500_kib truncated", [(3, 300, 600_000, 0.0, 0.666667, 0.333333, 2)]),
    # A crawler of a list or of a category is a row, also if no host names it.
    "blocking_by_agent(agent := ['Googlebot', 'CCBot', 'other/1.0'], any_name := true)": ("agent category hosts_naming hosts_blocked_by_name hosts", [
        ("ccbot", "archive", 2, 1, 4), ("googlebot", "search_engine", 1, 0, 4), ("other", None, 0, 0, 4)]),
    "blocking_by_agent(category := 'search_engine')": ("agent hosts_naming hosts_blocked_by_name hosts blocked_by_name", [("googlebot", 1, 0, 4, 0.0)]),
}

# The answers for outside_rows(). The files outside of a denominator change nothing, or are counted once.
OUTSIDE_ANSWERS = {
    "most_addressed_names(min_hosts := 1)": ("agent tracked hosts of_hosts share", [
        ("*", True, 2, 3, 0.666667), ("ccbot", True, 2, 3, 0.666667), ("gptbot", True, 2, 3, 0.666667), ("googlebot", True, 1, 3, 0.333333)]),
    "most_hidden_paths()": ("path hosts of_hosts share", [("/x", 2, 3, 0.666667), ("/", 1, 3, 0.333333)]),
    "other_directives()": ("directive known hosts lines", [("host", True, 1, 2)]),
    "crawl_delays()": ("hosts of_hosts for_all median p90 longest domains_median", [(2, 3, 1, 1.0, 10.0, 10.0, 1.0)]),
    "policy_sizes()": ("measure hosts mean median", [("crawlers named", 3, 1.666667, 2), ("groups", 3, None, None), ("rules", 3, None, None)]),
    "sitemap_adoption()": ("hosts of_hosts share hosts_relative lines relative other_domain", [(14, 15, 0.933333, 13, 16, 0.8125, 0.0625)]),
}


def variant_rows():
    """Hosts with several URLs: the latest capture with rules of each URL counts, and one without a time is the earliest."""
    d = Dataset()
    d.agent("GPTBot", "ai_training")
    d.agent("CCBot", "archive")
    d.capture(1, "https://one.test/robots.txt", time=5, ruleset_id=7)
    d.capture(2, "https://one.test/robots.txt", fetch_time=None, ruleset_id=8)
    d.capture(3, "http://one.test/robots.txt", ruleset_id=7)
    d.capture(4, "https://two.test/robots.txt", time=1, ruleset_id=7)
    d.capture(5, "https://two.test/robots.txt", 503, time=9)
    d.capture(6, "https://www.two.test/robots.txt", ruleset_id=8)
    d.capture(7, "https://three.test/robots.txt", ruleset_id=8)
    d.capture(8, "http://three.test/robots.txt", 503)
    return d


# The answers for variant_rows(): one agrees, two differs, and three has rules under one URL only.
VARIANT_ANSWERS = {"variants_disagree()": ("hosts disagree share", [(2, 1, 0.5)])}

def list_rows():
    """small_rows() with bodies, and with hosts that a status decides or nothing; a domain of two hosts; and an older crawl of one host."""
    d = small_rows()
    d.agent("Seeker", "ai_search")
    d.agent("Reader", "ai_assistant", ignores_wildcard=True)
    d.capture(7, "https://five.test/robots.txt", 503)
    d.capture(8, "https://a.one.test/robots.txt", star=("allow_all", "no_group"), body="")
    d.capture(9, "https://six.test/robots.txt", 304)
    d.capture(10, "https://seven.test/robots.txt", digest="S7", revisit=True)
    d.capture(20, "https://one.test/robots.txt", crawl=OLD, fetch_time="2024-02-01 00:00:00", body="User-agent: *\nDisallow: /x\n")
    bodies = {1: "# All rights reserved.\n# Use for text and data mining is not permitted: article 4 of EU directive 2019/790.\n",
              3: "User-agent: *\nDisallow: /all rights reserved\n", 4: "# We reserve all our rights against TDM.\n", 5: ""}
    for row in d.rows["robots_files"]:
        if row["robots_id"] in bodies:
            row["body"] = bodies[row["robots_id"]]
    return d


# The lists of LIST_ANSWERS. two.test has two ranks, of which the better one counts. nowhere.test and unfetched.test were not captured.
LISTS = {
    "ranks.csv": "1,one.test\n1000,three.test\n1001,www.two.test\n2000,two.test\n200000,five.test\n300000,six.test\n400000,nowhere.test\n",
    "host-ranks.txt": "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n" + "".join(
        f"{rank}\t2.5\t7\t0.5\ttest.{host}\n" for rank, host in (
            (1, "one"), (1000, "three"), (1001, "two.www"), (2000, "two"), (200000, "five"), (300000, "six"), (400000, "nowhere"))),
    "domains.csv": "domain,label,weight\none.test,blog,1\nthree.test,blog,1\ntwo.test,news,3\nnowhere.test,news,3\n",
    "hosts.csv": "host,label\nwww.two.test,first\nthree.test,first\nthree.test,second\nfive.test,second\n",
}
# crawl, surt_host_name, hcrank10, fetch_200
HOST_INDEX = [
    (NEW, "test,one", 5.5, 100), (NEW, "test,three", 5.1, 50), (NEW, "test,two", 4.9, 30), (NEW, "test,five", 4.0, 20), (NEW, "test,six", 3.3, 5),
    (NEW, "test,one,a", None, 7), (NEW, "test,unfetched", 3.0, 0), (OLD, "test,one", 6.2, 400)]

# The answers for list_rows(). In the newer crawl gptbot is blocked by name by one and two, through '*' by three, by its status by five, and
# six and seven are unknown; ccbot is blocked by name by one only. The older crawl has only one.test, which blocks neither.
BUCKETS = [
    (OLD, 1000, 2, 1, 1, 0, 0, 0), (OLD, 10_000, 1, 0, 0, None, None, None), (OLD, 1_000_000, 3, 0, 0, None, None, None),
    (NEW, 1000, 2, 2, 2, 0.5, 0.5, 0), (NEW, 10_000, 1, 1, 1, 1, 0, 0), (NEW, 1_000_000, 3, 2, 1, 0, 0, 1)]
BY_REASON = "hosts blocked_by_name blocked_by_wildcard blocked_by_status"
LIST_ANSWERS = {
    "blocking_by_rank(list := 'ranks.csv')": (f"crawl up_to_rank in_list captured {BY_REASON}", BUCKETS),
    "blocking_by_webgraph_rank(ranks := 'host-ranks.txt', agent := 'GPTBot')": (f"crawl up_to_rank in_graph captured {BY_REASON}", BUCKETS),
    # 212 pages in the newer crawl.
    "archived_pages_of_blocking_hosts(index := 'index.parquet')": ("crawl verdict hosts domains_any pages share_of_pages largest_host", [
        (OLD, "partial", 1, 1, 400, 1, 1), (NEW, "blocked by name", 1, 1, 100, 0.471698, 1), (NEW, "blocked by *", 1, 1, 50, 0.235849, 1),
        (NEW, "allow_all", 2, 2, 37, 0.174528, 0.810811), (NEW, "blocked by status", 1, 1, 20, 0.09434, 1), (NEW, "unknown", 1, 1, 5, 0.023585, 1),
        (NEW, "not captured", 1, None, 0, 0, None)]),
    # blog has one, a.one and three: 1/3 of hosts by name, and 1/4 with each domain counted once. The weights are 1 and 3.
    "blocking_by_label(labels := 'domains.csv')": ("crawl label in_list weight hosts blocked_by_name blocked_by_wildcard domains_blocked_by_name", [
        (OLD, "blog", 2, 1, 1, 0, 0, 0), (OLD, "news", 2, 3, 0, None, None, None), (NEW, "(weighted)", None, 4, None, 0.833333, 0.083333, 0.8125),
        (NEW, "blog", 2, 1, 3, 0.333333, 0.333333, 0.25), (NEW, "news", 2, 3, 1, 1, 0, 1)]),
    "blocking_by_label(labels := 'hosts.csv')": (f"crawl label in_list weight {BY_REASON}", [
        (OLD, "first", 2, None, 0, None, None, None), (OLD, "second", 2, None, 0, None, None, None),
        (NEW, "first", 2, None, 2, 0.5, 0.5, 0), (NEW, "second", 2, None, 2, 0, 0.5, 0.5)]),
    "comments_reserving_rights()": ("crawl phrase hosts of_hosts share domains_any", [
        *((OLD, phrase, 0, 1, 0, 0) for phrase in ("EU directive 2019/790", "text and data mining", "reserves rights", "all rights reserved")),
        (NEW, "EU directive 2019/790", 1, 4, 0.25, 1), (NEW, "text and data mining", 2, 4, 0.5, 2), (NEW, "reserves rights", 1, 4, 0.25, 1),
        (NEW, "all rights reserved", 1, 4, 0.25, 1)]),
    "outcome_funnel()": ("crawl outcome hosts of_hosts", [
        (OLD, "robots.txt with rules", 1, 1), (NEW, "robots.txt with rules", 4, 8),
        *((NEW, outcome, 1, 8) for outcome in ("defer_visits", "notfound", "redirect", "revisit without content"))]),
    "access_in_three()": ("crawl access hosts of_hosts by_name by_wildcard by_status by_no_rule", [
        (OLD, "partial", 1, 1, 0, 1, 0, 0), (NEW, "allow_all", 2, 8, 0, 0, 1, 1), (NEW, "disallow_all", 4, 8, 2, 1, 1, 0), (NEW, "unknown", 2, 8, 0, 0, 2, 0)]),
    "blocking_by_reason()": ("crawl agent reason hosts of_hosts partial", [
        (OLD, "gptbot", "no_block", 1, 1, 1), (NEW, "gptbot", "own_name", 2, 8, 0), (NEW, "gptbot", "wildcard", 1, 8, 0),
        (NEW, "gptbot", "origin_down", 1, 8, 0), (NEW, "gptbot", "undecided", 2, 8, 0), (NEW, "gptbot", "no_block", 2, 8, 0)]),
    # one and two block gptbot, three also seeker, and five, by its status, also reader, which ignores '*'.
    "training_or_search()": ("crawl training_blocked search_blocked assistant_blocked hosts of_hosts", [
        (OLD, False, False, False, 1, 1), (NEW, False, False, False, 2, 6), (NEW, True, False, False, 2, 6), (NEW, True, True, False, 1, 6),
        (NEW, True, True, True, 1, 6)]),
}

# Whole names by value. tests/tables/names.rs checks the same names in the program.
WHOLE_NAMES = json.loads((ROOT / "tests" / "whole_names.json").read_text(encoding="utf-8"))


# ---- the tests -----------------------------------------------------------------------------------------------------------

class Tests:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, test):
        try:
            test()
        except Exception as error:  # an error in a test must not hide the other tests
            self.failed += 1
            print(f"FAILED {name}")
            text = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            print("    " + text.strip().replace("\n", "\n    "))
        else:
            self.passed += 1

    def equal(self, name, got, expected):
        def test():
            assert got() == expected, f"got      {got()!r}\nexpected {expected!r}"
        self.check(name, test)


def test_macros(t, con):
    def rows(sql, *args):
        return con.execute(sql, list(args)).fetchall()

    t.equal("a revisit is filled by the right capture", lambda: rows(
        "FROM oracle_revisits WHERE robots_id < 200 ORDER BY ALL"), sorted(REVISITS))

    found = lambda: {r[0]: r[1:] for r in rows(
        "SELECT robots_id, hops, target_robots_id, resolved, answer_rank, rules_robots_id FROM oracle_redirects "
        "WHERE robots_id < 300 ORDER BY ALL")}
    for robots_id, expected in REDIRECTS.items():
        t.equal(f"redirect {robots_id}", lambda: found().get(robots_id), expected)
    t.equal("redirects: no others", lambda: sorted(found()), sorted(REDIRECTS))
    t.equal("redirects: one row per capture", lambda: rows(
        "SELECT count(*) - count(DISTINCT (crawl, robots_id)) FROM oracle_redirects"), [(0,)])

    hosts = {r[0]: r[1:] for r in rows(
        "SELECT surt_host_name, authoritative_robots_id, rules_robots_id FROM hosts WHERE crawl = ?", NEW)}
    for host, expected in HOSTS.items():
        t.equal(f"host {host}", lambda: hosts.get("test," + host), expected)
    t.equal("hosts: one row for every host with a robots.txt", lambda: rows(
        "SELECT count(*), count(DISTINCT (crawl, surt_host_name)) FROM hosts"), rows(
        "SELECT count(DISTINCT (crawl, surt_host_name)), count(DISTINCT (crawl, surt_host_name)) "
        "FROM robots_files WHERE is_robots_path"))
    t.equal("hosts: the other crawl separately", lambda: rows(
        "SELECT authoritative_robots_id, fetch_status FROM hosts WHERE crawl = ? AND surt_host_name = 'test,h1'", OLD),
        [(361, 404)])

    for agent, expected in VERDICTS.items():
        got = {r[0]: r[1:] for r in rows(
            "SELECT surt_host_name, verdict, verdict_google, basis FROM verdicts_for(?, any_name := true) WHERE crawl = ?", agent, NEW)}
        for host, answer in expected.items():
            t.equal(f"verdict for {agent} on {host}", lambda: got.get("test," + host), answer)
        t.equal(f"verdicts for {agent}: one row per host", lambda: rows(
            "SELECT count(*), count(DISTINCT (crawl, surt_host_name)) FROM verdicts_for(?, any_name := true)", agent),
            rows("SELECT count(*), count(*) FROM hosts"))
    figures = "root_allowed, crawl_delay_ms, evidence_line, n_allow, n_disallow"
    t.equal("counts of the group that applies", lambda: rows(
        f"SELECT agent, category, url, {figures} FROM verdicts_for('GPTBot') WHERE surt_host_name = 'test,a2'"),
        [("gptbot", "ai_training", "https://a2.test/robots.txt", True, 7500, 9, 3, 0)])
    t.equal("counts of '*'", lambda: rows(
        f"SELECT agent, category, {figures} FROM verdicts_for('nobody-knows-it', any_name := true) WHERE surt_host_name = 'test,a2'"),
        [("nobody-knows-it", None, False, None, 2, 0, 1)])
    t.equal("counts of a crawler that ignores '*'", lambda: rows(
        f"SELECT agent, category, {figures} FROM verdicts_for('AdsBot-Google') WHERE surt_host_name = 'test,a1'"),
        [("adsbot-google", "advertising", True, None, None, 0, 0)])
    for name, expected in WHOLE_NAMES.items():
        t.equal(f"whole name of {name!r}", lambda: rows("SELECT whole_name(?)", name), [(expected,)])
    # By name, by '*', the line, the template, and the lines of its vendor.
    for origin, case in (("vendor", (True, False, 4, "cloudflare_managed", 3, 9)), ("vendor", (False, True, 9, "blogger", 1, 9)),
                         ("site", (True, False, 10, "cloudflare_managed", 3, 9)), ("site", (False, True, 2, "cloudflare_managed", 3, 9)),
                         ("site", (True, False, 4, "wordpress", None, None)), ("unknown", (False, True, 4, "wordpress", None, None)),
                         ("unknown", (True, False, 4, "wix", None, None)), ("unknown", (True, False, 4, None, None, None)),
                         ("unknown", (True, False, None, None, 1, 9)), (None, (False, False, None, "yoast", 1, 9))):
        t.equal(f"origin of {case}", lambda: rows("SELECT origin_of(?, ?, ?, ?, ?, ?)", *case), [(origin,)])
    for name in ("GPTBot/1.0", " gptbot 1.2 (+https://openai.com)", "GPTBot;x", "GPTBOT*"):
        t.equal(f"verdicts for {name!r} are those for GPTBot", lambda: rows("FROM verdicts_for(?) ORDER BY ALL", name),
                rows("FROM verdicts_for('GPTBot') ORDER BY ALL"))
    t.equal("two spellings of a name are one crawler", lambda: rows(
        "SELECT count(*) FROM verdicts_of(['GPTBot', 'gptbot/1.0'])"), rows("SELECT count(*) FROM hosts"))
    t.equal("columns of verdicts_for", lambda: [r[0] for r in rows(
        "SELECT column_name FROM (DESCRIBE FROM verdicts_for('x'))")],
        "crawl host_id surt_host_name url_host_name url url_host_tld url_host_registered_domain domain domain_id archive_no rules_robots_id "
        "content_class ruleset_id template agent category verdict "
        "verdict_google verdict_rfc9309 verdict_koster1996 basis root_allowed crawl_delay_ms evidence_line n_allow n_disallow by_fallback".split())

    t.equal("verdicts_in: category and category2", lambda: rows(
        "SELECT DISTINCT agent, category FROM verdicts_in(['ai_training', 'ai_search']) ORDER BY ALL"),
        [("ccbot", "archive"), ("gptbot", "ai_training"), ("twobot", "ai_search")])
    t.equal("verdicts_in: a category instead of a list", lambda: rows("FROM verdicts_in('AI_Training') ORDER BY ALL"),
            rows("FROM verdicts_in(['ai_training']) ORDER BY ALL"))
    for agent in ("gptbot", "ccbot", "googlebot", "googlebot-news", "twobot", "adsbot-google", "adsbot-child"):
        t.equal(f"verdicts_in and verdicts_for agree on {agent}", lambda: rows(
            "FROM verdicts_in(['ai_training', 'ai_search', 'search_engine', 'advertising']) WHERE agent = ? ORDER BY ALL",
            agent), rows("FROM verdicts_for(?) ORDER BY ALL", agent))
    for crawl in (OLD, NEW):
        for macro, first in (("verdicts_for", "'GPTBot'"), ("verdicts_in", "['ai_training', 'ai_search']"), ("blocking", "'GPTBot'"),
                             ("evidence", "'GPTBot'")):
            t.equal(f"{macro}: the hosts of {crawl}", lambda: rows(f"FROM {macro}({first}, crawl := ?) ORDER BY ALL", crawl),
                    rows(f"FROM {macro}({first}) WHERE crawl = ? ORDER BY ALL", crawl))
    t.equal("two macros in one query", lambda: rows(
        "SELECT a.verdict, b.verdict FROM verdicts_for('GPTBot') a JOIN verdicts_for('*') b USING (crawl, surt_host_name) "
        "WHERE surt_host_name = 'test,a2'"), [(A, D)])
    t.equal("every view and macro has a comment", lambda: rows(
        "SELECT name FROM (SELECT view_name AS name, comment FROM duckdb_views() WHERE NOT internal UNION ALL "
        "SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal) WHERE comment IS NULL AND NOT starts_with(name, 'oracle_')"), [])


def without_lists():
    """The questions that can be asked without a list."""
    return [question for question in questions.ALL if not question.needs_list]


def test_reasons(t, con):
    """Every status with and without a network and a challenge, and every verdict with its basis, has the first reason that applies."""
    def expected(status, network, challenge, verdict, basis, fallback):
        by_rules = {"explicit": "fallback_name" if fallback else "own_name"}.get(basis, "wildcard")
        refused = [401, 403, 429, 451, 999, *([405, 406, 418] if network else [])]
        lines = [
            ("undecided", verdict == "unknown"), ("refused", challenge or status in refused), ("payment", status == 402),
            ("origin_down", status is not None and 500 <= status <= 599), ("no_block", status is not None and 400 <= status <= 499),
            ("undecided", basis == "http_status"), (by_rules, verdict == "disallow_all"), ("no_block", True)]
        return next(reason for reason, applies in lines if applies)

    def test():
        statuses = [None, 100, 200, 204, 299, 301, *range(400, 432), 451, 499, *range(500, 531), 599, 600, 999]
        outcomes = [(verdict, basis) for verdict in ("allow_all", "disallow_all", "partial", "unknown")
                    for basis in ("explicit", "wildcard", "no_group", "html", "http_status", "too_complex")]
        cases = [(status, network, challenge, verdict, basis, fallback) for status in statuses for network in (None, "cloudflare")
                 for challenge in (False, True) for verdict, basis in outcomes for fallback in (False, True)]
        con.execute("CREATE OR REPLACE TEMP TABLE cases (number INTEGER, status SMALLINT, network VARCHAR, challenge BOOLEAN, verdict VARCHAR, basis VARCHAR, fallback BOOLEAN)")
        con.executemany("INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?, ?)", [(number, *case) for number, case in enumerate(cases)])
        rows = con.execute("SELECT reason_of(c.status, c.network, c.challenge, c.verdict, c.basis, c.fallback) FROM cases c ORDER BY c.number").fetchall()
        wrong = [(case, reason) for case, (reason,) in zip(cases, rows, strict=True) if reason != expected(*case)]
        assert not wrong, wrong[:5]
    t.check("reasons over every status, network and verdict", test)


def test_answers(t, folder):
    write_lists(folder)
    for label, rows, answers in (("small rows", small_rows(), SMALL_ANSWERS), ("rows outside", outside_rows(), OUTSIDE_ANSWERS),
                                 ("variants", variant_rows(), VARIANT_ANSWERS), ("lists", list_rows(), LIST_ANSWERS)):
        con = duckdb.connect()
        make_tables(con)
        rows.load(con)
        for call, (columns, expected) in answers.items():
            question = f"SELECT {', '.join(columns.split())} FROM {call}"
            for name in (*LISTS, "index.parquet"):
                question = question.replace(f"'{name}'", f"'{folder / name}'")
            t.equal(f"answer of {call} over {label}", lambda: con.execute(question).fetchall(), expected)
        if label == "rows outside":
            test_shares(t, con, label)


def test_shares(t, con, label):
    """Checks that every row has a crawl, and that every floating-point column is between 0 and 1, unless it is in NOT_SHARES."""
    for question in without_lists():
        def test():
            try:
                cursor = con.execute(question.call)
            except duckdb.InvalidInputException as error:
                assert "this question compares two crawls" in str(error), error
                return
            columns = [(c[0], str(c[1])) for c in cursor.description]
            rows = cursor.fetchall()
            assert all(row[0] is not None for row in rows), "a row without a crawl"
            for i, (name, kind) in enumerate(columns):
                if kind not in ("DOUBLE", "FLOAT") and not kind.startswith("DECIMAL"):
                    continue
                if (question.name, name) in NOT_SHARES:
                    continue
                outside = [row for row in rows if row[i] is not None and not 0 <= row[i] <= 1]
                assert not outside, f"{name} is not a share: {outside[:3]!r}"
        if question.name == "comments_reserving_rights":
            continue  # These rows have no bodies.
        t.check(f"shares of {question.name} over {label}", test)


def test_question_runs(t, con, question, lists):
    given = f"{question.list_parameter} := '{lists[question.list_parameter]}', " if question.needs_list else ""

    def rows(arguments=""):
        return con.execute(f"FROM {question.name}({given}{arguments})").fetchall()

    def test():
        every = rows()
        assert "crawl" in question.parameters or "crawl" not in [column[0] for column in con.description], "there is no parameter crawl"
        if "crawl" in question.parameters:
            one, of_crawl = rows(f"crawl := '{NEW}'"), [row for row in every if row[0] == NEW]
            assert one == (of_crawl[:len(one)] if "top" in question.parameters else of_crawl), "crawl changes more than the selection of rows"
            assert rows(f"crawl := ['{NEW}']") == one, "a list of one crawl has another answer than the crawl"
            assert rows(f"crawl := ['{OLD}', '{NEW}']") == every, "a list of all crawls has another answer than null"
        if "agent" in question.parameters:
            alone, other = rows("agent := 'GPTBot'"), rows("agent := 'googlebot'")
            assert other != alone, "the parameter agent has no effect"
            # A list has the rows of each of its crawlers once, in whatever spelling.
            both = rows("agent := ['GPTBot', 'Googlebot/2.1', 'gptbot']")
            assert sorted(both, key=repr) == sorted(alone + other, key=repr), "the answer for a list is not that for each of its crawlers"
            column = [column[0] for column in con.description].index("agent")
            assert {row[column] for row in both} == {"gptbot", "googlebot"}, "a crawler has no row"
    if question.name not in ("comments_reserving_rights", "contradictions", "effective_preferences", "words_that_contradict"):  # all_rows() has no bodies and no preferences.
        t.check(f"{question.name} runs", test)


def test_many_crawlers(t, con):
    t.equal("questions about many crawlers equal those about one over all rows", lambda: test_equal_answers.differences(con)[0], [])
    for seed in range(4):
        con = duckdb.connect()
        make_tables(con)
        test_equal_answers.add_random_rows(con, seed)
        define(con)
        t.equal(f"questions about many crawlers equal those about one over random rows {seed}", lambda: test_equal_answers.differences(con)[0], [])
        test_intervals(t, con, seed)
    # Of ten archives, 0, 2, 3, 6 and 9 are read, with x = 1, 3, 2, 4, 1 of n = 3, 4, 6, 8, 2 hosts: 11 of 23. The residuals x - 11/23 n are
    # -10/23, 25/23, -20/23, 4/23, 1/23; their squares add up to 1142/529, and s^2 = 1142/2116 = 0.539698. The variance is
    # (1 - 5/10) / (5 * 4.6^2) * s^2 = 0.00255056, its root 0.0505031, and the margin 2.776445 * 0.0505031 = 0.140219.
    margin, too_few, all_archives = con.execute("SELECT " + ", ".join(
        f"margin_of(11, 23, 31, 61, 129, {{'archives_read': {read}, 'archives_listed': 10}})" for read in (5, 4, 10))).fetchone()
    t.equal("the margin of a sample", lambda: (abs(margin - 0.140219) <= 0.003 * 0.140219, too_few, all_archives), (True, None, None))


def test_intervals(t, con, seed):
    """Compares the intervals over random rows, of which the newer crawl is a sample of 8 archives of 20, with the formula of a textbook.

    The archives are a simple random sample of clusters, so that a share is a ratio of two totals. With k archives of K, mean size m and ratio
    r, its variance is (1 - k / K) / (k m^2) * sum((x - r n)^2) / (k - 1) (Cochran, Sampling Techniques, equation 6.13), and the interval
    is r plus and minus the quantile of Student's distribution for k - 1 degrees of freedom, here 2.364624, times its square root.
    """
    def interval(archives):
        x, n = sum(a[0] for a in archives), sum(a[1] for a in archives)
        if not 0 < x < n:
            return None, None
        squares = sum((a[0] - x / n * a[1]) ** 2 for a in archives) / 7
        margin = 2.364624 * math.sqrt((1 - 8 / 20) / (8 * (n / 8) ** 2) * squares)
        return max(0, x / n - margin), min(1, x / n + margin)

    for question, archives in (
            ("share_of_hosts_blocking('one')", "SELECT count(*) FILTER (b.by_name), count(*) FROM blocking('one') b WHERE b.crawl = ? GROUP BY b.archive_no"),
            ("most_blocked_agents(top := 1000, min_hosts := 1) WHERE agent = 'one'", "SELECT count(v.agent), count(*) FROM hosts_with('decided') h LEFT JOIN host_verdicts v "
             "ON v.host_id = h.host_id AND v.agent = 'one' AND v.basis = 'explicit' AND v.verdict = 'disallow_all' WHERE h.crawl = ? GROUP BY h.archive_no")):
        def test():
            found = dict((crawl, ends) for crawl, *ends in con.execute(f"SELECT crawl, low, high FROM {question}").fetchall())
            assert found.get("CC-MAIN-2025-38", [None, None]) == [None, None], "an interval without a sample"
            wanted = interval(con.execute(archives, ["CC-MAIN-2025-43"]).fetchall())
            # The quantile is approximated by a polynomial.
            for end, other in zip(found.get("CC-MAIN-2025-43", (None, None)), wanted):
                assert (end is None) == (other is None) and (end is None or abs(end - other) <= 1e-3), f"{found} instead of {wanted}"
        t.check(f"intervals of {question} over random rows {seed}", test)


def error_of(con, sql):
    """Returns the message of the error of a query, or None."""
    try:
        con.execute(sql).fetchall()
    except duckdb.Error as error:
        return str(error)
    return None


AGENT_GUARDS = {"check_agent", "check_agents", "check_named_agent", "check_named_agents"}
# What the guards of a parameter refuse besides an unknown value, and parts of the message.
OTHERS_REFUSED = {
    "agent": [("''", "unknown agent"), ("'CCBot,GPTBot'", "a list of crawlers is written"),
              ("'Mozilla/5.0 (compatible; GPTBot/1.2)', any_name := true", "not a User-Agent header")],
    "agents": [("[]", "no crawler is given"), ("['GPTBot', 'gptbto']", "unknown agent 'gptbto'", "GPTBot")],
    "crawls": [("[]", "a list of crawls is expected"), ("[NULL]", "a list of crawls is expected"), (f"['{NEW}', 'x']", "a list of crawls is expected")],
    "category": [("['ai_training', 'x']", "unknown category 'x'")],
    "count": [("-1", "1 or more")],
}


def test_guards(t, con, label, lists):
    """Checks that unknown values of every parameter are errors of one line that suggest known values.

    Each question is asked with one unknown value of each parameter. Other values are refused by the same macros, so they are tried on
    the first question with the same guards, and not over empty tables, over which each version asks a third of the questions.
    """
    seen = set()
    for question in share(questions.ALL, 1 / 3) if label == "empty tables" else questions.ALL:
        given = f"{question.list_parameter} := '{lists[question.list_parameter]}', " if question.needs_list else ""

        def refused(arguments, *parts):
            message = error_of(con, f"FROM {question.name}({given}{arguments})")
            assert message is not None, f"{arguments} is accepted"
            assert "\n" not in message, f"{arguments}: more than one line: {message}"
            for part in parts:
                assert part in message, f"{arguments}: no {part!r} in {message}"

        def others(kind, name):
            guards = (kind, *sorted(set(re.findall(r"check_\w+(?=\()", question.definition)) & AGENT_GUARDS))
            if label != "empty tables" and guards not in seen:
                seen.add(guards)
                for value, *parts in OTHERS_REFUSED[kind]:
                    refused(f"{name} := {value}", *parts)

        def test():
            for name in question.parameters:
                if name.startswith("agent"):
                    refused(f"{name} := 'gptbto'", "unknown agent 'gptbto'", "GPTBot", "any_name := true")
                    others("agent", name)
                    if name in ("agent_a", "agent_b"):
                        refused(f"{name} := ['GPTBot', 'CCBot']", "agent_a and agent_b are one crawler each")
                    if question.parameters[name] != "NULL":
                        refused(f"{name} := NULL", "unknown agent NULL")
                    if name == "agent":
                        others("agents", name)
                    if question.name != "comments_reserving_rights":
                        message = error_of(con, f"FROM {question.name}({given}{name} := 'gptbto', any_name := true)")
                        assert message is None or label == "empty tables" and "no host of this dataset has" in message, message
                elif name in ("crawl", "crawls", "from_crawl", "to_crawl"):
                    refused(f"{name} := 'CC-MAIN-2025-39'", "unknown crawl 'CC-MAIN-2025-39'", NEW)
                    if name in ("crawl", "crawls"):
                        refused(f"{name} := ['CC-MAIN-2025-39']", "unknown crawl 'CC-MAIN-2025-39'", NEW)
                        others("crawls", name)
                elif name == "category":
                    if "agent" in question.parameters:
                        refused("category := 'ai_training', agent := 'GPTBot'", "one of category and agent is expected")
                    refused("category := 'ai_trainign'", "unknown category 'ai_trainign'", "ai_training")
                    others("category", name)
                elif name in ("top", "min_hosts", "min_domains", "at_least"):
                    refused(f"{name} := 0", f"{name} is 1 or more")
                    others("count", name)
                    if question.parameters[name] != "NULL":
                        refused(f"{name} := NULL", f"{name} is 1 or more")
                elif name == "kind":
                    refused("kind := 'fierwall'", "'fierwall'", "firewall")
                elif name == "host":
                    refused("host := 'nowhere.test'", "the host 'nowhere.test' has no capture")
        t.check(f"unknown values in {question.name} over {label}", test)
    for macro, arguments, part in (
        ("verdicts_for", "'gptbto'", "GPTBot"), ("evidence", "'gptbto'", "GPTBot"), ("blocking", "'gptbto'", "GPTBot"),
        ("verdicts_in", "'ai_trainign'", "ai_training"), ("verdicts_in", "['ai_training', 'nothing']", "unknown category 'nothing'"),
        ("verdicts_in", "[]", "no category is given"), ("hosts_with", "'decidde'", "decided"),
        *((macro, f"{first}, crawl := 'CC-MAIN-2025-39'", "unknown crawl 'CC-MAIN-2025-39'") for macro, first in (
            ("verdicts_for", "'GPTBot'"), ("verdicts_in", "'ai_training'"), ("blocking", "'GPTBot'"), ("evidence", "'GPTBot'"),
            ("hosts_with", "'captured'"))),
    ):
        def test():
            message = error_of(con, f"FROM {macro}({arguments})")
            assert message is not None and part in message and "\n" not in message, message
        # DuckDB knows that an empty table in memory has no row that blocking could return, and leaves the guard out.
        if (label, macro, part) != ("empty tables", "blocking", "unknown crawl 'CC-MAIN-2025-39'"):
            t.check(f"unknown values in {macro}({arguments}) over {label}", test)


def write_lists(folder):
    """Writes the lists of LIST_ANSWERS, and returns one of each kind by parameter."""
    for name, text in LISTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    con = duckdb.connect()
    con.execute("CREATE TABLE host_index (crawl VARCHAR, surt_host_name VARCHAR, hcrank10 DOUBLE, fetch_200 INTEGER)")
    con.executemany("INSERT INTO host_index VALUES (?, ?, ?, ?)", HOST_INDEX)
    con.execute(f"COPY host_index TO '{folder}/index.parquet'")
    return {"list": folder / "ranks.csv", "labels": folder / "domains.csv", "index": folder / "index.parquet", "ranks": folder / "host-ranks.txt"}


BAD_LISTS = {
    "empty.csv": "",
    "three.csv": "1,one.test,x\n",
    "header.csv": "rank,domain\n1,one.test\n",
    "url.csv": "1,https://one.test/\n",
    "zero.csv": "0,one.test\n",
    "quoted.csv": 'host,label\none.test,"news"\n',
    "weights.csv": "host,label,weight\none.test,news,1\ntwo.test,news,2\n",
    "weight.csv": "host,label,weight\none.test,news,much\n",
    "short.csv": "host,label\none.test\n",
    "reversed.csv": "domain,label\none.test,news\ntest,one,news\n",
    "www.csv": "domain,label\none.test,news\nWWW.two.test,shop\n",
}


def test_lists(t, con, folder, lists):
    """Checks that a list that is missing or has other columns is an error of one line that says what is expected."""
    for file, text in BAD_LISTS.items():
        (folder / file).write_text(text, encoding="utf-8")
    con.execute(f"COPY (SELECT 'test,one' AS host) TO '{folder}/other.parquet'")
    for question in questions.ALL:
        name = question.list_parameter
        if name == "ranks":
            bad = {"header.csv": "expected the columns #harmonicc_pos", "nothing.csv": "nothing.csv"}
        elif name == "index":
            con.execute(f"COPY (SELECT 'test,one' AS surt_host_name, 2.5::DOUBLE AS hcrank10, 7::INTEGER AS fetch_200, 'CC-MAIN-2025-01' AS crawl) "
                        f"TO '{folder}/old.parquet'")
            bad = {"old.parquet": "has no rows of the crawls of this dataset", "other.parquet": "expected Parquet files with the columns surt_host_name, hcrank10 and fetch_200", "nothing.parquet": "nothing.parquet"}
        elif name == "list":
            bad = {file: "expected a CSV file of rank and domain" for file in ("empty.csv", "nothing.csv")}
            bad |= {file: "expected rank and domain without a header" for file in ("three.csv", "header.csv", "zero.csv")} | {"url.csv": "not one of a host"}
        elif name == "labels":
            bad = {"empty.csv": "expected a CSV file with the header domain,label or host,label", "nothing.csv": "does not exist",
                   "three.csv": "expected the header domain,label or host,label", "weight.csv": "a weight that is not a number, in line 2",
                   "short.csv": "other columns than its header", "quoted.csv": "quotes", "reversed.csv": "in line 3: 'test,one,news'; a name is written as example.com",
                   "www.csv": "has 'www.two.test', which is no registered domain: write 'two.test'", "weights.csv": "two weights for the label 'news'"}
        else:
            continue
        for file, part in bad.items():
            def test():
                message = error_of(con, f"FROM {question.name}({name} := '{folder / file}')")
                assert message is not None and part in message, message
                # DuckDB adds the line of SQL to the error of a Parquet file that does not exist.
                assert "\n" not in message or name in ("index", "ranks") and file.startswith("nothing."), message
            t.check(f"{question.name} with the list {file}", test)
        given = {"index": "no index is given", "ranks": "no ranks are given"}.get(name, "no list is given")
        t.equal(f"{question.name} without a list", lambda: given in error_of(con, f"FROM {question.name}()"), True)
        t.equal(f"{question.name} with a list", lambda: error_of(con, f"FROM {question.name}({name} := '{lists[name]}')"), None)


def check_over_nothing(con, question):
    """Checks the answer to a question over a crawl without hosts."""
    message = error_of(con, question.call)
    if question.name in OVER_NOTHING:
        assert message is None and len(con.execute(question.call).fetchall()) == 1, f"{question.name}: {message}"
    else:
        assert message is not None and "no host of this dataset has" in message, f"{question.name}: {message}"


def test_empty_tables(t, lists):
    """Asks every question of tables without rows."""
    con = duckdb.connect()
    make_tables(con)
    define(con)
    con.execute(f"INSERT INTO runs BY NAME SELECT '{NEW}' AS crawl, 1 AS inputs, 1 AS listed_inputs")
    con.execute("INSERT INTO agents BY NAME SELECT 'gptbot' AS agent, 'GPTBot' AS token, 'ai_training' AS category, false AS ignores_wildcard")
    con.execute("INSERT INTO agents BY NAME SELECT 'adsbot-google' AS agent, 'AdsBot-Google' AS token, 'seo' AS category, false AS ignores_wildcard")
    con.execute("INSERT INTO agents BY NAME SELECT 'ccbot' AS agent, 'CCBot' AS token, 'archive' AS category, false AS ignores_wildcard")
    for question in without_lists():
        t.check(f"{question.name} over empty tables", lambda: check_over_nothing(con, question))
    test_guards(t, con, "empty tables", lists)


def test_over_nothing(t):
    """Asks what compares crawls of one crawl, and of two crawls that share no host."""
    one = duckdb.connect()
    make_tables(one)
    small_rows().load(one)
    t.equal("changes_between_crawls over one crawl", lambda: "this question compares two crawls" in error_of(one, "FROM changes_between_crawls()"), True)
    two = duckdb.connect()
    make_tables(two)
    d = small_rows()
    d.capture(1, "https://old.test/robots.txt", crawl=OLD, fetch_time="2024-02-01 00:00:00")
    d.load(two)
    t.equal("changes_between_crawls over two crawls without a common host", lambda: "no host was captured in both" in error_of(
        two, "FROM changes_between_crawls()"), True)
    t.equal("hosts_decided_in_every_crawl over two crawls without a common host", lambda: sorted(two.execute(
        "SELECT crawl, agent, hosts, blocked_by_name, all_hosts FROM hosts_decided_in_every_crawl(agent := ['GPTBot', 'CCBot'])").fetchall()),
        [(OLD, "ccbot", 0, None, 1), (OLD, "gptbot", 0, None, 1), (NEW, "ccbot", 0, None, 4), (NEW, "gptbot", 0, None, 4)])
    t.equal("change_rates over two crawls without a common host", lambda: sorted(two.execute(
        "SELECT crawl, hosts_seen_again, domains_seen_again FROM change_rates()").fetchall()), [(OLD, None, None), (NEW, 0, 0)])
    t.equal("the times of crawls", lambda: [tuple(map(str, row)) for row in two.execute(
        "SELECT crawl, first_fetch, median_fetch, last_fetch FROM crawls() ORDER BY first_fetch").fetchall()], [
            (OLD, *["2024-02-01 00:00:00"] * 3), (NEW, *["2025-01-01 00:00:00"] * 3)])
    # A crawl without a known verdict has a row that says so.
    undecided = duckdb.connect()
    make_tables(undecided)
    d = Dataset()
    d.agent("GPTBot", "ai_training")
    d.capture(1, "https://one.test/robots.txt", 304)
    d.load(undecided)
    for call in ("share_of_hosts_blocking()", "blocking_by_agent(agent := 'GPTBot')"):
        t.equal(f"{call} over undecided hosts", lambda: undecided.execute(f"SELECT hosts, blocked_by_name FROM {call}").fetchall(), [(0, None)])
    t.equal("most_blocked_agents over undecided hosts", lambda: "has a known verdict for '*'" in error_of(undecided, "FROM most_blocked_agents()"), True)


# A list of hosts, and questions whose answers over nothing are still without rows.
WITHOUT_ROWS = {"walled_gardens", "changed_hosts"}


def test_nothing_counted(t):
    """Asks every question of crawls of which one has a host without a file or a verdict: it has a row, in which nothing is counted."""
    con = duckdb.connect()
    make_tables(con)
    d = list_rows()
    d.capture(30, "https://one.test/robots.txt", 304, crawl="CC-MAIN-2026-01", fetch_time="2026-01-01 00:00:00")
    d.load(con)
    # Of these, a host with a capture and without a verdict is counted.
    captured = {"outcome_funnel", "access_in_three", "changes_between_crawls", "names_first_seen", "blocking_by_reason", "change_rates", "denominators",
                "dialects_that_disagree"}
    for question in without_lists():
        def test():
            answer = con.execute(question.call)
            columns = [column[0] for column in answer.description]
            rows = [row for row in (dict(zip(columns, values)) for values in answer.fetchall()) if row.get("crawl", row.get("to_crawl")) == "CC-MAIN-2026-01"]
            assert rows, "a crawl has no row"
            if question.name not in captured:
                counts = {name: value for row in rows for name, value in row.items() if value and name not in ("agents", "hosts_in_crawl", "crawl")}
                assert not {name for name, value in counts.items() if not isinstance(value, str)}, counts
                assert all(row.get("of_hosts", 0) == 0 == row.get("hosts", 0) for row in rows), rows
        if question.name not in WITHOUT_ROWS:
            t.check(f"{question.name} over a crawl in which nothing is counted", test)


def check_description(con, question):
    """Compares the rows of question('name') with the comment of the question, and the columns that they describe with those of its answer."""
    facts, texts = {}, []
    for fact, text in con.execute(f"FROM question('{question.name}')").fetchall():
        if fact:
            texts = facts.setdefault(fact, [])
            texts.append(text)
        else:
            texts[-1] += text[1:]
    parameters = ", ".join(f"{name} := {default}" for name, default in question.parameters.items())
    wanted = [question.question, question.denominator, question.pitfall, parameters]
    found = [facts[name] for name in ("question", "denominator", "pitfall", "parameters")]
    assert found == [[text] for text in wanted], f"{found} instead of {wanted}"
    if question.needs_list:
        return
    error = error_of(con, facts["example"][0])
    assert error is None or "has no bodies" in error, error
    described = [name for text in facts["column"] for name in text.split(": ")[0].split(", ")]
    columns = [column for column, *_ in con.execute(f"DESCRIBE FROM {question.name}()").fetchall()]
    assert sorted(described) == sorted(columns), f"described, but not answered, or the reverse: {set(described) ^ set(columns)}"
    assert all(text.split(": ")[1:] for text in facts["column"]), "a column without a meaning"


def test_list_of_questions(t, con):
    t.equal("FROM question_texts() has every question", lambda: con.execute("SELECT name, question, denominator, pitfall FROM question_texts()").fetchall(),
            [(q.name, q.question, q.denominator, q.pitfall) for q in questions.ALL])
    others = [q.name for q in questions.ALL if q.needs_list or q.name in ("comments_reserving_rights", "changes_between_crawls", "changed_hosts")]
    t.equal("FROM questions() lists the others", lambda: [name for name, in con.execute("SELECT name FROM questions()").fetchall()],
            [*(q.name for q in questions.ALL if q.name not in others), "questions(more := true)"])
    t.equal("FROM questions(more := true) lists those that need a file, bodies or several crawls", lambda: con.execute("SELECT name FROM questions(more := true)").fetchall(),
            [(name,) for name in others])
    t.equal("an unknown question", lambda: error_of(con, "FROM question('blocking_by_tdl')"), "Invalid Input Error: unknown question "
            "'blocking_by_tdl': the nearest are blocking_by_tld, blocking_by_label, blocking_by_rank")
    for q in questions.ALL:
        t.check(f"the description of {q.name}", lambda: check_description(con, q))
    t.equal("questions have parameters that can be copied", lambda: [
        name for name, parameters in con.execute("SELECT name, parameters FROM question_texts()").fetchall()
        if not any(f"{name} := NULL" in parameters for name in ("list", "labels", "index", "ranks"))
        and name != "comments_reserving_rights" and error_of(con, f"FROM {name}({parameters})")], [])


def test_page(t, write):
    """Compares the list of questions in docs/queries.md with the questions."""
    page = ROOT / "docs" / "queries.md"
    text = page.read_text(encoding="utf-8")
    start, mark, _ = text.partition("<!-- generated by tests/python/test_queries.py --write -->\n")
    rows = [f"| `{q.name}` | {q.question} |\n" for q in questions.ALL]
    generated = start + mark + "\n| macro | question |\n|---|---|\n" + "".join(rows)
    if write:
        page.write_text(generated, encoding="utf-8")
    t.equal("docs/queries.md lists every question", lambda: page.read_text(encoding="utf-8"), generated)


def test_published_figures(t, con):
    """Asks the questions that docs/queries.md names for the figures of studies. The dataset has no bodies, and no list is there."""
    text = (ROOT / "docs" / "queries.md").read_text(encoding="utf-8")
    rows = re.search(r"## Figures that studies publish\n\n\|.*\n\|.*\n((?:\|.*\n)+)", text)[1].splitlines()
    t.equal("the number of published figures", lambda: len(rows), 12)
    for call in re.findall(r"`(\w+\(.*?\))`", "\n".join(rows)):
        error = error_of(con, f"FROM {call}") or ""
        expected = re.search("has no bodies|compares two crawls|tranco.csv", error)
        t.equal(f"{call} answers", lambda: "" if expected else error, "")


def test_against_dataset(t, dataset):
    con = opened(dataset)
    test_list_of_questions(t, con)
    test_published_figures(t, con)
    t.equal("whole_name returns the same as the program for each value of a user-agent line", lambda: con.execute(
        "SELECT DISTINCT agent_raw, agent, whole_name(agent_raw) FROM groups "
        "WHERE whole_name(agent_raw) IS DISTINCT FROM agent").fetchall(), [])
    # most_addressed_names counts names in host_verdicts, which has a row for every name that is in groups of files with rules.
    t.equal("names in host_verdicts are those in groups", lambda: con.execute(
        "WITH in_groups AS (SELECT DISTINCT h.host_id, g.agent FROM hosts_with('rules') h JOIN groups g ON g.crawl = h.crawl "
        "AND g.robots_id = h.rules_robots_id WHERE g.counts AND g.agent NOT IN ('', '*')), in_verdicts AS (SELECT v.host_id, v.agent "
        "FROM host_verdicts v WHERE v.basis IN ('explicit', 'too_complex') AND v.host_id IN (SELECT h.host_id FROM hosts_with('rules') h)) "
        "(FROM in_groups EXCEPT FROM in_verdicts) UNION ALL (FROM in_verdicts EXCEPT FROM in_groups)").fetchall(), [])
    test_macros_of_histories(t, con)


def test_macros_of_histories(t, con):
    """Checks that a macro that only histories have says so over a dataset, and names the command that makes a history."""
    texts = [ROOT / "src/history/write/macros.sql", *sorted((JOBS / "history_queries").iterdir())]
    found = [re.findall(r"^CREATE OR REPLACE MACRO (\w+)\((.*)\) AS TABLE$", path.read_text(encoding="utf-8"), re.MULTILINE) for path in texts]
    signatures = {name: parameters for each in found for name, parameters in each if name not in ("crawls", "change_rates", "rules_of_hosts")}
    t.equal("the number of macros that only histories have", lambda: len(signatures), 12)
    for name, parameters in signatures.items():
        needed = [parameter for parameter in parameters.split(", ") if parameter and ":=" not in parameter]

        def test():
            message = error_of(con, f"FROM {name}({', '.join(['?'] * len(needed)).replace('?', repr('x'))})")
            assert message is not None and f"{name} needs a history: robots-scan history DATASET -o HISTORY" in message, message
        t.check(f"{name} over a dataset", test)


def write_dataset(con, out):
    """Writes the tables and a views.sql as the program does."""
    views = []
    for (table,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY table_name").fetchall():
        if table == "agents":
            (out / "agents").mkdir(parents=True)
            con.execute(f"COPY agents TO '{out}/agents/agents.parquet'")
            source = "'/agents/agents.parquet')"
        else:
            con.execute(f"CREATE TEMP TABLE whole AS FROM {table}")
            of_crawl = table in ("hosts", "host_verdicts", "host_preferences")  # They have no subset.
            for crawl in (OLD, NEW):
                folder = out / table / f"crawl={crawl}" / ("" if of_crawl else "subset=robotstxt")
                folder.mkdir(parents=True)
                con.execute(f"COPY (SELECT * EXCLUDE ({'crawl' if of_crawl else 'crawl, subset'}) FROM whole WHERE crawl = '{crawl}') "
                            f"TO '{folder}/part-00000.parquet'")
            con.execute("DROP TABLE whole")
            source = (f"'/{table}{'/*' if of_crawl else '/*/*'}/*.parquet', hive_partitioning = true, hive_types = "
                      f"{'{crawl: VARCHAR}' if of_crawl else '{crawl: VARCHAR, subset: VARCHAR}'}, union_by_name = true)")
        views.append(f"CREATE OR REPLACE VIEW {table} AS SELECT * FROM "
                     f"read_parquet(coalesce(getvariable('robots_scan'), '{out}') || {source};")
    (out / "views.sql").write_text("\n".join(views) + "\n" + MEANING + MACROS.read_text(encoding="utf-8"), encoding="utf-8")


def duckdb_command():
    beside = Path(sys.executable).parent / "duckdb"
    return str(beside) if beside.exists() else shutil.which("duckdb")


def test_command(t, dataset, label):
    query = "SELECT count(*) FROM verdicts_for('GPTBot')"

    def ask(*opening):
        with tempfile.TemporaryDirectory() as elsewhere:
            done = subprocess.run([duckdb_command(), *opening, "-csv", "-noheader", "-c", query],
                                  cwd=elsewhere, env={**os.environ, "HOME": elsewhere}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def answers():
        expected = str(opened(dataset).execute(query).fetchone()[0])
        got = ask("-init", str(dataset / "views.sql"))
        assert got == expected, f"got {got!r}, expected {expected!r}"

    def moved():
        with tempfile.TemporaryDirectory() as new:
            copy = Path(new) / "else where"
            shutil.copytree(dataset, copy)
            text = (copy / "views.sql").read_text(encoding="utf-8").replace(str(dataset), str(dataset) + "-gone")
            (copy / "views.sql").write_text(text, encoding="utf-8")
            # -init is executed before all other options, so the variable is set first and the file is read with .read.
            got = ask("-c", f"SET VARIABLE robots_scan = '{copy}'", "-c", f".read '{copy}/views.sql'")
            assert got == ask("-init", str(dataset / "views.sql")), got

    t.check(f"duckdb -init views.sql from another working directory ({label})", answers)
    if label == "hand-made rows":
        t.check("a dataset that was moved, with the variable set", moved)


def test_terminal(t, dataset):
    """Checks that the list of questions, and the description of each, are whole in a terminal with 80 columns and 46 lines."""
    calls = ["questions()", *(f"question('{q.name}')" for q in questions.ALL)]
    done = subprocess.run([duckdb_command(), "-init", str(dataset / "views.sql"), *(part for call in calls for part in ("-c", f"FROM {call}"))],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tables = [table for table in done.stdout.split("┌")[1:]]
    t.equal("a table for each question", lambda: len(tables), len(calls))
    for call, table in zip(calls, tables):
        lines = table.splitlines()
        t.equal(f"FROM {call} fits a terminal", lambda: (len(lines) <= 46, max(map(len, lines[1:])) <= 80, "shown)" in table), (True, True, False))


def main():
    t = Tests()
    test_page(t, "--write" in sys.argv[1:])

    con = duckdb.connect()
    make_tables(con)
    all_rows().load(con)
    test_macros(t, con)
    test_reasons(t, con)
    define(con)  # the macros can be loaded twice

    test_shares(t, con, "all rows")
    test_many_crawlers(t, con)

    with tempfile.TemporaryDirectory() as folder:
        test_answers(t, Path(folder))
        lists = write_lists(Path(folder))
        for question in questions.ALL:
            test_question_runs(t, con, question, lists)
        test_lists(t, con, Path(folder), lists)
        test_guards(t, con, "all rows", lists)
        test_empty_tables(t, lists)
        test_over_nothing(t)
        test_nothing_counted(t)
        out = Path(folder) / "out.parquet"
        write_dataset(con, out)
        test_command(t, out, "hand-made rows")

    named = os.environ.get("ROBOTS_SCAN_DATASET")
    if named:
        dataset = Path(named).resolve()
        test_against_dataset(t, dataset)
        test_command(t, dataset, "ROBOTS_SCAN_DATASET")
        test_terminal(t, dataset)
    else:
        print("ROBOTS_SCAN_DATASET is not set: a dataset of the program was not tested")

    print(f"{t.passed} passed, {t.failed} failed")
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
