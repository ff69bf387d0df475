//! The properties of one capture, read from `robots_files`.

use arrow_array::{Int32Array, Int64Array};
use dataset::{CaptureFilter, Dataset, StoredColumns, stored_columns, value};
use disk::error::Error;
use hosts::CaptureId;
use tables::Table;
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

stored_columns! {
    /// The columns that describe a capture.
    struct CaptureColumns of Table::ROBOTS_FILES {
        robots_id: Long,
        url: Text,
        fetch_time: Time,
        fetch_status: Short,
        fetch_redirect: Text,
        content_digest: Text,
        warc_filename: Text,
        warc_record_offset: Long,
        warc_record_length: Long,
        warc_record_in_member: Int,
        is_revisit: Bool,
        body_bytes: Long,
        n_lines: Int,
        is_valid_utf8: Bool,
        is_doubtful: Bool,
    }
}

impl CaptureDetails {
    /// Reads the properties of a capture. Returns `None` if the dataset does not have the capture.
    pub(super) fn read(dataset: &Dataset, id: CaptureId) -> Result<Option<Self>, Error> {
        let mut found = None;
        let filter = CaptureFilter::One {
            crawl: id.crawl,
            robots_id: id.robots_id,
        };
        let (table, names) = (Table::ROBOTS_FILES, CaptureColumns::NAMES);
        dataset.read(table, names, &filter, &mut |crawl, batch| {
            let columns = CaptureColumns::from_batch(batch)?;
            let ids = columns.robots_id.values().iter();
            let mut ids = ids.map(|&robots_id| CaptureId { crawl, robots_id });
            if let Some(row) = ids.position(|capture| capture == id) {
                let crawl = &dataset.crawls()[crawl as usize];
                found = Some(Self::from_row(&columns, row, crawl));
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn from_row(columns: &CaptureColumns, row: usize, crawl: &str) -> Self {
        let text = |column| value(column, row).map(str::to_owned);
        let body = (
            non_negative_long(&columns.body_bytes, row),
            non_negative_int(&columns.n_lines, row),
            value(&columns.is_valid_utf8, row),
        );
        Self {
            target_uri: text(&columns.url).unwrap_or_default(),
            fetch_time: value(&columns.fetch_time, row),
            fetch_status: value(&columns.fetch_status, row),
            fetch_redirect: text(&columns.fetch_redirect),
            record: RecordDetails {
                warc_filename: text(&columns.warc_filename).unwrap_or_default(),
                location: RecordLocation {
                    offset: non_negative_long(&columns.warc_record_offset, row).unwrap_or_default(),
                    length: non_negative_long(&columns.warc_record_length, row),
                    index_in_member: non_negative_int(&columns.warc_record_in_member, row)
                        .unwrap_or_default(),
                },
                content_digest: text(&columns.content_digest),
                is_revisit: value(&columns.is_revisit, row).unwrap_or_default(),
                is_doubtful: value(&columns.is_doubtful, row),
            },
            body: match body {
                (bytes @ Some(_), n_lines @ Some(_), Some(is_valid_utf8)) => Some(BodyDetails {
                    bytes,
                    n_lines,
                    is_valid_utf8,
                }),
                _ => None,
            },
            crawl: crawl.to_owned(),
            robots_id: Some(columns.robots_id.value(row)),
        }
    }
}

/// Returns the number in a row of a column; `None` if it is null or negative. No scan writes negative
/// numbers in these columns.
fn non_negative_int(column: &Int32Array, row: usize) -> Option<u32> {
    value(column, row).and_then(|number| u32::try_from(number).ok())
}

/// Returns the number in a row of a column of 64-bit numbers; `None` if it is null or negative.
fn non_negative_long(column: &Int64Array, row: usize) -> Option<u64> {
    value(column, row).and_then(|number| u64::try_from(number).ok())
}
