"""Finds the cause of a different answer.

1. The body is made as small as possible: lines are left out while both programs keep their answers.
2. Each repair of REPAIRS removes one feature from the body, or from body and URL, so that the answer of robots-scan stays
   what it is. A repair after which the peer gives the same answer names the cause: the first one in their order.
3. If no single repair does, all are applied one after the other, and those that are not needed are left out again. Those that
   remain are the cause together. If they do not help either, the difference is unexplained.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

from questions import RAISED, Answer, Question, Reference, peer, product_token, registry, whole_name

import robots_scan

MOST_TESTS = 400
"""The most bodies that are tried to make one smaller."""

UNEXPLAINED = "unexplained"

KEYS = {"agent": b"User-agent", "allow": b"Allow", "disallow": b"Disallow", "delay": b"Crawl-delay", "sitemap": b"Sitemap"}

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")


@dataclass(frozen=True)
class Line:
    """A line, with what robots-scan reads from it."""

    kind: str
    """A key of KEYS, `other` for another directive, `blank`, or `none`."""
    value: bytes
    raw: bytes
    is_exact: bool = True
    """True if the key is one of KEYS."""
    has_colon: bool = True

    @classmethod
    def made(cls, kind: str, value: bytes) -> Line:
        return cls(kind, value, KEYS[kind] + b": " + value + b"\n")

    @property
    def is_rule(self) -> bool:
        return self.kind in ("allow", "disallow")


@dataclass(frozen=True)
class Case:
    """A body in lines, and a question about it."""

    lines: tuple[Line, ...]
    question: Question
    choice: str

    @property
    def body(self) -> bytes:
        return b"".join(line.raw for line in self.lines)

    def reference(self) -> Answer:
        return Reference(self.body, self.choice).answer(self.question)


def lines_of(body: bytes) -> tuple[Line, ...]:
    """Split a body into lines, which keep their line ends."""
    robots = robots_scan.parse(body, body_limit=None)
    kinds = {row["line_no"]: "agent" for row in robots.table("groups").to_pylist()}
    kinds |= {row["line_no"]: "allow" if row["allow"] else "disallow" for row in robots.table("rules").to_pylist()}
    kinds |= {row["line_no"]: "sitemap" for row in robots.table("sitemaps").to_pylist()}
    for row in robots.table("directives").to_pylist():
        kinds[row["line_no"]] = "delay" if row["directive"] == "crawl-delay" else "other"
    lines = []
    for number, raw in enumerate(filter(None, LINE.findall(body)), 1):
        text = raw.split(b"#")[0].removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip()
        kind = kinds.get(number, "none" if raw.strip() else "blank")
        has_colon = b":" in text
        key, _, value = text.partition(b":") if has_colon else text.replace(b"\t", b" ").partition(b" ")
        is_exact = kind not in KEYS or key.strip().lower() == KEYS[kind].lower()
        lines.append(Line(kind, value.strip(), raw, is_exact, has_colon))
    return tuple(lines)


def smallest(case: Case, name: str) -> Case:
    """Leave out lines while the program and the peer keep their answers."""
    answers = case.reference(), peer(name, case.body)(case.question)
    size, tests = max(1, len(case.lines) // 2), 0
    lines = case.lines
    while True:
        start, is_smaller = 0, False
        while start < len(lines) and tests < MOST_TESTS:
            tests += 1
            fewer = replace(case, lines=lines[:start] + lines[start + size :])
            if (fewer.reference(), peer(name, fewer.body)(case.question)) == answers:
                lines, is_smaller = fewer.lines, True
            else:
                start += size
        if tests >= MOST_TESTS or (size == 1 and not is_smaller):
            return replace(case, lines=lines)
        size = max(1, size // 2)


# The groups that apply to a crawler.


def groups_of(case: Case) -> list[tuple[list[int], list[int]]]:
    """Return the groups: the numbers of their user-agent lines, and those of their rules."""
    groups: list[tuple[list[int], list[int]]] = []
    is_open = False
    for number, line in enumerate(case.lines):
        if line.kind == "agent":
            if not is_open:
                groups.append(([], []))
            groups[-1][0].append(number)
            is_open = True
        elif line.is_rule and groups:
            groups[-1][1].append(number)
            is_open = False
    return groups


def names_for(case: Case) -> tuple[Callable[[str], str], list[str], bool]:
    """Return how a value is read as a name, the names that a crawler obeys, and whether it ignores `*`."""
    if case.choice == "google" and case.question.kind == "access":
        return product_token, [case.question.agent.lower()], False
    name = whole_name(case.question.agent)
    entry = registry().get(name)
    return whole_name, [name, *(entry.fallbacks if entry else ())], bool(entry and entry.ignores_wildcard)


def applicable(case: Case) -> set[int]:
    """Return the numbers of the user-agent lines that apply to the crawler."""
    read, names, ignores_wildcard = names_for(case)
    agents = {number: read(text(line.value)) for number, line in enumerate(case.lines) if line.kind == "agent"}
    for name in [*names, *([] if ignores_wildcard else ["*"])]:
        found = {number for number, value in agents.items() if value == name}
        if found:
            return found
    return set()


def text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def with_lines(case: Case, changes: dict[int, Line | None]) -> Case | None:
    """Replace lines by others, or leave them out."""
    lines = (changes.get(number, line) for number, line in enumerate(case.lines))
    changed = tuple(line for line in lines if line is not None)
    return replace(case, lines=changed) if changed != case.lines else None


def each_line(change: Callable[[Line], Line | None]) -> Callable[[Case], Case | None]:
    return lambda case: with_lines(case, {number: change(line) for number, line in enumerate(case.lines)})


def in_applicable_rules(case: Case) -> list[int]:
    agents = applicable(case)
    return [number for of, rules in groups_of(case) if agents.intersection(of) for number in rules]


# Repairs of lines.


def without_bom(case: Case) -> Case | None:
    first = case.lines[0] if case.lines else None
    if first is None or not first.raw.startswith(b"\xef\xbb\xbf"):
        return None
    return with_lines(case, {0: replace(first, raw=first.raw[3:])})


SEPARATORS = re.compile(rb"[\x0b\x0c\x1c\x1d\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]")


def without_separators(line: Line) -> Line:
    return replace(line, raw=SEPARATORS.sub(b" ", line.raw), value=SEPARATORS.sub(b" ", line.value))


def with_colon(line: Line) -> Line:
    return line if line.has_colon or line.kind not in KEYS else Line.made(line.kind, line.value)


def with_exact_key(line: Line) -> Line:
    return line if line.is_exact or line.kind not in KEYS else Line.made(line.kind, line.value)


def without_unreadable(line: Line) -> Line | None:
    return None if line.kind == "none" and line.raw.split(b"#")[0].strip() else line


def without_other(line: Line) -> Line | None:
    return None if line.kind == "other" else line


def without_delay_between(case: Case) -> Case | None:
    """Leave out delays, or write those between the user-agent lines of a group after them."""
    if case.question.kind != "delay":
        return each_line(lambda line: None if line.kind == "delay" else line)(case)
    lines = list(case.lines)
    for of, _ in groups_of(case):
        between = [number for number in range(of[0], of[-1]) if lines[number].kind == "delay"]
        moved = [Line.made("delay", lines[number].value) for number in between]
        for number in between:
            lines[number] = replace(lines[number], kind="blank", raw=b"")
        end = lines[of[-1]]
        lines[of[-1]] = replace(end, raw=b"".join([end.raw.rstrip(b"\r\n"), b"\n", *(line.raw for line in moved)])) if moved else end
    changed = replace(case, lines=lines_of(b"".join(line.raw for line in lines)))
    return changed if changed.body != case.body else None


def without_blank(line: Line) -> Line | None:
    return None if line.kind == "blank" else line


def with_line_ends(line: Line) -> Line:
    return replace(line, raw=line.raw.rstrip(b"\r\n") + b"\n")


# Repairs of groups.


def with_rule(case: Case) -> Case | None:
    """Give a rule to groups that have none."""
    lines, is_open = [], False
    for line in case.lines:
        lines.append(line)
        is_open = line.kind == "agent" or (is_open and not line.is_rule)
    if not is_open:
        return None
    return replace(case, lines=(*lines[:-1], replace(lines[-1], raw=lines[-1].raw.rstrip(b"\r\n") + b"\n"), Line.made("allow", b"/")))


def without_empty_rules(case: Case) -> Case | None:
    changes: dict[int, Line | None] = {}
    for _, rules in groups_of(case):
        empty = [number for number in rules if not case.lines[number].value]
        changes |= dict.fromkeys(empty, None)
        if empty and len(empty) == len(rules):
            changes[empty[0]] = Line.made("allow", b"/")
    return with_lines(case, changes)


def merged(case: Case) -> Case | None:
    """Move the rules of all groups of the crawler into the first of them."""
    agents = applicable(case)
    groups = [group for group in groups_of(case) if agents.intersection(group[0])]
    if len(groups) < 2:
        return None
    moved = list(chain.from_iterable(rules for _, rules in groups))
    lines: list[Line] = []
    for number, line in enumerate(case.lines):
        is_later_agent = number in agents and number not in groups[0][0]
        if number not in moved and not is_later_agent:
            lines.append(line)
        if number == groups[0][0][-1]:
            lines += [Line.made(case.lines[rule].kind, case.lines[rule].value) for rule in moved]
    return replace(case, lines=tuple(lines))


def with_one_name(case: Case) -> Case | None:
    """Leave out the other user-agent lines of the groups that apply."""
    agents = applicable(case)
    groups = [group for group, _ in groups_of(case) if agents.intersection(group)]
    others = [number for group in groups for number in group if number not in agents]
    same = [number for group in groups for number in sorted(agents.intersection(group))[1:]]
    return with_lines(case, dict.fromkeys(others + same, None))


# Repairs of names.


def renamed(case: Case, is_renamed: Callable[[int, str], bool]) -> Case | None:
    """Rename user-agent lines that do not apply, to names that resemble no other."""
    agents, changes = applicable(case), {}
    for number, line in enumerate(case.lines):
        if line.kind == "agent" and number not in agents and is_renamed(number, text(line.value)):
            changes[number] = Line.made("agent", b"qqzz")
    return with_lines(case, changes)


def without_cut_names(case: Case) -> Case | None:
    name = whole_name(case.question.agent)
    return renamed(case, lambda _, value: whole_name(value) == name)


def without_similar_names(case: Case) -> Case | None:
    return renamed(case, lambda _, value: whole_name(value) != "*")


def without_ignored_wildcard(case: Case) -> Case | None:
    if applicable(case) or not names_for(case)[2]:
        return None
    return renamed(case, lambda _, value: whole_name(value) == "*")


def with_own_name(case: Case) -> Case | None:
    """Replace the name of a fallback by that of the crawler."""
    read, names, _ = names_for(case)
    agents = [number for number in applicable(case) if read(text(case.lines[number].value)) not in (names[0], "*")]
    return with_lines(case, {number: Line.made("agent", case.question.agent.encode()) for number in agents})


def with_bare_names(case: Case) -> Case | None:
    """Reduce the names that apply to what is compared: without a version or other text."""
    read = names_for(case)[0]
    changes = {}
    for number in applicable(case):
        value = text(case.lines[number].value)
        if read(value) != value.lower():
            changes[number] = Line.made("agent", read(value).encode())
    return with_lines(case, changes)


# Repairs of rules and URLs.


def split_url(url: str) -> tuple[str, str]:
    """Return the origin, and what follows it."""
    found = re.match(r"[a-z]+://[^/?#]*", url)
    end = found.end() if found else 0
    return url[:end], url[end:]


def mapped(change: Callable[[str], str], of_rule: Callable[[str], str] | None = None) -> Callable[[Case], Case | None]:
    """Change the paths of rules and the URL in the same way, or rules by `of_rule`."""

    def repair(case: Case) -> Case | None:
        rules = {}
        for number in in_applicable_rules(case):
            line = case.lines[number]
            path = (of_rule or change)(line.value.decode("utf-8", "surrogateescape"))
            if path.encode("utf-8", "surrogateescape") != line.value:
                rules[number] = Line.made(line.kind, path.encode("utf-8", "surrogateescape"))
        origin, path = split_url(case.question.url)
        question = replace(case.question, url=origin + change(path))
        changed = with_lines(case, rules) or case
        changed = replace(changed, question=question)
        return changed if changed != case else None

    return repair


def without_percent(path: str) -> str:
    return re.sub("%([0-9A-Fa-f]{2})", lambda code: "p" + code[1], path)


def without_percent_in_rule(path: str) -> str:
    """Do the same for a rule, in which Google's parser writes the digits in upper case."""
    return re.sub("%([0-9A-Fa-f]{2})", lambda code: "p" + code[1].upper(), path)


