//! The table `verdicts`.

use super::{column::table, int, line_no};
use crate::analysis::CaptureAnalysis;

table! { repeated "One row per capture and name: `*` for every capture, and every whole name and token that the file holds." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null bloom_filter, "Its host, as in `robots_files`.";
    is_robots_path: Bool, "As in `robots_files`.";
    agent: Text bloom_filter, "A whole name or a token, lower-cased, as in `groups`; `*` for everybody else.";
    verdict: Text, "`disallow_all`, `partial`, `allow_all` or `unknown`: Google's rules and status table, with names compared whole. The macros `verdicts_for` and `verdicts_in` fill in names that the file does not hold.";
    verdict_google: Text, "The same as Google's parser decides it for a crawler that calls itself by `agent`.";
    verdict_rfc9309: Text, "The same by RFC 9309, for a crawler that calls itself by `agent`, taken as it stands; by that dialect's own table of statuses.";
    verdict_koster1996: Text, "The same by Koster's draft of 1996.";
    basis: Text, "What `verdict` rests on: `explicit` (groups that name it), `wildcard`, `no_group`, `no_rules`, `http_status`, `too_complex`. This and what follows speak of `verdict`.";
    root_allowed: Bool, "Whether `/` may be fetched.";
    n_allow: Int, "Allow lines that were merged.";
    n_disallow: Int, "Disallow lines that were merged.";
    crawl_delay: Double null, "The first valid crawl-delay of the groups, in seconds.";
    evidence_line: Int null, "The line that shows the verdict: the deciding rule, else the group's first line.";
}}

impl Builder {
    /// Adds the rows of a capture, column by column.
    pub(crate) fn push(&mut self, analysis: &CaptureAnalysis<'_>) {
        let is_utf8 = analysis.is_valid_utf8();
        let count = analysis.verdicts.len();
        if count == 0 {
            return;
        }
        self.fill_capture(analysis, count);
        self.is_robots_path
            .fill(Some(analysis.capture.is_robots_path), count);
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
            .extend(rows().map(|verdict| int(verdict.n_allow)));
        self.n_disallow
            .extend(rows().map(|verdict| int(verdict.n_disallow)));
        self.crawl_delay
            .extend_options(rows().map(|verdict| verdict.crawl_delay));
        self.evidence_line
            .extend_options(rows().map(|verdict| line_no(verdict.evidence_line)));
        self.end_rows(count);
    }
}
