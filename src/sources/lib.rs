//! Finds and reads the inputs of a run: archives, single records of archives, and tables that other programs wrote.
//!
//! | module | reads | returns |
//! |---|---|---|
//! | [`input`] | files, folders, globs, lists, URLs | [`Input`](input::Input): a name, a size, a crawl, and the part of it that is read |
//! | [`reader`] | a slice of an input | its captures |
//! | [`table_file`] | Parquet, CSV, JSON and text | rows of the requested columns |
//!
//! A further kind of source needs changes in these places: `input/`, which finds the inputs, and
//! [`InputSource`](input::InputSource), which states where their bytes are; `scan::plan`, which divides inputs into
//! slices, and `reader/`, which opens and reads a slice; `answers::check`, which reads single
//! records again; and the options of the command line.
//!
//! Input: files, streams and objects on servers. Output: captures, and rows of tables. The package is independent of
//! the pipeline.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

pub mod error;
pub mod input;
pub mod reader;
pub mod table_file;
