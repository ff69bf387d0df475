//! Step-by-step decompression of gzip members ([RFC 1952]).
//!
//! Most members are decompressed in one call by
//! [`LibdeflateDecoder`](super::libdeflate::LibdeflateDecoder). The decoder here reads the others:
//! members that are too large for that, members that are damaged, and the first bytes of a possible
//! member during a search.
//!
//! If you change which members are accepted here, compare with libdeflate: a member must not be
//! valid for one and damaged for the other. One such difference is known: libdeflate accepts a
//! distance code that deflate does not define if the checksum matches. For this reason, the sizes
//! of a member alone determine which decoder reads it.
//!
//! [RFC 1952]: https://www.rfc-editor.org/rfc/rfc1952

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::DecodeStep;
use super::source::ArchiveSource;
use crate::error::ErrorKind;
use crate::record_start::{is_record_start, trim_leading_line_ends};
use crate::search_budget::Probe;

/// The first bytes of a member: the magic number and the only compression method.
pub(crate) const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// The longest header, including the name and the comment.
const MAX_HEADER_BYTES: usize = 256 << 10;

/// The longest header of a member that is found by a search.
const MAX_PROBE_HEADER_BYTES: usize = 4 << 10;

/// The number of bytes that a probe needs.
pub(crate) const PROBE_BYTES: usize = MAX_PROBE_HEADER_BYTES + PROBE_DATA_BYTES;

/// The number of compressed bytes after the header that must decompress to at least the first five bytes of a record.
const PROBE_DATA_BYTES: usize = 4 << 10;

/// The smallest number of bytes that are passed to the decoder at once.
const MIN_STEP_BYTES: u64 = 64;

/// The largest number of bytes that are passed to the decoder at once.
const MAX_STEP_BYTES: u64 = 64 << 10;

/// The length of a header without optional fields and of a trailer, together.
const MIN_MEMBER_BYTES: usize = 18;

/// Returns true if an input that starts with `head` is gzip.
pub(crate) fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(&MAGIC[..2.min(head.len())])
}

/// Returns true if a member may start with `bytes`, which are fewer than three only at the end of the
/// input.
pub(crate) fn may_start_member(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC[..3.min(bytes.len())])
}

/// The result of parsing the header of a member.
#[derive(Debug, PartialEq, Eq)]
enum GzipHeader {
    /// The header has this many bytes.
    Complete(usize),
    /// The header continues after the given bytes.
    Incomplete,
    /// The bytes are not a header.
    Invalid,
}

/// Parses the header at the start of `bytes` ([RFC 1952 §2.3]).
///
/// [RFC 1952 §2.3]: https://www.rfc-editor.org/rfc/rfc1952#section-2.3
fn parse_header(bytes: &[u8]) -> GzipHeader {
    const CRC_FLAG: u8 = 2;
    const EXTRA_FLAG: u8 = 4;
    const NAME_FLAG: u8 = 8;
    const COMMENT_FLAG: u8 = 16;
    const RESERVED_FLAGS: u8 = 0xe0;
    if !may_start_member(bytes) {
        return GzipHeader::Invalid;
    }
    let Some(&flags) = bytes.get(3) else {
        return GzipHeader::Incomplete;
    };
    if flags & RESERVED_FLAGS != 0 {
        return GzipHeader::Invalid;
    }
    let mut end = 10;
    if flags & EXTRA_FLAG != 0 {
        let Some(size) = bytes.get(end..end + 2) else {
            return GzipHeader::Incomplete;
        };
        end += 2 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    }
    for flag in [NAME_FLAG, COMMENT_FLAG] {
        if flags & flag != 0 {
            match bytes.get(end..).and_then(|rest| memchr::memchr(0, rest)) {
                Some(length) => end += length + 1,
                None => return GzipHeader::Incomplete,
            }
        }
    }
    if flags & CRC_FLAG != 0 {
        end += 2;
    }
    if end <= bytes.len() {
        GzipHeader::Complete(end)
    } else {
        GzipHeader::Incomplete
    }
}

/// The part of a member that is decoded next.
#[derive(Clone, Copy, Debug)]
enum GzipState {
    Header,
    Data,
    Trailer,
    Done,
    Corrupt,
}

