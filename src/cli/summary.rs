//! The closing words of a run.

use crate::message::escape;
use indicatif::{HumanBytes, HumanCount};
use robots_scan::pipeline::ScanSummary;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The summary for people.
pub(crate) fn text(summary: &ScanSummary, output: &Path, is_dataset: bool) -> String {
    let mut out = String::new();
    if summary.is_nothing_to_do() {
        // The table `agents` is always written.
        let rows = summary.resumed.rows + summary.written.rows.values().sum::<u64>();
        let _ = writeln!(
            out,
            "nothing to do: {}, {}{}",
            many(summary.resumed.parts, "part"),
            many(rows, "row"),
            resumed_faults(summary)
        );
        return out + &open_it(output, is_dataset);
    }
    let _ = writeln!(
        out,
        "{} in {} of {} ({}), {:.1} s",
        many(summary.captures, "capture"),
        many(summary.records, "record"),
        many(summary.inputs, "archive"),
        HumanBytes(summary.bytes),
        summary.seconds,
    );
    if summary.resumed.parts > 0 {
        let _ = writeln!(
            out,
            "beside {} that were there before{}",
            many(summary.resumed.parts, "part"),
            resumed_faults(summary)
        );
    }
    if !summary.captures_by_status.is_empty() {
        let _ = writeln!(out, "\ncaptures by status");
        for (status, count) in &summary.captures_by_status {
            let name = status.map_or("none".to_owned(), |status| status.to_string());
            let share = 100.0 * *count as f64 / summary.captures.max(1) as f64;
            let _ = writeln!(
                out,
                "  {name:>5}  {:>12}  {share:5.1} %",
                HumanCount(*count).to_string()
            );
        }
    }
    if !summary.most_blocked.is_empty() {
        let _ = writeln!(
            out,
            "\nmost blocked crawlers (captures that name them and disallow everything)"
        );
        for (agent, count) in &summary.most_blocked {
            let count = HumanCount(*count).to_string();
            let _ = writeln!(out, "  {count:>12}  {}", escape(agent));
        }
    }
    out.push('\n');
    if summary.faults > 0 {
        let _ = writeln!(
            out,
            "{} could not be read: see the table `faults`",
            many(summary.faults, "place")
        );
    }
    if summary.failed_inputs > 0 && !is_dataset {
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
            "{} failed, and other archives of the same parts are left out:\n\
             run again with --resume",
            many(summary.failed_inputs, "archive")
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
    out + &open_it(output, is_dataset)
}

/// The faults of parts that were whole before, if there are any.
fn resumed_faults(summary: &ScanSummary) -> String {
    match summary.resumed.faults {
        0 => String::new(),
        faults => format!(", with {}", many(faults, "fault")),
    }
}

/// Says how to open an output in DuckDB.
fn open_it(output: &Path, is_dataset: bool) -> String {
    let mut out = String::new();
    if is_dataset {
        let _ = writeln!(
            out,
            "open it: duckdb -init {}/views.sql",
            shell_word(output.to_string_lossy().trim_end_matches('/'))
        );
    } else {
        let _ = writeln!(out, "open it: duckdb -c {}", query_of(output));
    }
    out
}

/// The warning about a run that found no robots.txt.
pub(crate) fn no_robots(summary: &ScanSummary) -> String {
    let kinds = summary.records_by_type.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{} {kind}", HumanCount(*count)))
        .collect();
    let kinds = match kinds.is_empty() {
        true => String::new(),
        false => format!(" ({})", kinds.join(", ")),
    };
    let records = many(summary.records, "record");
    format!("no robots.txt in {records}{kinds}: is this the robotstxt subset?")
}

/// The summary for programs.
pub(crate) fn json(summary: &ScanSummary, output: &Path, exit_code: u8) -> Value {
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
    let most_blocked: Vec<Value> = summary
        .most_blocked
        .iter()
        .map(|(agent, captures)| json!({"agent": agent, "captures": captures}))
        .collect();
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
        "parts": summary.written.parts,
        "resumed_parts": summary.resumed.parts,
        "resumed_rows": summary.resumed.rows,
        "rows": summary.written.rows,
        "bytes_written": summary.written.bytes,
        "seconds": summary.seconds,
    })
}

/// A count with its noun.
pub(crate) fn many(count: u64, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        HumanCount(count),
        if count == 1 { "" } else { "s" }
    )
}

/// The query that shows a file, as a shell takes it.
fn query_of(output: &Path) -> String {
    let path = output.to_string_lossy();
    let query = format!("FROM '{}'", path.replace('\'', "''"));
    let is_escaped = matches!(escape(&path), Cow::Owned(_));
    if is_escaped || path.contains(['"', '$', '`', '\\', '!', '\'']) {
        shell_word(&query)
    } else {
        format!("\"{query}\"")
    }
}

/// A path as a shell takes it. Control characters are written as bash, zsh and
/// ksh read them in `$'…'`.
pub(crate) fn shell_word(text: &str) -> String {
    if matches!(escape(text), Cow::Owned(_)) {
        let mut out = "$'".to_owned();
        for char in text.chars() {
            let mut bytes = [0; 4];
            let char = char.encode_utf8(&mut bytes);
            match (&*char, escape(char)) {
                ("'" | "\\", _) => out.push_str(&format!("\\{char}")),
                (_, Cow::Borrowed(_)) => out.push_str(char),
                (_, Cow::Owned(_)) => out.extend(char.bytes().map(|byte| format!("\\x{byte:02x}"))),
            }
        }
        return out + "'";
    }
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&byte));
    if is_plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_hold_no_control_characters() {
        for (text, word) in [
            ("out.parquet", "out.parquet"),
            ("my out", "'my out'"),
            ("it's", "'it'\\''s'"),
            ("a\x1b[2J'\\\u{9b}", "$'a\\x1b[2J\\'\\\\\\xc2\\x9b'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
        assert_eq!(query_of(Path::new("a\x07")), "$'FROM \\'a\\x07\\''");
    }
}
