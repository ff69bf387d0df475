//! Members and frames: how one is begun and left, and where reading goes on after damage.
//!
//! If you change where it goes on, look at [`split`](crate::resync): ranges of
//! a file begin where its searches say.

use std::io;

use crate::compression::Compression;
use crate::decode::buffer::End;
use crate::decode::gzip;
use crate::decode::libdeflate::Inflated;
use crate::decode::zstd::{Border, border, has_checksum};
use crate::detect::refused_text;
use crate::error::{Error, ErrorKind};
use crate::integrity::Integrity;
use crate::location::DamagedRange;
use crate::reader::Reader;
use crate::resync::{Search, next_member, next_record};

/// The size of the buffer for whole members at the start; it doubles as it must.
const FIRST_MEMBER_BYTES: usize = 256 << 10;

/// The unit in which old media store files.
const BLOCK_BYTES: u64 = 512;

/// The largest zstd frame, unpacked, that is decoded in one piece.
const FRAME_BYTES: usize = 1 << 20;

/// The largest member, in its packed form, that is inflated whole.
const MAX_PACKED_BYTES: usize = 4 << 20;

/// The member or frame that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) offset: u64,
    /// Records so far, damaged ones too.
    pub(crate) records: u32,
    /// Those of them that were given.
    pub(crate) given: u32,
    /// Whether damage in it has been reported.
    pub(crate) faulty: bool,
    /// Whether it ends with a checksum: every gzip member does, a zstd frame may.
    pub(crate) has_checksum: bool,
    /// How far its bytes are proven, once that is known.
    pub(crate) integrity: Option<Integrity>,
}

impl Member {
    /// Returns the integrity of its records if it decodes to a sound end.
    pub(crate) fn integrity_if_sound(&self) -> Integrity {
        if self.has_checksum {
            Integrity::Verified
        } else {
            Integrity::Unguarded
        }
    }
}

/// What a step of reading can end with, before its place is known.
pub(crate) enum Fault {
    Io(io::Error),
    Damage(Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Damage(error)
    }
}

impl Reader {
    /// Goes to the next member or frame of data and begins to decode it.
    pub(crate) fn begin_member(&mut self) -> Result<Option<Member>, Fault> {
        loop {
            let offset = self.next;
            // A range is read on until the next reader can begin as if nothing was before.
            if offset >= self.end && self.input.budget.is_fresh(offset) {
                return Ok(None);
            }
            if self.input.window.fill(8)? == 0 {
                return Ok(None);
            }
            let head = self.input.window.unread();
            if head[0] == 0 {
                // Zeros that fill the last block of the input up are padding; others may be
                // what is left of lost data.
                while self.input.window.fill(1)? > 0 {
                    let unread = self.input.window.unread();
                    let zeros = unread.iter().take_while(|&&byte| byte == 0).count();
                    let all = zeros == unread.len();
                    self.input.window.consume(zeros);
                    if !all {
                        let from = self.input.window.offset();
                        return Err(self.resume_from(ErrorKind::Garbage, offset, from));
                    }
                }
                self.next = self.input.window.offset();
                let is_padding =
                    self.next.is_multiple_of(BLOCK_BYTES) && self.next - offset < BLOCK_BYTES;
                if !is_padding {
                    return Err(Error::damage(ErrorKind::Garbage, offset, self.next).into());
                }
                return Ok(None);
            }
            let begins = match self.input.compression {
                Compression::Zstd => match border(head) {
                    Border::Frame => true,
                    Border::Skippable(bytes) => {
                        self.skip_frame(offset, bytes)?;
                        continue;
                    }
                    Border::Cut => {
                        return Err(self.resume_from(ErrorKind::Truncated, offset, offset + 1));
                    }
                    Border::Other => false,
                },
                _ => gzip::member_may_begin(head),
            };
            if !begins {
                return Err(self.resume_from(ErrorKind::Garbage, offset, offset + 1));
            }
            let mut member = Member {
                offset,
                records: 0,
                given: 0,
                faulty: false,
                has_checksum: match self.input.compression {
                    Compression::Zstd => has_checksum(head),
                    _ => true,
                },
                integrity: None,
            };
            self.input.window.keep_from_here();
            self.advance = 0;
            let whole = match self.input.compression {
                Compression::Gzip => self.inflate_whole()?,
                _ => self.decode_whole()?,
            };
            if whole {
                member.integrity = Some(member.integrity_if_sound());
            } else {
                self.input.begin_member();
                self.text.restart(0);
            }
            self.member = Some(member);
            return Ok(self.member);
        }
    }

    /// Passes over the skippable frame at `offset`, of so many `bytes` as its header says.
    ///
    /// A damaged length may reach over frames behind it. So what the frame holds is searched for
    /// frames that decode to `WARC/`, and if there is one, reading goes on there. A sound skippable
    /// frame holds none: metadata, a table of offsets, a dictionary.
    fn skip_frame(&mut self, offset: u64, bytes: u64) -> Result<(), Fault> {
        let end = offset.saturating_add(bytes);
        if let Some(dictionary) = self.input.dictionary_end().filter(|_| offset == 0) {
            self.input.window.skip(dictionary)?;
            self.next = dictionary;
            return match dictionary == end {
                true => Ok(()),
                false => Err(Error::damage(ErrorKind::BadDictionary, 0, dictionary).into()),
            };
        }
        self.input.window.keep_from_here();
        let search = next_member(&mut self.input, offset + 1, end)?;
        if search.found.is_some() {
            return Err(self.report_search(ErrorKind::Corrupt, offset, search));
        }
        if self.input.window.offset() < end {
            return Err(self.report_search(ErrorKind::Truncated, offset, search));
        }
        self.input.window.seek(end)?;
        self.next = end;
        match search.unsearched {
            Some(unsearched) => Err(Error::damage(ErrorKind::Unsearched, unsearched, end).into()),
            None => Ok(()),
        }
    }

