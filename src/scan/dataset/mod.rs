//! A dataset on disk: its folders, manifest and views, and its tables read back.

mod layout;
mod log;
mod manifest;
mod panics;
mod reader;
mod stored_line;
mod views;
mod writer;

pub use layout::{Destination, Existing};
pub(crate) use layout::{SUCCESS, VIEWS, check_output_file};
pub(crate) use log::{LogEntries, NAME as LOG};
pub(crate) use manifest::{
    AGENTS, ListedFile, ListedInput, ListedPart, Manifest, NAME as MANIFEST, Plan, Problem,
    Settings, Written,
};
pub(crate) use panics::caught;
pub(crate) use reader::{Bools, Ints, Longs, Texts, column};
pub use reader::{Dataset, Wanted, capture_key};
pub use stored_line::Line;
pub use views::{schema_sql, sql as views_sql};
pub(crate) use writer::{LockedDataset, OpenDataset, PlannedPart};
