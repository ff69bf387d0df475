//! Fetches an object, or a range of it. An interrupted body is continued, and a refused request is
//! repeated, until no new byte has arrived for too long.

use super::network::Network;
use super::pace::Refusal;
use super::retry::{StatusMeaning, doubled_wait};
use super::server::Server;
use super::service::ServiceError;
use super::store::StoreAndPath;
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
use warc::{ArchiveFile, ArchiveRange};

/// The lowest rate at which an object may arrive. A slower one fails in the end; see [`Deadline`].
const MIN_BYTES_PER_SECOND: f64 = 1024.0;

/// The number of requests to a server without any answer, after which fetching fails.
const TRIES_WITHOUT_ANSWER: u32 = 4;

/// The bytes at the start of a zstd archive that state the length of its dictionary.
const DICTIONARY_HEADER_BYTES: u64 = 8;

/// The reason why one attempt to fetch an object failed.
enum AttemptFailure {
    /// The server refused the request, or could not be reached. The pace of the server delays the
    /// next request.
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
    /// The rest of the object cannot be requested, so all of it is requested again.
    NotContinued { reason: String },
    /// Trying again is useless.
    Final(FetchErrorKind),
}

/// The bytes of an object that are fetched.
#[derive(Clone, Debug)]
pub(super) struct WantedBytes {
    /// The byte range; `None` for the whole object. It may extend beyond the end of the object.
    pub(super) range: Option<Range<u64>>,
    /// The most bytes that are fetched. If more are wanted, fetching fails.
    pub(super) max_bytes: u64,
}

impl WantedBytes {
    /// Returns the number of bytes to fetch from an object of this size.
    fn wanted_bytes(&self, size: u64) -> u64 {
        match &self.range {
            None => size,
            Some(range) => range.end.min(size).saturating_sub(range.start),
        }
    }

    /// Returns the range to request if `received_bytes` have been received. `None` requests all.
    fn remaining_range(&self, received_bytes: Option<u64>) -> Option<GetRange> {
        match (&self.range, received_bytes) {
            (None, None) => None,
            (None, Some(received_bytes)) => Some(GetRange::Offset(received_bytes)),
            (Some(range), received_bytes) => {
                let first = range.start.saturating_add(received_bytes.unwrap_or(0));
                Some(GetRange::Bounded(first..range.end))
            }
        }
    }
}

/// The bytes of an object that were received so far.
struct ReceivedObject {
    bytes: ObjectBuffer,
    received_bytes: u64,
    /// The number of bytes to receive in all, according to the size that the server states.
    wanted_bytes: u64,
    /// The identity of the object. A request for the rest requires the same entity tag.
    identity: ObjectIdentity,
}

enum ObjectBuffer {
    Memory(Vec<u8>),
    File(File),
}

/// The time at which fetching an object fails. Each new byte extends it by the time that a byte takes
/// at [`MIN_BYTES_PER_SECOND`], to at most the patience from now. So an object without new bytes fails
/// after the patience, and one that arrives too slowly fails later.
struct Deadline {
    expires_at: Instant,
    patience: Duration,
    /// The most bytes that an attempt has received. Bytes that are received again do not extend the
    /// deadline.
    most_received_bytes: u64,
}

impl Deadline {
    fn new(patience: Duration, now: Instant) -> Self {
        Self {
            expires_at: now + patience,
            patience,
            most_received_bytes: 0,
        }
    }

    /// Extends the deadline, as the current attempt has received `count` bytes.
    fn note_received(&mut self, count: u64, now: Instant) {
        let new_bytes = count.saturating_sub(self.most_received_bytes);
        self.most_received_bytes += new_bytes;
        let extension = Duration::from_secs_f64(new_bytes as f64 / MIN_BYTES_PER_SECOND);
        self.expires_at = (self.expires_at + extension).min(now + self.patience);
    }
}

