//! Archives over http: whatever the server and the connection do, the tables equal those from local
//! files, or the run reports which inputs are missing.
//!
//! The tests run the program against [`server::Server`], whose faults are scripted, and check the
//! tables, the messages and the log of the server.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

mod answer;
mod check;
mod faults;
mod inputs;
mod lists;
mod rate;
mod read_ahead;
mod redirects;
mod refusals;
mod s3;
mod script;
mod secrets;
mod server;

use self::script::Fault;
use self::server::Server;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use support::{self, Folder, Ran, archive, files_below, relative};

/// A run that takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(30);

/// The options of all runs, unless a test gives others.
const OPTIONS: [(&str, &str); 3] = [
    ("--crawl", "C"),
    ("--subset", "robotstxt"),
    ("--part-inputs", "128"),
];

/// Small archives without faults.
const SOUND: [&str; 8] = [
    "per-record-1.1.warc.gz",
    "chunked.warc.gz",
    "plain.warc",
    "odd-dates.warc.gz",
    "frames-with-dictionary.warc.zst",
    "resource-and-revisit.warc.gz",
    "whole-file.warc.gz",
    "hostile-headers.warc.gz",
];

/// The variables that would make the program connect to a proxy.
const PROXIES: [&str; 6] = [
    "http_proxy",
    "HTTP_PROXY",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
];

/// Returns the bytes of a sample archive.
fn sample(name: &str) -> Vec<u8> {
    fs::read(archive(name)).unwrap()
}

/// Returns an archive of 230 KiB with one gzip member per record.
fn large() -> Vec<u8> {
    let mut bytes = sample("cc-robotstxt.warc.gz");
    bytes.extend(sample("cc-robotstxt-later.warc.gz"));
    bytes
}

/// Archives on a server, with copies of them as local files.
struct Site {
    server: Server,
    folder: Folder,
    /// The paths of the archives on the server, in their order.
    paths: Vec<String>,
}

