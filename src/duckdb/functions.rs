//! The functions of SQL.
//!
//! Each function computes the answer of one row, which is null if an argument is null.

use crate::api::{Answer, Row, RowAnswer, RowFunction, ScalarFunction, Type};
use crate::memory::Memory;
use crawlers::{CategoryChoice, CrawlerPolicy, CrawlerRegistry, DialectChoice};
use escapes::unescape_body;
use robots::{Access, Dialect};
use std::sync::LazyLock;
use urls::ParsedUrl;

pub(crate) static REGISTRY: LazyLock<CrawlerRegistry> = LazyLock::new(CrawlerRegistry::built_in);

/// Returns the overloads of a function whose first parameter is a body, as text or as bytes. `parameters` are the
/// types of the parameters after the body.
pub(crate) fn body_overloads(
    parameters: Vec<Type>,
    result: Type,
    may_fail: bool,
    answer: RowFunction,
) -> Vec<ScalarFunction> {
    let form = |body| ScalarFunction {
        parameters: [body]
            .into_iter()
            .chain(parameters.iter().copied())
            .collect(),
        result,
        may_fail,
        answer,
    };
    vec![form(Type::Varchar), form(Type::Blob)]
}

/// Returns the overloads of a function of a body and a crawler: with a body of text or of bytes, and without a dialect
/// or with one as the last parameter. `parameters` are the types of the parameters between the body and the dialect.
pub(crate) fn policy_overloads(
    parameters: &[Type],
    result: Type,
    answer: RowFunction,
) -> Vec<ScalarFunction> {
    let may_fail = parameters.contains(&Type::Timestamp);
    let mut forms = body_overloads(parameters.to_vec(), result, may_fail, answer);
    let with_dialect = [parameters, &[Type::Varchar]].concat();
    forms.extend(body_overloads(with_dialect, result, true, answer));
    forms
}

/// `robots_allowed(body, agent, url)`: true if the crawler may fetch the URL.
pub(crate) fn robots_allowed<'a>(row: Row<'a>, memory: &mut Memory<'a>) -> RowAnswer {
    with_access(row, memory, |access| Answer::Boolean(access.is_allowed))
}

/// `robots_line(body, agent, url)`: the number of the line that decides the access; null if no line does.
pub(crate) fn robots_line<'a>(row: Row<'a>, memory: &mut Memory<'a>) -> RowAnswer {
    with_access(row, memory, |access| Answer::integer(access.line_no))
}

/// `robots_verdict(body, agent)`: the verdict on the whole site.
pub(crate) fn robots_verdict<'a>(row: Row<'a>, memory: &mut Memory<'a>) -> RowAnswer {
    with_policy(row, 2, memory, |policy| {
        Answer::Text(policy.verdict().name().into())
    })
}

/// `robots_preference(body, agent, url, category, fetch_time)`: the preference of the site about one use of the URL.
pub(crate) fn robots_preference<'a>(row: Row<'a>, memory: &mut Memory<'a>) -> RowAnswer {
    let (Some(url), Some(name), Some(micros)) = (row.bytes(2), row.bytes(3), row.timestamp(4))
    else {
        return Ok(Answer::Null);
    };
    let (name, category) = match memory.category.take().filter(|(last, _)| *last == name) {
        Some(last) => last,
        None => (name, parse_category(&String::from_utf8_lossy(name))?),
    };
    let unix_millis = Some(micros.div_euclid(1000));
    let answer = with_policy(row, 5, memory, |policy| {
        Answer::Text(category.preference(policy, url, unix_millis).name().into())
    });
    memory.category = Some((name, category));
    answer
}

/// `robots_body(body, is_valid_utf8)`: the bytes of the column `body` of a dataset.
pub(crate) fn robots_body(row: Row<'_>, _memory: &mut Memory<'_>) -> RowAnswer {
    let (Some(body), Some(is_valid_utf8)) = (row.bytes(0), row.boolean(1)) else {
        return Ok(Answer::Null);
    };
    let text = String::from_utf8_lossy(body);
    Ok(Answer::Bytes(
        unescape_body(&text, is_valid_utf8).into_owned(),
    ))
}

