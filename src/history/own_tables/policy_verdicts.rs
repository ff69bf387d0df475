use super::{POLICY_ID, columns_of, concatenate};
use tables::{Column, Table};

pub(crate) const ABOUT: &str = "One row per policy and crawler that it names, as in `host_verdicts`. Sorted by `policy_id`, then by `agent`.";

const VERDICTS: [Column; 11] = columns_of(
    Table::HOST_VERDICTS.columns(),
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

pub(crate) const DERIVED_COLUMNS: &[Column] = &[];
