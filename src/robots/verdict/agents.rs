//! Who is named in a file, and where, by all three readings in one pass.

use crate::agent_name::is_wildcard;
use crate::dialect::koster1996;
use crate::dialect::rfc9309::is_conforming;
use crate::document::{RobotsTxt, Span};
use crate::parse::directive_kind::DirectiveKind;
use crate::verdict::index::Index;

/// Groups in order, mostly one; more lie in [`AgentIndex::groups`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupList {
    /// The first, 0 for none.
    first: u32,
    last: u32,
    /// Where the last is linked to those between it and the first, 0 if there
    /// is but one.
    link: u32,
}

/// A whole name or a token, lower-cased.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AgentEntry {
    pub(crate) text: Span,
    /// Groups with it as a whole name.
    pub(crate) by_name: GroupList,
    /// Groups with it as a token.
    pub(crate) by_token: GroupList,
    /// Groups by `rfc9309` with it as a product token.
    pub(crate) by_rfc9309: GroupList,
    /// Its record by `koster1996`, from 1; 0 for none.
    pub(crate) record: u32,
}

/// A record by `koster1996`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordStart {
    /// The index of its first directive.
    pub(crate) first: u32,
    /// As [`Directive::record_no`](crate::Directive::record_no) has it.
    no: u32,
}

/// All names of a file.
#[derive(Debug, Default)]
pub(crate) struct AgentIndex {
    /// Whole names and tokens, in the order of their first lines.
    pub(crate) in_order: Vec<AgentEntry>,
    /// `*`.
    pub(crate) everybody: AgentEntry,
    /// Where the groups by `rfc9309` begin, as indexes of directives.
    pub(crate) rfc9309_groups: Vec<u32>,
    /// The records that name anybody.
    pub(crate) records: Vec<RecordStart>,
    /// Whether all agents and rules conform to the grammar of RFC 9309, so
    /// that its groups are Google's.
    pub(crate) all_conform: bool,
    index: Index,
    /// Groups after the first of a name, each with the link to the one before.
    links: Vec<(u32, u32)>,
    /// Agents that are named otherwise by `koster1996`, with their records.
    others: Vec<(u32, u32)>,
    lower: Vec<u8>,
}

impl AgentIndex {
    /// Gathers the names that the lines which count hold.
    pub(crate) fn gather(&mut self, robots: &RobotsTxt<'_>) {
        self.in_order.clear();
        self.everybody = AgentEntry::default();
        self.rfc9309_groups.clear();
        self.records.clear();
        self.all_conform = true;
        self.index.clear();
        self.links.clear();
        self.others.clear();
        let mut group_has_rules = true;
        for (at, line) in robots.directives().iter().enumerate() {
            match line.kind {
                _ if !line.counts => {}
                DirectiveKind::UserAgent => self.add_agent(robots, at as u32, &mut group_has_rules),
                DirectiveKind::Allow | DirectiveKind::Disallow if is_conforming(line) => {
                    group_has_rules = true
                }
                DirectiveKind::Allow | DirectiveKind::Disallow => self.all_conform = false,
                DirectiveKind::Sitemap | DirectiveKind::Other => {}
            }
        }
        self.find_others(robots);
    }

