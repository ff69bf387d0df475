"""How often the three dialects of the protocol disagree."""

from ..chart import Chart
from ..dataset import literal
from ..figure import Column, Figure, Records, Section, count, share
from .shares import marks

NAMES = {"google": "Google", "rfc9309": "RFC 9309", "koster1996": "Koster 1996"}


def build(study):
    source, rows = study.ask("dialects_that_disagree", crawl=study.crawl)
    figure = Figure("dialects", f"Captures with different verdicts under two dialects in {study.crawl}", sources=[source], rows=rows)
    if not rows or not rows[0]["captures"]:
        figure.missing = f"{study.crawl or 'The dataset'} has no capture of /robots.txt."
    else:
        for row in rows:
            first, second = row["dialects"].split(", ")
            row.update(pair=f"{NAMES[first]} / {NAMES[second]}", hosts_counted=row["by_rules"])
            figure.records.append(Records(row["pair"], row["differ"], differing(study.crawl, first, second)))
        figure.columns = [
            Column("pair", "dialects"), Column("differ", "captures that differ", "count"), Column("captures", "of captures", "count"),
            Column("share", "share", "share"), Column("domains", "of domains", "count"), Column("share_of_domains", "share of domains", "share"),
            Column("by_rules", "by rules", "count"), Column("domains_by_rules", "domains by rules", "share"), Column("by_status", "by status", "count"),
            Column("largest_domain", "largest domain", "share"), Column("largest_ruleset", "largest rule set", "share")]
        figure.chart = Chart("bars", f"Captures with different verdicts under two dialects in {study.crawl}", [{
            "label": row["pair"], "hosts": row["share"], "domains": row["share_of_domains"], "low": row["low"], "high": row["high"],
            "text": f"{share(row['share'])} · ◆ {share(row['share_of_domains'])}{marks(row)}",
            "described": f"{row['pair']}: {count(row['differ'])} of {count(row['captures'])} captures, {share(row['share'])}; "
                         f"{share(row['share_of_domains'])} of domains"} for row in rows], unit="captures")
        most = max(rows, key=lambda row: row["differ"])
        figure.lead = (f"{most['pair']}: {count(most['differ'])} of {count(most['captures'])} captures ({share(most['share'])}) have different verdicts for at least "
                       f"one crawler, {count(most['by_rules'])} of them because of their rules, the others because of their status.")
    return Section("dialects", "Dialects", "Google's parser, RFC 9309 and Koster's draft of 1996 read the same file differently. Here captures are counted, "
                   "not hosts.", [figure])


def differing(crawl, first, second):
    return (f"SELECT f.url_host_name, coalesce(f.url_host_registered_domain, f.surt_host_name) AS domain, f.ruleset_id, f.crawl AS rules_crawl, "
            f"f.robots_id AS rules_robots_id, NULL::INTEGER AS line_no FROM robots_files f WHERE f.crawl = {literal(crawl)} AND f.is_robots_path "
            f"AND NOT f.is_revisit AND f.robots_id IN (SELECT v.robots_id FROM verdicts v WHERE v.crawl = {literal(crawl)} AND v.is_robots_path "
            f"AND v.verdict_{first} <> v.verdict_{second})")
