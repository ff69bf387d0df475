"""Blocking over time, over all hosts and over the hosts that are decided in every crawl."""

import re
from copy import copy

from .. import evidence
from ..chart import Chart
from ..dataset import literal
from ..figure import Column, Figure, Section, count, plural, share
from ..study import ALL_AGENTS, LINES_MAX
from .shares import BLOCKING, FEW, blocking_row, columns_of, name_rules, number_of, ranked, said, said_of_hosts

# A line connects two crawls if both have at least this share of the decided hosts of the smaller one. Otherwise the difference between them
# may be one of their hosts.
CONNECTED_MIN = 0.5
# With fewer hosts that are decided in every crawl, their change is not drawn: it would say little about others.
SAME_HOSTS_MIN = 100
# A share between two crawls is said if it is beyond those of both by this part of the largest share.
BEYOND_ENDS = 0.1
# Points have the number of hosts or domains if it is smaller.
NUMBERS_BELOW = 100
# A crawl of more days is no point in time.
DAYS_MAX = 42
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Sentences name at most this many crawls without times, or of which a sample was read.
LISTED_MAX = 3
PANELS = (("registered domains", "domains_"), ("hosts", ""))


def build(study):
    section = Section("time", "Over time", [])
    long = [crawl for crawl in study.crawls if is_long(study, crawl)]
    lines = connected(study, [crawl for crawl in study.crawls if crawl not in long]) if len(study.crawls) >= 2 else []
    main = longest(lines)
    if len(main) >= 2:
        left_out = [*left_out_of(study, main, long), *other_years(study)]
        study = copy(study)
        study.crawls = main
        section.figures = [all_hosts(study), *(same_hosts(study, agent) for agent in study.chosen)]
        for figure in section.figures[:1]:
            figure.lead, figure.missing = figure.lead and " ".join([figure.lead, *left_out]), figure.missing and " ".join([figure.missing, *left_out])
        return section
    crawls = sum(row["hosts"] > 0 for row in study.dataset.crawls)
    if len(study.crawls) >= 2:
        missing = " ".join(["No two crawls have enough hosts in common, so the differences between them may be those of their hosts, and are no change over time.",
                            *left_out_of(study, main, long), *other_years(study)])
    elif crawls and not study.crawls:
        missing = "No crawl of --crawls has hosts."
    elif crawls > 1:
        missing = f"--crawls names one crawl with hosts, {study.crawls[0]}, and a change needs two."
    elif crawls:
        missing = " ".join([f"The dataset has one crawl, {study.crawls[0]}, and a change needs two. `robots-scan join` joins datasets of several crawls.", *other_years(study)])
    else:
        missing = "The dataset has no crawl with hosts."
    section.figures = [Figure("time", "Blocking by name over time", missing=missing)]
    return section


def row_of(study, crawl):
    return next(row for row in study.timeline.crawls if row["crawl"] == crawl)


def is_long(study, crawl):
    """Returns true if the captures of a crawl are of more than some weeks, so that it has no place on an axis of time."""
    first, last = row_of(study, crawl)["first_fetch"], row_of(study, crawl)["last_fetch"]
    return first is not None and (last - first).days > DAYS_MAX


def left_out_of(study, main, long):
    """Returns a sentence about the crawls that are not drawn: those of other hosts, those of more than some weeks, and those without times; in a list."""
    untimed = [crawl for crawl in study.crawls if study.times[crawl] is None]
    others = [crawl for crawl in study.crawls if crawl not in main and crawl not in long and crawl not in untimed]
    others.sort(key=lambda crawl: -row_of(study, crawl)["hosts"])
    spans = [f"{crawl} ({row['first_fetch'].date()} to {row['last_fetch'].date()})" for crawl in long for row in [row_of(study, crawl)]]
    parts = [*([f"of other hosts: {listed(others)}"] if others and main else []), *([f"of more than six weeks: {listed(spans)}"] if spans else []),
             *([f"without times: {listed(untimed)}"] if untimed else [])]
    return [f"Not drawn, crawls {'; '.join(parts)}."] if parts else []


