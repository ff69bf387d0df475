//! Answers for columns of files, crawlers and URLs.
//!
//! A join often repeats a file in many rows, so each distinct body is parsed once.

use crate::column::{Column, Parameter};
use crate::{REGISTRY, agent_name, argument_checks, error, parse_category, parse_dialect};
use arrow_array::{BooleanArray, StringArray};
use capture::date::parse_iso;
use crawlers::{CategoryChoice, CrawlerPolicy, DialectChoice, ParsedBodies, ParsedBody, RowBodies};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

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
        let [files, agents, urls] = &parameters;
        let names_and_urls = agents.values(rows).zip(urls.values(rows));
        let questions = files.values(rows).zip(names_and_urls);
        with_bodies(|bodies| {
            let answers = questions.map(|(body, (agent, url))| {
                let (Some(body), Some(agent), Some(url)) = (body, agent, url) else {
                    return Ok(None);
                };
                argument_checks::check_row(agent, url)?;
                bodies.with_body(body, |body| {
                    Ok(Some(policy_of(body, agent, choice)?.access(url).is_allowed))
                })
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
        let [files, agents] = &parameters;
        let questions = files.values(rows).zip(agents.values(rows));
        with_bodies(|bodies| {
            let answers = questions.map(|(body, agent)| {
                let (Some(body), Some(agent)) = (body, agent) else {
                    return Ok(None);
                };
                bodies.with_body(body, |body| {
                    Ok(Some(policy_of(body, agent, choice)?.verdict().name()))
                })
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
        let [files, agents, urls, categories, times] = &parameters;
        let names_and_urls = agents.values(rows).zip(urls.values(rows));
        let labels = categories.values(rows).zip(times.values(rows));
        let questions = files.values(rows).zip(names_and_urls).zip(labels);
        // Neighbouring rows often have the same category.
        let mut last: Option<(&[u8], CategoryChoice)> = None;
        with_bodies(|bodies| {
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
                let preference = bodies.with_body(body, |body| {
                    let policy = policy_of(body, agent, choice)?;
                    Ok::<_, PyErr>(parsed.preference(policy, url, Some(time)).name())
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

/// Returns the rules of a body for a crawler. An agent that is not one name is an error.
fn policy_of<'a>(
    body: &'a mut ParsedBody,
    agent: &[u8],
    choice: DialectChoice,
) -> PyResult<&'a CrawlerPolicy> {
    if !body.has_policy(agent, choice) {
        agent_name::check_agent(&String::from_utf8_lossy(agent), &body.robots_txt())?;
    }
    Ok(body.policy(&REGISTRY, agent, choice))
}
