//! Rules compiled for questions: which of them, the best first, matches a path.
//!
//! A pattern is a literal head, and perhaps a tail: pieces with a `*` before
//! each. Few rules are looked at one by one. Many become a radix tree of their
//! heads, whose nodes know the best rule that ends there; one walk down a path
//! meets every head that begins it. Tails hang at the node of their head. Where
//! many hang at one node, an Aho-Corasick automaton over one piece of each
//! tells in one pass which of them can match at all.
//!
//! Nothing here has states that could explode: the tree and the automata are
//! as large as the rules, and a question costs at most the length of the path
//! times the bytes of the rules, whatever the patterns. Dialects differ only in
//! the octets they hand over and in the order of their rules.
//!
//! If you change what matches, look at the slow twins in `pattern` and
//! `percent`, and at the fuzz target `automaton`.

use aho_corasick::automaton::{Automaton, OverlappingState};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, Input, MatchKind};
use memchr::{memchr, memmem};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Rules that are always looked at one by one.
const LISTED_MAX: usize = 32;
/// Questions to more rules than that before a tree is built: about as many as
/// cost what building it does.
const QUESTIONS_BEFORE_TREE: u32 = 64;
/// Tails of one node that are looked at one by one.
const TAILS_LISTED_MAX: usize = 8;
/// No rule.
const NONE: u32 = u32::MAX;

/// A part of a pattern, as a dialect hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternPart {
    /// An octet of the dialect's normal form.
    Octet(u8),
    /// Any run of octets.
    Run,
    /// The end of the path.
    End,
}

/// Rules in the order in which they decide, the best first.
#[derive(Debug, Default)]
pub(crate) struct CompiledRules {
    /// Heads and pieces.
    text: Vec<u8>,
    /// Pieces of all tails, as ranges of `text`.
    pieces: Vec<Range<u32>>,
    /// What must be equal for a head to be there at all.
    heads: Vec<HeadMask>,
    rules: Vec<CompiledRule>,
    tree: OnceLock<HeadTree>,
    /// Questions so far, while there is no tree.
    asked: AtomicU32,
}

/// The first eight octets of a head, and which of them there are.
#[derive(Clone, Copy, Debug)]
struct HeadMask {
    octets: u64,
    mask: u64,
}

#[derive(Debug)]
struct CompiledRule {
    head: Range<u32>,
    tail: PatternTail,
}

/// What must stand behind a head.
#[derive(Debug)]
enum PatternTail {
    Anything,
    /// The end of the path.
    Nothing,
    /// Pieces in order, anything before each; if anchored, the last one ends
    /// the path, else anything follows. Never without a piece, none empty.
    Pieces {
        pieces: Range<u32>,
        is_anchored: bool,
        /// Octets that are needed, by their low six bits.
        needs: u64,
        /// Octets of all pieces.
        len: u32,
    },
}

impl CompiledRules {
    /// Adds a rule that decides only where none before it does.
    pub(crate) fn push(&mut self, parts: impl Iterator<Item = PatternPart>) {
        let head_start = self.text.len() as u32;
        let pieces_start = self.pieces.len() as u32;
        let mut head_end = None;
        let mut piece_start = head_start;
        let mut is_anchored = false;
        for part in parts {
            match part {
                PatternPart::Octet(octet) => self.text.push(octet),
                PatternPart::Run => {
                    self.end_piece(&mut head_end, &mut piece_start);
                }
                PatternPart::End => is_anchored = true,
            }
        }
        let ends_with_run = head_end.is_some() && piece_start == self.text.len() as u32;
        self.end_piece(&mut head_end, &mut piece_start);
        let head = head_start..head_end.unwrap_or(head_start);
        let pieces = pieces_start..self.pieces.len() as u32;
        let tail = if !pieces.is_empty() {
            let texts = &self.text[head.end as usize..];
            PatternTail::Pieces {
                pieces,
                // A run before the end leaves nothing to compare there.
                is_anchored: is_anchored && !ends_with_run,
                needs: low_bits(texts),
                len: texts.len() as u32,
            }
        } else if is_anchored && !ends_with_run {
            PatternTail::Nothing
        } else {
            PatternTail::Anything
        };
        self.heads.push(HeadMask::new(
            &self.text[head.start as usize..head.end as usize],
        ));
        self.rules.push(CompiledRule { head, tail });
    }

