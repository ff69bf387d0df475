//! The steps of a match, and the decision by a status or by rules.

use super::captures::UrlCaptures;
use super::decision::{DecidedPreference, DecidedRow, Decision, DecisionBasis, UrlAccess};
use super::lookup::{ListedUrl, MAX_URL_BYTES, UrlLookup, write_origin};
use super::options::Options;
use super::output::write_output;
use super::planned_urls::PlannedUrls;
use super::progress::{MatchProgress, MatchStage};
use super::rules::decide_by_rules;
use super::summary::MatchSummary;
use super::url_list::{RowTime, UrlListReader};
use crawlers::{CrawlerPolicy, disallow_all_policy};
use disk::SingleFile;
use errors::Error;
use hosts::AsOf;
use robots::{Policy, RobotsTxt, StatusEffect};
use sort::{GroupKey, Key, SortMemory, SortedRecords};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The options and resources that all steps of a match use, over a dataset or a history.
pub(super) struct MatchRun<'a> {
    pub(super) options: &'a Options,
    pub(super) memory: SortMemory<'a>,
    pub(super) output: &'a SingleFile,
    pub(super) progress: &'a MatchProgress,
    pub(super) stop: &'a Arc<AtomicBool>,
    /// The rules that apply if the HTTP status disallows everything.
    pub(super) disallow_all: Policy,
}

/// Decides all URLs of the list by `captures`, and writes the answers.
///
/// # Errors
///
/// Those of reading and writing.
pub(super) fn run<C: UrlCaptures>(
    run: &MatchRun<'_>,
    captures: &C,
    urls: UrlListReader,
) -> Result<MatchSummary, Error> {
    let (memory, progress) = (run.memory, run.progress);
    let mut summary = MatchSummary::default();
    let mut planned = PlannedUrls::new(run);
    progress.begin_stage(MatchStage::Urls);
    let lookups;
    (lookups, summary.urls) = run.sort_urls(captures, urls, &mut planned)?;
    progress.begin_stage(MatchStage::Captures);
    summary.origins = captures.plan_urls(&lookups, &mut planned)?;
    drop(lookups);
    let (decisions, requests) = planned.finish()?;
    progress.begin_stage(MatchStage::Rules);
    summary.files = decide_by_rules(run, captures, &requests, &decisions)?;
    drop(requests);
    progress.begin_stage(MatchStage::Write);
    let decisions = decisions.finish()?;
    write_output(run.output, C::OUTPUT, &mut summary, |file| {
        let (mut decisions, mut row) = (decisions.read()?, GroupKey::default());
        let mut decided = DecidedRow::default();
        while decided.read_next(&mut decisions, &mut row)? {
            captures.write_answers(run.options, &decided, file)?;
            memory.check_stop()?;
            progress.set_rows(file.row_count());
        }
        Ok(())
    })?;
    Ok(summary)
}

impl<'a> MatchRun<'a> {
    pub(super) fn new(
        options: &'a Options,
        memory: SortMemory<'a>,
        output: &'a SingleFile,
        progress: &'a MatchProgress,
        stop: &'a Arc<AtomicBool>,
    ) -> Self {
        Self {
            options,
            memory,
            output,
            progress,
            stop,
            disallow_all: disallow_all_policy(options.dialect),
        }
    }

    /// Reads the list, and sorts its URLs by the keys of their captures. Malformed rows are added to `planned`.
    /// Returns the number of rows, too.
    fn sort_urls<C: UrlCaptures>(
        &self,
        captures: &C,
        urls: UrlListReader,
        planned: &mut PlannedUrls<'_, C::Place>,
    ) -> Result<(SortedRecords<'a, UrlLookup>, u64), Error> {
        let mut lookups = self.memory.create_sorter::<UrlLookup>();
        let (mut origin, mut key, mut escaped) = (Vec::new(), Vec::new(), Vec::new());
        let mut index = 0;
        let read = urls.read(self.stop, &mut |url, time| {
            key.clear();
            let is_accepted =
                write_origin(url, &mut origin) && captures.write_key(&origin, &mut key);
            let url = &url[..url.len().min(MAX_URL_BYTES)];
            let row = ListedUrl { index, url };
            let time = match time {
                _ if !is_accepted => Err(DecisionBasis::BadUrl),
                RowTime::Malformed => Err(DecisionBasis::BadTime),
                RowTime::Time(time) => Ok(Some(time)),
                RowTime::Missing => Ok(self.options.as_of),
            };
            match time {
                Err(basis) => planned.add_undecided(&row, &[], basis)?,
                Ok(time) => {
                    let as_of = AsOf::from_option(time);
                    lookups.push((Key::new(&key, &mut escaped), (as_of, row)))?;
                }
            }
            index += 1;
            self.progress.set_rows(index);
            Ok(())
        });
        // If the run was stopped, an error of reading the list is a consequence of that.
        self.memory.check_stop()?;
        read?;
        Ok((lookups.finish()?, index))
    }

    /// Returns the rules of a file for each crawler, in the order of the options.
    pub(super) fn policies(&self, robots: &RobotsTxt<'_>) -> Vec<CrawlerPolicy> {
        let crawlers = self.options.crawlers.iter();
        let policies = crawlers.map(|crawler| crawler.policy(self.options.dialect, robots));
        policies.collect()
    }

    /// Returns the decision for a URL by an HTTP status with this effect; `None` if the rules decide.
    pub(super) fn decide_by_status(&self, effect: StatusEffect, url: &[u8]) -> Option<Decision> {
        let access = match effect {
            StatusEffect::AllowAll => UrlAccess::Allowed,
            StatusEffect::DisallowAll => UrlAccess::new(self.disallow_all.access(url)),
            StatusEffect::Follow | StatusEffect::Defer => UrlAccess::Unknown,
            StatusEffect::Parse => return None,
        };
        let has_category = self.options.category.is_some();
        Some(Decision::new_by_status(access, has_category))
    }

    /// Returns the decision for a URL by the rules for a crawler. `time` is the time of the capture in milliseconds
    /// since 1970, which selects the vocabulary of preferences.
    pub(super) fn decide_by_rules(
        &self,
        policy: &CrawlerPolicy,
        url: &[u8],
        time: Option<i64>,
    ) -> Decision {
        let access = policy.access(url);
        let category = self.options.category.as_ref();
        Decision {
            access: UrlAccess::new(access),
            basis: DecisionBasis::new(policy.basis),
            line_no: access.line_no,
            preference: category
                .map(|category| DecidedPreference(category.preference(policy, url, time))),
        }
    }
}
