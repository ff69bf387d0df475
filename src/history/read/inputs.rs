//! The inputs of a history, and the checks that they fit together.

use crate::error::HistoryErrorKind;
use crate::write::manifest::HistoryManifest;
use dataset::error::{DatasetDefect, DatasetErrorKind, JoinDefect};
use dataset::{
    DatasetOptions, JOINED_FOLDER, JoinedManifest, Manifest, ManifestText, SUCCESS_FILE,
};
use errors::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tables::Table;

/// The tables from which the rows of a crawl are made.
pub(crate) const CRAWL_TABLES: [Table; 8] = [
    Table::ROBOTS_FILES,
    Table::VERDICTS,
    Table::GROUPS,
    Table::RULES,
    Table::DIRECTIVES,
    Table::RUNS,
    Table::AGENTS,
    Table::FILE_PREFERENCES,
];

/// A finished dataset: an input, or a member of a joined folder.
pub(crate) struct InputDataset {
    pub(crate) root: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) options: DatasetOptions,
}

/// A crawl of one dataset, or of several that are joined.
pub(crate) struct InputCrawl {
    pub(crate) name: String,
    pub(crate) datasets: Vec<Arc<InputDataset>>,
    /// True if one dataset has the whole crawl and no other crawl, so that the resolved tables of this dataset are
    /// read. Otherwise the hosts of the crawl are resolved again.
    pub(crate) is_resolved: bool,
    /// True if the list of its archives has archives of other crawls, too.
    pub(crate) is_list_shared: bool,
}

/// An earlier history.
pub(crate) struct InputHistory {
    pub(crate) root: PathBuf,
    pub(crate) manifest: HistoryManifest,
    /// Its crawls that no other input replaces.
    pub(crate) kept_crawls: Vec<String>,
}

/// All inputs of a history, opened and checked.
#[derive(Default)]
pub(crate) struct Inputs {
    /// The crawls that are read from datasets.
    pub(crate) crawls: Vec<InputCrawl>,
    pub(crate) histories: Vec<InputHistory>,
    /// The version of the meaning of the rows ([`MEANING`](tables::MEANING)), the same in all inputs.
    pub(crate) meaning: u64,
}

impl Inputs {
    /// Opens datasets, joined folders and histories. If `replaces` is true, a crawl of a later input replaces the
    /// same crawl of an earlier one; otherwise such a crawl is an error.
    ///
    /// # Errors
    ///
    /// Those of reading; [`HistoryErrorKind::CrawlTwice`], [`HistoryErrorKind::ShardInput`],
    /// [`HistoryErrorKind::OtherMeaning`], [`DatasetErrorKind::MissingTable`],
    /// [`DatasetErrorKind::NotADataset`].
    pub(crate) fn open(paths: &[PathBuf], replaces: bool) -> Result<Self, Error> {
        let mut inputs = Self::default();
        let mut meaning = None;
        // For each crawl, the input that has it.
        let mut owners: BTreeMap<String, PathBuf> = BTreeMap::new();
        for path in paths {
            let (before, histories_before) = (inputs.crawls.len(), inputs.histories.len());
            let mut names = Vec::new();
            let meanings = if let Some(manifest) = HistoryManifest::read(path)? {
                check_files(path, &manifest)?;
                names.extend(manifest.crawls.iter().cloned());
                let found = manifest.meaning;
                inputs.histories.push(InputHistory {
                    root: path.clone(),
                    kept_crawls: manifest.crawls.clone(),
                    manifest,
                });
                vec![found]
            } else {
                let found = inputs.open_datasets(path)?;
                names.extend(
                    inputs.crawls[before..]
                        .iter()
                        .map(|crawl| crawl.name.clone()),
                );
                found
            };
            for found in meanings {
                let first = *meaning.get_or_insert(found);
                if first != found {
                    let kind = HistoryErrorKind::OtherMeaning { first, found };
                    return Err(Error::new(kind, path));
                }
            }
            for crawl in names {
                if let Some(other) = owners.insert(crawl.clone(), path.clone()) {
                    if !replaces {
                        return Err(Error::new(
                            HistoryErrorKind::CrawlTwice { crawl, other },
                            path,
                        ));
                    }
                    inputs.remove_crawl(&crawl, before, histories_before);
                }
            }
        }
        inputs.meaning = meaning.unwrap_or_default();
        Ok(inputs)
    }

    /// Removes a crawl from the earlier inputs, which are the first `crawls` crawls and the first `histories`
    /// histories.
    fn remove_crawl(&mut self, name: &str, crawls: usize, histories: usize) {
        let mut index = 0;
        self.crawls.retain(|crawl| {
            index += 1;
            index > crawls || crawl.name != name
        });
        for history in &mut self.histories[..histories] {
            history.kept_crawls.retain(|crawl| crawl != name);
        }
    }

