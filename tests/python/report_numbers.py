"""Compares the numbers of a page of the report with the answers to the questions that it shows.

Every cell of a table is that of one row and one column of an answer (FIGURES), or is computed from the records, whose queries
`test_report.py` counts. The labels of marks, the texts at bars, the lengths of bars and the sentences are compared with the table.
"""

import datetime
import html
import re

from robots_scan._terminal import escaped
from robots_scan.report.words import mechanism, template, use, words

PERCENT = re.compile(r"([\d.]+)\u00a0%")
SHARES = {"hosts": "hosts", "of hosts": "of_hosts", "share of hosts": "share", "domains_any": "domains_any", "of domains": "of_domains",
          "share of domains": "share_of_domains", "95 % from": "low", "to": "high", "largest domain": "largest_domain", "largest rule set": "largest_ruleset"}
BLOCKING = {"of hosts": "hosts", "by name": "blocked_by_name", "through *": "blocked_by_wildcard", "by 429 or 5xx": "blocked_by_status", "of domains": "domains",
            "domains by name": "domains_blocked_by_name", "domains through *": "domains_blocked_by_wildcard",
            "domains by 429 or 5xx": "domains_blocked_by_status", "by name, 95 % from": "low", "to": "high", "by name, largest domain": "largest_domain",
            "by name, largest rule set": "largest_ruleset"}
RESPONSES = {"notfound": "not found (400, 404, 410)", "unauthorized": "401 (by RFC 9309, all is allowed)", "forbidden": "403 (by RFC 9309, all is allowed)", "not a robots.txt": "not a robots.txt (HTML)",
             "defer_visits": "429 or 5xx (all is blocked)", "redirect": "redirect without its target", "other": "other status"}
# Outcomes of responses with the status 200.
WITH_STATUS_200 = ("robots.txt with rules", "robots.txt without rules", "not a robots.txt")
# Names of the registry under which no crawler comes.
CONTROL_TOKENS = {"Google-Extended", "Applebot-Extended", "Webzio-Extended"}
LEGACY_NAMES = {"anthropic-ai"}
PREFERENCES = {"allow_all": "allowed", "disallow_all": "disallowed", "mixed": "by path", "unknown_all": "not stated", "not_crawlable": "all blocked",
               "too_complex": "too complex", None: "stated"}
# With fewer hosts, numbers are beside shares, and nothing is said to be the largest.
FEW = 30
DIALECTS = {"google": "Google", "rfc9309": "RFC 9309", "koster1996": "Koster 1996"}


def rank_class(row):
    return {1000: "1 to 1,000", 10000: "1,001 to 10,000", 100000: "10,001 to 100,000", 1000000: "100,001 to 1,000,000"}[row["up_to_rank"]]


def statement(row):
    value = "" if row["pref_value"] is None else "=" + row["pref_value"]
    return mechanism(row["mechanism"]) + ": " + row["pref_key"] + value + (" (template)" if row["from_template"] else "")


def preference(row):
    return ("" if row["mechanism"] == "any" else mechanism(row["mechanism"]) + ": ") + f"{use(row['category'])} {PREFERENCES[row['preference']]}"


def crawler(row, token):
    """Returns the name of a crawler with the mark of a name under which no crawler comes."""
    name = token[row["agent"]]
    return name + (" (no crawler: use for AI)" if name in CONTROL_TOKENS else " (no crawler today)" if name in LEGACY_NAMES else "")


def rule_set(row):
    return row["rules"] and re.sub(r"Disallow:(?=;|$)", "Disallow: (nothing)", row["rules"]) or (f"one rule set of {template(row['template'])}" if row["template"] and row["hosts_with_template"] * 2 >= row["hosts"] else "longer rules, not recognized")


def without(columns, *names):
    return {header: column for header, column in columns.items() if header not in names}


REASONS = {"own_name": "rules that name it", "fallback_name": "rules that name its fallback", "wildcard": "rules for all crawlers", "refused": "refused by a server",
           "payment": "payment is asked (402)", "origin_down": "server down (5xx)", "undecided": "not decided", "no_block": "not kept out"}

