"""The list of hosts that a site leaves out."""

import itertools
import re
from pathlib import Path

from .._terminal import CommandError
from ..report.tables import literal

# As the views have it: `www` is left out if a domain follows it.
LEADING_WWW = re.compile(r"^www\.(?=.*\.)")
ADDRESS = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^/?#@]*@)?(\[[0-9a-f:.]+\]|[^/:?#]+)(?::[0-9]+)?(?:[/?#].*)?$")


# As for `history --forget`.
LIST_BYTES_MAX = 64 << 20
LINE_BYTES_MAX = 64 << 10
# The characters of a line that an error quotes.
QUOTED_MAX = 200


def read_exclusions(path):
    """Returns the hosts of a list, one per line: a host name, a registered domain or a URL. Empty lines and lines that begin with `#` are no hosts."""
    try:
        return [host_of(line, path, number) for number, line in read_lines(path) if line and not line.startswith("#")]
    except OSError as error:
        raise CommandError(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"cannot read '{path}': it is not UTF-8") from error


def read_lines(path):
    """Iterates over the lines of a list, with their numbers. One line is held at a time: the list may have no end."""
    left = LIST_BYTES_MAX
    with Path(path).open("rb") as source:
        for number in itertools.count(1):
            line = source.readline(LINE_BYTES_MAX + 1)
            left -= len(line)
            if not line:
                return
            if left < 0:
                raise CommandError(f"cannot read '{path}': line {number}: it has more than {LIST_BYTES_MAX} bytes")
            if len(line) > LINE_BYTES_MAX:
                raise CommandError(f"cannot read '{path}': line {number} has more than {LINE_BYTES_MAX} bytes")
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").strip()


def host_of(line, path, number):
    """Returns the host of a line, in punycode."""
    found = ADDRESS.match(line.lower())
    try:
        host = found[1].rstrip(".").strip("[]") if found else ""
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        host = ""
    if not host or re.search(r"[\s*,\\]", host):
        raise CommandError(f"'{path}', line {number}: '{line[:QUOTED_MAX]}' is not a host", "write one host name, registered domain or URL per line")
    return host


def surt_of(host):
    """Returns the key of a host in the tables: its labels reversed, without `www`."""
    if re.fullmatch(r"[0-9.]+", host):
        return ",".join(reversed(host.split(".")))
    return host if ":" in host else ",".join(reversed(LEADING_WWW.sub("", host).split(".")))


def is_excluded(hosts):
    """Returns a condition on a row `h` of the view `hosts`: it is one of these hosts, or below one that is its registered domain."""
    if not hosts:
        return "false"
    return (f"(list_contains({literal(sorted({surt_of(host) for host in hosts}))}::VARCHAR[], h.surt_host_name) OR "
            f"coalesce(list_contains({literal(sorted(set(hosts)))}::VARCHAR[], h.url_host_registered_domain), false))")