/// Fetches an object. Each attempt requests only the bytes that are missing, if the server can
/// guarantee that the object has not changed.
pub(super) async fn fetch(
    network: &Network,
    url: &RemoteUrl,
    wanted: &WantedBytes,
) -> Result<FetchedFile, FetchError> {
    let fail = |kind| FetchError {
        url: url.clone(),
        kind,
    };
    let stored = network.stores.store_for(url);
    let stored = stored.map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    let server = network.server(url);
    let mut received = None;
    let (mut interruptions, mut tries, mut denials) = (0_u32, 0_u32, 0_u32);
    let mut deadline = Deadline::new(network.patience, Instant::now());
    let mut last_reason: Option<String> = None;
    loop {
        let bytes_before = deadline.most_received_bytes;
        let result = attempt_fetch(network, &stored, &mut received, wanted, &mut deadline).await;
        let failure = match result {
            Ok(()) => match received {
                Some(received) => {
                    server.note_fetched_url(url);
                    return into_fetched_file(received)
                        .map_err(|error| fail(temp_file_error(network, error)));
                }
                None => unreachable!("an attempt that succeeds has received the object"),
            },
            Err(failure) => failure,
        };
        if deadline.most_received_bytes > bytes_before {
            interruptions = 0;
        }
        let reason = match failure {
            AttemptFailure::Final(kind) => return Err(fail(kind)),
            AttemptFailure::Refused { reason } => reason,
            AttemptFailure::TimedOut => last_reason.unwrap_or_else(|| "no answer".to_owned()),
            AttemptFailure::Denied {
                reason,
                sent,
                server: answering,
            } => {
                if !answering.has_answered() {
                    return Err(fail(FetchErrorKind::Denied { reason }));
                }
                let object_check = is_only_object_denied(network, &server, &answering, sent);
                // A check that does not end in time is not counted.
                if let Ok(true) =
                    tokio::time::timeout_at(deadline.expires_at.into(), object_check).await
                {
                    denials += 1;
                }
                // One denial is not enough: between it and the check, the server may have stopped denying
                // all objects.
                if denials >= 2 {
                    return Err(fail(FetchErrorKind::Missing { reason }));
                }
                reason
            }
            AttemptFailure::NotContinued { reason } => {
                received = None;
                wait_after_interruption(&mut interruptions).await;
                reason
            }
            AttemptFailure::Interrupted { reason } => {
                received = received.filter(|received| received.identity.etag.is_some());
                wait_after_interruption(&mut interruptions).await;
                reason
            }
        };
        last_reason = Some(reason.clone());
        tries += 1;
        let is_never_reached = tries >= TRIES_WITHOUT_ANSWER && !server.has_answered();
        if is_never_reached || Instant::now() >= deadline.expires_at {
            return Err(fail(if server.has_answered() {
                FetchErrorKind::OutOfPatience { reason }
            } else {
                FetchErrorKind::NoAnswer { reason }
            }));
        }
    }
}

/// Fetches byte ranges of an object, one after the other. Of a zstd archive with a dictionary, the dictionary is
/// also fetched.
pub(super) async fn fetch_ranges(
    network: &Network,
    url: &RemoteUrl,
    mut wanted: Vec<Range<u64>>,
    max_bytes: u64,
) -> Result<FetchedFile, FetchError> {
    let (mut ranges, mut identity): (Vec<ArchiveRange>, Option<ObjectIdentity>) =
        (Vec::new(), None);
    let may_have_dictionary = url.display_path().to_string_lossy().ends_with(".zst");
    if may_have_dictionary {
        wanted.insert(0, 0..DICTIONARY_HEADER_BYTES);
    }
    let mut next = 0;
    while let Some(range) = wanted.get(next).cloned() {
        next += 1;
        let fetched = fetch_range(network, url, &range, max_bytes).await?;
        let Some(FetchedFile {
            file,
            identity: of_range,
        }) = fetched
        else {
            continue;
        };
        if identity
            .as_ref()
            .is_some_and(|first| first.is_different_from(&of_range))
        {
            let reason = "it changed while its records were fetched".to_owned();
            let kind = FetchErrorKind::Refused { reason };
            return Err(FetchError {
                url: url.clone(),
                kind,
            });
        }
        identity = Some(of_range);
        if may_have_dictionary && next == 1 {
            let mut header = [0; DICTIONARY_HEADER_BYTES as usize];
            let count = file.read_at(0, &mut header).unwrap_or(0);
            let length = warc::dictionary_frame_bytes(&header[..count]);
            if let Some(length) = length.filter(|length| *length > DICTIONARY_HEADER_BYTES) {
                wanted.insert(next, 0..length);
            }
        }
        ranges.push(ArchiveRange {
            offset: range.start,
            bytes: file,
        });
    }
    if identity.is_none() {
        // All ranges begin beyond the end of the object, so no response had its identity.
        identity = fetch_identity(network, url).await;
    }
    Ok(FetchedFile {
        file: ArchiveFile::from_ranges(ranges),
        // Without an identity, the object is taken as empty: its first byte cannot be requested.
        identity: identity.unwrap_or(ObjectIdentity {
            bytes: 0,
            etag: None,
            modified: None,
        }),
    })
}