    /// Ends the head, or a piece, if one has begun.
    fn end_piece(&mut self, head_end: &mut Option<u32>, start: &mut u32) {
        let end = self.text.len() as u32;
        if head_end.is_none() {
            *head_end = Some(end);
        } else if end > *start {
            self.pieces.push(*start..end);
        }
        *start = end;
    }

    /// The first rule that matches a path, by its place in the order.
    pub(crate) fn first(&self, path: &[u8]) -> Option<usize> {
        let mut question = PathQuery { path, has: None };
        if self.rules.len() <= LISTED_MAX {
            return self.first_listed(&mut question);
        }
        let tree = match self.tree.get() {
            Some(tree) => tree,
            None if self.asked.fetch_add(1, Ordering::Relaxed) < QUESTIONS_BEFORE_TREE => {
                return self.first_listed(&mut question);
            }
            None => self.tree.get_or_init(|| HeadTree::new(self)),
        };
        let found = tree.first(self, &mut question);
        (found != NONE).then_some(found as usize)
    }

    fn first_listed(&self, question: &mut PathQuery<'_>) -> Option<usize> {
        let octets = first_octets(question.path);
        let candidates = self.heads.iter().enumerate();
        candidates
            .filter(|(_, head)| (octets ^ head.octets) & head.mask == 0)
            .map(|(at, _)| at)
            .find(|&at| {
                let rule = &self.rules[at];
                question.path.starts_with(self.head(rule)) && self.is_tail(rule, question)
            })
    }

    fn head(&self, rule: &CompiledRule) -> &[u8] {
        &self.text[rule.head.start as usize..rule.head.end as usize]
    }

    /// Whether what follows the head, which is there, is what the rule asks for.
    fn is_tail(&self, rule: &CompiledRule, question: &mut PathQuery<'_>) -> bool {
        let head_len = rule.head.len();
        match &rule.tail {
            PatternTail::Anything => true,
            PatternTail::Nothing => question.path.len() == head_len,
            PatternTail::Pieces {
                pieces,
                is_anchored,
                needs,
                len,
            } => {
                let rest = &question.path[head_len..];
                rest.len() >= *len as usize
                    && question.has() & needs == *needs
                    && self.has_pieces(pieces, *is_anchored, rest)
            }
        }
    }

    /// Whether pieces stand in `rest` in order. Leftmost search of each is
    /// exact; only the last piece before the end must be looked for there.
    fn has_pieces(&self, pieces: &Range<u32>, is_anchored: bool, mut rest: &[u8]) -> bool {
        let mut pieces = &self.pieces[pieces.start as usize..pieces.end as usize];
        let piece = |range: &Range<u32>| &self.text[range.start as usize..range.end as usize];
        if is_anchored && let Some((last, before)) = pieces.split_last() {
            let Some(before_last) = rest.strip_suffix(piece(last)) else {
                return false;
            };
            (rest, pieces) = (before_last, before);
        }
        pieces.iter().all(|range| {
            let piece = piece(range);
            let found = match piece {
                [octet] => memchr(*octet, rest),
                _ => memmem::find(rest, piece),
            };
            found.is_some_and(|at| {
                rest = &rest[at + piece.len()..];
                true
            })
        })
    }
}

/// A path, and what has been found out about it.
struct PathQuery<'a> {
    path: &'a [u8],
    has: Option<u64>,
}

impl PathQuery<'_> {
    /// The octets of the path, by their low six bits.
    fn has(&mut self) -> u64 {
        *self.has.get_or_insert_with(|| low_bits(self.path))
    }
}

fn low_bits(octets: &[u8]) -> u64 {
    let bit = |octet: u8| 1u64 << (octet & 63);
    let (eights, rest) = octets.as_chunks::<8>();
    // Two sums, so that one octet need not wait for the one before it.
    let (even, odd) = eights.iter().fold((0, 0), |(even, odd), eight| {
        let [a, b, c, d, e, f, g, h] = eight.map(bit);
        (even | (a | c) | (e | g), odd | (b | d) | (f | h))
    });
    rest.iter()
        .fold(even | odd, |bits, &octet| bits | bit(octet))
}

fn first_octets(path: &[u8]) -> u64 {
    match path.first_chunk::<8>() {
        Some(octets) => u64::from_le_bytes(*octets),
        None => {
            let mut octets = [0; 8];
            octets[..path.len()].copy_from_slice(path);
            u64::from_le_bytes(octets)
        }
    }
}

