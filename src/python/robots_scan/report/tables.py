"""A dataset or a history, opened in DuckDB by the views of this program.

Both may be of somebody else. Its own `views.sql` is SQL that could read and write any file of the user, so it is never executed;
values from its tables become SQL only as literals; and once the views exist, DuckDB opens no file outside their folder. DuckDB has no
limit of values, so the files are checked first, and its memory and its temporary files depend on their size.
"""

import json
import re
import shlex
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb

from .. import _native
from .._errors import Error
from .._terminal import CommandError

# The errors of DuckDB if tables cannot be read: ValueError is that of texts that are not UTF-8 and of times that Python does not have.
READER_ERRORS = (duckdb.Error, ValueError, OverflowError)
# A table that only histories have.
HISTORY_TABLE = "host_periods"
# The memory and the temporary files of DuckDB, in bytes: of any dataset, of each thread, and for each byte of its files. DuckDB's own limit of
# memory, a share of that of the machine, holds as well.
START_MEMORY, THREAD_MEMORY, MEMORY_RATIO = 128 << 20, 64 << 20, 100
START_DISK, DISK_RATIO = 1 << 30, 100
WILDCARD = re.compile(r"[*?[]")


class Tables:
    """The tables and macros of a folder. `lists` are the files of the user that queries join."""

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
            views = self.views(folder)
        except Error as error:
            hint = f"give the folder that {self.writer} has written" if error.kind == "not_a_dataset" else None
            raise CommandError(error.args[0], error.hint or hint) from error
        try:
            size = _native.check_values(folder)
        except Error as error:
            raise CommandError(error.args[0], verify_hint(self.noun, self.folder)) from error
        self.scratch = tempfile.TemporaryDirectory(prefix="robots-scan-")
        self.worker = ThreadPoolExecutor(1)
        self.connection = duckdb.connect()
        threads = self.value("SELECT current_setting('threads')")
        memory = min(bytes_of(self.value("SELECT current_setting('memory_limit')")), START_MEMORY + threads * THREAD_MEMORY + MEMORY_RATIO * size)
        for name, value in {"temp_directory": self.scratch.name, "memory_limit": f"{memory}B",
                            "max_temp_directory_size": f"{START_DISK + DISK_RATIO * size}B"}.items():
            self.rows(f"SET {name} = {literal(value)}")
        self.rows(views)
        # Only files of the dataset, the lists and temporary files are opened, and no extension is loaded. The views escape wildcards in the
        # name of the folder, and DuckDB checks the name as it is written.
        settings = {
            "allowed_directories": [str(folder), glob_of(folder), self.scratch.name, *self.attach()],
            "allowed_paths": [str(path) for path in lists if path is not None],
            "enable_external_access": False, "lock_configuration": True}
        for name, value in settings.items():
            self.rows(f"SET {name} = {literal(value)}")
        self.check_tables({row["name"] for row in self.rows("SELECT v.view_name AS name FROM duckdb_views() v WHERE NOT v.internal")})

    def views(self, folder):
        """Returns the SQL of the views of a folder."""
        return _native.views_sql(folder)

    def attach(self):
        """Attaches other databases. Returns their folders, and others that DuckDB may open."""
        return []

    def check_tables(self, tables):
        """Refuses a folder that has not the tables that are needed."""

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
            # The last part is about a parameter that commands do not have.
            raise CommandError(first_line(error).removeprefix("Invalid Input Error: ").split("; any_name := true")[0]) from error
        except READER_ERRORS as error:
            raise unreadable(self.noun, self.folder, error) from error

    def value(self, sql):
        """Returns the single value of a query."""
        return next(iter(self.rows(sql)[0].values()))

    def close(self):
        """Closes the database, so that its files can be removed."""
        self.worker.shutdown()
        self.connection.close()
        self.scratch.cleanup()


def unreadable(noun, folder, error):
    """Returns the error of a folder whose tables cannot be read."""
    return CommandError(f"cannot read the {noun} '{folder}': {first_line(error)}", verify_hint(noun, folder))


def verify_hint(noun, folder):
    return f"check the {noun}: robots-scan verify {shlex.quote(str(folder))}"


def first_line(error):
    """Returns the first line of a message of DuckDB. One that is not UTF-8, since it has the name of a column, is another error that has its bytes."""
    message = error.object.decode("utf-8", "backslashreplace") if isinstance(error, UnicodeDecodeError) else str(error)
    return message.splitlines()[0] if message else type(error).__name__


def bytes_of(text):
    """Returns a size as DuckDB writes it, such as 12.4 GiB, in bytes."""
    number, unit = text.split()
    return int(float(number) * 1024 ** ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"].index(unit))


def options_of(text):
    """Returns the options of a run, which are an object of JSON in its table."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
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


def glob_of(path):
    """Returns a path as a pattern that has only this path: DuckDB and Croissant read wildcards in names."""
    return WILDCARD.sub(r"[\g<0>]", str(path))
