//! `verify`: datasets that `scan` writes are sound, and each kind of damage is
//! reported with its kind and with no other.

use dataset::error::DatasetErrorKind;
use keep::verify::{Options, VerifyProgress, VerifyReport};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use support::series::Series;
use support::{self, Random, archive, files_below, relative};
use tables::Table;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// The folders of a part of a [`TestDataset`].
const CRAWL: &str = "crawl=CC-MAIN-2026-05-SAMPLE/subset=robotstxt";

/// A dataset of the samples in many parts, some of which have faults.
struct TestDataset {
    folder: TempDir,
    out: PathBuf,
}

impl TestDataset {
    /// Returns a copy of a dataset that is scanned once.
    fn new() -> Self {
        type Files = Vec<(String, Vec<u8>)>;
        static SCANNED: OnceLock<(String, Files)> = OnceLock::new();
        let (scanned, files) = SCANNED.get_or_init(|| {
            let dataset = Self::with(&["--part-inputs", "3"]);
            let scanned = &dataset.out;
            let files = files_below(scanned).into_iter();
            let files = files.map(|path| (relative(&path, scanned), fs::read(path).unwrap()));
            (scanned.display().to_string(), files.collect())
        });
        let folder = TempDir::new().unwrap();
        let out = folder.path().join("out");
        for (name, bytes) in files {
            let path = out.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        // The views state their folder.
        let views = fs::read_to_string(out.join("views.sql")).unwrap();
        let views = views.replace(scanned, out.to_str().unwrap());
        fs::write(out.join("views.sql"), views).unwrap();
        Self { folder, out }
    }

    fn with(args: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let out = folder.path().join("out");
        let dataset = Self { folder, out };
        dataset.scan(args);
        dataset
    }

    /// Scans the samples into the dataset.
    fn scan(&self, args: &[&str]) {
        let samples = archive("*.warc.gz");
        let out = self.out.to_str().unwrap();
        let ran = support::run([samples.as_str(), "-o", out].iter().chain(args));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// Returns the file of a table in the first part.
    fn file(&self, table: &str) -> String {
        let name = format!("{table}/{CRAWL}/part-00000.parquet");
        assert!(self.path(&name).exists(), "{name}");
        name
    }

    /// Changes the lines of the manifest, and its digest.
    fn edit(&self, change: impl FnOnce(&mut Vec<Value>)) {
        let path = self.path("_manifest.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(serde_json::from_str);
        let mut lines: Vec<Value> = lines.map(Result::unwrap).collect();
        change(&mut lines);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let digest = format!("{:016x}\n", xxh3_64(text.as_bytes()));
        fs::write(path, text).unwrap();
        fs::write(self.path("_SUCCESS"), digest).unwrap();
    }

    /// Changes what the manifest states of a file, and states its size and digest as they are.
    fn edit_file(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let bytes = fs::read(self.path(name)).unwrap();
        self.edit(|lines| {
            let mut files: Vec<&mut Value> = Vec::new();
            for line in lines.iter_mut() {
                if line["files"].is_array() {
                    files.extend(line["files"].as_array_mut().unwrap())
                } else {
                    files.push(line)
                }
            }
            let mut files = files.into_iter();
            let file = files.find(|file| file["path"] == name).unwrap();
            file["bytes"] = json!(bytes.len());
            file["xxh3"] = json!(format!("{:016x}", xxh3_64(&bytes)));
            change(file);
        });
    }

    fn verify(&self) -> VerifyReport {
        verify(&self.out)
    }
}

fn verify(root: &Path) -> VerifyReport {
    let root = root.to_owned();
    let options = Options {
        root,
        threads: 2,
        tables: all_tables(),
    };
    keep::verify::verify(&options, &VerifyProgress::default()).unwrap()
}

/// Returns the kinds of the findings, each with its count.
fn kinds(report: &VerifyReport) -> Vec<(&'static str, u64)> {
    let groups = report.findings.groups();
    groups
        .map(|group| (group.kind.name(), group.count))
        .collect()
}

/// Returns all findings as text, with their remedies.
fn lines(report: &VerifyReport) -> String {
    let groups = report.findings.groups();
    let all = groups.flat_map(|group| group.findings);
    all.map(|finding| format!("{finding}; {}\n", finding.remedy.0))
        .collect()
}

#[track_caller]
fn assert_sound(report: &VerifyReport) {
    assert!(report.is_sound(), "{}", lines(report));
    assert_eq!(report.files, report.sound_files);
}

/// Asserts that there are exactly these findings, and that their text has these
/// words.
#[track_caller]
fn assert_found(report: &VerifyReport, found: &[(&str, u64)], words: &[&str]) {
    assert_eq!(kinds(report), found, "{}", lines(report));
    for word in words {
        let lines = lines(report);
        assert!(lines.contains(word), "`{word}` is not in: {lines}");
    }
}

/// Returns all tables that the program writes.
fn all_tables() -> Vec<Table> {
    #[cfg(feature = "answers")]
    return answers::own_tables::all();
    #[cfg(not(feature = "answers"))]
    Table::ALL.to_vec()
}

#[test]
fn datasets_that_scan_writes_are_sound() {
    let all = support::samples().join("warc");
    let all = all.to_str().unwrap();
    for (args, parts) in [
        (&[][..], 7),
        (&["--part-inputs", "1"], 33),
        (&["--crawl", "X", "--subset", "warc", "--with-bodies"], 1),
        (&["--tables", "rules,groups"], 7),
        (&["--tables", "robots_files,verdicts,agents"], 7),
        (&["--tables", "faults,runs"], 7),
        (&["--shard", "2/3", "--part-inputs", "2"], 6),
    ] {
        let folder = TempDir::new().unwrap();
        let out = folder.path().join("out");
        let ran = support::run([all, "-o", out.to_str().unwrap()].iter().chain(args));
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
        let report = verify(&out);
        assert_sound(&report);
        assert!(report.unchecked.is_empty(), "{:?}", report.unchecked);
        assert!(report.parts >= parts, "{} parts of {args:?}", report.parts);
        let is_file = |path: &&PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        };
        let files = files_below(&out);
        let files: Vec<_> = files.iter().filter(is_file).collect();
        let rows = files.iter().map(|path| support::rows_of_file(path).len());
        let bytes = files.iter().map(|path| fs::metadata(path).unwrap().len());
        assert_eq!(report.files, files.len() as u64);
        assert_eq!(report.rows, rows.sum::<usize>() as u64);
        assert_eq!(report.bytes, bytes.sum::<u64>());
    }
}

#[test]
fn a_shard_without_inputs_and_an_input_of_unknown_size_are_sound() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("stream");
    let sample = fs::File::open(archive("damaged-often.warc.gz")).unwrap();
    let ran = support::command()
        .args(["-", "-o", out.to_str().unwrap()])
        .stdin(sample)
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    assert_sound(&verify(&out));
    let out = folder.path().join("empty");
    let (sample, to) = (archive("plain.warc"), out.to_str().unwrap());
    let ran = support::run([sample.as_str(), "-o", to, "--shard", "1/2"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report = verify(&out);
    assert_sound(&report);
    assert_eq!((report.parts, report.files), (0, 1));
}

#[test]
fn a_single_file_is_verified_without_a_manifest() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("verdicts.parquet");
    let out = path.to_str().unwrap();
    let sample = archive("cc-robotstxt.warc.gz");
    support::run([&sample, "--tables", "verdicts", "-o", out]);
    let report = verify(&path);
    assert_sound(&report);
    assert!(report.rows > 100 && report.is_single_file && report.unchecked.len() == 1);
    let bytes = fs::read(&path).unwrap();
    let mut random = Random::new(3);
    // Its digest is unknown, so not every flipped bit is found. None may cause a
    // panic.
    let mut found = 0;
    for _ in 0..200 {
        let mut bytes = bytes.clone();
        let offset = 4 + random.below(bytes.len() - 4);
        bytes[offset] ^= 1 << random.below(8);
        fs::write(&path, &bytes).unwrap();
        found += u64::from(!verify(&path).is_sound());
    }
    assert!(found > 20, "{found} of 200 are found");
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_found(&verify(&path), &[("footer", 1)], &["verdicts.parquet"]);
    let root = path.clone();
    fs::write(&path, "").unwrap();
    let options = Options {
        root,
        threads: 1,
        tables: all_tables(),
    };
    let error = keep::verify::verify(&options, &VerifyProgress::default()).unwrap_err();
    assert!(matches!(
        error.kind(),
        Some(DatasetErrorKind::NotADataset(_))
    ));
}

#[cfg(feature = "answers")]
#[test]
fn output_of_match_can_be_verified() {
    let dataset = TestDataset::with(&[]);
    let (urls, to) = (
        dataset.folder.path().join("urls"),
        dataset.path("../m.parquet"),
    );
    fs::write(&urls, "https://www.news.example/a\n").unwrap();
    let [from, urls, out] = [&dataset.out, &urls, &to].map(|path| path.to_str().unwrap());
    let ran = support::run([
        "match",
        from,
        "--any-name",
        "-a",
        "x",
        "--urls",
        urls,
        "-o",
        out,
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report = verify(&to);
    assert_sound(&report);
    assert_eq!(report.rows, 1);
}

#[test]
fn a_flipped_bit_anywhere_in_a_file_is_found_and_nothing_else() {
    let dataset = TestDataset::new();
    let files = files_below(&dataset.out);
    let files: Vec<_> = files
        .iter()
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        })
        .collect();
    let series = Series::new();
    let mut random = series.random(11);
    for _ in 0..series.count(1000) {
        let path = files[random.below(files.len())];
        let bytes = fs::read(path).unwrap();
        let mut flipped = bytes.clone();
        flipped[random.below(bytes.len())] ^= 1 << random.below(8);
        fs::write(path, flipped).unwrap();
        let report = dataset.verify();
        fs::write(path, bytes).unwrap();
        assert_found(&report, &[("digest", 1)], &[&relative(path, &dataset.out)]);
        assert_eq!(report.sound_files + 1, report.files);
    }
    assert_sound(&dataset.verify());
}

/// Whoever writes a dataset also states its digests.
#[test]
fn flipped_bits_with_right_digests_do_not_stop_the_verification() {
    let dataset = TestDataset::with(&[]);
    let series = Series::new();
    let mut random = series.random(12);
    for table in ["robots_files", "groups", "rules", "verdicts", "anomalies"] {
        let name = dataset.file(table);
        let bytes = fs::read(dataset.path(&name)).unwrap();
        for _ in 0..series.count(500) {
            let mut flipped = bytes.clone();
            flipped[random.below(bytes.len())] ^= 1 << random.below(8);
            fs::write(dataset.path(&name), flipped).unwrap();
            dataset.edit_file(&name, |_| ());
            dataset.verify();
        }
        fs::write(dataset.path(&name), &bytes).unwrap();
        dataset.edit_file(&name, |_| ());
    }
    assert_sound(&dataset.verify());
}

#[test]
fn a_flipped_bit_in_the_manifest_is_found_and_does_not_stop_the_verification() {
    let dataset = TestDataset::new();
    let path = dataset.path("_manifest.jsonl");
    let bytes = fs::read(&path).unwrap();
    let series = Series::new();
    let mut random = series.random(5);
    for _ in 0..series.count(1000) {
        let mut flipped = bytes.clone();
        let place = random.below(bytes.len());
        flipped[place] ^= 1 << random.below(8);
        fs::write(&path, flipped).unwrap();
        assert!(!dataset.verify().is_sound(), "{place}");
    }
}

#[test]
fn truncated_empty_missing_and_swapped_files_are_found() {
    let dataset = TestDataset::new();
    let (rules, groups) = (dataset.file("rules"), dataset.file("groups"));
    let path = dataset.path(&rules);
    let bytes = fs::read(&path).unwrap();
    for len in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..len]).unwrap();
        assert_found(
            &dataset.verify(),
            &[("size", 1)],
            &[
                &rules,
                "; restore it from a copy, or scan again with --resume",
            ],
        );
    }
    fs::remove_file(&path).unwrap();
    assert_found(&dataset.verify(), &[("missing", 1)], &[&rules]);
    fs::create_dir(&path).unwrap();
    assert_found(
        &dataset.verify(),
        &[("unreadable", 1)],
        &[&rules, "it is a folder"],
    );
    fs::remove_dir(&path).unwrap();
    fs::rename(dataset.path(&groups), &path).unwrap();
    fs::write(dataset.path(&groups), bytes).unwrap();
    assert_found(&dataset.verify(), &[("size", 2)], &[&rules, &groups]);
    fs::remove_file(dataset.path("agents/agents.parquet")).unwrap();
    let found = [("missing", 1), ("size", 2)];
    assert_found(&dataset.verify(), &found, &["agents/agents.parquet"]);
}

