//! Splits a combined file into the files of its parts.

use crate::manifest_entries::{CombinedFile, PartEntry};
use crate::part_locations::{row_group_ranges, single_part_path};
use crate::{OutputLayout, WrittenFolder};
use columns::{RowGroupSource, concatenate};
use errors::{Error, ErrorKind};
use parquet_limits::read_footer;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

/// Writes the rows of each part of a combined file to a file of its own, unless this file exists. `wanted` has
/// the parts that are written; `None` means all parts. The combined file itself remains.
pub(crate) fn split_file(
    folder: &mut WrittenFolder,
    layout: &OutputLayout,
    parts: &[PartEntry],
    file: &CombinedFile,
    wanted: Option<&BTreeSet<u32>>,
) -> Result<(), Error> {
    let root = folder.root().to_owned();
    let by_number: BTreeMap<u32, &PartEntry> =
        parts.iter().map(|part| (part.number, part)).collect();
    let Some(ranges) = row_group_ranges(file, &by_number) else {
        return Ok(());
    };
    let is_wanted = |part: u32| wanted.is_none_or(|wanted| wanted.contains(&part));
    for range in ranges.into_iter().filter(|range| is_wanted(range.part)) {
        let path = single_part_path(layout, file.entry.table, by_number[&range.part]);
        if disk::file_size_below(&root, Path::new(&path)).is_some() {
            continue;
        }
        folder.announce(std::slice::from_ref(&path))?;
        let source = root.join(&file.entry.path);
        let new = folder.temp_folder().new_file(Path::new(&path), true)?;
        let sources = [open_source(&source, range.row_groups, &range.digest)];
        concatenate(layout.file_schema(file.entry.table), new, sources)?;
    }
    Ok(())
}

/// Opens a file from which row groups are copied. `digest` is the digest that their bytes must have.
///
/// # Errors
///
/// Those of opening.
pub(crate) fn open_source(
    path: &Path,
    row_groups: Range<usize>,
    digest: &str,
) -> Result<RowGroupSource, Error> {
    let file = disk::open(path).map_err(|error| Error::read(path, error))?;
    // The footer is checked before it is read to copy the row groups.
    read_footer(&file).map_err(|error| Error::with_source(ErrorKind::Read, path, error))?;
    Ok(RowGroupSource {
        path: path.to_owned(),
        file,
        row_groups,
        digest: digest.to_owned(),
    })
}
