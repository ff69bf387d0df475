//! The list of the commands, and the commands `man` and `completions`, whose output is generated from this list.
//!
//! The doc comments of variants and fields are the help texts. The name of the command `scan` may be left out.

use crate::advice::mistyped;
#[cfg(feature = "answers")]
use crate::answers::AnswerCommand;
use crate::calls::caller::Caller;
use crate::calls::exit::UsageError;
use crate::commands::bodies_command::BodiesArgs;
use crate::commands::builtin_command::{
    AgentsArgs, PythonCommandArgs, SchemaArgs, python_command_error,
};
use crate::commands::column_args;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::join_command::JoinArgs;
use crate::commands::records_command::RecordsArgs;
use crate::commands::scan_command::{EXAMPLES, ScanArgs};
use crate::commands::verify_command::VerifyArgs;
use crate::commands::views_command::ViewsArgs;
use anyhow::Result;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};
use errors::Error;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold());

const COMPLETIONS_HELP: &str = "\
To install them, add a line to the start file of the shell:
  bash  ~/.bashrc                   source <(robots-scan completions bash)
  zsh   ~/.zshrc, after compinit    source <(robots-scan completions zsh)
  fish  ~/.config/fish/config.fish  robots-scan completions fish | source";

/// Measures robots.txt across the web: WARC archives in, Parquet tables out.
#[derive(Debug, Parser)]
#[command(name = "robots-scan", version, styles = STYLES, after_help = EXAMPLES, max_term_width = 100)]
#[command(
    override_usage = "robots-scan [scan] INPUT… -o OUT [OPTIONS]\n       robots-scan COMMAND"
)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The options of `scan`, for a command line without the name of a command. This field only declares them:
    /// [`parse_command`] returns their values as [`Command::Scan`].
    #[command(flatten)]
    _scan: Option<ScanArgs>,
}

/// Parses the arguments of the program, the first of which is its name.
pub(crate) fn parse_command(args: &[OsString]) -> Result<Command, clap::Error> {
    // It is made only once, because that takes longer than to parse with it.
    let mut program = Args::command();
    let mut parse = |args: &[OsString]| {
        let matches = program.try_get_matches_from_mut(args)?;
        Args::from_arg_matches(&matches).map_err(|error| error.format(&mut program))
    };
    let parsed = parse(args).map_err(column_args::add_columns_tip)?;
    // Without the name of a command, clap has checked the arguments of `scan`, but it cannot build an `Option` of a
    // struct with flattened structs. So the arguments are parsed again with the name.
    let with_scan = || {
        let (name, rest) = args.split_at(args.len().min(1));
        parse(&[name, &["scan".into()], rest].concat())?
            .command
            .ok_or_else(|| clap::Error::new(clap::error::ErrorKind::MissingSubcommand))
    };
    parsed.command.map_or_else(with_scan, Ok)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reads archives and writes a dataset (the default)
    Scan(Box<ScanArgs>),
    /// Reads single records of archives, from a list of their addresses, and writes a dataset
    Records(Box<RecordsArgs>),
    /// Reads tables with a URL and a body in each row, and writes a dataset
    Bodies(Box<BodiesArgs>),
    /// Joins the datasets in the subfolders of a folder, such as months or shards, into one
    Join(JoinArgs),
    #[cfg(feature = "answers")]
    #[command(flatten)]
    Answers(AnswerCommand),
    /// Checks whether a dataset is complete and unchanged
    Verify(VerifyArgs),
    /// Writes views.sql again, after a dataset was moved or if it is of somebody else
    Views(ViewsArgs),
    /// Draws a dataset as one HTML page (with the Python package)
    Report(PythonCommandArgs),
    /// Writes static pages to look up hosts and crawlers (with the Python package)
    Site(PythonCommandArgs),
    /// Describes a dataset for catalogues and readers (with the Python package)
    Describe(PythonCommandArgs),
    /// Prints the tables with the types and descriptions of their columns
    Schema(SchemaArgs),
    /// Prints the registry of crawlers
    Agents(AgentsArgs),
    /// Prints completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Prints the manual page of the program, or of a command
    Man(ManArgs),
}

impl Command {
    /// Returns the arguments, which run the command.
    ///
    /// # Errors
    ///
    /// Returns an error for a command that only the Python package has, and for a misspelt command, which clap has
    /// parsed as an input of `scan`.
    pub(crate) fn args(&mut self) -> Result<&mut dyn CommandArgs, UsageError> {
        Ok(match self {
            Self::Scan(args) => {
                let first = args.inputs.first().map(OsStr::new);
                let misspelt =
                    first.and_then(|first| mistyped::misspelt_command_error(first, Args::command));
                match misspelt {
                    Some(error) => return Err(error),
                    None => args.as_mut(),
                }
            }
            Self::Records(args) => args.as_mut(),
            Self::Bodies(args) => args.as_mut(),
            Self::Join(args) => args,
            #[cfg(feature = "answers")]
            Self::Answers(command) => command.args(),
            Self::Verify(args) => args,
            Self::Views(args) => args,
            Self::Report(_) => return Err(python_command_error("report")),
            Self::Site(_) => return Err(python_command_error("site")),
            Self::Describe(_) => return Err(python_command_error("describe")),
            Self::Schema(args) => args,
            Self::Agents(args) => args,
            Self::Completions(args) => args,
            Self::Man(args) => args,
        })
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The command
    #[arg(value_name = "COMMAND", value_hint = ValueHint::Other)]
    command: Option<String>,

    /// Writes the pages of the program and of all commands into a folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    write: Option<PathBuf>,
}

impl CommandArgs for ManArgs {
    fn run(&self, _caller: &Caller) -> Result<CommandOutcome> {
        let mut program = Args::command();
        if let Some(folder) = &self.write {
            let created = std::fs::create_dir_all(folder);
            let written = created.and_then(|()| clap_mangen::generate_to(program, folder));
            written.map_err(|error| Error::write(folder, error))?;
            return Ok(CommandOutcome::ok(""));
        }
        program.build();
        let page = match &self.command {
            None => clap_mangen::Man::new(program),
            Some(name) => match program.find_subcommand(name) {
                Some(found) => clap_mangen::Man::new(found.clone()),
                None => return Err(mistyped::unknown_command_error(name, &Args::command()).into()),
            },
        };
        let mut text = Vec::new();
        page.render(&mut text)?;
        Ok(CommandOutcome::ok(text))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

impl CommandArgs for CompletionsArgs {
    fn run(&self, _caller: &Caller) -> Result<CommandOutcome> {
        let mut script = Vec::new();
        let mut program = Args::command();
        clap_complete::generate(self.shell, &mut program, "robots-scan", &mut script);
        Ok(CommandOutcome::ok(script))
    }
}
