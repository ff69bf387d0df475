//! Captures whose bytes may have been altered are marked in `is_doubtful`.
//!
//! The tests generate archives from a seed, damage them, and compare every row with the capture that
//! was written into the sound archive. The reader under test has no part in deciding what was
//! altered.

use serde_json::Value;
use sha1::{Digest as _, Sha1};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Stdio;
use support::{self, Random, command, files_below, relative, rows, run, shared_data};

/// Every response is a capture.
const SUBSET: [&str; 4] = ["--crawl", "X", "--subset", "robotstxt"];

/// A capture as it was written: its URL and body.
type Written = (String, String);

/// Returns a record with the digest of its block, and the capture in it.
fn record(random: &mut Random, nth: usize, has_digest: bool) -> (Vec<u8>, Written) {
    let mut body = String::from("User-agent: *\n");
    for _ in 0..2 + random.below(30) {
        let rule = ["Allow", "Disallow"][random.below(2)];
        let word = ["private", "search", "tmp", "x"][random.below(4)];
        body.push_str(&format!("{rule}: /{word}/{:x}\n", random.below(1 << 24)));
    }
    let url = format!(
        "https://h{nth}-{:x}.example/robots.txt",
        random.below(1 << 16)
    );
    let date = format!("2024-01-02T03:{:02}:{:02}Z", nth / 60 % 60, nth % 60);
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{body}");
    let digest: String = Sha1::digest(block.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let digest = if has_digest {
        format!("WARC-Block-Digest: sha1:{digest}\r\n")
    } else {
        String::new()
    };
    let text = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n{digest}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    (text.into_bytes(), (url, body))
}

fn records(
    random: &mut Random,
    count: usize,
    has_digest: bool,
) -> (Vec<Vec<u8>>, BTreeSet<Written>) {
    let made = (0..count).map(|nth| record(random, nth, has_digest));
    made.unzip()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8], has_checksum: bool) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(has_checksum).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The captures that were written into each archive of a folder.
type Contents = BTreeMap<String, BTreeSet<Written>>;

/// Scans a folder of archives into a dataset and returns the rows of `robots_files`.
fn scan(folder: &Path, more: &[&str]) -> Vec<Value> {
    let out = folder.with_extension("out");
    let inputs = folder.to_str().unwrap();
    let mut args = vec![inputs, "-o", out.to_str().unwrap(), "--with-bodies"];
    args.extend(SUBSET.iter().chain(more));
    let ran = run(&args);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let verified = run(["verify", out.to_str().unwrap()]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.out, verified.err);
    rows(&out, "robots_files")
}

/// The number of unaltered and altered rows, by the value of `is_doubtful`.
#[derive(Debug, Default)]
struct Tally<'a> {
    as_written: BTreeMap<String, usize>,
    altered: BTreeMap<String, usize>,
    /// Altered rows that are not marked.
    unmarked_bodies: Vec<&'a Value>,
}

fn tally<'a>(rows: &'a [Value], contents: &Contents) -> Tally<'a> {
    let mut tally = Tally::default();
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let written = &contents[&text("warc_filename")];
        let (capture, mark) = ((text("url"), text("body")), row["is_doubtful"].to_string());
        if written.contains(&capture) && row["fetch_status"] == 200 {
            *tally.as_written.entry(mark).or_default() += 1;
        } else {
            if mark != "true" && !written.iter().any(|original| original.1 == capture.1) {
                tally.unmarked_bodies.push(row);
            }
            *tally.altered.entry(mark).or_default() += 1;
        }
    }
    tally
}

fn of(marks: &BTreeMap<String, usize>, mark: &str) -> usize {
    marks.get(mark).copied().unwrap_or_default()
}

