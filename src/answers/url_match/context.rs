//! The inputs and counters that the steps of a match share.

use super::progress::MatchProgress;
use crate::category_choice::CategoryChoice;
use dataset::crawler::{Crawler, DialectChoice};
use hosts::ResolveContext;

/// The dataset, the crawlers, the dialect by which rules are read, the
/// category of use, and the progress.
#[derive(Clone, Copy)]
pub(super) struct MatchContext<'a> {
    pub(super) resolve: ResolveContext<'a>,
    pub(super) crawlers: &'a [Crawler],
    pub(super) dialect: DialectChoice,
    pub(super) category: Option<&'a CategoryChoice>,
    pub(super) progress: &'a MatchProgress,
}

/// Counts for [`MatchSummary`](super::MatchSummary), which describes them.
#[derive(Debug, Default)]
pub(super) struct MatchCounts {
    pub(super) urls: u64,
    pub(super) origins: u64,
    pub(super) files: u64,
}
