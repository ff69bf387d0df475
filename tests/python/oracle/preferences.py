"""The meaning of Content-Usage and Content-Signal in a robots.txt file, implemented from the specifications.

Specifications: RFC 9651 section 4.2 (structured fields), draft-ietf-aipref-attach and draft-ietf-aipref-vocab, contentsignals.org, and the
behavior of Google's parser for lines, groups and patterns. It shares no code with robots-scan, and prefers short code to fast code.
"""

import base64
import binascii
import re
from collections import namedtuple
from functools import lru_cache

# The labels of the vocabulary since September 2026.
CATEGORIES = {"content-usage": ("train-ai", "ai-use", "search"), "content-signal": ("search", "ai-input", "ai-train")}
# The categories of the mechanism `any`, and the word of each mechanism for it.
WORDS = {"training": {"content-usage": "train-ai", "content-signal": "ai-train"}, "search": {"content-usage": "search", "content-signal": "search"}}
CATEGORIES["any"] = tuple(WORDS)
MECHANISMS = {"content-usage": "content-usage", "content-signal": "content-signal", "content-signals": "content-signal"}

Token = namedtuple("Token", "text")
Date = namedtuple("Date", "seconds")
DisplayString = namedtuple("DisplayString", "text")
Item = namedtuple("Item", "value parameters")


class DictionaryReader:
    """Parses a dictionary of structured fields. `read` raises ValueError if RFC 9651 section 4.2 requires a failure."""

    KEY = re.compile(r"[a-z*][a-z0-9_\-.*]*")
    TOKEN = re.compile(r"[A-Za-z*][A-Za-z0-9!#$%&'*+\-.^_`|~:/]*")
    NUMBER = re.compile(r"-?(\d+)(?:(\.)(\d*))?", re.ASCII)
    STRING = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])*)"')
    DISPLAY = re.compile(r'%"((?:[ !#-$&-~]|%[0-9a-f]{2})*)"')
    BYTES = re.compile(r":([A-Za-z0-9+/=]*):")
    BOOLEAN = re.compile(r"\?([01])")

    def __init__(self, text):
        self.rest = text

    def accept(self, expression):
        """Consumes what the expression matches at this place, and returns the match or None."""
        found = re.compile(expression).match(self.rest)
        self.rest = self.rest[found.end() :] if found else self.rest
        return found

    def require(self, expression):
        found = self.accept(expression)
        if found is None:
            raise ValueError(f"{expression} is missing before {self.rest!r}")
        return found

    def read(self):
        members = {}
        self.accept(" *")
        self.rest = self.rest.rstrip(" ")
        while self.rest:
            key = self.require(self.KEY)[0]
            if self.accept("="):
                value = self.inner_list() if self.accept(r"\(") else self.bare_item()
            else:
                value = True
            members[key] = Item(value, self.parameters())
            self.accept("[ \t]*")
            if self.rest:
                self.require(",[ \t]*(?!$)")
        return members

    def inner_list(self):
        items = []
        while not self.accept(r" *\)"):
            self.accept(" *")
            value = self.bare_item()
            items.append(Item(value, self.parameters()))
            self.require(r"(?=[ )])")
        return items

    def parameters(self):
        found = {}
        while self.accept("; *"):
            key = self.require(self.KEY)[0]
            found[key] = self.bare_item() if self.accept("=") else True
        return found

    def bare_item(self):
        if self.accept("@"):
            seconds = self.number()
            if not isinstance(seconds, int):
                raise ValueError("a date is an integer")
            return Date(seconds)
        if self.rest[:1] == '"':
            return re.sub(r"\\(.)", r"\1", self.require(self.STRING)[1])
        if self.rest[:1] == "%":
            octets = re.sub("%(..)", lambda escape: chr(int(escape[1], 16)), self.require(self.DISPLAY)[1]).encode("latin-1")
            return DisplayString(octets.decode("utf-8"))
        if self.rest[:1] == ":":
            return decode_base64(self.require(self.BYTES)[1])
        if self.rest[:1] == "?":
            return self.require(self.BOOLEAN)[1] == "1"
        found = self.accept(self.TOKEN)
        return Token(found[0]) if found else self.number()

    def number(self):
        found = self.require(self.NUMBER)
        integer, point, fraction = found.groups()
        if len(integer) > (12 if point else 15) or point and not 1 <= len(fraction) <= 3:
            raise ValueError(f"{found[0]} is out of range")
        return float(found[0]) if point else int(found[0])


