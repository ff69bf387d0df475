//! Plans for URLs: the captures of the host by which a URL is decided, and their states.

use super::super::decision::DecisionBasis;
use super::super::match_run::{MatchRun, WantedUrl};
use super::super::summary::MatchSummary;
use super::super::url_list::UrlListReader;
use super::{HistoryMatch, StateDecisions};
use disk::error::Error;
use history::capture_record::StateDetails;
use history::captures_by_host::{CapturesByHost, StoredCapture};
use history::crawl_row::CrawlRow;
use history::encoded_rows::EncodedRows;
use history::row_key::{KEY_BYTES, key_from_text};
use history::{damaged_history_error, own_tables};
use robots::{Dialect, StatusEffect};
use sort::sort_key::{
    FieldReader, push_key_without_escapes, put_bytes, put_i64, put_key, put_u8, put_u32,
};
use sort::{SortedRecords, Sorter};
use urls::{WebOrigin, surt_host_name};

/// A capture of the host of a URL, in the plan of the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlannedCapture {
    /// The index of its crawl among the crawls of the history.
    pub(super) position: u32,
    pub(super) fetch_time: Option<i64>,
    pub(super) archive_no: i64,
    pub(super) offset: i64,
    pub(super) is_same_origin: bool,
    /// The number of its [`HostState`] among those of the host.
    pub(super) state_no: u32,
}

/// The captures by which a row of the list is decided.
#[derive(Debug)]
pub(super) struct UrlPlan<'a> {
    pub(super) row: u64,
    pub(super) url: &'a [u8],
    pub(super) time: Option<i64>,
    /// The reason why no capture is looked up, if the row is malformed.
    pub(super) bad_basis: Option<DecisionBasis>,
    /// The latest capture that is not later than `time`; the last capture if `time` is `None`.
    pub(super) capture: Option<PlannedCapture>,
    /// Captures later than `time`: the first one, and each that has another [`HostState`] than the one before.
    pub(super) later: Vec<PlannedCapture>,
    /// The last capture of the host.
    pub(super) last: Option<PlannedCapture>,
}

impl PlannedCapture {
    fn write(&self, out: &mut Vec<u8>) {
        put_u32(out, self.position);
        put_i64(out, self.fetch_time.unwrap_or(i64::MIN));
        put_i64(out, self.archive_no);
        put_i64(out, self.offset);
        put_u8(out, self.is_same_origin.into());
        put_u32(out, self.state_no);
    }

    fn read(fields: &mut FieldReader<'_>) -> Self {
        Self {
            position: fields.u32(),
            fetch_time: Some(fields.i64()).filter(|time| *time != i64::MIN),
            archive_no: fields.i64(),
            offset: fields.i64(),
            is_same_origin: fields.u8() != 0,
            state_no: fields.u32(),
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

    fn write(&self, record: &mut Vec<u8>) {
        record.clear();
        put_i64(record, self.row.cast_signed());
        put_bytes(record, self.url);
        put_i64(record, self.time.unwrap_or(i64::MIN));
        put_u8(record, self.bad_basis.map_or(u8::MAX, |basis| basis as u8));
        for capture in [self.capture, self.last] {
            put_u8(record, capture.is_some().into());
            capture.iter().for_each(|capture| capture.write(record));
        }
        put_u32(record, self.later.len() as u32);
        self.later.iter().for_each(|capture| capture.write(record));
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

/// Reads the list, and sorts its URLs by host. The plans of malformed rows are added to `plans`.
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
            Ok(WantedUrl { row, origin, time }) => {
                let text = std::str::from_utf8(origin).unwrap_or_default();
                match WebOrigin::from_url(text) {
                    Some(parsed) => {
                        record.clear();
                        put_key(&mut record, surt_host_name(parsed.host).as_bytes());
                        put_i64(&mut record, time.unwrap_or(i64::MIN));
                        put_i64(&mut record, row.index.cast_signed());
                        put_bytes(&mut record, row.url);
                        put_bytes(&mut record, origin);
                        return lookups.push(&record);
                    }
                    None => (row, DecisionBasis::BadUrl),
                }
            }
            Err((row, basis)) => (row, *basis),
        };
        let plan = UrlPlan {
            bad_basis: Some(basis),
            ..UrlPlan::new(row.index, row.url, None)
        };
        plan.write(&mut record);
        plans.push(&record)
    })?;
    lookups.finish()
}

/// The properties of a capture that determine decisions. Captures of a host with equal properties share a state.
#[derive(Debug, PartialEq, Eq)]
struct HostState {
    /// The origin of the capture, as `write_url_origin` writes it.
    origin: Vec<u8>,
    effect: StatusEffect,
    /// The key of the policy. If the status decides, this is [`NO_POLICY`], and `content_class` is empty.
    key: [u8; KEY_BYTES],
    content_class: Vec<u8>,
}

