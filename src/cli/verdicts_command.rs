//! `robots-scan verdicts`: writes the verdict of every host for some crawlers.

use crate::args::agent;
use crate::escape::{escape, json_line};
use crate::exit::{self, Stopped};
use crate::quantity::counted;
use crate::session::{Outcome, Session};
use crate::{agent_advice, defaults};
use anyhow::Result;
use clap::ValueHint;
use dataset::crawler::{Crawler, DialectChoice};
use indicatif::HumanBytes;
use serde_json::{Value, json};
use std::path::PathBuf;
use tools::crawler_verdicts::{self, CrawlerVerdictsSummary, Options};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The output has one row per host and crawler, also for hosts that do not name the crawler, so that a mean is a \
share: that of `by_name` in a crawl is the share of its hosts with a known verdict that block the crawler by name. \
`robots-scan schema crawler_verdicts` describes the columns. The verdicts are those of the macro \
`verdicts_for` in DuckDB.

Example:
  robots-scan verdicts out.parquet --agent GPTBot,CCBot -o verdicts.parquet

Exit codes: 0 done, 2 not started, 3 stopped; then no output is left.")]
pub(crate) struct VerdictsArgs {
    /// The dataset: a folder that `scan` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    /// The name of a crawler, or `*`; may be repeated, or separated by commas
    #[arg(
        short,
        long,
        value_name = "NAME",
        required = true,
        value_delimiter = ',',
        value_parser = agent,
        value_hint = ValueHint::Other
    )]
    pub(crate) agent: Vec<String>,

    /// The output file, in Parquet
    #[arg(short, long, value_name = "OUT", value_parser = parquet_output)]
    pub(crate) output: PathBuf,

    /// Uses only this crawl of the dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    /// A custom registry of crawlers instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,

    /// Replaces a file that robots-scan wrote
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Prints no summary; errors and warnings remain
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Prints the summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Returns a path that does not say that the output is CSV, which `match` writes.
fn parquet_output(text: &str) -> Result<PathBuf, String> {
    match text.to_ascii_lowercase().ends_with(".csv") {
        true => Err("the output is Parquet: give a name such as verdicts.parquet".to_owned()),
        false => Ok(text.into()),
    }
}

pub(crate) fn run(args: &VerdictsArgs, session: &Session) -> Result<Outcome> {
    let registry = defaults::registry(args.agents.as_deref())?;
    let crawlers = args.agent.iter();
    let options = Options {
        dataset: args.dataset.clone(),
        crawls: args.crawl.clone(),
        crawlers: crawlers
            .map(|agent| Crawler::new(&registry, agent))
            .collect(),
        output: args.output.clone(),
        overwrite: args.overwrite,
    };
    agent_advice::warn(&args.agent, &registry, DialectChoice::Default, session);
    let stop = session.stop_flag()?;
    let done = crawler_verdicts::write(&options, &stop).map_err(Stopped::of)?;
    if !done.is_dataset_whole {
        session.warning(&format!(
            "'{}' has no _SUCCESS: the run that wrote it did not finish",
            args.dataset.display()
        ));
    }
    let text = if args.json {
        json_line(&json(&done, args))
    } else if args.quiet {
        String::new()
    } else {
        format!(
            "{}, {}; {}: {}, {}\n",
            counted(done.hosts, "host"),
            counted(done.crawlers, "crawler"),
            escape(&args.output.to_string_lossy()),
            counted(done.rows, "row"),
            HumanBytes(done.bytes_written),
        )
    };
    let code = exit::OK;
    Ok(Outcome { code, text })
}

/// Returns the summary as JSON.
fn json(done: &CrawlerVerdictsSummary, args: &VerdictsArgs) -> Value {
    json!({
        "output": args.output.to_string_lossy(),
        "exit_code": exit::OK,
        "agents": args.agent,
        "hosts": done.hosts,
        "crawlers": done.crawlers,
        "rows": done.rows,
        "bytes_written": done.bytes_written,
        "dataset_is_whole": done.is_dataset_whole,
    })
}
