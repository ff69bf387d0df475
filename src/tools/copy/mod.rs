//! `copy`: copies a finished dataset to a store.
//!
//! The manifest is written first, and only if the prefix has none yet, so that a prefix belongs to
//! one dataset: only a copy of the same dataset is continued, and of two copies at the same time one
//! is refused. `_SUCCESS` is written last, after the destination was listed again.
//!
//! The bytes of every file are compared with the digest in the manifest before its object becomes
//! visible. The digest is also stored with the object: one with the same digest and size is not
//! copied again.
//!
//! `_log.jsonl` is not copied: it describes the run on its machine.

mod files;

use crate::error::ToolErrorKind;
use disk::error::Error;
use files::{CopiedFile, DatasetFiles};
use remote::error::RemoteErrorKind;
use remote::{Content, Remote, RemoteUrl, Scheme, Upload};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// The limit of the size of a manifest at the destination.
const MAX_MANIFEST_BYTES: u64 = 1 << 30;

/// The progress of a copy, to be read from other threads.
#[derive(Debug, Default)]
pub struct CopyProgress {
    /// Bytes of all files.
    pub bytes_total: AtomicU64,
    /// Bytes that are at the destination.
    pub bytes: AtomicU64,
}

/// The result of a copy.
#[derive(Clone, Debug, Default)]
pub struct CopySummary {
    /// Files of the copy.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Files that an earlier copy had left.
    pub found_files: u64,
    pub seconds: f64,
}

/// Copies the dataset, or the joined datasets, at `root` to a prefix of S3.
///
/// # Errors
///
/// [`DatasetErrorKind::NotADataset`] and [`DatasetErrorKind::BadManifest`] for the dataset, and
/// [`ToolErrorKind::NotS3`], before anything is written; [`ToolErrorKind::OtherDatasetThere`] and
/// [`RemoteErrorKind::OtherObjectsThere`] for the destination; [`RemoteErrorKind::FileChanged`] for a file with
/// other bytes than were written; [`RemoteErrorKind::AccessDenied`]; errors of reading and writing;
/// [`ToolErrorKind::CopyChanged`] if objects were changed meanwhile; [`RemoteErrorKind::CopyInterrupted`] once
/// `stop` is set. Without `_SUCCESS` the copy is not complete.
pub fn copy(
    root: &Path,
    destination: &RemoteUrl,
    remote: &Remote,
    progress: &Arc<CopyProgress>,
    stop: &Arc<AtomicBool>,
) -> Result<CopySummary, Error> {
    let began = Instant::now();
    if destination.scheme() != Scheme::S3 {
        return Err(Error::new(ToolErrorKind::NotS3, destination.display_path()));
    }
    let place = destination.to_string();
    let place = place.trim_end_matches('/');
    let files = DatasetFiles::find(root, place)?;
    let mut summary = CopySummary::default();
    for file in files.all() {
        summary.files += 1;
        summary.bytes += file.content.bytes;
    }
    progress.bytes_total.store(summary.bytes, Ordering::Relaxed);
    let copy = Copy {
        files: &files,
        destination,
        remote,
        progress,
        stop,
    };
    summary.found_files = copy.run().map_err(|error| match error.kind() {
        Some(RemoteErrorKind::CopyInterrupted) => {
            Error::new(RemoteErrorKind::CopyInterrupted, destination.display_path())
        }
        _ => error,
    })?;
    summary.seconds = began.elapsed().as_secs_f64();
    Ok(summary)
}

/// A copy of files to a destination.
struct Copy<'c> {
    files: &'c DatasetFiles,
    destination: &'c RemoteUrl,
    remote: &'c Remote,
    progress: &'c Arc<CopyProgress>,
    stop: &'c Arc<AtomicBool>,
}

