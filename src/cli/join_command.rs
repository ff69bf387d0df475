//! `robots-scan join`: makes the datasets in the subfolders of a folder one dataset.

use crate::args::JoinArgs;
use crate::escape::{escape, json_line};
use crate::exit::{self, Stopped};
use crate::figures::Figures;
use crate::progress::ProgressDisplay;
use crate::quantity::counted;
use crate::session::{Outcome, Session};
use crate::{defaults, next_commands, summary};
use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use robots_scan::thread_pool;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tools::join::{self, JoinProgress, JoinSummary};

pub(crate) fn run(args: &JoinArgs, session: &Session) -> Result<Outcome> {
    let threads = thread_pool::start(defaults::threads(args.threads), &args.folder)?;
    let prepared = join::prepare(&args.folder, args.memory)?;
    let stop = session.stop_flag()?;
    let progress = Arc::new(JoinProgress::default());
    let figures = Figures::Join(Arc::clone(&progress));
    let display = ProgressDisplay::start(figures, None, args.quiet, session);
    let result = threads.install(|| prepared.run(&progress, &stop));
    let result = result.map_err(Stopped::of);
    display.finish();
    let done = result?;
    let text = if args.json {
        json_line(&json(&done, &args.folder))
    } else if args.quiet {
        String::new()
    } else {
        text(&done, &args.folder)
    };
    let code = exit::OK;
    Ok(Outcome { code, text })
}

/// Returns the summary for people.
fn text(done: &JoinSummary, folder: &Path) -> String {
    let mut out = String::new();
    let kept = done.kept_crawls;
    let resolved = done.crawls.len() - kept;
    let _ = writeln!(
        out,
        "{} of {}: {} resolved, {} kept, {:.1} s",
        counted(done.crawls.len() as u64, "crawl"),
        counted(done.members.len() as u64, "dataset"),
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
    out + &next_commands::of_dataset(folder, &done.tables)
}

/// Returns the summary as JSON.
fn json(done: &JoinSummary, folder: &Path) -> Value {
    json!({
        "output": folder.to_string_lossy(),
        "exit_code": exit::OK,
        "members": done.members,
        "crawls": done.crawls,
        "kept_crawls": done.kept_crawls,
        "rows": done.rows,
        "bytes_written": done.bytes,
        "most_blocked": done.most_blocked.as_ref().map(summary::most_blocked_json),
        "seconds": done.seconds,
    })
}
