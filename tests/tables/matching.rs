//! `match` and `check --host`: the selection of authoritative captures and the
//! decisions, on generated archives, on samples, and on real archives.

mod bytes;
mod check;
mod csv_output;
mod host;
mod lists;
mod oracle;
mod parquet_lists;
mod selection_oracle;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use parquet::arrow::ArrowWriter;
use selection_oracle::SelectionOracle;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use support::test_capture::{self, TestCapture, dataset, robots_ids};
use support::{Ran, columns, command, run};
use tempfile::TempDir;

/// A row of the output.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    url: String,
    agent: String,
    capture: Option<(String, i64)>,
    access: String,
    line_no: Option<i32>,
    basis: String,
}

fn rows(path: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for batch in columns(path) {
        let text = |name: &str, row: usize| {
            let column = batch.column_by_name(name).unwrap().as_string::<i32>();
            column.is_valid(row).then(|| column.value(row).to_owned())
        };
        let ids = batch.column_by_name("robots_id").unwrap();
        let lines = batch.column_by_name("line_no").unwrap();
        let (ids, lines) = (
            ids.as_primitive::<Int64Type>(),
            lines.as_primitive::<Int32Type>(),
        );
        for row in 0..batch.num_rows() {
            rows.push(Row {
                url: text("url", row).unwrap(),
                agent: text("agent", row).unwrap(),
                capture: text("crawl", row).map(|crawl| (crawl, ids.value(row))),
                access: text("access", row).unwrap(),
                line_no: lines.is_valid(row).then(|| lines.value(row)),
                basis: text("basis", row).unwrap(),
            });
            assert_eq!(ids.is_valid(row), text("crawl", row).is_some());
        }
    }
    rows
}

/// Runs `match` for any names of crawlers.
fn run_match(dataset: &Path, urls: &Path, out: &Path, args: &[&str]) -> Ran {
    let all = ["match", path(dataset), "-u", path(urls), "-o", path(out)];
    run([&all[..], &["--any-name"], args].concat())
}

/// Returns a dataset with one capture, which allows everything.
fn open_dataset(folder: &TempDir) -> PathBuf {
    let capture = TestCapture::ok("https://h.example/robots.txt", 0, OPEN);
    dataset(folder, &[capture])
}

