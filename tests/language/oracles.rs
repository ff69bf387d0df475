//! The language compared with the oracles in `tests/checks/oracle/` on random inputs. `fuzz_corpus` runs the same
//! checks on the corpora of the fuzzers.
//!
//! `docs/developers/testing.md` states what each oracle shares with the product.

use super::leniency::LINES;
use checks::oracle::fingerprint::fingerprint;
use checks::{WHOLE, automaton, dialects, parser, verdicts};
use robots::{Evaluator, Parser};
use std::hash::Hasher;
use support::series::Series;
use support::{Random, project};

/// Returns a set of rules in the language of `checks/rule_set.rs`.
fn rule_set(random: &mut Random) -> Vec<u8> {
    let letters = b"/ab*$.?%2ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut text = Vec::new();
    for _ in 0..1 + random.below(6) {
        text.push(b"+-=!"[random.below(20).min(3)]);
        for _ in 0..random.below(7) {
            text.push(letters[random.below(letters.len())]);
        }
        text.push(b'\n');
    }
    text
}

fn file(random: &mut Random) -> Vec<u8> {
    let lines = (0..1 + random.below(9)).map(|_| LINES[random.below(LINES.len())]);
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

#[test]
fn verdicts_equal_a_search_of_all_paths_on_random_rules() {
    let series = Series::new();
    let mut random = series.random(5);
    for _ in 0..series.count(30_000) {
        verdicts::check(&rule_set(&mut random));
    }
}

#[test]
fn the_compiled_matcher_equals_its_oracle_on_random_rules() {
    let series = Series::new();
    let mut random = series.random(6);
    for _ in 0..series.count(20_000) {
        automaton::check(&rule_set(&mut random));
    }
}

#[test]
fn policies_and_verdicts_equal_their_oracles_on_random_files() {
    let series = Series::new();
    let mut random = series.random(7);
    for _ in 0..series.count(100_000) {
        let agent = ["a", "b", "B2", "b2", "x", "a/1.0"][random.below(6)];
        let path = ["/", "/a", "/ab", "/index.html", "/robots.txt", "/a%62"][random.below(6)];
        let head = format!("{agent}\nhttp://h{path}\n");
        let body = file(&mut random);
        parser::check(&body);
        dialects::check(&[head.as_bytes(), &body].concat());
    }
}

#[test]
fn fingerprints_equal_those_of_the_definition() {
    let hash = |bytes: &[u8]| {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(bytes);
        hasher.finish()
    };
    let extra = [
        "User-agent: !x",
        "User-agent: ~",
        "Allow: /abcdefg",
        "Allow: /abcdefh",
        "Allow: /\u{e9}",
    ];
    let series = Series::new();
    let mut random = series.random(8);
    for _ in 0..series.count(500_000) {
        let lines: Vec<&str> = (0..random.below(12))
            .map(|_| match random.below(LINES.len() + extra.len()) {
                i if i < extra.len() => extra[i],
                i => LINES[i - extra.len()],
            })
            .collect();
        let body = lines.join("\n");
        let mut parser = Parser::new();
        let robots = parser.parse_with(body.as_bytes(), WHOLE);
        assert_eq!(
            Evaluator::new().evaluate(&robots).fingerprint(hash),
            fingerprint(body.as_bytes(), WHOLE, hash),
            "{body:?}"
        );
    }
}

#[test]
fn oracles_share_no_function_of_the_product() {
    // Types of answers may be shared. A shared function would be compared with itself.
    let types = ["Dialect", "DirectiveKind", "ParseOptions", "Verdict"];
    for entry in std::fs::read_dir(project().join("tests/checks/oracle")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.starts_with("use ")) {
            let Some(names) = line.strip_prefix("use robots::") else {
                let is_type = line == "use warc::Integrity;";
                let is_product = line.starts_with("use scan") || line.starts_with("use warc");
                assert!(!is_product || is_type, "{}: {line}", path.display());
                continue;
            };
            for name in names
                .trim_end_matches(';')
                .trim_matches(['{', '}'])
                .split(", ")
            {
                assert!(types.contains(&name), "{}: {name}", path.display());
            }
        }
        for path_in_code in ["robots::", "scan::", "warc::"] {
            let uses = text
                .lines()
                .filter(|line| !line.starts_with("use ") && !line.trim_start().starts_with("//"));
            for line in uses {
                assert!(!line.contains(path_in_code), "{}: {line}", path.display());
            }
        }
    }
}
