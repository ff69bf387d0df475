"""Anomalies of files that change a verdict."""

from .. import evidence
from ..chart import Chart
from ..dataset import literal
from ..figure import Column, Figure, Records, Section, count, plural, share
from ..study import ROWS_MAX
from .shares import marks


def build(study):
    return Section("anomalies", "Anomalies that change a verdict",
                   "An anomaly is a probable mistake, or a leniency of the parser. Most of them change nothing.", [changing(study)])


def changing(study):
    source, rows = study.ask("anomalies_found", crawl=study.crawl)
    figure = Figure("anomalies", f"Anomalies that change a verdict in {study.crawl}", sources=[source])
    found = sorted((row for row in rows if row["changed"]), key=lambda row: -row["changed"])
    if not found:
        figure.missing = f"No anomaly in {study.crawl} changes a verdict." if rows else f"{study.crawl or 'The dataset'} has no host with an anomaly."
        return figure
    for row in found[:ROWS_MAX]:
        hosts = evidence.lines("anomalies", study.crawl, f"x.code = {literal(row['code'])} AND x.changes_verdict")
        figure.rows.append({**row, "label": row["code"], "counted": row["changed"], "changed_share": row["changed"] / row["of_hosts"],
                            "share": row["hosts"] / row["of_hosts"], "largest_domain": row["changed_largest_domain"], "largest_ruleset": None,
                            "records": Records(row["code"], row["changed"], hosts)})
    figure.columns = [
        Column("label", "anomaly"), Column("hosts", "hosts with it", "count"), Column("of_hosts", "of hosts", "count"), Column("share", "share of hosts", "share"),
        Column("share_of_domains", "share of domains", "share"), Column("changed", "hosts with a changed verdict", "count"),
        Column("changed_share", "changed, of hosts", "share"), Column("largest_domain", "changed, largest domain", "share")]
    figure.chart = Chart("bars", f"Anomalies that change a verdict in {study.crawl}", [{
        "label": row["label"], "hosts": row["changed_share"], "text": f"{share(row['changed_share'])} ({count(row['changed'])}){marks(row)}",
        "described": f"{row['label']} changes a verdict on {count(row['changed'])} of {count(row['of_hosts'])} hosts"} for row in figure.rows],
        counted="hosts with a changed verdict")
    first = figure.rows[0]
    figure.lead = (f"{first['label']} is on {share(first['share'])} of {plural(first['of_hosts'], 'host')} with a 2xx response ({share(first['share_of_domains'])} of "
                   f"registered domains), and changes a verdict on {count(first['changed'])} of them: a parser that reads these lines strictly gets "
                   f"another answer there.")
    if len(found) > ROWS_MAX:
        figure.lead += f" The {ROWS_MAX} most common are shown, of {len(found)}."
    return figure
