//! Rows of the tables.
//!
//! A table is a file here: its columns with their descriptions, and how a row
//! is filled from [`CaptureAnalysis`]. The descriptions stand nowhere else; schemas,
//! Parquet metadata and comments in DuckDB are made from them. Nothing is
//! decided here.

mod agents;
mod anomalies;
mod column;
mod directives;
mod faults;
mod groups;
mod matches;
mod preferences;
mod repeated_rows;
mod robots_files;
mod rules;
mod runs;
mod sitemaps;
mod verdicts;

pub use agents::rows as agents_rows;
pub use column::{Column, is_partition_name};
pub use faults::Fault;
pub(crate) use matches::{MatchRow, MatchRows};
pub use runs::{RunRow, rows as runs_rows};

use crate::analysis::CaptureAnalysis;
use crate::parquet_writer::RowBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use repeated_rows::{BodyRows, RepeatedRows};
use std::sync::Arc;

/// A table of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// One row per capture.
    RobotsFiles,
    /// One row per user-agent line.
    Groups,
    /// One row per allow or disallow line.
    Rules,
    /// One row per sitemap line.
    Sitemaps,
    /// One row per other line with a key.
    Directives,
    /// One row per statement on AI use.
    Preferences,
    /// One row per oddity.
    Anomalies,
    /// One row per capture and name.
    Verdicts,
    /// The registry of crawlers.
    Agents,
    /// One row per part.
    Runs,
    /// One row per place that could not be read.
    Faults,
    /// One row per URL and agent asked for: what `match` writes, and no part
    /// of a dataset.
    Matches,
}

impl Table {
    /// All tables of a dataset, in the order of the schema.
    pub const ALL: [Self; 11] = [
        Self::RobotsFiles,
        Self::Groups,
        Self::Rules,
        Self::Sitemaps,
        Self::Directives,
        Self::Preferences,
        Self::Anomalies,
        Self::Verdicts,
        Self::Agents,
        Self::Runs,
        Self::Faults,
    ];

    /// All tables that are described: those of a dataset, and `matches`.
    pub const DESCRIBED: [Self; 12] = [
        Self::RobotsFiles,
        Self::Groups,
        Self::Rules,
        Self::Sitemaps,
        Self::Directives,
        Self::Preferences,
        Self::Anomalies,
        Self::Verdicts,
        Self::Agents,
        Self::Runs,
        Self::Faults,
        Self::Matches,
    ];

    /// The tables that records fill, in the order of [`TableBatches`].
    pub const OF_RECORDS: [Self; 9] = [
        Self::RobotsFiles,
        Self::Groups,
        Self::Rules,
        Self::Sitemaps,
        Self::Directives,
        Self::Preferences,
        Self::Anomalies,
        Self::Verdicts,
        Self::Faults,
    ];

    /// The name, of the folder and in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::RobotsFiles => "robots_files",
            Self::Groups => "groups",
            Self::Rules => "rules",
            Self::Sitemaps => "sitemaps",
            Self::Directives => "directives",
            Self::Preferences => "preferences",
            Self::Anomalies => "anomalies",
            Self::Verdicts => "verdicts",
            Self::Agents => "agents",
            Self::Runs => "runs",
            Self::Faults => "faults",
            Self::Matches => "matches",
        }
    }

    /// What a row is, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::RobotsFiles => robots_files::ABOUT,
            Self::Groups => groups::ABOUT,
            Self::Rules => rules::ABOUT,
            Self::Sitemaps => sitemaps::ABOUT,
            Self::Directives => directives::ABOUT,
            Self::Preferences => preferences::ABOUT,
            Self::Anomalies => anomalies::ABOUT,
            Self::Verdicts => verdicts::ABOUT,
            Self::Agents => agents::ABOUT,
            Self::Runs => runs::ABOUT,
            Self::Faults => faults::ABOUT,
            Self::Matches => matches::ABOUT,
        }
    }

    /// The columns, without the partition columns.
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::RobotsFiles => robots_files::COLUMNS,
            Self::Groups => groups::COLUMNS,
            Self::Rules => rules::COLUMNS,
            Self::Sitemaps => sitemaps::COLUMNS,
            Self::Directives => directives::COLUMNS,
            Self::Preferences => preferences::COLUMNS,
            Self::Anomalies => anomalies::COLUMNS,
            Self::Verdicts => verdicts::COLUMNS,
            Self::Agents => agents::COLUMNS,
            Self::Runs => runs::COLUMNS,
            Self::Faults => faults::COLUMNS,
            Self::Matches => matches::COLUMNS,
        }
    }

    /// The Arrow schema, with descriptions as field metadata.
    pub fn schema(self) -> SchemaRef {
        let fields: Vec<Field> = self.columns().iter().map(Column::field).collect();
        Arc::new(Schema::new_with_metadata(
            fields,
            std::collections::HashMap::from([("comment".to_owned(), self.about().to_owned())]),
        ))
    }

    /// Whether it stands once, without partitions.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Agents | Self::Matches)
    }
}

/// The partition columns, which stand in the paths of a dataset.
pub const PARTITION_COLUMNS: [Column; 2] = [
    Column::new(
        "crawl",
        column::ColumnType::Text,
        false,
        "The crawl, such as `CC-MAIN-2025-38`; part of the path.",
    ),
    Column::new(
        "subset",
        column::ColumnType::Text,
        false,
        "The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.",
    ),
];

/// Rows for each table that records fill, in the order of
/// [`Table::OF_RECORDS`].
pub type TableBatches = Vec<RowBatch>;

/// Builders of all tables that records fill.
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
    /// Bytes of bodies since the last batch: a measure of what is held.
    bytes: usize,
    /// Rows of this batch that can be copied for captures of the same body.
    repeated_rows: RepeatedRows,
}

impl Tables {
    /// Makes builders; rows of tables that are not `wanted` are dropped.
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
        let host = analysis.surt_host_name();
        let mut built = BodyRows::new(body.unwrap_or_default(), is_robots_path, host);
        /// Copies the rows of an equal body if this batch has them, and builds them otherwise.
        macro_rules! push_body_rows {
            ($table:ident) => {
                match repeated {
                    Some(rows) => {
                        let copied = rows.$table.clone();
                        self.$table.repeat(copied, rows.host_bytes, analysis);
                    }
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
                Table::Agents | Table::Runs | Table::Faults | Table::Matches => {}
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

    /// Bytes of bodies whose rows are held: a measure of memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes what has been pushed, an empty batch where nothing has.
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

/// A count as it stands in a column.
pub(crate) fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Returns the value of a column of line numbers.
pub(crate) fn line_no(number: Option<u32>) -> Option<i32> {
    number.map(int)
}
