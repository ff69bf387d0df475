"""What was fetched: the classes of responses."""

from .. import evidence
from ..figure import Column, Figure, Records, Section, count, share
from .shares import SHARES, bar_chart, columns_of

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
    figure = Figure("outcomes", f"Responses to the request for robots.txt in {study.crawl}", sources=[source], rows=rows, has_rule_sets=False)
    if not rows:
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a capture of /robots.txt."
        return figure
    # Hosts without rules have the same, empty rule set: its share means nothing here.
    for row in rows:
        row["largest_ruleset"] = None
        row["response"] = CLASSES.get(row["outcome"], row["outcome"])
        condition = CONDITIONS.get(row["outcome"], f"NOT h.is_revisit AND h.content_class IS NULL AND h.outcome <> 'successful' AND "
                                                   f"{evidence.same('h.fetch_class', row['outcome'])}")
        figure.records.append(Records(row["response"], row["hosts"], evidence.hosts("captured", study.crawl, condition)))
    figure.columns = [column for column in columns_of(rows, [Column("response", "response"), *SHARES]) if column.name != "largest_ruleset"]
    figure.chart = bar_chart(f"Shares of hosts by response in {study.crawl}", rows, "response", has_rule_sets=False)
    first = rows[0]
    figure.lead = (f"Of {count(first['of_hosts'])} hosts with a capture, {share(first['share'])} are in the class “{first['response']}”. "
                   "Hosts that were never fetched are in no class.")
    return figure
