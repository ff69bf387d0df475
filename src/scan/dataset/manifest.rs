//! The manifest: what a dataset was made from, and which parts are whole.
//!
//! `_manifest.jsonl` begins with a line on the program and its options and a
//! line for each input. A line for each part follows, written when all its
//! files have their names. While a dataset is replaced, there are also lines
//! with the files of the former one that are still to be removed. A last line
//! without its end was cut by a kill and counts for nothing.
//!
//! A manifest may have been changed by anybody: [`Manifest::read`] takes from
//! it only what is sound, and no path that leaves the dataset.

use super::OutputLayout;
use crate::error::ManifestDefect;
use crate::tables::{Table, is_partition_name};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

use std::ops::Range;
use std::path::Path;

pub(crate) const NAME: &str = "_manifest.jsonl";

/// The format of the manifest itself.
pub(crate) const FORMAT: u64 = 1;

/// The file of the table `agents`, below the dataset's folder.
pub(crate) const AGENTS: &str = "agents/agents.parquet";

/// What must be the same for a run to be resumed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ManifestHeader {
    /// Options that change rows or files, with the versions of what is built in.
    pub(crate) options: Value,
    /// Names and sizes of the inputs.
    pub(crate) inputs: Vec<(String, Option<u64>)>,
}

/// The options that a dataset was made with.
#[derive(Debug)]
pub(crate) struct DatasetOptions {
    /// The options that change rows, as `runs` has them.
    pub(crate) rows: Value,
    pub(crate) tables: Vec<Table>,
    pub(crate) part_bytes: u64,
    pub(crate) shard: Option<(usize, usize)>,
    pub(crate) agents: String,
    pub(crate) psl: String,
    pub(crate) crawls: Vec<(String, String)>,
}

/// An archive; without a name where its line could not be read.
#[derive(Clone, Debug)]
pub(crate) struct InputEntry {
    pub(crate) name: Option<String>,
    pub(crate) bytes: Option<u64>,
}

/// A part that is whole.
#[derive(Clone, Debug)]
pub(crate) struct PartEntry {
    pub(crate) number: u32,
    pub(crate) crawl: String,
    pub(crate) subset: String,
    pub(crate) inputs: Range<usize>,
    pub(crate) records: u64,
    pub(crate) captures: u64,
    pub(crate) faults: u64,
    pub(crate) files: Vec<FileEntry>,
}

/// A file of a part.
#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    pub(crate) table: Table,
    pub(crate) path: String,
    pub(crate) stats: FileStats,
}

/// What a file was when it was written.
#[derive(Clone, Debug)]
pub(crate) struct FileStats {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) digest: String,
}

/// What could be read of a manifest.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    /// The program's version.
    pub(crate) version: Option<String>,
    /// The options as they were written.
    pub(crate) options: Value,
    pub(crate) settings: Option<DatasetOptions>,
    pub(crate) inputs: Vec<InputEntry>,
    /// Parts in their order, each once.
    pub(crate) parts: Vec<PartEntry>,
    /// Whether the lines of the parts are in this order, too.
    pub(crate) is_sorted: bool,
    /// Files of the dataset that this one replaces, still to be removed.
    pub(crate) stale: BTreeSet<String>,
    pub(crate) problems: Vec<ManifestDefect>,
    /// Whether nothing more could be read, as its format is another.
    pub(crate) is_of_other_format: bool,
}

