"""Templates of vendors, and the rule sets that many hosts share."""

from collections import Counter

from .. import evidence
from ..dataset import literal
from ..figure import Column, Figure, Section, plural, share
from ..study import ROWS_MAX
from ..words import template, words
from .shares import SHARES, bar_chart, columns_of, in_order, other_order, ranked, said, share_row, shown_of, the_most, too_few

MIN_DOMAINS = 10


def build(study):
    return Section("templates", "Templates", [*(blocks(study, agent) for agent in study.chosen), rule_sets(study)])


def blocks(study, agent):
    token = agent.token
    source, rows = study.ask("blocks_from_templates", agent=token, crawl=study.crawl, min_domains=MIN_DOMAINS)
    figure = Figure(study.key("templates", agent), f"Templates where {token} is blocked by name", sources=[source])
    if not rows:
        figure.missing = f"No host of {study.crawl or 'the dataset'} blocks {token} by name."
        return figure
    shared_sets = (f"SELECT h.ruleset_id FROM hosts_with('rules', crawl := {literal(study.crawl)}) h GROUP BY h.ruleset_id "
                   f"HAVING count(DISTINCT h.domain) >= {MIN_DOMAINS}")
    rows = ranked(rows)
    for row in rows[:ROWS_MAX]:
        condition = f"coalesce(v.ruleset_id IN ({shared_sets}), false) = {literal(row['shared_rules'])} AND {evidence.same('v.template', row['template'])}"
        figure.rows.append(share_row(row, f"{words(row['template'] or 'not recognized')}{', shared rules' if row['shared_rules'] else ''}",
                                     evidence.verdicts(token, study.crawl, f"{evidence.BY_NAME} AND {condition}")))
    figure.columns = columns_of(figure.rows, "template", SHARES)
    figure.chart = bar_chart(f"Templates of the registered domains that block {token} by name in {study.crawl}", figure.rows)
    of_hosts, of_domains = rows[0]["of_hosts"], rows[0]["of_domains"]
    recognized = [row for row in rows if row["template"]]
    shared = [row for row in rows if row["shared_rules"] and not row["template"]]
    figure.lead = (f"Of {plural(of_domains, 'registered domain')} that block {token} {agent.by_name()}, {domain_part(recognized)} have a file of recognized software, and a "
                   f"further {domain_part(shared)} have rules that at least {MIN_DOMAINS} registered domains share.")
    figure.notes = [f"Of the {plural(of_hosts, 'host')} that block it, it is {part(recognized, of_hosts)} and {part(shared, of_hosts)}.",
                    "A file that a hosting provider or a network supplies may not be a decision of the site. A recognized template does not mean that the block is "
                    "the vendor's: WordPress, Drupal and Yoast write none.", *shown_of(rows)]
    return figure


def part(rows, of_hosts):
    return share(sum(row["hosts"] for row in rows) / of_hosts)


def domain_part(rows):
    return share(min(1, round(sum(row["share_of_domains"] for row in rows), 5)))


def rule_sets(study):
    source, rows = study.ask("most_common_rule_sets", crawl=study.crawl, top=ROWS_MAX)
    rows = [row for row in rows if row["hosts"]]
    figure = Figure("rule-sets", "Most common rule sets", sources=[source], has_rule_sets=False)
    if not rows:
        figure.missing = f"No two registered domains of {study.crawl or 'the dataset'} have the same rules."
        return figure
    labels = Counter()
    for row in rows:
        label = label_of(row)
        labels[label] += 1
        label += f" ({labels[label]})" if labels[label] > 1 else ""
        figure.rows.append(share_row({**row, "largest_ruleset": None}, label, evidence.hosts("rules", study.crawl, f"h.ruleset_id = {literal(row['ruleset_id'])}")))
    first, figure.rows = ranked(figure.rows)[0], in_order(figure.rows)
    figure.columns = columns_of(figure.rows, "rule set", [Column("ruleset_id", "ruleset_id"), Column("example", "such as"), *SHARES])
    figure.chart = bar_chart(f"Registered domains that share a rule set in {study.crawl}", figure.rows)
    figure.lead = f"{the_most(first, 'rules', 'Shared rules')}, {first['label']}, are those of {said(first)} with rules."
    figure.warnings = other_order(figure.rows)
    figure.notes.append("Each row is one rule set: other files of the same software have others. The column “such as” has one of its files.")
    return figure


def label_of(row):
    """Returns the name of a rule set: its rules if they fit a line, or the software that most of its hosts have. Others may have the same."""
    if row["rules"]:
        return row["rules"]
    if row["template"] and row["hosts_with_template"] * 2 >= row["hosts"]:
        return f"one rule set of {template(row['template'])}"
    return "longer rules, not recognized"