# For each figure: the label of a row of the answer, and the column of the answer in each column of the table.
FIGURES = {
    "outcomes": (lambda row, token: RESPONSES.get(row["outcome"], row["outcome"]), SHARES),
    "reasons": (lambda row, token: REASONS[row["reason"]], SHARES),
    "ai-crawlers": (crawler, {
        **BLOCKING, "hosts with a group that it obeys": "hosts_naming", "hosts by name": "hosts_blocked_by_name", "operator": "operator"}),
    "ai-crawlers-over-time": (lambda row, token: f"{token[row['agent']]} in {row['crawl']}", {**BLOCKING, "hosts by name": "hosts_blocked_by_name"}),
    "same-hosts": (lambda row, token: row["crawl"], {
        "decided in every crawl": "hosts", "by name": "blocked_by_name", "their domains": "domains", "domains by name": "domains_blocked_by_name",
        "all hosts": "all_hosts", "all hosts by name": "all_hosts_blocked_by_name", "all domains by name": "all_domains_blocked_by_name",
        "by name, largest domain": "largest_domain", "by name, largest rule set": "largest_ruleset"}),
    "history-all-hosts": (lambda row, token: f"{token[row['agent']]} in {row['crawl']}", {
        "of hosts": "hosts", "by name": "blocked_by_name", "through *": "blocked_by_wildcard", "by 429 or 5xx": "blocked_by_status",
        "domains by name": "all_domains_blocked_by_name", "domains_any": "domains_any", "by name, 95 % from": "low", "to": "high", "by name, largest domain": "largest_domain"}),
    "history-same-hosts": (lambda row, token: f"{token[row['agent']]} in {row['crawl']}", {
        "decided in every crawl": "hosts", "by name": "blocked_by_name", "their domains": "domains", "domains by name": "domains_blocked_by_name",
        "by name, largest domain": "largest_domain", "by name, largest rule set": "largest_ruleset"}),
    "categories": (lambda row, token: f"{words(row['category'])} ({row['agents']})", {**SHARES, "crawlers": "agents", "mostly": "mostly"}),
    "tlds": (lambda row, token: row["url_host_tld"] or "(none)", BLOCKING),
    "networks": (lambda row, token: words(row["software"]) if row["software"] else "no hint in the headers", BLOCKING),
    "ranks": (lambda row, token: rank_class(row), BLOCKING),
    "labels": (lambda row, token: row["label"], BLOCKING),
    "origins": (lambda row, token: f"written by {'the site' if row['origin'] == 'site' else 'a vendor'}", {
        **SHARES, "unknown, hosts": "unknown", "unknown, share of hosts": "share_unknown"}),
    "rule-sets": (lambda row, token: rule_set(row), {**without(SHARES, "largest rule set"), "ruleset_id": "ruleset_id", "such as": "example"}),
    "preferences": (lambda row, token: statement(row), SHARES),
    "effective-preferences": (lambda row, token: preference(row), SHARES),
    "invitations": (crawler, {**SHARES, "hosts that name it": "named", "of those": "ratio", "operator": "operator",
                              "hosts that let it in and block *": "despite_wildcard", "domains that let it in and block *": "domains_despite_wildcard"}),
    "anomalies": (lambda row, token: words(row["code"]), {
        "code": "code", "commonest names": "names", "hosts with it": "hosts", "of hosts": "of_hosts", "with it, of hosts": "share", "of domains": "of_domains", "with it, of domains": "share_of_domains",
        "hosts with a changed verdict": "changed", "changed, largest domain": "changed_largest_domain"}),
    "dialects": (lambda row, token: " / ".join(DIALECTS[name] for name in row["dialects"].split(", ")), {
        "captures that differ by rules": "by_rules", "of captures": "captures", "of domains": "domains", "share of domains": "domains_by_rules",
        "captures by status": "by_status", "domains by status": "domains_by_status", "captures, other names only": "other_names",
        "domains, other names only": "domains_other_names", "largest domain": "largest_domain", "largest rule set": "largest_ruleset"}),
    "denominators": (lambda row, token: row["crawl"], {
        "archives": "archives_read", "captures": "captures", "hosts": "hosts", "with rules": "hosts_with_rules", "decided": "hosts_decided",
        "registered domains": "domains"}),
}
# The header of the share of domains, with which charts and sentences begin, by that of the share of hosts.
MAIN = {"share of hosts": "share of domains", "by name": "domains by name", "share": "share of domains"}
# The figures whose rows are in the order of their shares of domains, and those whose sentence names the row with the largest one.
RANKED = ("outcomes", "ai-crawlers", "categories", "rule-sets", "preferences", "effective-preferences", "invitations", "anomalies", "tlds", "networks", "labels")
LARGEST = ("tlds", "networks", "ranks", "labels")


