//! The tables alone are sufficient: the policy of a file is rebuilt from its rows and gives the same
//! answers as its bytes.

use capture::{Capture, CaptureScope};
use dataset::{Dataset, PartLines};
use robots::{ParseOptions, Parser, Policy};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;
use support::{self, Random};
use tables::Table;
use tempfile::TempDir;

/// A row of `rules`.
struct Rule {
    group_no: Option<i64>,
    allow: bool,
    path: String,
    line_no: i64,
}

/// The rows of one capture.
#[derive(Default)]
struct File {
    /// The group and token of each user-agent line that counts.
    agents: Vec<(i64, String)>,
    rules: Vec<Rule>,
}

/// Returns the value of a text column as bytes.
fn bytes(text: &str, is_valid_utf8: bool) -> Vec<u8> {
    if is_valid_utf8 {
        return text.as_bytes().to_vec();
    }
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(backslash) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..backslash]);
        rest = match rest[backslash + 1..].strip_prefix('x') {
            Some(hex) => {
                out.push(u8::from_str_radix(&hex[..2], 16).unwrap());
                &hex[2..]
            }
            None => {
                out.push(b'\\');
                &rest[backslash + 2..]
            }
        };
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

impl File {
    /// Returns the answer in Google's dialect: whether the path is allowed, and the deciding line.
    fn access(&self, agent: &str, path: &[u8], is_valid_utf8: bool) -> (bool, i64) {
        let groups = |wanted: &dyn Fn(&str) -> bool| -> BTreeSet<i64> {
            self.agents
                .iter()
                .filter(|(_, token)| wanted(token))
                .map(|(group_no, _)| *group_no)
                .collect()
        };
        let own = groups(&|token| token != "*" && token == agent.to_ascii_lowercase());
        let is_named = !own.is_empty();
        let groups = if is_named {
            own
        } else {
            groups(&|token| token == "*")
        };
        let mut best = [(-1i64, 0i64); 2];
        for rule in self.rules.iter().filter(|rule| {
            rule.group_no
                .is_some_and(|group_no| groups.contains(&group_no))
        }) {
            let pattern = bytes(&rule.path, is_valid_utf8);
            let mut tried = vec![pattern.clone()];
            if let Some(slash) = pattern.iter().rposition(|&byte| byte == b'/')
                && rule.allow
                && pattern[slash..].starts_with(b"/index.htm")
            {
                tried.push([&pattern[..=slash], b"$"].concat());
            }
            if let Some(pattern) = tried.iter().find(|pattern| robots::matches(pattern, path))
                && pattern.len() as i64 > best[usize::from(rule.allow)].0
            {
                best[usize::from(rule.allow)] = (pattern.len() as i64, rule.line_no);
            }
        }
        let [disallow, allow] = best;
        let line = if disallow.0 > allow.0 {
            disallow.1
        } else {
            allow.1
        };
        (disallow.0.max(allow.0) <= 0 || disallow.0 <= allow.0, line)
    }
}

/// Returns the name as Google's parser reads it, from the whole name in lower case.
fn token(name: &str) -> String {
    if name == "*" {
        return name.to_owned();
    }
    let is_token = |char: &char| char.is_ascii_lowercase() || matches!(char, '_' | '-');
    name.chars().take_while(is_token).collect()
}

/// Returns the archives whose files are rebuilt.
fn archives() -> Vec<PathBuf> {
    let mut archives = vec![
        support::samples().join("warc/cc-robotstxt.warc.gz"),
        support::samples().join("warc/content-encoding.warc.gz"),
    ];
    if let Some(data) = support::shared_data() {
        archives.push(data.join("real/REAL-GOV-2024-09-00000.warc.gz"));
        archives.push(data.join("real/REAL-ODD-00000.warc.gz"));
    }
    archives
}

