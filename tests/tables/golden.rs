//! Golden outputs: the digest of every file and every JSON document that the program writes for
//! fixed inputs.
//!
//! A change of the code that is meant to keep the output shows here if it does not. The digests
//! are in `tests/golden/`, one line per file as `sha1sum` prints it. Beside them, a text file has a
//! line for each column: a digest of its values, and a few of them. It shows which columns a change
//! affects. `make golden` writes both; read the diff, because it is the only check. `_log.jsonl` holds
//! times and is left out; in `views.sql` the path of the dataset is replaced first.

use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::file::reader::SerializedFileReader;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{self, Ran, Random, base32};
use tempfile::TempDir;

/// Options that give each generated archive a crawl and cut the inputs into several parts.
const PARTS: &[&str] = &["--part-inputs", "2"];
/// Options for inputs whose path names no crawl.
const CRAWL: &[&str] = &["--crawl", "GOLDEN-2026", "--subset", "robotstxt"];
const DIALECTS: [&str; 4] = ["default", "google", "rfc9309", "koster1996"];

/// A folder in which commands run, so that all paths in their output are relative.
struct Workspace(TempDir);

impl Workspace {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = support::command();
        command.current_dir(self.0.path());
        command
    }

    fn run(&self, args: &[&[&str]]) -> Ran {
        self.command().args(args.concat()).output().unwrap().into()
    }

    /// Runs a scan, which may find faults in archives.
    fn scan(&self, args: &[&[&str]]) {
        let ran = self.run(args);
        assert!(matches!(ran.code, Some(0 | 1)), "{args:?}: {}", ran.err);
    }

    /// Copies all samples into the folder `samples`.
    fn copy_samples(&self) {
        let from = support::samples().join("warc");
        for file in support::files_below(&from) {
            let to = self.path("samples").join(support::relative(&file, &from));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(file, to).unwrap();
        }
    }
}

/// Digests of outputs, in the order in which they were added.
#[derive(Debug, Default)]
struct Digests(String);

impl Digests {
    fn add(&mut self, name: &str, bytes: &[u8]) {
        writeln!(self.0, "{}  {name}", digest(bytes)).unwrap();
    }

    /// Adds every file of a dataset, or a single file.
    fn add_files(&mut self, name: &str, path: &Path) {
        if path.is_file() {
            return self.add(name, &fs::read(path).unwrap());
        }
        let root = path.canonicalize().unwrap();
        for file in support::files_below(path) {
            let relative = support::relative(&file, path);
            if relative == "_log.jsonl" {
                continue;
            }
            let mut bytes = fs::read(&file).unwrap();
            if relative == "views.sql" {
                let text = String::from_utf8(bytes).unwrap();
                let shown = root.to_str().unwrap();
                assert!(text.contains(shown), "views.sql names its dataset");
                bytes = text.replace(shown, "DATASET").into_bytes();
            }
            self.add(&format!("{name}/{relative}"), &bytes);
        }
    }

    /// Compares the digests with the committed ones, or writes them if `GOLDEN_WRITE` is set, with the
    /// columns of a dataset or of a Parquet file.
    fn check(&self, name: &str, rows: Option<&Path>) {
        let path = |extension| {
            let file = format!("tests/golden/{name}.{extension}");
            support::project().join(file)
        };
        if std::env::var_os("GOLDEN_WRITE").is_some() {
            fs::write(path("sha1"), &self.0).unwrap();
            if let Some(rows) = rows {
                fs::write(path("txt"), columns_of(rows)).unwrap();
            }
            return;
        }
        let golden = fs::read_to_string(path("sha1")).unwrap();
        if golden == self.0 {
            return;
        }
        let columns = rows.map(|rows| {
            let golden = fs::read_to_string(path("txt")).unwrap();
            differences(&golden, &columns_of(rows))
        });
        panic!(
            "outputs differ from tests/golden/{name}.sha1; if they are meant to, run `make golden` and \
             read the diff:\n{}columns that differ:\n{}",
            differences(&golden, &self.0),
            columns.unwrap_or_default()
        );
    }
}