def check_figure(results, name, key, article, ask, token):
    """Checks one figure: `ask` returns the rows of the answer to a query, as dictionaries."""
    # A figure about one of several crawlers has the name of the crawler in its key.
    key = key.split("--")[0]
    calls = [sql for sql in article.items if sql.startswith("FROM ") and sql.endswith(");")]
    answers = [ask(sql) for sql in calls]
    results.check(answers, f"{name}: {key}: no SQL")
    table = [dict(cells) for cells in article.table()]
    if key == "headline":
        check_headline(results, name, table, answers)
    elif key == "number-of-ai-crawlers":
        check_how_many(results, name, table, answers[0])
    elif key == "contradictions":
        check_contradictions(results, name, table, answers[0])
    else:
        label_of, columns = FIGURES[key]
        found = {}
        for row in answers[0]:
            # An answer of nothing is a row with its denominator.
            if row.get("hosts") or key in ("denominators", "dialects", "ai-crawlers", "ai-crawlers-over-time", "templates", "preferences", "effective-preferences"):
                label = escaped(label_of(row, token))
                number = sum(label == other or other.startswith(f"{label} (") for other in found) + 1 if key == "rule-sets" else 1
                found[label if number == 1 else f"{label} ({number})"] = row
        if key == "history-all-hosts":
            # The shares of registered domains are those of another question.
            for row in answers[1]:
                found[escaped(label_of(row, token))]["all_domains_blocked_by_name"] = row["all_domains_blocked_by_name"]
        for row in table:
            label, *_ = row.values()
            for header, cell in row.items():
                if header in columns:
                    value = found[label][columns[header]] if label in found else "no such row"
                    # Rows about responses have the empty rule set, which the page leaves out.
                    is_left_out = cell == "–" and header == "largest rule set" and key in ("outcomes", "reasons", "rule-sets")
                    value = escaped(value) if isinstance(value, str) else value
                    results.check(is_left_out or is_shown(cell, value), f"{name}: {key}: {label}: {header}: {cell}, but the answer is {value}")
    if key == "anomalies":
        check_changed(results, name, table, answers[0], ask)
    if key in FIGURES or key in ("headline", "number-of-ai-crawlers", "contradictions"):
        check_chart(results, name, key, article, table)
        check_lead(results, name, key, article, table)


def is_shown(cell, value):
    """Returns true if a cell shows a value: a text, a number, or a share with one decimal or two digits."""
    if value is None or isinstance(value, str):
        return cell == (value if value is not None else "–")
    found = PERCENT.fullmatch(cell)
    if not found:
        return cell in (f"{value:,.0f}", str(value))
    digits = len(found[1].partition(".")[2])
    shown, percent = float(found[1]), value * 100
    if percent in (0, 100) or shown in (0, 100):
        return shown == percent or 0 < percent < 1e-4
    # Shares of questions have six digits.
    return abs(shown - percent) <= 0.5 * 10 ** -digits + 1e-4 or shown == 99.9 and 99.9 < percent < 100


def check_headline(results, name, table, answers):
    categories, *of_crawlers, preferences, responses = answers
    any_ai = next((row for row in categories if row["category"] == "(any ai)"), None)
    expected = {"block at least one AI crawler by name": {header: any_ai[column] for header, column in SHARES.items()}} if any_ai else {}
    crawlers = dict.fromkeys(found[1] for found in (re.match(r"block (\S+) through \*", next(iter(row.values()))) for row in table) if found)
    for crawler in crawlers:
        row = next(row for answer in of_crawlers for row in answer if row["agent"] == crawler.lower())
        crawler = re.escape(crawler)
        for pattern, reason in ((rf"block {crawler} by name( or by the name of its fallback [\w-]+)?", "name"), (rf"block {crawler} through \*", "wildcard"),
                                ("answered 429 or 5xx", "status")):
            expected.setdefault(pattern, {
                "hosts": round(row[f"blocked_by_{reason}"] * row["hosts"]), "of hosts": row["hosts"], "share of hosts": row[f"blocked_by_{reason}"],
                "of domains": row["domains"], "share of domains": row[f"domains_blocked_by_{reason}"]})
    for row in preferences:
        if row["category"] == "training" and row["preference"] == "disallow_all":
            expected["with a 2xx response state that AI training is disallowed"] = {header: row[column] for header, column in SHARES.items()}
    for row in responses:
        if row["outcome"] == "robots.txt with rules":
            expected["have a robots.txt with rules"] = {header: row[column] for header, column in without(SHARES, "largest rule set").items()}
    if all(row["outcome"] in WITH_STATUS_200 for row in responses):
        # A status that the crawl may not hold is no share of 0 %.
        expected.pop("answered 429 or 5xx", None)
    for row in table:
        label = next(iter(row.values()))
        values = expected.get(label) or next((expected[pattern] for pattern in expected if re.fullmatch(pattern, label)), None)
        results.check(values is not None, f"{name}: headline: a row without an answer: {label}")
        for header, value in (values or {}).items():
            if header in row:
                results.check(is_shown(row[header], value), f"{name}: headline: {label}: {header}: {row[header]}, but the answer is {value}")


