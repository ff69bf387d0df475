"""Tests the extension of DuckDB: the same answers as the command line, in several versions, and no abort on hostile input.

    python tests/python/test_duckdb_extension.py target/debug/robots-scan target/duckdb/robots_scan.duckdb_extension FOLDER [--campaign]

FOLDER has virtual environments duckdb-VERSION, in each of which the extension is loaded; versions before 1.2 must refuse it. The answers of the
reference parser and those of peers are compared if ../shared/data is there. `robots_panic` is a function of builds for tests.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from base64 import b64decode
from pathlib import Path

import duckdb

from test_runner import run, share

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "../shared/data"
FILE = "User-agent: *\nDisallow: /x\nContent-Usage: train-ai=n\nUser-agent: Googlebot\nAllow: /\nCrawl-delay: 1\n"
AGENTS = ["GPTBot", "Googlebot-News", "AdsBot-Google", "MJ12bot", "*", "a b"]
DIALECTS = ["default", "google", "rfc9309", "koster1996"]

# One call of each function, with an answer for the file above.
CALLS = [
    ("robots_allowed(body, 'a', 'https://h/x')", False),
    ("robots_allowed(body::BLOB, 'a', '/y', 'koster1996')", True),
    ("robots_line(body, 'a', '/x')", 2),
    ("robots_line(body, 'a', '/y')", None),
    ("robots_verdict(body, 'a')", "partial"),
    ("robots_verdict(body, 'googlebot')", "allow_all"),
    ("robots_preference(body, 'a', '/y', 'train-ai', TIMESTAMP '2026-01-01')", "disallowed"),
    ("robots_preference(body, 'a', '/x', 'train-ai', TIMESTAMP_MS '2026-01-01', 'google')", "not_crawlable"),
    ("robots_verdict(body, 'a', 404)", "allow_all"),
    ("robots_verdict(body, 'a', 301, 'koster1996')", "unknown"),
    ("robots_line(body, 'a', '/x', 200)", 2),
    ("robots_line(body, 'a', '/x', 503::SMALLINT)", None),
    ("robots_allowed(body, 'a', '/x', 503::BIGINT)", False),
    ("robots_preference(body, 'a', '/y', 'train-ai', TIMESTAMP '2026-01-01', 302)", None),
    ("robots_lines(body)[2]", {"line": 2, "kind": "disallow", "key": "Disallow", "value": "/x", "group": 1, "anomalies": []}),
    ("robots_lines(body)[6].anomalies", ["unsupported_directive"]),
    ("robots_body('a\\\\\\xFF', false)", b"a\\\xff"),
    ("robots_body('a\\\\', true)", b"a\\\\"),
    ("whole_name('GPTBot/1.0')", "gptbot"),
    ("url_surtkey('http://www.example.com:8080/A?b=c')", "com,example:8080)/a?b=c"),
    ("surt_host_name('http://www.example.com/')", "com,example"),
    ("surt_host_name('example')", None),
    ("(SELECT operator FROM robots_agents() WHERE agent = 'gptbot')", "OpenAI"),
]

# Executed in other versions: loads the extension and prints the answers.
PROBE = """
import duckdb, json, sys
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
try:
    connection.execute(f"LOAD '{sys.argv[1]}'")
except duckdb.Error as error:
    sys.exit(f"refused: {error}")
for call in json.loads(sys.argv[2]):
    print(repr(connection.execute(f"SELECT {call} FROM (SELECT ? AS body)", [sys.argv[3]]).fetchone()[0]))
"""


def connect(extension, **settings):
    """Returns a connection with the extension."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", **settings})
    connection.execute(f"LOAD '{extension}'")
    return connection


