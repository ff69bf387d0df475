//! The output of `robots-scan check` for programs.

use crate::answers::check_report::{self, Checked};
use crate::answers::record_fetch::RecordFetchCommand;
use crate::printing::escape::write_json_line;
use answers::check::{
    AgentReport, CaptureDetails, CategoryPreference, HostReport, NumberedText, ReportedAnomaly,
    TextSource,
};
use capture::date::format_iso;
use hosts::Host;
use robots::StatusEffect;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use tables::Table;

/// Writes the report as JSON, on one line. `problem` is the reason why the text was not read from the archive of the
/// capture.
pub(crate) fn write(
    checked: &Checked<'_>,
    problem: Option<&str>,
    exit_code: u8,
    out: &mut impl Write,
) -> io::Result<()> {
    let report = checked.report;
    let mut fields = BTreeMap::from([
        ("exit_code", Field::Value(json!(exit_code))),
        ("agents", Field::Agents(&report.agents)),
        ("anomalies", Field::Anomalies(&report.anomalies)),
        (
            "text",
            checked.text.map_or(Field::Value(Value::Null), Field::Text),
        ),
    ]);
    if let Some(host) = checked.host {
        add_host(host.requested, host.found, problem, &mut fields);
    }
    write_json_line(&fields, out)
}

/// A field of the report. Lists of lines are written item by item, because a file may have many.
enum Field<'a> {
    Value(Value),
    Agents(&'a [AgentReport]),
    Anomalies(&'a [ReportedAnomaly]),
    Text(&'a NumberedText),
    Lines(&'a NumberedText),
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Agents(agents) => serializer.collect_seq(agents.iter().map(agent_to_json)),
            Self::Anomalies(anomalies) => {
                serializer.collect_seq(anomalies.iter().map(anomaly_to_json))
            }
            Self::Text(text) => text_fields(text).serialize(serializer),
            Self::Lines(text) => serializer.collect_seq(
                text.lines()
                    .map(|line| json!({"line_no": line.line_no, "text": line.text})),
            ),
        }
    }
}

fn anomaly_to_json(anomaly: &ReportedAnomaly) -> Value {
    json!({
        "line_no": anomaly.line_no,
        "code": anomaly.code,
        "severity": anomaly.severity.name(),
        "about": anomaly.about,
        "changes_verdict": anomaly.changes_verdict,
    })
}

/// Adds the host, its captures and the place of the record to the report.
fn add_host(
    host: &Host,
    found: &HostReport,
    problem: Option<&str>,
    fields: &mut BTreeMap<&'static str, Field<'_>>,
) {
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
    let record = &found.deciding_capture().record;
    let place = found.archive.place.as_ref();
    let rules_capture = found.rules_capture.as_ref();
    let values = [
        ("host", json!(host.to_string())),
        (
            "found_as",
            json!(found.other_form.as_ref().unwrap_or(host).to_string()),
        ),
        ("capture", capture(&found.capture)),
        ("rules_capture", rules_capture.map_or(Value::Null, capture)),
        (
            "redirects_without_place",
            json!(found.redirects_without_place),
        ),
        (
            "effect",
            json!(found.effect.unwrap_or(StatusEffect::Parse).name()),
        ),
        ("warc_filename", json!(record.warc_filename)),
        ("warc_record_offset", json!(record.location.offset)),
        ("warc_record_length", json!(record.location.length)),
        (
            "warc_record_in_member",
            json!(record.location.index_in_member),
        ),
        ("content_digest", json!(record.content_digest)),
        (
            "archive",
            json!(place.map(|_| check_report::format_archive_path(found))),
        ),
        ("problem", json!(problem)),
        (
            "fetch",
            json!(RecordFetchCommand::from_record(record, &found.archive).command),
        ),
    ];
    fields.extend(values.map(|(name, value)| (name, Field::Value(value))));
    if !found.has_anomalies {
        fields.insert("anomalies", Field::Value(Value::Null));
    }
}

/// Returns the text of a robots.txt as the fields of a JSON object.
fn text_fields(text: &NumberedText) -> BTreeMap<&'static str, Field<'_>> {
    let (source, missing_tables): (&str, &[Table]) = match &text.source {
        TextSource::File => ("file", &[]),
        TextSource::Archive => ("archive", &[]),
        TextSource::Body => ("body", &[]),
        TextSource::Policy => ("policy", &[]),
        TextSource::Rows { missing_tables } => ("rows", missing_tables),
    };
    let missing_tables: Vec<&str> = missing_tables.iter().map(|table| table.name()).collect();
    BTreeMap::from([
        ("source", Field::Value(json!(source))),
        ("missing_tables", Field::Value(json!(missing_tables))),
        ("n_lines", Field::Value(json!(text.n_lines))),
        ("is_cut", Field::Value(json!(text.is_cut))),
        ("lines", Field::Lines(text)),
    ])
}

/// Returns preferences as JSON.
fn preferences_to_json(preferences: &[CategoryPreference]) -> Value {
    let rows = preferences.iter().map(|stated| {
        json!({
            "mechanism": stated.mechanism.name(),
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
