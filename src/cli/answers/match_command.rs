//! `robots-scan match`: decides for each URL of a list whether crawlers may fetch it.

use crate::answers::agent_advice::AgentNames;
use crate::answers::parse_time;
use crate::calls::caller::Caller;
use crate::calls::exit;
use crate::commands::capture_run::TIME_HINT;
use crate::commands::column_args::{ColumnArg, column_names, columns_parser};
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::shared_args::{CrawlerArgs, DialectArg, OutputArgs, ThreadsArg};
use crate::printing::progress::run_with_display;
use crate::printing::progress_source::ProgressSource;
use crate::printing::quantity::format_count;
use crate::printing::quantity::parse_size;
use answers::url_match::{
    self, MatchProgress, MatchSummary, Options, URL_COLUMN_KEYS, UrlListSource,
};
use anyhow::{Result, anyhow};
use clap::ValueHint;
use crawlers::CategoryChoice;
use crawlers::Crawler;
use escapes::escape;
use history::HistoryManifest;
use indicatif::{HumanBytes, HumanCount};
use process::start_thread_pool;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A URL is matched by scheme, host and port to the captures of a /robots.txt, and among these to \
the one that is authoritative at the time of the row: in each crawl the most decisive one, then \
the latest, as in the view `hosts`; across crawls the latest decisive one. Redirects are followed \
within the dataset, up to five hops.

The list: text, one URL per line; CSV with a header, JSON lines, CDXJ or Parquet with a column `url`; a folder \
of Parquet files. All but Parquet may be gzip. Columns are found in any case; with --columns url=NAME, a list \
is a table. A column `fetch_time` (a timestamp, or text in ISO form or of 8 or 14 digits) is the time for which the row is \
decided; other columns are ignored, so files and folders of cc-index work as they are.

The output has one row per URL and crawler, in the order of the list; `robots-scan schema matches` \
describes its columns.

Examples:
  robots-scan match out.parquet --agent GPTBot --urls urls.txt -o out.csv
  robots-scan match out.parquet -a GPTBot,CCBot --urls cc-index.parquet \\
      --dialect google -o matches.parquet
  zcat urls.gz | robots-scan match out.parquet -a '*' --urls - \\
      --at 2024-03-01 -o matches.parquet

Exit codes: 0 done, 2 not started, 3 stopped; then no output is left.")]
pub(crate) struct MatchArgs {
    /// The dataset: a folder that `scan` wrote; or a history
    pub(crate) dataset: PathBuf,

    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    /// The URLs: text, CSV, JSON lines, CDXJ, Parquet, a folder of Parquet files, or `-` for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) urls: PathBuf,

    /// The columns of a table, as `url=page,time=crawled` [default: url, and fetch_time if there is one]
    #[arg(long, value_name = "KEY=NAME", value_delimiter = ',', value_parser = columns_parser(&URL_COLUMN_KEYS), value_hint = ValueHint::Other)]
    pub(crate) columns: Vec<ColumnArg>,

    /// Over a history, also decides by captures of another scheme, host or port than that of the URL
    #[arg(long)]
    pub(crate) any_origin: bool,

    /// The output file: Parquet, or CSV if its name ends in .csv
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) dialect: DialectArg,

    /// A category of use whose preference is decided, too: `training`, `search`, or a word of one
    /// mechanism
    ///
    /// `training` and `search` are read from `Content-Usage` and `Content-Signal`: disallowed if
    /// either disallows it. Words of one mechanism are `train-ai`, `ai-use` and those of earlier drafts, or
    /// `ai-train` and `ai-input`, and for `search` `content-usage:search` or `content-signal:search`.
    #[arg(long, value_name = "CATEGORY", value_parser = parse_category, value_hint = ValueHint::Other)]
    pub(crate) category: Option<CategoryChoice>,

    /// The time for rows without a `fetch_time` [default: the newest capture]
    #[arg(long, value_name = "TIME", value_parser = parse_time, value_hint = ValueHint::Other)]
    pub(crate) at: Option<i64>,

    /// Uses only this crawl of the dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    /// The memory for sorting, at least 16MiB; the rest is sorted on disk, beside OUT
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size, value_hint = ValueHint::Other)]
    pub(crate) memory: u64,

    /// Replaces a file that robots-scan wrote
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

