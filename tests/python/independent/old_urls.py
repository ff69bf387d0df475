"""Decides URLs with times by the captures of their hosts, as `robots-scan match` does over a history.

The captures are those of the oracle in test_history.py. Their lines are made a text again, which robots_txt.py parses. What the status
decides is read from the verdict for `*`.
"""

import re
from urllib.parse import urlsplit

from independent.archive import host_key
from independent.robots_txt import RobotsTxt, deciding_rule

BY_STATUS = {"allow_all": "allowed", "disallow_all": "disallowed", "unknown": "unknown"}
PLAIN_PATH = re.compile(r"/[A-Za-z0-9_-][A-Za-z0-9_/-]*")


def text_of(groups, rules):
    """A text with these lines of `groups` and `rules`, each at its line number."""
    lines = {row["line_no"]: f"User-agent: {row['agent'] if row['agent_raw'] is None else row['agent_raw']}" for row in groups}
    for row in rules:
        path = row["path"] if row["path_raw"] is None else row["path_raw"]
        lines[row["line_no"]] = f"{'Allow' if row['allow'] else 'Disallow'}: {path}"
    return "\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1)).encode()


class OldUrls:
    """The captures of the hosts of an oracle, and the answers by them."""

    def __init__(self, oracle):
        self.by_host, self.parsed = {}, {}
        for capture in oracle.captures:
            self.by_host.setdefault(capture["host"], []).append(capture)

    def time_of(self, capture):
        """The time by which captures are in order; null if neither the capture nor its crawl has one, which is before all times."""
        return capture["time"] or capture["crawl"].median

    def origin_of(self, capture):
        row = capture["row"]
        return row["url_protocol"], row["url_host_name"], row["url_port"]

    def lines_of(self, capture):
        crawl, robots_id = capture["crawl"], capture["row"]["rules_robots_id"]
        key = (crawl.name, robots_id)
        if key not in self.parsed:
            tables = [[dict(zip(getattr(crawl, f"{table}_columns"), row)) for row in getattr(crawl, table).get(robots_id, ())]
                      for table in ("groups", "rules")]
            self.parsed[key] = RobotsTxt(text_of(*tables))
        return self.parsed[key]

    def paths_of(self, capture):
        """Paths that rules of the capture decide."""
        paths = (rule.path.decode("ascii", "replace").replace("*", "a").rstrip("$") for rule in self.lines_of(capture).rules)
        return sorted({path for path in paths if PLAIN_PATH.fullmatch(path)})

    def access(self, capture, url, agent, any_origin):
        parts = urlsplit(url)
        if not any_origin and self.origin_of(capture) != (parts.scheme, parts.hostname, parts.port):
            return "unknown"
        row = capture["row"]
        if row["is_revisit"]:
            return "unknown"
        if row["wildcard_basis"] == "http_status":
            return BY_STATUS[row["wildcard_verdict"]]
        by_name = self.lines_of(capture).by_name
        _, rules = by_name.get(agent.lower()) or by_name.get("*") or (None, [])
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        rule = deciding_rule(rules, path.encode())
        return "allowed" if rule is None or rule.allow else "disallowed"

    def answer(self, url, time, agent, any_origin):
        """The columns of history_matches from `access` on that this module computes."""
        captures = self.by_host.get(host_key(urlsplit(url).hostname), [])
        before = [capture for capture in captures if time is None or self.time_of(capture) is None or self.time_of(capture) <= time]
        capture = before[-1] if before else None
        later = captures[len(before):]
        accesses = [self.access(of, url, agent, any_origin) for of in captures]
        first = next((of for of, access in zip(later, accesses[len(before):]) if access == "disallowed"), None)
        last = captures[-1] if captures else None
        parts = urlsplit(url)
        distance = int((time - capture["time"]).total_seconds()) if time and capture and capture["time"] else None
        return {
            "access": accesses[len(before) - 1] if before else "unknown",
            "crawl": capture and capture["crawl"].name, "fetch_time": capture and capture["time"], "seconds_before": distance,
            "is_same_origin": capture and self.origin_of(capture) == (parts.scheme, parts.hostname, parts.port),
            "archive_no": capture and capture["place"][0], "warc_record_offset": capture and capture["place"][1],
            "next_disallowed_crawl": first and first["crawl"].name, "next_disallowed_time": first and first["time"],
            "last_access": accesses[-1] if captures else "unknown",
            "last_crawl": last and last["crawl"].name, "last_fetch_time": last and last["time"]}
