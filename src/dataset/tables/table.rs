//! The list of all tables.
//!
//! To add a table, write a file with its columns (see [`table!`](super::column::table))
//! and add a line to the list below. Then run `make schemas`, and decide whether `verify`
//! can check it (`src/keep/verify/child_rows.rs`).

use super::column::{Column, ColumnType, SqlDialect, are_equal};
use super::record_rows::RecordRows;
use arrow_schema::{Field, Schema, SchemaRef};
use columns::TableSchema;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};
use xxhash_rust::xxh3::xxh3_64;

/// The source of the rows of a table, which determines how many files the table has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowSource {
    /// Records of archives: the table has a file per part.
    Records,
    /// The run: the table has a file per part.
    Run,
    /// All captures of a crawl: the table has a file per crawl.
    Crawl,
    /// The registry of crawlers: the table has one file per dataset.
    Registry,
    /// Many crawls: the table is one of histories.
    History,
    /// A command such as `match`: the table is not part of a dataset.
    Command,
}

/// Defines [`Table`] from a list of tables: the variant, the module with the
/// columns, which is also the name of the table, and the source of its rows.
macro_rules! tables {
    ($($(#[$doc:meta])* $variant:ident: $module:ident, $source:ident;)*) => {
        /// A table that robots-scan writes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $($(#[$doc])* $variant,)*
        }

        /// The sources of the rows of all tables, in the order of the variants.
        const ROW_SOURCES: &[RowSource] = &[$(RowSource::$source,)*];

        impl Table {
            /// All tables: those of a dataset, and those that commands write.
            pub const ALL_WITH_COMMANDS: [Self; ROW_SOURCES.len()] = [$(Self::$variant,)*];

            /// Returns the name, used for the folder and in SQL.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($module),)*
                }
            }

            /// Returns the description of the table, which begins with what a row is.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => super::$module::ABOUT,)*
                }
            }

            /// Returns the stored columns, without the partition columns.
            pub const fn columns(self) -> &'static [Column] {
                match self {
                    $(Self::$variant => super::$module::COLUMNS,)*
                }
            }

            /// Returns a builder of the rows that are made from records; `None` if the table has
            /// none.
            pub(crate) fn record_rows(self) -> Option<Box<dyn RecordRows>> {
                match self {
                    $(Self::$variant => super::$module::record_rows(),)*
                }
            }

            /// Returns the columns that only views have.
            pub fn derived_columns(self) -> &'static [Column] {
                match self {
                    $(Self::$variant => super::$module::DERIVED,)*
                }
            }
        }
    };
}

tables! {
    /// One row per capture.
    RobotsFiles: robots_files, Records;
    /// One row per user-agent line.
    Groups: groups, Records;
    /// One row per allow or disallow line.
    Rules: rules, Records;
    /// One row per sitemap line.
    Sitemaps: sitemaps, Records;
    /// One row per other line with a key.
    Directives: directives, Records;
    /// One row per statement on AI use.
    Preferences: preferences, Records;
    /// One row per capture, agent, mechanism and category.
    FilePreferences: file_preferences, Records;
    /// One row per anomaly.
    Anomalies: anomalies, Records;
    /// One row per capture and agent.
    Verdicts: verdicts, Records;
    /// One row per crawler in the registry.
    Agents: agents, Registry;
    /// One row per part.
    Runs: runs, Run;
    /// One row per damaged place of an archive.
    Faults: faults, Records;
    /// One row per crawl and host.
    Hosts: hosts, Crawl;
    /// One row per crawl, host and agent.
    HostVerdicts: host_verdicts, Crawl;
    /// One row per crawl, host, agent, mechanism and category.
    HostPreferences: host_preferences, Crawl;
    /// One row per crawl of a history.
    Crawls: crawls, History;
    /// One row per archive of a history.
    Archives: archives, History;
    /// One row per host and crawl.
    HostCaptures: host_captures, History;
    /// One row per host and sequence of captures with the same state.
    HostPeriods: host_periods, History;
    /// One row per host and sequence of captures with the same content.
    HostContents: host_contents, History;
    /// One row per revisit whose content is known.
    FilledRevisits: filled_revisits, History;
    /// One row per agent, host and sequence of captures with the same verdict.
    AgentPeriods: agent_periods, History;
    /// One row per distinct file, as far as it is read.
    Policies: policies, History;
    /// One row per policy and user-agent line.
    PolicyGroups: policy_groups, History;
    /// One row per policy and allow or disallow line.
    PolicyRules: policy_rules, History;
    /// One row per policy and other line that is read.
    PolicyDirectives: policy_directives, History;
    /// One row per policy and agent that it names.
    PolicyVerdicts: policy_verdicts, History;
    /// One row per set of preferences, agent, mechanism and category.
    PreferenceSets: preference_sets, History;
    /// One row per agent, crawl, verdict and basis.
    Shares: shares, History;
    /// One row per requested URL and agent, written by `match`. Not part of a
    /// dataset.
    Matches: matches, Command;
    /// One row per requested URL and agent, written by `match` over a history. Not part of it.
    HistoryMatches: history_matches, Command;
    /// One row per host and requested crawler, written by `verdicts`. Not part of a
    /// dataset.
    CrawlerVerdicts: crawler_verdicts, Command;
}

