"""Tests the report over datasets of the samples, of small archives, and of real archives if they are available.

    python tests/python/test_report.py target/debug/robots-scan target/debug/xtask target/report            # tests, and leaves the pages for `make pages`
    python tests/python/test_report.py target/debug/robots-scan target/debug/xtask target/report --write    # also draws the chart of the README again
    python tests/python/test_report.py target/debug/robots-scan target/debug/xtask target/report --campaign # asks all queries of all pages

The checks read the page as a reader would, and ask the dataset again: `report_numbers.py` compares every number with the answer to the
SQL beside it, every query for records that the page shows has as many rows as the number that it explains, and every record that it
shows is read from its archive. `test_report_errors.py` tests its errors and its command, which is the one of the wheel that is installed
beside the interpreter (`make report-test`).
"""

import contextlib
import datetime
import gzip
import html.parser
import io
import itertools
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import duckdb
import robots_scan
import test_runner
from report_numbers import check_big_numbers, check_figure, is_shown
from robots_scan._terminal import CONTROLS, escaped
from robots_scan.report import __main__ as report
from robots_scan.report.converter import Converter
from robots_scan.report.sections import dialects, headline, host_kinds, invitations
from test_documents import DOCUMENTS, FENCE, joined

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data-samples/warc"
REAL = ROOT.parent / "shared/data"
# The installed package and its command.
PACKAGE = Path(robots_scan.__file__).parent
COMMAND = Path(sys.executable).parent / "robots-scan"
ENVIRONMENT = {"SOURCE_DATE_EPOCH": "1767225600", **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}}
README_CHART = ROOT / "docs/first-chart.svg"
BYTES_MAX = 2_000_000
# Elements that have no end tag.
VOID = {"meta", "link", "br", "hr", "img", "input", "col"}
LOADING = {"script", "iframe", "object", "embed", "img", "image", "base", "form", "video", "audio"}


class Results:
    """Counts checks, and prints those that fail."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, is_true, message):
        if is_true:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {message}")


class Page(html.parser.HTMLParser):
    """The parts of a page, or of an article of it, that the tests need."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.open, self.unbalanced, self.pieces = text, [], [], []
        self.elements, self.addresses, self.ids = [], [], []
        self.queries, self.items, self.examples, self.paragraphs, self.leads, self.warnings = [], [], [], [], [], []
        self.headers, self.cells, self.footer_commands, self.big_numbers = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.elements.append((tag, values))
        self.addresses += [values[name] for name in ("href", "src", "srcset", "action", "data", "xlink:href") if values.get(name)]
        self.ids += [values["id"]] if "id" in values else []
        if tag not in VOID:
            self.open.append((tag, len(self.pieces), values.get("class")))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.unbalanced.append(tag)
            return
        _, start, kind = self.open.pop()
        content = "".join(self.pieces[start:])
        inside = [name for name, _, _ in self.open]
        kind_around = self.open[-1][2] if self.open else None
        if tag == "code" and "dd" in inside:
            self.items.append(content)
        elif tag == "code" and "footer" in inside and inside[-1] == "p":
            self.footer_commands.append(content)
        elif tag == "pre":
            self.queries.append(content)
        elif tag == "li" and kind_around == "records":
            self.examples.append(content)
        elif tag == "li" and kind_around == "big":
            self.big_numbers.append(" ".join(content.split()))
        elif tag == "th" and "thead" in inside:
            self.headers.append(content)
        elif tag in ("td", "th"):
            self.cells.append(content)
        elif tag == "p" and "article" in inside:
            self.paragraphs.append(content)
            if kind == "warning":
                self.warnings.append(content)
            elif inside[-1] == "article":
                self.leads.append(content)

    def handle_data(self, data):
        self.pieces.append(data)

    def lead(self):
        return self.leads[0]

    def table(self):
        """Returns the rows of the table of numbers: pairs of header and cell."""
        columns = len(self.headers)
        return [list(zip(self.headers, self.cells[i:i + columns])) for i in range(0, len(self.cells), columns)] if columns else []


class Dataset:
    """A dataset as a reader opens it."""

    def __init__(self, folder):
        self.connection = duckdb.connect()
        self.connection.execute((folder / "views.sql").read_text(encoding="utf-8"))

    def ask(self, sql):
        try:
            answer = self.connection.execute(sql)
        except duckdb.InvalidInputException as error:
            # A page shows the question, also where it has no answer.
            if "Invalid Input Error: no host of " in str(error):
                return []
            raise
        names = [column[0] for column in answer.description]
        return [dict(zip(names, row)) for row in answer.fetchall()]


def run(command, folder=ROOT, **environment):
    return subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, timeout=600, env={**ENVIRONMENT, **environment})


class SharedConverter(Converter):
    """Draws each chart once for all pages, in one process: to begin another one takes longer than the charts of a small page."""

    process_of_all, drawn = Converter(), {}

    def svg(self, spec):
        key = json.dumps(spec)
        if key not in self.drawn:
            self.drawn[key] = self.process_of_all.svg(spec)
        self.failed += self.drawn[key] is None
        return self.drawn[key]

    def close(self):
        pass


# What the last report was about, with its answers.
studies = []
study_of, sections_of = report.study_of, report.sections.of


def run_report(dataset, page, *options, expected=(0,), sections=()):
    """Executes the report in this process, which spares its start. `command_line` and others execute the command.

    With `sections`, the page has the first section and these: half of the time of this program is that of sections. With --campaign, it has all.
    """
    parts = {headline, *sections}
    report.sections.of = lambda study: [part for part in sections_of(study) if part in parts or not sections or "--campaign" in sys.argv]
    report.study_of = lambda *choices: studies.append(study_of(*choices)) or studies[-1]
    report.Converter = SharedConverter
    studies.clear()
    with contextlib.redirect_stderr(io.StringIO()) as said:
        code = report.main([*map(str, (dataset, "-o", page, *options))])
    assert code in expected, f"{options}: exit code {code}\n{said.getvalue()}"
    return said.getvalue()


class Answered:
    """The answers that the last report had, and its tables for other SQL: to ask all questions again takes as long as the report."""

    def __init__(self, tables):
        self.tables = tables

    def ask(self, sql):
        answers, call = self.tables.answers, sql.removesuffix(";")
        return [dict(row) for row in answers[call]] if call in answers else self.tables.rows_or_none(sql)


