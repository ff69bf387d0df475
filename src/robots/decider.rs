//! The merged rules of a crawler by Google's reading, and what they leave.
//!
//! If you change what a pattern matches, look at `pattern` (the slow twin is
//! there), at [`Decider::steps`], and at the brute force in `verdict`'s tests.

use crate::pattern;
use crate::reach::{self, Reach, Rule as ReachRule, Step};
use crate::verdict::{SEARCH_LIMITS, Verdict, WITNESSES_MAX};

/// What rules leave, and how that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided {
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// The line that shows it, 0 for none.
    pub(crate) line_no: u32,
    /// Lines without which it might not hold, 0 for none; without any other
    /// line it holds all the same. `None` where all paths were searched.
    pub(crate) proof: Option<[u32; 2]>,
}

/// The merged rules of a crawler, by Google's reading.
#[derive(Debug, Default)]
pub(crate) struct Decider<'a> {
    /// Rules that can match; the pattern of a folder (`index.htm`) is its own.
    rules: Vec<DeciderRule<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct DeciderRule<'a> {
    allow: bool,
    line_no: u32,
    text: &'a [u8],
    /// The bytes of `text` that count; a `$` stands behind them if they are
    /// fewer (`index.htm`).
    folder_bytes: Option<u32>,
}

impl<'a> DeciderRule<'a> {
    fn priority(&self) -> u32 {
        self.folder_bytes
            .map_or(self.text.len() as u32, |len| len + 1)
    }

    fn matches(&self, path: &[u8]) -> bool {
        match self.folder_bytes {
            None => pattern::matches(self.text, path),
            Some(len) => {
                let folder = &self.text[..len as usize];
                if memchr::memchr(b'*', folder).is_none() {
                    return path == folder;
                }
                pattern::matches(&[folder, b"$"].concat(), path)
            }
        }
    }

    fn is_universal(&self) -> bool {
        self.folder_bytes.is_none() && pattern::is_universal(self.text)
    }
}

/// A symbol that no escaped pattern holds.
const OTHER: u8 = 0xff;
const ROBOTS_TXT: &[u8] = b"/robots.txt";

impl<'a> Decider<'a> {
    pub(crate) fn add(&mut self, allow: bool, line_no: u32, text: &'a [u8]) {
        if !pattern::can_match(text) {
            return;
        }
        self.rules.push(DeciderRule {
            allow,
            line_no,
            text,
            folder_bytes: None,
        });
        if allow
            && let Some(slash) = memchr::memrchr(b'/', text)
            && text[slash..].starts_with(b"/index.htm")
        {
            self.rules.push(DeciderRule {
                allow,
                line_no,
                text,
                folder_bytes: Some(slash as u32 + 1),
            });
        }
    }

    /// Adds a rule, and nothing beside it.
    pub(crate) fn add_alone(&mut self, allow: bool, line_no: u32, text: &'a [u8]) {
        if pattern::can_match(text) {
            self.rules.push(DeciderRule {
                allow,
                line_no,
                text,
                folder_bytes: None,
            });
        }
    }

    /// Whether `path` is allowed, and by which line.
    pub(crate) fn access(&self, path: &[u8]) -> (bool, u32) {
        let (mut best, mut line_no, mut allowed) = (0, 0, true);
        for rule in &self.rules {
            let priority = rule.priority();
            let wins = priority > best || (priority == best && rule.allow && !allowed);
            if wins && rule.matches(path) {
                (best, line_no, allowed) = (priority, rule.line_no, rule.allow);
            }
        }
        (allowed, line_no)
    }

