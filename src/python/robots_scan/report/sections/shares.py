"""What several sections share: columns of numbers, rows of charts, and warnings about concentration.

A row of a figure has the columns of its question, and

- `label`, its name in the chart and in the table;
- `counted`, the number of hosts (or captures) that its main number counts: largest_domain and largest_ruleset are about these;
- `records`, the `figure.Records` behind that number;
- `rules`, after `name_rules`, what is known about the most common rule set of these hosts, if half or more of them have it (`Study.largest_ruleset`).

Sentences and rankings begin with shares of registered domains: one domain may have most of the hosts of a row.
"""

from ..._terminal import escaped
from ..chart import FEW, Chart
from ..figure import Column, Records, count, interval, plural, share
from ..study import ROWS_MAX
from ..words import template

SHARES = (
    Column("hosts", "hosts", "count"), Column("of_hosts", "of hosts", "count"), Column("share", "share of hosts", "share"),
    Column("domains_any", "domains_any", "count"), Column("of_domains", "of domains", "count"), Column("share_of_domains", "share of domains", "share"),
)
BLOCKING = (
    Column("hosts", "of hosts", "count"), Column("counted", "hosts by name", "count"), Column("blocked_by_name", "by name", "share"),
    Column("blocked_by_wildcard", "through *", "share"), Column("blocked_by_status", "by 429 or 5xx", "share"), Column("domains", "of domains", "count"),
    Column("domains_blocked_by_name", "domains by name", "share"), Column("domains_blocked_by_wildcard", "domains through *", "share"),
    Column("domains_blocked_by_status", "domains by 429 or 5xx", "share"),
)
# A domain or a rule set that accounts for this share or more of at least this many hosts dominates a figure.
MOST = 0.5
HOSTS_MIN = 5
# Warnings describe at most this many rows of a figure.
DESCRIBED_MAX = 2


def columns_of(rows, label, columns, about=""):
    """Returns the columns with those of concentration and, for a random sample, of the interval. `about` says which share these describe."""
    about = f"{about}, " if about else ""
    interval = [Column("low", f"{about}95 % from", "share"), Column("high", "to", "share")] if any(row.get("low") is not None for row in rows) else []
    return [Column("label", label), *columns, *interval, Column("largest_domain", f"{about}largest domain", "share"),
            Column("largest_ruleset", f"{about}largest rule set", "share")]


def share_row(row, label, hosts):
    """Returns a row of the columns of SHARES. Its share is computed from the counts, because shares of questions have six digits."""
    return {**row, "label": label, "counted": row["hosts"], "share": row["hosts"] / row["of_hosts"], "records": Records(label, row["hosts"], hosts)}


def blocking_row(row, label, counted, hosts):
    """Returns a row of the columns of BLOCKING, whose main number is that of hosts that block by name."""
    return {**row, "label": label, "counted": counted, "blocked_by_name": counted / row["hosts"], "records": Records(label, counted, hosts)}


def main_shares(row):
    """Returns the main share of a row: of registered domains, of how many, of hosts, and of how many."""
    if "domains_blocked_by_name" in row:
        return row["domains_blocked_by_name"], row.get("domains"), row["blocked_by_name"], row["hosts"]
    return row["share_of_domains"], row["of_domains"], row["share"], row["of_hosts"]


def said(row, unit="host"):
    """Returns the main share of a row in words: '3.9 % of 3,161 registered domains (27.2 % of 5,361 hosts)', and the rules that half of the hosts have."""
    domains, of_domains, _, _ = main_shares(row)
    rules = f"; {count(row['rules']['hosts'])} of these have {named_rules(row)}" if named_rules(row) else ""
    return f"{share(domains)} of {plural(of_domains, 'registered domain')} ({said_of_hosts(row, unit)}{interval(row)}{rules})"


