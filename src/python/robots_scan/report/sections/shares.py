"""What several sections share: columns of numbers, rows of charts, and warnings about concentration.

A row of a figure has the columns of its question, and

- `label`, its name in the chart and in the table;
- `counted`, the number of hosts (or captures) that its main number counts: largest_domain and largest_ruleset are about these;
- `records`, the `figure.Records` behind that number.
"""

from ..chart import Chart
from ..figure import Column, Records, count, share

SHARES = (
    Column("hosts", "hosts", "count"), Column("of_hosts", "of hosts", "count"), Column("share", "share of hosts", "share"),
    Column("domains", "domains", "count"), Column("of_domains", "of domains", "count"), Column("share_of_domains", "share of domains", "share"),
)
BLOCKING = (
    Column("hosts", "of hosts", "count"), Column("counted", "hosts by name", "count"), Column("blocked_by_name", "by name", "share"),
    Column("blocked_by_wildcard", "through *", "share"), Column("blocked_by_status", "by status", "share"), Column("domains", "of domains", "count"),
    Column("domains_blocked_by_name", "domains by name", "share"), Column("domains_blocked_by_wildcard", "domains through *", "share"),
    Column("domains_blocked_by_status", "domains by status", "share"),
)
REASONS = (("blocked_by_name", "by name"), ("blocked_by_wildcard", "through *"), ("blocked_by_status", "by status"))
# A domain or a rule set that accounts for more than this dominates a figure.
MOST = 0.5


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


def one_domain(row):
    return row["counted"] > 1 and (row.get("largest_domain") or 0) > MOST


def one_rule_set(row):
    return row["counted"] > 1 and (row.get("largest_ruleset") or 0) > MOST


def marks(row):
    """Returns the marks that stand for a warning."""
    return (" ▲" if one_domain(row) else "") + (" ■" if one_rule_set(row) else "")


def bar_chart(description, rows, has_denominators=False, unit="hosts"):
    """Returns a chart of the columns share and share_of_domains, with the denominators at the bars if they differ."""
    return Chart("bars", description, [{
        "label": row["label"], "hosts": row["share"], "domains": row["share_of_domains"], "low": row.get("low"), "high": row.get("high"),
        "text": f"{share(row['share'])}{' of ' + count(row['of_hosts']) if has_denominators else ''} · ◆ {share(row['share_of_domains'])}{marks(row)}",
        "described": f"{row['label']}: {share(row['share'])} of {unit} ({count(row['hosts'])} of {count(row['of_hosts'])}), "
                     f"{share(row['share_of_domains'])} of domains"} for row in rows], unit, f"{unit} counted")


def stack_chart(description, rows):
    """Returns a chart of the reasons for a block, in a panel of hosts and a panel of domains."""
    return Chart("stacks", description, [{
        "label": row["label"] + marks(row), "panel": panel, "part": name, "order": order, "share": row[prefix + column],
        "described": f"{row['label']}: {share(row[prefix + column])} of {panel} block it {name}"}
        for panel, prefix in (("hosts", ""), ("registered domains", "domains_")) for row in rows
        for order, (column, name) in enumerate(REASONS)], counted="hosts that block by name")


def fill_concentration(study, rows):
    """Computes the domains and the concentration of rows whose question does not have them."""
    for row in rows:
        if row["counted"] and ("largest_domain" not in row or row.get("domains") is None):
            row.update(study.concentration(row["records"].hosts))


def warnings_of(study, figure):
    """Returns a sentence for each of the first three rows that are mostly one domain or one rule set, and one for the others."""
    unit = "captures" if figure.chart and figure.chart.unit == "captures" else "hosts"
    concentrated = [row for row in figure.rows if one_domain(row) or one_rule_set(row)]
    warnings = []
    for row in concentrated[:3]:
        found = study.concentration(row["records"].hosts)
        counted = f"of the {count(row['counted'])} {unit}"
        if not one_domain(row):
            warnings.append(f"■ {row['label']}: {share(row['largest_ruleset'])} {counted} have the same rules as {found['example']}. The rules may be a "
                            "template or one company's. The share of domains does not show this.")
        elif found["rules_of_domain"] is None or not figure.has_rule_sets:
            warnings.append(f"▲ {row['label']}: {share(row['largest_domain'])} {counted} are in {found['domain']}. Cite the share of domains beside the share of hosts.")
        elif found["rules_of_domain"] > MOST:
            warnings.append(f"▲ {row['label']}: {share(row['largest_domain'])} {counted} are in {found['domain']}, and most of these have the same rules. "
                            "This is probably one decision: cite the share of domains.")
        else:
            warnings.append(f"▲ {row['label']}: {share(row['largest_domain'])} {counted} are in {found['domain']}, but the rules of these differ, so they may be "
                            "independent sites. State the domain.")
    if len(concentrated) > 3:
        rest = len(concentrated) - 3
        warnings.append(f"{rest} more {'row is' if rest == 1 else 'rows are'} mostly one domain (▲) or one rule set (■): see the numbers.")
    return warnings
