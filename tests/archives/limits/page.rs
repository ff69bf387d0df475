//! Checks `docs/limits.md`: its constants have the stated values, its tests exist, and every constant
//! that is a limit is listed.

use super::{BODIES, BODIES_PER_THREAD, PROGRAM_MIB, THREAD_MIB};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use support::{self, files_below, project};

fn page() -> String {
    fs::read_to_string(project().join("docs/limits.md")).unwrap()
}

/// Returns the cells of all table rows of the page, without the headings.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter_map(|line| {
        let line = line.strip_prefix('|')?.strip_suffix('|')?;
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let is_head = cells[0] == "limit" || cells[0].starts_with('-');
        (!is_head).then_some(cells)
    });
    rows.collect()
}

/// Returns the texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the Rust sources below a folder, by path.
fn sources(folder: &str) -> BTreeMap<String, String> {
    let files = files_below(&project().join(folder)).into_iter();
    let rust = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let read = rust.map(|path| {
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
fn every_row_names_its_constant_and_a_test_that_exists() {
    let page = page();
    let constants: BTreeSet<String> = constants().into_iter().map(|constant| constant.0).collect();
    let mut tests = BTreeSet::new();
    for text in sources("src")
        .into_values()
        .chain(sources("tests").into_values())
    {
        for line in text.lines().map(str::trim_start) {
            // Injected faults are tests made by a macro from `name: "words", make;`.
            let name = match line.strip_prefix("fn ") {
                Some(rest) => rest.split("()").next(),
                None => line.split_once(": \"").map(|(name, _)| name),
            };
            tests.extend(name.map(str::to_owned));
        }
    }
    let rows = rows(&page);
    assert!(rows.len() > 40, "{} rows", rows.len());
    for row in rows {
        let [limit, default, option, _, constant, test] = row[..] else {
            panic!("six cells: {row:?}");
        };
        assert!(!default.is_empty() && !option.is_empty(), "{limit}");
        for constant in quoted(constant) {
            assert!(constants.contains(constant), "{limit}: `{constant}`");
        }
        assert!(quoted(test).count() > 0, "{limit} has no test");
        for test in quoted(test) {
            assert!(tests.contains(test), "{limit}: there is no test `{test}`");
        }
    }
}

#[test]
fn every_constant_that_is_a_limit_is_on_the_page() {
    let page = page();
    let named: BTreeSet<&str> = quoted(&page).collect();
    for (constant, path) in constants() {
        let name = constant.split(" = ").next().unwrap();
        let is_limit = name
            .split('_')
            .any(|word| matches!(word, "MAX" | "LIMIT" | "BUDGET"));
        assert!(
            !is_limit || named.contains(constant.as_str()) || named.contains(name),
            "{path}: {constant} is not in docs/limits.md"
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