def decode_base64(text):
    """Decodes without regard to missing padding. Raises ValueError for other mistakes."""
    content = text.rstrip("=")
    if "=" in content or len(content) % 4 == 1 or len(text) - len(content) > 2:
        raise ValueError(f"{text} is not base64")
    try:
        return base64.b64decode(content + "=" * (-len(content) % 4))
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def combined(preferences):
    """draft-ietf-aipref-vocab, "Combining Preferences": the most restrictive one."""
    for preference in ("disallowed", "allowed"):
        if preference in preferences:
            return preference
    return "unknown"


def usage_preferences(text):
    try:
        members = DictionaryReader(text).read()
    except ValueError:
        members = {}
    meaning = {Token("y"): "allowed", Token("n"): "disallowed"}
    found = {}
    for label in CATEGORIES["content-usage"]:
        value = members[label].value if label in members else None
        found[label] = meaning.get(value, "unknown") if isinstance(value, Token) else "unknown"
    return found


def signal_preferences(text):
    found = {key: [] for key in CATEGORIES["content-signal"]}
    for item in text.split(","):
        key, _, value = item.partition("=")
        key, value = key.strip(" \t").lower(), value.strip(" \t").lower()
        if key in found and value in ("yes", "no"):
            found[key].append("allowed" if value == "yes" else "disallowed")
    return {key: combined(values) for key, values in found.items()}


def escaped(path):
    """The path with octets outside ASCII percent-encoded, and with the hexadecimal digits of escapes in upper case."""
    path = re.sub("%[0-9a-fA-F]{2}", lambda escape: escape[0].upper(), path)
    return re.sub("[\x80-\xff]", lambda octet: f"%{ord(octet[0]):02X}", path)


@lru_cache(maxsize=None)
def compiled(pattern):
    end = r"\Z" if pattern.endswith("$") else ""
    parts = (pattern[:-1] if end else pattern).split("*")
    return re.compile(".*".join(re.escape(part) for part in parts) + end, re.DOTALL)


def matches(pattern, path):
    """Returns true if the pattern of a rule matches the path, which begins with `/`."""
    return compiled(pattern).match(path) is not None


Rule = namedtuple("Rule", "line allows length pattern")
Statement = namedtuple("Statement", "line mechanism pattern preferences")
Group = namedtuple("Group", "agents rules statements")


def split_line(line):
    """The key, lower-cased, and the value of a line; None if the line has none."""
    blank = " \t\v\f"
    line = line.partition("#")[0].strip(blank)
    key, colon, value = line.partition(":")
    if not colon:
        words = re.split("[ \t]+", line)
        if len(words) != 2:
            return None
        key, value = words
    key = key.strip(blank).lower()
    return (key, value.strip(blank)) if key else None


def rules_of_line(line, allows, value):
    """The rules that a line stands for: none if it is empty, and two if it allows `index.html`."""
    pattern = escaped(value)
    if not pattern.startswith(("/", "*")):
        return []
    rules = [Rule(line, allows, len(pattern), pattern)]
    folder, slash, name = pattern.rpartition("/")
    if allows and slash and name.startswith("index.htm"):
        rules.append(Rule(line, True, len(folder + "/$"), folder + "/$"))
    return rules


def statement_of_line(line, mechanism, value):
    pattern = ""
    if value.startswith("/"):
        pattern, value = re.fullmatch(r"([^ \t]+)[ \t]*(.*)", value, re.DOTALL).groups()
    read = usage_preferences if mechanism == "content-usage" else signal_preferences
    return Statement(line, mechanism, escaped(pattern), read(value))


def groups_of(body):
    """The groups of a file, which user-agent, allow and disallow lines form. Other lines belong to the group around them."""
    groups, is_heading = [], False
    for number, line in enumerate(re.split("\r\n|\r|\n", body.decode("latin-1")), 1):
        pair = split_line(line)
        if pair is None:
            continue
        key, value = pair
        if key.startswith("user-agent"):
            if not is_heading:
                groups.append(Group(set(), [], []))
            groups[-1].agents.add(value.lower())
            is_heading = True
        elif key.startswith(("allow", "disallow")):
            if groups:
                groups[-1].rules.extend(rules_of_line(number, key.startswith("allow"), value))
            is_heading = False
        elif key in MECHANISMS and groups:
            groups[-1].statements.append(statement_of_line(number, MECHANISMS[key], value))
    return groups


