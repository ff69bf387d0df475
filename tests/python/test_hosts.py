"""Compares the tables `hosts`, `host_verdicts` and `host_preferences`, and the macros over them, with an oracle in SQL.

Usage: test_hosts.py PROGRAM [--datasets N] [DATASET...]

The oracle is in tests/python/oracle/. It is compared on N random datasets (`make campaign`: 200), and on the given ones. A random dataset has one to three
crawls of up to ten hosts with captures of all kinds: statuses, redirects across hosts, over other paths and in loops, ports,
revisits with and without content in the dataset, 304, bodies of which nothing is stored, equal times, missing times. On random datasets, `robots-scan check --host` must
select the same captures for a host name in the last crawl.
"""


import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from base64 import b32encode
from contextlib import contextmanager
from pathlib import Path

from dataset import opened

# Some have the same registered domain, also with a host between them, and one lacks a registered domain.
HOSTS = ["h0.com", "www.com", "a.h0.com", "h1.com", "h0!.com", "a.www.com", "h0-1.com", "b.h0.com", "192.0.2.1", "h2.com"]
# Lines with their keys left out: A for a user-agent line, D and P for one that disallows or permits, S and U for statements.
RULES = ["A GPTBot|D /|S ai-train=no", "A *|D /x||A Googlebot|A CCBot|P /|U /a train-ai=n", "A AI2Bot|D /"]
KEYS = {"A": "User-agent", "D": "Disallow", "P": "Allow", "S": "Content-Signal", "U": "Content-Usage"}


def body(text):
    lines = (line.partition(" ") for line in text.split("|"))
    return "".join(f"{KEYS[key]}: {value}\n" if key else "\n" for key, _, value in lines).encode()


BODIES = [body(text) for text in RULES] + [b"# 1\n", b"", b"<html><body>no</body></html>"]
STATUSES = [200] * 4 + [301, 302, 307, 308, 304, 304, 401, 403, 404, 410, 429, 500, 503, 204, 999]


