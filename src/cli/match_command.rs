//! `robots-scan match`: a dataset, a list of URLs, crawlers.

use crate::args::MatchArgs;
use crate::message::{self, escape};
use crate::progress_line::ProgressLine;
use crate::scan_command::Stopped;
use crate::{exit, summary};
use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use robots_scan::crawler::Crawler;
use robots_scan::crawler::registry::CrawlerRegistry;
use robots_scan::url_match::{self, MatchProgress, MatchSummary, Options, UrlList};
use serde_json::{Value, json};
use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) fn run(args: &MatchArgs) -> Result<u8> {
    let registry = match &args.agents {
        Some(path) => CrawlerRegistry::read(path)?,
        None => CrawlerRegistry::built_in(),
    };
    let crawlers = args.agent.iter();
    let ready = url_match::prepare(Options {
        dataset: args.dataset.clone(),
        crawls: args.crawl.clone(),
        urls: match args.urls.as_path() {
            path if path == Path::new("-") => UrlList::Stdin,
            path => UrlList::File(path.to_owned()),
        },
        column: args.column.clone(),
        crawlers: crawlers
            .map(|agent| Crawler::new(&registry, agent))
            .collect(),
        dialect: args.dialect,
        as_of: args.at,
        memory: args.memory,
        output: args.output.clone(),
        overwrite: args.overwrite,
    })?;
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))?;
    let progress = Arc::new(MatchProgress::default());
    let is_done = Arc::new(AtomicBool::new(false));
    let display = show(Arc::clone(&progress), args.quiet, Arc::clone(&is_done));
    let result = ready.run(&progress, &stop).map_err(Stopped::of);
    is_done.store(true, Ordering::Relaxed);
    let _ = display.join();
    let done = result?;
    if !done.is_dataset_whole {
        message::warning(&format!(
            "'{}' has no _SUCCESS: the run that made it was not finished",
            args.dataset.display()
        ));
    }
    if done.urls == 0 {
        message::warning(&format!("'{}' holds no URL", args.urls.display()));
    }
    let text = if args.json {
        message::json_line(&json(&done, args))
    } else if args.quiet {
        String::new()
    } else {
        text(&done, &args.output)
    };
    // A closed stream does not change the exit code.
    let _ = stdout().lock().write_all(text.as_bytes());
    Ok(exit::WHOLE)
}

fn text(done: &MatchSummary, output: &Path) -> String {
    let count = |name: &str| HumanCount(done.by_access.get(name).copied().unwrap_or(0));
    format!(
        "{} of {}: {} allowed, {} disallowed, {} unknown; {}: {}, {}, {:.1} s\n",
        summary::many(done.urls, "URL"),
        summary::many(done.origins, "origin"),
        count("allowed"),
        count("disallowed"),
        count("unknown"),
        escape(&output.to_string_lossy()),
        summary::many(done.rows, "row"),
        HumanBytes(done.bytes_written),
        done.seconds,
    )
}

fn json(done: &MatchSummary, args: &MatchArgs) -> Value {
    json!({
        "output": args.output.to_string_lossy(),
        "exit_code": exit::WHOLE,
        "dialect": args.dialect.name(),
        "agents": args.agent,
        "urls": done.urls,
        "origins": done.origins,
        "files": done.files,
        "rows": done.rows,
        "rows_by_access": done.by_access,
        "rows_by_basis": done.by_basis,
        "sort_runs": done.runs,
        "bytes_written": done.bytes_written,
        "dataset_is_whole": done.is_dataset_whole,
        "seconds": done.seconds,
    })
}

/// Shows what is being done.
fn show(progress: Arc<MatchProgress>, is_quiet: bool, is_done: Arc<AtomicBool>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut line = ProgressLine::new(is_quiet);
        while !is_done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
            let (stage, rows) = progress.now();
            line.update(rows, &[format!("{} {}", HumanCount(rows), stage.name())]);
        }
        line.finish();
    })
}