#[test]
fn no_altered_capture_of_a_damaged_and_cut_archive_passes_the_documented_query() {
    let mut random = Random::new(11);
    let folder = tempfile::tempdir().unwrap();
    let inputs = folder.path().join("inputs");
    fs::create_dir(&inputs).unwrap();
    let mut contents = Contents::new();
    for nth in 0..600 {
        let count = 20 + random.below(60);
        let (texts, written) = records(&mut random, count, nth % 3 == 0);
        let (ending, mut bytes) = match nth % 6 {
            5 => ("warc.zst", zstd(&texts.concat(), true)),
            // A sound member before the damaged one, and one after it.
            4 => (
                "warc.gz",
                [gzip(&texts[0]), gzip(&texts[1..].concat())].concat(),
            ),
            _ => ("warc.gz", gzip(&texts.concat())),
        };
        for _ in 0..1 + random.below(3) {
            let offset = 12 + random.below(bytes.len() - 12);
            bytes[offset] ^= 1 << random.below(8);
        }
        if nth % 10 != 9 {
            let len = bytes.len() / 2 + random.below(bytes.len() / 2);
            bytes.truncate(len);
        }
        let name = format!("{nth:04}.{ending}");
        fs::write(inputs.join(&name), bytes).unwrap();
        contents.insert(name, written);
    }
    // Captures of the sound archives are not marked.
    for nth in 0..20 {
        let (texts, written) = records(&mut random, 30, false);
        let name = format!("sound-{nth}.warc.gz");
        fs::write(inputs.join(&name), gzip(&texts.concat())).unwrap();
        contents.insert(name, written);
    }
    let rows = scan(&inputs, &[]);
    let tally = tally(&rows, &contents);
    // `WHERE NOT is_doubtful` excludes both true and null.
    assert_eq!(of(&tally.altered, "false"), 0, "{tally:?}");
    assert_eq!(of(&tally.altered, "null"), 0, "{tally:?}");
    assert!(of(&tally.altered, "true") > 300, "{tally:?}");
    let of_sound = rows.iter().filter(|row| {
        let name = row["warc_filename"].as_str().unwrap();
        name.starts_with("sound") && row["is_doubtful"] == false
    });
    assert_eq!(of_sound.count(), 20 * 30);
}

