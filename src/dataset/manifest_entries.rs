//! The types of the lines of a manifest, which are written and read as JSON.
//!
//! Lines are JSON objects whose keys are sorted.

use crate::division::{PartSize, Sample, Shard};
use columns::WrittenFile;
use disk::ObjectIdentity;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::ops::Range;
use tables::{Table, is_partition_name, schemas_digest};

/// The number of the format of manifests. Until the first release, the schemas of the tables
/// are part of the format (docs/limits.md#formats); if a line of a manifest changes, increase the number.
const FORMAT_NUMBER: u64 = 10;

/// The fields of the first line of a manifest that identify its format.
#[derive(PartialEq, Deserialize, Serialize)]
pub struct Format {
    #[serde(rename = "format")]
    number: u64,
    /// A digest of the schemas of all tables, in hexadecimal.
    schemas: String,
}

/// The content of the beginning of a manifest: the options in the first line, and the lines of the inputs. A
/// run can be resumed only with the same options and inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestHeader {
    pub options: DatasetOptions,
    /// The inputs, in the order of the plan.
    pub inputs: Vec<InputEntry>,
}

/// The first line of the manifest of one dataset.
#[derive(Serialize)]
pub(super) struct FirstLine<'a> {
    #[serde(flatten)]
    pub(super) format: Format,
    /// The version of the meaning of rows ([`tables::MEANING`]).
    pub(super) meaning: u64,
    pub(super) options: &'a DatasetOptions,
    /// The version of robots-scan that writes the dataset.
    pub(super) robots_scan: &'a str,
}

/// The options on which the rows and files of a dataset depend, and the versions of built-in data.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct DatasetOptions {
    /// The SHA-1 of the registry of crawlers, in hexadecimal.
    pub agents: String,
    /// The crawls and subsets of the inputs, in order.
    pub crawls: Vec<Partition>,
    /// The XXH3-64 of the names of all inputs after sampling, including those of other shards, in
    /// hexadecimal.
    pub list: String,
    /// The limit of the size of a part.
    pub part_size: PartSize,
    /// The version of the crate that contains the Public Suffix List.
    pub psl: String,
    /// The options that change rows, as in the table `runs`.
    pub rows: Value,
    /// The sample that was read, if not all inputs were.
    pub sample: Option<Sample>,
    /// The share of the inputs that was read; `None` for all.
    pub shard: Option<Shard>,
    /// The tables that are written.
    pub tables: Vec<Table>,
}

/// A crawl and a subset of it, written `CRAWL/SUBSET`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    pub crawl: String,
    /// The subset of the crawl.
    pub subset: String,
}

/// An input, such as an archive. All fields are `None` if its line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct InputEntry {
    /// The size.
    pub bytes: Option<u64>,
    /// The index in the list of all inputs. The `robots_id` of its captures begins with it.
    pub index: Option<u64>,
    /// The name, as in `warc_filename`.
    #[serde(rename = "input")]
    pub name: Option<String>,
}

/// A file of the replaced dataset that is still to be removed.
#[derive(Serialize)]
pub(super) struct StaleEntry<'a> {
    pub(super) stale: &'a str,
}

/// A part whose files all have their final names.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PartEntry {
    /// The number of captures.
    pub captures: u64,
    /// The crawl of its inputs.
    pub crawl: String,
    /// The number of faults.
    pub faults: u64,
    /// The indexes of its inputs in the manifest.
    pub inputs: Range<usize>,
    /// The identities of the inputs that were objects on servers; empty if none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Option<ObjectIdentity>>,
    /// The number of the part, from 0.
    #[serde(rename = "part")]
    pub number: u32,
    /// The number of records of all types.
    pub records: u64,
    /// The subset of its inputs.
    pub subset: String,
    /// Its rows in each table.
    pub tables: Vec<PartTable>,
}

/// The rows of one part in a table. They are whole row groups, in a file of this part or in a combined file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PartTable {
    /// The bytes of the row groups.
    pub bytes: u64,
    /// The number of row groups.
    pub row_groups: usize,
    /// The number of rows.
    pub rows: u64,
    pub table: Table,
    /// The XXH3-64 of the bytes of the row groups, in hexadecimal.
    #[serde(rename = "xxh3")]
    pub digest: String,
}

