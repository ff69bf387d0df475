//! The progress of a scan, and the faults that are met on the way.

use crate::message::{Prefix, with_causes};
use crate::progress_line::ProgressLine;
use indicatif::{HumanBytes, HumanCount, HumanDuration};
use robots_scan::pipeline::{ScanNotice, ScanProgress};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Faults that are printed one by one; the others are only counted.
const FAULTS_TOLD: u64 = 20;

/// The inputs of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs {
    pub(crate) count: u64,
    /// Bytes of all inputs; `None` if the size of one is unknown.
    pub(crate) bytes: Option<u64>,
}

/// Shows a run's progress until its notices end. Faults and failed inputs are
/// printed even if it is quiet.
pub(crate) fn show(
    progress: Arc<ScanProgress>,
    notices: Receiver<ScanNotice>,
    inputs: Inputs,
    is_quiet: bool,
    is_done: Arc<AtomicBool>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut line = ProgressLine::new(is_quiet);
        if let Some(bytes) = inputs.bytes {
            line.set_total(bytes);
        }
        let mut faults = 0u64;
        loop {
            match notices.recv_timeout(Duration::from_millis(100)) {
                Ok(notice) => {
                    if let Some(message) = message(notice, &mut faults) {
                        line.print(&message);
                    }
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let read = progress.bytes.load(Ordering::Relaxed);
            line.update(read, &pieces(&progress, inputs, line.seconds()));
            if is_done.load(Ordering::Relaxed) {
                break;
            }
        }
        line.finish();
    })
}

/// Returns the message for a notice. After [`FAULTS_TOLD`] faults it says once
/// that there are more.
fn message(notice: ScanNotice, faults: &mut u64) -> Option<String> {
    let (name, fault) = match notice {
        ScanNotice::Fault { name, fault } => (name, fault),
        // The summary says what to do about it.
        ScanNotice::Failed(error) => return Some(Prefix::Error.line(&with_causes(&error.into()))),
    };
    *faults += 1;
    let text = if *faults <= FAULTS_TOLD {
        format!(
            "'{name}' at {}: {} ({} bytes skipped)",
            fault.offset, fault.detail, fault.bytes_skipped
        )
    } else if *faults == FAULTS_TOLD + 1 {
        "more faults are only counted here; the table 'faults' lists all".to_owned()
    } else {
        return None;
    };
    Some(Prefix::Warning.line(&text))
}

/// The state of a run, most important first.
fn pieces(progress: &ScanProgress, inputs: Inputs, seconds: f64) -> Vec<String> {
    let read = progress.bytes.load(Ordering::Relaxed);
    let records = progress.records.load(Ordering::Relaxed);
    let archives = format!(
        "{}/{} archives",
        HumanCount(progress.inputs.load(Ordering::Relaxed)),
        HumanCount(inputs.count)
    );
    let rates = [
        format!("{}/s", HumanBytes((read as f64 / seconds) as u64)),
        format!(
            "{} records/s",
            HumanCount((records as f64 / seconds) as u64)
        ),
    ];
    let done = match inputs.bytes {
        None => vec![format!("{} read", HumanBytes(read))],
        Some(total) => vec![
            format!("{}/{}", HumanBytes(read), HumanBytes(total)),
            left(read, total, seconds),
        ],
    };
    done.into_iter().chain([archives]).chain(rates).collect()
}

/// Returns the time that is left if the rest takes as long as what is done.
pub(crate) fn left(done: u64, total: u64, seconds: f64) -> String {
    match done {
        0 => "? left".to_owned(),
        _ => {
            let rest = total.saturating_sub(done) as f64;
            let left = Duration::from_secs_f64((seconds * rest / done as f64).min(1e9));
            format!("{:#} left", HumanDuration(left))
        }
    }
}
