//! The command line of robots-scan.
//!
//! `args.rs` and `show_args.rs` define the arguments. Each command has a file
//! `<name>_command.rs`, which converts its arguments to the options of the library, runs it,
//! and prints the result.
//! `summary.rs` formats the summary of a scan, and `next_commands.rs` the commands at the end of each summary.
//! `message.rs` prints errors and warnings, `hint.rs` adds advice to errors, `exit.rs`
//! determines the exit code, and `progress.rs` displays progress.
//!
//! Only this folder knows the options of the command line.
//!
//! [`run`] is the whole program. [`call`] runs one of the commands `scan`, `match`, `verdicts`, `join` and
//! `verify` for another program, which shows their progress itself: the Python package.

mod agent_advice;
mod args;
mod builtin_command;
mod call;
mod call_monitor;
mod check_command;
mod check_report;
mod copy_command;
mod defaults;
mod duration;
mod escape;
mod exit;
mod figures;
mod hint;
mod interrupt;
mod join_command;
mod match_command;
mod message;
mod mistyped;
mod network;
mod next_commands;
mod plural;
mod progress;
mod progress_line;
mod record_fetch;
mod report_command;
mod scan_command;
mod session;
mod shard_choice;
mod shell;
mod show_args;
mod show_command;
mod show_report;
mod size;
mod summary;
mod usage_error;
mod verdicts_command;
mod verify_command;
mod views_command;

pub use agent_advice::header_warning;
pub use call::{CallError, call, reader_options};
pub use call_monitor::{CallMonitor, Message, MessageLevel, ProgressState};

use args::{Args, Command};
use clap::{CommandFactory, Parser};
use session::Session;
use std::ffi::OsString;
use std::io::Write;

/// Runs the program with arguments, the first of which is its name. Returns the exit code.
///
/// It may be called once per process, because it handles the signals that stop a program.
pub fn run(args: &[OsString]) -> u8 {
    let code = run_command(args);
    // Only the standard library's own `main` flushes at the end of a program.
    let _ = std::io::stdout().flush();
    code
}

fn run_command(args: &[OsString]) -> u8 {
    let first = args.get(1);
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return refuse(&error, first),
    };
    let command = match (args.command, args.scan) {
        (Some(command), _) => command,
        (None, Some(scan)) => Command::Scan(Box::new(scan)),
        (None, None) => {
            // Without any argument, the help is printed.
            let _ = Args::command().print_help();
            return exit::NOT_STARTED;
        }
    };
    let session = Session::Terminal;
    let result = match command {
        Command::Scan(args) => scan_command::run(&args, &session).map(session::Outcome::print),
        Command::Check(args) => check_command::run(&args),
        Command::Show(args) => show_command::run(&args),
        Command::Match(args) => match_command::run(&args, &session).map(session::Outcome::print),
        Command::Verdicts(args) => {
            verdicts_command::run(&args, &session).map(session::Outcome::print)
        }
        Command::Join(args) => join_command::run(&args, &session).map(session::Outcome::print),
        Command::Verify(args) => verify_command::run(&args, &session).map(session::Outcome::print),
        Command::Copy(args) => copy_command::run(&args),
        Command::Views(args) => views_command::run(&args),
        Command::Report(args) => report_command::run(&args),
        Command::Schema(args) => builtin_command::schema(&args),
        Command::Agents(args) => builtin_command::agents(&args),
        Command::Completions { shell } => builtin_command::completions(shell),
        Command::Man => builtin_command::man(),
    };
    match result {
        Ok(code) => code,
        // A reader may close standard output early, as `head` does. This is not an error.
        Err(error) if is_broken_pipe(&error) => exit::OK,
        Err(error) => {
            message::error(&error);
            exit::code_of(&error)
        }
    }
}

/// Prints the error of arguments that cannot be parsed. Returns the exit code.
fn refuse(error: &clap::Error, first: Option<&OsString>) -> u8 {
    // A misspelt command is reported first, since its other arguments cannot be parsed.
    if error.exit_code() != 0
        && let Some(mistyped) = first.and_then(|first| mistyped::first_argument(first))
    {
        message::error(&mistyped.into());
        return exit::NOT_STARTED;
    }
    message::usage(error)
}

/// Returns true if standard output was closed.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
