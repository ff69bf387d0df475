"""Blocking over time, over all hosts and over the hosts that are decided in every crawl."""

from .. import evidence
from ..chart import Chart
from ..dataset import literal
from ..figure import Column, Figure, Records, Section, count, share
from .shares import BLOCKING, columns_of

LINES_MAX = 5
# Crawlers that a crawl does not name have rows, too, so that lines have no gaps.
ALL_AGENTS = 1000
PANELS = (("hosts", ""), ("registered domains", "domains_"))


def build(study):
    section = Section("time", "Over time", "A crawl of other hosts is another sample. If all hosts and the hosts that are decided in every crawl differ, part "
                      "of the change is a change of the sample.", [])
    if len(study.crawls) < 2:
        section.figures = [Figure("time", "Blocking by name over time", missing=f"The dataset has one crawl, {study.crawl}, and a change needs two. "
                                  "`robots-scan join` joins datasets of several crawls." if study.crawls else "The dataset has no crawl with hosts.")]
    else:
        section.figures = [all_hosts(study), same_hosts(study)]
    return section


def all_hosts(study):
    source, rows = study.ask("blocking_by_agent", top=ALL_AGENTS)
    figure = Figure("ai-crawlers-over-time", "AI crawlers blocked by name, over all hosts of each crawl", sources=[source])
    rows = [{**row, "agent": study.tokens[row["agent"]]} for row in rows if row["crawl"] in study.crawls]
    last = [row for row in rows if row["crawl"] == study.crawls[-1] and row["hosts_naming"]]
    agents = [row["agent"] for row in last[:LINES_MAX]]
    if not agents:
        figure.missing = f"No robots.txt in {study.crawls[-1]} names an AI crawler of the registry."
        return figure
    found = {(row["crawl"], row["agent"]): row for row in rows}
    figure.rows = [{**found[crawl, agent], "hosts_counted": found[crawl, agent]["hosts_blocked_by_name"]}
                   for agent in agents for crawl in study.crawls if (crawl, agent) in found]
    for row in figure.rows:
        row["line"] = f"{row['agent']}, {row['crawl']}"
        figure.records.append(Records(row["line"], row["hosts_blocked_by_name"], evidence.verdicts(row["agent"], row["crawl"], evidence.BY_NAME)))
    figure.columns = columns_of(figure.rows, [Column("line", "crawler and crawl"), Column("hosts_blocked_by_name", "hosts", "count"), *(
        column for column in BLOCKING if column.name in ("hosts", "blocked_by_name", "domains", "domains_blocked_by_name"))])
    figure.chart = Chart("lines", "Shares of hosts and registered domains that block AI crawlers by name, by crawl", [
        {"crawl": row["crawl"], "panel": panel, "series": row["agent"], "share": row[prefix + "blocked_by_name"],
         "described": f"{row['agent']} in {row['crawl']}: {share(row[prefix + 'blocked_by_name'])} of {panel}"}
        for panel, prefix in PANELS for row in figure.rows])
    ends = [row for row in figure.rows if row["agent"] == agents[0]]
    figure.lead = (f"{agents[0]}: {share(ends[0]['blocked_by_name'])} of {count(ends[0]['hosts'])} hosts in {ends[0]['crawl']}, "
                   f"{share(ends[-1]['blocked_by_name'])} of {count(ends[-1]['hosts'])} hosts in {ends[-1]['crawl']}.")
    return figure


def same_hosts(study):
    chosen = study.crawls if len(study.crawls) < len(study.dataset.crawls) else None
    source, rows = study.ask("hosts_decided_in_every_crawl", agent=study.agent, crawls=chosen)
    figure = Figure("same-hosts", f"{study.agent} blocked by name, all hosts and the hosts decided in every crawl", sources=[source], rows=rows)
    if not rows:
        figure.missing = (f"No host is decided in all {len(study.crawls)} crawls, so the change among the same hosts is unknown. CRAWLS=A,B,C restricts this "
                          "section to crawls of the same hosts.")
        return figure
    for row in rows:
        row["hosts_counted"] = round(row["blocked_by_name"] * row["hosts"])
        figure.records.append(Records(row["crawl"], row["hosts_counted"], in_every_crawl(study, row["crawl"])))
    figure.columns = columns_of(rows, [
        Column("crawl", "crawl"), Column("hosts", "hosts in every crawl", "count"), Column("blocked_by_name", "by name", "share"),
        Column("domains", "their domains", "count"), Column("domains_blocked_by_name", "by name", "share"), Column("all_hosts", "all hosts", "count"),
        Column("all_hosts_blocked_by_name", "by name", "share"), Column("all_domains_blocked_by_name", "domains by name", "share")])
    figure.chart = Chart("lines", f"Shares of hosts and registered domains that block {study.agent} by name, by crawl", [
        {"crawl": row["crawl"], "panel": panel, "series": series, "share": row[column],
         "described": f"{series} in {row['crawl']}: {share(row[column])} of {panel}"}
        for panel, columns in (("hosts", ("all_hosts_blocked_by_name", "blocked_by_name")),
                               ("registered domains", ("all_domains_blocked_by_name", "domains_blocked_by_name")))
        for series, column in zip(("all hosts", "decided in every crawl"), columns) for row in rows])
    first, last = rows[0], rows[-1]
    figure.lead = (f"Among the {count(last['hosts'])} hosts that are decided in every crawl, {share(first['blocked_by_name'])} block {study.agent} by name in "
                   f"{first['crawl']} and {share(last['blocked_by_name'])} in {last['crawl']}; among all hosts, "
                   f"{share(first['all_hosts_blocked_by_name'])} and {share(last['all_hosts_blocked_by_name'])}.")
    return figure


def in_every_crawl(study, crawl):
    """Hosts that block the crawler in a crawl and are decided in each of the crawls."""
    agent, crawls = literal(study.agent), ", ".join(map(literal, study.crawls))
    panel = (f"SELECT b.surt_host_name FROM blocking({agent}) b WHERE b.crawl IN ({crawls}) GROUP BY b.surt_host_name "
             f"HAVING count(*) = {len(study.crawls)}")
    return evidence.verdicts(study.agent, crawl, f"{evidence.BY_NAME} AND v.surt_host_name IN ({panel})")