/// Returns the number of tables whose rows come from one of these sources.
const fn count_tables(sources: &[RowSource]) -> usize {
    let (mut i, mut count) = (0, 0);
    while i < ROW_SOURCES.len() {
        count += contains_source(sources, ROW_SOURCES[i]) as usize;
        i += 1;
    }
    count
}

/// Returns the tables whose rows come from one of these sources, in order.
const fn tables_from_sources<const N: usize>(sources: &[RowSource]) -> [Table; N] {
    let mut tables = [Table::ALL_WITH_COMMANDS[0]; N];
    let (mut i, mut count) = (0, 0);
    while i < ROW_SOURCES.len() {
        if contains_source(sources, ROW_SOURCES[i]) {
            tables[count] = Table::ALL_WITH_COMMANDS[i];
            count += 1;
        }
        i += 1;
    }
    tables
}

const fn contains_source(sources: &[RowSource], source: RowSource) -> bool {
    let mut i = 0;
    while i < sources.len() {
        if sources[i] as u8 == source as u8 {
            return true;
        }
        i += 1;
    }
    false
}

/// The sources of the tables of a dataset.
const DATASET_SOURCES: &[RowSource] = &[
    RowSource::Records,
    RowSource::Run,
    RowSource::Registry,
    RowSource::Crawl,
];
/// The sources of the tables that have a file per part.
const PART_SOURCES: &[RowSource] = &[RowSource::Records, RowSource::Run];
/// The sources of the tables that are filled from records.
const RECORD_SOURCES: &[RowSource] = &[RowSource::Records];
/// The sources of the tables that only histories have.
const HISTORY_SOURCES: &[RowSource] = &[RowSource::History];

impl Table {
    /// All tables of a dataset, in the order of the schema.
    pub const ALL: [Self; count_tables(DATASET_SOURCES)] = tables_from_sources(DATASET_SOURCES);

    /// The tables that are filled from records, in the order of
    /// [`TableBatches`](super::TableBatches).
    pub const FROM_RECORDS: [Self; count_tables(RECORD_SOURCES)] =
        tables_from_sources(RECORD_SOURCES);

    /// The tables that have a file per part.
    pub(crate) const PER_PART: [Self; count_tables(PART_SOURCES)] =
        tables_from_sources(PART_SOURCES);

    /// The resolved tables, which have a file per crawl.
    pub const PER_CRAWL: [Self; 3] = [Self::Hosts, Self::HostVerdicts, Self::HostPreferences];

