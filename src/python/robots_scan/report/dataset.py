"""A dataset or a history, opened in DuckDB by the views of this program.

Both may be of somebody else. Its own `views.sql` is SQL that could read and write any file of the user, so it is never executed;
values from its tables become SQL only as literals; and once the views exist, DuckDB opens no file outside their folder.
"""

import json
import re
import shlex
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import duckdb

from .. import _native
from .._errors import Error
from .._terminal import CommandError

# The start of the error of the guard check_hosts.
OVER_NOTHING = "no host of "
NEEDED_TABLES = {"agents", "anomalies", "groups", "host_verdicts", "hosts", "preferences", "robots_files", "rules", "runs", "verdicts"}
# What DuckDB raises if tables cannot be read: ValueError is that of texts that are not UTF-8 and of times that Python does not have.
READER_ERRORS = (duckdb.Error, ValueError, OverflowError)
# A table that only histories have.
HISTORY_TABLE = "host_periods"
WILDCARD = re.compile(r"[*?[]")


@dataclass(frozen=True)
class Question:
    """A question: the text of its comment."""

    name: str
    question: str
    denominator: str
    pitfall: str


class Tables:
    """The tables, macros and questions of a folder. `lists` are the files of the user that questions join."""

    # Words of messages: what the folder is, what writes it, and an example of its name.
    noun = writer = example = ""

    def __init__(self, folder, lists=()):
        if not str(folder):
            raise CommandError(f"the name of the {self.noun} is empty", f"name the folder that {self.writer} has written, such as {self.example}")
        self.folder = Path(folder).parent if Path(folder).name == "views.sql" else Path(folder)
        if not self.folder.exists():
            raise CommandError(f"the {self.noun} '{folder}' does not exist")
        folder = self.folder.resolve()
        try:
            views = _native.views_sql(folder)
        except Error as error:
            hint = f"give the folder that {self.writer} has written" if error.kind == "not_a_dataset" else None
            raise CommandError(error.args[0], error.hint or hint) from error
        self.scratch = tempfile.TemporaryDirectory(prefix="robots-scan-report-")
        self.answers = {}
        self.worker = ThreadPoolExecutor(1)
        self.connection = duckdb.connect()
        self.connection.execute("SET temp_directory = " + literal(self.scratch.name))
        try:
            self.execute(views)
        except READER_ERRORS as error:
            raise unreadable(self.noun, self.folder, error) from error
        self.lock(str(folder), lists)
        self.check_tables({row["name"] for row in self.rows("SELECT v.view_name AS name FROM duckdb_views() v WHERE NOT v.internal")})
        self.questions = {row["name"]: Question(row["name"], row["question"], row["denominator"], row["pitfall"]) for row in self.rows(
            "SELECT q.name, q.question, q.denominator, q.pitfall FROM questions() q")}

    def lock(self, folder, lists):
        """Lets DuckDB open only files of the dataset, the lists and temporary files, and load no extension."""
        settings = {
            # The views escape wildcards in the name of the folder, and DuckDB checks the name as it is written.
            "allowed_directories": [folder, WILDCARD.sub(r"[\g<0>]", folder), self.scratch.name], "allowed_paths": [str(path) for path in lists if path is not None],
            "enable_external_access": False, "lock_configuration": True}
        for name, value in settings.items():
            self.rows(f"SET {name} = {literal(value)}")

    def execute(self, sql):
        """Returns the names of columns and the rows of a query.

        Another thread executes it: in the main thread, DuckDB may notice Ctrl-C only when the query ends."""
        answer = self.worker.submit(self.fetch, sql)
        try:
            return answer.result()
        except KeyboardInterrupt:
            # Interrupting a query that has not begun has no effect.
            while not answer.done():
                self.connection.interrupt()
                time.sleep(0.05)
            raise

    def fetch(self, sql):
        answer = self.connection.execute(sql)
        return [column[0] for column in answer.description], answer.fetchall()

    def rows(self, sql):
        """Returns the rows of a query as dictionaries. Errors, such as those of guards, become CommandErrors."""
        try:
            names, rows = self.execute(sql)
            return [dict(zip(names, row)) for row in rows]
        except duckdb.InvalidInputException as error:
            # The last part is about a parameter that the report does not have.
            raise CommandError(first_line(error).removeprefix("Invalid Input Error: ").split("; any_name := true")[0]) from error
        except READER_ERRORS as error:
            raise unreadable(self.noun, self.folder, error) from error

    def rows_or_none(self, sql):
        """Returns the rows of a question; none for a question over nothing, which is an error, since sections say what a dataset does not have."""
        try:
            return self.rows(sql)
        except CommandError as error:
            if str(error).startswith(OVER_NOTHING):
                return []
            raise

    def value(self, sql):
        """Returns the single value of a query."""
        return next(iter(self.rows(sql)[0].values()))

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


