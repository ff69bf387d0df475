//! The limit of the lines that are kept in memory.

use crate::check::MAX_FILE_BYTES;
use crate::error::AnswerErrorKind;
use errors::Error;
use robots::MAX_FILE_LINES;
use std::path::Path;

/// The lines that may still be kept in memory: tables may have any number of rows for a capture.
pub(crate) struct LineLimit<'a> {
    path: &'a Path,
    lines: usize,
    bytes: usize,
}

impl<'a> LineLimit<'a> {
    /// Creates the limit for the lines of a file, or for its anomalies. `path` is the path of the data in errors.
    pub(crate) fn new(path: &'a Path) -> Self {
        Self {
            path,
            lines: MAX_FILE_LINES,
            bytes: MAX_FILE_BYTES as usize,
        }
    }

    /// Creates a limit that only the sizes of tables set, for files of which no line is shown.
    pub(crate) fn none() -> Self {
        Self {
            path: Path::new(""),
            lines: usize::MAX,
            bytes: usize::MAX,
        }
    }

    /// Takes `lines` lines with `bytes` bytes off what is left.
    ///
    /// # Errors
    ///
    /// [`AnswerErrorKind::TooManyLines`].
    pub(crate) fn take(&mut self, lines: usize, bytes: usize) -> Result<(), Error> {
        let error = || Error::new(AnswerErrorKind::TooManyLines, self.path);
        self.lines = self.lines.checked_sub(lines).ok_or_else(error)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_are_limited() {
        let counts = |counts: &[(usize, usize)]| {
            let mut limit = LineLimit::new(Path::new("d"));
            counts
                .iter()
                .try_for_each(|(lines, bytes)| limit.take(*lines, *bytes))
                .is_ok()
        };
        assert!(counts(&[(MAX_FILE_LINES, 0), (0, MAX_FILE_BYTES as usize)]));
        assert!(!counts(&[(MAX_FILE_LINES, 1), (1, 0)]));
        assert!(!counts(&[(1, MAX_FILE_BYTES as usize), (1, 1)]));
    }
}
