"""AI crawlers that hosts name only to allow them."""

from .. import evidence
from ..dataset import literal
from ..figure import Column, Figure, Records, Section, count, share
from ..study import ROWS_MAX
from .shares import SHARES, bar_chart, columns_of


def build(study):
    source, rows = study.ask("invitations", crawl=study.crawl, top=ROWS_MAX)
    rows = [row for row in rows if row["hosts"]]
    figure = Figure("invitations", f"AI crawlers whose own group allows every path in {study.crawl}", sources=[source], rows=rows)
    for row in rows:
        name, row["agent"] = row["agent"], study.tokens[row["agent"]]
        figure.records.append(Records(row["agent"], row["hosts"], evidence.named(literal(name), study.crawl, "allow_all")))
    if rows:
        figure.columns = columns_of(rows, [Column("agent", "crawler"), Column("operator", "operator"), Column("named", "named by hosts", "count"),
                                           Column("ratio", "of those", "share"), *SHARES])
        figure.chart = bar_chart(f"AI crawlers that hosts name only to allow them in {study.crawl}", rows, "agent")
        first = rows[0]
        figure.lead = (f"{first['agent']} is named and allowed everything by {count(first['hosts'])} of {count(first['of_hosts'])} hosts ({share(first['share'])}), and by "
                       f"{share(first['share_of_domains'])} of registered domains; {count(first['named'])} hosts name it.")
    else:
        figure.missing = f"No host of {study.crawl or 'the dataset'} names an AI crawler only to allow it everything."
    return Section("invitations", "Invitations", "", [figure])