class Dataset(Tables):
    """A dataset or a joined folder, with its crawls in the order of time."""

    noun, writer, example = "dataset", "a scan or `robots-scan join`", "out.parquet"

    def __init__(self, folder, lists=()):
        super().__init__(folder, lists)
        # The order is that of the hour of the median capture, since single times may be wrong. A crawl without times is the first. The
        # median is computed from counts, because a quantile would hold the times of all captures in memory.
        self.crawls = self.rows("""
            WITH hours AS (SELECT f.crawl, date_trunc('hour', f.fetch_time) AS hour, count(*) AS n FROM robots_files f WHERE f.fetch_time IS NOT NULL GROUP BY ALL),
            sums AS (
                SELECT h.crawl, h.hour, sum(h.n) OVER (PARTITION BY h.crawl ORDER BY h.hour) AS up_to, sum(h.n) OVER (PARTITION BY h.crawl) AS captures FROM hours h),
            medians AS (
                SELECT s.crawl, min(s.hour) FILTER (s.up_to * 2 >= s.captures) AS median_fetch, min(s.hour)::DATE::VARCHAR AS first_day, max(s.hour)::DATE::VARCHAR AS last_day
                FROM sums s GROUP BY s.crawl)
            SELECT c.crawl, c.hosts, c.archives_read, c.archives_listed, c.is_sample, epoch_ms(m.median_fetch) AS median_ms, m.median_fetch::DATE::VARCHAR AS median_day,
                m.first_day, m.last_day
            FROM crawls() c
            LEFT JOIN medians m ON m.crawl = c.crawl
            ORDER BY m.median_fetch NULLS FIRST, c.position""")

    def check_tables(self, tables):
        if HISTORY_TABLE in tables:
            raise CommandError(f"'{self.folder}' is a history, and a dataset is expected", f"robots-scan report DATASET --history {shlex.quote(str(self.folder))}")
        missing = sorted(NEEDED_TABLES - tables)
        if missing:
            raise CommandError(f"the dataset has no table {missing[0]}", "scan again without --tables")


class History(Tables):
    """A history, with its crawls in the order of time."""

    noun, writer, example = "history", "`robots-scan history`", "history"

    def __init__(self, folder):
        super().__init__(folder)
        self.crawls = self.rows("""
            SELECT c.crawl, c.hosts, c.is_sample, epoch_ms(c.median_fetch) AS median_ms, c.median_fetch::DATE::VARCHAR AS median_day
            FROM crawls() c ORDER BY c.median_fetch NULLS FIRST, c.position""")

    def check_tables(self, tables):
        if HISTORY_TABLE not in tables:
            raise CommandError(f"'{self.folder}' is a dataset, and a history is expected", f"make one: robots-scan history {shlex.quote(str(self.folder))} -o history")


def unreadable(noun, folder, error):
    """Returns the error of a folder whose tables cannot be read."""
    return CommandError(f"cannot read the {noun} '{folder}': {first_line(error)}", f"check the {noun}: robots-scan verify {shlex.quote(str(folder))}")


def first_line(error):
    """Returns the first line of a message of DuckDB. One that is not UTF-8, since it has the name of a column, is another error that has its bytes."""
    message = error.object.decode("utf-8", "backslashreplace") if isinstance(error, UnicodeDecodeError) else str(error)
    return message.splitlines()[0] if message else type(error).__name__


def options_of(text):
    """Returns the options of a run, which are an object of JSON in its table."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"options": text}


def literal(value):
    """Returns a value as a literal of SQL."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "NULL"}[value]
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def call(name, **arguments):
    """Returns the call of a table macro; None means that a parameter keeps its default."""
    given = ", ".join(f"{key} := {literal(value)}" for key, value in arguments.items() if value is not None)
    return f"FROM {name}({given})"