    /// Decides what the rules leave.
    pub(crate) fn verdict(&self) -> Decided {
        let longest = |allow: bool, universal: bool| {
            let rules = self
                .rules
                .iter()
                .filter(|it| it.allow == allow && (!universal || it.is_universal()));
            rules
                .map(|it| (it.priority(), it.line_no))
                .max_by_key(|&(priority, line_no)| (priority, u32::MAX - line_no))
        };
        let proved = |verdict: Verdict, line_no: u32, other_line_no: u32| Decided {
            verdict,
            line_no,
            proof: Some([line_no, other_line_no]),
        };
        let Some((disallow, _)) = longest(false, false) else {
            return proved(Verdict::AllowAll, 0, 0);
        };
        let (all_allowed, all_allowed_line) = longest(true, true).unwrap_or((0, 0));
        if all_allowed >= disallow {
            return Decided {
                line_no: 0,
                ..proved(Verdict::AllowAll, all_allowed_line, 0)
            };
        }
        // What holds for a path that no rule but a universal one can match.
        match longest(false, true).filter(|&(priority, _)| priority > all_allowed) {
            Some((all_disallowed, line_no)) => {
                if longest(true, false).is_none_or(|(priority, _)| priority < all_disallowed) {
                    return proved(Verdict::DisallowAll, line_no, 0);
                }
                match self.witness(true, all_disallowed) {
                    Some(other) => proved(Verdict::Partial, line_no, other),
                    None => self.search(line_no),
                }
            }
            None => match self.witness(false, all_allowed + 1) {
                Some(line_no) => proved(Verdict::Partial, line_no, all_allowed_line),
                None => self.search(0),
            },
        }
    }

    /// Tries paths built from the rules that allow (or disallow) with at least
    /// `priority`; gives the line of one whose path it decides.
    fn witness(&self, allow: bool, priority: u32) -> Option<u32> {
        let mut path = Vec::new();
        let rules = self
            .rules
            .iter()
            .filter(|it| it.allow == allow && it.priority() >= priority);
        for rule in rules.take(WITNESSES_MAX) {
            for filler in [&b""[..], &[OTHER]] {
                path.clear();
                let (text, anchored) = match (rule.folder_bytes, rule.text) {
                    (Some(len), text) => (&text[..len as usize], true),
                    (None, [text @ .., b'$']) => (text, true),
                    (None, text) => (text, false),
                };
                if text.first() == Some(&b'*') {
                    path.push(b'/');
                }
                for &byte in text {
                    if byte == b'*' {
                        path.extend_from_slice(filler)
                    } else {
                        path.push(byte)
                    }
                }
                if !anchored {
                    path.push(OTHER);
                }
                if path == ROBOTS_TXT || !rule.matches(&path) {
                    continue;
                }
                let (allowed, line_no) = self.access(&path);
                if allowed == allow {
                    return Some(line_no);
                }
            }
        }
        None
    }

    /// Searches all paths.
    fn search(&self, line_no: u32) -> Decided {
        let (mut steps, mut rules) = (Vec::new(), Vec::new());
        for rule in &self.rules {
            let first = steps.len() as u32;
            Self::steps(rule, &mut steps);
            let end = steps.len() as u32;
            // The place behind the last step must be the rule's own.
            steps.push(Step::End);
            rules.push(ReachRule {
                first,
                end,
                allow: rule.allow,
                priority: rule.priority(),
            });
        }
        let excluded: Vec<u16> = ROBOTS_TXT.iter().map(|&byte| byte.into()).collect();
        let mut work = 0;
        let verdict = match reach::reach(
            &steps,
            &rules,
            &excluded,
            b'/'.into(),
            OTHER.into(),
            SEARCH_LIMITS,
            &mut work,
        ) {
            Reach::AllowAll => Verdict::AllowAll,
            Reach::DisallowAll => Verdict::DisallowAll,
            Reach::Both => Verdict::Partial,
            Reach::TooComplex => Verdict::Unknown,
        };
        let shows = matches!(verdict, Verdict::DisallowAll | Verdict::Partial);
        Decided {
            verdict,
            line_no: if shows { line_no } else { 0 },
            proof: None,
        }
    }

    /// Lays a pattern out in steps.
    fn steps(rule: &DeciderRule<'_>, steps: &mut Vec<Step>) {
        let (text, anchored) = match (rule.folder_bytes, rule.text) {
            (Some(len), text) => (&text[..len as usize], true),
            (None, [text @ .., b'$']) => (text, true),
            (None, text) => (text, false),
        };
        let mut after_run = false;
        for &byte in text {
            if byte != b'*' {
                steps.push(Step::One(byte.into(), byte.into()));
            } else if !after_run {
                steps.push(Step::Run);
            }
            after_run = byte == b'*';
        }
        if anchored {
            steps.push(Step::End);
        }
    }
}
