//! The slow way to verdicts under `rfc9309`, and tests of both strict dialects.
//!
//! Rules are laid out in symbols of the normal form, and all paths are searched
//! with the automaton of `reach`.

use crate::reach::{self, Limits, OTHER, Reach, Rule};
use crate::rfc9309;
use crate::symbols::{self, Step};
use crate::verdict::Verdict;

/// The merged rules of a crawler, in symbols.
#[derive(Debug, Default)]
pub(crate) struct StrictDecider {
    steps: Vec<Step>,
    rules: Vec<Rule>,
    lines: Vec<u32>,
}

impl StrictDecider {
    /// Adds a rule, its value as written.
    pub(crate) fn add(&mut self, allow: bool, line_no: u32, value: &[u8]) {
        let first = self.steps.len() as u32;
        let Some(priority) = rfc9309::steps(value, &mut self.steps) else {
            return;
        };
        let end = self.steps.len() as u32;
        // The place behind the last step must be the rule's own.
        self.steps.push(Step::End);
        self.rules.push(Rule {
            first,
            end,
            allow,
            priority,
        });
        self.lines.push(line_no);
    }

    fn steps_of(&self, rule: &Rule) -> &[Step] {
        &self.steps[rule.first as usize..rule.end as usize]
    }

    /// Whether a path is allowed, and by which line: the most octets win, the
    /// allow among equals; `/robots.txt` always is (§2.2.2).
    pub(crate) fn access(&self, path: &[u16]) -> (bool, u32) {
        if path == rfc9309::path(b"/robots.txt") {
            return (true, 0);
        }
        let (mut best, mut allowed, mut line_no) = (0, true, 0);
        for (rule, &line) in self.rules.iter().zip(&self.lines) {
            let wins = rule.priority > best || (rule.priority == best && rule.allow && !allowed);
            if wins && symbols::matches(self.steps_of(rule), path) {
                (best, allowed, line_no) = (rule.priority, rule.allow, line);
            }
        }
        (allowed, line_no)
    }

