//! Files, responses and records that public reports about other tools describe: each is read as it is meant.

use robots::{AnomalyKind, Dialect, Evaluator, Parser, Policy};
use serde_json::Value;
use std::path::Path;
use support::{Folder, rows, run};

/// Returns a WARC record of `/robots.txt` on a host.
fn record(fields: &str, host: &str, block: &str) -> String {
    format!(
        "WARC/1.0\r\n{fields}WARC-Target-URI: https://{host}.example/robots.txt\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

/// Scans records, and returns the rows of `robots_files` with the columns of their hosts and the codes of their
/// anomalies.
fn scan(records: &[String]) -> Vec<Value> {
    let folder = Folder::new();
    let archive = folder.write("reports.warc", records.concat());
    let out = folder.arg("out");
    let ran = run([&*archive, "-q", "-o", &out, "--crawl", "REPORTS"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let out = Path::new(&out);
    let anomalies = rows(out, "anomalies");
    let hosts = rows(out, "hosts");
    let mut files = rows(out, "robots_files");
    for file in &mut files {
        let own = |row: &&Value| row["robots_id"] == file["robots_id"];
        let codes = anomalies.iter().filter(own).map(|row| row["code"].clone());
        let codes = Value::Array(codes.collect());
        let is_host = |row: &&Value| row["surt_host_name"] == file["surt_host_name"];
        let host = hosts.iter().find(is_host).unwrap();
        let verdict = host["wildcard_verdict"].clone();
        file["anomalies"] = codes;
        file["wildcard_verdict"] = verdict;
    }
    files
}

const RESPONSE: &str =
    "WARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n";

const FILE: &str = "User-agent: *\nDisallow: /\n";

fn response(host: &str, head: &str) -> String {
    record(RESPONSE, host, &format!("HTTP/1.1 {head}\r\n\r\n{FILE}"))
}

#[test]
fn odd_responses_are_read_as_they_are_meant() {
    let files = scan(&[
        // A blank before the colon of a header field.
        response("blank", "200 OK\r\nP3P : CP=\"NOI\"\r\nServer : x"),
        // The name of a charset as a coding.
        response("charset", "200 OK\r\nContent-Encoding: utf-8"),
        // A status line without a status.
        response("status", ",,,"),
    ]);
    let of = |name: &str| {
        files
            .iter()
            .map(|row| row[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("fetch_status"), [200.into(), 200.into(), Value::Null]);
    assert_eq!(
        of("content_class"),
        ["rules".into(), "rules".into(), Value::Null]
    );
    assert_eq!(of("http_server"), ["x".into(), Value::Null, Value::Null]);
    let anomalies = [vec![], vec!["misdeclared_coding"], vec!["bad_status"]];
    assert_eq!(of("anomalies"), anomalies.map(Value::from));
    assert_eq!(of("wildcard_verdict"), ["disallow_all"; 3]);
}

#[test]
fn odd_records_are_read_as_they_are_meant() {
    let revisit = "WARC-Type: revisit\r\nContent-Type: application/http; msgtype=response\r\n\
                   WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n";
    let page_info = record(
        "WARC-Type: resource\r\nContent-Type: application/json\r\n",
        "page",
        "{\"urls\": {}}",
    );
    let files = scan(&[
        response("whole", "200 OK"),
        // Earlier versions of warcprox wrote revisits without a digest (webrecorder/pywb 88).
        record(revisit, "revisit", "HTTP/1.1 200 OK\r\n\r\n"),
        // Nothing is stored of a body that was announced (internetarchive/brozzler 80).
        record(
            RESPONSE,
            "announced",
            "HTTP/1.1 200 OK\r\nContent-Length: 275622\r\nVary: Accept-Encoding\r\n\r\n",
        ),
        // A summary of a page that is named by its URL (webrecorder/browsertrix-crawler 457).
        page_info.replace("https://page", "urn:pageinfo:https://page"),
    ]);
    let of = |name: &str| {
        files
            .iter()
            .map(|row| row[name].clone())
            .collect::<Vec<_>>()
    };
    let hosts = ["whole.example", "revisit.example", "announced.example"];
    assert_eq!(of("url_host_name"), hosts);
    assert_eq!(of("is_revisit"), [false, true, false]);
    assert_eq!(
        of("content_class"),
        ["rules".into(), Value::Null, Value::Null]
    );
    assert_eq!(
        of("wildcard_verdict"),
        ["disallow_all", "unknown", "unknown"]
    );
    assert!(files[1]["content_digest"].is_null());
}

#[test]
fn a_crawl_delay_that_is_no_plain_number_is_reported() {
    for (value, is_bad) in [
        ("²", true),
        ("٣", true),
        ("inf", true),
        ("nan", true),
        ("3", false),
    ] {
        let body = format!("User-agent: *\nCrawl-delay: {value}\nDisallow: /x\n");
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let mut anomalies = robots.anomalies().iter();
        let found = anomalies.any(|anomaly| anomaly.kind == AnomalyKind::BadCrawlDelay);
        assert_eq!(found, is_bad, "{value}");
        let policy = Policy::new(Dialect::Google, &robots, b"a");
        assert!(!policy.access(b"https://h/x").is_allowed, "{value}");
    }
}

#[test]
fn a_crawl_delay_does_not_separate_two_crawlers() {
    // In the form of the files of GOV.UK and of the Archive of Our Own, whose delay is the only line of a crawler.
    for (body, agents) in [
        (
            "User-agent: dooby\nUser-agent: AhrefsBot\nCrawl-delay: 10\n# It makes lots of requests.\n\
             User-agent: deepcrawl\nDisallow: /\n",
            ["dooby", "AhrefsBot", "deepcrawl"],
        ),
        (
            "User-agent: *\nDisallow: /works?\n\nUser-agent: Slurp\nCrawl-delay: 30\n\n\
             User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /\n",
            ["Slurp", "CCBot", "GPTBot"],
        ),
    ] {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let mut anomalies = robots.anomalies().iter();
        assert!(anomalies.any(|anomaly| anomaly.kind == AnomalyKind::CrawlDelayBetweenAgents));
        for dialect in [Dialect::Google, Dialect::Rfc9309] {
            for agent in agents {
                let policy = Policy::new(dialect, &robots, agent.as_bytes());
                assert!(!policy.access(b"https://h/a").is_allowed, "{agent}");
            }
        }
    }
}

#[test]
fn a_crawl_delay_is_that_of_the_names_directly_above_it() {
    // crawler-commons sets the delay of a name regardless of groups (its pull request 430).
    let body = b"User-agent: Slow\nCrawl-delay: 10\n\nUser-agent: Slower\nUser-agent: Slowest \nCrawl-delay: 300\n\n\
        User-agent: Other\n\nUser-agent: * \nRequest-rate: 1/5\nCrawl-delay: 2\n";
    let mut parser = Parser::new();
    let rows = Evaluator::new().verdicts(&parser.parse(body));
    let delays = rows.iter().map(|row| (row.agent, row.crawl_delay_ms));
    assert_eq!(
        delays.collect::<Vec<_>>(),
        [
            (&b"*"[..], Some(2_000)),
            (b"slow", Some(10_000)),
            (b"slower", Some(300_000)),
            (b"slowest", Some(300_000)),
            (b"other", Some(2_000)),
        ]
    );
}
