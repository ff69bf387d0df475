//! Plans for URLs: the captures of the host that matter, and the states that decide.

use super::super::decision::DecisionBasis;
use super::super::match_run::{MatchRun, WantedUrl};
use super::super::summary::MatchSummary;
use super::super::url_list::UrlListReader;
use super::{HistoryMatch, StateDecisions};
use disk::error::Error;
use history::capture_record::{CaptureRecord, StateDetails, StateOrigin};
use history::history_input::HistoryCaptures;
use history::revisits::read_filled_states;
use history::row_key::{KEY_BYTES, key_from_text};
use sort::sort_key::{
    FieldReader, push_key_without_escapes, put_bytes, put_i64, put_key, put_u8, put_u32,
};
use sort::{SortedRecords, Sorter};
use std::collections::BTreeSet;
use urls::host_columns;
use urls::parse_url;

/// A capture of the host of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlannedCapture {
    /// The place of its crawl.
    pub(super) position: u32,
    pub(super) fetch_time: Option<i64>,
    pub(super) archive_no: i64,
    pub(super) offset: i64,
    pub(super) is_same_origin: bool,
    /// The number of its state among those of the host.
    pub(super) slot: u32,
}

/// The captures that decide a row of the list.
#[derive(Debug)]
pub(super) struct UrlPlan<'a> {
    pub(super) row: u64,
    pub(super) url: &'a [u8],
    pub(super) time: Option<i64>,
    /// The reason why no capture is looked up.
    pub(super) bad_basis: Option<DecisionBasis>,
    /// The latest capture that is not later than the time.
    pub(super) capture: Option<PlannedCapture>,
    /// Later captures: the first one, and each that has another state or origin than the one before.
    pub(super) later: Vec<PlannedCapture>,
    /// The last capture.
    pub(super) last: Option<PlannedCapture>,
}

impl PlannedCapture {
    fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, self.position);
        put_i64(out, self.fetch_time.unwrap_or(i64::MIN));
        put_i64(out, self.archive_no);
        put_i64(out, self.offset);
        put_u8(out, self.is_same_origin.into());
        put_u32(out, self.slot);
    }

    fn read(fields: &mut FieldReader<'_>) -> Self {
        Self {
            position: fields.u32(),
            fetch_time: Some(fields.i64()).filter(|time| *time != i64::MIN),
            archive_no: fields.i64(),
            offset: fields.i64(),
            is_same_origin: fields.u8() != 0,
            slot: fields.u32(),
        }
    }
}

impl<'a> UrlPlan<'a> {
    fn new(row: u64, url: &'a [u8], time: Option<i64>) -> Self {
        Self {
            row,
            url,
            time,
            bad_basis: None,
            capture: None,
            later: Vec::new(),
            last: None,
        }
    }

    fn push(&self, plans: &mut Sorter<'_>) -> Result<(), Error> {
        let mut record = Vec::new();
        put_i64(&mut record, self.row.cast_signed());
        put_bytes(&mut record, self.url);
        put_i64(&mut record, self.time.unwrap_or(i64::MIN));
        put_u8(
            &mut record,
            self.bad_basis.map_or(u8::MAX, |basis| basis as u8),
        );
        for capture in [self.capture, self.last] {
            put_u8(&mut record, capture.is_some().into());
            capture
                .iter()
                .for_each(|capture| capture.write(&mut record));
        }
        put_u32(&mut record, self.later.len() as u32);
        self.later
            .iter()
            .for_each(|capture| capture.write(&mut record));
        plans.push(&record)
    }

    pub(super) fn read(record: &'a [u8]) -> Self {
        let mut fields = FieldReader::new(record);
        let row = fields.i64().cast_unsigned();
        let url = fields.bytes();
        let time = Some(fields.i64()).filter(|time| *time != i64::MIN);
        let basis = usize::from(fields.u8());
        let mut capture = || (fields.u8() != 0).then(|| PlannedCapture::read(&mut fields));
        let (at_time, last) = (capture(), capture());
        let count = fields.u32();
        Self {
            row,
            url,
            time,
            bad_basis: DecisionBasis::ALL.get(basis).copied(),
            capture: at_time,
            later: (0..count)
                .map(|_| PlannedCapture::read(&mut fields))
                .collect(),
            last,
        }
    }
}

