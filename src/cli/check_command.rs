//! `robots-scan check`: one robots.txt, some crawlers.
//!
//! The robots.txt is a file, or the authoritative capture of a host in a
//! dataset or an archive.

use crate::args::CheckArgs;
use crate::exit;
use crate::message::{self, UsageError, escape};
use crate::scan_command::Stopped;
use anyhow::{Context, Result};
use clap::builder::styling::{AnsiColor, Style};
use robots::{BODY_LIMIT_BYTES, Basis, ParseOptions, Severity, StatusEffect, Verdict};
use robots_scan::capture::date::to_iso;
use robots_scan::check::{
    AgentReport, CaptureDetails, CheckReport, CheckRequest, DecidingRule, HostReport, HostRequest,
    InputKind, ReportedAnomaly, check, check_host,
};
use robots_scan::crawler::DialectChoice;
use robots_scan::crawler::registry::CrawlerRegistry;
use robots_scan::error::{Error, ErrorKind};
use robots_scan::resolve::Host;
use robots_scan::url_match::{UrlList, read_url_list};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Any URL is disallowed.
const DISALLOWED: u8 = 1;
/// It could not be told.
const UNKNOWN: u8 = 3;

/// The most lines that are listed for an anomaly.
const LINES_MAX: usize = 5;

/// The name of standard input among arguments.
const STDIN: &str = "-";

pub(crate) fn run(args: &CheckArgs) -> Result<u8> {
    let registry = match &args.agents {
        Some(path) => CrawlerRegistry::read(path)?,
        None => CrawlerRegistry::built_in(),
    };
    let is_stdin = args.file == Path::new(STDIN);
    if is_stdin && args.list.as_deref() == Some(Path::new(STDIN)) {
        let text = "standard input cannot be both the robots.txt and the URLs";
        return Err(UsageError::new(text).into());
    }
    if let Some(error) = missing_file(&args.file).filter(|_| !is_stdin) {
        return Err(error.into());
    }
    let body = match &args.host {
        Some(_) => None,
        None => Some(body(args, is_stdin)?),
    };
    let urls = urls(args)?;
    let request = CheckRequest {
        registry: &registry,
        agents: &args.agent,
        dialect: args.dialect,
        urls: &urls,
    };
    let is_terminal = stdout().is_terminal();
    let (report, text) = match (&args.host, body) {
        (Some(host), _) => {
            let found = match of_host(args, host, &request) {
                Ok(found) => found,
                Err(error) if is_unknown(&error) => {
                    message::error(&error);
                    return Ok(UNKNOWN);
                }
                Err(error) => return Err(error),
            };
            let text = match args.json {
                true => json_lines(args, &found.report, &|value| add_host(args, &found, value)),
                false => host_text(&found, is_terminal),
            };
            (found.report, text)
        }
        (None, body) => {
            let options = ParseOptions {
                body_limit: body_limit(args),
                is_truncated: false,
            };
            let report = check(&body.unwrap_or_default(), options, &request);
            let text = match args.json {
                true => json_lines(args, &report, &|_| {}),
                false => text(&report, is_terminal),
            };
            (report, text)
        }
    };
    // A closed stream does not change the exit code.
    let _ = stdout().lock().write_all(text.as_bytes());
    Ok(code(&report, args.dialect))
}

/// Returns true for an error after which the answer is not known: no capture,
/// or a part of the dataset that cannot be read.
fn is_unknown(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<Error>().map(Error::kind);
    matches!(kind, Some(ErrorKind::NoCapture { .. } | ErrorKind::Read))
}

/// Returns an error if FILE does not exist, with a hint if it is a URL or a host.
fn missing_file(file: &Path) -> Option<UsageError> {
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
            format!("'{text}' is a URL, and 'check' reads files"),
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

fn body_limit(args: &CheckArgs) -> Option<u64> {
    args.body_limit
        .map_or(Some(BODY_LIMIT_BYTES), |limit| limit.0)
}

/// The bytes of a robots.txt.
fn body(args: &CheckArgs, is_stdin: bool) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    if is_stdin {
        stdin()
            .lock()
            .read_to_end(&mut body)
            .context("cannot read standard input")?;
        return Ok(body);
    }
    if InputKind::detect(&args.file)? != InputKind::RobotsTxt {
        let text = format!("'{}' holds many robots.txt files", args.file.display());
        let hint = "name a host, such as --host example.com";
        return Err(UsageError::with_hint(text, hint).into());
    }
    Ok(std::fs::read(&args.file).map_err(|error| Error::read(&args.file, error))?)
}