impl HeadMask {
    fn new(head: &[u8]) -> Self {
        let len = head.len().min(8);
        Self {
            octets: first_octets(&head[..len]),
            mask: if len == 8 {
                u64::MAX
            } else {
                (1 << (8 * len)) - 1
            },
        }
    }
}

/// The heads of all rules.
#[derive(Debug)]
struct HeadTree {
    /// The children of a node stand in a row.
    nodes: Vec<HeadNode>,
    /// The first octet of each node's label.
    firsts: Vec<u8>,
    /// Rules with pieces, by node, the best first.
    tails: Vec<u32>,
    sieves: Vec<TailFilter>,
}

#[derive(Debug)]
struct HeadNode {
    /// What leads here from the parent, as a range of the matcher's text.
    label: Range<u32>,
    children: Range<u32>,
    /// The best rule that is a prefix of whatever comes here.
    best: u32,
    /// The best rule for a path that ends here.
    best_at_end: u32,
    /// Its rules with pieces, as a range of the tree's `tails`.
    tails: Range<u32>,
    /// Index of the sieve over them, if they are many.
    sieve: u32,
    /// The nearest node above that has rules with pieces.
    above: u32,
}

impl HeadTree {
    fn new(matcher: &CompiledRules) -> Self {
        let mut order: Vec<u32> = (0..matcher.rules.len() as u32).collect();
        let head = |at: u32| matcher.head(&matcher.rules[at as usize]);
        order.sort_unstable_by(|&a, &b| head(a).cmp(head(b)).then(a.cmp(&b)));
        let mut tree = Self {
            nodes: Vec::with_capacity(order.len() + 1),
            firsts: Vec::with_capacity(order.len() + 1),
            tails: Vec::new(),
            sieves: Vec::new(),
        };
        tree.nodes.push(HeadNode::new(0..0, NONE, NONE));
        tree.firsts.push(0);
        // Each node with the rules at and below it, and how deep it lies.
        let mut ranges: Vec<(Range<usize>, usize)> = vec![(0..order.len(), 0)];
        let mut at = 0;
        while at < tree.nodes.len() {
            let (range, depth) = ranges[at].clone();
            let rules = &order[range.clone()];
            // A head comes before all that it begins.
            let own = rules
                .iter()
                .take_while(|&&it| head(it).len() == depth)
                .count();
            tree.add_rules(matcher, at, &rules[..own]);
            let above = if tree.nodes[at].tails.is_empty() {
                tree.nodes[at].above
            } else {
                at as u32
            };
            let (best, first_child) = (tree.nodes[at].best, tree.nodes.len() as u32);
            let mut from = range.start + own;
            while from < range.end {
                let octet = head(order[from])[depth];
                let count = order[from..range.end].partition_point(|&it| head(it)[depth] == octet);
                let (low, high) = (head(order[from]), head(order[from + count - 1]));
                let shared = low[depth..].iter().zip(&high[depth..]);
                let label_len = shared.take_while(|(a, b)| a == b).count();
                let start = matcher.rules[order[from] as usize].head.start + depth as u32;
                tree.nodes
                    .push(HeadNode::new(start..start + label_len as u32, best, above));
                tree.firsts.push(octet);
                ranges.push((from..from + count, depth + label_len));
                from += count;
            }
            tree.nodes[at].children = first_child..tree.nodes.len() as u32;
            at += 1;
        }
        tree
    }

    /// Gives a node the rules whose head ends there, the best first.
    fn add_rules(&mut self, matcher: &CompiledRules, at: usize, rules: &[u32]) {
        let tails_start = self.tails.len() as u32;
        let node = &mut self.nodes[at];
        for &it in rules {
            match matcher.rules[it as usize].tail {
                PatternTail::Anything => node.best = node.best.min(it),
                PatternTail::Nothing => node.best_at_end = node.best_at_end.min(it),
                PatternTail::Pieces { .. } => self.tails.push(it),
            }
        }
        node.tails = tails_start..self.tails.len() as u32;
        if node.tails.len() > TAILS_LISTED_MAX
            && let Some(sieve) = TailFilter::new(matcher, &self.tails[tails_start as usize..])
        {
            node.sieve = self.sieves.len() as u32;
            self.sieves.push(sieve);
        }
    }

