"""A dataset, a joined folder or a history: its files, tables and crawls."""

import json
import shlex
from dataclasses import dataclass

from .. import _commands
from ..report.tables import HISTORY_TABLE, Tables, glob_of, literal, options_of
from .._terminal import CommandError

# The folder of a joined folder with the tables that `join` makes.
JOINED = "_joined"
MANIFEST = "_manifest.jsonl"
# Files without rows that belong to a dataset. `views.sql` and `_log.jsonl` differ from place to place.
OTHER_FILES = (MANIFEST, "_SUCCESS")
# The tables that readers need first.
FIRST_TABLES = ("hosts", "host_verdicts", "host_preferences", "crawls", "shares", HISTORY_TABLE, "agent_periods")
NEEDED_TABLES = ("robots_files", "runs")
# Findings of `verify` about a file that is not described.
UNDESCRIBED = "views"


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    type: str  # of SQL
    description: str
    is_nullable: bool | None  # None if the files do not have it
    is_partition: bool = False  # part of the path of the files

    @property
    def is_stored(self):
        return self.is_partition or self.is_nullable is not None


@dataclass(frozen=True)
class Table:
    """A table with its files, as paths below the folder of the dataset."""

    name: str
    description: str  # begins with the meaning of one row
    rows: int
    files: list[str]
    patterns: list[str]  # globs that have exactly these files
    columns: list[Column]

    @property
    def stored(self):
        return [column for column in self.columns if column.is_stored]


@dataclass(frozen=True)
class Crawl:
    """A crawl. Times are those of authoritative captures of hosts, in UTC, or None."""

    name: str
    hosts: int | None  # None if hosts were not resolved
    domains: int | None  # registered domains; a host without one counts as one
    known_hosts: int | None  # hosts with a known verdict for `*`; None in a history
    captures: int
    archives_read: int
    archives_listed: int
    is_sample: bool
    first: object
    last: object


@dataclass(frozen=True)
class Run:
    """What the rows of parts were made with. Parts of one scan, and of most joined folders, have the same."""

    version: str
    options: dict
    psl_version: str
    agents_version: str


