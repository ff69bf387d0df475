//! `robots-scan check`: evaluates one robots.txt for some crawlers and URLs.
//!
//! The robots.txt is a file, or the authoritative capture of a host in a dataset, a history or an
//! archive. The report is printed as JSON, or for people by `check_report.rs`.

use crate::answers::agent_advice::AgentNames;
use crate::answers::check_report::ReportPrinter;
use crate::answers::{parse_host, parse_time};
use crate::calls::caller::Caller;
use crate::calls::exit::{self, StoppedError, UsageError};
use crate::commands::arg_values::{ByteLimit, URL_OPTIONS_HEADING, parse_limit};
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::network::{EventRoute, start_client};
use crate::commands::shared_args::{AccessArgs, CrawlerArgs, DialectArg};
use crate::printing::escape::write_json_line;
use crate::printing::message;
use crate::printing::output;
use crate::printing::quantity::format_count;
use crate::printing::quantity::parse_duration;
use answers::check::{
    ArchiveBase, ArchiveProblem, CheckReport, CheckRequest, HostReport, HostRequest, InputKind,
    check, check_host, read_robots_txt,
};
use answers::url_match::{UrlListSource, is_url_or_path, read_url_list};
use anyhow::Result;
use clap::ValueHint;
use errors::{Error, ErrorKind};
use hosts::Host;
use remote::{Rate, Remote, RemoteOptions};
use robots::{BODY_LIMIT_BYTES, ParseOptions};
use serde::Serialize;
use std::io::{IsTerminal, stdout};
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
In a dataset, a history or an archive, --host selects the host. Of its captures, the one with the most \
decisive outcome is used, https before http, then the latest. Redirects are followed within the data, and a \
revisit has the text of the capture it repeats. With several crawls, the last one decides.

Without URLs, the text is printed. It comes from the archive, if it is found and its record is unchanged: at the \
path that is its name in the dataset, or below --base. Otherwise it comes from the dataset: from the column \
`body` (`scan --with-bodies`), or else from the rows of its lines, and then comments and blank lines are \
missing. In a history, these are the lines that a dialect or a preference reads.

Examples:
  robots-scan check robots.txt --agent GPTBot --url https://example.com/a
  robots-scan check robots.txt --agent GPTBot,CCBot --urls urls.txt
  robots-scan check out.parquet --host example.com --agent GPTBot
  robots-scan check crawls --host example.com --base https://data.commoncrawl.org
  robots-scan check history --host example.com --at 2019-06-01
  robots-scan check crawl.warc.gz --host https://example.com:8443

Exit codes: 0 done, 1 a URL is disallowed, 2 usage error, 3 unknown: whether a URL is allowed, or there is \
no capture of the host, or the dataset or the archive of --base cannot be read or was changed.")]
#[command(mut_arg("agent", |agent| agent.required(false).default_value("*")))]
pub(crate) struct CheckArgs {
    /// The robots.txt file, or `-` for standard input; with --host, a dataset, history or archive
    pub(crate) file: PathBuf,

    /// The host whose robots.txt is checked: `example.com`, `example.com:8080` or
    /// `https://example.com`
    #[arg(long, value_name = "HOST", value_parser = parse_host, value_hint = ValueHint::Other)]
    pub(crate) host: Option<Host>,

    /// Uses only this crawl of a dataset; may be repeated [default: all]
    #[arg(long, value_name = "NAME", requires = "host", value_hint = ValueHint::Other)]
    pub(crate) crawl: Vec<String>,

    /// The time for which the capture is selected [default: the newest capture]
    #[arg(long, value_name = "TIME", requires = "host", value_parser = parse_time, value_hint = ValueHint::Other)]
    pub(crate) at: Option<i64>,

    #[command(flatten)]
    pub(crate) crawlers: CrawlerArgs,

    /// A URL to check, or a path; may be repeated. Only its path and query count
    #[arg(short, long = "url", value_name = "URL", value_parser = parse_url_or_path, value_hint = ValueHint::Url)]
    pub(crate) urls: Vec<String>,

    /// A list of URLs to check, as for `match`, or `-` for standard input
    #[arg(long = "urls", value_name = "LIST")]
    pub(crate) list: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) dialect: DialectArg,

    /// The size of the file up to which its lines count, or `none` [default: 512000]
    #[arg(long, value_name = "SIZE", value_parser = parse_limit, value_hint = ValueHint::Other)]
    pub(crate) body_limit: Option<ByteLimit>,

    /// A folder or URL that is put before the name of the archive, or the archive itself
    #[arg(long, value_name = "PREFIX", requires = "host", value_hint = ValueHint::AnyPath)]
    pub(crate) base: Option<String>,

    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// The time without a new byte after which an archive fails, and the text comes from the dataset
    #[arg(long, value_name = "TIME", default_value = "1m", help_heading = URL_OPTIONS_HEADING, value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

