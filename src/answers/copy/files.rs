//! The files of a finished dataset or history, in the order in which they are copied.

use dataset::error::{DatasetDefect, DatasetErrorKind, ManifestDefect};
use dataset::{
    AGENTS_PATH, FileStats, JOINED_FOLDER, JoinedManifest, MANIFEST_FILE, Manifest, SUCCESS_FILE,
    VIEWS_FILE, check_readable,
};
use disk::error::Error;
use history::HistoryManifest;
use keep::verify;
use remote::{SizeAndDigest, UploadSource};
use std::path::Path;
use tables::Table;

/// A file of the copy.
#[derive(Clone, Debug)]
pub(super) struct CopiedFile {
    /// The path below the URL of the copy.
    pub(super) path: String,
    pub(super) source: UploadSource,
    /// The size and the digest of the file when it was written.
    pub(super) content: SizeAndDigest,
}

/// The files of a dataset, of joined datasets or of a history. The lists are copied in this order.
#[derive(Debug, Default)]
pub(super) struct DatasetFiles {
    /// The manifests. A copy of the same dataset is recognized by equal manifests. The first one is that
    /// of the joined datasets, or of the only dataset.
    pub(super) manifests: Vec<CopiedFile>,
    /// The Parquet files of all tables.
    pub(super) tables: Vec<CopiedFile>,
    /// The files `views.sql`, made for the URL of the copy.
    pub(super) views: Vec<CopiedFile>,
    /// The files `_SUCCESS`. The last one is that of the joined datasets, or of the only dataset.
    pub(super) success_files: Vec<CopiedFile>,
}

impl DatasetFiles {
    /// Finds the files of the dataset, the joined datasets or the history at `root`. `destination` is the
    /// URL of the copy, which the copied `views.sql` opens.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`] without a finished dataset, or if a file is missing or has another
    /// size; [`DatasetErrorKind::BadManifest`]; errors of reading.
    pub(super) fn find(root: &Path, destination: &str) -> Result<Self, Error> {
        let mut files = Self::default();
        if let Some(history) = HistoryManifest::read(root)? {
            files.add_history(root, &history, destination)?;
            return Ok(files);
        }
        let Some(joined) = JoinedManifest::read(root)? else {
            files.add_dataset(root, "", destination)?;
            return Ok(files);
        };
        joined.check_members(root)?;
        let path_prefix = format!("{JOINED_FOLDER}/");
        let folder = root.join(JOINED_FOLDER);
        files
            .manifests
            .push(read_file(&folder, &path_prefix, MANIFEST_FILE)?);
        for name in joined.member_names() {
            let destination = format!("{destination}/{name}");
            files.add_dataset(&root.join(&name), &format!("{name}/"), &destination)?;
        }
        for entry in joined.files() {
            let file = find_listed_file(&folder, &path_prefix, &entry.path, &entry.stats)?;
            files.tables.push(file);
        }
        let views = tables::views_sql(Path::new(destination), &joined.viewed(true));
        files
            .views
            .push(file_from_bytes("", VIEWS_FILE, views.into()));
        files
            .success_files
            .push(read_file(&folder, &path_prefix, SUCCESS_FILE)?);
        Ok(files)
    }

    /// Adds the files of a history.
    fn add_history(
        &mut self,
        root: &Path,
        history: &HistoryManifest,
        destination: &str,
    ) -> Result<(), Error> {
        self.manifests.push(read_file(root, "", MANIFEST_FILE)?);
        for file in &history.files {
            let file = find_listed_file(root, "", &file.path, &file.stats)?;
            self.tables.push(file);
        }
        let views = history::views_sql(Path::new(destination));
        self.views
            .push(file_from_bytes("", VIEWS_FILE, views.into()));
        self.success_files.push(read_file(root, "", SUCCESS_FILE)?);
        Ok(())
    }

