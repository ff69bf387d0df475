//! The folder to which a history is written.
//!
//! One rename, that of the manifest, replaces a history. A run may be killed between any two steps, and the same command
//! then ends with the same files:
//!
//! 1. The log is locked. What the log lists and the manifest does not is removed: temporary folders, files, and, without a
//!    manifest, `_SUCCESS` and `views.sql`.
//! 2. Files are written under temporary names. Before a file gets its final name, the name is written to the log. No
//!    final name is that of a file of the former history.
//! 3. The names of the former files, and what the run was made from, are written to the log, so that the same command
//!    knows its own history if it finds it. `views.sql`, which reads the manifest, and `_SUCCESS` are written.
//! 4. The manifest is replaced by the new one.
//! 5. The files of the former history and the temporary folder are removed. The log says that the run has ended.

use crate::error::HistoryErrorKind;
use crate::write::manifest::{HistoryFile, HistoryManifest, KIND};
use crate::write::progress::HistorySummary;
use crate::write::views::history_text;
use columns::TableFileWriter;
use dataset::error::DatasetErrorKind;
use dataset::{
    IfExists, LOG_FILE, LogEntries, MANIFEST_FILE, OutputLayout, RunLog, SUCCESS_FILE, VIEWS_FILE,
    WrittenFolder, check_digest,
};
use disk::{NewFile, TempFolder};
use errors::Error;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::Path;
use std::sync::Arc;
use tables::Table;
use xxhash_rust::xxh3::xxh3_64;

/// The folder to which a history is written. The lock of the folder is held as long as this value exists.
pub(crate) struct OutputFolder {
    folder: WrittenFolder,
    /// The number in the names of all files of this history.
    generation: u32,
    /// The paths of the files of the former history, which is replaced.
    former: BTreeSet<String>,
    /// The final paths of the files that were created.
    created: BTreeSet<String>,
}

/// Checks that a history may be written, without writing anything.
///
/// # Errors
///
/// Those of [`OutputLayout::check`]; [`HistoryErrorKind::OutputIsNoHistory`] for a dataset.
pub(crate) fn check_output(root: &Path, overwrite: bool) -> Result<(), Error> {
    if dataset::is_dataset(root) {
        match HistoryManifest::read(root)? {
            None => return Err(Error::new(HistoryErrorKind::OutputIsNoHistory, root)),
            Some(_) if !overwrite => return Err(Error::new(DatasetErrorKind::FileExists, root)),
            Some(_) => {}
        }
    }
    let layout = OutputLayout::new_for_other_folder(root, KIND);
    let if_exists = if overwrite {
        IfExists::Overwrite
    } else {
        IfExists::Refuse
    };
    layout.check(if_exists)
}

impl OutputFolder {
    /// Creates the folder if needed, takes the lock, and removes files that killed runs have left. `source` is the
    /// digest of what the history is made from. The names of files have its first digits, or the next number if a file of
    /// the former history has them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](errors::ErrorKind::Busy), those of [`check_output`], and errors of writing.
    pub(crate) fn open(root: &Path, overwrite: bool, source: u64) -> Result<Self, Error> {
        let write_error = |error| Error::write(root, error);
        fs::create_dir_all(root).map_err(write_error)?;
        let (log, entries) = RunLog::open(root)?;
        // Another run may have written to the folder since it was first checked.
        check_output(root, overwrite)?;
        let folder = WrittenFolder::begin(root, log, &entries, &[])?;
        let former = HistoryManifest::read(root)?;
        if former.is_none() {
            folder.remove_files([SUCCESS_FILE, VIEWS_FILE])?;
        }
        let former = former.into_iter().flat_map(|former| former.files);
        let former: BTreeSet<String> = former.map(|file| file.path).collect();
        folder.remove_files(entries.part_files.difference(&former))?;
        // The former files remain until the end, so that their names must not be used again.
        let has_generation = |generation: u32| {
            let name = format!("part-{generation:08x}-");
            former.iter().any(|path| path.contains(&name))
        };
        let generation = (source >> 32) as u32;
        let generation = if has_generation(generation) {
            generation.wrapping_add(1)
        } else {
            generation
        };
        Ok(Self {
            folder,
            generation,
            former,
            created: BTreeSet::new(),
        })
    }

    pub(crate) fn temp_folder(&self) -> &Arc<TempFolder> {
        self.folder.temp_folder()
    }

