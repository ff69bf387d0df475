//! Kills and full disks of commands that end what they began if they are given again: `history` and `join`.

use super::{Series, Tried};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::shim::{NO_SHIM, NO_SPACE, Shim, WRITING, can_load};
use support::{self, Folder, Ran, Random, files_below, relative, run, test_capture};

/// How a run is stopped, and the calls that stop it. A full disk does not fail calls that only read.
const STOPS: [(&str, &str); 2] = [("kill", WRITING), (NO_SPACE, "write,mkdir")];

/// The files of a folder by their paths, without the log, which has times.
type Files = BTreeMap<String, Vec<u8>>;

/// A command, and the folder in which it writes before and after an undisturbed run.
struct Repeated {
    folder: Folder,
    args: Vec<String>,
    out: PathBuf,
    former: Files,
    new: Files,
    /// Panics unless the folder is as a stopped run may leave it.
    check: fn(&Repeated, &Files),
}

impl Repeated {
    /// Runs the command once. `former` is the folder as it is.
    fn new(folder: Folder, args: &[&str], out: PathBuf, check: fn(&Self, &Files)) -> Self {
        let mut repeated = Self {
            folder,
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            former: read_files(&out),
            out,
            new: Files::new(),
            check,
        };
        keep(&repeated.out, &repeated.folder.path().join("kept"));
        assert_eq!(repeated.run(None).code, Some(0));
        repeated.new = read_files(&repeated.out);
        repeated
    }

    /// Makes the folder as it was before the command.
    fn restore(&self) {
        keep(&self.folder.path().join("kept"), &self.out);
    }

