//! A dataset on disk, for writing and for reading.
//!
//! ```text
//! layout.rs                        folders and file names; may an output be written?
//! manifest.rs, manifest_entries.rs which parts are finished, and from which inputs
//! joined.rs                        the manifest of joined datasets
//! log.rs                           lock, and traces for cleaning up after a kill
//! writer.rs                        starts, resumes or replaces a dataset
//! views.rs, macros.sql             views for DuckDB and Spark
//! questions.rs                     research questions as macros
//! views_file.rs                    views.sql of an existing dataset; checks the format of a dataset
//! limited_file.rs, page_header.rs  Parquet files with a limit on the size of pages
//! part_file.rs                     opens a file of a part
//! reader.rs, row_filter.rs         reads tables back
//! stored_line.rs, part_lines.rs    reads the lines of robots.txt files back
//! ```

mod catch_panic;
mod joined;
mod layout;
mod limited_file;
mod log;
mod manifest;
mod manifest_entries;
mod page_header;
mod part_file;
mod part_lines;
mod questions;
mod reader;
mod row_filter;
mod stored_line;
mod views;
mod views_file;
mod writer;

pub(crate) use catch_panic::catch_panic;
pub(crate) use joined::{
    JOINED, JoinedCrawl, JoinedManifest, MemberEntry, is_member_name, read_member,
};
pub use layout::{IfExists, OutputLayout};
pub(crate) use layout::{SUCCESS, VIEWS, check_output_file, is_dataset};
pub(crate) use limited_file::{LargePage, LimitedFile, reader_options};
pub(crate) use log::{LogEntries, NAME as LOG, RunLog};
pub(crate) use manifest::{AGENTS, Manifest, NAME as MANIFEST, digest as manifest_digest};
pub(crate) use manifest_entries::{
    CrawlEntry, DatasetOptions, FileEntry, FileStats, InputEntry, ManifestHeader, PartEntry,
    Partition,
};
pub(crate) use part_file::{OpenedPart, open_part_file};
pub(crate) use part_lines::PartLines;
pub use reader::{CaptureFilter, ColumnValuesFilter, Dataset, PartId};
pub(crate) use reader::{PartReader, column, push_crawl_key};
pub use stored_line::StoredLine;
pub use views::{schema_sql, select_sql, spark_sql, sql as views_sql};
pub(crate) use views_file::{check_format, check_readable, opens, views_of, write_joined_views};
pub use views_file::{views_text, write_views};
pub(crate) use writer::{DatasetWriter, LockedDataset, PlannedPart};
