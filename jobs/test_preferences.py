"""Compares preferences with an oracle that is written from the specifications (jobs/oracle/preferences.py).

    python jobs/test_preferences.py PROGRAM [--files N] [--seed S]

The oracle is first compared with every example of the drafts. Then random files are scanned, in which groups, paths, wildcards and
statements collide often:

- `match --category` must give the preference of the oracle for a few URLs of each file and two crawlers.
- `file_preferences` and `host_preferences` must have the preferences that occur among all paths, which the oracle tries: paths of up to
  LONGEST octets over those of the patterns and one other. The files of this part have at most PARTS pieces in all patterns of a
  crawler. A path longer than all octets and wildcards of the patterns together has an octet that only wildcards match, beside another
  such octet, and without it the path matches the same patterns.
"""

import argparse
import gzip
import itertools
import random
import subprocess
import tempfile
from pathlib import Path

import duckdb

from oracle.preferences import CATEGORIES, File, verdict

DRAFT = """User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""
# draft-ietf-aipref-attach, "Example"; draft-ietf-aipref-vocab, "Exemplary Serialization Format", "Multiple Preferences" and
# "Preference Parameters": file, crawler, category, path, preference.
EXAMPLES = [
    (DRAFT, "other", "train-ai", "/test", "disallowed"),
    (DRAFT, "other", "train-ai", "/never/test", "not_crawlable"),
    (DRAFT, "other", "train-ai", "/ai-ok/test", "allowed"),
    (DRAFT, "examplebot", "train-ai", "/never/test", "allowed"),
] + [
    (f"User-agent: *\nContent-Usage: {value}\n", "x", category, "/", preference)
    for value, category, preference in [
        ("train-ai=y, search=n", "train-ai", "allowed"),
        ("train-ai=y, search=n", "search", "disallowed"),
        ("train-ai=y, search=n", "ai-use", "unknown"),
        ('train-ai=y, train-ai, search=n, search="n"', "train-ai", "unknown"),
        ('train-ai=y, train-ai, search=n, search="n"', "search", "unknown"),
        ("train-ai;allow=n, train-ai=y", "train-ai", "allowed"),
        ('train-ai;has;parameters="?";', "train-ai", "unknown"),
        ("Train-ai=n", "train-ai", "unknown"),
    ]
]

AGENTS = ["*", "a", "b"]
VALUES = ["y", "n", "y", "n", "y;p", 'n;p="a,b"', '"n"', "?1", "(n)", "yes", "1", "1.5", "N", ":bg==:", "@7", '%"n"', "", " n"]
LABELS = ["train-ai", "train-ai", "ai-use", "search", "x", "Search"]
SIGNALS = ["search=yes", "search=no", "ai-train=no", "AI-Train = YES", "ai-input=no", "use=full", "ai-train=maybe", "search"]
PIECES = ["a", "b", "*", "/", "a", "%61", "ü", "index.html", "%c3%bc"]
# The pieces of files whose paths are all tried.
SHORT_PIECES = ["a", "b", "*"]
PARTS = 6
LONGEST = 7


def random_path(rng, pieces, most):
    return "/" + "".join(rng.choices(pieces, k=rng.randrange(most))) + rng.choice(["", "", "", "$"])


def random_usage(rng):
    items = [f"{rng.choice(LABELS)}={rng.choice(VALUES)}" if rng.random() < 0.9 else rng.choice(LABELS) for _ in range(rng.randrange(4))]
    return rng.choice([", ", ",", " ,\t"]).join(items) + rng.choice(["", "", "", "", ",", " # n", ";"])


def random_line(rng, path):
    kind = rng.random()
    if kind < 0.25:
        return f"User-agent: {rng.choice(AGENTS)}"
    if kind < 0.55:
        return f"{rng.choice(['Allow', 'Disallow', 'Disallow'])}: {rng.choice(['', '/', path(), path()])}"
    path = rng.choice(["", "", f"{path()} ", f"{path()}\t "])
    if kind < 0.85:
        return f"Content-Usage: {path}{random_usage(rng)}"
    return f"Content-Signal{rng.choice(['', 's'])}: {path}{rng.choice([', ', ','])}".rstrip(", ") + " " + ", ".join(rng.choices(SIGNALS, k=2))


def random_file(rng, is_short):
    if not is_short:
        return "\n".join(random_line(rng, lambda: random_path(rng, PIECES, 5)) for _ in range(rng.randrange(3, 14))) + "\n"
    while True:
        text = "\n".join(random_line(rng, lambda: random_path(rng, SHORT_PIECES, 3)) for _ in range(rng.randrange(3, 8))) + "\n"
        parts = sum(len(line.partition(":")[2].split()[0].strip("/$")) for line in text.splitlines()
                    if not line.startswith("User") and line.partition(":")[2].strip().startswith("/"))
        if parts <= PARTS:
            return text


def record(host, text):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + text.encode()
    fields = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{host}/robots.txt\r\nWARC-Date: 2026-11-01T00:00:00Z\r\n"
              f"WARC-Record-ID: <urn:test:{host}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n")
    return gzip.compress(fields.encode() + block + b"\r\n\r\n", 1)


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: exit code {done.returncode}\n{done.stderr}"


def scan(program, texts, out):
    archive = out.with_suffix(".warc.gz")
    archive.write_bytes(b"".join(record(f"h{number}.test", text) for number, text in enumerate(texts)))
    run(program, archive, "-q", "-o", out, "--crawl", "TEST", "--subset", "robotstxt")


def compare_urls(program, texts, rng, folder):
    """The preferences of `match`: the number of answers, and the differences."""
    out = folder / "urls.parquet"
    scan(program, texts, out)
    urls = folder / "urls.txt"
    paths = [random_path(rng, ["a", "b", "/", "c", "%61", "%C3%BC", "index.html"], 6).rstrip("$") for _ in range(2 * len(texts))]
    urls.write_text("".join(f"https://h{number // 2}.test{path}\n" for number, path in enumerate(paths)), encoding="utf-8")
    compared, differences = 0, []
    files = [File(text) for text in texts]
    for mechanism, categories in CATEGORIES.items():
        for category in categories:
            answers = folder / "answers.parquet"
            run(program, "match", out, "--urls", urls, "--agent", "a,z", "--category", f"{mechanism}:{category}", "-o", answers, "-q",
                "--overwrite")
            rows = duckdb.sql(f"SELECT agent, preference FROM '{answers}'").fetchall()
            assert len(rows) == 2 * len(paths)
            for i, (agent, found) in enumerate(rows):
                number, path = i // 4, paths[i // 2]
                expected = files[number].of(agent).preference(mechanism, category, path)
                compared += 1
                if found != expected:
                    differences.append(f"{mechanism} {category} for {agent}, {path}: {found}, and not {expected}\n{texts[number]}")
    return compared, differences


def compare_files(program, texts, folder):
    """The tables: the number of rows, and the differences."""
    out = folder / "files.parquet"
    scan(program, texts, out)
    columns = "agent, mechanism, category, preference, has_allowed, has_disallowed, has_unknown"
    tables = [
        f"SELECT url_host_name, {columns} FROM '{out}/file_preferences/**/*.parquet' JOIN '{out}/robots_files/**/*.parquet' USING (robots_id)",
        f"SELECT url_host_name, {columns} FROM '{out}/host_preferences/**/*.parquet' JOIN '{out}/hosts/**/*.parquet' USING (host_id)",
    ]
    paths = ["/" + "".join(octets) for length in range(LONGEST) for octets in itertools.product("abz", repeat=length)]
    expected = {}
    for number, text in enumerate(texts):
        file = File(text)
        for agent in sorted({"*", *file.groups}):
            for mechanism in sorted({statement[2] for statement in file.statements}):
                for category, kinds in file.of(agent if agent in file.groups else "*").kinds(mechanism, paths).items():
                    flags = tuple(kind in kinds for kind in ("allowed", "disallowed", "unknown"))
                    expected[f"h{number}.test", agent, mechanism, category] = (verdict(kinds), *flags)
    differences = []
    for table in tables:
        found = {row[:4]: row[4:] for row in duckdb.sql(table).fetchall()}
        for key in sorted(found.keys() | expected.keys()):
            if found.get(key) != expected.get(key):
                differences.append(f"{key}: {found.get(key)}, and not {expected.get(key)}\n{texts[int(key[0][1:-5])]}")
    return len(expected) * len(tables), differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--files", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    for text, agent, category, path, expected in EXAMPLES:
        found = File(text).of(agent).preference("content-usage", category, path)
        assert found == expected, (text, agent, path, found)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        texts = [random_file(rng, False) for _ in range(arguments.files)] + [text for text, *_ in EXAMPLES]
        urls, differences = compare_urls(arguments.program, texts, rng, folder)
        short = [random_file(rng, True) for _ in range(arguments.files // 16)]
        rows, more = compare_files(arguments.program, short, folder)
    for difference in (differences + more)[:5]:
        print(f"FAILED {difference}")
    print(f"{urls} answers for URLs of {len(texts)} files, {rows} rows of {len(short)} files by all paths: {len(differences + more)} differences")
    assert urls > 0 and rows > 0 and not differences + more
    print(f"{2 - bool(differences) - bool(more)} passed, 0 failed")


main()
