//! `robots-scan show`: prints the robots.txt that applies to a host in a dataset.
//!
//! `show_report.rs` formats the output.

use crate::args::{URLS, agent, dialects, host, time};
use crate::exit::{self, Stopped, UsageError};
use crate::network::{self, EventRoute};
use crate::quantity::parse_duration;
use crate::session::Session;
use crate::{agent_advice, defaults, message, output, show_report};
use anyhow::Result;
use clap::ValueHint;
use dataset::crawler::DialectChoice;
use dataset::resolve::Host;
use disk::error::ErrorKind;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::time::Duration;
use tools::check::CheckRequest;
use tools::show::{ArchiveBase, ArchiveProblem, ShowRequest, ShownHost, show_host};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The capture is the one whose rules apply, as for `check --host`: redirects are followed, and a revisit \
has the text of the capture it repeats. With several crawls, the last one decides.

The text comes from the archive, if it is found and its record is unchanged: at the path that is its \
name in the dataset, or below --base. Otherwise it comes from the dataset: from the column `body` \
(`scan --with-bodies`), or else from the rows of its lines, and then comments and blank lines are missing.

Examples:
  robots-scan show out.parquet --host example.com --agent GPTBot
  robots-scan show out.parquet --host example.com --base /mnt/cc
  robots-scan show crawls --host example.com --base https://data.commoncrawl.org

Exit codes: 0 done, 1 done, but the archive cannot be read or its record was changed, 2 usage error, \
3 there is no capture of the host, or the dataset cannot be read.")]
pub(crate) struct ShowArgs {
    /// The dataset: a folder that `scan` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    /// The host: `example.com`, `example.com:8080` or `https://example.com`
    #[arg(long, value_name = "HOST", value_parser = host, value_hint = ValueHint::Other)]
    pub(crate) host: Host,

    /// Uses only this crawl of the dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    /// The time for which the capture is selected [default: the newest capture]
    #[arg(long, value_name = "TIME", value_parser = time, value_hint = ValueHint::Other)]
    pub(crate) at: Option<i64>,

    /// The name of a crawler whose lines are marked; may be repeated, or separated by commas
    #[arg(
        short,
        long,
        value_name = "NAME",
        default_value = "*",
        value_delimiter = ',',
        value_parser = agent,
        value_hint = ValueHint::Other
    )]
    pub(crate) agent: Vec<String>,

    /// The rules by which lines are marked
    ///
    /// `default` is Google's rules with names compared whole and with the fallbacks of the
    /// registry of crawlers.
    #[arg(long, value_name = "DIALECT", default_value = "default", value_parser = dialects())]
    pub(crate) dialect: DialectChoice,

    /// A folder or URL that is put before the name of the archive, or the archive itself
    #[arg(long, value_name = "PREFIX", value_hint = ValueHint::AnyPath)]
    pub(crate) base: Option<String>,

    /// A custom registry of crawlers instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,

    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// How long an archive is tried without a new byte, before the text comes from the dataset
    #[arg(long, value_name = "TIME", default_value = "1m", help_heading = URLS, value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    /// Further root certificates, in PEM
    #[arg(long, value_name = "FILE", help_heading = URLS)]
    pub(crate) ca: Option<PathBuf>,

    /// Reads public buckets of S3 without credentials
    #[arg(long, help_heading = URLS)]
    pub(crate) no_sign_request: bool,
}

/// Runs the command. Returns the exit code.
pub(crate) fn run(args: &ShowArgs) -> Result<u8> {
    if args.dataset.is_file() {
        let text = format!("'{}' is a file, not a dataset", args.dataset.display());
        let hint = "scan an archive first, or explain its rules with check --host";
        return Err(UsageError::with_hint(text, hint).into());
    }
    let base = args.base.as_deref().map(archive_base).transpose()?;
    let mut shown = shown_host(args, base.as_ref()).map_err(exit::unknown)?;
    let code = exit_code(args, &shown);
    let problem = shown.archive.problem.take();
    let problem = problem.map(|problem| message::with_causes(&problem.into()));
    if let Some(problem) = problem.as_ref().filter(|_| code == exit::FAULTS) {
        let name = &shown.shown_capture().record.warc_filename;
        message::warning(&format!(
            "the text does not come from the archive '{name}': {problem}"
        ));
    }
    let mut out = Vec::new();
    match args.json {
        true => out.extend(show_report::json(args, &shown, problem.as_deref(), code).bytes()),
        false => show_report::write(args, &shown, stdout().is_terminal(), &mut out)?,
    }
    output::print(out)?;
    Ok(code)
}

/// Parses the value of `--base`. The error of a path that does not exist does not name the option, so
/// a hint does.
fn archive_base(text: &str) -> Result<ArchiveBase> {
    ArchiveBase::parse(text).map_err(|error| match error.kind() {
        Some(ErrorKind::Read) => {
            let hint = "--base is the folder or URL that holds the archives, or one archive";
            UsageError::with_hint(message::with_causes(&error.into()), hint).into()
        }
        _ => error.into(),
    })
}

fn shown_host(args: &ShowArgs, base: Option<&ArchiveBase>) -> Result<ShownHost> {
    let registry = defaults::registry(args.agents.as_deref())?;
    agent_advice::warn(&args.agent, &registry, args.dialect, &Session::Terminal);
    let remote = match base {
        Some(ArchiveBase::Url(_)) => Some(network::start_show(args, &EventRoute::default())?),
        _ => None,
    };
    let request = ShowRequest {
        path: &args.dataset,
        host: &args.host,
        crawls: &args.crawl,
        as_of: args.at,
        base,
        remote: remote.as_ref(),
    };
    let check = CheckRequest {
        registry: &registry,
        agents: &args.agent,
        dialect: args.dialect,
        urls: &[],
    };
    let stop = Session::Terminal.stop_flag()?;
    show_host(&request, &check, &stop).map_err(|error| match error.is_interruption() {
        true => Stopped::of(error),
        false => error.into(),
    })
}

/// Returns [`exit::FAULTS`] if the archive cannot be used, unless it is only not at the path that
/// is its name, where it need not be.
fn exit_code(args: &ShowArgs, shown: &ShownHost) -> u8 {
    match &shown.archive.problem {
        None => exit::OK,
        Some(ArchiveProblem::NotFound { .. }) if args.base.is_none() => exit::OK,
        Some(_) => exit::FAULTS,
    }
}
