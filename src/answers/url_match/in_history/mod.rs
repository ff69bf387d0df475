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
use super::output::{MatchWriter, write_output};
use super::progress::MatchStage;
use super::summary::{AnswerCounts, MatchSummary};
use super::url_list::UrlListReader;
use crate::own_tables;
use dataset::row;
use disk::error::Error;
use escapes::escape_body;
use history::HistoryManifest;
use history::read::crawl_row::CrawlRow;
use history::read::history_reader::HistoryReader;
use plan::{PlannedCapture, SortedPlan, UrlPlan, plan_urls, sort_urls};
use rules::decide_by_rules;
use sort::{GroupKey, Reader, Rest, SortedRecords};

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
    let mut plans = run.memory.create_sorter::<SortedPlan>();
    let mut decisions = run.memory.create_sorter::<DecisionsByState>();
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

/// The decisions for a row of the list by the state with a number, one per crawler.
type DecisionsByState = (u64, (u32, Rest<'static>));

/// The decisions for a row of the list.
#[derive(Default)]
struct StateDecisions {
    /// The numbers of the states of the host by which the row is decided.
    state_nos: Vec<u32>,
    /// For each of these states, the decisions for all crawlers.
    decisions: Vec<Decision>,
}

impl StateDecisions {
    /// Replaces the decisions with those of a row, whose records are the next ones of `reader`.
    fn read_row(
        &mut self,
        reader: &mut Reader<'_, DecisionsByState>,
        row: u64,
    ) -> Result<(), Error> {
        self.state_nos.clear();
        self.decisions.clear();
        let row = GroupKey::new(row);
        while let Some((state_no, decisions)) = reader.next_of(&row)? {
            self.state_nos.push(state_no);
            self.decisions.extend(decisions.values::<Decision>());
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
        plans: &SortedRecords<'_, SortedPlan>,
        decisions: &SortedRecords<'_, DecisionsByState>,
        file: &mut MatchWriter,
        mut summary: MatchSummary,
    ) -> Result<MatchSummary, Error> {
        let (mut plans, mut decisions) = (plans.read()?, decisions.read()?);
        let mut of_row = StateDecisions::default();
        let options = self.run.options;
        let crawlers = &options.crawlers;
        let mut counts = AnswerCounts::default();
        while let Some((row, plan)) = plans.next_record()? {
            let plan = UrlPlan::from_fields(row, plan);
            let url = escape_body(plan.url, true);
            of_row.read_row(&mut decisions, plan.row)?;
            for (i, crawler) in crawlers.iter().enumerate() {
                let answer = Answer::new(&plan, options.any_origin, |state_no| {
                    of_row
                        .decisions_by_state(state_no)
                        .map(|decisions| decisions[i])
                });
                counts.add(&answer.decision);
                let row = answer.row(&plan, &url, crawler.agent(), &self.history.crawls);
                file.push::<HistoryMatchRow<'_>>(row)?;
            }
            self.run.memory.check_stop()?;
            self.run.progress.set_rows(file.row_count());
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
        let decide = |capture: &PlannedCapture| {
            if capture.is_same_origin || any_origin {
                decide(capture.state_no).unwrap_or(unknown(DecisionBasis::HttpStatus))
            } else {
                unknown(DecisionBasis::OtherOrigin)
            }
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

    /// Returns the output row.
    fn row<'r>(
        &self,
        plan: &UrlPlan<'_>,
        url: &'r str,
        agent: &'r str,
        crawls: &'r [CrawlRow],
    ) -> HistoryMatchRow<'r> {
        let crawl_of = |capture: &PlannedCapture| crawls[capture.position as usize].crawl.as_str();
        let (capture, next) = (self.capture, self.next_disallowed);
        let (last_access, last) = self.last.unzip();
        let fetch_time = capture.and_then(|capture| capture.fetch_time);
        let distance = plan.time.zip(fetch_time);
        let preference = self.decision.preference.map(|preference| preference.0);
        HistoryMatchRow {
            url,
            agent,
            time: plan.time,
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
            last_access: last_access.unwrap_or(UrlAccess::Unknown).name(),
            last_crawl: last.map(crawl_of),
            last_fetch_time: last.and_then(|capture| capture.fetch_time),
            preference: preference.map(|preference| preference.name()),
            preference_line: preference.and_then(|preference| preference.line_no),
        }
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
