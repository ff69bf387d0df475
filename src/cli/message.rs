//! Messages on standard error: `error:`, `warning:` and `hint:`.
//!
//! Every message of every command goes through this module. A message is one
//! line. Text that comes from archives, paths, lists or arguments may hold
//! control characters that move the cursor, set the title of a terminal or
//! reverse the direction of writing; [`escape`] makes them visible. The
//! functions here escape the whole message, so callers pass text as it is.
//! Text for people that is written elsewhere (the summary, the report of
//! `check`) has to be escaped by its writer.

use crate::hint;
use clap::builder::styling::{AnsiColor, Style};
use clap::error::ErrorKind;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::io::{IsTerminal, Write, stderr};

/// The kinds of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// Something stops the run, or an input is lost.
    Error,
    /// The run goes on, but its result may not be what is expected.
    Warning,
    /// A remedy for the message before it.
    Hint,
}

impl Prefix {
    fn text(self) -> &'static str {
        match self {
            Self::Error => "error:",
            Self::Warning => "warning:",
            Self::Hint => "hint:",
        }
    }

    fn style(self) -> Style {
        let color = match self {
            Self::Error => AnsiColor::Red,
            Self::Warning => AnsiColor::Yellow,
            Self::Hint => AnsiColor::Cyan,
        };
        color.on_default().bold()
    }

    /// Formats a message as one line without its line break. The prefix is
    /// colored if standard error is a terminal.
    pub(crate) fn line(self, text: &str) -> String {
        let text = escape(text);
        match stderr().is_terminal() && !is_color_refused() {
            true => format!("{0}{1}{0:#} {text}", self.style(), self.text()),
            false => format!("{} {text}", self.text()),
        }
    }

    fn print(self, text: &str) {
        // A closed standard error does not change the exit code.
        let _ = writeln!(stderr(), "{}", self.line(text));
    }
}

/// Prints `warning: text`.
pub(crate) fn warning(text: &str) {
    Prefix::Warning.print(text);
}

/// Prints `hint: text`.
pub(crate) fn hint(text: &str) {
    Prefix::Hint.print(text);
}

/// Prints an error with its causes, and a hint if there is one for it.
pub(crate) fn error(error: &anyhow::Error) {
    Prefix::Error.print(&with_causes(error));
    if let Some(text) = hint::of(error) {
        hint(&text);
    }
}

/// Prints an error of the parser of arguments, in the form of all other
/// messages, or the help or version that was requested. Returns the exit code.
pub(crate) fn usage(error: &clap::Error) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(crate::exit::NOT_STARTED);
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        let _ = error.print();
        return code;
    }
    let mut out = String::new();
    for line in error.render().to_string().trim_end().lines() {
        let line = line.trim_end();
        let line = if let Some(text) = line.strip_prefix("error: ") {
            Prefix::Error.line(text)
        } else if let Some(text) = line.strip_prefix("  tip: ") {
            Prefix::Hint.line(text)
        } else if line.starts_with("For more information, try '--help'") {
            Prefix::Hint.line("for more information, try '--help'")
        } else {
            escape(line).into_owned()
        };
        out.push_str(&line);
        out.push('\n');
    }
    let _ = stderr().write_all(out.as_bytes());
    code
}

/// Returns the text of an error and its causes, on one line.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let mut causes = error.chain().map(ToString::to_string);
    let mut text = causes.next().unwrap_or_default();
    for cause in causes {
        text.push_str(": ");
        text.push_str(&without_code(&cause));
    }
    text
}

/// Returns the text of a cause without its leading capital and without the
/// number that the standard library appends: `Permission denied (os error 13)`.
fn without_code(cause: &str) -> String {
    let mut text = cause;
    if let Some((before, number)) = cause.rsplit_once(" (os error ")
        && number.ends_with(')')
    {
        text = before;
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_ascii_uppercase() && second.is_lowercase() => {
            format!("{}{}", first.to_ascii_lowercase(), &text[1..])
        }
        _ => text.to_owned(),
    }
}

/// Returns true if the environment asks for no colors (<https://no-color.org>).
pub(crate) fn is_color_refused() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Replaces characters that a terminal obeys instead of showing them by
/// visible escapes: control characters (C0, DEL, C1), line and paragraph
/// separators, and those that change the direction of writing. A line break
/// becomes `\n`, ESC `\x1b`, U+202E `\u{202e}`. Backslashes stay as they are.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if !is_obeyed(char) => out.push(char),
            _ if char.is_ascii() => out.push_str(&format!("\\x{:02x}", char as u32)),
            _ => out.push_str(&format!("\\u{{{:x}}}", char as u32)),
        }
    }
    Cow::Owned(out)
}

/// Returns JSON on one line. Besides C0, which JSON itself escapes, the other
/// characters of [`escape`] are written as `\u009b`, so that output on a
/// terminal is harmless; a parser reads the same value.
pub(crate) fn json_line(value: &Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len() + 1);
    for char in text.chars() {
        match is_obeyed(char) {
            // All of them lie in the basic plane, and only texts can hold them.
            true => out.push_str(&format!("\\u{:04x}", char as u32)),
            false => out.push(char),
        }
    }
    out.push('\n');
    out
}

fn is_obeyed(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Options that do not fit together, or an argument that cannot be meant, with
/// what to type instead. The exit code is 2.
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn control_characters_become_visible() {
        for (text, escaped) in [
            ("plain 'é' \\ 日本", "plain 'é' \\ 日本"),
            ("\x1b[2J\x07", "\\x1b[2J\\x07"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\x7f\u{85}\u{9b}1m", "\\x7f\\u{85}\\u{9b}1m"),
            (
                "\u{202e}\u{2066}\u{61c}\u{2028}\u{200e}\u{200f}",
                "\\u{202e}\\u{2066}\\u{61c}\\u{2028}\\u{200e}\\u{200f}",
            ),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = json!({"a\u{9b}": "\x1b \x7f \u{202e} é \\ \" \u{2028}"});
        let line = json_line(&value);
        assert!(!line.trim_end().chars().any(is_obeyed), "{line}");
        assert!(line.contains("\\u009b") && line.contains("\\u202e") && line.contains('é'));
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }

    #[test]
    fn causes_follow_in_lower_case_without_numbers() {
        let cause = std::io::Error::from_raw_os_error(13);
        let error = anyhow::Error::new(robots_scan::error::Error::read("a.warc", cause));
        assert_eq!(
            with_causes(&error),
            "cannot read 'a.warc': permission denied"
        );
        assert_eq!(without_code("EOF: file size of 3"), "EOF: file size of 3");
    }
}
