//! The datasets that are joined, and the checks that they fit together.

use dataset::division::Shard;
use dataset::error::{DatasetErrorKind, JoinDefect, REGISTRY, SUFFIX_LIST};
use dataset::{
    Dataset, DatasetOptions, Format, JoinedManifest, Manifest, ManifestText, MemberEntry,
    PartLocation, SUCCESS_FILE, is_dataset, is_member_name,
};
use disk::FileKind;
use errors::Error;
use hosts::resolved::RESOLVED_FROM;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use tables::Table;
use xxhash_rust::xxh3::Xxh3;

/// The datasets that are joined, after the checks that they fit together.
pub(super) struct Members {
    manifest: JoinedManifest,
    members: Vec<Member>,
}

/// One of the joined datasets.
struct Member {
    root: PathBuf,
    options: DatasetOptions,
    manifest: Manifest,
}

impl Members {
    /// Finds the datasets in the subfolders of `folder`, and checks them. If `is_mixed`, they may differ
    /// in the meaning of rows ([`tables::MEANING`]), the registry of crawlers and the Public Suffix List.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::Unjoinable`], and errors of reading.
    pub(super) fn find(folder: &Path, is_mixed: bool) -> Result<Self, Error> {
        let refuse =
            |defect, path: &Path| Err(Error::new(DatasetErrorKind::Unjoinable(defect), path));
        if is_dataset(folder) {
            return refuse(JoinDefect::IsDataset, folder);
        }
        std::fs::read_dir(folder).map_err(|error| Error::read(folder, error))?;
        let entries = disk::list_folder(folder).map_err(|error| Error::read(folder, error))?;
        let mut found = Self {
            manifest: JoinedManifest::default(),
            members: Vec::new(),
        };
        for (root, kind) in entries {
            let name = root.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(['_', '.']) || !is_dataset(&root) {
                continue;
            }
            if kind == FileKind::Link {
                return refuse(JoinDefect::Link, &root);
            }
            if !is_member_name(&name) || root.to_str().is_none() {
                return refuse(JoinDefect::Name, &root);
            }
            let name = name.into_owned();
            found.add_member(name, root, is_mixed)?;
        }
        let Some(first) = found.members.first() else {
            return refuse(JoinDefect::NoMembers, folder);
        };
        for table in [Table::ROBOTS_FILES, Table::VERDICTS] {
            if !first.options.tables.contains(&table) {
                let table = table.name();
                return refuse(JoinDefect::NoTable { table }, &first.root);
            }
        }
        // The tables are listed in the order of `Table::ALL`. `check_same_options` below checks that all
        // members have the same ones.
        found.manifest.tables = Table::ALL.to_vec();
        found.manifest.tables.retain(|table| {
            let options = found.members.iter().map(|member| &member.options);
            let mut tables = options.flat_map(unresolved_tables);
            tables.any(|other| other == *table)
        });
        for member in &found.members[1..] {
            check_same_options(first, member, is_mixed)?;
        }
        check_shards(&found.members)?;
        check_inputs(&found.members)?;
        Ok(found)
    }

    /// Adds the dataset at `root`, after checking that it can be joined with others.
    fn add_member(&mut self, name: String, root: PathBuf, is_mixed: bool) -> Result<(), Error> {
        let refuse = |defect| Err(Error::new(DatasetErrorKind::Unjoinable(defect), &root));
        let text = ManifestText::require(&root)?;
        if let Some(kind) = text.kind() {
            return refuse(JoinDefect::OfKind(kind));
        }
        text.check_format(&Format::of_datasets())?;
        let (mut manifest, digest) = (text.manifest(), text.digest());
        manifest.check_files();
        if manifest.meaning != tables::MEANING && !is_mixed {
            return refuse(JoinDefect::Meaning {
                found: manifest.meaning,
                current: tables::MEANING,
            });
        }
        if !manifest.stale.is_empty() || !disk::is_regular(&root.join(SUCCESS_FILE)) {
            return refuse(JoinDefect::Unfinished);
        }
        let Some(options) = manifest
            .options
            .clone()
            .filter(|_| manifest.problems.is_empty())
        else {
            return refuse(JoinDefect::Damaged);
        };
        self.manifest.members.push(MemberEntry {
            name,
            other_meanings: manifest.other_meanings(),
            digest,
        });
        self.members.push(Member {
            root,
            options,
            manifest,
        });
        Ok(())
    }

    /// Returns the manifest of the joined datasets, without crawls.
    pub(super) fn manifest(&self) -> &JoinedManifest {
        &self.manifest
    }

