//! The arguments of `robots-scan extract`.

use crate::run_args::UrlArgs;
use crate::shared_args::{PrintArgs, RecordListArgs};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A list has the columns that `records` reads, for example those of the table `robots_files`. Records are copied \
unchanged, in the order of crawl, archive and offset. The first record of the new archive, of the type \
`warcinfo`, says from where each was copied. If any record cannot be read, nothing is written.

Example:
  duckdb -init out.parquet/views.sql -c \"COPY (SELECT warc_filename, warc_record_offset, warc_record_length
    FROM robots_files WHERE url_host_name = 'example.com') TO 'list.csv'\"
  robots-scan extract list.csv -o evidence.warc.gz

Exit codes: 0 done, 2 not started, 3 stopped; then no output is left.")]
pub(crate) struct ExtractArgs {
    /// Lists of records: files, URLs, or `-` for standard input
    #[arg(value_name = "LIST", required = true)]
    pub(crate) lists: Vec<String>,

    /// The archive
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) list: RecordListArgs,

    /// Replaces an existing file
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) url: UrlArgs,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}
