"""Tests jobs/annotation.sql: the file that it writes, and its join with a host index as cc-index-annotations joins them.

Usage: test_annotation.py PROGRAM DATASET

DATASET is one of data-samples, as `make run` writes it. The host index is made here, in the schema of Common Crawl's (version 2),
and the join is that of annotate.py, from the YAML files in jobs/annotation/.
"""

import argparse
import gzip
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import duckdb
import test_hosts
import test_runner
from dataset import opened
import yaml

ROOT = Path(__file__).resolve().parents[2]
ANNOTATION = ROOT / "jobs" / "annotation.sql"
YAML = ROOT / "jobs" / "annotation"
SAMPLES = ROOT / "data-samples" / "warc"
# The columns of crawlers, and the crawlers.
CRAWLERS = {name.lower().replace("-", "_"): name for name in (
    "Amazonbot", "Applebot-Extended", "Bytespider", "CCBot", "ClaudeBot", "Google-Extended", "Googlebot", "GPTBot",
    "meta-externalagent", "PerplexityBot")}
INTEGERS = """warc_record_length_av warc_record_length_median fetch_200 fetch_200_lote fetch_200_lote_pct fetch_3xx fetch_4xx fetch_5xx
    fetch_gone fetch_notModified fetch_other fetch_redirPerm fetch_redirTemp nutch_fetched nutch_fetched_pct nutch_gone nutch_gone_pct
    nutch_notModified nutch_notModified_pct nutch_numRecords nutch_redirPerm nutch_redirPerm_pct nutch_redirTemp nutch_redirTemp_pct
    nutch_unfetched nutch_unfetched_pct robots_200 robots_3xx robots_4xx robots_5xx robots_gone robots_notModified robots_other
    robots_redirPerm robots_redirTemp""".split()
DOUBLES = ["hcrank10", "prank10", "prank", "hcrank"]
NOT_CAPTURED = [("aaa,not-captured", "aaa"), ("com,not-captured,www2", "com"), ("zw,not-captured", "zw")]


def quoted(text):
    return "'{}'".format(str(text).replace("'", "''"))


def left_join(left, right, join):
    """Returns the view of annotate.py: all columns of the left table, and the right columns, by a left outer join."""
    columns = ", ".join(f'r."{column}"' for column in join["right_columns"])
    on = " AND ".join(f'l."{column}" = r."{column}"' for column in join["join_columns"])
    kind = {"OUTER": "LEFT OUTER", "INNER": "INNER"}[join.get("join_type", "OUTER")]
    return f"CREATE VIEW joined AS SELECT l.*, {columns} FROM {left} l {kind} JOIN {right} r ON ({on})"


