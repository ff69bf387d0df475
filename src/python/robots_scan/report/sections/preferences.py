"""Stated preferences about AI use, and whether the rules agree with them."""

from .. import evidence
from ..dataset import literal
from ..figure import Figure, Section, plural, share
from ..study import ROWS_MAX
from .shares import SHARES, bar_chart, columns_of, fill_concentration, other_order, ranked, said, share_row

# The verdicts of a crawler: columns of the question `contradictions`, their names, and their conditions.
RULES = (("blocked_by_name", "block by name", evidence.BY_NAME), ("blocked_by_wildcard", "block through *", evidence.BY_WILDCARD),
         ("blocked_by_status", "block by status", evidence.BY_STATUS), ("partial", "allow some paths", "v.verdict = 'partial'"),
         ("allowed", "allow all paths", "v.verdict = 'allow_all'"))
STATEMENTS = {"yes": "training allowed", "no": "training disallowed", "both": "both stated"}


def build(study):
    return Section("preferences", "Stated preferences", "Content-Signal, Content-Usage and similar lines state what content may be used for. They are independent "
                   "of the rules, and a network may write them for its customers.", [stated(study), *(contradictions(study, agent) for agent in study.chosen)])


def stated(study):
    source, rows = study.ask("stated_preferences", crawl=study.crawl)
    figure = Figure("preferences", f"Preferences stated in {study.crawl}", sources=[source])
    if not rows:
        figure.missing = f"No robots.txt in {study.crawl or 'the dataset'} states a preference about AI use or a licence."
        return figure
    for row in ranked(rows)[:ROWS_MAX]:
        value = "" if row["pref_value"] is None else f"={row['pref_value']}"
        condition = " AND ".join(evidence.same(f"x.{column}", row[column]) for column in ("mechanism", "pref_key", "from_template"))
        if row["mechanism"] != "rsl-license":
            condition += " AND " + evidence.same("x.pref_value", row["pref_value"])
        figure.rows.append(share_row(row, f"{row['mechanism']}: {row['pref_key']}{value}{' (template)' if row['from_template'] else ''}",
                                     evidence.lines("preferences", study.crawl, condition)))
    figure.columns = columns_of(figure.rows, "statement", SHARES)
    figure.chart = bar_chart(f"Preferences stated in {study.crawl}", figure.rows)
    first = figure.rows[0]
    figure.lead = f"The most common statement, {first['label']}, is made by {said(first)} with a 2xx response.{other_order(figure.rows)}"
    if len(rows) > ROWS_MAX:
        figure.lead += f" The {ROWS_MAX} most common are shown, of {len(rows)}."
    return figure


def contradictions(study, agent):
    key, agent = study.key("contradictions", agent), agent.token
    source, rows = study.ask("contradictions", agent=agent, crawl=study.crawl)
    figure = Figure(key, f"Statements about AI training, and the rules for {agent}, in {study.crawl}", sources=[source])
    if not rows:
        figure.missing = f"No host of {study.crawl or 'the dataset'} with a known verdict states whether AI training is allowed."
        return figure
    classes = "CASE " + " ".join(f"WHEN {condition} THEN '{column}'" for column, _, condition in RULES) + " END"
    counts = study.counts(
        f"SELECT s.statement, {classes}, count(*) FROM verdicts_for({literal(agent)}) v JOIN ({evidence.TRAINING_STATEMENTS}) s "
        f"ON s.crawl = v.rules_crawl AND s.robots_id = v.rules_robots_id WHERE v.crawl = {literal(study.crawl)} AND v.verdict <> 'unknown' GROUP BY ALL")
    for row in rows:
        for column, rules, condition in RULES:
            hosts = counts.get((row["training_allowed"], column), 0)
            if hosts:
                of_statement = (f"{condition} AND (v.rules_crawl, v.rules_robots_id) IN (SELECT (s.crawl, s.robots_id) FROM ({evidence.TRAINING_STATEMENTS}) s "
                                f"WHERE s.statement = {literal(row['training_allowed'])})")
                about_name = ("largest_domain", "largest_ruleset", "low", "high") if column == "blocked_by_name" else ()
                figure.rows.append(share_row(
                    {"hosts": hosts, "of_hosts": row["hosts"], "of_domains": row["domains"], "share_of_domains": row["domains_" + column],
                     **{name: row[name] for name in about_name}},
                    f"{STATEMENTS[row['training_allowed']]}, {rules}", evidence.verdicts(agent, study.crawl, of_statement)))
    fill_concentration(study, figure.rows)
    figure.columns = columns_of(figure.rows, "statement, and rules", SHARES)
    figure.chart = bar_chart(f"Rules for {agent} by statement about AI training in {study.crawl}", figure.rows, has_denominators=True)
    row = next((row for row in rows if row["training_allowed"] == "no"), rows[0])
    blocked = sum(counts.get((row["training_allowed"], column), 0) for column, _, _ in RULES[:3])
    domains = min(1, round(sum(row["domains_" + column] for column, _, _ in RULES[:3]), 5))
    figure.lead = (f"Of {plural(row['domains'], 'registered domain')} with the statement “{STATEMENTS[row['training_allowed']]}”, for the site, a path or a group, "
                   f"{share(domains)} block {agent}, by name, through * or by status ({share(blocked / row['hosts'])} of {plural(row['hosts'], 'host')}).")
    return figure
