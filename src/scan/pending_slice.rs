//! A slice in the queue of the scheduler.

use super::slice_output::{SliceOutput, SliceState};
use super::worker::Worker;
use sources::input::Input;
use sources::reader::{FetchedObject, TruncationPoint};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use warc::{ArchiveFile, Compression};

/// A slice that is planned, or that was given to a worker and is not completely written.
pub(super) struct PendingSlice {
    /// The index of the part.
    pub(super) part: usize,
    /// The index of the input.
    pub(super) input: usize,
    /// The object of the input; `None` before it was fetched, and if the input is not remote.
    pub(super) fetched: Option<FetchedObject>,
    /// The size of the input; `None` if it is unknown.
    pub(super) bytes: Option<u64>,
    pub(super) is_last_of_input: bool,
    pub(super) is_last_of_part: bool,
    /// The byte range; `None` for the whole input.
    pub(super) range: Option<Range<u64>>,
    /// The compression of the input, set once a slice of it was opened.
    pub(super) compression: Arc<OnceLock<Compression>>,
    /// The number of times that the slice was read again. Output of earlier attempts is dropped.
    pub(super) attempt: u32,
    /// Output that waits until that of the earlier slices is written.
    pub(super) outputs: VecDeque<Box<SliceOutput>>,
    pub(super) worker: SliceWorker,
    /// True if the object was fetched again.
    pub(super) is_refetched: bool,
    /// True if output of the slice was written.
    pub(super) has_written_output: bool,
}

/// The worker of a slice, if it is paused.
pub(super) enum SliceWorker {
    /// The worker is reading, or the slice has no worker.
    Away,
    /// The worker returned in the middle of the slice.
    Paused(Box<Worker>),
    /// The worker returned at a large body.
    AtLargeBody(Box<Worker>),
    /// The worker returned where an object seems to be truncated, and waits until the object has been
    /// fetched again.
    AtTruncation {
        worker: Box<Worker>,
        point: TruncationPoint,
    },
}

/// The result of comparing the start of a slice with the end of the slice before it.
pub(super) enum BoundaryCheck {
    /// Both are the same offset: the output is valid.
    Match,
    /// The offsets differ: the slice must be read again from the boundary.
    Mismatch,
    /// The slice before ended beyond the end of this one, in which therefore no member begins.
    Skipped,
}

impl PendingSlice {
    /// Returns true if the slice can be read: the object of a remote input was fetched, or failed.
    pub(super) fn is_ready(&self, inputs: &[Input]) -> bool {
        self.fetched.is_some() || inputs[self.input].place().url().is_none()
    }

    /// Compares the start of the slice, as stated by its first output, with the boundary: the
    /// offset at which the next member begins according to the slice before it.
    pub(super) fn check_boundary(
        &self,
        first_output: &SliceOutput,
        boundary: u64,
    ) -> BoundaryCheck {
        let Some(range) = self.range.as_ref().filter(|range| range.start > 0) else {
            // The first slice of an input, or the whole input.
            return BoundaryCheck::Match;
        };
        if boundary >= range.end {
            return BoundaryCheck::Skipped;
        }
        if first_output.first_member == Some(boundary)
            || matches!(first_output.state, SliceState::Failed(_))
        {
            BoundaryCheck::Match
        } else {
            BoundaryCheck::Mismatch
        }
    }

    /// Makes the slice read an object from an offset to its end.
    pub(super) fn continue_from(&mut self, object: ArchiveFile, offset: u64) {
        self.bytes = Some(object.length());
        self.fetched = Some(FetchedObject::Object(object));
        self.range = Some(offset..u64::MAX);
    }

    /// Drops all output of the current attempt. Returns the bytes of that output and the worker
    /// that was paused.
    pub(super) fn discard_attempt(&mut self) -> (u64, Option<Box<Worker>>) {
        self.attempt += 1;
        let dropped_bytes = self.outputs.drain(..).map(|output| output.bytes).sum();
        let worker = match self.worker.take() {
            SliceWorker::Away => None,
            SliceWorker::Paused(worker)
            | SliceWorker::AtLargeBody(worker)
            | SliceWorker::AtTruncation { worker, .. } => Some(worker),
        };
        (dropped_bytes, worker)
    }
}

impl SliceWorker {
    /// Takes the worker, and leaves [`Away`](Self::Away).
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Away)
    }

    /// Takes the worker if it can be continued. A worker at a large body is only taken if its output is
    /// next to be written (`is_awaited`).
    pub(super) fn take_ready_worker(&mut self, is_awaited: bool) -> Option<Box<Worker>> {
        match self.take() {
            Self::Paused(worker) => Some(worker),
            Self::AtLargeBody(worker) if is_awaited => Some(worker),
            worker => {
                *self = worker;
                None
            }
        }
    }
}
