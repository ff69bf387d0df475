"""Blocking over time as a history has it: over all hosts, and over the hosts that are decided in every crawl.

It takes the place of the section `time`, which a dataset answers. The question `trend` reads the shares of hosts that the history
stores. The other one has shares of registered domains, and reads every capture.
"""

from collections import Counter
from copy import copy

from .. import evidence
from ..chart import Chart
from ..dataset import literal
from ..figure import CaptureRecords, Column, Example, Figure, Section, Source, interval, plural, share
from ..study import LINES_MAX, registry_of
from .shares import columns_of, one_domain, one_rule_set, said_of_hosts
from .time import SAME_HOSTS_MIN, between, caution, ends, in_every_crawl, is_long, left_out_of, other_years, points

EXAMPLES_MAX = 3


def build(study):
    long = [crawl for crawl in study.crawls if is_long(study, crawl)]
    left_out = [*left_out_of(study, [], long), *other_years(study)]
    study = copy(study)
    study.crawls = [crawl for crawl in study.crawls if crawl not in long]
    known = [row["median_day"] for row in study.history.crawls if row["crawl"] in study.crawls and row["median_day"]]
    span = f" from {known[0]} to {known[-1]}" if known else ""
    section = Section("time", "Over time", [])
    about = [f"The history '{study.history.folder.resolve().name}' answers this section, with {plural(len(study.crawls), 'crawl')}{span}. A crawl is drawn at the median of "
             "its times of fetching, and a line connects all crawls, whichever hosts they captured. If all hosts and the hosts that are decided in every crawl differ, part of "
             "the change is a change of the sample. "
             f"{'' if study.drawn else 'The crawlers are ' + study.agent.token + ' and the AI crawlers that hosts of most registered domains of ' + study.crawls[-1] + ' block by name. '}"
             "A record is the capture of the host: if it is a redirect or a revisit, the line is in the record of another capture."]
    missing = too_few(study)
    agents = [] if missing else study.drawn or most_blocked(study)
    if missing or not agents:
        missing = missing or f"No robots.txt in {study.crawls[-1]} blocks an AI crawler of the registry by name. The option --agent names other crawlers."
        section.figures = [Figure("history", "Blocking by name over time", missing=" ".join([missing, *left_out]))]
    else:
        sql, answer = study.history.ask("hosts_decided_in_every_crawl", agent=[agent.token for agent in agents], crawls=study.chosen_crawls)
        same = Source("hosts_decided_in_every_crawl", sql, "shares of registered domains, and hosts that are decided in every crawl")
        section.figures = [all_hosts(study, agents, same, answer), same_hosts(study, agents, same, answer)]
        section.main.notes += about
        section.main.lead = " ".join([section.main.lead, *left_out])
    return section


def too_few(study):
    """Returns why there is no change over time, or None."""
    if len(study.crawls) >= 2:
        return None
    with_hosts = sum(row["hosts"] > 0 for row in study.history.crawls)
    if not with_hosts:
        return "The history has no crawl with hosts."
    if not study.crawls:
        return "No crawl of --crawls has hosts."
    if with_hosts > 1:
        return f"--crawls names one crawl with hosts, {study.crawls[0]}, and a change needs two."
    return f"The history has one crawl, {study.crawls[0]}, and a change needs two. `robots-scan history` adds crawls to it."


def most_blocked(study):
    """Returns the crawler of the report, and the AI crawlers that hosts of most registered domains block by name in the last crawl."""
    registry = registry_of(study.history)
    names = [row["agent"] for row in study.history.rows(f"SELECT a.agent FROM ({evidence.AI_AGENTS}) a(agent) ORDER BY a.agent")]
    _, rows = study.history.ask("trend", agent=names) if names else (None, [])
    of_last = [row for row in rows if row["crawl"] == study.crawls[-1] and row["domains_any"]]
    of_last.sort(key=lambda row: (-row["domains_any"], -row["blocked_by_name"], row["agent"]))
    # The first one is that of the report's first numbers.
    first = [study.agent.name] if of_last and study.agent.name in registry else []
    return [registry[name] for name in dict.fromkeys([*first, *(row["agent"] for row in of_last)])][:LINES_MAX]


