//! The options of a match.

use super::url_list::UrlListSource;
use crawlers::CategoryChoice;
use crawlers::{Crawler, DialectChoice};
use sources::table_file::ColumnNames;
use std::path::PathBuf;

/// The dataset, the URL list and the crawlers of a match, and the file that is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the dataset or history.
    pub dataset: PathBuf,
    /// The crawls of the dataset that are read; if empty, all.
    pub crawls: Vec<String>,
    /// The list.
    pub urls: UrlListSource,
    /// The names of the columns of a list that is a table.
    pub columns: ColumnNames,
    /// The crawlers that are decided for, in the order of rows.
    pub crawlers: Vec<Crawler>,
    /// The dialect by which rules are read.
    pub dialect: DialectChoice,
    /// The category whose preferences are decided, too; none if `None`.
    pub category: Option<CategoryChoice>,
    /// The time at which URLs without a time of their own are decided, in
    /// milliseconds since 1970; `None` uses the newest captures.
    pub as_of: Option<i64>,
    /// Over a history, captures of another scheme, host or port than that of the URL decide, too.
    pub any_origin: bool,
    /// The memory limit of all sorters, in bytes.
    pub memory: u64,
    /// The output file: CSV if its name ends in `.csv`, otherwise Parquet.
    pub output: PathBuf,
    /// Replaces an existing output file if robots-scan wrote it.
    pub overwrite: bool,
}
