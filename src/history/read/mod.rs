//! The inputs of a history: datasets and earlier histories, as captures in one order, each with the state of its host.

pub(crate) mod agents;
pub(crate) mod archive_numbers;
pub mod capture_record;
pub mod captures_by_host;
pub(crate) mod crawl;
pub mod crawl_row;
pub(crate) mod history_captures;
pub mod history_reader;
pub mod host_lookup;
pub(crate) mod inputs;
pub(crate) mod stored_hosts;
