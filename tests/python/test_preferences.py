"""Compares preferences about the use of content with an oracle that is written from the specifications.

    python tests/python/test_preferences.py target/debug/robots-scan [--files N] [--searched N] [--seed S]

The oracle is tests/python/oracle/preferences.py. The random files have few names, paths and statements, so that groups, patterns and conflicts
often coincide. Each difference is printed with its file.

- URLs: `match --category` must give the preferences of the oracle for four crawlers and a few URLs of each of N files.
- Files: `file_preferences` and `host_preferences` must have the preferences of the oracle over all paths, for shorter files (N / 20, or
  --searched). All combinations of patterns that a path can match are searched, without a limit for the length of the path. On files with
  the shortest patterns, the search is compared with a plain enumeration: a path of up to five octets must not show a preference that the
  search lacks.
- The examples of the drafts have answers that are typed by hand.
"""

import argparse
import gzip
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

from oracle.preferences import CATEGORIES, Policy, groups_of, verdict
from test_runner import run

BATCH = 20_000
# Of more combinations than these, a random file is not searched.
MOST_PATHS = 3000
PRINTED = 5

EXAMPLE = b"""User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""


def usage(value):
    return b"User-agent: *\nContent-Usage: " + value + b"\n"


def signal(value):
    return b"User-agent: *\nContent-Signal: " + value + b"\n"


# Body, crawler, mechanism, category, path, and the preference of the path.
EXAMPLES = [
    # draft-ietf-aipref-attach, "Example" and its table.
    (EXAMPLE, "otherbot", "content-usage", "train-ai", "/test", "disallowed"),
    (EXAMPLE, "otherbot", "content-usage", "train-ai", "/never/test", "not_crawlable"),
    (EXAMPLE, "otherbot", "content-usage", "train-ai", "/ai-ok/test", "allowed"),
    (EXAMPLE, "otherbot", "content-usage", "search", "/test", "unknown"),
    (EXAMPLE, "examplebot", "content-usage", "train-ai", "/test", "allowed"),
    (EXAMPLE, "examplebot", "content-usage", "train-ai", "/never/test", "allowed"),
    # The same draft, "Examples".
    (b"User-Agent: *\nAllow: /\nContent-Usage: train-ai=n\n", "x", "content-usage", "train-ai", "/", "disallowed"),
    # draft-ietf-aipref-vocab, "Exemplary Serialization Format".
    (usage(b"train-ai=y, search=n"), "x", "content-usage", "train-ai", "/", "allowed"),
    (usage(b"train-ai=y, search=n"), "x", "content-usage", "search", "/", "disallowed"),
    (usage(b"train-ai=y, search=n"), "x", "content-usage", "ai-use", "/", "unknown"),
    # "Multiple Preferences".
    (usage(b'train-ai=y, train-ai, search=n, search="n"'), "x", "content-usage", "train-ai", "/", "unknown"),
    (usage(b'train-ai=y, train-ai, search=n, search="n"'), "x", "content-usage", "search", "/", "unknown"),
    (usage(b"train-ai=n, Search=y"), "x", "content-usage", "train-ai", "/", "unknown"),
    # "Preference Parameters".
    (usage(b"train-ai;allow=n, train-ai=y"), "x", "content-usage", "train-ai", "/", "allowed"),
    (usage(b'train-ai;has;parameters="?";'), "x", "content-usage", "train-ai", "/", "unknown"),
    # "Combining Preferences", for identical paths.
    (usage(b"/a train-ai=n, search=y\nContent-Usage: /a train-ai=y"), "x", "content-usage", "train-ai", "/a", "disallowed"),
    (usage(b"/a train-ai=n, search=y\nContent-Usage: /a train-ai=y"), "x", "content-usage", "search", "/a", "allowed"),
    # contentsignals.org.
    (signal(b"search=yes, ai-train=no"), "x", "content-signal", "search", "/", "allowed"),
    (signal(b"search=yes, ai-train=no"), "x", "content-signal", "ai-train", "/", "disallowed"),
    (signal(b"search=yes, ai-train=no"), "x", "content-signal", "ai-input", "/", "unknown"),
]

AGENTS = ["a", "b", "c", "*"]
ASKED = ["a", "b", "c", "z"]  # No file names z.
PIECES = [b"/", b"a", b"b", b"a", b"*", b"*", b"/index.html", b"%61", "ü".encode(), b"%c3%bc", b"\xfc", b"?", b"$", b"%4"]
SHORT_PIECES = [b"/", b"a", b"a", b"b", b"*", b"*"]
URL_PIECES = ["/", "a", "b", "a", "a", "c", "index.html", "%61", "%C3%BC", "%FC", "?", "$", "%4"]
LABELS = ["train-ai"] * 4 + ["ai-use", "search"] * 2 + ["x", "*", "Search", "TRAIN-AI", "1x", "tdm", "train_ai"]
VALUES = ["=y", "=n"] * 8 + [
    "", ";p", "=y;p", "=n;p=1;q", '=n;p="a, b"', "=y; p=?0", "=y;P", '="n"', '="', '="\\n"', '="ü"', "=?1", "=?2",
    "=(n)", "=(n", "=(y n);p", "=yes", "=N", "=", " =n",
    "= n", "=n y", "=1", "=1.5", "=1.", "=-", "=1234567890123456", "=:bg==:", "=:bg:", "=:b:", "=@7", "=@7.5", '=%"f%c3%bc"', '=%"%C3%BC"', '=%"%fc"',
]
COMMAS = [", "] * 3 + [","] * 2 + [" ,\t", ",,", " ", ";"]
SIGNAL_KEYS = ["search", "ai-train", "ai-train", "ai-input", "AI-Train", "Search", "use", "train-ai"]
SIGNAL_VALUES = ["=yes", "=no"] * 4 + ["= YES", " = No", "=y", "=n", "", "=", "=full", "=yes;p", "=no yes", '="no"']


def random_path(rng, pieces, most):
    return b"/" + b"".join(rng.choices(pieces, k=rng.randrange(most + 1))) + rng.choice([b"", b"", b"$"])


def random_statement(rng):
    if rng.random() < 0.6:
        key, keys, values = rng.choice(["Content-Usage", "content-usage", "Content-Usage "]), LABELS, VALUES
    else:
        key, keys, values = rng.choice(["Content-Signal", "Content-signal", "Content-Signals"]), SIGNAL_KEYS, SIGNAL_VALUES
    comma = rng.choice(COMMAS) if rng.random() < 0.5 else ", "
    # Most statements are valid: one with a mistake states nothing.
    items = [rng.choice(keys if rng.random() < 0.3 else keys[:6]) + rng.choice(values if rng.random() < 0.2 else values[:8])
             for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3]))]
    return key, comma.join(items) + rng.choice([""] * 9 + [",", ";", " # train-ai=y", "\t"])


def random_line(rng, path):
    kind = rng.random()
    if kind < 0.25:
        return f"{rng.choice(['User-agent', 'user-agent'])}: {rng.choice(AGENTS).upper()}".encode()
    if kind < 0.5:
        value = path() if rng.random() < 0.8 else rng.choice([b"", b"*", b"/", b"/", b"a", b"$", b"*a", b"*/index.html"])
        return rng.choice([b"Allow: ", b"Disallow: ", b"Disallow: "]) + value
    if kind < 0.96:
        key, value = random_statement(rng)
        blank = rng.choice([b" ", b" ", b"\t", b"  \t", b" \t "])
        return f"{key}:{rng.choice(['', ' '])}".encode() + (path() + blank if rng.random() < 0.6 else b"") + value.encode()
    return rng.choice([b"", b"# Content-Usage: train-ai=n", b"Crawl-delay: 1", b"Content-Usage train-ai=n", b"Disallow /a", b"Content-Usage"])


def random_body(rng, pieces, most_pieces, most_lines):
    # With few paths, the same ones occur on several lines.
    paths = [random_path(rng, pieces, most_pieces) for _ in range(rng.randrange(1, 6))]
    if rng.random() < 0.15:
        paths = [rng.choice([b"/robots.txt$", b"/robots.txt"]), b"/", *paths[:1]]
    lines = [random_line(rng, lambda: rng.choice(paths)) for _ in range(rng.randrange(2, most_lines))]
    if rng.random() < 0.9:
        lines.insert(0, f"User-agent: {rng.choice(AGENTS)}".encode())
    return rng.choice([b"\n"] * 8 + [b"\r\n", b"\r"]).join(lines) + rng.choice([b"\n", b""])


def random_url_path(rng, body):
    """A random path, or a pattern of the file in which each wildcard is replaced."""
    values = [line.split(b":", 1)[1].split() for line in body.splitlines() if b":" in line]
    patterns = [value[0].decode() for value in values if value and value[0].startswith(b"/") and value[0].isascii() and b"#" not in value[0]]
    if not patterns or rng.random() < 0.4:
        return "/" + "".join(rng.choices(URL_PIECES, k=rng.randrange(5)))
    path = "".join(rng.choice(["", "a", "/"]) if octet == "*" else octet for octet in rng.choice(patterns).removesuffix("$"))
    return path + rng.choice(["", "", "a", "/"])


def record(number, body):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
    fields = {
        "WARC-Type": "response",
        "WARC-Target-URI": f"https://h{number}.example.com/robots.txt",
        "WARC-Date": "2026-11-01T00:00:00Z",
        "WARC-Record-ID": f"<urn:uuid:00000000-0000-4000-8000-{number:012}>",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    head = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 1)


class Tests:
    def __init__(self, program, files, searched, seed):
        self.program, self.files, self.searched, self.seed = program, files, searched, seed

    def command(self, *arguments):
        ran = subprocess.run([self.program, *map(str, arguments), "-q"], capture_output=True, text=True)
        assert ran.returncode == 0, f"{arguments}: exit code {ran.returncode}: {ran.stderr}"

    def scan(self, folder, bodies):
        archive, dataset = folder / "a.warc.gz", folder / "out.parquet"
        with open(archive, "wb") as file:
            file.writelines(record(number, body) for number, body in enumerate(bodies))
        self.command(archive, "-o", dataset, "--crawl", "TEST", "--subset", "robotstxt", "--overwrite")
        return dataset

    def match(self, folder, dataset, paths, agents, mechanism, category):
        """The access, preference and line of each path, which is a pair of a host number and a path, and of each of the agents."""
        urls, answers = folder / "urls.txt", folder / "answers.parquet"
        urls.write_text("".join(f"https://h{number}.example.com{path}\n" for number, path in paths), encoding="utf-8")
        of = category if mechanism == "any" else f"{mechanism}:{category}"
        self.command("match", dataset, "--urls", urls, "--agent", ",".join(agents), "--any-name", "--category", of, "-o", answers, "--overwrite")
        con = duckdb.connect()
        con.execute("SET preserve_insertion_order = true")
        rows = con.execute("SELECT url, agent, access, preference, preference_line FROM read_parquet(?)", [str(answers)]).fetchall()
        expected = [(f"https://h{number}.example.com{path}", agent) for number, path in paths for agent in agents]
        assert [row[:2] for row in rows] == expected, "the answers are not in the order of the list"
        return [row[2:] for row in rows]

    def test_examples_of_the_drafts(self):
        differences = []
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            dataset = self.scan(folder, [body for body, *_ in EXAMPLES])
            for number, (body, agent, mechanism, category, path, expected) in enumerate(EXAMPLES):
                oracle = Policy(groups_of(body), agent).answers(mechanism, path)[category].preference
                [(_, found, _)] = self.match(folder, dataset, [(number, path)], [agent], mechanism, category)
                if (oracle, found) != (expected, expected):
                    differences.append(f"{category} of {agent} for {path}: {found}, oracle {oracle}, and not {expected}:\n{body.decode()}")
        report(differences, f"{len(EXAMPLES)} examples")

    def test_files(self):
        """The tables of files and hosts, over all paths."""
        rng = random.Random(f"{self.seed} files")
        left, rows, n_paths, skipped, differences, kinds = self.searched, 0, 0, 0, [], set()
        while left > 0:
            bodies, expected = [], {}
            while len(bodies) < min(left, BATCH):
                is_shortest = rng.random() < 0.1
                pieces = SHORT_PIECES if is_shortest or rng.random() < 0.7 else PIECES
                body = random_body(rng, pieces, 2 if is_shortest else 4, 8 if is_shortest else 11)
                found = preferences_of_all_paths(body, is_shortest)
                if found is None:
                    skipped += 1
                    continue
                n_paths += found.pop("paths")
                expected.update({(len(bodies), *key): value for key, value in found.items()})
                bodies.append(body)
            with tempfile.TemporaryDirectory() as folder:
                dataset = self.scan(Path(folder), bodies)
                more = compare_tables(dataset, expected, bodies)
            differences += more
            rows += len(expected)
            kinds |= {verdict(answers.keys()) for answers in expected.values()}
            left -= len(bodies)
        assert self.searched < 100 or len(kinds) == 5, f"only {kinds} occurred"
        report(differences, f"{rows} rows of {self.searched} files, from {n_paths} paths; {skipped} other files have too many combinations")

    def test_urls(self):
        rng = random.Random(f"{self.seed} urls")
        compared, differences, kinds = 0, [], set()
        for begin in range(0, self.files, BATCH):
            bodies = [random_body(rng, PIECES, 4, 16) for _ in range(min(BATCH, self.files - begin))]
            paths = [(number, random_url_path(rng, body)) for number, body in enumerate(bodies) for _ in range(3)]
            with tempfile.TemporaryDirectory() as folder:
                dataset = self.scan(Path(folder), bodies)
                columns = {(mechanism, category): self.match(Path(folder), dataset, paths, ASKED, mechanism, category)
                           for mechanism, categories in CATEGORIES.items() for category in categories}
            place = -1
            for number, group in itertools.groupby(paths, lambda pair: pair[0]):
                groups = groups_of(bodies[number])
                policies = [(agent, Policy(groups, agent)) for agent in ASKED]
                for (_, path), (agent, policy) in itertools.product(group, policies):
                    place += 1
                    for mechanism in CATEGORIES:
                        for category, answer in policy.answers(mechanism, path).items():
                            access, preference, line = columns[mechanism, category][place]
                            compared += 1
                            kinds.add(preference)
                            is_right = preference == answer.preference and access == ("disallowed" if preference == "not_crawlable" else "allowed")
                            # A preference that is unknown need not have a line.
                            if not is_right or not (line in answer.lines or line is None and preference == "unknown"):
                                differences.append(f"{mechanism} {category} for {agent}, {path}: {access}, {preference}, line {line}, and not "
                                                   f"{answer.preference}, lines {sorted(answer.lines)}:\n{shown(bodies[number])}")
        assert self.files < 200 or kinds == {"allowed", "disallowed", "unknown", "not_crawlable"}, f"only {kinds} occurred"
        report(differences, f"{compared} answers for URLs of {self.files} files")


def preferences_of_all_paths(body, is_shortest):
    """For each name, mechanism and category, the preferences that occur with the lines that decide them; None if there are too many paths.

    `paths` is their number.
    """
    groups = groups_of(body)
    mechanisms = {statement.mechanism for group in groups for statement in group.statements}
    mechanisms |= {"any"} if mechanisms else set()
    found = {"paths": 0}
    if not mechanisms:
        return found
    for agent in {"*"}.union(*(group.agents for group in groups)):
        policy = Policy(groups, agent)
        paths = policy.paths(MOST_PATHS)
        if paths is None:
            return None
        found["paths"] += len(paths)
        for mechanism in mechanisms:
            answers = preferences_of(policy, mechanism, paths)
            found.update({(agent, mechanism, category): kinds for category, kinds in answers.items()})
            if is_shortest:
                octets = sorted({octet for rule in (*policy.rules, *policy.statements) for octet in rule.pattern if octet in "/ab$"} | {"\x01"})
                enumerated = ("/" + "".join(rest) for length in range(5) for rest in itertools.product(octets, repeat=length))
                for category, kinds in preferences_of(policy, mechanism, enumerated).items():
                    missing = kinds.keys() - answers[category].keys() - {"not_crawlable"}
                    assert not missing, f"the search lacks {missing}:\n{shown(body)}"
    return found


def preferences_of(policy, mechanism, paths):
    """For each category, a dictionary of preferences with the lines that decide them; `not_crawlable` is left out, unless it is the only one."""
    found = {category: {} for category in CATEGORIES[mechanism]}
    for path in paths:
        for category, answer in policy.answers(mechanism, path).items():
            found[category].setdefault(answer.preference, set()).update(answer.lines)
    return {category: kinds if kinds.keys() == {"not_crawlable"} else {kind: lines for kind, lines in kinds.items() if kind != "not_crawlable"}
            for category, kinds in found.items()}


def compare_tables(dataset, expected, bodies):
    differences = []
    columns = "agent, mechanism, category, preference, has_allowed, has_disallowed, has_unknown, evidence_line"
    number = "CAST(regexp_extract(url_host_name, '^h([0-9]+)[.]', 1) AS INTEGER)"
    for table, other, key in [("file_preferences", "robots_files", "robots_id"), ("host_preferences", "hosts", "host_id")]:
        tables = [f"read_parquet('{dataset}/{name}/**/*.parquet')" for name in (table, other)]
        rows = duckdb.sql(f"SELECT {number}, {columns} FROM {tables[0]} JOIN {tables[1]} USING ({key})").fetchall()
        found = {row[:4]: row[4:] for row in rows}
        assert len(found) == len(rows), f"{table} has {len(rows) - len(found)} rows twice"
        for key in sorted(found.keys() | expected.keys()):
            kinds = expected.get(key)
            preference, line = (found[key][:4], found[key][4]) if key in found else (None, None)
            flags = kinds and tuple(kind in kinds for kind in ("allowed", "disallowed", "unknown"))
            oracle = kinds and (verdict(kinds.keys()), *flags)
            where = f"{table}: {key[1:]}"
            if preference != oracle:
                differences.append(f"{where}: {preference}, and not {oracle}:\n{shown(bodies[key[0]])}")
                continue
            # The most restrictive of the preferences that occur. One that is unknown need not have a line.
            kind = next(kind for kind in ("disallowed", "allowed", "unknown", "not_crawlable") if kind in kinds)
            if not (line in kinds[kind] or line is None and kind == "unknown"):
                differences.append(f"{where}: line {line} does not show {kind}, lines {sorted(kinds[kind])} do:\n{shown(bodies[key[0]])}")
    return differences


def shown(body):
    return "".join(f"  {number} {line!r}\n" for number, line in enumerate(body.decode("latin-1").splitlines(), 1))


def report(differences, what):
    print(f"{what}: {len(differences)} differences")
    for difference in differences[:PRINTED]:
        print(difference)
    assert not differences, f"{len(differences)} differences"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--files", type=int, default=12_000)
    parser.add_argument("--searched", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    sys.exit(run(Tests(args.program, args.files, args.files // 20 if args.searched is None else args.searched, args.seed)) > 0)
