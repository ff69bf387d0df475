//! Finds the states that apply to revisits whose content another host has, for `match`.

use super::damaged_history_error;
use super::history_input::HistoryReader;
use crate::own_tables;
use dataset::{CaptureFilter, StoredColumns, stored_columns, value};
use disk::error::Error;
use sort::sort_key::{put_i64, put_u32};
use sort::{SortMemory, SortedRecords};

/// The number of bytes of the key of a period: `host_no` and `period_no`.
const PERIOD_KEY_BYTES: usize = size_of::<i64>() + size_of::<u32>();

stored_columns! {
    struct RulesColumns of own_tables::HOST_CAPTURES {
        capture_no: Long,
        host_no: Long,
        rules_host_no: Long,
        rules_period_no: Int,
    }
}

/// Returns the revisits of a history whose content another host has. A record has the number of that host and of the
/// period with the content, which is its sort key, the number of the host of the revisit, and the position of its crawl.
///
/// # Errors
///
/// Those of reading.
pub fn read_revisits_of_other_hosts<'s>(
    history: &HistoryReader,
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let mut revisits = memory.create_sorter();
    let mut record = Vec::new();
    let (table, all) = (own_tables::HOST_CAPTURES, CaptureFilter::All);
    let read = &mut |_, batch: &_| {
        let columns = RulesColumns::from_batch(batch)?;
        let rules_hosts = (0..columns.host_no.len()).zip(&columns.rules_host_no);
        for (row, rules_host) in rules_hosts {
            let host_no = columns.host_no.value(row);
            let Some(rules_host) = rules_host.filter(|other| *other != host_no) else {
                continue;
            };
            let period_no = value(&columns.rules_period_no, row).unwrap_or_default();
            record.clear();
            put_i64(&mut record, rules_host);
            put_u32(&mut record, period_no.cast_unsigned());
            put_i64(&mut record, host_no);
            put_u32(&mut record, (columns.capture_no.value(row) >> 32) as u32);
            revisits.push(&record)?;
        }
        Ok(())
    };
    history
        .dataset()
        .read(table, RulesColumns::NAMES, &all, read)?;
    revisits.finish()
}

/// Returns the states that apply to `revisits`, which [`read_revisits_of_other_hosts`] returned. `states` has the states
/// of periods, each after the key of its period (`host_no`, `period_no`). A record of the result has the number of the
/// host of the revisit, the position of its crawl, and the state; the first two are its sort key.
///
/// # Errors
///
/// Those of reading; [`DatasetDefect::BadTable`](dataset::error::DatasetDefect::BadTable) if a period is unknown.
pub fn read_filled_states<'s>(
    history: &HistoryReader,
    revisits: &SortedRecords<'_>,
    states: &SortedRecords<'_>,
    memory: SortMemory<'s>,
) -> Result<SortedRecords<'s>, Error> {
    let (mut revisits, mut states) = (revisits.read()?, states.read()?);
    let mut filled = memory.create_sorter();
    let mut record = Vec::new();
    while let Some(revisit) = revisits.peek() {
        let (period, of_revisit) = revisit.split_at(PERIOD_KEY_BYTES);
        states.skip_to_key(period)?;
        let state = states.peek().and_then(|state| state.strip_prefix(period));
        let state = state
            .ok_or_else(|| damaged_history_error(history.root(), own_tables::HOST_CAPTURES))?;
        record.clear();
        record.extend_from_slice(of_revisit);
        record.extend_from_slice(state);
        filled.push(&record)?;
        revisits.advance()?;
    }
    filled.finish()
}
