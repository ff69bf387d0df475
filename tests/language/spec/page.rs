//! Checks that `docs/developers/specifications.md` is complete: the tests that it names
//! exist, and no test and no section is missing.

use std::collections::BTreeSet;
use std::fs;

/// The sections with normative text, which must be on the page, and a source file
/// that the part with these sections names.
const SECTIONS: [(&str, &[&str]); 5] = [
    (
        "rfc9309.rs",
        &[
            "§2.1 Protocol definition",
            "§2.2 Formal syntax",
            "§2.2.1 The user-agent line",
            "§2.2.2 The Allow and Disallow lines",
            "§2.2.3 Special characters",
            "§2.2.4 Other lines",
            "§2.3 Access method",
            "§2.3.1 Access results",
            "§2.3.1.1 Successful access",
            "§2.3.1.2 Redirects",
            "§2.3.1.3 Unavailable status",
            "§2.3.1.4 Unreachable status",
            "§2.3.1.5 Parsing errors",
            "§2.4 Caching",
            "§2.5 Limits",
            "§3 Security considerations",
            "§5.1 Simple example",
            "§5.2 Longest match",
        ],
    ),
    (
        "google.rs",
        &[
            "Where a robots.txt is valid",
            "HTTP results",
            "Caching",
            "Format",
            "Syntax",
            "Groups",
            "Which group",
            "Path matching",
            "Precedence",
        ],
    ),
    (
        "google_semantics.rs",
        &[
            "§1.1", "§1.2", "§1.3", "§1.4", "§1.5", "§1.6", "§2.1", "§2.2", "§2.3", "§2.4", "§2.5",
            "§2.6", "§3", "§4", "§5", "§6", "§7", "§8", "§9", "§9b", "§10",
        ],
    ),
    ("pitfalls.rs", &["1 to 30"]),
    (
        "koster1996.rs",
        &[
            "§3.1 Access method",
            "§3.2 File format description",
            "§3.2.1 The User-agent line",
            "§3.2.2 The Allow and Disallow lines",
            "§3.3 File format syntax",
            "§3.4 Expiration",
            "§4.1 Backwards compatibility",
            "§4.2 Interoperability",
            "§5 Security considerations",
        ],
    ),
];

/// A part of the page: the source files that it names, and its rows of three
/// cells.
struct Part {
    sources: Vec<String>,
    rows: Vec<[String; 3]>,
}

fn page() -> Vec<Part> {
    let path = support::project().join("docs/developers/specifications.md");
    let text = fs::read_to_string(path).unwrap();
    let parts = text.split("\n## ").skip(1);
    let part = |text: &str| Part {
        sources: quoted(text.split("\n|").next().unwrap())
            .into_iter()
            .filter(|name| name.ends_with(".rs") && !name.contains('/'))
            .collect(),
        rows: text.lines().filter_map(row).collect(),
    };
    parts.map(part).collect()
}

fn row(line: &str) -> Option<[String; 3]> {
    let cells = line.strip_prefix('|')?.strip_suffix('|')?.split('|');
    let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
    let is_head = cells[0] == "section" || cells[0].starts_with('-');
    (!is_head).then(|| cells.try_into().expect("three cells"))
}

/// Returns the texts between backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Returns the names of the tests in a source file.
fn tests_of(source: &str) -> BTreeSet<String> {
    let path = support::project().join("tests/language/spec").join(source);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{source}: {error}"));
    let after = text.split("#[test]\n").skip(1);
    let name = |text: &str| {
        let name = text.trim_start().strip_prefix("fn ").expect("a function");
        name.split('(').next().unwrap().to_owned()
    };
    after.map(name).collect()
}

