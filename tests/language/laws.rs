//! Laws: properties that hold for every file, such as changes that keep all answers. They are tested on
//! typical files and on arbitrary bytes.

mod files;

use checks::oracle::lines as line_oracle;
use checks::{WHOLE, dialects, parser, verdicts};
use files::{Group, NAMES, Rule, body, body_of, bytes, group, groups, lines, plain_rule, urls};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use robots::{AgentVerdict, Basis, Dialect, Evaluator, ParseOptions, Parser, Policy, Verdict};
use std::hash::Hasher;
use support::series::Series;

/// Lines without an effect.
const COMMENTS: [&str; 3] = ["# x", " #User-agent: *", "#\tDisallow: /"];

/// The dialects without records.
const MERGING: [Dialect; 2] = [Dialect::Google, Dialect::Rfc9309];

/// Returns the answers of a file for each dialect, name and URL.
fn answers(
    body: &[u8],
    reading: ParseOptions,
    dialects: &[Dialect],
    agents: &[&str],
    urls: &[String],
) -> Vec<(bool, u32)> {
    let mut parser = Parser::new();
    let robots = parser.parse_with(body, reading);
    let mut answers = Vec::new();
    for &dialect in dialects {
        for agent in agents {
            let policy = Policy::new(dialect, &robots, agent.as_bytes());
            answers.extend(urls.iter().map(|url| {
                let access = policy.access(url.as_bytes());
                (access.is_allowed, access.line_no.unwrap_or(0))
            }));
        }
    }
    answers
}

fn allowed(answers: &[(bool, u32)]) -> Vec<bool> {
    answers.iter().map(|answer| answer.0).collect()
}

/// Returns the verdicts of a file as text.
fn judged(body: &[u8], reading: ParseOptions, row: fn(&AgentVerdict<'_>) -> String) -> Vec<String> {
    let mut parser = Parser::new();
    let robots = parser.parse_with(body, reading);
    let mut rows: Vec<String> = Evaluator::new().verdicts(&robots).iter().map(row).collect();
    rows.sort();
    rows
}

/// Returns all values of a row as text.
fn whole_row(row: &AgentVerdict<'_>) -> String {
    format!("{row:?}")
}

/// Returns all values of a row as text, except for the class of a body without groups: it is that of
/// the whole body, whatever the limit.
fn row_of_lines(row: &AgentVerdict<'_>) -> String {
    whole_row(&AgentVerdict {
        basis: basis_of_lines(row),
        ..row.clone()
    })
}

/// Returns the basis, without the class of a body that addresses no crawler.
fn basis_of_lines(row: &AgentVerdict<'_>) -> Basis {
    match row.basis {
        Basis::Empty | Basis::Html | Basis::Binary => Basis::NoRules,
        basis => basis,
    }
}

/// Returns the values of a row for the dialects without records, without line numbers.
fn merged_row(row: &AgentVerdict<'_>) -> String {
    format!(
        "{} {:?} {:?} {:?} {:?} {}",
        row.agent.escape_ascii(),
        row.verdict,
        row.verdict_google,
        row.verdict_rfc9309,
        basis_of_lines(row),
        row.is_root_allowed
    )
}

/// Returns the same with the verdict of `koster1996`.
fn verdict_row(row: &AgentVerdict<'_>) -> String {
    format!("{} {:?}", merged_row(row), row.verdict_koster1996)
}

/// Returns the verdict that an answer contradicts.
fn denied_by(policy: &Policy, url: &str) -> Verdict {
    if policy.access(url.as_bytes()).is_allowed {
        Verdict::DisallowAll
    } else {
        Verdict::AllowAll
    }
}

fn id(body: &[u8], reading: ParseOptions) -> u64 {
    let mut parser = Parser::new();
    let robots = parser.parse_with(body, reading);
    Evaluator::new().evaluate(&robots).fingerprint(|bytes| {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(bytes);
        hasher.finish()
    })
}

/// Returns answers with the line numbers from before lines were inserted. `moved[n]` is the new number of
/// line `n + 1`.
fn moved(answers: &[(bool, u32)], moved: &[u32]) -> Vec<(bool, u32)> {
    let to = |line_no: u32| match line_no {
        0 => 0,
        _ => moved[line_no as usize - 1],
    };
    answers
        .iter()
        .map(|&(is_allowed, line_no)| (is_allowed, to(line_no)))
        .collect()
}

/// Inserts lines. Returns the new numbers of the old lines.
fn with_lines(lines: &[String], put: &[(Index, &str)]) -> (Vec<String>, Vec<u32>) {
    let mut all: Vec<(Option<usize>, String)> = lines
        .iter()
        .cloned()
        .enumerate()
        .map(|(i, line)| (Some(i), line))
        .collect();
    for (position, line) in put {
        all.insert(position.index(all.len() + 1), (None, (*line).to_owned()));
    }
    let mut moved = vec![0; lines.len()];
    for (line_no, (i, _)) in (1..).zip(&all) {
        if let Some(i) = i {
            moved[*i] = line_no;
        }
    }
    (all.into_iter().map(|(_, line)| line).collect(), moved)
}

/// Changes the case of letters according to `flips`, which is repeated.
fn with_case(text: &str, flips: &[bool]) -> String {
    let flip = |(letter, flip): (char, &bool)| match letter {
        letter if !flip => letter,
        letter if letter.is_ascii_lowercase() => letter.to_ascii_uppercase(),
        letter => letter.to_ascii_lowercase(),
    };
    text.chars().zip(flips.iter().cycle()).map(flip).collect()
}

/// Changes the case of the hex digits of `%xx`.
fn with_hex_case(text: &str, flips: &[bool]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(percent) = rest.find('%') {
        let (before, after) = rest.split_at(percent + 1);
        out.push_str(before);
        let is_hex = after.len() > 1 && after.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit);
        let (digits, after) = after.split_at(if is_hex { 2 } else { 0 });
        out.push_str(&with_case(digits, flips));
        rest = after;
    }
    out + rest
}

