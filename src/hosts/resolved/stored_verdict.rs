//! Reads verdicts back from the table `verdicts`.

use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::{Code, Word, row};
use errors::Error;
use robots::{Basis, Verdict};
use sort::record;
use std::path::Path;
use tables::{StoredVerdict, Table};

/// The limit of the size in memory of the rows of a capture in `verdicts`, and of those in
/// `file_preferences`, in bytes. The rows of a body of 16 MiB of the shortest names take 25 MiB.
const MAX_CAPTURE_BYTES: usize = 64 << 20;

row! {
    /// A row of `verdicts`.
    pub(super) struct VerdictRow<'a> of Table::VERDICTS {
        pub(super) robots_id: i64,
        pub(super) agent: &'a str,
        verdict: Word<Verdict>,
        verdict_google: Word<Verdict>,
        verdict_rfc9309: Word<Verdict>,
        verdict_koster1996: Word<Verdict>,
        basis: Word<Basis>,
        root_allowed: bool,
        n_allow: i32,
        n_disallow: i32,
        crawl_delay_ms: Option<i64>,
        evidence_line: Option<i32>,
    }
}

impl VerdictRow<'_> {
    pub(super) fn verdict(&self) -> StoredVerdict {
        StoredVerdict {
            verdicts: [
                self.verdict.0,
                self.verdict_google.0,
                self.verdict_rfc9309.0,
                self.verdict_koster1996.0,
            ],
            basis: self.basis.0,
            root_allowed: self.root_allowed,
            n_allow: self.n_allow,
            n_disallow: self.n_disallow,
            crawl_delay_ms: self.crawl_delay_ms,
            evidence_line: self.evidence_line,
        }
    }
}

record! {
    /// A verdict in a sort record.
    pub(super) struct VerdictFields {
        verdicts: (Code<Verdict>, Code<Verdict>, Code<Verdict>, Code<Verdict>),
        basis: Code<Basis>,
        root_allowed: bool,
        n_allow: i32,
        n_disallow: i32,
        crawl_delay_ms: Option<i64>,
        evidence_line: Option<i32>,
    }
}

impl From<StoredVerdict> for VerdictFields {
    fn from(verdict: StoredVerdict) -> Self {
        let [own, google, rfc9309, koster1996] = verdict.verdicts.map(Code);
        Self {
            verdicts: (own, google, rfc9309, koster1996),
            basis: Code(verdict.basis),
            root_allowed: verdict.root_allowed,
            n_allow: verdict.n_allow,
            n_disallow: verdict.n_disallow,
            crawl_delay_ms: verdict.crawl_delay_ms,
            evidence_line: verdict.evidence_line,
        }
    }
}

impl From<VerdictFields> for StoredVerdict {
    fn from(fields: VerdictFields) -> Self {
        let (own, google, rfc9309, koster1996) = fields.verdicts;
        Self {
            verdicts: [own.0, google.0, rfc9309.0, koster1996.0],
            basis: fields.basis.0,
            root_allowed: fields.root_allowed,
            n_allow: fields.n_allow,
            n_disallow: fields.n_disallow,
            crawl_delay_ms: fields.crawl_delay_ms,
            evidence_line: fields.evidence_line,
        }
    }
}

/// Returns an error if `record`, which holds the rows of a capture in a table, exceeds [`MAX_CAPTURE_BYTES`].
pub(super) fn check_capture_bytes(record: &[u8], table: Table) -> Result<(), Error> {
    if record.len() <= MAX_CAPTURE_BYTES {
        return Ok(());
    }
    let defect = DatasetDefect::lines_too_large(table.name(), MAX_CAPTURE_BYTES);
    Err(Error::new(
        DatasetErrorKind::NotADataset(defect),
        Path::new(""),
    ))
}

/// Returns the error that the rows of a table contradict `robots_files`.
pub fn inconsistent_table_error(table: &'static str) -> Error {
    DatasetDefect::inconsistent(table).error(Path::new(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sort::Field;

    #[test]
    fn verdicts_are_read_as_they_were_written() {
        for (i, basis) in (0..).zip(Basis::ALL) {
            let verdict = StoredVerdict {
                verdicts: Verdict::ALL,
                basis,
                root_allowed: i % 2 == 0,
                n_allow: i,
                n_disallow: i32::MAX,
                crawl_delay_ms: (i % 3 == 0).then_some(500),
                evidence_line: (i % 3 == 1).then_some(7),
            };
            let mut out = Vec::new();
            VerdictFields::from(verdict).write(&mut out);
            let read = sort::read::<VerdictFields>(&out);
            assert_eq!(StoredVerdict::from(read), verdict);
        }
    }

    #[test]
    fn the_rows_of_a_capture_have_a_limit() {
        let check = |bytes: usize| check_capture_bytes(&vec![0; bytes], Table::VERDICTS);
        assert!(check(MAX_CAPTURE_BYTES).is_ok());
        let error = check(MAX_CAPTURE_BYTES + 1).unwrap_err().to_string();
        assert!(error.contains("`verdicts`"), "{error}");
    }
}
