//! `robots-scan scan`: reads archives and writes a dataset.

use crate::args::{Missing, ScanArgs};
use crate::escape::{escape, json_line};
use crate::exit::{self, Stopped, UsageError};
use crate::figures::{Figures, InputTotals};
use crate::network::{self, EventRoute};
use crate::progress::ProgressDisplay;
use crate::quantity::{counted, duration_text};
use crate::session::{Outcome, Session};
use crate::shard_choice::ShardChoice;
use crate::{defaults, mistyped, next_commands, summary};
use anyhow::Result;
use dataset::division::{PartSize, Sample, Shard};
use dataset::tables::Table;
use dataset::{IfExists, OutputLayout};
use disk::error::Error;
use indicatif::{HumanBytes, HumanCount};
use remote::RemoteUrl;
use robots_scan::error::ScanErrorKind;
use robots_scan::input::{self, Input, InputOptions, InputSource};
use robots_scan::pipeline::{self, Options, ScanProgress};
use std::ffi::OsStr;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The most inputs that are opened before the run, to check that any is an archive.
const MAX_CHECKED_INPUTS: usize = 1000;

/// The size of the inputs of a part.
const PART_BYTES: u64 = 256 << 20;

/// The number of inputs of a part, if any is a URL: 240 MB of a crawl.
const PART_INPUTS: u64 = 128;

pub(crate) fn run(args: &ScanArgs, session: &Session) -> Result<Outcome> {
    let route = EventRoute::to(session);
    let layout = layout(args)?;
    if args.with_bodies && !layout.tables().contains(&Table::RobotsFiles) {
        let text = "--with-bodies adds a column to robots_files, which --tables leaves out";
        let hint = "add robots_files to --tables, or leave out --with-bodies";
        return Err(UsageError::with_hint(text, hint).into());
    }
    layout.check(if_exists(args))?;
    let options = options(args, layout, &route)?;
    if options.remote.is_none() {
        warn_of_url_options(args, session);
    }
    if args.dry_run {
        let text = dry_run(&options)?;
        let code = exit::OK;
        return Ok(Outcome { code, text });
    }
    if options.inputs.len() <= MAX_CHECKED_INPUTS {
        input::check_archives(&options.inputs).map_err(with_usage)?;
    }
    let stop = session.stop_flag()?;
    let progress = Arc::new(ScanProgress::default());
    let (sender, notices) = channel();
    let figures = Figures::Scan {
        progress: Arc::clone(&progress),
        inputs: InputTotals {
            count: options.inputs.len() as u64,
            bytes: options.inputs.iter().map(|input| input.bytes).sum(),
            are_countable: !options.inputs.iter().any(is_stream),
        },
    };
    let display = ProgressDisplay::start(figures, Some(notices), args.quiet, session);
    route.set(Some(sender.clone()));
    let result = pipeline::run(&options, &progress, &sender, &stop).map_err(Stopped::of);
    route.set(None);
    drop(sender);
    let failed = display.finish();
    let done = result?;

    let code = if done.failed_inputs > 0 {
        exit::STOPPED
    } else if done.faults + done.resumed.faults > 0 {
        exit::FAULTS
    } else {
        exit::OK
    };
    let text = if args.json {
        json_line(&summary::json(&done, &args.output, code, &failed))
    } else if args.quiet {
        String::new()
    } else {
        summary::text(&done, &options.layout, &next_commands(&options))
    };
    if done.captures == 0 && done.resumed.parts == 0 && done.failed_inputs == 0 {
        session.warning(&summary::no_robots(&done));
    }
    Ok(Outcome { code, text })
}

/// Warns of options for URLs if no input is one.
fn warn_of_url_options(args: &ScanArgs, session: &Session) {
    let given = network::given_options(args);
    if !given.is_empty() {
        let given = given.join(", ");
        session.warning(&format!("no input is a URL; without effect: {given}"));
    }
}

fn shard(args: &ScanArgs) -> Result<Option<Shard>> {
    let shard = args
        .shard
        .map(|choice| choice.shard(|name| std::env::var(name).ok()));
    Ok(shard.transpose()?)
}

fn layout(args: &ScanArgs) -> Result<OutputLayout> {
    let shard = shard(args)?.map(|shard| shard.index);
    Ok(OutputLayout::new(
        &args.output,
        &selected_tables(args),
        shard,
    ))
}

fn if_exists(args: &ScanArgs) -> IfExists {
    match (args.resume, args.overwrite) {
        (true, _) => IfExists::Resume,
        (_, true) => IfExists::Overwrite,
        _ => IfExists::Refuse,
    }
}

/// Converts the arguments of a run whose only table is read, and not written, to its options.
pub(crate) fn options_of_reader(args: &ScanArgs, session: &Session) -> Result<Options> {
    let options = options(args, layout(args)?, &EventRoute::to(session))?;
    if options.inputs.len() <= MAX_CHECKED_INPUTS {
        input::check_archives(&options.inputs).map_err(with_usage)?;
    }
    Ok(options)
}