    fn first(&self, matcher: &CompiledRules, question: &mut PathQuery<'_>) -> u32 {
        let path = question.path;
        let mut node = &self.nodes[0];
        let mut depth = 0;
        while let Some(&octet) = path.get(depth) {
            let children = node.children.start as usize..node.children.end as usize;
            let Some(nth) = memchr(octet, &self.firsts[children.clone()]) else {
                break;
            };
            let child = &self.nodes[children.start + nth];
            let label = &matcher.text[child.label.start as usize..child.label.end as usize];
            if !path[depth..].starts_with(label) {
                break;
            }
            depth += label.len();
            node = child;
        }
        let mut best = node.best;
        if depth == path.len() {
            best = best.min(node.best_at_end);
        }
        loop {
            let tails = &self.tails[node.tails.start as usize..node.tails.end as usize];
            if tails.first().is_some_and(|&it| it < best) {
                best = match self.sieves.get(node.sieve as usize) {
                    Some(sieve) => sieve.first(matcher, question, best),
                    None => first_tail(matcher, question, tails, best),
                };
            }
            match self.nodes.get(node.above as usize) {
                Some(above) => node = above,
                None => return best,
            }
        }
    }
}

/// The first of `tails` that matches, if it is better than `best`.
fn first_tail(
    matcher: &CompiledRules,
    question: &mut PathQuery<'_>,
    tails: &[u32],
    best: u32,
) -> u32 {
    let better = tails.iter().take_while(|&&it| it < best);
    better
        .copied()
        .find(|&it| matcher.is_tail(&matcher.rules[it as usize], question))
        .unwrap_or(best)
}

impl HeadNode {
    fn new(label: Range<u32>, best: u32, above: u32) -> Self {
        Self {
            label,
            children: 0..0,
            best,
            best_at_end: NONE,
            tails: 0..0,
            sieve: NONE,
            above,
        }
    }
}

/// Tells which of many tails of one head can match: those whose longest piece
/// stands in the path.
#[derive(Debug)]
struct TailFilter {
    pieces: NFA,
    /// The rules of each piece, as ranges of `rules`.
    by_piece: Vec<Range<u32>>,
    /// The best first, for each piece.
    rules: Vec<u32>,
    /// Octets of the head.
    head_len: u32,
}

impl TailFilter {
    /// `None` if the automaton would be too large, which its crate decides.
    fn new(matcher: &CompiledRules, tails: &[u32]) -> Option<Self> {
        let mut numbers: HashMap<&[u8], usize> = HashMap::new();
        let mut pieces: Vec<&[u8]> = Vec::new();
        let mut rules: Vec<Vec<u32>> = Vec::new();
        let mut head_len = 0;
        for &it in tails {
            let rule = &matcher.rules[it as usize];
            head_len = rule.head.len() as u32;
            let piece = matcher.longest_piece(rule);
            let number = *numbers.entry(piece).or_insert_with(|| {
                pieces.push(piece);
                rules.push(Vec::new());
                pieces.len() - 1
            });
            rules[number].push(it);
        }
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(&pieces)
            .ok()?;
        let mut end = 0;
        let by_piece = rules.iter().map(|rules| {
            let start = end;
            end += rules.len() as u32;
            start..end
        });
        Some(Self {
            pieces: automaton,
            by_piece: by_piece.collect(),
            rules: rules.concat(),
            head_len,
        })
    }

    /// The first rule that matches, if it is better than `best`.
    fn first(&self, matcher: &CompiledRules, question: &mut PathQuery<'_>, mut best: u32) -> u32 {
        // Pieces whose rules have been looked at, a bit each; most questions
        // meet none.
        let mut seen: Vec<u64> = Vec::new();
        let input = Input::new(&question.path[self.head_len as usize..]).anchored(Anchored::No);
        let mut state = OverlappingState::start();
        loop {
            let step = self.pieces.try_find_overlapping(&input, &mut state);
            let Some(found) = step.ok().and_then(|()| state.get_match()) else {
                return best;
            };
            let piece = found.pattern().as_usize();
            if seen.is_empty() {
                seen.resize(self.by_piece.len().div_ceil(64), 0);
            }
            let (word, bit) = (&mut seen[piece / 64], 1 << (piece % 64));
            if *word & bit == 0 {
                *word |= bit;
                let range = &self.by_piece[piece];
                let rules = &self.rules[range.start as usize..range.end as usize];
                best = first_tail(matcher, question, rules, best);
            }
        }
    }
}

