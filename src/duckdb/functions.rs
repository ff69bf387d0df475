//! The functions of SQL.
//!
//! Each function computes the answer of one row, which is null if an argument is null.

use crate::api::{Answer, Row, RowAnswer, RowFunction, ScalarFunction, Type};
use crate::memory::Memory;
use crawlers::{CategoryChoice, CrawlerPolicy, CrawlerRegistry, DialectChoice, RowResponse};
use escapes::unescape_body;
use robots::{Access, Basis, Verdict};
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
        // A body may be null beside a status, and the reverse.
        takes_nulls: parameters.contains(&Type::BigInt),
        answer,
    };
    vec![form(Type::Varchar), form(Type::Blob)]
}

/// Returns the overloads of a function of a body and a crawler: with a body of text or of bytes, and with or without a
/// status and a dialect as the last parameters. `parameters` are the types of the parameters after the body and before
/// these.
pub(crate) fn policy_overloads(
    parameters: &[Type],
    result: Type,
    answer: RowFunction,
) -> Vec<ScalarFunction> {
    let optional: [&[Type]; 4] = [
        &[],
        &[Type::Varchar],
        &[Type::BigInt],
        &[Type::BigInt, Type::Varchar],
    ];
    let forms = optional
        .into_iter()
        .flat_map(|optional| body_overloads([parameters, optional].concat(), result, true, answer));
    forms.collect()
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
        let verdict = policy.map_or(Verdict::Unknown, CrawlerPolicy::verdict);
        Answer::Text(verdict.name().into())
    })
}

/// `robots_preference(body, agent, url, category, fetch_time)`: the preference of the site about one use of the URL.
pub(crate) fn robots_preference<'a>(row: Row<'a>, memory: &mut Memory<'a>) -> RowAnswer {
    let (Some(url), Some(name), Some(micros)) = (row.bytes(2), row.bytes(3), row.number(4)) else {
        return Ok(Answer::Null);
    };
    let (name, category) = match memory.category.take().filter(|(last, _)| *last == name) {
        Some(last) => last,
        None => {
            let parsed = CategoryChoice::parse(&String::from_utf8_lossy(name));
            (name, parsed.map_err(|refusal| refusal.to_string())?)
        }
    };
    let unix_millis = Some(micros.div_euclid(1000));
    let answer = check_row(row).and_then(|()| {
        with_policy(row, 5, memory, |policy| {
            let preference = policy.map(|policy| category.preference(policy, url, unix_millis));
            Answer::text(preference.map(|preference| preference.name()))
        })
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

/// Refuses a crawler and a URL, in the second and third column, that are exchanged.
fn check_row(row: Row<'_>) -> Result<(), String> {
    let (agent, url) = (row.bytes(1), row.bytes(2));
    let checked = crawlers::check_row(agent.unwrap_or_default(), url.unwrap_or_default());
    checked.map_err(|refusal| refusal.to_string())
}

/// Calls `answer` with the access of the crawler in the second column to the URL in the third one.
fn with_access<'a>(
    row: Row<'a>,
    memory: &mut Memory<'a>,
    answer: impl FnOnce(Access) -> Answer,
) -> RowAnswer {
    check_row(row)?;
    let url = row.bytes(2).unwrap_or_default();
    with_policy(row, 3, memory, |policy| {
        policy.map_or(Answer::Null, |policy| {
            let access = policy.access(url);
            // The policy of a status has rules whose lines are not in the body.
            let line_no = access.line_no.filter(|_| policy.basis != Basis::HttpStatus);
            answer(Access { line_no, ..access })
        })
    })
}

/// Calls `answer` with the rules of the body in the first column for the crawler in the second one; with `None` if the
/// response decides nothing. `parameters` is the number of columns before the status and the dialect, which are optional.
fn with_policy<'a>(
    row: Row<'a>,
    parameters: usize,
    memory: &mut Memory<'a>,
    answer: impl FnOnce(Option<&CrawlerPolicy>) -> Answer,
) -> RowAnswer {
    let count = row.argument_count();
    let has_status = count > parameters && row.type_of(parameters) == Type::BigInt;
    let dialect = parameters + usize::from(has_status);
    let mut required = (1..parameters).chain(dialect..count);
    if required.any(|column| row.is_null(column)) {
        return Ok(Answer::Null);
    }
    let mut choice = DialectChoice::Default;
    if count > dialect {
        let name = row.bytes(dialect).unwrap_or_default();
        choice = match memory.dialect.filter(|(last, _)| *last == name) {
            Some((_, last)) => last,
            None => DialectChoice::parse(&String::from_utf8_lossy(name))
                .map_err(|refusal| refusal.to_string())?,
        };
        memory.dialect = Some((name, choice));
    }
    let response = RowResponse {
        body: row.bytes(0),
        status: has_status.then(|| row.number(parameters)).flatten(),
    };
    let agent = row.bytes(1).unwrap_or_default();
    let bodies = &mut memory.bodies;
    let answer = bodies.answer(response, &REGISTRY, agent, choice, answer);
    let answer = answer.map_err(|refusal| refusal.to_string())?;
    Ok(answer.unwrap_or(Answer::Null))
}
