use super::agent_periods::VERDICT;
use super::{POLICY_ID, column_of, concatenate};
use tables::{Column, Table};

pub(crate) const ABOUT: &str = "One row per policy and crawler that it names, as in `host_verdicts`. Sorted by `policy_id`, then by `agent`.";

const KEYS: [Column; 2] = [
    POLICY_ID,
    column_of(Table::HOST_VERDICTS.columns(), "agent"),
];

const EVIDENCE: Column = column_of(Table::HOST_VERDICTS.columns(), "evidence_line");

const VERDICT_AND_EVIDENCE: [Column; VERDICT.len() + 1] = concatenate(&VERDICT, &[EVIDENCE]);

pub(crate) const COLUMNS: &[Column] =
    &concatenate::<{ KEYS.len() + VERDICT_AND_EVIDENCE.len() }>(&KEYS, &VERDICT_AND_EVIDENCE);

pub(crate) const DERIVED_COLUMNS: &[Column] = &[];