/// Reads the list, and sorts its URLs by host. Plans of rows that cannot be used are added at once.
pub(super) fn sort_urls<'a>(
    run: &MatchRun<'a>,
    urls: UrlListReader,
    plans: &mut Sorter<'_>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a>, Error> {
    let mut lookups = run.memory.create_sorter();
    let mut record = Vec::new();
    summary.urls = run.read_urls(urls, &mut |url| {
        let (row, basis) = match &url {
            Ok(WantedUrl { row, time, .. }) => match parse_url(row.url) {
                Some(parsed) => {
                    let host = host_columns(parsed.host_str().unwrap_or_default());
                    record.clear();
                    put_key(&mut record, host.surt_host_name.as_bytes());
                    put_i64(&mut record, time.unwrap_or(i64::MIN));
                    put_i64(&mut record, row.index.cast_signed());
                    put_bytes(&mut record, row.url);
                    return lookups.push(&record);
                }
                None => (row, DecisionBasis::BadUrl),
            },
            Err((row, basis)) => (row, *basis),
        };
        let plan = UrlPlan {
            bad_basis: Some(basis),
            ..UrlPlan::new(row.index, row.url, None)
        };
        plan.push(plans)
    })?;
    lookups.finish()
}

/// A state of a host, and its captures.
struct HostState {
    bytes: Vec<u8>,
    details: StateDetails,
}

/// The captures of a host.
#[derive(Default)]
struct HostCaptures {
    states: Vec<HostState>,
    /// Sorted by time. The time of a capture without one is that of its crawl.
    captures: Vec<(i64, PlannedCapture)>,
}

/// Merges the URLs with the captures of their hosts. Adds the plans, and the decisions of statuses. Returns
/// the requests for decisions by rules, sorted by policy.
pub(super) fn plan_urls<'a>(
    context: &HistoryMatch<'a>,
    lookups: &SortedRecords<'_>,
    plans: &mut Sorter<'_>,
    decisions: &mut Sorter<'_>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a>, Error> {
    let none = BTreeSet::new();
    let history = context.history;
    let mut places = history.places();
    let chosen = &context.run.options.crawls;
    places.retain(|crawl, _| chosen.is_empty() || chosen.contains(crawl));
    let mut captures = HistoryCaptures::open(history, places, &none)?;
    let filled = read_filled_states(history, context.run.memory)?;
    let mut filled = filled.read()?;
    let mut requests = context.run.memory.create_sorter();
    let mut lookups = lookups.read()?;
    let (mut host, mut name, mut number) = (Vec::new(), Vec::new(), Vec::new());
    let mut of_host = HostCaptures::default();
    let mut count = 0;
    while let Some(lookup) = lookups.peek() {
        let mut fields = FieldReader::new(lookup);
        let key = fields.key();
        if host != key {
            host.clear();
            host.extend_from_slice(key);
            summary.origins += 1;
            of_host.states.clear();
            of_host.captures.clear();
            name.clear();
            push_key_without_escapes(&mut name, key);
            while let Some((capture, position)) = captures.peek() {
                if capture.surt_host_name.as_bytes() > &name[..] {
                    break;
                }
                number.clear();
                put_i64(&mut number, captures.capture_no());
                while filled
                    .peek()
                    .is_some_and(|state| state[..number.len()] < number[..])
                {
                    filled.advance()?;
                }
                if capture.surt_host_name.as_bytes() == &name[..] {
                    let state = filled.peek();
                    let state = state.and_then(|state| state.strip_prefix(&number[..]));
                    of_host.push(&capture, position, state);
                }
                count += 1;
                context.run.progress.set_rows(count);
                captures.advance()?;
            }
        }
        let time = Some(fields.i64()).filter(|time| *time != i64::MIN);
        let row = fields.i64().cast_unsigned();
        let plan = of_host.plan(row, fields.bytes(), time);
        let of_plan = plan.later.iter().chain(&plan.capture).chain(&plan.last);
        let slots: BTreeSet<u32> = of_plan.map(|capture| capture.slot).collect();
        for slot in slots {
            let state = &of_host.states[slot as usize].details;
            push_state(context, &plan, slot, state, decisions, &mut requests)?;
        }
        plan.push(plans)?;
        lookups.advance()?;
    }
    requests.finish()
}

