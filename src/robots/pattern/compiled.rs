//! Rules that are compiled to find, for many paths, the first rule in order of precedence that
//! matches.
//!
//! A pattern is a literal *head* and perhaps a *tail*, which is a sequence of pieces with a `*`
//! before each. Few rules are tested one by one. Many rules are compiled into a radix tree of their
//! heads; each node stores the best rule that ends there, so that one walk down the tree finds all
//! heads of a path. Tails are stored at the node of their head. If a node has many tails, an
//! Aho-Corasick automaton over one piece of each tail finds the tails that can match.
//!
//! Nothing here has an exponential number of states: the tree and the automata are as large as the
//! rules, and a query costs at most the length of the path times the size of the rules. The
//! dialects differ only in the octets and in the order of the rules that they pass.
//!
//! If you change what matches, also check [`matches`](super::matches) and
//! [`percent::matches_symbols`](super::percent::matches_symbols), the oracle in
//! `tests/checks/oracle/pattern.rs`, and the fuzz target `automaton`.

use aho_corasick::automaton::{Automaton, OverlappingState};
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, Input, MatchKind};
use memchr::{memchr, memmem};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The largest number of rules that are always tested one by one.
const MAX_SEQUENTIAL_RULES: usize = 32;
/// The number of queries before the tree is built. Together these queries cost about as much as
/// building the tree.
const QUERIES_BEFORE_TREE: u32 = 64;
/// The largest number of tails of one node that are tested one by one.
const MAX_SEQUENTIAL_TAILS: usize = 8;
/// The index of no rule, node or filter.
const NO_INDEX: u32 = u32::MAX;

/// A part of a pattern in the normal form of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternPart {
    Octet(u8),
    /// Any number of octets.
    Wildcard,
    /// The end of the path.
    End,
}

/// Rules in their order of precedence, the best first.
#[derive(Debug, Default)]
pub(crate) struct CompiledRules {
    /// The texts of heads and pieces.
    text: Vec<u8>,
    /// The pieces of all tails, as ranges of `text`.
    pieces: Vec<Range<u32>>,
    /// The [`HeadMask`] of each rule, which rejects most rules without a comparison of texts.
    heads: Vec<HeadMask>,
    rules: Vec<CompiledRule>,
    tree: OnceLock<HeadTree>,
    /// The number of queries while there is no tree.
    query_count: AtomicU32,
}

/// The first eight octets of a head. If the head is shorter, `mask` covers only its octets.
#[derive(Clone, Copy, Debug)]
struct HeadMask {
    octets: u64,
    mask: u64,
}

/// A rule, divided into head and tail.
#[derive(Debug)]
struct CompiledRule {
    /// The literal octets before the first `*`, as a range of [`CompiledRules::text`].
    head: Range<u32>,
    tail: PatternTail,
}

/// The part of a pattern after its head.
#[derive(Debug)]
enum PatternTail {
    /// Anything may follow: the pattern is a head alone, or a head and wildcards.
    Anything,
    /// The end of the path.
    End,
    /// Literal pieces in order, with anything before each. If the pattern is anchored, the last
    /// piece ends the path; otherwise anything may follow. There is at least one piece, and none is
    /// empty.
    Pieces {
        pieces: Range<u32>,
        is_anchored: bool,
        /// The low six bits of the octets of all pieces, as a set with one bit per value. A path
        /// without all of these values cannot match.
        required_bits: u64,
        /// The total length of all pieces, in octets.
        len: u32,
    },
}

impl CompiledRules {
    /// Adds a rule with a lower precedence than all rules before.
    pub(crate) fn push(&mut self, parts: impl Iterator<Item = PatternPart>) {
        let head_start = self.text.len() as u32;
        let pieces_start = self.pieces.len() as u32;
        let mut head_end = None;
        let mut piece_start = head_start;
        let mut is_anchored = false;
        for part in parts {
            match part {
                PatternPart::Octet(octet) => self.text.push(octet),
                PatternPart::Wildcard => {
                    self.end_piece(&mut head_end, &mut piece_start);
                }
                PatternPart::End => is_anchored = true,
            }
        }
        let ends_with_wildcard = head_end.is_some() && piece_start == self.text.len() as u32;
        self.end_piece(&mut head_end, &mut piece_start);
        let head = head_start..head_end.unwrap_or(head_start);
        let pieces = pieces_start..self.pieces.len() as u32;
        let tail = if !pieces.is_empty() {
            let texts = &self.text[head.end as usize..];
            PatternTail::Pieces {
                pieces,
                // A wildcard before the end matches up to the end.
                is_anchored: is_anchored && !ends_with_wildcard,
                required_bits: collect_low_six_bits(texts),
                len: texts.len() as u32,
            }
        } else if is_anchored && !ends_with_wildcard {
            PatternTail::End
        } else {
            PatternTail::Anything
        };
        self.heads.push(HeadMask::new(
            &self.text[head.start as usize..head.end as usize],
        ));
        self.rules.push(CompiledRule { head, tail });
    }

