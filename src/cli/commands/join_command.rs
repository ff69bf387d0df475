//! `robots-scan join`: joins the datasets in the subfolders of a folder into one dataset.

use crate::advice::next_commands;
use crate::calls::caller::Caller;
use crate::calls::exit;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::shared_args::{OutputArgs, ThreadsArg};
use crate::printing::progress::run_with_display;
use crate::printing::progress_source::{ProgressSource, format_resolved_rows, read_counter};
use crate::printing::quantity::format_count;
use crate::printing::quantity::parse_size;
use crate::printing::summary;
use anyhow::Result;
use clap::ValueHint;
use escapes::escape;
use indicatif::{HumanBytes, HumanCount};
use keep::join::{self, JoinProgress, JoinSummary};
use process::start_thread_pool;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every subfolder of FOLDER that is a dataset of a finished scan is joined. Nothing is moved: \
FOLDER/views.sql reads the tables where they are, and FOLDER/_joined has the tables \
`hosts`, `host_verdicts` and `host_preferences` of all crawls. The datasets must have been made with the same \
options, every shard must be there once, and no archive twice. Releases may differ, as long as rows \
mean the same.

To add a month, scan it into a new subfolder and join again: only its crawl and later ones are \
resolved again.

Example:
  robots-scan scan --paths 2026-01/robotstxt.paths.gz -o crawls/2026-01
  robots-scan scan --paths 2026-02/robotstxt.paths.gz -o crawls/2026-02
  robots-scan join crawls

Exit codes: 0 done, 2 refused, 3 stopped (joining again continues).")]
pub(crate) struct JoinArgs {
    /// The folder whose subfolders are datasets
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    /// Also joins datasets whose rows have another meaning, or that were made with another registry of
    /// crawlers or another Public Suffix List; crawls() has the meaning of each crawl
    #[arg(long)]
    pub(crate) mixed: bool,

    /// The memory for sorting, at least 16MiB; the rest is sorted on disk, in FOLDER/_joined
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = parse_size, value_hint = ValueHint::Other)]
    pub(crate) memory: u64,

    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

impl CommandArgs for JoinArgs {
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        Some(&mut self.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let threads = start_thread_pool(defaults::thread_count(&self.threads), &self.folder)?;
        let prepared = join::prepare(&self.folder, self.memory, self.mixed)?;
        let progress = Arc::new(JoinProgress::default());
        let done = run_with_display(progress.clone(), &self.print, caller, |stop| {
            threads.install(|| prepared.run(&progress, stop))
        })?;
        let text = self.print.format(
            || summary_to_json(&done, &self.folder),
            || format_summary(&done, &self.folder),
        );
        Ok(CommandOutcome::ok(text))
    }
}

/// Returns the summary for people.
fn format_summary(done: &JoinSummary, folder: &Path) -> String {
    let mut out = String::new();
    let kept = done.kept_crawls;
    let resolved = done.crawls.len() - kept;
    let _ = writeln!(
        out,
        "{} of {}: {} resolved, {} kept, {:.1} s",
        format_count(done.crawls.len() as u64, "crawl"),
        format_count(done.members.len() as u64, "dataset"),
        HumanCount(resolved as u64),
        HumanCount(kept as u64),
        done.seconds
    );
    if let Some(most_blocked) = &done.most_blocked {
        summary::write_most_blocked(most_blocked, &mut out);
    }
    if resolved > 0 {
        let _ = writeln!(
            out,
            "{}: {} rows of hosts and their verdicts, {}",
            escape(&folder.to_string_lossy()),
            HumanCount(done.rows),
            HumanBytes(done.bytes)
        );
    }
    out + &next_commands::format_dataset_commands(folder, &done.tables)
}

fn summary_to_json(done: &JoinSummary, folder: &Path) -> Value {
    json!({
        "output": folder.to_string_lossy(),
        "exit_code": exit::OK,
        "members": done.members,
        "crawls": done.crawls,
        "kept_crawls": done.kept_crawls,
        "rows": done.rows,
        "bytes_written": done.bytes,
        "most_blocked": done.most_blocked.as_ref().map(summary::most_blocked_to_json),
        "seconds": done.seconds,
    })
}

impl ProgressSource for JoinProgress {
    fn position(&self) -> u64 {
        read_counter(&self.resolved_rows)
    }

    fn pieces(&self, _seconds: f64) -> Vec<String> {
        vec![format_resolved_rows(read_counter(&self.resolved_rows))]
    }
}
