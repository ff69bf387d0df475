//! The error of a command, as the Python package and `--json` have it.

use crate::escape::json_line;
use crate::exit::Stopped;
use crate::{hint, message};
use disk::error::Error;
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;

/// An error of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The name of its kind: that of [`ErrorKind::name`], or `usage` for arguments.
    pub kind: String,
    /// The message, with its causes.
    pub text: String,
    /// The path that the error is about, if there is one.
    pub path: Option<PathBuf>,
    /// Advice, which names options as on the command line.
    pub hint: Option<String>,
    /// True if the run had begun. Its finished parts are kept.
    pub has_begun: bool,
    /// True if the command was stopped.
    pub is_interrupted: bool,
}

impl CallError {
    /// Returns the error as one line of JSON, which the option `--json` prints instead of a result.
    pub(crate) fn json(&self, exit_code: u8) -> String {
        json_line(&json!({"error": self.value(), "exit_code": exit_code}))
    }

    /// Returns the error as a JSON object.
    pub(crate) fn value(&self) -> Value {
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
    pub(crate) fn of_usage(text: String, hint: Option<String>) -> Self {
        Self {
            kind: "usage".to_owned(),
            text,
            path: None,
            hint,
            has_begun: false,
            is_interrupted: false,
        }
    }

    /// Returns the error of arguments that cannot be parsed.
    pub(crate) fn of_arguments(error: &clap::Error) -> Self {
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
        Self::of_usage(text.join(" "), hint)
    }

    /// Returns the error of a library call.
    pub fn of_library(error: Error) -> Self {
        Self::of_command(&Stopped::of(error))
    }

    /// Returns the error of a command.
    pub(crate) fn of_command(error: &anyhow::Error) -> Self {
        let stopped = error.downcast_ref::<Stopped>();
        let of_library = stopped.map(Stopped::error);
        let of_library = of_library.or_else(|| error.downcast_ref::<Error>());
        let text = message::with_causes(error);
        let Some(of_library) = of_library else {
            return Self::of_usage(text, hint::of(error));
        };
        let path = of_library.path();
        Self {
            kind: of_library.kind_name(),
            text,
            path: (!path.as_os_str().is_empty()).then(|| path.to_owned()),
            hint: hint::of(error),
            has_begun: stopped.is_some(),
            is_interrupted: of_library.is_interruption(),
        }
    }
}
