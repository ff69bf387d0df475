"""Figures about AI crawlers: which are blocked, and how many of them a host blocks."""

from .. import evidence
from ..figure import Column, Figure, Records, share
from ..study import ALL_AGENTS, ROWS_MAX
from .shares import BLOCKING, SHARES, bar_chart, blocking_row, columns_of, fill_concentration, in_order, name_rules, other_order, ranked, said, share_row

# Steps of the number of AI crawlers that a host blocks.
AT_LEAST = (1, 2, 5, 10, 20, 50)


def by_name(study):
    source, rows = study.ask("blocking_by_agent", crawl=study.crawl, top=ALL_AGENTS)
    figure = Figure("ai-crawlers", "AI crawlers blocked by name", sources=[source])
    rows = [row for row in rows if row["hosts_naming"]]
    figure.rows = ranked([
        blocking_row(row, study.label_of(row["agent"]), row["hosts_blocked_by_name"], evidence.verdicts(row["agent"], study.crawl, evidence.BY_NAME))
        for row in rows])[:ROWS_MAX]
    if not figure.rows:
        figure.missing = f"No robots.txt in {study.crawl or 'the dataset'} names an AI crawler of the registry, so none is blocked by name."
        return figure
    name_rules(study, figure.rows)
    top, figure.rows = figure.rows[0], in_order(figure.rows)
    for name, condition in (("through *", evidence.BY_WILDCARD), ("by 429 or 5xx", evidence.BY_STATUS)):
        hosts = evidence.verdicts(top["agent"], study.crawl, condition)
        figure.more_records.append(Records(f"{top['label']} {name}", study.count(hosts), hosts))
    figure.columns = columns_of(figure.rows, "crawler", [
        Column("operator", "operator"), Column("hosts_naming", "hosts with a group that it obeys", "count"), *BLOCKING], "by name")
    figure.chart = bar_chart(f"Registered domains that block AI crawlers by name in {study.crawl}", figure.rows, of=rows)
    figure.lead = (f"{study.name_of(top['agent'])} is blocked {study.agents[top['agent']].by_name()} by {said(top)}, and through the rules "
                   f"for crawlers that a file does not name (*) by a further {share(top['domains_blocked_by_wildcard'])}.")
    figure.notes = [f"Through *, {top['label']} is blocked by {share(top['blocked_by_wildcard'])} of hosts.",
                    "Only a block by name is a decision about one crawler. A host that blocks * has not decided about it, and a status such as 503 blocks all crawlers "
                    "for the time being."]
    fallbacks = [row for row in figure.rows if study.agents[row["agent"]].fallbacks]
    figure.warnings = [*(f"{row['label']} obeys the group of {study.agents[row['agent']].fallbacks} if a file has none for it, and such a block is counted as one by name."
                         for row in fallbacks), *other_order(figure.rows)]
    return figure


def how_many(study):
    source, answer = study.ask("number_of_ai_agents_blocked", crawl=study.crawl)
    figure = Figure("number-of-ai-crawlers", "Number of AI crawlers that a host blocks by name", sources=[source])
    answer = [row for row in answer if row["hosts"]]
    most = max((row["agents_blocked"] for row in answer), default=0)
    if not most:
        figure.missing = f"No host of {study.crawl or 'the dataset'} blocks an AI crawler by its own name."
        return figure
    of_hosts, of_domains = answer[0]["of_hosts"], answer[0]["of_domains"]
    for step in AT_LEAST:
        rows = sorted((row for row in answer if row["agents_blocked"] >= step), key=lambda row: row["agents_blocked"])
        if rows:
            figure.rows.append(share_row(
                {"hosts": sum(row["hosts"] for row in rows), "of_hosts": of_hosts, "of_domains": of_domains,
                 "share_of_domains": rows[0]["share_of_domains_this_many_or_more"]},
                f"{step} or more", evidence.blocked(evidence.AI_AGENTS, study.crawl) + f" HAVING count(*) >= {step}"))
    fill_concentration(study, figure.rows)
    name_rules(study, figure.rows)
    figure.columns = columns_of(figure.rows, "AI crawlers blocked", SHARES)
    figure.chart = bar_chart(f"Registered domains by the number of AI crawlers that they block in {study.crawl}", figure.rows)
    first, last = figure.rows[0], figure.rows[-1]
    figure.lead = f"At least one AI crawler is blocked by its own name by {said(first)}"
    if last is not first:
        figure.lead += f", and {last['label']} by {said(last)}"
    figure.lead += f". The most that a host blocks is {most}."
    return figure
