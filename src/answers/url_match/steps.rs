//! The steps of a match.

use super::captures::UrlCaptures;
use super::decision::{DecidedRow, DecisionBasis};
use super::lookup::{ListedUrl, MAX_URL_BYTES, UrlLookup, write_origin};
use super::match_run::MatchRun;
use super::output::write_output;
use super::planned_urls::PlannedUrls;
use super::progress::MatchStage;
use super::rules::decide_by_rules;
use super::summary::MatchSummary;
use super::url_list::{RowTime, UrlListReader};
use crawlers::{DialectChoice, sent_url};
use errors::Error;
use hosts::AsOf;
use sort::{GroupKey, Key, SortedRecords};
use std::borrow::Cow;

/// Decides all URLs of the list by `captures`, and writes the answers.
///
/// # Errors
///
/// Those of reading and writing.
pub(super) fn decide_urls<C: UrlCaptures>(
    run: &MatchRun<'_>,
    captures: &C,
    urls: UrlListReader,
) -> Result<MatchSummary, Error> {
    let (memory, progress) = (run.memory, run.progress);
    let mut summary = MatchSummary::default();
    let mut planned = PlannedUrls::new(run);
    progress.begin_stage(MatchStage::Urls);
    let lookups = sort_urls(run, captures, urls, &mut planned, &mut summary)?;
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

/// Reads the list, and sorts its URLs by the keys of their captures. Malformed rows are added to `planned`, and rows are
/// counted in `summary`.
fn sort_urls<'a, C: UrlCaptures>(
    run: &MatchRun<'a>,
    captures: &C,
    urls: UrlListReader,
    planned: &mut PlannedUrls<'_, C::Place>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a, UrlLookup>, Error> {
    let mut lookups = run.memory.create_sorter::<UrlLookup>();
    let (mut origin, mut key, mut escaped) = (Vec::new(), Vec::new(), Vec::new());
    let mut index = 0;
    let read = urls.read(run.stop, &mut |url, time| {
        key.clear();
        let is_accepted = write_origin(url, &mut origin) && captures.write_key(&origin, &mut key);
        let url = &url[..url.len().min(MAX_URL_BYTES)];
        let row = ListedUrl { index, url };
        let time = match time {
            _ if !is_accepted => Err(DecisionBasis::BadUrl),
            RowTime::Malformed => Err(DecisionBasis::BadTime),
            RowTime::Time(time) => Ok(Some(time)),
            RowTime::Missing => Ok(run.options.as_of),
        };
        match time {
            Err(basis) => planned.add_undecided(&row, &[], basis)?,
            Ok(time) => {
                let is_default = run.options.dialect == DialectChoice::Default;
                let is_changed = is_default && matches!(sent_url(url), Cow::Owned(_));
                summary.changed_urls += u64::from(is_changed);
                let as_of = AsOf::from_option(time);
                lookups.push((Key::new(&key, &mut escaped), (as_of, row)))?;
            }
        }
        index += 1;
        run.progress.set_rows(index);
        Ok(())
    });
    // If the run was stopped, an error of reading the list is a consequence of that.
    run.memory.check_stop()?;
    read?;
    summary.urls = index;
    lookups.finish()
}
