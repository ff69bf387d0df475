//! What the fuzzers found worth keeping, held without a fuzzer.

use crate::checks::{automaton, dialects, parser, verdicts};
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
    let line = makefile.lines().find(|it| it.starts_with("TARGETS ="));
    let run = line.unwrap().split_whitespace().skip(2).map(str::to_owned);
    assert_eq!(targets, run.collect());
    let checked = ["parser", "dialects", "automaton", "verdicts"];
    assert_eq!(targets, checked.map(str::to_owned).into());
}
