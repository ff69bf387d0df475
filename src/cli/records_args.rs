//! The arguments of `robots-scan records`.

use crate::args::MissingInputAction;
use crate::run_args::{RunArgs, UrlArgs};
use crate::shared_args::RecordListArgs;
use clap::ValueHint;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A list has a row for each record, with the archive, the offset and the length of the record: \
`warc_filename`, `warc_record_offset` and `warc_record_length`, as in the columnar index of Common Crawl, \
or `filename`, `offset` and `length`, as in the answers of its CDX server. It is Parquet, CSV with a header, \
JSON lines or CDXJ, also in gzip. The columns `crawl` and `subset` are optional. A record that is \
listed twice is an error.

Records that are near each other are fetched in one request. The output is in the order of crawl, archive and \
offset, whatever the order of the list.

Examples:
  robots-scan records list.parquet -o out.parquet       from Common Crawl
  robots-scan records list.csv --base /mnt/cc -o out.parquet
                                                        from files
  robots-scan records cdx.jsonl --base s3://commoncrawl -o out.parquet

Exit codes: 0 done, 1 done, but records could not be read (see the table `faults`), 2 not started, 3 stopped \
(`--resume` continues).")]
pub(crate) struct RecordsArgs {
    /// Lists of records: files, URLs, or `-` for standard input
    #[arg(value_name = "LIST", required = true)]
    pub(crate) lists: Vec<String>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) list: RecordListArgs,

    /// The name of the crawl of all records [default: from the list, otherwise from the names of archives]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Option<String>,

    /// The name of the subset of all records [default: from the list, otherwise from the names of archives]
    ///
    /// In the subset `robotstxt` every response is a capture; in others only those of /robots.txt.
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) subset: Option<String>,

    /// The treatment of missing archives: `refuse` to begin, or `skip` each with a row in `faults`
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub(crate) missing: MissingInputAction,

    /// Also stores WARC-Record-ID, in the column `warc_record_id` of `robots_files`
    #[arg(long)]
    pub(crate) with_record_ids: bool,

    /// Compares WARC-Block-Digest and WARC-Payload-Digest of every capture
    #[arg(long)]
    pub(crate) verify_digests: bool,

    #[command(flatten)]
    pub(crate) url: UrlArgs,
}
