//! Reports what a robots.txt allows to crawlers, for given URLs and in general.
//!
//! [`check`] takes the bytes of a robots.txt. [`check_host`] finds the
//! authoritative capture of a host in a dataset, a history or an archive, and rebuilds its
//! robots.txt from the tables. Both return a [`CheckReport`]. A [`ParsedFile`] computes single results
//! on demand.

mod archive;
mod capture_details;
mod host;
pub(crate) mod in_history;
mod input_kind;
mod parsed_file;
mod report;
mod robots_txt;

pub use capture_details::{BodyDetails, CaptureDetails, RecordDetails};
pub use host::{HostReport, HostRequest, check_host};
pub use input_kind::InputKind;
pub use parsed_file::{CrawlerVerdict, ParsedFile};
pub use report::{
    AgentReport, CategoryPreference, CheckReport, CrawlerVerdicts, DecidingRule, ReportedAnomaly,
    UrlResult,
};
pub use robots_txt::{CheckRequest, check, read_robots_txt};
