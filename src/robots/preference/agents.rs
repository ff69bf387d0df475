//! The preferences of a file for `*` and each crawler that the file names.

use super::coverage::{
    AccessPattern, CategoryCoverage, Coverages, GroupStatement, SEARCH_BUDGET, compute_coverages,
};
use super::statement::read_statement;
use super::vocabulary::{Preferences, SharedCategory, Vocabulary};
use super::{Mechanism, Preference, PreferenceVerdict, statement_mechanism};
use crate::document::RobotsTxt;
use crate::pattern;
use crate::verdict::Verdict;
use crate::verdict::evaluator::Evaluation;
use crate::verdict::group_sets::EMPTY_SET;
use hashbrown::HashMap;
use std::ops::Range;

/// The preference for one name in a file, or for `*`, and one category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentPreference<'a> {
    /// A whole name, in lower case; `*` for all other crawlers.
    pub agent: &'a [u8],
    /// The mechanism of the statements; [`Mechanism::Any`] for a category that several share.
    pub mechanism: Mechanism,
    /// The name of the category: in the vocabulary of the mechanism, or that of a
    /// [`SharedCategory`].
    pub category: &'static str,
    /// The preference over all paths that may be fetched.
    pub verdict: PreferenceVerdict,
    /// True if the preference is `allowed` for some path that may be fetched.
    pub has_allowed: bool,
    /// True if the preference is `disallowed` for some path that may be fetched.
    pub has_disallowed: bool,
    /// True if the preference is `unknown` for some path that may be fetched.
    pub has_unknown: bool,
    /// The line of a statement that shows the most restrictive preference, or of the rule that
    /// disallows all paths.
    pub evidence_line: Option<u32>,
}

/// The statements of one or several mechanisms in a file, in the order of groups.
struct FileStatements<'a> {
    mechanism: Mechanism,
    categories: Vec<&'static str>,
    statements: Vec<GroupStatement<'a>>,
    /// The number of the group of each statement.
    group_nos: Vec<u32>,
}

/// The result for a set of groups: the coverage of each category, or, if access alone decides or a
/// limit is exceeded, one verdict for all categories and its evidence line.
type SetResult = Result<Coverages, (PreferenceVerdict, Option<u32>)>;

