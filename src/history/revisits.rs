//! Finds the content of revisits that no capture of their own crawl has, by the rule of docs/verdicts.md:
//! a capture of the same URL comes first, then the latest that is not later than the revisit, then the
//! earliest after it, then the greatest URL, then the later crawl. It is of the same crawl or an earlier
//! one, in the order of the times of their first captures.
//!
//! Most revisits have a capture of the same URL, which `host_revisits.rs` finds while captures are merged. The others
//! and captures with content are sorted by digest and time, once with and once without the URL, and
//! once in each direction of time. In each of these orders, the next capture before a revisit is the one to be
//! found.

use super::capture_record::StateDetails;
use super::crawl_row::CrawlRow;
use super::host_revisits::CaptureTime;
use super::shares::{CountedHost, ShareCounter};
use disk::error::Error;
use sort::sort_key::{FieldReader, put_bytes, put_i64, put_key, put_u8, put_u32, put_u64};
use sort::{SortMemory, SortedRecords, Sorter};

/// The number of bytes of the key of a capture, by which the records of captures are sorted.
pub(super) const CAPTURE_KEY_BYTES: usize = size_of::<u32>() + size_of::<i64>();

/// Appends the key of a capture: the position of its crawl and the number of its host.
pub(super) fn put_capture_key(out: &mut Vec<u8>, position: u32, host_no: i64) {
    put_u32(out, position);
    put_i64(out, host_no);
}

/// An order in which the content of a revisit is searched. The first one that finds it decides.
#[derive(Clone, Copy, Debug)]
struct SearchOrder {
    has_same_url: bool,
    /// True for captures that are later than the revisit.
    is_after: bool,
}

const SEARCH_ORDERS: [SearchOrder; 4] = [
    SearchOrder {
        has_same_url: true,
        is_after: false,
    },
    SearchOrder {
        has_same_url: true,
        is_after: true,
    },
    SearchOrder {
        has_same_url: false,
        is_after: false,
    },
    SearchOrder {
        has_same_url: false,
        is_after: true,
    },
];

/// A capture with content, or a revisit.
struct SearchedCapture<'a> {
    digest: &'a [u8],
    url: &'a [u8],
    time: i64,
    /// The place of its crawl in the order of first captures.
    crawl_rank: u32,
    role: CaptureRole<'a>,
}

#[derive(Clone, Copy, Debug)]
enum CaptureRole<'a> {
    /// A revisit with this key.
    Revisit(&'a [u8]),
    /// A capture with content: the position of its crawl, and the fields of its [`ContentPeriod`].
    Content(u32, &'a [u8]),
}

impl SearchOrder {
    /// Writes a record that sorts in this order.
    fn write(self, out: &mut Vec<u8>, capture: &SearchedCapture<'_>) {
        out.clear();
        put_key(out, capture.digest);
        if self.has_same_url {
            put_key(out, capture.url);
        }
        let is_revisit = matches!(capture.role, CaptureRole::Revisit { .. });
        put_i64(
            out,
            if self.is_after {
                !capture.time
            } else {
                capture.time
            },
        );
        // Of captures at the time of the revisit, those with content come before it, as they are not later.
        put_u8(out, (is_revisit != self.is_after).into());
        put_u8(out, is_revisit.into());
        put_u32(out, capture.crawl_rank);
        match capture.role {
            CaptureRole::Revisit(key) => out.extend_from_slice(key),
            CaptureRole::Content(position, period) => {
                put_u32(out, position);
                put_bytes(out, capture.url);
                out.extend_from_slice(period);
            }
        }
    }
}

/// A capture with content that may be that of the next revisits.
#[derive(Clone, Debug)]
struct Content {
    crawl_rank: u32,
    /// Ascending towards the revisits.
    time: i64,
    url: Vec<u8>,
    position: u32,
    /// The fields of a [`ContentPeriod`].
    period: Vec<u8>,
}

/// The captures of one group that may still be found, in the order of crawls. A later crawl is only kept if
/// its capture is preferred to those of the crawls before it.
#[derive(Debug, Default)]
struct Candidates(Vec<Content>);

impl Candidates {
    fn push(&mut self, new: Content) {
        let is_better =
            |a: &Content, b: &Content| (a.time, &a.url, a.position) > (b.time, &b.url, b.position);
        let mut before = self
            .0
            .iter()
            .filter(|other| other.crawl_rank <= new.crawl_rank);
        if before.any(|other| is_better(other, &new)) {
            return;
        }
        self.0
            .retain(|other| other.crawl_rank < new.crawl_rank || is_better(other, &new));
        let place = self
            .0
            .partition_point(|other| other.crawl_rank < new.crawl_rank);
        self.0.insert(place, new);
    }

    /// Returns the preferred capture of the crawls up to this one.
    fn find(&self, crawl_rank: u32) -> Option<&Content> {
        self.0
            .iter()
            .rev()
            .find(|content| content.crawl_rank <= crawl_rank)
    }
}

/// A revisit whose content may be in another crawl.
pub(super) struct OpenRevisit<'a> {
    pub(super) host: CountedHost<'a>,
    pub(super) fetch_time: Option<i64>,
    pub(super) state: &'a [u8],
}