/// Returns the URLs of --url, then those of the list.
fn urls(args: &CheckArgs) -> Result<Vec<String>> {
    let mut urls = args.urls.clone();
    if let Some(path) = &args.list {
        let list = match path.as_path() {
            path if path == Path::new(STDIN) => UrlList::Stdin,
            path => UrlList::File(path.to_owned()),
        };
        urls.extend(read_url_list(&list)?);
    }
    Ok(urls)
}

fn of_host(args: &CheckArgs, host: &Host, request: &CheckRequest<'_>) -> Result<HostReport> {
    if args.body_limit.is_some() && InputKind::detect(&args.file)? == InputKind::Dataset {
        let text = "a dataset has the body limit that it was scanned with";
        return Err(UsageError::with_hint(text, "leave out --body-limit").into());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))?;
    let host_request = HostRequest {
        path: &args.file,
        host,
        crawls: &args.crawl,
        as_of: args.at,
        body_limit: body_limit(args),
    };
    let found = check_host(&host_request, request, &stop).map_err(|error| match error.kind() {
        ErrorKind::Interrupted | ErrorKind::Abandoned => Stopped::of(error),
        _ => error.into(),
    })?;
    if found.faults > 0 {
        message::warning(&format!(
            "'{}': {} could not be read, and may have held later captures",
            args.file.display(),
            crate::summary::many(found.faults, "place"),
        ));
    }
    Ok(found)
}

/// Returns the exit code: 1 if anything is disallowed for any crawler, else 3 if
/// anything is unknown.
fn code(report: &CheckReport, dialect: DialectChoice) -> u8 {
    let of_agent = |agent: &AgentReport| -> Vec<Option<bool>> {
        if agent.urls.is_empty() {
            return vec![match agent.verdicts.verdict_in(dialect) {
                Verdict::AllowAll => Some(true),
                Verdict::DisallowAll | Verdict::Partial => Some(false),
                Verdict::Unknown => None,
            }];
        }
        let answers = agent.urls.iter();
        answers.map(|answer| answer.is_allowed).collect()
    };
    let answers: Vec<Option<bool>> = report.agents.iter().flat_map(of_agent).collect();
    if answers.contains(&Some(false)) {
        DISALLOWED
    } else if answers.contains(&None) {
        UNKNOWN
    } else {
        exit::WHOLE
    }
}

/// A text in a colour, on a terminal.
fn painted(text: &str, color: AnsiColor, is_terminal: bool) -> String {
    if !is_terminal || message::is_color_refused() {
        return text.to_owned();
    }
    let style: Style = color.on_default();
    format!("{style}{text}{style:#}")
}

/// Returns the report as text. All that comes from the file is escaped.
fn text(report: &CheckReport, is_terminal: bool) -> String {
    let mut out = String::new();
    let are_many = report.agents.len() > 1;
    for (i, agent) in report.agents.iter().enumerate() {
        if i > 0 && !agent.urls.is_empty() {
            out.push('\n');
        }
        if are_many && !agent.urls.is_empty() {
            let _ = writeln!(out, "for {}", escape(&agent.agent));
        }
        answers_text(agent, is_terminal, &mut out);
        verdicts_text(agent, is_terminal, &mut out);
    }
    anomalies_text(&report.anomalies, is_terminal, &mut out);
    out
}

fn answers_text(agent: &AgentReport, is_terminal: bool, out: &mut String) {
    let paint = |text: &str, color| painted(text, color, is_terminal);
    for answer in &agent.urls {
        let word = match answer.is_allowed {
            Some(true) => paint("allowed   ", AnsiColor::Green),
            Some(false) => paint("disallowed", AnsiColor::Red),
            None => paint("unknown   ", AnsiColor::Yellow),
        };
        let _ = write!(out, "{word}  {}", escape(&answer.url));
        match &answer.rule {
            Some(DecidingRule {
                line_no,
                line: Some(line),
                group_line_no: Some(group),
            }) => {
                let _ = writeln!(
                    out,
                    "\n            line {line_no}: {}  (group from line {group})",
                    escape(line)
                );
            }
            _ if agent.verdicts.basis == Basis::HttpStatus => {
                out.push_str("\n            by its status\n");
            }
            _ => out.push_str("\n            no rule matches\n"),
        }
    }
    if !agent.urls.is_empty() {
        out.push('\n');
    }
}

