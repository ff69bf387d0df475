//! Fetches one object, or a part of it, whatever happens on the way.

use super::network::Network;
use super::pace::Refusal;
use super::server::Server;
use super::service::ServiceError;
use super::store::StoredObject;
use super::{
    FetchError, FetchErrorKind, FetchedFile, MAX_OBJECT_IN_MEMORY_BYTES, ObjectIdentity, RemoteUrl,
};
use futures_util::StreamExt;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta};
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use warc::ArchiveFile;

/// The first wait after a body that was not received whole. Further ones double it.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait after a body that was not received whole.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// The lowest rate of an object, in bytes a second. Slower ones use up their patience.
const MIN_BYTES_PER_SECOND: f64 = 1024.0;

/// The number of requests to a server that has never answered, after which its object fails.
const FIRST_TRIES: u32 = 4;

/// The reason why an attempt did not deliver the object.
pub(super) enum Failure {
    /// The server refused the request, or could not be reached. The next one waits by itself.
    Refused { reason: String },
    /// The status is 401 or 403.
    Denied {
        reason: String,
        sent: Instant,
        server: Arc<Server>,
    },
    /// No response came before the deadline.
    TimedOut,
    /// The body was not received whole.
    Interrupted { reason: String },
    /// The rest of the object cannot be requested, so it is begun again.
    NotContinued { reason: String },
    /// Trying again is useless.
    Final(FetchErrorKind),
}

/// The bytes of an object that are fetched.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// A part of the object; `None` for all of it. A part ends with the object.
    pub(super) range: Option<Range<u64>>,
    /// More bytes are refused.
    pub(super) max_bytes: u64,
}

impl Wanted {
    /// Returns the number of bytes that are wanted of an object of this size.
    fn length(&self, size: u64) -> u64 {
        match &self.range {
            None => size,
            Some(range) => range.end.min(size).saturating_sub(range.start),
        }
    }

    /// Returns the range to request after `count` bytes were received.
    fn rest(&self, count: Option<u64>) -> Option<GetRange> {
        match (&self.range, count) {
            (None, None) => None,
            (None, Some(count)) => Some(GetRange::Offset(count)),
            (Some(range), count) => {
                let first = range.start.saturating_add(count.unwrap_or(0));
                Some(GetRange::Bounded(first..range.end))
            }
        }
    }
}

/// The bytes of an object that were received.
struct Received {
    bytes: Bytes,
    count: u64,
    /// The number of bytes that are wanted, according to the server.
    length: u64,
    /// The identity of the object. A request for its rest names its entity tag.
    identity: ObjectIdentity,
}

enum Bytes {
    Memory(Vec<u8>),
    File(File),
}

/// The time at which an object fails. Each new byte moves it into the future by the time that the
/// byte takes at the lowest rate, up to the patience. Without new bytes, an object fails after the
/// patience; at a rate below the lowest, it fails later, but it does fail.
struct Deadline {
    at: Instant,
    patience: Duration,
    /// The most bytes so far. Bytes that are received again are no progress.
    furthest: u64,
}

impl Deadline {
    fn new(patience: Duration, now: Instant) -> Self {
        Self {
            at: now + patience,
            patience,
            furthest: 0,
        }
    }

    /// Notes that this many bytes were received.
    fn note(&mut self, count: u64, now: Instant) {
        let new = count.saturating_sub(self.furthest);
        self.furthest += new;
        let time = Duration::from_secs_f64(new as f64 / MIN_BYTES_PER_SECOND);
        self.at = (self.at + time).min(now + self.patience);
    }
}

