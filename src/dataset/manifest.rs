//! The manifest: what a dataset was made from, and its finished parts.
//!
//! `_manifest.jsonl` starts with a line about the program and its options, and a line
//! per input. A line per part follows, written when all files of the part have their
//! names, and at the end a line per crawl with its files of the resolved tables. While
//! a dataset is being replaced, there is also a line for each file of the former dataset
//! that is still to be removed. A last line without a line end is incomplete, because the
//! run was killed, and is ignored.
//!
//! Anyone may have edited a manifest: [`Manifest::parse`] accepts only sound entries,
//! and no path outside the dataset.
//!
//! The same entries (`manifest_entries.rs`) are used by runs, which write them, by
//! `--resume` and by `verify`. If you change an entry, increase `MANIFEST_FORMAT`, and check
//! `verify/plan.rs` and `docs/limits.md`.

use super::OutputLayout;
use super::manifest_entries::{
    CrawlEntry, DatasetOptions, FileEntry, FirstLine, InputEntry, MANIFEST_FORMAT, ManifestHeader,
    PartEntry, StaleEntry, to_json_line,
};
use crate::error::ManifestDefect;
use crate::tables::{Table, is_partition_name};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

pub const MANIFEST_FILE: &str = "_manifest.jsonl";

/// The file of the table `agents`, relative to the folder of the dataset.
pub const AGENTS_PATH: &str = "agents/agents.parquet";

/// The sound entries of a manifest.
#[derive(Debug, Default)]
pub struct Manifest {
    /// The version of robots-scan that wrote it; `None` if the first line does not state it.
    pub version: Option<String>,
    /// The options as they are in the manifest, even if they are not valid.
    pub(crate) written_options: Value,
    /// `None` if the options are not valid.
    pub options: Option<DatasetOptions>,
    pub inputs: Vec<InputEntry>,
    /// The parts, sorted by number, each once.
    pub parts: Vec<PartEntry>,
    /// The crawls with files of the resolved tables.
    pub crawls: Vec<CrawlEntry>,
    /// True if the lines of the parts are sorted by number, too.
    pub is_sorted: bool,
    /// Files of the replaced dataset that are still to be removed.
    pub stale: BTreeSet<String>,
    pub problems: Vec<ManifestDefect>,
    /// True if only the first line was read, because the format is unknown.
    pub has_unknown_format: bool,
}

/// A line of a manifest with its number, from 1.
struct ManifestLine {
    number: usize,
    value: serde_json::Result<Value>,
}

impl Manifest {
    /// Parses a manifest. Entries that are not sound are left out and reported in `problems`.
    pub fn parse(text: &[u8]) -> Self {
        let end = text.iter().rposition(|&byte| byte == b'\n');
        let whole_bytes = end.map_or(0, |end| end + 1);
        let mut manifest = Self::default();
        if whole_bytes < text.len() {
            manifest.problems.push(ManifestDefect::CutLine {
                bytes: text.len() - whole_bytes,
            });
        }
        let numbered = (1..).zip(text[..whole_bytes].split(|&byte| byte == b'\n'));
        let numbered = numbered.filter(|(_, line)| !line.is_empty());
        let parse = |(number, line)| ManifestLine {
            number,
            value: serde_json::from_slice(line),
        };
        let lines: Vec<ManifestLine> = numbered.map(parse).collect();
        if lines.is_empty() {
            manifest.add_problem("it has no line");
        }
        manifest.parse_lines(lines);
        manifest
    }

    fn parse_lines(&mut self, lines: Vec<ManifestLine>) {
        let is_input = |line: &ManifestLine| {
            let value = line.value.as_ref();
            value.is_ok_and(|value| value.get("input").is_some())
        };
        let last_input = lines.iter().rposition(is_input);
        let (mut parts, mut part_numbers) = (BTreeMap::new(), Vec::new());
        for (i, line) in lines.into_iter().enumerate() {
            let result = match line.value {
                Ok(value) if i == 0 => self.parse_first_line(&value),
                Ok(value) => {
                    part_numbers.extend(value["part"].as_u64());
                    let parsed = self.parse_entry(value, &mut parts);
                    parsed.map_err(|problem| vec![problem])
                }
                Err(error) => {
                    // A damaged line among those of inputs counts as an input: inputs are
                    // identified by their positions.
                    if i > 0 && Some(i) < last_input {
                        self.inputs.push(InputEntry {
                            name: None,
                            bytes: None,
                            index: None,
                        });
                    }
                    Err(vec![format!("cannot be read: {error}")])
                }
            };
            for problem in result.err().into_iter().flatten() {
                self.add_problem(format!("line {} {problem}", line.number));
            }
            if self.has_unknown_format {
                break;
            }
        }
        self.is_sorted = part_numbers.is_sorted();
        self.parts = parts.into_values().collect();
    }

