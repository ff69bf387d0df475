//! Verdicts in `rfc9309` and `koster1996`, with expected values that were determined by hand.

use robots::{Evaluator, Parser, Verdict};

/// Returns the verdicts of a name, or of `*` if the file does not contain it, in `rfc9309` and `koster1996`.
fn verdicts(body: &str, agent: &str) -> (Verdict, Verdict) {
    let mut parser = Parser::new();
    let robots = parser.parse(body.as_bytes());
    let rows = Evaluator::new().verdicts(&robots);
    let own = rows.iter().find(|row| row.agent == agent.as_bytes());
    let row = own.unwrap_or(&rows[0]);
    (row.verdict_rfc9309, row.verdict_koster1996)
}

use Verdict::{AllowAll, DisallowAll, Partial};

#[test]
fn rfc9309_requires_exact_keys_and_a_colon() {
    assert_eq!(verdicts("User-agent: *\nDissallow: /\n", "*").0, AllowAll);
    assert_eq!(verdicts("User-agent: *\nDisallowed: /\n", "*").0, AllowAll);
    assert_eq!(verdicts("User-agent: *\nDisallow /\n", "*").0, AllowAll);
    assert_eq!(
        verdicts("User-agent: *\nDISALLOW : /\n", "*").0,
        DisallowAll
    );
    // A misspelled user-agent line does not start a group.
    assert_eq!(
        verdicts(
            "User-agent: a\nDisallow: /a\nUseragent: b\nDisallow: /\n",
            "a"
        )
        .0,
        DisallowAll
    );
}

#[test]
fn rfc9309_ignores_names_that_are_not_tokens() {
    let body = "User-agent: MJ12bot\nDisallow: /\nUser-agent: *\nDisallow: /x\n";
    assert_eq!(verdicts(body, "mj12bot").0, Partial);
    assert_eq!(verdicts(body, "mj").0, Partial);
    // The line still starts a group: the rules do not belong to the previous group.
    assert_eq!(
        verdicts(
            "User-agent: a\nDisallow:\nUser-agent: b 1\nDisallow: /\n",
            "a"
        )
        .0,
        AllowAll
    );
    assert_eq!(verdicts("User-agent: * x\nDisallow: /\n", "*").0, AllowAll);
}

#[test]
fn rfc9309_ignores_values_without_a_slash_and_decodes_the_rest() {
    assert_eq!(verdicts("User-agent: *\nDisallow: *\n", "*").0, AllowAll);
    assert_eq!(
        verdicts("User-agent: *\nDisallow: /%\nAllow: /%25\n", "*").0,
        AllowAll
    );
    assert_eq!(
        verdicts(
            "User-agent: *\nDisallow: /\nAllow: /%61\nDisallow: /a*\n",
            "*"
        )
        .0,
        DisallowAll
    );
    assert_eq!(
        verdicts(
            "User-agent: *\nDisallow: /\nAllow: /%2A\nDisallow: /%2A*\n",
            "*"
        )
        .0,
        DisallowAll
    );
    assert_eq!(
        verdicts(
            "User-agent: *\nDisallow: /\nAllow: /index.html\nDisallow: /index.html*\n",
            "*"
        )
        .0,
        DisallowAll
    );
}

#[test]
fn rfc9309_ignores_the_path_of_a_rule_with_a_nul() {
    assert_eq!(
        verdicts("User-agent: *\nDisallow: /a\0b\n", "*").0,
        AllowAll
    );
}

#[test]
fn koster_ends_records_at_blank_lines() {
    assert_eq!(verdicts("User-agent: *\n\nDisallow: /\n", "*").1, AllowAll);
    assert_eq!(verdicts("User-agent: *\nDisallow: /\n", "*").1, DisallowAll);
    assert_eq!(
        verdicts("User-agent: *\nAllow: /\nDisallow: /x\n", "*").1,
        AllowAll
    );
    assert_eq!(
        verdicts("User-agent: *\nDisallow: /\nAllow: /x\n", "*").1,
        DisallowAll
    );
    assert_eq!(verdicts("User-agent: *\nDisallow: /*\n", "*").1, Partial);
}

#[test]
fn koster_accepts_a_star_as_wildcard_only_if_it_is_alone() {
    assert_eq!(
        verdicts("User-agent: */1.0\nDisallow: /\n", "*").1,
        AllowAll
    );
    assert_eq!(
        verdicts(
            "User-agent: */1.0\nDisallow: /\n\nUser-agent: *\nDisallow: /\n",
            "*"
        )
        .1,
        DisallowAll
    );
}
