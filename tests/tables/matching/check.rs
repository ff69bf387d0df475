//! `check`: arguments, standard input, exit codes, and output.

use super::{OPEN, list, path};
use serde_json::Value;
use std::io::{self, Write};
use std::process::Stdio;
use support::test_capture::{TestCapture, dataset};
use support::{Ran, command, run};
use tempfile::TempDir;

const PARTIAL: &str = "User-agent: GPTBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";

/// Runs `check` with these bytes on standard input. Without bytes, standard input
/// stays open.
fn check_with_input(args: &[&str], input: Option<&str>) -> Ran {
    let mut child = command()
        .arg("check")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    if let Some(input) = input {
        // The command may end without reading its input.
        let written = pipe.write_all(input.as_bytes());
        let is_refused = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        assert!(written.as_ref().err().is_none_or(is_refused), "{written:?}");
        drop(pipe);
        return child.wait_with_output().unwrap().into();
    }
    // The pipe is open until the command ends, so reading it would not end.
    let ran = child.wait_with_output().unwrap().into();
    drop(pipe);
    ran
}

#[test]
fn standard_input_is_read_only_if_requested() {
    let folder = TempDir::new().unwrap();
    let file = list(&folder, "robots.txt", PARTIAL);
    let ran = check_with_input(&[path(&file), "--any-name", "-a", "x"], None);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("\n\nx: partial (by the rules for *"),
        "{}",
        ran.out
    );

    let urls = "https://h.example/b\n\nhttps://h.example/c\n";
    let ran = check_with_input(&[path(&file), "--urls", "-", "--json"], Some(urls));
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["agents"][0]["urls"][0]["access"], "disallowed");
    assert_eq!(value["agents"][0]["urls"][1]["access"], "allowed");
    assert_eq!(value["agents"][0]["urls"].as_array().unwrap().len(), 2);

    // The same URLs from a file; those of --url come first.
    let csv = list(&folder, "urls.csv", format!("url\n{urls}"));
    let args = [
        "check",
        path(&file),
        "--urls",
        path(&csv),
        "-u",
        "/d",
        "--json",
    ];
    let value: Value = serde_json::from_str(&run(args).out).unwrap();
    let url = |i: usize| value["agents"][0]["urls"][i]["url"].as_str().unwrap();
    assert_eq!([url(0), url(1)], ["/d", "https://h.example/b"]);

    let ran = check_with_input(&["-", "-u", "/b"], Some(PARTIAL));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let ran = check_with_input(&["-", "--urls", "-"], Some(PARTIAL));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("cannot be both"), "{}", ran.err);
    let ran = check_with_input(&[path(&file), "--urls", "-"], Some("/a\nfoo\n"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(
        ran.err
            .contains("'foo' is neither an absolute URL nor a path"),
        "{}",
        ran.err
    );
}

#[test]
fn malformed_urls_and_crawler_names_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = list(&folder, "robots.txt", PARTIAL);
    for url in ["", "foo", "https:/h/a", "//h/a", "https://"] {
        let ran = run(["check", path(&file), "--url", url]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{url}");
        assert!(ran.err.contains("give an absolute URL"), "{}", ran.err);
    }
    let dataset = dataset(
        &folder,
        &[TestCapture::ok("https://h.example/robots.txt", 0, OPEN)],
    );
    let urls = list(&folder, "urls.txt", "https://h.example/\n");
    let out = folder.path().join("m.parquet");
    for agent in ["", " ", "a,", "/1.0", "(x)"] {
        let of_match = [
            "match",
            path(&dataset),
            "-u",
            path(&urls),
            "-o",
            path(&out),
            "-a",
            agent,
        ];
        for args in [&["check", path(&file), "-a", agent][..], &of_match] {
            let ran = run(args);
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "'{agent}'");
            assert!(ran.err.contains("the name of a crawler"), "{}", ran.err);
        }
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
  google      partial
  rfc9309     partial
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
fn anomalies_are_grouped_by_their_code() {
    let folder = TempDir::new().unwrap();
    let mut body = "User-agent: *\n".to_owned();
    for n in 0..1200 {
        body.push_str(&format!("Disallow /{n}\n"));
    }
    body.push_str("Disalow: /x\n");
    let file = list(&folder, "robots.txt", body);
    let ran = run(["check", path(&file)]);
    let (_, anomalies) = ran.out.split_once("\nanomalies: ").unwrap();
    let lines: Vec<&str> = anomalies.lines().collect();
    assert_eq!(lines[0], "1,201 of 2 kinds");
    assert!(lines[1].starts_with("  missing_colon: "), "{anomalies}");
    assert_eq!(lines[2], "      lines 2, 3, 4, 5, 6 and 1,195 more");
    assert!(
        lines[3].starts_with("  typo_accepted_by_google: "),
        "{anomalies}"
    );
    assert_eq!(lines[4], "      line 1202");
    assert_eq!(lines.len(), 5, "{anomalies}");
    // JSON has one entry for each.
    let ran = run(["check", path(&file), "--json"]);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["anomalies"].as_array().unwrap().len(), 1201);
    // Only one of two equal anomalies changes a verdict: without line 2 some paths
    // are allowed.
    let body = "User-agent: *\nDisallow /\nDisallow /b\n";
    let ran = run(["check", path(&list(&folder, "two.txt", body))]);
    assert!(
        ran.out
            .ends_with("      lines 2, 3; changes a verdict: line 2\n"),
        "{}",
        ran.out
    );
}

#[test]
fn control_characters_of_a_file_are_escaped() {
    let folder = TempDir::new().unwrap();
    let body = "User-agent: *\nDisallow: /a\u{1b}[2J\u{202e}\n";
    let file = list(&folder, "robots.txt", body);
    let (url, other) = ("/a\u{1b}[2J%E2%80%AE", "/\u{202e}");
    let args = ["--any-name", "-a", "x\u{9b}1m", "-u", url, "-u", other];
    let ran = run([&["check", path(&file)], &args[..]].concat());
    for shown in [
        "disallowed  /a\\x1b[2J%E2%80%AE\n",
        "line 2: Disallow: /a\\x1b[2J\\u{202e}  (group",
        "allowed     /\\u{202e}\n",
        "x\\u{9b}1m: partial",
    ] {
        assert!(ran.out.contains(shown), "{shown:?} is not in {:?}", ran.out);
    }
    let is_harmless = |char: char| char == '\n' || !char.is_control() && char != '\u{202e}';
    assert!(ran.out.chars().all(is_harmless), "{:?}", ran.out);
}

#[test]
fn a_url_or_host_instead_of_a_file_is_refused_with_a_command_as_hint() {
    let curl = |url: &str| format!("curl -s '{url}' | robots-scan check -");
    for (file, url) in [
        (
            "https://example.com/robots.txt",
            "https://example.com/robots.txt",
        ),
        (
            "http://example.com:8080/a?b",
            "http://example.com:8080/robots.txt",
        ),
        ("example.com", "https://example.com/robots.txt"),
    ] {
        let ran = run(["check", file]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(&curl(url)), "{}", ran.err);
    }
    let ran = run(["check", "no/such/robots.txt"]);
    assert_eq!(ran.code, Some(2));
    assert!(!ran.err.contains("curl"), "{}", ran.err);
    let ran = run(["check", "robots.txt.missing"]);
    assert!(!ran.err.contains("curl"), "{}", ran.err);
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
