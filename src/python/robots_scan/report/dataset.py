"""A dataset or a history, with its questions."""

import shlex
from dataclasses import dataclass

from .tables import HISTORY_TABLE, Tables, literal
from .._terminal import CommandError

# The start of the error of the guard check_hosts.
OVER_NOTHING = "no host of "
NEEDED_TABLES = {"agents", "anomalies", "groups", "host_verdicts", "hosts", "preferences", "robots_files", "rules", "runs", "verdicts"}


@dataclass(frozen=True)
class Question:
    """A question: the text of its comment."""

    name: str
    question: str
    denominator: str
    pitfall: str


class Questions(Tables):
    """Tables with their questions, and the answers so far."""

    def __init__(self, folder, lists=()):
        super().__init__(folder, lists)
        self.answers = {}
        self.questions = {row["name"]: Question(row["name"], row["question"], row["denominator"], row["pitfall"]) for row in self.rows(
            "SELECT q.name, q.question, q.denominator, q.pitfall FROM question_texts() q")}

    def rows_or_none(self, sql):
        """Returns the rows of a question; none for a question over nothing, which is an error, since sections say what a dataset does not have."""
        try:
            return self.rows(sql)
        except CommandError as error:
            if str(error).startswith(OVER_NOTHING):
                return []
            raise

    def counts(self, sql):
        """Returns the last column of a query by the columns before it. Shares of questions have six digits, too few to compute counts from."""
        rows = (tuple(row.values()) for row in self.rows(sql))
        return {row[:-1]: row[-1] for row in rows}

    def ask(self, name, **arguments):
        """Returns the call of a question as SQL, and its rows.

        A question that is asked twice is computed once. The rows are copies, to which a section may add columns."""
        sql = call(name, **arguments)
        if sql not in self.answers:
            self.answers[sql] = self.rows_or_none(sql)
        return sql, [dict(row) for row in self.answers[sql]]


class Dataset(Questions):
    """A dataset or a joined folder, with its crawls in the order of time."""

    noun, writer, example = "dataset", "a scan or `robots-scan join`", "out.parquet"

    def __init__(self, folder, lists=()):
        super().__init__(folder, lists)
        # The order is that of the hour of the median capture, since single times may be wrong; the first and the last hour leave out a hundredth of the
        # captures at each end. A crawl without times is the first. They are computed from counts, because a quantile would hold the times of all
        # captures in memory.
        self.crawls = self.rows("""
            WITH hours AS (SELECT f.crawl, date_trunc('hour', f.fetch_time) AS hour, count(*) AS n FROM robots_files f WHERE f.fetch_time IS NOT NULL GROUP BY ALL),
            sums AS (
                SELECT h.crawl, h.hour, sum(h.n) OVER (PARTITION BY h.crawl ORDER BY h.hour) AS up_to, sum(h.n) OVER (PARTITION BY h.crawl) AS captures FROM hours h),
            medians AS (
                SELECT s.crawl, min(s.hour) FILTER (s.up_to * 2 >= s.captures) AS median_fetch, min(s.hour) FILTER (s.up_to * 100 >= s.captures) AS first_fetch,
                    min(s.hour) FILTER (s.up_to * 100 >= 99 * s.captures) AS last_fetch,
                    min(s.hour)::DATE::VARCHAR AS first_day, max(s.hour)::DATE::VARCHAR AS last_day
                FROM sums s GROUP BY s.crawl)
            SELECT c.crawl, c.hosts, c.archives_read, c.archives_listed, c.is_sample, epoch_ms(m.median_fetch) AS median_ms, m.median_fetch::DATE::VARCHAR AS median_day,
                m.first_fetch, m.last_fetch, m.first_day, m.last_day
            FROM crawls() c
            LEFT JOIN medians m ON m.crawl = c.crawl
            ORDER BY m.median_fetch NULLS FIRST, c.position""")

    def check_tables(self, tables):
        if HISTORY_TABLE in tables:
            raise CommandError(f"'{self.folder}' is a history, and a dataset is expected", f"robots-scan report DATASET --history {shlex.quote(str(self.folder))}")
        missing = sorted(NEEDED_TABLES - tables)
        if missing:
            raise CommandError(f"the dataset has no table {missing[0]}", "scan again without --tables")


class History(Questions):
    """A history, with its crawls in the order of time."""

    noun, writer, example = "history", "`robots-scan history`", "history"

    def __init__(self, folder):
        super().__init__(folder)
        self.crawls = self.rows("""
            SELECT c.crawl, c.hosts, c.is_sample, epoch_ms(c.median_fetch) AS median_ms, c.median_fetch::DATE::VARCHAR AS median_day,
                c.first_fetch, c.last_fetch
            FROM crawls() c ORDER BY c.median_fetch NULLS FIRST, c.position""")

    def check_tables(self, tables):
        if HISTORY_TABLE not in tables:
            raise CommandError(f"'{self.folder}' is a dataset, and a history is expected", f"make one: robots-scan history {shlex.quote(str(self.folder))} -o history")


def call(name, **arguments):
    """Returns the call of a table macro; None means that a parameter keeps its default."""
    given = ", ".join(f"{key} := {literal(value)}" for key, value in arguments.items() if value is not None)
    return f"FROM {name}({given})"
