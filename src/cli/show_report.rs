//! The output of `robots-scan show`, as text and as JSON.

use crate::check_report;
use crate::escape::{escape, json_line};
use crate::record_fetch::RecordFetchCommand;
use crate::show_args::ShowArgs;
use dataset::crawler::DialectChoice;
use dataset::tables::{BODY_TABLE_PREFIX, Table};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, Write, stdout};
use terminal_size::{Width, terminal_size_of};
use tools::check::{AgentReport, CaptureDetails};
use tools::show::{ArchivePlace, HostText, ShownHost, TextSource};

/// Marks a line that applies to a crawler.
const APPLIES_MARK: char = '>';

/// Marks the line that is the evidence of a verdict.
const PROVES_MARK: char = '!';

/// Writes the report for people. Text of the dataset and the archive is escaped.
pub(crate) fn write_report(
    args: &ShowArgs,
    shown: &ShownHost,
    is_terminal: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(format_header(args, shown).as_bytes())?;
    for agent in &shown.report.report.agents {
        let mut text = String::new();
        check_report::write_verdicts(agent, is_terminal, &mut text);
        out.write_all(text.as_bytes())?;
    }
    match &shown.text {
        Some(text) => {
            writeln!(out)?;
            write_lines(args, shown, text, is_terminal, out)
        }
        None => Ok(()),
    }
}

/// Returns the lines about the captures, the record and the source of the text.
fn format_header(args: &ShowArgs, shown: &ShownHost) -> String {
    let report = &shown.report;
    let capture = shown.shown_capture();
    let record = &capture.record;
    let mut out = String::new();
    let _ = writeln!(out, "host        {}", escape(&args.host.to_string()));
    out.push_str(&check_report::format_captures(report));
    if let (Some(target), None) = (&capture.fetch_redirect, &report.rules_capture) {
        let _ = writeln!(out, "redirects   to {}", escape(target));
    }
    out.push_str(&format_place(capture));
    let digest = record.content_digest.as_deref().unwrap_or("unknown");
    let _ = writeln!(out, "digest      {}", escape(digest));
    let fetch = RecordFetchCommand::from_record(record, &shown.archive);
    let _ = writeln!(out, "fetch       {}", fetch.command);
    if let Some(remark) = fetch.remark {
        let _ = writeln!(out, "            {remark}");
    }
    for (i, line) in describe_source(args, shown).iter().enumerate() {
        let label = if i == 0 { "text" } else { "" };
        let _ = writeln!(out, "{label:<12}{}", escape(line));
    }
    if shown.text.is_some() {
        let _ = writeln!(out, "marks       {}", escape(&format_legend(args, shown)));
    }
    out.push('\n');
    out
}

/// Returns the lines about the archive of a capture and the place of its record, or about its row.
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

/// Returns true if the archive of the capture was not found. A row of a table has none.
fn is_archive_missing(shown: &ShownHost) -> bool {
    let name = &shown.shown_capture().record.warc_filename;
    shown.archive.place.is_none() && !name.starts_with(BODY_TABLE_PREFIX)
}

