//! The crawlers that a file names, with their groups in all three dialects, gathered in one pass.

use crate::agent_name::is_wildcard;
use crate::dialect::grouping::{GroupCounter, KosterRecordStarts};
use crate::dialect::koster1996;
use crate::dialect::rfc9309::is_conforming;
use crate::document::{DirectiveKind, RobotsTxt, Span};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// The largest capacity that a table keeps for the next file.
pub(super) const MAX_KEPT_CAPACITY: usize = 4096;

/// The groups of an agent, in order. Nearly all agents have one group; the others are in
/// [`AgentIndex::links`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupList {
    /// The first group, or 0 for none.
    first: u32,
    last: u32,
    /// The link to the groups after the first, or 0 for none.
    link: u32,
}

/// A group after the first of an agent.
#[derive(Clone, Copy, Debug)]
struct GroupLink {
    group_no: u32,
    /// The link to the group before this one, or 0 if that is the first.
    previous: u32,
}

/// A whole name or a token, in lower case.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AgentEntry {
    pub(crate) text: Span,
    /// The groups in which this is a whole name.
    pub(crate) by_name: GroupList,
    /// The groups in which this is a token.
    pub(crate) by_token: GroupList,
    /// The groups of `rfc9309` in which this is a product token.
    pub(crate) by_rfc9309: GroupList,
    /// The number of its record in `koster1996`, from 1, or 0 for none.
    pub(crate) record: u32,
}

/// A value that is a name only in `koster1996`, and its record.
#[derive(Clone, Copy, Debug)]
struct KosterName {
    /// The index of the user-agent line.
    line: u32,
    record: u32,
}

/// All names in a file.
#[derive(Debug, Default)]
pub(crate) struct AgentIndex {
    /// Whole names and tokens, in the order of their first lines.
    pub(crate) in_order: Vec<AgentEntry>,
    /// The entry of `*`.
    pub(crate) wildcard: AgentEntry,
    /// The index of the first directive of each group of `rfc9309`.
    pub(crate) rfc9309_groups: Vec<u32>,
    /// The index of the first user-agent line of each record of `koster1996`.
    pub(crate) koster_records: Vec<u32>,
    /// True if all user-agent lines and rules conform to the grammar of RFC 9309, so that its groups
    /// are those of Google's parser.
    pub(crate) all_conform: bool,
    /// The indexes of [`in_order`](Self::in_order), by text.
    table: HashTable<u32>,
    hash: DefaultHashBuilder,
    links: Vec<GroupLink>,
    koster_names: Vec<KosterName>,
    lower_case: Vec<u8>,
}

/// The groups and records so far, in the dialects that the parser does not number.
#[derive(Default)]
struct StrictGrouping {
    groups: GroupCounter,
    records: KosterRecordStarts,
}

impl AgentIndex {
    /// Gathers the names in the lines that count.
    pub(crate) fn gather(&mut self, robots_txt: &RobotsTxt<'_>) {
        self.in_order.clear();
        self.wildcard = AgentEntry::default();
        self.rfc9309_groups.clear();
        self.koster_records.clear();
        self.all_conform = true;
        clear_table(&mut self.table);
        self.links.clear();
        self.koster_names.clear();
        let mut grouping = StrictGrouping::default();
        for (i, line) in robots_txt.directives().iter().enumerate() {
            match line.kind {
                _ if !line.counts => {}
                DirectiveKind::UserAgent => self.add_agent(robots_txt, i as u32, &mut grouping),
                DirectiveKind::Allow | DirectiveKind::Disallow if is_conforming(line) => {
                    grouping.groups.rule()
                }
                DirectiveKind::Allow | DirectiveKind::Disallow => self.all_conform = false,
                DirectiveKind::Sitemap | DirectiveKind::Other => {}
            }
        }
        self.find_koster_names(robots_txt);
    }

