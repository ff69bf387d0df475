"""What was fetched: the classes of responses."""

from .. import evidence
from ..figure import Figure, Section
from .shares import SHARES, bar_chart, columns_of, other_order, ranked, said, share_row

# Common Crawl's classes of fetches, in words.
CLASSES = {"notfound": "not found (400, 404, 410)", "unauthorized": "unauthorized (401)", "forbidden": "forbidden (403)",
           "defer_visits": "try again later (429, 5xx)", "redirect": "redirect without its target", "other": "other status"}
CONDITIONS = {
    "revisit without content": "h.is_revisit",
    "robots.txt with rules": "NOT h.is_revisit AND h.content_class = 'rules'",
    "robots.txt without rules": "NOT h.is_revisit AND h.content_class IN ('no_rules', 'comments_only', 'empty')",
    "not a robots.txt": "NOT h.is_revisit AND h.outcome = 'successful' AND (h.content_class IS NULL OR "
                        "h.content_class NOT IN ('rules', 'no_rules', 'comments_only', 'empty'))",
}


def build(study):
    return Section("outcomes", "What was fetched",
                   "Every host with a capture of /robots.txt is in one of these classes, which add up to 100 %.", [funnel(study)])


def funnel(study):
    source, rows = study.ask("outcome_funnel", crawl=study.crawl)
    figure = Figure("outcomes", f"Responses to the request for robots.txt in {study.crawl}", sources=[source], has_rule_sets=False)
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
    figure.chart = bar_chart(f"Shares of registered domains and hosts by response in {study.crawl}", figure.rows)
    first = figure.rows[0]
    figure.lead = f"The class “{first['label']}” has {said(first)} with a capture.{other_order(figure.rows)} Hosts that were never fetched are in no class."
    return figure
