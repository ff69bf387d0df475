"""Compares the answers of a history to its questions over time with plain Python.

    python jobs/test_history_questions.py target/debug/robots-scan target/debug/xtask

The crawls are those of `xtask series`, each scanned by itself. The expected answers follow from the definitions in jobs/history_queries, from
the Parquet files of the datasets, and from the truth about the series; no SQL of the product is used. `trend` counts hosts whose revisits are
filled, and is compared with the tables of `robots-scan join`. The others read periods, in which each crawl is resolved by itself.
"""

import csv
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import duckdb

import test_runner
from dataset import opened
from test_history import query, read_dicts
from test_series import CRAWLERS, by_crawl_and_url, end_of, run

CRAWLS, HOSTS = 10, 150
# A registry in which some crawlers that the hosts name are fallbacks, and most are missing.
REGISTRY = ("token,fallbacks,ignores_wildcard\nGPTBot,,false\nCCBot,,false\nGooglebot,,false\n"
            'Googlebot-News,"googlebot,amazonbot,claudebot",false\nAdsBot-Google,ahrefsbot,true\n')
# Each series has a seed and a registry; None is the built-in registry.
SERIES = ((1, None), (2, REGISTRY))
TREND_AGENTS = ("GPTBot", "Googlebot", "AdsBot-Google", "Googlebot-News", *CRAWLERS[1:])
FIRST_AGENTS = ("GPTBot", "CCBot")
STEPS = (60, 30)
HOSTS_WITH_CHANGES = 20
# A crawler that is not in the registry has figures for a crawl if this many hosts name it.
NAMING_HOSTS = 10
# Columns of hosts that are not part of the state of a host, and those that changes_of returns.
NO_STATE = {"host_id", "fetch_time", "authoritative_robots_id", "rules_crawl", "rules_robots_id", "n_captures", "n_changes"}
SHOWN = ("url", "fetch_status", "redirect_end", "is_revisit", "content_class", "wildcard_verdict", "wildcard_basis", "n_named")
# Shares are rounded to six places.
ROUNDING = 6e-7


def read_table(folder):
    return read_dicts(sorted(folder.rglob("*.parquet")))


def read_hosts(folder, crawl):
    """The hosts of a crawl with their domains and, by crawler, their rows of host_verdicts."""
    named = defaultdict(dict)
    for row in read_table(folder / "host_verdicts" / f"crawl={crawl}"):
        named[row["host_id"]][row["agent"]] = row
    for host in read_table(folder / "hosts" / f"crawl={crawl}"):
        yield host | {"named": named[host["host_id"]], "domain": host["url_host_registered_domain"] or host["surt_host_name"]}


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2] if values else None


def lines_of(row):
    """Identifies the lines of the policy of a capture (policy_text in xtask/src/series.rs). None if no line is read."""
    policy = int(row["policy"]) if row is not None and row["status"] == "200" else 0
    return (policy & 1023, policy >> 10 if policy >> 8 & 3 == 1 else None) if policy & 1023 else None


def days_between(first, last):
    """The days between the dates of two captures."""
    return (last["fetch_time"].date() - first["fetch_time"].date()).days


def decides(capture):
    is_deferred = (capture["wildcard_basis"], capture["wildcard_verdict"]) == ("http_status", "disallow_all")
    return not capture["is_revisit"] and capture["wildcard_verdict"] != "unknown" and not is_deferred


def is_blocking(capture, agent):
    row = capture["named"].get(agent)
    return row is not None and (row["verdict"], row["basis"]) == ("disallow_all", "explicit")


