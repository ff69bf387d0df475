//! `check --host`: the capture that speaks for a host, checked as a file is.

use super::made::{Made, dataset, robots_ids};
use super::{list, matched, path};
use crate::util::{Ran, archive, command, rows, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn check(place: &Path, args: &[&str]) -> Ran {
    run([&["check", path(place)], args].concat())
}

fn json(place: &Path, args: &[&str]) -> Value {
    let ran = check(place, &[args, &["--json"]].concat());
    let value: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    assert_eq!(value["exit_code"], ran.code.unwrap());
    value
}

const CLOSED: &str = "User-agent: *\nDisallow /a\n";
const OPEN: &str = "User-agent: *\nAllow: /\n";

#[test]
fn the_capture_is_named_and_then_checked_as_a_file_is() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            Made::ok("https://h.example/robots.txt", 7, CLOSED),
            Made::to(
                "https://www.h.example/robots.txt",
                8,
                "https://h.example/robots.txt",
            ),
        ],
    );
    let url = "https://h.example/a";
    let ran = check(&out, &["--host", "www.h.example", "-a", "Foo", "-u", url]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let expected = "\
speaks      https://www.h.example/robots.txt
            2026-01-05T00:00:08Z, status 301, crawl-data/C-0/segments/1/robotstxt/a.warc at ";
    assert!(ran.out.starts_with(expected), "{}", ran.out);
    let expected = ", crawl C-0
leads to    https://h.example/robots.txt
            2026-01-05T00:00:07Z, status 200, crawl-data/C-0/segments/1/robotstxt/a.warc at 0, crawl C-0

disallowed  https://h.example/a
            line 2: Disallow /a  (group from line 1)

Foo: partial (wildcard, line 2)
  google      partial
  rfc9309     allow_all
  koster1996  allow_all

anomalies: 1 of 1 kind
  missing_colon: ";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(
        ran.out.contains("      line 2; changes a verdict\n"),
        "{}",
        ran.out
    );

    // The same file, the same words.
    let file = list(&folder, "robots.txt", CLOSED);
    let of_file = check(&file, &["-a", "Foo", "-u", url]);
    let (_, of_host) = ran.out.split_once("\n\n").unwrap();
    assert_eq!(of_host, of_file.out);
}

#[test]
fn an_archive_gives_what_its_dataset_gives_and_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            Made::ok("https://h.example/robots.txt", 7, CLOSED),
            Made::status("https://gone.example/robots.txt", 8, 404),
        ],
    );
    let place = folder
        .path()
        .join("crawl-data/C-0/segments/1/robotstxt/a.warc");
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    for host in ["h.example", "gone.example"] {
        let url = format!("https://{host}/a");
        let args = ["--host", host, "-u", &url, "--json"];
        let ran: Ran = command()
            .args(["check", path(&place)])
            .args(args)
            .env("TMPDIR", &temporary)
            .output()
            .unwrap()
            .into();
        assert_eq!(ran.out, check(&out, &args).out, "{}", ran.err);
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
}

#[test]
fn what_decides_most_speaks_then_https_then_the_own_port_then_the_latest() {
    let folder = TempDir::new().unwrap();
    let ok = |url: &str, time| Made::ok(url, time, OPEN);
    let out = dataset(
        &folder,
        &[
            ok("http://a.example/robots.txt", 0),
            Made::status("https://a.example/robots.txt", 1, 404),
            ok("http://b.example/robots.txt", 2),
            ok("https://b.example:444/robots.txt", 3),
            ok("https://b.example/robots.txt", 1),
            ok("https://b.example/robots.txt", 0),
        ],
    );
    let ids = robots_ids(&out);
    let speaks = |host: &str, args: &[&str]| {
        let value = json(&out, &[&["--host", host], args].concat());
        let id = value["capture"]["robots_id"].as_i64().unwrap();
        ids.iter().position(|(_, it)| *it == id).unwrap()
    };
    assert_eq!(speaks("a.example", &[]), 0);
    assert_eq!(speaks("https://a.example", &[]), 1);
    assert_eq!(speaks("a.example:443", &[]), 1);
    assert_eq!(speaks("b.example", &[]), 4);
    assert_eq!(speaks("b.example", &["--at", "2026-01-05"]), 5);
    assert_eq!(speaks("B.example.:444", &[]), 3);
    assert_eq!(speaks("http://b.example/x", &[]), 2);
    let ran = check(&out, &["--host", "a.example:8080"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""));
    assert!(
        ran.err
            .contains("no capture of a robots.txt of 'a.example:8080'"),
        "{}",
        ran.err
    );
}

