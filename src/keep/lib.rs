//! Keeps datasets: joins those of several crawls or shards, and checks that they are as they were written.
//!
//! | module | command |
//! |---|---|
//! | [`join`] | `join`: datasets of several crawls or shards as one |
//! | [`verify`] | `verify`: whether a dataset is as it was written |
//!
//! In: folders with manifests. Out: a folder with a manifest of all, and the tables that are resolved over all
//! of them; or a report of what differs from the manifest. It knows neither answers nor histories.

#![allow(
    missing_docs,
    reason = "only packages of this project use it; a field is named for what it holds"
)]

pub mod join;
pub mod verify;
