//! The crawlers that a file names, with their groups in all three dialects, gathered in one pass.

use crate::agent_name::is_wildcard;
use crate::dialect::grouping::{GroupCounter, KosterRecordStartDetector};
use crate::dialect::koster1996;
use crate::dialect::rfc9309::is_conforming;
use crate::document::{DirectiveKind, RobotsTxt, Span};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// The largest capacity, in entries, that a hash table keeps for the next file.
pub(super) const MAX_KEPT_CAPACITY: usize = 4096;

/// The groups of an agent, in order. The first is stored here, and the others as a linked list in
/// [`AgentIndex::links`]. Nearly all agents have one group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupList {
    /// The number of the first group, or 0 for none.
    first: u32,
    /// The number of the last group.
    last: u32,
    /// The number of the last link in [`AgentIndex::links`], from 1, or 0 if there is only one
    /// group.
    last_link: u32,
}

/// A group of an agent other than its first.
#[derive(Clone, Copy, Debug)]
struct GroupLink {
    group_no: u32,
    /// The number of the link before this one, from 1, or 0 if only the first group is before this
    /// one.
    previous: u32,
}

/// A name in a file, in lower case: a whole name, a product token, or both.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AgentEntry {
    pub(crate) text: Span,
    /// The groups in which this is a whole name.
    pub(crate) name_groups: GroupList,
    /// The first valid crawl-delay of the lines in which this is a whole name, in milliseconds.
    pub(crate) crawl_delay_ms: Option<i64>,
    /// The groups in which this is the product token that Google's parser reads.
    pub(crate) token_groups: GroupList,
    /// The groups of `rfc9309` in which this is a product token.
    pub(crate) rfc9309_groups: GroupList,
    /// The number of the first record of `koster1996` that has this name, from 1, or 0 for none.
    /// Only records with an agent are numbered here.
    pub(crate) koster_record_no: u32,
}

/// A user-agent line whose name in `koster1996` is not its whole name.
#[derive(Clone, Copy, Debug)]
struct KosterName {
    /// The index of the user-agent line in [`RobotsTxt::directives`].
    line: u32,
    /// The number of the record, as in [`AgentEntry::koster_record_no`].
    record_no: u32,
}

/// All names in a file.
#[derive(Debug, Default)]
pub(crate) struct AgentIndex {
    /// Whole names and product tokens, in the order of their first lines.
    pub(crate) entries: Vec<AgentEntry>,
    /// The entry of `*`.
    pub(crate) wildcard: AgentEntry,
    /// The index in [`RobotsTxt::directives`] of the first user-agent line of each group of
    /// `rfc9309`.
    pub(crate) rfc9309_group_starts: Vec<u32>,
    /// The index in [`RobotsTxt::directives`] of the first user-agent line of each record of
    /// `koster1996` that has an agent.
    pub(crate) koster_record_starts: Vec<u32>,
    /// True if all user-agent lines and rules conform to the grammar of RFC 9309, so that its
    /// groups are those of Google's parser.
    pub(crate) all_conform: bool,
    /// The indexes of [`entries`](Self::entries), by a hash of their text.
    table: HashTable<u32>,
    hash_builder: DefaultHashBuilder,
    links: Vec<GroupLink>,
    koster_names: Vec<KosterName>,
    lower_case_name: Vec<u8>,
}

/// Counts the groups of `rfc9309`, and detects the records of `koster1996` that have an agent.
#[derive(Default)]
struct StrictGrouping {
    groups: GroupCounter,
    record_starts: KosterRecordStartDetector,
}

