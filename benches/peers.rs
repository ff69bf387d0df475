//! Compares this project and other parsers with the answers of Google's open-source parser.
//!
//! Usage: `peers DATA`. Prints a table for the questions of `DATA/oracle` about the archives of `DATA/real`,
//! and about hand-made cases. Agents and URLs are passed as they stand, and bodies have no limit. Invalid
//! UTF-8 is replaced for parsers that accept only `&str`. `fast-robots` needs paths, and gets those that
//! Google's parser extracts. A panic or an error is no answer. The CPU time is that of one thread for all
//! answers, with parsing: of a file for all agents (`robots`, `fast-robots`), for each agent
//! (`texting_robots`), or for each question (`robotstxt`), as the API allows. The fastest of five runs counts.

#![expect(clippy::unwrap_used, reason = "a bench may panic, and says where")]

use capture::{Capture, CaptureScope};
use cpu_time::ProcessTime;
use fast_robots::RobotsTxt;
use robots::{Dialect, ParseOptions, Parser, Policy};
use robotstxt::DefaultMatcher;
use std::collections::BTreeMap;
use std::error::Error;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use texting_robots::Robot;
use warc::{Limits, Reader};

/// A robots.txt file, with its questions by agent.
#[derive(Default)]
struct Subject {
    body: Vec<u8>,
    agents: BTreeMap<String, Vec<Question>>,
}

struct Question {
    url: Vec<u8>,
    path: String,
    /// The answer of Google's parser.
    is_allowed: bool,
}

/// Whether each answer is that of Google's parser; `None` is a panic or an error.
type Answers = Vec<Option<bool>>;

fn main() -> Result<(), Box<dyn Error>> {
    let data = std::env::args().nth(1).ok_or("usage: peers DATA")?;
    let (real, cases) = (real_files(data.as_ref())?, cases(data.as_ref())?);
    panic::set_hook(Box::new(|_| ()));
    println!("| files | crate | questions | different | no answer | share | CPU time |");
    println!("|{}", "---|".repeat(7));
    compare("real", &real);
    compare("hand-made", &cases);
    Ok(())
}

/// Prints the rows of all parsers.
fn compare(files: &str, subjects: &[Subject]) {
    let peers = [
        ("robotstxt-dialects", robots as fn(&Subject) -> Answers),
        ("texting_robots", texting_robots),
        ("fast-robots", fast_robots),
        ("robotstxt", robotstxt),
    ];
    let mut our_seconds = None;
    for (name, answer) in peers {
        let (mut answers, mut seconds) = (Answers::new(), f64::MAX);
        for _ in 0..5 {
            let start = ProcessTime::now();
            answers = subjects.iter().flat_map(answer).collect();
            seconds = start.elapsed().as_secs_f64().min(seconds);
        }
        let count = |value| answers.iter().filter(|&&answer| answer == value).count();
        let (n, different, silent) = (answers.len(), count(Some(false)), count(None));
        let share = 100.0 * different as f64 / n as f64;
        let ratio = seconds / *our_seconds.get_or_insert(seconds);
        let (name, version) = (format!("{files} | {name}"), locked_version(name));
        print!("| {name} {version} | {n} | {different} | {silent} | {share:.2} % ");
        println!("| {seconds:.3} s, {ratio:.1} × |");
    }
}

fn robots(subject: &Subject) -> Answers {
    let mut parser = Parser::new();
    let unlimited = ParseOptions {
        body_limit: None,
        ..ParseOptions::default()
    };
    let robots = parser.parse_with(&subject.body, unlimited);
    subject.answers(
        |agent| Some(Policy::new(Dialect::Google, &robots, agent.as_bytes())),
        |policy, _, question| policy.access(&question.url).is_allowed,
    )
}

fn texting_robots(subject: &Subject) -> Answers {
    subject.answers(
        |agent| Robot::new(agent, &subject.body).ok(),
        |robot, _, question| robot.allowed(&String::from_utf8_lossy(&question.url)),
    )
}