/// A file to which the rows of one or more parts of a table were combined.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CombinedFile {
    #[serde(flatten)]
    pub entry: FileEntry,
    /// The numbers of its parts, in the order of their rows.
    pub parts: Vec<u32>,
}

/// The files of a crawl in the resolved tables.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CrawlEntry {
    /// The files, in the order of the tables.
    pub files: Vec<FileEntry>,
    #[serde(rename = "resolved")]
    pub crawl: String,
}

/// A file of a table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct FileEntry {
    /// The path, relative to the folder of the dataset.
    pub path: String,
    pub table: Table,
    /// The size, the digest and the number of rows.
    #[serde(flatten)]
    pub stats: FileStats,
}

/// Rows, size and digest of a file when it was written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct FileStats {
    /// The size of the file.
    pub bytes: u64,
    /// The number of rows.
    pub rows: u64,
    /// The XXH3-64 of the bytes, in hexadecimal.
    #[serde(rename = "xxh3")]
    pub digest: String,
}

impl Format {
    /// Returns the format that is written for a folder with these tables.
    pub fn new(tables: &[Table]) -> Self {
        Self {
            number: FORMAT_NUMBER,
            schemas: schemas_digest(tables),
        }
    }

    /// Returns the format that is written for datasets.
    pub fn of_datasets() -> Self {
        Self::new(&Table::ALL)
    }

    /// Returns true if the first line of a manifest states this format. A manifest of any other format is not
    /// read.
    pub fn is_format_of(&self, line: &Value) -> bool {
        Self::deserialize(line).is_ok_and(|format| format == *self)
    }
}

/// Returns an entry as a line of JSON, with sorted keys and a line end.
pub fn to_json_line(entry: &impl Serialize) -> String {
    let value = serde_json::to_value(entry).expect("the keys of an entry are texts");
    format!("{value}\n")
}

impl PartEntry {
    /// Converts a line, or describes its defect.
    pub(super) fn from_json(line: Value) -> Result<Self, String> {
        let part: Self = serde_json::from_value(line).map_err(|error| error.to_string())?;
        let has_names = is_partition_name(&part.crawl) && is_partition_name(&part.subset);
        let has_objects = part.objects.is_empty() || part.objects.len() == part.inputs.len();
        match (has_names, !part.inputs.is_empty(), has_objects) {
            (true, true, true) => Ok(part),
            (false, _, _) => Err("its crawl or subset is not valid".to_owned()),
            (_, false, _) => Err("it has no inputs".to_owned()),
            _ => Err("its objects are not as many as its inputs".to_owned()),
        }
    }
}

impl PartEntry {
    /// Returns the rows of the part in a table, which the part must have.
    pub(crate) fn table(&self, table: Table) -> &PartTable {
        let mut tables = self.tables.iter();
        let found = tables.find(|of_part| of_part.table == table);
        found.expect("the part has the table")
    }
}

impl PartTable {
    /// Returns the entry for the rows of a part, which were written to a file of their own.
    pub fn new(table: Table, file: &WrittenFile) -> Self {
        Self {
            bytes: file.row_groups.content.bytes,
            row_groups: file.row_groups.count,
            rows: file.rows,
            table,
            digest: file.row_groups.content.digest.clone(),
        }
    }
}

impl FileEntry {
    /// Makes the entry of a file that was written.
    pub fn new(table: Table, file: WrittenFile) -> Self {
        Self {
            table,
            path: file.path.to_string_lossy().into_owned(),
            stats: FileStats {
                rows: file.rows,
                bytes: file.bytes,
                digest: file.digest,
            },
        }
    }
}

impl CrawlEntry {
    /// Converts a line, or describes its defect.
    pub(super) fn from_json(line: Value) -> Result<Self, String> {
        let entry: Self = serde_json::from_value(line).map_err(|error| error.to_string())?;
        if is_partition_name(&entry.crawl) {
            Ok(entry)
        } else {
            Err("its crawl is not valid".to_owned())
        }
    }
}

impl Serialize for Partition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}/{}", self.crawl, self.subset))
    }
}

impl<'de> Deserialize<'de> for Partition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split_once('/') {
            Some((crawl, subset)) if is_partition_name(crawl) && is_partition_name(subset) => {
                let (crawl, subset) = (crawl.to_owned(), subset.to_owned());
                Ok(Self { crawl, subset })
            }
            _ => Err(D::Error::custom("not a crawl and a subset")),
        }
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
