//! The library of robots-scan: WARC archives in, Parquet tables out.
//!
//! Data takes one route:
//!
//! | stage | module | result |
//! |---|---|---|
//! | find archives | [`input`] | [`Input`](input::Input) |
//! | divide large archives into slices, read records | [`pipeline`] | [`warc::Record`] |
//! | read URL, record and HTTP response | [`capture`] | [`Capture`](capture::Capture) |
//! | parse the body, compute verdicts | [`analysis`] | [`CaptureAnalysis`](analysis::CaptureAnalysis) |
//! | build rows | [`tables`] | [`TableBatches`](tables::TableBatches) |
//! | encode row groups, write files | `parquet_writer` | Parquet files |
//! | commit parts | [`dataset`] | a dataset |
//!
//! [`pipeline::run`] runs all of this. The commands that read a dataset are in [`check`],
//! [`url_match`] (with [`resolve`], which determines the authoritative capture of an origin) and
//! [`verify`]. Command-line options are parsed in `src/cli`, which is the only user of the terminal.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

pub mod analysis;
pub mod capture;
pub mod check;
pub mod crawler;
pub mod dataset;
mod disk;
pub mod error;
mod escaped_text;
mod external_sort;
mod hash_seed;
pub mod input;
pub mod parquet_writer;
pub mod pipeline;
pub mod resolve;
pub mod tables;
pub mod url_match;
pub mod verify;