/// Returns where the text comes from, in one or several lines.
fn describe_source(args: &ShowArgs, shown: &ShownHost) -> Vec<String> {
    let Some(text) = &shown.text else {
        let capture = shown.shown_capture();
        let reason = match capture.fetch_status {
            _ if capture.record.is_revisit => "no capture has the content of this revisit",
            Some(200..=299) => "nothing is stored of the body",
            _ => "the body of such a response is not read as a robots.txt",
        };
        return vec![format!("none: {reason}")];
    };
    match &text.source {
        TextSource::Archive => vec![format!("from the archive {}", format_archive_path(shown))],
        TextSource::Body => vec!["from the dataset (column `body`)".to_owned()],
        TextSource::Policy => {
            let mut lines = vec![
                "from the policy, which has the lines that a dialect or a preference reads"
                    .to_owned(),
            ];
            if args.base.is_none() && is_archive_missing(shown) {
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
            if args.base.is_none() && is_archive_missing(shown) {
                lines.push("to read the archive, give its folder or URL with --base".to_owned());
            }
            lines
        }
    }
}

/// Returns the path or URL of the archive.
fn format_archive_path(shown: &ShownHost) -> String {
    match &shown.archive.place {
        Some(ArchivePlace::File(path)) => path.display().to_string(),
        Some(ArchivePlace::Url(address)) => address.to_string(),
        None => String::new(),
    }
}

/// Returns the explanation of the marks.
fn format_legend(args: &ShowArgs, shown: &ShownHost) -> String {
    let agents = &shown.report.report.agents;
    let names: Vec<&str> = agents.iter().map(|agent| agent.agent.as_str()).collect();
    let (columns, whose) = match names.as_slice() {
        [name] => (String::new(), name.to_string()),
        _ => {
            let columns = format!("one column for each of {}: ", names.join(", "));
            (columns, "the crawler".to_owned())
        }
    };
    let mut out = format!("{columns}{APPLIES_MARK} lines that apply to {whose}");
    match args.dialect {
        DialectChoice::Default => {
            let _ = write!(out, ", {PROVES_MARK} the line that proves its verdict");
        }
        DialectChoice::Dialect(dialect) => {
            let _ = write!(out, " by {}", dialect.name());
        }
    }
    out
}

/// Returns the mark of a line for a crawler.
fn find_mark(args: &ShowArgs, agent: &AgentReport, line_no: u32) -> char {
    let is_evidence =
        args.dialect == DialectChoice::Default && agent.verdicts.evidence_line == Some(line_no);
    if is_evidence {
        PROVES_MARK
    } else if agent.lines.binary_search(&line_no).is_ok() {
        APPLIES_MARK
    } else {
        ' '
    }
}

/// Writes the lines with their numbers and marks.
fn write_lines(
    args: &ShowArgs,
    shown: &ShownHost,
    text: &HostText,
    is_terminal: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let agents = &shown.report.report.agents;
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
            .map(|agent| find_mark(args, agent, line.line_no));
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

/// Returns the numbers of missing lines.
fn format_gap(first: u32, last: u32) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

/// Returns the width of the terminal, or the largest number if it is unknown.
fn terminal_columns() -> usize {
    let size = terminal_size_of(stdout());
    size.map_or(usize::MAX, |(Width(columns), _)| usize::from(columns))
}

/// Returns a line that is cut to a width. Characters that may be wide count as two columns.
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

/// Returns the JSON of a host, on one line. `problem` is the reason why the archive was not used.
pub(crate) fn host_to_json(
    args: &ShowArgs,
    shown: &ShownHost,
    problem: Option<&str>,
    exit_code: u8,
) -> String {
    let agents = shown.report.report.agents.iter().map(|agent| {
        let mut value = check_report::verdicts_to_json(agent);
        value["lines"] = json!(agent.lines);
        value
    });
    let capture = shown.shown_capture();
    let record = &capture.record;
    let text = shown.text.as_ref().map(|text| {
        let (source, missing_tables): (&str, &[Table]) = match &text.source {
            TextSource::Archive => ("archive", &[]),
            TextSource::Body => ("body", &[]),
            TextSource::Policy => ("policy", &[]),
            TextSource::Rows { missing_tables } => ("rows", missing_tables),
        };
        let lines = text
            .lines()
            .map(|line| json!({"line_no": line.line_no, "text": line.text}));
        json!({
            "source": source,
            "missing_tables": missing_tables.iter().map(|table| table.name()).collect::<Vec<_>>(),
            "n_lines": text.n_lines,
            "is_cut": text.is_cut,
            "lines": lines.collect::<Vec<_>>(),
        })
    });
    let mut value = json!({
        "exit_code": exit_code,
        "agents": agents.collect::<Vec<_>>(),
        "warc_filename": record.warc_filename,
        "warc_record_offset": record.location.offset,
        "warc_record_length": record.location.length,
        "warc_record_in_member": record.location.index_in_member,
        "content_digest": record.content_digest,
        "archive": shown.archive.place.as_ref().map_or(Value::Null, |_| json!(format_archive_path(shown))),
        "problem": problem,
        "fetch": RecordFetchCommand::from_record(record, &shown.archive).command,
        "text": text,
    });
    check_report::add_host_json(&args.host, &shown.report, &mut value);
    json_line(&value)
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
