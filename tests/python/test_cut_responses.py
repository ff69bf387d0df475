"""Responses in the forms in which archives store them, whole and cut at every byte: missing bytes are never consent.

test_cut_responses.py PROGRAM [ARCHIVE…]

Each response is a record of a host of its own. What is known of it follows from what is stored: the expected verdicts are those of
the whole lines, parsed by independent.robots_txt, or `unknown`. The dataset is then read again as a table of bodies, and so are
those of the archives: all columns must be equal but those of the place and the record.
"""

import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow

from dataset import opened
from independent.robots_txt import RobotsTxt, decide

FILES = {
    "lf": b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /a\nDisallow: /\n",
    "crlf": b"User-agent: *\r\nDisallow: /\r\nAllow: /public\r\n",
    "open end": b"User-agent: *\nDisallow: /private",
    "comment": b"# Nothing is said here.\n",
    "page": b"<!DOCTYPE html><html><body>Not found</body></html>\n",
    "empty": b"",
}
EMPTY_CODED_BYTES = 32

# Codings without a magic number, and the length from which text is not taken for them.
NO_MAGIC = ("deflate", "raw", "br")
MIN_TEXT_BYTES = 16


def raw_deflate(data):
    encoder = zlib.compressobj(9, zlib.DEFLATED, -15)
    return encoder.compress(data) + encoder.flush()


