//! The commands: their arguments, and the calls of the library.

pub(crate) mod arg_values;
pub(crate) mod args;
pub(crate) mod bodies_command;
pub(crate) mod builtin_command;
pub(crate) mod capture_run;
#[cfg(feature = "answers")]
pub(crate) mod check_command;
pub(crate) mod column_args;
pub(crate) mod command;
pub(crate) mod defaults;
#[cfg(feature = "answers")]
pub(crate) mod history_command;
pub(crate) mod join_command;
#[cfg(feature = "answers")]
pub(crate) mod match_command;
pub(crate) mod network;
#[cfg(feature = "answers")]
pub(crate) mod record_fetch;
pub(crate) mod records_command;
pub(crate) mod run_args;
pub(crate) mod scan_command;
pub(crate) mod shard_choice;
pub(crate) mod shared_args;
pub(crate) mod verify_command;
pub(crate) mod views_command;
