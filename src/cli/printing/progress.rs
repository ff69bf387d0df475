//! The progress display of a command.
//!
//! [`ProgressDisplay`] runs a thread that shows [`ProgressSource`] on a [`ProgressLine`] until
//! the command finishes. The thread also prints notices of a scan, such as faults and failed inputs, above
//! the line. Notices are printed even with `--quiet`.

use crate::calls::call_error::CallError;
use crate::calls::caller::Caller;
use crate::calls::exit::StoppedError;
use crate::commands::network;
use crate::commands::shared_args::OutputArgs;
use crate::printing::message::MessagePrefix;
use crate::printing::progress_line::ProgressLine;
use crate::printing::progress_source::ProgressSource;
use anyhow::Result;
use errors::Error;
use scan::ScanNotice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};

/// The number of faults that are printed. Further faults are only counted.
const MAX_PRINTED_FAULTS: u64 = 20;

/// The number of errors of failed inputs that are kept for the summary as JSON. Further errors are only printed.
const MAX_KEPT_ERRORS: usize = 100;

/// A progress display that runs in a thread of its own.
pub(crate) struct ProgressDisplay {
    is_done: Arc<AtomicBool>,
    thread: JoinHandle<Vec<CallError>>,
}

impl ProgressDisplay {
    /// Starts a display of the progress and of the notices of a scan. With `--quiet`, only notices are shown.
    pub(crate) fn start(
        progress_source: Arc<dyn ProgressSource>,
        notices: Option<Receiver<ScanNotice>>,
        print: &OutputArgs,
        caller: &Caller,
    ) -> Self {
        let is_done = Arc::new(AtomicBool::new(false));
        let mut display = DisplayThread {
            progress_source,
            notices: notices.map(NoticePrinter::new),
            line: ProgressLine::new(print.quiet, caller),
            is_done: Arc::clone(&is_done),
        };
        let thread = thread::spawn(move || {
            display.run();
            display.line.finish();
            display
                .notices
                .map_or(Vec::new(), |notices| notices.input_errors)
        });
        Self { is_done, thread }
    }

    /// Removes the display, after all notices have been printed. The sender of the
    /// notices must have been dropped. Returns the errors of the first failed inputs.
    pub(crate) fn finish(self) -> Vec<CallError> {
        self.is_done.store(true, Ordering::Relaxed);
        // A display that panicked does not change the result of the command.
        self.thread.join().unwrap_or_default()
    }
}

/// Runs the work of a command beside a display of its progress. `work` receives the flag that stops it once it is true.
///
/// # Errors
///
/// Those of `work`, as a [`StoppedError`] if the run had begun.
pub(crate) fn run_with_display<T>(
    progress_source: Arc<dyn ProgressSource>,
    print: &OutputArgs,
    caller: &Caller,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Error>,
) -> Result<T> {
    let stop = caller.stop_flag()?;
    let display = ProgressDisplay::start(progress_source, None, print, caller);
    let result = work(&stop);
    display.finish();
    result.map_err(StoppedError::wrap_if_begun)
}

/// The state of the thread of a display.
struct DisplayThread {
    progress_source: Arc<dyn ProgressSource>,
    notices: Option<NoticePrinter>,
    line: ProgressLine,
    is_done: Arc<AtomicBool>,
}

impl DisplayThread {
    fn run(&mut self) {
        while !self.is_done.load(Ordering::Relaxed) {
            if !self.wait_for_update() {
                return;
            }
            if let Some(total) = self.progress_source.total() {
                self.line.set_total(total);
            }
            let pieces = self.progress_source.pieces(self.line.seconds());
            self.line.update(self.progress_source.position(), &pieces);
        }
        if let Some(notices) = &mut self.notices {
            notices.print_rest(&self.line);
        }
    }

    /// Waits until the next update is due, and prints notices meanwhile. Returns false if all
    /// senders of notices have been dropped, which means that the scan has ended.
    fn wait_for_update(&mut self) -> bool {
        let interval = self.progress_source.update_interval();
        let Some(notices) = &mut self.notices else {
            thread::sleep(interval);
            return true;
        };
        loop {
            match notices.receiver.recv_timeout(interval) {
                Ok(notice) => notices.print(notice, &self.line),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

/// Prints the notices of a scan, and keeps the errors of failed inputs.
struct NoticePrinter {
    receiver: Receiver<ScanNotice>,
    /// The number of faults so far.
    fault_count: u64,
    /// The errors of the first failed inputs.
    input_errors: Vec<CallError>,
}

impl NoticePrinter {
    fn new(receiver: Receiver<ScanNotice>) -> Self {
        Self {
            receiver,
            fault_count: 0,
            input_errors: Vec::new(),
        }
    }

    fn print(&mut self, notice: ScanNotice, line: &ProgressLine) {
        if let Some((prefix, text)) = self.describe_notice(notice) {
            line.print(prefix, &text);
        }
    }

    /// Prints the notices that have been sent and not yet printed.
    fn print_rest(&mut self, line: &ProgressLine) {
        while let Ok(notice) = self.receiver.try_recv() {
            self.print(notice, line);
        }
    }

    /// Returns the text of a notice. The text of the first fault beyond
    /// [`MAX_PRINTED_FAULTS`] says that there are more. Further faults have no text.
    fn describe_notice(&mut self, notice: ScanNotice) -> Option<(MessagePrefix, String)> {
        let (name, fault) = match notice {
            ScanNotice::Fault { name, fault } => (name, fault),
            // No hint is printed, because the summary contains the advice for failed inputs.
            ScanNotice::Failed(error) => {
                let error = error.into();
                if self.input_errors.len() < MAX_KEPT_ERRORS {
                    self.input_errors
                        .push(CallError::from_command_error(&error));
                }
                return Some((MessagePrefix::Error, errors::with_causes(error.as_ref())));
            }
            ScanNotice::Remote(event) => {
                return Some((MessagePrefix::Warning, network::describe_event(&event)));
            }
        };
        self.fault_count += 1;
        let text = if self.fault_count <= MAX_PRINTED_FAULTS {
            format!(
                "'{name}' at {}: {} ({} bytes skipped)",
                fault.offset, fault.detail, fault.bytes_skipped
            )
        } else if self.fault_count == MAX_PRINTED_FAULTS + 1 {
            "further faults are only counted here; the table 'faults' lists all".to_owned()
        } else {
            return None;
        };
        Some((MessagePrefix::Warning, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn the_errors_of_failed_inputs_are_kept_up_to_a_limit() {
        let (_sender, receiver) = channel();
        let mut notices = NoticePrinter::new(receiver);
        for i in 0..MAX_KEPT_ERRORS + 2 {
            let error = Error::read(format!("{i}.warc"), std::io::Error::other("why"));
            let (_, text) = notices.describe_notice(ScanNotice::Failed(error)).unwrap();
            assert_eq!(text, format!("cannot read '{i}.warc': why"));
        }
        assert_eq!(notices.input_errors.len(), MAX_KEPT_ERRORS);
        assert_eq!(notices.input_errors[1].text, "cannot read '1.warc': why");
    }
}
