"""AI crawlers that hosts name only to allow them."""

from .. import evidence
from ..figure import Column, Figure, Section, count, plural, share
from ..study import ROWS_MAX
from .shares import SHARES, bar_chart, columns_of, share_row


def build(study):
    source, rows = study.ask("invitations", crawl=study.crawl, top=ROWS_MAX)
    figure = Figure("invitations", f"AI crawlers whose own group allows every path in {study.crawl}", sources=[source])
    figure.rows = [share_row(row, study.name_of(row["agent"]), evidence.allowed(row["agent"], study.crawl)) for row in rows if row["hosts"]]
    if figure.rows:
        figure.columns = columns_of(figure.rows, "crawler", [
            Column("operator", "operator"), Column("named", "hosts that name it", "count"), Column("ratio", "of those", "share"), *SHARES])
        figure.chart = bar_chart(f"AI crawlers that hosts name only to allow them in {study.crawl}", figure.rows)
        first = figure.rows[0]
        figure.lead = (f"{first['label']} is named and allowed everything by {count(first['hosts'])} of {plural(first['of_hosts'], 'host')} ({share(first['share'])}), "
                       f"and by {share(first['share_of_domains'])} of registered domains; {plural(first['named'], 'host')} name it.")
    else:
        figure.missing = f"No host of {study.crawl or 'the dataset'} names an AI crawler only to allow it everything."
    return Section("invitations", "Invitations", "", [figure])