fn verdicts_text(agent: &AgentReport, is_terminal: bool, out: &mut String) {
    let verdicts = &agent.verdicts;
    let verdict = |verdict: Verdict| {
        let color = match verdict {
            Verdict::AllowAll => AnsiColor::Green,
            Verdict::DisallowAll => AnsiColor::Red,
            Verdict::Partial | Verdict::Unknown => AnsiColor::Yellow,
        };
        painted(verdict.name(), color, is_terminal)
    };
    let _ = write!(
        out,
        "{}: {} ({}",
        escape(&agent.agent),
        verdict(verdicts.verdict),
        verdicts.basis.name()
    );
    if let Some(line_no) = verdicts.evidence_line {
        let _ = write!(out, ", line {line_no}");
    }
    out.push_str(")\n");
    for (dialect, by_dialect) in verdicts.by_dialect {
        let _ = writeln!(out, "  {:<10}  {}", dialect.name(), verdict(by_dialect));
    }
}

/// Writes the anomalies, one entry per code in the order of their first lines.
fn anomalies_text(anomalies: &[ReportedAnomaly], is_terminal: bool, out: &mut String) {
    let mut kinds: Vec<Vec<&ReportedAnomaly>> = Vec::new();
    for anomaly in anomalies {
        let kind = kinds
            .iter_mut()
            .find(|kind| kind.first().is_some_and(|first| first.code == anomaly.code));
        match kind {
            Some(kind) => kind.push(anomaly),
            None => kinds.push(vec![anomaly]),
        }
    }
    if !kinds.is_empty() {
        let _ = writeln!(
            out,
            "\nanomalies: {} of {}",
            indicatif::HumanCount(anomalies.len() as u64),
            crate::summary::many(kinds.len() as u64, "kind")
        );
    }
    for kind in kinds {
        let color = match kind[0].severity {
            Severity::Info => AnsiColor::Blue,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Error => AnsiColor::Red,
        };
        let code = painted(&escape(&kind[0].code), color, is_terminal);
        let _ = writeln!(out, "  {code}: {}", kind[0].about);
        let numbers = |anomalies: &[&ReportedAnomaly]| -> Vec<Option<u32>> {
            anomalies.iter().map(|anomaly| anomaly.line_no).collect()
        };
        let lines = numbers(&kind);
        let changing: Vec<&ReportedAnomaly> = kind
            .into_iter()
            .filter(|anomaly| anomaly.changes_verdict == Some(true))
            .collect();
        let changing = numbers(&changing);
        let _ = write!(out, "      {}", lines_text(&lines));
        let _ = match changing.len() {
            0 => writeln!(out),
            len if len == lines.len() => writeln!(out, "; changes a verdict"),
            _ => writeln!(out, "; changes a verdict: {}", lines_text(&changing)),
        };
    }
}

/// Returns line numbers as text: `line 3`, `lines 3, 7 and 1,134 more`. `None`
/// stands for the whole file.
fn lines_text(lines: &[Option<u32>]) -> String {
    match lines {
        [] => String::new(),
        [None, ..] => "the whole file".to_owned(),
        [Some(line)] => format!("line {line}"),
        _ => {
            let shown: Vec<String> = lines
                .iter()
                .flatten()
                .take(LINES_MAX)
                .map(ToString::to_string)
                .collect();
            let more = match lines.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {} more", indicatif::HumanCount(more as u64)),
            };
            format!("lines {}{more}", shown.join(", "))
        }
    }
}

/// A capture in a line.
fn seen(capture: &CaptureDetails) -> String {
    let time = capture
        .fetch_time
        .map_or("at an unknown time".to_owned(), to_iso);
    let status = match capture.fetch_status {
        Some(status) => format!("status {status}"),
        None => "no status".to_owned(),
    };
    format!(
        "{}\n            {time}, {status}, {} at {}, crawl {}\n",
        escape(&capture.target_uri),
        escape(&capture.warc_filename),
        capture.warc_record_offset,
        escape(&capture.crawl)
    )
}

