//! One line of progress on standard error, which a terminal shows in place.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};
use terminal_size::{Width, terminal_size_of};

/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(15);

/// Columns that the bar keeps, with the blank beside it.
const BAR_COLUMNS: usize = 11;

/// Columns of the spinner, with the blank beside it.
const SPINNER_COLUMNS: usize = 2;

/// The width where it is unknown.
const COLUMNS: usize = 80;

/// A line of progress: a bar if the total is known, otherwise a spinner; lines
/// now and then where standard error is not a terminal; nothing if it is quiet.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    is_terminal: bool,
    is_quiet: bool,
    began: Instant,
    last_line: Instant,
}

impl ProgressLine {
    pub(crate) fn new(is_quiet: bool) -> Self {
        let is_terminal = stderr().is_terminal();
        let bar = ProgressBar::no_length();
        bar.set_draw_target(match is_terminal && !is_quiet {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        });
        let began = Instant::now();
        let line = Self {
            bar,
            is_terminal,
            is_quiet,
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

    /// Makes the line a bar of this length.
    pub(crate) fn set_total(&self, total: u64) {
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
            self.set_template("{wide_bar} {msg}");
        }
    }

    /// Seconds since the line began, never 0.
    pub(crate) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64().max(0.001)
    }

    /// Shows how far the work is. The pieces come in order of importance: those
    /// at the end are left out where the terminal is too narrow.
    pub(crate) fn update(&mut self, position: u64, pieces: &[String]) {
        if self.is_quiet {
            return;
        }
        if self.is_terminal {
            let kept = match self.bar.length() {
                Some(_) => BAR_COLUMNS,
                None => SPINNER_COLUMNS,
            };
            let message = fitted(pieces, columns().saturating_sub(kept + 1));
            self.bar.set_position(position);
            self.bar.set_message(message);
            self.bar.tick();
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let seconds = self.began.elapsed().as_secs();
            // A closed standard error does not stop the work.
            let _ = writeln!(stderr(), "{seconds} s: {}", pieces.join(", "));
        }
    }

    /// Prints a message, above the line if there is one.
    pub(crate) fn print(&self, message: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(stderr(), "{message}");
        });
    }

    /// Removes the line.
    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the width of the terminal.
fn columns() -> usize {
    terminal_size_of(stderr()).map_or(COLUMNS, |(Width(columns), _)| usize::from(columns))
}

/// Joins as many pieces as fit; the first is cut if it does not fit alone. The
/// pieces are of characters that take one column.
fn fitted(pieces: &[String], columns: usize) -> String {
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
    fn pieces_that_do_not_fit_are_left_out_from_the_end() {
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
            assert_eq!(fitted(&pieces, columns), line, "{columns}");
        }
    }
}
