//! What a run reads: archives, records of archives at addresses, and tables of others.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`input`] | files, folders, globs, lists, URLs | [`Input`](input::Input): a name, a size, a crawl, and the part of it that is read |
//! | [`reader`] | a slice of an input | its captures, whatever it is |
//! | [`table_file`] | Parquet, CSV, JSON and text | rows of the columns that are asked for |
//!
//! Input: files, streams and objects on servers. Output: captures, and rows of tables of others. The package is
//! independent of the run that asks for them.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

pub mod error;
pub mod input;
pub mod reader;
pub mod table_file;
pub mod thread_pool;
