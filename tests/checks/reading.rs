//! What a reader of archives gives, kept to be compared.

use super::shown;
use std::cell::RefCell;
use std::io::{self, Read, Write as _};
use std::path::Path;
use tempfile::NamedTempFile;
use warc::{
    DamagedRange, Error, Integrity, Limits, Reader, RecordLocation, RecordType, find_member,
};

/// Limits that no input of the fuzzers meets.
pub(crate) const USUAL: Limits = Limits {
    max_header_bytes: 1 << 20,
    max_block_bytes: 1 << 30,
    max_member_bytes: 16 << 20,
};

/// Every member piece by piece.
pub(crate) const STREAMED: Limits = Limits {
    max_member_bytes: 1,
    ..USUAL
};

/// What reading gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Record(Given),
    Fault(Fault),
}

/// A record as it was given.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) location: RecordLocation,
    pub(crate) record_type: RecordType,
    pub(crate) version: Vec<u8>,
    pub(crate) fields: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) block: Vec<u8>,
    pub(crate) content_length: u64,
    pub(crate) has_length_quirk: bool,
    pub(crate) integrity: Integrity,
}

/// A fault as it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) offset: u64,
    pub(crate) bytes_skipped: u64,
    pub(crate) decoded_range: Option<DamagedRange>,
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = |bytes: &[u8]| bytes.escape_ascii().to_string();
        f.debug_struct("Given")
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

/// All that one reading gave, and where it ended; or why the input was refused.
pub(crate) type Reading = Result<(Vec<Event>, u64), &'static str>;

/// Readers and a file that are used again for every input.
///
/// A reader for each of the few limits: what it read before must not show.
pub(crate) struct Desk {
    readers: Vec<(Limits, Reader)>,
    file: NamedTempFile,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk {
        readers: Vec::new(),
        file: NamedTempFile::new().expect("a temporary file can be made"),
    });
}

/// Runs `act` at this thread's desk, with `bytes` in its file.
pub(crate) fn at_desk<T>(bytes: &[u8], act: impl FnOnce(&mut Desk) -> T) -> T {
    DESK.with_borrow_mut(|desk| {
        let file = desk.file.as_file_mut();
        let written = io::Seek::rewind(file)
            .and_then(|()| file.set_len(0))
            .and_then(|()| file.write_all(bytes));
        written.expect("the temporary file can be written");
        act(desk)
    })
}

impl Desk {
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    fn with_reader<T>(&mut self, limits: Limits, act: impl FnOnce(&mut Reader, &Path) -> T) -> T {
        let known = self.readers.iter().position(|(its, _)| *its == limits);
        let at = known.unwrap_or_else(|| {
            self.readers.push((limits, Reader::new(limits)));
            self.readers.len() - 1
        });
        act(&mut self.readers[at].1, self.file.path())
    }

    /// Reads the whole file.
    pub(crate) fn read_file(&mut self, limits: Limits) -> Reading {
        self.with_reader(limits, |reader, path| {
            reader.open_file(path).map_err(|it| refused(&it))?;
            Ok(drain(reader))
        })
    }

    /// Reads `bytes` as a stream that gives `at_once` octets at a time.
    pub(crate) fn read_stream(&mut self, bytes: &[u8], limits: Limits, at_once: usize) -> Reading {
        let stream = Drops {
            bytes: io::Cursor::new(bytes.to_vec()),
            at_once,
        };
        self.with_reader(limits, |reader, _| {
            let opened = reader.open_stream(Box::new(stream));
            opened.map_err(|it| refused(&it))?;
            Ok(drain(reader))
        })
    }

    /// Reads the file in two ranges, the second from the first member at `cut`
    /// or later, as a caller does who shares the work.
    pub(crate) fn read_in_two(&mut self, limits: Limits, cut: u64) -> Reading {
        self.with_reader(limits, |reader, path| {
            reader.open_file(path).map_err(|it| refused(&it))?;
            let found = find_member(path, reader.compression(), cut, u64::MAX);
            let found = found.expect("the temporary file can be read");
            let seam = found.unwrap_or(cut);
            assert!(seam >= cut, "the member at {seam} lies before {cut}");
            let opened = reader.open_range(path, 0..seam);
            opened.map_err(|it| refused(&it))?;
            let (mut events, position) = drain(reader);
            assert!(
                found.is_none() || position >= seam,
                "ended at {position}, before the seam {seam}"
            );
            let opened = reader.open_range(path, position..u64::MAX);
            opened.map_err(|it| refused(&it))?;
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
                events.push(Event::Record(Given {
                    location: record.location(),
                    record_type: record.record_type(),
                    version: record.version().to_vec(),
                    fields: headers.map(|(n, v)| (n.to_vec(), v.to_vec())).collect(),
                    block: record.block().to_vec(),
                    content_length: record.content_length(),
                    has_length_quirk: record.has_length_quirk(),
                    integrity: record.integrity(),
                }));
            }
            Err(error) => {
                assert!(!error.is_fatal(), "{error}");
                events.push(Event::Fault(Fault {
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
    assert!(matches!(again, Ok(false)), "the end did not stay");
    (events, reader.next_offset())
}

/// A stream that gives few octets at a time.
struct Drops {
    bytes: io::Cursor<Vec<u8>>,
    at_once: usize,
}

impl Read for Drops {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = out.len().min(self.at_once);
        self.bytes.read(&mut out[..count])
    }
}
