//! The properties of one capture, read from `robots_files`.

use super::report::{BodyDetails, CaptureDetails, RecordDetails};
use dataset::{CaptureFilter, Dataset, row};
use errors::Error;
use hosts::CaptureId;

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

/// Reads the properties of a capture. Returns `None` if the dataset does not have the capture.
pub(super) fn read(dataset: &Dataset, id: CaptureId) -> Result<Option<CaptureDetails>, Error> {
    let mut rows = dataset.filtered_rows::<CaptureRow<'_>>(CaptureFilter::One {
        crawl: id.crawl,
        robots_id: id.robots_id,
    })?;
    let crawl = &dataset.crawls()[id.crawl as usize];
    let row = rows.next_record()?;
    Ok(row.map(|row| from_row(&row, crawl)))
}

fn from_row(row: &CaptureRow<'_>, crawl: &str) -> CaptureDetails {
    let text = |value: Option<&str>| value.map(str::to_owned);
    // No scan writes negative numbers.
    let length = |number: i64| u64::try_from(number).ok();
    let body = (row.body_bytes, row.n_lines, row.is_valid_utf8);
    CaptureDetails {
        url: text(row.url).unwrap_or_default(),
        fetch_time: row.fetch_time,
        fetch_status: row.fetch_status,
        fetch_redirect: text(row.fetch_redirect),
        record: RecordDetails {
            warc_filename: row.warc_filename.to_owned(),
            warc_record_offset: length(row.warc_record_offset).unwrap_or_default(),
            warc_record_length: row.warc_record_length.and_then(length),
            warc_record_in_member: row.warc_record_in_member,
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
