//! `verdicts`: a row for each host and crawler, also where the rules do not name the crawler.
//! `jobs/test_crawler_verdicts.py` compares all columns with the macro of DuckDB.

use support::{self, Folder, assert_refused};

/// The answers of five hosts, and for GPTBot and CCBot: verdict, basis, whether they are blocked by
/// name, by `*` and by status, and the line that proves it.
const HOSTS: [(&str, &str, [&str; 2]); 5] = [
    (
        "200 OK",
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /x\n",
        [
            "disallow_all explicit true false false 2",
            "partial wildcard false false false 5",
        ],
    ),
    (
        "200 OK",
        "User-agent: *\nDisallow: /\n",
        ["disallow_all wildcard false true false 2"; 2],
    ),
    (
        "404 Not Found",
        "",
        ["allow_all http_status false false false null"; 2],
    ),
    (
        "503 Busy",
        "",
        ["disallow_all http_status false false true null"; 2],
    ),
    (
        "200 OK",
        "User-agent: CCBot\nDisallow: /y\n",
        [
            "allow_all no_group false false false null",
            "partial explicit false false false 2",
        ],
    ),
];

/// Scans the hosts into `out`.
fn scanned() -> Folder {
    let folder = Folder::new();
    let mut archive = String::new();
    for (number, (status, body, _)) in HOSTS.iter().enumerate() {
        let block = format!("HTTP/1.1 {status}\r\n\r\n{body}");
        archive += &format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://{number}.test/robots.txt\r\n\
             WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
    }
    let archive = folder.write("a.warc", archive);
    let out = folder.arg("out");
    let ran = support::run([
        &archive,
        "-q",
        "-o",
        &out,
        "--crawl",
        "C",
        "--subset",
        "robotstxt",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    folder
}

#[test]
fn every_host_has_a_verdict_for_every_crawler() {
    let folder = scanned();
    let (out, verdicts) = (folder.arg("out"), folder.arg("verdicts.parquet"));
    let args = ["verdicts", &out, "-a", "GPTBot,CCBot", "-o", &verdicts];
    let ran = support::run(args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("5 hosts, 2 crawlers") && ran.out.contains("10 rows"),
        "{}",
        ran.out
    );
    let rows = support::rows_of_file(&folder.path().join("verdicts.parquet"));
    let mut expected = Vec::new();
    for (number, (_, _, answers)) in HOSTS.iter().enumerate() {
        for (agent, answer) in ["gptbot", "ccbot"].iter().zip(answers) {
            expected.push(format!("{number}.test {agent} {answer}"));
        }
    }
    let columns = [
        "url_host_name",
        "agent",
        "verdict",
        "basis",
        "by_name",
        "by_wildcard",
        "by_status",
        "evidence_line",
    ];
    let text = |value: &serde_json::Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let found = rows.iter().map(|row| {
        assert!(row["crawl"] == "C" && row["rules_crawl"] == "C");
        columns.map(|name| text(&row[name])).join(" ")
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let folder = scanned();
    let (out, verdicts) = (folder.arg("out"), folder.arg("verdicts.parquet"));
    let base = ["verdicts", &out, "-a", "GPTBot", "-o", &verdicts];
    assert_refused(&support::run(base.iter().chain(&["--crawl", "X"])), &["X"]);
    assert_eq!(support::run(base).code, Some(0));
    assert_refused(&support::run(base), &["verdicts.parquet", "--overwrite"]);
    let ran = support::run(base.iter().chain(&["--overwrite", "--json"]));
    let summary: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&summary["hosts"], &summary["rows"]),
        (&5.into(), &5.into())
    );
    std::fs::remove_dir_all(folder.path().join("out/host_verdicts")).unwrap();
    let ran = support::run(base.iter().chain(&["--overwrite"]));
    assert_refused(&ran, &["host_verdicts", "--tables"]);
}
