"""What several sections share: columns of numbers, rows of charts, and warnings about concentration."""

from ..chart import Chart
from ..figure import Column, count, share

SHARES = (
    Column("hosts", "hosts", "count"), Column("of_hosts", "of hosts", "count"), Column("share", "share of hosts", "share"),
    Column("domains", "domains", "count"), Column("of_domains", "of domains", "count"), Column("share_of_domains", "share of domains", "share"),
)
INTERVAL = (Column("low", "95 % from", "share"), Column("high", "to", "share"))
CONCENTRATION = (Column("largest_domain", "largest domain", "share"), Column("largest_ruleset", "largest rule set", "share"))
BLOCKING = (
    Column("hosts", "of hosts", "count"), Column("blocked_by_name", "by name", "share"), Column("blocked_by_wildcard", "through *", "share"),
    Column("blocked_by_status", "by status", "share"), Column("domains", "of domains", "count"),
    Column("domains_blocked_by_name", "domains by name", "share"), Column("domains_blocked_by_wildcard", "domains through *", "share"),
    Column("domains_blocked_by_status", "domains by status", "share"),
)
REASONS = (("blocked_by_name", "by name"), ("blocked_by_wildcard", "through *"), ("blocked_by_status", "by status"))
# A domain or a rule set that accounts for more than this makes a figure one decision.
MOST = 0.5


def columns_of(rows, columns, extra=()):
    """Returns the columns, with those of the interval if the archives are a random sample."""
    has_interval = any(row.get("low") is not None for row in rows)
    return [*columns, *extra, *(INTERVAL if has_interval else ()), *CONCENTRATION]


def one_domain(row):
    return row.get("hosts_counted", row.get("hosts", 0)) > 1 and (row.get("largest_domain") or 0) > MOST


def one_rule_set(row):
    return row.get("hosts_counted", row.get("hosts", 0)) > 1 and (row.get("largest_ruleset") or 0) > MOST


def marks(row, has_rule_sets=True):
    """Returns the marks that stand for a warning."""
    return (" ▲" if one_domain(row) else "") + (" ■" if has_rule_sets and one_rule_set(row) else "")


def bar_chart(description, rows, label, has_rule_sets=True):
    """Returns a chart of the columns share and share_of_domains."""
    return Chart("bars", description, [{
        "label": row[label], "hosts": row["share"], "domains": row["share_of_domains"], "low": row.get("low"), "high": row.get("high"),
        "text": f"{share(row['share'])} · ◆ {share(row['share_of_domains'])}{marks(row, has_rule_sets)}",
        "described": f"{row[label]}: {share(row['share'])} of hosts ({count(row['hosts'])} of {count(row['of_hosts'])}), "
                     f"{share(row['share_of_domains'])} of domains"} for row in rows])


def stack_chart(description, rows, label):
    """Returns a chart of the reasons for a block, in a panel of hosts and a panel of domains."""
    return Chart("stacks", description, [{
        "label": row[label] + marks(row), "panel": panel, "part": name, "order": order, "share": row[prefix + column],
        "described": f"{row[label]}: {share(row[prefix + column])} of {panel} block it {name}"}
        for panel, prefix in (("hosts", ""), ("registered domains", "domains_")) for row in rows
        for order, (column, name) in enumerate(REASONS)])


def fill_concentration(study, figure):
    """Computes the concentration of rows whose question does not have it."""
    hosts_of = {records.label: records.hosts for records in figure.records}
    label = figure.columns[0].name
    for row in figure.rows:
        if row["hosts"] and ("largest_domain" not in row or row.get("domains") is None):
            row.update(study.largest(hosts_of[row[label]]))


def warnings_of(study, figure):
    """Returns sentences about rows that are mostly one domain or one rule set. The first three such rows are explained."""
    label = figure.columns[0].name
    hosts_of = {records.label: records.hosts for records in figure.records}
    concentrated = [row for row in figure.rows if one_domain(row) or figure.has_rule_sets and one_rule_set(row)]
    sentences = {}
    for row in concentrated[:3]:
        found = study.concentration(hosts_of[row[label]]) if row[label] in hosts_of else {}
        if one_domain(row):
            mark, largest = "▲", row["largest_domain"]
            reason = f"of the registered domain {found['domain']}" if found else "of one registered domain"
            advice = "They may be the decision of one operator: cite the share of domains."
        else:
            mark, largest = "■", row["largest_ruleset"]
            reason = f"with the same rules as {found['example']}" if found else "with the same rules"
            advice = "The rules may be a template, or one company's."
        sentences.setdefault((mark, reason, advice), []).append(f"{row[label]} ({share(largest)})")
    warnings = [f"{mark} Hosts {reason} are most of the hosts counted in {', '.join(rows)}. {advice}" for (mark, reason, advice), rows in sentences.items()]
    if len(concentrated) > 3:
        rest = len(concentrated) - 3
        warnings.append(f"{rest} more {'row is' if rest == 1 else 'rows are'} mostly one domain (▲) or one rule set (■): see the numbers.")
    return warnings
