"""What a page is about: a dataset, one of its crawls, and one crawler; and perhaps a history."""

import re
import zlib
from dataclasses import dataclass, field

from .._terminal import CommandError
from .tables import literal
from .dataset import Dataset, History, Questions
from .figure import Example, Source
from .stored import StoredHosts

# At most this many rows of a question are drawn and listed.
ROWS_MAX = 8
# The questions rank crawlers by hosts: to rank them by domains, all are asked about.
ALL_AGENTS = 1000
DEFAULT_AGENT = "GPTBot"
# At most this many crawlers are drawn over time.
LINES_MAX = 6
# Records that are shown of a number, and those of which they are chosen.
EXAMPLES_MAX, CANDIDATES = 3, 200
# Rules that a sentence has: of at most this many rules, and characters.
RULES_MAX, LINE_MAX = 5, 60
# Names of crawlers by which a sentence names longer rules.
NAMES_MAX = 2
# The hash that chooses them is computed from whole numbers, which are faster to read than names.
PRIME = 1_000_003


@dataclass(frozen=True)
class Agent:
    """A crawler of the registry."""

    name: str  # the column agent
    token: str  # its name as the registry writes it
    fallbacks: str | None  # the crawlers whose groups it obeys if it has none
    ignores_wildcard: bool
    without_crawler: str | None  # why no crawler comes under this name, in words

    def by_name(self):
        """Returns what a block by name means: a group of a fallback counts, too."""
        return "by name" if self.fallbacks is None else f"by name or by the name of its fallback {self.fallbacks}"