    /// Opens a dataset or a joined folder, and adds its crawls. Returns the version of the meaning of the rows of
    /// each dataset.
    fn open_datasets(&mut self, path: &Path) -> Result<Vec<u64>, Error> {
        std::fs::metadata(path).map_err(|error| Error::read(path, error))?;
        let joined = JoinedManifest::read(path)?;
        let roots = match &joined {
            Some(joined) => {
                joined.check_members(path)?;
                let names = joined.member_names();
                names.iter().map(|name| path.join(name)).collect()
            }
            None => vec![path.to_owned()],
        };
        let datasets = roots
            .iter()
            .map(|root| InputDataset::open(root).map(Arc::new));
        let datasets = datasets.collect::<Result<Vec<_>, _>>()?;
        if joined.is_none()
            && datasets
                .iter()
                .any(|dataset| dataset.options.shard.is_some())
        {
            return Err(Error::new(HistoryErrorKind::ShardInput, path));
        }
        let meanings = datasets.iter().map(|dataset| dataset.manifest.meaning);
        let meanings = meanings.collect();
        for dataset in &datasets {
            dataset.check_tables()?;
        }
        // For each crawl, the indexes of the datasets that have it.
        let mut by_crawl: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut crawl_counts = vec![0; datasets.len()];
        for (i, dataset) in datasets.iter().enumerate() {
            for name in dataset.crawl_names() {
                by_crawl.entry(name).or_default().push(i);
                crawl_counts[i] += 1;
            }
        }
        for (name, members) in by_crawl {
            let is_whole = |i: &usize| {
                crawl_counts[*i] == 1
                    && datasets[*i].options.shard.is_none()
                    && datasets[*i].manifest.crawls.len() == 1
            };
            let is_resolved = members.len() == 1 && members.iter().all(is_whole);
            // Shards of one list state their own crawls.
            let is_of_list = |dataset: &InputDataset| {
                let mut lists = members.iter().map(|i| &datasets[*i].options.list);
                lists.any(|list| *list == dataset.options.list)
            };
            let mut of_list = datasets.iter().filter(|dataset| is_of_list(dataset));
            let is_list_shared = of_list.any(|dataset| {
                let mut partitions = dataset.options.crawls.iter();
                partitions.any(|partition| partition.crawl != name)
            });
            let datasets = members.iter().map(|i| Arc::clone(&datasets[*i]));
            self.crawls.push(InputCrawl {
                datasets: datasets.collect(),
                is_resolved,
                is_list_shared,
                name,
            });
        }
        Ok(meanings)
    }
}

/// Returns the digest of the manifest of an input.
///
/// # Errors
///
/// Those of reading.
pub(crate) fn read_input_digest(path: &Path) -> Result<String, Error> {
    let joined = path.join(JOINED_FOLDER);
    let root = if joined.is_dir() { &joined } else { path };
    Ok(ManifestText::require(root)?.digest())
}

/// Returns an error if a file of a history is missing, or has another size than when it was written.
fn check_files(root: &Path, manifest: &HistoryManifest) -> Result<(), Error> {
    for file in &manifest.files {
        let (bytes, written) = (
            disk::file_size_below(root, Path::new(&file.path)),
            file.stats.bytes,
        );
        if bytes != Some(written) {
            return Err(DatasetDefect::bad_file(&file.path, bytes, written).error(root));
        }
    }
    Ok(())
}

impl InputDataset {
    /// Reads the manifest of a finished dataset.
    fn open(root: &Path) -> Result<Self, Error> {
        let text = ManifestText::read(root)?.filter(|_| dataset::is_dataset(root));
        let text = text.ok_or_else(|| DatasetDefect::no_manifest().error(root))?;
        text.check_readable()?;
        let mut manifest = text.manifest();
        manifest.check_files();
        if !manifest.stale.is_empty() || !disk::is_regular(&root.join(SUCCESS_FILE)) {
            return Err(DatasetDefect::Unfinished.error(root));
        }
        let options = manifest.options.clone();
        match options.filter(|_| manifest.problems.is_empty()) {
            Some(options) => Ok(Self {
                root: root.to_owned(),
                manifest,
                options,
            }),
            None => Err(Error::new(
                DatasetErrorKind::Unjoinable(JoinDefect::Damaged),
                root,
            )),
        }
    }

    /// Returns the names of the crawls of all parts.
    fn crawl_names(&self) -> BTreeSet<String> {
        let parts = self.manifest.parts.iter();
        parts.map(|part| part.crawl.clone()).collect()
    }

    /// Returns an error if the dataset lacks one of [`CRAWL_TABLES`].
    fn check_tables(&self) -> Result<(), Error> {
        let is_missing = |table: &&Table| !self.options.tables.contains(table);
        match CRAWL_TABLES.iter().find(is_missing) {
            None => Ok(()),
            Some(table) => {
                let kind = DatasetErrorKind::MissingTable {
                    table: table.name(),
                    needed: CRAWL_TABLES.iter().map(|table| table.name()).collect(),
                };
                Err(Error::new(kind, &self.root))
            }
        }
    }
}
