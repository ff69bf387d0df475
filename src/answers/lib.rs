//! Answers questions about datasets, histories, archives and single robots.txt files.
//!
//! | module | command |
//! |---|---|
//! | [`url_match`] | `match`: whether crawlers may fetch URLs |
//! | [`crawler_verdicts`] | `verdicts`: the verdict of every host for some crawlers |
//! | [`check`] | `check`: what a robots.txt or that of a host says, what is unusual, and where it is |
//! | [`extract`] | `extract`: single records as an archive of their own |
//! | [`copy`] | `copy`: a dataset to a store |
//!
//! Input: datasets, histories and archives. Output: tables of answers, reports, archives and copies. The package
//! is independent of the command line.

pub mod check;
pub mod copy;
pub mod crawler_verdicts;
pub mod error;
pub mod extract;
pub mod own_tables;
pub mod url_match;
