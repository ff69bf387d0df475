//! Advice: commands to run next, and what a mistyped argument may mean.

#[cfg(feature = "answers")]
pub(crate) mod agent_advice;
pub(crate) mod mistyped;
pub(crate) mod next_commands;
