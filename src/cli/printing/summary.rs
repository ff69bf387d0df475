//! The summary of a scan, for people and as JSON.

use crate::calls::call_error::CallError;
use crate::printing::quantity::format_count;
use dataset::OutputLayout;
use escapes::escape;
use indicatif::{HumanBytes, HumanCount};
use scan::{BlockedName, MostBlockedAgents, ScanSummary};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The number of statuses that the summary for people lists. The summary as JSON lists all.
const SHOWN_STATUS_COUNT: usize = 5;

/// The line that the summary has if the program was built with the development profile.
const NOT_OPTIMIZED: &str = "this build is not optimized; use `cargo install --locked --path .`\n";

/// Returns the summary for people. `next` is the text with the suggested commands, which are at its end.
pub(crate) fn format_summary(summary: &ScanSummary, layout: &OutputLayout, next: &str) -> String {
    let output = layout.root();
    let mut out = String::new();
    if summary.is_already_written() {
        // Every run writes the table `agents`, so its rows are not counted as those of the earlier run.
        let rows = summary.resumed.rows + summary.written.rows.values().sum::<u64>();
        let _ = writeln!(
            out,
            "nothing to do: {}, {}{}",
            format_count(summary.resumed.parts, "part"),
            format_count(rows, "row"),
            format_resumed_faults(summary)
        );
        return out + next;
    }
    write_captures(summary, &mut out);
    out.push('\n');
    if summary.faults > 0 {
        let _ = writeln!(
            out,
            "{} could not be read: see the table `faults`",
            format_count(summary.faults, "place")
        );
    }
    if summary.failed_inputs > 0 && layout.is_single_file() {
        let _ = writeln!(
            out,
            "{} archives failed; {} was not written",
            HumanCount(summary.failed_inputs),
            escape(&output.to_string_lossy())
        );
        return out;
    }
    if summary.failed_inputs > 0 {
        let _ = writeln!(
            out,
            "{} failed, and the other archives of the same parts are left out:\n\
             run again with --resume",
            format_count(summary.failed_inputs, "archive")
        );
    }
    let rows: u64 = summary.written.rows.values().sum();
    let _ = writeln!(
        out,
        "{}: {} rows, {}",
        escape(&output.to_string_lossy()),
        HumanCount(rows),
        HumanBytes(summary.written.bytes)
    );
    // The views need tables that an unfinished dataset may not have.
    if summary.failed_inputs == 0 {
        out.push_str(next);
    }
    out
}

/// Writes the counts of captures, records and inputs, the crawlers that are blocked most, and the captures by status.
fn write_captures(summary: &ScanSummary, out: &mut String) {
    let (item, input) = if summary.records_by_type.contains_key("row") {
        ("row", "table")
    } else {
        ("record", "archive")
    };
    let _ = writeln!(
        out,
        "{} in {} of {} ({}), {:.1} s",
        format_count(summary.captures, "capture"),
        format_count(summary.records, item),
        format_count(summary.inputs, input),
        HumanBytes(summary.bytes),
        summary.seconds,
    );
    // Debug assertions are on in the development profile, which the quick start and the tests use.
    if cfg!(debug_assertions) {
        out.push_str(NOT_OPTIMIZED);
    }
    if summary.resumed.parts > 0 {
        let _ = writeln!(
            out,
            "in addition to {} from the earlier run{}",
            format_count(summary.resumed.parts, "part"),
            format_resumed_faults(summary)
        );
    }
    let notes = &summary.row_notes;
    if notes.hosts > 0 {
        let rows = format_count(notes.hosts, "row");
        let _ = writeln!(out, "{rows} with a host, read as https://HOST/robots.txt");
    }
    if notes.failed_fetches > 0 {
        let rows = format_count(notes.failed_fetches, "row");
        let _ = writeln!(
            out,
            "{rows} without a response: failed fetches, of which nothing is decided"
        );
    }
    if let Some(most_blocked) = &summary.most_blocked {
        write_most_blocked(most_blocked, out);
    }
    write_statuses(&summary.captures_by_status, out);
}

/// Writes the most frequent statuses, and the sum of the others.
fn write_statuses(by_status: &BTreeMap<Option<u16>, u64>, out: &mut String) {
    if by_status.is_empty() {
        return;
    }
    let mut statuses: Vec<(Option<u16>, u64)> = by_status
        .iter()
        .map(|(&status, &count)| (status, count))
        .collect();
    // The sort is stable, so equally frequent statuses remain in ascending order.
    statuses.sort_by_key(|&(_, count)| Reverse(count));
    let captures: u64 = by_status.values().sum();
    let _ = writeln!(out, "\ncaptures by status");
    let mut write = |count: u64, name: &str| {
        let share = 100.0 * share(count, captures);
        let count = HumanCount(count).to_string();
        let _ = writeln!(out, "  {count:>12}  {share:5.1} %  {name}");
    };
    // A line of other statuses would be as long as one more status, so that a single one is listed itself.
    let shown = match statuses.len() {
        count if count <= SHOWN_STATUS_COUNT + 1 => count,
        _ => SHOWN_STATUS_COUNT,
    };
    let (first, others) = statuses.split_at(shown);
    for (status, count) in first {
        let name = status.map_or("none".to_owned(), |status| status.to_string());
        write(*count, &name);
    }
    if !others.is_empty() {
        let count = others.iter().map(|(_, count)| count).sum();
        write(count, &format!("{} other statuses", others.len()));
    }
}

