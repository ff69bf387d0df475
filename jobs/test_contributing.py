"""Tries the recipes of CONTRIBUTING.md in a copy of the repository, and executes the commands of the page.

    python jobs/test_contributing.py

The copy is target/trial: the files of the working tree, and the dependencies in target/debug, so that only the packages of this project
are compiled, most without optimization. It is removed at the end. A trial has edits, which follow a recipe, and a check that they had their
effect. The edits of all trials are made before one build, because compiling takes most of the time. Then each command of the page is
executed once, and each check. Only the documents are tried before, with the program as it is, whose output they show. These fail: a
recipe without a trial, a trial without a recipe, an edit whose place is not in its file once, and a filter for which no test runs.

Commands are code spans and lines of code blocks that begin with `make`, `cargo` or `.venv-test/`. Those in ELSEWHERE are looked up only.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from test_documents import FENCE, ROOT, joined

COPY = ROOT / "target/trial"
PAGE = "CONTRIBUTING.md"
DOCUMENTS = "Change the documentation"
PROGRAM = "target/debug/robots-scan"
INPUTS = ["data-samples/warc/trial.warc", "data-samples/warc/cc-robotstxt.warc.gz", "data-samples/warc/cc-robotstxt-later.warc.gz"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not re.match("CARGO_TARGET_DIR|CARGO_BUILD|MAKE|MFLAGS|ROBOTS_SCAN_", name)} | {
    "CARGO_NET_OFFLINE": "true", "PYTHONDONTWRITEBYTECODE": "1"}

# Commands that are not executed here, by their first words, and the reason.
ELSEWHERE = {
    "make": "builds for release", "make check": "a step of its own", "make test": "a step of its own", "make test-all": "a step of its own",
    "make campaign": "takes minutes", "make benches": "takes minutes", "make report-test": "a step of make test-all", "make report-errors": "a step of make test-all",
    "make pages": "needs a browser (make test-all)", "make site-test": "needs a browser (make test-all)",
    "make recipes": "a step of make test-all", "make answers": "a step of make test-all",
    "cargo bench": "builds for release", ".venv-test/bin/python jobs/test_queries.py": "takes a minute; the trial executes what is about its question"}

# `make` uses the programs that this test has built. `cargo run` would build them again, with the features of one package.
CARGO = """#!/bin/sh
case "$1 $2 $3" in
"run --locked --") shift 3; exec target/debug/robots-scan "$@";;
"xtask "*) shift; exec target/debug/xtask "$@";;
*) exec cargo "$@";;
esac
"""

# How the packages of this project are compiled. None of it changes how dependencies are compiled.
SETTINGS = "\n[build]\nincremental = false\n" + "".join(
    f"[profile.dev.package.{name}]\nopt-level = 0\ndebug = false\n"
    for name in ("robots-scan", "robots-scan-capture", "robots-scan-columns", "robots-scan-crawlers", "robots-scan-urls", "robots-scan-escapes", "robots-scan-tables", "robots-scan-dataset", "robots-scan-disk", "robots-scan-scan",
                 "robots-scan-answers", "robots-scan-history", "robots-scan-hosts", "robots-scan-keep", "robots-scan-python", "robots-scan-remote", "robots-scan-sort", "robots-scan-sources", "xtask"))

# The file of the trial of a rule: its misspelt key has no effect before the trial.
MISSPELT = r"user-agent : a\ndisallwo: /x\n"

SAMPLE = """[[sample]]
file = "robots/trial.txt"
why = "A trial."
origin = "written for this project"
licence = "Apache-2.0 OR MIT"
lines = 4
user_agents = 1
allow = 0
disallow = 1
sitemaps = 0
unknown = 0
typos = 0
missing_colons = 0
too_long = 0
cases = [{ agent = "FooBot", url = "http://example.com/x", allowed = false, line = 2 }]

[[sample]]
file = "warc/trial.warc"
why = "A trial."
origin = "written for this project"
licence = "Apache-2.0 OR MIT"
records = { warcinfo = 1, response = 3 }
captures = 3
faults = 0
crawl = "SAMPLES-2026"
subset = "warc"
sound = true
exit = 0