impl<'a> Evaluation<'_, 'a> {
    /// Computes the preferences for `*` and for each whole name in the lines that count, in the
    /// order of [`verdicts`](Self::verdicts), for each category of each vocabulary, and last for
    /// each [`SharedCategory`] over all of them. A mechanism without a statement in any group has
    /// no rows. At most one vocabulary of each mechanism may be given.
    ///
    /// The answers are exact, according to Google's rules with whole names compared.
    ///
    /// ```
    /// use robotstxt_dialects::{Evaluator, Parser, PreferenceVerdict, Vocabulary};
    ///
    /// let mut parser = Parser::new();
    /// let body = b"User-agent: *\nDisallow: /a\nContent-Usage: train-ai=n\n\
    ///     Content-Usage: /b train-ai=y\n";
    /// let robots_txt = parser.parse(body);
    /// let mut evaluator = Evaluator::new();
    /// let vocabulary = Vocabulary::content_usage(None);
    /// let rows = evaluator.evaluate(&robots_txt).preferences(&[vocabulary]);
    /// assert_eq!((rows[0].category, rows[0].verdict), ("train-ai", PreferenceVerdict::Mixed));
    /// assert_eq!(rows[0].evidence_line, Some(3));
    /// ```
    pub fn preferences(
        &mut self,
        vocabularies: &[&'static Vocabulary],
    ) -> Vec<AgentPreference<'a>> {
        let mut rows = Vec::new();
        let mut work_budget = SEARCH_BUDGET;
        let mut escaped_paths = Vec::new();
        // Before June 2025, `Content-Usage` had no categories.
        let vocabularies: Vec<&'static Vocabulary> = vocabularies
            .iter()
            .copied()
            .filter(|vocabulary| vocabulary.categories().len() > 0)
            .collect();
        for vocabulary in &vocabularies {
            escaped_paths.clear();
            let (mechanism, vocabularies) = (vocabulary.mechanism(), &[*vocabulary]);
            let robots_txt = &self.robots_txt;
            let file =
                FileStatements::gather(mechanism, vocabularies, robots_txt, &mut escaped_paths);
            self.add_rows(&file, &mut work_budget, &mut rows);
        }
        work_budget = SEARCH_BUDGET;
        escaped_paths.clear();
        let robots_txt = &self.robots_txt;
        let file = FileStatements::gather(
            Mechanism::Any,
            &vocabularies,
            robots_txt,
            &mut escaped_paths,
        );
        self.add_rows(&file, &mut work_budget, &mut rows);
        rows
    }

    fn add_rows(
        &mut self,
        file: &FileStatements<'_>,
        work_budget: &mut u64,
        rows: &mut Vec<AgentPreference<'a>>,
    ) {
        if file.statements.is_empty() {
            return;
        }
        let mut results: HashMap<u32, SetResult> = HashMap::new();
        let wildcard = self.evaluator.agents.wildcard;
        let mut agents: Vec<(&'a [u8], _)> = vec![(b"*", wildcard.name_groups)];
        let named = self.evaluator.agents.entries.iter();
        let named = named.filter(|agent| !agent.name_groups.is_empty());
        agents.extend(named.map(|agent| (self.robots_txt.text(agent.text), agent.name_groups)));
        for (agent, groups) in agents {
            let evaluator = &mut *self.evaluator;
            let set = evaluator
                .google_sets
                .intern_agent_groups(&evaluator.agents, groups);
            let result = match results.get(&set) {
                Some(result) => *result,
                None => {
                    let result = self.compute_set_result(set, file, work_budget);
                    results.insert(set, result);
                    result
                }
            };
            let categories = file.categories.iter().enumerate();
            rows.extend(categories.map(|(index, &category)| {
                let row = |coverage: CategoryCoverage, verdict, evidence_line| AgentPreference {
                    agent,
                    mechanism: file.mechanism,
                    category,
                    verdict,
                    has_allowed: coverage.has(Preference::Allowed),
                    has_disallowed: coverage.has(Preference::Disallowed),
                    has_unknown: coverage.has(Preference::Unknown),
                    evidence_line,
                };
                match result {
                    Ok(coverages) => {
                        let coverage = coverages[index];
                        row(coverage, coverage.verdict(), coverage.evidence_line())
                    }
                    Err((verdict, line)) => row(CategoryCoverage::default(), verdict, line),
                }
            }));
        }
    }

    fn compute_set_result(
        &mut self,
        set: u32,
        file: &FileStatements<'_>,
        work_budget: &mut u64,
    ) -> SetResult {
        let verdict = self.verdict_of_set(set);
        match verdict.coverage.verdict {
            Verdict::DisallowAll => {
                return Err((PreferenceVerdict::NotCrawlable, verdict.evidence_line));
            }
            Verdict::Unknown => return Err((PreferenceVerdict::TooComplex, None)),
            Verdict::AllowAll | Verdict::Partial => {}
        }
        let robots_txt = self.robots_txt;
        let sets = &self.evaluator.google_sets;
        let groups = if set == EMPTY_SET {
            &[]
        } else {
            sets.groups(set)
        };
        let ranges = groups.iter().map(|&group_no| file.range_of_group(group_no));
        let statements: Vec<GroupStatement<'_>> = ranges
            .flat_map(|range| file.statements[range].iter().copied())
            .collect();
        // If no statement has a path, all paths have the same preference, and no rules are needed.
        let access = if statements.iter().any(|statement| statement.path.is_some()) {
            access_patterns(&robots_txt, groups)
        } else {
            Vec::new()
        };
        compute_coverages(&access, &statements, work_budget)
            .ok_or((PreferenceVerdict::TooComplex, None))
    }
}

