//! `robots-scan history`: makes one dataset of many crawls.

use crate::advice::next_commands;
use crate::answers::parse_host;
use crate::calls::caller::Caller;
use crate::calls::exit;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::shared_args::{OutputArgs, ThreadsArg};
use crate::printing::progress::run_with_display;
use crate::printing::progress_source::{ProgressSource, read_counter};
use crate::printing::quantity::format_count;
use crate::printing::quantity::parse_size;
use anyhow::{Context, Result, anyhow};
use clap::ValueHint;
use disk::{LineList, ListLine};
use errors::Error;
use escapes::{escape, quote_for_shell};
use history::{self, HistoryProgress, HistorySummary, Options};
use indicatif::{HumanBytes, HumanCount};
use process::start_thread_pool;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A history stores each state of a host once, with the times of its captures, so that ten years of crawls fit \
on one disk. It needs none of the datasets any more. docs/history.md describes its tables.

Examples:
  robots-scan history 2024-*/ -o history               from datasets
  robots-scan history history 2026-11/ -o history-new  with another month
  duckdb -init history/views.sql                       query it

Exit codes: 0 done, 2 not started, 3 stopped; then nothing was changed.")]
pub(crate) struct HistoryArgs {
    /// Datasets of whole crawls, joined folders, and earlier histories
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) inputs: Vec<PathBuf>,

    /// The folder of the history
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    /// Takes the crawl of the later input if two inputs have the same crawl
    #[arg(long)]
    pub(crate) replace: bool,

    /// Leaves out the hosts in this file, one per line
    #[arg(long, value_name = "LIST")]
    pub(crate) forget: Option<PathBuf>,

    /// The memory for sorting, at least 16MiB; the rest is sorted on disk, in OUT
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = parse_size, value_hint = ValueHint::Other)]
    pub(crate) memory: u64,

    /// Replaces an existing history, which may also be an input; the old one remains until the new one is complete
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

impl CommandArgs for HistoryArgs {
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        Some(&mut self.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let threads = start_thread_pool(defaults::thread_count(&self.threads), &self.output)?;
        let forgotten = self.forget.as_deref().map(read_hosts).transpose()?;
        let prepared = history::prepare(Options {
            inputs: self.inputs.clone(),
            output: self.output.clone(),
            memory: self.memory,
            overwrite: self.overwrite,
            replaces_crawls: self.replace,
            forgotten: forgotten.unwrap_or_default(),
        })?;
        let progress = Arc::new(HistoryProgress::default());
        let source = HistoryProgressSource {
            progress: Arc::clone(&progress),
            crawls: prepared.crawl_count() as u64,
        };
        let done = run_with_display(Arc::new(source), &self.print, caller, |stop| {
            threads.install(|| prepared.run(&progress, stop))
        })?;
        let text = self.print.format(
            || summary_to_json(&done, &self.output),
            || format_summary(&done, &self.output),
        );
        Ok(CommandOutcome::ok(text))
    }
}

/// The most bytes of a list of hosts.
const MAX_HOST_LIST_BYTES: u64 = 64 << 20;

/// The most characters of a line that an error quotes.
const MAX_QUOTED_CHARS: usize = 200;

/// Reads the list of hosts to be left out. Returns them in the form of the column `surt_host_name`.
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

/// The progress of making a history, and the number of crawls that are read from datasets, for the display.
struct HistoryProgressSource {
    progress: Arc<HistoryProgress>,
    crawls: u64,
}

impl ProgressSource for HistoryProgressSource {
    fn position(&self) -> u64 {
        read_counter(&self.progress.captures)
    }

    fn pieces(&self, _seconds: f64) -> Vec<String> {
        let read = read_counter(&self.progress.crawls_read);
        match read < self.crawls {
            true => vec![format!(
                "{}/{} crawls read",
                HumanCount(read),
                HumanCount(self.crawls)
            )],
            false if self.progress.are_captures_written.load(Ordering::Relaxed) => {
                vec!["writing policies and shares".to_owned()]
            }
            false => vec![format!(
                "{} captures merged",
                HumanCount(read_counter(&self.progress.captures))
            )],
        }
    }
}
