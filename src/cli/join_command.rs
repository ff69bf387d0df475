//! `robots-scan join`: makes the datasets in the subfolders of a folder one dataset.

use crate::args::JoinArgs;
use crate::caller::{Caller, CommandOutcome};
use crate::escape::{escape, json_line};
use crate::exit::{self, StoppedError};
use crate::progress::ProgressDisplay;
use crate::progress_source::ProgressSource;
use crate::quantity::format_count;
use crate::{defaults, next_commands, summary};
use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use robots_scan::thread_pool;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tools::join::{self, JoinProgress, JoinSummary};

pub(crate) fn run(args: &JoinArgs, caller: &Caller) -> Result<CommandOutcome> {
    let threads = thread_pool::start(defaults::thread_count(&args.threads), &args.folder)?;
    let prepared = join::prepare(&args.folder, args.memory, args.mixed)?;
    let stop = caller.stop_flag()?;
    let progress = Arc::new(JoinProgress::default());
    let progress_source = ProgressSource::Join(Arc::clone(&progress));
    let display = ProgressDisplay::start(progress_source, None, args.print.quiet, caller);
    let result = threads.install(|| prepared.run(&progress, &stop));
    let result = result.map_err(StoppedError::wrap_if_begun);
    display.finish();
    let done = result?;
    let text = if args.print.json {
        json_line(&summary_to_json(&done, &args.folder))
    } else if args.print.quiet {
        String::new()
    } else {
        format_summary(&done, &args.folder)
    };
    let code = exit::OK;
    Ok(CommandOutcome { code, text })
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