/// Fetches a byte range of an object; `None` if it begins beyond the end of the object.
async fn fetch_range(
    network: &Network,
    url: &RemoteUrl,
    range: &Range<u64>,
    max_bytes: u64,
) -> Result<Option<FetchedFile>, FetchError> {
    let wanted = WantedBytes {
        range: Some(range.clone()),
        max_bytes,
    };
    match fetch(network, url, &wanted).await {
        Err(FetchError {
            kind: FetchErrorKind::BeyondEnd { .. },
            ..
        }) => Ok(None),
        fetched => fetched.map(Some),
    }
}

/// Waits after an interruption, longer if earlier ones followed each other without new bytes.
async fn wait_after_interruption(interruptions: &mut u32) {
    let wait = doubled_wait(*interruptions);
    *interruptions += 1;
    tokio::time::sleep(wait).await;
}

/// Sends one request for an object, or for the rest of one, and receives the body into `received`.
async fn attempt_fetch(
    network: &Network,
    (store, path): &StoreAndPath,
    received: &mut Option<ReceivedObject>,
    wanted: &WantedBytes,
    deadline: &mut Deadline,
) -> Result<(), AttemptFailure> {
    let mut options = GetOptions {
        range: wanted.remaining_range(received.as_ref().map(|received| received.received_bytes)),
        ..GetOptions::default()
    };
    if let Some(received) = received {
        options.if_match.clone_from(&received.identity.etag);
    }
    let is_rest = received.is_some();
    let response = store.get_opts(path, options);
    let response = tokio::time::timeout_at(deadline.expires_at.into(), response).await;
    let response = response.map_err(|_| AttemptFailure::TimedOut)?;
    let response = response.map_err(|error| classify_error(&error, is_rest))?;
    let wanted_bytes = wanted.wanted_bytes(response.meta.size);
    if wanted_bytes > wanted.max_bytes {
        return Err(AttemptFailure::Final(FetchErrorKind::Refused {
            reason: format!(
                "it has {wanted_bytes} bytes, more than {}",
                wanted.max_bytes
            ),
        }));
    }
    match received {
        Some(received)
            if received.wanted_bytes != wanted_bytes
                || received.identity.etag != response.meta.e_tag =>
        {
            return Err(AttemptFailure::NotContinued {
                reason: "it changed while it was received".to_owned(),
            });
        }
        Some(_) => {}
        None => {
            *received = Some(ReceivedObject {
                bytes: ObjectBuffer::allocate(wanted_bytes, network)
                    .map_err(|error| AttemptFailure::Final(temp_file_error(network, error)))?,
                received_bytes: 0,
                wanted_bytes,
                identity: identity_from_meta(&response.meta),
            });
        }
    }
    match received {
        Some(received) => receive(network, response, received, deadline).await,
        None => unreachable!("it was just set"),
    }
}

