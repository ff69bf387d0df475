"""Compares histories with an oracle, and with each other.

    python tests/python/test_history.py target/debug/robots-scan target/debug/xtask [--campaign]

Every crawl is scanned by itself. The oracle reads the Parquet files of these datasets, computes in plain Python what a history of them must
have, and compares it with the files, views and macros of histories. DuckDB reads files for it; no SQL of the product is used. The table
`shares` is computed by tests/python/oracle/shares.sql.

Crawls are those of `xtask series`, in which the hosts, their changes and revisits are simple; of real archives, if ../shared/data is
there (or the folder that ROBOTS_SCAN_REAL_GOV names); and random ones, in which captures without a time, crawls at the same time, revisits,
redirects, names of hosts and statements of all kinds meet. `--campaign` takes many more seeds, and ten minutes.

Tested are

- the views and macros: hosts, verdicts, lines and preferences of a crawl are those of its dataset;
- the views have the rows of `robots-scan join`, in every column that both have;
- the stored tables: captures, periods, periods of crawlers, contents, policies, sets of preferences, archives, crawls;
- the table `shares`, also of crawls of which samples were read;
- that the rows do not depend on the order of inputs, on earlier histories, threads and memory;
- --replace, --forget, --overwrite, and the refusal of a crawl that is given twice;
- `match` for URLs with times (independent/old_urls.py), and that a dataset and the history of its crawl have the same answers;
- that questions about several crawls have the same answers as over the joined datasets.

Each policy_id, preferences_id and preference_set_id is compared with the digest of its rows: histories of several versions share them.
"""

import argparse
import base64
import csv
import datetime
import functools
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import duckdb

import test_runner
from dataset import opened
from independent.old_urls import OldUrls
from row_keys import policy_keys, preference_keys

TIMEOUT_SECONDS = 120
ROOT = Path(__file__).resolve().parents[2]
# Series and random crawls: their seeds, and for series the numbers of crawls and hosts.
SEEDS, CRAWLS, HOSTS = (1, 2), 6, 160
CAMPAIGN_SEEDS, CAMPAIGN_CRAWLS, CAMPAIGN_HOSTS = range(101, 141), 6, 60
# Seeds whose crawls showed differences when this test was written, and others.
RANDOM_SEEDS = (2004, 2015, 2042, 101)
CAMPAIGN_RANDOM_SEEDS = (2004, 2015, 2042, 2052, *range(101, 181))
AGENTS = ("GPTBot", "Googlebot")
# Samples of archives: seeds, the archives of a crawl, and how many of them are read; none reads all without a sample.
SAMPLE_SEEDS, CAMPAIGN_SAMPLE_SEEDS, LISTED_ARCHIVES, READ_ARCHIVES = (1, 2), range(1, 21), 12, (4, 5, 8, 12, None)
# Crawlers without a fallback in the registry, and the number of URLs for which they are asked.
MATCH_AGENTS, URLS_PER_HOST = ("GPTBot", "CCBot"), 3
SHOWN = 5

# Columns of hosts that a history lacks: keys, and counts of captures.
KEYS = ("host_id", "domain_id", "authoritative_robots_id", "rules_robots_id", "n_captures", "n_changes")
# Columns of hosts that describe the authoritative capture, and those that describe the capture whose rules apply.
OWN = ("url_host_name", "url_host_registered_domain", "url_host_tld", "url_protocol", "url_port", "n_redirects", "redirect_end")
RULES = ("fetch_status", "is_revisit", "content_class", "ruleset_id", "template", "vendor_first_line", "vendor_last_line", "wildcard_verdict", "wildcard_verdict_google",
         "wildcard_verdict_rfc9309", "wildcard_verdict_koster1996", "wildcard_basis", "wildcard_root_allowed", "wildcard_n_allow",
         "wildcard_n_disallow", "wildcard_crawl_delay_ms", "wildcard_evidence_line", "n_named", "has_named_rows")
VERDICT = ("verdict", "verdict_google", "verdict_rfc9309", "verdict_koster1996", "basis", "root_allowed", "n_allow", "n_disallow", "crawl_delay_ms")
PREFERENCE = ("agent", "mechanism", "category", "preference", "has_allowed", "has_disallowed", "has_unknown", "evidence_line", "address")
# The directives that are part of a policy: rates, and statements about the use of content.
READ_DIRECTIVES = {"crawl-delay", "request-rate", "visit-time", "content-signal", "content-usage", "license", "disallowaitraining",
                   "allowaitraining", "llm-policy"}
NO_TIME = datetime.datetime.min
READER = duckdb.connect()


def run(program, *arguments, codes=(0,)):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode in codes, f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}"
    return done


# Rows.


def read_rows(files, columns="*"):
    """The names of columns and the rows of Parquet files, in their order."""
    if not files:
        return [], []
    cursor = READER.execute(f"SELECT {columns} FROM read_parquet(?, hive_partitioning = false)", [[str(file) for file in files]])
    return [column[0] for column in cursor.description], cursor.fetchall()


def read_dicts(files, columns="*"):
    names, rows = read_rows(files, columns)
    return [dict(zip(names, row)) for row in rows]


def query(connection, sql, parameters=()):
    cursor = connection.execute(sql, list(parameters))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def picked(row, names):
    return tuple(row[name] for name in names)


def differences(label, names, found, wanted):
    """Describes the first row in which two lists of rows differ; empty if they are equal."""
    if found == wanted:
        return []
    counts = f"{label}: {len(found)} rows, and {len(wanted)} wanted"
    for number, (row, other) in enumerate(zip(found, wanted)):
        if row != other:
            columns = [(name, got, want) for name, got, want in zip(names, row, other) if got != want]
            shown = "; ".join(f"{name} is {got!r} instead of {want!r}" for name, got, want in columns)
            return [f"{counts}; row {number} {row[:4]!r}: {shown[:600]}"]
    longer = found if len(found) > len(wanted) else wanted
    return [f"{counts}; the first that only one has is {longer[min(len(found), len(wanted))]!r}"[:800]]


def unordered(label, names, found, wanted):
    return differences(label, names, sorted(found, key=repr), sorted(wanted, key=repr))


def name_key(text):
    return text.encode("utf-8", "surrogateescape")


# Datasets.


