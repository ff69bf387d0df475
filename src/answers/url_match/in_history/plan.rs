//! Plans for URLs: the captures of the host by which a URL is decided, and their states.

use super::super::decision::{DecisionBasis, write_decisions};
use super::super::match_run::{MatchRun, WantedUrl};
use super::super::summary::MatchSummary;
use super::super::url_list::UrlListReader;
use super::{DecisionsByState, HistoryMatch};
use dataset::{BatchRow, Code, Rows, row};
use disk::error::Error;
use history::error::damaged_history_error;
use history::own_tables;
use history::policies::row_key::{RowKey, key_from_text};
use history::read::capture_record::AccessState;
use history::read::captures_by_host::{CapturesByHost, StoredCapture};
use history::read::crawl_row::CrawlRow;
use robots::{ContentClass, Dialect, StatusEffect};
use sort::{Field, GroupKey, Key, Rest, SortedRecords, Sorter, record};
use tables::Column;
use urls::{WebOrigin, surt_host_name};

record! {
    /// A capture of the host of a URL, in the plan of the URL.
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

record! {
    /// A plan in a sort record, after the index of the row.
    pub(super) struct PlanFields<'a> {
        url: &'a [u8],
        time: Option<i64>,
        bad_basis: Option<DecisionBasis>,
        capture: Option<PlannedCapture>,
        last: Option<PlannedCapture>,
        /// The captures of [`UrlPlan::later`].
        later: Rest<'a>,
    }
}

/// The plan of the row of the list with this index.
pub(super) type SortedPlan = (u64, PlanFields<'static>);

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

    fn push_to(&self, plans: &mut Sorter<'_, SortedPlan>) -> Result<(), Error> {
        let mut later = Vec::new();
        self.later
            .iter()
            .for_each(|capture| capture.write(&mut later));
        let fields = PlanFields {
            url: self.url,
            time: self.time,
            bad_basis: self.bad_basis,
            capture: self.capture,
            last: self.last,
            later: Rest(&later),
        };
        plans.push((self.row, fields))
    }

    pub(super) fn from_fields(row: u64, fields: PlanFields<'a>) -> Self {
        Self {
            row,
            url: fields.url,
            time: fields.time,
            bad_basis: fields.bad_basis,
            capture: fields.capture,
            later: fields.later.values().collect(),
            last: fields.last,
        }
    }
}

/// A URL of the list, by the `surt_host_name` of its host.
type UrlOfHost = (Key<'static>, PlannedUrl<'static>);

record! {
    /// A URL of the list.
    pub(super) struct PlannedUrl<'a> {
        time: Option<i64>,
        row: u64,
        url: &'a [u8],
        origin: &'a [u8],
    }
}

