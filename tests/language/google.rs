//! The dialect `google` compared with answers of Google's parser, in `../shared/data/oracle`.

use arrow_array::{Array, BooleanArray, Int64Array, StringArray};
use capture::{Capture, CaptureScope};
use robots::{AnomalyKind, DirectiveKind, ParseOptions, Parser, Policy};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use support::{self, base64, columns};

/// The reference parser has no body limit.
const UNLIMITED: ParseOptions = ParseOptions {
    body_limit: None,
    is_truncated: false,
};

fn jsonl(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_hand_made_case_is_answered_as_googles_parser_does() {
    let Some(data) = support::shared_data() else {
        return;
    };
    let cases = jsonl(&data.join("oracle/cases.jsonl"));
    let mut parser = Parser::new();
    let mut wrong = Vec::new();
    for case in &cases {
        let body = base64(case["robots_b64"].as_str().unwrap());
        let url = base64(case["url_b64"].as_str().unwrap());
        let path = base64(case["path_b64"].as_str().unwrap());
        assert_eq!(robots::path_of_url(&url, &mut Vec::new()), path, "{case}");
        let robots = parser.parse_with(&body, UNLIMITED);
        let policy = Policy::new_google(&robots, &[case["agent"].as_str().unwrap().as_bytes()]);
        let access = policy.access(&url);
        if access.is_allowed != case["allowed"]
            || access.line_no.unwrap_or(0) != case["line"]
            || policy.is_named() != case["specific"]
        {
            wrong.push(format!("{} {access:?}", case));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
    assert_eq!(cases.len(), 5910);
}

#[test]
fn every_line_is_read_as_googles_parser_reads_it() {
    let Some(data) = support::shared_data() else {
        return;
    };
    let mut parser = Parser::new();
    for file in jsonl(&data.join("oracle/lines.jsonl")) {
        let body = base64(file["robots_b64"].as_str().unwrap());
        let robots = parser.parse_with(&body, UNLIMITED);
        let found = |line: u64, anomaly: AnomalyKind| {
            robots
                .anomalies()
                .iter()
                .any(|found| found.line_no.map_or(0, u64::from) == line && found.kind == anomaly)
        };
        let lines = file["lines"].as_array().unwrap();
        let (last, lines) = lines.split_last().unwrap();
        assert_eq!(robots.summary().n_lines, last["last_line"], "{file}");
        for line in lines {
            let line_no = line["line"].as_u64().unwrap();
            let directive = robots
                .directives()
                .iter()
                .find(|line| u64::from(line.line_no) == line_no);
            let event = match directive.map(|line| line.kind) {
                None => "none",
                Some(DirectiveKind::UserAgent) => "user-agent",
                Some(DirectiveKind::Allow) => "allow",
                Some(DirectiveKind::Disallow) => "disallow",
                Some(DirectiveKind::Sitemap) => "sitemap",
                Some(DirectiveKind::Other) => "unknown",
            };
            assert_eq!(line["event"], event, "{line} of {file}");
            if let Some(directive) = directive {
                let mut value = robots.text(directive.value).to_vec();
                if directive.kind == DirectiveKind::Other {
                    let raw = std::mem::take(&mut value);
                    robots::escape(&raw, &mut value);
                }
                if let Some(expected) = line["value"].as_str() {
                    // Each byte is written as the character with its number.
                    let value: String = value.iter().map(|&byte| char::from(byte)).collect();
                    assert_eq!(value, expected, "{line}");
                }
                if let Some(expected) = line["value_b64"].as_str() {
                    assert_eq!(value, base64(expected), "{line}");
                }
            }
            assert_eq!(line["directive"] == 1, directive.is_some(), "{line}");
            assert_eq!(
                line["typo"] == 1,
                found(line_no, AnomalyKind::TypoAcceptedByGoogle),
                "{line}"
            );
            assert_eq!(
                line["too_long"] == 1,
                found(line_no, AnomalyKind::OverlongLine),
                "{line}"
            );
            assert_eq!(
                line["missing_colon"] == 1 && directive.is_some(),
                found(line_no, AnomalyKind::MissingColon),
                "{line}"
            );
        }
        let count = |flag: &str| lines.iter().filter(|line| line[flag] == 1).count() as u32;
        assert_eq!(robots.summary().n_blank_lines, count("empty"), "{file}");
        assert_eq!(
            robots.summary().n_comment_lines,
            count("is_comment"),
            "{file}"
        );
    }
}

/// Calls `each` with the offset and the body of every capture of an archive.
fn bodies(archive: &Path, mut each: impl FnMut(u64, &[u8])) {
    let mut reader = warc::Reader::new(warc::Limits::default());
    reader.open_file(archive).unwrap();
    let scope = CaptureScope {
        is_robots_subset: true,
        max_body_bytes: 16 << 20,
        body_limit: None,
    };
    while reader.read_record().unwrap() {
        let record = reader.record();
        if let Some(capture) = Capture::read(&record, scope) {
            each(
                record.location().offset,
                capture.body.as_deref().unwrap_or_default(),
            );
        }
    }
}

#[test]
fn every_question_on_real_files_is_answered_as_googles_parser_does() {
    let Some(data) = support::shared_data() else {
        return;
    };
    type Questions = HashMap<(String, i64), Vec<(String, String, bool, i64)>>;
    let mut questions = Questions::new();
    for batch in columns(&data.join("oracle/access.parquet")) {
        let text = |name: &str| {
            batch
                .column_by_name(name)
                .unwrap()
                .as_any()
                .downcast_ref::<StringArray>()
                .unwrap()
                .clone()
        };
        let long = |name: &str| {
            batch
                .column_by_name(name)
                .unwrap()
                .as_any()
                .downcast_ref::<Int64Array>()
                .unwrap()
                .clone()
        };
        let (archive, agent, url) = (text("archive"), text("agent"), text("url"));
        let (offset, line) = (long("warc_record_offset"), long("line_no"));
        let allowed = batch
            .column_by_name("allowed")
            .unwrap()
            .as_any()
            .downcast_ref::<BooleanArray>()
            .unwrap()
            .clone();
        for row in 0..batch.num_rows() {
            let key = (archive.value(row).to_owned(), offset.value(row));
            let question = (
                agent.value(row).to_owned(),
                url.value(row).to_owned(),
                allowed.value(row),
                line.value(row),
            );
            questions.entry(key).or_default().push(question);
        }
    }
    let asked: usize = questions.values().map(Vec::len).sum();
    assert_eq!(asked, 124_002);
    let mut archives: Vec<String> = questions
        .keys()
        .map(|(archive, _)| archive.clone())
        .collect();
    archives.sort();
    archives.dedup();
    let (mut parser, mut answered, mut wrong) = (Parser::new(), 0, Vec::new());
    for archive in archives {
        bodies(&data.join("real").join(&archive), |offset, body| {
            let Some(questions) = questions.get(&(archive.clone(), offset as i64)) else {
                return;
            };
            let robots = parser.parse_with(body, UNLIMITED);
            for (agent, url, allowed, line) in questions {
                let access =
                    Policy::new_google(&robots, &[agent.as_bytes()]).access(url.as_bytes());
                answered += 1;
                if access.is_allowed != *allowed || access.line_no.map_or(0, i64::from) != *line {
                    wrong.push(format!(
                        "{archive} {offset} {agent} {url}: {access:?}, not {allowed} {line}"
                    ));
                }
            }
        });
    }
    assert!(
        wrong.is_empty(),
        "{} of {answered} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert_eq!(answered, asked);
}

#[test]
fn every_real_file_has_the_counts_of_googles_parser() {
    let Some(data) = support::shared_data() else {
        return;
    };
    let mut expected: HashMap<(String, i64), HashMap<&str, Option<i64>>> = HashMap::new();
    const COUNTS: [&str; 13] = [
        "body_bytes",
        "lines",
        "user_agent",
        "allow",
        "disallow",
        "sitemap",
        "unknown",
        "typo",
        "missing_colon",
        "too_long",
        "empty",
        "comment",
        "fetch_status",
    ];
    for batch in columns(&data.join("oracle/captures.parquet")) {
        let archive = batch
            .column_by_name("archive")
            .unwrap()
            .as_any()
            .downcast_ref::<StringArray>()
            .unwrap();
        let long = |name: &str| {
            batch
                .column_by_name(name)
                .unwrap()
                .as_any()
                .downcast_ref::<Int64Array>()
                .unwrap()
                .clone()
        };
        let offset = long("warc_record_offset");
        for name in COUNTS {
            let counts = long(name);
            for i in 0..batch.num_rows() {
                let row = expected
                    .entry((archive.value(i).to_owned(), offset.value(i)))
                    .or_default();
                row.insert(name, counts.is_valid(i).then(|| counts.value(i)));
            }
        }
    }
    let mut archives: Vec<String> = expected
        .keys()
        .map(|(archive, _)| archive.clone())
        .collect();
    archives.sort();
    archives.dedup();
    let (mut parser, mut seen, mut captures) = (Parser::new(), 0, 0);
    for archive in archives {
        bodies(&data.join("real").join(&archive), |offset, body| {
            captures += 1;
            let row = &expected[&(archive.clone(), offset as i64)];
            if row["lines"].is_none() {
                return;
            }
            seen += 1;
            let robots = parser.parse_with(body, UNLIMITED);
            let figures = robots.summary();
            let count = |anomaly: AnomalyKind| {
                robots
                    .anomalies()
                    .iter()
                    .filter(|line| line.kind == anomaly)
                    .count() as i64
            };
            let ours = [
                ("body_bytes", body.len() as i64),
                ("lines", figures.n_lines.into()),
                ("user_agent", figures.n_user_agents.into()),
                ("allow", figures.n_allow.into()),
                ("disallow", figures.n_disallow.into()),
                ("sitemap", figures.n_sitemaps.into()),
                ("unknown", figures.n_directives.into()),
                ("typo", count(AnomalyKind::TypoAcceptedByGoogle)),
                ("missing_colon", count(AnomalyKind::MissingColon)),
                ("too_long", count(AnomalyKind::OverlongLine)),
                ("empty", figures.n_blank_lines.into()),
                ("comment", figures.n_comment_lines.into()),
            ];
            for (name, ours) in ours {
                assert_eq!(Some(ours), row[name], "{name} of {archive} at {offset}");
            }
        });
    }
    assert_eq!((captures, seen), (16_238, 14_526));
}
