//! `robots-scan verify`: a dataset reads itself back.

use crate::args::VerifyArgs;
use crate::message::{self, escape};
use crate::progress::left;
use crate::progress_line::ProgressLine;
use crate::{exit, hint, summary};
use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use robots_scan::verify::{self, FindingGroup, Options, VerifyPhase, VerifyProgress, VerifyReport};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Write, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Something is wrong.
const WRONG: u8 = 1;

pub(crate) fn run(args: &VerifyArgs) -> Result<u8> {
    let threads = args
        .threads
        .map(usize::from)
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from));
    let options = Options {
        root: args.dataset.clone(),
        threads: threads.unwrap_or(1),
    };
    let progress = Arc::new(VerifyProgress::default());
    let is_done = Arc::new(AtomicBool::new(false));
    let display = show(Arc::clone(&progress), args.quiet, Arc::clone(&is_done));
    let result = verify::verify(&options, &progress);
    is_done.store(true, Ordering::Relaxed);
    let _ = display.join();
    let report = result?;
    let code = match report.is_sound() {
        true => exit::WHOLE,
        false => WRONG,
    };
    let text = match args.json {
        true => message::json_line(&json(&report, &args.dataset, code)),
        false => text(&report, &args.dataset, args.quiet),
    };
    // That nobody reads it does not change the exit code.
    let _ = stdout().lock().write_all(text.as_bytes());
    Ok(code)
}

/// The findings one a line, and what was checked, for people.
fn text(report: &VerifyReport, dataset: &Path, is_quiet: bool) -> String {
    let mut out = String::new();
    for group in report.findings.groups() {
        let FindingGroup {
            kind,
            findings,
            count,
        } = group;
        for finding in findings {
            let remedy = hint::remedy(finding.remedy);
            let _ = writeln!(out, "{}; {remedy}", escape(&finding.to_string()));
        }
        let more = count - findings.len() as u64;
        if more > 0 {
            let (more, name) = (HumanCount(more), kind.name());
            let _ = writeln!(out, "… and {more} more of this sort (`{name}`)");
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
        (0, true) => "nothing wrong".to_owned(),
        (0, false) => "whole, and true to its manifest".to_owned(),
        (count, _) => summary::many(count, "finding"),
    };
    let parts = match report.is_single_file {
        true => String::new(),
        false => format!("{}, ", summary::many(report.parts, "part")),
    };
    let sound = match report.files - report.sound_files {
        0 => String::new(),
        bad => format!(" ({} of them could not be compared)", HumanCount(bad)),
    };
    let _ = writeln!(
        out,
        "{name}: {verdict}; {parts}{}{sound}, {}, {}, {:.1} s",
        summary::many(report.files, "file"),
        summary::many(report.rows, "row"),
        HumanBytes(report.bytes),
        report.seconds,
    );
    out
}

/// The same for programs.
fn json(report: &VerifyReport, dataset: &Path, code: u8) -> Value {
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
            "remedy": hint::remedy(finding.remedy),
        })
    });
    json!({
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
    })
}

/// Shows the phase, and how far it is.
fn show(progress: Arc<VerifyProgress>, is_quiet: bool, is_done: Arc<AtomicBool>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut line = ProgressLine::new(is_quiet);
        while !is_done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
            let read = progress.bytes.load(Ordering::Relaxed);
            line.set_total(progress.bytes_total.load(Ordering::Relaxed));
            let seconds = line.seconds();
            line.update(read, &pieces(&progress, seconds));
        }
        line.finish();
    })
}

/// The pieces of the progress line, the most important first.
fn pieces(progress: &VerifyProgress, seconds: f64) -> Vec<String> {
    let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
    let phase = progress.phase();
    let mut pieces = vec![phase.name().to_owned()];
    match phase {
        VerifyPhase::Manifest | VerifyPhase::Keys => {}
        VerifyPhase::Files => {
            let (read, total) = (load(&progress.bytes), load(&progress.bytes_total));
            pieces.extend([
                format!("{}/{}", HumanBytes(read), HumanBytes(total)),
                left(read, total, seconds),
                format!("{}/s", HumanBytes((read as f64 / seconds) as u64)),
            ]);
        }
        VerifyPhase::Parts => {
            let (done, all) = (load(&progress.parts), load(&progress.parts_total));
            pieces.push(format!("{}/{} parts", HumanCount(done), HumanCount(all)));
        }
    }
    pieces
}
