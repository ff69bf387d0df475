"""Blocking over time, over all hosts and over the hosts that are decided in every crawl."""

from .. import evidence
from ..chart import Chart
from ..dataset import literal
from ..figure import Column, Figure, Section, count, plural, share
from ..study import ALL_AGENTS, LINES_MAX
from .shares import BLOCKING, FEW, blocking_row, columns_of, ranked, said

# A line connects two crawls if both have at least this share of the decided hosts of the smaller one. Otherwise the difference between them
# may be one of their hosts.
CONNECTED_MIN = 0.5
# With fewer hosts that are decided in every crawl, their change is not drawn: it would say little about others.
SAME_HOSTS_MIN = 100
# A share between two crawls is said if it is beyond those of both by this part of the largest share.
BEYOND_ENDS = 0.1
# Sentences name at most this many crawls without times, or of which a sample was read.
LISTED_MAX = 5
PANELS = (("registered domains", "domains_"), ("hosts", ""))


def build(study):
    section = Section("time", "Over time", [])
    if len(study.crawls) >= 2:
        lines = connected(study)
        section.figures = [all_hosts(study, lines), *(same_hosts(study, agent, lines) for agent in study.chosen)]
        return section
    crawls = sum(row["hosts"] > 0 for row in study.dataset.crawls)
    if crawls and not study.crawls:
        missing = "No crawl of --crawls has hosts."
    elif crawls > 1:
        missing = f"--crawls names one crawl with hosts, {study.crawls[0]}, and a change needs two."
    elif crawls:
        missing = f"The dataset has one crawl, {study.crawls[0]}, and a change needs two. `robots-scan join` joins datasets of several crawls."
    else:
        missing = "The dataset has no crawl with hosts."
    section.figures = [Figure("time", "Blocking by name over time", missing=missing)]
    return section


def connected(study):
    """Returns the crawls with a time as lines: lists of crawls in the order of time, of which neighbours share most of their hosts."""
    crawls = ", ".join(map(literal, study.crawls))
    shared = study.counts(f"""
        WITH h AS (SELECT list(d.crawl) AS crawls FROM hosts_with('decided') d WHERE d.crawl IN ({crawls}) GROUP BY d.surt_host_name),
        n AS (SELECT list_sort(h.crawls) AS crawls, count(*) AS hosts FROM h GROUP BY 1)
        SELECT a.crawl AS one, b.crawl AS other, sum(n.hosts)::BIGINT AS hosts FROM n, unnest(n.crawls) a(crawl), unnest(n.crawls) b(crawl) GROUP BY ALL""")
    lines = []
    for crawl in study.crawls:
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


def points(study, lines, row, panel, series, value, **more):
    """Returns a point of a chart, in a list, or an empty one for a crawl without a time."""
    crawl = row["crawl"]
    number = next((i for i, line in enumerate(lines) if crawl in line), None)
    if number is None:
        return []
    is_alone = len(lines) > 1 and len(lines[number]) == 1
    return [{"crawl": crawl, "time": study.times[crawl], "line": number, "alone": crawl if is_alone else None, "panel": panel, "series": series, "share": value, **more}]


