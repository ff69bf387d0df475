//! `robots-scan check`: evaluates one robots.txt for some crawlers and URLs.
//!
//! The robots.txt is a file, or the authoritative capture of a host in a dataset or an
//! archive. `check_report.rs` formats the output.

use crate::agent_advice::AgentNames;
use crate::args::CheckArgs;
use crate::caller::Caller;
use crate::exit::{self, StoppedError, UsageError};
use crate::quantity::format_count;
use crate::{check_report, defaults, message, output};
use anyhow::Result;
use dataset::crawler::DialectChoice;
use dataset::resolve::Host;
use robots::{BODY_LIMIT_BYTES, ParseOptions, Verdict};
use std::io::{IsTerminal, stdout};
use std::path::Path;
use tools::check::{
    AgentReport, CheckReport, CheckRequest, HostReport, HostRequest, InputKind, check, check_host,
    read_robots_txt,
};
use tools::url_match::{UrlListSource, read_url_list};

/// The exit code if any URL is disallowed.
const EXIT_DISALLOWED: u8 = 1;
/// The exit code if the result is unknown.
const EXIT_UNKNOWN: u8 = 3;

/// The argument that stands for standard input.
const STDIN_ARGUMENT: &str = "-";

/// Runs the command. Returns the exit code.
pub(crate) fn run(args: &CheckArgs) -> Result<u8> {
    let registry = defaults::read_registry(args.agents.as_deref())?;
    let is_stdin = args.file == Path::new(STDIN_ARGUMENT);
    if is_stdin && args.list.as_deref() == Some(Path::new(STDIN_ARGUMENT)) {
        let text = "standard input cannot be both the robots.txt and the URLs";
        return Err(UsageError::new(text).into());
    }
    if let Some(error) = missing_file_error(&args.file).filter(|_| !is_stdin) {
        return Err(error.into());
    }
    let body = match &args.host {
        Some(_) => Vec::new(),
        None => read_body(args, is_stdin)?,
    };
    let urls = read_urls(args)?;
    let request = CheckRequest {
        registry: &registry,
        agents: &args.agent,
        dialect: args.dialect,
        urls: &urls,
        fetch_time: None,
    };
    let (code, text) = match &args.host {
        Some(host) => check_capture(args, host, &request).map_err(exit::mark_result_unknown)?,
        None => check_body(args, &body, &request)?,
    };
    output::print(text)?;
    Ok(code)
}

/// Checks the bytes of a robots.txt. Returns the exit code and the output.
fn check_body(args: &CheckArgs, body: &[u8], request: &CheckRequest<'_>) -> Result<(u8, String)> {
    let options = ParseOptions {
        body_limit: body_limit(args),
        is_truncated: false,
    };
    let report = check(body, options, request);
    check_names(args, request, &report)?;
    let code = exit_code(&report, args.dialect);
    let text = match args.json {
        true => check_report::to_json_lines(&report, code, None),
        false => check_report::format_report(&report, stdout().is_terminal()),
    };
    Ok((code, text))
}

/// Returns an error if a crawler is neither in the registry nor named by the file of a report.
fn check_names(
    args: &CheckArgs,
    request: &CheckRequest<'_>,
    report: &CheckReport,
) -> Result<(), UsageError> {
    let names = AgentNames {
        agents: &args.agent,
        registry: request.registry,
        dialect: args.dialect,
        is_any_accepted: args.any_name,
    };
    names.check_in(report)
}

/// Checks the authoritative capture of a host. Returns the exit code and the output.
fn check_capture(
    args: &CheckArgs,
    host: &Host,
    request: &CheckRequest<'_>,
) -> Result<(u8, String)> {
    let found = report_host(args, host, request)?;
    check_names(args, request, &found.report)?;
    let code = exit_code(&found.report, args.dialect);
    let text = match args.json {
        true => check_report::to_json_lines(&found.report, code, Some((host, &found))),
        false => check_report::format_host_report(&found, stdout().is_terminal()),
    };
    Ok((code, text))
}

