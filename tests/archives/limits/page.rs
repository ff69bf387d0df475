//! Checks `limits.txt`: it has every limit of `docs/limits.md` and every constant that is one, constants
//! have the stated values, and tests exist.

use super::{BODIES, BODIES_PER_THREAD, PROGRAM_MIB, THREAD_MIB};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use support::{self, files_below, project};

fn page() -> String {
    fs::read_to_string(project().join("docs/limits.md")).unwrap()
}

/// Returns the first cells of all table rows of the page, without the headings.
fn limits_of(page: &str) -> Vec<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix('|'));
    let cells = rows.map(|line| line.split('|').next().unwrap().trim());
    let limits = cells.filter(|cell| *cell != "limit" && !cell.starts_with('-'));
    limits.collect()
}

/// Returns the lines of `limits.txt` without comments.
fn listed() -> Vec<&'static str> {
    let lines = include_str!("limits.txt").lines();
    let listed = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    listed.collect()
}

/// Returns the sources in Rust and Python below a folder, by path.
fn sources(folder: &str) -> BTreeMap<String, String> {
    let files = files_below(&project().join(folder)).into_iter();
    let is_source = |path: &PathBuf| {
        let extension = path.extension();
        extension.is_some_and(|extension| extension == "rs" || extension == "py")
    };
    let read = files.filter(is_source).map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (support::relative(&path, project()), text)
    });
    read.collect()
}

/// Returns the constants of the sources as `NAME = value`, with their files.
fn constants() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (path, text) in sources("src") {
        let code = text.split("#[cfg(test)]").next().unwrap();
        for line in code.lines() {
            let Some((_, rest)) = line.split_once("const ") else {
                continue;
            };
            let Some((name, rest)) = rest.split_once(": ") else {
                continue;
            };
            if let Some((_, value)) = rest.split_once(" = ")
                && let Some(value) = value.strip_suffix(';')
            {
                found.push((format!("{name} = {value}"), path.clone()));
            }
        }
    }
    found
}

#[test]
fn every_row_has_its_constant_and_a_test_that_exists() {
    let constants: BTreeSet<String> = constants().into_iter().map(|constant| constant.0).collect();
    let mut tests = BTreeSet::new();
    let texts = ["src", "tests", "jobs"].map(sources);
    for text in texts.into_iter().flat_map(BTreeMap::into_values) {
        for line in text.lines().map(str::trim_start) {
            // Injected faults are tests made by a macro from `name: "words", make;`.
            let rust = line.strip_prefix("fn ");
            let name = match (rust, line.strip_prefix("def test_")) {
                (Some(rest), _) => rest.split("()").next(),
                (None, Some(rest)) => rest.split('(').next(),
                (None, None) => line.split_once(": \"").map(|(name, _)| name),
            };
            tests.extend(name.map(str::to_owned));
        }
    }
    let (page, listed) = (page(), listed());
    let limits = limits_of(&page);
    assert!(limits.len() > 40, "{} rows", limits.len());
    for limit in limits {
        let start = listed.iter().position(|line| *line == limit);
        let start = start.unwrap_or_else(|| panic!("limits.txt has no `{limit}`"));
        let rest = listed[start + 1..].iter();
        let names = rest.map_while(|line| line.strip_prefix("    "));
        let (of_constants, of_tests): (Vec<&str>, Vec<&str>) =
            names.partition(|name| name.contains(" = "));
        for constant in of_constants {
            assert!(constants.contains(constant), "{limit}: `{constant}`");
        }
        assert!(!of_tests.is_empty(), "{limit} has no test");
        for test in of_tests {
            assert!(tests.contains(test), "{limit}: there is no test `{test}`");
        }
    }
}

#[test]
fn every_constant_that_is_a_limit_is_listed() {
    let listed = listed();
    let whole = listed.iter().map(|line| line.trim());
    let words = listed.iter().flat_map(|line| line.split(' '));
    let named: BTreeSet<&str> = whole.chain(words).collect();
    for (constant, path) in constants() {
        let name = constant.split(" = ").next().unwrap();
        let is_limit = name
            .split('_')
            .any(|word| matches!(word, "MAX" | "LIMIT" | "BUDGET"));
        assert!(
            !is_limit || named.contains(constant.as_str()) || named.contains(name),
            "{path}: {constant} is not in limits.txt"
        );
    }
}

#[test]
fn the_documented_memory_bound_is_the_tested_one() {
    let formula = format!(
        "{PROGRAM_MIB} MiB + threads × ({THREAD_MIB} MiB + {BODIES_PER_THREAD} × max-body-bytes) + {BODIES} × max-body-bytes"
    );
    assert!(page().contains(&formula), "{formula}");
}
