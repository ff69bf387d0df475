//! The test cases of other parsers, in `../shared/data/peer-cases`.
//!
//! `peers/readings.toml` states the dialect of each case, and `peers/contradictions.toml` lists the cases
//! that contradict the specification of the dialect, with reasons. Neither contains the text of a case:
//! cases are identified by test and hash.

use robots::{Dialect, Parser, Policy, RobotsTxt, product_token, push_whole_name};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use support::{self, base64};
use xxhash_rust::xxh3::xxh3_64;

/// The files of cases, and the number of lines in each.
const SOURCES: [(&str, usize); 7] = [
    ("crawler_commons", 581),
    ("google_robotstxt", 145),
    ("google_spec_test", 400),
    ("protego", 376),
    ("rep_cpp", 81),
    ("temoto", 2256),
    ("texting_robots", 302),
];

/// A test case of another parser.
struct Case {
    test: String,
    body: Vec<u8>,
    agents: Vec<String>,
    url: String,
    is_allowed: bool,
    /// The key that identifies the case within its source.
    key: String,
    shown: String,
}

impl Case {
    fn read(source: &str, line: &str) -> Self {
        let case: Value = serde_json::from_str(line).unwrap();
        let body = match case["robots_txt"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64(case["robots_txt_b64"].as_str().unwrap()),
        };
        let agents: Vec<String> = match &case["agent"] {
            Value::Array(names) => names
                .iter()
                .map(|name| name.as_str().unwrap().to_owned())
                .collect(),
            name => vec![name.as_str().unwrap().to_owned()],
        };
        let url = case["url"].as_str().unwrap().to_owned();
        let is_allowed = case["expected_allowed"].as_bool().unwrap();
        // The name of the test: a file of Google's tests, or the first word of the note without path and
        // parameters.
        let test = if source == "google_spec_test" {
            case["source"].as_str().unwrap().rsplit('/').next().unwrap()
        } else {
            let word = case["note"].as_str().unwrap().split(' ').next().unwrap();
            let name = word.rsplit("::").next().unwrap();
            name.split('[').next().unwrap()
        };
        let mut identity = body.clone();
        let exact = format!("{}", case["exact_agent_matching"]);
        for part in [&agents.join(","), &url, &exact, &is_allowed.to_string()] {
            identity.push(0);
            identity.extend_from_slice(part.as_bytes());
        }
        Self {
            key: format!("{test} {:016x}", xxh3_64(&identity)),
            test: test.to_owned(),
            body,
            agents,
            url,
            is_allowed,
            shown: line.to_owned(),
        }
    }

    /// Returns the answer of the product in a dialect.
    fn answer(&self, parser: &mut Parser, reading: &str) -> bool {
        let robots = parser.parse(&self.body);
        let url = self.url.as_bytes();
        let names: Vec<&[u8]> = self.agents.iter().map(|agent| agent.as_bytes()).collect();
        let policy = match reading {
            "google" => Policy::new_google(&robots, &names),
            "whole_names" => by_whole_names(&robots, &names),
            // The name that the RFC requires of a crawler: no version, no blanks.
            "rfc9309" => Policy::new(Dialect::Rfc9309, &robots, product_token(self.one_name())),
            "koster1996" => Policy::new(Dialect::Koster1996, &robots, self.one_name()),
            other => panic!("no reading is called {other}"),
        };
        policy.access(url).is_allowed
    }

    fn one_name(&self) -> &[u8] {
        let [name] = self.agents.as_slice() else {
            panic!("a dialect takes one name: {}", self.shown);
        };
        name.as_bytes()
    }
}

fn by_whole_names(robots: &RobotsTxt<'_>, names: &[&[u8]]) -> Policy {
    let whole: Vec<Vec<u8>> = names
        .iter()
        .map(|name| {
            let mut whole = Vec::new();
            push_whole_name(name, &mut whole);
            whole
        })
        .collect();
    let whole: Vec<&[u8]> = whole.iter().map(Vec::as_slice).collect();
    Policy::from_whole_names(robots, &whole, false)
}

fn cases(data: &Path, source: &str) -> Vec<Case> {
    let path = data.join(format!("peer-cases/{source}.jsonl"));
    let text = fs::read_to_string(&path).unwrap();
    text.lines().map(|line| Case::read(source, line)).collect()
}

