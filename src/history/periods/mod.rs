//! The periods of hosts, and of the crawlers that their policies name.

pub(crate) mod agent_periods;
pub(crate) mod counted_domain;
mod open_host;
pub(crate) mod period_writer;
mod used_keys;
