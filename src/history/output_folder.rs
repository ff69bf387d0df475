//! The folder to which a history is written.
//!
//! A run may be killed between any two steps. The folder then has either the former history or the new one:
//!
//! 1. The log is locked. Temporary folders that earlier runs have left are removed, and files that the log lists and
//!    the manifest does not.
//! 2. Files are written under temporary names. Before a file gets its final name, the name is written to the log. No
//!    final name is that of a file of the former history.
//! 3. The manifest is replaced by the new one.
//! 4. `views.sql` and `_SUCCESS` are written, and the files of the former history are removed.

use super::damaged_history_error;
use crate::error::HistoryErrorKind;
use crate::manifest::{HistoryFile, HistoryManifest, KIND};
use columns::TableFileWriter;
use dataset::error::DatasetErrorKind;
use dataset::{
    IfExists, MANIFEST_FILE, OutputLayout, RunLog, SUCCESS_FILE, VIEWS_FILE, WrittenFolder,
    digest_of,
};
use disk::error::Error;
use disk::{NewFile, TempFolder};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use tables::Table;

/// The folder to which a history is written. The lock of the folder is held as long as this value exists.
pub(super) struct OutputFolder {
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
pub(super) fn check_output(root: &Path, overwrite: bool) -> Result<(), Error> {
    if dataset::is_dataset(root) {
        match HistoryManifest::read(root)? {
            None => return Err(Error::new(HistoryErrorKind::OutputIsNoHistory, root)),
            Some(_) if !overwrite => return Err(Error::new(DatasetErrorKind::FileExists, root)),
            Some(_) => {}
        }
    }
    let layout = OutputLayout::new_of_kind(root, KIND);
    let if_exists = match overwrite {
        true => IfExists::Overwrite,
        false => IfExists::Refuse,
    };
    layout.check(if_exists)
}

impl OutputFolder {
    /// Creates the folder if needed, takes the lock, and removes files that killed runs have left. `generation` is
    /// part of the names of files; the next number is used if a file of the former history has it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](disk::error::ErrorKind::Busy), those of [`check_output`], and errors of writing.
    pub(super) fn open(root: &Path, overwrite: bool, generation: u32) -> Result<Self, Error> {
        let write_error = |error| Error::write(root, error);
        fs::create_dir_all(root).map_err(write_error)?;
        let (log, entries) = RunLog::open(root)?;
        // Another run may have written to the folder since it was first checked.
        check_output(root, overwrite)?;
        let folder = WrittenFolder::begin(root, log, &entries, &[])?;
        let former = HistoryManifest::read(root)?.unwrap_or_default();
        let former: BTreeSet<String> = former.files.into_iter().map(|file| file.path).collect();
        folder.remove_files(entries.part_files.difference(&former))?;
        // The former files remain until the end, so that their names must not be used again.
        let has_generation = |generation: u32| {
            let name = format!("part-{generation:08x}-");
            former.iter().any(|path| path.contains(&name))
        };
        let generation = match has_generation(generation) {
            true => generation.wrapping_add(1),
            false => generation,
        };
        Ok(Self {
            folder,
            generation,
            former,
            created: BTreeSet::new(),
        })
    }

    pub(super) fn temp_folder(&self) -> &Arc<TempFolder> {
        self.folder.temp_folder()
    }

    /// Creates a file of a table under a temporary name, and writes its final name to the log. `number` is the number
    /// of the file in its table, from 0.
    pub(super) fn create_file(
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
    /// Those of reading and writing; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if the digest of
    /// the bytes is not that of the manifest.
    pub(super) fn copy_file(
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
        let bytes = io::copy(&mut &opened, &mut &target);
        bytes
            .and_then(|_| target.sync_all())
            .map_err(|error| Error::write(new.path(), error))?;
        let digest = digest_of(&opened, 0, file.stats.bytes).map_err(read_error)?;
        if digest != file.stats.digest {
            return Err(damaged_history_error(root, table).with_path(&source));
        }
        let path = new.relative_path().to_string_lossy().into_owned();
        new.commit()?;
        let stats = file.stats.clone();
        Ok(HistoryFile { path, stats })
    }

    /// Removes the files that were created, after an error. Files that cannot be removed are removed by the next run.
    pub(super) fn discard(mut self) {
        let created = std::mem::take(&mut self.created);
        for path in created {
            let _ = self.folder.remove_files_and_folders(&[path]);
        }
        self.folder.add_log_line(&json!({"event": "end"}));
    }

    /// Replaces the former history with the files that were created: writes the manifest, and removes the former
    /// files.
    pub(super) fn commit(mut self, manifest: &HistoryManifest) -> Result<(), Error> {
        let folder = &mut self.folder;
        let views = crate::views::history_text(folder.root(), manifest)?;
        folder.replace_file(MANIFEST_FILE, &manifest.text())?;
        folder.replace_file(VIEWS_FILE, &views)?;
        folder.replace_file(SUCCESS_FILE, "")?;
        let files: BTreeSet<String> = (manifest.files.iter())
            .map(|file| file.path.clone())
            .collect();
        folder.remove_files(self.former.difference(&files))?;
        folder.add_log_line(&json!({"event": "end"}));
        Ok(())
    }
}
