//! Reads the text of a capture from the tables: its stored body, or the lines that have rows.

use super::line_limit::LineLimit;
use arrow_array::{Array, Int32Array, Int64Array, RecordBatch, StringArray};
use dataset::{CaptureFilter, Dataset, column};
use disk::error::Error;
use escapes::unescape_body;
use history::policy_file::compose_line;
use std::collections::BTreeMap;
use tables::Table;

/// The key that sitemap lines are shown with, because the table `sitemaps` does not store their key.
const SITEMAP_KEY: &str = "Sitemap";

/// The rows of a capture in a dataset of one crawl.
pub(super) struct CaptureRows<'d> {
    dataset: &'d Dataset,
    robots_id: i64,
}

impl<'d> CaptureRows<'d> {
    pub(super) fn new(dataset: &'d Dataset, robots_id: i64) -> Self {
        Self { dataset, robots_id }
    }

    fn filter(&self) -> CaptureFilter {
        CaptureFilter::One {
            crawl: 0,
            robots_id: self.robots_id,
        }
    }

    /// Calls `each` for every row of the capture in a table, with the batch and the index of the row in it.
    fn for_each_row(
        &self,
        table: Table,
        columns: &[&str],
        each: &mut dyn FnMut(&RecordBatch, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let read_batch = &mut |_, batch: &RecordBatch| {
            let ids = column::<Int64Array>(batch, "robots_id")?;
            let mut rows = 0..batch.num_rows();
            rows.try_for_each(|row| match ids.value(row) == self.robots_id {
                true => each(batch, row),
                false => Ok(()),
            })
        };
        self.dataset
            .read(table, columns, &self.filter(), read_batch)
    }

    /// Reads the column `body`. Returns `None` if the dataset has no bodies.
    pub(super) fn read_body(&self, is_valid_utf8: bool) -> Result<Option<Vec<u8>>, Error> {
        let mut body = None;
        let columns = ["robots_id", "body"];
        self.for_each_row(Table::ROBOTS_FILES, &columns, &mut |batch, row| {
            let text = text_value(batch, "body", row)?;
            body = text.map(|text| unescape_body(text, is_valid_utf8).into_owned());
            Ok(())
        })?;
        Ok(body)
    }

    /// Reads the lines that have rows, by their line numbers. Tables in `missing_tables` are skipped.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::read`] and of [`LineLimit::count`].
    pub(super) fn read_lines(
        &self,
        missing_tables: &[Table],
        mut limit: LineLimit<'_>,
    ) -> Result<BTreeMap<u32, String>, Error> {
        let mut lines = BTreeMap::new();
        let mut insert = |line_no, text: String| {
            limit.count(1, text.len())?;
            lines.insert(line_no, text);
            Ok(())
        };
        self.dataset
            .read_lines(&self.filter(), &mut |_, robots_id, line| {
                if robots_id == self.robots_id {
                    let text = compose_line(line.key_raw, line.has_colon, line.value_raw);
                    insert(line.line_no, text)?;
                }
                Ok(())
            })?;
        if !missing_tables.contains(&Table::SITEMAPS) {
            let columns = ["robots_id", "line_no", "sitemap_raw", "sitemap_url"];
            self.for_each_row(Table::SITEMAPS, &columns, &mut |batch, row| {
                let value = match text_value(batch, "sitemap_raw", row)? {
                    Some(value) => Some(value),
                    None => text_value(batch, "sitemap_url", row)?,
                };
                let line = compose_line(SITEMAP_KEY, true, value.unwrap_or_default());
                insert(line_no_value(batch, row)?, line)
            })?;
        }
        if !missing_tables.contains(&Table::DIRECTIVES) {
            let columns = [
                "robots_id",
                "line_no",
                "directive",
                "directive_raw",
                "value",
            ];
            self.for_each_row(Table::DIRECTIVES, &columns, &mut |batch, row| {
                let key = match text_value(batch, "directive_raw", row)? {
                    Some(key) => Some(key),
                    None => text_value(batch, "directive", row)?,
                };
                let value = text_value(batch, "value", row)?.unwrap_or_default();
                let line = compose_line(key.unwrap_or_default(), true, value);
                insert(line_no_value(batch, row)?, line)
            })?;
        }
        Ok(lines)
    }
}

fn text_value<'b>(
    batch: &'b RecordBatch,
    name: &str,
    row: usize,
) -> Result<Option<&'b str>, Error> {
    let column = column::<StringArray>(batch, name)?;
    Ok(column.is_valid(row).then(|| column.value(row)))
}

fn line_no_value(batch: &RecordBatch, row: usize) -> Result<u32, Error> {
    let number = column::<Int32Array>(batch, "line_no")?.value(row);
    Ok(u32::try_from(number).unwrap_or_default())
}
