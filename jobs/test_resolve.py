"""Compares the two implementations that decide which capture is authoritative, on random datasets.

Usage: test_resolve.py PROGRAM [DATASETS]

Each dataset has one crawl of up to ten hosts with captures of all kinds: statuses, redirects across hosts, over other paths and in
loops, revisits with and without content in the dataset, 304, equal times. For every host, `robots-scan check --host` must
select the capture, and the capture whose rules apply, that the view `hosts` selects.
"""

import hashlib
import json
import random
import subprocess
import sys
import tempfile
from base64 import b32encode
from pathlib import Path

import duckdb

HOSTS = [f"h{n}.test" for n in range(10)]
# The selection does not depend on the lines of a body.
BODIES = [b"# %d\n" % n for n in range(4)] + [b"", b"<html><body>no</body></html>"]
STATUSES = [200] * 4 + [301, 302, 307, 308, 304, 304, 401, 403, 404, 410, 429, 500, 503, 204, 999]


def record(rng, number, names, statuses, bodies):
    """One WARC record of a random capture of one of these hosts."""
    host, scheme = rng.choice(names), rng.choice(["http", "https"])
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
    block = ("\r\n".join(headers) + "\r\n\r\n").encode() if has_headers else b""
    block += b"" if is_revisit or status == 304 else body
    digest = b32encode(hashlib.sha1(body).digest()).decode()
    second = rng.randrange(40)  # Few, so that times are often equal.
    fields = {
        "WARC-Type": "revisit" if is_revisit else "response",
        "WARC-Target-URI": f"{scheme}://{host}{path}",
        "WARC-Date": f"2026-01-05T00:00:{second:02}Z",
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
        "WARC-Payload-Digest": "sha1:" + digest,
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    head = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return head.encode() + block + b"\r\n\r\n"


def check(program, dataset, host):
    ran = subprocess.run([program, "check", dataset, "--host", host, "--json"], capture_output=True, text=True)
    if not ran.stdout:
        return None, None
    answer = json.loads(ran.stdout.splitlines()[0])
    rules = answer["rules_capture"] or answer["capture"]
    return answer["capture"]["robots_id"], rules["robots_id"]


def main(program, count):
    compared = failed = redirected = filled = 0
    for seed in range(count):
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            archive, dataset = Path(folder) / "x.warc", str(Path(folder) / "out")
            # With few hosts, most URLs are captured several times.
            names = HOSTS[: rng.randrange(1, 11)]
            # And with few statuses and bodies, rare cases meet each other.
            statuses = rng.choices(STATUSES, k=rng.randrange(2, 9))
            bodies = rng.choices(BODIES, k=rng.randrange(1, 4))
            if seed % 5 == 1:  # A 304 may have the digest of the empty body.
                statuses, bodies = [304, 200, 404], [b"", b"", BODIES[0]]
            if seed % 5 == 2:  # Long chains of redirects, and loops.
                names, statuses = HOSTS, [301] * 9 + [200]
            records = [record(rng, number, names, statuses, bodies) for number in range(rng.randrange(5, 20 if seed % 5 == 2 else 60))]
            archive.write_bytes(b"".join(records))
            args = [program, str(archive), "-q", "-o", dataset, "--crawl", "RANDOM", "--subset", "robotstxt"]
            ran = subprocess.run(args, capture_output=True, text=True)
            # A 304 with the digest of another body is a fault, and still a capture.
            assert ran.returncode in (0, 1), ran.stderr
            con = duckdb.connect()
            con.execute((Path(dataset) / "views.sql").read_text(encoding="utf-8"))
            hosts = con.execute("SELECT url_host_name, robots_id, rules_robots_id FROM hosts").fetchall()
            redirected += con.execute("SELECT count(*) FROM redirects WHERE resolved").fetchone()[0]
            filled += con.execute("SELECT count(*) FROM revisits").fetchone()[0]
            for host, capture, rules in hosts:
                found = check(program, dataset, host)
                compared += 1
                if found != (capture, rules):
                    failed += 1
                    if failed < 20:
                        print(f"FAILED seed {seed}, {host}: the view selects {(capture, rules)}, check --host {found}")
    # A comparison of nothing would prove nothing.
    if not (compared and redirected and filled):
        failed += 1
        print(f"FAILED: {redirected} redirects and {filled} revisits were resolved")
    print(f"{compared} hosts compared, {redirected} redirects and {filled} revisits resolved, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40))
