//! The captures of a history: was a URL allowed at a time, when was it first disallowed after that, and is it allowed
//! now.
//!
//! URLs are merged with the periods of hosts, which are in the order of `surt_host_name`, then with the captures of
//! hosts, which are in the order of `host_no`. A URL is decided by several captures: the one at its time, later ones and
//! the last one (its plan).

use super::captures::UrlCaptures;
use super::decision::{DecidedRow, Decision, DecisionBasis, UrlAccess};
use super::lookup::{ListedUrl, UrlLookup};
use super::options::Options;
use super::output::MatchWriter;
use super::planned_urls::{PlannedUrls, Ruling};
use crate::captures::{HistoryCaptures, PolicyPlace};
use crate::own_tables;
use dataset::{BatchRow, CaptureFilter, row};
use errors::Error;
use escapes::escape_body;
use history::error::damaged_history_error;
use history::own_tables::{HOST_CAPTURES, HOST_PERIODS};
use history::read::capture_record::AccessState;
use history::read::captures_by_host::{CapturesByHost, StoredCapture};
use history::read::crawl_row::CrawlRow;
use hosts::AsOf;
use robots::{Dialect, StatusEffect};
use sort::{Field, GroupKey, Rest, SortedRecords, record};
use std::sync::Arc;
use tables::{Column, Table};
use urls::{WebOrigin, surt_host_name};

record! {
    /// A capture of the host of a URL, in the plan of the URL.
    struct PlannedCapture {
        /// The index of its crawl among the crawls of the history.
        position: u32,
        fetch_time: Option<i64>,
        archive_no: i64,
        offset: i64,
        is_same_origin: bool,
        /// The number of its [`HostRuling`] among those of the host.
        ruling_no: u32,
    }
}

record! {
    /// The captures by which a URL is decided.
    struct UrlPlan<'a> {
        time: Option<i64>,
        /// The latest capture that is not later than `time`; the last capture if `time` is `None`.
        capture: Option<PlannedCapture>,
        /// The last capture of the host.
        last: Option<PlannedCapture>,
        /// Captures later than `time`, each a [`PlannedCapture`]: the first one, and each that has another
        /// [`HostRuling`] than the one before.
        later: Rest<'a>,
    }
}

/// The properties by which a capture of a host decides. Captures that decide alike share them.
#[derive(Debug, PartialEq, Eq)]
struct HostRuling {
    /// The origin of the captures, as `write_url_origin` writes it.
    origin: Vec<u8>,
    ruling: Ruling<PolicyPlace>,
}

/// The captures of a host.
#[derive(Default)]
struct HostCaptures {
    rulings: Vec<HostRuling>,
    /// For each period, the number of its ruling.
    of_periods: Vec<u32>,
    /// The captures with their times in milliseconds since 1970, sorted by time. A capture without a time has that of
    /// its crawl.
    captures: Vec<(i64, PlannedCapture)>,
}

/// A URL of a host of the history, by the number of the host and the origin of the URL.
type NumberedUrl = (i64, (&'static [u8], (AsOf, ListedUrl<'static>)));

/// The columns [`ACCESS`] of a period, by the number of its host and its own number.
type AccessOfPeriod = (i64, (u32, Rest<'static>));

/// The list merged with the periods of hosts.
struct NumberedUrls<'s> {
    urls: SortedRecords<'s, NumberedUrl>,
    periods: SortedRecords<'s, AccessOfPeriod>,
    origin_count: u64,
}

/// The columns of a state on which access depends.
const ACCESS: &[Column] = AccessState::COLUMNS;

row! {
    /// A period with what access depends on.
    struct PeriodRow<'a> of HOST_PERIODS, sorted by (surt_host_name, period_no) {
        surt_host_name: &'a [u8],
        host_no: i64,
        period_no: u32,
        ..state: ACCESS as AccessState<'static>,
    }
}

row! {
    /// A row of `history_matches`.
    whole struct HistoryMatchRow<'a> of own_tables::HISTORY_MATCHES {
        url: &'a str,
        agent: &'a str,
        time: Option<i64>,
        access: &'a str,
        basis: &'a str,
        line_no: Option<u32>,
        crawl: Option<&'a str>,
        fetch_time: Option<i64>,
        seconds_before: Option<i64>,
        is_same_origin: Option<bool>,
        archive_no: Option<i64>,
        warc_record_offset: Option<i64>,
        next_disallowed_crawl: Option<&'a str>,
        next_disallowed_time: Option<i64>,
        last_access: &'a str,
        last_crawl: Option<&'a str>,
        last_fetch_time: Option<i64>,
        preference: Option<&'a str>,
        preference_line: Option<u32>,
    }
}

