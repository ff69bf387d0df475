"""Tests the site over datasets and histories of the samples, of a series, and of small archives, in a browser.

    python tests/python/test_site.py target/debug/robots-scan target/debug/xtask target/site    # leaves pictures in target/site

What the pages show for hosts and crawlers is compared cell by cell with answers of DuckDB over the dataset or history. The browser is
Chromium of the system, without a window; the server is on this machine, and counts. The command is that of the wheel that is installed
beside the interpreter (`make site-test`).
"""

import functools
import itertools
import json
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import duckdb
from playwright.sync_api import sync_playwright
from robots_scan._terminal import escaped
from scripted_server import Fault, Server, files_of
from test_documents import DOCUMENTS, FENCE, joined
from test_pages import BROWSERS, BROWSER_OPTIONS, MODES, OPEN_DETAILS, PAGE_CHECKS, PAPER_MARGIN
from robots_scan.report.tables import literal
from test_report import COMMAND, ENVIRONMENT, PACKAGE, ROOT, SAMPLES, Dataset, Results, line, make_history, record, run, scan

# What a lookup may cost.
FIRST_PAGE_BYTES, HOST_BYTES, HOST_REQUESTS = 300_000, 400_000, 8
# The checks of tests/python/page_checks.js that hold for pages with scripts.
PAGE_CHECK_NAMES = {"width", "cut", "contrast", "clipped", "overlap", "labels"}
CRAWLERS = ["*", "gptbot", "ccbot", "googlebot-news", "applebot", "adsbot-google", "mediapartners-google", "an unknown bot"]

# The words of the pages.
VERDICTS = {"disallow_all": "may fetch nothing", "partial": "may fetch some paths", "allow_all": "may fetch everything", "unknown": "unknown"}
BASES = {"explicit": "a group for it", "wildcard": "the group for *", "no_group": "no group applies to it", "no_rules": "the file has no rules", "empty": "the file is empty",
         "html": "the response is an HTML page", "binary": "the response is not text", "http_status": "the HTTP status", "too_complex": "too complex to decide"}
REFUSALS = {"refused": "refused by the server", "payment": "refused without payment", "origin_down": "a failure of the server"}
CLASSES = {"rules": "rules", "no_rules": "text without rules", "comments_only": "comments only", "empty": "empty", "html": "an HTML page", "binary": "not text"}
ENDS = {"not_captured": "to a URL that was not captured", "loop": "in a loop", "too_many": "more than five times"}

CELLS = """(selector) => [...document.querySelectorAll(selector)].flatMap((table) => {
  const headers = [...table.querySelectorAll("thead th")].map((header) => header.textContent);
  return [...table.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell, i) => [headers[i], cell.textContent]));
})"""