    /// Ends the head if it has no end yet, otherwise the current piece. An empty piece is dropped.
    fn end_piece(&mut self, head_end: &mut Option<u32>, start: &mut u32) {
        let end = self.text.len() as u32;
        if head_end.is_none() {
            *head_end = Some(end);
        } else if end > *start {
            self.pieces.push(*start..end);
        }
        *start = end;
    }

    /// Returns the index of the first rule that matches a path.
    pub(crate) fn find_first(&self, path: &[u8]) -> Option<usize> {
        let mut query = PathQuery {
            path,
            octet_bits: None,
        };
        if self.rules.len() <= MAX_SEQUENTIAL_RULES {
            return self.find_first_sequentially(&mut query);
        }
        let tree = match self.tree.get() {
            Some(tree) => tree,
            None if self.query_count.fetch_add(1, Ordering::Relaxed) < QUERIES_BEFORE_TREE => {
                return self.find_first_sequentially(&mut query);
            }
            None => self.tree.get_or_init(|| HeadTree::new(self)),
        };
        let found = tree.find_first(self, &mut query);
        (found != NO_INDEX).then_some(found as usize)
    }

    /// Returns the same as [`find_first`](Self::find_first) by testing one rule after the other.
    fn find_first_sequentially(&self, query: &mut PathQuery<'_>) -> Option<usize> {
        let octets = first_octets(query.path);
        let candidates = self.heads.iter().enumerate();
        candidates
            .filter(|(_, head)| (octets ^ head.octets) & head.mask == 0)
            .map(|(index, _)| index)
            .find(|&index| {
                let rule = &self.rules[index];
                query.path.starts_with(self.head(rule)) && self.is_tail_match(rule, query)
            })
    }

    fn head(&self, rule: &CompiledRule) -> &[u8] {
        &self.text[rule.head.start as usize..rule.head.end as usize]
    }

    /// Returns true if the tail of a rule matches. Its head is known to match.
    fn is_tail_match(&self, rule: &CompiledRule, query: &mut PathQuery<'_>) -> bool {
        let head_len = rule.head.len();
        match &rule.tail {
            PatternTail::Anything => true,
            PatternTail::End => query.path.len() == head_len,
            PatternTail::Pieces {
                pieces,
                is_anchored,
                required_bits,
                len,
            } => {
                let rest = &query.path[head_len..];
                rest.len() >= *len as usize
                    && query.octet_bits() & required_bits == *required_bits
                    && self.has_pieces(pieces, *is_anchored, rest)
            }
        }
    }

    /// Returns true if `rest` contains the pieces in order. The leftmost match of each is
    /// sufficient; only an anchored last piece is compared with the end.
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
            found.is_some_and(|position| {
                rest = &rest[position + piece.len()..];
                true
            })
        })
    }
}

/// A path for which rules are searched, and the set of its octets, which is computed when first
/// needed.
struct PathQuery<'a> {
    path: &'a [u8],
    octet_bits: Option<u64>,
}

impl PathQuery<'_> {
    /// Returns the low six bits of the octets of the path, as a set with one bit per value.
    fn octet_bits(&mut self) -> u64 {
        *self
            .octet_bits
            .get_or_insert_with(|| collect_low_six_bits(self.path))
    }
}

/// Returns the set of the low six bits of octets, with one bit per value.
fn collect_low_six_bits(octets: &[u8]) -> u64 {
    let bit = |octet: u8| 1u64 << (octet & 63);
    let (eights, rest) = octets.as_chunks::<8>();
    // Two accumulators shorten the dependency chain.
    let (even, odd) = eights.iter().fold((0, 0), |(even, odd), eight| {
        let [a, b, c, d, e, f, g, h] = eight.map(bit);
        (even | (a | c) | (e | g), odd | (b | d) | (f | h))
    });
    rest.iter()
        .fold(even | odd, |bits, &octet| bits | bit(octet))
}