/// Returns the `surt_host_name` and the origin in a key that `write_key` wrote.
fn host_and_origin(key: &[u8]) -> (&[u8], &[u8]) {
    let end = key.iter().position(|byte| *byte == 0);
    let end = end.unwrap_or(key.len());
    (&key[..end], key.get(end + 1..).unwrap_or_default())
}

impl HistoryCaptures<'_> {
    /// Merges the URLs with the periods of their hosts. Adds the others, whose hosts have no capture, to `planned`.
    fn number_urls<'s>(
        &self,
        lookups: &SortedRecords<'_, UrlLookup>,
        planned: &mut PlannedUrls<'s, PolicyPlace>,
    ) -> Result<NumberedUrls<'s>, Error> {
        let memory = planned.run.memory;
        let mut hosts = memory.create_bloom_filter(lookups.len());
        let (mut groups, mut key, mut bytes) = (lookups.read()?, GroupKey::default(), Vec::new());
        while groups.next_group(&mut key)? {
            key.get().write_original(&mut bytes);
            hosts.insert(host_and_origin(&bytes).0);
        }
        let filter = CaptureFilter::Keys {
            column: "surt_host_name",
            keys: Arc::new(hosts),
        };
        let mut urls = memory.create_sorter::<NumberedUrl>();
        let mut of_periods = memory.create_sorter::<AccessOfPeriod>();
        let mut periods = self.history.filtered_rows::<PeriodRow<'_>>(&filter)?;
        let (mut lookups, mut key, mut plan) = (lookups.read()?, GroupKey::default(), Vec::new());
        let (mut last_host, mut host_no, mut origin_count) = (Vec::new(), None, 0);
        while lookups.next_group(&mut key)? {
            key.get().write_original(&mut bytes);
            let (host, origin) = host_and_origin(&bytes);
            if host != last_host {
                host.clone_into(&mut last_host);
                host_no = None;
                while let Some(row) = periods.next_if(|row| row.surt_host_name <= host)? {
                    if row.surt_host_name == host {
                        host_no = Some(row.host_no);
                        of_periods.push((row.host_no, (row.period_no, row.state)))?;
                    }
                }
            }
            while let Some(url) = lookups.next_of(&key)? {
                match host_no {
                    Some(host_no) => urls.push((host_no, (origin, url)))?,
                    None => HostCaptures::default().plan_url(origin, url, &mut plan, planned)?,
                }
            }
            origin_count += 1;
        }
        Ok(NumberedUrls {
            urls: urls.finish()?,
            periods: of_periods.finish()?,
            origin_count,
        })
    }
}

