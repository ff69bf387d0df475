//! The manifest of joined datasets.
//!
//! `robots-scan join FOLDER` makes the datasets in the subfolders of a folder, its members, one
//! dataset. `FOLDER/_joined/` holds the resolved tables of all crawls and `_manifest.jsonl`, whose
//! first line has the format, the version of robots-scan and the tables. A line per member follows,
//! and a line per crawl, in the order of crawls. While crawls are resolved again, there is also a line
//! for each file that is still to be removed.

use super::manifest::is_dataset_file_path;
use super::manifest_entries::{CrawlEntry, FileEntry, Format, StaleEntry, to_json_line};
use super::manifest_text::ManifestText;
use super::{JOINED_FOLDER, OutputLayout};
use crate::error::{DatasetDefect, DatasetErrorKind, ManifestDefect};
use crate::file_names::{MANIFEST_FILE, SUCCESS_FILE};
use disk::FileKind;
use errors::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tables::{Table, ViewedFiles};

/// The members of joined datasets and their resolved crawls, as the manifest lists them.
#[derive(Clone, Debug, Default)]
pub struct JoinedManifest {
    /// The tables of all members, without the resolved ones.
    pub tables: Vec<Table>,
    /// The members, in the order of the manifest.
    pub members: Vec<MemberEntry>,
    /// The resolved crawls, in the order in which they are numbered.
    pub crawls: Vec<JoinedCrawl>,
    /// Files that are still to be removed.
    pub stale: BTreeSet<String>,
}

/// One of the joined datasets, which is a subfolder.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct MemberEntry {
    /// The name of the subfolder.
    #[serde(rename = "member")]
    pub name: String,
    /// The crawls of the member whose rows have another version of their meaning ([`tables::MEANING`]) than rows
    /// that this program writes, with this version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub other_meanings: BTreeMap<String, u64>,
    /// The XXH3-64 of its manifest, in hexadecimal.
    #[serde(rename = "xxh3")]
    pub digest: String,
}

/// A crawl of the members whose hosts are resolved.
#[derive(Clone, Debug, Serialize)]
pub struct JoinedCrawl {
    /// A digest of the files from which the crawl was resolved.
    #[serde(rename = "source")]
    pub source_digest: String,
    /// The crawl, and its files of the resolved tables.
    #[serde(flatten)]
    pub entry: CrawlEntry,
}

/// The first line of the manifest of joined datasets.
#[derive(Serialize)]
struct FirstLine<'a> {
    #[serde(flatten)]
    format: Format,
    joined: bool,
    robots_scan: &'a str,
    tables: Vec<&'a str>,
}

