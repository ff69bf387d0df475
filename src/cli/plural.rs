//! Counts with their nouns.

use indicatif::HumanCount;

/// Returns a count with its noun in singular or plural, such as `1,200 parts`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", HumanCount(count))
}
