//! The result of a verification.

use super::Findings;
use super::file::FileCheck;

/// The result of a verification.
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    /// The defects.
    pub findings: Findings,
    /// Remarks that are not defects.
    pub notes: Vec<String>,
    /// Checks that were not possible, with the reason.
    pub unchecked: Vec<String>,
    /// True for a file outside a dataset.
    pub is_single_file: bool,
    /// Parts in the manifest.
    pub parts: u64,
    /// Files that were decoded without a defect.
    pub sound_files: u64,
    /// Files that the manifest lists.
    pub files: u64,
    /// Rows of the sound files.
    pub rows: u64,
    /// Captures whose keys were compared.
    pub captures: u64,
    /// Bytes of all files that were checked.
    pub bytes: u64,
    /// The duration in seconds.
    pub seconds: f64,
}

impl VerifyReport {
    /// Returns true if there are no findings.
    pub fn is_sound(&self) -> bool {
        self.findings.count() == 0
    }

    /// Adds a file to the counts.
    pub(super) fn count_file(&mut self, file: FileCheck) {
        self.files += 1;
        self.bytes += file.bytes;
        if file.is_sound {
            self.sound_files += 1;
            self.rows += file.rows;
        }
    }
}
