//! A dataset on disk, for writing and for reading.
//!
//! Input: rows of tables. Output: a folder of Parquet files with a manifest and views; its rows, when it is
//! read back. The package is independent of the sources of captures.
//!
//! ```text
//! file_names.rs, layout.rs         the names of files, and the paths of the files of tables
//! output_check.rs                  checks whether an output may be written
//! manifest.rs, manifest_entries.rs the list of finished parts and their inputs
//! joined.rs                        the manifest of joined datasets
//! part_locations.rs                where the rows of each part are
//! combine.rs, split_file.rs        combines the files of parts, and divides them again
//! present_rows.rs                  finds the rows of a former run that are unchanged
//! log.rs                           the lock, and the log for cleaning up after a killed run
//! written_folder.rs                a folder that is written: its log and temporary files
//! writer.rs                        starts, resumes or replaces a dataset
//! views_file.rs                    views.sql of an existing dataset; checks the format of a dataset
//! part_file.rs                     opens a file of a part, with limits
//! table_files.rs                   finds the files of tables, and the parts in them
//! reader.rs                        finds the files of a dataset, and reads tables back
//! part_reader.rs                   reads the rows of a part
//! capture_filter.rs, row_filter.rs the captures whose rows are read, and how they are selected
//! row.rs                           rows of tables with types
//! rows.rs                          reads rows one after the other
//! stored_line.rs, part_lines.rs    reads the lines of robots.txt files back
//! stored_row.rs                    rows of any table as bytes
//! registry_file.rs                 reads a registry of crawlers
//! division.rs                      divides inputs into parts and shards, and draws samples
//! ```

mod capture_filter;
mod combine;
pub mod division;
pub mod error;
mod file_names;
mod joined;
mod layout;
mod log;
mod manifest;
mod manifest_entries;
mod manifest_text;
mod output_check;
mod part_file;
mod part_lines;
mod part_locations;
mod part_reader;
mod present_rows;
mod reader;
mod registry_file;
pub mod row;
mod row_filter;
mod rows;
mod split_file;
mod stored_file;
mod stored_line;
mod stored_row;
mod table_files;
mod value_check;
mod views_file;
mod writer;
mod written_folder;

pub use capture_filter::{CaptureFilter, ColumnValuesFilter, push_crawl_key};
pub use combine::combine_parts;
pub use file_names::{
    AGENTS_PATH, LOG_FILE, MANIFEST_FILE, PARTS_FOLDER, SUCCESS_FILE, VIEWS_FILE,
};
pub use joined::{JoinedCrawl, JoinedManifest, MemberEntry, is_member_name};
pub use layout::OutputLayout;
pub use log::{LogEntries, RunLog};
pub use manifest::{Manifest, success_text};
pub use manifest_entries::{
    CombinedFile, CrawlEntry, DatasetOptions, FileEntry, FileStats, Format, InputEntry,
    ManifestHeader, PartEntry, PartTable, Partition, to_json_line,
};
pub use manifest_text::ManifestText;
pub use output_check::{IfExists, check_output_file, is_dataset};
pub use part_file::open_part_file;
pub use part_lines::PartLines;
pub use part_locations::PartLocation;
pub use part_reader::{PartId, PartReader};
pub use present_rows::digest_of;
pub use reader::{Dataset, check_crawls, column};
pub use registry_file::read_registry;
pub use row::{
    BatchRow, ClosedSet, Code, ColumnValue, Columns, Encoding, Row, WholeRow, Word, for_macro,
    skip_columns, split_columns, value,
};
pub use rows::{RowSource, Rows, RowsByKey, WordCheck, columns_named};
pub use stored_file::{TableFile, check_digest};
pub use stored_line::{DirectiveLine, GroupLine, RuleLine, StoredLine, WrittenLine, merge_lines};
pub use stored_row::{EncodedColumns, StoredRows, check_nulls};
pub use tables::views::JOINED_FOLDER;
pub use value_check::check_values;
pub(crate) use views_file::absolute_views_sql;
pub use views_file::{find_view_files, view_files, views_text, write_views, write_views_file};
pub use views_file::{is_views_of, write_joined_views};
pub use writer::{DatasetWriter, LockedDataset, PlannedPart};
pub use written_folder::WrittenFolder;
