//! `check`: arguments, standard input, exit codes, and output.

use super::{OPEN, list, path};
use serde_json::Value;
use support::run;
use support::test_capture::{TestCapture, dataset};
use tempfile::TempDir;

const PARTIAL: &str = "User-agent: GPTBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";

#[test]
fn malformed_urls_and_crawler_names_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = list(&folder, "robots.txt", PARTIAL);
    for url in ["", "foo", "https:/h/a", "//h/a", "https://"] {
        let ran = run(["check", path(&file), "--url", url]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{url}");
        assert!(ran.err.contains("give an absolute URL"), "{}", ran.err);
    }
    for agent in ["", " ", "a,", "/1.0", "(x)"] {
        let ran = run(["check", path(&file), "-a", agent]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "'{agent}'");
        assert!(ran.err.contains("the name of a crawler"), "{}", ran.err);
    }
}

#[test]
fn a_path_is_decided_like_its_url() {
    let folder = TempDir::new().unwrap();
    let body = "User-agent: *\nDisallow: /a?b\nDisallow: /%7Ec\nAllow: /a?b=1\n";
    let file = list(&folder, "robots.txt", body);
    for dialect in ["default", "google", "rfc9309", "koster1996"] {
        for url_path in ["/", "/a?b", "/a?b=1", "/~c", "/a"] {
            let access = |url: &str| {
                let ran = run([
                    "check",
                    path(&file),
                    "--dialect",
                    dialect,
                    "-u",
                    url,
                    "--json",
                ]);
                let value: Value = serde_json::from_str(&ran.out).unwrap();
                (
                    value["agents"][0]["urls"][0]["access"].clone(),
                    value["agents"][0]["urls"][0]["line_no"].clone(),
                )
            };
            let url = format!("https://h.example{url_path}");
            assert_eq!(access(url_path), access(&url), "{dialect} {url}");
        }
    }
}

#[test]
fn several_crawlers_are_separated_by_commas() {
    let folder = TempDir::new().unwrap();
    let file = list(&folder, "robots.txt", PARTIAL);
    let args = [
        "check",
        path(&file),
        "--any-name",
        "-a",
        "GPTBot/1.0, x",
        "-a",
        "y",
        "-u",
        "/b",
    ];
    let ran = run(args);
    let expected = "\
for GPTBot/1.0
allowed     /b
            no rule matches

GPTBot/1.0: partial (by its own rules, line 2)
  google      partial (a group's name has only letters, '-' and '_')
  rfc9309     partial (a group's name has only letters, '-' and '_')
  koster1996  partial

for x
disallowed  /b
            line 5: Disallow: /b  (group from line 4)

x: partial (by the rules for *, line 5)
";
    assert!(ran.out.starts_with(expected), "{}", ran.out);
    assert_eq!(ran.code, Some(1));
    let ran = run([&args[..], &["--json"]].concat());
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    let agent = |i: usize| value["agents"][i]["agent"].as_str().unwrap();
    assert_eq!([agent(0), agent(1), agent(2)], ["GPTBot/1.0", "x", "y"]);
    assert_eq!(value["exit_code"], 1);
}

#[test]
fn a_fallback_that_decides_is_named() {
    let folder = TempDir::new().unwrap();
    let body = "User-agent: Googlebot\nDisallow: /\n";
    let file = list(&folder, "robots.txt", body);
    let args = ["check", path(&file), "-a", "Googlebot-Image"];
    let expected =
        "Googlebot-Image: disallow_all (by the rules for googlebot, its fallback, line 2)\n";
    let ran = run(args);
    assert!(ran.out.contains(expected), "{}", ran.out);
    let ran = run([&args[..], &["--json"]].concat());
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["agents"][0]["basis"], "explicit");
    assert_eq!(value["agents"][0]["decided_by"], "googlebot");
}

#[test]
fn only_one_of_two_equal_anomalies_may_change_a_verdict() {
    let folder = TempDir::new().unwrap();
    // Without line 2, some paths are allowed.
    let body = "User-agent: *\nDisallow /\nDisallow /b\n";
    let ran = run(["check", path(&list(&folder, "two.txt", body))]);
    let end = "      lines 2, 3; changes a verdict: line 2\n";
    assert!(ran.out.ends_with(end), "{}", ran.out);
}

#[test]
fn a_missing_capture_is_reported_with_suggestions() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            TestCapture::ok("https://a.example/robots.txt", 20, OPEN),
            TestCapture::ok("http://a.example/robots.txt", 10, OPEN),
            TestCapture::ok("https://m.b.example/robots.txt", 0, OPEN),
            TestCapture::ok("https://c.b.example/robots.txt", 0, OPEN),
            TestCapture::ok("https://xb.example/robots.txt", 0, OPEN),
        ],
    );
    let unknown = |args: &[&str]| {
        let ran = run([&["check", path(&out)], args].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{}", ran.err);
        ran.err
    };
    let err = unknown(&["--host", "a.example", "--at", "2026-01-04"]);
    let expected = "at that time; first capture: 2026-01-05T00:00:10Z\nhint: give a later --at";
    assert!(err.contains(expected), "{err}");
    let err = unknown(&["--host", "b.example"]);
    let hint =
        "hint: there are captures of 'c.b.example', 'm.b.example', 'a.example', 'xb.example'\n";
    assert!(err.ends_with(hint), "{err}");
    let err = unknown(&["--host", "d.c.b.example"]);
    assert!(err.contains("captures of 'c.b.example'\n"), "{err}");
    let err = unknown(&["--host", "a.example:8443"]);
    assert!(
        err.contains("captures of 'http://a.example', 'https://a.example'\n"),
        "{err}"
    );
    let err = unknown(&["--host", "other.example"]);
    assert!(!err.contains("hint:"), "{err}");
}
