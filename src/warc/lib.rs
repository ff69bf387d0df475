//! Reads WARC archives: plain, gzip or zstd, from files, ranges of files and streams.
//!
//! The way in is [`Reader`]: it lends one [`Record`] at a time, as slices of
//! buffers that it uses again. Damage is an [`Error`] that names its place
//! and costs the damaged record; the next call goes on behind it.
//!
//! The formats are WARC 0.17 to [WARC 1.1], gzip according to [RFC 1952], and
//! [Zstandard compression of WARC] with the dictionary frame.
//!
//! What a reader gives depends on nothing but the bytes and the offset at
//! which it starts: whoever reads a file in ranges that end exactly where the
//! next begins gets the records and the faults of one reading. If you change
//! where reading goes on after damage, look at `find_member`, which must agree.
//!
//! [WARC 1.1]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/
//! [RFC 1952]: https://www.rfc-editor.org/rfc/rfc1952
//! [Zstandard compression of WARC]: https://iipc.github.io/warc-specifications/specifications/warc-zstd/

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, reason = "a test may panic, and says where")
)]

mod compression;
mod decode;
mod detect;
mod error;
mod header;
mod integrity;
mod limits;
mod location;
mod reader;
mod record;
mod record_type;
mod resync;
mod search_budget;

#[cfg(test)]
mod tests;

pub use compression::Compression;
pub use decode::source::SLICE_BYTES;
pub use detect::detect;
pub use error::{Error, ErrorKind};
pub use integrity::Integrity;
pub use limits::Limits;
pub use location::{DamagedRange, RecordLocation};
pub use reader::Reader;
pub use record::{Headers, Record};
pub use record_type::RecordType;
pub use resync::find_member;

/// The examples of the README, which are tested with those in the documentation.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
mod readme {}