"""

QUESTION = """-- How many hosts does a crawl have?
--
-- Denominator: hosts that were captured.
-- Pitfall: this is a trial.
CREATE OR REPLACE MACRO trial_hosts(crawl := NULL) AS TABLE
WITH checked AS MATERIALIZED (
    SELECT check_hosts('captured', crawl) AS is_known
),
answer AS (
    SELECT h.crawl, count(*) AS hosts FROM hosts_with('captured', crawl := crawl) h GROUP BY h.crawl
)
SELECT s.*
FROM checked k
LEFT JOIN answer s ON true
WHERE s.crawl IS NOT NULL OR NOT k.is_known
ORDER BY s.crawl DESC;

FROM trial_hosts();
"""

TABLE = '''//! The table `trials`.

use crate::table;
use super::line_no_value;
use super::record_rows::RowInput;

table! { per_capture "One row per capture of a trial." {
    robots_id: Long, "The capture.";
    line_no: Int null, "The line number.";
}}

impl Builder {
    /// Adds a row.
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        self.robots_id.append_value(capture.analysis.robots_id);
        self.line_no.append_option(line_no_value(None));
        self.end_rows(1);
    }
}
'''

FIGURE = '''
def trial(study):
    source, rows = study.ask("outcome_funnel", crawl=study.crawl)
    figure = Figure("trial", "A trial", sources=[source], has_rule_sets=False)
    figure.rows = [share_row(row, row["outcome"], evidence.hosts("captured", study.crawl)) for row in rows]
    figure.columns = columns_of(figure.rows, "response", SHARES)
    return figure
'''

# The report without the module in Rust and without the library for charts, over the questions of a dataset.
REPORT = """
import sys, types
for name, content in {'robots_scan': {'__path__': ['src/python/robots_scan']}, 'robots_scan._native': {}, 'vl_convert': {}}.items():
    sys.modules[name] = module = types.ModuleType(name)
    module.__dict__.update(content)
sys.modules['robots_scan']._native = sys.modules['robots_scan._native']
sys.path.insert(0, 'jobs')
import importlib, report_numbers
sections = importlib.import_module('robots_scan.report.sections.templates')
from dataset import opened
crawl = 'CC-MAIN-2026-05-SAMPLE'
answer = opened('target/trial.parquet').sql(f"FROM outcome_funnel(crawl := '{crawl}')")
rows = [dict(zip(answer.columns, row)) for row in answer.fetchall()]
figure = sections.trial(types.SimpleNamespace(crawl=crawl, ask=lambda name, **arguments: (name, rows)))
label_of, columns = report_numbers.FIGURES[figure.key]
assert [row['label'] for row in figure.rows] == [label_of(row, None) for row in rows] and rows
assert all(column.header in {*columns, 'response'} for column in figure.columns), figure.columns
"""

SITE = """
import sys, types
for name, content in {'robots_scan': {'__path__': ['src/python/robots_scan']}, 'robots_scan._native': {}}.items():
    sys.modules[name] = module = types.ModuleType(name)
    module.__dict__.update(content)
sys.modules['robots_scan']._native = sys.modules['robots_scan._native']
sys.path.insert(0, 'jobs')
import importlib
from dataset import opened
tables = importlib.import_module('robots_scan.site.tables')
connection = opened('target/trial.parquet')
connection.execute("ATTACH ':memory:' AS site")
source = types.SimpleNamespace(is_history=False, rows=connection.execute)
tables.make_crawls(source)
tables.make_trial(source)
found = connection.execute('SELECT crawl, twice FROM site.trial ORDER BY ALL').fetchall()
assert found and found == connection.execute('SELECT crawl, 2 * count(*) FROM hosts GROUP BY ALL ORDER BY ALL').fetchall(), found
"""

# The checks of pages, without a browser.
PAGES = """
import sys, types
sys.modules['playwright'] = types.ModuleType('playwright')
sys.modules['playwright.sync_api'] = types.SimpleNamespace(Error=None, sync_playwright=None)
sys.path.insert(0, 'jobs')
import test_pages
assert 'trial' in test_pages.CHECKS and 'trial' in test_pages.PAGE_CHECKS
assert set().union(*(defect[3] for defect in test_pages.DEFECTS)) == set(test_pages.CHECKS)
for name, old, new, *_ in test_pages.DEFECTS: test_pages.page_with(old, new)
"""

# The answers to the new question: on hand-made rows, on paper, and by another computation.
ANSWERS = """
import sys
sys.path.insert(0, 'jobs')
import test_queries, test_truth, test_independent
from pathlib import Path
from tempfile import TemporaryDirectory
tests = test_queries.Tests()
test_queries.test_shares = lambda *arguments: None
test_queries.test_page(tests, True)
test_queries.SMALL_ANSWERS = {call: answer for call, answer in test_queries.SMALL_ANSWERS.items() if call == 'trial_hosts()'}
test_queries.test_answers(tests)
assert test_queries.SMALL_ANSWERS and not tests.failed
answers = test_truth.answers.ANSWERS
answers[:] = [answer for answer in answers if answer.question == 'q47']
with TemporaryDirectory() as folder:
    test_truth.Tests(Path('target/debug/robots-scan').resolve(), Path(folder)).test_the_answers_over_a_joined_folder_are_those_of_paper()
