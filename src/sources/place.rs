//! The place of the bytes of an input.

use crate::error::SourceErrorKind;
use crate::stream::Stream;
use disk::without_secrets;
use errors::Error;
use remote::{NotARemoteUrl, RemoteUrl, has_scheme};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place of the bytes of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// A regular file. It can be opened several times and read in slices.
    File(PathBuf),
    /// A stream. It is opened once and read from its first byte to its last.
    Stream(Arc<Stream>),
    /// A file that does not exist: a fault if the run skips missing files, and an error otherwise.
    Missing(PathBuf),
    /// An object on a server. It is fetched before it is read: whole, or the ranges of the selected records.
    Remote(RemoteUrl),
}

impl InputPlace {
    /// Returns the place for a path or URL.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Read`](errors::ErrorKind::Read) if the path is a folder, or if its metadata cannot be
    /// read; [`SourceErrorKind::UrlInput`] for a URL that [`parse_url`] refuses.
    pub(crate) fn from_path(path: PathBuf) -> Result<Self, Error> {
        if let Some(url) = parse_url(&path.to_string_lossy())? {
            return Ok(Self::Remote(url));
        }
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => Ok(Self::File(path)),
            Ok(metadata) if metadata.is_dir() => {
                Err(Error::read(path, io::ErrorKind::IsADirectory.into()))
            }
            Ok(_) => Ok(Self::Stream(Stream::open(&path))),
            Err(error) if is_missing(&error) => Ok(Self::Missing(path)),
            Err(error) => Err(Error::read(path, error)),
        }
    }

    /// Returns true for a stream.
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Stream(_))
    }

    /// Returns the URL of an object on a server; `None` for all other places.
    pub fn url(&self) -> Option<&RemoteUrl> {
        match self {
            Self::Remote(url) => Some(url),
            Self::File(_) | Self::Stream(_) | Self::Missing(_) => None,
        }
    }

    /// Returns the path for messages, or `standard input`.
    pub fn display_path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Missing(path) => path,
            Self::Stream(stream) => stream.display_path(),
            Self::Remote(url) => url.display_path(),
        }
    }
}

/// Returns the URL of an object; `None` for a path.
///
/// # Errors
///
/// [`SourceErrorKind::UrlInput`] for a URL that no object can have, or whose protocol is not https, http or S3.
pub(crate) fn parse_url(text: &str) -> Result<Option<RemoteUrl>, Error> {
    let refuse = || Error::new(SourceErrorKind::UrlInput, without_secrets(text));
    match RemoteUrl::parse(text) {
        Ok(None) if has_scheme(text) => Err(refuse()),
        Ok(url) => Ok(url),
        Err(NotARemoteUrl) => Err(refuse()),
    }
}

pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
