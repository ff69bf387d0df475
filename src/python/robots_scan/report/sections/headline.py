"""The first section: the numbers that are cited most, and the AI crawlers that are blocked."""

from dataclasses import replace

from .. import evidence
from ..dataset import literal
from ..figure import Figure, Section, count, interval, plural, share
from ..study import ALL_AGENTS
from .crawlers import by_name, how_many
from .outcomes import CONDITIONS, only_successful
from .shares import HOSTS_MIN, SHARES, bar_chart, columns_of, concentration, fill_concentration, name_rules, one_domain, said, said_of_hosts, same_rules, share_row

# At most this many numbers are in large type, of at most three crawlers.
BIG_MAX, BIG_AGENTS_MAX = 5, 3
WITH_RULES = "robots.txt with rules"
BY_STATUS = "answered 429 or 5xx"
# A domain is named if it has this share of the hosts counted, and the shares of hosts and of domains differ by this much.
NAMED_DOMAIN, APART = 0.25, 0.05
# Classes of responses in few words.
SHORT = {"notfound": "not found", "unauthorized": "401", "forbidden": "403", "defer_visits": "429 or 5xx", "redirect": "not known (redirects)", "other": "other status",
         "not a robots.txt": "HTML instead", "robots.txt without rules": "without rules"}
# The crawler for which the page says whether hosts let it in that block others.
SEARCH_ENGINE = "Googlebot"


def build(study):
    figure = headline(study)
    return Section("crawlers", "AI crawlers", [by_name(study), figure, how_many(study)], [big_number(study, row) for row in figure.rows and big_numbers(study, figure.rows)])


def big_numbers(study, rows):
    """Returns the rows that are shown in large type."""
    def labelled(*starts):
        return [row for start in starts for row in rows if row["label"].startswith(start)]

    first = [f"block {agent.token} {agent.by_name()}" for agent in study.chosen[:BIG_AGENTS_MAX]]
    return labelled("block at least one", *first, f"block {study.agent.token} through *", "with a 2xx response state", "have a", BY_STATUS)[:BIG_MAX]


def big_number(study, row):
    """Returns a row with its words in large type (`big`), and what must be beside the number (`beside`)."""
    big, beside = row["label"], [f"◆ {said_of_hosts(row)}{concentration(row)}"]
    hosts = row["records"].hosts
    if big.startswith("block at least one"):
        beside.append(f"at least one by name, through * or by a 429 or 5xx: {share(on_any_ground(study, row))}")
    elif big.endswith(" through *"):
        big = f"{big.removesuffix(' through *')} through the rules for crawlers that a file does not name (*)"
        if row["counted"] and not any(agent.token == SEARCH_ENGINE for agent in study.chosen):
            let_in = (f"SELECT g.host_id FROM verdicts_for({literal(SEARCH_ENGINE)}, crawl := {literal(study.crawl)}) g WHERE g.verdict IN ('allow_all', 'partial')")
            others_in = (f"SELECT o.host_id FROM host_verdicts o WHERE o.crawl = {literal(study.crawl)} AND o.basis = 'explicit' AND o.verdict IN ('allow_all', 'partial') "
                         f"AND o.agent <> {literal(SEARCH_ENGINE.lower())}")
            by_name, search, another = (count(study.count(f"{hosts} AND v.host_id IN ({query})")) for query in (f"{let_in} UNION {others_in}", let_in, others_in))
            beside.append(f"{by_name} of the {plural(row['counted'], 'host')} let a crawler in by its name: {search} {SEARCH_ENGINE}, {another} another")
    elif big.startswith("block "):
        beside.append(f"this page was made for {study.agent.token if len(study.chosen) == 1 else row['label'].split()[1]}")
    elif big == BY_STATUS:
        big = f"{big}, so no crawler may fetch for now"
    elif big.endswith(WITH_RULES):
        beside.append(others(study))
    if row["counted"] >= HOSTS_MIN and not one_domain(row) and (row.get("largest_domain") or 0) >= NAMED_DOMAIN and abs(row["share"] - row["share_of_domains"]) >= APART:
        beside[0] += f"; {share(row['largest_domain'])} of these in {study.largest_domain(hosts)['domain']}"
    return {**row, "big": big, "beside": beside}


def on_any_ground(study, row):
    """Returns the share of registered domains that block an AI crawler by name, through `*`, by the group of a fallback or by status.

    A host that blocks `*` blocks the AI crawlers that it does not name, which are never all of them.
    """
    crawl = literal(study.crawl)
    named = f"SELECT v.host_id FROM host_verdicts v WHERE v.crawl = {crawl} AND "
    blocks = [f"{named}{evidence.OWN_BLOCK} AND v.agent IN ({evidence.AI_AGENTS})"]
    for agent in (study.agents[row["agent"]] for row in study.dataset.rows(f"SELECT a.agent FROM ({evidence.AI_AGENTS}) a(agent)")):
        if agent.fallbacks:
            obeyed = literal(agent.fallbacks.lower().split(", "))
            blocks.append(f"{named}{evidence.OWN_BLOCK} AND v.agent IN (SELECT unnest({obeyed})) EXCEPT {named}v.basis = 'explicit' AND v.agent = {literal(agent.name)}")
    domains = study.dataset.value(f"""
        SELECT sum(1 / coalesce(u.n, 1)) FROM hosts_with('decided', crawl := {crawl}) h
        LEFT JOIN units_of('decided', crawl := {crawl}) u ON u.part = 'domain' AND u.unit = h.domain_id
        WHERE h.wildcard_verdict = 'disallow_all' OR h.host_id IN ({' UNION ALL '.join(f'({query})' for query in blocks)})""")
    return round((domains or 0) / row["of_domains"], 6)


