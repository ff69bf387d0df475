"""Hosts behind numbers, stored once in temporary tables.

Many numbers are about the hosts that block a crawler by name. The queries of `evidence`, which the page shows, read all hosts of a crawl
for each of them. Here the same queries read tables of the hosts that block at least one crawler, which are a small part of a crawl.
"""

import re

from . import evidence
from .tables import literal

# The columns that conditions and answers use.
OF_BLOCKS = ("v.crawl, v.host_id, v.surt_host_name, v.url_host_registered_domain, v.url_host_name, v.url_host_tld, v.domain, v.rules_robots_id, v.ruleset_id, "
             "v.template, v.verdict, v.basis, v.evidence_line")
# The start of a query for the hosts that block a crawler, which `evidence` writes.
BLOCKING = r"FROM verdicts_for\('([\w-]+)'\) v (JOIN robots_files r ON r\.crawl = v\.crawl AND r\.robots_id = v\.rules_robots_id )?WHERE {} AND v\.verdict = 'disallow_all' AND "


class StoredHosts:
    """The hosts of a crawl that block crawlers, and the hosts behind the numbers of a section."""

    def __init__(self, dataset, crawl, chosen, agents):
        self.dataset, self.crawl, self.agents = dataset, crawl, agents
        # The chosen crawlers have tables of all blocks, by the names that queries may have.
        self.chosen = {name: i for i, agent in enumerate(chosen) for name in (agent.name, agent.token)}
        self.blocking = re.compile(BLOCKING.format(re.escape(f"v.crawl = {literal(crawl)}")))
        self.names, self.tables = set(), {}

    def table_of(self, hosts):
        """Returns the name of a table with the rows of a query of `evidence`."""
        if hosts not in self.tables:
            name = f"hosts_behind_{len(self.tables)}"
            self.dataset.rows(f"CREATE TEMP TABLE {name} AS {self.rewritten(hosts)}")
            self.tables[hosts] = name
        return self.tables[hosts]

    def source_of(self, hosts):
        """Returns that table, if there is one, or the query."""
        return self.tables.get(hosts) or f"({self.rewritten(hosts)})"

    def forget(self):
        """Removes the tables of a section."""
        for name in self.tables.values():
            self.dataset.rows(f"DROP TABLE {name}")
        self.tables.clear()

    def rewritten(self, hosts):
        """Returns a query with the same rows that reads the stored tables, if they have them."""
        found = self.blocking.search(hosts)
        if found and found[1] in self.chosen:
            return hosts.replace(f"verdicts_for('{found[1]}') v", f"{self.blocks_of(found[1])} v", 1)
        # Without fallbacks, a block by name is one of the own group.
        if found and evidence.BY_NAME in hosts and not self.agents[found[1].lower()].fallbacks:
            self.store_named()
            return hosts.replace(f"verdicts_for('{found[1]}') v", f"(SELECT h.*, b.agent, b.crawl, b.verdict, b.basis, b.evidence_line FROM named_blocks b "
                                 f"JOIN named_hosts h ON h.host_id = b.host_id WHERE b.agent = {literal(found[1].lower())}) v", 1)
        if evidence.NAMED in hosts and f"WHERE v.crawl = {literal(self.crawl)}" in hosts and evidence.OWN_BLOCK in hosts:
            self.store_named()
            return hosts.replace(evidence.NAMED, "named_blocks v JOIN named_hosts h ON h.host_id = v.host_id", 1)
        return hosts

    def blocks_of(self, name):
        """Returns the table of the hosts that block a chosen crawler, for any reason."""
        table = f"blocks_of_{self.chosen[name]}"
        self.store(table, f"SELECT {OF_BLOCKS} FROM verdicts_for({literal(name)}, crawl := {literal(self.crawl)}) v WHERE v.verdict = 'disallow_all'")
        return table

    def store_named(self):
        """Stores the blocks of the crawlers of the registry by their own names, and their hosts."""
        self.store("named_blocks", f"SELECT v.agent, v.crawl, v.host_id, v.verdict, v.basis, v.evidence_line FROM host_verdicts v WHERE v.crawl = {literal(self.crawl)} "
                   f"AND {evidence.OWN_BLOCK} AND v.agent IN (SELECT lower(g.agent) FROM agents g)")
        self.store("named_hosts", "SELECT h.host_id, h.surt_host_name, h.url_host_registered_domain, h.url_host_name, h.url_host_tld, h.domain, h.crawl, h.rules_robots_id, "
                   f"h.ruleset_id, h.template, h.wildcard_verdict FROM hosts h WHERE h.crawl = {literal(self.crawl)} AND h.host_id IN (SELECT b.host_id FROM named_blocks b)")

    def store(self, name, sql):
        if name not in self.names:
            self.dataset.rows(f"CREATE TEMP TABLE {name} AS {sql}")
            self.names.add(name)