own = test_independent
questions = own.Questions(own.Crawls(own.read_captures(own.ARCHIVES)), own.read_registry(own.REGISTRY), None)
found = own.rows_of_macro(own.opened('target/trial.parquet'), 'trial_hosts', {})
own.assert_equal(questions.trial_hosts(), [row for row in found if row['crawl'] != 'SAMPLES-2026'], 'trial_hosts')
"""


def query(sql):
    """Returns the rows of a query over the dataset of the copy."""
    connection = duckdb.connect()
    connection.execute((COPY / "target/trial.parquet/views.sql").read_text(encoding="utf-8"))
    return connection.sql(sql).fetchall()


def run(*command, stdin=None, codes=(0,)):
    """Runs a command in the copy, which must end with one of these exit codes, and returns its output."""
    done = subprocess.run([str(word) for word in command], cwd=COPY, env=ENVIRONMENT, input=stdin, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1800)
    assert done.returncode in codes, f"exit code {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def text(path):
    return (COPY / path).read_text(encoding="utf-8")


def access(program):
    """Returns the answer of a program to the case of the trial of a rule."""
    shown = run(program, "check", "-", "--agent", "a", "--url", "/x", "--json", stdin=MISSPELT.replace("\\n", "\n"), codes=(0, 1))
    return json.loads(shown)["agents"][0]["urls"][0]["access"]


def record(number, kind, url, block):
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-01-05T12:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number:036}>\r\n{url}"
            f"Content-Length: {len(block)}\r\n")
    return f"{head}\r\n{block}\r\n\r\n"


def archive():
    """An archive of three hosts."""
    http = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent : *\nDisallow : /private/\n"
    url = "WARC-Target-URI: https://{}.example/robots.txt\r\nContent-Type: application/http; msgtype=response\r\n"
    return record(1, "warcinfo", "", "isPartOf: SAMPLES-2026\r\n") + "".join(
        record(number, "response", url.format(host), http) for number, host in enumerate(("one", "two", "three"), 2))


def sample():
    golden = "tests/golden/samples.sha1"
    assert text(golden) != (ROOT / golden).read_text(encoding="utf-8"), "the archive does not change the golden digests"


def anomaly():
    assert "trial_body" in text("schemas/anomalies.md") and "trial_capture" in text("schemas/anomalies.md")
    assert "trial_body" in run(PROGRAM, "check", "data-samples/robots/trial.txt", codes=(0, 1))
    assert query("SELECT DISTINCT url FROM anomalies JOIN robots_files USING (crawl, robots_id) WHERE code = 'trial_capture'") == [("https://two.example/robots.txt",)]


def column():
    assert "is_root BOOLEAN NOT NULL" in text("schemas/rules.sql")
    assert query("SELECT is_root, count(*) > 0 FROM rules WHERE is_root = (path = '/') GROUP BY ALL ORDER BY ALL") == [(False, True), (True, True)]
    assert query("SELECT count(*) FROM rules WHERE is_root <> (path = '/')") == [(0,)]


def question():
    run(sys.executable, "-c", ANSWERS)
    assert "| `trial_hosts` |" in text("docs/queries.md")


def table():
    assert query("SELECT count(*) FROM trials") == query("SELECT count(*) FROM robots_files")
    run(PROGRAM, "verify", "target/trial.parquet")


def registry():
    assert "trialbot" in run(PROGRAM, "agents").lower()
    assert query("SELECT operator FROM agents WHERE agent = 'trialbot'") == [("Trial",)]


def rule():
    assert [access(ROOT / PROGRAM), access(PROGRAM)] == ["allowed", "disallowed"], "the case does not depend on the changed rule"


def report():
    run(sys.executable, "-c", REPORT)


def site():
    run(sys.executable, "-c", SITE)


def pages():
    run(sys.executable, "-c", PAGES)


def documents():
    assert "unchanged; 2 parts" in text("docs/operations.md"), "the output was not written"


# By recipe: the check, and the edits: file, a text in it or None for a new file, and the text that replaces it, in which § is the old text.
TRIALS = {
    "Add a sample": (sample, [
        ("data-samples/robots/trial.txt", None, "User-agent : *\nDisallow : /x\n# trial\n"),
        ("data-samples/warc/trial.warc", None, archive()),
        ("data-samples/index.toml", '[[sample]]\nfile = "warc/cc-robotstxt.warc.gz"', SAMPLE + "§")]),
    "Add an anomaly": (anomaly, [
        ("src/robots/anomaly.rs", '    PartialBom, "partial_bom"', '    TrialBody, "trial_body", Info, false, "A trial.";\n§'),
        ("src/robots/anomaly.rs", "    #[test]\n    fn codes_are_distinct_lower_case_words() {",
         "    #[test]\n    fn the_comment_of_a_trial_is_an_anomaly() {\n        let mut parser = crate::Parser::new();\n"
         '        assert_eq!(parser.parse(b"# trial\\n").anomalies()[0].kind, AnomalyKind::TrialBody);\n    }\n\n§'),
        ("src/robots/parse/file_checks.rs", "(is_utf16, AnomalyKind::Utf16),", '§ (self.body.ends_with(b"# trial\\n"), AnomalyKind::TrialBody),'),
        ("src/capture/anomaly.rs", '    BadUrl, "bad_url"', '    TrialCapture, "trial_capture", Info, "A trial.";\n§'),
        ("src/capture/lib.rs", "let mut anomalies = Vec::new();\n        if target.url.is_none() {",
         '§            anomalies.push(CaptureAnomalyKind::BadUrl);\n        }\n        if target.raw == b"https://two.example/robots.txt" {\n'
         "            anomalies.push(CaptureAnomalyKind::TrialCapture);\n        }\n        if false {")]),
    "Add a column": (column, [
        ("src/tables/rules.rs", "} derived {\n    path_bytes", '    is_root: Bool, "True if the path is `/`.";\n§'),
        ("src/tables/rules.rs", "        self.beyond_500kib\n",
         '        self.is_root.extend(lines.clone().map(|line| robots.text(line.value) == b"/"));\n§')]),
    "Add a question": (question, [
        ("jobs/queries/q47_trial_hosts.sql", None, QUESTION),
        ("src/tables/questions.rs", '    "q46_blocking_by_category"\n', '§    "q47_trial_hosts"\n'),
        ("jobs/truth/answers.py", "# ---- lists ---", 'answer("q47", "trial_hosts()", "crawl | hosts\\nold | 25\\nnew | 32")\n\n§'),
        ("jobs/independent/questions.py", "    def file_sizes(self):\n",
         '    def trial_hosts(self):\n        return self.each_crawl(lambda hosts: [{"hosts": len(hosts)}])\n\n§'),
        ("jobs/test_queries.py", "SMALL_ANSWERS = {\n", '§    "trial_hosts()": ("hosts", [(4,)]),\n')]),
    "Add a table": (table, [
        ("src/tables/trials.rs", None, TABLE),
        ("src/tables/table.rs", "    VERDICTS: verdicts, Part records;\n", "§    /// One row per capture of a trial.\n    TRIALS: trials, Part records;\n"),
        ("src/tables/lib.rs", "mod table;\n", "§mod trials;\n"),
        ("docs/tables.md", "### anomalies\n", "### trials\n\nA trial. [All columns](../schemas/trials.sql).\n\n§"),
        ("README.md", "- `groups`, `rules`", "- `groups`, `trials`, `rules`")]),
    "Update the registry of crawlers": (registry, [
        ("src/crawlers/agents.csv", "\nCCBot,", "\nTrialBot,Trial,seo,,A trial,Googlebot,false,false,OPR,,https://trial.example§"),
        ("src/crawlers/registry.rs", "assert_eq!(registry.crawlers.len(), 292);", "assert_eq!(registry.crawlers.len(), 293);")]),
    "Change a rule of a dialect": (rule, [
        ("tests/language/spec/google_syntax.rs", "mod s3_key_recognition {\n    use super::*;\n",
         f'§\n    #[test]\n    fn a_trial_is_a_misspelling() {{\n        assert!(!allowed("{MISSPELT}", "a", "/x"));\n    }}\n'),
        ("docs/developers/specifications.md", "| the table of keys | ", "§`a_trial_is_a_misspelling`, "),
        ("src/robots/parse/key.rs", '            b"disallaw",\n', '§            b"disallwo",\n'),
        ("tests/checks/oracle/lines.rs", '"diasllow", "disallaw"]', '"diasllow", "disallaw", "disallwo"]')]),
    "Change the report": (report, [
        ("src/python/robots_scan/report/sections/templates.py", "rule_sets(study)])\n", "rule_sets(study), trial(study)])\n\n" + FIGURE),
        ("jobs/report_numbers.py", "FIGURES = {\n", '§    "trial": (lambda row, token: row["outcome"], SHARES),\n')]),
    "Change the site": (site, [
        ("src/python/robots_scan/site/tables.py", "    make_crawls(source)\n", "§    make_trial(source)\n"),
        ("src/python/robots_scan/site/tables.py", "def make_crawls(source):\n",
         'def make_trial(source):\n    source.rows("CREATE TABLE site.trial AS SELECT k.crawl, 2 * k.hosts AS twice FROM site.crawls k")\n\n\n§')]),
    "Change an HTML page": (pages, [
        ("jobs/test_pages.py", '"labels", "pdf", "words")', '"labels", "pdf", "words", "trial")'),
        ("jobs/page_checks.js", "  const findings = [];\n", '§  if (document.querySelector("h1 > blink")) report("trial", "blinks", null);\n'),
        ("jobs/test_pages.py", "DEFECTS = (\n", '§    ("a trial", "</h1>", "<blink>x</blink></h1>", {"trial"}, ANY),\n')]),
    DOCUMENTS: (documents, [
        ("docs/operations.md", "unchanged; 2 parts", "unchanged; 3 parts")]),
}


def recipes():
    """Returns the text of each recipe by its heading; what is above the recipes is under the name of the page."""
    top, _, below = text(PAGE).partition("\n## Recipes\n")
    return {PAGE: top} | dict(part.split("\n", 1) for part in below.split("\n### ")[1:])


def commands_of(recipe):
    recipe = re.sub(r"^ {3}", "", recipe, flags=re.MULTILINE)
    blocks = [command for block in FENCE.finditer(recipe) for command in joined(block[2])]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCE.sub("", recipe))]
    return [command for command in blocks + spans if re.match(r"(make|cargo)( |$)|\.venv-test/", command)]


def copy_file(source, target):
    """Copies a file of target/debug. Compilers replace libraries, so these are linked, and write other files in place."""
    try:
        (os.link if source.endswith((".rlib", ".rmeta")) else shutil.copy2)(source, target)
    except FileNotFoundError:
        pass  # Another build removed it.


def not_copied(folder, names):
    """Returns what the copy does not need: programs of tests, and what only the folder of a build can use."""
    if Path(folder).name == "debug":
        return ["incremental", "examples"]
    return [name for name in names if Path(folder).name == "deps" and not Path(name).suffix]


def copy_repository():
    shutil.rmtree(COPY, ignore_errors=True)
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in {name for name in names.split("\0") if name and os.path.lexists(ROOT / name)}:
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, COPY / name, follow_symlinks=False)
    (COPY / ".venv-test").symlink_to(ROOT / ".venv-test")
    shutil.copytree(ROOT / "target/debug", COPY / "target/debug", copy_function=copy_file, ignore=not_copied)
    (COPY / ".cargo/config.toml").write_text(text(".cargo/config.toml") + SETTINGS, encoding="utf-8")
    (COPY / "target/cargo").write_text(CARGO, encoding="utf-8")
    (COPY / "target/cargo").chmod(0o755)


def apply(name, recipe):
    """Makes the edits of a trial. The recipe names each file or its folder, unless it is about all documents."""
    for path, old, new in TRIALS[name][1]:
        places = [f"`{path}`", f"]({path}", *(f"`{folder}/`" for folder in Path(path).parents)]
        assert name == DOCUMENTS or any(place in recipe for place in places), f"the recipe does not name {path}"
        if old is None:
            assert not (COPY / path).exists(), f"{path} exists"
            (COPY / path).write_text(new, encoding="utf-8")
            continue
        content = text(path)
        assert content.count(old) == 1, f"{path} has {content.count(old)} times: {old}"
        (COPY / path).write_text(content.replace(old, new.replace("§", old)), encoding="utf-8")


def execute(command):
    """Executes a command, or looks up what it names if it is one of ELSEWHERE."""
    words = shlex.split(command)
    is_elsewhere = " ".join(words[:2]) in ELSEWHERE
    if is_elsewhere and words[0] == "cargo":
        metadata = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1").partition("\n")[0])
        package, = [package for package in metadata["packages"] if package["name"] == words[words.index("-p") + 1]]
        benches = {target["name"] for target in package["targets"] if target["kind"] == ["bench"]}
        assert {value for option, value in zip(words, words[1:]) if option == "--bench"} <= benches, f"the benches are {sorted(benches)}"
    elif is_elsewhere and words[0] == "make":
        run("make", "-n", *words[1:])
        filters = [word.removeprefix("ONLY=") for word in words if word.startswith("ONLY=")]
        areas = ("--test", "language", "--test", "tables", "--test", "faults")
        assert not filters or ": test" in run("cargo", "test", "--locked", *areas, "--", "--list", *filters), "no test has this name"
    elif is_elsewhere:
        assert (COPY / words[1]).exists(), f"{words[1]} does not exist"
    elif words[0] == "make":
        # What writes the documents fails if it changes one.
        run(*words, f"PROGRAM={PROGRAM}", f"CARGO={COPY}/target/cargo", "-o", ".venv-test/ready", codes=(0, 2) if "WRITE=--write" in words else (0,))
    else:
        output = run(*words)
        if words[1:2] == ["test"]:
            tested = re.findall(r"^test (\S+).* \.\.\. ok$", output, re.MULTILINE)
            filters = words[words.index("--") + 1:] if "--" in words else words[-1:] if not words[-1].startswith("-") and words[-2] not in ("--test", "-p") else [""]
            for part in filters:
                assert any(part in name for name in tested), f"no test has '{part}' in its name"


def main():
    passed = failed = 0

    def attempt(name, action, *arguments):
        nonlocal passed, failed
        began, is_sound = time.monotonic(), False
        try:
            action(*arguments)
            is_sound = True
        except (AssertionError, OSError, ValueError, duckdb.Error, subprocess.SubprocessError) as error:
            print(f"FAILED {name}: {type(error).__name__}: {error}")
        passed += is_sound
        failed += not is_sound
        if action is not apply:
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
        return is_sound

    def try_all():
        parts = recipes()
        for name in sorted((parts.keys() ^ TRIALS.keys()) - {PAGE}):
            attempt(f"'{name}' is not both a recipe and a trial", run, "false")
        every = dict.fromkeys(command for part in parts.values() for command in commands_of(part))
        of_documents = [command for command in every if command.startswith("make documents")]
        for name in sorted(TRIALS, key=lambda name: name != DOCUMENTS):
            attempt(f"{name}: the edits", apply, name, parts.get(name, ""))
            for command in of_documents if name == DOCUMENTS else []:
                attempt(f"`{command}`", execute, command)
        if not attempt("the build", run, "cargo", "build", "--locked", "--tests", "--bins"):
            return
        # What writes files comes before what tests them.
        order = ("make schemas", "make golden", "make", ".venv", "cargo")
        others = [command for command in every if command not in of_documents]
        for command in sorted(others, key=lambda command: [command.startswith(prefix) for prefix in order].index(True)):
            attempt(f"`{command}`", execute, command)
        attempt("a scan", run, PROGRAM, *INPUTS, "-q", "-o", "target/trial.parquet")
        for name, (check, _) in TRIALS.items():
            attempt(name, check)

    try:
        if attempt("the copy", copy_repository):
            try_all()
    finally:
        shutil.rmtree(COPY, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
