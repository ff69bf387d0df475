//! The result of a verification.

use super::Findings;
use super::file::FileCheck;

/// The findings of a verification, the checks that were not possible, and the counts of what was
/// checked.
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    /// The defects.
    pub findings: Findings,
    /// Remarks that are not defects.
    pub notes: Vec<String>,
    /// Checks that were not possible, with the reason.
    pub unchecked: Vec<String>,
    /// True if a single file outside a dataset was verified.
    pub is_single_file: bool,
    /// The parts that the manifest lists.
    pub parts: u64,
    /// The number of crawls of a history; `None` for a dataset, which has parts instead.
    pub crawls: Option<u64>,
    /// Files with the right columns, and with the right digest or with pages that were all decoded.
    pub sound_files: u64,
    /// Files that were checked.
    pub files: u64,
    /// Rows of the sound files.
    pub rows: u64,
    /// The captures that the manifest lists.
    pub captures: u64,
    /// Bytes of all files that were checked.
    pub bytes: u64,
    /// The wall time.
    pub seconds: f64,
}

impl VerifyReport {
    /// Returns true if there are no findings.
    pub fn is_sound(&self) -> bool {
        self.findings.count() == 0
    }

    /// Adds the report on the joined dataset in the subfolder `folder`, whose name is prepended to paths
    /// and remarks.
    pub(super) fn add_member(&mut self, folder: &str, mut other: Self) {
        other.findings.prepend_folder(folder);
        self.findings.append(other.findings);
        let prepend_folder = |text: String| format!("{folder}: {text}");
        self.notes
            .extend(other.notes.into_iter().map(prepend_folder));
        self.unchecked
            .extend(other.unchecked.into_iter().map(prepend_folder));
        self.parts += other.parts;
        self.sound_files += other.sound_files;
        self.files += other.files;
        self.rows += other.rows;
        self.captures += other.captures;
        self.bytes += other.bytes;
    }

    /// Adds the result of checking a file to the counts.
    pub(super) fn count_file(&mut self, file: FileCheck) {
        self.files += 1;
        self.bytes += file.bytes;
        if file.is_sound {
            self.sound_files += 1;
            self.rows += file.rows;
        }
    }
}
