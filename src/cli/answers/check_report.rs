//! The output of `robots-scan check` for people.

use crate::printing::message;
use crate::printing::quantity::format_count;
use answers::check::{
    AgentReport, ArchiveProblem, CaptureDetails, CheckReport, HostReport, NumberedText,
    ReportedAnomaly, TextSource, UrlResult,
};
use capture::date::format_iso;
use clap::builder::styling::AnsiColor;
use crawlers::{DialectChoice, whole_name};
use escapes::escape;
use robots::{Basis, Dialect, Mechanism, Preference, Severity, StatusEffect, Verdict};
use std::fmt::{self, Write};
use std::io::{self, stdout};
use tables::body_table_of;
use terminal_size::{Width, terminal_size_of};

/// The most line numbers that are listed for a kind of anomaly.
const MAX_LISTED_LINES: usize = 5;

/// Marks a line that applies to a crawler.
const APPLIES_MARK: char = '>';

/// Marks the line that is the evidence of a verdict.
const EVIDENCE_MARK: char = '!';

/// The columns of the labels in front of lines.
const LABEL_COLUMNS: usize = 12;

/// Writes a report for people. Text from robots.txt files and archives is escaped.
pub(crate) struct ReportPrinter<'a> {
    pub(crate) report: &'a CheckReport,
    /// True if the lines of the robots.txt are printed.
    pub(crate) is_text_shown: bool,
    pub(crate) is_terminal: bool,
}