def others(study):
    """Returns the largest classes of responses without rules, or that the crawl has no others than those with the status 200."""
    if only_successful(study):
        return "the crawl holds only responses with the status 200"
    _, rows = study.ask("outcome_funnel", crawl=study.crawl)
    largest = sorted((row for row in rows if row["outcome"] != WITH_RULES), key=lambda row: -row["share_of_domains"])[:4]
    return f"others: {', '.join(SHORT.get(row['outcome'], row['outcome']) + ' ' + share(row['share_of_domains']) for row in largest)}"


def headline(study):
    figure = Figure("headline", "Blocks and preferences")
    captured = next((row["hosts"] for row in study.dataset.crawls if row["crawl"] == study.crawl), 0)
    if not captured:
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a capture of /robots.txt, so there is nothing to count."
        return figure
    any_ai = any_ai_crawler(study, figure)
    blocks, *others = [one_crawler(study, figure, agent) for agent in study.chosen]
    if not blocks:
        figure.missing = f"In {study.crawl}, no host has a known verdict, of {plural(captured, 'captured host')}."
        return figure
    # Blocks by status are those of all crawlers.
    others = [of_agent[:2] for of_agent in others]
    figure.rows = [*any_ai, *blocks[:2], *(row for of_agent in others for row in of_agent), *blocks[2:], *training_disallowed(study, figure), *with_rules(study, figure)]
    if only_successful(study):
        # A status that the crawl does not hold is no share of 0 %.
        figure.rows = [row for row in figure.rows if row["label"] != BY_STATUS]
        figure.notes.append("The crawl holds only responses with the status 200.")
    fill_concentration(study, figure.rows)
    name_rules(study, figure.rows)
    figure.columns = columns_of(figure.rows, "hosts that", SHARES)
    figure.chart = bar_chart(f"Blocks and preferences of registered domains in {study.crawl}", figure.rows)
    figure.lead = lead(study, blocks[0], captured)
    figure.notes += [f"{agent.token}: {said(of_agent[0])}." for agent, of_agent in zip(study.chosen[1:], others)]
    figure.example_of = blocks[0]["records"] if blocks[0]["counted"] else None
    return figure


def any_ai_crawler(study, figure):
    source, rows = study.ask("blocking_by_category", crawl=study.crawl)
    figure.sources.append(replace(source, about="at least one AI crawler, by its own name"))
    return [share_row(row, "block at least one AI crawler by name", evidence.blocked(evidence.AI_AGENTS, study.crawl))
            for row in rows if row["category"] == "(any ai)"]


def one_crawler(study, figure, about):
    """Returns the rows about one crawler: blocks by name, through * and by status."""
    agent, crawl = about.token, study.crawl
    # This question is asked in any case, and has the AI crawlers that files name.
    source, answer = study.ask("blocking_by_agent", crawl=crawl, top=ALL_AGENTS)
    rows = [row for row in answer if row["agent"] == about.name]
    if not rows:
        source, rows = study.ask("share_of_hosts_blocking", agent=agent, crawl=crawl)
    source = replace(source, about="blocks of one crawler by name, through * and by 429 or 5xx")
    figure.sources += [source] if source not in figure.sources else []
    blocks = []
    for row in (row for row in rows if row["hosts"]):
        for reason, label, condition in (
                ("blocked_by_name", f"block {agent} {about.by_name()}", evidence.BY_NAME),
                ("blocked_by_wildcard", f"block {agent} through *", evidence.BY_WILDCARD),
                ("blocked_by_status", BY_STATUS, evidence.BY_STATUS)):
            about_name = ("largest_domain", "largest_ruleset", "low", "high") if reason == "blocked_by_name" else ()
            hosts = evidence.verdicts(agent, crawl, condition)
            blocks.append(share_row({
                "hosts": study.count(hosts), "of_hosts": row["hosts"], "of_domains": row["domains"], "share_of_domains": row["domains_" + reason],
                **{name: row[name] for name in about_name}}, label, hosts))
    return blocks


def training_disallowed(study, figure):
    """A row for hosts that state, for all crawlers and on all paths that they may fetch, that training is disallowed, by Content-Usage or Content-Signal."""
    source, rows = study.ask("effective_preferences", crawl=study.crawl)
    figure.sources.append(replace(source, about="AI training, stated for all crawlers"))
    return [share_row(row, "with a 2xx response state that AI training is disallowed", evidence.preferences("*", study.crawl, evidence.same_preference("p", row)))
            for row in rows if row["category"] == "training" and row["preference"] == "disallow_all"]


def with_rules(study, figure):
    source, rows = study.ask("outcome_funnel", crawl=study.crawl)
    figure.sources.append(replace(source, about="robots.txt files with rules"))
    return [share_row({**row, "largest_ruleset": None}, f"have a {WITH_RULES}", evidence.hosts("captured", study.crawl, CONDITIONS[WITH_RULES]))
            for row in rows if row["outcome"] == WITH_RULES]


def lead(study, row, captured):
    """Returns the sentence to cite, which does not hide that one domain or one rule set dominates."""
    sentence = (f"In {study.crawl}, {share(row['share_of_domains'])} of {plural(row['of_domains'], 'registered domain')} block {study.agent.token} "
                f"{study.agent.by_name()}, if each domain counts once. Of hosts, it is {share(row['share'])}{interval(row)}: {count(row['hosts'])} of "
                f"{plural(row['of_hosts'], 'host')} with a known verdict.")
    if one_domain(row):
        sentence += f" Of these hosts, {share(row['largest_domain'])} are in one registered domain."
    elif same_rules(row):
        sentence += f" Of these, {same_rules(row)}."
    if captured > row["of_hosts"]:
        sentence += f" Undecided and left out: {count(captured - row['of_hosts'])} of {plural(captured, 'captured host')}."
    return sentence
