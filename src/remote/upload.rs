//! Lists and writes objects of S3.
//!
//! Every object gets its digest as metadata, by which a later copy knows that it is whole: the
//! digest is sent with the bytes or with the first part, and an object of parts becomes visible
//! only after all bytes that were sent have been compared with it.

use super::fetch::{Failure, failure_of};
use super::network::Network;
use super::service::{ServiceError, innermost};
use super::{
    Content, FetchError, FetchErrorKind, MAX_OBJECT_IN_MEMORY_BYTES, RemoteUrl, Upload,
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

/// The size of a part of an object above [`MAX_OBJECT_IN_MEMORY_BYTES`]. S3 takes at least 5 MiB.
const PART_BYTES: u64 = 16 << 20;

/// The most parts that S3 takes.
const MAX_PARTS: u64 = 10_000;

/// The first wait after a request that was refused or interrupted. Further ones double it.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait after a request that was refused or interrupted.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// The number of requests to a bucket that has never answered, after which the copy fails.
const FIRST_TRIES: u32 = 4;

/// The number of answers to a request that are not those of S3, after which the copy fails.
const MAX_STRANGE_ANSWERS: u32 = 4;

/// The time after which a request checks whether it is to end.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The time for dropping the parts of an object that was not completed.
const ABORT_TIME: Duration = Duration::from_secs(10);

/// Returns the paths below a prefix, and the sizes of the objects there, up to `max_entries` of
/// them.
pub(super) async fn list(
    network: &Network,
    prefix: &RemoteUrl,
    max_entries: usize,
    stop: &AtomicBool,
) -> Result<BTreeMap<String, u64>, FetchError> {
    let fail = fail_at(prefix);
    let (store, path) = network
        .stores
        .of_s3(prefix)
        .map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    let halt = Halt::new(stop);
    let found = repeat(network, prefix, &halt, || async {
        let entries = store.list(Some(&path)).take(max_entries);
        entries.try_collect::<Vec<_>>().await
    });
    let found = found.await.map_err(&fail)?;
    let below = format!("{path}/");
    let relative = found.into_iter().filter_map(|object| {
        let path = object.location.as_ref().strip_prefix(&below)?;
        Some((path.to_owned(), object.size))
    });
    Ok(relative.collect())
}

/// Writes an object in one request, unless there is one. Returns false if there is one.
pub(super) async fn create(
    network: &Network,
    upload: &Upload,
    stop: &AtomicBool,
) -> Result<bool, FetchError> {
    let fail = fail_at(&upload.url);
    let (store, path) = network
        .stores
        .of_s3(&upload.url)
        .map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    let bytes = Source::open(upload).and_then(|source| source.whole(&upload.content));
    let bytes = bytes.map_err(&fail)?;
    let halt = Halt::new(stop);
    let options = PutOptions {
        mode: PutMode::Create,
        attributes: metadata(&upload.content),
        ..PutOptions::default()
    };
    let put = || async {
        let put = store.put_opts(&path, bytes.clone(), options.clone()).await;
        match put {
            Ok(_) => Ok(true),
            Err(error) if status_of(&error) == Some(412) => Ok(false),
            Err(error) => Err(error),
        }
    };
    repeat(network, &upload.url, &halt, put).await.map_err(fail)
}

/// Writes an object. Returns true if it was there. One above [`MAX_OBJECT_IN_MEMORY_BYTES`] is
/// written in parts, and becomes visible when all of them are there. If that fails, the parts are
/// dropped.
async fn upload(
    network: &Network,
    upload: &Upload,
    note: &(dyn Fn(u64) + Sync),
    halt: &Halt<'_>,
) -> Result<bool, FetchError> {
    let Upload { url, content, .. } = upload;
    let fail = fail_at(url);
    let (store, path) = network
        .stores
        .of_s3(url)
        .map_err(|error| fail(FetchErrorKind::Invalid(error)))?;
    if upload.may_exist {
        let is_there = || has_content(&store, &path, content);
        let is_there = repeat(network, url, halt, is_there).await;
        if is_there.map_err(&fail)? {
            note(content.bytes);
            return Ok(true);
        }
    }
    let source = Source::open(upload).map_err(&fail)?;
    if content.bytes <= MAX_OBJECT_IN_MEMORY_BYTES {
        let bytes = source.whole(content).map_err(&fail)?;
        let options = PutOptions {
            attributes: metadata(content),
            ..PutOptions::default()
        };
        let put = || async {
            let put = store.put_opts(&path, bytes.clone(), options.clone()).await;
            put.map(|_| ())
        };
        repeat(network, url, halt, put).await.map_err(&fail)?;
        note(content.bytes);
        return Ok(false);
    }
    let options = PutMultipartOptions {
        attributes: metadata(content),
        ..PutMultipartOptions::default()
    };
    let begin = || store.create_multipart_opts(&path, options.clone());
    let id = repeat(network, url, halt, begin).await.map_err(&fail)?;
    let written = async {
        let step = PART_BYTES.max(content.bytes.div_ceil(MAX_PARTS));
        let (mut parts, mut hash) = (Vec::new(), Xxh3::new());
        let mut offset = 0;
        while offset < content.bytes {
            let count = step.min(content.bytes - offset);
            let bytes = source.piece(offset, count)?;
            bytes.iter().for_each(|bytes| hash.update(bytes));
            let index = parts.len();
            let put = || async { store.put_part(&path, &id, index, bytes.clone()).await };
            parts.push(repeat(network, url, halt, put).await?);
            note(count);
            offset += count;
        }
        source.compare(&hash, content)?;
        let complete = || async {
            let done = store.complete_multipart(&path, &id, parts.clone()).await;
            let Err(error) = done else { return Ok(()) };
            // The answer to an earlier request may have been lost.
            match has_content(&store, &path, content).await {
                Ok(true) => Ok(()),
                _ => Err(error),
            }
        };
        repeat(network, url, halt, complete).await
    };
    let written = written.await;
    if written.is_err() {
        // If this fails too, a rule of the bucket removes the parts.
        let abort = store.abort_multipart(&path, &id);
        let _ = tokio::time::timeout(ABORT_TIME, abort).await;
    }
    written.map_err(fail).map(|()| false)
}

/// Returns the metadata of an object with this content.
fn metadata(content: &Content) -> Attributes {
    let digest = content.digest.clone();
    Attributes::from_iter([(Attribute::Metadata(DIGEST_KEY.into()), digest)])
}

/// Returns true if an object has a size, and a digest in its metadata.
async fn has_content(
    store: &AmazonS3,
    path: &path::Path,
    content: &Content,
) -> object_store::Result<bool> {
    let options = GetOptions {
        head: true,
        ..GetOptions::default()
    };
    let found = match store.get_opts(path, options).await {
        Err(error) if status_of(&error) == Some(404) => return Ok(false),
        found => found?,
    };
    let key = Attribute::Metadata(DIGEST_KEY.into());
    let digest = found.attributes.get(&key).map(AsRef::as_ref);
    Ok(found.meta.size == content.bytes && digest == Some(&content.digest))
}

/// Returns the status of the answer that an error of a store was caused by.
fn status_of(error: &object_store::Error) -> Option<u16> {
    match ServiceError::of(error) {
        Some(ServiceError::Status { status, .. }) => Some(*status),
        _ => None,
    }
}

/// The bytes of an object that is to be written.
struct Source<'u> {
    file: ArchiveFile,
    /// The path for messages.
    path: &'u Path,
}

