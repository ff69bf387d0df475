//! Finds the rows of a former run that are unchanged. It reads every file to compare its digest, so that
//! a resumed run replaces only what was damaged or lost.

use crate::OutputLayout;
use crate::manifest::Manifest;
use crate::manifest_entries::{CombinedFile, FileEntry, PartEntry, PartTable};
use crate::part_locations::{MAGIC_BYTES, RowGroupRange, row_group_ranges, single_part_path};
use parquet_limits::read_footer;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use tables::Table;
use xxhash_rust::xxh3::Xxh3;

/// The size of the buffer for reading a file.
const BUFFER_BYTES: u64 = 256 << 10;

/// The rows of a former run that are unchanged.
#[derive(Debug, Default)]
pub(crate) struct PresentRows {
    /// The parts whose rows are unchanged in all tables.
    pub(crate) parts: BTreeSet<u32>,
    /// The paths of the combined files that are unchanged as a whole.
    pub(crate) whole_files: BTreeSet<String>,
    /// True if the files of the resolved tables of all crawls are unchanged.
    pub(crate) has_crawls: bool,
    /// The parts and tables whose rows are unchanged in a combined file, even if the file is damaged elsewhere.
    in_files: BTreeSet<(u32, Table)>,
}

impl PresentRows {
    /// Reads the files of a manifest, and compares their digests.
    pub(crate) fn find(root: &Path, layout: &OutputLayout, manifest: &Manifest) -> Self {
        let by_number: BTreeMap<u32, &PartEntry> = manifest
            .parts
            .iter()
            .map(|part| (part.number, part))
            .collect();
        let files = manifest.combined.par_iter();
        let checked: Vec<_> = files
            .map(|file| (file, check_file(root, file, &by_number)))
            .collect();
        let mut present = Self::default();
        for (file, check) in checked {
            let table = file.entry.table;
            if check.is_whole {
                present.whole_files.insert(file.entry.path.clone());
            }
            let parts = check.parts.into_iter().map(|part| (part, table));
            present.in_files.extend(parts);
        }
        let has_rows = |part: &PartEntry, table: &PartTable| {
            present.in_files.contains(&(part.number, table.table)) || {
                let path = single_part_path(layout, table.table, part);
                has_row_groups(root, &path, table)
            }
        };
        let is_present = |part: &&PartEntry| part.tables.iter().all(|table| has_rows(part, table));
        let parts = manifest.parts.par_iter().filter(is_present);
        let parts = parts.map(|part| part.number).collect();
        let files: Vec<&FileEntry> = manifest
            .crawls
            .iter()
            .flat_map(|crawl| &crawl.files)
            .collect();
        present.has_crawls = files.par_iter().all(|file| is_whole(root, file));
        present.parts = parts;
        present
    }

    /// Returns the parts of a combined file whose rows in it are unchanged.
    pub(crate) fn parts_in(&self, file: &CombinedFile) -> BTreeSet<u32> {
        let is_present = |part: &u32| self.in_files.contains(&(*part, file.entry.table));
        file.parts.iter().copied().filter(is_present).collect()
    }
}

/// The result of comparing the digests of a combined file: the parts whose rows in it are unchanged.
#[derive(Default)]
struct FileCheck {
    is_whole: bool,
    parts: Vec<u32>,
}

fn check_file(root: &Path, file: &CombinedFile, parts: &BTreeMap<u32, &PartEntry>) -> FileCheck {
    let Some(ranges) = row_group_ranges(file, parts) else {
        return FileCheck::default();
    };
    if is_whole(root, &file.entry) {
        return FileCheck {
            is_whole: true,
            parts: file.parts.clone(),
        };
    }
    let count = ranges.iter().map(|range| range.row_groups.len()).sum();
    let Some(opened) = open_with_row_groups(root, &file.entry.path, count) else {
        return FileCheck::default();
    };
    let is_sound = |range: &RowGroupRange| {
        let digest = digest_of(&opened, range.offset, range.bytes);
        digest.is_ok_and(|digest| digest == range.digest)
    };
    FileCheck {
        is_whole: false,
        parts: ranges
            .iter()
            .filter(|range| is_sound(range))
            .map(|range| range.part)
            .collect(),
    }
}

/// Returns true if a file has the size and the digest that it had when it was written.
fn is_whole(root: &Path, file: &FileEntry) -> bool {
    let opened = disk::open_below(root, Path::new(&file.path));
    let digest = opened.and_then(|opened| {
        let bytes = opened.metadata()?.len();
        if bytes == file.stats.bytes {
            digest_of(&opened, 0, bytes)
        } else {
            Ok(String::new())
        }
    });
    digest.is_ok_and(|digest| digest == file.stats.digest)
}

/// Returns true if the file of a single part has the row groups that were written.
fn has_row_groups(root: &Path, path: &str, table: &PartTable) -> bool {
    let opened = open_with_row_groups(root, path, table.row_groups);
    let digest = opened.map(|opened| digest_of(&opened, MAGIC_BYTES, table.bytes));
    digest.is_some_and(|digest| digest.is_ok_and(|digest| digest == table.digest))
}

/// Opens a file if its footer has this number of row groups.
fn open_with_row_groups(root: &Path, path: &str, count: usize) -> Option<File> {
    let file = disk::open_below(root, Path::new(path)).ok()?;
    (read_footer(&file).ok()?.num_row_groups() == count).then_some(file)
}

/// Returns the XXH3-64 of `bytes` bytes of a file from `offset` on, in hexadecimal. The position of the file is
/// neither used nor changed.
///
/// # Errors
///
/// Errors of reading; [`io::ErrorKind::UnexpectedEof`] if the file has fewer bytes.
pub fn digest_of(file: &File, mut offset: u64, bytes: u64) -> io::Result<String> {
    let (mut hash, mut rest) = (Xxh3::new(), bytes);
    let mut buffer = vec![0; BUFFER_BYTES.min(bytes) as usize];
    while rest > 0 {
        let count = rest.min(buffer.len() as u64) as usize;
        file.read_exact_at(&mut buffer[..count], offset)?;
        hash.update(&buffer[..count]);
        (offset, rest) = (offset + count as u64, rest - count as u64);
    }
    Ok(format!("{:016x}", hash.digest()))
}