impl CompiledRules {
    /// The longest piece of a rule that has pieces.
    fn longest_piece(&self, rule: &CompiledRule) -> &[u8] {
        let PatternTail::Pieces { pieces, .. } = &rule.tail else {
            return &[];
        };
        let pieces = &self.pieces[pieces.start as usize..pieces.end as usize];
        let longest = pieces.iter().max_by_key(|piece| piece.len());
        longest.map_or(&[], |piece| {
            &self.text[piece.start as usize..piece.end as usize]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern;

    /// Numbers from a fixed seed.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % end as u64) as usize
        }

        fn text(&mut self, words: &[&str], len: usize) -> Vec<u8> {
            let count = self.below(len + 1);
            let words: Vec<&str> = (0..count).map(|_| words[self.below(words.len())]).collect();
            words.concat().into_bytes()
        }
    }

    fn matcher(patterns: &[Vec<u8>]) -> CompiledRules {
        let mut matcher = CompiledRules::default();
        for it in patterns {
            matcher.push(pattern::parts(it, false));
        }
        matcher
    }

    /// Both ways to look a path up agree with looking at each pattern.
    fn agree(patterns: &[Vec<u8>], paths: impl Iterator<Item = Vec<u8>>) {
        let matcher = matcher(patterns);
        let tree = HeadTree::new(&matcher);
        for path in paths {
            let slow = patterns.iter().position(|it| pattern::matches(it, &path));
            let question = || PathQuery {
                path: &path,
                has: None,
            };
            let listed = matcher.first_listed(&mut question());
            let in_tree = tree.first(&matcher, &mut question());
            let in_tree = (in_tree != NONE).then_some(in_tree as usize);
            assert_eq!(
                (listed, in_tree),
                (slow, slow),
                "{} among {:?}",
                path.escape_ascii(),
                patterns
                    .iter()
                    .map(|it| it.escape_ascii().to_string())
                    .collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn list_and_tree_agree_with_each_pattern_by_itself() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let words = [
            "/",
            "a",
            "b",
            "*",
            "$",
            "ab",
            "/a",
            "*a",
            "\0",
            "longer-than-eight",
        ];
        for _ in 0..3000 {
            let count = random.below(40);
            let patterns: Vec<_> = (0..count).map(|_| random.text(&words, 6)).collect();
            let paths: Vec<_> = (0..20).map(|_| random.text(&words, 7)).collect();
            agree(&patterns, paths.into_iter());
        }
    }

    #[test]
    fn many_tails_of_one_head_are_sieved_exactly() {
        let mut random = Random(7);
        let words = ["a", "b", "ab", "ba", "aab", "/"];
        for _ in 0..300 {
            let patterns: Vec<_> = (0..200)
                .map(|_| {
                    let head = [&b"/"[..], b"", b"/a", b"/b/a"][random.below(4)];
                    let mut pattern = head.to_vec();
                    for _ in 0..1 + random.below(3) {
                        pattern.push(b'*');
                        pattern.extend(random.text(&words, 4));
                    }
                    if random.below(4) == 0 {
                        pattern.push(b'$');
                    }
                    pattern
                })
                .collect();
            let matcher = matcher(&patterns);
            assert!(!HeadTree::new(&matcher).sieves.is_empty());
            let paths: Vec<_> = (0..50)
                .map(|_| [b"/".to_vec(), random.text(&words, 8)].concat())
                .collect();
            agree(&patterns, paths.into_iter());
        }
    }

    #[test]
    fn a_tree_is_built_when_it_pays_and_changes_no_answer() {
        let patterns: Vec<Vec<u8>> = (0..100)
            .map(|nth| format!("/{nth}/*x{nth}").into_bytes())
            .collect();
        let matcher = matcher(&patterns);
        for nth in 0..100 {
            assert_eq!(
                matcher.tree.get().is_some(),
                2 * nth > QUESTIONS_BEFORE_TREE
            );
            let path = format!("/{nth}/_x{nth}");
            assert_eq!(matcher.first(path.as_bytes()), Some(nth as usize));
            assert_eq!(matcher.first(b"/100/x"), None);
        }
    }
}
