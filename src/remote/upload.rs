//! Lists and writes objects of S3.
//!
//! The metadata of every object has the digest of its bytes, by which a later copy recognizes a
//! complete object. The digest is sent with the bytes, or with the first part. An object of several
//! parts becomes visible only after the bytes of all parts have been compared with the digest.

use super::fetch::{AttemptFailure, classify_error};
use super::network::Network;
use super::service::{ServiceError, innermost_message};
use super::{
    FetchError, FetchErrorKind, MAX_OBJECT_IN_MEMORY_BYTES, RemoteUrl, SizeAndDigest, Upload,
    UploadSource,
};
use crate::error::RemoteErrorKind;
use disk::error::Error;
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3;
use object_store::multipart::MultipartStore;
use object_store::path;
use object_store::{
    Attribute, Attributes, GetOptions, ObjectStore, PutMode, PutMultipartOptions, PutOptions,
    PutPayload,
};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use warc::ArchiveFile;
use xxhash_rust::xxh3::Xxh3;

/// The key of the digest in the metadata of an object: `x-amz-meta-robots-scan-xxh3`.
const DIGEST_KEY: &str = "robots-scan-xxh3";

/// The size of a part of an object above [`MAX_OBJECT_IN_MEMORY_BYTES`]. S3 requires 5 MiB or more.
const PART_BYTES: u64 = 16 << 20;

/// The most parts of an object that S3 accepts.
const MAX_PARTS: u64 = 10_000;

/// The first wait after a request that was refused or interrupted. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait after a request that was refused or interrupted.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// The number of requests to a bucket without any answer, after which the copy fails.
const TRIES_WITHOUT_ANSWER: u32 = 4;

/// The number of answers that cannot come from S3 itself, for one request, after which the copy fails.
const MAX_STRANGE_ANSWERS: u32 = 4;

/// The interval at which a running request checks the [`StopConditions`].
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The time limit for removing the parts of an object that was not completed.
const ABORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the sizes in bytes of the objects below a prefix, by their paths relative to the prefix. The
/// listing ends after `max_entries` objects.
pub(super) async fn list_objects(
    network: &Network,
    prefix: &RemoteUrl,
    max_entries: usize,
    stop: &AtomicBool,
) -> Result<BTreeMap<String, u64>, FetchError> {
    let fail = fetch_error_for(prefix);
    let (store, path) = network
        .stores
        .bucket_and_key(prefix)
        .map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    let conditions = StopConditions::new(stop);
    let found = retry_request(network, prefix, &conditions, || async {
        let entries = store.list(Some(&path)).take(max_entries);
        entries.try_collect::<Vec<_>>().await
    });
    let found = found.await.map_err(&fail)?;
    let folder = format!("{path}/");
    let relative_paths = found.into_iter().filter_map(|object| {
        let path = object.location.as_ref().strip_prefix(&folder)?;
        Some((path.to_owned(), object.size))
    });
    Ok(relative_paths.collect())
}

/// Writes an object in one request, unless the URL already has one. Returns true if it was written.
pub(super) async fn create_object(
    network: &Network,
    upload: &Upload,
    stop: &AtomicBool,
) -> Result<bool, FetchError> {
    let fail = fetch_error_for(&upload.url);
    let (store, path) = network
        .stores
        .bucket_and_key(&upload.url)
        .map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    let bytes =
        OpenUploadSource::open(upload).and_then(|source| source.read_and_verify(&upload.content));
    let bytes = bytes.map_err(&fail)?;
    let conditions = StopConditions::new(stop);
    let options = PutOptions {
        mode: PutMode::Create,
        attributes: digest_metadata(&upload.content),
        ..PutOptions::default()
    };
    let put = || async {
        let result = store.put_opts(&path, bytes.clone(), options.clone()).await;
        match result {
            Ok(_) => Ok(true),
            Err(error) if response_status(&error) == Some(412) => Ok(false),
            Err(error) => Err(error),
        }
    };
    retry_request(network, &upload.url, &conditions, put)
        .await
        .map_err(fail)
}

