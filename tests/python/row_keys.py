"""The keys of policies, of sets of preferences and of rule sets, computed from the rows of tables as docs/tables.md#keys defines them."""

import hashlib
from collections import defaultdict

import xxhash

GROUP = "line_no, record_no, 'user-agent', key_raw, has_colon, agent_raw, counts, agent, token_valid, crawl_delay_ms, request_rate, visit_time"
RULE = "line_no, record_no, CASE WHEN allow THEN 'allow' ELSE 'disallow' END, key_raw, has_colon, path_raw, counts, path"
DIRECTIVE = "line_no, 'directive', directive_raw, has_colon, value, counts"
PREFERENCE = "agent, mechanism, category, preference, has_allowed, has_disallowed, has_unknown, evidence_line, address"


def value(of):
    if of is None:
        return "-"
    return f"{len(of.encode())}:{of}" if isinstance(of, str) else str(of).lower()


def key(rows):
    """The key of rows, which are sequences of values."""
    text = "".join(" ".join(map(value, row)) + "\n" for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def policy_keys(history):
    """The keys of the policies of a history, a connection to whose views is given, by the keys that it has."""
    lines = defaultdict(list)
    for table, columns in (("policy_groups", GROUP), ("policy_rules", RULE), ("policy_directives", DIRECTIVE)):
        for policy, *line in history.execute(f"SELECT policy_id, {columns} FROM {table}").fetchall():
            lines[policy].append(line)
    policies = history.execute("SELECT policy_id, is_valid_utf8 FROM policies").fetchall()
    return {policy: key([[is_valid], *sorted(lines[policy], key=lambda line: line[0])]) for policy, is_valid in policies}


def preference_keys(history):
    """The keys of the sets of preferences of a history, and of the preferences alone, by the keys that it has."""
    sets = defaultdict(list)
    for of, *row in history.execute(f"SELECT preference_set_id, {PREFERENCE} FROM preference_sets").fetchall():
        sets[of].append(row)
    return {of: (key(rows), key([*row[:7], row[8]] for row in rows)) for of, rows in sets.items()}


def ruleset_id(names, rules, is_valid_utf8=True):
    """The rule set of a file: `names` are its names by group, of lines that count, and `rules` are the directions and paths by group, of lines
    that count and are not empty."""
    of_names = defaultdict(set)
    for group, name in names:
        if name:
            of_names[name.encode() if is_valid_utf8 else unescaped(name)].update(rules.get(group, ()))
    text = b""
    for name, of_name in sorted(of_names.items()):
        written = b"".join((b"+" if allow else b"-") + path.encode() + b"\0" for allow, path in sorted(of_name))
        text += name + b"\0" + xxhash.xxh3_64_digest(written)[::-1]
    return xxhash.xxh3_64_intdigest(text) >> 11


def unescaped(text):
    """The bytes of a text of a file that is not UTF-8."""
    parts = text.replace("\\\\", "\0").split("\\x")
    data = parts[0].encode() + b"".join(bytes([int(part[:2], 16)]) + part[2:].encode() for part in parts[1:])
    return data.replace(b"\0", b"\\")
