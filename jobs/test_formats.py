"""Tests that datasets of earlier formats are read: by the views, by every command, and joined with those of today.

Usage: test_formats.py PROGRAM

tests/formats/N is a dataset of format N, written by the program of its time from tests/formats/archive.warc.gz. It is never
written again. Its views are compared with those of a new scan of the same archive, row by row.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

FORMATS = Path(__file__).resolve().parent.parent / "tests" / "formats"
ARCHIVE = FORMATS / "archive.warc.gz"
CRAWL = "FORMATS-2026"
TABLES = (
    "robots_files groups rules sitemaps directives preferences file_preferences anomalies verdicts agents faults hosts host_verdicts host_preferences"
).split()

# What a format lacks (docs/formats.md): these columns are not compared, and these tables have no rows.
SINCE_7 = {"directives": {"counts", "has_colon"}, "preferences": {"counts", "preference", "category"}}
LACKING = {"5": {"robots_files": {"url_host_private_suffix", "warc_record_id"}} | SINCE_7, "6": SINCE_7}
LACKING_TABLES = {"5": {"file_preferences", "host_preferences"}, "6": {"file_preferences", "host_preferences"}}


def run(program, *args, codes=(0,)):
    """Runs the program, which ends with one of these exit codes, and returns its output and its errors."""
    ran = subprocess.run([program, *map(str, args)], capture_output=True, text=True)
    assert ran.returncode in codes, f"{args}: exit code {ran.returncode}: {ran.stderr}{ran.stdout}"
    return ran.stdout + ran.stderr


def opened(dataset):
    con = duckdb.connect()
    con.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    return con


def rows(con, table, columns, where="true"):
    listed = ", ".join(f'"{column}"' for column in columns)
    return sorted(map(repr, con.execute(f"SELECT {listed} FROM {table} WHERE {where}").fetchall()))


def compare_views(name, old, new, where="true"):
    """Compares every table of two datasets, row by row."""
    for table in TABLES:
        columns = {}
        for key, con in (("old", old), ("new", new)):
            columns[key] = [row[0] for row in con.execute(f"DESCRIBE {table}").fetchall()]
        assert set(columns["new"]) <= set(columns["old"]), f"format {name}, {table}: {set(columns['new']) - set(columns['old'])} is missing"
        if table in LACKING_TABLES.get(name, ()):
            assert rows(new, table, columns["new"]) and not rows(old, table, columns["new"]), f"format {name}: {table}"
            continue
        compared = [c for c in columns["new"] if c not in LACKING.get(name, {}).get(table, ())]
        before, now = rows(old, table, compared, where if table != "agents" else "true"), rows(new, table, compared)
        assert now or table == "faults", f"{table} is empty: the archive shows nothing"
        if before != now:
            for column in compared:
                if rows(old, table, [column]) != rows(new, table, [column]):
                    print(f"format {name}: {table}.{column} differs")
            raise AssertionError(f"format {name}: the rows of {table} differ")


def check_commands(name, program, dataset, work):
    """Every command reads the dataset, or states what it lacks."""
    verified = run(program, "verify", dataset)
    assert "complete and unchanged" in verified, verified
    damaged = sorted(dataset.glob("rules/*/*/*.parquet"))[0]
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    assert "damaged or changed" in run(program, "verify", dataset, codes=(1,))
    damaged.write_bytes(whole)
    urls = work / "urls.txt"
    hosts = opened(dataset).execute("SELECT url FROM hosts WHERE url IS NOT NULL ORDER BY url").fetchall()
    urls.write_text("".join(f"{url[: -len('robots.txt')]}private/x\n" for (url,) in hosts))
    answers = {}
    for of in (dataset, work / "new"):
        out = work / "answers.csv"
        run(program, "match", of, "-a", "GPTBot", "-u", urls, "-o", out, "--overwrite", "-q")
        verdicts = work / "verdicts.parquet"
        run(program, "verdicts", of, "-a", "GPTBot", "-o", verdicts, "--overwrite", "-q")
        answers[of] = (out.read_text(), duckdb.sql(f"FROM '{verdicts}' ORDER BY ALL").fetchall())
    assert answers[dataset] == answers[work / "new"], f"format {name}: match or verdicts differ"
    for (host,) in opened(dataset).execute("SELECT DISTINCT url_host_name FROM hosts ORDER BY 1").fetchall():
        for command in (["check", "--host", host, "-a", "GPTBot"], ["show", "--host", host], ["show", "--host", host, "--base", FORMATS]):
            before, now = (run(program, *command, of, codes=(0, 1)).replace(str(of), "") for of in (dataset, work / "new"))
            assert before == now, f"format {name}: {command} differs"
    current = json.loads((work / "new" / "_manifest.jsonl").read_text().splitlines()[0])["format"]
    if int(name) != current:
        refused = run(program, ARCHIVE, "--crawl", CRAWL, "--subset", "robotstxt", "-o", dataset, "--resume", codes=(2,))
        assert "format" in refused and name in refused, refused


def check_join(name, program, dataset, work):
    """The dataset is joined with one of today."""
    folder = work / "joined"
    shutil.copytree(dataset, folder / "2026")
    run(program, "views", folder / "2026")
    run(program, ARCHIVE, "--crawl", "FORMATS-2027", "--subset", "robotstxt", "--first-input", 1, "-q", "-o", folder / "2027")
    run(program, "join", folder, "-q")
    assert "complete and unchanged" in run(program, "verify", folder)
    joined = opened(folder)
    compare = opened(work / "new")
    both = [row[0] for row in joined.execute("SELECT crawl FROM crawls() ORDER BY 1").fetchall()]
    assert both == [CRAWL, "FORMATS-2027"], both
    for table in TABLES:
        if table in ("agents", "hosts", "host_verdicts", "host_preferences") or table in LACKING_TABLES.get(name, ()):
            continue
        columns = [row[0] for row in compare.execute(f"DESCRIBE {table}").fetchall()]
        columns = [c for c in columns if c not in LACKING.get(name, {}).get(table, ())]
        before = rows(compare, table, columns)
        assert rows(joined, table, columns, f"crawl = '{CRAWL}'") == before, f"format {name}: {table} differs after the join"
    # Another meaning is refused, unless it is asked for; then crawls() shows it.
    change_meaning(folder / "2026")
    refused = run(program, "join", folder, "-q", codes=(2,))
    assert "meaning 0" in refused and "--mixed" in refused, refused
    run(program, "join", folder, "-q", "--mixed")
    meanings = opened(folder).execute("SELECT crawl, meaning FROM crawls() ORDER BY 1").fetchall()
    assert [meaning for _, meaning in meanings] == [0, 1], meanings


def change_meaning(dataset):
    """Writes a manifest as if the rows had an earlier meaning, with its digest."""
    path = dataset / "_manifest.jsonl"
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    first = json.loads(first) | {"meaning": 0}
    path.write_text("\n".join([json.dumps(first), *lines]) + "\n", encoding="utf-8")


def main():
    program = os.path.abspath(sys.argv[1])
    for path in sorted(FORMATS.iterdir()):
        if not path.is_dir():
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            dataset = work / "old"
            shutil.copytree(path, dataset)
            run(program, ARCHIVE, "--crawl", CRAWL, "--subset", "robotstxt", "-q", "-o", work / "new")
            run(program, "views", dataset)
            compare_views(path.name, opened(dataset), opened(work / "new"))
            check_commands(path.name, program, dataset, work)
            check_join(path.name, program, dataset, work)
            print(f"format {path.name}: read by the views and every command, and joined")


main()