def other_years(study):
    """Returns a notice about crawls whose captures are not of the year in their names, in a list."""
    found = []
    for crawl in study.crawls:
        years = other_year(row_of(study, crawl))
        found += [f"{crawl} ({years})"] if years else []
    return [f"Of another year than the name: {listed(found)}."] if found else []


def other_year(row):
    """Returns the years of the captures of a crawl if none of them is that in its name."""
    year = YEAR.search(row["crawl"])
    if not year or not row["first_fetch"]:
        return None
    first, last = row["first_fetch"].year, row["last_fetch"].year
    return None if first <= int(year[0]) <= last else str(first) if first == last else f"{first} to {last}"


def connected(study, among):
    """Returns crawls with a time as lines: lists of crawls in the order of time, of which neighbours share most of their hosts."""
    crawls = ", ".join(map(literal, among)) or "NULL"
    shared = study.counts(f"""
        WITH h AS (SELECT list(d.crawl) AS crawls FROM hosts_with('decided') d WHERE d.crawl IN ({crawls}) GROUP BY d.surt_host_name),
        n AS (SELECT list_sort(h.crawls) AS crawls, count(*) AS hosts FROM h GROUP BY 1)
        SELECT a.crawl AS one, b.crawl AS other, sum(n.hosts)::BIGINT AS hosts FROM n, unnest(n.crawls) a(crawl), unnest(n.crawls) b(crawl) GROUP BY ALL""")
    lines = []
    for crawl in among:
        if study.times[crawl] is None:
            continue
        # The line that ends with the latest of the crawls with enough of these hosts.
        for line in sorted(lines, key=lambda line: study.crawls.index(line[-1]), reverse=True):
            smaller = min(shared.get((crawl, crawl), 0), shared.get((line[-1], line[-1]), 0))
            if smaller and shared.get((crawl, line[-1]), 0) >= CONNECTED_MIN * smaller:
                line.append(crawl)
                break
        else:
            lines.append([crawl])
    return lines


def longest(lines):
    """Returns the line of most crawls, and of these the one that ends last."""
    return max(reversed(lines), key=len, default=[])


def points(study, row, panel, series, value, hosts, domains=None, **more):
    """Returns a point of a chart, in a list, or an empty one for a crawl without a time. `hosts` is how many hosts are counted, and `domains` how many registered
    domains, of a panel of domains."""
    crawl = row["crawl"]
    if study.times[crawl] is None or value is None:
        return []
    counted = hosts if domains is None else value * domains
    return [{"crawl": crawl, "time": study.times[crawl], "line": 0, "panel": panel, "series": series, "share": value, "few": hosts < FEW or counted < FEW,
             "number": number_of(counted) if 0 < counted < NUMBERS_BELOW else "", **more}]