/// Decompresses one member step by step. Its memory is reused for the next member.
pub(crate) struct GzipDecoder {
    decompress: Decompress,
    crc: Crc,
    decoded_bytes: u64,
    /// The bytes of the member that the decoder has read, including the header.
    compressed_bytes: u64,
    /// The number of bytes of the member that the decoder may read before the limit is increased. It
    /// depends on the member alone and not on the sizes of reads. Therefore the work that is counted
    /// for a damaged member does not depend on them either.
    read_limit: u64,
    state: GzipState,
}

impl GzipDecoder {
    /// Returns a decoder that is not in a member.
    pub(crate) fn new() -> GzipDecoder {
        GzipDecoder {
            decompress: Decompress::new(false),
            crc: Crc::new(),
            decoded_bytes: 0,
            compressed_bytes: 0,
            read_limit: 0,
            state: GzipState::Done,
        }
    }

    /// Starts the member at the position of the source.
    pub(crate) fn start(&mut self) {
        self.decompress.reset(false);
        self.crc.reset();
        (self.decoded_bytes, self.compressed_bytes, self.read_limit) = (0, 0, 0);
        self.state = GzipState::Header;
    }

    /// Returns the number of bytes of the member that were read, rounded up to the end of the last step.
    pub(crate) fn compressed_bytes_read(&self) -> u64 {
        self.read_limit
    }

