//! Joins the datasets of several crawls or shards, and verifies that datasets are complete and unchanged.
//!
//! | module | command |
//! |---|---|
//! | [`join`] | `join`: combines datasets of several crawls or shards |
//! | [`verify`] | `verify`: checks that a dataset is complete and unchanged |
//!
//! Input: datasets. Output: a joined folder with a manifest and resolved tables, or a report of findings. The
//! package is independent of histories and of the commands that answer questions.

pub mod join;
pub mod verify;
