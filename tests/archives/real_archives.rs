//! Reads 142 valid and damaged archives of many writers and compares the records with known counts.
//!
//! `README.tsv` in their folder has the counts of another reader, warcio. [`KNOWN`] lists the
//! differences, with their reasons.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::{run, shared_data};
use warc::{Error, ErrorKind, Limits, Reader};

type Counts = BTreeMap<String, u64>;

/// An archive whose counts differ from those of the README.
struct Known {
    path: &'static str,
    records: &'static str,
    faults: usize,
    why: &'static str,
}

/// All differences: the archive, its records, the number of faults, and the reason.
///
/// The other reader stops early where a member has several records, or at unexpected line ends, and
/// at bytes between members, after which reading resumes. A record is returned only if its end is there.
const KNOWN: &[&str] = &[
    "nlnwa+warchaeology/empty.warc |  | 1 | no archive is empty: a file without bytes is a fault",
    "DigitalPebble+storm-crawler/unparsable-date.warc.gz | request=1, response=1, warcinfo=1 | 0 | stopped early",
    "castorini+anserini/segment1.warc.gz | response=1, warcinfo=1 | 0 | stopped early",
    "castorini+anserini/segment1.warc.wet.gz | conversion=1, warcinfo=1 | 0 | stopped early",
    "castorini+anserini/c0da2d.segment1.warc.gz | response=1, warcinfo=1 | 0 | stopped early",
    "castorini+anserini/413e2a.segment1.warc.gz | response=1, warcinfo=1 | 0 | stopped early",
    "castorini+anserini/411b4c.segment1.warc.gz | response=1 | 1 | the warcinfo states 331 bytes and has 325; the other tool stopped behind it",
    "chatnoir-eu+chatnoir-resiliparse/clipped.warc.gz |  | 1 | the last record is cut",
    "commoncrawl+whirlwind-python/CC-MAIN-2024-22.warc.paths.gz |  | 1 | a list of paths and no archive: a sound member without a record",
    "digital-preservation+droid/simple.warc.gz | metadata=5, request=5, response=6, warcinfo=1 | 0 | stopped early",
    "digital-preservation+droid/fmt-1281-signature-id-1661.warc |  | 1 | the last record is cut",
    "digital-preservation+droid/fmt-1355-signature-id-1738.warc |  | 1 | the last record is cut",
    "digital-preservation+droid/fmt-289-signature-id-305.warc |  | 1 | the version line has no version; the other tool reads nothing either",
    "facebookresearch+cc_net/sample.warc.txt |  | 4 | the text was edited, and no Content-Length is right any more",
    "iipc+webarchive-commons/link-extraction-test.warc | response=7, warcinfo=1 | 0 | stopped early",
    "internetarchive+gowarc/corrupted-mid-record.warc.gz.open | response=12 | 1 | stopped at other bytes",
    "internetarchive+gowarc/corrupted-trailing-bytes.warc.gz.open | response=30 | 1 | stopped at other bytes",
    "internetarchive+gowarc/good.warc.gz.open | response=50 | 0 | stopped early",
    "internetarchive+gowarc/skip-non-open.warc.gz | response=10 | 0 | stopped early",
    "netarchivesuite+solrwayback/transfer_compression_none_truncated.warc.gz | request=1, warcinfo=1 | 1 | the last record is cut",
    "netarchivesuite+solrwayback/Evil-Warc-Headers.warc |  | 1 | the last record is cut",
    "oduwsdl+ipwb/HTTP204.warc | response=1 | 2 | the warcinfo states 238 bytes and has 248, a response 140 and has 148",
    "oduwsdl+ipwb/broken.warc | metadata=1, request=2, response=1, warcinfo=1 | 1 | the last response states 7 bytes and has 339",
    "oduwsdl+ipwb/redirect.warc | warcinfo=1 | 1 | the last record is cut",
    "webrecorder+warcio/example-trunc.warc | request=1, warcinfo=2 | 1 | the response states 973 bytes and has 975",
    "webrecorder+warcio/example-wrong-chunks.warc.gz | request=1 | 2 | the response is one record in two members, and states a byte too few",
];