impl OpenRevisit<'_> {
    /// Returns the record. Records sort by the keys of captures.
    pub(super) fn record(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(256);
        put_capture_key(&mut record, self.host.position, self.host.host_no);
        put_i64(&mut record, self.host.archive_no);
        put_i64(&mut record, self.fetch_time.unwrap_or(i64::MIN));
        put_bytes(&mut record, self.host.surt_host_name);
        record.extend_from_slice(self.state);
        record
    }
}

/// The fields of an [`OpenRevisit`].
struct RevisitFields<'a> {
    key: &'a [u8],
    position: u32,
    host_no: i64,
    archive_no: i64,
    time: i64,
    surt_host_name: &'a [u8],
    state: &'a [u8],
}

impl<'a> RevisitFields<'a> {
    fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        Self {
            key: &record[..CAPTURE_KEY_BYTES],
            position: fields.u32(),
            host_no: fields.i64(),
            archive_no: fields.i64(),
            time: fields.i64(),
            surt_host_name: fields.bytes(),
            state: fields.rest(),
        }
    }
}

/// The period of captures with content, and the fields of its state by which hosts are counted.
pub(super) struct ContentPeriod<'a> {
    pub(super) host_no: i64,
    pub(super) period_no: u32,
    pub(super) details: &'a StateDetails,
}

impl ContentPeriod<'_> {
    /// Appends the fields.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_i64(out, self.host_no);
        put_u32(out, self.period_no);
        self.details.put_counted(out);
    }
}

/// The captures of a period that have a content.
pub(super) struct SearchedContent<'a> {
    /// The number of the host in the order of hosts, and that of the content: contents are written in this order.
    pub(super) order: (u64, u32),
    pub(super) digest: &'a [u8],
    /// The URL of the captures; empty if they are redirected.
    pub(super) url: &'a [u8],
    pub(super) period: ContentPeriod<'a>,
    pub(super) times: &'a [CaptureTime],
}

impl SearchedContent<'_> {
    /// Replaces `out` with the record for [`find_contents`].
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        put_u64(out, self.order.0);
        put_u32(out, self.order.1);
        put_bytes(out, self.digest);
        put_bytes(out, self.url);
        let mut fields = Vec::new();
        self.period.put(&mut fields);
        put_bytes(out, &fields);
        for time in self.times {
            put_i64(out, time.millis);
            put_u32(out, time.position);
        }
    }
}

/// The content that was found for a revisit: the period and the crawl of the capture with the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundContent {
    pub(super) host_no: i64,
    pub(super) period_no: u32,
    /// The position of the crawl.
    pub(super) position: u32,
}

impl FoundContent {
    /// Reads the content from a record of [`find_contents`] without its key. Also returns the details that
    /// [`StateDetails::put_counted`] wrote.
    fn read(fields: &[u8]) -> (Self, StateDetails) {
        let mut fields = FieldReader::new(fields);
        let _order = fields.u8();
        let position = fields.u32();
        let found = Self {
            host_no: fields.i64(),
            period_no: fields.u32(),
            position,
        };
        (found, StateDetails::read_counted(&mut fields))
    }
}

/// Finds the content of revisits for which none was found in their own hosts. `contents` has the records of
/// [`SearchedContent`]. A record of the result has the key of a revisit, the index of the order that
/// found the content, and the content. Of those of a revisit, the first one decides.
pub(super) fn find_contents<'s>(
    revisits: &SortedRecords<'_>,
    contents: &SortedRecords<'_>,
    crawls: &[CrawlRow],
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let mut found = memory.create_sorter();
    if !revisits.is_empty() {
        let sorted = sort_searched(revisits, contents, &rank_crawls(crawls), memory)?;
        for (order, records) in (0..).zip(&sorted) {
            search(order, records, &mut found)?;
        }
    }
    found.finish()
}

/// Reads the contents that [`find_contents`] found, in the order of the keys of captures.
pub(super) struct FoundContents<'a> {
    records: sort::Reader<'a>,
}

impl<'a> FoundContents<'a> {
    pub(super) fn open(found: &'a SortedRecords<'_>) -> Result<Self, Error> {
        Ok(Self {
            records: found.read()?,
        })
    }

    /// Returns the content of the revisit with this key. Calls must be in the order of keys.
    pub(super) fn find(
        &mut self,
        key: &[u8],
    ) -> Result<Option<(FoundContent, StateDetails)>, Error> {
        let mut found = None;
        while let Some(record) = self.records.peek() {
            let (of, fields) = record.split_at(CAPTURE_KEY_BYTES);
            if of > key {
                break;
            }
            if of == key && found.is_none() {
                found = Some(FoundContent::read(fields));
            }
            self.records.advance()?;
        }
        Ok(found)
    }
}

