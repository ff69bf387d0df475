//! The tables: their columns, and how rows are made from a [`CaptureAnalysis`].
//!
//! Each table has a file, with its columns and the code that appends rows. Names,
//! types, descriptions and encodings of columns exist only there: schemas, Parquet
//! files and comments in DuckDB are made from them. Rows hold what the analysis found;
//! only columns that compare rows of one table are computed here.
//!
//! `table.rs` lists all tables and explains how to add one. If you add or change a
//! column, run `make schemas`, and check `src/dataset/stored_line.rs` (which reads
//! `groups` and `rules` back), `src/tools/verify/part.rs`, `src/dataset/macros.sql` and
//! `jobs/queries/`.

mod agents;
mod anomalies;
mod body_rows;
mod column;
mod crawler_verdicts;
mod directives;
mod faults;
mod filled;
mod groups;
mod host_verdicts;
mod hosts;
mod matches;
mod preferences;
pub(crate) mod record_rows;
mod repeated_rows;
mod robots_files;
mod rules;
mod runs;
mod sitemaps;
mod table;
mod verdicts;

pub use agents::rows as agents_rows;
pub use body_rows::{rows_of_body, schema_of_body};
pub(crate) use column::quoted;
pub use column::{Column, ColumnType, Expression, SqlDialect, is_partition_name};
pub use crawler_verdicts::{Builder as CrawlerVerdictRows, CrawlerVerdictRow};
pub use faults::Fault;
pub use filled::fill;
pub use host_verdicts::{Builder as HostVerdictRows, HostVerdictRow, StoredVerdict};
pub use hosts::{Builder as HostRows, HostRow, HostRules};
pub use matches::{MatchRow, MatchRows};
pub use runs::{RunRow, rows as runs_rows};
pub(crate) use table::PARTITION_COLUMNS;
pub use table::Table;

use capture::analysis::CaptureAnalysis;
use columns::RowBatch;
use record_rows::{RecordRows, RowInput};
use repeated_rows::{RepeatedRows, RowRanges};

/// A batch of rows for each table that is filled from records, in the order of
/// [`Table::OF_RECORDS`].
pub type TableBatches = Vec<RowBatch>;

/// Builds the rows of all tables that are filled from records.
#[derive(Debug)]
pub struct Tables {
    /// Those of [`Table::OF_RECORDS`], in order.
    builders: Vec<TableBuilder>,
    with_bodies: bool,
    /// Bytes of bodies since the last batch, as an estimate of memory.
    bytes: usize,
    /// Rows of this batch that can be copied for captures of the same body.
    repeated_rows: RepeatedRows,
}

/// Builds the rows of one table.
#[derive(Debug)]
struct TableBuilder {
    rows: Box<dyn RecordRows>,
    is_wanted: bool,
}

impl Tables {
    /// Makes builders. Rows of other tables than `wanted` are not made.
    pub fn new(wanted: &[Table], with_bodies: bool) -> Self {
        let builder = |table: Table| TableBuilder {
            rows: table
                .record_rows()
                .expect("the table is filled from records"),
            is_wanted: wanted.contains(&table),
        };
        Self {
            builders: Table::OF_RECORDS.into_iter().map(builder).collect(),
            with_bodies,
            bytes: 0,
            repeated_rows: RepeatedRows::default(),
        }
    }

    /// Adds the rows of a capture. All captures of a batch must be analyzed by one analyzer.
    pub fn push(&mut self, warc_filename: &str, analysis: &CaptureAnalysis<'_>) {
        self.bytes += 1024 + analysis.capture.body.as_ref().map_or(0, |body| body.len());
        let capture = RowInput {
            warc_filename,
            analysis,
            with_body: self.with_bodies,
        };
        let is_robots_path = analysis.capture.is_robots_path;
        let body = analysis.cached_body;
        let repeated = body.and_then(|body| self.repeated_rows.find(body, is_robots_path));
        let mut built = RowRanges::new(body.unwrap_or_default(), is_robots_path);
        let wanted = self.builders.iter_mut().enumerate();
        for (i, builder) in wanted.filter(|(_, builder)| builder.is_wanted) {
            let rows = &mut builder.rows;
            // Copies the rows of an equal body if this batch has them.
            let is_copied = repeated
                .is_some_and(|body| rows.repeat(body.of_tables[i].clone(), analysis.robots_id));
            if !is_copied {
                let start = rows.count();
                rows.push(&capture);
                built.of_tables[i] = start..rows.count();
            }
        }
        if body.is_some() && repeated.is_none() {
            self.repeated_rows.insert(built);
        }
    }

    /// Adds the row of a fault.
    pub fn push_fault(&mut self, warc_filename: &str, fault: &Fault) {
        for builder in self.builders.iter_mut().filter(|builder| builder.is_wanted) {
            builder.rows.push_fault(warc_filename, fault);
        }
    }

    /// Returns the bytes of bodies since the last batch, as an estimate of memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns a batch of each table, empty if no row was added, and starts new ones.
    pub fn take(&mut self) -> TableBatches {
        self.bytes = 0;
        self.repeated_rows.clear();
        let builders = self.builders.iter_mut();
        builders.map(|builder| builder.rows.take()).collect()
    }
}

/// Adds a number of captures to the keys of all rows, which count the captures of a batch.
pub fn number_captures_from(captures: u64, batches: &mut TableBatches) {
    for (table, batch) in Table::OF_RECORDS.into_iter().zip(batches) {
        if table.has_robots_id() {
            batch.add_to_first_column(captures.cast_signed());
        }
    }
}

/// Returns the value of a column of counts.
pub fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Returns the value of a column of line numbers.
pub fn line_no(number: Option<u32>) -> Option<i32> {
    number.map(int)
}