NON_ASCII = re.compile("[^\x00-\x7f]")


def without_specials(path: str) -> str:
    return re.sub("[^A-Za-z0-9/._*$?=&%#-]", lambda char: "c" + chr(65 + ord(char[0]) % 26), path)


def without_query(path: str) -> str:
    return re.sub("[?=&]", lambda char: {"?": "Q", "=": "E", "&": "A"}[char[0]], path)


def without_double_slashes(path: str) -> str:
    return re.sub("(?<=/)/", "d", path)


def without_fragment(case: Case) -> Case | None:
    url = case.question.url.split("#")[0]
    return None if url == case.question.url else replace(case, question=replace(case.question, url=url))


def without_robots_path(case: Case) -> Case | None:
    is_asked = split_url(case.question.url)[1].split("?")[0] == "/robots.txt"
    return mapped(lambda path: path.replace("/robots.txt", "/robotsXtxt"))(case) if is_asked else None


def without_wildcards(case: Case) -> Case | None:
    """Leave out patterns that do not match the URL or do not decide, and write the path instead of the one that does."""
    access = Reference(case.body, case.choice).robots.access(case.question.agent, case.question.url, case.choice)
    path = split_url(case.question.url)[1].split("#")[0].encode("utf-8", "surrogateescape")
    changes: dict[int, Line | None] = {}
    for number in in_applicable_rules(case):
        line = case.lines[number]
        if b"*" not in line.value and not line.value.endswith(b"$"):
            continue
        changes[number] = Line.made(line.kind, path) if access.line_no == number + 1 else None
    return with_lines(case, changes)


