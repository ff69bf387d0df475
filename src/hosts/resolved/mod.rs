//! Resolves all hosts of a dataset, and writes the tables `hosts`, `host_verdicts` and
//! `host_preferences`.
//!
//! 1. `selection.rs`: selects the authoritative capture of each host, in the order of the
//!    table `hosts`.
//! 2. `rules.rs`: reads the capture whose rules apply: its status, its class, and its rows of
//!    `verdicts` and `file_preferences`. `shared_names.rs` limits how often the names of one file are
//!    repeated.
//! 3. `write.rs`: writes the rows of all three tables. `domain_numbers.rs` numbers the domains of hosts.
//!
//! Memory is bounded by that of the sorters; hosts are numbered in the order of the table, and
//! the results of step 2 are sorted by that number.

mod domain_numbers;
mod ranking;
mod rules;
mod selection;
mod shared_names;
mod short_url;
mod stored_preference;
pub mod stored_verdict;
mod write;

pub use ranking::BlockedName;
pub(super) use short_url::put_short_url;
pub use write::{RESOLVED_FROM, ResolvedFile, ResolvedHosts, resolve_hosts};