#[test]
fn a_policy_rebuilt_from_rows_answers_like_the_bytes() {
    let folder = TempDir::new().unwrap();
    let mut compared = 0;
    for (nth, archive) in archives().iter().enumerate() {
        let out = folder.path().join(nth.to_string());
        let ran = support::run([archive.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let rows = |table: &str| support::rows(&out, table);
        let id = |row: &Value| row["robots_id"].as_i64().unwrap();
        let mut files: HashMap<i64, File> = HashMap::new();
        for row in rows("groups").iter().filter(|row| row["counts"] == true) {
            let agent = (
                row["group_no"].as_i64().unwrap(),
                token(row["agent"].as_str().unwrap()),
            );
            files.entry(id(row)).or_default().agents.push(agent);
        }
        for row in rows("rules").iter().filter(|row| row["counts"] == true) {
            files.entry(id(row)).or_default().rules.push(Rule {
                group_no: row["group_no"].as_i64(),
                allow: row["allow"] == true,
                path: row["path"].as_str().unwrap().to_owned(),
                line_no: row["line_no"].as_i64().unwrap(),
            });
        }
        let captures: HashMap<i64, Value> = rows("robots_files")
            .into_iter()
            .map(|row| (row["warc_record_offset"].as_i64().unwrap(), row))
            .collect();
        let mut reader = warc::Reader::new(warc::Limits::default());
        reader.open_file(archive).unwrap();
        let scope = CaptureScope {
            is_robots_subset: true,
            max_body_bytes: 16 << 20,
            body_limit: Some(robots::BODY_LIMIT_BYTES),
        };
        let (mut parser, mut random) = (Parser::new(), Random::new(3));
        while reader.read_record().unwrap() {
            let record = reader.record();
            let Some(capture) = Capture::read(&record, scope).filter(Capture::should_parse) else {
                continue;
            };
            let row = &captures[&(record.location().offset as i64)];
            let file = files.remove(&id(row)).unwrap_or_default();
            let reading = ParseOptions {
                body_limit: Some(robots::BODY_LIMIT_BYTES),
                is_truncated: capture.parse_options.is_truncated,
            };
            let body = capture.body.as_deref().unwrap();
            let robots = parser.parse_with(body, reading);
            let is_utf8 = row["is_valid_utf8"] == true;
            let mut agents: Vec<String> = file
                .agents
                .iter()
                .map(|(_, token)| token.clone())
                .take(6)
                .collect();
            agents.extend(["NobodyBot".to_owned(), "Googlebot".to_owned()]);
            for agent in agents.iter().filter(|agent| *agent != "*") {
                let policy = Policy::new_google(&robots, &[agent.as_bytes()]);
                for _ in 0..4 {
                    // Paths that are built from the rules of the file, and unrelated ones.
                    let mut path = b"/".to_vec();
                    if !file.rules.is_empty() {
                        let rule = &file.rules[random.below(file.rules.len())];
                        let text: Vec<u8> = bytes(&rule.path, is_utf8)
                            .into_iter()
                            .filter(|byte| !b"*$".contains(byte))
                            .collect();
                        if text.first() == Some(&b'/') {
                            path = text;
                        }
                    }
                    path.extend([&b""[..], b"x", b"/index.html", b"?a=b"][random.below(4)]);
                    let expected = policy.access_path(&path);
                    let (is_allowed, line_no) = file.access(agent, &path, is_utf8);
                    let shown = String::from_utf8_lossy(&path).into_owned();
                    assert_eq!(
                        (is_allowed, line_no),
                        (expected.is_allowed, expected.line_no.map_or(0, i64::from)),
                        "{agent} {shown} {row}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1000, "only {compared} answers were compared");
}

#[test]
fn the_rows_of_one_capture_are_those_among_all() {
    // More rules than a row group has, between two small files.
    let many: String = (0..130_000).map(|i| format!("Disallow: /{i}\n")).collect();
    let bodies = [
        "User-agent: a\nDisallow: /x\n".to_owned(),
        format!("User-agent: b\n{many}"),
        "User-agent: c\nAllow: /\nDisallow: /y\n".to_owned(),
    ];
    let record = |(i, body): (usize, &String)| {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://h{i}.example/robots.txt\r\n\
             WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    let archive: String = bodies.iter().enumerate().map(record).collect();
    let folder = TempDir::new().unwrap();
    let (path, out) = (folder.path().join("x.warc"), folder.path().join("out"));
    fs::write(&path, archive).unwrap();
    let arguments = [path.to_str().unwrap(), "-q", "-o", out.to_str().unwrap()];
    let ran = support::run(arguments.into_iter().chain(["--body-limit", "none"]));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let dataset = Dataset::open(&out, &[], &[Table::GROUPS, Table::RULES]).unwrap();
    let read = |ids: &[i64]| {
        let mut rows = PartLines::open(&dataset, 0, ids.into()).unwrap();
        let mut lines: Vec<(i64, u32)> = Vec::new();
        for id in ids {
            let of_capture = rows.read_capture(*id).unwrap();
            lines.extend(of_capture.iter().map(|line| (*id, line.line_no())));
        }
        lines
    };
    let all = read(&[0, 1, 2, 3]);
    assert_eq!(all.len(), 130_000 + 3 + 1 + 2);
    for id in 0..4 {
        let expected: Vec<_> = all.iter().copied().filter(|line| line.0 == id).collect();
        assert_eq!(read(&[id]), expected);
    }
}
