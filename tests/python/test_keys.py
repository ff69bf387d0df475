"""Tests the keys that docs/tables.md#keys defines over datasets, and over histories of them.

    python tests/python/test_keys.py target/debug/robots-scan DATASET...

Each key is that which row_keys.py computes from the rows of the views, and every column of a policy follows from its text: a file is written from the text of each policy of the histories: its lines at their numbers, and between them comments, and the blank and
sitemap lines that its records need. The history of these files has the same policies, with the same rows in every column. Policies are left out
if a line does not count, since the files would have to be as long as the first ones were. Rates are in the text, and do not follow from the lines: those
of an HTML page are in lines that are no directives, and a line that is not part of the policy may stand between user-agent lines, so that they do not
share a rate. These policies are left out, too.
"""

import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import duckdb
from row_keys import policy_keys, preference_keys, ruleset_id, unescaped
from source_runs import run

TABLES = ("policies", "policy_groups", "policy_rules", "policy_directives", "policy_verdicts")
LINES = """
    SELECT policy_id, line_no, record_no, key_raw, has_colon, agent_raw AS value, counts, (crawl_delay_ms, request_rate, visit_time) AS rates
    FROM policy_groups
    UNION ALL SELECT policy_id, line_no, record_no, key_raw, has_colon, path_raw, counts, NULL FROM policy_rules
    UNION ALL SELECT policy_id, line_no, NULL, directive_raw, has_colon, value, counts, NULL FROM policy_directives
    ORDER BY policy_id, line_no"""
# Rates, but no line with one.
OTHER_RATES = """
    SELECT DISTINCT policy_id FROM policy_groups g WHERE (crawl_delay_ms IS NOT NULL OR request_rate IS NOT NULL OR visit_time IS NOT NULL)
        AND NOT EXISTS (FROM policy_directives d WHERE d.policy_id = g.policy_id AND d.group_no = g.group_no)"""


def open_views(folder):
    connection = duckdb.connect()
    connection.execute((Path(folder) / "views.sql").read_text(encoding="utf-8"))
    return connection


def with_records(lines):
    """Gives a directive the record of a rule directly below it."""
    found, after = [], None
    for line_no, record_no, *line, is_agent in reversed(lines):
        if record_no is None and after is not None and after[0] == line_no + 1 and not after[-1]:
            record_no = after[1]
        after = (line_no, record_no, *line, is_agent)
        found.append(after)
    return reversed(found)


def body_of(lines, is_valid_utf8):
    """A file with these lines; None if it cannot be written."""
    written, record, last_line = [], 0, 0
    encode = str.encode if is_valid_utf8 else unescaped
    for line_no, record_no, key, has_colon, value, _ in with_records(lines):
        gap = line_no - last_line - 1
        between = []
        if record_no is not None:
            # A blank line ends a record, and any line with a key begins one.
            for _ in range(record_no - record - 1):
                between += [b"Sitemap: x", b""] if between or not written else [b"", b"Sitemap: x", b""]
            if record_no > record and not between and gap and written:
                between = [b""]
            record = record_no
        if len(between) > gap:
            return None
        written += [b"#"] * (gap - len(between)) + between
        written.append(encode(key) + (b":" if has_colon else b" ") + encode(value))
        last_line = line_no
    # A byte that is not UTF-8 may be in a comment.
    return b"\n".join(written) + (b"\n" if is_valid_utf8 else b"\n#\xff\n")


def write_archive(path, bodies):
    with open(path, "wb") as archive:
        for name, body in bodies.items():
            response = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
            archive.write(f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://p{name}.example/robots.txt\r\n"
                          f"WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Length: {len(response)}\r\n\r\n".encode() + response + b"\r\n\r\n")


def rows_of(connection, keys):
    found = {}
    for table in TABLES:
        for key, *row in connection.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall():
            if key in keys:
                found.setdefault(key, []).append((table, *row))
    return found


