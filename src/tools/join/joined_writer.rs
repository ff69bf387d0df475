//! Writes `_joined/`.
//!
//! A join may be killed between any two steps, and the next one continues from each:
//!
//! 1. The log is locked. Temporary folders of earlier joins are removed.
//! 2. `views.sql` is written without the resolved tables, and `_SUCCESS` is removed.
//! 3. The manifest lists the members, the crawls that are kept, and the files to be removed; these
//!    are removed, and it is written again without them.
//! 4. Files are written under temporary names, the log gets their names, they are renamed, and the
//!    manifest gets their crawls.
//! 5. `views.sql` is written with all tables, then `_SUCCESS`.

use dataset::resolve::hosts::ResolvedFile;
use dataset::{CrawlEntry, FileEntry, JOINED_FOLDER, JoinedCrawl, JoinedManifest, LogEntries};
use dataset::{MANIFEST_FILE, OutputLayout, RunLog, SUCCESS_FILE};
use disk::TempFolder;
use disk::error::Error;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the manifest and the resolved tables of joined datasets.
pub(super) struct JoinedWriter {
    /// The folder [`JOINED_FOLDER`].
    root: PathBuf,
    log: RunLog,
    temp_folder: TempFolder,
    /// The members, and the crawls that are finished.
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
    /// Takes the lock, and decides which crawls of an earlier join are kept: those before the first
    /// one whose sources have changed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](disk::error::ErrorKind::Busy), and errors of reading and writing.
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
        let (mut log, entries) = RunLog::open(&root)?;
        let LogEntries {
            temp_folders,
            part_files,
        } = entries;
        for name in &temp_folders {
            TempFolder::remove_leftover(&root, name).map_err(write_error)?;
        }
        // A manifest that cannot be read is written again.
        let former = JoinedManifest::read(folder)
            .unwrap_or_default()
            .unwrap_or_default();
        let mut stale = former.stale.clone();
        stale.extend(part_files);
        stale.extend(former.files().map(|file| file.path.clone()));
        let is_kept = |(crawl, source): &(JoinedCrawl, &String)| {
            let has_file = |file: &FileEntry| {
                disk::size_below(&root, Path::new(&file.path)) == Some(file.stats.bytes)
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
        let name = TempFolder::random_name();
        log.begin(&root, &json!({"event": "begin", "temporary": name}))?;
        let temp_folder = TempFolder::create(&root, &name)?;
        Ok(Self {
            root,
            log,
            temp_folder,
            manifest,
            stale,
        })
    }

    pub(super) fn kept_crawls(&self) -> usize {
        self.manifest.crawls.len()
    }

    /// Returns true if files of earlier joins are to be removed.
    pub(super) fn has_stale_files(&self) -> bool {
        !self.stale.is_empty()
    }

    /// Returns the folder of the files that are being written under temporary names.
    pub(super) fn temp_folder(&self) -> &TempFolder {
        &self.temp_folder
    }

    /// Removes `_SUCCESS` and the stale files, and writes the manifest.
    pub(super) fn remove_stale_files(&mut self) -> Result<(), Error> {
        self.remove_files([SUCCESS_FILE])?;
        self.manifest.stale = std::mem::take(&mut self.stale);
        self.write_manifest()?;
        let stale = std::mem::take(&mut self.manifest.stale);
        self.remove_files(&stale)?;
        for path in &stale {
            disk::remove_empty_folders(&self.root, Path::new(path));
        }
        self.write_manifest()
    }

    /// Renames written files to their final names, and adds their crawls to the manifest.
    /// `source_digests` are those of all `crawls`.
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
        self.log
            .write_synced(&json!({"event": "part", "files": paths}))?;
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
        // The members may have changed although all crawls are kept.
        self.write_manifest()?;
        self.temp_folder.replace_file(Path::new(SUCCESS_FILE), b"")
    }

    fn write_manifest(&self) -> Result<(), Error> {
        let text = self.manifest.text();
        self.temp_folder
            .replace_file(Path::new(MANIFEST_FILE), text.as_bytes())
    }

    fn remove_files<P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = P>,
    ) -> Result<(), Error> {
        for path in files {
            let path = path.as_ref();
            disk::remove_below(&self.root, path)
                .map_err(|error| Error::write(self.root.join(path), error))?;
        }
        Ok(())
    }
}
