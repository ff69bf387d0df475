//! The manifest: what a dataset was made from, and its finished parts.
//!
//! `_manifest.jsonl` starts with a line about the program and its options, a line per
//! input, and a line about the file of the table `agents`. A line per part follows, written when all files of the part have their
//! names, then a line per file to which parts were combined, and at the end a line per
//! crawl with its files of the resolved tables. While
//! a dataset is being replaced, there is also a line for each file of the former dataset
//! that is still to be removed. A last line without a line end was cut by a kill and is
//! ignored.
//!
//! Anyone may have edited a manifest: [`Manifest::parse`] accepts only sound entries,
//! and no path outside the dataset.
//!
//! The same entries (`manifest_entries.rs`) are used by runs, which write them, by
//! `--resume` and by `verify`. If you change an entry, increase `FORMAT_NUMBER`, and check
//! `verify/plan.rs` and `docs/limits.md`.

use super::OutputLayout;
use super::manifest_entries::{
    CombinedFile, CrawlEntry, DatasetOptions, FileEntry, FirstLine, Format, InputEntry,
    ManifestHeader, PartEntry, StaleEntry, to_json_line,
};
use super::part_locations::{PartLocation, part_locations, single_part_path};
use crate::error::ManifestDefect;
use crate::file_names::{AGENTS_PATH, PARTS_FOLDER, VIEWS_FILE};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use tables::{MEANING, Table, ViewedFiles, is_partition_name};
use xxhash_rust::xxh3::xxh3_64;

/// The valid entries of a manifest.
#[derive(Debug, Default)]
pub struct Manifest {
    /// The version of the meaning of the rows ([`MEANING`]).
    pub meaning: u64,
    /// The version of robots-scan that wrote the manifest; `None` if the first line does not state it.
    pub version: Option<String>,
    /// The options as they were written.
    pub(crate) written_options: Value,
    /// The options, if they are valid.
    pub options: Option<DatasetOptions>,
    /// The inputs, in the order of the plan.
    pub inputs: Vec<InputEntry>,
    /// The file of the table `agents`.
    pub agents: Option<FileEntry>,
    /// The parts, sorted by number, each once.
    pub parts: Vec<PartEntry>,
    /// The files to which parts were combined, the latest line of each path.
    pub combined: Vec<CombinedFile>,
    /// The crawls with files of the resolved tables.
    pub crawls: Vec<CrawlEntry>,
    /// True if the lines of the parts are sorted by number in the file, too.
    pub is_sorted: bool,
    /// Files of the replaced dataset that are still to be removed.
    pub stale: BTreeSet<String>,
    /// The reasons why lines were left out.
    pub problems: Vec<ManifestDefect>,
    /// True if only the first line was read, because it states another [`Format`] than the present one.
    pub has_other_format: bool,
}

/// A line of a manifest: its number, from 1, and its value as JSON.
struct ManifestLine {
    number: usize,
    value: serde_json::Result<Value>,
}

