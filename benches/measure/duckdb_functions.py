"""Measures `robots_allowed` in DuckDB: the extension, the function of the Python package, and Protego as a function in Python.

    python benches/measure/duckdb_functions.py target/duckdb/robots_scan.duckdb_extension DATASET [--rows 1000000] [--rounds 5]

DATASET was scanned with `--with-bodies`. The rows are captures with rules, each several times with crawlers and URLs drawn by a seed: a
tenth of the URLs have the path of a rule of the body. All three answer the same rows in turn, in processes of their own, with one thread. A
row of figures has the medians of rows per second of CPU time, without opening the database.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys

AGENTS = ["GPTBot", "CCBot", "Googlebot", "ClaudeBot", "Bytespider", "Amazonbot", "PerplexityBot", "bingbot"]

QUESTIONS = """
CREATE TEMP TABLE paths AS
SELECT crawl, robots_id, path, row_number() OVER (PARTITION BY crawl, robots_id ORDER BY line_no) AS rule FROM rules WHERE path LIKE '/%';
CREATE TEMP TABLE bodies AS
SELECT row_number() OVER () - 1 AS number, crawl, robots_id, body, regexp_replace(url, '/robots.txt.*$', '') AS site, n_paths
FROM (SELECT f.*, count(p.path) AS n_paths FROM (SELECT crawl, robots_id, body, url FROM robots_files WHERE content_class = 'rules' AND is_valid_utf8) f
      LEFT JOIN paths p USING (crawl, robots_id) GROUP BY ALL ORDER BY crawl, robots_id);
CREATE TEMP TABLE questions AS
SELECT q.number, agent, site || coalesce(path, '/p/' || i) AS url
FROM (SELECT number, crawl, robots_id, site, i, $agents[1 + (hash(i) % len($agents))::BIGINT] AS agent,
          CASE WHEN hash(i + 1) % 10 = 0 AND n_paths > 0 THEN 1 + (hash(i + 2) % n_paths)::BIGINT END AS rule
      FROM (SELECT i, (i * (SELECT count(*) FROM bodies) // $rows)::BIGINT AS number FROM range($rows::BIGINT) n(i)) JOIN bodies USING (number)) q
LEFT JOIN paths USING (crawl, robots_id, rule)
ORDER BY q.number, i;
"""

# The join keeps the order of questions: rows of the same body are neighbours.
ASKED = "SELECT count(*), count(*) FILTER (robots_allowed(body, agent, q.url)) FROM questions q JOIN bodies USING (number)"


def register_protego(connection):
    """Registers Protego, which parses a body once as long as the same one follows. It fails on some bodies: the answer is null."""
    from protego import Protego

    last = [None, None]

    def allowed(body, agent, url):
        if last[0] != body:
            last[:] = body, Protego.parse(body)
        return last[1].can_fetch(url, agent)

    connection.create_function("robots_allowed", allowed, ["VARCHAR", "VARCHAR", "VARCHAR"], "BOOLEAN", exception_handling="return_null")


def measure(kind, extension, dataset, rows):
    """Prints the rows per second of CPU time, and how many are allowed."""
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
    with open(f"{dataset}/views.sql", encoding="utf-8") as views:
        connection.execute(views.read())
    for statement in QUESTIONS.strip().split(";\n"):
        parameters = {"agents": AGENTS, "rows": rows} if "$rows" in statement else None
        connection.execute(statement.rstrip(";"), parameters)
    if kind == "extension":
        connection.execute(f"LOAD '{extension}'")
    elif kind == "python":
        import robots_scan.duckdb

        robots_scan.duckdb.register(connection)
    else:
        register_protego(connection)
    before = resource.getrusage(resource.RUSAGE_SELF)
    count, allowed = connection.execute(ASKED).fetchone()
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps([count / seconds, allowed]))


def main():
    """Measures each in turn, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extension")
    parser.add_argument("dataset")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.kind:
        return measure(arguments.kind, arguments.extension, arguments.dataset, arguments.rows)
    rates = {"extension": [], "python": [], "protego": []}
    for _ in range(arguments.rounds):
        for kind, found in rates.items():
            command = [sys.executable, __file__, arguments.extension, arguments.dataset, "--rows", str(arguments.rows), "--kind", kind]
            rate, allowed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            found.append(rate)
            print(f"{kind:<10}{rate:>12,.0f} rows per CPU second, {allowed:,} allowed", flush=True)
    medians = {kind: statistics.median(found) for kind, found in rates.items()}
    print(", ".join(f"extension / {kind}: {medians['extension'] / medians[kind]:.2f}" for kind in ("python", "protego")))
    return None


if __name__ == "__main__":
    main()
