//! The output of commands: results, summaries, messages and progress.

pub(crate) mod escape;
pub(crate) mod message;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod progress_line;
pub(crate) mod progress_source;
pub(crate) mod quantity;
pub(crate) mod summary;