impl ReportPrinter<'_> {
    pub(crate) fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        let report = self.report;
        let text = report.text.as_ref().filter(|_| self.is_text_shown);
        let (mut head, mut tail) = (String::new(), String::new());
        let written = self
            .write_head(&mut head, text)
            .and(self.write_anomalies(&mut tail));
        written.expect("texts can be written");
        out.write_all(head.as_bytes())?;
        if let Some(text) = text {
            writeln!(out)?;
            self.write_lines(text, out)?;
        }
        out.write_all(tail.as_bytes())
    }

    /// Writes all that is above the lines of the robots.txt.
    fn write_head(&self, out: &mut String, text: Option<&NumberedText>) -> fmt::Result {
        let report = self.report;
        if let Some(host) = &report.host {
            write_host(host, out)?;
            // The source of the text is printed if the text is shown. If there is no text, the reason is printed.
            if text.is_some() || report.text.is_none() {
                for (i, line) in describe_source(host, text).iter().enumerate() {
                    write_labeled(if i == 0 { "text" } else { "" }, line, out)?;
                }
            }
        }
        if text.is_some() {
            write_labeled("marks", &self.describe_marks(), out)?;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        for (i, agent) in report.agents.iter().enumerate() {
            if !agent.urls.is_empty() {
                if i > 0 {
                    out.push('\n');
                }
                if report.agents.len() > 1 {
                    writeln!(out, "for {}", escape(&agent.agent))?;
                }
                for url in &agent.urls {
                    self.write_url(agent, url, out)?;
                }
                out.push('\n');
            }
            self.write_verdicts(agent, out)?;
        }
        Ok(())
    }

    /// Returns a text, in a color if the output is a terminal and colors are not disabled.
    fn paint(&self, text: &str, color: AnsiColor) -> String {
        if !self.is_terminal || message::is_color_disabled() {
            return text.to_owned();
        }
        let style = color.on_default();
        format!("{style}{text}{style:#}")
    }

    /// Writes the access to a URL, with the rule that decides and the preferences that are not unknown.
    fn write_url(&self, agent: &AgentReport, url: &UrlResult, out: &mut String) -> fmt::Result {
        let (word, color) = match url.is_allowed {
            Some(true) => ("allowed   ", AnsiColor::Green),
            Some(false) => ("disallowed", AnsiColor::Red),
            None => ("unknown   ", AnsiColor::Yellow),
        };
        writeln!(out, "{}  {}", self.paint(word, color), escape(&url.url))?;
        let rule = match (url.line_no, &url.line, url.group_line_no) {
            (Some(line_no), Some(line), Some(group)) => {
                format!("line {line_no}: {line}  (group from line {group})")
            }
            _ if agent.verdict.basis == Basis::HttpStatus => "by its status".to_owned(),
            _ => "no rule matches".to_owned(),
        };
        write_labeled("", &rule, out)?;
        for stated in &url.preferences {
            let color = match stated.preference.preference {
                Some(Preference::Allowed) => AnsiColor::Green,
                Some(Preference::Disallowed) => AnsiColor::Red,
                Some(Preference::Unknown) | None => continue,
            };
            let mechanism = match stated.mechanism {
                Mechanism::Any => String::new(),
                mechanism => format!("{} ", mechanism.name()),
            };
            let word = self.paint(stated.preference.name(), color);
            write!(
                out,
                "{:LABEL_COLUMNS$}{mechanism}{}: {word}",
                "", stated.category
            )?;
            match stated.line_no {
                Some(line_no) => writeln!(out, " (line {line_no})")?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }

    /// Writes the verdict by the default rules with its basis, then the verdict in each dialect.
    fn write_verdicts(&self, agent: &AgentReport, out: &mut String) -> fmt::Result {
        let verdict = |verdict: Verdict| {
            let color = match verdict {
                Verdict::AllowAll => AnsiColor::Green,
                Verdict::DisallowAll => AnsiColor::Red,
                Verdict::Partial | Verdict::Unknown => AnsiColor::Yellow,
            };
            self.paint(verdict.name(), color)
        };
        let line = agent.verdict.evidence_line;
        let line = line.map_or(String::new(), |line_no| format!(", line {line_no}"));
        let name = escape(&agent.agent);
        let basis = describe_basis(agent);
        writeln!(
            out,
            "{name}: {} ({}{line})",
            verdict(agent.verdict.verdict),
            escape(&basis)
        )?;
        for (dialect, by_dialect) in agent.by_dialect {
            write!(out, "  {:<10}  {}", dialect.name(), verdict(by_dialect))?;
            let compares_as_given = matches!(dialect, Dialect::Google | Dialect::Rfc9309);
            if agent.is_no_token && compares_as_given && agent.verdict.basis != Basis::HttpStatus {
                write!(out, " (a group's name has only letters, '-' and '_')")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the anomalies, one entry per code, in the order of their first lines.
    fn write_anomalies(&self, out: &mut String) -> fmt::Result {
        let Some(anomalies) = &self.report.anomalies else {
            let host = self.report.host.as_ref();
            let is_history = host.is_some_and(|host| host.capture.robots_id.is_none());
            return out.write_str(if is_history {
                "\na history has no anomalies\n"
            } else {
                "\nthe dataset has no table `anomalies`\n"
            });
        };
        let mut kinds: Vec<Vec<&ReportedAnomaly>> = Vec::new();
        for anomaly in anomalies {
            match kinds.iter_mut().find(|kind| kind[0].code == anomaly.code) {
                Some(kind) => kind.push(anomaly),
                None => kinds.push(vec![anomaly]),
            }
        }
        if !kinds.is_empty() {
            let count = indicatif::HumanCount(anomalies.len() as u64);
            let of_kinds = format_count(kinds.len() as u64, "kind");
            writeln!(out, "\nanomalies: {count} of {of_kinds}")?;
        }
        for kind in kinds {
            let color = match kind[0].severity {
                Severity::Info => AnsiColor::Blue,
                Severity::Warning => AnsiColor::Yellow,
                Severity::Error => AnsiColor::Red,
            };
            writeln!(
                out,
                "  {}: {}",
                self.paint(&escape(&kind[0].code), color),
                kind[0].about
            )?;
            let all: Vec<_> = kind.iter().map(|anomaly| anomaly.line_no).collect();
            let changing = kind
                .iter()
                .filter(|anomaly| anomaly.changes_verdict == Some(true));
            let changing: Vec<_> = changing.map(|anomaly| anomaly.line_no).collect();
            write!(out, "      {}", format_line_numbers(&all))?;
            match changing.len() {
                0 => writeln!(out)?,
                len if len == all.len() => writeln!(out, "; changes a verdict")?,
                _ => writeln!(
                    out,
                    "; changes a verdict: {}",
                    format_line_numbers(&changing)
                )?,
            }
        }
        Ok(())
    }

    /// Returns the explanation of the marks in front of the lines.
    fn describe_marks(&self) -> String {
        let names: Vec<&str> = self
            .report
            .agents
            .iter()
            .map(|agent| &*agent.agent)
            .collect();
        let applies = match names.as_slice() {
            [name] => format!("{APPLIES_MARK} lines that apply to {name}"),
            _ => format!(
                "one column for each of {}: {APPLIES_MARK} lines that apply to the crawler",
                names.join(", ")
            ),
        };
        match self.report.dialect {
            DialectChoice::Default => {
                format!("{applies}, {EVIDENCE_MARK} the line that proves its verdict")
            }
            DialectChoice::Dialect(dialect) => format!("{applies} by {}", dialect.name()),
        }
    }

    /// Returns the mark of a line for a crawler.
    fn mark(&self, agent: &AgentReport, line_no: u32) -> char {
        let is_default = self.report.dialect == DialectChoice::Default;
        if is_default && agent.verdict.evidence_line == Some(line_no) {
            EVIDENCE_MARK
        } else if agent.lines.binary_search(&line_no).is_ok() {
            APPLIES_MARK
        } else {
            ' '
        }
    }

    /// Writes the lines with their numbers and marks.
    fn write_lines(&self, text: &NumberedText, out: &mut impl io::Write) -> io::Result<()> {
        let agents = &self.report.agents;
        let has_gaps = matches!(text.source, TextSource::Rows | TextSource::Policy);
        let last = text.lines.last().map_or(0, |line| line.line_no);
        let last = text.n_lines.unwrap_or(last);
        let digits = last.to_string().len();
        let digits = if has_gaps { 2 * digits + 1 } else { digits }.max(4);
        let columns = self.is_terminal.then(terminal_columns);
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
        for line in &text.lines {
            if has_gaps && line.line_no > next {
                write_line(&blank, &format_gap(next, line.line_no - 1), "…")?;
            }
            next = line.line_no.saturating_add(1);
            let marks: String = agents
                .iter()
                .map(|agent| self.mark(agent, line.line_no))
                .collect();
            write_line(&marks, &line.line_no.to_string(), &line.text)?;
        }
        if has_gaps && next <= last {
            write_line(&blank, &format_gap(next, last), "…")?;
        }
        if text.is_cut {
            write_line(
                &blank,
                "",
                "… (more than 16 MiB or 500,000 lines are not shown)",
            )?;
        }
        Ok(())
    }
}

/// Writes a line with a label in front, or with blanks if the label is empty.
fn write_labeled(label: &str, text: &str, out: &mut String) -> fmt::Result {
    writeln!(out, "{label:<LABEL_COLUMNS$}{}", escape(text))
}

/// Returns the reason for the default verdict in words.
fn describe_basis(agent: &AgentReport) -> String {
    let text = match (agent.verdict.basis, &agent.verdict.decided_by) {
        (Basis::Explicit, Some(name)) if *name != whole_name(&agent.agent) => {
            return format!("by the rules for {name}, its fallback");
        }
        (Basis::Explicit, _) => "by its own rules",
        (Basis::Wildcard, _) => "by the rules for *",
        (Basis::NoGroup, _) => "no rules apply to it",
        (Basis::NoRules, _) => "the file has no rules",
        (Basis::Empty, _) => "the file is empty",
        (Basis::Html, _) => "the file is an HTML page",
        (Basis::Binary, _) => "the file is not text",
        (Basis::HttpStatus, _) => "by the HTTP status",
        (Basis::TooComplex, _) => "too complex to decide",
    };
    text.to_owned()
}

/// Returns the lines of an anomaly as text, such as `line 3` or `lines 3, 7 and 1,134 more`. The line
/// number of an anomaly of the whole file is `None`.
fn format_line_numbers(lines: &[Option<u32>]) -> String {
    match lines {
        [] => String::new(),
        [None, ..] => "the whole file".to_owned(),
        [Some(line)] => format!("line {line}"),
        _ => {
            let shown = lines.iter().flatten().take(MAX_LISTED_LINES);
            let shown: Vec<String> = shown.map(ToString::to_string).collect();
            let more = match lines.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {} more", indicatif::HumanCount(more as u64)),
            };
            format!("lines {}{more}", shown.join(", "))
        }
    }
}

/// Writes the lines about the host, its captures and the record, and the command that fetches the record.
fn write_host(host: &HostReport, out: &mut String) -> fmt::Result {
    write_labeled("host", &host.host, out)?;
    if host.found_as != host.host {
        let found_as = &host.found_as;
        write_labeled(
            "found as",
            &format!("{found_as}: the tables have both names as one host"),
            out,
        )?;
    }
    let redirects = host.redirects_without_place;
    let rules_capture = host.rules_capture.as_ref();
    // Redirects of which only the number is stored begin at the last capture that is printed.
    write_capture(
        "capture",
        &host.capture,
        redirects > 0 && rules_capture.is_none(),
        out,
    )?;
    if let Some(rules) = rules_capture {
        let is_revisit = host.capture.record.is_revisit;
        write_capture(
            if is_revisit { "same as" } else { "leads to" },
            rules,
            redirects > 0,
            out,
        )?;
    }
    if redirects > 0 {
        let redirects = format_count(redirects.into(), "redirect");
        let text = format!("a file after {redirects}, whose place a history does not keep");
        write_labeled("leads to", &text, out)?;
    }
    let effect = match host.effect {
        StatusEffect::Parse => None,
        StatusEffect::AllowAll => Some("its status allows everything"),
        StatusEffect::DisallowAll => Some("its status disallows everything"),
        StatusEffect::Follow => Some("its redirect has no target in the data: unknown"),
        StatusEffect::Defer => Some("its status defers the decision: unknown"),
    };
    if let Some(effect) = effect {
        write_labeled("", effect, out)?;
    }
    if let (Some(target), None) = (&host.capture.fetch_redirect, rules_capture) {
        write_labeled("redirects", &format!("to {target}"), out)?;
    }
    write_record(host, out)?;
    let lines = [&host.fetch.command, &host.fetch.remark]
        .into_iter()
        .flatten();
    for (label, line) in ["fetch", ""].into_iter().zip(lines) {
        writeln!(out, "{label:<LABEL_COLUMNS$}{line}")?;
    }
    Ok(())
}

/// Writes two lines with the URL of a capture, its time, its status and the place of its record.
fn write_capture(
    label: &str,
    capture: &CaptureDetails,
    is_redirected: bool,
    out: &mut String,
) -> fmt::Result {
    write_labeled(label, &capture.url, out)?;
    let time = capture
        .fetch_time
        .map_or("at an unknown time".to_owned(), format_iso);
    let status = match capture.fetch_status {
        Some(status) => format!("status {status}"),
        None if is_redirected => "redirected".to_owned(),
        None => "no status".to_owned(),
    };
    let (archive, offset) = (
        &capture.record.warc_filename,
        capture.record.warc_record_offset,
    );
    let crawl = &capture.crawl;
    write_labeled(
        "",
        &format!("{time}, {status}, {archive} at {offset}, crawl {crawl}"),
        out,
    )
}

/// Writes the archive of the capture whose rules apply, the place of the record in it, and its digest. A capture from a
/// table of bodies has the name of the table and the number of the row instead.
fn write_record(host: &HostReport, out: &mut String) -> fmt::Result {
    let record = &host.record;
    let offset = record.warc_record_offset;
    if let Some(table) = body_table_of(&record.warc_filename) {
        write_labeled("table", table, out)?;
        write_labeled("", &format!("row {offset}, counted from 0"), out)?;
    } else {
        let length = match record.warc_record_length {
            Some(length) => format!("length {length}"),
            None if host.capture.robots_id.is_none() => "length not kept by a history".to_owned(),
            None => "length unknown, as other records share its member".to_owned(),
        };
        let index = record.warc_record_in_member;
        write_labeled("archive", &record.warc_filename, out)?;
        write_labeled(
            "",
            &format!("offset {offset}, {length}, index in its member {index}"),
            out,
        )?;
    }
    write_labeled(
        "digest",
        record.content_digest.as_deref().unwrap_or("unknown"),
        out,
    )
}

/// Returns the lines about the source of the text, or about the reason why there is no text.
fn describe_source(host: &HostReport, text: Option<&NumberedText>) -> Vec<String> {
    let Some(text) = text else {
        let capture = host.rules_capture.as_ref().unwrap_or(&host.capture);
        let reason = match capture.fetch_status {
            _ if capture.record.is_revisit => "no capture has the content of this revisit",
            Some(200..=299) => "nothing is stored of the body",
            _ => "the body of such a response is not read as a robots.txt",
        };
        return vec![format!("none: {reason}")];
    };
    let mut lines = match (text.source, &host.archive) {
        (TextSource::Archive, Some(place)) => vec![format!("from the archive {place}")],
        (TextSource::Archive | TextSource::File, _) => Vec::new(),
        (TextSource::Body, _) => vec!["from the dataset (column `body`)".to_owned()],
        (TextSource::Policy, _) => {
            let lines = "which has the lines that a dialect or a preference reads";
            vec![format!("from the policy, {lines}")]
        }
        (TextSource::Rows, _) => {
            let missing = "comments, blank lines, spacing and lines without a key are missing";
            vec![format!("rebuilt from rows; {missing}")]
        }
    };
    for table in &text.missing_tables {
        lines.push(format!("lines of {table} are missing, as that table is"));
    }
    let has_gaps = matches!(text.source, TextSource::Rows | TextSource::Policy);
    if has_gaps && matches!(host.problem, Some(ArchiveProblem::NotFound { .. })) {
        lines.push("to read the archive, give its folder or URL with --base".to_owned());
    }
    lines
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
