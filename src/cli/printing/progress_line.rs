//! A progress line on standard error, which is updated in place on a terminal.

use crate::calls::call_monitor::{CallMonitor, ProgressState};
use crate::calls::caller::Caller;
use crate::printing::message::MessagePrefix;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use terminal_size::{Width, terminal_size_of};

/// The time between two lines if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(15);

/// The least width that the message leaves free for the bar and the space beside it.
const BAR_COLUMNS: usize = 11;

/// The width of the spinner and the space beside it.
const SPINNER_COLUMNS: usize = 2;

/// The width that is assumed for a terminal of unknown width.
const ASSUMED_TERMINAL_COLUMNS: usize = 80;

/// A progress line: a bar if the total is known, otherwise a spinner. If standard error
/// is not a terminal, a line is written every 15 seconds. With `--quiet`, nothing is
/// written. If the caller is another program, its monitor is updated instead.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    is_terminal: bool,
    is_quiet: bool,
    monitor: Option<Arc<CallMonitor>>,
    began: Instant,
    last_line: Instant,
}

impl ProgressLine {
    pub(crate) fn new(is_quiet: bool, caller: &Caller) -> Self {
        let monitor = match caller {
            Caller::Terminal => None,
            Caller::Program(monitor) => Some(Arc::clone(monitor)),
        };
        let is_terminal = stderr().is_terminal() && monitor.is_none();
        let bar = ProgressBar::no_length();
        bar.set_draw_target(if is_terminal && !is_quiet {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        let began = Instant::now();
        let line = Self {
            bar,
            is_terminal,
            is_quiet,
            monitor,
            began,
            last_line: began,
        };
        line.set_template("{spinner} {msg}");
        line
    }

    fn set_template(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }

    /// Shows a bar instead of the spinner. `total` is the position at its end.
    pub(crate) fn set_total(&self, total: u64) {
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
            self.set_template("{wide_bar} {msg}");
        }
    }

    /// Returns the seconds since the line began; never 0.
    pub(crate) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64().max(0.001)
    }

    /// Shows the position and the pieces. The most important piece comes first; those at
    /// the end are omitted if the terminal is too narrow.
    pub(crate) fn update(&mut self, position: u64, pieces: &[String]) {
        if let Some(monitor) = &self.monitor {
            let total = self.bar.length().filter(|total| *total > 0);
            monitor.set_progress(ProgressState {
                done_share: total.map(|total| (position as f64 / total as f64).min(1.0)),
                pieces: pieces.to_vec(),
            });
            return;
        }
        if self.is_quiet {
            return;
        }
        if self.is_terminal {
            let used = match self.bar.length() {
                Some(_) => BAR_COLUMNS,
                None => SPINNER_COLUMNS,
            };
            let message = join_fitting_pieces(pieces, terminal_columns().saturating_sub(used + 1));
            self.bar.set_position(position);
            self.bar.set_message(message);
            self.bar.tick();
        } else if self.last_line.elapsed() >= LINE_INTERVAL {
            self.last_line = Instant::now();
            let seconds = self.began.elapsed().as_secs();
            // A closed standard error does not stop the command.
            let _ = writeln!(stderr(), "{seconds} s: {}", pieces.join(", "));
        }
    }

    /// Prints a message above the line.
    pub(crate) fn print(&self, prefix: MessagePrefix, text: &str) {
        match &self.monitor {
            Some(monitor) => monitor.push(prefix.into(), text),
            None => self.bar.suspend(|| {
                let _ = writeln!(stderr(), "{}", prefix.format_line(text));
            }),
        }
    }

    /// Removes the line.
    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the width of the terminal, or the assumed one if it is unknown.
fn terminal_columns() -> usize {
    terminal_size_of(stderr()).map_or(ASSUMED_TERMINAL_COLUMNS, |(Width(columns), _)| {
        usize::from(columns)
    })
}

/// Joins as many of the first pieces as fit into a width. The first piece is cut if it does not fit. Each character of
/// a piece must be one column wide.
fn join_fitting_pieces(pieces: &[String], columns: usize) -> String {
    let mut out = String::new();
    for piece in pieces {
        if out.is_empty() {
            out = piece.chars().take(columns).collect();
        } else if out.chars().count() + 2 + piece.chars().count() <= columns {
            out.push_str("  ");
            out.push_str(piece);
        } else {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_pieces_are_omitted_if_they_do_not_fit() {
        let pieces = ["12.5 MiB/20 MiB", "9s left", "3/9 archives"].map(str::to_owned);
        for (columns, line) in [
            (80, "12.5 MiB/20 MiB  9s left  3/9 archives"),
            (38, "12.5 MiB/20 MiB  9s left  3/9 archives"),
            (37, "12.5 MiB/20 MiB  9s left"),
            (24, "12.5 MiB/20 MiB  9s left"),
            (23, "12.5 MiB/20 MiB"),
            (4, "12.5"),
            (0, ""),
        ] {
            assert_eq!(join_fitting_pieces(&pieces, columns), line, "{columns}");
        }
    }
}
