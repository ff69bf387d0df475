//! The arguments of `robots-scan bodies`.

use crate::run_args::RunArgs;
use clap::ValueHint;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A table has a row for each robots.txt file that was fetched, with its URL and its body, as text or bytes. It is \
Parquet, CSV with a header, or JSON lines, also in gzip. Without a status, a row is a successful fetch. A body \
that is null is that of a fetch that failed.

The columns `fetch_time` (a time, or text in ISO form or of 14 digits), `fetch_status`, `fetch_redirect`, `headers` \
(lines, or a JSON object) and `crawl` are used, if the table has them. In the tables that are written, \
`warc_filename` is the name of the table and `warc_record_offset` the number of the row, from 0.

Examples:
  robots-scan bodies fetched.parquet -o out.parquet
  robots-scan bodies export.csv --url-column site --body-column text -o out.parquet
  robots-scan bodies 2024.jsonl.gz --crawl MY-2024 -o out.parquet

Exit codes: 0 done, 1 done, but rows could not be read (see the table `faults`), 2 not started, 3 stopped \
(`--resume` continues).")]
pub(crate) struct BodiesArgs {
    /// Tables of bodies: files
    #[arg(value_name = "TABLE", required = true)]
    pub(crate) body_tables: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// The name of the crawl of all rows [default: from the column `crawl`, otherwise `bodies`]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Option<String>,

    /// The column of URLs [default: url]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) url_column: Option<String>,

    /// The column of bodies [default: body]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) body_column: Option<String>,

    /// The column of times [default: fetch_time, timestamp or time]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) time_column: Option<String>,

    /// The column of HTTP statuses [default: fetch_status or status]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) status_column: Option<String>,

    /// The column of targets of redirects [default: fetch_redirect]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) redirect_column: Option<String>,

    /// The column of header fields [default: headers]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) headers_column: Option<String>,

    /// The column of crawls [default: crawl]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other, conflicts_with = "crawl")]
    pub(crate) crawl_column: Option<String>,
}
