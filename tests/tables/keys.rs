//! Keys of captures: `robots_id` is the index of the archive × 2^32 + the number of the capture in it.

use checks::random::Random;
use dataset::views_text;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::{Folder, archive, assert_refused, rows, run};

/// Returns the keys of the captures by the name of their archive, in the order of rows.
fn keys(dataset: &str) -> BTreeMap<String, Vec<i64>> {
    let mut keys: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for row in rows(Path::new(dataset), "robots_files") {
        let name = row["warc_filename"].as_str().unwrap().to_owned();
        let id = row["robots_id"].as_i64().unwrap();
        keys.entry(name).or_default().push(id);
    }
    keys
}

/// Returns the keys that the captures of an archive must have.
fn expected(index: usize, captures: usize) -> Vec<i64> {
    let first = (index as i64) << 32;
    (first..first + captures as i64).collect()
}

#[test]
fn keys_depend_on_neither_shards_nor_threads_nor_resume() {
    let folder = Folder::new();
    let samples = [
        "cc-robotstxt.warc.gz",
        "plain.warc",
        "content-encoding.warc.gz",
    ];
    let mut random = Random::new(17);
    for round in 0..3 {
        // A list of archives in random order, some of them large enough to be read in ranges.
        let mut list = String::new();
        let mut counts = Vec::new();
        for i in 0..2 + random.below(6) {
            let sample = samples[random.below(samples.len())];
            let times = [1, 1, 90][random.below(3)];
            let bytes = fs::read(archive(sample)).unwrap().repeat(times);
            let name = format!("{round}-{i}-{sample}");
            list += &folder.write(&name, bytes);
            list.push('\n');
            counts.push((name, times));
        }
        let list = folder.write(&format!("{round}.paths"), list);
        let scan = |out: &str, args: &[&str]| {
            let out = folder.arg(&format!("{round}-{out}"));
            let fixed = [
                "--paths",
                &list,
                "-q",
                "-o",
                &out,
                "--crawl",
                "X",
                "--subset",
                "robotstxt",
            ];
            let ran = run(fixed.iter().copied().chain(args.iter().copied()));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            out
        };
        let one = scan("one", &["--threads", "1"]);
        let whole = keys(&one);
        for (index, (_, keys)) in whole.iter().enumerate() {
            assert_eq!(*keys, expected(index, keys.len()), "round {round}");
        }
        assert_eq!(
            keys(&scan("four", &["--threads", "4", "--part-inputs", "1"])),
            whole
        );
        let mut of_shards = BTreeMap::new();
        for shard in ["1/3", "2/3", "3/3"] {
            let out = format!("shard-{}", &shard[..1]);
            let args = ["--shard", shard, "--missing", "skip"];
            if counts.len() >= 3 {
                of_shards.extend(keys(&scan(&out, &args)));
            }
        }
        assert!(counts.len() < 3 || of_shards == whole, "round {round}");
        // A part whose line was lost, with those of the files that have it, is written again by
        // --resume.
        let parts = scan("resumed", &["--part-inputs", "1"]);
        let manifest = Path::new(&parts).join("_manifest.jsonl");
        let text = fs::read_to_string(&manifest).unwrap();
        let is_lost = |line: &&str| line.contains(r#""part":0"#) || line.contains(r#""parts":[0"#);
        let kept: Vec<&str> = text.lines().filter(|line| !is_lost(line)).collect();
        fs::write(&manifest, kept.join("\n") + "\n").unwrap();
        scan("resumed", &["--part-inputs", "1", "--resume"]);
        assert_eq!(keys(&parts), whole);
        let ran = run(["verify", &parts]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
}

#[test]
fn the_first_input_shifts_all_keys() {
    let folder = Folder::new();
    let inputs = [archive("plain.warc"), archive("cc-robotstxt.warc.gz")];
    let scan = |out: &str, first: &str| {
        let out = folder.arg(out);
        let ran = run([
            &inputs[0],
            &inputs[1],
            "-q",
            "-o",
            &out,
            "--first-input",
            first,
        ]);
        (ran, out)
    };
    let (ran, out) = scan("shifted", "5");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let keys = keys(&out);
    assert_eq!(keys["plain.warc"], expected(5, keys["plain.warc"].len()));
    let second = &keys["cc-robotstxt.warc.gz"];
    assert_eq!(*second, expected(6, second.len()));
    let ran = run(["verify", &out]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    // Every key is below 2^53.
    let (ran, _) = scan("last", "2097150");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (ran, out) = scan("beyond", "2097151");
    assert_refused(&ran, &["2 inputs from index 2097151", "hint: "]);
    assert!(!Path::new(&out).exists());
    // A run with another index cannot be resumed.
    let shifted = folder.arg("shifted");
    fs::remove_file(Path::new(&shifted).join("_SUCCESS")).unwrap();
    let ran = run([
        &inputs[0],
        &inputs[1],
        "-o",
        &shifted,
        "--first-input",
        "4",
        "--resume",
    ]);
    assert_refused(&ran, &["the index of 'plain.warc' was 5 and is 4"]);
}

#[test]
fn two_crawls_may_have_the_same_keys_and_are_joined_by_crawl() {
    let folder = Folder::new();
    let input = archive("plain.warc");
    let scan = |crawl: &str| {
        let out = folder.arg(crawl);
        let ran = run([&input, "-q", "-o", &out, "--crawl", crawl]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        keys(&out)
    };
    assert_eq!(scan("A"), scan("B"));
    // Beside each other in one dataset, their archives have different indexes.
    let moved = folder.put("plain.warc", "crawl-data/CC-MAIN-2026-01/robotstxt/x.warc");
    let out = folder.arg("both");
    let ran = run([&input, &moved, "-q", "-o", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut all: Vec<i64> = keys(&out).into_values().flatten().collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn ids_of_rule_sets_are_exact_in_floating_point() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let ran = run([&archive("cc-robotstxt.warc.gz"), "-q", "-o", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows = rows(Path::new(&out), "robots_files");
    let ids: Vec<i64> = rows
        .iter()
        .filter_map(|row| row["ruleset_id"].as_i64())
        .collect();
    assert!(ids.iter().all(|id| (0..1 << 53).contains(id)));
    // Not only small ones.
    assert!(ids.iter().any(|id| *id > 1 << 52));
}

#[cfg(feature = "answers")]
#[test]
fn a_dataset_of_an_earlier_trial_is_refused_by_every_command() {
    let folder = Folder::new();
    let (input, out) = (archive("cc-robotstxt.warc.gz"), folder.arg("out"));
    let ran = run([&input, "-q", "-o", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let manifest = Path::new(&out).join("_manifest.jsonl");
    let text = fs::read_to_string(&manifest).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let urls = folder.write("urls.txt", "https://example.com/\n");
    let matches = folder.arg("matches.csv");
    for (key, value) in [("format", json!(8)), ("schemas", json!("0123456789abcdef"))] {
        let mut first: Value = serde_json::from_str(first).unwrap();
        first[key] = value;
        fs::write(&manifest, format!("{first}\n{rest}")).unwrap();
        for args in [
            &["verify", &out][..],
            &["views", &out],
            &["check", &out, "--host", "example.com"],
            &[
                "match", &out, "--agent", "GPTBot", "--urls", &urls, "-o", &matches,
            ],
            &[&input, "-o", &out, "--overwrite"],
            &[&input, "-o", &out, "--resume"],
        ] {
            assert_refused(
                &run(args),
                &[
                    "this version does not read its format: use the version that wrote it, or make it again",
                ],
            );
        }
    }
}

#[test]
fn views_are_written_again_after_a_move() {
    let folder = Folder::new();
    let (input, out) = (archive("cc-robotstxt.warc.gz"), folder.arg("out.parquet"));
    let ran = run([&input, "-q", "-o", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let views = |dataset: &str| fs::read_to_string(Path::new(dataset).join("views.sql")).unwrap();
    let before = views(&out);
    let moved = folder.arg("it's [moved]");
    fs::rename(&out, &moved).unwrap();
    let ran = run(["verify", &moved]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        ran.out.contains("views.sql: it opens another folder"),
        "{}",
        ran.out
    );
    let ran = run(["views", &moved]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("views of 15 tables"), "{}", ran.out);
    assert!(views(&moved) != before && views(&moved).contains("it''s [[]moved]"));
    let ran = run(["verify", &moved]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    // Under a link, it is the same folder.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&moved, &link).unwrap();
    let ran = run(["verify", link.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    fs::remove_file(Path::new(&moved).join("views.sql")).unwrap();
    let ran = run(["verify", &moved]);
    assert!(ran.out.contains("views.sql: it is missing"), "{}", ran.out);
    let ran = run(["views", &folder.arg("nothing")]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn views_replaces_a_file_of_somebody_else_and_follows_no_link() {
    let folder = Folder::new();
    let (input, out) = (archive("cc-robotstxt.warc.gz"), folder.arg("all/out"));
    let ran = run([&input, "-q", "-o", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let all = folder.arg("all");
    let ran = run(["join", &all, "-q"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let user = folder.path().join("file of the user");
    for dataset in [&out, &all] {
        let views = Path::new(dataset).join("views.sql");
        let own = fs::read_to_string(&views).unwrap();
        for hostile in [
            format!("{own}COPY (SELECT 1) TO 'x';\n"),
            "COPY …;".to_owned(),
        ] {
            fs::write(&views, hostile).unwrap();
            let ran = run(["views", dataset, "-q"]);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{dataset}");
            assert_eq!(fs::read_to_string(&views).unwrap(), own);
        }
        fs::write(&user, "text").unwrap();
        fs::remove_file(&views).unwrap();
        std::os::unix::fs::symlink(&user, &views).unwrap();
        let ran = run(["views", dataset, "-q"]);
        assert_refused(&ran, &["views.sql", "it is a symbolic link"]);
        assert_eq!(fs::read_to_string(&user).unwrap(), "text");
        fs::remove_file(&views).unwrap();
        fs::write(&views, own).unwrap();
    }
    // The text for programs does not come from the file, and no link leads outside.
    let text = || views_text(Path::new(&all)).map_err(|error| error.to_string());
    let own = text().unwrap();
    fs::write(Path::new(&all).join("views.sql"), "COPY …;").unwrap();
    assert_eq!(text().unwrap(), own);
    for place in [
        "out/rules/crawl=X",
        "_joined/hosts/x.parquet",
        "out/agents/x.parquet",
    ] {
        let link = Path::new(&all).join(place);
        std::os::unix::fs::symlink(&user, &link).unwrap();
        let error = text().unwrap_err();
        assert!(error.contains(place), "{error}");
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(text().unwrap(), own);
    // A joined dataset whose member is a link to another dataset.
    let other = folder.arg("other");
    fs::rename(&out, &other).unwrap();
    std::os::unix::fs::symlink(&other, &out).unwrap();
    let of_other = Path::new(&other).join("views.sql");
    let before = fs::read_to_string(&of_other).unwrap();
    let ran = run(["views", &all]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(fs::read_to_string(&of_other).unwrap(), before);
}