    fn add_problem(&mut self, message: impl Into<String>) {
        self.problems.push(ManifestDefect::Invalid {
            message: message.into(),
        });
    }

    /// Parses the first line, or returns its defects.
    fn parse_first_line(&mut self, line: &Value) -> Result<(), Vec<String>> {
        let mut problems = Vec::new();
        self.version = line["robots_scan"].as_str().map(str::to_owned);
        match line["format"].as_u64() {
            Some(MANIFEST_FORMAT) => {}
            Some(other) => {
                self.problems.push(ManifestDefect::UnknownFormat {
                    found: other,
                    known: MANIFEST_FORMAT,
                });
                self.has_unknown_format = true;
                return Ok(());
            }
            None => problems.push("does not say the manifest's format".to_owned()),
        }
        if self.version.is_none() {
            problems.push("does not say which version of robots-scan wrote it".to_owned());
        }
        self.written_options = line["options"].clone();
        match serde_json::from_value(line["options"].clone()) {
            Ok(options) => self.options = Some(options),
            Err(error) => problems.push(format!("has no valid options: {error}")),
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems),
        }
    }

    /// Parses any line after the first, or describes its defect.
    fn parse_entry(
        &mut self,
        line: Value,
        parts: &mut BTreeMap<u32, PartEntry>,
    ) -> Result<(), String> {
        if line.get("input").is_some() {
            let input = serde_json::from_value(line);
            self.inputs.push(input.unwrap_or(InputEntry {
                name: None,
                bytes: None,
                index: None,
            }));
            let is_whole = self
                .inputs
                .last()
                .is_some_and(|input| input.index.is_some());
            return match (is_whole, parts.is_empty()) {
                (true, true) => Ok(()),
                (false, _) => Err("is not a whole input".to_owned()),
                (_, false) => Err("is an input after parts".to_owned()),
            };
        }
        if let Some(path) = line["stale"].as_str() {
            return match is_dataset_file_path(path) {
                true => {
                    self.stale.insert(path.to_owned());
                    Ok(())
                }
                false => Err("is a path that no dataset has".to_owned()),
            };
        }
        if line.get("resolved").is_some() {
            let entry =
                CrawlEntry::from_json(line).map_err(|why| format!("is not a crawl: {why}"))?;
            if self.crawls.iter().any(|other| other.crawl == entry.crawl) {
                return Err(format!(
                    "is the crawl {}, as an earlier line is",
                    entry.crawl
                ));
            }
            self.crawls.push(entry);
            return Ok(());
        }
        let part = PartEntry::from_json(line).map_err(|why| format!("is not a part: {why}"))?;
        let number = part.number;
        if parts.contains_key(&number) {
            return Err(format!("is part {number}, as an earlier line is"));
        }
        parts.insert(number, part);
        Ok(())
    }

    /// Checks that each part and crawl lists exactly its own files. Removes other files from their
    /// entries, and adds the differences to `problems`.
    pub fn check_files(&mut self) {
        let tables = self.options.as_ref().map(|options| options.tables.clone());
        let shard = self.options.as_ref().and_then(|options| options.shard);
        let is_known = tables.is_some();
        let tables = tables.unwrap_or_else(|| Table::ALL.to_vec());
        let crawl_tables = tables.iter().filter(|table| table.is_per_crawl());
        let crawl_tables: Vec<Table> = crawl_tables.copied().collect();
        let part_tables = tables.into_iter().filter(|table| table.is_per_part());
        let part_tables: Vec<Table> = part_tables.collect();
        let shard_index = shard.map(|shard| shard.index);
        let layout = OutputLayout::new_dataset(Path::new(""), &part_tables, shard_index);
        let mut problems = Vec::new();
        for part in &mut self.parts {
            let (number, mut seen) = (part.number, BTreeSet::new());
            for file in std::mem::take(&mut part.files) {
                let own_path = layout.part_path(file.table, number, &part.crawl, &part.subset);
                let own_path = own_path.to_string_lossy().into_owned();
                let is_own = match is_known {
                    true => own_path == file.path,
                    // The shard, which is in the file names, is not known.
                    false => is_in_same_folder(&own_path, &file.path),
                };
                if !is_own || !part_tables.contains(&file.table) {
                    let path = &file.path;
                    problems.push(format!(
                        "part {number} lists {path}, which is not one of its files"
                    ));
                } else if !seen.insert(file.table) {
                    let name = file.table.name();
                    problems.push(format!("part {number} lists two files of `{name}`"));
                } else {
                    part.files.push(file);
                }
            }
            for table in part_tables
                .iter()
                .filter(|&table| is_known && !seen.contains(table))
            {
                let name = table.name();
                problems.push(format!("part {number} lists no file of `{name}`"));
            }
        }
        for entry in &mut self.crawls {
            let crawl = &entry.crawl;
            let table_path = |&table: &Table| {
                let path = OutputLayout::crawl_path(table, crawl);
                (table, path.to_string_lossy().into_owned())
            };
            let own_paths: BTreeMap<Table, String> = crawl_tables.iter().map(table_path).collect();
            entry.files.retain(|file| {
                let is_own = own_paths.get(&file.table) == Some(&file.path);
                if !is_own {
                    let path = &file.path;
                    problems.push(format!(
                        "the crawl {crawl} lists {path}, which is not one of its files"
                    ));
                }
                is_own
            });
            for table in &crawl_tables {
                let files = entry.files.iter();
                let count = files.filter(|file| file.table == *table).count();
                if count != 1 {
                    let name = table.name();
                    problems.push(format!("the crawl {crawl} lists {count} files of `{name}`"));
                }
            }
        }
        problems
            .into_iter()
            .for_each(|problem| self.add_problem(problem));
    }

    /// Returns the files of all parts and crawls.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        let part_files = self.parts.iter().flat_map(|part| &part.files);
        part_files.chain(self.crawls.iter().flat_map(|crawl| &crawl.files))
    }

    /// Returns the tables that the dataset has, if its options are valid: those that were chosen,
    /// without the resolved tables if these are not written yet.
    pub fn tables(&self) -> Option<Vec<Table>> {
        let tables = self.options.as_ref()?.tables.iter().copied();
        Some(
            tables
                .filter(|table| !table.is_per_crawl() || !self.crawls.is_empty())
                .collect(),
        )
    }

    /// Returns the files that belong to the dataset, relative to its folder: those of
    /// its parts, those still to be removed, and the table `agents` and the views,
    /// which have no lines of their own. `_manifest.jsonl`, `_log.jsonl` and
    /// `_SUCCESS` are known by their names and are left out.
    pub(crate) fn own_files(&self) -> BTreeSet<String> {
        let files = self.files().map(|file| file.path.clone());
        let mut own: BTreeSet<String> = files.filter(|path| is_dataset_file_path(path)).collect();
        own.extend(self.stale.iter().cloned());
        let options = self.options.as_ref();
        if options.is_some_and(|options| options.tables.contains(&Table::Agents)) {
            own.insert(AGENTS_PATH.to_owned());
        }
        own.insert(super::VIEWS_FILE.to_owned());
        own
    }
}

