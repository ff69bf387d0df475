//! `history`: many crawls in one dataset. `tests/python/test_history.py` compares its rows with those of datasets.

use serde_json::Value;
use sha1::{Digest, Sha1};
use sha2::Sha256;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use support::base32;
use support::test_capture;
use support::{self, Folder, Random, assert_refused, files_below, relative, run};

const CRAWLS: [&str; 3] = ["CRAWL-A", "CRAWL-B", "CRAWL-C"];

/// Scans random captures of each crawl, a week apart, and returns the datasets.
fn scan_crawls(folder: &Folder, random: &mut Random) -> Vec<String> {
    let crawls = (0..).zip(CRAWLS).map(|(week, crawl)| {
        let mut text = String::new();
        for capture in test_capture::random(random) {
            capture.write(&mut text);
        }
        let text = text.replace("2026-01-05", &format!("2026-01-{:02}", 5 + 7 * week));
        let archive = folder.write(&format!("{crawl}.warc"), text);
        let out = folder.arg(&format!("datasets/{crawl}"));
        let ran = run([&*archive, "-q", "-o", &out, "--crawl", crawl]);
        // Invented digests are faults of an uncompressed archive.
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
        out
    });
    crawls.collect()
}

fn history(inputs: &[&str], out: &str, more: &[&str]) {
    let ran = run([&["history", "-q", "-o", out], inputs, more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
}

/// Returns the Parquet files of a history by table and number, with their bytes.
fn tables(history: &str) -> BTreeMap<String, Vec<u8>> {
    let root = Path::new(history);
    let files = files_below(root).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "parquet"));
    let name = |path: &Path| {
        let path = relative(path, root);
        let (table, file) = path.split_once('/').unwrap();
        format!("{table}/{}", &file[file.len() - 13..])
    };
    files
        .map(|path| (name(&path), fs::read(&path).unwrap()))
        .collect()
}

