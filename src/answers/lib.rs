//! Answers questions about datasets, histories, archives and single robots.txt files.
//!
//! | module | command |
//! |---|---|
//! | [`url_match`] | `match`: decides whether crawlers may fetch URLs |
//! | [`check`] | `check`: explains one robots.txt, of a file or a host: its verdicts, its anomalies, and its place |
//!
//! Input: datasets, histories and archives. Output: tables of answers and reports. The package
//! is independent of the command line.

mod captures;
pub mod check;
pub mod error;
pub mod own_tables;
pub mod url_match;