    /// Adds the files of one dataset. `path_prefix` is the folder of the dataset in the copy, with a
    /// slash at the end; empty if the dataset is not joined with others.
    fn add_dataset(
        &mut self,
        root: &Path,
        path_prefix: &str,
        destination: &str,
    ) -> Result<(), Error> {
        check_readable(root)?;
        let path = root.join(MANIFEST_FILE);
        if !disk::is_regular(&path) {
            return Err(DatasetDefect::no_manifest().error(root));
        }
        if !disk::is_regular(&root.join(SUCCESS_FILE)) {
            return Err(DatasetDefect::Unfinished.error(root));
        }
        let text = disk::read(&path).map_err(|error| Error::read(&path, error))?;
        let mut manifest = Manifest::parse(&text);
        let findings = verify::check_manifest(root, &mut manifest);
        let invalid_manifest_error = |message: String| {
            let kind = DatasetErrorKind::BadManifest(ManifestDefect::Invalid(message));
            Error::new(kind, &path)
        };
        let mut groups = findings.groups();
        if let Some(finding) = groups.find_map(|group| group.findings.first()) {
            return Err(invalid_manifest_error(finding.message.clone()));
        }
        let viewed = manifest.viewed();
        let viewed =
            viewed.ok_or_else(|| invalid_manifest_error("it has no options".to_owned()))?;
        self.manifests
            .push(file_from_bytes(path_prefix, MANIFEST_FILE, text));
        for entry in manifest.files() {
            let file = find_listed_file(root, path_prefix, &entry.path, &entry.stats)?;
            self.tables.push(file);
        }
        if viewed.tables.contains(&Table::AGENTS) {
            // The manifest has no digest of this table.
            self.tables
                .push(match verify::expected_agents_stats(&manifest) {
                    Some(stats) => find_listed_file(root, path_prefix, AGENTS_PATH, &stats)?,
                    None => read_file(root, path_prefix, AGENTS_PATH)?,
                });
        }
        let views = tables::views_sql(Path::new(destination), &viewed);
        self.views
            .push(file_from_bytes(path_prefix, VIEWS_FILE, views.into()));
        self.success_files
            .push(read_file(root, path_prefix, SUCCESS_FILE)?);
        Ok(())
    }

    /// Returns all files, in their order.
    pub(super) fn all(&self) -> impl Iterator<Item = &CopiedFile> {
        let lists = [
            &self.manifests,
            &self.tables,
            &self.views,
            &self.success_files,
        ];
        lists.into_iter().flatten()
    }
}

/// Returns a file that the manifest lists, or an error if the file has another size than `stats`. The
/// digest is compared when the file is copied.
fn find_listed_file(
    root: &Path,
    path_prefix: &str,
    name: &str,
    stats: &FileStats,
) -> Result<CopiedFile, Error> {
    let (bytes, written) = (disk::file_size_below(root, Path::new(name)), stats.bytes);
    if bytes != Some(written) {
        return Err(DatasetDefect::bad_file(name, bytes, written).error(root));
    }
    Ok(CopiedFile {
        path: format!("{path_prefix}{name}"),
        source: UploadSource::File(root.join(name)),
        content: SizeAndDigest {
            bytes: written,
            digest: stats.digest.clone(),
        },
    })
}

/// Reads a file whose digest the manifest does not have. The bytes that were read are copied.
fn read_file(root: &Path, path_prefix: &str, name: &str) -> Result<CopiedFile, Error> {
    if disk::file_size_below(root, Path::new(name)).is_none() {
        return Err(DatasetDefect::missing_file(name).error(root));
    }
    let path = root.join(name);
    let bytes = disk::read(&path).map_err(|error| Error::read(&path, error))?;
    Ok(file_from_bytes(path_prefix, name, bytes))
}

fn file_from_bytes(path_prefix: &str, name: &str, bytes: Vec<u8>) -> CopiedFile {
    CopiedFile {
        path: format!("{path_prefix}{name}"),
        content: SizeAndDigest::from_bytes(&bytes),
        source: UploadSource::Memory(bytes.into()),
    }
}