/// The exit code if any URL is disallowed.
const EXIT_DISALLOWED: u8 = 1;
/// The exit code if the result is unknown.
const EXIT_UNKNOWN: u8 = 3;

/// The argument that means standard input.
const STDIN_ARGUMENT: &str = "-";

fn parse_url_or_path(text: &str) -> Result<String, String> {
    if is_url_or_path(text.as_bytes()) {
        Ok(text.to_owned())
    } else {
        Err(
            "give an absolute URL, such as https://example.com/a, or a path that begins with '/'"
                .to_owned(),
        )
    }
}

/// Starts the client that reads the record of a capture from an archive at a URL.
fn start_check_client(args: &CheckArgs, route: &EventRoute) -> Result<Remote> {
    let options = RemoteOptions {
        rate: Rate::Default,
        concurrent_tasks: 1,
        max_connections: None,
        read_ahead_bytes: 0,
        patience: args.patience,
        stall_timeout: args.patience,
        temp_folder: std::env::temp_dir(),
        ca_file: args.access.ca.clone(),
        is_anonymous: args.access.no_sign_request,
    };
    start_client(options, route)
}

/// Wraps an error that leaves the answer of `check` unknown, so that the exit code is
/// [`STOPPED`](exit::STOPPED): there is no capture of the host, or a part of the dataset cannot be read. Other
/// errors are returned as they are.
fn mark_result_unknown(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Error>() {
        Ok(error)
            if matches!(
                error.kind(),
                Some(dataset::error::DatasetErrorKind::NoCapture { .. })
            ) || matches!(error.kind(), Some(ErrorKind::Read)) =>
        {
            exit::StoppedError(error).into()
        }
        Ok(error) => error.into(),
        Err(error) => error,
    }
}

impl CommandArgs for CheckArgs {
    fn is_json(&mut self) -> bool {
        self.json
    }

    fn run(&self, _caller: &Caller) -> Result<CommandOutcome> {
        let registry = defaults::read_registry(self.crawlers.agents.as_deref())?;
        let is_stdin = self.file == Path::new(STDIN_ARGUMENT);
        if is_stdin && self.list.as_deref() == Some(Path::new(STDIN_ARGUMENT)) {
            let text = "standard input cannot be both the robots.txt and the URLs";
            return Err(UsageError::new(text).into());
        }
        if let Some(error) = missing_file_error(&self.file).filter(|_| !is_stdin) {
            return Err(error.into());
        }
        let body = match &self.host {
            Some(_) => Vec::new(),
            None => read_body(self, is_stdin)?,
        };
        let urls = read_urls(self)?;
        let request = CheckRequest {
            registry: &registry,
            agents: &self.crawlers.agent,
            dialect: self.dialect.dialect,
            urls: &urls,
            fetch_time: None,
        };
        match &self.host {
            Some(host) => check_capture(self, host, &request).map_err(mark_result_unknown),
            None => check_body(self, body, &request),
        }
    }
}

/// Checks the bytes of a robots.txt.
fn check_body(
    args: &CheckArgs,
    body: Vec<u8>,
    request: &CheckRequest<'_>,
) -> Result<CommandOutcome> {
    let options = ParseOptions {
        body_limit: body_limit(args),
        is_truncated: false,
    };
    let report = check(&body, options, request);
    check_names(args, request, &report)?;
    let code = exit_code(&report);
    print_report(args, report, request.urls.is_empty(), code)
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct JsonReport<'a> {
    exit_code: u8,
    #[serde(flatten)]
    report: &'a CheckReport,
}

/// Prints the report for people or as JSON.
fn print_report(
    args: &CheckArgs,
    mut report: CheckReport,
    is_text_shown: bool,
    code: u8,
) -> Result<CommandOutcome> {
    let is_terminal = stdout().is_terminal();
    output::write(|out| {
        if args.json {
            report.text = report.text.take().filter(|_| is_text_shown);
            let (exit_code, report) = (code, &report);
            return write_json_line(&JsonReport { exit_code, report }, out);
        }
        ReportPrinter {
            report: &report,
            is_text_shown,
            is_terminal,
        }
        .write(out)
    })?;
    let text = Vec::new();
    Ok(CommandOutcome { code, text })
}

