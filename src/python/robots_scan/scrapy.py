"""A parser of robots.txt files for Scrapy.

In the settings of a project::

    ROBOTSTXT_OBEY = True
    ROBOTSTXT_PARSER = "robots_scan.scrapy.RobotParser"
"""

from __future__ import annotations

import logging
import re
import weakref
from typing import TYPE_CHECKING
from urllib.parse import quote

from robots_scan._engines import missing_package
from robots_scan._native import parse

try:
    from scrapy import robotstxt
except ModuleNotFoundError as error:
    raise missing_package(error, "scrapy", "scrapy") from None

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["RobotParser"]

_LOGGER = logging.getLogger("robots_scan")

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")

_ASCII = "".join(map(chr, range(0x21, 0x7F)))

_WARNED: weakref.WeakSet[Crawler] = weakref.WeakSet()
"""The crawls whose user agent was warned of."""


class RobotParser(robotstxt.RobotParser):
    """Decides as :class:`robots_scan.RobotsTxt` does, for the value of Scrapy's setting ``ROBOTSTXT_PARSER``.

    The name of the crawler is the part of the user agent before the first ``/`` or ``(``: ``Scrapy`` in
    ``Scrapy/2.19 (+https://scrapy.org)``. It is compared with the names in the file as a whole, while other parsers also
    find ``Bot`` in ``MyBot``. If a user agent looks like that of a browser, ``ROBOTSTXT_USER_AGENT`` must be set to the
    name of the crawler.
    """

    def __init__(self, robotstxt_body: bytes, crawler: Crawler | None = None):
        self._file = parse(robotstxt_body)
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> RobotParser:
        """Parse a file."""
        return cls(robotstxt_body, crawler)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return true if a crawler may fetch a URL."""
        name = crawler_name(user_agent)
        if name.lower() == "mozilla":
            self._warn_of_browser()
        return self._file.can_fetch(name, _escaped(url))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the ``Crawl-delay`` for a crawler, in seconds."""
        return self._file.crawl_delay(crawler_name(user_agent))

    def _warn_of_browser(self) -> None:
        """Warn of a user agent that does not begin with the name of a crawler, once per crawl."""
        if self._crawler is None or self._crawler in _WARNED:
            return
        _WARNED.add(self._crawler)
        _LOGGER.warning(
            "the user agent begins with 'Mozilla', so only groups of '*' in robots.txt files apply to the crawl; set"
            " ROBOTSTXT_USER_AGENT to the name of your crawler"
        )


def crawler_name(user_agent: str | bytes) -> str:
    """Return the name of the crawler with a user agent."""
    if isinstance(user_agent, bytes):
        user_agent = user_agent.decode("utf-8", "replace")
    return re.split("[/(]", user_agent, maxsplit=1)[0].strip()


def _escaped(url: str | bytes) -> str:
    """Return a URL in which other characters than ASCII are escaped, with escapes in upper case, as those of rules are."""
    url = quote(url if isinstance(url, bytes) else url.encode("utf-8", "surrogateescape"), safe=_ASCII)
    return _ESCAPE.sub(lambda escape: escape[0].upper(), url)