@dataclass
class Study:
    """The choices of the reader, and the dataset that answers."""

    dataset: Dataset
    crawl: str  # of all sections but the one about time
    crawls: list[str]  # of the section about time, in the order of time
    chosen: list[Agent]  # the crawlers of questions about one crawler
    agents: dict[str, Agent]  # the registry, by the column agent of tables
    ranks: str | None
    labels: str | None
    seed: int
    history: History | None = None  # answers the section about time instead of the dataset
    drawn: list[Agent] | None = None  # the crawlers that are drawn over time; None for those that are blocked most
    concentrations: dict[str, dict] = field(default_factory=dict)  # by the query for hosts

    def __post_init__(self):
        self.stored = StoredHosts(self.dataset, self.crawl, self.chosen, self.agents)

    def ask(self, name, **arguments):
        """Returns the source and the rows of a question."""
        sql, rows = self.dataset.ask(name, **arguments)
        return Source(name, sql), rows

    @property
    def agent(self):
        """Returns the first of the crawlers that were chosen."""
        return self.chosen[0]

    @property
    def timeline(self):
        """Returns the tables that answer the section about time."""
        return self.history or self.dataset

    @property
    def chosen_crawls(self):
        """Returns the crawls of the section about time if they are not all of them, and None otherwise."""
        return self.crawls if len(self.crawls) < len(self.timeline.crawls) else None

    @property
    def times(self):
        """Returns the median of the times of fetching of each crawl, in milliseconds since 1970, or None."""
        return {row["crawl"]: row["median_ms"] for row in self.timeline.crawls}

    def day(self, crawl):
        """Returns the day of this median."""
        return next(row["median_day"] for row in self.timeline.crawls if row["crawl"] == crawl)

    def key(self, name, agent):
        """Returns the key of a figure about one crawler, of which there is one per chosen crawler."""
        return name if len(self.chosen) == 1 else f"{name}--{re.sub(r'[^0-9A-Za-z-]', '_', agent.token)}"

    def name_of(self, agent):
        """Returns the name of a crawler as the registry writes it."""
        return self.agents[agent].token

    def label_of(self, agent):
        """Returns the name of a crawler as charts have it: with the mark of a name under which no crawler comes."""
        without = self.agents[agent].without_crawler
        return self.name_of(agent) + (f" ({without})" if without else "")

    def count(self, hosts):
        """Returns the number of hosts of a query of `evidence`."""
        return self.dataset.value(f"SELECT count(*) FROM ({self.stored.rewritten(hosts)})")

    def counts(self, sql):
        """Returns the last column of a query over the dataset by the columns before it."""
        return self.dataset.counts(sql)

    def counts_of_hosts(self, hosts, column):
        """Returns the number of hosts of a query of `evidence` by a column of it."""
        return {key: number for (key,), number in self.counts(f"SELECT n.{column}, count(*) FROM ({self.stored.rewritten(hosts)}) n GROUP BY n.{column}").items()}

    def concentration(self, hosts):
        """Describes the hosts behind a number: their domains, and the shares of the largest domain and of the most common rule set."""
        if hosts not in self.concentrations:
            self.concentrations[hosts] = self.dataset.rows(f"""
                WITH d AS (SELECT n.domain, count(*) AS hosts FROM {self.stored.table_of(hosts)} n GROUP BY n.domain),
                s AS (SELECT n.ruleset_id, count(*) AS hosts FROM {self.stored.table_of(hosts)} n WHERE n.ruleset_id IS NOT NULL GROUP BY n.ruleset_id)
                SELECT count(*) AS domains, max(d.hosts) / sum(d.hosts) AS largest_domain, (SELECT max(s.hosts) FROM s) / sum(d.hosts) AS largest_ruleset FROM d""")[0]
        return self.concentrations[hosts]

    def largest_domain(self, hosts):
        """Returns the domain with most of the hosts, and the share of the most common rule set among these, which is null if they have no rules."""
        table = self.stored.table_of(hosts)
        return self.dataset.rows(f"""
            WITH largest AS (SELECT arg_max(d.domain, (d.hosts, d.domain)) AS domain FROM (SELECT n.domain, count(*) AS hosts FROM {table} n GROUP BY n.domain) d)
            SELECT (SELECT l.domain FROM largest l) AS domain, (SELECT max(r.hosts) / sum(r.hosts) FROM (
                SELECT count(*) AS hosts FROM {table} n JOIN largest l ON l.domain = n.domain WHERE n.ruleset_id IS NOT NULL GROUP BY n.ruleset_id) r) AS rules_of_domain""")[0]

    def largest_ruleset(self, hosts):
        """Describes the most common rule set of the hosts behind a number: the number of its hosts and of its rules; the template of half or more of
        these hosts, and whether half or more of all hosts of this template have the rule set; and the rules in a line, if they fit one."""
        table = self.stored.table_of(hosts)
        found = self.dataset.rows(f"""
            SELECT n.ruleset_id, count(*) AS hosts, min_by({{'crawl': n.crawl, 'robots_id': n.rules_robots_id}}, n.rules_robots_id) AS file
            FROM {table} n WHERE n.ruleset_id IS NOT NULL GROUP BY n.ruleset_id ORDER BY count(*) DESC, n.ruleset_id DESC LIMIT 1""")[0]
        of_file = f"x.crawl = {literal(found['file']['crawl'])} AND x.robots_id = {literal(found['file']['robots_id'])}"
        rules = self.dataset.value(f"SELECT coalesce(max(x.n_rules), 0)::BIGINT FROM robots_files x WHERE {of_file}")
        with_template = self.dataset.rows(f"""
            SELECT h.template, count(*) AS hosts, count(*) FILTER (h.ruleset_id = {literal(found['ruleset_id'])}) AS same
            FROM hosts h WHERE h.crawl = {literal(found['file']['crawl'])} AND h.template IS NOT NULL
            GROUP BY h.template HAVING same > 0 ORDER BY same DESC, h.template LIMIT 1""")
        same = self.dataset.value(f"SELECT count(*) FROM hosts h WHERE h.crawl = {literal(found['file']['crawl'])} AND h.ruleset_id = {literal(found['ruleset_id'])}")
        of_template = with_template[0] if with_template and with_template[0]["same"] * 2 >= same else None
        return {"hosts": found["hosts"], "rules": rules, "template": of_template and of_template["template"],
                "is_default": bool(of_template) and of_template["same"] * 2 >= of_template["hosts"], "line": self.rules_in_line(of_file) if rules <= RULES_MAX else None, "names": self.names_in(of_file)}

    def names_in(self, of_file):
        """Returns the first names of crawlers in a file, and three dots if there are more."""
        names = [row["name"] for row in self.dataset.rows(f"SELECT left(trim(x.agent_raw), {LINE_MAX}) AS name FROM groups x WHERE {of_file} AND x.agent_raw IS NOT NULL "
                                                          f"ORDER BY x.line_no LIMIT {NAMES_MAX + 1}")]
        return [*names[:NAMES_MAX], *(["…"] if len(names) > NAMES_MAX else [])]

    def rules_in_line(self, of_file):
        """Returns the groups and rules of a file as one line, or None if it is too long."""
        lines = self.dataset.rows(f"""
            SELECT x.line_no, 'User-agent: ' || trim(x.agent_raw) AS line FROM groups x WHERE {of_file}
            UNION ALL SELECT x.line_no, CASE WHEN x.allow THEN 'Allow:' ELSE 'Disallow:' END || rtrim(' ' || trim(coalesce(x.path_raw, ''))) FROM rules x WHERE {of_file}
            ORDER BY 1 LIMIT {LINE_MAX}""")
        line = "; ".join(row["line"] or "" for row in lines)
        return line if 0 < len(line) <= LINE_MAX else None

    def examples(self, records):
        """Returns some of the records behind a number, chosen by a hash with the seed and its label: the same ones each time. They are of different
        registered domains as far as there are any."""
        factor = 1 + zlib.crc32(f"{self.seed} {records.label}".encode()) % (PRIME - 1)
        order = f"(n.rules_robots_id % {PRIME} * {factor} + n.rules_robots_id // {1 << 32}) % {PRIME}, n.url_host_name, n.rules_robots_id"
        columns = "n.url_host_name, n.domain, n.crawl, n.rules_robots_id, n.line_no"
        source = self.stored.source_of(records.hosts)
        picked = one_per_domain(self.dataset.rows(f"SELECT {columns} FROM {source} n ORDER BY {order} LIMIT {CANDIDATES}"))
        if len(picked) < min(EXAMPLES_MAX, records.count):
            picked = self.dataset.rows(f"SELECT {columns} FROM {source} n ORDER BY row_number() OVER (PARTITION BY n.domain ORDER BY {order}), {order} LIMIT {EXAMPLES_MAX}")
        places, lines = self.places(picked), self.lines(picked)
        return [Example(row["url_host_name"], line_no=row["line_no"], line=lines.get((*file_of(row), row["line_no"])), **places[file_of(row)]) for row in picked]

    def places(self, picked):
        """Returns where the files of hosts are, by their keys."""
        rows = self.dataset.rows(f"SELECT f.crawl, f.robots_id, f.url, f.warc_filename AS archive, f.warc_record_offset AS \"offset\", f.warc_record_length AS length "
                                 f"FROM robots_files f WHERE {any_file('f', picked)}")
        return {(row.pop("crawl"), row.pop("robots_id")): row for row in rows}

    def lines(self, picked):
        """Returns the texts of the lines that decide, if a table has them, by the keys of their files and their numbers."""
        deciding = [row for row in picked if row["line_no"] is not None]
        found = {}
        for table, value in (("groups", "agent_raw"), ("rules", "path_raw")) if deciding else ():
            numbers = ", ".join(sorted({literal(row["line_no"]) for row in deciding}))
            texts = self.counts(f"SELECT x.crawl, x.robots_id, x.line_no, line_text(x.key_raw, x.has_colon, x.{value}) FROM {table} x "
                                f"WHERE {any_file('x', deciding)} AND x.line_no IN ({numbers})")
            found.update({place: text for place, text in texts.items() if text})
        return found