def record(rng, number, names, statuses, bodies, day):
    """One WARC record of a random capture of one of these hosts."""
    host, scheme = rng.choice(names), rng.choice(["http", "https"])
    variant = rng.random()
    host = f"www.{host}" if variant < 0.1 else f"{host}:8080" if variant > 0.9 else host
    path = "/robots.txt" if rng.random() < 0.85 else "/other"
    status, body = rng.choice(statuses), rng.choice(bodies)
    is_revisit = rng.random() < (0.5 if statuses[0] == 304 else 0.2)
    headers = ["HTTP/1.1 %d X" % status, "Content-Type: text/plain"]
    if status in (301, 302, 307, 308) and rng.random() < 0.95:
        target = rng.choice(names)
        to = f"{rng.choice(['http', 'https'])}://{target}{'/robots.txt' if rng.random() < 0.8 else '/other'}"
        headers.append("Location: " + to)
    # A revisit may have no HTTP headers at all.
    has_headers = not is_revisit or rng.random() < 0.7
    # Nothing is stored of a body that the server announced.
    is_missing = status == 200 and not is_revisit and number % 5 == 0
    if is_missing:
        headers.append("Content-Length: 999")
    block = ("\r\n".join(headers) + "\r\n\r\n").encode() if has_headers else b""
    block += b"" if is_revisit or is_missing or status == 304 else body
    digest = b32encode(hashlib.sha1(body).digest()).decode()
    second = rng.randrange(40)  # Few, so that times are often equal.
    fields = {
        "WARC-Type": "revisit" if is_revisit else "response",
        "WARC-Target-URI": f"{scheme}://{host}{path}",
        "WARC-Date": f"2026-01-{day:02}T00:00:{second:02}Z" if rng.random() < 0.97 else "unknown",
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
        "WARC-Payload-Digest": "sha1:" + digest,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    head = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return head.encode() + block + b"\r\n\r\n"


def selected_by_check(program, dataset, host, crawl):
    ran = subprocess.run([program, "check", dataset, "--host", host, "--crawl", crawl, "--json"], capture_output=True, text=True)
    if not ran.stdout:
        return None
    answer = json.loads(ran.stdout)
    return answer["capture"]["robots_id"]


def open_dataset(dataset, con=None):
    """Opens a dataset with the oracle, by the views of another one if its connection is given."""
    con = con or opened(dataset)
    con.execute("SET VARIABLE robots_scan = ?", [dataset])
    for name in ["hosts", "verdicts"]:
        con.execute((Path(__file__).parent / "oracle" / f"{name}.sql").read_text(encoding="utf-8"))
    return con


def compare(con, name):
    """The number of differences between the tables and the oracle."""
    failed = 0

    def check(table, oracle):
        nonlocal failed
        columns = ", ".join(row[0] for row in con.execute(f"DESCRIBE {oracle}").fetchall())
        for ours, theirs in [(table, oracle), (oracle, table)]:
            rows = con.execute(f"SELECT {columns} FROM {ours} EXCEPT ALL SELECT {columns} FROM {theirs}").fetchall()
            if rows:
                failed += 1
                print(f"FAILED {name}: {len(rows)} rows of {ours} are not in {theirs}, such as\n  {columns}\n  {rows[0]}")

    def expect_none(count, rows):
        nonlocal failed
        if count:
            failed += 1
            print(f"FAILED {name}: {count} {rows}")

    for view in ["hosts", "host_verdicts", "host_preferences"]:
        check(view, f"oracle_{view}")
    names = [row[0] for row in con.execute("SELECT DISTINCT agent FROM host_verdicts ORDER BY hash(agent) LIMIT 20").fetchall()]
    names += ["GPTBot", "Googlebot-News", "AdsBot-Google", "a name that no file has", "*"]
    for macro in ["verdicts_of", "oracle_verdicts_of"]:
        con.execute(f"CREATE OR REPLACE TEMP TABLE of_{macro} AS FROM {macro}(?::VARCHAR[])", [names])
    check("of_verdicts_of", "of_oracle_verdicts_of")
    order = con.execute("SELECT count(*) FROM (SELECT crawl, agent, surt_host_name, lag((agent, surt_host_name)) OVER (PARTITION BY "
        "crawl ORDER BY file_row_number) AS before FROM read_parquet(getvariable('robots_scan') || '/host_verdicts/*/*.parquet', "
        "hive_partitioning = true, file_row_number = true)) WHERE before >= (agent, surt_host_name)").fetchone()[0]
    expect_none(order, "rows of host_verdicts are not in order")
    sql = ("SELECT count(*) FROM host_verdicts v LEFT JOIN hosts h USING (host_id) "
           "WHERE (v.crawl, v.surt_host_name) IS DISTINCT FROM (h.crawl, h.surt_host_name)")
    others = con.execute(sql).fetchone()[0] + con.execute("SELECT count(*) - count(DISTINCT host_id) FROM hosts").fetchone()[0]
    expect_none(others, "rows are joined with another host by host_id")
    # A domain_id is null only for a host that is alone in its domain.
    domains = con.execute("SELECT count(*) FROM (SELECT domain_id, min(host_id) OVER w AS first, count(*) OVER w AS hosts FROM hosts "
                          "WINDOW w AS (PARTITION BY crawl, coalesce(url_host_registered_domain, surt_host_name))) "
                          "WHERE CASE WHEN domain_id IS NULL THEN hosts > 1 ELSE domain_id <> first END").fetchone()[0]
    expect_none(domains, "hosts have another domain_id than their domain")
    return failed


def random_dataset(program, rng, seed, folder):
    # With few hosts, most URLs are captured several times.
    names = HOSTS[: rng.randrange(1, 11)]
    # And with few statuses and bodies, rare cases meet each other.
    statuses = rng.choices(STATUSES, k=rng.randrange(2, 9))
    bodies = rng.choices(BODIES, k=rng.randrange(1, 4))
    if seed % 5 == 1:  # A 304 may have the digest of the empty body.
        statuses, bodies = [304, 200, 404], [b"", b"", BODIES[0]]
    if seed % 5 == 2:  # Long chains of redirects, and loops.
        names, statuses = HOSTS, [301] * 12 + [200]
    crawls = rng.sample("ABC", rng.randrange(1, 4))
    for place, crawl in enumerate(crawls):  # The order of times is not that of names.
        number = rng.randrange(5, 20 if seed % 5 == 2 else 60)
        day = 5 + (place if rng.random() < 0.8 else 0)
        records = [record(rng, n, names, statuses, bodies, day) for n in range(number)]
        archive = folder / "crawl-data" / f"CRAWL-{crawl}" / "segments" / "1" / "robotstxt" / f"{crawl}.warc"
        archive.parent.mkdir(parents=True)
        archive.write_bytes(b"".join(records))
    dataset = str(folder / "out")
    ran = subprocess.run([program, str(folder / "crawl-data"), "-q", "-o", dataset], capture_output=True, text=True)
    # A 304 with the digest of another body is a fault, and still a capture.
    assert ran.returncode in (0, 1), ran.stderr
    return dataset


CHAINS = [(1, False), (5, False), (6, False), (3, True), (5, True)]


def chain(number, length, loops):
    """The records of a chain of redirects, each on a host of its own."""
    for n in range(length + 1):
        is_last = n == length and not loops
        to = f"https://c{0 if n == length else n + 1}.chain{number}.test/robots.txt"
        head = "200 OK" if is_last else f"301 Moved\r\nLocation: {to}"
        yield response(f"c{n}.chain{number}.test", head, BODIES[0] if is_last else b"")


def test_chains(program):
    """Chains of one to six redirects, and loops, with their ends worked out by hand."""
    failed = 0
    records = [record for number, (length, loops) in enumerate(CHAINS) for record in chain(number, length, loops)]
    random.Random(1).shuffle(records)
    with scanned(program, records) as con:
        for number, (length, loops) in enumerate(CHAINS):
            sql = f"SELECT n_redirects, redirect_end, outcome FROM hosts WHERE surt_host_name = 'test,chain{number},c0'"
            found = con.execute(sql).fetchone()
            ends = {(5, True): (5, "too_many"), (6, False): (5, "too_many"), (3, True): (3, "loop")}
            end = ends.get((length, loops), (length, "resolved"))
            expected = (*end, "successful" if end[1] == "resolved" else "redirect")
            if found != expected:
                failed += 1
                print(f"FAILED chain of {length}, loop {loops}: {found} instead of {expected}")
        return failed + compare(con, "chains")


@contextmanager
def scanned(program, records):
    """A dataset of one archive with these records, opened with the oracle."""
    with tempfile.TemporaryDirectory() as folder:
        archive, dataset = Path(folder) / "x.warc", str(Path(folder) / "out")
        archive.write_bytes(b"".join(records))
        subprocess.run([program, archive, "-q", "-o", dataset, "--crawl", "C", "--subset", "robotstxt"], check=True)
        yield open_dataset(dataset)


def response(host, head, body=b""):
    """A WARC record of a response to a request for robots.txt."""
    block = f"HTTP/1.1 {head}\r\n\r\n".encode() + body
    fields = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\n"
    fields += "WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
    return f"{fields}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


def test_shared_names(program):
    """Hosts that redirect to files of other hosts: one of 1,990 names, one of three, and one of few names that count as many."""
    letters = [f"{n:04}".translate({48 + digit: 97 + digit for digit in range(10)}) for n in range(1990)]
    names = {"long.test": letters, "short.test": letters[:3], "wide.test": [name + "x" * 16000 for name in letters[:9]]}
    hosts = {"long.test": 12800, "short.test": 40, "wide.test": 2}
    records = []
    for target, agents in names.items():
        records.append(response(target, "200 OK", body("|".join([f"A {agent}" for agent in agents] + ["D /"]))))
        records += [response(f"{target[0]}{n}.test", f"301 Moved\r\nLocation: https://{target}/robots.txt") for n in range(hosts[target])]
    with scanned(program, records) as con:
        found = con.execute("SELECT n_named, count(*) FILTER (NOT has_named_rows) FROM hosts GROUP BY ALL ORDER BY ALL").fetchall()
        # 12,800 times 1,990 rows are more than 25 million and 25 for each host; names of 16,000 bytes count 251 times.
        failed = 0 if found == [(3, 0), (9, 2), (1990, 12800)] else 1
        if failed:
            print(f"FAILED shared names: {found}")
        return failed + compare(con, "shared names")


def main(program, count, datasets):
    failed = test_chains(program) + test_shared_names(program)
    totals, con = [0] * 6, None
    for seed in range(count):
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            dataset = random_dataset(program, rng, seed, Path(folder))
            con = open_dataset(dataset, con)
            failed += compare(con, f"seed {seed}")
            counts = con.execute(
                "SELECT count(*), count(*) FILTER (redirect_end = 'resolved'), count(*) FILTER (redirect_end = 'loop'), count(*) FILTER "
                "(redirect_end = 'too_many'), count(*) FILTER (h.fetch_status IS DISTINCT FROM f.fetch_status AND f.is_revisit), count(*) FILTER (n_changes > 0) FROM hosts h JOIN robots_files f ON f.crawl = h.crawl AND f.robots_id = h.authoritative_robots_id").fetchone()
            totals = [total + n for total, n in zip(totals, counts)]
            last = con.execute("SELECT crawl FROM robots_files GROUP BY crawl ORDER BY min(fetch_time) DESC NULLS LAST, crawl DESC LIMIT 1").fetchone()[0]
            # The hosts that were captured under one name only: the table does not tell www. apart.
            hosts = con.execute(
                "SELECT any_value(f.url_host_name), h.authoritative_robots_id FROM hosts h JOIN robots_files f ON f.crawl = h.crawl "
                "AND f.surt_host_name = h.surt_host_name AND f.is_robots_path WHERE h.crawl = ? "
                "AND NOT h.is_revisit GROUP BY h.surt_host_name, h.authoritative_robots_id HAVING count(DISTINCT f.url_host_name) = 1 "
                "ORDER BY ALL LIMIT 4", [last]).fetchall()
            for host, capture in hosts:
                found = selected_by_check(program, dataset, host, last)
                if found != capture:
                    failed += 1
                    print(f"FAILED seed {seed}, {host}: hosts has {capture}, check --host {found}")
    for dataset in datasets:
        con = open_dataset(dataset)
        failed += compare(con, dataset)
        totals[0] += con.execute("SELECT count(*) FROM hosts").fetchone()[0]
    # A comparison of nothing would prove nothing. Loops and long chains rarely come about by chance: test_chains makes them.
    if count >= 15 and not all(totals[:2] + totals[4:]):
        failed += 1
        print(f"FAILED: some kinds did not occur: {totals}")
    hosts, resolved, loops, too_many, filled, changed = totals
    print(f"{hosts} hosts compared: {resolved} redirects resolved, {loops} loops, {too_many} long chains, {filled} revisits with "
          f"content, {changed} changes; {failed} failed")
    return failed > 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--datasets", type=int, default=15)
    parser.add_argument("dataset", nargs="*")
    args = parser.parse_intermixed_args()
    sys.exit(main(args.program, args.datasets, args.dataset))
