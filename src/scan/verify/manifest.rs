//! The manifest as it was written, line by line: what it says, and what of it
//! cannot be.

use super::{Findings, Kind};
use crate::input::is_partition_name;
use crate::output::{FORMAT, MANIFEST, input_of, read_lines};
use crate::tables::Table;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a dataset was made with.
#[derive(Debug)]
pub(super) struct Made {
    /// The options that change rows, as `runs` has them.
    pub(super) rows: Value,
    pub(super) tables: Vec<Table>,
    pub(super) part_bytes: u64,
    pub(super) shard: Option<(usize, usize)>,
    pub(super) agents: String,
    pub(super) psl: String,
    pub(super) crawls: Vec<(String, String)>,
}

/// An archive; without a name where its line could not be read.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) name: Option<String>,
    pub(super) bytes: Option<u64>,
}

/// A part that is whole.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) no: u32,
    pub(super) crawl: String,
    pub(super) subset: String,
    pub(super) inputs: Range<usize>,
    pub(super) records: u64,
    pub(super) captures: u64,
    pub(super) faults: u64,
    pub(super) files: Vec<PartFile>,
}

/// A file of a part.
#[derive(Debug)]
pub(super) struct PartFile {
    pub(super) table: Table,
    pub(super) path: String,
    pub(super) is: Written,
}

/// What a file was when it was written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) digest: String,
}

/// What could be read of a manifest.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The program's version.
    pub(super) version: Option<String>,
    pub(super) made: Option<Made>,
    pub(super) inputs: Vec<Input>,
    /// Parts in their order, each once.
    pub(super) parts: Vec<Part>,
}

impl Manifest {
    /// Reads what can be read; `None` if it is of another format.
    pub(super) fn read(text: &[u8], findings: &mut Findings) -> Option<Self> {
        let (whole, lines) = read_lines(text);
        if whole < text.len() {
            let cut = text.len() - whole;
            findings.add(
                Kind::ManifestCut,
                MANIFEST,
                format_args!("its last line, of {cut} bytes, has no end"),
            );
        }
        let is_input = |line: &(usize, serde_json::Result<Value>)| {
            line.1.as_ref().is_ok_and(|line| input_of(line).is_some())
        };
        let last_input = lines.iter().rposition(is_input);
        let mut manifest = Self::default();
        let mut parts = BTreeMap::new();
        if lines.is_empty() {
            findings.add(Kind::Manifest, MANIFEST, format_args!("it has no line"));
        }
        for (at, (no, line)) in lines.into_iter().enumerate() {
            let mut wrong = |what: &dyn std::fmt::Display| {
                findings.add(Kind::Manifest, MANIFEST, format_args!("line {no} {what}"));
            };
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    wrong(&format_args!("cannot be read: {error}"));
                    // Between inputs it was one of them, and they are counted.
                    if at > 0 && Some(at) < last_input {
                        let (name, bytes) = (None, None);
                        manifest.inputs.push(Input { name, bytes });
                    }
                    continue;
                }
            };
            if at == 0 {
                match line["format"].as_u64() {
                    Some(FORMAT) => {}
                    Some(other) => {
                        findings.add(
                            Kind::Format,
                            MANIFEST,
                            format_args!("its format is {other}, and this version knows {FORMAT}"),
                        );
                        return None;
                    }
                    None => wrong(&"does not say the manifest's format"),
                }
                manifest.version = line["robots_scan"].as_str().map(str::to_owned);
                if manifest.version.is_none() {
                    wrong(&"does not say which version of robots-scan wrote it");
                }
                match made(&line["options"]) {
                    Ok(made) => manifest.made = Some(made),
                    Err(what) => wrong(&format_args!("has no option `{what}` that can be")),
                }
            } else if let Some((name, bytes)) = input_of(&line) {
                if !(line["bytes"].is_null() || line["bytes"].is_u64()) {
                    wrong(&format_args!("has no size of the input {name}"));
                }
                if !parts.is_empty() {
                    wrong(&"is an input behind parts");
                }
                let name = Some(name);
                manifest.inputs.push(Input { name, bytes });
            } else {
                match part(&line) {
                    Ok(part) if parts.contains_key(&part.no) => {
                        wrong(&format_args!(
                            "is part {}, which stood there before",
                            part.no
                        ));
                    }
                    Ok(part) => {
                        parts.insert(part.no, part);
                    }
                    Err(what) => wrong(&format_args!("is no part: it has no `{what}` that can be")),
                }
            }
        }
        manifest.parts = parts.into_values().collect();
        Some(manifest)
    }

    /// The archives of a part, by name, with their sizes; none where a name is not known.
    pub(super) fn archives(&self, part: &Part) -> Option<BTreeMap<&str, Option<u64>>> {
        let inputs = self.inputs.get(part.inputs.clone())?;
        let inputs = inputs.iter();
        inputs
            .map(|input| Some((input.name.as_deref()?, input.bytes)))
            .collect()
    }
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

/// What the first line says of options, or the name of one that cannot be.
fn made(options: &Value) -> Result<Made, &'static str> {
    let tables = list(options, "tables")?.iter().map(table);
    let crawl = |it: &Value| {
        let (crawl, subset) = it.as_str()?.split_once('/')?;
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
    Ok(Made {
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
fn part(line: &Value) -> Result<Part, &'static str> {
    let inputs = list(line, "inputs")?.iter().map(|it| {
        let number = it.as_u64()?;
        usize::try_from(number).ok()
    });
    let inputs = match inputs.collect::<Option<Vec<_>>>().as_deref() {
        Some(&[from, to]) if from < to => from..to,
        _ => return Err("inputs"),
    };
    let folder = |name| {
        text(line, name).and_then(|it| match is_partition_name(&it) {
            true => Ok(it),
            false => Err(name),
        })
    };
    let file = |it: &Value| {
        Some(PartFile {
            table: table(&it["table"])?,
            path: text(it, "path").ok()?,
            is: Written {
                rows: number(it, "rows").ok()?,
                bytes: number(it, "bytes").ok()?,
                digest: text(it, "xxh3").ok()?,
            },
        })
    };
    let files = list(line, "files")?.iter().map(file);
    Ok(Part {
        no: u32::try_from(number(line, "part")?).map_err(|_| "part")?,
        crawl: folder("crawl")?,
        subset: folder("subset")?,
        inputs,
        records: number(line, "records")?,
        captures: number(line, "captures")?,
        faults: number(line, "faults")?,
        files: files.collect::<Option<_>>().ok_or("files")?,
    })
}
