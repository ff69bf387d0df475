"""A dataset, opened in DuckDB by its `views.sql`."""

import shlex
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import duckdb

# Questions that the sections ask. A dataset of an older version does not have all of them.
NEEDED_QUESTIONS = {
    "access_in_three", "anomalies_found", "blocking_by_agent", "blocking_by_category", "blocking_by_label", "blocking_by_rank", "blocking_by_software",
    "blocking_by_tld", "blocks_from_templates", "contradictions", "denominators", "dialects_that_disagree", "effective_preferences",
    "hosts_decided_in_every_crawl", "invitations", "most_common_rule_sets", "number_of_ai_agents_blocked", "outcome_funnel", "share_of_hosts_blocking",
    "stated_preferences",
}
NEEDED_TABLES = {"agents", "anomalies", "groups", "host_verdicts", "hosts", "preferences", "robots_files", "rules", "runs", "verdicts"}


class ReportError(Exception):
    """An error that the user can do something about, with a hint or None."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Question:
    """A question of `views.sql`: the text of its comment."""

    name: str
    question: str
    denominator: str
    pitfall: str


class Dataset:
    """The tables, macros and questions of a dataset or of a joined folder."""

    def __init__(self, folder):
        if not str(folder):
            raise ReportError("the name of the dataset is empty", "name the folder that a scan has written, such as out.parquet")
        self.folder = Path(folder).parent if Path(folder).name == "views.sql" else Path(folder)
        views = self.folder / "views.sql"
        if not self.folder.exists():
            raise ReportError(f"the dataset '{folder}' does not exist")
        if not views.is_file():
            raise ReportError(f"'{folder}' has no views.sql", "give the folder that a scan or `robots-scan join` has written")
        self.scratch = tempfile.TemporaryDirectory(prefix="robots-scan-report-")
        self.answers = {}
        self.worker = ThreadPoolExecutor(1)
        self.connection = duckdb.connect()
        self.connection.execute("SET temp_directory = " + literal(self.scratch.name))
        self.connection.execute("SET VARIABLE robots_scan = " + literal(str(self.folder.resolve())))
        try:
            self.execute(views.read_bytes().decode("utf-8"))
        except (UnicodeDecodeError, duckdb.Error) as error:
            raise ReportError(f"cannot open '{views}': {first_line(error)}", f"check the dataset: robots-scan verify {shlex.quote(str(self.folder))}") from error
        self.questions = {row["name"]: Question(row["name"], row["question"], row["denominator"], row["pitfall"]) for row in self.checked_questions()}
        # Crawls in the order of time.
        self.crawls = self.rows("SELECT c.crawl, c.hosts, c.archives_read, c.archives_listed, c.is_sample FROM crawls() c ORDER BY c.position")

    def checked_questions(self):
        """Returns the rows of questions(), after checking that the dataset has all that the sections ask."""
        tables = {row["name"] for row in self.rows("SELECT v.view_name AS name FROM duckdb_views() v WHERE NOT v.internal")}
        missing = sorted(NEEDED_TABLES - tables)
        if missing:
            raise ReportError(f"the dataset has no table {missing[0]}", "scan again without --no-hosts and without a selection of tables")
        macros = {row["name"] for row in self.rows("SELECT f.function_name AS name FROM duckdb_functions() f WHERE f.function_type = 'table_macro'")}
        missing = sorted((NEEDED_QUESTIONS | {"questions"}) - macros)
        if missing:
            raise ReportError(f"'{self.folder / 'views.sql'}' does not have the question {missing[0]}: another version has written it",
                              f"write it again with this version: robots-scan views {shlex.quote(str(self.folder))}")
        return self.rows("SELECT q.name, q.question, q.denominator, q.pitfall FROM questions() q")

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
        """Returns the rows of a query as dictionaries. Errors, such as those of guards, become ReportErrors."""
        try:
            names, rows = self.execute(sql)
            return [dict(zip(names, row)) for row in rows]
        except duckdb.InvalidInputException as error:
            # The last part is about a parameter that the report does not have.
            raise ReportError(first_line(error).removeprefix("Invalid Input Error: ").split("; any_name := true")[0]) from error
        except duckdb.Error as error:
            raise ReportError(f"cannot read the dataset '{self.folder}': {first_line(error)}",
                              f"check the dataset: robots-scan verify {shlex.quote(str(self.folder))}") from error

    def value(self, sql):
        """Returns the single value of a query."""
        return next(iter(self.rows(sql)[0].values()))

    def ask(self, name, **arguments):
        """Returns the call of a question as SQL, and its rows.

        A question that is asked twice is computed once. The rows are copies, to which a section may add columns."""
        sql = call(name, **arguments)
        if sql not in self.answers:
            self.answers[sql] = self.rows(sql)
        return sql, [dict(row) for row in self.answers[sql]]


def first_line(error):
    return str(error).splitlines()[0]


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
