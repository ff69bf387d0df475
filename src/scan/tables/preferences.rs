//! The table `preferences`.

use super::{column::table, int, line_no};
use crate::analysis::CaptureAnalysis;
use crate::escaped_text::escape_body;

table! { "One row per key of a statement on AI use or licence." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null, "Its host, as in `robots_files`.";
    group_no: Int null, "The group it stands in; null before any user-agent line.";
    line_no: Int, "The line, from 1.";
    mechanism: Text, "The syntax: `content-signal`, `content-usage`, `rsl-license`, `disallow-ai-training`, `allow-ai-training`, `llm-policy`.";
    path: Text null, "The path that the statement is limited to; null for none.";
    pref_key: Text, "What is spoken of, lower-cased, e.g. `ai-train`.";
    pref_value: Text null, "What is said of it, as written, e.g. `no`; null where nothing is.";
    allow: Bool null, "The same as a yes or no, where it is one.";
    is_valid: Bool, "Whether the current text of its draft defines both.";
    from_template: Bool, "Whether it stands in a block that a vendor manages (Cloudflare), not the site.";
}}

impl Builder {
    /// Adds the rows of a capture.
    pub(crate) fn push(&mut self, analysis: &CaptureAnalysis<'_>) {
        let is_utf8 = analysis.is_valid_utf8();
        for statement in &analysis.preferences {
            let preference = &statement.preference;
            self.robots_id.append_value(analysis.robots_id);
            let host = analysis.surt_host_name();
            self.surt_host_name
                .append_option(host.map(|host| self.texts.intern(host)));
            self.group_no
                .append_option(line_no(statement.line.group_no()));
            self.line_no.append_value(int(statement.line.line_no));
            self.mechanism
                .append_value(self.texts.intern_static(preference.mechanism.name()));
            self.path.append_option(
                preference
                    .path
                    .map(|path| self.texts.intern_body_text(path, is_utf8)),
            );
            self.pref_key.append_value(
                self.texts
                    .intern(&escape_body(preference.key, is_utf8).to_ascii_lowercase()),
            );
            self.pref_value.append_option(
                preference
                    .value
                    .map(|value| self.texts.intern_body_text(value, is_utf8)),
            );
            self.allow.append_option(preference.allow);
            self.is_valid.append_value(preference.is_valid);
            self.from_template.append_value(statement.line.is_managed);
            self.end_rows(1);
        }
    }
}
