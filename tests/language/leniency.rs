//! Leniency impacts compared with their definition in `tests/checks/oracle/leniency.rs`.

use checks::{WHOLE, dialects};
use robots::{Evaluator, LeniencyImpact, Parser};
use support::series::Series;

/// Lines that interact: several names, groups and lengths, and every leniency.
pub(crate) const LINES: [&str; 36] = [
    "User-agent: *",
    "User-agent: a",
    "User-agent: b",
    "User-agent: B2",
    "User-agent: a/1.0",
    "User-agent: * x",
    "User-agent: *\x0b",
    "Useragent: b",
    "User-agent a",
    "Disallow: /",
    "Disallow /",
    "Disallow: *",
    "Disallow: /**",
    "Disallow: /\x0b",
    "Dissallow: /a",
    "Disallow: /a",
    "Disallow: /a*",
    "Disallow: /index.html*",
    "Disallow: /index.html**",
    "Disallow:",
    "Disallowed: /b",
    "Disallow: /a\0b",
    "Disallow: /a\0",
    "Disallow: a",
    "Allow: /",
    "Allow: /a",
    "Allow: /a\x0c",
    "Allow /b",
    "Allow: */a",
    "Allow: /$",
    "Allow: /index.html",
    "Allow: /index.html\x0b",
    "Allow: /index.htm\x0b",
    "Allow: /a/index.htm\0x",
    "Allowed: /index.html",
    "",
];

fn compare(body: &[u8]) -> usize {
    let mut parser = Parser::new();
    let robots = parser.parse_with(body, WHOLE);
    let rows = Evaluator::new().verdicts(&robots);
    dialects::assert_impacts(&robots, WHOLE, &rows);
    Evaluator::new().leniency_impacts(&robots, &rows).len()
}

#[test]
fn changes_of_verdicts_equal_those_of_the_definition_on_random_files() {
    let series = Series::new();
    let (mut random, mut compared) = (series.random(4), 0);
    let files = series.count(300_000);
    for _ in 0..files {
        let lines = (0..1 + random.below(8)).map(|_| LINES[random.below(LINES.len())]);
        let body = lines.collect::<Vec<_>>().join("\n");
        let mark: &[u8] = [&b""[..], b"", b"\xef", b"\xef\xbb"][random.below(4)];
        compared += compare(&[mark, body.as_bytes()].concat());
    }
    assert!(compared > files / 2, "only {compared} lines were compared");
}

#[test]
fn a_verdict_may_depend_on_two_effects_of_one_line() {
    // As written, line 3 is longer by a vertical tab and allows no folder.
    let body = "User-agent: *\nDisallow: /\nAllow: /index.html\x0B\nDisallow: /index.html**\n";
    let mut parser = Parser::new();
    let robots = parser.parse(body.as_bytes());
    let rows = Evaluator::new().verdicts(&robots);
    let expected = LeniencyImpact {
        line_no: 3,
        changes_verdict: Some(true),
    };
    assert_eq!(
        Evaluator::new().leniency_impacts(&robots, &rows),
        [expected]
    );
    assert_eq!(compare(body.as_bytes()), 1);
}