impl<'u> Source<'u> {
    fn open(upload: &'u Upload) -> Result<Self, FetchErrorKind> {
        match &upload.source {
            UploadSource::Memory(bytes) => Ok(Self {
                file: ArchiveFile::from_bytes(bytes.to_vec()),
                path: upload.url.display_path(),
            }),
            UploadSource::File(path) => Ok(Self {
                file: ArchiveFile::open(path).map_err(|error| unreadable(path, error))?,
                path,
            }),
        }
    }

    /// Reads `count` bytes at `offset`; fewer are an error.
    fn piece(&self, offset: u64, count: u64) -> Result<PutPayload, FetchErrorKind> {
        let mut bytes = vec![0; count as usize];
        let mut read = 0;
        while read < bytes.len() {
            let piece = self.file.read_at(offset + read as u64, &mut bytes[read..]);
            match piece.map_err(|error| unreadable(self.path, error))? {
                0 => {
                    let error = io::ErrorKind::UnexpectedEof.into();
                    return Err(unreadable(self.path, error));
                }
                more => read += more,
            }
        }
        Ok(bytes.into())
    }

    /// Reads all bytes, and compares them with the content that they must have.
    fn whole(&self, content: &Content) -> Result<PutPayload, FetchErrorKind> {
        let bytes = self.piece(0, content.bytes)?;
        let mut hash = Xxh3::new();
        bytes.iter().for_each(|bytes| hash.update(bytes));
        self.compare(&hash, content)?;
        Ok(bytes)
    }

