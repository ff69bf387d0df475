"""Tests the report over datasets of the samples, and of real archives if they are available.

    python jobs/test_report.py target/debug/robots-scan target/report            # tests, and leaves the pages for `make pages`
    python jobs/test_report.py target/debug/robots-scan target/report --write    # also draws the chart of the README again

The checks read the page as a reader would, and ask the dataset again: every query for records that the page shows has as many rows as
the number that it explains, and every record that it shows is read from its archive with gzip.
"""

import gzip
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "data-samples/warc"
REAL = ROOT.parent / "shared/data"
README_CHART = ROOT / "docs/first-chart.svg"
BYTES_MAX = 2_000_000
# Elements that have no end tag.
VOID = {"meta", "link", "br", "hr", "img", "input", "col"}


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
    """The parts of a page that the tests need."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.open, self.unbalanced, self.elements, self.addresses, self.ids = text, [], [], [], [], []
        self.articles, self.code, self.items, self.pieces = [], [], [], []
        # The cells of the table of numbers, each with the header of its column.
        self.headers, self.cells, self.rows = [], 0, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.elements.append((tag, values))
        self.addresses += [values[name] for name in ("href", "src", "srcset", "action", "data", "xlink:href") if values.get(name)]
        self.ids += [values["id"]] if "id" in values else []
        if tag not in VOID:
            self.open.append((tag, len(self.pieces)))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.unbalanced.append(tag)
            return
        content = "".join(self.pieces[self.open.pop()[1]:])
        inside = [name for name, _ in self.open]
        if tag == "code" and "dd" in inside:
            self.items.append(content)
        elif tag == "pre":
            self.code.append(content)
        elif tag == "li" and "details" in inside:
            self.articles.append(content)
        elif tag == "th" and "thead" in inside:
            self.headers.append(content)
        elif tag in ("td", "th"):
            self.rows.append((self.headers[self.cells % len(self.headers)], content))
            self.cells += 1

    def handle_data(self, data):
        self.pieces.append(data)


def run_report(dataset, page, *options, expected=0):
    done = subprocess.run(
        [sys.executable, "-m", "report", str(dataset), "-o", str(page), *options], cwd=ROOT, capture_output=True, text=True, timeout=600,
        env={**os.environ, "PYTHONPATH": str(ROOT / "jobs"), "SOURCE_DATE_EPOCH": "1767225600"})
    assert done.returncode == expected, f"{options}: exit code {done.returncode}\n{done.stderr}"
    return done.stderr


def scan(program, out, *arguments):
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([program, *map(str, arguments), "-q", "-o", str(out)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr
    return out


def check_page(results, name, path, dataset):
    """Checks what is true of every page."""
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    results.check(len(text.encode()) < BYTES_MAX, f"{name}: the page has {len(text.encode()):,} bytes")
    results.check(not page.unbalanced and not page.open, f"{name}: elements are not closed: {page.unbalanced} {page.open}")
    results.check(not any(tag in ("script", "iframe", "object", "embed", "img", "image", "base", "form") for tag, _ in page.elements), f"{name}: an element that loads or runs")
    results.check(not any(key.startswith("on") for _, values in page.elements for key in values), f"{name}: an event handler")
    outside = [address for address in page.addresses if not address.startswith(("#", "data:,"))]
    results.check(not outside, f"{name}: addresses outside the page: {outside[:3]}")
    results.check("url(" not in text.split("</style>")[0] and "@import" not in text, f"{name}: a style that loads")
    results.check(len(page.ids) == len(set(page.ids)), f"{name}: ids are not unique")
    targets = [address[1:] for address in page.addresses if address.startswith("#")]
    results.check(set(targets) <= set(page.ids), f"{name}: links to nothing: {set(targets) - set(page.ids)}")
    charts = [values for tag, values in page.elements if tag == "svg"]
    results.check(sum(values["class"] == "wide" for values in charts) == sum(values["class"] == "narrow" for values in charts), f"{name}: forms of charts differ")
    results.check(all(values.get("aria-label") for values in charts), f"{name}: a chart without a label")
    marks = [values for tag, values in page.elements if values.get("role") == "graphics-symbol"]
    results.check(all(re.search(r"\d", values.get("aria-label", "")) for values in marks), f"{name}: a mark without a number in its label")
    check_queries(results, name, page, dataset)
    return page


def check_queries(results, name, page, dataset):
    """Executes the SQL of the page: calls of questions, and the lists of records, which must be as long as their numbers."""
    connection = duckdb.connect()
    connection.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    for article in re.findall(r"<article.*?</article>", page.text, re.DOTALL):
        check_numbers(results, name, Page(article), connection)
    seen = set()
    for code in page.code:
        if not code.startswith("-- ") or code in seen:
            continue
        seen.add(code)
        label, number = re.fullmatch(r"-- (.*): ([\d,]+)", code.splitlines()[0]).groups()
        rows = connection.execute(code).fetchall()
        results.check(len(rows) == int(number.replace(",", "")), f"{name}: {label}: {number} on the page, {len(rows)} records\n{code}")
        results.check(all(None not in row[2:] for row in rows), f"{name}: {label}: a record without a place")
    results.check(len(seen) > 0 or "class=\"missing\"" in page.text, f"{name}: no queries for records")


def check_numbers(results, name, article, connection):
    """Every number of a table is one of the answer to the SQL beside it, or is computed from the records (COMPUTED)."""
    answers = {"–"}
    for sql in article.items:
        if sql.startswith("FROM ") and sql.endswith(");"):
            for row in connection.execute(sql).fetchall():
                for value in row:
                    if isinstance(value, (int, float)) and not isinstance(value, bool):
                        answers |= {f"{value:,.0f}", percent(value)}
    results.check(not article.rows or len(answers) > 1, f"{name}: numbers without SQL")
    for header, cell in article.rows:
        if re.fullmatch(r"[\d.,]+(e-\d+)?(\u00a0%)?", cell) and header not in COMPUTED:
            results.check(cell in answers, f"{name}: {header}: {cell} is not in the answer to {article.items}")


# Sums over the steps of a number of crawlers, counts that belong to a share, and concentration; `Records` explain them.
COMPUTED = {"hosts", "changed", "largest domain", "largest rule set", "ruleset_id"}


def percent(value):
    digits = f"{value * 100:.2g}" if 0 < value < 0.001 else f"{value * 100:.1f}" if 0 < value < 1 else f"{value * 100:.0f}"
    return f"{min(float(digits), 99.9):.1f}\u00a0%" if digits == "100.0" else f"{digits}\u00a0%"


EXAMPLE = re.compile(r"(\S+): (\S+), offset (\d+), length (\d+)(?:, redirected to (\S+?))?(?:, line (\d+)(?:: (.*))?)?$", re.DOTALL)


def check_records(results, name, page, folders):
    """Reads every record that the page shows from its archive, and compares the host and the line."""
    read = 0
    for content in page.articles:
        found = EXAMPLE.fullmatch(content.strip())
        if not found:
            continue
        host, archive, offset, length, target, line_no, line = found.groups()
        path = next(folder / archive for folder in folders if (folder / archive).exists())
        with path.open("rb") as file:
            file.seek(int(offset))
            record = gzip.decompress(file.read(int(length)))
        warc, http, body = (record.split(b"\r\n\r\n", 2) + [b"", b""])[:3]
        results.check((target or f"//{host}").encode() in warc, f"{name}: the record at {archive} {offset} is not one of {target or host}")
        if line_no:
            lines = re.split(rb"\r\n|\r|\n", body)
            results.check(len(lines) >= int(line_no), f"{name}: {host} has no line {line_no}")
            if line and len(lines) >= int(line_no):
                real = lines[int(line_no) - 1].decode("utf-8", "replace").split("#")[0]
                results.check(squeezed(line) == squeezed(real), f"{name}: line {line_no} of {host} is '{real}', not '{line}'")
        read += 1
    return read


def squeezed(line):
    return re.sub(r"[\s:]+", "", line).lower().removeprefix("\ufeff")


def samples(results, program, folder, pages, write):
    two = scan(program, folder / "samples.parquet", *sorted(SAMPLES.glob("cc-*.warc.gz")))
    progress = run_report(two, pages / "samples.html")
    results.check(len(re.findall(r"^\[ ?\d+/\d+\] \w+ +\d+\.\d s$", progress, re.MULTILINE)) == 11, f"progress:\n{progress}")
    page = check_page(results, "samples", pages / "samples.html", two)
    results.check(check_records(results, "samples", page, [SAMPLES]) >= 30, "samples: few records were read")
    results.check("class=\"missing\"" not in page.text, "samples: a figure is missing")
    run_report(two, folder / "again.html")
    results.check((folder / "again.html").read_bytes() == (pages / "samples.html").read_bytes(), "samples: the page differs the second time")
    check_readme_chart(results, page, write)
    check_citation(results, page, two)

    one = scan(program, folder / "one.parquet", SAMPLES / "cc-robotstxt.warc.gz")
    run_report(one, pages / "one-crawl.html")
    page = check_page(results, "one crawl", pages / "one-crawl.html", one)
    results.check("The dataset has one crawl" in page.text and "<h2>Over time" in page.text, "one crawl: the page does not say so")
    check_records(results, "one crawl", page, [SAMPLES])

    months = folder / "months"
    for i, path in enumerate(sorted(SAMPLES.glob("cc-*.warc.gz"))):
        scan(program, months / f"month-{i}", path, "--crawl", f"MONTH-{i}")
    subprocess.run([program, "join", months], check=True, capture_output=True, timeout=100)
    run_report(months, pages / "joined.html", "--crawl", "MONTH-0")
    page = check_page(results, "joined", pages / "joined.html", months)
    results.check("robots.txt in MONTH-0" in page.text, "joined: another crawl")

    lists = folder / "lists"
    lists.mkdir(exist_ok=True)
    hosts = [row[0] for row in duckdb.execute(f"SELECT url_host_name FROM read_parquet('{two}/hosts/*/*.parquet') ORDER BY 1").fetchall()]
    (lists / "ranks.csv").write_text("".join(f"{i},{host}\n" for i, host in enumerate(hosts, 1) if "." in host))
    (lists / "labels.csv").write_text("host,label\n" + "".join(f"{host},{'news' if i % 2 else 'shops'}\n" for i, host in enumerate(hosts)))
    run_report(two, pages / "lists.html", "--ranks", str(lists / "ranks.csv"), "--labels", str(lists / "labels.csv"), "--agent", "ccbot",
               "--crawl", "CC-MAIN-2026-01-SAMPLE")
    page = check_page(results, "lists", pages / "lists.html", two)
    results.check(all(title in page.text for title in ("CCBot blocked by rank", "CCBot blocked by label")), "lists: no figures by rank and label")


def check_readme_chart(results, page, write):
    """The README shows the first chart of this page, with colours that follow the reader's."""
    chart = re.search(r"<svg[^>]* class=\"wide\".*?</svg>", page.text, re.DOTALL)[0]
    style = "<style>svg{color:#1b1b1f;background:#fff}@media (prefers-color-scheme:dark){svg{color:#ececf1;background:#17181c}}</style>"
    head, body = chart.split(">", 1)
    chart = f"{head}>{style}{body}\n"
    if write:
        README_CHART.write_text(chart, encoding="utf-8")
    results.check(README_CHART.exists() and README_CHART.read_text(encoding="utf-8") == chart, "the chart of the README differs: make report-test WRITE=--write")