/// Returns an error with a hint if FILE does not exist and is a URL or a host.
fn missing_file_error(file: &Path) -> Option<UsageError> {
    let text = file.to_str()?;
    let error = std::fs::metadata(file).err()?;
    if error.kind() != std::io::ErrorKind::NotFound {
        return None;
    }
    let robots_url = |origin: &str| format!("curl -s '{origin}/robots.txt' | robots-scan check -");
    if let Some((scheme, rest)) = text.split_once("://") {
        let host = rest.split(['/', '?', '#', '\'']).next().unwrap_or(rest);
        let hint = robots_url(&format!("{scheme}://{host}"));
        return Some(UsageError::with_hint(
            format!("'{text}' is a URL, but 'check' reads files"),
            hint,
        ));
    }
    let is_host = !text.contains(['/', '\'']) && Host::parse(text)?.has_known_suffix();
    is_host.then(|| {
        UsageError::with_hint(
            format!("cannot read '{text}': no such file or directory"),
            format!("for a host: {}", robots_url(&format!("https://{text}"))),
        )
    })
}

/// Returns the body limit; `None` if there is none.
fn body_limit(args: &CheckArgs) -> Option<u64> {
    args.body_limit
        .map_or(Some(BODY_LIMIT_BYTES), |limit| limit.0)
}

/// Returns the bytes of the robots.txt.
fn read_body(args: &CheckArgs, is_stdin: bool) -> Result<Vec<u8>> {
    if is_stdin {
        return Ok(read_robots_txt(None)?);
    }
    if InputKind::detect(&args.file)? != InputKind::RobotsTxt {
        let text = format!("'{}' contains many robots.txt files", args.file.display());
        let hint = "name a host, such as --host example.com";
        return Err(UsageError::with_hint(text, hint).into());
    }
    Ok(read_robots_txt(Some(&args.file))?)
}

/// Returns the URLs of `--url`, then those of the list.
fn read_urls(args: &CheckArgs) -> Result<Vec<String>> {
    let mut urls = args.urls.clone();
    if let Some(path) = &args.list {
        let list = match path.as_path() {
            path if path == Path::new(STDIN_ARGUMENT) => UrlListSource::Stdin,
            path => UrlListSource::File(path.to_owned()),
        };
        urls.extend(read_url_list(&list)?);
    }
    Ok(urls)
}

/// Finds and checks the authoritative capture of a host.
fn report_host(args: &CheckArgs, host: &Host, request: &CheckRequest<'_>) -> Result<HostReport> {
    if args.body_limit.is_some() && InputKind::detect(&args.file)? == InputKind::Dataset {
        let text = "a dataset has the body limit that it was scanned with";
        return Err(UsageError::with_hint(text, "leave out --body-limit").into());
    }
    let stop = Caller::Terminal.stop_flag()?;
    let host_request = HostRequest {
        path: &args.file,
        host,
        crawls: &args.crawl,
        as_of: args.at,
        body_limit: body_limit(args),
    };
    let found = check_host(&host_request, request, &stop).map_err(|error| {
        match error.is_interruption() {
            true => StoppedError::wrap_if_begun(error),
            false => error.into(),
        }
    })?;
    if found.faults > 0 {
        message::print_warning(&format!(
            "'{}': {} could not be read, and may have held later captures",
            args.file.display(),
            format_count(found.faults, "place"),
        ));
    }
    Ok(found)
}

/// Returns the exit code: [`EXIT_DISALLOWED`] if anything is disallowed for any crawler,
/// otherwise [`EXIT_UNKNOWN`] if anything is unknown.
fn exit_code(report: &CheckReport, choice: DialectChoice) -> u8 {
    let agent_answers = |agent: &AgentReport| -> Vec<Option<bool>> {
        if agent.urls.is_empty() {
            return vec![match agent.verdicts.verdict_for_dialect(choice) {
                Verdict::AllowAll => Some(true),
                Verdict::DisallowAll | Verdict::Partial => Some(false),
                Verdict::Unknown => None,
            }];
        }
        let answers = agent.urls.iter();
        answers.map(|answer| answer.is_allowed).collect()
    };
    let answers: Vec<Option<bool>> = report.agents.iter().flat_map(agent_answers).collect();
    if answers.contains(&Some(false)) {
        EXIT_DISALLOWED
    } else if answers.contains(&None) {
        EXIT_UNKNOWN
    } else {
        exit::OK
    }
}