/// Returns the first eight octets of a path, padded with zeros.
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

/// A radix tree of the heads of all rules. Each node refers to the rules whose head ends there.
#[derive(Debug)]
struct HeadTree {
    /// The children of a node are adjacent.
    nodes: Vec<HeadNode>,
    /// The first octet of each node's label.
    label_first_octets: Vec<u8>,
    /// The rules with [`PatternTail::Pieces`], node by node, and the best first in each node.
    tails: Vec<u32>,
    filters: Vec<TailFilter>,
}

/// A node of the tree. The octets from the root to the node are a head, or the common beginning of
/// several heads.
#[derive(Debug)]
struct HeadNode {
    /// The octets from the parent to this node, as a range of [`CompiledRules::text`].
    label: Range<u32>,
    /// The children of this node, as a range of [`HeadTree::nodes`].
    children: Range<u32>,
    /// The best rule at this node or an ancestor that matches whatever follows its head, or
    /// [`NO_INDEX`].
    best: u32,
    /// The best rule that requires the path to end at this node, or [`NO_INDEX`].
    best_at_end: u32,
    /// The rules with pieces at this node, as a range of [`HeadTree::tails`].
    tails: Range<u32>,
    /// The index in [`HeadTree::filters`] of the filter over these tails if there are many, or
    /// [`NO_INDEX`].
    filter: u32,
    /// The nearest ancestor that has rules with pieces, or [`NO_INDEX`].
    next_tails_node: u32,
}

impl HeadTree {
    fn new(compiled: &CompiledRules) -> Self {
        let mut order: Vec<u32> = (0..compiled.rules.len() as u32).collect();
        let head = |index: u32| compiled.head(&compiled.rules[index as usize]);
        order.sort_unstable_by(|&a, &b| head(a).cmp(head(b)).then(a.cmp(&b)));
        let mut tree = Self {
            nodes: Vec::with_capacity(order.len() + 1),
            label_first_octets: Vec::with_capacity(order.len() + 1),
            tails: Vec::new(),
            filters: Vec::new(),
        };
        tree.nodes.push(HeadNode::new(0..0, NO_INDEX, NO_INDEX));
        tree.label_first_octets.push(0);
        // For each node, the rules at and below the node, as a range of `order`, and its depth in
        // octets.
        let mut ranges: Vec<(Range<usize>, usize)> = vec![(0..order.len(), 0)];
        let mut node = 0;
        while node < tree.nodes.len() {
            let (range, depth) = ranges[node].clone();
            let rules = &order[range.clone()];
            // Heads that end at this node are sorted before the longer heads below it.
            let own_count = rules
                .iter()
                .take_while(|&&rule| head(rule).len() == depth)
                .count();
            tree.add_rules(compiled, node, &rules[..own_count]);
            let next_tails_node = if tree.nodes[node].tails.is_empty() {
                tree.nodes[node].next_tails_node
            } else {
                node as u32
            };
            let (best, first_child) = (tree.nodes[node].best, tree.nodes.len() as u32);
            let mut start = range.start + own_count;
            while start < range.end {
                let octet = head(order[start])[depth];
                let siblings = &order[start..range.end];
                let count = siblings.partition_point(|&rule| head(rule)[depth] == octet);
                let (low, high) = (head(order[start]), head(order[start + count - 1]));
                let shared = low[depth..].iter().zip(&high[depth..]);
                let label_len = shared.take_while(|(a, b)| a == b).count();
                let label_start = compiled.rules[order[start] as usize].head.start + depth as u32;
                let label = label_start..label_start + label_len as u32;
                tree.nodes.push(HeadNode::new(label, best, next_tails_node));
                tree.label_first_octets.push(octet);
                ranges.push((start..start + count, depth + label_len));
                start += count;
            }
            tree.nodes[node].children = first_child..tree.nodes.len() as u32;
            node += 1;
        }
        tree
    }

    /// Adds rules to the node at which their heads end. `rules` are in order of precedence.
    fn add_rules(&mut self, compiled: &CompiledRules, node: usize, rules: &[u32]) {
        let tails_start = self.tails.len() as u32;
        let node = &mut self.nodes[node];
        for &rule in rules {
            match compiled.rules[rule as usize].tail {
                PatternTail::Anything => node.best = node.best.min(rule),
                PatternTail::End => node.best_at_end = node.best_at_end.min(rule),
                PatternTail::Pieces { .. } => self.tails.push(rule),
            }
        }
        node.tails = tails_start..self.tails.len() as u32;
        if node.tails.len() > MAX_SEQUENTIAL_TAILS
            && let Some(filter) = TailFilter::new(compiled, &self.tails[tails_start as usize..])
        {
            node.filter = self.filters.len() as u32;
            self.filters.push(filter);
        }
    }

