//! `robots-scan check`: one robots.txt, one crawler.
//!
//! The robots.txt is a file, or the capture of a dataset or an archive that
//! speaks for a host.

use crate::args::CheckArgs;
use crate::exit;
use crate::message::{self, UsageError};
use crate::scan_command::Stopped;
use anyhow::{Context, Result};
use clap::builder::styling::{AnsiColor, Style};
use robots::{BODY_LIMIT_BYTES, Basis, Effect, Reading, Severity, Verdict};
use scan::agents::Registry;
use scan::asked::Asked;
use scan::check::{Asking, HostQuestion, HostReport, Report, Seen, Source, check, check_host};
use scan::date::to_iso;
use scan::error::{Error, ErrorKind};
use scan::matching::Host;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Any URL is disallowed.
const DISALLOWED: u8 = 1;
/// It could not be told.
const UNKNOWN: u8 = 2;

pub(crate) fn run(args: &CheckArgs) -> Result<u8> {
    let registry = match &args.agents {
        Some(path) => Registry::read(path)?,
        None => Registry::built_in(),
    };
    let is_stdin = args.file == Path::new("-");
    let body = match &args.host {
        Some(_) => None,
        None => Some(body(args, is_stdin)?),
    };
    let urls = urls(args, is_stdin)?;
    let asking = Asking {
        registry: &registry,
        agent: &args.agent,
        asked: args.dialect,
        urls: &urls,
    };
    let is_terminal = stdout().is_terminal();
    let (report, text) = match (&args.host, body) {
        (Some(host), _) => {
            let found = of_host(args, host, &asking)?;
            let text = match args.json {
                true => message::json_line(&host_json(args, &found)),
                false => host_text(args, &found, is_terminal),
            };
            (found.report, text)
        }
        (None, body) => {
            let reading = Reading {
                body_limit: body_limit(args),
                is_truncated: false,
            };
            let report = check(&body.unwrap_or_default(), reading, &asking);
            let text = match args.json {
                true => message::json_line(&json(args, &report)),
                false => text(args, &report, is_terminal),
            };
            (report, text)
        }
    };
    // That nobody reads it does not change the exit code.
    let _ = stdout().lock().write_all(text.as_bytes());
    Ok(code(&report, args.dialect))
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
    if Source::of(&args.file)? != Source::File {
        let text = format!("'{}' holds many robots.txt files", args.file.display());
        let hint = "name a host, such as --host example.com";
        return Err(UsageError::with_hint(text, hint).into());
    }
    Ok(std::fs::read(&args.file).map_err(|error| Error::read(&args.file, error))?)
}

/// The URLs that are asked for.
fn urls(args: &CheckArgs, is_stdin: bool) -> Result<Vec<String>> {
    let mut urls = args.urls.clone();
    if urls.is_empty() && !is_stdin && !stdin().is_terminal() {
        let mut text = String::new();
        stdin()
            .lock()
            .read_to_string(&mut text)
            .context("cannot read URLs from standard input")?;
        urls.extend(
            text.lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(str::to_owned),
        );
    }
    Ok(urls)
}

