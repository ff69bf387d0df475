//! Anomalies of the record, the URL and the HTTP response of a capture.
//!
//! Anomalies of the body are [`robots::AnomalyKind`]. Codes and descriptions of both are listed by
//! `robots-scan schema --anomalies`; codes never change.

use robots::Severity;

macro_rules! anomaly_kinds {
    ($($name:ident, $code:literal, $severity:ident, $about:literal;)*) => {
        /// The kind of an anomaly outside of the body.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CaptureAnomalyKind {
            $(#[doc = $about] $name,)*
        }

        impl CaptureAnomalyKind {
            /// All kinds, in the order of their definition.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the code used in the tables.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// Returns the severity, which is the same for all anomalies of a kind.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Returns the description, one sentence.
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => $about,)* }
            }
        }
    };
}

anomaly_kinds! {
    BadDate, "bad_date", Warning, "The date of the record is missing, unreadable or implausible; the time is null.";
    BadUrl, "bad_url", Warning, "The URL of the record cannot be parsed; its columns are null.";
    BadStatus, "bad_status", Error, "The status line is missing or unreadable; the fetch is treated as a server error.";
    StatusLineCut, "status_line_cut", Error, "The record ends before the status line of the response is complete, or has only an interim response (1xx); nothing is known of the file.";
    RedirectWithoutLocation, "redirect_without_location", Warning, "A redirect has no target that can be followed.";
    LengthQuirk, "length_quirk", Info, "The record is two bytes longer than it states and has an extra empty line before its payload, as Common Crawl wrote records in 2018; both are corrected.";
    HeadersCut, "headers_cut", Warning, "The response has more header fields than the limit (4,096) or a header field that exceeds the limit (64 KiB); the rest is not read.";
    HeaderSectionCut, "header_section_cut", Warning, "The record of a successful response ends before the empty line after the header fields; nothing is known of the file.";
    PartialContent, "partial_content", Warning, "The response (206) is not shown to have the whole file by `Content-Range`; only its whole lines count.";
    RecordCut, "record_cut", Warning, "The record is larger than the limit; the rest is not read.";
    PayloadTruncated, "payload_truncated", Warning, "The crawler truncated the payload; only its whole lines count, and if none is a rule of a group, nothing is known of the file.";
    ShortBody, "short_body", Warning, "Fewer bytes of the body are stored than the server announced; only whole lines count, and if none is a rule of a group, nothing is known of the file.";
    Misdeclared, "misdeclared_coding", Warning, "A header states a coding that the body does not have, an unknown coding, or more than eight; the body is kept unchanged.";
    CodingCut, "coding_cut", Warning, "The body ends before its coding is complete, is neither text nor has the coding that a header states, or decodes to more than the limit; only whole lines count, and if none is a rule of a group, nothing is known of the file.";
    UndeclaredGzip, "undeclared_gzip", Error, "The body is gzip without a header that states it; it is kept unchanged.";
    FetchFailed, "fetch_failed", Warning, "There was no response: the row of a table states that its fetch failed.";
    ChallengePage, "challenge_page", Error, "The response is a challenge that asks visitors to prove that they are human, by its header, or by its page unless the status is 404 or 410.";
}
