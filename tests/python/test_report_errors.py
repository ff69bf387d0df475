"""Tests the errors of the report and its command line, and that it executes and reads nothing that a dataset of somebody else brings.

    python tests/python/test_report_errors.py target/debug/robots-scan
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

import duckdb
from robots_scan._terminal import escaped
from robots_scan.report.sections import headline
from source_runs import run as run_measured
from test_history_damage import restate
from test_hostile_lists import nested, write_footer
from test_hostile_values import MEMORY_BYTES, last_file, put_repeated
from test_report import COMMAND, ENVIRONMENT, PACKAGE, ROOT, SAMPLES, TWO_HOSTS, Page, Results, record, run, run_report, scan


def copy(dataset, folder):
    shutil.rmtree(folder, ignore_errors=True)
    return Path(shutil.copytree(dataset, folder))


def quoted(path):
    return "'" + str(path).replace("'", "'\"'\"'") + "'"


def errors(results, program, folder):
    """Errors have one line and a hint, and leave no page."""
    ranks = folder / "ranks.csv"
    ranks.write_text("1,r1.example\n")
    dataset, page = folder / "samples.parquet", folder / "none.html"
    (folder / "plain").mkdir(exist_ok=True)
    without_hosts = scan(program, folder / "no-hosts.parquet", SAMPLES / "cc-robotstxt.warc.gz", "--tables=groups,rules,sitemaps,directives,preferences,anomalies,robots_files,agents,runs,faults")
    broken = copy(dataset, folder / "broken.parquet")
    next((broken / "hosts").rglob("*.parquet")).write_bytes(b"PAR1")
    linked = copy(dataset, folder / "linked.parquet")
    (linked / "hosts/crawl=X").symlink_to(folder)
    cases = [
        ((folder / "absent",), "does not exist", None),
        (("",), "is empty", "hint: name the folder"),
        ((folder / "plain",), "it has no _manifest.jsonl", "hint: give the folder"),
        ((without_hosts,), "has no table host", "hint: scan again without --tables"),
        ((broken,), "cannot ", "robots-scan verify"),
        ((linked,), "hosts/crawl=X", None),
        ((dataset, "--crawl", "CC-MAIN-2026-6"), "unknown crawl 'CC-MAIN-2026-6'", "CC-MAIN-2026-05-SAMPLE"),
        ((dataset, "--agent", "CCBot,gptbto"), "unknown agent 'gptbto': the nearest are GPTBot", None),
        ((dataset, "--agent", "*"), "the name of a crawler is expected", None),
        ((dataset, "--agent", "gptbto"), "unknown agent 'gptbto': the nearest are GPTBot", None),
        ((dataset, "--ranks", str(folder / "absent.csv")), "does not exist or is empty", None),
        ((dataset, "--labels", str(ranks)), "expected the header", None),
        ((dataset, "-o", str(folder / "absent" / "page.html")), "its folder does not exist", None),
        ((dataset, "-o", str(folder)), "it is a folder", None),
    ]
    for arguments, message, hint in cases:
        said = run_report(arguments[0], page, *arguments[1:], expected=[2])
        lines = said.splitlines()
        results.check(len(lines) == (2 if hint else 1) and lines[0].startswith("error: ") and message in lines[0] and "any_name" not in said, f"{arguments[1:]}: {said}")
        results.check(hint is None or hint in lines[-1], f"{arguments[1:]}: {said}")
        results.check(not list(folder.glob("none.html*")), f"{arguments[1:]}: a page was left")
    # The name of a column is not UTF-8, nor is the message of DuckDB.
    unnamed = copy(dataset, folder / "unnamed.parquet")
    for path in (unnamed / "rules").rglob("*.parquet"):
        path.write_bytes(path.read_bytes().replace(b"is_repeated", b"is_repeat\xc2d"))
    for command, *options in (("report", "-o", page), ("site", "-o", folder / "no-site"), ("describe",)):
        done = run([COMMAND, command, unnamed, *options])
        lines = done.stderr.splitlines()
        results.check(done.returncode == 2 and len(lines) <= 2 and lines[0].startswith("error: ") and not (folder / "no-site").exists(), f"{command} of a name of a column: {done}")
    said = run([COMMAND, "report", dataset, "-o", page], SOURCE_DATE_EPOCH="yesterday").stderr
    results.check(said == "error: SOURCE_DATE_EPOCH is not a number of seconds: 'yesterday'\n", said)
    # A dataset may be moved, have blanks in its name, and be named by its views.sql.
    moved = copy(dataset, folder / "it's moved.parquet")
    run_report(moved / "views.sql", page, sections=[headline])
    results.check(f"duckdb -init {quoted(moved / 'views.sql')}" in Page(page.read_text()).footer_commands, "a name with blanks is not quoted")
    page.unlink()


def of_somebody_else(results, program, folder):
    """Nothing that comes with a dataset is executed, and nothing outside it is read or written."""
    user = folder / "user"
    user.mkdir()
    (user / "key").write_text("the key of the user")
    write = f"COPY (SELECT 'x') TO '{user}/written'; "
    hostile = scan(program, folder / "hostile's [d].parquet", *sorted(SAMPLES.glob("cc-*.warc.gz")))
    with (hostile / "views.sql").open("a") as views:
        views.write(f"{write}CREATE OR REPLACE MACRO crawls() AS TABLE SELECT content AS crawl, 1 AS hosts, 1 AS archives_read, 1 AS archives_listed, "
                    f"false AS is_sample, 1 AS position FROM read_text('{user}/key');\n")
    page = folder / "hostile-page.html"
    run_report(hostile, page, sections=[headline])
    results.check("the key of the user" not in page.read_text() and "robots.txt in CC-MAIN-2026-05-SAMPLE" in page.read_text(), "views.sql of a dataset was executed")
    # Texts where the tables have numbers and names, and a line break after which a label would be SQL for readers of the page.
    text = f"1; {write}-- ' OR 1=1; {write}-- \n{write}"
    for table, columns in (("hosts", ["rules_robots_id"]), ("preferences", ["pref_key", "mechanism"]), ("agents", ["token", "operator"]), ("runs", ["version"])):
        changed = copy(hostile, folder / f"changed-{table}.parquet")
        for path in (changed / table).rglob("*.parquet"):
            new = ", ".join(f"{literal(text)} AS {column}" for column in columns)
            duckdb.sql(f"COPY (SELECT * REPLACE ({new}) FROM read_parquet({literal(path)}, hive_partitioning = false)) TO {literal(folder / 'new')} (FORMAT parquet)")
            (folder / "new").replace(path)
        page.unlink(missing_ok=True)
        run_report(changed, page, expected=(0, 2))
        queries = Page(page.read_text()).queries if page.exists() else []
        statements = [[statement.type.name for statement in duckdb.extract_statements(query)] for query in queries]
        results.check(all(names == ["SELECT"] for names in statements), f"{table}: a query for records has other statements: {statements}")
    results.check(sorted(path.name for path in user.iterdir()) == ["key"], f"files were written: {list(user.iterdir())}")
    # Neither the views nor SQL of a reader opens other files, once the dataset is open.
    script = ("import sys; from robots_scan._terminal import CommandError; from robots_scan.report.dataset import Dataset; dataset = Dataset(sys.argv[1])\n"
              "for sql in sys.argv[2:]:\n try: print(dataset.rows(sql))\n except CommandError as error: print(error)")
    done = run([sys.executable, "-c", script, hostile, f"FROM read_text('{user}/key')", write, "SET enable_external_access = true", "SELECT count(*) AS n FROM hosts"])
    lines = done.stdout.splitlines()
    results.check(len(lines) == 4 and all("disabled by configuration" in line for line in lines[:2]) and "configuration has been locked" in lines[2]
                  and lines[3].startswith("[{'n': "), f"files outside: {done}")


def hostile_files(results, program, folder):
    """A file with large values or a deep schema, whose digest the manifest states, is refused before DuckDB reads it."""
    kinds = {"repeated": ("robots_files", lambda path: put_repeated(path, "url")), "nested": ("rules", lambda path: write_footer(path, nested("robots_id", 1000)))}
    for kind, (table, put) in kinds.items():
        changed = copy(folder / "two-hosts.parquet", folder / f"{kind}.parquet")
        path = last_file(changed, table)
        put(path)
        if kind == "repeated":
            restate(program, changed, path)
        for command, *options in (("report", "-o", folder / "none.html"), ("site", "-o", folder / "no-site"), ("describe",)):
            ran = run_measured(COMMAND, command, changed, *options, is_measured=True)
            lines = ran.stderr.splitlines()
            results.check(ran.code == 2 and len(lines) == 2 and lines[0].startswith("error: ")
                          and (path.name in lines[0] or command == "describe"), f"{command} of {kind}: {ran.stderr}")
            results.check(ran.memory_bytes <= MEMORY_BYTES, f"{command} of {kind}: {ran.memory_bytes >> 20} MiB")
    # DuckDB has a limit of its own for what tables can grow to in a query.
    script = ("import sys; from robots_scan._terminal import CommandError; from robots_scan.report.dataset import Dataset; dataset = Dataset(sys.argv[1])\n"
              "try: dataset.rows(f'SELECT max(x) FROM (SELECT a.range::VARCHAR || repeat(chr(97), 10000) AS x FROM range(1000000) a ORDER BY x)')\n"
              "except CommandError as error: print(error)")
    ran = run_measured(sys.executable, "-c", script, folder / "two-hosts.parquet", is_measured=True)
    results.check(ran.code == 0 and "Out of Memory" in ran.stdout and ran.memory_bytes <= MEMORY_BYTES, f"{ran.memory_bytes >> 20} MiB: {ran.stdout}{ran.stderr}")


def literal(value):
    return "'" + str(value).replace("'", "''") + "'"


INTERRUPTED = """
import os, signal, sys, threading
# A shell that starts the tests in the background lets them ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
import robots_scan.report.__main__ as report
def interrupt_soon():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
def render(study, sections, converter):
    {}
