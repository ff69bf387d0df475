//! The commands outside the core: those that answer questions, and `history`. The feature `answers` has them.

pub(crate) mod agent_advice;
mod check_command;
mod check_report;
mod history_command;
mod match_command;

use crate::commands::command::CommandArgs;
use check_command::CheckArgs;
use clap::Subcommand;
use history_command::HistoryArgs;
use match_command::MatchArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum AnswerCommand {
    /// Makes one dataset of many crawls, in which what does not change is stored once
    History(HistoryArgs),
    /// Explains what a robots.txt file, or that of a host, allows crawlers, line by line
    Check(Box<CheckArgs>),
    /// Decides for a list of URLs whether crawlers may fetch them, according to a dataset
    Match(MatchArgs),
}

impl AnswerCommand {
    /// Returns the arguments, which run the command.
    pub(crate) fn args(&mut self) -> &mut dyn CommandArgs {
        match self {
            Self::History(args) => args,
            Self::Check(args) => args.as_mut(),
            Self::Match(args) => args,
        }
    }
}

pub(crate) fn parse_host(text: &str) -> Result<hosts::Host, String> {
    hosts::Host::parse(text)
        .ok_or_else(|| "give a host as example.com, example.com:8080 or https://example.com".into())
}

/// Parses a time as milliseconds since 1970.
pub(crate) fn parse_time(text: &str) -> Result<i64, String> {
    capture::date::parse_iso(text).ok_or_else(|| {
        "give a time as 2024-03-01, 2024-03-01T12:30:00Z or 2024-03-01T12:30+01:00".to_owned()
    })
}