def check_big_numbers(results, name, shown, table, page_text, ask):
    """The numbers in large type are those of rows of the table: the share of domains, how many these are, what they are about, and the same of hosts. Beside
    them is what must be known: the share on any ground, the choice of the crawler, how many let Googlebot in, and the other responses."""
    rows = [dict(cells) for cells in table]
    results.check(shown and len(shown) == min(5, len(rows)), f"{name}: {len(shown)} numbers are in large type, of {len(rows)}")
    for text in shown:
        found = next((row for row in rows if text.startswith(big(row))), None)
        results.check(found is not None, f"{name}: a number in large type that no row has: {text}")
        if found is None:
            continue
        beside, label = text[len(big(found)):], next(iter(found.values()))
        few = int(found["hosts"].replace(",", "")) < 5
        for sign, header in (("▲", "largest domain"), ("have ", "largest rule set")):
            is_half = not few and found.get(header, "–") != "–" and number(found[header]) >= 50
            results.check((sign in beside.split(" others:")[0]) == is_half, f"{name}: '{text}': {header} {found.get(header)}")
        if label.startswith("block at least one"):
            shown_share = re.search(r" at least one by name, through \* or by a 429 or 5xx: ([\d.]+) %$", beside)
            results.check(shown_share is not None and is_shown(f"{shown_share[1]}\u00a0%", on_any_ground(ask, page_text)), f"{name}: '{text}': another share on any ground")
        elif label.endswith(" through *"):
            crawler = label.split()[1]
            let_in = ask(f"SELECT count(*) AS hosts FROM verdicts_for('{crawler}', crawl := '{crawl_of(page_text)}') v JOIN verdicts_for('Googlebot', crawl := '{crawl_of(page_text)}') g "
                         "ON g.host_id = v.host_id WHERE v.verdict = 'disallow_all' AND v.basis NOT IN ('explicit', 'http_status') AND g.verdict IN ('allow_all', 'partial')")[0]["hosts"]
            others, either = (ask(f"SELECT count(DISTINCT v.host_id) AS hosts FROM verdicts_for('{crawler}', crawl := '{crawl_of(page_text)}') v JOIN host_verdicts o ON o.host_id = v.host_id "
                                  "WHERE v.verdict = 'disallow_all' AND v.basis NOT IN ('explicit', 'http_status') AND o.basis = 'explicit' AND o.verdict IN ('allow_all', 'partial') "
                                  f"{condition}")[0]["hosts"] for condition in ("AND o.agent <> 'googlebot'", ""))
            expected = f" {either:,} of the {found['hosts']} {noun(found['hosts'], 'host')} let a crawler in by its name: {let_in:,} Googlebot, {others:,} another"
            results.check(found["hosts"] == "0" or beside.endswith(expected), f"{name}: '{text}': not '{expected}'")
        elif label.startswith("block "):
            results.check(re.search(r" this page was made for \S+$", beside) is not None, f"{name}: '{text}': nothing about the choice of the crawler")
        elif label.startswith("have a "):
            results.check(" others: " in beside or beside.endswith(" the crawl holds only responses with the status 200"), f"{name}: '{text}': nothing about the other responses")
        elif label.startswith("answered"):
            results.check(found["hosts"] != "0" or "status 200" not in page_text, f"{name}: '{text}': a share of 0 % of a status that the crawl does not hold")


def big(row):
    """Returns how the text of a number in large type begins."""
    label = next(iter(row.values()))
    if label.endswith(" through *"):
        label = f"{label[:-len(' through *')]} through the rules for crawlers that a file does not name (*)"
    elif label == "answered 429 or 5xx":
        label += ", so no crawler may fetch for now"
    return " ".join(f"{row['share of domains']} of {row['of domains']} {noun(row['of domains'], 'registered domain')} {label} ◆ {said_of_hosts(row)}".split())


def crawl_of(page_text):
    """Returns the crawl of a page, for a literal of SQL."""
    return html.unescape(re.search(r"<h1>robots.txt in (.*?)</h1>", page_text)[1]).replace("'", "''")


