//! `robots-scan records`: writes a dataset from single records of archives.

use crate::calls::caller::Caller;
use crate::commands::capture_run;
use crate::commands::column_args::column_names;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::network::{self, EventRoute};
use crate::commands::run_args::{MissingInputAction, RunArgs, UrlArgs};
use crate::commands::shared_args::{OutputArgs, RecordListArgs};
use crate::printing::quantity::{format_count, format_duration};
use anyhow::Result;
use clap::ValueHint;
use dataset::division::PartSize;
use indicatif::{HumanBytes, HumanCount};
use remote::has_scheme;
use scan::Options;
use sources::input::{self, InputOptions, MAX_INPUT_RECORDS};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

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

    /// The name of the crawl of all records [default: from the list, otherwise from archives]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Option<String>,

    /// The name of the subset of all records [default: from the list, otherwise from archives]
    ///
    /// In the subset `robotstxt` every response is a capture; in others only responses for /robots.txt.
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

impl CommandArgs for RecordsArgs {
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        Some(&mut self.run.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let route = EventRoute::new(caller);
        let layout = capture_run::output_layout(&self.run, None);
        capture_run::check_output(&self.run, self.with_record_ids, &layout)?;
        let registry = defaults::read_registry(self.run.agents.as_deref())?;
        let start = || network::start_scan_client(&self.url, None, &route).map(Arc::new);
        let mut remote = if self.lists.iter().any(|list| has_scheme(list)) {
            Some(start()?)
        } else {
            None
        };
        let found = input::find_records(
            &self.lists,
            &InputOptions {
                columns: column_names(&self.list.columns)?,
                base: self.list.base.clone(),
                crawl: self.crawl.clone(),
                subset: self.subset.clone(),
                skips_missing: self.missing == MissingInputAction::Skip,
                remote: remote.clone(),
                threads: defaults::thread_count(&self.run.threads),
                ..InputOptions::default()
            },
        )?;
        if found.has_urls && remote.is_none() {
            remote = Some(start()?);
        }
        if remote.is_none() {
            let given = network::changed_url_options(&self.url);
            if !given.is_empty() {
                let given = given.join(", ");
                caller.warn(&format!("no archive is at a URL; without effect: {given}"));
            }
        }
        let options = Options {
            with_record_ids: self.with_record_ids,
            verify_digests: self.verify_digests,
            part_size: PartSize::Records(MAX_INPUT_RECORDS as u64),
            skips_missing: self.missing == MissingInputAction::Skip,
            remote,
            ..capture_run::run_options(&self.run, found, layout, registry)?
        };
        if self.run.dry_run {
            let text = describe_run(&options)?;
            return Ok(CommandOutcome::ok(text));
        }
        capture_run::run_scan(&options, &self.run, &route, caller)
    }
}

/// Returns the output of `--dry-run`: the records and archives of each crawl, the number of parts, and the number and
/// duration of the requests.
fn describe_run(options: &Options) -> Result<String> {
    let mut out = String::new();
    let (mut requests, mut first_url) = (0, None);
    for inputs in options.inputs.chunk_by(|a, b| a.crawl == b.crawl) {
        let bytes: u64 = inputs.iter().filter_map(|input| input.bytes).sum();
        let mut archives: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        archives.dedup();
        let mut records = 0;
        for input in inputs {
            records += input.source.addresses().len() as u64;
            if let Some(url) = input.place().url() {
                let ranges = input.requested_ranges().unwrap_or_default();
                requests += ranges.len() as u64;
                first_url.get_or_insert(url);
            }
        }
        writeln!(
            out,
            "crawl={}: {} in {}, {}",
            inputs[0].crawl,
            format_count(records, "record"),
            format_count(archives.len() as u64, "archive"),
            HumanBytes(bytes),
        )?;
    }
    let parts = scan::plan_parts(&options.inputs, options.part_size);
    writeln!(
        out,
        "{} would be written",
        format_count(parts.len() as u64, "part")
    )?;
    if let (Some(url), Some(remote)) = (first_url, &options.remote) {
        let count = HumanCount(requests);
        match remote.options().rate_ceiling(url.scheme()) {
            None => writeln!(out, "{count} requests, at no limited rate")?,
            Some(rate) => {
                let least = Duration::from_secs_f64(requests as f64 / rate);
                let least = format_duration(least);
                writeln!(out, "{count} requests, at least {least} at {rate} a second")?;
            }
        }
    }
    Ok(out)
}
