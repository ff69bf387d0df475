//! The standard output of commands, also where it cannot be written.

use super::{prepare, start};
use serde_json::Value;
use std::fs;
use std::path::Path;
use support::shim::{IO, NO_SHIM, Shim, can_load};
use support::{Ran, command};
use tempfile::TempDir;

/// A device that is always full.
const FULL: &str = "/dev/full";

/// Runs a command whose standard output is a full device.
fn run_into_full_device(folder: &Path, args: &str) -> Ran {
    let full = fs::OpenOptions::new().write(true).open(FULL).unwrap();
    let mut command = command();
    command.current_dir(folder).args(args.split(' '));
    command.stdout(full).output().unwrap().into()
}

#[test]
fn output_to_a_full_device_is_an_error_of_each_command() {
    if !Path::new(FULL).exists() {
        println!("skipped: there is no {FULL}");
        return;
    }
    let folder = TempDir::new().unwrap();
    prepare(folder.path());
    for args in [
        "small.warc.gz -o a",
        "small.warc.gz -o b --json",
        "small.warc.gz -o c --dry-run",
        "verify ds",
        "verify ds --json",
        "verify rules.parquet",
        "check robots.txt --any-name -a x",
        "check robots.txt --any-name -a x --json",
        "check ds --host www.news.example --any-name -a x",
        "match ds --any-name -a x -u urls.txt -o m.csv",
        "match ds --any-name -a x -u urls.txt -o n.csv --json",
        "check ds --host www.news.example --json",
        "views ds",
        "schema",
        "schema rules",
        "schema --anomalies",
        "agents",
        "agents --json",
        "completions bash",
        "man",
        "man match",
        "--help",
        "-h",
        "match --help",
        "--version",
    ] {
        let ran = run_into_full_device(folder.path(), args);
        assert_eq!(ran.code, Some(3), "{args}: {}", ran.err);
        let error = "error: cannot write standard output: no space left on device\n";
        assert!(ran.err.ends_with(error), "{args}: {}", ran.err);
    }
    // Nothing is printed, so nothing is lost.
    let ran = run_into_full_device(folder.path(), "small.warc.gz -o d -q");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn an_error_is_json_too_if_the_output_is_json() {
    let folder = TempDir::new().unwrap();
    prepare(folder.path());
    // Arguments; code, kind and path of the error.
    for row in [
        "small.warc.gz -o ds --json | 2 output_exists ds with a hint",
        "missing.warc.gz -o a --json | 2 read missing.warc.gz",
        "robots.txt -o a --json | 2 not_an_archive robots.txt",
        "chekc --json | 2 usage - with a hint",
        "small.warc.gz --treads 2 -o a --json | 2 usage - with a hint",
        "verify --json nothing | 2 read nothing",
        "join ds --json | 2 unjoinable ds with a hint",
        "match ds --any-name -a x -u missing.txt -o m.csv --json | 2 read missing.txt",
        "check missing.txt --json | 2 read missing.txt",
        "check ds --host nobody.example --json | 3 no_capture ds",
        "agents --category ai --json | 2 usage - with a hint",
    ] {
        let (args, error) = row.split_once(" | ").unwrap();
        let (error, hint) = match error.strip_suffix(" with a hint") {
            Some(error) => (error, true),
            None => (error, false),
        };
        let [code, kind, path] = error.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let code: i32 = code.parse().unwrap();
        let args: Vec<&str> = args.split(' ').collect();
        let ran = start(folder.path(), &args, "");
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
        let document: Value = serde_json::from_str(&ran.out)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {}", ran.out));
        assert_eq!(document["exit_code"], code, "{args:?}");
        let error = &document["error"];
        assert_eq!(error["kind"], kind, "{args:?}");
        assert_eq!(error["path"].as_str().unwrap_or("-"), path, "{args:?}");
        assert_eq!(error["hint"].is_string(), hint, "{args:?}: {error}");
        let message = error["message"].as_str().unwrap();
        let text = format!("error: {message}\n");
        // The parser of arguments writes its message in several lines.
        let is_printed = kind == "usage" || ran.err.starts_with(&text);
        assert!(is_printed, "{args:?}: {}", ran.err);
    }
}

#[test]
fn the_summary_lists_the_errors_of_failed_archives() {
    let folder = TempDir::new().unwrap();
    prepare(folder.path());
    if !can_load() {
        println!("{NO_SHIM}");
        return;
    }
    let run = |call, format: &[&str]| {
        let mut scan = command();
        let args = "small.warc.gz crawl.warc.gz -o out --overwrite --crawl X --subset x";
        scan.current_dir(folder.path()).args(args.split(' '));
        scan.args(format);
        let shim = Shim {
            path: "small.warc.gz",
            calls: "read",
            call,
            what: IO,
        };
        shim.load(&mut scan);
        Ran::from(scan.output().unwrap())
    };
    // The first reads are those of the checks before the run.
    let failed = (1..20).find_map(|call| {
        let ran = run(call, &["--json"]);
        (ran.code == Some(3)).then_some((call, ran))
    });
    let (call, ran) = failed.expect("a read of the run fails");
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary["failed_inputs"], 1, "{summary}");
    let errors = summary["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{summary}");
    assert_eq!(errors[0]["kind"], "read");
    assert_eq!(errors[0]["path"], "small.warc.gz");
    let text = format!("error: {}\n", errors[0]["message"].as_str().unwrap());
    assert!(ran.err.contains(&text), "{}", ran.err);
    let ran = run(call, &[]);
    let words = ["1 archive failed", "run again with --resume"];
    assert!(words.iter().all(|word| ran.out.contains(word)), "{ran:?}");
}

#[test]
fn without_arguments_the_commands_are_listed_on_one_screen() {
    let ran = start(Path::new("."), &[], "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    for text in [
        "Usage: robots-scan [scan] INPUT… -o OUT [OPTIONS]",
        "\n  check  ",
        "\n  verify, views ",
        "robots-scan COMMAND --help",
    ] {
        assert!(ran.err.contains(text), "'{text}': {}", ran.err);
    }
    assert!(ran.err.lines().count() <= 24, "{}", ran.err);
    let is_narrow = |line: &str| line.chars().count() <= 80;
    assert!(ran.err.lines().all(is_narrow), "{}", ran.err);
}

#[test]
fn each_command_has_a_manual_page() {
    let help = start(Path::new("."), &[], "").err;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let lines = commands.lines().take_while(|line| !line.is_empty());
    let names = lines.map(|line| line.trim_start().split("  ").next().unwrap());
    let names: Vec<&str> = names.flat_map(|names| names.split(", ")).collect();
    assert_eq!(names.len(), 16, "{help}");
    for name in &names {
        let page = start(Path::new("."), &["man", name], "");
        assert_eq!((page.code, page.err.as_str()), (Some(0), ""), "{name}");
        let title = format!(".TH robots-scan-{name} 1");
        assert!(page.out.contains(&title), "{name}: {}", page.out);
        let synopsis = format!("\\fBrobots\\-scan {name}\\fR");
        assert!(page.out.contains(&synopsis), "{name}: {}", page.out);
    }
    let ran = start(Path::new("."), &["man", "mtach"], "");
    assert_eq!(ran.code, Some(2));
    let text = "error: unknown command 'mtach'\nhint: did you mean 'match'?\n";
    assert_eq!(ran.err, text);
}
