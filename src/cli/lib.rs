//! The command line of robots-scan.
//!
//! | folder | content |
//! |---|---|
//! | `commands/` | a file `<name>_command.rs` for each command that calls the library: it declares the arguments, converts them to the options of the library, calls it, and gives the result to be printed. All implement the trait of `command.rs`, and `args.rs` lists them; `capture_run.rs` is what `scan`, `records` and `bodies` share |
//! | `answers/` | the commands outside the core, with what they print: `history`, `check`, `match` |
//! | `printing/` | results, summaries, progress, and errors with their hints |
//! | `advice/` | commands to run next, and what a mistyped argument may mean |
//! | `calls/` | the terminal or the program that a command reports to, and the exit codes |
//!
//! The packages of the library do not depend on the options of the command line.
//!
//! [`run`] is the whole program. [`call`] runs a command that writes or verifies files, such as `scan`, for another
//! program, which displays the progress itself: the Python package.

mod advice;
#[cfg(feature = "answers")]
mod answers;
mod calls;
mod commands;
mod printing;

pub use calls::call::{call, stream_options};
pub use calls::call_error::CallError;
pub use calls::call_monitor::{CallMonitor, Message, MessageLevel, ProgressState};

use advice::mistyped;
use calls::caller::Caller;
use calls::exit;
use clap::CommandFactory;
use commands::args::{Args, parse_command};
use commands::command::CommandOutcome;
use printing::{message, output};
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
