//! The manifest of histories.
//!
//! The first line of `_manifest.jsonl` is about the program and the crawls. A line per file follows. The
//! manifest is replaced at once, after all files have their names, so that a history is always whole:
//! files that it does not list are those of a run that was killed.

use super::manifest;
use super::manifest_entries::{FileStats, Format, to_json_line};
use crate::error::{DatasetDefect, DatasetErrorKind, ManifestDefect};
use crate::tables::{Table, is_partition_name};
use columns::WrittenFile;
use disk::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The crawls and the files of a history, as its manifest lists them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryManifest {
    /// The meaning of its rows ([`MEANING`](crate::MEANING)).
    pub meaning: u64,
    /// The crawls, in the order of the table `crawls`.
    pub crawls: Vec<String>,
    /// True if the content of revisits is to be found when rows are read.
    pub has_open_revisits: bool,
    /// The files of all tables, those of a table in the order of their rows.
    pub files: Vec<HistoryFile>,
}

/// A file of a history.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct HistoryFile {
    /// The path, relative to the folder of the history.
    pub path: String,
    #[serde(flatten)]
    pub stats: FileStats,
}

/// The first line of the manifest of a history.
#[derive(Serialize)]
struct FirstLine<'a> {
    crawls: &'a [String],
    #[serde(flatten)]
    format: Format,
    history: bool,
    meaning: u64,
    open_revisits: bool,
    robots_scan: &'a str,
}

impl HistoryManifest {
    /// Reads the manifest of a history; `None` if `root` is none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](disk::error::ErrorKind::Read), [`DatasetErrorKind::BadManifest`];
    /// [`DatasetErrorKind::NotADataset`] if an earlier trial wrote it.
    pub fn read(root: &Path) -> Result<Option<Self>, Error> {
        let path = root.join(manifest::MANIFEST_FILE);
        if !disk::is_regular(&path) {
            return Ok(None);
        }
        let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
        Self::parse(&text).map_err(|kind| Error::new(kind, &path))
    }

    /// Parses a manifest; `None` if it is not one of a history.
    fn parse(text: &[u8]) -> Result<Option<Self>, DatasetErrorKind> {
        let invalid_error =
            |message: String| DatasetErrorKind::BadManifest(ManifestDefect::Invalid(message));
        let mut lines = text.split(|&byte| byte == b'\n');
        let first: Result<Value, _> = serde_json::from_slice(lines.next().unwrap_or_default());
        let Some(first) = first.ok().filter(|first| first["history"] == true) else {
            return Ok(None);
        };
        if !Format::today().is_of(&first) {
            return Err(DatasetErrorKind::NotADataset(DatasetDefect::earlier_trial()));
        }
        let crawls: Option<Vec<String>> = serde_json::from_value(first["crawls"].clone()).ok();
        let crawls = crawls.filter(|crawls| are_crawls(crawls));
        let no_crawls = || invalid_error("line 1 has no valid `crawls`".to_owned());
        let mut history = Self {
            meaning: first["meaning"].as_u64().unwrap_or_default(),
            crawls: crawls.ok_or_else(no_crawls)?,
            has_open_revisits: first["open_revisits"] == true,
            files: Vec::new(),
        };
        let mut paths = BTreeSet::new();
        let (mut bytes, mut rows) = (0u64, 0u64);
        for (number, line) in (2..).zip(lines).filter(|(_, line)| !line.is_empty()) {
            let file: HistoryFile = serde_json::from_slice(line)
                .map_err(|error| invalid_error(format!("line {number} cannot be read: {error}")))?;
            if !is_history_path(&file.path) {
                let message = format!("line {number} has a path that no history has");
                return Err(invalid_error(message));
            }
            if !paths.insert(file.path.clone()) {
                return Err(invalid_error(format!("line {number} repeats a path")));
            }
            // Sums of both are computed without further checks.
            let sums = bytes.checked_add(file.stats.bytes);
            let sums = sums.zip(rows.checked_add(file.stats.rows));
            (bytes, rows) =
                sums.ok_or_else(|| invalid_error(format!("line {number} has impossible numbers")))?;
            history.files.push(file);
        }
        if !text.ends_with(b"\n") {
            return Err(invalid_error("its last line has no end".to_owned()));
        }
        Ok(Some(history))
    }

    /// Returns the content of the manifest file.
    pub fn text(&self) -> String {
        let first = to_json_line(&FirstLine {
            crawls: &self.crawls,
            format: Format::today(),
            history: true,
            meaning: self.meaning,
            open_revisits: self.has_open_revisits,
            robots_scan: env!("CARGO_PKG_VERSION"),
        });
        let files = self.files.iter().map(to_json_line);
        std::iter::once(first).chain(files).collect()
    }

    /// Returns an error if a table has no file.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::BadManifest`].
    pub fn check_tables(&self, root: &Path) -> Result<(), Error> {
        let mut tables = history_tables();
        match tables.find(|table| self.table_files(*table).next().is_none()) {
            None => Ok(()),
            Some(table) => {
                let message = format!("it has no file of the table `{}`", table.name());
                let kind = DatasetErrorKind::BadManifest(ManifestDefect::Invalid(message));
                Err(Error::new(kind, root.join(manifest::MANIFEST_FILE)))
            }
        }
    }

