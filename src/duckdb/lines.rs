//! `robots_lines(body)`: the lines of a body as a list of structs.

use crate::api::{Answer, Row, RowAnswer, Type};
use crate::memory::Memory;
use escapes::escape_body;
use robots::{Directive, DirectiveKind, Lines, RobotsTxt, Span};

/// The type of the lines of a body.
pub(crate) const LINES: Type = Type::List(&Type::Struct(&[
    (c"line", Type::Integer),
    (c"kind", Type::Varchar),
    (c"key", Type::Varchar),
    (c"value", Type::Varchar),
    (c"group", Type::Integer),
    (c"anomalies", Type::List(&Type::Varchar)),
]));

/// The most lines of a body that are listed: a line takes 1 KiB until it is written.
const MAX_BODY_LINES: usize = 250_000;

/// The most lines that a call lists. DuckDB calls for 2,048 rows at a time, and keeps their lists in memory that
/// `memory_limit` does not include.
const MAX_CALL_LINES: usize = 1_000_000;

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

/// Returns the lines of the body in the first column. Too many lines are an error.
pub(crate) fn robots_lines<'a>(row: Row<'a>, memory: &mut Memory<'a>) -> RowAnswer {
    let Some(body) = row.bytes(0) else {
        return Ok(Answer::Null);
    };
    let mut too_many = Lines::new(body, 0).skip(MAX_BODY_LINES);
    if too_many.next().is_some_and(|line| line.start < body.len()) {
        return Err("robots_lines: a robots.txt has more than 250,000 lines".to_owned());
    }
    let lines = memory.bodies.with_body(body, |body| {
        let robots = body.robots_txt();
        let lines = lines_of(&robots);
        let lines = lines.iter().map(|line| line.fields(&robots));
        lines.collect::<Vec<_>>()
    });
    memory.listed_lines += lines.len();
    if memory.listed_lines > MAX_CALL_LINES {
        return Err(
            "robots_lines: neighbouring rows have more than 1,000,000 lines together".to_owned(),
        );
    }
    Ok(Answer::List(lines))
}

impl BodyLine<'_> {
    /// Returns the fields of the type [`LINES`].
    fn fields(&self, robots: &RobotsTxt<'_>) -> Answer {
        let is_utf8 = robots.summary().is_valid_utf8;
        let text = |span: fn(&Directive) -> Span| {
            let bytes = self.directive.map(|directive| robots.text(span(directive)));
            Answer::text(bytes.map(|bytes| escape_body(bytes, is_utf8).into_owned()))
        };
        let codes = self.anomalies.iter();
        Answer::Struct(vec![
            Answer::integer(self.line_no),
            Answer::text(self.directive.map(|directive| kind_name(directive.kind))),
            text(|directive| directive.key_raw),
            text(|directive| directive.value_raw),
            Answer::integer(self.directive.and_then(Directive::group_no)),
            Answer::List(codes.map(|code| Answer::Text((*code).into())).collect()),
        ])
    }
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
