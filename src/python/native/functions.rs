//! Answers for columns of files, crawlers and URLs.
//!
//! A join often repeats a file in many rows, so each distinct file of a call is parsed once.

use crate::column::{Column, Parameter};
use crate::policy_cache::PolicyCache;
use crate::{REGISTRY, agent_name, argument_checks, error, parse_category, parse_dialect};
use answers::check::ParsedFile;
use arrow_array::{BooleanArray, StringArray};
use capture::date::parse_iso;
use crawlers::CategoryChoice;
use crawlers::{Crawler, CrawlerPolicy, DialectChoice};
use pyo3::prelude::*;
use robots::{ParseOptions, Verdict};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// The size of all parsed files of a call, above which they are dropped.
const MAX_PARSED_BYTES: usize = 16 << 20;

/// The largest file that a thread keeps after a call.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Returns for each row whether a crawler may fetch a URL; null if any parameter is null.
///
/// A parameter is a column, or a text for all rows. A row whose ``agent`` is not the name of one crawler is an error, as
/// in ``RobotsTxt.can_fetch``, and so is one with a URL as ``agent`` and a name as ``url``.
#[pyfunction]
#[pyo3(signature = (robots_txt, agent, url, dialect = None))]
pub(crate) fn robots_allowed(
    py: Python<'_>,
    robots_txt: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
    dialect: Option<&str>,
) -> PyResult<Column> {
    let choice = parse_dialect(dialect)?;
    let parameters = [
        Parameter::read(robots_txt)?,
        Parameter::read(agent)?,
        Parameter::read(url)?,
    ];
    let rows = row_count(&parameters)?;
    let answers: PyResult<BooleanArray> = py.detach(|| {
        let [bodies, agents, urls] = &parameters;
        let names_and_urls = agents.values(rows).zip(urls.values(rows));
        let questions = bodies.values(rows).zip(names_and_urls);
        ParsedFiles::with_last_file_cached(|files| {
            let answers = questions.map(|(body, (agent, url))| {
                let (Some(body), Some(agent), Some(url)) = (body, agent, url) else {
                    return Ok(None);
                };
                argument_checks::check_row(agent, url)?;
                let answer = |file: &mut CachedFile| file.is_allowed(agent, url, choice);
                files.answer_for_body(body, answer).map(Some)
            });
            answers.collect()
        })
    });
    Ok(Column::new(Arc::new(answers?)))
}

/// Returns for each row the verdict for a crawler on the whole site; null if any parameter is null.
///
/// A parameter is a column, or a text for all rows.
#[pyfunction]
#[pyo3(signature = (robots_txt, agent, dialect = None))]
pub(crate) fn robots_verdict(
    py: Python<'_>,
    robots_txt: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    dialect: Option<&str>,
) -> PyResult<Column> {
    let choice = parse_dialect(dialect)?;
    let parameters = [Parameter::read(robots_txt)?, Parameter::read(agent)?];
    let rows = row_count(&parameters)?;
    let answers: PyResult<StringArray> = py.detach(|| {
        let [bodies, agents] = &parameters;
        let questions = bodies.values(rows).zip(agents.values(rows));
        ParsedFiles::with_last_file_cached(|files| {
            let answers = questions.map(|(body, agent)| {
                let (Some(body), Some(agent)) = (body, agent) else {
                    return Ok(None);
                };
                let verdict = files.answer_for_body(body, |file| file.verdict(agent, choice))?;
                Ok(Some(verdict.name()))
            });
            answers.collect()
        })
    });
    Ok(Column::new(Arc::new(answers?)))
}

