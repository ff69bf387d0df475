//! Tables: what a scan writes, and what `join`, `verify`, `match` and histories read.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

mod crawler_verdicts;
mod damaged_tables;
mod disk;
mod golden;
mod history;
mod join;
mod keys;
mod matching;
mod names;
mod output;
mod rebuild;
mod schemas;
mod table_reader;
mod verify;
