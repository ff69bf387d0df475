//! Kills: the next run ends with the dataset of an undisturbed run, byte for
//! byte, and until then no file under its final name is incomplete.

use super::run::Bench;
use super::{Series, Tried};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::shim::{NO_SHIM, Shim, WRITING, can_load};
use support::{self, Random};
use support::{assert_same, contents, files_below, relative};

/// A run that takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(60);

/// Waits for the end of a run and returns its exit code.
fn wait(child: &mut Child) -> Option<i32> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if began.elapsed() > HANGS {
            child.kill().unwrap();
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn at_calls(random: &mut Random, series: Series) -> Tried {
    kill_at_calls(&|| Bench::new(2), 600, random, series)
}

pub(crate) fn at_calls_of_records(random: &mut Random, series: Series) -> Tried {
    kill_at_calls(&|| Bench::of_records(4), 300, random, series)
}

pub(crate) fn at_calls_of_bodies(random: &mut Random, series: Series) -> Tried {
    kill_at_calls(&|| Bench::of_bodies(4), 300, random, series)
}

/// Kills the run inside system calls that write. Half of a write has been done by then. The whole
/// series kills at each call.
fn kill_at_calls(
    bench: &dyn Fn() -> Bench,
    count: usize,
    random: &mut Random,
    series: Series,
) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let bench = bench();
    let out = bench.out();
    let shim = |call: usize| Shim {
        path: out.to_str().unwrap(),
        calls: WRITING,
        call,
        what: "kill",
    };
    let calls = bench.count(shim(0));
    let wanted = if series.is_whole() {
        KillCount::FirstRuns(calls)
    } else {
        KillCount::Kills(series.count(count))
    };
    let (killed, runs) = kill(&bench, random, wanted, |random, run| {
        let call = if series.is_whole() && run.is_first {
            run.number
        } else {
            1 + random.below(calls)
        };
        let ran = bench.run(&out, Some(shim(call)), run.options);
        assert!(matches!(ran.code, None | Some(1)), "{}", ran.err);
        ran.code
    });
    Tried {
        count: killed,
        lost: format!("nothing: {runs} runs ended with identical bytes ({calls} calls each)"),
    }
}

/// How often to kill.
#[derive(Clone, Copy)]
enum KillCount {
    Kills(usize),
    /// Datasets that are begun.
    FirstRuns(usize),
}

/// A run that is to be killed.
struct KilledRun<'a> {
    /// The number of the dataset, from 1.
    number: usize,
    /// True if it begins the dataset.
    is_first: bool,
    options: &'a [&'a str],
}

