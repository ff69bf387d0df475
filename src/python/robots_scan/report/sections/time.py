"""Blocking over time, over all hosts and over the hosts that are decided in every crawl."""

from .. import evidence
from ..chart import Chart
from ..dataset import literal
from ..figure import Column, Figure, Section, count, plural, share
from .shares import BLOCKING, blocking_row, columns_of

LINES_MAX = 5
# Crawlers that a crawl does not name have rows, too, so that lines have no gaps.
ALL_AGENTS = 1000
PANELS = (("hosts", ""), ("registered domains", "domains_"))


def build(study):
    section = Section("time", "Over time", "A crawl of other hosts is another sample. If all hosts and the hosts that are decided in every crawl differ, part "
                      "of the change is a change of the sample.", [])
    if len(study.crawls) >= 2:
        section.figures = [all_hosts(study), same_hosts(study)]
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


def all_hosts(study):
    last = study.crawls[-1]
    source, rows = study.ask("blocking_by_agent", top=ALL_AGENTS)
    figure = Figure("ai-crawlers-over-time", f"The AI crawlers that the most hosts of {last} block by name, over all hosts of each crawl", sources=[source])
    agents = [row["agent"] for row in rows if row["crawl"] == last and row["hosts_blocked_by_name"]][:LINES_MAX]
    if not agents:
        figure.missing = f"No robots.txt in {last} blocks an AI crawler of the registry by name."
        return figure
    found = {(row["agent"], row["crawl"]): row for row in rows if row["hosts"]}
    figure.rows = [
        blocking_row(found[agent, crawl], f"{study.name_of(agent)} in {crawl}", found[agent, crawl]["hosts_blocked_by_name"],
                     evidence.verdicts(agent, crawl, evidence.BY_NAME))
        for agent in agents for crawl in study.crawls if (agent, crawl) in found]
    decided = {row["crawl"] for row in figure.rows}
    if len(decided) < 2:
        return Figure(figure.key, figure.title, missing=f"Only {last} has hosts with a known verdict, and a change needs two crawls.")
    figure.columns = columns_of(figure.rows, "crawler and crawl", only_by_name(), "by name")
    figure.chart = Chart("lines", "Shares of registered domains and hosts that block AI crawlers by name, by crawl", [
        {"crawl": row["crawl"], "panel": panel, "series": study.name_of(row["agent"]), "share": row[prefix + "blocked_by_name"],
         "described": f"{row['label']}: {share(row[prefix + 'blocked_by_name'])} of {panel}", **(ends(row) if not prefix else {})}
        for panel, prefix in PANELS for row in figure.rows])
    left_out = [crawl for crawl in study.crawls if crawl not in decided]
    lines = [row for row in figure.rows if row["agent"] == agents[0]]
    figure.lead = " ".join(
        [f"{study.name_of(agents[0])} is blocked {study.agents[agents[0]].by_name()} by {said(lines[0])} in {lines[0]['crawl']}, and by {said(lines[-1])} in {lines[-1]['crawl']}.",
         *([f"No host has a known verdict in {', '.join(left_out)}."] if left_out else []), *caution(study)])
    return figure


def only_by_name():
    return [column for column in BLOCKING if column.name in ("hosts", "counted", "blocked_by_name", "domains", "domains_blocked_by_name")]


def ends(row):
    return {"low": row["low"], "high": row["high"]}


def said(row):
    return (f"{share(row['blocked_by_name'])} of {plural(row['hosts'], 'host')} ({share(row['domains_blocked_by_name'])} of "
            f"{plural(row['domains'], 'registered domain')})")


def caution(study):
    """Returns a sentence about crawls of which a random sample of archives was read."""
    samples = [row["crawl"] for row in study.dataset.crawls if row["crawl"] in study.crawls and row["is_sample"]]
    return [f"Of {', '.join(samples)}, a random sample of archives was read: other hosts than those of the other crawls."] if samples else []


def same_hosts(study):
    agent = study.agent.token
    chosen = study.crawls if len(study.crawls) < len(study.dataset.crawls) else None
    source, rows = study.ask("hosts_decided_in_every_crawl", agent=agent, crawls=chosen)
    figure = Figure("same-hosts", f"{agent} blocked by name, all hosts and the hosts decided in every crawl", sources=[source])
    if not rows:
        figure.missing = (f"No host is decided in all {len(study.crawls)} crawls, so the change among the same hosts is unknown. --crawls A,B,C restricts "
                          "this section to crawls of the same hosts.")
        return figure
    counts = study.counts(f"SELECT v.crawl, count(*) FROM verdicts_for({literal(agent)}) v WHERE {evidence.BY_NAME} AND {in_every_crawl(study)} GROUP BY v.crawl")
    figure.rows = [blocking_row(row, row["crawl"], counts.get((row["crawl"],), 0),
                                evidence.verdicts(agent, row["crawl"], f"{evidence.BY_NAME} AND {in_every_crawl(study)}")) for row in rows]
    figure.columns = columns_of(figure.rows, "crawl", [
        Column("hosts", "decided in every crawl", "count"), Column("counted", "hosts by name", "count"), Column("blocked_by_name", "by name", "share"),
        Column("domains", "their domains", "count"), Column("domains_blocked_by_name", "domains by name", "share"), Column("all_hosts", "all hosts", "count"),
        Column("all_hosts_blocked_by_name", "all hosts by name", "share"), Column("all_domains_blocked_by_name", "all domains by name", "share")],
        "by name")
    figure.chart = Chart("lines", f"Shares of registered domains and hosts that block {agent} by name, by crawl", [
        {"crawl": row["crawl"], "panel": panel, "series": series, "share": row[column], "described": f"{series} in {row['crawl']}: {share(row[column])} of {panel}",
         **(ends(row) if column == "blocked_by_name" else {})}
        for panel, columns in (("hosts", ("all_hosts_blocked_by_name", "blocked_by_name")),
                               ("registered domains", ("all_domains_blocked_by_name", "domains_blocked_by_name")))
        for series, column in zip(("all hosts", "decided in every crawl"), columns) for row in figure.rows])
    first, last = figure.rows[0], figure.rows[-1]
    figure.lead = (f"Among the {plural(last['hosts'], 'host')} that are decided in every crawl, {share(first['blocked_by_name'])} block {agent} "
                   f"{study.agent.by_name()} in {first['crawl']} and {share(last['blocked_by_name'])} in {last['crawl']}; among all hosts, "
                   f"{share(first['all_hosts_blocked_by_name'])} of {count(first['all_hosts'])} and {share(last['all_hosts_blocked_by_name'])} of "
                   f"{count(last['all_hosts'])}.")
    return figure


def in_every_crawl(study):
    """Returns the condition that a host is decided in each of the crawls."""
    crawls = ", ".join(map(literal, study.crawls))
    return (f"v.crawl IN ({crawls}) AND v.surt_host_name IN (SELECT b.surt_host_name FROM blocking({literal(study.agent.token)}) b WHERE b.crawl IN ({crawls}) "
            f"GROUP BY b.surt_host_name HAVING count(*) = {len(study.crawls)})")