    /// The tables of a history, in the order of the schema. It also has `agents`.
    pub const OF_HISTORY: [Self; count_tables(HISTORY_SOURCES)] =
        tables_from_sources(HISTORY_SOURCES);

    /// Returns true if the table stores a column of this name and type.
    pub const fn has_column(self, name: &str, kind: ColumnType) -> bool {
        let columns = self.columns();
        let mut i = 0;
        while i < columns.len() {
            let is_named = are_equal(columns[i].name.as_bytes(), name.as_bytes());
            if is_named && columns[i].kind as u8 == kind as u8 {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns true if the first column is the key of a capture.
    pub fn has_robots_id(self) -> bool {
        self.columns()[0].name == "robots_id"
    }

    /// Returns true if each row belongs to a row of `robots_files`.
    pub fn belongs_to_captures(self) -> bool {
        self != Self::RobotsFiles && Self::FROM_RECORDS.contains(&self) && self.has_robots_id()
    }

    /// Returns true if the table has a single file, whose path has no partition columns.
    pub fn has_single_file(self) -> bool {
        let source = ROW_SOURCES[self as usize];
        matches!(source, RowSource::Registry | RowSource::Command)
    }

    /// Returns true if the table has a file per part.
    pub fn is_per_part(self) -> bool {
        Self::PER_PART.contains(&self)
    }

    /// Returns true if the table has a file per crawl.
    pub fn is_per_crawl(self) -> bool {
        Self::PER_CRAWL.contains(&self)
    }

    /// Returns the columns whose values are part of the paths of the files.
    pub fn partition_columns(self) -> &'static [Column] {
        match ROW_SOURCES[self as usize] {
            RowSource::Records | RowSource::Run => &PARTITION_COLUMNS,
            RowSource::Crawl => &PARTITION_COLUMNS[..1],
            RowSource::Registry | RowSource::History | RowSource::Command => &[],
        }
    }

    /// Returns the Arrow schema, with descriptions as metadata.
    pub fn schema(self) -> SchemaRef {
        Arc::new(self.arrow_schema(&[]))
    }

    /// Returns the description from which Parquet files are written, with `extra`
    /// columns after those of the table.
    pub fn file_schema(self, extra: &[Column]) -> TableSchema {
        let columns = self.columns().iter().chain(extra);
        TableSchema {
            name: self.name(),
            about: self.about(),
            arrow: self.arrow_schema(extra),
            encodings: columns.map(|column| column.encoding).collect(),
        }
    }

    fn arrow_schema(self, extra: &[Column]) -> Schema {
        let columns = self.columns().iter().chain(extra);
        let fields: Vec<Field> = columns.map(Column::field).collect();
        let metadata = HashMap::from([("comment".to_owned(), self.about().to_owned())]);
        Schema::new_with_metadata(fields, metadata)
    }
}

/// The columns whose values are part of the paths of a dataset.
pub(crate) const PARTITION_COLUMNS: [Column; 2] = [
    Column::new(
        "crawl",
        ColumnType::Text,
        "The crawl, such as `CC-MAIN-2025-38`; part of the path.",
    ),
    Column::new(
        "subset",
        ColumnType::Text,
        "The subset of the crawl: `robotstxt`, `warc`, `crawldiagnostics`; part of the path.",
    ),
];

/// Returns a digest of the names, types and null rules of all columns, in hexadecimal.
pub(crate) fn schemas_digest() -> &'static str {
    static DIGEST: LazyLock<String> = LazyLock::new(|| {
        let mut text = String::new();
        for table in Table::ALL_WITH_COMMANDS {
            let columns = table.columns().iter().chain(table.partition_columns());
            for column in columns {
                let kind = column.kind.sql(SqlDialect::DuckDb);
                let is_nullable = column.is_nullable;
                let _ = writeln!(
                    text,
                    "{} {} {kind} {is_nullable}",
                    table.name(),
                    column.name
                );
            }
        }
        format!("{:016x}", xxh3_64(text.as_bytes()))
    });
    &DIGEST
}