def check_citation(results, page, dataset):
    connection = duckdb.connect()
    connection.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    for value in connection.execute("SELECT DISTINCT unnest([version, psl_version, agents_version]) FROM runs").fetchall():
        results.check(value[0] in page.text, f"the foot does not have '{value[0]}'")


def record(host, body, status="200 OK"):
    """Returns a request for robots.txt as a gzip member with a WARC record."""
    http = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n\r\n".encode() + body
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\nWARC-Date: 2026-01-05T00:00:00Z\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{abs(hash(host)) % 10**12:012}>\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http)}\r\n\r\n").encode()
    return gzip.compress(head + http + b"\r\n\r\n", mtime=0)


def odd_datasets(results, program, folder, pages):
    """Datasets with nothing to draw, and with hostile names."""
    empty = scan(program, folder / "empty.parquet", SAMPLES / "nothing.warc.gz")
    run_report(empty, pages / "empty.html")
    page = check_page(results, "empty", pages / "empty.html", empty)
    results.check("<svg" not in page.text, "empty: a chart without hosts")
    results.check(page.text.count("class=\"missing\"") >= 10, "empty: figures are not said to be missing")

    archive = folder / "no-ai.warc.gz"
    rules = [b"User-agent: *\nDisallow: /private\n", b"User-agent: *\nDisallow: /\n", b"", b"User-agent: AhrefsBot\nDisallow: /\n"]
    archive.write_bytes(b"".join(record(f"site{i}.example", rules[i % 4]) for i in range(40)))
    no_ai = scan(program, folder / "no-ai.parquet", archive)
    run_report(no_ai, pages / "no-ai.html")
    page = check_page(results, "no AI", pages / "no-ai.html", no_ai)
    for said in ("names an AI crawler of the registry", "blocks an AI crawler by name", "states a preference", "only to allow it everything"):
        results.check(said in page.text, f"no AI: the page does not say '{said}'")
    check_records(results, "no AI", page, [folder])

    archive = folder / "hostile.warc.gz"
    name = "<script>alert(1)</script>'\"&amp;"
    archive.write_bytes(b"".join(record(f"a{i}.example", f"User-agent: GPTBot\nDisallow: /\nContent-Signal: ai-train={name}\nUser-agent: {name}\nDisallow: /{name}\n".encode())
                                 for i in range(8)))
    hostile = scan(program, folder / "hostile.parquet", archive)
    run_report(hostile, pages / "hostile.html")
    page = check_page(results, "hostile", pages / "hostile.html", hostile)
    results.check("<script" not in page.text, "hostile: a name became an element")

    # 60 of 62 hosts are of one domain, which the page must say in words. Names in .example have no registered domain.
    archive = folder / "one-domain.warc.gz"
    archive.write_bytes(b"".join(record(f"blog{i}.example.net", b"User-agent: GPTBot\nDisallow: /\n") for i in range(60))
                        + record("x.example", b"User-agent: GPTBot\nDisallow: /\nAllow: /a\n") + record("y.example", b""))
    trap = scan(program, folder / "one-domain.parquet", archive)
    run_report(trap, pages / "one-domain.html")
    page = check_page(results, "one domain", pages / "one-domain.html", trap)
    results.check("▲ Hosts of the registered domain example.net are most of the hosts counted in block at least one AI crawler by name (100\u00a0%), "
                  "block GPTBot by name (100\u00a0%)" in page.text, "one domain: no warning")

    # A sample of at least five archives has intervals.
    parts = []
    for part in range(8):
        parts.append(folder / f"part-{part}.warc.gz")
        parts[-1].write_bytes(b"".join(record(f"p{part}-{i}.example", b"User-agent: GPTBot\nDisallow: /\n" if (part + i) % 3 else b"") for i in range(9)))
    sample = scan(program, folder / "sample.parquet", *parts, "--sample", "6", "--seed", "7")
    run_report(sample, pages / "sample.html")
    page = check_page(results, "sample", pages / "sample.html", sample)
    results.check("(95 % interval: " in page.text and "line: 95 % interval" in page.text, "sample: no interval")
    results.check("are a random sample" in page.text, "sample: the page does not say that it is one")