def all_hosts(study):
    last = study.crawls[-1]
    crawlers = "crawlers" if study.drawn else "AI crawlers"
    source, rows = study.ask("blocking_by_agent", **({"agent": [agent.token for agent in study.drawn]} if study.drawn else {"top": ALL_AGENTS}))
    of_last = ranked([row for row in rows if row["crawl"] == last and row["hosts_blocked_by_name"]])
    figure = Figure("ai-crawlers-over-time", f"{crawlers[0].upper()}{crawlers[1:]} blocked by name over time, over all hosts", sources=[source])
    # The first one is that of the report's first numbers.
    agents = [agent.name for agent in study.drawn] if study.drawn else list(dict.fromkeys([study.agent.name, *(row["agent"] for row in of_last)]))[:LINES_MAX]
    found = {(row["agent"], row["crawl"]): row for row in rows if row["hosts"]}
    if not study.drawn and not any(found.get((study.agent.name, crawl), {}).get("hosts_blocked_by_name") for crawl in study.crawls):
        agents = [row["agent"] for row in of_last][:LINES_MAX]
    if not agents:
        figure.missing = f"No robots.txt in {last} blocks an AI crawler of the registry by name."
        return figure
    figure.rows = [
        blocking_row({**found[agent, crawl], "day": study.day(crawl)}, f"{study.name_of(agent)} in {crawl}", found[agent, crawl]["hosts_blocked_by_name"],
                     evidence.verdicts(agent, crawl, evidence.BY_NAME))
        for agent in agents for crawl in study.crawls if (agent, crawl) in found]
    decided = {row["crawl"] for row in figure.rows}
    if len(decided) < 2:
        return Figure(figure.key, figure.title, missing=f"Only {last} has hosts with a known verdict, and a change needs two crawls.")
    name_rules(study, figure.rows)
    figure.columns = columns_of(figure.rows, "crawler and crawl", [Column("day", "median day"), *only_by_name()], "by name")
    drawn = [point for panel, prefix in PANELS for row in figure.rows for point in points(
        study, row, panel, study.name_of(row["agent"]), row[prefix + "blocked_by_name"], row["counted"], row["domains"] if prefix else None,
        described=f"{row['label']}: {share(row[prefix + 'blocked_by_name'])} of {panel}", **(ends(row) if not prefix else {}))]
    if drawn:
        figure.chart = Chart("lines", f"Registered domains and hosts that block {crawlers} by name, by the median time of each crawl", drawn)
    left_out = [crawl for crawl in study.crawls if crawl not in decided]
    line = [row for row in figure.rows if row["agent"] == agents[0]]
    figure.lead = (f"{study.name_of(agents[0])} is blocked {study.agents[agents[0]].by_name()} by {said(line[0])} in {line[0]['crawl']}, and by {said(line[-1])} "
                   f"in {line[-1]['crawl']}.{between(line)} Through *, it is {share(line[0]['domains_blocked_by_wildcard'])} and "
                   f"{share(line[-1]['domains_blocked_by_wildcard'])} of registered domains.")
    figure.warnings = caution(study)
    figure.notes = [*([f"No host has a known verdict in {', '.join(left_out)}."] if left_out else []),
                    *([f"The first {LINES_MAX} crawlers of --agent are drawn."] if study.drawn and len(study.chosen) > LINES_MAX else []),
                    "A crawl is drawn at the median of its times of fetching. The crawls are the longest run of which each has at least "
                    f"{share(CONNECTED_MIN)} of the hosts with a known verdict of the smaller one in common with the one before; --crawls chooses others. If all hosts and the "
                    "hosts that are decided in every crawl differ, part of the change is a change of the sample."]
    return figure


def between(rows):
    """Returns a sentence about the largest or the smallest share of registered domains between the ends, with a space before it, if it differs much from both."""
    rows = [row for row in rows if row["domains_blocked_by_name"] is not None]
    shares = [row["domains_blocked_by_name"] for row in rows]
    if len(rows) < 3:
        return ""
    least = BEYOND_ENDS * max(shares)
    found = []
    low, high = sorted((rows[0], rows[-1]), key=lambda row: row["domains_blocked_by_name"])
    largest, smallest = rows[shares.index(max(shares))], rows[shares.index(min(shares))]
    for name, row, above, below in (("largest", largest, largest, high), ("smallest", smallest, low, smallest)):
        distance = above["domains_blocked_by_name"] - below["domains_blocked_by_name"]
        if distance > 0 and distance >= least:
            found.append(f"{name} in {row['crawl']}, {share(row['domains_blocked_by_name'])} ({said_of_hosts(row)})")
    return f" Between these crawls, the share of domains is {' and '.join(found)}." if found else ""


def listed(crawls):
    """Returns the names of crawls, and the number of the others if they are many."""
    return ", ".join(crawls[:LISTED_MAX]) + (f" and {len(crawls) - LISTED_MAX} more" if len(crawls) > LISTED_MAX else "")


def only_by_name():
    return [column for column in BLOCKING if column.name in ("hosts", "counted", "blocked_by_name", "domains", "domains_blocked_by_name")]


def ends(row):
    return {"low": row["low"], "high": row["high"]}


def caution(study):
    """Returns a sentence about crawls of which a random sample of archives was read."""
    samples = [row["crawl"] for row in study.timeline.crawls if row["crawl"] in study.crawls and row["is_sample"]]
    return [f"Of {listed(samples)}, a random sample of archives was read: other hosts than those of the other crawls."] if samples else []


