//! Inputs that fail: the error names their path, the other parts are written,
//! and `--resume` reads them again.

use super::run::Bench;
use super::{Series, Tried};
use std::fs;
use std::time::Duration;
use support::shim::{IO, NO_PERMISSION, NO_SHIM, Shim, can_load};
use support::{Ran, Random};

const INPUT: &str = "001-cc-robotstxt.warc.gz";

/// Asserts that only the failed input is missing from the output.
fn assert_left_out(bench: &Bench, ran: &Ran, why: &str) {
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains(why), "{}", ran.err);
    assert!(ran.err.contains(INPUT), "{}", ran.err);
    assert!(!bench.out().join("_SUCCESS").exists());
    bench.assert_finals();
    let manifest = fs::read_to_string(bench.out().join("_manifest.jsonl")).unwrap();
    assert!(
        manifest.contains("\"part\":"),
        "other parts are whole: {manifest}"
    );
}

/// Opening fails, or any call of `read`.
pub(crate) fn failing(random: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let bench = Bench::new(3);
    let mut count = 0;
    for (calls, what, why) in [
        ("read", IO, "input/output error"),
        ("open", NO_PERMISSION, "permission denied"),
    ] {
        let shim = |call: usize| Shim {
            path: INPUT,
            calls,
            call,
            what,
        };
        let calls = bench.count(shim(0));
        for _ in 0..series.count(40) {
            bench.clear();
            let ran = bench.run(&bench.out(), Some(shim(1 + random.below(calls))), &[]);
            assert_left_out(&bench, &ran, why);
            bench.assert_resumes();
            count += 1;
        }
    }
    Tried {
        count,
        lost: "nothing: its part is left out and written by --resume".to_owned(),
    }
}

pub(crate) fn missing(_: &mut Random, _: Series) -> Tried {
    let bench = Bench::new(3);
    let path = bench.folder.path().join(INPUT);
    let bytes = fs::read(&path).unwrap();
    let mut count = 0;
    // The input is missing, or is a folder.
    for is_folder in [false, true] {
        bench.clear();
        fs::remove_file(&path).unwrap();
        if is_folder {
            fs::create_dir(&path).unwrap();
        }
        let ran = bench.run(&bench.out(), None, &[]);
        let why = if is_folder {
            "directory"
        } else {
            "1 of 15 inputs does not exist"
        };
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(
            ran.err.contains(why) && ran.err.contains(INPUT),
            "{}",
            ran.err
        );
        assert!(!bench.out().exists());
        if is_folder {
            fs::remove_dir(&path).unwrap();
        }
        fs::write(&path, &bytes).unwrap();
        count += 1;
    }
    Tried {
        count,
        lost: "nothing: the run does not start".to_owned(),
    }
}

pub(crate) fn changing(random: &mut Random, series: Series) -> Tried {
    if !can_load() {
        return Tried::not(NO_SHIM);
    }
    let bench = Bench::new(3);
    let path = bench.folder.path().join(INPUT);
    let bytes = fs::read(&path).unwrap();
    let mut count = 0;
    for _ in 0..series.count(20) {
        for grows in [true, false] {
            bench.clear();
            let slow = Shim {
                path: INPUT,
                calls: "read",
                call: 1,
                what: "sleep",
            };
            let mut command = bench.command(&bench.out(), Some(slow), &[]);
            let child = command.env("FAULT_MS", "150").spawn().unwrap();
            // Sizes are read before the manifest is written.
            while !bench.out().join("_manifest.jsonl").exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let changed = if grows {
                [&bytes[..], &bytes[..1 + random.below(bytes.len())]].concat()
            } else {
                bytes[..random.below(bytes.len())].to_vec()
            };
            fs::write(&path, changed).unwrap();
            let ran: Ran = child.wait_with_output().unwrap().into();
            assert_left_out(&bench, &ran, "it changed since the run began");
            // After the change it counts as another input.
            let ran = bench.run(&bench.out(), None, &["--resume"]);
            assert_eq!(ran.code, Some(2), "{}", ran.err);
            assert!(
                ran.err.contains("an input was") && ran.err.contains(INPUT),
                "{}",
                ran.err
            );
            fs::write(&path, &bytes).unwrap();
            bench.assert_resumes();
            count += 1;
        }
    }
    Tried {
        count,
        lost: "nothing: its part is left out; --resume is refused until the input is restored"
            .to_owned(),
    }
}
