//! The output of `robots-scan check`, as text and as JSON.

use crate::escape::{escape, json_line};
use crate::message;
use crate::quantity::format_count;
use capture::date::format_iso;
use clap::builder::styling::{AnsiColor, Style};
use dataset::crawler::registry::whole_name;
use dataset::resolve::Host;
use robots::{Basis, Preference, Severity, StatusEffect, Verdict};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write;
use tools::check::{
    AgentReport, CaptureDetails, CategoryPreference, CheckReport, DecidingRule, HostReport,
    ReportedAnomaly,
};

/// The most line numbers that are listed for a kind of anomaly.
const MAX_LISTED_LINES: usize = 5;

/// Returns a text, in a color if `is_terminal` is true and colors are not disabled.
fn colorize(text: &str, color: AnsiColor, is_terminal: bool) -> String {
    if !is_terminal || message::is_color_disabled() {
        return text.to_owned();
    }
    let style: Style = color.on_default();
    format!("{style}{text}{style:#}")
}

/// Returns the report for people. Text of the file is escaped.
pub(crate) fn format_report(report: &CheckReport, is_terminal: bool) -> String {
    let mut out = String::new();
    let are_many = report.agents.len() > 1;
    for (i, agent) in report.agents.iter().enumerate() {
        if i > 0 && !agent.urls.is_empty() {
            out.push('\n');
        }
        if are_many && !agent.urls.is_empty() {
            let _ = writeln!(out, "for {}", escape(&agent.agent));
        }
        write_answers(agent, is_terminal, &mut out);
        write_verdicts(agent, is_terminal, &mut out);
    }
    write_anomalies(&report.anomalies, is_terminal, &mut out);
    out
}

/// Writes the results for the URLs.
fn write_answers(agent: &AgentReport, is_terminal: bool, out: &mut String) {
    let paint = |text: &str, color| colorize(text, color, is_terminal);
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
        write_preferences(&answer.preferences, is_terminal, out);
    }
    if !agent.urls.is_empty() {
        out.push('\n');
    }
}

/// Writes the preferences about the use of a page that are not unknown.
fn write_preferences(preferences: &[CategoryPreference], is_terminal: bool, out: &mut String) {
    for stated in preferences {
        let color = match stated.preference.preference {
            Some(Preference::Allowed) => AnsiColor::Green,
            Some(Preference::Disallowed) => AnsiColor::Red,
            Some(Preference::Unknown) | None => continue,
        };
        let CategoryPreference {
            mechanism,
            category,
            preference,
        } = stated;
        let word = colorize(preference.name(), color, is_terminal);
        let _ = write!(out, "            {mechanism} {category}: {word}");
        let _ = match preference.line_no {
            Some(line_no) => writeln!(out, " (line {line_no})"),
            None => writeln!(out),
        };
    }
}

/// Writes the verdicts, first by the default rules, then per dialect.
pub(crate) fn write_verdicts(agent: &AgentReport, is_terminal: bool, out: &mut String) {
    let verdicts = &agent.verdicts;
    let verdict = |verdict: Verdict| {
        let color = match verdict {
            Verdict::AllowAll => AnsiColor::Green,
            Verdict::DisallowAll => AnsiColor::Red,
            Verdict::Partial | Verdict::Unknown => AnsiColor::Yellow,
        };
        colorize(verdict.name(), color, is_terminal)
    };
    let _ = write!(
        out,
        "{}: {} ({}",
        escape(&agent.agent),
        verdict(verdicts.verdict),
        describe_basis(agent)
    );
    if let Some(line_no) = verdicts.evidence_line {
        let _ = write!(out, ", line {line_no}");
    }
    out.push_str(")\n");
    for (dialect, by_dialect) in verdicts.by_dialect {
        let _ = writeln!(out, "  {:<10}  {}", dialect.name(), verdict(by_dialect));
    }
}