/// Kills runs, some of them again while they resume, and lets each finish. Returns the number of
/// runs that were killed and the number of datasets that were finished.
fn kill(
    bench: &Bench,
    random: &mut Random,
    wanted: KillCount,
    run: impl Fn(&mut Random, &KilledRun<'_>) -> Option<i32>,
) -> (usize, usize) {
    let out = bench.out();
    let (mut killed, mut runs) = (0, 0);
    let is_enough = |killed, runs| match wanted {
        KillCount::Kills(wanted) => killed >= wanted,
        KillCount::FirstRuns(wanted) => runs >= wanted,
    };
    while !is_enough(killed, runs) {
        bench.clear();
        runs += 1;
        for again in 0..1 + random.below(3) {
            let is_resumed = again > 0 && out.exists();
            let options = if is_resumed { &["--resume"][..] } else { &[] };
            let of_kill = KilledRun {
                number: runs,
                is_first: again == 0,
                options,
            };
            if run(random, &of_kill).is_some() {
                break;
            }
            killed += 1;
            bench.assert_finals();
            assert!(bench.temporary().len() <= 1, "{:?}", bench.temporary());
        }
        // A kill after the last rename leaves a complete dataset and the folder of temporary files,
        // which the next run removes.
        if !out.join("_SUCCESS").exists() || !bench.temporary().is_empty() {
            bench.assert_resumes();
        }
        bench.assert_finals();
        assert!(bench.temporary().is_empty(), "{:?}", bench.temporary());
    }
    (killed, runs)
}

/// Asserts that a folder whose dataset a killed run was to replace holds the former dataset, the new
/// one, or one that every command takes for unfinished. Returns true if it is unfinished and has the
/// `_SUCCESS` of the former dataset.
fn assert_one_or_unfinished(bench: &Bench, former: &Path, call: usize) -> bool {
    let out = bench.out();
    let mut files = contents(&out);
    files.retain(|name, _| !name.starts_with("_tmp-"));
    if files == contents(former) || files == contents(bench.undisturbed()) {
        return false;
    }
    let out = out.to_str().unwrap();
    let (urls, answers) = (
        bench.folder.path().join("urls.txt"),
        bench.folder.path().join("answers.csv"),
    );
    fs::write(&urls, "https://www.news.example/\n").unwrap();
    let (urls, answers) = (urls.to_str().unwrap(), answers.to_str().unwrap());
    let verify = support::run(["verify", out]);
    let is_reported = verify.out.contains("not finished") || verify.out.contains("it is missing");
    assert!(verify.code == Some(1) && is_reported, "{call}: {verify:?}");
    let args = [
        "match",
        out,
        "--any-name",
        "-a",
        "x",
        "-u",
        urls,
        "-o",
        answers,
    ];
    let answered = support::run(args.into_iter().chain(["--overwrite"]));
    let is_refused = answered.code == Some(2) && !answered.err.is_empty();
    let is_warned = answered.err.contains("has no _SUCCESS");
    assert!(is_refused || is_warned, "{call}: {answered:?}");
    let is_beside = Path::new(out).join("_SUCCESS").exists();
    assert!(!is_beside || is_refused, "{call}: {answered:?}");
    is_beside
}

/// Kills a run while it replaces a dataset that has other inputs. Either `--resume` ends with the
/// new dataset, or the former one is unchanged and the hint names the next step.
pub(crate) fn replacing(random: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let bench = Bench::new(1);
    let out = bench.out();
    let former = bench.folder.path().join("former");
    let samples = ["chunked.warc.gz", "damaged-checksum.warc.gz"].map(support::archive);
    let fixed = ["--crawl", "OLD", "--part-inputs", "1", "-o"];
    let ran = support::run(
        samples
            .iter()
            .map(String::as_str)
            .chain(fixed)
            .chain([former.to_str().unwrap()]),
    );
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let put_former = || {
        bench.clear();
        for path in support::files_below(&former) {
            let to = out.join(support::relative(&path, &former));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(path, to).unwrap();
        }
    };
    let shim = |call: usize| Shim {
        path: out.to_str().unwrap(),
        calls: WRITING,
        call,
        what: "kill",
    };
    put_former();
    let count = bench.folder.path().join("count");
    let mut command = bench.command(&out, Some(shim(0)), &["--overwrite"]);
    let ran: support::Ran = command.env("FAULT_COUNT", &count).output().unwrap().into();
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_same(bench.undisturbed(), &out);
    let calls: usize = fs::read_to_string(count).unwrap().parse().unwrap();
    // The former dataset is removed at the beginning, so each call is tried there.
    let (first, later) = (calls.min(200), series.count(200));
    let first = (0..series.count(first)).map(|i| {
        if series.is_whole() {
            1 + i
        } else {
            1 + random.below(first)
        }
    });
    let mut chosen: Vec<usize> = first.collect();
    chosen.extend((0..later).map(|_| 1 + random.below(calls)));
    let (mut tried, mut unchanged, mut beside) = (0, 0, 0);
    for call in chosen {
        put_former();
        let ran = bench.run(&out, Some(shim(call)), &["--overwrite"]);
        if ran.code.is_some() {
            continue;
        }
        tried += 1;
        assert!(bench.temporary().len() <= 1, "{:?}", bench.temporary());
        beside += usize::from(assert_one_or_unfinished(&bench, &former, call));
        let ran = bench.run(&out, None, &["--resume"]);
        if ran.code == Some(2) {
            unchanged += 1;
            for text in [
                "is a finished dataset of other inputs",
                "hint: --overwrite instead of --resume replaces it",
            ] {
                assert!(ran.err.contains(text), "{}", ran.err);
            }
            let mut is = contents(&out);
            is.retain(|name, _| !name.starts_with("_tmp-"));
            assert!(
                is == contents(&former),
                "call {call} changed the former dataset"
            );
            let ran = bench.run(&out, None, &["--overwrite"]);
            assert_eq!(ran.code, Some(1), "call {call}: {}", ran.err);
        } else {
            assert_eq!(ran.code, Some(1), "call {call}: {}", ran.err);
        }
        assert_same(bench.undisturbed(), &out);
        assert!(!out.join("rules/crawl=OLD").exists());
        assert!(bench.temporary().is_empty(), "{:?}", bench.temporary());
    }
    assert!(
        beside > 0 || !series.is_whole(),
        "no kill left `_SUCCESS` of the former dataset"
    );
    Tried {
        count: tried,
        lost: format!(
            "nothing: all ended with identical bytes; {unchanged} had not begun to replace, and the hint named --overwrite"
        ),
    }
}

/// Kills runs that write a single file. At most the lock file and one temporary file are left, and
/// the next run removes them.
pub(crate) fn single_file(random: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    fs::create_dir(&place).unwrap();
    let out = place.join("rules.parquet");
    let sample = support::archive("cc-robotstxt.warc.gz");
    let run = |out: &Path, shim: Option<Shim<'_>>| -> support::Ran {
        let mut command = support::command();
        command.args([&sample, "--tables", "rules", "-o"]).arg(out);
        if let Some(shim) = shim {
            shim.load(&mut command);
        }
        command.output().unwrap().into()
    };
    let whole = folder.path().join("whole.parquet");
    assert_eq!(run(&whole, None).code, Some(0));
    let names = || -> Vec<String> {
        let files = support::files_below(&place);
        files
            .iter()
            .map(|path| support::relative(path, &place))
            .collect()
    };
    let (mut call, mut tried) = (0, 0);
    loop {
        call += if series.is_whole() {
            1
        } else {
            1 + random.below(20)
        };
        let shim = Shim {
            path: place.to_str().unwrap(),
            calls: WRITING,
            call,
            what: "kill",
        };
        let ran = run(&out, Some(shim));
        if ran.code.is_some() {
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            break;
        }
        tried += 1;
        let left = names();
        let is_hidden = |name: &&String| name.starts_with(".rules.parquet.");
        assert!(left.iter().filter(is_hidden).count() <= 2, "{left:?}");
        if out.exists() {
            // The file was renamed before the kill.
            assert_eq!(fs::read(&out).unwrap(), fs::read(&whole).unwrap());
            fs::remove_file(&out).unwrap();
        }
        assert_eq!(run(&out, None).code, Some(0));
        assert_eq!(names(), ["rules.parquet"], "after call {call}");
        assert_eq!(fs::read(&out).unwrap(), fs::read(&whole).unwrap());
        fs::remove_file(&out).unwrap();
    }
    Tried {
        count: tried,
        lost: "nothing: at most a lock file and a temporary file are left until the next run"
            .to_owned(),
    }
}

