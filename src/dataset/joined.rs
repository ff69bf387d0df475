//! The manifest of joined datasets.
//!
//! `robots-scan join FOLDER` makes the datasets in the subfolders of a folder, its members, one
//! dataset. `FOLDER/_joined/` holds the resolved tables of all crawls and `_manifest.jsonl`, whose
//! first line is about the program. A line per member follows, and a line per crawl, in the order
//! of crawls. While crawls are resolved again, there is also a line for each file that is still to
//! be removed.

use super::manifest::{self, Manifest, is_own_path};
use super::manifest_entries::{CrawlEntry, FORMAT, FileEntry, StaleEntry, line_of};
use super::{OutputLayout, SUCCESS};
use crate::error::{DatasetDefect, DatasetErrorKind, ManifestDefect};
use crate::tables::Table;
use disk::FileKind;
use disk::error::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The folder of the resolved tables, below that of the members.
pub const JOINED: &str = "_joined";

/// The manifest of joined datasets.
#[derive(Clone, Debug, Default)]
pub struct JoinedManifest {
    /// The tables of all members, without the resolved ones.
    pub tables: Vec<Table>,
    pub members: Vec<MemberEntry>,
    /// The resolved crawls, in their order.
    pub crawls: Vec<JoinedCrawl>,
    /// Files that are still to be removed.
    pub stale: BTreeSet<String>,
}

/// A member: a dataset in a subfolder.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct MemberEntry {
    /// The name of its folder.
    #[serde(rename = "member")]
    pub name: String,
    /// The XXH3-64 of its manifest, in hexadecimal.
    #[serde(rename = "xxh3")]
    pub digest: String,
}

/// A resolved crawl.
#[derive(Clone, Debug, Serialize)]
pub struct JoinedCrawl {
    /// A digest of the files from which it was resolved.
    pub source: String,
    #[serde(flatten)]
    pub entry: CrawlEntry,
}

/// The first line of the manifest of joined datasets.
#[derive(Serialize)]
struct FirstLine<'a> {
    format: u64,
    joined: bool,
    robots_scan: &'a str,
    tables: Vec<&'a str>,
}

