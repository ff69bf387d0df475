//! The functions of SQL.
//!
//! Each computes the results of the rows of a chunk. A row in which an argument is null is null.

use crate::api::{Output, Rows, ScalarFunction, Type};
use crate::parsed_bodies::ParsedBodies;
use crawlers::{CategoryChoice, CrawlerPolicy, DialectChoice, whole_name};
use escapes::unescape_body;
use robots::Dialect;
use std::cell::RefCell;
use urls::ParsedUrl;

thread_local! {
    /// The bodies that this thread has parsed.
    static BODIES: RefCell<ParsedBodies> = RefCell::default();
}

/// Returns the forms of a function of a body: as text or bytes, and with a dialect as the last argument or without one.
pub(crate) fn of_body(
    parameters: &[Type],
    result: Type,
    takes_dialect: bool,
    compute: fn(&Rows, &mut Output) -> Result<(), String>,
) -> Vec<ScalarFunction> {
    let mut forms = Vec::new();
    for body in [Type::Varchar, Type::Blob] {
        for dialect in [None, Some(Type::Varchar).filter(|_| takes_dialect)] {
            let parameters: Vec<Type> = [body]
                .into_iter()
                .chain(parameters.iter().copied())
                .chain(dialect)
                .collect();
            if !forms
                .iter()
                .any(|form: &ScalarFunction| form.parameters == parameters)
            {
                forms.push(ScalarFunction {
                    parameters,
                    result,
                    compute,
                });
            }
        }
    }
    forms
}

/// `robots_allowed(body, agent, url)`: true if the crawler may fetch the URL.
pub(crate) fn robots_allowed(rows: &Rows, output: &mut Output) -> Result<(), String> {
    answer_policies(rows, output, 3, |policy, row, output| {
        let access = policy.access(rows.bytes(2, row).unwrap_or_default());
        output.set_boolean(row, access.is_allowed);
        Ok(())
    })
}

/// `robots_line(body, agent, url)`: the number of the line that decides; null if none does.
pub(crate) fn robots_line(rows: &Rows, output: &mut Output) -> Result<(), String> {
    answer_policies(rows, output, 3, |policy, row, output| {
        let access = policy.access(rows.bytes(2, row).unwrap_or_default());
        output.set_integer(row, access.line_no);
        Ok(())
    })
}

/// `robots_verdict(body, agent)`: the verdict on the whole site.
pub(crate) fn robots_verdict(rows: &Rows, output: &mut Output) -> Result<(), String> {
    answer_policies(rows, output, 2, |policy, row, output| {
        output.set_text(row, policy.verdict().name());
        Ok(())
    })
}

/// `robots_preference(body, agent, url, category, fetch_time)`: the preference of the site about one use of the URL.
pub(crate) fn robots_preference(rows: &Rows, output: &mut Output) -> Result<(), String> {
    // Neighbouring rows often have the same category.
    let mut last: Option<(&[u8], CategoryChoice)> = None;
    answer_policies(rows, output, 5, |policy, row, output| {
        let text = rows.bytes(3, row).unwrap_or_default();
        let category = match last.take().filter(|(name, _)| *name == text) {
            Some((_, category)) => category,
            None => parse_category(&String::from_utf8_lossy(text))?,
        };
        let unix_millis = rows.timestamp(4, row).map(|micros| micros.div_euclid(1000));
        let url = rows.bytes(2, row).unwrap_or_default();
        output.set_text(row, category.preference(policy, url, unix_millis).name());
        last = Some((text, category));
        Ok(())
    })
}

/// `robots_body(body, is_valid_utf8)`: the bytes of the column `body` of a dataset.
pub(crate) fn robots_body(rows: &Rows, output: &mut Output) -> Result<(), String> {
    for row in 0..rows.len() {
        match (rows.bytes(0, row), rows.boolean(1, row)) {
            (Some(body), Some(is_valid_utf8)) => {
                let text = String::from_utf8_lossy(body);
                output.set_bytes(row, &unescape_body(&text, is_valid_utf8));
            }
            _ => output.set_null(row),
        }
    }
    Ok(())
}

