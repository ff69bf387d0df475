//! Checks the rows of `robots_files` of a part: keys, locations, and counts.

use super::row_cursor::RowCursor;
use super::{FindingKind, Findings};
use crate::analysis::robots_id;
use std::collections::BTreeMap;
use std::path::Path;
use warc::RecordLocation;

/// The keys of the captures of a part.
#[derive(Debug, Default)]
pub(super) struct CaptureIndex {
    /// The keys in the order of rows.
    pub(super) robots_ids: Vec<i64>,
    /// The keys in ascending order.
    sorted: Vec<IndexEntry>,
}

/// A key and its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct IndexEntry {
    robots_id: i64,
    row: u32,
}

impl CaptureIndex {
    /// Returns the index of the first row with a key.
    pub(super) fn row_of(&self, id: i64) -> Option<usize> {
        let i = self.sorted.partition_point(|entry| entry.robots_id < id);
        let found = self.sorted.get(i).filter(|entry| entry.robots_id == id)?;
        Some(found.row as usize)
    }
}

const COLUMNS: [&str; 14] = [
    "robots_id",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
    "warc_record_in_member",
    "is_doubtful",
    "n_lines",
    "n_groups",
    "n_user_agents",
    "n_rules",
    "n_allow",
    "n_disallow",
    "n_sitemaps",
    "n_directives",
];

// The indices of `COLUMNS`.
const ROBOTS_ID: usize = 0;
const FILENAME: usize = 1;
const OFFSET: usize = 2;
const LENGTH: usize = 3;
const INDEX_IN_MEMBER: usize = 4;
const IS_DOUBTFUL: usize = 5;
const FIRST_COUNT: usize = 6;

/// Checks the captures of a part. Their archives and the locations of faults are
/// compared if they are known.
pub(super) fn check(
    path: &Path,
    name: &str,
    archives: Option<&ArchiveSizes<'_>>,
    faults: Option<&FaultLocations>,
    findings: &mut Findings,
) -> Result<CaptureIndex, String> {
    let mut rows = RowCursor::open(path, &COLUMNS)?;
    let mut captures = CaptureIndex::default();
    while rows.next()? {
        let id = rows.i64(ROBOTS_ID).unwrap_or_default();
        let row = u32::try_from(captures.robots_ids.len()).map_err(|_| "it has too many rows")?;
        captures.sorted.push(IndexEntry { robots_id: id, row });
        captures.robots_ids.push(id);
        if let Some(why) = location_problem(&rows, id, archives) {
            let row = rows.row_number();
            findings.add(FindingKind::Place, name, format_args!("row {row}: {why}"));
        }
        if let Some(why) = faults.and_then(|faults| is_doubtful_problem(&rows, faults)) {
            findings.add(
                FindingKind::Capture,
                name,
                format_args!("robots_id {id}: {why}"),
            );
        }
        let mut counts = [None; COLUMNS.len() - FIRST_COUNT];
        for (i, count) in counts.iter_mut().enumerate() {
            *count = rows.i32(FIRST_COUNT + i).map(i64::from);
        }
        let [_, _, _, n_rules, n_allow, n_disallow, ..] = counts;
        let known = counts.iter().filter(|count| count.is_some()).count();
        if known != 0 && known != counts.len() {
            findings.add(
                FindingKind::Capture,
                name,
                format_args!("robots_id {id}: some of its line counts are null, and some are not"),
            );
        } else if let (Some(rules), Some(allow), Some(disallow)) = (n_rules, n_allow, n_disallow)
            && rules != allow + disallow
        {
            findings.add(
                FindingKind::Capture,
                name,
                format_args!(
                    "robots_id {id}: n_rules is {rules}, n_allow {allow} and n_disallow {disallow}"
                ),
            );
        }
    }
    captures.sorted.sort_unstable();
    Ok(captures)
}

/// The sizes of the archives of a part by their names. The size of a stream is
/// unknown.
pub(super) type ArchiveSizes<'a> = BTreeMap<&'a str, Option<u64>>;

/// The offsets of faults in each archive. The value is true if bytes were skipped
/// there.
pub(super) type FaultLocations = BTreeMap<String, BTreeMap<i64, bool>>;

/// Describes how `is_doubtful` disagrees with the faults, if it does.
fn is_doubtful_problem(rows: &RowCursor, faults: &FaultLocations) -> Option<String> {
    if faults.is_empty() && rows.bool(IS_DOUBTFUL) == Some(false) {
        return None;
    }
    let archive = rows.text(FILENAME).unwrap_or_default();
    let offset = rows.i64(OFFSET).unwrap_or_default();
    let fault = faults.get(archive).and_then(|offsets| offsets.get(&offset));
    match (rows.bool(IS_DOUBTFUL), fault) {
        (Some(true), None) => Some(format!(
            "is_doubtful is true, and no row of faults lies at {offset} of {archive}"
        )),
        (Some(false), Some(true)) => Some(format!(
            "is_doubtful is false, and a row of faults covers its member at {offset} of {archive}"
        )),
        _ => None,
    }
}

/// Describes how the location of a capture is impossible, or disagrees with its
/// key.
fn location_problem(
    rows: &RowCursor,
    id: i64,
    archives: Option<&ArchiveSizes<'_>>,
) -> Option<String> {
    let archive = rows.text(FILENAME).unwrap_or_default();
    let offset = rows.i64(OFFSET).unwrap_or_default();
    let length = rows.i64(LENGTH);
    let in_member = rows.i32(INDEX_IN_MEMBER).unwrap_or_default();
    let location = RecordLocation {
        offset: u64::try_from(offset).unwrap_or(u64::MAX),
        length: None,
        index_in_member: u32::try_from(in_member).unwrap_or(u32::MAX),
    };
    let key = robots_id(archive, location);
    if key != id {
        return Some(format!(
            "robots_id is {id}, and that of its place ({archive} at {offset}, {in_member}) is {key}"
        ));
    }
    let size = match archives.map(|archives| archives.get(archive)) {
        Some(Some(size)) => *size,
        Some(None) => return Some(format!("{archive} is not an input of its part")),
        None => None,
    };
    is_outside(offset, length.unwrap_or_default(), size).then(|| {
        let length = length.map_or(String::new(), |length| format!(", {length} bytes long,"));
        format!("its record at {offset}{length} is not within {archive}")
    })
}

/// Returns true if a byte range is not within an archive. The size of the archive
/// may be unknown.
pub(super) fn is_outside(offset: i64, length: i64, size: Option<u64>) -> bool {
    let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else {
        return true;
    };
    let end = offset.checked_add(length);
    end.is_none_or(|end| size.is_some_and(|size| end > size))
}
