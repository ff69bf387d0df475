//! A host to check, and the results.

use super::archive_base::ArchiveBase;
use super::archive_lookup::ArchiveLookup;
use super::capture_details::CaptureDetails;
use super::numbered_text::NumberedText;
use super::report::CheckReport;
use hosts::Host;
use remote::Remote;
use robots::StatusEffect;
use std::path::Path;

/// A host to check in a dataset or an archive.
#[derive(Clone, Copy, Debug)]
pub struct HostRequest<'a> {
    /// The folder of a dataset or a history, or an archive.
    pub path: &'a Path,
    pub host: &'a Host,
    /// The crawls that are read; if empty, all.
    pub crawls: &'a [String],
    /// The time for which the host is checked, in milliseconds since 1970;
    /// `None` for the newest capture.
    pub as_of: Option<i64>,
    /// The number of bytes of a body within which a line must end to count, if `path` is an archive. For a
    /// dataset, the limit of its scan applies.
    pub body_limit: Option<u64>,
    /// The folder or URL where the archives are found; `None` if the names of archives are their paths.
    pub base: Option<&'a ArchiveBase>,
    /// The client that reads archives at URLs.
    pub remote: Option<&'a Remote>,
}

/// The results of checking a host, and the captures that they are based on.
#[derive(Debug)]
pub struct HostReport {
    /// The form of the host name, with or without a leading `www`, that has captures; `None` if it is the
    /// requested one.
    pub other_form: Option<Host>,
    /// The authoritative capture.
    pub capture: CaptureDetails,
    /// The capture that holds the rules, if it is not the authoritative one: the end of a redirect chain,
    /// or the capture with the content of a revisit.
    pub rules_capture: Option<CaptureDetails>,
    /// The number of redirects from the authoritative capture to the robots.txt that applies, in a history,
    /// which does not store the places of the redirected records. 0 in a dataset.
    pub redirects_without_place: u32,
    /// The effect of the HTTP status; `None` if the body decides.
    pub effect: Option<StatusEffect>,
    /// The verdicts, the results for URLs, and the anomalies.
    pub report: CheckReport,
    /// True if the dataset has the table `anomalies`.
    pub has_anomalies: bool,
    /// The number of faults of a scanned archive, each of which may hide captures; 0 for a dataset.
    pub faults: u64,
    /// The archive of the capture whose rules apply.
    pub archive: ArchiveLookup,
    /// The text of the robots.txt; `None` if no robots.txt applies.
    pub text: Option<NumberedText>,
}

impl HostReport {
    /// Returns the capture whose rules apply.
    pub fn deciding_capture(&self) -> &CaptureDetails {
        self.rules_capture.as_ref().unwrap_or(&self.capture)
    }
}
