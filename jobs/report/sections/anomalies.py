"""Anomalies of files that change a verdict."""

from .. import evidence
from ..chart import Chart
from ..figure import Column, Figure, Records, Section, count, share
from ..study import ROWS_MAX


def build(study):
    source, rows = study.ask("anomalies_found", crawl=study.crawl)
    changing = sorted((row for row in rows if row["changed"]), key=lambda row: -row["changed"])
    shown = changing[:ROWS_MAX]
    figure = Figure("anomalies", f"Anomalies that change a verdict in {study.crawl}", sources=[source], rows=shown)
    if not rows:
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a 2xx response and an anomaly."
    elif not shown:
        figure.missing = f"No anomaly in {study.crawl} changes a verdict."
    else:
        for row in shown:
            row.update(hosts_counted=row["changed"], largest_domain=row["changed_largest_domain"], largest_ruleset=None, changed_share=row["changed"] / row["of_hosts"])
            figure.records.append(Records(row["code"], row["changed"], evidence.lines(
                "anomalies", study.crawl, f"x.code = '{row['code']}' AND x.changes_verdict")))
        figure.columns = [
            Column("code", "anomaly"), Column("hosts", "hosts with it", "count"), Column("share", "share of hosts", "share"),
            Column("share_of_domains", "share of domains", "share"), Column("changed", "hosts with a changed verdict", "count"),
            Column("of_hosts", "of hosts", "count"), Column("changed_share", "changed", "share"), Column("largest_domain", "largest domain", "share")]
        figure.chart = Chart("bars", f"Anomalies that change a verdict in {study.crawl}", [{
            "label": row["code"], "hosts": row["changed_share"], "text": f"{share(row['changed_share'])} ({count(row['changed'])})",
            "described": f"{row['code']} changes a verdict on {count(row['changed'])} of {count(row['of_hosts'])} hosts"} for row in shown])
        first = shown[0]
        figure.lead = (f"{first['code']} is on {share(first['share'])} of {count(first['of_hosts'])} hosts with a 2xx response ({share(first['share_of_domains'])} of "
                       f"registered domains), and changes a verdict on {count(first['changed'])} of them: a parser that reads these lines strictly gets "
                       f"another answer there.")
        if len(changing) > len(shown):
            figure.lead += f" The {len(shown)} most common are shown, of {len(changing)}."
    return Section("anomalies", "Anomalies that change a verdict",
                   "An anomaly is a probable mistake, or a leniency of the parser. Most of them change nothing.", [figure])