impl Manifest {
    /// Reads what can be read. What is wrong is in `problems`.
    pub(crate) fn read(text: &[u8]) -> Self {
        let end = text.iter().rposition(|&byte| byte == b'\n');
        let whole = end.map_or(0, |at| at + 1);
        let mut manifest = Self::default();
        if whole < text.len() {
            manifest.problems.push(ManifestDefect::CutLine {
                bytes: text.len() - whole,
            });
        }
        let lines = (1..).zip(text[..whole].split(|&byte| byte == b'\n'));
        let lines = lines.filter(|(_, line)| !line.is_empty());
        let lines: Vec<(usize, serde_json::Result<Value>)> = lines
            .map(|(no, line)| (no, serde_json::from_slice(line)))
            .collect();
        let is_input = |line: &(usize, serde_json::Result<Value>)| {
            line.1.as_ref().is_ok_and(|line| input_of(line).is_some())
        };
        let last_input = lines.iter().rposition(is_input);
        if lines.is_empty() {
            manifest.invalid("it has no line");
        }
        let (mut parts, mut order) = (BTreeMap::new(), Vec::new());
        for (at, (no, line)) in lines.into_iter().enumerate() {
            let result = match line {
                Ok(line) if at == 0 => manifest.take_head(&line),
                Ok(line) => {
                    order.extend(line["part"].as_u64());
                    manifest.take_line(&line, &mut parts)
                }
                Err(error) => {
                    // Between inputs it was one of them, and they are counted.
                    if at > 0 && Some(at) < last_input {
                        let (name, bytes) = (None, None);
                        manifest.inputs.push(InputEntry { name, bytes });
                    }
                    Err(vec![format!("cannot be read: {error}")])
                }
            };
            for what in result.err().into_iter().flatten() {
                manifest.invalid(format!("line {no} {what}"));
            }
            if manifest.is_of_other_format {
                break;
            }
        }
        manifest.is_sorted = order.is_sorted();
        manifest.parts = parts.into_values().collect();
        manifest
    }

    fn invalid(&mut self, what: impl Into<String>) {
        self.problems.push(ManifestDefect::Invalid {
            message: what.into(),
        });
    }

