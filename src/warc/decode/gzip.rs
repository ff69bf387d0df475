//! Gzip members as streams, for those that are not inflated whole.
//!
//! The usual way is [`Deflate`](crate::decode::libdeflate::Deflate), a member at a time.
//! Here are the others: members too large for that, members that are damaged,
//! and the proof that a member begins at an offset. If you change what is
//! accepted here, compare with what libdeflate accepts: a member should not be
//! sound for the one and damaged for the other. One such case is known: a
//! distance code that deflate does not define, which libdeflate takes as long as
//! the checksum agrees. So which of the two reads a member depends on its sizes
//! and on nothing else.

use std::io;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::decode::decoder::Fed;
use crate::decode::source::Window;
use crate::detect::{begins_record, skip_line_ends};
use crate::error::ErrorKind;
use crate::search_budget::Probe;

/// The first bytes of a member: magic and the one method there is.
pub(crate) const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// The longest header we read, with its name and comment.
const MAX_HEADER_BYTES: usize = 256 << 10;

/// The longest header of a member that is found by a search.
const MAX_PROOF_HEADER_BYTES: usize = 4 << 10;

/// Bytes of an input that are enough to prove a member.
pub(crate) const PROOF_BYTES: usize = MAX_PROOF_HEADER_BYTES + PROOF_DATA_BYTES;

/// Compressed data that must suffice to give the first five octets.
const PROOF_DATA_BYTES: usize = 4 << 10;

/// The smallest and the largest step in which packed bytes are given to the decoder.
const STEP_BYTES: (u64, u64) = (64, 64 << 10);

/// Whether an input with this head is gzip.
pub(crate) fn may_begin(head: &[u8]) -> bool {
    head.starts_with(&MAGIC[..2.min(head.len())])
}

/// Whether a member may begin with `bytes`, which are short only at the end of the input.
pub(crate) fn member_may_begin(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC[..3.min(bytes.len())])
}

/// A header, as far as it is there.
#[derive(Debug, PartialEq, Eq)]
enum Header {
    /// It takes so many bytes.
    Bytes(usize),
    /// It goes on beyond the bytes given.
    More,
    /// It is none.
    Bad,
}

/// Measures the header at the start of `bytes` ([RFC 1952 §2.3]).
///
/// [RFC 1952 §2.3]: https://www.rfc-editor.org/rfc/rfc1952#section-2.3
fn header(bytes: &[u8]) -> Header {
    const CRC: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const RESERVED: u8 = 0xe0;
    if !member_may_begin(bytes) {
        return Header::Bad;
    }
    let Some(&flags) = bytes.get(3) else {
        return Header::More;
    };
    if flags & RESERVED != 0 {
        return Header::Bad;
    }
    let mut at = 10;
    if flags & EXTRA != 0 {
        let Some(size) = bytes.get(at..at + 2) else {
            return Header::More;
        };
        at += 2 + usize::from(u16::from_le_bytes([size[0], size[1]]));
    }
    for flag in [NAME, COMMENT] {
        if flags & flag != 0 {
            match bytes.get(at..).and_then(|rest| memchr::memchr(0, rest)) {
                Some(end) => at += end + 1,
                None => return Header::More,
            }
        }
    }
    if flags & CRC != 0 {
        at += 2;
    }
    if at <= bytes.len() {
        Header::Bytes(at)
    } else {
        Header::More
    }
}

/// Where in a member we stand.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Header,
    Data,
    Trailer,
    Done,
    Broken,
}

/// Inflates one member piece by piece; its state is used again for the next.
pub(crate) struct Inflate {
    raw: Decompress,
    crc: Crc,
    made: u64,
    /// Bytes of the member that the decoder took, with the header.
    taken: u64,
    /// How many it may take for now. Steps depend on the member alone, so that this tells the same
    /// of a damaged member however the input is read.
    bound: u64,
    phase: Phase,
}

impl Inflate {
    pub(crate) fn new() -> Inflate {
        Inflate {
            raw: Decompress::new(false),
            crc: Crc::new(),
            made: 0,
            taken: 0,
            bound: 0,
            phase: Phase::Done,
        }
    }

    /// Makes ready for the member at which the window stands.
    pub(crate) fn begin(&mut self) {
        self.raw.reset(false);
        self.crc.reset();
        (self.made, self.taken, self.bound) = (0, 0, 0);
        self.phase = Phase::Header;
    }

    /// Returns how many bytes of the member were read, rounded up to the step.
    pub(crate) fn packed_bytes(&self) -> u64 {
        self.bound
    }