def on_any_ground(ask, page_text):
    """Returns the share of registered domains on which some AI crawler may fetch nothing, computed from the verdict of each host for each of them."""
    crawl = crawl_of(page_text)
    categories = [row["category"] for row in ask("SELECT DISTINCT c.category FROM (SELECT unnest([g.category, g.category2]) AS category FROM agents g) c "
                                                  "WHERE starts_with(c.category, 'ai_')")]
    hosts = ask(f"""
        WITH blocked AS (SELECT DISTINCT v.host_id FROM verdicts_in({categories}, crawl := '{crawl}') v WHERE v.verdict = 'disallow_all')
        SELECT h.domain, h.host_id IN (SELECT b.host_id FROM blocked b) AS is_blocked FROM hosts h WHERE h.crawl = '{crawl}' AND h.wildcard_verdict <> 'unknown'""")
    domains = {}
    for host in hosts:
        domains.setdefault(host["domain"], []).append(host["is_blocked"])
    return sum(sum(blocked) / len(blocked) for blocked in domains.values()) / len(domains)


def noun(count, name):
    return name if count == "1" else f"{name}s"


def check_how_many(results, name, table, answer):
    for row in table:
        step = int(next(iter(row.values())).split()[0])
        hosts = sum(found["hosts"] for found in answer if found["agents_blocked"] >= step)
        nearest = min((found for found in answer if found["agents_blocked"] >= step), key=lambda found: found["agents_blocked"])
        for header, value in (("hosts", hosts), ("of hosts", answer[0]["of_hosts"]), ("share of hosts", hosts / answer[0]["of_hosts"]),
                              ("share of domains", nearest["share_of_domains_this_many_or_more"])):
            results.check(is_shown(row[header], value), f"{name}: number of crawlers: {step}: {header}: {row[header]}, but it is {value}")


def check_contradictions(results, name, table, answer):
    rules = {"block by name": "blocked_by_name", "block through *": "blocked_by_wildcard", "block by status": "blocked_by_status",
             "allow some paths": "partial", "allow all paths": "allowed"}
    shown = set()
    for row in table:
        said, rule = next(iter(row.values())).split(", ")
        found = next(found for found in answer if preference(found) == said)
        shown.add((said, rule))
        for header, value in (("of hosts", found["hosts"]), ("share of hosts", found[rules[rule]]), ("share of domains", found["domains_" + rules[rule]]),
                              ("hosts", round(found[rules[rule]] * found["hosts"]))):
            results.check(is_shown(row[header], value), f"{name}: contradictions: {said}, {rule}: {header}: {row[header]}, but the answer is {value}")
    for found in answer:
        for rule, column in rules.items():
            results.check(found[column] == 0 or (preference(found), rule) in shown, f"{name}: contradictions: no row for {rule}")


def check_changed(results, name, table, answer, ask):
    """The shares of hosts with a changed verdict, which the question does not have."""
    crawl = answer[0]["crawl"].replace("'", "''")
    for row in table:
        code = row["code"]
        hosts = ask(f"SELECT h.domain, h.rules_robots_id IN (SELECT a.robots_id FROM anomalies a WHERE a.crawl = h.crawl AND a.code = '{code}' AND a.changes_verdict) "
                    f"AS is_changed FROM hosts_with('successful', crawl := '{crawl}') h")
        domains = {}
        for host in hosts:
            domains.setdefault(host["domain"], []).append(host["is_changed"])
        for header, value in (("share of hosts", sum(host["is_changed"] for host in hosts) / len(hosts)),
                              ("share of domains", sum(sum(changed) / len(changed) for changed in domains.values()) / len(domains))):
            results.check(is_shown(row[header], value), f"{name}: anomalies: {code}: {header}: {row[header]}, but it is {value}")


