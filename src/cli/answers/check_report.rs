//! The output of `robots-scan check` for people.

use crate::answers::record_fetch::RecordFetchCommand;
use crate::printing::message;
use crate::printing::quantity::format_count;
use answers::check::{
    AgentReport, ArchivePlace, CaptureDetails, CategoryPreference, CheckReport, DecidingRule,
    HostReport, NumberedText, ReportedAnomaly, TextSource,
};
use capture::date::format_iso;
use clap::builder::styling::{AnsiColor, Style};
use crawlers::DialectChoice;
use crawlers::whole_name;
use escapes::escape;
use hosts::Host;
use robots::{Basis, Mechanism, Preference, Severity, StatusEffect, Verdict};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write, stdout};
use tables::BODY_TABLE_PREFIX;
use terminal_size::{Width, terminal_size_of};

/// The most line numbers that are listed for a kind of anomaly.
const MAX_LISTED_LINES: usize = 5;

/// Marks a line that applies to a crawler.
const APPLIES_MARK: char = '>';

/// Marks the line that is the evidence of a verdict.
const EVIDENCE_MARK: char = '!';

/// Returns a text, in a color if `is_terminal` is true and colors are not disabled.
fn colorize(text: &str, color: AnsiColor, is_terminal: bool) -> String {
    if !is_terminal || message::is_color_disabled() {
        return text.to_owned();
    }
    let style: Style = color.on_default();
    format!("{style}{text}{style:#}")
}

/// The results of a check, and the robots.txt to be shown.
#[derive(Clone, Copy)]
pub(crate) struct Checked<'a> {
    pub(crate) report: &'a CheckReport,
    /// The lines of the robots.txt; `None` if they are not shown.
    pub(crate) text: Option<&'a NumberedText>,
    /// The host, if the robots.txt is that of a host; `None` if it is a file.
    pub(crate) host: Option<CheckedHost<'a>>,
    /// The dialect by which lines are marked.
    pub(crate) dialect: DialectChoice,
}

/// A host that was checked, as requested and as found in the data.
#[derive(Clone, Copy)]
pub(crate) struct CheckedHost<'a> {
    pub(crate) requested: &'a Host,
    pub(crate) found: &'a HostReport,
    /// True if `--base` was given.
    pub(crate) has_base: bool,
}

/// Writes the report for people. Text from robots.txt files and archives is escaped.
pub(crate) fn write(
    checked: &Checked<'_>,
    is_terminal: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = String::new();
    if let Some(host) = checked.host {
        let found = host.found;
        write_header(host.requested, found, &mut text);
        // The source of the text is printed if the text is shown. If there is no text, the reason is printed.
        if checked.text.is_some() || found.text.is_none() {
            for (i, line) in describe_source(found, host.has_base).iter().enumerate() {
                let label = if i == 0 { "text" } else { "" };
                let _ = writeln!(text, "{label:<12}{}", escape(line));
            }
        }
    }
    if checked.text.is_some() {
        let _ = writeln!(text, "marks       {}", escape(&format_legend(checked)));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let report = checked.report;
    let are_many = report.agents.len() > 1;
    for (i, agent) in report.agents.iter().enumerate() {
        if i > 0 && !agent.urls.is_empty() {
            text.push('\n');
        }
        if are_many && !agent.urls.is_empty() {
            let _ = writeln!(text, "for {}", escape(&agent.agent));
        }
        write_answers(agent, is_terminal, &mut text);
        write_verdicts(agent, is_terminal, &mut text);
    }
    out.write_all(text.as_bytes())?;
    if let Some(text) = checked.text {
        writeln!(out)?;
        write_lines(checked, text, is_terminal, out)?;
    }
    let mut text = String::new();
    write_anomalies(&report.anomalies, is_terminal, &mut text);
    match checked.host.map(|host| host.found) {
        Some(found) if !found.has_anomalies && found.capture.robots_id.is_none() => {
            text.push_str("\na history has no anomalies\n");
        }
        Some(found) if !found.has_anomalies => {
            text.push_str("\nthe dataset has no table `anomalies`\n");
        }
        _ => {}
    }
    out.write_all(text.as_bytes())
}

/// Writes the access to each URL, with the rule that decides and the preferences.
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
        let _ = match mechanism {
            Mechanism::Any => write!(out, "            {category}: {word}"),
            mechanism => write!(out, "            {} {category}: {word}", mechanism.name()),
        };
        let _ = match preference.line_no {
            Some(line_no) => writeln!(out, " (line {line_no})"),
            None => writeln!(out),
        };
    }
}