impl UrlCaptures for HistoryCaptures<'_> {
    const OUTPUT: Table = own_tables::HISTORY_MATCHES;

    fn write_key(&self, origin: &[u8], key: &mut Vec<u8>) -> bool {
        let text = std::str::from_utf8(origin).unwrap_or_default();
        let parsed = WebOrigin::from_url(text);
        if let Some(parsed) = &parsed {
            key.extend_from_slice(surt_host_name(parsed.host).as_bytes());
            key.push(0);
            key.extend_from_slice(origin);
        }
        parsed.is_some()
    }

    fn plan_urls(
        &self,
        urls: &SortedRecords<'_, UrlLookup>,
        planned: &mut PlannedUrls<'_, PolicyPlace>,
    ) -> Result<u64, Error> {
        let numbered = self.number_urls(urls, planned)?;
        let damaged = |table| damaged_history_error(self.history.root(), table);
        let mut hosts = planned.run.memory.create_bloom_filter(numbered.urls.len());
        let (mut urls, mut key) = (numbered.urls.read()?, GroupKey::default());
        while urls.next_group(&mut key)? {
            hosts.insert(&key.get());
        }
        let filter = CaptureFilter::NumberKeys {
            column: "host_no",
            keys: Arc::new(hosts),
        };
        let mut captures = CapturesByHost::open(self.history, &filter)?;
        let is_chosen = |row: &CrawlRow| self.crawls.is_empty() || self.crawls.contains(&row.crawl);
        let is_chosen: Vec<bool> = self.history.crawls.iter().map(is_chosen).collect();
        let dialect = planned.run.options.dialect.dialect();
        let mut periods = numbered.periods.read()?;
        let (mut urls, mut key) = (numbered.urls.read()?, GroupKey::default());
        let (mut of_host, mut plan) = (HostCaptures::default(), Vec::new());
        while urls.next_group(&mut key)? {
            of_host.clear();
            periods.skip_to(&key)?;
            while let Some((period_no, Rest(state))) = periods.next_of(&key)? {
                if period_no as usize != of_host.of_periods.len() {
                    return Err(damaged(HOST_PERIODS));
                }
                of_host.push_period(&sort::read::<AccessState<'static>>(state), dialect);
            }
            let host_no = key.get();
            captures.skip_to(host_no)?;
            if let Some((_, found)) = captures.next_host()?.filter(|(found, _)| *found == host_no) {
                planned.run.progress.add_rows(found.len() as u64);
                let chosen = found
                    .iter()
                    .filter(|capture| is_chosen[capture.position as usize]);
                let pushed = chosen.map(|capture| of_host.push_capture(capture));
                let pushed: Option<()> = pushed.collect();
                pushed.ok_or_else(|| damaged(HOST_CAPTURES))?;
            }
            while let Some((origin, url)) = urls.next_of(&key)? {
                of_host.plan_url(origin, url, &mut plan, planned)?;
            }
        }
        Ok(numbered.origin_count)
    }

    fn write_answers(
        &self,
        options: &Options,
        decided: &DecidedRow,
        file: &mut MatchWriter,
    ) -> Result<(), Error> {
        let url = escape_body(&decided.url, true);
        let plan = decided.plan::<UrlPlan<'static>>();
        for (i, crawler) in options.crawlers.iter().enumerate() {
            let answer = Answer::new(decided, plan.as_ref(), i, options.any_origin);
            let row = answer.row(plan.as_ref(), &url, crawler.agent(), &self.history.crawls);
            file.push::<HistoryMatchRow<'_>>(row, &answer.decision)?;
        }
        Ok(())
    }
}

impl HostCaptures {
    fn clear(&mut self) {
        self.rulings.clear();
        self.of_periods.clear();
        self.captures.clear();
    }

    fn push_period(&mut self, state: &AccessState<'_>, dialect: Dialect) {
        let effect = state.effect(dialect);
        let place = match effect {
            StatusEffect::Parse => PolicyPlace::new(state),
            _ => PolicyPlace::EMPTY,
        };
        let mut origin = Vec::new();
        state.origin().write(&mut origin);
        let ruling = HostRuling {
            origin,
            ruling: Ruling {
                effect,
                place,
                time: None,
            },
        };
        let known = self.rulings.iter().rposition(|known| *known == ruling);
        self.of_periods
            .push(known.unwrap_or(self.rulings.len()) as u32);
        if known.is_none() {
            self.rulings.push(ruling);
        }
    }

    /// Adds a capture. Returns `None` if its host lacks its period.
    fn push_capture(&mut self, capture: &StoredCapture) -> Option<()> {
        let planned = PlannedCapture {
            position: capture.position,
            fetch_time: capture.address.fetch_time,
            archive_no: capture.address.archive_no,
            offset: capture.address.offset,
            is_same_origin: false,
            ruling_no: *self.of_periods.get(capture.period_no as usize)?,
        };
        self.captures.push((capture.order_time, planned));
        Some(())
    }

