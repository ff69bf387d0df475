//! `match` over a dataset: its steps, and the rows that it writes.

use super::decision::{DecidedRow, DecidedUrl, Decision, UrlAccess, write_decisions};
use super::evaluate::DatasetMatch;
use super::lookup::{ListedUrl, UrlLookup};
use super::match_run::{MatchRun, WantedUrl};
use super::output::{MatchWriter, write_output};
use super::progress::MatchStage;
use super::summary::{AnswerCounts, MatchSummary};
use super::url_list::UrlListReader;
use crate::own_tables;
use dataset::{Dataset, row};
use disk::error::Error;
use escapes::escape_body;
use hosts::lookups::find_candidates_by_origin;
use hosts::{AsOf, ResolveContext};
use sort::{Arena, Key, Rest, SharedSorter, SortedRecords};

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
    let decisions = run.memory.create_shared_sorter::<DecidedRow>();
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
    decisions: &SharedSorter<'_, DecidedRow>,
    summary: &mut MatchSummary,
) -> Result<SortedRecords<'a, UrlLookup>, Error> {
    let mut lookups = run.memory.create_sorter::<UrlLookup>();
    let (mut escaped, mut of_crawlers, mut new) = (Vec::new(), Vec::new(), Arena::default());
    summary.urls = run.read_urls(urls, &mut |url| match url {
        Ok(WantedUrl { row, origin, time }) => {
            let origin = Key::new(origin, &mut escaped);
            lookups.push((origin, (AsOf::from_option(time), row)))
        }
        Err((ListedUrl { index, url }, basis)) => {
            let decision = Decision::new_without_rule(UrlAccess::Unknown, basis);
            write_decisions(
                run.options.crawlers.iter().map(|_| decision),
                &mut of_crawlers,
            );
            let decided = DecidedUrl {
                url,
                capture: None,
                decisions: Rest(&of_crawlers),
            };
            new.clear();
            new.push((index, decided));
            decisions.append(&new)
        }
    })?;
    lookups.finish()
}

row! {
    /// A row of `matches`.
    whole struct MatchRow<'a> of own_tables::MATCHES {
        url: &'a str,
        agent: &'a str,
        robots_id: Option<i64>,
        access: &'a str,
        line_no: Option<u32>,
        basis: &'a str,
        crawl: Option<&'a str>,
        preference: Option<&'a str>,
        preference_line: Option<u32>,
    }
}

/// Writes the output rows of all decisions. `crawls` are the crawls of the dataset.
fn write_rows(
    run: &MatchRun<'_>,
    crawls: &[String],
    decisions: &SortedRecords<'_, DecidedRow>,
    file: &mut MatchWriter,
    mut summary: MatchSummary,
) -> Result<MatchSummary, Error> {
    let mut counts = AnswerCounts::default();
    let mut decisions = decisions.read()?;
    while let Some((_, decided)) = decisions.next_record()? {
        let url = escape_body(decided.url, true);
        let capture = decided.capture;
        let crawl = capture.map(|capture| crawls[capture.crawl as usize].as_str());
        let of_crawlers = decided.decisions.values::<Decision>();
        for (crawler, decision) in run.options.crawlers.iter().zip(of_crawlers) {
            counts.add(&decision);
            let preference = decision.preference.map(|preference| preference.0);
            file.push::<MatchRow<'_>>(MatchRow {
                url: &url,
                agent: crawler.agent(),
                robots_id: capture.map(|capture| capture.robots_id),
                access: decision.access.name(),
                line_no: decision.line_no,
                basis: decision.basis.name(),
                crawl,
                preference: preference.map(|preference| preference.name()),
                preference_line: preference.and_then(|preference| preference.line_no),
            })?;
        }
        run.memory.check_stop()?;
        run.progress.set_rows(file.row_count());
    }
    counts.write_to(&mut summary);
    Ok(summary)
}
