//! `match` over a dataset, compared with the bodies in the archives, and with
//! the answers of Google's parser.

use super::{Row, list, matched};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use capture::{Capture, CaptureScope};
use dataset::crawler::registry::CrawlerRegistry;
use dataset::crawler::{Crawler, DialectChoice};
use robots::{Dialect, ParseOptions, Parser};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use support::{Random, columns, run, samples, shared_data};
use tempfile::TempDir;

/// A robots.txt as it is in the archive.
struct File {
    offset: u64,
    url: String,
    body: Vec<u8>,
    reading: ParseOptions,
}

/// Returns the files of an archive by their keys.
fn files(archive: &Path, body_limit: Option<u64>) -> BTreeMap<i64, File> {
    let mut reader = warc::Reader::new(warc::Limits::default());
    reader.open_file(archive).unwrap();
    let scope = CaptureScope {
        is_robots_subset: true,
        max_body_bytes: 16 << 20,
        body_limit,
    };
    let mut files = BTreeMap::new();
    // The key of a capture in the first input is its number.
    let mut robots_id = 0;
    while reader.read_record().unwrap() {
        let record = reader.record();
        let Some(capture) = Capture::read(&record, scope) else {
            continue;
        };
        if capture.should_parse() {
            let file = File {
                offset: record.location().offset,
                url: String::from_utf8(capture.url_raw.to_vec()).unwrap(),
                reading: capture.parse_options,
                body: capture.body.unwrap().into_owned(),
            };
            files.insert(robots_id, file);
        }
        robots_id += 1;
    }
    files
}

fn scanned(folder: &TempDir, archive: &Path, args: &[&str]) -> PathBuf {
    let name = archive.file_name().unwrap().to_str().unwrap();
    let out = folder.path().join(name).with_extension("dataset");
    let mut all = vec![archive.to_str().unwrap(), "-o", out.to_str().unwrap()];
    all.extend(args);
    let ran = run(all);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    out
}

/// Returns URLs of the host of a file, some of which its rules match.
fn urls_of(file: &File, parser: &mut Parser, random: &mut Random) -> Vec<String> {
    let Some(origin) = file.url.strip_suffix("/robots.txt") else {
        return Vec::new();
    };
    let robots = parser.parse(&file.body);
    let paths: Vec<&[u8]> = robots
        .directives()
        .iter()
        .filter(|directive| {
            matches!(
                directive.kind,
                robots::DirectiveKind::Allow | robots::DirectiveKind::Disallow
            )
        })
        .map(|directive| robots.text(directive.value_raw))
        .collect();
    let mut urls = vec![format!("{origin}/"), format!("{origin}/robots.txt")];
    for _ in 0..paths.len().min(4) {
        let path = String::from_utf8_lossy(paths[random.below(paths.len())]);
        let mut path = path.replace(['*', '$', '\n', '\r'], "");
        path.push_str(["", "x", "/index.html", "%2F?a=b"][random.below(4)]);
        if path.starts_with('/') {
            urls.push(format!("{origin}{}", path.trim_end()));
        }
    }
    urls
}

#[test]
fn decisions_agree_with_the_bodies_in_every_dialect() {
    let folder = TempDir::new().unwrap();
    let mut archives = vec![samples().join("warc/cc-robotstxt.warc.gz")];
    if let Some(data) = shared_data() {
        let real = |name: &str| data.join("real").join(name);
        archives.push(real("REAL-GOV-2020-09-00000.warc.gz"));
        archives.push(real("REAL-GOV-2024-09-00000.warc.gz"));
        archives.push(real("REAL-ODD-00000.warc.gz"));
    }
    let registry = CrawlerRegistry::built_in();
    let agents = "*,GPTBot,Googlebot-News,AdsBot-Google,MJ12bot,NobodyBot";
    let crawlers: Vec<Crawler> = agents
        .split(',')
        .map(|agent| Crawler::new(&registry, agent))
        .collect();
    let (mut parser, mut random) = (Parser::new(), Random::new(7));
    for archive in archives {
        let files = files(&archive, Some(robots::BODY_LIMIT_BYTES));
        let dataset = scanned(&folder, &archive, &[]);
        let mut text = String::new();
        for file in files.values() {
            for url in urls_of(file, &mut parser, &mut random) {
                text.push_str(&url);
                text.push('\n');
            }
        }
        let list = list(&folder, "urls.txt", text);
        let dialects = [DialectChoice::Default]
            .into_iter()
            .chain(Dialect::ALL.map(DialectChoice::Dialect));
        for dialect in dialects {
            let args = ["-a", agents, "--dialect", dialect.name()];
            let (rows, _) = matched(&dataset, &list, &args);
            let mut of_file: BTreeMap<i64, Vec<(usize, &Row)>> = BTreeMap::new();
            for (i, row) in rows.iter().enumerate() {
                // Decisions by status are not in the bodies.
                if let Some((_, id)) = row
                    .capture
                    .as_ref()
                    .filter(|(_, id)| files.contains_key(id))
                {
                    of_file.entry(*id).or_default().push((i, row));
                }
            }
            let mut compared = 0;
            for (id, rows) in &of_file {
                let file = &files[id];
                let robots = parser.parse_with(&file.body, file.reading);
                for (number, crawler) in crawlers.iter().enumerate() {
                    let policy = crawler.policy(dialect, &robots);
                    let own = rows.iter().filter(|(i, _)| i % crawlers.len() == number);
                    for (_, row) in own {
                        let expected = policy.access(row.url.as_bytes());
                        let line_no = expected.line_no.map(|line_no| line_no as i32);
                        let word = ["disallowed", "allowed"][usize::from(expected.is_allowed)];
                        assert_eq!(row.agent, crawler.agent());
                        assert_eq!(
                            (row.access.as_str(), row.line_no, row.basis.as_str()),
                            (word, line_no, policy.basis.name()),
                            "{} {} {dialect:?}",
                            row.url,
                            row.agent
                        );
                        compared += 1;
                    }
                }
            }
            // The other files are of origins that were captured more than once.
            assert!(
                compared * 10 > rows.len() * 8,
                "{compared} of {}",
                rows.len()
            );
            assert!(of_file.len() * 10 > files.len() * 7, "{}", of_file.len());
        }
    }
}

