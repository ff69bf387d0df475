//! Inputs that can be read only once: pipes with a path, FIFOs, standard input.
//!
//! Each must give the same tables as a file with the same bytes.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use support::{Ran, archive, command, files_below, relative, rows, run, wait};
use tempfile::TempDir;

/// Returns an archive of more than 1 MiB compressed, which is more than is kept of a
/// stream.
fn large() -> Vec<u8> {
    let sound = fs::read(archive("cc-robotstxt.warc.gz")).unwrap();
    sound.repeat((3 << 20) / sound.len())
}

fn fifo(folder: &TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    path
}

fn spawn(command: &mut Command) -> Child {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs the program in bash, as `$0` with these arguments.
fn bash(script: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new("bash");
    command
        .args(["-c", script])
        .arg(support::program())
        .args(arguments)
        .stdin(Stdio::null());
    wait(spawn(&mut command))
}

/// Returns the bytes of the tables of a dataset.
fn tables(dataset: &Path) -> Vec<(String, Vec<u8>)> {
    let files = files_below(dataset).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "parquet"));
    let files = files.map(|path| (relative(&path, dataset), fs::read(&path).unwrap()));
    files.collect()
}

#[track_caller]
fn assert_verifies(dataset: &Path) {
    let ran = run(["verify", dataset.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

#[track_caller]
fn assert_whole(ran: &Ran, dataset: &Path, expected: &Path) {
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let (made, expected) = (tables(dataset), tables(expected));
    let names = |tables: &[(String, Vec<u8>)]| {
        let names = tables.iter().map(|(name, _)| name.clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&made), names(&expected));
    for ((name, made), (_, expected)) in made.iter().zip(&expected) {
        assert!(made == expected, "{name} differs from that of the file");
    }
    assert_verifies(dataset);
}

/// Creates a folder with an archive `x.warc.gz` and its dataset.
fn reference(bytes: &[u8]) -> (TempDir, String, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.warc.gz");
    fs::write(&path, bytes).unwrap();
    let expected = folder.path().join("expected");
    let path = path.to_str().unwrap().to_owned();
    let ran = run([&path, "-o", expected.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    (folder, path, expected)
}

#[test]
fn a_pipe_with_a_path_gives_the_tables_of_the_file() {
    // One archive is smaller than what is read for detection, the other is larger than
    // what is kept of a stream.
    let small = fs::read(archive("per-record-1.1.warc.gz")).unwrap();
    for (case, bytes) in [small, large()].iter().enumerate() {
        let (folder, path, expected) = reference(bytes);
        for (nth, script) in [
            r#"cat "$1" | "$0" - --name x.warc.gz -o "$2""#,
            r#""$0" <(cat "$1") --name x.warc.gz -o "$2""#,
            r#"cat "$1" | "$0" /dev/stdin --name x.warc.gz -o "$2""#,
            r#""$0" /dev/stdin -o "$2" --name x.warc.gz < <(cat "$1")"#,
            r#""$0" <(cat "$1") --name x.warc.gz -o "$2" -t 1"#,
        ]
        .iter()
        .enumerate()
        {
            let out = folder.path().join(format!("out-{case}-{nth}"));
            let ran = bash(script, &[&path, out.to_str().unwrap()]);
            assert_whole(&ran, &out, &expected);
        }
        // Crawl and subset are given, so nothing is read to find them.
        let out = folder.path().join(format!("out-{case}-told"));
        let folders = files_below(&expected.join("robots_files"));
        let place = relative(&folders[0], &expected);
        let value = |key: &str| {
            let (_, rest) = place.split_once(key).unwrap();
            rest.split('/').next().unwrap().to_owned()
        };
        let script = r#""$0" <(cat "$1") --name x.warc.gz -o "$2" --crawl "$3" --subset "$4""#;
        let (crawl, subset) = (value("crawl="), value("subset="));
        let arguments = [&path, out.to_str().unwrap(), &crawl, &subset];
        assert_whole(&bash(script, &arguments), &out, &expected);
    }
}

#[test]
fn a_fifo_is_opened_once_with_and_without_a_given_crawl() {
    let (folder, path, expected) = reference(&large());
    let bytes = fs::read(&path).unwrap();
    for (nth, told) in [&[][..], &["--crawl", "X", "--subset", "robotstxt"]]
        .iter()
        .enumerate()
    {
        let pipe = fifo(&folder, &format!("pipe-{nth}.warc.gz"));
        let out = folder.path().join(format!("out-{nth}"));
        let mut command = command();
        command.arg(&pipe).arg("-o").arg(&out).args(*told);
        let child = spawn(&mut command);
        // A second opening would wait for another writer.
        File::create(&pipe).unwrap().write_all(&bytes).unwrap();
        let ran = wait(child);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let (made, expected) = (rows(&out, "robots_files"), rows(&expected, "robots_files"));
        assert_eq!(made.len(), expected.len());
        let name = format!("pipe-{nth}.warc.gz");
        assert_eq!(made[0]["warc_filename"], *name, "a FIFO has a name");
        assert_verifies(&out);
    }
}

#[test]
fn streams_are_read_one_after_another() {
    let (folder, path, expected) = reference(&large());
    let bytes = fs::read(&path).unwrap();
    let captures = rows(&expected, "robots_files").len();
    for threads in ["1", "3"] {
        let out = folder.path().join(format!("substituted-{threads}"));
        let script = r#""$0" <(cat "$1") <(cat "$1") -o "$2" -t "$3""#;
        let ran = bash(script, &[&path, out.to_str().unwrap(), threads]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let made = rows(&out, "robots_files");
        assert_eq!(made.len(), 2 * captures);
        assert_eq!(made[0]["warc_filename"], "stream-1");
        assert_eq!(made[captures]["warc_filename"], "stream-2");
        assert_verifies(&out);

        // The writer of the second begins after the first has been read completely.
        let pipes = [1, 2, 3].map(|nth| fifo(&folder, &format!("{threads}-{nth}.warc.gz")));
        let list = folder.path().join(format!("list-{threads}"));
        let lines = pipes.each_ref().map(|pipe| pipe.to_str().unwrap());
        fs::write(&list, lines.join("\n")).unwrap();
        let out = folder.path().join(format!("fifos-{threads}"));
        let mut command = command();
        command.arg("--paths").arg(&list).arg("-o").arg(&out);
        command.args(["--crawl", "X", "--subset", "robotstxt", "-t", threads]);
        let child = spawn(&mut command);
        let bytes = bytes.clone();
        std::thread::spawn(move || {
            for pipe in &pipes {
                File::create(pipe).unwrap().write_all(&bytes).unwrap();
            }
        });
        let ran = wait(child);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(rows(&out, "robots_files").len(), 3 * captures);
        assert_verifies(&out);
    }
}

#[test]
fn a_dry_run_opens_no_stream() {
    let folder = TempDir::new().unwrap();
    let pipe = fifo(&folder, "x.warc.gz");
    let out = folder.path().join("out");
    // It has no writer, so opening it would wait forever.
    let mut command = command();
    command.arg(&pipe).arg("--dry-run").arg("-o").arg(&out);
    let ran = wait(spawn(&mut command));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("a stream, which is not opened"),
        "{}",
        ran.out
    );
    assert!(!out.exists());
}

#[test]
fn a_fifo_in_a_folder_is_not_an_input() {
    let folder = TempDir::new().unwrap();
    fifo(&folder, "pipe.warc.gz");
    fs::copy(archive("plain.warc"), folder.path().join("x.warc")).unwrap();
    let out = TempDir::new().unwrap();
    let out = out.path().join("out");
    let mut command = command();
    command.arg(folder.path()).arg("-o").arg(&out);
    let ran = wait(spawn(&mut command));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(rows(&out, "robots_files").len(), 3);
}

#[test]
fn options_that_streams_do_not_support_are_refused_before_opening() {
    let folder = TempDir::new().unwrap();
    let pipe = fifo(&folder, "x.warc.gz");
    let pipe = pipe.to_str().unwrap();
    let file = archive("plain.warc");
    let out = folder.path().join("out");
    for (arguments, word) in [
        (&[pipe, pipe][..], "given twice"),
        (&["-", "/dev/stdin"], "given twice"),
        (&[pipe, "-", "--name", "y"], "there are 2"),
        (&[&file, "--name", "y"], "there are 0"),
        (&[pipe, "--name", ""], "--name"),
    ] {
        let mut command = command();
        // Standard input stays open without any bytes.
        command
            .args(arguments)
            .arg("-o")
            .arg(&out)
            .stdin(Stdio::piped());
        let ran = wait(spawn(&mut command));
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(word), "{arguments:?}: {}", ran.err);
        assert!(!out.exists());
    }
    let out = out.to_str().unwrap();
    assert_eq!(run([&file, "-o", out]).code, Some(0));
    let mut command = command();
    command.args([pipe, "--resume", "-o", out]);
    let ran = wait(spawn(&mut command));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("cannot be read twice"), "{}", ran.err);
}

#[test]
fn a_stream_that_is_not_an_archive_is_refused() {
    let folder = TempDir::new().unwrap();
    for (nth, told) in [&[][..], &["--crawl", "X", "--subset", "warc"]]
        .iter()
        .enumerate()
    {
        let out = folder.path().join(format!("out-{nth}"));
        let script = r#"out=$1; shift; "$0" <(echo '<html>') -o "$out" "$@""#;
        let ran = bash(script, &[&[out.to_str().unwrap()][..], told].concat());
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("not a WARC archive"), "{}", ran.err);
        assert!(!out.exists());
    }
}

#[test]
fn crawl_and_subset_follow_from_the_name_of_a_stream() {
    let (folder, path, _) = reference(&large());
    let out = folder.path().join("out");
    let name = "crawl-data/CC-MAIN-2025-38/segments/1/robotstxt/x.warc.gz";
    let script = r#""$0" <(cat "$1") --name "$3" -o "$2""#;
    let ran = bash(script, &[&path, out.to_str().unwrap(), name]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(rows(&out, "robots_files")[0]["warc_filename"], name);
    let folder = out.join("robots_files/crawl=CC-MAIN-2025-38/subset=robotstxt");
    assert!(folder.is_dir(), "{}", ran.out);
}
