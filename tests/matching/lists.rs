//! Lists that are odd: endless lines and records, open quotes, pipes.

use super::made::{Made, dataset};
use super::{OPEN, answers, list, matched, path};
use crate::util::{command, run};
use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use tempfile::TempDir;

#[test]
fn what_is_no_url_or_too_long_for_one_is_a_bad_url() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[Made::ok("https://h.example/robots.txt", 0, OPEN)],
    );
    let long = format!("https://h.example/{}", "x".repeat(3 << 20));
    let text = format!(
        "https://h.example/a\nhttps:/h.example/a\nhttps://h.example\\a\n{long}\nhttps://h.example/b\n"
    );
    let (rows, _) = matched(&out, &list(&folder, "list", text), &["-a", "b"]);
    let bad = ("unknown", "bad_url");
    let good = ("allowed", "wildcard");
    assert_eq!(answers(&rows), [good, bad, bad, bad, good]);
    assert_eq!(rows[3].url, long[..1 << 20]);
    let csv = format!("url\n\"https://h.example/a\nb\"\n{long}\n");
    let (rows, _) = matched(&out, &list(&folder, "list.csv", csv), &["-a", "b"]);
    assert_eq!(answers(&rows), [bad, bad]);
}

#[test]
fn a_quote_that_is_left_open_is_told_with_its_line() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[Made::ok("https://h.example/robots.txt", 0, OPEN)],
    );
    let mut csv = String::from("url\nhttps://h.example/a\n\"https://h.example/b\n");
    while csv.len() < 6 << 20 {
        csv.push_str("https://h.example/c\n");
    }
    let csv = list(&folder, "list.csv", csv);
    let matches = folder.path().join("matches.parquet");
    let ran = run([
        "match",
        path(&out),
        "-a",
        "b",
        "-u",
        path(&csv),
        "-o",
        path(&matches),
    ]);
    assert_ne!(ran.code, Some(0));
    assert!(
        ran.err.contains("line 3") && ran.err.contains("list.csv"),
        "{}",
        ran.err
    );
    assert!(!matches.exists());
}

#[cfg(unix)]
#[test]
fn csv_through_a_named_pipe_is_csv() {
    let folder = TempDir::new().unwrap();
    let out = dataset(
        &folder,
        &[Made::ok("https://h.example/robots.txt", 0, OPEN)],
    );
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut pipe = fs::OpenOptions::new().write(true).open(pipe).unwrap();
            for piece in ["fet", "ch_time,u", "rl\n,https://h.example/a\n"] {
                pipe.write_all(piece.as_bytes()).unwrap();
                pipe.flush().unwrap();
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    });
    let (rows, _) = matched(&out, &pipe, &["-a", "b"]);
    writer.join().unwrap();
    assert_eq!(answers(&rows), [("allowed", "wildcard")]);
}

#[test]
fn check_tells_by_its_exit_code_though_nobody_reads() {
    let folder = TempDir::new().unwrap();
    let robots = list(&folder, "robots.txt", "User-agent: *\nDisallow: /\n");
    let mut child = command()
        .args(["check", path(&robots), "-u", "https://h.example/a"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Nobody reads before the answer can be written: the pipe is closed first.
    let mut stdout = child.stdout.take().unwrap();
    assert_eq!(stdout.read(&mut []).unwrap(), 0);
    drop(stdout);
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