    /// Inflates the next bytes of the member into `out`, which is not empty.
    pub(crate) fn feed(&mut self, window: &mut Window, out: &mut [u8]) -> io::Result<Fed> {
        loop {
            match self.phase {
                Phase::Header => {
                    let mut held = window.fill(18)?;
                    loop {
                        match header(window.unread()) {
                            Header::Bytes(count) => {
                                window.consume(count);
                                self.taken = count as u64;
                                self.bound = self.taken + STEP_BYTES.0;
                                self.phase = Phase::Data;
                                break;
                            }
                            Header::More if held < MAX_HEADER_BYTES => {
                                let more = window.fill(held + 1)?;
                                if more == held {
                                    return Ok(Fed::Damaged(ErrorKind::Truncated));
                                }
                                held = more;
                            }
                            _ => return Ok(Fed::Damaged(ErrorKind::Corrupt)),
                        }
                    }
                }
                Phase::Data => {
                    let held = window.fill(1)?;
                    let room = (self.bound - self.taken) as usize;
                    let (taken_before, made_before) = (self.raw.total_in(), self.raw.total_out());
                    let packed = &window.unread()[..held.min(room)];
                    let status = self.raw.decompress(packed, out, FlushDecompress::None);
                    let taken = (self.raw.total_in() - taken_before) as usize;
                    let made = (self.raw.total_out() - made_before) as usize;
                    window.consume(taken);
                    self.taken += taken as u64;
                    match status {
                        // What was made before the bad symbol is given first.
                        Err(_) => self.phase = Phase::Broken,
                        Ok(Status::StreamEnd) => self.phase = Phase::Trailer,
                        Ok(Status::Ok | Status::BufError) => {
                            if taken == 0 && made == 0 && room == 0 {
                                let (least, most) = STEP_BYTES;
                                self.bound += (self.bound / 4).clamp(least, most);
                            } else if taken == 0 && made == 0 {
                                return Ok(Fed::Damaged(if held == 0 {
                                    ErrorKind::Truncated
                                } else {
                                    ErrorKind::Corrupt
                                }));
                            }
                        }
                    }
                    self.crc.update(&out[..made]);
                    self.made += made as u64;
                    if made > 0 {
                        return Ok(Fed::Bytes(made));
                    }
                }
                Phase::Trailer => {
                    if window.fill(8)? < 8 {
                        return Ok(Fed::Damaged(ErrorKind::Truncated));
                    }
                    let mut trailer = [0; 8];
                    trailer.copy_from_slice(&window.unread()[..8]);
                    let stated = u64::from_le_bytes(trailer);
                    let true_one = u64::from(self.crc.sum()) | self.made << 32;
                    if stated != true_one {
                        return Ok(Fed::Damaged(ErrorKind::Checksum));
                    }
                    window.consume(8);
                    self.phase = Phase::Done;
                }
                Phase::Done => return Ok(Fed::End),
                Phase::Broken => return Ok(Fed::Damaged(ErrorKind::Corrupt)),
            }
        }
    }

    /// Tells whether the member at the start of `bytes` decodes to `WARC/`.
    ///
    /// [`PROOF_BYTES`] suffice; what was begun before is lost.
    pub(crate) fn probe(&mut self, bytes: &[u8]) -> Probe {
        let none = Probe::new(false, 0, 0);
        let Header::Bytes(start) = header(&bytes[..bytes.len().min(MAX_PROOF_HEADER_BYTES)]) else {
            return none;
        };
        self.begin();
        let mut input = &bytes[start..bytes.len().min(start + PROOF_DATA_BYTES)];
        let mut out = [0; 64];
        let mut len = 0;
        while len < out.len() {
            let (taken_before, made_before) = (self.raw.total_in(), self.raw.total_out());
            let status = self
                .raw
                .decompress(input, &mut out[len..], FlushDecompress::None);
            let taken = (self.raw.total_in() - taken_before) as usize;
            let made = (self.raw.total_out() - made_before) as usize;
            input = &input[taken..];
            len += made;
            if !matches!(status, Ok(Status::Ok)) || (taken == 0 && made == 0) {
                break;
            }
        }
        let is_record = begins_record(skip_line_ends(&out[..len]));
        Probe::new(is_record, self.raw.total_in() as usize, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::gzip;

    fn inflate(bytes: &[u8]) -> (Vec<u8>, Fed) {
        let mut window = Window::new(0);
        window.open_stream(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut inflate = Inflate::new();
        inflate.begin();
        let mut all = Vec::new();
        loop {
            let mut out = [0; 10];
            match inflate.feed(&mut window, &mut out).unwrap() {
                Fed::Bytes(count) => all.extend_from_slice(&out[..count]),
                other => return (all, other),
            }
        }
    }

    #[test]
    fn a_member_is_inflated_piece_by_piece() {
        let text = b"WARC/1.0 and so on, and so on, and so on".repeat(9);
        let mut bytes = gzip(&text);
        let length = bytes.len();
        bytes.extend_from_slice(b"rest");
        assert_eq!(inflate(&bytes), (text.clone(), Fed::End));
        for cut in 0..length {
            assert_eq!(
                inflate(&bytes[..cut]).1,
                Fed::Damaged(ErrorKind::Truncated),
                "{cut}"
            );
        }
        bytes[length - 1] ^= 1;
        assert_eq!(inflate(&bytes), (text, Fed::Damaged(ErrorKind::Checksum)));
    }

    #[test]
    fn headers_are_measured_with_all_their_parts() {
        let plain = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
        assert_eq!(header(plain), Header::Bytes(10));
        let full = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x02\0ABname\0comment\0CC";
        assert_eq!(header(full), Header::Bytes(full.len()));
        for cut in 0..full.len() {
            assert_eq!(header(&full[..cut]), Header::More, "{cut}");
        }
        assert_eq!(header(b"\x1f\x8b\x08\x20\0\0\0\0\0\x03"), Header::Bad);
        assert_eq!(header(b"\x1f\x8b\x07"), Header::Bad);
    }

    #[test]
    fn a_proof_needs_the_five_octets_and_no_more() {
        let mut inflate = Inflate::new();
        assert!(inflate.probe(&gzip(b"WARC/1.0\r\nmore")).is_record);
        assert!(inflate.probe(&gzip(b"\r\n\nWARC/")).is_record);
        assert!(!inflate.probe(&gzip(b"WARP/1.0")).is_record);
        assert!(!inflate.probe(&gzip(b"")).is_record);
        assert!(!inflate.probe(b"\x1f\x8b\x08\0").is_record);
    }
}