impl Known {
    fn parse(row: &'static str) -> Self {
        let fields: Vec<&str> = row.split(" | ").collect();
        let [path, records, faults, why] = fields[..] else {
            panic!("{row}");
        };
        let faults = faults.parse().unwrap();
        Self {
            path,
            records,
            faults,
            why,
        }
    }
}

/// A line of the README whose archive exists.
struct Entry {
    path: String,
    /// The number of records by type, in lower case.
    counts: Counts,
    /// A word that the error of a refused archive must contain.
    refused: Option<&'static str>,
}

fn entries(folder: &Path) -> Vec<Entry> {
    let text = fs::read_to_string(folder.join("README.tsv")).unwrap();
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| {
        head.iter()
            .position(|title| title.starts_with(name))
            .unwrap()
    };
    let (path, records) = (column("path"), column("records_by_type"));
    let compression = column("compression");
    let entry = |line: Vec<&str>| {
        let mut counts = parse_counts(line[records]);
        let is_arc = counts.contains_key("arc_header");
        let refused = match line[compression] {
            "bz2" => Some("bzip2"),
            "lz4" => Some("lz4"),
            "zip" => Some("WACZ"),
            _ => is_arc.then_some("ARC"),
        };
        if refused.is_some() {
            counts.clear();
        }
        Entry {
            path: line[path].trim_start_matches("warc/").to_owned(),
            counts,
            refused,
        }
    };
    lines
        .filter(|line| !line[path].is_empty())
        .map(entry)
        .collect()
}

/// Parses counts such as `request=1, response=1, ~ce:gzip=1`. Words that start with `~` do not count
/// records.
fn parse_counts(text: &str) -> Counts {
    let mut counts = Counts::new();
    let words = text.split(", ").filter(|word| !word.is_empty());
    for word in words.filter(|word| !word.starts_with('~')) {
        let (record_type, count) = word.split_once('=').unwrap();
        *counts.entry(record_type.to_lowercase()).or_default() += count.parse::<u64>().unwrap();
    }
    counts
}

fn show(counts: &Counts) -> String {
    let words: Vec<String> = counts
        .iter()
        .map(|(record_type, count)| format!("{record_type}={count}"))
        .collect();
    words.join(", ")
}

/// The result of reading an archive.
struct Read {
    counts: Counts,
    faults: Vec<Error>,
    /// The error with which it is refused.
    refusal: Option<Error>,
}

/// Reads an archive to its end, and checks what must hold for any archive.
fn read(path: &Path, reader: &mut Reader) -> Read {
    let name = path.display();
    let bytes = fs::metadata(path).unwrap().len();
    let mut read = Read {
        counts: Counts::new(),
        faults: Vec::new(),
        refusal: None,
    };
    if let Err(error) = reader.open_file(path) {
        read.refusal = Some(error);
        return read;
    }
    let mut last = None;
    loop {
        match reader.read_record() {
            Ok(false) => break,
            Ok(true) => {
                let record = reader.record();
                let location = record.location();
                let end = location.offset + location.length.unwrap_or(1);
                assert!(
                    end <= bytes,
                    "{name}: {location:?} lies beyond {bytes} bytes"
                );
                let order = Some((location.offset, location.index_in_member));
                assert!(last < order, "{name}: {location:?} comes after {last:?}");
                last = order;
                let kind = record.header("WARC-Type").unwrap_or(b"none");
                let kind = String::from_utf8_lossy(kind).to_lowercase();
                *read.counts.entry(kind).or_default() += 1;
            }
            Err(error) if error.is_fatal() => {
                read.refusal = Some(error);
                break;
            }
            Err(error) => {
                let (from, to) = (error.offset(), error.offset() + error.bytes_skipped());
                assert!(
                    (from < bytes || bytes == 0) && to <= bytes,
                    "{name} of {bytes} bytes: {error}"
                );
                read.faults.push(error);
            }
        }
    }
    // No record follows the end.
    assert!(
        read.refusal.is_some() || !reader.read_record().unwrap(),
        "{name}"
    );
    read
}

