//! The command line of robots-scan.
//!
//! Each command that calls the library has a file `<name>_command.rs`, which declares the arguments, converts them to
//! the options of the library, calls the library, and formats the result. All commands implement the trait of
//! `command.rs`, and `args.rs` lists them. `shared_args.rs` has arguments of several commands; `run_args.rs` has those
//! that `scan`, `records` and `bodies` share, and `capture_run.rs` has the code that these three share.
//! `summary.rs` formats the summary of a scan, and `next_commands.rs` the commands suggested at the end of a summary.
//! `output.rs` writes standard output, `message.rs` prints errors and warnings, `hint.rs` adds advice to errors,
//! `exit.rs` determines the exit code, and `progress.rs` displays progress. `caller.rs` represents the terminal or the
//! program that a command reports to.
//!
//! The packages of the library do not depend on the options of the command line.
//!
//! [`run`] is the whole program. [`call`] runs a command that writes or verifies files, such as `scan`, for another
//! program, which displays the progress itself: the Python package.

#[cfg(feature = "answers")]
mod agent_advice;
mod arg_values;
mod args;
mod bodies_command;
mod builtin_command;
mod call;
mod call_error;
mod call_monitor;
mod caller;
mod capture_run;
#[cfg(feature = "answers")]
mod check_command;
#[cfg(feature = "answers")]
mod check_json;
#[cfg(feature = "answers")]
mod check_report;
mod column_args;
mod command;
mod defaults;
mod escape;
mod exit;
mod hint;
#[cfg(feature = "answers")]
mod history_command;
mod join_command;
#[cfg(feature = "answers")]
mod match_command;
mod message;
mod mistyped;
mod network;
mod next_commands;
mod output;
mod progress;
mod progress_line;
mod progress_source;
mod quantity;
#[cfg(feature = "answers")]
mod record_fetch;
mod records_command;
mod run_args;
mod scan_command;
mod shard_choice;
mod shared_args;
mod summary;
mod verify_command;
mod views_command;

pub use call::{call, stream_options};
pub use call_error::CallError;
pub use call_monitor::{CallMonitor, Message, MessageLevel, ProgressState};

use args::{Args, parse_command};
use caller::Caller;
use clap::CommandFactory;
use command::CommandOutcome;
use std::ffi::OsString;

/// Runs the program with arguments, the first of which is its name. Returns the exit code.
///
/// It may be called at most once per process, because it installs a handler of the signals that stop the program.
pub fn run(args: &[OsString]) -> u8 {
    if args.len() < 2 {
        message::print_short_help(Args::command());
        return exit::NOT_STARTED;
    }
    let mut command = match parse_command(args) {
        Ok(command) => command,
        Err(error) => return report_parse_error(&error, args),
    };
    let command = match command.args() {
        Ok(command) => command,
        Err(error) => return print_failure(&error.into(), false),
    };
    let is_json = command.is_json();
    let outcome = command.run(&Caller::Terminal);
    match outcome.and_then(CommandOutcome::print) {
        Ok(code) => code,
        Err(error) => print_failure(&error, is_json),
    }
}

/// Prints the error of a command, also as JSON if the output is JSON. Returns the exit code.
fn print_failure(error: &anyhow::Error, is_json: bool) -> u8 {
    message::print_error(error);
    let code = exit::code_for_error(error);
    if is_json {
        // A failure to write the JSON is ignored, because the error itself has been printed.
        let _ = output::print(CallError::from_command_error(error).to_json_line(code));
    }
    code
}

/// Prints the error of arguments that cannot be parsed, or the help or version that was requested.
/// Returns the exit code.
fn report_parse_error(error: &clap::Error, args: &[OsString]) -> u8 {
    if error.exit_code() == 0 {
        let printed = message::print_help_or_version(error);
        return printed.map_or_else(|error| print_failure(&error, false), |()| exit::OK);
    }
    let is_json = args.iter().any(|arg| arg == "--json");
    if let Some(error) = mistyped::removed_command_error(args) {
        return print_failure(&error.into(), is_json);
    }
    // A misspelt command or a dataset in its place is reported instead of `error`, which is about arguments of `scan`.
    if let Some(mistyped) = args
        .get(1)
        .and_then(|first| mistyped::check_first_argument(first, Args::command))
    {
        return print_failure(&mistyped.into(), is_json);
    }
    message::print_parse_error(error);
    if is_json {
        let _ = output::print(CallError::from_parse_error(error).to_json_line(exit::NOT_STARTED));
    }
    exit::NOT_STARTED
}