def all_hosts(study, agents, same, domains):
    sql, answer = study.history.ask("trend", agent=[agent.token for agent in agents])
    figure = Figure("history-all-hosts", "Crawlers blocked by name over time, over all hosts", sources=[Source("trend", sql, "shares of hosts"), same], of_history=True)
    counts = study.history.counts(f"SELECT v.agent, v.crawl, v.hosts FROM shares v WHERE {evidence.BY_NAME}")
    figure.rows = rows_of(study, agents, answer, counts)
    of_domains = {(row["agent"], row["crawl"]): row["all_domains_blocked_by_name"] for row in domains}
    for row in figure.rows:
        row["domains_blocked_by_name"] = of_domains.get((row["agent"], row["crawl"]))
    if not figure.rows:
        return Figure(figure.key, figure.title, missing="No host has a known verdict for these crawlers.")
    decided = {row["series"] for row in figure.rows}
    agents = [agent for agent in agents if agent.token in decided]
    figure.columns = columns_of(figure.rows, "crawler and crawl", [
        Column("day", "median day"), Column("hosts", "of hosts", "count"), Column("counted", "hosts by name", "count"), Column("blocked_by_name", "by name", "share"),
        Column("blocked_by_wildcard", "through *", "share"), Column("blocked_by_status", "by 429 or 5xx", "share"),
        Column("domains_blocked_by_name", "domains by name", "share"), Column("domains_any", "domains_any", "count")], "by name")
    figure.chart = chart(study, figure.rows, "Registered domains and hosts that block crawlers by name, over all hosts of each crawl")
    finish(study, figure, agents, lambda agent: f"{evidence.BY_NAME} AND v.crawl IN ({', '.join(map(literal, study.crawls))})" if study.chosen_crawls else evidence.BY_NAME)
    first, last = ends_of(figure.rows, agents[0])
    figure.lead = f"{agents[0].token} is blocked {agents[0].by_name()} by {said(first)} in {first['crawl']}, and by {said(last)} in {last['crawl']}.{between(rows_of_agent(figure.rows, agents[0]))}"
    figure.notes = [*others(figure.rows, agents)]
    figure.warnings += [*caution(study), *fallbacks(agents)]
    return figure


def same_hosts(study, agents, same, answer):
    key, title = "history-same-hosts", "Crawlers blocked by name over time, over the hosts decided in every crawl"
    crawls = ", ".join(map(literal, study.crawls))
    captured = study.history.value(f"SELECT count(*) FROM (SELECT c.host_no FROM host_captures c WHERE c.crawl IN ({crawls}) GROUP BY c.host_no "
                                   f"HAVING count(*) = {len(study.crawls)})")
    said_captured = f"{plural(captured, 'host')} {'is' if captured == 1 else 'are'} captured in all {len(study.crawls)} crawls"
    decided = min((row["hosts"] for row in answer), default=0)
    if decided < SAME_HOSTS_MIN:
        but = f", of which {decided:,} are decided in each of them" if captured >= SAME_HOSTS_MIN else ""
        return Figure(key, title, missing=f"{said_captured}{but}, fewer than {SAME_HOSTS_MIN}, so the change among the same hosts is not drawn. The option --crawls A,B,C "
                      "restricts this section to crawls of the same hosts.")
    figure = Figure(key, title, sources=[same], of_history=True)
    counts = {(name, crawl): n for agent in agents for (name, crawl), n in study.history.counts(
        f"SELECT v.agent, v.crawl, count(*) FROM verdicts_for({literal(agent.token)}) v WHERE {evidence.BY_NAME} AND {in_every_crawl(study, agent)} GROUP BY ALL").items()}
    figure.rows = rows_of(study, agents, answer, counts)
    figure.columns = columns_of(figure.rows, "crawler and crawl", [
        Column("day", "median day"), Column("hosts", "decided in every crawl", "count"), Column("counted", "hosts by name", "count"),
        Column("blocked_by_name", "by name", "share"), Column("domains", "their domains", "count"), Column("domains_blocked_by_name", "domains by name", "share")], "by name")
    figure.chart = chart(study, figure.rows, f"Registered domains and hosts that block crawlers by name, over the hosts that are decided in each of {len(study.crawls)} crawls")
    finish(study, figure, agents, lambda agent: f"{evidence.BY_NAME} AND {in_every_crawl(study, agent)}")
    first, last = ends_of(figure.rows, agents[0])
    figure.notes = [f"{said_captured}.", *others(figure.rows, agents)]
    figure.lead = (
        f"Among the {plural(last['hosts'], 'host')} that are decided for {agents[0].token} in every crawl, {share(first['domains_blocked_by_name'])} of their "
        f"{plural(last['domains'], 'registered domain')} block it {agents[0].by_name()} in {first['crawl']}, and {share(last['domains_blocked_by_name'])} in {last['crawl']} "
        f"({share(first['blocked_by_name'])} and {share(last['blocked_by_name'])} of these hosts).{between(rows_of_agent(figure.rows, agents[0]))}")
    return figure


