//! The arguments of `robots-scan bodies`.

use crate::column_args::{ColumnArg, columns_parser};
use crate::run_args::RunArgs;
use clap::ValueHint;
use robots_scan::input::BODY_COLUMN_KEYS;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A table has a row for each robots.txt file that was fetched, with its URL and its body, as text or bytes. It is \
Parquet, CSV with a header, JSON lines or CDXJ, also in gzip. Without a status, a row is a successful fetch. A body \
that is null is that of a fetch that failed. In CSV an empty body has quotes (\"\"): without them it is null.

The columns `fetch_time` (a time, or text in ISO form or of 14 digits), `fetch_status`, `fetch_redirect`, `headers` \
(lines, or a JSON object) and `crawl` are used, if the table has them. In the tables that are written, \
`warc_filename` is `table:` and the name of the table, and `warc_record_offset` the number of the row, from 0.

Examples:
  robots-scan bodies fetched.parquet -o out.parquet
  robots-scan bodies export.csv --columns url=site,body=text -o out.parquet
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

    /// The columns, as `url=site,body=text`: url, body, time, status, redirect, headers or crawl
    /// [default: the names above]
    #[arg(long, value_name = "KEY=NAME", value_delimiter = ',', value_parser = columns_parser(&BODY_COLUMN_KEYS), value_hint = ValueHint::Other)]
    pub(crate) columns: Vec<ColumnArg>,
}
