"""The results of :class:`robots_scan.RobotsTxt`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from robots_scan import RobotsTxt


class Access(NamedTuple):
    """Whether a crawler may fetch a URL. It is true if the crawler may."""

    allowed: bool | None
    """True if the crawler may fetch the URL; ``None`` if the status of the response decides nothing."""
    line_no: int | None
    """The line of the rule that decides, from 1; ``None`` if no rule matches."""
    line: str | None
    """The text of that line."""
    basis: str
    """Why these rules apply to the crawler: ``explicit``, ``wildcard``, ``no_group``, ``no_rules``, ``empty``, ``html``,
    ``binary`` or ``http_status``."""

    def __bool__(self) -> bool:
        return self.allowed is True


class Preference(NamedTuple):
    """The preference of a site about one use of a URL by a crawler."""

    preference: str | None
    """``allowed``, ``disallowed``, ``unknown``, or ``not_crawlable`` if the crawler may not fetch the URL; ``None`` if the
    status of the response decides nothing."""
    line_no: int | None
    """The line of the statement that decides, or of the rule that disallows the URL; ``None`` if there is none."""
    line: str | None
    """The text of that line."""


class Rule(NamedTuple):
    """An allow or disallow line."""

    allow: bool
    """True for ``Allow``."""
    path: str
    """The path as written."""
    line_no: int
    """The line, from 1."""
    counts: bool
    """False if the line is beyond the body limit, or the last one of a truncated body."""


class Group(NamedTuple):
    """User-agent lines, and the rules that follow them."""

    agents: tuple[str, ...]
    """The names as written."""
    rules: tuple[Rule, ...]
    """The rules."""
    crawl_delay: float | None
    """The first valid ``Crawl-delay`` that counts, in seconds; ``None`` unless all ``agents`` have the same."""
    request_rate: str | None
    """The first ``Request-rate``, likewise."""
    visit_time: str | None
    """The first ``Visit-time``, likewise."""
    line_no: int
    """The first line, from 1."""


class RequestRate(NamedTuple):
    """The value of a ``Request-rate`` line."""

    requests: int
    """The number of requests."""
    seconds: int
    """The time, in seconds."""


class Anomaly(NamedTuple):
    """A place where a file had to be guessed, or is odd."""

    code: str
    """The permanent code, such as ``typo_accepted_by_google``."""
    line_no: int | None
    """The line, from 1; ``None`` for the whole file."""
    severity: str
    """``info``, ``warning`` or ``error``."""
    changes_verdict: bool | None
    """True if strict reading of the line changes a verdict; ``None`` if this was not computed."""
    about: str
    """The description of the code."""


# Messages and documentation name the classes as users import them.
for _class in (Access, Rule, Group, RequestRate, Anomaly):
    _class.__module__ = "robots_scan"


def unpickled(body: bytes, body_limit: int | None, is_truncated: bool, status: int | None) -> RobotsTxt:
    """Make a file from its pickled form."""
    from robots_scan import parse

    return parse(body, body_limit=body_limit, is_truncated=is_truncated, status=status)
