"""Tests the views, the macros and the research queries.

    pip install -r jobs/requirements.txt
    python jobs/test_queries.py                                   # views and macros, on hand-made rows
    ROBOTS_SCAN_DATASET=out.parquet python jobs/test_queries.py   # also every query, on a dataset of data-samples
    ROBOTS_SCAN_DATASET=out.parquet python jobs/test_queries.py --write

Four things are tested.

(a) The oracle of jobs/oracle/hosts.sql on a small dataset that is generated here, row by row, with exact answers: all cases of
    revisits, redirects and hosts; and macros.sql over the tables hosts and host_verdicts that the oracle makes of it. Every query
    must run on it without an error. (test_hosts.py compares the oracle with the tables that the program writes.)
(b) Every file of jobs/queries/ on the dataset named by ROBOTS_SCAN_DATASET, with the views.sql of that dataset. The answer
    must equal jobs/expected/<name>.csv byte for byte, including the order of rows. A query without an expected file is a
    failure, and so is an expected file without a query.
(c) Every share in the answers of (a) and (b), and on rows that are outside of every denominator, is between 0 and 1.
(d) The `duckdb` command opens a dataset with `duckdb -init views.sql` from another working directory.

--write rewrites the expected files. This tests nothing: read the diff and make sure that every changed row is explained.

The last line is `N passed, N failed`; the exit code is 1 if any failed.
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import duckdb

JOBS = Path(__file__).resolve().parent
QUERIES = JOBS / "queries"
EXPECTED = JOBS / "expected"
SCHEMAS = JOBS.parent / "schemas"
MACROS = JOBS.parent / "src" / "scan" / "dataset" / "macros.sql"
ORACLE = JOBS / "oracle" / "hosts.sql"

# The columns that are used if schemas/ does not exist, so that the macros can be tested alone.
OWN_SCHEMA = """
CREATE TABLE robots_files (robots_id BIGINT, url_surtkey VARCHAR, url VARCHAR, surt_host_name VARCHAR, url_host_name VARCHAR,
  url_host_tld VARCHAR, url_host_registry_suffix VARCHAR, url_host_registered_domain VARCHAR, url_host_private_domain VARCHAR,
  url_host_name_reversed VARCHAR, url_protocol VARCHAR, url_port INTEGER, url_path VARCHAR, url_query VARCHAR,
  fetch_time TIMESTAMP, fetch_status SMALLINT, fetch_redirect VARCHAR, content_digest VARCHAR, content_mime_type VARCHAR,
  content_mime_detected VARCHAR, content_truncated VARCHAR, warc_filename VARCHAR, warc_record_offset BIGINT,
  warc_record_length BIGINT, warc_record_in_member INTEGER, warc_record_id VARCHAR, warc_ip_address VARCHAR,
  http_server VARCHAR, http_last_modified VARCHAR, http_content_usage VARCHAR, http_tdm_reservation VARCHAR, waf_hint VARCHAR,
  is_revisit BOOLEAN, is_robots_path BOOLEAN, outcome VARCHAR, fetch_class VARCHAR, content_class VARCHAR,
  effect_google VARCHAR, effect_rfc9309 VARCHAR, effect_koster1996 VARCHAR, body_bytes BIGINT, n_lines INTEGER,
  n_groups INTEGER, n_user_agents INTEGER, n_rules INTEGER, n_allow INTEGER, n_disallow INTEGER, n_sitemaps INTEGER,
  n_comment_lines INTEGER, n_blank_lines INTEGER, n_directives INTEGER, n_anomalies INTEGER, max_line_bytes INTEGER,
  has_bom BOOLEAN, line_endings VARCHAR, over_500kib BOOLEAN, is_valid_utf8 BOOLEAN, ruleset_id BIGINT, template VARCHAR,
  body VARCHAR);
