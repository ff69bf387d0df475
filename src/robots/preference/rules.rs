//! The statements that concern one crawler, and the preference for each URL.

use super::statement::read_statement;
use super::vocabulary::{Preferences, Vocabulary};
use super::{Mechanism, Preference, statement_mechanism};
use crate::dialect::{Dialect, rfc9309};
use crate::document::{Directive, RobotsTxt};
use crate::pattern::compiled::{CompiledRules, PatternPart};
use crate::pattern::percent::{PatternStep, matches_symbols};
use crate::pattern::{self, iter_pattern_parts};

/// A pattern that matches no path, since paths begin with `/`.
const NO_PATH: [PatternPart; 1] = [PatternPart::Octet(0)];

/// The statements of one mechanism in the groups of a crawler, for many URLs.
///
/// The statement with the longest path decides, as among rules. Statements whose paths are equally
/// long are combined (draft-ietf-aipref-attach, "Content-Usage Rule Semantics"). A statement
/// without a path concerns all paths, and any other path is longer.
#[derive(Debug, Default)]
pub(crate) struct PreferenceRules {
    /// The longest path first, then in the order of the file.
    statements: Vec<Statement>,
    /// The paths of `statements`, in the same order.
    compiled: CompiledRules,
    /// True if the path of some statement could not be compiled.
    has_uncompiled: bool,
}

/// The statement of a line.
#[derive(Debug)]
struct Statement {
    line_no: u32,
    /// The value of the line.
    value: Vec<u8>,
    /// The number of octets of its path in the form of the dialect; 0 without a path.
    length: u32,
    path: PathPattern,
}

/// The path of a statement in the form of a dialect.
#[derive(Debug)]
enum PathPattern {
    /// All paths.
    Any,
    /// No path.
    Nothing,
    /// The escaped path.
    Google(Vec<u8>),
    /// The path in normal form.
    Rfc9309 {
        steps: Vec<PatternStep>,
        /// True if the steps are also in [`PreferenceRules::compiled`].
        is_compiled: bool,
    },
}

impl PreferenceRules {
    /// Gathers the statements of a mechanism among the lines for which `is_in_groups` returns true.
    /// `koster1996` has no statements.
    pub(crate) fn new(
        dialect: Dialect,
        mechanism: Mechanism,
        robots_txt: &RobotsTxt<'_>,
        is_in_groups: impl Fn(&Directive) -> bool,
    ) -> Self {
        let lines = robots_txt.directives().iter().filter(|line| {
            line.counts
                && statement_mechanism(robots_txt, line) == Some(mechanism)
                && is_in_groups(line)
        });
        let statements = lines.filter_map(|line| Statement::new(dialect, robots_txt, line));
        let mut rules = Self {
            statements: statements.collect(),
            ..Self::default()
        };
        rules
            .statements
            .sort_by_key(|statement| u32::MAX - statement.length);
        rules.compile();
        rules
    }

    fn compile(&mut self) {
        let mut parts = Vec::new();
        for statement in &mut self.statements {
            match &mut statement.path {
                PathPattern::Any => self.compiled.push(std::iter::empty()),
                PathPattern::Nothing => self.compiled.push(NO_PATH.into_iter()),
                PathPattern::Google(pattern) => {
                    self.compiled.push(iter_pattern_parts(pattern, false));
                }
                PathPattern::Rfc9309 { steps, is_compiled } => {
                    parts.clear();
                    *is_compiled = rfc9309::push_parts(steps, &mut parts);
                    if *is_compiled {
                        self.compiled.push(parts.iter().copied());
                    } else {
                        self.has_uncompiled = true;
                        self.compiled.push(NO_PATH.into_iter());
                    }
                }
            }
        }
    }