/// Fetches an object. Each attempt continues the one before it, if the server can guarantee that
/// the object is the same.
pub(super) async fn fetch(
    network: &Network,
    url: &RemoteUrl,
    wanted: &Wanted,
) -> Result<FetchedFile, FetchError> {
    let fail = |kind| FetchError {
        url: url.clone(),
        kind,
    };
    let stored = network.stores.of(url);
    let stored = stored.map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    let server = network.server(url);
    let mut received = None;
    let (mut interruptions, mut tries, mut denials) = (0_u32, 0_u32, 0_u32);
    let mut deadline = Deadline::new(network.patience, Instant::now());
    let mut last_reason: Option<String> = None;
    loop {
        let furthest = deadline.furthest;
        let done = attempt(network, &stored, &mut received, wanted, &mut deadline).await;
        let failure = match done {
            Ok(()) => match received {
                Some(received) => {
                    server.note_answered_object(url);
                    return finish(received).map_err(|error| fail(temp_file(network, error)));
                }
                None => unreachable!("an attempt that succeeds has received the object"),
            },
            Err(failure) => failure,
        };
        if deadline.furthest > furthest {
            interruptions = 0;
        }
        let reason = match failure {
            Failure::Final(kind) => return Err(fail(kind)),
            Failure::Refused { reason } => reason,
            Failure::TimedOut => last_reason.unwrap_or_else(|| "no answer".to_owned()),
            Failure::Denied {
                reason,
                sent,
                server: answering,
            } => {
                if !answering.has_answered() {
                    return Err(fail(FetchErrorKind::Denied { reason }));
                }
                let alone = is_denied_alone(network, &server, &answering, sent);
                // A probe that waits for too long gives no answer.
                if let Ok(true) = tokio::time::timeout_at(deadline.at.into(), alone).await {
                    denials += 1;
                }
                // The server may have stopped refusing before the other object was requested.
                if denials >= 2 {
                    return Err(fail(FetchErrorKind::Missing { reason }));
                }
                reason
            }
            Failure::NotContinued { reason } => {
                received = None;
                wait_after(&mut interruptions).await;
                reason
            }
            Failure::Interrupted { reason } => {
                received = received.filter(|received| received.identity.etag.is_some());
                wait_after(&mut interruptions).await;
                reason
            }
        };
        last_reason = Some(reason.clone());
        tries += 1;
        let is_never_reached = tries >= FIRST_TRIES && !server.has_answered();
        if is_never_reached || Instant::now() >= deadline.at {
            return Err(fail(match server.has_answered() {
                true => FetchErrorKind::OutOfPatience { reason },
                false => FetchErrorKind::NoAnswer { reason },
            }));
        }
    }
}

/// Waits, longer after each interruption without progress.
async fn wait_after(interruptions: &mut u32) {
    let wait = FIRST_WAIT * 2_u32.saturating_pow((*interruptions).min(16));
    *interruptions += 1;
    tokio::time::sleep(wait.min(MAX_WAIT)).await;
}

/// Requests an object, or the rest of it, and receives it to its end.
async fn attempt(
    network: &Network,
    (store, path): &StoredObject,
    received: &mut Option<Received>,
    wanted: &Wanted,
    deadline: &mut Deadline,
) -> Result<(), Failure> {
    let mut options = GetOptions {
        range: wanted.rest(received.as_ref().map(|received| received.count)),
        ..GetOptions::default()
    };
    if let Some(received) = received {
        options.if_match.clone_from(&received.identity.etag);
    }
    let is_rest = received.is_some();
    let response = store.get_opts(path, options);
    let response = tokio::time::timeout_at(deadline.at.into(), response).await;
    let response = response.map_err(|_| Failure::TimedOut)?;
    let response = response.map_err(|error| failure_of(&error, is_rest))?;
    let length = wanted.length(response.meta.size);
    if length > wanted.max_bytes {
        return Err(Failure::Final(FetchErrorKind::Refused {
            reason: format!("it has {length} bytes, more than {}", wanted.max_bytes),
        }));
    }
    match received {
        Some(received)
            if received.length != length || received.identity.etag != response.meta.e_tag =>
        {
            return Err(Failure::NotContinued {
                reason: "it changed while it was received".to_owned(),
            });
        }
        Some(_) => {}
        None => {
            *received = Some(Received {
                bytes: Bytes::of(length, network)
                    .map_err(|error| Failure::Final(temp_file(network, error)))?,
                count: 0,
                length,
                identity: identity_of(&response.meta),
            });
        }
    }
    match received {
        Some(received) => receive(network, response, received, deadline).await,
        None => unreachable!("it was just set"),
    }
}

