//! The files of a finished dataset, in the order in which they are copied.

use crate::verify;
use dataset::error::{DatasetDefect, DatasetErrorKind, ManifestDefect};
use dataset::tables::Table;
use dataset::{
    AGENTS_PATH, FileStats, JOINED_FOLDER, JoinedManifest, MANIFEST_FILE, Manifest, SUCCESS_FILE,
    VIEWS_FILE, check_readable, views_sql,
};
use disk::error::Error;
use remote::{Content, UploadSource};
use std::path::Path;

/// A file of the copy.
#[derive(Clone, Debug)]
pub(super) struct CopiedFile {
    /// The path below the copy.
    pub(super) path: String,
    pub(super) source: UploadSource,
    /// The size and the digest of the bytes that were written.
    pub(super) content: Content,
}

/// The files of a dataset. The copy of the files of each list begins after that of the list before.
#[derive(Debug, Default)]
pub(super) struct DatasetFiles {
    /// The manifests, by which a copy of the same dataset is recognized. The first one identifies
    /// the whole.
    pub(super) manifests: Vec<CopiedFile>,
    /// The Parquet files of all tables.
    pub(super) tables: Vec<CopiedFile>,
    /// `views.sql`, for the place of the copy.
    pub(super) views: Vec<CopiedFile>,
    /// The marks of complete datasets; that of the whole is the last one.
    pub(super) marks: Vec<CopiedFile>,
}

impl DatasetFiles {
    /// Finds the files of the dataset, or of the joined datasets, at `root`. `place` is the place
    /// of the copy.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`] without a finished dataset, or if a file is missing or has another
    /// size; [`DatasetErrorKind::BadManifest`]; errors of reading.
    pub(super) fn find(root: &Path, place: &str) -> Result<Self, Error> {
        let mut files = Self::default();
        let Some(joined) = JoinedManifest::read(root)? else {
            files.add_dataset(root, "", place)?;
            return Ok(files);
        };
        joined.check_members(root)?;
        let below = format!("{JOINED_FOLDER}/");
        let folder = root.join(JOINED_FOLDER);
        files.manifests.push(read(&folder, &below, MANIFEST_FILE)?);
        for name in joined.member_names() {
            let place = format!("{place}/{name}");
            files.add_dataset(&root.join(&name), &format!("{name}/"), &place)?;
        }
        for entry in joined.files() {
            let file = file(&folder, &below, &entry.path, &entry.stats)?;
            files.tables.push(file);
        }
        let views = views_sql(
            Path::new(place),
            &joined.view_tables(true),
            &joined.member_names(),
        );
        files.views.push(content("", VIEWS_FILE, views.into()));
        files.marks.push(read(&folder, &below, SUCCESS_FILE)?);
        Ok(files)
    }

    /// Adds the files of one dataset. `below` is its folder in the copy, with a slash.
    fn add_dataset(&mut self, root: &Path, below: &str, place: &str) -> Result<(), Error> {
        check_readable(root)?;
        let path = root.join(MANIFEST_FILE);
        if !disk::is_regular(&path) {
            let kind = DatasetDefect::NoManifest {
                name: MANIFEST_FILE,
            };
            return Err(Error::new(DatasetErrorKind::NotADataset(kind), root));
        }
        if !disk::is_regular(&root.join(SUCCESS_FILE)) {
            let kind = DatasetDefect::Unfinished;
            return Err(Error::new(DatasetErrorKind::NotADataset(kind), root));
        }
        let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
        let mut manifest = Manifest::parse(&text);
        let findings = verify::check_manifest(root, &mut manifest);
        let invalid = |message: String| {
            let kind = DatasetErrorKind::BadManifest(ManifestDefect::Invalid { message });
            Error::new(kind, &path)
        };
        let mut groups = findings.groups();
        if let Some(finding) = groups.find_map(|group| group.findings.first()) {
            return Err(invalid(finding.message.clone()));
        }
        let tables = manifest.tables();
        let tables = tables.ok_or_else(|| invalid("it has no options".to_owned()))?;
        self.manifests.push(content(below, MANIFEST_FILE, text));
        for entry in manifest.files() {
            let file = file(root, below, &entry.path, &entry.stats)?;
            self.tables.push(file);
        }
        if tables.contains(&Table::Agents) {
            // The manifest has no digest of it.
            self.tables.push(match verify::stats_of_agents(&manifest) {
                Some(stats) => file(root, below, AGENTS_PATH, &stats)?,
                None => read(root, below, AGENTS_PATH)?,
            });
        }
        let views = views_sql(Path::new(place), &tables, &[]);
        self.views.push(content(below, VIEWS_FILE, views.into()));
        self.marks.push(read(root, below, SUCCESS_FILE)?);
        Ok(())
    }

    /// Returns all files, in their order.
    pub(super) fn all(&self) -> impl Iterator<Item = &CopiedFile> {
        let lists = [&self.manifests, &self.tables, &self.views, &self.marks];
        lists.into_iter().flatten()
    }
}

/// Returns a file that has the size that was written. Its digest is compared when it is copied.
fn file(root: &Path, below: &str, name: &str, stats: &FileStats) -> Result<CopiedFile, Error> {
    let bytes = disk::size_below(root, Path::new(name));
    let bytes = bytes.ok_or_else(|| missing(root, name))?;
    if bytes != stats.bytes {
        let kind = DatasetDefect::FileSize {
            name: name.to_owned(),
            bytes,
            written: stats.bytes,
        };
        return Err(Error::new(DatasetErrorKind::NotADataset(kind), root));
    }
    Ok(CopiedFile {
        path: format!("{below}{name}"),
        source: UploadSource::File(root.join(name)),
        content: Content {
            bytes,
            digest: stats.digest.clone(),
        },
    })
}

/// Reads a small file.
fn read(root: &Path, below: &str, name: &str) -> Result<CopiedFile, Error> {
    if disk::size_below(root, Path::new(name)).is_none() {
        return Err(missing(root, name));
    }
    let path = root.join(name);
    let bytes = disk::read(&path).map_err(|error| Error::read(&path, error))?;
    Ok(content(below, name, bytes))
}

fn missing(root: &Path, name: &str) -> Error {
    let kind = DatasetDefect::NoFile {
        name: name.to_owned(),
    };
    Error::new(DatasetErrorKind::NotADataset(kind), root)
}

fn content(below: &str, name: &str, bytes: Vec<u8>) -> CopiedFile {
    CopiedFile {
        path: format!("{below}{name}"),
        content: Content::of(&bytes),
        source: UploadSource::Memory(bytes.into()),
    }
}
