//! The rows of `robots_files` of a part: their keys, their places, their counts.

use super::rows::Rows;
use super::{Findings, Kind};
use crate::analysis::robots_id;
use std::collections::BTreeMap;
use std::path::Path;
use warc::RecordLocation;

/// The keys of a part's captures.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// In the order of rows.
    pub(super) ids: Vec<i64>,
    /// In their own order, each with its row.
    sorted: Vec<(i64, u32)>,
}

impl Captures {
    /// The row of a capture, from 0: the first, if there are many.
    pub(super) fn find(&self, id: i64) -> Option<usize> {
        let at = self.sorted.partition_point(|it| it.0 < id);
        let found = self.sorted.get(at).filter(|it| it.0 == id)?;
        Some(found.1 as usize)
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

/// Where in `COLUMNS` the mark of doubtful captures is.
const DOUBTFUL: usize = 5;

/// Where in `COLUMNS` the counts of lines begin.
const COUNTS: usize = 6;

/// Checks the captures of a part, that come from `archives`, if these are known.
pub(super) fn check(
    path: &Path,
    name: &str,
    archives: Option<&BTreeMap<&str, Option<u64>>>,
    faults: Option<&FaultPlaces>,
    findings: &mut Findings,
) -> Result<Captures, String> {
    let mut rows = Rows::open(path, &COLUMNS)?;
    let mut captures = Captures::default();
    while rows.next()? {
        let id = rows.long(0).unwrap_or_default();
        let row = u32::try_from(captures.ids.len()).map_err(|_| "it has too many rows")?;
        captures.sorted.push((id, row));
        captures.ids.push(id);
        if let Some(why) = misplaced(&rows, id, archives) {
            let no = rows.no();
            findings.add(Kind::Place, name, format_args!("row {no}: {why}"));
        }
        if let Some(why) = faults.and_then(|faults| wrongly_marked(&rows, faults)) {
            findings.add(Kind::Capture, name, format_args!("robots_id {id}: {why}"));
        }
        let mut counts = [None; COLUMNS.len() - COUNTS];
        for (at, count) in counts.iter_mut().enumerate() {
            *count = rows.int(COUNTS + at).map(i64::from);
        }
        let [_, _, _, n_rules, n_allow, n_disallow, ..] = counts;
        let known = counts.iter().filter(|count| count.is_some()).count();
        if known != 0 && known != counts.len() {
            findings.add(
                Kind::Capture,
                name,
                format_args!("robots_id {id}: some of its counts of lines are null, and some not"),
            );
        } else if let (Some(rules), Some(allow), Some(disallow)) = (n_rules, n_allow, n_disallow)
            && rules != allow + disallow
        {
            findings.add(
                Kind::Capture,
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

/// Where faults lie: for each archive, their offsets, and whether bytes were skipped there.
pub(super) type FaultPlaces = BTreeMap<String, BTreeMap<i64, bool>>;

/// Returns why the mark of a capture disagrees with the faults, if it does.
fn wrongly_marked(rows: &Rows, faults: &FaultPlaces) -> Option<String> {
    if faults.is_empty() && rows.bool(DOUBTFUL) == Some(false) {
        return None;
    }
    let archive = rows.text(1).unwrap_or_default();
    let offset = rows.long(2).unwrap_or_default();
    let fault = faults.get(archive).and_then(|offsets| offsets.get(&offset));
    match (rows.bool(DOUBTFUL), fault) {
        (Some(true), None) => Some(format!(
            "is_doubtful is true, and no row of faults lies at {offset} of {archive}"
        )),
        (Some(false), Some(true)) => Some(format!(
            "is_doubtful is false, and a row of faults covers its member at {offset} of {archive}"
        )),
        _ => None,
    }
}

/// Why a capture does not lie where it says, or has not the key of its place.
fn misplaced(
    rows: &Rows,
    id: i64,
    archives: Option<&BTreeMap<&str, Option<u64>>>,
) -> Option<String> {
    let archive = rows.text(1).unwrap_or_default();
    let offset = rows.long(2).unwrap_or_default();
    let length = rows.long(3);
    let in_member = rows.int(4).unwrap_or_default();
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
        Some(None) => return Some(format!("{archive} is no input of its part")),
        None => None,
    };
    outside(offset, length.unwrap_or_default(), size).then(|| {
        let length = length.map_or(String::new(), |length| format!(", {length} bytes long,"));
        format!("its record at {offset}{length} lies not within {archive}")
    })
}

/// Whether a stretch lies not within an archive of a size, if that is known.
pub(super) fn outside(offset: i64, length: i64, size: Option<u64>) -> bool {
    let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else {
        return true;
    };
    let end = offset.checked_add(length);
    end.is_none_or(|end| size.is_some_and(|size| end > size))
}