CREATE TABLE groups (robots_id BIGINT, surt_host_name VARCHAR, group_no INTEGER, agent_no INTEGER, line_no INTEGER,
  record_no INTEGER, key_raw VARCHAR, has_colon BOOLEAN, counts BOOLEAN, agent_raw VARCHAR, agent VARCHAR,
  agent_token VARCHAR, token_valid BOOLEAN, n_rules INTEGER, n_allow INTEGER, n_disallow INTEGER, crawl_delay DOUBLE,
  request_rate VARCHAR, visit_time VARCHAR);
CREATE TABLE rules (robots_id BIGINT, surt_host_name VARCHAR, group_no INTEGER, line_no INTEGER, record_no INTEGER,
  allow BOOLEAN, path_raw VARCHAR, path VARCHAR, path_bytes INTEGER, is_empty BOOLEAN, has_wildcard BOOLEAN,
  has_end_anchor BOOLEAN, has_query BOOLEAN, key_raw VARCHAR, has_colon BOOLEAN, counts BOOLEAN, beyond_500kib BOOLEAN,
  is_repeated BOOLEAN);
CREATE TABLE sitemaps (robots_id BIGINT, surt_host_name VARCHAR, line_no INTEGER, sitemap_raw VARCHAR, sitemap_url VARCHAR,
  sitemap_host_name VARCHAR, sitemap_registered_domain VARCHAR, is_absolute BOOLEAN, is_valid_url BOOLEAN,
  same_host BOOLEAN, same_registered_domain BOOLEAN);
CREATE TABLE directives (robots_id BIGINT, surt_host_name VARCHAR, group_no INTEGER, line_no INTEGER, directive VARCHAR,
  directive_raw VARCHAR, value VARCHAR, known BOOLEAN);
CREATE TABLE preferences (robots_id BIGINT, surt_host_name VARCHAR, group_no INTEGER, line_no INTEGER, mechanism VARCHAR,
  path VARCHAR, pref_key VARCHAR, pref_value VARCHAR, allow BOOLEAN, is_valid BOOLEAN, from_template BOOLEAN);
CREATE TABLE anomalies (robots_id BIGINT, surt_host_name VARCHAR, line_no INTEGER, code VARCHAR, severity VARCHAR,
  changes_verdict BOOLEAN, detail VARCHAR);
CREATE TABLE verdicts (robots_id BIGINT, surt_host_name VARCHAR, is_robots_path BOOLEAN, agent VARCHAR, verdict VARCHAR,
  verdict_google VARCHAR, verdict_rfc9309 VARCHAR, verdict_koster1996 VARCHAR, basis VARCHAR, root_allowed BOOLEAN, n_allow INTEGER, n_disallow INTEGER, crawl_delay DOUBLE,
  evidence_line INTEGER);
CREATE TABLE agents (agent VARCHAR, token VARCHAR, operator VARCHAR, category VARCHAR, category2 VARCHAR, purpose VARCHAR,
  fallbacks VARCHAR, ignores_wildcard BOOLEAN, is_control_token BOOLEAN, source VARCHAR);
CREATE TABLE runs (part INTEGER, version VARCHAR, options VARCHAR, psl_version VARCHAR, agents_version VARCHAR,
  inputs INTEGER, input_bytes BIGINT, records BIGINT, captures BIGINT, faults BIGINT);