    /// Reads the first line, and gives what is wrong with it.
    fn take_head(&mut self, line: &Value) -> Result<(), Vec<String>> {
        let mut wrong = Vec::new();
        match line["format"].as_u64() {
            Some(FORMAT) => {}
            Some(other) => {
                self.problems.push(ManifestDefect::UnknownFormat {
                    found: other,
                    known: FORMAT,
                });
                self.is_of_other_format = true;
                return Ok(());
            }
            None => wrong.push("does not say the manifest's format".to_owned()),
        }
        self.version = line["robots_scan"].as_str().map(str::to_owned);
        if self.version.is_none() {
            wrong.push("does not say which version of robots-scan wrote it".to_owned());
        }
        self.options = line["options"].clone();
        match settings(&line["options"]) {
            Ok(settings) => self.settings = Some(settings),
            Err(what) => wrong.push(format!("has no valid option `{what}`")),
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    }

    /// Reads a later line, and gives what is wrong with it.
    fn take_line(
        &mut self,
        line: &Value,
        parts: &mut BTreeMap<u32, PartEntry>,
    ) -> Result<(), Vec<String>> {
        let mut wrong = Vec::new();
        if let Some((name, bytes)) = input_of(line) {
            if !(line["bytes"].is_null() || line["bytes"].is_u64()) {
                wrong.push(format!("has no size of the input {name}"));
            }
            if !parts.is_empty() {
                wrong.push("is an input after parts".to_owned());
            }
            let name = Some(name);
            self.inputs.push(InputEntry { name, bytes });
        } else if let Some(path) = line["stale"].as_str() {
            match is_own_path(path) {
                true => drop(self.stale.insert(path.to_owned())),
                false => wrong.push("is a path that no dataset has".to_owned()),
            }
        } else {
            match part(line) {
                Ok(part) if parts.contains_key(&part.number) => {
                    wrong.push(format!("is part {}, as an earlier line is", part.number));
                }
                Ok(part) => drop(parts.insert(part.number, part)),
                Err(what) => wrong.push(format!("is not a part: it has no valid `{what}`")),
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    }

    /// Checks which files each part has, and drops those that are not its own.
    pub(crate) fn check_files(&mut self) {
        let tables = self.settings.as_ref().map(|it| it.tables.clone());
        let shard = self.settings.as_ref().and_then(|it| it.shard);
        let of_parts = |table: &Table| Table::OF_RECORDS.contains(table) || *table == Table::Runs;
        let known = tables.is_some();
        let tables = tables.unwrap_or_else(|| Table::ALL.to_vec());
        let tables: Vec<Table> = tables.into_iter().filter(of_parts).collect();
        let destination = OutputLayout::dataset(Path::new(""), &tables, shard);
        let mut wrong = Vec::new();
        for part in &mut self.parts {
            let (no, mut seen) = (part.number, BTreeSet::new());
            for file in std::mem::take(&mut part.files) {
                let own = destination.part_path(file.table, no, &part.crawl, &part.subset);
                let own = own.to_string_lossy().into_owned();
                let is_own = match known {
                    true => own == file.path,
                    // The shard, which is part of the names, is not known.
                    false => is_beside(&own, &file.path),
                };
                if !is_own || !tables.contains(&file.table) {
                    let path = &file.path;
                    wrong.push(format!(
                        "part {no} lists {path}, which is not one of its files"
                    ));
                } else if !seen.insert(file.table) {
                    let name = file.table.name();
                    wrong.push(format!("part {no} lists two files of `{name}`"));
                } else {
                    part.files.push(file);
                }
            }
            let lacks = |table: &&Table| known && !seen.contains(table);
            let lacking = tables.iter().filter(lacks);
            wrong.extend(lacking.map(|it| format!("part {no} lists no file of `{}`", it.name())));
        }
        wrong.into_iter().for_each(|what| self.invalid(what));
    }

    /// The files that the dataset owns by its manifest, below its folder: those
    /// of its parts, those still to be removed, and the table `agents` and the
    /// views, which have no lines of their own. `_manifest.jsonl`, `_log.jsonl`
    /// and `_SUCCESS` are known by their names.
    pub(crate) fn own_files(&self) -> BTreeSet<String> {
        let files = self.parts.iter().flat_map(|part| &part.files);
        let files = files.map(|file| file.path.clone());
        let mut own: BTreeSet<String> = files.filter(|path| is_own_path(path)).collect();
        own.extend(self.stale.iter().cloned());
        let settings = self.settings.as_ref();
        if settings.is_some_and(|it| it.tables.contains(&Table::Agents)) {
            own.insert(AGENTS.to_owned());
        }
        own.insert(super::VIEWS.to_owned());
        own
    }

    /// The archives of a part, by name, with their sizes; none where a name is not known.
    pub(crate) fn archives(&self, part: &PartEntry) -> Option<BTreeMap<&str, Option<u64>>> {
        let inputs = self.inputs.get(part.inputs.clone())?;
        let inputs = inputs.iter();
        inputs
            .map(|input| Some((input.name.as_deref()?, input.bytes)))
            .collect()
    }
}

impl PartEntry {
    /// Says if its inputs are not those that the inputs of a dataset are cut
    /// into; `cuts` has those of each part.
    pub(crate) fn cut_problem(&self, cuts: &[Range<usize>]) -> Option<String> {
        let (no, is) = (self.number, &self.inputs);
        match cuts.get(no as usize) {
            None => Some(format!(
                "it has a part {no}, and the inputs make {}",
                cuts.len()
            )),
            Some(cut) if cut != is => Some(format!(
                "part {no} has inputs {} to {}, by their sizes it has {} to {}",
                is.start, is.end, cut.start, cut.end
            )),
            Some(_) => None,
        }
    }

    /// The line of the part.
    pub(crate) fn line(&self) -> Value {
        let files = self.files.iter().map(|file| {
            json!({
                "table": file.table.name(), "path": file.path, "rows": file.stats.rows,
                "bytes": file.stats.bytes, "xxh3": file.stats.digest,
            })
        });
        json!({
            "part": self.number, "crawl": self.crawl, "subset": self.subset,
            "inputs": [self.inputs.start, self.inputs.end], "records": self.records,
            "captures": self.captures, "faults": self.faults, "files": files.collect::<Vec<Value>>(),
        })
    }
}

/// A manifest as it is written.
pub(super) fn text_of<'a>(
    plan: &ManifestHeader,
    stale: impl IntoIterator<Item = &'a String>,
    parts: &[PartEntry],
) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let head = json!({"robots_scan": version, "format": FORMAT, "options": plan.options});
    let inputs = plan.inputs.iter();
    let inputs = inputs.map(|(name, bytes)| json!({"input": name, "bytes": bytes}));
    let stale = stale.into_iter().map(|path| json!({ "stale": path }));
    let lines = [head].into_iter().chain(inputs).chain(stale);
    let lines = lines.chain(parts.iter().map(PartEntry::line));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Returns true if a path is one that a dataset can own, besides those that are
/// known by name: `<table>/crawl=…/subset=…/part-….parquet`, the file of the
/// table `agents`, or the views.
pub(super) fn is_own_path(path: &str) -> bool {
    let is_table = |name: &str| Table::ALL.iter().any(|table| table.name() == name);
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
            is_table(table)
                && crawl.is_some_and(is_partition_name)
                && subset.is_some_and(is_partition_name)
                && is_part(name)
        }
        _ => path == AGENTS || path == super::VIEWS,
    }
}

