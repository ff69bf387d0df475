"""Makes tables of bodies from datasets with bodies and from archives, and writes them in all formats that `robots-scan bodies` reads."""

import base64
import gzip
import hashlib
import json
import re
import zlib

import pyarrow as pa
import pyarrow.parquet as pq

from source_runs import query

COLUMNS = ("url", "body", "fetch_time", "fetch_status", "fetch_redirect", "content_digest", "is_revisit", "crawl")
ESCAPES = re.compile(rb"\\(\\|x([0-9A-F]{2}))")
# What a table of bodies cannot tell: these anomalies are of records, and of codings of HTTP.
RECORD_ANOMALIES = ("length_quirk", "headers_cut", "record_cut", "misdeclared_coding", "coding_cut", "payload_truncated", "challenge_page")


def unescaped(text, is_valid_utf8):
    """The bytes of a body as the column `body` of robots_files has it."""
    data = text.encode()
    if is_valid_utf8 is not False:
        return data
    return ESCAPES.sub(lambda found: b"\\" if found[2] is None else bytes([int(found[2], 16)]), data)


def rows_of(dataset):
    """The rows of a table of bodies of the captures of a dataset with bodies, as dictionaries, each with its address."""
    columns = ("robots_id", "warc_filename", "warc_record_offset", "warc_record_length", "is_valid_utf8", *COLUMNS)
    rows = [dict(zip(columns, row)) for row in query(dataset, "robots_files", ", ".join(columns), "ORDER BY _place")]
    undated = {row[:2] for row in query(dataset, "anomalies", "crawl, robots_id", "WHERE code = 'bad_date'")}
    for row in rows:
        key = row["crawl"], row["robots_id"]
        row["has_bad_time"] = key in undated
        if row["body"] is not None:
            row["body"] = unescaped(row["body"], row["is_valid_utf8"])
    return rows


def response_of(archive, offset, length):
    """The header and the payload of the HTTP response of a record, as bytes; nothing is decoded."""
    with archive.open("rb") as file:
        file.seek(offset)
        record = file.read(length)
    if archive.name.endswith(".gz"):
        record = zlib.decompress(record, 31)
    head, _, rest = record.partition(b"\r\n\r\n")
    block = rest[:int(re.search(rb"(?i)\r\ncontent-length:[ \t]*(\d+)", head)[1])]
    header, _, payload = block.partition(b"\r\n\r\n")
    return header, payload


def text_of_time(time):
    return None if time is None else time.isoformat(timespec="milliseconds") + "Z"


def as_texts(rows):
    """The rows with times and statuses as texts, also times that the capture has in a form that cannot be read."""
    texts = []
    for row in rows:
        status = None if row["fetch_status"] is None else str(row["fetch_status"])
        time = "soon" if row["has_bad_time"] else text_of_time(row["fetch_time"])
        texts.append({**row, "fetch_status": status, "fetch_time": time})
    return texts


def write_parquet(path, rows, names=None, types=None, **options):
    """Writes columns of rows. `names` gives other names for columns, and `types` other types."""
    names = names or {name: name for name in COLUMNS}
    arrays = [pa.array([row[column] for row in rows], (types or {}).get(column)) for column in names]
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(arrays, list(names.values())), path, **options)
    return path


def csv_bytes(rows, names):
    def field(value):
        value = value.decode() if isinstance(value, bytes) else value
        # The module csv writes an empty text and None alike.
        return "" if value is None else '"' + str(value).replace('"', '""') + '"'

    lines = [names.values(), *([row[column] for column in names] for row in rows)]
    return "".join(",".join(map(field, line)) + "\n" for line in lines).encode()


def json_bytes(rows, names):
    lines = []
    for row in rows:
        fields = {name: row[column].decode() if isinstance(row[column], bytes) else row[column] for column, name in names.items()}
        lines.append(json.dumps(fields, ensure_ascii=len(lines) % 2 == 0))
    return "\n".join(lines).encode()


def write_text(path, rows, names=None):
    """Writes rows of texts as CSV or JSON lines, according to the name."""
    kind = path.name.removesuffix(".gz").rsplit(".", 1)[1]
    data = {"csv": csv_bytes, "jsonl": json_bytes}[kind](as_texts(rows), names or {name: name for name in COLUMNS})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 1) if path.name.endswith(".gz") else data)
    return path


def is_text(row):
    """True if the body is text in UTF-8, so that all formats have it."""
    try:
        return row["body"] is None or row["body"].decode() is not None
    except UnicodeDecodeError:
        return False


def digest_of(body):
    return base64.b32encode(hashlib.sha1(body).digest()).decode()