def all_hosts(study, lines):
    last = study.crawls[-1]
    crawlers = "crawlers" if study.drawn else "AI crawlers"
    source, rows = study.ask("blocking_by_agent", **({"agent": [agent.token for agent in study.drawn]} if study.drawn else {"top": ALL_AGENTS}))
    of_last = ranked([row for row in rows if row["crawl"] == last and row["hosts_blocked_by_name"]])
    figure = Figure("ai-crawlers-over-time", f"{crawlers[0].upper()}{crawlers[1:]} blocked by name over time, over all hosts", sources=[source])
    agents = [agent.name for agent in study.drawn] if study.drawn else [row["agent"] for row in of_last][:LINES_MAX]
    if not agents:
        figure.missing = f"No robots.txt in {last} blocks an AI crawler of the registry by name."
        return figure
    found = {(row["agent"], row["crawl"]): row for row in rows if row["hosts"]}
    figure.rows = [
        blocking_row({**found[agent, crawl], "day": study.day(crawl)}, f"{study.name_of(agent)} in {crawl}", found[agent, crawl]["hosts_blocked_by_name"],
                     evidence.verdicts(agent, crawl, evidence.BY_NAME))
        for agent in agents for crawl in study.crawls if (agent, crawl) in found]
    decided = {row["crawl"] for row in figure.rows}
    if len(decided) < 2:
        return Figure(figure.key, figure.title, missing=f"Only {last} has hosts with a known verdict, and a change needs two crawls.")
    lines = [line for line in ([crawl for crawl in line if crawl in decided] for line in lines) if line]
    figure.columns = columns_of(figure.rows, "crawler and crawl", [Column("day", "median day"), *only_by_name()], "by name")
    drawn = [point for panel, prefix in PANELS for row in figure.rows for point in points(
        study, lines, row, panel, study.name_of(row["agent"]), row[prefix + "blocked_by_name"],
        described=f"{row['label']}: {share(row[prefix + 'blocked_by_name'])} of {panel}", **(ends(row) if not prefix else {}))]
    if drawn:
        figure.chart = Chart("lines", f"Registered domains and hosts that block {crawlers} by name, by the median time of each crawl", drawn)
    left_out = [crawl for crawl in study.crawls if crawl not in decided]
    line = {row["crawl"]: row for row in figure.rows if row["agent"] == agents[0]}
    main = longest(lines)
    if len(main) > 1:
        figure.lead = (f"{study.name_of(agents[0])} is blocked {study.agents[agents[0]].by_name()} by {said(line[main[0]])} in {main[0]}, and by {said(line[main[-1]])} "
                       f"in {main[-1]}.{between([line[crawl] for crawl in main])}")
    else:
        figure.lead = "No two crawls have enough hosts in common, so the differences between them may be those of their hosts, and are no change over time."
    figure.warnings = [*apart(study, lines), *caution(study)]
    figure.notes = [*untimed(study), *([f"No host has a known verdict in {', '.join(left_out)}."] if left_out else []),
                    *([f"The first {LINES_MAX} crawlers of --agent are drawn."] if study.drawn and len(study.chosen) > LINES_MAX else []),
                    "A crawl is drawn at the median of its times of fetching. A crawl of other hosts is another sample, so a line connects two crawls only if at least "
                    f"{share(CONNECTED_MIN)} of the hosts with a known verdict of the smaller one are in both. If all hosts and the hosts that are decided in every crawl "
                    "differ, part of the change is a change of the sample."]
    return figure


def between(rows):
    """Returns a sentence about the largest or the smallest share of registered domains between the ends, with a space before it, if it differs much from both, and is
    not one of few hosts."""
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
        if distance > 0 and distance >= least and above["counted"] >= FEW:
            found.append(f"{name} in {row['crawl']}, {share(row['domains_blocked_by_name'])}")
    return f" Between these crawls, the share of domains is {' and '.join(found)}." if found else ""


def apart(study, lines):
    """Returns a sentence about crawls that no line connects, in a list."""
    main = longest(lines)
    if len(lines) > 1 and len(main) > 1:
        others = [crawl for crawl in study.crawls if any(crawl in line for line in lines) and crawl not in main]
        return [f"{', '.join(others)} {'has' if len(others) == 1 else 'have'} too few hosts in common with these crawls, and no line connects them. "
                f"The option --crawls {','.join(main)} restricts this section to crawls of the same hosts."]
    return []


def untimed(study):
    """Returns a sentence about crawls without times."""
    without = [crawl for crawl in study.crawls if study.times[crawl] is None]
    return [f"{listed(without)} {'has' if len(without) == 1 else 'have'} no times of fetching, so {'it is' if len(without) == 1 else 'they are'} in the "
            "numbers, but not in the chart."] if without else []


