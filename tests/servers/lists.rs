//! Lists of archives with URLs, and lists at URLs.

use super::script::Fault;
use super::{Site, sample, wait};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::process::Stdio;
use support::Ran;

/// The folder of the archives, as in lists of Common Crawl.
const FOLDER: &str = "crawl-data/C/segments/1/robotstxt";

/// Creates a site with three archives below `/mirror/crawl-data`, and returns the lines of their
/// list.
fn mirror() -> (Site, Vec<String>) {
    let mut site = Site::small(0);
    let mut lines = Vec::new();
    for name in ["plain.warc", "chunked.warc.gz", "whole-file.warc.gz"] {
        lines.push(format!("{FOLDER}/{name}"));
        site.add(&format!("/mirror/{FOLDER}/{name}"), sample(name));
    }
    (site, lines)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Scans the archives of a list.
fn scan(site: &Site, list: &str, more: &[&str]) -> Ran {
    site.scan(&[], &[&["--paths", list], more].concat())
}

/// Asserts that a run had the tables of a run over a local list.
#[track_caller]
fn assert_as_local_list(site: &Site, ran: &Ran, lines: &[String]) {
    let list = site.folder.write("list.paths", lines.join("\n"));
    let base = site.folder.arg("local/mirror");
    site.assert_as(ran, &[], &["--paths", &list, "--base", &base]);
}

#[test]
fn a_list_of_common_crawl_needs_no_base() {
    let (site, lines) = mirror();
    let text = lines.join("\n");
    for (name, bytes) in [
        ("robotstxt.paths", text.clone().into_bytes()),
        ("robotstxt.paths.gz", gzip(&text)),
    ] {
        let path = format!("/mirror/crawl-data/C/{name}");
        site.server.put(&path, bytes);
        let ran = scan(&site, &site.server.url(&path), &["--overwrite"]);
        assert_as_local_list(&site, &ran, &lines);
    }
}

#[test]
fn the_lines_of_a_list_are_below_its_folder() {
    let (site, lines) = mirror();
    site.server.put("/mirror/list", lines.join("\n"));
    let ran = scan(&site, &site.server.url("/mirror/list?x=1"), &[]);
    assert_as_local_list(&site, &ran, &lines);
}

#[test]
fn a_base_is_put_before_the_lines() {
    let (site, lines) = mirror();
    site.server.put("/elsewhere/list", lines.join("\n"));
    let local = site.folder.write("local.paths", lines.join("\n"));
    let base = site.server.url("/mirror/");
    let without_slash = site.server.url("/mirror");
    for list in [&site.server.url("/elsewhere/list"), &local] {
        for base in [&base, &without_slash] {
            let ran = scan(&site, list, &["--base", base, "--overwrite"]);
            assert_as_local_list(&site, &ran, &lines);
        }
    }
}

#[test]
fn a_list_may_have_urls_of_its_own_server() {
    let (site, lines) = mirror();
    let urls = site.urls().join("\n");
    site.server.put("/list", urls.clone());
    let ran = scan(&site, &site.server.url("/list"), &[]);
    assert_as_local_list(&site, &ran, &lines);
    // A local list may have any.
    let list = site.folder.write("urls.paths", urls);
    let ran = scan(&site, &list, &["--overwrite"]);
    assert_as_local_list(&site, &ran, &lines);
}

#[test]
fn a_list_cannot_name_local_files_or_other_servers() {
    let (site, lines) = mirror();
    let file = site.folder.arg(&format!("local/mirror/{}", lines[0]));
    let (other, _) = mirror();
    let other_port = format!("{}/x.warc", other.server.url(""));
    let here = site.server.host();
    for line in [
        file.as_str(),
        "/etc/passwd",
        "../x.warc",
        "a/../../x.warc",
        "a/..",
        "..\\x.warc",
        "%2e%2e/x.warc",
        "a/%2E./%2e%2e/x.warc",
        ".\t./x.warc",
        "..%2fx.warc",
        "%252e%252e%255cx.warc",
        &format!("file://{file}"),
        &format!("file:{file}"),
        &format!("FILE://{file}"),
        "//other.example/x.warc",
        "http://other.example/x.warc",
        &format!("http://{here}@other.example/x.warc"),
        &format!("http://{here}.other.example/x.warc"),
        &other_port,
        &format!("https://{here}/x.warc"),
        "ftp://other.example/x.warc",
        "s3://bucket/x.warc",
    ] {
        let base = site.server.url("/mirror");
        for (path, more) in [
            ("/mirror/list", &[][..]),
            (
                "/mirror/crawl-data/C/list",
                &["--base", &base, "--missing", "skip"],
            ),
        ] {
            site.server.put(path, format!("{}\n{line}\n", lines[0]));
            site.server.clear_log();
            let ran = scan(&site, &site.server.url(path), more);
            site.assert_failed(&ran, 2, &["error: "]);
            assert!(!site.out().exists(), "{line}");
            let log = site.server.log();
            assert!(log.iter().all(|request| request.path() == path), "{line}");
        }
    }
    assert_eq!(other.server.log().len(), 0);
}

#[test]
fn no_line_leads_out_of_the_base() {
    let (site, lines) = mirror();
    let base = site.server.url("/mirror/crawl-data");
    for line in [
        "../secret.warc",
        "a/%2e%2e/%2e%2e/secret.warc",
        ".\t./secret.warc",
    ] {
        let list = site
            .folder
            .write("local.paths", format!("{}\n{line}\n", lines[0]));
        site.server.clear_log();
        let ran = scan(&site, &list, &["--base", &base]);
        let advice = "hint: correct the line, or give a --base";
        site.assert_failed(&ran, 2, &["which leads out of its folder", advice]);
        assert_eq!(site.server.log().len(), 0);
    }
}

/// A list of which the end is missing would be a smaller crawl.
#[test]
fn a_list_that_is_cut_short_is_completed() {
    let (site, lines) = mirror();
    let text = lines.join("\n");
    for (name, bytes) in [
        ("list", text.clone().into_bytes()),
        ("list.gz", gzip(&text)),
    ] {
        let path = format!("/mirror/{name}");
        let (after_bytes, times) = (bytes.len() / 2, 1);
        site.server.put(&path, bytes);
        site.server
            .script(Some(&path), Fault::Short { after_bytes, times });
        let ran = scan(&site, &site.server.url(&path), &["--overwrite"]);
        assert_as_local_list(&site, &ran, &lines);
        assert_eq!(site.server.gets(&path).len(), 2);
    }
}

#[test]
fn a_list_that_is_missing_or_damaged_is_an_error_before_the_output_is_created() {
    let (site, lines) = mirror();
    let mut cut = gzip(&lines.join("\n"));
    cut.truncate(cut.len() / 2);
    site.server.put("/mirror/cut.gz", cut);
    site.server.put("/mirror/empty", "\n# nothing\n");
    for name in ["missing", "cut.gz", "empty"] {
        let list = site.server.url(&format!("/mirror/{name}"));
        let ran = scan(&site, &format!("{list}?sig=Tok3n"), &[]);
        assert!(matches!(ran.code, Some(2 | 3)), "{:?}", ran.code);
        assert!(ran.err.contains(&list) && !ran.err.contains("Tok3n"));
        assert!(!site.out().exists());
    }
}

#[test]
fn the_crawl_of_a_list_is_in_its_lines() {
    let (site, lines) = mirror();
    let path = "/mirror/crawl-data/C/robotstxt.paths";
    site.server.put(path, lines.join("\n"));
    let mut command = support::command();
    command.args(["scan", "--rate", "none", "--paths", &site.server.url(path)]);
    command.args(["--part-inputs", "128", "-o"]).arg(site.out());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = wait(command.spawn().unwrap());
    // `C` and `robotstxt` are folders of the lines.
    assert_as_local_list(&site, &ran, &lines);
}
