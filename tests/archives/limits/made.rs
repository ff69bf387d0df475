//! Generated archives for the tests of limits.

use std::fs;
use std::path::{Path, PathBuf};

fn record(host: &str, block: &[u8]) -> Vec<u8> {
    let header = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: https://{host}/robots.txt\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// Returns the record of a response with a status, header fields and a body.
pub(super) fn response(status: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{fields}\r\n");
    record("hostile.example", &[head.as_bytes(), body].concat())
}

/// Returns the record of a robots.txt file.
pub(super) fn capture(body: &[u8]) -> Vec<u8> {
    response("200 OK", "Content-Type: text/plain\r\n", body)
}

/// Returns a small capture without anomalies.
pub(super) fn sound() -> Vec<u8> {
    sound_of("sound.example")
}

/// Returns a small capture without anomalies for a host.
pub(super) fn sound_of(host: &str) -> Vec<u8> {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
    let body = b"User-agent: *\nDisallow: /private/\n";
    record(host, &[&head[..], body].concat())
}

/// Returns a gzip member with a file name in its header, unless `name` is empty.
pub(super) fn gzip_member(data: &[u8], name: &[u8]) -> Vec<u8> {
    let builder = match name {
        [] => flate2::GzBuilder::new(),
        name => flate2::GzBuilder::new().filename(name),
    };
    let mut writer = builder.write(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut writer, data).unwrap();
    writer.finish().unwrap()
}

/// Writes an uncompressed archive of records and returns its path.
pub(super) fn archive(folder: &Path, records: &[Vec<u8>]) -> String {
    let path = folder.join("made.warc");
    fs::write(&path, records.concat()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Scans an archive into a new dataset and returns the path of the dataset.
pub(super) fn scan(folder: &Path, archive: &str, more: &[&str]) -> PathBuf {
    let out = folder.join("out");
    let _ = fs::remove_dir_all(&out);
    let args = [archive, "-o", out.to_str().unwrap(), "--crawl", "X"];
    let args = args.iter().chain(&["--subset", "robotstxt"]).chain(more);
    let ran = support::run(args);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    out
}
