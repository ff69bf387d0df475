//! The arguments that several commands share.

use crate::commands::arg_values::{URL_OPTIONS_HEADING, dialect_parser, parse_agent};
use crate::commands::column_args::{ColumnArg, columns_parser};
use clap::ValueHint;
use clap::builder::{PathBufValueParser, TypedValueParser};
use crawlers::DialectChoice;
use sources::input::RECORD_COLUMN_KEYS;
use std::path::PathBuf;

/// The crawlers whose rules a command evaluates. `--agent` is required, unless the command gives it a default.
#[derive(Debug, clap::Args)]
pub(crate) struct CrawlerArgs {
    /// The name of a crawler, or `*`; may be repeated, or separated by commas
    #[arg(
        short,
        long,
        value_name = "NAME",
        required = true,
        value_delimiter = ',',
        value_parser = parse_agent,
        value_hint = ValueHint::Other
    )]
    pub(crate) agent: Vec<String>,

    /// Accepts names of crawlers that are not in the registry
    #[arg(long)]
    pub(crate) any_name: bool,

    /// A custom registry of crawlers instead of the built-in one
    #[arg(long, value_name = "FILE", value_parser = registry_parser())]
    pub(crate) agents: Option<PathBuf>,
}

/// Returns a parser of the path of a registry: its option is easily mistaken for `--agent`.
fn registry_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.exists() {
            Ok(path)
        } else {
            Err("no such file; names of crawlers belong to --agent")
        }
    })
}

/// The dialect in which a command reads robots.txt files.
#[derive(Debug, clap::Args)]
pub(crate) struct DialectArg {
    /// The rules by which a robots.txt is interpreted
    ///
    /// `default` applies Google's rules, but compares names of crawlers as a whole, and uses the fallbacks of
    /// the registry of crawlers.
    #[arg(long, value_name = "DIALECT", default_value = "default", value_parser = dialect_parser())]
    pub(crate) dialect: DialectChoice,
}

/// The number of threads of a command.
#[derive(Debug, clap::Args)]
pub(crate) struct ThreadsArg {
    /// Threads [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), value_hint = ValueHint::Other)]
    pub(crate) threads: Option<u16>,
}

/// The names of the columns of lists of records, and the folder or URL of the archives.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordListArgs {
    /// The names of columns, as `archive=file,offset=start`; keys: archive, offset, length, crawl, subset
    #[arg(long, value_name = "KEY=NAME", value_delimiter = ',', value_parser = columns_parser(&RECORD_COLUMN_KEYS), value_hint = ValueHint::Other)]
    pub(crate) columns: Vec<ColumnArg>,

    /// The folder or URL of the archives [default: https://data.commoncrawl.org/ for archives below
    /// `crawl-data/`, otherwise the working folder]
    #[arg(long, value_name = "PREFIX", value_hint = ValueHint::DirPath)]
    pub(crate) base: Option<String>,
}

/// Certificates and credentials for reading from servers.
#[derive(Debug, clap::Args)]
pub(crate) struct AccessArgs {
    /// Further root certificates, in PEM
    #[arg(long, value_name = "FILE", help_heading = URL_OPTIONS_HEADING)]
    pub(crate) ca: Option<PathBuf>,

    /// Reads public buckets of S3 without credentials
    #[arg(long, help_heading = URL_OPTIONS_HEADING)]
    pub(crate) no_sign_request: bool,
}

/// The options for the output of a command.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Prints no progress and no summary; errors and warnings remain
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Prints the summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
