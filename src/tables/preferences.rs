use super::record_rows::RowInput;
use super::value::{BodyText, Constant};
use crate::table;
use capture::analysis::{CaptureAnalysis, PreferenceLine};
use escapes::escape_body;
use robots::{Mechanism, Vocabulary};

table! { per_capture "One row per key of a statement about AI use or licences."
row(analysis: &CaptureAnalysis<'_>, statement: &PreferenceLine<'_>) {
    let PreferenceLine { line, preference } = statement;
    let is_valid_utf8 = analysis.is_valid_utf8();
    let key = escape_body(preference.key, is_valid_utf8).to_ascii_lowercase();
    let vocabulary = match preference.mechanism {
        Mechanism::ContentUsage => Some(Vocabulary::content_usage(analysis.capture.fetch.time)),
        Mechanism::ContentSignal => Some(Vocabulary::content_signal()),
        _ => None,
    };
    let category = vocabulary.and_then(|vocabulary| vocabulary.category_of_label(preference.key));
} {
    robots_id: Long delta, "The capture." = analysis.robots_id;
    group_no: Int null, "The group that contains the line; null before any user-agent line." = line.group_no();
    line_no: Int delta, "The line number, from 1." = line.line_no;
    mechanism: Text, "The syntax: `content-signal`, `content-usage`, `rsl-license`, `disallow-ai-training`, `allow-ai-training`, `llm-policy`." = Constant(preference.mechanism.name());
    path: Text null, "The path that the statement is limited to; null for none." = preference.path.map(|path| BodyText(path, is_valid_utf8));
    pref_key: Text, "The use that the statement is about, lower-cased, for example `ai-train`." = &*key;
    pref_value: Text null, "The value of the statement as written, for example `no`; null if the statement has no value." = preference.value.map(|value| BodyText(value, is_valid_utf8));
    allow: Bool null, "The value as a boolean, if it means yes or no, read item by item: `preference` is the reading of the specification." = preference.allow;
    is_valid: Bool, "True if the current draft of the mechanism defines both the key and the value." = preference.is_valid;
    from_template: Bool, "True if the line is in a block that is managed by a vendor (Cloudflare) and not by the site." = line.is_managed;
    counts: Bool null, "True if the line is complete and within the body limit, as in `rules`." = line.counts;
    preference: Text null, "The preference that the statement has for this key according to its specification: `allowed`, `disallowed`, `unknown`. A `Content-Usage` line that is no dictionary of structured fields states nothing. Null if a later item of the line has the same key." = preference.preference.map(|it| Constant(it.name()));
    category: Text null, "The category that the key means at the time of the fetch, by the vocabulary of `content-usage` or `content-signal`: a category keeps its name when its label changes. Null if it means none." = category.map(Constant);
}}

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        for statement in &capture.analysis.preferences {
            self.push_row(capture.analysis, statement);
        }
    }
}
