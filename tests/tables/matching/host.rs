//! `check --host`: the authoritative capture of a host.

use super::{list, matched, path};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use support::test_capture::{TestCapture, dataset, robots_ids};
use support::{Ran, archive, command, rows, run};
use tempfile::TempDir;

fn check(input: &Path, args: &[&str]) -> Ran {
    run([&["check", path(input)], args].concat())
}

fn json(input: &Path, args: &[&str]) -> Value {
    let ran = check(input, &[args, &["--json"]].concat());
    let value: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    assert_eq!(value["exit_code"], ran.code.unwrap());
    value
}

const CLOSED: &str = "User-agent: *\nDisallow /a\n";
const OPEN: &str = "User-agent: *\nAllow: /\n";

#[test]
fn a_host_is_reported_with_its_capture_and_then_like_a_file() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            TestCapture::ok("https://h.example/robots.txt", 7, CLOSED),
            TestCapture::redirect(
                "https://www.h.example/robots.txt",
                8,
                "https://h.example/robots.txt",
            ),
        ],
    );
    let url = "https://h.example/a";
    let ran = check(
        &out,
        &[
            "--host",
            "www.h.example",
            "--any-name",
            "-a",
            "Foo",
            "-u",
            url,
        ],
    );
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let expected = "\
host        www.h.example
capture     https://www.h.example/robots.txt
            2026-01-05T00:00:08Z, status 301, crawl-data/C-0/segments/1/robotstxt/a.warc at ";
    assert!(ran.out.starts_with(expected), "{}", ran.out);
    let expected = ", crawl C-0
leads to    https://h.example/robots.txt
            2026-01-05T00:00:07Z, status 200, crawl-data/C-0/segments/1/robotstxt/a.warc at 0, crawl C-0
archive     crawl-data/C-0/segments/1/robotstxt/a.warc
";
    assert!(ran.out.contains(expected), "{}", ran.out);
    let expected = "
disallowed  https://h.example/a
            line 2: Disallow /a  (group from line 1)

Foo: partial (by the rules for *, line 2)
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

    // The report on the same file is the same.
    let file = list(&folder, "robots.txt", CLOSED);
    let of_file = check(&file, &["--any-name", "-a", "Foo", "-u", url]);
    let (_, of_host) = ran.out.split_once("\n\n").unwrap();
    assert_eq!(of_host, of_file.out);
}

#[test]
fn an_archive_gives_the_report_of_its_dataset_and_leaves_no_files() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            TestCapture::ok("https://h.example/robots.txt", 7, CLOSED),
            TestCapture::status("https://gone.example/robots.txt", 8, 404),
        ],
    );
    let archive = folder
        .path()
        .join("crawl-data/C-0/segments/1/robotstxt/a.warc");
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    for host in ["h.example", "gone.example"] {
        let url = format!("https://{host}/a");
        let args = ["--host", host, "-u", &url, "--json"];
        let ran: Ran = command()
            .args(["check", path(&archive)])
            .args(args)
            .env("TMPDIR", &temporary)
            .output()
            .unwrap()
            .into();
        let of_dataset = check(&out, &[&args[..], &["--base", path(&archive)]].concat());
        assert_eq!(ran.out, of_dataset.out, "{}", ran.err);
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    }
}

#[test]
fn captures_are_preferred_by_decision_then_https_then_port_then_time() {
    let folder = TempDir::new().unwrap();
    let ok = |url: &str, time| TestCapture::ok(url, time, OPEN);
    let out = dataset(
        &folder,
        &[
            ok("http://a.example/robots.txt", 0),
            TestCapture::status("https://a.example/robots.txt", 1, 404),
            ok("http://b.example/robots.txt", 2),
            ok("https://b.example:444/robots.txt", 3),
            ok("https://b.example/robots.txt", 1),
            ok("https://b.example/robots.txt", 0),
        ],
    );
    let ids = robots_ids(&out);
    let selected = |host: &str, args: &[&str]| {
        let value = json(&out, &[&["--host", host], args].concat());
        let id = value["capture"]["robots_id"].as_i64().unwrap();
        ids.iter().position(|(_, known)| *known == id).unwrap()
    };
    assert_eq!(selected("a.example", &[]), 0);
    assert_eq!(selected("https://a.example", &[]), 1);
    assert_eq!(selected("a.example:443", &[]), 1);
    assert_eq!(selected("b.example", &[]), 4);
    assert_eq!(selected("b.example", &["--at", "2026-01-05"]), 5);
    assert_eq!(selected("B.example.:444", &[]), 3);
    assert_eq!(selected("http://b.example/x", &[]), 2);
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
fn a_decision_by_status_is_reported() {
    let folder = TempDir::new().unwrap();
    let mut made: Vec<TestCapture> = [404u16, 429, 304]
        .iter()
        .map(|status| {
            TestCapture::status(&format!("https://s{status}.example/robots.txt"), 0, *status)
        })
        .collect();
    made.push(TestCapture::redirect(
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
        (
            "s429.example",
            "koster1996",
            "unknown",
            3,
            "defers the decision",
        ),
        (
            "s304.example",
            "default",
            "unknown",
            3,
            "defers the decision",
        ),
        (
            "away.example",
            "default",
            "unknown",
            3,
            "its redirect has no target",
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
        assert_eq!(value["agents"][0]["urls"][0]["access"], access);
        assert_eq!(value["agents"][0]["basis"], "http_status");
    }
    let value = json(&out, &["--host", "s429.example"]);
    let verdicts = &value["agents"][0]["verdicts"];
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
    let (rows_of_match, _) = matched(&out, &urls, &["-a", "GPTBot"]);
    assert!(rows_of_match.len() > 30);
    for (origin, row) in origins.iter().zip(&rows_of_match) {
        let url = format!("{origin}/a");
        let value = json(&out, &["--host", origin, "-a", "GPTBot", "-u", &url]);
        assert_eq!(
            value["agents"][0]["urls"][0]["access"],
            row.access.as_str(),
            "{url}"
        );
        assert_eq!(
            value["agents"][0]["urls"][0]["line_no"].as_i64(),
            row.line_no.map(i64::from)
        );
        let rules = match &value["rules_capture"] {
            Value::Null => &value["capture"],
            other => other,
        };
        let (crawl, id) = row.capture.as_ref().unwrap();
        assert_eq!(
            (&rules["crawl"], &rules["robots_id"]),
            (&crawl[..].into(), &(*id).into())
        );
    }
}

#[test]
fn a_dataset_or_archive_without_a_host_is_refused_with_a_hint() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[TestCapture::ok("https://h.example/robots.txt", 0, OPEN)],
    );
    let plain = archive("plain.warc");
    let zipped = archive("cc-robotstxt.warc.gz");
    for input in [path(&out), &plain, &zipped] {
        let ran = run(["check", input]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains("--host example.com"), "{}", ran.err);
    }
    let file = list(&folder, "robots.txt", OPEN);
    let refused = |input: &Path, args: &[&str], words: &str| {
        let ran = check(input, args);
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
