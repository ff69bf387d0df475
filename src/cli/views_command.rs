//! `robots-scan views`: writes `views.sql` of a dataset again.

use crate::args::ViewsArgs;
use crate::escape::escape;
use crate::quantity::format_count;
use crate::{exit, mistyped, next_commands, output};
use anyhow::Result;

pub(crate) fn run(args: &ViewsArgs) -> Result<u8> {
    mistyped::check_dataset_exists(&args.dataset)?;
    let tables = dataset::write_views(&args.dataset)?;
    if !args.quiet {
        let path = args.dataset.join("views.sql");
        output::print(format!(
            "{}: views of {}\n{}",
            escape(&path.to_string_lossy()),
            format_count(tables.len() as u64, "table"),
            next_commands::format_dataset_commands(&args.dataset, &tables)
        ))?;
    }
    Ok(exit::OK)
}