fn parse_category(text: &str) -> Result<CategoryChoice, String> {
    CategoryChoice::parse(text).map_err(|refusal| refusal.hint)
}

impl CommandArgs for MatchArgs {
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        Some(&mut self.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let threads = start_thread_pool(defaults::thread_count(&self.threads), &self.dataset)?;
        let registry = defaults::read_registry(self.crawlers.agents.as_deref())?;
        let names = AgentNames {
            agents: &self.crawlers.agent,
            registry: &registry,
            is_any_accepted: self.crawlers.any_name,
        };
        names.check()?;
        let crawlers = self.crawlers.agent.iter();
        let options = Options {
            dataset: self.dataset.clone(),
            crawls: self.crawl.clone(),
            urls: match self.urls.as_path() {
                path if path == Path::new("-") => UrlListSource::Stdin,
                path => UrlListSource::File(path.to_owned()),
            },
            columns: column_names(&self.columns)?,
            crawlers: crawlers
                .map(|agent| Crawler::new(&registry, agent))
                .collect(),
            dialect: self.dialect.dialect,
            category: self.category.clone(),
            as_of: self.at,
            any_origin: self.any_origin,
            memory: self.memory,
            output: self.output.clone(),
            overwrite: self.overwrite,
        };
        if self.any_origin && HistoryManifest::read(&self.dataset)?.is_none() {
            return Err(anyhow!(
                "--any-origin is about histories, and '{}' is a dataset",
                self.dataset.display()
            ));
        }
        let ready = url_match::prepare(options)?;
        let progress = Arc::new(MatchProgress::default());
        let done = run_with_display(progress.clone(), &self.print, caller, |stop| {
            threads.install(|| ready.run(&progress, stop))
        })?;
        if !done.is_dataset_whole {
            caller.warn(&format!(
                "'{}' has no _SUCCESS: the run that wrote it did not finish",
                self.dataset.display()
            ));
        }
        if done.urls == 0 {
            caller.warn(&format!("'{}' contains no URL", self.urls.display()));
        }
        // `by_basis` counts one answer per crawler for each row of the list.
        let count_rows = |basis: &str| {
            done.by_basis.get(basis).copied().unwrap_or(0) / self.crawlers.agent.len() as u64
        };
        let bad_times = count_rows("bad_time");
        if bad_times > 0 {
            caller.warn(&format!(
                "'{}': {} with a time that cannot be read; the answer is `unknown` (`bad_time`)",
                self.urls.display(),
                format_count(bad_times, "row"),
            ));
            caller.hint(TIME_HINT);
        }
        let bad_urls = count_rows("bad_url");
        if bad_urls > 0 {
            caller.warn(&format!(
                "'{}': {} without an absolute URL; the answer is `unknown` (`bad_url`)",
                self.urls.display(),
                format_count(bad_urls, "row"),
            ));
            caller.hint("write URLs as https://HOST/PATH");
        }
        let text = self.print.format(
            || summary_to_json(&done, self),
            || format_summary(&done, &self.output),
        );
        Ok(CommandOutcome::ok(text))
    }
}

/// Returns the summary for people.
fn format_summary(done: &MatchSummary, output: &Path) -> String {
    let count = |name: &str| HumanCount(done.by_access.get(name).copied().unwrap_or(0));
    let changed = match done.changed_urls {
        0 => String::new(),
        changed => format!(
            "{} read as clients send them: octets above 0x7F percent-encoded, . and .. resolved\n",
            format_count(changed, "URL")
        ),
    };
    format!(
        "{} of {}: {} allowed, {} disallowed, {} unknown; {}: {}, {}, {:.1} s\n{changed}",
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
        "changed_urls": done.changed_urls,
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

impl ProgressSource for MatchProgress {
    fn update_interval(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn position(&self) -> u64 {
        self.stage_and_rows().1
    }

    fn pieces(&self, _seconds: f64) -> Vec<String> {
        let (stage, rows) = self.stage_and_rows();
        vec![format!("{} {}", HumanCount(rows), stage.name())]
    }
}
