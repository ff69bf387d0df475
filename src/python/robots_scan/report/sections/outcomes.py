"""What was fetched: the classes of responses, and whether rules or servers keep a crawler out."""

from .. import evidence
from ..dataset import literal
from ..figure import Column, Figure, Records, Section, plural
from .shares import SHARES, bar_chart, columns_of, in_order, name_rules, other_order, ranked, said, share_row, the_most

# Common Crawl's classes of fetches and other outcomes, in words.
CLASSES = {"notfound": "not found (400, 404, 410)", "unauthorized": "401 (by RFC 9309, all is allowed)", "forbidden": "403 (by RFC 9309, all is allowed)",
           "defer_visits": "429 or 5xx (all is blocked)", "redirect": "redirect without its target", "other": "other status", "not a robots.txt": "not a robots.txt (HTML)"}
REASONS = {"own_name": "rules that name it", "fallback_name": "rules that name its fallback", "wildcard": "rules for all crawlers", "refused": "refused by a server",
           "payment": "payment is asked (402)", "origin_down": "server down (5xx)", "undecided": "not decided", "no_block": "not kept out"}
CONDITIONS = {
    "revisit without content": "h.is_revisit",
    "no response": "h.outcome = 'failed'",
    "robots.txt with rules": "NOT h.is_revisit AND h.content_class = 'rules'",
    "robots.txt without rules": "NOT h.is_revisit AND h.content_class IN ('no_rules', 'comments_only', 'empty')",
    "robots.txt not stored": "NOT h.is_revisit AND h.outcome = 'successful' AND h.content_class IS NULL",
    "not a robots.txt": "NOT h.is_revisit AND h.content_class NOT IN ('rules', 'no_rules', 'comments_only', 'empty')",
}


def build(study):
    return Section("outcomes", "What was fetched", [funnel(study), *(reasons(study, agent) for agent in study.chosen), denominators(study)])


def only_successful(study):
    """Returns true if the status of each host of the crawl is 200, as in archives that hold nothing else."""
    return not study.dataset.value(f"SELECT count(*) FROM hosts h WHERE h.crawl = {literal(study.crawl)} AND h.fetch_status IS DISTINCT FROM 200")


def funnel(study):
    source, rows = study.ask("outcome_funnel", crawl=study.crawl)
    figure = Figure("outcomes", "Responses to the request for robots.txt", sources=[source], has_rule_sets=False)
    if not rows:
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a capture of /robots.txt."
        return figure
    for row in rows:
        condition = CONDITIONS.get(row["outcome"], "NOT h.is_revisit AND h.content_class IS NULL AND h.outcome NOT IN ('successful', 'failed') AND "
                                                   f"{evidence.same('h.fetch_class', row['outcome'])}")
        figure.rows.append(share_row({**row, "largest_ruleset": None}, CLASSES.get(row["outcome"], row["outcome"]),
                                     evidence.hosts("captured", study.crawl, condition)))
    figure.rows = in_order(figure.rows)
    figure.columns = columns_of(figure.rows, "response", SHARES)
    figure.chart = bar_chart(f"Registered domains by the response to the request for robots.txt in {study.crawl}", figure.rows)
    first = ranked(figure.rows)[0]
    figure.lead = f"{the_most(first, 'response', 'One response')} is “{first['label']}”: that of {said(first)} with a capture."
    if only_successful(study):
        figure.lead += " The crawl holds only responses with the status 200, so it does not show how many hosts have no robots.txt."
    figure.warnings = other_order(figure.rows)
    figure.notes = ["By RFC 9309, a status from 400 to 499 but 429 allows everything. Every host with a capture of /robots.txt is in one of these classes, which add up to 100 %. Hosts that were never fetched are in no class."]
    return figure


def reasons(study, agent):
    """Of the hosts that a crawler cannot use: those that say so in rules, and those whose servers refuse it before."""
    source, rows = study.ask("blocking_by_reason", agent=agent.token, crawl=study.crawl)
    figure = Figure(study.key("reasons", agent), f"Rules or refused by a server: {agent.token}", sources=[source])
    if not rows:
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a capture of /robots.txt."
        return figure
    for row in rows:
        hosts = evidence.reasons(agent.token, study.crawl, row["reason"])
        # Hosts without rules share the empty rule set.
        has_rules = row["reason"] in ("own_name", "fallback_name", "wildcard")
        figure.rows.append(share_row(row if has_rules else {**row, "largest_ruleset": None}, REASONS[row["reason"]], hosts))
    name_rules(study, figure.rows)
    figure.columns = columns_of(figure.rows, "reason", SHARES)
    figure.chart = bar_chart(f"Registered domains by what keeps {agent.token} out in {study.crawl}", figure.rows)
    kept_out = [row for row in figure.rows if row["reason"] not in ("undecided", "no_block")]
    if kept_out:
        most = ranked(kept_out)[0]
        figure.lead = f"{the_most(most, f'reason that keeps {agent.token} out', 'One reason')} is “{most['label']}”: that of {said(most)} with a capture."
        figure.warnings = other_order(kept_out)
    else:
        figure.lead = f"No host keeps {agent.token} out."
    figure.notes = ["Every host with a capture of /robots.txt has exactly one reason, and the reasons add up to 100 %. A reason is that of a host, not of a verdict: by RFC 9309 a 403 allows "
                    "everything, and in fact it refuses. Archives have the answers to their own crawler; another one may be answered otherwise."]
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
