"""Reads the datasets, joined folders and histories in tests/formats, which versions from 0.2.0 on have written.

    python tests/python/test_formats.py target/debug/robots-scan            # compares the answers with those that are kept
    python tests/python/test_formats.py target/debug/robots-scan --write    # before a release: makes those of this version again

tests/formats/VERSION has `dataset.tar.gz`, `joined.tar.gz` and `history.tar.gz`, made of data-samples/warc/cc-*.warc.gz, and
`answers.json`: for each, the size and a digest of the rows of each table, of some questions, and of the commands. Columns, keys
and tables that later versions add are left out. Only those of a version that is not released yet are written again.
"""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ROOT / "tests/formats"
SAMPLES = [ROOT / "data-samples/warc" / name for name in ("cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz")]
QUESTIONS = ["share_of_hosts_blocking()", "blocking_by_agent()", "hosts_decided_in_every_crawl()"]
# Questions that only these have.
OTHERS = {"dataset": ["denominators()", "evidence('GPTBot')", "blocking_by_reason()"], "joined": ["denominators()", "evidence('GPTBot')", "changed_hosts()"],
          "history": ["trend()", "survival_of_blocks()"]}


def run(*command, code=0):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def make(program, folder):
    """Makes the three in a folder. Their views, which name the folder, are not kept."""
    run(program, SAMPLES[0], "-q", "-o", folder / "dataset")
    for name, archive in zip(("first", "later"), SAMPLES):
        run(program, archive, "-q", "-o", folder / "joined" / name)
    run(program, "join", folder / "joined")
    run(program, "history", folder / "joined", "-q", "-o", folder / "history")
    for views in folder.rglob("views.sql"):
        views.unlink()


def digest(rows, columns):
    """Returns the size and a digest of rows in any order, with their first columns."""
    texts = sorted(repr(row[:columns]) for row in rows)
    return f"{len(rows)} rows of {columns} columns, {hashlib.sha1(chr(10).join(texts).encode()).hexdigest()}"


def answers(program, folder, kind, expected=None):
    """Returns the answers of tables, questions and commands about one of the three: those that are expected, or all."""
    def add(name, cursor):
        if expected is None or name in expected:
            columns = len(cursor.description) if expected is None else int(expected[name].split()[3])
            found[name] = digest(cursor.fetchall(), columns)

    found = {}
    run(program, "views", folder)
    run(program, "verify", folder)
    con = duckdb.connect()
    con.execute((folder / "views.sql").read_text(encoding="utf-8"))
    tables = [name for name, in con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()]
    for name in tables:
        add(name, con.execute(f'FROM "{name}"'))
    for question in QUESTIONS + OTHERS[kind]:
        add(question, con.execute(f"FROM {question}"))
    host, = con.execute("SELECT min(h.url_host_name) FROM hosts h JOIN host_verdicts v ON v.host_id = h.host_id").fetchone()
    text = run(program, "check", folder, "--host", host, "--agent", "GPTBot", "--json").stdout
    for key, value in json.loads(text.replace(str(folder), "")).items():
        name = f"check: {key}"
        if expected is None or name in expected:
            found[name] = digest([(value,)], 1)
    urls = [f"https://{name}/{path}" for name, in con.execute("SELECT DISTINCT h.url_host_name FROM hosts h ORDER BY 1").fetchall() for path in ("", "a?b", "%7Ec")]
    (folder.parent / "urls.txt").write_text("\n".join(urls))
    run(program, "match", folder, "--urls", folder.parent / "urls.txt", "--agent", "GPTBot,*", "-q", "-o", folder.parent / f"{kind}.parquet")
    add("match", con.execute(f"FROM '{folder.parent / kind}.parquet'"))
    return found


def check_kept(program, kept, scratch):
    """Compares the answers, and combines what is kept with what this version writes."""
    for name in ("dataset", "joined", "history"):
        with tarfile.open(kept / f"{name}.tar.gz") as tar:
            tar.extractall(scratch, filter="data")
    expected = json.loads((kept / "answers.json").read_text(encoding="utf-8"))
    for kind in expected:
        found = answers(program, scratch / kind, kind, expected[kind])
        changed = [name for name in {*found, *expected[kind]} if found.get(name) != expected[kind].get(name)]
        assert not changed, f"{kept.name}, {kind}: the answers of {', '.join(sorted(changed))} changed. If that is intended and the version is not released: make formats WRITE=--write"
    # With another crawl of this version.
    both = scratch / "both"
    shutil.copytree(scratch / "dataset", both / "kept")
    run(program, SAMPLES[1], "-q", "-o", both / "new")
    run(program, "join", both)
    run(program, "history", scratch / "history", both / "kept", "-q", "-o", scratch / "again", code=2)  # the same crawl twice
    run(program, "history", both / "new", both / "kept", "-q", "-o", scratch / "combined")
    run(program, "verify", scratch / "combined")
    # A change is noticed: of a file, and of the number of the format.
    for kind in expected:
        file = max((scratch / kind).rglob("*.parquet"), key=lambda path: path.stat().st_size)
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        run(program, "verify", scratch / kind, code=1)
        manifest = next(path for path in sorted((scratch / kind).rglob("_manifest.jsonl")) if '"format":' in path.read_text(encoding="utf-8"))
        text = manifest.read_text(encoding="utf-8")
        head, number, rest = re.split(r'"format":(\d+)', text, maxsplit=1)
        for other in int(number) - 1, int(number) + 1:
            manifest.write_text(f'{head}"format":{other}{rest}', encoding="utf-8")
            message = run(program, "verify", scratch / kind, code=2).stderr
            assert message.count("\n") <= 2 and "make it again from its archives" in message, message
    return len(expected)


def main(program, *options):
    version = run(program, "--version").stdout.split()[1]
    if options == ("--write",):
        released = f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        assert not released, f"{version} is released: what it wrote is never written again"
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch).resolve()
            make(program, folder)
            kept = FORMATS / version
            kept.mkdir(parents=True, exist_ok=True)
            for name in ("dataset", "joined", "history"):
                with (kept / f"{name}.tar.gz").open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
                    for path in sorted((folder / name).rglob("*")):
                        tar.add(path, path.relative_to(folder), recursive=False, filter=lambda entry: entry.replace(mtime=0, uid=0, gid=0, uname="", gname="", deep=False))
            found = {name: answers(program, folder / name, name) for name in ("dataset", "joined", "history")}
            (kept / "answers.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    passed = 0
    for kept in sorted(FORMATS.iterdir()):
        with tempfile.TemporaryDirectory() as scratch:
            passed += check_kept(program, kept, Path(scratch).resolve())
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
