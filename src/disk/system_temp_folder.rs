//! A folder in the system's place for temporary files.

use crate::error::{Error, ErrorKind};
use std::fs;
use std::path::{Path, PathBuf};

/// A new folder below [`std::env::temp_dir`], removed with its content when
/// dropped.
#[derive(Debug)]
pub struct SystemTempFolder {
    folder: PathBuf,
}

impl SystemTempFolder {
    /// Creates the folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Create`].
    pub fn create() -> Result<Self, Error> {
        let parent = std::env::temp_dir();
        let process = std::process::id();
        // Process ids are reused, so the folder of a killed process may exist.
        // It is left alone, since another process may be using it.
        for i in 0..u16::MAX {
            let folder = parent.join(format!("robots-scan-{process}-{i}"));
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(Self { folder }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Error::with_source(ErrorKind::Create, &folder, error));
                }
            }
        }
        Err(Error::new(ErrorKind::Create, &parent))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for SystemTempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
