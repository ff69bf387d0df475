//! The command `robots-scan`.

mod args;
mod builtin_command;
mod check_command;
mod hint;
mod match_command;
mod message;
mod mistyped;
mod progress;
mod progress_line;
mod scan_command;
mod size;
mod summary;
mod verify_command;

use args::{Args, Command};
use clap::{CommandFactory, Parser};
use std::io::Write;
use std::process::ExitCode;

/// What the exit codes mean, to scripts and schedulers.
pub(crate) mod exit {
    /// All was read and written.
    pub(crate) const WHOLE: u8 = 0;
    /// All was written, but some places of archives could not be read.
    pub(crate) const FAULTS: u8 = 1;
    /// Nothing was begun.
    pub(crate) const NOT_STARTED: u8 = 2;
    /// Something is unfinished; `--resume` continues.
    pub(crate) const STOPPED: u8 = 3;
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    let command = match (args.command, args.scan) {
        (Some(command), _) => command,
        (None, Some(scan)) => Command::Scan(Box::new(scan)),
        (None, None) => {
            // Nothing was typed: what there is to type.
            let _ = Args::command().print_help();
            return ExitCode::from(exit::NOT_STARTED);
        }
    };
    let result = match command {
        Command::Scan(args) => scan_command::run(*args),
        Command::Check(args) => check_command::run(&args),
        Command::Match(args) => match_command::run(&args),
        Command::Verify(args) => verify_command::run(&args),
        Command::Schema(args) => builtin_command::schema(&args),
        Command::Agents(args) => builtin_command::agents(&args),
        Command::Completions { shell } => completions(shell),
        Command::Man => builtin_command::man(),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        // What reads our output may close it early; that is no error of ours.
        Err(error) if is_broken_pipe(&error) => ExitCode::from(exit::WHOLE),
        Err(error) => {
            message::error(&error);
            ExitCode::from(scan_command::exit_code(&error))
        }
    }
}

/// Reports arguments that cannot be parsed. Returns the exit code.
fn refuse(error: &clap::Error) -> ExitCode {
    // What was meant by the first argument is more helpful than what it lacks.
    let first = std::env::args_os().nth(1);
    if error.exit_code() != 0
        && let Some(mistyped) = first.and_then(|first| mistyped::first_argument(&first))
    {
        message::error(&mistyped.into());
        return ExitCode::from(exit::NOT_STARTED);
    }
    ExitCode::from(message::usage(error))
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<u8> {
    // Not straight to standard output: the generator panics where a pipe is broken.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "robots-scan", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(exit::WHOLE)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
