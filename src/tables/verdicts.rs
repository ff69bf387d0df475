use super::record_rows::RowInput;
use super::{line_no_value, saturating_i32};
use crate::table;

table! { per_capture "One row per capture and name: `*` for every capture, and every whole name and token in the file." {
    robots_id: Long delta, "The capture.";
    is_robots_path: Bool, "As in `robots_files`.";
    agent: Text bloom_filter, "A whole name or a token, lower-cased, as in `groups`; `*` for all other crawlers.";
    verdict: Text, "`disallow_all`, `partial`, `allow_all` or `unknown`: according to Google's rules and status table, with names compared whole. The macros `verdicts_for` and `verdicts_in` add names that the file does not contain.";
    verdict_google: Text, "The verdict of Google's parser for a crawler whose name is `agent`.";
    verdict_rfc9309: Text, "The verdict according to RFC 9309 and its status table, for a crawler whose name is exactly `agent`.";
    verdict_koster1996: Text, "The verdict according to Koster's draft of 1996.";
    basis: Text, "The basis of `verdict`: `explicit` (groups that name the agent), `wildcard`, `no_group`, `no_rules` (text that addresses no crawler), `empty`, `html`, `binary` (such a body that addresses no crawler), `http_status`, `too_complex`. This column and the following ones describe `verdict`.";
    root_allowed: Bool, "True if `/` may be fetched.";
    n_allow: Int, "The number of allow lines in the merged groups.";
    n_disallow: Int, "The number of disallow lines in the merged groups.";
    crawl_delay_ms: Long null, "The first valid crawl-delay of the user-agent lines with this name, in milliseconds, rounded up; it belongs only to the names directly above it.";
    evidence_line: Int null, "The line that proves the verdict: a rule that decides (for `allow_all` one that allows, otherwise one that disallows), or the first line of the group if no rule does.";
}}

impl Builder {
    /// Adds the rows of a capture, column by column.
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        let is_utf8 = analysis.is_valid_utf8();
        let count = analysis.verdicts.len();
        if count == 0 {
            return;
        }
        self.robots_id
            .append_repeated(Some(analysis.robots_id), count);
        self.is_robots_path
            .append_repeated(Some(analysis.capture.is_robots_path), count);
        let rows = || analysis.verdicts.iter();
        let texts = &mut self.texts;
        self.agent
            .extend(rows().map(|verdict| texts.intern_body_text(verdict.agent, is_utf8)));
        self.verdict
            .extend(rows().map(|verdict| texts.intern_static(verdict.verdict.name())));
        self.verdict_google
            .extend(rows().map(|verdict| texts.intern_static(verdict.verdict_google.name())));
        self.verdict_rfc9309
            .extend(rows().map(|verdict| texts.intern_static(verdict.verdict_rfc9309.name())));
        self.verdict_koster1996
            .extend(rows().map(|verdict| texts.intern_static(verdict.verdict_koster1996.name())));
        self.basis
            .extend(rows().map(|verdict| texts.intern_static(verdict.basis.name())));
        self.root_allowed
            .extend(rows().map(|verdict| verdict.is_root_allowed));
        self.n_allow
            .extend(rows().map(|verdict| saturating_i32(verdict.n_allow)));
        self.n_disallow
            .extend(rows().map(|verdict| saturating_i32(verdict.n_disallow)));
        self.crawl_delay_ms
            .extend_options(rows().map(|verdict| verdict.crawl_delay_ms));
        self.evidence_line
            .extend_options(rows().map(|verdict| line_no_value(verdict.evidence_line)));
        self.end_rows(count);
    }
}
