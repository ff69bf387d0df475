"""Tests that the mistakes of study_mistakes.py are those that it describes, beside the answers of the program.

Usage: test_study_mistakes.py PROGRAM
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import study_mistakes
from study_mistakes import read_as_data_provenance, read_as_robotstxt_experiments

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))
import test_runner  # noqa: E402

THREE = b"User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: ClaudeBot\nDisallow: /\n"
NAMES = ["gptbot", "ccbot", "claudebot"]
LATER_GROUP = b"User-agent: *\nDisallow: /private\n\n" + THREE


class Tests:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def exact(self, body):
        """Returns the verdicts of the program for NAMES."""
        path = self.folder / "robots.txt"
        path.write_bytes(body)
        ran = subprocess.run([self.program, "check", path, "--agent", ",".join(NAMES), "--json"], capture_output=True, timeout=60)
        return [agent["verdict"] for agent in json.loads(ran.stdout)["agents"]]

    def check(self, body, exact, experiments, provenance, is_corrected=False):
        """Compares the answers for NAMES; a name that a study does not find has the answer None."""
        answers = [read(body, is_corrected) for read in (read_as_robotstxt_experiments, read_as_data_provenance)]
        got = [self.exact(body)] + [[answer.get(name) for name in NAMES] for answer in answers]
        assert got == [exact, experiments, provenance], f"{body}: {got}"

    def test_a_later_group_with_several_names_applies_to_the_last_of_them_only(self):
        self.check(LATER_GROUP, ["disallow_all"] * 3, [None, None, "all"], ["none", "none", "all"])

    def test_the_corrected_readings_apply_it_to_all_names(self):
        self.check(LATER_GROUP, ["disallow_all"] * 3, ["all"] * 3, ["all"] * 3, is_corrected=True)

    def test_the_first_group_is_read_correctly(self):
        self.check(THREE, ["disallow_all"] * 3, ["all"] * 3, ["all"] * 3)

    def test_a_sitemap_or_crawl_delay_before_the_names_has_the_same_effect_in_one_study(self):
        for line in b"Sitemap: https://a.test/sitemap.xml\n", b"Crawl-delay: 5\n":
            self.check(line + THREE, ["disallow_all"] * 3, ["all"] * 3, ["none", "none", "all"])

    def test_cr_ends_no_line_in_one_study(self):
        self.check(THREE.replace(b"\n", b"\r"), ["disallow_all"] * 3, [None] * 3, ["all"] * 3)
        self.check(THREE.replace(b"\n", b"\r\n"), ["disallow_all"] * 3, ["all"] * 3, ["all"] * 3)

    def test_a_second_rule_makes_a_block_partial_in_one_study(self):
        for line in b"Disallow: /a\n", b"Disallow: /\n":
            self.check(THREE + line, ["disallow_all"] * 3, ["some"] * 3, ["all"] * 3)

    def test_rules_with_a_query_are_dropped_in_one_study(self):
        self.check(THREE + b"Allow: /a?b\n", ["partial"] * 3, ["some"] * 3, ["all"] * 3)
        body = THREE.replace(b"Disallow: /\n", b"Disallow: /?a\n")
        self.check(body, ["partial"] * 3, ["some"] * 3, ["none"] * 3)

    def test_a_block_with_a_wildcard_is_partial_in_both_studies(self):
        self.check(THREE.replace(b"/\n", b"*\n"), ["disallow_all"] * 3, ["some"] * 3, ["some"] * 3)

    def test_names_are_compared_in_any_case(self):
        body = b"User-agent: gptbot\nDisallow: /a\n\nUser-agent: GPTBOT\nDisallow: /\n"
        for read in read_as_robotstxt_experiments, read_as_data_provenance:
            assert read(body) == {"gptbot": "all"}, read(body)

    def test_bytes_of_bodies_are_restored(self):
        assert study_mistakes.body_bytes("a\\\\xe9 \\xE9\\x00", False) == b"a\\xe9 \xe9\x00"
        assert study_mistakes.body_bytes("a\\xE9", True) == b"a\\xE9"

    def scan(self, name, *options):
        """Scans an archive of five hosts of three domains, and returns the path of the dataset."""
        bodies = {
            "example.com": LATER_GROUP, "example.net": b"# \xe9\\\n" + LATER_GROUP, "x.example.net": THREE,
            "example.org": b"User-agent: CCBot\nDisallow: /\nAllow: /a?b\n", "d.example.org": None}
        archive = self.folder / "archive.warc"
        with archive.open("wb") as file:
            for number, (host, body) in enumerate(bodies.items()):
                status = b"200 OK" if body else b"404 Not Found"
                block = b"HTTP/1.1 " + status + b"\r\nContent-Type: text/plain\r\n\r\n" + (body or b"")
                head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\n"
                        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number:036}>\r\n"
                        f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n")
                file.write(head.encode() + block + b"\r\n\r\n")
        dataset = self.folder / name
        command = [self.program, "scan", archive, "-o", dataset, "--crawl", "C", "--subset", "robotstxt", "-q", *options]
        subprocess.run(command, check=True, timeout=60)
        return dataset

    def test_figures_of_a_dataset(self):
        con = study_mistakes.open_dataset(self.scan("with-bodies", "--with-bodies"))
        for_ai = study_mistakes.ai_names(con)
        assert set(NAMES) <= for_ai and "googlebot" not in for_ai
        hosts = list(study_mistakes.read_hosts(con, [], for_ai))
        columns = ["n", "named", "blocked", "share", "points", "relative", "missed", "invented"]
        for units, agent, reading, expected in (
                (hosts, "GPTBot", "exact", [5, 3, 3, 60, 0, 0, 0, 0]),
                (hosts, "GPTBot", "robotstxt-experiments", [5, 1, 1, 20, -40, -200 / 3, 2, 0]),
                (hosts, "GPTBot", "data-provenance", [5, 3, 1, 20, -40, -200 / 3, 2, 0]),
                (hosts, "GPTBot", "data-provenance corrected", [5, 3, 3, 60, 0, 0, 0, 0]),
                (hosts, "CCBot", "exact", [5, 4, 3, 60, 0, 0, 0, 0]),
                (hosts, "CCBot", "data-provenance", [5, 4, 2, 40, -20, -100 / 3, 2, 1]),
                (hosts, "any for AI", "robotstxt-experiments", [5, 4, 3, 60, 0, 0, 0, 0]),
                (hosts, "pairs for AI", "exact", [5, 10, 9, None, None, 0, 0, 0]),
                (hosts, "pairs for AI", "robotstxt-experiments", [5, 6, 5, None, None, -400 / 9, 4, 0]),
                (hosts, "pairs for AI", "data-provenance", [5, 10, 6, None, None, -100 / 3, 4, 1]),
                (study_mistakes.merge_domains(hosts), "GPTBot", "exact", [3, 2, 2, 200 / 3, 0, 0, 0, 0]),
                (study_mistakes.merge_domains(hosts), "GPTBot", "robotstxt-experiments", [3, 1, 1, 100 / 3, -100 / 3, -50, 1, 0])):
            row, = (row for row in study_mistakes.compare(units, ["GPTBot", "CCBot"], for_ai)
                    if (row["agent"], row["reading"]) == (agent, reading))
            got = [row[column] for column in columns]
            is_equal = all(a == b or None not in (a, b) and abs(a - b) < 1e-9 for a, b in zip(got, expected))
            assert is_equal, f"{agent}, {reading}, {len(units)} units: {got}"

    def test_the_command_prints_tables_and_lists_of_hosts(self):
        dataset = self.scan("printed", "--with-bodies")
        command = [sys.executable, study_mistakes.__file__, dataset]
        table = subprocess.run([*command, "--agent", "CCBot"], capture_output=True, text=True, check=True, timeout=60).stdout
        assert "C, by host" in table and "C, by registered domain" in table, table
        wrong = subprocess.run([*command, "--list", "CCBot"], capture_output=True, text=True, check=True, timeout=60).stdout
        assert [line.split("\t")[1:4] for line in wrong.splitlines()] == [
            ["com,example", "missed", "robotstxt-experiments, data-provenance"],
            ["net,example", "missed", "robotstxt-experiments, data-provenance"],
            ["org,example", "invented", "data-provenance"]], wrong

    def test_the_views_of_a_dataset_open_no_other_file(self):
        dataset, written = self.scan("of-somebody-else"), self.folder / "written.csv"
        with (dataset / "views.sql").open("a", encoding="utf-8") as views:
            views.write(f"COPY (SELECT 1) TO '{written}';\n")
        ran = subprocess.run([sys.executable, study_mistakes.__file__, dataset], capture_output=True, text=True, timeout=60)
        assert ran.returncode != 0 and "disabled by configuration" in ran.stderr, ran.stderr
        assert not written.exists()

    def test_a_dataset_without_bodies_is_refused(self):
        command = [sys.executable, study_mistakes.__file__, self.scan("without")]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 1 and "--with-bodies" in ran.stderr, ran.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    program = parser.parse_args().program.resolve()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(test_runner.run(Tests(program, Path(folder))) > 0)


if __name__ == "__main__":
    main()
