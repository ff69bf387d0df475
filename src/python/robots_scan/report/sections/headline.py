"""The first section: the figures that are cited most."""

from dataclasses import replace

from .. import evidence
from ..figure import Column, Figure, Records, Section, count, interval, plural, share
from .shares import SHARES, bar_chart, columns_of, fill_concentration, one_domain, one_rule_set, said, share_row


MECHANISMS = {"content-signal": "Content-Signal", "content-usage": "Content-Usage"}


def build(study):
    return Section("headline", "Headline figures", "", [headline(study), denominators(study)])


def headline(study):
    figure = Figure("headline", f"Blocks and preferences in {study.crawl}")
    if not any(row["hosts"] for row in study.dataset.crawls if row["crawl"] == study.crawl):
        figure.missing = f"{study.crawl or 'The dataset'} has no host with a capture of /robots.txt, so there is nothing to count."
        return figure
    any_ai = any_ai_crawler(study, figure)
    (blocks, undecided), *others = [one_crawler(study, figure, agent) for agent in study.chosen]
    # Blocks by status and undecided hosts are those of all crawlers.
    others = [of_agent[:2] for of_agent, _ in others]
    training = training_disallowed(study, figure)
    figure.rows = [*any_ai, *blocks[:2], *(row for of_agent in others for row in of_agent), *blocks[2:], *training, *undecided]
    fill_concentration(study, figure.rows)
    figure.columns = columns_of(figure.rows, "hosts that", SHARES)
    figure.chart = bar_chart(f"Shares of registered domains and of hosts in {study.crawl}", figure.rows, has_denominators=True)
    if blocks:
        figure.lead = lead(study, blocks[0], undecided[0] if undecided else None)
        figure.lead += "".join(f" {agent.token}: {said(of_agent[0])}." for agent, of_agent in zip(study.chosen[1:], others))
        figure.example_of = blocks[0]["records"] if blocks[0]["counted"] else None
    elif undecided:
        figure.lead = f"In {study.crawl}, no host has a known verdict, of {plural(undecided[0]['of_hosts'], 'captured host')}."
    return figure


def any_ai_crawler(study, figure):
    source, rows = study.ask("blocking_by_category", crawl=study.crawl)
    figure.sources.append(replace(source, about="at least one AI crawler, by its own name"))
    return [share_row(row, "block at least one AI crawler by its own name", evidence.blocked(evidence.AI_AGENTS, study.crawl))
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


def denominators(study):
    """What was counted, of every crawl: a table without a chart."""
    source, rows = study.ask("denominators")
    figure = Figure("denominators", "What was counted", sources=[source])
    if not rows:
        figure.missing = "The dataset has no captures."
        return figure
    for row in rows:
        figure.rows.append({
            **row, "label": row["crawl"], "hosts": row["hosts"] or 0, "counted": row["hosts"] or 0,
            "first_day": row["first_capture"] and row["first_capture"].date().isoformat(),
            "last_day": row["last_capture"] and row["last_capture"].date().isoformat(),
            "records": Records(row["crawl"], row["hosts"] or 0, evidence.hosts("captured", row["crawl"]))})
    figure.columns = [
        Column("label", "crawl"), Column("first_day", "first capture"), Column("last_day", "last capture"), Column("archives_read", "archives", "count"),
        Column("captures", "captures", "count"), Column("hosts", "hosts", "count"), Column("hosts_with_rules", "with rules", "count"),
        Column("hosts_decided", "decided", "count"), Column("domains", "registered domains", "count")]
    figure.lead = (f"The dataset has {plural(sum(row['captures'] for row in rows), 'capture')} in {plural(len(rows), 'crawl')}. Every share on this page names its "
                   "denominator, which is one of these numbers or a part of it.")
    samples = [row["crawl"] for row in rows if row["is_sample"]]
    if samples:
        figure.lead += (f" The archives of {', '.join(samples)} are a random sample, so shares have a 95 % interval if at least five archives were drawn.")
    return figure
