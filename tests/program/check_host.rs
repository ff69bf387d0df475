//! `check --host`: the text with line numbers, from archives, bodies and rows, and the place of the record.

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;
use support::test_capture::TestCapture;
use support::{Folder, Ran, archive, assert_refused, command, rows, run};

const TEXT: &str = "# all\nUser-agent: *\nDisallow:  /a # x\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nCrawl-delay: 3\nSitemap: https://h.example/s.xml\nnonsense\n";

/// The place of the archive of a crawl below the folder of a test.
const SEGMENT: &str = "segments/1/robotstxt/a.warc";

/// Writes an archive and scans it into `out`.
fn scan(folder: &Folder, crawl: &str, captures: &[TestCapture], more: &[&str]) -> String {
    let mut text = String::new();
    for capture in captures {
        capture.write(&mut text);
    }
    let input = folder.write(&format!("crawl-data/{crawl}/{SEGMENT}"), text);
    scan_archive(folder, &input, more)
}

fn scan_archive(folder: &Folder, input: &str, more: &[&str]) -> String {
    let out = folder.arg("out");
    let ran = run([&[input, "-q", "-o", &out], more].concat());
    // Invented digests are faults of an uncompressed archive.
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    out
}

/// Shows a host in a folder without archives.
fn check(dataset: &str, args: &[&str]) -> Ran {
    check_in(Path::new("/"), dataset, args)
}

fn check_in(folder: &Path, dataset: &str, args: &[&str]) -> Ran {
    let mut command = command();
    command.current_dir(folder).args(["check", dataset]);
    command.args(args).output().unwrap().into()
}

fn json(dataset: &str, args: &[&str]) -> Value {
    let ran = check(dataset, &[args, &["--json"]].concat());
    let value: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    assert_eq!(value["exit_code"], ran.code.unwrap());
    value
}

/// Returns the lines of the text with marks and numbers.
fn text_of(ran: &Ran) -> &str {
    let (_, text) = ran.out.split_once("\n\n").unwrap();
    let text = text.split_once("\n\n").unwrap().1;
    let last = ["\nanomalies: ", "\na history has", "\nthe dataset has"];
    let end = last.iter().filter_map(|after| text.find(after)).min();
    &text[..end.unwrap_or(text.len())]
}

/// Returns the value of a label in the report.
fn field<'r>(ran: &'r Ran, label: &str) -> &'r str {
    let mut lines = ran.out.lines();
    let found = lines.find_map(|line| line.strip_prefix(label)?.strip_prefix(' '));
    found
        .unwrap_or_else(|| panic!("{label}: {}", ran.out))
        .trim_start()
}

fn capture() -> TestCapture {
    TestCapture::ok("https://h.example/robots.txt", 7, TEXT)
}

