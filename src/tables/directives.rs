use super::column::{Expression, sql_literal};
use super::record_rows::RowInput;
use super::{line_no_value, saturating_i32};
use crate::table;
use robots::DirectiveKind;

table! { per_capture "One row per line whose key is not user-agent, allow, disallow or sitemap, unless the body is an HTML page or not text." {
    robots_id: Long delta, "The capture.";
    group_no: Int null, "The group that contains the line; null before any user-agent line.";
    line_no: Int delta, "The line number, from 1.";
    directive: Text, "The key, lower-cased; `content-signals` is written `content-signal`.";
    directive_raw: Text null, "In files null where it equals `directive`. The key as written." => DIRECTIVE_RAW;
    value: Text, "The value as written, up to a `#`, without surrounding blanks and tabs.";
    counts: Bool null, "True if the line is complete and within the body limit, as in `rules`.";
    has_colon: Bool null, "True if there is a colon between key and value, as in `rules`.";
} derived {
    known: Bool, "True if a specification or a known crawler defines the key." => KNOWN;
}}

const DIRECTIVE_RAW: Expression = Expression::Same("coalesce(directive_raw, directive)");

const KNOWN: Expression = Expression::Generated(known_sql);

/// Returns an SQL expression that is true for known keys.
fn known_sql() -> String {
    let keys: Vec<String> = robots::known_directives().map(sql_literal).collect();
    format!("directive IN ({})", keys.join(", "))
}

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        // A line of an HTML page or a binary file that has a colon is not a directive.
        let Some(robots) = analysis
            .robots
            .as_ref()
            .filter(|robots| !robots.summary().content.is_page_or_binary())
        else {
            return;
        };
        let is_utf8 = analysis.is_valid_utf8();
        let (mut name, mut count) = (Vec::new(), 0);
        for line in robots
            .directives()
            .iter()
            .filter(|line| line.kind == DirectiveKind::Other)
        {
            robots.write_directive_name(line, &mut name);
            self.group_no.append_option(line_no_value(line.group_no()));
            self.line_no.append_value(saturating_i32(line.line_no));
            let texts = &mut self.texts;
            self.directive
                .append_value(texts.intern_body_text(&name, is_utf8));
            let raw = robots.text(line.key_raw);
            let raw = (raw != name).then(|| texts.intern_body_text(raw, is_utf8));
            self.directive_raw.append_option(raw);
            self.value
                .append_value(texts.intern_body_text(robots.text(line.value_raw), is_utf8));
            self.counts.append_option(Some(line.counts));
            self.has_colon.append_option(Some(line.has_colon));
            count += 1;
        }
        if count == 0 {
            return;
        }
        self.robots_id
            .append_repeated(Some(analysis.robots_id), count);
        self.end_rows(count);
    }
}
