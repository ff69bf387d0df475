//! Outputs that cannot be written: the error names the path and the reason, no
//! file under its final name is incomplete, and the next run finishes the work.

use super::run::Bench;
use super::{Series, Tried};
use std::fs;
use std::process::Command;
use std::time::Duration;
use support::Random;
use support::shim::{IO, NO_PERMISSION, NO_SHIM, NO_SPACE, Shim, can_load};

/// A full disk: the calls that fail, the error number and its text.
const FULL: (&str, &str, &str) = ("write", NO_SPACE, "no space left on device");

/// Runs with each system call of `faults` failing permanently from a random occurrence on; in a whole series, from each
/// of them on.
fn fail(
    bench: &dyn Fn() -> Bench,
    random: &mut Random,
    series: Series,
    count: usize,
    faults: &[(&str, &str, &str)],
) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let bench = bench();
    let out = bench.out();
    let (mut tried, mut stopped) = (0, 0);
    for &(calls, what, why) in faults {
        let shim = |call: usize| Shim {
            path: out.to_str().unwrap(),
            calls,
            call,
            what,
        };
        let calls = bench.count(shim(0));
        let runs = if series.is_whole() {
            calls
        } else {
            series.count(count)
        };
        for run in 1..=runs {
            bench.clear();
            let call = if series.is_whole() {
                run
            } else {
                1 + random.below(calls)
            };
            let ran = bench.run(&out, Some(shim(call)), &[]);
            tried += 1;
            bench.assert_finals();
            match ran.code {
                // Only the log could not be written, at the end.
                Some(1) if out.join("_SUCCESS").exists() => continue,
                // The dataset was not begun.
                Some(2) => assert!(!out.join("_manifest.jsonl").exists(), "{}", ran.err),
                code => assert_eq!(code, Some(3), "{}", ran.err),
            }
            stopped += 1;
            assert!(ran.err.contains(why), "{}", ran.err);
            assert!(ran.err.contains(out.to_str().unwrap()), "{}", ran.err);
            bench.assert_resumes();
        }
    }
    Tried {
        count: tried,
        lost: format!(
            "nothing: {stopped} stopped with an error that names the path; \"--resume\" ended with identical bytes"
        ),
    }
}

pub(crate) fn full(random: &mut Random, series: Series) -> Tried {
    fail(&|| Bench::new(2), random, series, 200, &[FULL])
}

pub(crate) fn full_for_records(random: &mut Random, series: Series) -> Tried {
    fail(&|| Bench::of_records(4), random, series, 100, &[FULL])
}

pub(crate) fn full_for_bodies(random: &mut Random, series: Series) -> Tried {
    fail(&|| Bench::of_bodies(4), random, series, 100, &[FULL])
}

pub(crate) fn failing(random: &mut Random, series: Series) -> Tried {
    let faults = [
        ("sync", IO, "input/output error"),
        ("rename", IO, "input/output error"),
        ("open", NO_PERMISSION, "permission denied"),
    ];
    fail(&|| Bench::new(2), random, series, 60, &faults)
}

/// A run on a real file system that is too small.
pub(crate) fn small(_: &mut Random, _: Series) -> Tried {
    let bench = Bench::new(12);
    let disk = bench.folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    // The mount namespace ends with the process.
    let own = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--map-root-user", "sh", "-c", script, "sh"]);
        command.arg(&disk).arg(bench.out());
        command
    };
    let mount = "mount -t tmpfs -o size=1m none \"$1\"";
    let can_mount = own(mount)
        .output()
        .is_ok_and(|output| output.status.success());
    if !can_mount {
        return Tried::not("not tried: file systems cannot be mounted here");
    }
    let command = bench.command(&disk.join("out"), None, &[]);
    let script = format!(
        "{mount} && {{ shift; out=$1; shift; \"$@\"; code=$?; cp -r \"$0\" \"$out\"; exit $code; }}"
    );
    let script = script.replace("\"$0\"", &format!("'{}/out'", disk.display()));
    let mut own = own(&script);
    own.arg(command.get_program()).args(command.get_args());
    let ran: support::Ran = own.output().unwrap().into();
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("no space left on device"), "{}", ran.err);
    assert!(ran.err.contains("disk/out"), "{}", ran.err);
    // The files that were written were copied to a disk with enough space.
    bench.assert_finals();
    bench.assert_resumes();
    Tried {
        count: 1,
        lost: "nothing: stopped, and resumed where there was space".to_owned(),
    }
}

pub(crate) fn vanishing(random: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let bench = Bench::new(2);
    let out = bench.out();
    let (wanted, mut count) = (series.count(50), 0);
    while count < wanted {
        bench.clear();
        let child = bench.begin_slow(30);
        std::thread::sleep(Duration::from_millis(random.below(300) as u64));
        // The run may create folders again while they are removed.
        while fs::remove_dir_all(&out).is_err() && out.exists() {}
        let ran: support::Ran = child.wait_with_output().unwrap().into();
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        if ran.code == Some(1) {
            // The run had ended already.
            continue;
        }
        count += 1;
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        assert!(ran.err.contains(out.to_str().unwrap()), "{}", ran.err);
        bench.clear();
        bench.assert_resumes();
    }
    Tried {
        count,
        lost: "what was removed; a rerun writes it again".to_owned(),
    }
}
