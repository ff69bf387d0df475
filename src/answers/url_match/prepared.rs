//! Checks that a match can run, and runs it over a dataset or a history.

use super::match_run::MatchRun;
use super::options::Options;
use super::output::{has_match_header, is_csv_name};
use super::progress::MatchProgress;
use super::steps::decide_urls;
use super::summary::MatchSummary;
use super::url_list::{UrlListOptions, UrlListReader};
use crate::captures::{DatasetCaptures, HistoryCaptures};
use crate::error::AnswerErrorKind;
use dataset::error::DatasetErrorKind;
use dataset::{Dataset, check_crawls, check_output_file};
use disk::SingleFile;
use errors::{Error, ErrorKind};
use history::HistoryManifest;
use history::read::history_reader::HistoryReader;
use hosts::ResolveContext;
use sort::{MIN_MEMORY_BYTES, SortMemory, SpillFolder};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tables::Table;

/// A page of a Parquet list may take the memory limit divided by this number.
const PAGE_MEMORY_DIVISOR: u64 = 4;

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
/// [`DatasetErrorKind::FileExists`], [`ErrorKind::ForeignFile`], those of [`Dataset::open`], and
/// [`ErrorKind::Read`] of the list; [`DatasetErrorKind::MissingCrawl`].
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

/// Checks that the output may be written: an existing file must be one that robots-scan wrote.
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
                // The error of a stopped sorter has the path of a temporary folder.
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
        // Temporary files are in the folder of the output: they need about as much space, so a file
        // system with room for the output is likely to have room for them.
        let spill_folder = SpillFolder::create(&output.sort_folder_path(), Arc::clone(stop))?;
        let memory = SortMemory::new(&spill_folder, options.memory);
        let run = MatchRun::new(&options, memory, &output, progress, stop);
        let mut summary = match source {
            CaptureSource::Dataset(dataset) => {
                let dataset = dataset.with_stop_flag(stop);
                let context = ResolveContext {
                    dataset: &dataset,
                    memory,
                    rows_read: progress.rows(),
                };
                let mut summary = decide_urls(&run, &DatasetCaptures { context }, urls)?;
                summary.is_dataset_whole = dataset.is_finished();
                summary
            }
            CaptureSource::History(manifest) => {
                let history = HistoryReader::open(&options.dataset, &manifest, false, stop)?;
                let captures = HistoryCaptures {
                    history: &history,
                    crawls: &options.crawls,
                };
                let mut summary = decide_urls(&run, &captures, urls)?;
                summary.is_dataset_whole = true;
                summary
            }
        };
        summary.runs = spill_folder.run_count();
        summary.seconds = start.elapsed().as_secs_f64();
        Ok(summary)
    }
}
