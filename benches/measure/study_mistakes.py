"""Computes how far the figures of two studies would be off on a dataset because of the mistakes of their parsers.

    robots-scan archives/*.warc.gz --with-bodies -o out.parquet
    python benches/measure/study_mistakes.py out.parquet

The dataset needs bodies. The unit is a host, or a registered domain, of one crawl; a domain blocks a crawler if any of its hosts
does. The body of a host is that of the capture whose rules apply (rules_robots_id). The exact answer is that of the tables: a host
names a crawler if host_verdicts has a row with the basis 'explicit', and blocks it by name if the verdict of that row is
'disallow_all'. A mistaken answer is that of the reading of a study, below, of the same body. Only mistakes of reading a body are
replayed: the selection of captures, the filters on media types and the ranks of the studies are not.

The last two rows of a table are about all crawlers of the registry for AI: `any for AI` counts the units that name, or block, at least
one of them, and `pairs for AI` counts pairs of a unit and a crawler, without a share.

Columns: `n` is the number of units whose verdict for '*' is known, the denominator of all shares. `named` and `blocked` count units,
`share` is blocked / n in percent, `points` its difference from the exact share in percentage points, and `relative` the difference in
percent of the exact share. `missed` counts units that block according to the exact answer only, `invented` those that block
according to the study only. A row `… corrected` is the same reading, except that the list of names is ended correctly.

--list AGENT prints every host with a wrong answer for this crawler instead, with the record that has its robots.txt file.
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

# The crawlers with rows of their own.
AGENTS = ["GPTBot", "CCBot", "ClaudeBot", "Google-Extended", "Bytespider", "anthropic-ai", "ChatGPT-User", "PerplexityBot", "Amazonbot"]
RULES = ("allow", "disallow")
HTML = re.compile(rb"(<html|<!doctype html)\b", re.IGNORECASE)
ESCAPE = re.compile(rb"\\(?:\\|x([0-9A-Fa-f]{2}))")


def group_rules(lines, ends_names, is_corrected):
    """Returns the rules of each name, in order, from pairs of a key and a value.

    The mistake of both studies: a key of `ends_names` sets a flag, and the flag remains set. From then on each user-agent line
    replaces the list of names, so that a later group with several names applies to the last of them only.
    """
    rules, names, is_list_ended = {}, [], False
    for key, value in lines:
        if key == "user-agent":
            if is_list_ended:
                names = []
                is_list_ended = not is_corrected
            if value not in names:
                names.append(value)
            rules.setdefault(value, [])
        elif key in ends_names:
            is_list_ended = True
            if key in RULES:
                for name in names:
                    rules[name].append((key, value))
    return rules


def read_as_robotstxt_experiments(body, is_corrected=False):
    """Returns {name: 'all', 'some' or 'none'} as robotstxt_statistics.py of commoncrawl/robotstxt-experiments (ce24dda) reads a body.

    Lines end with LF only. Only an agent with a single rule, of the path `/`, is blocked: a repeated rule or any other one makes it
    'some'. A name without rules is not in the answer. Names are compared in any case only after the rules have been grouped.
    """
    body = body.removeprefix(b"\xef\xbb\xbf")
    if HTML.match(body):
        return {}
    lines = []
    for line in body.split(b"\n"):
        key, colon, value = line.partition(b":")
        if colon:
            value = re.split(rb"[\r#]", value.lstrip())[0].decode(errors="replace")
            lines.append((key.strip().lower().decode(errors="replace"), " ".join(value.split())))
    answers = {}
    for name, rules in group_rules(lines, RULES, is_corrected).items():
        if not rules:
            continue
        none = [[("allow", "/")], [("allow", "*")], [("allow", "/*")], [("allow", "")], [("disallow", "")]]
        answer = "all" if rules == [("disallow", "/")] else "none" if rules in none else "some"
        # A host counts for each spelling of a name, so one that is blocked suffices.
        if answers.get(name.lower()) != "all":
            answers[name.lower()] = answer
    return answers


def read_as_data_provenance(body, is_corrected=False):
    """Returns {name: 'all', 'some' or 'none'} as parse_robots.py of Data-Provenance-Collection (ce6662d) reads a body.

    Sitemap and crawl-delay lines also end the list of names. Rules with `?` are dropped. An agent is blocked if a rule disallows `/`
    and no rule allows anything. A name without rules is 'none'. Keys are followed by a colon at once. A byte order mark is removed:
    whether the study did so depended on how the file was decoded.
    """
    lines = []
    for line in body.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").splitlines():
        key, colon, value = line.split("#")[0].strip().partition(":")
        if colon:
            lines.append((key.lower(), value.strip()))
    # Names are compared in any case.
    lines = [(key, value.lower() if key == "user-agent" else value) for key, value in lines]
    answers = {}
    for name, rules in group_rules(lines, (*RULES, "crawl-delay", "sitemap"), is_corrected).items():
        disallowed = [path for key, path in rules if key == "disallow" and "?" not in path]
        allowed = [path for key, path in rules if key == "allow" and "?" not in path]
        if not disallowed or disallowed == [""] or disallowed == allowed:
            answers[name] = "none"
        else:
            answers[name] = "all" if "/" in disallowed and not allowed else "some"
    return answers


STUDIES = {
    "robotstxt-experiments": read_as_robotstxt_experiments,
    "data-provenance": read_as_data_provenance,
}
READINGS = ["exact"] + [study + suffix for study in STUDIES for suffix in ("", " corrected")]


def body_bytes(text, is_valid_utf8):
    """Returns the bytes of the column `body`, in which a file that is not UTF-8 is escaped."""
    body = text.encode()
    if is_valid_utf8:
        return body
    return ESCAPE.sub(lambda match: bytes([int(match[1], 16)]) if match[1] else b"\\", body)


@dataclass
class Host:
    """The answers for one host: for each reading, the names that it names, and those that it blocks by name."""

    crawl: str
    surt_host_name: str
    domain: str
    record: str
    named: dict = field(default_factory=dict)
    blocked: dict = field(default_factory=dict)


def open_dataset(dataset):
    """Returns a connection with the views of a dataset, which may have been moved.

    The dataset may be of somebody else, and its views.sql is executed: it can open no file outside the dataset.
    """
    con = duckdb.connect()
    folder = "'{}'".format(str(dataset.resolve()).replace("'", "''"))
    con.execute(f"SET VARIABLE robots_scan = {folder}")
    con.execute(f"SET allowed_directories = [{folder}]; SET enable_external_access = false; SET lock_configuration = true")
    con.execute((dataset / "views.sql").read_text(encoding="utf-8"))
    return con


def ai_names(con):
    """Returns the names of all crawlers of the registry for AI, as in the column `agent`."""
    rows = con.execute("SELECT DISTINCT lower(agent) FROM agents WHERE starts_with(category, 'ai_') OR starts_with(category2, 'ai_')")
    return {name for (name,) in rows.fetchall()}


def read_hosts(con, crawls, names):
    """Yields the hosts whose verdict for '*' is known, with the answers for these names."""
    rows = con.execute(
        """
        SELECT h.crawl, h.surt_host_name, coalesce(h.url_host_registered_domain, h.surt_host_name),
            concat(r.warc_filename, ' at ', r.warc_record_offset), r.body, r.is_valid_utf8, h.content_class IS NOT NULL, e.named, e.blocked
        FROM hosts h
        LEFT JOIN robots_files r ON r.crawl = h.crawl AND r.robots_id = h.rules_robots_id
        LEFT JOIN (
            SELECT host_id, list(agent) AS named, list(agent) FILTER (verdict = 'disallow_all') AS blocked
            FROM host_verdicts WHERE basis = 'explicit' AND list_contains($names, agent) GROUP BY host_id) e ON e.host_id = h.host_id
        WHERE h.wildcard_verdict <> 'unknown' AND (len($crawls) = 0 OR list_contains($crawls, h.crawl))
        ORDER BY h.host_id
        """,
        {"names": sorted(names), "crawls": crawls},
    )
    while batch := rows.fetchmany(1000):
        for crawl, surt_host_name, domain, record, text, is_valid_utf8, has_body, named, blocked in batch:
            if has_body and text is None:
                sys.exit("error: the dataset has no bodies\nhint: scan with --with-bodies")
            host = Host(crawl, surt_host_name, domain, record)
            host.named["exact"], host.blocked["exact"] = set(named or []), set(blocked or [])
            body = body_bytes(text, is_valid_utf8) if has_body else b""
            for study, read in STUDIES.items():
                for reading, is_corrected in ((study, False), (study + " corrected", True)):
                    answers = read(body, is_corrected)
                    host.named[reading] = names & answers.keys()
                    host.blocked[reading] = {name for name in host.named[reading] if answers[name] == "all"}
            yield host


def merge_domains(hosts):
    """Returns one Host per crawl and registered domain, with the union of the answers for its hosts."""
    domains = {}
    for host in hosts:
        domain = domains.setdefault((host.crawl, host.domain), Host(host.crawl, host.domain, host.domain, ""))
        for into, answers in ((domain.named, host.named), (domain.blocked, host.blocked)):
            for reading, names in answers.items():
                into[reading] = into.get(reading, set()) | names
    return list(domains.values())


def compare(units, agents, for_ai):
    """Returns one row per crawler and reading; the columns are described at the top."""
    rows = []
    for agent in [*agents, "any for AI", "pairs for AI"]:
        names = {agent.lower()} if agent in agents else for_ai
        # What is counted: names, or units with at least one of the names.
        count = len if agent == "pairs for AI" else bool

        def total(select):
            return sum(count(select(unit) & names) for unit in units)

        exact = total(lambda unit: unit.blocked["exact"])
        for reading in READINGS:
            blocked = total(lambda unit: unit.blocked[reading])
            if count is len:
                missed = total(lambda unit: unit.blocked["exact"] - unit.blocked[reading])
                invented = total(lambda unit: unit.blocked[reading] - unit.blocked["exact"])
            else:
                answers = [(bool(unit.blocked["exact"] & names), bool(unit.blocked[reading] & names)) for unit in units]
                missed, invented = answers.count((True, False)), answers.count((False, True))
            rows.append({
                "agent": agent, "reading": reading, "n": len(units), "named": total(lambda unit: unit.named[reading]), "blocked": blocked,
                "share": None if count is len else 100 * blocked / len(units),
                "points": None if count is len else 100 * (blocked - exact) / len(units),
                "relative": 100 * (blocked - exact) / exact if exact else None,
                "missed": missed, "invented": invented,
            })
    return rows


def print_rows(rows):
    print(f"{'agent':<16} {'reading':<31} {'n':>6} {'named':>6} {'blocked':>7} {'share':>7} {'points':>7} {'relative':>8} "
          f"{'missed':>6} {'invented':>8}")
    for row in rows:
        share, points, relative = ("" if row[name] is None else format(row[name], form)
                                   for name, form in (("share", ".3f"), ("points", "+.3f"), ("relative", "+.1f")))
        print(f"{row['agent']:<16} {row['reading']:<31} {row['n']:>6} {row['named']:>6} {row['blocked']:>7} {share:>7} {points:>7} "
              f"{relative:>8} {row['missed']:>6} {row['invented']:>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--crawl", action="append", default=[], help="this crawl only; may be repeated [default: each crawl]")
    parser.add_argument("--agent", action="append", help="this crawler; may be repeated")
    parser.add_argument("--list", metavar="AGENT", help="list the hosts with a wrong answer for this crawler")
    options = parser.parse_args()
    agents = [options.list] if options.list else options.agent or AGENTS
    con = open_dataset(options.dataset)
    for_ai = ai_names(con)
    hosts = list(read_hosts(con, options.crawl, for_ai | {agent.lower() for agent in agents}))
    if options.list:
        name = options.list.lower()
        for host in hosts:
            is_blocked = name in host.blocked["exact"]
            wrong = [study for study in STUDIES if (name in host.blocked[study]) != is_blocked]
            if wrong:
                print(host.crawl, host.surt_host_name, "missed" if is_blocked else "invented", ", ".join(wrong), host.record, sep="\t")
        return
    for crawl in dict.fromkeys(host.crawl for host in hosts):
        units = [host for host in hosts if host.crawl == crawl]
        print(f"\n{crawl}, by host")
        print_rows(compare(units, agents, for_ai))
        print(f"\n{crawl}, by registered domain")
        print_rows(compare(merge_domains(units), agents, for_ai))


if __name__ == "__main__":
    main()