def said_of_hosts(row, unit="host"):
    """Returns the share of hosts in words: '27.2 % of 5,361 hosts', or '3 of 149 hosts, 2.0 %'."""
    _, _, hosts, of_hosts = main_shares(row)
    if row["counted"] < FEW:
        return f"{count(row['counted'])} of {plural(of_hosts, unit)}, {share(hosts)}"
    return f"{share(hosts)} of {plural(of_hosts, unit)}"


def is_few(row):
    """Returns true if a row counts too few hosts or domains to be compared with other rows."""
    domains, of_domains, _, _ = main_shares(row)
    return row["counted"] < FEW or domains * of_domains < FEW


def the_most(row, common, of_row):
    """Returns the subject of a sentence about the first row: the most common one, or one of few hosts."""
    return of_row if is_few(row) else f"The most common {common}"


def too_few(row):
    """Returns the end of a sentence about the first row."""
    return "; the numbers are too small to say what is most common" if is_few(row) else ""


def ranked(rows):
    """Returns rows in the order of their shares of registered domains."""
    return sorted(rows, key=lambda row: (-main_shares(row)[0], -main_shares(row)[2]))


def in_order(rows):
    """Returns rows as charts and tables have them: by their shares of registered domains, and after these, by their names, those of few hosts or domains."""
    rows = ranked(rows)
    return [row for row in rows if not is_few(row)] + sorted((row for row in rows if is_few(row)), key=lambda row: escaped(row["label"]).lower())


def other_order(rows, unit="host"):
    """Returns a sentence, in a list, if another row is first by shares of hosts than by shares of registered domains, and an empty list otherwise."""
    first = ranked(rows)[0]
    by_hosts = max(rows, key=lambda row: (main_shares(row)[2], main_shares(row)[0]))
    if share(main_shares(by_hosts)[2]) == share(main_shares(first)[2]) or is_few(by_hosts) or is_few(first):
        return []
    domains, _, hosts, of_hosts = main_shares(by_hosts)
    concentration = f"; {share(by_hosts['largest_domain'])} of the {unit}s counted are in one of them" if one_domain(by_hosts) else ""
    return [f"By {unit}s, the order is another: first is {by_hosts['label']}, {share(hosts)} of {plural(of_hosts, unit)} ({share(domains)} of registered domains{concentration})."]


def one_domain(row):
    return row["counted"] >= HOSTS_MIN and (row.get("largest_domain") or 0) >= MOST


def one_rule_set(row):
    return row["counted"] >= HOSTS_MIN and (row.get("largest_ruleset") or 0) >= MOST


def name_rules(study, rows):
    """Adds what is known about the rule set that half or more of the hosts of a row have."""
    for row in rows:
        if one_rule_set(row) and "rules" not in row and "records" in row:
            row["rules"] = study.largest_ruleset(row["records"].hosts)


def named_rules(row):
    """Returns the name of the rules that half or more of the hosts of a row have, such as 'the default of Wix', or an empty text."""
    rules = row.get("rules")
    if not rules or not one_rule_set(row):
        return ""
    if rules["template"]:
        return f"the default of {template(rules['template'])}" if rules["is_default"] else f"one rule set of {template(rules['template'])}"
    if rules["line"]:
        return f"only the rules “{rules['line']}”"
    return f"the same {plural(rules['rules'], 'rule')}{' (' + ', '.join(rules['names']) + ')' if rules['names'] else ''}"


def same_rules(row, unit="host"):
    """Returns which rules half or more of the hosts of a row have: '7 of 14 hosts have the default of Wix'."""
    return f"{count(row['rules']['hosts'])} of {plural(row['counted'], unit)} have {named_rules(row)}" if named_rules(row) else ""


def is_marked_rule_set(row):
    """Returns true if half or more of the hosts have the same rules, and these are not so short that sites write them independently."""
    return one_rule_set(row) and ("rules" not in row or bool(row["rules"]["template"]) or not row["rules"]["line"])


def marks(row):
    """Returns the marks that stand for a warning."""
    return (" ▲" if one_domain(row) else "") + (" ■" if is_marked_rule_set(row) else "")


