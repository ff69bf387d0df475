//! The folder or URL where the archives of a dataset are found.

use disk::without_secrets;
use errors::Error;
use remote::{NotARemoteUrl, RemoteUrl, has_scheme};
use sources::error::SourceErrorKind;
use std::fs;
use std::path::PathBuf;

/// The folder or URL where the archives of a dataset are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveBase {
    /// The folder to which the names of archives are relative, or the path of a single archive.
    Path(PathBuf),
    /// The URL to which the names of archives are appended.
    Url(BaseUrl),
}

/// A URL to which the names of archives are appended. User information in the URL is sent to the server,
/// but hidden when the URL is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

impl std::fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&without_secrets(&self.0))
    }
}

impl ArchiveBase {
    /// Parses a path or a URL.
    ///
    /// # Errors
    ///
    /// [`SourceErrorKind::UrlInput`] for a URL that no archive can be below, or of another protocol;
    /// [`ErrorKind::Read`](errors::ErrorKind::Read) for a path that does not exist.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if has_scheme(text) {
            let base = BaseUrl(text.to_owned());
            return match base.archive_url("archive") {
                Ok(Some(_)) => Ok(Self::Url(base)),
                _ => Err(Error::new(SourceErrorKind::UrlInput, without_secrets(text))),
            };
        }
        fs::metadata(text).map_err(|error| Error::read(text, error))?;
        Ok(Self::Path(text.into()))
    }
}

impl BaseUrl {
    /// Returns the URL of the archive `name` below this base; `None` if the scheme of the base is not
    /// supported.
    pub(super) fn archive_url(&self, name: &str) -> Result<Option<RemoteUrl>, NotARemoteUrl> {
        RemoteUrl::parse(&join_name(&self.0, name))
    }
}

/// Appends the name of an archive to a base, in the same way as a scan appends the names in a list.
pub(super) fn join_name(base: &str, name: &str) -> String {
    let name = name.trim_start_matches('/');
    format!("{}/{name}", base.trim_end_matches('/'))
}
