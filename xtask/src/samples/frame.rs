//! Compression of archives: gzip members, zstd frames and dictionaries.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

pub(crate) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub(crate) fn zlib(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub(crate) fn deflate(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Returns a zstd frame that states its size and ends with a checksum.
pub(crate) fn zstd(bytes: &[u8], dictionary: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::with_dictionary(19, dictionary)?;
    compressor.include_checksum(true)?;
    compressor.compress(bytes)
}

/// Returns a zstd frame as a stream is written, without its size.
pub(crate) fn zstd_stream(bytes: &[u8]) -> io::Result<Vec<u8>> {
    zstd::stream::encode_all(bytes, 3)
}

/// Returns a skippable frame. The magic number 0x184D2A5D marks a dictionary.
pub(crate) fn skippable(magic: u32, content: &[u8]) -> Vec<u8> {
    let mut out = magic.to_le_bytes().to_vec();
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    out.extend_from_slice(content);
    out
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits
        .chunks_exact(2)
        .map(|two| (two[0] * 16 + two[1]) as u8)
        .collect()
}

/// A zstd dictionary, number 20260105, trained on 400 records like those of the samples.
///
/// It is stored as bytes because the `zstd` package is built without support for training.
pub(crate) const DICTIONARY: &str = "
    37a430ec092535011710e8a9d00100000000009bec3d30b5945bca246502620563050000000000e0780700000400
    4006000008808c1a0600000010000000000000088e0b0d020d10000000402c009a498c99ae090100000014efcc88
    028050740000000000000000000000000100000004000000080000007970653a20746578742f706c61696e0d0a43
    6f6e74656e742d4c656e6774683a2039330d0a0d0a55303e0d0a574152432d446174653a20323032362d30312d30
    355431303a33303a30305a0d0a574152432d5461726765742d5552493a2068747470733a2f2f64696374696f6e61
    72792d3237302e6578616d706c652f726f626f74732e7478740d0a574152432d49502d416464726573733a203139
    322e302e322e32300d0a436f6e74656e742d547970653a206170706c69636174696f6e2f687474703b206d736774
    7970653d726573706f6e73650d0a436f6e74656e742d4c656e6774683a203137340d0a0d0a486774683a2039340d
    0a0d0a557365722d6167656e743a202a0a446973616c6c6f773a202f652f0a416c6c6f773a202f6f70656e2f0a53
    6974656d61703a2068747470733a2f2f64696374696f6e6172792d3131362e6578616d706c652f736974656d6170
    2e786d6c0a0d0a0d0a574152432f312e310d0a574152432d547970653a20726571756573740d0a574152432d5265
    636f72642d49443a203c75726e3a757569643a32616439613430612d303030302d343030302d383030302d303030
    30303030303031313a30305a0d0a574152432d5461726765742d5552493a2068747470733a2f2f64696374696f6e
    6172792d312e6578616d706c652f726f626f74732e7478740d0a574152432d49502d416464726573733a";

/// A brotli stream of three lines: `User-agent: *`, `Disallow: /brotli/`, `Allow: /brotli/open/`.
pub(crate) const BROTLI: &str = "
    a2060080e8e6fa4a320bb26e130cf5a11c1e84c3410f1b70c01e60a2e1027672d7d09ad326bb2e8aacc1bab8
    70f7fbb788885f02";
