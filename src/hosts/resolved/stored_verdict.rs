//! Reads verdicts back from the table `verdicts`.

use arrow_array::{RecordBatch, StringArray};
use dataset::error::{DatasetDefect, DatasetErrorKind};
use dataset::{StoredColumns, stored_columns, value};
use disk::error::Error;
use robots::{Basis, Verdict};
use sort::sort_key::{FieldReader, put_i64, put_u8, put_u32};
use std::path::Path;
use tables::{StoredVerdict, Table};

/// The limit of the size in memory of the rows of a capture in `verdicts`, and of those in
/// `file_preferences`, in bytes. The rows of a body of 16 MiB of the shortest names take 25 MiB.
const MAX_CAPTURE_BYTES: usize = 64 << 20;

/// All verdicts. A sort record stores a verdict as its index in this array.
const VERDICTS_BY_CODE: [Verdict; 4] = [
    Verdict::DisallowAll,
    Verdict::Partial,
    Verdict::AllowAll,
    Verdict::Unknown,
];

/// All bases. A sort record stores a basis as its index in this array.
const BASES_BY_CODE: [Basis; 9] = [
    Basis::Explicit,
    Basis::Wildcard,
    Basis::NoGroup,
    Basis::NoRules,
    Basis::Empty,
    Basis::Html,
    Basis::Binary,
    Basis::HttpStatus,
    Basis::TooComplex,
];

stored_columns! {
    /// The columns of `verdicts` that hold a verdict.
    struct VerdictColumns of Table::VERDICTS {
        verdict: Text,
        verdict_google: Text,
        verdict_rfc9309: Text,
        verdict_koster1996: Text,
        basis: Text,
        root_allowed: Bool,
        n_allow: Int,
        n_disallow: Int,
        crawl_delay_ms: Long,
        evidence_line: Int,
    }
}

stored_columns! {
    /// The columns of the capture and the name to which a verdict belongs.
    pub(super) struct NameColumns of Table::VERDICTS {
        robots_id: Long,
        agent: Text,
    }
}

/// A batch of rows of `verdicts`.
pub(super) struct VerdictRows {
    pub(super) names: NameColumns,
    verdicts: VerdictColumns,
}

impl VerdictRows {
    pub(super) fn column_names() -> Vec<&'static str> {
        [NameColumns::NAMES, VerdictColumns::NAMES].concat()
    }

    pub(super) fn from_batch(batch: &RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            names: NameColumns::from_batch(batch)?,
            verdicts: VerdictColumns::from_batch(batch)?,
        })
    }

    pub(super) fn verdict(&self, row: usize) -> Result<StoredVerdict, Error> {
        self.verdicts.verdict(row)
    }
}

impl VerdictColumns {
    /// Reads the verdict of a row. Fails if a name of a verdict or a basis is unknown.
    fn verdict(&self, row: usize) -> Result<StoredVerdict, Error> {
        let verdict = |column: &StringArray| {
            find_by_name(&VERDICTS_BY_CODE, Verdict::name, column.value(row))
        };
        Ok(StoredVerdict {
            verdicts: [
                verdict(&self.verdict)?,
                verdict(&self.verdict_google)?,
                verdict(&self.verdict_rfc9309)?,
                verdict(&self.verdict_koster1996)?,
            ],
            basis: find_by_name(&BASES_BY_CODE, Basis::name, self.basis.value(row))?,
            root_allowed: self.root_allowed.value(row),
            n_allow: self.n_allow.value(row),
            n_disallow: self.n_disallow.value(row),
            crawl_delay_ms: value(&self.crawl_delay_ms, row),
            evidence_line: value(&self.evidence_line, row),
        })
    }
}

/// Returns the value in `all` that has this name.
fn find_by_name<T: Copy>(
    all: &[T],
    name_of: fn(T) -> &'static str,
    name: &str,
) -> Result<T, Error> {
    let found = all.iter().find(|value| name_of(**value) == name);
    found
        .copied()
        .ok_or_else(|| inconsistent_table_error("verdicts"))
}

