use columns::Interner;
use tables::table;

table! { "One row per host and crawl with a capture of its robots.txt: when and where the authoritative capture was made, and the period to which it belongs. Sorted by `surt_host_name`, then by time; a capture without a time has the place of the median time of its crawl." {
    capture_no: Long delta, "Key of the row: its number, from 0. The captures of a period are consecutive.";
    surt_host_name: Text, "The host, as in `hosts`.";
    crawl: Text, "The crawl.";
    fetch_time: Time null delta, "The time at which the authoritative capture was fetched (UTC).";
    archive_no: Long delta, "The archive of the capture: its row in `archives`, together with `crawl`.";
    warc_record_offset: Long delta, "The offset of the record in the archive, as in `robots_files`.";
    warc_record_in_member: Int, "The index of the record among those that share the offset, as in `robots_files`.";
    period_id: Long delta, "The period of the capture, in `host_periods`.";
}}

/// A row of `host_captures`.
#[allow(missing_docs, reason = "a field is the column of its name")]
#[derive(Clone, Copy, Debug)]
pub struct HostCaptureRow<'a> {
    pub capture_no: i64,
    pub surt_host_name: &'a str,
    pub crawl: &'a str,
    /// The place of the crawl, from 0.
    pub crawl_position: usize,
    /// Milliseconds since 1970.
    pub fetch_time: Option<i64>,
    pub archive_no: i64,
    pub warc_record_offset: i64,
    pub warc_record_in_member: i32,
    pub period_id: i64,
}

/// Builds rows of the table. The names of the current host and of all crawls are interned once in a batch.
#[derive(Debug, Default)]
pub struct HostCaptureRows {
    builder: Builder,
    /// The host of the last row.
    host: String,
    /// The id of the interned `host` in this batch; `None` at the start of a batch.
    host_id: Option<u32>,
    /// The ids of crawls in this batch, by their places.
    crawl_ids: Vec<Option<u32>>,
}

impl HostCaptureRows {
    /// Adds a row.
    pub fn push(&mut self, row: &HostCaptureRow<'_>) {
        let builder = &mut self.builder;
        let host = row.surt_host_name;
        if self.host != host {
            host.clone_into(&mut self.host);
            self.host_id = None;
        }
        let host_id = intern_once(&mut builder.texts, &mut self.host_id, host);
        if self.crawl_ids.len() <= row.crawl_position {
            self.crawl_ids.resize(row.crawl_position + 1, None);
        }
        let crawl_id = &mut self.crawl_ids[row.crawl_position];
        let crawl_id = intern_once(&mut builder.texts, crawl_id, row.crawl);
        builder.capture_no.append_value(row.capture_no);
        builder.surt_host_name.append_value(host_id);
        builder.crawl.append_value(crawl_id);
        builder.fetch_time.append_option(row.fetch_time);
        builder.archive_no.append_value(row.archive_no);
        builder
            .warc_record_offset
            .append_value(row.warc_record_offset);
        builder
            .warc_record_in_member
            .append_value(row.warc_record_in_member);
        builder.period_id.append_value(row.period_id);
        builder.end_rows(1);
    }

    /// Returns the number of rows since the last [`take`](Self::take).
    pub fn row_count(&self) -> usize {
        self.builder.cumulative_bytes.len()
    }

    /// Returns the rows of this batch and starts a new one.
    pub fn take(&mut self) -> columns::RowBatch {
        self.host_id = None;
        self.crawl_ids.clear();
        self.builder.take()
    }
}

/// Returns the id of a text in this batch, which is `known` if the text was interned before.
fn intern_once(texts: &mut Interner, known: &mut Option<u32>, text: &str) -> u32 {
    if let Some(id) = *known {
        texts.add_requested_bytes(text.len() as u64);
        return id;
    }
    *known.insert(texts.intern(text))
}