    /// Returns the first rule that matches, or [`NO_INDEX`].
    fn find_first(&self, compiled: &CompiledRules, query: &mut PathQuery<'_>) -> u32 {
        let path = query.path;
        let mut node = &self.nodes[0];
        let mut depth = 0;
        while let Some(&octet) = path.get(depth) {
            let children = node.children.start as usize..node.children.end as usize;
            let Some(nth) = memchr(octet, &self.label_first_octets[children.clone()]) else {
                break;
            };
            let child = &self.nodes[children.start + nth];
            let label = &compiled.text[child.label.start as usize..child.label.end as usize];
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
            if tails.first().is_some_and(|&rule| rule < best) {
                best = match self.filters.get(node.filter as usize) {
                    Some(filter) => filter.find_first(compiled, query, best),
                    None => find_first_tail(compiled, query, tails, best),
                };
            }
            match self.nodes.get(node.next_tails_node as usize) {
                Some(next_tails_node) => node = next_tails_node,
                None => return best,
            }
        }
    }
}

/// Returns the first of `tails` that matches, if it is better than `best`, otherwise `best`.
fn find_first_tail(
    compiled: &CompiledRules,
    query: &mut PathQuery<'_>,
    tails: &[u32],
    best: u32,
) -> u32 {
    let better = tails.iter().take_while(|&&rule| rule < best);
    better
        .copied()
        .find(|&rule| compiled.is_tail_match(&compiled.rules[rule as usize], query))
        .unwrap_or(best)
}

impl HeadNode {
    fn new(label: Range<u32>, best: u32, next_tails_node: u32) -> Self {
        Self {
            label,
            children: 0..0,
            best,
            best_at_end: NO_INDEX,
            tails: 0..0,
            filter: NO_INDEX,
            next_tails_node,
        }
    }
}

/// A filter over the many tails of one head: a tail is tested only if its longest piece occurs in
/// the path.
#[derive(Debug)]
struct TailFilter {
    /// Finds the longest piece of each tail. The pattern number of a piece is its index in
    /// `rule_ranges`.
    automaton: NFA,
    /// The rules of each piece, as ranges of `rules`.
    rule_ranges: Vec<Range<u32>>,
    /// The rules of all pieces, for each piece the best first.
    rules: Vec<u32>,
    /// The length of the head in octets. The search for pieces begins after the head.
    head_len: u32,
}

impl TailFilter {
    /// Returns `None` if the automaton would exceed the limits of its crate.
    fn new(compiled: &CompiledRules, tails: &[u32]) -> Option<Self> {
        let mut piece_numbers: HashMap<&[u8], usize> = HashMap::new();
        let mut pieces: Vec<&[u8]> = Vec::new();
        let mut rules: Vec<Vec<u32>> = Vec::new();
        let mut head_len = 0;
        for &index in tails {
            let rule = &compiled.rules[index as usize];
            head_len = rule.head.len() as u32;
            let piece = compiled.longest_piece(rule);
            let number = *piece_numbers.entry(piece).or_insert_with(|| {
                pieces.push(piece);
                rules.push(Vec::new());
                pieces.len() - 1
            });
            rules[number].push(index);
        }
        let automaton = NFA::builder()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(&pieces)
            .ok()?;
        let mut end = 0;
        let rule_ranges = rules.iter().map(|rules| {
            let start = end;
            end += rules.len() as u32;
            start..end
        });
        Some(Self {
            automaton,
            rule_ranges: rule_ranges.collect(),
            rules: rules.concat(),
            head_len,
        })
    }

