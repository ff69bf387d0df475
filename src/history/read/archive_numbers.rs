//! Numbers the archives of a crawl, for the column `archive_no`.

use crate::error::damaged_error;
use crate::read::inputs::InputCrawl;
use errors::Error;
use tables::Table;

/// The numbers of the archives of a crawl, which do not depend on other crawls of its datasets.
pub(crate) struct ArchiveNumbers {
    /// The sorted indexes of the archives of the crawl in the list of inputs: the number of an archive is its place
    /// among them. `None` if the list has no other crawl, so that the index is the number.
    indexes: Option<Vec<i64>>,
}

impl ArchiveNumbers {
    pub(crate) fn new(input: &InputCrawl) -> Self {
        if !input.is_list_shared {
            return Self { indexes: None };
        }
        let of_crawl = input.datasets.iter().flat_map(|dataset| {
            let parts = dataset.manifest.parts.iter();
            let parts = parts.filter(|part| part.crawl == input.name);
            let inputs = parts.filter_map(|part| dataset.manifest.inputs.get(part.inputs.clone()));
            inputs.flatten().filter_map(|input| input.index)
        });
        let mut indexes: Vec<i64> = of_crawl.map(u64::cast_signed).collect();
        indexes.sort_unstable();
        indexes.dedup();
        Self {
            indexes: Some(indexes),
        }
    }

    /// Returns true if the list of inputs has other crawls, so that numbers are not indexes in the list.
    pub(crate) fn are_of_crawl(&self) -> bool {
        self.indexes.is_some()
    }

    /// Returns the number of the archive of a capture. The upper 32 bits of `robots_id` are the index of the archive
    /// in the list of inputs.
    pub(crate) fn archive_no(&self, robots_id: i64) -> Result<i64, Error> {
        let index = robots_id >> 32;
        let Some(indexes) = &self.indexes else {
            return Ok(index);
        };
        let position = indexes.binary_search(&index);
        position
            .map(|position| position as i64)
            .map_err(|_| damaged_error(Table::ROBOTS_FILES))
    }
}
