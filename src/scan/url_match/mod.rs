//! `match`: whether crawlers may fetch the URLs of a list, by the captures of
//! a dataset.
//!
//! The list and the dataset may be far larger than memory. Everything is
//! sorted and merged ([`sort`](crate::external_sort)), and read from front to back:
//!
//! 1. `urls`: the list, each URL by its origin and its time.
//! 2. `speakers`: the capture that speaks for each origin and time, with
//!    redirects followed and revisits filled.
//! 3. `answers`: what statuses decide; then the lines of the captures asked,
//!    each file made again once, and the policies over it.
//! 4. The answers in the order of the list, written as a table.

mod evaluate;
mod output;
mod url_list;

pub use url_list::List;

use crate::capture::url::parse_url;
use crate::crawler::{Crawler, DialectChoice};
use crate::dataset::Dataset;
use crate::dataset::check_output_file;
use crate::disk::SingleFile;
use crate::error::{Error, ErrorKind, UrlListDefect};
use crate::escaped_text::escape_body;
use crate::external_sort::{Filter, Scratch, Sorted, Sorter};
use crate::resolve::{origin, redirects};
use crate::tables::{MatchRow, Table};
use evaluate::{Answer, Answers, Ground, Permission, put_answers, put_question};
use output::{Output, is_csv_name, is_our_csv};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;
use url_list::{ListOptions, Time, Urls};

/// The least memory that sorting can do with.
pub const MEMORY_MIN: u64 = 16 << 20;

/// What each sort may hold, of all: so many are in use at most.
const SORTS: u64 = 12;

/// The largest page of a Parquet list, as a share of the memory.
const PAGE_SHARE: u64 = 4;

/// Rows after which a stop is noticed, and the progress counted.
const ROWS_UNNOTICED: u64 = 4096;

/// Bytes of a URL; what is longer is none, and is cut.
const URL_BYTES_MAX: usize = 1 << 20;

/// A row of the list that asks for the newest.
pub(crate) const NEWEST: i64 = i64::MAX;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the dataset.
    pub dataset: PathBuf,
    /// The crawls of it that are looked at; all if none is named.
    pub crawls: Vec<String>,
    /// The URLs.
    pub urls: List,
    /// The column of CSV or Parquet that holds the URLs; `url` if there is none.
    pub column: Option<String>,
    /// The crawlers.
    pub crawlers: Vec<Crawler>,
    /// Whose reading.
    pub asked: DialectChoice,
    /// The time for which rows without one ask, in milliseconds since 1970;
    /// `None` for the newest.
    pub at: Option<i64>,
    /// Bytes that sorting may hold.
    pub memory: u64,
    /// The file that is written.
    pub output: PathBuf,
    /// Whether it may replace one that this program made.
    pub overwrite: bool,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The list is read.
    Urls,
    /// Captures are looked for.
    Captures,
    /// Rules are looked for, and asked.
    Rules,
    /// Answers are written.
    Write,
}

impl Stage {
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::Urls, Self::Captures, Self::Rules, Self::Write];

    /// What is counted in it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Urls => "URLs read",
            Self::Captures => "captures looked at",
            Self::Rules => "lines of rules read",
            Self::Write => "rows written",
        }
    }
}

/// How far the work is, to be looked at from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicUsize,
    pub(crate) rows: AtomicU64,
}

impl Progress {
    /// What is being done, and how much of it was.
    pub fn now(&self) -> (Stage, u64) {
        let stage = Stage::ALL[self.stage.load(Ordering::Relaxed)];
        (stage, self.rows.load(Ordering::Relaxed))
    }

    fn begin(&self, stage: Stage) {
        let at = Stage::ALL.iter().position(|it| *it == stage);
        self.rows.store(0, Ordering::Relaxed);
        self.stage.store(at.unwrap_or(0), Ordering::Relaxed);
    }

    fn set_rows(&self, rows: u64) {
        self.rows.store(rows, Ordering::Relaxed);
    }
}

/// What it came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Rows of the list.
    pub urls: u64,
    /// Origins among them.
    pub origins: u64,
    /// Files whose rules were asked.
    pub files: u64,
    /// Rows written: one for each URL and crawler.
    pub rows: u64,
    /// Rows by their answer.
    pub by_access: BTreeMap<String, u64>,
    /// Rows by what the answer rests on.
    pub by_basis: BTreeMap<String, u64>,
    /// Runs that sorting wrote, as not all fitted into memory.
    pub runs: u64,
    /// The size of the output.
    pub bytes_written: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// Whether the dataset is that of a run which came to its end.
    pub is_dataset_whole: bool,
}

/// What the steps count.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    urls: u64,
    origins: u64,
    files: u64,
}

/// What the steps share.
pub(crate) struct Job<'j> {
    pub(crate) dataset: &'j Dataset,
    pub(crate) scratch: &'j Scratch,
    pub(crate) crawlers: &'j [Crawler],
    pub(crate) asked: DialectChoice,
    pub(crate) memory: u64,
    pub(crate) progress: &'j Progress,
}

