//! `robots-scan verdicts`: writes the verdict of every host for some crawlers.

use crate::agent_advice::AgentNames;
use crate::caller::{Caller, CommandOutcome};
use crate::escape::{escape, json_line};
use crate::exit::{self, StoppedError};
use crate::quantity::format_count;
use crate::verdicts_args::VerdictsArgs;
use crate::{defaults, mistyped};
use anyhow::Result;
use dataset::crawler::{Crawler, DialectChoice};
use indicatif::HumanBytes;
use serde_json::{Value, json};
use tools::crawler_verdicts::{self, CrawlerVerdictsSummary, Options};

pub(crate) fn run(args: &VerdictsArgs, caller: &Caller) -> Result<CommandOutcome> {
    let registry = defaults::read_registry(args.crawlers.agents.as_deref())?;
    let names = AgentNames {
        agents: &args.crawlers.agent,
        registry: &registry,
        dialect: DialectChoice::Default,
        is_any_accepted: args.crawlers.any_name,
    };
    names.check(caller)?;
    mistyped::check_dataset_exists(&args.dataset)?;
    let crawlers = args.crawlers.agent.iter();
    let options = Options {
        dataset: args.dataset.clone(),
        crawls: args.crawl.clone(),
        crawlers: crawlers
            .map(|agent| Crawler::new(&registry, agent))
            .collect(),
        output: args.output.clone(),
        overwrite: args.overwrite,
    };
    let stop = caller.stop_flag()?;
    let done = crawler_verdicts::write(&options, &stop).map_err(StoppedError::wrap_if_begun)?;
    if !done.is_dataset_whole {
        caller.warn(&format!(
            "'{}' has no _SUCCESS: the run that wrote it did not finish",
            args.dataset.display()
        ));
    }
    let text = if args.print.json {
        json_line(&summary_to_json(&done, args))
    } else if args.print.quiet {
        String::new()
    } else {
        format!(
            "{}, {}; {}: {}, {}\n",
            format_count(done.hosts, "host"),
            format_count(done.crawlers, "crawler"),
            escape(&args.output.to_string_lossy()),
            format_count(done.rows, "row"),
            HumanBytes(done.bytes_written),
        )
    };
    let code = exit::OK;
    Ok(CommandOutcome { code, text })
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
