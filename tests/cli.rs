//! The command as a person uses it, and as a script does.

use crate::util::{Ran, archive, command, files_below, relative, rows, rows_of_file, run, samples};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

/// An archive without a fault: three captures.
const SOUND: &str = "plain.warc";
/// An archive with one fault.
const DAMAGED: &str = "damaged-cut.warc.gz";

/// A folder that is removed at the end, and paths in it as arguments.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn arg(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.arg(name)
    }

    /// Puts a sample here under a name.
    fn put(&self, sample: &str, name: &str) -> String {
        self.write(name, fs::read(archive(sample)).unwrap())
    }

    fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }
}

/// Files of a dataset and digests of them, without what differs from run to run.
fn contents(dataset: &Path) -> BTreeMap<String, u64> {
    let files = files_below(dataset).into_iter();
    let read = files.map(|path| {
        let bytes = fs::read(&path).unwrap();
        (relative(&path, dataset), xxhash_rust::xxh3::xxh3_64(&bytes))
    });
    // Times stand in the log, the dataset's own path in views.sql.
    read.filter(|(name, _)| name != "_log.jsonl" && name != "views.sql")
        .collect()
}

/// Asserts that a command was refused before anything began, and said all this.
#[track_caller]
fn assert_refused(ran: &Ran, words: &[&str]) {
    for word in words {
        assert!(ran.err.contains(word), "`{word}` is not in: {}", ran.err);
    }
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
}

#[track_caller]
fn assert_code(ran: &Ran, code: i32) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
}

#[test]
fn exit_codes_tell_whole_from_faulty_from_not_started() {
    let folder = Folder::new();
    let ran = run([&archive(SOUND), "-o", &folder.arg("whole")]);
    assert_code(&ran, 0);
    let ran = run([&archive(DAMAGED), "-o", &folder.arg("faulty")]);
    assert_code(&ran, 1);
    assert!(folder.exists("faulty/_SUCCESS"), "a fault stops nothing");
    let ran = run([&archive("xz-refused.warc.xz"), "-o", &folder.arg("none")]);
    assert_code(&ran, 2);
    assert!(!folder.exists("none"));
}

#[test]
fn a_file_that_is_missing_is_named_and_nothing_is_begun() {
    let folder = Folder::new();
    let ran = run(["no-such.warc.gz", "-o", &folder.arg("out")]);
    assert_refused(&ran, &["no-such.warc.gz", "no such file"]);
    assert!(!folder.exists("out"));
    let ran = run(["--paths", "no-such.paths", "-o", &folder.arg("out")]);
    assert_refused(&ran, &["no-such.paths", "no such file"]);
    let agents = ["--agents", "no-such.csv"];
    let ran = run([
        &archive(SOUND),
        "-o",
        &folder.arg("out"),
        agents[0],
        agents[1],
    ]);
    assert_refused(&ran, &["no-such.csv", "no such file"]);
}

#[test]
fn urls_are_refused_with_a_way_to_read_them_all_the_same() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let url = "https://data.commoncrawl.org/a.warc.gz";
    let list = folder.write("list.paths", "crawl-data/a.warc.gz\n");
    let urls = folder.write("urls.paths", format!("{url}\n"));
    let base = "https://data.commoncrawl.org/";
    assert_refused(&run([url, "-o", &out]), &[url, "robots-scan - -o OUT"]);
    let ran = run(["--paths", &list, "--base", base, "-o", &out]);
    assert_refused(&ran, &[base, "download"]);
    assert_refused(&run(["--paths", &urls, "-o", &out]), &[url, "download"]);
    assert_refused(&run(["--paths", url, "-o", &out]), &[url, "download"]);
    assert!(!folder.exists("out"));
}

#[test]
fn two_inputs_of_one_name_are_refused() {
    let folder = Folder::new();
    let (a, b) = (folder.put(SOUND, "a/x.warc"), folder.put(SOUND, "b/x.warc"));
    let ran = run([&a, &b, "-o", &folder.arg("out")]);
    assert_refused(&ran, &["x.warc", "two inputs", "--relative-to"]);
    // Where the path tells them apart they have two names.
    let a = folder.put(SOUND, "crawl-data/a/x.warc");
    let b = folder.put(SOUND, "crawl-data/b/x.warc");
    assert_code(&run([&a, &b, "-o", &folder.arg("out")]), 0);
}

