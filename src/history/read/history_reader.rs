//! Reads an earlier history: its crawls, and the rows of its tables.

use crate::error::damaged_history_error;
use crate::own_tables;
use crate::read::crawl_row::{CrawlRow, StoredCrawl};
use crate::write::manifest::HistoryManifest;
use dataset::error::DatasetDefect;
use dataset::{CaptureFilter, Dataset, Row, Rows, TableFile};
use errors::Error;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

/// The limit in bytes of the rows of a table that is read as a whole, such as `crawls` or the registry of crawlers.
const MAX_WHOLE_TABLE_BYTES: usize = 64 << 20;

/// An earlier history that is open for reading.
pub struct HistoryReader {
    dataset: Dataset,
    /// The rows of the table `crawls`, in order.
    pub crawls: Vec<CrawlRow>,
}

impl HistoryReader {
    /// Opens a history, and reads its crawls, which must be those of the manifest, in order, and have all captures. If
    /// `compares_digests`, each file is compared with its digest before its first row is read.
    ///
    /// # Errors
    ///
    /// Those of reading; [`DatasetDefect::BadTable`].
    pub fn open(
        root: &Path,
        manifest: &HistoryManifest,
        compares_digests: bool,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        manifest.check_tables(root)?;
        let files = manifest.files.iter().filter_map(|file| {
            Some(TableFile {
                table: file.table()?,
                path: root.join(&file.path),
                stats: compares_digests.then(|| file.stats.clone()),
            })
        });
        let dataset = Dataset::from_table_files(root, files.collect())?.with_stop_flag(stop);
        let mut history = Self {
            dataset,
            crawls: Vec::new(),
        };
        let mut crawls = Vec::new();
        let mut rows = history.rows::<StoredCrawl<'_>>()?;
        while let Some(row) = rows.next_record()? {
            crawls.push(CrawlRow::from(row));
        }
        drop(rows);
        history.crawls = crawls;
        let crawls = &history.crawls;
        let are_listed = crawls
            .iter()
            .map(|row| &row.crawl)
            .eq(manifest.crawls.iter());
        if !are_listed || !crawls.is_sorted_by(|a, b| a.order() < b.order()) {
            return Err(damaged_history_error(root, own_tables::CRAWLS));
        }
        // The captures of each crawl are in files of their own. If one of these was lost, no other check finds it.
        let captures = manifest.table_files(own_tables::HOST_CAPTURES);
        let captures: u64 = captures.map(|file| file.stats.rows).sum();
        let hosts = crawls.iter().map(|row| row.hosts);
        if hosts.fold(0, i64::saturating_add).cast_unsigned() == captures {
            Ok(history)
        } else {
            Err(damaged_history_error(root, own_tables::HOST_CAPTURES))
        }
    }

    /// Returns the folder of the history.
    pub fn root(&self) -> &Path {
        self.dataset.root()
    }

    /// Returns the tables of the history.
    pub fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// Returns the positions of all crawls in this history, by name.
    pub fn places(&self) -> BTreeMap<String, PlacedCrawl> {
        place_crawls(&self.crawls)
    }

    /// Opens the rows of a table.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::rows`].
    pub fn rows<R: Row>(&self) -> Result<Rows<'_, R>, Error> {
        self.dataset.rows()
    }

    /// Opens the rows of a table that `filter` matches.
    ///
    /// # Errors
    ///
    /// Those of [`Dataset::rows`].
    pub fn filtered_rows<R: Row>(&self, filter: &CaptureFilter) -> Result<Rows<'_, R>, Error> {
        self.dataset.filtered_rows(filter.clone())
    }

    /// Reads the rows of the registry of crawlers.
    pub(crate) fn read_agents(&self) -> Result<Vec<Vec<u8>>, Error> {
        read_small_table(&self.dataset, Table::AGENTS)
    }
}

/// Reads the encoded rows of a small table.
///
/// # Errors
///
/// Those of reading; [`DatasetDefect::BadTable`] if the rows have more than 64 MiB.
pub(crate) fn read_small_table(dataset: &Dataset, table: Table) -> Result<Vec<Vec<u8>>, Error> {
    let columns = table.columns().iter().collect();
    let parts = dataset.parts_with_table(table);
    let mut stored =
        dataset.rows_by_key::<()>(table, columns, parts, CaptureFilter::All, |_| Ok(()))?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = stored.next_bytes()? {
        bytes += row.len();
        if bytes > MAX_WHOLE_TABLE_BYTES {
            let (table, mebibytes) = (table.name(), MAX_WHOLE_TABLE_BYTES >> 20);
            let message = format!("its table `{table}` has more than {mebibytes} MiB of rows");
            return Err(DatasetDefect::BadTable { table, message }.error(dataset.root()));
        }
        rows.push(row.to_vec());
    }
    Ok(rows)
}

/// The position and the median time of a crawl.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlacedCrawl {
    /// The position of the crawl in the order of crawls of the history that is written or read, from 0.
    pub position: u32,
    /// The median of the times of its authoritative captures, in milliseconds since 1970.
    pub median_fetch: Option<i64>,
}

/// Returns the places of crawls, which are in order.
pub fn place_crawls(crawls: &[CrawlRow]) -> BTreeMap<String, PlacedCrawl> {
    let place = |(position, row): (u32, &CrawlRow)| {
        let median_fetch = row.median_fetch;
        let crawl = PlacedCrawl {
            position,
            median_fetch,
        };
        (row.crawl.clone(), crawl)
    };
    (0..).zip(crawls).map(place).collect()
}
