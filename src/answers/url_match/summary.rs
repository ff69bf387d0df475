//! The counts of a match.

use super::decision::{Decision, DecisionBasis, UrlAccess};
use std::collections::BTreeMap;

/// The counts of a finished match, and the time it took.
#[derive(Clone, Debug, Default)]
pub struct MatchSummary {
    /// Rows of the list.
    pub urls: u64,
    /// Rows whose URLs are decided in another form than given, as clients send them.
    pub changed_urls: u64,
    /// Distinct origins in the list.
    pub origins: u64,
    /// Robots.txt files whose rules were evaluated.
    pub files: u64,
    /// Output rows: one per URL and crawler.
    pub rows: u64,
    /// Output rows by `access`.
    pub by_access: BTreeMap<String, u64>,
    /// Output rows by `basis`.
    pub by_basis: BTreeMap<String, u64>,
    /// Sorted runs that sorters spilled to disk.
    pub runs: u64,
    /// The size of the output file.
    pub bytes_written: u64,
    /// The wall time.
    pub seconds: f64,
    /// True if the run that wrote the dataset was finished.
    pub is_dataset_whole: bool,
}

/// The number of decisions by access and by basis.
#[derive(Default)]
pub(super) struct AnswerCounts {
    by_access: [u64; UrlAccess::ALL.len()],
    /// By the codes of bases.
    by_basis: [u64; DecisionBasis::CODE_COUNT],
}

impl AnswerCounts {
    pub(super) fn add(&mut self, decision: &Decision) {
        self.by_access[decision.access as usize] += 1;
        self.by_basis[usize::from(decision.basis.code())] += 1;
    }

    pub(super) fn write_to(&self, summary: &mut MatchSummary) {
        let owned = |(name, count): (&str, u64)| (name.to_owned(), count);
        let accesses = UrlAccess::ALL.map(UrlAccess::name).into_iter();
        summary.by_access = accesses.zip(self.by_access).map(owned).collect();
        for (code, count) in (0..).zip(self.by_basis).filter(|(_, count)| *count > 0) {
            let name = DecisionBasis::from_code(code).name();
            *summary.by_basis.entry(name.to_owned()).or_default() += count;
        }
    }
}