impl Site {
    /// Creates a site of archives with these names.
    fn new<'a>(archives: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Self {
        let mut site = Self {
            server: Server::start(),
            folder: Folder::new(),
            paths: Vec::new(),
        };
        for (name, bytes) in archives {
            site.add(&format!("/d/{name}"), bytes);
        }
        site
    }

    /// Creates a site of small archives, `/d/0.warc` and so on.
    fn small(archives: usize) -> Self {
        let mut site = Self::new([]);
        for (i, name) in SOUND.iter().cycle().take(archives).enumerate() {
            site.add(&format!("/d/{i}.warc"), sample(name));
        }
        site
    }

    /// Creates a site of a small archive, a large one and another small one.
    fn with_large() -> Self {
        Self::new([
            ("first.warc.gz", sample("per-record-1.1.warc.gz")),
            ("large.warc.gz", large()),
            ("last.warc.gz", sample("chunked.warc.gz")),
        ])
    }

    /// The path of the large archive of [`with_large`](Self::with_large).
    const LARGE: &str = "/d/large.warc.gz";

    fn add(&mut self, path: &str, bytes: Vec<u8>) {
        self.put_local(path, &bytes);
        self.server.put(path, bytes);
        self.paths.push(path.to_owned());
    }

    /// Writes or replaces the local copy of an archive.
    fn put_local(&self, path: &str, bytes: &[u8]) {
        self.folder.write(&format!("local{path}"), bytes);
    }

    /// Returns the bytes of the local copy of an archive.
    fn local_bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.folder.arg(&format!("local{path}"))).unwrap()
    }

    /// Adds a fault to the script of the server, for one archive.
    fn script(&self, archive: usize, fault: Fault) {
        self.server.script(Some(&self.paths[archive]), fault);
    }

    fn urls(&self) -> Vec<String> {
        let urls = self.paths.iter().map(|path| self.server.url(path));
        urls.collect()
    }

    fn locals(&self) -> Vec<String> {
        let paths = self.paths.iter();
        paths
            .map(|path| self.folder.arg(&format!("local{path}")))
            .collect()
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Scans all archives of the server.
    fn run(&self, more: &[&str]) -> Ran {
        self.scan(&self.urls(), more)
    }

    /// Scans these inputs.
    fn scan(&self, inputs: &[String], more: &[&str]) -> Ran {
        wait(self.spawn(inputs, more))
    }

    /// Starts a scan of these inputs, by default as fast as the server answers.
    fn spawn(&self, inputs: &[String], more: &[&str]) -> Child {
        let mut command = scan(inputs, &self.out(), more);
        if !more.contains(&"--rate") {
            command.args(["--rate", "none"]);
        }
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Scans these local inputs into a new folder.
    fn scan_local(&self, inputs: &[String], more: &[&str]) -> (Ran, PathBuf) {
        let out = self.folder.path().join("expected");
        let mut command = scan(inputs, &out, more);
        let ran = command.arg("--overwrite").output().unwrap().into();
        (ran, out)
    }

    /// Asserts that a run over the server had the exit code and the tables of a run over the local
    /// copies.
    #[track_caller]
    fn assert_as_local(&self, ran: &Ran) {
        self.assert_as(ran, &self.locals(), &[]);
    }

    /// Asserts that a run had the exit code and the tables of a run over these local inputs.
    #[track_caller]
    fn assert_as(&self, ran: &Ran, inputs: &[String], more: &[&str]) {
        let (local, expected) = self.scan_local(inputs, more);
        assert!(matches!(local.code, Some(0 | 1)), "{}", local.err);
        assert_eq!(ran.code, local.code, "{}{}", ran.out, ran.err);
        assert_same_tables(&tables(&self.out()), &tables(&expected));
    }

    /// Asserts that a run ended with this exit code and left no complete dataset.
    #[track_caller]
    fn assert_failed(&self, ran: &Ran, code: i32, words: &[&str]) {
        assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
        for word in words {
            assert!(ran.err.contains(word), "`{word}` is not in: {}", ran.err);
        }
        assert!(!self.out().join("_SUCCESS").exists());
    }

    /// Asserts that these archives were requested once, and completely.
    #[track_caller]
    fn assert_requested_once(&self, archives: &[usize]) {
        for path in archives.iter().map(|archive| &self.paths[*archive]) {
            let gets = self.server.gets(path);
            assert_eq!(gets.len(), 1, "{gets:?}");
            assert_eq!((gets[0].first_byte(), gets[0].status), (0, Some(200)));
        }
    }
}

/// Returns the command that scans inputs.
fn scan(inputs: &[String], out: &Path, more: &[&str]) -> Command {
    let mut command = support::command();
    command.arg("scan").args(inputs).arg("-o").arg(out);
    for (option, value) in OPTIONS {
        if !more.contains(&option) {
            command.args([option, value]);
        }
    }
    command.args(more);
    for variable in PROXIES {
        command.env_remove(variable);
    }
    command
}

/// Waits for the end of a run, and kills it if it hangs.
#[track_caller]
fn wait(mut child: Child) -> Ran {
    let began = Instant::now();
    let mut hangs = false;
    while !hangs && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(5));
        hangs = began.elapsed() > HANGS;
    }
    if hangs {
        child.kill().unwrap();
    }
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert!(!hangs, "the run hangs: {}{}", ran.out, ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

/// Returns the files of all tables of a dataset with their bytes.
fn tables(dataset: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = files_below(dataset).into_iter();
    let files = files.map(|path| (relative(&path, dataset), fs::read(&path).unwrap()));
    files.filter(|(name, _)| name.contains('/')).collect()
}

#[track_caller]
fn assert_same_tables(made: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>) {
    let names = |tables: &BTreeMap<String, Vec<u8>>| tables.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(made), names(expected));
    for (name, bytes) in made {
        assert!(bytes == &expected[name], "{name} differs");
    }
}