#[test]
fn an_output_that_exists_is_left_alone() {
    let folder = Folder::new();
    let out = folder.arg("out");
    assert_code(&run([&archive(SOUND), "-o", &out]), 0);
    let before = contents(Path::new(&out));
    let ran = run([&archive(SOUND), "-o", &out]);
    assert_refused(&ran, &[&out, "--resume", "--overwrite", "-o"]);
    assert_eq!(contents(Path::new(&out)), before);
}

#[test]
fn what_is_not_ours_is_never_overwritten() {
    let folder = Folder::new();
    folder.write("notes/mine.txt", "mine");
    let (input, notes) = (archive(SOUND), folder.arg("notes"));
    for options in [&[][..], &["--overwrite"], &["--resume"]] {
        let args = [&["-o", &notes, &input][..], options].concat();
        assert_refused(&run(args), &[&notes, "not made by robots-scan"]);
    }
    assert_eq!(files_below(&folder.path().join("notes")).len(), 1);

    // A Parquet file of somebody else.
    let parquet = folder.arg("rules.parquet");
    let one_file = ["--tables", "rules", "-o", &parquet, &input];
    assert_code(&run(one_file), 0);
    let batches = crate::util::columns(Path::new(&parquet));
    let file = File::create(&parquet).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batches[0].schema(), None).unwrap();
    writer.write(&batches[0]).unwrap();
    writer.close().unwrap();
    let before = fs::read(&parquet).unwrap();
    for options in [&[][..], &["--overwrite"]] {
        let ran = run([&one_file[..], options].concat());
        assert_refused(&ran, &[&parquet, "not made by robots-scan"]);
    }
    assert_eq!(fs::read(&parquet).unwrap(), before);
}

#[test]
fn our_own_file_is_overwritten_when_asked() {
    let folder = Folder::new();
    let out = folder.arg("rules.parquet");
    let args = ["--tables", "rules", "-o", &out];
    assert_code(&run([&args[..], &[&archive(SOUND)]].concat()), 0);
    let first = rows_of_file(Path::new(&out)).len();
    let ran = run([&args[..], &[&archive("chunked.warc.gz")]].concat());
    assert_refused(&ran, &["--overwrite"]);
    let ran = run([&args[..], &["--overwrite", &archive("chunked.warc.gz")]].concat());
    assert_code(&ran, 0);
    assert_ne!(rows_of_file(Path::new(&out)).len(), first);
}

#[test]
fn overwriting_leaves_files_of_others_in_the_folder_alone() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let inputs = [archive(SOUND), archive(DAMAGED)];
    // Two parts, so that there is something to be removed.
    let ran = run([&inputs[0], &inputs[1], "--part-bytes", "1", "-o", &out]);
    assert_code(&ran, 1);
    let theirs = [
        "notes.txt",
        "rules/README",
        "rules/crawl=SAMPLES-2026/subset=warc/mine.txt",
        "rules/mine.parquet",
        "rules/crawl=SAMPLES-2026/subset=warc/mine.parquet",
    ];
    for name in theirs {
        folder.write(&format!("out/{name}"), "mine");
    }
    assert_code(&run([&inputs[0], "--overwrite", "-o", &out]), 0);
    let files = contents(Path::new(&out));
    let part = |no| format!("rules/crawl=SAMPLES-2026/subset=warc/part-0000{no}.parquet");
    assert!(files.contains_key(&part(0)) && !files.contains_key(&part(1)));
    let gone: Vec<_> = theirs
        .iter()
        .filter(|name| !files.contains_key(**name))
        .collect();
    assert!(gone.is_empty(), "removed: {gone:?}");
}

