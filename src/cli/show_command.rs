//! `robots-scan show`: prints the robots.txt that applies to a host in a dataset.
//!
//! `show_report.rs` formats the output.

use crate::exit::{self, Stopped};
use crate::network::{self, EventRoute};
use crate::session::Session;
use crate::show_args::ShowArgs;
use crate::usage_error::UsageError;
use crate::{agent_advice, defaults, interrupt, message, show_report};
use anyhow::Result;
use robots_scan::check::CheckRequest;
use robots_scan::error::{Error, ErrorKind};
use robots_scan::show::{ArchiveBase, ArchiveProblem, ShowRequest, ShownHost, show_host};
use std::io::{BufWriter, IsTerminal, Write, stdout};

/// The exit code if there is no capture of the host, or if the dataset cannot be read.
const UNKNOWN: u8 = 3;

/// Runs the command. Returns the exit code.
pub(crate) fn run(args: &ShowArgs) -> Result<u8> {
    if args.dataset.is_file() {
        let text = format!("'{}' is a file, not a dataset", args.dataset.display());
        let hint = "scan an archive first, or explain its rules with check --host";
        return Err(UsageError::with_hint(text, hint).into());
    }
    let base = args.base.as_deref().map(archive_base).transpose()?;
    let mut shown = match shown_host(args, base.as_ref()) {
        Ok(shown) => shown,
        Err(error) if is_unknown(&error) => {
            message::error(&error);
            return Ok(UNKNOWN);
        }
        Err(error) => return Err(error),
    };
    let code = exit_code(args, &shown);
    let problem = shown.archive.problem.take();
    let problem = problem.map(|problem| message::with_causes(&problem.into()));
    if let Some(problem) = problem.as_ref().filter(|_| code == exit::FAULTS) {
        let name = &shown.shown_capture().record.warc_filename;
        message::warning(&format!(
            "the text does not come from the archive '{name}': {problem}"
        ));
    }
    let mut out = BufWriter::new(stdout().lock());
    match args.json {
        true => {
            let line = show_report::json(args, &shown, problem.as_deref(), code);
            out.write_all(line.as_bytes())?;
        }
        false => show_report::write(args, &shown, stdout().is_terminal(), &mut out)?,
    }
    out.flush()?;
    Ok(code)
}

/// Parses the value of `--base`. The error of a path that does not exist does not name the option, so
/// a hint does.
fn archive_base(text: &str) -> Result<ArchiveBase> {
    ArchiveBase::parse(text).map_err(|error| match error.kind() {
        ErrorKind::Read => {
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
    let stop = interrupt::stop_flag()?;
    show_host(&request, &check, &stop).map_err(|error| match error.kind() {
        ErrorKind::Interrupted | ErrorKind::Abandoned => Stopped::of(error),
        _ => error.into(),
    })
}

/// Returns true for an error that leaves the rules unknown: there is no capture, or a part of the
/// dataset cannot be read.
fn is_unknown(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<Error>().map(Error::kind);
    matches!(kind, Some(ErrorKind::NoCapture { .. } | ErrorKind::Read))
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
