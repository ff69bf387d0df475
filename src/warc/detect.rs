//! Detection of the compression of an archive.

use memchr::memmem;

use crate::decode::Compression;
use crate::decode::decoder::Decoder;
use crate::decode::gzip::{self, GzipDecoder};
use crate::decode::source::ArchiveSource;
use crate::decode::zstd::ZstdDecoder;
use crate::decode::zstd_frame;
use crate::error::{Error, ErrorKind};
use crate::record_start::{
    find_record, is_partial_record_start, is_record_start, trim_leading_line_ends,
};
use crate::search_budget::Probe;
use crate::unsupported_format::UnsupportedFormat;

/// The number of bytes at the start of an input from which its compression is detected, unless they
/// are damaged.
pub(crate) const HEAD_BYTES: usize = 512;

/// If the start of an input is damaged, a record, member or frame must start within this number of
/// bytes.
const MAX_DAMAGED_START_BYTES: usize = 1 << 20;

/// The maximum work of probes in an input whose start is damaged, for each compression, in the
/// weighted bytes of [`Probe`].
const MAX_PROBE_WORK: u64 = 4 << 20;

/// Detects the compression of an archive from its first bytes.
///
/// `head` is the start of the archive. 512 bytes are enough unless they are damaged. Otherwise the
/// first record, member or frame that starts in `head` determines the compression. An input that is
/// empty or consists of line ends is an uncompressed archive without records.
///
/// # Errors
///
/// [`ErrorKind::Unsupported`] for known formats that are not supported, such as ARC, WACZ, bzip2,
/// lz4 and xz. [`ErrorKind::NotAnArchive`] for everything else.
///
/// # Example
///
/// ```
/// use warc::{Compression, detect};
///
/// assert_eq!(detect(b"WARC/1.1\r\n")?, Compression::None);
/// assert_eq!(detect(b"\x1f\x8b\x08\x00")?, Compression::Gzip);
/// assert!(detect(b"<!DOCTYPE html>").is_err());
/// # Ok::<(), warc::Error>(())
/// ```
pub fn detect(head: &[u8]) -> Result<Compression, Error> {
    if head.is_empty() {
        return Ok(Compression::None);
    }
    if gzip::is_gzip(head) {
        return Ok(Compression::Gzip);
    }
    if zstd_frame::is_zstd(head) {
        return Ok(Compression::Zstd);
    }
    if let Some(format) = UnsupportedFormat::detect(head) {
        return Err(Error::fatal(ErrorKind::Unsupported(format), 0));
    }
    let start = trim_leading_line_ends(head);
    if is_record_start(start) || is_partial_record_start(start) {
        return Ok(Compression::None);
    }
    find_compression_after_damage(head).ok_or_else(|| Error::fatal(ErrorKind::NotAnArchive, 0))
}

/// Detects the compression of the input that was opened in `decoder`, and starts decoding it.
pub(crate) fn detect_and_start(decoder: &mut Decoder) -> Result<(), Error> {
    let compression = detect_source_compression(&mut decoder.source)?;
    decoder.start(compression)
}

/// Detects the compression of an input, and reads more than [`HEAD_BYTES`] of it only if they are
/// damaged.
fn detect_source_compression(source: &mut ArchiveSource) -> Result<Compression, Error> {
    let io_error = |error| Error::io(error, 0);
    source.fill(HEAD_BYTES).map_err(io_error)?;
    match detect(source.unread()) {
        Err(error) if error.kind() == ErrorKind::NotAnArchive => {
            source.fill(MAX_DAMAGED_START_BYTES).map_err(io_error)?;
            let unread = source.unread();
            detect(&unread[..unread.len().min(MAX_DAMAGED_START_BYTES)])
        }
        detected => detected,
    }
}

