"""Stated preferences about AI use, and whether the rules agree with them."""

from .. import evidence
from ..figure import Column, Figure, Records, Section, count, share
from ..study import ROWS_MAX
from .headline import TRAINING
from .shares import SHARES, bar_chart, columns_of, fill_concentration

# The verdicts of a crawler, as columns of the question `contradictions`.
RULES = (("blocked_by_name", "block by name"), ("blocked_by_wildcard", "block through *"), ("blocked_by_status", "block by status"),
         ("partial", "allow some paths"), ("allowed", "allow all paths"))
CONDITIONS = {"blocked_by_name": evidence.BY_NAME, "blocked_by_wildcard": evidence.BY_WILDCARD, "blocked_by_status": evidence.BY_STATUS,
              "partial": "v.verdict = 'partial'", "allowed": "v.verdict = 'allow_all'"}
STATEMENTS = {"yes": "bool_and(p.allow)", "no": "NOT bool_or(p.allow)", "both": "bool_or(p.allow) AND NOT bool_and(p.allow)"}


def build(study):
    return Section("preferences", "Stated preferences", "Content-Signal, Content-Usage and similar lines state what content may be used for. They are independent "
                   "of the rules, and a network may write them for its customers.", [stated(study), contradictions(study)])


def stated(study):
    source, rows = study.ask("stated_preferences", crawl=study.crawl)
    figure = Figure("preferences", f"Preferences stated in {study.crawl}", sources=[source])
    if not rows:
        figure.missing = f"No robots.txt in {study.crawl or 'the dataset'} states a preference about AI use or a licence."
        return figure
    for row in rows[:ROWS_MAX]:
        value = "" if row["pref_value"] is None else f"={row['pref_value']}"
        row["statement"] = f"{row['mechanism']}: {row['pref_key']}{value}{' (template)' if row['from_template'] else ''}"
        condition = " AND ".join(evidence.same(f"x.{column}", row[column]) for column in ("mechanism", "pref_key", "from_template"))
        if row["mechanism"] != "rsl-license":
            condition += " AND " + evidence.same("x.pref_value", row["pref_value"])
        figure.records.append(Records(row["statement"], row["hosts"], evidence.lines("preferences", study.crawl, condition)))
    figure.rows = rows[:ROWS_MAX]
    figure.columns = columns_of(figure.rows, [Column("statement", "statement"), *SHARES])
    figure.chart = bar_chart(f"Preferences stated in {study.crawl}", figure.rows, "statement")
    first = rows[0]
    figure.lead = (f"The most common statement, {first['statement']}, is made by {count(first['hosts'])} of {count(first['of_hosts'])} hosts with a 2xx response "
                   f"({share(first['share'])}), and by {share(first['share_of_domains'])} of registered domains.")
    if len(rows) > ROWS_MAX:
        figure.lead += f" The {ROWS_MAX} most common are shown, of {len(rows)}."
    return figure


def contradictions(study):
    source, rows = study.ask("contradictions", agent=study.agent, crawl=study.crawl)
    figure = Figure("contradictions", f"Statements about AI training, and the rules for {study.agent}, in {study.crawl}", sources=[source])
    if not rows:
        figure.missing = f"No host of {study.crawl or 'the dataset'} with a known verdict states whether AI training is allowed."
        return figure
    names = {"yes": "training allowed", "no": "training disallowed", "both": "both stated"}
    for row in rows:
        statement = names[row["training_allowed"]]
        for column, rules in RULES:
            hosts = round(row[column] * row["hosts"])
            if not hosts:
                continue
            figure.rows.append({
                "pair": f"{statement}, {rules}", "hosts": hosts, "of_hosts": row["hosts"], "share": row[column], "of_domains": row["domains"],
                "share_of_domains": row["domains_" + column],
                **({key: row[key] for key in ("largest_domain", "largest_ruleset", "low", "high")} if column == "blocked_by_name" else {})})
            said = (f"(v.rules_crawl, v.rules_robots_id) IN (SELECT (p.crawl, p.robots_id) FROM preferences p WHERE p.pref_key IN {TRAINING} AND p.is_valid "
                    f"AND p.allow IS NOT NULL GROUP BY p.crawl, p.robots_id HAVING {STATEMENTS[row['training_allowed']]})")
            figure.records.append(Records(figure.rows[-1]["pair"], hosts, evidence.verdicts(study.agent, study.crawl, f"{CONDITIONS[column]} AND {said}")))
    figure.columns = columns_of(figure.rows, [Column("pair", "statement, and rules"), *(column for column in SHARES if column.name != "domains")])
    fill_concentration(study, figure)
    figure.chart = bar_chart(f"Rules for {study.agent} by statement about AI training in {study.crawl}", figure.rows, "pair")
    no = next((row for row in rows if row["training_allowed"] == "no"), None)
    yes = next((row for row in rows if row["training_allowed"] == "yes"), None)
    if no:
        open_ = no["partial"] + no["allowed"]
        figure.lead = (f"Of {count(no['hosts'])} hosts that disallow AI training, {share(open_)} do not block {study.agent} "
                       f"({share(no['domains_partial'] + no['domains_allowed'])} of {count(no['domains'])} registered domains).")
    else:
        figure.lead = f"Of {count((yes or rows[0])['hosts'])} hosts with a statement, {share((yes or rows[0])['blocked_by_name'])} block {study.agent} by name."
    return figure
