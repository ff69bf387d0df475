//! The errors of the reader.

use std::fmt;
use std::io;

use crate::unsupported_format::UnsupportedFormat;

/// A fault of an archive and its position.
///
/// A [fatal](Error::is_fatal) error ends the input. After any other error, the next call to
/// [`Reader::read_record`](crate::Reader::read_record) continues after the damage.
///
/// The error does not contain the path of the input. The caller adds it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
    bytes_skipped: u64,
    decoded_range: Option<DamagedRange>,
    records_before: u32,
    is_fatal: bool,
    source: Option<io::Error>,
}

/// A damaged range in the decompressed bytes of a member that holds several records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedRange {
    /// The offset of the damage, in decompressed bytes of its member.
    pub offset: u64,
    /// The number of decompressed bytes from the damage to the next record or the end of the
    /// member. They are skipped.
    pub bytes: u64,
}

/// The kind of a fault.
///
/// The [code](ErrorKind::code) of a kind never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input could not be read.
    Io,
    /// The input has a known format that is not supported.
    Unsupported(UnsupportedFormat),
    /// The input is not a WARC archive in any supported compression.
    NotAnArchive,
    /// The input has no bytes, as after a failed download.
    Empty,
    /// The zstd dictionary at the start of the input cannot be loaded, or its stated length
    /// includes data frames.
    BadDictionary,
    /// A valid gzip member or zstd frame does not contain WARC records.
    NotWarc,
    /// A record, member or frame is cut short by the end of the input or of its member.
    Truncated,
    /// Compressed data cannot be decompressed.
    Corrupt,
    /// The checksum of a member or frame does not match its decompressed data.
    Checksum,
    /// A member or frame decompresses to far more bytes than any real archive would.
    Bomb,
    /// Bytes between records, members or frames that do not belong to any of them.
    Garbage,
    /// A range after damage that was not searched for members or frames, because the search up to
    /// there exceeded its work limit.
    Unsearched,
    /// A record does not start with a version line.
    BadHeader,
    /// A record header is longer than
    /// [`Limits::max_header_bytes`](crate::Limits::max_header_bytes).
    HeaderTooLong,
    /// `Content-Length` is missing, is not a number, is given twice with different values, or does
    /// not lead to the end of the record.
    BadContentLength,
}

impl ErrorKind {
    /// Returns the permanent code of the kind, for tables and logs.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::Io => "io",
            ErrorKind::Unsupported(_) => "unsupported",
            ErrorKind::NotAnArchive => "not_an_archive",
            ErrorKind::Empty => "input_empty",
            ErrorKind::BadDictionary => "bad_dictionary",
            ErrorKind::NotWarc => "not_warc",
            ErrorKind::Truncated => "truncated",
            ErrorKind::Corrupt => "corrupt",
            ErrorKind::Checksum => "checksum",
            ErrorKind::Bomb => "bomb",
            ErrorKind::Garbage => "garbage",
            ErrorKind::Unsearched => "unsearched",
            ErrorKind::BadHeader => "bad_header",
            ErrorKind::HeaderTooLong => "header_too_long",
            ErrorKind::BadContentLength => "bad_content_length",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Io => "the input cannot be read",
            ErrorKind::Unsupported(format) => return format.fmt(f),
            ErrorKind::NotAnArchive => "not a WARC archive: neither plain nor gzip nor zstd",
            ErrorKind::Empty => "the input has no bytes",
            ErrorKind::BadDictionary => "the zstd dictionary frame is damaged",
            ErrorKind::NotWarc => "the compressed member contains no WARC record",
            ErrorKind::Truncated => "truncated",
            ErrorKind::Corrupt => "compressed data is corrupt",
            ErrorKind::Checksum => "the checksum does not match",
            ErrorKind::Bomb => "the member unpacks to over 256 MiB and over 1,100 times its size",
            ErrorKind::Garbage => "bytes that are not part of any record",
            ErrorKind::Unsearched => {
                "not searched for records: resynchronization exceeded its work budget"
            }
            ErrorKind::BadHeader => "the record has no valid version line",
            ErrorKind::HeaderTooLong => "the record header does not end within the limit",
            ErrorKind::BadContentLength => "Content-Length is absent, contradictory or wrong",
        })
    }
}

