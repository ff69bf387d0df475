//! Finds and reads the inputs of a run: archives, single records of archives, and tables that other programs wrote.
//!
//! | module | reads | returns |
//! |---|---|---|
//! | [`input`] | files, folders, globs, lists, URLs | [`Input`](input::Input): a name, a size, a crawl, and the part of it that is read |
//! | [`reader`] | a slice of an input, by the [`Source`](reader::Source) of its kind | its captures |
//! | [`table_file`] | Parquet, CSV, JSON and text | rows of the requested columns |
//!
//! Input: files, streams and objects on servers. Output: captures, and rows of tables. The package is independent of
//! the pipeline.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

pub mod error;
pub mod input;
mod place;
pub mod reader;
pub mod stream;
pub mod table_file;

pub use place::InputPlace;
