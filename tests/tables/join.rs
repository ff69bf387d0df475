//! `join`: months and shards as one dataset.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::test_capture;
use support::{self, Folder, Random, archive, assert_refused, files_below, relative, run};

/// The crawls of the tests, in the order of their times.
const CRAWLS: [&str; 3] = ["CRAWL-C", "CRAWL-A", "CRAWL-B"];

/// Writes an archive for each crawl, with random captures, at the places of Common Crawl.
fn archives(folder: &Folder, random: &mut Random) -> Vec<String> {
    let texts = (0..).zip(CRAWLS).map(|(day, crawl)| {
        let mut text = String::new();
        for capture in test_capture::random(random) {
            capture.write(&mut text);
        }
        let text = text.replace("2026-01-05", &format!("2026-01-{:02}", 5 + day));
        folder.write(
            &format!("crawl-data/{crawl}/segments/1/robotstxt/a.warc"),
            text,
        )
    });
    texts.collect()
}

fn scan(inputs: &[&str], out: &str, more: &[&str]) {
    let ran = run([inputs, &["-q", "-o", out], more].concat());
    // Invented digests are faults of an uncompressed archive.
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
}

/// Scans each archive into a subfolder `all/<crawl>`, with the keys that a run over all gives.
fn scan_months(folder: &Folder, archives: &[String]) -> String {
    for (i, (archive, crawl)) in archives.iter().zip(CRAWLS).enumerate() {
        let out = folder.arg(&format!("all/{crawl}"));
        scan(&[archive], &out, &["--first-input", &i.to_string()]);
    }
    folder.arg("all")
}

