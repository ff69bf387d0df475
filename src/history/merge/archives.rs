//! The archives of the crawls of a history.

use super::sources::Sources;
use crate::error::damaged_history_error;
use crate::own_tables;
use crate::read::crawl::ArchiveRow;
use crate::write::table_writer::TableWriters;
use errors::Error;
use sort::{SortMemory, SortedRecords, record};
use std::collections::BTreeMap;

/// Writes the table `archives`, sorted by crawl, then by number. `of_datasets` has the archives of crawls that
/// were read from datasets.
pub(super) fn write_archives(
    sources: &Sources<'_, '_>,
    of_datasets: &SortedRecords<'_, ArchiveRow<'static>>,
    memory: SortMemory<'_>,
    writers: &mut TableWriters<'_>,
) -> Result<(), Error> {
    let positions = (0u32..).zip(&sources.crawls);
    let positions: BTreeMap<&str, u32> = positions
        .map(|(position, row)| (row.crawl.as_str(), position))
        .collect();
    let mut sorter = memory.create_sorter::<(u32, NumberedArchive<'static>)>();
    // Adds a row unless its crawl was replaced by another input.
    let mut push = |row: ArchiveRow<'_>, is_kept: bool| {
        let archive = NumberedArchive {
            archive_no: row.archive_no,
            warc_filename: row.warc_filename,
        };
        match positions.get(row.crawl).filter(|_| is_kept) {
            Some(position) => sorter.push((*position, archive)),
            None => Ok(()),
        }
    };
    let mut archives = of_datasets.read()?;
    while let Some(row) = archives.next_record()? {
        push(row, true)?;
    }
    for (history, placed) in sources.histories.iter().zip(&sources.placed) {
        let places = history.places();
        let mut archives = history.rows::<ArchiveRow<'_>>()?;
        while let Some(row) = archives.next_record()? {
            if !places.contains_key(row.crawl) {
                return Err(damaged_history_error(history.root(), own_tables::ARCHIVES));
            }
            push(row, placed.contains_key(row.crawl))?;
        }
    }
    let sorted = sorter.finish()?;
    let mut archives = sorted.read()?;
    let mut last = Vec::new();
    while let Some(record) = archives.next_bytes()? {
        if record == last {
            continue;
        }
        last.clear();
        last.extend_from_slice(record);
        let (position, archive) = sort::read::<(u32, NumberedArchive<'static>)>(record);
        writers.push::<ArchiveRow<'_>>(ArchiveRow {
            crawl: &sources.crawls[position as usize].crawl,
            archive_no: archive.archive_no,
            warc_filename: archive.warc_filename,
        })?;
    }
    Ok(())
}

record! {
    /// An archive of a crawl.
    struct NumberedArchive<'a> {
        archive_no: i64,
        warc_filename: &'a str,
    }
}