impl Copy<'_> {
    /// Copies all files. Returns the number of those that were there.
    fn run(&self) -> Result<u64, Error> {
        let DatasetFiles {
            manifests,
            tables,
            views,
            marks,
        } = self.files;
        let mut there = self.list()?;
        let is_there = |file: &&CopiedFile| there.contains_key(&file.path);
        let (begun, new): (Vec<_>, Vec<_>) = manifests.iter().partition(is_there);
        for manifest in &begun {
            self.compare_manifest(manifest)?;
        }
        self.check_keys(&there, !begun.is_empty())?;
        if !new.is_empty() {
            for manifest in &new {
                self.create_manifest(manifest)?;
            }
            // A copy of datasets of another form has another first manifest, and may have begun at
            // the same time.
            there = self.list()?;
            self.check_keys(&there, true)?;
        }
        let bytes = manifests.iter().map(|file| file.content.bytes).sum();
        self.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        let mut found = begun.len() as u64;
        let (last_mark, marks) = marks.split_last().expect("every dataset has a mark");
        for list in [tables, views, marks] {
            found += self.upload(list, &there)?;
        }
        if found + 1 < self.files.all().count() as u64 {
            self.check_written(last_mark)?;
        }
        found += self.upload(slice::from_ref(last_mark), &there)?;
        Ok(found)
    }

    /// Returns the sizes of the objects at the destination. If there are other objects than those
    /// of the copy, at least one of them is in the result.
    fn list(&self) -> Result<BTreeMap<String, u64>, Error> {
        let own = self.files.all().count();
        self.remote.list(self.destination, own + 1, self.stop)
    }

    /// Writes a manifest, unless another copy of the same dataset has written it meanwhile.
    fn create_manifest(&self, manifest: &CopiedFile) -> Result<(), Error> {
        let upload = self.upload_of(manifest, false);
        match self.remote.create(upload, self.stop)? {
            true => Ok(()),
            false => self.compare_manifest(manifest),
        }
    }

    /// Checks that a manifest at the destination is that of the dataset.
    fn compare_manifest(&self, manifest: &CopiedFile) -> Result<(), Error> {
        let url = self.destination.below(&manifest.path);
        let found = self.remote.read(&url, MAX_MANIFEST_BYTES)?;
        if Content::of(&found) == manifest.content {
            return Ok(());
        }
        let kind = ToolErrorKind::OtherDatasetThere;
        Err(Error::new(kind, self.destination.display_path()))
    }

    /// Checks that the destination has no objects but those of the copy, or none at all if no
    /// manifest is there.
    fn check_keys(&self, there: &BTreeMap<String, u64>, is_begun: bool) -> Result<(), Error> {
        let own: BTreeSet<&str> = self.files.all().map(|file| file.path.as_str()).collect();
        let mut keys = there.keys();
        match keys.find(|path| !is_begun || !own.contains(path.as_str())) {
            None => Ok(()),
            Some(path) => {
                let kind = RemoteErrorKind::OtherObjectsThere { path: path.clone() };
                Err(Error::new(kind, self.destination.display_path()))
            }
        }
    }

    /// Checks that all objects but the last mark have their sizes, and that there are no others.
    fn check_written(&self, last_mark: &CopiedFile) -> Result<(), Error> {
        let there = self.list()?;
        self.check_keys(&there, true)?;
        let is_wrong = |file: &&CopiedFile| {
            file.path != last_mark.path && there.get(&file.path) != Some(&file.content.bytes)
        };
        match self.files.all().find(is_wrong) {
            None => Ok(()),
            Some(file) => {
                let path = file.path.clone();
                let kind = ToolErrorKind::CopyChanged { path };
                Err(Error::new(kind, self.destination.display_path()))
            }
        }
    }

    /// Writes files, unless they are there. Returns the number of those that were.
    fn upload(&self, files: &[CopiedFile], there: &BTreeMap<String, u64>) -> Result<u64, Error> {
        let upload = |file: &CopiedFile| {
            let has_size = there.get(&file.path) == Some(&file.content.bytes);
            self.upload_of(file, has_size)
        };
        let progress = Arc::clone(self.progress);
        let note = move |bytes| {
            progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        };
        let uploads = files.iter().map(upload).collect();
        self.remote.upload(uploads, note, self.stop)
    }

    fn upload_of(&self, file: &CopiedFile, may_exist: bool) -> Upload {
        Upload {
            url: self.destination.below(&file.path),
            source: file.source.clone(),
            content: file.content.clone(),
            may_exist,
        }
    }
}
