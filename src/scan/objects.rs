//! The remote inputs of a run: which objects are requested, and which are kept.
//!
//! Objects are requested in the order of the inputs, ahead of the workers, up to limits on requests
//! and on bytes that are kept. An object is kept until its input has been read to the end.
//!
//! The first object of a run is requested alone. Its answer shows whether access is allowed, and
//! how large objects are.

use super::tasks::{FetchResult, TaskPool, TaskResult};
use disk::ObjectIdentity;
use remote::{FetchError, FetchErrorKind, FetchedFile, Remote, RemoteUrl};
use sources::input::Input;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use warc::ArchiveFile;

/// The result of fetching an object again that seemed to be truncated.
pub(super) enum RefetchOutcome {
    /// Both objects are the same: the archive is damaged at its source.
    Same,
    /// The first object was truncated in transit. The value is the object that was fetched again, which has the
    /// captures after the truncation.
    Longer(ArchiveFile),
}

/// The objects of the remote inputs of a run: queued, requested, or kept until they were read.
pub(super) struct RemoteObjects {
    client: Option<Arc<Remote>>,
    tasks: Arc<TaskPool>,
    /// Remote inputs whose objects are not requested yet, in order.
    planned: VecDeque<usize>,
    /// The number of requests without an answer.
    unanswered_requests: usize,
    /// Objects that were fetched, and whose inputs are not read to the end.
    kept_files: HashMap<usize, FetchedFile>,
    /// The bytes of kept objects that are in memory.
    kept_bytes: u64,
    /// The number of kept objects that are in files.
    kept_on_disk: usize,
    /// The size of the largest object so far that was kept in memory; `None` before the first one.
    largest_bytes: Option<u64>,
}

impl RemoteObjects {
    /// Creates an empty queue of objects, which `client` fetches. Fetched objects are sent to the receiver of
    /// the results of `tasks`.
    pub(super) fn new(client: Option<Arc<Remote>>, tasks: Arc<TaskPool>) -> Self {
        Self {
            client,
            tasks,
            planned: VecDeque::new(),
            unanswered_requests: 0,
            kept_files: HashMap::new(),
            kept_bytes: 0,
            kept_on_disk: 0,
            largest_bytes: None,
        }
    }

    /// Queues the request of the object of the input `index`, if the input is remote.
    pub(super) fn add_if_remote(&mut self, index: usize, input: &Input) {
        if input.place().url().is_some() {
            self.planned.push_back(index);
        }
    }

    /// Requests objects up to the limits.
    pub(super) fn request_ahead(&mut self, inputs: &[Input]) {
        let Some(client) = self.client.clone() else {
            return;
        };
        while let Some(&index) = self.planned.front()
            && let Some(url) = inputs[index].place().url()
        {
            let max_requests = match self.largest_bytes {
                None => 1,
                Some(_) => client.options().max_connections(url.scheme()),
            };
            let expected = self.largest_bytes.unwrap_or(0) * (self.unanswered_requests as u64 + 1);
            let has_room = self.kept_bytes + expected <= client.options().read_ahead_bytes;
            // Objects that are too large for memory are kept on disk. Their number is limited like that
            // of requests at a time.
            let has_room = has_room && self.kept_on_disk + self.unanswered_requests <= max_requests;
            let is_first = self.unanswered_requests == 0 && self.kept_files.is_empty();
            if self.unanswered_requests >= max_requests || !(has_room || is_first) {
                return;
            }
            self.planned.pop_front();
            self.request(index, url, inputs[index].requested_ranges());
        }
    }

    /// Requests the object of an input, or ranges of it, also if it was fetched before.
    pub(super) fn request(
        &mut self,
        input: usize,
        url: &RemoteUrl,
        ranges: Option<Vec<Range<u64>>>,
    ) {
        let Some(client) = &self.client else {
            return;
        };
        self.unanswered_requests += 1;
        let sender = self.tasks.sender();
        let deliver = move |result| {
            // The receiver is gone if the run has failed.
            let _ = sender.send(TaskResult::ObjectFetched(FetchResult { input, result }));
        };
        match ranges {
            Some(ranges) => client.request_ranges(url.clone(), ranges, deliver),
            None => client.request(url.clone(), deliver),
        }
    }

