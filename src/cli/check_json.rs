//! The output of `robots-scan check` for programs.

use crate::check_report::{self, Checked};
use crate::escape::json_line;
use crate::record_fetch::RecordFetchCommand;
use answers::check::{
    AgentReport, CaptureDetails, CategoryPreference, HostReport, NumberedText, TextSource,
};
use capture::date::format_iso;
use hosts::Host;
use robots::StatusEffect;
use serde_json::{Value, json};
use tables::Table;

/// Returns the report as JSON, on one line. `problem` is the reason why the text was not read from the archive of the
/// capture.
pub(crate) fn to_json_line(checked: &Checked<'_>, problem: Option<&str>, exit_code: u8) -> String {
    let agents = checked.report.agents.iter().map(agent_to_json);
    let anomalies = checked.report.anomalies.iter().map(|anomaly| {
        json!({
            "line_no": anomaly.line_no,
            "code": anomaly.code,
            "severity": anomaly.severity.name(),
            "about": anomaly.about,
            "changes_verdict": anomaly.changes_verdict,
        })
    });
    let mut value = json!({
        "exit_code": exit_code,
        "agents": agents.collect::<Vec<_>>(),
        "anomalies": anomalies.collect::<Vec<_>>(),
        "text": checked.text.map(text_to_json),
    });
    if let Some(host) = checked.host {
        add_host(host.requested, host.found, problem, &mut value);
    }
    json_line(&value)
}

/// Adds the host, its captures and the place of the record to the JSON object `value`.
fn add_host(host: &Host, found: &HostReport, problem: Option<&str>, value: &mut Value) {
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
    let record = &found.deciding_capture().record;
    value["warc_filename"] = json!(record.warc_filename);
    value["warc_record_offset"] = json!(record.location.offset);
    value["warc_record_length"] = json!(record.location.length);
    value["warc_record_in_member"] = json!(record.location.index_in_member);
    value["content_digest"] = json!(record.content_digest);
    let place = found.archive.place.as_ref();
    value["archive"] = json!(place.map(|_| check_report::format_archive_path(found)));
    value["problem"] = json!(problem);
    value["fetch"] = json!(RecordFetchCommand::from_record(record, &found.archive).command);
    if !found.has_anomalies {
        value["anomalies"] = Value::Null;
    }
}

/// Returns the text of a robots.txt as JSON.
fn text_to_json(text: &NumberedText) -> Value {
    let (source, missing_tables): (&str, &[Table]) = match &text.source {
        TextSource::File => ("file", &[]),
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
fn agent_to_json(agent: &AgentReport) -> Value {
    let access = |is_allowed| match is_allowed {
        Some(true) => "allowed",
        Some(false) => "disallowed",
        None => "unknown",
    };
    let urls = agent.urls.iter().map(|answer| {
        let rule = answer.rule.as_ref();
        json!({
            "url": answer.url,
            "access": access(answer.is_allowed),
            "line_no": rule.map(|rule| rule.line_no),
            "line": rule.and_then(|rule| rule.line.as_ref()),
            "group_line_no": rule.and_then(|rule| rule.group_line_no),
            "preferences": preferences_to_json(&answer.preferences),
        })
    });
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
        "urls": urls.collect::<Vec<_>>(),
        "lines": agent.lines,
    })
}
