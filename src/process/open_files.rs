//! The number of files that a run may keep open.

use errors::{Error, ErrorKind};
use std::fs;
use std::path::Path;

/// The limit of open files that is assumed if the system does not report one: the default
/// of macOS.
const DEFAULT_FILE_LIMIT: usize = 256;

/// The number of open files that are reserved for libraries, such as a terminal and pipes
/// for signals.
const RESERVED_FILES: usize = 8;

/// Reads the limit of open files of this process, which is that of `ulimit -n`.
fn read_open_file_limit() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max open files"));
    match line.and_then(|line| line.split_whitespace().next()) {
        Some("unlimited") => usize::MAX,
        Some(number) => number.parse().unwrap_or(DEFAULT_FILE_LIMIT),
        None => DEFAULT_FILE_LIMIT,
    }
}

/// Returns the number of files that the process may still open.
pub fn count_free() -> usize {
    let open = fs::read_dir("/proc/self/fd").map_or(RESERVED_FILES, Iterator::count);
    read_open_file_limit().saturating_sub(open + RESERVED_FILES)
}

/// Returns true if the process may open at least half of all files that its limit allows.
pub fn is_half_free() -> bool {
    count_free() >= read_open_file_limit() / 2
}

/// Returns an error unless so many files may still be opened. `path` is that of the error.
///
/// # Errors
///
/// [`ErrorKind::TooFewOpenFiles`].
pub fn check_free(count: usize, path: &Path) -> Result<(), Error> {
    let (free, limit) = (count_free(), read_open_file_limit());
    if free >= count {
        return Ok(());
    }
    let needed = limit.saturating_sub(free).saturating_add(count);
    Err(Error::new(
        ErrorKind::TooFewOpenFiles { limit, needed },
        path,
    ))
}

/// The numbers of inputs and parts that a run may keep open at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFileLimits {
    /// The number of inputs that are read or wait to be read.
    pub inputs: usize,
    /// The number of parts whose files are not finished.
    pub parts: usize,
}

impl OpenFileLimits {
    /// Divides `free`, the number of files that may still be opened: half of them are for
    /// parts, and the rest for inputs. An input counts as two files, because the file of the
    /// previous input may still be open. The limits never exceed the number of parts and
    /// inputs that `threads` threads can use.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooFewOpenFiles`] if they are not sufficient for one part and one
    /// input.
    pub fn new(free: usize, tables: usize, threads: usize) -> Result<Self, Error> {
        // The files of the tables, the file of `runs`, and the folder that is synced.
        let files_per_part = tables + 2;
        let parts = (free / 2 / files_per_part).clamp(1, threads + 2);
        let inputs = (free.saturating_sub(parts * files_per_part) / 2).min(threads + 3);
        if inputs == 0 {
            let limit = read_open_file_limit();
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
    fn files_beyond_the_limit_are_refused() {
        assert!(check_free(0, Path::new("")).is_ok());
        let error = check_free(usize::MAX - 1, Path::new("")).unwrap_err();
        assert!(error.to_string().contains("too few open files"), "{error}");
    }

    #[test]
    fn open_files_are_divided_between_parts_and_inputs() {
        let new = |free, threads| OpenFileLimits::new(free, 9, threads).ok();
        let bounds = |inputs, parts| Some(OpenFileLimits { inputs, parts });
        assert_eq!(new(usize::MAX, 2), bounds(5, 4));
        assert_eq!(new(1000, 64), bounds(67, 45));
        assert_eq!(new(48, 64), bounds(13, 2));
        assert_eq!(new(13, 1), bounds(1, 1));
        assert_eq!(new(12, 1), None);
        for free in 13..200 {
            let limits = OpenFileLimits::new(free, 9, 64).unwrap();
            assert!(limits.parts * 11 + limits.inputs * 2 <= free, "{free}");
        }
    }
}