fn fast_robots(subject: &Subject) -> Answers {
    let text = String::from_utf8_lossy(&subject.body);
    let robots = attempt(|| RobotsTxt::parse(&text));
    subject.answers(
        |_| robots.as_ref(),
        |robots, agent, question| robots.is_allowed(agent, &question.path),
    )
}

fn robotstxt(subject: &Subject) -> Answers {
    let text = String::from_utf8_lossy(&subject.body);
    let is_allowed = |(): &(), agent: &str, question: &Question| {
        let url = String::from_utf8_lossy(&question.url);
        DefaultMatcher::default().one_agent_allowed_by_robots(&text, agent, &url)
    };
    subject.answers(|_| Some(()), is_allowed)
}

/// Returns the result, or `None` if there is a panic.
fn attempt<T>(function: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(function)).ok()
}

impl Subject {
    /// Adds a question about a URL, with the agent and the answer in a row of an oracle.
    fn ask(&mut self, row: &serde_json::Value, url: Vec<u8>) {
        let questions = self.agents.entry(text(row, "agent").to_owned());
        questions.or_default().push(Question {
            path: String::from_utf8_lossy(robots::path_of_url(&url, &mut Vec::new())).into(),
            is_allowed: row["allowed"].as_bool().unwrap(),
            url,
        });
    }

    /// Answers all questions with what `prepare` returns for an agent.
    fn answers<T>(
        &self,
        prepare: impl Fn(&str) -> Option<T>,
        is_allowed: impl Fn(&T, &str, &Question) -> bool,
    ) -> Answers {
        let mut answers = Answers::new();
        for (agent, questions) in &self.agents {
            let prepared = attempt(|| prepare(agent)).flatten();
            answers.extend(questions.iter().map(|question| {
                let prepared = prepared.as_ref()?;
                let answer = attempt(|| is_allowed(prepared, agent, question))?;
                Some(answer == question.is_allowed)
            }));
        }
        answers
    }
}

fn real_files(data: &Path) -> Result<Vec<Subject>, Box<dyn Error>> {
    let mut subjects = BTreeMap::new();
    let scope = CaptureScope {
        is_robots_subset: true,
        max_body_bytes: 16 << 20,
        body_limit: None,
    };
    let mut reader = Reader::new(Limits::default());
    for archive in std::fs::read_dir(data.join("real"))? {
        let archive = archive?;
        reader.open_file(&archive.path())?;
        while reader.read_record()? {
            let record = reader.record();
            let key = (archive.file_name(), record.location().offset);
            let body = Capture::read(&record, scope).and_then(|capture| capture.body);
            let subject: &mut Subject = subjects.entry(key).or_default();
            subject.body = body.unwrap_or_default().into();
        }
    }
    for row in support::rows_of_file(&data.join("oracle/access.parquet")) {
        let offset = row["warc_record_offset"].as_u64().unwrap();
        let subject = subjects.get_mut(&(text(&row, "archive").into(), offset));
        subject.unwrap().ask(&row, text(&row, "url").into());
    }
    subjects.retain(|_, subject| !subject.agents.is_empty());
    Ok(subjects.into_values().collect())
}

fn cases(data: &Path) -> Result<Vec<Subject>, Box<dyn Error>> {
    let mut subjects = BTreeMap::new();
    for line in std::fs::read_to_string(data.join("oracle/cases.jsonl"))?.lines() {
        let case = serde_json::from_str(line)?;
        let body = support::base64(text(&case, "robots_b64"));
        let subject: &mut Subject = subjects.entry(body.clone()).or_default();
        subject.ask(&case, support::base64(text(&case, "url_b64")));
        subject.body = body;
    }
    Ok(subjects.into_values().collect())
}

fn text<'a>(row: &'a serde_json::Value, name: &str) -> &'a str {
    row[name].as_str().unwrap()
}

fn locked_version(package: &str) -> &'static str {
    let key = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&key).unwrap();
    rest.split('"').next().unwrap_or_default()
}