class CrawlRows:
    """The rows of the dataset of one crawl, and the state of each of its hosts."""

    def __init__(self, dataset, name, contents):
        self.dataset, self.name = Path(dataset), name
        self.manifest = json.loads((self.dataset / "_manifest.jsonl").read_text(encoding="utf-8").splitlines()[0])
        self.host_columns, _ = read_rows(self.files_of("hosts"))
        self.hosts = read_dicts(self.files_of("hosts"))
        self.files = {row["robots_id"]: row for row in read_dicts(
            self.files_of("robots_files"),
            "robots_id, url, fetch_time, fetch_status, content_digest, content_class, is_revisit, is_valid_utf8, warc_filename, "
            "warc_record_offset, warc_record_in_member")}
        self.groups = self.lines("groups")
        self.rules = self.lines("rules")
        self.directives = self.lines("directives")
        self.host_verdicts = self.by_host("host_verdicts", ("agent", *VERDICT, "evidence_line"))
        self.host_preferences = self.by_host("host_preferences", PREFERENCE)
        self.runs = read_dicts(self.files_of("runs"), "inputs, listed_inputs, sample_seed")
        times = sorted(host["fetch_time"] for host in self.hosts if host["fetch_time"] is not None)
        # The smallest time that half of the times do not exceed.
        self.first, self.last = (times[0], times[-1]) if times else (None, None)
        self.median = times[(len(times) + 1) // 2 - 1] if times else None
        self.contents = contents
        self.captures = [self.capture_of(host) for host in self.hosts]

    def files_of(self, table):
        return sorted((self.dataset / table).rglob("*.parquet"))

    def lines(self, table):
        """The rows of a table of lines for each capture, without its key."""
        # Whether a line ends within the first 512,000 bytes does not follow from the lines of a policy.
        names, rows = read_rows(self.files_of(table), "* EXCLUDE (beyond_500kib)" if table == "rules" else "*")
        assert names[0] == "robots_id", names
        setattr(self, f"{table}_columns", names[1:])
        found = defaultdict(list)
        for row in rows:
            found[row[0]].append(row[1:])
        return found

    def by_host(self, table, columns):
        found = defaultdict(list)
        for row in read_dicts(self.files_of(table)):
            found[row["host_id"]].append(picked(row, columns))
        return found

    def policy(self, robots_id):
        """The lines of a capture that a history stores; none if it has none."""
        groups, rules = self.groups.get(robots_id, ()), self.rules.get(robots_id, ())
        name = self.directives_columns.index("directive")
        directives = [row for row in self.directives.get(robots_id, ()) if row[name] in READ_DIRECTIVES]
        if not groups and not rules and not directives:
            return None
        return self.contents.number((self.files[robots_id]["is_valid_utf8"], tuple(groups), tuple(rules), tuple(directives)))

    def capture_of(self, host):
        """The authoritative capture of a host, with its state."""
        own, rules = self.files[host["authoritative_robots_id"]], self.files[host["rules_robots_id"]]
        policy = self.policy(host["rules_robots_id"])
        verdicts = self.host_verdicts.get(host["host_id"], [])
        preferences = tuple(self.host_preferences.get(host["host_id"], []))
        state = (
            policy,
            self.contents.number(("preferences", without_lines(preferences))) if preferences else None,
            self.contents.number(("preference set", preferences)) if preferences else None,
            *picked(host, OWN + RULES))
        place = (host["authoritative_robots_id"] >> 32, own["warc_record_offset"], own["warc_record_in_member"])
        return {
            "host": host["surt_host_name"], "row": host, "state": state, "place": place, "archive": own["warc_filename"], "verdicts": verdicts,
            "policy": policy, "digest": rules["content_digest"] if rules["content_class"] is not None else None, "crawl": self, "time": host["fetch_time"]}


def without_lines(preferences):
    line = PREFERENCE.index("evidence_line")
    return tuple((*row[:line], *row[line + 1:]) for row in preferences)


class Contents:
    """Gives equal contents of policies and sets of preferences the same number."""

    def __init__(self):
        self.numbers = {}

    def number(self, content):
        return self.numbers.setdefault(content, len(self.numbers))


# The oracle.


def in_order(crawls):
    return sorted(crawls, key=lambda crawl: (crawl.median or NO_TIME, name_key(crawl.name)))


class Oracle:
    """What a history of these crawls must have."""

    def __init__(self, crawls, forgotten=()):
        self.crawls = in_order(crawls)
        self.position = {crawl.name: number for number, crawl in enumerate(self.crawls)}
        by_host = defaultdict(list)
        for crawl in self.crawls:
            for capture in crawl.captures:
                if capture["host"] not in forgotten:
                    by_host[capture["host"]].append(capture)
        self.captures = []
        for host in sorted(by_host, key=name_key):
            self.captures += sorted(by_host[host], key=lambda capture: (
                capture["row"]["fetch_time"] or capture["crawl"].median or NO_TIME, self.position[capture["crawl"].name]))
        self.number_captures()
        self.make_periods()

    def number_captures(self):
        """Numbers the hosts by the first crawl that has them, and the captures of each crawl by these numbers."""
        first = {}
        for capture in self.captures:
            position = self.position[capture["crawl"].name]
            first[capture["host"]] = min(position, first.get(capture["host"], position))
        counts = defaultdict(int)
        self.host_numbers = {}
        for host, position in first.items():
            self.host_numbers[host] = (position << 32) + counts[position]
            counts[position] += 1
        self.numbers = {}
        for position, crawl in enumerate(self.crawls):
            hosts = sorted({capture["host"] for capture in self.captures if capture["crawl"] is crawl}, key=self.host_numbers.get)
            self.numbers.update({(host, crawl.name): (position << 32) + number for number, host in enumerate(hosts)})

    def make_periods(self):
        """Divides the captures of each host into periods."""
        periods, contents = [], []
        for number, capture in enumerate(self.captures):
            host, crawl, time = capture["host"], capture["crawl"].name, capture["row"]["fetch_time"]
            is_new = number == 0 or self.captures[number - 1]["host"] != host
            if is_new:
                of_host, of_contents = [], []
            if not of_host or tuple(of_host[-1][8:]) != capture["state"]:
                of_host.append([self.host_numbers[host], len(of_host), host, crawl, crawl, time, time, 0, *capture["state"]])
                periods.append(of_host[-1])
            period = of_host[-1]
            period[4], period[6] = crawl, time
            period[7] += 1
            capture["period_no"], capture["content_no"] = period[1], None
            if capture["digest"] is not None:
                if not of_contents or of_contents[-1][2:] != (period[1], capture["digest"]):
                    of_contents.append((host, len(of_contents), period[1], capture["digest"]))
                    contents.append(of_contents[-1])
                capture["content_no"] = len(of_contents) - 1
        # In files, the last capture has no time if it is the first one.
        self.periods = [tuple(row) for row in periods]
        self.rows = {"host_periods": [(*row[:6], row[6] if row[7] > 1 else None, *row[7:]) for row in self.periods], "host_contents": contents}
        self.rows["host_captures"] = self.capture_rows()
        self.rows["agent_periods"] = self.agent_periods()
        self.rows["archives"] = self.archives()
        self.rows["crawls"] = [self.crawl_row(crawl) for crawl in self.crawls]

    def capture_rows(self):
        rows = []
        for capture in self.captures:
            host, crawl = capture["host"], capture["crawl"].name
            rows.append((self.numbers[host, crawl], crawl, self.host_numbers[host], capture["row"]["fetch_time"], *capture["place"],
                         capture["period_no"], capture["content_no"]))
        return sorted(rows)

    def agent_periods(self):
        rows = []
        open_periods = {}
        for number, capture in enumerate(self.captures):
            if number and self.captures[number - 1]["host"] != capture["host"]:
                open_periods = {}
            continued = {}
            for agent, *verdict in capture["verdicts"]:
                verdict = tuple(verdict[:-1])
                period = open_periods.get(agent)
                if period is None or period[8] != verdict:
                    domain = capture["row"]["url_host_registered_domain"]
                    period = [agent, capture["host"], domain, capture["crawl"].name, None, capture["period_no"], 0, 0, verdict]
                    rows.append(period)
                period[4] = capture["crawl"].name
                period[6] = capture["period_no"] - period[5] + 1
                period[7] += 1
                continued[agent] = period
            open_periods = continued
        rows.sort(key=lambda row: (name_key(row[0]), name_key(row[1]), row[5]))
        return [(*row[:8], *row[8]) for row in rows]

    def archives(self):
        places = {(self.position[crawl.name], crawl.name, robots_id >> 32, file["warc_filename"])
                  for crawl in self.crawls for robots_id, file in crawl.files.items()}
        return [place[1:] for place in sorted(places)]

    def crawl_row(self, crawl):
        captures = [capture for capture in self.captures if capture["crawl"] is crawl]
        domains = {capture["row"]["url_host_registered_domain"] or capture["host"] for capture in captures}
        return (
            crawl.name, self.position[crawl.name], crawl.first, crawl.median, crawl.last, len(crawl.files), len(captures), len(domains),
            sum(row["inputs"] for row in crawl.runs), max((row["listed_inputs"] for row in crawl.runs), default=0),
            any(row["sample_seed"] is not None for row in crawl.runs), crawl.manifest["meaning"])


# Histories.


class History:
    """The files of a history."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.tables = {}

    def files_of(self, table):
        return sorted((self.folder / table).glob("*.parquet"))

    def names(self):
        """The names of its tables."""
        return {path.parent.name for path in self.folder.glob("*/*.parquet")}

    def table(self, table):
        """The names of columns and the rows of a table, in the order of its files."""
        if table not in self.tables:
            self.tables[table] = read_rows(self.files_of(table))
        return self.tables[table]

    def columns(self, table):
        return self.table(table)[0]

    def rows(self, table):
        return self.table(table)[1]

    def dicts(self, table):
        return [dict(zip(self.columns(table), row)) for row in self.rows(table)]

    def by_key(self, table):
        found = defaultdict(list)
        for row in self.rows(table):
            found[row[0]].append(row[1:])
        return found

    def policy_contents(self, contents):
        """The number of the content of each policy."""
        tables = [self.by_key(table) for table in ("policy_groups", "policy_rules", "policy_directives")]
        return {row["policy_id"]: contents.number((row["is_valid_utf8"], *(tuple(table.get(row["policy_id"], ())) for table in tables)))
                for row in self.dicts("policies")}

    def preference_contents(self, contents):
        """The numbers of the contents of each set of preferences, without lines and with them."""
        sets = self.by_key("preference_sets").items()
        return ({key: contents.number(("preferences", without_lines(rows))) for key, rows in sets},
                {key: contents.number(("preference set", tuple(rows))) for key, rows in sets})

    def compare(self, other, label):
        """The differences of the rows and columns of all tables. Files with the same bytes need not be read."""
        found = []
        for table in sorted(self.names() | other.names()):
            bytes_of = [[path.read_bytes() for path in history.files_of(table)] for history in (self, other)]
            if not bytes_of[0] or bytes_of[0] != bytes_of[1]:
                found += differences(f"{label}: columns of {table}", ["name"] * 99, self.columns(table), other.columns(table))
                found += differences(f"{label}: {table}", self.columns(table), self.rows(table), other.rows(table))
        return found


def check_tables(history, oracle, contents):
    """Compares all tables of a history with the oracle."""
    found = []
    policies, (preferences, sets) = history.policy_contents(contents), history.preference_contents(contents)
    for table in ("crawls", "archives", "host_captures", "host_contents", "agent_periods"):
        found += differences(table, history.columns(table), history.rows(table), oracle.rows[table])
    names = history.columns("host_periods")
    wanted_names = ["host_no", "period_no", "surt_host_name", "first_crawl", "last_crawl", "first_fetch", "last_fetch", "n_captures", "domain_id", "policy_id",
                    "preferences_id", "preference_set_id", *OWN, *RULES]
    if names != wanted_names:
        return [f"host_periods has the columns {names}"]
    periods = [(*row[:8], policies.get(row[9]), preferences.get(row[11]), sets.get(row[11]), *row[12:]) for row in history.rows("host_periods")]
    found += differences("host_periods", [name for name in names if name != "domain_id"], periods, oracle.rows["host_periods"])
    # A domain has the number of its first host, less 2^52 for each domain before it of the same host.
    numbers, domains_of, place = {}, Counter(), names.index("url_host_registered_domain")
    for row in history.rows("host_periods"):
        if (domain := row[place] or row[2]) not in numbers:
            numbers[domain] = row[0] - (domains_of[row[0]] << 52)
            domains_of[row[0]] += 1
    wrong = [row for row in history.rows("host_periods") if row[8] != numbers[row[place] or row[2]]]
    if wrong:
        found.append(f"host_periods: {len(wrong)} rows have another domain_id than their domain, such as {wrong[0]}")
    # The key of what is stated is the same if and only if that is.
    stated = {(row[10], preferences.get(row[11])) for row in history.rows("host_periods")}
    if not len(stated) == len({key for key, _ in stated}) == len({content for _, content in stated}):
        found.append("host_periods: preferences_id is not the key of what is stated")
    for table, keys, contents_of, column in (("policies", "policies", policies, 9), ("preference_sets", "preference_sets", sets, 11)):
        stored = [row[0] for row in history.rows(keys)]
        distinct = list(dict.fromkeys(stored))
        used = {row[column] for row in history.rows("host_periods")} - {None}
        if distinct != sorted(distinct) or table == "policies" and distinct != stored:
            found.append(f"{table}: keys are not in order, or not unique")
        if set(distinct) != used:
            found.append(f"{table}: {len(set(distinct) - used)} keys are unused, {len(used - set(distinct))} are missing")
        if len(set(contents_of.values())) != len(contents_of):
            found.append(f"{table}: two keys have the same rows")
    return found + check_keys(history) + check_policies(history, oracle, policies)


def check_keys(history):
    """Compares the keys of policies and of preferences with those that docs/tables.md defines."""
    connection = duckdb.connect()
    connection.execute((history.folder / "views.sql").read_text(encoding="utf-8"))
    keys, sets = set(policy_keys(connection).items()), preference_keys(connection)
    for row in history.dicts("host_periods"):
        if key := row["preference_set_id"]:
            keys |= {(key, sets[key][0]), (row["preferences_id"], sets[key][1])}
    return [f"the key {key} is not that of its rows, {wanted}" for key, wanted in sorted(keys) if key != wanted]


def check_policies(history, oracle, policies):
    """Compares the counts, the order and the verdicts of policies."""
    found = []
    tables = {"n_user_agents": "policy_groups", "n_rules": "policy_rules", "n_directives": "policy_directives", "n_verdicts": "policy_verdicts"}
    for count, table in tables.items():
        rows = history.by_key(table)
        wrong = [row["policy_id"] for row in history.dicts("policies") if len(rows.get(row["policy_id"], ())) != row[count]]
        if wrong:
            found.append(f"policies: {count} is not the number of rows of {table} for {len(wrong)} policies, such as {wrong[0]}")
        keys = [row[0] for row in history.rows(table)]
        if keys != sorted(keys) or not set(keys) <= set(policies):
            found.append(f"{table} is not sorted by policies, or has rows of others")
    # Rows of hosts are not in the order of their policy, and hosts may lack rows.
    verdicts = defaultdict(set)
    for capture in oracle.captures:
        if capture["policy"] is not None and capture["row"]["has_named_rows"]:
            verdicts[capture["policy"]].add(tuple(sorted(capture["verdicts"], key=repr)))
    stored = history.by_key("policy_verdicts")
    names = history.columns("policy_verdicts")[1:]
    for policy, content in policies.items():
        wanted = verdicts.get(content, set())
        if len(wanted) > 1:
            found.append(f"policy {policy}: captures with these lines have {len(wanted)} sets of verdicts")
        elif wanted:
            found += unordered(f"policy_verdicts of {policy}", names, stored.get(policy, []), list(next(iter(wanted))))
    # The first two columns are those by which the description says that the table is sorted.
    keys = [(row[0], name_key(row[1])) for row in history.rows("policy_verdicts")]
    if keys != sorted(keys):
        number = next(number for number in range(1, len(keys)) if keys[number - 1] > keys[number])
        found.append(f"policy_verdicts is not sorted by policy_id and agent: {keys[number - 1]} is before {keys[number]}")
    last = oracle.crawls[-1]
    agents = read_rows(last.files_of("agents"))
    found += differences("agents", history.columns("agents"), history.rows("agents"), agents[1])
    return found


# Shares.


def shares_of(oracle):
    """The names of columns and the rows of `shares`, with the ends of intervals in millionths that are not rounded."""
    connection = duckdb.connect()
    connection.execute((ROOT / "tests/python/oracle/shares.sql").read_text(encoding="utf-8"))
    for table in ("hosts", "host_verdicts", "runs"):
        columns = ", ".join(row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()[1:])
        for crawl in oracle.crawls:
            if files := [str(file) for file in crawl.files_of(table)]:
                connection.execute(f"INSERT INTO {table} SELECT ?, {columns} FROM read_parquet(?, hive_partitioning = false)", [crawl.name, files])
    connection.execute("INSERT INTO agents SELECT agent, fallbacks, ignores_wildcard FROM read_parquet(?, hive_partitioning = false)",
                       [[str(file) for file in oracle.crawls[-1].files_of("agents")]])
    connection.executemany("INSERT INTO crawls VALUES (?, ?)", list(oracle.position.items()))
    captures = [(capture["crawl"].name, capture["row"]["host_id"]) for capture in oracle.captures]
    connection.execute("INSERT INTO captures SELECT unnest(?), unnest(?)", [list(column) for column in zip(*captures)])
    cursor = connection.execute("FROM oracle_shares")
    return [column[0] for column in cursor.description], cursor.fetchall()


def rounded(end, found):
    """An end of an interval. That of the product may be rounded to the other side, since its coefficients have six digits."""
    if end is None or found is not None and abs(end - found) < 0.6:
        return None if end is None else found
    return round(end)


def check_shares(history, oracle):
    """Compares the table `shares` of a history with SQL over the datasets of its crawls."""
    names, rows = history.table("shares")
    wanted_names, wanted = shares_of(oracle)
    if names != wanted_names:
        return [f"shares has the columns {names}"]

    def key(row):
        return name_key(row[0]), oracle.position[row[1]]

    found = [] if [key(row) for row in rows] == sorted(key(row) for row in rows) else ["shares is not sorted by agent and crawl"]
    # The order of the verdicts of a crawler and crawl is not described.
    rows = sorted(rows, key=lambda row: (*key(row), row[2:4]))
    ends = {row[:4]: row[8:] for row in rows}
    wanted = [(*row[:8], *map(rounded, row[8:], ends.get(row[:4], (None, None)))) for row in wanted]
    return found + differences("shares", names, rows, wanted)


# Views and macros.


def stored_line(table, row, names):
    """A row of groups or rules as views have it: with the values for which files have null, and with computed columns."""
    line = dict(zip(names, row))
    if table == "groups":
        line["key_raw"] = "User-agent" if line["key_raw"] is None else line["key_raw"]
        line["agent_raw"] = line["agent"] if line["agent_raw"] is None else line["agent_raw"]
        line["agent_token"] = "*" if line["agent"] == "*" else re.match("[a-z_-]*", line["agent"])[0]
        line["n_rules"] = line["n_allow"] + line["n_disallow"]
        return line
    path = line["path"]
    line["path_raw"] = path if line["path_raw"] is None else line["path_raw"]
    line["key_raw"] = ("Allow" if line["allow"] else "Disallow") if line["key_raw"] is None else line["key_raw"]
    line["path_bytes"] = len(path.encode())
    line |= {"is_empty": path == "", "has_wildcard": "*" in path, "has_end_anchor": path.endswith("$"), "has_query": "?" in path}
    return line


def host_as_in_views(host, crawl, archive_no):
    """A row of hosts with the columns that views compute."""
    status = host["fetch_status"]
    # A resource record has no status, but a body that is parsed.
    if status is None and host["content_class"] is not None:
        status = 200
    is_failed = host["wildcard_verdict"] == "unknown" and not host["is_revisit"]
    outcomes = {2: "successful", 3: "redirect", 4: "unavailable"}
    classes = {200: "success", 400: "notfound", 404: "notfound", 410: "notfound", 401: "unauthorized", 403: "forbidden", 429: "defer_visits"}
    hundreds = {3: "redirect", 5: "defer_visits"}
    port = "" if host["url_port"] is None else f":{host['url_port']}"
    return host | {
        "crawl": crawl, "archive_no": archive_no,
        "url": f"{host['url_protocol']}://{host['url_host_name']}{port}/robots.txt",
        "outcome": ("failed" if is_failed else "unreachable") if status is None else outcomes.get(status // 100, "unreachable"),
        "fetch_class": "other" if status is None else classes.get(status) or hundreds.get(status // 100, "other"),
        "domain": host["surt_host_name"] if host["url_host_registered_domain"] is None else host["url_host_registered_domain"]}


def check_views(world):
    """Compares the views and macros of the history with the datasets."""
    found, connection, oracle = [], world.connection(), world.oracle
    for crawl in oracle.crawls:
        label = f"hosts_at('{crawl.name}')"
        views = {row["surt_host_name"]: row for row in query(connection, "FROM hosts_at(?)", [crawl.name])}
        wanted = {capture["host"]: host_as_in_views(capture["row"], crawl.name, capture["place"][0]) for capture in crawl.captures}
        if set(views) != set(wanted):
            found.append(f"{label} has {len(views)} hosts instead of {len(wanted)}: {sorted(set(views) ^ set(wanted))[:SHOWN]}")
            continue
        for host in sorted(wanted):
            row, other = views[host], wanted[host]
            missing = set(other) - set(row)
            nulls = [name for name in KEYS if name not in ("host_id", "domain_id") and row[name] is not None]
            wrong = [name for name in other if name not in KEYS and name not in missing and row[name] != other[name]]
            if missing or nulls or wrong:
                found.append(f"{label}: {host} lacks {missing}, has values in {nulls}, differs in "
                             f"{[(name, row[name], other[name]) for name in wrong]}")
            if row["host_id"] != oracle.numbers[host, crawl.name]:
                found.append(f"{label}: {host} has host_id {row['host_id']} instead of {oracle.numbers[host, crawl.name]}")
        found += check_rows_of_hosts(connection, crawl, oracle)
    found += check_places(world, connection)
    found += check_lines(world, connection)
    return found


def check_rows_of_hosts(connection, crawl, oracle):
    """Compares the rows of the views host_verdicts and host_preferences of all hosts."""
    found = []
    for table, sql, columns, rows_of in (
            ("verdicts_at", "FROM verdicts_at(?)", ("agent", *VERDICT, "evidence_line"), crawl.host_verdicts),
            ("host_preferences", "FROM host_preferences WHERE crawl = ?", PREFERENCE, crawl.host_preferences)):
        names = ("surt_host_name", "url_host_registered_domain", "host_id", *columns)
        rows = [picked(row, names) for row in query(connection, sql, [crawl.name])]
        wanted = [
            (host["surt_host_name"], host["url_host_registered_domain"], oracle.numbers[host["surt_host_name"], crawl.name], *row)
            for host in crawl.hosts for row in rows_of.get(host["host_id"], ())]
        found += unordered(f"{table} of {crawl.name}", names, rows, wanted)
    return found


def check_places(world, connection):
    """Compares the places of the records of captures, by the views and by captures_of and periods_of."""
    found, oracle = [], world.oracle
    wanted = [(capture["host"], capture["crawl"].name, capture["row"]["fetch_time"], capture["archive"], *capture["place"][1:])
              for capture in oracle.captures]
    names = ("surt_host_name", "crawl", "fetch_time", "warc_filename", "warc_record_offset", "warc_record_in_member")
    rows = query(connection, "SELECT c.*, h.surt_host_name, a.warc_filename FROM host_captures c JOIN archives a ON a.crawl = c.crawl AND a.archive_no = c.archive_no "
                 "JOIN host_periods h ON h.host_no = c.host_no AND h.period_no = c.period_no")
    found += unordered("host_captures and archives", names, [picked(row, names) for row in rows], wanted)
    periods = [row[:8] for row in oracle.periods]
    for host in world.sample_of_hosts():
        rows = [picked(row, names[1:]) for row in query(connection, "FROM captures_of(?)", [host])]
        found += differences(f"captures_of('{host}')", names[1:], rows, [row[1:] for row in wanted if row[0] == host])
        columns = ("host_no", "period_no", "surt_host_name", "first_crawl", "last_crawl", "first_fetch", "last_fetch", "n_captures")
        rows = [picked(row, columns) for row in query(connection, "FROM periods_of(?)", [host])]
        found += differences(f"periods_of('{host}')", columns, rows, [row for row in periods if row[2] == host])
    return found


def check_lines(world, connection):
    """Compares the lines of every host with those of the capture whose rules apply, and for some hosts also by macros."""
    found, history, oracle = [], world.history, world.oracle
    policies = history.policy_contents(world.contents)
    period_policies = {(row["surt_host_name"], row["period_no"]): row["policy_id"] for row in history.dicts("host_periods")}
    period_nos = {row["capture_no"]: row["period_no"] for row in history.dicts("host_captures")}
    for capture in oracle.captures:
        policy = period_policies[capture["host"], period_nos[oracle.numbers[capture["host"], capture["crawl"].name]]]
        content = policies[policy] if policy is not None else None
        if content != capture["policy"]:
            found.append(f"lines of {capture['host']} in {capture['crawl'].name} are not those of its capture")
    for host in world.sample_of_hosts():
        for capture in [capture for capture in oracle.captures if capture["host"] == host][:SHOWN]:
            crawl, row = capture["crawl"], capture["row"]
            for macro, table in (("groups_at", "groups"), ("rules_at", "rules")):
                names = getattr(crawl, f"{table}_columns")
                wanted = [stored_line(table, line, names) for line in getattr(crawl, table).get(row["rules_robots_id"], ())]
                rows = query(connection, f"FROM {macro}(?, ?)", [row["url_host_name"], crawl.name])
                found += differences(f"{macro}('{row['url_host_name']}', '{crawl.name}')", ["line"] * len(wanted), rows, wanted)
    return found


def check_joined(world):
    """Compares the views with the tables of `robots-scan join`."""
    found, connection = [], world.connection()
    joined = world.datasets / "_joined"
    policies = world.history.policy_contents(world.contents)
    for crawl in world.oracle.crawls:
        folder = f"crawl={crawl.name}"
        hosts = read_dicts(sorted((joined / "hosts" / folder).rglob("*.parquet")))
        names = [name for name in crawl.host_columns if name not in KEYS]
        views = sorted(query(connection, "SELECT * FROM hosts WHERE crawl = ?", [crawl.name]), key=lambda row: name_key(row["surt_host_name"]))
        found += differences(f"hosts of {crawl.name} and of join", names, [picked(row, names) for row in views], [picked(row, names) for row in hosts])
        for row, host in zip(views, hosts):
            wanted = crawl.policy(host["rules_robots_id"])
            if (policies[row["policy_id"]] if row["policy_id"] is not None else None) != wanted:
                found.append(f"lines of {host['surt_host_name']} in {crawl.name} are not those of join")
        for table, columns in (("host_verdicts", ("agent", *VERDICT, "evidence_line")), ("host_preferences", PREFERENCE)):
            names = ("surt_host_name", "url_host_registered_domain", *columns)
            of_view = query(connection, f"SELECT * FROM {table} WHERE crawl = ?", [crawl.name])
            of_join = read_dicts(sorted((joined / table / folder).rglob("*.parquet")))
            of_view, of_join = ([picked(row, names) for row in rows] for rows in (of_view, of_join))
            found += unordered(f"{table} of {crawl.name} and of join", names, of_view, of_join)
    return found


# Composition.


def check_composition(world, is_campaign):
    """Makes the same history in other ways, all of which in a campaign; all must have the same rows in the same order."""
    found, datasets = [], [crawl.dataset for crawl in world.crawls]
    shuffled, rng = datasets[:], random.Random(len(datasets))
    while len(shuffled) > 2 and shuffled == datasets:
        rng.shuffle(shuffled)

    def of_halves(*halves):
        return world.make("of-halves", *[world.make(f"half-{number}", *half).folder for number, half in enumerate(halves)])

    def added(number):
        others = world.make("others", *datasets[:number], *datasets[number + 1:]).folder
        return world.make("added", *((others, datasets[number]) if number % 2 else (datasets[number], others)))

    def crawl_by_crawl():
        grown = world.folder / "grown"
        shutil.rmtree(grown, ignore_errors=True)
        run(world.program, "history", shuffled[0], "-q", "-o", grown)
        for dataset in shuffled[1:]:
            run(world.program, "history", grown, dataset, "-q", "-o", grown, "--overwrite")
        return History(grown)

    middle = len(datasets) // 2
    ways = {
        "shuffled inputs": lambda: world.make("shuffled", *shuffled),
        "halves in time": lambda: of_halves(datasets[:middle], datasets[middle:]),
        "halves in time, the other way round": lambda: of_halves(datasets[middle:], datasets[:middle]),
        "every second crawl": lambda: of_halves(datasets[::2], datasets[1::2]),
        "every second crawl, the other way round": lambda: of_halves(datasets[1::2], datasets[::2]),
        "the joined folder": lambda: world.make("of-joined", world.datasets),
        "one thread and little memory": lambda: world.make("small", *datasets, options=("-t", 1, "--memory", "16MiB")),
        "crawl by crawl, with --overwrite": crawl_by_crawl,
        **{f"{crawl.name} is added": functools.partial(added, number) for number, crawl in enumerate(world.crawls)},
    }
    for way in test_runner.share(ways, 0.3, is_campaign, seed=world.name):
        found += ways[way]().compare(world.history, f"{world.name}, {way}")
    # In a series, the captures of the earlier crawls are copied.
    earlier = world.make("earlier", *datasets[:middle]).folder
    found += world.make("continued", earlier, *datasets[middle:]).compare(world.history, f"{world.name}, later crawls are added")
    again = world.make("again", *datasets).folder
    for path in sorted(path for path in world.history.folder.rglob("*") if path.is_file() and path.name != "_log.jsonl"):
        relative = path.relative_to(world.history.folder)
        first, second = path.read_bytes(), (again / relative).read_bytes() if (again / relative).is_file() else b""
        if first.replace(bytes(world.history.folder), b"ROOT") != second.replace(bytes(again), b"ROOT"):
            found.append(f"{world.name}: the same call gives other bytes of {relative}")
    return found


def check_replace(world, changed):
    """Replaces one crawl by a dataset of the same name."""
    found, crawls = [], world.crawls
    number = len(crawls) // 2
    datasets = [crawl.dataset for crawl in crawls]
    afresh = world.make("afresh", *datasets[:number], changed, *datasets[number + 1:])
    if not afresh.compare(world.history, ""):
        found.append(f"{world.name}: the changed crawl has the same rows, so that nothing is tested")
    for label, inputs in (
            ("a dataset after others", (*datasets, changed)),
            ("a dataset after a history", (world.history.folder, changed)),
            ("a history after another", (world.history.folder, world.make("of-changed", changed).folder)),
            ("a history after a dataset", (datasets[number], afresh.folder)),
            ("the same history twice", (afresh.folder, afresh.folder)),
            ("the same history by two paths", (afresh.folder, afresh.folder / ".." / afresh.folder.name)),
            ("the same dataset twice", (afresh.folder, changed, changed))):
        try:
            found += world.make("replaced", *inputs, options=("--replace",)).compare(afresh, f"{world.name}, --replace, {label}")
        except AssertionError as error:
            found.append(f"{world.name}, --replace, {label}: {error}")
    for inputs in ((*datasets, changed), (world.history.folder, changed), (world.history.folder, world.history.folder), (datasets[0], datasets[0])):
        out = world.folder / "refused"
        done = run(world.program, "history", *inputs, "-q", "-o", out, codes=(0, 1, 2, 3))
        if done.returncode != 2 or out.exists() or not any(crawl.name in done.stderr for crawl in crawls):
            found.append(f"{world.name}: a crawl given twice has exit code {done.returncode}: {done.stderr}")
        shutil.rmtree(out, ignore_errors=True)
    # A history that is there remains as it is.
    kept = world.make("kept", *datasets).folder
    before = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    run(world.program, "history", *datasets, changed, "-q", "-o", kept, "--overwrite", codes=(2,))
    run(world.program, "history", *datasets, "-q", "-o", kept, codes=(2,))
    if before != {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}:
        found.append(f"{world.name}: a refused call changes the history that is there")
    return found


def check_forget(world):
    """Leaves out a third of the hosts."""
    found = []
    rng = random.Random(7)
    hosts = sorted({capture["host"]: capture["row"]["url_host_name"] for capture in world.oracle.captures}.items())
    forgotten = dict(rng.sample(hosts, len(hosts) // 3 + 1))
    listed = world.folder / "forgotten.txt"
    listed.write_text("".join(f"{name}\n" for name in forgotten.values()), encoding="utf-8")
    options = ("--forget", listed)
    oracle = Oracle(world.crawls, forgotten=set(forgotten))
    datasets = [crawl.dataset for crawl in world.crawls]
    of_datasets = world.make("forgotten", *datasets, options=options)
    texts = check_tables(of_datasets, oracle, world.contents) + check_shares(of_datasets, oracle)
    found += [f"{world.name}, --forget: {text}" for text in texts]
    found += world.make("forgotten-later", world.history.folder, options=options).compare(of_datasets, f"{world.name}, --forget in an earlier history")
    half = world.make("half-0", *datasets[::2], options=options)
    mixed = world.make("forgotten-mixed", half.folder, *datasets[1::2], options=options)
    found += mixed.compare(of_datasets, f"{world.name}, --forget in a history and in datasets")
    names = [name_key(host) for host in forgotten]
    for table in sorted(of_datasets.names()):
        column = "surt_host_name"
        if column in of_datasets.columns(table):
            place = of_datasets.columns(table).index(column)
            left = {row[place] for row in of_datasets.rows(table) if name_key(row[place]) in names}
            if left:
                found.append(f"{world.name}, --forget: {table} has {sorted(left)[:SHOWN]}")
    return found


def check_questions(world):
    """Compares the answers of questions with those over the joined datasets."""
    found = []
    connections = (world.connection(), opened(world.datasets))
    calls = [f"{name}(agent := '{agent}')" for agent in AGENTS for name in (
        "changes_between_crawls", "names_first_seen", "hosts_decided_in_every_crawl", "share_of_hosts_blocking")]
    calls += ["most_blocked_agents()", "most_blocked_agents(top := 3)"]
    for call in calls:
        answers = []
        for connection in connections:
            try:
                cursor = connection.execute(f"FROM {call}")
                answers.append(([column[0] for column in cursor.description], cursor.fetchall()))
            except duckdb.Error as error:
                answers.append((["error"], [(str(error),)]))
        found += differences(f"{world.name}: columns of {call}", ["name"] * 99, answers[0][0], answers[1][0])
        found += differences(f"{world.name}: {call}", answers[0][0], answers[0][1], answers[1][1])
    return found


# Old URLs.


def old_urls_of(old_urls, rng):
    """URLs with times: of each host, in and between its captures, and some that no capture decides."""
    for host, captures in sorted(old_urls.by_host.items()):
        for _ in range(URLS_PER_HOST):
            capture = rng.choice(captures)
            scheme, name, port = old_urls.origin_of(capture)
            if re.search(r"[0-9\]]$", name):  # The keys of addresses are not those of names.
                continue
            if rng.random() < 0.1:
                scheme = "http" if scheme == "https" else "https"
            path = rng.choice([*old_urls.paths_of(capture)[:5], "/", "/page?q=1"])
            time = old_urls.time_of(rng.choice(captures))
            time = time and time + rng.choice([datetime.timedelta(seconds=seconds) for seconds in (-40_000_000, -1, 0, 1, 5_000_000)])
            yield f"{scheme}://{name}{'' if port is None else f':{port}'}{path}", time if rng.random() < 0.9 else None
    yield "https://not-captured.example/", None


def check_old_urls(world):
    """Compares `match` over the history with the answers of the oracle."""
    found, rng = [], random.Random(world.name)
    old_urls = OldUrls(world.oracle)
    urls = list(old_urls_of(old_urls, rng))
    with open(world.folder / "urls.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("url", "crawled"))
        table.writerows((url, "" if time is None else time.isoformat() + "Z") for url, time in urls)
    for any_origin in (False, True):
        answers = world.folder / "answers.parquet"
        run(world.program, "match", world.history.folder, "--urls", world.folder / "urls.csv", "--columns", "time=crawled", "--agent",
            ",".join(MATCH_AGENTS), "-o", answers, "--overwrite", "-q", *(["--any-origin"] if any_origin else []))
        rows = read_dicts([answers])
        wanted = [{"url": url, "agent": agent, "time": time} | old_urls.answer(url, time, agent, any_origin)
                  for url, time in urls for agent in MATCH_AGENTS]
        names = tuple(wanted[0])
        found += differences(f"match, any_origin={any_origin}", names, [picked(row, names) for row in rows], [picked(row, names) for row in wanted])
        world.decided += sum(row["access"] == "disallowed" for row in rows)
    return found


def check_one_crawl(world):
    """Compares `match` over a dataset and over the history of that one crawl, for origins whose capture speaks for the host."""
    dataset = world.crawls[-1].dataset
    history = world.make("one", dataset)
    old_urls = OldUrls(Oracle(world.crawls[-1:]))
    urls = world.folder / "urls.txt"
    listed = sorted({url for url, _ in old_urls_of(old_urls, random.Random(world.name))})
    urls.write_text("".join(f"{url}\n" for url in listed), encoding="utf-8")
    found = []
    for dialect in ("google", "rfc9309", "koster1996"):
        answers = []
        for place in (dataset, history.folder):
            path = world.folder / "one.parquet"
            run(world.program, "match", place, "--urls", urls, "--agent", ",".join(MATCH_AGENTS), "--category", "training",
                "--dialect", dialect, "-o", path, "--overwrite", "-q")
            answers.append(read_dicts([path]))
        pairs = [pair for pair in zip(*answers) if pair[1]["is_same_origin"]]
        names = [name for name in answers[0][0] if name in answers[1][0]]
        of_dataset, of_history = ([picked(row, names) for row in rows] for rows in zip(*pairs))
        found += differences(f"match of {dataset.name} by {dialect}", names, of_history, of_dataset)
        world.same += len(pairs)
    return found


# Worlds: the crawls of one series.


class World:
    """Crawls that were scanned, each by itself, their joined folder, their history, and the oracle."""

    def __init__(self, name, program, folder, scanned, *join_options):
        self.name, self.program, self.folder = name, program, Path(folder)
        self.datasets = self.folder / "datasets"
        self.contents = Contents()
        self.crawls = [CrawlRows(dataset, crawl, self.contents) for dataset, crawl in scanned]
        self.oracle = Oracle(self.crawls)
        # Old URLs that are disallowed.
        self.decided = 0
        # Answers that a dataset and the history of its crawl have both.
        self.same = 0
        self.is_single = False
        run(program, "join", self.datasets, "-q", *join_options)
        self.history = self.make("history", *(crawl.dataset for crawl in self.crawls))
        self.opened = None

    def make(self, name, *inputs, options=()):
        """Makes a history."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        run(self.program, "history", *inputs, "-q", "-o", folder, *options)
        return History(folder)

    def connection(self):
        if self.opened is None:
            self.opened = opened(self.history.folder)
        return self.opened

    def sample_of_hosts(self):
        hosts = sorted({capture["host"] for capture in self.oracle.captures})
        return random.Random(3).sample(hosts, min(4, len(hosts)))


def scan(program, archives, dataset, crawl, *options):
    dataset.parent.mkdir(parents=True, exist_ok=True)
    run(program, *archives, "-q", "-o", dataset, "--crawl", crawl, *options, codes=(0, 1))
    return dataset, crawl


def series_world(program, xtask, folder, seed, crawls, hosts):
    run(xtask, "series", folder, crawls, hosts, seed)
    scanned = [scan(program, sorted(crawl.glob("*.warc.gz")), folder / "datasets" / crawl.name[-3:], f"SERIES-{crawl.name[-3:]}")
               for crawl in sorted(folder.glob("crawl-*"))]
    return World(f"series {seed}", program, folder, scanned)


# Random crawls.

# Of the second name, `gov.uk` is a public suffix. `www` is left out of surt_host_name; some names sort between a domain and its hosts.
NAMES = ("example.com", "gov.uk", "a.example.com", "a-b.example.com", "example-c.com", "www.www.example.org", "localhost", "192.0.2.7",
         "[2001:db8::7]", "xn--bcher-kva.example", "b.example.com", "x.gov.uk", "example.github.io", "github.io", "café.example")
BODIES = (
    b"User-agent: *\nDisallow: /x\n",
    b"# Another comment\nUser-agent: *\nDisallow: /x\n",
    b"User-agent: *\nDisallow: /x\nSitemap: https://example.com/s.xml\n\nUser-agent: Yahoo! Slurp\nDisallow: /y\n",
    b"User-agent: *\nDisallow: /x\nUnknown-line: 1\n",
    b"\nUser-agent: *\nDisallow: /x\n",
    b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: CCBot\nAllow: /\n",
    b"User-agent: CCBot\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n",
    b"User-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /\nCrawl-delay: 2.5\nRequest-rate: 1/5\nVisit-time: 0600-0845\n",
    b"User-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /\nCrawl-delay: 3\n",
    b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
    b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\nLicense: https://example.com/license.xml\n",
    b"License: https://example.com/license.xml\n",
    b"User-agent: *\nDisallowAITraining: /\nAllowAITraining: /x\nLLM-Policy: /llms.txt\nDisallow:\n",
    b"User-agent: *\nDisallow: /\xff\n# \xfe\n",
    b"# \xfe\nUser-agent: *\nDisallow: /x\n",
    b"user-agent : MJ12bot/1.4\ndisalow: /a*b$\nallow /c?d\n\nDisallow: /e\n",
    b"Disallow: /before\nUser-agent: GPTBot\n",
    b"User-agent: GPTBot\r\nDisallow: \r\n",
    b"# Nothing but a comment\n",
    b"",
    b"<html><body>no</body></html>",
    b"\x00\x01\x02\x03\x04\x05binary\xff\xfe\x00\x00" * 9,
)
# Names more crawlers than a host with the rules of another capture may have rows for.
LONG_BODY = b"".join(b"User-agent: %s\nDisallow: /\n" % bytes([97 + number // 676, 97 + number // 26 % 26, 97 + number % 26]) for number in range(2001))
STATUSES = (200,) * 9 + (301, 301, 302, 304, 401, 403, 404, 404, 410, 429, 500, 503, 204, 999, None)


def sha1_of(body):
    return base64.b32encode(hashlib.sha1(body).digest()).decode()


class RandomCrawl:
    """Writes the archives of a random crawl."""

    def __init__(self, rng, names, bodies, statuses, is_single, start):
        self.rng, self.names, self.bodies, self.statuses = rng, names, bodies, statuses
        self.is_single, self.start = is_single, start
        # Some captures have no time, and all captures of some crawls.
        self.timed = rng.choice([0.95] * 9 + [0])

    def url(self, name, path=None):
        rng = self.rng
        www = "www." if rng.random() < 0.3 and name[0] != "[" and name[-1] != "7" else ""
        port = ":8080" if rng.random() < 0.1 else ""
        if path is None:
            path = "/robots.txt" if self.is_single or rng.random() < 0.9 else "/other"
        return f"{rng.choice(['http', 'https', 'https'])}://{www}{name}{port}{path}"

    def time(self):
        rng = self.rng
        # Few times, so that they are often equal.
        moment = self.start + datetime.timedelta(hours=rng.randrange(30))
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if rng.random() < self.timed else "unknown"

    def record(self, name, number):
        rng = self.rng
        status, body = rng.choice(self.statuses), rng.choice(self.bodies)
        is_revisit = rng.random() < 0.25
        headers = [f"HTTP/1.1 {status} X" if status else "HTTP/1.1 abc", "Content-Type: text/plain"]
        if status in (301, 302) and rng.random() < 0.95:
            headers.append("Location: " + self.url(rng.choice(self.names), "/robots.txt" if rng.random() < 0.8 else "/other"))
        if rng.random() < 0.1:
            headers.append("TDM-Reservation: 1")
        has_headers = not is_revisit or rng.random() < 0.7
        block = ("\r\n".join(headers) + "\r\n\r\n").encode() if has_headers else b""
        block += b"" if is_revisit or status == 304 else body
        fields = {
            "WARC-Type": "revisit" if is_revisit else "response",
            "WARC-Target-URI": self.url(name),
            "WARC-Date": self.time(),
            "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
            "WARC-Payload-Digest": "sha1:" + sha1_of(body),
            "Content-Type": "application/http; msgtype=response",
            "Content-Length": str(len(block)),
        }
        if rng.random() < 0.05:
            del fields["WARC-Payload-Digest"]
        head = "WARC/1.0\r\n" + "".join(f"{key}: {value}\r\n" for key, value in fields.items()) + "\r\n"
        return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)

    def write(self, folder, crawl, counts=(1, 1, 3)):
        """Writes the captures to a number of archives, which is one of `counts`."""
        rng = self.rng
        folder.mkdir(parents=True)
        seen = [name for name in self.names if rng.random() < 0.75] or self.names[:1]
        if not self.is_single:
            seen += rng.choices(seen, k=len(seen))
        records = [self.record(name, number) for number, name in enumerate(seen)]
        count = rng.choice(counts)
        archives = [folder / f"{crawl}-{number:05}.warc.gz" for number in range(count)]
        for number, path in enumerate(archives):
            path.write_bytes(b"".join(records[number::count]))
        return archives


def random_world(program, folder, seed):
    """Random crawls. Those of even seeds have one capture of each host, so that a history knows all that `join` knows."""
    rng = random.Random(seed)
    is_single = seed % 2 == 0
    names = [*rng.sample(NAMES, rng.randrange(4, len(NAMES))), *(f"h{number}.example.net" for number in range(rng.randrange(10)))]
    bodies = rng.sample(BODIES, rng.randrange(2, len(BODIES)))
    statuses = rng.choices(STATUSES, k=rng.randrange(4, 20)) + [200] * 3
    if rng.random() < 0.1:
        bodies[:4], statuses = [LONG_BODY] * 2, statuses + [301] * 9
    crawls = rng.sample(["A", "B", "C", "D", "E-2026"], rng.randrange(2, 6))
    scanned = []
    for place, crawl in enumerate(crawls):  # The order of times is not that of names, and crawls overlap.
        start = datetime.datetime(2025, 12, 1) + datetime.timedelta(hours=place * rng.choice([0, 10, 100]))
        archives = RandomCrawl(rng, names, bodies, statuses, is_single, start).write(folder / "archives" / crawl, crawl)
        scanned.append(scan(program, archives, folder / "datasets" / crawl, crawl))
    world = World(f"random {seed}", program, folder, scanned)
    world.is_single = is_single
    return world


def repeated_world(program, folder):
    """Crawls in which a body is captured twice, and then one with the same lines, so that a period has several contents."""
    rng, scanned = random.Random(1), []
    names = [f"h{number}.example.net" for number in range(200)]
    for place, body in enumerate((BODIES[0], BODIES[0], BODIES[0] + b"# A comment\n")):
        start = datetime.datetime(2025, 12, 1 + 5 * place)
        archives = RandomCrawl(rng, names, [body], [200], True, start).write(folder / f"archives/{place}", f"C-{place}")
        scanned.append(scan(program, archives, folder / f"datasets/{place}", f"C-{place}"))
    return World("repeated", program, folder, scanned)


# Name crawlers that are not in the registry. In crawls of samples, some of them are named by ten hosts, and others by fewer.
OTHER_BODIES = tuple(f"User-agent: other-{number}\nUser-agent: other-{number // 2}\nDisallow: /{'x' * (number % 2)}\n\nUser-agent: other\nAllow: /\n".encode()
                     for number in range(6))
# Crawlers with several fallbacks, of which the built-in registry has none, as lines of a registry.
OTHER_CRAWLERS = ('Several-A,,,,,"CCBot,GPTBot",false,false', 'Several-B,,,,,"nobody,GPTBot,CCBot",true,false', 'Several-C,,,,,"GPTBot,other-1",false,false',
                  'other-5,,,,,"other,other-1",false,false')


def sampled_world(program, folder, seed):
    """Random crawls of many archives, of which samples are read: fewer than an interval needs, some of them, and all.

    The last crawl has another registry than those before.
    """
    rng = random.Random(f"sample {seed}")
    folder.mkdir()
    built_in = (ROOT / "src/crawlers/agents.csv").read_text(encoding="utf-8").rstrip("\n").split("\n")
    registry = folder / "registry.csv"
    registry.write_text("\n".join([*built_in, *(f"{crawler},,," for crawler in OTHER_CRAWLERS)]) + "\n", encoding="utf-8")
    names = [*NAMES, *(f"h{number}.d{int(rng.random() ** 2 * 30)}.example" for number in range(120))]
    scanned = []
    for number, count in enumerate(READ_ARCHIVES):
        start = datetime.datetime(2025, 1, 1) + datetime.timedelta(hours=number * 20)
        crawl = f"{'edcba'[number]}-{count}"
        random_crawl = RandomCrawl(rng, names, [*BODIES, *OTHER_BODIES * 5, LONG_BODY], STATUSES + (200,) * 20, True, start)
        archives = random_crawl.write(folder / "archives" / crawl, crawl, (LISTED_ARCHIVES,))
        options = ["--agents", registry] if count is None else ["--sample", count, "--seed", seed]
        scanned.append(scan(program, archives, folder / "datasets" / crawl, crawl, *options))
    return World(f"samples {seed}", program, folder, scanned, "--mixed")


# Real archives.


def real_archives():
    """The archives of the same hosts in eight crawls, in the order of their names; empty if they are not there."""
    folders = [os.environ.get("ROBOTS_SCAN_REAL_GOV"), ROOT.parent / "shared/data/real", ROOT.parent / "shared/data/warc"]
    for folder in folders:
        archives = sorted(Path(folder).glob("REAL-GOV-*.warc.gz")) if folder else []
        if archives:
            return archives
    return []


class Tests:
    """Each test collects the differences in all of its worlds."""

    def __init__(self, program, xtask, folder, is_campaign):
        self.program, self.folder = program, folder
        self.check_composition = functools.partial(check_composition, is_campaign=is_campaign)
        seeds, crawls, hosts = (CAMPAIGN_SEEDS, CAMPAIGN_CRAWLS, CAMPAIGN_HOSTS) if is_campaign else (SEEDS, CRAWLS, HOSTS)
        self.series = [series_world(program, xtask, folder / f"series-{seed}", seed, crawls, hosts) for seed in seeds]
        # For some series, the crawl in the middle, as it is in a series of another seed.
        self.changed = {}
        for world, seed in zip(self.series if is_campaign else self.series[:1], seeds):
            other, number = folder / f"changed-{seed}", crawls // 2
            run(xtask, "series", other, crawls, hosts, seed + 1000)
            crawl = world.crawls[number].name
            self.changed[world.name], _ = scan(program, sorted((other / f"crawl-{number:03}").glob("*.warc.gz")), other / "dataset", crawl)
        self.random = [random_world(program, folder / f"random-{seed}", seed) for seed in (CAMPAIGN_RANDOM_SEEDS if is_campaign else RANDOM_SEEDS)]
        self.repeated = repeated_world(program, folder / "repeated")
        self.samples = [sampled_world(program, folder / f"samples-{seed}", seed) for seed in (CAMPAIGN_SAMPLE_SEEDS if is_campaign else SAMPLE_SEEDS)]
        self.real = self.real_worlds()

    def real_worlds(self):
        archives = real_archives()
        if not archives:
            print("skipped: histories of real archives, which are not available")
            return []
        folder = self.folder / "real"
        crawls = defaultdict(list)
        for path in archives:
            crawls[re.sub(r"-\d{5}\.warc\.gz$", "", path.name)].append(path)
        scanned = [scan(self.program, paths, folder / "datasets" / crawl, crawl) for crawl, paths in sorted(crawls.items())]
        return [World("real", self.program, folder, scanned)]

    def report(self, check, worlds):
        found = []
        for world in worlds:
            texts = check(world)
            found += [text if text.startswith(world.name) else f"{world.name}: {text}" for text in texts[:SHOWN]]
            found += [f"{world.name}: {len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
        assert not found, f"{len(found)} differences\n  " + "\n  ".join(found[:40])

    def test_tables_of_series(self):
        self.report(lambda world: check_tables(world.history, world.oracle, world.contents), self.series)

    def test_tables_of_random_crawls(self):
        self.report(lambda world: check_tables(world.history, world.oracle, world.contents), [*self.random, self.repeated])

    def test_tables_of_real_crawls(self):
        self.report(lambda world: check_tables(world.history, world.oracle, world.contents), self.real)

    def check_shares(self, worlds):
        self.report(lambda world: check_shares(world.history, world.oracle), worlds)

    def test_shares_of_series(self):
        self.check_shares(self.series)

    def test_shares_of_random_crawls(self):
        self.check_shares(self.random)

    def test_shares_of_real_crawls(self):
        self.check_shares(self.real)

    def test_shares_of_samples(self):
        self.check_shares(self.samples)
        rows = [row for world in self.samples for row in world.history.dicts("shares")]
        intervals = sum(row["low_millionths"] is not None for row in rows)
        assert intervals >= 100, f"only {intervals} rows have an interval, so that little is tested"
        for prefix, subject in (("other-", "that are not in the registry"), ("several-", "with several fallbacks")):
            named = sum(row["agent"].startswith(prefix) and row["basis"] == "explicit" for row in rows)
            assert named >= 10, f"only {named} rows are of groups of crawlers {subject}, so that little is tested"

    def test_views_of_series(self):
        self.report(check_views, self.series)

    def test_views_of_random_crawls(self):
        self.report(check_views, self.random)

    def test_views_of_real_crawls(self):
        self.report(check_views, self.real)

    def test_series_have_the_hosts_of_join(self):
        self.report(check_joined, self.series)

    def test_random_crawls_have_the_hosts_of_join(self):
        self.report(check_joined, [world for world in self.random if world.is_single])

    def test_composition_of_series(self):
        self.report(self.check_composition, self.series)

    def test_composition_of_random_crawls(self):
        self.report(self.check_composition, self.random[: len(self.random) // 2])

    def test_composition_of_real_crawls(self):
        self.report(self.check_composition, self.real)

    def test_replaced_crawls(self):
        self.report(lambda world: check_replace(world, self.changed[world.name]), [world for world in self.series if world.name in self.changed])

    def test_forgotten_hosts_of_series(self):
        self.report(check_forget, self.series)

    def test_forgotten_hosts_of_random_crawls(self):
        self.report(check_forget, self.random)

    def test_old_urls(self):
        worlds = [*self.series, *self.random, *self.real]
        self.report(check_old_urls, worlds)
        decided = sum(world.decided for world in worlds)
        assert decided >= 100, f"only {decided} URLs are disallowed, so that little is tested"

    def test_answers_over_one_crawl(self):
        worlds = [*self.series, *self.random, *self.real]
        self.report(check_one_crawl, worlds)
        same = sum(world.same for world in worlds)
        assert same >= 1000, f"only {same} answers are compared, so that little is tested"

    def test_questions(self):
        self.report(check_questions, self.series)


def main(program, xtask, is_campaign):
    with tempfile.TemporaryDirectory() as folder:
        return test_runner.run(Tests(Path(program).resolve(), Path(xtask).resolve(), Path(folder), is_campaign))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("xtask")
    parser.add_argument("--campaign", action="store_true")
    arguments = parser.parse_args()
    sys.exit(1 if main(arguments.program, arguments.xtask, arguments.campaign) else 0)
