//! The table `anomalies`.

use super::{column::table, line_no};
use crate::analysis::CaptureAnalysis;

table! { "One row per anomaly: a leniency of the parser, or something that the author probably did not intend." {
    robots_id: Long, "The capture.";
    surt_host_name: Text null, "The host of the capture, as in `robots_files`.";
    line_no: Int null, "The line number, from 1; null if the anomaly concerns the whole file, its response or its record.";
    code: Text, "The permanent code of the anomaly; `robots-scan schema --anomalies` lists all codes.";
    severity: Text, "The severity for the author of the file: `info`, `warning`, `error`.";
    changes_verdict: Bool null, "True if reading this one line according to RFC 9309's grammar, with all other lines unchanged, gives `*` or any name in the file another `verdict`. False for anomalies that are not a leniency of the parser; null if a work limit was exceeded.";
    detail: Text, "The bytes that caused the anomaly, at most 200; may be empty.";
}}

/// The bytes of a detail that are kept.
const MAX_DETAIL_BYTES: usize = 200;

impl Builder {
    /// Adds the rows of a capture.
    pub(crate) fn push(&mut self, analysis: &CaptureAnalysis<'_>) {
        let is_utf8 = analysis.is_valid_utf8();
        let count = analysis.anomaly_count();
        if count == 0 {
            return;
        }
        let host = analysis.surt_host_name();
        let host = host.map(|host| self.texts.intern(host));
        self.robots_id.fill(Some(analysis.robots_id), count);
        self.surt_host_name.fill(host, count);
        for anomaly in analysis.anomalies() {
            self.line_no.append_option(line_no(anomaly.line_no));
            let texts = &mut self.texts;
            self.code.append_value(texts.intern_static(anomaly.code));
            self.severity
                .append_value(texts.intern_static(anomaly.severity.name()));
            self.changes_verdict.append_option(anomaly.changes_verdict);
            self.detail
                .append_value(texts.intern_body_text(shorten(anomaly.detail), is_utf8));
        }
        self.end_rows(count);
    }
}

/// Truncates a detail, if possible at a character boundary.
fn shorten(detail: &[u8]) -> &[u8] {
    let mut len = detail.len().min(MAX_DETAIL_BYTES);
    while len < detail.len() && len > MAX_DETAIL_BYTES - 4 && detail[len] & 0xc0 == 0x80 {
        len -= 1;
    }
    &detail[..len]
}
