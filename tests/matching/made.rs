//! Archives made for a test, and a slow, obvious search for who speaks.

use crate::util::{Random, rows, run};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A capture to be made.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) url: String,
    crawl: usize,
    /// Seconds after a midnight.
    time: i64,
    status: u16,
    location: Option<String>,
    body: String,
    is_revisit: bool,
    /// The letter that its digest ends with; none: it is counted.
    digest: Option<char>,
}

impl Made {
    pub(crate) fn status(url: &str, time: i64, status: u16) -> Self {
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

    pub(crate) fn ok(url: &str, time: i64, body: &str) -> Self {
        Self {
            body: body.to_owned(),
            ..Self::status(url, time, 200)
        }
    }

    pub(crate) fn to(url: &str, time: i64, location: &str) -> Self {
        Self {
            location: Some(location.to_owned()),
            ..Self::status(url, time, 301)
        }
    }

    pub(crate) fn of_crawl(mut self, crawl: usize) -> Self {
        self.crawl = crawl;
        self
    }

    fn write(&self, out: &mut String) {
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

/// A time as archives and lists have it.
pub(crate) fn date(second: i64) -> String {
    match second {
        -1 => "2026-01-04T23:59:59Z".to_owned(),
        _ => format!("2026-01-05T00:{:02}:{:02}Z", second / 60, second % 60),
    }
}

/// Scans an archive a crawl, with these captures in this order.
pub(crate) fn dataset(folder: &TempDir, made: &[Made]) -> PathBuf {
    let mut archives: BTreeMap<usize, String> = BTreeMap::new();
    for it in made {
        it.write(archives.entry(it.crawl).or_default());
    }
    let out = folder.path().join("dataset");
    let mut args = vec!["-o".to_owned(), out.to_str().unwrap().to_owned()];
    for (crawl, text) in archives {
        let place = format!("crawl-data/C-{crawl}/segments/1/robotstxt");
        let place = folder.path().join(place);
        fs::create_dir_all(&place).unwrap();
        let archive = place.join("a.warc");
        fs::write(&archive, text).unwrap();
        args.push(archive.to_str().unwrap().to_owned());
    }
    let ran = run(args);
    // Digests that are made up are faults of a plain archive, and mark its captures.
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    out
}

/// Crawl and `robots_id` of each capture, in the order of crawls and records.
pub(crate) fn robots_ids(dataset: &std::path::Path) -> Vec<(String, i64)> {
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

pub(crate) const ORIGINS: [&str; 5] = [
    "https://a.example",
    "http://a.example",
    "https://b.example",
    "http://b.example:8080",
    "https://c.example",
];

/// Captures are made in so many seconds.
pub(crate) const SECONDS: i64 = 24;

/// Some captures of these origins, many of which lead to one another.
pub(crate) fn random(random: &mut Random) -> Vec<Made> {
    let url = |random: &mut Random| {
        let origin = ORIGINS[random.below(ORIGINS.len())];
        let page = ["/robots.txt", "/robots.txt", "/robots.txt", "/go"][random.below(4)];
        format!("{origin}{page}")
    };
    let mut made: Vec<Made> = (0..40)
        .map(|_| {
            let at = url(random);
            let time = random.below(SECONDS as usize) as i64;
            let letter = ['B', 'C', 'D'][random.below(3)];
            let kind = random.below(10);
            let it = match kind {
                0..=3 => {
                    let next = match random.below(8) {
                        0 => "https://nowhere.example/robots.txt".to_owned(),
                        _ => url(random),
                    };
                    Made::to(&at, time, &next)
                }
                4 => Made::ok(&at, time, "User-agent: *\nDisallow: /x\n"),
                5 | 6 => {
                    let status = [200, 304, 404][random.below(3)];
                    let mut it = Made::status(&at, time, status);
                    // Elsewhere a revisit is no capture.
                    it.is_revisit = at.ends_with("/robots.txt");
                    it
                }
                _ => {
                    let status = [404, 403, 401, 410, 429, 503, 304][random.below(7)];
                    Made::status(&at, time, status)
                }
            };
            Made {
                digest: Some(letter),
                ..it.of_crawl(random.below(2))
            }
        })
        .collect();
    made.sort_by_key(|it| it.crawl);
    made
}

/// A capture with what identifies it.
#[derive(Clone, Debug)]
struct Known {
    made: Made,
    id: (String, i64),
}

/// Searches all captures anew for every question.
pub(crate) struct Twin {
    all: Vec<Known>,
}

/// How much is decided, and by whom.
type Decision = (u8, (String, i64));

impl Twin {
    pub(crate) fn new(made: &[Made], ids: &[(String, i64)]) -> Self {
        assert_eq!(made.len(), ids.len());
        let known = made.iter().zip(ids).map(|(made, id)| Known {
            made: made.clone(),
            id: id.clone(),
        });
        Self {
            all: known.collect(),
        }
    }

    /// What fills a revisit: the same digest and answer, of its URL first,
    /// the latest not after it, else the earliest.
    fn filling(&self, it: &Known) -> Option<(String, i64)> {
        let answer = |made: &Made| match made.status {
            200 | 304 => 200,
            status => status,
        };
        let can = |other: &&Known| {
            !other.made.is_revisit
                && matches!(other.made.status, 200 | 400..=499)
                && other.made.digest == it.made.digest
                && answer(&other.made) == answer(&it.made)
        };
        let same_url = |other: &&Known| other.made.url == it.made.url;
        let not_after = |other: &&Known| other.made.time <= it.made.time;
        let candidates: Vec<&Known> = self.all.iter().filter(can).collect();
        let of_url: Vec<&Known> = candidates.iter().copied().filter(same_url).collect();
        for list in [of_url, candidates] {
            let latest = list
                .iter()
                .copied()
                .filter(not_after)
                .max_by_key(|it| (it.made.time, it.made.url.clone(), it.id.clone()));
            let earliest = list
                .iter()
                .copied()
                .max_by_key(|it| (-it.made.time, it.made.url.clone(), it.id.clone()));
            if let Some(found) = latest.or(earliest) {
                return Some(found.id.clone());
            }
        }
        None
    }

    /// What a capture decides by itself.
    fn decides(&self, it: &Known) -> Decision {
        let own = it.id.clone();
        if it.made.is_revisit {
            return match self.filling(it) {
                None => (4, own),
                Some(id) if it.made.status == 404 => (1, id),
                Some(id) => (0, id),
            };
        }
        let rank = match it.made.status {
            200 => 0,
            301 | 304 => 4,
            401 | 403 => 2,
            429 | 503 => 3,
            _ => 1,
        };
        (rank, own)
    }

    /// The page by which a URL is entered.
    fn enter(&self, crawl: &str, url: &str, at: i64) -> Option<&Known> {
        let pages = self
            .all
            .iter()
            .filter(|it| it.id.0 == crawl && it.made.url == url && it.made.time <= at);
        pages.min_by_key(|it| (self.decides(it).0, -it.made.time, it.id.1))
    }

    /// What a capture decides where its redirects are followed.
    fn follows(&self, it: &Known, at: i64) -> Decision {
        let (mut passed, mut here) = (vec![it.id.1], it);
        for _ in 0..5 {
            let Some(next) = &here.made.location else {
                break;
            };
            match self.enter(&it.id.0, next, at) {
                Some(page) if !passed.contains(&page.id.1) => {
                    passed.push(page.id.1);
                    here = page;
                }
                _ => return (4, it.id.clone()),
            }
        }
        match here.made.location {
            Some(_) => (4, it.id.clone()),
            None => self.decides(here),
        }
    }

    /// The capture whose rules speak for an origin at a second.
    pub(crate) fn speaks(&self, origin: &str, at: i64) -> Option<(String, i64)> {
        let url = format!("{origin}/robots.txt");
        let mut picks = Vec::new();
        for crawl in ["C-0", "C-1"] {
            let own = self
                .all
                .iter()
                .filter(|it| it.id.0 == crawl && it.made.url == url && it.made.time <= at);
            let decided = own.map(|it| (self.follows(it, at), it));
            let pick = decided.min_by_key(|((rank, _), it)| (*rank, -it.made.time, it.id.1));
            picks.extend(pick);
        }
        let best = picks
            .into_iter()
            .max_by_key(|((rank, _), it)| (*rank < 4, it.made.time, it.id.0.clone()));
        best.map(|((_, rules), _)| rules)
    }
}
