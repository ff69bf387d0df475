//! Transfer and content codings: decoders that can tell bytes without a coding from a beginning of coded bytes.

use std::io::{ErrorKind, Read};

/// The length in bytes from which text is a decoded body, although the decoder of a coding without a magic
/// number could continue after it. Shorter text can hardly have a rule.
const MIN_TEXT_BYTES: usize = 16;

/// The maximum length of the line before a chunk, which has the size of the chunk and extensions.
const MAX_CHUNK_LINE_BYTES: usize = 4096;

/// The maximum number of digits in the size of a chunk.
const CHUNK_SIZE_DIGITS: usize = 15;

/// The output of the decoder of one coding.
pub(crate) struct DecodedBytes {
    pub(crate) bytes: Vec<u8>,
    /// True if the input ended early, or the output was cut at the limit.
    pub(crate) is_cut: bool,
}

impl DecodedBytes {
    fn from_complete(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            is_cut: false,
        }
    }

    fn from_cut(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            is_cut: true,
        }
    }
}

/// Decodes a coding that a header field names, up to `limit` bytes. Returns `None` for an unknown coding, and if the
/// bytes do not have it.
pub(crate) fn decode(coding: &[u8], body: &[u8], limit: usize) -> Option<DecodedBytes> {
    match coding {
        b"chunked" => dechunk(body, limit),
        b"gzip" | b"x-gzip" => gunzip(body, limit),
        b"deflate" => inflate(body, limit),
        b"br" => unbrotli(body, limit),
        b"zstd" => unzstd(body, limit),
        _ => None,
    }
}

/// Decodes the chunked coding (RFC 9112 §7.1), with extensions and trailers. Returns `None` if the
/// bytes do not have it.
pub(crate) fn dechunk(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let Some(line_end) = memchr::memchr(b'\n', &rest[..rest.len().min(MAX_CHUNK_LINE_BYTES)])
        else {
            // Either the stored bytes end within a size line, or the body is not chunked.
            let line = rest.trim_ascii_end();
            let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit());
            let digits = digits.count();
            let is_size_begun = match line.get(digits) {
                None => digits <= CHUNK_SIZE_DIGITS,
                Some(b';') => true,
                Some(_) => false,
            } && (digits > 0 || rest.is_empty())
                && rest.len() < MAX_CHUNK_LINE_BYTES;
            return is_size_begun.then(|| DecodedBytes::from_cut(out));
        };
        let line = rest[..line_end].trim_ascii();
        let digits = line
            .split(|&byte| byte == b';')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        if digits.is_empty()
            || digits.len() > CHUNK_SIZE_DIGITS
            || !digits.iter().all(u8::is_ascii_hexdigit)
        {
            return None;
        }
        let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        rest = &rest[line_end + 1..];
        if size == 0 {
            return Some(DecodedBytes::from_complete(out));
        }
        if size > rest.len() {
            out.extend_from_slice(rest);
            return Some(DecodedBytes::from_cut(out));
        }
        out.extend_from_slice(&rest[..size]);
        if out.len() > limit {
            out.truncate(limit);
            return Some(DecodedBytes::from_cut(out));
        }
        rest = &rest[size..];
        rest = match rest {
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            [] | [b'\r'] => return Some(DecodedBytes::from_cut(out)),
            _ => return None,
        };
    }
}

/// Decodes `gzip` with any number of members.
fn gunzip(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    begins_like(body, b"\x1f\x8b\x08")
        .then(|| read_decoded(flate2::bufread::MultiGzDecoder::new(body), limit))?
}

/// Decodes `deflate`: zlib according to RFC 9110 §8.4.1.2, raw DEFLATE as many servers send it.
fn inflate(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    let is_zlib = body[0] & 15 == 8
        && (body.get(1))
            .is_none_or(|&second| (u16::from(body[0]) << 8 | u16::from(second)) % 31 == 0);
    if is_zlib && let Some(decoded) = read_decoded(flate2::bufread::ZlibDecoder::new(body), limit) {
        return Some(decoded);
    }
    let decoded = read_decoded(flate2::bufread::DeflateDecoder::new(body), limit);
    decoded.filter(|decoded| !decoded.is_cut || !is_decoded_text(body))
}

/// A reader that fails, so that input that ends early can be told from invalid input.
struct EndOfInput;

impl Read for EndOfInput {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

fn unbrotli(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    let decoded = read_decoded(
        brotli_decompressor::Decompressor::new(body.chain(EndOfInput), 4096),
        limit,
    );
    decoded.filter(|decoded| !decoded.is_cut || !is_decoded_text(body))
}

fn unzstd(body: &[u8], limit: usize) -> Option<DecodedBytes> {
    if !begins_like(body, b"\x28\xb5\x2f\xfd") {
        return None;
    }
    let mut decoder = zstd::stream::read::Decoder::with_buffer(body).ok()?;
    // RFC 9659 limits the window of this coding to 8 MiB.
    decoder.window_log_max(23).ok()?;
    read_decoded(decoder, limit)
}

/// Returns true if the bytes begin with a magic number, or are the beginning of it.
fn begins_like(bytes: &[u8], magic: &[u8]) -> bool {
    let length = bytes.len().min(magic.len());
    bytes[..length] == magic[..length]
}

/// Returns true if bytes that a decoder can read, but not to an end, are a decoded body nevertheless. Raw
/// DEFLATE and Brotli have no magic number, so that text may begin like them.
fn is_decoded_text(bytes: &[u8]) -> bool {
    let is_utf8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // The last character may be incomplete.
        Err(error) => error.error_len().is_none(),
    };
    bytes.len() >= MIN_TEXT_BYTES && is_utf8 && is_text(bytes)
}

/// Reads up to `limit` bytes from a decoder. If the input ends early, or if the decoder fails after it has
/// returned bytes, the body is cut. If it fails before that, the body does not have this coding, and the result is
/// `None`.
fn read_decoded(reader: impl Read, limit: usize) -> Option<DecodedBytes> {
    let mut out = Vec::new();
    let result = reader.take(limit as u64 + 1).read_to_end(&mut out);
    let is_over = out.len() > limit;
    out.truncate(limit);
    match result {
        Ok(_) => Some(DecodedBytes {
            bytes: out,
            is_cut: is_over,
        }),
        Err(error) if out.is_empty() && error.kind() != ErrorKind::UnexpectedEof => None,
        Err(_) => Some(DecodedBytes::from_cut(out)),
    }
}

/// Returns true if bytes have no control characters but those of white space.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let is_blank = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r');
    bytes.iter().all(|&byte| byte >= b' ' || is_blank(byte))
}
