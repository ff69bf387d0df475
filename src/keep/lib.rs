//! Joins the datasets of several crawls or shards, and verifies that datasets are complete and unchanged.
//!
//! | module | command |
//! |---|---|
//! | [`join`] | `join`: datasets of several crawls or shards as one |
//! | [`verify`] | `verify`: whether a dataset is as it was written |
//!
//! Input: datasets. Output: a joined folder with a manifest and resolved tables, or a report of findings. The
//! package is independent of `answers` and `history`.

#![allow(
    missing_docs,
    reason = "only packages of this project use it; a field is named for what it holds"
)]

pub mod join;
pub mod verify;
