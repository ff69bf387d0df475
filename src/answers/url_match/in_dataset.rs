//! `match` over a dataset: its steps, and the rows that it writes.

use super::decision::{Decision, RowDecisions, UrlAccess};
use super::evaluate::DatasetMatch;
use super::lookup::{ListedUrl, UrlLookup};
use super::match_run::{MatchRun, WantedUrl};
use super::output::{MatchWriter, RowFields, write_output};
use super::progress::MatchStage;
use super::summary::{AnswerCounts, MatchSummary};
use super::url_list::UrlListReader;
use crate::own_tables;
use dataset::Dataset;
use disk::error::Error;
use escapes::escape_body;
use hosts::lookups::find_candidates_by_origin;
use hosts::{AsOf, ResolveContext};
use sort::{SharedSorter, SortedRecords};

/// Runs a match over a dataset.
pub(super) fn run(
    run: &MatchRun<'_>,
    dataset: Dataset,
    urls: UrlListReader,
) -> Result<MatchSummary, Error> {
    let dataset = dataset.with_stop_flag(run.stop);
    let progress = run.progress;
    let context = DatasetMatch {
        run,
        resolve: ResolveContext {
            dataset: &dataset,
            memory: run.memory,
            rows_read: progress.rows(),
        },
    };
    let mut summary = MatchSummary {
        is_dataset_whole: dataset.is_finished(),
        ..MatchSummary::default()
    };
    let decisions = run.memory.create_shared_sorter();
    progress.begin_stage(MatchStage::Urls);
    let lookups = sort_urls(run, urls, &decisions, &mut summary)?;
    progress.begin_stage(MatchStage::Captures);
    let candidates = find_candidates_by_origin(&context.resolve, &lookups)?;
    let rule_lookups = context.decide_by_status(&lookups, &candidates, &decisions, &mut summary)?;
    drop((lookups, candidates));
    progress.begin_stage(MatchStage::Rules);
    context.decide_by_rules(&rule_lookups, &decisions, &mut summary)?;
    drop(rule_lookups);
    progress.begin_stage(MatchStage::Write);
    let decisions = decisions.finish()?;
    write_output(run.output, own_tables::MATCHES, |file| {
        write_rows(run, dataset.crawls(), &decisions, file, summary)
    })
}

/// Reads the list and sorts its URLs by origin and time. The decisions for malformed rows are added to
/// `decisions`.
fn sort_urls<'a>(
    run: &MatchRun<'a>,
    urls: UrlListReader,
    decisions: &SharedSorter<'_>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a>, Error> {
    let mut lookups = run.memory.create_sorter();
    let mut record = Vec::new();
    summary.urls = run.read_urls(urls, &mut |url| match url {
        Ok(WantedUrl { row, origin, time }) => {
            UrlLookup::write(&mut record, origin, AsOf::from_option(time), row);
            lookups.push(&record)
        }
        Err((ListedUrl { index, url }, basis)) => {
            let decision = Decision::new_without_rule(UrlAccess::Unknown, basis);
            let crawler_decisions = run.options.crawlers.iter().map(|_| decision);
            RowDecisions::write(&mut record, index, url, None, crawler_decisions);
            decisions.push(&record)
        }
    })?;
    lookups.finish()
}

/// Writes the output rows of all decisions. `crawls` are the crawls of the dataset.
fn write_rows(
    run: &MatchRun<'_>,
    crawls: &[String],
    decisions: &SortedRecords<'_>,
    file: &mut MatchWriter,
    mut summary: MatchSummary,
) -> Result<MatchSummary, Error> {
    let mut counts = AnswerCounts::default();
    let mut fields = RowFields::default();
    let mut reader = decisions.read()?;
    while let Some(record) = reader.peek() {
        let mut decisions = RowDecisions::read(record);
        let url = escape_body(decisions.url, true);
        let capture = decisions.capture;
        let crawl = capture.map(|capture| crawls[capture.crawl as usize].as_str());
        for crawler in &run.options.crawlers {
            let decision = decisions.next_decision();
            counts.add(&decision);
            fields.clear();
            fields.put_text(&url);
            fields.put_text(crawler.agent());
            fields.put_optional_i64(capture.map(|capture| capture.robots_id));
            fields.put_text(decision.access.name());
            fields.put_line_no(decision.line_no);
            fields.put_text(decision.basis.name());
            fields.put_optional_text(crawl);
            fields.put_preference(&decision);
            file.push(&fields)?;
        }
        run.memory.check_stop()?;
        run.progress.set_rows(file.row_count());
        reader.advance()?;
    }
    counts.write_to(&mut summary);
    Ok(summary)
}