    /// Returns the preference for a path, and the line of a statement that decides, if there is
    /// one. `path` is the path as in the URL, and `octets` the form that compiled patterns of the
    /// dialect match.
    pub(crate) fn find_preference(
        &self,
        vocabulary: &Vocabulary,
        category: usize,
        path: &[u8],
        octets: &[u8],
    ) -> (Preference, Option<u32>) {
        let mut first = self.compiled.find_first(octets);
        if self.has_uncompiled {
            let end = first.unwrap_or(self.statements.len());
            let before = &self.statements[..end];
            let longer = before.iter().position(|statement| {
                statement.is_uncompiled() && statement.is_match(path, octets)
            });
            first = longer.or(first);
        }
        let Some(first) = first else {
            return (Preference::Unknown, None);
        };
        let length = self.statements[first].length;
        let tied = self.statements[first..]
            .iter()
            .take_while(|statement| statement.length == length);
        let mut best: Option<(Preference, u32)> = None;
        for statement in tied.filter(|statement| statement.is_match(path, octets)) {
            let preferences: Preferences = read_statement(vocabulary, &statement.value).1;
            let stated = preferences[category];
            if best.is_none_or(|(preference, _)| stated > preference) {
                best = Some((stated, statement.line_no));
            }
        }
        best.map_or((Preference::Unknown, None), |(preference, line_no)| {
            (preference, Some(line_no))
        })
    }

    pub(crate) fn has_statements(&self) -> bool {
        !self.statements.is_empty()
    }
}

impl Statement {
    /// Returns `None` if the line states nothing in the dialect.
    fn new(dialect: Dialect, robots_txt: &RobotsTxt<'_>, line: &Directive) -> Option<Self> {
        let value = match dialect {
            Dialect::Google => robots_txt.text(line.value),
            Dialect::Rfc9309 if line.has_colon => robots_txt.text(line.value_raw),
            Dialect::Rfc9309 | Dialect::Koster1996 => return None,
        };
        let (length, path) = match super::statement::split_path(value).0 {
            None => (0, PathPattern::Any),
            Some(path) if dialect == Dialect::Google => {
                let mut pattern = Vec::new();
                pattern::escape(path, &mut pattern);
                (pattern.len() as u32, PathPattern::Google(pattern))
            }
            Some(path) => {
                let mut steps = Vec::new();
                match rfc9309::push_steps(path, &mut steps) {
                    None => (0, PathPattern::Nothing),
                    Some(length) => {
                        let is_compiled = false;
                        (length, PathPattern::Rfc9309 { steps, is_compiled })
                    }
                }
            }
        };
        Some(Self {
            line_no: line.line_no,
            value: value.to_vec(),
            length,
            path,
        })
    }

    fn is_uncompiled(&self) -> bool {
        matches!(self.path, PathPattern::Rfc9309 { is_compiled, .. } if !is_compiled)
    }

