//! The manifest of histories.
//!
//! The first line of `_manifest.jsonl` is about the program and the crawls. A line for each file follows. The
//! manifest is replaced by one rename, after all files have their final names, so that it always lists a complete
//! history. Files that it does not list were left by a killed run.

use crate::own_tables;
use columns::WrittenFile;
use dataset::error::{DatasetErrorKind, ManifestDefect};
use dataset::{FileStats, Format, MANIFEST_FILE, ManifestText, OutputLayout, to_json_line};
use errors::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use tables::{Table, is_partition_name};

/// The value of `kind` in the first line of the manifest.
pub(crate) const KIND: &str = "history";

/// The crawls and the files of a history, as its manifest lists them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryManifest {
    /// The version of the meaning of its rows ([`MEANING`](tables::MEANING)).
    pub meaning: u64,
    /// The crawls, in the order of the table `crawls`.
    pub crawls: Vec<String>,
    /// True if some capture has no time.
    pub has_untimed_captures: bool,
    /// The files of all tables, those of a table in the order of their rows.
    pub files: Vec<HistoryFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct HistoryFile {
    /// The path, relative to the folder of the history.
    pub path: String,
    /// The size, the digest and the number of rows.
    #[serde(flatten)]
    pub stats: FileStats,
}

/// The first line of the manifest of a history.
#[derive(Serialize)]
struct FirstLine<'a> {
    crawls: &'a [String],
    #[serde(flatten)]
    format: Format,
    kind: &'static str,
    meaning: u64,
    robots_scan: &'a str,
    untimed_captures: bool,
}

impl HistoryManifest {
    /// Reads the manifest of a history; `None` if `root` is not the folder of one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read), [`DatasetErrorKind::BadManifest`];
    /// [`DatasetErrorKind::NotADataset`] if the manifest has another format than this program writes.
    pub fn read(root: &Path) -> Result<Option<Self>, Error> {
        let Some(text) = ManifestText::read(root)?.filter(|text| text.first_line()["kind"] == KIND)
        else {
            return Ok(None);
        };
        text.check_format(&format())?;
        let history = Self::parse(&text.bytes);
        history
            .map(Some)
            .map_err(|message| text.invalid_error(message))
    }

    /// Parses a manifest, or says what is not valid.
    fn parse(text: &[u8]) -> Result<Self, String> {
        let mut lines = text.split(|&byte| byte == b'\n');
        let first: Value =
            serde_json::from_slice(lines.next().unwrap_or_default()).unwrap_or_default();
        let crawls: Option<Vec<String>> = serde_json::from_value(first["crawls"].clone()).ok();
        let crawls = crawls.filter(|crawls| are_crawls(crawls));
        let mut history = Self {
            meaning: first["meaning"].as_u64().unwrap_or_default(),
            crawls: crawls.ok_or("line 1 has no valid `crawls`")?,
            has_untimed_captures: first["untimed_captures"] == true,
            files: Vec::new(),
        };
        let mut paths = BTreeSet::new();
        let (mut bytes, mut rows) = (0u64, 0u64);
        for (number, line) in (2..).zip(lines).filter(|(_, line)| !line.is_empty()) {
            let file: HistoryFile = serde_json::from_slice(line)
                .map_err(|error| format!("line {number} cannot be read: {error}"))?;
            if file.table().is_none() {
                return Err(format!("line {number} has a path that no history has"));
            }
            if !paths.insert(file.path.clone()) {
                return Err(format!("line {number} repeats a path"));
            }
            // Other code adds these numbers without checks, so that their sums must not overflow.
            let sums = bytes.checked_add(file.stats.bytes);
            let sums = sums.zip(rows.checked_add(file.stats.rows));
            (bytes, rows) = sums.ok_or_else(|| format!("line {number} has impossible numbers"))?;
            history.files.push(file);
        }
        if !text.ends_with(b"\n") {
            return Err("its last line has no end".to_owned());
        }
        Ok(history)
    }

    /// Returns the content of the manifest file.
    pub fn text(&self) -> String {
        let first = to_json_line(&FirstLine {
            crawls: &self.crawls,
            format: format(),
            kind: KIND,
            meaning: self.meaning,
            robots_scan: env!("CARGO_PKG_VERSION"),
            untimed_captures: self.has_untimed_captures,
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
        let mut tables = own_tables::all();
        match tables.find(|table| self.table_files(*table).next().is_none()) {
            None => Ok(()),
            Some(table) => {
                let message = format!("it has no file of the table `{}`", table.name());
                let kind = DatasetErrorKind::BadManifest(ManifestDefect::Invalid(message));
                Err(Error::new(kind, root.join(MANIFEST_FILE)))
            }
        }
    }

    /// Returns the files of a table, in the order of their rows.
    pub fn table_files(&self, table: Table) -> impl Iterator<Item = &HistoryFile> {
        let files = self.files.iter();
        files.filter(move |file| file.table() == Some(table))
    }
}

impl HistoryFile {
    /// Makes the entry of a file that was written.
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

    /// Returns the table of the file, whose name is the first part of the path; `None` for other paths.
    pub fn table(&self) -> Option<Table> {
        let name = OutputLayout::table_of_numbered_path(&self.path)?;
        own_tables::all().find(|table| table.name() == name)
    }
}

/// Returns true if all names are valid for crawls, and each is there only once.
fn are_crawls(names: &[String]) -> bool {
    let unique: BTreeSet<&String> = names.iter().collect();
    unique.len() == names.len() && names.iter().all(|name| is_partition_name(name))
}

/// Returns the format of the manifests that this program writes.
fn format() -> Format {
    Format::new(&own_tables::all().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses the manifest of a history with these crawls and files. Returns the message if it is refused.
    fn parse(crawls: &str, files: &[(&str, u64)]) -> Result<HistoryManifest, String> {
        let mut first = serde_json::to_value(format()).unwrap();
        first["crawls"] = serde_json::from_str(crawls).unwrap();
        first["kind"] = KIND.into();
        first["meaning"] = 1.into();
        let mut text = format!("{first}\n");
        for (path, bytes) in files {
            text +=
                &format!("{{\"bytes\":{bytes},\"path\":\"{path}\",\"rows\":1,\"xxh3\":\"00\"}}\n");
        }
        HistoryManifest::parse(text.as_bytes())
    }

    #[test]
    fn a_manifest_has_valid_names_and_each_file_once() {
        let (a, b) = (
            "crawls/part-00000000-00000.parquet",
            "agents/part-00000000-00000.parquet",
        );
        let parsed = parse("[\"A\",\"B-2.c_d\"]", &[(a, 5), (b, 6)]).unwrap();
        assert_eq!((parsed.crawls.len(), parsed.files.len()), (2, 2));
        assert_eq!(HistoryManifest::parse(parsed.text().as_bytes()), Ok(parsed));
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
