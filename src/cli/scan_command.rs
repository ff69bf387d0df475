//! `robots-scan scan`: from what was typed to a run.

use crate::args::{Missing, ScanArgs};
use crate::message::{UsageError, escape};
use crate::{exit, message, mistyped, progress, summary};
use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use robots_scan::crawler::registry::CrawlerRegistry;
use robots_scan::dataset::{IfExists, OutputLayout};
use robots_scan::error::{Error, ErrorKind};
use robots_scan::input::{self, InputOptions, InputSource};
use robots_scan::pipeline::{self, Options, ScanProgress};
use robots_scan::tables::Table;
use std::ffi::OsStr;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

/// Inputs up to which each is looked at beforehand.
const INPUTS_CHECKED: usize = 1000;

pub(crate) fn run(args: ScanArgs) -> Result<u8> {
    let options = options(&args)?;
    if args.dry_run {
        dry_run(&options)?;
        return Ok(exit::WHOLE);
    }
    if options.inputs.len() <= INPUTS_CHECKED {
        input::check_archives(&options.inputs).map_err(meant)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))?;

    let shown = Arc::new(ScanProgress::default());
    let (sender, notices) = channel();
    let is_done = Arc::new(AtomicBool::new(false));
    let bytes = options.inputs.iter().map(|input| input.bytes).sum();
    let inputs = progress::Inputs {
        count: options.inputs.len() as u64,
        bytes,
    };
    let display = progress::show(
        Arc::clone(&shown),
        notices,
        inputs,
        args.quiet,
        Arc::clone(&is_done),
    );
    let result = pipeline::run(&options, &shown, &sender, &stop).map_err(Stopped::of);
    // The display ends when nobody can tell it anything more.
    drop(sender);
    is_done.store(true, Ordering::Relaxed);
    let _ = display.join();
    let done = result?;

    let code = if done.failed_inputs > 0 {
        exit::STOPPED
    } else if done.faults + done.resumed.faults > 0 {
        exit::FAULTS
    } else {
        exit::WHOLE
    };
    let text = if args.json {
        message::json_line(&summary::json(&done, &args.output, code))
    } else if args.quiet {
        String::new()
    } else {
        summary::text(&done, &args.output, !options.destination.is_single_file())
    };
    if done.captures == 0 && done.resumed.parts == 0 && done.failed_inputs == 0 {
        message::warning(&summary::no_robots(&done));
    }
    // The run is done, and its exit code stands, whether or not this is read.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(code)
}

/// An error that stopped a run which had begun.
#[derive(Debug)]
pub(crate) struct Stopped(Error);

impl Stopped {
    pub(crate) fn error(&self) -> &Error {
        &self.0
    }

    pub(crate) fn of(error: Error) -> anyhow::Error {
        if error.is_before_start() {
            error.into()
        } else {
            Self(error).into()
        }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Stopped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// The exit code of an error: whatever goes wrong before a run has begun, as a
/// missing input, has not started it.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Stopped>() {
        exit::STOPPED
    } else {
        exit::NOT_STARTED
    }
}

fn options(args: &ScanArgs) -> Result<Options> {
    let input_options = InputOptions {
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
        shard: args.shard,
    };
    let registry = match &args.agents {
        Some(path) => CrawlerRegistry::read(path)?,
        None => CrawlerRegistry::built_in(),
    };
    let tables: Vec<Table> = Table::ALL
        .into_iter()
        .filter(|table| args.tables.is_empty() || args.tables.contains(table))
        .collect();
    let existing = match (args.resume, args.overwrite) {
        (true, _) => IfExists::Resume,
        (_, true) => IfExists::Overwrite,
        _ => IfExists::Refuse,
    };
    let destination = OutputLayout::new(&args.output, &tables, args.shard);
    destination.check(existing)?;
    if tables == [Table::Agents] {
        let text = "the table 'agents' does not come from archives";
        let hint = "robots-scan agents --json prints it";
        return Err(UsageError::with_hint(text, hint).into());
    }
    let first = args.inputs.first().map(OsStr::new);
    if let Some(usage) = first.and_then(mistyped::misspelt_command) {
        return Err(usage.into());
    }
    let inputs = input::find(&input_options).map_err(meant)?;
    let threads = args
        .threads
        .map(usize::from)
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from));
    Ok(Options {
        inputs,
        destination,
        existing,
        threads: threads.unwrap_or(1),
        body_limit: args.body_limit.0,
        max_body_bytes: usize::try_from(args.max_body_bytes)?,
        with_bodies: args.with_bodies,
        verify_digests: args.verify_digests,
        registry,
        part_bytes: args.part_bytes.max(1),
        shard: args.shard,
    })
}

/// Replaces an error about an input that is a dataset, and was meant for
/// another command.
fn meant(error: Error) -> anyhow::Error {
    let usage = match error.kind() {
        ErrorKind::NoInput | ErrorKind::NotAnArchive(_) => mistyped::dataset(error.path()),
        _ => None,
    };
    usage.map_or_else(|| error.into(), Into::into)
}

/// Prints what a run would do.
fn dry_run(options: &Options) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let parts = pipeline::plan_parts(&options.inputs, options.part_bytes);
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
                    "a stream, which is not opened: its size is unknown, and so is what it \
                     says of its crawl and subset"
                        .to_owned()
                }
                (InputSource::Missing(_), _) => "missing".to_owned(),
                (InputSource::File(_), None) => "size unknown".to_owned(),
                (InputSource::File(_), Some(bytes)) => HumanBytes(bytes).to_string(),
            };
            writeln!(out, "  {}  {size}", escape(&input.name))?;
        }
    }
    let tables: Vec<&str> = options
        .destination
        .tables()
        .iter()
        .map(|table| table.name())
        .collect();
    writeln!(
        out,
        "{} archives in {} parts would be read with {} threads; into {}: {}",
        HumanCount(options.inputs.len() as u64),
        HumanCount(parts.len() as u64),
        options.threads,
        escape(&options.destination.root().to_string_lossy()),
        tables.join(", "),
    )?;
    Ok(())
}