#[test]
fn resuming_nothing_is_refused() {
    let folder = Folder::new();
    let ran = run([&archive(SOUND), "--resume", "-o", &folder.arg("out")]);
    assert_refused(&ran, &[&folder.arg("out"), "no run to resume", "--resume"]);
    assert!(!folder.exists("out"));
    let one_file = ["--tables", "rules", "-o", &folder.arg("x.parquet")];
    let ran = run([&one_file[..], &["--resume", &archive(SOUND)]].concat());
    assert_refused(&ran, &["--resume", "single file"]);
    assert_refused(
        &run(["-", "--resume", "-o", &folder.arg("out")]),
        &["--resume"],
    );
    assert_refused(
        &run(["-", "--resume", "--overwrite", "-o", &folder.arg("out")]),
        &["--resume", "--overwrite"],
    );
}

#[test]
fn resuming_otherwise_is_refused_with_the_difference_and_changes_nothing() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let input = folder.put(SOUND, "x.warc");
    assert_code(&run([&input, "-o", &out]), 0);
    let before = contents(Path::new(&out));
    let again = ["-o", &out, "--resume", &input];
    for (options, words) in [
        (
            &["--body-limit", "none"][..],
            &["body_limit", "512000", "null"][..],
        ),
        (&["--with-bodies"], &["with_bodies", "true"]),
        (&["--part-bytes", "1KiB"], &["part_bytes", "1024"]),
        (&["--tables", "rules,groups"], &["tables", "groups"]),
        (&["--crawl", "OTHER"], &["crawl", "OTHER"]),
        (&[&archive(DAMAGED)], &["1 inputs", "2"]),
    ] {
        let ran = run([&again[..], options].concat());
        assert_refused(
            &ran,
            &[&[out.as_str(), "cannot be resumed"], words].concat(),
        );
        assert_eq!(contents(Path::new(&out)), before, "after {options:?}");
    }
    folder.put("whole-file.warc.gz", "x.warc");
    assert_refused(&run(again), &["x.warc", "bytes"]);
    assert_eq!(contents(Path::new(&out)), before, "after another input");
    // The same once more is no error, and nothing to do.
    folder.put(SOUND, "x.warc");
    let ran = run([&again[..], &["--json"]].concat());
    assert_code(&ran, 0);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&summary["resumed_parts"], &summary["parts"]),
        (&1.into(), &0.into())
    );
    assert_eq!(contents(Path::new(&out)), before);
}

#[test]
fn kinds_that_are_not_read_are_refused_with_what_to_do() {
    let folder = Folder::new();
    for (name, words) in [
        ("arc-refused.arc", &["ARC", "convert it to WARC"][..]),
        ("lz4-refused.warc.lz4", &["lz4 -d"]),
        ("bzip2-refused.warc.bz2", &["bzip2 -d"]),
        ("xz-refused.warc.xz", &["xz -d"]),
        ("wacz-refused.wacz", &["WACZ", "unpack it"]),
        ("not-an-archive.txt", &["not a WARC archive"]),
    ] {
        let ran = run([&archive(name), "-o", &folder.arg("out")]);
        assert_refused(&ran, &[&[name], words].concat());
        assert!(!folder.exists("out"), "{name}");
    }
    // Through a pipe no less.
    let mut piped = command();
    let lz4 = File::open(archive("lz4-refused.warc.lz4")).unwrap();
    piped.args(["-", "-o", &folder.arg("out")]).stdin(lz4);
    assert_refused(&piped.output().unwrap().into(), &["lz4 -d"]);
    assert!(!folder.exists("out"));
    // Beside one that is read it is a fault, and no reason not to begin.
    let ran = run([
        &archive("lz4-refused.warc.lz4"),
        &archive(SOUND),
        "-o",
        &folder.arg("out"),
    ]);
    assert_code(&ran, 1);
    let faults = rows(&folder.path().join("out"), "faults");
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0]["code"], "unsupported");
}

