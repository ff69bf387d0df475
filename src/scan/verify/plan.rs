//! Compares the parts of a manifest with those that its inputs are cut into.

use super::{Findings, Kind};
use crate::dataset::{DatasetOptions, InputEntry, MANIFEST, Manifest, SUCCESS};
use crate::disk;
use crate::input::{Input, InputSource};
use crate::pipeline;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Checks that every part of the plan is there, and gives whether it is.
pub(super) fn check(root: &Path, manifest: &Manifest, findings: &mut Findings) -> bool {
    let cuts = manifest
        .settings
        .as_ref()
        .and_then(|made| cuts(made, manifest));
    let missing = match &cuts {
        Some(cuts) => by_cuts(cuts, manifest, findings),
        None => by_ranges(manifest, findings),
    };
    let has_success = disk::is_regular(&root.join(SUCCESS));
    if !missing.is_empty() {
        let but = match has_success {
            true => format!(", though {SUCCESS} is there"),
            false => String::new(),
        };
        findings.add(
            Kind::Unfinished,
            MANIFEST,
            format_args!("not finished: {missing}{but}"),
        );
    } else if !has_success {
        findings.add(
            Kind::Unfinished,
            SUCCESS,
            format_args!("it is not there, though no part is missing"),
        );
    }
    if let Some(made) = &manifest.settings {
        let mut crawls: Vec<(&str, &str)> = Vec::new();
        for part in &manifest.parts {
            let crawl = (part.crawl.as_str(), part.subset.as_str());
            if crawls.last() != Some(&crawl) {
                crawls.push(crawl);
            }
        }
        let known = made.crawls.iter();
        let known: Vec<(&str, &str)> = known.map(|(a, b)| (a.as_str(), b.as_str())).collect();
        if missing.is_empty() && crawls != known {
            findings.add(
                Kind::Parts,
                MANIFEST,
                format_args!("its first line has other crawls than its parts"),
            );
        }
    }
    missing.is_empty()
}

/// The parts that the inputs are cut into, if the crawl of each is known.
fn cuts(made: &DatasetOptions, manifest: &Manifest) -> Option<Vec<pipeline::Part>> {
    let only = match made.crawls.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    let mut crawls = vec![None; manifest.inputs.len()];
    let of_parts: Vec<(String, String)> = manifest
        .parts
        .iter()
        .map(|part| (part.crawl.clone(), part.subset.clone()))
        .collect();
    for (part, crawl) in manifest.parts.iter().zip(&of_parts) {
        let inputs = crawls.get_mut(part.inputs.clone()).into_iter().flatten();
        inputs.for_each(|it| *it = it.or(Some(crawl)));
    }
    let input = |(input, crawl): (&InputEntry, Option<&(String, String)>)| {
        let (crawl, subset) = crawl.or(only)?.clone();
        Some(Input {
            // Parts are cut by sizes; nothing is opened.
            source: InputSource::File(PathBuf::new()),
            name: input.name.clone()?,
            bytes: input.bytes,
            crawl,
            subset,
        })
    };
    let inputs: Option<Vec<Input>> = manifest.inputs.iter().zip(crawls).map(input).collect();
    Some(pipeline::plan_parts(&inputs?, made.part_bytes))
}

/// Compares parts with what the inputs are cut into, and names those missing.
fn by_cuts(cuts: &[pipeline::Part], manifest: &Manifest, findings: &mut Findings) -> String {
    let mut missing: BTreeSet<u32> = cuts.iter().map(|cut| cut.number).collect();
    let cuts: Vec<Range<usize>> = cuts.iter().map(|cut| cut.inputs.clone()).collect();
    for part in &manifest.parts {
        missing.remove(&part.number);
        if let Some(what) = part.cut_problem(&cuts) {
            findings.add(Kind::Parts, MANIFEST, format_args!("{what}"));
        }
    }
    match missing.is_empty() {
        true => String::new(),
        false => format!("parts are missing: {}", numbers(&missing)),
    }
}

/// Checks that parts take all inputs in order, none twice, and says what is missing.
fn by_ranges(manifest: &Manifest, findings: &mut Findings) -> String {
    let (mut at, mut missing) = (0, Vec::new());
    for part in &manifest.parts {
        let inputs = &part.inputs;
        if inputs.start < at || inputs.end > manifest.inputs.len() {
            findings.add(
                Kind::Parts,
                MANIFEST,
                format_args!(
                    "part {} has inputs {} to {}, of {}, and those before it have them up to {at}",
                    part.number,
                    inputs.start,
                    inputs.end,
                    manifest.inputs.len()
                ),
            );
        } else if inputs.start > at {
            missing.push(format!("{at} to {}", inputs.start));
        }
        at = at.max(inputs.end);
    }
    if at < manifest.inputs.len() {
        missing.push(format!("{at} to {}", manifest.inputs.len()));
    }
    if missing.is_empty() {
        return String::new();
    }
    // There are no more parts than inputs; what follows the last has no number yet.
    let last = manifest.parts.last().map_or(0, |part| part.number);
    let most = u32::try_from(manifest.inputs.len()).unwrap_or(u32::MAX);
    let mut absent: BTreeSet<u32> = (0..last.min(most)).collect();
    for part in &manifest.parts {
        absent.remove(&part.number);
    }
    let named = match (absent.is_empty(), manifest.parts.is_empty()) {
        (_, true) => "all".to_owned(),
        (true, _) => "the last".to_owned(),
        (false, _) => numbers(&absent),
    };
    format!(
        "parts are missing: {named}, with the inputs {}",
        missing.join(", ")
    )
}

/// Numbers, with those that follow each other drawn together.
fn numbers(numbers: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &no in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == no => *last = no,
            _ => runs.push((no, no)),
        }
    }
    let run = |&(from, to): &(u32, u32)| match from == to {
        true => from.to_string(),
        false => format!("{from} to {to}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

/// A path below the dataset's folder, as findings name it.
pub(super) fn relative(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().into_owned()
}
