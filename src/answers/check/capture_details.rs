//! The properties of one capture, read from `robots_files`.

use dataset::{CaptureFilter, Dataset, row};
use errors::Error;
use hosts::CaptureId;
use warc::RecordLocation;

/// The properties of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureDetails {
    /// The URL of the capture, from the column `url`.
    pub target_uri: String,
    /// The fetch time, in milliseconds since 1970.
    pub fetch_time: Option<i64>,
    /// The HTTP status; `None` if it cannot be read, and for resource records.
    pub fetch_status: Option<i16>,
    /// The absolute URL of the target, if the capture redirects to a valid one.
    pub fetch_redirect: Option<String>,
    /// The properties of its record.
    pub record: RecordDetails,
    /// The body of the capture; `None` unless it was parsed as a robots.txt file.
    pub body: Option<BodyDetails>,
    pub crawl: String,
    /// The key of the capture in the crawl; `None` in a history, which does not store these keys.
    pub robots_id: Option<i64>,
}

/// The properties of the record of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDetails {
    /// The name of the archive.
    pub warc_filename: String,
    /// The place of the record in the archive.
    pub location: RecordLocation,
    /// The SHA-1 of the payload in base32, from the column `content_digest`.
    pub content_digest: Option<String>,
    /// True if the record is a revisit.
    pub is_revisit: bool,
    /// True if the record failed a check when it was scanned; `None` if this is unknown.
    pub is_doubtful: Option<bool>,
}

/// The properties of the body of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyDetails {
    /// The size of the decoded body in bytes; `None` in a history.
    pub bytes: Option<u64>,
    /// The number of lines, including a last empty one; `None` in a history.
    pub n_lines: Option<u32>,
    /// True if the body is valid UTF-8.
    pub is_valid_utf8: bool,
}

row! {
    /// The columns that describe a capture.
    struct CaptureRow<'a> of Table::ROBOTS_FILES {
        robots_id: i64,
        url: Option<&'a str>,
        fetch_time: Option<i64>,
        fetch_status: Option<i16>,
        fetch_redirect: Option<&'a str>,
        content_digest: Option<&'a str>,
        warc_filename: &'a str,
        warc_record_offset: i64,
        warc_record_length: Option<i64>,
        warc_record_in_member: u32,
        is_revisit: bool,
        body_bytes: Option<i64>,
        n_lines: Option<u32>,
        is_valid_utf8: Option<bool>,
        is_doubtful: Option<bool>,
    }
}

impl CaptureDetails {
    /// Reads the properties of a capture. Returns `None` if the dataset does not have the capture.
    pub(super) fn read(dataset: &Dataset, id: CaptureId) -> Result<Option<Self>, Error> {
        let mut rows = dataset.filtered_rows::<CaptureRow<'_>>(CaptureFilter::One {
            crawl: id.crawl,
            robots_id: id.robots_id,
        })?;
        let crawl = &dataset.crawls()[id.crawl as usize];
        let row = rows.next_record()?;
        Ok(row.map(|row| Self::from_row(&row, crawl)))
    }

    fn from_row(row: &CaptureRow<'_>, crawl: &str) -> Self {
        let text = |value: Option<&str>| value.map(str::to_owned);
        // No scan writes negative numbers.
        let length = |number: i64| u64::try_from(number).ok();
        let body = (row.body_bytes, row.n_lines, row.is_valid_utf8);
        Self {
            target_uri: text(row.url).unwrap_or_default(),
            fetch_time: row.fetch_time,
            fetch_status: row.fetch_status,
            fetch_redirect: text(row.fetch_redirect),
            record: RecordDetails {
                warc_filename: row.warc_filename.to_owned(),
                location: RecordLocation {
                    offset: length(row.warc_record_offset).unwrap_or_default(),
                    length: row.warc_record_length.and_then(length),
                    index_in_member: row.warc_record_in_member,
                },
                content_digest: text(row.content_digest),
                is_revisit: row.is_revisit,
                is_doubtful: row.is_doubtful,
            },
            body: match body {
                (Some(bytes), n_lines @ Some(_), Some(is_valid_utf8)) => Some(BodyDetails {
                    bytes: length(bytes),
                    n_lines,
                    is_valid_utf8,
                }),
                _ => None,
            },
            crawl: crawl.to_owned(),
            robots_id: Some(row.robots_id),
        }
    }
}
