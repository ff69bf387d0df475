//! Checks the documents: their links, and the files that they name.
//!
//! `tests/python/test_documents.py` executes the commands that they show.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use support::{files_below, project, relative};

/// The documents for readers, by their paths in the repository.
fn documents() -> Vec<(String, String)> {
    let top = fs::read_dir(project())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let folders = [
        "docs",
        "docs/developers",
        "data-samples",
        "jobs",
        "fuzz",
        "xtask",
        "benches",
        "examples",
        "src/python",
        "src/robots",
        "src/warc",
    ];
    let below = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(project().join(folder)).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path())
    });
    let markdown = top
        .chain(below)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut found: Vec<_> = markdown
        .map(|path| {
            (
                relative(&path, project()),
                fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    found.sort();
    assert!(found.len() >= 15, "{} documents", found.len());
    found
}

/// The text outside code blocks.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && !line.starts_with("    ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The code spans of a text.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The anchors of the headings of a document, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
        kept.map(|char| if char == ' ' { '-' } else { char })
            .collect()
    };
    headings.map(anchor).collect()
}

/// The files of the repository that documents may name, by their paths.
fn repository_files() -> BTreeSet<String> {
    let entries = fs::read_dir(project()).unwrap();
    let mut files = BTreeSet::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_file() {
            files.insert(name);
        } else if !matches!(&*name, "target" | ".git") && !name.starts_with(".venv") {
            files.extend(
                files_below(&path)
                    .iter()
                    .map(|path| relative(path, project())),
            );
        }
    }
    files
}

/// The paths in a code span: words that begin with a folder of the repository,
/// and names of source files.
fn paths_in(span: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 12] = [
        "src/",
        "tests/",
        "docs/",
        "jobs/",
        "benches/",
        "schemas/",
        "data-samples/",
        "fuzz/",
        "xtask/",
        "examples/",
        ".ci/",
        ".github/",
    ];
    // Written by the fuzzers, and not committed.
    const NOT_KEPT: [&str; 2] = ["fuzz/artifacts", "fuzz/grown"];
    // Files of datasets, and of other projects.
    const OF_OTHERS: [&str; 4] = [
        "views.sql",
        "robots_class.py",
        "robots_util.py",
        "google-semantics.md",
    ];
    const ENDINGS: [&str; 7] = [".rs", ".md", ".sql", ".py", ".toml", ".c", ".cff"];
    let words = span.split([' ', ',', '(', ')', '\'', '"', '\n']);
    words.filter(|word| {
        let is_path = FOLDERS.iter().any(|folder| word.starts_with(folder));
        let is_file = ENDINGS.iter().any(|ending| word.ends_with(ending)) && !word.starts_with('.');
        let is_pattern = word.contains(['<', '…', '=', '$', '{']);
        let is_kept = !NOT_KEPT.iter().any(|path| word.starts_with(path));
        (is_path || is_file)
            && !is_pattern
            && is_kept
            && !OF_OTHERS.iter().any(|name| word.ends_with(name))
    })
}

/// Returns true if a path, which may contain one `*`, names a file or a folder
/// of the repository. Without a folder it may be the end of any path.
fn exists(path: &str, files: &BTreeSet<String>) -> bool {
    let path = path.trim_end_matches('/');
    let (before, after) = path.split_once('*').unwrap_or((path, ""));
    files.iter().any(|file| {
        let is_whole = file == path || file.ends_with(&format!("/{path}"));
        let is_folder =
            file.starts_with(&format!("{path}/")) || file.contains(&format!("/{path}/"));
        let is_matched = path.contains('*') && file.starts_with(before) && file.ends_with(after);
        is_whole || is_folder || is_matched
    })
}

/// Files that a reader of the documents writes, or `robots-scan describe`.
const WRITTEN_FILES: [&str; 4] = ["TABLES.md", "LICENSES.md", "about.md", "public/README.md"];

#[test]
fn every_path_in_a_document_exists() {
    let files = repository_files();
    let mut missing = Vec::new();
    for (document, text) in documents() {
        if document == "CHANGELOG.md" {
            continue;
        }
        for path in code_spans(&prose(&text)).flat_map(paths_in) {
            if !exists(path, &files) && !WRITTEN_FILES.contains(&path) {
                missing.push(format!("{document}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_link_in_a_document_leads_to_a_file_and_a_heading() {
    let documents = documents();
    let mut broken = Vec::new();
    for (document, text) in &documents {
        let prose = prose(text);
        let links = prose.split("](").skip(1);
        for link in links.filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = project().join(document);
            let target = match path {
                "" => folder,
                path => folder.parent().unwrap().join(path),
            };
            let is_there = match anchor {
                "" => target.exists(),
                anchor => {
                    fs::read_to_string(&target).is_ok_and(|text| anchors(&text).contains(anchor))
                }
            };
            if !is_there {
                broken.push(format!("{document}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_index_lists_every_document() {
    let documents = documents();
    let (_, index) = documents
        .iter()
        .find(|(path, _)| path == "docs/README.md")
        .unwrap();
    for (path, _) in &documents {
        if let Some(name) = path
            .strip_prefix("docs/")
            .filter(|name| *name != "README.md")
        {
            assert!(
                index.contains(&format!("]({name})")),
                "{path} is not in the index"
            );
        }
    }
}

#[test]
fn no_text_installs_a_package_of_this_project_by_its_name() {
    // The packages are on no registry, where anyone could publish others under their names.
    let sources = files_below(&project().join("src"));
    let sources = sources.into_iter().filter(|path| {
        let extension = path.extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| ["rs", "py", "sql", "toml", "html"].contains(&extension))
    });
    let sources = sources.map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (relative(&path, project()), text)
    });
    for (path, text) in documents().into_iter().chain(sources) {
        for line in text.lines() {
            let mut installers = ["pip install", "cargo install", "cargo add"].iter();
            let packages = installers.find_map(|installer| line.split_once(installer));
            let is_named = packages.is_some_and(|(_, packages)| packages.contains("robots-scan"));
            assert!(!is_named, "{path}: {line}");
        }
    }
}

#[test]
fn the_readme_has_fewer_than_1500_words() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let words = readme.split_whitespace().count();
    assert!(words < 1_500, "{words} words");
}
