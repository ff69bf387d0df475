//! Checks the keys of the captures of a part.

use super::row_cursor::RowCursor;
use super::{FindingKind, Findings};
use std::path::Path;

/// Checks that the keys of `robots_files` ascend, and returns them in the order of rows.
pub(super) fn check(path: &Path, name: &str, findings: &mut Findings) -> Result<Vec<i64>, String> {
    let mut rows = RowCursor::open(path, &["robots_id"])?;
    let mut robots_ids = Vec::new();
    while rows.next()? {
        let id = rows.i64(0).unwrap_or_default();
        if let Some(last) = robots_ids.last().filter(|last| id <= **last) {
            let row = rows.row_number();
            findings.add(
                FindingKind::Order,
                name,
                format_args!("row {row}: robots_id is {id}, after {last}"),
            );
        }
        robots_ids.push(id);
    }
    Ok(robots_ids)
}
