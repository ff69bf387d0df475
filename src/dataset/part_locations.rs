//! The locations of the rows of each part. During a run, a part has its own file in each table. At the
//! end of the run, the files of several parts are combined.

use crate::OutputLayout;
use crate::manifest_entries::{CombinedFile, FileStats, PartEntry, PartTable};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use tables::Table;

/// The location of the rows of a part in a table.
#[derive(Clone, Debug)]
pub struct PartLocation<'m> {
    pub part: &'m PartEntry,
    /// Its rows in the table.
    pub table: &'m PartTable,
    /// The path of the file, relative to the folder of the dataset.
    pub path: String,
    /// The size and digest of the file; `None` if it is the file of a single part, of which only the digest of the row
    /// groups is known.
    pub stats: Option<&'m FileStats>,
    /// The row groups of the part; `None` for all of the file.
    pub row_groups: Option<Range<usize>>,
    /// The offset of the first row group in the file.
    pub offset: u64,
}

impl PartLocation<'_> {
    /// Returns a name of the part that is unique in its dataset. Names sort in the order of the parts.
    pub(crate) fn part_name(&self) -> PathBuf {
        let PartEntry {
            crawl,
            subset,
            number,
            ..
        } = self.part;
        PathBuf::from(format!("crawl={crawl}/subset={subset}/{number:010}"))
    }
}

/// The number of bytes before the first row group of a Parquet file: its magic number.
pub(crate) const MAGIC_BYTES: u64 = 4;

/// Returns the path of the file of a single part, relative to the folder of the dataset.
pub(crate) fn single_part_path(layout: &OutputLayout, table: Table, part: &PartEntry) -> String {
    let path = layout.single_part_path(table, part.number, &part.crawl, &part.subset);
    path.to_string_lossy().into_owned()
}

/// Returns the locations of all parts in all tables. A combined file that lists a part which is not in `parts`
/// is ignored: its other parts are assumed to have files of their own.
pub(crate) fn part_locations<'m>(
    layout: &OutputLayout,
    parts: &'m [PartEntry],
    files: &'m [CombinedFile],
) -> Vec<PartLocation<'m>> {
    let by_number: BTreeMap<u32, &PartEntry> =
        parts.iter().map(|part| (part.number, part)).collect();
    let mut combined = HashMap::new();
    for file in files {
        for range in row_group_ranges(file, &by_number).unwrap_or_default() {
            combined.insert((range.part, file.entry.table), (file, range));
        }
    }
    let tables = parts
        .iter()
        .flat_map(|part| part.tables.iter().map(move |table| (part, table)));
    let location = |(part, table): (&'m PartEntry, &'m PartTable)| match combined
        .get(&(part.number, table.table))
    {
        Some((file, range)) => PartLocation {
            part,
            table,
            path: file.entry.path.clone(),
            stats: Some(&file.entry.stats),
            row_groups: (file.parts.len() > 1).then(|| range.row_groups.clone()),
            offset: range.offset,
        },
        None => PartLocation {
            part,
            table,
            path: single_part_path(layout, table.table, part),
            stats: None,
            row_groups: None,
            offset: MAGIC_BYTES,
        },
    };
    tables.map(location).collect()
}

/// The row groups of a part in a combined file.
pub(crate) struct RowGroupRange {
    pub(crate) part: u32,
    pub(crate) row_groups: Range<usize>,
    /// The offset of the first row group in the file.
    pub(crate) offset: u64,
    /// The size of all of the row groups.
    pub(crate) bytes: u64,
    pub(crate) digest: String,
}

/// Returns the row groups of each part of a combined file; `None` if one of its parts is not in `parts`.
pub(crate) fn row_group_ranges(
    file: &CombinedFile,
    parts: &BTreeMap<u32, &PartEntry>,
) -> Option<Vec<RowGroupRange>> {
    let (mut row_group, mut offset) = (0, MAGIC_BYTES);
    let range = |number: &u32| {
        let part = parts.get(number)?;
        let table = part
            .tables
            .iter()
            .find(|table| table.table == file.entry.table)?;
        let range = RowGroupRange {
            part: *number,
            row_groups: row_group..row_group.saturating_add(table.row_groups),
            offset,
            bytes: table.bytes,
            digest: table.digest.clone(),
        };
        row_group = range.row_groups.end;
        offset = offset.saturating_add(table.bytes);
        Some(range)
    };
    file.parts.iter().map(range).collect()
}
