//! The trait of the arguments of a command, which run the command, and the outcome of a command.

use crate::calls::caller::Caller;
use crate::calls::exit;
use crate::commands::shared_args::OutputArgs;
use crate::printing::escape::json_line;
use crate::printing::output;
use anyhow::Result;
use serde_json::Value;

/// The arguments of a command.
pub(crate) trait CommandArgs {
    /// Returns the options `--quiet` and `--json`; `None` if other programs cannot run the command.
    fn output_args(&mut self) -> Option<&mut OutputArgs> {
        None
    }

    /// Returns true if the output is JSON.
    fn is_json(&mut self) -> bool {
        self.output_args().is_some_and(|print| print.json)
    }

    /// Runs the command.
    fn run(&self, caller: &Caller) -> Result<CommandOutcome>;
}

/// The exit code and the output of a command.
pub(crate) struct CommandOutcome {
    pub(crate) code: u8,
    /// The output: a summary for people, or JSON.
    pub(crate) text: Vec<u8>,
}

impl CommandOutcome {
    /// Makes the outcome of a command that succeeded.
    pub(crate) fn ok(text: impl Into<Vec<u8>>) -> Self {
        Self {
            code: exit::OK,
            text: text.into(),
        }
    }

    /// Prints the output. Returns the exit code.
    ///
    /// # Errors
    ///
    /// Those of [`output::print`].
    pub(crate) fn print(self) -> Result<u8> {
        output::print(self.text)?;
        Ok(self.code)
    }
}

impl OutputArgs {
    /// Returns the summary as JSON with `--json`, an empty text with `--quiet`, and otherwise the summary for people.
    pub(crate) fn format(
        &self,
        json: impl FnOnce() -> Value,
        text: impl FnOnce() -> String,
    ) -> String {
        match (self.json, self.quiet) {
            (true, _) => json_line(&json()),
            (_, true) => String::new(),
            _ => text(),
        }
    }
}
