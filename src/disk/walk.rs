//! The recursive search of a folder for files.

use super::file_identity;
use crate::FileKind;
use errors::{Error, ErrorKind};
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum number of entries in all folders together.
const MAX_ENTRIES: u64 = 10_000_000;

/// The maximum depth of a folder. The depth of the searched folder is 0.
const MAX_DEPTH: usize = 200;

/// The state of a folder walk.
struct Walk<'w> {
    /// Returns true for the path of a file that is wanted.
    is_wanted: &'w dyn Fn(&Path) -> bool,
    files: Vec<PathBuf>,
    /// Folders that were searched, by device and inode.
    folders: HashSet<(u64, u64)>,
    /// Links that were found and not yet followed.
    links: BTreeSet<PathBuf>,
    entries: u64,
}

/// Returns the files below a folder that are wanted, sorted by path.
///
/// Links are followed, and each folder is searched once: under its own path if it
/// is below `root`, otherwise under the first link to it in the order of paths. A
/// link to a file that was also found under its own path is ignored. Pipes and
/// devices are ignored, too.
///
/// # Errors
///
/// [`ErrorKind::Read`]; [`ErrorKind::FolderTooLarge`] beyond the limits.
pub fn walk(root: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Error> {
    let mut walk = Walk {
        is_wanted,
        files: Vec::new(),
        folders: HashSet::new(),
        links: BTreeSet::new(),
        entries: 0,
    };
    walk.search_folder(root, root, 0)?;
    // All folders are searched before links are followed, so that a folder below `root` is
    // always found under its own path.
    let mut linked_files = Vec::new();
    while let Some(link) = walk.links.pop_first() {
        match fs::metadata(&link) {
            Ok(metadata) if metadata.is_dir() => {
                let depth = link.components().count() - root.components().count();
                walk.search_folder(root, &link, depth)?;
            }
            Ok(metadata) if !metadata.is_file() => {}
            // A broken link is returned like a file. Opening it fails later.
            _ if is_wanted(&link) => linked_files.push(link),
            _ => {}
        }
    }
    let mut files = walk.files;
    let file_id = |path: &PathBuf| {
        fs::metadata(path)
            .ok()
            .map(|metadata| file_identity(&metadata))
    };
    if !linked_files.is_empty() {
        let mut found_ids: HashSet<_> = files.iter().filter_map(file_id).collect();
        linked_files.sort();
        linked_files.retain(|link| file_id(link).is_none_or(|id| found_ids.insert(id)));
        files.extend(linked_files);
    }
    files.sort();
    Ok(files)
}

impl Walk<'_> {
    /// Searches a folder and its subfolders. Links in them are not followed.
    fn search_folder(&mut self, root: &Path, folder: &Path, depth: usize) -> Result<(), Error> {
        let read_error = |error| Error::read(folder, error);
        if depth > MAX_DEPTH {
            return Err(too_large_error(root));
        }
        let metadata = fs::metadata(folder).map_err(read_error)?;
        if !self.folders.insert(file_identity(&metadata)) {
            return Ok(());
        }
        let mut subfolders = Vec::new();
        for entry in fs::read_dir(folder).map_err(read_error)? {
            let entry = entry.map_err(read_error)?;
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(too_large_error(root));
            }
            let path = entry.path();
            match FileKind::from_file_type(entry.file_type().map_err(read_error)?) {
                FileKind::Folder => subfolders.push(path),
                FileKind::Link => drop(self.links.insert(path)),
                FileKind::Regular if (self.is_wanted)(&path) => self.files.push(path),
                // A pipe may never have a writer, so reading it could wait forever.
                FileKind::Regular | FileKind::Special => {}
            }
        }
        subfolders.sort();
        subfolders
            .iter()
            .try_for_each(|path| self.search_folder(root, path, depth + 1))
    }
}

/// Returns the error for a folder beyond the limits.
fn too_large_error(root: &Path) -> Error {
    let kind = ErrorKind::FolderTooLarge {
        entries: MAX_ENTRIES,
        depth: MAX_DEPTH,
    };
    Error::new(kind, root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn each_folder_is_searched_once_even_if_links_form_a_cycle() {
        let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = place.path();
        let far = other.path().join("far");
        for folder in [root.join("m/n"), root.join("z"), far.clone()] {
            fs::create_dir_all(folder).unwrap();
        }
        for file in [
            root.join("m/x"),
            root.join("m/n/y"),
            far.join("w"),
            far.join("v"),
        ] {
            fs::write(file, b"").unwrap();
        }
        let link = |to: &Path, name: &str| symlink(to, root.join(name)).unwrap();
        link(Path::new(".."), "m/up");
        link(Path::new("m"), "a");
        link(&far, "z/q");
        link(&far, "z/p");
        link(root, "self");
        // Links to files: one below the root, one outside of it, and one to nothing.
        link(Path::new("m/x"), "b");
        link(&far.join("w"), "c");
        link(Path::new("/nowhere"), "d");
        symlink(root, far.join("back")).unwrap();
        let found: Vec<PathBuf> = walk(root, &|path| !path.ends_with("v")).unwrap();
        let names: Vec<_> = found
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["d", "m/n/y", "m/x", "z/p/w"]);
    }

    #[test]
    fn a_chain_of_folders_that_is_too_deep_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let mut folder = place.path().to_owned();
        for _ in 0..=MAX_DEPTH {
            folder.push("d");
        }
        fs::create_dir_all(&folder).unwrap();
        let error = walk(place.path(), &|_| true).unwrap_err();
        assert!(matches!(
            error.kind(),
            Some(ErrorKind::FolderTooLarge { .. })
        ));
        assert!(walk(&place.path().join("d"), &|_| true).is_ok());
    }
}
