"""Anomalies of files that change a verdict."""

from .. import evidence
from ..dataset import literal
from ..figure import Column, Figure, Records, Section, share
from ..study import ROWS_MAX
from ..words import words
from .shares import bar_chart, in_order, other_order, ranked, said

# The anomaly of names that the protocol does not allow.
NAMES = "invalid_token_chars"


def build(study):
    return Section("anomalies", "Anomalies", [changing(study)])


def changing(study):
    source, rows = study.ask("anomalies_found", crawl=study.crawl)
    figure = Figure("anomalies", "Anomalies that change a verdict", sources=[source])
    rows = [row for row in rows if row["hosts"]]
    found = [row for row in rows if row["changed"]]
    if not found:
        figure.missing = f"No anomaly in {study.crawl} changes a verdict." if rows else f"{study.crawl or 'The dataset'} has no host with an anomaly."
        return figure
    # Each host counts as its part of its domain.
    domains = study.counts(f"""
        SELECT x.code, sum(1 / coalesce(u.n, 1)) FROM hosts_with('successful', crawl := {literal(study.crawl)}) h
        JOIN (SELECT DISTINCT a.crawl, a.robots_id, a.code FROM anomalies a WHERE a.changes_verdict) x ON x.crawl = h.crawl AND x.robots_id = h.rules_robots_id
        LEFT JOIN units_of('successful', crawl := {literal(study.crawl)}) u ON u.part = 'domain' AND u.unit = h.domain_id GROUP BY x.code""")
    for row in found:
        hosts = evidence.lines("anomalies", study.crawl, f"x.code = {literal(row['code'])} AND x.changes_verdict")
        # The main number is that of hosts with a changed verdict; the question has the share of domains of all hosts with the anomaly.
        figure.rows.append({
            "label": words(row["code"]), "code": row["code"], "hosts": row["changed"], "of_hosts": row["of_hosts"], "share": row["changed"] / row["of_hosts"], "of_domains": row["of_domains"],
            "share_of_domains": round(domains[row["code"],] / row["of_domains"], 6), "with_it": row["hosts"], "with_it_share": row["hosts"] / row["of_hosts"],
            "with_it_domains": row["share_of_domains"], "counted": row["changed"], "names": row["names"], "largest_domain": row["changed_largest_domain"], "largest_ruleset": None,
            "records": Records(words(row["code"]), row["changed"], hosts)})
    first = ranked(figure.rows)[0]
    figure.rows = in_order(ranked(figure.rows)[:ROWS_MAX])
    figure.columns = [
        Column("label", "anomaly"), Column("code", "code"), Column("names", "commonest names"), Column("with_it", "hosts with it", "count"), Column("of_hosts", "of hosts", "count"), Column("with_it_share", "with it, of hosts", "share"),
        Column("of_domains", "of domains", "count"), Column("with_it_domains", "with it, of domains", "share"), Column("hosts", "hosts with a changed verdict", "count"),
        Column("share", "share of hosts", "share"), Column("share_of_domains", "share of domains", "share"), Column("largest_domain", "changed, largest domain", "share")]
    figure.chart = bar_chart(f"Registered domains on which an anomaly changes a verdict in {study.crawl}", figure.rows, of=found)
    of_names = f" (commonest names: {first['names']})" if first["names"] else ""
    figure.lead = f"Lines with the anomaly {first['label']}{of_names}, read strictly, give a crawler another verdict, stricter or looser, on {said(first)} with a 2xx response."
    if first["code"] == NAMES:
        figure.lead += " RFC 9309 and Google's parser do not find groups of names with digits, dots or blanks."
    figure.warnings = other_order(figure.rows)
    figure.notes = ["An anomaly is a probable mistake, or a leniency of the parser. Most of them change nothing: "
                    f"{first['label']} is on {share(first['with_it_domains'])} of registered domains."]
    return figure
