"""AI crawlers: blocked by name, through * and by status; and how many of them a host blocks."""

from .. import evidence
from ..figure import Column, Figure, Records, Section, count, interval, share
from ..study import ROWS_MAX
from .shares import BLOCKING, SHARES, bar_chart, columns_of, fill_concentration, stack_chart

# Steps of the number of AI crawlers that a host blocks.
AT_LEAST = (1, 2, 5, 10, 20, 50)


def build(study):
    return Section("crawlers", "AI crawlers", "Only a block by name is a decision about one crawler. A host that blocks * has not decided about it, and "
                   "a status such as 503 blocks all crawlers for the time being.", [by_reason(study), how_many(study)])


def by_reason(study):
    source, rows = study.ask("blocking_by_agent", crawl=study.crawl, top=ROWS_MAX)
    rows = [row for row in rows if row["hosts_naming"]]
    figure = Figure("ai-crawlers", f"AI crawlers that the most hosts block in {study.crawl}", sources=[source], rows=rows)
    if not rows:
        figure.missing = f"No robots.txt in {study.crawl or 'the dataset'} names an AI crawler of the registry, so none is blocked by name."
        return figure
    for row in rows:
        row.update(agent=study.tokens[row["agent"]], hosts_counted=row["hosts_blocked_by_name"])
        figure.records.append(Records(row["agent"], row["hosts_blocked_by_name"], evidence.verdicts(row["agent"], study.crawl, evidence.BY_NAME)))
    top = rows[0]
    for name, column, condition in (("through *", "blocked_by_wildcard", evidence.BY_WILDCARD), ("by status", "blocked_by_status", evidence.BY_STATUS)):
        figure.records.append(Records(f"{top['agent']} {name}", round(top[column] * top["hosts"]), evidence.verdicts(top["agent"], study.crawl, condition)))
    figure.columns = columns_of(rows, [Column("agent", "crawler"), Column("operator", "operator"), Column("hosts_naming", "named by hosts", "count"),
                                       Column("hosts_blocked_by_name", "blocked by hosts", "count"), *BLOCKING])
    figure.chart = stack_chart(f"Shares of hosts and registered domains that block AI crawlers in {study.crawl}", rows, "agent")
    figure.lead = (f"{top['agent']} is blocked by name by {share(top['blocked_by_name'])} of {count(top['hosts'])} hosts{interval(top)} and "
                   f"{share(top['domains_blocked_by_name'])} of {count(top['domains'])} registered domains; through * by a further "
                   f"{share(top['blocked_by_wildcard'])} of hosts.")
    return figure


def how_many(study):
    source, answer = study.ask("number_of_ai_agents_blocked", crawl=study.crawl)
    figure = Figure("number-of-ai-crawlers", f"Number of AI crawlers that a host blocks by name in {study.crawl}", sources=[source])
    most = max((row["agents_blocked"] for row in answer), default=0)
    if not most:
        figure.missing = f"No host of {study.crawl or 'the dataset'} blocks an AI crawler by name."
        return figure
    of_hosts, of_domains = answer[0]["of_hosts"], answer[0]["of_domains"]
    for step in AT_LEAST:
        rows = [row for row in answer if row["agents_blocked"] >= step]
        if rows:
            figure.rows.append({
                "at_least": f"{step} or more", "hosts": sum(row["hosts"] for row in rows), "of_hosts": of_hosts,
                "share": rows[0]["share_this_many_or_more"], "of_domains": of_domains, "share_of_domains": rows[0]["share_of_domains_this_many_or_more"]})
            figure.records.append(Records(
                figure.rows[-1]["at_least"], figure.rows[-1]["hosts"],
                evidence.named(evidence.AI_AGENTS, study.crawl, "disallow_all") + f" HAVING count(*) >= {step}"))
    figure.columns = [Column("at_least", "AI crawlers blocked"), *(column for column in SHARES if column.name != "domains")]
    fill_concentration(study, figure)
    figure.chart = bar_chart(f"Shares of hosts by the number of AI crawlers that they block in {study.crawl}", figure.rows, "at_least")
    first, last = figure.rows[0], figure.rows[-1]
    figure.lead = (f"{share(first['share'])} of {count(of_hosts)} hosts block at least one AI crawler by name, {share(last['share'])} block {last['at_least']}. "
                   f"The largest number is {most}.")
    return figure
