//! Answers for columns of files, crawlers and URLs.
//!
//! A join often repeats a file in many rows, so each distinct body is parsed once.

use crate::column::{Column, Parameter, Statuses};
use crate::{REGISTRY, error, parse_category, parse_dialect};
use arrow_array::{BooleanArray, StringArray};
use capture::date::parse_iso;
use crawlers::{CategoryChoice, CrawlerPolicy, ParsedBodies, RowBodies, RowResponse};
use pyo3::prelude::*;
use robots::Verdict;
use std::cell::RefCell;
use std::sync::Arc;

/// Returns for each row whether a crawler may fetch a URL; null if any parameter is null,
/// except the body beside a status that decides without it.
///
/// A parameter is a column, or a text for all rows. ``status`` is a column of status codes, or one code; a null is not
/// known, and the body counts as that of a 200 response. A row whose ``agent`` is not the name of one crawler is an error, as
/// in ``RobotsTxt.can_fetch``, and so is one with a URL as ``agent`` and a name as ``url``.
#[pyfunction]
#[pyo3(signature = (robots_txt, agent, url, dialect = None, status = None))]
pub(crate) fn robots_allowed(
    py: Python<'_>,
    robots_txt: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
    dialect: Option<&str>,
    status: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column> {
    let choice = parse_dialect(dialect)?;
    let parameters = [
        Parameter::read(robots_txt)?,
        Parameter::read(agent)?,
        Parameter::read(url)?,
    ];
    let statuses = Statuses::read(status)?;
    let rows = row_count(&parameters, &statuses)?;
    let answers: PyResult<BooleanArray> = py.detach(|| {
        let [files, agents, urls] = &parameters;
        let names_and_urls = agents.values(rows).zip(urls.values(rows));
        let responses = responses(files, &statuses, rows);
        with_bodies(|bodies| {
            let answers = responses
                .zip(names_and_urls)
                .map(|(response, (agent, url))| {
                    let (Some(agent), Some(url)) = (agent, url) else {
                        return Ok(None);
                    };
                    crawlers::check_row(agent, url).map_err(error::refused)?;
                    let answer = bodies.answer(response, &REGISTRY, agent, choice, |policy| {
                        policy.map(|policy| policy.access(url).is_allowed)
                    });
                    Ok(answer.map_err(error::refused)?.flatten())
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
#[pyo3(signature = (robots_txt, agent, dialect = None, status = None))]
pub(crate) fn robots_verdict(
    py: Python<'_>,
    robots_txt: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    dialect: Option<&str>,
    status: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column> {
    let choice = parse_dialect(dialect)?;
    let parameters = [Parameter::read(robots_txt)?, Parameter::read(agent)?];
    let statuses = Statuses::read(status)?;
    let rows = row_count(&parameters, &statuses)?;
    let answers: PyResult<StringArray> = py.detach(|| {
        let [files, agents] = &parameters;
        let questions = responses(files, &statuses, rows).zip(agents.values(rows));
        with_bodies(|bodies| {
            let answers = questions.map(|(response, agent)| {
                let Some(agent) = agent else {
                    return Ok(None);
                };
                let answer = bodies.answer(response, &REGISTRY, agent, choice, |policy| {
                    policy
                        .map_or(Verdict::Unknown, CrawlerPolicy::verdict)
                        .name()
                });
                answer.map_err(error::refused)
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
#[pyo3(signature = (
    robots_txt, agent, url, category, fetch_time, dialect = None, status = None
))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are those of the function in Python"
)]
pub(crate) fn robots_preference(
    py: Python<'_>,
    robots_txt: &Bound<'_, PyAny>,
    agent: &Bound<'_, PyAny>,
    url: &Bound<'_, PyAny>,
    category: &Bound<'_, PyAny>,
    fetch_time: &Bound<'_, PyAny>,
    dialect: Option<&str>,
    status: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column> {
    let choice = parse_dialect(dialect)?;
    let parameters = [
        Parameter::read(robots_txt)?,
        Parameter::read(agent)?,
        Parameter::read(url)?,
        Parameter::read(category)?,
        Parameter::read(fetch_time)?,
    ];
    let statuses = Statuses::read(status)?;
    let rows = row_count(&parameters, &statuses)?;
    let answers: PyResult<StringArray> = py.detach(|| {
        let [files, agents, urls, categories, times] = &parameters;
        let names_and_urls = agents.values(rows).zip(urls.values(rows));
        let labels = categories.values(rows).zip(times.values(rows));
        let responses = responses(files, &statuses, rows);
        let questions = responses.zip(names_and_urls).zip(labels);
        // Neighbouring rows often have the same category.
        let mut last: Option<(&[u8], CategoryChoice)> = None;
        with_bodies(|bodies| {
            let answers = questions.map(|((response, (agent, url)), (category, time))| {
                let (Some(agent), Some(url)) = (agent, url) else {
                    return Ok(None);
                };
                let (Some(category), Some(time)) = (category, time) else {
                    return Ok(None);
                };
                crawlers::check_row(agent, url).map_err(error::refused)?;
                let parsed = match last.take().filter(|(text, _)| *text == category) {
                    Some((_, parsed)) => parsed,
                    None => parse_category(&String::from_utf8_lossy(category))?,
                };
                let time = parse_fetch_time(&String::from_utf8_lossy(time))?;
                let answer = bodies.answer(response, &REGISTRY, agent, choice, |policy| {
                    policy.map(|policy| parsed.preference(policy, url, Some(time)).name())
                });
                last = Some((category, parsed));
                Ok(answer.map_err(error::refused)?.flatten())
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
fn row_count(parameters: &[Parameter], statuses: &Statuses) -> PyResult<usize> {
    let lengths = parameters.iter().filter_map(Parameter::len);
    let mut lengths = lengths.chain(statuses.len());
    let rows = lengths.next().unwrap_or(1);
    match lengths.find(|length| *length != rows) {
        None => Ok(rows),
        Some(length) => {
            let text = format!("the columns have {rows} and {length} rows");
            Err(error::usage_error(&text, None))
        }
    }
}

/// Returns the response of each row.
fn responses<'a>(
    bodies: &'a Parameter,
    statuses: &'a Statuses,
    rows: usize,
) -> impl Iterator<Item = RowResponse<'a>> {
    let values = bodies.values(rows).zip(statuses.values(rows));
    values.map(|(body, status)| RowResponse { body, status })
}

thread_local! {
    /// The bodies that previous calls have parsed. Engines pass rows in small batches, or one by one.
    static PARSED: RefCell<ParsedBodies> = RefCell::default();
}

/// Calls `answer` with the bodies that this thread has parsed, and keeps them for the next call.
fn with_bodies<'a, T>(answer: impl FnOnce(&mut RowBodies<'a>) -> T) -> T {
    let mut bodies = RowBodies::new(PARSED.take());
    let answer = answer(&mut bodies);
    PARSED.set(bodies.into_parsed());
    answer
}
