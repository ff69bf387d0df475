//! Files without an end, and files that deliver no more bytes.

use super::made::{scan, sound};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{self, Ran};
use tempfile::TempDir;

/// A file without an end or a line break.
const ENDLESS: &str = "/dev/zero";

#[test]
fn files_that_never_end_are_refused_by_name() {
    if !Path::new(ENDLESS).exists() {
        println!("skipped: there is no {ENDLESS}");
        return;
    }
    let folder = TempDir::new().unwrap();
    let archive = folder.path().join("a.warc");
    fs::write(&archive, sound()).unwrap();
    let dataset = scan(folder.path(), archive.to_str().unwrap(), &[]);
    let (dataset, out) = (dataset.to_str().unwrap(), folder.path().join("out.csv"));
    let out = out.to_str().unwrap();
    for args in [
        "check ENDLESS",
        "check -",
        "check DATASET --host h.example --urls ENDLESS",
        "match DATASET --any-name -a x -u ENDLESS -o OUT",
        "match DATASET --any-name -a x -u - -o OUT",
        "history DATASET -o OUT --forget ENDLESS",
        "--paths ENDLESS -o OUT",
        "agents --agents ENDLESS",
        "check - --agents ENDLESS",
        "https://127.0.0.1:9/a.warc.gz --crawl X --subset x --ca ENDLESS -o OUT",
    ] {
        let what = if args.contains("ENDLESS") {
            ENDLESS
        } else {
            "standard input"
        };
        let args: Vec<&str> = args
            .split(' ')
            .map(|arg| match arg {
                "ENDLESS" => ENDLESS,
                "DATASET" => dataset,
                "OUT" => out,
                _ => arg,
            })
            .collect();
        let mut command = support::command();
        command.args(&args).stdin(File::open(ENDLESS).unwrap());
        let ran: Ran = command.output().unwrap().into();
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        let named = format!("'{what}'");
        assert!(ran.err.starts_with("error: "), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(&named), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(" bytes"), "{args:?}: {}", ran.err);
        assert!(!Path::new(out).exists(), "{args:?}");
    }
}

/// Without an interruption, `match` would wait for the rest of the list forever.
#[test]
fn a_match_whose_list_delivers_no_more_bytes_ends_with_a_signal() {
    let folder = TempDir::new().unwrap();
    let archive = folder.path().join("a.warc");
    fs::write(&archive, sound()).unwrap();
    let dataset = scan(folder.path(), archive.to_str().unwrap(), &[]);
    let list = folder.path().join("list");
    let made = Command::new("mkfifo").arg(&list).status();
    assert!(made.unwrap().success());
    for name in ["-INT", "-TERM"] {
        let out = folder.path().join("out.csv");
        let mut command = support::command();
        command
            .arg("match")
            .arg(&dataset)
            .args(["--any-name", "-a", "x", "-u"])
            .arg(&list)
            .arg("-o")
            .arg(&out);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let child = child.unwrap();
        let mut writer = fs::OpenOptions::new().write(true).open(&list).unwrap();
        writer.write_all(b"https://sound.example/\n").unwrap();
        // The lock file is there once the match has begun, and then it waits for signals.
        while !folder.path().join(".out.csv.lock").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let sent = Command::new("kill")
            .args([name, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let ran = support::wait(child);
        drop(writer);
        assert_eq!(ran.code, Some(3), "{name}: {}", ran.err);
        assert!(ran.err.contains("interrupted"), "{name}: {}", ran.err);
        assert!(!out.exists());
    }
}
