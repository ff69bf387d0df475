"""Queries for the hosts behind a number, for `figure.Records`.

Each has one row per host that is counted, with url_host_name, domain, ruleset_id, crawl, rules_robots_id and line_no.
"""

from .tables import literal

OF_VERDICT = "v.url_host_name, v.domain, v.ruleset_id, v.crawl, v.rules_robots_id, v.evidence_line AS line_no"
OF_PREFERENCE = "p.url_host_name, p.domain, p.ruleset_id, p.crawl, p.rules_robots_id"
OF_HOST = "h.url_host_name, h.domain, h.ruleset_id, h.crawl, h.rules_robots_id"
AI_AGENTS = "SELECT lower(g.agent) FROM agents g WHERE starts_with(g.category, 'ai_') OR starts_with(g.category2, 'ai_')"
# Rows of host_verdicts with their hosts, and the condition of a block by the own name of a crawler.
NAMED = "host_verdicts v JOIN hosts h ON h.host_id = v.host_id"
OWN_BLOCK = "v.basis = 'explicit' AND v.verdict = 'disallow_all'"
BY_NAME = "v.verdict = 'disallow_all' AND v.basis = 'explicit'"
BY_WILDCARD = "v.verdict = 'disallow_all' AND v.basis NOT IN ('explicit', 'http_status')"
BY_STATUS = "v.verdict = 'disallow_all' AND v.basis = 'http_status'"


def verdicts(agent, crawl, condition, more=""):
    """Returns hosts by their verdict for a crawler, with the line that proves it, and perhaps more columns."""
    return f"SELECT {OF_VERDICT}{more and ', ' + more} FROM verdicts_for({literal(agent)}) v WHERE v.crawl = {literal(crawl)} AND {condition}"


def captures(agent, condition):
    """The same in a history, over crawls, with the keys of the captures."""
    return (f"SELECT v.host_id, v.crawl, v.url_host_name, v.domain, v.evidence_line AS line_no FROM verdicts_for({literal(agent)}) v "
            f"WHERE {condition}")


def verdicts_of_files(agent, crawl, condition):
    """The same, with conditions on the capture `r` whose rules apply."""
    return (f"SELECT {OF_VERDICT}, r.waf_hint FROM verdicts_for({literal(agent)}) v "
            f"JOIN robots_files r ON r.crawl = v.crawl AND r.robots_id = v.rules_robots_id "
            f"WHERE v.crawl = {literal(crawl)} AND {condition}")


def reasons(agent, crawl, reason):
    """Returns hosts by the reason that keeps a crawler out."""
    return f"SELECT {OF_VERDICT} FROM reasons_for({literal(agent)}, crawl := {literal(crawl)}) v WHERE v.reason = {literal(reason)}"


def blocked(agents, crawl):
    """Returns hosts that block one of the crawlers of a query by its own name, with the first line that proves it."""
    return (f"SELECT {OF_HOST}, min(v.evidence_line) AS line_no FROM {NAMED} "
            f"WHERE v.crawl = {literal(crawl)} AND h.wildcard_verdict <> 'unknown' AND {OWN_BLOCK} "
            f"AND v.agent IN ({agents}) GROUP BY ALL")


def allowed(agent, crawl):
    """Returns hosts whose own group for a crawler allows every path, with the first line that names it."""
    return (f"SELECT {OF_HOST}, min(g.line_no) AS line_no FROM {NAMED} "
            f"LEFT JOIN groups g ON g.crawl = h.crawl AND g.robots_id = h.rules_robots_id AND g.agent = v.agent "
            f"WHERE v.crawl = {literal(crawl)} AND h.wildcard_verdict <> 'unknown' AND v.basis = 'explicit' AND v.verdict = 'allow_all' "
            f"AND v.agent = {literal(agent)} GROUP BY ALL")


def let_in(agent, crawl):
    """Returns hosts whose own group lets a crawler fetch some paths or all, while they block those that they do not name."""
    return (f"SELECT {OF_HOST}, min(v.evidence_line) AS line_no FROM {NAMED} WHERE v.crawl = {literal(crawl)} AND h.wildcard_verdict = 'disallow_all' "
            f"AND v.basis = 'explicit' AND v.verdict IN ('allow_all', 'partial') AND v.agent = {literal(agent)} GROUP BY ALL")


def hosts(denominator, crawl, condition="true"):
    """Returns hosts of a denominator by a property of their capture; no line decides."""
    return f"SELECT {OF_HOST}, NULL::INTEGER AS line_no FROM hosts_with({literal(denominator)}, crawl := {literal(crawl)}) h WHERE {condition}"


def lines(table, crawl, condition, denominator="successful"):
    """Returns hosts by a line `x` of a table with line numbers: the first such line of each."""
    return (f"SELECT {OF_HOST}, min(x.line_no) AS line_no FROM hosts_with({literal(denominator)}, crawl := {literal(crawl)}) h "
            f"JOIN {table} x ON x.crawl = h.crawl AND x.robots_id = h.rules_robots_id WHERE {condition} GROUP BY ALL")


def preferences(agent, crawl, condition):
    """Returns hosts by their preferences for a crawler, with the first line that shows one."""
    return (f"SELECT {OF_PREFERENCE}, min(p.evidence_line) AS line_no FROM preferences_for({literal(agent)}, crawl := {literal(crawl)}) p "
            f"WHERE {condition} GROUP BY ALL")


def same(column, value):
    """Returns a condition that also holds for null."""
    return f"{column} IS NOT DISTINCT FROM {literal(value)}"


def same_preference(table, row):
    """Returns the condition that a row of `preferences_for` has the mechanism, category and preference of a row of a question."""
    return " AND ".join(same(f"{table}.{column}", row[column]) for column in ("mechanism", "category", "preference"))