impl AgentIndex {
    /// Gathers the names in the lines that count.
    pub(crate) fn gather(&mut self, robots_txt: &RobotsTxt<'_>) {
        self.entries.clear();
        self.wildcard = AgentEntry::default();
        self.rfc9309_group_starts.clear();
        self.koster_record_starts.clear();
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
                    grouping.groups.pass_rule()
                }
                DirectiveKind::Allow | DirectiveKind::Disallow => self.all_conform = false,
                DirectiveKind::Sitemap | DirectiveKind::Other => {}
            }
        }
        self.add_koster_records(robots_txt);
    }

    /// Adds the names in the user-agent line at an index.
    fn add_agent(&mut self, robots_txt: &RobotsTxt<'_>, index: u32, grouping: &mut StrictGrouping) {
        let line = &robots_txt.directives()[index as usize];
        let conforms = is_conforming(line);
        if conforms {
            if grouping.groups.pass_user_agent() {
                self.rfc9309_group_starts.push(index);
            }
            if grouping.record_starts.pass_user_agent(line) {
                self.koster_record_starts.push(index);
            }
        }
        let rfc9309_group_no = grouping.groups.group_no();
        let record_no = self.koster_record_starts.len() as u32;
        self.all_conform &= conforms && rfc9309_group_no == line.group_no;
        let crawl_delay_ms = robots_txt.rate_limits(line.line_no).crawl_delay_ms;
        if is_wildcard(robots_txt.text(line.value)) {
            self.wildcard.crawl_delay_ms = self.wildcard.crawl_delay_ms.or(crawl_delay_ms);
            self.wildcard
                .name_groups
                .push(line.group_no, &mut self.links);
            if conforms && robots_txt.text(line.value_raw) == b"*" {
                self.wildcard
                    .rfc9309_groups
                    .push(rfc9309_group_no, &mut self.links);
                self.wildcard.add_record(record_no);
            }
            return;
        }
        let (name, token) = (robots_txt.text(line.name), robots_txt.text(line.token));
        let mut name_entry = None;
        if !name.is_empty() {
            let entry = self.find_or_add_entry(robots_txt, line.name);
            let agent = &mut self.entries[entry];
            agent.name_groups.push(line.group_no, &mut self.links);
            agent.crawl_delay_ms = agent.crawl_delay_ms.or(crawl_delay_ms);
            name_entry = Some(entry);
        }
        // If no byte of the value was cut off, the value is a product token, which is also its own
        // whole name.
        let is_product_token = !token.is_empty() && token.len() == line.value_raw.len();
        if !token.is_empty() {
            let entry = match name_entry {
                Some(entry) if token == name => entry,
                _ => self.find_or_add_entry(robots_txt, line.token),
            };
            let agent = &mut self.entries[entry];
            agent.token_groups.push(line.group_no, &mut self.links);
            if conforms && is_product_token {
                agent.rfc9309_groups.push(rfc9309_group_no, &mut self.links);
                agent.add_record(record_no);
            }
        }
        if conforms && !is_product_token {
            let koster_name = koster1996::strip_version(robots_txt.text(line.value_raw));
            match name_entry {
                Some(entry) if koster_name.eq_ignore_ascii_case(name) => {
                    self.entries[entry].add_record(record_no);
                }
                _ => self.koster_names.push(KosterName {
                    line: index,
                    record_no,
                }),
            }
        }
    }

    /// Adds the records of [`KosterName`]s to the entries that have the same name.
    fn add_koster_records(&mut self, robots_txt: &RobotsTxt<'_>) {
        let mut lower_case_name = std::mem::take(&mut self.lower_case_name);
        for i in 0..self.koster_names.len() {
            let KosterName { line, record_no } = self.koster_names[i];
            let value = robots_txt.text(robots_txt.directives()[line as usize].value_raw);
            lower_case_name.clear();
            lower_case_name.extend_from_slice(koster1996::strip_version(value));
            lower_case_name.make_ascii_lowercase();
            if let Some(entry) = self.find(robots_txt, &lower_case_name) {
                self.entries[entry].add_record(record_no);
            }
        }
        self.lower_case_name = lower_case_name;
    }

    /// Returns the index of the entry of a name in lower case.
    pub(crate) fn find(&self, robots_txt: &RobotsTxt<'_>, name: &[u8]) -> Option<usize> {
        let is_same = |&entry: &u32| robots_txt.text(self.entries[entry as usize].text) == name;
        let found = self.table.find(self.hash_builder.hash_one(name), is_same);
        found.map(|&entry| entry as usize)
    }

    /// Returns the index of the entry of a name, and adds the entry if there is none.
    fn find_or_add_entry(&mut self, robots_txt: &RobotsTxt<'_>, text: Span) -> usize {
        let Self {
            entries,
            table,
            hash_builder,
            ..
        } = self;
        let name = robots_txt.text(text);
        let name_hash = hash_builder.hash_one(name);
        let is_same = |&entry: &u32| robots_txt.text(entries[entry as usize].text) == name;
        if let Some(&entry) = table.find(name_hash, is_same) {
            return entry as usize;
        }
        let entry = entries.len();
        table.insert_unique(name_hash, entry as u32, |&entry| {
            hash_builder.hash_one(robots_txt.text(entries[entry as usize].text))
        });
        entries.push(AgentEntry {
            text,
            ..AgentEntry::default()
        });
        entry
    }

    /// Writes the numbers of groups to `out`, in order.
    pub(crate) fn write_groups(&self, groups: GroupList, out: &mut Vec<u32>) {
        out.clear();
        let mut link = groups.last_link;
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
    fn push(&mut self, group_no: u32, links: &mut Vec<GroupLink>) {
        if self.first == 0 {
            self.first = group_no;
        } else if self.last != group_no {
            links.push(GroupLink {
                group_no,
                previous: self.last_link,
            });
            self.last_link = links.len() as u32;
        }
        self.last = group_no;
    }

    pub(crate) fn is_empty(self) -> bool {
        self.first == 0
    }

    /// Returns true if both lists contain only the same single group.
    pub(crate) fn is_same_single(self, other: Self) -> bool {
        self.first == other.first && self.single_group().is_some() && other.last_link == 0
    }

    /// Returns the group if there is exactly one.
    pub(crate) fn single_group(self) -> Option<u32> {
        (self.first != 0 && self.last_link == 0).then_some(self.first)
    }
}

impl AgentEntry {
    /// Adds a record of `koster1996`. Only the first record applies.
    fn add_record(&mut self, record_no: u32) {
        if self.koster_record_no == 0 || record_no < self.koster_record_no {
            self.koster_record_no = record_no;
        }
    }
}

/// Removes all entries of a table. The memory of a large table is not kept, because clearing a
/// table takes time proportional to its capacity.
pub(crate) fn clear_table<T>(table: &mut HashTable<T>) {
    if table.capacity() > MAX_KEPT_CAPACITY {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}
