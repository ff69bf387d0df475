//! A row of the table `crawls`.

use crate::own_tables;
use dataset::row;

/// A row of the table `crawls`, without the column `position`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrawlRow {
    /// The name of the crawl.
    pub crawl: String,
    /// The time of the first authoritative capture. All times are in milliseconds since 1970.
    pub first_fetch: Option<i64>,
    /// The median of the times of authoritative captures.
    pub median_fetch: Option<i64>,
    /// The time of the last authoritative capture.
    pub last_fetch: Option<i64>,
    /// The number of captures.
    pub captures: i64,
    /// The number of hosts.
    pub hosts: i64,
    /// The number of registered domains.
    pub domains: i64,
    /// The number of archives that were read.
    pub archives_read: i64,
    /// The number of archives in the list of the crawl, of which those that were read may be a sample.
    pub archives_listed: i64,
    /// True if the archives are a random sample.
    pub is_sample: bool,
    /// The version of the meaning of the rows ([`MEANING`](tables::MEANING)).
    pub meaning: u32,
}

row! {
    /// A row of the table `crawls`.
    pub(crate) whole struct StoredCrawl<'a> of own_tables::CRAWLS {
        crawl: &'a str,
        position: u32,
        first_fetch: Option<i64>,
        median_fetch: Option<i64>,
        last_fetch: Option<i64>,
        captures: i64,
        hosts: i64,
        domains: i64,
        archives_read: i64,
        archives_listed: i64,
        is_sample: bool,
        meaning: u32,
    }
}

impl CrawlRow {
    /// Returns the key by which crawls are sorted: the median time, then the name.
    pub fn order(&self) -> (Option<i64>, &str) {
        (self.median_fetch, &self.crawl)
    }

    /// Returns the row of the table. `position` is the place of the crawl in the order of crawls, from 0.
    pub(crate) fn stored(&self, position: u32) -> StoredCrawl<'_> {
        StoredCrawl {
            crawl: &self.crawl,
            position,
            first_fetch: self.first_fetch,
            median_fetch: self.median_fetch,
            last_fetch: self.last_fetch,
            captures: self.captures,
            hosts: self.hosts,
            domains: self.domains,
            archives_read: self.archives_read,
            archives_listed: self.archives_listed,
            is_sample: self.is_sample,
            meaning: self.meaning,
        }
    }
}

impl From<StoredCrawl<'_>> for CrawlRow {
    fn from(row: StoredCrawl<'_>) -> Self {
        Self {
            crawl: row.crawl.to_owned(),
            first_fetch: row.first_fetch,
            median_fetch: row.median_fetch,
            last_fetch: row.last_fetch,
            captures: row.captures,
            hosts: row.hosts,
            domains: row.domains,
            archives_read: row.archives_read,
            archives_listed: row.archives_listed,
            is_sample: row.is_sample,
            meaning: row.meaning,
        }
    }
}