impl Error {
    /// Returns a fault at `offset` after which reading continues at `next`.
    pub(crate) fn damage(kind: ErrorKind, offset: u64, next: u64) -> Error {
        Error {
            kind,
            offset,
            bytes_skipped: next.saturating_sub(offset),
            decoded_range: None,
            records_before: 0,
            is_fatal: false,
            source: None,
        }
    }

    /// Returns a fault in the decompressed bytes of the member at `offset`, after which reading
    /// continues in the same member.
    pub(crate) fn damage_in_member(kind: ErrorKind, offset: u64, range: DamagedRange) -> Error {
        Error {
            decoded_range: Some(range),
            ..Error::damage(kind, offset, offset)
        }
    }

    /// Returns an error that ends the input.
    pub(crate) fn fatal(kind: ErrorKind, offset: u64) -> Error {
        Error {
            is_fatal: true,
            ..Error::damage(kind, offset, offset)
        }
    }

    /// Returns the error for a failure to read the input at `offset`.
    pub(crate) fn io(source: io::Error, offset: u64) -> Error {
        Error {
            source: Some(source),
            ..Error::fatal(ErrorKind::Io, offset)
        }
    }

    /// Sets the number of records that were returned from the member before the damage was found.
    pub(crate) fn with_records_before(self, records_before: u32) -> Error {
        Error {
            records_before,
            ..self
        }
    }

    /// Returns true if reading the input failed.
    pub(crate) fn is_io(&self) -> bool {
        self.kind == ErrorKind::Io
    }

    /// Converts the error into the [`io::Error`] that caused it, or into one that wraps it.
    pub(crate) fn into_io_error(mut self) -> io::Error {
        match self.source.take() {
            Some(source) => source,
            None => io::Error::other(self),
        }
    }

    /// Returns the kind of the fault.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the permanent code of the kind. See [`ErrorKind::code`].
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Returns the offset of the damage, in bytes of the input.
    ///
    /// This is the start of the uncompressed record, or of the member or frame that contains the
    /// damage.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of bytes of the input that are skipped, from [`offset`](Error::offset).
    ///
    /// Returns 0 for damage between records that share a member: see
    /// [`decoded_range`](Error::decoded_range).
    pub fn bytes_skipped(&self) -> u64 {
        self.bytes_skipped
    }

    /// Returns the damaged range in the decompressed bytes of the member, if the member holds
    /// several records and reading continues in it.
    pub fn decoded_range(&self) -> Option<DamagedRange> {
        self.decoded_range
    }

    /// Returns the number of records of the damaged member that were returned before the damage
    /// was found.
    ///
    /// They may differ from what was written. Their [`Integrity`](crate::Integrity) is `Damaged`, or `Unknown` in a
    /// stream.
    pub fn records_before(&self) -> u32 {
        self.records_before
    }

    /// Returns true if no more records can be read from the input.
    pub fn is_fatal(&self) -> bool {
        self.is_fatal
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.kind, self.offset)?;
        if let Some(range) = self.decoded_range {
            write!(
                f,
                " (decoded offset {}, {} decoded bytes skipped)",
                range.offset, range.bytes
            )
        } else if self.bytes_skipped > 0 {
            write!(f, ", {} bytes skipped", self.bytes_skipped)
        } else {
            Ok(())
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|error| error as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn an_error_states_its_offset_and_the_bytes_skipped() {
        let error = Error::damage(ErrorKind::Checksum, 10, 25);
        assert_eq!(
            error.to_string(),
            "the checksum does not match at offset 10, 15 bytes skipped"
        );
        assert_eq!(
            (error.code(), error.offset(), error.bytes_skipped()),
            ("checksum", 10, 15)
        );
        assert!(!error.is_fatal());
    }

    #[test]
    fn the_cause_of_an_io_error_is_its_source_and_not_in_its_text() {
        let error = Error::io(io::Error::other("disk gone"), 7);
        assert!(error.is_fatal());
        assert_eq!(error.to_string(), "the input cannot be read at offset 7");
        assert_eq!(error.source().expect("a source").to_string(), "disk gone");
    }
}