    fn is_match(&self, path: &[u8], octets: &[u8]) -> bool {
        match &self.path {
            PathPattern::Any => true,
            PathPattern::Nothing => false,
            PathPattern::Google(pattern) => pattern::matches(pattern, octets),
            PathPattern::Rfc9309 { steps, .. } => {
                matches_symbols(steps, &rfc9309::normalize_path_to_symbols(path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Parser, Policy, Vocabulary};

    /// The example of draft-ietf-aipref-attach.
    const EXAMPLE: &str = "User-Agent: *\nAllow: /\nDisallow: /never/\n\
        Content-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n\n\
        User-Agent: ExampleBot\nAllow: /\nContent-Usage: train-ai=y\n";

    /// Returns the preference about train-ai, and the line that decides.
    fn train_ai(dialect: Dialect, body: &str, agent: &str, path: &str) -> (&'static str, u32) {
        let mut parser = Parser::new();
        let policy = Policy::new(dialect, &parser.parse(body.as_bytes()), agent.as_bytes());
        let vocabulary = Vocabulary::content_usage(None);
        let index = vocabulary.category_index("train-ai").unwrap();
        let found = policy.preference(vocabulary, index, path.as_bytes());
        (found.name(), found.line_no.unwrap_or(0))
    }

    #[test]
    fn the_example_of_the_draft_has_the_preferences_of_its_table() {
        for dialect in [Dialect::Google, Dialect::Rfc9309] {
            let found = |agent, path| train_ai(dialect, EXAMPLE, agent, path);
            assert_eq!(found("Other", "/test"), ("disallowed", 4));
            assert_eq!(found("Other", "/never/test"), ("not_crawlable", 3));
            assert_eq!(found("Other", "/ai-ok/test"), ("allowed", 5));
            assert_eq!(found("ExampleBot", "/never/test"), ("allowed", 9));
        }
        // Koster's draft has neither Content-Usage nor Allow.
        assert_eq!(
            train_ai(Dialect::Koster1996, EXAMPLE, "Other", "/test").0,
            "unknown"
        );
    }

    #[test]
    fn the_longest_path_decides_and_equal_ones_are_combined() {
        let google = |lines: &str, path: &str| {
            let body = format!("User-agent: *\n{lines}");
            train_ai(Dialect::Google, &body, "a", path)
        };
        let conflict = "Content-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n\n";
        assert_eq!(google(conflict, "/a"), ("disallowed", 3));
        // Other paths of the same length are combined, too: the draft does not mention them.
        let wildcard = "Content-Usage: /a* train-ai=y\nContent-Usage: /ab train-ai=n\n";
        assert_eq!(google(wildcard, "/abc"), ("disallowed", 3));
        assert_eq!(google(wildcard, "/ac"), ("allowed", 2));
        // A longer path about another category leaves this one unknown.
        let longer = "Content-Usage: train-ai=n\nContent-Usage: /a search=n\n";
        assert_eq!(google(longer, "/a"), ("unknown", 3));
        assert_eq!(google(longer, "/b"), ("disallowed", 2));
        // A value that is no dictionary states nothing about its path.
        let broken = "Content-Usage: / train-ai=n\nContent-Usage: /a Train-AI=y\n";
        assert_eq!(google(broken, "/a"), ("unknown", 3));
        // Without a path, or with the shortest one.
        let root = "Content-Usage: train-ai=y\nContent-Usage: / train-ai=n\n";
        assert_eq!(google(root, "/"), ("disallowed", 3));
        // Blanks and tabs end a path, and a comment ends a value.
        assert_eq!(
            google("content-usage:/a\ttrain-ai=n# x\n", "/a"),
            ("disallowed", 2)
        );
        assert_eq!(
            google("Content-Usage: /x$ train-ai=n\n", "/xy").0,
            "unknown"
        );
        // Lengths are those of the encoded path.
        let encoded = "Content-Usage: /\u{e9} train-ai=y\nContent-Usage: /*b train-ai=n\n";
        assert_eq!(google(encoded, "/%C3%A9b"), ("allowed", 2));
    }

    #[test]
    fn paths_of_rfc9309_are_compared_in_normal_form() {
        let body = "User-agent: *\nContent-Usage: /%61%24 train-ai=n\nContent-Usage: /a train-ai=y\n\
            Content-Usage train-ai=n\n";
        let found = |path| train_ai(Dialect::Rfc9309, body, "a", path);
        assert_eq!(found("/a$"), ("disallowed", 2));
        assert_eq!(found("/%61%24x"), ("disallowed", 2));
        assert_eq!(found("/%61"), ("allowed", 3));
        // This dialect ignores a line without a colon.
        assert_eq!(found("/b").0, "unknown");
        assert_eq!(
            train_ai(Dialect::Google, body, "a", "/b"),
            ("disallowed", 4)
        );
    }

    #[test]
    fn a_statement_concerns_the_crawlers_of_the_group_that_surrounds_it() {
        // It does not end the list of user-agent lines, as access is decided without it.
        let body = "Content-Usage: train-ai=n\nUser-agent: a\nContent-Usage: train-ai=n\n\
            User-agent: b\nDisallow: /x\nUser-agent: c\nDisallow: /x\nContent-Usage: train-ai=y\n\
            User-agent: a\nContent-Usage: /p train-ai=y\n";
        for dialect in [Dialect::Google, Dialect::Rfc9309] {
            let found = |agent, path| train_ai(dialect, body, agent, path);
            assert_eq!(found("a", "/"), ("disallowed", 3));
            assert_eq!(found("a", "/p"), ("allowed", 10));
            assert_eq!(found("b", "/p"), ("disallowed", 3));
            assert_eq!(found("c", "/"), ("allowed", 8));
            assert_eq!(found("d", "/"), ("unknown", 0));
        }
    }
}
