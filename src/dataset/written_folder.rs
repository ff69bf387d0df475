//! A folder that is written: of a dataset, of joined datasets or of a history.
//!
//! A run may be killed between any two steps. Files are written below a temporary folder, whose name is in
//! the log before the folder is created. The final names of files are in the log before the files are renamed.
//! So the log of a killed run lists all files and folders that the next run may have to remove.

use super::log::{LogEntries, RunLog};
use disk::TempFolder;
use errors::Error;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder whose lock is held, with its log and its temporary folder.
#[derive(Debug)]
pub struct WrittenFolder {
    root: PathBuf,
    log: RunLog,
    temp_folder: Arc<TempFolder>,
}

impl WrittenFolder {
    /// Removes the temporary folders of runs that were killed, and begins a run. `details` are fields
    /// of its first line in the log.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn begin(
        root: &Path,
        mut log: RunLog,
        entries: &LogEntries,
        details: &[(&str, usize)],
    ) -> Result<Self, Error> {
        for name in &entries.temp_folders {
            TempFolder::remove_leftover(root, name)
                .map_err(|error| Error::write(root.join(name), error))?;
        }
        let name = TempFolder::random_name();
        let mut line = json!({"event": "begin", "temporary": name});
        for (key, value) in details {
            line[key] = (*value).into();
        }
        log.begin(root, &line)?;
        Ok(Self {
            root: root.to_owned(),
            log,
            temp_folder: Arc::new(TempFolder::create(root, &name)?),
        })
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder of files that do not have their final names yet.
    pub fn temp_folder(&self) -> &Arc<TempFolder> {
        &self.temp_folder
    }

    /// Writes to the log that these files are about to get their final names.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn announce(&mut self, files: &[String]) -> Result<(), Error> {
        self.log
            .write_synced(&json!({"event": "part", "files": files}))
    }

    /// Writes to the log what the next run must know if this one is stopped after its last rename. `details` are fields
    /// of the line.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn announce_commit(&mut self, mut details: Value) -> Result<(), Error> {
        details["event"] = "commit".into();
        self.log.write_synced(&details)
    }

    /// Removes the temporary folder, and then writes to the log that the run has ended.
    pub fn end(self) {
        let Self {
            mut log,
            temp_folder,
            ..
        } = self;
        drop(temp_folder);
        log.write_best_effort(&json!({"event": "end"}));
    }

    /// Writes a line to the log that no later run needs. Errors are ignored.
    pub fn add_log_line(&mut self, line: &Value) {
        self.log.write_best_effort(line);
    }

    /// Writes to the log that the files of the replaced dataset are removed.
    pub(crate) fn add_replaced(&mut self) -> Result<(), Error> {
        self.log.write_synced(&json!({"event": "replaced"}))
    }

    /// Writes a small file atomically. An existing file is replaced.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn replace_file(&self, name: &str, text: &str) -> Result<(), Error> {
        self.temp_folder
            .replace_file(Path::new(name), text.as_bytes())
    }

    /// Removes files, which may be missing.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn remove_files<P: AsRef<Path>>(
        &self,
        files: impl IntoIterator<Item = P>,
    ) -> Result<(), Error> {
        for path in files {
            disk::remove_below(&self.root, path.as_ref())
                .map_err(|error| Error::write(self.root.join(path.as_ref()), error))?;
        }
        Ok(())
    }

    /// Removes files, and the folders above them that are empty afterwards.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn remove_files_and_folders<P: AsRef<Path>>(&self, files: &[P]) -> Result<(), Error> {
        self.remove_files(files)?;
        for path in files {
            disk::remove_empty_folders(&self.root, path.as_ref());
        }
        Ok(())
    }
}