/// Runs `match` on a list with more arguments. Returns the rows and the summary.
fn matched(dataset: &Path, list: &Path, args: &[&str]) -> (Vec<Row>, Value) {
    let out = list.with_extension("out.parquet");
    let args = [&["--overwrite", "--json"], args].concat();
    let ran = run_match(dataset, list, &out, &args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    let rows = rows(&out);
    assert_eq!(summary["rows"], rows.len());
    (rows, summary)
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn list(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Returns access and basis of each row.
fn decisions(rows: &[Row]) -> Vec<(&str, &str)> {
    rows.iter()
        .map(|row| (row.access.as_str(), row.basis.as_str()))
        .collect()
}

const OPEN: &str = "User-agent: *\nAllow: /\n";
const CLOSED: &str = "User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /\n";

#[test]
fn the_effect_of_a_status_depends_on_the_dialect() {
    let folder = TempDir::new().unwrap();
    let captures: Vec<TestCapture> = [404u16, 403, 410, 429, 503, 304, 301]
        .iter()
        .map(|status| {
            TestCapture::status(&format!("https://s{status}.example/robots.txt"), 0, *status)
        })
        .collect();
    let out = dataset(&folder, &captures);
    let urls: String = captures
        .iter()
        .map(|capture| capture.url.replace("/robots.txt", "/x\n"))
        .collect();
    let urls = list(&folder, "urls.txt", urls);
    let access = |dialect: &str| -> String {
        let (rows, _) = matched(&out, &urls, &["-a", "AdsBot-Google", "--dialect", dialect]);
        assert!(rows.iter().all(|row| row.basis == "http_status"));
        assert!(rows.iter().all(|row| row.capture.is_some()));
        rows.iter().map(|row| &row.access[..1]).collect()
    };
    assert_eq!(access("default"), "aaadduu");
    assert_eq!(access("google"), "aaadduu");
    assert_eq!(access("rfc9309"), "aaaaduu");
    assert_eq!(access("koster1996"), "aduuuuu");
    // RFC 9309 §2.2.2 always allows the robots.txt itself; Google's parser does not.
    let urls = list(&folder, "itself.txt", "https://s503.example/robots.txt\n");
    for (dialect, expected) in [("rfc9309", "allowed"), ("google", "disallowed")] {
        let (rows, _) = matched(&out, &urls, &["-a", "x", "--dialect", dialect]);
        assert_eq!(decisions(&rows), [(expected, "http_status")]);
    }
}

#[test]
fn redirects_are_followed_to_the_capture_that_holds_the_rules() {
    let folder = TempDir::new().unwrap();
    let redirect = |from: &str, to: &str| {
        TestCapture::redirect(&format!("https://{from}.example/robots.txt"), 0, to)
    };
    let chain = |n: u32| {
        let next = format!("https://c{}.example/robots.txt", n + 1);
        redirect(&format!("c{n}"), &next)
    };
    let mut captures = vec![
        redirect("one", "https://end.example/other.txt"),
        TestCapture::ok("https://end.example/other.txt", 1, CLOSED),
        redirect("missing", "https://nowhere.example/robots.txt"),
        redirect("self", "/robots.txt"),
        redirect("left", "https://right.example/robots.txt"),
        redirect("right", "https://left.example/robots.txt"),
        redirect("closed", "https://gone.example/x"),
        TestCapture::status("https://gone.example/x", 1, 503),
        redirect("www", "https://bare.example/robots.txt"),
        TestCapture::redirect(
            "https://bare.example/robots.txt",
            0,
            "https://end.example/other.txt",
        ),
    ];
    captures.extend((0..6).map(chain));
    captures.push(TestCapture::ok("https://c6.example/robots.txt", 0, OPEN));
    let out = dataset(&folder, &captures);
    let ids = robots_ids(&out);
    let hosts = [
        "one", "missing", "self", "left", "closed", "www", "c0", "c1", "end",
    ];
    let urls: String = hosts
        .map(|host| format!("https://{host}.example/x\n"))
        .concat();
    let urls = list(&folder, "urls.txt", urls);
    let (rows, _) = matched(&out, &urls, &["-a", "*"]);
    let expected = [
        ("disallowed", "wildcard", Some(&ids[1])),
        ("unknown", "http_status", Some(&ids[2])),
        ("unknown", "http_status", Some(&ids[3])),
        ("unknown", "http_status", Some(&ids[4])),
        ("disallowed", "http_status", Some(&ids[7])),
        ("disallowed", "wildcard", Some(&ids[1])),
        // Six hops are one too many.
        ("unknown", "http_status", Some(&ids[10])),
        ("allowed", "wildcard", Some(&ids[16])),
        // The target of a redirect is not the robots.txt of its own host.
        ("unknown", "no_capture", None),
    ];
    for (row, (access, basis, capture)) in rows.iter().zip(expected) {
        let found = (
            row.access.as_str(),
            row.basis.as_str(),
            row.capture.as_ref(),
        );
        assert_eq!(found, (access, basis, capture), "{}", row.url);
    }
    assert_eq!(rows.len(), expected.len());
}

#[test]
fn the_target_of_a_redirect_may_be_a_revisit() {
    let folder = TempDir::new().unwrap();
    let page = "https://b.example/other.txt";
    let revisit = |url: &str, letter| {
        let mut revisit = TestCapture::ok(url, 2, "");
        revisit.make_revisit(letter);
        revisit
    };
    let mut source = TestCapture::ok("https://b.example/robots.txt", 1, CLOSED);
    source.set_digest('B');
    let captures = [
        TestCapture::redirect("https://a.example/robots.txt", 0, page),
        source,
        revisit(page, 'B'),
        // Its content was not captured.
        TestCapture::redirect(
            "https://c.example/robots.txt",
            0,
            "https://b.example/lost.txt",
        ),
        revisit("https://b.example/lost.txt", 'D'),
    ];
    let out = dataset(&folder, &captures);
    let ids = robots_ids(&out);
    assert_eq!(ids.len(), captures.len());
    let urls = list(
        &folder,
        "urls.txt",
        "https://a.example/x\nhttps://c.example/x\n",
    );
    let (rows, _) = matched(&out, &urls, &["-a", "*"]);
    let found = |row: &Row| (row.access.clone(), row.basis.clone(), row.capture.clone());
    let expected = |access: &str, basis: &str, id: usize| {
        (access.to_owned(), basis.to_owned(), Some(ids[id].clone()))
    };
    assert_eq!(found(&rows[0]), expected("disallowed", "wildcard", 1));
    assert_eq!(found(&rows[1]), expected("unknown", "http_status", 4));
    let ends = support::rows(&out, "hosts");
    let end_of = |host: &str| {
        let row = ends.iter().find(|row| row["surt_host_name"] == host);
        row.unwrap()["redirect_end"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(end_of("example,a"), "resolved");
    assert_eq!(end_of("example,c"), "resolved");
    let is_robots_path = support::rows(&out, "robots_files");
    let is_robots_path = is_robots_path
        .iter()
        .map(|row| row["is_robots_path"] == true);
    assert_eq!(
        is_robots_path.collect::<Vec<_>>(),
        [true, true, false, true, false]
    );
}

#[test]
fn a_capture_of_exactly_the_requested_time_is_considered() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            TestCapture::ok("https://h.example/robots.txt", 20, OPEN),
            TestCapture::ok("https://h.example/robots.txt", 10, CLOSED),
            // It decides less than the others, so it is not selected.
            TestCapture::status("https://h.example/robots.txt", 30, 503),
        ],
    );
    let text = list(&folder, "urls.txt", "https://h.example/x\n");
    let access = |args: &[&str]| {
        let args = [&["-a", "*"], args].concat();
        let row = matched(&out, &text, &args).0.remove(0);
        (row.access, row.basis)
    };
    let decision = |access: &str, basis: &str| (access.to_owned(), basis.to_owned());
    let day = "2026-01-05T00:00";
    let as_of = |second: &str| access(&["--at", &format!("{day}:{second}")]);
    assert_eq!(as_of("09.999"), decision("unknown", "no_capture"));
    assert_eq!(as_of("10"), decision("disallowed", "wildcard"));
    assert_eq!(as_of("19.999"), decision("disallowed", "wildcard"));
    assert_eq!(as_of("20Z"), decision("allowed", "wildcard"));
    assert_eq!(access(&[]), decision("allowed", "wildcard"));
    assert_eq!(
        access(&["--at=2026-01-05T01:00:10+01:00"]),
        decision("disallowed", "wildcard")
    );

    let csv = format!(
        "fetch_time,url\n{day}:20Z,https://h.example/1\n{day}:19Z,https://h.example/2\n\
         ,https://h.example/3\nyesterday,https://h.example/4\n{day}:19Z,none\n"
    );
    let csv = list(&folder, "urls.csv", csv);
    let (rows, _) = matched(&out, &csv, &["-a", "*", "--at", "2026-01-05T00:00:05Z"]);
    let expected = [
        ("allowed", "wildcard"),
        ("disallowed", "wildcard"),
        ("unknown", "no_capture"),
        ("unknown", "bad_time"),
        ("unknown", "bad_url"),
    ];
    assert_eq!(decisions(&rows), expected);
    let (rows, _) = matched(&out, &csv, &["-a", "*"]);
    assert_eq!(decisions(&rows)[2], ("allowed", "wildcard"));
}

#[test]
fn every_format_of_a_list_gives_the_same_rows_in_the_same_order() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[
            TestCapture::ok("https://b.example/robots.txt", 0, OPEN),
            TestCapture::ok("https://a.example/robots.txt", 0, CLOSED),
        ],
    );
    let urls = [
        "https://b.example/2",
        "https://a.example/,1",
        "https://b.example/2",
        "no url",
        "https://a.example/0",
    ];
    let text = urls.join("\r\n\n");
    let quoted = urls.map(|url| format!("\"{url}\",7\n")).concat();
    let csv = format!("url,n\n{quoted}");
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let column: arrow_array::ArrayRef = Arc::new(arrow_array::StringArray::from_iter_values(urls));
    let batch = arrow_array::RecordBatch::try_from_iter([("url", column)]).unwrap();
    let mut parquet = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut parquet, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let args = ["-a", "a", "-a", "b"];
    let (expected, _) = matched(&out, &list(&folder, "text", &text), &args);
    let order: Vec<(&str, &str)> = expected
        .iter()
        .map(|row| (row.url.as_str(), row.agent.as_str()))
        .collect();
    let in_order: Vec<(&str, &str)> = urls
        .iter()
        .flat_map(|url| [(*url, "a"), (*url, "b")])
        .collect();
    assert_eq!(order, in_order);
    let of_a: Vec<&str> = expected.iter().map(|row| row.basis.as_str()).collect();
    assert_eq!(of_a[2..4], ["explicit", "wildcard"]);
    for (name, bytes) in [
        ("text.gz", gzip(&text)),
        ("list.csv", csv.clone().into_bytes()),
        ("list.csv.gz", gzip(&csv)),
        ("named-otherwise", csv.into_bytes()),
        ("list.parquet", parquet),
    ] {
        let (rows, _) = matched(&out, &list(&folder, name, bytes), &args);
        assert_eq!(rows, expected, "{name}");
    }
    let file = folder.path().join("piped.parquet");
    let mut piped = command();
    piped.args(["match", path(&out), "-u", "-", "-o", path(&file)]);
    piped.args(["--any-name", "-a", "a,b"]);
    piped.stdin(fs::File::open(folder.path().join("text")).unwrap());
    let ran = Ran::from(piped.output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    assert!(
        ran.err
            .starts_with("warning: '-': 1 row without an absolute URL"),
        "{}",
        ran.err
    );
    assert!(
        ran.out
            .contains("5 URLs of 2 origins: 6 allowed, 2 disallowed, 2 unknown"),
        "{}",
        ran.out
    );
    assert_eq!(rows(&file), expected);
}

#[test]
fn the_output_depends_on_neither_the_memory_limit_nor_the_threads() {
    let folder = TempDir::new().unwrap();
    let hosts = 40;
    let captures: Vec<TestCapture> = (0..hosts)
        .map(|n| {
            let body = format!("User-agent: *\nDisallow: /{n}\nAllow: /{n}{n}\n");
            TestCapture::ok(&format!("https://h{n}.example/robots.txt"), n, &body)
        })
        .collect();
    let out = dataset(&folder, &captures);
    let mut text = String::new();
    for n in 0..20_000 {
        let host = n * 7919 % (hosts + 1);
        text.push_str(&format!(
            "https://h{host}.example/{}/{n}{}\n",
            n % 50,
            "x".repeat(360)
        ));
    }
    let urls = list(&folder, "urls.txt", text);
    let run = |memory: &str, threads: &str| {
        let args = ["-a", "x,y", "--memory", memory, "--threads", threads];
        let (rows, summary) = matched(&out, &urls, &args);
        let bytes = fs::read(folder.path().join("urls.out.parquet")).unwrap();
        (rows, bytes, summary["sort_runs"].as_u64().unwrap())
    };
    let (rows, in_memory, no_runs) = run("1GiB", "1");
    assert_eq!(no_runs, 0);
    for (memory, threads) in [("1GiB", "4"), ("16MiB", "1"), ("16MiB", "4")] {
        let (_, bytes, runs) = run(memory, threads);
        assert_eq!(runs >= 8, memory == "16MiB", "{runs} runs were written");
        assert!(in_memory == bytes, "the output depends on -t or --memory");
    }
    assert_eq!(rows.len(), 40_000);
    for (n, pair) in rows.chunks(2).enumerate() {
        let host = n as i64 * 7919 % (hosts + 1);
        assert!(
            pair[0]
                .url
                .starts_with(&format!("https://h{host}.example/{}/{n}x", n % 50))
        );
        let is_closed = (n % 50).to_string().starts_with(&host.to_string())
            && !format!("{}/{n}", n % 50).starts_with(&format!("{host}{host}"));
        let access = match host == hosts {
            true => "unknown",
            false if is_closed => "disallowed",
            false => "allowed",
        };
        assert_eq!(
            (pair[0].access.as_str(), &pair[0].access),
            (access, &pair[1].access)
        );
    }
    let left = fs::read_dir(folder.path()).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(left.into_iter().all(|name| !name.starts_with('_')));
}

#[test]
fn the_selected_capture_is_that_of_an_exhaustive_search() {
    let mut random = support::Random::new(11);
    let (mut compared, mut decided) = (0, 0);
    for _ in 0..12 {
        let folder = TempDir::new().unwrap();
        let captures = test_capture::random(&mut random);
        let out = dataset(&folder, &captures);
        let oracle = SelectionOracle::new(&captures, &robots_ids(&out));
        let (mut csv, mut expected) = (String::from("url,fetch_time\n"), Vec::new());
        for origin in test_capture::ORIGINS {
            for second in -1..=test_capture::SECONDS + 1 {
                let time = if second > test_capture::SECONDS {
                    String::new()
                } else {
                    test_capture::date(second)
                };
                csv.push_str(&format!("{origin}/x,{time}\n"));
                let until = if time.is_empty() { i64::MAX } else { second };
                expected.push((
                    format!("{origin} {time}"),
                    oracle.rules_capture(origin, until),
                ));
            }
        }
        let urls = list(&folder, "urls.csv", csv);
        let (rows, _) = matched(&out, &urls, &["-a", "*"]);
        for (row, (what, expected)) in rows.iter().zip(expected) {
            assert_eq!(row.capture, expected, "{what}\n{captures:#?}");
            compared += 1;
            decided += u32::from(row.access != "unknown");
        }
    }
    assert!(
        compared > 1000 && decided > compared / 3,
        "{decided} of {compared}"
    );
}

#[test]
fn impossible_requests_are_refused_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let urls = list(&folder, "urls.txt", "https://h.example/\n");
    let file = folder.path().join("m.parquet");
    let some = folder.path().join("some");
    let archive = folder
        .path()
        .join("crawl-data/C-0/segments/1/robotstxt/a.warc");
    let ran = run([
        path(&archive),
        "--tables",
        "robots_files,verdicts",
        "-o",
        path(&some),
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let refused_to = |dataset: &Path, urls: &Path, out: &Path, args: &[&str], word: &str| {
        let ran = run_match(dataset, urls, out, &[&["-a", "x"], args].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(word), "`{word}` is not in {}", ran.err);
        assert!(!file.exists());
    };
    let refused = |dataset: &Path, urls: &Path, args: &[&str], word: &str| {
        refused_to(dataset, urls, &file, args, word);
    };
    refused(&folder.path().join("none"), &urls, &[], "no such file");
    refused(&some, &urls, &[], "no table 'groups'");
    refused(
        &some.join("robots_files"),
        &urls,
        &[],
        "no tables of robots-scan",
    );
    refused(&out, &folder.path().join("none"), &[], "no such file");
    refused(
        &out,
        &urls,
        &["--crawl", "C-7"],
        "no crawl 'C-7'; it has C-0",
    );
    refused(&out, &urls, &["--memory", "15MiB"], "16MiB");
    refused(&out, &urls, &["--at", "noon"], "give a time as");
    refused_to(&out, &urls, &out, &[], "the output must be a file");
    let mine = list(&folder, "mine.txt", "not yours");
    let word = "not written by robots-scan";
    refused_to(&out, &urls, &mine, &["--overwrite"], word);
    assert_eq!(fs::read(&mine).unwrap(), b"not yours");

    let run_to = |args: &[&str]| run_match(&out, &urls, &file, &[&["-a", "x"], args].concat());
    assert_eq!(run_to(&[]).code, Some(0));
    let before = fs::read(&file).unwrap();
    let ran = run_to(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--overwrite"), "{}", ran.err);
    assert_eq!(run_to(&["--overwrite"]).code, Some(0));
    assert_eq!(fs::read(&file).unwrap(), before);
    // A list without a column of URLs stops the run, and leaves no file.
    let csv = list(&folder, "list.csv", "uri\nx\n");
    fs::remove_file(&file).unwrap();
    let ran = run_match(&out, &csv, &file, &["-a", "x"]);
    assert!(ran.err.contains("no column 'url'"), "{}", ran.err);
    assert_eq!(ran.code, Some(2));
    let left = fs::read_dir(folder.path()).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(
        left.into_iter()
            .all(|name| !name.starts_with('.') && name != "m.parquet")
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_files() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let file = folder.path().join("m.parquet");
    let mut waiting = command();
    waiting.args(["match", path(&out), "-u", "-", "-o", path(&file)]);
    waiting
        .args(["--any-name", "-a", "x"])
        .stdin(Stdio::piped());
    let waiting = waiting.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = waiting.spawn().unwrap();
    // The pipe stays open, so the list does not end.
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"https://h.example/x\n").unwrap();
    // The lock file, the folder of sorted runs, and the temporary output.
    let hidden = || -> Vec<String> {
        let names = fs::read_dir(folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('.')).collect()
    };
    while !hidden().iter().any(|name| name.ends_with(".sort.tmp")) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(killed.unwrap().success());
    let ran = Ran::from(child.wait_with_output().unwrap());
    drop(pipe);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(
        ran.err.contains("m.parquet' was not written"),
        "{}",
        ran.err
    );
    assert!(!file.exists() && hidden().is_empty(), "{:?}", hidden());
}

#[test]
fn the_newest_crawl_that_decides_is_selected_unless_crawls_are_named() {
    let folder = TempDir::new().unwrap();
    let url = "https://h.example/robots.txt";
    let out = dataset(
        &folder,
        &[
            TestCapture::ok(url, 0, CLOSED).of_crawl(0),
            TestCapture::status(url, 50, 404).of_crawl(1),
            TestCapture::status(url, 40, 503).of_crawl(1),
            TestCapture::status(url, 90, 304).of_crawl(2),
        ],
    );
    let ids = robots_ids(&out);
    let urls = list(&folder, "urls.txt", "https://h.example/x\n");
    let capture = |args: &[&str]| {
        let args = [&["-a", "*"], args].concat();
        matched(&out, &urls, &args).0.remove(0).capture
    };
    // In crawl 1 the 404 decides more than the 503. Its captures are later than
    // those of crawl 0, and crawl 2 decides nothing.
    assert_eq!(capture(&[]).as_ref(), Some(&ids[1]));
    assert_eq!(capture(&["--crawl", "C-0"]).as_ref(), Some(&ids[0]));
    assert_eq!(capture(&["--crawl", "C-2"]).as_ref(), Some(&ids[3]));
    assert_eq!(
        capture(&["--crawl", "C-2", "--crawl", "C-0"]).as_ref(),
        Some(&ids[0])
    );
    assert_eq!(
        capture(&["--at", "2026-01-05T00:00:45Z"]).as_ref(),
        Some(&ids[2])
    );
}
