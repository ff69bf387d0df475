"""The first section: the figures that are cited most."""

from dataclasses import replace

from .. import evidence
from ..figure import Column, Figure, Records, Section, count, interval, plural, share
from ..chart import Chart
from .shares import SHARES, columns_of, fill_concentration, marks, one_domain, one_rule_set

TRAINING = "('ai-train', 'train-ai')"


def build(study):
    return Section("headline", "Headline figures", "", [headline(study), denominators(study)])


def headline(study):
    crawl, agent = study.crawl, study.agent
    figure = Figure("headline", f"Blocks and preferences in {crawl}")
    if not any(row["hosts"] for row in study.dataset.crawls if row["crawl"] == crawl):
        figure.missing = f"{crawl or 'The dataset'} has no host with a capture of /robots.txt, so there is nothing to count."
        return figure
    categories, by_category = study.ask("blocking_by_category", crawl=crawl)
    blocking, shares = study.ask("share_of_hosts_blocking", agent=agent, crawl=crawl)
    access, by_access = study.ask("access_in_three", agent=agent, crawl=crawl)
    preferences, by_purpose = study.ask("effective_preferences", crawl=crawl)
    figure.sources = [replace(source, about=about) for source, about in (
        (categories, "at least one AI crawler"), (blocking, f"shares that block {agent}, and all crawlers by status"),
        (access, "their numbers of hosts, and undecided hosts"), (preferences, "AI training"))]

    for row in by_category:
        if row["category"] == "(any ai)":
            figure.rows.append({**row, "figure": "block at least one AI crawler by name"})
            figure.records.append(Records(figure.rows[-1]["figure"], row["hosts"], evidence.named(evidence.AI_AGENTS, crawl, "disallow_all")))
    disallowed = next((row for row in by_access if row["access"] == "disallow"), {})
    for row in shares:
        for reason, name, condition, counted in (
                ("blocked_by_name", f"block {agent} by name", evidence.BY_NAME, "by_name"),
                ("blocked_by_wildcard", f"block {agent} through *", evidence.BY_WILDCARD, "by_wildcard"),
                ("blocked_by_status", "block all crawlers by status", evidence.BY_STATUS, "by_status")):
            is_name = reason == "blocked_by_name"
            figure.rows.append({
                "figure": name, "hosts": disallowed.get(counted, 0), "of_hosts": row["hosts"], "share": row[reason], "domains": None,
                "of_domains": row["domains"], "share_of_domains": row["domains_" + reason],
                **({key: row[key] for key in ("largest_domain", "largest_ruleset", "low", "high")} if is_name else {})})
            figure.records.append(Records(name, disallowed.get(counted, 0), evidence.verdicts(agent, crawl, condition)))
    for row in by_purpose:
        if (row["purpose"], row["preference"]) == ("training", "disallowed"):
            figure.rows.append({**row, "figure": "state that AI training is disallowed"})
            figure.records.append(Records(figure.rows[-1]["figure"], row["hosts"], training_disallowed(crawl)))
    for row in by_access:
        if row["access"] == "unknown":
            figure.rows.append({**row, "figure": "are undecided", "largest_ruleset": None})
            figure.records.append(Records("are undecided", row["hosts"], evidence.verdicts(agent, crawl, "v.verdict = 'unknown'")))
    figure.columns = columns_of(figure.rows, [Column("figure", "of the hosts"), *SHARES])
    fill_concentration(study, figure)
    figure.chart = Chart("bars", f"Shares of hosts and of registered domains in {crawl}", [{
        "label": row["figure"], "hosts": row["share"], "domains": row["share_of_domains"], "low": row.get("low"), "high": row.get("high"),
        "text": f"{share(row['share'])} · ◆ {share(row['share_of_domains'])}{marks(row)}",
        "described": f"{share(row['share'])} of {count(row['of_hosts'])} hosts, and {share(row['share_of_domains'])} of "
                     f"{count(row['of_domains'])} registered domains, {row['figure']}"} for row in figure.rows])
    figure.example_of = next((i for i, records in enumerate(figure.records) if records.label == f"block {agent} by name" and records.count), 0)
    by_name = next((row for row in figure.rows if row["figure"] == f"block {agent} by name"), None)
    undecided = next((row for row in by_access if row["access"] == "unknown"), None)
    figure.lead = lead(agent, crawl, by_name, undecided) if by_name else ""
    return figure


def lead(agent, crawl, row, undecided):
    """Returns the sentence to cite, which does not hide that one domain or one rule set dominates."""
    sentence = (f"In {crawl}, {count(row['hosts'])} of {plural(row['of_hosts'], 'host')} with a known verdict block {agent} by name: {share(row['share'])} of "
                f"hosts{interval(row)}, and {share(row['share_of_domains'])} of {plural(row['of_domains'], 'registered domain')}, if each domain counts once.")
    if one_domain(row):
        sentence += f" Of these hosts, {share(row['largest_domain'])} belong to one registered domain."
    elif one_rule_set(row):
        sentence += f" Of these hosts, {share(row['largest_ruleset'])} have the same rules."
    if undecided:
        sentence += f" {count(undecided['hosts'])} of {plural(undecided['of_hosts'], 'captured host')} are undecided and left out."
    return sentence


def training_disallowed(crawl):
    """Hosts with a valid statement for the whole site that disallows training."""
    return evidence.lines(
        f"(SELECT p.* FROM preferences p LEFT JOIN (SELECT DISTINCT g.crawl, g.robots_id, g.group_no FROM groups g WHERE g.agent = '*') g "
        f"ON g.crawl = p.crawl AND g.robots_id = p.robots_id AND g.group_no = p.group_no "
        f"WHERE p.is_valid AND NOT p.allow AND p.pref_key IN {TRAINING} AND (p.group_no IS NULL OR g.group_no IS NOT NULL) "
        f"AND (p.path IS NULL OR p.path IN ('', '/', '/*')))", crawl, "true")


def denominators(study):
    """What was counted, of every crawl: a table without a chart."""
    source, rows = study.ask("denominators")
    figure = Figure("denominators", "What was counted", sources=[source], rows=rows)
    if not rows:
        figure.missing = "The dataset has no captures."
        return figure
    for row in rows:
        row["first_day"] = row["first_capture"] and row["first_capture"].date().isoformat()
        row["last_day"] = row["last_capture"] and row["last_capture"].date().isoformat()
    figure.columns = [
        Column("crawl", "crawl"), Column("first_day", "first capture"), Column("last_day", "last capture"), Column("archives_read", "archives", "count"),
        Column("captures", "captures", "count"), Column("hosts", "hosts", "count"), Column("hosts_with_rules", "with rules", "count"),
        Column("hosts_decided", "decided", "count"), Column("domains", "registered domains", "count")]
    for row in rows:
        if row["hosts"]:
            figure.records.append(Records(row["crawl"], row["hosts"], evidence.hosts("captured", row["crawl"])))
    samples = [row for row in rows if row["is_sample"]]
    figure.lead = (f"The dataset has {count(sum(row['captures'] for row in rows))} captures of {len(rows)} "
                   f"{'crawl' if len(rows) == 1 else 'crawls'}. Every share on this page names its denominator, which is one of these numbers or a part of it.")
    if samples:
        figure.lead += (f" The archives of {', '.join(row['crawl'] for row in samples)} are a random sample, so shares have a 95 % interval "
                        "if at least five archives were drawn.")
    return figure