#[test]
fn every_test_and_every_section_is_on_the_page() {
    let parts = page();
    assert_eq!(parts.len(), SECTIONS.len());
    let mut sources = BTreeSet::from(["mod.rs".to_owned(), "page.rs".to_owned()]);
    for (part, (source, sections)) in parts.iter().zip(SECTIONS) {
        assert!(part.sources.iter().any(|name| name == source), "{source}");
        let exist: BTreeSet<String> = part
            .sources
            .iter()
            .flat_map(|name| tests_of(name))
            .collect();
        let cells = part.rows.iter().flat_map(|row| quoted(&row[2]));
        let named: BTreeSet<String> = cells.collect();
        assert_eq!(named, exist, "of {:?}", part.sources);
        for section in sections {
            let is_of_section = |row: &&[String; 3]| {
                row[0] == *section || row[0].starts_with(&format!("{section} "))
            };
            let rows: Vec<_> = part.rows.iter().filter(is_of_section).collect();
            assert!(!rows.is_empty(), "{section} of {source} is missing");
            assert!(rows.iter().all(|row| !row[1].is_empty()), "{section}");
        }
        sources.extend(part.sources.iter().cloned());
    }
    let all = support::files_below(&support::project().join("tests/language/spec"));
    let all = all
        .iter()
        .map(|path| support::relative(path, &support::project().join("tests/language/spec")));
    assert_eq!(sources, all.collect());
}

#[test]
fn every_heading_of_the_specifications_is_a_section() {
    let Some(specs) = support::shared_data().map(|data| data.join("../specs")) else {
        return;
    };
    let read = |name: &str| fs::read_to_string(specs.join(name)).unwrap();
    let sections = |source: &str| -> Vec<String> {
        let (_, sections) = SECTIONS.iter().find(|part| part.0 == source).unwrap();
        sections
            .iter()
            .map(|section| section.to_lowercase())
            .collect()
    };
    let mut missing = Vec::new();
    let mut check = |source: &str, heading: &str, is_there: &dyn Fn(&str) -> bool| {
        if !sections(source).iter().any(|section| is_there(section)) {
            missing.push(format!("{source}: {heading}"));
        }
    };

    // The internet draft has headings in Markdown, without numbers.
    const NOT_NORMATIVE: [&str; 7] = [
        "robots exclusion protocol, internet draft",
        "abstract",
        "introduction",
        "normative",
        "specification",
        "examples",
        "references",
    ];
    let draft = read("rep-internet-draft.md");
    let headings = draft.lines().filter_map(|line| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.trim().to_lowercase())
    });
    let mut n_headings = 0;
    for heading in headings.filter(|heading| !NOT_NORMATIVE.contains(&heading.as_str())) {
        n_headings += 1;
        check("rfc9309.rs", &heading, &|section| {
            section
                .split_once(' ')
                .is_some_and(|(_, title)| title == heading)
        });
    }

    // The semantics of the parser have numbered headings, and numbered points in §1
    // and §2.
    let semantics = read("google-semantics.md");
    let mut chapter = String::new();
    for line in semantics.lines() {
        if line.starts_with("##") {
            let number = line
                .trim_start_matches('#')
                .trim()
                .split('.')
                .next()
                .unwrap();
            chapter = number.to_owned();
            let number = format!("§{number}");
            n_headings += 1;
            check("google_semantics.rs", &number, &|section| {
                section == number || section.starts_with(&format!("{number}."))
            });
        } else if let Some((number, _)) = line.split_once(". ")
            && number.parse::<u32>().is_ok()
        {
            let number = format!("§{chapter}.{number}");
            n_headings += 1;
            check("google_semantics.rs", &number, &|section| section == number);
        }
    }

    // Koster's draft has a table of contents, quoted as in a mail.
    const NO_RULES: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7", "8"];
    let koster = read("koster-1996-draft-1.txt");
    for line in koster.lines().filter(|line| line.contains(" . . ")) {
        let line = line.trim_start_matches(['>', ' ']);
        let number = line.split(' ').next().unwrap().trim_end_matches('.');
        if NO_RULES.contains(&number) {
            continue;
        }
        n_headings += 1;
        check("koster1996.rs", number, &|section| {
            section.starts_with(&format!("§{number} "))
        });
    }

    // The content of Google's page in English is in paragraphs with a title.
    let page = read("README.md");
    for line in page.lines().filter_map(|line| line.strip_prefix("**")) {
        let title = line.split(".**").next().unwrap().to_lowercase();
        n_headings += 1;
        check("google.rs", &title, &|section| section == title);
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert_eq!(n_headings, 17 + 23 + 8 + 9);
}
