//! The closing words of a run.

use indicatif::{HumanBytes, HumanCount};
use scan::run::Summary;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The summary for people.
pub(crate) fn text(summary: &Summary, output: &Path, is_dataset: bool) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} captures in {} records of {} archives ({}), {:.1} s",
        HumanCount(summary.captures),
        HumanCount(summary.records),
        HumanCount(summary.inputs),
        HumanBytes(summary.bytes),
        summary.seconds,
    );
    if summary.resumed_parts > 0 {
        let _ = writeln!(
            out,
            "{} parts were there before and are not counted here",
            HumanCount(summary.resumed_parts)
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
            let _ = writeln!(out, "  {:>12}  {agent}", HumanCount(*count).to_string());
        }
    }
    out.push('\n');
    match summary.faults {
        0 => {}
        1 => out.push_str("1 place could not be read: see the table `faults`\n"),
        faults => drop(writeln!(
            out,
            "{} places could not be read: see the table `faults`",
            HumanCount(faults)
        )),
    }
    if summary.failed_inputs > 0 {
        let _ = writeln!(
            out,
            "{} archives failed; their parts are not there: run again with --resume",
            HumanCount(summary.failed_inputs)
        );
    }
    let rows: u64 = summary.rows.values().sum();
    let _ = writeln!(
        out,
        "{}: {} rows, {}",
        output.display(),
        HumanCount(rows),
        HumanBytes(summary.bytes_written)
    );
    if is_dataset {
        let _ = writeln!(
            out,
            "open it: duckdb -init {}/views.sql",
            shell_word(&output.to_string_lossy())
        );
    } else {
        let _ = writeln!(out, "open it: duckdb -c \"FROM '{}'\"", output.display());
    }
    out
}

/// The summary for programs.
pub(crate) fn json(summary: &Summary, output: &Path, exit_code: u8) -> Value {
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
        "records_by_type": summary.records_by_kind,
        "captures": summary.captures,
        "captures_by_status": by_status,
        "most_blocked": most_blocked,
        "faults": summary.faults,
        "failed_inputs": summary.failed_inputs,
        "parts": summary.parts,
        "resumed_parts": summary.resumed_parts,
        "rows": summary.rows,
        "bytes_written": summary.bytes_written,
        "seconds": summary.seconds,
    })
}

/// A path as a shell takes it.
fn shell_word(text: &str) -> String {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&byte));
    if is_plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