#[derive(Default)]
struct HostCaptures {
    states: Vec<HostState>,
    /// The states of the periods of the host, as they are stored, by `period_no`.
    of_periods: Vec<Vec<u8>>,
    /// For each period, the number of its state in `states`; `None` before its first capture.
    state_nos: Vec<Option<u32>>,
    /// The captures with their times in milliseconds since 1970, sorted by time. A capture without a time has that of
    /// its crawl.
    captures: Vec<(i64, PlannedCapture)>,
}

/// The list merged with the periods of hosts.
struct NumberedUrls<'s> {
    /// The URLs of hosts of the history, sorted by `host_no`.
    urls: SortedRecords<'s>,
    /// The states of periods, sorted by `host_no` and `period_no`.
    states: SortedRecords<'s>,
}

/// Collects the states of the periods of hosts, which are read in the order of `surt_host_name`.
struct PeriodStates<'a> {
    context: &'a HistoryMatch<'a>,
    periods: EncodedRows<'a>,
    /// The host of the last period that was read.
    host: Vec<u8>,
    states: Sorter<'a>,
    count: u64,
}

impl<'a> PeriodStates<'a> {
    /// Opens the periods.
    fn open(context: &'a HistoryMatch<'a>) -> Result<Self, Error> {
        let mut columns = vec!["surt_host_name", "host_no", "period_no"];
        columns.extend(StateDetails::ACCESS_COLUMNS);
        let history = context.history;
        Ok(Self {
            context,
            periods: history.open_columns(own_tables::HOST_PERIODS, &columns)?,
            host: Vec::new(),
            states: context.run.memory.create_sorter(),
            count: 0,
        })
    }

    /// Adds the states of a host. Returns the number of the host; `None` if the history lacks it. Hosts must be asked for
    /// in order.
    fn add_host(&mut self, name: &[u8]) -> Result<Option<i64>, Error> {
        let mut host_no = None;
        while let Some(row) = self.periods.peek() {
            let mut fields = FieldReader::new(row);
            let found = fields.bytes();
            if found > name {
                break;
            }
            if found < &*self.host {
                let root = self.context.history.root();
                return Err(damaged_history_error(root, own_tables::HOST_PERIODS));
            }
            if found != &*self.host {
                self.host.clear();
                self.host.extend_from_slice(found);
            }
            let state = fields.rest();
            if found == name {
                host_no = Some(fields.i64());
                self.states.push(state)?;
            }
            self.count += 1;
            self.context.run.progress.set_rows(self.count);
            self.periods.advance()?;
        }
        Ok(host_no)
    }
}

/// Merges the URLs with the periods of their hosts. Adds the plans of the others, whose hosts have no capture, to
/// `plans`.
fn number_urls<'a>(
    context: &'a HistoryMatch<'a>,
    lookups: &SortedRecords<'_>,
    plans: &mut Sorter<'_>,
    summary: &mut MatchSummary,
) -> Result<NumberedUrls<'a>, Error> {
    let mut urls = context.run.memory.create_sorter();
    let mut states = PeriodStates::open(context)?;
    let mut lookups = lookups.read()?;
    let (mut host, mut name, mut record) = (Vec::new(), Vec::new(), Vec::new());
    let mut host_no = None;
    while let Some(lookup) = lookups.peek() {
        let mut fields = FieldReader::new(lookup);
        let key = fields.key();
        if host != key {
            host.clear();
            host.extend_from_slice(key);
            name.clear();
            push_key_without_escapes(&mut name, key);
            host_no = states.add_host(&name)?;
            summary.origins += 1;
        }
        match host_no {
            Some(host_no) => {
                record.clear();
                put_i64(&mut record, host_no);
                record.extend_from_slice(fields.rest());
                urls.push(&record)?;
            }
            None => {
                let url = PlannedUrl::read(&mut fields);
                HostCaptures::default().plan(&url).write(&mut record);
                plans.push(&record)?;
            }
        }
        lookups.advance()?;
    }
    Ok(NumberedUrls {
        urls: urls.finish()?,
        states: states.states.finish()?,
    })
}

/// A URL of the list.
struct PlannedUrl<'a> {
    time: Option<i64>,
    row: u64,
    url: &'a [u8],
    origin: &'a [u8],
}

impl<'a> PlannedUrl<'a> {
    /// Reads the fields that [`sort_urls`] wrote after the host.
    fn read(fields: &mut FieldReader<'a>) -> Self {
        Self {
            time: Some(fields.i64()).filter(|time| *time != i64::MIN),
            row: fields.i64().cast_unsigned(),
            url: fields.bytes(),
            origin: fields.bytes(),
        }
    }
}

