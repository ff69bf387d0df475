//! SQL expressions of columns that views compute.

use std::borrow::Cow;

/// An engine for which views are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlDialect {
    /// DuckDB: `views.sql` of a dataset.
    DuckDb,
    /// Spark: `schemas/views.spark.sql`.
    Spark,
}

/// An expression over the stored columns of the same row.
#[derive(Clone, Copy, Debug)]
pub enum Expression {
    /// The same text for all engines.
    Same(&'static str),
    /// A text for each engine.
    PerDialect {
        /// The text for DuckDB.
        duckdb: &'static str,
        /// The text for Spark.
        spark: &'static str,
    },
    /// A text that is made from lists in code, the same for all engines.
    Generated(fn() -> String),
}

impl Expression {
    /// Returns the text for an engine.
    pub fn sql(&self, dialect: SqlDialect) -> Cow<'static, str> {
        match (*self, dialect) {
            (Self::Same(text), _)
            | (Self::PerDialect { duckdb: text, .. }, SqlDialect::DuckDb)
            | (Self::PerDialect { spark: text, .. }, SqlDialect::Spark) => text.into(),
            (Self::Generated(make), _) => make().into(),
        }
    }
}

/// Returns a text as a literal.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
