//! The commands that read datasets, archives and single robots.txt files.
//!
//! | module | command |
//! |---|---|
//! | [`url_match`] | `match`: whether crawlers may fetch URLs |
//! | [`crawler_verdicts`] | `verdicts`: the verdict of every host for some crawlers |
//! | [`check`] | `check`: what a robots.txt or that of a host says, what is unusual, and where it is |
//! | [`extract`] | `extract`: single records as an archive of their own |
//! | [`verify`] | `verify`: whether a dataset is as it was written |
//! | [`join`] | `join`: datasets of several crawls or shards as one |
//! | [`history`] | `history`: many crawls, in which what does not change is stored once |
//! | [`copy`] | `copy`: a dataset to a store |

#![allow(
    missing_docs,
    reason = "only packages of this project use it; a field is named for what it holds"
)]

mod category_choice;
pub mod check;
pub mod copy;
pub mod crawler_verdicts;
pub mod error;
pub mod extract;
pub mod history;
pub mod join;
pub mod url_match;
pub mod verify;

pub use category_choice::CategoryChoice;
