//! The periods of hosts, and of the crawlers that their policies name.

pub(crate) mod agent_periods;
pub(crate) mod counted_domain;
pub(crate) mod period_writer;