def same_hosts(study, agent):
    name, token = study.key("same-hosts", agent), agent.token
    title = f"{token} blocked by name among the same hosts"
    same = study.dataset.value(f"SELECT count(*) FROM ({decided_in_every_crawl(study, agent)})")
    if same < SAME_HOSTS_MIN:
        number = f"No host is decided in all {len(study.crawls)} crawls" if not same else (
            f"Only {plural(same, 'host')} {'is' if same == 1 else 'are'} decided in all {len(study.crawls)} crawls, fewer than {SAME_HOSTS_MIN}")
        return Figure(name, title, missing=f"{number}, so the change among the same hosts is not drawn. The option --crawls A,B,C restricts this section to crawls of the same hosts.")
    source, rows = study.ask("hosts_decided_in_every_crawl", agent=token, crawls=study.chosen_crawls)
    figure = Figure(name, title, sources=[source])
    rows.sort(key=lambda row: study.crawls.index(row["crawl"]))
    counts = study.counts(f"SELECT v.crawl, count(*) FROM verdicts_for({literal(token)}) v WHERE {evidence.BY_NAME} AND {in_every_crawl(study, agent)} GROUP BY v.crawl")
    figure.rows = [blocking_row({**row, "day": study.day(row["crawl"])}, row["crawl"], counts.get((row["crawl"],), 0),
                                evidence.verdicts(token, row["crawl"], f"{evidence.BY_NAME} AND {in_every_crawl(study, agent)}")) for row in rows]
    name_rules(study, figure.rows)
    figure.columns = columns_of(figure.rows, "crawl", [
        Column("day", "median day"), Column("hosts", "decided in every crawl", "count"), Column("counted", "hosts by name", "count"),
        Column("blocked_by_name", "by name", "share"), Column("domains", "their domains", "count"), Column("domains_blocked_by_name", "domains by name", "share"),
        Column("all_hosts", "all hosts", "count"), Column("all_hosts_blocked_by_name", "all hosts by name", "share"),
        Column("all_domains_blocked_by_name", "all domains by name", "share")], "by name")
    drawn = []
    for panel, columns in (("registered domains", ("all_domains_blocked_by_name", "domains_blocked_by_name")), ("hosts", ("all_hosts_blocked_by_name", "blocked_by_name"))):
        for series, column, of_hosts in zip(("all hosts", "decided in every crawl"), columns, ("all_hosts", "hosts")):
            for row in figure.rows:
                hosts = row["counted"] if of_hosts == "hosts" else round(row["all_hosts_blocked_by_name"] * row["all_hosts"])
                # The question does not have the number of the domains of all hosts.
                more = {"number": ""} if column == "all_domains_blocked_by_name" else ends(row) if column == "blocked_by_name" else {}
                drawn += points(study, row, panel, series, row[column], hosts, row["domains"] if column == "domains_blocked_by_name" else None,
                                described=f"{series} in {row['crawl']}: {share(row[column])} of {panel}", **more)
    first, last = figure.rows[0], figure.rows[-1]
    figure.lead = (f"Among the {plural(last['hosts'], 'host')} that are decided in every crawl, {share(first['domains_blocked_by_name'])} of their registered domains block {token} "
                   f"{agent.by_name()} in {first['crawl']} and {share(last['domains_blocked_by_name'])} in {last['crawl']} ({share(first['blocked_by_name'])} and "
                   f"{share(last['blocked_by_name'])} of these hosts); among all hosts, {share(first['all_domains_blocked_by_name'])} and "
                   f"{share(last['all_domains_blocked_by_name'])} of registered domains ({share(first['all_hosts_blocked_by_name'])} of {count(first['all_hosts'])} and "
                   f"{share(last['all_hosts_blocked_by_name'])} of {plural(last['all_hosts'], 'host')}).{between(figure.rows)}")
    return figure


def decided_in_every_crawl(study, agent):
    """Returns a query for the hosts that are decided in each of the crawls."""
    crawls = ", ".join(map(literal, study.crawls))
    return (f"SELECT b.surt_host_name FROM blocking({literal(agent.token)}) b WHERE b.crawl IN ({crawls}) "
            f"GROUP BY b.surt_host_name HAVING count(*) = {len(study.crawls)}")


def in_every_crawl(study, agent):
    """Returns the condition that a host is decided in each of the crawls."""
    return f"v.crawl IN ({', '.join(map(literal, study.crawls))}) AND v.surt_host_name IN ({decided_in_every_crawl(study, agent)})"
