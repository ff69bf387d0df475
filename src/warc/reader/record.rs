//! Measures a record and proves its end.

use std::io;

use crate::compression::Compression;
use crate::decode::buffer::End;
use crate::detect::{begins_record, is_cut_start};
use crate::error::ErrorKind;
use crate::header::{self, Parsed};
use crate::integrity::Integrity;
use crate::location::RecordLocation;
use crate::reader::Reader;
use crate::resync::find_record;

/// The longest run of line ends behind a record that is no fault.
const MAX_LINE_END_BYTES: usize = 64 << 10;

/// How far behind a record with a proper end another is looked for in its member.
const LOOK_AHEAD_BYTES: usize = 1 << 20;

/// From how many bytes of a block that are not yet read on the bytes behind it are looked at first.
const LOOK_BEHIND_BYTES: usize = 1 << 20;

/// What is read behind such a block, unless there are as many line ends.
const BEHIND_BYTES: usize = 4 << 10;

/// How far a search within a block goes back when more of it is read.
const SEARCH_OVERLAP_BYTES: usize = 8 << 10;

/// The current record, as positions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Current {
    pub(crate) header_bytes: usize,
    pub(crate) block_len: usize,
    pub(crate) block_bytes: u64,
    pub(crate) folded: bool,
    pub(crate) kept: bool,
    pub(crate) length_quirk: bool,
    pub(crate) location: RecordLocation,
    pub(crate) integrity: Integrity,
}

/// What the record at the cursor is.
pub(crate) enum Scan {
    Good,
    Bad(ErrorKind),
}

/// What follows a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// The next record.
    Record,
    /// The sound end of the member or input.
    End,
    /// Something else, behind two line ends.
    Garbage,
    /// Something else, directly.
    Block,
    /// What cannot be decoded.
    Damage,
}