def listed(crawls):
    """Returns the names of crawls, or their number if they are many."""
    return ", ".join(crawls) if len(crawls) <= LISTED_MAX else f"{len(crawls)} crawls"


def only_by_name():
    return [column for column in BLOCKING if column.name in ("hosts", "counted", "blocked_by_name", "domains", "domains_blocked_by_name")]


def ends(row):
    return {"low": row["low"], "high": row["high"]}


def caution(study):
    """Returns a sentence about crawls of which a random sample of archives was read."""
    samples = [row["crawl"] for row in study.timeline.crawls if row["crawl"] in study.crawls and row["is_sample"]]
    return [f"Of {listed(samples)}, a random sample of archives was read: other hosts than those of the other crawls."] if samples else []


def same_hosts(study, agent, lines):
    name, token = study.key("same-hosts", agent), agent.token
    title = f"{token} blocked by name over time, over all hosts and over those decided in every crawl"
    same = study.dataset.value(f"SELECT count(*) FROM ({decided_in_every_crawl(study, agent)})")
    if same < SAME_HOSTS_MIN:
        main = longest(lines)
        chosen = ",".join(main) if 1 < len(main) < len(study.crawls) else "A,B,C"
        number = f"No host is decided in all {len(study.crawls)} crawls" if not same else (
            f"Only {plural(same, 'host')} {'is' if same == 1 else 'are'} decided in all {len(study.crawls)} crawls, fewer than {SAME_HOSTS_MIN}")
        return Figure(name, title, missing=f"{number}, so the change among the same hosts is not drawn. The option --crawls {chosen} restricts this section to crawls of the same hosts.")
    source, rows = study.ask("hosts_decided_in_every_crawl", agent=token, crawls=study.chosen_crawls)
    figure = Figure(name, title, sources=[source])
    rows.sort(key=lambda row: study.crawls.index(row["crawl"]))
    counts = study.counts(f"SELECT v.crawl, count(*) FROM verdicts_for({literal(token)}) v WHERE {evidence.BY_NAME} AND {in_every_crawl(study, agent)} GROUP BY v.crawl")
    figure.rows = [blocking_row({**row, "day": study.day(row["crawl"])}, row["crawl"], counts.get((row["crawl"],), 0),
                                evidence.verdicts(token, row["crawl"], f"{evidence.BY_NAME} AND {in_every_crawl(study, agent)}")) for row in rows]
    figure.columns = columns_of(figure.rows, "crawl", [
        Column("day", "median day"), Column("hosts", "decided in every crawl", "count"), Column("counted", "hosts by name", "count"),
        Column("blocked_by_name", "by name", "share"), Column("domains", "their domains", "count"), Column("domains_blocked_by_name", "domains by name", "share"),
        Column("all_hosts", "all hosts", "count"), Column("all_hosts_blocked_by_name", "all hosts by name", "share"),
        Column("all_domains_blocked_by_name", "all domains by name", "share")], "by name")
    # The same hosts are one line, whatever the other hosts of the crawls are.
    one_line = [[crawl for crawl in study.crawls if study.times[crawl] is not None]]
    drawn = [point for panel, columns in (("registered domains", ("all_domains_blocked_by_name", "domains_blocked_by_name")),
                                          ("hosts", ("all_hosts_blocked_by_name", "blocked_by_name")))
             for series, column, of_series in zip(("all hosts", "decided in every crawl"), columns, (lines, one_line)) for row in figure.rows for point in points(
                 study, of_series, row, panel, series, row[column], described=f"{series} in {row['crawl']}: {share(row[column])} of {panel}",
                 **(ends(row) if column == "blocked_by_name" else {}))]
    if drawn:
        figure.chart = Chart("lines", f"Registered domains and hosts that block {token} by name, by the median time of each crawl", drawn)
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
