//! Compares every sample with its entry in `data-samples/index.toml`.

use robots::{AnomalyKind, ParseOptions, Parser, Policy};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use support::{files_below, relative, rows, run, samples};
use toml::Value;
use warc_peer::{WarcHeader, WarcReader};

/// The record types that WARC 1.1 defines. All others are counted together.
const KINDS: [&str; 8] = [
    "warcinfo",
    "response",
    "resource",
    "request",
    "metadata",
    "revisit",
    "conversion",
    "continuation",
];

/// Returns the entries of the index that are archives.
fn archive_entries() -> Vec<Value> {
    [entries("warc"), entries("guide")].concat()
}

/// Returns the entries of the index whose file is in a folder.
fn entries(folder: &str) -> Vec<Value> {
    let text = fs::read_to_string(samples().join("index.toml")).unwrap();
    let index: toml::Table = text.parse().unwrap();
    let all = index["sample"].as_array().unwrap();
    let here = |entry: &&Value| file(entry).starts_with(&format!("{folder}/"));
    all.iter().filter(here).cloned().collect()
}

fn file(entry: &Value) -> &str {
    entry["file"].as_str().unwrap()
}

fn int(entry: &Value, name: &str) -> u64 {
    let value = entry.get(name).and_then(Value::as_integer);
    let value = value.unwrap_or_else(|| panic!("{} lacks `{name}`", file(entry)));
    value.try_into().unwrap()
}

#[test]
fn every_sample_is_in_the_index_and_every_entry_has_its_sample() {
    let entries = [entries("warc"), entries("guide"), entries("robots")].concat();
    let mut listed = BTreeSet::new();
    for entry in &entries {
        assert!(listed.insert(file(entry).to_owned()), "twice: {entry}");
        for name in ["why", "origin", "licence"] {
            let text = entry.get(name).and_then(Value::as_str).unwrap_or_default();
            assert!(!text.is_empty(), "{} does not say its {name}", file(entry));
        }
    }
    let below = |folder| files_below(&samples().join(folder));
    let there: BTreeSet<String> = [below("warc"), below("guide"), below("robots")]
        .concat()
        .iter()
        .map(|path| relative(path, &samples()))
        .collect();
    let without_entry: Vec<_> = there.difference(&listed).collect();
    let without_file: Vec<_> = listed.difference(&there).collect();
    assert!(without_entry.is_empty(), "no entry: {without_entry:?}");
    assert!(without_file.is_empty(), "no file: {without_file:?}");
}