    /// Adds a URL of the host to `planned`. `buffer` holds its plan meanwhile.
    fn plan_url(
        &self,
        origin: &[u8],
        (as_of, url): (AsOf, ListedUrl<'_>),
        buffer: &mut Vec<u8>,
        planned: &mut PlannedUrls<'_, PolicyPlace>,
    ) -> Result<(), Error> {
        let placed = |(_, capture): &(i64, PlannedCapture)| PlannedCapture {
            is_same_origin: self.rulings[capture.ruling_no as usize].origin == origin,
            ..*capture
        };
        let end = match as_of {
            AsOf::Time(time) => self.captures.partition_point(|(at, _)| *at <= time),
            AsOf::Newest => self.captures.len(),
        };
        let (earlier, later) = self.captures.split_at(end);
        let mut later: Vec<PlannedCapture> = later.iter().map(placed).collect();
        later.dedup_by_key(|capture| capture.ruling_no);
        let mut written = Vec::new();
        later.iter().for_each(|capture| capture.write(&mut written));
        let plan = UrlPlan {
            time: as_of.time(),
            capture: earlier.last().map(placed),
            last: self.captures.last().map(placed),
            later: Rest(&written),
        };
        buffer.clear();
        plan.write(buffer);
        let any_origin = planned.run.options.any_origin;
        let of_plan = later.iter().chain(&plan.capture).chain(&plan.last);
        let deciding = of_plan.filter(|capture| capture.is_same_origin || any_origin);
        let mut ruling_nos: Vec<u32> = deciding.map(|capture| capture.ruling_no).collect();
        ruling_nos.sort_unstable();
        ruling_nos.dedup();
        let mut buffer = Some(buffer.as_slice());
        let basis = match plan.capture {
            None => Some(DecisionBasis::NoCapture),
            Some(capture) if !capture.is_same_origin && !any_origin => {
                Some(DecisionBasis::OtherOrigin)
            }
            Some(_) => None,
        };
        if let Some(basis) = basis {
            planned.add_undecided(&url, buffer.take().unwrap_or_default(), basis)?;
        }
        for ruling_no in ruling_nos {
            let capture = plan
                .capture
                .filter(|capture| capture.ruling_no == ruling_no);
            let ruling = Ruling {
                time: capture.and_then(|capture| capture.fetch_time),
                ..self.rulings[ruling_no as usize].ruling
            };
            planned.add(&url, buffer.take(), ruling_no, &ruling)?;
        }
        Ok(())
    }
}

/// The output for a URL and a crawler: the decision at the time of the row, the capture that it is based on, the first
/// later capture that disallows the URL, and the last capture with its access.
struct Answer {
    decision: Decision,
    next_disallowed: Option<PlannedCapture>,
    last_access: UrlAccess,
}

impl Answer {
    fn new(
        decided: &DecidedRow,
        plan: Option<&UrlPlan<'_>>,
        crawler: usize,
        any_origin: bool,
    ) -> Self {
        let unknown = |basis| Decision::new_without_rule(UrlAccess::Unknown, basis);
        let decide = |capture: &PlannedCapture| {
            let decision = decided.decision(capture.ruling_no, crawler);
            decision
                .filter(|_| capture.is_same_origin || any_origin)
                .unwrap_or(unknown(DecisionBasis::OtherOrigin))
        };
        let capture = plan.and_then(|plan| plan.capture);
        let decision = capture.as_ref().map(decide);
        let decision = decided.undecided().or(decision);
        let later = plan.map(|plan| plan.later.values::<PlannedCapture>());
        Self {
            decision: decision.unwrap_or(unknown(DecisionBasis::NoCapture)),
            next_disallowed: later
                .into_iter()
                .flatten()
                .find(|capture| decide(capture).access == UrlAccess::Disallowed),
            last_access: plan
                .and_then(|plan| plan.last)
                .map_or(UrlAccess::Unknown, |last| decide(&last).access),
        }
    }

    /// Returns the output row.
    fn row<'r>(
        &self,
        plan: Option<&UrlPlan<'_>>,
        url: &'r str,
        agent: &'r str,
        crawls: &'r [CrawlRow],
    ) -> HistoryMatchRow<'r> {
        let crawl_of = |capture: &PlannedCapture| crawls[capture.position as usize].crawl.as_str();
        let time = plan.and_then(|plan| plan.time);
        let capture = plan.and_then(|plan| plan.capture.as_ref());
        let last = plan.and_then(|plan| plan.last.as_ref());
        let next = self.next_disallowed.as_ref();
        let fetch_time = capture.and_then(|capture| capture.fetch_time);
        let distance = time.zip(fetch_time);
        let preference = self.decision.preference.map(|preference| preference.0);
        HistoryMatchRow {
            url,
            agent,
            time,
            access: self.decision.access.name(),
            basis: self.decision.basis.name(),
            line_no: self.decision.line_no,
            crawl: capture.map(crawl_of),
            fetch_time,
            seconds_before: distance.map(|(time, fetch_time)| (time - fetch_time) / 1000),
            is_same_origin: capture.map(|capture| capture.is_same_origin),
            archive_no: capture.map(|capture| capture.archive_no),
            warc_record_offset: capture.map(|capture| capture.offset),
            next_disallowed_crawl: next.map(crawl_of),
            next_disallowed_time: next.and_then(|capture| capture.fetch_time),
            last_access: self.last_access.name(),
            last_crawl: last.map(crawl_of),
            last_fetch_time: last.and_then(|capture| capture.fetch_time),
            preference: preference.map(|preference| preference.name()),
            preference_line: preference.and_then(|preference| preference.line_no),
        }
    }
}