class Dataset(Tables):
    """The facts about a dataset."""

    noun, writer, example = "dataset", "a scan, `robots-scan join` or `robots-scan history`", "out.parquet"

    def __init__(self, folder):
        super().__init__(folder)
        self.folder = self.folder.resolve()
        self.view_names = names = [row["view_name"] for row in self.rows("SELECT v.view_name FROM duckdb_views() v WHERE NOT v.internal ORDER BY v.view_oid")]
        self.is_history = HISTORY_TABLE in names
        self.members = self.joined_members()
        tables = [self.table(name) for name in [*(name for name in FIRST_TABLES if name in names), *(name for name in names if name not in FIRST_TABLES)]]
        self.tables = {table.name: table for table in tables if table.files}
        missing = [] if self.is_history else [name for name in NEEDED_TABLES if name not in self.tables]
        if missing:
            raise CommandError(f"the dataset has no table {missing[0]}", "scan again without --tables")
        self.crawls = [Crawl(**row) for row in self.rows(self.crawls_sql())]
        self.runs = [] if self.is_history else [
            Run(row["version"], options_of(row["options"]), row["psl_version"], row["agents_version"])
            for row in self.rows("SELECT DISTINCT r.version, r.options, r.psl_version, r.agents_version FROM runs r ORDER BY ALL")]
        self.program = json.loads(next(iter(self.manifest(self.folder / (JOINED if self.members else "")))))["robots_scan"]

    def views(self, folder):
        """Returns the SQL of the views. Refuses a dataset that is damaged or incomplete."""
        views = super().views(folder)
        findings = [finding for finding in _commands.verify(folder)["findings"] if finding["kind"] != UNDESCRIBED]
        if findings:
            first = findings[0]
            where = f"{first['path']}: " if first.get("path") else ""
            raise CommandError(f"the dataset '{self.folder}' is damaged or incomplete: {where}{first['what']}",
                                f"list all damage with: robots-scan verify {shlex.quote(str(self.folder))}")
        return views

    def manifest(self, folder):
        return (folder / MANIFEST).read_text(encoding="utf-8").splitlines()

    def joined_members(self):
        """Returns the subfolders that a joined folder consists of; none if it is another dataset."""
        if not (self.folder / JOINED / MANIFEST).is_file():
            return []
        entries = [json.loads(line) for line in self.manifest(self.folder / JOINED)]
        return sorted(entry["member"] for entry in entries if "member" in entry)

    def roots_of(self, table):
        """Returns the folders below that of the dataset in which the views read a table."""
        if not self.members:
            return [""]
        if (self.folder / JOINED / table).is_dir():
            return [JOINED]
        return self.members[-1:] if table == "agents" else self.members

    def table(self, name):
        """Returns a table as the views describe it, with its files. A table of views only has no files."""
        levels = "" if self.is_history or name == "agents" else "/*" if name in ("hosts", "host_verdicts", "host_preferences") else "/*/*"
        patterns, files = [], []
        for root in self.roots_of(name):
            pattern = "/".join([*([glob_of(root)] if root else []), f"{name}{levels}/*.parquet"])
            found = sorted(path.relative_to(self.folder).as_posix() for path in (self.folder / root).glob(f"{name}{levels}/*.parquet"))
            patterns += [pattern] if found else []
            files += found
        comment = self.value(f"SELECT v.comment FROM duckdb_views() v WHERE v.view_name = {literal(name)} AND NOT v.internal")
        if not files:
            return Table(name, comment, 0, [], [], [])
        paths = literal([glob_of(self.folder / file) for file in files])
        stored = {row["name"]: row["is_nullable"] for row in self.rows(
            f"SELECT p.name, bool_or(p.repetition_type = 'OPTIONAL') AS is_nullable FROM parquet_schema({paths}) p WHERE p.num_children IS NULL GROUP BY p.name")}
        partitions = {part.partition("=")[0] for part in files[0].split("/") if "=" in part} - stored.keys()
        columns = self.rows(f"SELECT c.column_name AS name, c.data_type AS type, c.comment AS description FROM duckdb_columns() c "
                            f"WHERE c.table_name = {literal(name)} AND NOT c.internal ORDER BY c.column_index")
        return Table(name, comment, self.value(f"SELECT coalesce(sum(m.num_rows), 0)::BIGINT FROM parquet_file_metadata({paths}) m"), files, patterns, [
            Column(**column, is_nullable=stored.get(column["name"]), is_partition=column["name"] in partitions) for column in columns])

    def crawls_sql(self):
        if self.is_history:
            return """
                SELECT c.crawl AS name, c.hosts, c.domains, NULL AS known_hosts, c.captures, c.archives_read, c.archives_listed, c.is_sample,
                    c.first_fetch AS first, c.last_fetch AS last FROM crawls c ORDER BY c.position"""
        runs = """
            SELECT r.crawl, sum(r.captures)::BIGINT AS captures, sum(r.inputs)::BIGINT AS archives_read, max(r.listed_inputs) AS archives_listed,
                bool_or(r.sample_seed IS NOT NULL) AS is_sample FROM runs r GROUP BY r.crawl"""
        hosts = """
            SELECT h.crawl, count(*) AS hosts, count(DISTINCT h.domain) AS domains, count(*) FILTER (h.wildcard_verdict <> 'unknown') AS known_hosts,
                min(h.fetch_time) AS first, max(h.fetch_time) AS last FROM hosts h GROUP BY h.crawl"""
        if "hosts" not in self.tables:
            hosts = """
                SELECT f.crawl, NULL AS hosts, NULL AS domains, NULL AS known_hosts, min(f.fetch_time) AS first, max(f.fetch_time) AS last
                FROM robots_files f WHERE f.is_robots_path GROUP BY f.crawl"""
        none = "0" if "hosts" in self.tables else "NULL"
        return f"""
            SELECT r.crawl AS name, coalesce(h.hosts, {none}) AS hosts, coalesce(h.domains, {none}) AS domains, coalesce(h.known_hosts, {none}) AS known_hosts,
                r.captures, r.archives_read, r.archives_listed, r.is_sample, h.first, h.last
            FROM ({runs}) r LEFT JOIN ({hosts}) h ON h.crawl = r.crawl ORDER BY h.first NULLS FIRST, r.crawl"""

    def files(self):
        """Returns all files of the dataset that are the same wherever it is, sorted, as paths below its folder."""
        roots = [self.folder / root for root in ([*self.members, JOINED] if self.members else [""])]
        files = [file for root in roots for name in self.view_names for file in (root / name).rglob("*.parquet")]
        files += [root / name for root in roots for name in OTHER_FILES]
        return sorted(file.relative_to(self.folder).as_posix() for file in files if file.is_file())

    @property
    def first(self):
        """Returns the first time at which a capture was fetched, or None."""
        return min((crawl.first for crawl in self.crawls if crawl.first), default=None)

    @property
    def last(self):
        """Returns the last such time, or None."""
        return max((crawl.last for crawl in self.crawls if crawl.last), default=None)

    @property
    def is_part(self):
        """Returns true if archives of the list were not read, as in a shard."""
        return not self.is_history and sum(crawl.archives_read for crawl in self.crawls) < max((crawl.archives_listed for crawl in self.crawls), default=0)

    @property
    def has_bodies(self):
        """Returns true if whole files are stored."""
        return any(run.options.get("with_bodies") for run in self.runs)

    @property
    def rows_of_tables(self):
        return sum(table.rows for table in self.tables.values())
