//! `robots-scan check`: one robots.txt, one crawler.

use crate::args::CheckArgs;
use crate::exit;
use anyhow::{Context, Result};
use clap::builder::styling::{AnsiColor, Style};
use robots::{Reading, Severity, Verdict};
use scan::agents::Registry;
use scan::check::{Report, check};
use scan::error::Error;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::path::Path;

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
    let mut body = Vec::new();
    if is_stdin {
        stdin()
            .lock()
            .read_to_end(&mut body)
            .context("cannot read standard input")?;
    } else {
        body = std::fs::read(&args.file).map_err(|error| Error::read(&args.file, error))?;
    }
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
    let reading = Reading {
        body_limit: args.body_limit.0,
        is_truncated: false,
    };
    let report = check(&body, reading, &registry, &args.agent, args.dialect, &urls);
    let code = code(&report);
    let text = if args.json {
        format!("{}\n", json(args, &report, code))
    } else {
        text(args, &report, stdout().is_terminal())
    };
    stdout().lock().write_all(text.as_bytes())?;
    Ok(code)
}

fn code(report: &Report) -> u8 {
    if report.answers.is_empty() {
        return match report.verdicts.verdict {
            Verdict::AllowAll => exit::WHOLE,
            Verdict::DisallowAll | Verdict::Partial => DISALLOWED,
            Verdict::Unknown => UNKNOWN,
        };
    }
    if report.answers.iter().all(|answer| answer.access.is_allowed) {
        exit::WHOLE
    } else {
        DISALLOWED
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
        let word = if answer.access.is_allowed {
            paint("allowed   ", AnsiColor::Green)
        } else {
            paint("disallowed", AnsiColor::Red)
        };
        let _ = write!(out, "{word}  {}", answer.asked);
        match (&answer.line, answer.group_line_no) {
            (Some(line), Some(group)) => {
                let _ = writeln!(
                    out,
                    "\n            line {}: {line}  (group from line {group})",
                    answer.access.line_no
                );
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
            paint(it.code, color),
            it.about
        );
    }
    out
}

fn json(args: &CheckArgs, report: &Report, code: u8) -> serde_json::Value {
    let by_dialect: serde_json::Map<String, serde_json::Value> = report
        .verdicts
        .by_dialect
        .iter()
        .map(|(dialect, verdict)| (dialect.name().to_owned(), json!(verdict.name())))
        .collect();
    let line = |no: u32| (no != 0).then_some(no);
    json!({
        "agent": args.agent,
        "exit_code": code,
        "urls": report.answers.iter().map(|it| json!({
            "url": it.asked, "access": if it.access.is_allowed { "allowed" } else { "disallowed" },
            "line_no": line(it.access.line_no), "line": it.line, "group_line_no": it.group_line_no,
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