def without_relative_rules(case: Case) -> Case | None:
    """Leave out rules that begin with neither `/` nor `*`: they match nothing."""
    rules = in_applicable_rules(case)
    return with_lines(case, {number: None for number in rules if case.lines[number].value[:1] not in (b"/", b"*", b"")})


def with_index_page(case: Case) -> Case | None:
    """Write `Allow: /a/$` instead of `Allow: /a/index.html`, for which Google's parser also allows `/a/`."""
    changes = {}
    for number in in_applicable_rules(case):
        line = case.lines[number]
        found = re.match(rb"(.*/)index\.htm", line.value)
        if line.kind == "allow" and found:
            changes[number] = Line.made("allow", found[1] + b"$")
    return with_lines(case, changes)


def in_order(case: Case) -> Case | None:
    """Sort the rules of each group that applies by their precedence: the longest first, and allow before disallow."""
    agents, changes = applicable(case), {}
    for of, rules in groups_of(case):
        if not agents.intersection(of):
            continue
        lines = [case.lines[number] for number in rules]
        ordered = sorted(lines, key=lambda line: (-len(as_counted(line.value)), line.kind))
        if ordered != lines:
            made = [Line.made(line.kind, line.value) for line in ordered]
            changes |= dict(zip(rules, made))
    return with_lines(case, changes)


