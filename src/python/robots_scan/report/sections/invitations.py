"""AI crawlers that hosts name and let in."""

from .. import evidence
from ..figure import Column, Figure, Records, Section, count, plural, share
from ..study import ALL_AGENTS, ROWS_MAX
from .shares import FEW, HOSTS_MIN, SHARES, bar_chart, columns_of, in_order, is_few, name_rules, other_order, ranked, said, same_rules, share_row


def build(study):
    source, rows = study.ask("invitations", crawl=study.crawl, top=ALL_AGENTS, min_hosts=1)
    rows = [row for row in rows if row["agent"]]
    figure = Figure("invitations", "AI crawlers that are named and allowed every path", sources=[source])
    let_in = most_let_in(study, rows)
    found = ranked([share_row(row, study.label_of(row["agent"]), evidence.allowed(row["agent"], study.crawl)) for row in rows if row["hosts"]])
    figure.rows = in_order(found[:ROWS_MAX])
    if figure.rows:
        name_rules(study, figure.rows)
        figure.columns = columns_of(figure.rows, "crawler", [
            Column("operator", "operator"), Column("named", "hosts that name it", "count"), Column("ratio", "of those", "share"), *SHARES,
            Column("despite_wildcard", "hosts that let it in and block *", "count"), Column("domains_despite_wildcard", "domains that let it in and block *", "share")])
        # A chart only of few hosts would rank them.
        if not all(is_few(row) for row in figure.rows):
            figure.chart = bar_chart(f"Registered domains that name an AI crawler and allow it every path in {study.crawl}", figure.rows, of=found)
        first = found[0]
        figure.lead = f"{study.name_of(first['agent'])} is named and allowed every path by {said(first)}: by {count(first['hosts'])} of {plural(first['named'], 'host')} that name it.{let_in}"
        if is_few(first) and len(found) > 1:
            figure.lead = f"{count(len(found))} AI crawlers are named and allowed every path, each by fewer than {FEW} registered domains.{let_in}"
        figure.warnings = other_order(figure.rows)
    else:
        figure.missing = f"No host of {study.crawl or 'the dataset'} names an AI crawler and allows it every path.{let_in}"
    return Section("invitations", "Crawlers allowed by name", [figure])


def most_let_in(study, rows):
    """Returns a sentence about the crawler that most hosts let in while they block those that they do not name, with a space before it."""
    most = max(rows, key=lambda row: (row["despite_wildcard"], row["agent"]), default=None)
    if not most or most["despite_wildcard"] < HOSTS_MIN:
        return ""
    row = {"counted": most["despite_wildcard"], "records": Records("", most["despite_wildcard"], evidence.let_in(most["agent"], study.crawl))}
    row.update(study.concentration(row["records"].hosts))
    name_rules(study, [row])
    rules = f"; {same_rules(row)}" if same_rules(row) else ""
    return (f" {study.name_of(most['agent'])} is let in, at least partly, by {count(most['despite_wildcard'])} of the hosts that block crawlers that they do not name "
            f"({share(most['domains_despite_wildcard'])} of registered domains{rules}).")