/// `whole_name(agent)`: the name of a crawler as the tables have it.
pub(crate) fn whole_name_of_rows(rows: &Rows, output: &mut Output) -> Result<(), String> {
    answer_texts(rows, output, |agent| {
        Some(whole_name(&String::from_utf8_lossy(agent)))
    })
}

/// `url_surtkey(url)`: the sort-friendly key of a URL in cc-index; null if it is not a URL.
pub(crate) fn url_surtkey(rows: &Rows, output: &mut Output) -> Result<(), String> {
    answer_texts(rows, output, |url| Some(ParsedUrl::parse(url)?.surt_key()))
}

/// `surt_host_name(url)`: the key of the host of a URL in cc-host-index; null if it has none.
pub(crate) fn surt_host_name(rows: &Rows, output: &mut Output) -> Result<(), String> {
    answer_texts(rows, output, |url| ParsedUrl::parse(url)?.surt_host_name())
}

/// `robots_panic(text)`: panics, in builds for tests.
#[cfg(debug_assertions)]
pub(crate) fn robots_panic(_rows: &Rows, _output: &mut Output) -> Result<(), String> {
    panic!("it is asked for");
}

/// Calls `answer` with the parsed bodies of this thread, and keeps them within their limit.
pub(crate) fn with_bodies<T>(answer: impl FnOnce(&mut ParsedBodies) -> T) -> T {
    BODIES.with_borrow_mut(|bodies| {
        // After a panic, bodies may be incomplete: they are put back only at the end.
        let mut taken = std::mem::take(bodies);
        let answer = answer(&mut taken);
        taken.release();
        *bodies = taken;
        answer
    })
}

/// Calls `answer` with the rules of each row: those of the body in the first column for the crawler in the second one.
/// A column after `parameters` others is the dialect.
fn answer_policies(
    rows: &Rows,
    output: &mut Output,
    parameters: usize,
    mut answer: impl FnMut(&CrawlerPolicy, usize, &mut Output) -> Result<(), String>,
) -> Result<(), String> {
    let mut last_dialect: Option<(&[u8], DialectChoice)> = None;
    with_bodies(|bodies| {
        for row in 0..rows.len() {
            if (0..rows.argument_count()).any(|column| rows.is_null(column, row)) {
                output.set_null(row);
                continue;
            }
            let mut choice = DialectChoice::Default;
            if rows.argument_count() > parameters {
                let name = rows.bytes(parameters, row).unwrap_or_default();
                choice = match last_dialect.filter(|(last, _)| *last == name) {
                    Some((_, choice)) => choice,
                    None => parse_dialect(&String::from_utf8_lossy(name))?,
                };
                last_dialect = Some((name, choice));
            }
            let body = rows.bytes(0, row).unwrap_or_default();
            let agent = rows.bytes(1, row).unwrap_or_default();
            bodies.with_body(body, |body| answer(body.policy(agent, choice), row, output))?;
        }
        Ok(())
    })
}

/// Writes a text for each text of the first column; null for `None`.
fn answer_texts(
    rows: &Rows,
    output: &mut Output,
    answer: impl Fn(&[u8]) -> Option<String>,
) -> Result<(), String> {
    for row in 0..rows.len() {
        match rows.bytes(0, row).and_then(&answer) {
            Some(text) => output.set_text(row, &text),
            None => output.set_null(row),
        }
    }
    Ok(())
}

/// Parses the name of a dialect.
fn parse_dialect(name: &str) -> Result<DialectChoice, String> {
    let choices = Dialect::ALL.map(DialectChoice::Dialect).into_iter();
    let mut choices = [DialectChoice::Default].into_iter().chain(choices);
    choices.find(|choice| choice.name() == name).ok_or_else(|| {
        let names = Dialect::ALL.map(Dialect::name).join(", ");
        format!("there is no dialect '{name}' (hint: choose from default, {names})")
    })
}

/// Parses the category of use of a mechanism.
fn parse_category(text: &str) -> Result<CategoryChoice, String> {
    CategoryChoice::parse(text).ok_or_else(|| {
        format!(
            "there is no category '{text}' of one mechanism (hint: categories are train-ai, ai-use, \
             content-usage:search, ai-train, ai-input and content-signal:search)"
        )
    })
}
