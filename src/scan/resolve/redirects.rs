//! Which capture speaks for an origin at a time.
//!
//! The pick is that of the view `hosts` of `views.sql`, among the captures of
//! a `/robots.txt` of one origin that are not after the time asked for, where
//! a capture without a time counts as the earliest:
//!
//! 1. In each crawl, what decides most (the macro `answer_rank`), then the
//!    latest, then the smallest `robots_id`. A redirect counts as what its
//!    chain ends in.
//! 2. Among the picks of several crawls, one that decides anything, then the
//!    latest, then that of the crawl whose name is greater.
//!
//! Chains are those of the view `redirects`: at most five hops, within one
//! crawl, each URL entered by the capture that decides most, then the latest,
//! then the smallest `robots_id`, among those that are not after the time
//! asked for. A chain that comes back to a capture it has passed, whose next
//! URL was not captured, or that goes on after five hops, is not resolved.
//!
//! Every step is a merge of sorted records: questions with captures by origin,
//! and in each of up to five rounds what is still on its way with captures by
//! URL. What is held beside is one origin's picks and the places its redirects
//! lead to.

use super::candidate::{NOTHING, Page, Pick, put_page, read_page};
use super::captures::{each_until, gather, skip_to};
use crate::error::Error;
use crate::external_sort::sort_key::{Values, put_i64, put_text, put_u8, put_u32};
use crate::external_sort::{Sorted, Sorter};
use crate::url_match::Job;
use std::collections::HashMap;

/// RFC 9309 §2.3.1.2: crawlers should follow at least five.
const HOPS_MAX: u8 = 5;

/// Answers who may speak for each origin and time of `questions`, whose records
/// begin with these: records that begin so too, each with a candidate, to be
/// chosen from by [`Pick`].
pub(crate) fn speakers<'j>(job: &Job<'j>, questions: &Sorted<'_>) -> Result<Sorted<'j>, Error> {
    let mut filter = job.filter(questions.len());
    let mut reader = questions.read()?;
    while let Some(record) = reader.peek() {
        filter.insert(Values(record).text());
        reader.advance()?;
    }
    drop(reader);
    let captures = gather(job, &mut |_, rows, row, key| {
        rows.is_robots_path.value(row) && rows.origin(row, key) && filter.may_hold(key)
    })?;
    drop(filter);

    let mut candidates = job.sorter();
    let mut travellers = job.sorter();
    let (mut questions, mut captures) = (questions.read()?, captures.read()?);
    let mut origin = Vec::new();
    let mut asked = None;
    let mut standing = Standing::default();
    while let Some(record) = questions.peek() {
        let mut values = Values(record);
        let key = values.key();
        if key != origin {
            origin.clear();
            origin.extend_from_slice(key);
            asked = None;
            standing.clear();
            skip_to(&mut captures, &origin)?;
        }
        let time = values.i64();
        if asked != Some(time) {
            asked = Some(time);
            each_until(&mut captures, &origin, time, &mut |page, next_url| {
                standing.add(page, next_url);
            })?;
            standing.write(&origin, time, &mut candidates, &mut travellers)?;
        }
        questions.advance()?;
    }
    drop((questions, captures));
    for hop in 1..=HOPS_MAX {
        let arrived = travellers.finish()?;
        travellers = job.sorter();
        if arrived.is_empty() {
            break;
        }
        travel(job, hop, &arrived, &mut candidates, &mut travellers)?;
    }
    candidates.finish()
}

/// The captures of one origin up to a time.
#[derive(Default)]
struct Standing {
    direct: Pick,
    /// The latest redirect of each crawl to each URL. One before it leads to
    /// the same end and is not later, so it cannot be the pick.
    redirects: HashMap<(u32, Vec<u8>), Page>,
}

impl Standing {
    fn clear(&mut self) {
        self.direct.clear();
        self.redirects.clear();
    }

    fn add(&mut self, page: Page, next_url: Option<&[u8]>) {
        let Some(next_url) = next_url else {
            return self.direct.add(page);
        };
        let place = (page.crawl, next_url.to_vec());
        let latest = self.redirects.entry(place).or_insert(page);
        if page.is_before(latest) {
            *latest = page;
        }
    }

