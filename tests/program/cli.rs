//! The command line as people and scripts use it.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use support::{
    Folder, Ran, archive, assert_refused, command, files_below, relative, rows, rows_of_file, run,
};

/// An archive without faults, with three captures.
const SOUND: &str = "plain.warc";
/// An archive with one fault.
const DAMAGED: &str = "damaged-cut.warc.gz";

/// Returns the files of a dataset with hashes of their contents. Files that differ
/// between runs are omitted.
fn contents(dataset: &Path) -> BTreeMap<String, u64> {
    let files = files_below(dataset).into_iter();
    let read = files.map(|path| {
        let bytes = fs::read(&path).unwrap();
        (relative(&path, dataset), xxhash_rust::xxh3::xxh3_64(&bytes))
    });
    // The log contains times, and views.sql contains the path of the dataset.
    read.filter(|(name, _)| name != "_log.jsonl" && name != "views.sql")
        .collect()
}

#[track_caller]
fn assert_code(ran: &Ran, code: i32) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
}

#[test]
fn a_missing_file_is_named_and_no_run_begins() {
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
fn a_crawler_that_is_given_as_a_registry_gets_a_hint() {
    let ran = run(["check", "-", "--agents", "GPTBot"]);
    assert_refused(&ran, &["--agents", "no such file", "--agent"]);
}

#[test]
fn a_url_without_an_archive_is_refused_with_a_hint_how_to_read_it() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let list = folder.write("list.paths", "crawl-data/a.warc.gz\n");
    for url in [
        "ftp://example.com/a.warc.gz",
        "https://example.com/",
        "s3://bucket",
    ] {
        let urls = folder.write("urls.paths", format!("{url}\n"));
        assert_refused(&run([url, "-o", &out]), &[url, "robots-scan - -o OUT"]);
        assert_refused(&run(["--paths", &urls, "-o", &out]), &[url, "piped"]);
    }
    let base = "ftp://example.com/";
    let ran = run(["--paths", &list, "--base", base, "-o", &out]);
    assert_refused(&ran, &[base, "piped"]);
    let ran = run(["--paths", "ftp://example.com/list", "-o", &out]);
    assert_refused(&ran, &["ftp://example.com/list", "piped"]);
    assert!(!folder.exists("out"));
}

#[test]
fn a_url_must_name_its_crawl_and_subset() {
    let folder = Folder::new();
    let out = folder.arg("out");
    let url = "https://me:secret@example.com/a.warc.gz?key=secret";
    for options in [&[][..], &["--crawl", "X"], &["--subset", "robotstxt"]] {
        let ran = run([&[url, "-o", &out][..], options].concat());
        assert_refused(
            &ran,
            &["'https://example.com/a.warc.gz'", "--subset robotstxt"],
        );
        assert!(!ran.err.contains("secret"));
    }
    assert!(!folder.exists("out"));
}

#[test]
fn an_existing_output_is_not_changed() {
    let folder = Folder::new();
    let out = folder.arg("out");
    assert_code(&run([&archive(SOUND), "-o", &out]), 0);
    let before = contents(Path::new(&out));
    let ran = run([&archive(SOUND), "-o", &out]);
    assert_refused(&ran, &[&out, "--resume", "--overwrite", "-o"]);
    assert_eq!(contents(Path::new(&out)), before);
}

