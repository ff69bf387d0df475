//! Reads the text of a capture from the tables: its stored body, or the lines that have rows.

use crate::captures::LineLimit;
use dataset::{
    CaptureFilter, Dataset, DirectiveLine, GroupLine, Row, Rows, RuleLine, WrittenLine, row,
};
use disk::error::Error;
use escapes::unescape_body;
use std::collections::BTreeMap;
use tables::Table;

/// The key that sitemap lines are shown with, because the table `sitemaps` does not store their key.
const SITEMAP_KEY: &str = "Sitemap";

row! {
    struct StoredBody<'a> of Table::ROBOTS_FILES {
        body: Option<&'a str>,
    }
}

row! {
    struct SitemapLine<'a> of Table::SITEMAPS {
        line_no: u32,
        sitemap_raw: Option<&'a str>,
        sitemap_url: Option<&'a str>,
    }
}

impl<'a> SitemapLine<'a> {
    fn written(&self) -> WrittenLine<'a> {
        WrittenLine {
            line_no: self.line_no,
            key: SITEMAP_KEY,
            has_colon: true,
            value: self.sitemap_raw.or(self.sitemap_url).unwrap_or_default(),
        }
    }
}

/// The rows of a capture in a dataset of one crawl.
pub(super) struct CaptureRows<'d> {
    dataset: &'d Dataset,
    robots_id: i64,
}

impl<'d> CaptureRows<'d> {
    pub(super) fn new(dataset: &'d Dataset, robots_id: i64) -> Self {
        Self { dataset, robots_id }
    }

    /// Opens the rows of the capture in a table.
    fn rows<R: Row>(&self) -> Result<Rows<'d, R>, Error> {
        self.dataset.filtered_rows(CaptureFilter::One {
            crawl: 0,
            robots_id: self.robots_id,
        })
    }

    /// Reads the column `body`. Returns `None` if the dataset has no bodies.
    pub(super) fn read_body(&self, is_valid_utf8: bool) -> Result<Option<Vec<u8>>, Error> {
        let mut rows = self.rows::<StoredBody<'_>>()?;
        let body = rows.next_record()?.and_then(|row| row.body);
        Ok(body.map(|text| unescape_body(text, is_valid_utf8).into_owned()))
    }

    /// Reads the lines that have rows, by their line numbers. Tables in `missing_tables` are skipped.
    ///
    /// # Errors
    ///
    /// Those of reading and of [`LineLimit::count`].
    pub(super) fn read_lines(
        &self,
        missing_tables: &[Table],
        mut limit: LineLimit<'_>,
    ) -> Result<BTreeMap<u32, String>, Error> {
        let mut lines = BTreeMap::new();
        let mut insert = |line: WrittenLine<'_>| {
            let text = line.text();
            limit.count(1, text.len())?;
            lines.insert(line.line_no, text);
            Ok::<(), Error>(())
        };
        let mut groups = self.rows::<GroupLine<'_>>()?;
        while let Some(line) = groups.next_record()? {
            insert(line.written())?;
        }
        let mut rules = self.rows::<RuleLine<'_>>()?;
        while let Some(line) = rules.next_record()? {
            insert(line.written())?;
        }
        if !missing_tables.contains(&Table::SITEMAPS) {
            let mut sitemaps = self.rows::<SitemapLine<'_>>()?;
            while let Some(line) = sitemaps.next_record()? {
                insert(line.written())?;
            }
        }
        if !missing_tables.contains(&Table::DIRECTIVES) {
            let mut directives = self.rows::<DirectiveLine<'_>>()?;
            while let Some(line) = directives.next_record()? {
                insert(line.written())?;
            }
        }
        Ok(lines)
    }
}
