//! Functions for the commands that write a dataset from captures: `scan`, `records` and `bodies`.

use crate::advice::next_commands;
use crate::calls::caller::Caller;
use crate::calls::exit::{self, StoppedError, UsageError};
use crate::commands::command::CommandOutcome;
use crate::commands::defaults;
use crate::commands::network::EventRoute;
use crate::commands::run_args::RunArgs;
use crate::printing::progress::ProgressDisplay;
use crate::printing::progress_source::{
    ProgressSource, format_byte_rate, format_bytes_done, format_resolved_rows, format_time_left,
    read_counter,
};
use crate::printing::quantity::format_count;
use crate::printing::summary;
use anyhow::Result;
use crawlers::CrawlerRegistry;
use dataset::{IfExists, OutputLayout};
use indicatif::{HumanBytes, HumanCount};
use scan::{Options, RowNotes, ScanProgress, ScanSummary};
use sources::input::FoundInputs;
use std::sync::Arc;
use std::sync::mpsc::channel;
use tables::Table;

/// Checks that the output may be written, and that it has the table `robots_files` if an option adds a column to this
/// table.
pub(crate) fn check_output(
    args: &RunArgs,
    with_record_ids: bool,
    layout: &OutputLayout,
) -> Result<()> {
    let optional_columns = [
        ("--with-bodies", args.with_bodies),
        ("--with-record-ids", with_record_ids),
    ];
    let mut given = optional_columns.iter().filter(|(_, is_given)| *is_given);
    if let Some((option, _)) = given.next()
        && !layout.tables().contains(&Table::ROBOTS_FILES)
    {
        let text = format!("{option} adds a column to robots_files, which --tables leaves out");
        let hint = format!("add robots_files to --tables, or leave out {option}");
        return Err(UsageError::with_hint(text, hint).into());
    }
    layout.check(if_exists(args))?;
    Ok(())
}

/// Returns the path and the tables of the output. `shard` is the index of the shard, from 1, if the run reads a shard.
pub(crate) fn output_layout(args: &RunArgs, shard: Option<usize>) -> OutputLayout {
    OutputLayout::new(&args.output, &select_tables(args, shard.is_some()), shard)
}

fn if_exists(args: &RunArgs) -> IfExists {
    match (args.resume, args.overwrite) {
        (true, _) => IfExists::Resume,
        (_, true) => IfExists::Overwrite,
        _ => IfExists::Refuse,
    }
}

/// Converts the arguments that the commands share to the options of a run over the inputs in `found`.
pub(crate) fn run_options(
    args: &RunArgs,
    found: FoundInputs,
    layout: OutputLayout,
    registry: CrawlerRegistry,
) -> Result<Options> {
    Ok(Options {
        if_exists: if_exists(args),
        threads: defaults::thread_count(&args.threads),
        body_limit: args.body_limit.0,
        max_body_bytes: usize::try_from(args.max_body_bytes)?,
        with_bodies: args.with_bodies,
        listed_inputs: found.listed_inputs,
        list_digest: found.list_digest,
        ..Options::with_registry(found.inputs, layout, registry)
    })
}

/// Reads the inputs and writes the dataset, with a progress display. Returns the exit code and the summary.
pub(crate) fn run_scan(
    options: &Options,
    args: &RunArgs,
    route: &EventRoute,
    caller: &Caller,
) -> Result<CommandOutcome> {
    let stop = caller.stop_flag()?;
    let progress = Arc::new(ScanProgress::default());
    let (sender, notices) = channel();
    let source = ScanProgressSource {
        progress: Arc::clone(&progress),
        input_count: options.inputs.len() as u64,
        input_bytes: options.inputs.iter().map(|input| input.bytes).sum(),
        has_no_streams: !options.inputs.iter().any(|input| input.place().is_stream()),
    };
    let display = ProgressDisplay::start(Arc::new(source), Some(notices), &args.print, caller);
    route.set_display(Some(sender.clone()));
    let result = scan::run(options, &progress, &sender, &stop).map_err(StoppedError::wrap_if_begun);
    route.set_display(None);
    drop(sender);
    let failed = display.finish();
    let done = result?;

    let code = if done.failed_inputs > 0 {
        exit::STOPPED
    } else if done.faults + done.resumed.faults > 0 {
        exit::FAULTS
    } else {
        exit::OK
    };
    let text = args.print.format(
        || summary::summary_to_json(&done, &args.output, code, &failed),
        || summary::format_summary(&done, &options.layout, &suggest_commands(options)),
    );
    warn_about_rows(&done, caller);
    if done.captures == 0 && done.resumed.parts == 0 && done.failed_inputs == 0 {
        caller.warn(&summary::no_robots_warning(&done));
    }
    let text = text.into_bytes();
    Ok(CommandOutcome { code, text })
}

