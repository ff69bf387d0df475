//! Reports what a robots.txt allows to crawlers, for given URLs and in general.
//!
//! [`check`] takes the bytes of a robots.txt. [`check_host`] finds the authoritative capture of a host
//! in a dataset, a history or an archive, rebuilds its robots.txt from the tables, and reads its text
//! from the archive, if the archive is available. The results of both are in a [`CheckReport`]. A
//! [`ParsedFile`] computes single results on demand.

mod archive_base;
mod archive_lookup;
mod archive_of_capture;
mod archive_problem;
mod capture_details;
mod host;
mod host_file;
mod host_report;
mod host_text;
mod in_dataset;
mod in_history;
mod input_kind;
mod numbered_text;
mod parsed_file;
mod record_body;
mod report;
mod robots_txt;
mod scanned_archive;

pub use archive_base::{ArchiveBase, BaseUrl};
pub use archive_lookup::{ArchiveLookup, ArchivePlace};
pub use archive_problem::ArchiveProblem;
pub use capture_details::{BodyDetails, CaptureDetails, RecordDetails};
pub use host::check_host;
pub use host_report::{HostReport, HostRequest};
pub use input_kind::InputKind;
pub use numbered_text::{NumberedText, TextLine, TextSource};
pub use parsed_file::{CrawlerVerdict, ParsedFile};
pub use report::{
    AgentReport, CategoryPreference, CheckReport, CrawlerVerdicts, DecidingRule, ReportedAnomaly,
    UrlResult,
};
pub use robots_txt::{CheckRequest, check, read_robots_txt};

/// The maximum number of bytes of a robots.txt that are shown.
const MAX_SHOWN_BYTES: usize = 16 << 20;

/// The maximum size of a robots.txt that is read from a file or from standard input, and of the lines that are read
/// from tables.
pub(crate) const MAX_FILE_BYTES: u64 = 64 << 20;