def scan(program, out, *arguments):
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([program, *map(str, arguments), "-q", "-o", str(out)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr
    return out


def is_asked_whole(name):
    """Returns true for the pages whose SQL, and all queries for records, are asked again by the views of the folder: with --campaign, all."""
    return name in ("samples", "history") or "--campaign" in sys.argv


def check_page(results, name, path, folder, history=None):
    """Checks what is true of every page, and all of its numbers. A history answers the figures whose keys begin with its name."""
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    results.check(len(text.encode()) < BYTES_MAX, f"{name}: the page has {len(text.encode()):,} bytes")
    results.check(not page.unbalanced and not page.open, f"{name}: elements are not closed: {page.unbalanced} {page.open}")
    results.check(not LOADING & {tag for tag, _ in page.elements}, f"{name}: an element that loads or runs")
    results.check(not any(key.startswith("on") for _, values in page.elements for key in values), f"{name}: an event handler")
    outside = [address for address in page.addresses if not address.startswith(("#", "data:,"))]
    results.check(not outside, f"{name}: addresses outside the page: {outside[:3]}")
    results.check("url(" not in text.split("</style>")[0] and "@import" not in text, f"{name}: a style that loads")
    results.check(len(page.ids) == len(set(page.ids)), f"{name}: ids are not unique")
    targets = {address[1:] for address in page.addresses if address.startswith("#")}
    results.check(targets <= set(page.ids), f"{name}: links to nothing: {targets - set(page.ids)}")
    charts = [values for tag, values in page.elements if tag == "svg"]
    results.check(sum(values["class"] == "wide" for values in charts) == sum(values["class"] == "narrow" for values in charts), f"{name}: forms of charts differ")
    results.check(all(values.get("aria-label") for values in charts), f"{name}: a chart without a label")
    marks = [values for _, values in page.elements if values.get("role") == "graphics-symbol"]
    results.check(all(re.search(r"\d", values.get("aria-label", "")) for values in marks), f"{name}: a mark without a number in its label")
    results.check(re.search(r"\b1 (hosts|captures|crawls|archives|records|registered domains|crawlers)\b", text) is None, f"{name}: a plural of one")
    if is_asked_whole(name):
        dataset, tables_of_history = Dataset(folder), Dataset(history) if history else None
    else:
        dataset, tables_of_history = Answered(studies[0].dataset), Answered(studies[0].history)
    token = {row["name"]: row["token"] for row in dataset.ask("SELECT lower(agent) AS name, token FROM agents")}
    for key, article in re.findall(r'<article id="([\w-]+)-figure">(.*?</article>)', text, re.DOTALL):
        tables, figure = tables_of_history if key.startswith("history-") else dataset, Page(f"<article>{article}")
        if 'class="missing"' not in article:
            check_figure(results, name, key, figure, tables.ask, token)
            check_records(results, name, key.split("--")[0], figure, tables)
            if key == "headline":
                check_big_numbers(results, name, page.big_numbers, figure.table(), text, tables.ask)
    results.check(page.queries or 'class="missing"' in page.text, f"{name}: no queries for records")
    return page


# The figures whose concentration the page computes. That of the others is in the answers.
CONCENTRATED = ("headline", "number-of-ai-crawlers", "contradictions", "dialects")
CONCENTRATION = """
    SELECT max(d.hosts) / sum(d.hosts) AS domain, (SELECT max(s.hosts) FROM (SELECT count(*) AS hosts FROM ({hosts}) n WHERE n.ruleset_id IS NOT NULL GROUP BY n.ruleset_id) s)
        / sum(d.hosts) AS ruleset
    FROM (SELECT count(*) AS hosts FROM ({hosts}) n GROUP BY n.domain) d"""


def check_records(results, name, key, page, dataset):
    """Every query for records has as many rows as the number that it explains, and the concentration of the number is that of its hosts.

    Of pages that are not asked whole, one query of each figure is, which the name of the page draws: the queries of a figure differ only in
    a value, and planning them would take most of the time of this program.
    """
    rows = {cells[0][1]: dict(cells) for cells in page.table()}
    queries = sorted(set(page.queries))
    if not is_asked_whole(name):
        queries = random.Random(f"{name} {key}").sample(queries, min(1, len(queries)))
    for query in queries:
        label, number = re.fullmatch(r"-- (.*): ([\d,]+)", query.splitlines()[0]).groups()
        records = dataset.ask(query)
        results.check(len(records) == int(number.replace(",", "")), f"{name}: {label}: {number} on the page, {len(records)} records\n{query}")
        results.check(all(row["warc_filename"] and row["warc_record_offset"] is not None for row in records), f"{name}: {label}: a record without a place")
        if key in CONCENTRATED and records and label in rows:
            found = dataset.ask(CONCENTRATION.format(hosts=re.search(r"\nFROM \((.*)\) n\nJOIN robots_files r ON ", query)[1]))[0]
            for header, value in (("largest domain", found["domain"]), ("largest rule set", found["ruleset"])):
                cell = rows[label].get(header, "–")
                results.check(cell == "–" or is_shown(cell, value), f"{name}: {key}: {label}: {header}: {cell}, but it is {value}")


EXAMPLE = re.compile(r"(\S+): (\S+), offset (\d+)(?:, length (\d+))?(?:, redirected to (\S+?))?(?:, line (\d+)(?:: (.*))?)?$", re.DOTALL)


def read_records(results, name, page, folders, least):
    """Reads every record that the page shows from its archive, and compares the host and the line."""
    read = 0
    for content in page.examples:
        host, archive, offset, length, target, line_no, line = EXAMPLE.fullmatch(content.strip()).groups()
        path = next(folder / archive for folder in folders if (folder / archive).exists())
        with path.open("rb") as file:
            file.seek(int(offset))
            # A history does not know the length, and the member ends where it ends.
            record = file.read(int(length) if length else -1)
        record = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(record) if path.suffix == ".gz" else record
        warc, _, body = (record.split(b"\r\n\r\n", 2) + [b"", b""])[:3]
        results.check((target or f"//{host}").encode() in warc, f"{name}: the record at {archive} {offset} is not one of {target or host}")
        if line_no:
            lines = re.split(rb"\r\n|\r|\n", body)
            results.check(len(lines) >= int(line_no), f"{name}: {host} has no line {line_no}")
            if line and len(lines) >= int(line_no):
                real = lines[int(line_no) - 1].decode("utf-8", "replace").split("#")[0]
                results.check(squeezed(line) in (squeezed(real), squeezed(escaped(real))), f"{name}: line {line_no} of {host} is '{real}', not '{line}'")
        read += 1
    results.check(read >= least, f"{name}: {read} records were read, {least} expected")


def squeezed(line):
    return re.sub(r"[\s:]+", "", line).lower().removeprefix("\ufeff")


def samples(results, program, folder, pages, write):
    two = scan(program, folder / "samples.parquet", *sorted(SAMPLES.glob("cc-*.warc.gz")))
    done = run([COMMAND, "report", two, "-o", pages / "samples.html"])
    progress = done.stderr
    results.check(len(re.findall(r"^\[ ?\d+/\d+\] \w+ +\d+\.\d s$", progress, re.MULTILINE)) == 11, f"progress:\n{progress}")
    page = check_page(results, "samples", pages / "samples.html", two)
    read_records(results, "samples", page, [SAMPLES], 40)
    results.check("class=\"missing\"" not in page.text, "samples: a figure is missing")
    run_report(two, folder / "again.html")
    results.check((folder / "again.html").read_bytes() == (pages / "samples.html").read_bytes(), "samples: the page differs the second time")
    check_readme_chart(results, page, write)
    check_foot(results, program, page, two)

    one = scan(program, folder / "one.parquet", SAMPLES / "cc-robotstxt.warc.gz")
    run_report(one, pages / "one-crawl.html")
    page = check_page(results, "one crawl", pages / "one-crawl.html", one)
    results.check("The dataset has one crawl, CC-MAIN-2026-01-SAMPLE," in page.text, "one crawl: the page does not say so")
    read_records(results, "one crawl", page, [SAMPLES], 30)

    months = folder / "months"
    for i, path in enumerate(sorted(SAMPLES.glob("cc-*.warc.gz"))):
        scan(program, months / f"month-{i}", path, "--crawl", f"MONTH-{i}")
    subprocess.run([program, "join", months], check=True, capture_output=True, timeout=100)
    # A crawl without hosts does not count among those in which hosts are decided.
    scan(program, months / "month-9", SAMPLES / "nothing.warc.gz", "--crawl", "MONTH-9")
    subprocess.run([program, "join", months], check=True, capture_output=True, timeout=100)
    run_report(months, pages / "joined.html", "--crawl", "MONTH-0", "--crawls", "MONTH-0,MONTH-1,MONTH-9")
    page = check_page(results, "joined", pages / "joined.html", months)
    results.check("robots.txt in MONTH-0" in page.text and "; 1 archive of MONTH-0;" in page.text, "joined: another crawl, or its archives")
    results.check("Among the 111 hosts that are decided in every crawl, " in page.text, "joined: another number of hosts decided in every crawl")
    for crawl, said in (("MONTH-9", "No crawl of --crawls has hosts."), ("MONTH-0", "--crawls names one crawl with hosts, MONTH-0,")):
        results.check(said in missing_over_time(months, crawl), f"--crawls {crawl}: the page does not say '{said}'")

    # Applebot obeys Googlebot's group, and AdsBot-Google ignores *.
    run_report(two, folder / "fallbacks.html", "--agent", "applebot,AdsBot-Google", sections=[headline])
    page = check_page(results, "fallbacks", folder / "fallbacks.html", two)
    for said in ("by name or by the name of its fallback Googlebot: ", "which is known to ignore *"):
        results.check(said in page.text, f"fallbacks: the page does not say '{said}'")


def missing_over_time(dataset, crawl):
    """Returns what the section about time says that it does not have, if it is about one crawl. A whole page takes longer."""
    study = study_of(report.Dataset(dataset), crawls=[crawl])
    return " ".join(figure.missing for figure in report.sections.time.build(study).figures if figure.missing)


def several_crawlers(results, program, folder, pages):
    """A list of crawlers gives a figure of each, and each name once."""
    two = folder / "samples.parquet"
    run_report(two, pages / "several.html", "--agent", "CCBot, gptbot,CCBot/2.0,Applebot")
    page = check_page(results, "several", pages / "several.html", two)
    read_records(results, "several", page, [SAMPLES], 60)
    for crawler in ("CCBot", "GPTBot", "Applebot"):
        for key in ("tlds", "networks", "origins", "contradictions", "same-hosts"):
            results.check(f"{key}--{crawler}-figure" in page.ids, f"several: no figure {key} of {crawler}")
        results.check(f">block {crawler} by name" in page.text, f"several: no row of {crawler}")
    results.check(page.text.count(">answered 429 or 5xx</th>") == 1 and page.ids.count("tlds--CCBot-figure") == 1, "several: rows twice")


def check_readme_chart(results, page, write):
    """The README shows the first chart of this page, with colours that follow the reader's."""
    chart = re.search(r"<svg[^>]* class=\"wide\".*?</svg>", page.text, re.DOTALL)[0]
    style = "<style>svg{color:#1b1b1f;background:#fff}@media (prefers-color-scheme:dark){svg{color:#ececf1;background:#17181c}}</style>"
    head, body = chart.split(">", 1)
    chart = f"{head}>{style}{body}\n"
    if write:
        README_CHART.write_text(chart, encoding="utf-8")
    results.check(README_CHART.exists() and README_CHART.read_text(encoding="utf-8") == chart, "the chart of the README differs: make report-test WRITE=--write")


def check_foot(results, program, page, folder):
    """The foot has the versions of the run and the archives of the crawl, and its commands work."""
    for row in Dataset(folder).ask("SELECT DISTINCT unnest([version, psl_version, agents_version]) AS version FROM runs"):
        results.check(row["version"] in page.text, f"the foot does not have '{row['version']}'")
    results.check("; 1 archive of CC-MAIN-2026-05-SAMPLE; report of 2026-01-01." in page.text, "the sentence to cite does not have the archives of the crawl")
    check = next(command for command in page.footer_commands if command.startswith("robots-scan check"))
    command = check.replace("robots-scan", str(program), 1).replace("HOST", "tabloid.example.de").replace("ARCHIVES", str(SAMPLES))
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    results.check(done.returncode == 0 and "\n!    4  " in done.stdout, f"{check}: {done.stderr}")
    results.check(f"duckdb -init {folder}/views.sql" in page.footer_commands, f"commands of the foot: {page.footer_commands}")


NUMBERS = itertools.count(1)


def line(key, value):
    return f"{key}: {value}\n".encode()


BLOCK_GPTBOT = line("User-agent", "GPTBot") + line("Disallow", "/")
BLOCK_ALL = line("User-agent", "*") + line("Disallow", "/")


def record(host, body, status="200 OK", packed=True, is_redirect=False, date="2026-01-05T00:00:00Z"):
    """Returns a response to a request for robots.txt as a WARC record, packed as a gzip member or plain."""
    location = f"Location: {body.decode()}\r\n" if is_redirect else ""
    dated = f"WARC-Date: {date}\r\n" if date else ""
    http = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n{location}\r\n".encode() + (b"" if is_redirect else body)
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\n{dated}"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{next(NUMBERS):012}>\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http)}\r\n\r\n").encode()
    text = head + http + b"\r\n\r\n"
    return gzip.compress(text, mtime=0) if packed else text


TWO_HOSTS = [(f"h{i}.example", BLOCK_GPTBOT) for i in range(2)]


class Case:
    """A dataset of invented hosts, and its page."""

    def __init__(self, results, program, folder, pages):
        self.results, self.program, self.folder, self.pages = results, program, folder, pages

    def page(self, name, hosts, *options, scan_options=(), packed=True, least=3, sections=(), **response):
        """Returns the page of a dataset of hosts and bodies, after all checks."""
        archive = self.folder / f"{name}.warc{'.gz' if packed else ''}"
        archive.write_bytes(b"".join(record(host, body, packed=packed, **response) for host, body in hosts))
        dataset = scan(self.program, self.folder / f"{name}.parquet", archive, *scan_options)
        run_report(dataset, self.pages / f"{name}.html", *options, sections=sections)
        page = check_page(self.results, name, self.pages / f"{name}.html", dataset)
        read_records(self.results, name, page, [self.folder], least)
        return page

    def check(self, page, name, *sentences):
        for sentence in sentences:
            self.results.check(sentence in page.text, f"{name}: the page does not say '{sentence}'")


def over_time(results, program, folder, pages):
    """Lines connect crawls of the same hosts, at their times; crawls of others, and those without times, are said to be others."""
    crawls = {"A-1": ("2020-01-05T00:00:00Z", "a", 120), "A-2": ("2021-01-05T00:00:00Z", "a", 120), "B-1": ("2021-03-05T00:00:00Z", "b", 120),
              "A-3": ("2021-07-05T00:00:00Z", "a", 70), "C-1": ("", "a", 120), "D-1": ("2020-01-05T00:00:00Z", "a", 120), "E-2019": ("2022-01-05T00:00:00Z", "a", 120)}
    joined = folder / "over-time"
    for crawl, (date, prefix, hosts) in crawls.items():
        archive = folder / f"{crawl}.warc.gz"
        # Half of the hosts of the second collection, less one, are the last ones of the first collection.
        names = [f"a{hosts - 1 - i}.example" if prefix == "b" and i < hosts // 2 - 1 else f"{prefix}{i}.example" for i in range(hosts)]
        # The captures of one crawl are of two months.
        archive.write_bytes(b"".join(record(name, BLOCK_GPTBOT if i % 3 else b"", date=date.replace("-01-05", "-03-05") if crawl == "D-1" and i % 4 == 0 else date)
                                     for i, name in enumerate(names)))
        scan(program, joined / crawl, archive, "--crawl", crawl)
    subprocess.run([program, "join", joined], check=True, capture_output=True, timeout=100)
    run_report(joined, pages / "over-time.html", sections=[report.sections.time])
    page = check_page(results, "over time", pages / "over-time.html", joined)
    case = Case(results, program, folder, pages)
    case.check(page, "over time", "Not drawn, crawls of other hosts: B-1; of more than six weeks: D-1 (2020-01-05 to 2020-03-05); without times: C-1. Of another year than the name: E-2019 (2022).",
               "of 120 hosts; 80 of these have only the rules “User-agent: GPTBot; Disallow: /”) in A-1, and by 66.7\u00a0% of 120 registered domains",
               "Only 70 hosts are decided in all 4 crawls, fewer than 100, so the change among the same hosts is not drawn.")
    results.check(set(re.findall(r"GPTBot in ([A-E]-\d+): ", page.text)) == {"A-1", "A-2", "A-3", "E-2019"}, "over time: other crawls are drawn")
    run_report(joined, pages / "over-time.html", "--crawls", "A-1,A-2", sections=[report.sections.time])
    page = check_page(results, "two crawls", pages / "over-time.html", joined)
    case.check(page, "two crawls", "Among the 120 hosts that are decided in every crawl, ")
    results.check("Not drawn, crawls" not in page.text, "two crawls: one is not drawn")
    run_report(joined, folder / "apart.html", "--crawls", "A-1,B-1", sections=[report.sections.time])
    page = check_page(results, "apart", folder / "apart.html", joined)
    case.check(page, "apart", "No two crawls have enough hosts in common")
    results.check('id="ai-crawlers-over-time-figure"' not in page.text, "apart: crawls of other hosts are drawn")


def between_ends(results, program, folder, pages):
    """The sentence has what is between the ends, the caption the lines that hide each other, and the crawlers are those of `--agent`."""
    joined = folder / "between"
    for number, blocking in enumerate((80, 20, 80), 1):
        archive = folder / f"between-{number}.warc.gz"
        body = BLOCK_GPTBOT + line("User-agent", "CCBot") + line("Disallow", "/") + line("User-agent", "AhrefsBot") + line("Disallow", "/")
        archive.write_bytes(b"".join(record(f"m{i}.example", body if i < blocking else line("User-agent", "GPTBot") + line("Allow", "/"), date=f"202{number}-01-05T00:00:00Z") for i in range(120)))
        scan(program, joined / f"M-{number}", archive, "--crawl", f"M-{number}")
    subprocess.run([program, "join", joined], check=True, capture_output=True, timeout=100)
    case = Case(results, program, folder, pages)
    for options, title, names in ((), "AI crawlers blocked by name over time", "GPTBot and CCBot"), (("--agent", "AhrefsBot,GPTBot"), "Crawlers blocked by name over time", "AhrefsBot and GPTBot"):
        run_report(joined, pages / "between.html", *options, sections=[report.sections.time])
        page = check_page(results, "between", pages / "between.html", joined)
        case.check(page, f"between {options}", f"Numbers of: {title}, over all hosts", f"{names} have the same line.",
                   "in M-3. Between these crawls, the share of domains is smallest in M-2, 16.7\u00a0% (20 of 120 hosts, 16.7\u00a0%).", "(66.7\u00a0% of 120 hosts; 80 of these have the same 3 rules (GPTBot, CCBot, …)) in M-1")


# For each crawler and crawl, computed from the tables of a joined dataset: the hosts with a known verdict, those that block by name, and their
# registered domains; the same over the hosts that are decided in every crawl, with the share of domains. No macro is used. The crawlers have no
# fallbacks, and obey `*`.
OVER_TIME = """
    WITH verdicts AS (
        SELECT a.agent, h.crawl, h.surt_host_name, coalesce(h.url_host_registered_domain, h.surt_host_name) AS domain,
            coalesce(v.verdict, h.wildcard_verdict) AS verdict, v.verdict = 'disallow_all' AND v.basis = 'explicit' AS by_name
        FROM read_parquet('{joined}/_joined/hosts/*/*.parquet', hive_partitioning = true) h
        CROSS JOIN (SELECT unnest({agents}) AS agent) a
        LEFT JOIN read_parquet('{joined}/_joined/host_verdicts/*/*.parquet', hive_partitioning = true) v
            ON v.crawl = h.crawl AND v.host_id = h.host_id AND v.agent = lower(a.agent) AND v.basis IN ('explicit', 'too_complex')
    ),
    decided AS (
        SELECT v.*, coalesce(v.by_name, false)::INTEGER AS blocks, count(*) OVER (PARTITION BY v.agent, v.surt_host_name) = {crawls} AS is_same
        FROM verdicts v WHERE v.verdict <> 'unknown'
    ),
    domains AS (
        SELECT d.agent, d.crawl, d.domain, count(*) AS hosts, sum(d.blocks) AS blocking, count(*) FILTER (d.is_same) AS same, sum(d.blocks) FILTER (d.is_same) AS same_blocking
        FROM decided d GROUP BY d.agent, d.crawl, d.domain
    )
    SELECT d.agent || ' in ' || d.crawl AS label, sum(d.hosts) AS hosts, sum(d.blocking) AS blocking, count(*) FILTER (d.blocking > 0) AS domains_blocking,
        sum(d.same) AS same, sum(d.same_blocking) AS same_blocking, count(*) FILTER (d.same > 0) AS same_domains,
        avg(d.same_blocking / d.same) FILTER (d.same > 0) AS same_domains_blocking
    FROM domains d GROUP BY d.agent, d.crawl"""


def over_history(results, program, xtask, folder, pages):
    """The section about time from a history: its numbers are those of the datasets, and it says what a history does not have."""
    series, crawls, agents = folder / "series", 3, ["ClaudeBot", "GPTBot", "Bytespider"]
    subprocess.run([xtask, "series", series, str(crawls), "1200", "1"], check=True, capture_output=True, timeout=100)
    datasets = [scan(program, series / "joined" / f"{i}", *sorted((series / f"crawl-{i:03}").iterdir()), "--crawl", f"SERIES-{i:03}") for i in range(crawls)]
    history = make_history(program, series / "history", *datasets)
    subprocess.run([program, "join", series / "joined", "-q"], check=True, capture_output=True, timeout=100)
    # Of the dataset of the page, the section about time has nothing.
    dataset = folder / "two-hosts.parquet"
    run_report(dataset, pages / "history.html", "--history", history, "--agent", ",".join(agents))
    page = check_page(results, "history", pages / "history.html", dataset, history)
    read_records(results, "history", page, [folder, *sorted(series.glob("crawl-*"))], 6)
    check_over_time(results, page, series / "joined", agents, crawls)
    results.check(f"duckdb -init {history}/views.sql" in page.footer_commands, f"history: commands of the foot: {page.footer_commands}")

    # A hundred crawls in ten years, none of which has a host of another, with 400 days between two of them. The last two block crawlers.
    many, names = folder / "many", []
    for i in range(100):
        date = datetime.date(2016, 1, 4) + datetime.timedelta(days=30 * i + (370 if i >= 60 else 0))
        names.append(f"CC-MAIN-{date:%G-%V}")
        (many / "crawl-data" / names[-1]).mkdir(parents=True)
        body = BLOCK_GPTBOT + line("User-agent", "CCBot") + line("Disallow", "/") if i >= 98 else b""
        (many / "crawl-data" / names[-1] / "a.warc.gz").write_bytes(b"".join(record(f"h{n}.c{i}.example", body if n else b"", date=f"{date}T00:00:00Z") for n in range(4)))
    history = make_history(program, many / "history", scan(program, many / "out.parquet", many / "crawl-data"))
    run_report(dataset, pages / "history-of-100.html", "--history", history, sections=[report.sections.history])
    page = check_page(results, "100 crawls", pages / "history-of-100.html", dataset, history)
    case = Case(results, program, folder, pages)
    case.check(page, "100 crawls", "with 100 crawls from 2016-01-04 to ", f"is blocked by name by 0\u00a0% of registered domains (0 of 4 hosts, 0\u00a0%) in {names[0]}, and by 75.0\u00a0% of registered domains (3 of 4 hosts, 75.0\u00a0%) in {names[-1]}.",
               "0 hosts are captured in all 100 crawls, fewer than 100, so the change among the same hosts is not drawn.")
    years = [re.findall(r">(20\d\d)</text>", svg) for svg in re.findall(r"<svg.*?</svg>", page.text[page.text.index('id="history-all-hosts-figure"'):], re.DOTALL)[:2]]
    results.check(years == [[str(year) for year in range(2017, 2026)] * 2] * 2, f"100 crawls: labels of the axis: {years}")
    # The last figure of the section alone, since a page takes seconds.
    one = make_history(program, folder / "one-crawl-history", folder / "one.parquet")
    script = ("import json, sys; from robots_scan.report import dataset, study; from robots_scan.report.sections import history\n"
              "of = dataset.Dataset(sys.argv[1])\n"
              "for folder, crawls in json.loads(sys.argv[2]):\n"
              " figure = history.build(study.study_of(of, None, crawls, history=dataset.History(folder))).figures[-1]; print(figure.missing or ' '.join([figure.notes[0], figure.lead]))")
    two = captured_in_all(series / "joined", ["SERIES-000", "SERIES-002"])
    cases = [((str(series / "history"), ["SERIES-000", "SERIES-002"]), f"{two} hosts are captured in all 2 crawls. Among the "),
             ((str(history), names[:2]), f"No robots.txt in {names[1]} blocks an AI crawler of the registry by name. The option --agent names other crawlers."),
             ((str(history), names[:1]), f"--crawls names one crawl with hosts, {names[0]}, and a change needs two."),
             ((str(one), []), "The history has one crawl, CC-MAIN-2026-01-SAMPLE, and a change needs two. `robots-scan history` adds crawls to it.")]
    done = run([sys.executable, "-c", script, dataset, json.dumps([arguments for arguments, _ in cases])])
    said = done.stdout.splitlines()
    results.check(len(said) == len(cases) and all(text.startswith(start) for text, (_, start) in zip(said, cases)), f"few crawls: {done}")

    hint_of_crawls = f"the crawls of the history are {', '.join(names)}"
    cases = [
        ([dataset, "--history", dataset], f"'{dataset}' is a dataset, and a history is expected", f"make one: robots-scan history {dataset} -o history"),
        ([history], f"'{history}' is a history, and a dataset is expected", f"robots-scan report DATASET --history {history}"),
        ([dataset, "--history", folder / "absent"], f"the history '{folder / 'absent'}' does not exist", None),
        ([dataset, "--history", history, "--crawls", "CC-MAIN-2016"], "unknown crawl 'CC-MAIN-2016'", hint_of_crawls),
        ([dataset, "--history", history, "--agent", "CCBot,GPTBot,ClaudeBot,Bytespider,Amazonbot,PerplexityBot,Googlebot"],
         "7 crawlers are given, and at most 6 are drawn from a history", "name fewer with --agent, or leave out --history"),
    ]
    script = "import json, sys; from robots_scan.report.__main__ import main; print(*[main(arguments) for arguments in json.loads(sys.argv[1])])"
    done = run([sys.executable, "-c", script, json.dumps([list(map(str, arguments)) for arguments, _, _ in cases])], folder)
    expected = "".join(f"error: {message}\n" + (f"hint: {hint}\n" if hint else "") for _, message, hint in cases)
    results.check((done.stdout, done.stderr) == ("2 2 2 2 2\n", expected), f"errors of a history: {done}")


def make_history(program, out, *datasets):
    subprocess.run([program, "history", *datasets, "-q", "-o", out], check=True, capture_output=True, timeout=100)
    return out


def check_over_time(results, page, joined, agents, crawls):
    """The numbers of both figures are those of the tables of the datasets."""
    expected = {row["label"]: row for row in query(OVER_TIME.format(joined=joined, agents=agents, crawls=crawls))}
    all_hosts, same_hosts = (Page(re.search(rf'<article id="history-{key}-figure">.*?</article>', page.text, re.DOTALL)[0]) for key in ("all-hosts", "same-hosts"))
    for figure, shown in ((all_hosts, {"of hosts": "hosts", "hosts by name": "blocking", "by name": ("blocking", "hosts"), "domains_any": "domains_blocking"}),
                          (same_hosts, {"decided in every crawl": "same", "hosts by name": "same_blocking", "by name": ("same_blocking", "same"), "their domains": "same_domains",
                                        "domains by name": "same_domains_blocking"})):
        rows = {row["crawler and crawl"]: row for row in map(dict, figure.table())}
        results.check(list(rows) == [f"{agent} in SERIES-{i:03}" for agent in agents for i in range(crawls)], f"history: rows: {list(rows)}")
        for label, row in rows.items():
            for header, column in shown.items():
                value = expected[label][column] if isinstance(column, str) else expected[label][column[0]] / expected[label][column[1]]
                results.check(is_shown(row[header], value), f"history: {label}: {header}: {row[header]}, but the datasets have {value}")
    captured = captured_in_all(joined, [f"SERIES-{i:03}" for i in range(crawls)])
    results.check(f"{captured} hosts are captured in all {crawls} crawls." in same_hosts.paragraphs, f"history: {captured} hosts are captured in all crawls: {same_hosts.paragraphs}")


def captured_in_all(joined, crawls):
    """Returns how many hosts each of the crawls captured."""
    return query(f"SELECT count(*) AS n FROM (SELECT surt_host_name FROM read_parquet('{joined}/_joined/hosts/*/*.parquet', hive_partitioning = true) "
                 f"WHERE crawl IN {tuple(crawls)} GROUP BY 1 HAVING count(*) = {len(crawls)})")[0]["n"]


def query(sql):
    """Returns the rows of SQL over files, without the views of a dataset."""
    answer = duckdb.sql(sql)
    return [dict(zip(answer.columns, row)) for row in answer.fetchall()]


def empty_dataset(case):
    """A dataset without hosts."""
    empty = scan(case.program, case.folder / "empty.parquet", SAMPLES / "nothing.warc.gz")
    run_report(empty, case.pages / "empty.html")
    page = check_page(case.results, "empty", case.pages / "empty.html", empty)
    case.results.check("<svg" not in page.text, "empty: a chart without hosts")
    case.results.check(page.text.count("class=\"missing\"") >= 10, "empty: figures are not said to be missing")


def no_ai_crawler(case):
    """Rules that name no AI crawler."""
    rules = [line("User-agent", "*") + line("Disallow", "/private"), BLOCK_ALL, b"", line("User-agent", "AhrefsBot") + line("Disallow", "/")]
    page = case.page("no-ai", [(f"site{i}.example", rules[i % 4]) for i in range(40)])
    case.check(page, "no AI", "names an AI crawler of the registry", "blocks an AI crawler by its own name", "states one in Content-Signal", "and allows it every path")


def hostile_names(case):
    """Names with elements of HTML, and with characters that XML excludes."""
    name = "<script>alert(1)</script>'\"&amp;"
    body = BLOCK_GPTBOT + line("Content-Signal", f"ai-train={name}") + line("User-agent", name) + line("Disallow", f"/{name}")
    page = case.page("hostile", [(f"a{i}.example", body) for i in range(8)], scan_options=("--crawl", "A.B-1"))
    case.results.check("<script" not in page.text, "hostile: a name became an element")

    # Texts that XML excludes, that move the cursor of a terminal, or that change the direction of writing. The last name is not UTF-8.
    texts = ["\x1b", "\x01[2J", "\u202e", "\ufffe", "\x0b", "\x85"]
    body = BLOCK_GPTBOT + b"".join(line("Content-Signal", f"{text}=no") + line("User-agent", f"a{text}b") + line("Disallow", f"/{text}") for text in texts) + b"Content-Signal: \xff=no\n"
    page = case.page("control", [(f"c{i}.example", body) for i in range(8)])
    case.check(page, "control", "Content-Signal: \\x1b=no", "Content-Signal: \\u{202e}=no", " || chr(27) || ")
    found = CONTROLS.findall(page.text.replace("\n", ""))
    case.results.check(not found and "could not be drawn" not in page.text, f"control: {found}")
    check_failing_charts(case.results, case.folder)


def hosts_of_one_domain(case):
    """Hosts that are of one domain, with the same rules or with others."""
    # 60 of 62 hosts are of one domain with one rule set. Names in .example have no registered domain.
    page = case.page("one-domain", [(f"blog{i}.example.net", BLOCK_GPTBOT) for i in range(60)] + [
        ("x.example", BLOCK_GPTBOT + line("Allow", "/a")), ("y.example", b"")], sections=[headline])
    case.check(page, "one domain", "block GPTBot by name: 100\u00a0% of 60 hosts are in example.net: cite the share of domains.", "Of these hosts, 100\u00a0% are in one registered domain.")
    # Records are of different domains, although nearly all hosts are of one.
    page = case.page("records", [(f"blog{i}.example.net", BLOCK_GPTBOT) for i in range(40)] + [("a.example.com", BLOCK_GPTBOT), ("b.example.org", BLOCK_GPTBOT)], sections=[headline])
    domains = {content.strip().split(":")[0].split(".", 1)[1] for content in page.examples[:3]}
    case.results.check(domains == {"example.net", "example.com", "example.org"}, f"records: {page.examples}")


def few_hosts(case):
    """Too few hosts, or too few rules, for a warning or a ranking. Files of one rule are equal by chance."""
    page = case.page("one-rule", [(f"h{i}.example", BLOCK_GPTBOT) for i in range(8)], sections=[headline])
    case.check(page, "one rule", "◆ 8 of 8 hosts, 100\u00a0%; 8 of 8 hosts have only the rules “User-agent: GPTBot; Disallow: /”</small>")
    case.results.check("■ 8" not in page.text and "■</text>" not in page.text, "one rule: a mark for rules of one line")
    # Three hosts against one: nothing is the largest.
    page = case.page("few", [(f"g{i}.gov", BLOCK_GPTBOT if i < 3 else b"") for i in range(149)] + [(f"e{i}.edu", BLOCK_GPTBOT if i < 1 else b"") for i in range(100)], sections=[host_kinds])
    case.check(page, "few", "Not ranked: 2 top-level domains. In none do 30 hosts and 30 registered domains block GPTBot by name.",
               "Shares of fewer than 30 hosts or domains are not ranked")
    case.results.check("is largest in" not in page.text and "order is another" not in page.text, "few: a ranking of few hosts")


def independent_sites(case):
    """Domains whose hosts have rules of their own."""
    # Independent sites below one domain, of which the last one has two hosts of 22.
    page = case.page("independent", [(f"user{i}.github.io", BLOCK_GPTBOT + line("Disallow", f"/{i}") + line("User-agent", f"bot{i}") + line("Disallow", f"/{i}"))
                                     for i in range(20)] + [("a.example", BLOCK_GPTBOT), ("b.example", b"")], sections=[headline])
    case.check(page, "independent", "of 21 hosts are in github.io, but the rules of these differ, so they may be independent sites")
    # The largest domain is not the first one in any order of names.
    page = case.page("two-domains", [(f"a{i}.example.com", BLOCK_GPTBOT) for i in range(2)] + [(f"m{i}.example.net", BLOCK_GPTBOT) for i in range(7)] + [
        (f"z{i}.example.org", BLOCK_GPTBOT) for i in range(3)], sections=[headline])
    case.check(page, "two domains", "of 12 hosts are in example.net")

    # Eleven of 20 hosts are of one domain, two of which have the most common rules of all.
    page = case.page("mixed", [(f"h{i}.example.com", BLOCK_GPTBOT + (line("Sitemap", "/") if i < 2 else line("User-agent", f"b{i}") + line("Disallow", f"/{i}")))
                               for i in range(11)] + [(f"o{i}.example", BLOCK_GPTBOT) for i in range(9)], sections=[headline])
    case.check(page, "mixed", "55.0\u00a0% of 20 hosts are in example.com, but the rules of these differ")


def same_rules(case):
    """Half of the hosts have the same rules."""
    # Half of the hosts have the same rules, which are three, and which block a crawler that no other host blocks.
    page = case.page("half", [(f"p{i}.example", line("User-agent", "Bytespider") + line("Disallow", "/") + line("User-agent", "b") + line("Disallow", "/a") + line("Disallow", "/b")) for i in range(5)] + [
        (f"q{i}.example", BLOCK_GPTBOT + line("User-agent", f"b{i}") + line("Disallow", f"/{i}")) for i in range(5)], sections=[headline])
    case.check(page, "half", "; ■ 5 of 10 hosts have the same 3 rules (Bytespider, b)</small>", "■ block at least one AI crawler by name: 5 of 10 hosts have the same 3 rules (Bytespider, b).",
               "10 of 10 hosts, 100\u00a0%")


def undecided_hosts(case):
    """Hosts without a decision, and without rules."""
    page = case.page("undecided", [(f"r{i}.example.net", f"https://gone{i}.example/robots.txt".encode()) for i in range(6)], status="301 Moved", is_redirect=True, least=1)
    case.check(page, "undecided", "no host has a known verdict, of 6 captured hosts.", "No rules have different verdicts under two dialects, for * or a crawler of the registry, in 6 captures.")
    case.results.check("rules of these differ" not in page.text, "undecided: rules of hosts that have none")
    page = case.page("errors", [(f"e{i}.example.net", b"") for i in range(6)], status="503 Service Unavailable", least=1)
    case.results.check("rules of these differ" not in page.text, "errors: rules of hosts that have none")
    page = case.page("one-host", [("a.example", BLOCK_GPTBOT)], sections=[dialects])
    case.check(page, "one host", "<p>The record behind “", "No rules have different verdicts under two dialects, for * or a crawler of the registry, in 1 capture.")


def names_of_groups(case):
    """Groups that hold for another crawler, or invite one."""
    # Googlebot's group holds for Applebot, whose own name no file has.
    page = case.page("fallback", [(f"g{i}.example", line("User-agent", "Googlebot") + line("Disallow", "/")) for i in range(6)], "--agent", "Applebot", sections=[headline])
    case.check(page, "fallback", "block Applebot by name or by the name of its fallback Googlebot", "blocks an AI crawler by its own name",
               "Applebot obeys the group of Googlebot if a file has none for it")
    # The line of an invitation is the one that names the crawler.
    page = case.page("invited", [(f"i{i}.example", line("User-agent", "bingbot") + line("User-agent", "GPTBot") + line("Allow", "/")) for i in range(3)], sections=[invitations])
    case.results.check(any(content.strip().endswith("GPTBot") and ", line 2" in content for content in page.examples), f"invited: {page.examples}")


def odd_hosts(case):
    """Names of hosts that look like numbers, a share below 0.1 %, and an archive that is not compressed."""
    # Names that look like numbers, and a share below 0.1 %.
    page = case.page("addresses", [(f"192.168.123.{i}", BLOCK_ALL + line("Sitemap", "/s.xml")) for i in range(10, 20)] + [
        (f"host{i}.example", b"" if i else BLOCK_GPTBOT) for i in range(1500)], sections=[host_kinds])
    case.check(page, "addresses", "0.066\u00a0% of 1,510")

    page = case.page("plain", [(f"p{i}.example", BLOCK_GPTBOT if i % 3 else BLOCK_ALL) for i in range(9)], packed=False, sections=[headline])


def lists_of_hosts(case):
    """Ranks, and labels of hosts and of domains."""
    lists = {
        "ranks.csv": "".join(f"{rank},r{rank}.example\n" for rank in (1, 1000, 1001, 10000, 10001)),
        "weights.csv": "host,label,weight\n" + "".join(f"r{rank}.example,{'news' if rank < 1001 else 'shops'},{3 if rank < 1001 else 1}\n"
                                                     for rank in (1, 1000, 1001, 10000, 10001)),
        "domains.csv": "domain,label\nexample.net,hosting\n",
    }
    for name, text in lists.items():
        (case.folder / name).write_text(text)
    hosts = [(f"r{rank}.example", BLOCK_GPTBOT if rank in (1, 1001) else b"") for rank in (1, 1000, 1001, 10000, 10001)]
    page = case.page("lists", hosts, "--ranks", str(case.folder / "ranks.csv"), "--labels", str(case.folder / "weights.csv"), sections=[host_kinds])
    case.check(page, "lists", ">GPTBot blocked by rank<", ">1 to 1,000<", ">1,001 to 10,000<", ">10,001 to 100,000<",
               "The mean of the labels with the weights of the list is 45.8\u00a0% of registered domains and 45.8\u00a0% of hosts")
    case.page("domain-labels", [(f"d{i}.example.net", BLOCK_GPTBOT if i else b"") for i in range(4)], "--labels", str(case.folder / "domains.csv"), sections=[host_kinds])

    # One domain has most of the hosts of a label and of a top-level domain: sentences rank by domains, and say that the order by hosts is another.
    (case.folder / "orders.csv").write_text("domain,label\nbig.com,other\n" + "".join(f"c{i}.com,other\n" for i in range(200)) + "".join(f"n{i}.net,news\n" for i in range(100)))
    hosts = [(f"blog{i}.big.com", BLOCK_GPTBOT) for i in range(570)] + [(f"c{i}.com", BLOCK_GPTBOT if i < 30 else BLOCK_ALL if i % 2 else b"") for i in range(200)] + [
        (f"n{i}.net", BLOCK_GPTBOT + line("User-agent", "CCBot") + line("Disallow", "/") if i < 40 else b"") for i in range(100)]
    page = case.page("orders", hosts, "--labels", str(case.folder / "orders.csv"), sections=[host_kinds])
    for row, other in (("news", "other"), ("net", "com")):
        case.check(page, "orders", f"is largest in {row}: ", f"By hosts, the order is another: first is {other}, 77.9\u00a0% of 770 hosts (15.4\u00a0% of registered domains; "
                   "95.0\u00a0% of the hosts counted are in one of them).")
    case.check(page, "orders", "23.6\u00a0% of 301 registered domains block GPTBot by name")


def sampled_archives(case):
    """A sample of at least five archives has intervals."""
    parts = []
    for part in range(8):
        parts.append(case.folder / f"part-{part}.warc.gz")
        parts[-1].write_bytes(b"".join(record(f"p{part}-{i}.example", BLOCK_GPTBOT if i <= part else b"") for i in range(9)))
    sample = scan(case.program, case.folder / "sample.parquet", *parts, "--sample", "6", "--seed", "7")
    run_report(sample, case.pages / "sample.html")
    page = check_page(case.results, "sample", case.pages / "sample.html", sample)
    for said in ("(95 % interval: ", "line: 95 % interval", "are a random sample", "; a random sample of 6 of 8 archives of "):
        case.results.check(said in page.text, f"sample: the page does not say '{said}'")


def redirected_host(case):
    """A host that redirects has the rules of another one."""
    archive = case.folder / "redirect.warc.gz"
    archive.write_bytes(record("a.example", b"https://b.example/robots.txt", "301 Moved", is_redirect=True) + record("b.example", BLOCK_GPTBOT))
    redirect = scan(case.program, case.folder / "redirect.parquet", archive)
    run_report(redirect, case.pages / "redirect.html", sections=[headline])
    page = check_page(case.results, "redirect", case.pages / "redirect.html", redirect)
    case.results.check(any("redirected to https://b.example/robots.txt" in content for content in page.examples), "redirect: the page does not say so")
    read_records(case.results, "redirect", page, [case.folder], 3)


ODD_DATASETS = (empty_dataset, no_ai_crawler, hostile_names, hosts_of_one_domain, few_hosts, independent_sites, same_rules, undecided_hosts, names_of_groups, odd_hosts, lists_of_hosts, sampled_archives, redirected_host)


def check_failing_charts(results, folder):
    """A chart that ends the library is left out, and so are all charts where virtual memory is limited. The page is finished."""
    dataset, page = folder / "control.parquet", folder / "failing.html"
    script = ("import sys; import robots_scan.report.__main__ as report, robots_scan.report.chart as chart\n"
              "report.sections.ALL = (report.sections.headline, report.sections.preferences)\n"
              "chart.escaped = lambda text: text if text.startswith('Content-Signal: ') else text.replace('\\x1b', '')\n"
              "sys.exit(report.main(sys.argv[1:]))")
    done = run([sys.executable, "-c", script, dataset, "-o", page])
    text = page.read_text(encoding="utf-8") if done.returncode == 0 else ""
    left_out = text.count("This chart could not be drawn.")
    results.check(done.returncode == 0 and f"warning: {left_out} chart" in done.stderr and 1 <= left_out <= 3 and text.count("<svg") >= 2 and "hint:" not in done.stderr,
                  f"a chart that fails: {left_out} of {text.count('<svg')}: {done}")
    if sys.platform == "linux":
        done = run(["sh", "-c", 'ulimit -v 9000000; exec "$0" report "$@"', COMMAND, dataset, "-o", page])
        text = page.read_text(encoding="utf-8") if done.returncode == 0 else ""
        results.check(done.returncode == 0 and "\nhint: the library of charts reserves 64 GiB of virtual memory: see 'ulimit -v'\n" in done.stderr and "<svg" not in text
                      and text.count("This chart could not be drawn.") >= 4, f"little virtual memory: {done}")


def documented_commands(results, folder):
    """Executes the commands of the documents that draw a report."""
    report.sections.of = sections_of
    executed = 0
    for name in DOCUMENTS:
        for language, block in FENCE.findall((ROOT / name).read_text(encoding="utf-8")):
            for command in joined(block) if language == "sh" else []:
                if re.match(r"(\.venv/bin/)?robots-scan report ", command):
                    place = folder / f"documented-{executed}"
                    place.mkdir()
                    # The page scans it.
                    (place / shlex.split(command)[2]).symlink_to(folder / "two-hosts.parquet")
                    with contextlib.chdir(place), contextlib.redirect_stderr(io.StringIO()) as said:
                        code = report.main(shlex.split(command)[2:])
                    results.check(code == 0 and list(place.glob("*.html")), f"{name}: {command}: {said.getvalue()}")
                    executed += 1
    results.check(executed >= 1, f"{executed} commands of the documents draw a report")


def real(results, program, folder, pages):
    if not (REAL / "real").is_dir():
        print("skipped: the report of real archives, which are not available")
        return
    dataset = scan(program, folder / "real.parquet", REAL / "real", REAL / "crawl-shaped", "--relative-to", REAL)
    for test in test_runner.share((real_crawl, real_crawls_over_time), 0.5, "--campaign" in sys.argv):
        test(results, dataset, pages)


def real_crawl(results, dataset, pages):
    run_report(dataset, pages / "real.html")
    page = check_page(results, "real", pages / "real.html", dataset)
    read_records(results, "real", page, [REAL], 40)


def real_crawls_over_time(results, dataset, pages):
    crawls = [f"REAL-GOV-{month}" for month in ("2020-09", "2021-09", "2022-09", "2023-03", "2023-09", "2024-03", "2024-09", "2025-03")]
    run_report(dataset, pages / "real-2024.html", "--crawl", "REAL-2024", "--crawls", ",".join(crawls))
    page = check_page(results, "real 2024", pages / "real-2024.html", dataset)
    read_records(results, "real 2024", page, [REAL], 40)
    for said in ("block GPTBot by name: 88.2\u00a0% of 1,459 hosts are in soft112.com: cite the share of domains.", "In REAL-2024, 3.9\u00a0% of 3,161 registered domains block GPTBot by name, if each "
                 "domain counts once. Of hosts, it is 27.2\u00a0%: 1,459 of 5,361 hosts with a known verdict.", "Among the 324 hosts that are decided in every crawl",
                 "invalid token chars: 79.8\u00a0% of 1,613 hosts are in soft112.com"):
        results.check(said in page.text, f"real 2024: the page does not say '{said}'")


def main():
    program, xtask, pages = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    results = Results()
    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory() as folder:
        samples(results, program, Path(folder), pages, "--write" in sys.argv)
        several_crawlers(results, program, Path(folder), pages)
        over_time(results, program, Path(folder), pages)
        between_ends(results, program, Path(folder), pages)
        for test in test_runner.share(ODD_DATASETS, 0.5, "--campaign" in sys.argv):
            test(Case(results, program, Path(folder), pages))
        # Two hosts are no concentration. Other tests read this dataset.
        page = Case(results, program, Path(folder), pages).page("two-hosts", TWO_HOSTS, least=2, sections=[headline])
        results.check("2 of 2 hosts have" not in page.text, "two hosts: a sentence about the same rules")
        over_history(results, program, xtask, Path(folder), pages)
        documented_commands(results, Path(folder))
        real(results, program, Path(folder), pages)
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