    /// Searches all paths.
    pub(crate) fn verdict(&self) -> Verdict {
        let excluded = rfc9309::path(b"/robots.txt");
        let found = reach::reach(
            &self.steps,
            &self.rules,
            &excluded,
            b'/'.into(),
            OTHER,
            Limits {
                states: 20_000,
                work: 20_000_000,
            },
            &mut 0,
        );
        match found {
            Reach::AllowAll => Verdict::AllowAll,
            Reach::DisallowAll => Verdict::DisallowAll,
            Reach::Both => Verdict::Partial,
            Reach::TooComplex => Verdict::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::is_product_token;
    use crate::{Judge, Key, Parser, Robots};

    /// All groups of the name, else all of `*` (RFC 9309 §2.2.1).
    fn verdict_slowly(robots: &Robots<'_>, agent: &[u8]) -> Verdict {
        let lines = rfc9309::lines(robots);
        let of = |name: &[u8]| -> Vec<u32> {
            let named = lines
                .iter()
                .filter(|it| it.key == Key::UserAgent && it.value.eq_ignore_ascii_case(name));
            named.map(|it| it.group_no).collect()
        };
        let is_token = is_product_token(agent);
        let own = if is_token { of(agent) } else { Vec::new() };
        let groups = if own.is_empty() { of(b"*") } else { own };
        let mut decider = StrictDecider::default();
        for line in lines.iter().filter(|it| it.key != Key::UserAgent) {
            if groups.contains(&line.group_no) {
                decider.add(line.key == Key::Allow, line.line_no, line.value);
            }
        }
        decider.verdict()
    }

    fn verdicts(body: &str, agent: &str) -> (Verdict, Verdict) {
        let mut parser = Parser::new();
        let robots = parser.parse(body.as_bytes());
        let rows = Judge::new().judge(&robots);
        let row = rows
            .iter()
            .find(|row| row.agent == agent.as_bytes())
            .unwrap_or(&rows[0]);
        assert_eq!(
            verdict_slowly(&robots, row.agent),
            row.verdict_rfc9309,
            "{body:?}"
        );
        (row.verdict_rfc9309, row.verdict_koster1996)
    }

    use Verdict::{AllowAll, DisallowAll, Partial};

    #[test]
    fn rfc9309_asks_for_exact_keys_and_a_colon() {
        assert_eq!(verdicts("User-agent: *\nDissallow: /\n", "*").0, AllowAll);
        assert_eq!(verdicts("User-agent: *\nDisallowed: /\n", "*").0, AllowAll);
        assert_eq!(verdicts("User-agent: *\nDisallow /\n", "*").0, AllowAll);
        assert_eq!(
            verdicts("User-agent: *\nDISALLOW : /\n", "*").0,
            DisallowAll
        );
        // A misspelt user-agent line does not part groups.
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
    fn rfc9309_takes_no_names_that_are_no_tokens() {
        let body = "User-agent: MJ12bot\nDisallow: /\nUser-agent: *\nDisallow: /x\n";
        assert_eq!(verdicts(body, "mj12bot").0, Partial);
        assert_eq!(verdicts(body, "mj").0, Partial);
        // It still begins a group: the rules are not those of the one before.
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
    fn rfc9309_has_no_path_for_a_rule_with_a_nul() {
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
    fn koster_takes_a_star_for_everybody_only_where_it_stands_alone() {
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

    #[test]
    fn rfc9309_agrees_with_brute_force() {
        let mut seed = 0x2545_f491_4f6c_dd1du64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        for _ in 0..3000 {
            let mut decider = StrictDecider::default();
            let mut shown = String::new();
            for _ in 0..1 + random(5) {
                let mut text = String::from(["/", "/", "/*"][random(3)]);
                for _ in 0..random(4) {
                    text.push_str(["a", "%61", "*", "/", "%2F", "%2A", "é"][random(7)]);
                }
                if random(5) == 0 {
                    text.push('$');
                }
                let allow = random(2) == 0;
                shown.push_str(&format!("allow: {allow} {text}\n"));
                decider.add(allow, 1, text.as_bytes());
            }
            let alphabet = [
                u16::from(b'a'),
                b'/'.into(),
                b'*'.into(),
                symbols::encoded(b'/'),
                symbols::encoded(b'*'),
                symbols::encoded(0xc3),
                symbols::encoded(0xa9),
                OTHER,
            ];
            let mut paths = vec![vec![u16::from(b'/')]];
            let (mut allowed, mut disallowed) = (false, false);
            for _ in 0..5 {
                for path in &paths {
                    if decider.access(path).0 {
                        allowed = true
                    } else {
                        disallowed = true
                    }
                }
                paths = paths
                    .iter()
                    .flat_map(|path| alphabet.map(|it| [path.as_slice(), &[it]].concat()))
                    .collect();
            }
            let brute = match (allowed, disallowed) {
                (true, true) => Partial,
                (true, false) => AllowAll,
                _ => DisallowAll,
            };
            // Long patterns need longer paths than were tried: then both answers may exist all the same.
            let verdict = decider.verdict();
            assert!(
                verdict == brute || (verdict == Partial && brute != Partial && shown.contains('é')),
                "{verdict:?} {brute:?}\n{shown}"
            );
        }
    }

    #[test]
    fn a_policy_agrees_with_looking_at_each_rule() {
        let mut seed = 0x1234_5678_9abc_def1u64;
        let mut random = move |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        let words = [
            "a", "/", "*", "$", "%24", "%2A", "%2f", "%61", "%", "\u{e9}", "%C3", " ", "%20", "%25",
        ];
        for turn in 0..2000 {
            let mut body = String::from("User-agent: a\n");
            let mut decider = StrictDecider::default();
            for nth in 0..1 + random(if turn % 4 == 0 { 100 } else { 6 }) {
                let mut text = String::from("/");
                for _ in 0..random(5) {
                    text.push_str(words[random(words.len())]);
                }
                let (allow, text) = (random(2) == 0, text.trim_end());
                let key = if allow { "Allow" } else { "Disallow" };
                body.push_str(&format!("{key}: {text}\n"));
                decider.add(allow, nth as u32 + 2, text.as_bytes());
            }
            let mut parser = Parser::new();
            let robots = parser.parse(body.as_bytes());
            let policy = crate::Policy::new(crate::Dialect::Rfc9309, &robots, b"A");
            assert_eq!(policy.verdict(), decider.verdict(), "{body}");
            for _ in 0..80 {
                let mut path = String::from("/");
                for _ in 0..random(6) {
                    path.push_str(words[random(words.len())]);
                }
                let access = policy.access_path(path.as_bytes());
                let expected = decider.access(&rfc9309::path(path.as_bytes()));
                assert_eq!(
                    (access.is_allowed, access.line_no),
                    expected,
                    "{path} {body}"
                );
            }
        }
    }
}