report.render = render
sys.exit(report.main(sys.argv[1:]))
"""


def command_line(results, program, folder):
    """The installed command: its help, its usage errors, and its default page."""
    results.check(PACKAGE.is_relative_to(sys.prefix) and (PACKAGE / "report/page.html").is_file(), f"not the installed package: {PACKAGE}")
    done = run([COMMAND, "report", "--help"], COLUMNS="80")
    results.check(done.returncode == 0 and not done.stderr and done.stdout.startswith("usage: robots-scan report [OPTIONS] DATASET\n"), f"--help: {done}")
    results.check(max(map(len, done.stdout.splitlines())) <= 80, f"--help: a line is longer than 80 columns\n{done.stdout}")
    described = re.findall(r"^\| (?:`-\w`, )?`(--\w+)[^|]* \|", (ROOT / "docs/report.md").read_text(encoding="utf-8"), re.MULTILINE)
    in_help = [name for name in re.findall(r"^  (?:-\w(?: \w+)?, )?(--\w+)", done.stdout, re.MULTILINE) if name != "--help"]
    results.check(described == in_help and len(in_help) == 10, f"options of docs/report.md: {described}, of --help: {in_help}")

    foreign = folder / "mine.html"
    foreign.write_text("mine", encoding="utf-8")
    for options, code in (([], 2), (["--overwrite", "-q"], 0), (["-q"], 0)):
        said = run_report(folder / "two-hosts.parquet", foreign, *options, expected=[code], sections=[headline])
        results.check((foreign.read_text(encoding="utf-8") == "mine") == (code == 2), f"a page of somebody else, {options}")
        results.check("was not written by robots-scan" in said if code else not said, f"a page of somebody else, {options}: {said}")

    help_hint = "for more information, try '--help'"
    cases = [
        ([], "no dataset is given", "robots-scan report out.parquet"),
        (["--agnt", "CCBot"], "unexpected argument '--agnt' found", "a similar argument exists: '--agent'"),
        (["absent", "--crawls=A", "--sed=2"], "unexpected argument '--sed' found", "a similar argument exists: '--seed'"),
        # A part of a name is not its abbreviation.
        (["absent", "--lab", "x.csv"], "unexpected argument '--lab' found", "a similar argument exists: '--labels'"),
        (["absent", "--json"], "unexpected argument '--json' found", help_hint),
        (["absent", "another"], "unexpected argument 'another' found", help_hint),
        (["absent", "--agent"], "option '--agent': expected one argument", help_hint),
        (["absent", "--seed", "one"], "option '--seed': 'one' is not a whole number", help_hint),
        (["absent"], "the dataset 'absent' does not exist", None),
        (["ab\n\x1b[1msent"], "the dataset 'ab\\n\\x1b[1msent' does not exist", None),
    ]
    for arguments, message, hint in cases:
        done = run([COMMAND, "report", *arguments], folder)
        expected = f"error: {message}\n" + (f"hint: {hint}\n" if hint else "")
        results.check((done.returncode, done.stdout, done.stderr) == (2, "", expected), f"{arguments}: {done}")

    # The program and the commands in Python escape the same characters. An argument has up to 128 KiB, and no NUL.
    points = [chr(i) for i in range(1, 0x110000) if not 0xd800 <= i < 0xe000]
    for text in ("".join(points[i:i + 30_000]) for i in range(0, len(points), 30_000)):
        done = subprocess.run([program, "views", f"x{text}"], capture_output=True, timeout=60)
        results.check(escaped(f"x{text}'") in done.stderr.decode(), f"escapes of {ord(text[0]):#x} and so on: {done.stderr[:80]}")
    results.check([escaped(char) for char in "\0\ud800\udfff"] == ["\\x00", "\\u{d800}", "\\u{dfff}"], "escapes of NUL and surrogates")

    done = run([COMMAND, "report", folder / "two-hosts.parquet", "--agent", "ccbot"], folder)
    results.check(done.returncode == 0 and not done.stdout and "\ntwo-hosts-ccbot.html: " in done.stderr and (folder / "two-hosts-ccbot.html").exists(), f"default page: {done}")
    # An interrupted report leaves the page of an earlier one as it is. The query would last for hours.
    page = folder / "two-hosts-ccbot.html"
    before = page.read_bytes()
    for interrupt in ("raise KeyboardInterrupt", "interrupt_soon(); study.dataset.rows('SELECT sum(hash(r.range)) FROM range(1000000000000) r')"):
        done = run([sys.executable, "-c", INTERRUPTED.format(interrupt), folder / "two-hosts.parquet", "--agent", "CCBot"], folder)
        results.check(done.returncode == 3 and done.stderr.endswith("\nerror: interrupted; nothing was written\n"), f"{interrupt}: {done}")
        results.check(page.read_bytes() == before and not list(folder.glob("*.partial")), f"{interrupt}: the page was changed, or a part was left")
    # The name of the page is allowed, but not the longer one under which it is written first.
    said = run_report(folder / "two-hosts.parquet", folder / ("x" * 250), expected=[3], sections=[headline])
    results.check(said.endswith(f"\nerror: cannot write '{folder}/{'x' * 250}': file name too long\n"), f"a page that cannot be written: {said}")


def without_extra(results, folder):
    """Without the packages of the extra `report`, the report says what to install, and other commands work."""
    bare = folder / "bare"
    venv.create(bare, symlinks=True)
    site_packages = next(bare.glob("lib/python*/site-packages"))
    for part in (PACKAGE, *PACKAGE.parent.glob("robots_scan-*.dist-info")):
        site_packages.joinpath(part.name).symlink_to(part)
    bare_python = bare / "bin/python"
    done = run([bare_python, "-m", "robots_scan", "--version"])
    results.check(done.returncode == 0 and done.stdout.startswith("robots-scan "), f"without the extra: {done}")
    commands = [([bare_python, "-m", "robots_scan"], r"\w+")]
    # An import that ends like that of a package that is not installed.
    extras = tomllib.loads((ROOT / "src/python/pyproject.toml").read_text())["project"]["optional-dependencies"]
    needed = " ".join(map(shlex.quote, extras["report"]))
    block = "import sys; sys.modules[sys.argv.pop(1)] = None; from robots_scan.__main__ import main; sys.exit(main())"
    commands += [([sys.executable, "-c", block, name], name) for name in ("duckdb", "jinja2", "markupsafe", "vl_convert")]
    for command, name in commands:
        done = run([*command, "report", folder / "samples.parquet"], folder)
        expected = rf"error: report needs the package '{name}'\nhint: pip install {re.escape(needed)}\n"
        results.check(done.returncode == 2 and not done.stdout and re.fullmatch(expected, done.stderr) is not None, f"without {name}: {done}")
    results.check(not (folder / "samples.html").exists(), "without the extra: a page was written")


def main():
    program, results = Path(sys.argv[1]).resolve(), Results()
    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scan(program, folder / "samples.parquet", *sorted(SAMPLES.glob("cc-*.warc.gz")))
        archive = folder / "two-hosts.warc.gz"
        archive.write_bytes(b"".join(record(host, body) for host, body in TWO_HOSTS))
        scan(program, folder / "two-hosts.parquet", archive)
        errors(results, program, folder)
        of_somebody_else(results, program, folder)
        hostile_files(results, program, folder)
        command_line(results, program, folder)
        without_extra(results, folder)
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
