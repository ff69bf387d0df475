"""Calls that have the same answer, or are refused for the same reason, in the command line, Python and all engines."""

from __future__ import annotations

from typing import NamedTuple

BODY = "User-agent: GPTBot\nDisallow: /x\n\nUser-agent: *\nDisallow: /café\n"

HEADER = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"


class Call(NamedTuple):
    """A call, with its answer: true if the crawler may fetch the URL, none if nothing is known, or the reason of a refusal."""

    agent: str
    url: str
    answer: bool | None | str
    status: int | None = None
    body: str | None = BODY
    # The command line splits lists, and refuses a path as a name in other words.
    is_for_command_line: bool = True


# RFC 9309 section 2.3.1, and Google's page for 429.
_OF_STATUS = {
    200: False, 204: False, 301: None, 304: None, 400: True, 401: True, 403: True, 404: True, 410: True, 418: True, 451: True,
    429: False, 500: False, 503: False, 520: False, 999: False,
}  # fmt: skip

CALLS = [
    *(Call("GPTBot", "/x", answer, status) for status, answer in _OF_STATUS.items()),
    Call("GPTBot", "/x", None, None, None),
    Call("GPTBot", "/x", None, 0, None),
    Call("GPTBot", "/x", None, 200, None),
    Call("GPTBot", "/x", True, 404, None),
    Call("GPTBot", "/x", False, 503, None),
    Call("GPTBot", "/x", "there is no status 0", 0),
    Call("GPTBot", "/x", "there is no status 20", 20),
    Call("GPTBot", "/x", "there is no status 1000", 1000),
    Call("GPTBot", "https://e.example/x", False),
    Call("GPTBot/1.2", "https://e.example/x", False),
    Call("gptbot", "https://e.example/a/../x", False),
    Call("GPTBot", "https://e.example/café", True),
    Call("CCBot", "https://e.example/x", True),
    Call("CCBot", "https://e.example/café", False),
    Call("CCBot", "https://e.example/caf%C3%A9", False),
    # Escapes of a URL stay as they are.
    Call("CCBot", "https://e.example/caf%c3%a9", True),
    Call("*", "/café", False),
    Call("Googlebot-News", "/x?y=/../café", True),
    Call(HEADER, "/x", f"'{HEADER}' is a User-Agent header, not the name of one crawler"),
    Call("GPTBot;CCBot", "/x", "'GPTBot;CCBot' is a list, not the name of one crawler"),
    Call("GPTBot,CCBot", "/x", "'GPTBot,CCBot' is a list, not the name of one crawler", is_for_command_line=False),
    Call("My GPTBot", "/x", "'My GPTBot' is no known crawler, and the file names 'gptbot'"),
    Call("https://e.example/", "/x", "'https://e.example/' is a URL, not the name of a crawler"),
    Call("/x", "GPTBot", "'GPTBot' is neither an absolute URL nor a path that begins with '/'", is_for_command_line=False),
    Call(BODY, "/x", "is a text of several lines, not the name of one crawler"),
]
