//! Inputs: which are read, their names, and the faults and warnings about them.

use keep::verify::{self, VerifyPhase, VerifyProgress, verify};
use serde_json::Value;
use sources::input::{self, InputOptions};
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use support::{Folder, Ran, archive, assert_refused, command, rows, run};

/// An archive without faults, with three captures.
const SOUND: &str = "plain.warc";

fn assert_verifies(dataset: &str) {
    let ran = run(["verify", dataset]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

fn names(dataset: &str) -> Vec<String> {
    let rows = rows(Path::new(dataset), "robots_files");
    let names = rows.iter().map(|row| row["warc_filename"].as_str());
    let mut names: Vec<String> = names.map(|name| name.unwrap().to_owned()).collect();
    names.dedup();
    names
}

#[test]
fn an_empty_input_is_a_fault() {
    let folder = Folder::new();
    let empty = folder.write("empty.warc.gz", "");
    let sound = folder.put(SOUND, "x.warc");
    for (nth, inputs) in [&[&empty][..], &[&empty, &sound]].iter().enumerate() {
        let out = folder.arg(&format!("out-{nth}"));
        let mut command = command();
        command.args(*inputs).args(["-o", &out]);
        let ran: Ran = command.output().unwrap().into();
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let faults = rows(Path::new(&out), "faults");
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0]["code"], "input_empty");
        assert_eq!(faults[0]["warc_filename"], "empty.warc.gz");
        assert_verifies(&out);
    }
    // An empty stream is one, too. An archive that has only line breaks is not.
    let out = folder.arg("stream");
    let ran = run(["-", "-o", &out]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(rows(Path::new(&out), "faults")[0]["code"], "input_empty");
    let blank = folder.write("blank.warc", "\r\n\r\n");
    let ran = run([&blank, "-o", &folder.arg("blank")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_run_without_a_robots_txt_warns() {
    let folder = Folder::new();
    let record = |kind: &str| {
        format!("WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Length: 2\r\n\r\n{{}}\r\n\r\n")
    };
    let one = folder.write("one.warc", record("metadata"));
    let three = folder.write(
        "three.warc",
        record("warcinfo") + &record("metadata") + &record("metadata"),
    );
    for (input, words) in [
        (
            &one,
            "no robots.txt file in 1 record (1 metadata): is this the robotstxt subset?",
        ),
        (
            &three,
            "no robots.txt file in 3 records (2 metadata, 1 warcinfo): is this the robotstxt subset?",
        ),
    ] {
        for json in [&[][..], &["--json"]] {
            let out = folder.arg(&format!("{}-{}", words.len(), json.len()));
            let mut command = command();
            command.args([input, "-o", &out]).args(json);
            let ran: Ran = command.output().unwrap().into();
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            assert_eq!(ran.err, format!("warning: {words}\n"));
        }
    }
    let ran = run([&three, &archive(SOUND), "-o", &folder.arg("both")]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn lists_are_checked_before_the_output_is_created() {
    let folder = Folder::new();
    folder.put(SOUND, "x.warc");
    let mut lines = vec!["x.warc".to_owned()];
    lines.extend((1..=13).map(|nth| format!("missing-{nth}.warc")));
    let list = folder.write("list.paths", lines.join("\n"));
    let base = folder.arg("");
    let out = folder.arg("out");
    let args = ["--paths", &list, "--base", &base, "-o", &out];
    let ran = run(args);
    assert_refused(
        &ran,
        &[
            "error: 13 of 14 inputs do not exist: ",
            "missing-1.warc'",
            "missing-10.warc' and 3 more",
            "\nhint: ",
            "--missing skip",
        ],
    );
    assert!(!ran.err.contains("missing-11.warc"), "{}", ran.err);
    assert!(!Path::new(&out).exists());
    // The hint works, and so does the corrected list.
    let ran = run([&args[..], &["--missing", "skip"]].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(Path::new(&out).join("_SUCCESS").exists());
    let faults = rows(Path::new(&out), "faults");
    assert_eq!(faults.len(), 13);
    for (fault, line) in faults.iter().zip(&lines[1..]) {
        assert_eq!(fault["code"], "input_missing");
        assert_eq!(fault["warc_filename"], **line);
    }
    assert_eq!(names(&out), ["x.warc"]);
    assert_verifies(&out);
    fs::write(&list, "x.warc\n").unwrap();
    let ran = run([&args[..], &["--overwrite"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn arguments_are_checked_with_lists() {
    let folder = Folder::new();
    let sound = folder.put(SOUND, "x.warc");
    let list = folder.write("list.paths", "b.warc\n");
    let (a, out) = (folder.arg("a.warc"), folder.arg("out"));
    let args = [&a, &sound, "--paths", &list, "-o", &out];
    assert_refused(
        &run(args),
        &["2 of 3 inputs do not exist", "a.warc', 'b.warc'"],
    );
    let ran = run([&args[..], &["--missing", "skip"]].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let faults = rows(Path::new(&out), "faults");
    let faulty = faults.iter().map(|row| row["warc_filename"].as_str());
    assert_eq!(Vec::from_iter(faulty), [Some("a.warc"), Some("b.warc")]);
    // Inputs of other shards need not exist.
    let list = folder.write("shards.paths", format!("missing.warc\n{sound}\n"));
    let out = folder.arg("shard");
    let ran = run(["--paths", &list, "--shard", "2/2", "-o", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // A folder in a list is an error.
    let list = folder.write("folders.paths", folder.arg(""));
    let out = folder.arg("none");
    for missing in ["refuse", "skip"] {
        let ran = run(["--paths", &list, "--missing", missing, "-o", &out]);
        assert_refused(&ran, &["directory"]);
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn the_hint_for_files_with_the_same_name_gives_them_different_names() {
    let folder = Folder::new();
    let a = folder.put(SOUND, "in put/a/x.warc");
    let b = folder.put(SOUND, "in put/b/c/x.warc");
    let out = folder.arg("out");
    let ran = run([&a, &b, "-o", &out]);
    assert_refused(
        &ran,
        &[
            "two inputs have the name 'x.warc'",
            &a,
            &b,
            "\nhint: add --relative-to ",
        ],
    );
    // The hint is executed by a shell.
    let (_, hint) = ran.err.split_once("hint: add ").unwrap();
    let (option, _) = hint.split_once(": files are").unwrap();
    let script = format!(r#""$0" "$1" "$2" -o "$3" {option}"#);
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &script])
        .arg(support::program())
        .args([&a, &b, &out]);
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(names(&out), ["a/x.warc", "b/c/x.warc"]);
    // Names depend neither on the current folder nor on other inputs.
    let again = folder.arg("again");
    let mut command = command_in(&folder, "in put");
    command.args([".", "--relative-to", ".", "-o", &again]);
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(names(&again), ["a/x.warc", "b/c/x.warc"]);
    let ids = |out: &str| {
        let rows = rows(Path::new(out), "robots_files");
        let ids = rows.iter().map(|row| row["robots_id"].clone());
        ids.collect::<Vec<Value>>()
    };
    assert_eq!(ids(&out), ids(&again));

    let ran = run([&a, &a, "-o", &folder.arg("none")]);
    assert_refused(&ran, &["is given twice", "hint: leave one out"]);
    let below = folder.arg("in put/a");
    let ran = run([&a, &b, "--relative-to", &below, "-o", &folder.arg("none")]);
    assert_refused(&ran, &[&b, "is not below", &below]);
}

fn command_in(folder: &Folder, name: &str) -> std::process::Command {
    let mut command = command();
    command.current_dir(folder.arg(name));
    command
}

#[test]
fn verify_shows_its_phases() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let ran = run([&archive(SOUND), "-o", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let progress = VerifyProgress::default();
    assert_eq!(progress.phase(), VerifyPhase::Manifest);
    let options = verify::Options {
        root: out.into(),
        threads: 2,
        tables: Vec::new(),
    };
    let report = verify(&options, &progress).unwrap();
    assert_eq!(
        progress.phase(),
        VerifyPhase::Files,
        "the last phase was reached"
    );
    assert_eq!(progress.bytes.load(Ordering::Relaxed), report.bytes);
}

/// Many archives are opened on all threads.
#[test]
fn crawls_and_subsets_are_those_of_the_first_records_for_any_number_of_threads() {
    let folder = Folder::new();
    let mut expected = Vec::new();
    for i in 0..100 {
        let (crawl, subset) = (format!("crawl-{}", i % 7), format!("subset-{}", i % 3));
        let block = format!("isPartOf: {crawl}\r\nsubset: {subset}\r\n");
        let length = block.len();
        let kind = if i % 10 == 0 { "metadata" } else { "warcinfo" };
        let archive = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
        );
        folder.write(&format!("{i:03}.warc"), &archive);
        expected.push(match kind {
            "metadata" => ("unknown".to_owned(), "warc".to_owned()),
            _ => (crawl, subset),
        });
    }
    for threads in [0, 1, 2, 5] {
        let found = input::find_inputs(&InputOptions {
            arguments: vec![folder.path().to_str().unwrap().to_owned()],
            threads,
            ..InputOptions::default()
        });
        let inputs = found.unwrap().inputs;
        let names = inputs.iter().map(|input| input.name.as_str());
        assert!(names.is_sorted() && inputs.len() == 100);
        let found = inputs.into_iter().map(|input| (input.crawl, input.subset));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{threads}");
    }
}

/// Writes eight archives, `0.warc` to `7.warc`, and a list of them.
fn eight(folder: &Folder) -> (String, Vec<String>) {
    let names: Vec<String> = (0..8).map(|i| format!("{i}.warc")).collect();
    for name in &names {
        folder.put(SOUND, name);
    }
    let list = folder.write("eight.paths", names.join("\n"));
    (list, names)
}

#[test]
fn a_sample_is_reproducible_and_recorded() {
    let folder = Folder::new();
    let (list, all) = eight(&folder);
    let base = folder.path().to_string_lossy().into_owned();
    let scan = |name: &str, options: &[&str]| {
        let out = folder.arg(name);
        let ran = run([
            &["--paths", &list, "--base", &base, "-o", &out][..],
            options,
        ]
        .concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_verifies(&out);
        out
    };
    let sample = scan("sample", &["--sample", "3", "--seed", "7"]);
    let chosen = names(&sample);
    assert_eq!(chosen.len(), 3);
    assert_eq!(
        names(&scan("again", &["--sample", "3", "--seed", "7"])),
        chosen
    );
    assert_ne!(
        names(&scan("other", &["--sample", "3", "--seed", "8"])),
        chosen
    );
    // A key is that of a run over all.
    let index = |name: &String| all.iter().position(|other| other == name).unwrap() as i64;
    for row in rows(Path::new(&sample), "robots_files") {
        let name = row["warc_filename"].as_str().unwrap().to_owned();
        assert_eq!(row["robots_id"].as_i64().unwrap() >> 32, index(&name));
    }
    let runs = rows(Path::new(&sample), "runs");
    assert_eq!(
        (&runs[0]["listed_inputs"], &runs[0]["sample_seed"]),
        (&8.into(), &7.into())
    );
    let whole = rows(Path::new(&scan("whole", &[])), "runs");
    assert_eq!(
        (&whole[0]["listed_inputs"], &whole[0]["sample_seed"]),
        (&8.into(), &Value::Null)
    );
    // Shards of a sample are shares of it.
    let options = ["--sample", "3", "--seed", "7", "--shard"];
    let shards: Vec<String> = ["1/2", "2/2"]
        .iter()
        .flat_map(|shard| {
            names(&scan(
                &shard.replace('/', "-"),
                &[&options[..], &[shard]].concat(),
            ))
        })
        .collect();
    assert_eq!(shards, chosen);
    let ran = run(["--paths", &list, "-o", "x", "--sample", "3"]);
    assert_refused(&ran, &["--seed"]);
}

#[test]
fn a_task_of_a_cluster_reads_its_shard() {
    let folder = Folder::new();
    let (list, all) = eight(&folder);
    let base = folder.path().to_string_lossy().into_owned();
    for (variable, value, expected) in [
        ("SLURM_ARRAY_TASK_ID", "4", &all[6..]),
        ("AWS_BATCH_JOB_ARRAY_INDEX", "0", &all[..2]),
        ("JOB_COMPLETION_INDEX", "2", &all[4..6]),
    ] {
        let out = folder.arg(variable);
        let mut command = command();
        command.args([
            "--paths", &list, "--base", &base, "-o", &out, "--shard", "auto/4",
        ]);
        let ran: Ran = command.env(variable, value).output().unwrap().into();
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(names(&out), expected);
    }
    let ran = run([
        "--paths", &list, "--base", &base, "-o", "x", "--shard", "auto/4",
    ]);
    assert_refused(&ran, &["JOB_COMPLETION_INDEX", "--shard 1/4"]);
}

#[test]
fn parts_have_a_number_of_inputs() {
    let folder = Folder::new();
    let (list, _) = eight(&folder);
    let base = folder.path().to_string_lossy().into_owned();
    let out = folder.arg("out");
    let ran = run([
        "--paths",
        &list,
        "--base",
        &base,
        "-o",
        &out,
        "--part-inputs",
        "3",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let inputs: Vec<Value> = rows(Path::new(&out), "runs")
        .iter()
        .map(|row| row["inputs"].clone())
        .collect();
    assert_eq!(inputs, [3, 3, 2]);
    assert_verifies(&out);
}

#[test]
#[cfg(feature = "remote")]
fn a_dry_run_tells_the_requests_and_the_least_time() {
    let folder = Folder::new();
    let lines = (0..1200).map(|i| format!("crawl-data/C/robotstxt/{i}.warc.gz\n"));
    let list = folder.write("remote.paths", lines.collect::<String>());
    let options = [
        "--paths",
        &list,
        "--base",
        "https://example.invalid/",
        "-o",
        "x",
        "--dry-run",
    ];
    for (more, words) in [
        (&[][..], "1,200 requests, at least 2 min at 10 a second"),
        (
            &["--rate", "0.5"],
            "1,200 requests, at least 40 min at 0.5 a second",
        ),
        (&["--rate", "none"], "1,200 requests, at no limited rate"),
        (
            &["--rate", "2.5"],
            "1,200 requests, at least 8 min at 2.5 a second",
        ),
        (
            &["--sample", "3", "--seed", "1"],
            "they are a sample of 1,200 archives, by seed 1",
        ),
    ] {
        let ran = run([&options[..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.contains(words), "{}", ran.out);
    }
}
