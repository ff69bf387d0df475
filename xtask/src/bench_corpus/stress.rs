//! The corpus `stress`, copied from given archives: mostly successful captures, many of them large. In
//! a second copy of the archives, hosts are changed everywhere.

use super::copies::{
    BodyCounts, body_of, change_a_path, host_of, is_response, is_warcinfo, members, turn_letters,
};
use super::{ARCHIVE_BYTES, Corpus};
use memchr::memmem;
use std::path::PathBuf;

/// Writes copies of the records of archives until there are `bytes` bytes.
pub(super) fn copies_of(archives: &[PathBuf], corpus: &mut Corpus<'_>, bytes: usize) {
    let records: Vec<Vec<u8>> = archives.iter().flat_map(|path| members(path)).collect();
    let times = BodyCounts::new(records.iter().map(|record| body_of(record)));
    let info = records.first().cloned().expect("a record");
    for copy in 0.. {
        for record in records.iter().filter(|record| !is_warcinfo(record)) {
            if corpus.archive.is_empty() {
                if corpus.bytes >= bytes {
                    return;
                }
                corpus.push(&info);
            }
            let is_unique = times.is_unique(body_of(record));
            corpus.push(&changed(record, copy, is_unique));
            // An archive ends after a response, so that requests and responses stay together.
            if corpus.archive.len() >= ARCHIVE_BYTES && is_response(record) {
                corpus.finish_archive();
            }
        }
    }
}

/// Returns a record as changed for a copy.
fn changed(record: &[u8], copy: u8, is_unique: bool) -> Vec<u8> {
    let mut changed = record.to_vec();
    if copy == 0 {
        return changed;
    }
    if is_response(record) && is_unique {
        let body = body_of(record);
        let start = body.as_ptr().addr() - record.as_ptr().addr();
        change_a_path(&mut changed[start..start + body.len()], copy);
    }
    if let Some(host) = host_of(record) {
        for start in memmem::find_iter(record, host) {
            turn_letters(&mut changed[start..start + host.len()], copy);
        }
    }
    changed
}