def chunks(data):
    parts = [data[i:i + 11] for i in range(0, len(data), 11)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def compress(codec):
    return lambda data: pyarrow.Codec(codec).compress(data, asbytes=True)


# Names of codings: the field, its encoder, and the window bits of zlib's decoder.
CODINGS = {
    "": (None, bytes, None),
    "gzip": ("Content-Encoding", lambda data: zlib.compress(data, 9, 31), 31),
    "deflate": ("Content-Encoding", lambda data: zlib.compress(data, 9), 15),
    "raw": ("Content-Encoding", raw_deflate, -15),
    "br": ("Content-Encoding", compress("brotli"), None),
    "zstd": ("Content-Encoding", compress("zstd"), None),
    "chunked": ("Transfer-Encoding", chunks, None),
}


@dataclass(frozen=True)
class Form:
    """How writers store responses. `rename` is the prefix of fields that no longer describe the body."""

    stores_decoded: bool
    rename: str = ""
    has_new_length: bool = False
    marks_truncation: bool = False
    drops_cr: bool = False


FORMS = {
    "CC-MAIN": Form(True, "X-Crawl-", has_new_length=True, marks_truncation=True),
    "CC-NEWS before May 2019": Form(True),
    "CC-NEWS": Form(True, "X-Crawler-"),
    "wget": Form(False),
    "Heritrix": Form(False, marks_truncation=True),
    "ClueWeb": Form(True, drops_cr=True),
    "warcio": Form(False),
    "browsertrix": Form(True, "X-Archive-Orig-"),
}


@dataclass
class Response:
    name: str
    record_fields: list
    block: bytes
    # The verdicts that are right: one, but for codings that Python cannot decode in part.
    expected: set


def decoded_part(coding, stored):
    """The text that is certain of a part of a coded body, or null if no decoder is here."""
    window_bits = CODINGS[coding][2]
    if window_bits:
        return zlib.decompressobj(window_bits).decompress(stored)
    if coding != "chunked":
        return None
    text = b""
    while True:
        size, line_end, stored = stored.partition(b"\n")
        if not line_end or int(size, 16) == 0:
            return text
        text += stored[:int(size, 16)]
        stored = stored[int(size, 16) + 2:]


def verdicts(text, is_cut):
    """The verdicts for GPTBot and *."""
    robots = RobotsTxt(text, is_cut)
    if is_cut and robots.content_class != "html" and not any(rule.counts and rule.has_group for rule in robots.rules):
        return "unknown", "unknown"
    wildcard = robots.by_name.get("*", (0, []))[1]
    named = robots.by_name.get("gptbot", (0, wildcard))[1]
    return decide(named)[0], decide(wildcard)[0]


def is_short(length, stored):
    """Whether fewer bytes are stored than a length that is that of the stored bytes."""
    missing = length - len(stored)
    is_trimmed = missing == 1 or missing == 2 and b"\r\n" in stored
    is_rewritten = missing == stored.count(b"\n") and b"\r" not in stored and stored.endswith(b"\n")
    return missing > 0 and (not stored or not is_trimmed and not is_rewritten)


def responses():
    for form_name, form in FORMS.items():
        for coding, (field, encode, _) in CODINGS.items():
            for file_name, file in FILES.items():
                if coding and not file:
                    continue
                coded = encode(file)
                whole = file if form.stores_decoded else coded
                whole = whole.replace(b"\r\n", b"\n") if form.drops_cr else whole
                for length in (None, len(coded)):
                    for stored_bytes in range(len(whole), -1, -1):
                        stored = whole[:stored_bytes]
                        is_cut = stored_bytes < len(whole)
                        fields = [(form.rename + field, {"raw": "deflate"}.get(coding, coding))] if coding else []
                        renames_length = form.rename and (coding or form.has_new_length)
                        if length is not None:
                            fields.append((form.rename * bool(renames_length) + "Content-Length", str(length)))
                        if form.has_new_length:
                            fields.append(("Content-Length", str(len(stored))))
                        record_fields = ["WARC-Truncated: length"] if form.marks_truncation and is_cut else []
                        text, is_known = stored, bool(record_fields)
                        if coding and not form.stores_decoded:
                            complete = len(coded) - (2 if coding == "chunked" else 0)
                            is_known |= stored_bytes < complete and stored_bytes > 0
                            text = b"" if not stored else decoded_part(coding, stored) if is_known else file
                        if length and not stored and not form.has_new_length:
                            is_known |= not renames_length or length > EMPTY_CODED_BYTES
                        elif length and not coding and not renames_length:
                            is_known |= is_short(length, stored)
                        if text is None:
                            expected = {verdicts(file[:end], True) for end in range(len(file))}
                        else:
                            expected = {verdicts(text, is_known)}
                        if form.stores_decoded and coding in NO_MAGIC and 0 < stored_bytes < MIN_TEXT_BYTES and not form.rename:
                            # It may be the beginning of a coded body, too.
                            expected.add(("unknown", "unknown"))
                        head = b"HTTP/1.1 200 OK\r\n" + b"".join(f"{name}: {value}\r\n".encode() for name, value in fields) + b"\r\n"
                        name = f"{form_name}, {coding or 'no coding'}, {file_name}, length {length}, {stored_bytes} of {len(whole)} bytes"
                        yield Response(name, record_fields, head + stored, expected)


def beginnings():
    """A response that ends anywhere before its body, after an interim response or alone."""
    for status, whole in ((200, ("unknown", "unknown")), (404, ("allow_all", "allow_all")), (503, ("disallow_all", "disallow_all"))):
        for interim in (b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n",
                        b"HTTP/1.0 200 Connection established\r\n\r\n"):
            line = b"HTTP/1.1 %d x\r\n" % status
            block = interim + line + b"Content-Type: text/plain\r\nContent-Length: 40\r\n\r\n"
            for end in range(len(block) + 1):
                is_known = end >= len(interim) + len(line)
                is_reply = b"established" in interim and 37 <= end < len(interim)
                expected = whole if is_known else ("unknown", "unknown")
                yield Response(f"{end} bytes of {block}", [], block[:end], {expected} if not is_reply else {expected, ("unknown", "unknown")})
    for first, last, total in ((0, 49, 500), (0, 70, 71), (9, 70, 71)):
        file = FILES["lf"][first:last + 1]
        head = f"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{last}/{total}\r\nContent-Length: {len(file)}\r\n\r\n"
        is_cut = (first, last + 1) != (0, total)
        text = file if first == 0 else b"\n" + file.partition(b"\n")[2]
        yield Response(f"bytes {first}-{last}/{total}", [], head.encode() + file, {verdicts(text, is_cut)})


def write_archive(path, cases):
    with open(path, "wb") as file:
        for i, case in enumerate(cases):
            fields = ["WARC/1.0", "WARC-Type: response", "WARC-Date: 2026-01-01T00:00:00Z", f"WARC-Target-URI: https://h{i}.example/robots.txt",
                      f"Content-Length: {len(case.block)}", *case.record_fields]
            record = "\r\n".join(fields).encode() + b"\r\n\r\n" + case.block + b"\r\n\r\n"
            file.write(zlib.compress(record, 1, 31))


# Columns of the place, the record, and anomalies that no column has.
EXCEPTED = {"robots_files": {"warc_filename", "warc_record_offset", "warc_record_length", "warc_record_in_member", "warc_record_id",
                             "warc_ip_address", "n_anomalies", "robots_id", "archive_no", "crawl", "subset"},
            "hosts": {"host_id", "authoritative_robots_id", "rules_robots_id", "domain_id", "archive_no", "crawl"}}
# The tables that are compared, with the key of their captures, whose order is the same.
TABLES = {"robots_files": "robots_id", "hosts": "surt_host_name", "host_verdicts": "host_id", "host_preferences": "host_id"} | dict.fromkeys(
    ("verdicts", "rules", "groups", "directives", "sitemaps", "preferences", "file_preferences"), "robots_id")


def run(program, *arguments, codes=(0, 1)):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"error: {arguments[0]} ended with {done.returncode}: {done.stderr}")


