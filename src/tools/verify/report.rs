//! The result of a verification.

use super::Findings;
use super::file::FileCheck;

/// The result of a verification.
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
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
    /// The rows in the files without a defect.
    pub rows: u64,
    /// Captures whose keys were compared.
    pub captures: u64,
    /// Bytes of all files that were checked.
    pub bytes: u64,
    pub seconds: f64,
}

impl VerifyReport {
    /// Returns true if there are no findings.
    pub fn is_sound(&self) -> bool {
        self.findings.count() == 0
    }

    /// Adds the report on a dataset in a subfolder.
    pub(super) fn add_member(&mut self, folder: &str, mut other: Self) {
        other.findings.put_below(folder);
        self.findings.append(other.findings);
        let below = |text: String| format!("{folder}: {text}");
        self.notes.extend(other.notes.into_iter().map(below));
        self.unchecked
            .extend(other.unchecked.into_iter().map(below));
        self.parts += other.parts;
        self.sound_files += other.sound_files;
        self.files += other.files;
        self.rows += other.rows;
        self.captures += other.captures;
        self.bytes += other.bytes;
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
