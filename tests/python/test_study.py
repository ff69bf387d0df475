"""Types the commands of docs/study.md on samples, and compares its tables and its chart with the real archives, if they are available.

    python tests/python/test_study.py target/debug/robots-scan            # --write writes the tables into the page, and the chart

The answers are computed a second time in Python, from the rows of `reasons_for`.
"""

import csv
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from dataset import opened
from robots_scan.report.chart import CONFIG, finished
from robots_scan.report.converter import Converter

ROOT = Path(__file__).resolve().parents[2]
PAGE, CHART = ROOT / "docs/study.md", ROOT / "docs/study.svg"
STYLE = "<style>svg{color:#1b1b1f;background:#fff}@media (prefers-color-scheme:dark){svg{color:#ececf1;background:#17181c}}</style>"
REAL = [ROOT.parent / "shared/data/real" / f"REAL-GOV-{month}-00000.warc.gz" for month in ("2020-09", "2025-03")]
SAMPLES = [ROOT / "data-samples/warc" / f"cc-robotstxt{later}.warc.gz" for later in ("", "-later")]
AGENTS = ["GPTBot", "CCBot", "Googlebot"]
# The template of which most of the changes of one crawler are.
VENDOR = "govoffice"
# Intervals of fewer hosts that changed are not drawn.
FEW = 10


