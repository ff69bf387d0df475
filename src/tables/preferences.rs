use super::record_rows::RowInput;
use super::{line_no_value, saturating_i32};
use crate::table;
use escapes::escape_body;
use robots::{Mechanism, Preference, Vocabulary};

table! { per_capture "One row per key of a statement about AI use or licences." {
    robots_id: Long delta, "The capture.";
    group_no: Int null, "The group that contains the line; null before any user-agent line.";
    line_no: Int delta, "The line number, from 1.";
    mechanism: Text, "The syntax: `content-signal`, `content-usage`, `rsl-license`, `disallow-ai-training`, `allow-ai-training`, `llm-policy`.";
    path: Text null, "The path that the statement is limited to; null for none.";
    pref_key: Text, "The use that the statement is about, lower-cased, for example `ai-train`.";
    pref_value: Text null, "The value of the statement as written, for example `no`; null if the statement has no value.";
    allow: Bool null, "The value as a boolean, if it means yes or no, read item by item: `preference` is the reading of the specification.";
    is_valid: Bool, "True if the current draft of the mechanism defines both the key and the value.";
    from_template: Bool, "True if the line is in a block that is managed by a vendor (Cloudflare) and not by the site.";
    counts: Bool null, "True if the line is complete and within the body limit, as in `rules`.";
    preference: Text null, "The preference that the statement has for this key according to its specification: `allowed`, `disallowed`, `unknown`. A `Content-Usage` line that is no dictionary of structured fields states nothing. Null if a later item of the line has the same key.";
    category: Text null, "The category that the key means at the time of the fetch, by the vocabulary of `content-usage` or `content-signal`: a category keeps its name when its label changes. Null if it means none.";
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
            self.counts.append_option(Some(statement.line.counts));
            let stated = preference.preference.map(Preference::name);
            self.preference
                .append_option(stated.map(|name| self.texts.intern_static(name)));
            let vocabulary = match preference.mechanism {
                Mechanism::ContentUsage => {
                    Some(Vocabulary::content_usage(analysis.capture.fetch.time))
                }
                Mechanism::ContentSignal => Some(Vocabulary::content_signal()),
                _ => None,
            };
            let category =
                vocabulary.and_then(|vocabulary| vocabulary.category_of_label(preference.key));
            self.category
                .append_option(category.map(|name| self.texts.intern_static(name)));
            self.end_rows(1);
        }
    }
}
