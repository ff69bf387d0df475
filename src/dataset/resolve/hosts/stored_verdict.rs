//! Verdicts of `verdicts`, `hosts` and `host_verdicts`, read back.

use crate::column;
use crate::error::{DatasetDefect, DatasetErrorKind};
use crate::external_sort::sort_key::{FieldReader, put_u8, put_u32, put_u64};
use crate::tables::AgentVerdict;
use arrow_array::{
    Array, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use disk::error::Error;
use robots::{Basis, Verdict};
use std::path::Path;

/// The columns that are read.
pub(super) const COLUMNS: [&str; 12] = [
    "robots_id",
    "agent",
    "verdict",
    "verdict_google",
    "verdict_rfc9309",
    "verdict_koster1996",
    "basis",
    "root_allowed",
    "n_allow",
    "n_disallow",
    "crawl_delay",
    "evidence_line",
];

const VERDICTS: [Verdict; 4] = [
    Verdict::DisallowAll,
    Verdict::Partial,
    Verdict::AllowAll,
    Verdict::Unknown,
];

const BASES: [Basis; 9] = [
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

/// A batch of rows of `verdicts`.
pub(super) struct VerdictRows {
    pub(super) robots_id: Int64Array,
    pub(super) agent: StringArray,
    columns: VerdictColumns,
}

impl VerdictRows {
    pub(super) fn new(batch: &RecordBatch) -> Result<Self, Error> {
        Ok(Self {
            robots_id: owned(batch, "robots_id")?,
            agent: owned(batch, "agent")?,
            columns: VerdictColumns::new(batch, "")?,
        })
    }

    pub(super) fn verdict(&self, row: usize) -> Result<AgentVerdict, Error> {
        self.columns.verdict(row)
    }
}

/// The columns of a batch that hold a verdict.
pub struct VerdictColumns {
    verdicts: [StringArray; 4],
    basis: StringArray,
    root_allowed: BooleanArray,
    n_allow: Int32Array,
    n_disallow: Int32Array,
    crawl_delay: Float64Array,
    evidence_line: Int32Array,
}

impl VerdictColumns {
    /// Returns the columns whose names begin with `prefix`: none in `verdicts` and
    /// `host_verdicts`, and `wildcard_` in `hosts`.
    pub fn new(batch: &RecordBatch, prefix: &str) -> Result<Self, Error> {
        let name = |name: &str| format!("{prefix}{name}");
        Ok(Self {
            verdicts: [
                owned(batch, &name("verdict"))?,
                owned(batch, &name("verdict_google"))?,
                owned(batch, &name("verdict_rfc9309"))?,
                owned(batch, &name("verdict_koster1996"))?,
            ],
            basis: owned(batch, &name("basis"))?,
            root_allowed: owned(batch, &name("root_allowed"))?,
            n_allow: owned(batch, &name("n_allow"))?,
            n_disallow: owned(batch, &name("n_disallow"))?,
            crawl_delay: owned(batch, &name("crawl_delay"))?,
            evidence_line: owned(batch, &name("evidence_line"))?,
        })
    }

    /// Returns the verdict of a row.
    pub fn verdict(&self, row: usize) -> Result<AgentVerdict, Error> {
        let mut verdicts = [Verdict::Unknown; 4];
        for (verdict, column) in verdicts.iter_mut().zip(&self.verdicts) {
            *verdict = known(&VERDICTS, Verdict::name, column.value(row))?;
        }
        Ok(AgentVerdict {
            verdicts,
            basis: known(&BASES, Basis::name, self.basis.value(row))?,
            root_allowed: self.root_allowed.value(row),
            n_allow: self.n_allow.value(row),
            n_disallow: self.n_disallow.value(row),
            crawl_delay: self
                .crawl_delay
                .is_valid(row)
                .then(|| self.crawl_delay.value(row)),
            evidence_line: self
                .evidence_line
                .is_valid(row)
                .then(|| self.evidence_line.value(row)),
        })
    }
}

fn owned<T: Array + Clone + 'static>(batch: &RecordBatch, name: &str) -> Result<T, Error> {
    column::<T>(batch, name).cloned()
}

/// Returns the value with a name.
fn known<T: Copy>(all: &[T], name_of: fn(T) -> &'static str, name: &str) -> Result<T, Error> {
    let found = all.iter().find(|value| name_of(**value) == name);
    found.copied().ok_or_else(|| inconsistent("verdicts"))
}

/// Returns the error that a table does not fit `robots_files`.
pub fn inconsistent(table: &'static str) -> Error {
    let kind = DatasetErrorKind::NotADataset(DatasetDefect::Inconsistent { table });
    Error::new(kind, Path::new(""))
}

const HAS_DELAY: u8 = 1;
const HAS_LINE: u8 = 2;
const ROOT_ALLOWED: u8 = 4;

/// Writes verdicts as fields of a record.
pub fn put_verdict(out: &mut Vec<u8>, verdict: &AgentVerdict) {
    for verdict in verdict.verdicts {
        put_u8(out, verdict as u8);
    }
    put_u8(out, verdict.basis as u8);
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    put_u8(
        out,
        flag(verdict.crawl_delay.is_some(), HAS_DELAY)
            | flag(verdict.evidence_line.is_some(), HAS_LINE)
            | flag(verdict.root_allowed, ROOT_ALLOWED),
    );
    put_u32(out, verdict.n_allow.cast_unsigned());
    put_u32(out, verdict.n_disallow.cast_unsigned());
    if let Some(delay) = verdict.crawl_delay {
        put_u64(out, delay.to_bits());
    }
    if let Some(line) = verdict.evidence_line {
        put_u32(out, line.cast_unsigned());
    }
}

/// Reads the fields that [`put_verdict`] wrote.
pub fn read_verdict(fields: &mut FieldReader<'_>) -> AgentVerdict {
    let verdicts = [(); 4].map(|()| VERDICTS[usize::from(fields.u8())]);
    let basis = BASES[usize::from(fields.u8())];
    let flags = fields.u8();
    AgentVerdict {
        verdicts,
        basis,
        root_allowed: flags & ROOT_ALLOWED != 0,
        n_allow: fields.u32().cast_signed(),
        n_disallow: fields.u32().cast_signed(),
        crawl_delay: (flags & HAS_DELAY != 0).then(|| f64::from_bits(fields.u64())),
        evidence_line: (flags & HAS_LINE != 0).then(|| fields.u32().cast_signed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_as_they_were_written() {
        for (i, basis) in BASES.into_iter().enumerate() {
            let verdict = AgentVerdict {
                verdicts: VERDICTS,
                basis,
                root_allowed: i % 2 == 0,
                n_allow: i as i32,
                n_disallow: i32::MAX,
                crawl_delay: (i % 3 == 0).then_some(0.5),
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
            VERDICTS
                .into_iter()
                .enumerate()
                .all(|(i, verdict)| verdict as usize == i)
        );
        assert_eq!(
            known(&VERDICTS, Verdict::name, "partial").unwrap(),
            Verdict::Partial
        );
        assert!(known(&VERDICTS, Verdict::name, "maybe").is_err());
    }
}
