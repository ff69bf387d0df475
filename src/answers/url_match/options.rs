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
    pub urls: UrlListSource,
    /// The names of the columns, if the list is a table.
    pub columns: ColumnNames,
    /// The crawlers for which each URL is decided, in the order of output rows.
    pub crawlers: Vec<Crawler>,
    /// The dialect by which rules are read.
    pub dialect: DialectChoice,
    /// The category of use whose preferences are decided, too; `None` leaves them out.
    pub category: Option<CategoryChoice>,
    /// The time at which URLs without a time of their own are decided, in
    /// milliseconds since 1970; `None` uses the newest captures.
    pub as_of: Option<i64>,
    /// Also decides by captures with another scheme, host or port than the URL. Only used over a history.
    pub any_origin: bool,
    /// The memory limit of all sorters together, in bytes.
    pub memory: u64,
    /// The output file: CSV if its name ends in `.csv`, otherwise Parquet.
    pub output: PathBuf,
    /// Replaces an existing output file if robots-scan wrote it.
    pub overwrite: bool,
}