/// Merges the URLs with the captures of their hosts. Adds the plans to `plans`, and the decisions that follow from an
/// HTTP status to `decisions`. Returns the requests for decisions by rules, sorted by policy.
pub(super) fn plan_urls<'a>(
    context: &HistoryMatch<'a>,
    lookups: &SortedRecords<'_>,
    plans: &mut Sorter<'_>,
    decisions: &mut Sorter<'_>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a>, Error> {
    let (history, memory) = (context.history, context.run.memory);
    let numbered = number_urls(context, lookups, plans, summary)?;
    let chosen = &context.run.options.crawls;
    let is_chosen = |row: &CrawlRow| chosen.is_empty() || chosen.contains(&row.crawl);
    let is_chosen: Vec<bool> = history.crawls.iter().map(is_chosen).collect();
    let mut captures = CapturesByHost::open(history)?;
    let mut states = numbered.states.read()?;
    let mut requests = memory.create_sorter();
    let mut urls = numbered.urls.read()?;
    let (mut state_nos, mut record) = (Vec::new(), Vec::new());
    let options = context.run.options;
    let mut of_host = HostCaptures::default();
    let mut key = Vec::new();
    while let Some(record_of_url) = urls.peek() {
        let (host_key, fields) = record_of_url.split_at(size_of::<i64>());
        if key != host_key {
            key.clear();
            key.extend_from_slice(host_key);
            of_host.clear();
            states.skip_to_key(&key)?;
            while let Some(state) = states.peek().and_then(|state| state.strip_prefix(&*key)) {
                let mut fields = FieldReader::new(state);
                let is_next = fields.u32() as usize == of_host.of_periods.len();
                if !is_next {
                    let root = history.root();
                    return Err(damaged_history_error(root, own_tables::HOST_PERIODS));
                }
                of_host.push_period(fields.rest());
                states.advance()?;
            }
            let host_no = FieldReader::new(&key).i64();
            captures.skip_to(host_no)?;
            let found = captures.next_host()?.filter(|(found, _)| *found == host_no);
            let found = found.map_or(&[][..], |(_, captures)| captures);
            of_host.push_captures(found, &is_chosen, context)?;
        }
        let url = PlannedUrl::read(&mut FieldReader::new(fields));
        let plan = of_host.plan(&url);
        let of_plan = plan.later.iter().chain(&plan.capture).chain(&plan.last);
        let decided = of_plan.filter(|capture| capture.is_same_origin || options.any_origin);
        state_nos.clear();
        state_nos.extend(decided.map(|capture| capture.state_no));
        state_nos.sort_unstable();
        state_nos.dedup();
        for state_no in &state_nos {
            let state = &of_host.states[*state_no as usize];
            if state.write_decisions_by_status(context.run, &plan, *state_no, &mut record) {
                decisions.push(&record)?;
            } else {
                state.write_request(&plan, *state_no, &mut record);
                requests.push(&record)?;
            }
        }
        plan.write(&mut record);
        plans.push(&record)?;
        urls.advance()?;
    }
    requests.finish()
}

impl HostCaptures {
    fn clear(&mut self) {
        self.states.clear();
        self.of_periods.clear();
        self.state_nos.clear();
        self.captures.clear();
    }

    fn push_period(&mut self, state: &[u8]) {
        self.of_periods.push(state.to_vec());
        self.state_nos.push(None);
    }

    /// Adds the captures of chosen crawls.
    fn push_captures(
        &mut self,
        captures: &[StoredCapture],
        is_chosen: &[bool],
        context: &HistoryMatch<'_>,
    ) -> Result<(), Error> {
        let dialect = context.run.options.dialect.dialect();
        for capture in captures {
            if !is_chosen[capture.position as usize] {
                continue;
            }
            let period_no = capture.period_no as usize;
            if period_no >= self.of_periods.len() {
                let root = context.history.root();
                return Err(damaged_history_error(root, own_tables::HOST_CAPTURES));
            }
            let planned = PlannedCapture {
                position: capture.position,
                fetch_time: capture.place.fetch_time,
                archive_no: capture.place.archive_no,
                offset: capture.place.offset,
                is_same_origin: false,
                state_no: self.state_of_period(period_no, dialect),
            };
            self.captures.push((capture.order_time, planned));
        }
        Ok(())
    }

    /// Returns the number of the state of a period.
    fn state_of_period(&mut self, period_no: usize, dialect: Dialect) -> u32 {
        // Many periods have the state of an earlier one.
        let state = &self.of_periods[period_no];
        let earlier = self.of_periods[..=period_no].iter().zip(&self.state_nos);
        let known = earlier
            .rev()
            .find(|(other, number)| number.is_some() && *other == state);
        let state_no = match known.and_then(|(_, number)| *number) {
            Some(state_no) => state_no,
            None => {
                let state = HostState::new(state, dialect);
                self.add_state(state)
            }
        };
        self.state_nos[period_no] = Some(state_no);
        state_no
    }

