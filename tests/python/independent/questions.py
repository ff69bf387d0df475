"""Answers research questions about the hosts of all crawls. Each answer is a list of rows, a dictionary by column. What a capture has of
anomalies, preferences, templates and software, and its verdicts by dialect, are given by the tables.

Rows are in no particular order, and lists are not limited to the first ones. Shares are not rounded. Intervals are null, since the
archives are no random sample.
"""

import math
import re
from collections import Counter, defaultdict
from itertools import combinations
from statistics import median
from urllib.parse import urljoin, urlsplit

from .archive import domain_of, registered_domain
from .hosts import Answer
from .robots_txt import BLANKS, is_product_token, key_and_value, lines_of, whole_name

# The keys of directives that a specification or a crawler defines: docs/tables.md, directives, known.
KNOWN_DIRECTIVES = set(
    "clean-param content-signal content-usage crawl-delay domain host noarchive nofollow noindex request-rate revisit-after visit-time"
    " license disallowaitraining allowaitraining user-agent-purpose robot-version comment llm-policy llm-content llm-full-content llms"
    " llms-txt llms.txt schemamap agentmap content-signals cache-delay acap-crawler acap-disallow-crawl acap-allow-crawl nosnippet"
    " crawl-rate index".split())

# The uses of content that are the purpose of crawlers: docs/preferences.md. Training, unless the category is one of these.
TRAINING = {"training"}
# The categories of the mechanism any, with the words of the mechanisms that it reads together.
SHARED = {"train-ai": "training", "ai-train": "training", "search": "search"}
USES = {
    "ai_search": {"search"}, "search_engine": {"search"}, "ai_assistant": {"ai-input", "ai-output", "ai-use"},
    "ai_agent": {"ai-input", "ai-output", "ai-use"}}


def lines_of_managed_block(body):
    """The first and the last line of Cloudflare's block, if there is one, and it has an end."""
    begins, found = [], None
    for line_no, (line, _) in enumerate(lines_of(body), 1):
        comment = re.match(rb"#[#\-=* \t]*(.*)", line.split(b"\0")[0].lstrip(BLANKS), re.DOTALL)
        text = comment[1].lower() if comment else b""
        if text.startswith(b"begin cloudflare managed content"):
            begins.append(line_no)
            is_open = True
        elif text.startswith(b"end cloudflare managed content") and begins and is_open:
            found, is_open = (begins[-1], line_no), False
    return found if len(begins) == 1 else None


def origin_of(file, body, line_no):
    """The origin of the line that blocks. The lines of Cloudflare's block are searched here; those of whole files are all or none."""
    lines = lines_of_managed_block(body)
    if file["template"] != "cloudflare_managed":
        lines = lines or file["vendor_first_line"] and (1, sum(1 for _ in lines_of(body)))
    assert (lines or (None, None)) == (file["vendor_first_line"], file["vendor_last_line"]), f"{lines}, {file}"
    if lines:
        return "vendor" if lines[0] <= line_no <= lines[1] else "site"
    return "site" if file["template"] in ("wordpress", "yoast", "drupal") else "unknown"


def by_domain(hosts):
    groups = defaultdict(list)
    for host in hosts:
        groups[host.domain].append(host)
    return groups


def share(part, whole):
    return part / whole if whole else None


def mean(values):
    values = list(values)
    return share(sum(values), len(values))


def mean_of_domains(hosts, condition):
    """The share of hosts with each registered domain counted once."""
    return mean(sum(map(condition, group)) / len(group) for group in by_domain(hosts).values())


def largest(values):
    """The share of the most common value that is not null, or null without values."""
    values = list(values)
    return share(max(Counter(value for value in values if value is not None).values(), default=0), len(values))


def largest_domain(hosts):
    return largest(host.domain for host in hosts)


def largest_ruleset(hosts):
    return largest(host.ruleset for host in hosts)


def quantile(values, fraction):
    """The smallest value that at least this fraction of the values does not exceed, or null without values."""
    return sorted(values)[max(math.ceil(fraction * len(values)), 1) - 1] if values else None


def shares(counted, hosts):
    """The columns of a question that counts some of the hosts of a denominator."""
    domains, all_domains = by_domain(counted), by_domain(hosts)
    return {
        "hosts": len(counted), "of_hosts": len(hosts), "share": share(len(counted), len(hosts)),
        "domains_any": len(domains), "of_domains": len(all_domains),
        "share_of_domains": share(sum(len(group) / len(all_domains[domain]) for domain, group in domains.items()), len(all_domains)),
        "largest_domain": largest_domain(counted), "largest_ruleset": largest_ruleset(counted), "low": None, "high": None}


def rows_of(features, hosts, columns):
    """One row for each feature of a host, a tuple of these columns, with the hosts that have it. Without features, a row of none."""
    counted = defaultdict(list)
    for host, feature in features:
        counted[feature].append(host)
    return [dict(zip(columns, feature)) | shares(group, hosts) for feature, group in counted.items()] or [no_row(hosts, columns)]


def no_row(hosts, columns):
    """The row of a crawl in which nothing is counted: how many hosts were looked at."""
    return dict.fromkeys(columns) | shares([], hosts)


