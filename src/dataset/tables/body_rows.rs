//! The rows of one body, without an archive.

use super::{Table, Tables, fill};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use capture::Capture;
use capture::analysis::Analyzer;
use robots::ParseOptions;
use std::sync::Arc;

/// Returns the schema of [`rows_of_body`]: the stored columns of a table without `robots_id`, which is
/// the key of a capture. `None` if the rows of the table do not come from bodies alone.
pub fn schema_of_body(table: Table) -> Option<SchemaRef> {
    table.belongs_to_captures().then(|| {
        let schema = table.schema();
        let fields: Vec<_> = schema.fields().iter().skip(1).cloned().collect();
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    })
}

/// Returns the rows that a body has in a table, as [`schema_of_body`] describes them. Columns that files
/// store as null because other columns give their value have it.
///
/// Columns that also depend on the URL of a capture are null, such as those that compare the host of
/// a sitemap with that of the file.
///
/// # Errors
///
/// Returns an error if the rows do not come from bodies alone, or if they have more than 2 GiB of text.
pub fn rows_of_body(
    body: &[u8],
    options: ParseOptions,
    table: Table,
) -> Result<RecordBatch, ArrowError> {
    let Some(schema) = schema_of_body(table) else {
        let message = format!("the table '{}' does not come from bodies", table.name());
        return Err(ArrowError::InvalidArgumentError(message));
    };
    let capture = Capture::of_body(body, options);
    let mut analyzer = Analyzer::default();
    let mut tables = Tables::new(&[table], false);
    tables.push(
        "",
        &analyzer.analyze(0, warc::RecordLocation::default(), &capture),
    );
    let batches = tables.take();
    let of_records = Table::OF_RECORDS.into_iter().zip(batches);
    let rows = of_records.filter(|(of, _)| *of == table);
    let rows = rows.map(|(_, rows)| rows.to_arrow(&table.schema())).next();
    let rows = fill(table, rows.expect("the table is filled from records")?)?;
    let columns = rows.columns().iter().skip(1).cloned().collect();
    RecordBatch::try_new(schema, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;

    #[test]
    fn a_body_has_rows_in_the_tables_of_bodies() {
        let body = b"User-agent: a\nDisallow: /x\nSitemap: https://h.com/s.xml\n";
        let rows = |table| rows_of_body(body, ParseOptions::default(), table).unwrap();
        let rules = rows(Table::Rules);
        let paths = rules.column_by_name("path").unwrap().as_string::<i32>();
        assert_eq!(paths.iter().collect::<Vec<_>>(), [Some("/x")]);
        assert!(rules.column_by_name("robots_id").is_none());
        assert_eq!(rows(Table::Verdicts).num_rows(), 2);
        let with_rows = Table::OF_RECORDS.into_iter();
        let with_rows = with_rows.filter(|table| schema_of_body(*table).is_some());
        let names: Vec<&str> = with_rows.map(Table::name).collect();
        assert_eq!(
            names,
            [
                "groups",
                "rules",
                "sitemaps",
                "directives",
                "preferences",
                "anomalies",
                "verdicts"
            ]
        );
        assert!(rows_of_body(body, ParseOptions::default(), Table::Hosts).is_err());
    }
}