/// Converts the arguments to the options of a run.
fn options(args: &ScanArgs, layout: OutputLayout, route: &EventRoute) -> Result<Options> {
    let registry = defaults::registry(args.agents.as_deref())?;
    let shard = shard(args)?;
    if layout.tables() == [Table::Agents] {
        let text = "the table 'agents' does not come from archives";
        let hint = "robots-scan agents --json prints it";
        return Err(UsageError::with_hint(text, hint).into());
    }
    let first = args.inputs.first().map(OsStr::new);
    if let Some(usage) = first.and_then(mistyped::misspelt_command) {
        return Err(usage.into());
    }
    // Each task of a cluster reads one shard.
    let tasks = match args.shard {
        Some(ShardChoice::OfTask(count)) => Some(count),
        _ => None,
    };
    let start = || network::start(args, tasks, route).map(Arc::new);
    let list = args.paths.as_ref().map(|list| list.to_string_lossy());
    let mut remote = match list.is_some_and(|list| list.contains("://")) {
        true => Some(start()?),
        false => None,
    };
    let sample = args.sample.zip(args.seed).map(|(archives, seed)| Sample {
        archives: archives as usize,
        seed: seed.into(),
    });
    let found = input::find(&InputOptions {
        arguments: args.inputs.clone(),
        paths: args.paths.clone(),
        base: args.base.clone(),
        crawl: args.crawl.clone(),
        subset: args.subset.clone(),
        name: args.name.clone(),
        is_dry_run: args.dry_run,
        is_resumed: args.resume,
        relative_to: args.relative_to.clone(),
        skips_missing: args.missing == Missing::Skip,
        first_input: args.first_input,
        sample,
        shard,
        remote: remote.clone(),
        threads: defaults::threads(args.threads),
    });
    let found = found.map_err(with_usage)?;
    if found.has_urls && remote.is_none() {
        remote = Some(start()?);
    }
    let part_size = match args.part_inputs {
        Some(count) => PartSize::Inputs(count.into()),
        None if found.has_urls => PartSize::Inputs(PART_INPUTS),
        None => PartSize::Bytes(PART_BYTES),
    };
    Ok(Options {
        inputs: found.inputs,
        layout,
        existing: if_exists(args),
        threads: defaults::threads(args.threads),
        body_limit: args.body_limit.0,
        max_body_bytes: usize::try_from(args.max_body_bytes)?,
        with_bodies: args.with_bodies,
        verify_digests: args.verify_digests,
        registry,
        part_size,
        sample,
        shard,
        listed_inputs: found.listed,
        list_digest: found.list_digest,
        skips_missing: args.missing == Missing::Skip,
        remote,
    })
}

/// Returns the commands that the summary suggests.
fn next_commands(options: &Options) -> String {
    let (root, tables) = (options.layout.root(), options.layout.tables());
    if options.layout.is_single_file() {
        next_commands::of_file(root)
    } else if options.shard.is_some() {
        next_commands::of_shard(root, tables)
    } else {
        next_commands::of_dataset(root, tables)
    }
}

fn is_stream(input: &Input) -> bool {
    matches!(input.source, InputSource::Stream(_))
}

/// Returns the tables that are written.
fn selected_tables(args: &ScanArgs) -> Vec<Table> {
    let is_selected = |table: &Table| args.tables.is_empty() || args.tables.contains(table);
    let has_hosts = args.shard.is_none()
        && [Table::RobotsFiles, Table::Verdicts]
            .iter()
            .all(is_selected);
    let is_written = |table: &Table| match table.has_crawls() {
        true => has_hosts,
        false => is_selected(table),
    };
    Table::ALL.into_iter().filter(is_written).collect()
}

/// Replaces an error about an input that is a dataset by one that names the commands
/// for datasets.
fn with_usage(error: Error) -> anyhow::Error {
    let usage = match error.kind() {
        Some(ScanErrorKind::NoInput | ScanErrorKind::NotAnArchive(_)) => {
            mistyped::dataset(error.path())
        }
        _ => None,
    };
    usage.map_or_else(|| error.into(), Into::into)
}

/// Returns a text about what a run would read and write.
fn dry_run(options: &Options) -> Result<String> {
    let mut out = String::new();
    let parts = pipeline::plan_parts(&options.inputs, options.part_size);
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
            let size = match (&input.source, input.bytes) {
                (InputSource::Stream(_), _) => {
                    "a stream, which is not opened: its size, crawl and subset are \
                     unknown"
                        .to_owned()
                }
                (InputSource::Missing(_), _) => "missing".to_owned(),
                (InputSource::File(_), None) => "size unknown".to_owned(),
                (InputSource::File(_), Some(bytes)) => HumanBytes(bytes).to_string(),
                (InputSource::Remote(object), _) => format!("from {object}"),
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
        counted(options.inputs.len() as u64, "archive"),
        counted(parts.len() as u64, "part"),
        counted(options.threads as u64, "thread"),
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

/// Writes the number of requests, and the time that they take at least.
fn write_requests(options: &Options, out: &mut impl Write) -> Result<()> {
    let urls = options
        .inputs
        .iter()
        .filter_map(|input| match &input.source {
            InputSource::Remote(object) => Some(object),
            _ => None,
        });
    let urls: Vec<&RemoteUrl> = urls.collect();
    let (Some(first), Some(remote)) = (urls.first(), &options.remote) else {
        return Ok(());
    };
    let requests = counted(urls.len() as u64, "request");
    match remote.options().ceiling(first.scheme()) {
        None => writeln!(out, "{requests}, at no limited rate")?,
        Some(rate) => {
            let least = Duration::from_secs_f64(urls.len() as f64 / rate);
            let least = duration_text(least);
            writeln!(out, "{requests}, at least {least} at {rate} a second")?;
        }
    }
    Ok(())
}
