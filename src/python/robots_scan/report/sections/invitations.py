"""AI crawlers that hosts name only to allow them."""

from .. import evidence
from ..figure import Column, Figure, Section, plural
from ..study import ALL_AGENTS, ROWS_MAX
from .shares import SHARES, bar_chart, columns_of, other_order, ranked, said, share_row, shown_of


def build(study):
    source, rows = study.ask("invitations", crawl=study.crawl, top=ALL_AGENTS)
    figure = Figure("invitations", "AI crawlers whose own group allows every path", sources=[source])
    rows = [row for row in rows if row["hosts"]]
    figure.rows = ranked([share_row(row, study.name_of(row["agent"]), evidence.allowed(row["agent"], study.crawl)) for row in rows])[:ROWS_MAX]
    if figure.rows:
        figure.columns = columns_of(figure.rows, "crawler", [
            Column("operator", "operator"), Column("named", "hosts that name it", "count"), Column("ratio", "of those", "share"), *SHARES])
        figure.chart = bar_chart(f"Registered domains whose group for an AI crawler allows every path in {study.crawl}", figure.rows)
        first = figure.rows[0]
        figure.lead = f"{first['label']} is named and allowed everything by {said(first)}."
        figure.warnings = other_order(figure.rows)
        figure.notes = [f"{plural(first['named'], 'host')} name {first['label']}, whether they allow or block it.", *shown_of(rows)]
    else:
        figure.missing = f"No host of {study.crawl or 'the dataset'} names an AI crawler only to allow it everything."
    return Section("invitations", "Crawlers allowed by name", [figure])
