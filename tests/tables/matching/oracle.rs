//! `match` compared with every answer of Google's parser.
//!
//! In the real archives, an origin that was captured more than once has one
//! authoritative capture. Here each body gets its own origin, so that every
//! answer is compared.

use answers::url_match::{MatchProgress, Options, UrlListSource, prepare};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use capture::{Capture, CaptureScope};
use crawlers::CrawlerRegistry;
use crawlers::{Crawler, DialectChoice};
use robots::Dialect;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::series::Series;
use support::{columns, run, shared_data};
use tempfile::TempDir;

/// Agents with more questions than this are matched in pairs.
const MANY: usize = 1000;

/// The number of other agents that are matched together, each with the URLs of
/// all.
const TOGETHER: usize = 32;

/// A query of Google's parser, and its answer. The URL has the origin of its
/// body.
struct Question {
    agent: String,
    url: String,
    is_allowed: bool,
    line_no: i64,
}

/// Returns the origin of the `n`-th body.
fn origin(n: usize) -> String {
    format!("https://c{n}.example")
}

/// Reads the questions. Bodies are numbered in the order of archives and offsets.
fn questions(data: &Path) -> (Vec<Question>, BTreeMap<(String, i64), usize>) {
    let batches = columns(&data.join("oracle/access.parquet"));
    let mut rows = Vec::new();
    for batch in &batches {
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let text = |name: &str, row: usize| column(name).as_string::<i32>().value(row).to_owned();
        let number = |name: &str, row: usize| column(name).as_primitive::<Int64Type>().value(row);
        for row in 0..batch.num_rows() {
            let question = Question {
                agent: text("agent", row),
                url: text("url", row),
                is_allowed: column("allowed").as_boolean().value(row),
                line_no: number("line_no", row),
            };
            let location = (text("archive", row), number("warc_record_offset", row));
            rows.push((location, question));
        }
    }
    let locations: BTreeSet<_> = rows.iter().map(|(location, _)| location.clone()).collect();
    let locations: BTreeMap<_, _> = locations.into_iter().zip(0..).collect();
    let with_origin = rows.into_iter().map(|(location, mut question)| {
        let (_, rest) = question.url.split_once("://").unwrap();
        let path = rest.find('/').map_or("", |slash| &rest[slash..]);
        question.url = origin(locations[&location]) + path;
        question
    });
    (with_origin.collect(), locations)
}

/// Writes an archive in which each body is the robots.txt of its own origin.
fn write_archive(data: &Path, locations: &BTreeMap<(String, i64), usize>, out: &Path) {
    let mut file = BufWriter::new(File::create(out).unwrap());
    let scope = CaptureScope {
        is_robots_subset: true,
        max_body_bytes: 16 << 20,
        body_limit: None,
    };
    let archives: BTreeSet<&String> = locations.keys().map(|(archive, _)| archive).collect();
    let mut written = 0;
    for archive in archives {
        let mut reader = warc::Reader::new(warc::Limits::default());
        reader.open_file(&data.join("real").join(archive)).unwrap();
        while reader.read_record().unwrap() {
            let record = reader.record();
            let location = (archive.clone(), record.location().offset as i64);
            let Some(capture) = Capture::read(&record, scope) else {
                continue;
            };
            let Some(n) = locations.get(&location) else {
                continue;
            };
            let body = capture.body.as_deref().unwrap_or_default();
            let head = "HTTP/1.1 200 OK\r\n\r\n";
            write!(
                file,
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}/robots.txt\r\n\
                 WARC-Date: 2026-01-05T00:00:00Z\r\nContent-Length: {}\r\n\r\n{head}",
                origin(*n),
                head.len() + body.len()
            )
            .unwrap();
            file.write_all(body).unwrap();
            file.write_all(b"\r\n\r\n").unwrap();
            written += 1;
        }
    }
    file.flush().unwrap();
    assert_eq!(written, locations.len());
}

