//! Copies WARC records into one archive, to keep them as evidence.
//!
//! Gzip members are copied byte by byte. Other records become gzip members. The first record of the archive is a
//! `warcinfo` record with the source archive and the offset of every copied record. If any record cannot be read, no
//! archive is written.

use crate::error::AnswerErrorKind;
use dataset::error::DatasetErrorKind;
use disk::error::Error;
use disk::{NewFile, SingleFile};
use flate2::Compression as GzipLevel;
use flate2::write::GzEncoder;
use remote::error::RemoteErrorKind;
use remote::{MAX_OBJECT_IN_MEMORY_BYTES, Remote};
use sha2::{Digest, Sha256};
use sources::error::SourceErrorKind;
use sources::input::{Input, InputSource, RecordAddress, Selection};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use warc::{ArchiveFile, Compression, ErrorKind, Limits, Reader};

/// The limit of the bytes of archive names in the `warcinfo` record, which has one name per copied record.
const MAX_WARCINFO_BYTES: u64 = 1 << 30;

/// The number of copied records, and the size of the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractSummary {
    /// The number of records.
    pub records: u64,
    /// The size of the archive in bytes.
    pub bytes: u64,
}

/// The place from which a record was copied.
struct CopiedRecord<'a> {
    archive: &'a str,
    offset: u64,
    /// The index of the record in its member; `None` if all records at the offset were copied.
    index: Option<u32>,
}

/// A gzip member to be written, with one or more records.
struct Member {
    /// The compressed bytes.
    bytes: Vec<u8>,
    /// The field `WARC-Date` of the first record.
    date: Option<Vec<u8>>,
}

/// An archive that is being written.
pub(crate) struct RecordArchiveWriter<'a> {
    // The lock is held until the file has its final name.
    _lock: SingleFile,
    new_file: NewFile,
    file: BufWriter<File>,
    reader: Reader,
    /// All records to be copied. The `warcinfo` record lists them before they are copied.
    copied: Vec<CopiedRecord<'a>>,
    summary: ExtractSummary,
}

/// Copies records to the archive `output`. `inputs` are archives with the addresses of their records, as
/// [`find_records`](sources::input::find_records) returns them.
///
/// # Errors
///
/// [`SourceErrorKind::LongNames`]; [`DatasetErrorKind::FileExists`]; [`AnswerErrorKind::NoSuchRecord`] and errors of
/// reading for a record that cannot be read; errors of writing;
/// [`ErrorKind::Abandoned`](disk::error::ErrorKind::Abandoned) once `stop` is set.
pub fn extract_records(
    inputs: &[Input],
    remote: Option<&Remote>,
    output: &Path,
    overwrite: bool,
    stop: &Arc<AtomicBool>,
) -> Result<ExtractSummary, Error> {
    let names_bytes = inputs.iter().map(|input| {
        let records = record_addresses(input).len() as u64;
        records.saturating_mul(input.name.len() as u64)
    });
    if names_bytes.fold(0, u64::saturating_add) > MAX_WARCINFO_BYTES {
        let kind = SourceErrorKind::LongNames {
            row: None,
            bytes_max: MAX_WARCINFO_BYTES,
        };
        return Err(Error::new(kind, "the list"));
    }
    let mut archive = RecordArchiveWriter::create(output, overwrite, stop)?;
    for input in inputs {
        for address in record_addresses(input) {
            archive.copied.push(CopiedRecord {
                archive: &input.name,
                offset: address.offset,
                index: None,
            });
        }
    }
    for input in inputs {
        match &input.source {
            InputSource::File(path) => {
                let file = ArchiveFile::open(path).map_err(|error| Error::read(path, error))?;
                for address in record_addresses(input) {
                    archive.copy(&file, path, record_range(*address), None)?;
                }
            }
            InputSource::Remote(url) => {
                let path = url.display_path();
                let remote = remote.ok_or_else(|| Error::new(RemoteErrorKind::NoRemote, path))?;
                let ranges = input.selection.requests().unwrap_or_default();
                let fetched = remote.fetch_ranges(url, ranges, stop)?;
                for address in record_addresses(input) {
                    archive.copy(&fetched, path, record_range(*address), None)?;
                }
            }
            InputSource::Missing(path) => {
                return Err(Error::read(path, io::ErrorKind::NotFound.into()));
            }
            InputSource::Stream(stream) => {
                let why = io::Error::other("records are only read from regular files");
                return Err(Error::read(stream.display_path(), why));
            }
        }
    }
    archive.finish()
}

