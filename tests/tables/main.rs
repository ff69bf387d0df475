//! Tables: what a scan writes, and what `join`, `verify`, `match` and histories read.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]
#![cfg_attr(
    not(feature = "answers"),
    allow(
        dead_code,
        unused_imports,
        reason = "tests of other commands use the rest"
    )
)]

#[cfg(feature = "answers")]
mod damaged_tables;
mod disk;
mod golden;
#[cfg(feature = "answers")]
mod history;
mod join;
mod keys;
#[cfg(feature = "answers")]
mod matching;
mod names;
mod output;
mod rebuild;
mod row_stream;
#[cfg(feature = "answers")]
mod schemas;
mod verify;