def read_again(program, folder, inputs, name):
    """Scans archives with bodies and their table as a table of bodies; returns the dataset and the numbers of rows that differ."""
    scanned, again = folder / f"{name}-scanned", folder / f"{name}-again"
    paths = ["--relative-to", "/"] if len(inputs) > 1 else []
    run(program, *inputs, *paths, "--with-bodies", "--crawl", "X", "--subset", "robotstxt", "-q", "-o", scanned)
    run(program, "bodies", *sorted(scanned.glob("robots_files/*/*/*.parquet")), "--with-bodies", "--crawl", "X", "-q", "-o", again)
    datasets = [opened(scanned), opened(again)]
    differing = Counter()
    for table, order in TABLES.items():
        columns = [row[0] for row in datasets[0].execute(f"DESCRIBE {table}").fetchall()]
        wanted = [column for column in columns if column not in EXCEPTED.get(table, {"crawl", "subset", "robots_id", "host_id"})]
        select = f"SELECT {', '.join(wanted)} FROM {table} ORDER BY {', '.join([order, *wanted])}"
        rows = [dataset.execute(select).fetchall() for dataset in datasets]
        if rows[0] != rows[1]:
            differing[table] = sum(a != b for a, b in zip(*rows, strict=False)) + abs(len(rows[0]) - len(rows[1]))
            first = next((pair for pair in zip(*rows, strict=False) if pair[0] != pair[1]), None)
            changed = [(column, a, b) for column, a, b in zip(wanted, *first, strict=True) if a != b] if first else "rows are missing"
            print(f"{name}, {table}: the first of {differing[table]} rows that differ: {changed}")
    return datasets[0], differing


def main():
    program, archives = sys.argv[1], sys.argv[2:]
    cases = [*responses(), *beginnings()]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_archive(folder / "cases.warc.gz", cases)
        dataset, differing = read_again(program, folder, [folder / "cases.warc.gz"], "cases")
        rows = dataset.execute("""
            SELECT f.robots_id, coalesce(g.verdict, w.verdict), w.verdict
            FROM robots_files f JOIN verdicts w ON w.robots_id = f.robots_id AND w.agent = '*'
            LEFT JOIN verdicts g ON g.robots_id = f.robots_id AND g.agent = 'gptbot' ORDER BY 1""").fetchall()
        assert len(rows) == len(cases), (len(rows), len(cases))
        for case, (_, *found) in zip(cases, rows, strict=True):
            if tuple(found) not in case.expected:
                failures += 1
                if failures <= 20:
                    print(f"{case.name}: {found}, not {case.expected}\n    {case.record_fields} {case.block}")
        failures += sum(differing.values())
        if archives:
            _, differing = read_again(program, folder, archives, "archives")
            failures += sum(differing.values())
    if failures:
        sys.exit(f"error: {failures} of {len(cases)} responses and rows differ")
    unknown = sum(case.expected == {("unknown", "unknown")} for case in cases)
    print(f"{len(cases)} responses have the expected verdicts, {unknown} of them unknown, and are the same as a table of bodies")


if __name__ == "__main__":
    main()
