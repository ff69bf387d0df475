//! Sound samples, with their records packed in every supported way.

use capture::{Capture, CaptureScope};
use std::fs;
use std::io::{Cursor, Read, Write};
use warc::{Limits, Reader};

/// An archive of known records.
#[derive(Clone)]
pub(crate) struct Archive {
    /// The names of the sample and the packing.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Its records, in order.
    pub(crate) records: Vec<Known>,
    pub(crate) packing: Packing,
}

/// A record that is in an archive.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The range of its member, frame or text in the archive.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its offset in the decoded bytes of its member.
    pub(crate) decoded: usize,
    /// Its bytes, and the range of the block in them.
    pub(crate) text: Vec<u8>,
    pub(crate) block: Vec<u8>,
    pub(crate) is_capture: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    GzipEach,
    GzipAll,
    ZstdEach,
    ZstdAll,
    ZstdDictionary,
}

impl Packing {
    pub(crate) const ALL: [Self; 6] = [
        Self::Plain,
        Self::GzipEach,
        Self::GzipAll,
        Self::ZstdEach,
        Self::ZstdAll,
        Self::ZstdDictionary,
    ];

    /// Returns true if each record has a member or frame of its own.
    pub(crate) fn is_each(self) -> bool {
        matches!(self, Self::GzipEach | Self::ZstdEach | Self::ZstdDictionary)
    }

    pub(crate) fn is_gzip(self) -> bool {
        matches!(self, Self::GzipEach | Self::GzipAll)
    }
}

/// Returns `bytes` as one gzip member.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns `bytes` as one zstd frame with a checksum.
pub(crate) fn zstd(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder =
        zstd::stream::write::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Packs records into an archive.
pub(crate) fn pack(name: &str, texts: &[Vec<u8>], packing: Packing) -> Archive {
    const DICTIONARY: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:";
    let (mut bytes, mut records) = (Vec::new(), Vec::new());
    let all = match packing {
        Packing::GzipAll => gzip(&texts.concat()),
        Packing::ZstdAll => zstd(&texts.concat(), b""),
        _ => Vec::new(),
    };
    if packing == Packing::ZstdDictionary {
        bytes.extend_from_slice(&[0x5d, 0x2a, 0x4d, 0x18]);
        bytes.extend_from_slice(&(DICTIONARY.len() as u32).to_le_bytes());
        bytes.extend_from_slice(DICTIONARY);
    }
    let mut decoded = 0;
    for text in texts {
        let start = bytes.len();
        let (block, is_capture) = read_one(text);
        match packing {
            Packing::Plain => bytes.extend_from_slice(text),
            Packing::GzipEach => bytes.extend(gzip(text)),
            Packing::ZstdEach => bytes.extend(zstd(text, b"")),
            Packing::ZstdDictionary => bytes.extend(zstd(text, DICTIONARY)),
            Packing::GzipAll | Packing::ZstdAll => {}
        }
        let is_alone = all.is_empty();
        records.push(Known {
            start: if is_alone { start } else { 0 },
            end: if is_alone { bytes.len() } else { all.len() },
            decoded: if is_alone { 0 } else { decoded },
            text: text.clone(),
            block,
            is_capture,
        });
        decoded += text.len();
    }
    bytes.extend(all);
    Archive {
        name: format!("{name} as {packing:?}"),
        bytes,
        records,
        packing,
    }
}

/// Bodies are read to their end, and every response is a capture.
pub(crate) const SCOPE: CaptureScope = CaptureScope {
    is_robots_subset: true,
    max_body_bytes: 16 << 20,
    body_limit: None,
};

/// Returns the block of the only record of a text and whether it is a capture. Returns an empty
/// block if there is no record.
fn read_one(text: &[u8]) -> (Vec<u8>, bool) {
    let mut reader = Reader::new(Limits::default());
    let bytes = Box::new(Cursor::new(text.to_vec()));
    if reader.open_stream(bytes).is_err() || !matches!(reader.read_record(), Ok(true)) {
        return (Vec::new(), false);
    }
    let record = reader.record();
    let is_capture = Capture::read(&record, SCOPE).is_some();
    (record.block().to_vec(), is_capture)
}

/// Returns the records of a sound sample, each with the line endings after it.
fn texts(sample: &str) -> Vec<Vec<u8>> {
    let packed = fs::read(support::samples().join("warc").join(sample)).unwrap();
    let mut text = Vec::new();
    if sample.ends_with(".gz") {
        flate2::bufread::MultiGzDecoder::new(packed.as_slice())
            .read_to_end(&mut text)
            .unwrap();
    } else {
        text = packed;
    }
    let mut reader = Reader::new(Limits::default());
    reader
        .open_stream(Box::new(Cursor::new(text.clone())))
        .unwrap();
    let mut starts = Vec::new();
    while reader.read_record().unwrap() {
        starts.push(reader.record().location().offset as usize);
    }
    starts.push(text.len());
    let bounds = starts.windows(2);
    bounds.map(|pair| text[pair[0]..pair[1]].to_vec()).collect()
}

/// Returns sound samples of few records, in every packing.
pub(crate) fn small() -> Vec<Archive> {
    let samples = [
        "plain.warc",
        "per-record-1.1.warc.gz",
        "chunked.warc.gz",
        "content-encoding.warc.gz",
        "resource-and-revisit.warc.gz",
        "odd-dates.warc.gz",
        "odd-headers.warc.gz",
        "odd-urls.warc.gz",
        "http-as-sent.warc.gz",
        "truncated-payload.warc.gz",
        "whole-file.warc.gz",
        "two-whole-files.warc.gz",
    ];
    let packed = samples.map(|sample| {
        let texts = texts(sample);
        Packing::ALL.map(|packing| pack(sample, &texts, packing))
    });
    packed.into_iter().flatten().collect()
}

/// Returns a sample like a small crawl, in every packing.
pub(crate) fn large() -> Vec<Archive> {
    let sample = "cc-robotstxt.warc.gz";
    let texts = texts(sample);
    Packing::ALL
        .map(|packing| pack(sample, &texts, packing))
        .into()
}