    /// Adds the names in the user-agent line at an index.
    fn add_agent(&mut self, robots_txt: &RobotsTxt<'_>, index: u32, grouping: &mut StrictGrouping) {
        let line = &robots_txt.directives()[index as usize];
        let conforms = is_conforming(line);
        if conforms {
            if grouping.groups.user_agent() {
                self.rfc9309_groups.push(index);
            }
            if grouping.records.user_agent(line) {
                self.koster_records.push(index);
            }
        }
        let group = grouping.groups.group_no();
        let record = self.koster_records.len() as u32;
        self.all_conform &= conforms && group == line.group_no;
        if is_wildcard(robots_txt.text(line.value)) {
            self.wildcard.by_name.add(line.group_no, &mut self.links);
            if conforms && robots_txt.text(line.value_raw) == b"*" {
                self.wildcard.by_rfc9309.add(group, &mut self.links);
                self.wildcard.add_record(record);
            }
            return;
        }
        let (name, token) = (robots_txt.text(line.name), robots_txt.text(line.token));
        let mut by_name = None;
        if !name.is_empty() {
            let entry = self.entry(robots_txt, line.name);
            self.in_order[entry]
                .by_name
                .add(line.group_no, &mut self.links);
            by_name = Some(entry);
        }
        // A product token is its own token and its own whole name.
        let is_product_token = !token.is_empty() && token.len() == line.value_raw.len();
        if !token.is_empty() {
            let entry = match by_name {
                Some(entry) if token == name => entry,
                _ => self.entry(robots_txt, line.token),
            };
            let agent = &mut self.in_order[entry];
            agent.by_token.add(line.group_no, &mut self.links);
            if conforms && is_product_token {
                agent.by_rfc9309.add(group, &mut self.links);
                agent.add_record(record);
            }
        }
        if conforms && !is_product_token {
            let koster_name = koster1996::name(robots_txt.text(line.value_raw));
            match by_name {
                Some(entry) if koster_name.eq_ignore_ascii_case(name) => {
                    self.in_order[entry].add_record(record);
                }
                _ => self.koster_names.push(KosterName {
                    line: index,
                    record,
                }),
            }
        }
    }

    /// Looks up the names that only `koster1996` reads from their lines.
    fn find_koster_names(&mut self, robots_txt: &RobotsTxt<'_>) {
        let mut lower_case = std::mem::take(&mut self.lower_case);
        for i in 0..self.koster_names.len() {
            let KosterName { line, record } = self.koster_names[i];
            let value = robots_txt.text(robots_txt.directives()[line as usize].value_raw);
            lower_case.clear();
            lower_case.extend_from_slice(koster1996::name(value));
            lower_case.make_ascii_lowercase();
            if let Some(entry) = self.find(robots_txt, &lower_case) {
                self.in_order[entry].add_record(record);
            }
        }
        self.lower_case = lower_case;
    }

    /// Returns the index of the entry of a name in lower case.
    pub(crate) fn find(&self, robots_txt: &RobotsTxt<'_>, name: &[u8]) -> Option<usize> {
        let is_same = |&entry: &u32| robots_txt.text(self.in_order[entry as usize].text) == name;
        let found = self.table.find(self.hash.hash_one(name), is_same);
        found.map(|&entry| entry as usize)
    }

    /// Returns the index of the entry of a name, and adds the entry if there is none.
    fn entry(&mut self, robots_txt: &RobotsTxt<'_>, text: Span) -> usize {
        let Self {
            in_order,
            table,
            hash,
            ..
        } = self;
        let name = robots_txt.text(text);
        let name_hash = hash.hash_one(name);
        let is_same = |&entry: &u32| robots_txt.text(in_order[entry as usize].text) == name;
        if let Some(&entry) = table.find(name_hash, is_same) {
            return entry as usize;
        }
        let entry = in_order.len();
        table.insert_unique(name_hash, entry as u32, |&entry| {
            hash.hash_one(robots_txt.text(in_order[entry as usize].text))
        });
        in_order.push(AgentEntry {
            text,
            ..AgentEntry::default()
        });
        entry
    }

    /// Writes the numbers of groups to `out`, in order.
    pub(crate) fn groups(&self, groups: GroupList, out: &mut Vec<u32>) {
        out.clear();
        let mut link = groups.link;
        while let Some(other) = self.links.get((link as usize).wrapping_sub(1)) {
            out.push(other.group_no);
            link = other.previous;
        }
        if groups.first != 0 {
            out.push(groups.first);
        }
        out.reverse();
    }
}

impl GroupList {
    fn add(&mut self, group_no: u32, links: &mut Vec<GroupLink>) {
        if self.first == 0 {
            self.first = group_no;
        } else if self.last != group_no {
            links.push(GroupLink {
                group_no,
                previous: self.link,
            });
            self.link = links.len() as u32;
        }
        self.last = group_no;
    }

    pub(crate) fn is_empty(self) -> bool {
        self.first == 0
    }

    /// Returns true if both lists contain only the same single group.
    pub(crate) fn is_same_single(self, other: Self) -> bool {
        self.first == other.first && self.single().is_some() && other.link == 0
    }

    /// Returns the group if there is exactly one.
    pub(crate) fn single(self) -> Option<u32> {
        (self.first != 0 && self.link == 0).then_some(self.first)
    }
}

impl AgentEntry {
    /// Adds a record of `koster1996`. Only the first record applies.
    fn add_record(&mut self, record: u32) {
        if self.record == 0 || record < self.record {
            self.record = record;
        }
    }
}

/// Removes all entries of a table. Its memory is kept unless it is large, because clearing takes
/// time proportional to the capacity.
pub(crate) fn clear_table<T>(table: &mut HashTable<T>) {
    if table.capacity() > MAX_KEPT_CAPACITY {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}
