//! What holds for all sources: which packages use which, and what no package may use.

use scan::PSL_VERSION;
use std::fs;
use support::{files_below, project, relative};

/// The most lines of a source file.
const MAX_LINES: usize = 750;

/// The packages of the product, and those of them that each uses.
const PACKAGES: [(&str, &[&str]); 20] = [
    ("robots", &[]),
    ("urls", &[]),
    ("escapes", &[]),
    ("warc", &[]),
    ("disk", &[]),
    ("sort", &["disk"]),
    ("columns", &["disk", "escapes"]),
    ("remote", &["disk", "warc"]),
    ("capture", &["robots", "urls", "warc"]),
    ("crawlers", &["robots"]),
    (
        "tables",
        &[
            "capture", "columns", "crawlers", "escapes", "robots", "urls", "warc",
        ],
    ),
    (
        "dataset",
        &[
            "capture", "columns", "crawlers", "disk", "escapes", "robots", "sort", "tables",
        ],
    ),
    (
        "hosts",
        &[
            "capture", "columns", "dataset", "disk", "robots", "sort", "tables", "urls",
        ],
    ),
    (
        "sources",
        &[
            "capture", "columns", "dataset", "disk", "escapes", "remote", "tables", "warc",
        ],
    ),
    (
        "scan",
        &[
            "capture", "columns", "crawlers", "dataset", "disk", "hosts", "remote", "robots",
            "sort", "sources", "tables", "warc",
        ],
    ),
    (
        "keep",
        &[
            "columns", "crawlers", "dataset", "disk", "hosts", "scan", "sort", "sources", "tables",
        ],
    ),
    (
        "history",
        &[
            "capture", "columns", "dataset", "disk", "hosts", "keep", "robots", "sort", "tables",
            "urls",
        ],
    ),
    (
        "answers",
        &[
            "capture", "columns", "crawlers", "dataset", "disk", "escapes", "history", "hosts",
            "keep", "remote", "robots", "scan", "sort", "sources", "tables", "urls", "warc",
        ],
    ),
    ("duckdb", &["crawlers", "escapes", "robots", "urls"]),
    (
        "python",
        &[
            "answers", "capture", "crawlers", "dataset", "disk", "history", "robots", "scan",
            "sources", "tables",
        ],
    ),
];

/// Returns the dependencies of a package.
fn dependencies(package: &str) -> Vec<String> {
    let manifest = fs::read_to_string(project().join("src").join(package).join("Cargo.toml"));
    let manifest: toml::Table = manifest.unwrap().parse().unwrap();
    let table = manifest["dependencies"].as_table().unwrap();
    table.keys().cloned().collect()
}

/// Returns the sources below a folder that have one of these words outside of comment lines.
fn users(folder: &str, words: &[&str]) -> Vec<String> {
    let files = files_below(&project().join(folder));
    let mut users = Vec::new();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(str::trim_start);
        if lines.any(|line| !line.starts_with("//") && words.iter().any(|word| line.contains(word)))
        {
            users.push(relative(path, project()));
        }
    }
    users
}

#[test]
fn each_package_uses_only_those_below_it() {
    let names = PACKAGES.map(|(name, _)| name);
    for (package, below) in PACKAGES {
        let mut used = dependencies(package);
        used.retain(|name| names.contains(&name.as_str()));
        assert_eq!(used, below, "{package}");
    }
}

#[test]
fn the_language_has_no_input_or_output() {
    assert_eq!(
        dependencies("robots"),
        ["aho-corasick", "hashbrown", "memchr", "sfv"]
    );
    let io = [
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::time",
        "std::thread",
        "std::process",
        "std::path",
        "println!",
    ];
    assert_eq!(users("src/robots", &io), [""; 0]);
}

/// The clock of the system can be set back. Durations, rates and waits are measured with a clock that
/// cannot, so that no clock that goes back changes them.
#[test]
fn only_the_dates_of_servers_are_compared_with_the_clock_of_the_system() {
    let clocks = ["SystemTime", "Utc::now", "Local::now"];
    // `Retry-After` may be a date.
    assert_eq!(users("src", &clocks), ["src/remote/service.rs"]);
}

#[test]
fn jobs_and_the_report_contain_no_rule_of_robots_txt() {
    for folder in [
        "jobs",
        "src/python/robots_scan/report",
        "src/python/robots_scan/describe",
    ] {
        let mut looked_at = 0;
        for path in files_below(&project().join(folder)) {
            let end = path.extension().and_then(|end| end.to_str());
            if !matches!(end, Some("py" | "sql")) {
                continue;
            }
            looked_at += 1;
            // One compares the program with an oracle of its own, the others write files to be scanned or parsed.
            let writers = [
                "jobs/test_preferences.py",
                "jobs/test_cut_responses.py",
                "jobs/test_duckdb_extension.py",
                "jobs/test_history.py",
                "jobs/test_site.py",
                "jobs/independent/old_urls.py",
            ];
            if writers.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap().to_lowercase();
            for word in [
                "user-agent:",
                "disallow:",
                "user-agent\\s",
                "disallow\\s",
                "robotparser",
            ] {
                let path = relative(&path, project());
                assert!(!text.contains(word), "{path} has `{word}`");
            }
        }
        assert!(looked_at > 0, "{folder} has no code");
    }
}

#[test]
fn the_public_suffix_list_is_that_of_the_lock_file() {
    let lock = fs::read_to_string(project().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    let packages = lock["package"].as_array().unwrap().iter();
    let psl: Vec<_> = packages
        .filter(|package| package["name"].as_str() == Some("psl"))
        .map(|package| format!("psl {}", package["version"].as_str().unwrap()))
        .collect();
    assert_eq!(psl, [PSL_VERSION]);
}

#[test]
fn no_source_is_longer_than_the_limit() {
    let mut long = Vec::new();
    for path in files_below(&project().join("src")) {
        let end = path.extension().and_then(|end| end.to_str());
        if matches!(end, Some("rs" | "sql")) {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            if lines > MAX_LINES {
                long.push(format!("{}: {lines} lines", relative(&path, project())));
            }
        }
    }
    assert!(long.is_empty(), "split {long:?}");
}