#[test]
fn the_table_of_a_custom_registry_has_a_digest() {
    let folder = TempDir::new().unwrap();
    let list = folder.path().join("agents.csv");
    fs::write(&list, "token\nFooBot\n").unwrap();
    let dataset = TestDataset::with(&["--agents", list.to_str().unwrap()]);
    assert_sound(&dataset.verify());
    let path = dataset.path("agents/agents.parquet");
    let mut bytes = fs::read(&path).unwrap();
    bytes[10] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert_found(
        &dataset.verify(),
        &[("digest", 1)],
        &["agents/agents.parquet"],
    );
}

#[test]
fn foreign_files_are_found() {
    let dataset = TestDataset::with(&["--tables", "robots_files,rules,agents"]);
    let folder = format!("rules/{CRAWL}");
    let own = fs::read(dataset.path(&dataset.file("rules"))).unwrap();
    for (name, kind) in [
        (format!("{folder}/part-00077.parquet"), Some("foreign")),
        (format!("{folder}/mine.parquet"), Some("foreign")),
        (
            format!("{folder}/part-00002-00000.parquet"),
            Some("foreign"),
        ),
        ("agents/more.parquet".to_owned(), Some("foreign")),
        // The views also read the folder of a table that was not selected.
        (
            format!("groups/{CRAWL}/part-00000.parquet"),
            Some("foreign"),
        ),
        // The views do not read these.
        ("rules/mine.parquet".to_owned(), None),
        ("mine.parquet".to_owned(), None),
        (format!("{folder}/notes.txt"), None),
        (format!("{folder}/_draft.tmp"), None),
        // Only folders in the log are those of a run.
        ("_tmp-0123456789abcdef/0.tmp".to_owned(), None),
    ] {
        let path = dataset.path(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &own).unwrap();
        let report = dataset.verify();
        fs::remove_file(&path).unwrap();
        match kind {
            Some(kind) => assert_found(&report, &[(kind, 1)], &[&name]),
            None => assert_sound(&report),
        }
    }
}

