//! The tables: their columns, and how rows are made from a [`CaptureAnalysis`].
//!
//! Each table has a file, with its columns and the code that appends rows. Names,
//! types, descriptions and encodings of columns exist only there: schemas, Parquet
//! files and comments in DuckDB are made from them. Nothing is computed here that is
//! not in the analysis.
//!
//! `table.rs` lists all tables and explains how to add one. If you add or change a
//! column, run `make schemas`, and check `dataset/stored_line.rs` (which reads `groups`
//! and `rules` back), `verify/captures.rs`, `dataset/macros.sql` and `jobs/queries/`.

mod agents;
mod anomalies;
mod body_rows;
mod column;
mod crawler_verdicts;
mod directives;
pub mod expression;
mod faults;
mod filled;
mod groups;
mod host_verdicts;
mod hosts;
mod matches;
mod preferences;
mod repeated_rows;
mod robots_files;
mod rules;
mod runs;
mod sitemaps;
mod table;
mod verdicts;

pub use agents::rows as agents_rows;
pub use body_rows::{rows_of_body, schema_of_body};
pub use column::{Column, is_partition_name};
pub use crawler_verdicts::{Builder as CrawlerVerdictRows, CrawlerVerdictRow};
pub use faults::Fault;
pub use filled::fill;
pub use host_verdicts::{AgentVerdict, Builder as HostVerdictRows, HostVerdictRow};
pub use hosts::{Builder as HostRows, HostRow, HostRules};
pub use matches::{MatchRow, MatchRows};
pub use runs::{RunRow, rows as runs_rows};
pub(crate) use table::PARTITION_COLUMNS;
pub use table::Table;

use capture::analysis::CaptureAnalysis;
use columns::RowBatch;
use repeated_rows::{BodyRows, RepeatedRows};

/// A batch of rows for each table that is filled from records, in the order of
/// [`Table::OF_RECORDS`].
pub type TableBatches = Vec<RowBatch>;

/// Builds the rows of all tables that are filled from records.
#[derive(Debug)]
pub struct Tables {
    robots_files: robots_files::Builder,
    groups: groups::Builder,
    rules: rules::Builder,
    sitemaps: sitemaps::Builder,
    directives: directives::Builder,
    preferences: preferences::Builder,
    anomalies: anomalies::Builder,
    verdicts: verdicts::Builder,
    faults: faults::Builder,
    wanted: Vec<Table>,
    with_bodies: bool,
    /// Bytes of bodies since the last batch, as an estimate of memory.
    bytes: usize,
    /// Rows of this batch that can be copied for captures of the same body.
    repeated_rows: RepeatedRows,
}

impl Tables {
    /// Makes builders. Rows of other tables than `wanted` are not made.
    pub fn new(wanted: &[Table], with_bodies: bool) -> Self {
        Self {
            robots_files: robots_files::Builder::default(),
            groups: groups::Builder::default(),
            rules: rules::Builder::default(),
            sitemaps: sitemaps::Builder::default(),
            directives: directives::Builder::default(),
            preferences: preferences::Builder::default(),
            anomalies: anomalies::Builder::default(),
            verdicts: verdicts::Builder::default(),
            faults: faults::Builder::default(),
            wanted: wanted.to_vec(),
            with_bodies,
            bytes: 0,
            repeated_rows: RepeatedRows::default(),
        }
    }

    /// Adds the rows of a capture. All captures of a batch must be analyzed by one analyzer.
    pub fn push(&mut self, warc_filename: &str, analysis: &CaptureAnalysis<'_>) {
        self.bytes += 1024 + analysis.capture.body.as_ref().map_or(0, |body| body.len());
        let is_robots_path = analysis.capture.is_robots_path;
        let body = analysis.cached_body;
        let repeated = body.and_then(|body| self.repeated_rows.find(body, is_robots_path));
        let is_repeated = repeated.is_some();
        let mut built = BodyRows::new(body.unwrap_or_default(), is_robots_path);
        /// Copies the rows of an equal body if this batch has them, and builds them otherwise.
        macro_rules! push_body_rows {
            ($table:ident) => {
                match repeated {
                    Some(rows) => self.$table.repeat(rows.$table.clone(), analysis),
                    None => {
                        let start = self.$table.len();
                        self.$table.push(analysis);
                        built.$table = start..self.$table.len();
                    }
                }
            };
        }
        for &table in &self.wanted {
            match table {
                Table::RobotsFiles => {
                    self.robots_files
                        .push(warc_filename, analysis, self.with_bodies)
                }
                Table::Groups => push_body_rows!(groups),
                Table::Rules => push_body_rows!(rules),
                Table::Sitemaps => self.sitemaps.push(analysis),
                Table::Directives => push_body_rows!(directives),
                Table::Preferences => self.preferences.push(analysis),
                Table::Anomalies => self.anomalies.push(analysis),
                Table::Verdicts => push_body_rows!(verdicts),
                Table::Agents
                | Table::Runs
                | Table::Faults
                | Table::Hosts
                | Table::HostVerdicts
                | Table::Matches
                | Table::CrawlerVerdicts => {}
            }
        }
        if body.is_some() && !is_repeated {
            self.repeated_rows.insert(built);
        }
    }

    /// Adds the row of a fault.
    pub fn push_fault(&mut self, warc_filename: &str, fault: &Fault) {
        if self.wanted.contains(&Table::Faults) {
            self.faults.push(warc_filename, fault);
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
        vec![
            self.robots_files.take(),
            self.groups.take(),
            self.rules.take(),
            self.sitemaps.take(),
            self.directives.take(),
            self.preferences.take(),
            self.anomalies.take(),
            self.verdicts.take(),
            self.faults.take(),
        ]
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
