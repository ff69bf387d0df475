"""AI crawlers that hosts name only to allow them."""

from .. import evidence
from ..figure import Column, Figure, Section, plural
from ..study import ALL_AGENTS, ROWS_MAX
from .shares import SHARES, bar_chart, columns_of, other_order, ranked, said, share_row


def build(study):
    source, rows = study.ask("invitations", crawl=study.crawl, top=ALL_AGENTS)
    figure = Figure("invitations", f"AI crawlers whose own group allows every path in {study.crawl}", sources=[source])
    rows = [row for row in rows if row["hosts"]]
    figure.rows = ranked([share_row(row, study.name_of(row["agent"]), evidence.allowed(row["agent"], study.crawl)) for row in rows])[:ROWS_MAX]
    if figure.rows:
        figure.columns = columns_of(figure.rows, "crawler", [
            Column("operator", "operator"), Column("named", "hosts that name it", "count"), Column("ratio", "of those", "share"), *SHARES])
        figure.chart = bar_chart(f"AI crawlers that hosts name only to allow them in {study.crawl}", figure.rows)
        first = figure.rows[0]
        figure.lead = f"{first['label']} is named and allowed everything by {said(first)}; {plural(first['named'], 'host')} name it.{other_order(figure.rows)}"
        if len(rows) > ROWS_MAX:
            figure.lead += f" The {ROWS_MAX} most common are shown, of {len(rows)}."
    else:
        figure.missing = f"No host of {study.crawl or 'the dataset'} names an AI crawler only to allow it everything."
    return Section("invitations", "Invitations", "", [figure])