#[test]
fn the_rows_depend_on_the_crawls_alone() {
    let folder = Folder::new();
    let datasets = scan_crawls(&folder, &mut Random::new(1));
    let [a, b, c] = [0, 1, 2].map(|i| datasets[i].as_str());
    let out = |name: &str| folder.arg(name);
    history(&[a, b, c], &out("all"), &[]);
    let all = tables(&out("all"));
    assert!(all.len() == 16, "{:?}", all.keys());
    history(
        &[c, a, b],
        &out("shuffled"),
        &["--memory", "16MiB", "--threads", "1"],
    );
    history(&[a, c], &out("two"), &[]);
    history(&[&out("two"), b], &out("added"), &[]);
    history(&[b], &out("one"), &[]);
    history(&[&out("one"), &out("two")], &out("both"), &[]);
    for name in ["shuffled", "added", "both"] {
        assert!(tables(&out(name)) == all, "{name}");
    }
    // The crawl of the later input replaces that of the earlier one.
    let other = folder.arg("other");
    let archive = folder.arg("CRAWL-C.warc");
    let ran = run([&*archive, "-q", "-o", &other, "--crawl", "CRAWL-B"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    history(&[a, &other, c], &out("expected"), &[]);
    history(&[&out("all"), &other], &out("replaced"), &["--replace"]);
    assert!(tables(&out("replaced")) == tables(&out("expected")));
    // The history that is replaced may be an input.
    history(&[&out("two"), b], &out("two"), &["--overwrite"]);
    assert!(tables(&out("two")) == all);
    for name in ["all", "two", "replaced"] {
        let ran = run(["verify", &out(name)]);
        assert_eq!(ran.code, Some(0), "{}", ran.out);
        // A history has no parts.
        let summary = "complete and unchanged; 3 crawls, 16 files, ";
        assert!(ran.out.contains(summary), "{}", ran.out);
    }
    let ran = run(["verify", &out("one"), "--json"]);
    assert!(ran.out.contains("\"crawls\":1"), "{}", ran.out);
}

#[test]
fn inputs_and_outputs_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let datasets = scan_crawls(&folder, &mut Random::new(2));
    let (a, out) = (datasets[0].as_str(), folder.arg("out"));
    let refused = |inputs: &[&str], out: &str, more: &[&str], message: &str| {
        let ran = run([&["history", "-o", out], inputs, more].concat());
        assert_refused(&ran, &[message]);
    };
    refused(&[a, a], &out, &[], "has the crawl 'CRAWL-A', as");
    refused(&[&folder.arg("nothing")], &out, &[], "cannot read");
    refused(&[&folder.arg("")], &out, &[], "it has no _manifest.jsonl");
    refused(
        &[a],
        &out,
        &["--memory", "1MiB"],
        "sorting needs 16 MiB of memory",
    );
    refused(
        &[a],
        &datasets[1],
        &[],
        "is a dataset, but the output must be a history",
    );
    refused(&[a], &datasets[1], &["--overwrite"], "must be a history");
    refused(
        &[a],
        &folder.arg("CRAWL-A.warc"),
        &[],
        "was not written by robots-scan",
    );
    let shard = folder.arg("shard");
    let archives = [0, 1].map(|i| folder.arg(&format!("{}.warc", CRAWLS[i])));
    let [first, second] = &archives;
    let ran = run([
        &**first, second, "-q", "-o", &shard, "--shard", "1/2", "--crawl", "X",
    ]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    refused(
        &[&shard],
        &out,
        &[],
        "is a shard, and only a part of a crawl",
    );
    let tables = folder.arg("tables");
    let ran = run([
        &**first,
        "-q",
        "-o",
        &tables,
        "--tables",
        "robots_files,verdicts",
    ]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    refused(&[&tables], &out, &[], "has no table 'groups'");
    assert!(!Path::new(&out).exists());
    history(&[a], &out, &[]);
    refused(&[a], &out, &[], "already exists");
    let ran = run([&**first, "-o", &out, "--overwrite"]);
    assert_refused(
        &ran,
        &["is a history, but the output must be a dataset of scans"],
    );
    // Hosts to be left out.
    let list = folder.write(
        "list",
        "# requests\nhttps://www.example.com/x\nnot a host\n",
    );
    let ran = run(["history", a, "-o", &folder.arg("x"), "--forget", &list]);
    assert_refused(&ran, &["line 3: 'not a host'"]);
}

#[test]
fn changed_and_missing_files_of_a_history_are_found() {
    let folder = Folder::new();
    let datasets = scan_crawls(&folder, &mut Random::new(3));
    let inputs: Vec<&str> = datasets.iter().map(String::as_str).collect();
    let out = folder.arg("out");
    let verify = || run(["verify", &out]);
    let files: Vec<String> = {
        history(&inputs, &out, &[]);
        let files = files_below(Path::new(&out)).into_iter();
        files
            .map(|path| path.to_str().unwrap().to_owned())
            .collect()
    };
    for path in files.iter().filter(|path| !path.ends_with("_log.jsonl")) {
        let bytes = fs::read(path).unwrap();
        fs::remove_file(path).unwrap();
        assert_ne!(verify().code, Some(0), "{path} is missing");
        if path.ends_with(".parquet") || path.ends_with("_manifest.jsonl") {
            // A reader says so, and does not panic.
            let ran = run(["history", &out, "-o", &folder.arg("y"), "-q"]);
            assert!(
                matches!(ran.code, Some(2 | 3)),
                "{path}: {:?} {}",
                ran.code,
                ran.err
            );
            let _ = fs::remove_dir_all(folder.arg("y"));
            let mut changed = bytes.clone();
            let middle = changed.len() / 2;
            changed[middle] ^= 0x20;
            fs::write(path, &changed).unwrap();
            assert_ne!(verify().code, Some(0), "{path} is changed");
        }
        fs::write(path, &bytes).unwrap();
    }
    assert_eq!(verify().code, Some(0));
    let stray = Path::new(&out).join("crawls/part-00000000-00000.parquet");
    fs::write(&stray, b"").unwrap();
    let ran = verify();
    assert!(ran.out.contains("it is not in the manifest"), "{}", ran.out);
    fs::remove_file(&stray).unwrap();
    // After a move, the views are written again.
    let moved = folder.arg("moved");
    fs::rename(&out, &moved).unwrap();
    assert_ne!(run(["verify", &moved]).code, Some(0));
    assert_eq!(run(["views", &moved, "-q"]).code, Some(0));
    assert_eq!(run(["verify", &moved]).code, Some(0));
}

#[test]
fn archives_are_numbered_by_crawl_whatever_else_is_in_the_dataset() {
    let folder = Folder::new();
    let archive = |crawl: &str, number: usize| {
        let mut text = String::new();
        for capture in test_capture::random(&mut Random::new(number as u64)) {
            capture.write(&mut text);
        }
        let path = format!("crawl-data/{crawl}/segments/1/robotstxt/{number}.warc");
        folder.write(&path, text)
    };
    let [a, b] = ["CRAWL-A", "CRAWL-B"].map(|crawl| [archive(crawl, 0), archive(crawl, 1)]);
    for (out, archives) in [
        ("a", vec![&a[0], &a[1]]),
        ("b", vec![&b[0], &b[1]]),
        ("both", vec![&b[0], &a[0], &b[1], &a[1]]),
    ] {
        let out = folder.arg(out);
        let ran = run([
            vec!["-q", "-o", &out],
            archives.iter().map(|path| path.as_str()).collect(),
        ]
        .concat());
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    }
    let arg = |name: &str| folder.arg(name);
    history(&[&arg("a"), &arg("b")], &arg("apart"), &[]);
    history(&[&arg("both")], &arg("together"), &[]);
    assert!(tables(&arg("together")) == tables(&arg("apart")));
    assert_eq!(run(["verify", &arg("together")]).code, Some(0));
    // Each of the shards has the archives of one crawl.
    for shard in ["1/2", "2/2"] {
        let out = folder.arg(&format!("shards/{}", &shard[..1]));
        let [archives, others] = [&a, &b].map(|archives| archives.each_ref().map(|path| &**path));
        let options: &[&str] = &["-q", "-o", &out, "--shard", shard];
        let list = [options, &[archives[0], others[0], archives[1], others[1]]];
        let ran = run(list.concat());
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    }
    let ran = run(["join", &arg("shards")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    history(&[&arg("shards")], &arg("sharded"), &[]);
    assert!(tables(&arg("sharded")) == tables(&arg("apart")));
    let crawls = support::rows(Path::new(&arg("together")), "crawls");
    let listed = crawls.iter().map(|row| row["archives_listed"].as_i64());
    assert_eq!(listed.collect::<Vec<_>>(), [Some(2), Some(2)]);
}

/// Makes a history of one host with a crawl for each body. Returns its folder.
fn history_of_bodies(folder: &Folder, bodies: &[String]) -> String {
    let crawls = (0..)
        .zip(bodies)
        .map(|(number, body)| crawl_of(folder, number, &[("https://a.example", 200, body)]));
    let crawls: Vec<String> = crawls.collect();
    let crawls: Vec<&str> = crawls.iter().map(String::as_str).collect();
    let out = folder.arg("history");
    history(&crawls, &out, &[]);
    out
}

#[test]
fn preferences_on_other_lines_are_the_same_preferences() {
    let folder = Folder::new();
    let file = "User-agent: *\nDisallow: /x\nContent-Signal: ai-train=no\n";
    let bodies = [
        file.to_owned(),
        format!("# a new comment\n{file}"),
        file.replace("=no", "=yes"),
    ];
    let out = history_of_bodies(&folder, &bodies);
    let periods = support::rows(Path::new(&out), "host_periods");
    let of = |name: &str| -> Vec<&str> {
        let rows = periods.iter();
        rows.map(|row| row[name].as_str().unwrap()).collect()
    };
    let (policies, preferences) = (of("policy_id"), of("preferences_id"));
    assert!(policies[0] != policies[1] && policies[0] != policies[2]);
    assert!(preferences[0] == preferences[1] && preferences[0] != preferences[2]);
    // The rows of a set have the lines.
    let sets = support::rows(Path::new(&out), "preference_sets");
    let line = |set: &str| {
        let mut rows = sets.iter();
        let row = rows.find(|row| row["preference_set_id"] == set && row["agent"] == "*");
        row.and_then(|row| row["evidence_line"].as_i64())
    };
    let lines: Vec<_> = of("preference_set_id").into_iter().map(line).collect();
    assert_eq!(lines, [Some(3), Some(4), Some(3)]);
    assert_eq!(run(["verify", &out]).code, Some(0));
}

#[test]
fn a_policy_is_known_by_its_lines_as_they_are_written() {
    let folder = Folder::new();
    let file = "User-agent: a\n# x\nDisallow: /x\n";
    let bodies = [
        file.to_owned(),
        file.replace("User-agent", "USER-AGENT"),
        // The blank line ends a record of Koster's dialect.
        file.replace("# x", ""),
        file.replace("# x", "# another comment"),
        file.replace("# x", "# x\n"),
    ];
    let out = history_of_bodies(&folder, &bodies);
    let periods = support::rows(Path::new(&out), "host_periods");
    let of_periods = periods.iter().map(|row| row["policy_id"].as_str().unwrap());
    let of_periods: Vec<&str> = of_periods.collect();
    let [first, spelling, blank, comment, moved] = of_periods[..] else {
        panic!("{of_periods:?}");
    };
    assert_eq!(comment, first);
    let distinct = BTreeSet::from([first, spelling, blank, moved]);
    assert_eq!(distinct.len(), 4, "{of_periods:?}");
    // docs/tables.md#keys defines the text.
    let text = "true\n1 1 10:user-agent 10:User-agent true 1:a true 1:a true - - -\n\
                3 1 8:disallow 8:Disallow true 2:/x true 2:/x\n";
    let digest = Sha256::digest(text);
    let key: String = digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(first, key);
}

/// Kinds of records in place of a status: a resource, which has no status, and a revisit of the body.
const RESOURCE: u16 = 0;
const REVISIT: u16 = 1;

/// A crawl with a response of `/robots.txt` on each of these origins. The body of a redirect is its target.
fn crawl_of(folder: &Folder, number: usize, responses: &[(&str, u16, &str)]) -> String {
    let name = format!("CRAWL-{number}");
    let mut text = Vec::new();
    for (second, (origin, status, body)) in responses.iter().enumerate() {
        let time = format!("202{number}-01-01T00:00:{second:02}Z");
        let digest = base32(&Sha1::digest(body));
        let http = match status {
            300..=399 => format!("HTTP/1.1 {status} X\r\nLocation: {body}\r\n\r\n"),
            _ => format!("HTTP/1.1 {status} X\r\n\r\n{body}"),
        };
        let (kind, content_type, block) = match *status {
            RESOURCE => ("resource", "text/plain", (*body).to_owned()),
            REVISIT => (
                "revisit",
                "application/http; msgtype=response",
                "HTTP/1.1 200 X\r\n\r\n".to_owned(),
            ),
            _ => ("response", "application/http; msgtype=response", http),
        };
        let digest = match status {
            300..=399 => String::new(),
            _ => format!("WARC-Payload-Digest: sha1:{digest}\r\n"),
        };
        let record = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {origin}/robots.txt\r\nWARC-Date: {time}\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{:012}>\r\n{digest}\
             Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            100 * number + second,
            block.len()
        );
        text.extend_from_slice(record.as_bytes());
    }
    let archive = folder.write(&format!("{name}.warc"), text);
    let out = folder.arg(&name);
    let ran = run([&*archive, "-q", "-o", &out, "--crawl", &name]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    out
}

#[test]
fn old_urls_are_decided_by_the_captures_around_their_times() {
    let folder = Folder::new();
    let (a, b) = ("https://a.example", "http://b.example");
    let (open, blocked) = (
        "User-agent: *\nDisallow: /private\n",
        "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n",
    );
    let crawls = [
        crawl_of(&folder, 0, &[(a, 200, open), (b, 404, "")]),
        crawl_of(&folder, 1, &[(b, 200, blocked)]),
        crawl_of(&folder, 2, &[(a, 200, blocked), (b, 503, "")]),
        crawl_of(
            &folder,
            3,
            &[(a, 200, open), ("https://b.example", 200, open)],
        ),
    ];
    let inputs: Vec<&str> = crawls.iter().map(String::as_str).collect();
    let out = folder.arg("out");
    history(&inputs, &out, &[]);
    let list = [
        (format!("{a}/x"), "2019-06-01"),
        (format!("{a}/x"), "2020-06-01"),
        (format!("{a}/x"), "2021-06-01"),
        (format!("{a}/x"), "2022-06-01"),
        (format!("{a}/private/x"), "2020-06-01"),
        (format!("{b}/x"), "2020-06-01"),
        (format!("{b}/x"), "2023-06-01"),
        (format!("{a}/x"), ""),
        (format!("{a}/x"), "soon"),
        ("not a url".to_owned(), "2020-06-01"),
        ("https://c.example/x".to_owned(), "2020-06-01"),
    ];
    let mut csv = String::from("page,seen\n");
    for (url, time) in &list {
        csv += &format!("{url},{time}\n");
    }
    let list = folder.write("list.csv", csv);
    let ask = |more: &[&str]| {
        let output = folder.arg("answers.parquet");
        let arguments = [
            "match",
            &out,
            "-q",
            "--urls",
            &list,
            "--columns",
            "url=page,time=seen",
            "--agent",
            "GPTBot",
            "-o",
            &output,
            "--overwrite",
        ];
        let ran = run([&arguments[..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        for warning in [
            "1 row without an absolute URL",
            "1 row with a time that cannot be read",
        ] {
            assert!(ran.err.contains(warning), "{}", ran.err);
        }
        let rows = support::rows_of_file(Path::new(&output));
        let texts = rows.iter().map(|row| {
            let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
            let columns = [
                "access",
                "basis",
                "crawl",
                "next_disallowed_crawl",
                "last_access",
            ];
            columns.map(text).join(" ")
        });
        texts.collect::<Vec<String>>()
    };
    let other = "unknown other_origin CRAWL-3 - unknown";
    let expected = [
        "unknown no_capture - CRAWL-2 allowed",
        "allowed wildcard CRAWL-0 CRAWL-2 allowed",
        "allowed wildcard CRAWL-0 CRAWL-2 allowed",
        "disallowed explicit CRAWL-2 - allowed",
        "disallowed wildcard CRAWL-0 CRAWL-2 disallowed",
        "allowed http_status CRAWL-0 CRAWL-1 unknown",
        other,
        "allowed wildcard CRAWL-3 - allowed",
        "unknown bad_time - - unknown",
        "unknown bad_url - - unknown",
        "unknown no_capture - - unknown",
    ];
    assert_eq!(ask(&[]), expected);
    let any = ask(&["--any-origin"]);
    assert_eq!(any[6], "allowed wildcard CRAWL-3 - allowed");
    assert_eq!(any[5], "allowed http_status CRAWL-0 CRAWL-1 allowed");
    let chosen = ask(&["--crawl", "CRAWL-0", "--crawl", "CRAWL-1"]);
    assert_eq!(chosen[2], "allowed wildcard CRAWL-0 - allowed");
    assert_eq!(chosen[3], "allowed wildcard CRAWL-0 - allowed");
    for (more, message) in [
        (["--crawl", "CRAWL-9"], "has no crawl 'CRAWL-9'"),
        (["--columns", "time=when"], "no column 'when'"),
    ] {
        let output = folder.arg("refused.parquet");
        let arguments = ["match", &out, "--urls", &list, "--agent", "GPTBot"];
        let columns = ["--columns", "url=page", "-o", &output];
        let ran = run([&arguments[..], &columns, &more[..]].concat());
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    let csv = folder.arg("answers.csv");
    let arguments = ["match", &out, "-q", "--urls", &list, "--agent", "GPTBot"];
    let columns = ["--columns", "url=page,time=seen", "-o", &csv];
    let ran = run([&arguments[..], &columns].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let text = fs::read_to_string(&csv).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("url,agent,time,access,basis,line_no,crawl,fetch_time,"));
    let third = "https://a.example/x,GPTBot,2021-06-01T00:00:00Z,allowed,wildcard,,CRAWL-0,2020-01-01T00:00:00Z,";
    assert!(lines[3].starts_with(third), "{}", lines[3]);
    let rest = ",CRAWL-2,2022-01-01T00:00:00Z,allowed,CRAWL-3,2023-01-01T00:00:00Z,,";
    assert!(lines[3].ends_with(rest), "{}", lines[3]);
}

/// Over a history, `match` has the answers of the dataset of a crawl, if only this one is chosen.
#[test]
fn a_crawl_of_a_history_is_matched_as_its_dataset() {
    let folder = Folder::new();
    let (a, b, c) = (
        "https://a.example",
        "https://b.example",
        "http://c.example:8080",
    );
    let stated = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /p train-ai=y\nDisallow: /private\n";
    let blocked = "User-agent: GPTBot\nDisallow: /\nAllow: /p\nContent-Usage: search=n\n";
    let crawls = [
        crawl_of(
            &folder,
            6,
            &[(a, 200, stated), (b, 200, blocked), (c, 404, "")],
        ),
        crawl_of(
            &folder,
            7,
            &[(a, 200, blocked), (b, REVISIT, blocked), (c, 503, "")],
        ),
    ];
    let inputs: Vec<&str> = crawls.iter().map(String::as_str).collect();
    let out = folder.arg("out");
    history(&inputs, &out, &[]);
    let paths = ["/", "/p", "/p/q", "/private", "/private/x"];
    let urls = [a, b, c].map(|origin| paths.map(|path| format!("{origin}{path}\n")).concat());
    let list = folder.write("list.txt", urls.concat());
    let mut decided = 0;
    for (dataset, crawl) in inputs.iter().zip(["CRAWL-6", "CRAWL-7"]) {
        let ask = |source: &str, more: &[&str]| {
            let output = folder.arg("answers.parquet");
            let arguments = [
                "match",
                source,
                "-q",
                "--urls",
                &list,
                "--agent",
                "GPTBot,CCBot",
            ];
            let options = ["--category", "train-ai", "--overwrite", "-o", &output];
            let ran = run([&arguments[..], &options, more].concat());
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            let rows = support::rows_of_file(Path::new(&output)).into_iter();
            let columns = [
                "url",
                "agent",
                "access",
                "basis",
                "line_no",
                "preference",
                "preference_line",
            ];
            rows.map(|row| columns.map(|name| row[name].clone()))
                .collect::<Vec<_>>()
        };
        let rows = ask(&out, &["--crawl", crawl]);
        assert_eq!(rows, ask(dataset, &[]), "{crawl}");
        decided += rows.iter().filter(|row| row[5] == "disallowed").count();
    }
    assert!(decided >= 2, "{decided} preferences");
}

/// Returns the JSON that a command prints, and its exit code.
fn json_of(arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let ran = run(arguments);
    let lines = ran.out.lines();
    let values = lines.map(|line| serde_json::from_str(line).unwrap());
    (ran.code, values.collect())
}

#[test]
fn a_host_of_a_history_is_reported_as_in_its_dataset() {
    let folder = Folder::new();
    let blocked = "# Comment\nUser-agent: *\nDisallow: /private\nCrawl-delay: 5\n\nUser-agent: GPTBot\nDisallow: /\n";
    let open = "User-agent: *\nAllow: /\n";
    let mut responses = vec![
        ("https://a.example", 200, blocked),
        ("https://b.example", 404, "no"),
        ("https://c.example", 503, "no"),
        ("https://d.example", 429, "no"),
        ("https://e.example", 301, "https://a.example/robots.txt"),
        (
            "https://f.example",
            302,
            "https://nowhere.example/robots.txt",
        ),
        (
            "https://g.example",
            200,
            "<html><body>User-agent: *</body></html>",
        ),
        ("http://h.example:8080", RESOURCE, blocked),
        ("https://i.example", REVISIT, blocked),
        ("https://j.example", REVISIT, "not captured"),
        ("https://k.example", 200, ""),
    ];
    let first = crawl_of(&folder, 0, &responses);
    responses[0].2 = open;
    responses[7].2 = open;
    responses.truncate(9);
    let second = crawl_of(&folder, 1, &responses);
    let out = folder.arg("out");
    history(&[&first, &second], &out, &[]);
    // A resource record has no status, but rules.
    let list = "url,fetch_time\nhttp://h.example:8080/private/x,2020-06-01\n";
    let list = folder.write("urls.csv", list);
    let answers = folder.arg("answers.parquet");
    for path in [&first, &out] {
        let ran = run([
            "match",
            path,
            "--urls",
            &list,
            "--any-name",
            "--agent",
            "x",
            "-o",
            &answers,
            "--overwrite",
        ]);
        assert!(
            ran.out.contains("0 allowed, 1 disallowed"),
            "{path}: {}",
            ran.out
        );
    }
    let urls = [
        "--url",
        "/private/x",
        "--url",
        "/y",
        "--agent",
        "GPTBot,*",
        "--json",
    ];
    for (crawl, dataset) in [("CRAWL-0", &first), ("CRAWL-1", &second)] {
        for (origin, ..) in &responses {
            let ask = |path: &str| {
                let arguments = ["check", path, "--host", origin, "--crawl", crawl];
                json_of(&[&arguments[..], &urls].concat())
            };
            let (mut expected, mut found) = (ask(dataset), ask(&out));
            let name = format!("{origin} in {crawl}");
            for value in expected.1.iter_mut().chain(&mut found.1) {
                for field in [
                    "anomalies",
                    "redirects_without_place",
                    "rules_capture",
                    "content_digest",
                    "warc_record_length",
                    "problem",
                    "fetch",
                ] {
                    value[field] = Value::Null;
                }
                for field in [
                    "robots_id",
                    "warc_record_length",
                    "fetch_redirect",
                    "content_digest",
                ] {
                    value["capture"][field] = Value::Null;
                }
                // A redirect has the status of its end, and a revisit that of its content.
                if ["https://e.example", "https://i.example"].contains(origin) {
                    value["capture"]["fetch_status"] = Value::Null;
                    value["capture"]["is_revisit"] = Value::Null;
                    value["warc_record_offset"] = Value::Null;
                    value["is_revisit"] = Value::Null;
                }
            }
            assert_eq!(found, expected, "{name}");
        }
    }
}
