//! `robots-scan verdicts`: writes the verdict of every host for some crawlers.

use crate::agent_advice::AgentNames;
use crate::caller::Caller;
use crate::command::{CommandArgs, CommandOutcome};
use crate::escape::escape;
use crate::exit::{self, StoppedError};
use crate::quantity::format_count;
use crate::shared_args::{CrawlerArgs, PrintArgs};
use crate::{defaults, mistyped};
use answers::crawler_verdicts::{self, CrawlerVerdictsSummary, Options};
use anyhow::Result;
use clap::ValueHint;
use crawlers::{Crawler, DialectChoice};
use indicatif::HumanBytes;
use serde_json::{Value, json};
use std::path::PathBuf;

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

    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    /// The output file, in Parquet
    #[arg(short, long, value_name = "OUT", value_parser = parse_parquet_output)]
    pub(crate) output: PathBuf,

    /// Uses only this crawl of the dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    /// Replaces a file that robots-scan wrote
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

/// Parses the path of the output. A name that ends in `.csv` is refused, because only `match` writes CSV.
fn parse_parquet_output(text: &str) -> Result<PathBuf, String> {
    match text.to_ascii_lowercase().ends_with(".csv") {
        true => Err("the output is Parquet: give a name such as verdicts.parquet".to_owned()),
        false => Ok(text.into()),
    }
}

impl CommandArgs for VerdictsArgs {
    fn print_args(&mut self) -> Option<&mut PrintArgs> {
        Some(&mut self.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let registry = defaults::read_registry(self.crawlers.agents.as_deref())?;
        let names = AgentNames {
            agents: &self.crawlers.agent,
            registry: &registry,
            dialect: DialectChoice::Default,
            is_any_accepted: self.crawlers.any_name,
        };
        names.check(caller)?;
        mistyped::check_dataset_exists(&self.dataset)?;
        let crawlers = self.crawlers.agent.iter();
        let options = Options {
            dataset: self.dataset.clone(),
            crawls: self.crawl.clone(),
            crawlers: crawlers
                .map(|agent| Crawler::new(&registry, agent))
                .collect(),
            output: self.output.clone(),
            overwrite: self.overwrite,
        };
        let stop = caller.stop_flag()?;
        let done = crawler_verdicts::write(&options, &stop).map_err(StoppedError::wrap_if_begun)?;
        if !done.is_dataset_whole {
            caller.warn(&format!(
                "'{}' has no _SUCCESS: the run that wrote it did not finish",
                self.dataset.display()
            ));
        }
        let text = self.print.format(
            || summary_to_json(&done, self),
            || {
                format!(
                    "{}, {}; {}: {}, {}\n",
                    format_count(done.hosts, "host"),
                    format_count(done.crawlers, "crawler"),
                    escape(&self.output.to_string_lossy()),
                    format_count(done.rows, "row"),
                    HumanBytes(done.bytes_written),
                )
            },
        );
        Ok(CommandOutcome::ok(text))
    }
}

fn summary_to_json(done: &CrawlerVerdictsSummary, args: &VerdictsArgs) -> Value {
    json!({
        "output": args.output.to_string_lossy(),
        "exit_code": exit::OK,
        "agents": args.crawlers.agent,
        "hosts": done.hosts,
        "crawlers": done.crawlers,
        "rows": done.rows,
        "bytes_written": done.bytes_written,
        "dataset_is_whole": done.is_dataset_whole,
    })
}
