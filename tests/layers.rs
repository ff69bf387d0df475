//! Dependencies between modules that no crate boundary enforces.
//!
//! Sources are read without comments and string literals. The paths in the rest are compared with
//! those that the module must not use.

use crate::util::{files_below, project, relative};
use robots_scan::pipeline::PSL_VERSION;
use std::fs;
use std::path::Path;

/// The most lines of a source file.
const MAX_LINES: usize = 750;

/// Returns the Rust sources below a folder, or one file, each with all paths in it.
fn sources(place: &str) -> Vec<(String, Vec<String>)> {
    let place = project().join(place);
    let files = if place.is_file() {
        vec![place]
    } else {
        files_below(&place)
    };
    let rust =
        |path: &&std::path::PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let read = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        (relative(path, project()), paths(&code(&text)))
    };
    files.iter().filter(rust).map(read).collect()
}

/// Returns a source without its comments and quoted literals.
fn code(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let (mut out, mut i) = (String::new(), 0);
    let begins =
        |i: usize, text: &str| text.chars().eq(chars[i..].iter().copied().take(text.len()));
    while i < chars.len() {
        let is_word = |i: usize| {
            chars
                .get(i)
                .is_some_and(|char| char.is_alphanumeric() || *char == '_')
        };
        if begins(i, "//") {
            while i < chars.len() && chars[i] != '\n' {
                i += 1;
            }
        } else if begins(i, "/*") {
            while i < chars.len() && !begins(i, "*/") {
                i += 1;
            }
            i += 2;
        } else if (begins(i, "r\"") || begins(i, "r#") || begins(i, "br\"") || begins(i, "br#"))
            && (i == 0 || !is_word(i - 1))
        {
            // A raw string ends with as many `#` as it begins with.
            i += if chars[i] == 'b' { 2 } else { 1 };
            let signs = chars[i..].iter().take_while(|char| **char == '#').count();
            let end = format!("\"{}", "#".repeat(signs));
            i += signs + 1;
            while i < chars.len() && !begins(i, &end) {
                i += 1;
            }
            i += end.len();
        } else if chars[i] == '"' {
            i += 1;
            while i < chars.len() && chars[i] != '"' {
                i += if chars[i] == '\\' { 2 } else { 1 };
            }
            i += 1;
        } else if chars[i] == '\'' && (begins(i + 1, "\\") || chars.get(i + 2) == Some(&'\'')) {
            i += if begins(i + 1, "\\") { 3 } else { 2 };
            while i < chars.len() && chars[i] != '\'' {
                i += 1;
            }
            i += 1;
        } else {
            out.push(chars[i]);
            i += 1;
        }
    }
    out
}

/// Returns all paths in code, such as `std::fs::read`, with the groups of `use` expanded, and all
/// macros, such as `println!`.
fn paths(code: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(first) = chars.next() {
        let mut token = first.to_string();
        let is_word = |letter: &char| letter.is_alphanumeric() || *letter == '_';
        if is_word(&first) {
            while let Some(next) = chars.next_if(is_word) {
                token.push(next);
            }
        } else if first == ':' && chars.next_if_eq(&':').is_some() {
            token.push(':');
        } else if first.is_whitespace() {
            continue;
        }
        tokens.push(token);
    }
    let mut found = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        // A word after a dot is a field or a method, unless two dots are a range.
        let is_dot = |back: usize| i >= back && tokens[i - back] == ".";
        i = match is_dot(1) && !is_dot(2) {
            true => i + 1,
            false => path(&tokens, i, "", &mut found).max(i + 1),
        };
    }
    found
}

/// Reads a path, or the paths of a group, and returns the index after it.
fn path(tokens: &[String], mut i: usize, before: &str, found: &mut Vec<String>) -> usize {
    let token = |i: usize| tokens.get(i).map_or("", String::as_str);
    let is_word =
        |i: usize| token(i).starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    let mut path = before.to_owned();
    loop {
        if is_word(i) || (!path.is_empty() && token(i) == "*") {
            path = if path.is_empty() {
                token(i).to_owned()
            } else {
                format!("{path}::{}", token(i))
            };
            i += 1;
        } else if token(i) == "{" && !path.is_empty() {
            i += 1;
            while i < tokens.len() && token(i) != "}" {
                if token(i) == "as" {
                    i += 2;
                    continue;
                }
                let end = self::path(tokens, i, &path, found);
                i = end.max(i + 1);
            }
            return i + 1;
        } else {
            break;
        }
        if token(i) != "::" {
            break;
        }
        i += 1;
    }
    if token(i) == "!" && token(i + 1) != "=" {
        path.push('!');
    }
    if path != before {
        found.push(path);
    }
    i
}

/// Returns the paths of a source that it must not use.
fn forbidden(paths: &[String], never: &[&str]) -> Vec<String> {
    let names = |path: &str, never: &str| {
        path == never
            || path.starts_with(&format!("{never}::"))
            || path.strip_suffix('!') == Some(never)
    };
    let is_bad = |path: &&String| never.iter().any(|never| names(path, never));
    paths.iter().filter(is_bad).cloned().collect()
}

