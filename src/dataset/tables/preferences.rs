use super::record_rows::RowInput;
use super::{column::table, line_no_value, saturating_i32};
use columns::escaped_text::escape_body;

table! { per_capture "One row per key of a statement about AI use or licences." {
    robots_id: Long delta, "The capture.";
    group_no: Int null, "The group that contains the line; null before any user-agent line.";
    line_no: Int delta, "The line number, from 1.";
    mechanism: Text, "The syntax: `content-signal`, `content-usage`, `rsl-license`, `disallow-ai-training`, `allow-ai-training`, `llm-policy`.";
    path: Text null, "The path that the statement is limited to; null for none.";
    pref_key: Text, "The use that the statement is about, lower-cased, for example `ai-train`.";
    pref_value: Text null, "The value of the statement as written, for example `no`; null if the statement has no value.";
    allow: Bool null, "The value as a boolean, if it means yes or no.";
    is_valid: Bool, "True if the current draft of the mechanism defines both the key and the value.";
    from_template: Bool, "True if the line is in a block that is managed by a vendor (Cloudflare) and not by the site.";
}}

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        let is_utf8 = analysis.is_valid_utf8();
        for statement in &analysis.preferences {
            let preference = &statement.preference;
            self.robots_id.append_value(analysis.robots_id);
            self.group_no
                .append_option(line_no_value(statement.line.group_no()));
            self.line_no
                .append_value(saturating_i32(statement.line.line_no));
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
