//! `robots-scan extract`: copies records into one archive.

use crate::caller::{Caller, CommandOutcome};
use crate::column_args::column_names;
use crate::escape::{escape, json_line};
use crate::exit::{self, StoppedError};
use crate::extract_args::ExtractArgs;
use crate::network::{self, EventRoute};
use crate::quantity::format_count;
use anyhow::Result;
use indicatif::HumanBytes;
use remote::has_scheme;
use robots_scan::input::{self, InputOptions};
use serde_json::json;
use std::sync::Arc;
use tools::extract::extract_records;

pub(crate) fn run(args: &ExtractArgs, caller: &Caller) -> Result<CommandOutcome> {
    let route = EventRoute::default();
    let start = || network::start_scan_client(&args.url, None, &route).map(Arc::new);
    let mut remote = match args.lists.iter().any(|list| has_scheme(list)) {
        true => Some(start()?),
        false => None,
    };
    let found = input::find_records(
        &args.lists,
        &InputOptions {
            columns: column_names(&args.list.columns)?,
            base: args.list.base.clone(),
            // Records are copied whatever their crawls are.
            crawl: Some("any".to_owned()),
            subset: Some("any".to_owned()),
            remote: remote.clone(),
            ..InputOptions::default()
        },
    )?;
    if found.has_urls && remote.is_none() {
        remote = Some(start()?);
    }
    let stop = caller.stop_flag()?;
    let copied = extract_records(
        &found.inputs,
        remote.as_deref(),
        &args.output,
        args.overwrite,
        &stop,
    );
    let done = copied.map_err(StoppedError::wrap_if_begun)?;
    let text = if args.print.json {
        json_line(&json!({
            "output": args.output.to_string_lossy(),
            "exit_code": exit::OK,
            "records": done.records,
            "bytes_written": done.bytes,
        }))
    } else if args.print.quiet {
        String::new()
    } else {
        format!(
            "{}: {}, {}\n",
            escape(&args.output.to_string_lossy()),
            format_count(done.records, "record"),
            HumanBytes(done.bytes),
        )
    };
    let code = exit::OK;
    Ok(CommandOutcome { code, text })
}