/// Returns whether the header of the record with this URL still has a digest that can be read.
fn has_digest(damaged: &[u8], offset: usize, url: &str) -> bool {
    let mut text = Vec::new();
    let frame = zstd::stream::read::Decoder::new(&damaged[offset..]).unwrap();
    frame.single_frame().read_to_end(&mut text).unwrap();
    let text = String::from_utf8_lossy(&text);
    let mut headers = text.split("\r\n\r\n");
    let line = format!("WARC-Target-URI: {url}\r\n");
    let header = headers.find(|header| header.contains(&line));
    let digest = header.and_then(|header| header.split_once("WARC-Block-Digest: sha1:"));
    digest.is_some_and(|(_, rest)| {
        let value = rest.lines().next().unwrap_or_default();
        value.len() == 40 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[test]
fn damage_of_a_frame_without_checksum_is_noticed_by_the_digest() {
    let mut random = Random::new(12);
    let folder = tempfile::tempdir().unwrap();
    let mut unmarked = Vec::new();
    for (has_digests, name) in [(false, "without"), (true, "with")] {
        let inputs = folder.path().join(name);
        fs::create_dir(&inputs).unwrap();
        let mut contents = Contents::new();
        for nth in 0..600 {
            let count = 1 + random.below(8);
            let (texts, written) = records(&mut random, count, has_digests);
            let mut bytes: Vec<u8> = match nth % 2 {
                0 => zstd(&texts.concat(), false),
                _ => texts.iter().flat_map(|text| zstd(text, false)).collect(),
            };
            let offset = 6 + random.below(bytes.len() - 6);
            bytes[offset] ^= 1 << random.below(8);
            let name = format!("{nth:04}.warc.zst");
            fs::write(inputs.join(&name), bytes).unwrap();
            contents.insert(name, written);
        }
        let rows = scan(&inputs, &[]);
        let tally = tally(&rows, &contents);
        let bodies = tally.unmarked_bodies.len();
        println!(
            "{name} digests: {:?}, unmarked bodies {bodies}",
            tally.altered
        );
        unmarked.push(bodies);
        if has_digests {
            // In these, the damage reached the line of the digest as well.
            for row in &tally.unmarked_bodies {
                let damaged = fs::read(inputs.join(row["warc_filename"].as_str().unwrap()));
                let offset = row["warc_record_offset"].as_u64().unwrap() as usize;
                let url = row["url"].as_str().unwrap();
                assert!(!has_digest(&damaged.unwrap(), offset, url), "{row}");
            }
        }
    }
    assert!(
        unmarked[0] > 100 && unmarked[1] * 20 < unmarked[0],
        "{unmarked:?}"
    );
}

#[test]
fn files_and_streams_have_the_same_marks() {
    let mut random = Random::new(13);
    let (texts, _) = records(&mut random, 50, false);
    let mut bytes = gzip(&texts.concat());
    let offset = bytes.len() * 7 / 10;
    bytes[offset] ^= 4;
    bytes.truncate(offset + 800);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("-");
    fs::write(&path, &bytes).unwrap();
    let outs = ["file", "stream"].map(|name| folder.path().join(name));
    let usual = ["--crawl", "X", "--subset", "robotstxt", "-o"];
    let ran = run(usual
        .iter()
        .chain(&[outs[0].to_str().unwrap(), path.to_str().unwrap()]));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let mut stream = command();
    stream
        .args(SUBSET)
        .args(["-o", outs[1].to_str().unwrap(), "-"]);
    stream.stdin(Stdio::from(fs::File::open(&path).unwrap()));
    let ran: support::Ran = stream.output().unwrap().into();
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let [file, stream] = outs.map(|out| rows(&out, "robots_files"));
    assert!(file.len() > 20 && file.iter().all(|row| row["is_doubtful"] == true));
    assert_eq!(file, stream);
}

#[test]
fn digests_are_compared_on_request_and_if_no_checksum_covers_the_bytes() {
    let mut random = Random::new(14);
    let (mut texts, _) = records(&mut random, 3, true);
    // Change a word of the second body.
    let offset = memchr::memmem::find(&texts[1], b"User-agent").unwrap();
    texts[1][offset] = b'V';
    let all = texts.concat();
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, is_guarded) in [
        ("x.warc", all.clone(), false),
        ("x.warc.zst", zstd(&all, false), false),
        ("x-checksum.warc.zst", zstd(&all, true), true),
        ("x.warc.gz", gzip(&all), true),
        (
            "each.warc.gz",
            texts.iter().flat_map(|text| gzip(text)).collect(),
            true,
        ),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        for (asks, more) in [(false, &[][..]), (true, &["--verify-digests"])] {
            let out = folder.path().join(format!("{name}-{asks}"));
            let args = [path.to_str().unwrap(), "-o", out.to_str().unwrap()];
            let ran = run(args.iter().chain(more));
            let is_found = !is_guarded || asks;
            assert_eq!(ran.code, Some(i32::from(is_found)), "{name} {}", ran.err);
            let marks: Vec<_> = rows(&out, "robots_files")
                .iter()
                .map(|row| row["is_doubtful"].as_bool())
                .collect();
            assert_eq!(marks, [Some(false), Some(is_found), Some(false)], "{name}");
            let faults = rows(&out, "faults");
            assert_eq!(faults.len(), usize::from(is_found));
            for fault in faults {
                assert_eq!(fault["code"], "digest_mismatch");
                assert_eq!(fault["bytes_skipped"], 0);
                let detail = fault["detail"].as_str().unwrap();
                assert!(detail.ends_with("its WARC-Block-Digest"), "{detail}");
            }
        }
    }
}

/// According to its warcinfo: `software: Fabricated`.
const FABRICATED: &str = "made by hand, with digests of other bytes";
/// The block differs from the one that was fetched.
const SHORTENED: &str = "the body was shortened or edited for a test";
/// The headers of the response differ in case and blanks.
const REWRITTEN: &str = "a tool wrote the block again and kept its digest";

/// Archives of `../shared/data` in which digests of captures differ, with the number and the reason.
const MISMATCHES: &[(&str, usize, &str)] = &[
    (
        "warc/castorini+anserini/411b4c.segment1.warc.gz",
        1,
        SHORTENED,
    ),
    ("warc/castorini+anserini/segment1.warc.gz", 1, SHORTENED),
    ("warc/oduwsdl+ipwb/1memento.warc", 3, FABRICATED),
    (
        "warc/oduwsdl+ipwb/1memento_noContentType.warc",
        1,
        FABRICATED,
    ),
    ("warc/oduwsdl+ipwb/2mementos.warc", 4, FABRICATED),
    ("warc/oduwsdl+ipwb/2mementos_htmlXhtml.warc", 2, FABRICATED),
    (
        "warc/oduwsdl+ipwb/2mementos_queryString.warc",
        2,
        FABRICATED,
    ),
    ("warc/oduwsdl+ipwb/3mementos.warc", 5, FABRICATED),
    ("warc/oduwsdl+ipwb/4mementos.warc", 6, FABRICATED),
    ("warc/oduwsdl+ipwb/5mementos.warc", 7, FABRICATED),
    ("warc/oduwsdl+ipwb/5mementosAndFroggie.warc", 8, FABRICATED),
    ("warc/oduwsdl+ipwb/HTTP204.warc", 1, FABRICATED),
    ("warc/oduwsdl+ipwb/HTTP404.warc", 1, FABRICATED),
    ("warc/oduwsdl+ipwb/baconIpsum_chunked.warc", 1, SHORTENED),
    (
        "warc/oduwsdl+ipwb/baconIpsum_chunked_httpTrailors.warc",
        1,
        SHORTENED,
    ),
    ("warc/oduwsdl+ipwb/slash.warc", 1, FABRICATED),
    ("warc/oduwsdl+ipwb/variableSizedDates.warc", 4, FABRICATED),
    (
        "warc/webrecorder+cdxj-indexer/example.warc.gz",
        2,
        REWRITTEN,
    ),
];

#[test]
fn real_archives_have_no_mismatch_that_is_not_explained() {
    let Some(data) = shared_data() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (list, out) = (folder.path().join("list"), folder.path().join("out"));
    let files = ["warc", "real"].map(|name| files_below(&data.join(name)));
    let names = files.iter().flatten().map(|path| relative(path, &data));
    let names: Vec<String> = names.filter(|name| !name.ends_with(".tsv")).collect();
    fs::write(&list, names.join("\n")).unwrap();
    let [list, base, out_name] = [&list, &data, &out].map(|path| path.to_str().unwrap());
    let tables = ["--tables", "robots_files,faults", "--verify-digests"];
    let ran = run(["--paths", list, "--base", base, "-o", out_name]
        .iter()
        .chain(&SUBSET)
        .chain(&tables));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for fault in rows(&out, "faults") {
        if fault["code"] == "digest_mismatch" {
            let name = fault["warc_filename"].as_str().unwrap();
            *found.entry(name.to_owned()).or_default() += 1;
        }
    }
    let expected = MISMATCHES
        .iter()
        .map(|&(name, count, _)| (name.to_owned(), count));
    assert_eq!(found, expected.collect::<BTreeMap<_, _>>());
}

#[test]
fn a_known_attack_is_marked_as_doubtful() {
    let Some(data) = shared_data() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let path = data.join("attack/cut-and-flipped.warc.gz");
    let ran = run([path.to_str().unwrap(), "-o", out.to_str().unwrap()]
        .iter()
        .chain(&SUBSET));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let rows = rows(&out, "robots_files");
    assert!(rows.len() > 1 && rows.iter().all(|row| row["is_doubtful"] == true));
}
