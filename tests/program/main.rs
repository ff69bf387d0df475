//! The program as its users see it: options, help, messages and documents.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

// The examples of the crate name it as its users do.
extern crate robots as robotstxt_dialects;

#[cfg(feature = "answers")]
mod check_host;
mod cli;
mod command_line;
mod documents;
mod examples;
