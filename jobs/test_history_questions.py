"""Compares the answers of a history to its questions over time with plain Python.

    python jobs/test_history_questions.py target/debug/robots-scan target/debug/xtask

The crawls are those of `xtask series`, each scanned by itself. The expected answers follow from the definitions in jobs/history_queries, from
the tables `hosts`, `host_verdicts`, `robots_files` and `agents` of the datasets, and from the truth about the series. DuckDB reads files for
them; no SQL of the product is used. `trend` counts hosts whose revisits are filled, and is compared with the tables of `robots-scan join`.
The other questions read periods, in which each crawl is resolved by itself.
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
from test_series import CRAWLERS, by_crawl_and_url, end_of, run

CRAWLS, HOSTS = 10, 150
# A registry in which some crawlers that the hosts name are fallbacks, and most are missing.
REGISTRY = """token,fallbacks,ignores_wildcard
GPTBot,,false
CCBot,,false
Googlebot,,false
Googlebot-News,"googlebot,amazonbot,claudebot",false
AdsBot-Google,ahrefsbot,true
"""
# Each series has a seed and a registry; None is the built-in registry.
SERIES = ((1, None), (2, REGISTRY))
TREND_AGENTS = ("GPTBot", "Googlebot", "AdsBot-Google", "Googlebot-News", "*", *CRAWLERS[1:])
FIRST_AGENTS = ("GPTBot", "CCBot")
STEPS = (60, 30)
HOSTS_WITH_CHANGES = 20
# A crawler that is not in the registry has figures for a crawl if this many hosts name it.
NAMING_HOSTS = 10
QUESTIONS = ["adoption_by_domain", "changes_of", "first_blocks", "rates_of_change", "survival_of_blocks", "trend"]
# Columns of hosts that are not part of the state of a host.
NO_STATE = {"host_id", "fetch_time", "authoritative_robots_id", "rules_crawl", "rules_robots_id", "n_captures", "n_changes"}
# Shares are rounded to six places.
ROUNDING = 6e-7
READER = duckdb.connect()


def dicts(cursor):
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def read_rows(folder):
    files = [str(file) for file in sorted(folder.rglob("*.parquet"))]
    return dicts(READER.execute("SELECT * FROM read_parquet(?, hive_partitioning = false)", [files]))


def read_hosts(folder, crawl):
    """The hosts of a crawl, each with the rows of host_verdicts by crawler."""
    named = defaultdict(dict)
    for row in read_rows(folder / "host_verdicts" / f"crawl={crawl}"):
        named[row["host_id"]][row["agent"]] = row
    return [host | {"named": named[host["host_id"]]} for host in read_rows(folder / "hosts" / f"crawl={crawl}")]


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2] if values else None


def lines_of(row):
    """Identifies the lines of the policy of a capture (policy_text in xtask/src/series.rs). None if no line is read."""
    if row is None or row["status"] != "200" or not int(row["policy"]) & 1023:
        return None
    policy = int(row["policy"])
    return policy & 1023, policy >> 10 if policy >> 8 & 3 == 1 else None


def domain_of(host):
    return host["url_host_registered_domain"] or host["surt_host_name"]


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
        self.name, self.crawls, datasets = f"seed {seed}", [f"SERIES-{number:03}" for number in range(CRAWLS)], folder / "datasets"
        for crawl in self.crawls:
            archives = sorted((folder / crawl.replace("SERIES", "crawl")).glob("*.warc.gz"))
            run(program, *archives, "-q", "-o", datasets / crawl, "--crawl", crawl, *options)
        run(program, "history", *(datasets / crawl for crawl in self.crawls), "-q", "-o", folder / "history")
        shutil.copytree(datasets, folder / "joined")
        run(program, "join", folder / "joined", "-q")
        self.history = opened(folder / "history")
        self.registry = {row["agent"]: row for row in read_rows(datasets / self.crawls[-1] / "agents")}
        self.filled = {crawl: read_hosts(folder / "joined" / "_joined", crawl) for crawl in self.crawls}
        with open(folder / "truth.csv", newline="", encoding="utf-8") as file:
            truth = by_crawl_and_url(csv.DictReader(file))
        # The captures of each crawl, and those of each host in the order of crawls, which is that of time.
        self.by_crawl = {crawl: self.read_captures(datasets / crawl, crawl, truth[crawl]) for crawl in self.crawls}
        self.by_host = defaultdict(list)
        for captures in self.by_crawl.values():
            for capture in captures:
                self.by_host[capture["surt_host_name"]].append(capture)

    @staticmethod
    def read_captures(dataset, crawl, truth):
        """The rows of hosts of a dataset with their lines and their state."""
        files = {row["robots_id"]: row for row in read_rows(dataset / "robots_files")}
        captures = read_hosts(dataset, crawl)
        for host in captures:
            url, rules = files[host["authoritative_robots_id"]]["url"], files[host["rules_robots_id"]]
            lines = None if host["is_revisit"] else lines_of(end_of(truth[url], truth))
            revisited = (rules["content_digest"], rules["url"]) if host["is_revisit"] else None
            state = lines, revisited, {name: value for name, value in host.items() if name not in NO_STATE}
            host |= {"crawl": crawl, "url": url, "lines": lines, "state": state}
        return captures

    def heads(self, agents=None):
        """The first columns of the rows of a question: for each crawl, and for each crawler if there are any."""
        for crawl, captures in self.by_crawl.items():
            head = {"crawl": crawl, "median_fetch": lower_median([capture["fetch_time"] for capture in captures])}
            yield from [head] if agents is None else [head | {"agent": agent} for agent in sorted(map(str.lower, agents))]

    def verdict(self, host, agent):
        """The verdict and its basis: of the group of a crawler, of the first of its fallbacks that is named, or of `*`."""
        entry = self.registry.get(agent, {"fallbacks": None, "ignores_wildcard": False})
        for name in (agent, *(entry["fallbacks"] or "").split(",")):
            row = host["named"].get(name)
            if row is not None and row["basis"] in ("explicit", "too_complex"):
                return row["verdict"], row["basis"]
        if entry["ignores_wildcard"] and host["wildcard_basis"] != "http_status":
            return "allow_all", "no_group"
        return host["wildcard_verdict"], host["wildcard_basis"]

    def trend(self):
        for head in self.heads(TREND_AGENTS):
            hosts, agent = self.filled[head["crawl"]], head["agent"]
            known = [(domain_of(host), *self.verdict(host, agent)) for host in hosts]
            known = [(domain, verdict, basis) for domain, verdict, basis in known if verdict != "unknown"]
            blocking = [(domain, basis if basis in ("explicit", "http_status") else "*") for domain, verdict, basis in known if verdict == "disallow_all"]
            reasons, domains = Counter(basis for _, basis in blocking), Counter(domain for domain, basis in blocking if basis == "explicit")
            row = {
                "hosts": len(known), "low": None, "high": None, "blocked_by_name": reasons["explicit"] / len(known),
                "blocked_by_wildcard": reasons["*"] / len(known), "blocked_by_status": reasons["http_status"] / len(known),
                "partial": sum(verdict == "partial" for _, verdict, _ in known) / len(known), "domains_blocking": len(domains),
                "largest_domain": max(domains.values()) / reasons["explicit"] if domains else None}
            is_counted = agent == "*" or agent in self.registry or sum(agent in host["named"] for host in hosts) >= NAMING_HOSTS
            yield head | (row if is_counted else dict.fromkeys(row))

    def first_blocks(self):
        begun, already, domains = Counter(), Counter(), defaultdict(set)
        for captures in self.by_host.values():
            deciding = list(filter(decides, captures))
            for agent in map(str.lower, FIRST_AGENTS):
                first = next((number for number, capture in enumerate(deciding) if is_blocking(capture, agent)), None)
                if first is not None:
                    (begun if first > 0 else already)[deciding[first]["crawl"], agent] += 1
                    domains[deciding[first]["crawl"], agent].add(domain_of(deciding[first]))
        for head in self.heads(FIRST_AGENTS):
            place = head["crawl"], head["agent"]
            until = [(crawl, head["agent"]) for crawl in self.crawls if crawl <= head["crawl"]]
            yield head | {
                "hosts_in_crawl": len(self.by_crawl[head["crawl"]]), "seen_to_begin": begun[place], "already_blocking": already[place],
                "domains": len(domains[place]), "cumulative_begun": sum(begun[key] for key in until),
                "cumulative": sum(begun[key] + already[key] for key in until)}

    def adoption_by_domain(self):
        adopted = defaultdict(set)
        for head in self.heads(FIRST_AGENTS):
            captures, before = self.by_crawl[head["crawl"]], len(adopted[head["agent"]])
            adopted[head["agent"]].update(domain_of(capture) for capture in captures if is_blocking(capture, head["agent"]))
            cumulative = len(adopted[head["agent"]])
            yield head | {"domains_in_crawl": len(set(map(domain_of, captures))), "first_blocking": cumulative - before, "cumulative": cumulative}

    def durations(self, agent):
        """The days that each block that was seen to begin was observed, and whether it ended."""
        for captures in self.by_host.values():
            before = began = None
            for capture in filter(decides, captures):
                if not is_blocking(capture, agent) and began is not None:
                    yield days_between(began, capture), True
                    began = None
                elif is_blocking(capture, agent) and before is not None and not is_blocking(before, agent):
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
                yield {
                    "agent": agent, "from_day": step * step_days, "to_day": (step + 1) * step_days, "at_risk": at_risk, "ended": ended,
                    "not_seen_longer": blocks.count((step, False)), "still_blocking": surviving}

    def rates_of_change(self):
        seen_before, counts, days = Counter(), defaultdict(Counter), defaultdict(list)
        for captures in self.by_host.values():
            seen_before.update(capture["crawl"] for capture in captures[1:])
            contents = [capture for capture in captures if not capture["is_revisit"]]
            for before, capture in zip(contents, contents[1:]):
                columns = {"policy": "lines", "status": "fetch_status", "origin": "url"}
                kinds = [kind for kind, column in columns.items() if capture[column] != before[column]]
                if kinds:
                    counts[capture["crawl"]].update([*kinds, "changed"])
                    days[capture["crawl"]].append(days_between(before, capture))
        for head in self.heads():
            seen, count = seen_before[head["crawl"]], counts[head["crawl"]]
            shares = {f"share_{kind}": count[kind] / seen if seen else None for kind in ("changed", "policy", "status", "origin")}
            yield head | shares | {
                "hosts": len(self.by_crawl[head["crawl"]]), "hosts_seen_before": seen, "changed": count["changed"],
                "days_between": lower_median(days[head["crawl"]])}

    def changes_of(self, host):
        periods, content = [], None
        for capture in self.by_host[host]:
            if not periods or capture["state"] != periods[-1][-1]["state"]:
                periods.append([])
            periods[-1].append(capture)
        for number, period in enumerate(periods):
            first, last = period[0], period[-1]
            changed = ["origin"] if number and first["url"] != periods[number - 1][0]["url"] else []
            if first["is_revisit"]:
                changed.append("revisit")
            else:
                before, content = content, {
                    "redirects": (first["n_redirects"], first["redirect_end"]), "status": first["fetch_status"],
                    "content_class": first["content_class"], "policy": first["lines"]}
                changed += [kind for kind in content if before is not None and content[kind] != before[kind]]
            same = ("url", "fetch_status", "redirect_end", "is_revisit", "content_class", "wildcard_verdict", "wildcard_basis", "n_named")
            yield {name: first[name] for name in same} | {
                "first_crawl": first["crawl"], "first_fetch": first["fetch_time"], "last_crawl": last["crawl"], "last_fetch": last["fetch_time"],
                "n_captures": len(period), "changed": changed if number else None, "policy_id": first["lines"] is not None, "preferences_id": None}

    def changing_hosts(self):
        """The hosts with the most periods."""
        return sorted(self.by_host, key=lambda host: (-len(list(self.changes_of(host))), host))[:HOSTS_WITH_CHANGES]


def compare(label, found, wanted):
    for number, (row, other) in enumerate(zip(found, wanted)):
        assert set(row) == set(other), f"{label}: the columns are {list(row)} instead of {list(other)}"
        wrong = [
            f"{name} is {row[name]!r} instead of {value!r}" for name, value in other.items()
            if not (abs(row[name] - value) <= ROUNDING if isinstance(value, float) and row[name] is not None else row[name] == value)]
        assert not wrong, f"{label}: row {number} {list(row.values())[:3]}: {'; '.join(wrong)}"
    assert len(found) == len(wanted), f"{label}: {len(found)} rows instead of {len(wanted)}"


class Tests:
    def __init__(self, program, xtask, folder):
        self.series = [Series(program, xtask, folder / f"seed-{seed}", seed, registry) for seed, registry in SERIES]

    def check(self, call, wanted):
        for series in self.series:
            compare(f"{series.name}, {call}", dicts(series.history.execute(f"FROM {call}")), list(wanted(series)))

    def test_trend(self):
        self.check(f"trend({list(TREND_AGENTS)}, any_name := true)", Series.trend)

    def test_first_blocks(self):
        self.check(f"first_blocks({list(FIRST_AGENTS)})", Series.first_blocks)

    def test_adoption_by_domain(self):
        self.check(f"adoption_by_domain({list(FIRST_AGENTS)})", Series.adoption_by_domain)

    def test_survival_of_blocks(self):
        for step in STEPS:
            call = f"survival_of_blocks({list(CRAWLERS)}, step_days := {step}, any_name := true)"
            self.check(call, lambda series: series.survival_of_blocks(step))

    def test_rates_of_change(self):
        self.check("rates_of_change()", Series.rates_of_change)

    def test_changes_of(self):
        for series in self.series:
            for host in series.changing_hosts():
                name = series.by_host[host][0]["url_host_name"]
                found = dicts(series.history.execute("SELECT * REPLACE (policy_id IS NOT NULL AS policy_id) FROM changes_of(?)", [name]))
                compare(f"{series.name}, changes_of('{name}')", found, list(series.changes_of(host)))

    def test_an_unknown_crawler_is_an_error(self):
        for question in ("trend", "first_blocks", "survival_of_blocks", "adoption_by_domain"):
            for agent in ("'GPTBto'", "['CCBot', 'GPTBto']"):
                try:
                    self.series[0].history.execute(f"FROM {question}({agent})").fetchall()
                    raise AssertionError(f"{question}({agent}) is not an error")
                except duckdb.Error as error:
                    assert "unknown agent 'GPTBto'" in str(error) and "GPTBot" in str(error), f"{question}({agent}): {error}"

    def test_all_questions_are_listed(self):
        names = [name for name, in self.series[0].history.execute("SELECT name FROM questions()").fetchall()]
        assert sorted(set(names) & set(QUESTIONS)) == QUESTIONS and len(names) == len(set(names)), names

    def test_the_series_have_every_case(self):
        """Otherwise the other tests would prove less than they say."""
        cases = Counter()
        for series in self.series:
            for row in [*series.first_blocks(), *series.survival_of_blocks(STEPS[0])]:
                cases.update({case: row.get(case, 0) for case in ("seen_to_begin", "already_blocking", "ended", "not_seen_longer")})
            for row in (row for host in series.changing_hosts() for row in series.changes_of(host)):
                cases.update(row["changed"] or ["unchanged"] * (row["changed"] == []))
            for row in series.trend():
                cases["no figures"] += row["hosts"] is None
                cases["fallbacks"] += row["agent"] in ("googlebot-news", "adsbot-google") and row["blocked_by_name"] > 0
            cases["filled"] += sum(capture["is_revisit"] for captures in series.by_crawl.values() for capture in captures)
            cases["followed"] += sum(capture["n_redirects"] > 0 for captures in series.by_crawl.values() for capture in captures)
        wanted = ("seen_to_begin", "already_blocking", "ended", "not_seen_longer", "origin", "revisit", "redirects", "status", "content_class", "policy",
                  "unchanged", "no figures", "fallbacks", "filled", "followed")
        assert min(cases[case] for case in wanted) >= 5, dict(cases)


def main(program, xtask):
    with tempfile.TemporaryDirectory() as folder:
        return test_runner.run(Tests(Path(program).resolve(), Path(xtask).resolve(), Path(folder)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(1 if main(*sys.argv[1:]) else 0)
