//! Writes the folder `_joined/` of joined datasets.
//!
//! A join may be killed between any two of these steps. The next join then continues:
//!
//! 1. The log is locked. Temporary folders of earlier joins are removed.
//! 2. `views.sql` is written without the resolved tables, and `_SUCCESS` is removed.
//! 3. The manifest is written with the members, the crawls that are kept, and the files to be removed.
//!    These files are removed, and the manifest is written again without them.
//! 4. Files are written under temporary names. Their final names are appended to the log, the files are
//!    renamed, and their crawls are added to the manifest.
//! 5. `views.sql` is written with all tables, then `_SUCCESS`.

use dataset::{CrawlEntry, FileEntry, JOINED_FOLDER, JoinedCrawl, JoinedManifest, MANIFEST_FILE};
use dataset::{OutputLayout, RunLog, SUCCESS_FILE, WrittenFolder};
use disk::TempFolder;
use errors::Error;
use hosts::resolved::ResolvedFile;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Writes the manifest and the resolved tables of joined datasets.
pub(super) struct JoinedWriter {
    /// The folder [`JOINED_FOLDER`].
    folder: WrittenFolder,
    /// The manifest to be written, with the members and the crawls that are resolved so far.
    manifest: JoinedManifest,
    /// Files of earlier joins that are to be removed.
    stale: BTreeSet<String>,
}

/// The size of files that were written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WrittenSize {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

impl JoinedWriter {
    /// Locks the log, and determines which crawls of an earlier join are kept: those before the first
    /// crawl whose source digest has changed or whose files are missing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](errors::ErrorKind::Busy), and errors of reading and writing.
    pub(super) fn open(
        folder: &Path,
        members: &JoinedManifest,
        source_digests: &[String],
    ) -> Result<Self, Error> {
        let root = folder.join(JOINED_FOLDER);
        let write_error = |error| Error::write(&root, error);
        if disk::file_kind(&root).map_err(write_error)?.is_none() {
            fs::create_dir(&root).map_err(write_error)?;
        }
        let (log, entries) = RunLog::open(&root)?;
        let written = WrittenFolder::begin(&root, log, &entries, &[])?;
        // If the manifest cannot be read, all crawls are resolved again.
        let former = JoinedManifest::read(folder)
            .unwrap_or_default()
            .unwrap_or_default();
        let mut stale = former.stale.clone();
        stale.extend(entries.part_files);
        stale.extend(former.files().map(|file| file.path.clone()));
        let is_kept = |(crawl, source): &(JoinedCrawl, &String)| {
            let has_file = |file: &FileEntry| {
                disk::file_size_below(&root, Path::new(&file.path)) == Some(file.stats.bytes)
            };
            crawl.source_digest == **source && crawl.entry.files.iter().all(has_file)
        };
        let pairs = former.crawls.into_iter().zip(source_digests);
        let kept = pairs.take_while(is_kept).map(|(crawl, _)| crawl);
        let manifest = JoinedManifest {
            crawls: kept.collect(),
            ..members.clone()
        };
        for file in manifest.files() {
            stale.remove(&file.path);
        }
        Ok(Self {
            folder: written,
            manifest,
            stale,
        })
    }

    /// Returns the number of crawls that an earlier join had resolved, and that are not resolved again.
    pub(super) fn kept_crawls(&self) -> usize {
        self.manifest.crawls.len()
    }

    /// Returns true if files of earlier joins have to be removed.
    pub(super) fn has_stale_files(&self) -> bool {
        !self.stale.is_empty()
    }

    /// Returns the folder of the files that are being written under temporary names.
    pub(super) fn temp_folder(&self) -> &TempFolder {
        self.folder.temp_folder()
    }

    /// Removes `_SUCCESS` and the stale files. The manifest lists the stale files until they are removed.
    pub(super) fn remove_stale_files(&mut self) -> Result<(), Error> {
        self.folder.remove_files([SUCCESS_FILE])?;
        self.manifest.stale = std::mem::take(&mut self.stale);
        self.write_manifest()?;
        let stale = std::mem::take(&mut self.manifest.stale);
        let stale: Vec<String> = stale.into_iter().collect();
        self.folder.remove_files_and_folders(&stale)?;
        self.write_manifest()
    }

    /// Renames written files to their final names, and adds their crawls to the manifest. `crawls` are all
    /// crawls, and `source_digests` the digests of the files from which each is resolved.
    pub(super) fn commit_files(
        &mut self,
        files: Vec<ResolvedFile>,
        crawls: &[String],
        source_digests: &[String],
    ) -> Result<WrittenSize, Error> {
        let path = |file: &ResolvedFile| {
            let path = OutputLayout::crawl_path(file.table, &crawls[file.crawl as usize]);
            path.to_string_lossy().into_owned()
        };
        let paths: Vec<String> = files.iter().map(path).collect();
        self.folder.announce(&paths)?;
        let kept = self.manifest.crawls.len();
        for (crawl, source) in crawls.iter().zip(source_digests).skip(kept) {
            self.manifest.crawls.push(JoinedCrawl {
                source_digest: source.clone(),
                entry: CrawlEntry {
                    crawl: crawl.clone(),
                    files: Vec::new(),
                },
            });
        }
        let mut written = WrittenSize::default();
        for file in files {
            let finished = file.file.commit()?;
            written.rows += finished.rows;
            written.bytes += finished.bytes;
            let crawl = &mut self.manifest.crawls[file.crawl as usize];
            crawl.entry.files.push(FileEntry::new(file.table, finished));
        }
        self.write_manifest()?;
        Ok(written)
    }

    /// Marks the joined datasets as finished.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        // The manifest lists the members, which may have changed even if all crawls are kept.
        self.write_manifest()?;
        self.folder.replace_file(SUCCESS_FILE, "")
    }

    fn write_manifest(&self) -> Result<(), Error> {
        let text = self.manifest.text();
        self.folder.replace_file(MANIFEST_FILE, &text)
    }
}
