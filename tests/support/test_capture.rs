//! Archives and datasets of captures that a test describes.

use crate::{Random, rows, run};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A capture to write.
#[derive(Clone, Debug)]
pub struct TestCapture {
    pub url: String,
    crawl: usize,
    /// Seconds after midnight.
    pub time: i64,
    pub status: u16,
    pub location: Option<String>,
    body: String,
    pub is_revisit: bool,
    /// The last letter of a made-up digest; `None` for the real digest.
    pub digest: Option<char>,
}

impl TestCapture {
    pub fn status(url: &str, time: i64, status: u16) -> Self {
        Self {
            url: url.to_owned(),
            crawl: 0,
            time,
            status,
            location: None,
            body: String::new(),
            is_revisit: false,
            digest: None,
        }
    }

    pub fn ok(url: &str, time: i64, body: &str) -> Self {
        Self {
            body: body.to_owned(),
            ..Self::status(url, time, 200)
        }
    }

    pub fn redirect(url: &str, time: i64, location: &str) -> Self {
        Self {
            location: Some(location.to_owned()),
            ..Self::status(url, time, 301)
        }
    }

    pub fn of_crawl(mut self, crawl: usize) -> Self {
        self.crawl = crawl;
        self
    }

    /// Makes the capture a revisit of the content with an invented digest.
    pub fn make_revisit(&mut self, letter: char) {
        self.is_revisit = true;
        self.digest = Some(letter);
    }

    /// Sets an invented digest.
    pub fn set_digest(&mut self, letter: char) {
        self.digest = Some(letter);
    }

    pub fn write(&self, out: &mut String) {
        let mut block = format!("HTTP/1.1 {} X\r\n", self.status);
        if let Some(location) = &self.location {
            let _ = write!(block, "Location: {location}\r\n");
        }
        let _ = write!(block, "\r\n{}", self.body);
        let kind = if self.is_revisit {
            "revisit"
        } else {
            "response"
        };
        let date = date(self.time);
        let _ = write!(
            out,
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {}\r\nWARC-Date: {date}\r\n",
            self.url
        );
        if let Some(letter) = self.digest {
            let digest = digest(letter);
            let _ = write!(out, "WARC-Payload-Digest: sha1:{digest}\r\n");
        }
        let _ = write!(
            out,
            "Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
    }
}

fn digest(letter: char) -> String {
    format!("{}{letter}", "A".repeat(31))
}

/// Returns a time as archives and lists have it. Second -1 is on the day before.
pub fn date(second: i64) -> String {
    match second {
        -1 => "2026-01-04T23:59:59Z".to_owned(),
        _ => format!("2026-01-05T00:{:02}:{:02}Z", second / 60, second % 60),
    }
}

/// Writes one archive per crawl, with the captures in this order, and scans them.
pub fn dataset(folder: &TempDir, captures: &[TestCapture]) -> PathBuf {
    let mut archives: BTreeMap<usize, String> = BTreeMap::new();
    for capture in captures {
        capture.write(archives.entry(capture.crawl).or_default());
    }
    let out = folder.path().join("dataset");
    let mut args = vec!["-o".to_owned(), out.to_str().unwrap().to_owned()];
    for (crawl, text) in archives {
        let segment = format!("crawl-data/C-{crawl}/segments/1/robotstxt");
        let segment = folder.path().join(segment);
        fs::create_dir_all(&segment).unwrap();
        let archive = segment.join("a.warc");
        fs::write(&archive, text).unwrap();
        args.push(archive.to_str().unwrap().to_owned());
    }
    let ran = run(args);
    // TestCapture-up digests are faults of an uncompressed archive.
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    out
}

/// Returns crawl and `robots_id` of each capture, in the order of crawls and
/// records.
pub fn robots_ids(dataset: &std::path::Path) -> Vec<(String, i64)> {
    let mut ids = Vec::new();
    for crawl in 0..3 {
        let name = format!("C-{crawl}");
        let table = format!("robots_files/crawl={name}");
        for row in rows(dataset, &table) {
            ids.push((name.clone(), row["robots_id"].as_i64().unwrap()));
        }
    }
    ids
}

pub const ORIGINS: [&str; 5] = [
    "https://a.example",
    "http://a.example",
    "https://b.example",
    "http://b.example:8080",
    "https://c.example",
];

/// The seconds in which random captures are fetched.
pub const SECONDS: i64 = 24;

/// Returns random captures of [`ORIGINS`], many of which redirect to each other.
pub fn random(random: &mut Random) -> Vec<TestCapture> {
    let url = |random: &mut Random| {
        let origin = ORIGINS[random.below(ORIGINS.len())];
        let page = ["/robots.txt", "/robots.txt", "/robots.txt", "/go"][random.below(4)];
        format!("{origin}{page}")
    };
    let mut captures: Vec<TestCapture> = (0..40)
        .map(|_| {
            let from = url(random);
            let time = random.below(SECONDS as usize) as i64;
            let letter = ['B', 'C', 'D'][random.below(3)];
            let kind = random.below(10);
            let capture = match kind {
                0..=3 => {
                    let next = match random.below(8) {
                        0 => "https://nowhere.example/robots.txt".to_owned(),
                        _ => url(random),
                    };
                    TestCapture::redirect(&from, time, &next)
                }
                4 => TestCapture::ok(&from, time, "User-agent: *\nDisallow: /x\n"),
                5 | 6 => {
                    let status = [200, 304, 404][random.below(3)];
                    let mut revisit = TestCapture::status(&from, time, status);
                    // Other revisits are not captures.
                    revisit.is_revisit = from.ends_with("/robots.txt");
                    revisit
                }
                _ => {
                    let status = [404, 403, 401, 410, 429, 503, 304][random.below(7)];
                    TestCapture::status(&from, time, status)
                }
            };
            TestCapture {
                digest: Some(letter),
                ..capture.of_crawl(random.below(2))
            }
        })
        .collect();
    captures.sort_by_key(|capture| capture.crawl);
    captures
}