#[test]
fn options_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let out = folder.arg("out");
    for (options, words) in [
        (&["--shard", "0/2"][..], &["0/2", "1/4"][..]),
        (&["--shard", "3/2"], &["3/2", "1/4"]),
        (
            &["--tables", "rulez"],
            &["rulez", "robots_files, groups, rules"],
        ),
        (&["--threads", "0"], &["--threads"]),
        (&["--body-limit", "much"], &["much", "512000"]),
        (&["--crawl", "../x"], &["--crawl", "../x"]),
        (&["--base", "/mnt"], &["--base", "--paths"]),
        (&["--tables", "agents"], &["agents --json"]),
    ] {
        let ran = run([&["-o", &out, &archive(SOUND)], options].concat());
        assert_refused(&ran, words);
    }
    assert_refused(&run(["-o", &out]), &["INPUT"]);
    assert_refused(&run([&archive(SOUND)]), &["--output"]);
    assert!(!folder.exists("out"));
}

#[test]
fn a_dry_run_says_what_it_would_do_and_writes_nothing() {
    let folder = Folder::new();
    let inputs = [archive(SOUND), archive("cc-robotstxt.warc.gz")];
    let ran = run([
        &inputs[0],
        &inputs[1],
        "--dry-run",
        "-o",
        &folder.arg("out"),
    ]);
    assert_code(&ran, 0);
    for word in [
        SOUND,
        "cc-robotstxt.warc.gz",
        "subset=robotstxt",
        "2 archives in 2 parts",
    ] {
        assert!(ran.out.contains(word), "`{word}` is not in: {}", ran.out);
    }
    assert_eq!(files_below(folder.path()).len(), 0);
    assert!(!folder.exists("out"));
}

#[test]
fn the_summary_as_json_has_the_counts() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let ran = run([&archive("damaged-first.warc.gz"), "--json", "-o", &out]);
    assert_code(&ran, 1);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    for (name, count) in [
        ("exit_code", 1),
        ("inputs", 1),
        ("records", 4),
        ("captures", 4),
        ("faults", 1),
        ("failed_inputs", 0),
        ("parts", 1),
        ("resumed_parts", 0),
    ] {
        assert_eq!(summary[name], count, "{name}");
    }
    assert_eq!(summary["output"], *out);
    assert_eq!(
        summary["records_by_type"],
        serde_json::json!({"response": 4})
    );
    assert_eq!(summary["captures_by_status"], serde_json::json!({"200": 4}));
    for (table, count) in summary["rows"].as_object().unwrap() {
        // Two rules a file; the registry is not counted, as no archive fills it.
        assert_eq!(*count, rows(Path::new(&out), table).len(), "{table}");
    }
    assert_eq!(summary["rows"]["rules"], 8);
}

#[test]
fn one_table_is_one_file_with_crawl_and_subset_in_it() {
    let folder = Folder::new();
    let out = folder.arg("rules.parquet");
    let inputs = [archive(SOUND), archive("cc-robotstxt.warc.gz")];
    let ran = run([&inputs[0], &inputs[1], "--tables", "rules", "-o", &out]);
    assert_code(&ran, 0);
    assert!(ran.out.contains("duckdb -c"), "{}", ran.out);
    assert_eq!(
        files_below(folder.path()),
        [folder.path().join("rules.parquet")]
    );
    let mut partitions = BTreeSet::new();
    for row in rows_of_file(Path::new(&out)) {
        let word = |name: &str| row[name].as_str().unwrap().to_owned();
        partitions.insert((word("crawl"), word("subset")));
    }
    let partition = |crawl: &str, subset: &str| (crawl.to_owned(), subset.to_owned());
    let expected = [
        partition("CC-MAIN-2026-01-SAMPLE", "robotstxt"),
        partition("SAMPLES-2026", "warc"),
    ];
    assert_eq!(Vec::from_iter(partitions), expected);
}

#[test]
fn standard_input_is_read_like_a_file() {
    let folder = Folder::new();
    // Larger than what is read to learn the crawl, twice over if unpacked; and
    // whatever it is packed in.
    for name in [
        "cc-robotstxt.warc.gz",
        SOUND,
        "frames-with-dictionary.warc.zst",
        "one-frame.warc.zst",
    ] {
        let (piped, given) = (
            folder.arg(&format!("{name}-1")),
            folder.arg(&format!("{name}-2")),
        );
        let mut command = command();
        command
            .args(["-", "-o", &piped])
            .stdin(File::open(archive(name)).unwrap());
        let ran: Ran = command.output().unwrap().into();
        assert_code(&ran, 0);
        assert_code(&run([&archive(name), "-o", &given]), 0);
        for table in ["robots_files", "rules", "verdicts"] {
            let strip = |dataset: &str| {
                let mut rows = rows(Path::new(dataset), table);
                for row in rows.iter_mut().map(|row| row.as_object_mut().unwrap()) {
                    // Both come from the input's name.
                    row.remove("robots_id");
                    row.remove("warc_filename");
                }
                rows
            };
            let (piped, given) = (strip(&piped), strip(&given));
            assert!(!given.is_empty());
            assert_eq!(piped, given, "{table} of {name}");
        }
    }
}