/// Writes an object, and returns false. If [`Upload::may_exist`] is true and the object exists already,
/// it is not written, and the result is true. An object above [`MAX_OBJECT_IN_MEMORY_BYTES`] is written
/// in parts, and becomes visible when all parts are written. If this fails, the parts are removed.
async fn write_object(
    network: &Network,
    upload: &Upload,
    report_bytes: &(dyn Fn(u64) + Sync),
    conditions: &StopConditions<'_>,
) -> Result<bool, FetchError> {
    let Upload { url, content, .. } = upload;
    let fail = fetch_error_for(url);
    let (store, path) = network
        .stores
        .bucket_and_key(url)
        .map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    if upload.may_exist {
        let check_existing = || has_size_and_digest(&store, &path, content);
        let is_there = retry_request(network, url, conditions, check_existing).await;
        if is_there.map_err(&fail)? {
            report_bytes(content.bytes);
            return Ok(true);
        }
    }
    let source = OpenUploadSource::open(upload).map_err(&fail)?;
    if content.bytes <= MAX_OBJECT_IN_MEMORY_BYTES {
        let bytes = source.read_and_verify(content).map_err(&fail)?;
        let options = PutOptions {
            attributes: digest_metadata(content),
            ..PutOptions::default()
        };
        let put = || async {
            let result = store.put_opts(&path, bytes.clone(), options.clone()).await;
            result.map(|_| ())
        };
        retry_request(network, url, conditions, put)
            .await
            .map_err(&fail)?;
        report_bytes(content.bytes);
        return Ok(false);
    }
    let options = PutMultipartOptions {
        attributes: digest_metadata(content),
        ..PutMultipartOptions::default()
    };
    let create_multipart = || store.create_multipart_opts(&path, options.clone());
    let id = retry_request(network, url, conditions, create_multipart)
        .await
        .map_err(&fail)?;
    let write_parts = async {
        let part_bytes = PART_BYTES.max(content.bytes.div_ceil(MAX_PARTS));
        let (mut parts, mut hash) = (Vec::new(), Xxh3::new());
        let mut offset = 0;
        while offset < content.bytes {
            let count = part_bytes.min(content.bytes - offset);
            let bytes = source.read_range(offset, count)?;
            bytes.iter().for_each(|bytes| hash.update(bytes));
            let index = parts.len();
            let put = || async { store.put_part(&path, &id, index, bytes.clone()).await };
            parts.push(retry_request(network, url, conditions, put).await?);
            report_bytes(count);
            offset += count;
        }
        source.check_digest(&hash, content)?;
        let complete = || async {
            let done = store.complete_multipart(&path, &id, parts.clone()).await;
            let Err(error) = done else { return Ok(()) };
            // An earlier request may have completed the object although its answer was lost.
            match has_size_and_digest(&store, &path, content).await {
                Ok(true) => Ok(()),
                _ => Err(error),
            }
        };
        retry_request(network, url, conditions, complete).await
    };
    let written = write_parts.await;
    if written.is_err() {
        // If removing the parts fails, too, a lifecycle rule of the bucket has to remove them.
        let abort = store.abort_multipart(&path, &id);
        let _ = tokio::time::timeout(ABORT_TIMEOUT, abort).await;
    }
    written.map_err(fail).map(|()| false)
}

/// Returns the metadata of an object: its digest.
fn digest_metadata(content: &SizeAndDigest) -> Attributes {
    let digest = content.digest.clone();
    Attributes::from_iter([(Attribute::Metadata(DIGEST_KEY.into()), digest)])
}

/// Returns true if an object exists, and has this size, and this digest in its metadata.
async fn has_size_and_digest(
    store: &AmazonS3,
    path: &path::Path,
    content: &SizeAndDigest,
) -> object_store::Result<bool> {
    let options = GetOptions {
        head: true,
        ..GetOptions::default()
    };
    let found = match store.get_opts(path, options).await {
        Err(error) if response_status(&error) == Some(404) => return Ok(false),
        found => found?,
    };
    let key = Attribute::Metadata(DIGEST_KEY.into());
    let digest = found.attributes.get(&key).map(AsRef::as_ref);
    Ok(found.meta.size == content.bytes && digest == Some(&content.digest))
}

