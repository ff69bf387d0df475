//! `robots-scan views`: writes `views.sql` of a dataset again.

use crate::advice::mistyped;
use crate::advice::next_commands;
use crate::calls::caller::Caller;
use crate::commands::command::{CommandArgs, CommandOutcome};
use crate::printing::quantity::format_count;
use anyhow::Result;
use escapes::escape;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The file views.sql has the path of its dataset, so that it can be read from any folder. Run this \
command after the dataset was moved or copied, and before you open a dataset of somebody else: \
DuckDB executes the file, which could contain any SQL. A file that is there is replaced, and a link is \
refused. Nothing else is changed.

Example:
  mv out.parquet /data/ && robots-scan views /data/out.parquet")]
pub(crate) struct ViewsArgs {
    /// The dataset: a folder that `scan` wrote, or one that `join` was run on
    pub(crate) dataset: PathBuf,

    /// Prints nothing; errors remain
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl CommandArgs for ViewsArgs {
    fn run(&self, _caller: &Caller) -> Result<CommandOutcome> {
        mistyped::check_dataset_exists(&self.dataset)?;
        #[cfg(feature = "answers")]
        let tables = history::write_views(&self.dataset)?;
        #[cfg(not(feature = "answers"))]
        let tables = dataset::write_views(&self.dataset)?;
        if self.quiet {
            return Ok(CommandOutcome::ok(""));
        }
        let path = self.dataset.join("views.sql");
        Ok(CommandOutcome::ok(format!(
            "{}: views of {}\n{}",
            escape(&path.to_string_lossy()),
            format_count(tables.len() as u64, "table"),
            next_commands::format_dataset_commands(&self.dataset, &tables)
        )))
    }
}
