//! What the fuzzers found worth keeping, held without a fuzzer.

use crate::checks::{archive, automaton, dialects, http, members, parser, records, verdicts};
use crate::util::{files_below, project};
use std::collections::BTreeSet;
use std::fs;

/// Runs a check over all inputs that are kept for its fuzzer.
fn run(target: &str, check: fn(&[u8])) {
    let files = files_below(&project().join("fuzz/corpus").join(target));
    assert!(files.len() >= 50, "{target} has {} inputs", files.len());
    for path in files {
        // A failure names the input that showed it.
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
    }
}

#[test]
fn the_parser_holds_on_its_corpus() {
    run("parser", parser::check);
}

#[test]
fn dialects_hold_on_their_corpus() {
    run("dialects", dialects::check);
}

#[test]
fn the_automaton_holds_on_its_corpus() {
    run("automaton", automaton::check);
}

#[test]
fn verdicts_hold_on_their_corpus() {
    run("verdicts", verdicts::check);
}

#[test]
fn members_hold_on_their_corpus() {
    run("members", members::check);
}

#[test]
fn records_hold_on_their_corpus() {
    run("records", records::check);
}

#[test]
fn http_holds_on_its_corpus() {
    run("http", http::check);
}

#[test]
fn archives_hold_on_their_corpus() {
    run("archive", archive::check);
}

#[test]
fn every_fuzzer_has_a_corpus_and_is_run() {
    let manifest = fs::read_to_string(project().join("fuzz/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let bins = manifest["bin"].as_array().unwrap().iter();
    let targets: BTreeSet<String> = bins
        .map(|bin| bin["name"].as_str().unwrap().to_owned())
        .collect();
    let folders = fs::read_dir(project().join("fuzz/corpus")).unwrap();
    let corpora = folders.map(|it| it.unwrap().file_name().into_string().unwrap());
    assert_eq!(targets, corpora.collect());
    let makefile = fs::read_to_string(project().join("Makefile")).unwrap();
    let run = ["TARGETS =", "SCAN_TARGETS ="].map(|name| {
        let line = makefile.lines().find(|it| it.starts_with(name));
        line.unwrap().split_whitespace().skip(2)
    });
    assert_eq!(
        targets,
        run.into_iter().flatten().map(str::to_owned).collect()
    );
    let checked = [
        "parser",
        "dialects",
        "automaton",
        "verdicts",
        "members",
        "records",
        "http",
        "archive",
    ];
    assert_eq!(targets, checked.map(str::to_owned).into());
}
