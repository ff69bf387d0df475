//! `robots-scan copy`: copies a dataset to a store.

use crate::arg_values::parse_rate;
use crate::caller::Caller;
use crate::command::{CommandArgs, CommandOutcome};
use crate::escape::escape;
use crate::exit::{self, StoppedError};
use crate::mistyped;
use crate::network::{EventRoute, start_client};
use crate::next_commands;
use crate::progress::ProgressDisplay;
use crate::progress_source::{
    ProgressSource, format_byte_rate, format_bytes_done, format_time_left, read_counter,
};
use crate::quantity::format_count;
use crate::quantity::parse_duration;
use crate::shared_args::PrintArgs;
use answers::copy::{self, CopyProgress};
use answers::error::AnswerErrorKind;
use anyhow::Result;
use clap::ValueHint;
use disk::error::Error;
use disk::without_secrets;
use indicatif::HumanBytes;
use remote::RemoteUrl;
use remote::{Rate, Remote, RemoteOptions};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Copies the files of a finished dataset, of a shard, or of a folder that `join` was run on. views.sql is \
written for the destination, and _SUCCESS is copied last. Every file is compared with its digest in the manifest; \
a damaged one ends the copy. Files that are there already with this digest are not copied again, so a copy that was \
interrupted is continued by the same command. A prefix with another dataset or other objects is refused.

Credentials and the endpoint come from the environment (AWS_ACCESS_KEY_ID, AWS_REGION, \
AWS_ENDPOINT_URL …) or from the machine. Those of the AWS command line: \
eval \"$(aws configure export-credentials --format env)\"

Example:
  robots-scan copy crawls/2026-01 s3://bucket/crawls/2026-01

Exit codes: 0 done, 2 refused, 3 stopped (the same command continues).")]
pub(crate) struct CopyArgs {
    /// The dataset: a folder that `scan` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    /// The destination
    #[arg(value_name = "s3://BUCKET/PREFIX", value_hint = ValueHint::Url)]
    pub(crate) destination: String,

    /// The most requests a second, or `none` [default: 500]
    #[arg(long, value_name = "N", value_parser = parse_rate, value_hint = ValueHint::Other)]
    pub(crate) rate: Option<Rate>,

    /// The most files that are written at a time; each takes up to 64MiB of memory
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..=256), value_hint = ValueHint::Other)]
    pub(crate) connections: u16,

    /// The time for which a failed request is repeated before the copy stops
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_duration, value_hint = ValueHint::Other)]
    pub(crate) patience: Duration,

    /// Further root certificates, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

/// The time within which the response to a request must arrive, which includes sending up to 64 MiB over a slow
/// connection.
const COPY_STALL: Duration = Duration::from_secs(1800);

/// Starts the client that writes objects.
fn start_copy_client(args: &CopyArgs, route: &EventRoute) -> Result<Remote> {
    let options = RemoteOptions {
        rate: args.rate.unwrap_or(Rate::Default),
        concurrent_tasks: 1,
        max_connections: Some(args.connections.into()),
        read_ahead_bytes: 0,
        patience: args.patience,
        stall_timeout: COPY_STALL,
        temp_folder: std::env::temp_dir(),
        ca_file: args.ca.clone(),
        is_anonymous: false,
    };
    start_client(options, route)
}

impl CommandArgs for CopyArgs {
    fn print_args(&mut self) -> Option<&mut PrintArgs> {
        Some(&mut self.print)
    }

    fn run(&self, caller: &Caller) -> Result<CommandOutcome> {
        let destination = RemoteUrl::parse(&self.destination).ok().flatten();
        let destination = destination.ok_or_else(|| {
            Error::new(AnswerErrorKind::NotS3, without_secrets(&self.destination))
        })?;
        mistyped::check_dataset_exists(&self.dataset)?;
        let route = EventRoute::default();
        let remote = start_copy_client(self, &route)?;
        let stop = caller.stop_flag()?;
        let progress = Arc::new(CopyProgress::default());
        let (sender, notices) = channel();
        let display = ProgressDisplay::start(progress.clone(), Some(notices), &self.print, caller);
        route.set_display(Some(sender));
        let result = copy::copy(&self.dataset, &destination, &remote, &progress, &stop);
        route.set_display(None);
        display.finish();
        let done = result.map_err(StoppedError::wrap_if_begun)?;
        let text = self.print.format(
            || {
                json!({
                    "output": destination.to_string(),
                    "exit_code": exit::OK,
                    "files": done.files,
                    "bytes": done.bytes,
                    "found_files": done.found_files,
                    "requests": remote.request_count(),
                    "seconds": done.seconds,
                })
            },
            || {
                format!(
                    "{}: {} ({}), {} of them there before, {:.1} s\n{}",
                    escape(&destination.to_string()),
                    format_count(done.files, "file"),
                    HumanBytes(done.bytes),
                    done.found_files,
                    done.seconds,
                    next_commands::format_commands_for_copy(&destination),
                )
            },
        );
        Ok(CommandOutcome::ok(text))
    }
}

impl ProgressSource for CopyProgress {
    fn total(&self) -> Option<u64> {
        Some(read_counter(&self.bytes_total))
    }

    fn position(&self) -> u64 {
        read_counter(&self.bytes)
    }

    fn pieces(&self, seconds: f64) -> Vec<String> {
        let (copied, total) = (read_counter(&self.bytes), read_counter(&self.bytes_total));
        vec![
            format_bytes_done(copied, total),
            format_time_left(copied, total, seconds),
            format_byte_rate(copied, seconds),
        ]
    }
}
