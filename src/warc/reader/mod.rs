//! Reads records, one after the other, whatever they are packed in.
//!
//! The plan: [`begin_member`](Reader::begin_member) goes to the next gzip
//! member or zstd frame and decodes it into the [`Text`], whole if it is small
//! and piece by piece if not; a plain input is one text without borders.
//! [`scan`](Reader::scan) measures the record at the cursor of the text and
//! proves its end, because a record is given only when its end is sound: the
//! next record, or the good end of what holds it. Everything else is damage,
//! and says where reading goes on.
//!
//! Nothing but offsets outlives a record or a member. If you add state that
//! does, ranges of a file no longer give what the whole gives.

mod member;
mod record;

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::member::{Fault, Member};
use self::record::{Current, Scan};
use crate::compression::Compression;
use crate::decode::buffer::{End, Text};
use crate::decode::decoder::Input;
use crate::decode::libdeflate::Deflate;
use crate::detect::{begins_record, is_cut_start};
use crate::error::{Error, ErrorKind};
use crate::header::Field;
use crate::limits::Limits;
use crate::record::Record;
use crate::resync::{find_start, next_record};

/// How much of a slice is searched for the place where it begins.
///
/// The rest pays for what is read of heads and behind slices: with it, no more than
/// 1 MiB is read again for each boundary, however the members lie.
const SEARCH_BYTES: u64 = 768 << 10;

/// Reads the records of an archive.
///
/// One reader serves many inputs, one after the other, and uses its buffers
/// again. It owns all it uses; what it lends lives until the next call.
///
/// Memory is bounded by [`Limits`], whatever the input. The price: behind a
/// block larger than [`Limits::max_block_bytes`] that turns out damaged, an
/// input that cannot go back (a stream, or a large member of many records) is
/// searched only from the stated end of the block on.
///
/// # Example
///
/// ```no_run
/// # fn main() -> Result<(), warc::Error> {
/// use warc::{Limits, Reader};
///
/// let mut reader = Reader::new(Limits::default());
/// reader.open_file("archive.warc.gz".as_ref())?;
/// loop {
///     match reader.read_record() {
///         Ok(true) => println!("{:?}", reader.record().target_uri()),
///         Ok(false) => break,
///         Err(fault) if fault.is_fatal() => return Err(fault),
///         Err(fault) => eprintln!("{fault}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Reader {
    pub(crate) limits: Limits,
    pub(crate) input: Input,
    pub(crate) deflate: Deflate,
    pub(crate) text: Text,
    pub(crate) fields: Vec<Field>,
    /// The header with every value on one line, if the record's own has folded ones.
    pub(crate) unfolded: Vec<u8>,
    /// Header and first part of a record whose block is larger than the limit.
    pub(crate) kept: Vec<u8>,
    pub(crate) current: Current,
    /// From the cursor of the text to behind the current record.
    pub(crate) advance: usize,
    pub(crate) member: Option<Member>,
    /// A fault behind the one that was reported last.
    pub(crate) pending: Option<Error>,
    /// Offset of the first member, frame or plain record that was not begun.
    pub(crate) next: u64,
    /// What begins here or later is not read.
    pub(crate) end: u64,
    pub(crate) done: bool,
}

impl Reader {
    /// A reader without an input; it allocates its buffers when they are needed.
    pub fn new(limits: Limits) -> Reader {
        Reader {
            limits,
            input: Input::new(limits.max_block_bytes),
            deflate: Deflate::new(),
            text: Text::new(),
            fields: Vec::new(),
            unfolded: Vec::new(),
            kept: Vec::new(),
            current: Current::default(),
            advance: 0,
            member: None,
            pending: None,
            next: 0,
            end: 0,
            done: true,
        }
    }

    /// Opens a file to read it from its start to its end.
    ///
    /// A path that is not a regular file, such as a pipe, is read as a stream.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`], [`ErrorKind::Unsupported`], [`ErrorKind::NotAnArchive`]
    /// and [`ErrorKind::BadDictionary`]; all are fatal.
    pub fn open_file(&mut self, path: &Path) -> Result<(), Error> {
        self.close();
        let io = |error| Error::io(error, 0);
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if metadata.is_file() {
            self.input.open_file(file, metadata.len())?;
        } else {
            self.input.open_stream(Box::new(file))?;
        }
        self.begin(0..u64::MAX)
    }

