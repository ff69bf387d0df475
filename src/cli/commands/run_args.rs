//! The arguments of all commands that write a dataset from captures: `scan`, `records` and `bodies`.

use crate::commands::arg_values::{
    ByteLimit, DEFAULT_PATIENCE, SELECTABLE_TABLES, URL_OPTIONS_HEADING, parse_limit,
    parse_max_body, parse_rate, table_parser,
};
use crate::commands::shared_args::{AccessArgs, OutputArgs, ThreadsArg};
use crate::printing::quantity::parse_duration;
use clap::ValueHint;
use remote::Rate;
use std::path::PathBuf;
use std::time::Duration;
use tables::Table;

/// The arguments of a run that are the same for archives, records and tables of bodies.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The dataset, a folder; or one file, if it ends in `.parquet` and --tables names one table
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// Writes only these tables; with a single table and -o NAME.parquet, one file
    ///
    /// The tables `hosts` and `host_verdicts` are made from `robots_files` and `verdicts`, and are written if
    /// both of these are; `host_preferences` also needs `file_preferences`.
    #[arg(long, value_name = "TABLE", value_delimiter = ',', value_parser = table_parser(&SELECTABLE_TABLES))]
    pub(crate) tables: Vec<Table>,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    /// Continues a run that was stopped, with the same inputs and options; without such a run, begins one
    #[arg(long, conflicts_with = "overwrite")]
    pub(crate) resume: bool,

    /// Replaces a dataset that robots-scan wrote
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// A custom registry of crawlers: CSV with at least a column `token`
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,

    /// The size of a body up to which its lines count for verdicts, or `none`
    ///
    /// Lines that end beyond this size have rows in the tables, but no effect on verdicts.
    #[arg(long, value_name = "SIZE", default_value = "512000", value_parser = parse_limit, value_hint = ValueHint::Other)]
    pub(crate) body_limit: ByteLimit,

    /// The size up to which a decoded body is read
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = parse_max_body, value_hint = ValueHint::Other)]
    pub(crate) max_body_bytes: u64,

    /// Also stores bodies, in the column `body` of `robots_files`
    #[arg(long)]
    pub(crate) with_bodies: bool,

    /// Prints the inputs and the output, and reads and writes nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

/// The arguments for archives on servers.
#[derive(Debug, clap::Args)]
pub(crate) struct UrlArgs {
    /// The most requests a second to a server, or `none` [default: https 10, s3 500]
    ///
    /// A run begins at half of this rate, reaches it within a minute, and halves its own rate when a server
    /// refuses a request. With `--shard auto/N`, each of the N tasks uses an N-th of this rate. `none` is meant
    /// for servers that the user owns.
    #[arg(long, value_name = "N", value_parser = parse_rate, help_heading = URL_OPTIONS_HEADING, value_hint = ValueHint::Other)]
    pub(crate) rate: Option<Rate>,

    /// The most requests to a server at a time [default: https 4, s3 16]
    #[arg(long, value_name = "N", help_heading = URL_OPTIONS_HEADING, value_parser = clap::value_parser!(u16).range(1..=256), value_hint = ValueHint::Other)]
    pub(crate) connections: Option<u16>,

    /// The time without a new byte after which an archive fails
    ///
    /// An archive that arrives at less than 1 KiB a second also fails, but later. If no byte arrives for a tenth
    /// of this time, at most 30 s, the request is sent again.
    #[arg(long, value_name = "TIME", default_value = DEFAULT_PATIENCE, help_heading = URL_OPTIONS_HEADING, value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// Treatment of inputs that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MissingInputAction {
    /// The run does not begin.
    Refuse,
    /// Each missing input is a row in `faults`.
    Skip,
}