/// Writes the ranking of crawlers by the hosts that name them and disallow everything.
pub(crate) fn write_most_blocked(most_blocked: &MostBlockedAgents, out: &mut String) {
    if most_blocked.agents.is_empty() {
        return;
    }
    let crawl_text = most_blocked.crawl.as_ref();
    let crawl_text = crawl_text.map_or(String::new(), |crawl| format!(" of {}", escape(crawl)));
    let _ = writeln!(
        out,
        "\nmost blocked crawlers: of {}{crawl_text} with a\n\
         known verdict, those that name the crawler and disallow everything",
        format_count(most_blocked.hosts, "host")
    );
    for agent in &most_blocked.agents {
        let share = 100.0 * share(agent.hosts, most_blocked.hosts);
        let count = HumanCount(agent.hosts).to_string();
        let concentration = format_concentration(agent);
        let name = escape(&agent.name);
        let _ = writeln!(out, "  {count:>12}  {share:5.1} %  {name}{concentration}");
    }
}

/// Returns the parts of the hosts that block a crawler that are in one domain and that have one rule set, if they are half
/// of several hosts, such as ` (65 % one rule set)`: they are one decision.
fn format_concentration(agent: &BlockedName) -> String {
    let parts = [
        (agent.hosts_in_one_domain, "one domain"),
        (agent.hosts_with_one_ruleset, "one rule set"),
    ];
    let parts = parts
        .into_iter()
        .filter(|&(part, _)| part > 1 && 2 * part >= agent.hosts);
    let parts: Vec<String> = parts
        .map(|(part, text)| format!("{:.0} % {text}", 100.0 * share(part, agent.hosts)))
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" ({})", parts.join(", "))
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns a share with the digits that it has in answers to questions.
fn rounded_share(part: u64, whole: u64) -> f64 {
    (share(part, whole) * 1e6).round() / 1e6
}

/// Returns the number of faults in parts of earlier runs, such as `, with 3 faults`; empty without faults.
fn format_resumed_faults(summary: &ScanSummary) -> String {
    match summary.resumed.faults {
        0 => String::new(),
        faults => format!(", with {}", format_count(faults, "fault")),
    }
}

/// Returns the warning about a run that found no robots.txt.
pub(crate) fn no_robots_warning(summary: &ScanSummary) -> String {
    let kinds = summary.records_by_type.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{} {kind}", HumanCount(*count)))
        .collect();
    let kinds = if kinds.is_empty() {
        String::new()
    } else {
        format!(" ({})", kinds.join(", "))
    };
    let records = format_count(summary.records, "record");
    format!("no robots.txt file in {records}{kinds}: is this the robotstxt subset?")
}

/// Returns the ranking of the most blocked crawlers as JSON.
pub(crate) fn most_blocked_to_json(most_blocked: &MostBlockedAgents) -> Value {
    let agents = most_blocked.agents.iter();
    let agents = agents.map(|agent| {
        json!({
            "agent": agent.name,
            "hosts": agent.hosts,
            "share": rounded_share(agent.hosts, most_blocked.hosts),
            "largest_domain": rounded_share(agent.hosts_in_one_domain, agent.hosts),
            "largest_ruleset": rounded_share(agent.hosts_with_one_ruleset, agent.hosts),
        })
    });
    json!({
        "crawl": most_blocked.crawl,
        "hosts": most_blocked.hosts,
        "agents": agents.collect::<Vec<_>>(),
    })
}

/// Returns the summary as JSON. `failed` are the errors of the first failed inputs.
pub(crate) fn summary_to_json(
    summary: &ScanSummary,
    output: &Path,
    exit_code: u8,
    failed: &[CallError],
) -> Value {
    let failed: Vec<Value> = failed.iter().map(CallError::to_json).collect();
    let by_status: serde_json::Map<String, Value> = summary
        .captures_by_status
        .iter()
        .map(|(status, count)| {
            (
                status.map_or("none".to_owned(), |status| status.to_string()),
                json!(count),
            )
        })
        .collect();
    let most_blocked = summary.most_blocked.as_ref().map(most_blocked_to_json);
    json!({
        "output": output.to_string_lossy(),
        "exit_code": exit_code,
        "inputs": summary.inputs,
        "bytes": summary.bytes,
        "records": summary.records,
        "records_by_type": summary.records_by_type,
        "captures": summary.captures,
        "captures_by_status": by_status,
        "most_blocked": most_blocked,
        "faults": summary.faults,
        "resumed_faults": summary.resumed.faults,
        "failed_inputs": summary.failed_inputs,
        "errors": failed,
        "requests": summary.requests,
        "parts": summary.written.parts,
        "resumed_parts": summary.resumed.parts,
        "resumed_rows": summary.resumed.rows,
        "rows": summary.written.rows,
        "bytes_written": summary.written.bytes,
        "seconds": summary.seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_statuses_are_one_line_after_the_most_frequent() {
        let statuses = |counts: &[(Option<u16>, u64)]| {
            let mut out = String::new();
            write_statuses(&counts.iter().copied().collect(), &mut out);
            let lines = out.lines().skip(2);
            let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            lines.map(words).collect::<Vec<_>>()
        };
        assert_eq!(
            statuses(&[
                (None, 1),
                (Some(200), 1500),
                (Some(301), 40),
                (Some(404), 400),
                (Some(403), 50),
                (Some(500), 5),
                (Some(503), 4),
            ]),
            [
                "1,500 75.0 % 200",
                "400 20.0 % 404",
                "50 2.5 % 403",
                "40 2.0 % 301",
                "5 0.2 % 500",
                "5 0.2 % 2 other statuses",
            ]
        );
        let six: Vec<(Option<u16>, u64)> = (500..506).map(|code| (Some(code), 1)).collect();
        assert_eq!(statuses(&six).last().unwrap(), "1 16.7 % 505");
        assert_eq!(statuses(&[(None, 2)]), ["2 100.0 % none"]);
        assert!(statuses(&[]).is_empty());
    }
}