pub(crate) fn at_times(random: &mut Random, series: Series) -> Tried {
    let bench = Bench::new(4);
    let out = bench.out();
    let began = Instant::now();
    bench.run(&out, None, &[]);
    let usual = began.elapsed().as_micros() as usize;
    let wanted = KillCount::Kills(series.count(400));
    let (killed, runs) = kill(&bench, random, wanted, |random, run| {
        let mut command = bench.command(&out, None, run.options);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_micros(random.below(usual) as u64));
        let _ = child.kill();
        wait(&mut child)
    });
    Tried {
        count: killed,
        lost: format!("nothing: {runs} runs ended with identical bytes"),
    }
}

/// Cuts the manifest anywhere in the lines of its parts.
pub(crate) fn manifest(random: &mut Random, series: Series) -> Tried {
    let bench = Bench::new(2);
    let out = bench.out();
    bench.run(&out, None, &[]);
    let path = out.join("_manifest.jsonl");
    let whole = fs::read(&path).unwrap();
    let parts = memchr::memmem::find(&whole, b"{\"captures\"").unwrap();
    let count = series.count(200);
    for _ in 0..count {
        fs::write(&path, &whole[..parts + random.below(whole.len() - parts)]).unwrap();
        fs::remove_file(out.join("_SUCCESS")).unwrap();
        bench.assert_resumes();
    }
    // A file of a listed part is missing or cut: the part is written again.
    for _ in 0..count {
        let mut files = support::files_below(&out);
        files.retain(|file| file.to_str().unwrap().contains("part-"));
        let file = &files[random.below(files.len())];
        match random.below(2) {
            0 => fs::remove_file(file).unwrap(),
            _ => fs::write(file, &fs::read(file).unwrap()[..10]).unwrap(),
        }
        bench.assert_resumes();
    }
    Tried {
        count: 2 * count,
        lost: "nothing: missing parts are written again".to_owned(),
    }
}