impl HostCaptures {
    /// Adds a capture. `filled` is the state of the content of a revisit.
    fn push(&mut self, capture: &CaptureRecord<'_>, position: u32, filled: Option<&[u8]>) {
        // The origin is that of the capture, also of a revisit.
        let bytes = [capture.state, filled.unwrap_or_default()].concat();
        let known = self.states.iter().rposition(|state| state.bytes == bytes);
        let slot = known.unwrap_or_else(|| {
            let mut details = StateDetails::read(filled.unwrap_or(capture.state));
            details.origin = StateDetails::read(capture.state).origin;
            self.states.push(HostState { bytes, details });
            self.states.len() - 1
        });
        let planned = PlannedCapture {
            position,
            fetch_time: capture.place.fetch_time,
            archive_no: capture.place.archive_no,
            offset: capture.place.offset,
            is_same_origin: false,
            slot: slot as u32,
        };
        self.captures.push((capture.time, planned));
    }

    /// Makes the plan of a URL.
    fn plan<'u>(&self, row: u64, url: &'u [u8], time: Option<i64>) -> UrlPlan<'u> {
        let origin = parse_url(url).map(|url| StateOrigin {
            protocol: url.scheme().as_bytes().to_vec(),
            host: url
                .host_str()
                .unwrap_or_default()
                .trim_end_matches('.')
                .into(),
            port: url.port().map(u32::from),
        });
        let planned = |(_, capture): &(i64, PlannedCapture)| PlannedCapture {
            is_same_origin: origin.as_ref()
                == Some(&self.states[capture.slot as usize].details.origin),
            ..*capture
        };
        let mut plan = UrlPlan::new(row, url, time);
        plan.last = self.captures.last().map(planned);
        let Some(time) = time else {
            plan.capture = plan.last;
            return plan;
        };
        let later = self.captures.partition_point(|(at, _)| *at <= time);
        plan.capture = later.checked_sub(1).map(|i| planned(&self.captures[i]));
        for capture in self.captures[later..].iter().map(planned) {
            if plan
                .later
                .last()
                .is_none_or(|last| last.slot != capture.slot)
            {
                plan.later.push(capture);
            }
        }
        plan
    }
}

/// A request to decide a URL by the rules of a policy. Records sort by policy.
pub(super) struct RulesRequest<'a> {
    pub(super) key: &'a [u8],
    pub(super) content_class: &'a [u8],
    pub(super) row: u64,
    pub(super) slot: u32,
    /// The time of the capture whose preference is asked for, in milliseconds since 1970.
    pub(super) time: Option<i64>,
    pub(super) url: &'a [u8],
}

impl<'a> RulesRequest<'a> {
    fn push(&self, requests: &mut Sorter<'_>) -> Result<(), Error> {
        let mut record = self.key.to_vec();
        put_bytes(&mut record, self.content_class);
        put_i64(&mut record, self.row.cast_signed());
        put_u32(&mut record, self.slot);
        put_i64(&mut record, self.time.unwrap_or(i64::MIN));
        put_bytes(&mut record, self.url);
        requests.push(&record)
    }

    pub(super) fn read(record: &'a [u8]) -> Self {
        let (key, fields) = record.split_at(KEY_BYTES);
        let mut fields = FieldReader::new(fields);
        Self {
            key,
            content_class: fields.bytes(),
            row: fields.i64().cast_unsigned(),
            slot: fields.u32(),
            time: Some(fields.i64()).filter(|time| *time != i64::MIN),
            url: fields.bytes(),
        }
    }
}

/// The key of files without lines.
pub(super) const NO_POLICY: [u8; KEY_BYTES] = [0; KEY_BYTES];

/// Adds the decisions of a status, or the request for those of rules.
fn push_state(
    context: &HistoryMatch<'_>,
    plan: &UrlPlan<'_>,
    slot: u32,
    state: &StateDetails,
    decisions: &mut Sorter<'_>,
    requests: &mut Sorter<'_>,
) -> Result<(), Error> {
    let run = context.run;
    let effect = state.effect(run.options.dialect.dialect());
    let Some(decision) = run.decide_by_status(effect, plan.url) else {
        let key = state.policy_id.as_deref().and_then(key_from_text);
        let capture = plan.capture.filter(|capture| capture.slot == slot);
        return RulesRequest {
            key: &key.unwrap_or(NO_POLICY),
            content_class: &state.content_class,
            row: plan.row,
            slot,
            time: capture.and_then(|capture| capture.fetch_time),
            url: plan.url,
        }
        .push(requests);
    };
    let of_crawlers = run.options.crawlers.iter().map(|_| decision);
    StateDecisions::push(decisions, plan.row, slot, of_crawlers)
}