    /// Decompresses the next bytes of the member into `out`, which must not be empty.
    pub(crate) fn decode(
        &mut self,
        source: &mut ArchiveSource,
        out: &mut [u8],
    ) -> io::Result<DecodeStep> {
        loop {
            let step = match self.state {
                GzipState::Header => self.read_header(source)?,
                GzipState::Data => self.decode_data(source, out)?,
                GzipState::Trailer => self.check_trailer(source)?,
                GzipState::Done => Some(DecodeStep::End),
                GzipState::Corrupt => Some(DecodeStep::Damaged(ErrorKind::Corrupt)),
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    fn read_header(&mut self, source: &mut ArchiveSource) -> io::Result<Option<DecodeStep>> {
        let mut unread_len = source.fill(MIN_MEMBER_BYTES)?;
        loop {
            match parse_header(source.unread()) {
                GzipHeader::Complete(count) => {
                    source.consume(count);
                    self.compressed_bytes = count as u64;
                    self.read_limit = self.compressed_bytes + MIN_STEP_BYTES;
                    self.state = GzipState::Data;
                    return Ok(None);
                }
                GzipHeader::Incomplete if unread_len < MAX_HEADER_BYTES => {
                    let more = source.fill(unread_len + 1)?;
                    if more == unread_len {
                        return Ok(Some(DecodeStep::Damaged(ErrorKind::Truncated)));
                    }
                    unread_len = more;
                }
                _ => return Ok(Some(DecodeStep::Damaged(ErrorKind::Corrupt))),
            }
        }
    }

    fn decode_data(
        &mut self,
        source: &mut ArchiveSource,
        out: &mut [u8],
    ) -> io::Result<Option<DecodeStep>> {
        let unread_len = source.fill(1)?;
        let room = (self.read_limit - self.compressed_bytes) as usize;
        let before = (self.decompress.total_in(), self.decompress.total_out());
        let input = &source.unread()[..unread_len.min(room)];
        let status = self
            .decompress
            .decompress(input, out, FlushDecompress::None);
        let consumed = (self.decompress.total_in() - before.0) as usize;
        let decoded = (self.decompress.total_out() - before.1) as usize;
        source.consume(consumed);
        self.compressed_bytes += consumed as u64;
        match status {
            // The bytes that were decoded before the invalid symbol are returned first.
            Err(_) => self.state = GzipState::Corrupt,
            Ok(Status::StreamEnd) => self.state = GzipState::Trailer,
            Ok(Status::Ok | Status::BufError) => {
                if consumed == 0 && decoded == 0 && room == 0 {
                    let step = (self.read_limit / 4).clamp(MIN_STEP_BYTES, MAX_STEP_BYTES);
                    self.read_limit += step;
                } else if consumed == 0 && decoded == 0 {
                    let is_at_end = unread_len == 0;
                    return Ok(Some(DecodeStep::Damaged(if is_at_end {
                        ErrorKind::Truncated
                    } else {
                        ErrorKind::Corrupt
                    })));
                }
            }
        }
        self.crc.update(&out[..decoded]);
        self.decoded_bytes += decoded as u64;
        Ok((decoded > 0).then_some(DecodeStep::Bytes(decoded)))
    }

    fn check_trailer(&mut self, source: &mut ArchiveSource) -> io::Result<Option<DecodeStep>> {
        if source.fill(8)? < 8 {
            return Ok(Some(DecodeStep::Damaged(ErrorKind::Truncated)));
        }
        let mut trailer = [0; 8];
        trailer.copy_from_slice(&source.unread()[..8]);
        let stated = u64::from_le_bytes(trailer);
        let computed = u64::from(self.crc.sum()) | self.decoded_bytes << 32;
        if stated != computed {
            return Ok(Some(DecodeStep::Damaged(ErrorKind::Checksum)));
        }
        source.consume(8);
        self.state = GzipState::Done;
        Ok(None)
    }

    /// Probes whether the member at the start of `bytes` decompresses to `WARC/`.
    ///
    /// [`PROBE_BYTES`] are enough. Ends the decoding of a member that was started before.
    pub(crate) fn probe(&mut self, bytes: &[u8]) -> Probe {
        let header = parse_header(&bytes[..bytes.len().min(MAX_PROBE_HEADER_BYTES)]);
        let GzipHeader::Complete(start) = header else {
            return Probe::new(false, 0, 0);
        };
        self.start();
        let mut input = &bytes[start..bytes.len().min(start + PROBE_DATA_BYTES)];
        let mut out = [0; 64];
        let mut len = 0;
        while len < out.len() {
            let before = (self.decompress.total_in(), self.decompress.total_out());
            let status = self
                .decompress
                .decompress(input, &mut out[len..], FlushDecompress::None);
            let consumed = (self.decompress.total_in() - before.0) as usize;
            let decoded = (self.decompress.total_out() - before.1) as usize;
            input = &input[consumed..];
            len += decoded;
            if !matches!(status, Ok(Status::Ok)) || (consumed == 0 && decoded == 0) {
                break;
            }
        }
        let is_record = is_record_start(trim_leading_line_ends(&out[..len]));
        Probe::new(is_record, self.decompress.total_in() as usize, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::gzip;

    fn decode_all(bytes: &[u8]) -> (Vec<u8>, DecodeStep) {
        let mut source = ArchiveSource::new(0);
        source.open_stream(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut decoder = GzipDecoder::new();
        decoder.start();
        let mut all = Vec::new();
        loop {
            let mut out = [0; 10];
            match decoder.decode(&mut source, &mut out).unwrap() {
                DecodeStep::Bytes(count) => all.extend_from_slice(&out[..count]),
                other => return (all, other),
            }
        }
    }

    #[test]
    fn a_member_is_decompressed_step_by_step() {
        let text = b"WARC/1.0 and so on, and so on, and so on".repeat(9);
        let mut bytes = gzip(&text);
        let length = bytes.len();
        bytes.extend_from_slice(b"rest");
        assert_eq!(decode_all(&bytes), (text.clone(), DecodeStep::End));
        for cut in 0..length {
            assert_eq!(
                decode_all(&bytes[..cut]).1,
                DecodeStep::Damaged(ErrorKind::Truncated),
                "{cut}"
            );
        }
        bytes[length - 1] ^= 1;
        assert_eq!(
            decode_all(&bytes),
            (text, DecodeStep::Damaged(ErrorKind::Checksum))
        );
    }

    #[test]
    fn headers_are_parsed_with_all_optional_fields() {
        let plain = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
        assert_eq!(parse_header(plain), GzipHeader::Complete(10));
        let full = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x02\0ABname\0comment\0CC";
        assert_eq!(parse_header(full), GzipHeader::Complete(full.len()));
        for cut in 0..full.len() {
            assert_eq!(parse_header(&full[..cut]), GzipHeader::Incomplete, "{cut}");
        }
        assert_eq!(
            parse_header(b"\x1f\x8b\x08\x20\0\0\0\0\0\x03"),
            GzipHeader::Invalid
        );
        assert_eq!(parse_header(b"\x1f\x8b\x07"), GzipHeader::Invalid);
    }

    #[test]
    fn a_probe_needs_only_the_five_octets_of_the_word() {
        let mut decoder = GzipDecoder::new();
        assert!(decoder.probe(&gzip(b"WARC/1.0\r\nmore")).is_record);
        assert!(decoder.probe(&gzip(b"\r\n\nWARC/")).is_record);
        assert!(!decoder.probe(&gzip(b"WARP/1.0")).is_record);
        assert!(!decoder.probe(&gzip(b"")).is_record);
        assert!(!decoder.probe(b"\x1f\x8b\x08\0").is_record);
    }
}