fn of_host(args: &CheckArgs, host: &Host, asking: &Asking<'_>) -> Result<HostReport> {
    if args.body_limit.is_some() && Source::of(&args.file)? == Source::Dataset {
        let text = "a dataset has the body limit that it was scanned with";
        return Err(UsageError::with_hint(text, "leave out --body-limit").into());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))?;
    let question = HostQuestion {
        place: &args.file,
        host,
        crawls: &args.crawl,
        at: args.at,
        body_limit: body_limit(args),
    };
    let found = check_host(&question, asking, &stop).map_err(|error| match error.kind() {
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

fn code(report: &Report, asked: Asked) -> u8 {
    if report.answers.is_empty() {
        return match report.verdicts.of(asked) {
            Verdict::AllowAll => exit::WHOLE,
            Verdict::DisallowAll | Verdict::Partial => DISALLOWED,
            Verdict::Unknown => UNKNOWN,
        };
    }
    let answers = || report.answers.iter().map(|answer| answer.is_allowed);
    if answers().any(|it| it == Some(false)) {
        DISALLOWED
    } else if answers().any(|it| it.is_none()) {
        UNKNOWN
    } else {
        exit::WHOLE
    }
}

/// A text in a colour, on a terminal.
fn painted(text: &str, color: AnsiColor, is_terminal: bool) -> String {
    if !is_terminal || std::env::var_os("NO_COLOR").is_some() {
        return text.to_owned();
    }
    let style: Style = color.on_default();
    format!("{style}{text}{style:#}")
}

fn text(args: &CheckArgs, report: &Report, is_terminal: bool) -> String {
    let paint = |text: &str, color| painted(text, color, is_terminal);
    let mut out = String::new();
    for answer in &report.answers {
        let word = match answer.is_allowed {
            Some(true) => paint("allowed   ", AnsiColor::Green),
            Some(false) => paint("disallowed", AnsiColor::Red),
            None => paint("unknown   ", AnsiColor::Yellow),
        };
        let _ = write!(out, "{word}  {}", answer.asked);
        match (&answer.line, answer.group_line_no) {
            (Some(line), Some(group)) => {
                let _ = writeln!(
                    out,
                    "\n            line {}: {line}  (group from line {group})",
                    answer.line_no
                );
            }
            _ if report.verdicts.basis == Basis::HttpStatus => {
                out.push_str("\n            by its status\n");
            }
            _ => out.push_str("\n            no rule matches\n"),
        }
    }
    if !report.answers.is_empty() {
        out.push('\n');
    }
    let verdicts = &report.verdicts;
    let color = |verdict: Verdict| match verdict {
        Verdict::AllowAll => AnsiColor::Green,
        Verdict::DisallowAll => AnsiColor::Red,
        Verdict::Partial | Verdict::Unknown => AnsiColor::Yellow,
    };
    let _ = write!(
        out,
        "{}: {} ({}",
        args.agent,
        paint(verdicts.verdict.name(), color(verdicts.verdict)),
        verdicts.basis.name()
    );
    if verdicts.evidence_line != 0 {
        let _ = write!(out, ", line {}", verdicts.evidence_line);
    }
    out.push_str(")\n");
    for (dialect, verdict) in verdicts.by_dialect {
        let _ = writeln!(
            out,
            "  {:<10}  {}",
            dialect.name(),
            paint(verdict.name(), color(verdict))
        );
    }
    if !report.anomalies.is_empty() {
        out.push_str("\nanomalies\n");
    }
    for it in &report.anomalies {
        let place = if it.line_no == 0 {
            "file".to_owned()
        } else {
            format!("line {}", it.line_no)
        };
        let color = match it.severity {
            Severity::Info => AnsiColor::Blue,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Error => AnsiColor::Red,
        };
        let changes = if it.changes_verdict == Some(true) {
            "  A verdict hangs on it."
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "  {place:<9} {}: {}{changes}",
            paint(&it.code, color),
            it.about
        );
    }
    out
}

/// A capture in a line.
fn seen(capture: &Seen) -> String {
    let time = capture
        .fetch_time
        .map_or("at an unknown time".to_owned(), to_iso);
    let status = match capture.fetch_status {
        Some(status) => format!("status {status}"),
        None => "no status".to_owned(),
    };
    format!(
        "{}\n            {time}, {status}, {} at {}, crawl {}\n",
        capture.target_uri, capture.warc_filename, capture.warc_record_offset, capture.crawl
    )
}

/// What an effect of a status means.
fn meaning(effect: Effect) -> &'static str {
    match effect {
        Effect::Parse => "its body is read",
        Effect::AllowAll => "its status allows everything",
        Effect::DisallowAll => "its status disallows everything",
        Effect::Follow => "its redirect ends nowhere in the data: it cannot be told",
        Effect::Defer => "it says to come back, or nothing new: it cannot be told",
    }
}

fn host_text(args: &CheckArgs, found: &HostReport, is_terminal: bool) -> String {
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
    out.push_str(&text(args, &found.report, is_terminal));
    if !found.has_anomalies {
        out.push_str("\nthe dataset has no table `anomalies`\n");
    }
    out
}

fn host_json(args: &CheckArgs, found: &HostReport) -> Value {
    let capture = |it: &Seen| {
        json!({
            "url": it.target_uri, "fetch_time": it.fetch_time.map(to_iso), "fetch_status": it.fetch_status,
            "warc_filename": it.warc_filename, "warc_record_offset": it.warc_record_offset,
            "crawl": it.crawl, "robots_id": it.robots_id, "is_revisit": it.is_revisit,
        })
    };
    let mut value = json(args, &found.report);
    value["host"] = json!(args.host.as_ref().map(Host::to_string));
    value["capture"] = capture(&found.capture);
    value["rules_capture"] = found.rules_capture.as_ref().map_or(Value::Null, capture);
    value["effect"] = json!(found.effect.unwrap_or(Effect::Parse).name());
    if !found.has_anomalies {
        value["anomalies"] = Value::Null;
    }
    value
}

fn json(args: &CheckArgs, report: &Report) -> Value {
    let by_dialect: serde_json::Map<String, Value> = report
        .verdicts
        .by_dialect
        .iter()
        .map(|(dialect, verdict)| (dialect.name().to_owned(), json!(verdict.name())))
        .collect();
    let line = |no: u32| (no != 0).then_some(no);
    json!({
        "agent": args.agent,
        "exit_code": code(report, args.dialect),
        "urls": report.answers.iter().map(|it| json!({
            "url": it.asked, "access": match it.is_allowed { Some(true) => "allowed", Some(false) => "disallowed", None => "unknown" },
            "line_no": line(it.line_no), "line": it.line, "group_line_no": it.group_line_no,
        })).collect::<Vec<_>>(),
        "verdict": report.verdicts.verdict.name(),
        "basis": report.verdicts.basis.name(),
        "evidence_line": line(report.verdicts.evidence_line),
        "verdicts": by_dialect,
        "anomalies": report.anomalies.iter().map(|it| json!({
            "line_no": line(it.line_no), "code": it.code, "severity": it.severity.name(), "about": it.about,
            "changes_verdict": it.changes_verdict,
        })).collect::<Vec<_>>(),
    })
}
