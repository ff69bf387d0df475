//! `match` over a history: was a URL allowed at a time, when was it first disallowed after that, and is it
//! allowed now.
//!
//! 1. The list is sorted by host, and merged with the periods and the captures of hosts (`plan.rs`). Each URL gets a
//!    plan: the captures by which the URL is decided. Captures of a host that decide alike share a state (`HostState`).
//! 2. States with a status that decides without rules are decided at once. For the others, requests are sorted by
//!    policy, and the file of each policy is rebuilt from its lines (`rules.rs`).
//! 3. Plans and decisions are sorted by the row of the list, and written together.

mod plan;
mod rules;

use super::decision::{Decision, DecisionBasis, UrlAccess};
use super::match_run::MatchRun;
use super::output::{MatchWriter, RowFields, write_output};
use super::progress::MatchStage;
use super::summary::{AnswerCounts, MatchSummary};
use super::url_list::UrlListReader;
use crate::own_tables;
use disk::error::Error;
use escapes::escape_body;
use history::HistoryManifest;
use history::crawl_row::CrawlRow;
use history::history_input::HistoryReader;
use plan::{PlannedCapture, UrlPlan, plan_urls, sort_urls};
use rules::decide_by_rules;
use sort::sort_key::{FieldReader, put_i64, put_u32};
use sort::{Reader, SortedRecords};

/// The context of a match over a history.
struct HistoryMatch<'a> {
    run: &'a MatchRun<'a>,
    history: &'a HistoryReader,
}

/// Runs a match over the history with this manifest.
pub(super) fn run(
    run: &MatchRun<'_>,
    manifest: &HistoryManifest,
    urls: UrlListReader,
) -> Result<MatchSummary, Error> {
    let progress = run.progress;
    let history = HistoryReader::open(&run.options.dataset, manifest, false, run.stop)?;
    let context = HistoryMatch {
        run,
        history: &history,
    };
    let mut summary = MatchSummary {
        is_dataset_whole: true,
        ..MatchSummary::default()
    };
    let mut plans = run.memory.create_sorter();
    let mut decisions = run.memory.create_sorter();
    progress.begin_stage(MatchStage::Urls);
    let lookups = sort_urls(run, urls, &mut plans, &mut summary)?;
    progress.begin_stage(MatchStage::Captures);
    let requests = plan_urls(&context, &lookups, &mut plans, &mut decisions, &mut summary)?;
    drop(lookups);
    progress.begin_stage(MatchStage::Rules);
    decide_by_rules(&context, &requests, &mut decisions, &mut summary)?;
    drop(requests);
    progress.begin_stage(MatchStage::Write);
    let (plans, decisions) = (plans.finish()?, decisions.finish()?);
    write_output(run.output, own_tables::HISTORY_MATCHES, |file| {
        context.write_rows(&plans, &decisions, file, summary)
    })
}

/// The decisions for a row of the list. A sort record has the decisions by one state, one per crawler. Records sort by
/// row.
#[derive(Default)]
struct StateDecisions {
    /// The numbers of the states of the host by which the row is decided.
    state_nos: Vec<u32>,
    /// For each of these states, the decisions for all crawlers.
    decisions: Vec<Decision>,
}

impl StateDecisions {
    fn write(
        record: &mut Vec<u8>,
        row: u64,
        state_no: u32,
        decisions: impl Iterator<Item = Decision>,
    ) {
        record.clear();
        put_i64(record, row.cast_signed());
        put_u32(record, state_no);
        decisions.for_each(|decision| decision.write(record));
    }

    /// Replaces the decisions with those of a row, whose records are the next ones of `reader`.
    fn read_row(
        &mut self,
        reader: &mut Reader<'_>,
        row: u64,
        crawlers: usize,
    ) -> Result<(), Error> {
        self.state_nos.clear();
        self.decisions.clear();
        while let Some(record) = reader.peek() {
            let mut fields = FieldReader::new(record);
            if fields.i64().cast_unsigned() != row {
                break;
            }
            self.state_nos.push(fields.u32());
            let decisions = (0..crawlers).map(|_| Decision::read(&mut fields));
            self.decisions.extend(decisions);
            reader.advance()?;
        }
        Ok(())
    }

    /// Returns the decisions by the state with this number, one per crawler.
    fn decisions_by_state(&self, state_no: u32) -> Option<&[Decision]> {
        let i = self.state_nos.iter().position(|known| *known == state_no)?;
        let crawlers = self.decisions.len() / self.state_nos.len();
        self.decisions.chunks(crawlers).nth(i)
    }
}

