"""Reads the captures of WARC archives: gzip, records, HTTP responses, and the hosts of URLs."""

import gzip
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urljoin, urlsplit, urlunsplit

# The public suffixes of the samples in the ICANN section of the Public Suffix List. The list has no suffix for .example, and a host
# without a suffix has no registered domain.
SUFFIXES = set("com org net io de fr nl cz jp xn--p1ai co.uk com.au com.br".split())


@dataclass
class Capture:
    """A response or revisit, with the URL, the status and the decoded body."""

    crawl: str
    number: int
    url: str
    time: datetime
    status: int | None
    target: str | None
    digest: str
    is_revisit: bool
    truncated: bool
    body: bytes

    def is_robots_path(self):
        return urlsplit(self.url).path == "/robots.txt" and "?" not in self.url

    def host(self):
        return urlsplit(self.url).hostname

    def key(self):
        return host_key(self.host())

    def age(self):
        """A number that is smaller for later captures."""
        return (datetime.max - self.time).total_seconds()


def normal_url(url):
    """The URL without its fragment and default port, with a host in lower case."""
    parts = urlsplit(url)
    host, port = parts.hostname, parts.port
    if port is not None and port != {"http": 80, "https": 443}[parts.scheme]:
        host = f"{host}:{port}"
    return urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))


def is_address(host):
    return all(label.isdigit() for label in host.split("."))


def host_key(host):
    """The labels of a host in reverse order without a leading www, as in Common Crawl's host index."""
    labels = host.split(".")
    if labels[0] == "www" and len(labels) > 2:
        labels = labels[1:]
    return ",".join(reversed(labels))


def top_level_domain(host):
    return None if is_address(host) else host.split(".")[-1]


def registered_domain(host):
    """The domain directly below the public suffix, or null for a host without one, such as an address."""
    labels = host.split(".")
    for i in range(1, len(labels)):
        if ".".join(labels[i:]) in SUFFIXES:
            return ".".join(labels[i - 1:])
    return None


def domain_of(host):
    """The unit that is counted as a registered domain."""
    return registered_domain(host) or host_key(host)


def fields_of(lines):
    """The header fields of a record or response, by name in lower case; of repeated fields the first."""
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields.setdefault(name.strip().lower(), value.strip())
    return fields


def records(data):
    """Yields the fields and the block of each record of a decompressed archive."""
    start = 0
    while start < len(data):
        end = data.index(b"\r\n\r\n", start)
        version, *lines = data[start:end].decode().split("\r\n")
        assert version.startswith("WARC/"), version
        fields = fields_of(lines)
        block_start = end + 4
        block_end = block_start + int(fields["content-length"])
        assert data[block_end:block_end + 4] == b"\r\n\r\n"
        yield fields, data[block_start:block_end]
        start = block_end + 4


def read_captures(paths):
    """The captures of all archives of robots.txt files, in the order of the archives and of their records.

    Every response and every revisit of such an archive is a capture: of a robots.txt file, or of the target of a redirect from one.
    """
    captures = []
    for path in paths:
        with gzip.open(path) as file:
            data = file.read()
        crawl = None
        for fields, block in records(data):
            kind = fields["warc-type"]
            if kind == "warcinfo":
                crawl = fields_of(block.decode().split("\r\n"))["ispartof"]
            elif kind in ("response", "revisit"):
                captures.append(capture_of(crawl, len(captures), fields, block))
    return captures


def capture_of(crawl, number, fields, block):
    head, _, body = block.partition(b"\r\n\r\n")
    status_line, *lines = head.decode("latin-1").split("\r\n")
    headers = fields_of(lines)
    # Common Crawl stores decoded bodies, and renames the headers of their encodings.
    assert "content-encoding" not in headers and "transfer-encoding" not in headers
    status = int(status_line.split()[1])
    url = normal_url(fields["warc-target-uri"])
    target = None
    if 300 <= status <= 399 and status != 304 and "location" in headers:
        target = normal_url(urljoin(url, headers["location"]))
    return Capture(
        crawl=crawl, number=number, url=url, time=datetime.fromisoformat(fields["warc-date"].replace("Z", "")), status=status,
        target=target, digest=fields["warc-payload-digest"].removeprefix("sha1:"), is_revisit=fields["warc-type"] == "revisit",
        truncated="warc-truncated" in fields, body=body)