impl<'t> FileStatements<'t> {
    /// Gathers the statements of the mechanisms of some vocabularies in the groups of a file. Those of
    /// [`Mechanism::Any`] have a preference for each [`SharedCategory`], those of a single mechanism for
    /// each category of its vocabulary. Their escaped paths are written to `escaped`.
    fn gather(
        mechanism: Mechanism,
        vocabularies: &[&'static Vocabulary],
        robots_txt: &RobotsTxt<'_>,
        escaped: &'t mut Vec<u8>,
    ) -> Self {
        let is_shared = mechanism == Mechanism::Any;
        let mut read = Vec::new();
        for line in robots_txt.directives() {
            let stated = statement_mechanism(robots_txt, line);
            let index = vocabularies
                .iter()
                .position(|vocabulary| Some(vocabulary.mechanism()) == stated);
            let Some(index) = index.filter(|_| line.counts && line.group_no().is_some()) else {
                continue;
            };
            let vocabulary = vocabularies[index];
            let (path, mut preferences) = read_statement(vocabulary, robots_txt.text(line.value));
            if is_shared {
                preferences = share_preferences(vocabulary, &preferences);
            }
            let start = escaped.len();
            if let Some(path) = path {
                pattern::escape(path, escaped);
            }
            read.push((line, index, path.map(|_| start..escaped.len()), preferences));
        }
        let escaped: &'t [u8] = escaped;
        let categories = if is_shared {
            SharedCategory::ALL.map(SharedCategory::name).to_vec()
        } else {
            vocabularies[0].categories().collect()
        };
        Self {
            mechanism,
            categories,
            group_nos: read.iter().map(|(line, ..)| line.group_no).collect(),
            statements: read
                .into_iter()
                .map(|(line, mechanism, path, preferences)| GroupStatement {
                    line_no: line.line_no,
                    mechanism,
                    path: path.map(|range| &escaped[range]),
                    preferences,
                })
                .collect(),
        }
    }

    fn range_of_group(&self, group_no: u32) -> Range<usize> {
        let before = |group_no: u32| self.group_nos.partition_point(|&other| other < group_no);
        before(group_no)..before(group_no + 1)
    }
}

/// Returns the preferences of a statement for each [`SharedCategory`].
fn share_preferences(vocabulary: &Vocabulary, preferences: &Preferences) -> Preferences {
    let mut shared = Preferences::default();
    for (category, preference) in SharedCategory::ALL.into_iter().zip(&mut shared) {
        if let Some(index) = category.index_in(vocabulary) {
            *preference = preferences[index];
        }
    }
    shared
}

/// Returns the patterns of the rules of some groups, including one for the
/// [`index_folder`](pattern::index_folder) of each allow rule that has such a folder.
fn access_patterns<'a>(robots_txt: &RobotsTxt<'a>, groups: &[u32]) -> Vec<AccessPattern<'a>> {
    let mut patterns = Vec::new();
    let lines = groups
        .iter()
        .flat_map(|&group_no| robots_txt.group_directives(group_no));
    for line in lines.filter(|line| line.counts && line.is_rule()) {
        let value = robots_txt.text(line.value);
        if !pattern::can_match(value) {
            continue;
        }
        let allow = line.kind == crate::DirectiveKind::Allow;
        let (text, is_anchored) = pattern::split_anchor(value);
        patterns.push(AccessPattern {
            text,
            is_anchored,
            priority: value.len() as u32,
            allow,
        });
        if let Some(folder) = pattern::index_folder(value).filter(|_| allow) {
            patterns.push(AccessPattern {
                text: folder,
                is_anchored: true,
                priority: folder.len() as u32 + 1,
                allow,
            });
        }
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluator, Parser};

    /// Returns the verdict about train-ai for `*`, the flags (allowed, disallowed, unknown), and the
    /// evidence.
    fn train_ai(lines: &str) -> (&'static str, [bool; 3], u32) {
        let body = format!("User-agent: *\n{lines}");
        let mut parser = Parser::new();
        let robots_txt = parser.parse(body.as_bytes());
        let mut evaluator = Evaluator::new();
        let vocabulary = Vocabulary::content_usage(None);
        let rows = evaluator.evaluate(&robots_txt).preferences(&[vocabulary]);
        let row = &rows[0];
        assert_eq!((row.agent, row.category), (&b"*"[..], "train-ai"));
        let has = [row.has_allowed, row.has_disallowed, row.has_unknown];
        (row.verdict.name(), has, row.evidence_line.unwrap_or(0))
    }

    #[test]
    fn preferences_are_those_of_all_paths_that_may_be_fetched() {
        // Verdict, flags and line of the evidence; the lines of the file.
        let cases = [
            "disallow_all d 2 | Content-Usage: train-ai=n\n",
            "unknown_all u 2 | Content-Usage: search=n\n",
            "mixed au 2 | Content-Usage: /a train-ai=y\n",
            "not_crawlable - 2 | Disallow: /\nContent-Usage: train-ai=y\n",
            // Only paths below /a may be fetched.
            "disallow_all d 5 | Disallow: /\nAllow: /a\nContent-Usage: train-ai=y\nContent-Usage: /a train-ai=n\n",
            // Some path ends with x and has a y, which is the own path of neither pattern.
            "mixed ad 5 | Disallow: /\nAllow: /*x$\nContent-Usage: train-ai=y\nContent-Usage: /*y train-ai=n\n",
            "allow_all a 4 | Disallow: /\nAllow: /x$\nContent-Usage: train-ai=y\nContent-Usage: /*y train-ai=n\n",
            // Only /robots.txt, which is excluded.
            "allow_all a 2 | Content-Usage: train-ai=y\nContent-Usage: /robots.txt$ train-ai=n\n",
            // The folder that an index allows.
            "mixed du 4 | Disallow: /\nAllow: /d/index.html\nContent-Usage: /d/$ train-ai=n\n",
            "disallow_all d 3 | Content-Usage: / train-ai=y\nContent-Usage: /* train-ai=n\n",
            "mixed ad 3 | Content-Usage: /$ train-ai=y\nContent-Usage: /*/ train-ai=n\nContent-Usage: train-ai=y\n",
        ];
        for case in cases {
            let (expected, lines) = case.split_once(" | ").unwrap();
            let expected: Vec<&str> = expected.split(' ').collect();
            let [verdict, flags, line] = expected[..] else {
                panic!("{case}");
            };
            let line = line.parse().unwrap();
            let has = ['a', 'd', 'u'].map(|flag| flags.contains(flag));
            assert_eq!(train_ai(lines), (verdict, has, line), "{lines}");
        }
    }

    #[test]
    fn shared_categories_combine_both_mechanisms_path_by_path() {
        // Verdict, flags and line of the evidence for training over both; the lines of the file.
        let cases = [
            "disallow_all d 2 | Content-Signal: ai-train=no\n",
            "allow_all a 2 | Content-Usage: train-ai=y\n",
            "unknown_all u 2 | Content-Signal: search=yes, ai-input=no\n",
            "disallow_all d 3 | Content-Usage: train-ai=y\nContent-Signal: ai-train=no\n",
            "allow_all a 3 | Content-Usage: search=n\nContent-Signal: ai-train=yes\n",
            // The longest path decides in each mechanism, not among both.
            "disallow_all d 2 | Content-Usage: train-ai=n\nContent-Signal: /a ai-train=yes\n",
            "mixed ad 3 | Content-Usage: train-ai=y\nContent-Signal: /a ai-train=no\n",
            // Each is mixed, and together they disallow all paths.
            "disallow_all d 5 | Disallow: /\nAllow: /a\nContent-Usage: /a/ train-ai=n\nContent-Signal: ai-train=no\nContent-Signal: /a/ ai-train=yes\n",
            "not_crawlable - 2 | Disallow: /\nContent-Signal: ai-train=yes\n",
        ];
        for case in cases {
            let (expected, lines) = case.split_once(" | ").unwrap();
            let body = format!("User-agent: *\n{lines}");
            let mut parser = Parser::new();
            let robots_txt = parser.parse(body.as_bytes());
            let mut evaluator = Evaluator::new();
            let vocabularies = [
                Vocabulary::content_usage(None),
                Vocabulary::content_signal(),
            ];
            let rows = evaluator.evaluate(&robots_txt).preferences(&vocabularies);
            let mut rows = rows.iter();
            let row = rows.find(|row| row.category == "training").unwrap();
            let flags = [
                (row.has_allowed, 'a'),
                (row.has_disallowed, 'd'),
                (row.has_unknown, 'u'),
            ];
            let flags: String = flags
                .iter()
                .filter(|(has, _)| *has)
                .map(|(_, flag)| flag)
                .collect();
            let flags = if flags.is_empty() { "-" } else { &flags };
            let line = row.evidence_line.unwrap_or(0);
            let found = format!("{} {flags} {line}", row.verdict.name());
            assert_eq!(found, expected, "{lines}");
            assert_eq!(row.mechanism, Mechanism::Any);
        }
    }

    #[test]
    fn a_file_whose_search_exceeds_the_work_budget_is_too_complex() {
        let lines: String = (0..400)
            .map(|i| {
                format!(
                    "Content-Usage: /*{}*{}*x train-ai=n\nAllow: /*{i}*{i}\n",
                    i * 7,
                    i * 13
                )
            })
            .collect();
        assert_eq!(train_ai(&lines).0, "too_complex");
    }

    #[test]
    fn only_names_of_groups_and_mechanisms_with_statements_have_rows() {
        let body =
            b"Content-Signal: search=yes\nUser-agent: MJ12bot/1.0\nContent-Usage: search=y\n\
            User-agent: b\nAllow: /\n";
        let mut parser = Parser::new();
        let robots_txt = parser.parse(body);
        let mut evaluator = Evaluator::new();
        let vocabularies = [
            Vocabulary::content_usage(None),
            Vocabulary::content_signal(),
        ];
        let rows = evaluator.evaluate(&robots_txt).preferences(&vocabularies);
        let is_usage = |row: &&AgentPreference<'_>| row.mechanism == Mechanism::ContentUsage;
        let usage = rows.iter().filter(is_usage);
        let search: Vec<_> = usage.filter(|row| row.category == "search").collect();
        let found: Vec<_> = search
            .iter()
            .map(|row| (row.agent, row.mechanism.name(), row.verdict.name()))
            .collect();
        let usage = "content-usage";
        assert_eq!(
            found,
            [
                (&b"*"[..], usage, "unknown_all"),
                (b"mj12bot", usage, "allow_all"),
                (b"b", usage, "allow_all"),
            ]
        );
    }
}
