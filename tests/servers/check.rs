//! `check --base URL`: one member of an archive on a server.

use super::script::{ALWAYS, Fault};
use super::{PROXIES, Site, sample, wait};
use serde_json::Value;
use std::process::Stdio;
use support::{Ran, command, rows};

/// The folder of the archives, as in lists of Common Crawl.
const FOLDER: &str = "/mirror/crawl-data/C/segments/1/robotstxt";

/// Creates a site with one archive, scans the local copy, and returns the dataset and the path of
/// the archive on the server.
fn site(name: &str) -> (Site, String, String) {
    let mut site = Site::new([]);
    let path = format!("{FOLDER}/{name}");
    site.add(&path, sample(name));
    let (ran, out) = site.scan_local(&site.locals(), &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    (site, out.to_str().unwrap().to_owned(), path)
}

fn check(dataset: &str, host: &str, base: &str, more: &[&str]) -> Ran {
    let mut command = command();
    command.args(["check", dataset, "--host", host, "--base", base, "--json"]);
    command.args(more);
    for variable in PROXIES {
        command.env_remove(variable);
    }
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    wait(command.spawn().unwrap())
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err))
}

/// Returns a host with a text, the offset of its member and the length.
fn host(dataset: &str) -> (String, usize, usize) {
    let files = rows(dataset.as_ref(), "robots_files");
    let row = files.iter().find(|row| {
        row["is_robots_path"] == true
            && row["n_lines"].as_i64() > Some(3)
            && row["warc_record_offset"] != 0
    });
    let row = row.unwrap();
    let origin = row["url"].as_str().unwrap().strip_suffix("/robots.txt");
    let number = |name: &str| row[name].as_i64().unwrap() as usize;
    (
        origin.unwrap().to_owned(),
        number("warc_record_offset"),
        number("warc_record_length"),
    )
}

#[test]
fn only_the_bytes_of_the_member_are_requested() {
    for name in ["cc-robotstxt.warc.gz", "plain.warc"] {
        let (site, out, path) = site(name);
        let (host, offset, length) = host(&out);
        for base in ["/mirror", "/mirror/"] {
            site.server.clear_log();
            let ran = check(&out, &host, &site.server.url(base), &[]);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
            let value = json(&ran);
            assert_eq!(value["text"]["source"], "archive");
            assert_eq!(value["archive"], site.server.url(&path));
            let gets = site.server.gets(&path);
            assert_eq!(gets.len(), 1, "{gets:?}");
            let range = format!("bytes={offset}-{}", offset + length - 1);
            assert_eq!(gets[0].range.as_deref(), Some(&*range));
            let expected = format!("warcio extract {} {offset}", site.server.url(&path));
            assert_eq!(value["fetch"], expected);
        }
        let local = json(&check(&out, &host, &site.folder.arg("local/mirror"), &[]));
        let remote = json(&check(&out, &host, &site.server.url("/mirror"), &[]));
        assert_eq!(local["text"], remote["text"]);
    }
}

#[test]
fn an_archive_whose_members_cannot_be_read_alone_is_fetched_whole() {
    for name in ["whole-file.warc.gz", "frames-with-dictionary.warc.zst"] {
        let (site, out, path) = site(name);
        let files = rows(out.as_ref(), "robots_files");
        let is_text = |row: &&Value| row["is_robots_path"] == true && row["n_lines"].is_i64();
        let row = files.iter().rfind(is_text).unwrap();
        let origin = row["url"].as_str().unwrap().strip_suffix("/robots.txt");
        let ran = check(&out, origin.unwrap(), &site.server.url("/mirror"), &[]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(json(&ran)["text"]["source"], "archive");
        let gets = site.server.gets(&path);
        assert_eq!((gets.len(), &gets[0].range), (1, &None));
    }
}

#[test]
fn a_member_that_is_cut_continues_where_it_ended() {
    let (site, out, path) = site("cc-robotstxt.warc.gz");
    let (host, offset, length) = host(&out);
    site.script(
        0,
        Fault::Short {
            after_bytes: 100,
            times: 1,
        },
    );
    let ran = check(&out, &host, &site.server.url("/mirror"), &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(json(&ran)["text"]["source"], "archive");
    let gets = site.server.gets(&path);
    let ranges: Vec<_> = gets.iter().filter_map(|get| get.range.clone()).collect();
    let range = |first| format!("bytes={first}-{}", offset + length - 1);
    assert_eq!(ranges, [range(offset), range(offset + 100)]);
}

#[test]
fn a_server_that_has_other_bytes_or_none_is_reported_and_the_rows_are_shown() {
    let faults = [
        (
            Fault::Status {
                status: 404,
                retry_after: None,
                times: ALWAYS,
            },
            "404",
        ),
        (
            Fault::Status {
                status: 403,
                retry_after: None,
                times: ALWAYS,
            },
            "is denied",
        ),
        (Fault::IgnoreRange, "cannot read"),
        (Fault::WrongRange { times: ALWAYS }, "cannot read"),
        (Fault::NoAnswer { times: ALWAYS }, "cannot read"),
        (
            Fault::Stall {
                after_bytes: 0,
                times: ALWAYS,
            },
            "cannot read",
        ),
        (
            Fault::Change {
                to: sample("cc-robotstxt-later.warc.gz"),
                after_requests: 0,
            },
            "its record",
        ),
    ];
    let (site, out, _) = site("cc-robotstxt.warc.gz");
    let (host, ..) = host(&out);
    for (fault, words) in faults {
        let shown = format!("{fault:?}");
        let shown = shown.get(..40).unwrap_or(&shown);
        site.server.clear_script();
        site.script(0, fault);
        let base = site
            .server
            .url("/mirror")
            .replace("http://", "http://me:secret@");
        let ran = check(&out, &host, &base, &["--patience", "4s"]);
        assert_eq!(ran.code, Some(3), "{shown}: {}", ran.err);
        let warning = "warning: the text does not come from the archive 'crawl-data/C/";
        assert!(ran.err.contains(warning), "{shown}: {}", ran.err);
        assert!(ran.err.contains(words), "{shown}: {}", ran.err);
        assert_eq!(json(&ran)["text"]["source"], "rows", "{shown}");
        assert!(!ran.err.contains("secret") && !ran.out.contains("secret"));
    }
}
