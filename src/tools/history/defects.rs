//! Checks whether the tables of a history refer to each other.

use super::capture_record::StateFields;
use super::damaged_error;
use super::history_input::{HistoryCaptures, HistoryReader};
use super::keyed_rows::{
    KEY_BYTES, KeyedReader, KeyedTables, POLICIES, PREFERENCE_SETS, key_from_text,
};
use dataset::HistoryManifest;
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
    let (mut host, mut last) = (String::new(), (i64::MIN, 0));
    let mut count: u64 = 0;
    while let Some((capture, position)) = captures.peek() {
        let order = (capture.time, position);
        let is_sorted = match host == capture.surt_host_name {
            true => count == 0 || last < order,
            false => *host < *capture.surt_host_name,
        };
        if !is_sorted || captures.capture_no().cast_unsigned() != count {
            return Err(damaged_error(Table::HostCaptures));
        }
        capture.surt_host_name.clone_into(&mut host);
        last = order;
        let state = StateFields::read(capture.state);
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