    /// Opens a regular file to read the records whose member, frame or plain record begins in
    /// `range`, in bytes of the file.
    ///
    /// The range must begin at a member, frame or plain record: at an offset returned by
    /// [`find_member`](crate::find_member), or at the [`next_offset`](Reader::next_offset) of
    /// another reader.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Reader::open_file). A path that is not a regular file is
    /// [`ErrorKind::Io`], because it cannot be read from an offset.
    pub fn open_range(&mut self, path: &Path, range: Range<u64>) -> Result<(), Error> {
        self.close();
        let io = |error| Error::io(error, 0);
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Err(io(io::ErrorKind::NotSeekable.into()));
        }
        self.input.open_slice(file, metadata.len(), None)?;
        self.begin(range)
    }

    /// Opens a slice of a regular file at the first member, frame or plain record that seems to
    /// begin in it, and returns its offset.
    ///
    /// Without one in the first 768 KiB of the slice nothing is open. What was found is a guess,
    /// as [`find_member`](crate::find_member) says. `known` is the compression of the file, if
    /// another reader has told it: then only a file with a dictionary is read at its head again.
    ///
    /// The bytes read are those of the slice and of the member that crosses its end, and at most
    /// 1 MiB for each boundary of slices that it crosses, with a dictionary on top.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Reader::open_file).
    pub fn open_slice(
        &mut self,
        path: &Path,
        slice: Range<u64>,
        known: Option<Compression>,
    ) -> Result<Option<u64>, Error> {
        self.close();
        let Range {
            start: from,
            end: to,
        } = slice;
        let io = |error| Error::io(error, from);
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        self.input.open_slice(file, length, known)?;
        let search_end = to.min(from.saturating_add(SEARCH_BYTES));
        // The octets of a magic number may reach over the end.
        self.input.window.end_slice_at(search_end.saturating_add(8));
        let found = find_start(&mut self.input, &mut self.text, from, search_end).map_err(io)?;
        self.input.window.end_slice_at(to);
        if let Some(start) = found {
            (self.next, self.end, self.done) = (start, to, false);
        }
        Ok(found)
    }

    /// Opens a stream that is read once, from its start to its end.
    ///
    /// # Errors
    ///
    /// As [`open_file`](Reader::open_file).
    pub fn open_stream(&mut self, input: Box<dyn Read + Send>) -> Result<(), Error> {
        self.close();
        self.input.open_stream(input)?;
        self.begin(0..u64::MAX)
    }

    /// Ends the reading of an input with [`ErrorKind::Io`] soon after `stop` is set, even while a
    /// long member is decoded for its checksum.
    pub fn set_stop(&mut self, stop: Arc<AtomicBool>) {
        self.input.set_stop(stop);
    }

    /// Lets go of the input and of memory beyond the usual.
    fn close(&mut self) {
        self.input.window.close();
        self.text.shrink(self.limits.max_member_bytes);
        self.kept = Vec::new();
        self.fields.clear();
        self.current = Current::default();
        self.advance = 0;
        self.member = None;
        self.pending = None;
        (self.next, self.end, self.done) = (0, 0, true);
    }

    fn begin(&mut self, range: Range<u64>) -> Result<(), Error> {
        let Range { start, end } = range;
        self.input
            .window
            .seek(start)
            .map_err(|error| Error::io(error, start))?;
        self.input.window.end_slice_at(end);
        self.text.restart(start);
        (self.next, self.end, self.done) = (start, end, false);
        Ok(())
    }

    /// Reads the next record and returns whether there was one.
    ///
    /// What was lent before is lost. At the end of the input or range this
    /// returns `Ok(false)`, however often it is called.
    ///
    /// # Errors
    ///
    /// A fault of the archive, after which the next call goes on; see
    /// [`Error::offset`] and [`Error::bytes_skipped`] for what it cost. After
    /// [`ErrorKind::Io`], which is fatal, there are no more records.
    pub fn read_record(&mut self) -> Result<bool, Error> {
        if self.done {
            return Ok(false);
        }
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        let result = if self.input.compression == Compression::None {
            self.read_plain()
        } else {
            self.read_packed()
        };
        if !matches!(result, Ok(true)) {
            self.current = Current::default();
            self.fields.clear();
        }
        match result {
            Ok(found) => self.done = !found,
            Err(Fault::Io(error)) => {
                self.done = true;
                return Err(Error::io(error, self.input.window.offset()));
            }
            Err(Fault::Damage(error)) => return Err(error),
        }
        Ok(!self.done)
    }

    /// The record that was read last; an empty one if there is none.
    pub fn record(&self) -> Record<'_> {
        let current = &self.current;
        let bytes = if current.kept {
            &self.kept
        } else {
            self.text.rest()
        };
        let (header, rest) = bytes.split_at(current.header_bytes);
        Record {
            header: if current.folded {
                &self.unfolded
            } else {
                header
            },
            fields: &self.fields,
            block: &rest[..current.block_len],
            block_bytes: current.block_bytes,
            location: current.location,
            length_quirk: current.length_quirk,
            integrity: current.integrity,
        }
    }

    /// How the input is packed.
    pub fn compression(&self) -> Compression {
        self.input.compression
    }

    /// Offset of the first member, frame or plain record that was not begun.
    ///
    /// When [`read_record`](Reader::read_record) has returned `Ok(false)` this
    /// is the length of a file read to its end, or the place behind a range
    /// where reading would go on: the next range counts only if it begins there.
    pub fn next_offset(&self) -> u64 {
        self.next
    }

    /// Offset up to which the bytes of the input have been used, for showing progress.
    ///
    /// It goes back where damaged bytes are searched again.
    pub fn progress_offset(&self) -> u64 {
        match self.input.compression {
            Compression::None => self.text.offset() + self.advance as u64,
            _ => self.input.window.offset(),
        }
    }

    /// Bytes taken from the input so far, those read twice counted twice.
    pub fn bytes_read(&self) -> u64 {
        self.input.window.bytes_read()
    }

    /// The length of the input, if it is known.
    pub fn input_bytes(&self) -> Option<u64> {
        self.input.window.length()
    }

    /// The next record of a plain input.
    fn read_plain(&mut self) -> Result<bool, Fault> {
        self.text.advance(std::mem::take(&mut self.advance));
        self.text.skip_line_ends(&mut self.input)?;
        self.next = self.text.offset();
        let start = self.next;
        if start >= self.end || self.text.rest().is_empty() {
            if start == 0 && self.end > 0 {
                // No archive is empty: its download was cut at once.
                self.done = true;
                return Err(Error::damage(ErrorKind::Empty, 0, 0).into());
            }
            return Ok(false);
        }
        let kind = if !self.text.need(&mut self.input, 5)? && is_cut_start(self.text.rest()) {
            ErrorKind::Truncated
        } else if !begins_record(self.text.rest()) {
            ErrorKind::Garbage
        } else {
            match self.scan()? {
                Scan::Good => {
                    self.next = self.text.offset() + self.advance as u64;
                    return Ok(true);
                }
                Scan::Bad(kind) => kind,
            }
        };
        // Records may lie in what the damaged one claims as its block.
        if self.text.offset() != start && self.input.window.can_seek() {
            self.input.window.seek(start)?;
            self.text.restart(start);
        }
        let from = usize::from(self.text.offset() == start);
        next_record(&mut self.text, &mut self.input, from, u64::MAX)?;
        self.next = self.text.offset();
        Err(Error::damage(kind, start, self.next).into())
    }

    /// The next record of an input of members or frames.
    fn read_packed(&mut self) -> Result<bool, Fault> {
        loop {
            let member = match self.member {
                Some(member) => member,
                None => match self.begin_member()? {
                    Some(member) => member,
                    None => return Ok(false),
                },
            };
            self.text.advance(std::mem::take(&mut self.advance));
            self.text.skip_line_ends(&mut self.input)?;
            if self.text.rest().is_empty() {
                if let Some(End::Damaged(kind)) = self.text.end() {
                    return Err(self.leave_damaged(kind));
                }
                self.leave();
                continue;
            }
            let start = self.text.offset();
            let is_record = self.text.need(&mut self.input, 5)? && begins_record(self.text.rest());
            if !is_record {
                return Err(self.resume_inside(None, start));
            }
            match self.scan()? {
                Scan::Good => return Ok(true),
                Scan::Bad(kind) => {
                    self.member = Some(Member {
                        records: member.records.saturating_add(1),
                        ..member
                    });
                    return Err(self.resume_inside(Some(kind), start));
                }
            }
        }
    }
}
