"""Writes lists of records in all formats that `robots-scan records` reads, and archives for them."""

import csv
import functools
import gzip
import io
import itertools
import json
import random
import zlib

import pyarrow as pa
import pyarrow.parquet as pq

INDEX_COLUMNS = ("warc_filename", "warc_record_offset", "warc_record_length", "crawl", "subset")
CDX_COLUMNS = ("filename", "offset", "length", "crawl", "subset")


@functools.cache
def gzip_of_zeros(size):
    packer, piece = zlib.compressobj(1, wbits=31), bytes(1 << 24)
    return b"".join(packer.compress(piece) for _ in range(size >> 24)) + packer.flush()


def write_parquet(path, rows, columns=INDEX_COLUMNS, **options):
    values = [list(column) for column in zip(*rows)] or [[] for _ in columns]
    pq.write_table(pa.table(dict(zip(columns, values))), path, **options)
    return path


def csv_bytes(rows, columns=CDX_COLUMNS):
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([columns, *rows])
    return text.getvalue().encode()


def json_bytes(rows, columns=CDX_COLUMNS):
    """JSON lines as the CDX server answers: numbers are texts."""
    objects = ({name: str(value) for name, value in zip(columns, row)} for row in rows)
    return b"".join(json.dumps(fields).encode() + b"\n" for fields in objects)


def cdxj_bytes(rows, columns=CDX_COLUMNS):
    lines = json_bytes(rows, columns).splitlines(keepends=True)
    return b"".join(b"com,example)/robots.txt 20240101000000 " + line for line in lines)


def write_list(path, rows, columns=CDX_COLUMNS):
    """Writes a list in the format of the ending of its name, in gzip if that ends in `.gz`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = path.name.removesuffix(".gz").rsplit(".", 1)[1]
    if kind == "parquet":
        return write_parquet(path, rows, columns)
    data = {"csv": csv_bytes, "jsonl": json_bytes, "cdxj": cdxj_bytes}[kind](rows, columns)
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return path


def members_of(data):
    """The gzip members of an archive, each as bytes."""
    while data:
        decoder = zlib.decompressobj(31)
        decoder.decompress(data)
        yield data[: len(data) - len(decoder.unused_data)]
        data = decoder.unused_data


def write_sparse(path, archive, seed, most=None, largest=150_000):
    """Writes the first members of an archive with other records between them, of up to `largest` bytes that cannot be compressed."""
    rng = random.Random(seed)
    with path.open("wb") as file:
        for member in itertools.islice(members_of(archive.read_bytes()), most):
            file.write(member)
            block = rng.randbytes(rng.choice((0, 100, 3000, 60_000, 66_000, largest)))
            head = (f"WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{rng.random()}>\r\n"
                    f"Content-Type: application/octet-stream\r\nContent-Length: {len(block)}\r\n\r\n")
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n", 1))
    return path


def neighbour_runs(rows, gap=64 << 10, largest=16 << 20):
    """The number of runs of records in which no gap is larger than `gap`, and that have at most `largest` bytes."""
    runs, last_name, start, end = 0, None, 0, 0
    for name, offset, length in sorted(row[:3] for row in rows):
        if name != last_name or offset - end > gap or offset + length - start > largest:
            runs, start = runs + 1, offset
        last_name, end = name, offset + length
    return runs
