use super::column::{Expression, sql_literal};
use super::record_rows::RowInput;
use super::value::BodyText;
use crate::table;
use robots::{Directive, DirectiveKind, RobotsTxt};

table! { per_capture "One row per line whose key is not user-agent, allow, disallow or sitemap, unless the body is an HTML page or not text."
row(robots_id: i64, robots: &RobotsTxt<'_>, line: &Directive, name: &[u8]) {
    let text = |bytes| BodyText(bytes, robots.summary().is_valid_utf8);
    let raw = robots.text(line.key_raw);
} {
    robots_id: Long delta, "The capture." = robots_id;
    group_no: Int null, "The group that contains the line; null before any user-agent line." = line.group_no();
    line_no: Int delta, "The line number, from 1." = line.line_no;
    directive: Text, "The key, lower-cased; `content-signals` is written `content-signal`." = text(name);
    directive_raw: Text null, "In files null where it equals `directive`. The key as written." = (raw != name).then(|| text(raw)) => Expression::Same("coalesce(directive_raw, directive)");
    value: Text, "The value as written, up to a `#`, without surrounding blanks and tabs." = text(robots.text(line.value_raw));
    counts: Bool null, "True if the line is complete and within the body limit, as in `rules`." = line.counts;
    has_colon: Bool null, "True if there is a colon between key and value, as in `rules`." = line.has_colon;
} derived {
    known: Bool, "True if a specification or a known crawler defines the key." => Expression::Generated(known_sql);
}}

/// Returns an SQL expression that is true for known keys.
fn known_sql() -> String {
    let keys: Vec<String> = robots::known_directives().map(sql_literal).collect();
    format!("directive IN ({})", keys.join(", "))
}

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let Some(robots) = &capture.analysis.robots else {
            return;
        };
        // A line of an HTML page or a binary file that has a colon is not a directive.
        if robots.summary().content.is_page_or_binary() {
            return;
        }
        let mut name = Vec::new();
        for line in robots.directives() {
            if line.kind == DirectiveKind::Other {
                robots.write_directive_name(line, &mut name);
                self.push_row(capture.analysis.robots_id, robots, line, &name);
            }
        }
    }
}
