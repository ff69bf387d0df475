use super::{POLICY_ID, columns_of, concatenate};
use crate::tables::column::Column;
use crate::tables::host_verdicts;
use crate::tables::record_rows::RecordRows;

pub(crate) const ABOUT: &str = "One row per policy and crawler that it names, as in `host_verdicts`. Sorted by `policy_id`, then by `agent`.";

const VERDICTS: [Column; 11] = columns_of(
    host_verdicts::COLUMNS,
    [
        "agent",
        "verdict",
        "verdict_google",
        "verdict_rfc9309",
        "verdict_koster1996",
        "basis",
        "root_allowed",
        "n_allow",
        "n_disallow",
        "crawl_delay_ms",
        "evidence_line",
    ],
);

pub(crate) const COLUMNS: &[Column] =
    &concatenate::<{ VERDICTS.len() + 1 }>(&[POLICY_ID], &VERDICTS);

pub(crate) const DERIVED: &[Column] = &[];

pub(crate) fn record_rows() -> Option<Box<dyn RecordRows>> {
    None
}
