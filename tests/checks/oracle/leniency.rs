//! The impact of reading one line leniently, computed from the definition.
//!
//! Shares with the product: the types `DirectiveKind`, `ParseOptions` and `Verdict`. Lines,
//! patterns and the search of all paths are those of this folder.

use super::lines::{self, DirectiveLine, Strict};
use super::policy::{Policy, is_star, whole_name};
use super::reach::reach;
use robots::{DirectiveKind, ParseOptions};
use std::collections::BTreeSet;

/// The largest number of states that the search of one verdict visits.
const MAX_STATES: usize = 400;

/// Returns true if reading this line according to RFC 9309, with all other lines
/// unchanged, gives `*` or a name in the file another verdict. `None` if the
/// search of all paths would take too long.
pub fn changes_verdict(body: &[u8], reading: ParseOptions, line_no: u32) -> Option<bool> {
    let before = lines::read(body, reading).0;
    let Some(changed) = with_strict_line(body, &before, line_no) else {
        return Some(false);
    };
    let mut is_known = true;
    for name in names(&before) {
        let old = reach(&Policy::of_lines(&before, None, &name), MAX_STATES).verdict();
        let new = Policy::of_lines(&changed, Some(line_no), &name);
        match (old, reach(&new, MAX_STATES).verdict()) {
            (Some(old), Some(new)) if old != new => return Some(true),
            (Some(_), Some(_)) => {}
            _ => is_known = false,
        }
    }
    is_known.then_some(false)
}

/// Returns `*` and all names in the lines that count.
fn names(all: &[DirectiveLine]) -> BTreeSet<Vec<u8>> {
    let agents = all
        .iter()
        .filter(|line| line.counts && line.key == DirectiveKind::UserAgent);
    let agents = agents.filter(|line| !is_star(&line.value));
    let named = agents.map(|line| whole_name(&line.value));
    let mut names: BTreeSet<Vec<u8>> = named.filter(|name| !name.is_empty()).collect();
    names.insert(b"*".to_vec());
    names
}

/// Returns the lines, one of them read according to the grammar of RFC 9309 §2.2, or `None` if the
/// parser reads nothing in that line.
fn with_strict_line(
    body: &[u8],
    before: &[DirectiveLine],
    line_no: u32,
) -> Option<Vec<DirectiveLine>> {
    let i = before.iter().position(|line| line.line_no == line_no)?;
    let mut changed = before.to_vec();
    let line = &lines::lines(body)[line_no as usize - 1];
    let bytes = lines::bytes_of_line(body, line, line_no);
    match lines::read_line_strictly(&bytes, line_no) {
        None | Some(Strict::Blank) => {
            changed.remove(i);
        }
        Some(Strict::Agent(value)) => {
            let is_token = |byte: &u8| byte.is_ascii_alphabetic() || b"_-".contains(byte);
            let is_product_token = !value.is_empty() && value.iter().all(is_token);
            if value != b"*" && !is_product_token {
                changed[i].value.clear();
            }
        }
        // The grammar has no rule without a slash, and no path contains a NUL.
        Some(Strict::Rule { value, .. }) => {
            changed[i].value = if value.first() == Some(&b'/') && !value.contains(&0) {
                lines::escape(&value)
            } else {
                Vec::new()
            };
        }
    }
    Some(changed)
}

/// Returns the number of verdicts of a file.
pub fn verdict_count(body: &[u8], reading: ParseOptions) -> usize {
    names(&lines::read(body, reading).0).len()
}
