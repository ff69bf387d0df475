//! All tests that look at the project from outside, in one binary.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

mod archives;
#[expect(unreachable_pub, reason = "it is also the library of the fuzzers")]
mod checks;
mod cli;
mod command_line;
mod crawler_verdicts;
mod damaged_tables;
mod disk;
mod documents;
mod doubtful;
mod examples;
mod faults;
mod fuzz_corpus;
mod golden;
mod google;
mod history;
mod hostile;
mod inputs;
mod join;
mod keys;
mod laws;
mod leniency;
mod limits;
mod matching;
mod names;
mod oracles;
mod output;
mod parser_oracle;
mod peers;
mod public_reports;
mod reads;
mod rebuild;
#[cfg(feature = "remote")]
mod remote;
mod samples;
mod schemas;
mod series;
mod show;
mod sources;
mod spec;
mod streams;
mod strict_verdicts;
mod table_reader;
mod urls;
mod util;
mod verify;
