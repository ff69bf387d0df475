//! Checks that every input of a manifest is in exactly one of its parts.

use super::{FindingKind, Findings};
use dataset::{MANIFEST_FILE, Manifest, PartEntry, SUCCESS_FILE};
use std::collections::BTreeSet;
use std::path::Path;
use tables::Table;

/// Checks that every input is in a part, and that a dataset with `_SUCCESS` lacks no resolved table.
pub(super) fn check_inputs_covered(root: &Path, manifest: &Manifest, findings: &mut Findings) {
    let missing = check_input_ranges(manifest, findings);
    // While a dataset is being replaced, the folder may still have `_SUCCESS` of the former dataset.
    let is_replaced = !manifest.stale.is_empty();
    let has_success = disk::is_regular(&root.join(SUCCESS_FILE)) && !is_replaced;
    let missing = match (missing.is_empty(), missing_table(manifest)) {
        (true, Some(missing)) if has_success => missing,
        _ => missing,
    };
    if !missing.is_empty() {
        let contradiction = if has_success {
            format!(", though {SUCCESS_FILE} is there")
        } else {
            String::new()
        };
        findings.add(
            FindingKind::Unfinished,
            MANIFEST_FILE,
            format_args!("not finished: {missing}{contradiction}"),
        );
    } else if !has_success {
        findings.add(
            FindingKind::Unfinished,
            SUCCESS_FILE,
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
                MANIFEST_FILE,
                format_args!("its first line has other crawls than its parts"),
            );
        }
    }
}

/// Describes the table `agents` or the resolved tables of a crawl that are missing; `None` if the dataset has all tables
/// with which it was written.
fn missing_table(manifest: &Manifest) -> Option<String> {
    let options = manifest.options.as_ref()?;
    if manifest.agents.is_none() && options.tables.contains(&Table::AGENTS) {
        return Some("the table `agents` is missing".to_owned());
    }
    let mut parts = manifest.parts.iter();
    let is_resolved = |part: &&PartEntry| {
        let mut crawls = manifest.crawls.iter();
        crawls.any(|entry| entry.crawl == part.crawl)
    };
    let part = parts.find(|part| !is_resolved(part));
    part.filter(|_| options.tables.contains(&Table::HOSTS))
        .map(|part| format!("the hosts of {} are missing", part.crawl))
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
                MANIFEST_FILE,
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
    // A damaged manifest may have a huge part number, so the range is limited: there are at most as
    // many parts as inputs. Parts after the last one in the manifest have no numbers yet.
    let last = manifest.parts.last().map_or(0, |part| part.number);
    let parts_max = u32::try_from(manifest.inputs.len()).unwrap_or(u32::MAX);
    let mut absent: BTreeSet<u32> = (0..last.min(parts_max)).collect();
    for part in &manifest.parts {
        absent.remove(&part.number);
    }
    let missing_numbers = match (absent.is_empty(), manifest.parts.is_empty()) {
        (_, true) => "all".to_owned(),
        (true, _) => "the last".to_owned(),
        (false, _) => format_ranges(&absent),
    };
    format!(
        "parts are missing: {missing_numbers}, with the inputs {}",
        missing.join(", ")
    )
}

/// Formats numbers as a list. Consecutive numbers become a range, such as `3 to 5`.
fn format_ranges(numbers: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let format_run = |&(first, last): &(u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        }
    };
    runs.iter().map(format_run).collect::<Vec<_>>().join(", ")
}

/// Returns a path relative to `root`, the folder of the dataset, in the form that findings have.
pub fn relative_path(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().into_owned()
}
