"""Compares the output of `robots-scan verdicts` with the macro verdicts_of, in every column of every row.

Usage: test_crawler_verdicts.py PROGRAM DATASET...

Asked are all crawlers of the registry, '*' and a name that is not in the registry, of each dataset and of two crawls that are joined here.
Of a dataset of many hosts, these are the crawlers that ignore '*' or obey fallbacks, and every tenth of the others.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import test_runner
from dataset import opened

TIMEOUT_SECONDS = 600
SAMPLES = Path(__file__).resolve().parent.parent / "data-samples" / "warc"
OTHERS = ["*", "nobody-knows-it/1.0"]
SAME = ("crawl, surt_host_name, url_host_name, domain, agent, verdict, verdict_google, verdict_rfc9309, verdict_koster1996, basis, root_allowed, "
        "rules_crawl, rules_robots_id, evidence_line")


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)


class Tests:
    def __init__(self, program, datasets, folder):
        self.program, self.datasets, self.folder = program, datasets, folder
        self.joined = folder / "joined"
        for name in ("cc-robotstxt", "cc-robotstxt-later"):
            assert run(program, SAMPLES / f"{name}.warc.gz", "-q", "-o", self.joined / name).returncode == 0
        assert run(program, "join", self.joined, "-q").returncode == 0

    def write(self, dataset, agents, *options):
        """Writes the verdicts and returns the file."""
        out = self.folder / "verdicts.parquet"
        done = run(self.program, "verdicts", dataset, "--agent", ",".join(agents), "--any-name", "-o", out, "--overwrite", "-q", *options)
        assert done.returncode == 0, done.stderr
        return out

    def test_the_rows_are_those_of_the_macro(self):
        for dataset in [*self.datasets, self.joined]:
            connection = opened(dataset)
            hosts, = connection.execute("SELECT count(*) FROM hosts").fetchone()
            names = [name for (name,) in connection.execute(
                "SELECT agent FROM (SELECT *, row_number() OVER (ORDER BY agent) AS number FROM agents WHERE agent <> '*') WHERE ? < 1000 "
                "OR ignores_wildcard OR fallbacks IS NOT NULL OR number % 10 = 0", [hosts]).fetchall()] + OTHERS
            out = self.write(dataset, names)
            connection.execute(f"CREATE TABLE written AS FROM '{out}'")
            connection.execute(f"CREATE TABLE expected AS SELECT {SAME} FROM verdicts_of({names})")
            rows, = connection.execute("SELECT count(*) FROM written").fetchone()
            expected, = connection.execute("SELECT count(*) FROM expected").fetchone()
            assert rows == expected == hosts * len(names) > 0, f"{dataset}: {rows} rows of {hosts} hosts, {expected} expected"
            differing = connection.execute(f"SELECT {SAME} FROM expected EXCEPT ALL SELECT {SAME} FROM written LIMIT 3").fetchall()
            assert not differing, f"{dataset}: only expected: {differing}"
            print(f"{dataset}: {rows:,} rows compared")

    def test_means_are_the_shares_of_the_question(self):
        for dataset in [self.datasets[-1], self.joined]:
            connection = opened(dataset)
            out = self.write(dataset, ["GPTBot", "CCBot"])
            means = connection.execute(
                f"SELECT crawl, agent, count(by_name), round(avg(by_name::INTEGER), 6), round(avg(by_wildcard::INTEGER), 6), "
                f"round(avg(by_status::INTEGER), 6) FROM '{out}' GROUP BY crawl, agent ORDER BY ALL").fetchall()
            shares = connection.execute("SELECT crawl, agent, hosts, blocked_by_name, blocked_by_wildcard, blocked_by_status "
                                        "FROM share_of_hosts_blocking(agent := ['GPTBot', 'CCBot']) WHERE crawl IN (SELECT crawl FROM hosts) ORDER BY ALL").fetchall()
            assert means and means == shares, f"{dataset}: {means} instead of {shares}"

    def test_rows_are_in_the_order_of_crawls_hosts_and_crawlers(self):
        connection = opened(self.joined)
        out = self.write(self.joined, ["GPTBot", "CCBot", "gptbot/1.0"])
        expected = connection.execute(
            "SELECT h.crawl, h.surt_host_name, a.agent FROM hosts h CROSS JOIN (VALUES (1, 'gptbot'), (2, 'ccbot')) a(place, agent) "
            "ORDER BY h.host_id, a.place").fetchall()
        assert connection.execute(f"SELECT crawl, surt_host_name, agent FROM '{out}'").fetchall() == expected
        crawl = expected[-1][0]
        out = self.write(self.joined, ["GPTBot"], "--crawl", crawl)
        of_crawl = [row for row in expected if row[0] == crawl and row[2] == "gptbot"]
        assert connection.execute(f"SELECT crawl, surt_host_name, agent FROM '{out}'").fetchall() == of_crawl

    def test_two_runs_write_the_same_bytes(self):
        first = self.write(self.joined, ["GPTBot", "CCBot"]).read_bytes()
        assert self.write(self.joined, ["GPTBot", "CCBot"]).read_bytes() == first

    def test_refusals(self):
        out = self.write(self.joined, ["GPTBot"])
        foreign = self.folder / "foreign.parquet"
        foreign.write_text("mine")
        no_hosts = self.folder / "no-hosts"
        assert run(self.program, SAMPLES / "cc-robotstxt.warc.gz", "-q", "--tables=robots_files", "-o", no_hosts).returncode == 0
        new = self.folder / "new.parquet"
        for dataset, arguments, message in (
            (self.joined, ["-o", out], "verdicts.parquet"),
            (self.joined, ["-o", foreign, "--overwrite"], "foreign.parquet"),
            (self.joined, ["-o", self.folder / "verdicts.csv"], "the output is Parquet"),
            (self.joined, ["-o", new, "--crawl", "CC-MAIN-1999-01"], "CC-MAIN-1999-01"),
            (no_hosts, ["-o", new], "hosts"),
        ):
            done = run(self.program, "verdicts", dataset, "--agent", "GPTBot", *arguments)
            assert done.returncode == 2 and message in done.stderr, f"{arguments}: {done.returncode} {done.stderr}"
        assert foreign.read_text() == "mine" and not new.exists()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        return test_runner.run(Tests(str(Path(sys.argv[1]).resolve()), sys.argv[2:], Path(folder)))


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
