//! `robots-scan bodies`: writes a dataset from tables of bodies.

use crate::bodies_args::BodiesArgs;
use crate::caller::{Caller, CommandOutcome};
use crate::column_args::column_names;
use crate::escape::escape;
use crate::exit::UsageError;
use crate::network::EventRoute;
use crate::quantity::format_count;
use crate::{capture_run, defaults, exit};
use anyhow::Result;
use indicatif::HumanBytes;
use robots_scan::input::{self, Input};
use robots_scan::pipeline::Options;
use std::fmt::Write;

pub(crate) fn run(args: &BodiesArgs, caller: &Caller) -> Result<CommandOutcome> {
    let layout = capture_run::output_layout(&args.run, None);
    capture_run::check_output(&args.run, false, &layout)?;
    let registry = defaults::read_registry(args.run.agents.as_deref())?;
    let columns = column_names(&args.columns)?;
    if args.crawl.is_some() && columns.has("crawl") {
        let text = "--crawl is the crawl of all rows, and --columns names a column of crawls";
        return Err(UsageError::with_hint(text, "leave one out").into());
    }
    let found = input::find_bodies(&args.body_tables, &columns, args.crawl.as_deref())?;
    let options = capture_run::options(&args.run, found, layout, registry)?;
    if args.run.dry_run {
        let text = describe_run(&options)?;
        let code = exit::OK;
        return Ok(CommandOutcome { code, text });
    }
    capture_run::run(&options, &args.run, &EventRoute::new(caller), caller)
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