def one_per_domain(rows):
    """Returns the first rows of different domains."""
    found = {}
    for row in rows:
        found.setdefault(row["domain"], row)
    return list(found.values())[:EXAMPLES_MAX]


def file_of(row):
    return row["crawl"], row["rules_robots_id"]


def any_file(table, rows):
    """Returns the condition that a row of a table is of one of the files of hosts. The lists let DuckDB skip most row groups."""
    crawls, ids = ({literal(row[name]) for row in rows} for name in ("crawl", "rules_robots_id"))
    return f"{table}.crawl IN ({', '.join(sorted(crawls))}) AND {table}.robots_id IN ({', '.join(sorted(ids))})"


def registry_of(tables: Questions):
    """Returns the crawlers of the registry by the column agent."""
    rows = {row["name"]: row for row in tables.rows("SELECT lower(g.agent) AS name, g.token, g.fallbacks, g.ignores_wildcard, g.is_control_token, g.purpose FROM agents g")}
    return {name: Agent(name, row["token"], row["fallbacks"] and ", ".join(rows[fallback.strip()]["token"] for fallback in row["fallbacks"].split(",")),
                        row["ignores_wildcard"], without_crawler(row)) for name, row in rows.items()}


def without_crawler(row):
    """Returns why no crawler comes under a name of the registry, or None: it controls the use of what another crawler fetches, or its purpose says so."""
    if row["is_control_token"]:
        return "no crawler: use for AI"
    return "no crawler today" if "no crawler documented" in (row["purpose"] or "") else None


def study_of(dataset, crawl=None, crawls=None, agents=None, ranks=None, labels=None, seed=1, history=None):
    """Checks the choices of the reader against the dataset, and those of the section about time against the history."""
    known = [row["crawl"] for row in dataset.crawls]
    timeline = history or dataset
    for tables, given in ((dataset, [crawl] if crawl else []), (timeline, crawls or [])):
        of_tables = [row["crawl"] for row in tables.crawls]
        for name in given:
            if name not in of_tables:
                raise CommandError(f"unknown crawl '{name}'", f"the crawls of the {tables.noun} are {', '.join(of_tables) or 'none'}")
    with_hosts = [row["crawl"] for row in dataset.crawls if row["hosts"]]
    names = agents or [DEFAULT_AGENT]
    # The guards of these macros say what is wrong, before anything else is computed.
    for tables in (dataset, history) if history and agents else (dataset,):
        for name in names:
            tables.rows(f"SELECT check_named_agent({literal(name)}, false)")
    for macro, path in (("ranked_hosts", ranks), ("labelled_hosts", labels)):
        if path is not None:
            dataset.rows(f"SELECT count(*) FROM {macro}({literal(path)})")
    known_agents = registry_of(dataset)
    of_time = [row["crawl"] for row in timeline.crawls if row["hosts"] and (not crawls or row["crawl"] in crawls)]
    whole = list(dict.fromkeys(dataset.value(f"SELECT whole_name({literal(name)})") for name in names))
    drawn = None
    if history and agents:
        if len(whole) > LINES_MAX:
            raise CommandError(f"{len(whole)} crawlers are given, and at most {LINES_MAX} are drawn from a history", "name fewer with --agent, or leave out --history")
        drawn = [registry_of(history)[name] for name in whole]
    elif agents:
        drawn = [known_agents[name] for name in whole][:LINES_MAX]
    return Study(dataset, crawl or (with_hosts or known or [""])[-1], of_time, [known_agents[name] for name in whole], known_agents, ranks, labels, seed, history, drawn)