impl Manifest {
    /// Parses a manifest. Lines that are not valid are left out, and are described in `problems`.
    pub fn parse(text: &[u8]) -> Self {
        let end = text.iter().rposition(|&byte| byte == b'\n');
        let whole_bytes = end.map_or(0, |end| end + 1);
        let mut manifest = Self::default();
        if whole_bytes < text.len() {
            manifest.problems.push(ManifestDefect::CutLine {
                bytes: text.len() - whole_bytes,
            });
        }
        let lines = (1..).zip(text[..whole_bytes].split(|&byte| byte == b'\n'));
        let lines = lines.filter(|(_, line)| !line.is_empty());
        let parse = |(number, line)| ManifestLine {
            number,
            value: serde_json::from_slice(line),
        };
        let lines: Vec<ManifestLine> = lines.map(parse).collect();
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
                    // A damaged line between inputs was an input. An empty entry replaces it, since parts
                    // refer to inputs by their indexes.
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
            if self.has_other_format {
                break;
            }
        }
        self.is_sorted = part_numbers.is_sorted();
        self.parts = parts.into_values().collect();
    }

    fn add_problem(&mut self, message: impl Into<String>) {
        self.problems.push(ManifestDefect::Invalid(message.into()));
    }

    /// Parses the first line, or returns its problems.
    fn parse_first_line(&mut self, line: &Value) -> Result<(), Vec<String>> {
        let mut problems = Vec::new();
        self.version = line["robots_scan"].as_str().map(str::to_owned);
        match line["format"].is_u64() {
            true if !Format::of_datasets().is_format_of(line) => {
                self.problems.push(ManifestDefect::other_format());
                self.has_other_format = true;
                return Ok(());
            }
            true => {}
            false => problems.push("does not say the manifest's format".to_owned()),
        }
        self.meaning = line["meaning"].as_u64().unwrap_or(1);
        if self.version.is_none() {
            problems.push("does not say which version of robots-scan wrote it".to_owned());
        }
        self.written_options = line["options"].clone();
        match serde_json::from_value(line["options"].clone()) {
            Ok(options) => self.options = Some(options),
            Err(error) => problems.push(format!("has no valid options: {error}")),
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// Parses a later line, or describes its problem.
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
            return if is_dataset_file_path(path) {
                self.stale.insert(path.to_owned());
                Ok(())
            } else {
                Err("is a path that no dataset has".to_owned())
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
        if line.get("parts").is_some() {
            let file = serde_json::from_value(line);
            let file: CombinedFile = file.map_err(|why| format!("is not a file: {why}"))?;
            self.combined
                .retain(|other| other.entry.path != file.entry.path);
            self.combined.push(file);
            return Ok(());
        }
        if line.get("path").is_some() {
            let file = serde_json::from_value(line);
            let file: FileEntry = file.map_err(|why| format!("is not a file: {why}"))?;
            if file.table != Table::AGENTS || file.path != AGENTS_PATH {
                return Err("is a file that no dataset has".to_owned());
            }
            self.agents = Some(file);
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

    /// Checks the tables of each part, the combined files, and the files of crawls. Entries that do not belong to
    /// the dataset are left out, and are described in `problems`.
    pub fn check_files(&mut self) {
        let tables = self.options.as_ref().map(|options| options.tables.clone());
        let shard = self.options.as_ref().and_then(|options| options.shard);
        let is_known = tables.is_some();
        let tables = tables.unwrap_or_else(|| Table::ALL.to_vec());
        let crawl_tables = tables.iter().filter(|table| table.is_per_crawl());
        let crawl_tables: Vec<Table> = crawl_tables.copied().collect();
        let tables = tables.into_iter().filter(|table| table.is_per_part());
        let tables: Vec<Table> = tables.collect();
        let mut problems = Vec::new();
        for part in &mut self.parts {
            let (number, mut seen) = (part.number, BTreeSet::new());
            part.tables.retain(|of_part| {
                let name = of_part.table.name();
                let is_first = seen.insert(of_part.table);
                if !tables.contains(&of_part.table) {
                    problems.push(format!(
                        "part {number} lists `{name}`, which the dataset does not have"
                    ));
                } else if !is_first {
                    problems.push(format!("part {number} lists `{name}` twice"));
                }
                tables.contains(&of_part.table) && is_first
            });
            for table in tables
                .iter()
                .filter(|&table| is_known && !seen.contains(table))
            {
                let name = table.name();
                problems.push(format!("part {number} does not list `{name}`"));
            }
        }
        let layout =
            OutputLayout::new_dataset(Path::new(""), &tables, shard.map(|shard| shard.index));
        let parts: BTreeMap<u32, &PartEntry> =
            self.parts.iter().map(|part| (part.number, part)).collect();
        let (mut seen, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        self.combined.retain(|file| {
            let problem = combined_problem(file, &parts, &layout, is_known).or_else(|| {
                let mut numbers = file.parts.iter();
                let twice = numbers.find(|number| !seen.insert((file.entry.table, **number)));
                twice.map(|number| format!("has part {number}, as another file has"))
            });
            let is_own = problem.is_none();
            problems
                .extend(problem.map(|problem| format!("the file {} {problem}", file.entry.path)));
            if !is_own {
                unknown.extend(file.parts.iter().map(|part| (*part, file.entry.table)));
            }
            is_own
        });
        // The location of the rows of these parts is not known.
        for part in &mut self.parts {
            let number = part.number;
            part.tables
                .retain(|table| !unknown.contains(&(number, table.table)));
        }
        for entry in &mut self.crawls {
            let crawl = &entry.crawl;
            let own = |&table: &Table| {
                let path = OutputLayout::crawl_path(table, crawl);
                (table, path.to_string_lossy().into_owned())
            };
            let own: BTreeMap<Table, String> = crawl_tables.iter().map(own).collect();
            entry.files.retain(|file| {
                let is_own = own.get(&file.table) == Some(&file.path);
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

    /// Returns the file of `agents`, the files to which parts were combined, and the files of the resolved tables of
    /// all crawls.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        let combined = self.combined.iter().map(|file| &file.entry);
        let files = self.agents.iter().chain(combined);
        files.chain(self.crawls.iter().flat_map(|crawl| &crawl.files))
    }

    /// Returns the location of the rows of each part in each table.
    pub fn part_locations(&self) -> Vec<PartLocation<'_>> {
        part_locations(&self.layout(), &self.parts, &self.combined)
    }

    /// Returns the layout of the dataset, without its folder.
    fn layout(&self) -> OutputLayout {
        let shard = self.options.as_ref().and_then(|options| options.shard);
        OutputLayout::new_dataset(Path::new(""), &[], shard.map(|shard| shard.index))
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

    /// Returns a description of the files that views of the dataset read, if its options are valid.
    pub fn viewed(&self) -> Option<ViewedFiles> {
        Some(ViewedFiles {
            tables: self.tables()?,
            members: Vec::new(),
            other_meanings: self.other_meanings(),
        })
    }

    /// Returns the crawls whose rows have another version of their meaning ([`MEANING`]) than the rows that this program
    /// writes. The values are the versions of these rows.
    pub fn other_meanings(&self) -> BTreeMap<String, u64> {
        let is_other = self.meaning != MEANING;
        let parts = self.parts.iter().filter(|_| is_other);
        parts
            .map(|part| (part.crawl.clone(), self.meaning))
            .collect()
    }

    /// Returns the files that belong to the dataset, relative to its folder: those of
    /// its parts, those still to be removed, the table `agents`, also before it has its line, and
    /// the views, which have no line of their own. `_manifest.jsonl`, `_log.jsonl` and
    /// `_SUCCESS` are known by their names and are left out.
    pub(crate) fn own_files(&self) -> BTreeSet<String> {
        let files = self.files().map(|file| file.path.clone());
        let mut own: BTreeSet<String> = files.filter(|path| is_dataset_file_path(path)).collect();
        let layout = self.layout();
        for part in &self.parts {
            let tables = part.tables.iter();
            own.extend(tables.map(|table| single_part_path(&layout, table.table, part)));
        }
        own.extend(self.stale.iter().cloned());
        let options = self.options.as_ref();
        if options.is_some_and(|options| options.tables.contains(&Table::AGENTS)) {
            own.insert(AGENTS_PATH.to_owned());
        }
        own.insert(VIEWS_FILE.to_owned());
        own
    }
}

impl PartEntry {
    /// Compares the inputs of the part with those of the plan, which follows from the
    /// sizes of all inputs, and describes a difference. `planned` has the inputs of each part.
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

pub(super) fn manifest_text<'a>(
    header: &ManifestHeader,
    stale: impl IntoIterator<Item = &'a String>,
    agents: Option<&FileEntry>,
    parts: &[PartEntry],
    combined: &[CombinedFile],
    crawls: &[CrawlEntry],
) -> String {
    let mut text = to_json_line(&FirstLine {
        format: Format::of_datasets(),
        options: &header.options,
        meaning: MEANING,
        robots_scan: env!("CARGO_PKG_VERSION"),
    });
    text.extend(header.inputs.iter().map(to_json_line));
    text.extend(
        stale
            .into_iter()
            .map(|stale| to_json_line(&StaleEntry { stale })),
    );
    text.extend(agents.map(to_json_line));
    text.extend(parts.iter().map(to_json_line));
    text.extend(combined.iter().map(to_json_line));
    text.extend(crawls.iter().map(to_json_line));
    text
}

/// Returns the content of `_SUCCESS`: the XXH3-64 of the finished manifest in hexadecimal, on a line.
pub fn success_text(text: &[u8]) -> String {
    format!("{:016x}\n", xxh3_64(text))
}

/// Returns true if the text of a manifest has a line about a file of a former dataset: a run that
/// replaces this dataset was killed while it removed these files, or is doing so.
///
/// Only the start of each line is compared: parsing would be slow, since a manifest has a line for each input.
pub(super) fn is_being_replaced(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\n{\"stale\":").is_some()
}

/// Returns true if a path is one that a dataset can own, besides the manifest, the log
/// and `_SUCCESS`: `<table>/crawl=…/subset=…/part-….parquet`, the same below `_parts`,
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
        [table, crawl, subset, name] | [PARTS_FOLDER, table, crawl, subset, name] => {
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
        _ => path == AGENTS_PATH || path == VIEWS_FILE,
    }
}

/// Describes the problem of the line of a combined file, if it has one. `is_known` is true if the options of the
/// dataset, and so its shard, are known.
fn combined_problem(
    file: &CombinedFile,
    parts: &BTreeMap<u32, &PartEntry>,
    layout: &OutputLayout,
    is_known: bool,
) -> Option<String> {
    let path = Path::new(&file.entry.path);
    if file.parts.is_empty() {
        return Some("has no parts".to_owned());
    }
    if !file.parts.is_sorted_by(|a, b| a < b) {
        return Some("has its parts in another order".to_owned());
    }
    if let Some(number) = file.parts.iter().find(|number| !parts.contains_key(number)) {
        return Some(format!("has part {number}, which has no line"));
    }
    let part = parts[&file.parts[0]];
    let has_crawl = |number: &u32| {
        let other = parts[number];
        (&other.crawl, &other.subset) == (&part.crawl, &part.subset)
    };
    let own = |number| layout.part_path(file.entry.table, number, &part.crawl, &part.subset);
    let name = path.file_stem().and_then(|name| name.to_str());
    let number = name.and_then(|name| name.rsplit('-').next()?.parse().ok());
    let is_own = match is_known {
        true => number.is_some_and(|number| own(number) == path),
        // The shard, which is in the file names, is not known.
        false => own(0).parent() == path.parent() && is_dataset_file_path(&file.entry.path),
    };
    if is_own && file.parts.iter().all(has_crawl) {
        None
    } else {
        Some("is not one of its parts".to_owned())
    }
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
            "_parts/rules/crawl=X/subset=warc/part-00000.parquet",
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
            "_parts/hosts/crawl=X/part-00000.parquet",
            "_other/rules/crawl=X/subset=warc/part-00000.parquet",
        ] {
            assert!(!is_dataset_file_path(path), "{path}");
        }
    }
}
