//! The language of robots.txt: specifications, oracles, and cases of other implementations.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

mod fuzz_corpus;
mod google;
mod laws;
mod leniency;
mod oracles;
mod parser_oracle;
mod peers;
mod public_reports;
mod spec;
mod strict_verdicts;
