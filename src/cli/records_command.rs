//! `robots-scan records`: writes a dataset from single records of archives.

use crate::args::MissingInputAction;
use crate::caller::{Caller, CommandOutcome};
use crate::column_args::column_names;
use crate::network::{self, EventRoute};
use crate::quantity::{format_count, format_duration};
use crate::records_args::RecordsArgs;
use crate::{capture_run, defaults, exit};
use anyhow::Result;
use dataset::division::PartSize;
use indicatif::{HumanBytes, HumanCount};
use remote::has_scheme;
use robots_scan::input::{self, InputOptions, InputSource, MAX_INPUT_RECORDS, Selection};
use robots_scan::pipeline::{self, Options};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn run(args: &RecordsArgs, caller: &Caller) -> Result<CommandOutcome> {
    let route = EventRoute::new(caller);
    let layout = capture_run::output_layout(&args.run, None);
    capture_run::check_output(&args.run, args.with_record_ids, &layout)?;
    let registry = defaults::read_registry(args.run.agents.as_deref())?;
    let start = || network::start_scan_client(&args.url, None, &route).map(Arc::new);
    let mut remote = match args.lists.iter().any(|list| has_scheme(list)) {
        true => Some(start()?),
        false => None,
    };
    let found = input::find_records(
        &args.lists,
        &InputOptions {
            columns: column_names(&args.list.columns)?,
            base: args.list.base.clone(),
            crawl: args.crawl.clone(),
            subset: args.subset.clone(),
            skips_missing: args.missing == MissingInputAction::Skip,
            remote: remote.clone(),
            threads: defaults::thread_count(&args.run.threads),
            ..InputOptions::default()
        },
    )?;
    if found.has_urls && remote.is_none() {
        remote = Some(start()?);
    }
    if remote.is_none() {
        let given = network::changed_url_options(&args.url);
        if !given.is_empty() {
            let given = given.join(", ");
            caller.warn(&format!("no archive is at a URL; without effect: {given}"));
        }
    }
    let options = Options {
        with_record_ids: args.with_record_ids,
        verify_digests: args.verify_digests,
        part_size: PartSize::Records(MAX_INPUT_RECORDS as u64),
        skips_missing: args.missing == MissingInputAction::Skip,
        remote,
        ..capture_run::options(&args.run, found, layout, registry)?
    };
    if args.run.dry_run {
        let text = describe_run(&options)?;
        let code = exit::OK;
        return Ok(CommandOutcome { code, text });
    }
    capture_run::run(&options, &args.run, &route, caller)
}

/// Returns the output of `--dry-run`: what a run would read, crawl by crawl, and its requests.
fn describe_run(options: &Options) -> Result<String> {
    let mut out = String::new();
    let (mut requests, mut first_url) = (0, None);
    for inputs in options.inputs.chunk_by(|a, b| a.crawl == b.crawl) {
        let bytes: u64 = inputs.iter().filter_map(|input| input.bytes).sum();
        let mut archives: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        archives.dedup();
        let mut records = 0;
        for input in inputs {
            let Selection::Records(addresses) = &input.selection else {
                continue;
            };
            records += addresses.len() as u64;
            if let InputSource::Remote(url) = &input.source {
                let ranges = input.selection.requests().unwrap_or_default();
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
    let parts = pipeline::plan_parts(&options.inputs, options.part_size);
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
