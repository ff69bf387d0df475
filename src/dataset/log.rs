//! The log of a dataset, which is also its lock.
//!
//! `_log.jsonl` has a line for each event. Lines that a later run needs to clean up after
//! a killed run are synced before the event takes place: the line with the name of the
//! temporary folder, and lines with the final names of files. The other lines have times
//! and speeds, which differ between runs.

use super::OutputLayout;
use super::manifest::is_dataset_file_path;
use crate::file_names::LOG_FILE;
use disk::TempFolder;
use errors::{Error, ErrorKind};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first bytes of every log: the start of a line with the event `begin`.
const LOG_START: &[u8] = br#"{"event":"begin""#;

/// The log of a dataset. The lock is held as long as this value exists.
#[derive(Debug)]
pub struct RunLog {
    path: PathBuf,
    file: File,
}

/// The temporary folders and the files that the log of former runs lists. The next run may have to
/// remove them.
#[derive(Debug, Default)]
pub struct LogEntries {
    /// The names of temporary folders in the folder of the dataset.
    pub temp_folders: BTreeSet<String>,
    /// The paths of files that were renamed to their final names, or were about to be. The manifest may list
    /// them, too.
    pub part_files: BTreeSet<String>,
    /// The line with the event `commit` of a run that has not ended: it was about to replace the manifest, or has done so.
    pub commit: Option<Value>,
}

impl LogEntries {
    /// Parses a log. A line that is incomplete because the run was killed is skipped.
    fn parse(text: &[u8]) -> Self {
        let mut entries = Self::default();
        for line in text.split(|&byte| byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<Value>(line) else {
                continue;
            };
            let temporary = line["temporary"].as_str();
            let temporary = temporary.filter(|name| TempFolder::is_name(name));
            entries.temp_folders.extend(temporary.map(str::to_owned));
            match line["event"].as_str() {
                Some("part") => {
                    let files = line["files"].as_array().into_iter().flatten();
                    let files = files.filter_map(Value::as_str);
                    let is_own = |path: &&str| {
                        is_dataset_file_path(path)
                            || OutputLayout::table_of_numbered_path(path).is_some()
                    };
                    let own = files.filter(is_own);
                    entries.part_files.extend(own.map(str::to_owned));
                }
                // The files of the replaced dataset were removed.
                Some("replaced") => entries.part_files.clear(),
                Some("commit") => entries.commit = Some(line),
                Some("end") => entries.commit = None,
                _ => {}
            }
        }
        entries
    }

    /// Reads the log of a dataset without taking the lock. Returns `None` if there is
    /// no log that robots-scan wrote.
    ///
    /// # Errors
    ///
    /// Those of reading a file that exists.
    pub fn read(root: &Path) -> io::Result<Option<Self>> {
        match disk::read(&root.join(LOG_FILE)) {
            Ok(text) => Ok(is_log(&text).then(|| Self::parse(&text))),
            Err(error) if error.raw_os_error().is_none() => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns true if a text begins like a log, or is only the beginning of `LOG_START`, or empty.
fn is_log(text: &[u8]) -> bool {
    text.starts_with(LOG_START) || LOG_START.starts_with(text)
}

impl RunLog {
    /// Opens or creates the log of a dataset, and takes the lock.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`] if another run has the lock, [`ErrorKind::ForeignFile`]
    /// if the file is something else, [`ErrorKind::Create`].
    pub fn open(root: &Path) -> Result<(Self, LogEntries), Error> {
        let create_error = |error| Error::with_source(ErrorKind::Create, root, error);
        let path = root.join(LOG_FILE);
        let mut options = OpenOptions::new();
        let file = disk::open_with_options(&path, options.read(true).append(true).create(true));
        let file = file.map_err(create_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::new(ErrorKind::Busy, root)),
            // The file system has no locks: two runs at once are not detected.
            Err(TryLockError::Error(_)) => {}
        }
        let text = disk::read(&path).map_err(create_error)?;
        if !is_log(&text) {
            return Err(Error::new(ErrorKind::ForeignFile, path));
        }
        let mut log = Self { path, file };
        if LOG_START.starts_with(&text) {
            // An incomplete first line is removed: the next line would be appended to it.
            log.file.set_len(0).map_err(create_error)?;
        } else if !text.ends_with(b"\n") {
            log.file.write_all(b"\n").map_err(create_error)?;
        }
        Ok((log, LogEntries::parse(&text)))
    }

    /// Writes the first line of a run, and syncs the folder, as the log may be new.
    pub fn begin(&mut self, root: &Path, line: &Value) -> Result<(), Error> {
        self.write_synced(line)?;
        disk::sync_folder(root).map_err(|error| Error::write(root, error))
    }

    /// Writes a line, and returns once it is on the disk.
    pub fn write_synced(&mut self, line: &Value) -> Result<(), Error> {
        let written = self.write_line(line).and_then(|()| self.file.sync_data());
        written.map_err(|error| Error::write(&self.path, error))
    }

    /// Writes a line that no later run needs. Errors are ignored.
    pub fn write_best_effort(&mut self, line: &Value) {
        let _ = self.write_line(line);
    }

    fn write_line(&mut self, line: &Value) -> io::Result<()> {
        self.file.write_all(format!("{line}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn entries_are_read_from_a_log_that_a_kill_cut() {
        let name = TempFolder::random_name();
        let part = "rules/crawl=X/subset=warc/part-00001.parquet";
        let lines = [
            json!({"event": "begin", "temporary": name}),
            json!({"event": "part", "files": ["rules/crawl=X/subset=warc/part-00000.parquet"]}),
            json!({"event": "replaced"}),
            json!({"event": "part", "files": [part, "../x", "/etc/passwd", 7]}),
            json!({"event": "begin", "temporary": "../elsewhere"}),
        ];
        let mut text: String = lines.map(|line| format!("{line}\n")).concat();
        text.push_str("{\"event\":\"beg");
        assert!(is_log(text.as_bytes()) && is_log(b"") && !is_log(b"mine"));
        let entries = LogEntries::parse(text.as_bytes());
        assert_eq!(entries.temp_folders.into_iter().collect::<Vec<_>>(), [name]);
        assert_eq!(entries.part_files.into_iter().collect::<Vec<_>>(), [part]);
    }

    #[test]
    fn a_line_that_a_kill_cut_does_not_hide_the_next() {
        let place = tempfile::tempdir().unwrap();
        for cut in ["", "{\"eve", "{\"event\":\"begin\",\"inputs\":1}\n{\"even"] {
            std::fs::write(place.path().join(LOG_FILE), cut).unwrap();
            let name = TempFolder::random_name();
            let (mut log, _) = RunLog::open(place.path()).unwrap();
            log.begin(place.path(), &json!({"event": "begin", "temporary": name}))
                .unwrap();
            let error = RunLog::open(place.path()).unwrap_err();
            assert_eq!(error.kind(), Some(&ErrorKind::Busy));
            drop(log);
            let entries = LogEntries::read(place.path()).unwrap().unwrap();
            assert!(entries.temp_folders.contains(&name), "{cut}");
        }
        std::fs::write(place.path().join(LOG_FILE), "mine").unwrap();
        let error = RunLog::open(place.path()).unwrap_err();
        assert_eq!(error.kind(), Some(&ErrorKind::ForeignFile));
        assert_eq!(std::fs::read(place.path().join(LOG_FILE)).unwrap(), b"mine");
    }
}
