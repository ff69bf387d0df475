//! The error of a command, as the Python package and `--json` show it.

use crate::calls::exit::StoppedError;
use crate::printing::escape::json_line;
use crate::printing::message::hint_for;
use errors::Error;
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;

/// The error that ended a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The kind of the error: [`Error::kind_name`] for an error of the library, otherwise `usage`, as for wrong
    /// arguments.
    pub kind: String,
    /// The message, with its causes.
    pub text: String,
    /// The path that the error is about, if there is one.
    pub path: Option<PathBuf>,
    /// Advice, if there is any. It refers to options by their names on the command line.
    pub hint: Option<String>,
    /// True if the run had begun before the error. The finished parts of a scan are kept.
    pub has_begun: bool,
    /// True if the user or the calling program stopped the command.
    pub is_interrupted: bool,
}

impl CallError {
    /// Returns the error as the line that the option `--json` prints instead of a result.
    pub(crate) fn to_json_line(&self, exit_code: u8) -> String {
        json_line(&json!({"error": self.to_json(), "exit_code": exit_code}))
    }

    /// Returns the error as a JSON object.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "kind": self.kind,
            "message": self.text,
            "path": self.path.as_ref().map(|path| path.to_string_lossy()),
            "hint": self.hint,
        })
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CallError {}

impl CallError {
    pub(crate) fn from_usage(text: String, hint: Option<String>) -> Self {
        Self {
            kind: "usage".to_owned(),
            text,
            path: None,
            hint,
            has_begun: false,
            is_interrupted: false,
        }
    }

    /// Converts an error of the argument parser. A line `tip: …` of its text becomes the hint.
    pub(crate) fn from_parse_error(error: &clap::Error) -> Self {
        let rendered = error.render().to_string();
        let (mut text, mut hint) = (Vec::new(), None);
        let lines = rendered.lines().map(str::trim);
        let lines = lines.take_while(|line| !line.starts_with("Usage:"));
        for line in
            lines.filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        {
            if let Some(tip) = line.strip_prefix("tip: ") {
                hint = Some(tip.to_owned());
            } else {
                text.push(line.strip_prefix("error: ").unwrap_or(line));
            }
        }
        Self::from_usage(text.join(" "), hint)
    }

    /// Converts an error of the library.
    pub fn from_library_error(error: Error) -> Self {
        Self::from_command_error(&StoppedError::wrap_if_begun(error))
    }

    /// Converts an error of a command.
    pub(crate) fn from_command_error(error: &anyhow::Error) -> Self {
        let stopped = error.downcast_ref::<StoppedError>();
        let library_error = stopped.map(StoppedError::error);
        let library_error = library_error.or_else(|| error.downcast_ref::<Error>());
        let text = errors::with_causes(error.as_ref());
        let Some(library_error) = library_error else {
            return Self::from_usage(text, hint_for(error));
        };
        let path = library_error.path();
        Self {
            kind: library_error.kind_name(),
            text,
            path: (!path.as_os_str().is_empty()).then(|| path.to_owned()),
            hint: hint_for(error),
            has_begun: stopped.is_some(),
            is_interrupted: library_error.is_interruption(),
        }
    }
}