/// Returns an error if a crawler of `--agent` is neither in the registry nor named in the file that is checked.
fn check_names(
    args: &CheckArgs,
    request: &CheckRequest<'_>,
    report: &CheckReport,
) -> Result<(), UsageError> {
    let names = AgentNames {
        agents: &args.crawlers.agent,
        registry: request.registry,
        is_any_accepted: args.crawlers.any_name,
    };
    names.check_in(report)
}

/// Checks the authoritative capture of a host, and prints the results.
fn check_capture(
    args: &CheckArgs,
    host: &Host,
    request: &CheckRequest<'_>,
) -> Result<CommandOutcome> {
    let report = report_host(args, host, request)?;
    let is_text_shown = request.urls.is_empty();
    let mut code = exit_code(&report);
    if let Some(host) = &report.host
        && let Some(problem) = unexpected_problem(args, host, is_text_shown)
    {
        message::print_warning(&format!(
            "the text does not come from the archive '{}': {}",
            host.record.warc_filename,
            errors::with_causes(problem)
        ));
        if code == exit::OK {
            code = EXIT_UNKNOWN;
        }
    }
    print_report(args, report, is_text_shown, code)
}

/// Returns an error with a hint if the argument FILE is a URL or a host instead of an existing file.
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

/// Returns the body limit in bytes; `None` for no limit.
fn body_limit(args: &CheckArgs) -> Option<u64> {
    args.body_limit
        .map_or(Some(BODY_LIMIT_BYTES), |limit| limit.0)
}

/// Reads the robots.txt from FILE or standard input. Returns an error if FILE is a dataset or an archive, which
/// requires `--host`.
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
fn report_host(args: &CheckArgs, host: &Host, request: &CheckRequest<'_>) -> Result<CheckReport> {
    if args.body_limit.is_some() && InputKind::detect(&args.file)? == InputKind::Dataset {
        let text = "a dataset has the body limit that it was scanned with";
        return Err(UsageError::with_hint(text, "leave out --body-limit").into());
    }
    let base = args.base.as_deref().map(parse_archive_base).transpose()?;
    let remote = match &base {
        Some(ArchiveBase::Url(_)) => Some(start_check_client(args, &EventRoute::default())?),
        _ => None,
    };
    let stop = Caller::Terminal.stop_flag()?;
    let host_request = HostRequest {
        path: &args.file,
        host,
        crawls: &args.crawl,
        as_of: args.at,
        body_limit: body_limit(args),
        base: base.as_ref(),
        remote: remote.as_ref(),
    };
    let explain = |error: Error| {
        if error.is_interruption() {
            StoppedError::wrap_if_begun(error)
        } else {
            error.into()
        }
    };
    let found = check_host(&host_request, request, &stop).map_err(explain)?;
    check_names(args, request, &found)?;
    let faults = found.host.as_ref().map_or(0, |host| host.faults);
    if faults > 0 {
        message::print_warning(&format!(
            "'{}': {} could not be read, and may have held later captures",
            args.file.display(),
            format_count(faults, "place"),
        ));
    }
    Ok(found)
}

/// Parses the value of `--base`. The library's error about a path that does not exist does not contain the name of
/// the option, so a hint with the name is added.
fn parse_archive_base(text: &str) -> Result<ArchiveBase> {
    ArchiveBase::parse(text).map_err(|error| match error.kind() {
        Some(ErrorKind::Read) => {
            let hint = "--base is the folder or URL that holds the archives, or one archive";
            UsageError::with_hint(errors::with_causes(&error), hint).into()
        }
        _ => error.into(),
    })
}

/// Returns the problem with the archive, unless it needs no warning: the archive cannot have the text, or it was not
/// given with `--base`. Without `--base`, an archive that is found at the path that is its name matters only if the text
/// is shown.
fn unexpected_problem<'a>(
    args: &CheckArgs,
    host: &'a HostReport,
    is_text_shown: bool,
) -> Option<&'a ArchiveProblem> {
    host.problem.as_ref().filter(|problem| match problem {
        ArchiveProblem::Revisit | ArchiveProblem::BodyTable => false,
        ArchiveProblem::NotFound { .. } => args.base.is_some(),
        _ => args.base.is_some() || is_text_shown,
    })
}

/// Returns the exit code: [`EXIT_DISALLOWED`] if any URL is disallowed for any crawler, otherwise
/// [`EXIT_UNKNOWN`] if any answer is unknown.
fn exit_code(report: &CheckReport) -> u8 {
    let urls = report.agents.iter().flat_map(|agent| &agent.urls);
    let answers: Vec<Option<bool>> = urls.map(|answer| answer.is_allowed).collect();
    if answers.contains(&Some(false)) {
        EXIT_DISALLOWED
    } else if answers.contains(&None) {
        EXIT_UNKNOWN
    } else {
        exit::OK
    }
}
