//! `match` over a dataset, against the bytes of the archives it was made of,
//! and against what Google's parser answered.

use super::{Row, list, matched};
use crate::util::{Random, columns, run, samples, shared_data};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use robots::{Dialect, ParseOptions, Parser};
use robots_scan::analysis::robots_id;
use robots_scan::capture::{Capture, Scope};
use robots_scan::crawler::registry::CrawlerRegistry;
use robots_scan::crawler::{Crawler, DialectChoice};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A file as the archive holds it.
struct File {
    url: String,
    body: Vec<u8>,
    reading: ParseOptions,
}

/// The files of an archive, by their keys.
fn files(archive: &Path, body_limit: Option<u64>) -> BTreeMap<i64, File> {
    let mut reader = warc::Reader::new(warc::Limits::default());
    reader.open_file(archive).unwrap();
    let scope = Scope {
        is_robots_subset: true,
        max_body_bytes: 16 << 20,
        body_limit,
    };
    let name = archive.file_name().unwrap().to_str().unwrap();
    let mut files = BTreeMap::new();
    while reader.read_record().unwrap() {
        let record = reader.record();
        if let Some(capture) = Capture::read(&record, scope).filter(Capture::is_parsed) {
            let file = File {
                url: String::from_utf8(capture.url_raw.to_vec()).unwrap(),
                reading: capture.parse_options,
                body: capture.body.unwrap().into_owned(),
            };
            files.insert(robots_id(name, record.location()), file);
        }
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

/// URLs of a file's host, made of its own rules and of nothing in it.
fn urls_of(file: &File, parser: &mut Parser, random: &mut Random) -> Vec<String> {
    let Some(origin) = file.url.strip_suffix("/robots.txt") else {
        return Vec::new();
    };
    let robots = parser.parse(&file.body);
    let paths: Vec<&[u8]> = robots
        .directives()
        .iter()
        .filter(|it| {
            matches!(
                it.kind,
                robots::DirectiveKind::Allow | robots::DirectiveKind::Disallow
            )
        })
        .map(|it| robots.text(it.value_raw))
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
fn answers_are_those_of_the_bytes_in_every_reading() {
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
        let readings = [DialectChoice::Default]
            .into_iter()
            .chain(Dialect::ALL.map(DialectChoice::Dialect));
        for asked in readings {
            let args = ["-a", agents, "--dialect", asked.name()];
            let (rows, _) = matched(&dataset, &list, &args);
            let mut of_file: BTreeMap<i64, Vec<(usize, &Row)>> = BTreeMap::new();
            for (nth, row) in rows.iter().enumerate() {
                // What a status decided is not in the bytes.
                if let Some((_, id)) = row
                    .capture
                    .as_ref()
                    .filter(|(_, id)| files.contains_key(id))
                {
                    of_file.entry(*id).or_default().push((nth, row));
                }
            }
            let mut compared = 0;
            for (id, rows) in &of_file {
                let file = &files[id];
                let robots = parser.parse_with(&file.body, file.reading);
                for (at, crawler) in crawlers.iter().enumerate() {
                    let policy = crawler.policy(asked, &robots);
                    let own = rows.iter().filter(|(nth, _)| nth % crawlers.len() == at);
                    for (_, row) in own {
                        let expected = policy.access(row.url.as_bytes());
                        let line_no = expected.line_no.map(|line_no| line_no as i32);
                        let word = ["disallowed", "allowed"][usize::from(expected.is_allowed)];
                        assert_eq!(row.agent, crawler.agent());
                        assert_eq!(
                            (row.access.as_str(), row.line_no, row.basis.as_str()),
                            (word, line_no, policy.basis.name()),
                            "{} {} {asked:?}",
                            row.url,
                            row.agent
                        );
                        compared += 1;
                    }
                }
            }
            // Files that do not speak are those of an origin that was captured twice.
            assert!(
                compared * 10 > rows.len() * 8,
                "{compared} of {}",
                rows.len()
            );
            assert!(of_file.len() * 10 > files.len() * 7, "{}", of_file.len());
        }
    }
}

/// A question to Google's parser.
struct Question {
    robots_id: i64,
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
            let location = warc::RecordLocation {
                offset: number("warc_record_offset", row) as u64,
                length: None,
                index_in_member: 0,
            };
            let question = Question {
                robots_id: robots_id(&archive, location),
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
fn answers_are_those_of_googles_parser() {
    let Some(data) = shared_data() else {
        return;
    };
    const AGENTS: usize = 12;
    let folder = TempDir::new().unwrap();
    let mut compared = 0;
    for (archive, questions) in questions(&data) {
        let mut agents: BTreeMap<&str, usize> = BTreeMap::new();
        for it in questions.iter().filter(|it| !it.agent.contains(',')) {
            *agents.entry(&it.agent).or_default() += 1;
        }
        let mut agents: Vec<(&str, usize)> = agents.into_iter().collect();
        agents.sort_by_key(|(agent, count)| (usize::MAX - count, *agent));
        agents.truncate(AGENTS);
        let agents: Vec<&str> = agents.iter().map(|(agent, _)| *agent).collect();
        let asked: Vec<&Question> = questions
            .iter()
            .filter(|it| agents.contains(&it.agent.as_str()) && !it.url.contains(['\n', '\r']))
            .filter(|it| it.url.trim() == it.url)
            .collect();
        let text: String = asked.iter().map(|it| format!("{}\n", it.url)).collect();
        let list = list(&folder, "urls.txt", text);
        let archive = data.join("real").join(archive);
        let dataset = scanned(&folder, &archive, &["--body-limit", "none"]);
        let args = ["-a", &agents.join(","), "--dialect", "google"];
        let (rows, _) = matched(&dataset, &list, &args);
        assert_eq!(rows.len(), asked.len() * agents.len());
        let mut of_archive = 0;
        for (it, rows) in asked.iter().zip(rows.chunks(agents.len())) {
            let row = rows.iter().find(|row| row.agent == it.agent).unwrap();
            // An origin that was captured twice has one capture that speaks.
            if row
                .capture
                .as_ref()
                .is_some_and(|(_, id)| *id == it.robots_id)
            {
                let line_no = row.line_no.map_or(0, i64::from);
                let answer = (row.access == "allowed", line_no);
                assert_eq!(
                    answer,
                    (it.is_allowed, it.line_no),
                    "{} {}",
                    it.agent,
                    it.url
                );
                of_archive += 1;
            }
        }
        let archive = archive.display();
        assert!(of_archive * 10 > asked.len() * 8, "{archive}: {of_archive}");
        compared += of_archive;
    }
    assert!(compared > 20_000, "only {compared} answers were compared");
}