    /// Counts the answer to a request, and returns the object that was fetched.
    pub(super) fn take_result(&mut self, answer: FetchResult) -> Result<FetchedFile, FetchError> {
        self.unanswered_requests -= 1;
        let fetched = answer.result?;
        let bytes = bytes_in_memory(&fetched.file);
        self.largest_bytes = Some(self.largest_bytes.unwrap_or(0).max(bytes));
        Ok(fetched)
    }

    /// Keeps an object until [`release`](Self::release).
    pub(super) fn keep(&mut self, input: usize, fetched: FetchedFile) {
        self.release(input);
        self.kept_bytes += bytes_in_memory(&fetched.file);
        self.kept_on_disk += usize::from(is_on_disk(&fetched.file));
        self.kept_files.insert(input, fetched);
    }

    /// Compares the kept object of an input, which seemed to be truncated at `offset`, with the one that was
    /// fetched again.
    ///
    /// If both are equal, the archive is damaged at its source. If their lengths differ, but not their bytes before
    /// `offset`, the kept object was truncated in transit: it is replaced, provided that reading can continue at
    /// `offset` (`can_continue`). Anything else is an error.
    pub(super) fn replace_truncated(
        &mut self,
        input: usize,
        fetched: Result<FetchedFile, FetchErrorKind>,
        offset: u64,
        can_continue: bool,
    ) -> io::Result<RefetchOutcome> {
        let fetched = fetched.map_err(|error| io::Error::other(error.to_string()))?;
        let former = &self
            .kept_files
            .get(&input)
            .expect("the slice read an object")
            .file;
        let is_as_long = fetched.file.length() == former.length();
        let compared_bytes = if is_as_long { former.length() } else { offset };
        let is_equal = is_prefix_equal(former, &fetched.file, compared_bytes)?;
        match (is_equal, is_as_long) {
            (true, true) => Ok(RefetchOutcome::Same),
            (true, false) if can_continue => {
                let file = fetched.file.clone();
                self.keep(input, fetched);
                Ok(RefetchOutcome::Longer(file))
            }
            _ => Err(io::Error::other(
                "it was not received whole, or has changed since",
            )),
        }
    }

    /// Drops the object of an input that was read to its end, and returns its identity.
    pub(super) fn release(&mut self, input: usize) -> Option<ObjectIdentity> {
        let fetched = self.kept_files.remove(&input)?;
        self.kept_bytes -= bytes_in_memory(&fetched.file);
        self.kept_on_disk -= usize::from(is_on_disk(&fetched.file));
        Some(fetched.identity)
    }
}

fn is_on_disk(file: &ArchiveFile) -> bool {
    file.stored_bytes().on_disk > 0
}

fn bytes_in_memory(file: &ArchiveFile) -> u64 {
    file.stored_bytes().in_memory
}

/// Returns true if the first `count` bytes of two objects are equal.
fn is_prefix_equal(a: &ArchiveFile, b: &ArchiveFile, count: u64) -> io::Result<bool> {
    const PIECE_BYTES: u64 = 1 << 20;
    let mut buffers = [Vec::new(), Vec::new()];
    let mut offset = 0;
    while offset < count {
        let piece = (count - offset).min(PIECE_BYTES);
        for (file, buffer) in [a, b].into_iter().zip(&mut buffers) {
            buffer.resize(piece as usize, 0);
            let mut read = 0;
            while read < buffer.len() {
                match file.read_at(offset + read as u64, &mut buffer[read..])? {
                    0 => return Ok(false),
                    more => read += more,
                }
            }
        }
        if buffers[0] != buffers[1] {
            return Ok(false);
        }
        offset += piece;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_compared_up_to_a_number_of_bytes() {
        let file = |bytes: &[u8]| ArchiveFile::from_bytes(bytes.to_vec());
        let is_equal =
            |a: &[u8], b: &[u8], count| is_prefix_equal(&file(a), &file(b), count).unwrap();
        assert!(is_equal(b"abc", b"abd", 2) && is_equal(b"", b"x", 0));
        assert!(!is_equal(b"abc", b"abd", 3) && !is_equal(b"ab", b"abc", 3));
        let mut long = vec![7; 3 << 20];
        let other = long.clone();
        long[(2 << 20) + 1] = 8;
        assert!(is_equal(&long, &other, 2 << 20) && !is_equal(&long, &other, (2 << 20) + 2));
    }
}
