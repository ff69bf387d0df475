//! `copy`: copies a finished dataset to a store.
//!
//! The manifest is written first, and only if the destination has none yet, so that a destination belongs
//! to one dataset. A destination with an equal manifest has an earlier copy of the dataset, which is
//! continued. If two datasets are copied to a destination at the same time, at most one copy succeeds.
//! `_SUCCESS` is written last, after the objects were listed again and compared with the dataset.
//!
//! The bytes of every file are compared with the digest in the manifest before its object becomes
//! visible. The digest is also stored in the metadata of the object. A file is not copied again if the
//! destination has an object with the same digest and size.
//!
//! `_log.jsonl` is not copied: it describes the run on its machine.

mod files;

use crate::error::AnswerErrorKind;
use disk::error::Error;
use files::{CopiedFile, DatasetFiles};
use remote::error::RemoteErrorKind;
use remote::{Remote, RemoteUrl, Scheme, SizeAndDigest, Upload};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// The maximum size of a manifest that is read from the destination.
const MAX_MANIFEST_BYTES: u64 = 1 << 30;

/// The progress of a running copy in bytes. Other threads may read it.
#[derive(Debug, Default)]
pub struct CopyProgress {
    /// Bytes of all files.
    pub bytes_total: AtomicU64,
    /// Bytes of the files that are at the destination so far.
    pub bytes: AtomicU64,
}

/// The counts of a finished copy, and the time it took.
#[derive(Clone, Debug, Default)]
pub struct CopySummary {
    /// Files of the copy.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Files of the copy that the destination already had, from an earlier copy.
    pub found_files: u64,
    /// The wall time.
    pub seconds: f64,
}

