//! The names of the files and folders of a dataset that are not those of a table.

/// The manifest of a dataset, in its folder.
pub const MANIFEST_FILE: &str = "_manifest.jsonl";

/// The log of the runs of a dataset, in its folder.
pub const LOG_FILE: &str = "_log.jsonl";

/// The file that marks a finished dataset.
pub const SUCCESS_FILE: &str = "_SUCCESS";

/// The file with the views of a dataset for DuckDB.
pub const VIEWS_FILE: &str = "views.sql";

/// The file of the table `agents`, relative to the folder of the dataset.
pub const AGENTS_PATH: &str = "agents/agents.parquet";

/// The folder of the files of single parts. Its name hides it from engines, which would read rows
/// twice while parts are combined.
pub const PARTS_FOLDER: &str = "_parts";