#[test]
fn where_the_status_decides_it_is_said() {
    let folder = TempDir::new().unwrap();
    let mut made: Vec<Made> = [404u16, 429, 304]
        .iter()
        .map(|status| Made::status(&format!("https://s{status}.example/robots.txt"), 0, *status))
        .collect();
    made.push(Made::to(
        "https://away.example/robots.txt",
        0,
        "https://none.example/",
    ));
    let out = dataset(&folder, &made);
    let cases = [
        (
            "s404.example",
            "default",
            "allowed",
            0,
            "its status allows everything",
        ),
        (
            "s404.example",
            "koster1996",
            "allowed",
            0,
            "its status allows everything",
        ),
        (
            "s429.example",
            "google",
            "disallowed",
            1,
            "its status disallows everything",
        ),
        (
            "s429.example",
            "rfc9309",
            "allowed",
            0,
            "its status allows everything",
        ),
        ("s429.example", "koster1996", "unknown", 3, "cannot be told"),
        ("s304.example", "default", "unknown", 3, "cannot be told"),
        (
            "away.example",
            "default",
            "unknown",
            3,
            "its redirect ends nowhere",
        ),
    ];
    for (host, dialect, access, code, words) in cases {
        let args = [
            "--host",
            host,
            "--dialect",
            dialect,
            "-a",
            "AdsBot-Google",
            "-u",
            "https://h/x",
        ];
        let ran = check(&out, &args);
        assert_eq!(ran.code, Some(code), "{host} {dialect}");
        assert!(ran.out.contains(words), "{}", ran.out);
        assert!(
            ran.out.contains(&format!("\n{access:10}  https://h/x\n")),
            "{}",
            ran.out
        );
        let value = json(&out, &args);
        assert_eq!(value["urls"][0]["access"], access);
        assert_eq!(value["basis"], "http_status");
    }
    let value = json(&out, &["--host", "s429.example"]);
    let verdicts = &value["verdicts"];
    assert_eq!(verdicts["google"], "disallow_all");
    assert_eq!(verdicts["rfc9309"], "allow_all");
    assert_eq!(verdicts["koster1996"], "unknown");
}

#[test]
fn check_and_match_agree_on_every_origin_of_the_samples() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("dataset");
    let archives = ["cc-robotstxt.warc.gz", "cc-robotstxt-later.warc.gz"].map(archive);
    let ran = run(archives
        .iter()
        .map(String::as_str)
        .chain(["-o", path(&out)]));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let origins: BTreeSet<String> = rows(&out, "robots_files")
        .iter()
        .filter(|row| row["is_robots_path"] == true)
        .filter_map(|row| {
            row["url"]
                .as_str()?
                .strip_suffix("/robots.txt")
                .map(str::to_owned)
        })
        .collect();
    let origins: Vec<String> = origins.into_iter().step_by(3).collect();
    let text: String = origins
        .iter()
        .map(|origin| format!("{origin}/a\n"))
        .collect();
    let urls = list(&folder, "urls.txt", text);
    let (answers, _) = matched(&out, &urls, &["-a", "GPTBot"]);
    assert!(answers.len() > 30);
    for (origin, answer) in origins.iter().zip(&answers) {
        let url = format!("{origin}/a");
        let value = json(&out, &["--host", origin, "-a", "GPTBot", "-u", &url]);
        assert_eq!(value["urls"][0]["access"], answer.access.as_str(), "{url}");
        assert_eq!(
            value["urls"][0]["line_no"].as_i64(),
            answer.line_no.map(i64::from)
        );
        let rules = match &value["rules_capture"] {
            Value::Null => &value["capture"],
            other => other,
        };
        let (crawl, id) = answer.capture.as_ref().unwrap();
        assert_eq!(
            (&rules["crawl"], &rules["robots_id"]),
            (&crawl[..].into(), &(*id).into())
        );
    }
}

#[test]
fn without_a_host_a_place_of_many_files_is_refused_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[Made::ok("https://h.example/robots.txt", 0, OPEN)],
    );
    let place = archive("plain.warc");
    let zipped = archive("cc-robotstxt.warc.gz");
    for place in [path(&out), &place, &zipped] {
        let ran = run(["check", place]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains("--host example.com"), "{}", ran.err);
    }
    let file = list(&folder, "robots.txt", OPEN);
    let refused = |place: &Path, args: &[&str], words: &str| {
        let ran = check(place, args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
    };
    refused(&file, &["--host", "h.example"], "a dataset or an archive");
    refused(&out, &["--host", "not a host"], "give a host as");
    refused(
        &out,
        &["--host", "h.example", "--body-limit", "none"],
        "--body-limit",
    );
    refused(&file, &["--at", "2026-01-05"], "--host");
    refused(
        &out,
        &["--host", "h.example", "--crawl", "C-9"],
        "no crawl 'C-9'",
    );
}
