//! The arguments of `robots-scan show`.

use crate::arg_values::{URL_OPTIONS_HEADING, dialect_parser, parse_agent, parse_host, parse_time};
use crate::quantity::parse_duration;
use clap::ValueHint;
use dataset::crawler::DialectChoice;
use dataset::resolve::Host;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The capture is the one whose rules apply, as for `check --host`: redirects are followed, and a revisit \
has the text of the capture it repeats. With several crawls, the last one decides.

The text comes from the archive, if it is found and its record is unchanged: at the path that is its \
name in the dataset, or below --base. Otherwise it comes from the dataset: from the column `body` \
(`scan --with-bodies`), or else from the rows of its lines, and then comments and blank lines are missing. \
In a history, these are the lines that a dialect or a preference reads.

Examples:
  robots-scan show out.parquet --host example.com --agent GPTBot
  robots-scan show out.parquet --host example.com --base /mnt/cc
  robots-scan show crawls --host example.com --base https://data.commoncrawl.org
  robots-scan show history --host example.com --at 2019-06-01

Exit codes: 0 done, 1 done, but the archive cannot be read or its record was changed, 2 usage error, \
3 there is no capture of the host, or the dataset cannot be read.")]
pub(crate) struct ShowArgs {
    /// The dataset: a folder that `scan` or `history` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    /// The host: `example.com`, `example.com:8080` or `https://example.com`
    #[arg(long, value_name = "HOST", value_parser = parse_host, value_hint = ValueHint::Other)]
    pub(crate) host: Host,

    /// Uses only this crawl of the dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    /// The time for which the capture is selected [default: the newest capture]
    #[arg(long, value_name = "TIME", value_parser = parse_time, value_hint = ValueHint::Other)]
    pub(crate) at: Option<i64>,

    /// The name of a crawler whose lines are marked; may be repeated, or separated by commas
    #[arg(
        short,
        long,
        value_name = "NAME",
        default_value = "*",
        value_delimiter = ',',
        value_parser = parse_agent,
        value_hint = ValueHint::Other
    )]
    pub(crate) agent: Vec<String>,

    /// Accepts names of crawlers that are not in the registry
    #[arg(long)]
    pub(crate) any_name: bool,

    /// The rules by which lines are marked
    ///
    /// `default` is Google's rules with names compared whole and with the fallbacks of the
    /// registry of crawlers.
    #[arg(long, value_name = "DIALECT", default_value = "default", value_parser = dialect_parser())]
    pub(crate) dialect: DialectChoice,

    /// A folder or URL that is put before the name of the archive, or the archive itself
    #[arg(long, value_name = "PREFIX", value_hint = ValueHint::AnyPath)]
    pub(crate) base: Option<String>,

    /// Also copies the WARC record to an archive of its own, such as `evidence.warc.gz`
    #[arg(long, value_name = "FILE")]
    pub(crate) extract: Option<PathBuf>,

    /// Replaces the file of --extract
    #[arg(long, requires = "extract")]
    pub(crate) overwrite: bool,

    /// A custom registry of crawlers instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,

    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// How long an archive is tried without a new byte, before the text comes from the dataset
    #[arg(long, value_name = "TIME", default_value = "1m", help_heading = URL_OPTIONS_HEADING, value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    /// Further root certificates, in PEM
    #[arg(long, value_name = "FILE", help_heading = URL_OPTIONS_HEADING)]
    pub(crate) ca: Option<PathBuf>,

    /// Reads public buckets of S3 without credentials
    #[arg(long, help_heading = URL_OPTIONS_HEADING)]
    pub(crate) no_sign_request: bool,
}
