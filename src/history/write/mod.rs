//! The files of a history: `_manifest.json`, `views.sql`, and the files of all tables.

pub(crate) mod manifest;
pub(crate) mod output_folder;
pub(crate) mod progress;
pub(crate) mod table_writer;
pub(crate) mod views;
