//! Tells from its first bytes how an input is packed.

use crate::compression::Compression;
use crate::decode::{gzip, zstd};
use crate::error::{Error, ErrorKind};
use crate::resync::find_compression;

/// Kinds of input that we know but do not read, by their first bytes.
const REFUSED: &[(&[u8], &str)] = &[
    (
        b"filedesc://",
        "an ARC archive, the elder of WARC, is not read: convert it to WARC first",
    ),
    (
        b"PK\x03\x04",
        "a zip archive (WACZ) is not read: unpack it and give the WARC files in its archive folder",
    ),
    (
        b"PK\x05\x06",
        "a zip archive (WACZ) is not read, and this one is empty",
    ),
    (b"BZh", "bzip2 is not read: unpack it with bzip2 -d first"),
    (
        b"\x04\x22\x4d\x18",
        "lz4 is not read: unpack it with lz4 -d first",
    ),
    (
        b"\xfd7zXZ\x00",
        "xz is not read: unpack it with xz -d first",
    ),
    (b"7z\xbc\xaf\x27\x1c", "7z is not read: unpack it first"),
    (
        b"\x1f\x9d",
        "the Z format of compress is not read: unpack it with gzip -d first",
    ),
];

/// Bytes of an input whose beginning is damaged in which a record, a member or
/// a frame must begin.
pub(crate) const SEARCHED_BYTES: usize = 1 << 20;

/// Tells how an input is packed from its first bytes.
///
/// `head` is the beginning of the input: some hundred bytes of it, or all, are
/// enough for one that is sound. If its first bytes are damaged, a record, a
/// member or a frame that begins in `head` tells it.
/// An input without bytes, or with only line ends, is a plain archive of no records.
///
/// # Errors
///
/// [`ErrorKind::Unsupported`] for kinds that are known and not read (ARC, WACZ,
/// bzip2, lz4, xz, ...), [`ErrorKind::NotAnArchive`] for everything else.
pub fn detect(head: &[u8]) -> Result<Compression, Error> {
    if head.is_empty() || gzip::may_begin(head) {
        return Ok(if head.is_empty() {
            Compression::None
        } else {
            Compression::Gzip
        });
    }
    if zstd::may_begin(head) {
        return Ok(Compression::Zstd);
    }
    if let Some((_, what)) = REFUSED.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(Error::fatal(ErrorKind::Unsupported(what), 0));
    }
    let text = skip_line_ends(head);
    if begins_record(text) || is_cut_start(text) {
        return Ok(Compression::None);
    }
    find_compression(head).ok_or_else(|| Error::fatal(ErrorKind::NotAnArchive, 0))
}

/// Whether `bytes` begin with the word of a version line.
///
/// The grammar of WARC takes its literals in any case, and so do we where a
/// record must begin; searches for a record look only for capitals.
pub(crate) fn begins_record(bytes: &[u8]) -> bool {
    bytes
        .first_chunk::<5>()
        .is_some_and(|word| word.eq_ignore_ascii_case(b"WARC/"))
}

/// Whether `bytes`, all that there are, are the start of that word or nothing.
pub(crate) fn is_cut_start(bytes: &[u8]) -> bool {
    b"WARC/"
        .get(..bytes.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(bytes))
}

/// What stands after the CR and LF at the start of `bytes`.
pub(crate) fn skip_line_ends(bytes: &[u8]) -> &[u8] {
    let run = bytes
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count();
    &bytes[run..]
}

/// The word for a member that holds ARC records.
pub(crate) fn refused_text(text: &[u8]) -> Option<&'static str> {
    let (magic, what) = REFUSED[0];
    text.starts_with(magic).then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{gzip as gzip_of, zstd as zstd_of};

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
    fn a_known_kind_that_is_not_read_is_refused_with_its_name() {
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
    fn a_damaged_beginning_hides_no_archive() {
        let record = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
        let behind = |bytes: &[u8]| [&b"\xffdamage\n"[..], bytes].concat();
        for (head, compression) in [
            (behind(record), Compression::None),
            (behind(&gzip_of(record)), Compression::Gzip),
            (behind(&zstd_of(record, &[])), Compression::Zstd),
        ] {
            assert_eq!(detect(&head).expect("an archive"), compression);
            assert_eq!(
                detect(&head[..12]).expect_err("too little").kind(),
                ErrorKind::NotAnArchive
            );
        }
        // Words about archives are none.
        assert!(detect(b"On archives\nWARC/1.0 is a version.\n").is_err());
        assert!(detect(&behind(&gzip_of(b"words"))).is_err());
    }

    #[test]
    fn anything_else_is_no_archive() {
        for head in [&b"<html>"[..], b"WARP/1.0", b"\0\0\0\0", b"crawl-data/CC"] {
            let error = detect(head).expect_err("no archive");
            assert_eq!(error.kind(), ErrorKind::NotAnArchive);
        }
    }
}