class Series:
    """A series of crawls with its history, and the expected answers."""

    def __init__(self, program, xtask, folder, seed, registry):
        run(xtask, "series", folder, CRAWLS, HOSTS, seed)
        (folder / "registry.csv").write_text(registry or "", encoding="utf-8")
        options = ("--agents", folder / "registry.csv") if registry else ()
        self.name, datasets, crawls = f"seed {seed}", folder / "datasets", [f"SERIES-{number:03}" for number in range(CRAWLS)]
        for crawl in crawls:
            archives = sorted((folder / crawl.replace("SERIES", "crawl")).glob("*.warc.gz"))
            run(program, *archives, "-q", "-o", datasets / crawl, "--crawl", crawl, *options)
        run(program, "history", *(datasets / crawl for crawl in crawls), "-q", "-o", folder / "history")
        shutil.copytree(datasets, folder / "joined")
        run(program, "join", folder / "joined", "-q")
        self.history = opened(folder / "history")
        self.registry = {row["agent"]: row for row in read_table(datasets / crawls[-1] / "agents")}
        self.filled = {crawl: list(read_hosts(folder / "joined" / "_joined", crawl)) for crawl in crawls}
        with open(folder / "truth.csv", newline="", encoding="utf-8") as file:
            truth = by_crawl_and_url(csv.DictReader(file))
        # The captures of each crawl, and those of each host in the order of crawls, which is that of time.
        self.by_crawl, self.by_host = defaultdict(list), defaultdict(list)
        for crawl in crawls:
            files = {row["robots_id"]: row for row in read_table(datasets / crawl / "robots_files")}
            for host in read_hosts(datasets / crawl, crawl):
                url, rules = files[host["authoritative_robots_id"]]["url"], files[host["rules_robots_id"]]
                lines = None if host["is_revisit"] else lines_of(end_of(truth[crawl][url], truth[crawl]))
                revisited = (rules["content_digest"], rules["url"]) if host["is_revisit"] else None
                state = lines, revisited, {name: value for name, value in host.items() if name not in NO_STATE | {"named"}}
                self.by_crawl[crawl].append(host | {"crawl": crawl, "url": url, "lines": lines, "state": state})
                self.by_host[host["surt_host_name"]].append(self.by_crawl[crawl][-1])
        # The hosts with the most periods.
        self.changing = sorted(self.by_host, key=lambda host: (-len(list(self.changes_of(host))), host))[:HOSTS_WITH_CHANGES]

    def heads(self, agents=None):
        """The first columns of the rows of a question: for each crawl, and for each crawler if there are any."""
        for crawl, captures in self.by_crawl.items():
            head = {"crawl": crawl, "median_fetch": lower_median([capture["fetch_time"] for capture in captures])}
            yield from [head] if agents is None else [head | {"agent": agent} for agent in sorted(map(str.lower, agents))]

    def outcome(self, host, agent):
        """The verdict for a crawler, or for a block the reason: by its group, that of the first of its fallbacks that is named, or `*`."""
        entry = self.registry.get(agent, {"fallbacks": None, "ignores_wildcard": False})
        rows = [host["named"].get(name, {"basis": None}) for name in (agent, *(entry["fallbacks"] or "").split(","))]
        row = next((row for row in rows if row["basis"] in ("explicit", "too_complex")), None)
        if row is None and entry["ignores_wildcard"] and host["wildcard_basis"] != "http_status":
            return "allow_all"
        verdict, basis = (host["wildcard_verdict"], host["wildcard_basis"]) if row is None else (row["verdict"], row["basis"])
        return verdict if verdict != "disallow_all" else {"explicit": "name", "http_status": "status"}.get(basis, "wildcard")

    def trend(self, agents):
        for head in self.heads(agents):
            hosts, agent = self.filled[head["crawl"]], head["agent"]
            outcomes = Counter(self.outcome(host, agent) for host in hosts)
            known, domains = len(hosts) - outcomes["unknown"], Counter(host["domain"] for host in hosts if self.outcome(host, agent) == "name")
            row = {"hosts": known, "low": None, "high": None, "partial": outcomes["partial"] / known, "domains_blocking": len(domains)}
            row |= {f"blocked_by_{reason}": outcomes[reason] / known for reason in ("name", "wildcard", "status")}
            row["largest_domain"] = max(domains.values()) / outcomes["name"] if domains else None
            is_counted = agent == "*" or agent in self.registry or sum(agent in host["named"] for host in hosts) >= NAMING_HOSTS
            yield head | (row if is_counted else dict.fromkeys(row))

    def first_blocks(self):
        begun, already, domains, all_begun, all_blocking = Counter(), Counter(), defaultdict(set), Counter(), Counter()
        for agent in map(str.lower, FIRST_AGENTS):
            for deciding in (list(filter(decides, captures)) for captures in self.by_host.values()):
                first = next((number for number, capture in enumerate(deciding) if is_blocking(capture, agent)), None)
                if first is not None:
                    (begun if first > 0 else already)[deciding[first]["crawl"], agent] += 1
                    domains[deciding[first]["crawl"], agent].add(deciding[first]["domain"])
        for head in self.heads(FIRST_AGENTS):
            crawl, agent = place = head["crawl"], head["agent"]
            all_begun[agent] += begun[place]
            all_blocking[agent] += begun[place] + already[place]
            yield head | {"hosts_in_crawl": len(self.by_crawl[crawl]), "seen_to_begin": begun[place], "already_blocking": already[place],
                          "domains": len(domains[place]), "cumulative_begun": all_begun[agent], "cumulative": all_blocking[agent]}

    def adoption_by_domain(self):
        adopted = defaultdict(set)
        for head in self.heads(FIRST_AGENTS):
            captures, domains = self.by_crawl[head["crawl"]], adopted[head["agent"]]
            first = {capture["domain"] for capture in captures if is_blocking(capture, head["agent"])} - domains
            domains |= first
            all_domains = {capture["domain"] for capture in captures}
            yield head | {"domains_in_crawl": len(all_domains), "first_blocking": len(first), "cumulative": len(domains)}

    def durations(self, agent):
        """The days for which each block that was seen to begin was observed, and whether it ended."""
        for captures in self.by_host.values():
            before = began = None
            for capture in filter(decides, captures):
                if began is not None and not is_blocking(capture, agent):
                    yield days_between(began, capture), True
                    began = None
                elif before is not None and is_blocking(capture, agent) and not is_blocking(before, agent):
                    began = capture
                before = capture
            if began is not None:
                yield days_between(began, before), False

    def survival_of_blocks(self, step_days):
        for agent in sorted(map(str.lower, CRAWLERS)):
            blocks, surviving = [(days // step_days, has_ended) for days, has_ended in self.durations(agent)], 1.0
            for step in sorted({step for step, _ in blocks}):
                at_risk, ended = sum(other >= step for other, _ in blocks), blocks.count((step, True))
                surviving *= 1 - ended / at_risk
                yield {"agent": agent, "from_day": step * step_days, "to_day": (step + 1) * step_days, "at_risk": at_risk, "ended": ended,
                       "not_seen_longer": blocks.count((step, False)), "still_blocking": surviving}

    def rates_of_change(self):
        counts, days = defaultdict(Counter), defaultdict(list)
        for captures in self.by_host.values():
            for capture in captures[1:]:
                counts[capture["crawl"]]["seen_before"] += 1
            contents = [capture for capture in captures if not capture["is_revisit"]]
            for before, capture in zip(contents, contents[1:]):
                columns = {"policy": "lines", "status": "fetch_status", "origin": "url"}
                kinds = [kind for kind, column in columns.items() if capture[column] != before[column]]
                if kinds:
                    counts[capture["crawl"]].update([*kinds, "changed"])
                    days[capture["crawl"]].append(days_between(before, capture))
        for head in self.heads():
            count = counts[head["crawl"]]
            shares = {kind: count[kind] / count["seen_before"] if count["seen_before"] else None for kind in ("changed", "policy", "status", "origin")}
            yield head | {"hosts": len(self.by_crawl[head["crawl"]]), "hosts_seen_before": count["seen_before"], "changed": count["changed"],
                          "days_between": lower_median(days[head["crawl"]])} | {f"share_{kind}": share for kind, share in shares.items()}

    def changes_of(self, host):
        periods, content = [], None
        for capture in self.by_host[host]:
            if not periods or capture["state"] != periods[-1][-1]["state"]:
                periods.append([])
            periods[-1].append(capture)
        for number, (first, *others) in enumerate(periods):
            last, changed = (first, *others)[-1], ["origin"] if first["url"] != periods[max(number - 1, 0)][0]["url"] else []
            if first["is_revisit"]:
                changed.append("revisit")
            else:
                before, content = content, {"redirects": (first["n_redirects"], first["redirect_end"]), "status": first["fetch_status"],
                                            "content_class": first["content_class"], "policy": first["lines"]}
                changed += [kind for kind in content if before is not None and content[kind] != before[kind]]
            yield {name: first[name] for name in SHOWN} | {
                "first_crawl": first["crawl"], "first_fetch": first["fetch_time"], "last_crawl": last["crawl"], "last_fetch": last["fetch_time"],
                "n_captures": 1 + len(others), "changed": changed if number else None, "policy_id": first["lines"] is not None, "preferences_id": None}


def compare(label, found, wanted):
    for number, (row, other) in enumerate(zip(found, wanted)):
        assert set(row) == set(other), f"{label}: the columns are {list(row)} instead of {list(other)}"
        pairs = [(name, row[name], value) for name, value in other.items()]
        wrong = [pair for pair in pairs if pair[1] != pair[2] and not (isinstance(pair[1], float) and abs(pair[1] - (pair[2] or 0)) <= ROUNDING)]
        assert not wrong, f"{label}: row {number} {list(row.values())[:3]}, found and wanted: {wrong}"
    assert len(found) == len(wanted), f"{label}: {len(found)} rows instead of {len(wanted)}"


class Tests:
    def __init__(self, program, xtask, folder):
        self.series = [Series(program, xtask, folder / f"seed-{seed}", seed, registry) for seed, registry in SERIES]

    def check(self, call, answer):
        for series in self.series:
            compare(f"{series.name}, {call}", query(series.history, f"FROM {call}"), list(answer(series)))

    def test_trend(self):
        self.check(f"trend({list(TREND_AGENTS)}, any_name := true)", lambda series: series.trend(TREND_AGENTS))

    def test_trend_of_the_wildcard(self):
        self.check("trend('*')", lambda series: series.trend("*"))

    def test_first_blocks(self):
        self.check(f"first_blocks({list(FIRST_AGENTS)})", Series.first_blocks)

    def test_adoption_by_domain(self):
        self.check(f"adoption_by_domain({list(FIRST_AGENTS)})", Series.adoption_by_domain)

    def test_survival_of_blocks(self):
        for days in STEPS:
            self.check(f"survival_of_blocks({list(CRAWLERS)}, step_days := {days}, any_name := true)", lambda series: series.survival_of_blocks(days))

    def test_rates_of_change(self):
        self.check("rates_of_change()", Series.rates_of_change)

    def test_changes_of(self):
        for series in self.series:
            for host in series.changing:
                name = series.by_host[host][0]["url_host_name"]
                found = query(series.history, "SELECT * REPLACE (policy_id IS NOT NULL AS policy_id) FROM changes_of(?)", [name])
                compare(f"{series.name}, changes_of('{name}')", found, list(series.changes_of(host)))

    def test_an_unknown_crawler_is_an_error(self):
        for question in ("trend", "first_blocks", "survival_of_blocks", "adoption_by_domain"):
            try:
                message = str(query(self.series[0].history, f"FROM {question}(['CCBot', 'GPTBto'])"))
            except duckdb.Error as error:
                message = str(error)
            assert "unknown agent 'GPTBto'" in message and "GPTBot" in message, f"{question}: {message}"

    def test_all_questions_are_listed(self):
        names = [row["name"] for row in query(self.series[0].history, "FROM questions()")]
        assert set(names) >= {path.stem[4:] for path in Path(__file__).with_name("history_queries").glob("*.sql")} and len(names) == len(set(names)), names

    def test_the_series_have_every_case(self):
        """Otherwise the other tests would prove less than they say."""
        cases = Counter()
        for series in self.series:
            for row in [*series.first_blocks(), *series.survival_of_blocks(STEPS[0]), *series.trend(TREND_AGENTS)]:
                cases.update({case: row.get(case, 0) for case in ("seen_to_begin", "already_blocking", "ended", "not_seen_longer")})
                cases["no figures"] += row.get("hosts", 0) is None
                cases["fallbacks"] += row["agent"] in ("googlebot-news", "adsbot-google") and row["blocked_by_name"] > 0
            changes = [row["changed"] for host in series.changing for row in series.changes_of(host) if row["changed"] is not None]
            cases.update(kind for changed in changes for kind in changed or ["unchanged"])
        assert len(cases) == 13 and min(cases.values()) >= 5, dict(cases)


def main(program, xtask):
    with tempfile.TemporaryDirectory() as folder:
        return test_runner.run(Tests(Path(program).resolve(), Path(xtask).resolve(), Path(folder)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(1 if main(*sys.argv[1:]) else 0)