/// `whole_name(agent)`: the name of a crawler as the tables have it.
pub(crate) fn whole_name(row: Row<'_>, _memory: &mut Memory<'_>) -> RowAnswer {
    let agent = row.bytes(0).map(String::from_utf8_lossy);
    Ok(Answer::text(
        agent.map(|agent| crawlers::whole_name(&agent)),
    ))
}

/// `url_surtkey(url)`: the sort-friendly key of a URL in cc-index; null if it is not a URL.
pub(crate) fn url_surtkey(row: Row<'_>, _memory: &mut Memory<'_>) -> RowAnswer {
    let url = row.bytes(0).and_then(ParsedUrl::parse);
    Ok(Answer::text(url.map(|url| url.surt_key())))
}

/// `surt_host_name(url)`: the key of the host of a URL in cc-host-index; null if it has none.
pub(crate) fn surt_host_name(row: Row<'_>, _memory: &mut Memory<'_>) -> RowAnswer {
    let url = row.bytes(0).and_then(ParsedUrl::parse);
    Ok(Answer::text(url.and_then(|url| url.surt_host_name())))
}

/// `robots_panic(text)`: panics, in builds for tests.
#[cfg(debug_assertions)]
pub(crate) fn robots_panic(_row: Row<'_>, _memory: &mut Memory<'_>) -> RowAnswer {
    panic!("it is asked for");
}

/// Calls `answer` with the access of the crawler in the second column to the URL in the third one.
fn with_access<'a>(
    row: Row<'a>,
    memory: &mut Memory<'a>,
    answer: impl FnOnce(Access) -> Answer,
) -> RowAnswer {
    with_policy(row, 3, memory, |policy| {
        answer(policy.access(row.bytes(2).unwrap_or_default()))
    })
}

/// Calls `answer` with the rules of the body in the first column for the crawler in the second one. `parameters` is the
/// number of columns before the dialect, which is optional.
fn with_policy<'a>(
    row: Row<'a>,
    parameters: usize,
    memory: &mut Memory<'a>,
    answer: impl FnOnce(&CrawlerPolicy) -> Answer,
) -> RowAnswer {
    let (Some(body), Some(agent)) = (row.bytes(0), row.bytes(1)) else {
        return Ok(Answer::Null);
    };
    if (2..row.argument_count()).any(|column| row.is_null(column)) {
        return Ok(Answer::Null);
    }
    let mut choice = DialectChoice::Default;
    if row.argument_count() > parameters {
        let name = row.bytes(parameters).unwrap_or_default();
        choice = match memory.dialect.filter(|(last, _)| *last == name) {
            Some((_, last)) => last,
            None => parse_dialect(&String::from_utf8_lossy(name))?,
        };
        memory.dialect = Some((name, choice));
    }
    Ok(memory
        .bodies
        .with_body(body, |body| answer(body.policy(&REGISTRY, agent, choice))))
}

fn parse_dialect(name: &str) -> Result<DialectChoice, String> {
    let choices = Dialect::ALL.map(DialectChoice::Dialect).into_iter();
    let mut choices = [DialectChoice::Default].into_iter().chain(choices);
    choices.find(|choice| choice.name() == name).ok_or_else(|| {
        let names = Dialect::ALL.map(Dialect::name).join(", ");
        format!("there is no dialect '{name}' (hint: choose from default, {names})")
    })
}

/// Parses a category of use.
fn parse_category(text: &str) -> Result<CategoryChoice, String> {
    CategoryChoice::parse(text).ok_or_else(|| {
        let names = CategoryChoice::NAMES;
        format!("there is no category '{text}' (hint: choose from {names})")
    })
}
