//! The reason why the text of a robots.txt was not read from its archive.

use errors::Error;
use std::fmt;
use std::path::PathBuf;

/// The reason why the text of a robots.txt was not read from its archive.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArchiveProblem {
    /// The archive is at none of these paths.
    NotFound { tried: Vec<PathBuf> },
    /// The capture is a row of a table of bodies, so there is no archive.
    BodyTable,
    /// The name of the archive cannot be appended to the base URL.
    BadName,
    /// The archive cannot be read.
    Unreadable(Error),
    /// The archive has no record at the place of the capture.
    NoRecord,
    /// The record is damaged.
    Damaged(warc::Error),
    /// The record at the place of the capture is not a capture.
    NotACapture,
    /// The record is a revisit, and the history does not store the capture with its content.
    Revisit,
    /// The record has another URL than the capture.
    OtherUrl {
        /// The URL of the record.
        found: String,
    },
    /// The record has another content digest than the capture.
    OtherDigest {
        /// The digest of the record; `None` if it is unknown.
        found: Option<String>,
        /// The digest of the capture; `None` if it is unknown.
        expected: Option<String>,
    },
    /// The bytes of the record do not have the digest that its header states.
    OtherBytes {
        /// The header field that states the digest.
        field: &'static str,
    },
    /// The decoded body has another length than when it was scanned.
    OtherLength {
        /// The length of the body in the archive, in bytes.
        found: u64,
        /// The length when it was scanned, in bytes.
        expected: u64,
    },
}

impl fmt::Display for ArchiveProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { tried } => {
                f.write_str("there is no file ")?;
                for (i, path) in tried.iter().enumerate() {
                    let or = if i == 0 { "" } else { " or " };
                    write!(f, "{or}'{}'", path.display())?;
                }
                Ok(())
            }
            Self::BodyTable => f.write_str("it is a table of bodies"),
            Self::BadName => f.write_str("its name cannot be part of a URL"),
            Self::Unreadable(error) => error.fmt(f),
            Self::NoRecord => f.write_str("it has no such record"),
            Self::Damaged(error) => write!(f, "its record cannot be read: {error}"),
            Self::NotACapture => f.write_str("its record is not a capture"),
            Self::Revisit => f.write_str("its record is a revisit of another capture of its crawl"),
            Self::OtherUrl { found } => write!(f, "its record has the URL '{found}'"),
            Self::OtherDigest { found, expected } => {
                let text = |digest: &Option<String>| digest.clone().unwrap_or("unknown".to_owned());
                let (found, expected) = (text(found), text(expected));
                write!(f, "the digest of its record is {found}, not {expected}")
            }
            Self::OtherBytes { field } => {
                write!(f, "the bytes of its record differ from their {field}")
            }
            Self::OtherLength { found, expected } => {
                write!(
                    f,
                    "the body of its record has {found} bytes, not {expected}"
                )
            }
        }
    }
}

impl std::error::Error for ArchiveProblem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // The error itself is part of the message.
            Self::Unreadable(error) => error.source(),
            _ => None,
        }
    }
}
