"""The origin of the lines that block, and the rule sets that many hosts share."""

import re
from collections import Counter

from .. import evidence
from ..dataset import literal
from ..figure import Column, Figure, Section, count, plural, share
from ..study import ROWS_MAX
from ..words import template
from .shares import MOST, SHARES, bar_chart, columns_of, in_order, other_order, ranked, said, share_row, the_most

# The origins of blocks, as the macro block_origins gives them.
ORIGINS = {"site": "written by the site", "vendor": "written by a vendor"}


def build(study):
    return Section("templates", "Templates", [*(origins(study, agent) for agent in study.chosen), rule_sets(study)])


def origins(study, agent):
    token = agent.token
    source, rows = study.ask("blocks_by_origin", agent=token, crawl=study.crawl)
    figure = Figure(study.key("origins", agent), f"Who wrote the line that blocks {token} by name", sources=[source])
    whole = rows[0] if rows else {"of_blocks": 0}
    if not whole["of_blocks"]:
        figure.missing = f"No host of {study.crawl or 'the dataset'} blocks {token} by name."
        return figure
    unknown = (f"On {count(whole['unknown'])} of the {plural(whole['of_blocks'], 'host')} that block {token} {agent.by_name()} ({share(whole['domains_unknown'])} of their "
               "registered domains), the file does not show who wrote the line, the site or a vendor")
    if not whole["of_hosts"]:
        figure.missing = f"{unknown}."
        return figure
    for row in rows:
        if not row["hosts"]:
            continue
        condition = f"{evidence.BY_NAME} AND {origin_condition(row['origin'])}"
        figure.rows.append(share_row(row, ORIGINS[row["origin"]], evidence.verdicts_of_files(token, study.crawl, condition)))
    figure.columns = columns_of(figure.rows, "origin", [*SHARES, Column("unknown", "unknown, hosts", "count"), Column("share_unknown", "unknown, share of hosts", "share")])
    # A chart of shares of the few others would hide the hosts of which it is not known.
    if whole["domains_unknown"] < MOST:
        figure.chart = bar_chart(f"Registered domains that block {token} by name in {study.crawl}, by who wrote the line, where the file shows it", figure.rows)
    site, vendor = rows
    figure.lead = (f"{unknown}. The other {plural(whole['of_hosts'], 'host')} are no sample of these: the site wrote it on {count(site['hosts'])} and a vendor on "
                   f"{count(vendor['hosts'])}.")
    figure.notes = ["A vendor wrote the lines of Cloudflare's managed block, and files that have exactly the rules of their template; the site may have switched the "
                    "block on, or left it on. Blocks by name elsewhere in these files, and in files of WordPress, Yoast SEO and Drupal, which write none, are the site's."]
    return figure


def origin_condition(origin):
    return f"origin_of(true, false, v.evidence_line, v.template, r.vendor_first_line, r.vendor_last_line) = {literal(origin)}"


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
        return re.sub(r"Disallow:(?=;|$)", "Disallow: (nothing)", row["rules"])
    if row["template"] and row["hosts_with_template"] * 2 >= row["hosts"]:
        return f"one rule set of {template(row['template'])}"
    return "longer rules, not recognized"