/// Returns the HTTP status that caused an error of a store; `None` for other causes.
fn response_status(error: &object_store::Error) -> Option<u16> {
    match ServiceError::find_in_causes(error) {
        Some(ServiceError::Status { status, .. }) => Some(*status),
        _ => None,
    }
}

struct OpenUploadSource<'u> {
    file: ArchiveFile,
    /// The path for messages.
    path: &'u Path,
}

impl<'u> OpenUploadSource<'u> {
    fn open(upload: &'u Upload) -> Result<Self, FetchErrorKind> {
        match &upload.source {
            UploadSource::Memory(bytes) => Ok(Self {
                file: ArchiveFile::from_bytes(bytes.to_vec()),
                path: upload.url.display_path(),
            }),
            UploadSource::File(path) => Ok(Self {
                file: ArchiveFile::open(path).map_err(|error| read_error(path, error))?,
                path,
            }),
        }
    }

    /// Reads `count` bytes at `offset`. Returns an error if the source ends before their end.
    fn read_range(&self, offset: u64, count: u64) -> Result<PutPayload, FetchErrorKind> {
        let mut bytes = vec![0; count as usize];
        let mut read = 0;
        while read < bytes.len() {
            let piece = self.file.read_at(offset + read as u64, &mut bytes[read..]);
            match piece.map_err(|error| read_error(self.path, error))? {
                0 => {
                    let error = io::ErrorKind::UnexpectedEof.into();
                    return Err(read_error(self.path, error));
                }
                more => read += more,
            }
        }
        Ok(bytes.into())
    }

    /// Reads all bytes, and checks their digest.
    fn read_and_verify(&self, content: &SizeAndDigest) -> Result<PutPayload, FetchErrorKind> {
        let bytes = self.read_range(0, content.bytes)?;
        let mut hash = Xxh3::new();
        bytes.iter().for_each(|bytes| hash.update(bytes));
        self.check_digest(&hash, content)?;
        Ok(bytes)
    }

    /// Returns an error unless the hash of the bytes is the expected digest.
    fn check_digest(&self, hash: &Xxh3, content: &SizeAndDigest) -> Result<(), FetchErrorKind> {
        let digest = format!("{:016x}", hash.digest());
        if digest == content.digest {
            return Ok(());
        }
        let written = content.digest.clone();
        let kind = RemoteErrorKind::FileChanged { digest, written };
        Err(FetchErrorKind::Invalid(Error::new(kind, self.path)))
    }
}

fn fetch_error_for(url: &RemoteUrl) -> impl Fn(FetchErrorKind) -> FetchError + use<> {
    let url = url.clone();
    move |kind| FetchError {
        url: url.clone(),
        kind,
    }
}

fn read_error(path: &Path, error: io::Error) -> FetchErrorKind {
    FetchErrorKind::Invalid(Error::read(path, error))
}

/// Returns the error for a listed key that cannot be a file of a dataset, such as `a//b`.
fn other_object_error(error: &path::Error, prefix: &RemoteUrl) -> FetchErrorKind {
    let path = match error {
        path::Error::EmptySegment { path } | path::Error::BadSegment { path, .. } => path.clone(),
        other => other.to_string(),
    };
    let kind = RemoteErrorKind::OtherObjectsThere { path };
    FetchErrorKind::Invalid(Error::new(kind, prefix.display_path()))
}

