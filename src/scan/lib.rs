//! The pipeline of robots-scan: web archives in, Parquet tables out.
//!
//! The route, one way: inputs → items → members → [`warc::Record`] →
//! [`http::Response`] → [`capture::Capture`] → [`robots::RobotsTxt`] →
//! [`facts::Facts`] → rows ([`tables`]) → row groups → Parquet parts
//! ([`output`]). [`run::run`] drives it; the command is `src/cli`.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

pub mod analysis;
pub mod capture;
pub mod check;
pub mod crawler;
pub mod dataset;
mod disk;
pub mod error;
mod external_sort;
pub mod input;
mod parquet_writer;
pub mod pipeline;
pub mod resolve;
pub mod tables;
pub mod url_match;
pub mod verify;
