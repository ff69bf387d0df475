"""Compares the answers of a history to its questions over time with plain Python.

    python tests/python/test_history_questions.py target/debug/robots-scan target/debug/xtask

The crawls are those of `xtask series`, each scanned by itself. The expected answers follow from the definitions in jobs/history_queries, from
the Parquet files of the datasets, and from the truth about the series; no SQL of the product is used. `trend` is
compared with the tables of `robots-scan join`.
"""

import csv
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path
from statistics import median_low
from unittest import TestCase

import duckdb

import test_runner
from dataset import opened
from test_history import query, read_dicts, run

# The crawlers of the lowest bits of a policy, as in xtask/src/series.rs, and the most redirects that are followed.
CRAWLERS = ("GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Bytespider", "PerplexityBot", "Amazonbot", "AhrefsBot")
HOPS = 5
CRAWLS, HOSTS, HOSTS_WITH_CHANGES, STEPS = 10, 150, 20, (60, 30)
# The registries of two series: the built-in one, and one in which some crawlers that the hosts name are fallbacks, and most are missing.
REGISTRIES = (None, "token,fallbacks,ignores_wildcard\nGPTBot,,false\nCCBot,,false\nGooglebot,,false\n"
                    'Googlebot-News,"googlebot,amazonbot,claudebot",false\nAdsBot-Google,ahrefsbot,true\n')
TREND_AGENTS = ("GPTBot", "Googlebot", "AdsBot-Google", "Googlebot-News", *CRAWLERS[1:])
FIRST_AGENTS = ("GPTBot", "CCBot")
BLOCK, FREE = "User-agent: GPTBot\nDisallow: /\n", "User-agent: *\nAllow: /\n"
# Columns of hosts that are not part of the state of a host, and those that changes_of returns.
NO_STATE = {"host_id", "domain_id", "fetch_time", "authoritative_robots_id", "rules_robots_id", "n_captures", "n_changes", "named"}
SHOWN = ("url", "fetch_status", "redirect_end", "is_revisit", "content_class", "wildcard_verdict", "wildcard_basis", "n_named")


def by_crawl_and_url(truth):
    rows = defaultdict(dict)
    for row in truth:
        rows[row["crawl"]][row["url"]] = row
    return rows


def end_of(row, by_url):
    """The capture at the end of the redirects of a host, or none if they do not end at a capture."""
    seen = []
    while row is not None and row["location"]:
        if row["url"] in seen or len(seen) == HOPS:
            return None
        seen.append(row["url"])
        row = by_url.get(row["location"])
    return row


def read_hosts(folder, crawl):
    """The hosts of a crawl with their domains and, by crawler, their rows of host_verdicts."""
    named = defaultdict(dict)
    for row in read_dicts(sorted((folder / "host_verdicts" / f"crawl={crawl}").iterdir())):
        named[row["host_id"]][row["agent"]] = row
    hosts = read_dicts(sorted((folder / "hosts" / f"crawl={crawl}").iterdir()))
    return [host | {"named": named[host["host_id"]], "domain": host["url_host_registered_domain"] or host["surt_host_name"]} for host in hosts]


def make_capture(host, crawl, files, truth):
    """A host of a crawl as it is in a history: with its lines, its state, and the crawlers that it blocks by name."""
    url, rules, is_revisit = files[host["authoritative_robots_id"]]["url"], files[host["rules_robots_id"]], host["is_revisit"]
    end, wildcard = end_of(truth[url], truth), (host["wildcard_verdict"], host["wildcard_basis"])
    # The number of a policy identifies its lines, except that the path has no effect without a partial block (xtask/src/series.rs).
    policy = int(end["policy"]) if end is not None and end["status"] == "200" and not is_revisit else 0
    lines = (policy & 1023, policy >> 10 if policy >> 8 & 3 == 1 else None) if policy & 1023 else None
    blocked = {agent for agent, row in host["named"].items() if (row["verdict"], row["basis"]) == ("disallow_all", "explicit")}
    assert is_revisit or blocked == {agent.lower() for bit, agent in enumerate(CRAWLERS) if policy >> bit & 1}, (url, crawl, blocked)
    return host | {
        "crawl": crawl, "url": url, "origin": url.removesuffix("/robots.txt"), "day": host["fetch_time"].toordinal(), "policy": lines,
        "status": host["fetch_status"], "redirects": (host["n_redirects"], host["redirect_end"]),
        "blocked": blocked,
        "state": (lines, {name: value for name, value in host.items() if name not in NO_STATE}),
        "decides": not is_revisit and wildcard[0] != "unknown" and wildcard != ("disallow_all", "http_status")}


