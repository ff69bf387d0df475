//! The bytes of a dataset do not depend on threads, shards, ranges or interruptions.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::crawl;
use tempfile::TempDir;

fn scan_list(list: &Path, out: &Path, more: &[&str]) -> support::Ran {
    let base = list.parent().unwrap().to_str().unwrap();
    let fixed = [
        "--paths",
        list.to_str().unwrap(),
        "--base",
        base,
        "-o",
        out.to_str().unwrap(),
        "--part-inputs",
        "4",
    ];
    support::run(fixed.iter().chain(more))
}

/// Returns the rows of all files of a table, in the order of the file names.
fn table_rows(dataset: &Path, table: &str) -> Vec<Value> {
    let mut files = support::files_below(&dataset.join(table));
    files.sort();
    files
        .iter()
        .flat_map(|file| support::rows_of_file(file))
        .collect()
}

#[test]
fn shards_merge_by_moving_their_files() {
    let (folder, list) = crawl(5);
    // A single crawl, because rows are ordered only within a crawl.
    let one = ["--crawl", "X", "--subset", "robotstxt"];
    let whole = folder.path().join("whole");
    scan_list(&list, &whole, &one);
    let merged = folder.path().join("merged");
    for shard in ["1/3", "2/3", "3/3"] {
        let out = folder.path().join(format!("shard-{}", &shard[..1]));
        let ran = scan_list(&list, &out, &[&one[..], &["--shard", shard]].concat());
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
        for file in support::files_below(&out) {
            let to = merged.join(support::relative(&file, &out));
            assert!(
                !to.exists() || !to.to_string_lossy().contains("part-"),
                "{} stands in two shards",
                to.display()
            );
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::rename(file, to).unwrap();
        }
    }
    for table in tables::Table::FROM_RECORDS {
        let (a, b) = (
            table_rows(&whole, table.name()),
            table_rows(&merged, table.name()),
        );
        assert!(
            a == b,
            "{} differs: {} and {} rows",
            table.name(),
            a.len(),
            b.len()
        );
    }
}

#[test]
fn a_large_file_read_in_ranges_gives_the_rows_of_one_read_whole() {
    let folder = TempDir::new().unwrap();
    let samples = support::samples().join("warc");
    let sound = fs::read(samples.join("cc-robotstxt.warc.gz")).unwrap();
    let damaged = fs::read(samples.join("damaged-checksum.warc.gz")).unwrap();
    let mut bytes = Vec::new();
    while bytes.len() < 10 << 20 {
        for _ in 0..8 {
            bytes.extend_from_slice(&sound);
        }
        bytes.extend_from_slice(&damaged);
        bytes.extend_from_slice(b"garbage between members \x1f\x8b\x08\x00 that looks like one");
    }
    // Cut inside a member, so that the end is damaged as well.
    bytes.truncate(bytes.len() - 100);
    let path = folder.path().join("large.warc.gz");
    fs::write(&path, &bytes).unwrap();
    let (ranges, whole) = (folder.path().join("ranges"), folder.path().join("whole"));
    let fixed = ["--crawl", "X", "--subset", "robotstxt", "--threads", "3"];
    let ran = support::run(
        [path.to_str().unwrap(), "-o", ranges.to_str().unwrap()]
            .iter()
            .chain(&fixed),
    );
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    // A stream cannot be read in ranges.
    let stream = fs::File::open(&path).unwrap();
    let ran = support::command()
        .args(["-", "-o", whole.to_str().unwrap()])
        .args(fixed)
        .stdin(stream)
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    for table in tables::Table::FROM_RECORDS {
        let rows = |dataset: &Path| {
            let mut rows = table_rows(dataset, table.name());
            for row in &mut rows {
                // These columns depend on the name of the archive.
                let row = row.as_object_mut().unwrap();
                row.remove("robots_id");
                row.remove("warc_filename");
            }
            rows
        };
        let (a, b) = (rows(&ranges), rows(&whole));
        assert!(
            a == b,
            "{} differs: {} and {} rows",
            table.name(),
            a.len(),
            b.len()
        );
    }
    assert!(table_rows(&ranges, "robots_files").len() > 10_000);
    assert!(table_rows(&ranges, "faults").len() > 10);
}