    /// Returns the files of a table, in the order of their rows.
    pub fn table_files(&self, table: Table) -> impl Iterator<Item = &HistoryFile> {
        let files = self.files.iter();
        files.filter(move |file| file.table() == Some(table))
    }

    /// Returns the paths of all files with their tables, in order.
    pub fn paths(&self, root: &Path) -> Vec<(Table, PathBuf)> {
        let files = self.files.iter();
        let files = files.filter_map(|file| Some((file.table()?, root.join(&file.path))));
        files.collect()
    }
}

impl HistoryFile {
    pub fn new(file: WrittenFile) -> Self {
        Self {
            path: file.path.to_string_lossy().into_owned(),
            stats: FileStats {
                bytes: file.bytes,
                rows: file.rows,
                digest: file.digest,
            },
        }
    }

    /// Returns the relative path of the file of a table with a number. `generation` differs between the
    /// history that is written and the one that it replaces.
    pub fn relative_path(table: Table, generation: u32, number: usize) -> PathBuf {
        Path::new(table.name()).join(format!("part-{generation:08x}-{number:05}.parquet"))
    }

    /// Returns the table of the file, which its path begins with.
    pub fn table(&self) -> Option<Table> {
        let (name, _) = self.path.split_once('/')?;
        history_tables().find(|table| table.name() == name)
    }
}

/// Returns true if these are names of crawls, each once.
fn are_crawls(names: &[String]) -> bool {
    let unique: BTreeSet<&String> = names.iter().collect();
    unique.len() == names.len() && names.iter().all(|name| is_partition_name(name))
}

/// Returns true for a path that [`HistoryFile::relative_path`] makes.
pub(crate) fn is_history_path(path: &str) -> bool {
    let Some((table, name)) = path.split_once('/') else {
        return false;
    };
    let number = name.strip_prefix("part-");
    let number = number.and_then(|name| name.strip_suffix(".parquet"));
    let parts = number.and_then(|number| number.split_once('-'));
    parts.is_some_and(|(generation, number)| {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        generation.len() == 8
            && generation.bytes().all(is_hex)
            && number.len() >= 5
            && number.bytes().all(|byte| byte.is_ascii_digit())
    }) && history_tables().any(|own| own.name() == table)
}

/// Returns all tables of a history.
pub(crate) fn history_tables() -> impl Iterator<Item = Table> {
    Table::OF_HISTORY.into_iter().chain([Table::Agents])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses the manifest of a history with these crawls and files. Returns the message if it is refused.
    fn parse(crawls: &str, files: &[(&str, u64)]) -> Result<HistoryManifest, String> {
        let schemas = crate::tables::schemas_digest();
        let mut text = format!(
            "{{\"crawls\":{crawls},\"format\":8,\"schemas\":\"{schemas}\",\"history\":true,\"meaning\":1}}\n"
        );
        for (path, bytes) in files {
            text +=
                &format!("{{\"bytes\":{bytes},\"path\":\"{path}\",\"rows\":1,\"xxh3\":\"00\"}}\n");
        }
        let parsed = HistoryManifest::parse(text.as_bytes());
        let parsed = parsed.map(|history| history.expect("the first line is that of a history"));
        parsed.map_err(|kind| match kind {
            DatasetErrorKind::BadManifest(defect) => defect.to_string(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_manifest_has_valid_names_and_each_file_once() {
        let (a, b) = (
            "crawls/part-00000000-00000.parquet",
            "agents/part-00000000-00000.parquet",
        );
        let parsed = parse("[\"A\",\"B-2.c_d\"]", &[(a, 5), (b, 6)]).unwrap();
        assert_eq!((parsed.crawls.len(), parsed.files.len()), (2, 2));
        assert_eq!(
            HistoryManifest::parse(parsed.text().as_bytes()),
            Ok(Some(parsed))
        );
        let long = format!("[\"{}\"]", "a".repeat(101));
        for crawls in [
            "[\"A\",\"A\"]",
            "[\"../x\"]",
            "[\"a'b\"]",
            "[\"\"]",
            "[1]",
            "{}",
            "null",
            &long,
        ] {
            let message = parse(crawls, &[(a, 5)]).unwrap_err();
            assert!(
                message.contains("line 1 has no valid `crawls`"),
                "{crawls}: {message}"
            );
        }
        for path in [
            "../x",
            "/crawls/part-00000000-00000.parquet",
            "crawls/../agents/part-00000000-00000.parquet",
        ] {
            let message = parse("[]", &[(a, 5), (path, 6)]).unwrap_err();
            assert!(
                message.contains("line 3 has a path that no history has"),
                "{path}: {message}"
            );
        }
        assert!(
            parse("[]", &[(a, 5), (a, 5)])
                .unwrap_err()
                .contains("line 3 repeats a path")
        );
    }

    #[test]
    fn numbers_whose_sum_is_too_large_are_refused() {
        let (a, b) = (
            "crawls/part-00000000-00000.parquet",
            "agents/part-00000000-00000.parquet",
        );
        assert!(parse("[]", &[(a, u64::MAX)]).is_ok());
        let message = parse("[]", &[(a, u64::MAX), (b, 1)]).unwrap_err();
        assert!(
            message.contains("line 3 has impossible numbers"),
            "{message}"
        );
    }
}
