//! The tables of robots-scan: their columns, the code that makes their rows, and the views that read them.
//!
//! Input: a [`CaptureAnalysis`]. Output: batches of rows ([`TableBatches`]), and the texts of schemas and `views.sql`. The
//! package does not read or write files.
//!
//! ```text
//! table.rs                         a table, and the macro `tables!`; the list of all tables of datasets is in lib.rs
//! column.rs, value.rs              a column: name, type, description, encoding, value, expression; the macro `table!`
//! robots_files.rs, groups.rs …     one file per table: its columns, and the code that appends rows
//! record_rows.rs                   the interface of tables that are filled from records
//! body_rows.rs                     rows of a body without a capture
//! filled.rs                        fills texts that are null in files because other columns determine them
//! views.rs, macros.sql             views for DuckDB and Spark
//! reasons.sql                      macros that need all tables
//! absent_macros.sql                macros that raise an error in a dataset
//! questions.rs                     research questions as macros
//! ```
//!
//! Names, types, descriptions and encodings of columns exist only in the files of tables: schemas, Parquet
//! files and comments in DuckDB are made from them. Rows hold what the analysis found;
//! only columns that compare rows of one table are computed here.
//!
//! To add a column, see CONTRIBUTING.md. If a column has another meaning than before, increase [`MEANING`], and check
//! all code that reads the column: each `row! { … }`, `src/tables/macros.sql` and `jobs/queries/`.

mod agents;
mod anomalies;
mod body_rows;
mod column;
mod directives;
mod faults;
mod file_preferences;
mod filled;
mod groups;
mod host_preferences;
mod host_verdicts;
mod hosts;
mod preferences;
pub mod questions;
pub(crate) mod record_rows;
mod robots_files;
mod rules;
mod runs;
mod sitemaps;
mod table;
mod value;
mod verdicts;
pub mod views;

pub use agents::agents_rows;
pub use body_rows::{rows_from_body, schema_of_rows_from_body};
pub use column::{
    Column, ColumnType, Expression, SqlDialect, are_equal, divide_evenly, is_partition_name,
    sql_literal,
};
pub use faults::Fault;
pub use filled::fill_null_columns;
pub use host_preferences::{Builder as HostPreferenceRows, StatingHost, StoredPreference};
pub use host_verdicts::{Builder as HostVerdictRows, HostVerdictRow, StoredVerdict};
pub use hosts::{Builder as HostRows, HostRow, HostRules};
pub use runs::{RunRow, runs_rows};
pub use table::{
    FileDivision, PARTITION_COLUMNS, Table, TableDeclaration, position, schemas_digest,
};
pub use views::{ViewedFiles, schema_sql, select_sql, spark_views_sql, views_sql};

use capture::analysis::CaptureAnalysis;
use columns::RowBatch;
use record_rows::{RecordRows, RowInput};

/// The version of the meaning of rows. Datasets with the same version can be joined, whatever release wrote
/// them. If rows change for the same archives, increase the version, and describe the change in
/// `docs/limits.md#formats`.
pub const MEANING: u64 = 1;

/// The beginning of `warc_filename` for captures that are rows of a table of bodies. The name of the table follows.
const BODY_TABLE_PREFIX: &str = "table:";

/// Returns the `warc_filename` of the rows of a table of bodies.
pub fn body_table_name(table: &str) -> String {
    [BODY_TABLE_PREFIX, table].concat()
}

/// Returns the name of the table of bodies with this `warc_filename`; `None` for an archive.
pub fn body_table_of(warc_filename: &str) -> Option<&str> {
    warc_filename.strip_prefix(BODY_TABLE_PREFIX)
}

