//! The table `directives`.

use super::{column::table, int, line_no};
use crate::analysis::CaptureAnalysis;
use robots::DirectiveKind;

table! { repeated "One row per line whose key is not user-agent, allow, disallow or sitemap." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null, "The host of the capture, as in `robots_files`.";
    group_no: Int null, "The group that contains the line; null before any user-agent line.";
    line_no: Int, "The line number, from 1.";
    directive: Text, "The key, lower-cased; `content-signals` is written `content-signal`.";
    directive_raw: Text, "The key as written.";
    value: Text, "The value as written, up to a `#`, without surrounding blanks and tabs.";
    known: Bool, "True if a specification or a known crawler defines the key.";
}}

impl Builder {
    /// Adds the rows of a capture.
    pub(crate) fn push(&mut self, analysis: &CaptureAnalysis<'_>) {
        let Some(robots) = &analysis.robots else {
            return;
        };
        let is_utf8 = analysis.is_valid_utf8();
        let (mut name, mut count) = (Vec::new(), 0);
        for line in robots
            .directives()
            .iter()
            .filter(|line| line.kind == DirectiveKind::Other)
        {
            let known = robots.directive_name(line, &mut name);
            self.group_no.append_option(line_no(line.group_no()));
            self.line_no.append_value(int(line.line_no));
            let texts = &mut self.texts;
            self.directive
                .append_value(texts.intern_body_text(&name, is_utf8));
            self.directive_raw
                .append_value(texts.intern_body_text(robots.text(line.key_raw), is_utf8));
            self.value
                .append_value(texts.intern_body_text(robots.text(line.value_raw), is_utf8));
            self.known.append_value(known);
            count += 1;
        }
        if count == 0 {
            return;
        }
        self.fill_capture(analysis, count);
        self.end_rows(count);
    }
}
