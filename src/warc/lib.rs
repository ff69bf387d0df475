//! A reader for WARC archives.
//!
//! Input: bytes of a file, a range or a stream. Output: records and errors, each with its position. The
//! package is independent of robots.txt and of tables.
//!
//! The crate reads WARC versions 0.17 to [1.1][WARC 1.1], uncompressed, compressed with gzip
//! ([RFC 1952]), per record or as a whole, or with zstd, with or without the dictionary frame of
//! [Zstandard compression of WARC]. Archives are read from files, ranges of files and streams.
//!
//! [`Reader`] returns one [`Record`] at a time, borrowed from its buffers. A damaged record is
//! skipped and reported as an [`Error`] with its position: reading resumes at the next valid gzip
//! member, zstd frame or record.
//!
//! # Example
//!
//! ```
//! use warc::{Limits, Reader, RecordType};
//!
//! # let path = std::env::temp_dir().join(format!("warc-example-{}.warc", std::process::id()));
//! # let record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\
//! #     Content-Length: 2\r\n\r\nhi\r\n\r\n";
//! # std::fs::write(&path, record)?;
//! let mut reader = Reader::new(Limits::default());
//! reader.open_file(&path)?;
//! loop {
//!     match reader.read_record() {
//!         Ok(true) => {
//!             let record = reader.record();
//!             assert_eq!(record.record_type(), RecordType::Response);
//!             assert_eq!(record.target_uri(), Some(&b"http://a.example/"[..]));
//!             assert_eq!(record.location().offset, 0);
//!             assert_eq!(record.block(), b"hi");
//!         }
//!         Ok(false) => break,
//!         Err(error) if error.is_fatal() => return Err(error.into()),
//!         Err(fault) => eprintln!("{fault}"),
//!     }
//! }
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reading in ranges
//!
//! The result of a reader depends only on the bytes of the archive and on the offset at which it
//! starts. So a large file can be read in parallel: [`find_range_start`] guesses where a range
//! starts, [`Reader::open_range`] reads it, and the guess is correct if the reader of the range
//! before it ends there ([`Reader::next_offset`]). The ranges then give exactly the records and
//! faults of a reader of the whole file.
//!
//! [WARC 1.1]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/
//! [RFC 1952]: https://www.rfc-editor.org/rfc/rfc1952
//! [Zstandard compression of WARC]: https://iipc.github.io/warc-specifications/specifications/warc-zstd/

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may panic"))]

mod archive_file;
mod decode;
mod detect;
mod error;
mod field_name;
mod header;
mod header_lines;
mod reader;
mod record;
mod record_start;
mod resync;
mod search_budget;
mod unsupported_format;

#[cfg(test)]
mod tests;

pub use archive_file::{ArchiveFile, ArchiveRange, StoredBytes};
pub use decode::Compression;
pub use decode::source::SLICE_BYTES;
pub use decode::zstd::dictionary_frame_bytes;
pub use detect::detect;
pub use error::{DamagedRange, Error, ErrorKind};
pub use field_name::FieldName;
pub use header_lines::{HeaderLine, HeaderLines};
pub use reader::{Limits, Reader};
pub use record::{Headers, Integrity, Record, RecordLocation, RecordType};
pub use resync::find_range_start;
pub use unsupported_format::UnsupportedFormat;

/// The examples of the README, which are tested with those in the documentation.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
mod readme {}
