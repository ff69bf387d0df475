//! `robots-scan show`: prints the robots.txt that applies to a host in a dataset.
//!
//! `show_report.rs` formats the output.

use crate::agent_advice::AgentNames;
use crate::caller::Caller;
use crate::exit::{self, StoppedError, UsageError};
use crate::network::{self, EventRoute};
use crate::show_args::ShowArgs;
use crate::{defaults, message, output, show_report};
use anyhow::Result;
use disk::error::{Error, ErrorKind};
use std::io::{IsTerminal, stdout};
use tools::check::CheckRequest;
use tools::show::{ArchiveBase, ArchiveProblem, ShowRequest, ShownHost, extract_shown, show_host};

/// Runs the command. Returns the exit code.
pub(crate) fn run(args: &ShowArgs) -> Result<u8> {
    if args.dataset.is_file() {
        let text = format!("'{}' is a file, not a dataset", args.dataset.display());
        let hint = "scan an archive first, or explain its rules with check --host";
        return Err(UsageError::with_hint(text, hint).into());
    }
    let base = args.base.as_deref().map(parse_archive_base).transpose()?;
    let mut shown = find_host(args, base.as_ref())?;
    let code = exit_code(args, &shown);
    let problem = shown.archive.problem.take();
    let problem = problem.map(|problem| message::format_with_causes(&problem.into()));
    if let Some(problem) = problem.as_ref().filter(|_| code == exit::FAULTS) {
        let name = &shown.shown_capture().record.warc_filename;
        message::print_warning(&format!(
            "the text does not come from the archive '{name}': {problem}"
        ));
    }
    let mut out = Vec::new();
    match args.json {
        true => {
            out.extend(show_report::host_to_json(args, &shown, problem.as_deref(), code).bytes())
        }
        false => show_report::write_report(args, &shown, stdout().is_terminal(), &mut out)?,
    }
    output::print(out)?;
    Ok(code)
}

/// Parses the value of `--base`. The error of a path that does not exist does not name the option, so
/// a hint does.
fn parse_archive_base(text: &str) -> Result<ArchiveBase> {
    ArchiveBase::parse(text).map_err(|error| match error.kind() {
        Some(ErrorKind::Read) => {
            let hint = "--base is the folder or URL that holds the archives, or one archive";
            UsageError::with_hint(message::format_with_causes(&error.into()), hint).into()
        }
        _ => error.into(),
    })
}

/// Finds the host, and copies its record.
fn find_host(args: &ShowArgs, base: Option<&ArchiveBase>) -> Result<ShownHost> {
    let registry = defaults::read_registry(args.agents.as_deref())?;
    let remote = match base {
        Some(ArchiveBase::Url(_)) => {
            Some(network::start_show_client(args, &EventRoute::default())?)
        }
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
        fetch_time: None,
    };
    let stop = Caller::Terminal.stop_flag()?;
    let explain = |error: Error| match error.is_interruption() {
        true => StoppedError::wrap_if_begun(error),
        false => error.into(),
    };
    let shown = show_host(&request, &check, &stop);
    let shown = shown.map_err(explain).map_err(exit::mark_result_unknown)?;
    let names = AgentNames {
        agents: &args.agent,
        registry: &registry,
        dialect: args.dialect,
        is_any_accepted: args.any_name,
    };
    names.check_in(&shown.report.report)?;
    if let Some(output) = &args.extract {
        extract_shown(&request, &shown, output, args.overwrite, &stop).map_err(explain)?;
    }
    Ok(shown)
}

/// Returns [`exit::FAULTS`] if the archive cannot be used. Without `--base`, it is only looked for at
/// the path that is its name, and need not be there.
fn exit_code(args: &ShowArgs, shown: &ShownHost) -> u8 {
    match &shown.archive.problem {
        None => exit::OK,
        Some(ArchiveProblem::NotFound { .. }) if args.base.is_none() => exit::OK,
        Some(ArchiveProblem::Revisit | ArchiveProblem::BodyTable) => exit::OK,
        Some(_) => exit::FAULTS,
    }
}
