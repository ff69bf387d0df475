"""A figure of the page: a chart, its numbers, where they come from, and what to be careful about."""

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from .._terminal import escaped
from .chart import Chart


@dataclass(frozen=True)
class Column:
    """A column of the table of numbers. `kind` is 'text', 'count' or 'share'."""

    name: str
    header: str
    kind: str = "text"

    def format(self, row):
        return FORMATS[self.kind](row.get(self.name))


@dataclass(frozen=True)
class Source:
    """A call of a question. Its denominator and its pitfall are those of the question."""

    question: str
    sql: str
    about: str = ""  # the rows that it answers, if a figure has several sources


@dataclass(frozen=True)
class Records:
    """The records behind one number.

    `hosts` is a query with one row per host that is counted, and the columns url_host_name, domain, ruleset_id, crawl,
    rules_robots_id and line_no (null if no line decides). `count` is the number that it explains.
    """

    label: str
    count: int
    hosts: str

    def sql(self):
        """Returns the query that lists archive, offset and line of all of them, after a comment that says what it counts."""
        return (f"{self.comment()}\n"
                f"SELECT n.url_host_name, n.line_no, r.url, r.warc_filename, r.warc_record_offset, r.warc_record_length\n"
                f"FROM ({self.hosts}) n\n"
                f"JOIN robots_files r ON r.crawl = n.crawl AND r.robots_id = n.rules_robots_id")

    def comment(self):
        # Readers copy the query: a line break of a label must not end the comment.
        label = escaped(" ".join(self.label.split()))
        return f"-- {label}: {count(self.count)}"


class CaptureRecords(Records):
    """The same in a history, where the records are the captures of the hosts: `hosts` has the columns host_id, crawl, url_host_name, domain and line_no."""

    def sql(self):
        return (f"{self.comment()}\n"
                f"SELECT n.crawl, n.url_host_name, n.line_no, a.warc_filename, c.warc_record_offset, c.warc_record_in_member\n"
                f"FROM ({self.hosts}) n\n"
                f"JOIN host_captures c ON c.capture_no = n.host_id\n"
                f"JOIN archives a ON a.crawl = c.crawl AND a.archive_no = c.archive_no")


@dataclass
class Example:
    """One record behind a number, as the page shows it. `line` is None if no table has its text, and `length` for a record of a history."""

    host: str
    url: str
    line_no: int | None
    line: str | None
    archive: str
    offset: int
    length: int | None

    def is_of_other_host(self):
        """Returns true if the rules are those of another host, to which this one redirects."""
        host = self.url.split("/")[2].rsplit("@", 1)[-1].split(":")[0] if self.url.count("/") > 1 else self.url
        return host.removeprefix("www.") != self.host.removeprefix("www.")


@dataclass
class Figure:
    """One figure. If `missing` is given, the dataset has nothing to draw, and it says why."""

    key: str
    title: str
    # The sentence in sight, and sentences that are folded with the numbers.
    lead: str = ""
    notes: list[str] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    rows: list[dict] = field(default_factory=list)  # sections.shares describes them
    chart: Chart | None = None
    sources: list[Source] = field(default_factory=list)
    # Records behind numbers that are not the main number of a row.
    more_records: list[Records] = field(default_factory=list)
    # The number whose records the page shows, if it is not that of the first row; and these records.
    example_of: Records | None = None
    examples: list[Example] = field(default_factory=list)
    # The first one is in sight, and the others are folded.
    warnings: list[str] = field(default_factory=list)
    # Hosts without rules have the same, empty rule set, which says nothing about rows such as statuses.
    has_rule_sets: bool = True
    # A history answers it, and not the dataset. Its rows have no `records`.
    of_history: bool = False
    missing: str | None = None

    def records(self):
        """Returns the records behind all numbers, in the order of rows."""
        return [row["records"] for row in self.rows if "records" in row] + self.more_records

    def columns_with_values(self):
        """Returns the columns that are not empty in every row."""
        return [column for column in self.columns if any(row.get(column.name) is not None for row in self.rows)]


@dataclass
class Section:
    """A section of the page. The first figure that is not missing is in sight, and the others are folded."""

    key: str
    title: str
    figures: list[Figure]
    # Rows of the columns of sections.shares.SHARES, whose shares are shown in large type.
    big_numbers: list[dict] = field(default_factory=list)

    @property
    def main(self):
        """Returns the figure in sight."""
        return next((figure for figure in self.figures if not figure.missing), self.figures[0])

    @property
    def others(self):
        """Returns the folded figures."""
        return [figure for figure in self.figures if figure is not self.main]


def plural(number_of, noun):
    """Returns a number with its noun: 1 host, 2 hosts."""
    return f"{count(number_of)} {noun}{'' if number_of == 1 else 's'}"


def count(value):
    """Formats a whole number: 1,234."""
    return "–" if value is None else f"{value:,.0f}"


def share(value):
    """Formats a share as a percentage, without a line break: 27.2 %. Small shares keep two digits; 0 % and 100 % are exact."""
    if value is None:
        return "–"
    percent = Decimal(repr(float(value))) * 100
    if percent == 0 or percent == 100:
        shown = f"{percent:.0f}"
    elif percent < Decimal("0.1"):
        shown = f"{percent:.2g}" if percent >= Decimal("0.0001") else f"{percent:.6f}"
    else:
        shown = str(min(percent.quantize(Decimal("0.1"), ROUND_HALF_UP), Decimal("99.9")))
    return f"{shown}\u00a0%"


def text(value):
    return "–" if value is None else str(value)


FORMATS = {"text": text, "count": count, "share": share}


def interval(row):
    """Returns ' (95 % interval 3.1 % to 4.2 %)' for a row of a random sample, and '' for others."""
    if row.get("low") is None or row.get("high") is None:
        return ""
    return f" (95 % interval: {share(row['low'])} to {share(row['high'])})"
