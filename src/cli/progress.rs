//! Progress on standard error: a bar on a terminal, plain lines elsewhere.

use crate::message::{Prefix, with_causes};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use scan::run::{Notice, Progress};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a plain line is written.
const LINE_EVERY: Duration = Duration::from_secs(15);

/// Faults that are told one by one; the rest is only counted.
const FAULTS_TOLD: u64 = 20;

/// Shows a run's progress until its notices end.
pub(crate) fn show(
    progress: Arc<Progress>,
    notices: Receiver<Notice>,
    inputs: u64,
    bytes: Option<u64>,
    is_done: Arc<AtomicBool>,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let is_terminal = std::io::stderr().is_terminal();
        let bar = match bytes {
            Some(bytes) => ProgressBar::new(bytes),
            None => ProgressBar::no_length(),
        };
        bar.set_draw_target(if is_terminal {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        let template = if bytes.is_some() {
            "{bar:30} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {msg}  {eta} left"
        } else {
            "{spinner} {bytes}  {binary_bytes_per_sec}  {msg}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let tell = |line: String| {
            if is_terminal {
                bar.println(line);
            } else {
                // What nobody reads stops nothing.
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        };
        let began = Instant::now();
        let mut last_line = began;
        let mut faults = 0u64;
        loop {
            match notices.recv_timeout(Duration::from_millis(100)) {
                Ok(Notice::Fault { name, fault }) => {
                    faults += 1;
                    if faults <= FAULTS_TOLD {
                        let skipped = fault.bytes_skipped;
                        tell(Prefix::Warning.line(&format!(
                            "'{name}' at {}: {} ({skipped} bytes skipped)",
                            fault.offset, fault.detail
                        )));
                    } else if faults == FAULTS_TOLD + 1 {
                        tell(Prefix::Warning.line(
                            "more faults are only counted here; the table 'faults' lists all",
                        ));
                    }
                    continue;
                }
                Ok(Notice::Failed(error)) => {
                    // The summary says what to do about it.
                    tell(Prefix::Error.line(&with_causes(&error.into())));
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let (done, records) = (
                progress.inputs.load(Ordering::Relaxed),
                progress.records.load(Ordering::Relaxed),
            );
            let seconds = began.elapsed().as_secs_f64();
            let rate = (records as f64 / seconds.max(0.001)) as u64;
            let message = format!(
                "{}/{} archives  {} records/s",
                HumanCount(done),
                HumanCount(inputs),
                HumanCount(rate)
            );
            let read = progress.bytes.load(Ordering::Relaxed);
            if is_terminal {
                bar.set_position(read);
                bar.set_message(message);
            } else if last_line.elapsed() >= LINE_EVERY {
                last_line = Instant::now();
                tell(format!(
                    "{seconds:.0} s: {} read, {message}",
                    HumanBytes(read)
                ));
            }
            if is_done.load(Ordering::Relaxed) {
                break;
            }
        }
        bar.finish_and_clear();
    })
}
