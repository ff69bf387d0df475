//! The reason why the text of a robots.txt was not read from its archive.

use errors::Error;
use std::path::PathBuf;

errors::reasons! {
    /// The reason why the text of a robots.txt was not read from its archive.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum ArchiveProblem at place {
        /// The archive is at none of these paths.
        NotFound { tried: Vec<PathBuf> } => "there is no file {}", shown_paths(tried);
        /// The capture is a row of a table of bodies, so there is no archive.
        BodyTable => "it is a table of bodies";
        /// The name of the archive cannot be appended to the base URL.
        BadName => "its name cannot be part of a URL";
        /// The archive cannot be read.
        Unreadable(error: Error) => "{error}";
        /// The archive has no record at the place of the capture.
        NoRecord => "it has no such record";
        /// The record is damaged.
        Damaged(error: warc::Error) => "its record cannot be read: {error}";
        /// The record at the place of the capture is not a capture.
        NotACapture => "its record is not a capture";
        /// The record is a revisit, and the history does not store the capture with its content.
        Revisit => "its record is a revisit of another capture of its crawl";
        /// The record has another URL than the capture.
        OtherUrl {
            /// The URL of the record.
            found: String,
        } => "its record has the URL '{found}'";
        /// The record has another content digest than the capture.
        OtherDigest {
            /// The digest of the record; `None` if it is unknown.
            found: Option<String>,
            /// The digest of the capture; `None` if it is unknown.
            expected: Option<String>,
        } => "the digest of its record is {}, not {}", shown_digest(found), shown_digest(expected);
        /// The bytes of the record do not have the digest that its header states.
        OtherBytes {
            /// The header field that states the digest.
            field: &'static str,
        } => "the bytes of its record differ from their {field}";
        /// The decoded body has another length than when it was scanned.
        OtherLength {
            /// The length of the body in the archive, in bytes.
            found: u64,
            /// The length when it was scanned, in bytes.
            expected: u64,
        } => "the body of its record has {found} bytes, not {expected}";
    }
}

fn shown_paths(paths: &[PathBuf]) -> String {
    let paths = paths.iter().map(|path| format!("'{}'", path.display()));
    paths.collect::<Vec<_>>().join(" or ")
}

fn shown_digest(digest: &Option<String>) -> &str {
    digest.as_deref().unwrap_or("unknown")
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
