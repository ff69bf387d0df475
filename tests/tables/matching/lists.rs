//! Unusual lists: very long lines and records, unclosed quotes, pipes.

use super::{decisions, list, matched, open_dataset, path, run_match};
use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use support::command;
use tempfile::TempDir;

#[test]
fn malformed_and_overlong_urls_are_reported_as_bad_url() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let long = format!("https://h.example/{}", "x".repeat(3 << 20));
    let text = format!(
        "https://h.example/a\nhttps:/h.example/a\nhttps://h.example\\a\n{long}\nhttps://h.example/b\n"
    );
    let (rows, _) = matched(&out, &list(&folder, "list", text), &["-a", "b"]);
    let bad = ("unknown", "bad_url");
    let good = ("allowed", "wildcard");
    assert_eq!(decisions(&rows), [good, bad, bad, bad, good]);
    assert_eq!(rows[3].url, long[..1 << 20]);
    let csv = format!("url\n\"https://h.example/a\nb\"\n{long}\n");
    let (rows, _) = matched(&out, &list(&folder, "list.csv", csv), &["-a", "b"]);
    assert_eq!(decisions(&rows), [bad, bad]);
}

#[test]
fn an_unclosed_quote_is_reported_with_its_line() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
    let mut csv = String::from("url\nhttps://h.example/a\n\"https://h.example/b\n");
    while csv.len() < 6 << 20 {
        csv.push_str("https://h.example/c\n");
    }
    let csv = list(&folder, "list.csv", csv);
    let matches = folder.path().join("matches.parquet");
    let ran = run_match(&out, &csv, &matches, &["-a", "b"]);
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
fn csv_is_detected_in_a_named_pipe() {
    let folder = TempDir::new().unwrap();
    let out = open_dataset(&folder);
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
    assert_eq!(decisions(&rows), [("allowed", "wildcard")]);
}

#[test]
fn the_exit_code_of_check_does_not_depend_on_standard_output() {
    let folder = TempDir::new().unwrap();
    let robots = list(&folder, "robots.txt", "User-agent: *\nDisallow: /\n");
    let mut child = command()
        .args(["check", path(&robots), "-u", "https://h.example/a"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The pipe is closed before the command can write to it.
    let mut stdout = child.stdout.take().unwrap();
    assert_eq!(stdout.read(&mut []).unwrap(), 0);
    drop(stdout);
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