def as_counted(path: bytes) -> bytes:
    """Return a path as its length is counted: other bytes than ASCII are encoded."""
    return re.sub(rb"[\x80-\xff]", b"%FF", path)


# Repairs of delays and sitemaps.


def with_first_delay(case: Case) -> Case | None:
    delays = [number for number, line in enumerate(case.lines) if line.kind == "delay"]
    return with_lines(case, dict.fromkeys(delays[1:], None))


def with_whole_delay(case: Case) -> Case | None:
    """Remove what follows a number of a delay, and its fraction; the answers are compared as whole numbers then."""
    changes = {}
    for number, line in enumerate(case.lines):
        if line.kind == "delay" and not line.value.isdigit():
            found = re.match(rb"[0-9]+", line.value)
            changes[number] = Line.made("delay", found[0] if found else b"0")
    return with_lines(case, changes)


def without_other_delays(case: Case) -> Case | None:
    """Leave out delays that are no number."""
    return each_line(lambda line: None if line.kind == "delay" and not re.fullmatch(rb"[0-9]*\.?[0-9]+", line.value) else line)(case)


def with_plain_sitemaps(line: Line) -> Line | None:
    plain = re.sub(rb"[%\x80-\xff]", b"p", line.value)
    return Line.made("sitemap", plain) if line.kind == "sitemap" and plain != line.value else line