#[test]
fn files_that_robots_scan_did_not_make_are_never_overwritten() {
    let folder = Folder::new();
    folder.write("notes/mine.txt", "mine");
    let (input, notes) = (archive(SOUND), folder.arg("notes"));
    for options in [&[][..], &["--overwrite"], &["--resume"]] {
        let args = [&["-o", &notes, &input][..], options].concat();
        assert_refused(&run(args), &[&notes, "not written by robots-scan"]);
    }
    assert_eq!(files_below(&folder.path().join("notes")).len(), 1);

    // A Parquet file that another program wrote.
    let parquet = folder.arg("rules.parquet");
    let one_file = ["--tables", "rules", "-o", &parquet, &input];
    assert_code(&run(one_file), 0);
    let batches = support::columns(Path::new(&parquet));
    let file = File::create(&parquet).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batches[0].schema(), None).unwrap();
    writer.write(&batches[0]).unwrap();
    writer.close().unwrap();
    let before = fs::read(&parquet).unwrap();
    for options in [&[][..], &["--overwrite"]] {
        let ran = run([&one_file[..], options].concat());
        assert_refused(&ran, &[&parquet, "not written by robots-scan"]);
    }
    assert_eq!(fs::read(&parquet).unwrap(), before);
}

#[test]
fn a_file_of_an_earlier_run_is_replaced_with_overwrite() {
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
fn resume_begins_a_run_that_is_not_there_and_needs_more_than_one_file() {
    let folder = Folder::new();
    let (once, again) = (folder.arg("once"), folder.arg("again"));
    assert_code(&run([&archive(SOUND), "-o", &once]), 0);
    for text in ["captures by status", "nothing to do"] {
        let ran = run([&archive(SOUND), "--resume", "-o", &again]);
        assert_code(&ran, 0);
        assert!(ran.out.contains(text), "{}", ran.out);
        assert!(contents(Path::new(&once)) == contents(Path::new(&again)));
    }
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
fn resume_with_other_options_is_refused_and_names_the_difference() {
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
        (&["--part-inputs", "7"], &["part_size", "inputs", "7"]),
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
    // Resuming a finished run is not an error.
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
fn unsupported_formats_are_refused_with_advice() {
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
    // Through a pipe, too.
    let mut piped = command();
    let lz4 = File::open(archive("lz4-refused.warc.lz4")).unwrap();
    piped.args(["-", "-o", &folder.arg("out")]).stdin(lz4);
    assert_refused(&piped.output().unwrap().into(), &["lz4 -d"]);
    assert!(!folder.exists("out"));
    // Together with an archive that can be read it is a fault, and the run begins.
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
fn invalid_options_are_refused() {
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
fn a_dry_run_prints_its_plan_and_writes_nothing() {
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
fn the_json_summary_contains_the_counts() {
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
        // Two rules per file. Rows of the registry are not counted, since they do not come
        // from archives.
        assert_eq!(*count, rows(Path::new(&out), table).len(), "{table}");
    }
    assert_eq!(summary["rows"]["rules"], 8);
    assert_eq!(summary["most_blocked"]["hosts"], 4);
}

#[test]
fn a_single_table_file_has_columns_for_crawl_and_subset() {
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
fn standard_input_gives_the_same_tables_as_a_file() {
    let folder = Folder::new();
    // The archive is larger than what is read to find its crawl, also when decompressed,
    // in each compression.
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
                    // These two columns contain the name of the input.
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
fn a_list_of_paths_may_be_gzip_and_have_a_base() {
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

/// `/proc/self/mem` exists and cannot be read, since its first page is not mapped.
#[cfg(target_os = "linux")]
#[test]
fn the_summary_of_a_failed_single_file_suggests_no_resume() {
    let folder = Folder::new();
    let list = folder.write("list.paths", "proc/self/mem\n");
    let out = folder.arg("rules.parquet");
    let ran = run([
        "--paths", &list, "--base", "/", "--tables", "rules", "-o", &out,
    ]);
    assert_code(&ran, 3);
    assert!(!folder.exists("rules.parquet"));
    let said = format!("{}{}", ran.out, ran.err);
    // Resuming would be refused, and there is no output to query.
    assert!(!said.contains("--resume"), "{said}");
    assert!(!said.contains("next:"), "{said}");
}

#[test]
fn folders_and_globs_expand_to_their_archives_in_order() {
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
    assert_refused(&ran, &["empty", "matches no archive"]);
    let ran = run([&folder.arg("in/*.wacz"), "-o", &folder.arg("4")]);
    assert_refused(&ran, &["*.wacz", "matches no archive"]);
}

#[test]
fn scan_is_the_default_command() {
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
fn schema_agents_completions_and_man_are_printed() {
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
    let install = ["bash", "zsh"].map(|shell| format!("source <(robots-scan completions {shell})"));
    printed(
        &["completions", "--help"],
        &[
            &install[0],
            &install[1],
            "robots-scan completions fish | source",
        ],
    );
    printed(&["man"], &[".TH", "robots\\-scan"]);
    printed(&["--version"], &[env!("CARGO_PKG_VERSION")]);
    printed(&["--help"], &["Exit codes: 0 done", "--paths"]);
    printed(&["scan", "--help"], &["--part-inputs", "--shard"]);
}

#[test]
fn the_summary_is_on_standard_output_and_a_pipe_gets_no_progress() {
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
    // A fault is printed with its archive and offset.
    let ran = run([&archive(DAMAGED), "-o", &folder.arg("faulty")]);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(
        ran.err.starts_with(&format!("warning: '{DAMAGED}' at ")),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("truncated"), "{}", ran.err);
    assert_eq!(ran.err.matches("bytes skipped").count(), 1, "{}", ran.err);
    assert!(ran.out.contains("1 place could not be read"), "{}", ran.out);
}

#[test]
fn the_summary_ends_with_commands_that_a_shell_runs() {
    let folder = Folder::new();
    let out = folder.arg("it's out");
    let input = archive("cc-robotstxt.warc.gz");
    let ran = run([input.as_str(), "-o", &out]);
    assert_code(&ran, 0);
    let line = |text: &str, start: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines
            .find(|line| line.starts_with(start))
            .map(str::to_owned)
    };
    let check = line(&ran.out, "robots-scan check").expect("a command");
    let check = check.replacen("robots-scan", support::program().to_str().unwrap(), 1);
    let check = check.replacen("HOST", "app.example.com", 1);
    // The purpose may follow on the same line, two blanks after the command.
    let check = check.split("  ").next().unwrap();
    let shown = std::process::Command::new("sh")
        .args(["-c", check])
        .output();
    let shown = Ran::from(shown.unwrap());
    assert_code(&shown, 0);
    assert!(shown.out.contains("app.example.com"), "{}", shown.out);
    // Only the Python package draws the report, so this program says what to install.
    let report = line(&ran.out, "robots-scan report").expect("a command");
    let report = report.replacen("robots-scan", support::program().to_str().unwrap(), 1);
    let report = report.split("  ").next().unwrap();
    let said = std::process::Command::new("sh")
        .args(["-c", report])
        .output();
    let said = Ran::from(said.unwrap());
    assert_code(&said, 2);
    let hint = "hint: in a clone of the repository, 'make venv' installs it: then .venv/bin/robots-scan report\n";
    assert!(said.err.ends_with(hint), "{said:?}");
    let ran = run([input.as_str(), "--json", "-o", &folder.arg("json")]);
    assert!(!ran.out.contains("next:"), "{}", ran.out);
    let ran = run([input.as_str(), "-q", "-o", &folder.arg("quiet")]);
    assert_eq!(ran.out, "");
}

/// Runs the command with a closed standard output.
fn run_into_closed_pipe(args: &[&str]) -> Ran {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command();
    command.args(args).stdout(writer).stderr(Stdio::piped());
    command.output().unwrap().into()
}

#[test]
fn a_closed_standard_output_is_not_an_error() {
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
    // The run is complete before its summary is written, so it keeps its exit code.
    let folder = Folder::new();
    for (name, code) in [(SOUND, 0), (DAMAGED, 1)] {
        let out = folder.arg(name);
        let ran = run_into_closed_pipe(&[&archive(name), "-o", &out]);
        assert!(folder.exists(&format!("{name}/_SUCCESS")));
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.err);
    }
}

#[test]
fn a_closed_standard_error_keeps_the_exit_code() {
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