fn signal(child: &Child, name: &str) {
    let ran = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(ran.unwrap().success());
}

pub(crate) fn interrupt(random: &mut Random, series: Series) -> Tried {
    if !cfg!(unix) {
        return Tried::not("not tried: signals are sent on Unix alone");
    }
    let bench = Bench::new(8);
    let out = bench.out();
    let began = Instant::now();
    bench.run(&out, None, &[]);
    let usual = began.elapsed().as_micros() as usize;
    let (mut count, mut longest, mut with_parts) = (0, Duration::ZERO, 0);
    while count < series.count(100) {
        bench.clear();
        let mut child = bench.command(&out, None, &[]).spawn().unwrap();
        // Before the manifest exists, a signal ends the process like any other.
        while !out.join("_manifest.jsonl").exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random.below(usual) as u64));
        if child.try_wait().unwrap().is_some() {
            continue;
        }
        signal(
            &child,
            if random.below(2) == 0 {
                "-INT"
            } else {
                "-TERM"
            },
        );
        let began = Instant::now();
        let code = wait(&mut child);
        longest = longest.max(began.elapsed());
        if code == Some(1) {
            // The run was about to end.
            continue;
        }
        assert_eq!(code, Some(3));
        count += 1;
        assert!(bench.temporary().is_empty(), "{:?}", bench.temporary());
        bench.assert_finals();
        let manifest = fs::read_to_string(out.join("_manifest.jsonl")).unwrap();
        with_parts += usize::from(manifest.contains("\"part\":"));
        bench.assert_resumes();
    }
    // An input that delivers no more bytes delays no other.
    bench.clear();
    let mut command = bench.command(&out, None, &[]);
    let mut stalled = support::command();
    stalled
        .args(["-", "--crawl", "X", "--subset", "robotstxt", "-o"])
        .arg(&out);
    stalled
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = stalled.spawn().unwrap();
    let sample = fs::read(support::samples().join("warc/cc-robotstxt.warc.gz")).unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&sample.repeat(12)).unwrap();
    while !out.join("_manifest.jsonl").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    signal(&child, "-INT");
    let began = Instant::now();
    assert_eq!(wait(&mut child), Some(3));
    longest = longest.max(began.elapsed());
    drop(pipe);
    bench.clear();
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    Tried {
        count: count + 1,
        lost: format!(
            "nothing: ended within {:.1} s, {with_parts} with finished parts; all resumed to identical bytes",
            longest.as_secs_f64()
        ),
    }
}

pub(crate) fn two_runs(_: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let bench = Bench::new(1);
    let out = bench.out();
    // The first run removes its temporary files.
    let final_paths = || -> BTreeSet<_> {
        let paths = files_below(&out).into_iter();
        let paths = paths.map(|path| relative(&path, &out));
        paths.filter(|path| !path.contains("tmp")).collect()
    };
    let count = series.count(10);
    for _ in 0..count {
        bench.clear();
        let mut first = bench.begin_slow(100);
        for more in ["--resume", "--overwrite"] {
            let before = final_paths();
            let ran = bench.run(&out, None, &[more]);
            assert_eq!(ran.code, Some(2), "{}", ran.err);
            assert!(ran.err.contains("another run is writing"), "{}", ran.err);
            assert!(final_paths().is_superset(&before));
        }
        assert_eq!(bench.run(&out, None, &[]).code, Some(2));
        assert!(
            first.try_wait().unwrap().is_none(),
            "the first was done before the second came"
        );
        assert_eq!(wait(&mut first), Some(1));
        bench.assert_finals();
        assert!(out.join("_SUCCESS").exists());
    }
    Tried {
        count: 3 * count,
        lost: "nothing: the second is refused".to_owned(),
    }
}