/// Reads the list, and sorts its URLs by host. The plans of malformed rows are added to `plans`.
pub(super) fn sort_urls<'a>(
    run: &MatchRun<'a>,
    urls: UrlListReader,
    plans: &mut Sorter<'_, SortedPlan>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a, UrlOfHost>, Error> {
    let mut lookups = run.memory.create_sorter::<UrlOfHost>();
    let mut escaped = Vec::new();
    summary.urls = run.read_urls(urls, &mut |url| {
        let (row, basis) = match &url {
            Ok(WantedUrl { row, origin, time }) => {
                let text = std::str::from_utf8(origin).unwrap_or_default();
                match WebOrigin::from_url(text) {
                    Some(parsed) => {
                        let host = surt_host_name(parsed.host);
                        let url = PlannedUrl {
                            time: *time,
                            row: row.index,
                            url: row.url,
                            origin,
                        };
                        return lookups.push((Key::new(host.as_bytes(), &mut escaped), url));
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
        plan.push_to(plans)
    })?;
    lookups.finish()
}

/// The properties of a capture that determine decisions. Captures of a host with equal properties share a state.
#[derive(Debug, PartialEq, Eq)]
struct HostState {
    /// The origin of the capture, as `write_url_origin` writes it.
    origin: Vec<u8>,
    effect: StatusEffect,
    /// The key of the policy; `None` if the file has no lines, or the status decides.
    policy: Option<RowKey>,
    /// The class of the body; `Empty` if the status decides.
    content: ContentClass,
}

#[derive(Default)]
struct HostCaptures {
    states: Vec<HostState>,
    /// The columns [`ACCESS`] of the periods of the host, by `period_no`.
    of_periods: Vec<Vec<u8>>,
    /// For each period, the number of its state in `states`; `None` before its first capture.
    state_nos: Vec<Option<u32>>,
    /// The captures with their times in milliseconds since 1970, sorted by time. A capture without a time has that of
    /// its crawl.
    captures: Vec<(i64, PlannedCapture)>,
}

/// A URL of a host of the history, by the number of the host.
type NumberedUrl = (i64, PlannedUrl<'static>);

/// The columns [`ACCESS`] of a period, by the number of its host and its own number.
type StateOfPeriod = (i64, (u32, Rest<'static>));

/// The list merged with the periods of hosts.
struct NumberedUrls<'s> {
    urls: SortedRecords<'s, NumberedUrl>,
    states: SortedRecords<'s, StateOfPeriod>,
}

/// The columns of a state on which access depends.
const ACCESS: &[Column] = AccessState::COLUMNS;

row! {
    /// A period with what access depends on.
    struct PeriodRow<'a> of own_tables::HOST_PERIODS, sorted by (surt_host_name, period_no) {
        surt_host_name: &'a [u8],
        host_no: i64,
        period_no: u32,
        ..state: ACCESS as AccessState<'static>,
    }
}

/// Collects the states of the periods of hosts, which are read in the order of `surt_host_name`.
struct PeriodStates<'a> {
    context: &'a HistoryMatch<'a>,
    periods: Rows<'a, PeriodRow<'static>>,
    states: Sorter<'a, StateOfPeriod>,
    count: u64,
}

impl<'a> PeriodStates<'a> {
    /// Opens the periods.
    fn open(context: &'a HistoryMatch<'a>) -> Result<Self, Error> {
        Ok(Self {
            context,
            periods: context.history.rows()?,
            states: context.run.memory.create_sorter(),
            count: 0,
        })
    }

    /// Adds the states of a host. Returns the number of the host; `None` if the history lacks it. Hosts must be asked for
    /// in order.
    fn add_host(&mut self, name: &[u8]) -> Result<Option<i64>, Error> {
        let mut host_no = None;
        let is_reached = |row: PeriodRow<'_>| row.surt_host_name <= name;
        while let Some(row) = self.periods.next_if(is_reached)? {
            if row.surt_host_name == name {
                host_no = Some(row.host_no);
                let state = (row.period_no, row.state);
                self.states.push((row.host_no, state))?;
            }
            self.count += 1;
            self.context.run.progress.set_rows(self.count);
        }
        Ok(host_no)
    }
}

/// Merges the URLs with the periods of their hosts. Adds the plans of the others, whose hosts have no capture, to
/// `plans`.
fn number_urls<'a>(
    context: &'a HistoryMatch<'a>,
    lookups: &SortedRecords<'_, UrlOfHost>,
    plans: &mut Sorter<'_, SortedPlan>,
    summary: &mut MatchSummary,
) -> Result<NumberedUrls<'a>, Error> {
    let mut urls = context.run.memory.create_sorter::<NumberedUrl>();
    let mut states = PeriodStates::open(context)?;
    let (mut lookups, mut host, mut name) = (lookups.read()?, GroupKey::default(), Vec::new());
    while lookups.next_group(&mut host)? {
        host.get().write_original(&mut name);
        let host_no = states.add_host(&name)?;
        summary.origins += 1;
        while let Some(url) = lookups.next_of(&host)? {
            match host_no {
                Some(host_no) => urls.push((host_no, url))?,
                None => HostCaptures::default().plan(&url).push_to(plans)?,
            }
        }
    }
    Ok(NumberedUrls {
        urls: urls.finish()?,
        states: states.states.finish()?,
    })
}

/// Merges the URLs with the captures of their hosts. Adds the plans to `plans`, and the decisions that follow from an
/// HTTP status to `decisions`. Returns the requests for decisions by rules, sorted by policy.
pub(super) fn plan_urls<'a>(
    context: &HistoryMatch<'a>,
    lookups: &SortedRecords<'_, UrlOfHost>,
    plans: &mut Sorter<'_, SortedPlan>,
    decisions: &mut Sorter<'_, DecisionsByState>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a, RequestOfPolicy>, Error> {
    let (history, memory) = (context.history, context.run.memory);
    let numbered = number_urls(context, lookups, plans, summary)?;
    let chosen = &context.run.options.crawls;
    let is_chosen = |row: &CrawlRow| chosen.is_empty() || chosen.contains(&row.crawl);
    let is_chosen: Vec<bool> = history.crawls.iter().map(is_chosen).collect();
    let mut captures = CapturesByHost::open(history)?;
    let mut states = numbered.states.read()?;
    let mut requests = memory.create_sorter();
    let mut urls = numbered.urls.read()?;
    let (mut state_nos, mut of_crawlers) = (Vec::new(), Vec::new());
    let options = context.run.options;
    let mut of_host = HostCaptures::default();
    let mut key = GroupKey::default();
    while urls.next_group(&mut key)? {
        of_host.clear();
        states.skip_to(&key)?;
        while let Some((period_no, Rest(state))) = states.next_of(&key)? {
            if period_no as usize != of_host.of_periods.len() {
                let root = history.root();
                return Err(damaged_history_error(root, own_tables::HOST_PERIODS));
            }
            of_host.push_period(state);
        }
        let host_no = key.get();
        captures.skip_to(host_no)?;
        let found = captures.next_host()?.filter(|(found, _)| *found == host_no);
        let found = found.map_or(&[][..], |(_, captures)| captures);
        of_host.push_captures(found, &is_chosen, context)?;
        while let Some(url) = urls.next_of(&key)? {
            let plan = of_host.plan(&url);
            let of_plan = plan.later.iter().chain(&plan.capture).chain(&plan.last);
            let decided = of_plan.filter(|capture| capture.is_same_origin || options.any_origin);
            state_nos.clear();
            state_nos.extend(decided.map(|capture| capture.state_no));
            state_nos.sort_unstable();
            state_nos.dedup();
            for state_no in &state_nos {
                let state = &of_host.states[*state_no as usize];
                match context.run.decide_by_status(state.effect, plan.url) {
                    Some(decision) => {
                        let of_options = options.crawlers.iter().map(|_| decision);
                        write_decisions(of_options, &mut of_crawlers);
                        decisions.push((plan.row, (*state_no, Rest(&of_crawlers))))?;
                    }
                    None => requests.push(state.request(&plan, *state_no))?,
                }
            }
            plan.push_to(plans)?;
        }
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
                fetch_time: capture.address.fetch_time,
                archive_no: capture.address.archive_no,
                offset: capture.address.offset,
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

record! {
    /// A request to decide a URL by the rules of a policy.
    pub(super) struct RulesRequest<'a> {
        pub(super) content: Code<ContentClass>,
        pub(super) row: u64,
        pub(super) state_no: u32,
        /// The time of the capture whose preference is output, in milliseconds since 1970; `None` for other captures of
        /// the plan.
        pub(super) time: Option<i64>,
        pub(super) url: &'a [u8],
    }
}

/// A request, by the policy of the file; `None` for a file without lines.
pub(super) type RequestOfPolicy = (Option<RowKey>, RulesRequest<'static>);

impl HostState {
    /// Creates the state of a capture from that of its period.
    fn new(state: &[u8], dialect: Dialect) -> Self {
        let state = sort::read::<AccessState<'static>>(state);
        let mut origin = Vec::new();
        state.origin().write(&mut origin);
        let effect = state.effect(dialect);
        let is_parsed = effect == StatusEffect::Parse;
        Self {
            origin,
            effect,
            policy: state
                .policy_id
                .filter(|_| is_parsed)
                .and_then(key_from_text),
            content: if is_parsed {
                state.content_class()
            } else {
                ContentClass::Empty
            },
        }
    }

    /// Returns the request to decide a URL by the rules of this state.
    fn request<'u>(&self, plan: &UrlPlan<'u>, state_no: u32) -> (Option<RowKey>, RulesRequest<'u>) {
        let capture = plan.capture.filter(|capture| capture.state_no == state_no);
        let request = RulesRequest {
            content: Code(self.content),
            row: plan.row,
            state_no,
            time: capture.and_then(|capture| capture.fetch_time),
            url: plan.url,
        };
        (self.policy, request)
    }
}
