//! Runs a match: its options, the checks before it starts, and its steps over a dataset.

use super::decision::{Decision, DecisionBasis, RowDecisions, UrlAccess};
use super::evaluate::DatasetMatch;
use super::in_history;
use super::lookup::{ListedUrl, UrlLookup};
use super::match_run::{MatchRun, WantedUrl};
use super::output::{MatchWriter, RowFields, has_match_header, is_csv_name, write_output};
use super::progress::{MatchProgress, MatchStage};
use super::url_list::{UrlListOptions, UrlListReader, UrlListSource};
use crate::category_choice::CategoryChoice;
use crate::error::AnswerErrorKind;
use crate::tables;
use columns::escaped_text::escape_body;
use dataset::crawler::{Crawler, DialectChoice};
use dataset::error::DatasetErrorKind;
use dataset::tables::Table;
use dataset::{Dataset, check_crawls, check_output_file};
use disk::SingleFile;
use disk::error::{Error, ErrorKind};
use history::HistoryManifest;
use hosts::lookups::find_candidates_by_origin;
use hosts::{AsOf, ResolveContext};
use sort::{MIN_MEMORY_BYTES, SharedSorter, SortMemory, SortedRecords, SpillFolder};
use sources::table_file::ColumnNames;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The largest page of a Parquet list is the memory limit divided by this.
const PAGE_MEMORY_DIVISOR: u64 = 4;

/// The dataset, the URL list and the crawlers of a match, and the file that is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the dataset or history.
    pub dataset: PathBuf,
    /// The crawls of the dataset that are read; if empty, all.
    pub crawls: Vec<String>,
    /// The list.
    pub urls: UrlListSource,
    /// The names of the columns of a list that is a table.
    pub columns: ColumnNames,
    /// The crawlers that are decided for, in the order of rows.
    pub crawlers: Vec<Crawler>,
    /// The dialect by which rules are read.
    pub dialect: DialectChoice,
    /// The category whose preferences are decided, too; none if `None`.
    pub category: Option<CategoryChoice>,
    /// The time at which URLs without a time of their own are decided, in
    /// milliseconds since 1970; `None` uses the newest captures.
    pub as_of: Option<i64>,
    /// Over a history, captures of another scheme, host or port than that of the URL decide, too.
    pub any_origin: bool,
    /// The memory limit of all sorters, in bytes.
    pub memory: u64,
    /// The output file: CSV if its name ends in `.csv`, otherwise Parquet.
    pub output: PathBuf,
    /// Replaces an existing output file if robots-scan wrote it.
    pub overwrite: bool,
}

/// The counts of a finished match, and the time it took.
#[derive(Clone, Debug, Default)]
pub struct MatchSummary {
    /// Rows of the list.
    pub urls: u64,
    /// Distinct origins in the list.
    pub origins: u64,
    /// Robots.txt files whose rules were evaluated.
    pub files: u64,
    /// Output rows: one per URL and crawler.
    pub rows: u64,
    /// Output rows by `access`.
    pub by_access: BTreeMap<String, u64>,
    /// Output rows by `basis`.
    pub by_basis: BTreeMap<String, u64>,
    /// Sorted runs that were spilled to disk.
    pub runs: u64,
    /// The size of the output file.
    pub bytes_written: u64,
    /// The wall time.
    pub seconds: f64,
    /// True if the run that wrote the dataset was finished.
    pub is_dataset_whole: bool,
}

/// A match that is ready to run: its dataset, list and output have been checked.
pub struct PreparedMatch {
    options: Options,
    source: CaptureSource,
    urls: UrlListReader,
}

/// The dataset or the history that captures are read from.
enum CaptureSource {
    Dataset(Box<Dataset>),
    History(HistoryManifest),
}