CREATE TABLE faults (warc_filename VARCHAR, warc_record_offset BIGINT, bytes_skipped BIGINT, code VARCHAR, detail VARCHAR);
"""

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
        surt = ",".join(reversed(labels[1:] if labels[0] == "www" else labels))
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
        con.execute(MACROS.read_text(encoding="utf-8"))


def make_tables(con):
    """Creates the tables from schemas/, or else from OWN_SCHEMA, with the partition columns."""
    files = sorted(f for f in SCHEMAS.glob("*.sql") if f.name != "views.spark.sql")
    schema = "\n".join(f.read_text(encoding="utf-8") for f in files) if files else OWN_SCHEMA
    # A row of a test has only the columns that the test is about.
    con.execute(schema.replace(" NOT NULL", ""))
    for (table,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        if table != "agents":
            con.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS crawl VARCHAR")
            if table not in ("hosts", "host_verdicts"):
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
    # From another crawl, with the status 304. robots_id 130 is in both crawls, because ids are unique only within a crawl.
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
    # Two captures of the same time: the one with the larger (crawl, robots_id).
    d.capture(171, "https://v10.test/robots.txt", time=1, digest="D10")
    d.capture(172, "https://v10.test/robots.txt", time=1, digest="D10")
    d.capture(173, "https://v10.test/robots.txt", time=2, digest="D10", revisit=True)


REVISITS = [
    (NEW, 105, NEW, 102), (NEW, 114, NEW, 111), (NEW, 124, NEW, 122), (NEW, 127, NEW, 126), (NEW, 131, OLD, 130),
    (NEW, 136, NEW, 135), (NEW, 143, NEW, 142), (NEW, 153, NEW, 151), (NEW, 166, NEW, 165), (NEW, 173, NEW, 172),
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
    # Redirects to a revisit that is filled from the older crawl, and to one that is not filled.
    hop(281, "r8", "r8t.test/x")
    d.capture(282, "http://r8t.test/x", 304, digest="R8", revisit=True)
    d.capture(283, "http://r8t.test/x", digest="R8", crawl=OLD, star=("disallow_all", "wildcard"))
    hop(284, "r9", "r9t.test/x")
    d.capture(285, "http://r9t.test/x", 200, digest="R9", revisit=True)


# robots_id: hops, target_robots_id, resolved, answer_rank, rules_crawl, rules_robots_id
REDIRECTS = {
    201: (1, 202, True, 0, NEW, 202),
    210: (5, 215, True, 0, NEW, 215), 211: (4, 215, True, 0, NEW, 215), 212: (3, 215, True, 0, NEW, 215),
    213: (2, 215, True, 0, NEW, 215), 214: (1, 215, True, 0, NEW, 215), 219: (5, 214, False, 4, NEW, 214),
    221: (1, 222, False, 4, NEW, 222), 222: (1, 221, False, 4, NEW, 221), 223: (0, None, False, None, None, None),
    224: (2, 222, False, 4, NEW, 222),
    231: (1, 232, True, 0, NEW, 232),
    241: (0, None, False, None, None, None), 242: (1, 241, False, 4, NEW, 241), 243: (0, None, False, None, None, None),
    245: (1, 244, True, 0, OLD, 244),
    251: (1, 252, True, 0, NEW, 252), 254: (1, 256, True, 0, NEW, 256),
    260: (1, 270, True, 1, NEW, 270), 261: (1, 271, True, 2, NEW, 271), 262: (1, 272, True, 3, NEW, 272),
    263: (1, 273, True, 4, NEW, 273), 264: (1, 274, True, 4, NEW, 274),
    281: (1, 282, True, 0, OLD, 283), 284: (1, 285, True, 4, NEW, 285),
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


# host in the crawl NEW: robots_id, rules_crawl, rules_robots_id
HOSTS = {
    "h1": (301, NEW, 301), "h2": (304, NEW, 304), "h3": (305, NEW, 305), "h3b": (-307, NEW, -307), "h4": (311, NEW, 311),
    "h5": (313, NEW, 313), "h6": (315, NEW, 315), "h7": (317, NEW, 317), "h8": (319, NEW, 319), "h9": (321, NEW, 321),
    "h10": (331, NEW, 332), "h11": (336, NEW, 336), "h12": (342, NEW, 341), "h13": (351, NEW, 351),
    "v4": (131, OLD, 130), "v6": (141, NEW, 141), "v8": (161, NEW, 161),
    "r1": (201, NEW, 202), "r2-0": (210, NEW, 215), "r2-start": (219, NEW, 219), "r3a": (221, NEW, 221),
    "r4": (232, NEW, 232), "r5": (241, NEW, 241), "r7-404": (260, NEW, 270), "r7-503": (262, NEW, 272),
    "r8": (281, OLD, 283), "r9": (284, NEW, 285),
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
    d.verdict(402, "gptbot", "allow_all", "explicit", crawl_delay=7.5, evidence_line=9, n_allow=3)
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
    d.capture(415, "https://a15.test/robots.txt", 304, digest="A15", revisit=True)  # filled from the older crawl
    d.capture(416, "https://a15.test/robots.txt", digest="A15", crawl=OLD, star=("allow_all", "no_group"))
    d.verdict(416, "gptbot", "disallow_all", "explicit", crawl=OLD)
    d.verdict(416, "gptbot", "partial", "explicit")               # the same id in the newer crawl is a different file
    d.capture(418, "https://a18.test/robots.txt", 304, digest="A15", revisit=True)  # filled by the same capture
    d.capture(416, "https://a16.test/robots.txt")


P, D, A, U = "partial", "disallow_all", "allow_all", "unknown"
# requested agent: {host: (verdict, verdict_google, basis)}
VERDICTS = {
    "GPTBot": {
        "a1": (D, D, "wildcard"), "a2": (A, A, "explicit"), "a3": (A, A, "no_group"), "a5": (P, D, "wildcard"),
        "a9": (A, A, "http_status"), "a10": (D, D, "http_status"), "a11": (U, U, "too_complex"), "a12": (U, U, None),
        "a13": (D, D, "explicit"), "a15": (D, D, "explicit"), "a16": (P, P, "explicit"),
        "a18": (D, D, "explicit"),
        "r1": (D, D, "wildcard"), "r8": (D, D, "wildcard"), "v4": (D, D, "wildcard"), "h6": (A, A, "http_status"),
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
    d.capture(1, "https://one.test/robots.txt", star=("partial", "wildcard"), template="cloudflare_managed", ruleset_id=7)
    d.capture(2, "https://two.test/robots.txt", 301, to="https://cdn.test/two.txt")
    d.capture(3, "https://cdn.test/two.txt", star=("allow_all", "no_group"), ruleset_id=7, body_bytes=300)
    d.capture(4, "https://three.test/robots.txt", star=("disallow_all", "wildcard"), ruleset_id=8, body_bytes=600_000,
              over_500kib=True)
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
        child("groups", robots_id, agent=agent, token_valid=valid, counts=True, crawl_delay=delay)
    seen = set()
    for rule in ((1, "/", False), (1, "/x", False), (3, "/x", False), (3, "/x", False), (3, "/y", True), (4, "", False), (5, "/z", False)):
        robots_id, path, allow = rule
        child("rules", robots_id, path=path, allow=allow, is_empty=path == "", counts=True, is_repeated=rule in seen)
        seen.add(rule)
    child("sitemaps", 1, is_absolute=True, same_registered_domain=True)
    child("sitemaps", 1, is_absolute=False, same_registered_domain=True)
    child("sitemaps", 3, is_absolute=True, same_registered_domain=False)
    child("sitemaps", 3, is_absolute=True, same_registered_domain=True)
    child("directives", 3, directive="host", known=True)
    child("directives", 3, directive="host", known=True)
    child("preferences", 1, mechanism="content-signal", pref_key="ai-train", pref_value="no", allow=False, is_valid=True,
          from_template=True)
    child("preferences", 3, mechanism="content-signal", pref_key="ai-train", pref_value="yes", allow=True, is_valid=True,
          from_template=False)
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
                      crawl_delay=0.5)
            for table, row in (
                ("rules", dict(path="/x", allow=False, is_empty=False, counts=True, is_repeated=False)),
                # A sitemap without a URL, whose host is unknown.
                ("sitemaps", dict(is_absolute=False, same_registered_domain=None)),
                ("directives", dict(directive="host", known=True)),
                ("preferences", dict(mechanism="content-signal", pref_key="ai-train", pref_value="no", allow=False,
                                     is_valid=True, from_template=True)),
                ("anomalies", dict(code="missing_colon", severity="warning", changes_verdict=True)),
            ):
                d.add(table, crawl=NEW, subset="robotstxt", robots_id=robots_id, **row)
    return d


# The answers for outside_rows(). A file outside of a denominator must change nothing, or be counted once.
OUTSIDE_ANSWERS = {
    "q16": ["gptbot,True,2,0.666667", "*,False,1,0.333333", "googlebot,True,1,0.333333", "mj12bot,False,1,0.333333"],
    "q24": ["15,0.933333,16,0.8125,0.0625"],
    "q31": ["/x,2,0.666667", "/,1,0.333333"],
}

# Floating-point columns that are not shares: seconds, and a ratio of two counts of which neither includes the other.
NOT_SHARES = {("q14", "against_everybody"), ("q25", "median"), ("q25", "p90"), ("q25", "p99"), ("q25", "longest")}


# The answers for small_rows(), without the leading column crawl.
ANSWERS = {
    "q01": ["4,0.75,0.5,0.0"],
    "q02": ["gptbot,Somebody,ai_training,2,2,1.0", "ccbot,Somebody,archive,1,2,0.5", "googlebot,Somebody,search_engine,0,1,0.0"],
    "q05": ["4,0.75,4,0.75,0.75"],
    "q07": ["robots.txt with rules,3,0.75", "notfound,1,0.25"],
    "q08": ["allow,1,0.25", "disallow,3,0.75"],
    "q11": ["0,2,0.5,1.0", "1,1,0.25,0.5", "2,1,0.25,0.25"],
    "q13": ['"test,three",three.test,allow_all,2,https://three.test/robots.txt'],
    "q14": ["gptbot,2,2.0", "*,1,1.0", "ccbot,1,1.0"],
    "q15": ["ccbot,gptbot,1,1.0"],
    "q16": ["gptbot,True,2,0.666667", "*,False,1,0.333333", "googlebot,True,1,0.333333", "mj12bot,False,1,0.333333"],
    "q17": ["4,0.25,3,1"],
    "q18": ["missing_colon,warning,2,0.666667,1,3"],
    "q19": ["host,True,1,2"],
    "q20": ["content-signal,ai-train,no,True,1,0.333333", "content-signal,ai-train,yes,False,1,0.333333"],
    "q21": ["no,disallow_all,explicit,1", "yes,disallow_all,explicit,1"],
    "q22": [",1,0.5", "cloudflare_managed,1,0.5"],
    "q23": ["7,cloudflare_managed,2,0.666667,https://one.test/robots.txt", "8,,1,0.333333,https://three.test/robots.txt"],
    "q24": ["3,0.666667,4,0.25,0.25"],
    "q25": ["2,2,1.0,10.0,10.0,10.0"],
    "q26": ["3,300,600000,0.0,0.666667,0.333333,0"],
    "q27": ["1,1,1.0"],
    "q28": [",3,0,0,0,0.0", "cloudflare,1,0,0,0,0.0"],
    "q31": ["/x,2,0.666667", "/,1,0.333333"],
    "q33": ["one.test,gptbot,disallow_all,explicit,5,https://one.test/robots.txt,2025-01-01 00:00:00,crawl-data/x.warc.gz,1,,",
            "two.test,gptbot,disallow_all,explicit,2,https://cdn.test/two.txt,2025-01-01 00:00:00,crawl-data/x.warc.gz,3,,"],
    "q34": ["ccbot,Somebody,archive,1,2,0.5", "gptbot,Somebody,ai_training,0,2,0.0"],
}


# Whole names by value. tests/names.rs checks the same names in the program.
WHOLE_NAMES = json.loads((JOBS.parent / "tests" / "whole_names.json").read_text(encoding="utf-8"))


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
        "SELECT robots_id, hops, target_robots_id, resolved, answer_rank, rules_crawl, rules_robots_id FROM oracle_redirects "
        "WHERE robots_id < 300 ORDER BY ALL")}
    for robots_id, expected in REDIRECTS.items():
        t.equal(f"redirect {robots_id}", lambda: found().get(robots_id), expected)
    t.equal("redirects: no others", lambda: sorted(found()), sorted(REDIRECTS))
    t.equal("redirects: one row per capture", lambda: rows(
        "SELECT count(*) - count(DISTINCT (crawl, robots_id)) FROM oracle_redirects"), [(0,)])

    hosts = {r[0]: r[1:] for r in rows(
        "SELECT surt_host_name, authoritative_robots_id, rules_crawl, rules_robots_id FROM hosts WHERE crawl = ?", NEW)}
    for host, expected in HOSTS.items():
        t.equal(f"host {host}", lambda: hosts.get("test," + host), expected)
    t.equal("hosts: one row for every host with a robots.txt", lambda: rows(
        "SELECT count(*), count(DISTINCT (crawl, surt_host_name)) FROM hosts"), rows(
        "SELECT count(DISTINCT (crawl, surt_host_name)), count(DISTINCT (crawl, surt_host_name)) "
        "FROM robots_files WHERE is_robots_path"))
    t.equal("hosts: the other crawl separately", lambda: rows(
        "SELECT authoritative_robots_id, rules_crawl, fetch_status FROM hosts WHERE crawl = ? AND surt_host_name = 'test,h1'", OLD),
        [(361, OLD, 404)])

    for agent, expected in VERDICTS.items():
        got = {r[0]: r[1:] for r in rows(
            "SELECT surt_host_name, verdict, verdict_google, basis FROM verdicts_for(?) WHERE crawl = ?", agent, NEW)}
        for host, answer in expected.items():
            t.equal(f"verdict for {agent} on {host}", lambda: got.get("test," + host), answer)
        t.equal(f"verdicts for {agent}: one row per host", lambda: rows(
            "SELECT count(*), count(DISTINCT (crawl, surt_host_name)) FROM verdicts_for(?)", agent),
            rows("SELECT count(*), count(*) FROM hosts"))
    figures = "root_allowed, crawl_delay, evidence_line, n_allow, n_disallow"
    t.equal("counts of the group that applies", lambda: rows(
        f"SELECT agent, category, url, {figures} FROM verdicts_for('GPTBot') WHERE surt_host_name = 'test,a2'"),
        [("gptbot", "ai_training", "https://a2.test/robots.txt", True, 7.5, 9, 3, 0)])
    t.equal("counts of '*'", lambda: rows(
        f"SELECT agent, category, {figures} FROM verdicts_for('nobody-knows-it') WHERE surt_host_name = 'test,a2'"),
        [("nobody-knows-it", None, False, None, 2, 0, 1)])
    t.equal("counts of a crawler that ignores '*'", lambda: rows(
        f"SELECT agent, category, {figures} FROM verdicts_for('AdsBot-Google') WHERE surt_host_name = 'test,a1'"),
        [("adsbot-google", "advertising", True, None, None, 0, 0)])
    for name, expected in WHOLE_NAMES.items():
        t.equal(f"whole name of {name!r}", lambda: rows("SELECT whole_name(?)", name), [(expected,)])
    for name in ("GPTBot/1.0", " gptbot 1.2 (+https://openai.com)", "GPTBot;x", "gptbot,ccbot", "GPTBOT*"):
        t.equal(f"verdicts for {name!r} are those for GPTBot", lambda: rows("FROM verdicts_for(?) ORDER BY ALL", name),
                rows("FROM verdicts_for('GPTBot') ORDER BY ALL"))
    t.equal("two spellings of a name are one crawler", lambda: rows(
        "SELECT count(*) FROM verdicts_of(['GPTBot', 'gptbot/1.0'])"), rows("SELECT count(*) FROM hosts"))
    t.equal("columns of verdicts_for", lambda: [r[0] for r in rows(
        "SELECT column_name FROM (DESCRIBE FROM verdicts_for('x'))")],
        "crawl surt_host_name url_host_name url url_host_tld url_host_registered_domain rules_crawl rules_robots_id agent category verdict "
        "verdict_google verdict_rfc9309 verdict_koster1996 basis root_allowed crawl_delay evidence_line n_allow n_disallow".split())

    t.equal("verdicts_in: category and category2", lambda: rows(
        "SELECT DISTINCT agent, category FROM verdicts_in(['ai_training', 'ai_search']) ORDER BY ALL"),
        [("ccbot", "archive"), ("gptbot", "ai_training"), ("twobot", "ai_search")])
    t.equal("verdicts_in: none for an unknown category", lambda: rows(
        "SELECT count(*) FROM verdicts_in(['no_such'])"), [(0,)])
    for agent in ("gptbot", "ccbot", "googlebot", "googlebot-news", "twobot", "adsbot-google", "adsbot-child"):
        t.equal(f"verdicts_in and verdicts_for agree on {agent}", lambda: rows(
            "FROM verdicts_in(['ai_training', 'ai_search', 'search_engine', 'advertising']) WHERE agent = ? ORDER BY ALL",
            agent), rows("FROM verdicts_for(?) ORDER BY ALL", agent))
    t.equal("two macros in one query", lambda: rows(
        "SELECT a.verdict, b.verdict FROM verdicts_for('GPTBot') a JOIN verdicts_for('*') b USING (crawl, surt_host_name) "
        "WHERE surt_host_name = 'test,a2'"), [(A, D)])
    t.equal("every view and macro has a comment", lambda: rows(
        "SELECT name FROM (SELECT view_name AS name, comment FROM duckdb_views() WHERE NOT internal UNION ALL "
        "SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal) WHERE comment IS NULL AND NOT starts_with(name, 'oracle_')"), [])


def run_query(con, path):
    """Runs a query and returns its answer as CSV. NULL is an empty field, and text is quoted if necessary."""
    cursor = con.execute(path.read_text(encoding="utf-8"))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column[0] for column in cursor.description])
    writer.writerows(cursor.fetchall())
    return out.getvalue()


def test_answers(t):
    for label, rows, answers in (("small rows", small_rows(), ANSWERS), ("rows outside", outside_rows(), OUTSIDE_ANSWERS)):
        con = duckdb.connect()
        make_tables(con)
        rows.load(con)
        for number, expected in answers.items():
            (path,) = QUERIES.glob(f"{number}_*.sql")
            t.equal(f"answer of {path.name} over {label}",
                    lambda: [line.removeprefix(NEW + ",") for line in run_query(con, path).splitlines()[1:]], expected)
        test_shares(t, con, label)


def test_shares(t, con, label):
    """Checks that every floating-point column is between 0 and 1, unless it is in NOT_SHARES."""
    for path in sorted(QUERIES.glob("*.sql")):
        def test():
            cursor = con.execute(path.read_text(encoding="utf-8"))
            columns = [(c[0], str(c[1])) for c in cursor.description]
            rows = cursor.fetchall()
            for i, (name, kind) in enumerate(columns):
                if kind not in ("DOUBLE", "FLOAT") and not kind.startswith("DECIMAL"):
                    continue
                if (path.name[:3], name) in NOT_SHARES:
                    continue
                outside = [row for row in rows if row[i] is not None and not 0 <= row[i] <= 1]
                assert not outside, f"{name} is not a share: {outside[:3]!r}"
        t.check(f"shares of {path.name} over {label}", test)


def test_form(t, path):
    def test():
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("-- ") and lines[0].endswith("?"), "the first line is not a question"
        assert any(line.startswith("-- Denominator") for line in lines[1:5]), "the denominator is not stated"
        assert "ORDER BY" in "\n".join(lines), "the order of rows is not specified"
    t.check(f"form of {path.name}", test)


def test_query_runs(t, con, path):
    def test():
        every = run_query(con, path)
        con.execute(f"SET VARIABLE crawl = '{NEW}'")
        try:
            one = run_query(con, path)
        finally:
            con.execute("RESET VARIABLE crawl")
        text = path.read_text(encoding="utf-8")
        if "getvariable('crawl')" in text and "top (" not in text:
            rows = list(csv.reader(io.StringIO(every)))
            only = [r for r in rows if r[0] in ("crawl", NEW)]
            assert list(csv.reader(io.StringIO(one))) == only, "the variable crawl changes more than the selection of rows"
        assert every == run_query(con, path), "two runs differ"
    t.check(f"{path.name} runs", test)


def test_against_dataset(t, dataset, write):
    con = duckdb.connect()
    con.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    names = {p.stem for p in QUERIES.glob("*.sql")}
    kept = {p.stem for p in EXPECTED.glob("*.csv")}
    for name in sorted(names):
        expected = EXPECTED / f"{name}.csv"

        def test():
            got = run_query(con, QUERIES / f"{name}.sql")
            if write:
                EXPECTED.mkdir(exist_ok=True)
                expected.write_text(got, encoding="utf-8", newline="")
                return
            assert expected.exists(), f"{expected.name} is missing; --write creates it"
            want = expected.read_bytes().decode("utf-8")
            assert got == want, first_difference(got, want)
        t.check(f"answer of {name}", test)
    t.equal("whole_name returns the same as the program for each value of a user-agent line", lambda: con.execute(
        "SELECT DISTINCT agent_raw, agent, whole_name(agent_raw) FROM groups "
        "WHERE whole_name(agent_raw) IS DISTINCT FROM agent").fetchall(), [])
    test_shares(t, con, "the dataset")
    for name in sorted(kept - names):
        def orphan():
            raise AssertionError("there is no query with this name")
        t.check(f"expected/{name}.csv", orphan)


def first_difference(got, want):
    got, want = got.splitlines(), want.splitlines()
    for i in range(max(len(got), len(want))):
        a = got[i] if i < len(got) else "(end)"
        b = want[i] if i < len(want) else "(end)"
        if a != b:
            return f"line {i + 1}\ngot      {a}\nexpected {b}"
    return "line ends differ"


def write_dataset(con, out):
    """Writes the tables and a views.sql as the program does."""
    views = []
    for (table,) in con.execute("SELECT table_name FROM duckdb_tables() ORDER BY table_name").fetchall():
        if table == "agents":
            (out / "agents").mkdir(parents=True)
            con.execute(f"COPY agents TO '{out}/agents/agents.parquet'")
            source = "'/agents/agents.parquet')"
        else:
            con.execute(f"CREATE TEMP TABLE whole AS FROM {table}")
            of_crawl = table in ("hosts", "host_verdicts")  # They have no subset.
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
    (out / "views.sql").write_text("\n".join(views) + "\n" + MACROS.read_text(encoding="utf-8"), encoding="utf-8")


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
        con = duckdb.connect()
        con.execute((dataset / "views.sql").read_text(encoding="utf-8"))
        expected = str(con.execute(query).fetchone()[0])
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


def main():
    write = "--write" in sys.argv[1:]
    t = Tests()

    con = duckdb.connect()
    make_tables(con)
    all_rows().load(con)
    con.execute(MACROS.read_text(encoding="utf-8"))
    test_macros(t, con)
    con.execute(MACROS.read_text(encoding="utf-8"))  # the macros can be loaded twice

    test_answers(t)

    queries = sorted(QUERIES.glob("*.sql"))
    for path in queries:
        test_form(t, path)
        test_query_runs(t, con, path)
    test_shares(t, con, "all rows")

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.parquet"
        write_dataset(con, out)
        test_command(t, out, "hand-made rows")

    named = os.environ.get("ROBOTS_SCAN_DATASET")
    if named:
        dataset = Path(named).resolve()
        test_against_dataset(t, dataset, write)
        test_command(t, dataset, "ROBOTS_SCAN_DATASET")
    elif write:
        print("--write needs ROBOTS_SCAN_DATASET")
        t.failed += 1
    else:
        print("ROBOTS_SCAN_DATASET is not set: the answers of the queries were not compared")

    print(f"{t.passed} passed, {t.failed} failed")
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