#[track_caller]
fn assert_never(place: &str, never: &[&str]) {
    let sources = sources(place);
    assert!(!sources.is_empty(), "{place} is empty");
    for (file, paths) in sources {
        assert!(!paths.is_empty(), "nothing was understood in {file}");
        let bad = forbidden(&paths, never);
        assert!(bad.is_empty(), "{file} names {bad:?}");
    }
}

#[test]
fn paths_are_found_in_all_positions() {
    let code = code(
        r##"
        use a::{b, c::{self, d as e}, f::*};
        // use comment::x;
        fn g(x: &'static std::fs::File) -> h::I<'_> { log!("text::y {}", 'c', r#"raw::z"#); '"'; k != l; m::n(o.field); 0..p::q() }
        "##,
    );
    let paths = paths(&code);
    for path in [
        "a::b",
        "a::c::self",
        "a::c::d",
        "a::f::*",
        "std::fs::File",
        "h::I",
        "log!",
        "m::n",
        "p::q",
    ] {
        assert!(
            paths.iter().any(|found| found == path),
            "{path} is not in {paths:?}"
        );
    }
    for word in ["comment", "text", "raw", "k!", "field"] {
        assert!(
            !paths.iter().any(|found| found.contains(word)),
            "{word} is in {paths:?}"
        );
    }
    assert_eq!(forbidden(&paths, &["std::fs", "log", "a::c"]).len(), 4);
}

#[test]
fn the_language_depends_on_no_other_layer() {
    let never = [
        "arrow_array",
        "arrow_schema",
        "parquet",
        "warc",
        "http",
        "scan",
        "flate2",
        "log",
        "tracing",
        "rayon",
        "print",
        "println",
        "eprint",
        "eprintln",
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::time",
        "std::thread",
        "std::process",
        "std::path",
        // A value that is initialized once and then only read needs no synchronization.
        "std::sync::Arc",
        "std::sync::Barrier",
        "std::sync::Condvar",
        "std::sync::Mutex",
        "std::sync::RwLock",
        "std::sync::mpsc",
    ];
    assert_never("src/robots", &never);
    let manifest = fs::read_to_string(project().join("src/robots/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let dependencies: Vec<&String> = manifest["dependencies"]
        .as_table()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(dependencies, ["aho-corasick", "hashbrown", "memchr"]);
}

#[test]
fn http_depends_on_neither_robots_txt_nor_arrow() {
    // Nor any later stage.
    let never = [
        "robots",
        "arrow_array",
        "arrow_schema",
        "parquet",
        "crate::analysis",
        "crate::crawler",
        "crate::dataset",
        "crate::input",
        "crate::parquet_writer",
        "crate::pipeline",
        "crate::tables",
    ];
    assert_never("src/scan/capture/http.rs", &never);
}

#[test]
fn captures_and_their_analysis_do_not_depend_on_output() {
    // The cache of bodies in particular must not depend on the rows of a batch.
    let never = [
        "arrow_array",
        "arrow_schema",
        "parquet",
        "crate::crawler",
        "crate::dataset",
        "crate::input",
        "crate::parquet_writer",
        "crate::pipeline",
        "crate::tables",
    ];
    for folder in ["capture", "analysis"] {
        assert_never(&format!("src/scan/{folder}"), &never);
    }
    assert_never("src/scan/capture", &["crate::analysis"]);
}

#[test]
fn tables_depend_on_neither_parquet_nor_files() {
    let never = [
        "parquet",
        "std::fs",
        "std::io",
        "std::path",
        "std::net",
        "crate::capture::http",
        "crate::dataset",
        "crate::input",
        "crate::pipeline",
        // The folder is flat, so this would be another way out of it.
        "super::super",
    ];
    assert_never("src/scan/tables", &never);
}

#[test]
fn the_parquet_writer_depends_on_neither_rules_nor_records() {
    let never = [
        "robots",
        "warc",
        "crate::analysis",
        "crate::capture",
        "crate::dataset",
        "crate::input",
        "crate::pipeline",
        "crate::tables",
        "super::super",
    ];
    assert_never("src/scan/parquet_writer", &never);
}

#[test]
fn datasets_and_resolution_do_not_depend_on_archives() {
    let never = [
        "warc",
        "crate::analysis",
        "crate::capture::http",
        "crate::input",
        "crate::pipeline",
    ];
    for folder in ["dataset", "resolve", "url_match"] {
        assert_never(&format!("src/scan/{folder}"), &never);
    }
    let never = [
        "robots",
        "arrow_array",
        "arrow_schema",
        "parquet::arrow",
        "parquet::file",
        "crate::dataset",
        "crate::resolve",
        "crate::tables",
        "crate::url_match",
    ];
    assert_never("src/scan/external_sort", &never);
}

#[test]
fn servers_are_reached_by_one_folder_that_knows_no_archives() {
    let never = [
        "robots",
        "arrow_array",
        "parquet",
        "crate::analysis",
        "crate::capture",
        "crate::copy",
        "crate::dataset",
        "crate::input",
        "crate::pipeline",
        "crate::tables",
        "warc::Reader",
    ];
    assert_never("src/scan/remote", &never);
    let network = [
        "http_body_util",
        "object_store",
        "reqwest",
        "rustls",
        "tokio",
        "std::net::TcpStream",
    ];
    for folder in fs::read_dir(project().join("src/scan")).unwrap() {
        let name = folder.unwrap().file_name();
        let place = format!("src/scan/{}", name.to_string_lossy());
        // The manifest and the questions in SQL are no sources in Rust.
        if name != "remote" && !sources(&place).is_empty() {
            assert_never(&place, &network);
        }
    }
    assert_never("src/cli", &network);
}

#[test]
fn resolution_does_not_depend_on_commands() {
    let never = [
        "crate::check",
        "crate::crawler",
        "crate::show",
        "crate::url_match",
        "crate::verify",
    ];
    assert_never("src/scan/resolve", &never);
}

#[test]
fn show_reads_records_and_rows_and_computes_nothing_from_them() {
    // The captures and the verdicts come from `check`.
    let never = [
        "robots::Evaluator",
        "robots::Parser",
        "robots::Policy",
        "parquet",
        "flate2",
        "zstd",
        "crate::analysis",
        "crate::capture::http",
        "crate::crawler",
        "crate::parquet_writer",
        "crate::pipeline",
        "crate::url_match",
    ];
    assert_never("src/scan/show", &never);
    assert_never("src/scan/check", &["crate::show"]);
}

#[test]
fn verify_computes_no_verdict_again() {
    // It may know how keys are built and where parts begin, but it parses no body.
    let never = [
        "robots",
        "crate::analysis::body_cache",
        "crate::capture::http",
        "crate::pipeline::worker",
        "crate::resolve",
        "crate::url_match",
        "warc::Reader",
    ];
    assert_never("src/scan/verify", &never);
}

#[test]
fn the_command_only_parses_flags() {
    let never = [
        "arrow_array",
        "arrow_schema",
        "parquet",
        "warc",
        "robots_scan::capture::http",
        "robots_scan::capture::Capture",
        "robots_scan::analysis",
        "robots::Parser",
        "robots::Lines",
        "robots::Evaluator",
        "flate2",
        "zstd",
        "memchr",
        "csv",
        "url",
    ];
    assert_never("src/cli", &never);
}

#[test]
fn jobs_and_the_report_contain_no_rule_of_robots_txt() {
    for folder in ["jobs", "src/python/robots_scan/report"] {
        assert_no_rule_of_robots_txt(folder);
    }
}

#[track_caller]
fn assert_no_rule_of_robots_txt(folder: &str) {
    let files = files_below(&project().join(folder));
    let is_code = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "py" || extension == "sql")
    };
    let mut looked_at = 0;
    for path in files.iter().filter(|path| is_code(path)) {
        looked_at += 1;
        let text = fs::read_to_string(path).unwrap().to_lowercase();
        for word in [
            "user-agent:",
            "disallow:",
            "user-agent\\s",
            "disallow\\s",
            "robotparser",
        ] {
            assert!(
                !text.contains(word),
                "{} has `{word}`",
                relative(path, project())
            );
        }
    }
    assert!(looked_at > 0, "{folder} has no code");
}

#[test]
fn the_public_suffix_list_is_that_of_the_lock_file() {
    let lock = fs::read_to_string(project().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let psl: Vec<_> = packages
        .iter()
        .filter(|package| package["name"].as_str() == Some("psl"))
        .collect();
    assert_eq!(psl.len(), 1);
    assert_eq!(
        PSL_VERSION,
        format!("psl {}", psl[0]["version"].as_str().unwrap())
    );
}

#[test]
fn no_source_is_longer_than_the_limit() {
    let mut long = Vec::new();
    for path in files_below(&project().join("src")) {
        let is_source = path
            .extension()
            .is_some_and(|extension| extension == "rs" || extension == "sql");
        let lines = if is_source {
            fs::read_to_string(&path).unwrap().lines().count()
        } else {
            0
        };
        if lines > MAX_LINES {
            long.push(format!("{}: {lines} lines", relative(&path, project())));
        }
    }
    assert!(long.is_empty(), "split {long:?}");
}

/// The clock of the system can be set back. Durations, rates and waits are measured with a clock that
/// cannot, so that no clock that goes back changes them.
#[test]
fn only_the_dates_of_servers_are_compared_with_the_clock_of_the_system() {
    let clocks = ["std::time::SystemTime", "chrono::Utc", "chrono::Local"];
    let mut users = Vec::new();
    for folder in ["src/robots", "src/warc", "src/scan", "src/cli"] {
        for (file, paths) in sources(folder) {
            if !forbidden(&paths, &clocks).is_empty() {
                users.push(file);
            }
        }
    }
    // `Retry-After` may be a date.
    assert_eq!(users, ["src/scan/remote/service.rs"]);
}
