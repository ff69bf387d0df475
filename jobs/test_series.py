"""Compares the hosts of a series of crawls with the truth about it.

    python jobs/test_series.py target/debug/robots-scan target/debug/xtask

`xtask series` writes crawls whose changes of policy, status and origin, redirects, revisits and unseen hosts are known, with one capture per
host and crawl in truth.csv. Each crawl is scanned by itself, and `robots-scan join` makes them one dataset: every host must have the
capture, the rules and the verdicts of the truth, in every crawl. The verdicts follow from the number of a policy, without a parser.
"""

import csv
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import test_runner
from dataset import opened

TIMEOUT_SECONDS = 120
SEEDS = (1, 2, 3)
CRAWLS, HOSTS = 8, 200
HOPS = 5
# The crawlers of the lowest bits of a policy, as in xtask/src/series.rs.
CRAWLERS = ("GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Bytespider", "PerplexityBot", "Amazonbot", "AhrefsBot")
ASKED = ("GPTBot", "AhrefsBot", "Googlebot")


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}"


def end_of(row, by_url):
    """The capture at the end of the redirects of a host, or none if they do not end at a capture."""
    seen = []
    while row is not None and row["location"]:
        if row["url"] in seen or len(seen) == HOPS:
            return None
        seen.append(row["url"])
        row = by_url.get(row["location"])
    return row


def verdict(row, crawler):
    """The verdict of a crawler by the status or the policy of a capture."""
    if row is None:
        return "unknown"
    if row["status"] != "200":
        return "allow_all" if row["status"] in ("404", "403") else "disallow_all"
    policy = int(row["policy"])
    if crawler in CRAWLERS and policy >> CRAWLERS.index(crawler) & 1:
        return "disallow_all"
    return ("allow_all", "partial", "disallow_all", "allow_all")[policy >> 8 & 3]


def has_content(row, by_url):
    """Whether a capture has content, or another one of its crawl has the same. Most revisits repeat content of an earlier crawl."""
    return row is None or row["is_revisit"] == "false" or any(
        other["status"] == "200" and other["is_revisit"] == "false" and other["policy"] == row["policy"] for other in by_url.values())


def by_crawl_and_url(truth):
    rows = defaultdict(dict)
    for row in truth:
        rows[row["crawl"]][row["url"]] = row
    return rows


def expected(truth):
    by_crawl = by_crawl_and_url(truth)
    rows = set()
    for row in truth:
        by_url = by_crawl[row["crawl"]]
        end = end_of(row, by_url)
        end = end if has_content(end, by_url) else None
        place = (row["archive"], int(row["offset"]))
        rows.add((row["crawl"], row["url"], row["fetch_time"], *place, *(verdict(end, crawler) for crawler in ("*", *ASKED))))
    return rows


def found(connection):
    verdicts = ", ".join(f"max(v.verdict) FILTER (v.agent = '{crawler.lower()}')" for crawler in ASKED)
    query = f"""
        SELECT h.crawl, h.url, strftime(h.fetch_time, '%Y-%m-%dT%H:%M:%SZ'), r.warc_filename, r.warc_record_offset, h.wildcard_verdict, {verdicts}
        FROM hosts h
        JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.authoritative_robots_id
        JOIN verdicts_for({list(ASKED)}) v ON v.host_id = h.host_id
        GROUP BY ALL"""
    rows = connection.execute(query).fetchall()
    assert len(rows) == len(set(rows)), "a host has two rows"
    return set(rows)


class Tests:
    def __init__(self, program, xtask, folder):
        self.program, self.xtask, self.folder = program, xtask, folder
        self.truths = []
        for seed in SEEDS:
            self.add(f"seed-{seed}", seed)

    def add(self, name, seed):
        series = self.folder / name
        run(self.xtask, "series", series, CRAWLS, HOSTS, seed)
        (series / "datasets").mkdir()
        for crawl in sorted(series.glob("crawl-*")):
            number = crawl.name.removeprefix("crawl-")
            run(self.program, *sorted(crawl.glob("*.warc.gz")), "-q", "-o", series / "datasets" / number, "--crawl", f"SERIES-{number}")
        run(self.program, "join", series / "datasets", "-q")
        with open(series / "truth.csv", newline="", encoding="utf-8") as file:
            self.truths.append((name, list(csv.DictReader(file))))

    def test_hosts_of_every_crawl_are_those_of_the_truth(self):
        for name, truth in self.truths:
            wanted, rows = expected(truth), found(opened(self.folder / name / "datasets"))
            differences = sorted(wanted ^ rows)
            assert not differences, f"{name}: {len(differences)} differences, the first are {differences[:4]}"

    def test_series_have_every_kind_of_change(self):
        """Otherwise the other test would prove less than it says."""
        kinds = Counter()
        for _, truth in self.truths:
            last = {}
            for row in truth:
                before = last.get(row["host"])
                kinds["revisit"] += row["is_revisit"] == "true"
                kinds["redirect"] += row["location"] != ""
                if before:
                    kinds["unseen"] += int(row["crawl"][-3:]) - int(before["crawl"][-3:]) > 1
                    for column in ("url", "status", "policy"):
                        kinds[column] += row[column] != before[column]
                last[row["host"]] = row
            by_crawl = by_crawl_and_url(truth)
            kinds["followed"] += sum(row["location"] != "" and end_of(row, by_crawl[row["crawl"]]) is not None for row in truth)
        rare = [kind for kind in ("revisit", "redirect", "followed", "unseen", "url", "status", "policy") if kinds[kind] < 20]
        assert not rare, f"too few of {rare}: {dict(kinds)}"

    def test_a_seed_has_the_same_bytes_again(self):
        again = self.folder / "again"
        run(self.xtask, "series", again, CRAWLS, HOSTS, SEEDS[0])
        for path in sorted(path for path in again.rglob("*") if path.is_file()):
            assert path.read_bytes() == (self.folder / f"seed-{SEEDS[0]}" / path.relative_to(again)).read_bytes(), path.name


def main(program, xtask):
    with tempfile.TemporaryDirectory() as folder:
        return test_runner.run(Tests(Path(program).resolve(), Path(xtask).resolve(), Path(folder)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(1 if main(*sys.argv[1:]) else 0)
