//! The table that `match` writes, `matches`.

use super::column::table;
use crate::parquet_writer::RowBatch;

table! { "One row per URL and agent asked for, in the order of the list of URLs. It is no part of a dataset: `robots-scan match` writes it." {
    url: PlainText, "The URL as it stands in the list, without blanks around it; bytes that are not UTF-8 as `\\xHH`.";
    agent: Text, "The crawler's name, as asked.";
    robots_id: Long null, "The capture that held the rules, or whose status decided: where a redirect was followed, the one at its end; where a revisit was filled, the one that fills it. A redirect is followed only to captures that are not later than the row's time; what fills a revisit may be later, as its bytes are the same. Null if the data has no capture for the URL's origin.";
    access: Text, "`allowed` or `disallowed`; `unknown` where it cannot be told.";
    line_no: Int null, "The line of the rule that decided, in the file of `robots_id`; under Google's rules the one that its parser reports. Null where no rule matches, and where a status decided.";
    basis: Text, "What `access` rests on. As in `verdicts`, for the reading that was asked: `explicit`, `wildcard`, `no_group`, `no_rules`, `http_status`. A crawler that ignores `*` (`AdsBot-Google`) has `no_group` also for a file without groups. `http_status` and `unknown`: nothing decidable was fetched. Besides: `no_capture`, none of the URL's origin at that time; `bad_url`, no absolute URL with a host, or one that only a browser would mend (`https:/`, a backslash or line end in it), or of more than 1 MiB, where it is cut; `bad_time`, a time of the list that cannot be read.";
    crawl: Text null, "The crawl of `robots_id`: join other tables `USING (crawl, robots_id)`.";
}}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchRow<'a> {
    pub(crate) url: &'a str,
    pub(crate) agent: &'a str,
    pub(crate) access: &'static str,
    pub(crate) line_no: Option<u32>,
    pub(crate) basis: &'static str,
    /// The crawl and the `robots_id` of the capture.
    pub(crate) capture: Option<(&'a str, i64)>,
}

/// Builds rows of the table.
#[derive(Debug, Default)]
pub(crate) struct MatchRows {
    builder: Builder,
    rows: usize,
}

impl MatchRows {
    /// Adds a row.
    pub(crate) fn push(&mut self, row: &MatchRow<'_>) {
        let builder = &mut self.builder;
        builder.url.append_value(row.url);
        builder.agent.append_value(builder.texts.intern(row.agent));
        builder
            .robots_id
            .append_option(row.capture.map(|(_, id)| id));
        builder
            .access
            .append_value(builder.texts.intern_static(row.access));
        builder.line_no.append_option(super::line_no(row.line_no));
        builder
            .basis
            .append_value(builder.texts.intern_static(row.basis));
        builder
            .crawl
            .append_option(row.capture.map(|(crawl, _)| builder.texts.intern(crawl)));
        builder.end_rows(1);
        self.rows += 1;
    }

    /// Returns the number of rows since the last batch.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the rows and starts a new batch.
    pub(crate) fn take(&mut self) -> RowBatch {
        self.rows = 0;
        self.builder.take()
    }
}
