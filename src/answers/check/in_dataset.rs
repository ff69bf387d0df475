//! The properties, the anomalies and the text of a capture of a dataset.

use super::capture_details;
use super::host::{CheckedCaptures, FoundDetails, StoredText};
use super::numbered_text::TextSource;
use super::report::{CaptureDetails, ReportedAnomaly};
use crate::captures::{Captures, DatasetCaptures, FoundCapture, LineLimit};
use dataset::error::DatasetDefect;
use dataset::{CaptureFilter, Dataset, Row, Rows, WrittenLine, row};
use errors::Error;
use escapes::unescape_body;
use std::collections::BTreeMap;
use std::path::Path;
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

row! {
    struct AnomalyRow<'a> of Table::ANOMALIES {
        line_no: Option<u32>,
        code: &'a str,
        changes_verdict: Option<bool>,
    }
}

impl CheckedCaptures for DatasetCaptures<'_> {
    fn details(&self, found: &FoundCapture<Self>) -> Result<FoundDetails, Error> {
        let dataset = self.context.dataset;
        let (id, rules_id) = (found.capture.id, found.place.id);
        let read = |id| {
            let details = capture_details::read(dataset, id)?;
            details.ok_or_else(|| {
                DatasetDefect::other("its captures changed while they were read")
                    .error(dataset.root())
            })
        };
        Ok(FoundDetails {
            capture: read(id)?,
            rules_capture: if rules_id == id {
                None
            } else {
                Some(read(rules_id)?)
            },
            redirects_without_place: 0,
        })
    }

    fn anomalies(
        &self,
        found: &FoundCapture<Self>,
        path: &Path,
    ) -> Result<Option<Vec<ReportedAnomaly>>, Error> {
        if !Dataset::has_table(self.context.dataset.root(), Table::ANOMALIES)? {
            return Ok(None);
        }
        let (mut limit, mut anomalies) = (LineLimit::new(path), Vec::new());
        let mut rows = self.rows_of::<AnomalyRow<'_>>(found)?;
        while let Some(row) = rows.next_record()? {
            limit.take(1, 0)?;
            anomalies.push(ReportedAnomaly::new(
                row.line_no,
                row.code,
                row.changes_verdict,
            ));
        }
        Ok(Some(anomalies))
    }

    fn text(
        &self,
        found: &FoundCapture<Self>,
        deciding: &CaptureDetails,
    ) -> Result<StoredText, Error> {
        let (dataset, place) = (self.context.dataset, found.place);
        let details = deciding.body.as_ref();
        let details = details.expect("only a capture with a body has a text");
        let mut bodies = self.rows_of::<StoredBody<'_>>(found)?;
        if let Some(body) = bodies.next_record()?.and_then(|row| row.body) {
            let body = unescape_body(body, details.is_valid_utf8).into_owned();
            return Ok(StoredText::Body(body));
        }
        let (mut limit, mut lines) = (LineLimit::new(dataset.root()), BTreeMap::new());
        let mut insert = |line: WrittenLine<'_>| {
            let text = line.text();
            limit.take(1, text.len())?;
            lines.insert(line.line_no, text);
            Ok::<(), Error>(())
        };
        let mut rules = self.open_rules(&[place])?;
        for line in rules.read_capture(place.id.robots_id)? {
            insert(line.written())?;
        }
        let mut missing_tables = Vec::new();
        for table in [Table::SITEMAPS, Table::DIRECTIVES] {
            if !Dataset::has_table(dataset.root(), table)? {
                missing_tables.push(table);
            }
        }
        if !missing_tables.contains(&Table::SITEMAPS) {
            let mut sitemaps = self.rows_of::<SitemapLine<'_>>(found)?;
            while let Some(line) = sitemaps.next_record()? {
                insert(line.written())?;
            }
        }
        Ok(StoredText::Lines {
            source: TextSource::Rows,
            lines,
            missing_tables: missing_tables.into_iter().map(Table::name).collect(),
        })
    }
}

impl DatasetCaptures<'_> {
    /// Opens the rows of the capture whose rules apply in a table.
    fn rows_of<R: Row>(&self, found: &FoundCapture<Self>) -> Result<Rows<'_, R>, Error> {
        let id = found.place.id;
        self.context.dataset.filtered_rows(CaptureFilter::One {
            crawl: id.crawl,
            robots_id: id.robots_id,
        })
    }
}