    /// Returns an error unless this is the hash of the content.
    fn compare(&self, hash: &Xxh3, content: &Content) -> Result<(), FetchErrorKind> {
        let digest = format!("{:016x}", hash.digest());
        if digest == content.digest {
            return Ok(());
        }
        let written = content.digest.clone();
        let kind = RemoteErrorKind::FileChanged { digest, written };
        Err(FetchErrorKind::Invalid(Error::new(kind, self.path)))
    }
}

fn fail_at(url: &RemoteUrl) -> impl Fn(FetchErrorKind) -> FetchError + use<> {
    let url = url.clone();
    move |kind| FetchError {
        url: url.clone(),
        kind,
    }
}

fn unreadable(path: &Path, error: io::Error) -> FetchErrorKind {
    FetchErrorKind::Invalid(Error::read(path, error))
}

/// Returns the error of a key in a listing that no file of a dataset has, such as `a//b`.
fn not_a_path(error: &path::Error, prefix: &RemoteUrl) -> FetchErrorKind {
    let path = match error {
        path::Error::EmptySegment { path } | path::Error::BadSegment { path, .. } => path.clone(),
        other => other.to_string(),
    };
    let kind = RemoteErrorKind::OtherObjectsThere { path };
    FetchErrorKind::Invalid(Error::new(kind, prefix.display_path()))
}

/// Repeats a request until it succeeds, fails for good, or is to end.
async fn repeat<T, F: Future<Output = object_store::Result<T>>>(
    network: &Network,
    url: &RemoteUrl,
    halt: &Halt<'_>,
    request: impl Fn() -> F,
) -> Result<T, FetchErrorKind> {
    let server = network.server(url);
    let deadline = Instant::now() + network.patience;
    let mut last_reason = "no answer".to_owned();
    let (mut tries, mut strange_answers, mut wait) = (0, 0, FIRST_WAIT);
    loop {
        tries += 1;
        let result = match halt.or(deadline, request()).await {
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
            return Err(not_a_path(source, url));
        }
        let reason = match failure_of(&error, false) {
            // The answer is not one of S3, such as an error with the status 200.
            Failure::Final(_) if ServiceError::of(&error).is_none() => {
                strange_answers += 1;
                let reason = format!("an answer that S3 does not give: {}", innermost(&error));
                if strange_answers >= MAX_STRANGE_ANSWERS {
                    return Err(FetchErrorKind::Refused { reason });
                }
                reason
            }
            // Another request for the same object is under way.
            Failure::Final(_) if status_of(&error) == Some(409) => innermost(&error),
            Failure::Final(kind) => return Err(kind),
            Failure::Denied { reason, .. } => return Err(FetchErrorKind::Denied { reason }),
            Failure::Refused { reason } => reason,
            Failure::Interrupted { reason } | Failure::NotContinued { reason } => reason,
            Failure::TimedOut => last_reason,
        };
        if tries >= FIRST_TRIES && !server.has_answered() {
            return Err(FetchErrorKind::NoAnswer { reason });
        }
        last_reason = reason;
        halt.or(deadline, tokio::time::sleep(wait)).await?;
        wait = (wait * 2).min(MAX_WAIT);
    }
}

/// Writes objects, several at a time. Returns the number of those that were there. After one has
/// failed, the others end too, and drop the parts that they have written.
pub(super) async fn upload_all(
    network: &Network,
    uploads: Vec<Upload>,
    connections: usize,
    note: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Result<u64, FetchError> {
    let halt = &Halt::new(stop);
    let requests = uploads.into_iter();
    let requests = requests.map(|one| async move {
        let result = upload(network, &one, note, halt).await;
        if result.is_err() {
            halt.has_failed.store(true, Ordering::Relaxed);
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
    // Those that ended because of another error come last.
    errors.sort_by_key(|error| matches!(error.kind, FetchErrorKind::Stopped));
    errors.into_iter().next().map_or(Ok(found), Err)
}

/// The reasons why requests are to end.
struct Halt<'s> {
    /// True if the run is to stop.
    stop: &'s AtomicBool,
    /// True if another request has failed.
    has_failed: AtomicBool,
}

impl<'s> Halt<'s> {
    fn new(stop: &'s AtomicBool) -> Self {
        Self {
            stop,
            has_failed: AtomicBool::new(false),
        }
    }

    /// Waits for a future, until the deadline or a reason to end.
    async fn or<T>(
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