/// The hint about a time in a table that cannot be parsed: the formats that can.
pub(crate) const TIME_HINT: &str = "write times as 2024-03-01T12:30:00Z, 2024-03-01 12:30:00 UTC, 20240301123000 or 20240301, or as timestamps of Parquet";

/// Warns about rows of tables of bodies that probably do not mean what their author intended.
fn warn_about_rows(done: &ScanSummary, caller: &Caller) {
    let RowNotes {
        unquoted_bodies,
        other_paths,
        bad_times,
        ..
    } = done.row_notes;
    if bad_times > 0 {
        let rows = format_count(bad_times, "row");
        caller.warn(&format!(
            "{rows} with a time that cannot be read: it is null (`bad_date`), and counts as the earliest"
        ));
        caller.hint(TIME_HINT);
    }
    if unquoted_bodies > 0 {
        let rows = format_count(unquoted_bodies, "row");
        caller.warn(&format!(
            "{rows} of CSV without a body: an empty field without quotes is null"
        ));
        caller.hint("write empty files as \"\", or use Parquet");
    }
    let by_status = done.captures_by_status.iter();
    let redirects = by_status.filter(|(status, _)| matches!(status, Some(300..=399)));
    // The target of a redirect may have any path, so one row with another path is expected per redirect.
    if other_paths > redirects.map(|(_, count)| count).sum() {
        let rows = format_count(other_paths, "row");
        caller.warn(&format!(
            "{rows} with a URL whose path is not /robots.txt: they count as targets of redirects only"
        ));
        caller.hint("give the URLs of robots.txt files, as https://HOST/robots.txt");
    }
}

/// Returns the commands that the summary suggests.
fn suggest_commands(options: &Options) -> String {
    let (root, tables) = (options.layout.root(), options.layout.tables());
    if options.layout.is_single_file() {
        next_commands::format_file_commands(root)
    } else if options.shard.is_some() {
        next_commands::format_shard_commands(root, tables)
    } else {
        next_commands::format_dataset_commands(root, tables)
    }
}

/// Returns the tables that are written: those of `--tables`, and the resolved tables that can be made from them. A
/// shard has no resolved tables.
fn select_tables(args: &RunArgs, is_shard: bool) -> Vec<Table> {
    let is_selected = |table: &Table| args.tables.is_empty() || args.tables.contains(table);
    let has_hosts = !is_shard
        && [Table::ROBOTS_FILES, Table::VERDICTS]
            .iter()
            .all(is_selected);
    let is_written = |table: &Table| match table {
        _ if *table == Table::HOST_PREFERENCES => {
            has_hosts && is_selected(&Table::FILE_PREFERENCES)
        }
        _ if table.is_per_crawl() => has_hosts,
        _ => is_selected(table),
    };
    Table::ALL.into_iter().filter(is_written).collect()
}

/// The progress of a scan, and the number and size of its inputs, for the display.
struct ScanProgressSource {
    progress: Arc<ScanProgress>,
    input_count: u64,
    /// The size of all inputs in bytes; `None` if the size of any input is unknown.
    input_bytes: Option<u64>,
    /// True if no input is a stream. If sizes are unknown, the progress bar then counts inputs.
    has_no_streams: bool,
}

impl ProgressSource for ScanProgressSource {
    fn total(&self) -> Option<u64> {
        let count = self.has_no_streams.then_some(self.input_count);
        self.input_bytes.or(count)
    }

    fn position(&self) -> u64 {
        match self.input_bytes {
            None if self.has_no_streams => read_counter(&self.progress.inputs),
            _ => read_counter(&self.progress.bytes),
        }
    }

    fn pieces(&self, seconds: f64) -> Vec<String> {
        if self.progress.phase() == scan::ScanPhase::Hosts {
            return vec![format_resolved_rows(read_counter(
                &self.progress.resolved_rows,
            ))];
        }
        let read = read_counter(&self.progress.bytes);
        let records = read_counter(&self.progress.records);
        let mut pieces = match self.input_bytes {
            None if self.has_no_streams => {
                let done = read_counter(&self.progress.inputs);
                vec![
                    format_time_left(done, self.input_count, seconds),
                    format!("{} read", HumanBytes(read)),
                ]
            }
            None => vec![format!("{} read", HumanBytes(read))],
            Some(total) => vec![
                format_bytes_done(read, total),
                format_time_left(read, total, seconds),
            ],
        };
        pieces.extend([
            format!(
                "{}/{} archives",
                HumanCount(read_counter(&self.progress.inputs)),
                HumanCount(self.input_count)
            ),
            format_byte_rate(read, seconds),
            format!(
                "{} records/s",
                HumanCount((records as f64 / seconds) as u64)
            ),
        ]);
        pieces
    }
}
