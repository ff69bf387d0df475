//! Advice: commands to run next, and what a mistyped argument may mean.

pub(crate) mod mistyped;
pub(crate) mod next_commands;