#[test]
fn temporary_files_of_a_killed_run_and_links_are_found() {
    let dataset = TestDataset::with(&["--tables", "robots_files,rules,agents"]);
    let log = fs::read_to_string(dataset.path("_log.jsonl")).unwrap();
    let begin: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    let name = begin["temporary"].as_str().unwrap();
    assert!(!dataset.path(name).exists());
    fs::create_dir(dataset.path(name)).unwrap();
    assert_found(
        &dataset.verify(),
        &[("temporary", 1)],
        &[name, "temporary files"],
    );
    fs::remove_dir(dataset.path(name)).unwrap();
    // A link to a folder outside the dataset, and one instead of a part.
    let link = dataset.path("rules/crawl=OLD");
    std::os::unix::fs::symlink("/", &link).unwrap();
    assert_found(
        &dataset.verify(),
        &[("foreign", 1)],
        &["rules/crawl=OLD", "it is a link"],
    );
    fs::remove_file(&link).unwrap();
    let part = dataset.path(&dataset.file("rules"));
    fs::rename(&part, dataset.path("moved.parquet")).unwrap();
    std::os::unix::fs::symlink(dataset.path("moved.parquet"), &part).unwrap();
    assert_found(
        &dataset.verify(),
        &[("unreadable", 1)],
        &["a symbolic link"],
    );
}

