//! Combines the files of parts into files of a size that engines read well.
//!
//! Row groups are copied, not encoded again (`columns::concatenate`). The division of parts into files
//! depends on their sizes alone, so that it is the same if a run was interrupted and resumed. A file is written
//! under a temporary name, announced in the log and renamed; then the manifest gets its line, and the
//! files of its parts are removed. At any time, the rows of at most one file exist twice.
//!
//! If the process is killed at any point, the rows of each part are in a file of its own, or in a file
//! that the manifest lists, or in both.

use crate::file_names::PARTS_FOLDER;
use crate::manifest_entries::{CombinedFile, FileEntry, PartEntry, PartTable};
use crate::part_locations::single_part_path;
use crate::split_file::open_source;
use crate::{DatasetWriter, OutputLayout};
use columns::concatenate;
use disk::NewFile;
use errors::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tables::Table;

/// The size of the row groups of a combined file at which no further part is added.
const FILE_BYTES: u64 = 256 << 20;

/// The size below which the parts of the last file of a folder are added to the previous file.
const MIN_FILE_BYTES: u64 = 128 << 20;

/// A combined file that is to be made of parts.
#[derive(Debug, PartialEq, Eq)]
struct PlannedFile {
    path: String,
    table: Table,
    /// The numbers of its parts, ascending.
    parts: Vec<u32>,
}

/// Combines the files of all parts of a dataset that are in its manifest.
///
/// # Errors
///
/// Errors of reading and writing; [`ErrorKind::Interrupted`] once `stop` is set.
pub fn combine_parts(
    dataset: &mut DatasetWriter,
    layout: &OutputLayout,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let planned = plan_files(layout, dataset.parts());
    let is_planned = |file: &CombinedFile| {
        planned
            .iter()
            .any(|plan| plan.path == file.entry.path && plan.parts == file.parts)
    };
    let others: Vec<CombinedFile> = dataset
        .combined()
        .iter()
        .filter(|file| !is_planned(file))
        .cloned()
        .collect();
    for file in &others {
        check_stop(dataset, stop)?;
        dataset.split_file(layout, file, None)?;
    }
    dataset.drop_files(&others)?;
    for plan in &planned {
        check_stop(dataset, stop)?;
        if !dataset
            .combined()
            .iter()
            .any(|file| file.entry.path == plan.path)
        {
            combine_file(dataset, layout, plan)?;
        }
        let parts = plan.parts.iter().map(|number| dataset.part(*number));
        let paths = parts.map(|part| single_part_path(layout, plan.table, part));
        let paths: Vec<String> = paths.collect();
        dataset.remove_files(&paths)?;
    }
    for plan in &planned {
        disk::remove_empty_folders(dataset.root(), &Path::new(PARTS_FOLDER).join(&plan.path));
    }
    Ok(())
}

fn check_stop(dataset: &DatasetWriter, stop: &AtomicBool) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) {
        Err(Error::new(ErrorKind::Interrupted, dataset.root()))
    } else {
        Ok(())
    }
}

/// Divides the parts of each table, crawl and subset into files.
fn plan_files(layout: &OutputLayout, parts: &[PartEntry]) -> Vec<PlannedFile> {
    let mut by_folder = BTreeMap::<(Table, &str, &str), Vec<_>>::new();
    for part in parts {
        for table in &part.tables {
            let folder = (table.table, part.crawl.as_str(), part.subset.as_str());
            by_folder
                .entry(folder)
                .or_default()
                .push((part.number, table.bytes));
        }
    }
    let mut planned = Vec::new();
    for ((table, crawl, subset), mut of_folder) in by_folder {
        of_folder.sort_unstable();
        for (number, parts) in (0..).zip(group_into_files(&of_folder)) {
            let path = layout.part_path(table, number, crawl, subset);
            planned.push(PlannedFile {
                path: path.to_string_lossy().into_owned(),
                table,
                parts,
            });
        }
    }
    planned
}

/// Divides consecutive parts, given as numbers and sizes, into files. Returns the numbers of the parts of each file.
fn group_into_files(parts: &[(u32, u64)]) -> Vec<Vec<u32>> {
    let mut files: Vec<(Vec<u32>, u64)> = Vec::new();
    for &(number, bytes) in parts {
        match files.last_mut().filter(|(_, size)| *size < FILE_BYTES) {
            Some((numbers, size)) => {
                numbers.push(number);
                *size = size.saturating_add(bytes);
            }
            None => files.push((vec![number], bytes)),
        }
    }
    if files.len() > 1
        && let Some((rest, _)) = files.pop_if(|(_, size)| *size < MIN_FILE_BYTES)
        && let Some((numbers, _)) = files.last_mut()
    {
        numbers.extend(rest);
    }
    files.into_iter().map(|(numbers, _)| numbers).collect()
}

/// Writes a combined file, and adds it to the manifest.
fn combine_file(
    dataset: &mut DatasetWriter,
    layout: &OutputLayout,
    plan: &PlannedFile,
) -> Result<(), Error> {
    let root = dataset.root().to_owned();
    let parts = plan.parts.iter().map(|number| dataset.part(*number));
    let sources = parts.map(|part| {
        let table = part.table(plan.table);
        (
            root.join(single_part_path(layout, plan.table, part)),
            table.clone(),
        )
    });
    let sources: Vec<(PathBuf, PartTable)> = sources.collect();
    dataset.announce(std::slice::from_ref(&plan.path))?;
    let written = match plan.parts.as_slice() {
        [part] => dataset.written_stats(*part, plan.table),
        _ => None,
    };
    let entry = match written {
        // A file of one part that this run wrote has the same bytes as a copy of it, and is only renamed.
        Some(stats) => {
            NewFile::from_file(&sources[0].0, &root, Path::new(&plan.path)).commit()?;
            FileEntry {
                path: plan.path.clone(),
                table: plan.table,
                stats,
            }
        }
        None => {
            let opened = sources.iter();
            let opened =
                opened.map(|(path, table)| open_source(path, 0..table.row_groups, &table.digest));
            let new = dataset
                .temp_folder()
                .new_file(Path::new(&plan.path), true)?;
            let file = concatenate(layout.file_schema(plan.table), new, opened)?;
            FileEntry::new(plan.table, file)
        }
    };
    dataset.add_file(CombinedFile {
        entry,
        parts: plan.parts.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_half_to_double_of_the_usual_size() {
        let mib = |sizes: &[u64]| -> Vec<(u32, u64)> {
            (0..).zip(sizes.iter().map(|size| size << 20)).collect()
        };
        assert_eq!(group_into_files(&mib(&[1, 2, 3])), [[0, 1, 2]]);
        assert_eq!(
            group_into_files(&mib(&[200, 60, 300, 10])),
            [vec![0, 1], vec![2, 3]]
        );
        assert_eq!(
            group_into_files(&mib(&[100, 100, 100, 100, 20])),
            [[0, 1, 2, 3, 4]]
        );
        assert_eq!(
            group_into_files(&mib(&[100, 100, 100, 100, 100])),
            [vec![0, 1, 2], vec![3, 4]]
        );
        assert!(group_into_files(&[]).is_empty());
    }
}