/// Counts the hosts of revisits in crawls that have a flag, by their own state or that of their content.
pub(super) fn count_revisits(
    revisits: &SortedRecords<'_>,
    found: &SortedRecords<'_>,
    is_counted: &[bool],
    counter: &mut ShareCounter<'_>,
) -> Result<(), Error> {
    let (mut revisits, mut found) = (revisits.read()?, FoundContents::open(found)?);
    while let Some(record) = revisits.peek() {
        let revisit = RevisitFields::read(record);
        let mut details = StateDetails::read(revisit.state);
        if let Some((_, of_content)) = found.find(revisit.key)? {
            details = StateDetails {
                registered_domain: details.registered_domain,
                ..of_content
            };
        }
        if is_counted[revisit.position as usize] {
            counter.push(&CountedHost {
                position: revisit.position,
                surt_host_name: revisit.surt_host_name,
                host_no: revisit.host_no,
                archive_no: revisit.archive_no,
                details: &details,
            })?;
        }
        revisits.advance()?;
    }
    Ok(())
}

/// Adds captures to the sorters of all orders.
struct SearchSorters<'s> {
    sorters: [Sorter<'s>; SEARCH_ORDERS.len()],
    record: Vec<u8>,
}

impl SearchSorters<'_> {
    fn push(&mut self, capture: &SearchedCapture<'_>) -> Result<(), Error> {
        for (order, sorter) in SEARCH_ORDERS.iter().zip(&mut self.sorters) {
            order.write(&mut self.record, capture);
            sorter.push(&self.record)?;
        }
        Ok(())
    }
}

/// Returns for each crawl its place in the order of first captures.
pub(super) fn rank_crawls(crawls: &[CrawlRow]) -> Vec<u32> {
    let mut by_rank: Vec<usize> = (0..crawls.len()).collect();
    by_rank.sort_by_key(|&i| (crawls[i].first_capture, &crawls[i].crawl));
    let mut ranks = vec![0; crawls.len()];
    for (rank, i) in (0..).zip(by_rank) {
        ranks[i] = rank;
    }
    ranks
}

/// Sorts the revisits, and the captures that may have their content, in each order.
fn sort_searched<'s>(
    revisits: &SortedRecords<'_>,
    contents: &SortedRecords<'_>,
    ranks: &[u32],
    memory: SortMemory<'s>,
) -> Result<Vec<SortedRecords<'s>>, Error> {
    let mut wanted = memory.create_bloom_filter(revisits.len());
    let mut sorters = SearchSorters {
        sorters: SEARCH_ORDERS.map(|_| memory.create_sorter()),
        record: Vec::new(),
    };
    let mut reader = revisits.read()?;
    while let Some(record) = reader.peek() {
        let revisit = RevisitFields::read(record);
        if let Some((digest, url)) = &StateDetails::read(revisit.state).revisit {
            wanted.insert(&digest[..]);
            sorters.push(&SearchedCapture {
                digest,
                url,
                time: revisit.time,
                crawl_rank: ranks[revisit.position as usize],
                role: CaptureRole::Revisit(revisit.key),
            })?;
        }
        reader.advance()?;
    }
    let mut reader = contents.read()?;
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        let (_host, _content_no) = (fields.u64(), fields.u32());
        let digest = fields.bytes();
        if wanted.check(digest) {
            let (url, period) = (fields.bytes(), fields.bytes());
            while !fields.rest().is_empty() {
                let (time, position) = (fields.i64(), fields.u32());
                sorters.push(&SearchedCapture {
                    digest,
                    url,
                    time,
                    crawl_rank: ranks[position as usize],
                    role: CaptureRole::Content(position, period),
                })?;
            }
        }
        reader.advance()?;
    }
    sorters.sorters.into_iter().map(Sorter::finish).collect()
}

/// Finds the content of revisits in the order of this index.
fn search(
    order_index: u8,
    records: &SortedRecords<'_>,
    found: &mut Sorter<'_>,
) -> Result<(), Error> {
    let mut reader = records.read()?;
    let (mut group, mut out) = (Vec::new(), Vec::new());
    let mut candidates = Candidates::default();
    let order = SEARCH_ORDERS[usize::from(order_index)];
    while let Some(record) = reader.peek() {
        let mut fields = FieldReader::new(record);
        fields.key();
        if order.has_same_url {
            fields.key();
        }
        let group_bytes = record.len() - fields.rest().len();
        if group != record[..group_bytes] {
            group.clear();
            group.extend_from_slice(&record[..group_bytes]);
            candidates.0.clear();
        }
        let time = fields.i64();
        fields.u8();
        let is_revisit = fields.u8() != 0;
        let crawl_rank = fields.u32();
        if !is_revisit {
            candidates.push(Content {
                crawl_rank,
                time,
                position: fields.u32(),
                url: fields.bytes().to_vec(),
                period: fields.rest().to_vec(),
            });
        } else if let Some(content) = candidates.find(crawl_rank) {
            out.clear();
            out.extend_from_slice(fields.rest());
            put_u8(&mut out, order_index);
            put_u32(&mut out, content.position);
            out.extend_from_slice(&content.period);
            found.push(&out)?;
        }
        reader.advance()?;
    }
    Ok(())
}