    /// Creates a file of a table under a temporary name, and writes its final name to the log. `number` is the number
    /// of the file in its table, from 0.
    pub(crate) fn create_file(
        &mut self,
        table: Table,
        number: usize,
    ) -> Result<TableFileWriter, Error> {
        let new = self.new_file(table, number)?;
        TableFileWriter::create(table.file_schema(&[]), new)
    }

    fn new_file(&mut self, table: Table, number: usize) -> Result<(NewFile, File), Error> {
        let path = OutputLayout::numbered_path(table, self.generation, number);
        let name = path.to_string_lossy().into_owned();
        self.folder.announce(std::slice::from_ref(&name))?;
        self.created.insert(name);
        self.temp_folder().new_file(&path, false)
    }

    /// Copies a file of the history at `root`, of a table that has `number` files so far.
    ///
    /// # Errors
    ///
    /// Those of [`check_digest`] and of writing.
    pub(crate) fn copy_file(
        &mut self,
        table: Table,
        number: usize,
        root: &Path,
        file: &HistoryFile,
    ) -> Result<HistoryFile, Error> {
        let (new, target) = self.new_file(table, number)?;
        let source = root.join(&file.path);
        let read_error = |error| Error::read(&source, error);
        let opened = disk::open_below(root, Path::new(&file.path)).map_err(read_error)?;
        check_digest(&opened, &source, &file.stats)?;
        (&opened).rewind().map_err(read_error)?;
        let copied = io::copy(&mut &opened, &mut &target).and_then(|_| target.sync_all());
        copied.map_err(|error| Error::write(new.path(), error))?;
        let path = new.relative_path().to_string_lossy().into_owned();
        new.commit()?;
        let stats = file.stats.clone();
        Ok(HistoryFile { path, stats })
    }

    /// Removes the files that were created, after an error. Files that cannot be removed are removed by the next run.
    pub(crate) fn discard(self) {
        for path in &self.created {
            let _ = self.folder.remove_files_and_folders(&[path]);
        }
        self.folder.end();
    }

    /// Replaces the former history with the files that were created. `source` is the digest of what it was made from.
    pub(crate) fn commit(
        mut self,
        manifest: &HistoryManifest,
        source: u64,
        summary: &HistorySummary,
    ) -> Result<(), Error> {
        let text = manifest.text();
        let folder = &mut self.folder;
        if !self.former.is_empty() {
            // A folder that was copied has another log, or none.
            let former: Vec<String> = self.former.iter().cloned().collect();
            folder.announce(&former)?;
        }
        folder.announce_commit(json!({
            "source": source,
            "xxh3": xxh3_64(text.as_bytes()),
            "crawls_read": summary.crawls_read,
            "hosts": summary.hosts,
        }))?;
        folder.replace_file(VIEWS_FILE, &history_text(folder.root())?)?;
        folder.replace_file(SUCCESS_FILE, "")?;
        folder.replace_file(MANIFEST_FILE, &text)?;
        let files: BTreeSet<&String> = manifest.files.iter().map(|file| &file.path).collect();
        let former = self.former.iter();
        folder.remove_files(former.filter(|path| !files.contains(path)))?;
        self.folder.end();
        Ok(())
    }

    /// Ends a run that was stopped after it had replaced the history: [`open`](Self::open) has removed what it left.
    pub(crate) fn end(self) {
        self.folder.end();
    }
}

/// Returns the counts of the history at `root` if a run from `source` has written it and was stopped before it ended.
///
/// # Errors
///
/// Those of reading.
pub(crate) fn find_stopped(root: &Path, source: u64) -> Result<Option<HistorySummary>, Error> {
    let Some(manifest) = HistoryManifest::read(root)? else {
        return Ok(None);
    };
    let log = LogEntries::read(root).map_err(|error| Error::read(root.join(LOG_FILE), error))?;
    let Some(commit) = log.and_then(|log| log.commit) else {
        return Ok(None);
    };
    let count = |field: &str| commit[field].as_u64().unwrap_or_default();
    let digest = xxh3_64(manifest.text().as_bytes());
    let is_written = commit["source"] == source && commit["xxh3"] == digest;
    Ok(is_written.then(|| HistorySummary {
        crawls_read: count("crawls_read") as usize,
        hosts: count("hosts"),
        ..HistorySummary::of(&manifest)
    }))
}
