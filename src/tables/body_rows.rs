//! Makes rows from a body alone, without an archive.

use super::{OptionalColumns, Table, TableBuilders, fill_null_columns};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use capture::Capture;
use capture::analysis::Analyzer;
use robots::ParseOptions;
use std::sync::Arc;

/// Returns the schema of the rows of [`rows_from_body`]: the stored columns of a table, without
/// `robots_id`. `None` if rows of the table are not made from bodies.
pub fn schema_of_rows_from_body(table: Table) -> Option<SchemaRef> {
    table.belongs_to_captures().then(|| {
        let schema = table.schema();
        let fields: Vec<_> = schema.fields().iter().skip(1).cloned().collect();
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    })
}

/// Makes the rows of a table from a body, with the columns of [`schema_of_rows_from_body`]. Values that are null
/// in files because other columns give them are filled.
///
/// Columns that also depend on the URL of a capture are null, such as those that compare the host
/// of a sitemap with that of the file.
///
/// # Errors
///
/// Returns an error if rows of the table are not made from bodies, or if they have more than 2 GiB
/// of text.
pub fn rows_from_body(
    body: &[u8],
    options: ParseOptions,
    table: Table,
) -> Result<RecordBatch, ArrowError> {
    let Some(schema) = schema_of_rows_from_body(table) else {
        let message = format!("the table '{}' does not come from bodies", table.name());
        return Err(ArrowError::InvalidArgumentError(message));
    };
    let capture = Capture::from_body(body, options);
    let mut analyzer = Analyzer::default();
    let mut tables = TableBuilders::new(&[table], OptionalColumns::default());
    tables.push(
        "",
        &analyzer.analyze(0, warc::RecordLocation::default(), &capture),
    );
    let batches = tables.take();
    let record_tables = Table::FROM_RECORDS.into_iter().zip(batches);
    let rows = record_tables.filter(|(other, _)| *other == table);
    let rows = rows.map(|(_, rows)| rows.to_arrow(&table.schema())).next();
    let rows = fill_null_columns(table, rows.expect("the table is filled from records")?)?;
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
        let rows = |table| rows_from_body(body, ParseOptions::default(), table).unwrap();
        let rules = rows(Table::RULES);
        let paths = rules.column_by_name("path").unwrap().as_string::<i32>();
        assert_eq!(paths.iter().collect::<Vec<_>>(), [Some("/x")]);
        assert!(rules.column_by_name("robots_id").is_none());
        assert_eq!(rows(Table::VERDICTS).num_rows(), 2);
        let body_tables = Table::FROM_RECORDS.into_iter();
        let body_tables = body_tables.filter(|table| schema_of_rows_from_body(*table).is_some());
        let names: Vec<&str> = body_tables.map(Table::name).collect();
        assert_eq!(
            names,
            [
                "groups",
                "rules",
                "sitemaps",
                "directives",
                "preferences",
                "file_preferences",
                "anomalies",
                "verdicts"
            ]
        );
        assert!(rows_from_body(body, ParseOptions::default(), Table::HOSTS).is_err());
    }
}
