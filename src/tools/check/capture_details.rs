//! The properties of one capture, read from `robots_files`.

use arrow_array::{
    Array, BooleanArray, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use dataset::resolve::CaptureId;
use dataset::tables::Table;
use dataset::{CaptureFilter, Dataset, column};
use disk::error::Error;
use warc::RecordLocation;

/// The properties of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureDetails {
    /// The URL.
    pub target_uri: String,
    /// The fetch time, in milliseconds since 1970.
    pub fetch_time: Option<i64>,
    /// The HTTP status.
    pub fetch_status: Option<i16>,
    /// The target of a redirect.
    pub fetch_redirect: Option<String>,
    /// Its record.
    pub record: RecordDetails,
    /// Its body; `None` unless that was parsed as a robots.txt file.
    pub body: Option<BodyDetails>,
    /// Its crawl.
    pub crawl: String,
    /// Its key in the crawl.
    pub robots_id: i64,
}

/// The properties of the record of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordDetails {
    /// The archive.
    pub warc_filename: String,
    /// The location in the archive.
    pub location: RecordLocation,
    /// SHA-1 of the payload in base32.
    pub content_digest: Option<String>,
    /// True for a revisit record.
    pub is_revisit: bool,
    /// True if the record failed a check when it was scanned; `None` if this is unknown.
    pub is_doubtful: Option<bool>,
}

/// The properties of the body of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyDetails {
    /// The size of the decoded body in bytes.
    pub bytes: u64,
    /// The number of lines, including a last empty one.
    pub n_lines: u32,
    /// True if the body is valid UTF-8.
    pub is_valid_utf8: bool,
}

const COLUMNS: [&str; 15] = [
    "robots_id",
    "url",
    "fetch_time",
    "fetch_status",
    "fetch_redirect",
    "content_digest",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
    "warc_record_in_member",
    "is_revisit",
    "body_bytes",
    "n_lines",
    "is_valid_utf8",
    "is_doubtful",
];

impl CaptureDetails {
    /// Reads the properties of a capture; `None` if it is not in the dataset.
    pub(super) fn read(dataset: &Dataset, id: CaptureId) -> Result<Option<Self>, Error> {
        let mut found = None;
        let filter = CaptureFilter::One {
            crawl: id.crawl,
            robots_id: id.robots_id,
        };
        dataset.read(
            Table::RobotsFiles,
            &COLUMNS,
            &filter,
            &mut |crawl, batch| {
                let ids = column::<Int64Array>(batch, "robots_id")?.values().iter();
                let mut ids = ids.map(|&robots_id| CaptureId { crawl, robots_id });
                if let Some(row) = ids.position(|capture| capture == id) {
                    let crawl = &dataset.crawls()[crawl as usize];
                    found = Some(Self::of_row(&Row { batch, row }, crawl, id.robots_id)?);
                }
                Ok(())
            },
        )?;
        Ok(found)
    }

    fn of_row(row: &Row<'_>, crawl: &str, robots_id: i64) -> Result<Self, Error> {
        let text = |name: &str| row.text(name).map(Option::unwrap_or_default);
        Ok(Self {
            target_uri: text("url")?,
            fetch_time: row.time("fetch_time")?,
            fetch_status: row.short("fetch_status")?,
            fetch_redirect: row.text("fetch_redirect")?,
            record: RecordDetails {
                warc_filename: text("warc_filename")?,
                location: RecordLocation {
                    offset: row.long("warc_record_offset")?.unwrap_or_default(),
                    length: row.long("warc_record_length")?,
                    index_in_member: row.int("warc_record_in_member")?.unwrap_or_default(),
                },
                content_digest: row.text("content_digest")?,
                is_revisit: row.flag("is_revisit")?.unwrap_or_default(),
                is_doubtful: row.flag("is_doubtful")?,
            },
            body: match (
                row.long("body_bytes")?,
                row.int("n_lines")?,
                row.flag("is_valid_utf8")?,
            ) {
                (Some(bytes), Some(n_lines), Some(is_valid_utf8)) => Some(BodyDetails {
                    bytes,
                    n_lines,
                    is_valid_utf8,
                }),
                _ => None,
            },
            crawl: crawl.to_owned(),
            robots_id,
        })
    }
}

/// A row of a batch.
struct Row<'b> {
    batch: &'b RecordBatch,
    row: usize,
}

impl Row<'_> {
    /// Returns a column, unless its value is null.
    fn column<T: Array + 'static>(&self, name: &str) -> Result<Option<&T>, Error> {
        let column = column::<T>(self.batch, name)?;
        Ok(column.is_valid(self.row).then_some(column))
    }

    fn text(&self, name: &str) -> Result<Option<String>, Error> {
        let column = self.column::<StringArray>(name)?;
        Ok(column.map(|column| column.value(self.row).to_owned()))
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, Error> {
        let column = self.column::<BooleanArray>(name)?;
        Ok(column.map(|column| column.value(self.row)))
    }

    fn time(&self, name: &str) -> Result<Option<i64>, Error> {
        let column = self.column::<TimestampMillisecondArray>(name)?;
        Ok(column.map(|column| column.value(self.row)))
    }

    fn short(&self, name: &str) -> Result<Option<i16>, Error> {
        let column = self.column::<Int16Array>(name)?;
        Ok(column.map(|column| column.value(self.row)))
    }

    /// Returns a number that no scan writes below zero; `None` if it is.
    fn int(&self, name: &str) -> Result<Option<u32>, Error> {
        let column = self.column::<Int32Array>(name)?;
        Ok(column.and_then(|column| u32::try_from(column.value(self.row)).ok()))
    }

    /// The same for a column of large numbers.
    fn long(&self, name: &str) -> Result<Option<u64>, Error> {
        let column = self.column::<Int64Array>(name)?;
        Ok(column.and_then(|column| u64::try_from(column.value(self.row)).ok()))
    }
}