/// What an effect of a status means.
fn meaning(effect: StatusEffect) -> &'static str {
    match effect {
        StatusEffect::Parse => "its body is read",
        StatusEffect::AllowAll => "its status allows everything",
        StatusEffect::DisallowAll => "its status disallows everything",
        StatusEffect::Follow => "its redirect ends nowhere in the data: it cannot be told",
        StatusEffect::Defer => "it says to come back, or nothing new: it cannot be told",
    }
}

fn host_text(found: &HostReport, is_terminal: bool) -> String {
    let mut out = format!("speaks      {}", seen(&found.capture));
    if let Some(rules) = &found.rules_capture {
        let word = match found.capture.is_revisit {
            true => "as in       ",
            false => "leads to    ",
        };
        let _ = write!(out, "{word}{}", seen(rules));
    }
    if let Some(effect) = found.effect {
        let _ = writeln!(out, "            {}", meaning(effect));
    }
    out.push('\n');
    out.push_str(&text(&found.report, is_terminal));
    if !found.has_anomalies {
        out.push_str("\nthe dataset has no table `anomalies`\n");
    }
    out
}

/// Returns one JSON object per crawler, each on a line; `add` adds to each.
fn json_lines(args: &CheckArgs, report: &CheckReport, add: &dyn Fn(&mut Value)) -> String {
    let lines = report.agents.iter().map(|agent| {
        let mut value = json(args, report, agent);
        add(&mut value);
        message::json_line(&value)
    });
    lines.collect()
}

fn add_host(args: &CheckArgs, found: &HostReport, value: &mut Value) {
    let capture = |capture: &CaptureDetails| {
        json!({
            "url": capture.target_uri,
            "fetch_time": capture.fetch_time.map(to_iso),
            "fetch_status": capture.fetch_status,
            "warc_filename": capture.warc_filename,
            "warc_record_offset": capture.warc_record_offset,
            "crawl": capture.crawl,
            "robots_id": capture.robots_id,
            "is_revisit": capture.is_revisit,
        })
    };
    value["host"] = json!(args.host.as_ref().map(Host::to_string));
    value["capture"] = capture(&found.capture);
    value["rules_capture"] = found.rules_capture.as_ref().map_or(Value::Null, capture);
    value["effect"] = json!(found.effect.unwrap_or(StatusEffect::Parse).name());
    if !found.has_anomalies {
        value["anomalies"] = Value::Null;
    }
}

fn json(args: &CheckArgs, report: &CheckReport, agent: &AgentReport) -> Value {
    let by_dialect: serde_json::Map<String, Value> = agent
        .verdicts
        .by_dialect
        .iter()
        .map(|(dialect, verdict)| (dialect.name().to_owned(), json!(verdict.name())))
        .collect();
    let access = |is_allowed| match is_allowed {
        Some(true) => "allowed",
        Some(false) => "disallowed",
        None => "unknown",
    };
    let urls = agent.urls.iter().map(|answer| {
        json!({
            "url": answer.url,
            "access": access(answer.is_allowed),
            "line_no": answer.rule.as_ref().map(|rule| rule.line_no),
            "line": answer.rule.as_ref().and_then(|rule| rule.line.as_ref()),
            "group_line_no": answer.rule.as_ref().and_then(|rule| rule.group_line_no),
        })
    });
    let anomalies = report.anomalies.iter().map(|anomaly| {
        json!({
            "line_no": anomaly.line_no,
            "code": anomaly.code,
            "severity": anomaly.severity.name(),
            "about": anomaly.about,
            "changes_verdict": anomaly.changes_verdict,
        })
    });
    json!({
        "agent": agent.agent,
        "exit_code": code(report, args.dialect),
        "urls": urls.collect::<Vec<_>>(),
        "verdict": agent.verdicts.verdict.name(),
        "basis": agent.verdicts.basis.name(),
        "evidence_line": agent.verdicts.evidence_line,
        "verdicts": by_dialect,
        "anomalies": anomalies.collect::<Vec<_>>(),
    })
}