class Tests:
    def __init__(self, program, dataset, folder):
        self.program, self.dataset, self.folder = program, dataset.resolve(), folder
        beside = Path(sys.executable).parent / "duckdb"
        self.duckdb = beside if beside.exists() else shutil.which("duckdb")
        self.con = opened(self.dataset)
        crawls = self.con.execute("SELECT crawl, max(host_id) AS last FROM hosts GROUP BY crawl ORDER BY last").fetchall()
        self.crawls = [crawl for crawl, _ in crawls]
        assert len(self.crawls) > 2, self.crawls
        self.last = self.write("last")
        self.columns = {name: kind for name, kind, *_ in self.con.execute(f"DESCRIBE FROM {quoted(self.last)}").fetchall()}

    def run(self, name, crawl=None, dataset=None):
        """Runs the command of the documentation in a folder of its own, and returns it with what was written."""
        folder = self.folder / name
        folder.mkdir()
        command = [self.duckdb, "-init", Path(dataset or self.dataset) / "views.sql"]
        if crawl is not None:
            command += ["-c", f"SET VARIABLE crawl = {quoted(crawl)}"]
        ran = subprocess.run([*command, "-c", f".read {ANNOTATION}"], cwd=folder, capture_output=True, text=True, timeout=120,
                             env={**os.environ, "HOME": str(folder)})
        return folder, ran

    def write(self, name, crawl=None, dataset=None):
        folder, ran = self.run(name, crawl, dataset)
        assert ran.returncode == 0, ran.stderr
        assert [path.name for path in folder.iterdir()] == ["robotstxt.parquet"], list(folder.iterdir())
        return folder / "robotstxt.parquet"

    def check_hosts(self, con, path, crawl):
        """Every host of the crawl has one row, and rows are in the order of the bytes of their names."""
        rows = con.execute(f"SELECT surt_host_name, crawl FROM read_parquet({quoted(path)}, file_row_number = true) ORDER BY file_row_number")
        rows = rows.fetchall()
        names = [name for name, _ in rows]
        expected = [name for name, in con.execute("SELECT surt_host_name FROM hosts WHERE crawl = ?", [crawl]).fetchall()]
        assert names == sorted(expected, key=str.encode), f"{crawl}: {len(names)} rows for {len(expected)} hosts, or another order"
        assert len(names) == len(set(names)) and {c for _, c in rows} <= {crawl}, crawl

    def check_verdicts(self, con, path, crawl):
        """The columns of each crawler are those of verdicts_for, row by row."""
        expected = sorted(con.execute(
            "SELECT agent, surt_host_name, verdict, CASE WHEN verdict <> 'unknown' THEN verdict = 'disallow_all' AND basis = 'explicit' END, "
            f"evidence_line FROM verdicts_for({list(CRAWLERS.values())}) WHERE crawl = ?", [crawl]).fetchall())
        columns = [f"robotstxt_{column}{end}" for column in CRAWLERS for end in ("", "_blocked_by_name", "_line")]
        rows = con.execute(f"SELECT surt_host_name, {', '.join(columns)} FROM {quoted(path)}").fetchall()
        got = sorted((name.lower(), row[0], *row[3 * i + 1:3 * i + 4]) for row in rows for i, name in enumerate(CRAWLERS.values()))
        assert got == expected, f"{crawl}: {[pair for pair in zip(got, expected) if pair[0] != pair[1]][:3]}"

    def check_counts(self, con, path, crawl):
        """The other columns of rules, computed again from the tables of captures and not from host_verdicts."""
        ai = {agent for agent, *categories in con.execute("SELECT agent, category, category2 FROM agents").fetchall()
              if any((category or "").startswith("ai_") for category in categories)}
        rows = con.execute(
            f"""SELECT a.surt_host_name, robotstxt_n_named, robotstxt_n_ai_named, robotstxt_n_ai_blocked_by_name,
                robotstxt_training_preference, robotstxt_wildcard, robotstxt_wildcard_basis, robotstxt_is_decided, h.crawl,
                h.rules_robots_id, h.has_named_rows
            FROM {quoted(path)} a JOIN hosts h USING (crawl, surt_host_name)""").fetchall()
        verdicts, stated = defaultdict(list), defaultdict(set)
        for *key, agent, verdict in con.execute(
                "SELECT crawl, robots_id, agent, verdict FROM verdicts WHERE basis = 'explicit' AND agent <> '*'").fetchall():
            verdicts[tuple(key)].append((agent, verdict))
        for *key, allow in con.execute(
                "SELECT crawl, robots_id, allow FROM preferences WHERE pref_key IN ('ai-train', 'train-ai') AND is_valid "
                "AND allow IS NOT NULL").fetchall():
            stated[tuple(key)].add(allow)
        for host, named, ai_named, blocked, preference, wildcard, basis, is_decided, *key, has_rows in rows:
            key = tuple(key)
            assert is_decided == (wildcard != "unknown"), host
            assert preference == {frozenset(): None, frozenset([True]): "yes", frozenset([False]): "no"}.get(frozenset(stated[key]), "both"), host
            if not is_decided and basis == "http_status":
                expected = (None, None, None)
            else:
                of_ai = [verdict for agent, verdict in verdicts[key] if agent in ai]
                expected = (len(verdicts[key]), len(of_ai), of_ai.count("disallow_all")) if has_rows else (None, None, None)
            assert (named, ai_named, blocked) == expected, f"{crawl}, {host}: {named, ai_named, blocked} instead of {expected}"

    def test_the_file_has_every_host_of_the_last_crawl_in_time_once_and_in_order(self):
        self.check_hosts(self.con, self.last, self.crawls[-1])

    def test_every_crawl_of_a_dataset_with_several(self):
        for number, crawl in enumerate(self.crawls):
            path = self.write(f"crawl-{number}", crawl)
            self.check_hosts(self.con, path, crawl)
            self.check_verdicts(self.con, path, crawl)
            self.check_counts(self.con, path, crawl)

    def test_random_datasets_with_redirects_and_revisits(self):
        of_other_captures = undecided = 0
        for seed in range(4):
            folder = self.folder / f"random-{seed}"
            folder.mkdir()
            dataset = test_hosts.random_dataset(self.program, random.Random(seed), seed, folder)
            con = opened(dataset)
            for number, (crawl,) in enumerate(con.execute("SELECT DISTINCT crawl FROM hosts ORDER BY ALL").fetchall()):
                path = self.write(f"random-{seed}-{number}", crawl, dataset)
                self.check_hosts(con, path, crawl)
                self.check_verdicts(con, path, crawl)
                self.check_counts(con, path, crawl)
                wrong = con.execute(
                    f"""SELECT count(*) FROM {quoted(path)} a JOIN hosts h USING (crawl, surt_host_name)
                    JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
                    WHERE (robotstxt_url, robotstxt_fetch_time, robotstxt_warc_filename, robotstxt_warc_record_offset)
                        IS DISTINCT FROM (r.url, r.fetch_time, r.warc_filename, r.warc_record_offset)""").fetchone()[0]
                assert wrong == 0, f"seed {seed}, {crawl}: {wrong} records of other captures"
                counts = con.execute(
                    f"""SELECT count(*) FILTER (h.rules_robots_id <> h.authoritative_robots_id), count(*) FILTER (NOT robotstxt_is_decided)
                    FROM {quoted(path)} a JOIN hosts h USING (crawl, surt_host_name)""").fetchone()
                of_other_captures, undecided = of_other_captures + counts[0], undecided + counts[1]
        # A comparison of nothing would prove nothing.
        assert of_other_captures and undecided, (of_other_captures, undecided)

    def test_records_and_lines_lead_to_the_evidence(self):
        rows = self.con.execute(
            f"""SELECT surt_host_name, robotstxt_url, robotstxt_warc_filename, robotstxt_warc_record_offset, robotstxt_warc_record_length,
                robotstxt_ccbot_line
            FROM {quoted(self.last)} WHERE robotstxt_ccbot_blocked_by_name""").fetchall()
        compared = 0
        for host, url, filename, offset, length, line in rows:
            with (SAMPLES / Path(filename).name).open("rb") as archive:
                archive.seek(offset)
                record = gzip.decompress(archive.read(length))
            headers, _, response = record.partition(b"\r\n\r\n")
            http, _, body = response.partition(b"\r\n\r\n")
            assert f"WARC-Target-URI: {url}".encode() in headers, host
            if b"Encoding" not in http:
                evidence = re.split(rb"\r\n|\n|\r", body)[line - 1].lower()
                # Keys may be misspelt.
                assert evidence.startswith(b"dis") and evidence.rstrip().endswith(b"/"), f"{host}: {evidence}"
                compared += 1
        assert compared > 5, compared

    def test_the_file_is_compressed_and_has_one_type_per_documented_column(self):
        compressions = self.con.execute(f"SELECT DISTINCT compression FROM parquet_metadata({quoted(self.last)})").fetchall()
        assert compressions == [("ZSTD",)], compressions
        text = (ROOT / "docs" / "whole-crawl.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (yes)? *\|", text, re.MULTILINE)
        # Rows with AGENT are those of each crawler.
        agents = re.findall(r"`(\w+)`", re.search(r"AGENT is one of ([^.]*)\.", text)[1])
        first, *_, last = (i for i, (name, *_) in enumerate(rows) if "AGENT" in name)
        of_agents = [(name.replace("AGENT", agent), *rest) for agent in agents for name, *rest in rows[first:last + 1]]
        documented = [*rows[:first], *of_agents, *rows[last + 1:]]
        assert {name: kind for name, kind, _ in documented} == self.columns, set(self.columns) ^ {name for name, *_ in documented}
        assert [name for name, *_ in documented] == list(self.columns), "the columns have another order"
        for name, _, is_nullable in documented:
            nulls = self.con.execute(f"SELECT count(*) FROM {quoted(self.last)} WHERE {name} IS NULL").fetchone()[0]
            assert is_nullable or not nulls, f"{name} has {nulls} nulls"

    def host_index(self):
        """Writes a host index of three crawls, with hosts that the dataset has and has not, and returns its folder."""
        folder = self.folder / "index"
        if folder.exists():
            return folder
        con = duckdb.connect()
        columns = ["surt_host_name VARCHAR", "url_host_registered_domain VARCHAR", "url_host_tld VARCHAR"]
        columns += [f"{name} DOUBLE" for name in DOUBLES] + [f"{name} INTEGER" for name in INTEGERS]
        con.execute(f"CREATE TABLE host_index ({', '.join(columns)})")
        rows = self.con.execute(
            "SELECT surt_host_name, url_host_registered_domain, url_host_tld FROM hosts WHERE crawl = ? ORDER BY ALL", [self.crawls[-1]]).fetchall()
        # The first host of the dataset is not in the index.
        rows = rows[1:] + [(name, None, tld) for name, tld in NOT_CAPTURED]
        for place, row in enumerate(sorted(rows)):
            con.execute("INSERT INTO host_index (surt_host_name, url_host_registered_domain, url_host_tld, hcrank10, fetch_200, robots_200) "
                        "VALUES (?, ?, ?, ?, ?, ?)", [*row, (place * 7 % 11) / 2, place, 1])
        paths = []
        for crawl in [*self.crawls[-2:], "CC-MAIN-1999-01"]:
            path = folder / "v2" / f"crawl={crawl}" / "part-0.parquet"
            path.parent.mkdir(parents=True)
            con.execute(f"COPY host_index TO {quoted(path)} (FORMAT parquet)")
            paths.append(path.relative_to(folder))
        with gzip.open(folder / "host-index-paths.gz", "wt") as file:
            file.writelines(f"{path}\n" for path in paths)
        return folder

    def join(self, crawls=None):
        """Returns a connection with the view `joined`, as annotate.py makes it, and the three configurations."""
        left, join, action = (yaml.safe_load((YAML / name).read_text(encoding="utf-8")) for name in (
            "left_host_index.yaml", "join_robotstxt.yaml", "action_robotstxt.yaml"))
        index = self.host_index()
        assert left["table"]["web_prefix"].startswith("https://") and re.fullmatch(r"CC-MAIN-\d{4}-\d\d", *left["limits"]["grep"])
        # The prefix and the crawl are what a user changes.
        left["table"]["web_prefix"], left["limits"]["grep"] = str(index), crawls or [self.crawls[-1]]
        with gzip.open(index / left["table"]["paths"], "rt") as file:
            paths = [left["table"]["web_prefix"].rstrip("/") + "/" + line.rstrip() for line in file]
        paths = sorted(path for path in paths if any(text in path for text in left["limits"]["grep"]))
        right = self.last.parent / join["table"]["local"]
        con = duckdb.connect()
        for name, files in (("left_db", paths), ("right_db", [right])):
            files = ", ".join(map(quoted, files))
            con.execute(f"CREATE VIEW {name} AS FROM read_parquet([{files}], hive_partitioning = true)")
        con.execute(left_join("left_db", "right_db", join))
        return con, join, action

    def test_the_join_has_all_columns_of_the_annotation(self):
        _, join, _ = self.join()
        assert join["right_columns"] == [name for name in self.columns if name.startswith("robotstxt_")]
        own = {"surt_host_name", "crawl", "url_host_tld", "url_host_registered_domain"}
        assert set(self.columns) - set(join["right_columns"]) == own, "a column without the prefix collides with those of others"

    def test_the_join_needs_no_cast_and_keeps_types(self):
        con, join, _ = self.join()
        left, right, joined = ({name: kind for name, kind, *_ in con.execute(f"DESCRIBE {view}").fetchall()}
                               for view in ("left_db", "right_db", "joined"))
        for column in ["surt_host_name", "crawl", "url_host_tld", "url_host_registered_domain"]:
            assert left[column] == right[column] == joined[column] == "VARCHAR", column
        assert joined == {**left, **{name: right[name] for name in join["right_columns"]}}
        plan = con.execute("EXPLAIN FROM joined").fetchone()[1]
        assert "CAST" not in plan, plan

    def test_every_host_of_the_index_is_joined_once_and_others_are_null(self):
        con, join, _ = self.join()
        columns = ", ".join(join["right_columns"])
        annotated = {row[0]: row[1:] for row in con.execute(f"SELECT surt_host_name, {columns} FROM right_db").fetchall()}
        joined = con.execute(f"SELECT surt_host_name, {columns} FROM joined").fetchall()
        names = [row[0] for row in joined]
        expected = [*sorted(annotated)[1:], *(name for name, _ in NOT_CAPTURED)]
        assert sorted(names) == sorted(expected), f"{len(names)} rows for {len(expected)} hosts of the index"
        for name, *values in joined:
            assert tuple(values) == annotated.get(name, (None,) * len(values)), name

    def test_hosts_of_other_crawls_are_null(self):
        con, join, _ = self.join([*self.crawls[-2:], "CC-MAIN-1999-01"])
        rows = dict(con.execute("SELECT crawl, count(robotstxt_is_decided) FROM joined GROUP BY crawl").fetchall())
        hosts = con.execute("SELECT count(*) FROM right_db").fetchone()[0]
        assert rows == {self.crawls[-1]: hosts - 1, self.crawls[-2]: 0, "CC-MAIN-1999-01": 0}, rows
        # Without the crawl, the rules are joined with all of them.
        con.execute("DROP VIEW joined")
        con.execute(left_join("left_db", "right_db", {**join, "join_columns": ["surt_host_name"]}))
        rows = con.execute("SELECT crawl, count(robotstxt_is_decided) FROM joined GROUP BY crawl").fetchall()
        assert [count for _, count in rows] == [hosts - 1] * 3, rows

    def test_the_action_lists_the_hosts_that_block_a_crawler_by_name(self):
        con, _, action = self.join()
        sql = action["sql"].format(columns=action["columns"], where=action["where"].format(argv="", and_tld=""))
        cursor = con.execute(sql)
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row)) for row in cursor.fetchall()]
        assert names == action["columns"].split(", ")
        expected = {name for name, in self.con.execute(
            "SELECT surt_host_name FROM verdicts_for('CCBot') WHERE crawl = ? AND verdict = 'disallow_all' AND basis = 'explicit'",
            [self.crawls[-1]]).fetchall()}
        indexed = {name for name, in con.execute("SELECT surt_host_name FROM left_db").fetchall()}
        assert len(rows) > 5 and {row["surt_host_name"] for row in rows} == expected & indexed, len(rows)
        order = [(-row["hcrank10"], row["surt_host_name"]) for row in rows]
        assert order == sorted(order)
        assert {row["robotstxt_ccbot"] for row in rows} == {"disallow_all"}

    def test_an_unknown_crawl_is_an_error_that_names_the_crawls(self):
        folder, ran = self.run("unknown-crawl", "CC-MAIN-2026")
        assert ran.returncode != 0 and list(folder.iterdir()) == [], (ran, list(folder.iterdir()))
        assert "has no crawl 'CC-MAIN-2026'" in ran.stderr and ", ".join(self.crawls) in ran.stderr, ran.stderr

    def test_an_empty_dataset_gives_an_empty_file_with_the_same_columns(self):
        archive = self.folder / "empty.warc"
        archive.write_bytes(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
                            b"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
        dataset = self.folder / "empty"
        command = [self.program, "scan", archive, "--crawl", "C", "--subset", "robotstxt", "-q", "-o", dataset]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=60)
        path = self.write("of-empty", dataset=dataset)
        assert self.con.execute(f"SELECT count(*) FROM {quoted(path)}").fetchone() == (0,)
        columns = {name: kind for name, kind, *_ in self.con.execute(f"DESCRIBE FROM {quoted(path)}").fetchall()}
        assert columns == self.columns
        folder, ran = self.run("crawl-of-empty", "C", dataset)
        assert ran.returncode != 0 and "has no crawl 'C'" in ran.stderr and list(folder.iterdir()) == [], ran.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("dataset", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(test_runner.run(Tests(options.program.resolve(), options.dataset, Path(folder))) > 0)


if __name__ == "__main__":
    main()