/// The tables of datasets. To add one, write a file with its columns (see [`table!`](crate::table)), and add a line
/// here. Then run `make schemas`.
impl Table {
    tables! {
        /// All tables of a dataset, in the order of the schema.
        ALL, 0;
        /// One row per capture.
        ROBOTS_FILES: robots_files, Part records;
        /// One row per user-agent line.
        GROUPS: groups, Part records;
        /// One row per allow or disallow line.
        RULES: rules, Part records;
        /// One row per sitemap line.
        SITEMAPS: sitemaps, Part records;
        /// One row per other line with a key.
        DIRECTIVES: directives, Part records;
        /// One row per statement on AI use.
        PREFERENCES: preferences, Part records;
        /// One row per capture, agent, mechanism and category.
        FILE_PREFERENCES: file_preferences, Part records;
        /// One row per anomaly.
        ANOMALIES: anomalies, Part records;
        /// One row per capture and agent.
        VERDICTS: verdicts, Part records;
        /// One row per crawler in the registry.
        AGENTS: agents, Single;
        /// One row per part.
        RUNS: runs, Part;
        /// One row per damaged place of an archive.
        FAULTS: faults, Part records;
        /// One row per crawl and host.
        HOSTS: hosts, Crawl;
        /// One row per crawl, host and agent.
        HOST_VERDICTS: host_verdicts, Crawl;
        /// One row per crawl, host, agent, mechanism and category.
        HOST_PREFERENCES: host_preferences, Crawl;
    }
}

/// A batch of rows for each table that is filled from records, in the order of
/// [`Table::FROM_RECORDS`].
pub type TableBatches = Vec<RowBatch>;

/// The columns of `robots_files` that are only stored on request. They are null otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct OptionalColumns {
    /// The column `body`.
    pub body: bool,
    /// The column `warc_record_id`.
    pub warc_record_id: bool,
}

/// Builds the rows of all tables that are filled from records, batch by batch.
#[derive(Debug)]
pub struct TableBuilders {
    /// A builder for each table of [`Table::FROM_RECORDS`], in order.
    builders: Vec<TableBuilder>,
    optional_columns: OptionalColumns,
    /// An estimate of the memory of the rows of this batch: the bytes of the bodies, and a fixed
    /// size for each capture.
    buffered_bytes: usize,
}

/// Builds the rows of one table.
#[derive(Debug)]
struct TableBuilder {
    rows: Box<dyn RecordRows>,
    is_wanted: bool,
}

impl TableBuilders {
    /// Makes builders of the tables in `wanted`. The batches of other tables remain empty.
    pub fn new(wanted: &[Table], optional_columns: OptionalColumns) -> Self {
        let builder = |table: Table| TableBuilder {
            rows: table
                .record_rows()
                .expect("the table is filled from records"),
            is_wanted: wanted.contains(&table),
        };
        Self {
            builders: Table::FROM_RECORDS.into_iter().map(builder).collect(),
            optional_columns,
            buffered_bytes: 0,
        }
    }

    /// Adds the rows of a capture.
    pub fn push(&mut self, warc_filename: &str, analysis: &CaptureAnalysis<'_>) {
        self.buffered_bytes += 1024 + analysis.capture.body.as_ref().map_or(0, |body| body.len());
        let capture = RowInput {
            warc_filename,
            analysis,
            optional_columns: self.optional_columns,
        };
        for builder in self.builders.iter_mut().filter(|builder| builder.is_wanted) {
            builder.rows.push(&capture);
        }
    }

    /// Adds a row of `faults`.
    pub fn push_fault(&mut self, warc_filename: &str, fault: &Fault) {
        for builder in self.builders.iter_mut().filter(|builder| builder.is_wanted) {
            builder.rows.push_fault(warc_filename, fault);
        }
    }

    /// Returns an estimate of the memory of the rows since the last batch.
    pub fn buffered_bytes(&self) -> usize {
        self.buffered_bytes
    }

    /// Returns a batch for each table, which may be empty, and starts new batches.
    pub fn take(&mut self) -> TableBatches {
        self.buffered_bytes = 0;
        let builders = self.builders.iter_mut();
        builders.map(|builder| builder.rows.take()).collect()
    }
}

/// Adds `captures` to the `robots_id` of all rows. A worker numbers the captures of its batches from
/// 0, and `captures` is the number of earlier captures of the same input.
pub fn add_to_capture_keys(captures: u64, batches: &mut TableBatches) {
    for (table, batch) in Table::FROM_RECORDS.into_iter().zip(batches) {
        if table.has_robots_id() {
            batch.add_to_first_column(captures.cast_signed());
        }
    }
}

/// Returns a number as the value of an integer column; the largest value if it does not fit.
pub fn saturating_i32(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Returns a number of bytes or rows as the value of a column; the largest value if it does not fit.
pub fn saturating_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a line number as the value of a nullable integer column.
pub fn line_no_value(number: Option<u32>) -> Option<i32> {
    number.map(saturating_i32)
}