/// Returns for each row the preference of the site about one use of a URL by a crawler: ``"allowed"``, ``"disallowed"``,
/// ``"unknown"`` or ``"not_crawlable"``, as ``RobotsTxt.preference``; null if any parameter is null.
///
/// A parameter is a column, or a text for all rows. ``fetch_time`` is the time at which the file was fetched, as text in
/// ISO 8601, which decides what the labels of ``content-usage`` mean.
#[pyfunction]
#[pyo3(signature = (robots_txt, agent, url, category, fetch_time, dialect = None))]
pub(crate) fn robots_preference(
    py: Python<'_>,
    robots_txt: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
    category: &Bound<'_, PyAny>,
    fetch_time: &Bound<'_, PyAny>,
    dialect: Option<&str>,
) -> PyResult<Column> {
    let choice = parse_dialect(dialect)?;
    let parameters = [
        Parameter::read(robots_txt)?,
        Parameter::read(agent)?,
        Parameter::read(url)?,
        Parameter::read(category)?,
        Parameter::read(fetch_time)?,
    ];
    let rows = row_count(&parameters)?;
    let answers: PyResult<StringArray> = py.detach(|| {
        let [bodies, agents, urls, categories, times] = &parameters;
        let names_and_urls = agents.values(rows).zip(urls.values(rows));
        let labels = categories.values(rows).zip(times.values(rows));
        let questions = bodies.values(rows).zip(names_and_urls).zip(labels);
        // Neighbouring rows often have the same category.
        let mut last: Option<(&[u8], CategoryChoice)> = None;
        ParsedFiles::with_last_file_cached(|files| {
            let answers = questions.map(|((body, (agent, url)), (category, time))| {
                let (Some(body), Some(agent), Some(url)) = (body, agent, url) else {
                    return Ok(None);
                };
                let (Some(category), Some(time)) = (category, time) else {
                    return Ok(None);
                };
                argument_checks::check_row(agent, url)?;
                let parsed = match last.take().filter(|(text, _)| *text == category) {
                    Some((_, parsed)) => parsed,
                    None => parse_category(&String::from_utf8_lossy(category))?,
                };
                let time = parse_fetch_time(&String::from_utf8_lossy(time))?;
                let preference = files.answer_for_body(body, |file| {
                    file.preference(agent, url, choice, &parsed, time)
                })?;
                last = Some((category, parsed));
                Ok(Some(preference))
            });
            answers.collect()
        })
    });
    Ok(Column::new(Arc::new(answers?)))
}

/// Parses a time in ISO 8601. Returns milliseconds since 1970.
pub(crate) fn parse_fetch_time(text: &str) -> PyResult<i64> {
    parse_iso(text).ok_or_else(|| {
        let hint = "give a time as 2024-03-01, 2024-03-01T12:30:00Z or 2024-03-01 12:30:00";
        error::usage_error(&format!("'{text}' is not a time"), Some(hint))
    })
}

/// Returns the number of rows: that of all columns, or 1 if there are only constants.
fn row_count(parameters: &[Parameter]) -> PyResult<usize> {
    let mut lengths = parameters.iter().filter_map(Parameter::len);
    let rows = lengths.next().unwrap_or(1);
    match lengths.find(|length| *length != rows) {
        None => Ok(rows),
        Some(length) => {
            let text = format!("the columns have {rows} and {length} rows");
            Err(error::usage_error(&text, None))
        }
    }
}

/// The distinct files of a call.
struct ParsedFiles<'a> {
    /// The first one may be the last file of the previous call on this thread.
    files: Vec<CachedFile>,
    indices: HashMap<&'a [u8], usize>,
    /// The body of the previous row, with the index of its file: neighbouring rows often have the same
    /// file, which is then found without a hash.
    previous_row: Option<(&'a [u8], usize)>,
    /// The sum of [`CachedFile::bytes`].
    bytes: usize,
}

/// A parsed file with a cache of its rules for single crawlers.
struct CachedFile {
    parsed: ParsedFile,
    policies: PolicyCache,
    /// An estimate of the memory: the size of the body, once for the file and once per crawler.
    bytes: usize,
}

thread_local! {
    /// The last file of the last call. Engines pass rows in small batches, or one by one.
    static LAST_FILE: RefCell<Option<CachedFile>> = const { RefCell::new(None) };
}

impl<'a> ParsedFiles<'a> {
    /// Calls `answer` with an empty set of files, to which the last file of the previous call is added.
    /// Keeps the last file for the next call.
    fn with_last_file_cached<T>(answer: impl FnOnce(&mut Self) -> T) -> T {
        let last: Vec<CachedFile> = LAST_FILE.take().into_iter().collect();
        let mut files = Self {
            bytes: last.iter().map(|file| file.bytes).sum(),
            files: last,
            indices: HashMap::new(),
            previous_row: None,
        };
        let answer = answer(&mut files);
        LAST_FILE.set(files.into_last_file());
        answer
    }

