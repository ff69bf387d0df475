//! Messages on standard error: `error:`, `warning:` and `hint:`.
//!
//! All messages of all commands are printed by this module. A message is one line.
//! Messages are escaped here, so callers pass text as it is. Text for people that is
//! printed elsewhere (the summary, the report of `check`) must be escaped by the code
//! that prints it.

use crate::calls::exit::{StoppedError, UsageError};
use crate::printing::output;
use anyhow::Result;
use clap::builder::StyledStr;
use clap::builder::styling::{AnsiColor, Style};
use errors::Error;
use escapes::escape;
use std::io::{IsTerminal, Write, stderr, stdout};

/// The lines about the commands in the short help.
#[cfg(feature = "answers")]
const COMMANDS: &str = concat!(
    "  scan, records, bodies   write a dataset: from archives, records or tables\n",
    "  join, history           combine datasets: months or shards, or many crawls\n",
    "  check                   explains a robots.txt file, or that of a host\n",
    "  match                   decides for a list of URLs\n",
    "  verify, views           check a dataset, write its views.sql\n",
    "  report, site, describe  draw charts, pages or a card (with the Python package)\n",
    "  schema, agents          print the tables, or the registry of crawlers\n",
    "  completions, man        print completions for a shell, or manual pages\n",
);

/// The lines about the commands in the short help of a build without the feature `answers`.
#[cfg(not(feature = "answers"))]
const COMMANDS: &str = concat!(
    "  scan, records, bodies   write a dataset: from archives, records or tables\n",
    "  join                    combines datasets: months or shards\n",
    "  verify, views           check a dataset, write its views.sql\n",
    "  report, site, describe  draw charts, pages or a card (with the Python package)\n",
    "  schema, agents          print the tables, or the registry of crawlers\n",
    "  completions, man        print completions for a shell, or manual pages\n",
);

/// The prefix of a message, according to its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessagePrefix {
    /// The run stops, or an input fails.
    Error,
    /// The run continues, but its result may not be what is expected.
    Warning,
    /// Advice about the previous message.
    Hint,
}

impl MessagePrefix {
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
    pub(crate) fn format_line(self, text: &str) -> String {
        let text = escape(text);
        if stderr().is_terminal() && !is_color_disabled() {
            format!("{0}{1}{0:#} {text}", self.style(), self.text())
        } else {
            format!("{} {text}", self.text())
        }
    }

    fn print(self, text: &str) {
        // A closed standard error does not change the exit code.
        let _ = writeln!(stderr(), "{}", self.format_line(text));
    }
}

/// Prints `warning: text`.
pub(crate) fn print_warning(text: &str) {
    MessagePrefix::Warning.print(text);
}

/// Prints `hint: text`.
pub(crate) fn print_hint(text: &str) {
    MessagePrefix::Hint.print(text);
}

/// Prints an error with its causes, and its hint if it has one.
pub(crate) fn print_error(error: &anyhow::Error) {
    MessagePrefix::Error.print(&errors::with_causes(error.as_ref()));
    if let Some(text) = hint_for(error) {
        print_hint(&text);
    }
}

/// Prints the help or the version that was requested, with colors on a terminal. clap returns its text as an error.
///
/// # Errors
///
/// Those of [`output::print`].
pub(crate) fn print_help_or_version(error: &clap::Error) -> Result<()> {
    let text = error.render();
    output::print(if stdout().is_terminal() && !is_color_disabled() {
        text.ansi().to_string()
    } else {
        text.to_string()
    })
}

/// Prints the help for a call without arguments: the commands, an example, and the options that print more help.
pub(crate) fn print_short_help(program: clap::Command) {
    let help = render_short_help(program);
    let help = if stderr().is_terminal() && !is_color_disabled() {
        help.ansi().to_string()
    } else {
        help.to_string()
    };
    let _ = stderr().write_all(help.as_bytes());
}

fn render_short_help(program: clap::Command) -> StyledStr {
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\nCommands:\n{COMMANDS}\nExample:\n  robots-scan crawl-*.warc.gz -o \
         out.parquet\n\nAll options: robots-scan --help; of a command: robots-scan COMMAND --help\n"
    );
    program.help_template(template).render_help()
}

/// Prints an error of the argument parser in the format of all other messages.
pub(crate) fn print_parse_error(error: &clap::Error) {
    let mut out = String::new();
    for line in error.render().to_string().trim_end().lines() {
        let line = line.trim_end();
        let line = if let Some(text) = line.strip_prefix("error: ") {
            MessagePrefix::Error.format_line(text)
        } else if let Some(text) = line.strip_prefix("  tip: ") {
            MessagePrefix::Hint.format_line(text)
        } else if line.starts_with("For more information, try '--help'") {
            MessagePrefix::Hint.format_line("for more information, try '--help'")
        } else {
            escape(line).into_owned()
        };
        out.push_str(&line);
        out.push('\n');
    }
    let _ = stderr().write_all(out.as_bytes());
}

/// Returns true if the environment disables colors (<https://no-color.org>).
pub(crate) fn is_color_disabled() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Returns the hint for an error, if there is one.
pub(crate) fn hint_for(error: &anyhow::Error) -> Option<String> {
    if let Some(error) = error.downcast_ref::<UsageError>() {
        return error.hint().map(str::to_owned);
    }
    let stopped = error
        .downcast_ref::<StoppedError>()
        .map(StoppedError::error);
    stopped.or_else(|| error.downcast_ref::<Error>())?.hint()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::args::Args;
    use clap::CommandFactory;
    use std::collections::BTreeSet;

    #[test]
    fn the_short_help_has_all_commands_and_fits_a_terminal() {
        let help = render_short_help(Args::command()).to_string();
        assert!(help.lines().count() <= 24, "{help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
        let (_, commands) = help.split_once("Commands:\n").unwrap();
        let (commands, _) = commands.split_once("\n\n").unwrap();
        let names = commands.lines().flat_map(|line| {
            let (names, _) = line.trim_start().split_once("  ").unwrap();
            names.split(", ")
        });
        let args = Args::command();
        let known: BTreeSet<&str> = args
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        assert_eq!(names.collect::<BTreeSet<_>>(), known);
    }
}