/// Returns the reason for the default verdict in words.
fn describe_basis(agent: &AgentReport) -> Cow<'static, str> {
    let verdicts = &agent.verdicts;
    let text = match verdicts.basis {
        Basis::Explicit => match verdicts.decided_by.as_deref() {
            Some(name) if name != whole_name(&agent.agent) => {
                return format!("by the rules for {}, its fallback", escape(name)).into();
            }
            _ => "by its own rules",
        },
        Basis::Wildcard => "by the rules for *",
        Basis::NoGroup => "no rules apply to it",
        Basis::NoRules => "the file has no rules",
        Basis::Empty => "the file is empty",
        Basis::Html => "the file is an HTML page",
        Basis::Binary => "the file is not text",
        Basis::HttpStatus => "by the HTTP status",
        Basis::TooComplex => "too complex to decide",
    };
    text.into()
}

/// Writes the anomalies, one entry per code, in the order of their first lines.
fn write_anomalies(anomalies: &[ReportedAnomaly], is_terminal: bool, out: &mut String) {
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
            format_count(kinds.len() as u64, "kind")
        );
    }
    for kind in kinds {
        let color = match kind[0].severity {
            Severity::Info => AnsiColor::Blue,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Error => AnsiColor::Red,
        };
        let code = colorize(&escape(&kind[0].code), color, is_terminal);
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
        let _ = write!(out, "      {}", format_line_numbers(&lines));
        let _ = match changing.len() {
            0 => writeln!(out),
            len if len == lines.len() => writeln!(out, "; changes a verdict"),
            _ => writeln!(
                out,
                "; changes a verdict: {}",
                format_line_numbers(&changing)
            ),
        };
    }
}