fn digest(bytes: &[u8]) -> String {
    let digest = Sha1::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The lines that only one of two texts has.
fn differences(golden: &str, found: &str) -> String {
    let only_in = |sign: char, a: &str, b: &str| -> String {
        let lines = a
            .lines()
            .filter(|line| !b.lines().any(|other| other == *line));
        lines.map(|line| format!("{sign} {line}\n")).collect()
    };
    only_in('-', golden, found) + &only_in('+', found, golden)
}

/// Returns a line for each column of a dataset or of a Parquet file: its number of values, a digest of
/// them, and four of them.
fn columns_of(path: &Path) -> String {
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let files = if path.is_file() {
        vec![path.to_owned()]
    } else {
        support::files_below(path)
    };
    for file in files
        .iter()
        .filter(|file| file.extension() == Some("parquet".as_ref()))
    {
        let table = support::relative(file, path);
        let table = table.split('/').next().unwrap();
        for row in SerializedFileReader::new(File::open(file).unwrap()).unwrap() {
            for (name, value) in row.unwrap().get_column_iter() {
                let column = columns.entry(format!("{table}.{name}")).or_default();
                column.push(value.to_string());
            }
        }
    }
    let mut text = String::new();
    for (name, values) in columns {
        let digest = digest(values.join("\n").as_bytes());
        write!(text, "{name}: {} {}", values.len(), &digest[..8]).unwrap();
        for quarter in 0..4 {
            let value = &values[values.len() * quarter / 4];
            let shown: String = value.chars().take(40).collect();
            write!(text, " | {}", shown.replace(char::is_control, " ")).unwrap();
        }
        text.push('\n');
    }
    text
}

fn digests_of(name: &str, dataset: &Path) -> Digests {
    let mut digests = Digests::default();
    digests.add_files(name, dataset);
    digests
}

/// Scans with 1, 2 and 8 threads and returns the digests, which must be equal.
fn scan_with_threads(workspace: &Workspace, name: &str, args: &[&[&str]]) -> Digests {
    let digests = ["1", "2", "8"].map(|threads| {
        let out = format!("out-{threads}");
        workspace.scan(&[args, &[&["--threads", threads, "-o", &out]]].concat());
        digests_of(name, &workspace.path(&out))
    });
    let [one, two, eight] = digests;
    assert_eq!(one.0, two.0, "2 threads give other files than one");
    assert_eq!(one.0, eight.0, "8 threads give other files than one");
    one
}

/// The lines that generated bodies are made of.
const LINES: &[&str] = &[
    "User-agent: *",
    "User-agent: GPTBot",
    "User-agent: CCBot",
    "user-agent: Googlebot-News",
    "User-agent: Googlebot/2.1 (compatible)",
    "User-agent: AdsBot-Google",
    "Useragent: MJ12bot",
    "User-agent:",
    "Disallow: /",
    "Disallow:",
    "Disallow: /private/",
    "Disallow: /*.pdf$",
    "Disallow: /a%2fb%7e",
    "Disallow: /ä",
    "Disallow: no-slash",
    "Dissallow: /typo",
    "Disallow /without-colon",
    "Allow: /",
    "Allow: /private/index.html",
    "Allow: /$",
    "Crawl-delay: 10",
    "Crawl-delay: 0.5 s",
    "Sitemap: https://example.org/sitemap.xml",
    "Sitemap: /sitemap.xml",
    "Host: example.org",
    "Content-Signal: search=yes, ai-train=no",
    "Content-Usage: ai=n",
    "License: https://example.org/license.xml",
    "Noindex: /old",
    "# managed by nobody",
    "Disallow: /x # comment",
    "",
    "   ",
    "garbage",
];

/// A robots.txt file of random lines, or one of the sample files.
fn generate_body(random: &mut Random, sample_files: &[Vec<u8>]) -> Vec<u8> {
    if random.below(5) == 0 {
        return sample_files[random.below(sample_files.len())].clone();
    }
    let ending = ["\n", "\r\n", "\r"][random.below(12).saturating_sub(9)];
    let mut body = Vec::new();
    if random.below(20) == 0 {
        body.extend_from_slice("\u{feff}".as_bytes());
    }
    for _ in 0..random.below(30) {
        body.extend_from_slice(LINES[random.below(LINES.len())].as_bytes());
        if random.below(60) == 0 {
            body.push(0xff);
        }
        body.extend_from_slice(ending.as_bytes());
    }
    body
}

/// An archive of captures: files, redirects, errors and revisits, in gzip members that are stored
/// without compression, so that its bytes do not depend on an encoder.
fn generate_archive(seed: u64, captures: usize) -> Vec<u8> {
    let random = &mut Random::new(seed);
    let sample_files: Vec<Vec<u8>> = support::files_below(&support::samples().join("robots"))
        .iter()
        .map(|path| fs::read(path).unwrap())
        .filter(|bytes| bytes.len() < 20_000)
        .collect();
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    let mut archive = Vec::new();
    for capture in 0..captures {
        let host = format!("h{}.example{}.com", random.below(40), random.below(9));
        let scheme = ["http", "https"][random.below(2)];
        let path = [
            "/robots.txt",
            "/robots.txt",
            "/robots.txt",
            "/Robots.txt?a=b",
        ][random.below(4)];
        let uri = format!("{scheme}://{host}{path}");
        let date = format!(
            "2026-{:02}-{:02}T{:02}:00:{:02}Z",
            1 + random.below(12),
            1 + random.below(28),
            random.below(24),
            random.below(60)
        );
        let body = match bodies.len() {
            seen if seen > 0 && random.below(3) == 0 => bodies[random.below(seen)].clone(),
            _ => generate_body(random, &sample_files),
        };
        let (status, extra) = match random.below(10) {
            0 => ("404 Not Found", String::new()),
            1 => (
                "503 Service Unavailable",
                "Server: cloudflare\r\n".to_owned(),
            ),
            2 => (
                "301 Moved Permanently",
                format!(
                    "Location: https://h{}.example1.com/robots.txt\r\n",
                    random.below(40)
                ),
            ),
            3 => ("403 Forbidden", String::new()),
            _ => (
                "200 OK",
                "Content-Type: text/plain; charset=utf-8\r\n".to_owned(),
            ),
        };
        let (kind, content_type, mut block) = if random.below(25) == 0 {
            (
                "revisit\r\nWARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
                "application/http; msgtype=response",
                format!("HTTP/1.1 304 Not Modified\r\n{extra}\r\n").into_bytes(),
            )
        } else {
            (
                "response",
                "application/http; msgtype=response",
                format!(
                    "HTTP/1.1 {status}\r\n{extra}Content-Length: {}\r\n\r\n",
                    body.len()
                )
                .into_bytes(),
            )
        };
        let digest = Sha1::digest(&body);
        if kind == "response" {
            block.extend_from_slice(&body);
        }
        let mut record = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Date: {date}\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-0000-{seed:04}-{capture:012}>\r\n\
             WARC-Payload-Digest: sha1:{}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n",
            base32(&digest),
            block.len()
        )
        .into_bytes();
        record.extend_from_slice(&block);
        record.extend_from_slice(b"\r\n\r\n");
        let mut encoder = GzEncoder::new(&mut archive, Compression::none());
        encoder.write_all(&record).unwrap();
        encoder.finish().unwrap();
        bodies.push(body);
    }
    archive
}