def bar_chart(description, rows, unit="hosts", of=()):
    """Returns a chart of the main shares of rows, or None for a single one, which its sentence has. `of` are all rows of the answer, if these are the largest."""
    description += f": the {len(rows)} largest of {count(len(of))}" if len(of) > len(rows) else ""
    return Chart("bars", description, [bar(row, unit) for row in rows], unit) if len(rows) > 1 else None


def bar(row, unit):
    domains, of_domains, hosts, of_hosts = main_shares(row)
    few = f" ({number_of(domains * of_domains)})" if row["counted"] and domains * of_domains < FEW else ""
    return {"label": row["label"], "domains": domains, "hosts": hosts, "low": row.get("low"), "high": row.get("high"), "text": share(domains) + few,
            "beyond": f"{share(hosts)} →", "marks": marks(row), "few": is_few(row),
            "described": f"{row['label']}: {share(domains)} of registered domains, {share(hosts)} of {unit} ({count(row['counted'])} of {count(of_hosts)})"}


def number_of(domains):
    """Formats a number of registered domains, of which each is divided among its hosts, so that it need not be whole."""
    return f"{domains:.0f}" if domains >= 0.5 else "< 1"


def fill_concentration(study, rows):
    """Computes the domains and the concentration of rows whose question does not have them."""
    for row in rows:
        if row["counted"] and ("largest_domain" not in row or row.get("domains") is None):
            row.update(study.concentration(row["records"].hosts))


def concentration(row):
    """Returns what the marks stand for, and which rules half of the hosts have, in words, or an empty text."""
    found = [f"▲ {share(row['largest_domain'])} of these in one domain"] if one_domain(row) else []
    if same_rules(row):
        found.append(f"{'■ ' if is_marked_rule_set(row) else ''}{same_rules(row)}")
    return "".join(f"; {what}" for what in found)


def mark(figure):
    """Gives the marks to the bars of a chart that was made before the rules of its rows were known."""
    rows = {row["label"]: row for row in figure.rows}
    for drawn in figure.chart.rows if figure.chart and figure.chart.kind == "bars" else []:
        drawn["marks"] = marks(rows[drawn["label"]])


def warnings_of(study, figure):
    """Returns a sentence for each of the first rows that are mostly one domain or one rule set, and one for the others."""
    unit = "captures" if figure.chart and figure.chart.unit == "captures" else "hosts"
    drawn = {row["label"] for row in figure.chart.rows} if figure.chart and figure.chart.kind == "bars" else set()
    concentrated = [row for row in figure.rows if (one_domain(row) or is_marked_rule_set(row)) and (row["label"] in drawn or not is_few(row))]
    warnings = []
    for row in concentrated[:DESCRIBED_MAX]:
        hosts = row["records"].hosts
        counted = f"of {count(row['counted'])} {unit}"
        if not one_domain(row):
            # The sentence may have named them already.
            if named_rules(row) and named_rules(row) not in figure.lead:
                warnings.append(f"■ {row['label']}: {same_rules(row, unit[:-1])}.")
            continue
        found = study.largest_domain(hosts)
        if found["rules_of_domain"] is None or not figure.has_rule_sets:
            warnings.append(f"▲ {row['label']}: {share(row['largest_domain'])} {counted} are in {found['domain']}. Cite the share of domains beside the share of hosts.")
        elif found["rules_of_domain"] >= MOST:
            same = "" if same_rules(row, unit[:-1]) else ", half or more of these with the same rules"
            warnings.append(f"▲ {row['label']}: {share(row['largest_domain'])} {counted} are in {found['domain']}{same}: cite the share of domains.")
        else:
            warnings.append(f"▲ {row['label']}: {share(row['largest_domain'])} {counted} are in {found['domain']}, but the rules of these differ, so they may be "
                            "independent sites. State the domain.")
    if len(concentrated) > DESCRIBED_MAX:
        warnings.append(f"{len(concentrated)} of {len(figure.rows)} rows are half or more of one domain (▲) or one rule set (■): see the numbers.")
    return warnings