impl Reader {
    /// Measures the record at the cursor, which begins with `WARC/`, and proves its end.
    pub(crate) fn scan(&mut self) -> io::Result<Scan> {
        let (text, input) = (&mut self.text, &mut self.input);
        let start = text.offset();
        let (header_bytes, folded) = loop {
            let held = text.rest().len();
            let seen = held.min(self.limits.max_header_bytes);
            match header::parse(&text.rest()[..seen], &mut self.fields) {
                Parsed::Header { bytes, folded } => break (bytes, folded),
                Parsed::Bad(kind) => return Ok(Scan::Bad(kind)),
                Parsed::More if seen < held || seen == self.limits.max_header_bytes => {
                    return Ok(Scan::Bad(ErrorKind::HeaderTooLong));
                }
                Parsed::More => {
                    if !text.need(input, held + 1)? {
                        return Ok(Scan::Bad(ErrorKind::Truncated));
                    }
                }
            }
        };
        // A sound member is as it was written; of a plain file a block may have been lost.
        let is_plain = input.compression == Compression::None;
        if is_plain && memchr::memchr(0, &text.rest()[..header_bytes]).is_some() {
            return Ok(Scan::Bad(ErrorKind::BadHeader));
        }
        let header = if folded {
            header::unfold(&text.rest()[..header_bytes], &mut self.unfolded);
            header::parse(&self.unfolded, &mut self.fields);
            &self.unfolded
        } else {
            text.rest()
        };
        let stated = match header::content_length(header, &self.fields) {
            Ok(stated) => stated,
            Err(kind) => return Ok(Scan::Bad(kind)),
        };
        let mut current = Current {
            header_bytes,
            block_bytes: stated,
            folded,
            ..Current::default()
        };

        let kept = stated > self.limits.max_block_bytes as u64;
        current.kept = kept;
        current.block_len = if kept {
            self.limits.max_block_bytes
        } else {
            stated as usize
        };
        if let Some(kind) = self.look_behind(header_bytes, stated)? {
            return Ok(Scan::Bad(kind));
        }
        let (text, input) = (&mut self.text, &mut self.input);
        let mut block_end = header_bytes + current.block_len;
        let mut whole = text.need(input, block_end)?;
        if whole && kept {
            self.kept.clear();
            self.kept.extend_from_slice(&text.rest()[..block_end]);
            whole = text.skip(input, (header_bytes as u64).saturating_add(stated))?;
            block_end = 0;
        }
        if !whole {
            // In a sound member a block that is too short means that its length is wrong.
            let alone = self.member.is_some_and(|member| member.records == 0);
            return Ok(Scan::Bad(if alone {
                ErrorKind::BadContentLength
            } else {
                ErrorKind::Truncated
            }));
        }

        let (mut tail, mut line_ends) = self.tail(block_end)?;
        if let Some(member) = self.member {
            let alone = member.records == 0;
            let is_quirk = alone
                && !kept
                && tail != Tail::Record
                && !self.text.need(&mut self.input, block_end + 7)?
                && self.text.end() == Some(End::Clean)
                && self.text.rest()[block_end..].len() == 6
                && self.text.rest().ends_with(b"\r\n\r\n");
            if is_quirk {
                current.block_len += 2;
                current.length_quirk = true;
                (tail, line_ends) = (Tail::End, 6);
            } else if tail == Tail::Garbage && alone {
                // Only where records share the member is the rest of it not this record's.
                let from = block_end + line_ends;
                self.text.need(&mut self.input, from + LOOK_AHEAD_BYTES)?;
                let ahead = &self.text.rest()[from..];
                if find_record(&ahead[..ahead.len().min(LOOK_AHEAD_BYTES)]).is_none() {
                    tail = Tail::Block;
                }
            }
        }
        // A length that leads into a later record swallows those between.
        let block = if kept {
            &self.kept[header_bytes..]
        } else {
            &self.text.rest()[header_bytes..block_end]
        };
        if tail == Tail::Garbage && find_record(block).is_some() {
            tail = Tail::Block;
        }
        match tail {
            Tail::Record | Tail::End | Tail::Garbage => {}
            Tail::Block | Tail::Damage => return Ok(Scan::Bad(ErrorKind::BadContentLength)),
        }

        current.integrity = self.integrity()?;
        current.location = match &mut self.member {
            Some(member) => {
                let alone = member.records == 0 && tail == Tail::End;
                let index_in_member = member.records;
                member.records = member.records.saturating_add(1);
                member.given = member.given.saturating_add(1);
                RecordLocation {
                    offset: member.offset,
                    length: alone.then(|| self.input.window.offset() - member.offset),
                    index_in_member,
                }
            }
            None => {
                let ends = &self.text.rest()[block_end..block_end + line_ends];
                RecordLocation {
                    offset: start,
                    length: Some(header_bytes as u64 + stated + two_line_ends(ends) as u64),
                    index_in_member: 0,
                }
            }
        };
        self.advance = block_end + line_ends;
        self.current = current;
        Ok(Scan::Good)
    }

    /// Returns how far the bytes of the member at hand are proven.
    ///
    /// Where several records share a member that is decoded piece by piece, its end is still to
    /// come: the rest of it is decoded once for its checksum, and again for its records.
    fn integrity(&mut self) -> io::Result<Integrity> {
        let Some(member) = &mut self.member else {
            return Ok(Integrity::Unguarded);
        };
        if let Some(known) = member.integrity {
            return Ok(known);
        }
        let is_sound = match self.text.end() {
            Some(End::Clean) => Some(true),
            Some(End::Damaged(_)) => Some(false),
            None => self.input.verify_rest()?,
        };
        let integrity = match is_sound {
            Some(true) => member.integrity_if_sound(),
            Some(false) => Integrity::Damaged,
            None => Integrity::Unknown,
        };
        member.integrity = Some(integrity);
        Ok(integrity)
    }

    /// Tells what follows the block that ends at `at`, and how many CR and LF are between.
    fn tail(&mut self, at: usize) -> io::Result<(Tail, usize)> {
        let mut run = 0;
        loop {
            if !self.text.need(&mut self.input, at + run + 1)? {
                return Ok(match self.text.end() {
                    Some(End::Damaged(_)) => (Tail::Damage, run),
                    _ => (Tail::End, run),
                });
            }
            let next = &self.text.rest()[at + run..];
            let next = &next[..next.len().min(MAX_LINE_END_BYTES - run)];
            let more = line_ends(next);
            run += more;
            if more < next.len() || more == 0 {
                break;
            }
        }
        let is_there = self.text.need(&mut self.input, at + run + 5)?;
        let is_damaged = !is_there && matches!(self.text.end(), Some(End::Damaged(_)));
        let behind = &self.text.rest()[at..];
        let next = &behind[run..];
        let tail = if is_damaged {
            // Too little to be told from what was made by the damage.
            Tail::Damage
        } else {
            tail_of(behind, next)
        };
        Ok((tail, run))
    }

