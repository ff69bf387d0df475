//! `robots_lines(body)`: the lines of a body as a list of structs.

use crate::api::{Output, Rows, Type};
use crate::functions::with_bodies;
use escapes::escape_body;
use robots::{Directive, DirectiveKind, RobotsTxt};

/// The type of the lines of a body.
pub(crate) const LINES: Type = Type::List(&Type::Struct(&[
    (c"line", Type::Integer),
    (c"kind", Type::Varchar),
    (c"key", Type::Varchar),
    (c"value", Type::Varchar),
    (c"group", Type::Integer),
    (c"anomalies", Type::List(&Type::Varchar)),
]));

/// A line with a key, or with an anomaly, or the anomalies of the whole file.
#[derive(Default)]
struct BodyLine<'a> {
    /// The number of the line; `None` for the whole file.
    line_no: Option<u32>,
    /// `None` if the line has no key.
    directive: Option<&'a Directive>,
    /// The codes of its anomalies.
    anomalies: Vec<&'static str>,
}

/// Writes the lines of the bodies in the first column.
pub(crate) fn robots_lines(rows: &Rows, output: &mut Output) -> Result<(), String> {
    with_bodies(|bodies| {
        for row in 0..rows.len() {
            match rows.bytes(0, row) {
                Some(body) => {
                    bodies.with_body(body, |body| write_lines(&body.robots_txt(), row, output))?
                }
                None => output.set_null(row),
            }
        }
        Ok(())
    })
}

fn write_lines(robots: &RobotsTxt<'_>, row: usize, output: &mut Output) -> Result<(), String> {
    let lines = lines_of(robots);
    let is_utf8 = robots.summary().is_valid_utf8;
    let (mut items, first) = output.set_list(row, lines.len())?;
    let [
        mut numbers,
        mut kinds,
        mut keys,
        mut values,
        mut groups,
        mut anomalies,
    ] = std::array::from_fn(|i| items.field(i));
    for (i, line) in (first..).zip(&lines) {
        numbers.set_integer(i, line.line_no);
        match line.directive {
            Some(directive) => {
                kinds.set_text(i, kind_name(directive.kind));
                keys.set_text(i, &escape_body(robots.text(directive.key_raw), is_utf8));
                values.set_text(i, &escape_body(robots.text(directive.value_raw), is_utf8));
                groups.set_integer(i, directive.group_no());
            }
            None => [&mut kinds, &mut keys, &mut values, &mut groups]
                .into_iter()
                .for_each(|field| field.set_null(i)),
        }
        let (mut codes, start) = anomalies.set_list(i, line.anomalies.len())?;
        for (place, code) in (start..).zip(&line.anomalies) {
            codes.set_text(place, code);
        }
    }
    Ok(())
}

/// Returns the lines that have a key or an anomaly, in order. The anomalies of the whole file are first.
fn lines_of<'a>(robots: &RobotsTxt<'a>) -> Vec<BodyLine<'a>> {
    let mut lines: Vec<BodyLine<'a>> = Vec::new();
    let mut directives = robots.directives().iter().peekable();
    let with_key = |directive: &'a Directive| BodyLine {
        line_no: Some(directive.line_no),
        directive: Some(directive),
        anomalies: Vec::new(),
    };
    for anomaly in robots.reported_anomalies() {
        while let Some(directive) =
            directives.next_if(|next| anomaly.line_no.is_some_and(|line| next.line_no <= line))
        {
            lines.push(with_key(directive));
        }
        if lines
            .last()
            .is_none_or(|last| last.line_no != anomaly.line_no)
        {
            lines.push(BodyLine {
                line_no: anomaly.line_no,
                ..BodyLine::default()
            });
        }
        if let Some(last) = lines.last_mut() {
            last.anomalies.push(anomaly.kind.code());
        }
    }
    lines.extend(directives.map(with_key));
    lines
}

fn kind_name(kind: DirectiveKind) -> &'static str {
    match kind {
        DirectiveKind::UserAgent => "user_agent",
        DirectiveKind::Allow => "allow",
        DirectiveKind::Disallow => "disallow",
        DirectiveKind::Sitemap => "sitemap",
        DirectiveKind::Other => "other",
    }
}