def status_class(status):
    """The class of a response without content."""
    names = {400: "notfound", 404: "notfound", 410: "notfound", 401: "unauthorized", 403: "forbidden", 429: "defer_visits"}
    return names.get(status, {3: "redirect", 5: "defer_visits"}.get(status // 100, "other"))


def reason(answer):
    """The reason for which a crawler is blocked: name, wildcard or status; null if it is not."""
    if answer.verdict != "disallow_all":
        return None
    return {"explicit": "name", "http_status": "status"}.get(answer.basis, "wildcard")


class Computation:
    """What several questions need, over crawls and a registry of crawlers."""

    def __init__(self, crawls, registry, tables):
        self.crawls = crawls
        self.registry = registry
        self.tables = tables

    def each_crawl(self, rows):
        """The rows of a function for each crawl, with the column crawl."""
        return [{"crawl": crawl} | row for crawl in self.crawls.names for row in rows(self.crawls.hosts[crawl])]

    def answers(self, hosts, agent):
        """The answer of each host with a known verdict for a crawler."""
        found = ((host, host.answer(whole_name(agent.encode()), self.registry)) for host in hosts)
        return {host.key: (host, answer) for host, answer in found if answer.verdict != "unknown"}

    def preferences(self, host, agent):
        """The preferences of the file of a host, for a crawler, by mechanism: those of its name, of its first named fallback, or of '*'."""
        name = whole_name(agent.encode())
        crawler = self.registry.get(name)
        by_mechanism = defaultdict(lambda: defaultdict(list))
        for row in self.tables.of("file_preferences", host.source):
            by_mechanism[row["mechanism"]][row["agent"]].append(row)
        for by_name in by_mechanism.values():
            found = [by_name[other] for other in [name, *(crawler.fallbacks if crawler else []), "*"] if other in by_name]
            yield from found[0] if found else []

    def category(self, category):
        return {crawler.name for crawler in self.registry.values() if category in crawler.categories}

    def ai_agents(self):
        return {name for name, crawler in self.registry.items() if any(category.startswith("ai_") for category in crawler.categories)}

    def blocking_shares(self, hosts, agent):
        """The columns of a question about one crawler."""
        answers = self.answers(hosts, agent)
        known = [host for host, _ in answers.values()]
        row = {"hosts": len(known), "domains": len(by_domain(known))}
        for why in ("name", "wildcard", "status"):
            blocked = [host for host, answer in answers.values() if reason(answer) == why]
            row[f"blocked_by_{why}"] = share(len(blocked), len(known))
            row[f"domains_blocked_by_{why}"] = mean_of_domains(known, lambda host: reason(answers[host.key][1]) == why)
            if why == "name":
                row |= {"hosts_blocked_by_name": len(blocked), "largest_domain": largest_domain(blocked), "largest_ruleset": largest_ruleset(blocked)}
        return row | {"low": None, "high": None}

    def blocking_by(self, name, value_of, agent, min_hosts):
        """The rows of the values of hosts with enough hosts, or one row for none."""
        def rows(hosts):
            known = [host for host, _ in self.answers(hosts, agent).values()]
            whole = {"of_hosts": len(known), "of_domains": len(by_domain(known))}
            groups = defaultdict(list)
            for host in known:
                groups[value_of(host)].append(host)
            groups = {value: group for value, group in groups.items() if len(group) >= min_hosts} or {None: []}
            return [{name: value} | self.blocking_shares(group, agent) | whole for value, group in groups.items()]
        return self.each_crawl(rows)

    def verdict_shares(self, hosts, agent, name, verdict):
        """Two columns: the shares of hosts and of domains with this verdict."""
        answers = self.answers(hosts, agent)
        known = [host for host, _ in answers.values()]
        found = {key for key, (_, answer) in answers.items() if answer.verdict == verdict}
        return {name: share(len(found), len(known)), f"domains_{name}": mean_of_domains(known, lambda host: host.key in found)}

    def naming(self, hosts, min_hosts, verdict, among=None):
        """The names that at least min_hosts hosts name, of all names or among some, with the hosts of this verdict."""
        decided = [host for host in hosts if host.wildcard.verdict != "unknown"]
        named = Counter(name for host in hosts for name in host.named if among is None or name in among)
        for name in [name for name in named if named[name] >= min_hosts] or [None]:
            crawler = self.registry.get(name)
            found = [host for host in decided if name in host.named and host.named[name].verdict == verdict]
            yield {
                "agent": name, "operator": crawler and crawler.operator, "category": crawler and crawler.category, "named": named[name],
                "ratio": share(len(found), named[name])} | shares(found, decided)


class Questions(Computation):
    """The questions, each under the name of its macro."""

    def blocking_by_tld(self, agent="GPTBot", min_hosts=30):
        return self.blocking_by("url_host_tld", lambda host: host.tld, agent, min_hosts)

    def share_of_hosts_blocking(self, agent="GPTBot"):
        def rows(hosts):
            yield self.blocking_shares(hosts, agent) | self.verdict_shares(hosts, agent, "partial", "partial")
        return self.each_crawl(rows)

    def most_blocked_agents(self, min_hosts=30):
        return self.each_crawl(lambda hosts: self.naming(hosts, min_hosts, "disallow_all"))

    def invitations(self, min_hosts=30):
        def rows(hosts):
            decided = [host for host in hosts if host.wildcard.verdict != "unknown"]
            for row in self.naming(hosts, min_hosts, "allow_all", self.ai_agents()):
                let_in = [
                    host for host in decided if host.wildcard.verdict == "disallow_all" and row["agent"] in host.named
                    and host.named[row["agent"]].verdict in ("allow_all", "partial")]
                found = shares(let_in, decided)
                yield row | {
                    "despite_wildcard": found["hosts"], "domains_any_despite_wildcard": found["domains_any"],
                    "domains_despite_wildcard": found["share_of_domains"]}
        return self.each_crawl(rows)

    def hosts_or_registered_domains(self, agent="GPTBot"):
        def rows(hosts):
            answers = self.answers(hosts, agent)
            known = [host for host, _ in answers.values()]
            domains = by_domain(known)
            for why in ("name", "status", "wildcard"):
                blocked = {key for key, (_, answer) in answers.items() if reason(answer) == why}
                counts = [(sum(host.key in blocked for host in group), len(group)) for group in domains.values()]
                yield {
                    "reason": why, "hosts": len(known), "domains": len(domains), "hosts_of_largest_domain": max(n for _, n in counts),
                    "hosts_blocked": len(blocked) / len(known), "domains_blocked": mean(x / n for x, n in counts),
                    "domains_any_host_blocked": mean(x > 0 for x, _ in counts),
                    "domains_every_host_blocked": mean(x == n for x, n in counts),
                    "largest_domain": largest_domain([host for host in known if host.key in blocked]), "low": None, "high": None}
        return self.each_crawl(rows)

    def outcome_funnel(self):
        def outcome(host):
            if host.is_revisit:
                return "revisit without content"
            if host.is_successful:
                return {"rules": "robots.txt with rules", "html": "not a robots.txt", "binary": "not a robots.txt"}.get(
                    host.content_class, "robots.txt without rules")
            return status_class(host.source.status)
        return self.each_crawl(lambda hosts: rows_of([(host, (outcome(host),)) for host in hosts], hosts, ["outcome"]))

    def access_in_three(self, agent="GPTBot"):
        def rows(hosts):
            answers = {host.key: host.answer(whole_name(agent.encode()), self.registry) for host in hosts}
            features = [(host, (answers[host.key].verdict,)) for host in hosts]
            for row in rows_of(features, hosts, ["access"]):
                bases = Counter(answers[host.key].basis for host, (name,) in features if name == row["access"])
                counts = {f"by_{why}": bases.pop(basis, 0) for why, basis in (
                    ("name", "explicit"), ("wildcard", "wildcard"), ("status", "http_status"))}
                yield row | counts | {"by_no_rule": sum(bases.values())}
        return self.each_crawl(rows)

    def changes_between_crawls(self, agent="GPTBot"):
        first, last = self.crawls.names[0], self.crawls.names[-1]
        before = {host.key: host.answer(whole_name(agent.encode()), self.registry) for host in self.crawls.hosts[first]}
        both = [host for host in self.crawls.hosts[last] if host.key in before]

        def feature(host):
            after = host.answer(whole_name(agent.encode()), self.registry)
            return before[host.key].verdict, before[host.key].basis, after.verdict, after.basis
        rows = rows_of([(host, feature(host)) for host in both], both, ["verdict_before", "basis_before", "verdict_after", "basis_after"])
        for row in rows:
            for column in ("of_domains", "largest_ruleset", "low", "high"):
                del row[column]
        return [{"from_crawl": first, "to_crawl": last} | row for row in rows]

    def names_first_seen(self, agent="GPTBot"):
        name, hosts_seen, domains_seen, rows = whole_name(agent.encode()), set(), set(), []
        for crawl in self.crawls.names:
            naming = [host for host in self.crawls.hosts[crawl] if name in host.named]
            new_hosts, new_domains = {host.key for host in naming} - hosts_seen, {host.domain for host in naming} - domains_seen
            hosts_seen |= new_hosts
            domains_seen |= new_domains
            times = [host.authoritative.time for host in self.crawls.hosts[crawl]]
            rows.append({
                "crawl": crawl, "first_fetch": min(times), "last_fetch": max(times), "hosts_in_crawl": len(self.crawls.hosts[crawl]), "hosts_naming": len(naming), "first_named": len(new_hosts),
                "cumulative": len(hosts_seen), "domains_first_named": len(new_domains), "domains_cumulative": len(domains_seen)})
        return rows

    def number_of_ai_agents_blocked(self):
        agents = self.ai_agents()

        def rows(hosts):
            decided = [host for host in hosts if host.wildcard.verdict != "unknown"]
            count = {host.key: sum(host.named[name].verdict == "disallow_all" for name in agents & host.named.keys()) for host in decided}
            for row in rows_of([(host, (count[host.key],)) for host in decided], decided, ["agents_blocked"]):
                least = row["agents_blocked"]
                more = shares([host for host in decided if count[host.key] >= least], decided)
                yield row | {"share_this_many_or_more": more["share"], "share_of_domains_this_many_or_more": more["share_of_domains"]}
        return self.each_crawl(rows)

    def training_or_search(self):
        """A purpose is blocked if at least one of its crawlers is; hosts without a known verdict for any crawler are left out."""
        purposes = ("ai_training", "ai_search", "ai_assistant")
        agents = {purpose: [name for name, crawler in self.registry.items() if crawler.category == purpose] for purpose in purposes}

        def rows(hosts):
            features = []
            for host in hosts:
                verdicts = {purpose: [host.answer(name, self.registry).verdict for name in agents[purpose]] for purpose in purposes}
                if any(verdict != "unknown" for of_purpose in verdicts.values() for verdict in of_purpose):
                    features.append((host, tuple("disallow_all" in verdicts[purpose] for purpose in purposes)))
            return rows_of(features, [host for host, _ in features], ["training_blocked", "search_blocked", "assistant_blocked"])
        return self.each_crawl(rows)

    def walled_gardens(self):
        def rows(hosts):
            answers = {host.key: host.answer("googlebot", self.registry) for host in hosts}
            found = [
                host for host in hosts
                if host.wildcard.verdict == "disallow_all" and answers[host.key].verdict in ("allow_all", "partial")]
            rulesets = Counter(host.ruleset for host in found)

            def lets_others_in(host):
                return any(name != "googlebot" and answer.verdict in ("allow_all", "partial") for name, answer in host.named.items())
            return [{
                "hosts": len(found), "domains_any": len(by_domain(found)), "surt_host_name": host.key, "url_host_name": host.name,
                "googlebot": answers[host.key].verdict, "googlebot_line": answers[host.key].line_no, "url": host.url,
                "hosts_with_ruleset": rulesets[host.ruleset], "others_allowed": lets_others_in(host)} for host in found]
        return self.each_crawl(rows)

    def bias_against_agents(self, min_hosts=30):
        def rows(hosts):
            decided = [host for host in hosts if host.wildcard.verdict != "unknown"]
            everybody = shares([host for host in decided if reason(host.wildcard) == "wildcard"], decided)
            for row in self.naming(hosts, min_hosts, "disallow_all"):
                kept = ("agent", "hosts", "share", "share_of_domains", "largest_domain", "largest_ruleset")
                yield {column: row[column] for column in kept} | {
                    "hosts_blocking_all": everybody["hosts"], "against_everybody": share(row["hosts"], everybody["hosts"]),
                    "domains_against_everybody": share(row["share_of_domains"], everybody["share_of_domains"])}
        return self.each_crawl(rows)

    def agents_blocked_together(self, min_hosts=30):
        def rows(hosts):
            blocked = defaultdict(list)
            for host in hosts:
                names = sorted(name for name, answer in host.named.items() if answer.verdict == "disallow_all" and name in self.registry)
                for together in [*combinations(names, 2), *names]:
                    blocked[together].append(host)
            rarer = {pair: min(len(blocked[name]) for name in pair) for pair in blocked if isinstance(pair, tuple)}
            for pair in [pair for pair in rarer if rarer[pair] >= min_hosts] or [(None, None)]:
                found = blocked.get(pair, [])
                yield {
                    "agent_a": pair[0], "agent_b": pair[1], "hosts": len(found), "domains_any": len(by_domain(found)),
                    "share_of_rarer": share(len(found), rarer.get(pair)),
                    "largest_domain": largest_domain(found), "largest_ruleset": largest_ruleset(found)}
        return self.each_crawl(rows)

    def most_addressed_names(self, min_hosts=30):
        def rows(hosts):
            files = [host for host in hosts if host.has_rules]
            count = Counter(name for host in files for name in host.robots.by_name)
            features = [
                (host, (name, name == "*" or name in self.registry)) for host in files for name in host.robots.by_name if count[name] >= min_hosts]
            return rows_of(features, files, ["agent", "tracked"])
        return self.each_crawl(rows)

    def names_rfc9309_cannot_match(self):
        def rows(hosts):
            files = [host for host in hosts if host.has_rules]
            lines = {
                host.key: [is_product_token(value) for group in host.robots.groups for value in group.values if whole_name(value) != "*"]
                for host in files}
            every = [is_valid for valid in lines.values() for is_valid in valid]
            yield shares([host for host in files if not all(lines[host.key])], files) | {
                "hosts_naming": sum(map(bool, lines.values())), "lines": len(every),
                "share_of_lines": share(every.count(False), len(every))}
        return self.each_crawl(rows)

    def other_directives(self):
        def rows(hosts):
            files = [host for host in hosts if host.has_rules]
            lines = Counter(key for host in files for key in host.robots.directives)
            features = [(host, (key, key in KNOWN_DIRECTIVES)) for host in files for key in set(host.robots.directives)]
            return [row | {"lines": lines[row["directive"]]} for row in rows_of(features, files, ["directive", "known"])]
        return self.each_crawl(rows)

    def blocks_by_origin(self, agent="GPTBot"):
        def rows(hosts):
            blocks = [(host, origin_of(self.tables.file(host.source), host.source.body, answer.line_no))
                      for host, answer in self.answers(hosts, agent).values() if reason(answer) == "name"]
            known = [host for host, origin in blocks if origin != "unknown"]
            unknown = shares([host for host, origin in blocks if origin == "unknown"], [host for host, _ in blocks])
            return [{"origin": origin} | shares([host for host, other in blocks if other == origin], known) | {
                "unknown": unknown["hosts"], "of_blocks": unknown["of_hosts"], "share_unknown": unknown["share"], "domains_unknown": unknown["share_of_domains"]}
                for origin in ("site", "vendor")]
        return self.each_crawl(rows)

    def most_common_rule_sets(self, min_domains=2):
        def text_of(robots):
            """The rules of each name in one line, those that disallow first."""
            lines = []
            for name, (_, rules) in sorted(robots.by_name.items()):
                found = sorted({(rule.allow, rule.path.decode()) for rule in rules})
                lines += [f"User-agent: {name}", *(("Allow: " if allow else "Disallow: ") + path for allow, path in found)]
                lines += [] if found else ["Disallow:"]
            return "; ".join(lines)

        def rows(hosts):
            files = [host for host in hosts if host.has_rules]
            domains = defaultdict(set)
            for host in files:
                domains[host.ruleset].add(host.domain)
            common = [host for host in files if len(domains[host.ruleset]) >= min_domains]
            for row in rows_of([(host, (host.ruleset,)) for host in common], files, ["ruleset"]):
                ruleset = row.pop("ruleset")
                of_set = [self.tables.file(host.source) for host in files if host.ruleset == ruleset]
                templates = Counter(file["template"] for file in of_set if file["template"])
                template = min(templates, key=lambda name: (-templates[name], name), default=None)
                text = next((text_of(host.robots) for host in files if host.ruleset == ruleset), "")
                del row["largest_ruleset"]
                yield row | {
                    "ruleset_id": of_set[0]["ruleset_id"] if of_set else None, "rules": text if 0 < len(text) <= 60 else None,
                    "template": template, "hosts_with_template": templates[template],
                    "example": min((host.url for host in files if host.ruleset == ruleset), default=None)}
        return self.each_crawl(rows)

    def sitemap_adoption(self):
        """A line without a URL counts as relative, since its URL is not written as an absolute one."""
        def kind(host, value):
            own, target = host.source.host(), urlsplit(urljoin(host.source.url, value)).hostname
            domain = registered_domain(own)
            is_foreign = registered_domain(target) != domain if domain else target != own
            return ("absolute" if urlsplit(value).scheme else "relative") + (" foreign" if is_foreign else "")

        def rows(hosts):
            files = [host for host in hosts if host.is_successful]
            kinds = {host.key: Counter(kind(host, value.decode()) for value in host.robots.sitemaps) for host in files}
            relative = {key: count["relative"] + count["relative foreign"] for key, count in kinds.items()}
            foreign = {key: count["absolute foreign"] + count["relative foreign"] for key, count in kinds.items()}
            lines = sum(count.total() for count in kinds.values())
            yield shares([host for host in files if kinds[host.key]], files) | {
                "hosts_relative": sum(count > 0 for count in relative.values()),
                "hosts_other_domain": sum(count > 0 for count in foreign.values()), "lines": lines,
                "relative": share(sum(relative.values()), lines), "other_domain": share(sum(foreign.values()), lines)}
        return self.each_crawl(rows)

    def crawl_delays(self):
        def rows(hosts):
            files = [host for host in hosts if host.has_rules]
            delays, for_all = {}, 0
            for host in files:
                groups = [group for group in host.robots.groups if group.crawl_delays]
                if groups:
                    delays[host.key] = max(max(group.crawl_delays.values()) for group in groups)
                    for_all += any("*" in group.crawl_delays for group in groups)
            found = [host for host in files if host.key in delays]
            medians = [median(delays[host.key] for host in group) for group in by_domain(found).values()]
            values = list(delays.values())
            yield shares(found, files) | {
                "for_all": for_all, "median": quantile(values, 0.5), "p90": quantile(values, 0.9), "p99": quantile(values, 0.99),
                "longest": max(values, default=None), "domains_median": quantile(medians, 0.5), "domains_p90": quantile(medians, 0.9)}
        return self.each_crawl(rows)

    def file_sizes(self):
        def rows(hosts):
            files = [host for host in hosts if host.is_successful and host.content_class not in ("html", "binary")]
            sizes = [host.robots.body_bytes for host in files]
            medians = [median(host.robots.body_bytes for host in group) for group in by_domain(files).values()]
            row = {
                "hosts": len(files), "domains": len(medians), "largest_domain": largest_domain(files), "median_bytes": quantile(sizes, 0.5),
                "p90_bytes": quantile(sizes, 0.9), "max_bytes": max(sizes, default=None), "domains_median_bytes": quantile(medians, 0.5),
                "truncated": sum(host.source.truncated for host in files)}
            for column, least, most in (("empty", 0, 0), ("up_to_100_kib", 0, 102_400), ("over_500_kib", 512_001, math.inf)):
                row[column] = mean(least <= size <= most for size in sizes)
                row["domains_" + column] = mean_of_domains(files, lambda host: least <= host.robots.body_bytes <= most)
            yield row
        return self.each_crawl(rows)

    def variants_disagree(self):
        rows = []
        for crawl in self.crawls.names:
            urls = defaultdict(dict)
            for capture in sorted(self.crawls.captures[crawl], key=lambda capture: (capture.time, capture.number)):
                robots = self.crawls.parsed(capture)
                if capture.is_robots_path() and robots and robots.content_class == "rules":
                    urls[capture.key()][capture.url] = (capture, robots.ruleset)
            domains = defaultdict(list)
            for variants in urls.values():
                if len(variants) > 1:
                    capture = next(iter(variants.values()))[0]
                    domains[domain_of(capture.host())].append(len({ruleset for _, ruleset in variants.values()}) > 1)
            every = [disagree for group in domains.values() for disagree in group]
            rows.append({
                "crawl": crawl, "hosts_in_crawl": len(self.crawls.hosts[crawl]), "hosts": len(every), "disagree": sum(every), "share": mean(every), "domains": len(domains),
                "share_of_domains": mean(mean(group) for group in domains.values()),
                "largest_domain": share(max(map(sum, domains.values()), default=0), sum(every)), "low": None, "high": None})
        return rows

    def change_rates(self):
        rows, before = [], None
        for crawl in self.crawls.names:
            urls = defaultdict(list)
            for capture in self.crawls.captures[crawl]:
                if capture.is_robots_path() and 200 <= capture.status <= 299:
                    urls[capture.url].append(capture.digest)
            again = [len(set(digests)) > 1 for digests in urls.values() if len(digests) > 1]
            row = {"crawl": crawl, "urls_seen_again": len(again), "bytes_changed": mean(again), "crawl_before": before}
            previous = {host.key: host for host in self.crawls.hosts[before] if host.has_rules} if before else {}
            both = [host for host in self.crawls.hosts[crawl] if host.has_rules and host.key in previous]
            changed = [host for host in both if host.ruleset != previous[host.key].ruleset]
            keys = {host.key for host in changed}
            rows.append(row | {
                "hosts_seen_again": len(both) if before else None, "rules_changed": share(len(changed), len(both)),
                "domains_seen_again": len(by_domain(both)) if before else None,
                "domains_rules_changed": mean_of_domains(both, lambda host: host.key in keys),
                "largest_domain": largest_domain(changed)})
            before = crawl
        return rows

    def most_hidden_paths(self):
        """Rules outside of groups disallow nothing."""
        def rows(hosts):
            files = [host for host in hosts if host.has_rules]
            features = {
                (host.key, rule.path): host for host in files for rule in host.robots.rules
                if not rule.allow and rule.path and rule.has_group and rule.counts}
            for_all = Counter(path for host in files for path in {
                rule.path.decode() for rule in host.robots.by_name.get("*", (0, []))[1] if not rule.allow})
            for row in rows_of([(host, (path.decode(),)) for (_, path), host in features.items()], files, ["path"]):
                yield row | {"hosts_for_wildcard": for_all[row["path"]]}
        return self.each_crawl(rows)

    def denominators(self):
        def counts(hosts, name, condition):
            found = [host for host in hosts if condition(host)]
            return {f"hosts{name}": len(found), f"domains{name}": len(by_domain(found))}

        rows = []
        for crawl in self.crawls.names:
            captures, hosts = self.crawls.captures[crawl], self.crawls.hosts[crawl]
            files = list(filter(None, map(self.crawls.parsed, captures)))
            decided = [host for host in hosts if host.wildcard.verdict != "unknown"]
            rows.append({
                "crawl": crawl, "archives_read": 1, "archives_listed": None, "is_sample": False,
                "first_capture": min(capture.time for capture in captures), "last_capture": max(capture.time for capture in captures),
                "captures": len(captures), "captures_of_robots_txt": sum(capture.is_robots_path() for capture in captures),
                "revisits": sum(capture.is_revisit for capture in captures),
                "captures_with_rules": sum(robots.content_class == "rules" for robots in files),
                "urls": len({capture.url for capture in captures}), "hosts_of_largest_domain": max(map(len, by_domain(hosts).values())),
                **counts(hosts, "", lambda host: True), **counts(hosts, "_with_rules", lambda host: host.has_rules),
                **counts(decided, "_decided", lambda host: True),
                **counts(decided, "_decided_by_file", lambda host: host.wildcard.basis != "http_status")})
        return rows

    def policy_sizes(self):
        measures = {
            "crawlers named": lambda robots: len(robots.names()), "rules": lambda robots: len(robots.rules),
            "groups": lambda robots: len(robots.groups)}

        def rows(hosts):
            files = [host for host in hosts if host.has_rules]
            for name, measure in measures.items():
                sizes = [measure(host.robots) for host in files]
                medians = [median(measure(host.robots) for host in group) for group in by_domain(files).values()]
                yield {
                    "measure": name, "hosts": len(files), "mean": mean(sizes), "median": quantile(sizes, 0.5),
                    "p90": quantile(sizes, 0.9), "p99": quantile(sizes, 0.99), "largest": max(sizes, default=None),
                    "domains": len(medians), "domains_mean": mean(medians), "domains_median": quantile(medians, 0.5),
                    "domains_p90": quantile(medians, 0.9), "largest_domain": largest_domain(files)}
        return self.each_crawl(rows)

    def hosts_decided_in_every_crawl(self, agent="GPTBot"):
        answers = {crawl: self.answers(self.crawls.hosts[crawl], agent) for crawl in self.crawls.names}
        panel = set.intersection(*(set(found) for found in answers.values()))

        def rows(hosts):
            every = self.blocking_shares(hosts, agent)
            yield self.blocking_shares([host for host in hosts if host.key in panel], agent) | {
                "all_hosts": every["hosts"], "all_hosts_blocked_by_name": every["blocked_by_name"],
                "all_domains_blocked_by_name": every["domains_blocked_by_name"]}
        return self.each_crawl(rows)

    def pair_of_agents(self, agent_a="GPTBot", agent_b="CCBot", any_reason=False):
        def blocks(answer: Answer):
            return reason(answer) is not None if any_reason else reason(answer) == "name"

        def rows(hosts):
            a, b = self.answers(hosts, agent_a), self.answers(hosts, agent_b)
            names = {
                (True, True): "both", (False, False): "neither", (True, False): "only " + whole_name(agent_a.encode()),
                (False, True): "only " + whole_name(agent_b.encode())}
            features = [(host, (names[blocks(answer), blocks(b[key][1])],)) for key, (host, answer) in a.items() if key in b]
            return rows_of(features, [host for host, _ in features], ["blocked"])
        return self.each_crawl(rows)

    def blocking_by_agent(self, category=None):
        """One crawler at a time; without a category, all AI crawlers."""
        rows = []
        for name in self.category(category) if category else self.ai_agents():
            crawler = self.registry[name]
            for row in self.share_of_hosts_blocking(name):
                answers = [answer for _, answer in self.answers(self.crawls.hosts[row["crawl"]], name).values()]
                rows.append(row | {
                    "agent": name, "operator": crawler.operator, "category": crawler.category,
                    "hosts_naming": sum(answer.basis == "explicit" for answer in answers),
                    "hosts_blocked_by_name": sum(reason(answer) == "name" for answer in answers)})
        return rows

    def blocking_by_category(self):
        categories = set().union(*(crawler.categories for crawler in self.registry.values()))
        members = {category: self.category(category) for category in categories} | {"(any ai)": self.ai_agents()}

        def rows(hosts):
            decided = [host for host in hosts if host.wildcard.verdict != "unknown"]
            for category, agents in members.items():
                blocking = [host for host in decided if any(host.named[name].verdict == "disallow_all" for name in agents & host.named.keys())]
                count = Counter(
                    name for host in blocking for name in agents & host.named.keys() if host.named[name].verdict == "disallow_all")
                mostly = sorted(count, key=lambda name: (-count[name], name))[:2]
                yield {"category": category, "agents": len(agents)} | shares(blocking, decided) | {
                    "mostly": ", ".join(self.registry[name].token for name in mostly) or None}
        return self.each_crawl(rows)

    def agents_of_category(self, category="ai_training", at_least=2):
        members = self.category(category)

        def rows(hosts):
            decided = [host for host in hosts if host.wildcard.verdict != "unknown"]
            count = {host.key: sum(host.named[name].verdict == "disallow_all" for name in members & host.named.keys()) for host in decided}
            features = []
            for host in decided:
                limits = (("any", 1), (f"at least {at_least}", at_least), ("all", len(members)))
                features += [(host, (name,)) for name, least in limits if count[host.key] >= least]
                features += [(host, ("* by its rules",))] * (reason(host.wildcard) == "wildcard")
            rows = {row["blocked"]: row for row in rows_of(features, decided, ["blocked"])}
            for name in ("any", f"at least {at_least}", "all", "* by its rules"):
                yield {"category": category, "blocked": name, "agents": len(members)} | (rows.get(name) or shares([], decided))
        return self.each_crawl(rows)

    def anomalies_found(self):
        def name(host, line_no):
            """The name in a user-agent line, or null for other lines and for '*'."""
            text, _ = list(lines_of(host.source.body))[line_no - 1]
            key, value = key_and_value(text.partition(b"#")[0]) or (b"", b"")
            found = whole_name(value) if re.match(rb"user-?agent|user agent", key, re.IGNORECASE) else None
            return None if found in ("", "*") else found

        def rows(hosts):
            files = [host for host in hosts if host.is_successful]
            found = [(host, anomaly) for host in files for anomaly in self.tables.of("anomalies", host.source)]
            kinds = {(host.key, anomaly["code"]): (host, (anomaly["code"], anomaly["severity"])) for host, anomaly in found}
            for row in rows_of(kinds.values(), files, ["code", "severity"]):
                lines = [(host, anomaly) for host, anomaly in found if anomaly["code"] == row["code"]]
                changed = list({host.key: host for host, anomaly in lines if anomaly["changes_verdict"]}.values())
                named = {(host.key, name(host, anomaly["line_no"])) for host, anomaly in lines if anomaly["changes_verdict"]}
                names = Counter(found for _, found in named if found)
                yield row | {
                    "changed": len(changed), "changed_largest_domain": largest_domain(changed), "lines": len(lines),
                    "names": ", ".join(sorted(names, key=lambda found: (-names[found], found))[:3]) or None}
        return self.each_crawl(rows)

    def stated_preferences(self):
        def rows(hosts):
            files = [host for host in hosts if host.is_successful]
            features = {}
            for host in files:
                for row in self.tables.of("preferences", host.source):
                    value = None if row["mechanism"] == "rsl-license" else row["pref_value"]
                    feature = (row["mechanism"], row["pref_key"], value, row["from_template"])
                    features[host.key, feature] = (host, feature)
            return rows_of(features.values(), files, ["mechanism", "pref_key", "pref_value", "from_template"])
        return self.each_crawl(rows)

    def contradictions(self, agent="GPTBot"):
        """Statements for all crawlers, and the rules for one whose purpose they are about."""
        crawler = self.registry.get(whole_name(agent.encode()))
        uses = set().union(*(USES.get(category, TRAINING) for category in (crawler.categories if crawler else ["none"])))

        def rows(hosts):
            groups = defaultdict(list)
            for host, _ in self.answers(hosts, agent).values():
                for row in self.preferences(host, "*"):
                    is_shared = row["category"] in SHARED.values()
                    if row["category"] in uses and is_shared == (row["mechanism"] == "any") and row["preference"] in ("allow_all", "disallow_all", "mixed"):
                        groups[row["mechanism"], row["category"], row["preference"]].append(host)
            known = [host for host, _ in self.answers(hosts, agent).values()]
            for (mechanism, category, preference), group in (groups or {(None, None, None): []}).items():
                yield {"mechanism": mechanism, "category": category, "preference": preference} | self.blocking_shares(group, agent) | self.verdict_shares(
                    group, agent, "partial", "partial") | self.verdict_shares(group, agent, "allowed", "allow_all") | {
                    "of_hosts": len(known), "of_domains": len(by_domain(known))}
        return self.each_crawl(rows)

    def effective_preferences(self, agent="*"):
        def rows(hosts):
            files = [host for host in hosts if host.is_successful]
            features, from_template = {}, defaultdict(dict)
            for host in files:
                for row in self.preferences(host, agent):
                    feature = (row["mechanism"], row["category"], row["preference"])
                    features[host.key, feature] = (host, feature)
                    mechanisms = ("content-usage", "content-signal") if row["mechanism"] == "any" else (row["mechanism"],)
                    statements = [other["from_template"] for other in self.tables.of("preferences", host.source) if other["mechanism"] in mechanisms]
                    from_template[feature][host.key] = bool(statements) and all(statements)
            for row in rows_of(features.values(), files, ["mechanism", "category", "preference"]):
                yield row | {"from_template": mean(from_template[row["mechanism"], row["category"], row["preference"]].values())}
        return self.each_crawl(rows)

    def words_that_contradict(self, agent="*"):
        def rows(hosts):
            for category in ("training", "search"):
                both, contradict = [], []
                for host in hosts:
                    words = [row for row in self.preferences(host, agent) if row["mechanism"] in ("content-usage", "content-signal") and SHARED.get(row["category"]) == category
                             and row["preference"] in ("allow_all", "disallow_all", "mixed")]
                    if host.is_successful and len(words) == 2:
                        both.append(host)
                        if any(row["preference"] == "allow_all" for row in words) and any(row["has_disallowed"] for row in words):
                            contradict.append(host)
                yield {"category": category} | shares(contradict, both)
        return self.each_crawl(rows)

    def _reason_of_host(self, host, name, answer):
        """Why a crawler cannot use a host, by the list in docs/verdicts.md."""
        if answer.verdict == "unknown":
            return "undecided"
        status, network = host.source.status, self.tables.file(host.source)["waf_hint"]
        if any(row["code"] == "challenge_page" for row in self.tables.of("anomalies", host.source)):
            return "refused"
        if status in (401, 403, 429, 451, 999) or (network and status in (405, 406, 418)):
            return "refused"
        by_class = {402: "payment"}.get(status, {4: "no_block", 5: "origin_down"}.get(status // 100))
        if by_class:
            return by_class
        if answer.verdict != "disallow_all":
            return "no_block"
        if answer.basis != "explicit":
            return "wildcard"
        return "own_name" if name in host.named else "fallback_name"

    def blocking_by_reason(self, agent="GPTBot", by_network=False):
        name = whole_name(agent.encode())

        def rows(hosts):
            answers = {host.key: host.answer(name, self.registry) for host in hosts}
            features = [(host, (self._reason_of_host(host, name, answers[host.key]), by_network and self.tables.file(host.source)["waf_hint"] or None))
                        for host in hosts]
            for row in rows_of(features, hosts, ["reason", "waf_hint"]):
                group = [host for host, feature in features if feature == (row["reason"], row["waf_hint"])]
                yield row | {"agent": name, "partial": sum(row["reason"] == "no_block" and answers[host.key].verdict == "partial" for host in group)}
        return self.each_crawl(rows)

    def blocking_by_software(self, kind="firewall", agent="GPTBot", min_hosts=30):
        def software(host):
            file = self.tables.file(host.source)
            server = re.match("[^/ (]*", file["http_server"] or "")[0].lower() or None
            return {"firewall": file["waf_hint"], "server": server, "template": file["template"]}[kind]
        return self.blocking_by("software", software, agent, min_hosts)

    def dialects_that_disagree(self):
        """By capture instead of by host, for '*' and crawlers of the registry. Other names count apart."""
        rows = []
        for crawl in self.crawls.names:
            captures = [capture for capture in self.crawls.captures[crawl] if capture.is_robots_path() and not capture.is_revisit]
            files = {capture.number: self.crawls.parsed(capture) for capture in captures}
            domains = {capture.number: domain_of(capture.host()) for capture in captures}
            sizes = Counter(domains.values())

            def weight(numbers):
                return sum(1 / sizes[domains[number]] for number in numbers) / len(sizes)

            for a, b in combinations(("google", "rfc9309", "koster1996"), 2):
                names = {
                    capture.number: {row["agent"] for row in self.tables.of("verdicts", capture) if row[f"verdict_{a}"] != row[f"verdict_{b}"]}
                    for capture in captures}
                differ = [number for number in names if any(name == "*" or name in self.registry for name in names[number])]
                others = [number for number in names if names[number] and number not in differ]
                by_rules = [number for number in differ if files[number]]
                by_status = [number for number in differ if not files[number]]
                for_all = [number for number in by_rules if "*" in names[number]]
                rows.append({
                    "crawl": crawl, "dialects": f"{a}, {b}", "captures": len(captures), "differ": len(differ),
                    "share": len(differ) / len(captures), "domains": len(sizes), "share_of_domains": weight(differ),
                    "by_rules": len(by_rules), "domains_by_rules": weight(by_rules), "by_rules_for_all": len(for_all),
                    "domains_by_rules_for_all": weight(for_all), "by_status": len(by_status), "domains_by_status": weight(by_status),
                    "other_names": len(others), "domains_other_names": weight(others), "low": None, "high": None,
                    "largest_domain": largest(domains[number] for number in by_rules),
                    "largest_ruleset": largest(files[number].ruleset for number in by_rules)})
        return rows

    def _line(self, source, line_no):
        if line_no is None:
            return None
        lines = [text for text, _ in lines_of(source.body)]
        key, value = key_and_value(lines[line_no - 1].partition(b"#")[0])
        text = (key + b": " + value).decode(errors="backslashreplace")
        return re.sub(r"\\x([0-9a-f]{2})", lambda byte: f"\\x{byte[1].upper()}", text)

    def changed_hosts(self, agent="GPTBot"):
        name, (first, last) = whole_name(agent.encode()), (self.crawls.names[0], self.crawls.names[-1])
        before = {host.key: host for host in self.crawls.hosts[first]}
        rows = []
        for after in self.crawls.hosts[last]:
            sides = [(side, host, host.answer(name, self.registry)) for side, host in (("before", before.get(after.key)), ("after", after)) if host]
            if len({(answer.verdict, answer.basis) for _, _, answer in sides}) == 2:
                rows.append({"from_crawl": first, "to_crawl": last, "surt_host_name": after.key, "url_host_name": after.name} | {
                    f"{column}_{side}": value for side, host, answer in sides for column, value in (
                        ("verdict", answer.verdict), ("basis", answer.basis), ("line", self._line(host.source, answer.line_no)), ("fetch_time", host.source.time))})
        return [row | {"hosts": len(rows)} for row in rows]

    def evidence(self, agent="GPTBot"):
        """Only hosts with a known verdict. The line is rebuilt from its key and value, without the comment."""
        def rows(hosts):
            for found, answer in self.answers(hosts, agent).values():
                source, file = found.source, self.tables.file(found.source)
                yield {
                    "surt_host_name": found.key, "url_host_name": found.name, "verdict": answer.verdict, "basis": answer.basis,
                    "line_no": answer.line_no, "line": self._line(source, answer.line_no), "url": source.url, "fetch_time": source.time,
                    "fetch_status": source.status, "content_digest": source.digest} | {
                        column: value for column, value in file.items() if column.startswith("warc_")}
        return self.each_crawl(rows)
