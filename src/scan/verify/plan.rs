//! Compares the parts of a manifest with those that its inputs are divided into.

use super::{FindingKind, Findings};
use crate::dataset::{
    DatasetOptions, InputEntry, MANIFEST, Manifest, PartEntry, Partition, SUCCESS,
};
use crate::disk;
use crate::input::{Input, InputSource};
use crate::pipeline;
use crate::tables::Table;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Checks that every part of the plan is listed. Returns true if no part is
/// missing.
pub(super) fn check(root: &Path, manifest: &Manifest, findings: &mut Findings) -> bool {
    let planned = manifest
        .options
        .as_ref()
        .and_then(|options| planned_parts(options, manifest));
    let missing = match &planned {
        Some(planned) => compare_with_plan(planned, manifest, findings),
        None => check_input_ranges(manifest, findings),
    };
    // While a dataset is replaced, the file of the former one may be there.
    let is_replaced = !manifest.stale.is_empty();
    let has_success = disk::is_regular(&root.join(SUCCESS)) && !is_replaced;
    let crawl = crawl_without_hosts(manifest);
    let missing = match (missing.is_empty(), crawl) {
        (true, Some(crawl)) if has_success => format!("the hosts of {crawl} are missing"),
        _ => missing,
    };
    if !missing.is_empty() {
        let contradiction = match has_success {
            true => format!(", though {SUCCESS} is there"),
            false => String::new(),
        };
        findings.add(
            FindingKind::Unfinished,
            MANIFEST,
            format_args!("not finished: {missing}{contradiction}"),
        );
    } else if !has_success {
        findings.add(
            FindingKind::Unfinished,
            SUCCESS,
            format_args!("it is missing, although no part is missing"),
        );
    }
    if let Some(options) = &manifest.options {
        let mut crawls: Vec<(&str, &str)> = Vec::new();
        for part in &manifest.parts {
            let crawl = (part.crawl.as_str(), part.subset.as_str());
            if crawls.last() != Some(&crawl) {
                crawls.push(crawl);
            }
        }
        let listed = options.crawls.iter();
        let listed: Vec<(&str, &str)> = listed
            .map(|partition| (partition.crawl.as_str(), partition.subset.as_str()))
            .collect();
        if missing.is_empty() && crawls != listed {
            findings.add(
                FindingKind::Parts,
                MANIFEST,
                format_args!("its first line has other crawls than its parts"),
            );
        }
    }
    missing.is_empty()
}

/// Returns a crawl whose resolved tables should be there and are not.
fn crawl_without_hosts(manifest: &Manifest) -> Option<&str> {
    let options = manifest.options.as_ref()?;
    let mut parts = manifest.parts.iter();
    let is_resolved = |part: &&PartEntry| {
        let mut crawls = manifest.crawls.iter();
        crawls.any(|entry| entry.crawl == part.crawl)
    };
    let part = parts.find(|part| !is_resolved(part));
    part.filter(|_| options.tables.contains(&Table::Hosts))
        .map(|part| part.crawl.as_str())
}

/// Returns the parts that the inputs are divided into, if the crawl of each input
/// is known.
fn planned_parts(options: &DatasetOptions, manifest: &Manifest) -> Option<Vec<pipeline::Part>> {
    let only = match options.crawls.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    let mut crawls = vec![None; manifest.inputs.len()];
    let partition = |part: &PartEntry| Partition {
        crawl: part.crawl.clone(),
        subset: part.subset.clone(),
    };
    let of_parts: Vec<Partition> = manifest.parts.iter().map(partition).collect();
    for (part, crawl) in manifest.parts.iter().zip(&of_parts) {
        let inputs = crawls.get_mut(part.inputs.clone()).into_iter().flatten();
        inputs.for_each(|known| *known = known.or(Some(crawl)));
    }
    let input = |(input, partition): (&InputEntry, Option<&Partition>)| {
        let Partition { crawl, subset } = partition.or(only)?.clone();
        Some(Input {
            index: input.index?,
            // Parts are divided by size, so nothing is opened.
            source: InputSource::File(PathBuf::new()),
            name: input.name.clone()?,
            bytes: input.bytes,
            crawl,
            subset,
        })
    };
    let inputs: Option<Vec<Input>> = manifest.inputs.iter().zip(crawls).map(input).collect();
    Some(pipeline::plan_parts(&inputs?, options.part_size))
}

/// Compares the listed parts with the planned ones. Returns a description of the
/// missing ones, which is empty if there are none.
fn compare_with_plan(
    planned: &[pipeline::Part],
    manifest: &Manifest,
    findings: &mut Findings,
) -> String {
    let mut missing: BTreeSet<u32> = planned.iter().map(|part| part.number).collect();
    let ranges: Vec<Range<usize>> = planned.iter().map(|part| part.inputs.clone()).collect();
    for part in &manifest.parts {
        missing.remove(&part.number);
        if let Some(what) = part.plan_problem(&ranges) {
            findings.add(FindingKind::Parts, MANIFEST, format_args!("{what}"));
        }
    }
    match missing.is_empty() {
        true => String::new(),
        false => format!("parts are missing: {}", ranges_text(&missing)),
    }
}

/// Checks that the parts cover all inputs in order without overlaps. Returns a
/// description of the missing parts, which is empty if there are none.
fn check_input_ranges(manifest: &Manifest, findings: &mut Findings) -> String {
    let (mut end, mut missing) = (0, Vec::new());
    for part in &manifest.parts {
        let inputs = &part.inputs;
        if inputs.start < end || inputs.end > manifest.inputs.len() {
            findings.add(
                FindingKind::Parts,
                MANIFEST,
                format_args!(
                    "part {} has inputs {} to {}, of {}, and those before it have them up to {end}",
                    part.number,
                    inputs.start,
                    inputs.end,
                    manifest.inputs.len()
                ),
            );
        } else if inputs.start > end {
            missing.push(format!("{end} to {}", inputs.start));
        }
        end = end.max(inputs.end);
    }
    if end < manifest.inputs.len() {
        missing.push(format!("{end} to {}", manifest.inputs.len()));
    }
    if missing.is_empty() {
        return String::new();
    }
    // There are at most as many parts as inputs. The parts after the last have
    // no numbers yet.
    let last = manifest.parts.last().map_or(0, |part| part.number);
    let parts_max = u32::try_from(manifest.inputs.len()).unwrap_or(u32::MAX);
    let mut absent: BTreeSet<u32> = (0..last.min(parts_max)).collect();
    for part in &manifest.parts {
        absent.remove(&part.number);
    }
    let named = match (absent.is_empty(), manifest.parts.is_empty()) {
        (_, true) => "all".to_owned(),
        (true, _) => "the last".to_owned(),
        (false, _) => ranges_text(&absent),
    };
    format!(
        "parts are missing: {named}, with the inputs {}",
        missing.join(", ")
    )
}

/// Returns numbers as text, with consecutive ones as a range.
fn ranges_text(numbers: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

/// Returns a path relative to the folder of the dataset, as in findings.
pub(super) fn relative(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().into_owned()
}