/// Receives a body until its end, the deadline, or a time without a byte.
async fn receive(
    network: &Network,
    response: GetResult,
    received: &mut Received,
    deadline: &mut Deadline,
) -> Result<(), Failure> {
    let mut body = response.into_stream();
    let interrupted = |reason: String| Err(Failure::Interrupted { reason });
    loop {
        let end = deadline.at.min(Instant::now() + network.stall);
        let Ok(next) = tokio::time::timeout_at(end.into(), body.next()).await else {
            if end == deadline.at {
                let (count, length) = (received.count, received.length);
                return interrupted(format!("only {count} of its {length} bytes came in time"));
            }
            let seconds = network.stall.as_secs_f64();
            return interrupted(format!("no byte came for {seconds} s"));
        };
        match next {
            None if received.count == received.length => return Ok(()),
            None => {
                let (count, length) = (received.count, received.length);
                return interrupted(format!("only {count} of its {length} bytes came"));
            }
            Some(Err(_)) => {
                let (count, length) = (received.count, received.length);
                return interrupted(format!("the connection ended at byte {count} of {length}"));
            }
            Some(Ok(chunk)) => {
                received.count += chunk.len() as u64;
                if received.count > received.length {
                    return Err(Failure::NotContinued {
                        reason: "it is longer than announced".to_owned(),
                    });
                }
                let written = match &mut received.bytes {
                    Bytes::Memory(bytes) => {
                        bytes.extend_from_slice(&chunk);
                        Ok(())
                    }
                    Bytes::File(file) => file.write_all(&chunk),
                };
                written.map_err(|error| Failure::Final(temp_file(network, error)))?;
                deadline.note(received.count, Instant::now());
            }
        }
    }
}

/// Returns what an error of a store means. `is_rest` is true if the rest of an object was requested.
pub(super) fn failure_of(error: &object_store::Error, is_rest: bool) -> Failure {
    match ServiceError::of(error) {
        Some(ServiceError::Status {
            status,
            reason,
            sent,
            server,
        }) => {
            let reason = reason.clone();
            match status {
                400 | 301 if is_refusal_of_all_objects(&reason) => {
                    Failure::Final(FetchErrorKind::Denied { reason })
                }
                401 | 403 => Failure::Denied {
                    reason,
                    sent: *sent,
                    server: Arc::clone(server),
                },
                404 | 410 => Failure::Final(FetchErrorKind::Missing { reason }),
                501 => Failure::Final(FetchErrorKind::Refused { reason }),
                412 | 416 if is_rest => Failure::NotContinued { reason },
                429 | 503 => Failure::Refused { reason },
                408 | 500.. => Failure::Interrupted { reason },
                _ => Failure::Final(FetchErrorKind::Refused { reason }),
            }
        }
        Some(error @ ServiceError::Credentials { .. }) => Failure::Final(FetchErrorKind::Denied {
            reason: error.to_string(),
        }),
        Some(ServiceError::Redirect { why }) => Failure::Final(FetchErrorKind::Refused {
            reason: why.clone(),
        }),
        Some(ServiceError::Interrupted { why }) => Failure::Interrupted {
            reason: why.clone(),
        },
        Some(error @ (ServiceError::UnknownLength | ServiceError::LongAnswer)) => {
            Failure::Final(FetchErrorKind::Refused {
                reason: error.to_string(),
            })
        }
        Some(ServiceError::NoResponse { why }) => Failure::Refused {
            reason: why.clone(),
        },
        // The response is not the range that was requested.
        None if is_rest => Failure::NotContinued {
            reason: "the server sent another range than requested".to_owned(),
        },
        None => Failure::Final(FetchErrorKind::Refused {
            reason: super::service::innermost(error),
        }),
    }
}

/// Returns true if the code of an error of S3 concerns all objects: credentials that are not valid,
/// or the wrong region.
fn is_refusal_of_all_objects(reason: &str) -> bool {
    let codes = [
        "AuthorizationHeaderMalformed",
        "ExpiredToken",
        "InvalidToken",
        "PermanentRedirect",
    ];
    codes.iter().any(|code| reason.ends_with(code))
}

