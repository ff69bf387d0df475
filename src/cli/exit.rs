//! Exit codes.

use robots_scan::error::Error;
use std::fmt;

/// Everything was read and written.
pub(crate) const OK: u8 = 0;
/// Everything was written, but parts of archives could not be read.
pub(crate) const FAULTS: u8 = 1;
/// The run did not begin.
pub(crate) const NOT_STARTED: u8 = 2;
/// The run did not finish. It may be continued with `--resume`.
pub(crate) const STOPPED: u8 = 3;

/// An error that stopped a run which had begun.
#[derive(Debug)]
pub(crate) struct Stopped(Error);

impl Stopped {
    /// Converts an error of a run. Errors that occurred before the run began are
    /// returned as they are.
    pub(crate) fn of(error: Error) -> anyhow::Error {
        if error.is_before_start() {
            error.into()
        } else {
            Self(error).into()
        }
    }

    pub(crate) fn error(&self) -> &Error {
        &self.0
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Stopped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Returns the exit code of an error. Errors that occur before a run begins, such
/// as a missing input, have the code [`NOT_STARTED`].
pub(crate) fn code_of(error: &anyhow::Error) -> u8 {
    if error.is::<Stopped>() {
        STOPPED
    } else {
        NOT_STARTED
    }
}