/// Matches a list for some agents, and returns the file that was written.
fn matched(folder: &Path, dataset: &Path, urls: &[&str], agents: &[&str]) -> PathBuf {
    let list = folder.join("urls.txt");
    fs::write(&list, urls.join("\n")).unwrap();
    let registry = CrawlerRegistry::built_in();
    let output = folder.join("out.parquet");
    let crawlers = agents.iter().map(|agent| Crawler::new(&registry, agent));
    let prepared = prepare(Options {
        dataset: dataset.to_owned(),
        crawls: Vec::new(),
        urls: UrlListSource::File(list),
        columns: Default::default(),
        crawlers: crawlers.collect(),
        dialect: DialectChoice::Dialect(Dialect::Google),
        category: None,
        as_of: None,
        any_origin: false,
        memory: 1 << 30,
        output: output.clone(),
        overwrite: true,
    });
    let stop = Arc::new(AtomicBool::new(false));
    prepared
        .unwrap()
        .run(&MatchProgress::default(), &stop)
        .unwrap();
    output
}

/// It takes more than ten seconds for 105,000 answers.
#[test]
fn match_agrees_with_every_answer_of_googles_parser() {
    let Some(data) = shared_data() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let (questions, locations) = questions(&data);
    assert_eq!(questions.len(), 124_002);
    let archive = folder.path().join("bodies.warc");
    write_archive(&data, &locations, &archive);
    let dataset = folder.path().join("dataset");
    let args = [
        archive.to_str().unwrap(),
        "-o",
        dataset.to_str().unwrap(),
        "--subset",
        "robotstxt",
        "--body-limit",
        "none",
        "--tables",
        "robots_files,groups,rules",
    ];
    let ran = run(args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);

    // All questions to agents with many are compared, and those to a fifth of the others; in a
    // campaign all.
    let mut of_agent: BTreeMap<&str, Vec<&Question>> = BTreeMap::new();
    for question in &questions {
        of_agent.entry(&question.agent).or_default().push(question);
    }
    let (many, few): (Vec<&str>, Vec<&str>) = of_agent
        .keys()
        .partition(|agent| of_agent[*agent].len() > MANY);
    let (series, seed) = (Series::new(), Series::new().random(53).below(5));
    let few = few.chunks(TOGETHER).enumerate();
    let few = few.filter(|(n, _)| series.is_whole() || n % 5 == seed);
    let rounds = many.chunks(2).chain(few.map(|(_, agents)| agents));
    let mut answered = 0;
    for agents in rounds {
        let of_agents = agents.iter().flat_map(|agent| &of_agent[agent]);
        let urls: BTreeSet<&str> = of_agents.map(|question| question.url.as_str()).collect();
        let urls: Vec<&str> = urls.into_iter().collect();
        let rows = rows(&matched(folder.path(), &dataset, &urls, agents));
        assert_eq!(rows.len(), urls.len() * agents.len());
        for question in agents.iter().flat_map(|agent| &of_agent[agent]) {
            let answer = rows[&(question.url.clone(), question.agent.clone())];
            assert_eq!(
                answer,
                (question.is_allowed, question.line_no),
                "{} {}",
                question.agent,
                question.url
            );
            answered += 1;
        }
    }
    let least = if series.is_whole() {
        questions.len()
    } else {
        105_000
    };
    assert!(answered >= least, "{answered}");
}

/// Returns access and line of each URL and agent. As in the answers of Google's
/// parser, line 0 means no line.
fn rows(path: &Path) -> HashMap<(String, String), (bool, i64)> {
    let mut rows = HashMap::new();
    for batch in columns(path) {
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let text = |name: &str, row: usize| column(name).as_string::<i32>().value(row);
        let lines = column("line_no").as_primitive::<Int32Type>();
        for row in 0..batch.num_rows() {
            let line_no = if lines.is_null(row) {
                0
            } else {
                lines.value(row)
            };
            let is_allowed = match text("access", row) {
                "allowed" => true,
                "disallowed" => false,
                other => panic!("{}: {other}", text("url", row)),
            };
            let key = (text("url", row).to_owned(), text("agent", row).to_owned());
            rows.insert(key, (is_allowed, line_no.into()));
        }
    }
    rows
}
