"""What a page is about: a dataset, one of its crawls, and one crawler."""

from dataclasses import dataclass

from .dataset import Dataset, ReportError, literal
from .figure import Example, Source

# At most this many rows of a question are drawn and listed.
ROWS_MAX = 12


@dataclass
class Study:
    """The choices of the reader, and the dataset that answers."""

    dataset: Dataset
    crawl: str  # of all sections but the one about time
    crawls: list[str]  # of the section about time, in the order of time
    agent: str  # as the registry writes it
    ranks: str | None
    labels: str | None
    seed: int
    tokens: dict[str, str]  # the names of crawlers as the registry writes them, by the column agent

    def ask(self, name, **arguments):
        """Returns the source and the rows of a question."""
        sql, rows = self.dataset.ask(name, **arguments)
        return Source(name, sql), rows

    def examples(self, hosts, most=3):
        """Returns some of the records behind a number, chosen by a hash with the seed: the same ones each time."""
        picked = self.dataset.rows(
            f"SELECT n.url_host_name, n.rules_crawl, n.rules_robots_id, n.line_no FROM ({hosts}) n "
            f"ORDER BY md5(n.url_host_name || {literal(str(self.seed))}), n.url_host_name LIMIT {most}")
        return [self.example(row) for row in picked]

    def example(self, row):
        """Finds the record of a host, and the text of its line if a table has it."""
        of_file = f"crawl = {literal(row['rules_crawl'])} AND robots_id = {row['rules_robots_id']}"
        place = self.dataset.rows(f"SELECT url, warc_filename, warc_record_offset, warc_record_length FROM robots_files WHERE {of_file}")[0]
        line = None
        if row["line_no"] is not None:
            of_line = f"{of_file} AND line_no = {row['line_no']}"
            for table, value in (("rules", "path_raw"), ("groups", "agent_raw")):
                for found in self.dataset.rows(f"SELECT line_text(key_raw, has_colon, {value}) AS line FROM {table} WHERE {of_line}"):
                    line = line or found["line"]
        return Example(row["url_host_name"], place["url"], row["line_no"], line, place["warc_filename"], place["warc_record_offset"], place["warc_record_length"])

    def largest(self, hosts):
        """Returns the number of domains of the hosts behind a number, and the shares of the largest domain and of the most common rule set."""
        return self.dataset.rows(
            f"WITH n AS MATERIALIZED ({hosts}) SELECT (SELECT count(DISTINCT n.domain) FROM n) AS domains, (SELECT max(d.hosts) / sum(d.hosts) FROM (SELECT count(*) AS hosts FROM n GROUP BY n.domain) d) AS largest_domain, "
            f"(SELECT max(s.hosts) / (SELECT count(*) FROM n) FROM (SELECT count(*) AS hosts FROM n WHERE n.ruleset_id IS NOT NULL GROUP BY n.ruleset_id) s) "
            f"AS largest_ruleset")[0]

    def concentration(self, hosts):
        """Returns the domain that most of the hosts behind a number have, and an example of a host with their most common rule set."""
        return self.dataset.rows(
            f"WITH n AS MATERIALIZED ({hosts}) SELECT (SELECT mode(n.domain) FROM n) AS domain, min(n.url_host_name) AS example FROM n "
            f"WHERE n.ruleset_id = (SELECT mode(n.ruleset_id) FROM n)")[0]


def study_of(dataset, crawl=None, crawls=None, agent="GPTBot", ranks=None, labels=None, seed=1):
    """Checks the choices of the reader against the dataset."""
    known = [row["crawl"] for row in dataset.crawls]
    for name in [*([crawl] if crawl else []), *(crawls or [])]:
        if name not in known:
            raise ReportError(f"unknown crawl '{name}'", "the crawls of the dataset are " + (", ".join(known) or "none"))
    with_hosts = [row["crawl"] for row in dataset.crawls if row["hosts"]]
    # The guards of these macros name what is wrong, before anything else is computed.
    dataset.check(f"SELECT check_named_agent({literal(agent)}, false)")
    for macro, path in (("ranked_hosts", ranks), ("labelled_hosts", labels)):
        if path is not None:
            dataset.check(f"SELECT count(*) FROM {macro}({literal(path)})")
    tokens = {row["name"]: row["token"] for row in dataset.rows("SELECT lower(g.agent) AS name, g.token FROM agents g")}
    chosen = [name for name in known if name in crawls] if crawls else with_hosts
    return Study(dataset, crawl or (with_hosts or known or [""])[-1], chosen, tokens[dataset.value(f"SELECT whole_name({literal(agent)})")], ranks, labels,
                 seed, tokens)