    /// Inflates the member at the window in one piece, if it is small and sound.
    fn inflate_whole(&mut self) -> io::Result<bool> {
        let most = self.limits.max_member_bytes;
        let mut size = self.text.size().clamp(FIRST_MEMBER_BYTES.min(most), most);
        loop {
            let held = self.input.window.unread();
            let tried = held.len();
            // No more than that: which decoder reads a member must not depend on what is held.
            let packed = &held[..tried.min(MAX_PACKED_BYTES)];
            let result = self
                .deflate
                .member(packed, &mut self.text.space(size)[..size]);
            match result {
                Inflated::Whole { taken, made } => {
                    self.input.window.consume(taken);
                    self.text.set_whole(made);
                    return Ok(true);
                }
                Inflated::NoSpace if size < most => size = (size * 2).min(most),
                Inflated::NoSpace => return Ok(false),
                // The window may hold only a part of the member.
                Inflated::Bad => {
                    if tried >= MAX_PACKED_BYTES
                        || self.input.window.grow(MAX_PACKED_BYTES)? == tried
                    {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Decodes the zstd frame at the window in one piece, if it is small and sound.
    fn decode_whole(&mut self) -> io::Result<bool> {
        let most = self.limits.max_member_bytes;
        let size = FRAME_BYTES.min(most);
        let space = &mut self.text.space(size)[..size];
        match self.input.whole_frame(space)? {
            Some(made) => self.text.set_whole(made),
            None => return Ok(false),
        }
        Ok(true)
    }

    /// After damage at the decoded offset `from`: goes on with the next record of the member
    /// behind the cursor, or leaves it.
    ///
    /// `kind` is the sort of the damage to the record there; without one there is no record.
    pub(crate) fn resume_inside(&mut self, kind: Option<ErrorKind>, from: u64) -> Fault {
        match self.try_resume_inside(kind, from) {
            Ok(error) => error.into(),
            Err(fault) => fault,
        }
    }

    fn try_resume_inside(&mut self, kind: Option<ErrorKind>, from: u64) -> Result<Error, Fault> {
        let Some(member) = self.member else {
            return Err(Error::damage(ErrorKind::Garbage, self.next, self.next).into());
        };
        if let Some(End::Damaged(kind)) = self.text.end() {
            return Err(self.leave_damaged(kind));
        }
        let alone = !member.faulty && member.records == u32::from(kind.is_some());
        let refused = refused_text(self.text.rest());
        let found = next_record(&mut self.text, &mut self.input, 1, u64::MAX)?;
        if let Some(End::Damaged(kind)) = self.text.end()
            && !found
        {
            return Err(self.leave_damaged(kind));
        }
        if found || !alone {
            self.member = Some(Member {
                faulty: true,
                ..member
            });
            let decoded = DamagedRange {
                offset: from,
                bytes: self.text.offset() - from,
            };
            let kind = kind.unwrap_or(ErrorKind::Garbage);
            return Ok(Error::inside(kind, member.offset, decoded));
        }
        self.leave();
        match kind {
            Some(kind) => Ok(Error::damage(kind, member.offset, self.next)),
            None => {
                let kind = refused.map_or(ErrorKind::NotWarc, ErrorKind::Unsupported);
                Err(self.resume_from(kind, member.offset, self.next))
            }
        }
    }

    /// Leaves a sound member at its end.
    pub(crate) fn leave(&mut self) {
        self.next = self.input.window.offset();
        self.member = None;
    }

    /// Leaves a member that cannot be decoded, for the next one that may begin anywhere in it.
    pub(crate) fn leave_damaged(&mut self, kind: ErrorKind) -> Fault {
        let offset = self.member.map_or(self.next, |member| member.offset);
        let given = self.member.map_or(0, |member| member.given);
        self.input.add_failed_member();
        match self.resume_from(kind, offset, offset + 1) {
            Fault::Damage(error) => error.with_records_before(given).into(),
            failed => failed,
        }
    }

    /// Reports damage at `offset` and goes on at the first member from `from` on.
    pub(crate) fn resume_from(&mut self, kind: ErrorKind, offset: u64, from: u64) -> Fault {
        self.member = None;
        match next_member(&mut self.input, from, u64::MAX) {
            Ok(search) => self.report_search(kind, offset, search),
            Err(error) => Fault::Io(error),
        }
    }

    /// Reports damage at `offset` after a search; reading goes on where the window stands.
    ///
    /// What was not searched is a fault of its own, which the next call reports.
    fn report_search(&mut self, kind: ErrorKind, offset: u64, search: Search) -> Fault {
        self.next = self.input.window.offset();
        let Some(unsearched) = search.unsearched else {
            return Error::damage(kind, offset, self.next).into();
        };
        self.pending = Some(Error::damage(ErrorKind::Unsearched, unsearched, self.next));
        Error::damage(kind, offset, unsearched).into()
    }
}
