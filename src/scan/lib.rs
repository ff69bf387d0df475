//! The pipeline of robots-scan: web archives in, Parquet tables out.
//!
//! The route, one way: inputs → items → members → [`warc::Record`] →
//! [`http::Response`] → [`capture::Capture`] → [`robots::Robots`] →
//! [`facts::Facts`] → rows ([`tables`]) → row groups → Parquet parts
//! ([`output`]). [`run::run`] drives it; the command is `src/cli`.

#[cfg(not(unix))]
compile_error!("robots-scan needs the file locks, links and folders of a Unix system");

pub mod agents;
pub mod asked;
pub mod capture;
pub mod check;
pub mod dataset;
pub mod date;
mod digest;
mod disk;
mod encoding;
pub mod error;
pub mod facts;
pub mod host;
pub mod http;
pub mod input;
pub mod matching;
mod memo;
pub mod note;
mod open_files;
pub mod output;
mod panics;
mod rows;
pub mod run;
mod sort;
pub mod stream;
mod surt;
pub mod tables;
pub mod verify;
mod waf;
mod worker;
