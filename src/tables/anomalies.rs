use super::column::{Expression, sql_literal};
use super::record_rows::RowInput;
use super::value::{BodyText, Constant};
use crate::table;
use capture::analysis::AnomalyRow;
use capture::anomaly::CaptureAnomalyKind;
use robots::{AnomalyKind, Severity};

table! { per_capture "One row per anomaly: a leniency of the parser, or something that the author probably did not intend."
row(robots_id: i64, anomaly: &AnomalyRow<'_>, is_valid_utf8: bool) {} {
    robots_id: Long delta, "The capture." = robots_id;
    line_no: Int null delta, "The line number, from 1; null if the anomaly concerns the whole file, its response or its record." = anomaly.line_no;
    code: Text, "The permanent code of the anomaly; `robots-scan schema --anomalies` lists all codes." = Constant(anomaly.code);
    changes_verdict: Bool null, "True if reading this one line according to RFC 9309's grammar, with all other lines unchanged, gives `*` or any name in the file another `verdict`. False for anomalies that are not a leniency of the parser; null if a work limit was exceeded." = anomaly.changes_verdict;
    detail: Text, "The bytes that caused the anomaly, at most 200; may be empty." = BodyText(shorten(anomaly.detail), is_valid_utf8);
} derived {
    severity: Text, "The severity for the author of the file: `info`, `warning`, `error`." => Expression::Generated(severity_sql);
}}

/// Returns an SQL expression that gives the severity of a code.
fn severity_sql() -> String {
    let body_codes = AnomalyKind::ALL.iter();
    let body_codes = body_codes.map(|kind| (kind.code(), kind.severity()));
    let capture_codes = CaptureAnomalyKind::ALL.iter();
    let capture_codes = capture_codes.map(|kind| (kind.code(), kind.severity()));
    let all: Vec<_> = body_codes.chain(capture_codes).collect();
    let codes = |severity: Severity| {
        let codes = all
            .iter()
            .filter(|(_, code_severity)| *code_severity == severity);
        let codes: Vec<String> = codes.map(|(code, _)| sql_literal(code)).collect();
        codes.join(", ")
    };
    format!(
        "CASE WHEN code IN ({}) THEN 'error' WHEN code IN ({}) THEN 'warning' ELSE 'info' END",
        codes(Severity::Error),
        codes(Severity::Warning)
    )
}

/// The limit of the length of a detail, in bytes.
const MAX_DETAIL_BYTES: usize = 200;

impl Builder {
    pub(crate) fn push(&mut self, capture: &RowInput<'_>) {
        let analysis = capture.analysis;
        for anomaly in analysis.anomalies() {
            self.push_row(analysis.robots_id, &anomaly, analysis.is_valid_utf8());
        }
    }
}

/// Truncates a detail to [`MAX_DETAIL_BYTES`], at a character boundary if it is UTF-8.
fn shorten(detail: &[u8]) -> &[u8] {
    let mut len = detail.len().min(MAX_DETAIL_BYTES);
    while len < detail.len() && len > MAX_DETAIL_BYTES - 4 && detail[len] & 0xc0 == 0x80 {
        len -= 1;
    }
    &detail[..len]
}
