//! The lines of a policy: as the text of which its key is the digest, as a robots.txt file, and as text.

use crate::own_tables;
use crate::policies::keyed_rows::KeyedRows;
use crate::policies::row_key::{KeyText, RowKey};
use dataset::error::DatasetDefect;
use dataset::{DirectiveLine, Encoding, GroupLine, RuleLine, StoredLine, merge_lines, row};
use errors::Error;
use process::HASH_SEED;
use robots::RobotsTxtBuilder;
use sort::SortMemory;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

const GROUP_LINES: Encoding<GroupLine<'static>> =
    Encoding::of(own_tables::columns_without_key(own_tables::POLICY_GROUPS));

row! {
    /// The values of a user-agent line that do not follow from its text.
    struct GroupValues<'a> of own_tables::POLICY_GROUPS {
        token_valid: bool,
        request_rate: Option<&'a str>,
        visit_time: Option<&'a str>,
    }
}

const GROUP_VALUES: Encoding<GroupValues<'static>> =
    Encoding::of(own_tables::columns_without_key(own_tables::POLICY_GROUPS));

const RULE_LINES: Encoding<RuleLine<'static>> =
    Encoding::of(own_tables::columns_without_key(own_tables::POLICY_RULES));

const DIRECTIVE_LINES: Encoding<DirectiveLine<'static>> = Encoding::of(
    own_tables::columns_without_key(own_tables::POLICY_DIRECTIVES),
);

/// Adds a line to the text of which the key of the policy is the digest: the line as written, and the values that are
/// read from it. Some of these do not follow from the line as written: Google's parser drops the end of a long line, and
/// the rates of an HTML page are in lines that are not part of the policy. `values` are those of a user-agent line.
fn push_to_key(line: &StoredLine<'_>, values: Option<GroupValues<'_>>, text: &mut KeyText) {
    let written = line.written();
    match line {
        StoredLine::Group(line) => text.push_line([
            line.line_no.into(),
            line.record_no.into(),
            "user-agent".into(),
            written.key.into(),
            line.has_colon.into(),
            written.value.into(),
            line.counts.into(),
            line.agent.into(),
            values.is_some_and(|values| values.token_valid).into(),
            line.crawl_delay_ms.into(),
            values.and_then(|values| values.request_rate).into(),
            values.and_then(|values| values.visit_time).into(),
        ]),
        StoredLine::Rule(line) => text.push_line([
            line.line_no.into(),
            line.record_no.into(),
            if line.allow { "allow" } else { "disallow" }.into(),
            written.key.into(),
            line.has_colon.into(),
            written.value.into(),
            line.counts.into(),
            line.path.into(),
        ]),
        StoredLine::Directive(line) => text.push_line([
            line.line_no.into(),
            "directive".into(),
            written.key.into(),
            line.has_colon.into(),
            written.value.into(),
            line.counts.into(),
        ]),
    }
}

/// Reads the lines in the encoded rows of the three tables, without `policy_id`, in the order of the file.
fn decode_lines<'a>([groups, rules, directives]: [&'a [u8]; 3]) -> Vec<StoredLine<'a>> {
    merge_lines(
        GROUP_LINES.rows(groups).map(|(line, _)| line),
        RULE_LINES.rows(rules).map(|(line, _)| line),
        DIRECTIVE_LINES.rows(directives).map(|(line, _)| line),
    )
}

fn lines_of<'a>(policy: &KeyedRows<'a>) -> Vec<StoredLine<'a>> {
    decode_lines([policy.groups(), policy.rules(), policy.directives()])
}

/// The memory in bytes that a hash table takes for a known key, at most.
const BYTES_PER_KNOWN_KEY: usize = 64;

/// Computes the keys of policies. Most files are the same in many captures: the key of rows that occurred lately is known.
pub(crate) struct PolicyKeys {
    /// The keys by the hash of the rows, with a seed that nobody knows.
    known: HashMap<u128, RowKey>,
    known_max: usize,
    text: KeyText,
}

impl PolicyKeys {
    pub(crate) fn new(memory: SortMemory<'_>) -> Self {
        Self {
            known: HashMap::new(),
            known_max: memory.buffer_bytes() / BYTES_PER_KNOWN_KEY,
            text: KeyText::default(),
        }
    }

    /// Returns the key of a policy from its encoded rows in the three tables of lines, without `policy_id`.
    pub(crate) fn find(&mut self, is_valid_utf8: bool, tables: [&[u8]; 3]) -> RowKey {
        let mut hasher = Xxh3::with_seed(*HASH_SEED);
        hasher.update(&[is_valid_utf8.into()]);
        for rows in tables {
            hasher.update(&rows.len().to_le_bytes());
            hasher.update(rows);
        }
        let hash = hasher.digest128();
        if let Some(key) = self.known.get(&hash) {
            return *key;
        }
        if self.known.len() >= self.known_max {
            self.known.clear();
        }
        self.text.clear();
        self.text.push_line([is_valid_utf8.into()]);
        let mut values = GROUP_VALUES.rows(tables[0]);
        for line in decode_lines(tables) {
            let is_group = matches!(line, StoredLine::Group(_));
            let values = is_group.then(|| values.next()).flatten();
            push_to_key(&line, values.map(|(values, _)| values), &mut self.text);
        }
        let key = self.text.key();
        self.known.insert(hash, key);
        key
    }
}

/// Adds the lines of a policy to a file that is being rebuilt, in the order of lines.
///
/// # Errors
///
/// [`DatasetDefect::BadTable`] if the file exceeds the limit of the builder.
pub fn push_lines(policy: &KeyedRows<'_>, file: &mut RobotsTxtBuilder) -> Result<(), Error> {
    let is_valid_utf8 = policy.is_valid_utf8();
    let mut lines = lines_of(policy).into_iter();
    if lines.all(|line| line.push_to(file, is_valid_utf8)) {
        Ok(())
    } else {
        let table = Path::new(own_tables::POLICY_RULES.name());
        Err(DatasetDefect::too_many_rules().error(table))
    }
}

/// Returns the lines of a policy as text, by their numbers.
pub fn read_lines(policy: &KeyedRows<'_>) -> BTreeMap<u32, String> {
    let lines = lines_of(policy);
    let written = lines.iter().map(StoredLine::written);
    written.map(|line| (line.line_no, line.text())).collect()
}