/// Repeats a request until it succeeds, or fails in a way that a repetition would not change. Stops
/// under the [`StopConditions`].
async fn retry_request<T, F: Future<Output = object_store::Result<T>>>(
    network: &Network,
    url: &RemoteUrl,
    conditions: &StopConditions<'_>,
    request: impl Fn() -> F,
) -> Result<T, FetchErrorKind> {
    let server = network.server(url);
    let deadline = Instant::now() + network.patience;
    let mut last_reason = "no answer".to_owned();
    let (mut tries, mut strange_answers, mut wait) = (0, 0, FIRST_WAIT);
    loop {
        tries += 1;
        let result = match conditions.run_until(deadline, request()).await {
            Ok(result) => result,
            Err(FetchErrorKind::OutOfPatience { .. }) => {
                let reason = last_reason;
                return Err(FetchErrorKind::OutOfPatience { reason });
            }
            Err(error) => return Err(error),
        };
        let error = match result {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        if let object_store::Error::InvalidPath { source } = &error {
            return Err(other_object_error(source, url));
        }
        let reason = match classify_error(&error, false) {
            // S3 itself does not give such an answer, for example an error with the status 200. Something
            // between S3 and the client may have changed it, so the request is repeated a few times.
            AttemptFailure::Final(_) if ServiceError::find_in_causes(&error).is_none() => {
                strange_answers += 1;
                let reason = format!(
                    "an answer that S3 does not give: {}",
                    innermost_message(&error)
                );
                if strange_answers >= MAX_STRANGE_ANSWERS {
                    return Err(FetchErrorKind::Refused { reason });
                }
                reason
            }
            // S3 is processing another request for the same object.
            AttemptFailure::Final(_) if response_status(&error) == Some(409) => {
                innermost_message(&error)
            }
            AttemptFailure::Final(kind) => return Err(kind),
            AttemptFailure::Denied { reason, .. } => return Err(FetchErrorKind::Denied { reason }),
            AttemptFailure::Refused { reason } => reason,
            AttemptFailure::Interrupted { reason } | AttemptFailure::NotContinued { reason } => {
                reason
            }
            AttemptFailure::TimedOut => last_reason,
        };
        if tries >= TRIES_WITHOUT_ANSWER && !server.has_answered() {
            return Err(FetchErrorKind::NoAnswer { reason });
        }
        last_reason = reason;
        conditions
            .run_until(deadline, tokio::time::sleep(wait))
            .await?;
        wait = (wait * 2).min(MAX_WAIT);
    }
}

/// Writes objects, several at a time. Returns the number of those that existed already. After one
/// upload has failed, the others are stopped, and remove the parts that they have written.
pub(super) async fn upload_all(
    network: &Network,
    uploads: Vec<Upload>,
    connections: usize,
    report_bytes: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Result<u64, FetchError> {
    let conditions = &StopConditions::new(stop);
    let requests = uploads.into_iter();
    let requests = requests.map(|upload| async move {
        let result = write_object(network, &upload, report_bytes, conditions).await;
        if result.is_err() {
            conditions.has_failed.store(true, Ordering::Relaxed);
        }
        result
    });
    let requests = futures_util::stream::iter(requests).buffer_unordered(connections);
    let results: Vec<_> = requests.collect().await;
    let (mut found, mut errors) = (0, Vec::new());
    for result in results {
        match result {
            Ok(was_there) => found += u64::from(was_there),
            Err(error) => errors.push(error),
        }
    }
    // Uploads that were stopped because another one failed come last.
    errors.sort_by_key(|error| matches!(error.kind, FetchErrorKind::Stopped));
    errors.into_iter().next().map_or(Ok(found), Err)
}

/// The conditions under which requests are stopped.
struct StopConditions<'s> {
    /// True if the run is to stop.
    stop: &'s AtomicBool,
    /// True if another request has failed.
    has_failed: AtomicBool,
}

impl<'s> StopConditions<'s> {
    fn new(stop: &'s AtomicBool) -> Self {
        Self {
            stop,
            has_failed: AtomicBool::new(false),
        }
    }

    /// Runs a future. Returns an error at the deadline, or if a condition to stop is met.
    async fn run_until<T>(
        &self,
        deadline: Instant,
        future: impl Future<Output = T>,
    ) -> Result<T, FetchErrorKind> {
        let mut future = std::pin::pin!(future);
        loop {
            if self.stop.load(Ordering::Relaxed) || self.has_failed.load(Ordering::Relaxed) {
                return Err(FetchErrorKind::Stopped);
            }
            if Instant::now() >= deadline {
                let reason = String::new();
                return Err(FetchErrorKind::OutOfPatience { reason });
            }
            if let Ok(done) = tokio::time::timeout(STOP_CHECK_INTERVAL, future.as_mut()).await {
                return Ok(done);
            }
        }
    }
}
