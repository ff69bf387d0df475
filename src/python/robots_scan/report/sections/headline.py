"""The first section: the numbers that are cited most, and the AI crawlers that are blocked."""

from dataclasses import replace

from .. import evidence
from ..figure import Figure, Section, count, interval, plural, share
from ..study import ALL_AGENTS
from .crawlers import by_name, how_many
from .outcomes import CONDITIONS
from .shares import SHARES, bar_chart, columns_of, fill_concentration, one_domain, one_rule_set, said, share_row

# At most this many numbers are in large type, of at most three crawlers.
BIG_MAX, BIG_AGENTS_MAX = 5, 3
WITH_RULES = "robots.txt with rules"


def build(study):
    figure = headline(study)
    return Section("crawlers", "AI crawlers", [by_name(study), figure, how_many(study)], figure.rows and big_numbers(study, figure.rows))


def big_numbers(study, rows):
    """Returns the rows that are shown in large type."""
    def labelled(*starts):
        return [row for start in starts for row in rows if row["label"].startswith(start)]

    first = [f"block {agent.token} {agent.by_name()}" for agent in study.chosen[:BIG_AGENTS_MAX]]
    return labelled("block at least one", *first, f"block {study.agent.token} through *", "state that AI training", "have a", "answered 429")[:BIG_MAX]


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
    fill_concentration(study, figure.rows)
    figure.columns = columns_of(figure.rows, "hosts that", SHARES)
    figure.chart = bar_chart(f"Blocks and preferences of registered domains in {study.crawl}", figure.rows)
    figure.lead = lead(study, blocks[0], captured)
    figure.notes = [f"{agent.token}: {said(of_agent[0])}." for agent, of_agent in zip(study.chosen[1:], others)]
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
    source = replace(source, about="blocks of one crawler by name, through * and by status")
    figure.sources += [source] if source not in figure.sources else []
    blocks = []
    for row in (row for row in rows if row["hosts"]):
        for reason, label, condition in (
                ("blocked_by_name", f"block {agent} {about.by_name()}", evidence.BY_NAME),
                ("blocked_by_wildcard", f"block {agent} through *", evidence.BY_WILDCARD),
                ("blocked_by_status", "answered 429 or 5xx", evidence.BY_STATUS)):
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
    return [share_row(row, "state that AI training is disallowed", evidence.preferences("*", study.crawl, evidence.same_preference("p", row)))
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
    elif one_rule_set(row):
        sentence += f" Of these hosts, {share(row['largest_ruleset'])} have the same rules."
    if captured > row["of_hosts"]:
        sentence += f" Undecided and left out: {count(captured - row['of_hosts'])} of {plural(captured, 'captured host')}."
    return sentence