impl PartEntry {
    /// Compares the inputs of the part with those of the planned part of its number, and describes
    /// a difference. `planned` has the inputs of each part according to the sizes of all inputs.
    pub(crate) fn find_plan_difference(&self, planned: &[Range<usize>]) -> Option<String> {
        let (number, inputs) = (self.number, &self.inputs);
        match planned.get(number as usize) {
            None => Some(format!(
                "it has a part {number}, and the inputs make {}",
                planned.len()
            )),
            Some(planned) if planned != inputs => Some(format!(
                "part {number} has inputs {} to {}, by their sizes it has {} to {}",
                inputs.start, inputs.end, planned.start, planned.end
            )),
            Some(_) => None,
        }
    }
}

/// Returns the content of a manifest file.
pub(super) fn manifest_text<'a>(
    header: &ManifestHeader,
    stale: impl IntoIterator<Item = &'a String>,
    parts: &[PartEntry],
    crawls: &[CrawlEntry],
) -> String {
    let mut text = to_json_line(&FirstLine {
        format: MANIFEST_FORMAT,
        options: &header.options,
        robots_scan: env!("CARGO_PKG_VERSION"),
    });
    text.extend(header.inputs.iter().map(to_json_line));
    text.extend(
        stale
            .into_iter()
            .map(|stale| to_json_line(&StaleEntry { stale })),
    );
    text.extend(parts.iter().map(to_json_line));
    text.extend(crawls.iter().map(to_json_line));
    text
}

