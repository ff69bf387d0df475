//! Checks whether the tables of a history refer to each other.

use super::capture_record::{CaptureRecord, StateFields};
use super::damaged_error;
use super::history_input::{HistoryCaptures, HistoryReader};
use super::keyed_rows::{
    KEY_BYTES, KeyedReader, KeyedTables, POLICIES, PREFERENCE_SETS, key_from_text,
};
use dataset::HistoryManifest;
use dataset::external_sort::sort_key::FieldReader;
use dataset::tables::Table;
use disk::error::Error;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns the first defect of the rows of a history: an order or a reference that is wrong. Takes 16 bytes
/// of memory per policy.
pub(crate) fn find_defect(root: &Path, manifest: &HistoryManifest) -> Option<Error> {
    check_rows(root, manifest).err()
}

fn check_rows(root: &Path, manifest: &HistoryManifest) -> Result<(), Error> {
    let history = HistoryReader::open(root, manifest, &Arc::new(AtomicBool::new(false)))?;
    let names = history.crawls.iter().map(|row| &row.crawl);
    let is_sorted = history.crawls.is_sorted_by(|a, b| a.order() < b.order());
    if !names.eq(&manifest.crawls) || !is_sorted {
        return Err(damaged_error(Table::Crawls));
    }
    let policies = read_keys(&history, POLICIES)?;
    let sets = read_keys(&history, PREFERENCE_SETS)?;
    let none = BTreeSet::new();
    let mut captures = HistoryCaptures::open(&history, history.places(), &none)?;
    let mut last: (Vec<u8>, u32) = (Vec::new(), 0);
    let mut count: u64 = 0;
    while let Some((record, position)) = captures.peek() {
        let mut fields = FieldReader::new(record);
        let key_bytes = fields.key().len() + size_of::<i64>();
        let order = (&record[..key_bytes], position);
        if count > 0 && order <= (&last.0[..], last.1) {
            return Err(damaged_error(Table::HostCaptures));
        }
        last.0.clear();
        last.0.extend_from_slice(order.0);
        last.1 = position;
        let state = StateFields::read(CaptureRecord::read(record).state);
        for (id, keys) in [(state.policy_id, &policies), (state.preferences_id, &sets)] {
            let is_known =
                |id: &[u8]| key_from_text(id).is_some_and(|key| keys.binary_search(&key).is_ok());
            if !id.is_none_or(is_known) {
                return Err(damaged_error(Table::HostPeriods));
            }
        }
        count += 1;
        captures.advance()?;
    }
    let files = manifest.table_files(Table::HostCaptures);
    match files.map(|file| file.stats.rows).sum::<u64>() == count {
        true => Ok(()),
        // Rows of a crawl that is not in `crawls`.
        false => Err(damaged_error(Table::HostCaptures)),
    }
}

/// Reads the keys of policies or of sets of preferences, which must be sorted.
fn read_keys(history: &HistoryReader, tables: KeyedTables) -> Result<Vec<[u8; KEY_BYTES]>, Error> {
    let mut keys: Vec<[u8; KEY_BYTES]> = Vec::new();
    let mut reader = KeyedReader::open(history, tables)?;
    while let Some(record) = reader.peek() {
        let (key, _) = record.split_at(KEY_BYTES);
        let key = key.try_into().unwrap_or_default();
        if keys.last().is_some_and(|last| *last >= key) {
            return Err(damaged_error(tables.of_keys.unwrap_or(tables.of_rows[0])));
        }
        keys.push(key);
        reader.advance()?;
    }
    Ok(keys)
}