    /// Returns the first rule that matches, if it is better than `best`, otherwise `best`.
    fn find_first(
        &self,
        compiled: &CompiledRules,
        query: &mut PathQuery<'_>,
        mut best: u32,
    ) -> u32 {
        // The pieces whose rules were tested, one bit per piece. Empty until a piece is found,
        // because most paths contain none.
        let mut tested_pieces: Vec<u64> = Vec::new();
        let input = Input::new(&query.path[self.head_len as usize..]).anchored(Anchored::No);
        let mut state = OverlappingState::start();
        loop {
            let step = self.automaton.try_find_overlapping(&input, &mut state);
            let Some(found) = step.ok().and_then(|()| state.get_match()) else {
                return best;
            };
            let piece = found.pattern().as_usize();
            if tested_pieces.is_empty() {
                tested_pieces.resize(self.rule_ranges.len().div_ceil(64), 0);
            }
            let (word, bit) = (&mut tested_pieces[piece / 64], 1 << (piece % 64));
            if *word & bit == 0 {
                *word |= bit;
                let range = &self.rule_ranges[piece];
                let rules = &self.rules[range.start as usize..range.end as usize];
                best = find_first_tail(compiled, query, rules, best);
            }
        }
    }
}

impl CompiledRules {
    /// Returns the longest piece of a rule that has pieces.
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

    /// Random numbers from a fixed seed.
    struct Random(u64);

    impl Random {
        fn next_below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % end as u64) as usize
        }

        fn next_text(&mut self, words: &[&str], len: usize) -> Vec<u8> {
            let count = self.next_below(len + 1);
            let words: Vec<&str> = (0..count)
                .map(|_| words[self.next_below(words.len())])
                .collect();
            words.concat().into_bytes()
        }
    }

    fn compile(patterns: &[Vec<u8>]) -> CompiledRules {
        let mut compiled = CompiledRules::default();
        for pattern in patterns {
            compiled.push(pattern::iter_pattern_parts(pattern, false));
        }
        compiled
    }

    /// Asserts that the list and the tree find the pattern that testing each one finds.
    fn assert_equal_answers(patterns: &[Vec<u8>], paths: impl Iterator<Item = Vec<u8>>) {
        let compiled = compile(patterns);
        let tree = HeadTree::new(&compiled);
        for path in paths {
            let expected = patterns
                .iter()
                .position(|pattern| pattern::matches(pattern, &path));
            let query = || PathQuery {
                path: &path,
                octet_bits: None,
            };
            let sequential = compiled.find_first_sequentially(&mut query());
            let in_tree = tree.find_first(&compiled, &mut query());
            let in_tree = (in_tree != NO_INDEX).then_some(in_tree as usize);
            assert_eq!(
                (sequential, in_tree),
                (expected, expected),
                "{} among {:?}",
                path.escape_ascii(),
                patterns
                    .iter()
                    .map(|pattern| pattern.escape_ascii().to_string())
                    .collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn the_list_and_the_tree_find_the_first_matching_pattern() {
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
            let count = random.next_below(40);
            let patterns: Vec<_> = (0..count).map(|_| random.next_text(&words, 6)).collect();
            let paths: Vec<_> = (0..20).map(|_| random.next_text(&words, 7)).collect();
            assert_equal_answers(&patterns, paths.into_iter());
        }
    }

    #[test]
    fn many_tails_of_one_head_are_filtered_exactly() {
        let mut random = Random(7);
        let words = ["a", "b", "ab", "ba", "aab", "/"];
        for _ in 0..300 {
            let patterns: Vec<_> = (0..200)
                .map(|_| {
                    let head = [&b"/"[..], b"", b"/a", b"/b/a"][random.next_below(4)];
                    let mut pattern = head.to_vec();
                    for _ in 0..1 + random.next_below(3) {
                        pattern.push(b'*');
                        pattern.extend(random.next_text(&words, 4));
                    }
                    if random.next_below(4) == 0 {
                        pattern.push(b'$');
                    }
                    pattern
                })
                .collect();
            let compiled = compile(&patterns);
            assert!(!HeadTree::new(&compiled).filters.is_empty());
            let paths: Vec<_> = (0..50)
                .map(|_| [b"/".to_vec(), random.next_text(&words, 8)].concat())
                .collect();
            assert_equal_answers(&patterns, paths.into_iter());
        }
    }

    #[test]
    fn the_tree_is_built_after_some_queries_and_changes_no_answer() {
        let patterns: Vec<Vec<u8>> = (0..100)
            .map(|i| format!("/{i}/*x{i}").into_bytes())
            .collect();
        let compiled = compile(&patterns);
        for i in 0..100 {
            assert_eq!(compiled.tree.get().is_some(), 2 * i > QUERIES_BEFORE_TREE);
            let path = format!("/{i}/_x{i}");
            assert_eq!(compiled.find_first(path.as_bytes()), Some(i as usize));
            assert_eq!(compiled.find_first(b"/100/x"), None);
        }
    }
}
