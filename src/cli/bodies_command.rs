//! `robots-scan bodies`: writes a dataset from tables of bodies.

use crate::bodies_args::BodiesArgs;
use crate::caller::{Caller, CommandOutcome};
use crate::escape::escape;
use crate::network::EventRoute;
use crate::quantity::format_count;
use crate::{capture_run, defaults, exit};
use anyhow::Result;
use indicatif::HumanBytes;
use robots_scan::input::{self, BodyColumns, Input};
use robots_scan::pipeline::Options;
use std::fmt::Write;

pub(crate) fn run(args: &BodiesArgs, caller: &Caller) -> Result<CommandOutcome> {
    let layout = capture_run::output_layout(&args.run, None);
    capture_run::check_output(&args.run, false, &layout)?;
    let registry = defaults::read_registry(args.run.agents.as_deref())?;
    let columns = BodyColumns {
        url: args.url_column.clone(),
        body: args.body_column.clone(),
        time: args.time_column.clone(),
        status: args.status_column.clone(),
        redirect: args.redirect_column.clone(),
        headers: args.headers_column.clone(),
        crawl: args.crawl_column.clone(),
    };
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
