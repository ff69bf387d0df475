//! The records and faults of an archive, kept so that they can be compared.

use super::shown;
use std::cell::RefCell;
use std::io::{self, Read, Write as _};
use std::path::Path;
use tempfile::NamedTempFile;
use warc::{
    ArchiveFile, DamagedRange, Error, Integrity, Limits, Reader, RecordLocation, RecordType,
    find_range_start,
};

/// Limits that no fuzz input reaches.
pub const IN_ONE_CALL: Limits = Limits {
    max_header_bytes: 1 << 20,
    max_block_bytes: 1 << 30,
    max_member_bytes: 16 << 20,
};

/// Limits with which members are decompressed step by step.
pub const STEP_BY_STEP: Limits = Limits {
    max_member_bytes: 1,
    ..IN_ONE_CALL
};

/// A record or fault that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Record(ReadRecord),
    Fault(ReadFault),
}

/// A copy of a record.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadRecord {
    pub location: RecordLocation,
    pub record_type: RecordType,
    pub version: Vec<u8>,
    pub fields: Vec<(Vec<u8>, Vec<u8>)>,
    pub block: Vec<u8>,
    pub content_length: u64,
    pub has_length_quirk: bool,
    pub integrity: Integrity,
}

/// A copy of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFault {
    pub code: &'static str,
    pub offset: u64,
    pub bytes_skipped: u64,
    pub decoded_range: Option<DamagedRange>,
}

impl std::fmt::Debug for ReadRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = |bytes: &[u8]| bytes.escape_ascii().to_string();
        f.debug_struct("ReadRecord")
            .field("location", &self.location)
            .field("version", &names(&self.version))
            .field(
                "fields",
                &self
                    .fields
                    .iter()
                    .map(|(name, value)| format!("{}: {}", names(name), names(value)))
                    .collect::<Vec<_>>(),
            )
            .field("block", &shown(&self.block))
            .field("content_length", &self.content_length)
            .field("has_length_quirk", &self.has_length_quirk)
            .field("integrity", &self.integrity)
            .finish()
    }
}

/// The events of an input and the offset of its end, or the code with which it was refused.
pub type ReadResult = Result<(Vec<Event>, u64), &'static str>;

/// A temporary file and one reader per set of limits, reused for all inputs.
///
/// Reusing the readers checks that an earlier input does not influence a later one.
pub struct ReaderPool {
    readers: Vec<(Limits, Reader)>,
    file: NamedTempFile,
}

thread_local! {
    static POOL: RefCell<ReaderPool> = RefCell::new(ReaderPool {
        readers: Vec::new(),
        file: NamedTempFile::new().expect("a temporary file can be made"),
    });
}

/// Runs `check` with the readers of this thread, after writing `bytes` to their file.
pub fn with_readers<T>(bytes: &[u8], check: impl FnOnce(&mut ReaderPool) -> T) -> T {
    POOL.with_borrow_mut(|pool| {
        let file = pool.file.as_file_mut();
        let written = io::Seek::rewind(file)
            .and_then(|()| file.set_len(0))
            .and_then(|()| file.write_all(bytes));
        written.expect("the temporary file can be written");
        check(pool)
    })
}

impl ReaderPool {
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn with_reader<T>(&mut self, limits: Limits, act: impl FnOnce(&mut Reader, &Path) -> T) -> T {
        let known = self.readers.iter().position(|(other, _)| *other == limits);
        let index = known.unwrap_or_else(|| {
            self.readers.push((limits, Reader::new(limits)));
            self.readers.len() - 1
        });
        act(&mut self.readers[index].1, self.file.path())
    }

    /// Reads the whole file.
    pub fn read_file(&mut self, limits: Limits) -> ReadResult {
        self.with_reader(limits, |reader, path| {
            reader.open_file(path).map_err(|error| refused(&error))?;
            Ok(drain(reader))
        })
    }

    /// Reads `bytes` as a stream that returns at most `max_read_bytes` at once.
    pub fn read_stream(
        &mut self,
        bytes: &[u8],
        limits: Limits,
        max_read_bytes: usize,
    ) -> ReadResult {
        let stream = ShortReads {
            bytes: io::Cursor::new(bytes.to_vec()),
            max_read_bytes,
        };
        self.with_reader(limits, |reader, _| {
            let opened = reader.open_stream(Box::new(stream));
            opened.map_err(|error| refused(&error))?;
            Ok(drain(reader))
        })
    }

    /// Reads the file in two ranges, as a parallel caller does. The second starts at the first
    /// member at `cut` or later.
    pub fn read_in_two(&mut self, limits: Limits, cut: u64) -> ReadResult {
        self.with_reader(limits, |reader, path| {
            reader.open_file(path).map_err(|error| refused(&error))?;
            let file = ArchiveFile::open(path).expect("the temporary file can be opened");
            let found = find_range_start(&file, reader.compression(), cut, u64::MAX);
            let found = found.expect("the temporary file can be read");
            let boundary = found.unwrap_or(cut);
            assert!(
                boundary >= cut,
                "the member at {boundary} lies before {cut}"
            );
            let opened = reader.open_range(&file, 0..boundary);
            opened.map_err(|error| refused(&error))?;
            let (mut events, position) = drain(reader);
            assert!(
                found.is_none() || position >= boundary,
                "ended at {position}, before the boundary {boundary}"
            );
            let opened = reader.open_range(&file, position..u64::MAX);
            opened.map_err(|error| refused(&error))?;
            let (rest, position) = drain(reader);
            events.extend(rest);
            Ok((events, position))
        })
    }
}

fn refused(error: &Error) -> &'static str {
    assert!(error.is_fatal() && error.code() != "io", "{error}");
    error.code()
}

fn drain(reader: &mut Reader) -> (Vec<Event>, u64) {
    let mut events = Vec::new();
    loop {
        match reader.read_record() {
            Ok(false) => break,
            Ok(true) => {
                let record = reader.record();
                let headers = record.headers();
                events.push(Event::Record(ReadRecord {
                    location: record.location(),
                    record_type: record.record_type(),
                    version: record.version().to_vec(),
                    fields: headers
                        .map(|(name, value)| (name.to_vec(), value.to_vec()))
                        .collect(),
                    block: record.block().to_vec(),
                    content_length: record.content_length(),
                    has_length_quirk: record.has_length_quirk(),
                    integrity: record.integrity(),
                }));
            }
            Err(error) => {
                assert!(!error.is_fatal(), "{error}");
                events.push(Event::Fault(ReadFault {
                    code: error.code(),
                    offset: error.offset(),
                    bytes_skipped: error.bytes_skipped(),
                    decoded_range: error.decoded_range(),
                }));
            }
        }
        assert!(events.len() < 1 << 20, "no end");
    }
    let again = reader.read_record();
    assert!(matches!(again, Ok(false)), "a record follows the end");
    (events, reader.next_offset())
}

/// A stream that returns few bytes at once.
struct ShortReads {
    bytes: io::Cursor<Vec<u8>>,
    max_read_bytes: usize,
}

impl Read for ShortReads {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = out.len().min(self.max_read_bytes);
        self.bytes.read(&mut out[..count])
    }
}