def without_empty_sitemaps(line: Line) -> Line | None:
    return None if line.kind == "sitemap" and not line.value else line


REPAIRS: dict[str, Callable[[Case], Case | None]] = {
    "byte order mark": without_bom,
    "Unicode separators taken for line ends": each_line(without_separators),
    "CR line ends": each_line(with_line_ends),
    "colon missing": each_line(with_colon),
    "other spellings of keys that Google accepts": each_line(with_exact_key),
    "lines accepted that Google ignores": each_line(without_unreadable),
    "names: crawler ignores *": without_ignored_wildcard,
    "names: fallback of the registry": with_own_name,
    "names: Google cuts at digits and others": without_cut_names,
    "names: version or other text": with_bare_names,
    "names: part of another name": without_similar_names,
    "Crawl-delay between lines of a group": without_delay_between,
    "other directive between lines of a group": each_line(without_other),
    "blank line ends the group": each_line(without_blank),
    "groups of one name not merged": merged,
    "several user-agent lines in a group": with_one_name,
    "group without rules": with_rule,
    "empty Disallow or Allow": without_empty_rules,
    "/robots.txt": without_robots_path,
    "rule that begins with no slash": without_relative_rules,
    "Allow of index.html": with_index_page,
    "percent-encoding": mapped(without_percent, without_percent_in_rule),
    "non-ASCII in the URL, not encoded": mapped(lambda path: NON_ASCII.sub("w", path), lambda path: NON_ASCII.sub("u", path)),
    "query": mapped(without_query),
    "double slash": mapped(without_double_slashes),
    "other characters in paths": mapped(without_specials),
    "fragment": without_fragment,
    "wildcards * and $": without_wildcards,
    "first match instead of longest": in_order,
    "more than one delay": with_first_delay,
    "delay that is no number": without_other_delays,
    "delay that is no whole number": with_whole_delay,
    "sitemap with % or non-ASCII": each_line(with_plain_sitemaps),
    "empty sitemap": each_line(without_empty_sitemaps),
}

# Repairs of values that are the answer change it, too.
CHANGING = ("delay that is no whole number", "sitemap with % or non-ASCII", "Unicode separators taken for line ends")


def repaired(case: Case, cause: str) -> Case | None:
    """Apply a repair. Returns `None` if it changes nothing, or if it changes the answer of robots-scan."""
    after = REPAIRS[cause](case)
    if after is None:
        return None
    is_kept = after.reference() == case.reference() or (cause in CHANGING and case.question.kind != "access")
    return after if is_kept else None


def is_equal(case: Case, name: str) -> bool:
    return peer(name, case.body)(case.question) == case.reference()


def cause(case: Case, name: str) -> str:
    """Return the cause of a different answer: repairs, joined by ` + `."""
    if peer(name, case.body)(case.question) == RAISED:
        return RAISED
    for repair in REPAIRS:
        after = repaired(case, repair)
        if after is not None and is_equal(after, name):
            return repair
    needed = applied_in_turn(case, list(REPAIRS), name)
    if needed is None:
        return UNEXPLAINED
    for repair in list(needed):
        without = applied_in_turn(case, [other for other in needed if other != repair], name)
        needed = needed if without is None else without
    return " + ".join(needed)


def applied_in_turn(case: Case, repairs: list[str], name: str) -> list[str] | None:
    """Apply repairs until the peer gives the same answer. Returns those that changed the case; `None` if it never does."""
    applied = []
    for repair in repairs:
        after = repaired(case, repair)
        if after is not None:
            case, applied = after, [*applied, repair]
            if is_equal(case, name):
                return applied
    return None