    /// Returns the number of a state, which is added unless a capture of the host already has it.
    fn add_state(&mut self, state: HostState) -> u32 {
        let known = self.states.iter().rposition(|known| *known == state);
        let state_no = known.unwrap_or(self.states.len());
        if known.is_none() {
            self.states.push(state);
        }
        state_no as u32
    }

    /// Returns the plan of a URL of the host.
    fn plan<'u>(&self, url: &PlannedUrl<'u>) -> UrlPlan<'u> {
        let mut plan = UrlPlan::new(url.row, url.url, url.time);
        let planned = |(_, capture): &(i64, PlannedCapture)| PlannedCapture {
            is_same_origin: self.states[capture.state_no as usize].origin == url.origin,
            ..*capture
        };
        plan.last = self.captures.last().map(planned);
        let Some(time) = plan.time else {
            plan.capture = plan.last;
            return plan;
        };
        let later = self.captures.partition_point(|(at, _)| *at <= time);
        plan.capture = later.checked_sub(1).map(|i| planned(&self.captures[i]));
        for capture in &self.captures[later..] {
            let last = plan.later.last();
            if last.is_none_or(|last| last.state_no != capture.1.state_no) {
                plan.later.push(planned(capture));
            }
        }
        plan
    }
}

/// A request to decide a URL by the rules of a policy. Sort records of this type sort by policy.
pub(super) struct RulesRequest<'a> {
    /// The key of the policy, or [`NO_POLICY`].
    pub(super) key: &'a [u8],
    pub(super) content_class: &'a [u8],
    pub(super) row: u64,
    pub(super) state_no: u32,
    /// The time of the capture whose preference is output, in milliseconds since 1970; `None` for other captures of the
    /// plan.
    pub(super) time: Option<i64>,
    pub(super) url: &'a [u8],
}

impl<'a> RulesRequest<'a> {
    fn write(&self, record: &mut Vec<u8>) {
        record.clear();
        record.extend_from_slice(self.key);
        put_bytes(record, self.content_class);
        put_i64(record, self.row.cast_signed());
        put_u32(record, self.state_no);
        put_i64(record, self.time.unwrap_or(i64::MIN));
        put_bytes(record, self.url);
    }

    pub(super) fn read(record: &'a [u8]) -> Self {
        let (key, fields) = record.split_at(KEY_BYTES);
        let mut fields = FieldReader::new(fields);
        Self {
            key,
            content_class: fields.bytes(),
            row: fields.i64().cast_unsigned(),
            state_no: fields.u32(),
            time: Some(fields.i64()).filter(|time| *time != i64::MIN),
            url: fields.bytes(),
        }
    }
}

/// The key of a file without lines, which has no policy.
pub(super) const NO_POLICY: [u8; KEY_BYTES] = [0; KEY_BYTES];

impl HostState {
    /// Creates the state of a capture from that of its period.
    fn new(state: &[u8], dialect: Dialect) -> Self {
        let details = StateDetails::read_access(state);
        let mut origin = Vec::new();
        details.origin.web_origin().write(&mut origin);
        let effect = details.effect(dialect);
        let mut host_state = Self {
            origin,
            effect,
            key: NO_POLICY,
            content_class: Vec::new(),
        };
        if effect == StatusEffect::Parse {
            let key = details.policy_id.as_deref().and_then(key_from_text);
            host_state.key = key.unwrap_or(NO_POLICY);
            host_state.content_class = details.content_class;
        }
        host_state
    }

    /// Writes the sort record of the decisions for a URL by the HTTP status and returns true, or returns false if the
    /// rules decide.
    fn write_decisions_by_status(
        &self,
        run: &MatchRun<'_>,
        plan: &UrlPlan<'_>,
        state_no: u32,
        record: &mut Vec<u8>,
    ) -> bool {
        let Some(decision) = run.decide_by_status(self.effect, plan.url) else {
            return false;
        };
        let of_crawlers = run.options.crawlers.iter().map(|_| decision);
        StateDecisions::write(record, plan.row, state_no, of_crawlers);
        true
    }

    /// Writes the sort record of the request to decide a URL by the rules of this state.
    fn write_request(&self, plan: &UrlPlan<'_>, state_no: u32, record: &mut Vec<u8>) {
        let capture = plan.capture.filter(|capture| capture.state_no == state_no);
        let request = RulesRequest {
            key: &self.key,
            content_class: &self.content_class,
            row: plan.row,
            state_no,
            time: capture.and_then(|capture| capture.fetch_time),
            url: plan.url,
        };
        request.write(record);
    }
}
