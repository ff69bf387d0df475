//! Wrong settings of S3, and listings that S3 does not send. `jobs/test_s3.py` tests valid answers with moto.

use super::sample;
use super::server::Server;
use support::{Folder, Ran, command};

const KEY: (&str, &str) = ("key-of-tests", "secret-of-tests");

/// Returns a listing of these keys, with the beginning of a next page.
fn listing<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    let entry = |key| {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
             <ETag>\"x\"</ETag><Size>1</Size></Contents>"
        )
    };
    let entries: String = keys.into_iter().map(entry).collect();
    format!(
        "<ListBucketResult><Name>bucket</Name><IsTruncated>true</IsTruncated>\
         <NextContinuationToken>next</NextContinuationToken>{entries}</ListBucketResult>"
    )
}

/// Copies a small dataset to a server whose listings are this text. Returns the run and the number
/// of listings that were requested.
fn copy_to_listing(text: impl Into<Vec<u8>>) -> (Ran, usize) {
    let (server, folder) = (Server::start(), Folder::new());
    server.put("/bucket", text);
    let archive = folder.write("a.warc.gz", sample("per-record-1.1.warc.gz"));
    let out = folder.arg("out");
    let scan = [
        "--crawl",
        "C",
        "--subset",
        "robotstxt",
        "-o",
        &out,
        &archive,
    ];
    let ran: Ran = command().args(scan).output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut command = command();
    command
        .args(["copy", &out, "s3://bucket/copy"])
        .env("HOME", folder.path())
        .env_remove("AWS_PROFILE")
        .env("AWS_ENDPOINT_URL", server.url(""))
        .env("AWS_ALLOW_HTTP", "true")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ACCESS_KEY_ID", KEY.0)
        .env("AWS_SECRET_ACCESS_KEY", KEY.1);
    let ran = command.output().unwrap().into();
    (ran, server.gets("/bucket").len())
}

#[test]
fn a_listing_without_end_is_not_read_to_its_end() {
    // The same page follows for ever.
    let keys: Vec<String> = (0..100).map(|i| format!("copy/k{i}")).collect();
    let (ran, requests) = copy_to_listing(listing(keys.iter().map(String::as_str)));
    assert_eq!((ran.code, requests), (Some(2), 1), "{}", ran.err);
    assert!(ran.err.contains("has other objects, such as 'k0'"));
    let (ran, requests) = copy_to_listing(vec![b' '; 17 << 20]);
    assert_eq!((ran.code, requests), (Some(3), 1), "{}", ran.err);
    assert!(ran.err.contains("more than 16777216 bytes"), "{}", ran.err);
}

#[test]
fn a_key_that_is_not_a_path_is_another_object() {
    for (key, printed) in [("copy//x", "copy//x"), ("copy/&#27;[31m", r"copy/\x1b[31m")] {
        let (ran, requests) = copy_to_listing(listing([key]));
        assert_eq!((ran.code, requests), (Some(2), 1), "{}", ran.err);
        let words = format!("has other objects, such as '{printed}'");
        assert!(ran.err.contains(&words), "{}", ran.err);
    }
}

#[test]
fn a_server_that_is_not_s3_ends_a_copy() {
    let (ran, requests) = copy_to_listing("<ListBucketResult><Contents/></ListBucketResult>");
    assert_eq!((ran.code, requests), (Some(3), 4), "{}", ran.err);
    assert!(ran.err.contains("an answer that S3 does not give"));
}

#[test]
fn settings_of_s3_that_are_not_valid_are_errors() {
    let folder = Folder::new();
    for (i, (name, value, words)) in [
        ("AWS_REGION", "eu west", "AWS_REGION is 'eu west'"),
        ("AWS_REGION", "", "AWS_REGION is ''"),
        (
            "AWS_ENDPOINT_URL",
            "localhost:9000",
            "AWS_ENDPOINT_URL is 'localhost:9000'",
        ),
        ("AWS_ENDPOINT_URL", "", "AWS_ENDPOINT_URL is ''"),
        (
            "AWS_ENDPOINT_URL",
            "http://h h",
            "AWS_ENDPOINT_URL is 'http://h h'",
        ),
        ("AWS_ENDPOINT_URL_S3", "/x", "AWS_ENDPOINT_URL_S3 is '/x'"),
        ("AWS_ACCESS_KEY_ID", "Tok3n\n", "AWS_ACCESS_KEY_ID has"),
        (
            "AWS_SECRET_ACCESS_KEY",
            "Tok3n\n",
            "AWS_SECRET_ACCESS_KEY has",
        ),
        ("AWS_SESSION_TOKEN", "Tok3n\u{e9}", "AWS_SESSION_TOKEN has"),
        ("AWS_REQUEST_PAYER", "perhaps", "cannot be requested"),
        ("AWS_CONDITIONAL_PUT", "perhaps", "cannot be requested"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut command = command();
        command.args(["s3://bucket/x.warc", "--crawl", "C", "--subset", "s", "-o"]);
        command.arg(folder.path().join(format!("out-{i}")));
        command
            .env("HOME", folder.path())
            .env("AWS_REGION", "us-east-1");
        command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
        command.env("AWS_ACCESS_KEY_ID", KEY.0);
        command.env("AWS_SECRET_ACCESS_KEY", KEY.1);
        let ran: Ran = command.env(name, value).output().unwrap().into();
        assert_eq!(ran.code, Some(3), "{name} {value}: {}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
        assert!(!ran.err.contains("panicked") && !ran.err.contains("Tok3n"));
    }
}
