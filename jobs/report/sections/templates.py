"""Templates of vendors, and the rule sets that many hosts share."""

from .. import evidence
from ..dataset import literal
from ..figure import Column, Figure, Records, Section, count, share
from ..study import ROWS_MAX
from .shares import SHARES, bar_chart, columns_of

MIN_DOMAINS = 10


def build(study):
    return Section("templates", "Templates and shared rule sets", "A file that a hosting provider or a network supplies is not a decision of the site.",
                   [blocks(study), rule_sets(study)])


def blocks(study):
    source, rows = study.ask("blocks_from_templates", agent=study.agent, crawl=study.crawl, min_domains=MIN_DOMAINS)
    figure = Figure("templates", f"Templates of the hosts that block {study.agent} by name in {study.crawl}", sources=[source], rows=rows[:ROWS_MAX])
    if not rows:
        figure.missing = f"No host of {study.crawl or 'the dataset'} blocks {study.agent} by name."
        return figure
    shared = (f"SELECT h.ruleset_id FROM hosts_with('rules', crawl := {literal(study.crawl)}) h GROUP BY h.ruleset_id "
              f"HAVING count(DISTINCT h.domain) >= {MIN_DOMAINS}")
    for row in figure.rows:
        row["kind"] = f"{row['template'] or 'no template'}{', shared rules' if row['shared_rules'] else ''}"
        condition = f"coalesce(v.ruleset_id IN ({shared}), false) = {literal(row['shared_rules'])} AND {evidence.same('v.template', row['template'])}"
        figure.records.append(Records(row["kind"], row["hosts"], evidence.verdicts(study.agent, study.crawl, f"{evidence.BY_NAME} AND {condition}")))
    figure.columns = columns_of(figure.rows, [Column("kind", "template"), *SHARES])
    figure.chart = bar_chart(f"Templates of the hosts that block {study.agent} by name in {study.crawl}", figure.rows, "kind")
    copied = [row for row in rows if row["template"] or row["shared_rules"]]
    figure.lead = (f"Of the {count(rows[0]['of_hosts'])} hosts that block {study.agent} by name, {share(sum(row['share'] for row in copied))} do so with a "
                   f"vendor's template or with rules that at least {MIN_DOMAINS} registered domains share; of {count(rows[0]['of_domains'])} registered domains, "
                   f"{share(sum(row['share_of_domains'] for row in copied))}.")
    return figure


def rule_sets(study):
    source, rows = study.ask("most_common_rule_sets", crawl=study.crawl, top=ROWS_MAX)
    figure = Figure("rule-sets", f"Rule sets that the most registered domains share in {study.crawl}", sources=[source], rows=rows, has_rule_sets=False)
    if not rows:
        figure.missing = f"No two registered domains of {study.crawl or 'the dataset'} have the same rules."
        return figure
    for i, row in enumerate(rows, 1):
        host = row["example"].split("/")[2] if "//" in row["example"] else row["example"]
        row["rules"] = f"{i}. {row['template'] or 'as ' + host}"
        figure.records.append(Records(row["rules"], row["hosts"], evidence.hosts("rules", study.crawl, f"h.ruleset_id = {row['ruleset_id']}")))
    figure.columns = [column for column in columns_of(rows, [Column("rules", "rules"), Column("ruleset_id", "ruleset_id"), *SHARES, Column("example", "example")])
                      if column.name != "largest_ruleset"]
    figure.chart = bar_chart(f"Most common rule sets in {study.crawl}", rows, "rules", has_rule_sets=False)
    figure.lead = (f"The most common rules are those of {count(rows[0]['hosts'])} of {count(rows[0]['of_hosts'])} hosts with rules "
                   f"({share(rows[0]['share'])}), and of {share(rows[0]['share_of_domains'])} of the registered domains.")
    return figure
