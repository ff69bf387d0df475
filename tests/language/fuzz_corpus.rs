//! Replays the fuzzing corpora and the inputs that found a bug, without a fuzzer.

use checks::{archive, automaton, dialects, http, members, parser, records, verdicts};
use flate2::read::GzDecoder;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use support::{files_below, project, relative};

/// An input of a fuzzer, with the name that a failure shows.
struct Input {
    name: String,
    bytes: Vec<u8>,
}

/// The inputs in `fuzz/corpus/<target>.tar.gz`.
fn corpus(target: &str) -> Vec<Input> {
    let path = project().join(format!("fuzz/corpus/{target}.tar.gz"));
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path).unwrap()));
    let inputs = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let name = format!("{target}.tar.gz: {}", entry.path().unwrap().display());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        Input { name, bytes }
    });
    inputs.collect()
}

/// The files in `fuzz/regressions/<target>/`.
fn regressions(target: &str) -> Vec<Input> {
    let folder = project().join("fuzz/regressions").join(target);
    let paths = files_below(&folder).into_iter();
    let inputs = paths.map(|path| Input {
        name: format!("{target}/{}", relative(&path, &folder)),
        bytes: fs::read(&path).unwrap(),
    });
    inputs.collect()
}

/// Runs the check of a fuzzer on its corpus and its regressions, which must hold `counts` inputs.
///
/// `make fuzz-corpus` changes the first count.
fn replay(target: &str, counts: [usize; 2], check: fn(&[u8])) {
    let inputs = [corpus(target), regressions(target)];
    assert_eq!(inputs.each_ref().map(Vec::len), counts, "{target}");
    for input in inputs.iter().flatten() {
        // The last line before a failure is the input that caused it.
        println!("{}", input.name);
        check(&input.bytes);
    }
}

#[test]
fn the_parser_passes_its_corpus() {
    replay("parser", [705, 0], parser::check);
}

#[test]
fn the_dialects_pass_their_corpus() {
    replay("dialects", [1016, 3], dialects::check);
}

#[test]
fn the_automaton_passes_its_corpus() {
    replay("automaton", [261, 0], automaton::check);
}

#[test]
fn the_verdicts_pass_their_corpus() {
    replay("verdicts", [364, 0], verdicts::check);
}

#[test]
fn members_pass_their_corpus() {
    replay("members", [189, 1], members::check);
}

#[test]
fn records_pass_their_corpus() {
    replay("records", [100, 4], records::check);
}

#[test]
fn http_responses_pass_their_corpus() {
    replay("http", [196, 3], http::check);
}

/// It takes more than ten seconds: each of 196 archives is scanned in several ways.
#[test]
fn archives_pass_their_corpus() {
    replay("archive", [196, 0], archive::check);
}

#[test]
fn every_fuzzer_has_a_corpus_and_is_run() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let replayed: BTreeSet<String> = set(&[
        "parser",
        "dialects",
        "automaton",
        "verdicts",
        "members",
        "records",
        "http",
        "archive",
    ]);

    let manifest = fs::read_to_string(project().join("fuzz/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let bins = manifest["bin"].as_array().unwrap().iter();
    let targets = bins.map(|bin| bin["name"].as_str().unwrap().to_owned());
    assert_eq!(replayed, targets.collect());

    let folder = project().join("fuzz/corpus");
    let archives = files_below(&folder).into_iter();
    let corpora = archives.map(|path| relative(&path, &folder).replace(".tar.gz", ""));
    assert_eq!(replayed, corpora.collect());

    let folder = project().join("fuzz/regressions");
    for path in files_below(&folder) {
        let name = relative(&path, &folder);
        let target = name.split('/').next().unwrap();
        assert!(replayed.contains(target), "{name} belongs to no fuzzer");
    }

    let makefile = fs::read_to_string(project().join("Makefile")).unwrap();
    let run = ["TARGETS =", "SCAN_TARGETS ="].map(|name| {
        let line = makefile.lines().find(|line| line.starts_with(name));
        line.unwrap().split_whitespace().skip(2)
    });
    assert_eq!(
        replayed,
        run.into_iter().flatten().map(str::to_owned).collect()
    );
}
