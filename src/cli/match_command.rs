//! `robots-scan match`: decides for each URL of a list whether crawlers may fetch it.

use crate::agent_advice::AgentNames;
use crate::args::MatchArgs;
use crate::caller::{Caller, CommandOutcome};
use crate::column_args::column_names;
use crate::defaults;
use crate::escape::{escape, json_line};
use crate::exit::{self, StoppedError};
use crate::progress::ProgressDisplay;
use crate::progress_source::ProgressSource;
use crate::quantity::format_count;
use anyhow::{Result, anyhow};
use dataset::HistoryManifest;
use dataset::crawler::Crawler;
use indicatif::{HumanBytes, HumanCount};
use robots_scan::thread_pool;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tools::CategoryChoice;
use tools::url_match::{self, MatchProgress, MatchSummary, Options, UrlListSource};

pub(crate) fn run(args: &MatchArgs, caller: &Caller) -> Result<CommandOutcome> {
    let threads = thread_pool::start(defaults::thread_count(&args.threads), &args.dataset)?;
    let registry = defaults::read_registry(args.crawlers.agents.as_deref())?;
    let names = AgentNames {
        agents: &args.crawlers.agent,
        registry: &registry,
        dialect: args.dialect.dialect,
        is_any_accepted: args.crawlers.any_name,
    };
    names.check(caller)?;
    let crawlers = args.crawlers.agent.iter();
    let options = Options {
        dataset: args.dataset.clone(),
        crawls: args.crawl.clone(),
        urls: match args.urls.as_path() {
            path if path == Path::new("-") => UrlListSource::Stdin,
            path => UrlListSource::File(path.to_owned()),
        },
        columns: column_names(&args.columns)?,
        crawlers: crawlers
            .map(|agent| Crawler::new(&registry, agent))
            .collect(),
        dialect: args.dialect.dialect,
        category: args.category.clone(),
        as_of: args.at,
        any_origin: args.any_origin,
        memory: args.memory,
        output: args.output.clone(),
        overwrite: args.overwrite,
    };
    if args.any_origin && HistoryManifest::read(&args.dataset)?.is_none() {
        return Err(anyhow!(
            "--any-origin is about histories, and '{}' is a dataset",
            args.dataset.display()
        ));
    }
    let ready = url_match::prepare(options)?;
    let stop = caller.stop_flag()?;
    let progress = Arc::new(MatchProgress::default());
    let progress_source = ProgressSource::Match(Arc::clone(&progress));
    let display = ProgressDisplay::start(progress_source, None, args.print.quiet, caller);
    let result = threads.install(|| ready.run(&progress, &stop));
    let result = result.map_err(StoppedError::wrap_if_begun);
    display.finish();
    let done = result?;
    if !done.is_dataset_whole {
        caller.warn(&format!(
            "'{}' has no _SUCCESS: the run that wrote it did not finish",
            args.dataset.display()
        ));
    }
    if done.urls == 0 {
        caller.warn(&format!("'{}' contains no URL", args.urls.display()));
    }
    // Each row has an answer for each crawler.
    let bad_urls =
        done.by_basis.get("bad_url").copied().unwrap_or(0) / args.crawlers.agent.len() as u64;
    if bad_urls > 0 {
        caller.warn(&format!(
            "'{}': {} without an absolute URL; the answer is `unknown` (`bad_url`)",
            args.urls.display(),
            format_count(bad_urls, "row"),
        ));
        caller.hint("write URLs as https://HOST/PATH");
    }
    let text = if args.print.json {
        json_line(&summary_to_json(&done, args))
    } else if args.print.quiet {
        String::new()
    } else {
        format_summary(&done, &args.output)
    };
    let code = exit::OK;
    Ok(CommandOutcome { code, text })
}

/// Returns the summary for people.
fn format_summary(done: &MatchSummary, output: &Path) -> String {
    let count = |name: &str| HumanCount(done.by_access.get(name).copied().unwrap_or(0));
    format!(
        "{} of {}: {} allowed, {} disallowed, {} unknown; {}: {}, {}, {:.1} s\n",
        format_count(done.urls, "URL"),
        format_count(done.origins, "origin"),
        count("allowed"),
        count("disallowed"),
        count("unknown"),
        escape(&output.to_string_lossy()),
        format_count(done.rows, "row"),
        HumanBytes(done.bytes_written),
        done.seconds,
    )
}

fn summary_to_json(done: &MatchSummary, args: &MatchArgs) -> Value {
    json!({
        "output": args.output.to_string_lossy(),
        "exit_code": exit::OK,
        "dialect": args.dialect.dialect.name(),
        "category": args.category.as_ref().map(CategoryChoice::name),
        "agents": args.crawlers.agent,
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