def errors(results, folder):
    """Errors have one line and a hint, and leave no page."""
    dataset, page = folder / "samples.parquet", folder / "none.html"
    (folder / "plain").mkdir(exist_ok=True)
    cases = [
        ((folder / "absent",), "does not exist", None),
        ((folder / "plain",), "has no views.sql", "hint: give the folder"),
        ((dataset, "--crawl", "CC-MAIN-2026-6"), "unknown crawl 'CC-MAIN-2026-6'", "CC-MAIN-2026-05-SAMPLE"),
        (("",), "is empty", "hint: name the folder"),
        ((dataset, "--agent", "GPTBot,CCBot"), "one crawler is expected", None),
        ((dataset, "--agent", "gptbto"), "unknown agent 'gptbto': the nearest are GPTBot", None),
        ((dataset, "--ranks", str(folder / "absent.csv")), "does not exist or is empty", None),
        ((dataset, "-o", str(folder / "absent" / "page.html")), "cannot write", None),
    ]
    for arguments, message, hint in cases:
        said = run_report(arguments[0], page, *arguments[1:], expected=2)
        lines = [line for line in said.splitlines() if not line.startswith("[") and " steps, " not in line]
        results.check(lines[0].startswith("error: ") and message in lines[0] and len(lines) == (2 if hint else 1), f"{arguments[1:]}: {said}")
        results.check(hint is None or hint in lines[-1], f"{arguments[1:]}: {said}")
        results.check(not list(folder.glob("none.html*")), f"{arguments[1:]}: a page was left")
    old = folder / "old.parquet"
    shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(dataset, old)
    views = (old / "views.sql").read_text(encoding="utf-8")
    (old / "views.sql").write_text(views.replace("'blocking_by_category'", "'blocking_by_kind'"), encoding="utf-8")
    said = run_report(old, page, expected=2)
    results.check("does not have the question blocking_by_category" in said and "hint: write it again with this version: robots-scan views" in said, said)
    moved = folder / "moved.parquet"
    shutil.rmtree(moved, ignore_errors=True)
    shutil.copytree(dataset, moved)
    run_report(moved, page)
    page.unlink()