    fn write(
        &self,
        origin: &[u8],
        time: i64,
        candidates: &mut Sorter<'_>,
        travellers: &mut Sorter<'_>,
    ) -> Result<(), Error> {
        let mut record = Vec::new();
        for page in self.direct.of_crawls() {
            put_candidate(&mut record, origin, time, page);
            candidates.push(&record)?;
        }
        for ((_, next_url), page) in &self.redirects {
            let traveller = Traveller {
                time,
                origin,
                first: *page,
                passed: vec![page.robots_id],
            };
            traveller.write(&mut record, next_url);
            travellers.push(&record)?;
        }
        Ok(())
    }
}

/// A candidate; `origin` is a key as it is written.
fn put_candidate(record: &mut Vec<u8>, origin: &[u8], time: i64, page: &Page) {
    record.clear();
    record.extend_from_slice(origin);
    put_i64(record, time);
    page.write(record);
}

/// A redirect on its way to its end.
struct Traveller<'a> {
    /// The time asked for.
    time: i64,
    /// The origin it began at, as it is written.
    origin: &'a [u8],
    /// The capture it began with.
    first: Page,
    /// The captures it has passed. One that comes back would only go round
    /// until its hops are spent; to know it saves readings of the dataset.
    passed: Vec<i64>,
}

impl<'a> Traveller<'a> {
    /// Writes it as a record: first where it goes, then the time.
    fn write(&self, record: &mut Vec<u8>, next_url: &[u8]) {
        record.clear();
        put_u32(record, next_url.len() as u32 + 4);
        put_u32(record, self.first.crawl);
        record.extend_from_slice(next_url);
        put_i64(record, self.time);
        put_text(record, self.origin);
        put_page(record, &self.first, None);
        put_u8(record, self.passed.len() as u8);
        for robots_id in &self.passed {
            put_i64(record, *robots_id);
        }
    }

    /// Reads what stands behind where it goes.
    fn read(values: &mut Values<'a>) -> Self {
        Self {
            time: values.i64(),
            origin: values.text(),
            first: read_page(values).0,
            passed: (0..values.u8()).map(|_| values.i64()).collect(),
        }
    }
}

/// Brings each one hop further: to its end, or on its way again.
fn travel(
    job: &Job<'_>,
    hop: u8,
    arrived: &Sorted<'_>,
    candidates: &mut Sorter<'_>,
    travellers: &mut Sorter<'_>,
) -> Result<(), Error> {
    let mut filter = job.filter(arrived.len());
    let mut reader = arrived.read()?;
    while let Some(record) = reader.peek() {
        filter.insert(Values(record).text());
        reader.advance()?;
    }
    drop(reader);
    let pages = gather(job, &mut |crawl, rows, row, key| {
        put_u32(key, crawl);
        key.extend_from_slice(rows.url(row).as_bytes());
        filter.may_hold(key)
    })?;
    let (mut arrived, mut pages) = (arrived.read()?, pages.read()?);
    let mut place = Vec::new();
    let mut entered: Option<(Page, Option<Vec<u8>>)> = None;
    let mut record = Vec::new();
    while let Some(arrival) = arrived.peek() {
        let mut values = Values(arrival);
        let key = values.key();
        if key != place {
            place.clear();
            place.extend_from_slice(key);
            entered = None;
            skip_to(&mut pages, &place)?;
        }
        let mut it = Traveller::read(&mut values);
        each_until(&mut pages, &place, it.time, &mut |page, next_url| {
            if entered
                .as_ref()
                .is_none_or(|(best, _)| page.is_before(best))
            {
                entered = Some((page, next_url.map(<[u8]>::to_vec)));
            }
        })?;
        match &entered {
            Some((page, next_url)) if !it.passed.contains(&page.robots_id) => match next_url {
                None => {
                    it.first.rank = page.rank;
                    it.first.source = page.source;
                    put_candidate(&mut record, it.origin, it.time, &it.first);
                    candidates.push(&record)?;
                }
                Some(next_url) if hop < HOPS_MAX => {
                    it.passed.push(page.robots_id);
                    it.write(&mut record, next_url);
                    travellers.push(&record)?;
                }
                Some(_) => lost(&it, &mut record, candidates)?,
            },
            _ => lost(&it, &mut record, candidates)?,
        }
        arrived.advance()?;
    }
    Ok(())
}

/// A redirect that leads nowhere speaks only if nothing else does.
fn lost(
    it: &Traveller<'_>,
    record: &mut Vec<u8>,
    candidates: &mut Sorter<'_>,
) -> Result<(), Error> {
    let page = Page {
        rank: NOTHING,
        ..it.first
    };
    put_candidate(record, it.origin, it.time, &page);
    candidates.push(record)
}