    /// Runs the command, and stops it at a call if `stop` has one.
    fn run(&self, stop: Option<((&str, &str), usize)>) -> Ran {
        let mut command = support::command();
        command.args(&self.args).args(["-q", "--threads", "2"]);
        if let Some(((what, calls), call)) = stop {
            let shim = Shim {
                path: self.out.to_str().unwrap(),
                calls,
                call,
                what,
            };
            shim.load(&mut command);
        }
        command.env("FAULT_COUNT", self.folder.path().join("count"));
        let ran: Ran = command.output().unwrap().into();
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// Returns the number of calls of an undisturbed run that can be stopped in this way.
    fn count_calls(&self, stop: (&str, &str)) -> usize {
        self.restore();
        assert_eq!(self.run(Some((stop, 0))).code, Some(0));
        let count = fs::read_to_string(self.folder.path().join("count"));
        count.unwrap().parse().unwrap()
    }

    /// Stops runs by kills and full disks, some of them again when they are repeated, and lets each end. A whole
    /// series stops at each call in both ways.
    fn stop(&self, count: usize, random: &mut Random, series: Series) -> Tried {
        let calls = STOPS.map(|stop| self.count_calls(stop));
        assert!(calls.iter().all(|calls| *calls > 20), "{calls:?}");
        let first: Vec<(usize, usize)> = if series.is_whole() {
            (0..2)
                .flat_map(|i| (1..=calls[i]).map(move |call| (i, call)))
                .collect()
        } else {
            (0..series.count(count))
                .map(|run| (run % 2, 1 + random.below(calls[run % 2])))
                .collect()
        };
        let (mut killed, mut full) = (0, 0);
        for (first_stop, first_call) in first {
            self.restore();
            let mut has_ended = false;
            for again in 0..1 + random.below(2) {
                let i = (first_stop + again) % 2;
                let call = match again {
                    0 => first_call,
                    _ => 1 + random.below(calls[i]),
                };
                let ran = self.run(Some((STOPS[i], call)));
                let files = read_files(&self.out);
                (self.check)(self, &files);
                match ran.code {
                    None => killed += 1,
                    // It had fewer calls, or only the log could not be written.
                    Some(0) => {
                        has_ended = true;
                        break;
                    }
                    code => {
                        assert!(matches!(code, Some(2 | 3)), "call {call}: {}", ran.err);
                        assert!(ran.err.contains("no space left"), "{}", ran.err);
                        full += 1;
                    }
                }
            }
            if !has_ended {
                let ran = self.run(None);
                assert_eq!(ran.code, Some(0), "call {first_call}: {}", ran.err);
            }
            assert_same_files(&read_files(&self.out), &self.new);
            if has_ended {
                continue;
            }
            let verified = run(["verify", self.out.to_str().unwrap()]);
            assert_eq!(
                verified.code,
                Some(0),
                "call {first_call}: {}",
                verified.out
            );
        }
        Tried {
            count: killed + full,
            lost: format!(
                "nothing: {killed} killed and {full} with an error; the same command ended with identical bytes ({calls:?} calls)"
            ),
        }
    }
}

fn read_files(folder: &Path) -> Files {
    let files = files_below(folder).into_iter();
    let named = files.map(|path| (relative(&path, folder), path));
    let named = named.filter(|(name, _)| !name.ends_with("_log.jsonl"));
    named
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

fn assert_same_files(found: &Files, expected: &Files) {
    assert!(found.keys().eq(expected.keys()), "{:?}", found.keys());
    for (name, bytes) in found {
        assert!(*bytes == expected[name], "{name} differs");
    }
}

/// Makes the folder `to` a copy of `from`; removes it if there is no such folder.
fn keep(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    for path in files_below(from) {
        let copy = to.join(relative(&path, from));
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(path, copy).unwrap();
    }
}

/// Returns true if a folder has all these files.
fn has_all(files: &Files, expected: &Files, is_wanted: impl Fn(&str) -> bool) -> bool {
    let mut wanted = expected.iter().filter(|(name, _)| is_wanted(name));
    wanted.all(|(name, bytes)| files.get(name) == Some(bytes))
}

/// The former history or the new one is there, whole, and the manifest decides which one it is.
fn check_history(repeated: &Repeated, files: &Files) {
    let manifest = files.get("_manifest.jsonl");
    let is_new = manifest.is_some() && manifest == repeated.new.get("_manifest.jsonl");
    let expected = if is_new {
        &repeated.new
    } else {
        &repeated.former
    };
    assert!(manifest == expected.get("_manifest.jsonl"));
    assert!(has_all(files, expected, |_| true), "{:?}", files.keys());
}

/// Files under their final names are whole, and views have no hosts unless all of them are there.
fn check_join(repeated: &Repeated, files: &Files) {
    let Repeated { former, new, .. } = repeated;
    let is_table = |name: &str| name.ends_with(".parquet") && !name.contains("_tmp-");
    for (name, bytes) in files.iter().filter(|(name, _)| is_table(name)) {
        let is_whole = former.get(name) == Some(bytes) || new.get(name) == Some(bytes);
        assert!(is_whole, "{name} is not whole");
    }
    let views = files
        .get("views.sql")
        .map(|text| String::from_utf8_lossy(text));
    let has_hosts = views.is_some_and(|text| text.contains("CREATE OR REPLACE VIEW hosts"));
    let has_tables = |expected| has_all(files, expected, is_table);
    assert!(!has_hosts || has_tables(former) || has_tables(new));
}

const CRAWLS: [&str; 3] = ["CRAWL-A", "CRAWL-B", "CRAWL-C"];

/// Scans random captures of each crawl, a week apart, into a subfolder of `all`. Returns the datasets.
fn scan_crawls(folder: &Folder) -> [String; 3] {
    let random = &mut Random::new(4);
    let mut week = 0;
    CRAWLS.map(|crawl| {
        let mut text = String::new();
        for capture in test_capture::random(random) {
            capture.write(&mut text);
        }
        let text = text.replace("2026-01-05", &format!("2026-01-{:02}", 5 + 7 * week));
        let archive = folder.write(&format!("{crawl}.warc"), text);
        let out = folder.arg(&format!("all/{crawl}"));
        let first = week.to_string();
        let options = ["-q", "-o", &out, "--crawl", crawl, "--first-input", &first];
        let ran = run([&[&*archive], &options[..]].concat());
        // Invented digests are faults of an uncompressed archive.
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
        week += 1;
        out
    })
}

/// Stops a `history` of all crawls, or, if `adds`, one that adds the last crawl to a history of the others.
fn stop_history(adds: bool, random: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let folder = Folder::new();
    let [a, b, c] = scan_crawls(&folder);
    let out = folder.arg("out");
    let mut args = vec!["history", &a, &b, &c, "-o", &out];
    if adds {
        let ran = run(["history", &a, &b, "-o", &out, "-q"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        args = vec!["history", &out, &c, "-o", &out, "--overwrite"];
    }
    let repeated = Repeated::new(folder, &args, PathBuf::from(&out), check_history);
    repeated.stop(300, random, series)
}

pub(crate) fn history(random: &mut Random, series: Series) -> Tried {
    stop_history(false, random, series)
}

pub(crate) fn added_crawl(random: &mut Random, series: Series) -> Tried {
    stop_history(true, random, series)
}

/// Stops a `join` of all crawls, or, if `adds`, one of another crawl beside joined ones.
fn stop_join(adds: bool, random: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let folder = Folder::new();
    let [_, _, last] = scan_crawls(&folder);
    let all = folder.arg("all");
    if adds {
        let apart = folder.arg("apart");
        fs::rename(&last, &apart).unwrap();
        let ran = run(["join", &all, "-q"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        fs::rename(&apart, &last).unwrap();
    }
    let repeated = Repeated::new(folder, &["join", &all], PathBuf::from(&all), check_join);
    repeated.stop(300, random, series)
}

pub(crate) fn join(random: &mut Random, series: Series) -> Tried {
    stop_join(false, random, series)
}

pub(crate) fn added_dataset(random: &mut Random, series: Series) -> Tried {
    stop_join(true, random, series)
}