/// Returns an error if `record`, which holds the rows of a capture in a table, exceeds [`MAX_CAPTURE_BYTES`].
pub(super) fn check_capture_bytes(record: &[u8], table: Table) -> Result<(), Error> {
    if record.len() <= MAX_CAPTURE_BYTES {
        return Ok(());
    }
    let defect = DatasetDefect::too_many_lines(table.name(), MAX_CAPTURE_BYTES);
    Err(Error::new(
        DatasetErrorKind::NotADataset(defect),
        Path::new(""),
    ))
}

/// Returns the error that the rows of a table contradict `robots_files`.
pub fn inconsistent_table_error(table: &'static str) -> Error {
    DatasetDefect::inconsistent(table).error(Path::new(""))
}

// Bits of the byte of flags in the fields that `put_verdict` writes.
const HAS_DELAY_FLAG: u8 = 1;
const HAS_LINE_FLAG: u8 = 2;
const ROOT_ALLOWED_FLAG: u8 = 4;

/// Appends verdicts as fields of a record.
pub(super) fn put_verdict(out: &mut Vec<u8>, verdict: &StoredVerdict) {
    for verdict in verdict.verdicts {
        put_u8(out, verdict as u8);
    }
    put_u8(out, verdict.basis as u8);
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    put_u8(
        out,
        flag(verdict.crawl_delay_ms.is_some(), HAS_DELAY_FLAG)
            | flag(verdict.evidence_line.is_some(), HAS_LINE_FLAG)
            | flag(verdict.root_allowed, ROOT_ALLOWED_FLAG),
    );
    put_u32(out, verdict.n_allow.cast_unsigned());
    put_u32(out, verdict.n_disallow.cast_unsigned());
    if let Some(delay) = verdict.crawl_delay_ms {
        put_i64(out, delay);
    }
    if let Some(line) = verdict.evidence_line {
        put_u32(out, line.cast_unsigned());
    }
}

/// Reads the fields that [`put_verdict`] wrote.
pub(super) fn read_verdict(fields: &mut FieldReader<'_>) -> StoredVerdict {
    let verdicts = [(); 4].map(|()| VERDICTS_BY_CODE[usize::from(fields.u8())]);
    let basis = BASES_BY_CODE[usize::from(fields.u8())];
    let flags = fields.u8();
    StoredVerdict {
        verdicts,
        basis,
        root_allowed: flags & ROOT_ALLOWED_FLAG != 0,
        n_allow: fields.u32().cast_signed(),
        n_disallow: fields.u32().cast_signed(),
        crawl_delay_ms: (flags & HAS_DELAY_FLAG != 0).then(|| fields.i64()),
        evidence_line: (flags & HAS_LINE_FLAG != 0).then(|| fields.u32().cast_signed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_as_they_were_written() {
        for (i, basis) in BASES_BY_CODE.into_iter().enumerate() {
            let verdict = StoredVerdict {
                verdicts: VERDICTS_BY_CODE,
                basis,
                root_allowed: i % 2 == 0,
                n_allow: i as i32,
                n_disallow: i32::MAX,
                crawl_delay_ms: (i % 3 == 0).then_some(500),
                evidence_line: (i % 3 == 1).then_some(7),
            };
            assert_eq!(basis as usize, i);
            let mut out = Vec::new();
            put_verdict(&mut out, &verdict);
            let mut fields = FieldReader::new(&out);
            assert_eq!(read_verdict(&mut fields), verdict);
            assert!(fields.rest().is_empty());
        }
        assert!(
            VERDICTS_BY_CODE
                .into_iter()
                .enumerate()
                .all(|(i, verdict)| verdict as usize == i)
        );
        assert_eq!(
            find_by_name(&VERDICTS_BY_CODE, Verdict::name, "partial").unwrap(),
            Verdict::Partial
        );
        assert!(find_by_name(&VERDICTS_BY_CODE, Verdict::name, "maybe").is_err());
    }

    #[test]
    fn the_rows_of_a_capture_have_a_limit() {
        let check = |bytes: usize| check_capture_bytes(&vec![0; bytes], Table::VERDICTS);
        assert!(check(MAX_CAPTURE_BYTES).is_ok());
        let error = check(MAX_CAPTURE_BYTES + 1).unwrap_err().to_string();
        assert!(error.contains("`verdicts`"), "{error}");
    }
}