impl<'j> Job<'j> {
    pub(crate) fn sorter(&self) -> Sorter<'j> {
        let share = self.memory / SORTS;
        Sorter::new(self.scratch, usize::try_from(share).unwrap_or(usize::MAX))
    }

    pub(crate) fn filter(&self, keys: u64) -> Filter {
        let share = self.memory / SORTS / 2;
        Filter::new(keys, usize::try_from(share).unwrap_or(usize::MAX))
    }
}

/// The most bytes of URLs that [`read_list`] holds.
const LIST_BYTES_MAX: usize = 64 << 20;

/// Returns true if `check` can ask for it: a URL as `match` takes it, or a path.
pub fn is_url_or_path(text: &[u8]) -> bool {
    let is_path = text.starts_with(b"/") && !text.starts_with(b"//");
    is_path || is_url(text, &mut Vec::new())
}

/// Returns true if `match` can ask for a URL, and writes its origin: it has a
/// scheme and a host, and nothing that only a browser would repair.
fn is_url(url: &[u8], origin: &mut Vec<u8>) -> bool {
    url.len() <= URL_BYTES_MAX
        && origin::is_plain(url)
        && parse_url(url).is_some_and(|url| origin::of_url(&url, origin))
}

/// Reads the URLs and paths of a list that fits into memory. Times are ignored.
///
/// # Errors
///
/// [`ErrorKind::Read`]; [`ErrorKind::NotAUrlList`] for a row that is neither, and
/// for more than 64 MiB of URLs; [`ErrorKind::LargePage`].
pub fn read_list(list: &List) -> Result<Vec<String>, Error> {
    let place = match list {
        List::Stdin => Path::new("standard input"),
        List::File(path) => path,
    };
    let refuse = |defect| Err(Error::new(ErrorKind::NotAUrlList(defect), place));
    let options = ListOptions {
        column: None,
        page_bytes_max: LIST_BYTES_MAX as u64,
    };
    let (mut urls, mut bytes) = (Vec::new(), 0);
    Urls::open(list, options)?.read(&|| false, &mut |url, _| {
        bytes += url.len();
        if bytes > LIST_BYTES_MAX {
            return refuse(UrlListDefect::TooLarge {
                bytes_max: LIST_BYTES_MAX,
            });
        }
        match std::str::from_utf8(url) {
            Ok(text) if is_url_or_path(url) => urls.push(text.to_owned()),
            _ => {
                let text = String::from_utf8_lossy(&url[..url.len().min(200)]);
                return refuse(UrlListDefect::NotAUrl {
                    text: text.into_owned(),
                });
            }
        }
        Ok(())
    })?;
    Ok(urls)
}

/// A match that can begin: the dataset, the list and the output are there.
pub struct Ready {
    options: Options,
    dataset: Dataset,
    urls: Urls,
}

/// Looks whether all that is needed is there; nothing is written.
///
/// # Errors
///
/// [`ErrorKind::MemoryTooSmall`], [`ErrorKind::NoCrawler`], [`ErrorKind::OutputIsFolder`],
/// [`ErrorKind::FileExists`], [`ErrorKind::ForeignFile`], those of [`Dataset::open`], and [`ErrorKind::Read`] of the list.
pub fn prepare(options: Options) -> Result<Ready, Error> {
    let output = &options.output;
    let refuse = |kind| Err(Error::new(kind, output));
    if options.memory < MEMORY_MIN {
        return refuse(ErrorKind::MemoryTooSmall { least: MEMORY_MIN });
    }
    if options.crawlers.is_empty() {
        return refuse(ErrorKind::NoCrawler);
    }
    check_output(&options)?;
    let tables = [Table::RobotsFiles, Table::Groups, Table::Rules];
    let dataset = Dataset::open(&options.dataset, &options.crawls, &tables)?;
    let list_options = ListOptions {
        column: options.column.clone(),
        page_bytes_max: options.memory / PAGE_SHARE,
    };
    let urls = Urls::open(&options.urls, list_options)?;
    Ok(Ready {
        options,
        dataset,
        urls,
    })
}

/// Checks that the output may be written.
fn check_output(options: &Options) -> Result<(), Error> {
    let is_own = |path: &Path| is_csv_name(path) && is_our_csv(path);
    check_output_file(&options.output, options.overwrite, &is_own)
}

impl Ready {
    /// Does the work, and writes the output whole or not at all.
    ///
    /// # Errors
    ///
    /// Reading and writing errors; [`ErrorKind::Abandoned`] once `stop` is set.
    pub fn run(self, progress: &Progress, stop: &Arc<AtomicBool>) -> Result<Summary, Error> {
        let output = self.options.output.clone();
        self.work(progress, stop)
            .map_err(|error| match error.kind() {
                // Where the runs lay is of no interest.
                ErrorKind::Abandoned => Error::new(ErrorKind::Abandoned, &output),
                _ => error,
            })
    }