/// Copies the dataset, the joined datasets or the history at `root` to a prefix of S3.
///
/// # Errors
///
/// [`DatasetErrorKind::NotADataset`](dataset::error::DatasetErrorKind::NotADataset) and
/// [`DatasetErrorKind::BadManifest`](dataset::error::DatasetErrorKind::BadManifest) for the dataset, and
/// [`AnswerErrorKind::NotS3`], before anything is written; [`AnswerErrorKind::OtherDatasetThere`] and
/// [`RemoteErrorKind::OtherObjectsThere`] for the destination; [`RemoteErrorKind::FileChanged`] for a file with
/// other bytes than were written; [`RemoteErrorKind::AccessDenied`]; errors of reading and writing;
/// [`AnswerErrorKind::CopyChanged`] if objects were changed meanwhile; [`RemoteErrorKind::CopyInterrupted`] once
/// `stop` is set. Without `_SUCCESS` the copy is not complete.
pub fn copy(
    root: &Path,
    destination: &RemoteUrl,
    remote: &Remote,
    progress: &Arc<CopyProgress>,
    stop: &Arc<AtomicBool>,
) -> Result<CopySummary, Error> {
    let start = Instant::now();
    if destination.scheme() != Scheme::S3 {
        return Err(Error::new(
            AnswerErrorKind::NotS3,
            destination.display_path(),
        ));
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
    let copy = CopyRun {
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
    summary.seconds = start.elapsed().as_secs_f64();
    Ok(summary)
}

/// A copy of files to a destination.
struct CopyRun<'c> {
    files: &'c DatasetFiles,
    destination: &'c RemoteUrl,
    remote: &'c Remote,
    progress: &'c Arc<CopyProgress>,
    stop: &'c Arc<AtomicBool>,
}

impl CopyRun<'_> {
    /// Copies all files. Returns the number of those that the destination already had.
    fn run(&self) -> Result<u64, Error> {
        let DatasetFiles {
            manifests,
            tables,
            views,
            success_files,
        } = self.files;
        let mut existing_sizes = self.list_destination()?;
        let is_there = |file: &&CopiedFile| existing_sizes.contains_key(&file.path);
        let (existing_manifests, new_manifests): (Vec<_>, Vec<_>) =
            manifests.iter().partition(is_there);
        for manifest in &existing_manifests {
            self.compare_manifest(manifest)?;
        }
        self.check_no_other_objects(&existing_sizes, !existing_manifests.is_empty())?;
        if !new_manifests.is_empty() {
            for manifest in &new_manifests {
                self.create_manifest(manifest)?;
            }
            // Another dataset may be copied to the same destination at the same time without a conflict
            // of manifests, if its manifests have other paths, as those of joined datasets do.
            existing_sizes = self.list_destination()?;
            self.check_no_other_objects(&existing_sizes, true)?;
        }
        let bytes = manifests.iter().map(|file| file.content.bytes).sum();
        self.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        let mut found = existing_manifests.len() as u64;
        let (last_success_file, success_files) = success_files
            .split_last()
            .expect("every dataset has a mark");
        for list in [tables, views, success_files] {
            found += self.upload_missing(list, &existing_sizes)?;
        }
        if found + 1 < self.files.all().count() as u64 {
            self.check_copied_sizes(last_success_file)?;
        }
        found += self.upload_missing(slice::from_ref(last_success_file), &existing_sizes)?;
        Ok(found)
    }

    /// Returns the sizes of objects at the destination, by their paths. The listing ends after one object
    /// more than the copy has, which is enough to find an object that does not belong to the copy.
    fn list_destination(&self) -> Result<BTreeMap<String, u64>, Error> {
        let own_objects = self.files.all().count();
        self.remote
            .list(self.destination, own_objects + 1, self.stop)
    }

    /// Writes a manifest. If another process has written one meanwhile, checks that it is equal.
    fn create_manifest(&self, manifest: &CopiedFile) -> Result<(), Error> {
        let upload = self.new_upload(manifest, false);
        match self.remote.create(upload, self.stop)? {
            true => Ok(()),
            false => self.compare_manifest(manifest),
        }
    }

    /// Checks that a manifest at the destination equals that of the dataset.
    fn compare_manifest(&self, manifest: &CopiedFile) -> Result<(), Error> {
        let url = self.destination.object_below(&manifest.path);
        let found = self.remote.read(&url, MAX_MANIFEST_BYTES)?;
        if SizeAndDigest::from_bytes(&found) == manifest.content {
            return Ok(());
        }
        let kind = AnswerErrorKind::OtherDatasetThere;
        Err(Error::new(kind, self.destination.display_path()))
    }

    /// Checks that the destination has only objects of the copy. `is_begun` is false if the destination
    /// had no manifest of the dataset; it must have no objects at all then.
    fn check_no_other_objects(
        &self,
        existing_sizes: &BTreeMap<String, u64>,
        is_begun: bool,
    ) -> Result<(), Error> {
        let own_paths: BTreeSet<&str> = self.files.all().map(|file| file.path.as_str()).collect();
        let mut keys = existing_sizes.keys();
        match keys.find(|path| !is_begun || !own_paths.contains(path.as_str())) {
            None => Ok(()),
            Some(path) => {
                let kind = RemoteErrorKind::OtherObjectsThere { path: path.clone() };
                Err(Error::new(kind, self.destination.display_path()))
            }
        }
    }

    /// Checks that the objects of all files except the last `_SUCCESS` exist and have the sizes of the
    /// files, and that there are no other objects.
    fn check_copied_sizes(&self, last_success_file: &CopiedFile) -> Result<(), Error> {
        let existing_sizes = self.list_destination()?;
        self.check_no_other_objects(&existing_sizes, true)?;
        let is_wrong = |file: &&CopiedFile| {
            file.path != last_success_file.path
                && existing_sizes.get(&file.path) != Some(&file.content.bytes)
        };
        match self.files.all().find(is_wrong) {
            None => Ok(()),
            Some(file) => {
                let path = file.path.clone();
                let kind = AnswerErrorKind::CopyChanged { path };
                Err(Error::new(kind, self.destination.display_path()))
            }
        }
    }

    /// Uploads the files that the destination does not have yet. Returns the number of the other files.
    fn upload_missing(
        &self,
        files: &[CopiedFile],
        existing_sizes: &BTreeMap<String, u64>,
    ) -> Result<u64, Error> {
        let upload = |file: &CopiedFile| {
            let has_size = existing_sizes.get(&file.path) == Some(&file.content.bytes);
            self.new_upload(file, has_size)
        };
        let progress = Arc::clone(self.progress);
        let report_bytes = move |bytes| {
            progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        };
        let uploads = files.iter().map(upload).collect();
        self.remote.upload(uploads, report_bytes, self.stop)
    }

    /// Returns the upload of a file. `may_exist` is true if the destination has an object of its size.
    fn new_upload(&self, file: &CopiedFile, may_exist: bool) -> Upload {
        Upload {
            url: self.destination.object_below(&file.path),
            source: file.source.clone(),
            content: file.content.clone(),
            may_exist,
        }
    }
}