def check_chart(results, name, key, article, table):
    """Checks the marks of both forms of a chart: their labels, the texts at bars, and the lengths of bars."""
    rows = {next(iter(row.values())): row for row in table}
    for svg in re.findall(r"<svg.*?</svg>", article.text, re.DOTALL):
        if key in LINES:
            check_points(results, name, key, svg, rows)
            continue
        marks = re.findall(r'<path aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="bar"[^>]*? d="M([-\d.]+),[-\d.]+h([\d.]+)v', svg)
        scales = []
        for label, _, width in marks:
            label = html.unescape(label)
            row = next((row for text, row in rows.items() if label.startswith(text + ":")), None)
            results.check(row is not None, f"{name}: {key}: a mark without a row: {label}")
            if row:
                header = MAIN[next(header for header in MAIN if header in row)]
                percent = PERCENT.search(label[len(next(iter(row.values()))):])[0]
                results.check(percent == row[header], f"{name}: {key}: the mark '{label}' has {percent}, the table {row[header]}")
                scales.append((float(percent[:-2]), float(width)))
        check_lengths(results, name, key, scales)
        # The axis: pixels and percent of its last tick.
        x, percent = max(((float(x), float(percent)) for x, percent in re.findall(r'translate\(([\d.]+),\d+\)"[^>]*>([\d.]+)%</text>', svg)), key=lambda tick: tick[1])
        for share, width in scales:
            results.check(abs(width - share * x / percent) <= 0.06 * x / percent + 0.01 * width + 0.6, f"{name}: {key}: a bar of {share} % is {width} long, but {percent} % is at {x}")
        drawn = [row for row in table if any(html.unescape(label).startswith(next(iter(row.values())) + ":") for label, _, _ in marks)]
        results.check(len(drawn) > 1 and (len(drawn) == len(table) or key in LARGEST and all(is_few(row) for row in table if row not in drawn)), f"{name}: {key}: drawn are {drawn}")
        texts = [html.unescape(text) for text in re.findall(r"<text[^>]*>([\d.]+\u00a0%(?: \((?:&lt; 1|\d+)\))?)</text>", svg)]
        results.check(len(texts) >= len(drawn) and all(is_text_of(text, row) for text, row in zip(texts, drawn)), f"{name}: {key}: texts at bars: {texts}")
        greys = re.findall(r'<path aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="bar"[^>]*fill="#767676"', svg)
        results.check({html.unescape(label).split(": ")[0] for label in greys} == {next(iter(row.values())).split(": ")[0] for row in drawn if is_few(row)}, f"{name}: {key}: grey are {greys}")
        # Diamonds beyond the axis are at its edge, with their numbers.
        beyond = re.findall(r"<text[^>]*>([\d.]+\u00a0%) →[ ▲■]*</text>", svg)
        # The diamonds, which have no labels, are at the shares of hosts.
        symbols = svg[svg.index('class="mark-symbol'):] if marks else ""
        places = [float(place) for place in re.findall(r'<path transform="translate\(([-\d.]+),', symbols[:symbols.index("</g>")])] if marks else []
        shares = [first_share(row)[1] for row in drawn]
        results.check(len(places) == len(shares), f"{name}: {key}: {len(places)} diamonds for {len(shares)} rows")
        for place, shown in zip(places, shares):
            is_there = abs(place - number(shown) * x / percent) <= 0.06 * x / percent + 0.01 * place + 0.6
            results.check(is_there or shown in beyond and place == max(places) and number(shown) * x / percent > place,
                          f"{name}: {key}: a diamond at {place}, the share of hosts {shown}, {percent} % is at {x}, beyond are {beyond}")


def is_text_of(text, row):
    """Returns true if a text at a bar has the share of domains and, if they are few, their number."""
    shown, domains = first_share(row)[0], number(first_share(row)[0]) / 100 * int(row["of domains"].replace(",", ""))
    found = re.fullmatch(r"([\d.]+\u00a0%)(?: \((< 1|\d+)\))?", text)
    margin = 0.0006 * int(row["of domains"].replace(",", "")) + 0.51
    few = found[2] and (0.25 if found[2] == "< 1" else float(found[2]))
    return found[1] == shown and (abs(few - domains) <= margin and few < FEW + 0.5 if few else row[counted_of(row)] == "0" or domains >= FEW - margin)


# The figures of lines: the share of each series, in the panel of hosts and in that of domains.
LINES = {
    "ai-crawlers-over-time": {"": ("by name", "domains by name")},
    "history-all-hosts": {"": ("by name", "domains by name")},
    "history-same-hosts": {"": ("by name", "domains by name")},
    "same-hosts": {"all hosts in ": ("all hosts by name", "all domains by name"), "decided in every crawl in ": ("by name", "domains by name")},
}