    /// `group_has_rules` speaks of the group by `rfc9309`; what comes before
    /// the first is as good as one.
    fn add_agent(&mut self, robots: &RobotsTxt<'_>, at: u32, group_has_rules: &mut bool) {
        let line = &robots.directives()[at as usize];
        let conforms = is_conforming(line);
        if conforms {
            if std::mem::take(group_has_rules) {
                self.rfc9309_groups.push(at);
            }
            if self.records.last().is_none_or(|it| it.no != line.record_no) {
                let (first, no) = (at, line.record_no);
                self.records.push(RecordStart { first, no });
            }
        }
        let group = self.rfc9309_groups.len() as u32;
        let record = self.records.len() as u32;
        self.all_conform &= conforms && group == line.group_no;
        if is_wildcard(robots.text(line.value)) {
            self.everybody.by_name.add(line.group_no, &mut self.links);
            if conforms && robots.text(line.value_raw) == b"*" {
                self.everybody.by_rfc9309.add(group, &mut self.links);
                first(&mut self.everybody.record, record);
            }
            return;
        }
        let (name, token) = (robots.text(line.name), robots.text(line.token));
        let mut by_name = None;
        if !name.is_empty() {
            let named = self.place(robots, line.name);
            self.in_order[named]
                .by_name
                .add(line.group_no, &mut self.links);
            by_name = Some(named);
        }
        // The token of a product token is all of it, and so is its name.
        let is_product_token = !token.is_empty() && token.len() == line.value_raw.len();
        if !token.is_empty() {
            let named = match by_name {
                Some(named) if token == name => named,
                _ => self.place(robots, line.token),
            };
            let it = &mut self.in_order[named];
            it.by_token.add(line.group_no, &mut self.links);
            if conforms && is_product_token {
                it.by_rfc9309.add(group, &mut self.links);
                first(&mut it.record, record);
            }
        }
        if conforms && !is_product_token {
            let own = koster1996::name(robots.text(line.value_raw));
            match by_name {
                Some(named) if own.eq_ignore_ascii_case(name) => {
                    first(&mut self.in_order[named].record, record);
                }
                _ => self.others.push((at, record)),
            }
        }
    }

    /// Looks for names by `koster1996` among those of the other lines.
    fn find_others(&mut self, robots: &RobotsTxt<'_>) {
        let mut lower = std::mem::take(&mut self.lower);
        for at in 0..self.others.len() {
            let (line, record) = self.others[at];
            let value = robots.text(robots.directives()[line as usize].value_raw);
            lower.clear();
            lower.extend_from_slice(koster1996::name(value));
            lower.make_ascii_lowercase();
            if let Some(named) = self.find(robots, &lower) {
                first(&mut self.in_order[named].record, record);
            }
        }
        self.lower = lower;
    }

    /// The place of a name, lower-cased.
    pub(crate) fn find(&self, robots: &RobotsTxt<'_>, name: &[u8]) -> Option<usize> {
        let is_same = |at: u32| robots.text(self.in_order[at as usize].text) == name;
        let found = self.index.find(self.index.hash(name), is_same);
        found.map(|at| at as usize)
    }

    fn place(&mut self, robots: &RobotsTxt<'_>, text: Span) -> usize {
        let name = robots.text(text);
        let hash = self.index.hash(name);
        let is_same = |at: u32| robots.text(self.in_order[at as usize].text) == name;
        if let Some(at) = self.index.find(hash, is_same) {
            return at as usize;
        }
        let at = self.in_order.len();
        self.index.insert(hash, at as u32);
        self.in_order.push(AgentEntry {
            text,
            ..AgentEntry::default()
        });
        at
    }

    /// Writes groups out, in order.
    pub(crate) fn groups(&self, groups: GroupList, out: &mut Vec<u32>) {
        out.clear();
        let mut link = groups.link;
        while let Some(&(group, before)) = self.links.get((link as usize).wrapping_sub(1)) {
            out.push(group);
            link = before;
        }
        if groups.first != 0 {
            out.push(groups.first);
        }
        out.reverse();
    }
}

impl GroupList {
    fn add(&mut self, group: u32, links: &mut Vec<(u32, u32)>) {
        if self.first == 0 {
            self.first = group;
        } else if self.last != group {
            links.push((group, self.link));
            self.link = links.len() as u32;
        }
        self.last = group;
    }

    pub(crate) fn is_empty(self) -> bool {
        self.first == 0
    }

    /// Whether both are the same single group.
    pub(crate) fn is_same_single(self, other: Self) -> bool {
        self.first == other.first && self.single().is_some() && other.link == 0
    }

    /// The only group.
    pub(crate) fn single(self) -> Option<u32> {
        (self.first != 0 && self.link == 0).then_some(self.first)
    }
}

/// Keeps the first record, the one with the least number.
fn first(record: &mut u32, other: u32) {
    if *record == 0 || other < *record {
        *record = other;
    }
}
