"""What was fetched: the classes of responses."""

from .. import evidence
from ..figure import Column, Figure, Records, Section, plural
from .shares import SHARES, bar_chart, columns_of, other_order, ranked, said, share_row, the_most, too_few

# Common Crawl's classes of fetches, in words.
CLASSES = {"notfound": "not found (400, 404, 410)", "unauthorized": "unauthorized (401)", "forbidden": "forbidden (403)",
           "defer_visits": "try again later (429, 5xx)", "redirect": "redirect without its target", "other": "other status"}
CONDITIONS = {
    "revisit without content": "h.is_revisit",
    "robots.txt with rules": "NOT h.is_revisit AND h.content_class = 'rules'",
    "robots.txt without rules": "NOT h.is_revisit AND h.content_class IN ('no_rules', 'comments_only', 'empty')",
    "robots.txt not stored": "NOT h.is_revisit AND h.outcome = 'successful' AND h.content_class IS NULL",
    "not a robots.txt": "NOT h.is_revisit AND h.content_class NOT IN ('rules', 'no_rules', 'comments_only', 'empty')",
}


def build(study):
    return Section("outcomes", "What was fetched", [funnel(study), denominators(study)])


def funnel(study):
    source, rows = study.ask("outcome_funnel", crawl=study.crawl)
    figure = Figure("outcomes", "Responses to the request for robots.txt", sources=[source], has_rule_sets=False)
    if not rows:
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a capture of /robots.txt."
        return figure
    for row in rows:
        condition = CONDITIONS.get(row["outcome"], "NOT h.is_revisit AND h.content_class IS NULL AND h.outcome <> 'successful' AND "
                                                   f"{evidence.same('h.fetch_class', row['outcome'])}")
        figure.rows.append(share_row({**row, "largest_ruleset": None}, CLASSES.get(row["outcome"], row["outcome"]),
                                     evidence.hosts("captured", study.crawl, condition)))
    figure.rows = ranked(figure.rows)
    figure.columns = columns_of(figure.rows, "response", SHARES)
    figure.chart = bar_chart(f"Registered domains by the response to the request for robots.txt in {study.crawl}", figure.rows)
    first = figure.rows[0]
    figure.lead = f"{the_most(first, 'response', 'One response')} is “{first['label']}”: that of {said(first)} with a capture{too_few(first)}."
    figure.warnings = other_order(figure.rows)
    figure.notes = ["Every host with a capture of /robots.txt is in one of these classes, which add up to 100 %. Hosts that were never fetched are in no class."]
    return figure


def denominators(study):
    """What was counted, of every crawl: a table without a chart."""
    source, rows = study.ask("denominators")
    figure = Figure("denominators", "What was counted", sources=[source])
    if not rows:
        figure.missing = "The dataset has no captures."
        return figure
    for row in rows:
        figure.rows.append({
            **row, "label": row["crawl"], "hosts": row["hosts"] or 0, "counted": row["hosts"] or 0,
            "first_day": row["first_capture"] and row["first_capture"].date().isoformat(),
            "last_day": row["last_capture"] and row["last_capture"].date().isoformat(),
            "records": Records(row["crawl"], row["hosts"] or 0, evidence.hosts("captured", row["crawl"]))})
    figure.columns = [
        Column("label", "crawl"), Column("first_day", "first capture"), Column("last_day", "last capture"), Column("archives_read", "archives", "count"),
        Column("captures", "captures", "count"), Column("hosts", "hosts", "count"), Column("hosts_with_rules", "with rules", "count"),
        Column("hosts_decided", "decided", "count"), Column("domains", "registered domains", "count")]
    figure.lead = (f"The dataset has {plural(sum(row['captures'] for row in rows), 'capture')} in {plural(len(rows), 'crawl')}. Every share on this page names its "
                   "denominator, which is one of these numbers or a part of it.")
    samples = [row["crawl"] for row in rows if row["is_sample"]]
    if samples:
        figure.notes.append(f"The archives of {', '.join(samples)} are a random sample, so shares have a 95 % interval if at least five archives were drawn.")
    return figure