#[test]
fn archives_of_many_writers_have_the_known_counts_of_records() {
    let Some(folder) = shared_data().map(|data| data.join("warc")) else {
        return;
    };
    let mut reader = Reader::new(Limits::default());
    let mut unused: Vec<Known> = KNOWN.iter().copied().map(Known::parse).collect();
    let (mut same, mut refused, mut wrong) = (0, 0, Vec::new());
    let entries = entries(&folder);
    for entry in &entries {
        let mut read = read(&folder.join(&entry.path), &mut reader);
        if let Some(word) = entry.refused {
            refused += 1;
            // A compressed ARC archive is recognized only after it is decompressed, and is a fault then.
            let error = read.refusal.take().or_else(|| read.faults.pop());
            let is_refused = error.is_some_and(
                |error| matches!(error.kind(), ErrorKind::Unsupported(format) if format.to_string().contains(word)),
            );
            if !is_refused || !read.faults.is_empty() || !read.counts.is_empty() {
                wrong.push(format!("{} is not refused as {word}", entry.path));
            }
            continue;
        }
        if let Some(error) = read.refusal {
            wrong.push(format!("{} is refused: {error}", entry.path));
            continue;
        }
        let actual = (show(&read.counts), read.faults.len());
        let listed = (show(&entry.counts), 0);
        let known = unused.iter().position(|known| known.path == entry.path);
        let expected = match known.map(|index| unused.swap_remove(index)) {
            Some(known) => (known.records.to_owned(), known.faults),
            None => listed.clone(),
        };
        if known.is_some() && actual == listed {
            wrong.push(format!("{}: the known difference is gone", entry.path));
        } else if actual != expected {
            let faults = read.faults.iter().map(|fault| format!("\n    {fault}"));
            let faults: String = faults.collect();
            wrong.push(format!(
                "{}: {actual:?}, not {expected:?}{faults}",
                entry.path
            ));
        } else if known.is_none() {
            same += 1;
        }
    }
    for known in unused {
        wrong.push(format!("{} is not there: {}", known.path, known.why));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((entries.len(), refused, same), (142, 16, 100));
}

#[test]
fn a_scan_of_all_archives_has_the_counts_of_the_reader() {
    let Some(folder) = shared_data().map(|data| data.join("warc")) else {
        return;
    };
    let mut reader = Reader::new(Limits::default());
    let (mut list, mut counts, mut faults) = (String::new(), Counts::new(), 0);
    let entries = entries(&folder);
    for entry in &entries {
        list.push_str(&entry.path);
        list.push('\n');
        let read = read(&folder.join(&entry.path), &mut reader);
        for (kind, count) in read.counts {
            // The command counts all types that are not in the standard together.
            let kind = if kind == "none" {
                "unknown".to_owned()
            } else {
                kind
            };
            *counts.entry(kind).or_default() += count;
        }
        faults += (read.faults.len() + usize::from(read.refusal.is_some())) as u64;
    }
    let out = tempfile::tempdir().unwrap();
    let paths = out.path().join("archives.paths");
    fs::write(&paths, list).unwrap();
    let ran = run([
        "--paths".as_ref(),
        paths.as_os_str(),
        "--base".as_ref(),
        folder.as_os_str(),
        "-o".as_ref(),
        out.path().join("out").as_os_str(),
        "--json".as_ref(),
    ]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        summary["records_by_type"],
        serde_json::to_value(&counts).unwrap()
    );
    assert_eq!(summary["faults"], faults);
    assert_eq!(summary["inputs"], entries.len());
    assert_eq!(summary["failed_inputs"], 0);
}
