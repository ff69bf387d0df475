//! A row of the table `crawls`.

use sort::sort_key::{FieldReader, put_bytes, put_i64, put_u8, put_u32};

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

impl CrawlRow {
    /// Returns the key by which crawls are sorted: the median time, then the name.
    pub fn order(&self) -> (Option<i64>, &str) {
        (self.median_fetch, &self.crawl)
    }

    /// Reads the fields of all columns of the table.
    pub fn read(fields: &mut FieldReader<'_>) -> Self {
        let crawl = String::from_utf8_lossy(fields.bytes()).into_owned();
        fields.u32();
        Self {
            crawl,
            first_fetch: optional_time(fields),
            median_fetch: optional_time(fields),
            last_fetch: optional_time(fields),
            captures: fields.i64(),
            hosts: fields.i64(),
            domains: fields.i64(),
            archives_read: fields.i64(),
            archives_listed: fields.i64(),
            is_sample: fields.u8() != 0,
            meaning: fields.u32(),
        }
    }

    /// Appends the fields of all columns of the table. `position` is the place of the crawl in the order of crawls,
    /// from 0.
    pub fn put(&self, position: u32, out: &mut Vec<u8>) {
        put_bytes(out, self.crawl.as_bytes());
        put_u32(out, position);
        let times = [self.first_fetch, self.median_fetch, self.last_fetch];
        for time in times {
            put_u8(out, time.is_some().into());
            if let Some(time) = time {
                put_i64(out, time);
            }
        }
        let counts = [self.captures, self.hosts, self.domains];
        for count in counts
            .into_iter()
            .chain([self.archives_read, self.archives_listed])
        {
            put_i64(out, count);
        }
        put_u8(out, self.is_sample.into());
        put_u32(out, self.meaning);
    }
}

fn optional_time(fields: &mut FieldReader<'_>) -> Option<i64> {
    (fields.u8() != 0).then(|| fields.i64())
}
