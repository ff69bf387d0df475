//! The program as its users see it: options, help, messages and documents.

#![expect(clippy::unwrap_used, reason = "a test may panic, and says where")]

#[cfg(feature = "answers")]
mod check_host;
mod cli;
mod command_line;
mod documents;
mod examples;