#[test]
fn a_list_of_paths_may_be_packed_and_have_a_base() {
    let folder = Folder::new();
    folder.put(SOUND, "mirror/some/a.warc");
    folder.put("frames.warc.zst", "mirror/some/b.warc.zst");
    let lines = "# what follows are paths\nsome/a.warc\n\nsome/b.warc.zst\r\n";
    let plain = folder.write("list.paths", lines);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, lines.as_bytes()).unwrap();
    let packed = folder.write("list.paths.gz", gzip.finish().unwrap());
    for (list, base) in [(&plain, "mirror"), (&packed, "mirror/")] {
        let out = folder.arg(&format!("out-{}", base.len()));
        let ran = run(["--paths", list, "--base", &folder.arg(base), "-o", &out]);
        assert_code(&ran, 0);
        let files = rows(Path::new(&out), "robots_files");
        let names: BTreeSet<_> = files
            .iter()
            .map(|row| row["warc_filename"].as_str())
            .collect();
        let lines = [Some("some/a.warc"), Some("some/b.warc.zst")];
        assert_eq!(Vec::from_iter(names), lines, "names are lines as written");
    }
}

/// A file that is there and cannot be read, as its first page is not mapped.
#[cfg(target_os = "linux")]
#[test]
fn a_single_file_that_fails_does_not_promise_to_be_resumed() {
    let folder = Folder::new();
    let list = folder.write("list.paths", "proc/self/mem\n");
    let out = folder.arg("rules.parquet");
    let ran = run([
        "--paths", &list, "--base", "/", "--tables", "rules", "-o", &out,
    ]);
    assert_code(&ran, 3);
    assert!(!folder.exists("rules.parquet"));
    let said = format!("{}{}", ran.out, ran.err);
    // It would be refused, and there is nothing to open.
    assert!(!said.contains("--resume"), "{said}");
    assert!(!said.contains("open it"), "{said}");
}

#[test]
fn folders_and_globs_give_the_archives_in_them_in_order() {
    let folder = Folder::new();
    folder.put(SOUND, "in/b.warc");
    folder.put("frames.warc.zst", "in/deep/a.warc.zst");
    folder.put("whole-file.warc.gz", "in/a.warc.gz");
    folder.write("in/notes.txt", "no archive");
    let names = |args: &[&str], out: &str| {
        let ran = run([args, &["-o", &folder.arg(out)]].concat());
        assert_code(&ran, 0);
        let rows = rows(&folder.path().join(out), "robots_files");
        let names = rows
            .iter()
            .map(|row| row["warc_filename"].as_str().unwrap().to_owned());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names
    };
    assert_eq!(
        names(&[&folder.arg("in")], "1"),
        ["a.warc.gz", "b.warc", "a.warc.zst"]
    );
    assert_eq!(
        names(&[&folder.arg("in/*.warc*")], "2"),
        ["a.warc.gz", "b.warc"]
    );
    assert_eq!(
        names(&[&folder.arg("in/**/a.*")], "3"),
        ["a.warc.gz", "a.warc.zst"]
    );
    folder.write("empty/notes.txt", "no archive");
    let ran = run([&folder.arg("empty"), "-o", &folder.arg("4")]);
    assert_refused(&ran, &["empty", "names no archive"]);
    let ran = run([&folder.arg("in/*.wacz"), "-o", &folder.arg("4")]);
    assert_refused(&ran, &["*.wacz", "names no archive"]);
}

