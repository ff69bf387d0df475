//! Checks the rows of `robots_files` of a part: keys, locations, and counts.

use super::row_cursor::RowCursor;
use super::{FindingKind, Findings};
use crate::dataset::InputEntry;
use std::collections::BTreeMap;
use std::path::Path;

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

const COLUMNS: [&str; 13] = [
    "robots_id",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
    "warc_record_in_member",
    "is_doubtful",
    "n_lines",
    "n_groups",
    "n_user_agents",
    "n_allow",
    "n_disallow",
    "n_sitemaps",
    "n_directives",
];

/// The bits of a key that number the captures of an archive.
const CAPTURE_BITS: u32 = 32;

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
    archives: Option<&Archives<'_>>,
    faults: Option<&FaultLocations>,
    findings: &mut Findings,
) -> Result<CaptureIndex, String> {
    let mut rows = RowCursor::open(path, &COLUMNS)?;
    let mut captures = CaptureIndex::default();
    let mut last = None;
    while rows.next()? {
        let id = rows.i64(ROBOTS_ID).unwrap_or_default();
        let row = u32::try_from(captures.robots_ids.len()).map_err(|_| "it has too many rows")?;
        captures.sorted.push(IndexEntry { robots_id: id, row });
        captures.robots_ids.push(id);
        let problem = position_problem(&rows, id, last.as_ref(), archives);
        let archive = rows.text(FILENAME).unwrap_or_default();
        let of_last = last.map(|last: CapturePosition| last.archive);
        last = Some(CapturePosition {
            archive: match of_last {
                Some(of_last) if of_last == archive => of_last,
                _ => archive.to_owned(),
            },
            robots_id: id,
            offset: rows.i64(OFFSET).unwrap_or_default(),
            index_in_member: rows.i32(INDEX_IN_MEMBER).unwrap_or_default(),
        });
        if let Some(why) = problem.or_else(|| location_problem(&rows, archives)) {
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
        let known = counts.iter().filter(|count| count.is_some()).count();
        if known != 0 && known != counts.len() {
            findings.add(
                FindingKind::Capture,
                name,
                format_args!("robots_id {id}: some of its line counts are null, and some are not"),
            );
        }
    }
    captures.sorted.sort_unstable();
    Ok(captures)
}

/// The archives of a part by their names.
pub(super) type Archives<'a> = BTreeMap<&'a str, &'a InputEntry>;

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

/// The key of a capture, and the place in its archive that the key stands for.
struct CapturePosition {
    archive: String,
    robots_id: i64,
    offset: i64,
    index_in_member: i32,
}

/// Describes how the key of a capture is not the one after the key of the row before, or how its
/// place is not after the place of that row.
fn position_problem(
    rows: &RowCursor,
    id: i64,
    last: Option<&CapturePosition>,
    archives: Option<&Archives<'_>>,
) -> Option<String> {
    let offset = rows.i64(OFFSET).unwrap_or_default();
    let index_in_member = rows.i32(INDEX_IN_MEMBER).unwrap_or_default();
    let archive = rows.text(FILENAME).unwrap_or_default();
    let of_archive = last.filter(|last| last.archive == archive);
    if let Some(last) = last
        && id <= last.robots_id
    {
        return Some(format!("robots_id is {id}, after {}", last.robots_id));
    }
    if let Some(last) = of_archive
        && (offset, index_in_member) <= (last.offset, last.index_in_member)
    {
        return Some(format!(
            "it is at {offset}, {index_in_member} of {archive}, after {}, {}",
            last.offset, last.index_in_member
        ));
    }
    let index = archives?.get(archive)?.index?;
    let first = i64::try_from(index).ok()? << CAPTURE_BITS;
    let expected = of_archive.map_or(first, |last| last.robots_id + 1);
    (id != expected).then(|| {
        format!("robots_id is {id}, but that of the next capture of {archive} is {expected}")
    })
}

/// Describes how the location of a capture is impossible.
fn location_problem(rows: &RowCursor, archives: Option<&Archives<'_>>) -> Option<String> {
    let archive = rows.text(FILENAME).unwrap_or_default();
    let offset = rows.i64(OFFSET).unwrap_or_default();
    let length = rows.i64(LENGTH);
    let size = match archives.map(|archives| archives.get(archive)) {
        Some(Some(input)) => input.bytes,
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
