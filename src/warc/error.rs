//! What can be wrong with an archive, and where.

use std::fmt;
use std::io;

use crate::location::DamagedRange;

/// A fault of an archive, with its place.
///
/// A fault that [is fatal](Error::is_fatal) ends the reading of its input;
/// after any other the next call goes on behind the damage. The path of the
/// input is not known here: the caller adds it.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
    skipped: u64,
    decoded: Option<DamagedRange>,
    records_before: u32,
    fatal: bool,
    source: Option<io::Error>,
}

/// The sort of a fault.
///
/// The [code](ErrorKind::code) of a sort is permanent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input could not be read.
    Io,
    /// The input is of a known kind that is not read here; the text says which and what to do.
    Unsupported(&'static str),
    /// The input is not an archive of any kind we know.
    NotAnArchive,
    /// The input has no bytes.
    Empty,
    /// The zstd dictionary at the head of the input cannot be used, or its frame reaches over others.
    BadDictionary,
    /// A sound gzip member or zstd frame holds something else than WARC records.
    NotWarc,
    /// A record, a member or a frame is cut by the end of what holds it.
    Truncated,
    /// Compressed bytes that cannot be decoded.
    Corrupt,
    /// Decoded bytes that do not agree with their checksum.
    Checksum,
    /// A member or frame that unpacks to more, for its size, than any archive does.
    Bomb,
    /// Bytes between records, members or frames that belong to none.
    Garbage,
    /// Bytes behind damage in which members or frames were not tried, because those tried before
    /// them took more work than is allowed.
    Unsearched,
    /// A record that does not begin with a version line.
    BadHeader,
    /// A record header that does not end within the limit.
    HeaderTooLong,
    /// A `Content-Length` that is absent, not a number, stated twice with two
    /// values, or that does not lead to the end of the record.
    BadContentLength,
}

impl ErrorKind {
    /// The permanent name of the sort, for tables and logs.
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
            ErrorKind::Unsupported(what) => what,
            ErrorKind::NotAnArchive => "not a WARC archive: neither plain, nor gzip, nor zstd",
            ErrorKind::Empty => "the input has no bytes",
            ErrorKind::BadDictionary => "the zstd dictionary frame is damaged",
            ErrorKind::NotWarc => "the compressed member holds no WARC record",
            ErrorKind::Truncated => "cut short",
            ErrorKind::Corrupt => "compressed data is corrupt",
            ErrorKind::Checksum => "the checksum does not agree",
            ErrorKind::Bomb => "the member unpacks to over 256 MiB and over 1,100 times its size",
            ErrorKind::Garbage => "bytes that belong to no record",
            ErrorKind::Unsearched => {
                "not searched for records: the search behind damage took too much work"
            }
            ErrorKind::BadHeader => "the record has no proper version line",
            ErrorKind::HeaderTooLong => "the record header does not end within the limit",
            ErrorKind::BadContentLength => "Content-Length is absent, contradictory or wrong",
        })
    }
}

impl Error {
    /// Damage at `offset` after which reading goes on at `next`.
    pub(crate) fn damage(kind: ErrorKind, offset: u64, next: u64) -> Error {
        Error {
            kind,
            offset,
            skipped: next.saturating_sub(offset),
            decoded: None,
            records_before: 0,
            fatal: false,
            source: None,
        }
    }

    /// Damage between records of the member at `offset`, found in its decoded bytes.
    pub(crate) fn inside(kind: ErrorKind, offset: u64, decoded: DamagedRange) -> Error {
        Error {
            decoded: Some(decoded),
            ..Error::damage(kind, offset, offset)
        }
    }

    /// A fault that ends the input.
    pub(crate) fn fatal(kind: ErrorKind, offset: u64) -> Error {
        Error {
            fatal: true,
            ..Error::damage(kind, offset, offset)
        }
    }

    /// A failure of the input itself, met at `offset`.
    pub(crate) fn io(source: io::Error, offset: u64) -> Error {
        Error {
            source: Some(source),
            ..Error::fatal(ErrorKind::Io, offset)
        }
    }

    /// Whether the input itself failed.
    pub(crate) fn is_io(&self) -> bool {
        self.kind == ErrorKind::Io
    }

    /// The failure of the input, or the fault dressed up as one.
    pub(crate) fn into_io(mut self) -> io::Error {
        match self.source.take() {
            Some(source) => source,
            None => io::Error::other(self),
        }
    }

    /// The sort of the fault.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The permanent name of the sort, as [`ErrorKind::code`] has it.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Where the damage begins, in bytes of the input.
    ///
    /// This is the start of a plain record, or of the member or frame that
    /// holds the damage.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes of the input are passed over, from [`offset`](Error::offset).
    ///
    /// Zero for damage between records that share a member: see [`decoded`](Error::decoded_range).
    pub fn bytes_skipped(&self) -> u64 {
        self.skipped
    }

    /// The place inside the decoded bytes, for damage in a member of many records.
    pub fn decoded_range(&self) -> Option<DamagedRange> {
        self.decoded
    }

    /// The same, where records of the damaged member were given before it was seen.
    pub(crate) fn with_records_before(self, records_before: u32) -> Error {
        Error {
            records_before,
            ..self
        }
    }

    /// Records of a damaged member that were given. They may be other than they were written; their
    /// [`Integrity`](crate::Integrity) says so.
    pub fn records_before(&self) -> u32 {
        self.records_before
    }

    /// Whether the input cannot be read further.
    pub fn is_fatal(&self) -> bool {
        self.fatal
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.kind, self.offset)?;
        if let Some(decoded) = self.decoded {
            write!(
                f,
                " (decoded offset {}, {} decoded bytes skipped)",
                decoded.offset, decoded.bytes
            )
        } else if self.skipped > 0 {
            write!(f, ", {} bytes skipped", self.skipped)
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
    fn an_error_says_its_place_and_what_it_cost() {
        let error = Error::damage(ErrorKind::Checksum, 10, 25);
        assert_eq!(
            error.to_string(),
            "the checksum does not agree at offset 10, 15 bytes skipped"
        );
        assert_eq!(
            (error.code(), error.offset(), error.bytes_skipped()),
            ("checksum", 10, 15)
        );
        assert!(!error.is_fatal());
    }

    #[test]
    fn the_cause_of_a_failed_input_is_its_source_and_not_in_the_text() {
        let error = Error::io(io::Error::other("disk gone"), 7);
        assert!(error.is_fatal());
        assert_eq!(error.to_string(), "the input cannot be read at offset 7");
        assert_eq!(error.source().expect("a source").to_string(), "disk gone");
    }
}