    /// Calls `question` with the parsed file of a body.
    fn answer_for_body<T>(
        &mut self,
        body: &'a [u8],
        question: impl FnOnce(&mut CachedFile) -> T,
    ) -> T {
        let index = match self.previous_row {
            Some((previous_row, index)) if is_equal_body(previous_row, body) => index,
            _ => self.find_or_parse(body),
        };
        self.previous_row = Some((body, index));
        let file = &mut self.files[index];
        let bytes = file.bytes;
        let answer = question(file);
        self.bytes += file.bytes - bytes;
        answer
    }

    /// Returns the index of the file with a body, which is parsed if it is new.
    fn find_or_parse(&mut self, body: &'a [u8]) -> usize {
        // The body is not hashed for this, because a call may have only one row.
        if self.files.first().is_some_and(|file| file.body() == body) {
            return 0;
        }
        if let Some(index) = self.indices.get(body) {
            return *index;
        }
        if self.bytes > MAX_PARSED_BYTES {
            self.indices.clear();
            self.files.clear();
            self.bytes = 0;
        }
        let (index, file) = (self.files.len(), CachedFile::new(body));
        self.bytes += file.bytes;
        self.files.push(file);
        self.indices.insert(body, index);
        index
    }

    /// Returns the last file, unless it is large.
    fn into_last_file(mut self) -> Option<CachedFile> {
        let last = match self.previous_row {
            Some((_, index)) => Some(self.files.swap_remove(index)),
            None => self.files.pop(),
        };
        last.filter(|file| file.bytes <= MAX_KEPT_BYTES)
    }
}

impl CachedFile {
    fn new(body: &[u8]) -> Self {
        Self {
            parsed: ParsedFile::new(body, ParseOptions::default()),
            policies: PolicyCache::default(),
            bytes: body.len(),
        }
    }

    fn body(&self) -> &[u8] {
        self.parsed.robots_txt().body()
    }

    /// Returns the rules for a crawler. An agent that is not one name is an error.
    fn policy(&mut self, agent: &str, choice: DialectChoice) -> PyResult<Arc<CrawlerPolicy>> {
        if !self.policies.contains(agent, choice) {
            agent_name::check_agent(agent, &self.parsed.robots_txt())?;
            self.bytes += self.body().len();
        }
        let policies = &mut self.policies;
        Ok(policies.get_or_compute(&self.parsed, agent, choice))
    }

    fn is_allowed(&mut self, agent: &[u8], url: &[u8], choice: DialectChoice) -> PyResult<bool> {
        let agent = String::from_utf8_lossy(agent);
        Ok(self.policy(&agent, choice)?.access(url).is_allowed)
    }

    fn preference(
        &mut self,
        agent: &[u8],
        url: &[u8],
        choice: DialectChoice,
        category: &CategoryChoice,
        unix_millis: i64,
    ) -> PyResult<&'static str> {
        let agent = String::from_utf8_lossy(agent);
        let policy = self.policy(&agent, choice)?;
        Ok(category.preference(&policy, url, Some(unix_millis)).name())
    }

    fn verdict(&mut self, agent: &[u8], choice: DialectChoice) -> PyResult<Verdict> {
        let agent = String::from_utf8_lossy(agent);
        match choice {
            DialectChoice::Default => {
                agent_name::check_agent(&agent, &self.parsed.robots_txt())?;
                let crawler = Crawler::new(&REGISTRY, &agent);
                Ok(self.parsed.verdict(&crawler).verdict)
            }
            DialectChoice::Dialect(_) => Ok(self.policy(&agent, choice)?.verdict()),
        }
    }
}

/// Returns true if two bodies are equal. Rows of a constant or a dictionary share one body, which is
/// not compared byte by byte.
fn is_equal_body(left: &[u8], right: &[u8]) -> bool {
    std::ptr::eq(left, right) || left == right
}
