//! Makes a history: one dataset of many crawls, in which data that does not change between crawls is stored once.
//!
//! Input: datasets and earlier histories. Output: a history; its rows, when it is read back. The package is independent
//! of `answers`. A crawl goes from top to bottom, and no file takes from one in a folder above its own:
//!
//! ```text
//! prepare.rs    checks the inputs and the output
//! merge/        the main loop: reads the crawls, merges their captures, writes all tables
//! periods/      divides the captures of each host into periods
//! shares/       counts hosts and domains by their verdict for each crawler
//! read/         the captures of datasets and of earlier histories, each with the state of its host
//! policies/     policies and sets of preferences: keys, lines, and rows that are stored once
//! write/        the files of a history: manifest, views, tables
//! own_tables/   the declarations of the tables
//! ```
//!
//! The rows depend only on the crawls. The order of inputs has no effect on them, and a crawl gives the same rows
//! whether it is read from its dataset or from an earlier history. If all crawls are added to a history that they
//! follow in time, the files with its captures are copied, and its periods are continued.

pub mod error;
mod merge;
mod options;
pub mod own_tables;
mod periods;
pub mod policies;
mod prepare;
pub mod read;
mod shares;
mod verify;
mod write;

pub use options::Options;
pub use prepare::{PreparedHistory, prepare};
pub use verify::verify;
pub use write::manifest::{HistoryFile, HistoryManifest};
pub use write::progress::{HistoryProgress, HistorySummary};
pub use write::views::{check_values, views_sql, views_text, write_views};