    fn work(self, progress: &Progress, stop: &Arc<AtomicBool>) -> Result<Summary, Error> {
        let began = Instant::now();
        let Self {
            options,
            dataset,
            urls,
        } = self;
        let output = SingleFile::open(&options.output)?;
        // Another run may have written it meanwhile.
        check_output(&options)?;
        // Beside the output, as it may be as large.
        let scratch = Scratch::create(&output.scratch(), Arc::clone(stop))?;
        let job = Job {
            dataset: &dataset,
            scratch: &scratch,
            crawlers: &options.crawlers,
            asked: options.asked,
            memory: options.memory,
            progress,
        };
        let mut totals = Totals::default();
        let mut answers = job.sorter();
        progress.begin(Stage::Urls);
        let newest = options.at.unwrap_or(NEWEST);
        let questions = read_urls(&job, urls, newest, &mut answers, &mut totals)?;
        progress.begin(Stage::Captures);
        let speakers = redirects::speakers(&job, &questions)?;
        let of_rules =
            evaluate::ask_status(&job, &questions, &speakers, &mut answers, &mut totals)?;
        drop((questions, speakers));
        progress.begin(Stage::Rules);
        evaluate::ask_rules(&job, &of_rules, &mut answers, &mut totals)?;
        drop(of_rules);
        progress.begin(Stage::Write);
        let mut summary = write(&job, &answers.finish()?, &output)?;
        summary.urls = totals.urls;
        summary.origins = totals.origins;
        summary.files = totals.files;
        summary.runs = scratch.runs();
        summary.is_dataset_whole = dataset.is_whole();
        summary.seconds = began.elapsed().as_secs_f64();
        Ok(summary)
    }
}

/// Reads the list: questions by origin and time. What cannot be asked is
/// answered.
fn read_urls<'j>(
    job: &Job<'j>,
    urls: Urls,
    newest: i64,
    answers: &mut Sorter<'_>,
    totals: &mut Totals,
) -> Result<Sorted<'j>, Error> {
    let mut questions = job.sorter();
    let (mut origin, mut record) = (Vec::new(), Vec::new());
    let mut ordinal = 0;
    let is_stopped = || job.scratch.stopped().is_err();
    let read = urls.read(&is_stopped, &mut |url, time| {
        let is_url = is_url(url, &mut origin);
        let url = &url[..url.len().min(URL_BYTES_MAX)];
        let problem = match time {
            _ if !is_url => Some(Ground::BadUrl),
            Time::Bad => Some(Ground::BadTime),
            _ => None,
        };
        if let Some(ground) = problem {
            let all = job.crawlers.iter().map(|_| Answer::unknown(ground));
            put_answers(&mut record, ordinal, url, None, all);
            answers.push(&record)?;
        } else {
            let time = match time {
                Time::At(time) => time,
                Time::Unsaid | Time::Bad => newest,
            };
            put_question(&mut record, &origin, time, ordinal, url);
            questions.push(&record)?;
        }
        ordinal += 1;
        job.progress.set_rows(ordinal);
        Ok(())
    });
    // That a wait was broken off is no error of the list.
    job.scratch.stopped()?;
    read?;
    totals.urls = ordinal;
    questions.finish()
}

/// Writes the answers under a temporary name, and gives the file its name once
/// it is complete.
fn write(job: &Job<'_>, answers: &Sorted<'_>, output: &SingleFile) -> Result<Summary, Error> {
    let mut file = Output::create(output)?;
    match write_rows(job, answers, &mut file) {
        Ok(mut summary) => {
            (summary.rows, summary.bytes_written) = file.finish()?;
            Ok(summary)
        }
        Err(error) => {
            file.discard();
            Err(error)
        }
    }
}

fn write_rows(job: &Job<'_>, answers: &Sorted<'_>, file: &mut Output) -> Result<Summary, Error> {
    let mut by_access = [0u64; 3];
    let mut by_basis = [0u64; Ground::ALL.len()];
    let crawls = job.dataset.crawls();
    let mut rows = 0;
    let mut reader = answers.read()?;
    while let Some(record) = reader.peek() {
        let mut answers = Answers::read(record);
        let url = escape_body(answers.url, true);
        let capture = answers.capture;
        let capture = capture.map(|(crawl, id)| (crawls[crawl as usize].as_str(), id));
        for crawler in job.crawlers {
            let answer = answers.next();
            by_access[answer.permission as usize] += 1;
            by_basis[answer.ground as usize] += 1;
            file.push(&MatchRow {
                url: &url,
                agent: crawler.agent(),
                access: answer.permission.name(),
                line_no: answer.line_no,
                basis: answer.ground.name(),
                capture,
            })?;
            rows += 1;
            if rows % ROWS_UNNOTICED == 0 {
                job.scratch.stopped()?;
                job.progress.set_rows(rows);
            }
        }
        reader.advance()?;
    }
    let permissions = [
        Permission::Allowed,
        Permission::Disallowed,
        Permission::Unknown,
    ];
    let counts = permissions.iter().map(|it| it.name()).zip(by_access);
    let bases = Ground::ALL.iter().map(|it| it.name()).zip(by_basis);
    let owned = |(name, count): (&str, u64)| (name.to_owned(), count);
    Ok(Summary {
        by_access: counts.map(owned).collect(),
        by_basis: bases.filter(|(_, count)| *count > 0).map(owned).collect(),
        ..Summary::default()
    })
}
