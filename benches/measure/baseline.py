"""Extracts rules from archives as a typical script does today: with fastwarc, pyarrow, and a regular
expression per line, protego, or urllib.robotparser.

usage: baseline.py regex|protego|robotparser OUT ARCHIVE…
"""

import pathlib
import re
import sys
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

import pyarrow
import pyarrow.parquet
from fastwarc.warc import ArchiveIterator, WarcRecordType
from protego import Protego

LINE = re.compile(
    rb"[ \t]*(user-agent|allow|disallow|sitemap|crawl-delay|[a-z-]+)[ \t]*:[ \t]*([^#\r\n]*)", re.IGNORECASE
)
FILES = ("url", "host", "time", "ip", "status", "type", "digest", "bytes", "rules")
RULES = ("host", "line", "group", "key", "agent", "value")


def by_regex(body, host, rules):
    """Adds a row for each line that reads as one; gives their number."""
    group, agent, has_rules, rows = 0, "", True, 0
    for number, line in enumerate(body.splitlines(), 1):
        found = LINE.match(line)
        if not found:
            continue
        key = found[1].lower().decode()
        value = found[2].strip().decode("utf-8", "replace")
        if key == "user-agent":
            if has_rules:
                group, has_rules = group + 1, False
            agent = value
        elif key in ("allow", "disallow"):
            has_rules = True
        for column, cell in zip(rules, (host, number, group, key, agent, value)):
            column.append(cell)
        rows += 1
    return rows


def by_protego(body, host, rules):
    """The same by protego, from what it keeps, which is private."""
    parsed, rows = Protego.parse(body.decode("utf-8", "replace")), 0
    for group, (agent, of_agent) in enumerate(parsed._user_agents.items(), 1):
        for rule in of_agent._rules:
            cells = (host, 0, group, rule.field, agent, str(rule.value._pattern))
            for column, cell in zip(rules, cells):
                column.append(cell)
            rows += 1
    return rows


def by_robotparser(body, host, rules):
    """The same by urllib.robotparser."""
    parsed, rows = RobotFileParser(), 0
    parsed.parse(body.decode("utf-8", "replace").splitlines())
    for group, entry in enumerate([*parsed.entries, *filter(None, [parsed.default_entry])], 1):
        for rule in entry.rulelines:
            cells = (host, 0, group, "allow" if rule.allowance else "disallow", ",".join(entry.useragents), rule.path)
            for column, cell in zip(rules, cells):
                column.append(cell)
            rows += 1
    return rows


def main():
    read = {"regex": by_regex, "protego": by_protego, "robotparser": by_robotparser}[sys.argv[1]]
    out = pathlib.Path(sys.argv[2])
    captures = rows = 0
    for path in map(pathlib.Path, sys.argv[3:]):
        files, rules = [[] for _ in FILES], [[] for _ in RULES]
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
                url, headers = record.headers["WARC-Target-URI"], record.headers
                host, status, body = urlsplit(url).hostname, record.http_headers.status_code, record.reader.read()
                is_read = status == 200 and headers.get("WARC-Identified-Payload-Type") != "text/html"
                count = read(body, host, rules) if is_read else 0
                cells = (
                    url, host, headers["WARC-Date"], headers.get("WARC-IP-Address"), status,
                    record.http_headers.get("Content-Type"), headers.get("WARC-Payload-Digest"), len(body), count,
                )
                for column, cell in zip(files, cells):
                    column.append(cell)
                captures, rows = captures + 1, rows + count
        for name, names, columns in (("files", FILES, files), ("rules", RULES, rules)):
            table = pyarrow.table(dict(zip(names, columns)))
            pyarrow.parquet.write_table(table, out / f"{path.name}.{name}.parquet", compression="zstd")
    print(captures, rows)


main()
