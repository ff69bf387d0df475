//! `robots-scan views`: writes `views.sql` of a dataset again.

use crate::args::ViewsArgs;
use crate::escape::escape;
use crate::plural::counted;
use crate::{exit, shell};
use anyhow::Result;
use robots_scan::dataset;
use std::io::Write;

pub(crate) fn run(args: &ViewsArgs) -> Result<u8> {
    let tables = dataset::write_views(&args.dataset)?;
    if !args.quiet {
        let path = args.dataset.join("views.sql");
        writeln!(
            std::io::stdout().lock(),
            "{}: views of {}\nopen it: duckdb -init {}",
            escape(&path.to_string_lossy()),
            counted(tables as u64, "table"),
            shell::quoted(&path.to_string_lossy())
        )?;
    }
    Ok(exit::OK)
}