#[test]
fn an_unfinished_dataset_is_repaired_by_following_the_remedies() {
    let dataset = TestDataset::new();
    let args = ["--part-inputs", "3", "--resume"];
    fs::remove_file(dataset.path("_SUCCESS")).unwrap();
    assert_found(
        &dataset.verify(),
        &[("unfinished", 1)],
        &["_SUCCESS", "; --resume continues\n"],
    );
    dataset.scan(&args);
    assert_sound(&dataset.verify());
    // The last line is truncated, so the files of its crawl are not listed.
    let path = dataset.path("_manifest.jsonl");
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 9]).unwrap();
    let found = [("manifest_cut", 1), ("unfinished", 1), ("foreign", 3)];
    assert_found(&dataset.verify(), &found, &["though _SUCCESS is there"]);
    dataset.scan(&args);
    assert_sound(&dataset.verify());
    // The remedy for a damaged file.
    fs::write(dataset.path(&dataset.file("rules")), "").unwrap();
    assert_found(
        &dataset.verify(),
        &[("size", 1)],
        &["; restore it from a copy, or scan again with --resume"],
    );
    dataset.scan(&args);
    assert_sound(&dataset.verify());
    // A part is missing, with the files that it is in.
    dataset.edit(|lines| {
        let has_part = |line: &Value| line["parts"].as_array().is_some_and(|parts| parts[0] == 0);
        lines.retain(|line| line["part"] != 0 && !has_part(line));
    });
    let report = dataset.verify();
    let found = [("unfinished", 1), ("foreign", 11)];
    assert_found(
        &report,
        &found,
        &["parts are missing: 0, with the inputs 0 to 1"],
    );
    dataset.scan(&args);
    assert_sound(&dataset.verify());
    // A run that was killed before its first part.
    dataset.edit(|lines| {
        lines.retain(|line| line["part"].is_null() && line["parts"].is_null());
    });
    let found = [("unfinished", 1), ("foreign", 55)];
    assert_found(
        &dataset.verify(),
        &found,
        &["missing: all, with the inputs 0 to 29"],
    );
}

