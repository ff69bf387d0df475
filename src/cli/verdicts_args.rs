//! The arguments of `robots-scan verdicts`.

use crate::shared_args::{CrawlerArgs, PrintArgs};
use clap::ValueHint;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The output has one row per host and crawler, also for hosts that do not name the crawler, so that a mean is a \
share: that of `by_name` in a crawl is the share of its hosts with a known verdict that block the crawler by name. \
`robots-scan schema crawler_verdicts` describes the columns. The verdicts are those of the macro \
`verdicts_for` in DuckDB.

Example:
  robots-scan verdicts out.parquet --agent GPTBot,CCBot -o verdicts.parquet

Exit codes: 0 done, 2 not started, 3 stopped; then no output is left.")]
pub(crate) struct VerdictsArgs {
    /// The dataset: a folder that `scan` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    /// The output file, in Parquet
    #[arg(short, long, value_name = "OUT", value_parser = parse_parquet_output)]
    pub(crate) output: PathBuf,

    /// Uses only this crawl of the dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    /// Replaces a file that robots-scan wrote
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

/// Parses the path of the output. A name that ends in `.csv` is refused, because only `match` writes CSV.
fn parse_parquet_output(text: &str) -> Result<PathBuf, String> {
    match text.to_ascii_lowercase().ends_with(".csv") {
        true => Err("the output is Parquet: give a name such as verdicts.parquet".to_owned()),
        false => Ok(text.into()),
    }
}
