//! All tests that look at the project from outside, in one binary.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

mod archives;
mod cli;
mod google;
mod layers;
mod output;
mod peers;
mod rebuild;
mod samples;
mod schemas;
mod spec;
mod twin;
mod util;
