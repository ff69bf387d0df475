//! Runs the programs in `examples/` and `src/robots/examples/` on samples.

use std::fs;
use std::path::Path;
use support::{archive, samples};

#[expect(dead_code, reason = "the tests call the function below `main`")]
#[path = "../../src/robots/examples/many_urls.rs"]
mod many_urls;
#[expect(dead_code, reason = "the tests call the function below `main`")]
#[path = "../../examples/read_warc.rs"]
mod read_warc;
#[expect(dead_code, reason = "the tests call the function below `main`")]
#[path = "../../src/robots/examples/verdict.rs"]
mod verdict;

fn robots_txt(name: &str) -> Vec<u8> {
    fs::read(samples().join("robots").join(name)).unwrap()
}

#[test]
fn read_warc_lists_records() {
    let mut out = Vec::new();
    read_warc::list_records(Path::new(&archive("plain.warc")), &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "0 warcinfo 90 -\n\
         284 request 47 https://one.example/robots.txt\n\
         583 response 113 https://one.example/robots.txt\n\
         1097 response 113 https://two.example/robots.txt\n\
         1611 response 117 https://three.example/robots.txt\n\
         2131 response 92 https://three.example/index.html\n"
    );
}

#[test]
fn read_warc_resumes_after_damage() {
    let mut out = Vec::new();
    let path = archive("damaged-checksum.warc.gz");
    read_warc::list_records(Path::new(&path), &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "0 warcinfo 90 -\n\
         229 response 109 https://host-1.example/robots.txt\n\
         damaged: the checksum does not match at offset 489, 261 bytes skipped\n\
         750 response 109 https://host-3.example/robots.txt\n\
         1012 response 109 https://host-4.example/robots.txt\n"
    );
}

#[test]
fn verdict_lists_the_crawlers_of_a_file() {
    let mut out = Vec::new();
    verdict::print_verdicts(
        &robots_txt("group-with-several-agents-after-another.txt"),
        &mut out,
    )
    .unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "*: partial\n\
         gptbot: disallow_all\n\
         ccbot: disallow_all\n\
         claudebot: disallow_all\n"
    );
}

#[test]
fn many_urls_decides_each_url() {
    let urls = b"https://a.example/page\nhttps://a.example/\nhttps://a.example/abc\n";
    let mut out = Vec::new();
    let body = robots_txt("longest-pattern-wins.txt");
    many_urls::decide(&body, "GPTBot", &urls[..], &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "allow line 3 https://a.example/page\n\
         disallow line 2 https://a.example/\n\
         disallow line 5 https://a.example/abc\n"
    );
}

#[test]
fn the_library_scans_archives_with_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = folder.path().join("out.parquet");
    let summary = scan::scan(&[&archive("plain.warc")], &dataset).unwrap();
    assert_eq!(
        (summary.records, summary.captures, summary.faults),
        (6, 3, 0)
    );
    assert!(dataset.join("views.sql").is_file());
}