fn record_addresses(input: &Input) -> &[RecordAddress] {
    match &input.selection {
        Selection::Records(addresses) => addresses,
        Selection::All | Selection::Rows(_) => &[],
    }
}

fn record_range(address: RecordAddress) -> Range<u64> {
    address.offset..address.offset.saturating_add(address.length)
}

impl<'a> RecordArchiveWriter<'a> {
    /// Creates the archive under a temporary name.
    pub(crate) fn create(
        output: &Path,
        overwrite: bool,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        if !overwrite && output.symlink_metadata().is_ok() {
            return Err(Error::new(DatasetErrorKind::FileExists, output));
        }
        let lock = SingleFile::open(output)?;
        let (new_file, file) = lock.new_file()?;
        let mut reader = Reader::new(Limits {
            max_block_bytes: MAX_OBJECT_IN_MEMORY_BYTES as usize,
            ..Limits::default()
        });
        reader.set_stop_flag(Arc::clone(stop));
        Ok(Self {
            _lock: lock,
            new_file,
            file: BufWriter::new(file),
            reader,
            copied: Vec::new(),
            summary: ExtractSummary::default(),
        })
    }

    /// Copies one record, and finishes the archive. The member of the record begins at `range.start` of `file`, and
    /// `index` is the index of the record in the member. The `warcinfo` record states `name` and `offset`: the name of
    /// the source archive in the dataset, and the offset of the member in this archive.
    pub(crate) fn copy_one(
        mut self,
        file: &ArchiveFile,
        path: &Path,
        range: Range<u64>,
        (name, offset, index): (&'a str, u64, u32),
    ) -> Result<ExtractSummary, Error> {
        self.copied.push(CopiedRecord {
            archive: name,
            offset,
            index: Some(index),
        });
        self.copy(file, path, range, Some(index))?;
        self.finish()
    }

    /// Copies the member at the start of a range, or only its record with this index. `path` is the path of the source
    /// archive in errors.
    fn copy(
        &mut self,
        file: &ArchiveFile,
        path: &Path,
        range: Range<u64>,
        index: Option<u32>,
    ) -> Result<(), Error> {
        let member = self.read_member(file, path, range, index)?;
        if self.summary.records == 0 {
            let date = member.date.as_deref().unwrap_or(b"1970-01-01T00:00:00Z");
            let warcinfo = pack_warcinfo(&self.copied, date);
            self.write(&warcinfo)?;
        }
        self.summary.records += 1;
        self.write(&member.bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.summary.bytes += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        written.map_err(|error| Error::write(self.new_file.path(), error))
    }

    /// Reads the member at the start of a range, or only its record with this index. The result is compressed again
    /// unless it is a whole gzip member.
    fn read_member(
        &mut self,
        file: &ArchiveFile,
        path: &Path,
        range: Range<u64>,
        index: Option<u32>,
    ) -> Result<Member, Error> {
        let start = range.start;
        let reader = &mut self.reader;
        let read_error = |error: warc::Error| match error.kind() {
            // No record begins at the offset, which may be within a record.
            ErrorKind::Garbage if error.offset() == start => {
                Error::new(AnswerErrorKind::NoSuchRecord { offset: start }, path)
            }
            _ => Error::read(path, io::Error::other(error)),
        };
        reader.open_record(file, range).map_err(read_error)?;
        let (mut records, mut date, mut count) = (Vec::new(), None, 0);
        while reader.read_record().map_err(read_error)? {
            let record = reader.record();
            count += 1;
            if index.is_some_and(|index| index != record.location().index_in_member) {
                continue;
            }
            if record.is_truncated() {
                let kind = AnswerErrorKind::NoSuchRecord { offset: start };
                return Err(Error::new(kind, path));
            }
            if records.is_empty() {
                date = record.header("WARC-Date").map(<[u8]>::to_vec);
            }
            records.extend_from_slice(record.raw_header());
            records.extend_from_slice(record.block());
            records.extend_from_slice(b"\r\n\r\n");
        }
        if records.is_empty() {
            let kind = AnswerErrorKind::NoSuchRecord { offset: start };
            return Err(Error::new(kind, path));
        }
        let is_whole_member = index.is_none() || count == 1;
        let bytes = match reader.compression() {
            Compression::Gzip if is_whole_member => {
                let end = reader.next_offset();
                read_bytes(file, start..end).map_err(|error| Error::read(path, error))?
            }
            _ => pack_member(&records),
        };
        Ok(Member { bytes, date })
    }

    /// Syncs the archive to disk, and renames it to its final name.
    fn finish(mut self) -> Result<ExtractSummary, Error> {
        let written = self.file.flush();
        let path = self.new_file.path();
        written.map_err(|error| Error::write(&path, error))?;
        let synced = self.file.get_ref().sync_all();
        synced.map_err(|error| Error::write(&path, error))?;
        self.new_file.commit()?;
        Ok(self.summary)
    }
}

fn read_bytes(file: &ArchiveFile, range: Range<u64>) -> io::Result<Vec<u8>> {
    let length = range.end.saturating_sub(range.start);
    if length > MAX_OBJECT_IN_MEMORY_BYTES {
        let why = format!("its record has {length} bytes, more than {MAX_OBJECT_IN_MEMORY_BYTES}");
        return Err(io::Error::other(why));
    }
    let mut bytes = vec![0; length as usize];
    let mut count = 0;
    while count < bytes.len() {
        match file.read_at(range.start + count as u64, &mut bytes[count..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => count += more,
        }
    }
    Ok(bytes)
}

fn pack_member(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), GzipLevel::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// Returns the `warcinfo` record (WARC 1.1, section 6.2) as a gzip member. `date` is the date of the first copied
/// record. The record id is a digest of the block, so that the same records give the same bytes.
///
/// The block is generated twice, for the digest and for the member, because it may be too long to be held.
fn pack_warcinfo(copied: &[CopiedRecord<'_>], date: &[u8]) -> Vec<u8> {
    let mut digest = BlockDigest::default();
    let mut encoder = GzEncoder::new(Vec::new(), GzipLevel::default());
    // Writing to memory does not fail.
    let _ = write_warcinfo_block(copied, &mut digest);
    let hex: String = digest.hasher.finalize()[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let head = format!(
        "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:{}-{}-{}-{}-{}>\r\nWARC-Date: ",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    );
    let fields = format!(
        "\r\nContent-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n",
        digest.bytes
    );
    for part in [head.as_bytes(), date, fields.as_bytes()] {
        let _ = encoder.write_all(part);
    }
    let _ = write_warcinfo_block(copied, &mut encoder);
    let _ = encoder.write_all(b"\r\n\r\n");
    encoder.finish().unwrap_or_default()
}

fn write_warcinfo_block(copied: &[CopiedRecord<'_>], out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "software: robots-scan {}\r\nformat: WARC File Format 1.1\r\n\
         description: records copied from other archives\r\n",
        env!("CARGO_PKG_VERSION")
    )?;
    for record in copied {
        let name = record.archive.replace(['\r', '\n'], " ");
        write!(out, "copied-from: {name} at {}", record.offset)?;
        if let Some(index) = record.index.filter(|index| *index > 0) {
            write!(out, ", index {index} in its member")?;
        }
        out.write_all(b"\r\n")?;
    }
    Ok(())
}

/// Computes the digest and the length of a block.
#[derive(Default)]
struct BlockDigest {
    hasher: Sha256,
    bytes: u64,
}

impl Write for BlockDigest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
