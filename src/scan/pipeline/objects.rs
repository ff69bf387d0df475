//! The remote inputs of a run: which objects are requested, and which are kept.
//!
//! Objects are requested in the order of the inputs, ahead of the workers, up to limits on requests
//! and on bytes that are kept. An object is kept until its input has been read to the end.
//!
//! The first object of a run is requested alone. Its answer shows whether access is allowed, and
//! how large objects are.

use super::tasks::{FetchedObject, TaskPool, TaskResult};
use crate::input::{Input, InputSource};
use remote::{
    FetchError, FetchErrorKind, FetchedFile, MAX_OBJECT_IN_MEMORY_BYTES, ObjectIdentity, Remote,
    RemoteUrl,
};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use warc::ArchiveFile;

/// The result of fetching an object again that seemed to be truncated.
pub(super) enum Replaced {
    Same,
    /// It was cut on its way. This is the whole object.
    Longer(ArchiveFile),
}

/// The objects of the remote inputs.
pub(super) struct Objects {
    client: Option<Arc<Remote>>,
    tasks: Arc<TaskPool>,
    /// Remote inputs whose objects are not requested yet, in order.
    planned: VecDeque<usize>,
    /// The number of requests without an answer.
    requested: usize,
    /// Objects that were fetched, and whose inputs are not read to the end.
    kept: HashMap<usize, FetchedFile>,
    /// Bytes of these objects in memory.
    kept_bytes: u64,
    /// The number of these objects that are in files.
    on_disk: usize,
    /// The size of the largest object so far, of those in memory.
    largest: Option<u64>,
}

impl Objects {
    /// Creates the objects of the remote inputs among `planned`, which are indexes of inputs.
    pub(super) fn new(client: Option<Arc<Remote>>, tasks: Arc<TaskPool>) -> Self {
        Self {
            client,
            tasks,
            planned: VecDeque::new(),
            requested: 0,
            kept: HashMap::new(),
            kept_bytes: 0,
            on_disk: 0,
            largest: None,
        }
    }

    /// Adds the input `index`, if it is remote. Its object will be requested.
    pub(super) fn plan(&mut self, index: usize, input: &Input) {
        if matches!(input.source, InputSource::Remote(_)) {
            self.planned.push_back(index);
        }
    }

    /// Requests objects up to the limits.
    pub(super) fn request_ahead(&mut self, inputs: &[Input]) {
        let Some(client) = self.client.clone() else {
            return;
        };
        while let Some(&index) = self.planned.front()
            && let InputSource::Remote(url) = &inputs[index].source
        {
            let most = match self.largest {
                None => 1,
                Some(_) => client.options().connections(url.scheme()),
            };
            let expected = self.largest.unwrap_or(0) * (self.requested as u64 + 1);
            let has_room = self.kept_bytes + expected <= client.options().read_ahead;
            // Objects that are too large for memory are as many as requests.
            let has_room = has_room && self.on_disk + self.requested <= most;
            let is_first = self.requested == 0 && self.kept.is_empty();
            if self.requested >= most || !(has_room || is_first) {
                return;
            }
            self.planned.pop_front();
            self.request(index, url);
        }
    }

    /// Requests the object of an input, also if it was fetched before.
    pub(super) fn request(&mut self, input: usize, url: &RemoteUrl) {
        let Some(client) = &self.client else {
            return;
        };
        self.requested += 1;
        let sender = self.tasks.sender();
        client.request(url.clone(), move |result| {
            // The receiver is gone if the run has failed.
            let _ = sender.send(TaskResult::ObjectFetched(FetchedObject { input, result }));
        });
    }

    /// Notes that a request was answered. Returns the object.
    pub(super) fn take(&mut self, fetched: FetchedObject) -> Result<FetchedFile, FetchError> {
        self.requested -= 1;
        let fetched = fetched.result?;
        let bytes = bytes_in_memory(&fetched.file);
        self.largest = Some(self.largest.unwrap_or(0).max(bytes));
        Ok(fetched)
    }

    /// Keeps an object until [`release`](Self::release).
    pub(super) fn keep(&mut self, input: usize, fetched: FetchedFile) {
        self.release(input);
        self.kept_bytes += bytes_in_memory(&fetched.file);
        self.on_disk += usize::from(is_on_disk(&fetched.file));
        self.kept.insert(input, fetched);
    }

    /// Compares the object of an input, which seemed to be truncated at `offset`, with the one that
    /// was fetched again, and keeps a longer one if reading can continue there.
    ///
    /// If both are the same, the archive is damaged at its source. If the first one was cut on its
    /// way, the other one begins with the bytes before `offset`. Anything else is an error.
    pub(super) fn replace_truncated(
        &mut self,
        input: usize,
        fetched: Result<FetchedFile, FetchErrorKind>,
        offset: u64,
        can_continue: bool,
    ) -> io::Result<Replaced> {
        let fetched = fetched.map_err(|error| io::Error::other(error.to_string()))?;
        let former = &self
            .kept
            .get(&input)
            .expect("the slice read an object")
            .file;
        let is_as_long = fetched.file.length() == former.length();
        let compared_bytes = if is_as_long { former.length() } else { offset };
        let is_equal = begin_equally(former, &fetched.file, compared_bytes)?;
        match (is_equal, is_as_long) {
            (true, true) => Ok(Replaced::Same),
            (true, false) if can_continue => {
                let file = fetched.file.clone();
                self.keep(input, fetched);
                Ok(Replaced::Longer(file))
            }
            _ => Err(io::Error::other(
                "it was not received whole, or has changed since",
            )),
        }
    }

    /// Drops the object of an input that was read to its end, and returns its identity.
    pub(super) fn release(&mut self, input: usize) -> Option<ObjectIdentity> {
        let fetched = self.kept.remove(&input)?;
        self.kept_bytes -= bytes_in_memory(&fetched.file);
        self.on_disk -= usize::from(is_on_disk(&fetched.file));
        Some(fetched.identity)
    }
}

fn is_on_disk(file: &ArchiveFile) -> bool {
    file.length() > MAX_OBJECT_IN_MEMORY_BYTES
}

fn bytes_in_memory(file: &ArchiveFile) -> u64 {
    match is_on_disk(file) {
        true => 0,
        false => file.length(),
    }
}

/// Returns true if the first `count` bytes of two objects are equal.
fn begin_equally(a: &ArchiveFile, b: &ArchiveFile, count: u64) -> io::Result<bool> {
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
        let begin = |a: &[u8], b: &[u8], count| begin_equally(&file(a), &file(b), count).unwrap();
        assert!(begin(b"abc", b"abd", 2) && begin(b"", b"x", 0));
        assert!(!begin(b"abc", b"abd", 3) && !begin(b"ab", b"abc", 3));
        let mut long = vec![7; 3 << 20];
        let other = long.clone();
        long[(2 << 20) + 1] = 8;
        assert!(begin(&long, &other, 2 << 20) && !begin(&long, &other, (2 << 20) + 2));
    }
}
