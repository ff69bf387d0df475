//! `robots-scan verify`: checks that a dataset is complete and unchanged.

use crate::args::VerifyArgs;
use crate::caller::{Caller, CommandOutcome};
use crate::escape::{escape, json_line};
use crate::progress::ProgressDisplay;
use crate::progress_source::ProgressSource;
use crate::quantity::format_count;
use crate::{defaults, exit, hint};
use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use tools::verify::{self, FindingGroup, Options, VerifyProgress, VerifyReport};

/// The exit code if there is any finding.
const EXIT_FINDINGS: u8 = 1;

pub(crate) fn run(args: &VerifyArgs, caller: &Caller) -> Result<CommandOutcome> {
    let options = Options {
        root: args.dataset.clone(),
        threads: defaults::thread_count(&args.threads),
    };
    // In a terminal, a signal ends the process, as nothing is left behind.
    let progress = Arc::new(match caller {
        Caller::Terminal => VerifyProgress::default(),
        Caller::Program(_) => VerifyProgress::new(caller.stop_flag()?),
    });
    let progress_source = ProgressSource::Verify(Arc::clone(&progress));
    let display = ProgressDisplay::start(progress_source, None, args.print.quiet, caller);
    let result = verify::verify(&options, &progress);
    display.finish();
    let report = result?;
    let code = match report.is_sound() {
        true => exit::OK,
        false => EXIT_FINDINGS,
    };
    let text = match args.print.json {
        true => json_line(&report_to_json(&report, &args.dataset, code)),
        false => format_report(&report, &args.dataset, args.print.quiet),
    };
    Ok(CommandOutcome { code, text })
}

/// Returns the findings, one per line, and the summary, for people.
fn format_report(report: &VerifyReport, dataset: &Path, is_quiet: bool) -> String {
    let mut out = String::new();
    for group in report.findings.groups() {
        let FindingGroup {
            kind,
            findings,
            count,
        } = group;
        for finding in findings {
            let remedy = hint::describe_remedy(finding.remedy);
            let _ = writeln!(out, "{}; {remedy}", escape(&finding.to_string()));
        }
        let more = count - findings.len() as u64;
        if more > 0 {
            let (more, name) = (HumanCount(more), kind.name());
            let _ = writeln!(out, "… and {more} more of this kind (`{name}`)");
        }
    }
    if is_quiet {
        return out;
    }
    if !report.is_sound() {
        out.push('\n');
    }
    let name = dataset.to_string_lossy();
    let name = escape(&name);
    for note in &report.notes {
        let _ = writeln!(out, "{name}: {}", escape(note));
    }
    for what in &report.unchecked {
        let _ = writeln!(out, "not checked: {}", escape(what));
    }
    let verdict = match (report.findings.count(), report.is_single_file) {
        (0, true) => "no problem found".to_owned(),
        (0, false) => "complete and unchanged".to_owned(),
        (count, _) => format_count(count, "finding"),
    };
    let parts = match (report.crawls, report.is_single_file) {
        (Some(crawls), _) => format!("{}, ", format_count(crawls, "crawl")),
        (None, true) => String::new(),
        (None, false) => format!("{}, ", format_count(report.parts, "part")),
    };
    let sound = match report.files - report.sound_files {
        0 => String::new(),
        bad => format!(" ({} of them could not be compared)", HumanCount(bad)),
    };
    let _ = writeln!(
        out,
        "{name}: {verdict}; {parts}{}{sound}, {}, {}, {:.1} s",
        format_count(report.files, "file"),
        format_count(report.rows, "row"),
        HumanBytes(report.bytes),
        report.seconds,
    );
    out
}

/// Returns the findings and the summary as JSON.
fn report_to_json(report: &VerifyReport, dataset: &Path, code: u8) -> Value {
    let groups = report.findings.groups();
    let counts: serde_json::Map<String, Value> = groups
        .map(|group| (group.kind.name().to_owned(), json!(group.count)))
        .collect();
    let findings = report.findings.groups().flat_map(|group| group.findings);
    let findings = findings.map(|finding| {
        json!({
            "kind": finding.kind.name(),
            "path": finding.path,
            "what": finding.message,
            "remedy": hint::describe_remedy(finding.remedy),
        })
    });
    let mut summary = json!({
        "dataset": dataset.to_string_lossy(),
        "exit_code": code,
        "findings": findings.collect::<Vec<_>>(),
        "findings_by_kind": counts,
        "notes": report.notes,
        "not_checked": report.unchecked,
        "parts": report.parts,
        "files": report.files,
        "sound_files": report.sound_files,
        "rows": report.rows,
        "captures": report.captures,
        "bytes": report.bytes,
        "seconds": report.seconds,
    });
    if let Some(crawls) = report.crawls {
        summary["crawls"] = json!(crawls);
    }
    summary
}