#[test]
fn every_archive_has_the_content_listed_in_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for entry in archive_entries() {
        let path = samples().join(file(&entry));
        let name = path.file_name().unwrap().to_str().unwrap();
        let out = folder.path().join(name);
        let input = path.to_str().unwrap();
        let ran = run([input, "-o", out.to_str().unwrap(), "--json"]);
        let mut expect = |what: &str, ours: Json, index: Json| {
            if ours != index {
                wrong.push(format!(
                    "{name}, {what}: index {index}, scan {ours}\n{}",
                    ran.err
                ));
            }
        };
        expect("exit", ran.code.into(), int(&entry, "exit").into());
        if int(&entry, "exit") == 2 {
            expect("output", out.exists().into(), false.into());
            continue;
        }
        let summary: Json = serde_json::from_str(&ran.out).unwrap();
        let mut records: BTreeMap<&str, u64> = BTreeMap::new();
        for (kind, count) in entry["records"].as_table().unwrap() {
            let kind = KINDS
                .iter()
                .find(|known| *known == kind)
                .unwrap_or(&"unknown");
            *records.entry(kind).or_default() += count.as_integer().unwrap() as u64;
        }
        let total: u64 = records.values().sum();
        expect(
            "records",
            summary["records_by_type"].clone(),
            serde_json::to_value(records).unwrap(),
        );
        expect("all records", summary["records"].clone(), Json::from(total));
        let files = rows(&out, "robots_files");
        let faults = rows(&out, "faults");
        for (what, summed, counted) in [
            ("captures", &summary["captures"], files.len()),
            ("faults", &summary["faults"], faults.len()),
        ] {
            expect(what, summed.clone(), int(&entry, what).into());
            expect(what, counted.into(), int(&entry, what).into());
        }
        let doubtful = files
            .iter()
            .filter(|row| row["is_doubtful"] == true)
            .count();
        let marked = entry.get("doubtful").and_then(Value::as_integer);
        expect("doubtful", doubtful.into(), marked.unwrap_or(0).into());
        let crawl = entry.get("crawl").and_then(Value::as_str);
        let subset = entry["subset"].as_str().unwrap();
        let partition = format!(
            "robots_files/crawl={}/subset={subset}/part-00000.parquet",
            crawl.unwrap_or("unknown")
        );
        let parts: Vec<String> = files_below(&out.join("robots_files"))
            .iter()
            .map(|path| relative(path, &out))
            .collect();
        expect("partition", parts.into(), vec![partition].into());

        // Damaged ranges lie within the file.
        let bytes = fs::metadata(&path).unwrap().len();
        for fault in &faults {
            let offset = fault["warc_record_offset"].as_u64().unwrap();
            let end = offset + fault["bytes_skipped"].as_u64().unwrap();
            expect(
                "a fault's place",
                ((offset < bytes || bytes == 0) && end <= bytes).into(),
                true.into(),
            );
        }

        let rules = rows(&out, "rules");
        let seen = entry.get("seen").and_then(Value::as_array);
        for seen in seen.into_iter().flatten() {
            let url = seen["url"].as_str().unwrap();
            let row = files.iter().find(|row| row["url"] == url);
            let Some(row) = row else {
                expect(url, "is no capture".into(), "is one".into());
                continue;
            };
            let status = seen.get("status").and_then(Value::as_integer);
            expect(url, row["fetch_status"].clone(), status.into());
            if let Some(expected) = seen.get("rules").and_then(Value::as_integer) {
                let ours = rules
                    .iter()
                    .filter(|other| other["robots_id"] == row["robots_id"]);
                expect(url, ours.count().into(), expected.into());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_robots_txt_has_the_counts_and_answers_listed_in_the_index() {
    // Google's parser has no body limit.
    let unlimited = ParseOptions {
        body_limit: None,
        is_truncated: false,
    };
    let mut parser = Parser::new();
    let mut wrong = Vec::new();
    for entry in entries("robots") {
        let body = fs::read(samples().join(file(&entry))).unwrap();
        let robots = parser.parse_with(&body, unlimited);
        let figures = robots.summary();
        let found = |anomaly: AnomalyKind| {
            let findings = robots.anomalies().iter();
            findings.filter(|found| found.kind == anomaly).count() as u32
        };
        for (name, ours) in [
            ("lines", figures.n_lines),
            ("user_agents", figures.n_user_agents),
            ("allow", figures.n_allow),
            ("disallow", figures.n_disallow),
            ("sitemaps", figures.n_sitemaps),
            ("unknown", figures.n_directives),
            ("typos", found(AnomalyKind::TypoAcceptedByGoogle)),
            ("missing_colons", found(AnomalyKind::MissingColon)),
            ("too_long", found(AnomalyKind::OverlongLine)),
        ] {
            let index = int(&entry, name);
            if u64::from(ours) != index {
                wrong.push(format!(
                    "{}, {name}: index {index}, we {ours}",
                    file(&entry)
                ));
            }
        }
        let cases = entry["cases"].as_array().unwrap();
        assert!(!cases.is_empty(), "{} has no case", file(&entry));
        for case in cases {
            let agent = case["agent"].as_str().unwrap();
            let url = case["url"].as_str().unwrap();
            let policy = Policy::new_google(&robots, &[agent.as_bytes()]);
            let access = policy.access(url.as_bytes());
            let allowed = case["allowed"].as_bool().unwrap();
            if access.is_allowed != allowed
                || access.line_no.map_or(0, u64::from) != int_of(case, "line")
            {
                wrong.push(format!("{}, {case}: {access:?}", file(&entry)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn int_of(table: &Value, name: &str) -> u64 {
    table[name].as_integer().unwrap().try_into().unwrap()
}

/// A record with the properties that both readers report: type, target, block.
type ReadRecord = (String, Option<Vec<u8>>, Vec<u8>);

/// Returns the records that the `warc` crate reads, if it reaches the end.
fn read_by_crate(path: &Path) -> Option<Vec<ReadRecord>> {
    if path.extension().is_some_and(|ending| ending == "gz") {
        read_all(WarcReader::from_path_gzip(path).ok()?)
    } else {
        let file = fs::File::open(path).unwrap();
        read_all(WarcReader::new(BufReader::new(file)))
    }
}

fn read_all<R: BufRead>(reader: WarcReader<R>) -> Option<Vec<ReadRecord>> {
    let mut records = Vec::new();
    for record in reader.iter_raw_records() {
        let (head, block) = record.ok()?;
        let kind = head.as_ref().get(&WarcHeader::WarcType)?.clone();
        let kind = String::from_utf8(kind).unwrap().to_lowercase();
        let target = head.as_ref().get(&WarcHeader::TargetURI);
        records.push((kind, target.cloned(), block));
    }
    Some(records)
}

fn read_by_this_reader(path: &Path) -> Vec<ReadRecord> {
    let mut reader = warc::Reader::new(warc::Limits::default());
    reader.open_file(path).unwrap();
    let mut records = Vec::new();
    while reader.read_record().unwrap() {
        let record = reader.record();
        let kind = String::from_utf8(record.header("WARC-Type").unwrap().to_vec());
        records.push((
            kind.unwrap().to_lowercase(),
            // As written, because the crate does not remove the brackets.
            record.header("WARC-Target-URI").map(<[u8]>::to_vec),
            record.block().to_vec(),
        ));
    }
    records
}

#[test]
fn records_equal_those_that_the_warc_crate_reads() {
    let mut compared = 0;
    for entry in archive_entries() {
        let name = file(&entry);
        if !name.ends_with(".warc") && !name.ends_with(".warc.gz") {
            continue;
        }
        let path = samples().join(name);
        let theirs = read_by_crate(&path);
        let is_sound = entry["sound"].as_bool().unwrap();
        assert_eq!(theirs.is_some(), is_sound, "`sound` of {name}");
        let Some(theirs) = theirs else { continue };
        let ours = read_by_this_reader(&path);
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "record {i} of {name}");
        }
        compared += ours.len();
    }
    assert!(compared > 0, "no sample was sound");
}
