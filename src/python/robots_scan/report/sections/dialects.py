"""How often the three dialects of the protocol disagree."""

from ..dataset import literal
from ..figure import Column, Figure, Records, Section, plural, share
from .shares import bar_chart, in_order, name_rules, other_order, ranked, said

NAMES = {"google": "Google", "rfc9309": "RFC 9309", "koster1996": "Koster 1996"}


def build(study):
    return Section("dialects", "Dialects", [disagreements(study)])


def disagreements(study):
    source, rows = study.ask("dialects_that_disagree", crawl=study.crawl)
    figure = Figure("dialects", "Captures whose rules have different verdicts under two dialects", sources=[source])
    if not rows or not rows[0]["captures"]:
        figure.missing = f"{study.crawl or 'The dataset'} has no capture of /robots.txt."
        return figure
    for row in rows:
        first, second = row["dialects"].split(", ")
        label, captures = f"{NAMES[first]} / {NAMES[second]}", differing(study.crawl, first, second)
        figure.rows.append({
            **row, "label": label, "counted": row["by_rules"], "hosts": row["by_rules"], "of_hosts": row["captures"], "of_domains": row["domains"],
            "share": row["by_rules"] / row["captures"], "share_of_domains": row["domains_by_rules"], "low": None, "high": None,
            "records": Records(label, row["by_rules"], captures)})
    name_rules(study, figure.rows)
    most, figure.rows = ranked(figure.rows)[0], in_order(figure.rows)
    figure.columns = [
        Column("label", "dialects"), Column("by_rules", "captures that differ by rules", "count"), Column("captures", "of captures", "count"),
        Column("share", "share", "share"), Column("domains", "of domains", "count"), Column("share_of_domains", "share of domains", "share"),
        Column("by_status", "captures by status", "count"), Column("domains_by_status", "domains by status", "share"), Column("other_names", "captures, other names only", "count"),
        Column("domains_other_names", "domains, other names only", "share"),
        Column("largest_domain", "largest domain", "share"), Column("largest_ruleset", "largest rule set", "share")]
    figure.chart = bar_chart(f"Registered domains with rules that two dialects read differently in {study.crawl}", figure.rows, unit="captures")
    figure.notes = ["Google's parser, RFC 9309 and Koster's draft of 1996 read the same file differently. Here captures are counted, not hosts, and verdicts for * and for "
                    "crawlers of the registry. Other names are those that no crawler of the registry has, such as what a parser leaves of a longer name."]
    status, other = max(rows, key=lambda row: row["domains_by_status"] or 0), max(rows, key=lambda row: row["domains_other_names"] or 0)
    apart = []
    if status["by_status"]:
        apart.append(f"by a status such as 403 (up to {share(status['domains_by_status'])})")
    if other["other_names"]:
        apart.append(f"only for unregistered names (up to {share(other['domains_other_names'])})")
    not_drawn = f" Not drawn: differences {' or '.join(apart)}." if apart else ""
    if not most["by_rules"]:
        figure.lead = f"No rules have different verdicts under two dialects, for * or a crawler of the registry, in {plural(most['captures'], 'capture')}.{not_drawn}"
        return figure
    figure.lead = (f"{most['label']}: rules have different verdicts, for at least one crawler of the registry or *, in {said(most, 'capture')}; for * alone on "
                   f"{share(most['domains_by_rules_for_all'])} of registered domains.{not_drawn}")
    figure.warnings = other_order(figure.rows, "capture")
    return figure


def differing(crawl, first, second):
    return (f"SELECT f.url_host_name, coalesce(f.url_host_registered_domain, f.surt_host_name) AS domain, f.ruleset_id, f.crawl, "
            f"f.robots_id AS rules_robots_id, NULL::INTEGER AS line_no FROM robots_files f WHERE f.crawl = {literal(crawl)} AND f.is_robots_path "
            f"AND NOT f.is_revisit AND f.content_class IS NOT NULL AND f.robots_id IN (SELECT v.robots_id FROM verdicts v WHERE v.crawl = {literal(crawl)} AND v.is_robots_path "
            f"AND v.verdict_{first} <> v.verdict_{second} AND (v.agent = '*' OR v.agent IN (SELECT lower(g.agent) FROM agents g)))")
