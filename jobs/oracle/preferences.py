"""What preferences in a robots.txt mean, from the texts alone: RFC 9651, the drafts of the AIPREF group, and google-semantics.

Nothing is compiled and nothing is clever: a pattern is a regular expression, and all paths are tried.
"""

import re
import string

CATEGORIES = {"content-usage": ("train-ai", "ai-use", "search"), "content-signal": ("search", "ai-input", "ai-train")}
KEYS = {"content-usage": "content-usage", "content-signal": "content-signal", "content-signals": "content-signal"}


class Failed(Exception):
    """The text is no dictionary."""


class Reader:
    """Parses structured fields as RFC 9651 section 4.2 does, character by character."""

    def __init__(self, text):
        self.text, self.i = text, 0

    def peek(self):
        return self.text[self.i] if self.i < len(self.text) else ""

    def take(self):
        if self.i == len(self.text):
            raise Failed
        self.i += 1
        return self.text[self.i - 1]

    def skip(self, characters):
        while self.peek() and self.peek() in characters:
            self.i += 1

    def dictionary(self):
        found = {}
        self.skip(" ")
        while self.peek():
            key = self.key()
            if self.peek() == "=":
                self.take()
                value = self.inner_list() if self.peek() == "(" else self.bare_item()
            else:
                value = ("boolean", True)
            self.parameters()
            found.pop(key, None)
            found[key] = value
            self.skip(" \t")
            if not self.peek():
                break
            if self.take() != ",":
                raise Failed
            self.skip(" \t")
            if not self.peek():
                raise Failed
        return found

    def key(self):
        if self.peek() not in [*string.ascii_lowercase, "*"]:
            raise Failed
        start = self.i
        self.skip(string.ascii_lowercase + string.digits + "_-.*")
        return self.text[start : self.i]

    def parameters(self):
        while self.peek() == ";":
            self.take()
            self.skip(" ")
            self.key()
            if self.peek() == "=":
                self.take()
                self.bare_item()

    def inner_list(self):
        self.take()
        while True:
            self.skip(" ")
            if self.peek() == ")":
                self.take()
                return ("list", None)
            self.bare_item()
            self.parameters()
            if self.peek() not in [" ", ")"]:
                raise Failed

    def bare_item(self):
        first = self.peek()
        if first and first in "-" + string.digits:
            return self.number()
        if first == '"':
            return self.quoted()
        if first and first in string.ascii_letters + "*":
            start = self.i
            self.skip(string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~:/")
            return ("token", self.text[start : self.i])
        if first == ":":
            self.take()
            start = self.i
            self.skip(string.ascii_letters + string.digits + "+/=")
            content = self.text[start : self.i]
            if self.take() != ":" or not is_base64(content):
                raise Failed
            return ("bytes", None)
        if first == "?":
            self.take()
            if self.take() not in "01":
                raise Failed
            return ("boolean", None)
        if first == "@":
            self.take()
            if self.peek() not in [*"-" + string.digits] or self.number()[0] != "integer":
                raise Failed
            return ("date", None)
        if first == "%":
            return self.display()
        raise Failed

    def number(self):
        found = re.compile(r"-?[0-9]+(\.[0-9]*)?").match(self.text, self.i)
        if not found:
            raise Failed
        self.i = found.end()
        whole, point, fraction = found.group().lstrip("-").partition(".")
        if point:
            if len(whole) > 12 or not 1 <= len(fraction) <= 3:
                raise Failed
            return ("decimal", None)
        if len(whole) > 15:
            raise Failed
        return ("integer", None)

    def quoted(self):
        self.take()
        while True:
            character = self.take()
            if character == "\\":
                if self.take() not in '"\\':
                    raise Failed
            elif character == '"':
                return ("string", None)
            elif not " " <= character <= "~":
                raise Failed

    def display(self):
        self.take()
        if self.take() != '"':
            raise Failed
        found = bytearray()
        while True:
            character = self.take()
            if not " " <= character <= "~":
                raise Failed
            if character == "%":
                digits = self.take() + self.take()
                if not re.fullmatch("[0-9a-f]{2}", digits):
                    raise Failed
                found.append(int(digits, 16))
            elif character == '"':
                try:
                    found.decode()
                except UnicodeDecodeError:
                    raise Failed from None
                return ("display", None)
            else:
                found += character.encode()


def is_base64(text):
    return re.fullmatch(r"([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==|=)?|[A-Za-z0-9+/]{3}=?)?", text) is not None


def statement(mechanism, value):
    """The path of a statement, or None, and its preferences."""
    path = None
    if value.startswith("/"):
        path, value = re.fullmatch(r"([^ \t]*)[ \t]*(.*)", value, re.DOTALL).groups()
    stated = dict.fromkeys(CATEGORIES[mechanism], "unknown")
    if mechanism == "content-usage":
        try:
            found = Reader(value.encode().decode("latin-1")).dictionary()
        except Failed:
            found = {}
        for key in stated:
            stated[key] = {("token", "y"): "allowed", ("token", "n"): "disallowed"}.get(found.get(key), "unknown")
    else:
        for item in value.split(","):
            key, _, word = (part.strip(" \t").lower() for part in item.partition("="))
            if key in stated and word in ("yes", "no"):
                stated[key] = most_restrictive([stated[key], {"yes": "allowed", "no": "disallowed"}[word]])
    return path, stated


def most_restrictive(preferences):
    return next((kind for kind in ("disallowed", "allowed") if kind in preferences), "unknown")


def escaped(path):
    """google-semantics section 4."""
    path = re.sub("%[0-9a-fA-F]{2}", lambda found: found.group().upper(), path)
    return "".join(c if ord(c) < 128 else "".join(f"%{octet:02X}" for octet in c.encode()) for c in path)


def matches(pattern, path):
    end = ""
    if pattern.endswith("$"):
        pattern, end = pattern[:-1], r"\Z"
    return re.match(".*".join(map(re.escape, pattern.split("*"))) + end, path, re.DOTALL) is not None


class File:
    """The lines of a file, with the groups that user-agent, allow and disallow lines form."""

    def __init__(self, text):
        self.rules, self.statements, self.groups = [], [], {}
        group, is_open = 0, False
        for number, line in enumerate(text.split("\n"), 1):
            key, colon, value = line.partition("#")[0].partition(":")
            key, value = key.strip(" \t").lower(), value.strip(" \t")
            if not colon:
                continue
            if key == "user-agent":
                group += not is_open
                is_open = True
                self.groups.setdefault(value.lower(), set()).add(group)
            elif key in ("allow", "disallow"):
                is_open = False
                self.rules.append((group, number, key == "allow", escaped(value)))
            elif key in KEYS and group:
                self.statements.append((group, number, KEYS[key], *statement(KEYS[key], value)))

    def of(self, agent):
        return Crawler(self, self.groups.get(agent) or self.groups.get("*", set()))


class Crawler:
    """The rules and statements of the groups of a crawler."""

    def __init__(self, file, groups):
        self.rules = []
        for group, number, allow, pattern in file.rules:
            if group in groups and pattern:
                self.rules.append((len(pattern), allow, number, pattern))
                folder, _, rest = pattern.rpartition("/")
                if allow and rest.startswith("index.htm") and "/" in pattern:
                    self.rules.append((len(folder) + 2, allow, number, f"{folder}/$"))
        self.statements = [(number, mechanism, path and escaped(path), stated)
                           for group, number, mechanism, path, stated in file.statements if group in groups]

    def may_fetch(self, path):
        decisive = [rule[:2] for rule in self.rules if rule[3][0] in "/*" and matches(rule[3], path)]
        return not decisive or max(decisive)[1]

    def preference(self, mechanism, category, path):
        if not self.may_fetch(path):
            return "not_crawlable"
        found = [(len(pattern or ""), stated[category]) for _, kind, pattern, stated in self.statements
                 if kind == mechanism and (pattern is None or matches(pattern, path))]
        longest = max((length for length, _ in found), default=0)
        return most_restrictive([preference for length, preference in found if length == longest])

    def kinds(self, mechanism, paths):
        """For each category, the preferences that occur among these paths."""
        kinds = {category: set() for category in CATEGORIES[mechanism]}
        for path in paths:
            if path != "/robots.txt":
                for category, found in kinds.items():
                    found.add(self.preference(mechanism, category, path))
        return {category: found - {"not_crawlable"} for category, found in kinds.items()}


def verdict(kinds):
    if not kinds:
        return "not_crawlable"
    return {"allowed": "allow_all", "disallowed": "disallow_all", "unknown": "unknown_all"}[min(kinds)] if len(kinds) == 1 else "mixed"
