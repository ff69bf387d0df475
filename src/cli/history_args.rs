//! The arguments of `robots-scan history`.

use crate::quantity::parse_size;
use crate::shared_args::{PrintArgs, ThreadsArg};
use clap::ValueHint;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A history stores each state of a host once, with the times of its captures, so that ten years of crawls fit \
on one disk. It needs none of the datasets any more. docs/history.md describes its tables.

Examples:
  robots-scan history 2024-*/ -o history               from datasets
  robots-scan history history 2026-11/ -o history-new  with another month
  duckdb -init history/views.sql                       query it

Exit codes: 0 done, 2 not started, 3 stopped; then nothing was changed.")]
pub(crate) struct HistoryArgs {
    /// Datasets of whole crawls, joined folders, and earlier histories
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) inputs: Vec<PathBuf>,

    /// The folder of the history
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) threads: ThreadsArg,

    /// Takes the crawl of the later input if two inputs have the same crawl
    #[arg(long)]
    pub(crate) replace: bool,

    /// Leaves out the hosts in this file, one per line
    #[arg(long, value_name = "LIST")]
    pub(crate) forget: Option<PathBuf>,

    /// The memory for sorting, at least 16MiB; the rest is sorted on disk, in OUT
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = parse_size, value_hint = ValueHint::Other)]
    pub(crate) memory: u64,

    /// Replaces an existing history; until it is whole, the former one remains, and may be an input
    #[arg(long)]
    pub(crate) overwrite: bool,

    #[command(flatten)]
    pub(crate) print: PrintArgs,
}