#[test]
fn missing_parts_of_a_single_crawl_are_named() {
    let dataset = TestDataset::with(&["--part-inputs", "1", "--crawl", "X", "--subset", "warc"]);
    assert_sound(&dataset.verify());
    dataset.edit(|lines| {
        lines.retain(|line| !matches!(line["part"].as_u64(), Some(2 | 5..=7)));
    });
    let words = ["not finished: parts are missing: 2, 5 to 7"];
    let found = [("manifest", 11), ("unfinished", 1)];
    let report = dataset.verify();
    assert_found(&report, &found, &words);
    assert!(report.unchecked.is_empty());
}

/// Manifests that are not those of a scan: `disk::resume_refuses_each_manifest_that_verify_rejects_and_changes_nothing`.
#[test]
fn a_manifest_that_states_other_files_is_found() {
    let dataset = TestDataset::new();
    let path = dataset.path("_manifest.jsonl");
    let text = fs::read(&path).unwrap();
    for (name, value, kind) in [
        ("rows", json!(1), "rows"),
        ("bytes", json!(1), "size"),
        ("xxh3", json!("0"), "digest"),
    ] {
        dataset.edit(|lines| {
            let mut files = lines.iter_mut();
            let file = files.find(|line| line["parts"].is_array() && line["table"] == "rules");
            file.unwrap()[name] = value;
        });
        assert_found(&dataset.verify(), &[(kind, 1)], &["rules/"]);
        fs::write(&path, &text).unwrap();
    }
    dataset.edit(|lines| lines.clear());
    let found = [("manifest", 1), ("foreign", 70)];
    assert_found(&dataset.verify(), &found, &["; restore the manifest first"]);
    fs::write(&path, &text).unwrap();
    // Another version is not a defect.
    dataset.edit(|lines| lines[0]["robots_scan"] = json!("9.9.9"));
    let report = dataset.verify();
    assert_sound(&report);
    assert!(report.notes[0].contains("9.9.9"));
}