/// Returns true if a path is that of a Parquet file in the folder of another.
fn is_beside(own: &str, path: &str) -> bool {
    let folder = own.rsplit_once('/').map(|(folder, _)| folder);
    let split = path.rsplit_once('/');
    split.is_some_and(|(of, name)| Some(of) == folder && name.ends_with(".parquet"))
}

/// The name and the size of an input, if a line is one.
fn input_of(line: &Value) -> Option<(String, Option<u64>)> {
    let name = line["input"].as_str()?;
    Some((name.to_owned(), line["bytes"].as_u64()))
}

fn text<'a>(line: &Value, name: &'a str) -> Result<String, &'a str> {
    line[name].as_str().map(str::to_owned).ok_or(name)
}

fn number<'a>(line: &Value, name: &'a str) -> Result<u64, &'a str> {
    line[name].as_u64().ok_or(name)
}

fn list<'v, 'a>(line: &'v Value, name: &'a str) -> Result<&'v [Value], &'a str> {
    line[name].as_array().map(Vec::as_slice).ok_or(name)
}

fn table(name: &Value) -> Option<Table> {
    let name = name.as_str()?;
    Table::ALL.into_iter().find(|table| table.name() == name)
}

/// The options of the first line, or the name of one that cannot be.
fn settings(options: &Value) -> Result<DatasetOptions, &'static str> {
    let tables = list(options, "tables")?.iter().map(table);
    let crawl = |value: &Value| {
        let (crawl, subset) = value.as_str()?.split_once('/')?;
        let is_sound = is_partition_name(crawl) && is_partition_name(subset);
        is_sound.then(|| (crawl.to_owned(), subset.to_owned()))
    };
    let crawls = list(options, "crawls")?.iter().map(crawl);
    let shard = match &options["shard"] {
        Value::Null => None,
        Value::String(text) => {
            let numbers = text.split_once('/');
            let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
            Some(numbers.ok_or("shard")?)
        }
        _ => return Err("shard"),
    };
    Ok(DatasetOptions {
        rows: options["rows"].clone(),
        tables: tables.collect::<Option<_>>().ok_or("tables")?,
        part_bytes: number(options, "part_bytes")?,
        shard,
        agents: text(options, "agents")?,
        psl: text(options, "psl")?,
        crawls: crawls.collect::<Option<_>>().ok_or("crawls")?,
    })
}

/// A part, or the name of what is missing in its line.
fn part(line: &Value) -> Result<PartEntry, &'static str> {
    let inputs = list(line, "inputs")?.iter().map(|value| {
        let number = value.as_u64()?;
        usize::try_from(number).ok()
    });
    let inputs = match inputs.collect::<Option<Vec<_>>>().as_deref() {
        Some(&[from, to]) if from < to => from..to,
        _ => return Err("inputs"),
    };
    let folder = |name| {
        text(line, name).and_then(|text| match is_partition_name(&text) {
            true => Ok(text),
            false => Err(name),
        })
    };
    let file = |value: &Value| {
        Some(FileEntry {
            table: table(&value["table"])?,
            path: text(value, "path").ok()?,
            stats: FileStats {
                rows: number(value, "rows").ok()?,
                bytes: number(value, "bytes").ok()?,
                digest: text(value, "xxh3").ok()?,
            },
        })
    };
    let files = list(line, "files")?.iter().map(file);
    Ok(PartEntry {
        number: u32::try_from(number(line, "part")?).map_err(|_| "part")?,
        crawl: folder("crawl")?,
        subset: folder("subset")?,
        inputs,
        records: number(line, "records")?,
        captures: number(line, "captures")?,
        faults: number(line, "faults")?,
        files: files.collect::<Option<_>>().ok_or("files")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_that_a_run_makes_are_owned() {
        for path in [
            "rules/crawl=X/subset=warc/part-00000.parquet",
            "runs/crawl=CC-MAIN-2025-38/subset=warc/part-00002-00001.parquet",
            "agents/agents.parquet",
            "views.sql",
        ] {
            assert!(is_own_path(path), "{path}");
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
            assert!(!is_own_path(path), "{path}");
        }
    }
}
