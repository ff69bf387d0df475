"""Blocking by category of crawler."""

from .. import evidence
from ..dataset import literal
from ..figure import Column, Figure, Section, plural
from ..study import ROWS_MAX
from ..words import words
from .shares import SHARES, bar_chart, columns_of, in_order, name_rules, other_order, ranked, said, share_row


def build(study):
    return Section("purposes", "Purposes of crawlers", [by_category(study)])


def by_category(study):
    source, rows = study.ask("blocking_by_category", crawl=study.crawl)
    figure = Figure("categories", "Crawlers blocked by category", sources=[source])
    for row in rows:
        if row["hosts"] and row["category"] != "(any ai)":
            category = literal(row["category"])
            agents = f"SELECT lower(g.agent) FROM agents g WHERE g.category = {category} OR g.category2 = {category}"
            figure.rows.append(share_row(row, label_of(row), evidence.blocked(agents, study.crawl)))
    if not figure.rows:
        figure.missing = f"No host of {study.crawl or 'the dataset'} blocks a crawler of the registry by name."
        return figure
    found = ranked(figure.rows)
    name_rules(study, found[:ROWS_MAX])
    figure.rows = in_order(found[:ROWS_MAX])
    figure.columns = columns_of(figure.rows, "category", [Column("agents", "crawlers", "count"), Column("mostly", "mostly"), *SHARES])
    figure.chart = bar_chart(f"Registered domains that block crawlers of a category (number of crawlers) by name in {study.crawl}", figure.rows, of=found)
    first = found[0]
    figure.lead = f"At least one of the {plural(first['agents'], 'crawler')} of the category {words(first['category'])}{mostly(first)} is blocked by its own name by {said(first)}."
    figure.warnings = other_order(figure.rows)
    figure.notes = ["A crawler may be in two categories. The more crawlers a category has, the more hosts block one of them."]
    return figure


def label_of(row):
    return f"{words(row['category'])} ({row['agents']})"


def mostly(row):
    """Returns which crawlers of a category most of the hosts block, for the sentence."""
    return f", mostly {' and '.join(row['mostly'].split(', '))}," if row.get("mostly") else ""
