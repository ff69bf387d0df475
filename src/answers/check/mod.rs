//! Reports what a robots.txt allows to crawlers, for given URLs and in general.
//!
//! [`check`] takes the bytes of a robots.txt. [`check_host`] finds the authoritative capture of a host
//! in a dataset, a history or an archive, rebuilds its robots.txt from the tables, and reads its text. The text comes
//! from the first of these that has it:
//!
//! 1. the archive (`archive_of_capture.rs`), if its record is the one that was scanned
//!    (`record_body.rs`); this is checked because the archive may have been replaced since the scan;
//! 2. the column `body` of the dataset;
//! 3. the rows of the capture, or of its policy in a history, from which the lines are rebuilt.
//!
//! The results of both are one [`CheckReport`], in which a [`ParsedFile`] computes all that is about crawlers.

mod archive_base;
mod archive_of_capture;
mod archive_problem;
mod capture_details;
mod fetch_command;
mod host;
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
pub use archive_of_capture::ArchivePlace;
pub use archive_problem::ArchiveProblem;
pub use fetch_command::FetchCommand;
pub use host::{HostRequest, check_host};
pub use input_kind::InputKind;
pub use numbered_text::{NumberedText, TextLine, TextSource};
pub use parsed_file::ParsedFile;
pub use report::{
    AgentReport, BodyDetails, CaptureDetails, CategoryPreference, CheckReport, CrawlerVerdict,
    HostReport, RecordDetails, ReportedAnomaly, UrlResult,
};
pub use robots_txt::{CheckRequest, check, read_robots_txt};

/// The maximum number of bytes of a robots.txt that are shown.
const MAX_SHOWN_BYTES: usize = 16 << 20;

/// The maximum size of a robots.txt that is read from a file or from standard input, and of the lines that are read
/// from tables.
pub(crate) const MAX_FILE_BYTES: u64 = 64 << 20;