def write_site(source, folder, *options, expected=0, **environment):
    done = run([COMMAND, "site", source, "-o", folder, *options], **environment)
    if done.returncode != expected:
        raise SystemExit(f"robots-scan site {source}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Browser:
    """A tab of the browser, which reports messages, errors, and requests to other servers."""

    def __init__(self, results, browser, server, **options):
        self.results, self.server, self.context = results, server, browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("console", lambda message: self.report(f"console: {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.report(f"error of a script: {error.message}"))
        self.page.on("dialog", lambda dialog: (self.report(f"a dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: request.url.startswith((server.url("/"), "data:,")) or self.report(f"a request elsewhere: {request.url}"))
        self.expected = ()

    def report(self, message):
        self.results.check(any(text in message for text in self.expected), f"{self.page.url}: {message}")

    def open(self, fragment=""):
        self.page.goto("about:blank")
        self.page.goto(self.server.url("/") + fragment)
        self.shown(fragment)

    def look_up(self, **values):
        """Shows a host, a crawler, or both, as a link to them does."""
        fragment = self.page.evaluate("(values) => String(new URLSearchParams(values))", values)
        fragment = f"#{fragment}" if fragment else ""
        self.page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
        self.shown(fragment)

    def shown(self, fragment):
        self.page.wait_for_selector(f"main:not([aria-busy])[data-shown={json.dumps(fragment)}]", state="attached")

    def text(self, selector):
        return self.page.text_content(selector)

    def cells(self, selector):
        """Returns the rows of tables: dictionaries of texts by header."""
        return [dict(row) for row in self.page.evaluate(CELLS, selector)]

    def close(self):
        self.context.close()


def day(time):
    return "time unknown" if time is None else f"{time:%Y-%m-%d}"


def moment(time):
    return "time unknown" if time is None else f"{time:%Y-%m-%d %H:%M:%S} UTC"


def share(part, whole):
    """A share as browsers round it: a half up."""
    return f"{Decimal(100 * part / whole).quantize(Decimal('0.1'), ROUND_HALF_UP)} %" if whole else "–"


class Source:
    """A dataset or a history as a reader opens it, with the answers that the pages are compared with."""

    def __init__(self, folder):
        self.folder, self.is_history = folder, (folder / "host_periods").is_dir()
        self.tables = Dataset(folder)
        order = "c.position" if self.is_history else "(SELECT median(epoch_ms(h.fetch_time)) FROM hosts h WHERE h.crawl = c.crawl) NULLS FIRST, c.position"
        self.crawls = [row["crawl"] for row in self.tables.ask(f"SELECT c.crawl FROM crawls() c ORDER BY {order}")]
        self.registry = {row["agent"]: row for row in self.tables.ask("SELECT a.* FROM agents a")}

    def token(self, agent):
        return self.registry[agent]["token"] if agent in self.registry else agent

    def hosts(self):
        return [row["surt_host_name"] for row in self.tables.ask("SELECT DISTINCT h.surt_host_name FROM hosts h ORDER BY 1")]

    def places(self):
        """The records of all captures by host and crawl, as the pages write them."""
        if self.is_history:
            rows = self.tables.ask("""SELECT h.surt_host_name, h.crawl, a.warc_filename, c.warc_record_offset, c.warc_record_in_member, coalesce(h.redirect_end = 'resolved', false) OR h.crawl <> h.crawl AS is_elsewhere
                FROM hosts h JOIN host_captures c ON c.capture_no = h.host_id JOIN archives a ON a.crawl = c.crawl AND a.archive_no = c.archive_no""")
        else:
            rows = self.tables.ask("""SELECT h.surt_host_name, h.crawl, f.warc_filename, f.warc_record_offset, f.warc_record_length, f.warc_record_in_member,
                CASE WHEN h.rules_robots_id <> h.authoritative_robots_id THEN r.warc_filename || ' at ' || r.warc_record_offset ||
                    CASE WHEN r.warc_record_in_member > 0 THEN ', record ' || r.warc_record_in_member || ' there' ELSE '' END END AS rules
                FROM hosts h JOIN robots_files f ON f.crawl = h.crawl AND f.robots_id = h.authoritative_robots_id
                JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id""")
        places = {}
        for row in rows:
            text = f"{row['warc_filename']} at {row['warc_record_offset']}"
            text += f", length {row['warc_record_length']}" if row.get("warc_record_length") is not None else ""
            text += f", record {row['warc_record_in_member']} there" if row["warc_record_in_member"] else ""
            text += f"; its rules: {row['rules']}" if row.get("rules") else "; its rules are in another record" if row.get("is_elsewhere") else ""
            places[row["surt_host_name"], row["crawl"]] = text
        return places

    def verdicts(self, hosts, agents):
        """The verdicts of hosts for crawlers, by host and crawler, in the order of time."""
        where = f"surt_host_name IN ({', '.join(map(literal, hosts))})"
        named = {(row["host_id"], row["agent"]) for row in self.tables.ask(f"SELECT v.host_id, v.agent FROM host_verdicts v WHERE v.basis IN ('explicit', 'too_complex') AND v.{where}")}
        reasons = "SELECT h.host_id, reason_of(h.fetch_status, NULL, false, h.wildcard_verdict, h.wildcard_basis, false) AS reason FROM hosts h" if self.is_history else "FROM reasons_for('*')"
        rows = self.tables.ask(f"""SELECT v.host_id, v.surt_host_name, v.agent, r.reason, v.crawl, v.verdict, v.basis, v.evidence_line, h.fetch_time, h.fetch_status, h.content_class, h.is_revisit,
                h.n_redirects, h.redirect_end
            FROM verdicts_of({list_literal(agents)}) v JOIN hosts h ON h.host_id = v.host_id JOIN ({reasons}) r ON r.host_id = v.host_id
            WHERE v.{where}
            ORDER BY {'v.host_id' if self.is_history else f'list_position({list_literal(self.crawls)}, v.crawl)'}""")
        answers = {}
        for row in rows:
            names = [row["agent"], *((self.registry.get(row["agent"], {}).get("fallbacks") or "").split(","))]
            row["obeyed"] = next((name.strip() for name in names if (row["host_id"], name.strip()) in named), None)
            answers.setdefault((row["surt_host_name"], row["agent"]), []).append(row)
        return answers

    def decided_by(self, row):
        """The basis of a verdict, as the pages write it."""
        if row["basis"] in ("explicit", "too_complex") and row["obeyed"] not in (None, row["agent"]):
            return f"the group for {row['obeyed']}"
        return BASES[row["basis"]]


@functools.cache
def opened(folder):
    return Source(folder)


def list_literal(values):
    return "[" + ", ".join(map(literal, values)) + "]"


def response(row):
    parts = ["no status" if row["fetch_status"] is None else f"status {row['fetch_status']}"]
    parts += [REFUSALS[row["reason"]]] if row["reason"] in REFUSALS else []
    parts += [CLASSES[row["content_class"]]] if row["content_class"] else []
    if row["n_redirects"] or row["redirect_end"]:
        parts.append("redirected " + (ENDS.get(row["redirect_end"]) or ("once" if row["n_redirects"] == 1 else f"{row['n_redirects']} times")))
    parts += ["unchanged, but its content was not captured"] if row["is_revisit"] else []
    return ", ".join(parts)


def first_of_last(rows):
    """The number of the capture since which the last verdict holds."""
    kind = [(row["verdict"], row["basis"] == "http_status", (row["verdict"], row["basis"]) == ("disallow_all", "explicit")) for row in rows]
    return len(rows) - len(list(itertools.takewhile(lambda value: value == kind[-1], reversed(kind))))


def host_of(surt):
    return ".".join(reversed(surt.split(",")))


def check_hosts(results, browser, source, hosts, agents=CRAWLERS):
    """Every cell of the pages of hosts, alone and with a crawler."""
    places, answers = source.places(), source.verdicts(hosts, agents)
    for i, host in enumerate(hosts):
        name = host_of(host)
        # Three of the crawlers for each host, and others for the next one.
        for agent in agents if len(agents) <= 3 else [agents[(i + step) % len(agents)] for step in (0, 1, 3)]:
            rows = answers[host, agent]
            browser.look_up(host=name, crawler=agent)
            who = source.token(agent)
            expected = [{"Fetched": moment(row["fetch_time"]), "Crawl": row["crawl"], "Response": response(row), f"Verdict for {'all others (*)' if agent == '*' else who}": VERDICTS[row["verdict"]],
                         "Decided by": source.decided_by(row), "Line": "–" if row["evidence_line"] is None else str(row["evidence_line"]), "Record": places[host, row["crawl"]]} for row in reversed(rows)]
            found = browser.cells("#captures table")
            results.check(found == expected, f"{name}, {agent}: captures\n  {found}\n  {expected}")
            first = first_of_last(rows)
            at = f"{day(rows[first]['fetch_time'])} ({rows[first]['crawl']})"
            before = rows[first - 1]
            sentence = (f"Since the capture of {at}. The capture before it, of {day(before['fetch_time'])} ({before['crawl']}), said: {VERDICTS[before['verdict']]}, by {source.decided_by(before)}."
                        if first else f"Since the first capture, of {at}, or earlier.")
            results.check(browser.text("#since") == sentence, f"{name}, {agent}: '{browser.text('#since')}' instead of '{sentence}'")
            said = {"disallow_all": "Blocked: ", "partial": "Blocked from some paths: ", "allow_all": "Not blocked: ", "unknown": "Unknown: "}[rows[-1]["verdict"]]
            results.check(browser.text("#answer .word").startswith(said), f"{name}, {agent}: {browser.text('#answer .word')}")
            is_refused = "The server refused to send robots.txt" in browser.text("#answer")
            results.check(is_refused == (rows[-1]["reason"] == "refused"), f"{name}, {agent}: {browser.text('#answer')}")
    check_named(results, browser, source, hosts)


def check_named(results, browser, source, hosts):
    """Every cell of the tables of the crawlers that hosts name at their last capture."""
    order = "h.host_id" if source.is_history else f"list_position({list_literal(source.crawls)}, h.crawl)"
    named = {row["host"]: row["agents"] or [] for row in source.tables.ask(f"""
        SELECT l.host, list(v.agent) FILTER (v.agent IS NOT NULL) AS agents
        FROM (SELECT h.surt_host_name AS host, arg_max(h.host_id, {order}) AS host_id FROM hosts h WHERE h.surt_host_name IN ({', '.join(map(literal, hosts))}) GROUP BY h.surt_host_name) l
        LEFT JOIN host_verdicts v ON v.host_id = l.host_id GROUP BY l.host""")}
    answers = source.verdicts(hosts, sorted({"*", *itertools.chain(*named.values())}))
    for host in hosts:
        name, expected = host_of(host), {}
        browser.look_up(host=name)
        for agent in ["*", *named[host]]:
            rows = answers[host, agent]
            first = first_of_last(rows)
            expected["all others (*)" if agent == "*" else escaped(source.token(agent))] = [
                VERDICTS[rows[-1]["verdict"]], source.decided_by(rows[-1]), "–" if rows[-1]["evidence_line"] is None else str(rows[-1]["evidence_line"]),
                day(rows[first]["fetch_time"]) + ("" if first else " or earlier")]
        found = {row.pop("Crawler"): list(row.values()) for row in browser.cells("#named table")}
        results.check(found == expected, f"{name}: named crawlers\n  {found}\n  {expected}")


def check_crawlers(results, browser, source, agents):
    """Every cell of the pages of crawlers."""
    domains = {row["crawl"]: row["n"] for row in source.tables.ask("SELECT h.crawl, count(DISTINCT h.domain) AS n FROM hosts h GROUP BY h.crawl")}
    medians = {row["crawl"]: row["time"] for row in source.tables.ask("SELECT h.crawl, quantile_disc(h.fetch_time, 0.5) AS time FROM hosts h GROUP BY h.crawl")}
    for agent in agents:
        browser.look_up(crawler=agent)
        counted = {row["crawl"]: row for row in source.tables.ask(f"""
            SELECT v.crawl, count(*) FILTER (v.verdict <> 'unknown') AS hosts, count(*) FILTER (v.verdict = 'disallow_all' AND v.basis = 'explicit') AS by_name,
                count(*) FILTER (v.verdict = 'disallow_all' AND v.basis NOT IN ('explicit', 'http_status')) AS by_wildcard,
                count(*) FILTER (v.verdict = 'disallow_all' AND v.basis = 'http_status') AS by_status, count(*) FILTER (v.verdict = 'partial') AS partly,
                count(DISTINCT v.domain) FILTER (v.verdict = 'disallow_all' AND v.basis = 'explicit') AS domains
            FROM verdicts_of([{literal(agent)}]) v GROUP BY v.crawl""")}
        expected = []
        for crawl in reversed(source.crawls):
            row = counted.get(crawl)
            if row is None:
                continue
            part = lambda column, whole: f"{row[column]:,} ({share(row[column], whole)})"  # noqa: E731
            by_name = {} if agent == "*" else {"Hosts that block by name": part("by_name", row["hosts"]), "Domains with such a host": f"{row['domains']:,}", "of domains": f"{domains[crawl]:,}"}
            expected.append({"Crawl": crawl, "Median day": day(medians[crawl]), **by_name, "Hosts with a known verdict": f"{row['hosts']:,}",
                             "Block through *": part("by_wildcard", row["hosts"]), "429 or 5xx": part("by_status", row["hosts"]), "Block some paths": part("partly", row["hosts"])})
        found = browser.cells("#trend table")
        results.check(found == expected, f"{agent}: crawls\n  {found}\n  {expected}")
        if agent == "*":
            continue
        last = next(crawl for crawl in reversed(source.crawls) if crawl in counted)
        rows = source.tables.ask(f"""SELECT coalesce(any_value(v.url_host_registered_domain), min(v.surt_host_name)) AS domain, count(*) AS hosts, min(v.surt_host_name) AS host
            FROM verdicts_of([{literal(agent)}]) v WHERE v.crawl = {literal(last)} AND v.verdict = 'disallow_all' AND v.basis = 'explicit' GROUP BY v.domain""")
        blockers = [{"Registered domain": host_of(row["domain"]) if "," in row["domain"] else row["domain"], "Hosts that block": f"{row['hosts']:,}", "A host": host_of(row["host"])} for row in rows]
        blockers.sort(key=lambda row: (-int(row["Hosts that block"].replace(",", "")), row["Registered domain"].encode()))
        found = browser.cells("#blockers table")
        while browser.page.locator("#blockers nav button:enabled", has_text="Next").count():
            browser.page.locator("#blockers nav button", has_text="Next").click()
            found += browser.cells("#blockers table")
        results.check(found == blockers[:1_000], f"{agent}: blockers: {len(found)} rows instead of {len(blockers)}\n  {found[:3]}\n  {blockers[:3]}")
        # Lines connect crawls with enough hosts in common.
        hosts = {crawl: {row["host"] for row in source.tables.ask(f"SELECT h.surt_host_name AS host FROM hosts h WHERE h.crawl = {literal(crawl)}")} for crawl in source.crawls}
        known = [crawl for crawl in source.crawls if medians.get(crawl) and counted.get(crawl, {"hosts": 0})["hosts"]]
        connected = ["M", *("L" if 2 * len(hosts[a] & hosts[b]) >= min(len(hosts[a]), len(hosts[b])) else "M" for a, b in itertools.pairwise(known))]
        paths = [re.findall("[ML]", path.get_attribute("d")) for path in browser.page.locator("figure path").all()]
        results.check(paths == ([connected] if len(known) >= 2 else []), f"{agent}: the lines are {paths} instead of {connected}")
        row = counted[last]
        lead = f" Of {domains[last]:,} registered domain{'' if domains[last] == 1 else 's'}, {row['domains']:,} had at least one such host. "
        shares = re.findall(r"[\d.]+\s%", browser.text("#lead"))
        results.check(lead in browser.text("#lead") and [part.replace("\u00a0", " ") for part in shares] == [share(row["by_name"], row["hosts"]).replace("\u00a0", " ")],
                      f"{agent}: {browser.text('#lead')}")


def check_rules(results, browser, source, hosts):
    """The lines of hosts, which have no comments."""
    for host in hosts:
        name = host_of(host)
        browser.look_up(host=name)
        shown = [text.rstrip("\n") for text in browser.page.locator("#rules pre").all_text_contents()]
        spans = []
        for crawl in source.crawls:
            if source.is_history:
                rows = source.tables.ask(f"""SELECT g.line_no, line_text(g.key_raw, g.has_colon, g.agent_raw) AS text FROM groups_at({literal(name)}, {literal(crawl)}) g
                    UNION ALL SELECT r.line_no, line_text(r.key_raw, r.has_colon, r.path_raw) FROM rules_at({literal(name)}, {literal(crawl)}) r ORDER BY 1""")
            else:
                where = f"(t.crawl, t.robots_id) IN (SELECT (h.crawl, h.rules_robots_id) FROM hosts h WHERE h.surt_host_name = {literal(host)} AND h.crawl = {literal(crawl)})"
                rows = source.tables.ask(f"""SELECT t.line_no, line_text(t.key_raw, t.has_colon, t.agent_raw) AS text FROM groups t WHERE {where}
                    UNION ALL SELECT t.line_no, line_text(t.key_raw, t.has_colon, t.path_raw) FROM rules t WHERE {where} ORDER BY 1""")
            text = "\n".join(f"{row['line_no']:6}  {escaped(row['text'])}" for row in rows[:1_000])
            if text and not (source.is_history and spans and spans[-1] == text):
                spans.append(text)
        results.check(shown == spans[::-1], f"{name}: rules\n  {shown}\n  {spans[::-1]}")


@contextmanager
def served(results, browser, folder, **options):
    server = Server(files_of(folder))
    server.objects["/"] = server.objects["/index.html"]
    server.add(None, "header", name="Cache-Control", value="no-store")
    server.add("/", "header", name="Content-Type", value="text/html; charset=utf-8")
    tab = Browser(results, browser, server, **options)
    try:
        yield tab
    finally:
        tab.close()
        server.close()


def sample_of(hosts, count, seed=1):
    return sorted(random.Random(seed).sample(hosts, min(count, len(hosts))))


def over_samples(results, program, browser, folder):
    """A dataset of two crawls, one crawl, and their history: everything that pages show is what SQL answers."""
    archives = sorted(SAMPLES.glob("cc-*.warc.gz"))
    both = scan(program, folder / "samples.parquet", *archives)
    months = [scan(program, folder / f"month-{i}", archive) for i, archive in enumerate(archives)]
    history = make_history(program, folder / "samples-history", *months)
    joined = folder / "joined"
    for i, month in enumerate(months):
        shutil.copytree(month, joined / f"{i}")
    subprocess.run([program, "join", joined, "-q"], check=True, capture_output=True, timeout=100)
    for name, dataset, options, hosts in (("samples", both, ["--with-rules"], 8), ("month", months[0], [], 2), ("joined", joined, [], 2), ("samples-history", history, ["--with-rules"], 8)):
        site = folder / f"{name}-site"
        write_site(dataset, site, *options)
        source = opened(dataset)
        odd = [row["host"] for row in source.tables.ask("""SELECT min(h.surt_host_name) AS host FROM hosts h
            GROUP BY h.n_redirects, h.redirect_end, h.is_revisit, h.content_class, h.fetch_status, h.wildcard_basis ORDER BY host""")]
        chosen = sorted({*sample_of(source.hosts(), hosts), *sample_of(odd, 2 * hosts)})
        with served(results, browser, site) as tab:
            tab.open()
            check_hosts(results, tab, source, chosen)
            # Crawlers that obey the group of another one, and those that ignore the group for *.
            naming = [row["host"] for row in source.tables.ask("SELECT DISTINCT v.surt_host_name AS host FROM host_verdicts v WHERE v.agent = 'googlebot' AND v.basis = 'explicit' ORDER BY 1")]
            check_hosts(results, tab, source, sample_of(naming, 3), ["googlebot-news", "applebot", "adsbot-google"])
            results.check(bool(naming), f"{name}: no host names Googlebot")
            check_crawlers(results, tab, source, [agent for agent in CRAWLERS if agent == "*" or agent in source.registry])
            if options:
                check_rules(results, tab, source, chosen)
            else:
                tab.look_up(host=host_of(chosen[0]))
                results.check(tab.page.locator("#rules").count() == 0 and not (site / "data/rules").exists(), f"{name}: rules without --with-rules")
    # The same inputs, options and date give the same bytes.
    write_site(history, folder / "again-site", "--with-rules")
    files = {path.relative_to(folder / "again-site"): path.read_bytes() for path in (folder / "again-site").rglob("*") if path.is_file()}
    others = {path.relative_to(folder / "samples-history-site"): path.read_bytes() for path in (folder / "samples-history-site").rglob("*") if path.is_file()}
    results.check(files == others, "the same site made twice differs")
    return both, history


def over_series(results, program, xtask, browser, folder):
    """A history with several files of hosts: what a lookup costs, and what the server learns."""
    series = folder / "series"
    subprocess.run([xtask, "series", series, "3", "6000", "5"], check=True, capture_output=True, timeout=100)
    history = make_history(program, folder / "series-history", *(scan(program, series / f"{i}", *sorted((series / f"crawl-{i:03}").iterdir()), "--crawl", f"SERIES-{i:03}") for i in range(3)))
    site = folder / "series-site"
    write_site(history, site)
    source = opened(history)
    results.check(len(list((site / "data/captures").iterdir())) >= 3, "series: one file of hosts")
    hosts = source.hosts()
    # The first and the last host of a file and of a row group, and others.
    firsts = json.loads((site / "data/files.json").read_text())["host"]
    around = {hosts[max(0, hosts.index(first) + step)] for first in firsts for step in (-1, 0, 1)}
    with served(results, browser, site) as tab:
        tab.open()
        tab.page.wait_for_load_state("networkidle")
        cost = sum(request.bytes for request in tab.server.log)
        results.check(cost <= FIRST_PAGE_BYTES, f"the first page has {cost:,} bytes")
        check_hosts(results, tab, source, sorted({*around, hosts[-1], *sample_of(hosts, 6)}), ["*", "gptbot", "googlebot-news"])
        check_crawlers(results, tab, source, ["gptbot", "ccbot", "*"])
        for host in [*sorted(around)[:3], *sample_of(hosts, 5, seed=2), "example,com,not-there", "zz,last"]:
            tab.open()
            tab.page.wait_for_load_state("networkidle")
            tab.server.log.clear()
            # As a person does it.
            tab.page.fill("#host", f"https://www.{host_of(host)}/a?b")
            tab.page.fill("#crawler", "GPTBot")
            tab.page.press("#crawler", "Enter")
            tab.page.wait_for_selector(f"main:not([aria-busy])[data-shown*={json.dumps(host_of(host))}]", state="attached")
            cost, number = sum(request.bytes for request in tab.server.log), len(tab.server.log)
            results.check(number <= HOST_REQUESTS and cost <= HOST_BYTES, f"{host}: {number} requests, {cost:,} bytes")
            learnt = "".join(request.text for request in tab.server.log).lower()
            results.check(host_of(host) not in learnt and host not in learnt and "gptbot" not in learnt and "referer" not in learnt, f"{host}: a request names it: {learnt}")
            results.check(all(request.status == 206 or ".json" in request.target for request in tab.server.log), f"{host}: a request without a range")
        # The host that is not there, and crawlers that are misspelt.
        results.check("No capture of" in tab.text("main .missing"), f"an absent host: {tab.text('main')}")
        for typed in ("gptbto", "GTPBot/1.2", "gpt bot"):
            tab.look_up(crawler=typed)
            results.check("GPTBot" in tab.text("#similar"), f"{typed}: {tab.text('main')}")
        tab.look_up(host=host_of(hosts[0]), crawler="gptbto")
        results.check("GPTBot" in tab.text("#similar"), f"a misspelt crawler of a host: {tab.text('main')}")
        tab.look_up(host="not a host")
        results.check("is not the name of a host" in tab.text("main"), f"no host: {tab.text('main')}")
        # A server without ranges sends whole files, and one that fails is reported.
        tab.server.script = lambda number, path: Fault("ignore_range")
        tab.open(f"#host={host_of(hosts[7])}")
        results.check(bool(tab.cells("#captures table")), "no captures from a server without ranges")
        tab.expected = ("404",)
        tab.server.script = lambda number, path: Fault("status", status=404) if "captures" in path else None
        tab.open(f"#host={host_of(hosts[7])}")
        results.check("the server answered 404" in tab.text("main .missing"), f"a failing server: {tab.text('main')}")
        tab.server.script = None
        tab.look_up(host=host_of(hosts[8]))
        results.check(bool(tab.cells("#captures table")), "a failed look-up is not tried again")
    return history


HOSTILE = ["<script>document.title='x'</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "javascript:alert(1)//", "&lt;b&gt;", "${alert(1)}", "__proto__", "constructor", "\u202eevil"]


def empty(results, program, browser, folder):
    """A dataset without hosts."""
    write_site(scan(program, folder / "empty.parquet", SAMPLES / "nothing.warc.gz"), folder / "empty-site")
    with served(results, browser, folder / "empty-site") as tab:
        tab.open()
        results.check("of 0 hosts" in tab.text("main"), f"empty: {tab.text('main')}")
        tab.look_up(host="a.example")
        results.check("No capture of a.example" in tab.text("main"), f"empty: {tab.text('main')}")
        tab.look_up(crawler="gptbot")
        results.check("No crawl has a verdict for it." in tab.text("main"), f"empty: {tab.text('main')}")


def apart(results, program, browser, folder):
    """A chart does not connect crawls of other hosts."""
    body = line("User-agent", "GPTBot") + line("Disallow", "/")
    for number, first in enumerate((0, 2, 8)):
        (folder / f"crawl-data/A-{number}").mkdir(parents=True)
        (folder / f"crawl-data/A-{number}/a.warc.gz").write_bytes(b"".join(record(f"h{i}.example", body, date=f"2026-0{number + 1}-05T00:00:00Z") for i in range(first, first + 6)))
    dataset = scan(program, folder / "apart.parquet", folder / "crawl-data")
    write_site(dataset, folder / "apart-site")
    with served(results, browser, folder / "apart-site") as tab:
        tab.open("#crawler=gptbot")
        results.check("are not connected" in tab.text("figure"), f"apart: {tab.text('figure')}")
        check_crawlers(results, tab, opened(dataset), ["gptbot"])


def hostile_names(results, program, browser, folder):
    """Names of crawlers, hosts, crawls and folders are text, wherever they are shown."""
    archive = folder / "hostile.warc.gz"
    body = b"".join(line("User-agent", name) + line("Disallow", "/") for name in [*HOSTILE, "GPTBot"])
    hosts = ["__proto__.example", "constructor.example", "xn--e1afmkfd.example", "192.168.1.7", "a_b.example", *(f"h{i}.example.net" for i in range(12))]
    # A file of so many names that hosts which redirect to it have no verdicts by name.
    many = b"".join(line("User-agent", f"bot{i}") for i in range(2_100)) + line("Disallow", "/")
    archive.write_bytes(b"".join([*(record(host, body) for host in hosts), record("many.example", many),
                                  record("to-many.example", b"https://many.example/robots.txt", status="301 Moved", is_redirect=True)]))
    dataset = scan(program, folder / "<img src=x onerror=alert(1)>'.parquet", archive, "--crawl", "A.B-1")
    source = opened(dataset)
    with served(results, browser, (write_site(dataset, folder / "hostile-site", "--with-rules"), folder / "hostile-site")[1]) as tab:
        tab.open()
        results.check(dataset.name in tab.text("#about") and tab.page.locator("img").count() == 0, f"hostile: {tab.text('#about')}")
        check_hosts(results, tab, source, [*source.hosts()[:8], *(host for host in source.hosts() if "many" in host)], ["*", "gptbot", "adsbot-google"])
        unknown = source.tables.ask("SELECT count(*) AS n FROM hosts h WHERE NOT h.has_named_rows")[0]["n"]
        results.check(unknown == 1, f"hostile: {unknown} hosts without verdicts by name")
        check_rules(results, tab, source, source.hosts()[:2])
        named = {row["agent"] for row in source.tables.ask("SELECT DISTINCT v.agent FROM host_verdicts v WHERE v.surt_host_name NOT LIKE '%many'")}
        for name in [*named, *HOSTILE]:
            for values in ({"crawler": name}, {"host": "h1.example.net", "crawler": name}, {"host": name}):
                tab.look_up(**values)
                results.check(tab.page.locator("main script, main img, main b, main [onerror], main [onmouseover]").count() == 0 and not tab.page.title().startswith("x"), f"hostile: {values} became an element")
        results.check(len(named) >= 6, f"hostile: {named}")
        # A misspelt host has suggestions, and one without similar names says what to try.
        for host, selector, said in (("h1.exmaple.net", "main", "h1.example.net"), ("www.q.other.example", "#try", "or try other.example. A name with and without www. is the same host.")):
            tab.look_up(host=host)
            results.check(said in tab.text(selector), f"hostile: {host}: {tab.text('main')}")
        # The pages escape the characters that reports and messages escape.
        text = "".join(map(chr, (*range(0xd800), *range(0xe000, 0x110000))))
        shown = tab.page.evaluate("async (text) => (await import('./dom.js')).escaped(text)", text)
        results.check(shown == escaped(text, keep="\n"), "the pages escape other characters")


def left_out(results, program, browser, folder, dataset, history):
    """Hosts of a list are in no file of the site."""
    source = opened(dataset)
    blocked = source.tables.ask("SELECT v.surt_host_name AS host, v.domain FROM verdicts_of(['gptbot']) v WHERE v.verdict = 'disallow_all' AND v.basis = 'explicit' ORDER BY 1")
    host, domain = blocked[0]["host"], blocked[3]["domain"]
    several = source.tables.ask("SELECT h.domain, min(h.surt_host_name) AS host, count(DISTINCT h.surt_host_name) AS n FROM hosts h GROUP BY h.domain ORDER BY n DESC, h.domain LIMIT 1")[0]
    listed = folder / "exclude.txt"
    listed.write_text(f"# asked for it\n\nhttps://{host_of(host)}/robots.txt\n{domain.upper()}\n {several['domain']}\nabsent.example\n")
    for name, data in (("dataset", dataset), ("history", history)):
        site = folder / f"exclude-{name}-site"
        done = write_site(data, site, "--with-rules", "--exclude", listed)
        gone = {row["host"] for row in opened(data).tables.ask(f"""SELECT DISTINCT h.surt_host_name AS host FROM hosts h
            WHERE h.surt_host_name = {literal(host)} OR h.url_host_registered_domain IN ({literal(domain)}, {literal(several['domain'])})""")}
        results.check(len(gone) >= 2 + several["n"] and done.stderr.splitlines()[-1].endswith(f": {len(gone)} hosts"), f"{name}: left out: {done.stderr}")
        names = {*gone, *map(host_of, gone), domain, several["domain"]}
        # The pages and libraries are the same for all sites.
        for path in [*(site / "data").rglob("*.*"), site / "robots.txt", site / "files.txt"]:
            texts = [path.read_bytes().decode("utf-8", "replace")]
            if path.suffix == ".parquet":
                texts += [" ".join(map(str, row)) for row in duckdb.sql(f"FROM read_parquet({literal(path)})").fetchall()]
            found = [name for name in names for text in texts if re.search(rf"(?<![\w,-]){re.escape(name)}(?![\w,-])", text)]
            results.check(not found, f"{name}: {path.relative_to(site)} has {found[:3]}")
        with served(results, browser, site) as tab:
            tab.open(f"#host={host_of(host)}")
            results.check("No capture of" in tab.text("main"), f"{name}: {host} is shown")
            remaining = [host for host in opened(data).hosts() if host not in gone]
            check_hosts(results, tab, opened(data), sample_of(remaining, 2), ["gptbot"])


def looks(results, browser, folder, dataset, history):
    """Pages are readable on a telephone, on a desktop, in both colour schemes, and on paper."""
    source = opened(history)
    blocked = source.tables.ask("SELECT v.surt_host_name AS host FROM verdicts_of(['gptbot']) v WHERE v.verdict = 'disallow_all' AND v.basis = 'explicit' ORDER BY v.host_id")[0]["host"]
    both = {"host": host_of(blocked), "crawler": "gptbot"}
    pages = {"host": {"host": host_of(blocked)}, "both": both, "crawler": {"crawler": "gptbot"}, "similar": {"crawler": "gptbto"}, "missing": {"host": "absent.example"}, "home": {}}
    for mode in MODES:
        with served(results, browser, folder / "samples-history-site", viewport={"width": mode.width, "height": mode.height}, color_scheme=mode.scheme, is_mobile=mode.width < 600) as tab:
            width = mode.width
            if mode.is_print:
                tab.page.emulate_media(media="print", color_scheme="light")
                width -= 2 * PAPER_MARGIN
                tab.page.set_viewport_size({"width": width, "height": mode.height})
            tab.open()
            for name, values in pages.items():
                tab.look_up(**values)
                tab.page.screenshot(path=folder / "pictures" / f"{name}-{mode.file_suffix}.png", full_page=True)
                for state in ("as loaded", "with open details"):
                    for finding in tab.page.evaluate(PAGE_CHECKS, {"width": width, "isPrint": mode.is_print}):
                        results.check(finding["check"] not in PAGE_CHECK_NAMES, f"{name} {mode} {state}: {finding['check']}: {finding['where']}: {finding['what']}")
                    if not tab.page.evaluate(OPEN_DETAILS):
                        break
                results.check(True, "looks")


def by_keyboard(results, browser, folder, history):
    """A lookup needs no pointer, and a screen reader learns what happened."""
    source = opened(history)
    host = host_of(source.hosts()[5])
    focused = "() => document.activeElement.id || document.activeElement.tagName + ':' + document.activeElement.textContent"
    with served(results, browser, folder / "samples-history-site") as tab:
        tab.open()
        page = tab.page
        order = []
        for _ in range(5):
            page.keyboard.press("Tab")
            order.append(page.evaluate(focused))
        results.check(order == ["A:Skip to the answer", "home", "host", "crawler", "BUTTON:Look up"], f"the order of the keyboard: {order}")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Shift+Tab")
        page.keyboard.type(host)
        page.keyboard.press("Enter")
        tab.shown(f"#host={host}")
        results.check(page.evaluate(focused) == f"H2:{host}", f"the focus after a lookup: {page.evaluate(focused)}")
        results.check(tab.text("#status").startswith(f"{host}: "), f"the status: {tab.text('#status')}")
        # The first link is a crawler of the host.
        page.keyboard.press("Tab")
        while not page.evaluate(focused).startswith("A:"):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        tab.shown(f"#host={host}&crawler=*")
        page.keyboard.press("Alt+ArrowLeft")
        page.go_back() if page.url.endswith("*") else None
        tab.shown(f"#host={host}")
        unnamed = page.evaluate("""() => [...document.querySelectorAll("input, button, a, [role=region], table, nav, svg")].filter((element) => !(
            element.labels?.length || element.getAttribute("aria-label") || element.textContent.trim())).map((element) => element.outerHTML)""")
        results.check(not unnamed, f"elements without a name: {unnamed}")
        levels = [int(level) for level in page.evaluate("() => [...document.querySelectorAll('h1, h2, h3')].map((heading) => heading.tagName[1])")]
        results.check(levels[:2] == [1, 2] and all(b <= a + 1 for a, b in itertools.pairwise(levels)), f"levels of headings: {levels}")
        accessible = page.evaluate("() => [document.documentElement.lang, document.getElementById('status').getAttribute('aria-live'), document.querySelectorAll('main').length, document.querySelectorAll('caption').length]")
        results.check(accessible[:3] == ["en", "polite", 1] and accessible[3] >= 2, f"page: {accessible}")


def respects(results, folder, dataset):
    """noindex, robots.txt and the content security policy."""
    closed, opened = folder / "samples-site", folder / "indexable-site"
    write_site(dataset, opened, "--indexable")
    page = (closed / "index.html").read_text()
    results.check('<meta name="robots" content="noindex">' in page and (closed / "robots.txt").read_text() == "User-agent: *\nDisallow: /\n", "a site that is to be left out by search engines")
    other = (opened / "index.html").read_text()
    results.check(page.replace('<meta name="robots" content="noindex">\n', "") == other and (opened / "robots.txt").read_text() == "User-agent: *\nDisallow:\n", "--indexable")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    results.check(policy == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'", policy)
    for library in json.loads((PACKAGE / "site/libraries.json").read_text()):
        results.check("Permission is hereby granted" in (closed / "libraries" / library["name"] / "LICENSE").read_text(), f"the licence of {library['name']}")
    columns = {path.name: [row[0] for row in duckdb.sql(f"DESCRIBE FROM read_parquet({literal(path / '0000.parquet')})").fetchall()] for path in (folder / "month-site/data").iterdir() if path.is_dir()}
    results.check(sorted(columns) == ["blockers", "captures", "trends", "verdicts"] and not {"text", "path", "value", "body"} & {name for names in columns.values() for name in names}, f"columns: {columns}")
    # Comments of the samples are nowhere, also with rules.
    texts = " ".join(str(value) for path in (folder / "samples-site/data/rules").iterdir() for row in duckdb.sql(f"SELECT text FROM read_parquet({literal(path)})").fetchall() for value in row)
    results.check("#" not in texts and "Disallow: /" in texts, "rules with a comment")


def outputs(results, folder, dataset):
    """Nothing that robots-scan did not write is replaced, and no part of a site has its name."""
    place = folder / "outputs"
    place.mkdir()
    results.check(not write_site(dataset, place / "a?b", "-q").stderr, "a site whose name has a question mark")
    (place / "mine").mkdir()
    (place / "mine/notes.txt").write_text("mine")
    (place / "file").write_text("mine")
    (place / "link").symlink_to("mine")
    for name in ("mine", "file", "link"):
        for options in ([], ["--overwrite"]):
            done = run([COMMAND, "site", dataset, "-o", place / name, *options])
            results.check(done.returncode == 2 and f"'{place / name}' exists, and is not a site" in done.stderr, f"{name}: {done}")
    write_site(dataset, place / "site")
    done = run([COMMAND, "site", dataset, "-o", place / "site"])
    results.check(done.returncode == 2 and done.stderr == f"error: '{place / 'site'}' exists\nhint: --overwrite replaces a site\n", f"a site that exists: {done}")
    (place / "site/CNAME").write_text("mine")
    done = run([COMMAND, "site", dataset, "-o", place / "site", "--overwrite"])
    results.check(done.returncode == 2 and "that robots-scan did not write: 'CNAME'" in done.stderr, f"a foreign file: {done}")
    (place / "site/CNAME").unlink()
    write_site(dataset, place / "site", "--overwrite", "--indexable")
    results.check("Disallow:\n" in (place / "site/robots.txt").read_text(), "--overwrite did not replace the site")
    before = sorted((str(path), path.read_bytes()) for path in (place / "site").rglob("*") if path.is_file())
    results.check((place / "mine/notes.txt").read_text() == "mine" and (place / "file").read_text() == "mine", "a file of the user was changed")
    # Kills at several times: the name is that of a whole site or of nothing, and an interrupt removes the part.
    for i, sent in enumerate([signal.SIGKILL, signal.SIGTERM, signal.SIGINT] * 2):
        killed = subprocess.Popen([COMMAND, "site", dataset, "-o", place / "killed"], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        if i >= 3:
            until = time.monotonic() + 20
            while not list(place.glob("killed.*.partial")) and killed.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
        time.sleep(0.05 + 0.12 * (i % 5))
        killed.send_signal(sent)
        error = killed.communicate(timeout=60)[1]
        if (place / "killed").exists():
            results.check((place / "killed/files.txt").is_file() and all((place / "killed" / name).is_file() for name in (place / "killed/files.txt").read_text().splitlines()), "a part of a site has its name")
            shutil.rmtree(place / "killed")
        elif sent != signal.SIGKILL and "interrupted" in error:
            results.check(killed.returncode == 3 and error.endswith("error: interrupted; nothing was written\n") and not list(place.glob(f"killed.{killed.pid}.*")), f"interrupted: {killed.returncode} {error}")
    results.check(before == sorted((str(path), path.read_bytes()) for path in (place / "site").rglob("*") if path.is_file()), "another site was changed")


def of_somebody_else(results, program, folder):
    """Nothing that comes with a dataset is executed, and nothing outside it is read or written."""
    user = folder / "user"
    user.mkdir()
    hostile = scan(program, folder / "somebody's [d].parquet", *sorted(SAMPLES.glob("cc-*.warc.gz")))
    with (hostile / "views.sql").open("a") as views:
        views.write(f"COPY (SELECT 'x') TO '{user}/written';\n")
    write_site(hostile, folder / "somebody-site")
    results.check(not list(user.iterdir()) and (folder / "somebody-site/index.html").is_file(), "views.sql of a dataset was executed")
    script = ("import sys; from robots_scan.site.source import Source; from robots_scan._terminal import CommandError\n"
              "source = Source(sys.argv[1], sys.argv[2], sys.argv[3])\n"
              "for sql in sys.argv[4:]:\n try: print(source.rows(sql))\n except CommandError as error: print(error)")
    (folder / "scratch").mkdir()
    done = run([sys.executable, "-c", script, hostile, folder / "scratch", folder / "outputs", f"FROM read_text('{ROOT}/README.md')", f"COPY (SELECT 1) TO '{user}/written'",
                "SET enable_external_access = true", "SELECT count(*) AS n FROM hosts"])
    lines = done.stdout.splitlines()
    results.check(len(lines) == 4 and all("disabled by configuration" in text for text in lines[:2]) and "configuration has been locked" in lines[2] and lines[3].startswith("[{'n': "), f"files outside: {done}")


def documented_commands(results, folder, dataset):
    """Executes the commands of the documents that write a site."""
    executed = 0
    for name in DOCUMENTS:
        for language, block in FENCE.findall((ROOT / name).read_text(encoding="utf-8")):
            for command in joined(block) if language == "sh" else []:
                if re.match(r"(\.venv/bin/)?robots-scan site ", command):
                    place = folder / f"documented-{executed}"
                    place.mkdir()
                    # The page scans it.
                    (place / shlex.split(command)[2]).symlink_to(dataset)
                    done = run(["sh", "-c", command.removeprefix(".venv/bin/")], place, PATH=f"{COMMAND.parent}:/usr/bin:/bin")
                    results.check(done.returncode == 0 and (place / "site/index.html").is_file(), f"{name}: {command}: {done}")
                    executed += 1
    results.check(executed >= 1, f"{executed} commands of the documents write a site")


def command_line(results, folder, dataset):
    """The help, errors, and the options of docs/site.md."""
    done = run([COMMAND, "site", "--help"], COLUMNS="80")
    results.check(done.returncode == 0 and done.stdout.startswith("usage: robots-scan site [OPTIONS] --output <FOLDER> DATASET|HISTORY\n") and max(map(len, done.stdout.splitlines())) <= 80, f"--help: {done}")
    described = re.findall(r"^\| `(--\w[\w-]*)[^|]* \|", (ROOT / "docs/site.md").read_text(encoding="utf-8"), re.MULTILINE)
    in_help = [name for name in re.findall(r"^  (--\w[\w-]*)", done.stdout, re.MULTILINE)]
    results.check(described == in_help and len(in_help) == 4, f"options of docs/site.md: {described}, of --help: {in_help}")
    (folder / "bad.txt").write_text("fine.example\nnot a host\n")
    (folder / "long.txt").write_text(("# " + 57 * "x" + "\n") * 1_200_000)
    no_hosts = folder / "no-hosts.parquet"
    for arguments, message, hint in [
            ([], "no dataset or history is given", "robots-scan site history -o site"),
            (["a b"], "no folder for the site is given", "robots-scan site 'a b' -o site"),
            (["absent", "--exlude=x", "-o", "x"], "unexpected argument '--exlude' found", "a similar argument exists: '--exclude'"),
            (["absent", "-o", "x"], "the dataset or history 'absent' does not exist", None),
            ([dataset, "-o", "x/y"], "cannot write 'x/y': its folder does not exist", None),
            ([dataset, "-o", "x", "--exclude", "absent.txt"], "cannot read 'absent.txt': no such file or directory", None),
            ([dataset, "-o", "x", "--exclude", "/dev/zero"], "cannot read '/dev/zero': line 1 has more than 65536 bytes", None),
            ([dataset, "-o", "x", "--exclude", "long.txt"], "cannot read 'long.txt': line 1118482: it has more than 67108864 bytes", None),
            ([dataset, "-o", "x", "--exclude", "bad.txt"], "'bad.txt', line 2: 'not a host' is not a host", "write one host name, registered domain or URL per line")]:
        done = run([COMMAND, "site", *arguments], folder)
        expected = f"error: {message}\n" + (f"hint: {hint}\n" if hint else "")
        results.check((done.returncode, done.stdout, done.stderr) == (2, "", expected), f"{arguments}: {done}")
    results.check(not (folder / "x").exists() and not no_hosts.exists(), "a refused command left a folder")


def main():
    program, xtask, pictures = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    results = Results()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name).resolve()
        (folder / "pictures").symlink_to(pictures)
        browser = playwright.chromium.launch(executable_path=next(filter(None, map(shutil.which, BROWSERS))), args=list(BROWSER_OPTIONS))
        steps = []

        def step(function, *arguments):
            began = time.monotonic()
            answer = function(results, *arguments)
            steps.append(f"{function.__name__} {time.monotonic() - began:.1f} s")
            return answer

        dataset, history = step(over_samples, program, browser, folder)
        step(over_series, program, xtask, browser, folder)
        step(empty, program, browser, folder)
        step(apart, program, browser, folder)
        step(hostile_names, program, browser, folder)
        step(left_out, program, browser, folder, dataset, history)
        step(looks, browser, folder, dataset, history)
        step(by_keyboard, browser, folder, history)
        step(respects, folder, dataset)
        step(outputs, folder, dataset)
        step(of_somebody_else, program, folder)
        step(documented_commands, folder, dataset)
        step(command_line, folder, dataset)
        browser.close()
    print(", ".join(steps), file=sys.stderr)
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