/// Returns true if an object that was answered before is still answered, after a request that was
/// sent at `sent` was answered with 401 or 403 by `answering`. If it is refused too, all requests
/// to that server are paused.
async fn is_denied_alone(
    network: &Network,
    server: &Server,
    answering: &Server,
    sent: Instant,
) -> bool {
    let Some(answered) = server.answered_object() else {
        return true;
    };
    let _guard = server.probe.lock().await;
    if answering.is_refused_since(sent) {
        return false;
    }
    let Ok((store, path)) = network.stores.of(&answered) else {
        return true;
    };
    let options = GetOptions {
        range: Some(GetRange::Bounded(0..1)),
        ..GetOptions::default()
    };
    let Err(error) = store.get_opts(&path, options).await else {
        return true;
    };
    match ServiceError::of(&error) {
        Some(ServiceError::Status {
            status: 401 | 403,
            reason,
            sent,
            server,
        }) => {
            let reason = format!("answered {reason}");
            server.refuse(Refusal::TooFast, *sent, None, &reason);
            false
        }
        // The requests are paused already.
        Some(ServiceError::Status {
            status: 429 | 503, ..
        })
        | Some(ServiceError::NoResponse { .. } | ServiceError::Interrupted { .. }) => false,
        // The object has been removed, or the whole of it was sent instead of its first byte.
        _ => true,
    }
}

impl Bytes {
    /// Returns an empty buffer for this many bytes, in memory or in an unlinked file.
    fn of(length: u64, network: &Network) -> std::io::Result<Self> {
        if length <= MAX_OBJECT_IN_MEMORY_BYTES {
            return Ok(Self::Memory(Vec::with_capacity(length as usize)));
        }
        tempfile::tempfile_in(&network.temp_folder).map(Self::File)
    }
}

fn finish(received: Received) -> std::io::Result<FetchedFile> {
    let file = match received.bytes {
        Bytes::Memory(bytes) => ArchiveFile::from_bytes(bytes),
        Bytes::File(file) => ArchiveFile::from_file(file)?,
    };
    let identity = received.identity;
    Ok(FetchedFile { file, identity })
}

fn identity_of(meta: &ObjectMeta) -> ObjectIdentity {
    let etag = meta.e_tag.clone();
    let modified = meta.last_modified;
    ObjectIdentity {
        bytes: meta.size,
        // A weak tag does not guarantee equal bytes (RFC 9110, section 8.8.1).
        etag: etag.filter(|etag| !etag.starts_with("W/")),
        // The store gives the year 1970 to an object without a time.
        modified: (modified.timestamp() != 0)
            .then(|| modified.format("%Y-%m-%dT%H:%M:%SZ").to_string()),
    }
}

/// Returns the identity of an object; `None` if the server does not state it.
pub(super) async fn identity(network: &Network, url: &RemoteUrl) -> Option<ObjectIdentity> {
    let (store, path) = network.stores.of(url).ok()?;
    // A presigned URL is valid for one method only, which is `GET`.
    let options = GetOptions {
        range: Some(GetRange::Bounded(0..1)),
        ..GetOptions::default()
    };
    let response = store.get_opts(&path, options);
    let response = tokio::time::timeout(network.stall, response).await.ok()?;
    Some(identity_of(&response.ok()?.meta))
}

fn temp_file(network: &Network, error: std::io::Error) -> FetchErrorKind {
    let folder: &Path = &network.temp_folder;
    FetchErrorKind::TempFile {
        folder: folder.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Receives this many bytes every second until the object fails, and returns the seconds until
    /// then.
    fn seconds_until_failure(bytes_per_second: u64) -> Option<u64> {
        let start = Instant::now();
        let mut deadline = Deadline::new(Duration::from_secs(3600), start);
        let fails = |second: &u64| {
            let now = start + Duration::from_secs(*second);
            if now >= deadline.at {
                return true;
            }
            deadline.note(second * bytes_per_second, now);
            false
        };
        (1..100_000).find(fails)
    }

    #[test]
    fn an_object_below_the_lowest_rate_fails() {
        assert_eq!(seconds_until_failure(0), Some(3600));
        assert_eq!(seconds_until_failure(1), Some(3604));
        assert_eq!(seconds_until_failure(512), Some(7199));
        assert_eq!(seconds_until_failure(1024), None);
    }

    #[test]
    fn bytes_that_are_received_again_are_no_progress() {
        let start = Instant::now();
        let patience = Duration::from_secs(10);
        let mut deadline = Deadline::new(patience, start);
        let now = start + Duration::from_secs(8);
        deadline.note(1 << 20, now);
        assert_eq!(deadline.at, now + patience);
        deadline.note(0, now + Duration::from_secs(5));
        deadline.note(1 << 20, now + Duration::from_secs(9));
        assert_eq!(deadline.at, now + patience);
    }
}
