//! The number of files that this process may hold open.

use crate::error::{Error, ErrorKind};
use std::fs;

/// The limit that is assumed where the system does not tell: the default of
/// macOS.
const LIMIT_ASSUMED: usize = 256;

/// Files that libraries open besides: a terminal, pipes for signals.
const RESERVED: usize = 8;

/// Returns the limit of open files, as `ulimit -n` gives it.
fn limit() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max open files"));
    match line.and_then(|line| line.split_whitespace().next()) {
        Some("unlimited") => usize::MAX,
        Some(number) => number.parse().unwrap_or(LIMIT_ASSUMED),
        None => LIMIT_ASSUMED,
    }
}

/// Returns the number of files that may still be opened.
pub(crate) fn free() -> usize {
    let open = fs::read_dir("/proc/self/fd").map_or(RESERVED, Iterator::count);
    limit().saturating_sub(open + RESERVED)
}

/// Bounds on what a run holds open at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenFiles {
    /// Inputs that are being read or wait for their turn.
    pub(crate) inputs: usize,
    /// Parts whose files are not finished.
    pub(crate) parts: usize,
}

impl OpenFiles {
    /// Divides the files that may be opened: half for parts, two for each input
    /// (one may still be open from the input before), and never more than that
    /// many threads can use.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooFewOpenFiles`] if they do not suffice for one part and
    /// one input.
    pub(crate) fn new(free: usize, tables: usize, threads: usize) -> Result<Self, Error> {
        // The files of its tables, that of `runs`, and the folder that is synced.
        let files_per_part = tables + 2;
        let parts = (free / 2 / files_per_part).clamp(1, threads + 2);
        let inputs = (free.saturating_sub(parts * files_per_part) / 2).min(threads + 3);
        if inputs == 0 {
            let limit = limit();
            let needed = limit.saturating_sub(free) + files_per_part + 2;
            let kind = ErrorKind::TooFewOpenFiles { limit, needed };
            return Err(Error::new(kind, ""));
        }
        Ok(Self { inputs, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_files_are_divided_between_parts_and_inputs() {
        let new = |free, threads| OpenFiles::new(free, 9, threads).ok();
        let bounds = |inputs, parts| Some(OpenFiles { inputs, parts });
        assert_eq!(new(usize::MAX, 2), bounds(5, 4));
        assert_eq!(new(1000, 64), bounds(67, 45));
        assert_eq!(new(48, 64), bounds(13, 2));
        assert_eq!(new(13, 1), bounds(1, 1));
        assert_eq!(new(12, 1), None);
        for free in 13..200 {
            let it = OpenFiles::new(free, 9, 64).unwrap();
            assert!(it.parts * 11 + it.inputs * 2 <= free, "{free}");
        }
    }
}