def check_points(results, name, key, svg, rows):
    """Points have the shares of the table, heights that are proportional to them, and distances that are proportional to time."""
    scales, places = {}, set()
    for label, x, y in re.findall(r'<path aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="point" transform="translate\(([-\d.]+),([-\d.]+)\)"', svg):
        prefix = next(prefix for prefix in LINES[key] if label.startswith(prefix))
        of_hosts, of_domains = LINES[key][prefix]
        text, percent, panel = re.fullmatch(r"(.*): (\S+\u00a0%) of (hosts|registered domains)", label.removeprefix(prefix)).groups()
        cell = rows[text][of_hosts if panel == "hosts" else of_domains]
        results.check(percent == cell, f"{name}: {key}: the point '{label}', but the table has {cell}")
        scales.setdefault(panel, []).append((float(percent[:-2]), 200 - float(y)))
        places.add((datetime.date.fromisoformat(rows[text]["median day"]).toordinal(), float(x)))
    (first, left), (last, right) = min(places), max(places)
    for day, x in places:
        # The table has days and the chart milliseconds.
        slope = (right - left) / max(1, last - first)
        results.check(abs(x - left - (day - first) * slope) <= slope + 0.1, f"{name}: {key}: the point of day {day} is at {x}, days {first} to {last} at {left} to {right}")
    results.check(scales, f"{name}: {key}: no points")
    for heights in scales.values():
        # The axis of each panel fits its shares.
        check_lengths(results, name, key, heights)


def counted_of(row):
    """Returns the header of the number that the main share of a row counts."""
    return next(header for header in ("hosts with a changed verdict", "captures that differ by rules", "hosts by name", "hosts") if header in row)


def is_few(row):
    """Returns true if so few hosts or registered domains are counted that the row is not compared with others."""
    return int(row[counted_of(row)].replace(",", "")) < FEW or number(first_share(row)[0]) / 100 * int(row["of domains"].replace(",", "")) < FEW - 0.5


def said_of_hosts(row):
    """Returns the share of hosts as sentences have it, with its number if they are few."""
    shown, of_hosts = first_share(row)[1], f"{row['of hosts']} {noun(row['of hosts'], 'host')}"
    few = int(row[counted_of(row)].replace(",", "")) < FEW
    return f"{row[counted_of(row)]} of {of_hosts}, {shown}" if few else f"{shown} of {of_hosts}"


def first_share(row):
    """Returns the shares of domains and of hosts."""
    header = next(header for header in MAIN if header in row)
    return row[MAIN[header]], row[header]


def check_lengths(results, name, key, scales):
    """The lengths of bars are proportional to their shares, up to the digits that labels show."""
    longest = max(scales, key=lambda pair: pair[1], default=None)
    if not longest or not longest[0]:
        results.check(all(width == 0 for _, width in scales), f"{name}: {key}: bars without a share: {scales}")
        return
    for percent, width in scales:
        expected = percent * longest[1] / longest[0]
        results.check(abs(width - expected) <= 0.06 * longest[1] / longest[0] + 0.02 * longest[1] + 0.1, f"{name}: {key}: a bar of {percent} % is {width} long, not {expected:.1f}")


def check_lead(results, name, key, article, table):
    """The first percentages of the sentence are those of the row that it is about."""
    lead = re.sub(r" \(95 % interval[^)]*\)", "", article.lead())
    if key.startswith("history-"):
        check_history_lead(results, name, key, lead + " " + " ".join(article.paragraphs), table)
        return
    found = PERCENT.findall(lead)
    if key == "headline":
        row = next((row for row in table if re.match(r"block \S+ by name", next(iter(row.values())))), None)
        rows = [row] if row else []
    elif key in LARGEST:
        labels = [next(iter(row.values())) for row in table]
        rows = [row for row, label in zip(table, labels) if f" is largest in {label}: " in lead or f"Only in {label}, of " in lead or len(table) == 1]
        named = [row for row, label in zip(table, labels) if not label.startswith("(") and label != "no hint in the headers" and not is_few(row)]
        largest = max((number(row["domains by name"]) for row in named), default=0)
        results.check(len(table) == 1 or len(rows) == bool(named) and (not rows or number(rows[0]["domains by name"]) == largest), f"{name}: {key}: another row is larger: {lead}")
        check_ranks(results, name, key, table)
        check_order(results, name, key, article, named)
    elif key == "dialects":
        rows = [max(table, key=lambda row: (number(row["share of domains"]), number(row["share"])))]
        rows = rows if rows[0]["captures that differ by rules"] != "0" else []
        check_order(results, name, key, article, table)
    elif key == "reasons":
        # What keeps a crawler out, without the hosts that are not decided or let it in.
        table = [row for row in table if row["reason"] not in (REASONS["undecided"], REASONS["no_block"])]
        rows = [max(table, key=lambda row: [number(share) for share in first_share(row)])] if table else []
        results.check(bool(rows) == lead.endswith("with a capture.") and bool(rows) != lead.startswith("No host keeps "), f"{name}: {key}: {lead}")
        if not rows:
            return
        check_order(results, name, key, article, table)
    elif key == "ai-crawlers-over-time":
        crawls = re.match(r"(\S+) is blocked by .*? in (\S+), and by .*? in (\S+)\.( |$)", lead)
        results.check(bool(crawls), f"{name}: {key}: {lead}")
        rows = [next(row for row in table if row["crawler and crawl"] == f"{crawls[1]} in {crawl}") for crawl in crawls.groups()[1:3]] if crawls else []
    elif key == "number-of-ai-crawlers":
        rows = table[:1] + table[1:][-1:]
    else:
        check_ranks(results, name, key, table)
        if key in ("same-hosts", "origins", "contradictions", "denominators"):
            return
        check_order(results, name, key, article, table)
        first = max((first_share(row) for row in table), key=lambda shares: (number(shares[0]), number(shares[1])))
        rows = [next(row for row in table if first_share(row) == first)]
        if key == "invitations" and len(table) > 1 and is_few(rows[0]):
            rows = []
    expected = [share.split("\u00a0")[0] for row in rows for share in first_share(row)]
    results.check(found[:len(expected)] == expected, f"{name}: {key}: the sentence has {found}, the table {expected}: {lead}")
    if rows:
        of_hosts, of_domains = rows[0].get("of hosts") or rows[0]["of captures"], rows[0]["of domains"]
        results.check(f"{of_hosts} {'capture' if key == 'dialects' else 'host'}" in lead and f"{of_domains} registered domain" in lead,
                      f"{name}: {key}: the sentence does not have the denominators {of_hosts} and {of_domains}: {lead}")