#[test]
fn shards_together_are_the_whole_and_merge_by_moving_files() {
    let folder = Folder::new();
    let inputs = [
        archive(SOUND),
        archive("frames.warc.zst"),
        archive("two-whole-files.warc.gz"),
    ];
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let captures = |out: &str, options: &[&str]| -> Vec<Value> {
        let ran = run([&inputs, options, &["-o", &folder.arg(out)]].concat());
        assert_code(&ran, 0);
        rows(&folder.path().join(out), "robots_files")
    };
    let whole = captures("whole", &[]);
    let shards = [
        captures("s1", &["--shard", "1/2"]),
        captures("s2", &["--shard", "2/2"]),
    ];
    assert!(shards.iter().all(|rows| !rows.is_empty()));
    assert_eq!(shards.concat(), whole);
    let names = |out: &str| -> BTreeSet<String> {
        let files = files_below(&folder.path().join(out).join("rules"));
        files
            .iter()
            .map(|path| relative(path, &folder.path().join(out)))
            .collect()
    };
    assert!(names("s1").is_disjoint(&names("s2")));
}

#[test]
fn scan_is_the_command_that_is_meant_where_none_is_named() {
    let folder = Folder::new();
    assert_code(&run([&archive(DAMAGED), "-o", &folder.arg("1")]), 1);
    assert_code(&run(["scan", &archive(DAMAGED), "-o", &folder.arg("2")]), 1);
    assert_code(&run(["-o", &folder.arg("3"), &archive(DAMAGED)]), 1);
    let first = contents(&folder.path().join("1"));
    assert!(first.contains_key("_SUCCESS"));
    assert_eq!(first, contents(&folder.path().join("2")));
    assert_eq!(first, contents(&folder.path().join("3")));
}

