//! The numbers and texts that the progress display of a command shows.

use indicatif::{HumanBytes, HumanCount, HumanDuration};
use robots_scan::pipeline;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tools::{copy, history, join, url_match, verify};

/// The number and size of the inputs of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputTotals {
    pub(crate) count: u64,
    /// The size of all inputs in bytes; `None` if the size of any input is unknown.
    pub(crate) bytes: Option<u64>,
    /// True if no input is a stream, so that the number of archives shows how much is left.
    pub(crate) has_no_streams: bool,
}

/// The progress of a command, which the threads that do the work update.
pub(crate) enum ProgressSource {
    Scan {
        progress: Arc<pipeline::ScanProgress>,
        inputs: InputTotals,
    },
    Join(Arc<join::JoinProgress>),
    History {
        progress: Arc<history::HistoryProgress>,
        /// The number of crawls that are read from datasets.
        crawls: u64,
    },
    Match(Arc<url_match::MatchProgress>),
    Verify(Arc<verify::VerifyProgress>),
    Copy(Arc<copy::CopyProgress>),
}

impl ProgressSource {
    /// Returns the time between two updates of the display.
    pub(crate) fn update_interval(&self) -> Duration {
        Duration::from_millis(match self {
            Self::Scan { .. } | Self::Join(_) | Self::History { .. } | Self::Copy(_) => 100,
            Self::Match(_) => 50,
            Self::Verify(_) => 20,
        })
    }

    /// Returns the length of the progress bar, or `None` if it is unknown.
    pub(crate) fn total(&self) -> Option<u64> {
        match self {
            Self::Scan { inputs, .. } => {
                let count = inputs.has_no_streams.then_some(inputs.count);
                inputs.bytes.or(count)
            }
            Self::Join(_) | Self::History { .. } | Self::Match(_) => None,
            Self::Verify(progress) => Some(load(&progress.bytes_total)),
            Self::Copy(progress) => Some(load(&progress.bytes_total)),
        }
    }

    /// Returns the position of the progress bar.
    pub(crate) fn position(&self) -> u64 {
        match self {
            Self::Scan { progress, inputs } => match inputs.bytes {
                None if inputs.has_no_streams => load(&progress.inputs),
                _ => load(&progress.bytes),
            },
            Self::Join(progress) => load(&progress.resolved_rows),
            Self::History { progress, .. } => load(&progress.captures),
            Self::Match(progress) => progress.stage_and_rows().1,
            Self::Verify(progress) => load(&progress.bytes),
            Self::Copy(progress) => load(&progress.bytes),
        }
    }

    /// Returns the texts beside the progress bar, the most important first. `seconds`
    /// is the time since the command began.
    pub(crate) fn pieces(&self, seconds: f64) -> Vec<String> {
        match self {
            Self::Scan { progress, inputs } => scan_pieces(progress, *inputs, seconds),
            Self::Join(progress) => {
                vec![format_resolved_rows(load(&progress.resolved_rows))]
            }
            Self::History { progress, crawls } => history_pieces(progress, *crawls),
            Self::Match(progress) => {
                let (stage, rows) = progress.stage_and_rows();
                vec![format!("{} {}", HumanCount(rows), stage.name())]
            }
            Self::Verify(progress) => verify_pieces(progress, seconds),
            Self::Copy(progress) => {
                let (copied, total) = (load(&progress.bytes), load(&progress.bytes_total));
                vec![
                    format_bytes_done(copied, total),
                    format_time_left(copied, total, seconds),
                    format_byte_rate(copied, seconds),
                ]
            }
        }
    }
}

fn scan_pieces(
    progress: &pipeline::ScanProgress,
    inputs: InputTotals,
    seconds: f64,
) -> Vec<String> {
    if progress.phase() == pipeline::ScanPhase::Hosts {
        return vec![format_resolved_rows(load(&progress.resolved_rows))];
    }
    let read = load(&progress.bytes);
    let records = load(&progress.records);
    let mut pieces = match inputs.bytes {
        None if inputs.has_no_streams => {
            let done = load(&progress.inputs);
            vec![
                format_time_left(done, inputs.count, seconds),
                format!("{} read", HumanBytes(read)),
            ]
        }
        None => vec![format!("{} read", HumanBytes(read))],
        Some(total) => vec![
            format_bytes_done(read, total),
            format_time_left(read, total, seconds),
        ],
    };
    pieces.extend([
        format!(
            "{}/{} archives",
            HumanCount(load(&progress.inputs)),
            HumanCount(inputs.count)
        ),
        format_byte_rate(read, seconds),
        format!(
            "{} records/s",
            HumanCount((records as f64 / seconds) as u64)
        ),
    ]);
    pieces
}

fn history_pieces(progress: &history::HistoryProgress, crawls: u64) -> Vec<String> {
    let read = load(&progress.crawls_read);
    match read < crawls {
        true => vec![format!(
            "{}/{} crawls read",
            HumanCount(read),
            HumanCount(crawls)
        )],
        false if progress.are_captures_written.load(Ordering::Relaxed) => {
            vec!["writing policies and shares".to_owned()]
        }
        false => vec![format!(
            "{} captures merged",
            HumanCount(load(&progress.captures))
        )],
    }
}

fn format_resolved_rows(rows: u64) -> String {
    format!("resolving hosts, {} captures read", HumanCount(rows))
}

fn verify_pieces(progress: &verify::VerifyProgress, seconds: f64) -> Vec<String> {
    use verify::VerifyPhase;
    let phase = progress.phase();
    let mut pieces = vec![phase.name().to_owned()];
    match phase {
        VerifyPhase::Manifest | VerifyPhase::Keys => {}
        VerifyPhase::Files => {
            let (read, total) = (load(&progress.bytes), load(&progress.bytes_total));
            pieces.extend([
                format_bytes_done(read, total),
                format_time_left(read, total, seconds),
                format_byte_rate(read, seconds),
            ]);
        }
        VerifyPhase::Parts => {
            let (done, all) = (load(&progress.parts), load(&progress.parts_total));
            pieces.push(format!("{}/{} parts", HumanCount(done), HumanCount(all)));
        }
    }
    pieces
}

fn load(number: &AtomicU64) -> u64 {
    number.load(Ordering::Relaxed)
}

fn format_bytes_done(read: u64, total: u64) -> String {
    format!("{}/{}", HumanBytes(read), HumanBytes(total))
}

fn format_byte_rate(read: u64, seconds: f64) -> String {
    format!("{}/s", HumanBytes((read as f64 / seconds) as u64))
}

/// Returns the remaining time at the average speed so far.
fn format_time_left(done: u64, total: u64, seconds: f64) -> String {
    match done {
        0 => "? left".to_owned(),
        _ => {
            let rest = total.saturating_sub(done) as f64;
            let left = Duration::from_secs_f64((seconds * rest / done as f64).min(1e9));
            format!("{:#} left", HumanDuration(left))
        }
    }
}
