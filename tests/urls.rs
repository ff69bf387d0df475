//! URLs that are recognized without a general parser have the columns that the general parser gives.

use crate::util::{samples, shared_data};
use robots_scan::capture::url::{UrlColumns, parse_url};
use std::path::Path;
use warc::{Limits, Reader};

/// The longest text that is compared.
const MAX_BYTES: usize = 4096;

/// Compares all texts in an archive that begin like URLs. Returns the number of texts, and of those
/// that are URLs.
fn compare(path: &Path) -> (usize, usize) {
    let (mut texts, mut urls) = (0, 0);
    let mut reader = Reader::new(Limits::default());
    if reader.open_file(path).is_err() {
        return (0, 0);
    }
    loop {
        match reader.read_record() {
            Ok(true) => {}
            Ok(false) => return (texts, urls),
            Err(error) if error.is_fatal() => return (texts, urls),
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
            texts += 1;
            urls += usize::from(expected.is_some());
            let shown = String::from_utf8_lossy(text);
            assert_eq!(UrlColumns::of_text(text), expected, "{shown}");
        }
    }
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
        let (mut texts, mut urls) = (0, 0);
        for entry in std::fs::read_dir(&folder).unwrap() {
            let found = compare(&entry.unwrap().path());
            (texts, urls) = (texts + found.0, urls + found.1);
        }
        println!("{}: {urls} URLs in {texts} texts", folder.display());
        assert!(urls > 100, "{} has {urls} URLs", folder.display());
    }
}