class Tests:
    """The tests."""

    def __init__(self, program, extension, environments, folder, is_campaign):
        self.program, self.extension, self.environments, self.folder, self.is_campaign = program, extension, environments, folder, is_campaign
        self.connection = connect(extension)

    def ask(self, sql, *parameters):
        return self.connection.execute(sql, parameters).fetchall()

    def error(self, sql, *parameters):
        """Returns the error of a query, after which the connection still answers."""
        try:
            self.connection.execute(sql, parameters).fetchall()
        except duckdb.Error as error:
            assert self.ask("SELECT robots_allowed('', 'a', '/')") == [(True,)]
            return str(error)
        raise AssertionError(f"no error: {sql}")

    def test_each_function_answers(self):
        for call, expected in CALLS:
            found = self.ask(f"SELECT {call} FROM (SELECT ? AS body)", FILE)
            assert found == [(expected,)], f"{call}: {found}"

    def test_other_versions_of_duckdb(self):
        expected = "".join(f"{answer!r}\n" for _, answer in CALLS)
        tried = sorted(self.environments.glob("duckdb-*/bin/python"))
        if not tried:
            print("skipped: other versions of DuckDB, which `make readers` installs")
        for python in tried:
            calls = json.dumps([call for call, _ in CALLS])
            ran = subprocess.run([python, "-c", PROBE, self.extension, calls, FILE], capture_output=True, text=True, check=False)
            version = python.parents[1].name.removeprefix("duckdb-")
            if tuple(map(int, version.split("."))) < (1, 2):
                assert ran.returncode == 1 and ran.stderr.startswith("refused"), f"{version}: {ran.stderr}"
            else:
                assert ran.stdout == expected, f"{version}: {ran.stdout}{ran.stderr}"

    def test_the_command_line_of_duckdb(self):
        command = Path(sys.executable).with_name("duckdb")
        sql = f"LOAD '{self.extension}'; SELECT robots_verdict(E'User-agent: *\\nDisallow: /', 'GPTBot') AS v;"
        ran = subprocess.run([command, "-unsigned", "-json", "-c", sql], capture_output=True, text=True, check=True)
        assert json.loads(ran.stdout) == [{"v": "disallow_all"}], ran.stdout

    def test_the_answers_of_the_command_line(self):
        """`match` and the tables have the same answers, for all captures of a dataset whose own body decides."""
        inputs = DATA / "real" if (DATA / "real").exists() else ROOT / "data-samples/warc"
        dataset, urls = self.folder / "dataset", self.folder / "urls.parquet"
        subprocess.run([self.program, inputs, "-o", dataset, "-q", "--with-bodies"], stderr=subprocess.DEVNULL, check=False)
        self.connection.execute((dataset / "views.sql").read_text(encoding="utf-8"))
        self.connection.execute(
            f"COPY (SELECT DISTINCT regexp_extract(url, '^[a-z]+://[^/]+') || coalesce(path, '/p') AS url FROM robots_files LEFT JOIN "
            f"(SELECT crawl, robots_id, any_value(path) AS path FROM rules WHERE path LIKE '/%' GROUP BY ALL) USING (crawl, robots_id) "
            f"WHERE url LIKE 'http%') TO '{urls}'")
        compared = 0
        for dialect in DIALECTS:
            answers = self.folder / f"{dialect}.parquet"
            command = [self.program, "match", dataset, "--urls", urls, "--dialect", dialect, "-o", answers, "-q", "--category", "train-ai"]
            subprocess.run([*command, "--agent", ",".join(AGENTS[:3])], check=True)
            rows, differ = self.ask(
                f"SELECT count(*), count(*) FILTER (m.access <> CASE WHEN robots_allowed(f.b, m.agent, m.url, $1) THEN 'allowed' ELSE 'disallowed' END "
                f"OR m.line_no IS DISTINCT FROM robots_line(f.b, m.agent, m.url, $1) "
                f"OR m.preference <> robots_preference(f.b, m.agent, m.url, 'train-ai', f.fetch_time, $1)) "
                f"FROM '{answers}' m JOIN (SELECT crawl, robots_id, fetch_time, robots_body(body, is_valid_utf8) AS b FROM robots_files "
                f"WHERE content_truncated IS NULL) f USING (crawl, robots_id) WHERE m.basis <> 'http_status' AND m.access <> 'unknown'", dialect)[0]
            assert differ == 0, f"{dialect}: {differ} of {rows} answers differ"
            compared += rows
        columns = [("verdict", "default"), *((f"verdict_{dialect}", dialect) for dialect in DIALECTS[1:])]
        for column, dialect in columns:
            rows, differ = self.ask(
                f"SELECT count(*), count(*) FILTER (v.{column} <> robots_verdict(robots_body(f.body, f.is_valid_utf8), v.agent, $1)) FROM robots_files f "
                f"JOIN verdicts v USING (crawl, robots_id) WHERE f.is_valid_utf8 AND f.content_truncated IS NULL AND v.{column} <> 'unknown'", dialect)[0]
            assert differ == 0, f"{column}: {differ} of {rows} differ"
            compared += rows
        keys = self.ask("SELECT count(*), count(*) FILTER (url_surtkey IS DISTINCT FROM url_surtkey(url) OR surt_host_name IS DISTINCT FROM "
                        "surt_host_name(url)) FROM robots_files")[0]
        assert keys[1] == 0, f"{keys[1]} of {keys[0]} keys differ"
        lines = self.ask("SELECT count(*) FROM (SELECT crawl, robots_id, unnest(robots_lines(robots_body(body, is_valid_utf8)), recursive := true) "
                         "FROM robots_files WHERE content_class IN ('rules', 'no_rules')) l JOIN rules r ON (l.crawl, l.robots_id, l.line) = (r.crawl, "
                         "r.robots_id, r.line_no) WHERE l.value IS DISTINCT FROM r.path_raw OR l.key <> r.key_raw OR l.group IS DISTINCT FROM r.group_no")
        assert lines == [(0,)], f"{lines} lines differ"
        print(f"{compared:,} answers and {keys[0]:,} keys are those of the command line")

    def test_the_answers_of_the_python_package(self):
        """They are the same, for all bodies of the samples. There, times are texts."""
        try:
            import robots_scan.duckdb
        except ModuleNotFoundError:
            print("skipped: the Python package, which `make dev-wheel` installs")
            return
        other = duckdb.connect()
        robots_scan.duckdb.register(other)
        shared = {name for (name,) in other.execute("SELECT function_name FROM duckdb_functions() WHERE function_name LIKE 'robots_%'").fetchall()}
        calls = [(call, expected) for call, expected in CALLS if call.partition("(")[0] in shared and not re.search(r"'google'\)|'koster1996'\)", call)]
        assert len(calls) > len(shared) == 4, calls
        for call, expected in calls:
            call = re.sub(r"TIMESTAMP\w* ('.*?')", r"\1", call)
            found = other.execute(f"SELECT {call} FROM (SELECT ? AS body)", [FILE]).fetchall()
            assert found == [(expected,)], f"{call}: {found}"
        dataset = self.folder / "bodies"
        subprocess.run([self.program, ROOT / "data-samples/warc", "-o", dataset, "-q", "--with-bodies"], stderr=subprocess.DEVNULL, check=False)
        query = (
            "SELECT crawl, robots_id, agent, robots_verdict(b, agent), robots_allowed(b, agent, p), robots_preference(b, agent, p, 'train-ai', {time}) "
            "FROM (SELECT crawl, robots_id, fetch_time, robots_body(body, is_valid_utf8) AS b FROM robots_files) JOIN (SELECT crawl, robots_id, "
            "coalesce(max(path), '/p') AS p FROM robots_files LEFT JOIN rules USING (crawl, robots_id) GROUP BY ALL) USING (crawl, robots_id), "
            "unnest(?) a (agent) ORDER BY ALL")
        answers = []
        for connection, time in (connect(self.extension), "fetch_time"), (other, "fetch_time::VARCHAR"):
            connection.execute((dataset / "views.sql").read_text(encoding="utf-8"))
            answers.append(connection.execute(query.format(time=time), [AGENTS[:4]]).fetchall())
        assert len(answers[0]) > 1_000, len(answers[0])
        assert answers[0] == answers[1], next((pair for pair in zip(*answers) if pair[0] != pair[1]), "their numbers")

    def test_the_answers_of_the_reference_parser(self):
        if not DATA.exists():
            print("skipped: answers of the reference parser and of peers, which are not available")
            return
        # The reference parser has no limit of the size of a body, and takes a list for a name.
        rows, differ = self.ask(
            f"SELECT count(*), count(*) FILTER (a.allowed <> robots_allowed(f.b, a.agent, a.url, 'google') "
            f"OR a.line_no <> coalesce(robots_line(f.b, a.agent, a.url, 'google'), 0)) FROM '{DATA}/oracle/access.parquet' a JOIN "
            f"(SELECT warc_filename AS archive, warc_record_offset, robots_body(body, is_valid_utf8) AS b FROM robots_files) f "
            f"USING (archive, warc_record_offset) WHERE octet_length(f.b) <= 512000 "
            f"AND regexp_full_match(a.agent, '[\\w .!+-]*[*]?(/[\\w.]*)?')")[0]
        assert rows > 100_000 and differ == 0, f"{differ} of {rows} answers differ"
        cases = [json.loads(line) for line in (DATA / "oracle/cases.jsonl").read_text(encoding="utf-8").splitlines()]
        self.connection.execute("CREATE TEMP TABLE cases (body BLOB, agent VARCHAR, url VARCHAR, allowed BOOLEAN, line INTEGER)")
        texts = [(b64decode(case["robots_b64"]), case["agent"], b64decode(case["url_b64"]), case["allowed"], case["line"]) for case in cases]
        texts = [(body, agent, url.decode(), *answer) for body, agent, url, *answer in texts if url.isascii()]
        self.connection.executemany("INSERT INTO cases VALUES (?, ?, ?, ?, ?)", texts)
        differ = self.ask("FROM cases WHERE allowed <> robots_allowed(body, agent, url, 'google') OR line <> coalesce(robots_line(body, agent, url, "
                          "'google'), 0) LIMIT 3")
        assert not differ, f"of {len(texts)} cases: {differ}"
        self.peer_cases()

    def peer_cases(self):
        """`check` has the same answers for the cases of peers, whatever they expect."""
        cases = [json.loads(line) for path in sorted((DATA / "peer-cases").glob("*.jsonl")) for line in path.open(encoding="utf-8")]
        compared = 0
        for number, case in enumerate(share(cases, 1 / 40, self.is_campaign)):
            body = b64decode(case["robots_txt_b64"]) if case["robots_txt"] is None else case["robots_txt"].encode()
            agent, url = case["agent"], case["url"]
            if isinstance(agent, list) or not agent or "\0" in url or url.startswith("-") or not url.isprintable():
                continue
            path = self.folder / f"{number}.txt"
            path.write_bytes(body)
            ran = subprocess.run([self.program, "check", path, "--agent", agent, "--url", url, "--json"], capture_output=True, text=True, check=False)
            if ran.returncode > 1:
                continue  # The command line refuses what is no name.
            access = json.loads(ran.stdout)["agents"][0]["urls"][0]["access"]
            found = self.ask("SELECT robots_allowed(?, ?, ?)", body, agent, url)[0][0]
            assert found == (access == "allowed"), f"{case}"
            compared += 1
        assert compared > 20, compared

    def test_node_and_r(self):
        """Executes how the documentation loads the extension, and a query."""
        if not self.is_campaign:
            print("skipped: Node and R, except in a campaign")
            return
        page = (ROOT / "docs/functions.md").read_text(encoding="utf-8")
        sql = "SELECT robots_verdict('', 'GPTBot') AS v"
        programs = {
            "js": (["node", "load.mjs"], f'console.log((await connection.runAndReadAll("{sql}")).getRows()[0][0]);'),
            "r": (["Rscript", "load.r"], f'cat(DBI::dbGetQuery(con, "{sql}")$v)'),
        }
        for language, (command, query) in programs.items():
            load = re.search(rf"```{language}\n(.*?)```", page, re.DOTALL)[1].replace("robots_scan.duckdb_extension", str(self.extension))
            (self.folder / command[1]).write_text(load + query, encoding="utf-8")
            if language == "js":
                subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "@duckdb/node-api@1.5.6-r.1"], cwd=self.folder, check=True)
            elif not shutil.which("Rscript") or subprocess.run([*command[:1], "-e", "library(duckdb)"], stderr=subprocess.DEVNULL, check=False).returncode:
                print("skipped: R, which has no package duckdb")
                continue
            ran = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True)
            assert ran.stdout.split()[-1] == "allow_all", ran.stdout

    def test_the_queries_of_the_documentation(self):
        dataset = self.folder / "samples"
        inputs = sorted((ROOT / "data-samples/warc").glob("cc-*.warc.gz"))
        subprocess.run([self.program, *inputs, "-o", dataset, "-q", "--with-bodies"], check=True)
        connection = connect(self.extension)
        connection.execute((dataset / "views.sql").read_text(encoding="utf-8"))
        page = (ROOT / "docs/functions.md").read_text(encoding="utf-8")
        queries = [query for block in re.findall(r"```sql\n(.*?)```", page, re.DOTALL) for query in block.strip().split(";\n") if not query.startswith("LOAD")]
        rows = [connection.execute(query.rstrip(";")).fetchall() for query in queries]
        assert len(rows) == 8 and all(rows[:4] + rows[5:]), rows
        described = set(re.findall(r"`(\w+)\(", page))
        asked = set(re.findall(r"(\w+)\(", " ".join(call for call, _ in CALLS)))
        assert described == asked, described ^ asked

    def test_calls_have_the_answers_of_all_engines(self):
        sys.path.append(str(ROOT / "src/python/tests"))
        import calls

        query = "SELECT robots_allowed(?, ?, ?, ?::BIGINT)"
        for call in calls.CALLS:
            parameters = (call.body, call.agent, call.url, call.status)
            if isinstance(call.answer, str):
                assert call.answer in self.error(query, *parameters), call
            else:
                assert self.ask(query, *parameters) == [(call.answer,)], call

    def test_null_gives_null(self):
        for call, _ in CALLS:
            name, _, rest = call.partition("(")
            if name in ("", "robots_lines"):
                continue
            arguments = rest.rstrip(")").split(", ")
            if any(argument[0].isdigit() for argument in arguments):
                continue  # A body may be null beside a status, and the reverse.
            for i, argument in enumerate(arguments):
                # A null without a type could be a status.
                null = "NULL::VARCHAR" if argument.startswith("'") else "NULL"
                nulls = ", ".join([*arguments[:i], null, *arguments[i + 1 :]])
                assert self.ask(f"SELECT {name}({nulls}) FROM (SELECT ? AS body)", FILE) == [(None,)], nulls
        rows = "(SELECT CASE WHEN i % 3 > 0 THEN ? END AS body, CASE WHEN i % 5 > 0 THEN 'a' END AS agent FROM range(5000) t(i))"
        found = self.ask(f"SELECT count(robots_allowed(body, agent, '/x')), count(robots_lines(body)), count(*) FROM {rows}", FILE)
        assert found == [(2667, 3333, 5000)], found

    def test_errors_name_what_is_wrong(self):
        assert "there is no dialect 'rfc' (hint: choose from default, google, rfc9309, koster1996)" in self.error("SELECT robots_verdict('', 'a', 'rfc')")
        assert "there is no category 'x'" in self.error("SELECT robots_preference('', 'a', '/', 'x', TIMESTAMP '2026-01-01')")
        assert "robots_scan has a bug: it is asked for" in self.error("SELECT robots_panic('a') FROM range(10)")
        lines = "SELECT len(robots_lines(repeat('a:' || chr(10), ?))) FROM range(?)"
        # The anomaly of the whole file is an item of its own.
        assert self.ask(lines, 250_000, 1) == [(250_001,)]
        assert "a robots.txt has more than 250,000 lines" in self.error(lines, 250_001, 1)
        assert "more than 1,000,000 lines together" in self.error(lines, 10_000, 101)
        assert len(self.ask(lines, 400, 2000)) == 2000
        for odd in (*AGENTS, "", "\n", "é" * 1000):
            self.ask("SELECT robots_allowed(?, ?, '/'), robots_verdict(?, ?, 'rfc9309')", FILE, odd, FILE, odd)

    def test_hostile_values(self):
        bodies = [b"\xff" * 1000, b"\0" * 1000, b"User-agent: *\nDisallow: /" + b"*a" * 100_000, b"Disallow: /\n" * 200_000, bytes(range(256)) * 500,
                  b"User-agent: " + b"a" * 5_000_000]
        for body in bodies:
            self.ask("SELECT robots_allowed(?, 'a', '/aaaa'), robots_verdict(?, 'a', 'rfc9309'), len(robots_lines(?))", body, body, body)
        large = b"User-agent: *\nDisallow: /x\n" + b"#" * (100 << 20)
        assert self.ask("SELECT robots_allowed(?, 'a', '/x'), octet_length(robots_body(?, false))", large, "\\\\" * 1_000_000) == [(False, 1_000_000)]
        for text in ("x" * 5_000_000, "\\xFF" * 1_000_000, "http://" + "a." * 1_000_000, "http://[::1/", "é"):
            self.ask("SELECT whole_name($1), url_surtkey($1), surt_host_name($1), octet_length(robots_body($1, false))", text)

    def test_many_rows_on_eight_threads(self):
        connection = connect(self.extension, threads=8, memory_limit="200MB")
        query = "SELECT count(*) FILTER (robots_allowed(CASE WHEN i % 7 = 0 THEN ? ELSE 'User-agent: a' || i % 1000 END, 'a' || i % 3, '/x')) FROM range(?) t(i)"
        assert connection.execute(query, [FILE, 16_000_000]).fetchone() == (13_714_285,)
        lists = "SELECT sum(len(robots_lines(?))) FROM range(200_000)"
        try:
            assert connection.execute(lists, [FILE * 20]).fetchone() == (24_000_000,)
        except duckdb.OutOfMemoryException:
            pass

    def test_little_memory_is_an_error_of_sql(self):
        """An exception that DuckDB throws while answers are written passes through the extension, in every version."""
        query = "SELECT max(url_surtkey('http://h/' || repeat('x', 200000) || i)), max(robots_lines(repeat('a: b' || chr(10), 1000))) FROM range(600) t(i)"
        probe = PROBE.partition("for call")[0] + (
            "connection.execute(\"SET memory_limit = '60MB'\")\n"
            "try:\n    connection.execute(sys.argv[2]).fetchall()\nexcept duckdb.Error as error:\n    print(type(error).__name__)\n"
            "print(connection.execute(\"SELECT robots_verdict('', 'a')\").fetchone()[0])")
        for python in [Path(sys.executable), *sorted(self.environments.glob("duckdb-*/bin/python"))]:
            ran = subprocess.run([python, "-c", probe, self.extension, query], capture_output=True, text=True, check=False)
            is_refused = ran.returncode == 1 and ran.stderr.startswith("refused")
            assert is_refused or ran.returncode == 0 and ran.stdout.endswith("allow_all\n"), f"{python}: {ran.returncode} {ran.stderr}"

    def test_errors_are_of_rows_that_are_asked_for(self):
        self.connection.execute("CREATE OR REPLACE TABLE dialects AS SELECT CASE WHEN i % 2 = 0 THEN 'rfc9309' ELSE 'none' END AS d FROM range(5000) t(i)")
        found = self.ask("SELECT count(CASE WHEN d = 'rfc9309' THEN robots_verdict('User-agent: b', 'a', d) END) FROM dialects")
        assert found == [(2500,)], found

    def test_an_interrupt_ends_a_query(self):
        connection = connect(self.extension)
        timer = threading.Timer(1, connection.interrupt)
        timer.start()
        began = time.monotonic()
        try:
            connection.execute("SELECT count(*) FILTER (robots_allowed('User-agent: ' || i, 'a', '/x')) FROM range(10_000_000_000) t(i)").fetchall()
            raise AssertionError("the query was not interrupted")
        except duckdb.InterruptException:
            assert time.monotonic() - began < 30
        assert connection.execute("SELECT robots_allowed('', 'a', '/')").fetchone() == (True,)


def main():
    program, extension = (Path(argument).resolve() for argument in sys.argv[1:3])
    environments = Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(bool(run(Tests(program, extension, environments, Path(folder), "--campaign" in sys.argv))))


if __name__ == "__main__":
    main()