/// A question to Google's parser, and its answer.
struct Question {
    offset: u64,
    agent: String,
    url: String,
    is_allowed: bool,
    line_no: i64,
}

fn questions(data: &Path) -> HashMap<String, Vec<Question>> {
    let mut all: HashMap<String, Vec<Question>> = HashMap::new();
    for batch in columns(&data.join("oracle/access.parquet")) {
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let text = |name: &str, row: usize| column(name).as_string::<i32>().value(row).to_owned();
        let number = |name: &str, row: usize| column(name).as_primitive::<Int64Type>().value(row);
        for row in 0..batch.num_rows() {
            let archive = text("archive", row);
            let question = Question {
                offset: number("warc_record_offset", row) as u64,
                agent: text("agent", row),
                url: text("url", row),
                is_allowed: column("allowed").as_boolean().value(row),
                line_no: number("line_no", row),
            };
            all.entry(archive).or_default().push(question);
        }
    }
    all
}

#[test]
fn decisions_agree_with_googles_parser() {
    let Some(data) = shared_data() else {
        return;
    };
    const AGENTS: usize = 12;
    let folder = TempDir::new().unwrap();
    let mut compared = 0;
    for (archive, questions) in questions(&data) {
        let mut agents: BTreeMap<&str, usize> = BTreeMap::new();
        for question in &questions {
            if question.agent.contains(',') {
                continue;
            }
            *agents.entry(&question.agent).or_default() += 1;
        }
        let mut agents: Vec<(&str, usize)> = agents.into_iter().collect();
        agents.sort_by_key(|(agent, count)| (usize::MAX - count, *agent));
        agents.truncate(AGENTS);
        let agents: Vec<&str> = agents.iter().map(|(agent, _)| *agent).collect();
        let of_agents: Vec<&Question> = questions
            .iter()
            .filter(|question| agents.contains(&question.agent.as_str()))
            .filter(|question| !question.url.contains(['\n', '\r']))
            .filter(|question| question.url.trim() == question.url)
            .collect();
        let text: String = of_agents
            .iter()
            .map(|question| format!("{}\n", question.url))
            .collect();
        let list = list(&folder, "urls.txt", text);
        let archive = data.join("real").join(archive);
        let files = files(&archive, None);
        let dataset = scanned(&folder, &archive, &["--body-limit", "none"]);
        let args = ["-a", &agents.join(","), "--dialect", "google"];
        let (rows, _) = matched(&dataset, &list, &args);
        assert_eq!(rows.len(), of_agents.len() * agents.len());
        let mut of_archive = 0;
        for (question, rows) in of_agents.iter().zip(rows.chunks(agents.len())) {
            let row = rows.iter().find(|row| row.agent == question.agent).unwrap();
            // An origin that was captured more than once has one authoritative capture.
            if row
                .capture
                .as_ref()
                .and_then(|(_, id)| files.get(id))
                .is_some_and(|file| file.offset == question.offset)
            {
                let line_no = row.line_no.map_or(0, i64::from);
                let answer = (row.access == "allowed", line_no);
                assert_eq!(
                    answer,
                    (question.is_allowed, question.line_no),
                    "{} {}",
                    question.agent,
                    question.url
                );
                of_archive += 1;
            }
        }
        let archive = archive.display();
        assert!(
            of_archive * 10 > of_agents.len() * 8,
            "{archive}: {of_archive}"
        );
        compared += of_archive;
    }
    assert!(compared > 20_000, "only {compared} answers were compared");
}
