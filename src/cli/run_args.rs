//! The arguments of all commands that write a dataset from captures: `scan`, `records` and `bodies`.

use crate::arg_values::{
    ByteLimit, DEFAULT_PATIENCE, SELECTABLE_TABLES, URL_OPTIONS_HEADING, parse_limit,
    parse_max_body, parse_rate, table_parser,
};
use crate::quantity::parse_duration;
use crate::shared_args::{AccessArgs, PrintArgs, ThreadsArg};
use clap::ValueHint;
use remote::Rate;
use std::path::PathBuf;
use std::time::Duration;
use tables::Table;

/// The arguments of a run.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The dataset, a folder; or one file, if it ends in `.parquet` and --tables names one table
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// Writes only these tables; with one of them and -o NAME.parquet, one file
    ///
    /// The tables `hosts` and `host_verdicts` are made from `robots_files` and `verdicts`, and
    /// written if both are; `host_preferences` also needs `file_preferences`.
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
    /// Lines that end beyond it have rows but no effect.
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
    pub(crate) print: PrintArgs,
}

/// The arguments for archives on servers.
#[derive(Debug, clap::Args)]
pub(crate) struct UrlArgs {
    /// The most requests a second to a server, or `none` [default: https 10, s3 500]
    ///
    /// A run begins at half of it, grows to it within a minute, and halves its rate when it is
    /// refused. With `--shard auto/N` each task takes an N-th of it. Use `none` only for servers of your
    /// own.
    #[arg(long, value_name = "N", value_parser = parse_rate, help_heading = URL_OPTIONS_HEADING, value_hint = ValueHint::Other)]
    pub(crate) rate: Option<Rate>,

    /// The most requests at a time [default: https 4, s3 16]
    #[arg(long, value_name = "N", help_heading = URL_OPTIONS_HEADING, value_parser = clap::value_parser!(u16).range(1..=256), value_hint = ValueHint::Other)]
    pub(crate) connections: Option<u16>,

    /// How long an archive is tried without a new byte, before it fails
    ///
    /// An archive that comes at less than 1 KiB a second also uses up this time. A response that sends
    /// nothing for a tenth of it, at most 30 s, is requested again.
    #[arg(long, value_name = "TIME", default_value = DEFAULT_PATIENCE, help_heading = URL_OPTIONS_HEADING, value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// Treatment of inputs that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum MissingInputAction {
    /// Nothing is begun.
    Refuse,
    /// Each is a fault of the run.
    Skip,
}
