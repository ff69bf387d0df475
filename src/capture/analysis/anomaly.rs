//! Anomalies of a capture and of its body, in the form of the table `anomalies`.

use crate::anomaly::CaptureAnomalyKind;
use robots::{AnomalyKind, Directive, Severity};

/// An anomaly of a capture or of its body.
#[derive(Clone, Copy, Debug)]
pub struct CaptureAnomaly<'a> {
    /// The line, from 1, or `None` for an anomaly of the whole file, its response or its record.
    pub line_no: Option<u32>,
    /// The code, which never changes.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// True if reading this line strictly changes a verdict; false if the line was not read
    /// leniently; `None` if the work limit was exceeded.
    pub changes_verdict: Option<bool>,
    /// The bytes that have the anomaly.
    pub detail: &'a [u8],
}

impl CaptureAnomaly<'_> {
    /// Returns an anomaly of the record, the URL or the response.
    pub fn of_capture(kind: CaptureAnomalyKind) -> Self {
        Self {
            line_no: None,
            code: kind.code(),
            severity: kind.severity(),
            changes_verdict: Some(false),
            detail: b"",
        }
    }
}

impl<'a> CaptureAnomaly<'a> {
    /// Returns an anomaly of the body as a whole.
    pub fn of_file(kind: AnomalyKind) -> Self {
        Self {
            line_no: None,
            code: kind.code(),
            severity: kind.severity(),
            changes_verdict: Some(false),
            detail: b"",
        }
    }

    /// Returns an anomaly of a line.
    pub(crate) fn of_line(line: &Directive, kind: AnomalyKind, detail: &'a [u8]) -> Self {
        Self {
            line_no: Some(line.line_no),
            code: kind.code(),
            severity: kind.severity(),
            changes_verdict: Some(false),
            detail,
        }
    }
}
