//! Rows of the table `shares`.

use crate::own_tables;
use crate::policies::verdict_class::VerdictClass;
use crate::read::crawl_row::CrawlRow;
use crate::write::table_writer::TableWriters;
use dataset::{Encoding, Word, row};
use errors::Error;
use robots::{Basis, Verdict};
use sort::{Key, Rest, SortedRecords, Sorter};

row! {
    /// A row of `shares`: the hosts with one verdict and basis for a crawler in a crawl.
    pub(crate) whole struct ShareRow<'a> of own_tables::SHARES {
        pub(crate) agent: &'a [u8],
        pub(crate) crawl: &'a str,
        pub(crate) verdict: Word<Verdict>,
        pub(crate) basis: Word<Basis>,
        pub(crate) hosts: i64,
        /// The hosts of the crawl with a known verdict for the crawler: the denominator of the share.
        pub(crate) known_hosts: i64,
        pub(crate) domains_any: i64,
        /// The hosts of the registered domain that has most of `hosts`.
        pub(crate) largest_domain: i64,
        pub(crate) low_millionths: Option<u32>,
        pub(crate) high_millionths: Option<u32>,
    }
}

/// The 95 percent confidence interval of the share `hosts / known_hosts`, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) low_millionths: u32,
    pub(crate) high_millionths: u32,
}

row! {
    /// The key of a row of `shares`.
    pub(crate) struct ShareKey<'a> of own_tables::SHARES {
        pub(crate) agent: &'a [u8],
        pub(crate) crawl: &'a str,
        verdict: Word<Verdict>,
        basis: Word<Basis>,
    }
}

pub(crate) const SHARE_KEY: Encoding<ShareKey<'static>> =
    Encoding::of(own_tables::SHARES.columns());

/// An encoded row of `shares`, after the crawler, the position of the crawl, and the class, by which rows are sorted.
pub(crate) type SortedShare = ((Key<'static>, (u32, VerdictClass)), Rest<'static>);

impl ShareKey<'_> {
    pub(crate) fn class(&self) -> VerdictClass {
        VerdictClass::new(self.verdict.0, self.basis.0)
    }
}

/// Adds an encoded row to `rows`. `position` is the position of its crawl.
pub(crate) fn push_share(
    row: &[u8],
    position: u32,
    rows: &mut Sorter<'_, SortedShare>,
) -> Result<(), Error> {
    let share = SHARE_KEY.read(row);
    let mut escaped = Vec::new();
    let key = Key::new(share.agent, &mut escaped);
    rows.push(((key, (position, share.class())), Rest(row)))
}

/// Writes the table `shares`.
pub(crate) fn write_shares(
    rows: &SortedRecords<'_, SortedShare>,
    writers: &mut TableWriters<'_>,
) -> Result<(), Error> {
    let mut reader = rows.read()?;
    while let Some((_, row)) = reader.next_record()? {
        writers.push_encoded(own_tables::SHARES, row.0)?;
    }
    Ok(())
}

/// Returns the 95 percent confidence interval of a share. `by_archive` has for each archive the number of its hosts
/// with the verdict, and of its hosts with a known verdict. `None` if fewer than five archives or all of the list
/// were read, or if the share is 0 or 1. The macro `margin_of` of `tables/macros.sql` has the same formula: change
/// both together.
pub(crate) fn compute_interval(
    by_archive: impl Iterator<Item = (i64, i64)>,
    known_hosts: i64,
    crawl: &CrawlRow,
) -> Option<Interval> {
    let (read, listed) = (crawl.archives_read as f64, crawl.archives_listed as f64);
    let (mut hosts, mut squares, mut products, mut known_squares) = (0.0, 0.0, 0.0, 0.0);
    for (x, n) in by_archive {
        let (x, n) = (x as f64, n as f64);
        hosts += x;
        squares += x * x;
        products += x * n;
        known_squares += n * n;
    }
    let known = known_hosts as f64;
    if read < 5.0 || read >= listed || hosts <= 0.0 || hosts >= known {
        return None;
    }
    let (share, freedom) = (hosts / known, read - 1.0);
    let quantile =
        1.959964 + 2.372273 / freedom + 2.822498 / freedom.powi(2) + 2.555852 / freedom.powi(3);
    let variance = squares - 2.0 * share * products + share.powi(2) * known_squares;
    let scale = (1.0 - read / listed) * read / freedom;
    let margin = quantile * (scale * variance).max(0.0).sqrt() / known;
    let millionths = |end: f64| (end.clamp(0.0, 1.0) * 1e6).round() as u32;
    Some(Interval {
        low_millionths: millionths(share - margin),
        high_millionths: millionths(share + margin),
    })
}
