//! Objects on servers: https, http and S3.
//!
//! Input: URLs. Output: bytes in memory or in a file. The package is independent of the contents of objects.
//!
//! ```text
//! url.rs      the URL of an object; its secrets are not printed
//! client.rs   the client, which runs requests on a network thread
//! network.rs  the stores, servers and timeouts that all requests share
//! fetch.rs    fetches an object or a range of it, with retries
//! store.rs    the stores of the crate `object_store`, which implement the protocols
//! service.rs  one HTTP request: redirects, refusals
//! server.rs   the state that all requests to one server share
//! pace.rs     the rate and the pauses of a server
//! retry.rs    what a status means for further requests, and how long to wait
//! ```
//!
//! A scan fetches objects whole, in one request each if all goes well. The stores do not repeat
//! requests, so that every request is counted by the pace of its server.
//!
//! Without the feature `network`, `disabled.rs` replaces the client, and only URLs can be parsed.

#[cfg(feature = "network")]
mod client;
#[cfg(not(feature = "network"))]
mod disabled;
pub mod error;
#[cfg(feature = "network")]
mod fetch;
#[cfg(feature = "network")]
mod network;
#[cfg(feature = "network")]
mod pace;
#[cfg(feature = "network")]
mod retry;
#[cfg(feature = "network")]
mod server;
#[cfg(feature = "network")]
mod service;
#[cfg(feature = "network")]
mod store;
mod url;

pub use crate::url::has_scheme;
pub use crate::url::{NotARemoteUrl, RemoteUrl, Scheme};
#[cfg(feature = "network")]
pub use client::Remote;
#[cfg(not(feature = "network"))]
pub use disabled::Remote;

use crate::error::RemoteErrorKind;
use disk::ObjectIdentity;
use errors::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use warc::ArchiveFile;

/// The size of the largest object that is kept in memory. Larger ones are kept in a temporary file.
pub const MAX_OBJECT_IN_MEMORY_BYTES: u64 = 64 << 20;

/// The size of the largest object that is fetched. A server may announce any size, and objects that
/// are not kept in memory fill the folder of temporary files.
#[cfg(feature = "network")]
const MAX_OBJECT_BYTES: u64 = 64 << 30;

/// A limit of requests a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// The default of the protocol.
    Default,
    /// At most this number of requests a second to each server.
    PerSecond(f64),
    /// No limit. This is meant for servers that the user owns.
    Unlimited,
}

/// The limits, timeouts and files of a client.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The limit of requests a second to each server.
    pub rate: Rate,
    /// The number of processes that share the limit `rate`.
    pub concurrent_tasks: u32,
    /// The most requests to each server at a time; `None` for the default of the protocol.
    pub max_connections: Option<usize>,
    /// The most bytes of fetched objects that wait in memory. A single object may be larger.
    pub read_ahead_bytes: u64,
    /// The time without a new byte after which fetching an object fails.
    pub patience: Duration,
    /// The time without a byte after which a request is abandoned and sent again.
    pub stall_timeout: Duration,
    /// The folder of the temporary files for objects above [`MAX_OBJECT_IN_MEMORY_BYTES`].
    pub temp_folder: PathBuf,
    /// A file with further root certificates, in PEM.
    pub ca_file: Option<PathBuf>,
    /// True if requests to S3 are not signed.
    pub is_anonymous: bool,
}

impl RemoteOptions {
    /// Returns the most requests a second that this process may send to a server; `None` for no
    /// limit.
    pub fn rate_ceiling(&self, scheme: Scheme) -> Option<f64> {
        let rate = match (self.rate, scheme) {
            (Rate::Unlimited, _) => return None,
            (Rate::PerSecond(rate), _) => rate,
            // If a client sends more requests, Common Crawl answers them with 403 for some time.
            (Rate::Default, Scheme::Http | Scheme::Https) => 10.0,
            // S3 serves 5,500 requests a second for each prefix of keys.
            (Rate::Default, Scheme::S3) => 500.0,
        };
        Some(rate / f64::from(self.concurrent_tasks.max(1)))
    }

