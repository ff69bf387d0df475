//! `robots-scan history`: makes one dataset of many crawls.

use crate::arg_values::parse_host;
use crate::caller::{Caller, CommandOutcome};
use crate::escape::{escape, json_line, quote_for_shell};
use crate::exit::{self, StoppedError};
use crate::history_args::HistoryArgs;
use crate::progress::ProgressDisplay;
use crate::progress_source::ProgressSource;
use crate::quantity::format_count;
use crate::{defaults, next_commands};
use anyhow::{Context, Result, anyhow};
use disk::error::Error;
use disk::{LineList, ListLine};
use indicatif::{HumanBytes, HumanCount};
use robots_scan::thread_pool;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tools::history::{self, HistoryProgress, HistorySummary, Options};

pub(crate) fn run(args: &HistoryArgs, caller: &Caller) -> Result<CommandOutcome> {
    let threads = thread_pool::start(defaults::thread_count(&args.threads), &args.output)?;
    let forgotten = args.forget.as_deref().map(read_hosts).transpose()?;
    let prepared = history::prepare(Options {
        inputs: args.inputs.clone(),
        output: args.output.clone(),
        memory: args.memory,
        overwrite: args.overwrite,
        replaces_crawls: args.replace,
        forgotten: forgotten.unwrap_or_default(),
    })?;
    let stop = caller.stop_flag()?;
    let progress = Arc::new(HistoryProgress::default());
    let source = ProgressSource::History {
        progress: Arc::clone(&progress),
        crawls: prepared.crawl_count() as u64,
    };
    let display = ProgressDisplay::start(source, None, args.print.quiet, caller);
    let result = threads.install(|| prepared.run(&progress, &stop));
    let result = result.map_err(StoppedError::wrap_if_begun);
    display.finish();
    let done = result?;
    let text = if args.print.json {
        json_line(&summary_to_json(&done, &args.output))
    } else if args.print.quiet {
        String::new()
    } else {
        format_summary(&done, &args.output)
    };
    let code = exit::OK;
    Ok(CommandOutcome { code, text })
}

/// The most bytes of a list of hosts.
const MAX_HOST_LIST_BYTES: u64 = 64 << 20;

/// The characters of a line that an error quotes.
const MAX_QUOTED_CHARS: usize = 200;

/// Reads the hosts to be left out, as in `surt_host_name`.
fn read_hosts(path: &Path) -> Result<BTreeSet<String>> {
    let read_error = |error| Error::read(path, error);
    let mut lines = LineList::open(path, MAX_HOST_LIST_BYTES).map_err(read_error)?;
    let mut hosts = BTreeSet::new();
    while let Some(ListLine { number, text }) = lines.advance().map_err(read_error)? {
        let host = parse_host(text).map_err(|hint| anyhow!(hint));
        let host = host.with_context(|| {
            let quoted: String = text.chars().take(MAX_QUOTED_CHARS).collect();
            format!("'{}', line {number}: '{quoted}'", path.display())
        })?;
        hosts.insert(host.surt_host_name());
    }
    Ok(hosts)
}

/// Returns the summary for people.
fn format_summary(done: &HistorySummary, output: &Path) -> String {
    let crawls = done.crawls.len() as u64;
    let quoted = quote_for_shell(&output.to_string_lossy());
    format!(
        "{} of {}: {} captures in {} periods, {} periods of crawlers\n\
         {}: {} policies, {} in {}, {:.1} s\n{}",
        format_count(crawls, "crawl"),
        format_count(done.hosts, "host"),
        HumanCount(done.captures),
        HumanCount(done.periods),
        HumanCount(done.agent_periods),
        escape(&output.to_string_lossy()),
        HumanCount(done.policies),
        HumanBytes(done.bytes),
        format_count(done.files as u64, "file"),
        done.seconds,
        next_commands::format_history_commands(&quoted),
    )
}

fn summary_to_json(done: &HistorySummary, output: &Path) -> Value {
    json!({
        "output": output.to_string_lossy(),
        "exit_code": exit::OK,
        "crawls": done.crawls,
        "crawls_read": done.crawls_read,
        "hosts": done.hosts,
        "captures": done.captures,
        "periods": done.periods,
        "agent_periods": done.agent_periods,
        "policies": done.policies,
        "files": done.files,
        "bytes_written": done.bytes,
        "seconds": done.seconds,
    })
}
