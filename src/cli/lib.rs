//! The command line of robots-scan.
//!
//! `args.rs` defines the arguments, except for those of the commands with a file `<name>_args.rs`; `run_args.rs` has those
//! that `scan`, `records` and `bodies` share, and `capture_run.rs` runs these three.
//! Each command has a file `<name>_command.rs`, which converts its arguments to the options of the
//! library, runs it, and prints the result.
//! `summary.rs` formats the summary of a scan, and `next_commands.rs` the commands at the end of each summary.
//! `output.rs` writes standard output, `message.rs` prints errors and warnings, `hint.rs` adds advice to errors, `exit.rs`
//! determines the exit code, and `progress.rs` displays progress. `caller.rs` is the terminal or the program to which a
//! command reports.
//!
//! Only this folder knows the options of the command line.
//!
//! [`run`] is the whole program. [`call`] runs one of the commands `scan`, `records`, `bodies`, `match`, `verdicts`,
//! `join`, `history` and `verify` for another program, which shows their progress itself: the Python package.

mod agent_advice;
mod arg_values;
mod args;
mod bodies_args;
mod bodies_command;
mod builtin_command;
mod call;
mod call_error;
mod call_monitor;
mod caller;
mod capture_run;
mod check_args;
mod check_command;
mod check_json;
mod check_report;
mod column_args;
mod copy_command;
mod defaults;
mod escape;
mod exit;
mod extract_args;
mod extract_command;
mod hint;
mod history_args;
mod history_command;
mod join_command;
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
mod record_fetch;
mod records_args;
mod records_command;
mod run_args;
mod scan_command;
mod shard_choice;
mod shared_args;
mod summary;
mod verdicts_args;
mod verdicts_command;
mod verify_command;
mod views_command;

pub use call::{call, reader_options};
pub use call_error::CallError;
pub use call_monitor::{CallMonitor, Message, MessageLevel, ProgressState};

use anyhow::Result;
use args::{Command, parse_command};
use caller::Caller;
use std::ffi::OsString;

/// Runs the program with arguments, the first of which is its name. Returns the exit code.
///
/// It may be called once per process, because it handles the signals that stop a program.
pub fn run(args: &[OsString]) -> u8 {
    if args.len() < 2 {
        message::print_short_help();
        return exit::NOT_STARTED;
    }
    let command = match parse_command(args) {
        Ok(command) => command,
        Err(error) => return report_parse_error(&error, args),
    };
    let is_json = command.is_json();
    match run_command(command) {
        Ok(code) => code,
        Err(error) => print_failure(&error, is_json),
    }
}

fn run_command(command: Command) -> Result<u8> {
    let caller = Caller::Terminal;
    match command {
        Command::Scan(args) => scan_command::run(&args, &caller)?.print(),
        Command::Records(args) => records_command::run(&args, &caller)?.print(),
        Command::Bodies(args) => bodies_command::run(&args, &caller)?.print(),
        Command::Extract(args) => extract_command::run(&args, &caller)?.print(),
        Command::Check(args) => check_command::run(&args),
        Command::Match(args) => match_command::run(&args, &caller)?.print(),
        Command::Verdicts(args) => verdicts_command::run(&args, &caller)?.print(),
        Command::Join(args) => join_command::run(&args, &caller)?.print(),
        Command::History(args) => history_command::run(&args, &caller)?.print(),
        Command::Verify(args) => verify_command::run(&args, &caller)?.print(),
        Command::Copy(args) => copy_command::run(&args, &caller)?.print(),
        Command::Views(args) => views_command::run(&args),
        Command::Report(_) => builtin_command::refuse_python_command("report"),
        Command::Site(_) => builtin_command::refuse_python_command("site"),
        Command::Describe(_) => builtin_command::refuse_python_command("describe"),
        Command::Schema(args) => builtin_command::print_schema(&args),
        Command::Agents(args) => builtin_command::print_agents(&args),
        Command::Completions { shell } => builtin_command::print_completions(shell),
        Command::Man { command } => builtin_command::print_man_page(command.as_deref()),
    }
}

/// Prints the error of a command, also as JSON if the output is JSON. Returns the exit code.
fn print_failure(error: &anyhow::Error, is_json: bool) -> u8 {
    message::print_error(error);
    let code = exit::code_for_error(error);
    if is_json {
        // If standard output cannot be written, that is the error, or the message has been printed.
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
    // A misspelt command is reported first, since its other arguments cannot be parsed.
    if let Some(mistyped) = args
        .get(1)
        .and_then(|first| mistyped::check_first_argument(first))
    {
        return print_failure(&mistyped.into(), is_json);
    }
    message::print_parse_error(error);
    if is_json {
        let _ = output::print(CallError::from_parse_error(error).to_json_line(exit::NOT_STARTED));
    }
    exit::NOT_STARTED
}
