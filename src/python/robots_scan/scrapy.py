"""A parser of robots.txt files for Scrapy.

In the settings of a project::

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "robots_scan.scrapy.RobotParser"
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from robots_scan._engines import missing_package
from robots_scan._errors import UsageError
from robots_scan._native import crawler_name, parse

try:
    from scrapy import robotstxt
except ModuleNotFoundError as error:
    raise missing_package(error, "scrapy", "scrapy") from None

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["RobotParser"]

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")

_ASCII = "".join(map(chr, range(0x21, 0x7F)))


class RobotParser(robotstxt.RobotParser):
    """Decides as :class:`robots_scan.RobotsTxt` does, for the value of Scrapy's setting ``ROBOTSTXT_PARSER``.

    The name of the crawler is the part of the user agent before the first ``/`` or ``(``, such as ``Scrapy`` in
    ``Scrapy/2.19 (+https://scrapy.org)``, or the name in it that the registry of crawlers has, such as ``GPTBot`` in
    ``Mozilla/5.0 (compatible; GPTBot/1.2)``. A user agent without a name, or with several, is a
    :class:`robots_scan.UsageError`, and nothing is fetched: set ``ROBOTSTXT_USER_AGENT`` to the name of the crawler.

    Names in a file are compared as a whole. If a file names another word of the user agent, its rules are obeyed, too, as
    they are by Protego, Scrapy's own parser.
    """

    def __init__(self, robotstxt_body: bytes):
        self._file = parse(robotstxt_body)
        names = [name.strip() for group in self._file.groups for name in group.agents]
        # Like Protego, which also removes asterisks.
        self._names = {form.lower(): form for name in names for form in (name, name.replace("*", ""))}
        self._crawlers: dict[str, list[str]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> RobotParser:
        """Parse a file."""
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return true if a crawler may fetch a URL."""
        url = _escaped(url)
        return all(self._file.can_fetch(name, url) for name in self._crawlers_of(user_agent))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the longest ``Crawl-delay`` for a crawler, in seconds."""
        delays = [self._file.crawl_delay(name) for name in self._crawlers_of(user_agent)]
        return max((delay for delay in delays if delay is not None), default=None)

    def _crawlers_of(self, user_agent: str | bytes) -> list[str]:
        """Return the name of the crawler with a user agent, and the name for which Protego would search the file."""
        if isinstance(user_agent, bytes):
            user_agent = user_agent.decode("utf-8", "replace")
        if user_agent not in self._crawlers:
            self._crawlers[user_agent] = [_crawler_name(user_agent), *self._other_name(user_agent)]
        return self._crawlers[user_agent]

    def _other_name(self, user_agent: str) -> list[str]:
        """Return the longest name in the file that is a word of a user agent."""
        text = user_agent.strip().lower()
        found = [name for name in self._names if name and name != "*" and _is_word(text, name)]
        return [self._names[max(found, key=len)]] if found else []


def _crawler_name(user_agent: str) -> str:
    try:
        return crawler_name(user_agent)
    except UsageError as error:
        text = f"the user agent {error.args[0]}"
        raise UsageError(text, error.kind, hint="set ROBOTSTXT_USER_AGENT to the name of the crawler in robots.txt files") from None


def _is_word(text: str, name: str) -> bool:
    """Return true if a word of a user agent begins with a name, except that the first word must be the whole name."""
    places = re.finditer(r"(?<![\w-])" + re.escape(name), text)
    return any(place.start() > 0 or not re.match(r"[\w-]", text[place.end() :]) for place in places)


def _escaped(url: str | bytes) -> str:
    """Return a URL in which other characters than ASCII are escaped, with escapes in upper case, as those of rules are."""
    url = quote(url if isinstance(url, bytes) else url.encode("utf-8", "surrogateescape"), safe=_ASCII)
    return _ESCAPE.sub(lambda escape: escape[0].upper(), url)
