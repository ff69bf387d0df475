//! `robots-scan scan`: reads archives and writes a dataset.

use crate::advice::mistyped;
use crate::calls::caller::Caller;
use crate::calls::exit::UsageError;
use crate::commands::capture_run;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::network::{self, EventRoute};
use crate::commands::run_args::{MissingInputAction, RunArgs, UrlArgs};
use crate::commands::shard_choice::ShardChoice;
use crate::commands::shared_args::OutputArgs;
use crate::printing::quantity::{format_count, format_duration};
use anyhow::Result;
use clap::ValueHint;
use dataset::OutputLayout;
use dataset::division::{PartSize, Sample, Shard};
use errors::Error;
use escapes::escape;
use indicatif::{HumanBytes, HumanCount};
use remote::RemoteUrl;
use scan::Options;
use sources::InputPlace;
use sources::error::SourceErrorKind;
use sources::input::{self, InputOptions};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tables::Table;

/// The text at the end of the help of the program and of the command `scan`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  robots-scan crawl-*.warc.gz -o out.parquet        from archives to a dataset
  duckdb -init out.parquet/views.sql                query it

  robots-scan --paths $LIST_URL --sample 100 --seed 1 -o out.parquet
                                                    100 archives of a list
  robots-scan --paths robotstxt.paths.gz --base /mnt/cc --shard 17/100 -o out-17
                                                    shard 17 of 100 of a crawl
  robots-scan crawl.warc.gz --tables rules -o rules.parquet
                                                    one table, one file
  curl -s URL | robots-scan - -o out.parquet        from a pipe

Sizes are whole bytes, or have a unit in upper or lower case: k, kB, M, MB, G and GB \
are powers of 1000; KiB, MiB and GiB are powers of 1024.

Exit codes: 0 done, 1 done, but parts of archives could not be read (see the \
table `faults`), 2 not started, 3 stopped (`--resume` continues).";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ScanArgs {
    /// Archives: files, folders, globs, URLs (https, s3), pipes, or `-` for standard input
    ///
    /// WARC 0.17 to 1.1; gzip, zstd (.warc.zst) or plain.
    #[arg(value_name = "INPUT", required_unless_present = "paths")]
    pub(crate) inputs: Vec<String>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// A list of archives, one per line, plain or gzip (`robotstxt.paths.gz`): a file or a URL
    #[arg(long, value_name = "LIST")]
    pub(crate) paths: Option<PathBuf>,

    /// A folder or URL that is put before each line of --paths [default for a list at a URL: its
    /// part before `crawl-data/`]
    #[arg(long, value_name = "PREFIX", value_hint = ValueHint::DirPath)]
    pub(crate) base: Option<String>,

    /// The name of the crawl [default: from paths, otherwise from archives]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Option<String>,

    /// The name of the subset [default: from paths, otherwise from archives]
    ///
    /// In the subset `robotstxt` every response is a capture; in others only responses for /robots.txt.
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) subset: Option<String>,

    /// The name of the only input that is a stream, as `warc_filename` [default: `-` for standard
    /// input, `stream-1`, `stream-2`, … for `<(…)` and other descriptors, the base name of a FIFO]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new(), value_hint = ValueHint::Other)]
    pub(crate) name: Option<String>,

    /// Names files by their paths below this folder, as `warc_filename` [default: the path from
    /// `crawl-data/` on, otherwise the base name]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) relative_to: Option<PathBuf>,

    /// The treatment of missing inputs: `refuse` to begin, or `skip` each with a row in `faults`
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    pub(crate) missing: MissingInputAction,

    /// Reads the I-th of N equal shares of the inputs, I from 1; with `auto/N`, I is that of the task in
    /// Slurm (an array 1-N), AWS Batch or Kubernetes
    ///
    /// The datasets of all shards become one with `robots-scan join`.
    #[arg(long, value_name = "I/N", value_parser = str::parse::<ShardChoice>, value_hint = ValueHint::Other)]
    pub(crate) shard: Option<ShardChoice>,

    /// Reads a random sample of N archives, chosen by their names and --seed
    #[arg(long, value_name = "N", requires = "seed", value_parser = clap::value_parser!(u32).range(1..), value_hint = ValueHint::Other)]
    pub(crate) sample: Option<u32>,

    /// The seed of --sample: the same seed chooses the same archives
    #[arg(long, value_name = "S", requires = "sample", value_hint = ValueHint::Other)]
    pub(crate) seed: Option<u32>,

    /// Numbers the inputs from N on, so that the keys of several runs over one crawl differ
    ///
    /// `robots_id` consists of the number of the input and the number of the capture in this input.
    #[arg(long, value_name = "N", default_value = "0", value_hint = ValueHint::Other)]
    pub(crate) first_input: u64,

    /// The number of inputs of a part, which is the unit of commit and resume [default: as many as have 1GiB
    /// together; 512 if any is a URL]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), value_hint = ValueHint::Other)]
    pub(crate) part_inputs: Option<u32>,

    /// Also stores WARC-Record-ID, in the column `warc_record_id` of `robots_files`
    #[arg(long)]
    pub(crate) with_record_ids: bool,

    /// Compares WARC-Block-Digest and WARC-Payload-Digest of every capture
    ///
    /// Without it, they are compared only if no checksum protects the bytes: in plain archives
    /// and in zstd frames without checksums. A digest that differs is a fault.
    #[arg(long)]
    pub(crate) verify_digests: bool,

    #[command(flatten)]
    pub(crate) url: UrlArgs,
}

