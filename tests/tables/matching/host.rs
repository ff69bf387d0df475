//! `check --host`: the authoritative capture of a host.

use super::{list, matched, open_dataset, path};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use support::test_capture::{TestCapture, dataset};
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
    for case in [
        "s404.example default allowed 0 its status allows everything",
        "s404.example koster1996 allowed 0 its status allows everything",
        "s429.example google disallowed 1 its status disallows everything",
        "s429.example rfc9309 allowed 0 its status allows everything",
        "s429.example koster1996 unknown 3 defers the decision",
        "s304.example default unknown 3 defers the decision",
        "away.example default unknown 3 its redirect has no target",
    ] {
        let [host, dialect, access, code, words] =
            case.splitn(5, ' ').collect::<Vec<_>>().try_into().unwrap();
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
        assert_eq!(ran.code, code.parse().ok(), "{host} {dialect}");
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
    let out = open_dataset(&folder);
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
