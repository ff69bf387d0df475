"""Stated preferences about AI use, and whether the rules agree with them."""

from .. import evidence
from ..dataset import literal
from ..figure import Figure, Section, plural, share
from ..study import ROWS_MAX
from ..words import mechanism, use
from .shares import SHARES, bar_chart, columns_of, fill_concentration, in_order, other_order, ranked, said, share_row, the_most, too_few

# The verdicts of a crawler: columns of the question `contradictions`, their names, and their conditions.
RULES = (("blocked_by_name", "block by name", evidence.BY_NAME), ("blocked_by_wildcard", "block through *", evidence.BY_WILDCARD),
         ("blocked_by_status", "block by status", evidence.BY_STATUS), ("partial", "allow some paths", "v.verdict = 'partial'"),
         ("allowed", "allow all paths", "v.verdict = 'allow_all'"))
# The values of the column `preference`, in words.
PREFERENCES = {"allow_all": "allowed", "disallow_all": "disallowed", "mixed": "by path", "unknown_all": "not stated", "not_crawlable": "all blocked",
               "too_complex": "too complex", None: "stated"}


def build(study):
    return Section("preferences", "Stated preferences", [effective(study), stated(study), *(contradictions(study, agent) for agent in study.chosen)])


def stated(study):
    source, rows = study.ask("stated_preferences", crawl=study.crawl)
    figure = Figure("preferences", "Statements about AI use, as they are written", sources=[source])
    of_hosts = sum(row["of_hosts"] for row in rows[:1])
    rows = [row for row in rows if row["hosts"]]
    if not rows:
        figure.missing = f"No robots.txt of the {plural(of_hosts, 'host')} with a 2xx response in {study.crawl or 'the dataset'} states one in Content-Signal, Content-Usage, License or TDM-Reservation; comments were not searched."
        return figure
    for row in ranked(rows)[:ROWS_MAX]:
        value = "" if row["pref_value"] is None else f"={row['pref_value']}"
        condition = " AND ".join(evidence.same(f"x.{column}", row[column]) for column in ("mechanism", "pref_key", "from_template"))
        if row["mechanism"] != "rsl-license":
            condition += " AND " + evidence.same("x.pref_value", row["pref_value"])
        figure.rows.append(share_row(row, f"{mechanism(row['mechanism'])}: {row['pref_key']}{value}{' (template)' if row['from_template'] else ''}",
                                     evidence.lines("preferences", study.crawl, condition)))
    first, figure.rows = ranked(figure.rows)[0], in_order(figure.rows)
    figure.columns = columns_of(figure.rows, "statement", SHARES)
    figure.chart = bar_chart(f"Registered domains that make a statement about AI use in {study.crawl}", figure.rows, of=rows)
    figure.lead = f"{the_most(first, 'statement', 'One statement')}, {first['label']}, is made by {said(first)} with a 2xx response{too_few(first)}."
    figure.warnings = other_order(figure.rows)
    return figure


def effective(study):
    """The preferences for crawlers that are not named, over all paths."""
    figure = Figure("effective-preferences", "Preferences for all crawlers")
    source, rows = study.ask("effective_preferences", crawl=study.crawl)
    figure.sources.append(source)
    rows = [row for row in rows if row["hosts"]]
    # Without hosts that state something about another use only, and without the words that the mechanism `any` reads together.
    rows = [row for row in rows if row["preference"] != "unknown_all" and (row["mechanism"] == "any" or row["category"] not in ("train-ai", "ai-train", "search"))]
    if not rows:
        figure.missing = f"No host of {study.crawl or 'the dataset'} states, for all crawlers, whether AI or a search engine may use its content."
        return figure
    for row in ranked(rows)[:ROWS_MAX]:
        figure.rows.append(share_row(row, label_of(row), evidence.preferences("*", study.crawl, evidence.same_preference("p", row))))
    first, figure.rows = ranked(figure.rows)[0], in_order(figure.rows)
    figure.columns = columns_of(figure.rows, "preference", SHARES)
    figure.chart = bar_chart(f"Registered domains with a preference for all crawlers in {study.crawl}", figure.rows, of=rows)
    figure.lead = f"{the_most(first, 'preference', 'One preference')} for all crawlers, {first['label']}, is that of {said(first)} with a 2xx response{too_few(first)}."
    figure.warnings = other_order(figure.rows)
    figure.notes = ["A statement counts for the crawlers and paths that it concerns. Uses about which hosts with a statement say nothing are left out.",
                    "Content-Signal, Content-Usage and similar lines state what content may be used for. They are independent of the rules, and a network may write them "
                    "for its customers."]
    return figure


def contradictions(study, agent):
    key, agent = study.key("contradictions", agent), agent.token
    figure = Figure(key, f"Preferences for all crawlers, and rules for {agent}")
    source, rows = study.ask("contradictions", agent=agent, crawl=study.crawl)
    figure.sources.append(source)
    of_hosts = sum(row["of_hosts"] for row in rows[:1])
    rows = [row for row in rows if row["hosts"]]
    if not rows:
        figure.missing = f"None of the {plural(of_hosts, 'host')} of {study.crawl or 'the dataset'} with a known verdict states for all crawlers whether the use of {agent} is allowed."
        return figure
    classes = "CASE " + " ".join(f"WHEN {condition} THEN '{column}'" for column, _, condition in RULES) + " END"
    counts = study.counts(
        f"SELECT p.mechanism, p.category, p.preference, {classes}, count(*) FROM verdicts_for({literal(agent)}, crawl := {literal(study.crawl)}) v "
        f"JOIN preferences_for('*', crawl := {literal(study.crawl)}) p ON p.host_id = v.host_id WHERE v.verdict <> 'unknown' GROUP BY ALL")
    for row in rows:
        for column, rules, condition in RULES:
            hosts = counts.get((row["mechanism"], row["category"], row["preference"], column), 0)
            if hosts:
                of_preference = (f"{condition} AND v.host_id IN (SELECT p.host_id FROM preferences_for('*', crawl := {literal(study.crawl)}) p "
                                 f"WHERE {evidence.same_preference('p', row)})")
                about_name = ("largest_domain", "largest_ruleset", "low", "high") if column == "blocked_by_name" else ()
                figure.rows.append(share_row(
                    {"hosts": hosts, "of_hosts": row["hosts"], "of_domains": row["domains"], "share_of_domains": row["domains_" + column],
                     **{name: row[name] for name in about_name}},
                    f"{label_of(row)}, {rules}", evidence.verdicts(agent, study.crawl, of_preference)))
    fill_concentration(study, figure.rows)
    figure.columns = columns_of(figure.rows, "preference, and rules", SHARES)
    figure.chart = bar_chart(f"Rules for {agent} by the preference for all crawlers in {study.crawl}", figure.rows)
    row = max(rows, key=lambda row: (row["preference"] == "disallow_all", row["hosts"]))
    blocked = sum(counts.get((row["mechanism"], row["category"], row["preference"], column), 0) for column, _, _ in RULES[:3])
    domains = min(1, round(sum(row["domains_" + column] for column, _, _ in RULES[:3]), 5))
    figure.lead = (f"Of {plural(row['domains'], 'registered domain')} with the preference “{label_of(row)}” for all crawlers, {share(domains)} block {agent}, "
                   f"by name, through * or by status ({share(blocked / row['hosts'])} of {plural(row['hosts'], 'host')}).")
    return figure


def label_of(row):
    of_mechanism = "" if row["mechanism"] == "any" else f"{mechanism(row['mechanism'])}: "
    return f"{of_mechanism}{use(row['category'])} {PREFERENCES[row['preference']]}"