/// The most inputs of a run that are checked before it begins: at least one of them must be an archive. A run with more
/// inputs begins without this check.
const MAX_CHECKED_INPUTS: usize = 1000;

/// The default size of the inputs of a part in bytes, if no input is at a URL.
const DEFAULT_PART_BYTES: u64 = 1 << 30;

/// The default number of inputs of a part, if any input is at a URL. 512 archives of Common Crawl's subset `robotstxt`
/// have about 970 MB.
const DEFAULT_PART_INPUTS: u64 = 512;

impl CommandArgs for ScanArgs {
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        Some(&mut self.run.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let route = EventRoute::new(caller);
        let layout = output_layout(self)?;
        capture_run::check_output(&self.run, self.with_record_ids, &layout)?;
        let options = scan_options(self, layout, &route)?;
        if options.remote.is_none() {
            warn_about_url_options(self, caller);
        }
        if self.run.dry_run {
            let text = describe_run(&options)?;
            return Ok(CommandOutcome::ok(text));
        }
        if options.inputs.len() <= MAX_CHECKED_INPUTS {
            input::check_archives(&options.inputs).map_err(explain_dataset_as_input)?;
        }
        capture_run::run_scan(&options, &self.run, &route, caller)
    }
}

/// Warns about options for URLs if no input is a URL.
fn warn_about_url_options(args: &ScanArgs, caller: &Caller) {
    let given = network::changed_url_options(&args.url);
    if !given.is_empty() {
        let given = given.join(", ");
        caller.warn(&format!("no input is a URL; without effect: {given}"));
    }
}

fn resolve_shard(args: &ScanArgs) -> Result<Option<Shard>> {
    let shard = args
        .shard
        .map(|choice| choice.resolve(|name| std::env::var(name).ok()));
    Ok(shard.transpose()?)
}

fn output_layout(args: &ScanArgs) -> Result<OutputLayout> {
    let shard = resolve_shard(args)?.map(|shard| shard.index);
    Ok(capture_run::output_layout(&args.run, shard))
}

/// Converts the arguments to the options of a scan whose rows are streamed to another program instead of written.
pub(crate) fn stream_options(args: &ScanArgs, caller: &Caller) -> Result<Options> {
    let options = scan_options(args, output_layout(args)?, &EventRoute::new(caller))?;
    if options.inputs.len() <= MAX_CHECKED_INPUTS {
        input::check_archives(&options.inputs).map_err(explain_dataset_as_input)?;
    }
    Ok(options)
}

/// Finds the inputs, starts the client if any is at a URL, and returns the options of a run.
fn scan_options(args: &ScanArgs, layout: OutputLayout, route: &EventRoute) -> Result<Options> {
    let registry = defaults::read_registry(args.run.agents.as_deref())?;
    let shard = resolve_shard(args)?;
    if layout.tables() == [Table::AGENTS] {
        let text = "the table 'agents' does not come from archives";
        let hint = "robots-scan agents --json prints it";
        return Err(UsageError::with_hint(text, hint).into());
    }
    // With `auto/N`, the N tasks of a cluster share the limit of the request rate.
    let tasks = match args.shard {
        Some(ShardChoice::FromTask(count)) => Some(count),
        _ => None,
    };
    let start = || network::start_scan_client(&args.url, tasks, route).map(Arc::new);
    let list = args.paths.as_ref().map(|list| list.to_string_lossy());
    let mut remote = if list.is_some_and(|list| list.contains("://")) {
        Some(start()?)
    } else {
        None
    };
    let sample = args.sample.zip(args.seed).map(|(archives, seed)| Sample {
        archives: archives as usize,
        seed: seed.into(),
    });
    let found = input::find_inputs(&InputOptions {
        arguments: args.inputs.clone(),
        paths: args.paths.clone(),
        base: args.base.clone(),
        crawl: args.crawl.clone(),
        subset: args.subset.clone(),
        name: args.name.clone(),
        is_dry_run: args.run.dry_run,
        is_resumed: args.run.resume,
        relative_to: args.relative_to.clone(),
        skips_missing: args.missing == MissingInputAction::Skip,
        first_input: args.first_input,
        sample,
        shard,
        remote: remote.clone(),
        threads: defaults::thread_count(&args.run.threads),
        ..InputOptions::default()
    });
    let found = found.map_err(explain_dataset_as_input)?;
    if found.has_urls && remote.is_none() {
        remote = Some(start()?);
    }
    let part_size = match args.part_inputs {
        Some(count) => PartSize::Inputs(count.into()),
        None if found.has_urls => PartSize::Inputs(DEFAULT_PART_INPUTS),
        None => PartSize::Bytes(DEFAULT_PART_BYTES),
    };
    Ok(Options {
        with_record_ids: args.with_record_ids,
        verify_digests: args.verify_digests,
        part_size,
        sample,
        shard,
        skips_missing: args.missing == MissingInputAction::Skip,
        remote,
        ..capture_run::run_options(&args.run, found, layout, registry)?
    })
}