/// Returns the compression of the first record, member or frame in the bytes of an archive whose
/// start is damaged.
fn find_compression_after_damage(bytes: &[u8]) -> Option<Compression> {
    let mut gzip = GzipDecoder::new();
    let mut zstd = ZstdDecoder::new();
    let can_probe_zstd = matches!(zstd.open(&mut ArchiveSource::new(0)), Ok(Ok(())));
    let candidates = [
        (find_record(bytes), Compression::None),
        (
            find_member_by_magic(bytes, &gzip::MAGIC, |rest| gzip.probe(rest)),
            Compression::Gzip,
        ),
        (
            find_member_by_magic(bytes, &zstd_frame::MAGIC, |rest| {
                if can_probe_zstd {
                    zstd.probe(rest)
                } else {
                    Probe::new(false, 0, 0)
                }
            }),
            Compression::Zstd,
        ),
    ];
    let found = candidates
        .into_iter()
        .filter_map(|(index, compression)| Some((index?, compression)));
    found
        .min_by_key(|&(index, _)| index)
        .map(|(_, compression)| compression)
}

/// Returns the first index of `magic` in `bytes` at which a probe finds a record, within a limit on
/// the work of the probes.
fn find_member_by_magic(
    bytes: &[u8],
    magic: &[u8],
    mut probe: impl FnMut(&[u8]) -> Probe,
) -> Option<usize> {
    let mut work = 0;
    for index in memmem::find_iter(bytes, magic) {
        let probe = probe(&bytes[index..]);
        work += probe.work;
        if probe.is_record {
            return Some(index);
        } else if work > MAX_PROBE_WORK {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{gzip as compress_gzip, zstd as compress_zstd};

    #[test]
    fn compression_is_detected_by_the_first_bytes() {
        for (head, compression) in [
            (&b"WARC/1.0\r\n"[..], Compression::None),
            (b"\r\n\r\nWARC/1.0\r\n", Compression::None),
            (b"", Compression::None),
            (b"\r\n", Compression::None),
            (b"WA", Compression::None),
            (b"warc/1.0\r\n", Compression::None),
            (b"\x1f\x8b\x08\x00", Compression::Gzip),
            (b"\x1f", Compression::Gzip),
            (b"\x28\xb5\x2f\xfd\x04", Compression::Zstd),
            (b"\x5d\x2a\x4d\x18\x04\x00\x00\x00", Compression::Zstd),
        ] {
            assert_eq!(detect(head).expect("an archive"), compression, "{head:?}");
        }
    }

    #[test]
    fn a_known_unsupported_format_is_refused_by_name() {
        for (head, word) in [
            (&b"filedesc://x.arc 0.0.0.0"[..], "ARC"),
            (b"PK\x03\x04....", "WACZ"),
            (b"BZh91AY", "bzip2"),
            (b"\x04\x22\x4d\x18\x64", "lz4"),
            (b"\xfd7zXZ\x00\x00", "xz"),
        ] {
            let error = detect(head).expect_err("refused");
            assert!(matches!(error.kind(), ErrorKind::Unsupported(_)));
            assert!(
                error.is_fatal() && error.to_string().contains(word),
                "{error}"
            );
        }
    }

    #[test]
    fn an_archive_with_a_damaged_start_is_detected() {
        let record = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
        let after_damage = |bytes: &[u8]| [&b"\xffdamage\n"[..], bytes].concat();
        for (head, compression) in [
            (after_damage(record), Compression::None),
            (after_damage(&compress_gzip(record)), Compression::Gzip),
            (after_damage(&compress_zstd(record, &[])), Compression::Zstd),
        ] {
            assert_eq!(detect(&head).expect("an archive"), compression);
            assert_eq!(
                detect(&head[..12]).expect_err("too little").kind(),
                ErrorKind::NotAnArchive
            );
        }
        // Text that mentions WARC is not an archive.
        assert!(detect(b"On archives\nWARC/1.0 is a version.\n").is_err());
        assert!(detect(&after_damage(&compress_gzip(b"words"))).is_err());
    }

    #[test]
    fn any_other_input_is_not_an_archive() {
        for head in [&b"<html>"[..], b"WARP/1.0", b"\0\0\0\0", b"crawl-data/CC"] {
            let error = detect(head).expect_err("no archive");
            assert_eq!(error.kind(), ErrorKind::NotAnArchive);
        }
    }
}
