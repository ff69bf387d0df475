//! Rows of the table `shares`.

use super::crawl_row::CrawlRow;
use super::table_writer::TableWriters;
use super::verdict_class::VerdictClass;
use crate::own_tables;
use disk::error::Error;
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_key, put_u8, put_u32};
use sort::{SortedRecords, Sorter};

/// A row of `shares`: the hosts with one verdict and basis for a crawler in a crawl.
pub(super) struct ShareRow<'a> {
    pub(super) agent: &'a [u8],
    /// The position of the crawl.
    pub(super) position: u32,
    pub(super) class: VerdictClass,
    pub(super) hosts: i64,
    /// The hosts of the crawl with a known verdict for the crawler: the denominator of the share.
    pub(super) known_hosts: i64,
    pub(super) domains: i64,
    /// The hosts of the registered domain that has most of `hosts`.
    pub(super) largest_domain: i64,
    pub(super) interval: Option<Interval>,
}

/// The 95 percent confidence interval of the share `hosts / known_hosts`, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) low_millionths: u32,
    pub(super) high_millionths: u32,
}

impl ShareRow<'_> {
    /// Adds the row to `rows`, which sorts by crawler, position of the crawl, and class.
    pub(super) fn push(&self, crawl: &str, rows: &mut Sorter<'_>) -> Result<(), Error> {
        let mut fields = Vec::new();
        put_bytes(&mut fields, self.agent);
        put_bytes(&mut fields, crawl.as_bytes());
        self.class.put_names(&mut fields);
        for count in [
            self.hosts,
            self.known_hosts,
            self.domains,
            self.largest_domain,
        ] {
            put_i64(&mut fields, count);
        }
        for end in [
            self.interval.map(|ends| ends.low_millionths),
            self.interval.map(|ends| ends.high_millionths),
        ] {
            put_u8(&mut fields, end.is_some().into());
            if let Some(end) = end {
                put_u32(&mut fields, end);
            }
        }
        push_share(self.agent, self.position, self.class, &fields, rows)
    }
}

fn push_share(
    agent: &[u8],
    position: u32,
    class: VerdictClass,
    fields: &[u8],
    rows: &mut Sorter<'_>,
) -> Result<(), Error> {
    let mut record = Vec::with_capacity(128);
    put_key(&mut record, agent);
    put_u32(&mut record, position);
    put_u8(&mut record, class.number());
    record.extend_from_slice(fields);
    rows.push(&record)
}

/// A row of `shares` of an earlier history.
pub(super) struct StoredShare<'a> {
    pub(super) agent: &'a [u8],
    pub(super) crawl: &'a str,
    pub(super) class: VerdictClass,
    fields: &'a [u8],
}

impl<'a> StoredShare<'a> {
    /// Reads the fields of a row. Returns `None` if no release writes its verdict or its basis.
    pub(super) fn read(fields: &'a [u8]) -> Option<Self> {
        let mut reader = FieldReader::new(fields);
        let (agent, crawl, words) = (reader.bytes(), reader.bytes(), reader.rest());
        let class = VerdictClass::from_names(reader.bytes(), reader.bytes());
        let mut names = Vec::new();
        class.put_names(&mut names);
        let share = Self {
            agent,
            crawl: std::str::from_utf8(crawl).ok()?,
            class,
            fields,
        };
        words.starts_with(&names).then_some(share)
    }

    /// Adds the row to `rows`, with the position of its crawl in the history that is written.
    pub(super) fn push(&self, position: u32, rows: &mut Sorter<'_>) -> Result<(), Error> {
        push_share(self.agent, position, self.class, self.fields, rows)
    }
}

/// Writes the table `shares`.
pub(super) fn write_shares(
    rows: &SortedRecords<'_>,
    writers: &mut TableWriters<'_>,
) -> Result<(), Error> {
    let mut reader = rows.read()?;
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        fields.key();
        fields.u32();
        fields.u8();
        writers.push(own_tables::SHARES, &[], &mut fields)?;
        reader.advance()?;
    }
    Ok(())
}

/// Returns the 95 percent confidence interval of a share. `by_archive` has for each archive the number of its hosts
/// with the verdict, and of its hosts with a known verdict. `None` if fewer than five archives or all of the list
/// were read, or if the share is 0 or 1. The macro `margin_of` of `tables/macros.sql` has the same formula: change
/// both together.
pub(super) fn compute_interval(
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
