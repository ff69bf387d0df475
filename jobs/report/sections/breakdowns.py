"""Blocking by category of crawler, top-level domain, content delivery network, rank and label."""

from .. import evidence
from ..figure import Column, Figure, Records, Section, count, share
from ..study import ROWS_MAX
from .shares import BLOCKING, SHARES, bar_chart, columns_of, stack_chart


def build(study):
    figures = [by_category(study), by_tld(study), by_network(study)]
    if study.ranks:
        figures.append(by_rank(study))
    if study.labels:
        figures.append(by_label(study))
    return Section("breakdowns", "Who is blocked, and where", "", figures)


def by_category(study):
    source, rows = study.ask("blocking_by_category", crawl=study.crawl)
    rows = [row for row in rows if row["hosts"] and row["category"] != "(any ai)"]
    figure = Figure("categories", f"Hosts that block at least one crawler of a category by name in {study.crawl}", sources=[source], rows=rows)
    if not rows:
        figure.missing = f"No host of {study.crawl or 'the dataset'} blocks a crawler of the registry by name."
        return figure
    for row in rows:
        category = f"'{row['category']}'"
        agents = f"SELECT lower(g.agent) FROM agents g WHERE g.category = {category} OR g.category2 = {category}"
        figure.records.append(Records(row["category"], row["hosts"], evidence.named(agents, study.crawl, "disallow_all")))
    figure.columns = columns_of(rows, [Column("category", "category"), Column("agents", "crawlers", "count"), *SHARES])
    figure.chart = bar_chart(f"Shares of hosts that block crawlers by category in {study.crawl}", rows, "category")
    first = rows[0]
    figure.lead = (f"{share(first['share'])} of {count(first['of_hosts'])} hosts block at least one of the {first['agents']} crawlers of the category "
                   f"{first['category']}. A crawler may be in two categories.")
    return figure


def by_tld(study):
    source, rows = study.ask("blocking_by_tld", agent=study.agent, crawl=study.crawl)
    figure = Figure("tlds", f"{study.agent} blocked by top-level domain in {study.crawl}", sources=[source])
    return blocking_figure(study, figure, rows, "url_host_tld", "top-level domain", "(none)",
                           lambda value: (evidence.verdicts, evidence.same("v.url_host_tld", value)), "No top-level domain has five hosts with a known verdict.")


def by_network(study):
    source, rows = study.ask("blocking_by_software", kind="firewall", agent=study.agent, crawl=study.crawl)
    figure = Figure("networks", f"{study.agent} blocked by content delivery network or firewall in {study.crawl}", sources=[source])
    return blocking_figure(study, figure, rows, "software", "network", "(not recognized)",
                           lambda value: (evidence.verdicts_of_files, evidence.same("r.waf_hint", value)), "No network has five hosts with a known verdict.")


def by_rank(study):
    source, rows = study.ask("blocking_by_rank", list=study.ranks, agent=study.agent, crawl=study.crawl)
    figure = Figure("ranks", f"{study.agent} blocked by rank in {study.crawl}", sources=[source])
    for row in rows:
        row["rank"] = f"up to {count(row['up_to_rank'])}"
    return blocking_figure(study, figure, rows, "rank", "rank", "(none)", None, "No host with a known verdict is in the list.")


def by_label(study):
    source, rows = study.ask("blocking_by_label", labels=study.labels, agent=study.agent, crawl=study.crawl)
    figure = Figure("labels", f"{study.agent} blocked by label in {study.crawl}", sources=[source])
    return blocking_figure(study, figure, rows, "label", "label", "(none)", None, "No host with a known verdict has a label.")


def blocking_figure(study, figure, rows, key, header, unnamed, condition_of, missing):
    """Fills a figure of blocks by name, through * and by status, by the values of a column."""
    rows = [row for row in rows if row["blocked_by_name"] is not None]
    shown = rows if key == "rank" else sorted(rows, key=lambda row: -row["hosts"])[:ROWS_MAX]
    if not shown:
        figure.missing = missing
        return figure
    for row in shown:
        value, row[key] = row[key], unnamed if row[key] is None else row[key]
        row["hosts_counted"] = round(row["blocked_by_name"] * (row["hosts"] or 0))
        if condition_of:
            query, condition = condition_of(value)
            figure.records.append(Records(row[key], row["hosts_counted"], query(study.agent, study.crawl, f"{evidence.BY_NAME} AND {condition}")))
    figure.rows = shown
    figure.columns = columns_of(shown, [Column(key, header), *BLOCKING])
    figure.chart = stack_chart(f"Shares of hosts and registered domains that block {study.agent} by {header} in {study.crawl}", shown, key)
    most = max(shown, key=lambda row: (row[key] != unnamed, row["blocked_by_name"]))
    if most["blocked_by_name"]:
        figure.lead = (f"Of the rows shown, {most[key]} has the largest share of hosts that block {study.agent} by name: {share(most['blocked_by_name'])} of "
                       f"{count(most['hosts'])} hosts, {share(most['domains_blocked_by_name'])} of {count(most['domains'])} registered domains.")
    else:
        figure.lead = f"No host of these rows blocks {study.agent} by name."
    if len(rows) > len(shown):
        figure.lead += f" The {len(shown)} rows with the most hosts are shown, of {len(rows)}."
    return figure
