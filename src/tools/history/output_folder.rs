//! The folder of a history that is written.
//!
//! A run may be killed between any two steps, and leaves the history that was there, or the new one:
//!
//! 1. The log is locked. Temporary folders of earlier runs are removed, and files that the manifest does not
//!    list.
//! 2. Files are written under temporary names. The log gets the name of each before the file does. Names
//!    differ from those of the history that is replaced.
//! 3. The manifest is replaced by the new one.
//! 4. `views.sql` and `_SUCCESS` are written, and the files of the former history are removed.

use crate::error::ToolErrorKind;
use columns::TableFileWriter;
use dataset::tables::Table;
use dataset::{
    HistoryFile, HistoryManifest, IfExists, LogEntries, MANIFEST_FILE, OutputLayout, RunLog,
    SUCCESS_FILE, VIEWS_FILE,
};
use disk::TempFolder;
use disk::error::Error;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder, whose lock is held.
pub(super) struct OutputFolder {
    root: PathBuf,
    log: RunLog,
    temp_folder: Arc<TempFolder>,
    generation: u32,
    /// Files of the history that is replaced.
    former: BTreeSet<String>,
    /// Files that were created.
    created: BTreeSet<String>,
}

/// Checks that a history may be written, without writing anything.
///
/// # Errors
///
/// Those of [`OutputLayout::check`]; [`ToolErrorKind::OutputIsNoHistory`] for a dataset.
pub(super) fn check_output(root: &Path, overwrite: bool) -> Result<(), Error> {
    if dataset::is_dataset(root) {
        match HistoryManifest::read(root)? {
            None => return Err(Error::new(ToolErrorKind::OutputIsNoHistory, root)),
            Some(_) if !overwrite => return Err(Error::new(ToolErrorKind::HistoryExists, root)),
            Some(_) => {}
        }
    }
    let layout = OutputLayout::new_dataset(root, &Table::OF_HISTORY, None);
    let if_exists = match overwrite {
        true => IfExists::Overwrite,
        false => IfExists::Refuse,
    };
    layout.check(if_exists)
}

impl OutputFolder {
    /// Creates the folder if needed, takes the lock, and removes what runs that were killed have left.
    /// `generation` is part of the names of files.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](disk::error::ErrorKind::Busy), those of [`check_output`], and errors of writing.
    pub(super) fn open(root: &Path, overwrite: bool, generation: u32) -> Result<Self, Error> {
        let write_error = |error| Error::write(root, error);
        fs::create_dir_all(root).map_err(write_error)?;
        let (mut log, entries) = RunLog::open(root)?;
        // Another run may have written it since the first check.
        check_output(root, overwrite)?;
        let LogEntries {
            temp_folders,
            part_files,
        } = entries;
        for name in &temp_folders {
            TempFolder::remove_leftover(root, name).map_err(write_error)?;
        }
        let former = HistoryManifest::read(root)?.unwrap_or_default();
        let former: BTreeSet<String> = former.files.into_iter().map(|file| file.path).collect();
        remove_files(root, part_files.difference(&former))?;
        // The name of a file that is still read must be free.
        let has_generation = |generation: u32| {
            let name = format!("part-{generation:08x}-");
            former.iter().any(|path| path.contains(&name))
        };
        let generation = match has_generation(generation) {
            true => generation.wrapping_add(1),
            false => generation,
        };
        let name = TempFolder::random_name();
        log.begin(root, &json!({"event": "begin", "temporary": name}))?;
        Ok(Self {
            root: root.to_owned(),
            log,
            temp_folder: Arc::new(TempFolder::create(root, &name)?),
            generation,
            former,
            created: BTreeSet::new(),
        })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn temp_folder(&self) -> &Arc<TempFolder> {
        &self.temp_folder
    }

    /// Creates the file of a table with a number, under a temporary name.
    pub(super) fn create_file(
        &mut self,
        table: Table,
        number: usize,
    ) -> Result<TableFileWriter, Error> {
        let path = HistoryFile::relative_path(table, self.generation, number);
        self.log
            .write_synced(&json!({"event": "part", "files": [path.to_string_lossy()]}))?;
        self.created.insert(path.to_string_lossy().into_owned());
        let new = self.temp_folder.new_file(&path, false)?;
        TableFileWriter::create(table.file_schema(&[]), new)
    }

    /// Removes the files that were created, after an error. What cannot be removed is removed by the next run.
    pub(super) fn discard(mut self) {
        for path in &self.created {
            if disk::remove_below(&self.root, Path::new(path)).is_ok()
                && let Some((table, _)) = path.split_once('/')
            {
                // It fails for a folder that has files of the former history.
                let _ = fs::remove_dir(self.root.join(table));
            }
        }
        self.log.write_best_effort(&json!({"event": "end"}));
    }

    /// Makes the files the history, and removes those of the former one.
    pub(super) fn commit(mut self, manifest: &HistoryManifest) -> Result<(), Error> {
        let replace = |name: &str, text: &str| {
            self.temp_folder
                .replace_file(Path::new(name), text.as_bytes())
        };
        let views = dataset::history_views_text(&self.root, manifest)?;
        replace(MANIFEST_FILE, &manifest.text())?;
        replace(VIEWS_FILE, &views)?;
        replace(SUCCESS_FILE, "")?;
        let files: BTreeSet<String> = (manifest.files.iter())
            .map(|file| file.path.clone())
            .collect();
        remove_files(&self.root, self.former.difference(&files))?;
        self.log.write_best_effort(&json!({"event": "end"}));
        Ok(())
    }
}

fn remove_files<'p>(root: &Path, paths: impl Iterator<Item = &'p String>) -> Result<(), Error> {
    for path in paths {
        disk::remove_below(root, Path::new(path))
            .map_err(|error| Error::write(root.join(path), error))?;
    }
    Ok(())
}