/// Writes the verdict by the default rules with its basis, then the verdict in each dialect.
fn write_verdicts(agent: &AgentReport, is_terminal: bool, out: &mut String) {
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

/// Returns two lines with the URL of a capture, its time, its status and the place of its record. `redirects` is the
/// number of redirects after this capture of which a history stores only the number.
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

/// Returns the effect of an HTTP status in words.
fn describe_effect(effect: StatusEffect) -> &'static str {
    match effect {
        StatusEffect::Parse => "its body is read",
        StatusEffect::AllowAll => "its status allows everything",
        StatusEffect::DisallowAll => "its status disallows everything",
        StatusEffect::Follow => "its redirect has no target in the data: unknown",
        StatusEffect::Defer => "its status defers the decision: unknown",
    }
}

/// Returns the lines about the captures of a host. If an HTTP status decides instead of rules, a line about its effect
/// is added.
fn format_captures(found: &HostReport) -> String {
    let redirects = found.redirects_without_place;
    // Redirects of which only the number is stored begin at the last capture that is printed.
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
        let word = if found.capture.record.is_revisit {
            "same as     "
        } else {
            "leads to    "
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

/// Writes the lines about the host, its captures and the record, and the command that fetches the record.
fn write_header(host: &Host, found: &HostReport, out: &mut String) {
    let capture = found.deciding_capture();
    let record = &capture.record;
    let _ = writeln!(out, "host        {}", escape(&host.to_string()));
    out.push_str(&format_captures(found));
    if let (Some(target), None) = (&capture.fetch_redirect, &found.rules_capture) {
        let _ = writeln!(out, "redirects   to {}", escape(target));
    }
    out.push_str(&format_place(capture));
    let digest = record.content_digest.as_deref().unwrap_or("unknown");
    let _ = writeln!(out, "digest      {}", escape(digest));
    let fetch = RecordFetchCommand::from_record(record, &found.archive);
    let lines = [fetch.command, fetch.remark].into_iter().flatten();
    for (title, line) in ["fetch", ""].into_iter().zip(lines) {
        let _ = writeln!(out, "{title:<12}{line}");
    }
}

/// Returns the lines about the archive of a capture and the place of the record in it. A capture from a table of
/// bodies has the name of the table and the number of the row instead.
fn format_place(capture: &CaptureDetails) -> String {
    let record = &capture.record;
    let location = &record.location;
    if let Some(table) = record.warc_filename.strip_prefix(BODY_TABLE_PREFIX) {
        return format!(
            "table       {}\n            row {}, counted from 0\n",
            escape(table),
            location.offset
        );
    }
    let length = match location.length {
        Some(length) => format!("length {length}"),
        None if capture.robots_id.is_none() => "length not kept by a history".to_owned(),
        None => "length unknown, as other records share its member".to_owned(),
    };
    format!(
        "archive     {}\n            offset {}, {length}, index in its member {}\n",
        escape(&record.warc_filename),
        location.offset,
        location.index_in_member,
    )
}

/// Returns true if the archive of the capture was not found. Returns false for a row of a table of bodies, which has no
/// archive.
fn is_archive_missing(found: &HostReport) -> bool {
    let name = &found.deciding_capture().record.warc_filename;
    found.archive.place.is_none() && !name.starts_with(BODY_TABLE_PREFIX)
}

/// Returns the lines about the source of the text, or about the reason why there is no text. `has_base` is true if
/// `--base` was given.
fn describe_source(found: &HostReport, has_base: bool) -> Vec<String> {
    let Some(text) = &found.text else {
        let capture = found.deciding_capture();
        let reason = match capture.fetch_status {
            _ if capture.record.is_revisit => "no capture has the content of this revisit",
            Some(200..=299) => "nothing is stored of the body",
            _ => "the body of such a response is not read as a robots.txt",
        };
        return vec![format!("none: {reason}")];
    };
    match &text.source {
        TextSource::Archive => vec![format!("from the archive {}", format_archive_path(found))],
        TextSource::File => Vec::new(),
        TextSource::Body => vec!["from the dataset (column `body`)".to_owned()],
        TextSource::Policy => {
            let mut lines = vec![
                "from the policy, which has the lines that a dialect or a preference reads"
                    .to_owned(),
            ];
            if !has_base && is_archive_missing(found) {
                lines.push("to read the archive, give its folder or URL with --base".to_owned());
            }
            lines
        }
        TextSource::Rows { missing_tables } => {
            let mut lines =
                vec!["rebuilt from rows; comments, blank lines, spacing and lines without a key are missing".to_owned()];
            for table in missing_tables {
                let name = table.name();
                lines.push(format!("lines of {name} are missing, as that table is"));
            }
            if !has_base && is_archive_missing(found) {
                lines.push("to read the archive, give its folder or URL with --base".to_owned());
            }
            lines
        }
    }
}

/// Returns the path or URL of the archive; empty if the archive was not found.
pub(crate) fn format_archive_path(found: &HostReport) -> String {
    match &found.archive.place {
        Some(ArchivePlace::File(path)) => path.display().to_string(),
        Some(ArchivePlace::Url(address)) => address.to_string(),
        None => String::new(),
    }
}

/// Returns the explanation of the marks in front of the lines.
fn format_legend(checked: &Checked<'_>) -> String {
    let agents = &checked.report.agents;
    let names: Vec<&str> = agents.iter().map(|agent| agent.agent.as_str()).collect();
    let (columns, whose) = match names.as_slice() {
        [name] => (String::new(), name.to_string()),
        _ => {
            let columns = format!("one column for each of {}: ", names.join(", "));
            (columns, "the crawler".to_owned())
        }
    };
    let mut out = format!("{columns}{APPLIES_MARK} lines that apply to {whose}");
    match checked.dialect {
        DialectChoice::Default => {
            let _ = write!(out, ", {EVIDENCE_MARK} the line that proves its verdict");
        }
        DialectChoice::Dialect(dialect) => {
            let _ = write!(out, " by {}", dialect.name());
        }
    }
    out
}

/// Returns the mark of a line for a crawler.
fn find_mark(dialect: DialectChoice, agent: &AgentReport, line_no: u32) -> char {
    let is_evidence =
        dialect == DialectChoice::Default && agent.verdicts.evidence_line == Some(line_no);
    if is_evidence {
        EVIDENCE_MARK
    } else if agent.lines.binary_search(&line_no).is_ok() {
        APPLIES_MARK
    } else {
        ' '
    }
}

/// Writes the lines with their numbers and marks.
fn write_lines(
    checked: &Checked<'_>,
    text: &NumberedText,
    is_terminal: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let agents = &checked.report.agents;
    let has_gaps = matches!(text.source, TextSource::Rows { .. } | TextSource::Policy);
    let last = text.n_lines.unwrap_or_else(|| {
        let last = text.lines().last();
        last.map_or(0, |line| line.line_no)
    });
    let digits = last.to_string().len();
    let digits = if has_gaps { 2 * digits + 1 } else { digits }.max(4);
    let columns = is_terminal.then(terminal_columns);
    let mut write_line = |marks: &str, number: &str, text: &str| {
        let line = format!("{marks} {number:>digits$}  {}", escape(text));
        let line = line.trim_end();
        match columns {
            Some(columns) => writeln!(out, "{}", truncate_to_columns(line, columns)),
            None => writeln!(out, "{line}"),
        }
    };
    let blank: String = agents.iter().map(|_| ' ').collect();
    let mut next = 1;
    for line in text.lines() {
        if has_gaps && line.line_no > next {
            write_line(&blank, &format_gap(next, line.line_no - 1), "…")?;
        }
        next = line.line_no.saturating_add(1);
        let marks = agents
            .iter()
            .map(|agent| find_mark(checked.dialect, agent, line.line_no));
        let marks: String = marks.collect();
        write_line(&marks, &line.line_no.to_string(), &line.text)?;
    }
    if has_gaps && next <= last {
        write_line(&blank, &format_gap(next, last), "…")?;
    }
    if text.is_cut {
        write_line(&blank, "", "… (more than 16 MiB are not shown)")?;
    }
    Ok(())
}

/// Returns the numbers of consecutive missing lines, such as `3` or `3-7`.
fn format_gap(first: u32, last: u32) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}

/// Returns the width of the terminal in columns; `usize::MAX` if it is unknown.
fn terminal_columns() -> usize {
    let size = terminal_size_of(stdout());
    size.map_or(usize::MAX, |(Width(columns), _)| usize::from(columns))
}

/// Cuts a line to a width in columns, and puts `…` at its end if it is cut. Characters that may be wide count as two
/// columns.
fn truncate_to_columns(line: &str, columns: usize) -> String {
    let width = |char: char| if char < '\u{1100}' { 1 } else { 2 };
    if line.chars().map(width).sum::<usize>() <= columns {
        return line.to_owned();
    }
    let mut used = 1;
    let fitting = line.chars().take_while(|char| {
        used += width(*char);
        used <= columns
    });
    fitting.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_to_the_columns_they_may_take() {
        for (line, columns, expected) in [
            ("abcd", 4, "abcd"),
            ("abcde", 4, "abc…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("abc", 1, "…"),
        ] {
            assert_eq!(truncate_to_columns(line, columns), expected, "{columns}");
        }
    }
}