class Answer(namedtuple("Answer", "preference lines")):
    """A preference with the lines that decide it: rules if nothing may be fetched, otherwise statements with that preference."""


class Policy:
    """The rules and statements for one crawler: of all groups that name it, otherwise of those of `*`."""

    def __init__(self, groups, agent):
        own = [group for group in groups if agent in group.agents] or [group for group in groups if "*" in group.agents]
        self.rules = [rule for group in own for rule in group.rules]
        self.statements = [statement for group in own for statement in group.statements]

    def disallowing(self, path):
        """The lines of the rules that disallow the path; empty if it may be fetched."""
        found = [rule for rule in self.rules if matches(rule.pattern, path)]
        longest = [rule for rule in found if rule.length == max(rule.length for rule in found)]
        return set() if any(rule.allows for rule in longest) else {rule.line for rule in longest}

    def deciding(self, mechanism, path):
        """The statements with the longest path that matches."""
        found = [statement for statement in self.statements if statement.mechanism == mechanism and matches(statement.pattern, path)]
        longest = max((len(statement.pattern) for statement in found), default=0)
        return [statement for statement in found if len(statement.pattern) == longest]

    def answers(self, mechanism, path):
        """The answer for each category of the mechanism."""
        if lines := self.disallowing(path):
            return {category: Answer("not_crawlable", lines) for category in CATEGORIES[mechanism]}
        if mechanism == "any":
            of_words = {category: [self.answers(of, path)[word] for of, word in words.items()] for category, words in WORDS.items()}
            found = {category: combined([answer.preference for answer in answers]) for category, answers in of_words.items()}
            return {category: Answer(preference, set().union(*(answer.lines for answer in of_words[category] if answer.preference == preference)))
                    for category, preference in found.items()}
        found = {}
        deciding = self.deciding(mechanism, path)
        for category in CATEGORIES[mechanism]:
            preference = combined([statement.preferences[category] for statement in deciding])
            found[category] = Answer(preference, {statement.line for statement in deciding if statement.preferences[category] == preference})
        return found

    def paths(self, limit):
        """Paths of which at least one matches each combination of patterns that any path matches; None if `limit` paths are not enough.

        The search extends paths by each octet of the patterns and by one other, and drops a path if it has the same
        remainders of patterns as an earlier one: these two match the same patterns, and so do their extensions.
        """
        patterns = {*(rule.pattern for rule in self.rules), *(statement.pattern for statement in self.statements), "/robots.txt$"}
        octets = sorted({octet for pattern in patterns for octet in pattern} - {"*"} | {"\x01"})
        begin = tuple(advanced({pattern}, "/") for pattern in sorted(patterns))
        found, queue = {begin: "/"}, [begin]
        for state in queue:
            if len(found) > limit:
                return None
            for octet in octets:
                after = tuple(remainders and advanced(remainders, octet) for remainders in state)
                if after not in found:
                    found[after] = found[state] + octet
                    queue.append(after)
        return [path for path in found.values() if path != "/robots.txt"]


@lru_cache(maxsize=100_000)
def advanced_cached(remainders, octet):
    after = set()
    for remainder in remainders:
        while remainder.startswith("*"):
            after.add(remainder)
            remainder = remainder[1:]
        if remainder == "":
            after.add("")
        elif remainder != "$" and remainder[0] == octet:
            after.add(remainder[1:])
    return frozenset({""}) if "" in after else frozenset(after)


def advanced(remainders, octet):
    """The parts of a pattern that can be left after this octet: `a*b` has `*b` after `a`. An empty part matches all that follows."""
    return advanced_cached(frozenset(remainders), octet)


def verdict(preferences):
    """The preference of a file, from those of all paths."""
    found = preferences - {"not_crawlable"}
    if not found:
        return "not_crawlable"
    if len(found) > 1:
        return "mixed"
    return {"allowed": "allow_all", "disallowed": "disallow_all", "unknown": "unknown_all"}[min(found)]