impl JoinedManifest {
    /// Reads the manifest of joined datasets; `None` if the datasets in `folder` are not joined.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read), [`DatasetErrorKind::BadManifest`];
    /// [`DatasetErrorKind::NotADataset`] if the manifest has another format than the present one.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let root = folder.join(JOINED_FOLDER);
        let text = ManifestText::read(&root)?;
        let joined = text
            .map(|text| Self::parse(&text.bytes, folder))
            .transpose();
        joined.map_err(|kind| Error::new(kind, root.join(MANIFEST_FILE)))
    }

    fn parse(text: &[u8], folder: &Path) -> Result<Self, DatasetErrorKind> {
        let invalid_error =
            |message: String| DatasetErrorKind::BadManifest(ManifestDefect::Invalid(message));
        let mut joined = Self::default();
        // A last line without a line end is incomplete, because the run was killed.
        let line_end = text.iter().rposition(|&byte| byte == b'\n');
        let lines = text[..line_end.unwrap_or(0)].split(|&byte| byte == b'\n');
        for (i, bytes) in lines.enumerate() {
            let line: Value = serde_json::from_slice(bytes).map_err(|error| {
                invalid_error(format!("line {} cannot be read: {error}", i + 1))
            })?;
            let field_error =
                |field: &str| invalid_error(format!("line {} has no valid `{field}`", i + 1));
            if i == 0 {
                if !Format::of_datasets().is_format_of(&line) || line["joined"] != true {
                    return Err(DatasetErrorKind::NotADataset(DatasetDefect::other_format()));
                }
                let names = line["tables"].as_array().into_iter().flatten();
                for name in names {
                    let mut tables = Table::PER_PART.into_iter().chain([Table::AGENTS]);
                    let table = tables.find(|table| Some(table.name()) == name.as_str());
                    joined
                        .tables
                        .push(table.ok_or_else(|| field_error("tables"))?);
                }
            } else if line.get("member").is_some() {
                let member = MemberEntry::deserialize(&line).map_err(|_| field_error("member"))?;
                // The name must be that of a direct subfolder of `folder`.
                let path = folder.join(&member.name);
                if path.parent() != Some(folder) || !is_member_name(&member.name) {
                    return Err(field_error("member"));
                }
                joined.members.push(member);
            } else if let Some(path) = line["stale"].as_str() {
                joined
                    .stale
                    .extend(is_dataset_file_path(path).then(|| path.to_owned()));
            } else {
                let source_digest = line["source"].as_str().map(str::to_owned);
                let source_digest = source_digest.ok_or_else(|| field_error("source"))?;
                let entry = CrawlEntry::from_json(line).map_err(|_| field_error("resolved"))?;
                let is_own = |file: &FileEntry| {
                    let path = OutputLayout::crawl_path(file.table, &entry.crawl);
                    file.table.is_per_crawl() && path == Path::new(&file.path)
                };
                if !entry.files.iter().all(is_own) {
                    return Err(field_error("files"));
                }
                joined.crawls.push(JoinedCrawl {
                    source_digest,
                    entry,
                });
            }
        }
        Ok(joined)
    }

    /// Returns the content of the manifest file.
    pub fn text(&self) -> String {
        let mut text = to_json_line(&FirstLine {
            format: Format::of_datasets(),
            joined: true,
            robots_scan: env!("CARGO_PKG_VERSION"),
            tables: self.tables.iter().map(|table| table.name()).collect(),
        });
        text.extend(self.members.iter().map(to_json_line));
        let stale = self.stale.iter();
        text.extend(stale.map(|stale| to_json_line(&StaleEntry { stale })));
        text.extend(self.crawls.iter().map(to_json_line));
        text
    }

    /// Returns the files of the resolved tables, relative to [`JOINED_FOLDER`].
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.crawls.iter().flat_map(|crawl| &crawl.entry.files)
    }

    /// Returns the tables for which there are views. `has_hosts` is true if the resolved tables are written.
    pub fn view_tables(&self, has_hosts: bool) -> Vec<Table> {
        let is_viewed = |table: &Table| match table {
            _ if *table == Table::HOST_PREFERENCES => {
                has_hosts && self.tables.contains(&Table::FILE_PREFERENCES)
            }
            _ if table.is_per_crawl() => has_hosts,
            _ => self.tables.contains(table),
        };
        Table::ALL.into_iter().filter(is_viewed).collect()
    }

    /// Returns a description of the files that views read: the tables, and the members that have them.
    pub fn viewed(&self, has_hosts: bool) -> ViewedFiles {
        ViewedFiles {
            tables: self.view_tables(has_hosts),
            members: self.member_names(),
            other_meanings: self
                .members
                .iter()
                .flat_map(|member| member.other_meanings.clone())
                .collect(),
        }
    }

    pub fn member_names(&self) -> Vec<String> {
        let members = self.members.iter();
        members.map(|member| member.name.clone()).collect()
    }

    /// Checks that joining was finished, and that every member is a folder (not a link) whose run
    /// is finished and whose manifest has the digest that it had when it was joined.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`].
    pub fn check_members(&self, folder: &Path) -> Result<(), Error> {
        let is_whole = disk::is_regular(&folder.join(JOINED_FOLDER).join(SUCCESS_FILE));
        let is_same = |member: &MemberEntry| {
            let root = folder.join(&member.name);
            let text = ManifestText::read(&root).ok().flatten();
            matches!(disk::file_kind(&root), Ok(Some(FileKind::Folder)))
                && text.is_some_and(|text| text.digest() == member.digest)
                && disk::is_regular(&root.join(SUCCESS_FILE))
        };
        match self.members.iter().find(|member| !is_same(member)) {
            None if is_whole => Ok(()),
            None => Err(DatasetDefect::NotJoined.error(folder)),
            Some(member) => Err(DatasetDefect::MemberChanged.error(&folder.join(&member.name))),
        }
    }
}

/// Returns true if a folder of this name can be a member: query engines do not interpret the name as a
/// partition (`name=value`) or as the name of a hidden folder.
pub fn is_member_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(['_', '.']) && !name.contains(['=', '\\', '/', '\n'])
}
