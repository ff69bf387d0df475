//! The commands: their arguments, and the calls of the library.

pub(crate) mod arg_values;
pub(crate) mod args;
pub(crate) mod bodies_command;
pub(crate) mod builtin_command;
pub(crate) mod capture_run;
pub(crate) mod column_args;
pub(crate) mod command;
pub(crate) mod defaults;
pub(crate) mod join_command;
pub(crate) mod network;
pub(crate) mod records_command;
pub(crate) mod run_args;
pub(crate) mod scan_command;
pub(crate) mod shard_choice;
pub(crate) mod shared_args;
pub(crate) mod verify_command;
pub(crate) mod views_command;