fn join(folder: &str) -> Value {
    let ran = run(["join", folder, "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    serde_json::from_str(&ran.out).unwrap()
}

/// Returns the files of the resolved tables with their bytes.
fn resolved(dataset: &Path) -> BTreeMap<String, Vec<u8>> {
    let tables = ["hosts", "host_verdicts", "host_preferences"].map(|table| dataset.join(table));
    let files = tables.iter().flat_map(|table| files_below(table));
    files
        .map(|path| (relative(&path, dataset), fs::read(&path).unwrap()))
        .collect()
}

/// Asserts that the joined datasets are equal to one dataset, for every command that reads them.
fn assert_equal(joined: &str, whole: &str) {
    let files = resolved(&Path::new(joined).join("_joined"));
    assert!(!files.is_empty() && files == resolved(Path::new(whole)));
    for dataset in [joined, whole] {
        let words = ["is a dataset, not an archive", "hint: use check, match"];
        assert_refused(&run([dataset]), &words);
    }
    let urls = format!("{joined}.urls");
    let list: String = test_capture::ORIGINS
        .map(|origin| format!("{origin}/x\n"))
        .concat();
    fs::write(&urls, list).unwrap();
    let matched = |dataset: &str, out: &str| {
        let out = format!("{joined}.{out}.parquet");
        let args = [
            "match",
            dataset,
            "--urls",
            &urls,
            "-a",
            "*",
            "-q",
            "--overwrite",
            "-o",
            &out,
        ];
        let ran = run(args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        support::rows_of_file(Path::new(&out))
    };
    assert_eq!(matched(joined, "1"), matched(whole, "2"));
    for origin in test_capture::ORIGINS {
        let check = |dataset: &str| run(["check", dataset, "--host", origin, "--json"]).out;
        assert_eq!(check(joined), check(whole), "{origin}");
    }
    let ran = run(["verify", joined]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

#[cfg(feature = "answers")]
#[test]
fn a_changed_bit_is_not_joined() {
    let folder = Folder::new();
    let archives = archives(&folder, &mut Random::new(44));
    let all = scan_months(&folder, &archives);
    let files = files_below(Path::new(&all)).into_iter();
    let is_read = |path: &Path| {
        let mut names = ["robots_files", "verdicts"].iter();
        names.any(|table| relative(path, Path::new(&all)).contains(&format!("/{table}/")))
    };
    let files: Vec<_> = files.filter(|path| is_read(path)).collect();
    assert_eq!(files.len(), 2 * CRAWLS.len());
    for path in files {
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        changed[40] ^= 4;
        fs::write(&path, &changed).unwrap();
        let ran = run(["join", &all, "-q"]);
        assert_refused(&ran, &[path.to_str().unwrap(), "its XXH3-64 is"]);
        fs::write(&path, &bytes).unwrap();
    }
    join(&all);
}

#[test]
fn three_months_equal_one_run_over_all() {
    let mut random = Random::new(41);
    for _ in 0..4 {
        let folder = Folder::new();
        let archives = archives(&folder, &mut random);
        let inputs: Vec<&str> = archives.iter().map(String::as_str).collect();
        scan(&inputs, &folder.arg("whole"), &[]);
        let joined = scan_months(&folder, &archives);
        let done = join(&joined);
        assert_eq!(done["crawls"], serde_json::json!(CRAWLS));
        assert_equal(&joined, &folder.arg("whole"));
    }
}

#[test]
fn three_shards_equal_one_run_over_all() {
    let folder = Folder::new();
    let names = [
        "cc-robotstxt.warc.gz",
        "cc-robotstxt-later.warc.gz",
        "content-encoding.warc.gz",
        "odd-urls.warc.gz",
    ];
    let inputs = names.map(archive);
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let options = ["--crawl", "X", "--subset", "robotstxt"];
    scan(&inputs, &folder.arg("whole"), &options);
    for shard in ["1/3", "2/3", "3/3"] {
        let out = folder.arg(&format!("all/shard-{}", &shard[..1]));
        scan(&inputs, &out, &[&options[..], &["--shard", shard]].concat());
        assert!(!Path::new(&out).join("hosts").exists());
    }
    let joined = folder.arg("all");
    join(&joined);
    let files = resolved(&Path::new(&joined).join("_joined"));
    assert!(files == resolved(folder.path().join("whole").as_path()));
    let views = fs::read_to_string(folder.path().join("all/views.sql")).unwrap();
    assert!(views.contains("'/shard-3/rules/*/*/*.parquet'"), "{views}");
}

#[cfg(feature = "answers")]
#[test]
fn joining_again_resolves_only_what_has_changed() {
    let folder = Folder::new();
    let archives = archives(&folder, &mut Random::new(42));
    let inputs: Vec<&str> = archives.iter().map(String::as_str).collect();
    scan(&inputs, &folder.arg("whole"), &[]);
    let all = scan_months(&folder, &archives);
    let aside = |crawl: &str| folder.arg(&format!("aside-{crawl}"));
    let inside = |crawl: &str| folder.arg(&format!("all/{crawl}"));
    let [first, second, third] = CRAWLS;
    fs::rename(inside(second), aside(second)).unwrap();
    assert_eq!(join(&all)["kept_crawls"], 0);
    assert_eq!(join(&all)["kept_crawls"], 2);
    // A crawl in between: those from it on are resolved again.
    fs::rename(aside(second), inside(second)).unwrap();
    let done = join(&all);
    assert_eq!(
        (&done["kept_crawls"], done["rows"].as_u64() > Some(0)),
        (&1.into(), true)
    );
    assert_equal(&all, &folder.arg("whole"));
    // Without its last crawl, its files are removed.
    fs::rename(inside(third), aside(third)).unwrap();
    assert_eq!(join(&all)["kept_crawls"], 2);
    let files = resolved(&Path::new(&all).join("_joined"));
    assert_eq!(files.len(), 6);
    assert!(
        files
            .keys()
            .all(|path| !path.contains(third) && !path.contains("_tmp"))
    );
    let ran = run(["verify", &all]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    // A dataset that was replaced meanwhile is noticed by every reader.
    scan(
        &[&archives[0]],
        &inside(first),
        &["--overwrite", "--first-input", "7"],
    );
    for args in [
        &["check", &all, "--host", "a.example"][..],
        &["views", &all],
        &[
            "match",
            &all,
            "--urls",
            &archives[0],
            "-a",
            "*",
            "-o",
            &folder.arg("y.parquet"),
        ],
    ] {
        let ran = run(args);
        assert_refused(&ran, &[first, "was joined", "robots-scan join"]);
    }
}

#[test]
fn joined_datasets_are_opened_after_a_move() {
    let folder = Folder::new();
    let archives = archives(&folder, &mut Random::new(43));
    let all = scan_months(&folder, &archives);
    join(&all);
    let moved = folder.arg("it's [moved]");
    fs::rename(&all, &moved).unwrap();
    let ran = run(["verify", &moved]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("views.sql: "), "{}", ran.out);
    let ran = run(["views", &moved]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let ran = run(["verify", &moved]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    let views = fs::read_to_string(Path::new(&moved).join("views.sql")).unwrap();
    assert!(views.contains("it''s [[]moved]"));
    // Damage is found in the resolved tables as in the datasets.
    let file = format!("_joined/hosts/crawl={}/part-00000.parquet", CRAWLS[1]);
    let path = Path::new(&moved).join(&file);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[1..]).unwrap();
    let rules = files_below(&Path::new(&moved).join(CRAWLS[0]).join("rules"));
    fs::remove_file(&rules[0]).unwrap();
    let ran = run(["verify", &moved]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for words in [&*file, "robots-scan join", &format!("{}/rules/", CRAWLS[0])] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
}

#[test]
fn datasets_that_do_not_fit_together_are_refused() {
    let folder = Folder::new();
    let inputs = [
        archive("cc-robotstxt.warc.gz"),
        archive("cc-robotstxt-later.warc.gz"),
    ];
    let options = ["--crawl", "X", "--subset", "robotstxt"];
    let all = folder.arg("all");
    let dataset = |name: &str, input: usize, more: &[&str]| {
        let out = folder.arg(&format!("all/{name}"));
        scan(&[&inputs[input]], &out, &[&options[..], more].concat());
        out
    };
    let refused = |words: &[&str]| {
        let ran = run(["join", &all]);
        assert_refused(&ran, words);
        assert!(!Path::new(&all).join("_joined").exists() && !folder.exists("all/views.sql"));
    };
    let remove = |out: &str| fs::remove_dir_all(out).unwrap();
    let ran = run(["join", &folder.arg("nowhere")]);
    assert_refused(&ran, &["nowhere"]);
    fs::create_dir_all(folder.path().join("all/notes")).unwrap();
    refused(&["none of its subfolders", "subfolder"]);
    let first = dataset("first", 0, &[]);
    let ran = run(["join", &first]);
    assert_refused(&ran, &["a dataset itself", "the folder that holds it"]);

    let out = dataset("second", 0, &["--first-input", "5"]);
    refused(&[
        "second",
        "the archive 'cc-robotstxt.warc.gz'",
        "first",
        "move one",
    ]);
    remove(&out);
    let out = dataset("second", 1, &[]);
    refused(&["second", "same robots_id", "first", "--first-input 1"]);
    fs::remove_file(Path::new(&out).join("_SUCCESS")).unwrap();
    refused(&["second", "not finished", "--resume"]);
    remove(&out);
    let out = dataset("second", 1, &["--first-input", "1", "--body-limit", "9"]);
    refused(&["second", "the options differ", "first", "\"body_limit\":9"]);
    remove(&out);
    let out = dataset(
        "second",
        1,
        &["--first-input", "1", "--tables", "robots_files,verdicts"],
    );
    refused(&[
        "second",
        "the tables differ",
        "robots_files, verdicts instead of",
    ]);
    remove(&out);
    let agents = folder.write("agents.csv", "token\nX\n");
    let out = dataset("second", 1, &["--first-input", "1", "--agents", &agents]);
    refused(&["second", "the registry of crawlers"]);
    let manifest = Path::new(&out).join("_manifest.jsonl");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"meaning\":1", "\"meaning\":7")).unwrap();
    refused(&["second", "its rows have meaning 7", "--mixed"]);
    fs::write(&manifest, text.replace("\"captures\":", "\"captured\":")).unwrap();
    refused(&["second", "manifest is damaged", "robots-scan verify"]);
    remove(&out);
    let out = dataset("a=b", 1, &["--first-input", "1"]);
    refused(&["a=b", "its name has", "rename"]);
    remove(&out);
    std::os::unix::fs::symlink(&first, folder.path().join("all/link")).unwrap();
    refused(&["link", "a link"]);
    fs::remove_file(folder.path().join("all/link")).unwrap();

    // Shards: one is missing, one is there twice.
    remove(&first);
    let both = [inputs[0].as_str(), inputs[1].as_str()];
    for (name, shard) in [("s1", "1/2"), ("s2", "2/2")] {
        let out = folder.arg(&format!("all/{name}"));
        scan(&both, &out, &[&options[..], &["--shard", shard]].concat());
    }
    let (second, aside) = (folder.arg("all/s2"), folder.arg("s2"));
    fs::rename(&second, &aside).unwrap();
    refused(&["s1", "shards", "missing: 2/2"]);
    fs::rename(&aside, &second).unwrap();
    let out = folder.arg("all/again");
    scan(&both, &out, &[&options[..], &["--shard", "2/2"]].concat());
    refused(&["the shard 2/2", "move one"]);
    remove(&out);
    // Shards belong together by their list, also if they have no crawl in common.
    let apart = folder.arg("apart");
    for shard in ["1/2", "2/2"] {
        let out = folder.arg(&format!("apart/{}", &shard[..1]));
        scan(&both, &out, &["--shard", shard]);
    }
    join(&apart);
    // Shards of different samples are no shards of one run.
    fs::rename(&second, &aside).unwrap();
    let sample = ["--shard", "2/2", "--sample", "1", "--seed", "9"];
    scan(&both, &second, &[&options[..], &sample].concat());
    refused(&["shards", "missing: "]);
    remove(&second);
    fs::rename(&aside, &second).unwrap();
    folder.write("all/views.sql", "SELECT 1;");
    let ran = run(["join", &all]);
    assert_refused(
        &ran,
        &[
            "views.sql was not written by robots-scan",
            "move the file away",
        ],
    );
    fs::remove_file(folder.path().join("all/views.sql")).unwrap();
    join(&all);
    // Only robots_files and verdicts are needed.
    let small = folder.arg("small/one");
    scan(
        &[&inputs[0]],
        &small,
        &["--tables", "robots_files,verdicts,runs"],
    );
    let done = join(&folder.arg("small"));
    assert!(done["rows"].as_u64() > Some(100));
    let rules = folder.arg("rules/one");
    scan(&[&inputs[0]], &rules, &["--tables", "robots_files,rules"]);
    let ran = run(["join", &folder.arg("rules")]);
    assert_refused(&ran, &["lacks the table `verdicts`"]);
}
