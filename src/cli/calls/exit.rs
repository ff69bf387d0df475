//! Exit codes, and the errors that determine them.

use crate::printing::output::OutputError;
use errors::Error;
use std::fmt;

/// Everything was read and written.
pub(crate) const OK: u8 = 0;
/// Everything was written, but parts of archives could not be read.
pub(crate) const FAULTS: u8 = 1;
/// The run did not begin.
pub(crate) const NOT_STARTED: u8 = 2;
/// The run began but did not finish, the result of `check` is unknown, or the output could not be printed. A scan may
/// be continued with `--resume`.
pub(crate) const STOPPED: u8 = 3;

/// An error in the arguments: options that conflict, or an argument that is probably
/// a mistake. A hint gives the correct arguments. The exit code is [`NOT_STARTED`].
#[derive(Debug)]
pub(crate) struct UsageError {
    text: String,
    hint: Option<String>,
}

impl UsageError {
    #[cfg(feature = "answers")]
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            hint: None,
        }
    }

    pub(crate) fn with_hint(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            hint: Some(hint.into()),
        }
    }

    pub(crate) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for UsageError {}

/// An error that stopped a run which had begun, or left the result of `check` unknown.
#[derive(Debug)]
pub(crate) struct StoppedError(pub(crate) Error);

impl StoppedError {
    /// Wraps an error of a run that had begun. An error that occurred before the run began is
    /// returned as it is.
    pub(crate) fn wrap_if_begun(error: Error) -> anyhow::Error {
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

impl fmt::Display for StoppedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for StoppedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Returns the exit code of an error. Errors that occur before a run begins, such
/// as a missing input, have the code [`NOT_STARTED`].
pub(crate) fn code_for_error(error: &anyhow::Error) -> u8 {
    if error.is::<StoppedError>() || error.is::<OutputError>() {
        STOPPED
    } else {
        NOT_STARTED
    }
}