#[test]
fn the_archive_is_found_by_its_name_or_below_the_base() {
    let folder = Folder::new();
    let out = scan(&folder, "C-0", &[capture()], &[]);
    let expected = "     1  # all
>    2  User-agent: *
!    3  Disallow:  /a # x
     4
     5  User-agent: GPTBot
     6  User-agent: CCBot
     7  Disallow: /
     8  Crawl-delay: 3
     9  Sitemap: https://h.example/s.xml
    10  nonsense
";
    let host = ["--host", "h.example"];
    let by_name = check_in(folder.path(), &out, &host);
    assert_eq!(by_name.code, Some(0), "{}", by_name.err);
    assert_eq!(by_name.err, "");
    let name = format!("crawl-data/C-0/{SEGMENT}");
    assert_eq!(field(&by_name, "text"), format!("from the archive {name}"));
    assert_eq!(text_of(&by_name), expected);
    assert!(
        by_name.out.starts_with(
            "host        h.example\ncapture     https://h.example/robots.txt\n            \
             2026-01-05T00:00:07Z, status 200, crawl-data/C-0/segments/1/robotstxt/a.warc at 0, crawl C-0\n\
             archive     crawl-data/C-0/segments/1/robotstxt/a.warc\n            offset 0, length "
        ),
        "{}",
        by_name.out
    );
    let row = &rows(Path::new(&out), "robots_files")[0];
    assert_eq!(field(&by_name, "digest"), row["content_digest"]);
    for base in [
        folder.path().to_str().unwrap(),
        &folder.arg(&name),
        &folder.arg("crawl-data/C-0/segments/1/robotstxt"),
    ] {
        let ran = check(&out, &[&host[..], &["--base", base]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let path = folder.arg(&name);
        assert_eq!(field(&ran, "text"), format!("from the archive {path}"));
        assert_eq!(text_of(&ran), expected);
    }
}

#[test]
fn a_text_comes_from_the_body_or_else_from_the_rows_with_gaps() {
    let host = ["--host", "h.example"];
    let folder = Folder::new();
    let out = scan(&folder, "C-0", &[capture()], &["--with-bodies"]);
    let ran = check(&out, &host);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(field(&ran, "text"), "from the dataset (column `body`)");
    let from_archive = check_in(folder.path(), &out, &host);
    assert_eq!(text_of(&ran), text_of(&from_archive));

    let folder = Folder::new();
    let out = scan(&folder, "C-0", &[capture()], &[]);
    let ran = check(&out, &host);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(field(&ran, "text").starts_with("rebuilt from rows; comments, blank lines"));
    assert!(ran.out.contains("--base\n"), "{}", ran.out);
    let expected = "      1  …
>     2  User-agent: *
!     3  Disallow: /a
      4  …
      5  User-agent: GPTBot
      6  User-agent: CCBot
      7  Disallow: /
      8  Crawl-delay: 3
      9  Sitemap: https://h.example/s.xml
  10-11  …
";
    assert_eq!(text_of(&ran), expected);
    let value = json(&out, &host);
    assert_eq!(value["text"]["source"], "rows");
    assert_eq!(value["text"]["lines"][1]["text"], "Disallow: /a");
    assert_eq!(value["agents"][0]["lines"], serde_json::json!([2, 3]));

    let folder = Folder::new();
    let tables = ["--tables", "robots_files,groups,rules"];
    let out = scan(&folder, "C-0", &[capture()], &tables);
    let ran = check(&out, &host);
    for table in ["sitemaps", "directives"] {
        assert!(ran.out.contains(&format!("lines of {table} are missing")));
    }
    assert!(text_of(&ran).ends_with("   8-11  …\n"), "{}", ran.out);
}

#[test]
fn each_crawler_has_a_column_of_marks() {
    let folder = Folder::new();
    let out = scan(&folder, "C-0", &[capture()], &[]);
    let marks = |args: &[&str]| -> Vec<String> {
        let ran = check(&out, &[&["--host", "h.example"], args].concat());
        let lines = text_of(&ran).lines();
        let lines = lines.filter(|line| line.starts_with(['>', '!']) || line.starts_with(" >"));
        let marks = lines.map(|line| line.split("  ").next().unwrap().to_owned());
        marks.collect()
    };
    let value = json(
        &out,
        &[
            "--host",
            "h.example",
            "--any-name",
            "-a",
            "GPTBot,other",
            "-a",
            "CCBot",
        ],
    );
    let lines = |i: usize| value["agents"][i]["lines"].clone();
    assert_eq!(lines(0), serde_json::json!([5, 7]));
    assert_eq!(lines(1), serde_json::json!([2, 3]));
    assert_eq!(lines(2), serde_json::json!([6, 7]));
    assert_eq!(value["agents"][0]["verdict"], "disallow_all");
    assert_eq!(marks(&["-a", "GPTBot"]), [">", "!"]);
    assert_eq!(marks(&["-a", "CCBot,GPTBot"]), [" >", ">", "!!"]);
    // The line that proves a verdict is known in the default dialect only.
    let dialect = ["-a", "GPTBot", "--dialect", "rfc9309"];
    assert_eq!(marks(&dialect), [">", ">"]);
    let ran = check(&out, &[&["--host", "h.example"], &dialect[..]].concat());
    assert_eq!(
        field(&ran, "marks"),
        "> lines that apply to GPTBot by rfc9309"
    );
    assert!(
        ran.out
            .contains("GPTBot: disallow_all (by its own rules, line 7)\n  google      ")
    );
}

#[test]
fn redirects_revisits_and_statuses_are_followed_and_named() {
    let folder = Folder::new();
    let mut revisit = TestCapture::status("https://again.example/robots.txt", 3, 200);
    revisit.make_revisit('B');
    let mut unknown = TestCapture::status("https://unknown.example/robots.txt", 4, 200);
    unknown.make_revisit('C');
    let mut content = TestCapture::ok("https://h.example/robots.txt", 1, TEXT);
    content.set_digest('B');
    let captures = [
        content,
        TestCapture::redirect(
            "https://www.h.example/robots.txt",
            2,
            "https://h.example/robots.txt",
        ),
        revisit,
        unknown,
        TestCapture::redirect(
            "https://away.example/robots.txt",
            5,
            "https://none.example/",
        ),
        TestCapture::status("https://gone.example/robots.txt", 6, 404),
    ];
    let out = scan(&folder, "C-0", &captures, &[]);
    let check = |host: &str| check_in(folder.path(), &out, &["--host", host]);
    for (host, word) in [("www.h.example", "leads to"), ("again.example", "same as")] {
        let ran = check(host);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(field(&ran, word), "https://h.example/robots.txt");
        assert!(field(&ran, "text").starts_with("from the archive "));
        assert!(
            text_of(&ran).contains("  5  User-agent: GPTBot\n"),
            "{}",
            ran.out
        );
    }
    for (host, words) in [
        (
            "unknown.example",
            "none: no capture has the content of this revisit",
        ),
        ("away.example", "none: the body of such a response"),
        ("gone.example", "none: the body of such a response"),
    ] {
        let ran = check(host);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(field(&ran, "text").starts_with(words), "{}", ran.out);
        assert!(ran.out.contains("(by the HTTP status)\n"), "{}", ran.out);
        assert!(!ran.out.contains("marks "), "{}", ran.out);
    }
    assert_eq!(
        field(&check("away.example"), "redirects"),
        "to https://none.example/"
    );
    assert!(
        check("gone.example")
            .out
            .contains("its status allows everything")
    );
}

#[test]
fn joined_datasets_show_the_last_crawl_unless_another_is_named() {
    let folder = Folder::new();
    for (crawl, body) in [("C-0", "User-agent: *\nAllow: /0\n"), ("C-1", TEXT)] {
        let time = if crawl == "C-0" { 1 } else { 2 };
        let capture = TestCapture::ok("https://h.example/robots.txt", time, body);
        scan(&folder, crawl, &[capture], &["--overwrite"]);
        fs::create_dir_all(folder.path().join("all")).unwrap();
        fs::rename(folder.arg("out"), folder.arg(&format!("all/{crawl}"))).unwrap();
    }
    let all = folder.arg("all");
    let ran = run(["join", &all, "-q"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let host = ["--host", "h.example"];
    let ran = check_in(folder.path(), &all, &host);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("crawl C-1\n"), "{}", ran.out);
    assert!(text_of(&ran).contains("GPTBot"));
    for other in [["--crawl", "C-0"], ["--at", "2026-01-05T00:00:01Z"]] {
        let ran = check_in(folder.path(), &all, &[&host[..], &other].concat());
        assert!(ran.out.contains("crawl C-0\n"), "{}", ran.out);
        assert!(field(&ran, "text").contains("crawl-data/C-0/"));
        assert!(text_of(&ran).contains("  2  Allow: /0\n"), "{}", ran.out);
        let value = json(&all, &[&host[..], &other].concat());
        assert_eq!(value["text"]["lines"][1]["text"], "Allow: /0");
    }
}

#[test]
fn a_missing_or_changed_archive_is_reported_and_the_rows_are_shown() {
    let folder = Folder::new();
    let other = TestCapture::ok("https://i.example/robots.txt", 8, TEXT);
    let out = scan(&folder, "C-0", &[capture(), other], &[]);
    let expected = check(&out, &["--host", "h.example"]);
    let path = folder.arg(&format!("crawl-data/C-0/{SEGMENT}"));
    let original = fs::read_to_string(&path).unwrap();
    let second = original.rfind("WARC/1.0").unwrap();
    let base = folder.path().to_str().unwrap();
    let args = ["--host", "h.example", "--base", base];
    let shown = |bytes: Option<Vec<u8>>, words: &str| {
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let ran = check(&out, &args);
        assert_eq!(ran.code, Some(3), "{words}: {}", ran.err);
        let warning = "warning: the text does not come from the archive 'crawl-data/C-0/";
        assert!(ran.err.starts_with(warning), "{}", ran.err);
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
        assert!(field(&ran, "text").starts_with("rebuilt from rows"));
        assert_eq!(text_of(&ran), text_of(&expected));
        let value = json(&out, &args);
        assert!(
            value["problem"].as_str().unwrap().contains(words),
            "{value}"
        );
    };
    let changed = |from: &str, to: &str| Some(original.replacen(from, to, 1).into_bytes());
    shown(changed("# all", "# any"), "the digest of its record is ");
    shown(
        changed("https://h.", "https://j."),
        "the URL 'https://j.example/robots.txt'",
    );
    shown(
        changed("WARC-Type: response", "WARC-Type: metadata"),
        "not a capture",
    );
    shown(changed("WARC/1.0", "WARC-1.0"), "cannot read '");
    shown(
        Some(original.as_bytes()[second..].to_vec()),
        "the URL 'https://i.",
    );
    shown(
        Some(original.as_bytes()[..second / 2].to_vec()),
        "its record cannot be read: ",
    );
    shown(Some(Vec::new()), "its record cannot be read: ");
    shown(None, "there is no file '");
    // A pipe is not opened.
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let ran = check(&out, &args);
    assert!(ran.err.contains("there is no file '"), "{}", ran.err);
}

#[test]
fn bytes_that_do_not_have_the_digest_of_their_header_are_refused() {
    let folder = Folder::new();
    let mut text = String::new();
    capture().write(&mut text);
    let block = text.split_once("\r\n\r\n").unwrap().1;
    let block = block.strip_suffix("\r\n\r\n").unwrap();
    let digest = sha1_hex(block.as_bytes());
    let header = format!("WARC-Block-Digest: sha1:{digest}\r\nContent-Length");
    let text = text.replacen("Content-Length", &header, 1);
    let payload = format!(
        "WARC-Payload-Digest: sha1:{}\r\nWARC-Block",
        sha1_hex(TEXT.as_bytes())
    );
    let text = text.replacen("WARC-Block", &payload, 1);
    let path = folder.write("a.warc", &text);
    let out = scan_archive(&folder, &path, &["--crawl", "C"]);
    let args = ["--host", "h.example", "--base", &path];
    assert_eq!(check(&out, &args).code, Some(0));
    fs::write(&path, text.replacen("# all", "# any", 1)).unwrap();
    let ran = check(&out, &args);
    assert_eq!(ran.code, Some(3));
    assert!(
        ran.err.contains("differ from their WARC-Block-Digest"),
        "{}",
        ran.err
    );
    assert!(field(&ran, "text").starts_with("rebuilt from rows"));
}

fn sha1_hex(bytes: &[u8]) -> String {
    use sha1::Digest as _;
    let digest = sha1::Sha1::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_host_is_found_with_and_without_www() {
    for (captured, requested) in [
        ("www.h.example", "h.example"),
        ("h.example", "www.h.example"),
        ("www.h.example", "https://h.example"),
    ] {
        let folder = Folder::new();
        let url = format!("https://{captured}/robots.txt");
        let out = scan(&folder, "C-0", &[TestCapture::ok(&url, 7, TEXT)], &[]);
        let history = folder.arg("history");
        let ran = run(["history", &out, "-q", "-o", &history]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        for dataset in [&out, &history] {
            let ran = check(dataset, &["--host", requested]);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
            let found = format!("{captured}: the tables have both names as one host");
            assert_eq!(field(&ran, "found as"), found);
            assert_eq!(field(&ran, "host"), requested);
            let value = json(dataset, &["--host", requested]);
            assert_eq!(
                (&value["host"], &value["found_as"]),
                (&requested.into(), &captured.into())
            );
            let ran = check(dataset, &["--host", captured]);
            assert!(!ran.out.contains("found as"), "{}", ran.out);
            let ran = check(dataset, &["--host", requested, "--at", "2000-01-01"]);
            assert_eq!(ran.code, Some(3), "{}", ran.out);
        }
        let ran = check(&history, &["--host", "www.h.exampl"]);
        assert!(
            ran.err.contains("there are captures of 'h.example'"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_base_and_a_crawl_must_exist() {
    let folder = Folder::new();
    let out = scan(&folder, "C-0", &[capture()], &[]);
    let host = ["--host", "h.example"];
    let refused = |dataset: &str, args: &[&str], words: &[&str]| {
        assert_refused(&check(dataset, &[&host[..], args].concat()), words);
    };
    refused(
        &out,
        &["--base", "/nowhere"],
        &["'/nowhere'", "no such file", "hint: --base"],
    );
    refused(&out, &["--base", "ftp://h/"], &["'ftp://h/'", "hint: "]);
    refused(&out, &["--crawl", "C-9"], &["no crawl 'C-9'"]);
    assert_refused(&check(&out, &[]), &["--host"]);
}

#[test]
fn hostile_text_is_escaped() {
    let folder = Folder::new();
    let hostile = "User-agent: a\x1b[2Jb\u{9b}1m\u{202e}c\nDisallow: /\x07\\\n# \x1b]0;t\x07\n";
    let capture = TestCapture::ok("https://h.example/robots.txt", 7, hostile);
    let out = scan(&folder, "C-0", &[capture], &["--with-bodies"]);
    let host = ["--host", "h.example", "--any-name", "-a", "x\u{202e}y"];
    let is_hostile =
        |char: char| char.is_control() && char != '\n' || ['\u{202e}', '\u{9b}'].contains(&char);
    for ran in [
        check(&out, &host),
        check_in(folder.path(), &out, &host),
        check(&out, &[&host[..], &["--json"]].concat()),
    ] {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(!ran.out.contains(is_hostile), "{}", ran.out);
    }
    let ran = check(&out, &host);
    assert!(text_of(&ran).contains("User-agent: a\\x1b[2Jb\\u{9b}1m\\u{202e}c\n"));
    assert!(text_of(&ran).contains("  # \\x1b]0;t\\x07\n"));

    // A file that is not UTF-8 is escaped as in the tables.
    let folder = Folder::new();
    let mut text = Vec::new();
    let block = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\xe9\\\n";
    text.extend_from_slice(
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://h.example/robots.txt\r\n\
             WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Length: {}\r\n\r\n",
            block.len()
        )
        .as_bytes(),
    );
    text.extend_from_slice(block);
    text.extend_from_slice(b"\r\n\r\n");
    let path = folder.write("a.warc", text);
    for more in [&[][..], &["--with-bodies"]] {
        let out = scan_archive(&folder, &path, &[more, &["--overwrite"]].concat());
        for folder in [folder.path(), Path::new("/")] {
            let ran = check_in(folder, &out, &["--host", "h.example"]);
            assert!(
                text_of(&ran).contains("Disallow: /\\xE9\\\\\n"),
                "{}",
                ran.out
            );
        }
    }
}

#[test]
fn the_rows_of_hosts_of_the_samples_have_the_lines_of_the_archive() {
    let folder = Folder::new();
    let inputs = [
        "cc-robotstxt.warc.gz",
        "whole-file.warc.gz",
        "frames-with-dictionary.warc.zst",
    ];
    let inputs = inputs.map(archive);
    let out = folder.arg("out");
    let ran = run([&inputs[0], &inputs[1], &inputs[2], "-q", "-o", &out]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let base = Path::new(&inputs[0]).parent().unwrap().to_str().unwrap();
    let files = rows(Path::new(&out), "robots_files").into_iter();
    let files = files.filter(|row| row["is_robots_path"] == true);
    let hosts: BTreeSet<String> = files
        .filter_map(|row| Some(row["url_host_name"].as_str()?.to_owned()))
        .collect();
    let (mut compared, mut shared, mut compressed) = (0, 0, 0);
    for host in hosts.iter().step_by(3) {
        let from_rows = json(&out, &["--host", host]);
        let from_archive = json(&out, &["--host", host, "--base", base]);
        if from_rows["text"].is_null() {
            assert!(from_archive["text"].is_null(), "{host}");
            continue;
        }
        assert_eq!(from_archive["text"]["source"], "archive", "{from_archive}");
        assert_eq!(from_rows["text"]["source"], "rows");
        let whole = from_archive["text"]["lines"].as_array().unwrap();
        for line in from_rows["text"]["lines"].as_array().unwrap() {
            let number = line["line_no"].as_u64().unwrap();
            let written = &whole[number as usize - 1];
            assert_eq!(written["line_no"], number);
            let written = written["text"].as_str().unwrap().to_lowercase();
            let rebuilt = line["text"].as_str().unwrap().to_lowercase();
            let (key, value) = rebuilt.split_once([':', ' ']).unwrap_or((&rebuilt, ""));
            assert!(
                written.contains(key.trim()) && written.contains(value.trim()),
                "{host} {number}: {written:?} {rebuilt:?}"
            );
            compared += 1;
        }
        shared += u32::from(from_rows["warc_record_length"].is_null());
        let name = from_rows["warc_filename"].as_str().unwrap();
        compressed += u32::from(name.ends_with(".zst"));
    }
    assert!(compared > 100, "{compared}");
    assert!(shared + compressed > 0, "{shared} {compressed}");
}

#[test]
fn the_printed_command_fetches_the_record() {
    if Command::new("warcio").arg("--version").output().is_err() {
        println!("skipped: warcio is not installed");
        return;
    }
    for name in ["plain.warc", "per-record-1.1.warc.gz", "whole-file.warc.gz"] {
        let folder = Folder::new();
        let path = folder.put(name, &format!("it's {name}"));
        let out = scan_archive(&folder, &path, &["--crawl", "C"]);
        for row in rows(Path::new(&out), "robots_files") {
            if row["is_robots_path"] != true {
                continue;
            }
            let written = row["url"].as_str().unwrap();
            let origin = written.strip_suffix("/robots.txt").unwrap();
            let value = json(&out, &["--host", origin, "--base", &path]);
            let rules = match &value["rules_capture"] {
                Value::Null => &value["capture"],
                rules => rules,
            };
            let shell = Command::new("sh")
                .args(["-c", value["fetch"].as_str().unwrap()])
                .current_dir(folder.path())
                .output()
                .unwrap();
            assert!(shell.status.success(), "{name}: {value}");
            let text = match name {
                // Each record has a gzip member now.
                "whole-file.warc.gz" => {
                    let archive = File::open(folder.path().join("records.warc.gz")).unwrap();
                    let mut text = String::new();
                    MultiGzDecoder::new(archive)
                        .read_to_string(&mut text)
                        .unwrap();
                    text
                }
                _ => String::from_utf8_lossy(&shell.stdout).into_owned(),
            };
            let records: Vec<&str> = text.split("\r\n\r\nWARC/").collect();
            let index = value["warc_record_in_member"].as_u64().unwrap() as usize;
            let record = records[index].to_lowercase();
            let uri = format!("warc-target-uri: {}", rules["url"].as_str().unwrap());
            assert!(record.contains(&uri), "{name}: {uri} {text}");
        }
    }
}
