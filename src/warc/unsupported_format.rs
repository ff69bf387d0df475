//! Archive and compression formats that are recognized but not read.

use std::fmt;

/// A format that is recognized by its first bytes and is not read.
///
/// [`Display`](fmt::Display) states the name of the format and how to convert it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnsupportedFormat {
    /// An ARC archive, the predecessor of WARC.
    Arc,
    /// A zip archive, such as WACZ.
    Zip,
    /// A zip archive without files.
    EmptyZip,
    /// A bzip2 file.
    Bzip2,
    /// An lz4 frame, but not the legacy format.
    Lz4,
    /// An xz file, but not the older `.lzma` format.
    Xz,
    /// A 7z archive.
    SevenZip,
    /// The `.Z` format of `compress`.
    Compress,
}

const SIGNATURES: &[(&[u8], UnsupportedFormat)] = &[
    (ARC_SIGNATURE, UnsupportedFormat::Arc),
    (b"PK\x03\x04", UnsupportedFormat::Zip),
    (b"PK\x05\x06", UnsupportedFormat::EmptyZip),
    (b"BZh", UnsupportedFormat::Bzip2),
    (b"\x04\x22\x4d\x18", UnsupportedFormat::Lz4),
    (b"\xfd7zXZ\x00", UnsupportedFormat::Xz),
    (b"7z\xbc\xaf\x27\x1c", UnsupportedFormat::SevenZip),
    (b"\x1f\x9d", UnsupportedFormat::Compress),
];

const ARC_SIGNATURE: &[u8] = b"filedesc://";

impl UnsupportedFormat {
    /// Returns the unsupported format that starts with `head`, if there is one.
    pub(crate) fn detect(head: &[u8]) -> Option<UnsupportedFormat> {
        SIGNATURES
            .iter()
            .find(|(signature, _)| head.starts_with(signature))
            .map(|&(_, format)| format)
    }

    /// Returns [`UnsupportedFormat::Arc`] if the decompressed bytes of a member start with an ARC
    /// record.
    pub(crate) fn detect_in_member(decoded: &[u8]) -> Option<UnsupportedFormat> {
        decoded
            .starts_with(ARC_SIGNATURE)
            .then_some(UnsupportedFormat::Arc)
    }
}

impl fmt::Display for UnsupportedFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnsupportedFormat::Arc => {
                "ARC, the predecessor of WARC, is not supported: convert it to WARC first, with warcio recompress FILE.arc.gz FILE.warc.gz"
            }
            UnsupportedFormat::Zip => {
                "zip archives (WACZ) are not supported: unpack it with unzip FILE.wacz, and give the WARC files in its folder archive"
            }
            UnsupportedFormat::EmptyZip => {
                "zip archives (WACZ) are not supported, and this one is empty"
            }
            UnsupportedFormat::Bzip2 => "bzip2 is not supported: decompress it with bzip2 -d first",
            UnsupportedFormat::Lz4 => "lz4 is not supported: decompress it with lz4 -d first",
            UnsupportedFormat::Xz => "xz is not supported: decompress it with xz -d first",
            UnsupportedFormat::SevenZip => "7z is not supported: decompress it first",
            UnsupportedFormat::Compress => {
                "the Z format of compress is not supported: decompress it with gzip -d first"
            }
        })
    }
}