/// Receives a body until its end. Fails at the deadline, or if no byte arrives for too long.
async fn receive(
    network: &Network,
    response: GetResult,
    received: &mut ReceivedObject,
    deadline: &mut Deadline,
) -> Result<(), AttemptFailure> {
    let mut body = response.into_stream();
    let interruption = |reason: String| Err(AttemptFailure::Interrupted { reason });
    loop {
        let end = deadline
            .expires_at
            .min(Instant::now() + network.stall_timeout);
        let Ok(next) = tokio::time::timeout_at(end.into(), body.next()).await else {
            if end == deadline.expires_at {
                let (count, length) = (received.received_bytes, received.wanted_bytes);
                return interruption(format!("only {count} of its {length} bytes came in time"));
            }
            let seconds = network.stall_timeout.as_secs_f64();
            return interruption(format!("no byte came for {seconds} s"));
        };
        match next {
            None if received.received_bytes == received.wanted_bytes => return Ok(()),
            None => {
                let (count, length) = (received.received_bytes, received.wanted_bytes);
                return interruption(format!("only {count} of its {length} bytes came"));
            }
            Some(Err(_)) => {
                let (count, length) = (received.received_bytes, received.wanted_bytes);
                return interruption(format!("the connection ended at byte {count} of {length}"));
            }
            Some(Ok(chunk)) => {
                received.received_bytes += chunk.len() as u64;
                if received.received_bytes > received.wanted_bytes {
                    return Err(AttemptFailure::NotContinued {
                        reason: "it is longer than announced".to_owned(),
                    });
                }
                let written = match &mut received.bytes {
                    ObjectBuffer::Memory(bytes) => {
                        bytes.extend_from_slice(&chunk);
                        Ok(())
                    }
                    ObjectBuffer::File(file) => file.write_all(&chunk),
                };
                written.map_err(|error| AttemptFailure::Final(temp_file_error(network, error)))?;
                deadline.note_received(received.received_bytes, Instant::now());
            }
        }
    }
}

/// Converts an error of a store to a failure of the attempt. `is_rest` is true if the rest of an
/// object was requested.
fn classify_error(error: &object_store::Error, is_rest: bool) -> AttemptFailure {
    match ServiceError::find_in_causes(error) {
        Some(ServiceError::Status {
            status,
            reason,
            sent,
            server,
        }) => {
            let reason = reason.clone();
            match (StatusMeaning::of(*status), status) {
                (_, 400 | 301) if is_refusal_of_all_objects(&reason) => {
                    AttemptFailure::Final(FetchErrorKind::Denied { reason })
                }
                (StatusMeaning::Denied, _) => AttemptFailure::Denied {
                    reason,
                    sent: *sent,
                    server: Arc::clone(server),
                },
                (StatusMeaning::Missing, _) => {
                    AttemptFailure::Final(FetchErrorKind::Missing { reason })
                }
                (StatusMeaning::OtherBytes, _) if is_rest => {
                    AttemptFailure::NotContinued { reason }
                }
                (StatusMeaning::OtherBytes, 416) => {
                    AttemptFailure::Final(FetchErrorKind::BeyondEnd { reason })
                }
                (StatusMeaning::TooFast, _) => AttemptFailure::Refused { reason },
                (StatusMeaning::Failed, _) => AttemptFailure::Interrupted { reason },
                (StatusMeaning::OtherBytes | StatusMeaning::Refused, _) => {
                    AttemptFailure::Final(FetchErrorKind::Refused { reason })
                }
            }
        }
        Some(error @ ServiceError::Credentials { .. }) => {
            AttemptFailure::Final(FetchErrorKind::Denied {
                reason: error.to_string(),
            })
        }
        Some(ServiceError::Redirect { why }) => AttemptFailure::Final(FetchErrorKind::Refused {
            reason: why.clone(),
        }),
        Some(ServiceError::Interrupted { why }) => AttemptFailure::Interrupted {
            reason: why.clone(),
        },
        Some(error @ ServiceError::UnknownLength) => {
            AttemptFailure::Final(FetchErrorKind::Refused {
                reason: error.to_string(),
            })
        }
        Some(ServiceError::NoResponse { why }) => AttemptFailure::Refused {
            reason: why.clone(),
        },
        // The response is not the range that was requested.
        None if is_rest => AttemptFailure::NotContinued {
            reason: "the server sent another range than requested".to_owned(),
        },
        None => AttemptFailure::Final(FetchErrorKind::Refused {
            reason: super::service::innermost_message(error),
        }),
    }
}

