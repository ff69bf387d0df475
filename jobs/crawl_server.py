"""A server on this machine that answers as Common Crawl does, about the two sample crawls.

    python jobs/crawl_server.py    # serves until it is stopped, and prints the address

It serves, at the paths that they have at data.commoncrawl.org and index.commoncrawl.org:

    crawl-data/<crawl>/segments/…/robotstxt/*.warc.gz    the archives, also single ranges of them
    crawl-data/<crawl>/cc-index-table.paths.gz           the list of the files of the columnar index
    cc-index/table/cc-main/warc/crawl=…/subset=…/        the columnar index, in Parquet
    <crawl>-index?url=…&output=json                      the CDX server: JSON lines, or 404 if there is no capture

Both indexes are computed here from the bytes of the archives, without code of the product. The columnar index has the columns
that the documentation uses, with the names and types of Common Crawl. DuckDB reads URLs with an extension that it downloads,
so that tests without a network let it read `folder`, which has the same files, instead of `url`.
"""

import contextlib
import gzip
import json
import re
import shutil
import tempfile
import threading
import zlib
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

from scripted_server import Answer, Server, files_of

SAMPLES = Path(__file__).resolve().parent.parent / "data-samples/warc"
ARCHIVES = ["cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz"]
SUBSET, SEGMENT = "robotstxt", "1767225600.1"


def members(data):
    """Returns the offset, the length and the content of each gzip member."""
    offset = 0
    while offset < len(data):
        decompressor = zlib.decompressobj(wbits=31)
        content = decompressor.decompress(data[offset:])
        length = len(data) - offset - len(decompressor.unused_data)
        yield offset, length, content
        offset += length


def parse_head(text):
    """Returns the first line of a head, and its fields with their names in lower case."""
    first, *lines = text.decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in lines)
    return first, {name.strip().lower(): value.strip() for name, _, value in fields}


def host_without_www(url):
    return re.sub(r"^www\d*\.", "", urlsplit(url).hostname)


def urlkey(url):
    """Returns the search key of a URL, in SURT form: `com,example)/robots.txt`."""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{','.join(reversed(host_without_www(url).split('.')))}){(parts.path or '/').lower()}{query.lower()}"


def index_archive(archive):
    """Returns the name of the crawl, and a row of the index for each response and each revisit of an archive."""
    data, crawl, rows = archive.read_bytes(), None, []
    for offset, length, content in members(data):
        head, _, block = content.partition(b"\r\n\r\n")
        _, warc = parse_head(head)
        if warc["warc-type"] == "warcinfo":
            crawl = re.search(rb"^isPartOf: (\S+)", block, re.MULTILINE)[1].decode()
        if warc["warc-type"] not in ("response", "revisit"):
            continue
        status_line, http = parse_head(block.partition(b"\r\n\r\n")[0])
        url, parts = warc["warc-target-uri"], urlsplit(warc["warc-target-uri"])
        status = int(status_line.split()[1])
        location = http.get("location") if 300 <= status < 400 else None
        rows.append({
            "url_surtkey": urlkey(url), "url": url, "url_host_name": parts.hostname, "url_protocol": parts.scheme,
            "url_path": parts.path, "url_query": parts.query or None,
            "fetch_time": datetime.fromisoformat(warc["warc-date"].removesuffix("Z")), "fetch_status": status,
            "fetch_redirect": location and urljoin(url, location),
            "content_digest": warc.get("warc-payload-digest", "").removeprefix("sha1:") or None,
            "content_mime_type": http.get("content-type", "unk").partition(";")[0],
            "warc_filename": f"crawl-data/{crawl}/segments/{SEGMENT}/{SUBSET}/{archive.name}",
            "warc_record_offset": offset, "warc_record_length": length,
        })
    return crawl, sorted(rows, key=lambda row: (row["url_surtkey"], row["fetch_time"]))


def write_columnar_index(folder, crawl, rows):
    """Writes the columnar index of a crawl, and the list of its files, in which other subsets are listed, too."""
    import pyarrow
    import pyarrow.parquet

    types = {"fetch_time": pyarrow.timestamp("ms"), "fetch_status": pyarrow.int16(),
             "warc_record_offset": pyarrow.int32(), "warc_record_length": pyarrow.int32()}
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in rows[0]])
    names = [f"cc-index/table/cc-main/warc/crawl={crawl}/subset={subset}/part-00000.c000.gz.parquet"
             for subset in ("crawldiagnostics", SUBSET, "warc")]
    path = folder / names[1]
    path.parent.mkdir(parents=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), path, compression="gzip")
    listing = folder / f"crawl-data/{crawl}/cc-index-table.paths.gz"
    listing.write_bytes(gzip.compress("".join(f"{name}\n" for name in names).encode()))


def cdx_line(row):
    """Returns a row as the CDX server answers it. All values are texts."""
    return json.dumps({
        "urlkey": row["url_surtkey"], "timestamp": row["fetch_time"].strftime("%Y%m%d%H%M%S"), "url": row["url"],
        "mime": row["content_mime_type"], "status": str(row["fetch_status"]), "digest": row["content_digest"],
        "length": str(row["warc_record_length"]), "offset": str(row["warc_record_offset"]),
        "filename": row["warc_filename"]})


def answer_cdx(rows, request):
    url = parse_qs(urlsplit(request.target).query)["url"][0]
    key = urlkey(url if "://" in url else f"http://{url}")
    lines = [cdx_line(row) for row in rows if row["url_surtkey"] == key]
    return "".join(f"{line}\n" for line in lines).encode() if lines else Answer(404, json.dumps({"message": f"No Captures found for: {url}"}).encode() + b"\n")


class CrawlServer:
    """The server, which runs until the process ends. `url` is its address, and `folder` has the files that it serves."""

    def __init__(self, folder):
        self.folder, indexes = Path(folder), {}
        for name in ARCHIVES:
            crawl, rows = index_archive(SAMPLES / name)
            archive = self.folder / rows[0]["warc_filename"]
            archive.parent.mkdir(parents=True)
            shutil.copyfile(SAMPLES / name, archive)
            write_columnar_index(self.folder, crawl, rows)
            indexes[f"/{crawl}-index"] = partial(answer_cdx, rows)
        self.url = Server(files_of(self.folder) | indexes).url()


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        print(CrawlServer(folder).url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
