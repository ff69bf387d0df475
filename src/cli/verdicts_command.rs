//! `robots-scan verdicts`: writes the verdict of every host for some crawlers.

use crate::escape::{escape, json_line};
use crate::exit::{self, Stopped};
use crate::quantity::counted;
use crate::session::{Outcome, Session};
use crate::verdicts_args::VerdictsArgs;
use crate::{agent_advice, defaults};
use anyhow::Result;
use dataset::crawler::{Crawler, DialectChoice};
use indicatif::HumanBytes;
use serde_json::{Value, json};
use tools::crawler_verdicts::{self, CrawlerVerdictsSummary, Options};

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
