//! `robots-scan extract`: copies records into one archive.

use crate::caller::Caller;
use crate::column_args::column_names;
use crate::command::{CommandArgs, CommandOutcome};
use crate::escape::escape;
use crate::exit::{self, StoppedError};
use crate::network::{self, EventRoute};
use crate::quantity::format_count;
use crate::run_args::UrlArgs;
use crate::shared_args::{PrintArgs, RecordListArgs};
use answers::extract::extract_records;
use anyhow::Result;
use indicatif::HumanBytes;
use remote::has_scheme;
use serde_json::json;
use sources::input::{self, InputOptions};
use std::path::PathBuf;
use std::sync::Arc;

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

impl CommandArgs for ExtractArgs {
    fn print_args(&mut self) -> Option<&mut PrintArgs> {
        Some(&mut self.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let route = EventRoute::default();
        let start = || network::start_scan_client(&self.url, None, &route).map(Arc::new);
        let mut remote = match self.lists.iter().any(|list| has_scheme(list)) {
            true => Some(start()?),
            false => None,
        };
        let found = input::find_records(
            &self.lists,
            &InputOptions {
                columns: column_names(&self.list.columns)?,
                base: self.list.base.clone(),
                // The crawl and the subset do not matter for a copy, so they are not looked up.
                crawl: Some("any".to_owned()),
                subset: Some("any".to_owned()),
                remote: remote.clone(),
                ..InputOptions::default()
            },
        )?;
        if found.has_urls && remote.is_none() {
            remote = Some(start()?);
        }
        let stop = caller.stop_flag()?;
        let copied = extract_records(
            &found.inputs,
            remote.as_deref(),
            &self.output,
            self.overwrite,
            &stop,
        );
        let done = copied.map_err(StoppedError::wrap_if_begun)?;
        let text = self.print.format(
            || {
                json!({
                    "output": self.output.to_string_lossy(),
                    "exit_code": exit::OK,
                    "records": done.records,
                    "bytes_written": done.bytes,
                })
            },
            || {
                format!(
                    "{}: {}, {}\n",
                    escape(&self.output.to_string_lossy()),
                    format_count(done.records, "record"),
                    HumanBytes(done.bytes),
                )
            },
        );
        Ok(CommandOutcome::ok(text))
    }
}