impl HistoryMatch<'_> {
    fn write_rows(
        &self,
        plans: &SortedRecords<'_>,
        decisions: &SortedRecords<'_>,
        file: &mut MatchWriter,
        mut summary: MatchSummary,
    ) -> Result<MatchSummary, Error> {
        let (mut plans, mut decisions) = (plans.read()?, decisions.read()?);
        let mut fields = RowFields::default();
        let mut of_row = StateDecisions::default();
        let options = self.run.options;
        let crawlers = &options.crawlers;
        let mut counts = AnswerCounts::default();
        while let Some(record) = plans.peek() {
            let plan = UrlPlan::read(record);
            let url = escape_body(plan.url, true);
            of_row.read_row(&mut decisions, plan.row, crawlers.len())?;
            for (i, crawler) in crawlers.iter().enumerate() {
                let answer = Answer::new(&plan, options.any_origin, |state_no| {
                    of_row
                        .decisions_by_state(state_no)
                        .map(|decisions| decisions[i])
                });
                counts.add(&answer.decision);
                fields.clear();
                fields.put_text(&url);
                fields.put_text(crawler.agent());
                answer.put(&plan, &self.history.crawls, &mut fields);
                file.push(&fields)?;
            }
            self.run.memory.check_stop()?;
            self.run.progress.set_rows(file.row_count());
            plans.advance()?;
        }
        counts.write_to(&mut summary);
        Ok(summary)
    }
}

/// The output for a URL and a crawler: the decision at the time of the row, the capture that it is based on, the first
/// later capture that disallows the URL, and the last capture with its access.
struct Answer<'p> {
    decision: Decision,
    capture: Option<&'p PlannedCapture>,
    next_disallowed: Option<&'p PlannedCapture>,
    last: Option<(UrlAccess, &'p PlannedCapture)>,
}

impl<'p> Answer<'p> {
    /// Creates the answer for one crawler from the plan of a URL. `decide` returns the decision by the state with a
    /// number.
    fn new(
        plan: &'p UrlPlan<'_>,
        any_origin: bool,
        decide: impl Fn(u32) -> Option<Decision>,
    ) -> Self {
        let unknown = |basis| Decision::new_without_rule(UrlAccess::Unknown, basis);
        let decide = |capture: &PlannedCapture| match capture.is_same_origin || any_origin {
            true => decide(capture.state_no).unwrap_or(unknown(DecisionBasis::HttpStatus)),
            false => unknown(DecisionBasis::OtherOrigin),
        };
        let capture = plan.capture.as_ref();
        let decision = match (plan.bad_basis, capture) {
            (Some(basis), _) => unknown(basis),
            (None, Some(capture)) => decide(capture),
            (None, None) => unknown(DecisionBasis::NoCapture),
        };
        let is_disallowed =
            |capture: &&PlannedCapture| decide(capture).access == UrlAccess::Disallowed;
        Self {
            decision,
            capture,
            next_disallowed: plan.later.iter().find(is_disallowed),
            last: plan.last.as_ref().map(|last| (decide(last).access, last)),
        }
    }

    /// Adds the fields of the output row that follow the URL and the crawler.
    fn put(&self, plan: &UrlPlan<'_>, crawls: &[CrawlRow], row: &mut RowFields) {
        let crawl_of = |capture: &PlannedCapture| crawls[capture.position as usize].crawl.as_str();
        row.put_optional_i64(plan.time);
        row.put_text(self.decision.access.name());
        row.put_text(self.decision.basis.name());
        row.put_line_no(self.decision.line_no);
        let capture = self.capture;
        row.put_optional_text(capture.map(crawl_of));
        let fetch_time = capture.and_then(|capture| capture.fetch_time);
        row.put_optional_i64(fetch_time);
        let distance = plan.time.zip(fetch_time);
        row.put_optional_i64(distance.map(|(time, fetch_time)| (time - fetch_time) / 1000));
        row.put_optional_flag(capture.map(|capture| capture.is_same_origin));
        row.put_optional_i64(capture.map(|capture| capture.archive_no));
        row.put_optional_i64(capture.map(|capture| capture.offset));
        let next = self.next_disallowed;
        row.put_optional_text(next.map(crawl_of));
        row.put_optional_i64(next.and_then(|capture| capture.fetch_time));
        let access = self.last.map_or(UrlAccess::Unknown, |(access, _)| access);
        row.put_text(access.name());
        let last = self.last.map(|(_, capture)| capture);
        row.put_optional_text(last.map(crawl_of));
        row.put_optional_i64(last.and_then(|capture| capture.fetch_time));
        row.put_preference(&self.decision);
    }
}