/// Writes the generated corpus into the folder `corpus` and returns the options that read it.
fn generated_corpus(workspace: &Workspace) -> [&'static [&'static str]; 3] {
    fs::create_dir(workspace.path("corpus")).unwrap();
    for seed in 0..6 {
        let path = workspace.path(&format!("corpus/generated-{seed:05}.warc.gz"));
        fs::write(path, generate_archive(seed, 150)).unwrap();
    }
    [&["corpus"], CRAWL, PARTS]
}

#[test]
fn samples_keep_their_digests() {
    let workspace = Workspace::new();
    workspace.copy_samples();
    let mut digests = scan_with_threads(&workspace, "samples", &[&["samples"]]);
    for table in TABLES {
        let out = format!("{table}.parquet");
        workspace.scan(&[&["samples", "--tables", table, "-o", &out]]);
        digests.add_files(&out, &workspace.path(&out));
    }
    digests.check("samples", Some(&workspace.path("out-1")));
}

/// The tables that a scan writes for each part.
const TABLES: [&str; 10] = [
    "robots_files",
    "groups",
    "rules",
    "sitemaps",
    "directives",
    "preferences",
    "anomalies",
    "verdicts",
    "runs",
    "faults",
];

#[test]
fn generated_archives_keep_their_digests() {
    let workspace = Workspace::new();
    let args = generated_corpus(&workspace);
    let mut digests = scan_with_threads(&workspace, "generated", &args);

    // A run that is continued behind its second part gives the files of one that was not stopped.
    workspace.scan(&[&args[..], &[&["-o", "resumed"]]].concat());
    let manifest = workspace.path("resumed/_manifest.jsonl");
    let text = fs::read_to_string(&manifest).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_part = |line: &&str| line.contains("\"part\":");
    let parts: Vec<usize> = (0..lines.len()).filter(|&i| is_part(&lines[i])).collect();
    assert!(parts.len() > 2, "the corpus should have several parts");
    fs::write(&manifest, lines[..=parts[1]].concat()).unwrap();
    fs::remove_file(workspace.path("resumed/_SUCCESS")).unwrap();
    workspace.scan(&[&args[..], &[&["-o", "resumed", "--resume"]]].concat());
    assert_eq!(
        digests_of("generated", &workspace.path("resumed")).0,
        digests.0,
        "a run that is continued gives other files"
    );

    workspace.scan(&[&args[..], &[&["--with-bodies", "-o", "bodies"]]].concat());
    digests.add_files("with-bodies", &workspace.path("bodies"));
    for shard in ["1/3", "2/3", "3/3"] {
        let out = format!("shard-{}", &shard[..1]);
        workspace.scan(&[&args[..], &[&["--shard", shard, "-o", &out]]].concat());
        digests.add_files(&out, &workspace.path(&out));
    }
    digests.check("generated", Some(&workspace.path("out-1")));
}

