"""Blocking by label, rank, top-level domain and content delivery network of hosts."""

from .. import evidence
from ..dataset import literal
from ..figure import Figure, Section, count, plural, share
from ..study import ROWS_MAX
from ..words import words
from .shares import BLOCKING, FEW, bar_chart, blocking_row, columns_of, in_order, is_few, name_rules, other_order, ranked, said

# The hosts of no known network: their responses have no header by which one is recognized.
NO_HINT = "no hint in the headers"


def build(study):
    # Lists of the reader come first.
    breakdowns = [*([by_label] if study.labels else []), *([by_rank] if study.ranks else []), by_tld, by_network]
    return Section("hosts", "Kinds of hosts", [breakdown(study, agent) for breakdown in breakdowns for agent in study.chosen])


def by_tld(study, agent):
    source, rows = study.ask("blocking_by_tld", agent=agent.token, crawl=study.crawl, min_hosts=FEW)
    figure = Figure(study.key("tlds", agent), f"{agent.token} blocked by top-level domain", sources=[source])
    counts = study.counts_of_hosts(evidence.verdicts(agent.token, study.crawl, evidence.BY_NAME, "v.url_host_tld"), "url_host_tld")
    rows = [row for row in rows if row["hosts"]]
    for row in largest(rows):
        figure.rows.append(blocking_row(row, row["url_host_tld"] or "(none)", counts.get(row["url_host_tld"], 0), by_name(
            study, agent, evidence.same("v.url_host_tld", row["url_host_tld"]))))
    return finish(study, agent, figure, "top-level domain", rows, f"No top-level domain has {FEW} hosts with a known verdict.")


def by_network(study, agent):
    source, rows = study.ask("blocking_by_software", kind="firewall", agent=agent.token, crawl=study.crawl, min_hosts=FEW)
    figure = Figure(study.key("networks", agent), f"{agent.token} blocked by content delivery network or firewall", sources=[source])
    counts = study.counts_of_hosts(evidence.verdicts_of_files(agent.token, study.crawl, evidence.BY_NAME), "waf_hint")
    rows = [row for row in rows if row["hosts"]]
    for row in largest(rows):
        figure.rows.append(blocking_row(row, words(row["software"]) if row["software"] else NO_HINT, counts.get(row["software"], 0), evidence.verdicts_of_files(
            agent.token, study.crawl, f"{evidence.BY_NAME} AND {evidence.same('r.waf_hint', row['software'])}")))
    return finish(study, agent, figure, "network", rows, f"No network has {FEW} hosts with a known verdict.")


def by_rank(study, agent):
    source, rows = study.ask("blocking_by_rank", list=study.ranks, agent=agent.token, crawl=study.crawl)
    figure = Figure(study.key("ranks", agent), f"{agent.token} blocked by rank", sources=[source])
    rows = [row for row in rows if row["hosts"]]
    for row in rows:
        # Classes are powers of ten, of which the first one begins at rank 1.
        first = 1 if row["up_to_rank"] == 1000 else row["up_to_rank"] // 10 + 1
        hosts = by_name(study, agent, f"v.surt_host_name IN (SELECT r.surt_host_name FROM ranked_hosts({literal(study.ranks)}) r GROUP BY r.surt_host_name "
                               f"HAVING min(r.rank) BETWEEN {literal(first)} AND {literal(row['up_to_rank'])})")
        figure.rows.append(blocking_row(row, f"{count(first)} to {count(row['up_to_rank'])}", study.count(hosts), hosts))
    return finish(study, agent, figure, "ranks", rows, "No host with a known verdict is in the list.")


def by_label(study, agent):
    source, rows = study.ask("blocking_by_label", labels=study.labels, agent=agent.token, crawl=study.crawl)
    figure = Figure(study.key("labels", agent), f"{agent.token} blocked by label", sources=[source])
    # The mean over labels has no hosts of its own.
    weighted = next((row for row in rows if row["hosts"] is None and row["blocked_by_name"] is not None), None)
    rows = [row for row in rows if row["hosts"]]
    for row in largest(rows):
        labelled = f"SELECT x.{{}} FROM labelled_hosts({literal(study.labels)}) x WHERE x.label = {literal(row['label'])} AND "
        hosts = by_name(study, agent, f"(v.surt_host_name IN ({labelled.format('surt_host_name')}NOT x.is_domain) OR "
                               f"v.url_host_registered_domain IN ({labelled.format('name')}x.is_domain))")
        figure.rows.append(blocking_row(row, row["label"], study.count(hosts), hosts))
    figure = finish(study, agent, figure, "label", rows, "No host with a known verdict has a label.")
    if weighted and not figure.missing:
        figure.notes.append(f"The mean of the labels with the weights of the list is {share(weighted['domains_blocked_by_name'])} of registered "
                            f"domains and {share(weighted['blocked_by_name'])} of hosts.")
    return figure


def by_name(study, agent, condition):
    return evidence.verdicts(agent.token, study.crawl, f"{evidence.BY_NAME} AND {condition}")


def largest(rows):
    """Returns the rows with the most registered domains."""
    return sorted(rows, key=lambda row: (-row["domains"], -row["hosts"]))[:ROWS_MAX]


def finish(study, agent, figure, header, rows, missing):
    """Draws a figure of blocks by name, and describes it. Rows in which few hosts block are in the table only, and nothing is said to be the largest of them."""
    if not figure.rows:
        figure.missing = missing
        return figure
    name_rules(study, figure.rows)
    drawn = figure.rows
    if header != "ranks":
        figure.rows = in_order(figure.rows)
        drawn = [row for row in figure.rows if not is_few(row)]
    figure.columns = columns_of(figure.rows, header, BLOCKING, "by name")
    figure.chart = bar_chart(f"Registered domains that block {agent.token} by name, by {header}, in {study.crawl}", drawn)
    # Hosts of no top-level domain, and of no known network, are no kind.
    kinds = [row for row in figure.rows if not row["label"].startswith("(") and row["label"] != NO_HINT]
    named = [row for row in kinds if not is_few(row)]
    of_kinds = plural(len(kinds), header) if header != "ranks" else f"{len(kinds)} classes of ranks"
    if len(rows) > len(figure.rows):
        of_kinds = f"the {of_kinds} with most hosts"
    block = f"{FEW} hosts and {FEW} registered domains block {agent.token} {agent.by_name()}"
    if len(figure.rows) == 1:
        figure.lead = f"{figure.rows[0]['label']}, the only row: {agent.token} is blocked {agent.by_name()} by {said(figure.rows[0])}."
        return figure
    if not named:
        figure.lead = f"Not ranked: {of_kinds}. In none do {block}."
        return figure
    most = ranked(named)[0]
    if len(named) == 1:
        figure.lead = f"Only in {most['label']}, of {of_kinds}, do {block}: {said(most)}."
    else:
        figure.lead = f"Of {of_kinds}, {len(named)} are ranked. The share that blocks {agent.token} {agent.by_name()} is largest in {most['label']}: {said(most)}."
    figure.warnings = other_order(named)
    if len(drawn) < len(figure.rows):
        figure.notes.append(f"{plural(len(figure.rows) - len(drawn), 'row')} in the table only: fewer than {FEW} hosts or registered domains block it there.")
    return figure