    /// Opens the parts of all members as one dataset, for reading `tables`.
    pub(super) fn open_dataset(&self, folder: &Path, tables: &[Table]) -> Result<Dataset, Error> {
        let parts = self.members.iter();
        let parts: Vec<(PathBuf, Vec<PartLocation<'_>>)> = parts
            .map(|member| (member.root.clone(), member.manifest.part_locations()))
            .collect();
        Dataset::from_parts(folder, &parts, tables, true)
    }

    /// Returns for each crawl a digest of the files from which it is resolved.
    pub(super) fn source_digests(&self, crawls: &[String]) -> Vec<String> {
        let compute_source_digest = |crawl: &String| {
            let mut hasher = Xxh3::new();
            for member in &self.members {
                let parts = member.manifest.parts.iter();
                for part in parts.filter(|part| part.crawl == *crawl) {
                    let is_read = |table| RESOLVED_FROM.contains(&table);
                    hasher.update(&part.number.to_le_bytes());
                    for table in part.tables.iter().filter(|table| is_read(table.table)) {
                        hasher.update(table.digest.as_bytes());
                    }
                }
            }
            format!("{:016x}", hasher.digest())
        };
        crawls.iter().map(compute_source_digest).collect()
    }
}

/// Returns the tables of a dataset, without the resolved tables.
fn unresolved_tables(options: &DatasetOptions) -> Vec<Table> {
    let tables = options.tables.iter().copied();
    tables.filter(|table| !table.is_per_crawl()).collect()
}

/// Checks that two datasets have the same tables and were made with the same options and, unless
/// `is_mixed`, with the same registry of crawlers and Public Suffix List.
fn check_same_options(first: &Member, member: &Member, is_mixed: bool) -> Result<(), Error> {
    let names = |options: &DatasetOptions| {
        let tables = unresolved_tables(options);
        let names: Vec<&str> = tables.iter().map(|table| table.name()).collect();
        names.join(", ")
    };
    let (a, b) = (&first.options, &member.options);
    let compared = [
        (REGISTRY, a.agents.clone(), b.agents.clone()),
        (SUFFIX_LIST, a.psl.clone(), b.psl.clone()),
        ("the options", a.rows.to_string(), b.rows.to_string()),
        ("the tables", names(a), names(b)),
    ];
    for (setting, before, now) in compared {
        if before != now && !(is_mixed && [REGISTRY, SUFFIX_LIST].contains(&setting)) {
            let other = first.root.clone();
            let defect = JoinDefect::Differs {
                setting,
                before,
                now,
                other,
            };
            return Err(Error::new(
                DatasetErrorKind::Unjoinable(defect),
                &member.root,
            ));
        }
    }
    Ok(())
}

/// Checks that every shard of a run exists exactly once. Shards belong to one run if they were made
/// from the same list.
fn check_shards(members: &[Member]) -> Result<(), Error> {
    let mut runs: BTreeMap<(&str, usize), BTreeMap<usize, &Path>> = BTreeMap::new();
    for member in members {
        let Some(shard) = member.options.shard else {
            continue;
        };
        let run = runs.entry((&member.options.list, shard.count)).or_default();
        if let Some(other_root) = run.insert(shard.index, &member.root) {
            let shard = shard.to_string();
            let other = other_root.to_owned();
            let defect = JoinDefect::ShardTwice { shard, other };
            return Err(Error::new(
                DatasetErrorKind::Unjoinable(defect),
                &member.root,
            ));
        }
    }
    for ((_, count), shards) in runs {
        let missing = (1..=count).filter(|index| !shards.contains_key(index));
        let missing = missing.map(|index| Shard { index, count }.to_string());
        let missing: Vec<String> = missing.collect();
        if let Some(root) = shards.values().next()
            && !missing.is_empty()
        {
            let defect = JoinDefect::ShardMissing { missing };
            return Err(Error::new(DatasetErrorKind::Unjoinable(defect), root));
        }
    }
    Ok(())
}

/// Checks that no archive was scanned twice, and that the keys of captures do not overlap in a crawl.
/// Only crawls that occur in several datasets are compared, since a run reads no archive twice.
fn check_inputs(members: &[Member]) -> Result<(), Error> {
    let mut by_crawl: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
    for member in members {
        let parts = member.manifest.parts.iter();
        let crawls: BTreeSet<&str> = parts.map(|part| part.crawl.as_str()).collect();
        for crawl in crawls {
            by_crawl.entry(crawl).or_default().push(member);
        }
    }
    for (crawl, members) in by_crawl.iter().filter(|(_, members)| members.len() > 1) {
        let (mut names, mut indexes) = (HashMap::new(), HashMap::new());
        for member in members {
            let parts = member.manifest.parts.iter();
            for part in parts.filter(|part| part.crawl == *crawl) {
                let inputs = member.manifest.inputs.get(part.inputs.clone());
                for input in inputs.into_iter().flatten() {
                    let other = names.insert(&input.name, member);
                    if let (Some(other), Some(name)) = (other, &input.name) {
                        let defect = JoinDefect::ArchiveTwice {
                            name: name.clone(),
                            other: other.root.clone(),
                        };
                        return Err(Error::new(
                            DatasetErrorKind::Unjoinable(defect),
                            &member.root,
                        ));
                    }
                    if let Some(other) = indexes.insert(input.index, member) {
                        let defect = JoinDefect::KeysOverlap {
                            crawl: (*crawl).to_owned(),
                            other: other.root.clone(),
                            next_free_index: next_free_index(members),
                        };
                        return Err(Error::new(
                            DatasetErrorKind::Unjoinable(defect),
                            &member.root,
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns the smallest index that is larger than those of all inputs of these datasets.
fn next_free_index(members: &[&Member]) -> u64 {
    let inputs = members.iter().flat_map(|member| &member.manifest.inputs);
    inputs
        .filter_map(|input| input.index)
        .max()
        .map_or(0, |last| last + 1)
}
