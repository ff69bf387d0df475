"""A dataset or a history, opened for a site: by the views of this program, with a database beside it for the tables of the site."""

from pathlib import Path

from .._terminal import CommandError
from ..report.dataset import HISTORY_TABLE, WILDCARD, Tables, literal

NEEDED_TABLES = {"agents", "host_verdicts", "hosts", "robots_files"}


class Source(Tables):
    """The tables of a dataset or a history.

    `scratch` is a folder for the database `site`, and `output` the folder for the files of the site. DuckDB opens no other files but
    those of the dataset."""

    noun, writer, example = "dataset or history", "a scan, `robots-scan join` or `robots-scan history`", "out.parquet"

    def __init__(self, folder, scratch, output):
        self.site_scratch, self.output = Path(scratch).resolve(), Path(output).resolve()
        super().__init__(folder)

    def lock(self, folder, lists):
        self.rows(f"ATTACH {literal(str(self.site_scratch / 'site.duckdb'))} AS site")
        settings = {
            "temp_directory": str(self.site_scratch),
            # The views escape wildcards in the name of the folder, and DuckDB checks the name as it is written.
            "allowed_directories": [folder, WILDCARD.sub(r"[\g<0>]", folder), str(self.site_scratch), str(self.output)],
            "enable_external_access": False, "lock_configuration": True}
        for name, value in settings.items():
            self.rows(f"SET {name} = {literal(value)}")

    def check_tables(self, tables):
        self.is_history = HISTORY_TABLE in tables
        missing = sorted(NEEDED_TABLES - tables)
        if missing and not self.is_history:
            hint = "join the shards first: robots-scan join FOLDER" if missing[0] in ("host_verdicts", "hosts") else "scan again without --tables"
            raise CommandError(f"the dataset has no table {missing[0]}", hint)

    def close(self):
        """Closes the database, so that its files can be removed."""
        self.worker.shutdown()
        self.connection.close()
        self.scratch.cleanup()
