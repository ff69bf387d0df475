"""Counts the answers of urllib.robotparser that differ from those of Google's open-source parser.

    robots-scan ../shared/data/real/*.warc.gz --with-bodies -q -o DATASET
    .venv-test/bin/python benches/measure/answers.py DATASET ../shared/data/oracle/access.parquet

The answers of the reference parser are rows of archive, offset of the record, agent, URL and answer. Files over 500 KiB are left
out: the reference parser reads more of them than Google's page states. tests/language/google.rs compares robots-scan with them.
"""

import sys
import urllib.robotparser
from pathlib import Path

import duckdb


def main(dataset, oracle):
    con = duckdb.connect()
    con.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    files = con.execute("""SELECT f.body, list((a.agent, a.url, a.allowed)) FROM read_parquet(?) a
        JOIN robots_files f ON parse_filename(f.warc_filename) = parse_filename(a.archive) AND f.warc_record_offset = a.warc_record_offset
        WHERE NOT f.over_500kib GROUP BY f.crawl, f.robots_id, f.body""", [str(oracle)]).fetchall()
    questions = differing = differing_files = 0
    for body, asked in files:
        # A body that is not UTF-8 is stored with escapes, and such bytes are in few rules.
        parser = urllib.robotparser.RobotFileParser()
        parser.parse(body.splitlines())
        wrong = sum(parser.can_fetch(agent, url) != allowed for agent, url, allowed in asked)
        questions, differing, differing_files = questions + len(asked), differing + wrong, differing_files + (wrong > 0)
    print(f"Python {sys.version.split()[0]}: {differing:,} of {questions:,} answers differ ({100 * differing / questions:.1f} %), "
          f"in {differing_files:,} of {len(files):,} files ({100 * differing_files / len(files):.1f} %)")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
