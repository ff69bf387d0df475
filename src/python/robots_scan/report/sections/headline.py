"""The first section: the numbers that are cited most, and the AI crawlers that are blocked."""

from dataclasses import replace

from .. import evidence
from ..figure import Figure, Section, count, interval, plural, share
from .crawlers import by_name, how_many
from .outcomes import CONDITIONS
from .shares import SHARES, bar_chart, columns_of, fill_concentration, one_domain, one_rule_set, said, share_row

# At most this many numbers are in large type, of at most three crawlers.
BIG_MAX, BIG_AGENTS_MAX = 5, 3
WITH_RULES = "robots.txt with rules"
MECHANISMS = {"content-signal": "Content-Signal", "content-usage": "Content-Usage"}


def build(study):
    figure = headline(study)
    return Section("crawlers", "AI crawlers", [by_name(study), figure, how_many(study)], figure.rows and big_numbers(study, figure.rows))


def big_numbers(study, rows):
    """Returns the rows that are shown in large type."""
    def labelled(*starts):
        return [row for start in starts for row in rows if row["label"].startswith(start)]

    first = [f"block {agent.token} {agent.by_name()}" for agent in study.chosen[:BIG_AGENTS_MAX]]
    return labelled("block at least one", *first, f"block {study.agent.token} through *", "disallow AI training", "have a", "block all", "are undecided")[:BIG_MAX]


def headline(study):
    figure = Figure("headline", "Blocks and preferences")
    if not any(row["hosts"] for row in study.dataset.crawls if row["crawl"] == study.crawl):
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a capture of /robots.txt, so there is nothing to count."
        return figure
    any_ai = any_ai_crawler(study, figure)
    (blocks, undecided), *others = [one_crawler(study, figure, agent) for agent in study.chosen]
    # Blocks by status and undecided hosts are those of all crawlers.
    others = [of_agent[:2] for of_agent, _ in others]
    training = training_disallowed(study, figure)
    figure.rows = [*any_ai, *blocks[:2], *(row for of_agent in others for row in of_agent), *blocks[2:], *training, *with_rules(study, figure), *undecided]
    fill_concentration(study, figure.rows)
    figure.columns = columns_of(figure.rows, "hosts that", SHARES)
    figure.chart = bar_chart(f"Blocks and preferences of registered domains in {study.crawl}", figure.rows)
    if blocks:
        figure.lead = lead(study, blocks[0], undecided[0] if undecided else None)
        figure.notes = [f"{agent.token}: {said(of_agent[0])}." for agent, of_agent in zip(study.chosen[1:], others)]
        figure.example_of = blocks[0]["records"] if blocks[0]["counted"] else None
    elif undecided:
        figure.lead = f"In {study.crawl}, no host has a known verdict, of {plural(undecided[0]['of_hosts'], 'captured host')}."
    return figure


def any_ai_crawler(study, figure):
    source, rows = study.ask("blocking_by_category", crawl=study.crawl)
    figure.sources.append(replace(source, about="at least one AI crawler, by its own name"))
    return [share_row(row, "block at least one AI crawler by name", evidence.blocked(evidence.AI_AGENTS, study.crawl))
            for row in rows if row["category"] == "(any ai)"]


def one_crawler(study, figure, about):
    """Returns the rows about one crawler, and that of undecided hosts."""
    agent, crawl = about.token, study.crawl
    shares_source, shares = study.ask("share_of_hosts_blocking", agent=agent, crawl=crawl)
    access_source, access = study.ask("access_in_three", agent=agent, crawl=crawl)
    figure.sources += [replace(shares_source, about=f"shares that block {agent}, and all crawlers by status"),
                       replace(access_source, about="numbers of these hosts, and undecided hosts")]
    disallowed = next((row for row in access if row["access"] == "disallow"), {})
    blocks = []
    for row in (row for row in shares if row["hosts"]):
        for reason, label, condition, counted in (
                ("blocked_by_name", f"block {agent} {about.by_name()}", evidence.BY_NAME, "by_name"),
                ("blocked_by_wildcard", f"block {agent} through *", evidence.BY_WILDCARD, "by_wildcard"),
                ("blocked_by_status", "block all crawlers by status", evidence.BY_STATUS, "by_status")):
            about_name = ("largest_domain", "largest_ruleset", "low", "high") if reason == "blocked_by_name" else ()
            blocks.append(share_row({
                "hosts": disallowed.get(counted, 0), "of_hosts": row["hosts"], "of_domains": row["domains"], "share_of_domains": row["domains_" + reason],
                **{name: row[name] for name in about_name}}, label, evidence.verdicts(agent, crawl, condition)))
    undecided = [share_row({**row, "largest_ruleset": None}, "are undecided", evidence.verdicts(agent, crawl, "v.verdict = 'unknown'"))
                 for row in access if row["access"] == "unknown"]
    return blocks, undecided


def training_disallowed(study, figure):
    """A row for each mechanism by which hosts state that training is disallowed, for all crawlers and on all paths that they may fetch."""
    if not study.has_preferences():
        return []
    source, rows = study.ask("effective_preferences", crawl=study.crawl)
    figure.sources.append(replace(source, about="AI training, stated for all crawlers"))
    return [share_row(row, f"disallow AI training by {MECHANISMS[row['mechanism']]}", evidence.preferences("*", study.crawl, evidence.same_preference("p", row)))
            for row in rows if row["category"] in ("ai-train", "train-ai") and row["preference"] == "disallow_all"]


def with_rules(study, figure):
    source, rows = study.ask("outcome_funnel", crawl=study.crawl)
    figure.sources.append(replace(source, about="robots.txt files with rules"))
    return [share_row({**row, "largest_ruleset": None}, f"have a {WITH_RULES}", evidence.hosts("captured", study.crawl, CONDITIONS[WITH_RULES]))
            for row in rows if row["outcome"] == WITH_RULES]


def lead(study, row, undecided):
    """Returns the sentence to cite, which does not hide that one domain or one rule set dominates."""
    sentence = (f"In {study.crawl}, {share(row['share_of_domains'])} of {plural(row['of_domains'], 'registered domain')} block {study.agent.token} "
                f"{study.agent.by_name()}, if each domain counts once. Of hosts, it is {share(row['share'])}{interval(row)}: {count(row['hosts'])} of "
                f"{plural(row['of_hosts'], 'host')} with a known verdict.")
    if one_domain(row):
        sentence += f" Of these hosts, {share(row['largest_domain'])} are in one registered domain."
    elif one_rule_set(row):
        sentence += f" Of these hosts, {share(row['largest_ruleset'])} have the same rules."
    if undecided:
        sentence += f" Undecided and left out: {count(undecided['hosts'])} of {plural(undecided['of_hosts'], 'captured host')}."
    return sentence