/// Returns the lines of an anomaly as text, such as `line 3` or `lines 3, 7 and 1,134 more`. The line
/// number of an anomaly of the whole file is `None`.
fn format_line_numbers(lines: &[Option<u32>]) -> String {
    match lines {
        [] => String::new(),
        [None, ..] => "the whole file".to_owned(),
        [Some(line)] => format!("line {line}"),
        _ => {
            let shown: Vec<String> = lines
                .iter()
                .flatten()
                .take(MAX_LISTED_LINES)
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

/// Returns a capture with its time, status and location. `redirects` is the number of redirects that
/// begin at it, if a history keeps no more of them.
fn format_capture(capture: &CaptureDetails, redirects: u32) -> String {
    let time = capture
        .fetch_time
        .map_or("at an unknown time".to_owned(), format_iso);
    let status = match capture.fetch_status {
        Some(status) => format!("status {status}"),
        None if redirects > 0 => "redirected".to_owned(),
        None => "no status".to_owned(),
    };
    format!(
        "{}\n            {time}, {status}, {} at {}, crawl {}\n",
        escape(&capture.target_uri),
        escape(&capture.record.warc_filename),
        capture.record.location.offset,
        escape(&capture.crawl)
    )
}

/// Returns the meaning of the effect of a status.
fn describe_effect(effect: StatusEffect) -> &'static str {
    match effect {
        StatusEffect::Parse => "its body is read",
        StatusEffect::AllowAll => "its status allows everything",
        StatusEffect::DisallowAll => "its status disallows everything",
        StatusEffect::Follow => "its redirect has no target in the data: unknown",
        StatusEffect::Defer => "its status defers the decision: unknown",
    }
}

/// Returns the captures of a host. If a status decides instead of rules, its effect is added.
pub(crate) fn format_captures(found: &HostReport) -> String {
    let redirects = found.redirects_without_place;
    // The redirects begin at the capture whose rules apply.
    let of_capture = if found.rules_capture.is_none() {
        redirects
    } else {
        0
    };
    let mut out = String::new();
    if let Some(other_form) = &found.other_form {
        let _ = writeln!(
            out,
            "found as    {other_form}: the tables have both names as one host"
        );
    }
    let _ = write!(
        out,
        "capture     {}",
        format_capture(&found.capture, of_capture)
    );
    if let Some(rules) = &found.rules_capture {
        let word = match found.capture.record.is_revisit {
            true => "same as     ",
            false => "leads to    ",
        };
        let _ = write!(out, "{word}{}", format_capture(rules, redirects));
    }
    if redirects > 0 {
        let redirects = format_count(redirects.into(), "redirect");
        let _ = writeln!(
            out,
            "leads to    a file after {redirects}, whose place a history does not keep"
        );
    }
    if let Some(effect) = found.effect {
        let _ = writeln!(out, "            {}", describe_effect(effect));
    }
    out
}

/// Returns the report about the capture of a host for people.
pub(crate) fn format_host_report(found: &HostReport, is_terminal: bool) -> String {
    let mut out = format_captures(found);
    out.push('\n');
    out.push_str(&format_report(&found.report, is_terminal));
    if !found.has_anomalies && found.capture.robots_id.is_none() {
        out.push_str("\na history has no anomalies\n");
    } else if !found.has_anomalies {
        out.push_str("\nthe dataset has no table `anomalies`\n");
    }
    out
}

/// Returns the report as JSON, one object per crawler and line. For a host, each object
/// contains its captures.
pub(crate) fn to_json_lines(
    report: &CheckReport,
    exit_code: u8,
    host: Option<(&Host, &HostReport)>,
) -> String {
    let lines = report.agents.iter().map(|agent| {
        let mut value = agent_to_json(report, agent, exit_code);
        if let Some((host, found)) = host {
            add_host_json(host, found, &mut value);
            if !found.has_anomalies {
                value["anomalies"] = Value::Null;
            }
        }
        json_line(&value)
    });
    lines.collect()
}

/// Adds the host and its captures to the JSON of a crawler.
pub(crate) fn add_host_json(host: &Host, found: &HostReport, value: &mut Value) {
    let capture = |capture: &CaptureDetails| {
        json!({
            "url": capture.target_uri,
            "fetch_time": capture.fetch_time.map(format_iso),
            "fetch_status": capture.fetch_status,
            "warc_filename": capture.record.warc_filename,
            "warc_record_offset": capture.record.location.offset,
            "crawl": capture.crawl,
            "robots_id": capture.robots_id,
            "is_revisit": capture.record.is_revisit,
        })
    };
    value["host"] = json!(host.to_string());
    value["found_as"] = json!(found.other_form.as_ref().unwrap_or(host).to_string());
    value["capture"] = capture(&found.capture);
    value["rules_capture"] = found.rules_capture.as_ref().map_or(Value::Null, capture);
    value["redirects_without_place"] = json!(found.redirects_without_place);
    value["effect"] = json!(found.effect.unwrap_or(StatusEffect::Parse).name());
}

/// Returns the verdicts for one crawler as JSON.
pub(crate) fn verdicts_to_json(agent: &AgentReport) -> Value {
    let verdicts = &agent.verdicts;
    let by_dialect = verdicts.by_dialect.iter();
    let by_dialect =
        by_dialect.map(|(dialect, verdict)| (dialect.name().to_owned(), json!(verdict.name())));
    json!({
        "agent": agent.agent,
        "verdict": verdicts.verdict.name(),
        "basis": verdicts.basis.name(),
        "decided_by": verdicts.decided_by,
        "evidence_line": verdicts.evidence_line,
        "verdicts": by_dialect.collect::<serde_json::Map<String, Value>>(),
    })
}

/// Returns preferences as JSON.
fn preferences_to_json(preferences: &[CategoryPreference]) -> Value {
    let rows = preferences.iter().map(|stated| {
        json!({
            "mechanism": stated.mechanism,
            "category": stated.category,
            "preference": stated.preference.name(),
            "line_no": stated.preference.line_no,
        })
    });
    rows.collect()
}

/// Returns the results for one crawler as JSON.
fn agent_to_json(report: &CheckReport, agent: &AgentReport, exit_code: u8) -> Value {
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
            "preferences": preferences_to_json(&answer.preferences),
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
    let mut value = verdicts_to_json(agent);
    value["exit_code"] = json!(exit_code);
    value["urls"] = json!(urls.collect::<Vec<_>>());
    value["anomalies"] = json!(anomalies.collect::<Vec<_>>());
    value
}
