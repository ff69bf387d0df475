//! URLs and hosts, in the columns of Common Crawl's indexes.
//!
//! Input: the text of a URL, which may hold any bytes. Output: its normal form, its sort-friendly key (SURT), its origin, and
//! the domains of its host by the Public Suffix List. The package is independent of archives and tables.
//!
//! ```text
//! parsed_url.rs      a URL of any form
//! plain_url.rs       a fast path for most URLs that are in normal form already
//! url_columns.rs     the columns of a URL
//! host_columns.rs    the columns of a host: domains and suffixes
//! surt.rs            sort-friendly keys
//! origin.rs          scheme, host and port
//! domain_runs.rs     the domains of hosts that are sorted by their keys
//! ```

mod domain_runs;
mod host_columns;
mod origin;
mod parsed_url;
mod plain_url;
mod surt;
mod url_columns;

pub use domain_runs::DomainRuns;
pub use host_columns::{HostColumns, host_columns, registered_domain, tld};
pub use origin::{
    WebOrigin, default_port, has_plain_delimiters, strip_root_dot, url_host, write_url_origin,
};
pub use parsed_url::ParsedUrl;
pub use surt::surt_host_name;
pub use url_columns::{UrlColumns, join_url, parse_url};
