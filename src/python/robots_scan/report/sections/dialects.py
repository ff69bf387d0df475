"""How often the three dialects of the protocol disagree."""

from ..dataset import literal
from ..figure import Column, Figure, Records, Section, count, plural
from .shares import bar_chart, other_order, ranked, said

NAMES = {"google": "Google", "rfc9309": "RFC 9309", "koster1996": "Koster 1996"}


def build(study):
    return Section("dialects", "Dialects", [disagreements(study)])


def disagreements(study):
    source, rows = study.ask("dialects_that_disagree", crawl=study.crawl)
    figure = Figure("dialects", "Captures with different verdicts under two dialects", sources=[source])
    if not rows or not rows[0]["captures"]:
        figure.missing = f"{study.crawl or 'The dataset'} has no capture of /robots.txt."
        return figure
    for row in rows:
        first, second = row["dialects"].split(", ")
        label, captures = f"{NAMES[first]} / {NAMES[second]}", differing(study.crawl, first, second)
        # The question's concentration is that of captures whose rules differ; here it is that of all that differ.
        concentration = {name: value for name, value in study.concentration(captures).items() if name.startswith("largest")} if row["differ"] else {}
        figure.rows.append({
            **row, **concentration, "label": label, "counted": row["differ"], "hosts": row["differ"], "of_hosts": row["captures"], "of_domains": row["domains"],
            "share": row["differ"] / row["captures"], "records": Records(label, row["differ"], captures)})
    figure.columns = [
        Column("label", "dialects"), Column("differ", "captures that differ", "count"), Column("captures", "of captures", "count"),
        Column("share", "share", "share"), Column("domains", "of domains", "count"), Column("share_of_domains", "share of domains", "share"),
        Column("by_rules", "by rules", "count"), Column("domains_by_rules", "domains by rules", "share"), Column("by_status", "by status", "count"),
        Column("largest_domain", "largest domain", "share"), Column("largest_ruleset", "largest rule set", "share")]
    figure.chart = bar_chart(f"Registered domains with captures that two dialects read differently in {study.crawl}", figure.rows, unit="captures")
    figure.notes = ["Google's parser, RFC 9309 and Koster's draft of 1996 read the same file differently. Here captures are counted, not hosts."]
    most = ranked(figure.rows)[0]
    if not most["differ"]:
        figure.lead = f"No two dialects give different verdicts, in {plural(most['captures'], 'capture')}."
        return figure
    figure.lead = f"{most['label']}: different verdicts for at least one crawler in {said(most, 'capture')}."
    figure.warnings = other_order(figure.rows, "capture")
    figure.notes.append(f"In {plural(most['by_rules'], 'capture')} because of rules, and in {count(most['by_status'])} because of a status.")
    return figure


def differing(crawl, first, second):
    return (f"SELECT f.url_host_name, coalesce(f.url_host_registered_domain, f.surt_host_name) AS domain, f.ruleset_id, f.crawl, "
            f"f.robots_id AS rules_robots_id, NULL::INTEGER AS line_no FROM robots_files f WHERE f.crawl = {literal(crawl)} AND f.is_robots_path "
            f"AND NOT f.is_revisit AND f.robots_id IN (SELECT v.robots_id FROM verdicts v WHERE v.crawl = {literal(crawl)} AND v.is_robots_path "
            f"AND v.verdict_{first} <> v.verdict_{second})")
