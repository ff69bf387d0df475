//! `robots-scan verify`: checks that a dataset is complete and unchanged.

use crate::calls::caller::Caller;
use crate::calls::exit;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::commands::defaults;
use crate::commands::shared_args::{OutputArgs, ThreadsArg};
use crate::printing::escape::json_line;
use crate::printing::progress::ProgressDisplay;
use crate::printing::progress_source::{
    ProgressSource, format_byte_rate, format_bytes_done, format_time_left, read_counter,
};
use crate::printing::quantity::format_count;
use anyhow::Result;
use escapes::escape;
#[cfg(feature = "answers")]
use history::HistoryManifest;
use indicatif::{HumanBytes, HumanCount};
use keep::verify::{self, FindingGroup, Options, VerifyPhase, VerifyProgress, VerifyReport};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads everything back: the manifest, the size, digest and pages of every file, and files that do not \
belong to the dataset. Nothing is changed. For a single file, only its readability can be checked.

Problems are printed one per line, at most twenty of each kind, each with a remedy.

Exit codes: 0 no problems, 1 problems found, 2 not started.")]
pub(crate) struct VerifyArgs {
    /// The dataset: a folder that `scan` wrote or `join` was run on, or a single file
    pub(crate) dataset: PathBuf,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

/// The exit code if there is any finding.
const EXIT_FINDINGS: u8 = 1;

impl CommandArgs for VerifyArgs {
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        Some(&mut self.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let options = Options {
            root: self.dataset.clone(),
            threads: defaults::thread_count(&self.threads),
            tables: defaults::all_tables(),
        };
        // With a terminal as caller, no handler of signals is installed: a signal simply ends the process, because
        // a verification leaves no files behind.
        let progress = Arc::new(match caller {
            Caller::Terminal => VerifyProgress::default(),
            Caller::Program(_) => VerifyProgress::new(caller.stop_flag()?),
        });
        let display = ProgressDisplay::start(progress.clone(), None, &self.print, caller);
        let result = verify_any(&options, &progress);
        display.finish();
        let report = result?;
        let code = if report.is_sound() {
            exit::OK
        } else {
            EXIT_FINDINGS
        };
        let text = if self.print.json {
            json_line(&report_to_json(&report, &self.dataset, code))
        } else {
            format_report(&report, &self.dataset, self.print.quiet)
        };
        let text = text.into_bytes();
        Ok(CommandOutcome { code, text })
    }
}

/// Verifies a dataset, a file or a history.
fn verify_any(options: &Options, progress: &VerifyProgress) -> Result<VerifyReport, errors::Error> {
    #[cfg(feature = "answers")]
    if let Some(history) = HistoryManifest::read(&options.root)? {
        return history::verify(options, &history, progress);
    }
    verify::verify(options, progress)
}

/// Returns the findings, one per line, and the summary, for people. With `--quiet`, the summary is left out.
fn format_report(report: &VerifyReport, dataset: &Path, is_quiet: bool) -> String {
    let mut out = String::new();
    for group in report.findings.groups() {
        let FindingGroup {
            kind,
            findings,
            count,
        } = group;
        for finding in findings {
            let remedy = finding.remedy.0;
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
            "remedy": finding.remedy.0,
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

impl ProgressSource for VerifyProgress {
    fn update_interval(&self) -> Duration {
        Duration::from_millis(20)
    }

    fn total(&self) -> Option<u64> {
        Some(read_counter(&self.bytes_total))
    }

    fn position(&self) -> u64 {
        read_counter(&self.bytes)
    }

    fn pieces(&self, seconds: f64) -> Vec<String> {
        let phase = self.phase();
        let mut pieces = vec![phase.name().to_owned()];
        match phase {
            VerifyPhase::Manifest => {}
            VerifyPhase::Files => {
                let (read, total) = (read_counter(&self.bytes), read_counter(&self.bytes_total));
                pieces.extend([
                    format_bytes_done(read, total),
                    format_time_left(read, total, seconds),
                    format_byte_rate(read, seconds),
                ]);
            }
        }
        pieces
    }
}