class Series:
    """A series of crawls with its history, and the expected answers."""

    def __init__(self, program, xtask, folder, seed, registry):
        run(xtask, "series", folder, CRAWLS, HOSTS, seed)
        (folder / "registry.csv").write_text(registry or "", encoding="utf-8")
        options = ("--agents", folder / "registry.csv") if registry else ()
        truth = by_crawl_and_url(csv.DictReader((folder / "truth.csv").read_text(encoding="utf-8").splitlines()))
        self.name, datasets = f"seed {seed}", {crawl: folder / "datasets" / crawl for crawl in sorted(truth)}
        for crawl, dataset in datasets.items():
            run(program, folder / crawl.replace("SERIES", "crawl") / f"{crawl}-00000.warc.gz", "-q", "-o", dataset, "--crawl", crawl, *options)
        run(program, "history", *datasets.values(), "-q", "-o", folder / "history")
        self.history = opened(folder / "history")
        run(program, "join", shutil.copytree(folder / "datasets", folder / "joined"), "-q")
        self.filled = {crawl: read_hosts(folder / "joined" / "_joined", crawl) for crawl in datasets}
        self.registry = {row["agent"]: row for row in read_dicts([dataset / "agents" / "agents.parquet"])}
        # The captures of each crawl, and those of each host in the order of crawls, which is that of time.
        self.by_crawl, self.by_host = {}, defaultdict(list)
        for crawl, dataset in datasets.items():
            files = {row["robots_id"]: row for row in read_dicts(sorted((dataset / "robots_files").rglob("*.parquet")))}
            self.by_crawl[crawl] = [make_capture(host, crawl, files, truth[crawl]) for host in read_hosts(dataset, crawl)]
            for capture in self.by_crawl[crawl]:
                self.by_host[capture["surt_host_name"]].append(capture)
        self.most_changing = sorted(self.by_host, key=lambda host: (-len(list(self.changes_of(host))), host))[:HOSTS_WITH_CHANGES]

    def heads(self, agents=None):
        """The first columns of the rows of a question: for each crawl, and for each crawler if there are any."""
        for crawl, captures in self.by_crawl.items():
            head = {"crawl": crawl, "median_fetch": median_low(capture["fetch_time"] for capture in captures)}
            yield from [head] if agents is None else [head | {"agent": agent} for agent in sorted(map(str.lower, agents))]

    def outcome(self, host, agent):
        """The verdict for a crawler, or for a block the reason: by its group, that of the first of its fallbacks that is named, or `*`."""
        entry = self.registry.get(agent, {"fallbacks": None, "ignores_wildcard": False})
        names = [name for name in (agent, *(entry["fallbacks"] or "").split(",")) if name in host["named"]]
        groups = [host["named"][name] for name in names if host["named"][name]["basis"] in ("explicit", "too_complex")]
        if not groups and entry["ignores_wildcard"] and host["wildcard_basis"] != "http_status":
            return "allow_all"
        verdict, basis = (groups[0]["verdict"], groups[0]["basis"]) if groups else (host["wildcard_verdict"], host["wildcard_basis"])
        return verdict if verdict != "disallow_all" else {"explicit": "name", "http_status": "status"}.get(basis, "wildcard")

    def trend(self, agents):
        for head in self.heads(agents):
            hosts, agent = self.filled[head["crawl"]], head["agent"]
            outcomes = Counter(self.outcome(host, agent) for host in hosts)
            known, domains = len(hosts) - outcomes["unknown"], Counter(host["domain"] for host in hosts if self.outcome(host, agent) == "name")
            row = {f"blocked_by_{reason}": outcomes[reason] / known for reason in ("name", "wildcard", "status")} | {
                "hosts": known, "low": None, "high": None, "partial": outcomes["partial"] / known, "domains_any": len(domains),
                "largest_domain": max(domains.values()) / outcomes["name"] if domains else None}
            # A crawler that is not in the registry has figures if ten hosts name it.
            is_counted = agent == "*" or agent in self.registry or sum(agent in host["named"] for host in hosts) >= 10
            yield head | (row if is_counted else dict.fromkeys(row))

    def runs(self, agent):
        """Divides the deciding captures of each host into runs that block a crawler and runs that do not."""
        for captures in self.by_host.values():
            deciding = filter(lambda capture: capture["decides"], captures)
            yield [(is_blocking, list(run)) for is_blocking, run in groupby(deciding, lambda capture: agent in capture["blocked"])]

    def hosts_first_blocking(self):
        begun, already, domains, all_begun, all_blocking = Counter(), Counter(), defaultdict(set), Counter(), Counter()
        for agent, runs in ((agent, runs) for agent in map(str.lower, FIRST_AGENTS) for runs in self.runs(agent)):
            for number, first in [(number, run[0]) for number, (is_blocking, run) in enumerate(runs) if is_blocking][:1]:
                (begun if number else already)[first["crawl"], agent] += 1
                domains[first["crawl"], agent].add(first["domain"])
        for head in self.heads(FIRST_AGENTS):
            crawl, agent = place = head["crawl"], head["agent"]
            all_begun[agent] += begun[place]
            all_blocking[agent] += begun[place] + already[place]
            yield head | {"hosts_in_crawl": len(self.by_crawl[crawl]), "seen_to_begin": begun[place], "already_blocking": already[place],
                          "domains_any": len(domains[place]), "cumulative_begun": all_begun[agent], "cumulative": all_blocking[agent]}

    def first_block_of_hosts(self):
        found = []
        for agent, runs in ((agent, runs) for agent in map(str.lower, FIRST_AGENTS) for runs in self.runs(agent)):
            number, first = next(((number, run[0]) for number, (is_blocking, run) in enumerate(runs) if is_blocking), (0, None))
            if first:
                found.append({
                    "agent": agent, "surt_host_name": first["surt_host_name"], "url_host_name": first["url_host_name"], "seen_to_begin": number > 0,
                    "last_without": runs[number - 1][1][-1]["fetch_time"] if number else None, "first_crawl": first["crawl"],
                    "first_blocking": first["fetch_time"], "line_no": first["named"][agent]["evidence_line"], "line": "Disallow: /"})
        counts = Counter(row["agent"] for row in found)
        for row in sorted(found, key=lambda row: (row["agent"], row["first_blocking"], row["surt_host_name"])):
            yield row | {"hosts": counts[row["agent"]]}

    def domains_ever_blocking(self):
        adopted = defaultdict(set)
        for head in self.heads(FIRST_AGENTS):
            captures, domains = self.by_crawl[head["crawl"]], adopted[head["agent"]]
            first = {capture["domain"] for capture in captures if head["agent"] in capture["blocked"]} - domains
            domains |= first
            yield head | {"domains_in_crawl": len({capture["domain"] for capture in captures}), "first_blocking": len(first), "cumulative": len(domains)}

    def survival_of_blocks(self, step_days):
        for agent in sorted(map(str.lower, CRAWLERS)):
            # For each block that was seen to begin, the step until which it was observed, and whether it ended then.
            blocks, surviving = [], 1.0
            for runs in self.runs(agent):
                for (is_blocking, run), (_, after) in zip(runs[1:], [*runs[2:], (False, [])]):
                    blocks += [(([*run, *after[:1]][-1]["day"] - run[0]["day"]) // step_days, after != [])] if is_blocking else []
            for step in sorted({step for step, _ in blocks}):
                at_risk, ended = sum(other >= step for other, _ in blocks), blocks.count((step, True))
                surviving *= 1 - ended / at_risk
                yield {"agent": agent, "from_day": step * step_days, "to_day": (step + 1) * step_days, "at_risk": at_risk, "ended": ended,
                       "not_seen_longer": blocks.count((step, False)), "still_blocking": surviving}

    def change_rates(self):
        seen_before, counts, days = Counter(), defaultdict(Counter), defaultdict(list)
        for captures in self.by_host.values():
            seen_before.update(capture["crawl"] for capture in captures[1:])
            contents = [capture for capture in captures if not capture["is_revisit"]]
            for before, capture in zip(contents, contents[1:]):
                if changed := [kind for kind in ("policy", "status", "origin") if capture[kind] != before[kind]]:
                    counts[capture["crawl"]].update([*changed, "changed"])
                    days[capture["crawl"]].append(capture["day"] - before["day"])
        for head in self.heads():
            crawl, count, seen = head["crawl"], counts[head["crawl"]], seen_before[head["crawl"]]
            yield head | {f"share_{kind}": count[kind] / seen if seen else None for kind in ("changed", "policy", "status", "origin")} | {
                "hosts": len(self.by_crawl[crawl]), "hosts_seen_before": seen, "changed": count["changed"],
                "days_between": median_low(days[crawl] or [None])}

    def changes_of(self, host):
        before = content = None
        for period in (list(period) for _, period in groupby(self.by_host[host], lambda capture: capture["state"])):
            first, last = period[0], period[-1]
            changed = ["origin"] if before and first["origin"] != before["origin"] else []
            kinds = ("redirects", "status", "content_class", "policy") if content else ()
            changed += ["revisit"] if first["is_revisit"] else [kind for kind in kinds if first[kind] != content[kind]]
            yield {name: first[name] for name in SHOWN} | {
                "first_crawl": first["crawl"], "first_fetch": first["fetch_time"], "last_crawl": last["crawl"], "last_fetch": last["fetch_time"],
                "n_captures": len(period), "changed": changed if before else None, "policy_id": first["policy"] is not None, "preferences_id": None}
            before, content = first, content if first["is_revisit"] else first


def compare(label, found, wanted):
    assert len(found) == len(wanted), f"{label}: {len(found)} rows instead of {len(wanted)}"
    for number, (row, other) in enumerate(zip(found, wanted)):
        assert set(row) == set(other), f"{label}: the columns are {list(row)} instead of {list(other)}"
        wrong = [(name, row[name], value) for name, value in other.items() if row[name] != value
                 and not (isinstance(row[name], float) and isinstance(value, float) and abs(row[name] - value) < 1e-6)]  # Six places.
        assert not wrong, f"{label}: row {number} {list(row.values())[:3]}, found and wanted: {wrong}"


class Tests:
    def __init__(self, program, xtask, folder):
        self.program, self.folder = program, folder
        self.series = [Series(program, xtask, folder / f"seed-{seed}", seed, registry) for seed, registry in enumerate(REGISTRIES, 1)]

    def history_of(self, crawls):
        """The history of crawls, each with hosts, the days of their captures, and their files."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        for crawl, captures in crawls.items():
            with (folder / f"{crawl}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([("url", "status", "time", "body"), *(
                    (f"https://{host}/robots.txt", 200, f"2025-01-{day:02}T00:00:00Z", body) for host, day, body in captures)])
            run(self.program, "bodies", folder / f"{crawl}.csv", "-q", "--crawl", crawl, "-o", folder / crawl)
        run(self.program, "history", *(folder / crawl for crawl in crawls), "-q", "-o", folder / "history")
        return opened(folder / "history")

    def check(self, call, answer):
        for series in self.series:
            wanted = list(answer(series))
            compare(f"{series.name}, {call}", query(series.history, f"FROM {call}"), wanted)
            if "crawl" in wanted[0]:
                # A crawl in the middle, whose rows depend on those before it.
                crawl, of_crawl = sorted(series.by_crawl)[CRAWLS // 2], f"{call[:-1]}{', ' if call[-2] != '(' else ''}crawl := ?)"
                compare(f"{series.name}, {of_crawl}", query(series.history, f"FROM {of_crawl}", [crawl]), [row for row in wanted if row["crawl"] == crawl])

    def test_trend(self):
        for agents in (TREND_AGENTS, ("*",)):
            self.check(f"trend(agent := {list(agents)}, any_name := true)", lambda series: series.trend(agents))

    def test_hosts_first_blocking(self):
        self.check(f"hosts_first_blocking(agent := {list(FIRST_AGENTS)})", Series.hosts_first_blocking)

    def test_first_block_of_hosts(self):
        for series in self.series:
            call = f"first_block_of_hosts(agent := {list(FIRST_AGENTS)}, top := 100000)"
            wanted = list(series.first_block_of_hosts())
            compare(f"{series.name}, {call}", query(series.history, f"SELECT q.* EXCLUDE (policy_id) FROM {call} q"), wanted)
            first = query(series.history, f"SELECT q.surt_host_name FROM {call.replace('100000', '3')} q")
            few = [row for agent in sorted(map(str.lower, FIRST_AGENTS)) for row in [row for row in wanted if row["agent"] == agent][:3]]
            assert [row["surt_host_name"] for row in first] == [row["surt_host_name"] for row in few], series.name

    def test_domains_ever_blocking(self):
        self.check(f"domains_ever_blocking(agent := {list(FIRST_AGENTS)})", Series.domains_ever_blocking)

    def test_survival_of_blocks(self):
        for days in STEPS:
            self.check(f"survival_of_blocks(agent := {list(CRAWLERS)}, step_days := {days}, any_name := true)", lambda series: series.survival_of_blocks(days))

    def test_change_rates(self):
        self.check("change_rates()", Series.change_rates)

    def test_changes_of(self):
        for series in self.series:
            for host in series.most_changing:
                name = series.by_host[host][0]["url_host_name"]
                found = query(series.history, "SELECT * REPLACE (policy_id IS NOT NULL AS policy_id) FROM changes_of(?)", [name])
                compare(f"{series.name}, changes_of('{name}')", found, list(series.changes_of(host)))

    def test_an_unknown_crawler_is_an_error(self):
        for call in ("trend('GPTBto')", "trend(['CCBot', 'GPTBto'])", "hosts_first_blocking('GPTBto')", "hosts_first_blocking(['CCBot', 'GPTBto'])"):
            with TestCase().assertRaisesRegex(duckdb.Error, "unknown agent 'GPTBto': the nearest are GPTBot", msg=call):
                query(self.series[0].history, f"FROM {call}")

    def test_crawls_that_overlap_have_one_order(self):
        """`A` comes before `B` by the median of its times, and captured the host that blocks after `B` did."""
        connection = self.history_of({
            "A": [("h1.example", 1, FREE), ("h2.example", 1, FREE), ("x.example", 3, BLOCK)],
            "B": [("h1.example", 5, FREE), ("h2.example", 5, FREE), ("x.example", 2, BLOCK)]})
        found = query(connection, "SELECT crawl, first_blocking, cumulative FROM domains_ever_blocking()")
        compare("domains_ever_blocking", found, [{"crawl": "A", "first_blocking": 1, "cumulative": 1}, {"crawl": "B", "first_blocking": 0, "cumulative": 1}])
        found = query(connection, "SELECT crawl, seen_to_begin, already_blocking, domains_any, cumulative FROM hosts_first_blocking()")
        compare("hosts_first_blocking", found, [
            {"crawl": "A", "seen_to_begin": 0, "already_blocking": 1, "domains_any": 1, "cumulative": 1},
            {"crawl": "B", "seen_to_begin": 0, "already_blocking": 0, "domains_any": 0, "cumulative": 1}])

    def test_two_domains_of_a_host_have_two_numbers(self):
        """`co.uk` and `www.co.uk` are one host by its key; the first has no registered domain."""
        for hosts in (("www.co.uk", "co.uk"), ("co.uk", "www.co.uk")):
            connection = self.history_of({
                "A": [(hosts[0], 1, BLOCK)], "B": [(hosts[1], 8, BLOCK), ("shop.www.co.uk", 8, BLOCK), ("other.example", 8, FREE)]})
            rows = query(connection, "SELECT DISTINCT domain, domain_id FROM hosts")
            assert len(rows) == 3 == len({row["domain"] for row in rows}) == len({row["domain_id"] for row in rows}), rows
            found = query(connection, "SELECT crawl, domains_any FROM trend()")
            compare("trend", found, [{"crawl": "A", "domains_any": 1}, {"crawl": "B", "domains_any": 2 if hosts[1] == "co.uk" else 1}])

    def test_a_listed_question_can_be_asked(self):
        connection = self.history_of({"A": [("h1.example", 1, BLOCK), ("h2.example", 1, FREE)], "B": [("h1.example", 8, BLOCK), ("h2.example", 8, BLOCK)]})
        index, ranks, labels = self.folder / "index.parquet", self.folder / "ranks.csv", self.folder / "labels.csv"
        connection.execute(f"COPY (SELECT crawl, surt_host_name, 4.5::DOUBLE AS hcrank10, 7 AS fetch_200 FROM hosts) TO '{index}'")
        ranks.write_text("1,h1.example\n2,h2.example\n", encoding="utf-8")
        labels.write_text("host,label\nh1.example,news\n", encoding="utf-8")
        graph = self.folder / "graph.txt"
        graph.write_text("#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n1\t2.5\t1\t0.5\texample.h1\n", encoding="utf-8")
        given = {"index": index, "list": ranks, "ranks": graph, "labels": labels}
        for question in query(connection, "SELECT name, parameters FROM question_texts()"):
            parameters = [parameter.split(":=") for parameter in question["parameters"].split(", ") if parameter]
            values = {name.strip(): given.get(name.strip()) for name, *default in parameters if not default or name.strip() in given and default[0].strip() == "NULL"}
            call = f"{question['name']}({', '.join(f'{name} := {str(value)!r}' if name != 'host' else repr('h1.example') for name, value in values.items())})"
            rows = query(connection, f"FROM {call}")
            assert rows or not values, call

    def test_all_questions_are_listed(self):
        names = [row["name"] for row in query(self.series[0].history, "FROM question_texts()")]
        questions = {path.stem[4:] for path in (Path(__file__).resolve().parents[2] / "jobs" / "history_queries").glob("*.sql")}
        assert len(questions) == 7 and set(names) >= questions and len(names) == len(set(names)), names
        for name in questions:
            facts = query(self.series[0].history, f"FROM question('{name}')")
            # Texts go on in rows without a fact, which are indented.
            described = "".join(row["text"][1:] if row["fact"] == "" else f"\n{row['fact']}\t{row['text']}" for row in facts).splitlines()
            columns = [column for line in described if line.startswith("column\t") for column in line[7:].split(": ")[0].split(", ")]
            call = f"{name}('h1.example')" if name == "changes_of" else f"{name}()"
            answered = [row["column_name"] for row in query(self.series[0].history, f"DESCRIBE FROM {call}")]
            assert sorted(answered) == sorted(columns), f"{name}: {set(answered) ^ set(columns)}"

    def test_the_series_have_every_case(self):
        """Otherwise the other tests would prove less than they say."""
        cases = Counter()
        for series in self.series:
            for row in [*series.hosts_first_blocking(), *series.survival_of_blocks(STEPS[0]), *series.trend(TREND_AGENTS)]:
                cases.update({case: row.get(case, 0) for case in ("seen_to_begin", "already_blocking", "ended", "not_seen_longer")})
                cases["no figures"] += row.get("hosts", 0) is None
                cases["fallbacks"] += row["agent"] in ("googlebot-news", "adsbot-google") and row["blocked_by_name"] > 0
            cases.update(kind for host in series.most_changing for row in [*series.changes_of(host)][1:] for kind in row["changed"] or ["unchanged"])
        assert len(cases) == 13 and min(cases.values()) >= 5, dict(cases)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as root:
        sys.exit(1 if test_runner.run(Tests(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(root))) else 0)
