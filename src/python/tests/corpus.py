"""The bodies that the tests read, from samples and from real archives, without robots-scan."""

from __future__ import annotations

import sys
import unittest
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "data-samples"
SHARED = ROOT.parent / "shared" / "data"


class Capture(NamedTuple):
    """A response in an archive."""

    archive: str
    offset: int
    body: bytes


def require_real_data(test: str) -> None:
    """Skip a test, with a printed line, if the real archives are not there."""
    if not SHARED.is_dir():
        print(f"skipped: {test}: real archives are not available", file=sys.stderr)
        raise unittest.SkipTest("real archives are not available")


def captures(archive: Path) -> Iterator[Capture]:
    """Read the responses of an archive whose records are gzip members, up to the first member that is damaged."""
    data, offset = archive.read_bytes(), 0
    while offset < len(data):
        try:
            record, end = _member(data, offset)
        except zlib.error:
            return
        found = _response(archive.name, offset, record)
        if found is not None:
            yield found
        offset = end


def _member(data: bytes, offset: int) -> tuple[bytes, int]:
    """Return the content of a gzip member, and the offset of its end."""
    member, content = zlib.decompressobj(wbits=31), []
    while not member.eof:
        chunk = data[offset : offset + 65536]
        if not chunk:
            raise zlib.error("the member is cut off")
        content.append(member.decompress(chunk))
        offset += len(chunk)
    return b"".join(content), offset - len(member.unused_data)


def _response(archive: str, offset: int, record: bytes) -> Capture | None:
    header, _, block = record.partition(b"\r\n\r\n")
    fields = dict(line.split(b":", 1) for line in header.split(b"\r\n")[1:] if b":" in line)
    fields = {name.lower().strip(): value.strip() for name, value in fields.items()}
    if fields.get(b"warc-type") != b"response":
        return None
    length = fields.get(b"content-length", b"")
    block = block[: int(length)] if length.isdigit() else block
    return Capture(archive, offset, block.partition(b"\r\n\r\n")[2])


def sample_bodies() -> dict[str, bytes]:
    """Return the distinct bodies of the samples, by the place where they are."""
    places = {path.name: path.read_bytes() for path in sorted((SAMPLES / "robots").glob("*.txt"))}
    for archive in sorted(SAMPLES.glob("*/*.warc.gz")):
        places |= {f"{capture.archive} at {capture.offset}": capture.body for capture in captures(archive)}
    by_body: dict[bytes, str] = {}
    for place, body in places.items():
        by_body.setdefault(body, place)
    return {place: body for body, place in by_body.items()}