#[test]
fn a_second_run_on_one_output_is_refused() {
    let (folder, list) = crawl(2);
    let out = folder.path().join("out");
    scan_list(&list, &out, &[]);
    // Hold the lock like a run.
    let log = fs::OpenOptions::new()
        .append(true)
        .open(out.join("_log.jsonl"))
        .unwrap();
    log.lock().unwrap();
    let ran = scan_list(&list, &out, &["--overwrite"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("another run is writing"), "{}", ran.err);
}

#[test]
fn a_large_input_that_fails_does_not_delay_the_others() {
    use dataset::OutputLayout;
    use scan::{Options, ScanProgress, run};
    use sources::InputPlace;
    use sources::input::Input;
    use sources::reader::Archive;

    let folder = TempDir::new().unwrap();
    let sound = support::samples().join("warc/cc-robotstxt.warc.gz");
    let input = |path: PathBuf, bytes: u64, crawl: &str| Input {
        index: 0,
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        source: std::sync::Arc::new(Archive {
            place: InputPlace::File(path),
        }),
        bytes: Some(bytes),
        crawl: crawl.to_owned(),
        subset: "robotstxt".to_owned(),
    };
    // The file is so large that it is read in many ranges, none of which can be opened.
    let gone = input(folder.path().join("gone.warc.gz"), 100 << 20, "A");
    let mut small = input(sound.clone(), fs::metadata(&sound).unwrap().len(), "A");
    let beside = small.clone();
    small.crawl = "B".to_owned();
    small.name = "other.warc.gz".to_owned();
    let out = folder.path().join("out");
    let options = Options {
        threads: 2,
        body_limit: None,
        part_size: dataset::division::PartSize::Bytes(1 << 30),
        ..Options::new(
            vec![gone, beside, small],
            OutputLayout::new(&out, &tables::Table::ALL, None),
        )
    };
    let (sender, notices) = std::sync::mpsc::channel();
    let summary = run(
        &options,
        &ScanProgress::default(),
        &sender,
        &Default::default(),
    )
    .unwrap();
    drop(sender);
    // One failure is reported once. The part of crawl A is left for --resume.
    assert_eq!(
        (summary.failed_inputs, summary.inputs, summary.written.parts),
        (1, 2, 1)
    );
    assert_eq!(
        notices
            .iter()
            .filter(|notice| matches!(notice, scan::ScanNotice::Failed(_)))
            .count(),
        1
    );
    let files = table_rows(&out, "robots_files");
    assert_eq!(files.len(), 137);
    assert!(!out.join("_SUCCESS").exists());
}

/// Returns rules whose verdict exceeds the work budget: thousands with a run of octets, each
/// overridden by another rule, so that all of them have to be compared.
fn rules_that_override_each_other() -> String {
    let mut body = String::from("User-agent: *\nDisallow: /\n");
    for nth in 0..6000 {
        body.push_str(&format!("Allow: /*a{nth}b\nDisallow: /*a{nth}b*\n"));
    }
    body
}

#[test]
fn the_rows_of_a_table_do_not_depend_on_the_other_tables() {
    let folder = TempDir::new().unwrap();
    let samples = support::files_below(&support::samples());
    let samples: Vec<&str> = samples
        .iter()
        .filter_map(|path| path.to_str())
        .filter(|path| path.ends_with(".warc.gz"))
        .collect();
    assert!(samples.len() > 5);
    let scan = |tables: &str| {
        let out = folder.path().join(tables);
        let mut args = samples.clone();
        args.extend(["-o", out.to_str().unwrap(), "--quiet"]);
        if tables != "all" {
            args.extend(["--tables", tables]);
        }
        // Some samples are damaged.
        assert!(matches!(support::run(&args).code, Some(0 | 1)));
        out
    };
    let all = scan("all");
    for tables in ["robots_files,rules", "anomalies", "verdicts,groups"] {
        let some = scan(tables);
        for table in tables.split(',') {
            let rows = support::rows(&some, table);
            assert!(rows.len() > 100, "{table}");
            assert_eq!(rows, support::rows(&all, table), "{table}");
        }
    }
}

#[cfg(feature = "answers")]
#[test]
fn a_file_beyond_the_work_budget_is_unknown_and_reported_and_its_urls_are_answered() {
    let folder = TempDir::new().unwrap();
    let body = rules_that_override_each_other();
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}");
    let archive = folder.path().join("explodes.warc");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         WARC-Target-URI: https://example.com/robots.txt\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    fs::write(&archive, record).unwrap();
    let out = folder.path().join("out");
    let ran = support::run([archive.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let verdicts = support::rows(&out, "verdicts");
    assert_eq!(verdicts.len(), 1);
    assert_eq!(verdicts[0]["verdict"], "unknown");
    assert_eq!(verdicts[0]["basis"], "too_complex");
    // Koster's dialect has no wildcards, so its verdict is known.
    assert_eq!(verdicts[0]["verdict_koster1996"], "disallow_all");
    let codes: Vec<Value> = support::rows(&out, "anomalies")
        .iter()
        .filter(|row| row["line_no"].is_null())
        .map(|row| row["code"].clone())
        .collect();
    assert_eq!(codes, ["too_complex"]);
    // Verdicts are computed for the number of anomalies, even if their tables are not written.
    let two = folder.path().join("two");
    let tables = ["--tables", "robots_files,rules"];
    let ran = support::run(
        [
            &[archive.to_str().unwrap(), "-o", two.to_str().unwrap()],
            &tables[..],
        ]
        .concat(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let files = support::rows(&out, "robots_files");
    assert!(files[0]["n_anomalies"].as_u64() >= Some(1));
    assert_eq!(support::rows(&two, "robots_files"), files);
    let file = folder.path().join("robots.txt");
    fs::write(&file, &body).unwrap();
    let ran = support::run(["check", file.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("\"too_complex\""), "{}", ran.out);
    let mut parser = robots::Parser::new();
    let robots = parser.parse(body.as_bytes());
    let policy = robots::Policy::new(robots::Dialect::Google, &robots, b"FooBot");
    for path in ["/", "/a1b", "/x/a5999b"] {
        assert!(!policy.access_path(path.as_bytes()).is_allowed, "{path}");
    }
}

/// Returns an archive of one response per body, from hosts of equal length.
fn archive_of(bodies: &[Vec<u8>], host: &str) -> Vec<u8> {
    let mut archive = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let mut block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".to_vec();
        block.extend_from_slice(body);
        let header = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://{host}{index:04}.example/robots.txt\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        archive.extend_from_slice(header.as_bytes());
        archive.extend_from_slice(&block);
        archive.extend_from_slice(b"\r\n\r\n");
    }
    archive
}

#[test]
fn a_repeated_body_has_the_same_rows_as_a_new_one() {
    let folder = TempDir::new().unwrap();
    let mut bodies: Vec<Vec<u8>> = support::files_below(&support::samples().join("robots"))
        .iter()
        .map(|path| fs::read(path).unwrap())
        .collect();
    bodies.sort();
    bodies.dedup();
    let scan = |name: &str, archive: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, archive).unwrap();
        let out = folder.path().join(format!("{name}.out"));
        let fixed = ["--crawl", "X", "--subset", "robotstxt", "--threads", "1"];
        let paths = [path.to_str().unwrap(), "-o", out.to_str().unwrap()];
        let ran = support::run(paths.iter().chain(&fixed));
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
        out
    };
    // A body is kept at its second occurrence, so that the third is the first that is found.
    let [first, second, third] = ["a", "c", "b"].map(|host| archive_of(&bodies, host));
    let alone = scan("alone.warc", &third);
    let both = scan("both.warc", &[first, second, third].concat());
    for table in tables::Table::FROM_RECORDS {
        let rows = |dataset: &Path| {
            let hosts_b: Vec<Option<i64>> = table_rows(dataset, "robots_files")
                .iter()
                .filter(|row| {
                    let host = row["surt_host_name"].as_str();
                    host.is_some_and(|host| host.starts_with("example,b"))
                })
                .map(|row| row["robots_id"].as_i64())
                .collect();
            let mut rows = table_rows(dataset, table.name());
            rows.retain(|row| hosts_b.contains(&row["robots_id"].as_i64()));
            for row in &mut rows {
                let row = row.as_object_mut().unwrap();
                for of_place in ["robots_id", "warc_filename", "warc_record_offset"] {
                    row.remove(of_place);
                }
            }
            rows
        };
        let (alone, both) = (rows(&alone), rows(&both));
        assert!(alone == both, "{} differs", table.name());
        assert!(!alone.is_empty() || table == tables::Table::FAULTS);
    }
}
