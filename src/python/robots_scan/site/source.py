"""A dataset or a history, opened for a site: with a database beside it for the tables of the site."""

from pathlib import Path

from ..report.tables import HISTORY_TABLE, Tables, literal
from .._terminal import CommandError

NEEDED_TABLES = {"agents", "host_verdicts", "hosts", "robots_files"}


class Source(Tables):
    """The tables of a dataset or a history. `scratch` is a folder for the database `site`, and `output` that of the files of the site."""

    noun, writer, example = "dataset or history", "a scan, `robots-scan join` or `robots-scan history`", "out.parquet"

    def __init__(self, folder, scratch, output):
        self.site_scratch, self.output = Path(scratch).resolve(), Path(output).resolve()
        super().__init__(folder)

    def attach(self):
        # DuckDB names the log of a database wrongly if there is a question mark in its path.
        folder = Path(self.scratch.name) if "?" in str(self.site_scratch) else self.site_scratch
        self.rows(f"ATTACH {literal(str(folder / 'site.duckdb'))} AS site")
        self.rows(f"SET temp_directory = {literal(str(self.site_scratch))}")
        return [str(self.site_scratch), str(self.output)]

    def check_tables(self, tables):
        self.is_history = HISTORY_TABLE in tables
        missing = sorted(NEEDED_TABLES - tables)
        if missing and not self.is_history:
            hint = "join the shards first: robots-scan join FOLDER" if missing[0] in ("host_verdicts", "hosts") else "scan again without --tables"
            raise CommandError(f"the dataset has no table {missing[0]}", hint)