/// Returns the content of `_SUCCESS`: the XXH3-64 of the finished manifest in hexadecimal, on a
/// line.
pub fn success_text(text: &[u8]) -> String {
    format!("{:016x}\n", xxh3_64(text))
}

/// Returns true if the text of a manifest has a line about a file of a former dataset: a run that
/// replaces this dataset was killed while it removed these files, or is doing so.
///
/// Only the start of each line is compared, as a manifest has a line for each input.
pub(super) fn is_being_replaced(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\n{\"stale\":").is_some()
}

/// Returns true if a path has the form of one that a run writes into a dataset, besides those
/// with fixed names: `<table>/crawl=…/subset=…/part-….parquet`,
/// `<table>/crawl=…/part-….parquet`, the file of the table `agents`, or the views.
pub(super) fn is_dataset_file_path(path: &str) -> bool {
    let is_part_table = |name: &str| Table::PER_PART.iter().any(|table| table.name() == name);
    let is_crawl_table = |name: &str| Table::PER_CRAWL.iter().any(|table| table.name() == name);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_part = |name: &str| {
        let number = name.strip_prefix("part-");
        let number = number.and_then(|name| name.strip_suffix(".parquet"));
        number.is_some_and(|number| number.split('-').all(is_number))
    };
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        [table, crawl, subset, name] => {
            let crawl = crawl.strip_prefix("crawl=");
            let subset = subset.strip_prefix("subset=");
            is_part_table(table)
                && crawl.is_some_and(is_partition_name)
                && subset.is_some_and(is_partition_name)
                && is_part(name)
        }
        [table, crawl, name] => {
            let crawl = crawl.strip_prefix("crawl=");
            is_crawl_table(table) && crawl.is_some_and(is_partition_name) && is_part(name)
        }
        _ => path == AGENTS_PATH || path == super::VIEWS_FILE,
    }
}

/// Returns true if `path` is that of a Parquet file in the folder of the file `own`.
fn is_in_same_folder(own: &str, path: &str) -> bool {
    let folder = own.rsplit_once('/').map(|(folder, _)| folder);
    let split = path.rsplit_once('/');
    split.is_some_and(|(other, name)| Some(other) == folder && name.ends_with(".parquet"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_with_files_to_be_removed_is_recognized_without_parsing_it() {
        let input = to_json_line(&InputEntry {
            name: Some("{\"stale\":".to_owned()),
            bytes: None,
            index: None,
        });
        let stale = to_json_line(&StaleEntry { stale: "views.sql" });
        for (text, is_replaced) in [
            (format!("{{}}\n{input}"), false),
            (format!("{{}}\n{input}{stale}"), true),
        ] {
            assert_eq!(is_being_replaced(text.as_bytes()), is_replaced, "{text}");
            let manifest = Manifest::parse(text.as_bytes());
            assert_eq!(!manifest.stale.is_empty(), is_replaced, "{text}");
        }
    }

    #[test]
    fn a_dataset_owns_only_paths_that_a_run_makes() {
        for path in [
            "rules/crawl=X/subset=warc/part-00000.parquet",
            "runs/crawl=CC-MAIN-2025-38/subset=warc/part-00002-00001.parquet",
            "hosts/crawl=X/part-00000.parquet",
            "agents/agents.parquet",
            "views.sql",
        ] {
            assert!(is_dataset_file_path(path), "{path}");
        }
        for path in [
            "",
            "/etc/passwd",
            "../x",
            "mine/crawl=X/subset=warc/part-00000.parquet",
            "rules/crawl=../subset=warc/part-00000.parquet",
            "rules/crawl=X/subset=warc/../part-00000.parquet",
            "rules/crawl=X/subset=warc/part-.parquet",
            "rules/crawl=X/subset=warc/part-of-my-notes.parquet",
            "rules/crawl=X/subset=warc/mine.parquet",
            "rules//crawl=X/subset=warc/part-00000.parquet",
            "/rules/crawl=X/subset=warc/part-00000.parquet",
            "_SUCCESS",
        ] {
            assert!(!is_dataset_file_path(path), "{path}");
        }
    }
}
