//! The arguments of `robots-scan check`.

use crate::arg_values::{
    ByteLimit, URL_OPTIONS_HEADING, parse_host, parse_limit, parse_time, parse_url_or_path,
};
use crate::quantity::parse_duration;
use crate::shared_args::{AccessArgs, CrawlerArgs, DialectArg};
use clap::ValueHint;
use dataset::resolve::Host;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
In a dataset, a history or an archive, --host selects the host. Of its captures, the one with the most \
decisive outcome is used, https before http, then the latest. Redirects are followed within the data, and a \
revisit has the text of the capture it repeats. With several crawls, the last one decides.

Without URLs, the text is printed. It comes from the archive, if it is found and its record is unchanged: at the \
path that is its name in the dataset, or below --base. Otherwise it comes from the dataset: from the column \
`body` (`scan --with-bodies`), or else from the rows of its lines, and then comments and blank lines are \
missing. In a history, these are the lines that a dialect or a preference reads.

Examples:
  robots-scan check robots.txt --agent GPTBot --url https://example.com/a
  robots-scan check robots.txt --agent GPTBot,CCBot --urls urls.txt
  robots-scan check out.parquet --host example.com --agent GPTBot
  robots-scan check crawls --host example.com --base https://data.commoncrawl.org
  robots-scan check history --host example.com --at 2019-06-01
  robots-scan check crawl.warc.gz --host https://example.com:8443

Exit codes: 0 done, 1 a URL is disallowed, 2 usage error, 3 unknown: whether a URL is allowed, or there is \
no capture of the host, or the dataset or the archive of --base cannot be read or was changed.")]
#[command(mut_arg("agent", |agent| agent.required(false).default_value("*")))]
pub(crate) struct CheckArgs {
    /// The robots.txt file, or `-` for standard input; with --host, a dataset, history or archive
    pub(crate) file: PathBuf,

    /// The host whose robots.txt is checked: `example.com`, `example.com:8080` or
    /// `https://example.com`
    #[arg(long, value_name = "HOST", value_parser = parse_host, value_hint = ValueHint::Other)]
    pub(crate) host: Option<Host>,

    /// Uses only this crawl of a dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", requires = "host", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    /// The time for which the capture is selected [default: the newest capture]
    #[arg(long, value_name = "TIME", requires = "host", value_parser = parse_time, value_hint = ValueHint::Other)]
    pub(crate) at: Option<i64>,

    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    /// A URL to check, or a path; may be repeated. Only its path and query count
    #[arg(short, long = "url", value_name = "URL", value_parser = parse_url_or_path, value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<String>,

    /// A list of URLs to check, as for `match`, or `-` for standard input
    #[arg(long = "urls", value_name = "LIST")]
    pub(crate) list: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) dialect: DialectArg,

    /// The size of the file up to which its lines count, or `none` [default: 512000]
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, value_hint = ValueHint::Other)]
    pub(crate) body_limit: Option<ByteLimit>,

    /// A folder or URL that is put before the name of the archive, or the archive itself
    #[arg(long, value_name = "PREFIX", requires = "host", value_hint = ValueHint::AnyPath)]
    pub(crate) base: Option<String>,

    /// Also copies the WARC record to an archive of its own, such as `evidence.warc.gz`
    #[arg(long, value_name = "FILE", requires = "host")]
    pub(crate) extract: Option<PathBuf>,

    /// Replaces the file of --extract
    #[arg(long, requires = "extract")]
    pub(crate) overwrite: bool,

    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// How long an archive is tried without a new byte, before the text comes from the dataset
    #[arg(long, value_name = "TIME", default_value = "1m", help_heading = URL_OPTIONS_HEADING, value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    #[command(flatten)]
    pub(crate) access: AccessArgs,
}
