"""Compares the questions about many crawlers with those about a list of crawlers or one category, in every column of every row.

Usage: test_equal_answers.py DATASET...

blocking_by_agent must equal share_of_hosts_blocking for a list of the crawlers of its categories, and blocking_by_category must equal
agents_of_category for each category. Compared are the AI crawlers, and the categories with crawlers that ignore '*' or obey fallbacks.
test_queries.py compares them on hand-made and on random rows, too, and test_independent.py computes all four over the samples.
"""

import random
import sys

from dataset import number_domains, opened

# More crawlers than any registry has.
ALL = 100_000


def rows_of(con, query):
    cursor = con.execute(query)
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row)) for row in cursor.fetchall()]


def in_order(con, rows, *by):
    """Sorts rows by the order of their crawls in time, then by columns; those that are numbers in descending order."""
    position = dict(con.execute("SELECT crawl, position FROM crawls()").fetchall())
    return sorted(rows, key=lambda row: [position[row["crawl"]], *(row[name] if isinstance(row[name], str) else -row[name] for name in by)])


def blocking_by_agent(con, condition):
    """The rows of blocking_by_agent for crawlers of the registry, from the questions about a list of crawlers."""
    agents = {agent: row for agent, *row in con.execute(f"SELECT g.agent, g.operator, g.category FROM agents g WHERE {condition}").fetchall()}
    counts = {row[:2]: row[2:] for row in con.execute(
        "SELECT b.crawl, b.agent, count(*) FILTER (b.basis = 'explicit'), count(*) FILTER (b.by_name) "
        f"FROM blocking({list(agents)}) b GROUP BY ALL").fetchall()}
    for row in rows_of(con, f"FROM share_of_hosts_blocking(agent := {list(agents)})"):
        crawl, agent = row.pop("crawl"), row.pop("agent")
        naming, blocking = counts.get((crawl, agent), (0, 0))
        operator, category = agents[agent]
        yield {"crawl": crawl, "agent": agent, "operator": operator, "category": category, "hosts_naming": naming,
               "hosts_blocked_by_name": blocking} | row


def blocking_by_category(con):
    """The rows of blocking_by_category, asked for one category at a time."""
    categories, = con.execute("SELECT known_categories()").fetchone()
    asked = {category: [category] for category in categories}
    ai = [category for category in categories if category.startswith("ai_")]
    for category, members in (asked | ({"(any ai)": ai} if ai else {})).items():
        for row in rows_of(con, f"FROM agents_of_category(category := {members}) WHERE blocked = 'any'"):
            del row["blocked"], row["category"]
            yield {"crawl": row.pop("crawl"), "category": category} | row


def first_difference(got, expected):
    """Describes the first row that differs, also in the names and the order of columns; null if all are equal."""
    if len(got) != len(expected):
        return f"{len(got)} rows instead of {len(expected)}"
    for row, other in zip(got, expected):
        if list(row) != list(other):
            return f"columns {list(row)} instead of {list(other)}"
        if row != other:
            return f"{row} instead of {other}"
    return None


def differences(con):
    """Describes each comparison that fails, and returns the number of rows that were compared."""
    found, compared = [], 0
    special, = con.execute("SELECT list(DISTINCT g.category) FROM agents g WHERE g.ignores_wildcard OR g.fallbacks IS NOT NULL").fetchone()
    calls = {"": "starts_with(g.category, 'ai_') OR coalesce(starts_with(g.category2, 'ai_'), false)"}
    if special:
        calls[f"category := {special}, "] = f"g.category IN {special} OR coalesce(g.category2 IN {special}, false)"
    for argument, condition in calls.items():
        expected = in_order(con, blocking_by_agent(con, condition), "hosts_blocked_by_name", "hosts_naming", "agent")
        call = f"blocking_by_agent({argument}top := {ALL})"
        found.append((call, first_difference(rows_of(con, f"FROM {call}"), expected)))
        compared += len(expected)
        call = f"blocking_by_agent({argument}top := 3)"
        crawls = dict.fromkeys(row["crawl"] for row in expected)
        first = [row for crawl in crawls for row in [row for row in expected if row["crawl"] == crawl][:3]]
        found.append((call, first_difference(rows_of(con, f"FROM {call}"), first)))
    expected = in_order(con, blocking_by_category(con), "hosts", "category")
    found.append(("blocking_by_category()", first_difference(rows_of(con, "SELECT * EXCLUDE (mostly) FROM blocking_by_category()"), expected)))
    compared += len(expected)
    return [f"{call}: {difference}" for call, difference in found if difference], compared


def add_random_rows(con, seed):
    """Inserts crawlers and two crawls of hosts into the empty tables of a connection. The second crawl is a sample of archives, read in two runs."""
    choose = random.Random(seed)
    agents = [
        ("one", "ai_training", None, None, False), ("two", "ai_training", "archive", "one, three", False), ("three", "ai_search", None, None, True),
        ("four", "seo", "ai_search", "nobody, one", True), ("five", "seo", None, "four", False), ("six", "archive", None, None, False)]
    con.executemany("INSERT INTO agents (agent, token, category, category2, fallbacks, ignores_wildcard, is_control_token) "
                    "VALUES (?, ?, ?, ?, ?, ?, false)", [(agent[0], *agent) for agent in agents])
    for number, crawl in enumerate(("CC-MAIN-2025-38", "CC-MAIN-2025-43")):
        con.executemany("INSERT INTO runs (crawl, inputs, listed_inputs, sample_seed) VALUES (?, ?, 20, ?)", [
            [crawl, inputs, 1 if number else None] for inputs in (3, 5)])
        hosts, verdicts = [], []
        for i in range(choose.choice((1, 12, 60))):
            basis = choose.choice(("wildcard", "no_group", "http_status", "too_complex"))
            verdict = {"wildcard": choose.choice(("allow_all", "disallow_all", "partial")), "no_group": "allow_all", "too_complex": "unknown",
                       "http_status": choose.choice(("allow_all", "disallow_all", "unknown"))}[basis]
            has_rows = basis == "http_status" or choose.random() < 0.9
            host_id = number << 32 | i
            hosts.append((crawl, host_id, f"h{i}", choose.choice("abcdefgh"), choose.randrange(8), choose.choice((None, 1, 2, 3)), verdict, basis, has_rows))
            for name in ("one", "two", "three", "four", "five", "other") if has_rows and basis != "http_status" else ():
                of_name = choose.choice(("explicit", "explicit", "wildcard", "too_complex", None, None))
                if of_name:
                    verdict = "unknown" if of_name == "too_complex" else choose.choice(("allow_all", "disallow_all", "partial"))
                    verdicts.append((crawl, host_id, name, verdict, of_name))
        con.executemany("INSERT INTO hosts (crawl, host_id, surt_host_name, domain, archive_no, ruleset_id, wildcard_verdict, wildcard_basis, "
                        "has_named_rows) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", hosts)
        number_domains(con)
        if verdicts:
            con.executemany("INSERT INTO host_verdicts (crawl, host_id, agent, verdict, basis) VALUES (?, ?, ?, ?, ?)", verdicts)


def main(datasets):
    failed = 0
    for dataset in datasets:
        found, compared = differences(opened(dataset))
        for difference in found:
            print(f"FAILED {dataset} {difference}")
        if not compared:
            print(f"FAILED {dataset}: there was nothing to compare")
        failed += len(found) + (not compared)
        print(f"{dataset}: {compared:,} rows compared, {len(found)} differences")
    return failed > 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