    /// Tells what is wrong with the record at the cursor of a plain file, if its block is large and
    /// that can be told without reading it.
    ///
    /// Else each of many records with wrong lengths would cost what it claims as its block. The
    /// answer is that of [`scan`](Reader::scan).
    fn look_behind(&mut self, header_bytes: usize, stated: u64) -> io::Result<Option<ErrorKind>> {
        let (text, window) = (&mut self.text, &mut self.input.window);
        let is_plain_file = self.input.compression == Compression::None && window.can_seek();
        let read = (text.rest().len() + LOOK_BEHIND_BYTES) as u64;
        let block_end = stated.saturating_add(header_bytes as u64);
        if !is_plain_file || block_end <= read {
            return Ok(None);
        }
        let offset = text.offset().saturating_add(block_end);
        if window.length().is_some_and(|length| offset > length) {
            return Ok(Some(ErrorKind::Truncated));
        }
        let mut bytes = vec![0; BEHIND_BYTES];
        let mut held = window.peek(offset, &mut bytes)?;
        if held == bytes.len() && line_ends(&bytes) + 8 > held {
            bytes.resize(MAX_LINE_END_BYTES + BEHIND_BYTES, 0);
            held = window.peek(offset, &mut bytes)?;
        }
        let behind = &bytes[..held];
        let run = line_ends(behind).min(MAX_LINE_END_BYTES);
        if behind.len() == run {
            return Ok(None);
        }
        match tail_of(behind, &behind[run..]) {
            Tail::Block => return Ok(Some(ErrorKind::BadContentLength)),
            Tail::Garbage => {}
            _ => return Ok(None),
        }
        // The first record within the block tells that its length is wrong.
        let block_end = header_bytes + stated.min(self.limits.max_block_bytes as u64) as usize;
        let (mut from, mut to) = (header_bytes, header_bytes);
        while to < block_end {
            to = block_end.min(to + (64 << 10));
            if !text.need(&mut self.input, to)? {
                break;
            }
            if find_record(&text.rest()[from..to]).is_some() {
                return Ok(Some(ErrorKind::BadContentLength));
            }
            from = to.saturating_sub(SEARCH_OVERLAP_BYTES).max(header_bytes);
        }
        Ok(None)
    }
}

/// Tells what stands behind a block: `next` is `behind` without the line ends at its start.
fn tail_of(behind: &[u8], next: &[u8]) -> Tail {
    if begins_record(next) || is_cut_start(next) {
        Tail::Record
    } else if behind.starts_with(b"\r\n\r\n") {
        Tail::Garbage
    } else {
        Tail::Block
    }
}

/// Returns how many CR and LF stand at the start of `bytes`.
fn line_ends(bytes: &[u8]) -> usize {
    let is_line_end = |byte: u8| matches!(byte, b'\r' | b'\n');
    // Without a branch for each byte: hostile records all end at the same run.
    let (chunks, _) = bytes.as_chunks::<64>();
    let all_of = |chunk: &&[u8; 64]| {
        chunk
            .iter()
            .fold(true, |all, &byte| all & is_line_end(byte))
    };
    let whole = chunks.iter().take_while(all_of).count() * 64;
    let rest = bytes[whole..].iter().take_while(|&&byte| is_line_end(byte));
    whole + rest.count()
}

/// The length of the first two line ends in a run of CR and LF.
fn two_line_ends(run: &[u8]) -> usize {
    run.iter()
        .enumerate()
        .filter(|&(_, &byte)| byte == b'\n')
        .nth(1)
        .map_or(run.len().min(4), |(at, _)| at + 1)
}