def rows_of(study, agents, answer, counts):
    """Returns a row for each crawler and crawl, with the hosts that block by name as `counted`. A crawl in which no host is decided has none."""
    found = {(row["agent"], row["crawl"]): row for row in answer if row["hosts"]}
    rows = []
    for agent in agents:
        for crawl in study.crawls:
            row = found.get((agent.name, crawl))
            if row:
                counted = counts.get((agent.name, crawl), 0)
                rows.append({**row, "label": f"{agent.token} in {crawl}", "series": agent.token, "day": study.day(crawl), "counted": counted,
                             "blocked_by_name": counted / row["hosts"]})
    return rows


def rows_of_agent(rows, agent):
    return [row for row in rows if row["series"] == agent.token]


def ends_of(rows, agent):
    """Returns the first and the last row of a crawler."""
    of_agent = rows_of_agent(rows, agent)
    return of_agent[0], of_agent[-1]


def said(row):
    return f"{share(row['domains_blocked_by_name'])} of registered domains ({said_of_hosts(row)}{interval(row)})"


def others(rows, agents):
    """Returns a sentence about the other crawlers in the last crawl."""
    last = [ends_of(rows, agent)[1] for agent in agents[1:]]
    shares = ", ".join(f"{row['series']} {share(row['domains_blocked_by_name'])}" for row in last)
    return [f"Shares of registered domains for the others in {last[0]['crawl']}: {shares}."] if last else []


def fallbacks(agents):
    """Returns a sentence about each crawler whose blocks by name include those of other crawlers."""
    return [f"A block of {agent.token} by name includes one by the name of its fallback {agent.fallbacks}." for agent in agents if agent.fallbacks]


def chart(study, rows, description):
    """Returns a line per crawler in each panel, or None if no crawl has a time."""
    drawn = [point for panel, column in (("registered domains", "domains_blocked_by_name"), ("hosts", "blocked_by_name")) for row in rows for point in points(
        study, row, panel, row["series"], row[column], row["counted"], described=f"{row['label']}: {share(row[column])} of {panel}",
        **(ends(row) if panel == "hosts" else {} if row.get("domains") else {"number": ""}), **({"domains": row["domains"]} if panel != "hosts" and row.get("domains") else {}))]
    return Chart("lines", description, drawn) if drawn else None


def finish(study, figure, agents, condition_of):
    """Adds the records of each crawler over all crawls, some of them as examples, and warnings about concentration."""
    for agent in agents:
        counted = sum(row["counted"] for row in figure.rows if row["series"] == agent.token)
        figure.more_records.append(CaptureRecords(f"{agent.token} by name in {plural(len(study.crawls), 'crawl')}", counted, evidence.captures(agent.token, condition_of(agent))))
    for sign, is_concentrated, what in (("▲", one_domain, "are in one registered domain"), ("■", one_rule_set, "have the same rules")):
        crawls = Counter(row["series"] for row in figure.rows if is_concentrated(row))
        if crawls:
            where = ", ".join(f"{series} in {plural(n, 'crawl')}" for series, n in crawls.items())
            figure.warnings.append(f"{sign} Half or more of the hosts counted {what}: {where}. See the numbers.")
    figure.example_of = next((records for records in figure.more_records if records.count), None)
    if figure.example_of:
        figure.examples = examples(study, figure.example_of)


def examples(study, records):
    """Returns some of the records whose captures have the lines, chosen by a hash with the seed, and of different registered domains."""
    order = f"md5(n.url_host_name || {literal(f'{study.seed} {records.label}')}), n.url_host_name, n.host_id"
    rows = study.history.rows(f"""
        WITH n AS (
            SELECT n.* FROM ({records.hosts}) n JOIN hosts h ON h.host_id = n.host_id AND h.n_redirects = 0
            ORDER BY row_number() OVER (PARTITION BY n.domain ORDER BY {order}), {order} LIMIT {EXAMPLES_MAX})
        SELECT n.crawl, n.url_host_name, h.surt_host_name, h.url, n.line_no, a.warc_filename, c.warc_record_offset
        FROM n
        JOIN hosts h ON h.host_id = n.host_id
        JOIN host_captures c ON c.capture_no = n.host_id
        JOIN archives a ON a.crawl = c.crawl AND a.archive_no = c.archive_no
        ORDER BY {order}""")
    return [Example(row["url_host_name"], row["url"], row["line_no"], line_of(study, row), row["warc_filename"], row["warc_record_offset"], None) for row in rows]


def line_of(study, row):
    """Returns the text of the line that decides, or None."""
    line = None
    for macro, value in (("rules_at", "path_raw"), ("groups_at", "agent_raw")):
        for found in study.history.rows(f"SELECT line_text(l.key_raw, l.has_colon, l.{value}) AS line FROM {macro}({literal(row['surt_host_name'])}, {literal(row['crawl'])}) l "
                                        f"WHERE l.line_no = {literal(row['line_no'])}"):
            line = line or found["line"]
    return line