def commands(archives, program, folder):
    """Types the three commands of the page, and returns what the second one prints."""
    typed = re.findall(r"^    (robots-scan|duckdb) (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in typed] == ["robots-scan", "duckdb", "robots-scan"], typed
    scan, study, report = (" ".join(words) for words in typed)
    scan = scan.replace("BEFORE/*.warc.gz AFTER/*.warc.gz", " ".join(map(str, archives)))
    assert str(archives[0]) in scan
    tools = folder / "tools"
    tools.mkdir()
    (tools / "robots-scan").symlink_to(program)
    environment = {**os.environ, "PATH": f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"}
    (folder / "jobs").symlink_to(ROOT / "jobs")

    def run(command, code=0):
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == code, f"{command}: {done.stdout}{done.stderr}"
        return done

    run(scan)
    study = study.replace("duckdb ", "duckdb -csv ", 1)
    without = study.replace(" -c ", f""" -c "SET VARIABLE without_template = '{VENDOR}'" -c """, 1)
    # The program alone has no report: it says which package has it.
    assert "Python" in run(report, 2).stderr
    return run(study).stdout, run(without).stdout


def tables(output):
    """Returns the two tables that the SQL prints, as rows of texts."""
    changes, _, flows = output.partition("agent,before,after")
    return list(csv.DictReader(changes.splitlines())), list(csv.DictReader(f"agent,before,after{flows}".splitlines()))


def expected(dataset, without):
    """Computes both tables from the reasons of hosts."""
    con = opened(dataset)
    first, last = con.execute("SELECT arg_min(crawl, position), arg_max(crawl, position) FROM crawls()").fetchone()
    rows = con.execute(f"SELECT r.crawl, r.agent, r.surt_host_name, r.reason, coalesce(r.domain_id, r.host_id), r.ruleset_id, r.template FROM reasons_for({AGENTS}) r").fetchall()
    before = {(agent, host): reason for crawl, agent, host, reason, *_ in rows if crawl == first}
    pairs = [(agent, before[agent, host], reason, domain, ruleset) for crawl, agent, host, reason, domain, ruleset, template in rows
             if crawl == last and (agent, host) in before and (without is None or template != without)]
    changes, flows = [], {}
    for agent, group in itertools.groupby(sorted(pairs, key=lambda pair: pair[0]), key=lambda pair: pair[0]):
        group = list(group)
        for reason in sorted({name for _, a, b, *_ in group for name in (a, b)}):
            domains = {}
            for _, a, b, domain, _ in group:
                domains.setdefault(domain, []).append((b == reason) - (a == reason))
            means = [sum(values) / len(values) for values in domains.values()]
            change = sum(means) / len(means)
            margin = 1.96 * math.sqrt(sum((mean - change) ** 2 for mean in means) / (len(means) - 1) / len(means))
            counts = [sum(a == reason for _, a, *_ in group), sum(b == reason for _, _, b, *_ in group), sum(a != reason == b for _, a, b, *_ in group),
                      sum(b != reason == a for _, a, b, *_ in group), len(group), len(domains)]
            changes.append([agent, reason, *map(str, counts), *((change, change - margin, change + margin) if margin else (change, None, None))])
        for _, a, b, domain, ruleset in group:
            if a != b:
                flows.setdefault((agent, a, b), []).append((domain, ruleset))
    return changes, {key: (str(len(hosts)), str(len({domain for domain, _ in hosts})),
                           str(max(Counter(ruleset for _, ruleset in hosts if ruleset is not None).values(), default="NULL"))) for key, hosts in flows.items()}


def check(output, dataset, without=None):
    found, flows = tables(output)
    changes, expected_flows = expected(dataset, without)
    assert len(found) == len(changes) > 3, (len(found), len(changes))
    for row, values in zip(found, changes):
        got = list(row.values())
        assert got[:8] == values[:8], f"{got}\n{values}"
        for text, value in zip(got[8:], values[8:]):
            assert (text == "NULL") == (value is None) and (value is None or abs(float(text) - value) < 0.000051), f"{got}\n{values}"
    assert {(row["agent"], row["before"], row["after"]): (row["hosts"], row["domains"], row["one_ruleset"]) for row in flows} == expected_flows
    return found, flows


def table_of_changes(found):
    def points(text):
        return "" if text == "NULL" else f"{100 * float(text):+.1f}".replace("-", "−")

    lines = ["| crawler | reason | hosts 2020 | hosts 2025 | came | went | change, points of domains | low | high |", "|---|---|--:|--:|--:|--:|--:|--:|--:|"]
    return lines + [f"| {row['agent']} | `{row['reason']}` | {row['hosts_before']} | {row['hosts_after']} | {row['came']} | {row['went']} | "
                    f"{points(row['change'])} | {points(row['low'])} | {points(row['high'])} |" for row in found]


def page(found, flows, without):
    """Returns the tables of the page."""
    lines = ["", f"All {found[0]['of_hosts']} hosts of {found[0]['of_domains']} registered domains that both crawls captured:", "", *table_of_changes(found)]
    lines += ["", "The hosts that changed; `one rule set` is how many of them have the most frequent rule set after it:", "",
              "| crawler | before | after | hosts | domains | one rule set |", "|---|---|---|--:|--:|--:|"]
    lines += [f"| {row['agent']} | `{row['before']}` | `{row['after']}` | {row['hosts']} | {row['domains']} | {row['one_ruleset']} |" for row in flows]
    lines += ["", f"CCBot without the hosts whose file in 2025 has the template `{VENDOR}`, which leaves {without[0]['of_hosts']} hosts:", "",
              *table_of_changes([row for row in without if row["agent"] == "ccbot"])]
    return "\n".join(lines) + "\n\n"


def chart(found, without):
    """Returns the changes with their intervals as SVG, but for those of few hosts, whose intervals are poor."""
    named = [(f"{row['agent']}  {row['reason']}", row) for row in found] + [(f"ccbot  {row['reason']}, without {VENDOR}", row) for row in without if row["agent"] == "ccbot"]
    rows = [{"label": label, **{name: 100 * float(row[name]) for name in ("change", "low", "high")}}
            for label, row in sorted(named, key=lambda pair: pair[0]) if int(row["came"]) + int(row["went"]) >= FEW]
    colour = {"color": "currentColor", "aria": False}
    label = {"field": "label", "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False, "domain": False, "labelPadding": 8, "labelLimit": 300}}
    title = {"title": "percentage points of registered domains, 2020 to 2025", "titleColor": "currentColor", "titleFontWeight": "normal"}
    change = {"field": "low", "type": "quantitative", "axis": {**title, "labelExpr": "datum.value == 0 ? '0' : format(datum.value, '+')"}}
    spec = {
        "width": 420, "height": {"step": 24}, "data": {"values": rows}, "config": CONFIG, "layer": [
            {"mark": {"type": "rule", "strokeDash": [3, 3], **colour}, "data": {"values": [{"zero": 0}]}, "encoding": {"x": {"field": "zero", "type": "quantitative"}}},
            {"mark": {"type": "rule", "strokeWidth": 2, **colour}, "encoding": {"y": label, "x": change, "x2": {"field": "high"}}},
            {"mark": {"type": "point", "filled": True, "size": 70, **colour}, "encoding": {"y": label, "x": {"field": "change", "type": "quantitative"}}}]}
    converter = Converter()
    svg = converter.svg(spec)
    converter.close()
    head, body = finished(svg, "Change of the share of registered domains by reason, in percentage points, with 95 % intervals", "wide").split(">", 1)
    return f"{head}>{STYLE}{body}\n"


def main(program, *options):
    with tempfile.TemporaryDirectory() as folder:
        output, _ = commands(SAMPLES, program, Path(folder))
        check(output, Path(folder, "study.parquet"))
    if not all(path.is_file() for path in REAL):
        print("skipped: the study, whose real archives are not available\n1 passed, 0 failed")
        return
    with tempfile.TemporaryDirectory() as folder:
        every, without = commands(REAL, program, Path(folder))
        found, flows = check(every, Path(folder, "study.parquet"))
        without, _ = check(without, Path(folder, "study.parquet"), VENDOR)
    text, drawn = page(found, flows, without), chart(found, without)
    head, start, rest = PAGE.read_text(encoding="utf-8").partition("<!-- generated by tests/python/test_study.py --write -->\n")
    old, end, tail = rest.partition("<!-- end -->")
    if options == ("--write",):
        PAGE.write_text(head + start + text + end + tail, encoding="utf-8")
        CHART.write_text(drawn, encoding="utf-8")
    else:
        assert CHART.read_text(encoding="utf-8") == drawn, "docs/study.svg is another chart"
        assert old == text, f"docs/study.md has other tables:\n{text}"
    print("2 passed, 0 failed")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