/// The configuration of a long series.
fn config() -> ProptestConfig {
    let series = Series::new();
    ProptestConfig {
        rng_seed: RngSeed::Fixed(series.random(9).below(1 << 30) as u64),
        cases: series.count(25_000) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes_are_parsed_consistently(any in vec(any::<u8>(), 0..300), words in bytes()) {
        for body in [any, words] {
            parser::check(&body);
            dialects::check(&body);
            dialects::check(&[b"FooBot\nhttp://h/a?b\n", body.as_slice()].concat());
        }
    }

    #[test]
    fn the_product_agrees_with_the_oracles_on_realistic_files(
        lines in lines(), agent in select(&NAMES[..]), urls in urls()
    ) {
        parser::check(&body(&lines));
        for url in &urls {
            let head = format!("{agent}\n{url}\n").into_bytes();
            dialects::check(&[head, body(&lines)].concat());
        }
    }

    #[test]
    fn a_verdict_contradicts_no_answer_for_short_paths(
        rules in vec(("[+-]", "[/*]", "[ab/*A]{0,3}", "[$]?"), 1..5)
    ) {
        let set: String = rules.iter().map(|(a, b, c, d)| format!("{a}{b}{c}{d}\n")).collect();
        // First the exact check, then all short paths.
        verdicts::check(set.as_bytes());
        let rule = |(sign, first, middle, last): &(String, String, String, String)| {
            let key = if sign == "+" { "Allow" } else { "Disallow" };
            format!("{key}: {first}{}{last}\n", middle.replace('A', "%2A"))
        };
        let body = format!("User-agent: *\n{}", rules.iter().map(rule).collect::<String>());
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let row = Evaluator::new().verdicts(&robots).remove(0);
        for (dialect, verdict) in [
            (Dialect::Google, row.verdict_google),
            (Dialect::Rfc9309, row.verdict_rfc9309),
            (Dialect::Koster1996, row.verdict_koster1996),
        ] {
            let policy = Policy::new(dialect, &robots, b"x");
            let mut paths = vec![String::from("/")];
            for _ in 0..4 {
                for path in &paths {
                    let denied = denied_by(&policy, &format!("http://h{path}"));
                    prop_assert_ne!(verdict, denied, "{:?} {} {}", dialect, path, body);
                    prop_assert_ne!(verdict, Verdict::Unknown);
                }
                let letters = ["a", "b", "/", "*", "z"];
                let longer = |path: &String| letters.map(|letter| format!("{path}{letter}"));
                paths = paths.iter().flat_map(longer).collect();
            }
        }
    }

    #[test]
    fn cr_lf_and_crlf_are_equivalent(
        lines in lines(), urls in urls(), ends in vec(0..3usize, 1..20), is_ended in any::<bool>()
    ) {
        let with = |end: &dyn Fn(usize) -> &'static str| {
            let mut body = String::new();
            for (i, line) in lines.iter().enumerate() {
                body.push_str(line);
                if is_ended || i + 1 < lines.len() {
                    body.push_str(end(i));
                }
            }
            body.into_bytes()
        };
        let is_empty = |i: usize| lines.get(i).is_some_and(String::is_empty);
        let lf = with(&|_| "\n");
        let mixed = with(&|i| match ends[i % ends.len()] {
            // An LF after an empty line would belong to the CR before it.
            0 if !is_empty(i) => "\n",
            1 => "\r\n",
            _ => "\r",
        });
        let read = |body: &[u8]| {
            let mut parser = Parser::new();
            let robots = parser.parse_with(body, WHOLE);
            let text = |span| String::from_utf8_lossy(robots.text(span)).into_owned();
            let lines = robots.directives().iter();
            let directives = lines.map(|directive| {
                let numbers = (directive.line_no, directive.group_no(), directive.record_no);
                (numbers, directive.kind, text(directive.key_raw), text(directive.value))
            });
            directives.collect::<Vec<_>>()
        };
        for body in [with(&|_| "\r\n"), with(&|_| "\r"), mixed] {
            prop_assert_eq!(read(&body), read(&lf));
            prop_assert_eq!(
                answers(&body, WHOLE, &Dialect::ALL, &NAMES, &urls),
                answers(&lf, WHOLE, &Dialect::ALL, &NAMES, &urls)
            );
            prop_assert_eq!(judged(&body, WHOLE, whole_row), judged(&lf, WHOLE, whole_row));
            prop_assert_eq!(id(&body, WHOLE), id(&lf, WHOLE));
        }
    }

    #[test]
    fn the_order_of_groups_is_irrelevant(
        (groups, shuffled) in
            groups().prop_flat_map(|groups| (Just(groups.clone()), Just(groups).prop_shuffle())),
        urls in urls()
    ) {
        let (one, other) = (body_of(&groups), body_of(&shuffled));
        let answers = |body: &[u8]| allowed(&answers(body, WHOLE, &MERGING, &NAMES, &urls));
        prop_assert_eq!(answers(&one), answers(&other));
        prop_assert_eq!(judged(&one, WHOLE, merged_row), judged(&other, WHOLE, merged_row));
        prop_assert_eq!(id(&one, WHOLE), id(&other, WHOLE));
    }

    #[test]
    fn groups_of_the_same_names_are_merged(
        groups in groups(), position in any::<Index>(), urls in urls()
    ) {
        let parted: Vec<Group> = groups.iter().flat_map(|group| {
            let (first, second) = group.rules.split_at(position.index(group.rules.len()));
            let part = |rules: &[Rule]| Group { rules: rules.to_vec(), ..group.clone() };
            // A misspelled rule would leave the first part open.
            let keys = ["Allow:", "Disallow:", "Allow :"];
            if first.iter().any(|rule| keys.contains(&rule.key)) {
                vec![part(first), part(second)]
            } else {
                vec![part(&group.rules)]
            }
        }).collect();
        let (one, other) = (body_of(&groups), body_of(&parted));
        let answers = |body: &[u8]| allowed(&answers(body, WHOLE, &MERGING, &NAMES, &urls));
        prop_assert_eq!(answers(&one), answers(&other));
        prop_assert_eq!(judged(&one, WHOLE, merged_row), judged(&other, WHOLE, merged_row));
        prop_assert_eq!(id(&one, WHOLE), id(&other, WHOLE));
    }

    #[test]
    fn comments_and_sitemaps_change_no_answer(
        lines in lines(),
        comments in vec((any::<Index>(), select(&COMMENTS[..])), 0..6),
        sitemaps in vec(any::<Index>(), 0..3),
        behind in vec(any::<bool>(), 1..9),
        urls in urls()
    ) {
        let behind = behind.iter().cycle();
        let commented: Vec<String> = lines.iter().zip(behind).map(|(line, &has)| {
            // After an empty line, a comment would make the line non-blank.
            let is_put = has && !line.trim().is_empty();
            if is_put { format!("{line} # Allow: /") } else { line.clone() }
        }).collect();
        let before = answers(&body(&lines), WHOLE, &Dialect::ALL, &NAMES, &urls);
        let (with_comments, went) = with_lines(&commented, &comments);
        let with_comments = body(&with_comments);
        prop_assert_eq!(
            answers(&with_comments, WHOLE, &Dialect::ALL, &NAMES, &urls),
            moved(&before, &went)
        );
        prop_assert_eq!(
            judged(&with_comments, WHOLE, verdict_row),
            judged(&body(&lines), WHOLE, verdict_row)
        );

        let sitemaps: Vec<(Index, &str)> =
            sitemaps.into_iter().map(|position| (position, "Sitemap: http://h/s")).collect();
        let (with_sitemaps, went) = with_lines(&lines, &sitemaps);
        let with_sitemaps = body(&with_sitemaps);
        let before = answers(&body(&lines), WHOLE, &MERGING, &NAMES, &urls);
        prop_assert_eq!(
            answers(&with_sitemaps, WHOLE, &MERGING, &NAMES, &urls),
            moved(&before, &went)
        );
        for other in [with_comments, with_sitemaps] {
            let before = body(&lines);
            prop_assert_eq!(judged(&other, WHOLE, merged_row), judged(&before, WHOLE, merged_row));
            prop_assert_eq!(id(&other, WHOLE), id(&before, WHOLE));
        }
    }

    #[test]
    fn the_case_of_keys_and_names_is_irrelevant(
        lines in lines(), flips in vec(any::<bool>(), 1..20), urls in urls()
    ) {
        let flipped: Vec<String> = lines.iter().map(|line| {
            let key = line.find([':', ' ']).unwrap_or(0);
            let (key, value) = line.split_at(key);
            let is_agent = key.eq_ignore_ascii_case("User-agent");
            let value = if is_agent { with_case(value, &flips) } else { value.to_owned() };
            with_case(key, &flips) + &value
        }).collect();
        let names = NAMES.map(|name| with_case(name, &flips));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (one, other) = (body(&lines), body(&flipped));
        let before = answers(&one, WHOLE, &Dialect::ALL, &NAMES, &urls);
        prop_assert_eq!(&answers(&other, WHOLE, &Dialect::ALL, &NAMES, &urls), &before);
        prop_assert_eq!(&answers(&other, WHOLE, &Dialect::ALL, &names, &urls), &before);
        prop_assert_eq!(judged(&one, WHOLE, whole_row), judged(&other, WHOLE, whole_row));
        prop_assert_eq!(id(&one, WHOLE), id(&other, WHOLE));
    }

    #[test]
    fn a_repeated_rule_changes_nothing(
        groups in vec(group(), 1..5), group in any::<Index>(), rule in any::<Index>(),
        position in any::<Index>(), urls in urls()
    ) {
        let mut again = groups.clone();
        let group = &mut again[group.index(groups.len())];
        // An inserted line would move the following lines.
        group.others.clear();
        let plain = group.clone();
        let from = rule.index(group.rules.len());
        let to = from + 1 + position.index(group.rules.len() - from);
        group.rules.insert(to, group.rules[from].clone());
        let of = |group: &Group| body_of(std::slice::from_ref(group));
        let (one, other) = (of(&plain), of(group));
        let before = answers(&one, WHOLE, &Dialect::ALL, &NAMES, &urls);
        let went: Vec<u32> = (1..=plain.lines().len()).map(|line_no| {
            (line_no + usize::from(line_no > plain.agents.len() + to)) as u32
        }).collect();
        prop_assert_eq!(
            answers(&other, WHOLE, &Dialect::ALL, &NAMES, &urls),
            moved(&before, &went)
        );
        prop_assert_eq!(judged(&one, WHOLE, verdict_row), judged(&other, WHOLE, verdict_row));
        prop_assert_eq!(id(&one, WHOLE), id(&other, WHOLE));

        // For dialects that merge groups, the position of a group does not matter.
        let copy = group.rules[from].clone();
        group.rules.remove(to);
        group.rules.insert(position.index(from + 1), copy);
        let (mut once, again) = (again.clone(), again);
        for group in &mut once {
            group.rules.dedup_by(|a, b| a.key == b.key && a.path == b.path);
        }
        let answers = |body: &[u8]| allowed(&answers(body, WHOLE, &MERGING, &NAMES, &urls));
        prop_assert_eq!(answers(&body_of(&once)), answers(&body_of(&again)));
        prop_assert_eq!(id(&body_of(&once), WHOLE), id(&body_of(&again), WHOLE));
    }

    #[test]
    fn rules_for_other_crawlers_change_nothing_for_a_named_crawler(
        groups in groups(), own in group(), position in any::<Index>(), put in any::<Index>(),
        rule in plain_rule(), urls in urls()
    ) {
        let mut groups = groups;
        let own = Group { agents: vec!["ExampleBot"], ..own };
        groups.insert(position.index(groups.len() + 1), own);
        let place = put.index(groups.len());
        let mut told = groups.clone();
        let (agents, rules) = (vec!["OtherBot"], vec![rule.clone()]);
        told.insert(place, Group { agents, rules, others: Vec::new() });
        let ask = |groups: &[Group]| {
            allowed(&answers(&body_of(groups), WHOLE, &Dialect::ALL, &["ExampleBot"], &urls))
        };
        prop_assert_eq!(ask(&told), ask(&groups));
        let mut told = groups.clone();
        if told[place].agents != ["ExampleBot"] {
            told[place].rules.push(rule);
        }
        prop_assert_eq!(ask(&told), ask(&groups));
    }

    #[test]
    fn a_verdict_is_sound_for_any_url(lines in lines(), paths in vec("[/a-b*$%.?;2Fé]{0,12}", 8)) {
        let body = body(&lines);
        let mut parser = Parser::new();
        let robots = parser.parse_with(&body, WHOLE);
        for row in Evaluator::new().verdicts(&robots) {
            for (dialect, verdict) in [
                (Dialect::Google, row.verdict_google),
                (Dialect::Rfc9309, row.verdict_rfc9309),
                (Dialect::Koster1996, row.verdict_koster1996),
            ] {
                let policy = Policy::new(dialect, &robots, row.agent);
                for path in &paths {
                    let denied = denied_by(&policy, &format!("http://h/{path}"));
                    prop_assert_ne!(verdict, denied, "{:?} {} {:?}", dialect, path, row);
                }
            }
        }
    }

    #[test]
    fn the_case_of_percent_encoding_is_irrelevant(
        lines in lines(), flips in vec(any::<bool>(), 1..20), urls in urls()
    ) {
        let flipped: Vec<String> = lines.iter().map(|line| with_hex_case(line, &flips)).collect();
        let (one, other) = (body(&lines), body(&flipped));
        // Google's parser does not normalize URLs.
        prop_assert_eq!(
            answers(&one, WHOLE, &Dialect::ALL, &NAMES, &urls),
            answers(&other, WHOLE, &Dialect::ALL, &NAMES, &urls)
        );
        let flipped: Vec<String> = urls.iter().map(|url| with_hex_case(url, &flips)).collect();
        let strict = [Dialect::Rfc9309, Dialect::Koster1996];
        prop_assert_eq!(
            answers(&one, WHOLE, &strict, &NAMES, &urls),
            answers(&one, WHOLE, &strict, &NAMES, &flipped)
        );
        prop_assert_eq!(judged(&one, WHOLE, whole_row), judged(&other, WHOLE, whole_row));
        prop_assert_eq!(id(&one, WHOLE), id(&other, WHOLE));
    }

    #[test]
    fn a_body_limit_ends_at_the_last_line_end_within_it(
        lines in lines(), ends in vec(0..3usize, 1..9), limit in any::<Index>(), urls in urls()
    ) {
        let ends = ends.iter().cycle().map(|&end| ["\n", "\r", "\r\n"][end]);
        let ended = lines.iter().zip(ends).map(|(line, end)| [line, end].concat());
        let body = ended.collect::<String>().into_bytes();
        let limit = limit.index(body.len() + 1);
        let limited = ParseOptions { body_limit: Some(limit as u64), is_truncated: false };
        let last = line_oracle::lines(&body).into_iter().rfind(|line| line.end <= limit);
        let prefix = &body[..last.map_or(0, |line| line.end)];
        // The last line of a truncated body does not count, unless it is complete.
        let cut = &body[..limit];
        let truncated = ParseOptions { body_limit: None, is_truncated: true };
        let whole = cut.iter().rposition(|byte| b"\r\n".contains(byte));
        let whole = &cut[..whole.map_or(0, |last| last + 1)];
        for (body, reading, same) in [(body.as_slice(), limited, prefix), (cut, truncated, whole)] {
            prop_assert_eq!(
                answers(body, reading, &Dialect::ALL, &NAMES, &urls),
                answers(same, WHOLE, &Dialect::ALL, &NAMES, &urls)
            );
            prop_assert_eq!(
                judged(body, reading, row_of_lines),
                judged(same, WHOLE, row_of_lines)
            );
            prop_assert_eq!(id(body, reading), id(same, WHOLE));
        }
    }
}