def real(results, program, folder, pages):
    if not (REAL / "real").is_dir():
        print("skipped: the report of real archives, which are not available")
        return
    dataset = scan(program, folder / "real.parquet", REAL / "real", REAL / "crawl-shaped", "--relative-to", REAL)
    run_report(dataset, pages / "real.html")
    page = check_page(results, "real", pages / "real.html", dataset)
    results.check(check_records(results, "real", page, [REAL]) >= 30, "real: few records were read")
    crawls = [f"REAL-GOV-{month}" for month in ("2020-09", "2021-09", "2022-09", "2023-03", "2023-09", "2024-03", "2024-09", "2025-03")]
    run_report(dataset, pages / "real-2024.html", "--crawl", "REAL-2024", "--crawls", ",".join(crawls))
    page = check_page(results, "real 2024", pages / "real-2024.html", dataset)
    check_records(results, "real 2024", page, [REAL])
    results.check("soft112.com" in page.text and "27.2\u00a0%" in page.text and "3.9\u00a0%" in page.text, "real 2024: the trap of one domain is not shown")
    results.check("324 hosts that are decided in every crawl" in page.text, "real 2024: no panel")


def main():
    program, pages = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    results = Results()
    with tempfile.TemporaryDirectory() as folder:
        samples(results, program, Path(folder), pages, "--write" in sys.argv)
        odd_datasets(results, program, Path(folder), pages)
        errors(results, Path(folder))
        real(results, program, Path(folder), pages)
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
