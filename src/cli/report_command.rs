//! `robots-scan report`, which only the Python package has.

use crate::args::ReportArgs;
use crate::usage_error::UsageError;
use anyhow::Result;

/// Says what to install. The Python package runs its own command before this one.
pub(crate) fn run(_: &ReportArgs) -> Result<u8> {
    let text = "the report comes with the Python package, not with this program";
    let hint =
        "in a clone of the repository, 'make venv' installs it: then .venv/bin/robots-scan report";
    Err(UsageError::with_hint(text, hint).into())
}
