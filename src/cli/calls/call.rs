//! Runs commands for another program.

use crate::calls::call_error::CallError;
use crate::calls::call_monitor::CallMonitor;
use crate::calls::caller::Caller;
use crate::commands::args::{Command, parse_command};
use crate::commands::scan_command;
use scan::Options;
use std::ffi::OsString;
use std::sync::Arc;
use tables::Table;

/// Runs a command that writes or verifies files. The first of `args` is the name of the command.
///
/// Returns the summary as JSON, as with the option `--json`. The JSON contains the exit code.
///
/// # Errors
///
/// Returns an error if the arguments are wrong, or if the command fails.
pub fn call(args: &[OsString], monitor: &Arc<CallMonitor>) -> Result<String, CallError> {
    let program = OsString::from("robots-scan");
    let arguments: Vec<OsString> = std::iter::once(program)
        .chain(args.iter().cloned())
        .collect();
    let mut command =
        parse_command(&arguments).map_err(|error| CallError::from_parse_error(&error))?;
    let refuse = || {
        let text = "only commands that write or verify files can be called";
        CallError::from_usage(text.to_owned(), None)
    };
    let command = command.args().map_err(|_| refuse())?;
    command.output_args().ok_or_else(refuse)?.json = true;
    match command.run(&Caller::Program(Arc::clone(monitor))) {
        Ok(outcome) => Ok(String::from_utf8_lossy(&outcome.text).into_owned()),
        Err(error) => Err(CallError::from_command_error(&error)),
    }
}

/// Returns the options of a scan whose rows are streamed to the caller instead of written, and the table of the rows.
///
/// `args` are the arguments of `scan`, without an output and without `--tables`.
///
/// # Errors
///
/// Returns an error if the arguments are wrong, or if the inputs cannot be found.
pub fn stream_options(
    table: &str,
    args: &[OsString],
    monitor: &Arc<CallMonitor>,
) -> Result<(Options, Table), CallError> {
    let readable_tables = Table::FROM_RECORDS.into_iter();
    let Some(found) = readable_tables.clone().find(|known| known.name() == table) else {
        let names: Vec<&str> = readable_tables.map(Table::name).collect();
        let hint = if Table::ALL.iter().any(|known| known.name() == table) {
            "this table does not come from single records: scan into a dataset".to_owned()
        } else {
            format!("choose from {}", names.join(", "))
        };
        let text = format!("there is no table '{table}' to read");
        return Err(CallError::from_usage(text, Some(hint)));
    };
    // Nothing is written, but `scan` requires an output.
    let fixed = ["robots-scan", "scan", "--output=-", "--tables"].map(OsString::from);
    let table = [OsString::from(table)];
    let arguments: Vec<OsString> = fixed.iter().chain(&table).chain(args).cloned().collect();
    let command = parse_command(&arguments).map_err(|error| CallError::from_parse_error(&error))?;
    let Command::Scan(args) = command else {
        let text = "these are not arguments of scan".to_owned();
        return Err(CallError::from_usage(text, None));
    };
    let caller = Caller::Program(Arc::clone(monitor));
    let options = scan_command::stream_options(&args, &caller);
    let options = options.map_err(|error| CallError::from_command_error(&error))?;
    Ok((options, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::args::Args;
    use clap::CommandFactory;
    use std::collections::BTreeSet;

    fn error(args: &[&str]) -> CallError {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        call(&args, &Arc::default()).unwrap_err()
    }

    #[test]
    fn errors_have_a_kind_a_path_and_a_hint() {
        // Nothing is there, whatever the working folder holds.
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (input, out) = (path("no-such-file.warc.gz"), path("out"));
        let usage = error(&["verify", &out, "--treads", "2"]);
        assert_eq!(usage.kind, "usage");
        assert_eq!(usage.text, "unexpected argument '--treads' found");
        assert!(usage.hint.unwrap().contains("'--threads'"));
        let missing = error(&["scan", &input, "-o", &out]);
        assert_eq!((&*missing.kind, missing.has_begun), ("read", false));
        assert_eq!(missing.path, Some(std::path::PathBuf::from(input)));
        assert_eq!(error(&["check", &out, "--host", "a.com"]).kind, "usage");
    }

    /// Returns the names of the parameters of a function of the Python package.
    fn parameters<'t>(text: &'t str, function: &str) -> BTreeSet<&'t str> {
        let start = format!("\ndef {function}(");
        let (_, rest) = text.split_once(&start).unwrap();
        let (parameters, _) = rest.split_once(") -> ").unwrap();
        parameters
            .split([',', '\n'])
            .filter_map(|parameter| Some(parameter.split_once(':')?.0.trim()))
            .collect()
    }

    #[test]
    fn the_functions_of_python_have_the_options_of_the_commands() {
        // Options that only change what is printed.
        const PRINTING: [&str; 5] = ["dry-run", "help", "json", "progress", "quiet"];
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/python/robots_scan/_commands.py"
        );
        let text = std::fs::read_to_string(path).unwrap();
        let mut count = 0;
        for command in Args::command().get_subcommands() {
            let name = command.get_name();
            if !text.contains(&format!("\ndef {name}(")) {
                continue;
            }
            count += 1;
            let positional = |arg: &clap::Arg| {
                let id = arg.get_id().as_str().to_owned();
                arg.is_positional().then_some(id)
            };
            let positional: BTreeSet<String> =
                command.get_arguments().filter_map(positional).collect();
            let options = command.get_arguments().filter_map(clap::Arg::get_long);
            let options: BTreeSet<String> = options
                .filter(|option| !PRINTING.contains(option))
                .map(|option| option.replace('-', "_"))
                .collect();
            let parameters = parameters(&text, name);
            let lacking: Vec<&String> = options
                .iter()
                .filter(|option| !parameters.contains(option.as_str()))
                .collect();
            assert_eq!(
                lacking,
                Vec::<&String>::new(),
                "{name} of Python lacks options"
            );
            let unknown: Vec<&&str> = parameters
                .iter()
                .filter(|name| !options.contains(**name) && **name != "progress")
                .collect();
            assert!(
                unknown.len() <= positional.len(),
                "{name}: {unknown:?} are no options, and {positional:?} are the arguments"
            );
        }
        assert_eq!(count, 7);
    }
}
