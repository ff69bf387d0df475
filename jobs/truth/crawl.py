"""Writes the crawls of crawl.toml as archives in the form of Common Crawl's robotstxt subset.

Each archive has a warcinfo record, then a request and a response (or revisit) for every capture, with one gzip member per record.
"""

import base64
import datetime
import gzip
import hashlib
import io
import tomllib
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
REASONS = {200: "OK", 301: "Moved Permanently", 304: "Not Modified", 403: "Forbidden", 404: "Not Found", 429: "Too Many Requests",
           503: "Service Unavailable"}


def definition():
    return tomllib.loads((HERE / "crawl.toml").read_text(encoding="utf-8"))


def fetch_time(crawl, index):
    """Returns the time of a capture: captures of a crawl are one minute apart."""
    return crawl["start"] + datetime.timedelta(minutes=index)


def digest(payload):
    return "sha1:" + base64.b32encode(hashlib.sha1(payload).digest()).decode()


class Archive:
    """Collects the records of one archive."""

    def __init__(self, crawl, number=0):
        self.name = f"{crawl}-robotstxt-{number:05}.warc.gz"
        self.out = io.BytesIO()
        self.records = 0
        info = f"isPartOf: {crawl}\r\npublisher: robots-scan\r\nsubset: robotstxt\r\nformat: WARC File Format 1.0\r\n"
        self.record("warcinfo", datetime.datetime(2024, 1, 1), [("Content-Type", "application/warc-fields"), ("WARC-Filename", self.name)],
                    info.encode())

    def record(self, kind, time, fields, block):
        self.records += 1
        identifier = uuid.uuid5(uuid.NAMESPACE_URL, f"{self.name}#{self.records}")
        head = [("WARC-Type", kind), ("WARC-Date", time.strftime("%Y-%m-%dT%H:%M:%SZ")), ("WARC-Record-ID", f"<urn:uuid:{identifier}>")]
        head += [*fields, ("Content-Length", str(len(block)))]
        text = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in head) + "\r\n"
        self.out.write(gzip.compress(text.encode() + block + b"\r\n\r\n", mtime=0))

    def capture(self, capture, texts, time):
        """Writes the request and the response of an entry of crawl.toml."""
        url = capture["url"]
        is_revisit = "revisit" in capture
        status = capture.get("status", 304 if is_revisit else 200)
        payload = texts[capture["text"]].encode() if "text" in capture else b""
        host = url.split("/")[2]
        request = f"GET /robots.txt HTTP/1.1\r\nHost: {host}\r\nAccept: text/plain\r\n\r\n"
        self.record("request", time, [("WARC-Target-URI", url), ("Content-Type", "application/http; msgtype=request")], request.encode())
        headers = [("Server", capture.get("server", "nginx"))]
        if "location" in capture:
            headers.append(("Location", capture["location"]))
        if not is_revisit:
            headers += [("Content-Type", capture.get("type", "text/plain")), ("Content-Length", str(len(payload)))]
        response = f"HTTP/1.1 {status} {REASONS[status]}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
        fields = [("WARC-Target-URI", url), ("Content-Type", "application/http; msgtype=response")]
        if is_revisit:
            fields += [("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
                       ("WARC-Payload-Digest", digest(texts[capture["revisit"]].encode()))]
        else:
            fields += [("WARC-Payload-Digest", digest(payload)), ("WARC-Identified-Payload-Type", capture.get("type", "text/plain"))]
        self.record("revisit" if is_revisit else "response", time, fields, response.encode() + payload)

    def write(self, folder):
        path = Path(folder) / self.name
        path.write_bytes(self.out.getvalue())
        return path


def write_crawls(folder):
    """Writes both crawls into a folder and returns the paths of their archives: the older crawl, the newer crawl."""
    crawls = definition()
    paths = []
    for key in ("old", "new"):
        archive = Archive(crawls[key]["crawl"])
        for index, capture in enumerate(crawls[key]["captures"]):
            archive.capture(capture, crawls["texts"], fetch_time(crawls[key], index))
        paths.append(archive.write(folder))
    return paths
