//! Archives: records, responses and inputs, from samples and real crawls.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

mod doubtful;
mod hostile;
mod inputs;
mod limits;
mod reads;
mod real_archives;
mod samples;
mod streams;
mod urls;
