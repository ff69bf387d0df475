//! The numbers and texts that the progress display of a command shows.

use indicatif::{HumanBytes, HumanCount, HumanDuration};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The progress of a command, which the threads that do the work update.
pub(crate) trait ProgressSource: Send + Sync {
    /// Returns the time between two updates of the display.
    fn update_interval(&self) -> Duration {
        Duration::from_millis(100)
    }

    /// Returns the position at the end of the progress bar, such as the number of all bytes; `None` if it is unknown.
    fn total(&self) -> Option<u64> {
        None
    }

    /// Returns the position of the progress bar, in the unit of the total.
    fn position(&self) -> u64;

    /// Returns the texts beside the progress bar, the most important first. `seconds`
    /// is the time since the command began.
    fn pieces(&self, seconds: f64) -> Vec<String>;
}

/// Returns the text about resolving hosts. `rows` is the number of captures that have been read for this.
pub(crate) fn format_resolved_rows(rows: u64) -> String {
    format!("resolving hosts, {} captures read", HumanCount(rows))
}

pub(crate) fn read_counter(number: &AtomicU64) -> u64 {
    number.load(Ordering::Relaxed)
}

pub(crate) fn format_bytes_done(read: u64, total: u64) -> String {
    format!("{}/{}", HumanBytes(read), HumanBytes(total))
}

pub(crate) fn format_byte_rate(read: u64, seconds: f64) -> String {
    format!("{}/s", HumanBytes((read as f64 / seconds) as u64))
}

/// Returns the remaining time at the average speed so far.
pub(crate) fn format_time_left(done: u64, total: u64, seconds: f64) -> String {
    match done {
        0 => "? left".to_owned(),
        _ => {
            let rest = total.saturating_sub(done) as f64;
            let left = Duration::from_secs_f64((seconds * rest / done as f64).min(1e9));
            format!("{:#} left", HumanDuration(left))
        }
    }
}
