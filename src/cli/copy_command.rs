//! `robots-scan copy`: copies a dataset to a store.

use crate::args::CopyArgs;
use crate::caller::{Caller, CommandOutcome};
use crate::escape::{escape, json_line};
use crate::exit::{self, StoppedError};
use crate::mistyped;
use crate::network::{self, EventRoute};
use crate::next_commands;
use crate::progress::ProgressDisplay;
use crate::progress_source::ProgressSource;
use crate::quantity::format_count;
use anyhow::Result;
use disk::error::Error;
use disk::without_secrets;
use indicatif::HumanBytes;
use remote::RemoteUrl;
use serde_json::json;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tools::copy::{self, CopyProgress};
use tools::error::ToolErrorKind;

pub(crate) fn run(args: &CopyArgs, caller: &Caller) -> Result<CommandOutcome> {
    let destination = RemoteUrl::parse(&args.destination).ok().flatten();
    let destination = destination
        .ok_or_else(|| Error::new(ToolErrorKind::NotS3, without_secrets(&args.destination)))?;
    mistyped::check_dataset_exists(&args.dataset)?;
    let route = EventRoute::default();
    let remote = network::start_copy_client(args, &route)?;
    let stop = caller.stop_flag()?;
    let progress = Arc::new(CopyProgress::default());
    let (sender, notices) = channel();
    let progress_source = ProgressSource::Copy(Arc::clone(&progress));
    let display = ProgressDisplay::start(progress_source, Some(notices), args.print.quiet, caller);
    route.set_display(Some(sender));
    let result = copy::copy(&args.dataset, &destination, &remote, &progress, &stop);
    route.set_display(None);
    display.finish();
    let done = result.map_err(StoppedError::wrap_if_begun)?;
    let text = if args.print.json {
        json_line(&json!({
            "output": destination.to_string(),
            "exit_code": exit::OK,
            "files": done.files,
            "bytes": done.bytes,
            "found_files": done.found_files,
            "requests": remote.request_count(),
            "seconds": done.seconds,
        }))
    } else if args.print.quiet {
        String::new()
    } else {
        format!(
            "{}: {} ({}), {} of them there before, {:.1} s\n{}",
            escape(&destination.to_string()),
            format_count(done.files, "file"),
            HumanBytes(done.bytes),
            done.found_files,
            done.seconds,
            next_commands::format_copy_commands(&destination),
        )
    };
    let code = exit::OK;
    Ok(CommandOutcome { code, text })
}
