use crate::error::DatasetErrorKind;
use crawlers::CrawlerRegistry;
use errors::{Error, ErrorKind};
use std::path::Path;

/// The limit of the size of a registry that a user supplies. The built-in one is below 100 KB.
const MAX_REGISTRY_BYTES: u64 = 16 << 20;

/// Reads a registry of crawlers from a CSV file, as [`CrawlerRegistry::parse`] does.
///
/// # Errors
///
/// [`ErrorKind::Read`] and [`DatasetErrorKind::BadRegistry`].
pub fn read_registry(path: &Path) -> Result<CrawlerRegistry, Error> {
    let text = disk::read_user_file(path, MAX_REGISTRY_BYTES);
    let text = String::from_utf8(text.map_err(|error| Error::read(path, error))?);
    let text = text.map_err(|error| Error::with_source(ErrorKind::Read, path, error))?;
    let registry_error = |why| Error::new(DatasetErrorKind::BadRegistry(why), path);
    CrawlerRegistry::parse(&text).map_err(registry_error)
}