#[test]
fn what_is_built_in_is_printed() {
    let printed = |args: &[&str], words: &[&str]| {
        let ran = run(args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        for word in words {
            assert!(ran.out.contains(word), "`{word}` is not in {args:?}");
        }
        ran.out
    };
    printed(
        &["schema"],
        &["CREATE TABLE robots_files (", "CREATE TABLE faults ("],
    );
    let rules = printed(&["schema", "rules"], &["CREATE TABLE rules ("]);
    assert_eq!(rules.matches("CREATE TABLE").count(), 1);
    printed(
        &["schema", "--anomalies"],
        &["| missing_colon |", "| bad_date |"],
    );
    printed(&["agents"], &["GPTBot", "CCBot"]);
    let training = printed(
        &["agents", "--category", "ai_training", "--json"],
        &["GPTBot"],
    );
    for line in training.lines() {
        let agent: Value = serde_json::from_str(line).unwrap();
        let is_training = |name: &str| agent[name] == "ai_training";
        assert!(
            is_training("category") || is_training("category2"),
            "{line}"
        );
    }
    printed(&["completions", "bash"], &["complete -F", "--overwrite"]);
    printed(&["man"], &[".TH", "robots\\-scan"]);
    printed(&["--version"], &[env!("CARGO_PKG_VERSION")]);
    printed(&["--help"], &["Exit codes: 0 whole", "--paths"]);
    printed(&["scan", "--help"], &["--part-bytes", "--shard"]);
}

#[test]
fn a_summary_goes_to_standard_output_and_no_progress_to_a_pipe() {
    let folder = Folder::new();
    let ran = run([&archive("cc-robotstxt.warc.gz"), "-o", &folder.arg("out")]);
    assert_code(&ran, 0);
    assert_eq!(ran.err, "");
    for word in [
        "137 captures",
        "200",
        "most blocked crawlers",
        "duckdb -init",
        "views.sql",
    ] {
        assert!(ran.out.contains(word), "`{word}` is not in: {}", ran.out);
    }
    // A fault is told with its archive and place.
    let ran = run([&archive(DAMAGED), "-o", &folder.arg("faulty")]);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(
        ran.err.starts_with(&format!("warning: '{DAMAGED}' at ")),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("cut short"), "{}", ran.err);
    assert_eq!(ran.err.matches("bytes skipped").count(), 1, "{}", ran.err);
    assert!(ran.out.contains("1 place could not be read"), "{}", ran.out);
}

/// Runs the command with a standard output that nobody reads any more.
fn run_into_closed_pipe(args: &[&str]) -> Ran {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command();
    command.args(args).stdout(writer).stderr(Stdio::piped());
    command.output().unwrap().into()
}

#[test]
fn a_broken_pipe_is_no_error() {
    for args in [
        &["schema"][..],
        &["schema", "--anomalies"],
        &["agents"],
        &["agents", "--json"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ] {
        let ran = run_into_closed_pipe(args);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
    }
    // The run is done when its summary is written, and keeps its exit code.
    let folder = Folder::new();
    for (name, code) in [(SOUND, 0), (DAMAGED, 1)] {
        let out = folder.arg(name);
        let ran = run_into_closed_pipe(&[&archive(name), "-o", &out]);
        assert!(folder.exists(&format!("{name}/_SUCCESS")));
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.err);
    }
}

#[test]
fn an_error_that_nobody_reads_still_has_its_exit_code() {
    let folder = Folder::new();
    let out = folder.arg("out");
    for (input, code) in [("https://h.example/a.warc.gz", 2), (&archive(DAMAGED), 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = command();
        command.args([input, "-o", &out]).stderr(writer);
        let ran: Ran = command.output().unwrap().into();
        assert_code(&ran, code);
    }
}

#[test]
fn samples_of_one_folder_are_scanned_together() {
    let folder = Folder::new();
    let all = samples().join("warc");
    let ran = run([all.to_str().unwrap(), "--json", "-o", &folder.arg("out")]);
    assert_code(&ran, 1);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    let parts = summary["parts"].as_u64().unwrap();
    let out = folder.path().join("out");
    assert_eq!(summary["captures"], rows(&out, "robots_files").len());
    assert_eq!(parts, rows(&out, "runs").len() as u64);
    // Ids are unique within a crawl.
    let files = rows(&out, "robots_files");
    let ids: BTreeSet<_> = files
        .iter()
        .map(|row| row["robots_id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids.len(), files.len());
}

#[test]
fn check_answers_for_a_file_and_says_why() {
    let file = samples().join("robots/group-with-several-agents-after-another.txt");
    let file = file.to_str().unwrap();
    let ran = run([
        "check",
        file,
        "--agent",
        "GPTBot",
        "--url",
        "https://example.com/a",
    ]);
    assert_code(&ran, 1);
    assert!(
        ran.out.contains("disallowed  https://example.com/a"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("line 7: Disallow: /"), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "no colours but on a terminal");
    let ran = run([
        "check",
        file,
        "--agent",
        "GPTBot",
        "--url",
        "https://example.com/a",
        "--json",
    ]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["urls"][0]["access"], "disallowed");
    assert_eq!(
        (
            &report["urls"][0]["line_no"],
            &report["urls"][0]["group_line_no"]
        ),
        (&7.into(), &4.into())
    );
    assert_eq!(report["verdicts"]["koster1996"], "disallow_all");
    let ran = run(["check", "no-such-file", "--agent", "a"]);
    assert_code(&ran, 2);
    assert!(
        ran.err
            .contains("error: cannot read 'no-such-file': no such file"),
        "{}",
        ran.err
    );
}

#[test]
fn check_reads_urls_from_standard_input_and_knows_dialects() {
    let folder = Folder::new();
    let file = folder.path().join("robots.txt");
    fs::write(&file, "User-agent: *\nDisallow: /*.pdf$\n").unwrap();
    for (dialect, expected) in [
        ("google", 1),
        ("rfc9309", 1),
        ("koster1996", 0),
        ("default", 1),
    ] {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"http://h/a\n\nhttp://h/a.pdf\n").unwrap();
        drop(writer);
        let mut command = command();
        command
            .args(["check", file.to_str().unwrap(), "--dialect", dialect])
            .args(["--urls", "-"])
            .stdin(reader);
        let ran: Ran = command.output().unwrap().into();
        assert_code(&ran, expected);
        assert_eq!(ran.out.matches("allowed  ").count(), 2, "{}", ran.out);
    }
}