/// Checks that the match can run. Nothing is written.
///
/// # Errors
///
/// [`DatasetErrorKind::MemoryTooSmall`], [`AnswerErrorKind::NoCrawler`], [`DatasetErrorKind::OutputIsFolder`],
/// [`DatasetErrorKind::FileExists`], [`ErrorKind::ForeignFile`], those of [`Dataset::open`], and [`ErrorKind::Read`] of the list;
/// [`DatasetErrorKind::MissingCrawl`].
pub fn prepare(options: Options) -> Result<PreparedMatch, Error> {
    let output = &options.output;
    if options.memory < MIN_MEMORY_BYTES {
        let least = MIN_MEMORY_BYTES;
        let kind = DatasetErrorKind::MemoryTooSmall { least };
        return Err(Error::new(kind, output));
    }
    if options.crawlers.is_empty() {
        return Err(Error::new(AnswerErrorKind::NoCrawler, output));
    }
    check_output(&options)?;
    let history = HistoryManifest::read(&options.dataset)?;
    let source = match history {
        Some(manifest) => {
            check_crawls(&options.dataset, &options.crawls, &manifest.crawls)?;
            CaptureSource::History(manifest)
        }
        None => CaptureSource::Dataset(Box::new(open_dataset(&options)?)),
    };
    let list_options = UrlListOptions {
        columns: options.columns.clone(),
        page_bytes_max: options.memory / PAGE_MEMORY_DIVISOR,
    };
    let urls = UrlListReader::open(&options.urls, list_options)?;
    Ok(PreparedMatch {
        options,
        source,
        urls,
    })
}

fn open_dataset(options: &Options) -> Result<Dataset, Error> {
    let mut tables = vec![Table::ROBOTS_FILES, Table::GROUPS, Table::RULES];
    if options.category.is_some() {
        tables.push(Table::DIRECTIVES);
    }
    let dataset = Dataset::open(&options.dataset, &options.crawls, &tables)?;
    dataset.check_parts(&tables)?;
    Ok(dataset)
}

fn check_output(options: &Options) -> Result<(), Error> {
    let is_own = |path: &Path| is_csv_name(path) && has_match_header(path);
    check_output_file(&options.output, options.overwrite, &is_own)
}

impl PreparedMatch {
    /// Runs the match. The output is written completely or not at all.
    ///
    /// # Errors
    ///
    /// Errors of reading and writing; [`ErrorKind::Abandoned`] once `stop` is set.
    pub fn run(
        self,
        progress: &MatchProgress,
        stop: &Arc<AtomicBool>,
    ) -> Result<MatchSummary, Error> {
        let output = self.options.output.clone();
        self.run_steps(progress, stop)
            .map_err(|error| match error.kind() {
                // The error of a sorter names the temporary folder.
                Some(ErrorKind::Abandoned) => Error::new(ErrorKind::Abandoned, &output),
                _ => error,
            })
    }

    fn run_steps(
        self,
        progress: &MatchProgress,
        stop: &Arc<AtomicBool>,
    ) -> Result<MatchSummary, Error> {
        let start = Instant::now();
        let Self {
            options,
            source,
            urls,
        } = self;
        let output = SingleFile::open(&options.output)?;
        // Another run may have written the file since the first check.
        check_output(&options)?;
        // Temporary files are next to the output, whose volume needs about as much space anyway.
        let spill_folder = SpillFolder::create(&output.sort_folder_path(), Arc::clone(stop))?;
        let memory = SortMemory::new(&spill_folder, options.memory);
        let run = MatchRun::new(&options, memory, &output, progress, stop);
        let mut summary = match source {
            CaptureSource::Dataset(dataset) => match_in_dataset(&run, *dataset, urls)?,
            CaptureSource::History(manifest) => in_history::run(&run, &manifest, urls)?,
        };
        summary.runs = spill_folder.run_count();
        summary.seconds = start.elapsed().as_secs_f64();
        Ok(summary)
    }
}

/// Runs a match over a dataset.
fn match_in_dataset(
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
    write_output(run.output, tables::MATCHES, |file| {
        write_rows(run, dataset.crawls(), &decisions, file, summary)
    })
}

/// The number of answers by access and by basis.
#[derive(Default)]
pub(super) struct AnswerCounts {
    by_access: [u64; UrlAccess::ALL.len()],
    by_basis: [u64; DecisionBasis::ALL.len()],
}

impl AnswerCounts {
    pub(super) fn add(&mut self, decision: &Decision) {
        self.by_access[decision.access as usize] += 1;
        self.by_basis[decision.basis as usize] += 1;
    }

    pub(super) fn write_to(&self, summary: &mut MatchSummary) {
        let owned = |(name, count): (&str, u64)| (name.to_owned(), count);
        let accesses = UrlAccess::ALL.map(UrlAccess::name).into_iter();
        summary.by_access = accesses.zip(self.by_access).map(owned).collect();
        let bases = DecisionBasis::ALL.map(DecisionBasis::name).into_iter();
        let bases = bases.zip(self.by_basis).filter(|(_, count)| *count > 0);
        summary.by_basis = bases.map(owned).collect();
    }
}

/// Reads the list and sorts its URLs by origin and time. Malformed rows are
/// decided at once.
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

/// Writes the rows of all decisions.
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
