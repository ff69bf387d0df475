"""Compares data-samples/cc-index, which has indexes of the two sample crawls as Common Crawl publishes them, with the archives.

    python tests/python/sample_index.py            # compares
    python tests/python/sample_index.py --write    # writes the indexes again

    cc-index/crawl=<crawl>/subset=robotstxt/part-00000.parquet    the columnar index, with the columns that docs/history.md uses
    cc-index/cdx.jsonl                                            what the index server answers for the files of CDX_HOSTS

Names, types and values are those of Common Crawl, but archives are named as in data-samples/warc. All is computed from the bytes
of the archives, without code of the product.
"""

import json
import re
import sys
import zlib
from datetime import datetime
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pyarrow
import pyarrow.parquet

SAMPLES = Path(__file__).resolve().parents[2] / "data-samples"
FOLDER = SAMPLES / "cc-index"
ARCHIVES = ["cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz"]
CDX_HOSTS = ["merger.example", "newcomer.example"]
TYPES = {"fetch_time": pyarrow.timestamp("ms"), "fetch_status": pyarrow.int16(),
         "warc_record_offset": pyarrow.int32(), "warc_record_length": pyarrow.int32()}


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


def urlkey(url):
    """Returns the search key of a URL, in SURT form: `com,example)/robots.txt`."""
    parts = urlsplit(url)
    host = re.sub(r"^www\d*\.", "", parts.hostname)
    query = f"?{parts.query}" if parts.query else ""
    return f"{','.join(reversed(host.split('.')))}){(parts.path or '/').lower()}{query.lower()}"


def index_archive(name):
    """Returns the name of the crawl, and a row of the index for each response and each revisit of an archive."""
    crawl, rows = None, []
    for offset, length, content in members((SAMPLES / "warc" / name).read_bytes()):
        head, _, block = content.partition(b"\r\n\r\n")
        _, warc = parse_head(head)
        if warc["warc-type"] == "warcinfo":
            crawl = re.search(rb"^isPartOf: (\S+)", block, re.MULTILINE)[1].decode()
        if warc["warc-type"] not in ("response", "revisit"):
            continue
        status_line, http = parse_head(block.partition(b"\r\n\r\n")[0])
        url = warc["warc-target-uri"]
        status = int(status_line.split()[1])
        location = http.get("location") if 300 <= status < 400 else None
        rows.append({
            "url_surtkey": urlkey(url), "url": url, "url_host_name": urlsplit(url).hostname,
            "fetch_time": datetime.fromisoformat(warc["warc-date"].removesuffix("Z")), "fetch_status": status,
            "fetch_redirect": location and urljoin(url, location),
            "content_digest": warc.get("warc-payload-digest", "").removeprefix("sha1:") or None,
            "content_mime_type": http.get("content-type", "unk").partition(";")[0],
            "warc_filename": name, "warc_record_offset": offset, "warc_record_length": length,
        })
    return crawl, sorted(rows, key=lambda row: (row["url_surtkey"], row["fetch_time"]))


def cdx_line(row):
    """Returns a row as the index server answers it. All values are texts."""
    return json.dumps({
        "urlkey": row["url_surtkey"], "timestamp": row["fetch_time"].strftime("%Y%m%d%H%M%S"), "url": row["url"],
        "mime": row["content_mime_type"], "status": str(row["fetch_status"]), "digest": row["content_digest"],
        "length": str(row["warc_record_length"]), "offset": str(row["warc_record_offset"]),
        "filename": row["warc_filename"]}) + "\n"


def indexes():
    """Returns the tables of the columnar index by their paths, and the answers of the index server."""
    crawls = dict(index_archive(name) for name in ARCHIVES)
    schema = pyarrow.schema([(name, TYPES.get(name, pyarrow.string())) for name in next(iter(crawls.values()))[0]])
    tables = {FOLDER / f"crawl={crawl}/subset=robotstxt/part-00000.parquet": pyarrow.Table.from_pylist(rows, schema)
              for crawl, rows in crawls.items()}
    keys = [urlkey(f"https://{host}/robots.txt") for host in CDX_HOSTS]
    answers = "".join(cdx_line(row) for rows in crawls.values() for key in keys for row in rows if row["url_surtkey"] == key)
    return tables, answers


def is_current():
    """Returns true if the files of data-samples/cc-index are the indexes of the archives."""
    tables, answers = indexes()
    return (set(FOLDER.rglob("*.parquet")) == set(tables) and (FOLDER / "cdx.jsonl").read_text(encoding="utf-8") == answers
            and all(pyarrow.parquet.ParquetFile(path).read().equals(table) for path, table in tables.items()))


def write():
    tables, answers = indexes()
    for path, table in tables.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, path, compression="gzip")
    (FOLDER / "cdx.jsonl").write_text(answers, encoding="utf-8")


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    sys.exit(0 if is_current() else "data-samples/cc-index is not the index of the archives: python tests/python/sample_index.py --write")