impl JoinedManifest {
    /// Reads the manifest of joined datasets; `None` if the datasets in `folder` are not joined.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`], [`DatasetErrorKind::BadManifest`]; [`DatasetErrorKind::NotADataset`] if it is of
    /// another version.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(JOINED).join(manifest::NAME);
        if !disk::is_regular(&path) {
            return Ok(None);
        }
        let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
        Self::parse(&text, folder)
            .map(Some)
            .map_err(|kind| Error::new(kind, &path))
    }

    fn parse(text: &[u8], folder: &Path) -> Result<Self, DatasetErrorKind> {
        let invalid =
            |message: String| DatasetErrorKind::BadManifest(ManifestDefect::Invalid { message });
        let mut joined = Self::default();
        // A last line without an end was cut by a kill.
        let end = text.iter().rposition(|&byte| byte == b'\n');
        let lines = text[..end.unwrap_or(0)].split(|&byte| byte == b'\n');
        for (i, line) in lines.enumerate() {
            let line: Value = serde_json::from_slice(line)
                .map_err(|error| invalid(format!("line {} cannot be read: {error}", i + 1)))?;
            let bad = |what: &str| invalid(format!("line {} has no valid `{what}`", i + 1));
            if i == 0 {
                if line["format"].as_u64() != Some(FORMAT) || line["joined"] != true {
                    let version = line["robots_scan"].as_str().unwrap_or("another version");
                    return Err(DatasetErrorKind::NotADataset(DatasetDefect::OtherFormat {
                        version: version.to_owned(),
                    }));
                }
                let names = line["tables"].as_array().into_iter().flatten();
                for name in names {
                    let mut tables = Table::OF_PARTS.into_iter().chain([Table::Agents]);
                    let table = tables.find(|table| Some(table.name()) == name.as_str());
                    joined.tables.push(table.ok_or_else(|| bad("tables"))?);
                }
            } else if line.get("member").is_some() {
                let member = MemberEntry::deserialize(&line).map_err(|_| bad("member"))?;
                // A name is a folder of `folder`, and not a path.
                let path = folder.join(&member.name);
                if path.parent() != Some(folder) || !is_member_name(&member.name) {
                    return Err(bad("member"));
                }
                joined.members.push(member);
            } else if let Some(path) = line["stale"].as_str() {
                joined
                    .stale
                    .extend(is_own_path(path).then(|| path.to_owned()));
            } else {
                let source = line["source"].as_str().map(str::to_owned);
                let source = source.ok_or_else(|| bad("source"))?;
                let entry = CrawlEntry::read(line).map_err(|_| bad("resolved"))?;
                let is_own = |file: &FileEntry| {
                    let path = OutputLayout::crawl_path(file.table, &entry.crawl);
                    file.table.has_crawls() && path == Path::new(&file.path)
                };
                if !entry.files.iter().all(is_own) {
                    return Err(bad("files"));
                }
                joined.crawls.push(JoinedCrawl { source, entry });
            }
        }
        Ok(joined)
    }

    /// Returns the text of the manifest.
    pub fn text(&self) -> String {
        let mut text = line_of(&FirstLine {
            format: FORMAT,
            joined: true,
            robots_scan: env!("CARGO_PKG_VERSION"),
            tables: self.tables.iter().map(|table| table.name()).collect(),
        });
        text.extend(self.members.iter().map(line_of));
        let stale = self.stale.iter();
        text.extend(stale.map(|stale| line_of(&StaleEntry { stale })));
        text.extend(self.crawls.iter().map(line_of));
        text
    }

    /// Returns the files of the resolved tables, relative to [`JOINED`].
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.crawls.iter().flat_map(|crawl| &crawl.entry.files)
    }

    /// Returns the tables that views are made for.
    pub fn view_tables(&self, has_hosts: bool) -> Vec<Table> {
        let is_viewed = |table: &Table| match table.has_crawls() {
            true => has_hosts,
            false => self.tables.contains(table),
        };
        Table::ALL.into_iter().filter(is_viewed).collect()
    }

    /// Returns the names of the members.
    pub fn names(&self) -> Vec<String> {
        let members = self.members.iter();
        members.map(|member| member.name.clone()).collect()
    }

    /// Checks that the members are folders, not links, that they are whole, and that they are those
    /// that were joined, by the digests of their manifests.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`].
    pub fn check_members(&self, folder: &Path) -> Result<(), Error> {
        let is_whole = disk::is_regular(&folder.join(JOINED).join(SUCCESS));
        let is_same = |member: &MemberEntry| {
            let root = folder.join(&member.name);
            let text = disk::read(&root.join(manifest::NAME));
            matches!(disk::kind(&root), Ok(Some(FileKind::Folder)))
                && text.is_ok_and(|text| digest_of(&text) == member.digest)
                && disk::is_regular(&root.join(SUCCESS))
        };
        match self.members.iter().find(|member| !is_same(member)) {
            None if is_whole => Ok(()),
            None => {
                let kind = DatasetErrorKind::NotADataset(DatasetDefect::NotJoined);
                Err(Error::new(kind, folder))
            }
            Some(member) => {
                let kind = DatasetErrorKind::NotADataset(DatasetDefect::MemberChanged);
                Err(Error::new(kind, folder.join(&member.name)))
            }
        }
    }
}

/// Returns true if a folder can be a member: no engine reads a partition into its name.
pub fn is_member_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(['_', '.']) && !name.contains(['=', '\\', '/', '\n'])
}

/// Returns the manifest of a dataset with its digest.
///
/// # Errors
///
/// [`ErrorKind::Read`].
pub fn read_member(root: &Path) -> Result<(Manifest, String), Error> {
    let path = root.join(manifest::NAME);
    let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
    Ok((Manifest::parse(&text), digest_of(&text)))
}

/// Returns the XXH3-64 of a text, in hexadecimal.
fn digest_of(text: &[u8]) -> String {
    format!("{:016x}", xxh3_64(text))
}
