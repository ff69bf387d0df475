//! The registry of crawlers, as stored with a crawl.

use crate::error::damaged_error;
use dataset::{Encoding, row};
use errors::Error;
use std::collections::BTreeSet;
use tables::Table;

row! {
    /// A crawler of the registry.
    pub(crate) struct AgentRow<'a> of Table::AGENTS {
        pub(crate) agent: &'a [u8],
        pub(crate) fallbacks: Option<&'a [u8]>,
        pub(crate) ignores_wildcard: bool,
    }
}

pub(crate) const AGENT: Encoding<AgentRow<'static>> = Encoding::of(Table::AGENTS.columns());

/// Returns an error without a path if a crawler has two rows in the registry.
pub(crate) fn check_agents(rows: &[Vec<u8>]) -> Result<(), Error> {
    let names: BTreeSet<&[u8]> = rows.iter().map(|row| AGENT.read(row).agent).collect();
    if names.len() == rows.len() {
        Ok(())
    } else {
        Err(damaged_error(Table::AGENTS))
    }
}