#[test]
fn a_large_file_read_in_ranges_keeps_its_digests() {
    let workspace = Workspace::new();
    let mut bytes = Vec::new();
    for seed in 100.. {
        bytes.extend_from_slice(&generate_archive(seed, 300));
        bytes.extend_from_slice(b"garbage between members \x1f\x8b\x08\x00 that looks like one");
        // Large records keep the number of rows small.
        let random = &mut Random::new(seed);
        let mut encoder = GzEncoder::new(&mut bytes, Compression::none());
        let body: Vec<u8> = (0..200_000).map(|_| random.below(256) as u8).collect();
        write!(
            encoder,
            "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .unwrap();
        encoder.write_all(&body).unwrap();
        encoder.write_all(b"\r\n\r\n").unwrap();
        encoder.finish().unwrap();
        if bytes.len() > 18 << 20 {
            break;
        }
    }
    // The end is inside a member.
    bytes.truncate(bytes.len() - 100);
    fs::write(workspace.path("large.warc.gz"), &bytes).unwrap();
    let digests = scan_with_threads(&workspace, "large", &[&["large.warc.gz"], CRAWL]);
    digests.check("large", None);
}

#[cfg(feature = "answers")]
#[test]
fn matches_keep_their_digests() {
    let workspace = Workspace::new();
    let args = generated_corpus(&workspace);
    workspace.scan(&[&args[..], &[&["-o", "dataset"]]].concat());
    let mut urls = String::from("url,fetch_time\n");
    for host in 0..40 {
        for domain in 0..9 {
            let path = ["/", "/private/a", "/a.pdf", "/a/b~"][(host + domain) % 4];
            let time = ["", "2026-06-15T00:00:00Z"][host % 2];
            writeln!(urls, "https://h{host}.example{domain}.com{path},{time}").unwrap();
        }
    }
    urls.push_str("not a URL,\nhttp://h1.example1.com:8080/,\n");
    fs::write(workspace.path("urls.csv"), urls).unwrap();
    let mut digests = Digests::default();
    for dialect in DIALECTS {
        for out in [format!("{dialect}.parquet"), format!("{dialect}.csv")] {
            let ran = workspace.run(&[
                &["match", "dataset", "--urls", "urls.csv", "-o", &out],
                &["--agent", "GPTBot,*,Googlebot-News", "--dialect", dialect],
            ]);
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            digests.add_files(&out, &workspace.path(&out));
        }
    }
    digests.check("match", Some(&workspace.path("default.parquet")));
}

#[cfg(feature = "answers")]
#[test]
fn check_keeps_its_digests() {
    let workspace = Workspace::new();
    workspace.copy_samples();
    workspace.scan(&[&["samples", "-o", "dataset"]]);
    let files = support::samples().join("robots");
    let mut digests = Digests::default();
    for dialect in DIALECTS {
        for file in support::files_below(&files) {
            let name = support::relative(&file, &files);
            fs::copy(&file, workspace.path(&name)).unwrap();
            let ran = workspace.run(&[
                &["check", &name, "--json", "--dialect", dialect],
                &[
                    "--any-name",
                    "--agent",
                    "GPTBot,*,foobot",
                    "--url",
                    "https://a.com/private/x.pdf?a=b",
                ],
                &["--url", "https://a.com/"],
            ]);
            assert!(matches!(ran.code, Some(0 | 1)), "{name}: {}", ran.err);
            digests.add(&format!("{dialect}/{name}.json"), ran.out.as_bytes());
        }
    }
    for host in [
        "one.example",
        "moved.example",
        "changing.example",
        "ads.example",
        "absent.example",
    ] {
        let ran = workspace.run(&[&["check", "dataset", "--json", "--host", host]]);
        let report = format!("{:?}\n{}\n{}", ran.code, ran.out, ran.err);
        digests.add(&format!("host/{host}.json"), report.as_bytes());
    }
    digests.check("check", None);
}

#[cfg(feature = "answers")]
#[test]
fn verify_and_schema_keep_their_digests() {
    let workspace = Workspace::new();
    workspace.copy_samples();
    workspace.scan(&[&["samples", "-o", "dataset"]]);
    let mut digests = Digests::default();
    let verify = |digests: &mut Digests, name: &str, code| {
        let ran = workspace.run(&[&["verify", "dataset", "--json", "--threads", "1"]]);
        assert_eq!(ran.code, Some(code), "{name}: {}\n{}", ran.err, ran.out);
        digests.add(
            &format!("verify/{name}.json"),
            without_seconds(&ran.out).as_bytes(),
        );
    };
    verify(&mut digests, "sound", 0);
    let files = support::files_below(&workspace.path("dataset"));
    let of = |table: &str| {
        let is_part = |path: &&PathBuf| {
            let name = support::relative(path, &workspace.path("dataset"));
            name.starts_with(table) && name.ends_with(".parquet")
        };
        files.iter().find(is_part).unwrap()
    };
    let mut bytes = fs::read(of("rules/")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(of("rules/"), bytes).unwrap();
    fs::remove_file(of("groups/")).unwrap();
    fs::write(workspace.path("dataset/foreign.txt"), "x").unwrap();
    verify(&mut digests, "damaged", 1);

    let schema = workspace.run(&[&["schema", "--write", "schemas"]]);
    assert_eq!(schema.code, Some(0), "{}", schema.err);
    digests.add_files("schemas", &workspace.path("schemas"));
    for (name, args) in [
        ("schema", &["schema"] as &[&str]),
        ("anomalies", &["schema", "--anomalies"]),
        ("agents", &["agents", "--json"]),
    ] {
        digests.add(name, workspace.run(&[args]).out.as_bytes());
    }
    digests.check("verify-and-schema", None);
}

/// The output of `verify --json` without the time that it took.
fn without_seconds(json: &str) -> String {
    json.lines()
        .map(|line| {
            let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(object) = value.as_object_mut() {
                object.remove("seconds");
            }
            format!("{value}\n")
        })
        .collect()
}
