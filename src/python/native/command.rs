//! The commands of the command line as functions of Python.

use crate::error;
use pyo3::prelude::*;
use robots_scan_cli::{CallError, CallMonitor, MessageLevel};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The time between two updates of the progress.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Runs the command line. `args` begins with the name of the program. Returns the exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| robots_scan_cli::run(&args))
}

/// Runs a command that writes or verifies files, and returns its summary as JSON.
///
/// `update` is called ten times per second, and at the end, with the share that is done, texts about
/// the progress, and new messages with their level. Ctrl-C, and an exception of `update`, stop the command.
#[pyfunction]
pub(crate) fn call(
    py: Python<'_>,
    args: Vec<OsString>,
    update: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let monitor = Arc::new(CallMonitor::default());
    let (sender, results) = channel();
    let thread_monitor = Arc::clone(&monitor);
    thread::spawn(move || {
        // The receiver exists until it has received the result.
        let _ = sender.send(robots_scan_cli::call(&args, &thread_monitor));
    });
    let update_progress = || report_update(&monitor, update);
    let result = wait_for(py, results, update_progress, || monitor.stop())?;
    report_update(&monitor, update)?;
    result.map_err(|error| error::command_error(&error))
}

/// Checks the values of a dataset or a history before a program without limits reads it. Returns the bytes of its files.
/// Ctrl-C stops it.
#[pyfunction]
pub(crate) fn check_values(py: Python<'_>, dataset: PathBuf) -> PyResult<u64> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, results) = channel();
    let thread_stop = Arc::clone(&stop);
    thread::spawn(move || {
        // The receiver exists until it has received the result.
        let _ = sender.send(history::check_values(&dataset, &thread_stop));
    });
    let set_stop = || stop.store(true, Ordering::Relaxed);
    let result = wait_for(py, results, || Ok(()), set_stop)?;
    result.map_err(|error| error::command_error(&CallError::from_library_error(error)))
}

/// Returns the text of `views.sql` of a dataset as this version writes it. The file of the dataset,
/// which may be of somebody else, is not read.
#[pyfunction]
pub(crate) fn views_sql(py: Python<'_>, dataset: PathBuf) -> PyResult<String> {
    let text = py.detach(|| history::views_text(&dataset));
    text.map_err(|error| error::command_error(&CallError::from_library_error(error)))
}

/// Waits for the result of another thread, and calls `update` ten times per second. After Ctrl-C or an error of `update`,
/// calls `stop`, and waits until the thread has ended.
fn wait_for<T: Send>(
    py: Python<'_>,
    results: Receiver<T>,
    update: impl Fn() -> PyResult<()>,
    stop: impl Fn(),
) -> PyResult<T> {
    // Only one thread at a time may use a receiver. The mutex ensures this without the lock of the interpreter.
    let results = Mutex::new(results);
    loop {
        match py.detach(|| lock(&results).recv_timeout(UPDATE_INTERVAL)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(panic_error()),
        }
        if let Err(error) = py.check_signals().and_then(|()| update()) {
            stop();
            let _ = py.detach(|| lock(&results).recv());
            return Err(error);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes the progress and the new messages to `update`.
fn report_update(monitor: &CallMonitor, update: &Bound<'_, PyAny>) -> PyResult<()> {
    let progress = monitor.progress();
    let messages = monitor.take_messages().into_iter();
    let messages = messages.map(|message| (level_name(message.level), message.text));
    let messages: Vec<(&str, String)> = messages.collect();
    update.call1((progress.done_share, progress.pieces, messages))?;
    Ok(())
}

fn level_name(level: MessageLevel) -> &'static str {
    match level {
        MessageLevel::Error => "error",
        MessageLevel::Warning => "warning",
        MessageLevel::Hint => "hint",
    }
}

fn panic_error() -> PyErr {
    error::command_error(&CallError {
        kind: "panic".to_owned(),
        text: "the command ended by an internal error".to_owned(),
        path: None,
        hint: None,
        has_begun: true,
        is_interrupted: false,
    })
}