def check_history_lead(results, name, key, lead, table):
    """The sentences have the shares of the first crawler in its first and last crawl, and those of the others in the last one."""
    rows = {tuple(row["crawler and crawl"].split(" in ")): row for row in table}
    crawlers = list(dict.fromkeys(crawler for crawler, _ in rows))
    (_, first), (_, last) = list(rows)[0], list(rows)[-1]
    ends = [rows[crawlers[0], crawl] for crawl in (first, last)]
    column = "domains by name"
    if key == "history-all-hosts":
        expected = [f" by {row[column]} of registered domains ({said_of_hosts(row)}) in {crawl}" for row, crawl in zip(ends, (first, last))]
    else:
        expected = [f"Among the {ends[1]['decided in every crawl']} hosts ", f" {ends[0][column]} of their {ends[0]['their domains']} registered domains ",
                    f" in {first}, and {ends[1][column]} in {last} ({ends[0]['by name']} and {ends[1]['by name']} of these hosts)."]
    if crawlers[1:]:
        expected.append(f" Shares of registered domains for the others in {last}: {', '.join(f'{crawler} {rows[crawler, last][column]}' for crawler in crawlers[1:])}.")
    for said in expected:
        results.check(said in lead, f"{name}: {key}: the sentence does not say '{said}': {lead}")


def check_ranks(results, name, key, table):
    """Rows are in the order of their shares of domains, and those of few hosts or domains after these, in the order of their names."""
    if key not in RANKED:
        return
    shares = [number(first_share(row)[0]) for row in table if not is_few(row)]
    labels = [next(iter(row.values())).lower() for row in table if is_few(row)]
    is_split = [is_few(row) for row in table] == sorted(is_few(row) for row in table)
    results.check(shares == sorted(shares, reverse=True) and labels == sorted(labels) and is_split, f"{name}: {key}: rows are not in order: {table}")


def check_order(results, name, key, article, rows):
    """A warning says which row is first by hosts, if another one is first by domains."""
    by_domains = max((first_share(row) for row in rows), key=lambda shares: (number(shares[0]), number(shares[1])), default=None)
    by_hosts = max(rows, key=lambda row: number(first_share(row)[1]), default=None)
    if not rows or not number(first_share(by_hosts)[1]):
        return
    first = next(row for row in rows if first_share(row) == by_domains)
    differs = number(first_share(by_hosts)[1]) > number(by_domains[1]) and not is_few(first) and not is_few(by_hosts)
    found = re.search(r"\bBy (?:hosts|captures), the order is another: first is (.*?), ([\d.]+)\u00a0% of ", " ".join(article.warnings))
    results.check(bool(found) == differs, f"{name}: {key}: the orders {'differ' if differs else 'agree'}: {article.warnings}")
    if found and differs:
        shares = {next(iter(row.values())): first_share(row)[1].split("\u00a0")[0] for row in rows}
        results.check(found[2] == shares[found[1]] == first_share(by_hosts)[1].split("\u00a0")[0], f"{name}: {key}: another row is first by hosts: {article.warnings}")


def number(share):
    return float(share.split("\u00a0")[0])