/// Returns true if an error of S3 concerns all objects: the credentials are invalid, or the region
/// is wrong. `reason` ends with the error code.
fn is_refusal_of_all_objects(reason: &str) -> bool {
    let codes = [
        "AuthorizationHeaderMalformed",
        "ExpiredToken",
        "InvalidToken",
        "PermanentRedirect",
    ];
    codes.iter().any(|code| reason.ends_with(code))
}

/// Returns true if the server denies only the object of a request, and not all objects. The request
/// was sent at `sent` to `server`, and `answering`, the server after redirects, denied it. The object
/// that was fetched last from `server` is requested again. If it is denied, too, all requests to the
/// server that denies it are paused.
async fn is_only_object_denied(
    network: &Network,
    server: &Server,
    answering: &Server,
    sent: Instant,
) -> bool {
    let Some(answered) = server.last_fetched_url() else {
        return true;
    };
    let _guard = server.probe_lock.lock().await;
    if answering.has_refused_since(sent) {
        return false;
    }
    let Ok((store, path)) = network.stores.store_for(&answered) else {
        return true;
    };
    let options = GetOptions {
        range: Some(GetRange::Bounded(0..1)),
        ..GetOptions::default()
    };
    let Err(error) = store.get_opts(&path, options).await else {
        return true;
    };
    match ServiceError::find_in_causes(&error) {
        Some(ServiceError::Status {
            status: 401 | 403,
            reason,
            sent,
            server,
        }) => {
            let reason = format!("answered {reason}");
            server.note_refusal(Refusal::TooFast, *sent, None, &reason);
            false
        }
        // The server does not answer any request now, so this does not concern one object.
        Some(ServiceError::Status {
            status: 429 | 503, ..
        })
        | Some(ServiceError::NoResponse { .. } | ServiceError::Interrupted { .. }) => false,
        // The object was removed, or the server sent all of it instead of the requested byte.
        _ => true,
    }
}

impl ObjectBuffer {
    /// Allocates an empty buffer, in memory or in an unlinked file.
    fn allocate(byte_count: u64, network: &Network) -> std::io::Result<Self> {
        if byte_count <= MAX_OBJECT_IN_MEMORY_BYTES {
            return Ok(Self::Memory(Vec::with_capacity(byte_count as usize)));
        }
        tempfile::tempfile_in(&network.temp_folder).map(Self::File)
    }
}

fn into_fetched_file(received: ReceivedObject) -> std::io::Result<FetchedFile> {
    let file = match received.bytes {
        ObjectBuffer::Memory(bytes) => ArchiveFile::from_bytes(bytes),
        ObjectBuffer::File(file) => ArchiveFile::from_file(file)?,
    };
    let identity = received.identity;
    Ok(FetchedFile { file, identity })
}

fn identity_from_meta(meta: &ObjectMeta) -> ObjectIdentity {
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

/// Requests the identity of an object. Returns `None` if the request fails.
pub(super) async fn fetch_identity(network: &Network, url: &RemoteUrl) -> Option<ObjectIdentity> {
    let (store, path) = network.stores.store_for(url).ok()?;
    // A presigned URL is valid for one method only, which is `GET`.
    let options = GetOptions {
        range: Some(GetRange::Bounded(0..1)),
        ..GetOptions::default()
    };
    let response = store.get_opts(&path, options);
    let response = tokio::time::timeout(network.stall_timeout, response)
        .await
        .ok()?;
    Some(identity_from_meta(&response.ok()?.meta))
}

fn temp_file_error(network: &Network, error: std::io::Error) -> FetchErrorKind {
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
            if now >= deadline.expires_at {
                return true;
            }
            deadline.note_received(second * bytes_per_second, now);
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
        deadline.note_received(1 << 20, now);
        assert_eq!(deadline.expires_at, now + patience);
        deadline.note_received(0, now + Duration::from_secs(5));
        deadline.note_received(1 << 20, now + Duration::from_secs(9));
        assert_eq!(deadline.expires_at, now + patience);
    }
}
