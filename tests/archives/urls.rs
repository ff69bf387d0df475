//! URLs that are recognized without a general parser have the columns that the general parser gives.

use capture::analysis::{Analyzer, CaptureAnalysis};
use capture::header_name::HeaderName;
use capture::http::Response;
use capture::{Capture, CaptureScope};
use scan::PSL_VERSION;
use std::fs;
use std::ops::AddAssign;
use std::path::Path;
use support::{project, samples, shared_data};
use url::Url;
use urls::{UrlColumns, join_url, parse_url};
use warc::{Limits, Reader};

/// The longest text that is compared.
const MAX_BYTES: usize = 4096;

/// Numbers of what was compared.
#[derive(Debug, Default)]
struct Compared {
    /// Texts that begin like URLs.
    texts: usize,
    /// Those of them that are URLs.
    urls: usize,
    /// Targets of redirects.
    redirects: usize,
    /// Sitemap lines that state or give a URL.
    sitemaps: usize,
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        self.texts += other.texts;
        self.urls += other.urls;
        self.redirects += other.redirects;
        self.sitemaps += other.sitemaps;
    }
}

/// Compares all URLs of an archive.
fn compare(path: &Path) -> Compared {
    let mut compared = Compared::default();
    let mut analyzer = Analyzer::default();
    let mut reader = Reader::new(Limits::default());
    if reader.open_file(path).is_err() {
        return compared;
    }
    loop {
        match reader.read_record() {
            Ok(true) => {}
            Ok(false) => return compared,
            Err(error) if error.is_fatal() => return compared,
            Err(_) => continue,
        }
        let record = reader.record();
        let places = memchr::memmem::find_iter(record.block(), b"http");
        let in_block = places.map(|place| {
            let text = &record.block()[place..];
            let text = &text[..text.len().min(MAX_BYTES)];
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'<');
            &text[..text.iter().position(is_end).unwrap_or(text.len())]
        });
        for text in in_block.chain(record.target_uri()) {
            let expected = parse_url(text).map(UrlColumns::new);
            compared.texts += 1;
            compared.urls += usize::from(expected.is_some());
            let shown = String::from_utf8_lossy(text);
            assert_eq!(UrlColumns::from_text(text), expected, "{shown}");
        }
        let scope = CaptureScope {
            is_robots_subset: true,
            max_body_bytes: 1 << 20,
            body_limit: None,
        };
        let Some(capture) = Capture::read(&record, scope) else {
            continue;
        };
        let base = record.target_uri().and_then(parse_url);
        if let Some(base) = &base
            && matches!(capture.fetch.status, Some(300..=399))
        {
            let response = Response::parse(record.block());
            let location = response.header(HeaderName::Location);
            let location = location.filter(|location| !location.is_empty());
            let expected = location.and_then(|location| join_url(base, location));
            let expected = expected.map(String::from);
            compared.redirects += usize::from(expected.is_some());
            assert_eq!(capture.fetch.redirect, expected, "{base}");
        }
        compared.sitemaps +=
            compare_sitemaps(&analyzer.analyze(0, record.location(), &capture), base);
    }
}

/// Compares the sitemaps of a capture. Returns the number of those that have a URL.
fn compare_sitemaps(analysis: &CaptureAnalysis<'_>, base: Option<Url>) -> usize {
    let is_sitemap = |url: &Url| matches!(url.scheme(), "http" | "https" | "ftp");
    let mut count = 0;
    for sitemap in &analysis.sitemaps {
        let value = analysis.text(sitemap.line.value);
        let has_host = |url: &Url| url.host_str().is_some_and(|host| !host.is_empty());
        let absolute = parse_url(value).filter(|url| is_sitemap(url) && has_host(url));
        let is_absolute = absolute.is_some();
        let joined = || join_url(base.as_ref()?, value).filter(|_| !value.is_empty());
        let mut expected = absolute.or_else(joined).filter(is_sitemap);
        if let Some(url) = &mut expected {
            url.set_fragment(None);
        }
        let shown = String::from_utf8_lossy(value);
        let url = sitemap.url.as_deref();
        assert_eq!(url, expected.as_ref().map(Url::as_str), "{shown}");
        assert_eq!(sitemap.is_absolute, is_absolute, "{shown}");
        count += usize::from(expected.is_some());
    }
    count
}

#[test]
fn urls_of_archives_have_the_columns_of_the_general_parser() {
    let mut folders = vec![samples().join("warc")];
    folders.extend(
        shared_data()
            .into_iter()
            .flat_map(|data| ["real", "crawl-shaped"].map(|folder| data.join(folder))),
    );
    for folder in folders {
        let mut compared = Compared::default();
        for entry in std::fs::read_dir(&folder).unwrap() {
            compared += compare(&entry.unwrap().path());
        }
        println!("{}: {compared:?}", folder.display());
        let Compared {
            urls,
            redirects,
            sitemaps,
            ..
        } = compared;
        assert!(
            urls > 100 && redirects > 10 && sitemaps > 10,
            "{} has too few URLs",
            folder.display()
        );
    }
}

#[test]
fn the_public_suffix_list_is_that_of_the_lock_file() {
    let lock = fs::read_to_string(project().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    let packages = lock["package"].as_array().unwrap().iter();
    let psl: Vec<_> = packages
        .filter(|package| package["name"].as_str() == Some("psl"))
        .map(|package| format!("psl {}", package["version"].as_str().unwrap()))
        .collect();
    assert_eq!(psl, [PSL_VERSION]);
}