def test_policies(program, history, scratch):
    """Compares the policies of a history with those of the files that are written from them. Returns their number, and that of all."""
    connection = open_views(history)
    assert_equal_keys("policies", policy_keys(connection).items())
    is_valid = dict(connection.execute("SELECT policy_id, is_valid_utf8 FROM policies").fetchall())
    skipped = {policy for policy, in connection.execute(OTHER_RATES).fetchall()}
    lines, last = defaultdict(list), (None, None)
    for policy, *line, counts, rates in connection.execute(LINES).fetchall():
        lines[policy].append((*line, rates is not None))
        if not counts or last[0] == policy and None not in (last[1], rates) and last[1] != rates:
            skipped.add(policy)
        last = (policy, rates)
    bodies = {policy: body_of(lines[policy], is_valid[policy]) for policy in is_valid if policy not in skipped}
    bodies = {policy: body for policy, body in bodies.items() if body is not None}
    archive, dataset, again = (scratch / name for name in ("x.warc", "dataset", "again"))
    write_archive(archive, bodies)
    assert_written(run(program, archive, "-q", "-o", dataset))
    assert_written(run(program, "history", dataset, "-q", "-o", again))
    wanted, found = rows_of(connection, bodies), rows_of(open_views(again), bodies)
    other = [policy for policy in bodies if wanted[policy] != found.get(policy)]
    for policy in other[:3]:
        print(f"{policy}: {set(wanted[policy]) ^ set(found.get(policy, []))}", bodies[policy][:300])
    assert not other, f"{len(other)} of {len(bodies)} policies are not those of the files that are written from them"
    assert len(bodies) > len(is_valid) * 0.95, f"only {len(bodies)} of {len(is_valid)} policies can be written"
    return len(bodies), len(is_valid)


def assert_written(ran):
    assert ran.code <= 1, ran.stderr


def assert_equal_keys(table, keys):
    wrong = [key for key, computed in keys if key != computed]
    assert not wrong, f"{table}: {len(wrong)} of {len(keys)} keys are not the digests of their texts, such as {wrong[0]}"


def test_preferences(history):
    connection = open_views(history)
    sets = preference_keys(connection)
    used = "SELECT DISTINCT preference_set_id, preferences_id FROM host_periods WHERE preference_set_id IS NOT NULL"
    used = connection.execute(used).fetchall()
    assert_equal_keys("preference_sets", [(of_set, sets[of_set][0]) for of_set, _ in used])
    assert_equal_keys("preferences", [(of_stated, sets[of_set][1]) for of_set, of_stated in used])
    return len(used)


def test_rule_sets(dataset):
    connection = open_views(dataset)
    names, rules = defaultdict(list), defaultdict(lambda: defaultdict(set))
    for *file, group, name in connection.execute("SELECT crawl, robots_id, group_no, agent FROM groups WHERE counts").fetchall():
        names[tuple(file)].append((group, name))
    found = "SELECT crawl, robots_id, group_no, allow, path FROM rules WHERE counts AND path <> '' AND group_no IS NOT NULL"
    for *file, group, allow, path in connection.execute(found).fetchall():
        rules[tuple(file)][group].add((allow, path))
    files = "SELECT ruleset_id, is_valid_utf8, crawl, robots_id FROM robots_files WHERE ruleset_id IS NOT NULL"
    files = connection.execute(files).fetchall()
    assert_equal_keys("rule sets", [(key, ruleset_id(names[tuple(file)], rules[tuple(file)], is_valid)) for key, is_valid, *file in files])
    return len(files)


def main(program, *datasets):
    for dataset in datasets:
        with tempfile.TemporaryDirectory() as folder:
            history = Path(folder) / "history"
            assert_written(run(program, "history", dataset, "-q", "-o", history))
            tested, policies = test_policies(program, history, Path(folder))
            print(f"{dataset}: {tested} of {policies} policies follow from their texts; {test_preferences(history)} sets of preferences, "
                  f"{test_rule_sets(dataset)} rule sets")
    print(f"{len(datasets)} passed, 0 failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
