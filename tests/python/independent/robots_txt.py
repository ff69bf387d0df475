"""Parses robots.txt files as Google's parser does, compares names whole, and decides verdicts for all paths."""

import re
from dataclasses import dataclass, field
from functools import cached_property

BODY_LIMIT = 512_000
LINE_LIMIT = 16_663
BLANKS = b" \t\n\v\f\r"
KEYS = {
    "agent": (b"user-agent", b"useragent", b"user agent"),
    "allow": (b"allow",),
    "disallow": (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"),
    "sitemap": (b"sitemap", b"site-map"),
}
BINARY = (b"\x1f\x8b", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"\x28\xb5\x2f\xfd", b"BZh", b"\x7fELF", b"RIFF")


@dataclass
class Group:
    """User-agent lines without a rule between them, and what follows up to the next group. `names` has those that count.

    A delay belongs only to the names directly above it, whose lines no other directive separates.
    """

    line_no: int
    values: list = field(default_factory=list)
    names: set = field(default_factory=set)
    rules: list = field(default_factory=list)
    crawl_delays: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    allow: bool
    path: bytes
    line_no: int
    has_group: bool
    counts: bool


def lines_of(body):
    """Yields each line without its end, and the offset at which it ends. The text after the last line end is a line, too."""
    start = 0
    while start < 3 and body[start:start + 1] == b"\xef\xbb\xbf"[start:start + 1]:
        start += 1
    while True:
        end = re.compile(rb"[\r\n]|\Z").search(body, start).start()
        yield body[start:end][:LINE_LIMIT], end
        if end == len(body):
            return
        start = end + (2 if body[end:end + 2] == b"\r\n" else 1)


def key_and_value(line):
    """The key and the value of a line without its comment, or null."""
    line = line.strip(BLANKS)
    if b":" in line:
        key, _, value = line.partition(b":")
    else:
        words = re.fullmatch(rb"([^ \t]+)[ \t]+([^ \t]+)", line)
        if not words:
            return None
        key, value = words.groups()
    key = key.strip(BLANKS)
    return (key, value.strip(BLANKS)) if key else None


def escaped(value):
    """A path as it is compared: hex digits in upper case, octets above 0x7F percent-encoded."""
    return re.sub(rb"%[0-9a-fA-F]{2}|[\x80-\xff]", lambda found: b"%%%02X" % found[0][0] if len(found[0]) == 1 else found[0].upper(), value)


def whole_name(value):
    """The whole name of a user-agent line, '*' for all crawlers, '' for none."""
    if re.match(rb"\*([ \t\n\v\f\r]|\Z)", value):
        return "*"
    text = re.split(r"[/,;(*]", value.decode("utf-8", "backslashreplace"))[0]
    name = re.sub(r"[ \t\n\v\f\r]+", " ", "".join(c.lower() if c.isascii() else c for c in text)).strip(" ")
    return re.sub(r" [0-9.]+$", "", name)


def is_product_token(value):
    return re.fullmatch(rb"[A-Za-z_-]+|\*", value) is not None


def seconds(value):
    """A number of seconds in decimal digits, or null."""
    return float(value) if re.fullmatch(rb"[0-9]+\.?[0-9]*|\.[0-9]+", value) else None


class RobotsTxt:
    """A parsed body. `rules` and `directives` have the lines inside and outside of groups, in their order.

    Lines count for verdicts unless they end beyond the body limit or are the last line of a truncated body.
    """

    def __init__(self, body, truncated=False):
        self.groups, self.rules, self.sitemaps, self.directives = [], [], [], []
        self.last_names, self.is_after_name = [], False
        self.body_bytes = len(body)
        lines = list(lines_of(body))
        kinds = set()
        for i, (text, end) in enumerate(lines):
            counts = end <= BODY_LIMIT and not (truncated and i == len(lines) - 1)
            kinds.add(self.read(text.split(b"\0")[0], i + 1, counts))
        is_utf16 = body[:2] in (b"\xff\xfe", b"\xfe\xff")
        page = re.match(rb"(\xef\xbb\xbf)?[ \t\n\v\f\r]*<[!?a-zA-Z]", body)
        if body.startswith(BINARY) or b"\0" in body and not is_utf16 and not self.rules:
            self.content_class = "binary"
        elif page:
            self.content_class = "html"
        elif self.rules:
            self.content_class = "rules"
        elif "text" in kinds:
            self.content_class = "no_rules"
        else:
            self.content_class = "comments_only" if "comment" in kinds else "empty"
        if self.content_class in ("html", "binary"):
            self.directives = []

    def read(self, text, line_no, counts):
        """Adds a line to its group or list, and returns whether it is text, a comment or blank."""
        content, mark, _ = text.partition(b"#")
        pair = key_and_value(content)
        if not pair:
            return "text" if content.strip(BLANKS) else "comment" if mark else "blank"
        key, value = pair
        kind = next((kind for kind, prefixes in KEYS.items() if key.lower().startswith(prefixes)), None)
        group = self.groups[-1] if self.groups else None
        if kind == "agent":
            if group is None or group.rules:
                self.groups.append(Group(line_no))
            self.groups[-1].values.append(value)
            if not self.is_after_name:
                self.last_names = []
            if counts:
                self.groups[-1].names.add(whole_name(value))
                self.last_names.append(whole_name(value))
        elif kind in ("allow", "disallow"):
            rule = Rule(kind == "allow", escaped(value), line_no, group is not None, counts)
            self.rules.append(rule)
            if group:
                group.rules.append(rule)
        elif kind == "sitemap":
            self.sitemaps.append(value)
        else:
            name = key.lower().decode("utf-8", "backslashreplace")
            self.directives.append("content-signal" if name == "content-signals" else name)
            if name == "crawl-delay" and group and counts and seconds(value) is not None:
                for name in self.last_names:
                    group.crawl_delays.setdefault(name, seconds(value))
        self.is_after_name = kind == "agent"
        return "text"

    @cached_property
    def by_name(self):
        """The rules of each name, of all its groups together, with the first line of these groups."""
        found = {}
        for group in self.groups:
            for name in group.names - {""}:
                line_no, rules = found.setdefault(name, (group.line_no, []))
                rules.extend(rule for rule in group.rules if rule.path and rule.counts)
        return found

    @cached_property
    def ruleset(self):
        """What the file means: equal for files that give every name the same rules."""
        return frozenset((name, frozenset((rule.allow, rule.path) for rule in rules)) for name, (_, rules) in self.by_name.items())

    def names(self):
        """The names that are addressed, without '*'."""
        return set(self.by_name) - {"*"}


def matches(pattern, path):
    """Whether a path begins with a pattern, in which * is any text and a last $ the end of the path."""
    anchored = pattern.endswith(b"$")
    first, *others = (pattern[:-1] if anchored else pattern + b"*").split(b"*")
    if not path.startswith(first):
        return False
    if not others:
        return path == first
    at = len(first)
    for text in others[:-1]:
        at = path.find(text, at)
        if at < 0:
            return False
        at += len(text)
    return path.endswith(others[-1]) and len(path) - len(others[-1]) >= at


def deciding_rule(rules, path):
    """The rule with the longest pattern that matches, an allow rule before a disallow rule of equal length; null if none does."""
    best = None
    for rule in rules:
        patterns = [rule.path]
        folder, slash, page = rule.path.rpartition(b"/")
        if rule.allow and slash and page.startswith(b"index.htm"):
            patterns.append(folder + b"/$")
        for pattern in patterns:
            if matches(pattern, path):
                if best is None or (len(pattern), rule.allow) > best[0]:
                    best = ((len(pattern), rule.allow), rule)
                break
    return best and best[1]


def probes(rules):
    """One path or two for each rule, and one for none: if a rule decides any path, it decides one of its own.

    Each run of * becomes an octet that no rule contains, and so does the open end of a rule without $. A path begins with /, so that a
    * at the beginning becomes either nothing or /, with that octet after it.
    """
    used = set(b"".join(rule.path for rule in rules)) | set(b"\0#/")
    fresh = bytes([next(octet for octet in range(1, 256) if octet not in used)])
    yield b"/" + fresh
    for rule in rules:
        patterns = [rule.path]
        if rule.allow and b"/index.htm" in rule.path:
            patterns.append(rule.path[:rule.path.rindex(b"/") + 1] + b"$")
        for pattern in patterns:
            text = pattern[:-1] if pattern.endswith(b"$") else pattern + b"*"
            path = re.sub(rb"\*+", fresh, text)
            if text.startswith(b"*"):
                yield b"/" + path
                path = path[1:]
            if path.startswith(b"/") and path != b"/robots.txt":
                yield path


def decide(rules):
    """The verdict for all paths, and the line of a rule that shows it: one that disallows, unless all paths are allowed.

    The line is null if no rule decides any path.
    """
    deciding = [deciding_rule(rules, path) for path in probes(rules)]
    allowed = {rule is None or rule.allow for rule in deciding}
    verdict = "partial" if len(allowed) == 2 else "allow_all" if True in allowed else "disallow_all"
    lines = [rule.line_no for rule in deciding if rule and rule.allow == (verdict == "allow_all")]
    return verdict, min(lines, default=None)
