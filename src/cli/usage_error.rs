//! Errors in the arguments of a command.

use std::fmt;

/// An error in the arguments: options that conflict, or an argument that is probably
/// a mistake. The hint says what to type instead. The exit code is 2.
#[derive(Debug)]
pub(crate) struct UsageError {
    text: String,
    hint: Option<String>,
}

impl UsageError {
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