/// Replaces an error about an input that is a dataset by one that names the commands
/// for datasets.
fn explain_dataset_as_input(error: Error) -> anyhow::Error {
    let usage = match error.kind() {
        Some(SourceErrorKind::NoInput | SourceErrorKind::NotAnArchive(_)) => {
            mistyped::dataset_as_archive_error(error.path())
        }
        _ => None,
    };
    usage.map_or_else(|| error.into(), Into::into)
}

/// Returns the output of `--dry-run`: the inputs and tables that a run would read and write.
fn describe_run(options: &Options) -> Result<String> {
    let mut out = String::new();
    let parts = scan::plan_parts(&options.inputs, options.part_size);
    for part in &parts {
        let inputs = &options.inputs[part.inputs.clone()];
        let bytes: Option<u64> = inputs.iter().map(|input| input.bytes).sum();
        let size = bytes.map_or("size unknown".to_owned(), |bytes| {
            HumanBytes(bytes).to_string()
        });
        let (crawl, subset) = (&inputs[0].crawl, &inputs[0].subset);
        writeln!(
            out,
            "part {}: crawl={crawl} subset={subset}, {size}",
            part.number
        )?;
        for input in inputs {
            let size = match (input.place(), input.bytes) {
                (InputPlace::Stream(_), _) => {
                    "a stream, which is not opened: its size, crawl and subset are \
                     unknown"
                        .to_owned()
                }
                (InputPlace::Missing(_), _) => "missing".to_owned(),
                (InputPlace::File(_), None) => "size unknown".to_owned(),
                (InputPlace::File(_), Some(bytes)) => HumanBytes(bytes).to_string(),
                (InputPlace::Remote(object), _) => format!("from {object}"),
            };
            writeln!(out, "  {}  {size}", escape(&input.name))?;
        }
    }
    let tables: Vec<&str> = options
        .layout
        .tables()
        .iter()
        .map(|table| table.name())
        .collect();
    writeln!(
        out,
        "{} in {} would be read with {} into {}: {}",
        format_count(options.inputs.len() as u64, "archive"),
        format_count(parts.len() as u64, "part"),
        format_count(options.threads as u64, "thread"),
        escape(&options.layout.root().to_string_lossy()),
        tables.join(", "),
    )?;
    if let Some(sample) = options.sample {
        let listed = HumanCount(options.listed_inputs);
        writeln!(
            out,
            "they are a sample of {listed} archives, by seed {}",
            sample.seed
        )?;
    }
    write_requests(options, &mut out)?;
    Ok(out)
}

/// Writes the number of requests, and the shortest time in which the rate limit allows them.
fn write_requests(options: &Options, out: &mut impl Write) -> Result<()> {
    let urls = options
        .inputs
        .iter()
        .filter_map(|input| input.place().url());
    let urls: Vec<&RemoteUrl> = urls.collect();
    let (Some(first), Some(remote)) = (urls.first(), &options.remote) else {
        return Ok(());
    };
    let requests = format_count(urls.len() as u64, "request");
    match remote.options().rate_ceiling(first.scheme()) {
        None => writeln!(out, "{requests}, at no limited rate")?,
        Some(rate) => {
            let least = Duration::from_secs_f64(urls.len() as f64 / rate);
            let least = format_duration(least);
            writeln!(out, "{requests}, at least {least} at {rate} a second")?;
        }
    }
    Ok(())
}
