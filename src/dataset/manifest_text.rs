//! The text of a manifest: of a dataset, of joined datasets, or of another kind of folder, such as a history.

use crate::error::{DatasetDefect, DatasetErrorKind, ManifestDefect};
use crate::file_names::MANIFEST_FILE;
use crate::manifest::{Manifest, is_being_replaced};
use crate::manifest_entries::Format;
use errors::Error;
use serde_json::Value;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The text of a manifest, which anyone may have edited.
#[derive(Clone, Debug)]
pub struct ManifestText {
    root: PathBuf,
    pub bytes: Vec<u8>,
}

impl ManifestText {
    /// Reads the manifest of a folder; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read).
    pub fn read(root: &Path) -> Result<Option<Self>, Error> {
        if disk::is_regular(&root.join(MANIFEST_FILE)) {
            Self::require(root).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Reads the manifest of a folder that has one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read), also for a folder without a manifest.
    pub fn require(root: &Path) -> Result<Self, Error> {
        let path = root.join(MANIFEST_FILE);
        let bytes = disk::read(&path).map_err(|error| Error::read(&path, error))?;
        let root = root.to_owned();
        Ok(Self { root, bytes })
    }

    /// Returns the first line; null if it is not JSON.
    pub fn first_line(&self) -> Value {
        let line = self.bytes.split(|&byte| byte == b'\n').next();
        serde_json::from_slice(line.unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the kind of the folder: the word `kind` in the first line; `None` for a dataset.
    pub fn kind(&self) -> Option<String> {
        let is_word = |kind: &&str| {
            (1..=30).contains(&kind.len()) && kind.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let line = self.first_line();
        line["kind"].as_str().filter(is_word).map(str::to_owned)
    }

    /// Returns an error unless the manifest has the format that this program writes. A first line without a format
    /// passes.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`].
    pub fn check_format(&self, format: &Format) -> Result<(), Error> {
        let line = self.first_line();
        if line["format"].is_u64() && !format.is_format_of(&line) {
            Err(DatasetDefect::other_format().error(&self.root))
        } else {
            Ok(())
        }
    }

    /// Returns an error if rows of the dataset are not to be read: it has another format, or is being replaced.
    ///
    /// # Errors
    ///
    /// [`DatasetErrorKind::NotADataset`].
    pub fn check_readable(&self) -> Result<(), Error> {
        self.check_format(&Format::of_datasets())?;
        if is_being_replaced(&self.bytes) {
            Err(DatasetDefect::Unfinished.error(&self.root))
        } else {
            Ok(())
        }
    }

    /// Parses the manifest of a dataset.
    pub fn manifest(&self) -> Manifest {
        Manifest::parse(&self.bytes)
    }

    /// Returns the XXH3-64 of the text, in hexadecimal.
    pub fn digest(&self) -> String {
        format!("{:016x}", xxh3_64(&self.bytes))
    }

    /// Returns the error that the manifest is not valid.
    pub fn invalid_error(&self, message: impl Into<String>) -> Error {
        let kind = DatasetErrorKind::BadManifest(ManifestDefect::Invalid(message.into()));
        Error::new(kind, self.root.join(MANIFEST_FILE))
    }
}
