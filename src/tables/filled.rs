//! Fills the columns `*_raw`, which are null in files where other columns determine their value.
//! Without these nulls, files of `crawl` are 23 % larger, those of `real-bodies` 27 %, and a scan executes 6 to 7 %
//! more instructions (docs/developers/performance.md has the corpora).
//!
//! Views compute the same values in SQL, by the expressions in the declarations of the columns. The functions
//! here compute them for rows that are passed on without files. If you change a function, also change the
//! expression: `tests/python/test_streams.py` compares their results.

use super::Table;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use std::sync::Arc;

/// Fills the columns that are null in files because other columns give their values. `rows` have
/// the stored columns of the table.
///
/// # Errors
///
/// Returns an error if the texts of a column exceed 2 GiB.
pub fn fill_null_columns(table: Table, rows: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns: &[(&str, ComputeColumn)] = match table {
        _ if table == Table::GROUPS => &[("key_raw", agent_key_raw), ("agent_raw", agent_raw)],
        _ if table == Table::RULES => &[("path_raw", path_raw), ("key_raw", rule_key_raw)],
        _ if table == Table::DIRECTIVES => &[("directive_raw", directive_raw)],
        _ if table == Table::SITEMAPS => &[("sitemap_raw", sitemap_raw)],
        _ => return Ok(rows),
    };
    let schema = rows.schema();
    let mut arrays = rows.columns().to_vec();
    for (name, compute) in columns {
        arrays[schema.index_of(name)?] = compute(&FileRows(&rows));
    }
    RecordBatch::try_new(schema, arrays)
}

/// Computes a column from stored columns.
type ComputeColumn = fn(&FileRows<'_>) -> ArrayRef;

/// Rows as they are in files, with the stored columns of a table.
struct FileRows<'a>(&'a RecordBatch);

impl<'a> FileRows<'a> {
    fn column(&self, name: &str) -> &'a ArrayRef {
        let column = self.0.column_by_name(name);
        column.expect("rows have the columns of their table")
    }

    fn texts(&self, name: &str) -> &'a StringArray {
        self.column(name).as_string()
    }

    /// Returns the texts of a column, and for nulls what `other` returns for the row.
    fn coalesce<'t>(
        &self,
        name: &str,
        other: impl Fn(usize) -> Option<&'t str>,
    ) -> impl Iterator<Item = Option<&'t str>>
    where
        'a: 't,
    {
        let stored = self.texts(name).iter().enumerate();
        stored.map(move |(row, text)| text.or_else(|| other(row)))
    }

    /// Returns the texts of a column, and for nulls those of the column `other`.
    fn coalesce_columns(&self, name: &str, other: &str) -> ArrayRef {
        let other = self.texts(other);
        text_array(self.coalesce(name, |row| text_at(other, row)))
    }
}

fn text_array<'t>(texts: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    Arc::new(texts.collect::<StringArray>())
}

fn text_at(texts: &StringArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row))
}

fn agent_key_raw(rows: &FileRows<'_>) -> ArrayRef {
    text_array(rows.coalesce("key_raw", |_| Some("User-agent")))
}

fn agent_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("agent_raw", "agent")
}

fn path_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("path_raw", "path")
}

fn rule_key_raw(rows: &FileRows<'_>) -> ArrayRef {
    let allow = rows.column("allow").as_boolean();
    text_array(rows.coalesce("key_raw", |row| {
        Some(if allow.value(row) {
            "Allow"
        } else {
            "Disallow"
        })
    }))
}

fn directive_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("directive_raw", "directive")
}

fn sitemap_raw(rows: &FileRows<'_>) -> ArrayRef {
    rows.coalesce_columns("sitemap_raw", "sitemap_url")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows_from_body;
    use robots::ParseOptions;

    #[test]
    fn columns_that_are_null_in_files_are_filled() {
        let body = b"User-agent: Bot/1.0\nDisallow: /a\nALLOW: /%e3\nHost: x\n\
            Sitemap: http://www.a.com./s.xml\n";
        let column = |table, name: &str| {
            let rows = rows_from_body(body, ParseOptions::default(), table).unwrap();
            let column = rows.column_by_name(name).unwrap();
            column
                .as_string::<i32>()
                .iter()
                .map(|text| text.unwrap_or("null").to_owned())
                .collect()
        };
        let column = |table, name| -> Vec<String> { column(table, name) };
        assert_eq!(column(Table::GROUPS, "key_raw"), ["User-agent"]);
        assert_eq!(column(Table::GROUPS, "agent_raw"), ["Bot/1.0"]);
        assert_eq!(column(Table::RULES, "key_raw"), ["Disallow", "ALLOW"]);
        assert_eq!(column(Table::RULES, "path_raw"), ["/a", "/%e3"]);
        assert_eq!(column(Table::DIRECTIVES, "directive_raw"), ["Host"]);
        assert_eq!(
            column(Table::SITEMAPS, "sitemap_raw"),
            ["http://www.a.com./s.xml"]
        );
    }
}