    /// Returns the most requests to a server at a time.
    pub fn max_connections(&self, scheme: Scheme) -> usize {
        self.max_connections.unwrap_or(match scheme {
            Scheme::Http | Scheme::Https => 4,
            Scheme::S3 => 16,
        })
    }
}

/// A change that concerns all requests to a server.
#[derive(Clone, Debug)]
pub enum RemoteEvent {
    /// The server refuses requests, and all of them wait.
    WaitBegins {
        /// The host and port, or the bucket.
        server: String,
        /// The answer of the server.
        reason: String,
        /// The time until the next request.
        wait: Duration,
    },
    /// The server answers again.
    WaitEnds {
        /// The host and port, or the bucket.
        server: String,
        /// The time since the first refusal.
        waited: Duration,
    },
}

/// An object that was fetched, or a part of one.
#[derive(Clone, Debug)]
pub struct FetchedFile {
    /// The bytes that were fetched.
    pub file: ArchiveFile,
    /// The size and the version of the object.
    pub identity: ObjectIdentity,
}

/// The error of an object that was not fetched.
#[derive(Debug)]
pub struct FetchError {
    /// The object.
    pub url: RemoteUrl,
    /// The reason.
    pub kind: FetchErrorKind,
}

errors::reasons! {
    /// The reason why an object was not fetched.
    #[derive(Debug)]
    pub enum FetchErrorKind at place {
        /// The server has no such object, or refuses this one only.
        Missing {
            /// The answer, or the cause, in words.
            reason: String,
        } => "{reason}";
        /// The range that is requested begins beyond the end of the object.
        BeyondEnd {
            /// The answer, or the cause, in words.
            reason: String,
        } => "{reason}";
        /// The first answer of the server is 401 or 403.
        Denied {
            /// The answer, or the cause, in words.
            reason: String,
        } => "{reason}";
        /// The server has never answered.
        NoAnswer {
            /// The answer, or the cause, in words.
            reason: String,
        } => "{reason}";
        /// The server refused or interrupted the object for too long.
        OutOfPatience {
            /// The answer, or the cause, in words.
            reason: String,
        } => "it was tried for too long; last: {reason}";
        /// The object cannot be fetched for another reason, such as its size.
        Refused {
            /// The answer, or the cause, in words.
            reason: String,
        } => "{reason}";
        /// A temporary file cannot be written.
        TempFile {
            /// The folder of the file.
            folder: PathBuf,
            /// The cause.
            error: io::Error,
        } => "{error}";
        /// The URL cannot be used.
        Invalid(error: Error) => "{error}";
    }
}

impl FetchErrorKind {
    /// Returns true if no other object can be fetched either.
    pub fn is_fatal_to_run(&self) -> bool {
        matches!(
            self,
            Self::Denied { .. } | Self::NoAnswer { .. } | Self::TempFile { .. } | Self::Invalid(_)
        )
    }
}

impl From<FetchError> for Error {
    fn from(error: FetchError) -> Self {
        let path = error.url.display_path();
        match error.kind {
            FetchErrorKind::Denied { reason } => Error::with_source(
                RemoteErrorKind::AccessDenied {
                    scheme: error.url.scheme(),
                },
                path,
                io::Error::other(reason),
            ),
            FetchErrorKind::TempFile { folder, error } => Error::write(folder, error),
            FetchErrorKind::Invalid(error) => error,
            kind => Error::read(path, io::Error::other(kind.to_string())),
        }
    }
}

impl FetchError {
    /// Returns the error of a request that a bug in the program ended, such as a panic.
    #[cfg(feature = "network")]
    fn unexpected_end_error(url: RemoteUrl) -> Self {
        Self {
            url,
            kind: FetchErrorKind::Refused {
                reason: "the request ended unexpectedly".to_owned(),
            },
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::PerSecond(rate) => rate.fmt(f),
            Self::Unlimited => f.write_str("none"),
        }
    }
}
