//! `match` over a dataset, compared with the bodies in the archives.

use super::{Row, list, matched};
use capture::{Capture, CaptureScope};
use crawlers::CrawlerRegistry;
use crawlers::{Crawler, DialectChoice};
use robots::{Dialect, ParseOptions, Parser};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::{Random, run, samples, shared_data};
use tempfile::TempDir;

/// A robots.txt as it is in the archive.
struct File {
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
        let bytes = paths[random.below(paths.len())];
        // The matcher takes octets that are not ASCII as escapes.
        let octets = bytes.iter().map(|&byte| match byte {
            0x80.. => format!("%{byte:02X}"),
            _ => char::from(byte).to_string(),
        });
        let path: String = octets.collect();
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
    let sample = |name| samples().join("warc").join(name);
    let mut archives = ["cc-robotstxt.warc.gz", "content-encoding.warc.gz"]
        .map(sample)
        .to_vec();
    if let Some(data) = shared_data() {
        let real = |name: &str| data.join("real").join(name);
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
