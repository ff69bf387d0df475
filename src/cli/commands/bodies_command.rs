//! `robots-scan bodies`: writes a dataset from tables of bodies.

use crate::calls::caller::Caller;
use crate::calls::exit::UsageError;
use crate::commands::capture_run;
use crate::commands::column_args::column_names;
use crate::commands::column_args::{ColumnArg, columns_parser};
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::network::EventRoute;
use crate::commands::run_args::RunArgs;
use crate::commands::shared_args::OutputArgs;
use crate::printing::quantity::format_count;
use anyhow::Result;
use clap::ValueHint;
use escapes::escape;
use indicatif::HumanBytes;
use scan::Options;
use sources::input::BODY_COLUMN_KEYS;
use sources::input::{self, Input};
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A table has a row for each robots.txt file that was asked for, with its URL and its body, as text or bytes. It is \
Parquet, CSV with a header, JSON lines or CDXJ, also in gzip. A column `host` or `domain` instead of `url` has hosts, \
whose robots.txt is that of https. In CSV an empty body has quotes (\"\"): without them it is null.

A row without a status, or with 0, is a failed fetch if it has no body, or a text in the column `error`: its host is \
captured, and nothing is decided of it. A row without a status but with a body is a successful fetch.

The columns `fetch_time` (a time, or text in ISO form or of 8 or 14 digits), `fetch_status`, `fetch_redirect`, `headers` \
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

    /// The names of columns, as `url=site,body=text`; keys: url, host, body, time, status, error, redirect, headers, crawl
    /// [default: the names that are listed below]
    #[arg(long, value_name = "KEY=NAME", value_delimiter = ',', value_parser = columns_parser(&BODY_COLUMN_KEYS), value_hint = ValueHint::Other)]
    pub(crate) columns: Vec<ColumnArg>,
}

impl CommandArgs for BodiesArgs {
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        Some(&mut self.run.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let layout = capture_run::output_layout(&self.run, None);
        capture_run::check_output(&self.run, false, &layout)?;
        let registry = defaults::read_registry(self.run.agents.as_deref())?;
        let columns = column_names(&self.columns)?;
        if self.crawl.is_some() && columns.has("crawl") {
            let text = "--crawl is the crawl of all rows, and --columns names a column of crawls";
            return Err(UsageError::with_hint(text, "leave one out").into());
        }
        let found = input::find_bodies(&self.body_tables, &columns, self.crawl.as_deref())?;
        let options = capture_run::run_options(&self.run, found, layout, registry)?;
        if self.run.dry_run {
            let text = describe_run(&options)?;
            return Ok(CommandOutcome::ok(text));
        }
        capture_run::run_scan(&options, &self.run, &EventRoute::new(caller), caller)
    }
}

/// Returns the output of `--dry-run`.
fn describe_run(options: &Options) -> Result<String> {
    let mut out = String::new();
    for input in &options.inputs {
        let Input { name, crawl, .. } = input;
        let bytes = HumanBytes(input.bytes.unwrap_or(0));
        writeln!(out, "crawl={crawl}  {}  {bytes}", escape(name))?;
    }
    writeln!(
        out,
        "{} would be read with {} into {}",
        format_count(options.inputs.len() as u64, "table"),
        format_count(options.threads as u64, "thread"),
        escape(&options.layout.root().to_string_lossy()),
    )?;
    Ok(out)
}