fn table(name: &str) -> toml::Table {
    let path = support::project().join("tests/peers").join(name);
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn text(value: &toml::Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn texts(value: Option<&toml::Value>) -> Vec<String> {
    let array = value.and_then(toml::Value::as_array);
    array.into_iter().flatten().map(text).collect()
}

/// The dialects by source and test, or by source alone if the test is empty.
struct Readings(BTreeMap<(String, String), String>);

impl Readings {
    fn read() -> Self {
        let mut readings = BTreeMap::new();
        for entry in table("readings.toml")["reading"].as_array().unwrap() {
            assert!(!text(&entry["why"]).is_empty());
            let mut tests = texts(entry.get("tests"));
            if tests.is_empty() {
                tests.push(String::new());
            }
            for test in tests {
                let key = (text(&entry["source"]), test);
                let twice = readings.insert(key.clone(), text(&entry["reading"]));
                assert_eq!(twice, None, "{key:?}");
            }
        }
        Self(readings)
    }

    fn of(&self, source: &str, test: &str) -> &str {
        let get = |test: &str| self.0.get(&(source.to_owned(), test.to_owned()));
        get(test).or_else(|| get("")).expect("every source has one")
    }
}

/// A reason why cases contradict the specification.
struct Reason {
    text: String,
    n: usize,
    /// The sources and keys of the cases.
    cases: Vec<(String, String)>,
}

fn reasons() -> Vec<Reason> {
    let table = table("contradictions.toml");
    let reason = |entry: &toml::Value| {
        assert!(!text(&entry["spec"]).is_empty() && !text(&entry["why"]).is_empty());
        let sources = entry["cases"].as_table().unwrap().iter();
        Reason {
            text: text(&entry["reason"]),
            n: entry["n"].as_integer().unwrap() as usize,
            cases: sources
                .flat_map(|(source, keys)| {
                    let keys = texts(Some(keys)).into_iter();
                    keys.map(|key| (source.clone(), key))
                })
                .collect(),
        }
    };
    table["reason"]
        .as_array()
        .unwrap()
        .iter()
        .map(reason)
        .collect()
}

#[test]
fn every_peer_case_agrees_or_is_a_listed_contradiction() {
    let Some(data) = support::shared_data() else {
        return;
    };
    let files = support::files_below(&data.join("peer-cases"));
    let files = files
        .iter()
        .filter_map(|path| path.to_str()?.strip_suffix(".jsonl"));
    let files: Vec<&str> = files.map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(files, SOURCES.map(|source| source.0));
    let (readings, reasons) = (Readings::read(), reasons());
    let mut listed: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (reason_no, reason) in reasons.iter().enumerate() {
        for case in &reason.cases {
            assert_eq!(
                listed.insert(case.clone(), reason_no),
                None,
                "twice: {case:?}"
            );
        }
    }
    let mut parser = Parser::new();
    let (mut unlisted, mut met) = (Vec::new(), vec![0; reasons.len()]);
    let (mut used, mut contradict) = (BTreeSet::new(), BTreeSet::new());
    for (source, n_lines) in SOURCES {
        let cases = cases(&data, source);
        assert_eq!(cases.len(), n_lines, "{source}");
        let (mut n_agreed, mut n_listed) = (0, 0);
        for case in &cases {
            let reading = readings.of(source, &case.test);
            used.extend([case.test.as_str(), ""].map(|test| (source.to_owned(), test.to_owned())));
            if case.answer(&mut parser, reading) == case.is_allowed {
                n_agreed += 1;
                continue;
            }
            let key = (source.to_owned(), case.key.clone());
            match listed.get(&key) {
                Some(&reason_no) => {
                    met[reason_no] += 1;
                    n_listed += 1;
                    contradict.insert(key);
                }
                None => unlisted.push(format!(
                    "{source} {reading} \"{}\"\n    {}",
                    case.key, case.shown
                )),
            }
        }
        println!("{source}: {n_lines} cases, {n_agreed} agree, {n_listed} are listed");
    }
    assert!(
        unlisted.is_empty(),
        "{} contradict and are not listed:\n{}",
        unlisted.len(),
        unlisted.join("\n")
    );
    let stale = listed.keys().find(|case| !contradict.contains(*case));
    assert_eq!(stale, None, "listed, and yet answered as the peer expects");
    for (reason, met) in reasons.iter().zip(met) {
        println!("{met}: {}", reason.text);
        assert_eq!(met, reason.n, "cases of: {}", reason.text);
    }
    let stale = readings.0.keys().find(|test| !used.contains(*test));
    assert_eq!(stale, None, "a reading for a test that is not there");
}

/// Where the sources contradict each other, Google's tests follow Google's parser and the others follow
/// RFC 9309. The last case has a crawler with a name of two words, which only the comparison of whole names
/// finds.
#[test]
fn each_of_two_contradicting_peers_follows_its_own_dialect() {
    let Some(data) = support::shared_data() else {
        return;
    };
    let text = fs::read_to_string(data.join("peer-cases/contradictions.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let all = all.as_array().unwrap();
    let others = ["rfc9309", "rfc9309", "rfc9309", "whole_names"];
    assert_eq!(all.len(), others.len());
    let mut parser = Parser::new();
    for (case, other) in all.iter().zip(others) {
        let body = case["robots_txt"].as_str().unwrap().as_bytes();
        let agent = case["agent"].as_str().unwrap();
        let url = case["url"].as_str().unwrap().as_bytes();
        let robots = parser.parse(body);
        let google = Policy::new(Dialect::Google, &robots, agent.as_bytes()).access(url);
        let other = match other {
            "rfc9309" => Policy::new(Dialect::Rfc9309, &robots, agent.as_bytes()).access(url),
            _ => by_whole_names(&robots, &[agent.as_bytes()]).access(url),
        };
        assert_ne!(google.is_allowed, other.is_allowed, "{case}");
        for verdict in case["verdicts"].as_array().unwrap() {
            let (source, allowed) = (verdict[0].as_str().unwrap(), verdict[1].as_bool().unwrap());
            let ours = if source.starts_with("google") {
                google
            } else {
                other
            };
            assert_eq!(ours.is_allowed, allowed, "{source} {case}");
        }
    }
}