#[test]
fn the_command_prints_twenty_findings_of_a_kind_and_their_number() {
    let dataset = TestDataset::new();
    let out = dataset.out.to_str().unwrap();
    let ran = support::run(["verify", out]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(
        ran.out
            .contains("complete and unchanged; 15 parts, 71 files")
    );
    let mut count = 0;
    for table in ["rules", "groups", "verdicts", "sitemaps", "directives"] {
        for path in files_below(&dataset.path(table)) {
            fs::remove_file(path).unwrap();
            count += 1;
        }
    }
    let one = support::run(["verify", out, "--threads", "1"]);
    let three = support::run(["verify", out, "--threads", "3"]);
    let shown = |ran: &support::Ran| -> Vec<String> {
        let lines = ran.out.lines().take_while(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    assert_eq!((one.code, shown(&one)), (Some(1), shown(&three)));
    assert_eq!(shown(&one).len(), 21, "{}", one.out);
    let more = format!("… and {} more of this kind (`missing`)", count - 20);
    assert_eq!(shown(&one)[20], more);
    let ran = support::run(["verify", out, "--json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &report["exit_code"]), (Some(1), &json!(1)));
    assert_eq!(report["findings_by_kind"], json!({ "missing": count }));
    assert_eq!(report["findings"].as_array().unwrap().len(), 20);
    assert_eq!(report["findings"][0]["kind"], "missing");
}

#[test]
fn inputs_that_are_not_datasets_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    let text = folder.path().join("robots.txt");
    fs::write(&text, "User-agent: *\n").unwrap();
    for (path, word) in [
        (path, "no _manifest.jsonl"),
        (
            text.to_str().unwrap(),
            "neither a folder nor a Parquet file",
        ),
        ("no-such-dataset", "cannot read 'no-such-dataset'"),
    ] {
        let ran = support::run(["verify", path]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains(word), "{}", ran.err);
    }
    // A run that holds the lock is still writing.
    let dataset = TestDataset::with(&[]);
    let log = fs::OpenOptions::new()
        .append(true)
        .open(dataset.path("_log.jsonl"));
    let log = log.unwrap();
    log.lock().unwrap();
    let ran = support::run(["verify", dataset.out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("a run is still writing"), "{}", ran.err);
}

#[test]
fn real_archives_make_sound_datasets() {
    let Some(data) = support::shared_data() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let archives = files_below(&data.join("real"));
    let archives = archives.iter().map(|path| path.to_str().unwrap());
    let args = ["-o", out.to_str().unwrap(), "--part-inputs", "9"];
    let ran = support::run(archives.chain(args));
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let report = verify(&out);
    assert_sound(&report);
    assert!(report.captures > 10_000 && report.parts > 3);
}

#[test]
fn a_description_of_another_dataset_is_found() {
    let dataset = TestDataset::new();
    let sums = format!("{:064}  README.md\n{:064}  _manifest.jsonl\n", 0, 0);
    fs::write(dataset.path("SHA256SUMS"), sums).unwrap();
    let report = dataset.verify();
    assert_found(&report, &[("description", 1)], &["SHA256SUMS"]);
}
